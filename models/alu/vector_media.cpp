// SPDX-License-Identifier: Apache-2.0
// Byte operations: sums of absolute differences, permutation, interpolation of bytes. Rules: Vega ISA chapter 12 (VOP3 pseudo code).
#include "alu/vector_model.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

u32 byte_of(u64 v, unsigned n) { return u32(v >> (8 * n)) & 0xff; }
u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
u32 limit32(u64 v) { return v > 0xffffffffull ? 0xffffffffu : u32(v); }
u32 limit16(u32 v) { return v > 0xffff ? 0xffff : v; }

u32 sad_bytes(u32 a, u32 b) {
  return distance(byte_of(a, 0), byte_of(b, 0)) + distance(byte_of(a, 1), byte_of(b, 1)) + distance(byte_of(a, 2), byte_of(b, 2)) +
         distance(byte_of(a, 3), byte_of(b, 3));
}
/// Masked: bytes of the reference S1 that are zero do not count.
u32 msad_bytes(u32 a, u32 b) {
  u32 r = 0;
  for (unsigned n = 0; n < 4; ++n) r += byte_of(b, n) ? distance(byte_of(a, n), byte_of(b, n)) : 0;
  return r;
}
u32 sad_u8(u32 a, u32 b, u32 c) { return sad_bytes(a, b) + c; }
u32 sad_u8_clamp(u32 a, u32 b, u32 c) { return limit32(u64(sad_bytes(a, b)) + c); }
u32 sad_hi_u8(u32 a, u32 b, u32 c) { return (sad_bytes(a, b) << 16) + c; }
u32 sad_hi_u8_clamp(u32 a, u32 b, u32 c) { return limit32(u64(sad_bytes(a, b) << 16) + c); }
u32 sad_halves(u32 a, u32 b) { return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16); }
u32 sad_u16(u32 a, u32 b, u32 c) { return sad_halves(a, b) + c; }
u32 sad_u16_clamp(u32 a, u32 b, u32 c) { return limit32(u64(sad_halves(a, b)) + c); }
u32 msad_u8(u32 a, u32 b, u32 c) { return msad_bytes(a, b) + c; }
u32 msad_u8_clamp(u32 a, u32 b, u32 c) { return limit32(u64(msad_bytes(a, b)) + c); }

template <bool Masked, bool Clamp> u64 quad(u64 a, u32 b, u64 c) {
  u64 r = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const u32 window = u32(a >> (8 * n)), sum = (Masked ? msad_bytes(window, b) : sad_bytes(window, b)) + u32(c >> (16 * n) & 0xffff);
    r |= u64(Clamp ? limit16(sum) : sum & 0xffff) << (16 * n);
  }
  return r;
}

u32 lerp_u8(u32 a, u32 b, u32 round) {
  u32 r = 0;
  for (unsigned n = 0; n < 4; ++n) r |= ((byte_of(a, n) + byte_of(b, n) + (round >> (8 * n) & 1)) >> 1) << (8 * n);
  return r;
}

/// Selector bytes: 0..3 bytes of S1, 4..7 bytes of S0, 8..11 the sign of S1's and S0's halves, 12 zero, above 0xff.
u32 perm_byte(u64 v, u32 select) {
  const u32 plain = byte_of(v, select & 7), sign = 0u - (u32(v >> (16 * (select & 3) + 15)) & 1);
  return select < 8 ? plain : select < 12 ? sign & 0xff : select == 12 ? 0 : 0xff;
}
u32 perm(u32 a, u32 b, u32 select) {
  const u64 v = u64(a) << 32 | b;
  return perm_byte(v, select & 0xff) | perm_byte(v, select >> 8 & 0xff) << 8 | perm_byte(v, select >> 16 & 0xff) << 16 | perm_byte(v, select >> 24) << 24;
}

constexpr kind b = kind::b32, w = kind::b64;
template <auto F, auto C> constexpr op_model three() { return {lanes_of<F>, lanes_of<C>, {b, b, b}, b, fp_rule::none, 0, nullptr, nullptr}; }
template <bool Masked> constexpr op_model quads() {
  return {lanes_of<quad<Masked, false>>, lanes_of<quad<Masked, true>>, {w, b, w}, w, fp_rule::none, 0, nullptr, nullptr};
}

using isa::op;
const op_row rows[] = {
    {op::v_sad_u8, three<sad_u8, sad_u8_clamp>()},
    {op::v_sad_hi_u8, three<sad_hi_u8, sad_hi_u8_clamp>()},
    {op::v_sad_u16, three<sad_u16, sad_u16_clamp>()},
    {op::v_msad_u8, three<msad_u8, msad_u8_clamp>()},
    {op::v_qsad_pk_u16_u8, quads<false>()},
    {op::v_mqsad_pk_u16_u8, quads<true>()},
    {op::v_lerp_u8, {lanes_of<lerp_u8>, nullptr, {b, b, b}, b, fp_rule::none, 0, nullptr, nullptr}},
    {op::v_perm_b32, {lanes_of<perm>, nullptr, {b, b, b}, b, fp_rule::none, 0, nullptr, nullptr}},
};

} // namespace

row_list media_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
