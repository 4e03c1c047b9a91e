// SPDX-License-Identifier: Apache-2.0
// Returns: registers are written and counters fall when the data is there.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::never;
using fabric::payload_pool;
using fabric::wave_pool;
using isa::memory_kind;

namespace {
struct later { template <class E> bool operator()(const E& a, const E& b) const { return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence; } };
} // namespace

std::string compute_unit::fault_text(const fabric::wave_request& q) {
  using fabric::fault_kind;
  const char* what = "";
  switch (q.fault) {
    case fault_kind::unmapped: what = "is not mapped"; break;
    case fault_kind::write_protected: what = "is read-only"; break;
    case fault_kind::misaligned: what = "is misaligned"; break;
    case fault_kind::bad_descriptor: what = "goes through a resource descriptor that the instruction cannot use"; break;
    case fault_kind::unsupported: what = "uses a feature that is not modelled"; break;
    case fault_kind::lds_range: what = "lies outside the LDS"; break;
    case fault_kind::none: break;
  }
  return fmt::format("memory violation: lane {} accesses {:#x}, which {}{}", q.fault_lane, fabric::sign_extended(q.fault_address), what,
                     q.fault_text && *q.fault_text ? fmt::format(": {}", q.fault_text) : std::string());
}

void compute_unit::on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) {
  if (port == gds) release_lookahead();
  const pending_return e{at, &p, clock().ceil(at), due_with(port, p)};
  returns_[port].push(e);
  const uint64_t c = return_cycle(e);
  if (c < return_wake_) { return_wake_ = c; wake_at(c); }
}

/// When a queued return must be applied at the latest: at once for fetches, faults and data for LDS; at its wave's turn where the wave
/// waits; otherwise it can wait for the unit's next wake.
uint8_t compute_unit::due_with(unsigned port, const fabric::payload& p) const {
  if (port == fetch) return at_once;
  if (port == smem) return uint8_t(smem_operations_[size_t(payload_pool::find_policy(p)->tag >> 8)].w - waves_.data());
  const auto& q = wave_pool::of(const_cast<fabric::payload&>(p));
  if (q.result_to_lds || (port == lds && q.inst->info->memory == memory_kind::store_lds) || q.fault != fabric::fault_kind::none) return at_once;
  return uint8_t(q.simd * parameters_.wave_slots + q.slot);
}

void compute_unit::find_return_wake(uint64_t cycle) {
  uint64_t first = never;
  for (const auto& queue : returns_) // each in order of time
    for (size_t k = 0; k < queue.size() && std::max(queue[k].cycle, cycle + 1) < first; ++k) first = std::min(first, std::max(return_cycle(queue[k]), cycle + 1));
  return_wake_ = first;
}

void compute_unit::on_ready(unsigned port, fabric::picoseconds at) {
  const uint64_t c = std::max(clock().ceil(at), now() + 1);
  if (port == fetch || port == smem || port == lds || (port == vmem && !vmem_queue_.empty())) wake_at(c);
  if (port == lds) lds_refused_until_ = c + 4; // the path that was full is full again: the other one's SIMDs have a turn each
  if (!port_waiters_[port]) return;
  port_waiters_[port] = false;
  for (unsigned s = 0; s < simds; ++s)
    for (const uint8_t slot : order_[s]) {
      const stall waits_for = boards_[s].cause[slot];
      if (boards_[s].ready[slot] == never && (waits_for == stall::vmem_busy || waits_for == stall::lds_busy || waits_for == stall::smem_busy)) consider(s, slot, c);
    }
}

/// After a wave has begun to wait. What is due by now is applied in this wake, which looks again at its end.
void compute_unit::wake_for_returns() {
  const uint64_t cycle = now();
  find_return_wake(cycle);
  if (return_wake_ != never) wake_at(return_wake_);
}

void compute_unit::add_local(local_event e) {
  e.sequence = ++sequence_;
  local_.push_back(e);
  std::push_heap(local_.begin(), local_.end(), later{});
  wake_at(e.cycle);
}

void compute_unit::apply_returns(uint64_t cycle) {
  const fabric::picoseconds until = clock().at(cycle);
  for (;;) { // in order of time over all paths
    unsigned best = port_count;
    fabric::picoseconds at = until + 1;
    for (unsigned port = 0; port < port_count; ++port)
      if (!returns_[port].empty() && returns_[port].front().at < at) { at = returns_[port].front().at; best = port; }
    const bool local = !local_.empty() && local_.front().cycle <= cycle && clock().at(local_.front().cycle) < at;
    if (local) {
      std::pop_heap(local_.begin(), local_.end(), later{});
      const local_event e = local_.back();
      local_.pop_back();
      apply_local(e);
      continue;
    }
    if (best == port_count) return;
    fabric::payload& p = *returns_[best].front().p;
    const uint64_t c = returns_[best].front().cycle;
    returns_[best].pop();
    switch (best) {
      case fetch: apply_fetch(p, c); break;
      case smem: apply_smem(p, c); break;
      default: apply_vector(p, c, best); break;
    }
  }
}

