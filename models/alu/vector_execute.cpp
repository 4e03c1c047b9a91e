// SPDX-License-Identifier: Apache-2.0
// The general executor of vector instructions: fetches operands of every kind, applies DPP, SDWA, op_sel, neg and abs, runs the operation's loop over
// 64 lanes, applies omod and clamp, and writes the lanes of EXEC.
// Sources: Vega ISA chapters 6 (vector ALU), 12.15 (SDWA), 12.16 (DPP), 3.5 (MODE), 3.6 (out-of-range registers).
#include "alu/float_exceptions.h"
#include "alu/vector_host.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

void halves_to_floats(const u32* rows, unsigned shift, bool flush, float* floats) {
#ifdef __F16C__
  u32 special = 0;
  const __m128i count = _mm_cvtsi32_si128(int(shift));
  for (int k = 0; k < lanes; k += 8) {
    __m256i v = _mm256_and_si256(_mm256_srl_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(rows + k)), count), _mm256_set1_epi32(0xffff));
    const __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi32(0x7fff));
    special |= u32(_mm256_movemask_epi8(_mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7c00))));
    if (flush) v = _mm256_and_si256(v, _mm256_or_si256(_mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x3ff)), _mm256_set1_epi32(0x8000)));
    const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm256_store_ps(floats + k, _mm256_cvtph_ps(packed));
  }
  if (__builtin_expect(special == 0, 1)) return; // else the host has quieted signalling NaNs: min and max tell them apart, so keep them
#endif
  for (int k = 0; k < lanes; ++k) {
    const u32 h = rows[k] >> shift & 0xffff;
    floats[k] = half_to_float(flush && !(h & 0x7c00) ? h & 0x8000 : h);
  }
}

void floats_to_halves(const float* floats, u32* halves, unsigned round) {
#ifdef __F16C__
  auto convert = [&](auto mode) {
    for (int k = 0; k < lanes; k += 8)
      _mm256_store_si256(reinterpret_cast<__m256i*>(halves + k), _mm256_cvtepu16_epi32(_mm256_cvtps_ph(_mm256_load_ps(floats + k), decltype(mode)::value)));
  };
  switch (round) {
    case 0: convert(std::integral_constant<int, _MM_FROUND_TO_NEAREST_INT>()); break;
    case 1: convert(std::integral_constant<int, _MM_FROUND_TO_POS_INF>()); break;
    case 2: convert(std::integral_constant<int, _MM_FROUND_TO_NEG_INF>()); break;
    default: convert(std::integral_constant<int, _MM_FROUND_TO_ZERO>()); break;
  }
#else
  for (int k = 0; k < lanes; ++k) halves[k] = float_to_half(floats[k], round);
#endif
}

