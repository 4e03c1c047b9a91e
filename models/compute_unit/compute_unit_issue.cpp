// SPDX-License-Identifier: Apache-2.0
// A SIMD's turn: which waves issue what; instruction fetch.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::never;
using fabric::payload_pool;

void compute_unit::turn(unsigned simd, uint64_t cycle) {
  issue_slots slots;
  uint64_t next = never;
  const auto& order = order_[simd];
  const turn_board& board = boards_[simd];
  uint8_t candidates[max_slots];
  unsigned n = 0;
  for (const uint8_t slot : order) {
    if (board.ready[slot] <= cycle) candidates[n++] = slot;
    else next = std::min(next, board.ready[slot]);
  }
  if (context_.chaos.on() && n > 1) std::rotate(candidates, candidates + context_.chaos.pick(index_ * 5 + simd, cycle, n, 0), candidates + n);
  for (unsigned k = 0; k < n; ++k) {
    if (!watching_ && !stale_ && refused(simd, candidates[k], board.wants[candidates[k]], cycle, slots)) {
      next = std::min(next, board.ready[candidates[k]]);
      continue;
    }
    wave& w = waves_[simd * parameters_.wave_slots + candidates[k]];
    try_issue(w, cycle, slots);
    if (w.state == wave_state::running || w.state == wave_state::sleeping) next = std::min(next, ready(w));
  }
  simd_next_[simd] = next == never ? never : next_turn(simd, std::max(next, cycle + 1));
  if (issue_signal_) {
    issue_signal_.set(clock().at(cycle), unsigned(slots.valu) | slots.scalar << 1 | slots.vmem << 2 | slots.lds << 3 | slots.branch << 4 | simd << 5);
    issue_signal_.set(clock().at(cycle + 1), 0);
  }
}

bool compute_unit::stalled(wave& w, stall cause, uint64_t cycle, uint64_t retry) {
  set_cause(w, cause, cycle);
  ready(w) = retry;
  return false;
}

/// Whether slots or ports stand in the way of an instruction: then its cause and next time are put down, and turns ask here again without a look at the wave.
bool compute_unit::refused(unsigned simd, unsigned slot, claim wants, uint64_t cycle, const issue_slots& slots) {
  turn_board& board = boards_[simd];
  const auto until = [&](uint64_t retry, stall cause) {
    if (board.cause[slot] != cause) set_cause(simd, slot, cause, cycle);
    board.ready[slot] = retry;
    board.wants[slot] = wants;
    return true;
  };
  const auto lost = [&] { return until(cycle + 4, stall::arbitration); };
  const auto port_taken = [&](enum port p, stall cause) {
    port_waiters_[p] = true;
    return until(never, cause);
  };
  const auto free_from = [&](const fabric::initiator_port& p) { return clock().ceil(p.free_at()); };
  switch (wants) {
    case claim::unknown: return false;
    case claim::valu:
      if (slots.valu) return lost();
      return valu_free_[simd] > cycle && until(next_turn(simd, valu_free_[simd]), stall::valu_busy);
    case claim::salu: case claim::smem_slot: return slots.scalar && lost();
    case claim::branch: return slots.branch && lost();
    case claim::lds_slot: return slots.lds && lost();
    case claim::vmem_slot: return slots.vmem && lost();
    case claim::flat_slot: return (slots.vmem || slots.lds) && lost();
    case claim::smem_port:
      if (slots.scalar) return lost();
      return (!smem_port.ready() || !smem_queue_.empty()) && port_taken(smem, stall::smem_busy);
    case claim::vmem_port: case claim::flat_port:
      if (slots.vmem || (wants == claim::flat_port && slots.lds)) return lost();
      if (!vmem_port.ready() || !vmem_queue_.empty()) return port_taken(vmem, stall::vmem_busy);
      return free_from(vmem_port) > cycle + 1 && until(next_turn(simd, free_from(vmem_port)), stall::vmem_busy);
    case claim::lds: case claim::gds: {
      const bool global = wants == claim::gds;
      const auto& to = global ? gds_port : lds_port;
      if (slots.lds) return lost();
      if (!to.ready()) return port_taken(global ? gds : lds, stall::lds_busy);
      if (free_from(to) > cycle + 1) return until(next_turn(simd, free_from(to)), stall::lds_busy);
      return !global && cycle < lds_refused_until_ && simd >> 1 == lds_refused_path_ && until(next_turn(simd, lds_refused_until_), stall::lds_busy);
    }
  }
  return false;
}

