// SPDX-License-Identifier: Apache-2.0
// Lane functions shared by the floating-point sources: denormal flush by MODE, minimum and maximum with the ISA's NaN and zero rules.
#pragma once
#include "alu/vector_host.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

constexpr u32 all_ones = ~0u;

inline float flush_in(const environment& e, float v) {
  const u32 b = bits_as<u32>(v);
  return bits_as<float>(b & (b & 0x7f800000u ? ~0u : e.keep_in32));
}
inline float flush_out(const environment& e, float v) {
  const u32 b = bits_as<u32>(v);
  return bits_as<float>(b & (b & 0x7f800000u ? ~0u : e.keep_out32));
}
inline double flush_in(const environment& e, double v) {
  const u64 b = bits_as<u64>(v);
  return bits_as<double>(b & (b & 0x7ffull << 52 ? ~0ull : e.keep_in64));
}
inline double flush_out(const environment& e, double v) {
  const u64 b = bits_as<u64>(v);
  return bits_as<double>(b & (b & 0x7ffull << 52 ? ~0ull : e.keep_out64));
}
/// Denormals to zero whatever MODE says (transcendental functions: the hardware knows none).
inline float flush_always(float v) {
  const u32 b = bits_as<u32>(v);
  return bits_as<float>(b & (b & 0x7f800000u ? ~0u : 0x80000000u));
}

inline bool is_signalling(float v) { return is_nan(v) && !(bits_as<u32>(v) & 0x400000u); }
inline bool is_signalling(double v) { return is_nan(v) && !(bits_as<u64>(v) & 1ull << 51); }
inline bool sign_of(float v) { return bits_as<u32>(v) >> 31; }
inline bool sign_of(double v) { return bits_as<u64>(v) >> 63; }

/// V_MIN_*, V_MAX_* (Vega ISA 12: pseudo code): in IEEE mode a signalling NaN comes out quieted; otherwise a NaN loses against a number;
/// -0 is below +0.
template <class T> inline T lesser(const environment& e, T a, T b) {
  const T less = a < b ? a : b < a ? b : sign_of(a) ? a : b;
  const T number = is_nan(a) ? b : is_nan(b) ? a : less;
  return e.ieee && is_signalling(a) ? quiet(a) : e.ieee && is_signalling(b) ? quiet(b) : number;
}
template <class T> inline T greater(const environment& e, T a, T b) {
  const T more = a > b ? a : b > a ? b : sign_of(a) ? b : a;
  const T number = is_nan(a) ? b : is_nan(b) ? a : more;
  return e.ieee && is_signalling(a) ? quiet(a) : e.ieee && is_signalling(b) ? quiet(b) : number;
}
template <class T> inline T lesser3(const environment& e, T a, T b, T c) { return lesser(e, lesser(e, a, b), c); }
template <class T> inline T greater3(const environment& e, T a, T b, T c) { return greater(e, greater(e, a, b), c); }
/// V_MED3_*: with any NaN the minimum of three; otherwise the middle one.
template <class T> inline T middle(const environment& e, T a, T b, T c) {
  const T low = lesser(e, a, b), high = greater(e, a, b);
  const T m = greater(e, low, lesser(e, high, c));
  return is_nan(a) || is_nan(b) || is_nan(c) ? lesser3(e, a, b, c) : m;
}

/// Rounding to integers, right in every rounding mode of the host. (Without SSE4.1 the compiler's own expansion adds and subtracts a large number.)
#ifdef __SSE4_1__
inline float whole_down(float v) { return __builtin_floorf(v); }
inline float whole_up(float v) { return __builtin_ceilf(v); }
inline float whole_toward_zero(float v) { return __builtin_truncf(v); }
inline double whole_down(double v) { return __builtin_floor(v); }
inline double whole_up(double v) { return __builtin_ceil(v); }
inline double whole_toward_zero(double v) { return __builtin_trunc(v); }
#else
inline float whole_toward_zero(float v) {
  const float t = __builtin_copysignf(float(i32(v)), v);
  return __builtin_fabsf(v) < 0x1p23f ? t : v;
}
inline double whole_toward_zero(double v) {
  const double t = __builtin_copysign(double(i64(v)), v);
  return __builtin_fabs(v) < 0x1p52 ? t : v;
}
template <class T> inline T whole_down(T v) {
  const T t = whole_toward_zero(v);
  return t > v ? t - 1 : t;
}
template <class T> inline T whole_up(T v) { return -whole_down(-v); }
#endif

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// 2^n as a double, n in -1022..1023.
inline double power_of_two(i32 n) { return bits_as<double>(u64(i64(n) + 1023) << 52); }

/// Moves `v` (rounded to nearest from `v + rest`) so that a second rounding to fewer bits rounds the exact value once ("round to odd").
inline float to_odd(float v, float rest) {
  const u32 b = bits_as<u32>(v);
  const bool inexact = rest > 0 || rest < 0;
  const u32 step = (rest > 0) == !sign_of(v) ? 1u : ~0u;
  return bits_as<float>(inexact && !(b & 1) ? b + step : b);
}
inline double to_odd(double v, double rest) {
  const u64 b = bits_as<u64>(v);
  const bool inexact = rest > 0 || rest < 0;
  const u64 step = (rest > 0) == !sign_of(v) ? 1ull : ~0ull;
  return bits_as<double>(inexact && !(b & 1) ? b + step : b);
}

} // namespace lyra::alu::LYRA_ALU_LEVEL
