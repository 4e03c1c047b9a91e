// SPDX-License-Identifier: Apache-2.0
// What stands around an operation: source and output modifiers, op_sel, packed selects, DPP, SDWA, GPR indexing, VSKIP, EXEC, registers out of range, constants.
#include "alu/soft_float.h"
#include "alu/wave_fixture.h"
#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

using namespace alu_test;
using isa::encoding;
using isa::form;
using isa::sdwa_select;

namespace {

uint32_t f(float x) { return bits_to<uint32_t>(x); }
float to_f(uint32_t b) { return bits_to<float>(b); }

/// One lane's result of an instruction on given sources in v10, v11, v12 with v30 as old destination.
uint32_t lane0(wave& w, const isa::instruction& i, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint32_t old = 0xabcd1234) {
  for (unsigned k = 0; k < 64; ++k) {
    w.vgpr[10][k] = a;
    w.vgpr[11][k] = b;
    w.vgpr[12][k] = c;
    w.vgpr[30][k] = old;
  }
  run(w, i);
  for (unsigned k = 1; k < 64; ++k) BOOST_TEST_REQUIRE(w.vgpr[30][k] == w.vgpr[30][0]);
  return w.vgpr[30][0];
}
isa::instruction three(op id, encoding e = encoding::VOP3) { return make(id, e, v(30), v(10), v(11), v(12)); }
isa::instruction two(op id, encoding e = encoding::VOP3) { return make(id, e, v(30), v(10), v(11)); }

} // namespace

BOOST_AUTO_TEST_CASE(abs_is_applied_before_neg) {
  wave w;
  auto i = two(op::v_add_f32);
  for (unsigned abs = 0; abs < 4; ++abs)
    for (unsigned neg = 0; neg < 4; ++neg) {
      i.abs = uint8_t(abs);
      i.neg = uint8_t(neg);
      float a = -3.f, b = 5.f;
      if (abs & 1) a = 3.f;
      if (neg & 1) a = -a;
      if (neg & 2) b = -b;
      BOOST_TEST(lane0(w, i, f(-3.f), f(5.f)) == f(a + b));
    }
  auto d = make(op::v_max_f64, encoding::VOP3, v(30), v(10), v(12));
  d.neg = 1;
  d.abs = 2;
  w.set_pair(10, 3, bits_to<uint64_t>(-2.0));
  w.set_pair(12, 3, bits_to<uint64_t>(-7.0));
  run(w, d);
  BOOST_TEST(w.pair(30, 3) == bits_to<uint64_t>(7.0));
  auto m = make(op::v_cndmask_b32, encoding::VOP3, v(30), v(10), v(11), 20);
  m.neg = 2;
  m.abs = 1;
  w.write64(20, ~0ull);
  BOOST_TEST(lane0(w, m, f(-1.f), f(4.f)) == f(-4.f));
  w.write64(20, 0);
  BOOST_TEST(lane0(w, m, f(-1.f), f(4.f)) == f(1.f));
}

BOOST_AUTO_TEST_CASE(normalised_conversions_round_the_exact_product_once) {
  // all floats next to a point half way between two results; where the product were rounded to a float first, some would become ties
  for (bool baseline : {false, true}) {
    alu::force_baseline(baseline);
    for (const auto& [id, scale] : {std::pair<op, uint64_t>{op::v_cvt_pknorm_i16_f32, 32767}, {op::v_cvt_pknorm_u16_f32, 65535}}) {
      unsigned twice = 0;
      auto i = make(id, encoding::VOP3, v(30), v(10), v(11));
      for (uint64_t k = 0; k < scale; k += 32) {
        wave w;
        float x[64][2];
        for (unsigned l = 0; l < 64; ++l)
          for (unsigned j = 0; j < 2; ++j) {
            const uint64_t n = std::min(k + l / 2, scale - 1);
            const float middle = float((double(n) + 0.5) / double(scale));
            x[l][j] = std::nextafterf(middle, l % 2 ? 2.f : -2.f);
            if (j == 0) x[l][0] = middle;
            w.vgpr[10 + j][l] = f(x[l][j]);
          }
        run(w, i);
        for (unsigned l = 0; l < 64; ++l)
          for (unsigned j = 0; j < 2; ++j) {
            int e;
            const __int128 product = __int128(std::ldexp(std::frexp(x[l][j], &e), 24)) * __int128(scale); // times 2^(e - 24)
            const __int128 one = __int128(1) << (24 - e), rest = product % one, whole = product / one;
            const uint32_t want = uint32_t(whole + (2 * rest > one || (2 * rest == one && whole % 2) ? 1 : 0));
            BOOST_REQUIRE_EQUAL(w.vgpr[30][l] >> 16 * j & 0xffff, want);
            volatile float rounded = x[l][j] * float(scale);
            twice += uint32_t(std::nearbyintf(rounded)) != want;
          }
      }
      BOOST_TEST(twice > 100u, "values that two roundings would take elsewhere");
    }
  }
  alu::force_baseline(false);
}

