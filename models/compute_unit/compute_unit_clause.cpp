// SPDX-License-Identifier: Apache-2.0
// Clauses of scalar memory instructions: XNACK rules and replays; store data that is read late.
#include "compute_unit/compute_unit.h"
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::wave_pool;
using isa::memory_kind;

/// The instruction at `pc` if it can be known now (timed: if it stands in the instruction buffer); null otherwise. `unknown`: it may still come.
const micro_op* compute_unit::peek(wave& w, uint64_t pc, bool& unknown) {
  unknown = false;
  if (!loosely_timed_) {
    if (const micro_op* m = peek(w, pc)) return m;
    const uint64_t slot = ((pc & ~uint64_t(31)) - w.ib.base) / 32;
    for (uint64_t k = slot; k < slot + 2 && k < w.ib.count; ++k)
      if (w.ib.block[k] == &fetch_fault_block_) return nullptr;
    unknown = true;
    return nullptr;
  }
  const unsigned index = unsigned(pc >> 2) & 7;
  const uint64_t address = pc & ~uint64_t(31);
  const auto block = [&](uint64_t a) { return context_.space->state(fabric::canonical(a)) == fabric::page_state::unmapped ? nullptr : loose_block(w, a, nullptr); };
  code_block* b = block(address);
  if (!b) return nullptr;
  if (index != 7 || !has_second_word(b->words[7])) return &code_.op(*b, index, 0);
  code_block* next = block(address + 32);
  return next ? &code_.op(*b, index, next->words[0]) : nullptr;
}

/// A scalar memory instruction is about to issue; `n` instructions of the wave were issued before it. False where the wave cannot go on now.
bool compute_unit::enter_clause(wave& w, const micro_op& m, uint64_t n, uint64_t cycle) {
  auto& c = w.clause;
  const bool first = !c.continues(n);
  bool alone = false; // of an atomic: nothing stands beside it
  if (first && parameters_.xnack_replay && m.inst.info->memory == memory_kind::atomic) {
    bool unknown;
    const micro_op* next = peek(w, w.regs.pc + m.inst.size_bytes, unknown);
    if (unknown) { want_fetch(w); return stalled(w, stall::fetch, cycle, cycle + 4); }
    alone = !next || next->unit != unit::smem;
  }
  if (first) {
    c.begin(w.regs.pc);
    if (parameters_.xnack_replay && !c.replayed)
      c.nacked = fabric::chaos_source::mix(parameters_.xnack_seed ^ fabric::chaos_source::mix(index_ * 0x1000003ull + clause_draws_++)) % 100 < parameters_.xnack_percent;
  }
  if (check_clauses_ && !c.replayed)
    if (const auto f = c.check(m)) {
      report_clause(w, m, f, cycle);
      if (w.state == wave_state::faulted) return false;
    }
  c.add(m, n + 1);
  // in vain: loads and clocks write their registers, what changes memory must wait for the replay; an atomic that is not alone is done (twice, then)
  const auto kind = m.inst.info->memory;
  smem_in_vain_ = c.nacked && (kind == memory_kind::store || kind == memory_kind::cache || (kind == memory_kind::atomic && alone));
  return true;
}

void compute_unit::report_clause(wave& w, const micro_op& m, const scalar_clause::finding& f, uint64_t cycle) {
  ++statistics.clause_findings;
  const auto show = [&](const micro_op& o) { return fmt::format("'{}' at PC {:#x}", isa::disassemble(o.inst, code_.chip(), o.pc), o.pc); };
  const std::string reg = f.sgpr == 106 || f.sgpr == 107 ? "vcc" : f.sgpr == 124 ? "m0" : fmt::format("s{}", f.sgpr);
  std::string text;
  switch (f.broken) {
    case scalar_clause::rule::own_address: text = fmt::format("{} overwrites {}, its own address source: a replay (XNACK) would read the new value; load into other registers", show(m), reg); break;
    case scalar_clause::rule::other_source:
      text = fmt::format("{} overwrites {}, a source of {} in the same clause: a replay of the clause (XNACK) would read the new value; put another instruction (s_nop 0) between them", show(*f.writer), reg, show(*f.other));
      break;
    default: text = fmt::format("the atomic {} is not alone in its clause, {} stands in it too: a replay of the clause (XNACK) would do it again; put another instruction (s_nop 0) between them", show(*f.writer), show(*f.other)); break;
  }
  if (parameters_.xnack_check == "error") { fault(w, "lyra/hazard/xnack-clause", text, cycle); return; }
  if (context_.run) context_.run->report({"lyra/hazard/xnack-clause", fmt::format("{} ({})", text, place(w)), clock().at(cycle), m.pc, w.id});
}

/// The instruction behind a nacked clause has its turn: when everything of the clause is back the wave returns to the clause's start.
bool compute_unit::replay_clause(wave& w, uint64_t cycle) {
  auto& c = w.clause;
  w.smem_waits_for = smem_wait::replay;
  if (!c.replay_at) c.replay_at = cycle + parameters_.xnack_delay_cycles;
  if (cycle < c.replay_at) return stalled(w, stall::lgkm_scalar, cycle, next_turn(w.simd, c.replay_at));
  if (w.smem_outstanding) return stalled(w, stall::lgkm_scalar, cycle, cycle + 16);
  ++statistics.smem_replays;
  c.go_back();
  w.regs.pc = c.first_pc;
  want_fetch(w);
  return stalled(w, stall::lgkm_scalar, cycle, cycle + 4);
}

/// Does the instruction behind a wide store overwrite the store's data beyond the second dword before they are read?
bool compute_unit::overtakes_store_data(wave& w, const micro_op& m) {
  bool unknown;
  const micro_op* next = peek(w, w.regs.pc + m.inst.size_bytes, unknown);
  if (!next || next->unit != unit::valu || (w.regs.mode >> alu::mode_bit::vskip & 1)) return false;
  vgpr_set late;
  late.add(m.inst.vdata.vgpr() + 2, m.vdata_dwords - 2u);
  return next->vgpr_writes.meets(late);
}

/// The instruction behind has been executed: now the rest of the store's data is read, and the store goes out.
void compute_unit::finish_late_store(wave& w, uint64_t cycle) {
  auto& q = wave_pool::of(*late_store_);
  take_late_data(q, *static_cast<const micro_op*>(q.op), w);
  late_store_ = nullptr;
  late_wave_ = nullptr;
  send_vmem_queue(cycle);
}

} // namespace lyra::compute_unit
