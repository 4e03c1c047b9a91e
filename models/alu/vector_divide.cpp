// SPDX-License-Identifier: Apache-2.0
// The division helpers V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP and the range reduction helper V_TRIG_PREOP (Vega ISA chapter 12, pseudo code).
// Corrections, without which the instruction sequence that compilers emit would not divide:
//  - V_DIV_FMAS scales by 2^64 or 2^-64 (f64: 2^128, 2^-128), up where the exponent of S2 is above the bias: the published 2^32 does not fit V_DIV_SCALE.
//  - V_DIV_SCALE with denormal reciprocal and denormal quotient scales the denominator down (published: up, which overflows).
//  - V_DIV_FIXUP gives infinity where the exponents say that the quotient overflows: the sequence arrives there with a NaN.
#include "alu/lane_float.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

struct single {
  using value = float;
  using bits = u32;
  using number = i32; ///< as wide as the bits: loops over lanes stay vectors
  static constexpr int mantissa = 23, bias = 127, top = 255, scale = 64, far = 96, tiny = 23, lost = -150, over = 128;
};
struct wide {
  using value = double;
  using bits = u64;
  using number = i64;
  static constexpr int mantissa = 52, bias = 1023, top = 2047, scale = 128, far = 768, tiny = 53, lost = -1075, over = 1024;
};

template <class P> inline typename P::number exponent(typename P::value v) { return typename P::number(bits_as<typename P::bits>(v) >> P::mantissa & P::top); }
template <class P> inline typename P::value two_to(int n) { return bits_as<typename P::value>(typename P::bits(n + P::bias) << P::mantissa); }

/// A magnitude's exponent and fraction, denormals normalised (their exponent goes below 1).
template <class P> struct parts { typename P::number exponent; typename P::bits fraction; };
template <class P> inline parts<P> split(typename P::bits magnitude) {
  using B = typename P::bits;
  using V = typename P::value;
  using N = typename P::number;
  const B lifted = bits_as<B>(bits_as<V>(magnitude) * two_to<P>(P::mantissa + 1));
  const bool small = magnitude < B(1) << P::mantissa;
  const B m = small ? lifted : magnitude;
  return {N(m >> P::mantissa) - (small ? N(P::mantissa + 1) : N(0)), m & ((B(1) << P::mantissa) - 1)};
}

/// S0 is S1 (denominator) or S2 (numerator), whichever is to be scaled; the flag asks V_DIV_FMAS to scale back. No branches: the loop over lanes is vectorised.
template <class P> inline with_flag<typename P::value> div_scale(typename P::value s0, typename P::value s1, typename P::value s2) {
  using V = typename P::value;
  using B = typename P::bits;
  using N = typename P::number;
  const B sign = B(1) << (sizeof(B) * 8 - 1), infinity = B(P::top) << P::mantissa, normal = B(1) << P::mantissa;
  const B b0 = bits_as<B>(s0), b1 = bits_as<B>(s1), b2 = bits_as<B>(s2), m1 = b1 & ~sign, m2 = b2 & ~sign;
  const V up = s0 * two_to<P>(P::scale), down = s0 * two_to<P>(-P::scale);
  const parts<P> d = split<P>(m1), n = split<P>(m2);
  const N e1 = N(m1 >> P::mantissa), e2 = N(m2 >> P::mantissa), least = N(1 - P::bias);
  // exact quotients below the normal numbers (and not zero): by exponents, one less where the fraction is smaller
  const N quotient_exponent = n.exponent - d.exponent - (n.fraction < d.fraction ? N(1) : N(0)), reciprocal_exponent = N(P::bias) - d.exponent - (d.fraction != 0 ? N(1) : N(0));
  const bool finite1 = m1 < infinity, finite2 = m2 < infinity;
  const bool quotient = finite1 & finite2 & (m2 != 0) & (quotient_exponent < least), reciprocal = finite1 & (reciprocal_exponent < least);
  const bool is_denominator = b0 == b1, is_numerator = b0 == b2;
  const bool far = e2 - e1 >= N(P::far), denormal = (m1 != 0) & (m1 < normal), tiny = e2 <= N(P::tiny), zero = (m1 == 0) | (m2 == 0);
  V r = tiny ? up : s0;
  r = quotient ? (is_numerator ? up : s0) : r;
  r = reciprocal ? ((quotient & (!is_denominator)) ? s0 : down) : r;
  r = denormal ? up : r;
  r = far ? (is_denominator ? up : s0) : r;
  r = zero ? default_nan(V()) : r;
  return {r, !zero & (far | (!denormal & quotient)) ? all_ones : 0};
}

