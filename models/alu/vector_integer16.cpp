// SPDX-License-Identifier: Apache-2.0
// 16-bit and packed 16-bit integer operations, dot products. Operands come zero- or sign-extended to 32 bits; a result's low 16 bits count.
// Rules: Vega ISA chapter 12 (VOP2, VOP3, VOP3P); dot products: LLVM's gfx906 intrinsics (clamp saturates the sum).
#include "alu/vector_host.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

u32 limit_u(i32 v) { return v < 0 ? 0 : v > 0xffff ? 0xffff : u32(v); }
u32 limit_s(i32 v) { return u32(v < -32768 ? -32768 : v > 32767 ? 32767 : v); }

u32 add(u32 a, u32 b) { return a + b; }
u32 add_u_clamp(i32 a, i32 b) { return limit_u(a + b); }
u32 add_s_clamp(i32 a, i32 b) { return limit_s(a + b); }
u32 sub(u32 a, u32 b) { return a - b; }
u32 sub_u_clamp(i32 a, i32 b) { return limit_u(a - b); }
u32 sub_s_clamp(i32 a, i32 b) { return limit_s(a - b); }
u32 subrev(u32 a, u32 b) { return b - a; }
u32 subrev_u_clamp(i32 a, i32 b) { return limit_u(b - a); }
u32 mul(u32 a, u32 b) { return a * b; }
u32 mul_u_clamp(u32 a, u32 b) { return a * b > 0xffff ? 0xffff : a * b; }
u32 mad(u32 a, u32 b, u32 c) { return a * b + c; }
u32 mad_u_clamp(u32 a, u32 b, u32 c) { return u64(a) * b + c > 0xffff ? 0xffff : a * b + c; }
u32 mad_s_clamp(i32 a, i32 b, i32 c) {
  const i64 r = i64(a) * b + c;
  return u32(r < -32768 ? -32768 : r > 32767 ? 32767 : i32(r));
}
u32 mad32_u_clamp(u32 a, u32 b, u32 c) {
  const u64 r = u64(a) * b + c;
  return r > 0xffffffffull ? 0xffffffffu : u32(r);
}
u32 mad32_s_clamp(i32 a, i32 b, i32 c) {
  const i64 r = i64(a) * b + c;
  return r < -0x80000000ll ? 0x80000000u : r > 0x7fffffffll ? 0x7fffffffu : u32(r);
}
u32 shl(u32 s, u32 v) { return v << (s & 15); }
u32 shr(u32 s, u32 v) { return v >> (s & 15); }
u32 ashr(u32 s, i32 v) { return u32(v >> (s & 15)); }
u32 max_u(u32 a, u32 b) { return a > b ? a : b; }
u32 min_u(u32 a, u32 b) { return a < b ? a : b; }
i32 max_s(i32 a, i32 b) { return a > b ? a : b; }
i32 min_s(i32 a, i32 b) { return a < b ? a : b; }
u32 min3_u(u32 a, u32 b, u32 c) { return min_u(min_u(a, b), c); }
u32 max3_u(u32 a, u32 b, u32 c) { return max_u(max_u(a, b), c); }
i32 min3_s(i32 a, i32 b, i32 c) { return min_s(min_s(a, b), c); }
i32 max3_s(i32 a, i32 b, i32 c) { return max_s(max_s(a, b), c); }
u32 med3_u(u32 a, u32 b, u32 c) { return max_u(min_u(a, b), min_u(max_u(a, b), c)); }
i32 med3_s(i32 a, i32 b, i32 c) { return max_s(min_s(a, b), min_s(max_s(a, b), c)); }
u32 pack(u32 a, u32 b) { return (a & 0xffff) | b << 16; }

template <unsigned Bits, bool Signed> i64 part(u32 v, unsigned n) {
  const u32 field = v >> (Bits * n) & ((1u << Bits) - 1);
  if (!Signed) return i64(field);
  return i64(i32(field << (32 - Bits)) >> (32 - Bits));
}
template <unsigned Bits, bool Signed> i64 dot_sum(u32 a, u32 b, u32 c) {
  i64 r = Signed ? i64(i32(c)) : i64(c);
  for (unsigned n = 0; n < 32 / Bits; ++n) r += part<Bits, Signed>(a, n) * part<Bits, Signed>(b, n);
  return r;
}
template <unsigned Bits, bool Signed> u32 dot(u32 a, u32 b, u32 c) { return u32(u64(dot_sum<Bits, Signed>(a, b, c))); }
template <unsigned Bits, bool Signed> u32 dot_clamp(u32 a, u32 b, u32 c) {
  const i64 r = dot_sum<Bits, Signed>(a, b, c);
  if (Signed) return r < -0x80000000ll ? 0x80000000u : r > 0x7fffffffll ? 0x7fffffffu : u32(u64(r));
  return r > 0xffffffffll ? 0xffffffffu : u32(u64(r));
}

