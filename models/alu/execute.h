// SPDX-License-Identifier: Apache-2.0
// What scalar and vector ALU instructions compute.
#pragma once
#include "alu/wave_registers.h"
#include "isa/instruction.h"

namespace lyra::alu {

/// Executes one instruction on a wave's registers. PC already points behind the instruction; branches overwrite it.
using handler = void (*)(wave_registers&, const isa::instruction&);

/// The function that executes `i` (SOP1, SOP2, SOPK, SOPC, SOPP branches, VOP1/2/C/3/3P, VINTRP, with DPP and SDWA), chosen once when the instruction is decoded.
/// Null for what is not arithmetic on registers: memory, DS, export, and the control instructions the sequencer does itself
/// (s_waitcnt, s_barrier, s_endpgm, s_nop, s_sleep, s_sendmsg, s_sethalt, s_trap, s_icache_inv, s_setprio, perf levels, s_ttracedata, s_wakeup).
handler bind(const isa::instruction& i, isa::target chip);

/// The handler that also records the floating-point exceptions of the active lanes in TRAPSTS and wave_registers::raised, some twenty times slower; null where `i` raises none.
handler bind_recording(const isa::instruction& i);

/// Name of the host vector instruction set in use ("avx2", "baseline"), chosen at run time.
const char* host_vector_level();

/// For tests: makes bind() choose the baseline code whatever the host can do. Handlers bound before stay as they are.
void force_baseline(bool on);

/// Issue cost class: which rows of the timing tables apply. The cycles themselves are parameters of the compute unit.
enum class cost_class : uint8_t { vector_full, vector_quarter /* transcendental, 32-bit multiply ... */, vector_mul_lo, vector_f64_add, vector_f64_mul, vector_swap, scalar, scalar_saveexec, scalar_setreg, branch };
cost_class cost_of(const isa::instruction& i);

} // namespace lyra::alu
