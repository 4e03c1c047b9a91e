// SPDX-License-Identifier: Apache-2.0
// Floating-point exceptions in TRAPSTS: arithmetic against exact numbers, everything else by directed values.
#include "alu/float_exceptions.h"
#include "alu/soft_float.h"
#include "alu/wave_fixture.h"
#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

using namespace alu_test;
using isa::encoding;

namespace {

constexpr uint32_t invalid = 1, denormal = 2, div0 = 4, overflow = 8, underflow = 16, inexact = 32, int_div0 = 64;

/// Exceptions of rounding an exact number to a format.
uint32_t rounding_exceptions(const exact& v, format f, float_mode m) {
  if (v.is_zero()) return 0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1, down = bias - 1; // overflow is looked for where the exponent has room
  const uint64_t lowered = v.scaled(-down).round(f, m.how, false, false), top = uint64_t(2 * bias + 1 - down) << f.mantissa_bits;
  if (magnitude(lowered, f) >= top) return overflow | inexact;
  const uint64_t kept = v.round(f, m.how, false, false);
  const bool exact_result = (exact::of(kept, f) + -v).is_zero(), tiny = magnitude(v.round(f, m.how, false, true), f) == 0;
  uint32_t e = exact_result ? 0 : inexact;
  if (tiny && (!exact_result || m.flush_out)) e |= underflow | (m.flush_out ? inexact : 0);
  return e;
}
uint32_t operand_exceptions(std::initializer_list<uint64_t> list, format f, float_mode m) {
  uint32_t e = 0;
  for (uint64_t b : list) e |= (is_signalling_bits(b, f) ? invalid : 0) | (is_denormal_bits(b, f) && !m.flush_in ? denormal : 0);
  return e;
}
bool any_nan(std::initializer_list<uint64_t> list, format f) {
  for (uint64_t b : list) if (is_nan_bits(b, f)) return true;
  return false;
}
/// a * b + c in one rounding; without `c`: the product.
uint32_t fused_exceptions(uint64_t a, uint64_t b, const uint64_t* c, format f, float_mode m) {
  const uint64_t z = c ? *c : 0;
  uint32_t e = operand_exceptions({a, b, z}, f, m);
  if (any_nan({a, b, z}, f)) {
    return e & invalid; // a host tells denormals beside a NaN or not: see `masked` in the test
  }
  const uint64_t x = flushed(a, f, m.flush_in), y = flushed(b, f, m.flush_in), w = flushed(z, f, m.flush_in);
  const bool sign = is_negative_bits(x, f) != is_negative_bits(y, f), product_infinite = is_inf_bits(x, f) || is_inf_bits(y, f);
  if (product_infinite && (is_zero_bits(x, f) || is_zero_bits(y, f))) return e | invalid;
  if (product_infinite) return e | (is_inf_bits(w, f) && is_negative_bits(w, f) != sign ? invalid : 0);
  if (is_inf_bits(w, f)) return e;
  return e | rounding_exceptions(exact::of(x, f) * exact::of(y, f) + exact::of(w, f), f, m);
}
uint32_t add_exceptions(uint64_t a, uint64_t b, format f, float_mode m) { const uint64_t one = one_bits(f); return fused_exceptions(a, one, &b, f, m); }
uint32_t mad_exceptions(uint64_t a, uint64_t b, uint64_t c, format f, float_mode m) {
  m.flush_in = m.flush_out = true;
  const uint32_t product = fused_exceptions(a, b, nullptr, f, m);
  if (any_nan({a, b, c}, f)) return product | operand_exceptions({c}, f, m);
  const uint64_t p = soft_mul(a, b, f, m);
  return product | add_exceptions(p, c, f, m);
}

struct arithmetic { op id; encoding e; format f; unsigned operands; std::function<uint32_t(const uint64_t*, float_mode)> want; };

} // namespace

