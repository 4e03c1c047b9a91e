// SPDX-License-Identifier: Apache-2.0
// Which floating-point exceptions an operation raises (TRAPSTS.EXCP, Vega ISA 3.10). Asked only where somebody can see them: handlers of bind_recording().
#pragma once
#include "alu/wave_registers.h"
#include "isa/opcode.h"
#include <cstdint>

namespace lyra::alu {

/// Bits of TRAPSTS.EXCP and MODE.EXCP_EN (Vega ISA tables 4 and 5); then those that only TRAPSTS has (table 5; XNACK_ERROR: Linux' cwsr_trap_handler_gfx9.asm).
namespace exception_bit {
constexpr uint32_t invalid = 1, input_denormal = 2, div0 = 4, overflow = 8, underflow = 16, inexact = 32, int_div0 = 64, address_watch = 128, memory_violation = 256;
constexpr uint32_t all_float = 0x7f;
constexpr uint32_t save_context = 1u << 10, illegal_instruction = 1u << 11, xnack_error = 1u << 28;
} // namespace exception_bit

/// Operands of one lane as the operation sees them (behind DPP, SDWA, selects, abs and neg): halves, floats and doubles as their bits, integers as they are.
struct exception_operands {
  uint64_t s[3] = {0, 0, 0};
  bool bit = false; ///< VCC of the lane (V_DIV_FMAS)
  bool nan_signals = false; ///< V_CMP with CLAMP: any NaN is invalid, not only a signalling one
};

/// Can `id` raise any?
bool raises_exceptions(isa::op id);

/// The exceptions that one lane raises under MODE `mode`. Rules, IEEE 754 with the ISA's additions:
///  - a signalling NaN is invalid wherever a number is computed, compared or converted; V_CMP_CLASS, moves and V_DIV_SCALE raise nothing;
///  - V_CMP and V_CMPX with CLAMP: a quiet NaN is invalid too (ISA 6.5 and 12.9.1; without CLAMP only a signalling one, as IEEE 754 has it and the
///    manual of the first GCN says of V_CMP, whose V_CMPS the bit has replaced);
///  - input denormal: an operand is denormal and MODE lets it in (one that is flushed does not count);
///  - underflow: the result is tiny after rounding and inexact, or flushed; overflow: rounded beyond the largest number;
///  - V_MAD and V_MAC: product and sum each; V_RCP_IFLAG_F32: integer division by zero and nothing else (ISA 12: "can only raise integer DIV_BY_ZERO");
///  - to integers: NaN and out of range are invalid, a dropped fraction is inexact; normalised conversions clamp without an exception;
///  - V_TRUNC, V_CEIL, V_FLOOR, V_RNDNE, V_FREXP raise no inexact;
///  - V_DIV_FIXUP raises what the whole division does of invalid, input denormal and division by zero, and overflow or underflow where it puts in the result;
///  - V_INTERP_P1 and P2: those of V_MAD_F32, into which the sequencer translates them (AMD's description in gem5's vega/insts/vinterp.cc), and of the
///    rounding to a half; V_INTERP_MOV is a move;
///  - CLAMP to [0, 1] chooses and raises nothing; OMOD is modifier_exceptions().
uint32_t float_exceptions(isa::op id, const exception_operands& o, uint32_t mode);

/// Bits of a finished result as OMOD takes it: a half, a float or a double.
enum class result_format : uint8_t { f16, f32, f64 };
/// What OMOD raises that multiplies the finished `result` by `factor` (2, 4, 0.5). The ISA says of it no more than that it multiplies the result (6.2.2), so
/// these are the exceptions of that product: overflow beyond the largest number; underflow where it is a denormal, which is always flushed, as OMOD acts
/// only where MODE flushes results. Both are inexact. Nothing else can happen: the factor is a power of two, the result is no operand from outside.
uint32_t modifier_exceptions(double result, double factor, result_format f);

/// Puts the exceptions of one lane into TRAPSTS.EXCP and `raised`. TRAPSTS.EXCP_CYCLE [21:16] keeps when the first enabled one came: its phase (lanes 0-15
/// are phase 0, 48-63 phase 3; ISA 3.10.1). Call it for the lanes of an instruction in ascending order. The passes of instructions that take more than four
/// cycles ([19:18], [21:20]) stay 0: which lanes go in which pass is not published.
inline void record_exceptions(wave_registers& w, uint32_t raised, unsigned lane) {
  const uint32_t enabled = w.mode >> mode_bit::excp_en & exception_bit::all_float;
  if ((raised & enabled) && !(w.trapsts & enabled)) w.trapsts = (w.trapsts & ~(63u << 16)) | (lane >> 4) << 16;
  w.raised |= raised;
  w.trapsts |= raised;
}

} // namespace lyra::alu
