// SPDX-License-Identifier: Apache-2.0
#include "texture/texture_unit.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {

using namespace fabric;
using isa::memory_kind;

namespace {
constexpr cycle_t send_window = 4; ///< lines are handed to L1 at most so many cycles before they are due
} // namespace

texture_unit::texture_unit(sc_core::sc_module_name name, context& c, const texture_parameters& parameters, uint16_t source)
    : timed_module(name, c.core), wave_port("wave_port", *this, wave_side), return_port("return_port", *this, return_side), line_port("line_port", *this, line_side),
      context_(c), parameters_(parameters), source_(source), module_number_(module_number(this->name())), in_flight_(64), dmi_(line_port) {
  if (context_.statistics) context_.statistics->add(this->name(), statistics_);
  if (context_.trace) declare_signals();
}

texture_unit::~texture_unit() = default;

void texture_unit::on_reset() {
  while (!in_flight_.empty()) {
    idle_.push_back(in_flight_.front());
    in_flight_.pop();
  }
  next_number_ = 0;
  sending_ = 0;
  waiting_ = nullptr;
  waiting_since_ = ta_free_ = td_free_ = last_response_ = line_cycle_ = blocked_since_ = freed_ = 0;
  line_count_ = 0;
  blocked_ = false;
  lt_.p = nullptr;
  lt_.request = nullptr;
  dmi_.invalidate();
  statistics_ = texture_statistics();
}

// ---------------------------------------------------------------- TA

bool texture_unit::room() const {
  // The address pipeline holds what its latency covers at the fastest rate, and a little more.
  return in_flight_.size() < parameters_.instructions_in_flight && in_flight_.size() - sending_ < parameters_.address_latency_cycles / 4 + 2;
}

request_answer texture_unit::on_request(unsigned port, payload& p, picoseconds& at) {
  const cycle_t c = clock().ceil(at);
  if (port == return_side) {
    line_back(p, c);
    return request_answer::completed;
  }
  if (ta_free_ <= c && room()) {
    start(p, c);
    return request_answer::accepted;
  }
  waiting_ = &p;
  waiting_since_ = c;
  wait_signal_.set(clock().at(c), 1);
  wake_at(std::max(now() + 1, std::max(c, ta_free_) - 1));
  return request_answer::withheld;
}

/// Fills the plan; false: a fault.
bool texture_unit::plan(operation& o) {
  wave_request& r = *o.request;
  const isa::instruction& i = *r.inst;
  o.control = i.info->memory == memory_kind::cache;
  o.is_image = false;
  o.list.clear();
  o.state = access_state{};
  o.state.kind = i.info->memory;
  if (o.control) return true;
  o.is_image = i.encoding() == isa::encoding::MIMG;
  if (o.is_image) return plan_image_access(o);
  if (!plan_access(r, parameters_.address, o.state, o.plan)) return false;
  if (!o.state.in_range) return true;
  if (o.state.kind == memory_kind::store || o.state.kind == memory_kind::store_lds) prepare_store(r, o.state, o.plan);
  return true;
}

/// Fills the lines; false: a fault.
bool texture_unit::build_lines(operation& o) {
  return o.control || !o.state.in_range || coalescer_.build(*o.request, o.state, o.plan, *context_.space, o.list);
}

bool texture_unit::plan_image_access(operation& o) {
  wave_request& r = *o.request;
  const isa::instruction& i = *r.inst;
  if (!o.image) o.image = std::make_unique<image_state>();
  access_state& s = o.state;
  s.lanes = r.exec;
  s.glc = i.glc;
  s.slc = i.slc;
  const image_action action = plan_image(r, *context_.space, parameters_.image, *o.image, o.plan);
  switch (action) {
    case image_action::fault: s.error = o.image->error.c_str(); return false;
    case image_action::done: return true;
    case image_action::fetch: s.kind = memory_kind::load; s.returns = true; break;
    case image_action::store: s.kind = memory_kind::store; break;
    case image_action::atomic: s.kind = memory_kind::atomic; s.returns = i.glc; break;
  }
  s.element_bytes = uint8_t(o.plan.bytes);
  for (uint64_t a : o.plan.active) s.in_range |= a;
  return true;
}

