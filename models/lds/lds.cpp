// SPDX-License-Identifier: Apache-2.0
#include "lds/lds.h"
#include <algorithm>
#include <cstring>

namespace lyra::lds {

using namespace fabric;
using alu::ds_kind;

local_data_share::local_data_share(sc_core::sc_module_name name, const context& context, const lds_parameters& parameters)
    : timed_module(name, context.core), cu_port("cu_socket", *this, 0), parameters_(parameters), banks_(parameters_.rates), chaos_(context.chaos), accesses_(context.accesses),
      m0_use_(parameters.append_base == "m0_high" ? alu::ds_m0_use::high_base : alu::ds_m0_use::low_offset), number_(module_number(this->name())) {
  for (path& q : paths_) q.fifo.resize(parameters_.queue_depth);
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string here = this->name();
    busy_signal_ = context.trace->add(here + ".busy", 1, "banks at work");
    conflicts_signal_ = context.trace->add(here + ".conflicts", 8, "bank conflict cycles of the instruction at work");
    instruction_signal_ = context.trace->add_text(here + ".instruction", "wave and name of the instruction at work");
    queue_signal_[0] = context.trace->add(here + ".queue0", 8, "instructions waiting, SIMDs 0 and 1");
    queue_signal_[1] = context.trace->add(here + ".queue1", 8, "instructions waiting, SIMDs 2 and 3");
    traced_ = busy_signal_ || conflicts_signal_ || instruction_signal_ || queue_signal_[0] || queue_signal_[1];
  }
}

void local_data_share::on_reset() {
  sequence_ = 0;
  cleared_ = 0;
  for (path& q : paths_) {
    q.first = q.count = 0;
    q.free = q.last_arrival = 0;
  }
  refused_ = {nullptr, 0};
  refused_path_ = 0;
  banks_free_ = last_response_ = 0;
  statistics_ = lds_statistics();
  shown_busy_ = false;
}

/// The memory, 0 up to `end` where nobody has written. It grows with what workgroups use.
uint8_t* local_data_share::memory(uint32_t end) {
  if (end > room_ || !memory_) {
    while (room_ < end) room_ *= 2;
    std::unique_ptr<uint8_t[]> larger(new uint8_t[room_]);
    if (cleared_ != 0) std::memcpy(larger.get(), memory_.get(), cleared_);
    memory_ = std::move(larger);
  }
  if (end > cleared_) {
    std::memset(memory_.get() + cleared_, 0, end - cleared_);
    cleared_ = end;
  }
  return memory_.get();
}

data_share_window local_data_share::window(const wave_request& w) {
  const uint32_t base = std::min(w.lds_base, lds_bytes), size = std::min(w.lds_size, lds_bytes - base);
  return {memory(base + size) + base, base, size, m0_use_};
}

/// Does the instruction; what only the GDS can do is a fault of the program.
bool local_data_share::execute(wave_request& w, alu::ds_access& access, alu::ds_addresses& addresses) {
  const bool done = ds_execute(w, window(w), access, addresses);
  if (done && access.shape.kind >= ds_kind::ordered_count) {
    w.fault = fault_kind::unsupported;
    w.result_mask = 0;
    return false;
  }
  return done;
}

void local_data_share::count(const wave_request& w, const alu::ds_access& access) {
  lds_statistics& s = statistics_;
  ++s.instructions;
  const unsigned lanes = access.exec == ~uint64_t(0) ? 64 : unsigned(__builtin_popcountll(access.exec));
  s.active_lanes += lanes;
  if (access.out_of_range) s.out_of_range_lanes += unsigned(__builtin_popcountll(access.out_of_range));
  s.flat += access.shape.flat;
  s.bytes += lanes * access.shape.elements * (access.shape.bytes ? access.shape.bytes : 4);
  switch (access.shape.kind) {
    case ds_kind::read: case ds_kind::read_addtid: case ds_kind::read_direct: ++s.reads; break;
    case ds_kind::write: case ds_kind::write_addtid: ++s.writes; break;
    case ds_kind::atomic: case ds_kind::src2: case ds_kind::condxchg: ++s.atomics; break;
    case ds_kind::swizzle: case ds_kind::permute: case ds_kind::bpermute: ++s.permutes; break;
    case ds_kind::append: case ds_kind::consume: ++s.appends; break;
    case ds_kind::write_direct: s.returns_to_lds += w.result_to_lds; break;
    default: break;
  }
}

