// SPDX-License-Identifier: Apache-2.0
#include "gds/gds.h"
#include <algorithm>
#include <cstring>

namespace lyra::gds {

using namespace fabric;
using alu::ds_kind;

namespace {

bool is_sync(ds_kind k) { return k >= ds_kind::gws_sema_release_all; }

/// A scalar operand: the first active lane's ADDR (DATA0 where the request carries no ADDR); 0 without active lanes.
uint32_t first_lane_value(const wave_request& w) {
  if (!w.exec) return 0;
  const unsigned l = unsigned(__builtin_ctzll(w.exec));
  return w.vaddr_dwords || !w.vdata_dwords ? w.vaddr[0][l] : w.vdata[0][l];
}

waiting_wave waiting_of(const wave_request& w, uint64_t token) { return {token, w.pc, w.wave_id, w.dispatch, w.cu}; }

ordered_append::request ordered_request(const wave_request& w, uint64_t token) {
  return {w.dispatch_order, w.dispatch_first_order, ordered_fields::of(uint32_t(w.inst->offset)), waiting_of(w, token)};
}

} // namespace

global_data_share::global_data_share(sc_core::sc_module_name name, const context& context, const gds_parameters& parameters, unsigned ports)
    : timed_module(name, context.core), parameters_(parameters), banks_(parameters_.rates), chaos_(context.chaos), number_(module_number(this->name())), ports_(ports) {
  for (unsigned k = 0; k < ports; ++k) {
    ports_[k].port = std::unique_ptr<target_port>(new target_port("cu_socket" + std::to_string(k), *this, k));
    ports_[k].fifo.resize(parameters_.queue_depth);
  }
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string here = this->name();
    busy_signal_ = context.trace->add(here + ".busy", 1, "an instruction at work");
    queue_signal_ = context.trace->add(here + ".queue", 16, "instructions in the ports' queues");
    waiting_signal_ = context.trace->add(here + ".waiting", 16, "ordered-append and wave-sync requests that pend");
    traced_ = busy_signal_ || queue_signal_ || waiting_signal_;
  }
}

void global_data_share::on_reset() {
  sequence_ = 0;
  if (memory_) std::memset(memory_.get(), 0, gds_bytes);
  for (queue& q : ports_) {
    q.first = q.count = 0;
    q.last_arrival = 0;
    q.refused = {nullptr, 0};
  }
  turn_ = 0;
  queued_ = 0;
  free_ = 0;
  ordered_ = ordered_append();
  sync_ = wave_sync();
  held_.clear();
  idle_tokens_.clear();
  released_.clear();
  lt_waiting_.clear();
  lt_released_.clear();
  statistics_ = gds_statistics();
}

uint8_t* global_data_share::memory() {
  if (!memory_) memory_ = std::make_unique<uint8_t[]>(gds_bytes);
  return memory_.get();
}

/// M0's window inside the request's allocation.
data_share_window global_data_share::window(const wave_request& w) {
  const uint32_t first = w.gds_size ? std::min(w.gds_base, gds_bytes) : 0;
  const uint32_t limit = w.gds_size ? uint32_t(std::min<uint64_t>(uint64_t(first) + w.gds_size, gds_bytes)) : gds_bytes;
  const uint32_t base = std::min(first + (w.m0 >> 16), limit);
  const uint32_t size = (w.m0 & 0xffff) == 0xffff ? gds_bytes : w.m0 & 0xffff;
  return {memory() + base, base, std::min(size, limit - base), alu::ds_m0_use::none};
}

void global_data_share::do_ordered(wave_request& w, const ordered_fields& f) {
  w.result_dwords = 1;
  w.result_half = 0;
  w.result_mask = w.exec;
  if (f.operation == alu::ds_operation::none) {
    w.fault = fault_kind::unsupported;
    return;
  }
  const uint32_t first = w.gds_size ? w.gds_base : 0;
  const uint32_t at = first + (w.m0 >> 16 & ~3u) + 4 * f.index;
  uint32_t old = 0;
  if (at + 4 <= (w.gds_size ? std::min(first + w.gds_size, gds_bytes) : gds_bytes)) {
    std::memcpy(&old, memory() + at, 4);
    const uint32_t v = alu::ds_apply(f.operation, old, first_lane_value(w), 0, w.mode);
    std::memcpy(memory() + at, &v, 4);
  }
  std::fill_n(w.result[0], 64, old);
  ++statistics_.ordered;
}

/// \return whether the wave goes on; the waves it lets go are in released_.
bool global_data_share::do_sync(wave_request& w, ds_kind kind, uint64_t token) {
  ++statistics_.wave_syncs;
  released_.clear();
  const unsigned resource = ((w.m0 >> 16 & 63) + (uint32_t(w.inst->offset) & 63)) & 63;
  return sync_.operate(kind, resource, first_lane_value(w), waiting_of(w, token), released_);
}

