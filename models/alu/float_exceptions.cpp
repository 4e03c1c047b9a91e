// SPDX-License-Identifier: Apache-2.0
// One lane at a time on the host's own floating-point flags (MXCSR has the same six in the same order) where the host does the same operation; computed where it does not.
#include "alu/float_exception_rows.h"
#include "isa/instruction.h"
#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <limits>

namespace lyra::alu {

using isa::op;
using namespace exception_bit;
using exception_rows::format;
using exception_rows::row;
using exception_rows::row_of;
using exception_rows::what;

namespace {

template <class To, class From> To bits_as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}

/// What MODE says for one operation.
struct rules {
  unsigned round32, round64;
  bool in32, out32, in64, out64; ///< denormals allowed
  explicit rules(uint32_t mode) : round32(mode & 3), round64(mode >> 2 & 3), in32(mode >> 4 & 1), out32(mode >> 5 & 1), in64(mode >> 6 & 1), out64(mode >> 7 & 1) {}
};

unsigned control(unsigned round, bool in, bool out) {
  static const unsigned rounding[4] = {0, 2u << 13, 1u << 13, 3u << 13};
  return 0x1f80u | rounding[round & 3] | (in ? 0 : 1u << 6) | (out ? 0 : 1u << 15);
}

/// Flags of an expression: operands and result go through volatile, so that the host evaluates it here and only once.
template <class F> uint32_t flags(unsigned mxcsr, F f) {
  const unsigned old = _mm_getcsr();
  _mm_setcsr(mxcsr);
  f();
  const uint32_t r = _mm_getcsr() & 0x3f;
  _mm_setcsr(old);
  return r;
}
template <class T> uint32_t add(T a, T b, unsigned c) {
  volatile T x = a, y = b, z;
  return flags(c, [&] { z = x + y; });
}
template <class T> uint32_t multiply(T a, T b, unsigned c, T* result = nullptr) {
  volatile T x = a, y = b, z;
  const uint32_t f = flags(c, [&] { z = x * y; });
  if (result) *result = z;
  return f;
}
template <class T> uint32_t fused(T a, T b, T d, unsigned c) {
  volatile T x = a, y = b, w = d, z;
  return flags(c, [&] { z = std::fma(x, y, w); });
}
template <class T> uint32_t divide(T a, T b, unsigned c) {
  volatile T x = a, y = b, z;
  return flags(c, [&] { z = x / y; });
}
uint32_t narrow_to_float(double v, unsigned c) {
  volatile double x = v;
  volatile float z;
  return flags(c, [&] { z = float(x); });
}

float single(uint64_t b) { return bits_as<float>(uint32_t(b)); }
double wide(uint64_t b) { return bits_as<double>(b); }
double half(uint64_t b) {
  const int e = int(b >> 10 & 31), m = int(b & 0x3ff);
  const double v = e == 31 ? (m ? double(NAN) : double(INFINITY)) : e == 0 ? std::ldexp(double(m), -24) : std::ldexp(double(m + 1024), e - 25);
  return b & 0x8000 ? -v : v;
}

struct field { int mantissa; uint64_t infinity, sign; };
field field_of(format f) {
  switch (f) {
    case format::f16: return {10, 0x7c00, 0x8000};
    case format::f32: return {23, 0x7f800000u, 0x80000000u};
    default: return {52, 0x7ffull << 52, 1ull << 63};
  }
}
uint64_t magnitude(uint64_t b, format f) { return b & (field_of(f).sign - 1); }
bool is_nan(uint64_t b, format f) { return magnitude(b, f) > field_of(f).infinity; }
bool is_signalling(uint64_t b, format f) { return is_nan(b, f) && !(b >> (field_of(f).mantissa - 1) & 1); }
bool is_denormal(uint64_t b, format f) { return magnitude(b, f) != 0 && magnitude(b, f) >> field_of(f).mantissa == 0; }
bool is_infinite(uint64_t b, format f) { return magnitude(b, f) == field_of(f).infinity; }
bool denormals_in(const rules& r, format f) { return f == format::f32 ? r.in32 : r.in64; }
bool is_zero(uint64_t b, format f, bool flush) { return magnitude(b, f) == 0 || (flush && is_denormal(b, f)); }

/// Signalling NaNs and denormals among the first `n` operands.
uint32_t operands(const exception_operands& o, unsigned n, format f, const rules& r) {
  uint32_t e = 0;
  for (unsigned k = 0; k < n; ++k) {
    if (is_signalling(o.s[k], f)) e |= invalid;
    if (is_denormal(o.s[k], f) && denormals_in(r, f)) e |= input_denormal;
  }
  return e;
}

/// A number rounded to a half: what is lost on the way.
uint32_t to_half(double v, unsigned round, bool out) {
  if (v == 0 || std::isnan(v) || std::isinf(v)) return 0;
  const double a = std::fabs(v);
  const auto rounded = [&](int exponent) { // to a multiple of 2^exponent
    const double n = std::ldexp(a, -exponent), down = std::floor(n), rest = n - down;
    const bool away = round == 1 ? v > 0 : round == 2 && v < 0;
    const bool up = round == 0 ? rest > .5 || (rest == .5 && std::fmod(down, 2) == 1) : away && rest > 0;
    return std::ldexp(down + up, exponent);
  };
  const int e = std::ilogb(a);
  const double kept = rounded((e < -14 ? -14 : e) - 10);
  if (kept >= 65536) return overflow | inexact;
  const bool tiny = rounded(e - 10) < 0x1p-14;
  uint32_t r = kept != a ? inexact : 0;
  if (tiny && (r || !out)) r |= underflow | (out ? 0 : inexact);
  return r;
}
/// The double made odd where it is not the exact value, so that one more rounding sees that.
double to_odd(double v, double rest) {
  if (rest == 0 || (bits_as<uint64_t>(v) & 1)) return v;
  return std::nextafter(v, rest > 0 ? double(INFINITY) : -double(INFINITY));
}
double exact_fused(double a, double b, double c) { // product exact in double
  const double p = a * b, s = p + c, t = s - p;
  return to_odd(s, (p - (s - t)) + (c - t));
}
double flushed_half(uint64_t b, bool in) { return !in && is_denormal(b, format::f16) ? half(b & 0x8000) : half(b); }
double round_half(double v, unsigned round) { // flushing, as V_MAD_F16's product
  if (v == 0 || std::isnan(v) || std::isinf(v)) return v;
  const int e = std::ilogb(v);
  if (std::fabs(v) < 0x1p-14) return 0 * v;
  const double n = std::ldexp(v, 10 - e);
  const double k = round == 0 ? std::nearbyint(n) : round == 1 ? std::ceil(n) : round == 2 ? std::floor(n) : std::trunc(n);
  const double r = std::ldexp(k, e - 10);
  return std::fabs(r) >= 65536 ? (v > 0 ? double(INFINITY) : -double(INFINITY)) : r;
}
bool invalid_product(double a, double b) { return (std::isinf(a) && b == 0) || (a == 0 && std::isinf(b)); }
bool invalid_sum(double a, double b) { return std::isinf(a) && std::isinf(b) && a != b; }

uint32_t arithmetic_half(what w, const exception_operands& o, const rules& r) {
  const bool flush = w == what::mad, in = r.in64 && !flush, out = r.out64 && !flush;
  const double a = flushed_half(o.s[0], in), b = flushed_half(o.s[1], in), c = flushed_half(o.s[2], in);
  switch (w) {
    case what::add: return invalid_sum(a, b) ? invalid : to_half(a + b, r.round64, out);
    case what::sub: return invalid_sum(a, -b) ? invalid : to_half(a - b, r.round64, out);
    case what::mul: return invalid_product(a, b) ? invalid : to_half(a * b, r.round64, out);
    case what::fma:
      if (invalid_product(a, b) || invalid_sum(a * b, c)) return invalid;
      if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isinf(a) || std::isinf(b) || std::isinf(c)) return 0;
      return to_half(exact_fused(a, b, c), r.round64, out);
    default: { // mad: the product is rounded first
      if (invalid_product(a, b)) return invalid;
      const uint32_t product = to_half(a * b, r.round64, false);
      const double p = round_half(a * b, r.round64);
      if (invalid_sum(p, c)) return product | invalid;
      return product | to_half(p + c, r.round64, false);
    }
  }
}