namespace {

using row = u32[lanes];

/// Lane that DPP control `ctrl` makes lane `k` read, or -1 (Vega ISA 12.16, "DPP_CTRL enumeration").
int dpp_source(unsigned ctrl, int k) {
  const int in_row = k & 15, row_base = k & ~15;
  if (ctrl < 0x100) return (k & ~3) + int(ctrl >> (2 * (k & 3)) & 3);
  const int n = int(ctrl & 15);
  if (ctrl >= 0x101 && ctrl <= 0x10f) return in_row + n < 16 ? k + n : -1;
  if (ctrl >= 0x111 && ctrl <= 0x11f) return in_row - n >= 0 ? k - n : -1;
  if (ctrl >= 0x121 && ctrl <= 0x12f) return row_base + ((in_row - n) & 15);
  switch (ctrl) {
    case 0x130: return k + 1 < lanes ? k + 1 : -1;
    case 0x134: return (k + 1) & 63;
    case 0x138: return k - 1;
    case 0x13c: return (k - 1) & 63;
    case 0x140: return row_base + (15 - in_row);
    case 0x141: return (k & ~7) + (7 - (k & 7));
    case 0x142: return k >= 16 ? row_base - 1 : -1;
    case 0x143: return k >= 32 ? 31 : -1;
    default: return -1;
  }
}

/// dpp_source for every control and lane: the lane read (0 where there is none) and which lanes have one.
struct dpp_tables {
  u8 lane[512][lanes];
  u64 valid[512];
  dpp_tables() {
    for (unsigned c = 0; c < 512; ++c) {
      valid[c] = 0;
      for (int k = 0; k < lanes; ++k) {
        const int n = dpp_source(c, k);
        lane[c][k] = u8(n < 0 ? 0 : n);
        valid[c] |= u64(n >= 0) << k;
      }
    }
  }
};
const dpp_tables& dpp() {
  static const dpp_tables t;
  return t;
}
/// Lanes whose source exists and is on in EXEC.
u64 dpp_valid(unsigned ctrl, u64 exec) {
  u64 valid = dpp().valid[ctrl & 511];
  if (exec != ~0ull)
    for (int k = 0; k < lanes; ++k)
      if (!(exec >> dpp().lane[ctrl & 511][k] & 1)) valid &= ~(1ull << k);
  return valid;
}
/// Lanes of the rows (four of 16 lanes) and banks (four lanes of each row) that the masks leave on.
u64 dpp_enabled(unsigned row_mask, unsigned bank_mask) {
  u64 in_row = 0;
  for (int b = 0; b < 4; ++b) in_row |= bank_mask >> b & 1 ? 0xfull << (4 * b) : 0;
  u64 r = 0;
  for (int n = 0; n < 4; ++n) r |= row_mask >> n & 1 ? in_row << (16 * n) : 0;
  return r;
}

struct general {
  wave_registers& w;
  const isa::instruction& i;
  const op_model& m;
  u64 exec;
  u64 write_mask; ///< lanes whose VGPR result is kept: EXEC without what DPP switches off
  bool record = false; ///< exceptions of the active lanes go to TRAPSTS
  u32 raised_by[lanes]; ///< `record` only: each lane's
  unsigned index = 0, index_enables = 0;
  frame f;
  alignas(64) row source_rows[3][2];
  alignas(64) row out[2];
  alignas(64) row bits_in;
  alignas(64) row bits_out;

  general(wave_registers& wave, const isa::instruction& inst, const op_model& model) : w(wave), i(inst), m(model) {}

  /// Number of the first VGPR of an operand; `slot` 0..2 sources, 3 destination (the order of M0[15:12] in GPR indexing, ISA 3.8 / S_SET_GPR_IDX_ON).
  unsigned vgpr_number(const isa::operand& o, int slot) const { return o.vgpr() + (index_enables >> slot & 1 ? index : 0); }

  /// Source VGPR row; one beyond the allocation reads VGPR 0 (ISA 3.6.3).
  const u32* source_row(unsigned number) const { return w.vgpr[number < w.vgpr_count ? number : 0]; }

  const isa::operand& operand_of(int j) const {
    static const isa::operand literal = {code::literal, isa::operand_type::b32};
    if (m.has(accumulates) && j == 2) return i.dst;
    if (m.has(constant_middle) && j) return j == 1 ? literal : i.src[i.src[2].present() ? 2 : 1];
    if (m.has(constant_last) && j == 2) return literal;
    return i.src[j];
  }

  /// Selects SDWA's part of a dword (ISA 12.15).
  static u32 select_part(u32 v, isa::sdwa_select select, bool sext) {
    switch (select) {
      case isa::sdwa_select::byte_0: case isa::sdwa_select::byte_1: case isa::sdwa_select::byte_2: case isa::sdwa_select::byte_3: {
        const u32 b = v >> (8 * unsigned(select)) & 0xff;
        return sext ? u32(i32(int8_t(b))) : b;
      }
      case isa::sdwa_select::word_0: case isa::sdwa_select::word_1: {
        const u32 h = v >> (select == isa::sdwa_select::word_1 ? 16 : 0) & 0xffff;
        return sext ? u32(i32(i16(h))) : h;
      }
      default: return v;
    }
  }