BOOST_AUTO_TEST_CASE(arithmetic_records_what_the_exact_result_says_for_active_lanes) {
  std::vector<arithmetic> list;
  const struct { format f; op add, mul, fma; } formats[] = {{f16, op::v_add_f16, op::v_mul_f16, op::v_fma_f16}, {f32, op::v_add_f32, op::v_mul_f32, op::v_fma_f32}, {f64, op::v_add_f64, op::v_mul_f64, op::v_fma_f64}};
  for (const auto& x : formats) {
    const format f = x.f;
    list.push_back({x.add, encoding::VOP3, f, 2, [=](const uint64_t* s, float_mode m) { return add_exceptions(s[0], s[1], f, m); }});
    list.push_back({x.mul, encoding::VOP3, f, 2, [=](const uint64_t* s, float_mode m) { return fused_exceptions(s[0], s[1], nullptr, f, m); }});
    list.push_back({x.fma, encoding::VOP3, f, 3, [=](const uint64_t* s, float_mode m) { return fused_exceptions(s[0], s[1], &s[2], f, m); }});
  }
  const auto sub = [](format f) { return [=](const uint64_t* s, float_mode m) { return add_exceptions(s[0], is_nan_bits(s[1], f) ? s[1] : s[1] ^ sign_bit(f), f, m); }; };
  const auto mad = [](format f) { return [=](const uint64_t* s, float_mode m) { return mad_exceptions(s[0], s[1], s[2], f, m); }; };
  list.push_back({op::v_sub_f32, encoding::VOP2, f32, 2, sub(f32)});
  list.push_back({op::v_sub_f16, encoding::VOP2, f16, 2, sub(f16)});
  list.push_back({op::v_mad_f32, encoding::VOP3, f32, 3, mad(f32)});
  list.push_back({op::v_mad_f16, encoding::VOP3, f16, 3, mad(f16)});
  operand_source source(99);
  uint32_t seen = 0;
  unsigned failures = 0;
  for (bool baseline : {false, true}) {
    alu::force_baseline(baseline);
    for (const auto& t : list) {
      const unsigned bytes = t.f.mantissa_bits == 10 ? 2 : t.f.mantissa_bits == 23 ? 4 : 8;
      auto i = make(t.id, t.e, v(30), v(10), v(12), t.operands > 2 ? v(14) : uint16_t(0xffff));
      const alu::handler h = alu::bind_recording(i);
      BOOST_TEST_REQUIRE((h != nullptr), i.info->name);
      for (unsigned n = 0; n < 12 && failures < 20; ++n) {
        wave w;
        w.mode = (n % 4) | (n % 4) << 2 | uint32_t(source.raw() & 15) << 4;
        uint64_t s[64][3] = {};
        for (unsigned k = 0; k < 64; ++k)
          for (unsigned j = 0; j < t.operands; ++j) {
            s[k][j] = source.next(bytes);
            if (n % 3 == 1 && j == 0 && k < 40) s[k][0] = k % 8 | uint64_t(k % 3) << (t.f.mantissa_bits - 1); // near and below the normal numbers
            w.set_pair(10 + 2 * j, k, s[k][j]);
          }
        const float_mode m = mode_for(w.mode, t.f);
        uint32_t all = 0;
        for (unsigned k = 0; k < 64; ++k) {
          w.set_exec(1ull << k);
          w.trapsts = 0;
          h(w, i);
          const uint32_t masked = any_nan({s[k][0], s[k][1], s[k][2]}, t.f) ? ~denormal : ~0u;
          const uint32_t want = t.want(s[k], m) & masked, got = w.trapsts & masked;
          if (got != want && failures++ < 20)
            BOOST_ERROR(fmt::format("{} mode {:#x} sources {:#x} {:#x} {:#x}: exceptions {:#x}, should be {:#x} ({})", i.info->name, w.mode, s[k][0], s[k][1], s[k][2], got, want, alu::host_vector_level()));
          BOOST_TEST_REQUIRE(w.raised == w.trapsts);
          all |= w.trapsts;
          seen |= w.trapsts;
        }
        w.set_exec(~0ull);
        w.trapsts = 1u << 10; // other bits stay, bits are sticky
        h(w, i);
        BOOST_TEST(w.trapsts == (all | 1u << 10));
        w.set_exec(0);
        w.trapsts = 0;
        h(w, i);
        BOOST_TEST(w.trapsts == 0u);
      }
    }
  }
  alu::force_baseline(false);
  BOOST_TEST(seen == (invalid | denormal | overflow | underflow | inexact));
}