template <class T> uint32_t arithmetic(what w, T a, T b, T d, unsigned c) {
  switch (w) {
    case what::add: return add(a, b, c);
    case what::sub: return add(a, T(-b), c);
    case what::mul: return multiply(a, b, c);
    case what::fma: return fused(a, b, d, c);
    case what::mul_legacy: return multiply(a, b, c);
    default: {
      T p;
      const uint32_t e = multiply(a, b, c, &p);
      return e | add(p, d, c);
    }
  }
}

uint32_t quotient_half(double r, bool more, const rules& m) { return to_half(more ? to_odd(r, 1) : r, m.round64, m.out64) | (more ? inexact : 0); }

/// Reciprocal, roots, exponential, logarithm, sine and cosine. Single precision flushes denormals on both sides; halves and doubles follow MODE.
uint32_t function(what w, format f, uint64_t bits, const rules& r) {
  const bool in = f != format::f32 && r.in64, out = f != format::f32 && r.out64;
  if (is_nan(bits, f)) return is_signalling(bits, f) ? invalid : 0;
  if (!in && is_denormal(bits, f)) bits &= field_of(f).sign;
  const uint32_t denormal = is_denormal(bits, f) ? input_denormal : 0;
  const double v = f == format::f16 ? half(bits) : f == format::f32 ? double(single(bits)) : wide(bits);
  const auto result = [&](double y, bool more) -> uint32_t { // y: the value to double precision; `more`: it is not exact
    if (f == format::f16) return denormal | quotient_half(y, more, r);
    const double a = std::fabs(y);
    uint32_t e = denormal | (more ? inexact : 0);
    if (f == format::f32) {
      if (a >= 0x1p128) e |= overflow | inexact;
      else if (a < 0x1p-126 && y != 0) e |= underflow | inexact; // flushed
      else e |= double(float(y)) != y ? inexact : 0;
    } else if (a < 0x1p-1022 && (more || !out) && y != 0) e |= underflow | inexact;
    return e;
  };
  switch (w) {
    case what::rcp:
      if (v == 0) return div0 | denormal;
      if (std::isinf(v)) return denormal;
      if (f == format::f64) return divide(1., v, control(0, true, out)) | denormal;
      return result(1 / v, std::fma(1 / v, v, -1) != 0);
    case what::sqrt: case what::rsq:
      if (v < 0) return invalid | denormal;
      if (v == 0) return denormal | (w == what::rsq ? div0 : 0);
      if (std::isinf(v)) return denormal;
      {
        const double s = std::sqrt(v);
        const bool root_inexact = std::fma(s, s, -v) != 0;
        if (w == what::sqrt) return result(s, root_inexact);
        const double y = 1 / s;
        return result(y, root_inexact || std::fma(y, s, -1) != 0);
      }
    case what::exp:
      if (std::isinf(v)) return denormal;
      return result(std::exp2(v), v != std::trunc(v));
    case what::log: {
      if (v < 0) return invalid | denormal;
      if (v == 0) return div0 | denormal;
      if (std::isinf(v)) return denormal;
      int e;
      return result(std::log2(v), std::frexp(v, &e) != .5);
    }
    default: // sine and cosine of turns
      if (std::isinf(v)) return invalid;
      if (std::fabs(v) > 256) return denormal;
      return result(1, std::trunc(v * 4) != v * 4);
  }
}