/// A page fault says it all by its address; other causes are told in words beside the fault.
void texture_unit::explain_fault(const operation& o) {
  const wave_request& r = *o.request;
  if (!context_.run || !o.state.error || !*o.state.error) return;
  context_.run->report({"lyra/texture/access", std::string(name()) + ": " + r.inst->info->name + ", lane " + std::to_string(r.fault_lane) + ": " + o.state.error, now_ps(), r.pc, r.wave_id});
}

void texture_unit::plan_cost(operation& o) {
  texture_statistics& n = statistics_;
  ++n.instructions;
  o.phases = 0;
  if (o.request->fault != fault_kind::none) {
    ++n.faults;
    o.list.clear();
    o.rate = parameters_.rate.control;
    explain_fault(o);
    return;
  }
  if (o.is_image) {
    const image_cost& cost = o.image->cost;
    ++n.image_instructions;
    n.texels += cost.texels;
    n.image_quads += cost.quads;
    if (cost.filtered) {
      ++n.image_samples;
      n.filter_cycles += cost.texel_cycles;
    }
    n.lanes += uint64_t(__builtin_popcountll(o.state.in_range));
    n.without_lanes += !o.state.in_range;
    o.rate = std::max({cost.address_cycles, cost.texel_cycles, parameters_.rate.control});
    o.phases = o.state.returns || o.request->result_dwords ? phases_of(o.request->result_dwords) : 0;
    return;
  }
  if (o.control) {
    ++n.controls;
    o.rate = parameters_.rate.control;
    return;
  }
  unsigned linear = 0;
  o.rate = address_cycles(parameters_.rate, *o.request, o.state, o.plan, linear);
  if (o.state.kind == memory_kind::load) {
    ++n.loads;
    if (o.state.in_range) {
      n.linear_quads += linear;
      n.scattered_quads += 16 - linear;
    }
    n.lds_loads += o.state.to_lds;
  } else if (o.state.kind == memory_kind::atomic) {
    ++n.atomics;
  } else {
    ++n.stores;
  }
  n.typed += o.state.format;
  n.lanes += uint64_t(__builtin_popcountll(o.state.in_range));
  n.without_lanes += !o.state.in_range;
  if (o.state.returns) {
    const unsigned rows = o.state.format ? (o.state.d16 ? (o.state.components + 1) / 2 : o.state.components) : (o.state.element_bytes + 3u) / 4;
    o.phases = phases_of(rows + o.state.tfe);
  }
}

void texture_unit::start(payload& p, cycle_t c) {
  operation* o;
  if (idle_.empty()) {
    pool_.push_back(std::make_unique<operation>());
    o = pool_.back().get();
  } else {
    o = idle_.back();
    idle_.pop_back();
  }
  o->p = &p;
  o->request = &wave_pool::of(p);
  o->number = next_number_++;
  o->start = c;
  o->sent = o->returned = 0;
  o->plan.address.swap(addresses_);
  if (plan(*o)) build_lines(*o);
  plan_cost(*o);
  if (!context_.accesses) o->plan.address.swap(addresses_); // who observes asks for them again
  o->lines = o->control ? 1 : uint32_t(o->list.lines.size());
  o->request->lines = o->control ? 0 : o->lines;
  o->arrived = c + parameters_.address_latency_cycles + o->rate - 1; // without lines: when the last lane has passed TA
  ta_free_ = c + o->rate;
  statistics_.ta_busy_cycles += o->rate;
  if (o->is_image) statistics_.image_lines += o->lines;
  in_flight_.push(o);
  if (context_.accesses && o->request->fault == fault_kind::none) show_accesses(*o);
  if (traced_) trace_start(*o, c);
  if (sending_ + 1 == in_flight_.size()) wake_at(std::max(c + parameters_.address_latency_cycles, now() + 2) - 1); // never responds from here
}

