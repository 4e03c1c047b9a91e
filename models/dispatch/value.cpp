// SPDX-License-Identifier: Apache-2.0
#include "dispatch/value.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace lyra::dispatch {

const std::vector<std::string>& data_type_names() {
  static const std::vector<std::string> names{"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
  return names;
}

const char* name(data_type t) { return data_type_names()[unsigned(t)].c_str(); }

bool find_data_type(std::string_view text, data_type& t) {
  const auto& names = data_type_names();
  for (unsigned i = 0; i < names.size(); ++i)
    if (names[i] == text) { t = data_type(i); return true; }
  return false;
}

namespace {
uint64_t mask_of(data_type t) { return size_of(t) == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * size_of(t))) - 1; }
} // namespace

bool from_integer(data_type t, int64_t value, uint64_t& bits) {
  if (is_float(t)) return from_double(t, double(value), bits);
  const unsigned w = 8 * size_of(t);
  if (is_signed(t)) {
    if (w < 64 && (value < -(int64_t(1) << (w - 1)) || value >= int64_t(1) << (w - 1))) return false;
  } else if (value < 0 || (w < 64 && value >= int64_t(1) << w)) {
    return false;
  }
  bits = uint64_t(value) & mask_of(t);
  return true;
}

bool from_unsigned(data_type t, uint64_t value, uint64_t& bits) {
  if (value <= uint64_t(INT64_MAX)) return from_integer(t, int64_t(value), bits);
  if (is_float(t)) return from_double(t, double(value), bits);
  if (t != data_type::u64) return false;
  bits = value;
  return true;
}

bool from_double(data_type t, double value, uint64_t& bits) {
  switch (t) {
    case data_type::f16: bits = half_from_double(value); break;
    case data_type::f32: {
      const float f = float(value);
      uint32_t u;
      std::memcpy(&u, &f, 4);
      bits = u;
      break;
    }
    case data_type::f64: std::memcpy(&bits, &value, 8); break;
    default: return false;
  }
  return !(std::isfinite(value) && std::isinf(to_double(t, bits)));
}

double to_double(data_type t, uint64_t bits) {
  if (t == data_type::f16) return half_to_double(uint16_t(bits));
  if (t == data_type::f32) {
    const uint32_t u = uint32_t(bits);
    float f;
    std::memcpy(&f, &u, 4);
    return f;
  }
  if (t == data_type::f64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  return double(to_integer(t, bits));
}

wide_integer to_integer(data_type t, uint64_t bits) {
  switch (t) {
    case data_type::i8: return int8_t(bits);
    case data_type::i16: return int16_t(bits);
    case data_type::i32: return int32_t(bits);
    case data_type::i64: return int64_t(bits);
    default: return bits & mask_of(t);
  }
}

std::string to_text(data_type t, uint64_t bits) {
  switch (t) {
    case data_type::f16: return fmt::format("{}", float(half_to_double(uint16_t(bits))));
    case data_type::f32: return fmt::format("{}", float(to_double(t, bits)));
    case data_type::f64: return fmt::format("{}", to_double(t, bits));
    case data_type::i8: case data_type::i16: case data_type::i32: case data_type::i64: return fmt::format("{}", int64_t(to_integer(t, bits)));
    default: return fmt::format("{}", bits & mask_of(t));
  }
}

uint16_t half_from_double(double v) {
  const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (std::isnan(v)) return sign | 0x7e00;
  const double a = std::fabs(v);
  if (a >= 65520.0) return sign | 0x7c00;
  if (a < std::ldexp(1.0, -14)) return sign | uint16_t(std::nearbyint(std::ldexp(a, 24))); // denormal; 1024 is the smallest normal
  int e;
  const double m = std::frexp(a, &e); // a = m * 2^e, m in [0.5, 1)
  const unsigned rounded = unsigned(std::nearbyint(std::ldexp(m, 11))); // 1024..2048
  return sign | uint16_t((unsigned(e + 14) << 10) + rounded - 1024);
}

double half_to_double(uint16_t h) {
  const unsigned e = h >> 10 & 31, m = h & 1023;
  double a;
  if (e == 31) a = m ? NAN : INFINITY;
  else if (e == 0) a = std::ldexp(double(m), -24);
  else a = std::ldexp(double(m + 1024), int(e) - 25);
  return h & 0x8000 ? -a : a;
}

bool parse_unsigned(std::string_view text, uint64_t& value) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) { base = 16; text.remove_prefix(2); }
  std::string digits;
  for (char c : text)
    if (c != '_') digits += c;
  const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return r.ec == std::errc() && r.ptr == digits.data() + digits.size();
}

bool parse_hex_bytes(std::string_view text, std::vector<uint8_t>& bytes) {
  bytes.clear();
  int high = -1;
  for (char c : text) {
    int d;
    if (c >= '0' && c <= '9') d = c - '0';
    else if (c >= 'a' && c <= 'f') d = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F') d = c - 'A' + 10;
    else if ((c == ' ' || c == '_') && high < 0) continue;
    else return false;
    if (high < 0) high = d;
    else { bytes.push_back(uint8_t(high << 4 | d)); high = -1; }
  }
  return high < 0;
}

} // namespace lyra::dispatch
