// SPDX-License-Identifier: Apache-2.0
// An instruction as the sequencer needs it: decoded once, with its handler, its issue class and the registers it touches.
#pragma once
#include "alu/execute.h"
#include "isa/instruction.h"
#include <string>

namespace lyra::compute_unit {

/// Which issue slot an instruction takes (at most one of each a cycle; `internal` ones come extra).
enum class unit : uint8_t { valu, salu, smem, vmem, flat, lds, gds, exports, branch, message, internal, illegal };

/// What the sequencer itself does.
enum class control : uint8_t {
  none, waitcnt, nop, sleep, barrier, endpgm, sethalt, setprio, sendmsg, trap, icache_inv, ttracedata, wakeup, perf_level, setkill
};

/// A set of VGPRs.
struct vgpr_set {
  uint64_t bits[4] = {0, 0, 0, 0};
  void add(unsigned first, unsigned count) { for (unsigned i = first; i < first + count && i < 256; ++i) bits[i >> 6] |= uint64_t(1) << (i & 63); }
  bool any() const { return (bits[0] | bits[1] | bits[2] | bits[3]) != 0; }
  bool has(unsigned i) const { return bits[i >> 6] >> (i & 63) & 1; }
  bool meets(const vgpr_set& o) const { return ((bits[0] & o.bits[0]) | (bits[1] & o.bits[1]) | (bits[2] & o.bits[2]) | (bits[3] & o.bits[3])) != 0; }
  void operator|=(const vgpr_set& o) { for (int i = 0; i < 4; ++i) bits[i] |= o.bits[i]; }
  int first_common(const vgpr_set& o) const { for (int i = 0; i < 4; ++i) if (uint64_t m = bits[i] & o.bits[i]) return i * 64 + __builtin_ctzll(m); return -1; }
};

/// A set of scalar registers by operand code 0..127 (SGPRs, VCC, M0, EXEC ...).
struct sgpr_set {
  uint64_t bits[2] = {0, 0};
  void add(unsigned first, unsigned count) { for (unsigned i = first; i < first + count && i < 128; ++i) bits[i >> 6] |= uint64_t(1) << (i & 63); }
  bool any() const { return (bits[0] | bits[1]) != 0; }
  bool has(unsigned i) const { return bits[i >> 6] >> (i & 63) & 1; }
  bool meets(const sgpr_set& o) const { return ((bits[0] & o.bits[0]) | (bits[1] & o.bits[1])) != 0; }
  void operator|=(const sgpr_set& o) { bits[0] |= o.bits[0]; bits[1] |= o.bits[1]; }
  int first_common(const sgpr_set& o) const { for (int i = 0; i < 2; ++i) if (uint64_t m = bits[i] & o.bits[i]) return i * 64 + __builtin_ctzll(m); return -1; }
};

struct profile_record;

struct micro_op {
  uint64_t pc = 0;
  mutable profile_record* profile = nullptr; ///< null unless a profile is taken
  isa::instruction inst;
  alu::handler execute = nullptr;
  alu::handler execute_recording = nullptr; ///< records floating-point exceptions too; null where there are none
  compute_unit::unit unit = unit::illegal;
  compute_unit::control control = control::none;
  alu::cost_class cost = alu::cost_class::scalar;
  bool vector = false;       ///< skipped by VSKIP
  bool crosses_lanes = false; ///< reads or writes VGPRs of lanes outside EXEC (lane reads and writes, DPP)
  bool reads_lds = false;    ///< LDS_DIRECT operand, interpolation: LDS is read as the instruction executes
  bool wait_consumer = false; ///< may need wait states in front (wait_states.h)
  bool reads_vcc_scc_exec_z = false; ///< branch on VCCZ/EXECZ
  uint16_t vgpr_end = 1;     ///< one above the highest VGPR it names (at least 1)
  uint8_t sgpr_end = 0;      ///< one above the highest of s0..s101 it names; 255: it writes registers that only a trap handler may write, or which ones it names depends on M0
  uint8_t vaddr_dwords = 0;  ///< address VGPRs (MIMG: the first; the T# decides how many)
  uint8_t vdata_dwords = 0;  ///< data VGPRs read
  uint8_t result_dwords = 0; ///< VGPRs/SGPRs written on return (with TFE)
  bool returns = false;      ///< memory: registers are written on return
  sgpr_set sgpr_reads, sgpr_writes;  ///< at issue (a load's destination: writes)
  vgpr_set vgpr_reads, vgpr_writes;
  std::string error;         ///< unit == illegal: why
};

/// Fills a micro_op from the words at `pc` (`available` dwords readable).
void make_micro_op(micro_op& m, const uint32_t* words, unsigned available, isa::target chip);

} // namespace lyra::compute_unit