BOOST_AUTO_TEST_CASE(omod_scales_only_with_output_denormals_flushed_and_ieee_off) {
  wave w;
  auto i = two(op::v_add_f32);
  const float factors[] = {1, 2, 4, 0.5f};
  for (unsigned o = 0; o < 4; ++o) {
    i.omod = uint8_t(o);
    w.mode = 0xc0;
    BOOST_TEST(lane0(w, i, f(1.5f), f(1.f)) == f(2.5f * factors[o]));
    w.mode = 0xf0;
    BOOST_TEST(lane0(w, i, f(1.5f), f(1.f)) == f(2.5f));
    w.mode = 0xc0 | 1u << 9;
    BOOST_TEST(lane0(w, i, f(1.5f), f(1.f)) == f(2.5f));
  }
  w.mode = 0xc0;
  i.omod = 3;
  BOOST_TEST(lane0(w, i, 0x00800000, 0) == 0u); // half of the smallest normal number is flushed
  auto h = two(op::v_mul_f16);
  h.omod = 1;
  w.mode = 0x30;
  BOOST_TEST(lane0(w, h, 0x3c00, 0x4000) == 0x4400u);
  auto d = make(op::v_add_f64, encoding::VOP3, v(30), v(10), v(12));
  d.omod = 2;
  w.set_pair(10, 0, bits_to<uint64_t>(1.0));
  w.set_pair(12, 0, bits_to<uint64_t>(2.0));
  run(w, d);
  BOOST_TEST(w.pair(30, 0) == bits_to<uint64_t>(12.0));
}

BOOST_AUTO_TEST_CASE(float_clamp_limits_to_0_and_1_and_takes_nan_to_0_under_dx10_clamp) {
  wave w;
  auto i = two(op::v_add_f32);
  i.clamp = true;
  BOOST_TEST(lane0(w, i, f(3.f), f(1.f)) == f(1.f));
  BOOST_TEST(lane0(w, i, f(-3.f), f(1.f)) == f(0.f));
  BOOST_TEST(lane0(w, i, f(0.25f), f(0.5f)) == f(0.75f));
  BOOST_TEST(lane0(w, i, 0x7fc00000, f(1.f)) == 0x7fc00000u);
  w.mode |= 1u << 8;
  BOOST_TEST(lane0(w, i, 0x7fc00000, f(1.f)) == 0u);
  auto h = two(op::v_add_f16);
  h.clamp = true;
  BOOST_TEST(lane0(w, h, 0x4000, 0x4000) == 0x3c00u);
  BOOST_TEST(lane0(w, h, 0xc000, 0) == 0u);
  auto p = two(op::v_pk_add_f16, encoding::VOP3P);
  p.op_sel_hi = 3;
  p.clamp = true;
  BOOST_TEST(lane0(w, p, 0x4000b800, 0x40000000) == 0x3c000000u);
  auto x = make(op::v_mad_mixlo_f16, encoding::VOP3P, v(30), v(10), v(11), v(12));
  x.clamp = true;
  BOOST_TEST(lane0(w, x, f(2.f), f(3.f), f(1.f)) == 0xabcd3c00u);
}

BOOST_AUTO_TEST_CASE(fp16_ovfl_holds_overflow_at_the_largest_half_but_keeps_infinities) {
  wave w;
  auto i = two(op::v_mul_f16);
  BOOST_TEST(lane0(w, i, 0x7bff, 0x4000) == 0x7c00u);
  w.mode |= 1u << 23;
  BOOST_TEST(lane0(w, i, 0x7bff, 0x4000) == 0x7bffu);
  BOOST_TEST(lane0(w, i, 0x7bff, 0xc000) == 0xfbffu);
  BOOST_TEST(lane0(w, i, 0x7c00, 0x4000) == 0x7c00u);
  auto c = make(op::v_cvt_f16_f32, encoding::VOP1, v(30), v(10));
  BOOST_TEST(lane0(w, c, f(1e9f)) == 0x7bffu);
  BOOST_TEST(lane0(w, c, 0xff800000) == 0xfc00u);
}

