// SPDX-License-Identifier: Apache-2.0
// Hardware registers that S_GETREG and S_SETREG reach (Vega ISA 3 and S_GETREG_B32; numbers as in LLVM's hwreg names).
#pragma once
#include "alu/wave_registers.h"

namespace lyra::alu {

enum class hardware_register : uint8_t {
  mode = 1, status = 2, trapsts = 3, hw_id = 4, gpr_alloc = 5, lds_alloc = 6, ib_sts = 7, sh_mem_bases = 15, tba_lo = 16, tba_hi = 17, tma_lo = 18, tma_hi = 19
};

/// SIMM16 of S_GETREG/S_SETREG: [5:0] register, [10:6] offset, [15:11] size - 1.
struct hardware_field {
  unsigned id, offset, size;
  uint32_t mask() const { return size >= 32 ? ~0u : (1u << size) - 1; }
};
inline hardware_field hardware_field_of(uint32_t simm16) { return {simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1}; }

/// STATUS is put together from the wave's state: SCC [0], priority [4:3], PRIV [5], EXECZ [9], VCCZ [10], HALT [13]; the other bits come from
/// `wave_registers::status`. An unknown register reads 0.
uint32_t read_hardware_register(const wave_registers& w, unsigned id);

/// Writes a field. A user's wave may write MODE and TRAPSTS; in privileged mode also STATUS (SCC, priority, HALT, debug conditions), IB_STS, TBA and TMA.
/// Writes to anything else are ignored.
void write_hardware_register(wave_registers& w, const hardware_field& field, uint32_t value);

} // namespace lyra::alu