uint32_t to_integer(double v, double low, double high, what w) {
  if (std::isnan(v)) return invalid;
  const double k = w == what::to_i32_floor ? std::floor(v) : w == what::to_i32_round ? std::floor(v + .5) : std::trunc(v);
  if (k < low || k > high) return invalid;
  return k != v ? inexact : 0;
}

uint32_t normalised(double v, bool is_signed) {
  if (std::isnan(v)) return invalid;
  if (v > 1 || v < (is_signed ? -1 : 0)) return 0;
  const double n = v * (is_signed ? 32767 : 65535); // exact: 24 and 16 bits
  return n != std::trunc(n) ? inexact : 0;
}

uint32_t fixup(const exception_operands& o, format f, const rules& r) {
  const uint64_t d = o.s[1], n = o.s[2];
  exception_operands both;
  both.s[0] = d, both.s[1] = n;
  uint32_t e = operands(both, 2, f, r);
  if (is_nan(d, f) || is_nan(n, f)) return e & invalid;
  const bool d0 = magnitude(d, f) == 0, n0 = magnitude(n, f) == 0, di = is_infinite(d, f), ni = is_infinite(n, f);
  if ((d0 && n0) || (di && ni)) return e | invalid;
  if (d0 && !ni) return e | div0;
  if (d0 || n0 || di || ni) return e;
  if (f == format::f16) return e;
  const int shift = field_of(f).mantissa, distance = int(magnitude(n, f) >> shift) - int(magnitude(d, f) >> shift);
  const int lost = f == format::f32 ? -150 : -1075, over = f == format::f32 ? 128 : 1024;
  if (distance < lost) e |= underflow | inexact;
  if (distance > over) e |= overflow | inexact;
  return e;
}

