// SPDX-License-Identifier: Apache-2.0
// Loosely timed execution: one thread, waves in turn, memory at once. Right results, rough time.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::payload_pool;
using fabric::wave_pool;
using isa::memory_kind;

uint64_t compute_unit::loose_cycle() const { return now() + *std::max_element(std::begin(loose_cycles_), std::end(loose_cycles_)); }

void compute_unit::loose_thread() {
  thread_ = sc_core::sc_get_current_process_handle();
  if (restarting_) {
    restarting_ = false;
    wait(loose_event_);
  }
  std::vector<wave*> turn_order;
  for (;;) {
    while (loose_launches_.empty() && waves_in_use_ == 0) wait(loose_event_);
    for (auto* p : loose_launches_) start_group(*p, now());
    loose_launches_.clear();
    bool progress = false, sleeping = false;
    const uint64_t accesses = context_.run ? context_.run->global_share_accesses : 0;
    turn_order.clear();
    for (unsigned s = 0; s < simds; ++s)
      for (const uint8_t slot : order_[s]) turn_order.push_back(&waves_[s * parameters_.wave_slots + slot]);
    for (wave* w : turn_order) {
      if (context_.run && context_.run->stopped()) break;
      if (w->state == wave_state::sleeping) {
        if (loose_cycle() < ready(*w)) { sleeping = true; continue; }
        set_state(*w, wave_state::running, loose_cycle());
      }
      if (w->state == wave_state::waiting) set_state(*w, wave_state::running, loose_cycle()); // asks the GDS again
      if (w->state != wave_state::running) continue;
      progress |= run_slice(*w) != 0;
      if (loose_cycle() - now() >= loose_quantum_cycles) synchronise();
    }
    if (context_.run && context_.run->stopped()) { synchronise(); wait(loose_event_); continue; }
    if (!progress && loose_launches_.empty()) {
      if (sleeping) { loose_cycles_[0] += loose_quantum_cycles; synchronise(); }
      else if (waves_in_use_) { // every wave waits for something that only others can bring
        synchronise();
        if (!context_.run) wait(loose_event_);
        else if (context_.run->global_share_accesses == accesses && loose_launches_.empty()) wait(loose_event_ | context_.run->global_share_event);
      }
    }
  }
}

void compute_unit::synchronise() {
  const uint64_t n = *std::max_element(std::begin(loose_cycles_), std::end(loose_cycles_));
  for (auto& c : loose_cycles_) c = 0;
  if (n) wait(fabric::to_sc_time(clock().at(n)));
}

code_block* compute_unit::loose_block(wave& w, uint64_t address, code_block* before) {
  if (before && before->next && before->next->address == address && before->next->epoch == code_.epoch) return before->next;
  const uint64_t a = fabric::canonical(address);
  if (context_.space->state(a) == fabric::page_state::unmapped) {
    w.pc_of_instruction = w.regs.pc;
    w.current = nullptr;
    fault(w, "lyra/fault/instruction-fetch", fmt::format("instruction fetch from unmapped memory at {:#x}", w.regs.pc), loose_cycle());
    return nullptr;
  }
  uint32_t words[8];
  if (const uint8_t* line = code_dmi_.line(a)) {
    std::memcpy(words, line + (a & 63), 32);
  } else {
    auto& p = context_.lines->line(tlm::TLM_READ_COMMAND, a, 32);
    sc_core::sc_time t;
    fetch_port.socket->b_transport(p, t);
    std::memcpy(words, p.get_data_ptr(), 32);
    p.release();
  }
  code_block& b = code_.block(address, words);
  b.epoch = code_.epoch;
  if (before && before->address + 32 == address) before->next = &b;
  return &b;
}

