// SPDX-License-Identifier: Apache-2.0
// Issue of memory instructions: scalar, vector, LDS, GDS, export.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::never;
using fabric::payload_pool;
using fabric::wave_pool;
using isa::memory_kind;

/// A counter that is full stalls issue until it has fallen to `limit - add`.
bool compute_unit::counter_full(wave& w, uint64_t cycle, unsigned vm_add, unsigned lgkm_add, unsigned exp_add) {
  const bool vm = w.vmcnt + vm_add > parameters_.vmcnt_limit, lgkm = w.lgkmcnt + lgkm_add > parameters_.lgkmcnt_limit, exp = w.expcnt + exp_add > parameters_.expcnt_limit;
  if (!vm && !lgkm && !exp) return false;
  w.wait_vm = vm ? parameters_.vmcnt_limit - vm_add : 63;
  w.wait_lgkm = lgkm ? parameters_.lgkmcnt_limit - lgkm_add : 63;
  w.wait_exp = exp ? parameters_.expcnt_limit - exp_add : 63;
  w.count_full = true;
  w.smem_waits_for = smem_wait::count_full;
  set_state(w, wave_state::waiting, cycle);
  set_cause(w, vm ? stall::vmcnt : lgkm ? (w.smem_outstanding ? stall::lgkm_scalar : stall::lgkm_lds) : stall::expcnt, cycle);
  ready(w) = never;
  wake_for_returns();
  return true;
}

bool compute_unit::port_busy(wave& w, port p, stall cause, uint64_t cycle) {
  port_waiters_[p] = true;
  return stalled(w, cause, cycle, never);
}

bool compute_unit::checked(wave& w, const micro_op& m, uint64_t cycle) {
  if (!w.guarding || parameters_.hazard_checker[0] == 's') return true;
  check_hazards(w, m, cycle);
  return w.state != wave_state::faulted;
}

bool compute_unit::issue_vector_memory(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  const bool flat = m.unit == unit::flat, from_lds = m.inst.info->memory == memory_kind::store_lds;
  if (refused(w, flat || from_lds ? claim::flat_slot : claim::vmem_slot, cycle, slots)) return false;
  if (w.lds_stores) return port_busy(w, vmem, stall::lds_busy, cycle);
  if (cycle < w.vmem_ready) return stalled(w, stall::vmem_busy, cycle, next_turn(w.simd, w.vmem_ready));
  if (refused(w, flat || from_lds ? claim::flat_port : claim::vmem_port, cycle, slots)) return false;
  flat_lanes halves;
  if (flat) {
    halves = split_flat(m, w);
    if (halves.lds && !lds_port.ready()) return port_busy(w, lds, stall::lds_busy, cycle);
  }
  if (from_lds && !lds_port.ready()) return port_busy(w, lds, stall::lds_busy, cycle);
  if (counter_full(w, cycle, 1, flat ? 1 : 0, 0)) return false;
  if (!checked(w, m, cycle)) return false;
  slots.vmem = true;
  if (flat || from_lds) slots.lds = true;
  flat ? ++statistics.flat : ++statistics.vmem;

  const bool late = late_store_data(m) && !halves.lds && overtakes_store_data(w, m);
  const auto send = [&](fabric::initiator_port& to, uint64_t lanes) {
    auto& p = take_request(*context_.waves, m, &to == &vmem_port ? wave_pool::results::over_inputs : wave_pool::results::apart);
    auto& q = wave_pool::of(p);
    fill_request(q, m, w, lanes);
    q.cu = uint16_t(index_);
    q.sequence = ++sequence_;
    q.wave_sequence = w.vm_issued;
    q.issue_ps = clock().at(cycle);
    q.op = &m;
    if (!late) { to.send(p, clock().at(cycle + 1)); return; }
    late_store_ = &p;
    late_wave_ = &w;
    vmem_queue_.push(&p);
  };
  issued(w, m, cycle, 4);
  w.regs.pc += m.inst.size_bytes;
  ++w.vmcnt;
  w.vmem_ready = cycle + parameters_.vmem_wave_cycles;
  if (flat) { ++w.lgkmcnt; ++w.lds_outstanding; }
  w.guard(m, true, flat);
  if (from_lds) ++w.lds_stores;
  if (m.inst.info->memory == memory_kind::cache) w.cache_maintenance = true;
  const uint64_t acting = begin_memory(w, m, cycle);
  halves.memory &= acting, halves.lds &= acting;
  send(from_lds ? lds_port : vmem_port, flat ? halves.memory : acting);
  ++w.vm_issued;
  if (flat) {
    if (halves.lds) send(lds_port, halves.lds);
    else add_local({cycle + 8, 0, local_event::lgkm_flat, &w, 1, &m}); // no lane leads to LDS: that half is done at once
  }
  end_memory(w);
  trace_counters(w, cycle);
  return true;
}