void compute_unit::counters_changed(wave& w, uint64_t cycle) {
  trace_counters(w, cycle);
  if (w.state == wave_state::waiting) {
    if (wait_met(w)) {
      if (w.barrier_wait != barrier_kind::none) {
        (w.barrier_wait == barrier_kind::group_memory ? statistics.group_memory_barrier : statistics.device_memory_barrier) += cycle - w.barrier_wait_since;
        w.barrier_wait = barrier_kind::none;
      }
      set_state(w, wave_state::running, cycle);
      consider(w, cycle);
      set_cause(w, stall::dependency, cycle); // until its turn
    } else {
      const stall c = w.vmcnt > w.wait_vm ? stall::vmcnt : w.lgkmcnt > w.wait_lgkm ? (w.smem_outstanding || w.message_outstanding || !w.lds_outstanding ? stall::lgkm_scalar : stall::lgkm_lds) : stall::expcnt;
      set_cause(w, c, cycle);
      wake_for_returns();
    }
  } else if (w.state == wave_state::draining) {
    finish_if_drained(w, cycle);
    if (w.state == wave_state::draining) wake_for_returns();
  }
}

void compute_unit::vm_completed(wave& w, uint32_t sequence) {
  w.vm_done |= uint64_t(1) << (sequence & 63);
  while (w.vm_retired != w.vm_issued && (w.vm_done >> (w.vm_retired & 63) & 1)) { // strictly in issue order
    w.vm_done &= ~(uint64_t(1) << (w.vm_retired & 63));
    ++w.vm_retired;
    --w.vmcnt;
  }
}

void compute_unit::apply_vector(fabric::payload& p, uint64_t cycle, unsigned port) {
  auto& q = wave_pool::of(p);
  wave& w = waves_[q.simd * parameters_.wave_slots + q.slot];
  const micro_op& m = *static_cast<const micro_op*>(q.op);
  if (p.get_response_status() != tlm::TLM_OK_RESPONSE && q.fault == fabric::fault_kind::none) {
    q.fault = fabric::fault_kind::unsupported;
    q.fault_text = "the block answered with a TLM error response";
  }
  const bool store_from_lds = port == lds && m.inst.info->memory == memory_kind::store_lds;
  const bool violation = q.fault != fabric::fault_kind::none;
  if (violation && !raise_violation(w, m, q, cycle)) {
    w.current = &m;
    w.pc_of_instruction = m.pc;
    fault_vector(w, q, cycle);
    p.release();
    return;
  }
  if (violation && store_from_lds) --w.lds_stores;
  if (port == vmem && q.result_to_lds && !violation) { // data goes on to LDS; vmcnt falls after that
    q.simd = w.simd;
    lds_queue_.push(&p);
    send_lds_queue(cycle);
    return;
  }
  if (store_from_lds && !violation) { // the data are here: now it is a store
    take_lds_data(q);
    vmem_queue_.push(&p);
    --w.lds_stores;
    send_vmem_queue(cycle);
    return;
  }
  if (m.profile) {
    m.profile->returned(cycle - clock().ceil(q.issue_ps));
    m.profile->lines += q.lines;
    m.profile->hits += q.hits;
  }
  if (observer) observer->returned(index_, w, m, clock().ceil(q.issue_ps), cycle);
  if (traced_) trace_return(w, m, clock().ceil(q.issue_ps), cycle);
  if (q.result_dwords && m.returns && !violation) write_results(q, w, parameters_.d16_preserve);
  const bool vm = port == vmem || store_from_lds || (q.result_to_lds && m.unit != unit::lds);
  if (vm) vm_completed(w, q.wave_sequence);
  else { --w.lgkmcnt; --w.lds_outstanding; }
  p.release();
  counters_changed(w, cycle);
}

void compute_unit::fault_vector(wave& w, const fabric::wave_request& q, uint64_t cycle) {
  const bool violation = q.fault == fabric::fault_kind::unmapped || q.fault == fabric::fault_kind::write_protected;
  fault(w, violation ? "lyra/fault/memory-violation" : "lyra/fault/vector-memory", fault_text(q), cycle, q.fault_lane, q.fault_address);
}

void compute_unit::send_lds_queue(uint64_t cycle) {
  while (!lds_queue_.empty() && lds_port.ready()) {
    fabric::payload& p = *lds_queue_.front();
    lds_queue_.pop();
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    lds_port.send(p, clock().at(cycle + 1));
  }
}

void compute_unit::send_vmem_queue(uint64_t cycle) {
  while (!vmem_queue_.empty() && vmem_port.ready() && vmem_queue_.front() != late_store_) {
    fabric::payload& p = *vmem_queue_.front();
    vmem_queue_.pop();
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    vmem_port.send(p, clock().at(cycle + 1));
  }
  if (vmem_queue_.empty() && vmem_port.ready()) on_ready(vmem, vmem_port.free_at()); // waves behind it
}

