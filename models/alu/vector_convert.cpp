// SPDX-License-Identifier: Apache-2.0
// Conversions between integers and floating point. Rules: Vega ISA chapter 12 (VOP1 V_CVT_*, VOP3 V_CVT_PK*): to integer by truncation, saturating, NaN to 0;
// from integer rounded by MODE; V_CVT_F16_F32 rounds by the 64/16-bit field (LLVM FPDPRounding), V_CVT_PKRTZ toward zero.
#include "alu/lane_float.h"
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

i32 to_i32(float v) { return v >= 0x1p31f ? 0x7fffffff : v > -0x1p31f ? i32(v) : v <= -0x1p31f ? i32(0x80000000u) : 0; }
u32 to_u32(float v) {
  const u32 low = u32(i32(v < 0x1p31f ? (v > 0 ? v : 0.f) : 0.f)), high = u32(i32(v >= 0x1p31f && v < 0x1p32f ? v - 0x1p31f : 0.f)) + 0x80000000u;
  return v >= 0x1p32f ? ~0u : v >= 0x1p31f ? high : v > 0 ? low : 0;
}
i32 to_i32_d(double v) { return v >= 0x1p31 ? 0x7fffffff : v > -0x1p31 - 1 ? i32(v) : v <= -0x1p31 ? i32(0x80000000u) : 0; }
u32 to_u32_d(double v) {
  const double in = v > 0 ? v < 0x1p32 ? v : 0x1p32 - 1 : 0.;
  return u32(i32(whole_down(in) - 0x1p31)) ^ 0x80000000u;
}

i32 cvt_i32_f32(float v) { return to_i32(v); }
u32 cvt_u32_f32(float v) { return to_u32(v); }
i32 cvt_rpi(float v) { return to_i32(whole_down(v + .5f)); }
i32 cvt_flr(float v) { return to_i32(whole_down(v)); }
float cvt_f32_i32(i32 v) { return float(v); }
float cvt_f32_u32(u32 v) { return float(double(v)); }
float ubyte0(u32 v) { return float(i32(v & 0xff)); }
float ubyte1(u32 v) { return float(i32(v >> 8 & 0xff)); }
float ubyte2(u32 v) { return float(i32(v >> 16 & 0xff)); }
float ubyte3(u32 v) { return float(i32(v >> 24)); }
/// Low four bits as a signed number of sixteenths.
float off_i4(u32 v) { return float(i32(v << 28) >> 28) * 0.0625f; }
i32 cvt_i32_f64(double v) { return to_i32_d(v); }
u32 cvt_u32_f64(double v) { return to_u32_d(v); }
double cvt_f64_i32(i32 v) { return double(v); }
double cvt_f64_u32(u32 v) { return double(v); }
float narrow_nan(double v) {
  const u64 b = bits_as<u64>(v);
  return bits_as<float>(u32(b >> 32 & 0x80000000u) | 0x7fc00000u | (u32(b >> 29) & 0x3fffffu));
}
float cvt_f32_f64(double v) { return is_nan(v) ? narrow_nan(v) : float(v); }
double widen_nan(float v) {
  const u32 b = bits_as<u32>(v);
  return bits_as<double>(u64(b & 0x80000000u) << 32 | 0x7ff8ull << 48 | u64(b & 0x7fffffu) << 29);
}
double cvt_f64_f32(float v) { return is_nan(v) ? widen_nan(v) : double(v); }
float same(float v) { return v; }
float quieted(float v) { return is_nan(v) ? quiet(v) : v; }

float cvt_f16_i16(i32 v) { return float(v); }
u32 cvt_u16_f16(float v) { return v >= 65535.f ? 65535u : v > 0 ? u32(i32(v)) : 0; }
i32 cvt_i16_f16(float v) { return v >= 32767.f ? 32767 : v > -32768.f ? i32(v) : v <= -32768.f ? -32768 : 0; }
/// Normalised: the exact product is rounded once, to nearest even, whatever MODE says; NaN to 0. (No document says how often it is rounded; on RDNA4 hardware it is once:
/// captures of an RX 9070 in the tests of the "goc" instruction library, goc_rdna4_v_cvt_pk_norm_i16_f32. A double holds 24 bits times 16 exactly.)
i32 snorm16(float v) { return is_nan(v) ? 0 : i32(__builtin_rint(double(v > 1.f ? 1.f : v < -1.f ? -1.f : v) * 32767)); }
u32 unorm16(float v) { return u32(i32(__builtin_rint(double(v > 1.f ? 1.f : v > 0 ? v : 0.f) * 65535))); }
u32 pknorm_i16(float a, float b) { return (u32(snorm16(a)) & 0xffff) | u32(snorm16(b)) << 16; }
u32 pknorm_u16(float a, float b) { return unorm16(a) | unorm16(b) << 16; }
u32 pkrtz(const environment& e, float a, float b) {
  u32 x = float_to_half(a, 3), y = float_to_half(b, 3);
  if (e.flush_out16) {
    x = is_tiny_half(a, 3) ? x & 0x8000 : x;
    y = is_tiny_half(b, 3) ? y & 0x8000 : y;
  }
  return x | y << 16;
}
u32 pk_u16(u32 a, u32 b) { return (a > 0xffff ? 0xffff : a) | (b > 0xffff ? 0xffff : b) << 16; }
u32 limit_i16(i32 v) { return u32(v > 32767 ? 32767 : v < -32768 ? -32768 : v) & 0xffff; }
u32 pk_i16(i32 a, i32 b) { return limit_i16(a) | limit_i16(b) << 16; }
u32 limit_u8(i32 v) { return u32(v < 0 ? 0 : v > 255 ? 255 : v); }
u32 sat_pk_u8(u32 v) { return limit_u8(i32(v << 16) >> 16) | limit_u8(i32(v) >> 16) << 8; }

