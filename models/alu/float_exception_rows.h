// SPDX-License-Identifier: Apache-2.0
// Which rule of float_exceptions.cpp each operation follows: a row an operation.
#pragma once
#include "alu/float_exceptions.h"

namespace lyra::alu::exception_rows {

enum class format : uint8_t { f16, f32, f64 };

/// What the operation does, as far as exceptions go.
enum class what : uint8_t {
  none, add, sub, mul, fma, mad, mul_legacy, mad_legacy, dot2, choose, fract, ldexp, rcp, rcp_iflag, sqrt, rsq, exp, log, turn, to_i32, to_u32, to_i32_floor, to_i32_round,
  to_i16, to_u16, norm_signed, norm_unsigned, from_i32, from_u32, from_i16, from_u16, to_f16, to_f32, pkrtz, pk_u8, fixup, fmas, doubled
};
/// `operands`: how many of them are floating numbers.
struct row { what w = what::none; format f = format::f32; uint8_t operands = 0; };

/// Rule `none` where the operation raises nothing.
const row& row_of(isa::op id);

} // namespace lyra::alu::exception_rows