BOOST_AUTO_TEST_CASE(a_recording_handler_computes_what_the_plain_one_does) {
  operand_source source(5);
  unsigned count, checked = 0;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k) {
    const auto e = rows[k].encoding;
    if (e != encoding::VOP1 && e != encoding::VOP2 && e != encoding::VOP3 && e != encoding::VOPC && e != encoding::VOP3P) continue;
    if (!alu::raises_exceptions(rows[k].id)) continue;
    const bool to_mask = rows[k].dst == isa::operand_type::mask;
    const auto source_code = [&](int j, uint16_t c) { return rows[k].src[j] == isa::operand_type::none ? uint16_t(0xffff) : c; };
    auto i = make(rows[k].id, e, to_mask ? uint16_t(106) : v(30), source_code(0, v(10)), source_code(1, v(12)), rows[k].has(isa::DST_IS_SRC) && rows[k].src[2] != isa::operand_type::none ? v(30) : source_code(2, v(14)));
    wave a, b;
    a.mode = b.mode = uint32_t(source.raw() & 0xff);
    for (unsigned n = 0; n < vgprs; ++n)
      for (unsigned l = 0; l < 64; ++l) a.vgpr[n][l] = b.vgpr[n][l] = uint32_t(source.next(4));
    alu::bind(i, isa::target::gfx906)(a, i);
    alu::bind_recording(i)(b, i);
    ++checked;
    bool same = true;
    for (unsigned n = 0; n < vgprs; ++n) same &= std::memcmp(a.vgpr[n], b.vgpr[n], 256) == 0;
    BOOST_TEST((same && std::memcmp(a.sgpr, b.sgpr, sizeof a.sgpr) == 0), rows[k].name);
  }
  BOOST_TEST(checked > 150u);
}

namespace {
const uint64_t snan = 0x7fa00000, qnan = 0x7fc00000, inf = 0x7f800000, one = 0x3f800000, minus = 0xbf800000, tiny = 1, least = 0x00800000, three = 0x40400000, third = 0x3eaaaaab, big = 0x7f7fffff;
const uint64_t wide_one = 0x3ff0000000000000, wide_three = 0x4008000000000000, wide_inf = 0x7ffull << 52, wide_snan = 0x7ff4ull << 48, wide_tiny = 1, wide_big = 0x7fefffffffffffff, wide_minus = 0xbff0000000000000, wide_least = 1ull << 52;
struct row { op id; uint64_t s[3]; uint32_t mode; uint32_t want; };
} // namespace

