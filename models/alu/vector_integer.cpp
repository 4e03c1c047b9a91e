// SPDX-License-Identifier: Apache-2.0
// 32- and 64-bit integer vector operations. Rules: Vega ISA chapter 12 (VOP1, VOP2, VOP3 opcode descriptions); clamp: saturation of the exact result
// (ISA 6.2.2 "integer clamp"); corrections where the document is known to be wrong stand at the function.
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

constexpr u32 all = ~0u;
u32 unsigned_limit(u64 v) { return v > 0xffffffffull ? 0xffffffffu : u32(v); }
i32 signed_limit(i64 v) { return v > 0x7fffffffll ? 0x7fffffff : v < -0x80000000ll ? i32(0x80000000u) : i32(v); }

u32 mov(u32 a) { return a; }
u32 bit_not(u32 a) { return ~a; }
u32 bit_reverse(u32 v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
  return v >> 16 | v << 16;
}
u32 bit_count(u32 v) {
  v = v - (v >> 1 & 0x55555555u);
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
u32 smear(u32 v) {
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
  v |= v >> 8;
  return v | v >> 16;
}
u32 first_high(u32 v) { return v ? 32 - bit_count(smear(v)) : all; }
u32 first_low(u32 v) { return v ? bit_count((v & (0u - v)) - 1) : all; }
u32 first_high_signed(i32 v) { return first_high(u32(v ^ (v >> 31))); }

u32 add(u32 a, u32 b) { return a + b; }
u32 add_clamp(u32 a, u32 b) { return a + b < a ? all : a + b; }
u32 sub(u32 a, u32 b) { return a - b; }
u32 sub_clamp(u32 a, u32 b) { return a < b ? 0 : a - b; }
u32 subrev(u32 a, u32 b) { return b - a; }
u32 subrev_clamp(u32 a, u32 b) { return b < a ? 0 : b - a; }
i32 add_signed_clamp(i32 a, i32 b) { return signed_limit(i64(a) + b); }
i32 sub_signed_clamp(i32 a, i32 b) { return signed_limit(i64(a) - b); }

using carried = with_flag<u32>;
carried add_carry(u32 a, u32 b) { return {a + b, a + b < a ? all : 0}; }
carried add_carry_clamp(u32 a, u32 b) { return {add_clamp(a, b), a + b < a ? all : 0}; }
carried sub_borrow(u32 a, u32 b) { return {a - b, a < b ? all : 0}; }
carried sub_borrow_clamp(u32 a, u32 b) { return {sub_clamp(a, b), a < b ? all : 0}; }
carried subrev_borrow(u32 a, u32 b) { return sub_borrow(b, a); }
carried subrev_borrow_clamp(u32 a, u32 b) { return sub_borrow_clamp(b, a); }
carried addc(u32 a, u32 b, lane_bit c) {
  const u32 s = a + b, r = s - c.m; // c.m is 0 or -1
  return {r, (s < a ? all : 0) | (r < s ? all : 0)};
}
carried addc_clamp(u32 a, u32 b, lane_bit c) {
  const carried r = addc(a, b, c);
  return {r.v | r.m, r.m};
}
carried subb(u32 a, u32 b, lane_bit c) {
  const u32 s = a - b, r = s + c.m;
  return {r, (a < b ? all : 0) | (r > s ? all : 0)};
}
carried subb_clamp(u32 a, u32 b, lane_bit c) {
  const carried r = subb(a, b, c);
  return {r.v & ~r.m, r.m};
}
carried subbrev(u32 a, u32 b, lane_bit c) { return subb(b, a, c); }
carried subbrev_clamp(u32 a, u32 b, lane_bit c) { return subb_clamp(b, a, c); }

u32 cndmask(u32 a, u32 b, lane_bit c) { return (a & ~c.m) | (b & c.m); }

i32 sext24(u32 v) { return i32(v << 8) >> 8; }
u32 mul_i24(u32 a, u32 b) { return u32(sext24(a)) * u32(sext24(b)); }
u32 mul_hi_i24(u32 a, u32 b) { return u32(u64(i64(sext24(a)) * sext24(b)) >> 32); }
u32 mul_u24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
u32 mul_hi_u24(u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 32); }
u32 mad_i24(u32 a, u32 b, u32 c) { return mul_i24(a, b) + c; }
i32 mad_i24_clamp(u32 a, u32 b, i32 c) { return signed_limit(i64(sext24(a)) * sext24(b) + c); }
u32 mad_u24(u32 a, u32 b, u32 c) { return mul_u24(a, b) + c; }
u32 mad_u24_clamp(u32 a, u32 b, u32 c) { return unsigned_limit(u64(a & 0xffffff) * (b & 0xffffff) + c); }
u32 mul_lo(u32 a, u32 b) { return a * b; }
u32 mul_hi_u(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
u32 mul_hi_i(i32 a, i32 b) { return u32(u64(i64(a) * b) >> 32); }

using carried64 = with_flag<u64>;
carried64 mad_u64(u32 a, u32 b, u64 c) {
  const u64 r = u64(a) * b + c;
  return {r, r < c ? all : 0};
}
carried64 mad_u64_clamp(u32 a, u32 b, u64 c) {
  const u64 r = u64(a) * b + c;
  return {r < c ? ~0ull : r, r < c ? all : 0};
}
/// Carry out: bit 64 of the exact sum as a 65-bit two's complement number.
carried64 mad_i64(i32 a, i32 b, i64 c) {
  const i64 p = i64(a) * b;
  const u64 r = u64(p) + u64(c);
  const bool overflow = ((u64(p) ^ r) & (u64(c) ^ r)) >> 63;
  const bool bit64 = (i64(r) < 0) != overflow;
  return {r, bit64 ? all : 0};
}
carried64 mad_i64_clamp(i32 a, i32 b, i64 c) {
  const i64 p = i64(a) * b;
  const u64 r = u64(p) + u64(c);
  const bool overflow = ((u64(p) ^ r) & (u64(c) ^ r)) >> 63;
  const bool bit64 = (i64(r) < 0) != overflow;
  return {overflow ? (c < 0 ? 1ull << 63 : ~0ull >> 1) : r, bit64 ? all : 0};
}

i32 min_i(i32 a, i32 b) { return a < b ? a : b; }
i32 max_i(i32 a, i32 b) { return a > b ? a : b; }
u32 min_u(u32 a, u32 b) { return a < b ? a : b; }
u32 max_u(u32 a, u32 b) { return a > b ? a : b; }
i32 min3_i(i32 a, i32 b, i32 c) { return min_i(min_i(a, b), c); }
i32 max3_i(i32 a, i32 b, i32 c) { return max_i(max_i(a, b), c); }
u32 min3_u(u32 a, u32 b, u32 c) { return min_u(min_u(a, b), c); }
u32 max3_u(u32 a, u32 b, u32 c) { return max_u(max_u(a, b), c); }
i32 med3_i(i32 a, i32 b, i32 c) { return max_i(min_i(a, b), min_i(max_i(a, b), c)); }
u32 med3_u(u32 a, u32 b, u32 c) { return max_u(min_u(a, b), min_u(max_u(a, b), c)); }

u32 lshrrev(u32 s, u32 v) { return v >> (s & 31); }
i32 ashrrev(u32 s, i32 v) { return v >> (s & 31); }
u32 lshlrev(u32 s, u32 v) { return v << (s & 31); }
u64 lshlrev64(u32 s, u64 v) { return v << (s & 63); }
u64 lshrrev64(u32 s, u64 v) { return v >> (s & 63); }
i64 ashrrev64(u32 s, i64 v) { return v >> (s & 63); }
u32 bit_and(u32 a, u32 b) { return a & b; }
u32 bit_or(u32 a, u32 b) { return a | b; }
u32 bit_xor(u32 a, u32 b) { return a ^ b; }
u32 bit_xnor(u32 a, u32 b) { return ~(a ^ b); }

u32 low_ones(u32 n) { return (1u << (n & 31)) - 1; }
u32 bfe_u(u32 v, u32 offset, u32 width) { return v >> (offset & 31) & low_ones(width); }
u32 bfe_i(i32 v, u32 offset, u32 width) {
  const u32 n = width & 31, field = u32(v >> (offset & 31)) & low_ones(n), sign = (1u << n) >> 1;
  return (field ^ sign) - sign;
}
u32 bfi(u32 select, u32 a, u32 b) { return (select & a) | (~select & b); }
u32 bfm(u32 width, u32 offset) { return low_ones(width) << (offset & 31); }
u32 alignbit(u32 a, u32 b, u32 s) { return u32((u64(a) << 32 | b) >> (s & 31)); }
u32 alignbyte(u32 a, u32 b, u32 s) { return u32((u64(a) << 32 | b) >> (8 * (s & 3))); } // only S2[1:0]: driver developers' tests
u32 lshl_add(u32 a, u32 s, u32 c) { return (a << (s & 31)) + c; }
u32 add_lshl(u32 a, u32 b, u32 s) { return (a + b) << (s & 31); }
u32 add3(u32 a, u32 b, u32 c) { return a + b + c; }
u32 lshl_or(u32 a, u32 s, u32 c) { return a << (s & 31) | c; }
u32 and_or(u32 a, u32 b, u32 c) { return (a & b) | c; }
u32 or3(u32 a, u32 b, u32 c) { return a | b | c; }
u32 xad(u32 a, u32 b, u32 c) { return (a ^ b) + c; }
u32 bcnt(u32 a, u32 b) { return bit_count(a) + b; } // the document omits + S1
u32 sad_u32(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; } // unsigned distance
u32 sad_u32_clamp(u32 a, u32 b, u32 c) { return unsigned_limit(u64(a > b ? a - b : b - a) + c); }

/// Lanes below this one whose bit of the mask is set (V_MBCNT_LO counts bits 31:0, HI 63:32).
struct below_masks {
  alignas(64) u32 lo[lanes], hi[lanes];
  constexpr below_masks() : lo(), hi() {
    for (int k = 0; k < lanes; ++k) {
      lo[k] = k >= 32 ? all : (1u << k) - 1;
      hi[k] = k <= 32 ? 0 : (1u << (k - 32)) - 1;
    }
  }
};
constexpr below_masks below;
void mbcnt(const frame& f, const u32* mask) {
  const u32 *const a = f.s[0], *const b = f.s[1];
  u32* const d = f.d;
#pragma GCC ivdep
  for (int k = 0; k < lanes; ++k) d[k] = bit_count(a[k] & mask[k]) + b[k];
}
void mbcnt_lo(const frame& f) { mbcnt(f, below.lo); }
void mbcnt_hi(const frame& f) { mbcnt(f, below.hi); }

constexpr kind b = kind::b32, w = kind::b64, o = kind::none;
template <auto F> constexpr op_model one() { return fast_model<F, false, b, o, o, b>(); }
template <auto F> constexpr op_model two() { return fast_model<F, false, b, b, o, b>(); }
template <auto F, auto C> constexpr op_model two() { return fast_model<F, false, b, b, o, b>(lanes_of<C>); }
template <auto F> constexpr op_model three() { return fast_model<F, false, b, b, b, b>(); }
template <auto F, auto C> constexpr op_model three() { return fast_model<F, false, b, b, b, b>(lanes_of<C>); }
template <auto F, auto C, u16 Flags> constexpr op_model carrying() { return fast_model<F, false, b, b, o, b, fp_rule::none, Flags>(lanes_of<C>); }
template <auto F> constexpr op_model shift64() { return fast_model<F, false, b, w, o, w>(); }

using isa::op;
const op_row rows[] = {
    {op::v_mov_b32, one<mov>()},
    {op::v_not_b32, one<bit_not>()},
    {op::v_bfrev_b32, one<bit_reverse>()},
    {op::v_ffbh_u32, one<first_high>()},
    {op::v_ffbl_b32, one<first_low>()},
    {op::v_ffbh_i32, one<first_high_signed>()},
    {op::v_add_u32, two<add, add_clamp>()},
    {op::v_sub_u32, two<sub, sub_clamp>()},
    {op::v_subrev_u32, two<subrev, subrev_clamp>()},
    {op::v_add_i32, two<add, add_signed_clamp>()},
    {op::v_sub_i32, two<sub, sub_signed_clamp>()},
    {op::v_add_co_u32, carrying<add_carry, add_carry_clamp, carry_out>()},
    {op::v_sub_co_u32, carrying<sub_borrow, sub_borrow_clamp, carry_out>()},
    {op::v_subrev_co_u32, carrying<subrev_borrow, subrev_borrow_clamp, carry_out>()},
    {op::v_addc_co_u32, carrying<addc, addc_clamp, carry_out | carry_in>()},
    {op::v_subb_co_u32, carrying<subb, subb_clamp, carry_out | carry_in>()},
    {op::v_subbrev_co_u32, carrying<subbrev, subbrev_clamp, carry_out | carry_in>()},
    {op::v_cndmask_b32, fast_model<cndmask, false, kind::f32, kind::f32, o, b, fp_rule::none, carry_in>()},
    {op::v_mul_i32_i24, two<mul_i24>()},
    {op::v_mul_hi_i32_i24, two<mul_hi_i24>()},
    {op::v_mul_u32_u24, two<mul_u24>()},
    {op::v_mul_hi_u32_u24, two<mul_hi_u24>()},
    {op::v_mad_i32_i24, three<mad_i24, mad_i24_clamp>()},
    {op::v_mad_u32_u24, three<mad_u24, mad_u24_clamp>()},
    {op::v_mul_lo_u32, two<mul_lo>()},
    {op::v_mul_hi_u32, two<mul_hi_u>()},
    {op::v_mul_hi_i32, two<mul_hi_i>()},
    {op::v_mad_u64_u32, fast_model<mad_u64, false, b, b, w, w, fp_rule::none, carry_out>(lanes_of<mad_u64_clamp>)},
    {op::v_mad_i64_i32, fast_model<mad_i64, false, b, b, w, w, fp_rule::none, carry_out>(lanes_of<mad_i64_clamp>)},
    {op::v_min_i32, two<min_i>()},
    {op::v_max_i32, two<max_i>()},
    {op::v_min_u32, two<min_u>()},
    {op::v_max_u32, two<max_u>()},
    {op::v_min3_i32, three<min3_i>()},
    {op::v_min3_u32, three<min3_u>()},
    {op::v_max3_i32, three<max3_i>()},
    {op::v_max3_u32, three<max3_u>()},
    {op::v_med3_i32, three<med3_i>()},
    {op::v_med3_u32, three<med3_u>()},
    {op::v_lshrrev_b32, two<lshrrev>()},
    {op::v_ashrrev_i32, two<ashrrev>()},
    {op::v_lshlrev_b32, two<lshlrev>()},
    {op::v_lshlrev_b64, shift64<lshlrev64>()},
    {op::v_lshrrev_b64, shift64<lshrrev64>()},
    {op::v_ashrrev_i64, shift64<ashrrev64>()},
    {op::v_and_b32, two<bit_and>()},
    {op::v_or_b32, two<bit_or>()},
    {op::v_xor_b32, two<bit_xor>()},
    {op::v_xnor_b32, two<bit_xnor>()},
    {op::v_bfe_u32, three<bfe_u>()},
    {op::v_bfe_i32, three<bfe_i>()},
    {op::v_bfi_b32, three<bfi>()},
    {op::v_bfm_b32, two<bfm>()},
    {op::v_alignbit_b32, three<alignbit>()},
    {op::v_alignbyte_b32, three<alignbyte>()},
    {op::v_lshl_add_u32, three<lshl_add>()},
    {op::v_add_lshl_u32, three<add_lshl>()},
    {op::v_add3_u32, three<add3>()},
    {op::v_lshl_or_b32, three<lshl_or>()},
    {op::v_and_or_b32, three<and_or>()},
    {op::v_or3_b32, three<or3>()},
    {op::v_xad_u32, three<xad>()},
    {op::v_bcnt_u32_b32, two<bcnt>()},
    {op::v_sad_u32, three<sad_u32, sad_u32_clamp>()},
    {op::v_mbcnt_lo_u32_b32, {mbcnt_lo, nullptr, {b, b, o}, b, fp_rule::none, 0, nullptr, nullptr}},
    {op::v_mbcnt_hi_u32_b32, {mbcnt_hi, nullptr, {b, b, o}, b, fp_rule::none, 0, nullptr, nullptr}},
};

} // namespace

row_list integer_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