unsigned compute_unit::run_slice(wave& w) {
  auto& r = w.regs;
  code_block* block = nullptr;
  unsigned n = 0;
  uint64_t& cycles = loose_cycles_[w.simd];
  const bool check = parameters_.hazard_checker[0] != 's';
  while (n < parameters_.lt_slice_instructions || late_store_) {
    const uint64_t address = r.pc & ~uint64_t(31);
    if (!block || block->address != address) {
      block = loose_block(w, address, block);
      if (!block) return n;
    }
    const unsigned index = unsigned(r.pc >> 2) & 7;
    uint32_t second = 0;
    if (index == 7 && has_second_word(block->words[7])) {
      code_block* next = loose_block(w, address + 32, block);
      if (!next) return n;
      second = next->words[0];
    }
    const micro_op& m = code_.op(*block, index, second);
    if (watching_) {
      if (clauses_ && w.clause.nacked) {
        if (m.unit != unit::smem) { // the clause again
          w.clause.go_back();
          ++statistics.smem_replays;
          r.pc = w.clause.first_pc;
          continue;
        }
      } else if (const detour d = detour_of(w); d != detour::none) {
        if (late_store_) loose_late_store(w);
        if (d == detour::halt) { set_state(w, wave_state::halted, loose_cycle()); return n; }
        enter_trap_handler(w, r.pc, 0, 0);
        cycles += parameters_.branch_taken_cycles;
        continue;
      }
    }
    w.current = &m;
    w.pc_of_instruction = r.pc;
    ++n;
    ++statistics.instructions;
    ++w.instructions;
    if (m.profile) { ++m.profile->executions; m.profile->lanes += unsigned(__builtin_popcountll(r.exec())); }
    if (check && w.guarding && m.unit != unit::internal && !(m.vector && (r.mode >> alu::mode_bit::vskip & 1))) {
      check_hazards(w, m, loose_cycle());
      if (w.state == wave_state::faulted) return n;
    }
    const bool skip = skipped(w, m);
    if (follow_wait_states_ && m.unit != unit::illegal) {
      follow_wait_states(w, m, loose_cycle());
      if (w.state == wave_state::faulted) return n;
    }
    if (skip) { ++statistics.vskipped; r.pc += m.inst.size_bytes; continue; }
    switch (m.unit) {
      case unit::valu:
        ++statistics.valu;
        statistics.valu_lanes += unsigned(__builtin_popcountll(r.exec()));
        cycles += valu_cycles(m);
        r.pc += m.inst.size_bytes;
        if (!execute(w, m, loose_cycle())) return n;
        if (late_store_) loose_late_store(w);
        break;
      case unit::salu:
        ++statistics.salu;
        cycles += parameters_.salu_cycles;
        if (m.inst.info->id == isa::op::s_getreg_b32) { trapsts_read(w, m, loose_cycle()); r.ib_sts = 0; }
        r.pc += m.inst.size_bytes;
        if (!execute(w, m, loose_cycle())) return n;
        if (m.cost == alu::cost_class::scalar_setreg) mode_written(w);
        follow_indexing(w);
        break;
      case unit::branch: {
        ++statistics.branch;
        const uint64_t next = r.pc += m.inst.size_bytes;
        if (!execute(w, m, loose_cycle())) return n;
        if (r.pc != next) {
          ++statistics.branch_taken;
          cycles += parameters_.branch_taken_cycles;
          if (!jump_checked(w, loose_cycle())) return n;
        } else {
          cycles += parameters_.branch_cycles;
        }
        break;
      }
      case unit::smem: loose_smem(w, m); break;
      case unit::vmem: case unit::flat: case unit::lds: case unit::gds:
        loose_memory(w, m);
        if (w.state == wave_state::waiting) return n - 1;
        break;
      case unit::exports:
        if (m.inst.exp_target != 9) { fault(w, "lyra/fault/export", fmt::format("export to target {}: a compute wave has no render target, position or parameter cache (only null, target 9)", m.inst.exp_target), loose_cycle()); return n; }
        ++statistics.exports;
        r.pc += m.inst.size_bytes;
        break;
      case unit::message: case unit::internal:
        if (!loose_control(w, m)) return n;
        break;
      case unit::illegal:
        if (!take_illegal(w, m, loose_cycle())) return n;
        break;
    }
    if (w.state != wave_state::running) return n;
  }
  return n;
}

bool compute_unit::loose_control(wave& w, const micro_op& m) {
  auto& r = w.regs;
  const uint32_t simm = uint32_t(m.inst.simm16) & 0xffff;
  m.unit == unit::message ? ++statistics.message : ++statistics.internal;
  loose_cycles_[w.simd] += 4;
  r.pc += 4;
  switch (m.control) {
    case control::waitcnt:
      w.waited((simm & 15) | (simm >> 14 & 3) << 4, simm >> 8 & 15);
      return true;
    case control::nop: loose_cycles_[w.simd] += 4 * (simm & 7); return true;
    case control::sleep:
      if (simm & 0x7f) { set_state(w, wave_state::sleeping, loose_cycle()); ready(w) = loose_cycle() + (simm & 0x7f) * parameters_.sleep_unit_cycles; return false; }
      return true;
    case control::wakeup:
      for (auto& o : waves_) if (o.group == w.group && o.state == wave_state::sleeping) ready(o) = 0;
      return true;
    case control::barrier: {
      workgroup& g = *w.group;
      if (g.waves == 1) return true;
      ++g.arrived;
      groups_signals_set(g, loose_cycle());
      set_state(w, wave_state::barrier, loose_cycle());
      if (g.arrived + g.gone == g.waves) release_barrier(g, loose_cycle());
      return false;
    }
    case control::endpgm: end_wave(w, loose_cycle()); return false;
    case control::sethalt: case control::sendmsg:
      if (m.control == control::sethalt ? simm & 1 : m.inst.op() == isa::op::s_sendmsghalt) {
        r.halted = true;
        if (r.priv) return true; // the trap handler goes on
        set_state(w, wave_state::halted, loose_cycle());
        return false;
      }
      if (m.control == control::sethalt) r.halted = false;
      return true;
    case control::setprio: r.priority = simm & 3; sort_waves(w.simd); return true;
    case control::trap:
      return take_trap(w, m, loose_cycle());
    case control::setkill:
      if (!(simm & 1)) return true;
      end_wave(w, loose_cycle());
      return false;
    case control::icache_inv: ++code_.epoch; return true;
    default: return true;
  }
}

