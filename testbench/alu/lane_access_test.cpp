// SPDX-License-Identifier: Apache-2.0
// Instructions across lanes, registers and the LDS; NaN rules; values of the transcendental functions and division at known places.
#include "alu/soft_float.h"
#include "alu/wave_fixture.h"
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace alu_test;
using isa::encoding;

namespace {
uint32_t f(float x) { return bits_to<uint32_t>(x); }
float to_f(uint32_t b) { return bits_to<float>(b); }
uint32_t one(op id, uint32_t a, uint32_t mode = 0xf0) {
  wave w;
  w.mode = mode;
  w.vgpr[10][5] = a;
  run(w, make(id, encoding::VOP1, v(30), v(10)));
  return w.vgpr[30][5];
}
} // namespace

BOOST_AUTO_TEST_CASE(readlane_writelane_and_readfirstlane_move_single_lanes) {
  wave w;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = 100 + k;
  w.set_exec(0x0000f00000000000);
  run(w, make(op::v_readfirstlane_b32, encoding::VOP1, 20, v(10)));
  BOOST_TEST(w.sgpr[20] == 144u);
  w.set_exec(0);
  run(w, make(op::v_readfirstlane_b32, encoding::VOP1, 20, v(10)));
  BOOST_TEST(w.sgpr[20] == 100u); // EXEC = 0: lane 0
  w.sgpr[21] = 64 + 9;            // the lane number counts modulo 64
  run(w, make(op::v_readlane_b32, encoding::VOP3, 20, v(10), 21));
  BOOST_TEST(w.sgpr[20] == 109u);
  w.sgpr[22] = 0x55;
  run(w, make(op::v_writelane_b32, encoding::VOP3, v(11), 22, 128 + 33)); // EXEC does not matter
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(w.vgpr[11][k] == (k == 33 ? 0x55u : 0u));
  w.sgpr[124] = 7;
  run(w, make(op::v_readlane_b32, encoding::VOP3, 20, v(10), 124)); // by M0
  BOOST_TEST(w.sgpr[20] == 107u);
}

BOOST_AUTO_TEST_CASE(swap_exchanges_active_lanes) {
  wave w;
  w.set_exec(0xff00ff00ff00ff00);
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = k, w.vgpr[11][k] = 1000 + k;
  run(w, make(op::v_swap_b32, encoding::VOP1, v(10), v(11)));
  for (unsigned k = 0; k < 64; ++k) {
    const bool on = w.exec() >> k & 1;
    BOOST_TEST(w.vgpr[10][k] == (on ? 1000 + k : k));
    BOOST_TEST(w.vgpr[11][k] == (on ? k : 1000 + k));
  }
}

BOOST_AUTO_TEST_CASE(nop_does_nothing_and_clrexcp_clears_sticky_exceptions) {
  wave w;
  w.trapsts = 0x12345fff;
  run(w, make(op::v_nop, encoding::VOP1, 0xffff));
  BOOST_TEST(w.trapsts == 0x12345fffu);
  run(w, make(op::v_clrexcp, encoding::VOP1, 0xffff));
  BOOST_TEST(w.trapsts == 0x12345e00u);
}