void global_data_share::count(const alu::ds_access& access) {
  gds_statistics& s = statistics_;
  s.active_lanes += access.exec == ~uint64_t(0) ? 64 : unsigned(__builtin_popcountll(access.exec));
  if (access.out_of_range) s.out_of_range_lanes += unsigned(__builtin_popcountll(access.out_of_range));
  switch (access.shape.kind) {
    case ds_kind::read: case ds_kind::read_addtid: ++s.reads; break;
    case ds_kind::write: case ds_kind::write_addtid: ++s.writes; break;
    case ds_kind::atomic: case ds_kind::src2: case ds_kind::condxchg: ++s.atomics; break;
    case ds_kind::swizzle: case ds_kind::permute: case ds_kind::bpermute: ++s.permutes; break;
    case ds_kind::append: case ds_kind::consume: ++s.appends; break;
    default: break;
  }
}

std::string global_data_share::describe_waiting() const {
  std::string text;
  ordered_.describe(text);
  sync_.describe(text);
  return text;
}

// ---------------------------------------------------------------- approximately timed

void global_data_share::push(queue& q, payload& p, cycle_t arrival) {
  arrival = std::max(arrival + chaos_.extra(number_, sequence_++), q.last_arrival);
  q.last_arrival = arrival;
  q.fifo[(q.first + q.count++) % parameters_.queue_depth] = {&p, arrival};
  ++queued_;
  wake_at(std::max(arrival, free_));
}

request_answer global_data_share::on_request(unsigned port, payload& p, picoseconds& at) {
  queue& q = ports_[port];
  const cycle_t arrival = clock().ceil(at);
  if (q.count == parameters_.queue_depth) {
    q.refused = {&p, arrival};
    ++statistics_.refused_requests;
    return request_answer::withheld;
  }
  push(q, p, arrival);
  return request_answer::accepted;
}

/// The port whose head is done next, or -1.
int global_data_share::choose(cycle_t cycle) {
  const unsigned n = port_count();
  int best = -1;
  unsigned ready = 0;
  for (unsigned k = 0; k < n; ++k) {
    const unsigned port = (turn_ + k) % n;
    const queue& q = ports_[port];
    if (!q.count || q.fifo[q.first].arrival > cycle) continue;
    ++ready;
    if (best < 0) best = int(port);
    else if (parameters_.arbitration == "fifo" && q.fifo[q.first].arrival < ports_[best].fifo[ports_[best].first].arrival) best = int(port);
  }
  if (ready > 1 && chaos_.on()) {
    unsigned pick = chaos_.pick(number_, sequence_++, ready, 0);
    for (unsigned port = 0; port < n; ++port) {
      const queue& q = ports_[port];
      if (!q.count || q.fifo[q.first].arrival > cycle) continue;
      if (pick-- == 0) return int(port);
    }
  }
  return best;
}

cycle_t global_data_share::on_wake(cycle_t cycle) {
  if (free_ <= cycle) {
    ordered_append::request r;
    if (ordered_.take_ready(r)) { // its turn has come: before anything new
      const held h = release(r.wave.token);
      statistics_.ordered_wait_cycles += cycle - h.since;
      data_share_cost cost;
      cost.path = parameters_.rates.append_cycles;
      cost.banks = 1;
      do_ordered(wave_pool::of(*h.p), r.fields);
      ordered_.advance(r);
      occupy(cycle, cost);
      respond(h.port, *h.p, cycle, cost.occupancy());
    } else if (const int port = choose(cycle); port >= 0) {
      turn_ = (unsigned(port) + 1) % port_count();
      start(unsigned(port), cycle);
    }
    if (traced_) trace(cycle);
  }
  cycle_t next = never;
  if (ordered_.has_ready()) next = free_;
  if (queued_)
    for (const queue& q : ports_) if (q.count) next = std::min(next, std::max(q.fifo[q.first].arrival, free_));
  if (traced_ && free_ > cycle) next = std::min(next, free_);
  return next;
}

void global_data_share::occupy(cycle_t cycle, const data_share_cost& cost) {
  free_ = cycle + std::max(cost.occupancy(), 1u);
  statistics_.busy_cycles += free_ - cycle;
}

void global_data_share::respond(unsigned port, payload& p, cycle_t start, unsigned occupancy) {
  const unsigned shortest = parameters_.rates.read_32_cycles;
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  ports_[port].port->respond(p, clock().at(start + parameters_.latency_cycles + (occupancy > shortest ? occupancy - shortest : 0)));
}

uint64_t global_data_share::hold(payload& p, unsigned port, cycle_t cycle) {
  if (idle_tokens_.empty()) {
    held_.push_back({&p, port, cycle});
    return held_.size() - 1;
  }
  const uint64_t token = idle_tokens_.back();
  idle_tokens_.pop_back();
  held_[token] = {&p, port, cycle};
  return token;
}

global_data_share::held global_data_share::release(uint64_t token) {
  idle_tokens_.push_back(token);
  return held_[token];
}