BOOST_AUTO_TEST_CASE(op_sel_picks_source_halves_and_bit_3_writes_the_high_half) {
  wave w;
  for (op id : {op::v_mad_u16, op::v_med3_u16, op::v_fma_f16})
    for (unsigned sel = 0; sel < 16; ++sel) {
      auto i = three(id);
      i.op_sel = uint8_t(sel);
      const uint32_t a = 0x3c004000, b = 0x40003c00, c = 0x44003800;
      auto half = [&](uint32_t x, int j) { return sel >> j & 1 ? x >> 16 : x & 0xffff; };
      uint32_t r;
      if (id == op::v_mad_u16) r = half(a, 0) * half(b, 1) + half(c, 2);
      else if (id == op::v_med3_u16) {
        uint32_t s[3] = {half(a, 0), half(b, 1), half(c, 2)};
        std::sort(s, s + 3);
        r = s[1];
      } else r = uint32_t(soft_fma(half(a, 0), half(b, 1), half(c, 2), f16, {}));
      r &= 0xffff;
      BOOST_TEST(lane0(w, i, a, b, c) == (sel & 8 ? 0x1234u | r << 16 : 0xabcd0000u | r));
    }
  auto p = two(op::v_pack_b32_f16);
  p.op_sel = 1;
  BOOST_TEST(lane0(w, p, 0x11112222, 0x33334444) == 0x44441111u);
  auto m = three(op::v_mad_u32_u16);
  m.op_sel = 2;
  BOOST_TEST(lane0(w, m, 0x00050003, 0x00070002, 1) == 22u);
}

BOOST_AUTO_TEST_CASE(packed_selects_and_negations_work_on_each_half) {
  wave w;
  auto i = two(op::v_pk_add_f16, encoding::VOP3P);
  auto u = two(op::v_pk_sub_u16, encoding::VOP3P);
  for (unsigned n = 0; n < 256; ++n) {
    i.op_sel = u.op_sel = uint8_t(n & 3);
    i.op_sel_hi = u.op_sel_hi = uint8_t(n >> 2 & 3);
    i.neg = uint8_t(n >> 4 & 3);
    i.neg_hi = uint8_t(n >> 6 & 3);
    const uint32_t a = 0x3c00c200, b = 0x44004500;
    auto half = [](uint32_t x, bool high) { return high ? x >> 16 : x & 0xffff; };
    auto sum = [&](unsigned sel, unsigned neg) {
      return uint32_t(soft_add(half(a, sel & 1) ^ (neg & 1 ? 0x8000 : 0), half(b, sel & 2) ^ (neg & 2 ? 0x8000 : 0), f16, {}));
    };
    BOOST_TEST(lane0(w, i, a, b) == (sum(i.op_sel, i.neg) | sum(i.op_sel_hi, i.neg_hi) << 16));
    auto difference = [&](unsigned sel) { return (half(a, sel & 1) - half(b, sel & 2)) & 0xffff; };
    BOOST_TEST(lane0(w, u, a, b) == (difference(u.op_sel) | difference(u.op_sel_hi) << 16));
  }
  // constants: a floating one lies in the low half, an integer one is sign-extended
  auto c = make(op::v_pk_add_f16, encoding::VOP3P, v(30), v(10), 242); // 1.0
  c.op_sel_hi = 1;
  BOOST_TEST(lane0(w, c, 0x40003c00) == 0x42004000u);
  c.op_sel_hi = 3;
  BOOST_TEST(lane0(w, c, 0x40003c00) == 0x40004000u);
  auto n = make(op::v_pk_add_u16, encoding::VOP3P, v(30), v(10), 193); // -1
  n.op_sel_hi = 3;
  BOOST_TEST(lane0(w, n, 0x00050003) == 0x00040002u);
}