BOOST_AUTO_TEST_CASE(mqsad_u32_adds_four_masked_differences_to_four_dwords) {
  for (bool clamp : {false, true}) {
    wave w;
    const uint64_t a = 0x1122334455667788;
    const uint32_t b = 0x00ff10a0;
    w.set_exec(0x2);
    w.set_pair(10, 1, a);
    w.vgpr[12][1] = b;
    const uint32_t c[4] = {1, 1000, 0xffffffff, 0x80000000};
    for (unsigned n = 0; n < 4; ++n) w.vgpr[16 + n][1] = c[n];
    auto i = make(op::v_mqsad_u32_u8, encoding::VOP3, v(30), v(10), v(12), v(16));
    i.clamp = clamp;
    run(w, i);
    for (unsigned n = 0; n < 4; ++n) {
      uint64_t sum = c[n];
      for (unsigned k = 0; k < 4; ++k) {
        const int x = int(a >> (8 * (n + k)) & 255), y = int(b >> (8 * k) & 255);
        if (y) sum += uint64_t(std::abs(x - y));
      }
      BOOST_TEST(w.vgpr[30 + n][1] == (clamp && sum > 0xffffffff ? 0xffffffffu : uint32_t(sum)));
      BOOST_TEST(w.vgpr[30 + n][0] == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(screen_partition_looks_up_the_isas_table) {
  const uint32_t places[][2] = {{0, 1}, {1, 3}, {2, 7}, {3, 0xf}, {4, 5}, {0x11, 2}, {0x22, 4}, {0x33, 8}, {0x25, 0xf}, {0x44, 4}, {0x55, 8}, {0x66, 1}, {0x77, 2}, {0x80, 0xb}, {0x88, 2},
                                {0x99, 1}, {0xaa, 8}, {0xbb, 4}, {0xcc, 8}, {0xdd, 4}, {0xee, 2}, {0xff, 1}, {0x1ff, 1}, {0x91, 7}};
  for (auto& p : places) BOOST_TEST(one(op::v_screen_partition_4se_b32, p[0]) == p[1]);
}

BOOST_AUTO_TEST_CASE(interpolation_reads_parameters_of_the_lanes_primitive_from_the_lds) {
  wave w;
  std::vector<float> lds(512);
  for (size_t n = 0; n < lds.size(); ++n) lds[n] = float(n) * 0.5f + 1;
  w.lds = reinterpret_cast<const uint8_t*>(lds.data());
  w.lds_bytes = uint32_t(lds.size() * 4);
  const uint32_t mask = 0x53; // new primitives at quads 1, 2, 5, 7
  w.sgpr[124] = 64 | mask << 16;
  auto primitive = [&](unsigned lane) { unsigned n = 0; for (unsigned q = 1; q <= lane / 4; ++q) n += q - 1 < 15 && (mask >> (q - 1) & 1); return n; };
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = f(float(k) * 0.25f), w.vgpr[30][k] = f(2.f);
  const unsigned attribute = 2, channel = 3;
  auto base = [&](unsigned lane) { return 16 + 12 * (attribute * 5 + primitive(lane)); };
  auto setup = [&](op id, encoding e, uint16_t s0, uint16_t s1 = 0xffff) {
    auto i = make(id, e, v(30), s0, s1);
    i.interp_attr = attribute;
    i.interp_chan = channel;
    return i;
  };
  run(w, setup(op::v_interp_p1_f32, encoding::VINTRP, v(10)));
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == std::fma(lds[base(k) + 2 * channel + 1], float(k) * 0.25f, lds[base(k) + 2 * channel]));
  for (unsigned k = 0; k < 64; ++k) w.vgpr[30][k] = f(2.f);
  run(w, setup(op::v_interp_p2_f32, encoding::VINTRP, v(10)));
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == std::fma(lds[base(k) + 8 + channel], float(k) * 0.25f, 2.f));
  for (int which = 0; which < 3; ++which) {
    auto m = setup(op::v_interp_mov_f32, encoding::VINTRP, 0xffff);
    m.simm16 = which;
    run(w, m);
    for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == lds[base(k) + (which == 0 ? 2 * channel + 1 : which == 1 ? 8 + channel : 2 * channel)]);
  }
  // 16-bit forms: halves in the parameter dwords, HIGH picks the upper one
  std::vector<uint32_t> packed(512, 0x42003c00); // high 3.0, low 1.0
  w.lds = reinterpret_cast<const uint8_t*>(packed.data());
  for (bool high : {false, true}) {
    const float p = high ? 3.f : 1.f;
    auto ll = setup(op::v_interp_p1ll_f16, encoding::VOP3, v(10));
    ll.op_sel = high;
    run(w, ll);
    for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == p * float(k) * 0.25f + p);
    auto lv = setup(op::v_interp_p1lv_f16, encoding::VOP3, v(10), v(11));
    lv.op_sel = high;
    for (unsigned k = 0; k < 64; ++k) w.vgpr[11][k] = 0x44004000; // 4 and 2
    run(w, lv);
    for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == p * float(k) * 0.25f + (high ? 4.f : 2.f));
    for (op id : {op::v_interp_p2_f16, op::v_interp_p2_legacy_f16}) {
      auto p2 = setup(id, encoding::VOP3, v(10), v(12));
      p2.op_sel = high;
      for (unsigned k = 0; k < 64; ++k) w.vgpr[12][k] = f(0.5f), w.vgpr[30][k] = 0xabcd1234;
      run(w, p2);
      const uint32_t other = id == op::v_interp_p2_f16 ? 0xabcd0000u : 0;
      for (unsigned k = 0; k < 64; ++k) BOOST_TEST(w.vgpr[30][k] == (other | uint32_t(soft_convert(f(p * float(k) * 0.25f + 0.5f), f32, f16, rounding::nearest, false, false))));
    }
  }
}