void global_data_share::start(unsigned port, cycle_t cycle) {
  queue& q = ports_[port];
  const entry e = q.fifo[q.first];
  q.first = (q.first + 1) % parameters_.queue_depth;
  --q.count;
  --queued_;
  statistics_.queue_wait_cycles += cycle - e.arrival;
  ++statistics_.instructions;

  wave_request& w = wave_pool::of(*e.p);
  const ds_kind kind = alu::ds_shape_of(*w.inst).kind;
  data_share_cost cost;
  cost.path = parameters_.rates.append_cycles;
  cost.banks = 1;
  if (kind == ds_kind::ordered_count) {
    const uint64_t token = hold(*e.p, port, cycle);
    const ordered_append::request r = ordered_request(w, token);
    if (ordered_.turn(r)) {
      release(token);
      do_ordered(w, r.fields);
      ordered_.advance(r);
      occupy(cycle, cost);
      respond(port, *e.p, cycle, cost.occupancy());
    } else {
      ordered_.wait(r);
      ++statistics_.ordered_waits;
      free_ = cycle + 1;
    }
  } else if (is_sync(kind)) {
    const uint64_t token = hold(*e.p, port, cycle);
    const bool goes_on = do_sync(w, kind, token);
    occupy(cycle, cost);
    for (const waiting_wave& other : released_) { // oldest first, all at this time
      const held h = release(other.token);
      statistics_.sync_wait_cycles += cycle - h.since;
      respond(h.port, *h.p, cycle, cost.occupancy());
    }
    if (goes_on) {
      release(token);
      respond(port, *e.p, cycle, cost.occupancy());
    } else {
      ++statistics_.sync_waits;
    }
  } else {
    const data_share_window where = window(w);
    alu::ds_access access;
    ds_execute(w, where, access, addresses_);
    cost = banks_.cost(access, addresses_, where.base);
    w.conflicts += cost.conflicts;
    count(access);
    statistics_.bank_conflict_cycles += cost.conflicts;
    statistics_.same_address_cycles += cost.serialised;
    statistics_.broadcast_lanes += cost.broadcast;
    occupy(cycle, cost);
    respond(port, *e.p, cycle, cost.occupancy());
  }

  if (q.refused.p) {
    payload& p = *q.refused.p;
    q.refused.p = nullptr;
    const cycle_t enters = std::max(q.refused.arrival, cycle + 1);
    statistics_.refused_cycles += enters - q.refused.arrival;
    push(q, p, enters);
    q.port->accept(clock().at(enters));
  }
}

void global_data_share::trace(cycle_t cycle) {
  const picoseconds t = clock().at(cycle);
  uint64_t arrived = 0;
  for (const queue& q : ports_)
    for (unsigned k = 0; k < q.count; ++k) arrived += q.fifo[(q.first + k) % parameters_.queue_depth].arrival <= cycle;
  busy_signal_.set(t, free_ > cycle);
  queue_signal_.set(t, arrived);
  waiting_signal_.set(t, waiting());
}

// ---------------------------------------------------------------- loosely timed, debug

void global_data_share::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  wave_request& w = wave_pool::of(p);
  const ds_kind kind = alu::ds_shape_of(*w.inst).kind;
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += to_sc_time(clock().at(parameters_.rates.append_cycles));
  if (kind == ds_kind::ordered_count) {
    const ordered_append::request r = ordered_request(w, w.wave_id);
    if (!ordered_.turn(r)) {
      p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      return;
    }
    do_ordered(w, r.fields);
    ordered_.advance(r);
  } else if (is_sync(kind)) {
    if (const auto done = std::find(lt_released_.begin(), lt_released_.end(), w.wave_id); done != lt_released_.end()) {
      lt_released_.erase(done);
      return;
    }
    if (std::find(lt_waiting_.begin(), lt_waiting_.end(), w.wave_id) == lt_waiting_.end()) {
      const bool goes_on = do_sync(w, kind, w.wave_id);
      ++statistics_.instructions;
      for (const waiting_wave& other : released_) {
        lt_waiting_.erase(std::find(lt_waiting_.begin(), lt_waiting_.end(), other.wave));
        lt_released_.push_back(other.wave);
      }
      if (goes_on) return;
      ++statistics_.sync_waits;
      lt_waiting_.push_back(w.wave_id);
    }
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return;
  } else {
    alu::ds_access access;
    ds_execute(w, window(w), access, addresses_);
    count(access);
    delay += to_sc_time(clock().at(banks_.path_cycles(access.shape)));
  }
  ++statistics_.instructions;
}

unsigned global_data_share::transport_dbg(unsigned, payload& p) {
  const uint64_t address = p.get_address();
  if (address >= gds_bytes) return 0;
  const unsigned n = unsigned(std::min<uint64_t>(p.get_data_length(), gds_bytes - address));
  if (p.get_command() == tlm::TLM_READ_COMMAND) std::memcpy(p.get_data_ptr(), memory() + address, n);
  else if (p.get_command() == tlm::TLM_WRITE_COMMAND) std::memcpy(memory() + address, p.get_data_ptr(), n);
  else return 0;
  return n;
}

} // namespace lyra::gds
