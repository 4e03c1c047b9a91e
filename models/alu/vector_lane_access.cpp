// SPDX-License-Identifier: Apache-2.0
// Vector instructions that reach across lanes or registers in their own way: lane reads and writes, swap, 128-bit sums, parameter interpolation, no-ops.
// Rules: Vega ISA chapter 12 (VOP1, VOP3, VINTRP).
#include "alu/float_exceptions.h"
#include "alu/lane_float.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

bool skipped(const wave_registers& w) { return w.mode >> mode_bit::vskip & 1; }

/// VGPR number with GPR indexing: `slot` as in M0[15:12].
unsigned number_of(const wave_registers& w, const isa::operand& o, int slot) {
  const bool indexed = (w.mode >> mode_bit::gpr_idx_en & 1) && (w.sgpr[code::m0] >> (12 + slot) & 1);
  return o.vgpr() + (indexed ? w.sgpr[code::m0] & 0xff : 0);
}
const u32* row_of(const wave_registers& w, const isa::operand& o, int slot) {
  const unsigned n = number_of(w, o, slot);
  return w.vgpr[n < w.vgpr_count ? n : 0];
}

void nop(wave_registers&, const isa::instruction&) {}

/// Clears the sticky exceptions, TRAPSTS[8:0].
void clear_exceptions(wave_registers& w, const isa::instruction&) {
  if (!skipped(w)) w.trapsts &= ~0x1ffu;
}

/// The lowest active lane (lane 0 with EXEC = 0); EXEC does not switch the read off.
void read_first_lane(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const u64 exec = exec_of(w);
  const int lane = exec ? __builtin_ctzll(exec) : 0;
  w.sgpr[i.dst.code & 127] = i.src[0].is_vgpr() ? row_of(w, i.src[0], 0)[lane] : scalar32(w, i, i.src[0].code);
}
void read_lane(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const u32 lane = (i.src[1].is_vgpr() ? row_of(w, i.src[1], 1)[0] : scalar32(w, i, i.src[1].code)) & 63;
  w.sgpr[i.dst.code & 127] = i.src[0].is_vgpr() ? row_of(w, i.src[0], 0)[lane] : scalar32(w, i, i.src[0].code);
}
void write_lane(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const unsigned n = number_of(w, i.dst, 3);
  if (n >= w.vgpr_count) return;
  const u32 v = scalar32(w, i, i.src[0].code), lane = scalar32(w, i, i.src[1].code) & 63;
  w.vgpr[n][lane] = v;
}
void swap(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const unsigned a = number_of(w, i.dst, 3), b = number_of(w, i.src[0], 0);
  if (a >= w.vgpr_count || b >= w.vgpr_count) return;
  alignas(64) u32 x[lanes], y[lanes];
  std::memcpy(x, w.vgpr[a], sizeof x);
  std::memcpy(y, w.vgpr[b], sizeof y);
  write_lanes(w.vgpr[a], y, exec_of(w));
  write_lanes(w.vgpr[b], x, exec_of(w));
}

u32 masked_sad(u32 a, u32 b) {
  u32 r = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const u32 x = a >> (8 * n) & 0xff, y = b >> (8 * n) & 0xff;
    r += y == 0 ? 0 : x > y ? x - y : y - x;
  }
  return r;
}
/// V_MQSAD_U32_U8: four masked sums of absolute differences of a byte window that slides over S0, each added to a dword of S2.
void mqsad_u32(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const unsigned to = number_of(w, i.dst, 3);
  if (to + 3 >= w.vgpr_count) return;
  const u64 exec = exec_of(w);
  auto dword = [&](int j, unsigned d, int k) -> u32 {
    const isa::operand& o = i.src[j];
    if (o.is_vgpr()) {
      const unsigned n = number_of(w, o, j) + d;
      return w.vgpr[n < w.vgpr_count ? n : 0][k];
    }
    if (o.code < 128) return w.sgpr[(o.code + d) & 127];
    const u64 v = scalar64(w, i, o.code, wide_literal::zero_extended);
    return d == 0 ? u32(v) : d == 1 ? u32(v >> 32) : i64(v) < 0 ? ~0u : 0;
  };
  for (int k = 0; k < lanes; ++k) {
    if (!(exec >> k & 1)) continue;
    const u64 a = dword(0, 0, k) | u64(dword(0, 1, k)) << 32;
    const u32 b = dword(1, 0, k);
    u32 r[4];
    for (unsigned n = 0; n < 4; ++n) {
      const u64 sum = u64(masked_sad(u32(a >> (8 * n)), b)) + dword(2, n, k);
      r[n] = i.clamp && sum > 0xffffffffull ? 0xffffffffu : u32(sum);
    }
    for (unsigned n = 0; n < 4; ++n) w.vgpr[to + n][k] = r[n];
  }
}