void compute_unit::issued(wave& w, const micro_op& m, uint64_t cycle, unsigned cycles) {
  set_cause(w, stall::issuing, cycle);
  w.current = &m;
  ++statistics.instructions;
  ++w.instructions;
  ready(w) = cycle + std::max(4u, cycles);
  if (traced_) trace_issue(w, m, cycle);
  if (m.profile) {
    ++m.profile->executions;
    m.profile->lanes += unsigned(__builtin_popcountll(w.regs.exec()));
  }
  if (follow_wait_states_) follow_wait_states(w, m, cycle);
  if (observer) observer->issued(index_, w, m, cycle);
}

const micro_op* compute_unit::next_instruction(wave& w) {
  w.ib.advance(w.regs.pc);
  return peek(w, w.regs.pc);
}

/// The instruction at `pc`, or null where the buffer does not hold it.
const micro_op* compute_unit::peek(const wave& w, uint64_t pc) {
  const uint64_t k = ((pc & ~uint64_t(31)) - w.ib.base) >> 5;
  code_block* b = k < 8 ? w.ib.block[k] : nullptr;
  if (!b || b == &fetch_fault_block_) return nullptr;
  const unsigned index = unsigned(pc >> 2) & 7;
  uint32_t second = 0;
  if (index == 7 && has_second_word(b->words[7])) {
    code_block* n = k + 1 < w.ib.count ? w.ib.block[k + 1] : nullptr;
    if (!n || n == &fetch_fault_block_) return nullptr;
    second = n->words[0];
  }
  return &code_.op(*b, index, second);
}

bool compute_unit::try_issue(wave& w, uint64_t cycle, issue_slots& slots) {
  boards_[w.simd].wants[w.slot] = claim::unknown;
  if (w.state == wave_state::sleeping) set_state(w, wave_state::running, cycle);
  const micro_op* m = next_instruction(w);
  if (!m) {
    const code_block* first = w.ib.block[0];
    if (first == &fetch_fault_block_ || (first && w.ib.count > 1 && w.ib.block[1] == &fetch_fault_block_)) {
      w.pc_of_instruction = w.regs.pc;
      w.current = nullptr;
      fault(w, "lyra/fault/instruction-fetch", fmt::format("instruction fetch from unmapped memory at {:#x}", w.regs.pc), cycle);
      return false;
    }
    want_fetch(w);
    return stalled(w, stall::fetch, cycle, never);
  }
  if (m->profile) attribute(w, *m, cycle);
  w.current = m;
  w.pc_of_instruction = w.regs.pc;
  if (watching_ && detoured(w, *m, cycle)) return false;
  if (skipped(w, *m)) { // VSKIP: vector instructions are stepped over
    ++statistics.vskipped;
    issued(w, *m, cycle, 1);
    w.regs.pc += m->inst.size_bytes;
    want_fetch(w);
    return true;
  }
  bool done = false;
  switch (m->unit) {
    case unit::valu: case unit::salu: done = issue_alu(w, *m, cycle, slots); break;
    case unit::branch: done = issue_branch(w, *m, cycle, slots); break;
    case unit::smem: done = issue_smem(w, *m, cycle, slots); break;
    case unit::vmem: case unit::flat: done = issue_vector_memory(w, *m, cycle, slots); break;
    case unit::lds: case unit::gds: done = issue_lds(w, *m, cycle, slots); break;
    case unit::exports: done = issue_export(w, *m, cycle, slots); break;
    case unit::message: case unit::internal: done = issue_control(w, *m, cycle, slots); break;
    case unit::illegal: done = issue_illegal(w, *m, cycle); break;
  }
  if (late_wave_ == &w && done && m->unit == unit::valu) finish_late_store(w, cycle);
  if (done && w.state != wave_state::empty) want_fetch(w);
  return done;
}

unsigned compute_unit::valu_cycles(const micro_op& m) const {
  switch (m.cost) {
    case alu::cost_class::vector_quarter: return parameters_.valu_quarter_cycles;
    case alu::cost_class::vector_mul_lo: return parameters_.valu_mul_lo_cycles;
    case alu::cost_class::vector_f64_add: return parameters_.valu_f64_add_cycles;
    case alu::cost_class::vector_f64_mul: return parameters_.valu_f64_mul_cycles;
    case alu::cost_class::vector_swap: return parameters_.valu_swap_cycles;
    default: return parameters_.valu_cycles;
  }
}

unsigned compute_unit::scalar_cycles(const micro_op& m) const {
  switch (m.cost) {
    case alu::cost_class::scalar_saveexec: return parameters_.salu_saveexec_cycles;
    case alu::cost_class::scalar_setreg: return parameters_.salu_setreg_cycles;
    default: return parameters_.salu_cycles;
  }
}

