// SPDX-License-Identifier: Apache-2.0
// Half precision arithmetic, plain and packed. Halves are computed as floats and rounded once to 11 bits: sum, product and quotient of two 11-bit numbers
// rounded to 24 bits round to the same half as the exact value (24 >= 2 * 11 + 2); the fused operation rounds to odd in between.
// Rules: Vega ISA chapter 12; V_MAD_F16 and V_MAC_F16 round the product to a half and flush denormals (LLVM: FMAD is legal only without f16 denormals).
#include "alu/lane_float.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float subrev(float a, float b) { return b - a; }
float mul(float a, float b) { return a * b; }
float fused_half(float a, float b, float c) {
  const float p = a * b; // exact: 22 bits
  return p + c;
}
/// The float nearest to a * b + c made odd where it is inexact. In the directed rounding modes the float is rounded in the same direction as the half will be.
float fused_half_nearest(float a, float b, float c) {
  const float p = a * b, s = p + c, t = s - p;
  return to_odd(s, (p - (s - t)) + (c - t));
}
void fma(const frame& f) {
  if (f.env.round64 == 0) float_lanes_of<fused_half_nearest>(f);
  else float_lanes_of<fused_half>(f);
}
float to_half_grid(const environment& e, float v) {
  const u32 h = float_to_half(v, e.round64);
  return half_to_float(is_tiny_half(v, e.round64) ? h & 0x8000 : h);
}
float mad(const environment& e, float a, float b, float c) {
  const float p = a * b, r = to_half_grid(e, p) + c;
  return is_nan(r) ? first_nan<float>(a, b, c) : r;
}

float minimum(const environment& e, float a, float b) { return lesser(e, a, b); }
float maximum(const environment& e, float a, float b) { return greater(e, a, b); }
float minimum3(const environment& e, float a, float b, float c) { return lesser3(e, a, b, c); }
float maximum3(const environment& e, float a, float b, float c) { return greater3(e, a, b, c); }
float median(const environment& e, float a, float b, float c) { return middle(e, a, b, c); }
float quieted(float v) { return is_nan(v) ? quiet(v) : v; }
float trunc(float v) { return quieted(whole_toward_zero(v)); }
float ceil(float v) { return quieted(whole_up(v)); }
float floor(float v) { return quieted(whole_down(v)); }
float rndne(float v) { return quieted(__builtin_rintf(v)); }
/// Kept at or below the largest half under 1.
float fract(float v) {
  const float r = v - whole_down(v);
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r;
}
float frexp_mant(float v) {
  const u32 b = bits_as<u32>(v), magnitude = b & 0x7fffffffu;
  const u32 r = (b & 0x807fffffu) | 0x3f000000u;
  return bits_as<float>(magnitude > 0x7f800000u ? b | 0x400000u : magnitude == 0x7f800000u || magnitude == 0 ? b : r);
}
i32 frexp_exp(float v) {
  const u32 magnitude = bits_as<u32>(v) & 0x7fffffffu;
  return magnitude >= 0x7f800000u || magnitude == 0 ? 0 : i32(magnitude >> 23) - 126;
}
float ldexp(float x, i32 n) {
  const i32 m = n < -60 ? -60 : n > 60 ? 60 : n;
  return is_nan(x) ? quiet(x) : x * bits_as<float>(u32(m + 127) << 23);
}

/// gfx906: both products exact, added to S2 one after the other, low half first (ISA pseudo code of V_DOT2_F32_F16).
float dot2(u32 a, u32 b, float c) {
  const float low = fused(half_to_float(a & 0xffff), half_to_float(b & 0xffff), c);
  const float r = fused(half_to_float(a >> 16), half_to_float(b >> 16), low);
  return r;
}
void dot2_lanes(const frame& f) {
  lanes_of<dot2>(f);
  for (int k = 0; k < lanes; ++k) {
    const float r = bits_as<float>(f.d[k]);
    if (is_nan(r))
      f.d[k] = bits_as<u32>(first_nan<float>(half_to_float(f.s[0][k] & 0xffff), half_to_float(f.s[1][k] & 0xffff), half_to_float(f.s[0][k] >> 16),
                                             half_to_float(f.s[1][k] >> 16), bits_as<float>(f.s[2][k])));
  }
}

constexpr kind h = kind::f16, o = kind::none;
constexpr op_model model(core_function core, kind a, kind b, kind c, kind d, fp_rule rule, u16 flags = 0) { return {core, nullptr, {a, b, c}, d, rule, flags, nullptr, nullptr}; }
template <auto F> constexpr op_model two(u16 flags = 0) { return model(float_lanes_of<F>, h, h, o, h, fp_rule::half, flags); }
template <auto F> constexpr op_model choose2(u16 flags = 0) { return model(lanes_of<F>, h, h, o, h, fp_rule::none, flags); }
template <auto F> constexpr op_model choose3(u16 flags = 0) { return model(lanes_of<F>, h, h, h, h, fp_rule::none, flags); }
template <auto F> constexpr op_model one() { return model(lanes_of<F>, h, o, o, h, fp_rule::none); }
constexpr op_model mads(u16 flags) { return model(lanes_of<mad>, h, h, h, h, fp_rule::half_flush, flags); }

using isa::op;
const op_row rows[] = {
    {op::v_add_f16, two<add>()},
    {op::v_sub_f16, two<sub>()},
    {op::v_subrev_f16, two<subrev>()},
    {op::v_mul_f16, two<mul>()},
    {op::v_mac_f16, mads(accumulates | keeps_high)},
    {op::v_madmk_f16, mads(constant_middle | keeps_high)},
    {op::v_madak_f16, mads(constant_last | keeps_high)},
    {op::v_mad_f16, mads(keeps_high)},
    {op::v_mad_legacy_f16, mads(0)},
    {op::v_fma_f16, model(fma, h, h, h, h, fp_rule::half, keeps_high)},
    {op::v_fma_legacy_f16, model(fma, h, h, h, h, fp_rule::half)},
    {op::v_max_f16, choose2<maximum>()},
    {op::v_min_f16, choose2<minimum>()},
    {op::v_min3_f16, choose3<minimum3>(keeps_high)},
    {op::v_max3_f16, choose3<maximum3>(keeps_high)},
    {op::v_med3_f16, choose3<median>(keeps_high)},
    {op::v_floor_f16, one<floor>()},
    {op::v_ceil_f16, one<ceil>()},
    {op::v_trunc_f16, one<trunc>()},
    {op::v_rndne_f16, one<rndne>()},
    {op::v_fract_f16, model(lanes_of<fract>, h, o, o, h, fp_rule::half)},
    {op::v_frexp_mant_f16, one<frexp_mant>()},
    {op::v_frexp_exp_i16_f16, model(lanes_of<frexp_exp>, h, o, o, kind::u16, fp_rule::none)},
    {op::v_ldexp_f16, model(lanes_of<ldexp>, h, kind::s16, o, h, fp_rule::half)},
    {op::v_pk_fma_f16, model(fma, h, h, h, h, fp_rule::half, packed)},
    {op::v_pk_add_f16, two<add>(packed)},
    {op::v_pk_mul_f16, two<mul>(packed)},
    {op::v_pk_min_f16, choose2<minimum>(packed)},
    {op::v_pk_max_f16, choose2<maximum>(packed)},
    {op::v_dot2_f32_f16, model(dot2_lanes, kind::pair, kind::pair, kind::f32, kind::f32, fp_rule::single)},
};

} // namespace

row_list float16_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