/// The parameter of an attribute's channel for a lane's primitive: `which` 0 P10, 1 P20, 2 P0 (the encoding of V_INTERP_MOV's VSRC).
/// M0[15:0] is the byte offset of the parameters in the LDS, M0[30:16] bit q-1 says that quad q starts a new primitive. Twelve dwords for each attribute
/// and, in it, each primitive: P0.x P10.x P0.y P10.y P0.z P10.z P0.w P10.w P20.x P20.y P20.z P20.w (CLRX's VINTRP page; the ISA gives no layout).
float parameter(const wave_registers& w, const isa::instruction& i, int lane, unsigned which) {
  const u32 m0 = w.sgpr[code::m0], mask = m0 >> 16 & 0x7fff, quad = unsigned(lane) >> 2, channel = i.interp_chan;
  const u32 primitives = u32(__builtin_popcount(mask)) + 1, primitive = u32(__builtin_popcount(mask & ((1u << quad) - 1)));
  const u32 place = which == 0 ? 2 * channel + 1 : which == 1 ? 8 + channel : 2 * channel;
  const u32 dword = (u32(i.interp_attr) * primitives + primitive) * 12 + place;
  const u32 address = (m0 & 0xffff) + 4 * dword;
  float v = 0;
  if (w.lds && address + 4 <= w.lds_bytes) __builtin_memcpy(&v, w.lds + address, 4);
  return v;
}

/// A product and a sum: what interpolation is made of.
struct factors { float a, b, addend; };

/// The sequencer makes V_MAD_F32 of V_INTERP_P1 and P2 (AMD's description in gem5's vega/insts/vinterp.cc): product and sum are rounded each, denormals are flushed.
/// OMOD, then CLAMP. `half`: the result is a half, `keeps` the register's other half. `f(lane, s0, s1, old)`: the factors.
template <bool record, class F> void interpolate(wave_registers& w, const isa::instruction& i, bool keeps, bool half, F f) {
  if (skipped(w)) return;
  const unsigned to = number_of(w, i.dst, 3);
  if (to >= w.vgpr_count) return;
  const u64 exec = exec_of(w);
  const environment e = environment_of(w.mode);
  const u32* const old = w.vgpr[to];
  const bool scale = i.omod && !e.ieee && (half ? e.flush_out16 : e.keep_out32 != ~0u);
  const float factor = i.omod == 1 ? 2.f : i.omod == 2 ? 4.f : .5f;
  const auto to_half = [&](float v) {
    const u32 h = float_to_half(v, e.round64);
    return e.flush_out16 && !(h & 0x7c00) ? h & 0x8000 : h;
  };
  alignas(64) u32 out[lanes];
  for (int k = 0; k < lanes; ++k) {
    float s[2] = {0, 0};
    for (int j = 0; j < 2; ++j) {
      if (!i.src[j].present()) continue;
      u32 b = i.src[j].is_vgpr() ? row_of(w, i.src[j], j)[k] : scalar32(w, i, i.src[j].code);
      if (i.encoding() == isa::encoding::VOP3) b = (b & (i.abs >> j & 1 ? 0x7fffffffu : ~0u)) ^ (i.neg >> j & 1 ? 0x80000000u : 0);
      s[j] = bits_as<float>(b);
    }
    factors x = f(k, s[0], s[1], bits_as<float>(old[k]));
    float r;
    {
      const fp_scope scope(host_control(fp_rule::single_flush, w.mode));
      asm volatile("" : "+x"(x.a), "+x"(x.b), "+x"(x.addend)); // keeps the arithmetic inside the scope
      r = x.a * x.b + x.addend;
      asm volatile("" : "+x"(r));
    }
    if (is_nan(r)) r = first_nan<float>(x.a, x.b, x.addend);
    u32 raised = 0;
    if constexpr (record) raised = float_exceptions(i.op(), {{bits_as<u32>(x.a), bits_as<u32>(x.b), bits_as<u32>(x.addend)}}, w.mode);
    if (half) r = half_to_float(to_half(r));
    if (scale) {
      if constexpr (record) raised |= modifier_exceptions(r, factor, half ? result_format::f16 : result_format::f32);
      r *= factor;
      if (!half) r = flush_always(r);
    }
    if (i.clamp) r = is_nan(r) ? (e.dx10_clamp ? 0.f : r) : r > 1.f ? 1.f : r > 0.f ? r : 0.f;
    const u32 bits = half ? to_half(r) : bits_as<u32>(r);
    out[k] = half && keeps ? (old[k] & 0xffff0000u) | bits : bits;
    if constexpr (record) if (exec >> k & 1) record_exceptions(w, raised, unsigned(k));
  }
  write_lanes(w.vgpr[to], out, exec);
}

