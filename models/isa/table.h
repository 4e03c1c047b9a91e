// SPDX-License-Identifier: Apache-2.0
// Names of the table's enumerations, for messages and listings.
#pragma once
#include "isa/instruction.h"

namespace lyra::isa {

/// "SOP1" ... "EXP".
const char* name_of(encoding e);

/// The untyped register operand of `dwords` dwords (none for 0 or a size that no instruction has).
constexpr operand_type register_type(unsigned dwords) {
  switch (dwords) {
    case 1: return operand_type::b32;
    case 2: return operand_type::b64;
    case 3: return operand_type::b96;
    case 4: return operand_type::b128;
    case 5: return operand_type::b160;
    case 8: return operand_type::b256;
    case 16: return operand_type::b512;
    default: return operand_type::none;
  }
}

/// A name for a scalar operand code: s7, vcc_lo, m0, exec_hi ...; for `dwords` > 1 the tuple (s[4:7], vcc, ttmp[0:3]). Codes of constants: null.
/// The text is written to `buffer` (at least 24 characters).
const char* scalar_name(unsigned code, unsigned dwords, char* buffer);

} // namespace lyra::isa