BOOST_AUTO_TEST_CASE(every_other_kind_of_operation_by_value) {
  const uint32_t all = 0xf0, none = 0x00; // denormals allowed, flushed
  const row rows[] = {
      // choice, comparison, rounding to integers, decomposition
      {op::v_min_f32, {snan, one}, all, invalid}, {op::v_min_f32, {qnan, one}, all, 0}, {op::v_max_f32, {tiny, one}, all, denormal}, {op::v_max_f32, {tiny, one}, none, 0},
      {op::v_max_f64, {wide_snan, wide_one}, all, invalid}, {op::v_min_f16, {0x7d00, 0x3c00}, all, invalid}, {op::v_min_f16, {1, 0x3c00}, all, denormal}, {op::v_min_f16, {1, 0x3c00}, none, 0},
      {op::v_med3_f32, {one, snan, one}, all, invalid}, {op::v_max3_f32, {one, one, tiny}, all, denormal}, {op::v_min3_f16, {0x3c00, 0x7d00, 0}, all, invalid},
      {op::v_cmp_lt_f32, {snan, one}, all, invalid}, {op::v_cmp_lt_f32, {qnan, one}, all, 0}, {op::v_cmp_eq_f64, {wide_tiny, wide_one}, all, denormal}, {op::v_cmp_u_f16, {0x7d00, 0}, all, invalid},
      {op::v_cmp_class_f32, {snan, 3}, all, 0}, {op::v_cmpx_ge_f32, {one, tiny}, all, denormal},
      {op::v_floor_f32, {0x3fc00000}, all, 0}, {op::v_rndne_f32, {snan}, all, invalid}, {op::v_trunc_f64, {wide_tiny}, all, denormal}, {op::v_ceil_f16, {0x7d00}, all, invalid},
      {op::v_fract_f32, {inf}, all, invalid}, {op::v_fract_f32, {0x3fc00000}, all, 0}, {op::v_fract_f32, {0x80800000}, all, inexact}, {op::v_fract_f64, {wide_inf}, all, invalid},
      {op::v_frexp_mant_f32, {snan}, all, invalid}, {op::v_frexp_exp_i32_f32, {tiny}, all, denormal}, {op::v_frexp_exp_i32_f64, {wide_inf}, all, 0}, {op::v_frexp_mant_f16, {1}, all, denormal},
      {op::v_ldexp_f32, {one, 200}, all, overflow | inexact}, {op::v_ldexp_f32, {one, uint32_t(-140)}, all, 0}, {op::v_ldexp_f32, {one, uint32_t(-140)}, none, underflow | inexact},
      {op::v_ldexp_f32, {three, uint32_t(-150)}, all, underflow | inexact}, {op::v_ldexp_f64, {wide_one, 2000}, all, overflow | inexact}, {op::v_ldexp_f64, {wide_three, uint32_t(-1075)}, all, underflow | inexact},
      {op::v_ldexp_f64, {wide_one, uint32_t(-1060)}, all, 0}, {op::v_ldexp_f64, {wide_one, uint32_t(-1060)}, none, underflow | inexact}, {op::v_ldexp_f16, {0x3c00, 20}, all, overflow | inexact},
      // transcendental functions
      {op::v_rcp_f32, {0}, all, div0}, {op::v_rcp_f32, {one}, all, 0}, {op::v_rcp_f32, {three}, all, inexact}, {op::v_rcp_f32, {snan}, all, invalid}, {op::v_rcp_f32, {tiny}, all, div0},
      {op::v_rcp_f32, {0x7f000000}, all, underflow | inexact}, {op::v_rcp_f64, {0}, all, div0}, {op::v_rcp_f64, {wide_three}, all, inexact}, {op::v_rcp_f64, {wide_inf}, all, 0},
      {op::v_rcp_f16, {0}, all, div0}, {op::v_rcp_f16, {0x4200}, all, inexact}, {op::v_rcp_f16, {1}, all, denormal | overflow | inexact}, {op::v_rcp_iflag_f32, {0}, all, int_div0},
      {op::v_rcp_iflag_f32, {three}, all, 0}, {op::v_rcp_iflag_f32, {snan}, all, 0}, {op::v_sqrt_f32, {minus}, all, invalid}, {op::v_sqrt_f32, {0x40800000}, all, 0}, {op::v_sqrt_f32, {three}, all, inexact},
      {op::v_sqrt_f64, {wide_minus}, all, invalid}, {op::v_sqrt_f64, {wide_three}, all, inexact}, {op::v_sqrt_f16, {0xbc00}, all, invalid}, {op::v_rsq_f32, {0}, all, div0}, {op::v_rsq_f32, {minus}, all, invalid},
      {op::v_rsq_f32, {0x40800000}, all, 0}, {op::v_rsq_f32, {three}, all, inexact}, {op::v_rsq_f64, {0}, all, div0}, {op::v_rsq_f16, {0}, all, div0}, {op::v_exp_f32, {0x43800000}, all, overflow | inexact},
      {op::v_exp_f32, {three}, all, 0}, {op::v_exp_f32, {third}, all, inexact}, {op::v_exp_f32, {0xc3020000}, all, underflow | inexact}, {op::v_exp_f16, {0x4c00}, all, overflow | inexact}, {op::v_exp_f16, {0x4200}, all, 0},
      {op::v_log_f32, {0}, all, div0}, {op::v_log_f32, {minus}, all, invalid}, {op::v_log_f32, {0x40800000}, all, 0}, {op::v_log_f32, {three}, all, inexact}, {op::v_log_f16, {0}, all, div0},
      {op::v_sin_f32, {inf}, all, invalid}, {op::v_sin_f32, {0x3e800000}, all, 0}, {op::v_cos_f32, {third}, all, inexact}, {op::v_sin_f16, {0x7c00}, all, invalid}, {op::v_cos_f16, {0x2e66}, all, inexact},
      // conversions
      {op::v_cvt_i32_f32, {qnan}, all, invalid}, {op::v_cvt_i32_f32, {0x4f000000}, all, invalid}, {op::v_cvt_i32_f32, {0xcf000000}, all, 0}, {op::v_cvt_i32_f32, {0x3fc00000}, all, inexact}, {op::v_cvt_i32_f32, {three}, all, 0},
      {op::v_cvt_u32_f32, {minus}, all, invalid}, {op::v_cvt_u32_f32, {0xbf000000}, all, inexact}, {op::v_cvt_u32_f32, {0x4f800000}, all, invalid}, {op::v_cvt_u32_f32, {0x4f000000}, all, 0},
      {op::v_cvt_i32_f64, {0x41e0000000000000}, all, invalid}, {op::v_cvt_u32_f64, {0x41efffffffe00000}, all, 0}, {op::v_cvt_u32_f64, {0x3ff8000000000000}, all, inexact}, {op::v_cvt_rpi_i32_f32, {0x3fc00000}, all, inexact},
      {op::v_cvt_flr_i32_f32, {qnan}, all, invalid}, {op::v_cvt_i16_f16, {0x7bff}, all, invalid}, {op::v_cvt_u16_f16, {0xbc00}, all, invalid}, {op::v_cvt_u16_f16, {0x3e00}, all, inexact},
      {op::v_cvt_f32_i32, {16777217}, all, inexact}, {op::v_cvt_f32_i32, {16777216}, all, 0}, {op::v_cvt_f32_u32, {0xffffffff}, all, inexact}, {op::v_cvt_f64_i32, {0xffffffff}, all, 0}, {op::v_cvt_f16_i16, {2049}, all, inexact},
      {op::v_cvt_f16_u16, {0xffff}, all, overflow | inexact}, {op::v_cvt_f16_f32, {0x47800000}, all, overflow | inexact}, {op::v_cvt_f16_f32, {0x33800000}, all, 0}, {op::v_cvt_f16_f32, {0x33800000}, none, underflow | inexact},
      {op::v_cvt_f16_f32, {snan}, all, invalid}, {op::v_cvt_f16_f32, {third}, all, inexact}, {op::v_cvt_f32_f16, {0x7d00}, all, invalid}, {op::v_cvt_f32_f16, {1}, all, denormal}, {op::v_cvt_f32_f64, {wide_big}, all, overflow | inexact},
      {op::v_cvt_f32_f64, {wide_three}, all, 0}, {op::v_cvt_f32_f64, {wide_least}, all, underflow | inexact}, {op::v_cvt_f64_f32, {snan}, all, invalid}, {op::v_cvt_f64_f32, {tiny}, all, denormal},
      {op::v_cvt_pkrtz_f16_f32, {one, third}, all, inexact}, {op::v_cvt_pkrtz_f16_f32, {big, one}, all, overflow | inexact}, {op::v_cvt_pknorm_i16_f32, {qnan, 0}, all, invalid}, {op::v_cvt_pknorm_u16_f32, {0x3f000000, one}, all, inexact},
      {op::v_cvt_pknorm_i16_f16, {0x3c00, 0x3800}, all, inexact}, {op::v_cvt_norm_u16_f16, {0x3800}, all, inexact}, {op::v_cvt_norm_i16_f16, {0x7e00}, all, invalid}, {op::v_cvt_pk_u8_f32, {0x3fc00000, 0, 0}, all, inexact},
      {op::v_cvt_pk_u8_f32, {0x43960000, 0, 0}, all, invalid}, {op::v_cvt_f32_ubyte0, {255}, all, 0}, {op::v_cvt_off_f32_i4, {7}, all, 0},
      // division helpers, legacy multiplies
      {op::v_div_fixup_f32, {one, 0, 0}, all, invalid}, {op::v_div_fixup_f32, {one, 0, one}, all, div0}, {op::v_div_fixup_f32, {one, inf, inf}, all, invalid}, {op::v_div_fixup_f32, {one, three, one}, all, 0},
      {op::v_div_fixup_f32, {one, snan, one}, all, invalid}, {op::v_div_fixup_f32, {one, tiny, 0}, all, denormal}, {op::v_div_fixup_f64, {wide_one, 0, wide_one}, all, div0}, {op::v_div_fixup_f16, {0x3c00, 0, 0x3c00}, all, div0},
      {op::v_div_scale_f32, {0, 0, 0}, all, 0}, {op::v_div_fmas_f32, {three, third, one}, all, inexact}, {op::v_div_fmas_f64, {wide_big, wide_three, wide_one}, all, overflow | inexact},
      {op::v_mul_legacy_f32, {0, inf}, all, 0}, {op::v_mul_legacy_f32, {third, three}, all, inexact}, {op::v_mad_legacy_f32, {0, inf, one}, all, 0}, {op::v_trig_preop_f64, {wide_one, 1}, all, 0},
      {op::v_cubema_f32, {big, 0, 0}, all, overflow | inexact}, {op::v_cubeid_f32, {snan, 0, 0}, all, invalid}, {op::v_mad_f32, {tiny, one, one}, all, 0}, {op::v_mov_b32, {snan}, all, 0}, {op::v_cndmask_b32, {snan, snan}, all, 0},
  };
  for (const row& r : rows) {
    isa::instruction i;
    for (encoding e : {encoding::VOPC, encoding::VOP1, encoding::VOP2, encoding::VOP3})
      if (const auto* info = row_of(r.id, e)) { i.info = info; break; }
    BOOST_TEST_REQUIRE((i.info != nullptr));
    const auto& info = *i.info;
    const bool to_mask = info.dst == isa::operand_type::mask;
    const auto code = [&](int j, uint16_t c) { return info.src[j] == isa::operand_type::none || info.src[j] == isa::operand_type::mask ? uint16_t(0xffff) : c; };
    i = make(r.id, info.encoding, to_mask ? uint16_t(106) : v(30), code(0, v(10)), code(1, v(12)), code(2, v(14)));
    wave w;
    w.mode = r.mode;
    for (unsigned j = 0; j < 3; ++j) for (unsigned k = 0; k < 64; ++k) w.set_pair(10 + 2 * j, k, k == 7 ? r.s[j] : 0x7fa000007fa0ull << 1); // other lanes are off
    w.set_exec(1ull << 7);
    const alu::handler h = alu::bind_recording(i);
    if (h) h(w, i);
    BOOST_TEST((h != nullptr || r.want == 0), info.name);
    BOOST_TEST(w.trapsts == r.want, fmt::format("{} {:#x} {:#x} {:#x} mode {:#x}: {:#x}, should be {:#x}", info.name, r.s[0], r.s[1], r.s[2], r.mode, w.trapsts, r.want));
  }
}