bool compute_unit::issue_lds(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  const bool global = m.unit == unit::gds;
  auto& to = global ? gds_port : lds_port;
  if (refused(w, global ? claim::gds : claim::lds, cycle, slots)) return false;
  if (counter_full(w, cycle, 0, 1, global ? 1 : 0)) return false;
  if (!checked(w, m, cycle)) return false;
  slots.lds = true;
  global ? ++statistics.gds : ++statistics.lds;
  auto& p = take_request(*context_.waves, m, wave_pool::results::apart);
  auto& q = wave_pool::of(p);
  issued(w, m, cycle, 4);
  fill_request(q, m, w, begin_memory(w, m, cycle));
  end_memory(w);
  q.cu = uint16_t(index_);
  q.sequence = ++sequence_;
  q.issue_ps = clock().at(cycle);
  q.op = &m;
  w.regs.pc += m.inst.size_bytes;
  ++w.lgkmcnt;
  ++w.lds_outstanding;
  if (global) { ++w.expcnt; add_local({cycle + 8, 0, local_event::exp_done, &w, 1, &m}); } // data has left the VGPRs
  w.guard(m, false, true);
  trace_counters(w, cycle);
  if (global) hold_lookahead(); // until its answer
  to.send(p, clock().at(cycle + 1));
  if (!global && !to.ready()) lds_refused_path_ = w.simd >> 1;
  return true;
}

bool compute_unit::issue_export(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  if (refused(w, claim::lds_slot, cycle, slots)) return false;
  if (m.inst.exp_target != 9) { // 9: null; everything else needs a graphics pipeline
    fault(w, "lyra/fault/export", fmt::format("export to target {}: a compute wave has no render target, position or parameter cache (only null, target 9)", m.inst.exp_target), cycle);
    return false;
  }
  if (counter_full(w, cycle, 0, 0, 1)) return false;
  if (!checked(w, m, cycle)) return false;
  slots.lds = true;
  ++statistics.exports;
  issued(w, m, cycle, 4);
  w.regs.pc += m.inst.size_bytes;
  ++w.expcnt;
  trace_counters(w, cycle);
  add_local({cycle + parameters_.export_cycles, 0, local_event::exp_done, &w, 1, &m});
  return true;
}

/// The transaction for part `k` of a scalar memory instruction (stores and atomics: with their data).
fabric::payload& compute_unit::make_smem_payload(const micro_op& m, const scalar_access& a, unsigned k, const alu::wave_registers& r, uint32_t wave_id) {
  const auto kind = m.inst.info->memory;
  fabric::payload* p = nullptr;
  switch (kind) {
    case memory_kind::load: p = &context_.lines->line(tlm::TLM_READ_COMMAND, a.parts[k].address, 4u * a.parts[k].count); break;
    case memory_kind::store:
      p = &context_.lines->line(tlm::TLM_WRITE_COMMAND, a.parts[k].address, 4u * a.parts[k].count);
      for (unsigned d = 0; d < a.parts[k].count; ++d) std::memcpy(p->get_data_ptr() + 4 * d, &r.sgpr[(a.sdata + a.parts[k].first + d) & 127], 4);
      break;
    case memory_kind::atomic: {
      p = &context_.lines->atomic(a.address & ~uint64_t(63));
      auto& x = payload_pool::atomic_of(*p);
      x.operation = m.inst.info->atomic;
      x.bytes = m.inst.info->memory_bytes;
      x.returns = m.returns;
      x.source = uint16_t(index_);
      x.wave = wave_id;
      x.count = 1;
      auto& e = x.entries[0];
      e.lane = 0;
      e.offset = uint8_t(a.address & 63);
      const auto value = [&](unsigned first) { return x.bytes == 8 ? uint64_t(r.sgpr[(a.sdata + first + 1) & 127]) << 32 | r.sgpr[(a.sdata + first) & 127] : uint64_t(r.sgpr[(a.sdata + first) & 127]); };
      e.operand = value(0);
      e.compare = x.operation == isa::atomic_operation::atomic_cmpswap ? value(x.bytes / 4) : 0;
      break;
    }
    default: {
      using fabric::cache_control;
      p = &context_.lines->line(tlm::TLM_IGNORE_COMMAND, a.address, 0);
      auto& c = payload_pool::policy(*p).control;
      switch (m.inst.op()) {
        case isa::op::s_dcache_inv: c = cache_control::invalidate; break;
        case isa::op::s_dcache_inv_vol: c = cache_control::invalidate_volatile; break;
        case isa::op::s_dcache_wb: c = cache_control::writeback; break;
        case isa::op::s_dcache_wb_vol: c = cache_control::writeback_volatile; break;
        case isa::op::s_dcache_discard: case isa::op::s_dcache_discard_x2: c = cache_control::discard; break;
        default: c = cache_control::probe; break;
      }
      break;
    }
  }
  auto& policy = payload_pool::policy(*p);
  policy.glc = m.inst.glc && kind != memory_kind::atomic;
  policy.nv = m.inst.nv;
  policy.source = uint16_t(index_);
  return *p;
}

