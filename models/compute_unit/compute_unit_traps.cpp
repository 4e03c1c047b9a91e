// SPDX-License-Identifier: Apache-2.0
// Traps of waves that have a trap handler (Vega ISA 3.10, 3.11): what leads into the handler, what a return from it leads to.
//
// An exception leads into the handler for as long as it stands in TRAPSTS: behind s_rfe too, where the handler has not cleared it. (Linux'
// cwsr_trap_handler_gfx9.asm halts waves "to prevent re-entry".) Memory violations and illegal instructions cannot be masked, whatever MODE.EXCP_EN says of
// the former: that file says so of the hardware, against ISA 3.11.
#include "alu/float_exceptions.h"
#include "compute_unit/compute_unit.h"
#include <fmt/format.h>

namespace lyra::compute_unit {

using namespace alu::exception_bit;

namespace {
bool exception_stands(const alu::wave_registers& r) {
  const uint32_t enabled = r.mode >> alu::mode_bit::excp_en & all_float;
  return r.trapsts & (enabled | memory_violation | illegal_instruction | save_context);
}
} // namespace

/// Before an instruction issues, in a unit that has seen waves with a trap handler: must the wave halt or trap instead?
compute_unit::detour compute_unit::detour_of(wave& w) {
  auto& r = w.regs;
  const bool debug = r.mode >> alu::mode_bit::debug & 1;
  if (r.priv || !debug) w.steps_from = w.instructions + 1; // no trap behind this instruction
  if (r.priv || !r.tba) return detour::none;
  if (r.halted) return detour::halt; // HALT, set in the handler, counts from the return on (ISA 3.4)
  return exception_stands(r) || (debug && w.instructions > w.steps_from) ? detour::trap : detour::none;
}

/// Timed: what comes before `m` can be issued. True: something else has been done in this turn.
bool compute_unit::detoured(wave& w, const micro_op& m, uint64_t cycle) {
  if (clauses_ && w.clause.nacked) {
    if (m.unit == unit::smem) return false; // a clause that will be replayed is not interrupted
    replay_clause(w, cycle);
    return true;
  }
  const detour d = detour_of(w);
  if (d == detour::none) return false;
  if (d == detour::halt) {
    set_state(w, wave_state::halted, cycle);
    stalled(w, stall::sleeping, cycle, fabric::never);
    return true;
  }
  if (late_wave_ == &w) finish_late_store(w, cycle);
  enter_trap_handler(w, w.regs.pc, 0, 0);
  want_fetch(w);
  stalled(w, stall::dependency, cycle, next_turn(w.simd, cycle + parameters_.branch_taken_cycles));
  return true;
}

/// ISA 3.10: {TTMP1, TTMP0} = {0, PC_REWIND, HT, TRAP_ID, PC}. A floating-point exception's PC is that of the instruction behind, PC_REWIND leads back; a memory
/// violation's and a single step's is that of the next instruction, whatever was in violation; an illegal instruction's is its own.
void compute_unit::enter_trap_handler(wave& w, uint64_t saved_pc, unsigned trap_id, unsigned rewind) {
  auto& r = w.regs;
  r.sgpr[108] = uint32_t(saved_pc);
  r.sgpr[109] = (uint32_t(saved_pc >> 32) & 0xffff) | (trap_id & 0xff) << 16 | rewind << 25;
  r.priv = true;
  r.pc = r.tba;
  w.wait_states.called();
  ++statistics.traps;
}

/// S_TRAP; PC is already behind it. Without a handler the hardware takes it for a no-op (ISA 3.10, STATUS.TRAP_EN); trap 2 is what compilers make of
/// abort() and __builtin_trap(), which must not go on. False: the wave has faulted.
bool compute_unit::take_trap(wave& w, const micro_op& m, uint64_t cycle) {
  const unsigned id = uint32_t(m.inst.simm16) & 0xff;
  if (w.regs.tba) { enter_trap_handler(w, w.regs.pc - 4, id, 0); return true; }
  if (id == 2) { fault(w, "lyra/fault/trap", "s_trap 2 without a trap handler (the program called abort or trap)", cycle); return false; }
  if (id != 3) // 3: breakpoint without a debugger
    report(w, m, "lyra/hazard/trap", "does nothing: the dispatch has no trap_handler", cycle);
  return true;
}

/// An instruction that does not decode: with a trap handler TRAPSTS.ILLEGAL_INST leads into it. False: there is none, or the handler itself is wrong; the wave has faulted.
bool compute_unit::take_illegal(wave& w, const micro_op& m, uint64_t cycle) {
  if (w.regs.tba && !w.regs.priv) {
    w.regs.trapsts |= illegal_instruction;
    return true;
  }
  fault(w, "lyra/fault/illegal-instruction", fmt::format("illegal instruction {:#010x}: {}", m.inst.words[0], m.error), cycle);
  return false;
}

/// A vector memory, LDS or GDS instruction in violation of ISA 3.11: with a trap handler it counts as done (nothing is written to registers), TRAPSTS has
/// MEM_VIOL, with XNACK_ERROR where an address has no valid translation, and the handler has its turn before the wave's next instruction, whichever that is.
/// False: the run must stop; there is no handler, the wave is past its s_endpgm, or it is nothing that hardware reports so.
bool compute_unit::raise_violation(wave& w, const micro_op& m, const fabric::wave_request& q, uint64_t cycle) {
  using fabric::fault_kind;
  if (!w.regs.tba || w.state == wave_state::draining || w.state == wave_state::ended || w.state == wave_state::faulted) return false;
  const bool translated = q.fault == fault_kind::unmapped || q.fault == fault_kind::write_protected;
  if (!translated && q.fault != fault_kind::misaligned && q.fault != fault_kind::lds_range) return false;
  const bool in_an_aperture = q.fault_address >> 48 == 0 || q.fault_address >> 48 == 0xffff;
  w.regs.trapsts |= memory_violation | (translated && in_an_aperture ? xnack_error : 0);
  report(w, m, "lyra/hazard/memory-violation", fault_text(q) + "; the trap handler is told by TRAPSTS", cycle);
  return true;
}

} // namespace lyra::compute_unit