BOOST_AUTO_TEST_CASE(modifiers_and_selects_come_before_exceptions) {
  wave w;
  auto i = make(op::v_sqrt_f32, encoding::VOP3, v(30), v(10));
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = 0xc0800000; // -4
  const auto run_recording = [&](const isa::instruction& x) { w.trapsts = 0; alu::bind_recording(x)(w, x); return w.trapsts; };
  BOOST_TEST(run_recording(i) == invalid);
  i.abs = 1;
  BOOST_TEST(run_recording(i) == 0u);
  auto p = make(op::v_pk_mul_f16, encoding::VOP3P, v(30), v(10), v(11)); // each half on its own
  p.op_sel_hi = 3;
  for (unsigned k = 0; k < 64; ++k) { w.vgpr[10][k] = 0x7bff3c00; w.vgpr[11][k] = 0x40003c00; }
  BOOST_TEST(run_recording(p) == (overflow | inexact));
  p.op_sel_hi = 0;
  BOOST_TEST(run_recording(p) == 0u);
  auto d = make(op::v_rcp_f32, encoding::VOP1, v(30), v(10)); // lanes that DPP switches off raise nothing
  d.form = isa::form::dpp;
  d.dpp_ctrl = 0xe4;
  d.row_mask = 1;
  d.bank_mask = 15;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = k < 16 ? 0x3f800000 : 0;
  BOOST_TEST(run_recording(d) == 0u);
  d.row_mask = 3;
  BOOST_TEST(run_recording(d) == div0);
  auto s = make(op::v_cvt_f32_f16, encoding::VOP1, v(30), v(10));
  s.form = isa::form::sdwa;
  s.src_sel[0] = isa::sdwa_select::word_1;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = 0x7d003c00;
  BOOST_TEST(run_recording(s) == invalid);
}