/// Writes the registers that part `k` brings.
void compute_unit::take_smem_result(const micro_op& m, const scalar_access& a, unsigned k, const fabric::payload& p, alu::wave_registers& r) {
  const auto kind = m.inst.info->memory;
  if (kind == memory_kind::load) {
    for (unsigned d = 0; d < a.parts[k].count; ++d) std::memcpy(&r.sgpr[(a.sdata + a.parts[k].first + d) & 127], p.get_data_ptr() + 4 * d, 4);
  } else if (kind == memory_kind::atomic && m.returns) {
    const uint64_t v = fabric::payload_pool::find_atomic(p)->entries[0].result;
    r.sgpr[a.sdata & 127] = uint32_t(v);
    if (m.result_dwords == 2) r.sgpr[(a.sdata + 1) & 127] = uint32_t(v >> 32);
  }
}

bool compute_unit::issue_smem(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  auto& r = w.regs;
  const auto kind = m.inst.info->memory;
  if (refused(w, claim::smem_slot, cycle, slots)) return false;
  if (!scalar_inputs_ready(w, m, cycle)) return false;
  if (refused(w, claim::smem_port, cycle, slots)) return false;
  const unsigned dwords = kind == memory_kind::store ? m.inst.info->data_dwords : m.inst.info->result_dwords;
  const unsigned count = dwords > 1 ? 2 : 1;
  if (counter_full(w, cycle, 0, count, 0)) return false;
  if (!checked(w, m, cycle)) return false;
  smem_in_vain_ = false;
  if (clauses_ && !enter_clause(w, m, w.instructions, cycle)) return false;
  scalar_access a;
  if (kind != memory_kind::time && (kind != memory_kind::cache || m.inst.srsrc.present())) {
    a = scalar_address(m, r);
    if (negative_offset_faults(w, a, cycle)) return false;
    const bool prefetch = kind == memory_kind::cache;
    for (unsigned k = 0; k < a.part_count && a.executed && !prefetch; ++k) {
      const auto state = context_.space->state(a.parts[k].address);
      if (state == fabric::page_state::unmapped || (state == fabric::page_state::read_only && kind != memory_kind::load)) {
        fault(w, "lyra/fault/memory-violation",
              fmt::format("memory violation: scalar {} of {:#x}, which is {}", kind == memory_kind::load ? "load" : kind == memory_kind::store ? "store" : "atomic",
                          fabric::sign_extended(a.parts[k].address), state == fabric::page_state::unmapped ? "not mapped" : "read-only"), cycle, -1, a.parts[k].address);
        return false;
      }
    }
  }
  slots.scalar = true;
  ++statistics.smem;
  const unsigned cost = dwords >= 16 ? parameters_.smem_x16_issue_cycles : dwords >= 8 ? parameters_.smem_x8_issue_cycles : parameters_.smem_issue_cycles;
  issued(w, m, cycle, cost);
  r.pc += m.inst.size_bytes;
  if (!a.executed) return true; // SDST out of range: not executed
  w.lgkmcnt += count;
  ++w.smem_outstanding;
  if (!w.clause.nacked) w.guard(m, false, true);
  trace_counters(w, cycle);
  ++smem_in_flight_;
  trace_smem(smem_issue_signal_, w, cycle);
  if (smem_in_vain_) {
    add_local({cycle + 8, 0, local_event::lgkm_scalar, &w, count, &m});
    return true;
  }

  if (kind == memory_kind::time) {
    add_local({cycle + parameters_.memtime_cycles, 0, local_event::memtime, &w, count, &m});
    return true;
  }
  if (kind == memory_kind::load) // dwords outside the buffer read 0
    for (unsigned k = 0; k < a.dwords; ++k)
      if (!(a.present >> k & 1)) r.sgpr[(a.sdata + k) & 127] = 0;
  if (kind != memory_kind::cache && a.part_count == 0) {
    if (kind == memory_kind::atomic && m.returns) for (unsigned k = 0; k < m.result_dwords; ++k) r.sgpr[(a.sdata + k) & 127] = 0;
    add_local({cycle + 8, 0, local_event::lgkm_scalar, &w, count, &m});
    return true;
  }
  if (a.part_count > 1) ++statistics.smem_two_parts;

  int id = smem_free_;
  if (id < 0) { id = int(smem_operations_.size()); smem_operations_.emplace_back(); }
  else smem_free_ = smem_operations_[size_t(id)].next_free;
  const unsigned parts = kind == memory_kind::cache ? 1 : a.part_count;
  if (kind == memory_kind::cache) w.cache_maintenance = true;
  else if (context_.accesses)
    for (unsigned k = 0; k < parts; ++k) show_scalar_access(w, m, a.parts[k].address, kind == memory_kind::atomic ? m.inst.info->memory_bytes : 4u * a.parts[k].count, false);
  if (traced_) trace_smem(smem_issue_text_, w, m, uint64_t(id) << 8, false, cycle);
  smem_operations_[size_t(id)] = {&w, &m, a, uint8_t(parts), uint8_t(count), cycle, -1};
  for (unsigned k = 0; k < parts; ++k) {
    fabric::payload* p = &make_smem_payload(m, a, k, r, w.id);
    payload_pool::policy(*p).tag = uint64_t(id) << 8 | k;
    smem_queue_.push(p);
  }
  if (m.inst.op() == isa::op::s_dcache_discard_x2) { // two lines
    auto& p = context_.lines->line(tlm::TLM_IGNORE_COMMAND, fabric::canonical(a.address + 64), 0);
    payload_pool::policy(p).control = fabric::cache_control::discard;
    payload_pool::policy(p).tag = uint64_t(id) << 8 | 1;
    payload_pool::policy(p).source = uint16_t(index_);
    ++smem_operations_[size_t(id)].parts_left;
    smem_queue_.push(&p);
  }
  send_smem(cycle);
  return true;
}

void compute_unit::trace_smem(const observe::signal& pulse, const wave& w, uint64_t cycle) {
  smem_outstanding_signal_.set(clock().at(cycle), smem_in_flight_);
  if (!pulse) return;
  pulse.set(clock().at(cycle), w.simd * 10u + w.slot + 1);
  pulse.set(clock().at(cycle + 1), 0);
}

void compute_unit::send_smem(uint64_t cycle) {
  while (!smem_queue_.empty() && smem_port.ready()) {
    const uint64_t at = std::max(cycle + 1, smem_next_);
    fabric::payload& p = *smem_queue_.front();
    smem_queue_.pop();
    smem_next_ = clock().ceil(smem_port.send(p, clock().at(at))) + 1;
  }
}

bool compute_unit::negative_offset_faults(wave& w, const scalar_access& a, uint64_t cycle) {
  if (!a.negative_offset && (!a.negative_immediate || parameters_.negative_immediate)) return false;
  fault(w, "lyra/fault/scalar-address", "the sum of a scalar memory instruction's offsets is negative, which is illegal: add it to the base (s_add_u32, s_addc_u32) instead", cycle);
  return true;
}

} // namespace lyra::compute_unit