constexpr kind u = kind::u16, s = kind::s16, b = kind::b32, o = kind::none;
constexpr op_model model(core_function core, core_function clamped, kind a, kind b1, kind c, kind d, u16 flags) {
  return {core, clamped, {a, b1, c}, d, fp_rule::none, flags, nullptr, nullptr};
}
template <auto F> constexpr op_model two(kind k, u16 flags = 0) { return model(lanes_of<F>, nullptr, k, k, o, u, flags); }
template <auto F, auto C> constexpr op_model two(kind k, u16 flags = 0) { return model(lanes_of<F>, lanes_of<C>, k, k, o, u, flags); }
template <auto F> constexpr op_model three(kind k, u16 flags = 0) { return model(lanes_of<F>, nullptr, k, k, k, u, flags); }
template <auto F, auto C> constexpr op_model three(kind k, u16 flags = 0) { return model(lanes_of<F>, lanes_of<C>, k, k, k, u, flags); }
template <unsigned Bits, bool Signed> constexpr op_model dots() {
  constexpr kind k = Bits == 16 ? kind::ipair : b;
  return model(lanes_of<dot<Bits, Signed>>, lanes_of<dot_clamp<Bits, Signed>>, k, k, b, b, 0);
}

using isa::op;
const op_row rows[] = {
    {op::v_add_u16, two<add, add_u_clamp>(u)},
    {op::v_sub_u16, two<sub, sub_u_clamp>(u)},
    {op::v_subrev_u16, two<subrev, subrev_u_clamp>(u)},
    {op::v_mul_lo_u16, two<mul, mul_u_clamp>(u)},
    {op::v_lshlrev_b16, two<shl>(u)},
    {op::v_lshrrev_b16, two<shr>(u)},
    {op::v_ashrrev_i16, two<ashr>(s)},
    {op::v_max_u16, two<max_u>(u)},
    {op::v_min_u16, two<min_u>(u)},
    {op::v_max_i16, two<max_s>(s)},
    {op::v_min_i16, two<min_s>(s)},
    {op::v_add_i16, two<add, add_s_clamp>(s, keeps_high)},
    {op::v_sub_i16, two<sub, sub_s_clamp>(s, keeps_high)},
    {op::v_mad_u16, three<mad, mad_u_clamp>(u, keeps_high)},
    {op::v_mad_i16, three<mad, mad_s_clamp>(s, keeps_high)},
    {op::v_mad_legacy_u16, three<mad, mad_u_clamp>(u)},
    {op::v_mad_legacy_i16, three<mad, mad_s_clamp>(s)},
    {op::v_min3_u16, three<min3_u>(u, keeps_high)},
    {op::v_max3_u16, three<max3_u>(u, keeps_high)},
    {op::v_med3_u16, three<med3_u>(u, keeps_high)},
    {op::v_min3_i16, three<min3_s>(s, keeps_high)},
    {op::v_max3_i16, three<max3_s>(s, keeps_high)},
    {op::v_med3_i16, three<med3_s>(s, keeps_high)},
    {op::v_mad_u32_u16, model(lanes_of<mad>, lanes_of<mad32_u_clamp>, u, u, b, b, 0)},
    {op::v_mad_i32_i16, model(lanes_of<mad>, lanes_of<mad32_s_clamp>, s, s, b, b, 0)},
    {op::v_pack_b32_f16, model(lanes_of<pack>, nullptr, kind::h16, kind::h16, o, b, 0)},
    {op::v_pk_mad_i16, three<mad, mad_s_clamp>(s, packed)},
    {op::v_pk_mad_u16, three<mad, mad_u_clamp>(u, packed)},
    {op::v_pk_mul_lo_u16, two<mul>(u, packed)},
    {op::v_pk_add_i16, two<add, add_s_clamp>(s, packed)},
    {op::v_pk_sub_i16, two<sub, sub_s_clamp>(s, packed)},
    {op::v_pk_add_u16, two<add, add_u_clamp>(u, packed)},
    {op::v_pk_sub_u16, two<sub, sub_u_clamp>(u, packed)},
    {op::v_pk_lshlrev_b16, two<shl>(u, packed)},
    {op::v_pk_lshrrev_b16, two<shr>(u, packed)},
    {op::v_pk_ashrrev_i16, two<ashr>(s, packed)},
    {op::v_pk_max_i16, two<max_s>(s, packed)},
    {op::v_pk_min_i16, two<min_s>(s, packed)},
    {op::v_pk_max_u16, two<max_u>(u, packed)},
    {op::v_pk_min_u16, two<min_u>(u, packed)},
    {op::v_dot2_i32_i16, dots<16, true>()},
    {op::v_dot2_u32_u16, dots<16, false>()},
    {op::v_dot4_i32_i8, dots<8, true>()},
    {op::v_dot4_u32_u8, dots<8, false>()},
    {op::v_dot8_i32_i4, dots<4, true>()},
    {op::v_dot8_u32_u4, dots<4, false>()},
};

} // namespace

row_list integer16_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