/// V_DIV_FMAS where VCC is set: the fused result times a power of two.
uint32_t scaled_fmas(const exception_operands& o, format f, unsigned c) {
  if (f == format::f32) {
    const float x = single(o.s[0]), y = single(o.s[1]), z = single(o.s[2]);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return fused(x, y, z, c);
    const double s = exact_fused(x, y, z);
    return narrow_to_float(std::ldexp(s, (o.s[2] >> 23 & 255) > 127 ? 64 : -64), c) | (fused(x, y, z, c) & input_denormal);
  }
  const double s = std::fma(wide(o.s[0]), wide(o.s[1]), wide(o.s[2]));
  const uint32_t first = fused(wide(o.s[0]), wide(o.s[1]), wide(o.s[2]), c);
  return first | (multiply(s, (o.s[2] >> 52 & 2047) > 1023 ? 0x1p128 : 0x1p-128, c) & ~input_denormal);
}

} // namespace

uint32_t modifier_exceptions(double result, double factor, result_format f) {
  const double size = std::fabs(result);
  if (!(size > 0) || std::isinf(size)) return 0; // NaN too
  const double largest = f == result_format::f16 ? 65504. : f == result_format::f32 ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  const double least = f == result_format::f16 ? 0x1p-14 : f == result_format::f32 ? 0x1p-126 : 0x1p-1022;
  if (size > largest / factor) return overflow | inexact;
  return size < least / factor ? underflow | inexact : 0;
}

bool raises_exceptions(isa::op id) { return row_of(id).w != what::none; }

