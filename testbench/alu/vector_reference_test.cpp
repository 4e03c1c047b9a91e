// SPDX-License-Identifier: Apache-2.0
// Every vector operation with a lane-by-lane reference: random and special operands, all encodings, all MODE rounding and denormal fields, EXEC masks, both host levels.
#include "alu/reference_convert.h"
#include "alu/reference_float.h"
#include "alu/reference_integer.h"
#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

namespace alu_test {

const std::map<op, reference>& vector_references() {
  static const std::map<op, reference> t = [] {
    std::map<op, reference> r;
    add_integer_references(r);
    add_float_references(r);
    add_convert_references(r);
    add_compare_references(r);
    return r;
  }();
  return t;
}

namespace {

constexpr unsigned first_source = 10, second_source = 14, third_source = 18, destination = 30;
constexpr uint32_t old_low = 0xabcd1234u, old_high = 0x5a5aa5a5u;

struct trial {
  const isa::opcode_info* row;
  uint32_t mode;
  uint64_t exec;
  bool clamp;
  uint16_t scalar_source; ///< replaces source 0 by an SGPR where not 0
};

double ulps_apart(uint64_t a, uint64_t b, format f) {
  if (is_nan_bits(a, f) || is_nan_bits(b, f)) return a == b ? 0 : 1e30;
  __int128 d = order_key(a, f) - order_key(b, f);
  if (d < 0) d = -d;
  return double(d);
}

bool keeps_other_half(const isa::opcode_info& r) {
  switch (r.id) {
    case op::v_mac_f16: case op::v_mad_f16: case op::v_mad_u16: case op::v_mad_i16: case op::v_fma_f16: case op::v_div_fixup_f16: case op::v_min3_f16: case op::v_max3_f16:
    case op::v_med3_f16: case op::v_min3_i16: case op::v_max3_i16: case op::v_med3_i16: case op::v_min3_u16: case op::v_max3_u16: case op::v_med3_u16: case op::v_add_i16:
    case op::v_sub_i16:
      return true;
    default: return false;
  }
}

/// Runs one instruction on random operands and compares all 64 lanes, written or not. Returns a description of the first difference.
std::string check(const trial& t, const reference& ref, operand_source& source) {
  wave w;
  w.mode = t.mode;
  w.set_exec(t.exec);
  const isa::opcode_info& row = *t.row;
  isa::instruction i;
  const bool accumulates = (row.has(isa::DST_IS_SRC) && row.src[2] != isa::operand_type::none) || row.id == op::v_cvt_pkaccum_u8_f32;
  const uint16_t third = accumulates ? v(destination) : v(third_source);
  const bool bit_from_register = row.src[2] == isa::operand_type::mask;
  i = make(row.id, row.encoding, ref.result == 0 ? 40 : v(destination), ref.bytes[0] ? v(first_source) : 0xffff, ref.bytes[1] ? v(second_source) : 0xffff,
           bit_from_register ? uint16_t(row.encoding == isa::encoding::VOP3 ? 60 : 106) : ref.bytes[2] ? third : 0xffff);
  i.info = &row;
  if (row.encoding == isa::encoding::VOPC) i.sdst.code = 106;
  if (row.encoding == isa::encoding::VOP3 && i.sdst.present()) i.sdst.code = 40;
  if (row.encoding == isa::encoding::VOP3P) i.op_sel_hi = row.src[0] == isa::operand_type::mix ? 0 : 7;
  i.clamp = t.clamp;
  if (t.scalar_source) i.src[0].code = t.scalar_source;

  lane_inputs lanes_in[64];
  const uint64_t bits = source.raw();
  w.set_vcc(bits);
  w.write64(60, bits);
  w.write64(40, 0x1111222233334444ull);
  const uint64_t uniform = source.next(ref.bytes[0] ? ref.bytes[0] : 4);
  w.write64(20, ref.bytes[0] == 2 ? uniform | 0xbeef0000u : uniform);
  for (unsigned k = 0; k < 64; ++k) {
    w.set_pair(destination, k, old_low | uint64_t(old_high) << 32);
    lane_inputs& in = lanes_in[k];
    in.mode = t.mode;
    in.lane = k;
    in.clamp = t.clamp;
    in.bit = bits >> k & 1;
    for (int j = 0; j < 3; ++j) {
      if (!ref.bytes[j]) continue;
      uint64_t x = source.next(ref.bytes[j]);
      if (j > 0 && source.raw() % 8 == 0) x = in.s[0]; // equal operands, and S0 = S1 or S2 for the division helpers
      if (j == 2 && source.raw() % 4 == 0) x = in.s[0];
      if (ref.bytes[j] == 2) x &= 0xffff;
      if (ref.bytes[j] == 4) x &= 0xffffffff;
      if (j == 0 && t.scalar_source) x = uniform;
      in.s[j] = x;
      const unsigned reg = j == 0 ? first_source : j == 1 ? second_source : accumulates ? destination : third_source;
      const uint64_t stored = ref.bytes[j] == 2 ? x | (source.raw() << 16 & 0xffff0000u) : x;
      if (ref.bytes[j] == 8) w.set_pair(reg, k, stored);
      else w.vgpr[reg][k] = uint32_t(stored);
    }
  }
  uint32_t before[64];
  for (unsigned k = 0; k < 64; ++k) before[k] = w.vgpr[destination][k];

  run(w, i, row.targets & isa::GFX906 ? isa::target::gfx906 : isa::target::gfx900);

  const unsigned flag_register = i.sdst.present() ? i.sdst.code : 106;
  const uint64_t flags = w.read64(flag_register);
  for (unsigned k = 0; k < 64; ++k) {
    const bool active = t.exec >> k & 1;
    lane_result r = ref.f(lanes_in[k]);
    if (r.tolerance_ulp < 0) continue;
    auto where = [&](const char* what, uint64_t got, uint64_t want) {
      return fmt::format("{} (encoding {}) mode {:#x} clamp {} lane {} sources {:#x} {:#x} {:#x} bit {}: {} is {:#x}, should be {:#x}", row.name, int(row.encoding), t.mode, t.clamp, k,
                         lanes_in[k].s[0], lanes_in[k].s[1], lanes_in[k].s[2], lanes_in[k].bit, what, got, want);
    };
    if (ref.has_flag && bool(flags >> k & 1) != (active && r.flag)) return where("flag", flags >> k & 1, active && r.flag);
    if (!ref.result) continue;
    const uint64_t got = ref.result == 8 ? w.pair(destination, k) : w.vgpr[destination][k];
    if (!active) {
      const uint64_t old = ref.result == 8 ? before[k] | uint64_t(old_high) << 32 : before[k];
      if (got != old) return where("inactive lane", got, old);
      continue;
    }
    uint64_t want = r.value;
    uint64_t got_value = got;
    if (ref.result == 2) {
      const uint64_t other = keeps_other_half(row) ? before[k] >> 16 : 0;
      if (got >> 16 != other) return where("upper half", got >> 16, other);
      got_value = got & 0xffff;
      want &= 0xffff;
    }
    const format f = ref.result == 2 ? f16 : ref.result == 4 ? f32 : f64;
    if (r.tolerance_ulp > 0 ? ulps_apart(got_value, want, f) > r.tolerance_ulp : got_value != want) return where("result", got_value, want);
  }
  if (row.has(isa::WRITES_EXEC) && w.exec() != flags) return fmt::format("{}: EXEC {:#x} is not the result {:#x}", row.name, w.exec(), flags);
  return "";
}

bool in_family(const isa::opcode_info& r, int family) {
  const bool compare = r.dst == isa::operand_type::mask;
  bool floating = r.dst == isa::operand_type::f32;
  const std::string name = r.name;
  floating = name.find("_f16") != std::string::npos || name.find("_f32") != std::string::npos || name.find("_f64") != std::string::npos;
  return family == 2 ? compare : !compare && floating == (family == 1);
}

void run_family(int family, bool baseline) {
  alu::force_baseline(baseline);
  unsigned count;
  const isa::opcode_info* rows = isa::opcode_table(count);
  operand_source source(unsigned(1234 + family));
  const uint64_t masks[] = {~0ull, ~0ull, 0x123456789abcdef0ull, 0x8000000000000001ull};
  unsigned checked = 0, failures = 0;
  for (unsigned k = 0; k < count; ++k) {
    const auto it = vector_references().find(rows[k].id);
    switch (rows[k].encoding) {
      case isa::encoding::VOP1: case isa::encoding::VOP2: case isa::encoding::VOPC: case isa::encoding::VOP3: case isa::encoding::VOP3P: break;
      default: continue;
    }
    if (it == vector_references().end() || !in_family(rows[k], family)) continue;
    ++checked;
    const unsigned trials = family == 1 ? 64 : 16;
    for (unsigned n = 0; n < trials; ++n) {
      uint32_t mode = 0xf0;
      if (n >= 2 && family != 0) mode = (n % 4) | (n / 4 % 4) << 2 | uint32_t(source.raw() & 15) << 4 | uint32_t(source.raw() & 1) << 9;
      const bool can_clamp = family == 0 && (rows[k].encoding == isa::encoding::VOP3 || rows[k].encoding == isa::encoding::VOP3P) && rows[k].has(isa::CLAMP);
      const trial t{&rows[k], mode, masks[n % 4], can_clamp && n % 2, uint16_t(n == 5 ? 20 : 0)};
      const std::string error = check(t, it->second, source);
      if (!error.empty()) {
        BOOST_ERROR(error);
        if (++failures > 40) return;
        break;
      }
    }
  }
  alu::force_baseline(false);
  BOOST_TEST(checked > 100u);
}

} // namespace
} // namespace alu_test

using namespace alu_test;

BOOST_AUTO_TEST_CASE(integer_operations_give_exact_integers_in_every_encoding) { run_family(0, false); }
BOOST_AUTO_TEST_CASE(floating_operations_follow_mode_and_round_exact_values_once) { run_family(1, false); }
BOOST_AUTO_TEST_CASE(comparisons_write_one_bit_a_lane_and_cmpx_writes_exec) { run_family(2, false); }
BOOST_AUTO_TEST_CASE(integer_operations_on_a_host_without_avx2) { run_family(0, true); }
BOOST_AUTO_TEST_CASE(floating_operations_on_a_host_without_avx2) { run_family(1, true); }
BOOST_AUTO_TEST_CASE(comparisons_on_a_host_without_avx2) { run_family(2, true); }
