// SPDX-License-Identifier: Apache-2.0
// Reference of the integer vector operations.
#pragma once
#include "alu/vector_reference.h"

namespace alu_test {

using u64 = uint64_t;
using i64 = int64_t;
using i128 = __int128;

inline i64 sx(u64 v, int bits) { return bits == 64 ? i64(v) : i64(v << (64 - bits)) >> (64 - bits); }
inline u64 zx(u64 v, int bits) { return bits == 64 ? v : v & ((1ull << bits) - 1); }
inline u64 saturate(i128 v, int bits, bool is_signed) {
  const i128 high = is_signed ? ((i128)1 << (bits - 1)) - 1 : ((i128)1 << bits) - 1, low = is_signed ? -((i128)1 << (bits - 1)) : 0;
  return zx(u64(v > high ? high : v < low ? low : v), bits);
}

inline void add_integer_references(std::map<op, reference>& t) {
  using in = const lane_inputs&;
  auto one = [&](op id, std::function<u64(u64)> f) { t[id] = {{4, 0, 0}, 4, false, [f](in i) { return lane_result{zx(f(i.s[0]), 32)}; }}; };
  auto two = [&](op id, std::function<u64(u64, u64)> f) { t[id] = {{4, 4, 0}, 4, false, [f](in i) { return lane_result{zx(f(i.s[0], i.s[1]), 32)}; }}; };
  auto three = [&](op id, std::function<u64(u64, u64, u64)> f) {
    t[id] = {{4, 4, 4}, 4, false, [f](in i) { return lane_result{zx(f(i.s[0], i.s[1], i.s[2]), 32)}; }};
  };
  /// An exact result of n bits that CLAMP saturates.
  auto clamped = [&](op id, int bits, bool is_signed, int sources, std::function<i128(i64, i64, i64)> f, bool extend_third = true) {
    const uint8_t b = uint8_t(bits == 16 ? 2 : 4);
    t[id] = {{b, b, uint8_t(sources == 3 ? b : 0)}, b, false, [=](in i) {
      auto get = [&](int j) { return is_signed ? sx(i.s[j], bits) : i64(zx(i.s[j], bits)); };
      (void)extend_third;
      const i128 r = f(get(0), get(1), get(2));
      return lane_result{i.clamp ? saturate(r, bits, is_signed) : zx(u64(r), bits)};
    }};
  };
  auto reversed = [](u64 x) { u64 r = 0; for (int k = 0; k < 32; ++k) if (x >> k & 1) r |= 1ull << (31 - k); return r; };
  auto leading = [](u64 x) { for (int k = 0; k < 32; ++k) if (x >> (31 - k) & 1) return u64(k); return ~u64(0); };
  auto ones = [](u64 x) { u64 n = 0; for (int k = 0; k < 64; ++k) n += x >> k & 1; return n; };

  one(op::v_mov_b32, [](u64 a) { return a; });
  one(op::v_not_b32, [](u64 a) { return ~a; });
  one(op::v_bfrev_b32, reversed);
  one(op::v_ffbh_u32, leading);
  one(op::v_ffbl_b32, [](u64 a) { for (int k = 0; k < 32; ++k) if (a >> k & 1) return u64(k); return ~u64(0); });
  one(op::v_ffbh_i32, [](u64 a) { const u64 s = a >> 31 & 1; for (int k = 1; k < 32; ++k) if ((a >> (31 - k) & 1) != s) return u64(k); return ~u64(0); });
  clamped(op::v_add_u32, 32, false, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  clamped(op::v_sub_u32, 32, false, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  clamped(op::v_subrev_u32, 32, false, 2, [](i64 a, i64 b, i64) { return i128(b) - a; });
  clamped(op::v_add_i32, 32, true, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  clamped(op::v_sub_i32, 32, true, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  auto carrying = [&](op id, std::function<i128(i64, i64, int)> f) {
    t[id] = {{4, 4, 0}, 4, true, [f](in i) {
      const i128 r = f(i64(zx(i.s[0], 32)), i64(zx(i.s[1], 32)), i.bit);
      return lane_result{i.clamp ? saturate(r, 32, false) : zx(u64(r), 32), r < 0 || r > 0xffffffffll};
    }};
  };
  carrying(op::v_add_co_u32, [](i64 a, i64 b, int) { return i128(a) + b; });
  carrying(op::v_sub_co_u32, [](i64 a, i64 b, int) { return i128(a) - b; });
  carrying(op::v_subrev_co_u32, [](i64 a, i64 b, int) { return i128(b) - a; });
  carrying(op::v_addc_co_u32, [](i64 a, i64 b, int c) { return i128(a) + b + c; });
  carrying(op::v_subb_co_u32, [](i64 a, i64 b, int c) { return i128(a) - b - c; });
  carrying(op::v_subbrev_co_u32, [](i64 a, i64 b, int c) { return i128(b) - a - c; });
  t[op::v_cndmask_b32] = {{4, 4, 0}, 4, false, [](in i) { return lane_result{i.bit ? i.s[1] : i.s[0]}; }};
  two(op::v_mul_i32_i24, [](u64 a, u64 b) { return u64(sx(a, 24) * sx(b, 24)); });
  two(op::v_mul_hi_i32_i24, [](u64 a, u64 b) { return u64(sx(a, 24) * sx(b, 24)) >> 32; });
  two(op::v_mul_u32_u24, [](u64 a, u64 b) { return zx(a, 24) * zx(b, 24); });
  two(op::v_mul_hi_u32_u24, [](u64 a, u64 b) { return zx(a, 24) * zx(b, 24) >> 32; });
  t[op::v_mad_i32_i24] = {{4, 4, 4}, 4, false, [](in i) {
    const i128 r = i128(sx(i.s[0], 24)) * sx(i.s[1], 24) + sx(i.s[2], 32);
    return lane_result{i.clamp ? saturate(r, 32, true) : zx(u64(r), 32)};
  }};
  t[op::v_mad_u32_u24] = {{4, 4, 4}, 4, false, [](in i) {
    const i128 r = i128(zx(i.s[0], 24)) * zx(i.s[1], 24) + zx(i.s[2], 32);
    return lane_result{i.clamp ? saturate(r, 32, false) : zx(u64(r), 32)};
  }};
  two(op::v_mul_lo_u32, [](u64 a, u64 b) { return a * b; });
  two(op::v_mul_hi_u32, [](u64 a, u64 b) { return zx(a, 32) * zx(b, 32) >> 32; });
  two(op::v_mul_hi_i32, [](u64 a, u64 b) { return u64(sx(a, 32) * sx(b, 32)) >> 32; });
  t[op::v_mad_u64_u32] = {{4, 4, 8}, 8, true, [](in i) {
    const unsigned __int128 r = (unsigned __int128)zx(i.s[0], 32) * zx(i.s[1], 32) + i.s[2];
    return lane_result{i.clamp && (r >> 64) ? ~0ull : u64(r), bool(r >> 64)};
  }};
  t[op::v_mad_i64_i32] = {{4, 4, 8}, 8, true, [](in i) {
    const i128 r = i128(sx(i.s[0], 32)) * sx(i.s[1], 32) + i64(i.s[2]);
    return lane_result{i.clamp ? saturate(r, 64, true) : u64(r), bool(u64(r >> 64) & 1)};
  }};
  two(op::v_min_i32, [](u64 a, u64 b) { return u64(std::min(sx(a, 32), sx(b, 32))); });
  two(op::v_max_i32, [](u64 a, u64 b) { return u64(std::max(sx(a, 32), sx(b, 32))); });
  two(op::v_min_u32, [](u64 a, u64 b) { return std::min(zx(a, 32), zx(b, 32)); });
  two(op::v_max_u32, [](u64 a, u64 b) { return std::max(zx(a, 32), zx(b, 32)); });
  auto sorted = [](std::vector<i64> x, int n) { std::sort(x.begin(), x.end()); return u64(x[n]); };
  for (int n = 0; n < 3; ++n) {
    const op s[] = {op::v_min3_i32, op::v_med3_i32, op::v_max3_i32}, u[] = {op::v_min3_u32, op::v_med3_u32, op::v_max3_u32};
    three(s[n], [=](u64 a, u64 b, u64 c) { return sorted({sx(a, 32), sx(b, 32), sx(c, 32)}, n); });
    three(u[n], [=](u64 a, u64 b, u64 c) { return sorted({i64(zx(a, 32)), i64(zx(b, 32)), i64(zx(c, 32))}, n); });
    const op hs[] = {op::v_min3_i16, op::v_med3_i16, op::v_max3_i16}, hu[] = {op::v_min3_u16, op::v_med3_u16, op::v_max3_u16};
    t[hs[n]] = {{2, 2, 2}, 2, false, [=](in i) { return lane_result{zx(sorted({sx(i.s[0], 16), sx(i.s[1], 16), sx(i.s[2], 16)}, n), 16)}; }};
    t[hu[n]] = {{2, 2, 2}, 2, false, [=](in i) { return lane_result{sorted({i64(i.s[0]), i64(i.s[1]), i64(i.s[2])}, n)}; }};
  }
  two(op::v_lshrrev_b32, [](u64 s, u64 x) { return zx(x, 32) >> (s % 32); });
  two(op::v_ashrrev_i32, [](u64 s, u64 x) { return u64(sx(x, 32) >> (s % 32)); });
  two(op::v_lshlrev_b32, [](u64 s, u64 x) { return x << (s % 32); });
  t[op::v_lshlrev_b64] = {{4, 8, 0}, 8, false, [](in i) { return lane_result{i.s[1] << (i.s[0] % 64)}; }};
  t[op::v_lshrrev_b64] = {{4, 8, 0}, 8, false, [](in i) { return lane_result{i.s[1] >> (i.s[0] % 64)}; }};
  t[op::v_ashrrev_i64] = {{4, 8, 0}, 8, false, [](in i) { return lane_result{u64(i64(i.s[1]) >> (i.s[0] % 64))}; }};
  two(op::v_and_b32, [](u64 a, u64 b) { return a & b; });
  two(op::v_or_b32, [](u64 a, u64 b) { return a | b; });
  two(op::v_xor_b32, [](u64 a, u64 b) { return a ^ b; });
  two(op::v_xnor_b32, [](u64 a, u64 b) { return ~(a ^ b); });
  three(op::v_bfe_u32, [](u64 x, u64 o, u64 w) { return zx(x, 32) >> (o % 32) & ((1ull << (w % 32)) - 1); });
  three(op::v_bfe_i32, [](u64 x, u64 o, u64 w) { return w % 32 == 0 ? 0 : u64(sx(u64(sx(x, 32) >> (o % 32)), int(w % 32))); });
  three(op::v_bfi_b32, [](u64 m, u64 a, u64 b) { u64 r = 0; for (int k = 0; k < 32; ++k) r |= ((m >> k & 1 ? a : b) >> k & 1) << k; return r; });
  two(op::v_bfm_b32, [](u64 w, u64 o) { return ((1ull << (w % 32)) - 1) << (o % 32); });
  three(op::v_alignbit_b32, [](u64 a, u64 b, u64 s) { return (a << 32 | zx(b, 32)) >> (s % 32); });
  three(op::v_alignbyte_b32, [](u64 a, u64 b, u64 s) { return (a << 32 | zx(b, 32)) >> (8 * (s % 4)); });
  three(op::v_lshl_add_u32, [](u64 a, u64 s, u64 c) { return (a << (s % 32)) + c; });
  three(op::v_add_lshl_u32, [](u64 a, u64 b, u64 s) { return zx(a + b, 32) << (s % 32); });
  three(op::v_add3_u32, [](u64 a, u64 b, u64 c) { return a + b + c; });
  three(op::v_lshl_or_b32, [](u64 a, u64 s, u64 c) { return (a << (s % 32)) | c; });
  three(op::v_and_or_b32, [](u64 a, u64 b, u64 c) { return (a & b) | c; });
  three(op::v_or3_b32, [](u64 a, u64 b, u64 c) { return a | b | c; });
  three(op::v_xad_u32, [](u64 a, u64 b, u64 c) { return (a ^ b) + c; });
  two(op::v_bcnt_u32_b32, [=](u64 a, u64 b) { return ones(zx(a, 32)) + b; });
  t[op::v_mbcnt_lo_u32_b32] = {{4, 4, 0}, 4, false, [=](in i) {
    u64 n = zx(i.s[1], 32);
    for (unsigned k = 0; k < 32 && k < i.lane; ++k) n += i.s[0] >> k & 1;
    return lane_result{zx(n, 32)};
  }};
  t[op::v_mbcnt_hi_u32_b32] = {{4, 4, 0}, 4, false, [=](in i) {
    u64 n = zx(i.s[1], 32);
    for (unsigned k = 32; k < i.lane; ++k) n += i.s[0] >> (k - 32) & 1;
    return lane_result{zx(n, 32)};
  }};
  // sums of absolute differences
  auto byte = [](u64 x, int n) { return i64(x >> (8 * n) & 255); };
  auto sad = [=](u64 a, u64 b, bool masked) { u64 r = 0; for (int n = 0; n < 4; ++n) if (!masked || byte(b, n)) r += u64(std::abs(byte(a, n) - byte(b, n))); return r; };
  auto summed = [&](op id, std::function<u64(u64, u64)> f) {
    t[id] = {{4, 4, 4}, 4, false, [f](in i) {
      const i128 r = i128(f(i.s[0], i.s[1])) + zx(i.s[2], 32);
      return lane_result{i.clamp ? saturate(r, 32, false) : zx(u64(r), 32)};
    }};
  };
  summed(op::v_sad_u8, [=](u64 a, u64 b) { return sad(a, b, false); });
  summed(op::v_sad_hi_u8, [=](u64 a, u64 b) { return sad(a, b, false) << 16; });
  summed(op::v_sad_u16, [=](u64 a, u64 b) { return u64(std::abs(i64(zx(a, 16)) - i64(zx(b, 16))) + std::abs(i64(a >> 16 & 0xffff) - i64(b >> 16 & 0xffff))); });
  summed(op::v_sad_u32, [=](u64 a, u64 b) { return u64(std::abs(i64(zx(a, 32)) - i64(zx(b, 32)))); });
  summed(op::v_msad_u8, [=](u64 a, u64 b) { return sad(a, b, true); });
  for (bool masked : {false, true})
    t[masked ? op::v_mqsad_pk_u16_u8 : op::v_qsad_pk_u16_u8] = {{8, 4, 8}, 8, false, [=](in i) {
      u64 r = 0;
      for (int n = 0; n < 4; ++n) {
        const u64 s = sad(i.s[0] >> (8 * n), i.s[1], masked) + (i.s[2] >> (16 * n) & 0xffff);
        r |= (i.clamp ? std::min<u64>(s, 0xffff) : s & 0xffff) << (16 * n);
      }
      return lane_result{r};
    }};
  three(op::v_lerp_u8, [=](u64 a, u64 b, u64 c) { u64 r = 0; for (int n = 0; n < 4; ++n) r |= u64((byte(a, n) + byte(b, n) + (byte(c, n) & 1)) / 2) << (8 * n); return r; });
  three(op::v_perm_b32, [=](u64 a, u64 b, u64 select) {
    const u64 both = a << 32 | zx(b, 32);
    u64 r = 0;
    for (int n = 0; n < 4; ++n) {
      const u64 s = u64(byte(select, n));
      u64 x;
      if (s >= 13) x = 0xff;
      else if (s == 12) x = 0;
      else if (s >= 8) x = byte(both, 2 * int(s - 8) + 1) & 0x80 ? 0xff : 0;
      else x = u64(byte(both, int(s)));
      r |= x << (8 * n);
    }
    return r;
  });
  // 16 bits
  auto half = [&](op id, bool is_signed, int sources, std::function<i128(i64, i64, i64)> f) { clamped(id, 16, is_signed, sources, f); };
  half(op::v_add_u16, false, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  half(op::v_sub_u16, false, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  half(op::v_subrev_u16, false, 2, [](i64 a, i64 b, i64) { return i128(b) - a; });
  half(op::v_mul_lo_u16, false, 2, [](i64 a, i64 b, i64) { return i128(a) * b; });
  half(op::v_add_i16, true, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  half(op::v_sub_i16, true, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  for (op id : {op::v_mad_u16, op::v_mad_legacy_u16}) half(id, false, 3, [](i64 a, i64 b, i64 c) { return i128(a) * b + c; });
  for (op id : {op::v_mad_i16, op::v_mad_legacy_i16}) half(id, true, 3, [](i64 a, i64 b, i64 c) { return i128(a) * b + c; });
  auto half2 = [&](op id, std::function<u64(u64, u64)> f) { t[id] = {{2, 2, 0}, 2, false, [f](in i) { return lane_result{zx(f(i.s[0], i.s[1]), 16)}; }}; };
  half2(op::v_lshlrev_b16, [](u64 s, u64 x) { return x << (s % 16); });
  half2(op::v_lshrrev_b16, [](u64 s, u64 x) { return x >> (s % 16); });
  half2(op::v_ashrrev_i16, [](u64 s, u64 x) { return u64(sx(x, 16) >> (s % 16)); });
  half2(op::v_max_u16, [](u64 a, u64 b) { return std::max(a, b); });
  half2(op::v_min_u16, [](u64 a, u64 b) { return std::min(a, b); });
  half2(op::v_max_i16, [](u64 a, u64 b) { return u64(std::max(sx(a, 16), sx(b, 16))); });
  half2(op::v_min_i16, [](u64 a, u64 b) { return u64(std::min(sx(a, 16), sx(b, 16))); });
  t[op::v_mad_u32_u16] = {{2, 2, 4}, 4, false, [](in i) {
    const i128 r = i128(i.s[0]) * i.s[1] + zx(i.s[2], 32);
    return lane_result{i.clamp ? saturate(r, 32, false) : zx(u64(r), 32)};
  }};
  t[op::v_mad_i32_i16] = {{2, 2, 4}, 4, false, [](in i) {
    const i128 r = i128(sx(i.s[0], 16)) * sx(i.s[1], 16) + sx(i.s[2], 32);
    return lane_result{i.clamp ? saturate(r, 32, true) : zx(u64(r), 32)};
  }};
  t[op::v_pack_b32_f16] = {{2, 2, 0}, 4, false, [](in i) { return lane_result{i.s[0] | i.s[1] << 16}; }};
  t[op::v_sat_pk_u8_i16] = {{4, 0, 0}, 4, false, [](in i) { return lane_result{saturate(sx(i.s[0], 16), 8, false) | saturate(sx(i.s[0] >> 16, 16), 8, false) << 8}; }};
  // packed integers: the halves as separate operations
  auto packed = [&](op id, bool is_signed, int sources, std::function<i128(i64, i64, i64)> f) {
    t[id] = {{4, 4, uint8_t(sources == 3 ? 4 : 0)}, 4, false, [=](in i) {
      u64 r = 0;
      for (int h = 0; h < 2; ++h) {
        auto get = [&](int j) { const u64 x = i.s[j] >> (16 * h); return is_signed ? sx(x, 16) : i64(zx(x, 16)); };
        const i128 x = f(get(0), get(1), get(2));
        r |= (i.clamp ? saturate(x, 16, is_signed) : zx(u64(x), 16)) << (16 * h);
      }
      return lane_result{r};
    }};
  };
  packed(op::v_pk_mad_i16, true, 3, [](i64 a, i64 b, i64 c) { return i128(a) * b + c; });
  packed(op::v_pk_mad_u16, false, 3, [](i64 a, i64 b, i64 c) { return i128(a) * b + c; });
  packed(op::v_pk_mul_lo_u16, false, 2, [](i64 a, i64 b, i64) { return i128(zx(u64(a * b), 16)); });
  packed(op::v_pk_add_i16, true, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  packed(op::v_pk_sub_i16, true, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  packed(op::v_pk_add_u16, false, 2, [](i64 a, i64 b, i64) { return i128(a) + b; });
  packed(op::v_pk_sub_u16, false, 2, [](i64 a, i64 b, i64) { return i128(a) - b; });
  packed(op::v_pk_lshlrev_b16, false, 2, [](i64 s, i64 x, i64) { return i128(zx(u64(x) << (s % 16), 16)); });
  packed(op::v_pk_lshrrev_b16, false, 2, [](i64 s, i64 x, i64) { return i128(u64(x) >> (s % 16)); });
  packed(op::v_pk_ashrrev_i16, true, 2, [](i64 s, i64 x, i64) { return i128(x >> (s & 15)); });
  packed(op::v_pk_max_i16, true, 2, [](i64 a, i64 b, i64) { return i128(std::max(a, b)); });
  packed(op::v_pk_min_i16, true, 2, [](i64 a, i64 b, i64) { return i128(std::min(a, b)); });
  packed(op::v_pk_max_u16, false, 2, [](i64 a, i64 b, i64) { return i128(std::max(a, b)); });
  packed(op::v_pk_min_u16, false, 2, [](i64 a, i64 b, i64) { return i128(std::min(a, b)); });
  // dot products
  auto dots = [&](op id, int bits, bool is_signed) {
    t[id] = {{4, 4, 4}, 4, false, [=](in i) {
      i128 r = is_signed ? sx(i.s[2], 32) : i64(zx(i.s[2], 32));
      for (int n = 0; n < 32; n += bits)
        r += is_signed ? i128(sx(i.s[0] >> n, bits)) * sx(i.s[1] >> n, bits) : i128(zx(i.s[0] >> n, bits)) * zx(i.s[1] >> n, bits);
      return lane_result{i.clamp ? saturate(r, 32, is_signed) : zx(u64(r), 32)};
    }};
  };
  dots(op::v_dot2_i32_i16, 16, true);
  dots(op::v_dot2_u32_u16, 16, false);
  dots(op::v_dot4_i32_i8, 8, true);
  dots(op::v_dot4_u32_u8, 8, false);
  dots(op::v_dot8_i32_i4, 4, true);
  dots(op::v_dot8_u32_u4, 4, false);
}

} // namespace alu_test