/// fma, scaled where VCC is set; fused and scaled values are rounded once. Few lanes of a division are scaled: those are done one by one.
float plain_single(float a, float b, float c) { return fused(a, b, c); }
double plain_wide(double a, double b, double c) { return fused(a, b, c); }
bool rounds_to_nearest() { return !(_mm_getcsr() & 0x6000); }

float scaled_fma(float a, float b, float c) {
  const double p = double(a) * double(b), s = p + double(c), t = s - p;
  const double r = rounds_to_nearest() ? to_odd(s, (p - (s - t)) + (double(c) - t)) : s;
  return float(r * power_of_two(exponent<single>(c) > single::bias ? single::scale : -single::scale));
}
double scaled_fma(double a, double b, double c) {
  const double r = fused(a, b, c), p = a * b, low = fused(a, b, -p), s = p + c, t = s - p;
  const double rest = (s - r) + (((p - (s - t)) + (c - t)) + low);
  const double factor = power_of_two(exponent<wide>(c) > wide::bias ? wide::scale : -wide::scale);
  // with denormal inputs flushed the host would not see a denormal r: any number that vanishes the same way does instead
  const u64 sum = bits_as<u64>(r);
  if (exponent<wide>(r) == 0 && sum << 1) return bits_as<double>((sum & 1ull << 63) | 1ull << 52) * factor;
  // Scaled down into the denormals the value is rounded a second time: where that meets a tie, the rest of the exact sum decides.
  const double v = r * factor, lost = r - v / factor, half = 0x1p-1074 / factor * .5;
  const bool tie = rounds_to_nearest() && __builtin_fabs(r) < 0x1p-1022 / factor && __builtin_fabs(lost) == half && rest != 0;
  return tie && (rest > 0) == (lost > 0) ? v + __builtin_copysign(0x1p-1074, lost) : v;
}
template <auto Plain, class V> void div_fmas(const frame& f) {
  float_lanes_of<Plain>(f);
  for (u64 rest = gather_bits(f.bit_in); rest; rest &= rest - 1) {
    const int k = __builtin_ctzll(rest);
    const V a = load_lane<V>(f.s[0], f.s_hi[0], k), b = load_lane<V>(f.s[1], f.s_hi[1], k), c = load_lane<V>(f.s[2], f.s_hi[2], k), r = scaled_fma(a, b, c);
    if (!is_nan(r)) store_lane(f.d, f.d_hi, k, r);
  }
}