BOOST_AUTO_TEST_CASE(mix_reads_floats_or_halves_and_writes_one_half) {
  wave w;
  for (bool fused : {false, true})
    for (unsigned n = 0; n < 64; ++n) {
      const op ids[2][3] = {{op::v_mad_mix_f32, op::v_mad_mixlo_f16, op::v_mad_mixhi_f16}, {op::v_fma_mix_f32, op::v_fma_mixlo_f16, op::v_fma_mixhi_f16}};
      uint32_t regs[3] = {0x40003c00, 0xc4004200, 0x3f003e00}; // also sensible floats
      float s[3];
      for (int j = 0; j < 3; ++j) {
        const uint32_t h = n >> j & 1 ? regs[j] >> 16 : regs[j] & 0xffff;
        s[j] = n >> (3 + j) & 1 ? to_f(uint32_t(soft_convert(h, f16, f32, rounding::nearest, false, false))) : to_f(regs[j]);
      }
      for (int k = 0; k < 3; ++k) {
        auto i = three(ids[fused][k], encoding::VOP3P);
        i.op_sel = uint8_t(n & 7);
        i.op_sel_hi = uint8_t(n >> 3);
        i.neg = 4;
        i.neg_hi = 2; // abs of source 1
        const uint64_t x = f(s[0]), y = f(std::fabs(s[1])), z = f(-s[2]);
        const uint32_t r = uint32_t(fused ? soft_fma(x, y, z, f32, {}) : soft_mad(x, y, z, f32, {}));
        const uint32_t h = uint32_t(soft_convert(r, f32, f16, rounding::nearest, false, false));
        const uint32_t want = k == 0 ? r : k == 1 ? 0xabcd0000u | h : 0x1234u | h << 16;
        BOOST_TEST(lane0(w, i, regs[0], regs[1], regs[2]) == want);
      }
    }
}

BOOST_AUTO_TEST_CASE(dot2_takes_halves_by_op_sel_and_neg) {
  wave w;
  auto i = three(op::v_dot2_f32_f16, encoding::VOP3P);
  i.op_sel_hi = 7;
  BOOST_TEST(lane0(w, i, 0x40003c00, 0x44004200, f(0.5f)) == f(1 * 3 + 2 * 4 + 0.5f));
  i.op_sel = 1;
  i.op_sel_hi = 2;
  BOOST_TEST(lane0(w, i, 0x40003c00, 0x44004200, f(0.5f)) == f(2 * 3 + 1 * 4 + 0.5f));
  i.neg = 1;
  i.neg_hi = 2;
  BOOST_TEST(lane0(w, i, 0x40003c00, 0x44004200, f(0.5f)) == f(-2 * 3 - 1 * 4 + 0.5f));
  auto u = three(op::v_dot2_u32_u16, encoding::VOP3P);
  u.op_sel_hi = 0;
  BOOST_TEST(lane0(w, u, 0x00050003, 0x00070002, 1) == 13u);
}

BOOST_AUTO_TEST_CASE(dpp_moves_lanes_by_control_row_and_bank_masks_and_bound_ctrl) {
  const uint64_t execs[] = {~0ull, 0xfffffffffffffffeull, 0x0f0f5a5affff00ffull};
  std::vector<unsigned> controls = {0xe4, 0x1b, 0x00, 0xff, 0xb1, 0x4e, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  for (unsigned n = 1; n < 16; ++n)
    for (unsigned base : {0x100u, 0x110u, 0x120u}) controls.push_back(base + n);
  for (unsigned ctrl : controls)
    for (uint64_t exec : execs)
      for (unsigned masks : {0xffu, 0xa5u, 0x3cu})
        for (bool bound : {false, true}) {
          wave w;
          w.set_exec(exec);
          auto i = make(op::v_add_u32, encoding::VOP2, v(30), v(10), v(11));
          i.form = form::dpp;
          i.dpp_ctrl = uint16_t(ctrl);
          i.row_mask = uint8_t(masks >> 4);
          i.bank_mask = uint8_t(masks & 15);
          i.bound_ctrl = bound;
          for (unsigned k = 0; k < 64; ++k) {
            w.vgpr[10][k] = 1000 + k;
            w.vgpr[11][k] = 7;
            w.vgpr[30][k] = 0xdead0000 + k;
          }
          run(w, i);
          for (int k = 0; k < 64; ++k) {
            const int row = k / 16, place = k % 16;
            int from = -1;
            if (ctrl < 0x100) from = k / 4 * 4 + int(ctrl >> (2 * (k % 4)) & 3);
            else if (ctrl < 0x110) from = place + int(ctrl & 15) < 16 ? k + int(ctrl & 15) : -1;
            else if (ctrl < 0x120) from = place >= int(ctrl & 15) ? k - int(ctrl & 15) : -1;
            else if (ctrl < 0x130) from = row * 16 + (place + 16 - int(ctrl & 15)) % 16;
            else if (ctrl == 0x130) from = k < 63 ? k + 1 : -1;
            else if (ctrl == 0x134) from = (k + 1) % 64;
            else if (ctrl == 0x138) from = k > 0 ? k - 1 : -1;
            else if (ctrl == 0x13c) from = (k + 63) % 64;
            else if (ctrl == 0x140) from = row * 16 + 15 - place;
            else if (ctrl == 0x141) from = k / 8 * 8 + 7 - k % 8;
            else if (ctrl == 0x142) from = row > 0 ? row * 16 - 1 : -1;
            else from = k >= 32 ? 31 : -1;
            const bool valid = from >= 0 && (exec >> from & 1);
            const bool on = (exec >> k & 1) && (masks >> (4 + row) & 1) && (masks >> (place / 4) & 1) && (valid || bound);
            const uint32_t want = !on ? 0xdead0000 + uint32_t(k) : valid ? 1007u + uint32_t(from) : 7u;
            BOOST_TEST_REQUIRE(w.vgpr[30][k] == want, fmt::format("ctrl {:#x} exec {:#x} masks {:#x} bound {} lane {}: {:#x}, should be {:#x}", ctrl, exec, masks, bound, k, w.vgpr[30][k], want));
          }
        }
}

BOOST_AUTO_TEST_CASE(dpp_source_modifiers_come_after_the_move) {
  wave w;
  auto i = make(op::v_mul_f32, encoding::VOP2, v(30), v(10), v(11));
  i.form = form::dpp;
  i.dpp_ctrl = 0x1b; // quad reversed
  i.neg = 1;
  i.abs = 2;
  for (unsigned k = 0; k < 64; ++k) {
    w.vgpr[10][k] = f(float(k));
    w.vgpr[11][k] = f(-2.f);
  }
  run(w, i);
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == -float(k / 4 * 4 + 3 - k % 4) * 2.f);
}

