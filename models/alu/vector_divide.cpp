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
  static constexpr int mantissa = 23, bias = 127, top = 255, scale = 64, far = 96, tiny = 23, lost = -150, over = 128;
};
struct wide {
  using value = double;
  using bits = u64;
  static constexpr int mantissa = 52, bias = 1023, top = 2047, scale = 128, far = 768, tiny = 53, lost = -1075, over = 1024;
};

template <class P> int exponent(typename P::value v) { return int(bits_as<typename P::bits>(v) >> P::mantissa) & P::top; }
template <class P> bool is_denormal(typename P::value v) { return exponent<P>(v) == 0 && v != 0; }
template <class P> typename P::value two_to(int n) { return bits_as<typename P::value>(typename P::bits(n + P::bias) << P::mantissa); }

/// Whether the exact quotient lies below the normal numbers (and is not zero).
template <class P> bool quotient_is_denormal(typename P::value n, typename P::value d) {
  using V = typename P::value;
  using B = typename P::bits;
  // compare |n| with |d| * 2^(1 - bias) by exponents and mantissas; denormals are brought up first
  const V a = __builtin_fabs(n), b = __builtin_fabs(d), lift = two_to<P>(P::mantissa + 1);
  const bool a_small = exponent<P>(a) == 0, b_small = exponent<P>(b) == 0;
  const V ma = a_small ? a * lift : a, mb = b_small ? b * lift : b;
  const int ea = exponent<P>(ma) - (a_small ? P::mantissa + 1 : 0), eb = exponent<P>(mb) - (b_small ? P::mantissa + 1 : 0);
  const B fraction = (B(1) << P::mantissa) - 1;
  const bool smaller = (bits_as<B>(ma) & fraction) < (bits_as<B>(mb) & fraction);
  const bool finite = (exponent<P>(a) != P::top) & (exponent<P>(b) != P::top);
  return finite & (n != 0) & (ea - eb - (smaller ? 1 : 0) < 1 - P::bias);
}

/// S0 is S1 (denominator) or S2 (numerator), whichever is to be scaled; the flag asks V_DIV_FMAS to scale back.
template <class P> with_flag<typename P::value> div_scale(typename P::value s0, typename P::value s1, typename P::value s2) {
  using V = typename P::value;
  using B = typename P::bits;
  const V up = s0 * two_to<P>(P::scale), down = s0 * two_to<P>(-P::scale), one = 1;
  const bool is_denominator = bits_as<B>(s0) == bits_as<B>(s1), is_numerator = bits_as<B>(s0) == bits_as<B>(s2);
  const bool far = exponent<P>(s2) - exponent<P>(s1) >= P::far, denormal = is_denormal<P>(s1), tiny = exponent<P>(s2) <= P::tiny;
  const bool reciprocal = quotient_is_denormal<P>(one, s1), quotient = quotient_is_denormal<P>(s2, s1);
  V r = tiny ? up : s0;
  r = quotient ? (is_numerator ? up : s0) : r;
  r = reciprocal ? (quotient & !is_denominator ? s0 : down) : r;
  r = denormal ? up : r;
  r = far ? (is_denominator ? up : s0) : r;
  const bool scaled = far | (!denormal & quotient), zero = (s1 == 0) | (s2 == 0);
  return {zero ? default_nan(V()) : r, zero | !scaled ? 0 : all_ones};
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
  const int distance = int(nm >> P::mantissa) - int(dm >> P::mantissa);
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
  const int e = exponent<wide>(x);
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
