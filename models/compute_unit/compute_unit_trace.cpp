// SPDX-License-Identifier: Apache-2.0
// What the VCD shows of a compute unit. Called only where one of its signals is selected.
#include "compute_unit/compute_unit.h"
#include <fmt/format.h>

namespace lyra::compute_unit {

void compute_unit::declare_signals() {
  observe::trace& t = *context_.trace;
  const std::string cu = fmt::format("cu{}.", index_);
  for (wave& w : waves_) {
    wave_notes& n = *(w.notes = std::make_unique<wave_notes>());
    const std::string base = fmt::format("{}simd{}.wave{}.", cu, w.simd, w.slot);
    n.state_signal = t.add_text(base + "state", "empty, starting, running, waiting (for a counter), barrier, sleeping, halted, draining (ended, memory outstanding), ended, faulted");
    n.pc_signal = t.add(base + "pc", 48, "address of the instruction issued last");
    n.instruction_signal = t.add_text(base + "instruction", "the instruction issued last");
    n.cause_signal = t.add_text(base + "cause", "what its cycles go to: the stall causes of the statistics");
    n.return_signal = t.add_text(base + "returned", "the newest memory instruction whose data or acknowledgement has come, and its latency");
    n.vmcnt_signal = t.add(base + "vmcnt", 6, "outstanding vector memory instructions");
    n.lgkmcnt_signal = t.add(base + "lgkmcnt", 4, "outstanding LDS, GDS, scalar memory, message counts");
    n.expcnt_signal = t.add(base + "expcnt", 3, "outstanding exports and GDS reads");
    traced_ |= n.state_signal || n.pc_signal || n.instruction_signal || n.cause_signal || n.return_signal || n.vmcnt_signal || n.lgkmcnt_signal || n.expcnt_signal;
  }
  for (unsigned k = 0; k < std::size(groups_); ++k) {
    const std::string base = fmt::format("{}group{}.", cu, k);
    const group_signals s{t.add(base + "arrived", 5, "waves of the workgroup that wait at the barrier"), t.add(base + "waves", 5, "waves of the workgroup in this place; 0: none"),
                          t.add(base + "gone", 5, "waves of the workgroup that have ended")};
    if (s.arrived || s.waves || s.gone || !group_signals_.empty()) { group_signals_.resize(k); group_signals_.push_back(s); }
  }
  issue_signal_ = t.add(cu + "issue", 8, "slots used this cycle: 0 VALU 1 scalar 2 VMEM 3 LDS 4 branch; 6..5 SIMD");
  static constexpr const char* classes[] = {"valu", "scalar", "vmem", "lds", "branch"};
  for (unsigned k = 0; k < 5; ++k) {
    issue_signals_[k] = t.add_text(cu + "issue_" + classes[k], "SIMD and slot of the wave that issues an instruction of this class in this cycle");
    traced_ |= bool(issue_signals_[k]);
  }
  smem_outstanding_signal_ = t.add(cu + "smem.outstanding", 16, "scalar memory instructions that have not completed");
  smem_issue_signal_ = t.add(cu + "smem.issue", 8, "wave that issues a scalar memory instruction in this cycle: SIMD * 10 + slot + 1; 0 none");
  smem_return_signal_ = t.add(cu + "smem.return", 8, "wave that takes a return in this cycle: SIMD * 10 + slot + 1; 0 none");
  smem_return_tag_signal_ = t.add(cu + "smem.return_tag", 64, "tag of the newest return: instruction in flight * 256 + part, as at the scalar cache");
  smem_issue_text_ = t.add_text(cu + "smem.issued", "tag, SIMD.slot and text of the newest scalar memory instruction");
  smem_return_text_ = t.add_text(cu + "smem.returned", "tag (part behind the point), SIMD.slot and text of the newest scalar memory return");
  traced_ |= smem_outstanding_signal_ || smem_issue_signal_ || smem_return_signal_ || smem_return_tag_signal_ || smem_issue_text_ || smem_return_text_;
}

/// Barrier state of a group.
void compute_unit::groups_signals_set(const workgroup& g, uint64_t cycle) {
  if (group_signals_.empty()) return;
  const auto& s = group_signals_[size_t(&g - groups_)];
  const auto t = clock().at(cycle);
  s.arrived.set(t, g.arrived);
  s.waves.set(t, g.in_use ? g.waves : 0);
  s.gone.set(t, g.gone);
}

void compute_unit::trace_counters_now(const wave& w, uint64_t cycle) {
  const auto t = clock().at(cycle);
  w.notes->vmcnt_signal.set(t, w.vmcnt);
  w.notes->lgkmcnt_signal.set(t, w.lgkmcnt);
  w.notes->expcnt_signal.set(t, w.expcnt);
}

std::string compute_unit::text_of(const micro_op& m) const { return isa::disassemble(m.inst, code_.chip(), m.pc); }

void compute_unit::trace_issue(const wave& w, const micro_op& m, uint64_t cycle) {
  const auto t = clock().at(cycle);
  w.notes->pc_signal.set(t, m.pc);
  if (w.notes->instruction_signal) w.notes->instruction_signal.set(t, text_of(m));
  const auto mark = [&](unsigned k) {
    if (!issue_signals_[k]) return;
    issue_signals_[k].set(t, fmt::format("{}.{}", w.simd, w.slot));
    issue_signals_[k].set(clock().at(cycle + 1), "");
  };
  switch (m.unit) {
    case unit::valu: mark(0); break;
    case unit::salu: case unit::smem: mark(1); break;
    case unit::vmem: mark(2); break;
    case unit::flat: mark(2); mark(3); break;
    case unit::lds: case unit::gds: case unit::exports: mark(3); break;
    case unit::branch: case unit::message: mark(4); break;
    default: break;
  }
}

void compute_unit::trace_return(const wave& w, const micro_op& m, uint64_t issue_cycle, uint64_t cycle) {
  if (w.notes->return_signal) w.notes->return_signal.set(clock().at(cycle), fmt::format("{} ({} cycles)", text_of(m), cycle - issue_cycle));
}

void compute_unit::trace_smem(const observe::text_signal& s, const wave& w, const micro_op& m, uint64_t tag, bool part, uint64_t cycle) {
  if (!s) return;
  s.set(clock().at(cycle), fmt::format("#{}{} {}.{} {}", tag >> 8, part ? fmt::format(".{}", tag & 0xff) : std::string(), w.simd, w.slot, text_of(m)));
}

} // namespace lyra::compute_unit