BOOST_AUTO_TEST_CASE(sdwa_selects_extends_and_places_every_part) {
  wave w;
  const uint32_t a = 0x89f47c01, b = 0x7e82f305, old = 0xabcd1234;
  auto part = [](uint32_t x, sdwa_select s, bool sext) -> uint32_t {
    const unsigned n = unsigned(s);
    if (n < 4) return sext ? uint32_t(int32_t(int8_t(x >> (8 * n)))) : x >> (8 * n) & 0xff;
    if (n < 6) return sext ? uint32_t(int32_t(int16_t(x >> (16 * (n - 4))))) : x >> (16 * (n - 4)) & 0xffff;
    return x;
  };
  for (unsigned s0 = 0; s0 < 7; ++s0)
    for (unsigned s1 = 0; s1 < 7; ++s1)
      for (unsigned d = 0; d < 7; ++d)
        for (unsigned unused = 0; unused < 3; ++unused)
          for (unsigned sext = 0; sext < 4; ++sext) {
            auto i = make(op::v_sub_u32, encoding::VOP2, v(30), v(10), v(11));
            i.form = form::sdwa;
            i.src_sel[0] = sdwa_select(s0);
            i.src_sel[1] = sdwa_select(s1);
            i.dst_sel = sdwa_select(d);
            i.dst_unused = uint8_t(unused);
            i.sext = uint8_t(sext);
            const uint32_t r = part(a, sdwa_select(s0), sext & 1) - part(b, sdwa_select(s1), sext & 2);
            uint32_t want = r;
            if (d < 6) {
              const unsigned width = d < 4 ? 8 : 16, shift = d < 4 ? 8 * d : 16 * (d - 4);
              const uint32_t mask = (width == 8 ? 0xffu : 0xffffu) << shift;
              if (unused == 0) want = r << shift & mask;
              else if (unused == 1) {
                want = r << shift & mask;
                if (r >> (width - 1) & 1) for (unsigned n = shift + width; n < 32; ++n) want |= 1u << n;
              } else want = (old & ~mask) | (r << shift & mask);
            }
            BOOST_TEST_REQUIRE(lane0(w, i, a, b) == want);
          }
}