// ---------------------------------------------------------------- approximately timed

void local_data_share::push(path& q, payload& p, cycle_t arrival) {
  arrival = std::max(arrival + chaos_.extra(number_, sequence_++), q.last_arrival);
  q.last_arrival = arrival;
  q.fifo[(q.first + q.count++) % parameters_.queue_depth] = {&p, arrival};
  wake_at(traced_ ? arrival : std::max(arrival, start_of(q)));
}

request_answer local_data_share::on_request(unsigned, payload& p, picoseconds& at) {
  const unsigned side = wave_pool::of(p).simd >> 1 & 1;
  path& q = paths_[side];
  const cycle_t arrival = clock().ceil(at);
  if (q.count == parameters_.queue_depth) {
    refused_ = {&p, arrival};
    refused_path_ = side;
    ++statistics_.refused_requests;
    return request_answer::withheld;
  }
  push(q, p, arrival);
  return request_answer::accepted;
}

/// First cycle at which the head of `q` can start.
cycle_t local_data_share::start_of(const path& q) const { return q.count ? std::max({q.head().arrival, q.free, banks_free_}) : never; }

cycle_t local_data_share::on_wake(cycle_t cycle) {
  const bool ready0 = start_of(paths_[0]) <= cycle, ready1 = start_of(paths_[1]) <= cycle;
  if (ready0 || ready1) {
    unsigned side = ready1;
    if (ready0 && ready1) {
      const unsigned older = paths_[1].head().arrival < paths_[0].head().arrival;
      side = chaos_.pick(number_, sequence_++, 2, older);
    }
    start(paths_[side], cycle);
  }
  cycle_t next = std::min(start_of(paths_[0]), start_of(paths_[1]));
  if (traced_) next = std::min(next, trace(cycle));
  return next;
}

void local_data_share::start(path& q, cycle_t cycle) {
  const entry e = q.head();
  q.first = (q.first + 1) % parameters_.queue_depth;
  --q.count;
  wave_request& w = wave_pool::of(*e.p);
  alu::ds_access access;
  if (execute(w, access, addresses_) && accesses_) show_accesses(w, access);
  const data_share_cost cost = banks_.cost(access, addresses_, w.lds_base);
  const unsigned occupancy = std::max(cost.occupancy(), 1u);
  q.free = cycle + occupancy;
  banks_free_ = cycle + cost.banks;
  w.conflicts += cost.conflicts;

  // The latency is that of a 32-bit read; what is longer on the path or in the banks comes that much later.
  const unsigned shortest = parameters_.rates.read_32_cycles;
  const unsigned service = parameters_.latency_cycles > parameters_.issue_cycles ? parameters_.latency_cycles - parameters_.issue_cycles : 1;
  const cycle_t response = cycle + service + (occupancy > shortest ? occupancy - shortest : 0);
  last_response_ = std::max(last_response_, response);
  e.p->set_response_status(tlm::TLM_OK_RESPONSE);
  cu_port.respond(*e.p, clock().at(last_response_));

  count(w, access);
  statistics_.bank_busy_cycles += cost.banks;
  statistics_.bank_conflict_cycles += cost.conflicts;
  statistics_.same_address_cycles += cost.serialised;
  statistics_.broadcast_lanes += cost.broadcast;
  statistics_.queue_wait_cycles += cycle - e.arrival;
  (&q == &paths_[0] ? statistics_.path0_busy_cycles : statistics_.path1_busy_cycles) += occupancy;
  if (traced_) {
    shown_busy_ = true;
    busy_signal_.set(clock().at(cycle), 1);
    conflicts_signal_.set(clock().at(cycle), cost.conflicts);
    if (instruction_signal_) instruction_signal_.set(clock().at(cycle), "wave" + std::to_string(w.wave_id) + " " + w.inst->info->name);
  }

  if (refused_.p && &paths_[refused_path_] == &q) {
    payload& p = *refused_.p;
    refused_.p = nullptr;
    const cycle_t enters = std::max(refused_.arrival, cycle + 1);
    statistics_.refused_cycles += enters - refused_.arrival;
    push(q, p, enters);
    cu_port.accept(clock().at(enters));
  }
}