void compute_unit::loose_memory(wave& w, const micro_op& m) {
  const bool flat = m.unit == unit::flat, ds = m.unit == unit::lds, gds = m.unit == unit::gds;
  if (ds) ++statistics.lds; else if (gds) ++statistics.gds; else if (flat) ++statistics.flat; else ++statistics.vmem;
  sc_core::sc_time delay;
  bool must_wait = false;
  const uint64_t acting = begin_memory(w, m, loose_cycle());
  flat_lanes halves = flat ? split_flat(m, w) : flat_lanes{};
  halves.memory &= acting, halves.lds &= acting;
  const bool late = late_store_data(m) && acting && !halves.lds && overtakes_store_data(w, m);
  const auto run = [&](fabric::initiator_port& to, uint64_t lanes) {
    if (!lanes && !gds && m.inst.info->memory != memory_kind::cache) return true; // nothing to do: EXEC is 0
    auto& p = context_.waves->take();
    auto& q = wave_pool::of(p);
    fill_request(q, m, w, lanes);
    q.cu = uint16_t(index_);
    q.sequence = ++sequence_;
    q.op = &m;
    if (late) { late_store_ = &p; return true; }
    if (m.inst.info->memory == memory_kind::store_lds) {
      lds_port.socket->b_transport(p, delay);
      take_lds_data(q);
    }
    to.socket->b_transport(p, delay);
    if (gds && p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) { must_wait = true; p.release(); return false; }
    if (p.get_response_status() != tlm::TLM_OK_RESPONSE && q.fault == fabric::fault_kind::none) { q.fault = fabric::fault_kind::unsupported; q.fault_text = "the block answered with a TLM error response"; }
    bool goes_on = true;
    if (q.fault != fabric::fault_kind::none) {
      goes_on = raise_violation(w, m, q, loose_cycle());
      if (!goes_on) fault_vector(w, q, loose_cycle());
    } else if (q.result_to_lds && to.index() == vmem) {
      lds_port.socket->b_transport(p, delay);
    } else if (q.result_dwords && m.returns) {
      write_results(q, w, parameters_.d16_preserve);
    }
    p.release();
    return goes_on;
  };
  if (flat) {
    if (run(vmem_port, halves.memory) && halves.lds) run(lds_port, halves.lds);
  } else {
    run(ds ? lds_port : gds ? gds_port : vmem_port, acting);
  }
  end_memory(w);
  if (must_wait) { // the wave stays at the instruction; others go on
    if (m.profile) { --m.profile->executions; m.profile->lanes -= unsigned(__builtin_popcountll(w.regs.exec())); }
    --statistics.gds;
    --statistics.instructions;
    --w.instructions;
    set_state(w, wave_state::waiting, loose_cycle());
    set_cause(w, stall::lgkm_lds, loose_cycle());
    return;
  }
  w.regs.pc += m.inst.size_bytes;
  w.guard(m, !(ds || gds), flat || ds || gds);
  if (gds && context_.run) { // waves of other compute units may have waited for this
    ++context_.run->global_share_accesses;
    context_.run->global_share_event.notify(sc_core::SC_ZERO_TIME);
  }
  loose_cycles_[w.simd] += 4 + clock().ceil(delay.value()) / (order_[w.simd].size() + 1);
}

/// A wide store whose data beyond the second dword the instruction behind it, now executed, has overwritten.
void compute_unit::loose_late_store(wave& w) {
  fabric::payload& p = *late_store_;
  auto& q = wave_pool::of(p);
  late_store_ = nullptr;
  w.current = static_cast<const micro_op*>(q.op);
  w.pc_of_instruction = q.pc;
  take_late_data(q, *w.current, w);
  sc_core::sc_time delay;
  vmem_port.socket->b_transport(p, delay);
  if (q.fault != fabric::fault_kind::none) {
    if (!raise_violation(w, *w.current, q, loose_cycle())) fault_vector(w, q, loose_cycle());
  } else if (q.result_dwords && w.current->returns) write_results(q, w, parameters_.d16_preserve);
  p.release();
}