BOOST_AUTO_TEST_CASE(sdwa_on_halves_and_compares) {
  wave w;
  auto i = make(op::v_add_f16, encoding::VOP2, v(30), v(10), v(11));
  i.form = form::sdwa;
  i.src_sel[0] = sdwa_select::word_1;
  i.src_sel[1] = sdwa_select::word_0;
  i.dst_sel = sdwa_select::word_1;
  i.dst_unused = 2;
  i.neg = 1;
  BOOST_TEST(lane0(w, i, 0x3c000000, 0x00004200) == 0x40001234u); // -1 + 3 into the high half
  auto c = make(op::v_cmp_eq_u32, encoding::VOPC, 106, v(10), v(11));
  c.form = form::sdwa;
  c.sdst.code = 20;
  c.src_sel[0] = sdwa_select::byte_2;
  for (unsigned k = 0; k < 64; ++k) {
    w.vgpr[10][k] = k << 16 | 0xff00ffff;
    w.vgpr[11][k] = 9;
  }
  run(w, c);
  BOOST_TEST(w.read64(20) == 1ull << 9);
  // carry out of an SDWA addition goes to VCC
  auto a = make(op::v_add_co_u32, encoding::VOP2, v(30), v(10), v(11));
  a.form = form::sdwa;
  a.src_sel[0] = sdwa_select::word_1;
  w.set_exec(0x10);
  w.vgpr[10][4] = 0xffff0000;
  w.vgpr[11][4] = 0xffff0001;
  run(w, a);
  BOOST_TEST(w.vcc() == 0x10u);
  BOOST_TEST(w.vgpr[30][4] == 0u);
}

BOOST_AUTO_TEST_CASE(gpr_indexing_adds_m0_to_the_operands_it_enables) {
  for (unsigned enables = 0; enables < 16; ++enables) {
    wave w;
    w.mode |= 1u << 27;
    w.sgpr[124] = 5 | enables << 12;
    for (unsigned n = 0; n < vgprs; ++n)
      for (unsigned k = 0; k < 64; ++k) w.vgpr[n][k] = 100 * n + k;
    run(w, make(op::v_add3_u32, encoding::VOP3, v(40), v(10), v(20), v(30)));
    const unsigned a = enables & 1 ? 15 : 10, b = enables & 2 ? 25 : 20, c = enables & 4 ? 35 : 30, d = enables & 8 ? 45 : 40;
    for (unsigned k = 0; k < 64; ++k) {
      BOOST_TEST(w.vgpr[d][k] == 100 * (a + b + c) + 3 * k);
      BOOST_TEST(w.vgpr[enables & 8 ? 40 : 45][k] == 100 * (enables & 8 ? 40 : 45) + k);
    }
  }
  wave w; // a scalar operand is not indexed; without the mode bit nothing is
  w.sgpr[124] = 5 | 0xf000;
  w.sgpr[7] = 77;
  w.vgpr[10][0] = 11;
  run(w, make(op::v_add_u32, encoding::VOP2, v(30), 7, v(10)));
  BOOST_TEST(w.vgpr[30][0] == 88u);
}

BOOST_AUTO_TEST_CASE(vskip_skips_vector_instructions_and_not_scalar_ones) {
  wave w;
  w.mode |= 1u << 28;
  w.vgpr[30][3] = 5;
  w.sgpr[20] = 9;
  run(w, make(op::v_mov_b32, encoding::VOP1, v(30), 129));
  run(w, make(op::v_fma_f16, encoding::VOP3, v(30), v(1), v(2), v(3)));
  run(w, make(op::v_readfirstlane_b32, encoding::VOP1, 20, v(30)));
  run(w, make(op::v_cmp_eq_u32, encoding::VOPC, 106, v(1), v(1)));
  BOOST_TEST(w.vgpr[30][3] == 5u);
  BOOST_TEST(w.sgpr[20] == 9u);
  BOOST_TEST(w.vcc() == 0u);
  run(w, make(op::s_mov_b32, encoding::SOP1, 20, 130));
  BOOST_TEST(w.sgpr[20] == 2u);
}

BOOST_AUTO_TEST_CASE(exec_zero_writes_no_vgpr_but_compares_write_zero) {
  wave w;
  w.set_exec(0);
  w.set_vcc(~0ull);
  w.vgpr[30][0] = 3;
  run(w, make(op::v_mov_b32, encoding::VOP1, v(30), 129));
  BOOST_TEST(w.vgpr[30][0] == 3u);
  run(w, make(op::v_cmp_eq_u32, encoding::VOPC, 106, v(1), v(1)));
  BOOST_TEST(w.vcc() == 0u);
}