uint32_t float_exceptions(isa::op id, const exception_operands& o, uint32_t mode) {
  const row& w = row_of(id);
  const rules r(mode);
  const unsigned single_control = control(r.round32, r.in32, r.out32), wide_control = control(r.round64, r.in64, r.out64), flush = control(r.round32, false, false);
  const format f = w.f;
  switch (w.w) {
    case what::none: return 0;
    case what::add: case what::sub: case what::mul: case what::fma: case what::mad: case what::mul_legacy: case what::mad_legacy: {
      if (f == format::f16) {
        rules in = r;
        if (w.w == what::mad) in.in64 = false;
        const uint32_t e = operands(o, w.operands, f, in);
        for (unsigned k = 0; k < (w.w == what::mad ? 2u : w.operands); ++k) if (is_nan(o.s[k], f)) return e & invalid; // the product of V_MAD is done whatever is added
        return e | arithmetic_half(w.w, o, r);
      }
      if (f == format::f64) return arithmetic(w.w, wide(o.s[0]), wide(o.s[1]), wide(o.s[2]), wide_control);
      const bool flushes = w.w == what::mad || w.w == what::mad_legacy;
      const unsigned c = flushes ? flush : single_control;
      const float a = single(o.s[0]), b = single(o.s[1]), d = single(o.s[2]);
      if ((w.w == what::mul_legacy || w.w == what::mad_legacy) && (is_zero(o.s[0], f, flushes || !r.in32) || is_zero(o.s[1], f, flushes || !r.in32))) {
        const uint32_t e = operands(o, 2, f, flushes ? rules(0) : r);
        return w.w == what::mul_legacy ? e : e | add(0.f, d, c);
      }
      const uint32_t e = arithmetic(w.w, a, b, d, c);
      const bool to_f16 = id == op::v_mad_mixlo_f16 || id == op::v_mad_mixhi_f16 || id == op::v_fma_mixlo_f16 || id == op::v_fma_mixhi_f16 || id == op::v_interp_p2_f16 ||
                          id == op::v_interp_p2_legacy_f16;
      return to_f16 ? e | to_half(w.w == what::fma ? double(std::fma(a, b, d)) : double(a * b + d), r.round64, r.out64) : e;
    }
    case what::dot2: { // low halves first
      const auto part = [&](unsigned n, int shift) { return float(half(o.s[n] >> shift & 0xffff)); };
      uint32_t e = 0;
      for (unsigned n = 0; n < 2; ++n) for (int shift : {0, 16}) if (is_signalling(o.s[n] >> shift & 0xffff, format::f16)) e |= invalid;
      volatile float low;
      e |= flags(single_control, [&] { low = std::fma(part(0, 0), part(1, 0), single(o.s[2])); });
      return e | fused(part(0, 16), part(1, 16), float(low), single_control);
    }
    case what::choose: return operands(o, w.operands, f, r) | (o.nan_signals && (is_nan(o.s[0], f) || is_nan(o.s[1], f)) ? invalid : 0);
    case what::doubled: {
      uint32_t e = operands(o, 3, f, r);
      float m = 0;
      for (uint64_t s : o.s) m = std::fmax(m, std::fabs(single(s)));
      return e | (multiply(2.f, m, single_control) & (overflow | inexact));
    }
    case what::fract: {
      const uint32_t e = operands(o, 1, f, r);
      if (is_nan(o.s[0], f)) return e;
      if (is_infinite(o.s[0], f)) return e | invalid;
      if (f == format::f16) { const double v = flushed_half(o.s[0], r.in64); return e | to_half(v - std::floor(v), r.round64, r.out64); }
      if (f == format::f32) return e | add(single(o.s[0]), -std::floor(single(o.s[0])), single_control);
      return e | add(wide(o.s[0]), -std::floor(wide(o.s[0])), wide_control);
    }
    case what::ldexp: {
      const uint32_t e = operands(o, 1, f, r);
      if (is_nan(o.s[0], f) || is_infinite(o.s[0], f) || is_zero(o.s[0], f, !denormals_in(r, f))) return e;
      if (f == format::f16) { const int n = int16_t(o.s[1]); return e | to_half(std::ldexp(half(o.s[0]), n < -100 ? -100 : n > 100 ? 100 : n), r.round64, r.out64); }
      int n = int32_t(o.s[1]);
      n = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
      if (f == format::f32) return e | (narrow_to_float(std::ldexp(double(single(o.s[0])), n < -700 ? -700 : n > 700 ? 700 : n), single_control) & ~input_denormal);
      int own;
      const double m = std::frexp(wide(o.s[0]), &own); // [0.5, 1)
      const int to = own + n;                          // result in [2^(to-1), 2^to)
      if (to > 1024) return e | overflow | inexact;
      if (to > -1021) return e;
      const double tail = std::ldexp(m, to + 1074 < -4 ? -4 : to + 1074), kept = std::trunc(tail); // in units of the smallest denormal
      const bool lost = to + 1074 < -4 || tail != kept;
      return e | (lost ? underflow | inexact : r.out64 ? 0 : underflow | inexact);
    }
    case what::rcp: case what::sqrt: case what::rsq: case what::exp: case what::log: case what::turn: return function(w.w, f, o.s[0], r);
    case what::rcp_iflag: return is_zero(o.s[0], f, true) ? int_div0 : 0;
    case what::to_i32: case what::to_u32: case what::to_i32_floor: case what::to_i32_round: case what::to_i16: case what::to_u16: {
      const double v = f == format::f16 ? flushed_half(o.s[0], r.in64) : f == format::f32 ? double(single(o.s[0])) : wide(o.s[0]);
      const uint32_t e = operands(o, 1, f, r);
      if (is_nan(o.s[0], f)) return invalid;
      const bool is16 = w.w == what::to_i16 || w.w == what::to_u16, no_sign = w.w == what::to_u32 || w.w == what::to_u16;
      const double low = no_sign ? 0 : is16 ? -32768. : -0x1p31, high = is16 ? (no_sign ? 65535. : 32767.) : no_sign ? 0x1p32 - 1 : 0x1p31 - 1;
      const double value = is_denormal(o.s[0], f) && !denormals_in(r, f) ? 0. : v;
      return e | to_integer(value, low, high, w.w);
    }
    case what::norm_signed: case what::norm_unsigned: {
      uint32_t e = operands(o, w.operands, f, r);
      for (unsigned k = 0; k < w.operands; ++k)
        e |= is_nan(o.s[k], f) ? invalid : normalised(f == format::f16 ? flushed_half(o.s[k], r.in64) : double(single(o.s[k])), w.w == what::norm_signed);
      return e;
    }
    case what::from_i32: return narrow_to_float(double(int32_t(o.s[0])), control(r.round32, true, true));
    case what::from_u32: return narrow_to_float(double(uint32_t(o.s[0])), control(r.round32, true, true));
    case what::from_i16: return to_half(double(int16_t(o.s[0])), r.round64, true);
    case what::from_u16: return to_half(double(uint16_t(o.s[0])), r.round64, true);
    case what::to_f16: return operands(o, 1, f, r) | (is_nan(o.s[0], f) ? 0 : to_half(single(o.s[0]), r.round64, r.out64));
    case what::to_f32: return narrow_to_float(wide(o.s[0]), control(r.round32, r.in64, r.out32));
    case what::pkrtz: {
      uint32_t e = operands(o, 2, f, r);
      for (int k = 0; k < 2; ++k) if (!is_nan(o.s[k], f)) e |= to_half(single(o.s[k]), 3, r.out64);
      return e;
    }
    case what::pk_u8: {
      const float v = single(o.s[0]);
      if (std::isnan(v)) return invalid;
      const uint32_t e = operands(o, 1, f, r);
      const double value = is_denormal(o.s[0], f) && !r.in32 ? 0. : double(v);
      return value < 0 || value > 255 ? e | invalid : value != std::trunc(value) ? e | inexact : e;
    }
    case what::fixup: return fixup(o, f, r);
    case what::fmas: {
      const unsigned c = f == format::f32 ? single_control : wide_control;
      if (o.bit) return scaled_fmas(o, f, c);
      return f == format::f32 ? fused(single(o.s[0]), single(o.s[1]), single(o.s[2]), c) : fused(wide(o.s[0]), wide(o.s[1]), wide(o.s[2]), c);
    }
  }
  return 0;
}

} // namespace lyra::alu
