// SPDX-License-Identifier: Apache-2.0
// Typed scalars of job files: kernel arguments, fills, expected values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lyra::dispatch {

enum class data_type : uint8_t { u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64 };

const char* name(data_type t);
/// All type names, in the order of the enumeration.
const std::vector<std::string>& data_type_names();
bool find_data_type(std::string_view text, data_type& t);
constexpr unsigned size_of(data_type t) {
  switch (t) {
    case data_type::u8: case data_type::i8: return 1;
    case data_type::u16: case data_type::i16: case data_type::f16: return 2;
    case data_type::u32: case data_type::i32: case data_type::f32: return 4;
    default: return 8;
  }
}
constexpr bool is_float(data_type t) { return t >= data_type::f16; }
constexpr bool is_signed(data_type t) { return t >= data_type::i8 && t <= data_type::i64; }

/// A scalar: its type and its bits, zero-extended.
struct scalar {
  data_type type = data_type::u32;
  uint64_t bits = 0;
};

/// The bits of an integer in a type; false when it is out of range. Float types take the nearest value.
bool from_integer(data_type t, int64_t value, uint64_t& bits);
/// As above for values of 2^63 and more.
bool from_unsigned(data_type t, uint64_t value, uint64_t& bits);
/// The nearest value of a float type (round to nearest even); false for integer types and where a finite value becomes infinite.
bool from_double(data_type t, double value, uint64_t& bits);
/// Value of a float type.
double to_double(data_type t, uint64_t bits);
/// Integer types: the sign-extended value.
__extension__ typedef __int128 wide_integer;
wide_integer to_integer(data_type t, uint64_t bits);
/// "3.5", "-7", "0x1f (31)": shortest text that reads back to the same value.
std::string to_text(data_type t, uint64_t bits);

/// IEEE half precision, round to nearest even, denormals kept.
uint16_t half_from_double(double v);
double half_to_double(uint16_t h);

/// Parses "0x..." or decimal, all of it; false when it is no number below 2^64.
bool parse_unsigned(std::string_view text, uint64_t& value);
/// Parses hex digits (blanks and '_' between bytes allowed) to bytes; false when it is no even number of hex digits.
bool parse_hex_bytes(std::string_view text, std::vector<uint8_t>& bytes);

} // namespace lyra::dispatch