BOOST_AUTO_TEST_CASE(vgprs_out_of_range_read_vgpr_0_and_are_not_written) {
  wave w;
  w.vgpr_count = 32;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[0][k] = 500 + k;
  w.vgpr[40][1] = 1;
  w.vgpr[10][1] = 2;
  run(w, make(op::v_add_u32, encoding::VOP2, v(31), v(40), v(10)));
  BOOST_TEST(w.vgpr[31][1] == 503u);
  run(w, make(op::v_mov_b32, encoding::VOP1, v(40), 129));
  BOOST_TEST(w.vgpr[40][1] == 1u);
  w.vgpr[31][1] = 77; // a pair that runs out at the top
  run(w, make(op::v_lshlrev_b64, encoding::VOP3, v(31), 128, v(2)));
  BOOST_TEST(w.vgpr[31][1] == 77u);
}

BOOST_AUTO_TEST_CASE(constants_and_special_registers_as_operands) {
  wave w;
  auto value = [&](uint16_t c) {
    run(w, make(op::v_mov_b32, encoding::VOP1, v(30), c));
    return w.vgpr[30][17];
  };
  for (unsigned n = 0; n <= 64; ++n) BOOST_TEST(value(uint16_t(128 + n)) == n);
  for (unsigned n = 1; n <= 16; ++n) BOOST_TEST(value(uint16_t(192 + n)) == 0u - n);
  const float floats[] = {0.5f, -0.5f, 1, -1, 2, -2, 4, -4, 0.15915494f};
  for (unsigned n = 0; n < 9; ++n) BOOST_TEST(value(uint16_t(240 + n)) == f(floats[n]));
  w.scc = true;
  BOOST_TEST(value(253) == 1u);
  w.set_vcc(0);
  BOOST_TEST(value(251) == 1u);
  BOOST_TEST(value(252) == 0u);
  w.sgpr[124] = 0x1234;
  BOOST_TEST(value(124) == 0x1234u);
  auto l = make(op::v_mov_b32, encoding::VOP1, v(30), 255);
  l.literal = 0xcafe1234;
  run(w, l);
  BOOST_TEST(w.vgpr[30][0] == 0xcafe1234u);
  // halves and doubles have their own floating constants
  run(w, make(op::v_add_f16, encoding::VOP2, v(30), 242, v(10)));
  BOOST_TEST(w.vgpr[30][0] == 0x3c00u);
  run(w, make(op::v_add_f64, encoding::VOP3, v(30), 248, 128));
  BOOST_TEST(w.pair(30, 0) == 0x3fc45f306dc9c882u);
  run(w, make(op::v_add_f64, encoding::VOP3, v(30), 244, 243));
  BOOST_TEST(w.pair(30, 0) == bits_to<uint64_t>(1.0));
  auto d = make(op::v_cvt_f32_f64, encoding::VOP1, v(30), 255); // a literal is the high half of a double
  d.literal = 0x40080000;
  run(w, d);
  BOOST_TEST(w.vgpr[30][0] == f(3.f));
  run(w, make(op::v_lshlrev_b64, encoding::VOP3, v(30), 128, 193)); // -1 is 64 bits wide
  BOOST_TEST(w.pair(30, 0) == ~0ull);
  // of 64-bit integers a literal is the low half: signed ones extend its sign, unsigned ones and bits do not
  auto wide = [&](op id, encoding e, uint16_t dst, uint16_t s0, uint16_t s1 = 0) {
    auto x = make(id, e, dst, s0, s1);
    x.literal = 0x82000000;
    run(w, x);
  };
  wide(op::s_mov_b64, encoding::SOP1, 20, 255);
  BOOST_TEST(w.read64(20) == 0x82000000u);
  wide(op::s_not_b64, encoding::SOP1, 20, 255);
  BOOST_TEST(w.read64(20) == 0xffffffff7dffffffu);
  wide(op::s_lshl_b64, encoding::SOP2, 20, 255, 132);
  BOOST_TEST(w.read64(20) == 0x820000000u);
  wide(op::s_ashr_i64, encoding::SOP2, 20, 255, 132);
  BOOST_TEST(w.read64(20) == 0xfffffffff8200000u);
  w.sgpr[24] = 4 | 40u << 16;
  wide(op::s_bfe_u64, encoding::SOP2, 20, 255, 24);
  BOOST_TEST(w.read64(20) == 0x8200000u);
  wide(op::s_bfe_i64, encoding::SOP2, 20, 255, 24);
  BOOST_TEST(w.read64(20) == 0xfffffffff8200000u);
  wide(op::s_bcnt1_i32_b64, encoding::SOP1, 20, 255);
  BOOST_TEST(w.sgpr[20] == 2u);
  wide(op::s_flbit_i32_b64, encoding::SOP1, 20, 255);
  BOOST_TEST(w.sgpr[20] == 32u);
  wide(op::s_flbit_i32_i64, encoding::SOP1, 20, 255);
  BOOST_TEST(w.sgpr[20] == 33u);
  w.sgpr[24] = 0x82000000; w.sgpr[25] = 0;
  wide(op::s_cmp_eq_u64, encoding::SOPC, 0xffff, 255, 24);
  BOOST_TEST(w.scc);
  for (unsigned lane = 0; lane < 64; ++lane) { w.vgpr[12][lane] = 0x82000000; w.vgpr[13][lane] = lane & 1 ? ~0u : 0; }
  w.set_exec(~0ull);
  wide(op::v_cmp_eq_u64, encoding::VOPC, 106, 255, v(12));
  BOOST_TEST(w.read64(106) == 0x5555555555555555u);
  wide(op::v_cmp_eq_i64, encoding::VOPC, 106, 255, v(12));
  BOOST_TEST(w.read64(106) == 0xaaaaaaaaaaaaaaaau);
  w.shared_base_hi = 0x10000;
  w.private_base_hi = 0x20000;
  run(w, make(op::s_mov_b64, encoding::SOP1, 20, 235));
  BOOST_TEST(w.read64(20) == 0x1000000000000u);
  run(w, make(op::s_mov_b64, encoding::SOP1, 20, 238));
  BOOST_TEST(w.read64(20) == 0x20000ffffffffu);
}

