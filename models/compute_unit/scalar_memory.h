// SPDX-License-Identifier: Apache-2.0
// Scalar memory instructions: addresses, bounds, register rules, and the split at cache lines (Vega ISA chapter 7).
#pragma once
#include "alu/wave_registers.h"
#include "compute_unit/micro_op.h"

namespace lyra::compute_unit {

/// What one SMEM instruction does to memory.
struct scalar_access {
  bool executed = true;      ///< false: SDST out of range, not executed
  uint64_t address = 0;      ///< 48-bit, of the first dword (atomics: of the operand; DISCARD: of the line)
  unsigned dwords = 0;       ///< in registers
  uint32_t present = 0;      ///< bit k: dword k lies inside the buffer; others read 0, are not written
  uint16_t sdata = 0;        ///< first SGPR
  /// One transaction: consecutive dwords of one 64-byte line.
  struct part { uint64_t address; uint8_t first, count; };
  part parts[2];
  unsigned part_count = 0;
  bool negative_offset = false;    ///< an immediate and an SGPR or M0, and their sum is negative: illegal
  bool negative_immediate = false; ///< an immediate alone, and it is negative: illegal by the book, but compiled code has it
};

/// Computes addresses from a wave's registers. Rules (Vega ISA 7.2, 7.4): two low bits ignored (DISCARD six), S_SCRATCH offsets
/// times 64, buffer bounds a dword, SBASE out of range reads SGPR0.
scalar_access scalar_address(const micro_op& m, const alu::wave_registers& r);

/// Registers that give the address: base pair or buffer constant, offset SGPR or M0.
sgpr_set scalar_address_sources(const micro_op& m);

} // namespace lyra::compute_unit