  void fetch(int j, bool high_pass) {
    const kind kd = m.src[j];
    if (kd == kind::none) return;
    const isa::operand& o = operand_of(j);
    const bool wide = is_wide_kind(kd);
    const bool half = kd == kind::f16 || kd == kind::u16 || kd == kind::s16 || kd == kind::h16 || kd == kind::pair;
    u32* const lo = source_rows[j][0];
    u32* const hi = source_rows[j][1];
    const bool mix_half = kd == kind::mix && (i.op_sel_hi >> j & 1);

    if (o.is_vgpr()) {
      const unsigned number = vgpr_number(o, j < 2 ? j : m.has(accumulates) ? 3 : m.has(constant_middle) ? 1 : 2);
      f.s[j] = source_row(number);
      if (wide) f.s_hi[j] = source_row(number + 1);
    } else if (wide) {
      const u64 v = scalar64(w, i, o.code, wide_literal_of(kd));
      broadcast(u32(v), lo);
      broadcast(u32(v >> 32), hi);
      f.s[j] = lo;
      f.s_hi[j] = hi;
    } else {
      // packed integers take floating constants as f32 (LLVM: packed operands are 32-bit values), everything else of 16 bits as f16
      const bool as_half = mix_half || (half && !(m.has(packed) && kd != kind::f16));
      const u32 v = as_half ? scalar16(w, i, o.code) : scalar32(w, i, o.code);
      broadcast(v, lo);
      f.s[j] = lo;
    }

    if (i.form == isa::form::dpp && j == 0) {
      const u32* const from = f.s[0];
      const u8* const lane = dpp().lane[i.dpp_ctrl & 511];
      alignas(64) row moved, valid;
      spread_bits(dpp_valid(i.dpp_ctrl, exec), valid);
      for (int k = 0; k < lanes; ++k) moved[k] = from[lane[k]];
      for (int k = 0; k < lanes; ++k) lo[k] = moved[k] & valid[k];
      f.s[0] = lo;
    }
    if (i.form == isa::form::sdwa && j < 2 && i.src_sel[j] != isa::sdwa_select::dword) {
      const u32* const from = f.s[j];
      const isa::sdwa_select select = i.src_sel[j];
      const bool sext = i.sext >> j & 1;
      for (int k = 0; k < lanes; ++k) lo[k] = select_part(from[k], select, sext);
      f.s[j] = lo;
    }

    // what the lane function wants
    bool negate, absolute;
    unsigned shift = 0;
    if (m.has(packed)) {
      negate = (high_pass ? i.neg_hi : i.neg) >> j & 1;
      absolute = false;
      shift = (high_pass ? i.op_sel_hi : i.op_sel) >> j & 1 ? 16 : 0;
    } else if (kd == kind::mix) {
      negate = i.neg >> j & 1;
      absolute = i.neg_hi >> j & 1;
      shift = mix_half && (i.op_sel >> j & 1) ? 16 : 0;
    } else {
      negate = i.neg >> j & 1;
      absolute = i.abs >> j & 1;
      shift = half && i.form == isa::form::plain && (i.op_sel >> j & 1) ? 16 : 0;
    }
    const u32* const from = f.s[j];
    switch (kd) {
      case kind::u16:
        for (int k = 0; k < lanes; ++k) lo[k] = from[k] >> shift & 0xffff;
        f.s[j] = lo;
        break;
      case kind::h16:
        for (int k = 0; k < lanes; ++k) lo[k] = ((from[k] >> shift & 0xffff) & (absolute ? 0x7fffu : 0xffffu)) ^ (negate ? 0x8000u : 0u);
        f.s[j] = lo;
        break;
      case kind::s16:
        for (int k = 0; k < lanes; ++k) lo[k] = u32(i32(from[k] << (16 - shift)) >> 16);
        f.s[j] = lo;
        break;
      case kind::pair:
      case kind::ipair: {
        const unsigned low = i.op_sel >> j & 1 ? 16 : 0, high = i.op_sel_hi >> j & 1 ? 16 : 0;
        const u32 flip = kd == kind::pair ? (i.neg >> j & 1 ? 0x8000u : 0) | (i.neg_hi >> j & 1 ? 0x80000000u : 0) : 0;
        for (int k = 0; k < lanes; ++k) lo[k] = ((from[k] >> low & 0xffff) | (from[k] >> high & 0xffff) << 16) ^ flip;
        f.s[j] = lo;
        break;
      }
      case kind::f16:
      case kind::mix:
        if (half || mix_half) {
          float* const floats = reinterpret_cast<float*>(source_rows[j][1]); // an operand of 16 bits has no high row
          halves_to_floats(from, shift, f.env.flush_in16 || m.fp == fp_rule::half_flush, floats);
          f.s[j] = source_rows[j][1];
        }
        [[fallthrough]];
      case kind::f32:
        if (negate || absolute) {
          const u32 keep = absolute ? 0x7fffffffu : ~0u, flip = negate ? 0x80000000u : 0;
          const u32* const in = f.s[j];
#pragma GCC ivdep
          for (int k = 0; k < lanes; ++k) lo[k] = (in[k] & keep) ^ flip;
          f.s[j] = lo;
        }
        break;
      case kind::f64:
        if (negate || absolute) {
          const u32 keep = absolute ? 0x7fffffffu : ~0u, flip = negate ? 0x80000000u : 0;
          const u32* const in = f.s_hi[j];
          for (int k = 0; k < lanes; ++k) hi[k] = (in[k] & keep) ^ flip;
          f.s_hi[j] = hi;
        }
        break;
      default: break;
    }
  }