BOOST_AUTO_TEST_CASE(interpolation_is_a_multiply_add_in_two_roundings_with_omod_before_clamp) {
  wave w;
  std::vector<float> lds(64, 0.f);
  lds[0] = -1.f;              // P0.x
  lds[1] = 1.f + 0x1p-12f;    // P10.x
  w.lds = reinterpret_cast<const uint8_t*>(lds.data());
  w.lds_bytes = uint32_t(lds.size() * 4);
  w.sgpr[124] = 0;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = f(1.f + 0x1p-12f);
  auto i = make(op::v_interp_p1_f32, encoding::VINTRP, v(30), v(10));
  w.mode = 0xf0;
  run(w, i);
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == 0x1p-11f); // fused: 0x1.001p-11
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = 1; // a denormal is flushed whatever MODE says
  run(w, i);
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == -1.f);
  auto m = make(op::v_interp_p1_f32, encoding::VOP3, v(30), v(10));
  lds[0] = 0, lds[1] = 3;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = f(0.5f);
  m.omod = 3; // 1.5 * 0.5, then clamped: 0.75, not 0.5
  m.clamp = true;
  w.mode = 0;
  run(w, m);
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(to_f(w.vgpr[30][k]) == 0.75f);
}

BOOST_AUTO_TEST_CASE(trig_preop_gives_the_segments_of_two_over_pi) {
  // 2/pi = 0.A2F9836E 4E441529 FC2757D1 F534DDC0 DB629599 ... : 53 bits from bit 53 * segment on, scaled to their place
  auto preop = [](double x, uint32_t segment) {
    wave w;
    w.set_pair(10, 0, bits_to<uint64_t>(x));
    w.vgpr[12][0] = segment;
    run(w, make(op::v_trig_preop_f64, encoding::VOP3, v(30), v(10), v(12)));
    return bits_to<double>(w.pair(30, 0));
  };
  const uint32_t words[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  auto segment_at = [&](int shift) {
    double r = 0;
    for (int n = 0; n < 53; ++n) {
      const int bit = shift + n;
      if (words[bit / 32] >> (31 - bit % 32) & 1) r += std::ldexp(1.0, -1 - bit);
    }
    return r;
  };
  for (uint32_t s = 0; s < 4; ++s) BOOST_TEST(preop(1.0, s) == segment_at(53 * int(s)));
  BOOST_TEST(preop(std::ldexp(1.0, 1077 - 1023 + 10), 0) == segment_at(10)); // an exponent above 1077 skips bits
  BOOST_TEST(preop(std::ldexp(1.0, 1077 - 1023 + 33), 1) == segment_at(86));
  BOOST_TEST(preop(std::ldexp(1.0, 1968 - 1023), 0) != 0.0);
  BOOST_TEST(preop(1.0, 31) == 0.0); // beyond the table's 1201 bits
}

BOOST_AUTO_TEST_CASE(division_sequence_of_scale_rcp_fma_fmas_fixup_divides_correctly_rounded) {
  // the instruction sequence compilers emit for f32 and f64 division, against the exact quotient
  operand_source source(5);
  for (unsigned round = 0; round < 400; ++round) {
    wave w;
    for (unsigned k = 0; k < 64; ++k) {
      w.vgpr[10][k] = uint32_t(source.next(4));
      w.vgpr[11][k] = uint32_t(source.next(4));
    }
    auto vop3 = [](op id, unsigned d, uint16_t a, uint16_t b, uint16_t c, unsigned neg = 0) { auto i = make(id, encoding::VOP3, v(d), a, b, c); i.neg = uint8_t(neg); return i; };
    auto s1 = vop3(op::v_div_scale_f32, 20, v(11), v(11), v(10)); // denominator
    s1.sdst.code = 40;
    run(w, s1);
    auto s2 = vop3(op::v_div_scale_f32, 21, v(10), v(11), v(10)); // numerator
    run(w, s2);                                                   // VCC
    run(w, make(op::v_rcp_f32, encoding::VOP1, v(22), v(20)));
    run(w, vop3(op::v_fma_f32, 23, v(20), v(22), 242, 1));
    run(w, vop3(op::v_fma_f32, 22, v(23), v(22), v(22)));
    run(w, make(op::v_mul_f32, encoding::VOP2, v(24), v(21), v(22)));
    run(w, vop3(op::v_fma_f32, 25, v(20), v(24), v(21), 1));
    run(w, vop3(op::v_fma_f32, 24, v(25), v(22), v(24)));
    run(w, vop3(op::v_fma_f32, 25, v(20), v(24), v(21), 1));
    run(w, vop3(op::v_div_fmas_f32, 24, v(25), v(22), v(24)));
    run(w, vop3(op::v_div_fixup_f32, 24, v(24), v(11), v(10)));
    for (unsigned k = 0; k < 64; ++k) {
      const uint32_t n = w.vgpr[10][k], d = w.vgpr[11][k], got = w.vgpr[24][k];
      const float want = to_f(n) / to_f(d);
      if (std::isnan(want)) BOOST_TEST(std::isnan(to_f(got)));
      else BOOST_TEST(got == f(want), "f32 " << std::hex << n << " / " << d << " gives " << got << ", should be " << f(want));
    }
    for (unsigned k = 0; k < 64; ++k) {
      w.set_pair(10, k, source.next(8));
      w.set_pair(12, k, source.next(8));
    }
    auto d1 = vop3(op::v_div_scale_f64, 20, v(12), v(12), v(10));
    d1.sdst.code = 40;
    run(w, d1);
    run(w, vop3(op::v_div_scale_f64, 22, v(10), v(12), v(10)));
    run(w, make(op::v_rcp_f64, encoding::VOP1, v(24), v(20)));
    for (int n = 0; n < 2; ++n) {
      run(w, vop3(op::v_fma_f64, 26, v(20), v(24), 242, 1));
      run(w, vop3(op::v_fma_f64, 24, v(24), v(26), v(24)));
    }
    run(w, make(op::v_mul_f64, encoding::VOP3, v(28), v(22), v(24)));
    run(w, vop3(op::v_fma_f64, 26, v(20), v(28), v(22), 1));
    run(w, vop3(op::v_div_fmas_f64, 28, v(26), v(24), v(28)));
    run(w, vop3(op::v_div_fixup_f64, 28, v(28), v(12), v(10)));
    for (unsigned k = 0; k < 64; ++k) {
      const double n = bits_to<double>(w.pair(10, k)), d = bits_to<double>(w.pair(12, k)), want = n / d, got = bits_to<double>(w.pair(28, k));
      if (std::isnan(want)) BOOST_TEST(std::isnan(got));
      else BOOST_TEST(w.pair(28, k) == bits_to<uint64_t>(want), n << " / " << d << " gives " << got << ", should be " << want);
    }
  }
}

BOOST_AUTO_TEST_CASE(transcendental_functions_at_special_values) {
  const uint32_t inf = 0x7f800000, ninf = 0xff800000, nan = 0xffc00000;
  BOOST_TEST(one(op::v_rcp_f32, 0) == inf);
  BOOST_TEST(one(op::v_rcp_f32, 0x80000000) == ninf);
  BOOST_TEST(one(op::v_rcp_f32, inf) == 0u);
  BOOST_TEST(one(op::v_rcp_f32, 0x00000001) == inf); // denormals count as zero
  BOOST_TEST(one(op::v_rcp_iflag_f32, f(4.f)) == f(.25f));
  BOOST_TEST(one(op::v_rsq_f32, f(16.f)) == f(.25f));
  BOOST_TEST(one(op::v_rsq_f32, 0) == inf);
  BOOST_TEST(one(op::v_rsq_f32, f(-1.f)) == nan);
  BOOST_TEST(one(op::v_sqrt_f32, f(9.f)) == f(3.f));
  BOOST_TEST(one(op::v_sqrt_f32, 0x80000000) == 0x80000000u);
  BOOST_TEST(one(op::v_exp_f32, f(3.f)) == f(8.f));
  BOOST_TEST(one(op::v_exp_f32, f(128.f)) == inf);
  BOOST_TEST(one(op::v_exp_f32, ninf) == 0u);
  BOOST_TEST(one(op::v_exp_f32, f(-127.f)) == 0u); // a denormal result
  BOOST_TEST(one(op::v_exp_legacy_f32, f(-2.f)) == f(.25f));
  BOOST_TEST(one(op::v_log_f32, f(8.f)) == f(3.f));
  BOOST_TEST(one(op::v_log_f32, 0) == ninf);
  BOOST_TEST(one(op::v_log_f32, f(-1.f)) == nan);
  BOOST_TEST(one(op::v_log_f32, inf) == inf);
  BOOST_TEST(one(op::v_log_legacy_f32, f(.5f)) == f(-1.f));
  BOOST_TEST(one(op::v_sin_f32, f(.25f)) == f(1.f));
  BOOST_TEST(one(op::v_sin_f32, f(-.75f)) == f(1.f));
  BOOST_TEST(one(op::v_sin_f32, f(257.f)) == 0u); // outside of [-256, 256]
  BOOST_TEST(one(op::v_cos_f32, f(257.f)) == f(1.f));
  BOOST_TEST(one(op::v_cos_f32, 0) == f(1.f));
  BOOST_TEST(one(op::v_cos_f32, f(.5f)) == f(-1.f));
  BOOST_TEST(one(op::v_sin_f32, inf) == nan);
  BOOST_TEST(one(op::v_sin_f16, 0x3400) == 0x3c00u);
  BOOST_TEST(one(op::v_exp_f16, 0x4c00) == 0x7c00u);
  BOOST_TEST(one(op::v_log_f16, 0x4800) == 0x4200u);
  BOOST_TEST(one(op::v_rcp_f16, 0x4000) == 0x3800u);
}

BOOST_AUTO_TEST_CASE(every_half_goes_through_the_half_functions_within_one_ulp) {
  for (unsigned base = 0; base < 65536; base += 64) {
    wave w;
    for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = base + k;
    run(w, make(op::v_cvt_f32_f16, encoding::VOP1, v(30), v(10)));
    run(w, make(op::v_sqrt_f16, encoding::VOP1, v(31), v(10)));
    run(w, make(op::v_cvt_f16_f32, encoding::VOP1, v(32), v(30)));
    for (unsigned k = 0; k < 64; ++k) {
      const uint32_t h = base + k;
      BOOST_TEST_REQUIRE(w.vgpr[30][k] == uint32_t(soft_convert(h, f16, f32, rounding::nearest, false, false)));
      BOOST_TEST_REQUIRE(w.vgpr[32][k] == (is_nan_bits(h, f16) ? uint32_t(quiet_bits(h, f16)) : h)); // there and back
      if (is_nan_bits(h, f16)) continue;
      const double x = to_f(w.vgpr[30][k]);
      if (x < 0) BOOST_TEST_REQUIRE(w.vgpr[31][k] == 0xfe00u);
      else {
        const uint64_t want = soft_convert(bits_to<uint64_t>(std::sqrt(x)), f64, f16, rounding::nearest, false, false);
        BOOST_TEST_REQUIRE(w.vgpr[31][k] == want);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(signalling_nans_of_min_and_max_follow_ieee_mode) {
  auto two = [](op id, uint32_t a, uint32_t b, uint32_t mode) {
    wave w;
    w.mode = mode;
    w.vgpr[10][0] = a;
    w.vgpr[11][0] = b;
    run(w, make(id, encoding::VOP2, v(30), v(10), v(11)));
    return w.vgpr[30][0];
  };
  const uint32_t ieee = 0x2f0, plain = 0xf0, snan = 0x7f800001, qnan = 0x7fc00000;
  for (op id : {op::v_min_f32, op::v_max_f32}) {
    BOOST_TEST(two(id, snan, f(1.f), ieee) == 0x7fc00001u);
    BOOST_TEST(two(id, snan, f(1.f), plain) == f(1.f));
    BOOST_TEST(two(id, f(1.f), snan, ieee) == 0x7fc00001u);
    BOOST_TEST(two(id, qnan, f(1.f), ieee) == f(1.f));
    BOOST_TEST(two(id, f(1.f), qnan, plain) == f(1.f));
  }
  BOOST_TEST(two(op::v_min_f32, 0, 0x80000000, plain) == 0x80000000u);
  BOOST_TEST(two(op::v_max_f32, 0x80000000, 0, plain) == 0u);
  BOOST_TEST(two(op::v_min_f16, 0x7c01, 0x3c00, ieee) == 0x7e01u);
  BOOST_TEST(two(op::v_max_f16, 0x7c01, 0x3c00, plain) == 0x3c00u);
}
