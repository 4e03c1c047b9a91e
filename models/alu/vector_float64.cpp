// SPDX-License-Identifier: Apache-2.0
// Double precision arithmetic. Rules: Vega ISA chapter 12; rounding and denormals by MODE's 64/16-bit fields.
#include "alu/lane_float.h"
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

double add(double a, double b) { return a + b; }
double mul(double a, double b) { return a * b; }
double fma(double a, double b, double c) { return fused(a, b, c); }
double minimum(const environment& e, double a, double b) { return flush_out(e, lesser(e, flush_in(e, a), flush_in(e, b))); }
double maximum(const environment& e, double a, double b) { return flush_out(e, greater(e, flush_in(e, a), flush_in(e, b))); }

double quieted(double v) { return is_nan(v) ? quiet(v) : v; }
double trunc(const environment& e, double v) { return quieted(whole_toward_zero(flush_in(e, v))); }
double ceil(const environment& e, double v) { return quieted(whole_up(flush_in(e, v))); }
double floor(const environment& e, double v) { return quieted(whole_down(flush_in(e, v))); }
double rndne(const environment& e, double v) { return quieted(__builtin_rint(flush_in(e, v))); } // the host rounds to nearest here
double fract(const environment& e, double x) {
  const double v = flush_in(e, x), r = v - whole_down(v);
  const double below = r >= 1. ? bits_as<double>(0x3fefffffffffffffull) : r;
  return is_nan(v) ? quiet(v) : is_nan(r) ? default_nan(r) : below;
}

double frexp_mant(const environment& e, double x) {
  const u64 b = bits_as<u64>(flush_in(e, x)), sign = b & 1ull << 63, magnitude = b & ~(1ull << 63);
  const u64 scaled = bits_as<u64>(double(i64(magnitude)));
  const u64 fraction = magnitude < 1ull << 52 ? scaled : magnitude;
  const u64 r = sign | 0x3feull << 52 | (fraction & ((1ull << 52) - 1));
  return bits_as<double>(magnitude >= 0x7ffull << 52 ? (magnitude > 0x7ffull << 52 ? b | 1ull << 51 : b) : magnitude == 0 ? b : r);
}
i32 frexp_exp(const environment& e, double x) {
  const u64 magnitude = bits_as<u64>(flush_in(e, x)) & ~(1ull << 63);
  const i32 denormal = i32(bits_as<u64>(double(i64(magnitude))) >> 52) - 1022 - 1074;
  const i32 normal = i32(magnitude >> 52) - 1022;
  return magnitude >= 0x7ffull << 52 || magnitude == 0 ? 0 : magnitude < 1ull << 52 ? denormal : normal;
}
/// x * 2^n with one rounding: steps that go down stay 53 bits above the denormals until the last one.
double ldexp(const environment& e, double x, i32 n) {
  double r = flush_in(e, x);
  i32 m = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
  for (int step = 0; step < 2; ++step) {
    const bool up = m > 1023, down = m < -1022;
    r = up ? r * 0x1p1023 : down ? r * 0x1p-969 : r;
    m = up ? m - 1023 : down ? m + 969 : m;
  }
  m = m > 1023 ? 1023 : m < -1022 ? -1022 : m;
  r *= power_of_two(m);
  return is_nan(x) ? quiet(x) : flush_out(e, r);
}

constexpr kind d = kind::f64, b = kind::b32, o = kind::none;

using isa::op;
const op_row rows[] = {
    {op::v_add_f64, fast_model<add, true, d, d, o, d, fp_rule::wide>()},
    {op::v_mul_f64, fast_model<mul, true, d, d, o, d, fp_rule::wide>()},
    {op::v_fma_f64, fast_model<fma, true, d, d, d, d, fp_rule::wide>()},
    {op::v_min_f64, fast_model<minimum, false, d, d, o, d, fp_rule::none>()},
    {op::v_max_f64, fast_model<maximum, false, d, d, o, d, fp_rule::none>()},
    {op::v_trunc_f64, fast_model<trunc, false, d, o, o, d, fp_rule::none>()},
    {op::v_ceil_f64, fast_model<ceil, false, d, o, o, d, fp_rule::none>()},
    {op::v_floor_f64, fast_model<floor, false, d, o, o, d, fp_rule::none>()},
    {op::v_rndne_f64, fast_model<rndne, false, d, o, o, d, fp_rule::none>()},
    {op::v_fract_f64, fast_model<fract, false, d, o, o, d, fp_rule::wide>()},
    {op::v_frexp_mant_f64, fast_model<frexp_mant, false, d, o, o, d, fp_rule::none>()},
    {op::v_frexp_exp_i32_f64, fast_model<frexp_exp, false, d, o, o, b, fp_rule::none>()},
    {op::v_ldexp_f64, fast_model<ldexp, false, d, b, o, d, fp_rule::half>()},
};

} // namespace

row_list float64_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