  /// OMOD and CLAMP of floating results (ISA 6.2.2): OMOD is ignored with output denormals allowed or in IEEE mode; it flushes what becomes denormal.
  /// CLAMP takes NaN to 0 under DX10_CLAMP, and leaves it otherwise.
  double modifier() const { return i.omod == 1 ? 2. : i.omod == 2 ? 4. : .5; }
  /// OMOD of lane `k`'s finished result, for raised_by.
  void raise_modifier(int k, double result, result_format r) {
    if (write_mask >> k & 1) raised_by[k] |= modifier_exceptions(result, modifier(), r);
  }
  /// OMOD (only where MODE flushes results and IEEE is off: LLVM's SIFoldOperands), then CLAMP.
  void modify_float(bool half_result) {
    float* const r = reinterpret_cast<float*>(out[0]);
    const bool denormals = half_result ? !f.env.flush_out16 : f.env.keep_out32 == ~0u;
    if (i.omod && !denormals && !f.env.ieee) {
      if (half_result) { // the finished result is multiplied, so it is a half first
        narrow();
        alignas(64) u32 halves[lanes];
        std::memcpy(halves, out[0], sizeof halves);
        for (int k = 0; k < lanes; ++k) r[k] = half_to_float(halves[k]);
      }
      if (record)
        for (int k = 0; k < lanes; ++k) raise_modifier(k, r[k], half_result ? result_format::f16 : result_format::f32);
      const float factor = float(modifier());
      for (int k = 0; k < lanes; ++k) r[k] *= factor;
    }
    if (i.clamp) {
      const bool dx10 = f.env.dx10_clamp;
      for (int k = 0; k < lanes; ++k) {
        const float v = r[k];
        r[k] = is_nan(v) ? (dx10 ? 0.f : v) : v > 1.f ? 1.f : v > 0.f ? v : 0.f;
      }
    }
  }
  void modify_double() {
    const bool denormals = f.env.keep_out64 == ~0ull;
    const bool scale = i.omod && !denormals && !f.env.ieee;
    if (!scale && !i.clamp) return;
    const double factor = modifier();
    for (int k = 0; k < lanes; ++k) {
      double v = load_lane<double>(out[0], out[1], k);
      if (scale && record) raise_modifier(k, v, result_format::f64);
      if (scale) v *= factor;
      if (i.clamp) v = is_nan(v) ? (f.env.dx10_clamp ? 0. : v) : v > 1. ? 1. : v > 0. ? v : 0.;
      store_lane(out[0], out[1], k, v);
    }
  }

  /// A float result to a half: rounding by MODE, denormals flushed where MODE says, overflow held at the largest number with FP16_OVFL (ISA 3.5).
  void narrow() {
    float* const r = reinterpret_cast<float*>(out[0]);
    alignas(64) u32 halves[lanes];
    floats_to_halves(r, halves, f.env.round64);
    if (m.fp == fp_rule::none) { // choices and moves hand signalling NaNs through; the host's conversion quiets them
      u32 nan = 0;
      for (int k = 0; k < lanes; ++k) nan |= is_nan(r[k]) ? 1u : 0u;
      if (__builtin_expect(nan != 0, 0))
        for (int k = 0; k < lanes; ++k)
          if (is_nan(r[k])) halves[k] = (bits_as<u32>(r[k]) >> 16 & 0x8000u) | 0x7c00u | (bits_as<u32>(r[k]) >> 13 & 0x3ff);
    }
    if (f.env.fp16_ovfl)
      for (int k = 0; k < lanes; ++k)
        if ((halves[k] & 0x7fff) == 0x7c00 && (bits_as<u32>(r[k]) & 0x7fffffff) != 0x7f800000u) halves[k] -= 1;
    if (f.env.flush_out16 || m.fp == fp_rule::half_flush)
      for (int k = 0; k < lanes; ++k) halves[k] = is_tiny_half(r[k], f.env.round64) ? halves[k] & 0x8000 : halves[k];
    std::memcpy(out[0], halves, sizeof halves);
  }

