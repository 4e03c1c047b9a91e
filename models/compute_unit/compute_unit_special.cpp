// SPDX-License-Identifier: Apache-2.0
// What the fast path leaves out: registers beyond the wave's allocation, floating-point exceptions, stale values of missing wait states.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

namespace {
constexpr unsigned excp_en_mask = 0x7f; ///< MODE.EXCP_EN without address watch and memory violation, which no ALU instruction raises
constexpr unsigned trapsts_register = 3;
} // namespace

void compute_unit::set_limits(wave& w) {
  const bool all = w.recording || w.stale || w.indexing;
  w.vgpr_limit = all ? 0 : std::max<uint16_t>(w.regs.vgpr_count, 1);
  w.sgpr_limit = all ? 0 : w.regs.sgpr_count;
}

void compute_unit::start_special(wave& w) {
  if (parameters_.wait_states == "model") {
    if (!w.stale) w.stale = std::make_unique<stale_values>();
    w.stale->reset();
  }
  const auto& packet = *w.packet;
  w.steps_from = 0;
  if (packet.trap_handler) watching_ = true;
  w.indexing = false;
  w.recording = parameters_.exceptions == "on" || (parameters_.exceptions == "auto" && (packet.reads_trapsts || packet.trap_handler || (w.regs.mode >> alu::mode_bit::excp_en & excp_en_mask)));
  set_limits(w);
}

void compute_unit::mode_written(wave& w) {
  if (w.recording || parameters_.exceptions == "off" || !(w.regs.mode >> alu::mode_bit::excp_en & excp_en_mask)) return;
  w.recording = true;
  set_limits(w);
}

/// Code that was not there when the job was loaded reads TRAPSTS: what came before has not been recorded.
void compute_unit::trapsts_read(wave& w, const micro_op& m, uint64_t cycle) {
  if (w.recording || parameters_.exceptions == "off" || (unsigned(m.inst.simm16) & 63) != trapsts_register) return;
  w.recording = true;
  set_limits(w);
  report(w, m, "lyra/hazard/exceptions", "reads TRAPSTS, but this wave's floating-point exceptions have not been recorded so far, since the job's code does not read it: set exceptions=on", cycle);
}

/// A register beyond the allocation that M0 leads to: S_MOVREL, GPR indexing (ISA 3.6.1). Empty: none.
std::string compute_unit::indexed_beyond(const wave& w, const micro_op& m) const {
  const auto& r = w.regs;
  const auto& i = m.inst;
  const auto dwords = [](const isa::operand& o) { return std::max(1u, isa::dwords_of(o.type)); };
  using isa::op;
  const op id = i.info->id;
  const bool source = id == op::s_movrels_b32 || id == op::s_movrels_b64, destination = id == op::s_movreld_b32 || id == op::s_movreld_b64;
  if (source || destination) {
    const isa::operand& o = source ? i.src[0] : i.dst;
    const uint64_t last = uint64_t(o.code) + r.m0() + dwords(o) - 1;
    if (o.code >= 102 || last < r.sgpr_count || (last >= 102 && last < 108)) return {}; // VCC and its neighbours are there in every wave
    return fmt::format("{} s{} (s{} + {} in M0), but the wave has {} SGPRs (s0..s{}): {}", source ? "reads" : "writes", last, o.code, r.m0(), r.sgpr_count, r.sgpr_count - 1, source ? "s0 is read" : "nothing is written");
  }
  if (m.unit != unit::valu || !w.indexing) return {};
  const unsigned index = r.m0() & 0xff, enables = r.m0() >> 12 & 15;
  for (unsigned slot : {3u, 0u, 1u, 2u}) {
    const isa::operand& o = slot == 3 ? i.dst : i.src[slot];
    if (!(enables >> slot & 1) || !o.present() || !o.is_vgpr()) continue;
    const unsigned last = o.vgpr() + index + dwords(o) - 1;
    if (last >= r.vgpr_count)
      return fmt::format("{} v{} (v{} + {} in M0), but the wave has {} VGPRs (v0..v{}): {}", slot == 3 ? "writes" : "reads", last, o.vgpr(), index, r.vgpr_count, r.vgpr_count - 1,
                         slot == 3 ? "the instruction does nothing" : "v0 is read");
  }
  return {};
}