template <bool record> void interp_p1(wave_registers& w, const isa::instruction& i) {
  interpolate<record>(w, i, false, false, [&](int k, float s, float, float) { return factors{parameter(w, i, k, 0), s, parameter(w, i, k, 2)}; });
}
template <bool record> void interp_p2(wave_registers& w, const isa::instruction& i) {
  interpolate<record>(w, i, false, false, [&](int k, float s, float, float d) { return factors{parameter(w, i, k, 1), s, d}; });
}
void interp_mov(wave_registers& w, const isa::instruction& i) {
  if (skipped(w)) return;
  const unsigned to = number_of(w, i.dst, 3);
  if (to >= w.vgpr_count) return;
  const unsigned which = unsigned(i.simm16) & 3;
  alignas(64) u32 out[lanes];
  for (int k = 0; k < lanes; ++k) out[k] = bits_as<u32>(parameter(w, i, k, which));
  write_lanes(w.vgpr[to], out, exec_of(w));
}
/// The 16-bit forms keep two halves in each parameter dword; HIGH (op_sel bit 0) picks one (LLVM: "attr.x high").
float half_parameter(const wave_registers& w, const isa::instruction& i, int lane, unsigned which) {
  const u32 b = bits_as<u32>(parameter(w, i, lane, which));
  const bool high = i.op_sel & 1;
  return half_to_float(b >> (high ? 16 : 0) & 0xffff);
}
template <bool record> void interp_p1ll_f16(wave_registers& w, const isa::instruction& i) {
  interpolate<record>(w, i, false, false, [&](int k, float s, float, float) { return factors{half_parameter(w, i, k, 0), s, half_parameter(w, i, k, 2)}; });
}
template <bool record> void interp_p1lv_f16(wave_registers& w, const isa::instruction& i) {
  interpolate<record>(w, i, false, false, [&](int k, float s, float p0, float) {
    const bool high = i.op_sel & 1;
    return factors{half_parameter(w, i, k, 0), s, half_to_float(bits_as<u32>(p0) >> (high ? 16 : 0) & 0xffff)};
  });
}
template <bool record> void interp_p2_f16(wave_registers& w, const isa::instruction& i) {
  interpolate<record>(w, i, i.op() == isa::op::v_interp_p2_f16, true, [&](int k, float s, float d, float) { return factors{half_parameter(w, i, k, 1), s, d}; });
}

/// Shader engines that a screen partition touches, by S0[7:0] (the ISA's table of V_SCREEN_PARTITION_4SE_B32, a hexadecimal digit an entry).
const char partition_digits[] =
    "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
    "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
    "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
    "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
u32 partition(u32 v) {
  const u32 digit = u32(partition_digits[v & 255]);
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

op_model special(handler h, handler recording = nullptr) {
  op_model m;
  m.special = h;
  m.special_recording = recording;
  return m;
}

using isa::op;
const op_row rows[] = {
    {op::v_nop, special(nop)},
    {op::v_clrexcp, special(clear_exceptions)},
    {op::v_readfirstlane_b32, special(read_first_lane)},
    {op::v_readlane_b32, special(read_lane)},
    {op::v_writelane_b32, special(write_lane)},
    {op::v_swap_b32, special(swap)},
    {op::v_screen_partition_4se_b32, {lanes_of<partition>, nullptr, {kind::b32, kind::none, kind::none}, kind::b32, fp_rule::none, 0, nullptr, nullptr}},
    {op::v_mqsad_u32_u8, special(mqsad_u32)},
    {op::v_interp_p1_f32, special(interp_p1<false>, interp_p1<true>)},
    {op::v_interp_p2_f32, special(interp_p2<false>, interp_p2<true>)},
    {op::v_interp_mov_f32, special(interp_mov)},
    {op::v_interp_p1ll_f16, special(interp_p1ll_f16<false>, interp_p1ll_f16<true>)},
    {op::v_interp_p1lv_f16, special(interp_p1lv_f16<false>, interp_p1lv_f16<true>)},
    {op::v_interp_p2_legacy_f16, special(interp_p2_f16<false>, interp_p2_f16<true>)},
    {op::v_interp_p2_f16, special(interp_p2_f16<false>, interp_p2_f16<true>)},
};

} // namespace

row_list lane_access_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