void compute_unit::apply_smem(fabric::payload& p, uint64_t cycle) {
  const uint64_t tag = payload_pool::policy(p).tag;
  const size_t id = size_t(tag >> 8);
  auto& o = smem_operations_[id];
  wave& w = *o.w;
  const micro_op& m = *o.m;
  if (p.get_response_status() != tlm::TLM_OK_RESPONSE) {
    w.current = &m;
    w.pc_of_instruction = m.pc;
    fault(w, "lyra/fault/memory-violation", fmt::format("memory violation: scalar access of {:#x} was answered with an error", fabric::sign_extended(p.get_address())), cycle, -1, p.get_address());
    p.release();
    return;
  }
  take_smem_result(m, o.access, unsigned(tag & 0xff), p, w.regs);
  if (!w.count_full) w.smem_waits_for = m.inst.info->memory != memory_kind::load ? smem_wait::acknowledge : payload_pool::policy(p).hit ? smem_wait::hit : smem_wait::miss;
  smem_return_tag_signal_.set(clock().at(cycle), tag);
  if (m.profile) {
    ++m.profile->lines;
    m.profile->hits += payload_pool::policy(p).hit;
  }
  p.release();
  --o.parts_left;
  if (context_.accesses && m.inst.info->memory != memory_kind::cache) show_scalar_access(w, m, o.access.parts[tag & 0xff].address, 0, true);
  if (traced_) {
    trace_smem(smem_return_text_, w, m, tag, o.access.part_count > 1, cycle);
    trace_return(w, m, o.issue_cycle, cycle);
  }
  unsigned fall = 0;
  if (parameters_.smem_count_return == "per_part" && o.count == 2 && o.access.part_count == 2) fall = 1;
  else if (o.parts_left == 0) fall = o.count;
  w.lgkmcnt -= fall;
  if (o.parts_left == 0) {
    --smem_in_flight_;
    --w.smem_outstanding;
    if (m.profile) m.profile->returned(cycle - o.issue_cycle);
    if (observer) observer->returned(index_, w, m, o.issue_cycle, cycle);
    o.next_free = smem_free_;
    smem_free_ = int(id);
  }
  trace_smem(smem_return_signal_, w, cycle);
  counters_changed(w, cycle);
}

void compute_unit::apply_fetch(fabric::payload& p, uint64_t cycle) {
  const uint64_t tag = payload_pool::policy(p).tag;
  if (tag != never) {
    wave& w = waves_[size_t(tag >> 32)];
    if (w.ib.generation == uint32_t(tag)) {
      uint32_t words[8];
      std::memcpy(words, p.get_data_ptr(), 32);
      const uint64_t k = fabric::canonical(p.get_address() - w.ib.base) >> 5;
      // blocks may have been dropped from the front while the fetch was under way
      if (k < w.ib.count) w.ib.block[k] = &code_.block(w.ib.base + 32 * k, words);
      if (w.state == wave_state::running && cause(w) == stall::fetch && ready(w) == never) consider(w, cycle);
      else if (w.state == wave_state::running && cause(w) == stall::not_started && ready(w) == never) consider(w, cycle);
    }
  }
  p.release();
}

/// A scalar memory instruction that no cache had a part in.
void compute_unit::scalar_completed(const local_event& e, smem_wait kind) {
  wave& w = *e.w;
  w.lgkmcnt -= e.value;
  --w.smem_outstanding;
  --smem_in_flight_;
  if (!w.count_full) w.smem_waits_for = kind;
  trace_smem(smem_return_signal_, w, e.cycle);
}

void compute_unit::apply_local(const local_event& e) {
  wave& w = *e.w;
  switch (e.what) {
    case local_event::lgkm_message: --w.lgkmcnt; --w.message_outstanding; if (!w.count_full) w.smem_waits_for = smem_wait::clock; break;
    case local_event::lgkm_flat: --w.lgkmcnt; --w.lds_outstanding; break;
    case local_event::lgkm_scalar: scalar_completed(e, smem_wait::acknowledge); break;
    case local_event::exp_done: --w.expcnt; break;
    case local_event::memtime: {
      if (e.m->profile) e.m->profile->returned(parameters_.memtime_cycles);
      const uint64_t v = e.m->inst.op() == isa::op::s_memtime ? e.cycle : clock().at(e.cycle) / 10000;
      const unsigned s = e.m->inst.vdata.code;
      w.regs.sgpr[s & 127] = uint32_t(v);
      w.regs.sgpr[(s + 1) & 127] = uint32_t(v >> 32);
      scalar_completed(e, smem_wait::clock);
      break;
    }
  }
  counters_changed(w, e.cycle);
}

} // namespace lyra::compute_unit