payload& texture_unit::line_payload(operation& o, uint32_t index) {
  payload* p;
  if (o.control) {
    p = &context_.lines->line(tlm::TLM_IGNORE_COMMAND, 0);
    payload_pool::policy(*p).control = o.request->inst->op() == isa::op::buffer_wbinvl1_vol ? cache_control::invalidate_volatile : cache_control::writeback_invalidate;
  } else {
    const line_list::line& l = o.list.lines[index];
    switch (o.state.kind) {
      case memory_kind::load: p = &context_.lines->line(tlm::TLM_READ_COMMAND, l.address); break;
      case memory_kind::atomic: {
        p = &context_.lines->atomic(l.address);
        atomic_extension& a = payload_pool::atomic_of(*p);
        a.operation = o.request->inst->info->atomic;
        a.bytes = o.state.element_bytes;
        a.returns = o.state.returns;
        a.source = source_;
        a.wave = o.request->wave_id;
        unsigned n = 0;
        for (uint32_t t = l.first; t != line_list::end; t = o.list.touches[t].next, ++n) {
          const line_list::touch& from = o.list.touches[t];
          atomic_extension::entry& e = a.entries[n];
          e.lane = from.lane;
          e.offset = from.offset;
          e.result = 0;
          atomic_operands(*o.request, o.state.element_bytes, from.lane, e.operand, e.compare);
        }
        a.count = uint8_t(n);
        ++statistics_.atomic_packets;
        break;
      }
      default: {
        alignas(64) uint8_t bytes[line_bytes] = {};
        o.list.collect(l, bytes, o.state, o.plan);
        p = &context_.lines->masked_write(l.address, bytes, l.bytes);
        ++statistics_.lines_written;
        break;
      }
    }
    const unsigned used = unsigned(__builtin_popcountll(l.bytes));
    payload_pool::policy(*p).wanted_bytes = uint8_t(used);
    statistics_.bytes += used;
    ++statistics_.lines;
  }
  policy_extension& policy = payload_pool::policy(*p);
  policy.glc = o.state.glc;
  policy.slc = policy.streaming = o.state.slc;
  policy.nv = o.state.nv;
  policy.source = source_;
  policy.tag = o.number << 16 | index;
  return *p;
}

/// Hands lines to L1 that are due soon; returns the next cycle with something to do.
cycle_t texture_unit::send_lines(cycle_t now) {
  while (sending_ < in_flight_.size()) {
    operation& o = *in_flight_[sending_];
    while (o.sent < o.lines) {
      const unsigned lane = o.control ? 0 : o.list.lines[o.sent].first_lane;
      cycle_t c = std::max({o.start + parameters_.address_latency_cycles + lane * o.rate / 64, now + 1, line_cycle_});
      if (c == line_cycle_ && line_count_ >= parameters_.lines_per_cycle) ++c;
      if (!line_port.ready()) {
        if (!blocked_) {
          blocked_ = true;
          blocked_since_ = c;
        }
        return never;
      }
      if (c > now + send_window) return c - 1;
      payload& p = line_payload(o, o.sent);
      ++o.sent;
      const cycle_t effective = clock().ceil(line_port.send(p, clock().at(c)));
      if (effective != line_cycle_) {
        line_cycle_ = effective;
        line_count_ = 0;
        lines_signal_.set(clock().at(effective + 1), 0);
      }
      lines_signal_.set(clock().at(effective), ++line_count_);
    }
    ++sending_;
    if (in_flight_.front()->returned == in_flight_.front()->lines) retire();
  }
  return never;
}

cycle_t texture_unit::on_wake(cycle_t c) {
  if (blocked_ && line_port.ready()) {
    blocked_ = false;
    const cycle_t free = std::max(c, clock().ceil(line_port.free_at()));
    if (free > blocked_since_) statistics_.line_wait_cycles += free - blocked_since_;
  }
  cycle_t next = send_lines(c);
  if (waiting_) {
    const cycle_t begin = std::max({ta_free_, waiting_since_, freed_, c + 1});
    if (!room()) return next; // retire() or the last line wakes
    if (begin > c + 1) return std::min(next, begin - 1);
    payload& p = *waiting_;
    waiting_ = nullptr;
    statistics_.request_wait_cycles += begin - waiting_since_;
    wait_signal_.set(clock().at(begin), 0);
    start(p, begin);
    wave_port.accept(clock().at(begin)); // may bring the next request
    next = std::min(next, send_lines(c));
  }
  return next;
}

void texture_unit::on_ready(unsigned, picoseconds at) {
  const cycle_t c = clock().ceil(at);
  wake_at(std::max(now(), c ? c - 1 : 0));
}

void texture_unit::on_response(unsigned, payload& p, picoseconds) { p.release(); }

// ---------------------------------------------------------------- TD

