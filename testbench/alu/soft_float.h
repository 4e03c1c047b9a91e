// SPDX-License-Identifier: Apache-2.0
// Reference floating-point operations on bits, by exact arithmetic and one rounding. Shares nothing with the model.
#pragma once
#include "alu/exact.h"
#include <initializer_list>

namespace alu_test {

struct float_mode {
  rounding how = rounding::nearest;
  bool flush_in = false, flush_out = false;
};

/// MODE's fields for a precision (bits 1:0 rounding, bits 5:4 denormals of f32; 3:2 and 7:6 of f64 and f16).
inline float_mode mode_for(uint32_t mode, format f) {
  const bool single = f.mantissa_bits == 23;
  const unsigned r = mode >> (single ? 0 : 2) & 3, d = mode >> (single ? 4 : 6) & 3;
  static const rounding table[4] = {rounding::nearest, rounding::up, rounding::down, rounding::zero};
  return {table[r], !(d & 1), !(d & 2)};
}

inline uint64_t sign_bit(format f) { return 1ull << (f.exponent_bits + f.mantissa_bits); }
inline uint64_t infinity_of(format f) { return ((1ull << f.exponent_bits) - 1) << f.mantissa_bits; }
inline uint64_t magnitude(uint64_t b, format f) { return b & (sign_bit(f) - 1); }
inline bool is_nan_bits(uint64_t b, format f) { return magnitude(b, f) > infinity_of(f); }
inline bool is_inf_bits(uint64_t b, format f) { return magnitude(b, f) == infinity_of(f); }
inline bool is_zero_bits(uint64_t b, format f) { return magnitude(b, f) == 0; }
inline bool is_denormal_bits(uint64_t b, format f) { return magnitude(b, f) != 0 && magnitude(b, f) >> f.mantissa_bits == 0; }
inline bool is_negative_bits(uint64_t b, format f) { return b & sign_bit(f); }
inline uint64_t quiet_bits(uint64_t b, format f) { return b | 1ull << (f.mantissa_bits - 1); }
inline bool is_signalling_bits(uint64_t b, format f) { return is_nan_bits(b, f) && !(b >> (f.mantissa_bits - 1) & 1); }
inline uint64_t invalid_bits(format f) { return sign_bit(f) | quiet_bits(infinity_of(f), f); }
inline uint64_t one_bits(format f) { return ((1ull << (f.exponent_bits - 1)) - 1) << f.mantissa_bits; }

inline uint64_t flushed(uint64_t b, format f, bool flush) { return flush && is_denormal_bits(b, f) ? b & sign_bit(f) : b; }

inline bool first_nan_of(std::initializer_list<uint64_t> list, format f, uint64_t& out) {
  for (uint64_t b : list)
    if (is_nan_bits(b, f)) {
      out = quiet_bits(b, f);
      return true;
    }
  return false;
}

/// a * b + c rounded once to `to` (equal to f, or wider/narrower). `c` absent: a * b. `a` alone with b = 1 is a conversion.
inline uint64_t soft_fma(uint64_t a, uint64_t b, uint64_t c, format f, float_mode m) {
  a = flushed(a, f, m.flush_in), b = flushed(b, f, m.flush_in), c = flushed(c, f, m.flush_in);
  uint64_t nan;
  if (first_nan_of({a, b, c}, f, nan)) return nan;
  const bool sign = is_negative_bits(a, f) != is_negative_bits(b, f);
  if (is_inf_bits(a, f) || is_inf_bits(b, f)) {
    if (is_zero_bits(a, f) || is_zero_bits(b, f)) return invalid_bits(f);
    if (is_inf_bits(c, f) && is_negative_bits(c, f) != sign) return invalid_bits(f);
    return (sign ? sign_bit(f) : 0) | infinity_of(f);
  }
  if (is_inf_bits(c, f)) return c;
  const exact p = exact::of(a, f) * exact::of(b, f), x = exact::of(c, f);
  const exact s = p + x;
  bool zero_negative = m.how == rounding::down;
  if (p.is_zero() && x.is_zero()) zero_negative = sign == is_negative_bits(c, f) ? sign : m.how == rounding::down;
  return s.round(f, m.how, zero_negative, m.flush_out);
}
inline uint64_t soft_mul(uint64_t a, uint64_t b, format f, float_mode m) {
  a = flushed(a, f, m.flush_in), b = flushed(b, f, m.flush_in);
  uint64_t nan;
  if (first_nan_of({a, b}, f, nan)) return nan;
  const bool sign = is_negative_bits(a, f) != is_negative_bits(b, f);
  if (is_inf_bits(a, f) || is_inf_bits(b, f)) {
    if (is_zero_bits(a, f) || is_zero_bits(b, f)) return invalid_bits(f);
    return (sign ? sign_bit(f) : 0) | infinity_of(f);
  }
  return (exact::of(a, f) * exact::of(b, f)).round(f, m.how, sign, m.flush_out);
}
inline uint64_t soft_add(uint64_t a, uint64_t b, format f, float_mode m) {
  a = flushed(a, f, m.flush_in), b = flushed(b, f, m.flush_in);
  uint64_t nan;
  if (first_nan_of({a, b}, f, nan)) return nan;
  if (is_inf_bits(a, f)) return is_inf_bits(b, f) && a != b ? invalid_bits(f) : a;
  if (is_inf_bits(b, f)) return b;
  const bool zero_negative = is_zero_bits(a, f) && is_zero_bits(b, f) && is_negative_bits(a, f) == is_negative_bits(b, f) ? is_negative_bits(a, f) : m.how == rounding::down;
  return (exact::of(a, f) + exact::of(b, f)).round(f, m.how, zero_negative, m.flush_out);
}
inline uint64_t soft_sub(uint64_t a, uint64_t b, format f, float_mode m) {
  return soft_add(a, is_nan_bits(b, f) ? b : b ^ sign_bit(f), f, m);
}
/// Product and sum rounded each (V_MAD, V_MAC): denormals are flushed everywhere.
inline uint64_t soft_mad(uint64_t a, uint64_t b, uint64_t c, format f, float_mode m) {
  m.flush_in = m.flush_out = true;
  uint64_t nan;
  if (first_nan_of({a, b, c}, f, nan)) return nan;
  return soft_add(soft_mul(a, b, f, m), c, f, m);
}

/// From one format to another.
inline uint64_t soft_convert(uint64_t a, format from, format to, rounding how, bool flush_in, bool flush_out) {
  a = flushed(a, from, flush_in);
  const uint64_t sign = is_negative_bits(a, from) ? sign_bit(to) : 0;
  if (is_nan_bits(a, from)) {
    const uint64_t payload = a & ((1ull << from.mantissa_bits) - 1);
    const int d = to.mantissa_bits - from.mantissa_bits;
    return quiet_bits(sign | infinity_of(to) | (d >= 0 ? payload << d : payload >> -d), to);
  }
  if (is_inf_bits(a, from)) return sign | infinity_of(to);
  return exact::of(a, from).round(to, how, is_negative_bits(a, from), flush_out);
}

/// Numbers as a totally ordered key: -0 below +0.
inline __int128 order_key(uint64_t b, format f) {
  const __int128 m = magnitude(b, f);
  return is_negative_bits(b, f) ? -1 - m : m;
}
inline uint64_t soft_min(uint64_t a, uint64_t b, format f, bool flush, bool ieee, bool maximum) {
  a = flushed(a, f, flush), b = flushed(b, f, flush);
  if (ieee && is_signalling_bits(a, f)) return quiet_bits(a, f);
  if (ieee && is_signalling_bits(b, f)) return quiet_bits(b, f);
  if (is_nan_bits(a, f)) return b;
  if (is_nan_bits(b, f)) return a;
  const bool a_less = order_key(a, f) < order_key(b, f);
  return a_less != maximum ? a : b;
}

} // namespace alu_test
