// SPDX-License-Identifier: Apache-2.0
// Reference of floating-point arithmetic, choice, rounding to integers, decomposition, division helpers and transcendental functions.
#pragma once
#include "alu/vector_reference.h"
#include <cmath>

namespace alu_test {

inline void add_float_references(std::map<op, reference>& t) {
  using in = const lane_inputs&;
  const uint8_t size[3] = {2, 4, 8};
  const format formats[3] = {f16, f32, f64};
  auto bytes_of = [=](format f) { return f.mantissa_bits == 10 ? size[0] : f.mantissa_bits == 23 ? size[1] : size[2]; };
  using function = std::function<uint64_t(uint64_t, uint64_t, uint64_t, float_mode)>;
  auto arithmetic = [&](op id, format f, int n, function g) {
    const uint8_t b = bytes_of(f);
    t[id] = {{b, uint8_t(n > 1 ? b : 0), uint8_t(n > 2 ? b : 0)}, b, false, [=](in i) { return lane_result{g(i.s[0], i.s[1], i.s[2], mode_for(i.mode, f))}; }};
  };
  const op adds[] = {op::v_add_f16, op::v_add_f32, op::v_add_f64}, muls[] = {op::v_mul_f16, op::v_mul_f32, op::v_mul_f64}, fmas[] = {op::v_fma_f16, op::v_fma_f32, op::v_fma_f64};
  const op mins[] = {op::v_min_f16, op::v_min_f32, op::v_min_f64}, maxs[] = {op::v_max_f16, op::v_max_f32, op::v_max_f64};
  for (int k = 0; k < 3; ++k) {
    const format f = formats[k];
    const uint8_t b = size[k];
    arithmetic(adds[k], f, 2, [=](auto x, auto y, auto, float_mode m) { return soft_add(x, y, f, m); });
    arithmetic(muls[k], f, 2, [=](auto x, auto y, auto, float_mode m) { return soft_mul(x, y, f, m); });
    arithmetic(fmas[k], f, 3, [=](auto x, auto y, auto z, float_mode m) { return soft_fma(x, y, z, f, m); });
    for (bool maximum : {false, true})
      t[maximum ? maxs[k] : mins[k]] = {{b, b, 0}, b, false, [=](in i) { const float_mode m = mode_for(i.mode, f); return lane_result{flushed(soft_min(i.s[0], i.s[1], f, m.flush_in, i.ieee(), maximum), f, m.flush_out)}; }};
  }
  for (int k = 0; k < 2; ++k) {
    const format f = formats[k];
    const uint8_t b = size[k];
    arithmetic(k ? op::v_sub_f32 : op::v_sub_f16, f, 2, [=](auto x, auto y, auto, float_mode m) { return soft_sub(x, y, f, m); });
    arithmetic(k ? op::v_subrev_f32 : op::v_subrev_f16, f, 2, [=](auto x, auto y, auto, float_mode m) {
      uint64_t nan; // the first operand's NaN counts first
      if (first_nan_of({x, y}, f, nan)) return nan;
      return soft_sub(y, x, f, m);
    });
    // three-operand choices
    const op min3[] = {op::v_min3_f16, op::v_min3_f32}, max3[] = {op::v_max3_f16, op::v_max3_f32}, med3[] = {op::v_med3_f16, op::v_med3_f32};
    auto pick = [=](in i, bool maximum) {
      const bool flush = mode_for(i.mode, f).flush_in;
      return flushed(soft_min(soft_min(i.s[0], i.s[1], f, flush, i.ieee(), maximum), i.s[2], f, flush, i.ieee(), maximum), f, mode_for(i.mode, f).flush_out);
    };
    t[min3[k]] = {{b, b, b}, b, false, [=](in i) { return lane_result{pick(i, false)}; }};
    t[max3[k]] = {{b, b, b}, b, false, [=](in i) { return lane_result{pick(i, true)}; }};
    t[med3[k]] = {{b, b, b}, b, false, [=](in i) {
      if (is_nan_bits(i.s[0], f) || is_nan_bits(i.s[1], f) || is_nan_bits(i.s[2], f)) return lane_result{pick(i, false)};
      std::vector<uint64_t> x;
      for (uint64_t s : i.s) x.push_back(flushed(s, f, mode_for(i.mode, f).flush_in));
      std::sort(x.begin(), x.end(), [=](uint64_t p, uint64_t q) { return order_key(p, f) < order_key(q, f); });
      return lane_result{flushed(x[1], f, mode_for(i.mode, f).flush_out)};
    }};
  }
  for (op id : {op::v_mad_f32, op::v_mac_f32, op::v_mad_mix_f32}) arithmetic(id, f32, 3, [](auto x, auto y, auto z, float_mode m) { return soft_mad(x, y, z, f32, m); });
  for (op id : {op::v_fmac_f32, op::v_fma_mix_f32}) arithmetic(id, f32, 3, [](auto x, auto y, auto z, float_mode m) { return soft_fma(x, y, z, f32, m); });
  for (op id : {op::v_mad_f16, op::v_mac_f16, op::v_mad_legacy_f16}) arithmetic(id, f16, 3, [](auto x, auto y, auto z, float_mode m) { return soft_mad(x, y, z, f16, m); });
  arithmetic(op::v_fma_legacy_f16, f16, 3, [](auto x, auto y, auto z, float_mode m) { return soft_fma(x, y, z, f16, m); });
  auto zero_wins = [](uint64_t x, uint64_t y, bool flush) { return is_zero_bits(flushed(x, f32, flush), f32) || is_zero_bits(flushed(y, f32, flush), f32); };
  arithmetic(op::v_mul_legacy_f32, f32, 2, [=](auto x, auto y, auto, float_mode m) { return zero_wins(x, y, m.flush_in) ? 0 : soft_mul(x, y, f32, m); });
  arithmetic(op::v_mad_legacy_f32, f32, 3, [=](auto x, auto y, auto z, float_mode m) {
    m.flush_in = m.flush_out = true;
    uint64_t nan;
    if (zero_wins(x, y, true)) {
      if (is_nan_bits(z, f32)) return first_nan_of({x, y, z}, f32, nan) ? nan : 0;
      return soft_add(0, z, f32, m);
    }
    return soft_mad(x, y, z, f32, m);
  });

  // rounding to integers: exact on the bits
  auto to_integer = [](uint64_t b, format f, int how) -> uint64_t { // how: 0 trunc, 1 floor, 2 ceil, 3 nearest even
    if (is_nan_bits(b, f)) return quiet_bits(b, f);
    if (is_inf_bits(b, f) || is_zero_bits(b, f)) return b;
    const int bias = (1 << (f.exponent_bits - 1)) - 1, e = int(magnitude(b, f) >> f.mantissa_bits) - bias;
    if (e >= f.mantissa_bits) return b;
    const bool negative = is_negative_bits(b, f);
    const uint64_t m = (magnitude(b, f) & ((1ull << f.mantissa_bits) - 1)) | (magnitude(b, f) >> f.mantissa_bits ? 1ull << f.mantissa_bits : 0);
    uint64_t whole = e < 0 ? 0 : m >> (f.mantissa_bits - e);
    const bool rest = e < 0 ? true : m & ((1ull << (f.mantissa_bits - e)) - 1);
    bool up = false;
    if (how == 1) up = rest && negative;
    if (how == 2) up = rest && !negative;
    if (how == 3) {
      if (e == -1) up = (m & ((1ull << f.mantissa_bits) - 1)) != 0; // above one half
      else if (e >= 0) {
        const uint64_t r = m & ((1ull << (f.mantissa_bits - e)) - 1), h = 1ull << (f.mantissa_bits - e - 1);
        up = r > h || (r == h && (whole & 1));
      }
    }
    whole += up;
    return (negative ? sign_bit(f) : 0) | magnitude(exact::integer(whole).round(f, rounding::nearest, false, false), f);
  };
  const op roundings[4][3] = {{op::v_trunc_f16, op::v_trunc_f32, op::v_trunc_f64}, {op::v_floor_f16, op::v_floor_f32, op::v_floor_f64},
                              {op::v_ceil_f16, op::v_ceil_f32, op::v_ceil_f64}, {op::v_rndne_f16, op::v_rndne_f32, op::v_rndne_f64}};
  const op fracts[] = {op::v_fract_f16, op::v_fract_f32, op::v_fract_f64}, mants[] = {op::v_frexp_mant_f16, op::v_frexp_mant_f32, op::v_frexp_mant_f64};
  const op exps[] = {op::v_frexp_exp_i16_f16, op::v_frexp_exp_i32_f32, op::v_frexp_exp_i32_f64}, ldexps[] = {op::v_ldexp_f16, op::v_ldexp_f32, op::v_ldexp_f64};
  for (int k = 0; k < 3; ++k) {
    const format f = formats[k];
    const uint8_t b = size[k];
    for (int how = 0; how < 4; ++how)
      t[roundings[how][k]] = {{b, 0, 0}, b, false, [=](in i) { return lane_result{to_integer(flushed(i.s[0], f, mode_for(i.mode, f).flush_in), f, how)}; }};
    t[fracts[k]] = {{b, 0, 0}, b, false, [=](in i) {
      const float_mode m = mode_for(i.mode, f);
      const uint64_t x = flushed(i.s[0], f, m.flush_in);
      if (is_nan_bits(x, f)) return lane_result{quiet_bits(x, f)};
      if (is_inf_bits(x, f)) return lane_result{invalid_bits(f)};
      const uint64_t whole = to_integer(x, f, 1);
      exact d = exact::of(x, f) + -exact::of(whole, f);
      uint64_t r = d.round(f, m.how, m.how == rounding::down, m.flush_out);
      if (r >= one_bits(f) && !is_negative_bits(r, f)) r = one_bits(f) - 1;
      return lane_result{r};
    }};
    auto split = [=](uint64_t x, int& e) -> uint64_t { // mantissa in [0.5, 1)
      e = 0;
      if (is_nan_bits(x, f)) return quiet_bits(x, f);
      if (is_inf_bits(x, f) || is_zero_bits(x, f)) return x;
      uint64_t m = magnitude(x, f);
      int shift = 0;
      while (m >> f.mantissa_bits == 0) m <<= 1, ++shift;
      const int bias = (1 << (f.exponent_bits - 1)) - 1;
      e = int(m >> f.mantissa_bits) - (shift ? shift : 0) - bias + 1;
      if (shift) e = 1 - shift - bias + 1;
      return (x & sign_bit(f)) | uint64_t(bias - 1) << f.mantissa_bits | (m & ((1ull << f.mantissa_bits) - 1));
    };
    t[mants[k]] = {{b, 0, 0}, b, false, [=](in i) { int e; return lane_result{split(flushed(i.s[0], f, mode_for(i.mode, f).flush_in), e)}; }};
    t[exps[k]] = {{b, 0, 0}, uint8_t(b == 2 ? 2 : 4), false, [=](in i) {
      int e;
      split(flushed(i.s[0], f, mode_for(i.mode, f).flush_in), e);
      return lane_result{b == 2 ? uint64_t(uint16_t(e)) : uint64_t(uint32_t(e))};
    }};
    t[ldexps[k]] = {{b, uint8_t(b == 2 ? 2 : 4), 0}, b, false, [=](in i) {
      const float_mode m = mode_for(i.mode, f);
      const uint64_t x = flushed(i.s[0], f, m.flush_in);
      if (is_nan_bits(x, f)) return lane_result{quiet_bits(x, f)};
      if (is_inf_bits(x, f) || is_zero_bits(x, f)) return lane_result{x};
      int n = b == 2 ? int(int16_t(i.s[1])) : int(int32_t(i.s[1]));
      const bool far = n > 2200 || n < -2200;
      if (far) { // only the direction counts
        exact tiny = exact::of(x & sign_bit(f) ? sign_bit(f) | 1 : 1, f), huge = exact::of((x & sign_bit(f)) | (infinity_of(f) - 1), f);
        return lane_result{n < 0 ? tiny.scaled(-4).round(f, m.how, false, m.flush_out) : huge.scaled(1).round(f, m.how, false, m.flush_out)};
      }
      return lane_result{exact::of(x, f).scaled(n).round(f, m.how, false, m.flush_out)};
    }};
  }

  // division helpers, after the ISA's pseudo code
  for (int k = 1; k < 3; ++k) {
    const format f = formats[k];
    const uint8_t b = size[k];
    const int bias = k == 1 ? 127 : 1023, far = k == 1 ? 96 : 768, scale = k == 1 ? 64 : 128, tiny = k == 1 ? 23 : 53, lost = k == 1 ? -150 : -1075;
    auto exponent = [=](uint64_t x) { return int(magnitude(x, f) >> f.mantissa_bits); };
    auto times = [=](uint64_t x, int n, rounding how) -> uint64_t {
      if (is_nan_bits(x, f)) return quiet_bits(x, f);
      if (is_inf_bits(x, f) || is_zero_bits(x, f)) return x;
      return exact::of(x, f).scaled(n).round(f, how, false, false);
    };
    /// |n / d| < 2^(1 - bias), both finite and not zero: |n| < |d| * 2^(1 - bias).
    auto below_normal = [=](uint64_t n, uint64_t d) {
      if (is_nan_bits(n, f) || is_nan_bits(d, f) || is_inf_bits(n, f) || is_inf_bits(d, f) || is_zero_bits(n, f)) return false;
      const exact limit = exact::of(magnitude(d, f), f), scaled = exact::of(magnitude(n, f), f);
      const exact difference = scaled + -limit.scaled(1 - bias);
      return difference.negative() && !difference.is_zero();
    };
    t[k == 1 ? op::v_div_scale_f32 : op::v_div_scale_f64] = {{b, b, b}, b, true, [=](in i) {
      const uint64_t s0 = i.s[0], s1 = i.s[1], s2 = i.s[2];
      const rounding how = mode_for(i.mode, f).how;
      if (is_zero_bits(s1, f) || is_zero_bits(s2, f)) return lane_result{invalid_bits(f), false};
      if (exponent(s2) - exponent(s1) >= far) return lane_result{s0 == s1 ? times(s0, scale, how) : s0, true};
      if (is_denormal_bits(s1, f)) return lane_result{times(s0, scale, how), false};
      const bool r = below_normal(one_bits(f), s1), q = below_normal(s2, s1);
      if (r && q) return lane_result{s0 == s1 ? times(s0, -scale, how) : s0, true};
      if (r) return lane_result{times(s0, -scale, how), false};
      if (q) return lane_result{s0 == s2 ? times(s0, scale, how) : s0, true};
      if (exponent(s2) <= tiny) return lane_result{times(s0, scale, how), false};
      return lane_result{s0, false};
    }};
    t[k == 1 ? op::v_div_fmas_f32 : op::v_div_fmas_f64] = {{b, b, b}, b, false, [=](in i) {
      const float_mode m = mode_for(i.mode, f);
      const uint64_t plain = soft_fma(i.s[0], i.s[1], i.s[2], f, m);
      if (!i.bit || is_nan_bits(plain, f)) return lane_result{plain};
      const uint64_t x = flushed(i.s[0], f, m.flush_in), y = flushed(i.s[1], f, m.flush_in), z = flushed(i.s[2], f, m.flush_in);
      if (is_inf_bits(x, f) || is_inf_bits(y, f) || is_inf_bits(z, f)) return lane_result{plain};
      const int n = exponent(z) > bias ? scale : -scale;
      const exact p = exact::of(x, f) * exact::of(y, f), s = p + exact::of(z, f);
      if (s.is_zero()) return lane_result{plain};
      if (k == 2) { // f64: a result that is not denormal is the rounded one scaled; a denormal one is rounded once
        float_mode keep = m;
        keep.flush_in = keep.flush_out = false;
        const uint64_t first = soft_fma(x, y, z, f, keep);
        if (magnitude(first, f) >= infinity_of(f) - 1) return lane_result{0, false, -1}; // overflow before the scaling: no program does that
      }
      return lane_result{s.times_two_to(n).round(f, m.how, false, m.flush_out)};
    }};
    t[k == 1 ? op::v_div_fixup_f32 : op::v_div_fixup_f64] = {{b, b, b}, b, false, [=](in i) {
      const uint64_t q = i.s[0], d = i.s[1], n = i.s[2], sign = (d ^ n) & sign_bit(f);
      if (is_nan_bits(n, f)) return lane_result{quiet_bits(n, f)};
      if (is_nan_bits(d, f)) return lane_result{quiet_bits(d, f)};
      if ((is_zero_bits(d, f) && is_zero_bits(n, f)) || (is_inf_bits(d, f) && is_inf_bits(n, f))) return lane_result{invalid_bits(f)};
      if (is_zero_bits(d, f) || is_inf_bits(n, f)) return lane_result{sign | infinity_of(f)};
      if (is_inf_bits(d, f) || is_zero_bits(n, f)) return lane_result{sign};
      if (exponent(n) - exponent(d) < lost) return lane_result{sign};
      if (exponent(n) - exponent(d) > bias + 1) return lane_result{sign | infinity_of(f)};
      if (is_nan_bits(q, f)) return lane_result{quiet_bits(q, f)};
      return lane_result{sign | magnitude(q, f)};
    }};
  }
  for (op id : {op::v_div_fixup_f16, op::v_div_fixup_legacy_f16})
    t[id] = {{2, 2, 2}, 2, false, [](in i) {
      const float_mode m = mode_for(i.mode, f16);
      const uint64_t q = flushed(i.s[0], f16, m.flush_in), d = flushed(i.s[1], f16, m.flush_in), n = flushed(i.s[2], f16, m.flush_in), sign = (d ^ n) & 0x8000;
      if (is_nan_bits(n, f16)) return lane_result{quiet_bits(n, f16)};
      if (is_nan_bits(d, f16)) return lane_result{quiet_bits(d, f16)};
      if ((is_zero_bits(d, f16) && is_zero_bits(n, f16)) || (is_inf_bits(d, f16) && is_inf_bits(n, f16))) return lane_result{0xfe00};
      if (is_zero_bits(d, f16) || is_inf_bits(n, f16)) return lane_result{sign | 0x7c00};
      if (is_inf_bits(d, f16) || is_zero_bits(n, f16)) return lane_result{sign};
      if (is_nan_bits(q, f16)) return lane_result{quiet_bits(q, f16)};
      return lane_result{sign | flushed(magnitude(q, f16), f16, m.flush_out)};
    }};

  // cube map coordinates
  auto cube = [&](op id, std::function<float(float, float, float, int)> g, bool doubled = false) {
    t[id] = {{4, 4, 4}, 4, false, [g, doubled](in i) {
      const float_mode m = mode_for(i.mode, f32);
      auto get = [&](int j) { return bits_to<float>(uint32_t(flushed(i.s[j], f32, m.flush_in))); };
      const float x = get(0), y = get(1), z = get(2);
      int face;
      if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y)) face = z < 0 ? 5 : 4;
      else if (std::fabs(y) >= std::fabs(x)) face = y < 0 ? 3 : 2;
      else face = x < 0 ? 1 : 0;
      if (std::isnan(x) || std::isnan(y) || std::isnan(z)) return lane_result{0, false, -1};
      if (doubled) return lane_result{soft_mul(0x40000000, bits_to<uint32_t>(g(x, y, z, face)), f32, m)};
      return lane_result{bits_to<uint32_t>(g(x, y, z, face))};
    }};
  };
  cube(op::v_cubeid_f32, [](float, float, float, int n) { return float(n); });
  cube(op::v_cubesc_f32, [](float x, float, float z, int n) { const float s[] = {-z, z, x, x, x, -x}; return s[n]; });
  cube(op::v_cubetc_f32, [](float, float y, float z, int n) { const float s[] = {-y, -y, z, -z, -y, -y}; return s[n]; });
  cube(op::v_cubema_f32, [](float x, float y, float z, int n) { return n < 2 ? x : n < 4 ? y : z; }, true);

  // transcendental functions: long double, the ISA's error bound
  using real = long double;
  auto number = [](uint64_t b, format f) -> real {
    if (f.mantissa_bits == 52) return bits_to<double>(b);
    if (f.mantissa_bits == 23) return bits_to<float>(uint32_t(b));
    const real m = real(b & 0x3ff), e = real(b >> 10 & 31);
    const real v = e == 31 ? (m != 0 ? real(NAN) : real(INFINITY)) : e == 0 ? std::ldexp(m, -24) : std::ldexp(m + 1024, int(e) - 25);
    return b & 0x8000 ? -v : v;
  };
  auto function1 = [&](op id, format f, double ulp, std::function<real(real)> g) {
    const uint8_t b = bytes_of(f);
    t[id] = {{b, 0, 0}, b, false, [=](in i) {
      const float_mode m = mode_for(i.mode, f);
      const bool single = f.mantissa_bits == 23;
      const uint64_t x = flushed(i.s[0], f, single || m.flush_in);
      if (is_nan_bits(x, f)) return lane_result{quiet_bits(x, f)};
      const real r = g(number(x, f));
      uint64_t bits;
      if (std::isnan(r)) return lane_result{invalid_bits(f)};
      if (f.mantissa_bits == 52) bits = flushed(bits_to<uint64_t>(double(r)), f, m.flush_out);
      else {
        const uint64_t d = bits_to<uint64_t>(double(r));
        bits = soft_convert(d, f64, f, b == 2 ? m.how : rounding::nearest, false, single || m.flush_out);
      }
      return lane_result{bits, false, std::isinf(r) ? 0 : ulp};
    }};
  };
  const real pi = 3.14159265358979323846264338327950288L;
  auto turns = [=](real x, bool cosine) -> real {
    if (std::isinf(x)) return NAN;
    if (std::fabs(x) > 256) return cosine ? 1 : 0;
    real r = x - std::rint(x);
    if (cosine) {
      if (std::fabs(std::fabs(r) - 0.25L) < 1e-30L) return 0;
      return std::cos(2 * pi * r);
    }
    if (r == 0) return x == 0 ? x : 0 * r;
    if (std::fabs(r) == 0.5L) return 0;
    return std::sin(2 * pi * r);
  };
  for (op id : {op::v_rcp_f32, op::v_rcp_iflag_f32}) function1(id, f32, 1, [](real x) { return 1 / x; });
  function1(op::v_rcp_f16, f16, 1, [](real x) { return 1 / x; });
  function1(op::v_rcp_f64, f64, 536870912., [](real x) { return 1 / x; });
  function1(op::v_rsq_f32, f32, 1, [](real x) { return 1 / std::sqrt(x); });
  function1(op::v_rsq_f16, f16, 1, [](real x) { return 1 / std::sqrt(x); });
  function1(op::v_rsq_f64, f64, 536870912., [](real x) { return 1 / std::sqrt(x); });
  function1(op::v_sqrt_f32, f32, 1, [](real x) { return std::sqrt(x); });
  function1(op::v_sqrt_f16, f16, 1, [](real x) { return std::sqrt(x); });
  function1(op::v_sqrt_f64, f64, 536870912., [](real x) { return std::sqrt(x); });
  for (op id : {op::v_exp_f32, op::v_exp_legacy_f32}) function1(id, f32, 1, [](real x) { return std::exp2(x); });
  function1(op::v_exp_f16, f16, 1, [](real x) { return std::exp2(x); });
  for (op id : {op::v_log_f32, op::v_log_legacy_f32}) function1(id, f32, 1, [](real x) { return std::log2(x); });
  function1(op::v_log_f16, f16, 1, [](real x) { return std::log2(x); });
  function1(op::v_sin_f32, f32, 2, [=](real x) { return turns(x, false); });
  function1(op::v_cos_f32, f32, 2, [=](real x) { return turns(x, true); });
  function1(op::v_sin_f16, f16, 1, [=](real x) { return turns(x, false); });
  function1(op::v_cos_f16, f16, 1, [=](real x) { return turns(x, true); });

  // packed halves: two separate operations
  auto packed = [&](op id, op single, int n) {
    const auto f = t.at(single).f;
    t[id] = {{4, 4, uint8_t(n == 3 ? 4 : 0)}, 4, false, [f](in i) {
      uint64_t r = 0;
      for (int h = 0; h < 2; ++h) {
        lane_inputs x = i;
        for (uint64_t& s : x.s) s = s >> (16 * h) & 0xffff;
        r |= (f(x).value & 0xffff) << (16 * h);
      }
      return lane_result{r};
    }};
  };
  packed(op::v_pk_add_f16, op::v_add_f16, 2);
  packed(op::v_pk_mul_f16, op::v_mul_f16, 2);
  packed(op::v_pk_fma_f16, op::v_fma_f16, 3);
  packed(op::v_pk_min_f16, op::v_min_f16, 2);
  packed(op::v_pk_max_f16, op::v_max_f16, 2);
  t[op::v_dot2_f32_f16] = {{4, 4, 4}, 4, false, [](in i) {
    const float_mode m = mode_for(i.mode, f32);
    auto wide = [&](uint64_t h) { return soft_convert(h & 0xffff, f16, f32, rounding::nearest, false, false); };
    uint64_t nan;
    const uint64_t a0 = wide(i.s[0]), b0 = wide(i.s[1]), a1 = wide(i.s[0] >> 16), b1 = wide(i.s[1] >> 16);
    if (first_nan_of({a0, b0, a1, b1, i.s[2]}, f32, nan)) return lane_result{nan};
    return lane_result{soft_fma(a1, b1, soft_fma(a0, b0, i.s[2], f32, m), f32, m)};
  }};
}

} // namespace alu_test