/// Reports registers beyond the allocation, and writes of TTMP outside of a trap handler. False: the wave has faulted.
bool compute_unit::registers_in_range(wave& w, const micro_op& m, uint64_t cycle) {
  if (parameters_.registers == "silent") return true;
  const auto& r = w.regs;
  std::string text;
  const auto beyond = [&](const auto& set, unsigned from, unsigned to) { for (unsigned n = from; n < to; ++n) if (set.has(n)) return int(n); return -1; };
  const int vw = beyond(m.vgpr_writes, r.vgpr_count, 256), vr = beyond(m.vgpr_reads, r.vgpr_count, 256);
  const int sw = beyond(m.sgpr_writes, r.sgpr_count, 102), sr = beyond(m.sgpr_reads, r.sgpr_count, 102), tw = r.priv ? -1 : beyond(m.sgpr_writes, 108, 124);
  if (vw >= 0) text = fmt::format("writes v{}, but the wave has {} VGPRs (v0..v{}): the instruction does nothing", vw, r.vgpr_count, r.vgpr_count - 1);
  else if (vr >= 0) text = fmt::format("reads v{}, but the wave has {} VGPRs (v0..v{}): v0 is read", vr, r.vgpr_count, r.vgpr_count - 1);
  else if (sw >= 0) text = fmt::format("writes s{}, but the wave has {} SGPRs (s0..s{}): nothing is written", sw, r.sgpr_count, r.sgpr_count - 1);
  else if (sr >= 0) text = fmt::format("reads s{}, but the wave has {} SGPRs (s0..s{}): s0 is read", sr, r.sgpr_count, r.sgpr_count - 1);
  else if (tw >= 0) text = fmt::format("writes ttmp{} outside of a trap handler: nothing is written", tw - 108);
  else text = indexed_beyond(w, m);
  if (text.empty()) return true;
  if (parameters_.registers == "error") { fault(w, "lyra/hazard/registers", text, cycle); return false; }
  report(w, m, "lyra/hazard/registers", text, cycle);
  return true;
}

/// What LDS_DIRECT operands and interpolation read: the workgroup's LDS as it is now. False: the wave has faulted.
bool compute_unit::read_lds(wave& w, uint64_t cycle) {
  const unsigned bytes = w.packet->lds_bytes;
  lds_window_.resize(bytes);
  w.regs.lds = lds_window_.data();
  w.regs.lds_bytes = bytes;
  if (bytes == 0) return true; // reads 0
  fabric::payload p;
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_address(w.group->info->lds_base);
  p.set_data_ptr(lds_window_.data());
  p.set_data_length(bytes);
  p.set_streaming_width(bytes);
  if (lds_port.socket->transport_dbg(p) == bytes) return true;
  fault(w, "lyra/fault/lds-direct", "the instruction reads LDS as an operand, but this LDS answers no debug access (transport_dbg): use lds.implementation=tlm or compare:NAME, or let the RTL block show its array (rtl::memory_array)", cycle);
  return false;
}

bool compute_unit::execute_special(wave& w, const micro_op& m, uint64_t cycle) {
  auto& r = w.regs;
  if (m.reads_lds && !read_lds(w, cycle)) return false;
  const bool out_of_range = m.vgpr_end > r.vgpr_count || m.sgpr_end > r.sgpr_count;
  if ((out_of_range || w.indexing) && !registers_in_range(w, m, cycle)) return false;
  const alu::handler h = w.recording && m.execute_recording ? m.execute_recording : m.execute;
  r.raised = 0;
  const unsigned beyond = r.sgpr_count;
  const bool privileged = r.priv;
  uint32_t kept[128];
  if (out_of_range && m.sgpr_end > beyond) {
    std::memcpy(kept, r.sgpr, sizeof kept);
    if (m.unit == unit::valu) // several destinations: none is written where one is out of range
      for (unsigned n = beyond; n < 102; ++n) if (m.sgpr_writes.has(n)) return true;
    for (unsigned n = beyond; n < 102; ++n) r.sgpr[n] = r.sgpr[0];
  }
  if (w.stale) w.stale->execute(m, r, h);
  else h(r, m.inst);
  if (out_of_range && m.sgpr_end > beyond) {
    std::copy(kept + beyond, kept + 102, r.sgpr + beyond);
    if (!privileged) std::copy(kept + 108, kept + 124, r.sgpr + 108);
  }
  if (r.tba && !r.priv && m.unit == unit::valu && (r.raised & (r.mode >> alu::mode_bit::excp_en & excp_en_mask))) enter_trap_handler(w, r.pc, 0, w.current ? w.current->inst.size_bytes / 4 : 0);
  return true;
}

uint64_t compute_unit::begin_memory(wave& w, const micro_op& m, uint64_t cycle) {
  uint64_t lanes = w.regs.exec();
  if (__builtin_expect(m.vgpr_end > w.vgpr_limit || m.sgpr_end > w.sgpr_limit, 0)) {
    if (m.vgpr_end > w.regs.vgpr_count || m.sgpr_end > w.regs.sgpr_count) registers_in_range(w, m, cycle);
    for (unsigned n = w.regs.vgpr_count; n < m.vgpr_end; ++n)
      if (m.vgpr_writes.has(n)) lanes = 0; // ISA 3.6.1: a result that does not fit nullifies the instruction
    if (w.stale && !w.stale->findings.empty()) w.stale->substitute(m, w.regs);
  }
  return lanes;
}

} // namespace lyra::compute_unit