void texture_unit::take_results(operation& o, payload& p, const line_list::line& l) {
  if (p.get_response_status() != tlm::TLM_OK_RESPONSE) {
    wave_request& r = *o.request;
    if (r.fault == fault_kind::none) {
      ++statistics_.faults;
      r.fault = p.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE ? fault_kind::unmapped : fault_kind::unsupported;
      r.fault_lane = l.first_lane;
      r.fault_address = sign_extended(l.address + unsigned(__builtin_ctzll(l.bytes | uint64_t(1) << 63)));
    }
    return;
  }
  if (o.state.kind == memory_kind::load) {
    o.list.deliver(l, p.get_data_ptr(), o.state, o.plan);
  } else if (o.state.kind == memory_kind::atomic && o.state.returns) {
    const atomic_extension& a = payload_pool::atomic_of(p);
    for (unsigned n = 0; n < a.count; ++n) std::memcpy(o.plan.bytes_of(0, a.entries[n].lane), &a.entries[n].result, o.state.element_bytes);
  }
}

void texture_unit::line_back(payload& p, cycle_t c) {
  const policy_extension& policy = payload_pool::policy(p);
  const uint64_t number = policy.tag >> 16;
  const uint64_t oldest = next_number_ - in_flight_.size();
  operation& o = *in_flight_[size_t(((number - oldest) & ((uint64_t(1) << 48) - 1)))];
  if (policy.hit) {
    ++o.request->hits;
    ++statistics_.hits;
    statistics_.image_hits += o.is_image;
  }
  if (!o.control) take_results(o, p, o.list.lines[policy.tag & 0xffff]);
  if (o.arrived < c || o.returned == 0) o.arrived = c;
  if (++o.returned == o.lines) retire();
}

void texture_unit::resolve(operation& o) {
  wave_request& r = *o.request;
  if (r.fault != fault_kind::none || o.control || !o.state.returns) return;
  if (o.is_image) {
    if (o.state.kind == memory_kind::load) {
      resolve_image_load(r, *o.image, o.plan);
    } else { // the rows were prepared with zeros for lanes outside the image
      for (uint64_t m = o.plan.active[0]; m; m &= m - 1) {
        const unsigned l = unsigned(__builtin_ctzll(m));
        for (unsigned k = 0; k < o.plan.bytes / 4; ++k) std::memcpy(&r.result[k][l], o.plan.bytes_of(0, l) + 4 * k, 4);
      }
    }
    return;
  }
  if (o.state.kind == memory_kind::load) resolve_load(r, o.state, o.plan);
  else resolve_atomic(r, o.state, o.plan);
}

/// Responds to the oldest instructions as far as they are complete.
void texture_unit::retire() {
  bool any = false;
  while (!in_flight_.empty()) {
    operation& o = *in_flight_.front();
    if (o.sent < o.lines || o.returned < o.lines || sending_ == 0) break;
    in_flight_.pop();
    --sending_;
    finish(o);
    any = true;
  }
  if (any && waiting_) {
    freed_ = now() + 1;
    wake_at(std::max({now() + 1, ta_free_ ? ta_free_ - 1 : 0}));
  }
}

void texture_unit::finish(operation& o) {
  if (context_.accesses && o.state.returns && o.request->fault == fault_kind::none) show_returns(o);
  resolve(o);
  const cycle_t begin = std::max(o.arrived, td_free_);
  cycle_t done;
  if (o.phases) {
    td_free_ = begin + o.phases;
    statistics_.td_busy_cycles += o.is_image ? std::max(o.phases, o.image->cost.texel_cycles) : o.phases;
    done = begin + parameters_.return_latency_cycles + o.phases - parameters_.phases_one;
  } else {
    done = begin + parameters_.acknowledge_cycles;
  }
  done += context_.chaos.extra(module_number_, o.number);
  done = std::max({done, last_response_, now() + 1});
  last_response_ = done;
  statistics_.latency_cycles += done - o.start;
  if (traced_) trace_return(o, done);
  payload& p = *o.p;
  idle_.push_back(&o);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  wave_port.respond(p, clock().at(done));
}

unsigned texture_unit::transport_dbg(unsigned, payload&) { return 0; } // wave transactions have no address: debuggers ask the L1 or L2

} // namespace lyra::texture
