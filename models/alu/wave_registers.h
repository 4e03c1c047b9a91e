// SPDX-License-Identifier: Apache-2.0
// The architectural registers of one wave: what instructions read and write. No timing.
#pragma once
#include <cstdint>

namespace lyra::alu {

constexpr unsigned wave_lanes = 64;

/// MODE register fields (Vega ISA 3.5 / hardware register HW_REG_MODE).
namespace mode_bit {
constexpr unsigned round_32 = 0, round_64_16 = 2, denorm_32 = 4, denorm_64_16 = 6, dx10_clamp = 8, ieee = 9, lod_clamped = 10, debug = 11,
                   excp_en = 12, fp16_ovfl = 23, gpr_idx_en = 27, vskip = 28;
}

struct wave_registers {
  /// SGPRs, and the special scalar registers at their operand codes: FLAT_SCRATCH 102, XNACK_MASK 104, VCC 106, TTMP 108..123, M0 124, EXEC 126.
  alignas(64) uint32_t sgpr[128] = {};
  uint32_t (*vgpr)[wave_lanes] = nullptr; ///< [vgpr_count][64], 64-byte aligned
  uint16_t vgpr_count = 0;                ///< allocated; a higher number reads/writes as the ISA says for out-of-range VGPRs
  uint16_t sgpr_count = 0;                ///< allocated for the wave (without VCC, FLAT_SCRATCH, XNACK_MASK)
  uint64_t pc = 0;                        ///< address of the next instruction; already past the current one while that executes
  bool scc = false;
  bool halted = false, priv = false;
  uint8_t priority = 0;
  uint32_t mode = 0;       ///< HW_REG_MODE
  uint32_t trapsts = 0;    ///< HW_REG_TRAPSTS: [8:0] sticky exceptions
  uint32_t raised = 0;     ///< exceptions of the last instruction that a recording handler executed
  uint32_t hw_id = 0, gpr_alloc = 0, lds_alloc = 0, ib_sts = 0, sh_mem_bases = 0, status = 0;
  uint64_t tba = 0, tma = 0;
  uint32_t shared_base_hi = 1u << 16, private_base_hi = 2u << 16; ///< apertures: address bits 63:32
  const uint8_t* lds = nullptr; ///< this workgroup's LDS, for LDS_DIRECT and VINTRP operands; may be null
  uint32_t lds_bytes = 0;

  // S_CBRANCH_G/I_FORK and JOIN use CSP, a field of MODE[31:29]
  uint64_t read64(unsigned code) const { return sgpr[code] | uint64_t(sgpr[code + 1]) << 32; }
  void write64(unsigned code, uint64_t v) { sgpr[code] = uint32_t(v); sgpr[code + 1] = uint32_t(v >> 32); }
  uint64_t exec() const { return read64(126); }
  void set_exec(uint64_t v) { write64(126, v); }
  uint64_t vcc() const { return read64(106); }
  void set_vcc(uint64_t v) { write64(106, v); }
  uint32_t m0() const { return sgpr[124]; }
};

} // namespace lyra::alu
