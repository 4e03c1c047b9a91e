// SPDX-License-Identifier: Apache-2.0
// Single precision arithmetic. Rules: Vega ISA chapter 12 (VOP1, VOP2, VOP3), 3.5 (MODE). Rounding and flushing of arithmetic come from the host's MXCSR
// (vector_host.h); V_MAD and V_MAC round the product and flush denormals always (LLVM: FMAD is legal only without f32 denormals); V_FMA is fused and follows MODE.
#include "alu/lane_float.h"
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float subrev(float a, float b) { return b - a; }
float mul(float a, float b) { return a * b; }
/// DX9 rule: zero times anything is +0.
float mul_legacy(float a, float b) { return a == 0 || b == 0 ? 0.f : a * b; }
float mad(float a, float b, float c) { return a * b + c; }
float mad_legacy(float a, float b, float c) { return (a == 0 || b == 0 ? 0.f : a * b) + c; }
float fma(float a, float b, float c) { return fused(a, b, c); }

float minimum(const environment& e, float a, float b) { return flush_out(e, lesser(e, flush_in(e, a), flush_in(e, b))); }
float maximum(const environment& e, float a, float b) { return flush_out(e, greater(e, flush_in(e, a), flush_in(e, b))); }
float minimum3(const environment& e, float a, float b, float c) { return flush_out(e, lesser3(e, flush_in(e, a), flush_in(e, b), flush_in(e, c))); }
float maximum3(const environment& e, float a, float b, float c) { return flush_out(e, greater3(e, flush_in(e, a), flush_in(e, b), flush_in(e, c))); }
float median(const environment& e, float a, float b, float c) { return flush_out(e, middle(e, flush_in(e, a), flush_in(e, b), flush_in(e, c))); }

float quieted(float v) { return is_nan(v) ? quiet(v) : v; }
float trunc(const environment& e, float v) { return quieted(whole_toward_zero(flush_in(e, v))); }
float ceil(const environment& e, float v) { return quieted(whole_up(flush_in(e, v))); }
float floor(const environment& e, float v) { return quieted(whole_down(flush_in(e, v))); }
float rndne(const environment& e, float v) { return quieted(__builtin_rintf(flush_in(e, v))); } // the host rounds to nearest here
/// v - floor(v), kept below 1 where the subtraction rounds up.
float fract(const environment& e, float x) {
  const float v = flush_in(e, x), r = v - whole_down(v);
  const float below = r >= 1.f ? bits_as<float>(0x3f7fffffu) : r;
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : below;
}

/// Mantissa in [0.5, 1) with the operand's sign; zero, infinity, NaN as they are. Denormals (where MODE keeps them) are normalised.
float frexp_mant(const environment& e, float x) {
  const u32 b = bits_as<u32>(flush_in(e, x)), sign = b & 0x80000000u, magnitude = b & 0x7fffffffu;
  const u32 scaled = bits_as<u32>(float(i32(magnitude))); // a denormal's bits are its value times 2^149
  const u32 fraction = magnitude < 0x800000u ? scaled : magnitude;
  const u32 r = sign | 0x3f000000u | (fraction & 0x7fffffu);
  return bits_as<float>(magnitude >= 0x7f800000u ? (magnitude > 0x7f800000u ? b | 0x400000u : b) : magnitude == 0 ? b : r);
}
/// Exponent for that mantissa; 0 for zero, infinity and NaN.
i32 frexp_exp(const environment& e, float x) {
  const u32 magnitude = bits_as<u32>(flush_in(e, x)) & 0x7fffffffu;
  const i32 denormal = i32(bits_as<u32>(float(i32(magnitude))) >> 23) - 126 - 149;
  const i32 normal = i32(magnitude >> 23) - 126;
  return magnitude >= 0x7f800000u || magnitude == 0 ? 0 : magnitude < 0x800000u ? denormal : normal;
}
/// x * 2^n with one rounding (the product is exact in double).
float ldexp(float x, i32 n) {
  const i32 m = n < -400 ? -400 : n > 400 ? 400 : n;
  const float r = float(double(x) * power_of_two(m));
  return is_nan(x) ? quiet(x) : r;
}

/// Cube map helpers (ISA 12: V_CUBEID/SC/TC/MA): the major axis is z, then y, then x where magnitudes are equal.
int face(float x, float y, float z) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  return az >= ax && az >= ay ? (z < 0 ? 5 : 4) : ay >= ax ? (y < 0 ? 3 : 2) : x < 0 ? 1 : 0;
}
float cubeid(const environment& e, float x, float y, float z) { return float(face(flush_in(e, x), flush_in(e, y), flush_in(e, z))); }
float cubesc(const environment& e, float a, float b, float c) {
  const float x = flush_in(e, a), z = flush_in(e, c);
  const int n = face(x, flush_in(e, b), z);
  return n == 5 ? -x : n >= 2 ? x : n == 1 ? z : -z;
}
float cubetc(const environment& e, float a, float b, float c) {
  const float y = flush_in(e, b), z = flush_in(e, c);
  const int n = face(flush_in(e, a), y, z);
  return n == 3 ? -z : n == 2 ? z : -y;
}
float cubema(const environment& e, float a, float b, float c) {
  const float x = flush_in(e, a), y = flush_in(e, b), z = flush_in(e, c);
  const int n = face(x, y, z);
  return 2.f * (n >= 4 ? z : n >= 2 ? y : x);
}