BOOST_AUTO_TEST_CASE(a_clamped_comparison_signals_any_nan) {
  wave w;
  w.mode = 0xf0;
  struct kind { op id; uint64_t quiet, signalling, number; } kinds[] = {{op::v_cmp_lt_f32, qnan, snan, one}, {op::v_cmpx_neq_f16, 0x7e00, 0x7d00, 0x3c00}, {op::v_cmp_u_f64, 0x7ff8ull << 48, wide_snan, wide_one}};
  for (const auto& t : kinds)
    for (bool clamp : {false, true})
      for (int place : {0, 1})
        for (uint64_t x : {t.quiet, t.signalling, t.number}) {
          auto i = make(t.id, encoding::VOP3, uint16_t(106), v(10), v(12));
          i.clamp = clamp;
          for (unsigned k = 0; k < 64; ++k) w.set_pair(10 + 2 * unsigned(place), k, x), w.set_pair(12 - 2 * unsigned(place), k, t.number);
          w.set_exec(~0ull);
          w.trapsts = 0;
          alu::bind_recording(i)(w, i);
          BOOST_TEST(w.trapsts == (x == t.signalling || (clamp && x == t.quiet) ? invalid : 0u), i.info->name << " clamp " << clamp);
        }
  auto c = make(op::v_cmp_class_f32, encoding::VOP3, uint16_t(106), v(10), v(12)); // looks at bits only
  c.clamp = true;
  BOOST_TEST((alu::bind_recording(c) == nullptr));
}