  void run_core() {
    f.d = out[0];
    f.d_hi = out[1];
    f.bit_in = bits_in;
    f.bit_out = bits_out;
    const fp_scope scope(host_control(m.fp, w.mode));
    (i.clamp && m.clamped ? m.clamped : m.core)(f);
    if (i.omod || i.clamp) {
      if (m.dst == kind::f32 || m.dst == kind::f16) modify_float(m.dst == kind::f16);
      if (m.dst == kind::f64) modify_double();
    }
    if (m.dst == kind::f16) narrow();
  }

  /// Operand `j` of a lane as float_exceptions() takes it. Halves are floats here: exact, so their bits come back.
  u64 exception_operand(int j, int k) const {
    switch (m.src[j]) {
      case kind::none: return 0;
      case kind::b64: case kind::s64: case kind::f64: return f.s[j][k] | u64(f.s_hi[j][k]) << 32;
      case kind::f16: {
        const u32 b = f.s[j][k], exponent = b >> 23 & 255, sign = b >> 16 & 0x8000u;
        if (exponent == 255) return sign | 0x7c00u | (b >> 13 & 0x3ff);
        if (exponent >= 113) return sign | (exponent - 112) << 10 | (b >> 13 & 0x3ff);
        return sign | (exponent < 103 ? 0 : ((b & 0x7fffffu) | 0x800000u) >> (126 - exponent));
      }
      default: return f.s[j][k];
    }
  }
  /// Before the operation runs: the result may overwrite its operands.
  void raise() {
    const bool nan_signals = m.has(compare) && i.clamp;
    for (u64 rest = write_mask; rest; rest &= rest - 1) {
      const int k = __builtin_ctzll(rest);
      const exception_operands o{{exception_operand(0, k), exception_operand(1, k), exception_operand(2, k)}, m.has(carry_in) && bits_in[k] != 0, nan_signals};
      raised_by[k] |= float_exceptions(i.op(), o, w.mode);
    }
  }

  unsigned mask_register() const {
    const isa::operand& o = m.has(compare) ? (i.sdst.present() ? i.sdst : i.dst) : i.sdst;
    return o.present() && o.code < 127 ? o.code : code::vcc_lo;
  }

  void run() {
    if (w.mode >> mode_bit::vskip & 1) return; // ISA 3.5 VSKIP: vector instructions are skipped
    exec = exec_of(w);
    if (exec == 0 && !m.has(compare | carry_out)) return;
    if (w.mode >> mode_bit::gpr_idx_en & 1) {
      index = w.sgpr[code::m0] & 0xff;
      index_enables = w.sgpr[code::m0] >> 12 & 15;
    }
    f.env = environment_of(w.mode);
    write_mask = exec;
    if (i.form == isa::form::dpp) {
      u64 on = dpp_enabled(i.row_mask, i.bank_mask);
      if (!i.bound_ctrl) on &= dpp_valid(i.dpp_ctrl, exec);
      write_mask &= on;
    }
    if (m.has(carry_in)) {
      const isa::operand& o = i.src[2];
      const bool from_register = !m.has(reads_vcc) && o.present() && !o.is_vgpr();
      spread_bits(from_register ? scalar64(w, i, o.code, wide_literal::zero_extended) : vcc_of(w), bits_in);
    }

    // destination rows; one beyond the allocation makes the instruction a no-op (ISA 3.6.3)
    u32 *to = nullptr, *to_hi = nullptr;
    const bool wide = m.dst == kind::b64 || m.dst == kind::f64;
    if (m.dst != kind::none) {
      const unsigned number = vgpr_number(i.dst, 3);
      if (number + wide >= w.vgpr_count) return;
      to = w.vgpr[number];
      if (wide) to_hi = w.vgpr[number + 1];
    }

    for (int j = 0; j < 3; ++j) fetch(j, false);
    if (record) {
      std::memset(raised_by, 0, sizeof raised_by);
      raise();
    }
    run_core();
    if (m.has(packed)) {
      alignas(64) row low;
      std::memcpy(low, out[0], sizeof low);
      for (int j = 0; j < 3; ++j) fetch(j, true);
      if (record) raise();
      run_core();
      for (int k = 0; k < lanes; ++k) out[0][k] = (low[k] & 0xffff) | out[0][k] << 16;
    } else if (m.dst == kind::f16 || m.dst == kind::u16)
      place_half(to);
    if (record)
      for (u64 rest = write_mask; rest; rest &= rest - 1) record_exceptions(w, raised_by[__builtin_ctzll(rest)], unsigned(__builtin_ctzll(rest)));
    if (m.dst != kind::none && i.form == isa::form::sdwa) place_sdwa(to);

    if (m.has(compare | carry_out)) {
      const u64 mask = gather_bits(bits_out) & (m.has(carry_out) && i.form == isa::form::dpp ? write_mask : exec);
      const unsigned s = mask_register();
      w.sgpr[s] = u32(mask);
      w.sgpr[s + 1] = u32(mask >> 32);
      if (m.has(compare_exec)) {
        w.sgpr[code::exec_lo] = u32(mask);
        w.sgpr[code::exec_hi] = u32(mask >> 32);
      }
    }
    if (to) {
      write_lanes(to, out[0], write_mask);
      if (to_hi) write_lanes(to_hi, out[1], write_mask);
    }
  }