/// SGPRs that the vector ALU wrote reach the scalar unit late.
bool compute_unit::scalar_inputs_ready(wave& w, const micro_op& m, uint64_t cycle) {
  if (cycle >= w.valu_written_ready || !w.valu_written.meets(m.sgpr_reads)) return true;
  return stalled(w, stall::dependency, cycle, next_turn(w.simd, w.valu_written_ready));
}

bool compute_unit::issue_alu(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  auto& r = w.regs;
  if (m.unit == unit::valu) {
    if (refused(w, claim::valu, cycle, slots)) return false;
  } else {
    if (refused(w, claim::salu, cycle, slots)) return false;
    if (!scalar_inputs_ready(w, m, cycle)) return false;
  }
  if (w.guarding && parameters_.hazard_checker[0] != 's') {
    check_hazards(w, m, cycle);
    if (w.state == wave_state::faulted) return false;
  }
  const uint64_t next_pc = r.pc + m.inst.size_bytes;
  if (m.unit == unit::valu) {
    slots.valu = true;
    const unsigned cycles = valu_cycles(m);
    valu_free_[w.simd] = cycle + cycles;
    ++statistics.valu;
    statistics.valu_lanes += r.exec() == ~uint64_t(0) ? 64 : unsigned(__builtin_popcountll(r.exec()));
    issued(w, m, cycle, cycles);
    r.pc = next_pc;
    if (!execute(w, m, cycle)) return false;
    if (r.pc != next_pc) ready(w) = cycle + parameters_.branch_taken_cycles; // an exception's trap
    if (m.sgpr_writes.any()) {
      if (cycle >= w.valu_written_ready) w.valu_written = sgpr_set{};
      w.valu_written |= m.sgpr_writes;
      w.valu_written_ready = cycle + parameters_.valu_to_scalar_cycles;
      w.flag_written_cycle = cycle;
    }
  } else {
    slots.scalar = true;
    ++statistics.salu;
    if (m.inst.info->id == isa::op::s_getreg_b32) { trapsts_read(w, m, cycle); r.ib_sts = (w.vmcnt & 15) | w.expcnt << 4 | w.lgkmcnt << 8 | (w.vmcnt >> 4) << 22; }
    issued(w, m, cycle, scalar_cycles(m));
    r.pc = next_pc;
    if (!execute(w, m, cycle)) return false;
    if (m.cost == alu::cost_class::scalar_setreg) { mode_written(w); sort_waves(w.simd); }
    follow_indexing(w);
    if (m.inst.has(isa::WRITES_SCC) || (m.sgpr_writes.bits[1] >> 42 & 0x300003)) w.flag_written_cycle = cycle; // SCC, VCC 106..107, EXEC 126..127
  }
  return true;
}

bool compute_unit::issue_branch(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  if (refused(w, claim::branch, cycle, slots)) return false;
  if (!scalar_inputs_ready(w, m, cycle)) return false;
  if (m.inst.info->id != isa::op::s_branch && w.flag_written_cycle != never && cycle < w.flag_written_cycle + 4 + parameters_.branch_after_flag_cycles)
    return stalled(w, stall::dependency, cycle, next_turn(w.simd, w.flag_written_cycle + 4 + parameters_.branch_after_flag_cycles));
  if (w.guarding && parameters_.hazard_checker[0] != 's') {
    check_hazards(w, m, cycle);
    if (w.state == wave_state::faulted) return false;
  }
  slots.branch = true;
  ++statistics.branch;
  auto& r = w.regs;
  const uint64_t next_pc = r.pc + m.inst.size_bytes;
  issued(w, m, cycle, parameters_.branch_cycles);
  r.pc = next_pc;
  if (!execute(w, m, cycle)) return false;
  if (r.pc != next_pc) {
    ++statistics.branch_taken;
    ready(w) = cycle + parameters_.branch_taken_cycles;
    if (!jump_checked(w, cycle)) return false;
  }
  return true;
}

bool compute_unit::jump_checked(wave& w, uint64_t cycle) {
  if (w.regs.pc & 3) {
    fault(w, "lyra/fault/instruction-fetch", fmt::format("jump to {:#x}, which is not 4-byte aligned", w.regs.pc), cycle);
    return false;
  }
  return true;
}