BOOST_AUTO_TEST_CASE(an_output_modifier_raises_what_its_multiplication_does) {
  operand_source source(7);
  const struct { format f; op id; unsigned bytes; } kinds[] = {{f16, op::v_mul_f16, 2}, {f32, op::v_mul_f32, 4}, {f64, op::v_mul_f64, 8}};
  uint32_t seen = 0;
  for (bool baseline : {false, true}) {
    alu::force_baseline(baseline);
    for (const auto& t : kinds)
      for (unsigned omod : {1u, 2u, 3u})
        for (unsigned n = 0; n < 40; ++n) {
          wave w;
          w.mode = (n % 4) | (n % 4) << 2 | (n & 4 ? 0x50 : 0); // denormal results are flushed
          const float_mode m = mode_for(w.mode, t.f);
          uint64_t s[64][2];
          for (unsigned k = 0; k < 64; ++k)
            for (unsigned j = 0; j < 2; ++j) {
              s[k][j] = source.next(t.bytes);
              if (j == 1 && k < 32) s[k][1] = one_bits(t.f);                                                       // the operation itself raises little
              if (j == 0 && k % 4 == 0) s[k][0] = uint64_t(k < 16 ? 1 : 2 * ((1 << (t.f.exponent_bits - 1)) - 1) - k % 3) << t.f.mantissa_bits | (k & 7); // least and largest exponents
              w.set_pair(10 + 2 * j, k, s[k][j]);
            }
          auto i = make(t.id, encoding::VOP3, v(30), v(10), v(12));
          i.omod = uint8_t(omod);
          for (unsigned k = 0; k < 64; ++k) {
            w.set_exec(1ull << k);
            w.trapsts = 0;
            alu::bind_recording(i)(w, i);
            // independently: the product's exceptions by exact numbers, and those of the finished result times a power of two
            const uint64_t result = soft_mul(s[k][0], s[k][1], t.f, m);
            uint32_t want = fused_exceptions(s[k][0], s[k][1], nullptr, t.f, m);
            if (!is_nan_bits(result, t.f) && !is_inf_bits(result, t.f)) want |= rounding_exceptions(exact::of(result, t.f).scaled(omod == 3 ? -1 : int(omod)), t.f, m);
            const uint32_t masked = any_nan({s[k][0], s[k][1]}, t.f) ? ~denormal : ~0u;
            BOOST_REQUIRE_MESSAGE((w.trapsts & masked) == (want & masked), fmt::format("{} mode {:#x} omod {} sources {:#x} {:#x}: {:#x}, should be {:#x}", i.info->name, w.mode, omod, s[k][0], s[k][1], w.trapsts, want));
            // the result too: a half is a half before it is multiplied
            const uint64_t got = t.bytes == 8 ? w.pair(30, k) : w.vgpr[30][k], scaled = exact::of(result, t.f).is_zero() || is_nan_bits(result, t.f) || is_inf_bits(result, t.f) ? result : exact::of(result, t.f).scaled(omod == 3 ? -1 : int(omod)).round(t.f, m.how, false, true);
            if (!is_nan_bits(result, t.f) && magnitude(scaled, t.f) != 0) BOOST_REQUIRE_MESSAGE(got == scaled, fmt::format("{} mode {:#x} omod {} sources {:#x} {:#x}: result {:#x}, should be {:#x}", i.info->name, w.mode, omod, s[k][0], s[k][1], got, scaled));
            seen |= want;
          }
        }
  }
  alu::force_baseline(false);
  BOOST_TEST((seen & (overflow | underflow | inexact)) == (overflow | underflow | inexact));
  // where MODE keeps denormals or IEEE is on, OMOD does nothing, so it raises nothing
  wave w;
  auto i = make(op::v_mul_f32, encoding::VOP3, v(30), v(10), v(12));
  i.omod = 2;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = uint32_t(big), w.vgpr[12][k] = uint32_t(one);
  for (const auto& [mode, want] : {std::pair<uint32_t, uint32_t>{0, overflow | inexact}, {0x20, 0}, {0x200, 0}}) {
    w.mode = mode;
    w.trapsts = 0;
    alu::bind_recording(i)(w, i);
    BOOST_TEST(w.trapsts == want, "mode " << mode);
  }
  i.clamp = true; // a choice of 1: the product has overflowed all the same
  w.mode = 0;
  w.trapsts = 0;
  alu::bind_recording(i)(w, i);
  BOOST_TEST(w.trapsts == (overflow | inexact));
  BOOST_TEST(w.vgpr[30][5] == uint32_t(one));
}