/// Tells the context's observer which bytes a scalar memory instruction touches.
void compute_unit::show_scalar_access(const wave& w, const micro_op& m, uint64_t address, unsigned bytes, bool returned) {
  using observer = fabric::access_observer;
  auto& p = context_.waves->take();
  auto& q = wave_pool::of(p);
  q.begin(&m.inst, 1);
  q.pc = m.pc;
  q.wave_id = w.id;
  q.cu = uint16_t(index_);
  q.dispatch = w.packet->id;
  q.workgroup = uint32_t(w.group->info->group_number);
  const auto kind = m.inst.info->memory == memory_kind::load ? observer::kind::load : m.inst.info->memory == memory_kind::store ? observer::kind::store : observer::kind::atomic;
  if (!returned) context_.accesses->accessed(q, observer::memory::global, kind, 1, &address, bytes);
  else context_.accesses->returned(q, observer::memory::global, kind, 1, &address);
  p.release();
}

void compute_unit::loose_smem(wave& w, const micro_op& m) {
  auto& r = w.regs;
  const auto kind = m.inst.info->memory;
  if (clauses_ && !enter_clause(w, m, w.instructions - 1, loose_cycle())) return;
  const bool in_vain = w.clause.nacked && smem_in_vain_;
  ++statistics.smem;
  loose_cycles_[w.simd] += 8;
  if (kind == memory_kind::time) {
    r.pc += m.inst.size_bytes;
    if (!w.clause.nacked) w.guard(m, false, true);
    const uint64_t c = loose_cycle(), v = m.inst.op() == isa::op::s_memtime ? c : clock().at(c) / 10000;
    r.write64(m.inst.vdata.code & 126, v);
    return;
  }
  sc_core::sc_time delay;
  if (kind == memory_kind::cache) { // nothing is cached: done when it is issued
    r.pc += m.inst.size_bytes;
    return;
  }
  const scalar_access a = scalar_address(m, r);
  if (negative_offset_faults(w, a, loose_cycle())) return;
  if (!a.executed) { r.pc += m.inst.size_bytes; return; }
  for (unsigned k = 0; k < a.part_count; ++k) {
    const auto state = context_.space->state(a.parts[k].address);
    if (state == fabric::page_state::unmapped || (state == fabric::page_state::read_only && kind != memory_kind::load)) {
      fault(w, "lyra/fault/memory-violation",
            fmt::format("memory violation: scalar {} of {:#x}, which is {}", kind == memory_kind::load ? "load" : kind == memory_kind::store ? "store" : "atomic",
                        fabric::sign_extended(a.parts[k].address), state == fabric::page_state::unmapped ? "not mapped" : "read-only"), loose_cycle(), -1, a.parts[k].address);
      return;
    }
  }
  r.pc += m.inst.size_bytes;
  if (in_vain) return;
  if (!w.clause.nacked) w.guard(m, false, true);
  if (kind == memory_kind::load) for (unsigned k = 0; k < a.dwords; ++k) if (!(a.present >> k & 1)) r.sgpr[(a.sdata + k) & 127] = 0;
  if (kind == memory_kind::atomic && m.returns && a.part_count == 0) for (unsigned k = 0; k < m.result_dwords; ++k) r.sgpr[(a.sdata + k) & 127] = 0;
  for (unsigned k = 0; k < a.part_count; ++k) {
    const auto& part = a.parts[k];
    if (context_.accesses) show_scalar_access(w, m, part.address, kind == memory_kind::atomic ? m.inst.info->memory_bytes : 4u * part.count, false);
    uint8_t* line = kind == memory_kind::atomic ? nullptr : smem_dmi_.line(part.address);
    if (line) {
      uint8_t* at = line + (part.address & 63);
      for (unsigned d = 0; d < part.count; ++d) {
        uint32_t& s = r.sgpr[(a.sdata + part.first + d) & 127];
        if (kind == memory_kind::load) std::memcpy(&s, at + 4 * d, 4);
        else std::memcpy(at + 4 * d, &s, 4);
      }
      continue;
    }
    fabric::payload& p = make_smem_payload(m, a, k, r, w.id);
    smem_port.socket->b_transport(p, delay);
    if (p.get_response_status() != tlm::TLM_OK_RESPONSE) fault(w, "lyra/fault/memory-violation", fmt::format("memory violation: scalar access of {:#x} was answered with an error", fabric::sign_extended(part.address)), loose_cycle(), -1, part.address);
    else take_smem_result(m, a, k, p, r);
    p.release();
  }
}

} // namespace lyra::compute_unit