BOOST_AUTO_TEST_CASE(lds_direct_reads_the_workgroups_lds_at_m0) {
  wave w;
  const uint8_t lds[16] = {0x80, 1, 2, 3, 0x44, 0x55, 0xf6, 0x77, 8, 9, 10, 11, 12, 13, 14, 15};
  w.lds = lds;
  w.lds_bytes = 16;
  auto value = [&](uint32_t m0) {
    w.sgpr[124] = m0;
    run(w, make(op::v_mov_b32, encoding::VOP1, v(30), 254));
    return w.vgpr[30][5];
  };
  BOOST_TEST(value(4 | 2 << 16) == 0x77f65544u);
  BOOST_TEST(value(0 | 0 << 16) == 0x80u);
  BOOST_TEST(value(0 | 4 << 16) == 0xffffff80u);
  BOOST_TEST(value(6 | 1 << 16) == 0x77f6u);
  BOOST_TEST(value(2 | 5 << 16) == 0x302u);
  BOOST_TEST(value(64 | 2 << 16) == 0u);
}

BOOST_AUTO_TEST_CASE(madmk_and_madak_take_the_literal_as_factor_and_addend) {
  wave w;
  auto k = make(op::v_madmk_f32, encoding::VOP2, v(30), v(10), 255, v(11));
  k.literal = f(10.f);
  BOOST_TEST(lane0(w, k, f(3.f), f(4.f)) == f(34.f));
  auto a = make(op::v_madak_f32, encoding::VOP2, v(30), v(10), v(11), 255);
  a.literal = f(10.f);
  BOOST_TEST(lane0(w, a, f(3.f), f(4.f)) == f(22.f));
  auto kh = make(op::v_madmk_f16, encoding::VOP2, v(30), v(10), 255, v(11));
  kh.literal = 0x4900; // 10
  BOOST_TEST(lane0(w, kh, 0x4200, 0x4400) == (0xabcd0000u | 0x5040));
  auto ah = make(op::v_madak_f16, encoding::VOP2, v(30), v(10), v(11), 255);
  ah.literal = 0x4900;
  BOOST_TEST(lane0(w, ah, 0x4200, 0x4400) == (0xabcd0000u | 0x4d80));
}

BOOST_AUTO_TEST_CASE(a_destination_that_is_also_a_source_is_read_before_it_is_written) {
  wave w;
  for (unsigned k = 0; k < 64; ++k) {
    w.vgpr[10][k] = f(float(k) + 1);
    w.vgpr[11][k] = k % 8 ? f(2.f) : 0x7fc00123; // some NaNs
  }
  run(w, make(op::v_fma_f32, encoding::VOP3, v(10), v(10), v(11), v(10)));
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(w.vgpr[10][k] == (k % 8 ? f((float(k) + 1) * 3) : 0x7fc00123u));
  for (unsigned k = 0; k < 64; ++k) w.set_pair(20, k, 0x100000000ull * k + 5);
  run(w, make(op::v_lshlrev_b64, encoding::VOP3, v(21), 129, v(20))); // overlapping pairs
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(w.pair(21, k) == 2 * (0x100000000ull * k + 5));
}