/// S0 quotient, S1 denominator, S2 numerator: puts in the special results.
template <class P> typename P::value div_fixup(typename P::value q, typename P::value d, typename P::value n) {
  using V = typename P::value;
  using B = typename P::bits;
  const B sign_bit = B(1) << (sizeof(B) * 8 - 1), infinity = B(P::top) << P::mantissa, quiet_bit = B(1) << (P::mantissa - 1);
  const B sign = (bits_as<B>(d) ^ bits_as<B>(n)) & sign_bit, dm = bits_as<B>(d) & ~sign_bit, nm = bits_as<B>(n) & ~sign_bit, qm = bits_as<B>(q) & ~sign_bit;
  const typename P::number distance = typename P::number(nm >> P::mantissa) - typename P::number(dm >> P::mantissa);
  const bool lost = distance < P::lost, over = distance > P::over;
  B r = qm > infinity ? bits_as<B>(q) | quiet_bit : sign | qm;
  r = (dm == infinity) | (nm == 0) | lost ? sign : r;
  r = (dm == 0) | (nm == infinity) | (over & (dm != infinity)) ? sign | infinity : r;
  r = ((dm == 0) & (nm == 0)) | ((dm == infinity) & (nm == infinity)) ? sign_bit | infinity | quiet_bit : r;
  r = dm > infinity ? bits_as<B>(d) | quiet_bit : r;
  r = nm > infinity ? bits_as<B>(n) | quiet_bit : r;
  return bits_as<V>(r);
}
/// Halves come as floats; every half is a normal float, so only the special values matter.
float div_fixup_half(float q, float d, float n) {
  const u32 sign = (bits_as<u32>(d) ^ bits_as<u32>(n)) & 0x80000000u;
  const float ad = __builtin_fabsf(d), an = __builtin_fabsf(n), infinity = bits_as<float>(0x7f800000u);
  if (is_nan(n)) return quiet(n);
  if (is_nan(d)) return quiet(d);
  if ((ad == 0 && an == 0) || (ad == infinity && an == infinity)) return bits_as<float>(0xffc00000u);
  if (ad == 0 || an == infinity) return bits_as<float>(sign | 0x7f800000u);
  if (ad == infinity || an == 0) return bits_as<float>(sign);
  if (is_nan(q)) return quiet(q);
  return bits_as<float>(sign | (bits_as<u32>(q) & 0x7fffffffu));
}

/// 2 / pi, 1216 bits after the binary point, most significant first.
const u64 two_over_pi[19] = {0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

/// 53 bits of 2/pi that matter for S0's exponent, segment S1[4:0]; segments beyond the 1201 bits of the table are zero.
double trig_preop(double x, u32 segment) {
  const int e = int(exponent<wide>(x));
  int shift = int(segment & 31) * 53;
  if (e > 1077) shift += e - 1077;
  auto bit_at = [](int n) { return n < 1201 ? two_over_pi[n / 64] >> (63 - n % 64) & 1 : 0; };
  u64 field = 0;
  for (int k = 0; k < 53; ++k) field = field << 1 | bit_at(shift + k);
  int scale = -53 - shift;
  if (e >= 1968) scale += 128;
  double r = double(i64(field));
  for (; scale < -1000; scale += 1000) r *= power_of_two(-1000);
  return r * power_of_two(scale);
}

constexpr kind s = kind::f32, d = kind::f64, h = kind::f16, o = kind::none;
constexpr op_model model(core_function core, kind k, fp_rule rule, u16 flags = 0) { return {core, nullptr, {k, k, k}, k, rule, flags, nullptr, nullptr}; }

using isa::op;
const op_row rows[] = {
    {op::v_div_scale_f32, model(lanes_of<div_scale<single>>, s, fp_rule::exact, carry_out)},
    {op::v_div_scale_f64, model(lanes_of<div_scale<wide>>, d, fp_rule::half, carry_out)},
    {op::v_div_fmas_f32, model(div_fmas<plain_single, float>, s, fp_rule::single, carry_in | reads_vcc)},
    {op::v_div_fmas_f64, model(div_fmas<plain_wide, double>, d, fp_rule::wide, carry_in | reads_vcc)},
    {op::v_div_fixup_f32, model(lanes_of<div_fixup<single>>, s, fp_rule::none)},
    {op::v_div_fixup_f64, model(lanes_of<div_fixup<wide>>, d, fp_rule::none)},
    {op::v_div_fixup_f16, model(lanes_of<div_fixup_half>, h, fp_rule::none, keeps_high)},
    {op::v_div_fixup_legacy_f16, model(lanes_of<div_fixup_half>, h, fp_rule::none)},
    {op::v_trig_preop_f64, {lanes_of<trig_preop>, nullptr, {d, kind::b32, o}, d, fp_rule::wide, 0, nullptr, nullptr}},
};

} // namespace

row_list divide_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