  /// A 16-bit result in its dword: GFX9 zeroes the other half, except operations that have op_sel (LLVM GCNSubtarget::zeroesHigh16BitsOfDest, Mesa ACO
  /// instr_is_16bit); op_sel[3] writes the high half and keeps the low one.
  void place_half(const u32* old) {
    if (i.form == isa::form::sdwa) {
      for (int k = 0; k < lanes; ++k) out[0][k] &= 0xffff;
      return;
    }
    const bool high = m.has(to_high) || (i.encoding() == isa::encoding::VOP3 && (i.op_sel >> 3 & 1));
    if (high)
      for (int k = 0; k < lanes; ++k) out[0][k] = (old[k] & 0xffff) | out[0][k] << 16;
    else if (m.has(keeps_high))
      for (int k = 0; k < lanes; ++k) out[0][k] = (out[0][k] & 0xffff) | (old[k] & 0xffff0000u);
    else
      for (int k = 0; k < lanes; ++k) out[0][k] &= 0xffff;
  }

  /// SDWA's destination select: the result's low bits go to a byte or word; the rest is zero, the sign above and zero below, or kept (ISA 12.15).
  void place_sdwa(const u32* old) {
    if (i.dst_sel == isa::sdwa_select::dword) return;
    const bool byte = i.dst_sel < isa::sdwa_select::word_0;
    const unsigned width = byte ? 8 : 16;
    const unsigned shift = byte ? 8 * unsigned(i.dst_sel) : i.dst_sel == isa::sdwa_select::word_1 ? 16 : 0;
    const u32 field = (byte ? 0xffu : 0xffffu) << shift;
    for (int k = 0; k < lanes; ++k) {
      const u32 v = out[0][k] << shift & field;
      switch (i.dst_unused) {
        case 1: out[0][k] = u32(i32(out[0][k] << (32 - width)) >> (32 - width) << shift); break;
        case 2: out[0][k] = v | (old[k] & ~field); break;
        default: out[0][k] = v; break;
      }
    }
  }
};

struct model_table {
  op_model models[unsigned(isa::op::count)];
  model_table() {
    for (const row_list& list : {integer_rows(), integer16_rows(), media_rows(), float32_rows(), float64_rows(), float16_rows(), convert_rows(), compare_rows(),
                                 transcendental_rows(), divide_rows(), lane_access_rows()})
      for (unsigned k = 0; k < list.count; ++k) models[unsigned(list.first[k].id)] = list.first[k].model;
  }
};

const model_table& table() {
  static const model_table t;
  return t;
}

} // namespace

const op_model& model_of(isa::op id) { return table().models[unsigned(id)]; }

void execute_general(wave_registers& w, const isa::instruction& i) { general(w, i, model_of(i.op())).run(); }

void execute_recording(wave_registers& w, const isa::instruction& i) {
  const op_model& m = model_of(i.op());
  w.raised = 0;
  if (m.special_recording) { m.special_recording(w, i); return; }
  general g(w, i, m);
  g.record = true;
  g.run();
}

handler bind_vector(const isa::instruction& i) {
  const op_model& m = model_of(i.op());
  if (m.special) return m.special;
  if (!m.core) return nullptr;
  const bool plain = i.form == isa::form::plain && !i.neg_hi && !i.op_sel && !i.omod && !i.clamp && (m.dst == kind::none || i.dst.is_vgpr());
  return plain && m.fast ? m.fast : execute_general;
}

} // namespace lyra::alu::LYRA_ALU_LEVEL