/// A float to an 8-bit integer by MODE's rounding, saturating; NaN to 0.
u32 to_u8(float v) { return u32(i32(__builtin_rintf(v > 255.f ? 255.f : v > 0 ? v : 0.f))); }
u32 pk_u8(float v, u32 byte, u32 old) {
  const u32 shift = 8 * (byte & 3);
  return (old & ~(0xffu << shift)) | to_u8(v) << shift;
}

constexpr kind s = kind::f32, b = kind::b32, d = kind::f64, h = kind::f16, o = kind::none;
constexpr op_model model(core_function core, kind a, kind b1, kind r, fp_rule rule = fp_rule::none, u16 flags = 0, kind c = o) {
  return {core, nullptr, {a, b1, c}, r, rule, flags, nullptr, nullptr};
}

using isa::op;
const op_row rows[] = {
    {op::v_cvt_i32_f64, fast_model<cvt_i32_f64, false, d, o, o, b>()},
    {op::v_cvt_u32_f64, fast_model<cvt_u32_f64, false, d, o, o, b>()},
    {op::v_cvt_f64_i32, fast_model<cvt_f64_i32, false, b, o, o, d>()},
    {op::v_cvt_f64_u32, fast_model<cvt_f64_u32, false, b, o, o, d>()},
    {op::v_cvt_f32_i32, fast_model<cvt_f32_i32, false, b, o, o, s, fp_rule::exact>()},
    {op::v_cvt_f32_u32, fast_model<cvt_f32_u32, false, b, o, o, s, fp_rule::exact>()},
    {op::v_cvt_u32_f32, fast_model<cvt_u32_f32, false, s, o, o, b>()},
    {op::v_cvt_i32_f32, fast_model<cvt_i32_f32, false, s, o, o, b>()},
    {op::v_cvt_rpi_i32_f32, fast_model<cvt_rpi, false, s, o, o, b>()},
    {op::v_cvt_flr_i32_f32, fast_model<cvt_flr, false, s, o, o, b>()},
    {op::v_cvt_f16_f32, model(lanes_of<same>, s, o, h, fp_rule::half)},
    {op::v_cvt_f32_f16, model(lanes_of<quieted>, h, o, s)},
    {op::v_cvt_off_f32_i4, fast_model<off_i4, false, b, o, o, s>()},
    {op::v_cvt_f32_f64, fast_model<cvt_f32_f64, false, d, o, o, s, fp_rule::narrowing>()},
    {op::v_cvt_f64_f32, fast_model<cvt_f64_f32, false, s, o, o, d, fp_rule::single>()},
    {op::v_cvt_f32_ubyte0, fast_model<ubyte0, false, b, o, o, s>()},
    {op::v_cvt_f32_ubyte1, fast_model<ubyte1, false, b, o, o, s>()},
    {op::v_cvt_f32_ubyte2, fast_model<ubyte2, false, b, o, o, s>()},
    {op::v_cvt_f32_ubyte3, fast_model<ubyte3, false, b, o, o, s>()},
    {op::v_cvt_f16_u16, model(lanes_of<cvt_f16_i16>, kind::u16, o, h, fp_rule::half)},
    {op::v_cvt_f16_i16, model(lanes_of<cvt_f16_i16>, kind::s16, o, h, fp_rule::half)},
    {op::v_cvt_u16_f16, model(lanes_of<cvt_u16_f16>, h, o, kind::u16)},
    {op::v_cvt_i16_f16, model(lanes_of<cvt_i16_f16>, h, o, kind::u16)},
    {op::v_cvt_norm_i16_f16, model(lanes_of<snorm16>, h, o, kind::u16)},
    {op::v_cvt_norm_u16_f16, model(lanes_of<unorm16>, h, o, kind::u16)},
    {op::v_cvt_pknorm_i16_f32, fast_model<pknorm_i16, false, s, s, o, b>()},
    {op::v_cvt_pknorm_u16_f32, fast_model<pknorm_u16, false, s, s, o, b>()},
    {op::v_cvt_pknorm_i16_f16, model(lanes_of<pknorm_i16>, h, h, b)},
    {op::v_cvt_pknorm_u16_f16, model(lanes_of<pknorm_u16>, h, h, b)},
    {op::v_cvt_pkrtz_f16_f32, fast_model<pkrtz, false, s, s, o, b>()},
    {op::v_cvt_pk_u16_u32, fast_model<pk_u16, false, b, b, o, b>()},
    {op::v_cvt_pk_i16_i32, fast_model<pk_i16, false, b, b, o, b>()},
    {op::v_sat_pk_u8_i16, fast_model<sat_pk_u8, false, b, o, o, b>()},
    {op::v_cvt_pk_u8_f32, model(lanes_of<pk_u8>, s, b, b, fp_rule::single, 0, b)},
    {op::v_cvt_pkaccum_u8_f32, model(lanes_of<pk_u8>, s, b, b, fp_rule::single, accumulates, b)},
};

} // namespace

row_list convert_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
