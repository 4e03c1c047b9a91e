// SPDX-License-Identifier: Apache-2.0
// Which floating-point exceptions an operation raises (TRAPSTS.EXCP, Vega ISA 3.10). Asked only where somebody can see them: handlers of bind_recording().
#pragma once
#include "isa/opcode.h"
#include <cstdint>

namespace lyra::alu {

/// Bits of TRAPSTS.EXCP and MODE.EXCP_EN (Vega ISA tables 4 and 5).
namespace exception_bit {
constexpr uint32_t invalid = 1, input_denormal = 2, div0 = 4, overflow = 8, underflow = 16, inexact = 32, int_div0 = 64, address_watch = 128, memory_violation = 256;
constexpr uint32_t all_float = 0x7f;
} // namespace exception_bit

/// Operands of one lane as the operation sees them (behind DPP, SDWA, selects, abs and neg): halves, floats and doubles as their bits, integers as they are.
struct exception_operands {
  uint64_t s[3] = {0, 0, 0};
  bool bit = false; ///< VCC of the lane (V_DIV_FMAS)
};

/// Can `id` raise any?
bool raises_exceptions(isa::op id);

/// The exceptions that one lane raises under MODE `mode`. Rules, IEEE 754 with the ISA's additions:
///  - a signalling NaN is invalid wherever a number is computed, compared or converted; V_CMP_CLASS, moves and V_DIV_SCALE raise nothing;
///  - input denormal: an operand is denormal and MODE lets it in (one that is flushed does not count);
///  - underflow: the result is tiny after rounding and inexact, or flushed; overflow: rounded beyond the largest number;
///  - V_MAD and V_MAC: product and sum each; V_RCP_IFLAG_F32: integer division by zero and nothing else (ISA 12: "can only raise integer DIV_BY_ZERO");
///  - to integers: NaN and out of range are invalid, a dropped fraction is inexact; normalised conversions clamp without an exception;
///  - V_TRUNC, V_CEIL, V_FLOOR, V_RNDNE, V_FREXP raise no inexact;
///  - V_DIV_FIXUP raises what the whole division does of invalid, input denormal and division by zero, and overflow or underflow where it puts in the result;
///  - OMOD and CLAMP raise nothing.
uint32_t float_exceptions(isa::op id, const exception_operands& o, uint32_t mode);

} // namespace lyra::alu