/// Emits what the signals show from `cycle` on; returns the next cycle at which they change by themselves.
cycle_t local_data_share::trace(cycle_t cycle) {
  const picoseconds t = clock().at(cycle);
  cycle_t next = never;
  for (unsigned s = 0; s < 2; ++s) {
    const path& q = paths_[s];
    unsigned waiting = 0;
    for (unsigned k = 0; k < q.count; ++k) {
      const cycle_t arrival = q.fifo[(q.first + k) % parameters_.queue_depth].arrival;
      if (arrival <= cycle) ++waiting;
      else next = std::min(next, arrival);
    }
    queue_signal_[s].set(t, waiting);
  }
  if (shown_busy_ && banks_free_ <= cycle) {
    shown_busy_ = false;
    busy_signal_.set(t, 0);
    conflicts_signal_.set(t, 0);
    instruction_signal_.set(t, "");
  }
  return shown_busy_ ? std::min(next, banks_free_) : next;
}

// ---------------------------------------------------------------- loosely timed, debug

/// Tells the observer which bytes the instruction touches (those beyond the allocation are none).
void local_data_share::show_accesses(const wave_request& w, const alu::ds_access& access) const {
  using observer = access_observer;
  observer::kind kind;
  switch (access.shape.kind) {
    case ds_kind::read: case ds_kind::read_addtid: case ds_kind::read_direct: kind = observer::kind::load; break;
    case ds_kind::write: case ds_kind::write_addtid: case ds_kind::write_direct: kind = observer::kind::store; break;
    case ds_kind::atomic: case ds_kind::condxchg: case ds_kind::append: case ds_kind::consume: kind = observer::kind::atomic; break;
    default: return;
  }
  const unsigned bytes = access.shape.bytes ? access.shape.bytes : 4;
  uint64_t address[64];
  for (unsigned e = 0; e < access.shape.elements; ++e) {
    uint64_t lanes = 0;
    for (uint64_t l = access.exec; l; l &= l - 1) {
      const unsigned lane = unsigned(__builtin_ctzll(l));
      const uint64_t at = addresses_.address[e][lane];
      if (at + bytes > access.size) continue;
      address[lane] = w.lds_base + at;
      lanes |= uint64_t(1) << lane;
    }
    accesses_->accessed(w, observer::memory::lds, kind, lanes, address, bytes);
  }
}

void local_data_share::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  wave_request& w = wave_pool::of(p);
  alu::ds_access access;
  if (execute(w, access, addresses_) && accesses_) show_accesses(w, access);
  count(w, access);
  delay += to_sc_time(clock().at(banks_.path_cycles(access.shape)));
  p.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned local_data_share::transport_dbg(unsigned, payload& p) {
  const uint64_t address = p.get_address();
  if (address >= lds_bytes) return 0;
  const unsigned n = unsigned(std::min<uint64_t>(p.get_data_length(), lds_bytes - address));
  if (p.get_command() == tlm::TLM_READ_COMMAND) std::memcpy(p.get_data_ptr(), memory(address + n) + address, n);
  else if (p.get_command() == tlm::TLM_WRITE_COMMAND) std::memcpy(memory(address + n) + address, p.get_data_ptr(), n);
  else return 0;
  return n;
}

} // namespace lyra::lds