BOOST_AUTO_TEST_CASE(interpolation_raises_what_its_multiply_add_does) {
  operand_source source(23);
  std::vector<uint32_t> lds(64);
  unsigned checked = 0;
  for (unsigned n = 0; n < 400; ++n) {
    wave w;
    w.mode = n % 4 | (n & 0xf0);
    for (auto& d : lds) d = uint32_t(source.next(4));
    w.lds = reinterpret_cast<const uint8_t*>(lds.data());
    w.lds_bytes = 256;
    const uint64_t s = source.next(4), old = source.next(4);
    for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = uint32_t(s), w.vgpr[30][k] = uint32_t(old);
    w.set_exec(1ull << 17);
    for (op id : {op::v_interp_p1_f32, op::v_interp_p2_f32}) {
      auto i = make(id, encoding::VINTRP, v(30), v(10));
      for (unsigned k = 0; k < 64; ++k) w.vgpr[30][k] = uint32_t(old);
      const uint64_t a = id == op::v_interp_p1_f32 ? lds[1] : lds[8], c = id == op::v_interp_p1_f32 ? lds[0] : old;
      w.trapsts = 0;
      alu::bind_recording(i)(w, i);
      const uint32_t masked = any_nan({a, s, c}, f32) ? ~denormal : ~0u, want = mad_exceptions(a, s, c, f32, mode_for(w.mode, f32));
      BOOST_REQUIRE_MESSAGE((w.trapsts & masked) == (want & masked), fmt::format("{} mode {:#x} {:#x} {:#x} {:#x}: {:#x}, should be {:#x}", i.info->name, w.mode, a, s, c, w.trapsts, want));
      BOOST_TEST(w.raised == w.trapsts);
      checked += want != 0;
    }
  }
  BOOST_TEST(checked > 100u);
  // a half's overflow, and none for lanes that are off
  wave w;
  std::fill(lds.begin(), lds.end(), 0x7bff7bff);
  w.lds = reinterpret_cast<const uint8_t*>(lds.data());
  w.lds_bytes = 256;
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = uint32_t(three), w.vgpr[12][k] = 0;
  auto i = make(op::v_interp_p2_f16, encoding::VOP3, v(30), v(10), v(12));
  alu::bind_recording(i)(w, i);
  BOOST_TEST(w.trapsts == (overflow | inexact));
  w.trapsts = 0;
  w.set_exec(0);
  alu::bind_recording(i)(w, i);
  BOOST_TEST(w.trapsts == 0u);
}

BOOST_AUTO_TEST_CASE(excp_cycle_is_the_phase_of_the_first_enabled_exception) {
  wave w;
  auto i = make(op::v_rcp_f32, encoding::VOP1, v(30), v(10));
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = uint32_t(k == 37 || k == 50 ? 0 : k < 16 ? three : one); // inexact in phase 0, divisions by zero in 2 and 3
  const auto cycle = [&](uint32_t enabled) {
    w.mode = enabled << 12;
    alu::bind_recording(i)(w, i);
    return w.trapsts >> 16 & 63;
  };
  w.trapsts = 0;
  BOOST_TEST(cycle(0) == 0u); // none is enabled
  w.trapsts = 0;
  BOOST_TEST(cycle(div0) == 2u);
  w.trapsts = 0;
  BOOST_TEST(cycle(div0 | inexact) == 0u);
  w.trapsts = 0;
  BOOST_TEST(cycle(div0) == 2u);
  for (unsigned k = 0; k < 64; ++k) w.vgpr[10][k] = uint32_t(k == 60 ? 0 : one);
  BOOST_TEST(cycle(div0) == 2u); // the first one stays until it is cleared
  w.trapsts &= ~0x1ffu;
  BOOST_TEST(cycle(div0) == 3u);
}

BOOST_AUTO_TEST_CASE(every_floating_operation_is_known_to_raise_or_not) {
  // those that raise nothing: moves and looks, integers that always fit, the division's scaling, the table of trig_preop, a parameter as it is
  const std::vector<std::string> silent = {"class", "div_scale", "trig_preop", "cvt_f32_ubyte", "cvt_off_f32", "cvt_f64_i32", "cvt_f64_u32", "interp_mov", "pack_b32_f16"};
  unsigned count, raising = 0;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k) {
    const std::string name = rows[k].name;

    if (name[0] != 'v') continue;
    const bool floating = name.find("_f16") != std::string::npos || name.find("_f32") != std::string::npos || name.find("_f64") != std::string::npos;
    bool quiet = !floating;
    for (const auto& s : silent) quiet |= name.find(s) != std::string::npos;
    BOOST_TEST(alu::raises_exceptions(rows[k].id) == !quiet, name);
    raising += !quiet;
  }
  BOOST_TEST(raising > 200u);
}
