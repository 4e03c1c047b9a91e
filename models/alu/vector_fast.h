// SPDX-License-Identifier: Apache-2.0
// Handlers for the plain form of an operation on 32- and 64-bit operands: no output modifiers, no DPP or SDWA; neg and abs of floating operands are done. What an operation needs is known when it is
// compiled; operands that are VGPRs are used where they lie, scalars are spread over a row, and with EXEC all ones the result goes straight to its register.
#pragma once
#include "alu/vector_host.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

namespace detail {
template <class T> struct environment_first { static constexpr bool value = false; };
template <class R, class... A> struct environment_first<R (*)(const environment&, A...)> { static constexpr bool value = true; };
} // namespace detail

template <auto F, bool FixNan> constexpr core_function loop_over() {
  if constexpr (FixNan) return float_lanes_of<F>;
  else return lanes_of<F>;
}

/// `F`: lane function. `FixNan`: as float_lanes_of.
template <auto F, bool FixNan, kind S0, kind S1, kind S2, kind D, fp_rule Rule, u16 Flags> void execute_fast(wave_registers& w, const isa::instruction& i) {
  using namespace detail;
  if (__builtin_expect(w.mode & (1u << mode_bit::vskip | 1u << mode_bit::gpr_idx_en), 0)) return execute_general(w, i);
  constexpr bool writes_mask = (Flags & (compare | carry_out)) != 0, wide = is_wide_kind(D);
  const u64 exec = exec_of(w);
  if (!writes_mask && exec == 0) return;
  unsigned to = 0;
  if constexpr (D != kind::none) {
    to = i.dst.vgpr();
    if (__builtin_expect(to + wide >= w.vgpr_count, 0)) return; // beyond the allocation: not executed
  }

  frame f;
  constexpr kind kinds[3] = {S0, S1, S2};
  constexpr int sources = S2 != kind::none ? 3 : S1 != kind::none ? 2 : 1;
  constexpr bool any_wide = is_wide_kind(S0) || is_wide_kind(S1) || is_wide_kind(S2);
  alignas(64) u32 spread[sources][any_wide ? 2 : 1][lanes];
  for (int j = 0; j < sources; ++j) {
    static const isa::operand literal = {code::literal, isa::operand_type::b32};
    const isa::operand& o = (Flags & accumulates) && j == 2                          ? i.dst
                            : (Flags & constant_middle) && j == 1                    ? literal
                            : (Flags & constant_middle) && j == 2                    ? i.src[i.src[2].present() ? 2 : 1]
                            : (Flags & constant_last) && j == 2                      ? literal
                                                                                     : i.src[j];
    if (o.code >= code::vgpr0) {
      const unsigned n = o.code - code::vgpr0;
      f.s[j] = w.vgpr[n < w.vgpr_count ? n : 0];
      if (is_wide_kind(kinds[j])) f.s_hi[j] = w.vgpr[n + 1 < w.vgpr_count ? n + 1 : 0];
    } else if (is_wide_kind(kinds[j])) {
      const u64 v = scalar64(w, i, o.code, wide_literal_of(kinds[j]));
      broadcast(u32(v), spread[j][0]);
      broadcast(u32(v >> 32), spread[j][any_wide ? 1 : 0]);
      f.s[j] = spread[j][0];
      f.s_hi[j] = spread[j][any_wide ? 1 : 0];
    } else {
      broadcast(scalar32(w, i, o.code), spread[j][0]);
      f.s[j] = spread[j][0];
    }
    if (kinds[j] == kind::f32 || kinds[j] == kind::f64)
      if (__builtin_expect((i.neg | i.abs) >> j & 1, 0)) {
        const u32 keep = i.abs >> j & 1 ? 0x7fffffffu : ~0u, flip = i.neg >> j & 1 ? 0x80000000u : 0;
        const u32*& row = kinds[j] == kind::f64 ? f.s_hi[j] : f.s[j];
        u32* const changed = spread[j][kinds[j] == kind::f64 && any_wide ? 1 : 0];
        const u32* const in = row;
#pragma GCC ivdep
        for (int k = 0; k < lanes; ++k) changed[k] = (in[k] & keep) ^ flip;
        row = changed;
      }
  }
  alignas(64) u32 bits_in[Flags & carry_in ? lanes : 1];
  alignas(64) u32 bits_out[writes_mask ? lanes : 1];
  if constexpr ((Flags & carry_in) != 0) {
    const isa::operand& o = i.src[2];
    const bool from_register = !(Flags & reads_vcc) && o.present() && !o.is_vgpr();
    spread_bits(from_register ? scalar64(w, i, o.code, wide_literal::zero_extended) : vcc_of(w), bits_in);
    f.bit_in = bits_in;
  }
  f.bit_out = bits_out;
  if constexpr (environment_first<decltype(F)>::value) f.env = environment_of(w.mode);

  alignas(64) u32 out[D != kind::none ? 1 + wide : 1][D != kind::none ? lanes : 1];
  bool straight = false;
  if constexpr (D != kind::none) {
    u32* const row = w.vgpr[to];
    straight = exec == ~0ull;
    if constexpr (FixNan && !wide)
      for (int j = 0; j < sources; ++j) straight &= f.s[j] != row; // a NaN's origin must still be there afterwards
    f.d = straight ? row : out[0];
    if constexpr (wide) f.d_hi = straight ? w.vgpr[to + 1] : out[1];
  }
  {
    const fp_scope scope(host_control(Rule, w.mode));
    loop_over<F, FixNan>()(f);
  }
  if constexpr (writes_mask) {
    const isa::operand& o = Flags & compare ? (i.sdst.present() ? i.sdst : i.dst) : i.sdst;
    const unsigned s = o.present() && o.code < 127 ? o.code : code::vcc_lo;
    const u64 mask = gather_bits(bits_out) & exec;
    w.sgpr[s] = u32(mask);
    w.sgpr[s + 1] = u32(mask >> 32);
    if constexpr ((Flags & compare_exec) != 0) {
      w.sgpr[code::exec_lo] = u32(mask);
      w.sgpr[code::exec_hi] = u32(mask >> 32);
    }
  }
  if constexpr (D != kind::none)
    if (!straight) {
      write_lanes(w.vgpr[to], out[0], exec);
      if constexpr (wide) write_lanes(w.vgpr[to + 1], out[1], exec);
    }
}

/// The model of an operation that has a fast handler.
template <auto F, bool FixNan, kind S0, kind S1, kind S2, kind D, fp_rule Rule = fp_rule::none, u16 Flags = 0> constexpr op_model fast_model(core_function clamped = nullptr) {
  return {loop_over<F, FixNan>(), clamped, {S0, S1, S2}, D, Rule, Flags, execute_fast<F, FixNan, S0, S1, S2, D, Rule, Flags>, nullptr};
}

} // namespace lyra::alu::LYRA_ALU_LEVEL