constexpr kind s = kind::f32, b = kind::b32, o = kind::none;
constexpr op_model model(core_function core, kind a, kind b1, kind c, kind d, fp_rule rule, u16 flags = 0) {
  return {core, nullptr, {a, b1, c}, d, rule, flags, nullptr, nullptr};
}
template <auto F, fp_rule Rule, kind C = o, u16 Flags = 0> constexpr op_model arithmetic() { return fast_model<F, true, s, s, C, s, Rule, Flags>(); }
template <auto F, kind A, kind B = o, kind C = o, kind D = s, fp_rule Rule = fp_rule::none> constexpr op_model choice() { return fast_model<F, false, A, B, C, D, Rule>(); }

using isa::op;
const op_row rows[] = {
    {op::v_add_f32, arithmetic<add, fp_rule::single>()},
    {op::v_sub_f32, arithmetic<sub, fp_rule::single>()},
    {op::v_subrev_f32, arithmetic<subrev, fp_rule::single>()},
    {op::v_mul_f32, arithmetic<mul, fp_rule::single>()},
    {op::v_mul_legacy_f32, arithmetic<mul_legacy, fp_rule::single>()},
    {op::v_mad_f32, arithmetic<mad, fp_rule::single_flush, s>()},
    {op::v_mac_f32, arithmetic<mad, fp_rule::single_flush, s, accumulates>()},
    {op::v_madmk_f32, arithmetic<mad, fp_rule::single_flush, s, constant_middle>()},
    {op::v_madak_f32, arithmetic<mad, fp_rule::single_flush, s, constant_last>()},
    {op::v_mad_legacy_f32, arithmetic<mad_legacy, fp_rule::single_flush, s>()},
    {op::v_fma_f32, arithmetic<fma, fp_rule::single, s>()},
    {op::v_fmac_f32, arithmetic<fma, fp_rule::single, s, accumulates>()},
    {op::v_mad_mix_f32, model(float_lanes_of<mad>, kind::mix, kind::mix, kind::mix, s, fp_rule::single_flush)},
    {op::v_mad_mixlo_f16, model(float_lanes_of<mad>, kind::mix, kind::mix, kind::mix, kind::f16, fp_rule::single_flush, keeps_high)},
    {op::v_mad_mixhi_f16, model(float_lanes_of<mad>, kind::mix, kind::mix, kind::mix, kind::f16, fp_rule::single_flush, to_high)},
    {op::v_fma_mix_f32, model(float_lanes_of<fma>, kind::mix, kind::mix, kind::mix, s, fp_rule::single)},
    {op::v_fma_mixlo_f16, model(float_lanes_of<fma>, kind::mix, kind::mix, kind::mix, kind::f16, fp_rule::single, keeps_high)},
    {op::v_fma_mixhi_f16, model(float_lanes_of<fma>, kind::mix, kind::mix, kind::mix, kind::f16, fp_rule::single, to_high)},
    {op::v_min_f32, choice<minimum, s, s, o, s, fp_rule::none>()},
    {op::v_max_f32, choice<maximum, s, s, o, s, fp_rule::none>()},
    {op::v_min3_f32, choice<minimum3, s, s, s, s, fp_rule::none>()},
    {op::v_max3_f32, choice<maximum3, s, s, s, s, fp_rule::none>()},
    {op::v_med3_f32, choice<median, s, s, s, s, fp_rule::none>()},
    {op::v_trunc_f32, choice<trunc, s, o, o, s, fp_rule::none>()},
    {op::v_ceil_f32, choice<ceil, s, o, o, s, fp_rule::none>()},
    {op::v_floor_f32, choice<floor, s, o, o, s, fp_rule::none>()},
    {op::v_rndne_f32, choice<rndne, s, o, o, s, fp_rule::none>()},
    {op::v_fract_f32, choice<fract, s, o, o, s, fp_rule::single>()},
    {op::v_frexp_mant_f32, choice<frexp_mant, s, o, o, s, fp_rule::none>()},
    {op::v_frexp_exp_i32_f32, choice<frexp_exp, s, o, o, b, fp_rule::none>()},
    {op::v_ldexp_f32, choice<ldexp, s, b, o, s, fp_rule::single>()},
    {op::v_cubeid_f32, choice<cubeid, s, s, s, s, fp_rule::none>()},
    {op::v_cubesc_f32, choice<cubesc, s, s, s, s, fp_rule::single>()},
    {op::v_cubetc_f32, choice<cubetc, s, s, s, s, fp_rule::single>()},
    {op::v_cubema_f32, choice<cubema, s, s, s, s, fp_rule::single>()},
};

} // namespace

row_list float32_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
