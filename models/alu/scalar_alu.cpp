// SPDX-License-Identifier: Apache-2.0
// SOP1, SOP2, SOPK, SOPC arithmetic. Rules: Vega ISA chapter 12 (scalar opcode descriptions), with driver developers' corrections: S_BFE writes SCC;
// S_QUADMASK writes SCC (manual), S_MULK does not (manual; LLVM marks it otherwise).
#include "alu/scalar_model.h"

namespace lyra::alu {
namespace {

using namespace LYRA_ALU_LEVEL;
using registers = wave_registers;
using isa::instruction;

u32 source(const registers& w, const instruction& i, int j) { return scalar32(w, i, i.src[j].code); }
u64 source64(const registers& w, const instruction& i, int j) { return scalar64(w, i, i.src[j].code, wide_literal::zero_extended); }
void write(registers& w, const instruction& i, u32 v) { w.sgpr[i.dst.code & 127] = v; }
void write(registers& w, const instruction& i, u64 v) {
  w.sgpr[i.dst.code & 127] = u32(v);
  w.sgpr[(i.dst.code + 1) & 127] = u32(v >> 32);
}

enum class scc { keep, nonzero };

template <class T> T fetch(const registers& w, const instruction& i, int j) {
  if constexpr (std::is_same_v<T, i64>) return T(scalar64(w, i, i.src[j].code, wide_literal::sign_extended));
  else if constexpr (sizeof(T) == 8) return T(source64(w, i, j));
  else return T(source(w, i, j));
}
template <class T> struct unsigned_of { using type = std::conditional_t<sizeof(T) == 8, u64, u32>; };

/// D = F(S0), SCC = D != 0 where asked.
template <auto F, scc S, class R, class A> void unary_of(registers& w, const instruction& i, R (*)(A)) {
  const auto r = typename unsigned_of<R>::type(F(fetch<A>(w, i, 0)));
  write(w, i, r);
  if (S == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc S = scc::keep> void unary(registers& w, const instruction& i) { unary_of<F, S>(w, i, F); }
template <auto F, scc S, class R, class A, class B> void binary_of(registers& w, const instruction& i, R (*)(A, B)) {
  const auto r = typename unsigned_of<R>::type(F(fetch<A>(w, i, 0), fetch<B>(w, i, 1)));
  write(w, i, r);
  if (S == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc S = scc::keep> void binary(registers& w, const instruction& i) { binary_of<F, S>(w, i, F); }

// ---- SOP1 ----
template <class T> T mov(T a) { return a; }
template <class T> T bit_not(T a) { return ~a; }
/// Whole quad mode: every quad with a bit set becomes full.
template <class T> T wqm(T a) {
  T r = 0;
  for (unsigned n = 0; n < sizeof(T) * 8; n += 4)
    if (a >> n & 15) r |= T(15) << n;
  return r;
}
template <class T> T quadmask(T a) {
  T r = 0;
  for (unsigned n = 0; n < sizeof(T) * 2; ++n)
    if (a >> (4 * n) & 15) r |= T(1) << n;
  return r;
}
template <class T> T reverse(T a) {
  T r = 0;
  for (unsigned n = 0; n < sizeof(T) * 8; ++n) r |= (a >> n & 1) << (sizeof(T) * 8 - 1 - n);
  return r;
}
u32 ones(u64 a) { return u32(__builtin_popcountll(a)); }
u32 bcnt1_32(u32 a) { return ones(a); }
u32 bcnt1_64(u64 a) { return ones(a); }
u32 bcnt0_32(u32 a) { return 32 - ones(a); }
u32 bcnt0_64(u64 a) { return 64 - ones(a); }
u32 ff1_32(u32 a) { return a ? u32(__builtin_ctz(a)) : ~0u; }
u32 ff1_64(u64 a) { return a ? u32(__builtin_ctzll(a)) : ~0u; }
u32 ff0_32(u32 a) { return ff1_32(~a); }
u32 ff0_64(u64 a) { return ff1_64(~a); }
u32 flbit_32(u32 a) { return a ? u32(__builtin_clz(a)) : ~0u; }
u32 flbit_64(u64 a) { return a ? u32(__builtin_clzll(a)) : ~0u; }
u32 flbit_i32(u32 a) { return flbit_32(a ^ u32(i32(a) >> 31)); }
u32 flbit_i64(i64 a) { return flbit_64(u64(a ^ (a >> 63))); }
u32 sext8(u32 a) { return u32(i32(int8_t(a))); }
u32 sext16(u32 a) { return u32(i32(i16(a))); }
u32 absolute(u32 a) { return i32(a) < 0 ? 0u - a : a; }
/// Every bit twice.
u64 bitreplicate(u32 a) {
  u64 r = 0;
  for (unsigned n = 0; n < 32; ++n) r |= (a >> n & 1 ? 3ull : 0ull) << (2 * n);
  return r;
}
template <class T, bool One> void bitset(registers& w, const instruction& i) {
  const u32 n = source(w, i, 0) & (sizeof(T) * 8 - 1);
  T d = sizeof(T) == 8 ? T(w.sgpr[i.dst.code & 127] | u64(w.sgpr[(i.dst.code + 1) & 127]) << 32) : T(w.sgpr[i.dst.code & 127]);
  d = One ? d | T(1) << n : d & ~(T(1) << n);
  write(w, i, d);
}
template <class T> void cmov(registers& w, const instruction& i) {
  if (w.scc) write(w, i, fetch<T>(w, i, 0));
}

/// D = EXEC, EXEC = F(S0, EXEC), SCC = EXEC != 0; the WREXEC forms write the new EXEC to D.
template <u64 (*F)(u64, u64), bool NewValue> void saveexec(registers& w, const instruction& i) {
  const u64 old = exec_of(w), r = F(source64(w, i, 0), old);
  write(w, i, NewValue ? r : old);
  w.sgpr[126] = u32(r);
  w.sgpr[127] = u32(r >> 32);
  w.scc = r != 0;
}
u64 e_and(u64 s, u64 e) { return s & e; }
u64 e_or(u64 s, u64 e) { return s | e; }
u64 e_xor(u64 s, u64 e) { return s ^ e; }
u64 e_andn2(u64 s, u64 e) { return s & ~e; }
u64 e_orn2(u64 s, u64 e) { return s | ~e; }
u64 e_nand(u64 s, u64 e) { return ~(s & e); }
u64 e_nor(u64 s, u64 e) { return ~(s | e); }
u64 e_xnor(u64 s, u64 e) { return ~(s ^ e); }
u64 e_andn1(u64 s, u64 e) { return ~s & e; }
u64 e_orn1(u64 s, u64 e) { return ~s | e; }

/// SGPR[S0 + M0]; one beyond the wave's registers is read as SGPR 0 and not written (ISA 3.6.2).
unsigned relative(const registers& w, unsigned c, unsigned dwords) {
  const u64 n = u64(c) + w.sgpr[code::m0];
  return n + dwords <= 128 ? unsigned(n) : 128;
}
template <class T> void movrels(registers& w, const instruction& i) {
  const unsigned n = relative(w, i.src[0].code, sizeof(T) / 4);
  const unsigned from = n < 128 ? n : 0;
  if (sizeof(T) == 8) write(w, i, u64(w.sgpr[from] | u64(w.sgpr[from + 1]) << 32));
  else write(w, i, w.sgpr[from]);
}
/// The destination's number is in SDST; S0 is what is moved. The table names the destination as a source where the decoder does so.
template <class T> void movreld(registers& w, const instruction& i) {
  const bool dst_first = !i.dst.present();
  const unsigned base = dst_first ? i.src[0].code : i.dst.code;
  const T v = fetch<T>(w, i, dst_first ? 1 : 0);
  const unsigned n = relative(w, base, sizeof(T) / 4);
  if (n >= 128) return;
  w.sgpr[n] = u32(v);
  if (sizeof(T) == 8) w.sgpr[n + 1] = u32(u64(v) >> 32);
}

// ---- SOP2 ----
void add_u32(registers& w, const instruction& i) {
  const u64 r = u64(source(w, i, 0)) + source(w, i, 1);
  write(w, i, u32(r));
  w.scc = r >> 32;
}
void sub_u32(registers& w, const instruction& i) {
  const u32 a = source(w, i, 0), b = source(w, i, 1);
  write(w, i, a - b);
  w.scc = a < b;
}
void addc_u32(registers& w, const instruction& i) {
  const u64 r = u64(source(w, i, 0)) + source(w, i, 1) + w.scc;
  write(w, i, u32(r));
  w.scc = r >> 32;
}
void subb_u32(registers& w, const instruction& i) {
  const u32 a = source(w, i, 0), b = source(w, i, 1);
  const bool borrow = u64(b) + w.scc > a;
  write(w, i, a - b - w.scc);
  w.scc = borrow;
}
void add_i32(registers& w, const instruction& i) {
  i32 r;
  w.scc = __builtin_add_overflow(i32(source(w, i, 0)), i32(source(w, i, 1)), &r);
  write(w, i, u32(r));
}
void sub_i32(registers& w, const instruction& i) {
  i32 r;
  w.scc = __builtin_sub_overflow(i32(source(w, i, 0)), i32(source(w, i, 1)), &r);
  write(w, i, u32(r));
}
/// SCC: the first operand is the result's.
template <class T, bool Max> void extreme(registers& w, const instruction& i) {
  const T a = T(source(w, i, 0)), b = T(source(w, i, 1));
  w.scc = Max ? a > b : a < b;
  write(w, i, u32(w.scc ? a : b));
}
template <class T> void cselect(registers& w, const instruction& i) { write(w, i, w.scc ? fetch<T>(w, i, 0) : fetch<T>(w, i, 1)); }
template <class T> T op_and(T a, T b) { return a & b; }
template <class T> T op_or(T a, T b) { return a | b; }
template <class T> T op_xor(T a, T b) { return a ^ b; }
template <class T> T op_andn2(T a, T b) { return a & ~b; }
template <class T> T op_orn2(T a, T b) { return a | ~b; }
template <class T> T op_nand(T a, T b) { return ~(a & b); }
template <class T> T op_nor(T a, T b) { return ~(a | b); }
template <class T> T op_xnor(T a, T b) { return ~(a ^ b); }
template <class T> T shl(T a, u32 b) { return a << (b & (sizeof(T) * 8 - 1)); }
template <class T> T shr(T a, u32 b) { return a >> (b & (sizeof(T) * 8 - 1)); }
u32 ashr_32(u32 a, u32 b) { return u32(i32(a) >> (b & 31)); }
u64 ashr_64(i64 a, u32 b) { return u64(a >> (b & 63)); }
u32 bfm_32(u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }
u64 bfm_64(u32 a, u32 b) { return ((1ull << (a & 63)) - 1) << (b & 63); }
u32 mul(u32 a, u32 b) { return a * b; }
u32 mul_hi_u(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
u32 mul_hi_i(u32 a, u32 b) { return u32(u64(i64(i32(a)) * i32(b)) >> 32); }
/// S1[4:0] (64 bits: [5:0]) offset, S1[22:16] width; a width of the whole word or more takes all that is left.
template <class T, bool Signed> T bfe(T a, u32 b) {
  constexpr unsigned size = sizeof(T) * 8;
  const unsigned offset = b & (size - 1), width = b >> 16 & 0x7f;
  if (width == 0) return 0;
  using S = std::conditional_t<sizeof(T) == 8, i64, i32>;
  if (Signed) {
    const T v = T(S(a) >> offset);
    return width >= size ? v : T(S(v << (size - width)) >> (size - width));
  }
  const T v = a >> offset;
  return width >= size ? v : v & ((T(1) << width) - 1);
}
u64 bfe_i64(i64 a, u32 b) { return bfe<u64, true>(u64(a), b); }
u32 absdiff(u32 a, u32 b) { return absolute(a - b); }
template <unsigned N> void lshl_add(registers& w, const instruction& i) {
  const u64 r = (u64(source(w, i, 0)) << N) + source(w, i, 1);
  write(w, i, u32(r));
  w.scc = r >> 32;
}
u32 pack_ll(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
u32 pack_lh(u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000u); }
u32 pack_hh(u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }

// ---- SOPK ----
u32 k_source(const registers& w, const instruction& i) { return w.sgpr[(i.src[0].present() ? i.src[0].code : i.dst.code) & 127]; }
void movk(registers& w, const instruction& i) { write(w, i, u32(i.simm16)); }
void cmovk(registers& w, const instruction& i) {
  if (w.scc) write(w, i, u32(i.simm16));
}
void addk(registers& w, const instruction& i) {
  i32 r;
  w.scc = __builtin_add_overflow(i32(k_source(w, i)), i.simm16, &r);
  write(w, i, u32(r));
}
void mulk(registers& w, const instruction& i) { write(w, i, k_source(w, i) * u32(i.simm16)); }

enum { EQ, LG, GT, GE, LT, LE };
template <int C, class T> bool holds(T a, T b) {
  return C == EQ ? a == b : C == LG ? a != b : C == GT ? a > b : C == GE ? a >= b : C == LT ? a < b : a <= b;
}
template <int C, class T> void cmpk(registers& w, const instruction& i) {
  const T k = std::is_signed_v<T> ? T(i.simm16) : T(u32(i.simm16) & 0xffff);
  w.scc = holds<C, T>(T(k_source(w, i)), k);
}
template <int C, class T> void cmp(registers& w, const instruction& i) { w.scc = holds<C, T>(fetch<T>(w, i, 0), fetch<T>(w, i, 1)); }
template <class T, bool One> void bitcmp(registers& w, const instruction& i) {
  const bool bit = fetch<T>(w, i, 0) >> (source(w, i, 1) & (sizeof(T) * 8 - 1)) & 1;
  w.scc = bit == One;
}

constexpr scc nz = scc::nonzero;
using isa::op;
const scalar_row rows[] = {
    {op::s_mov_b32, unary<mov<u32>>}, {op::s_mov_b64, unary<mov<u64>>},
    {op::s_cmov_b32, cmov<u32>}, {op::s_cmov_b64, cmov<u64>},
    {op::s_not_b32, unary<bit_not<u32>, nz>}, {op::s_not_b64, unary<bit_not<u64>, nz>},
    {op::s_wqm_b32, unary<wqm<u32>, nz>}, {op::s_wqm_b64, unary<wqm<u64>, nz>},
    {op::s_brev_b32, unary<reverse<u32>>}, {op::s_brev_b64, unary<reverse<u64>>},
    {op::s_bcnt0_i32_b32, unary<bcnt0_32, nz>}, {op::s_bcnt0_i32_b64, unary<bcnt0_64, nz>},
    {op::s_bcnt1_i32_b32, unary<bcnt1_32, nz>}, {op::s_bcnt1_i32_b64, unary<bcnt1_64, nz>},
    {op::s_ff0_i32_b32, unary<ff0_32>}, {op::s_ff0_i32_b64, unary<ff0_64>},
    {op::s_ff1_i32_b32, unary<ff1_32>}, {op::s_ff1_i32_b64, unary<ff1_64>},
    {op::s_flbit_i32_b32, unary<flbit_32>}, {op::s_flbit_i32_b64, unary<flbit_64>},
    {op::s_flbit_i32, unary<flbit_i32>}, {op::s_flbit_i32_i64, unary<flbit_i64>},
    {op::s_sext_i32_i8, unary<sext8>}, {op::s_sext_i32_i16, unary<sext16>},
    {op::s_bitset0_b32, bitset<u32, false>}, {op::s_bitset0_b64, bitset<u64, false>},
    {op::s_bitset1_b32, bitset<u32, true>}, {op::s_bitset1_b64, bitset<u64, true>},
    {op::s_and_saveexec_b64, saveexec<e_and, false>}, {op::s_or_saveexec_b64, saveexec<e_or, false>},
    {op::s_xor_saveexec_b64, saveexec<e_xor, false>}, {op::s_andn2_saveexec_b64, saveexec<e_andn2, false>},
    {op::s_orn2_saveexec_b64, saveexec<e_orn2, false>}, {op::s_nand_saveexec_b64, saveexec<e_nand, false>},
    {op::s_nor_saveexec_b64, saveexec<e_nor, false>}, {op::s_xnor_saveexec_b64, saveexec<e_xnor, false>},
    {op::s_andn1_saveexec_b64, saveexec<e_andn1, false>}, {op::s_orn1_saveexec_b64, saveexec<e_orn1, false>},
    {op::s_andn1_wrexec_b64, saveexec<e_andn1, true>}, {op::s_andn2_wrexec_b64, saveexec<e_andn2, true>},
    {op::s_quadmask_b32, unary<quadmask<u32>, nz>}, {op::s_quadmask_b64, unary<quadmask<u64>, nz>},
    {op::s_movrels_b32, movrels<u32>}, {op::s_movrels_b64, movrels<u64>},
    {op::s_movreld_b32, movreld<u32>}, {op::s_movreld_b64, movreld<u64>},
    {op::s_abs_i32, unary<absolute, nz>}, {op::s_bitreplicate_b64_b32, unary<bitreplicate>},
    {op::s_add_u32, add_u32}, {op::s_sub_u32, sub_u32}, {op::s_add_i32, add_i32}, {op::s_sub_i32, sub_i32},
    {op::s_addc_u32, addc_u32}, {op::s_subb_u32, subb_u32},
    {op::s_min_i32, extreme<i32, false>}, {op::s_min_u32, extreme<u32, false>},
    {op::s_max_i32, extreme<i32, true>}, {op::s_max_u32, extreme<u32, true>},
    {op::s_cselect_b32, cselect<u32>}, {op::s_cselect_b64, cselect<u64>},
    {op::s_and_b32, binary<op_and<u32>, nz>}, {op::s_and_b64, binary<op_and<u64>, nz>},
    {op::s_or_b32, binary<op_or<u32>, nz>}, {op::s_or_b64, binary<op_or<u64>, nz>},
    {op::s_xor_b32, binary<op_xor<u32>, nz>}, {op::s_xor_b64, binary<op_xor<u64>, nz>},
    {op::s_andn2_b32, binary<op_andn2<u32>, nz>}, {op::s_andn2_b64, binary<op_andn2<u64>, nz>},
    {op::s_orn2_b32, binary<op_orn2<u32>, nz>}, {op::s_orn2_b64, binary<op_orn2<u64>, nz>},
    {op::s_nand_b32, binary<op_nand<u32>, nz>}, {op::s_nand_b64, binary<op_nand<u64>, nz>},
    {op::s_nor_b32, binary<op_nor<u32>, nz>}, {op::s_nor_b64, binary<op_nor<u64>, nz>},
    {op::s_xnor_b32, binary<op_xnor<u32>, nz>}, {op::s_xnor_b64, binary<op_xnor<u64>, nz>},
    {op::s_lshl_b32, binary<shl<u32>, nz>}, {op::s_lshl_b64, binary<shl<u64>, nz>},
    {op::s_lshr_b32, binary<shr<u32>, nz>}, {op::s_lshr_b64, binary<shr<u64>, nz>},
    {op::s_ashr_i32, binary<ashr_32, nz>}, {op::s_ashr_i64, binary<ashr_64, nz>},
    {op::s_bfm_b32, binary<bfm_32>}, {op::s_bfm_b64, binary<bfm_64>},
    {op::s_mul_i32, binary<mul>}, {op::s_mul_hi_u32, binary<mul_hi_u>}, {op::s_mul_hi_i32, binary<mul_hi_i>},
    {op::s_bfe_u32, binary<bfe<u32, false>, nz>}, {op::s_bfe_i32, binary<bfe<u32, true>, nz>},
    {op::s_bfe_u64, binary<bfe<u64, false>, nz>}, {op::s_bfe_i64, binary<bfe_i64, nz>},
    {op::s_absdiff_i32, binary<absdiff, nz>},
    {op::s_lshl1_add_u32, lshl_add<1>}, {op::s_lshl2_add_u32, lshl_add<2>}, {op::s_lshl3_add_u32, lshl_add<3>}, {op::s_lshl4_add_u32, lshl_add<4>},
    {op::s_pack_ll_b32_b16, binary<pack_ll>}, {op::s_pack_lh_b32_b16, binary<pack_lh>}, {op::s_pack_hh_b32_b16, binary<pack_hh>},
    {op::s_movk_i32, movk}, {op::s_cmovk_i32, cmovk}, {op::s_addk_i32, addk}, {op::s_mulk_i32, mulk},
    {op::s_cmpk_eq_i32, cmpk<EQ, i32>}, {op::s_cmpk_lg_i32, cmpk<LG, i32>}, {op::s_cmpk_gt_i32, cmpk<GT, i32>},
    {op::s_cmpk_ge_i32, cmpk<GE, i32>}, {op::s_cmpk_lt_i32, cmpk<LT, i32>}, {op::s_cmpk_le_i32, cmpk<LE, i32>},
    {op::s_cmpk_eq_u32, cmpk<EQ, u32>}, {op::s_cmpk_lg_u32, cmpk<LG, u32>}, {op::s_cmpk_gt_u32, cmpk<GT, u32>},
    {op::s_cmpk_ge_u32, cmpk<GE, u32>}, {op::s_cmpk_lt_u32, cmpk<LT, u32>}, {op::s_cmpk_le_u32, cmpk<LE, u32>},
    {op::s_cmp_eq_i32, cmp<EQ, i32>}, {op::s_cmp_lg_i32, cmp<LG, i32>}, {op::s_cmp_gt_i32, cmp<GT, i32>},
    {op::s_cmp_ge_i32, cmp<GE, i32>}, {op::s_cmp_lt_i32, cmp<LT, i32>}, {op::s_cmp_le_i32, cmp<LE, i32>},
    {op::s_cmp_eq_u32, cmp<EQ, u32>}, {op::s_cmp_lg_u32, cmp<LG, u32>}, {op::s_cmp_gt_u32, cmp<GT, u32>},
    {op::s_cmp_ge_u32, cmp<GE, u32>}, {op::s_cmp_lt_u32, cmp<LT, u32>}, {op::s_cmp_le_u32, cmp<LE, u32>},
    {op::s_cmp_eq_u64, cmp<EQ, u64>}, {op::s_cmp_lg_u64, cmp<LG, u64>},
    {op::s_bitcmp0_b32, bitcmp<u32, false>}, {op::s_bitcmp1_b32, bitcmp<u32, true>},
    {op::s_bitcmp0_b64, bitcmp<u64, false>}, {op::s_bitcmp1_b64, bitcmp<u64, true>},
};

} // namespace

scalar_rows scalar_alu_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu
