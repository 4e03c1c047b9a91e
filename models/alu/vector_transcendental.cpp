// SPDX-License-Identifier: Apache-2.0
// Reciprocal, roots, exponential, logarithm, sine, cosine. The ISA promises 1 ulp (f32 reciprocal, roots, exponential, logarithm), 2^29 ulp (f64 reciprocal
// and root), sine and cosine of revolutions in [-256, 256] (Vega ISA chapter 12). Here: evaluated in double and rounded once, so at most 1 ulp everywhere.
// Single precision flushes denormals whatever MODE says, as the hardware does (LLVM scales around it); f64 follows MODE.
#include "alu/lane_float.h"
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

float finish(float r) { return flush_always(is_nan(r) ? default_nan(r) : r); }

float rcp(float x) {
  const float v = flush_always(x);
  return is_nan(v) ? quiet(v) : flush_always(1.f / v);
}
float root(float x) {
  const float v = flush_always(x), r = __builtin_sqrtf(v);
  return is_nan(v) ? quiet(v) : finish(r);
}
float inverse_root(float x) {
  const float v = flush_always(x), r = float(1. / __builtin_sqrt(double(v)));
  return is_nan(v) ? quiet(v) : finish(r);
}

/// 2^v for |v| small enough, by 2^n * e^(f ln 2), f in [-1/2, 1/2]: the series' rest is below 2^-32.
float exponential(float v) {
  const double x = v > 200.f ? 200. : v < -200.f ? -200. : double(v);
  const double n = __builtin_rint(is_nan(v) ? 0. : x), t = (x - n) * 0x1.62e42fefa39efp-1;
  double p = 1. / 362880;
  p = p * t + 1. / 40320;
  p = p * t + 1. / 5040;
  p = p * t + 1. / 720;
  p = p * t + 1. / 120;
  p = p * t + 1. / 24;
  p = p * t + 1. / 6;
  p = p * t + .5;
  p = p * t + 1.;
  p = p * t + 1.;
  return float(p * power_of_two(i32(n)));
}
float exp2_single(float x) {
  const float v = flush_always(x);
  return is_nan(v) ? quiet(v) : flush_always(exponential(v));
}

/// log2 of a positive finite float: exponent + 2/ln2 * artanh((m - 1) / (m + 1)), m in [sqrt(1/2), sqrt(2)).
float logarithm(float v) {
  const u32 b = bits_as<u32>(v), shifted = b - 0x3f3504f3u;
  const i32 n = i32(shifted) >> 23;
  const double m = double(bits_as<float>((shifted & 0x7fffffu) + 0x3f3504f3u));
  const double t = (m - 1.) / (m + 1.), q = t * t;
  double p = 1. / 17;
  p = p * q + 1. / 15;
  p = p * q + 1. / 13;
  p = p * q + 1. / 11;
  p = p * q + 1. / 9;
  p = p * q + 1. / 7;
  p = p * q + 1. / 5;
  p = p * q + 1. / 3;
  p = p * q + 1.;
  return float(double(n) + p * t * 0x1.71547652b82fep+1);
}
float log2_any(float v) {
  const float infinity = bits_as<float>(0x7f800000u), finite = logarithm(v);
  const float positive = v == infinity ? v : finite, number = v == 0 ? -infinity : v < 0 ? default_nan(v) : positive;
  return is_nan(v) ? quiet(v) : number;
}
float log2_single(float x) { return log2_any(flush_always(x)); }

/// sin(2 pi r), r reduced to [-1/4, 1/4].
float sine_of_turns(double x) {
  const double r = x - __builtin_rint(x), a = __builtin_fabs(r);
  const double folded = a > .25 ? __builtin_copysign(.5 - a, r) : r;
  const double t = folded * 0x1.921fb54442d18p+2, q = t * t;
  double p = 1. / 355687428096000.;
  p = 1. / 1307674368000. - p * q;
  p = 1. / 6227020800. - p * q;
  p = 1. / 39916800. - p * q;
  p = 1. / 362880. - p * q;
  p = 1. / 5040. - p * q;
  p = 1. / 120. - p * q;
  p = 1. / 6. - p * q;
  p = 1. - p * q;
  return float(p * t);
}
/// Outside of [-256, 256] the hardware gives sin 0 and cos 1; infinities give NaN.
float sine(float x) {
  const float v = flush_always(x), a = __builtin_fabsf(v);
  const float r = sine_of_turns(a <= 256.f ? double(v) : 0.);
  return is_nan(v) ? quiet(v) : a > 0x1.fffffep127f ? default_nan(v) : flush_always(v == 0 ? v : r);
}
float cosine(float x) {
  const float v = flush_always(x), a = __builtin_fabsf(v);
  const float r = sine_of_turns(a <= 256.f ? double(a) + .25 : .25);
  return is_nan(v) ? quiet(v) : a > 0x1.fffffep127f ? default_nan(v) : r;
}

// Halves: the same in float, rounded to a half by MODE afterwards; half denormals follow MODE.
float rcp_half(float v) { return is_nan(v) ? quiet(v) : 1.f / v; }
float root_half(float v) {
  const float r = __builtin_sqrtf(v);
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : r;
}
float inverse_root_half(float v) {
  const float r = float(1. / __builtin_sqrt(double(v)));
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : r;
}
float exp2_half(float v) { return is_nan(v) ? quiet(v) : exponential(v); }

double rcp_wide(const environment& e, double x) {
  const double v = flush_in(e, x);
  return is_nan(v) ? quiet(v) : flush_out(e, 1. / v);
}
double root_wide(const environment& e, double x) {
  const double v = flush_in(e, x), r = __builtin_sqrt(v);
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : r;
}
double inverse_root_wide(const environment& e, double x) {
  const double v = flush_in(e, x), r = 1. / __builtin_sqrt(v);
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : r;
}

constexpr op_model model(core_function core, kind k, fp_rule rule) { return {core, nullptr, {k, kind::none, kind::none}, k, rule, 0, nullptr, nullptr}; }
template <auto F> constexpr op_model single() { return fast_model<F, false, kind::f32, kind::none, kind::none, kind::f32>(); }
template <auto F> constexpr op_model half() { return model(lanes_of<F>, kind::f16, fp_rule::none); }
template <auto F> constexpr op_model wide() { return fast_model<F, false, kind::f64, kind::none, kind::none, kind::f64>(); }

using isa::op;
const op_row rows[] = {
    {op::v_rcp_f32, single<rcp>()},          {op::v_rcp_iflag_f32, single<rcp>()},
    {op::v_rsq_f32, single<inverse_root>()}, {op::v_sqrt_f32, single<root>()},
    {op::v_exp_f32, single<exp2_single>()},  {op::v_exp_legacy_f32, single<exp2_single>()},
    {op::v_log_f32, single<log2_single>()},  {op::v_log_legacy_f32, single<log2_single>()},
    {op::v_sin_f32, single<sine>()},         {op::v_cos_f32, single<cosine>()},
    {op::v_rcp_f64, wide<rcp_wide>()},       {op::v_rsq_f64, wide<inverse_root_wide>()},
    {op::v_sqrt_f64, wide<root_wide>()},     {op::v_rcp_f16, half<rcp_half>()},
    {op::v_sqrt_f16, half<root_half>()},     {op::v_rsq_f16, half<inverse_root_half>()},
    {op::v_log_f16, half<log2_any>()},       {op::v_exp_f16, half<exp2_half>()},
    {op::v_sin_f16, half<sine>()},           {op::v_cos_f16, half<cosine>()},
};

} // namespace

row_list transcendental_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
