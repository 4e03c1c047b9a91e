// SPDX-License-Identifier: Apache-2.0
// What scalar arithmetic computes: result, SCC and EXEC, written out of the ISA's descriptions.
#pragma once
#include "alu/wave_fixture.h"
#include <functional>
#include <map>

namespace alu_test {

struct scalar_state {
  uint64_t a, b; ///< sources; SOPK: the register and the sign-extended constant
  bool scc;
  uint64_t exec, old;
  uint64_t result = 0;
  bool written = false;
};
struct scalar_reference {
  isa::encoding e;
  uint8_t bytes[2], result;
  std::function<void(const scalar_state&, scalar_state&)> f;
};

inline const std::map<op, scalar_reference>& scalar_references() {
  static const std::map<op, scalar_reference> table = [] {
    std::map<op, scalar_reference> t;
    using in = const scalar_state&;
    using out = scalar_state&;
    using isa::encoding;
    using wide = __int128;
    auto mask = [](int bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; };
    auto extend = [](uint64_t v, int bits) { return bits == 64 ? int64_t(v) : int64_t(v << (64 - bits)) >> (64 - bits); };
    enum effect { keeps, nonzero };
    auto set = [&](op id, encoding e, int a, int b, int r, effect scc, std::function<uint64_t(uint64_t, uint64_t)> f) {
      const uint64_t m = mask(8 * r);
      t[id] = {e, {uint8_t(a), uint8_t(b)}, uint8_t(r), [=](in i, out o) {
        o.result = f(i.a, i.b) & m;
        o.written = true;
        if (scc == nonzero) o.scc = o.result != 0;
      }};
    };
    auto count = [](uint64_t v, int bits, bool one) { uint64_t n = 0; for (int k = 0; k < bits; ++k) n += (v >> k & 1) == one; return n; };
    auto first = [](uint64_t v, int bits, bool one) { for (int k = 0; k < bits; ++k) if ((v >> k & 1) == one) return uint64_t(k); return ~uint64_t(0); };
    auto leading = [](uint64_t v, int bits) { for (int k = 0; k < bits; ++k) if (v >> (bits - 1 - k) & 1) return uint64_t(k); return ~uint64_t(0); };
    auto signs = [](uint64_t v, int bits) { for (int k = 1; k < bits; ++k) if ((v >> (bits - 1 - k) & 1) != (v >> (bits - 1) & 1)) return uint64_t(k); return ~uint64_t(0); };

    struct pair_of_ops { op narrow, full; };
    auto both = [&](pair_of_ops p, encoding e, bool binary, effect scc, std::function<uint64_t(uint64_t, uint64_t, int)> f) {
      for (int bits : {32, 64}) set(bits == 32 ? p.narrow : p.full, e, bits / 8, binary ? bits / 8 : 0, bits / 8, scc, [=](uint64_t a, uint64_t b) { return f(a, b, bits); });
    };
    const encoding s1 = encoding::SOP1, s2 = encoding::SOP2, sk = encoding::SOPK, sc = encoding::SOPC;
    both({op::s_mov_b32, op::s_mov_b64}, s1, false, keeps, [](uint64_t a, uint64_t, int) { return a; });
    both({op::s_not_b32, op::s_not_b64}, s1, false, nonzero, [](uint64_t a, uint64_t, int) { return ~a; });
    both({op::s_wqm_b32, op::s_wqm_b64}, s1, false, nonzero, [](uint64_t a, uint64_t, int bits) { uint64_t r = 0; for (int k = 0; k < bits; ++k) if (a >> (k / 4 * 4) & 15) r |= 1ull << k; return r; });
    both({op::s_quadmask_b32, op::s_quadmask_b64}, s1, false, nonzero, [](uint64_t a, uint64_t, int bits) { uint64_t r = 0; for (int k = 0; k < bits / 4; ++k) if (a >> (4 * k) & 15) r |= 1ull << k; return r; });
    both({op::s_brev_b32, op::s_brev_b64}, s1, false, keeps, [](uint64_t a, uint64_t, int bits) { uint64_t r = 0; for (int k = 0; k < bits; ++k) if (a >> k & 1) r |= 1ull << (bits - 1 - k); return r; });
    for (int bits : {32, 64}) {
      const bool n = bits == 32;
      set(n ? op::s_bcnt0_i32_b32 : op::s_bcnt0_i32_b64, s1, bits / 8, 0, 4, nonzero, [=](uint64_t a, uint64_t) { return count(a, bits, false); });
      set(n ? op::s_bcnt1_i32_b32 : op::s_bcnt1_i32_b64, s1, bits / 8, 0, 4, nonzero, [=](uint64_t a, uint64_t) { return count(a, bits, true); });
      set(n ? op::s_ff0_i32_b32 : op::s_ff0_i32_b64, s1, bits / 8, 0, 4, keeps, [=](uint64_t a, uint64_t) { return first(a, bits, false); });
      set(n ? op::s_ff1_i32_b32 : op::s_ff1_i32_b64, s1, bits / 8, 0, 4, keeps, [=](uint64_t a, uint64_t) { return first(a, bits, true); });
      set(n ? op::s_flbit_i32_b32 : op::s_flbit_i32_b64, s1, bits / 8, 0, 4, keeps, [=](uint64_t a, uint64_t) { return leading(a, bits); });
      set(n ? op::s_flbit_i32 : op::s_flbit_i32_i64, s1, bits / 8, 0, 4, keeps, [=](uint64_t a, uint64_t) { return signs(a, bits); });
      for (bool one : {false, true}) {
        const op id = n ? (one ? op::s_bitset1_b32 : op::s_bitset0_b32) : (one ? op::s_bitset1_b64 : op::s_bitset0_b64);
        t[id] = {s1, {4, 0}, uint8_t(bits / 8), [=](in i, out o) {
          const uint64_t bit = 1ull << (i.a % uint64_t(bits));
          o.result = one ? i.old | bit : i.old & ~bit;
          o.written = true;
        }};
        t[n ? (one ? op::s_bitcmp1_b32 : op::s_bitcmp0_b32) : (one ? op::s_bitcmp1_b64 : op::s_bitcmp0_b64)] = {sc, {uint8_t(bits / 8), 4}, 4, [=](in i, out o) {
          o.scc = (i.a >> (i.b % uint64_t(bits)) & 1) == one;
        }};
      }
      t[n ? op::s_cmov_b32 : op::s_cmov_b64] = {s1, {uint8_t(bits / 8), 0}, uint8_t(bits / 8), [](in i, out o) { o.written = i.scc; o.result = i.a; }};
      t[n ? op::s_cselect_b32 : op::s_cselect_b64] = {s2, {uint8_t(bits / 8), uint8_t(bits / 8)}, uint8_t(bits / 8), [](in i, out o) { o.written = true; o.result = i.scc ? i.a : i.b; }};
      auto shift = [&](op id, std::function<uint64_t(uint64_t, unsigned)> f) { set(id, s2, bits / 8, 4, bits / 8, nonzero, [=](uint64_t a, uint64_t b) { return f(a, unsigned(b % uint64_t(bits))); }); };
      shift(n ? op::s_lshl_b32 : op::s_lshl_b64, [](uint64_t a, unsigned s) { return a << s; });
      shift(n ? op::s_lshr_b32 : op::s_lshr_b64, [](uint64_t a, unsigned s) { return a >> s; });
      shift(n ? op::s_ashr_i32 : op::s_ashr_i64, [=](uint64_t a, unsigned s) { return uint64_t(extend(a, bits) >> s); });
      set(n ? op::s_bfm_b32 : op::s_bfm_b64, s2, 4, 4, bits / 8, keeps, [=](uint64_t a, uint64_t b) { return ((1ull << (a % uint64_t(bits))) - 1) << (b % uint64_t(bits)); });
      for (bool is_signed : {false, true})
        set(n ? (is_signed ? op::s_bfe_i32 : op::s_bfe_u32) : (is_signed ? op::s_bfe_i64 : op::s_bfe_u64), s2, bits / 8, 4, bits / 8, nonzero, [=](uint64_t a, uint64_t b) {
          const int offset = int(b % uint64_t(bits)), width = int(b >> 16 & 0x7f);
          uint64_t r = 0;
          for (int k = 0; k < bits; ++k) { // bit by bit: those of the field, then its top bit
            const int from = k < width ? offset + k : offset + width - 1;
            const bool bit = from < bits ? a >> from & 1 : is_signed && (a >> (bits - 1) & 1);
            if (bit && width > 0 && (k < width || is_signed)) r |= 1ull << k;
          }
          return r;
        });
    }
    set(op::s_sext_i32_i8, s1, 4, 0, 4, keeps, [=](uint64_t a, uint64_t) { return uint64_t(extend(a, 8)); });
    set(op::s_sext_i32_i16, s1, 4, 0, 4, keeps, [=](uint64_t a, uint64_t) { return uint64_t(extend(a, 16)); });
    set(op::s_abs_i32, s1, 4, 0, 4, nonzero, [=](uint64_t a, uint64_t) { const int64_t x = extend(a, 32); return uint64_t(x < 0 ? -x : x); });
    set(op::s_bitreplicate_b64_b32, s1, 4, 0, 8, keeps, [](uint64_t a, uint64_t) { uint64_t r = 0; for (int k = 0; k < 64; ++k) r |= (a >> (k / 2) & 1) << k; return r; });
    using mask_function = std::function<uint64_t(uint64_t, uint64_t)>;
    auto saves = [&](op id, bool new_value, mask_function f) {
      t[id] = {s1, {8, 0}, 8, [=](in i, out o) {
        o.exec = f(i.a, i.exec);
        o.result = new_value ? o.exec : i.exec;
        o.written = true;
        o.scc = o.exec != 0;
      }};
    };
    saves(op::s_and_saveexec_b64, false, [](uint64_t s, uint64_t e) { return s & e; });
    saves(op::s_or_saveexec_b64, false, [](uint64_t s, uint64_t e) { return s | e; });
    saves(op::s_xor_saveexec_b64, false, [](uint64_t s, uint64_t e) { return s ^ e; });
    saves(op::s_andn2_saveexec_b64, false, [](uint64_t s, uint64_t e) { return s & ~e; });
    saves(op::s_orn2_saveexec_b64, false, [](uint64_t s, uint64_t e) { return s | ~e; });
    saves(op::s_nand_saveexec_b64, false, [](uint64_t s, uint64_t e) { return ~(s & e); });
    saves(op::s_nor_saveexec_b64, false, [](uint64_t s, uint64_t e) { return ~(s | e); });
    saves(op::s_xnor_saveexec_b64, false, [](uint64_t s, uint64_t e) { return ~(s ^ e); });
    saves(op::s_andn1_saveexec_b64, false, [](uint64_t s, uint64_t e) { return ~s & e; });
    saves(op::s_orn1_saveexec_b64, false, [](uint64_t s, uint64_t e) { return ~s | e; });
    saves(op::s_andn1_wrexec_b64, true, [](uint64_t s, uint64_t e) { return ~s & e; });
    saves(op::s_andn2_wrexec_b64, true, [](uint64_t s, uint64_t e) { return s & ~e; });

    /// Sums: SCC is the carry (unsigned) or the overflow (signed) of the exact value.
    auto sum = [&](op id, encoding e, bool is_signed, std::function<wide(wide, wide, bool)> f) {
      t[id] = {e, {4, uint8_t(e == encoding::SOPK ? 0 : 4)}, 4, [=](in i, out o) {
        auto value = [=](uint64_t x) { return is_signed ? wide(extend(x, 32)) : wide(x & 0xffffffff); };
        const wide r = f(value(i.a), value(i.b), i.scc);
        o.result = uint64_t(r) & 0xffffffff;
        o.written = true;
        o.scc = r != value(o.result);
      }};
    };
    sum(op::s_add_u32, s2, false, [](wide a, wide b, bool) { return a + b; });
    sum(op::s_sub_u32, s2, false, [](wide a, wide b, bool) { return a - b; });
    sum(op::s_addc_u32, s2, false, [](wide a, wide b, bool c) { return a + b + c; });
    sum(op::s_subb_u32, s2, false, [](wide a, wide b, bool c) { return a - b - c; });
    sum(op::s_add_i32, s2, true, [](wide a, wide b, bool) { return a + b; });
    sum(op::s_sub_i32, s2, true, [](wide a, wide b, bool) { return a - b; });
    sum(op::s_addk_i32, sk, true, [](wide a, wide b, bool) { return a + b; });
    const op shifted_adds[] = {op::s_lshl1_add_u32, op::s_lshl2_add_u32, op::s_lshl3_add_u32, op::s_lshl4_add_u32};
    for (int n = 1; n <= 4; ++n) sum(shifted_adds[n - 1], s2, false, [n](wide a, wide b, bool) { return (a << n) + b; });
    for (bool is_signed : {false, true})
      for (bool maximum : {false, true})
        t[is_signed ? (maximum ? op::s_max_i32 : op::s_min_i32) : (maximum ? op::s_max_u32 : op::s_min_u32)] = {s2, {4, 4}, 4, [=](in i, out o) {
          const int64_t a = is_signed ? extend(i.a, 32) : int64_t(i.a), b = is_signed ? extend(i.b, 32) : int64_t(i.b);
          o.scc = maximum ? a > b : a < b;
          o.result = o.scc ? i.a : i.b;
          o.written = true;
        }};
    auto logic = [&](pair_of_ops p, mask_function f) { both(p, s2, true, nonzero, [=](uint64_t a, uint64_t b, int) { return f(a, b); }); };
    logic({op::s_and_b32, op::s_and_b64}, [](uint64_t a, uint64_t b) { return a & b; });
    logic({op::s_or_b32, op::s_or_b64}, [](uint64_t a, uint64_t b) { return a | b; });
    logic({op::s_xor_b32, op::s_xor_b64}, [](uint64_t a, uint64_t b) { return a ^ b; });
    logic({op::s_andn2_b32, op::s_andn2_b64}, [](uint64_t a, uint64_t b) { return a & ~b; });
    logic({op::s_orn2_b32, op::s_orn2_b64}, [](uint64_t a, uint64_t b) { return a | ~b; });
    logic({op::s_nand_b32, op::s_nand_b64}, [](uint64_t a, uint64_t b) { return ~(a & b); });
    logic({op::s_nor_b32, op::s_nor_b64}, [](uint64_t a, uint64_t b) { return ~(a | b); });
    logic({op::s_xnor_b32, op::s_xnor_b64}, [](uint64_t a, uint64_t b) { return ~(a ^ b); });
    set(op::s_mul_i32, s2, 4, 4, 4, keeps, [](uint64_t a, uint64_t b) { return a * b; });
    set(op::s_mul_hi_u32, s2, 4, 4, 4, keeps, [](uint64_t a, uint64_t b) { return a * b >> 32; });
    set(op::s_mul_hi_i32, s2, 4, 4, 4, keeps, [=](uint64_t a, uint64_t b) { return uint64_t(extend(a, 32) * extend(b, 32)) >> 32; });
    set(op::s_absdiff_i32, s2, 4, 4, 4, nonzero, [=](uint64_t a, uint64_t b) { const int64_t d = extend(a - b, 32); return uint64_t(d < 0 ? -d : d); });
    set(op::s_pack_ll_b32_b16, s2, 4, 4, 4, keeps, [](uint64_t a, uint64_t b) { return (a & 0xffff) | (b & 0xffff) << 16; });
    set(op::s_pack_lh_b32_b16, s2, 4, 4, 4, keeps, [](uint64_t a, uint64_t b) { return (a & 0xffff) | (b >> 16) << 16; });
    set(op::s_pack_hh_b32_b16, s2, 4, 4, 4, keeps, [](uint64_t a, uint64_t b) { return a >> 16 | (b >> 16) << 16; });
    set(op::s_movk_i32, sk, 0, 0, 4, keeps, [](uint64_t, uint64_t k) { return k; });
    set(op::s_mulk_i32, sk, 4, 0, 4, keeps, [](uint64_t a, uint64_t k) { return a * k; });
    t[op::s_cmovk_i32] = {sk, {0, 0}, 4, [](in i, out o) { o.written = i.scc; o.result = i.b; }};
    // comparisons
    const char* names[] = {"eq", "lg", "gt", "ge", "lt", "le"};
    const op table32[2][6] = {{op::s_cmp_eq_i32, op::s_cmp_lg_i32, op::s_cmp_gt_i32, op::s_cmp_ge_i32, op::s_cmp_lt_i32, op::s_cmp_le_i32},
                              {op::s_cmp_eq_u32, op::s_cmp_lg_u32, op::s_cmp_gt_u32, op::s_cmp_ge_u32, op::s_cmp_lt_u32, op::s_cmp_le_u32}};
    const op tablek[2][6] = {{op::s_cmpk_eq_i32, op::s_cmpk_lg_i32, op::s_cmpk_gt_i32, op::s_cmpk_ge_i32, op::s_cmpk_lt_i32, op::s_cmpk_le_i32},
                             {op::s_cmpk_eq_u32, op::s_cmpk_lg_u32, op::s_cmpk_gt_u32, op::s_cmpk_ge_u32, op::s_cmpk_lt_u32, op::s_cmpk_le_u32}};
    auto compare = [=](int n, int64_t a, int64_t b) {
      const std::string c = names[n];
      return c == "eq" ? a == b : c == "lg" ? a != b : c == "gt" ? a > b : c == "ge" ? a >= b : c == "lt" ? a < b : a <= b;
    };
    for (int u = 0; u < 2; ++u)
      for (int n = 0; n < 6; ++n) {
        t[table32[u][n]] = {sc, {4, 4}, 4, [=](in i, out o) { o.scc = compare(n, u ? int64_t(i.a) : extend(i.a, 32), u ? int64_t(i.b) : extend(i.b, 32)); }};
        t[tablek[u][n]] = {sk, {4, 0}, 4, [=](in i, out o) { o.scc = compare(n, u ? int64_t(i.a) : extend(i.a, 32), u ? int64_t(i.b & 0xffff) : int64_t(i.b)); }};
      }
    t[op::s_cmp_eq_u64] = {sc, {8, 8}, 4, [](in i, out o) { o.scc = i.a == i.b; }};
    t[op::s_cmp_lg_u64] = {sc, {8, 8}, 4, [](in i, out o) { o.scc = i.a != i.b; }};
    return t;
  }();
  return table;
}

} // namespace alu_test