bool compute_unit::issue_control(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots) {
  auto& r = w.regs;
  const uint32_t simm = uint32_t(m.inst.simm16) & 0xffff;
  if (m.unit == unit::message) {
    if (refused(w, claim::branch, cycle, slots)) return false;
    if (m.control == control::sendmsg && w.lgkmcnt + 1 > parameters_.lgkmcnt_limit) {
      w.wait_vm = w.wait_exp = 63; w.wait_lgkm = parameters_.lgkmcnt_limit - 1;
      w.count_full = true;
      w.smem_waits_for = smem_wait::count_full;
      set_state(w, wave_state::waiting, cycle);
      set_cause(w, stall::lgkm_scalar, cycle);
      ready(w) = never;
      wake_for_returns();
      return false;
    }
    slots.branch = true;
    ++statistics.message;
  } else {
    ++statistics.internal;
  }
  switch (m.control) {
    case control::waitcnt: {
      const unsigned vm = (simm & 15) | (simm >> 14 & 3) << 4, exp = simm >> 4 & 7, lgkm = simm >> 8 & 15;
      w.waited(vm, lgkm);
      issued(w, m, cycle, 4);
      r.pc += 4;
      w.count_full = false;
      w.smem_waits_for = smem_wait::clock; // until something returns
      w.wait_vm = vm; w.wait_exp = exp == 7 ? 63 : exp; w.wait_lgkm = lgkm == 15 ? 63 : lgkm;
      if (wait_met(w)) w.cache_maintenance = false;
      else {
        note_barrier_wait(w, cycle);
        set_state(w, wave_state::waiting, cycle);
        set_cause(w, w.vmcnt > w.wait_vm ? stall::vmcnt : w.lgkmcnt > w.wait_lgkm ? (w.smem_outstanding || w.message_outstanding || !w.lds_outstanding ? stall::lgkm_scalar : stall::lgkm_lds) : stall::expcnt, cycle);
        ready(w) = never;
        wake_for_returns();
      }
      return true;
    }
    case control::nop: issued(w, m, cycle, 4 * ((simm & 7) + 1)); r.pc += 4; return true;
    case control::sleep: {
      issued(w, m, cycle, 4);
      r.pc += 4;
      const unsigned n = simm & 0x7f;
      if (n) {
        ready(w) = next_turn(w.simd, cycle + n * parameters_.sleep_unit_cycles);
        set_cause(w, stall::sleeping, cycle + 4);
        set_state(w, wave_state::sleeping, cycle);
      }
      return true;
    }
    case control::wakeup:
      issued(w, m, cycle, 4);
      r.pc += 4;
      for (auto& o : waves_)
        if (o.group == w.group && o.state == wave_state::sleeping) consider(o, cycle + 4);
      return true;
    case control::barrier: {
      issued(w, m, cycle, 4);
      r.pc += 4;
      workgroup& g = *w.group;
      if (g.waves == 1) return true; // no barrier resource for one wave
      ++g.arrived;
      groups_signals_set(g, cycle);
      ready(w) = never;
      set_state(w, wave_state::barrier, cycle);
      set_cause(w, stall::barrier, cycle + 4);
      if (g.arrived + g.gone == g.waves) release_barrier(g, cycle);
      return true;
    }
    case control::endpgm:
      issued(w, m, cycle, 4);
      r.pc += 4;
      ready(w) = never;
      end_wave(w, cycle + 4);
      return true;
    case control::sethalt:
      issued(w, m, cycle, 4);
      r.pc += 4;
      r.halted = simm & 1;
      if (r.halted && !r.priv) { set_state(w, wave_state::halted, cycle); set_cause(w, stall::sleeping, cycle + 4); ready(w) = never; }
      return true;
    case control::setprio: issued(w, m, cycle, 4); r.pc += 4; r.priority = simm & 3; sort_waves(w.simd); return true;
    case control::sendmsg: {
      issued(w, m, cycle, 4);
      r.pc += 4;
      ++w.lgkmcnt;
      ++w.message_outstanding;
      w.guard(m, false, true);
      add_local({cycle + parameters_.message_cycles, 0, local_event::lgkm_message, &w, 1, &m});
      trace_counters(w, cycle);
      if (m.inst.op() == isa::op::s_sendmsghalt) {
        r.halted = true;
        if (!r.priv) { set_state(w, wave_state::halted, cycle); set_cause(w, stall::sleeping, cycle + 4); ready(w) = never; }
      }
      return true;
    }
    case control::trap:
      issued(w, m, cycle, 16);
      r.pc += 4;
      if (!take_trap(w, m, cycle)) return false;
      if (r.priv) ready(w) = cycle + parameters_.branch_taken_cycles;
      return true;
    case control::icache_inv: {
      issued(w, m, cycle, 4);
      r.pc += 4;
      auto& p = context_.lines->line(tlm::TLM_IGNORE_COMMAND, r.pc & ~uint64_t(31), 0);
      payload_pool::policy(p).control = fabric::cache_control::invalidate;
      payload_pool::policy(p).tag = never;
      fetch_invalidations_.push(&p);
      w.ib.flush(r.pc);
      ready(w) = cycle + parameters_.branch_taken_cycles;
      send_fetches(cycle);
      return true;
    }
    case control::setkill: // KILL is looked at before the next instruction
      issued(w, m, cycle, 4);
      r.pc += 4;
      if (simm & 1) { ready(w) = never; end_wave(w, cycle + 4); }
      return true;
    default: // perf levels, ttracedata: no effect in a compute wave beyond their time
      issued(w, m, cycle, 4);
      r.pc += 4;
      return true;
  }
}

