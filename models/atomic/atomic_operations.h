// SPDX-License-Identifier: Apache-2.0
// What an atomic operation does to memory (Vega ISA, chapters 8 and 9: BUFFER_ATOMIC, FLAT_ATOMIC, DS atomics). Plain C++.
#pragma once
#include "isa/opcode.h"
#include <cstdint>

namespace lyra::atomic {

/// New value of a 4- or 8-byte location that holds `memory`. Values are the low `bytes` bytes.
///   swap: operand. cmpswap: operand where memory == compare. inc: memory >= operand ? 0 : memory + 1. dec: memory == 0 or memory > operand ?
///   operand : memory - 1 (both unsigned). fcmpswap compares as floats (-0 == +0, NaN equals nothing). fmin, fmax: operand < memory (>) ?
///   operand : memory, so a NaN on either side leaves memory alone. fadd: round to nearest even.
uint64_t apply(isa::atomic_operation operation, unsigned bytes, uint64_t memory, uint64_t operand, uint64_t compare);

} // namespace lyra::atomic