/// A wait begins: is it part of a memory barrier?
void compute_unit::note_barrier_wait(wave& w, uint64_t cycle) {
  auto kind = w.cache_maintenance ? barrier_kind::device_memory : barrier_kind::none;
  w.cache_maintenance = false;
  const micro_op* next = peek(w, w.regs.pc);
  for (uint64_t pc = w.regs.pc; next && next->control == control::waitcnt; next = peek(w, pc)) pc += 4; // the next that is no wait
  if (next && (next->unit == unit::vmem || next->unit == unit::smem) && next->inst.info->memory == isa::memory_kind::cache) kind = barrier_kind::device_memory;
  else if (next && next->control == control::barrier && kind == barrier_kind::none) kind = barrier_kind::group_memory;
  w.barrier_wait = kind;
  w.barrier_wait_since = cycle;
}

void compute_unit::want_fetch(wave& w) {
  if (w.state == wave_state::empty || w.state == wave_state::draining || w.state == wave_state::ended || w.state == wave_state::faulted) return;
  w.ib.advance(w.regs.pc);
  if (w.ib.count >= parameters_.instruction_buffer_blocks || w.fetch_queued) return;
  w.fetch_queued = true;
  fetch_queue_.push_back(&w); // sent at the end of this cycle's work
}

/// One block of 32 bytes a cycle, to the wave whose buffer holds least; among these to the highest priority, then to the oldest. Chosen in the cycle before it
/// leaves, so that a wave that has just jumped goes before blocks that others want only ahead.
void compute_unit::send_fetches(uint64_t cycle) {
  uint64_t at = std::max(cycle + 1, fetch_next_);
  while (fetch_port.ready() && !fetch_invalidations_.empty()) {
    fetch_port.send(*fetch_invalidations_.front(), clock().at(at));
    fetch_invalidations_.pop();
    fetch_next_ = ++at;
  }
  while (!fetch_queue_.empty() && fetch_port.ready()) {
    if (at > cycle + 1) return wake_at(at - 1);
    size_t first = 0;
    for (size_t k = 1; k < fetch_queue_.size(); ++k)
      if (fetches_before(*fetch_queue_[k], *fetch_queue_[first])) first = k;
    wave& w = *fetch_queue_[first];
    const bool wanted = w.state == wave_state::running || w.state == wave_state::waiting || w.state == wave_state::barrier || w.state == wave_state::sleeping;
    if (wanted && w.ib.count < parameters_.instruction_buffer_blocks) {
      const uint64_t address = fabric::canonical(w.ib.base + 32 * w.ib.count);
      const unsigned slot = w.ib.count++;
      if (context_.space->state(address) == fabric::page_state::unmapped) {
        w.ib.block[slot] = &fetch_fault_block_;
        if (slot == 0) consider(w, cycle + 1);
      } else {
        auto& p = context_.lines->line(tlm::TLM_READ_COMMAND, address, 32);
        payload_pool::policy(p).tag = uint64_t(&w - waves_.data()) << 32 | w.ib.generation;
        payload_pool::policy(p).source = uint16_t(index_);
        ++statistics.fetches;
        at = clock().ceil(fetch_port.send(p, clock().at(at))) + 1;
        fetch_next_ = at;
      }
    }
    if (wanted && w.ib.count < parameters_.instruction_buffer_blocks) continue;
    w.fetch_queued = false;
    fetch_queue_[first] = fetch_queue_.back();
    fetch_queue_.pop_back();
  }
}

bool compute_unit::fetches_before(const wave& a, const wave& b) {
  if (a.ib.count != b.ib.count) return a.ib.count < b.ib.count;
  return a.regs.priority != b.regs.priority ? a.regs.priority > b.regs.priority : a.age < b.age;
}

} // namespace lyra::compute_unit
