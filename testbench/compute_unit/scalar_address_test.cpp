// SPDX-License-Identifier: Apache-2.0
// Addresses of scalar memory instructions: every row of the IMM/SOE table, ignored bits, bounds, register rules (Vega ISA 7.2, 7.4).
#include "compute_unit/scalar_program.h"
#include "support/systemc_test.h"

using namespace program;

namespace {

constexpr unsigned in_dwords = 4096;
uint32_t word(uint64_t dword) { return 0x5a000000u + uint32_t(dword) * 0x101; }
std::vector<uint32_t> numbered() {
  std::vector<uint32_t> v(in_dwords);
  for (unsigned i = 0; i < in_dwords; ++i) v[i] = word(i);
  return v;
}

/// The address equations, written down once more. `kind`: 0 plain, 1 scratch, 2 buffer.
int64_t plain_offset(int kind, bool imm, bool soe, int32_t inst, uint32_t scalar) {
  const bool uses_scalar = !imm || soe;
  const int64_t i = imm ? (kind == 2 ? int64_t(uint32_t(inst) & 0xfffff) : inst) : 0, s = uses_scalar ? int64_t(scalar) * (kind == 1 ? 64 : 1) : 0;
  if (kind == 2) return (i + s) & ~int64_t(3);
  return (i & ~int64_t(3)) + (s & ~int64_t(3)); // every part loses its low bits
}

void all_modes_equal(const job& j, const std::vector<uint32_t>& want, size_t from = 0) {
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (size_t k = 0; k < want.size(); ++k) BOOST_TEST_REQUIRE(o.data.at(from + k) == want[k], m << " result " << k << ": " << hex(o.data[from + k]) << ", expected " << hex(want[k]));
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(every_row_of_the_imm_soe_table_gives_its_address) {
  collector c;
  std::vector<uint32_t> want;
  c.add("s_add_u32 s6, s2, 0x1000\ns_addc_u32 s7, s3, 0\n" + constant(8, 6, 0, 0, 0x3000)); // bases in the middle of "in": offsets may be negative
  struct scalar_part { uint32_t value; bool m0; };
  const int32_t immediates[] = {0, 4, 0x40, 0x7fc, -4, -0x100, 3, 0x41, -5};
  for (int kind = 0; kind < 3; ++kind)
    for (const bool imm : {false, true})
      for (const bool soe : {false, true})
        for (const scalar_part s : {scalar_part{0, false}, {0x10, false}, {0x10, true}, {0x1c, true}, {0x21, false}, {0x23, true}})
          for (const int32_t inst : immediates) {
            const unsigned soffset = s.m0 ? 124 : 20, op = kind == 0 ? load1 : kind == 1 ? scratch_load1 : buffer_load1;
            if (imm && kind == 2 && inst < 0) continue; // 20 bits, unsigned
            if (imm && !soe && (s.value || s.m0)) continue;
            if (!imm && inst != 0x41 && inst != 0) continue;
            const int64_t raw = imm ? int64_t(inst) + (soe ? int64_t(s.value) * (kind == 1 ? 64 : 1) : 0) : 0;
            if (kind != 2 && raw < 0) continue; // illegal, see below
            c.add(s.m0 ? set_m0(s.value) : set_s(20, s.value));
            // SOE=1 takes SOFFSET whatever OFFSET holds; IMM=0 SOE=0 takes the register that OFFSET names, its other bits mean nothing
            const uint32_t offset = imm ? uint32_t(inst) : soe ? uint32_t(inst) : (soffset | (inst ? 0x1f80u : 0u));
            c.add(smem(op, 12, kind == 2 ? 8 : 6, imm, soe, offset, soe ? soffset : 5));
            c.take(12);
            want.push_back(word((0x1000 + plain_offset(kind, imm, soe, inst, s.value)) / 4));
          }
  BOOST_TEST_REQUIRE(want.size() > 100u);
  job j(c.program());
  j.in = numbered();
  j.out_dwords = unsigned(want.size());
  all_modes_equal(j, want);
}

BOOST_AUTO_TEST_CASE(the_assemblers_forms_are_rows_of_the_same_table) {
  collector c;
  c.add(set_s(20, 0x108) + set_m0(0x20c) + constant(8, 2, 0, 0, 0x4000));
  const std::pair<const char*, unsigned> forms[] = {{"s_load_dword s12, s[2:3], s20", 0x108}, {"s_load_dword s12, s[2:3], m0", 0x20c}, {"s_load_dword s12, s[2:3], 0x44", 0x44},
    {"s_load_dword s12, s[2:3], s20 offset:8", 0x110}, {"s_load_dword s12, s[2:3], m0 offset:-12", 0x200}, {"s_load_dword s12, s[2:3], s20 offset:-264", 0},
    {"s_buffer_load_dword s12, s[8:11], s20", 0x108}, {"s_buffer_load_dword s12, s[8:11], m0 offset:0x10", 0x21c}, {"s_buffer_load_dword s12, s[8:11], 0x44", 0x44},
    {"s_scratch_load_dword s12, s[2:3], 0x48", 0x48}};
  std::vector<uint32_t> want;
  for (const auto& [text, address] : forms) {
    c.add(std::string(text) + "\n");
    c.take(12);
    want.push_back(word(address / 4));
  }
  job j(c.program());
  j.in = numbered();
  all_modes_equal(j, want);
}

BOOST_AUTO_TEST_CASE(stores_take_their_offset_from_the_instruction_or_m0) {
  // IMM=0: M0, whether OFFSET (SOE=0) or SOFFSET (SOE=1) names it; plain, buffer, scratch
  collector c;
  c.add("s_add_u32 s6, s0, 0x800\ns_addc_u32 s7, s1, 0\n" + constant(8, 6, 0, 0, 0x800) + set_m0(0x8));
  unsigned n = 0;
  std::vector<uint32_t> want(8192);
  for (int kind = 0; kind < 3; ++kind)
    for (const bool imm : {false, true})
      for (const bool soe : {false, true}) {
        const unsigned op = kind == 0 ? store1 : kind == 1 ? scratch_store1 : buffer_store1, inst = 0x20 * ++n;
        if (!imm && soe && kind == 2) continue;
        const uint32_t value = 0x1000 + n, m0 = imm ? 8 : 8 + 0x10 * n;
        c.add(set_m0(m0) + set_s(12, value) + smem(op, 12, kind == 2 ? 8 : 6, imm, soe, imm ? inst : 124, 124) + "s_waitcnt lgkmcnt(0)\n");
        want[size_t(plain_offset(kind, imm, soe, int32_t(inst), m0)) / 4] = value;
      }
  c.add("s_dcache_wb\n");
  job j(c.program());
  j.out_dwords = 512 + 8192;
  all_modes_equal(j, want, 512);
}

BOOST_AUTO_TEST_CASE(a_negative_sum_of_offsets_is_a_fault) {
  for (const char* i : {"s_load_dword s12, s[2:3], s20 offset:-20", "s_store_dword s12, s[2:3], m0 offset:-8"}) {
    job j(set_s(20, 16) + set_m0(4) + i + "\ns_waitcnt lgkmcnt(0)\ns_endpgm");
    for (const auto& m : all_modes()) {
      const auto o = j.run(m);
      BOOST_TEST(o.code == 3, m);
      BOOST_TEST((o.says("lyra/fault/scalar-address") && o.says("offsets is negative")), o.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_negative_immediate_alone_reads_in_front_of_the_base) { // as clang 15 compiles p[i - 1] for a uniform i
  collector c;
  c.add("s_add_u32 s6, s2, 0x100\ns_addc_u32 s7, s3, 0\ns_load_dwordx2 s[12:13], s[6:7], -4\n");
  c.take(12, 2);
  c.add("s_scratch_load_dword s12, s[6:7], -0x100\n");
  c.take(12);
  job j(c.program());
  j.in = numbered();
  all_modes_equal(j, {word(0xfc / 4), word(0x100 / 4), word(0)});
  for (const auto& m : all_modes()) {
    const auto o = j.run(m + " --set smem.negative_immediate=off");
    BOOST_TEST(o.code == 3, m);
    BOOST_TEST((o.says("lyra/fault/scalar-address") && o.says("offsets is negative")), o.err);
  }
}

BOOST_AUTO_TEST_CASE(the_two_low_bits_of_base_and_of_buffer_offsets_are_ignored) {
  collector c;
  std::vector<uint32_t> want;
  for (unsigned low = 0; low < 4; ++low)
    for (unsigned offset = 0; offset < 4; ++offset) {
      c.add("s_add_u32 s6, s2, " + hex(0x40 + low) + "\ns_addc_u32 s7, s3, 0\ns_load_dwordx2 s[12:13], s[6:7], " + hex(0x10 + offset) + "\n");
      c.take(12, 2);
      want.insert(want.end(), {word(0x50 / 4), word(0x54 / 4)});
      c.add(constant(8, 2, 0x40 + low, 0, 0x100) + "s_buffer_load_dwordx2 s[12:13], s[8:11], " + hex(0x10 + offset) + "\n");
      c.take(12, 2);
      want.insert(want.end(), {word(0x50 / 4), word(0x54 / 4)});
    }
  job j(c.program());
  j.in = numbered();
  all_modes_equal(j, want);
}

BOOST_AUTO_TEST_CASE(buffer_bounds_hold_dword_by_dword_with_stride_and_num_records) {
  collector c;
  std::vector<uint32_t> want;
  struct shape { unsigned stride, records; };
  const char* names[] = {"s_buffer_load_dword s12", "s_buffer_load_dwordx2 s[12:13]", "s_buffer_load_dwordx4 s[12:15]", "s_buffer_load_dwordx8 s[12:19]", "s_buffer_load_dwordx16 s[24:39]"};
  for (const shape s : {shape{0, 40}, {0, 38}, {4, 10}, {12, 3}, {16, 2}, {1, 33}, {0, 0}}) {
    const unsigned size = (s.stride ? s.stride : 1) * s.records;
    for (unsigned w = 0; w < 5; ++w)
      for (const unsigned offset : {0u, 12u, 28u, 32u, 36u, 40u, 100u}) {
        const unsigned first = w == 4 ? 24 : 12;
        c.add(constant(8, 2, 0x38, s.stride, s.records));
        for (unsigned k = 0; k < 1u << w; ++k) c.add(set_s(first + k, 0xdead));
        c.add(std::string(names[w]) + ", s[8:11], " + hex(offset) + "\n");
        c.take(first, 1u << w);
        for (unsigned k = 0; k < 1u << w; ++k) want.push_back(offset + 4 * k + 4 <= size ? word((0x38 + offset) / 4 + k) : 0);
      }
  }
  job j(c.program());
  j.in = numbered();
  j.out_dwords = unsigned(want.size());
  all_modes_equal(j, want);
}

BOOST_AUTO_TEST_CASE(buffer_stores_and_atomics_beyond_the_bounds_do_nothing) {
  collector c;
  std::vector<uint32_t> want(16, 7);
  c.add(constant(8, 0, 0x400, 4, 6) + "s_mov_b32 s12, 1\ns_mov_b32 s13, 2\ns_mov_b32 s14, 3\ns_mov_b32 s15, 4\n"
        "s_buffer_store_dwordx4 s[12:15], s[8:11], 0x10\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\n" // dwords 4, 5 of 6
        "s_mov_b32 s16, 100\ns_buffer_atomic_add s16, s[8:11], 0x14 glc\ns_mov_b32 s17, 100\ns_nop 0\ns_buffer_atomic_add s17, s[8:11], 0x18 glc\n");
  want[4] = 1;
  want[5] = 2 + 100;
  c.take(16, 2);
  job j(c.program());
  j.out_dwords = 256 + 16;
  j.out_keys = "fill = { u32 = 7 }";
  all_modes_equal(j, want, 256);
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    BOOST_TEST(o.data.at(0) == 2u, m); // the value before
    BOOST_TEST(o.data.at(1) == 0u, m); // out of range: 0
  }
}

BOOST_AUTO_TEST_CASE(destinations_that_break_the_alignment_rule_are_illegal) {
  const std::pair<std::string, const char*> bad[] = {{smem(load2, 13, 2, true, false, 0), "multiple of 2"}, {smem(load4, 14, 2, true, false, 0), "multiple of 4"}, {smem(load8, 10, 2, true, false, 0), "multiple of 4"},
    {smem(load16, 22, 2, true, false, 0), "multiple of 4"}, {smem(36, 13, 0, false, false, 0), "multiple of 2"}, {smem(buffer_load1, 12, 10, true, false, 0), "multiple of 4"}};
  for (const auto& [code, why] : bad) {
    job j(code + "s_waitcnt lgkmcnt(0)\ns_endpgm");
    for (const auto& m : all_modes()) {
      const auto o = j.run(m);
      BOOST_TEST(o.code == 3, code << m);
      BOOST_TEST((o.says("lyra/fault/illegal-instruction") && o.says(why)), o.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_instruction_whose_destination_lies_outside_the_registers_is_not_executed) {
  // 16 SGPRs: s[16:17] do not exist; the instruction changes nothing and lgkmcnt does not move
  collector c;
  c.add("s_mov_b32 s12, 5\ns_store_dword s16, s[0:1], 0x40\ns_load_dwordx2 s[16:17], s[2:3], 0x0\ns_load_dword s20, s[2:3], 0x0\ns_atomic_add s18, s[0:1], 0x40 glc\n"
        "s_getreg_b32 s13, hwreg(HW_REG_IB_STS, 8, 4)\ns_dcache_wb\n");
  c.take(12, 2);
  // exec and m0 take no scalar memory data
  c.add(set_m0(9) + smem(load1, 124, 2, true, false, 0) + smem(load2, 126, 2, true, false, 0) + "s_mov_b32 s12, m0\ns_mov_b32 s13, exec_lo\n");
  c.take(12, 2);
  c.add("s_load_dwordx2 vcc, s[2:3], 0x8\ns_waitcnt lgkmcnt(0)\ns_mov_b64 s[12:13], vcc\n"); // VCC does
  c.take(12, 2);
  job j(c.program());
  j.sgprs = 16;
  j.in = numbered();
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    const std::vector<uint32_t> first(o.data.begin(), o.data.begin() + 6), want = {5, 0, 9, 1, word(2), word(3)};
    BOOST_TEST(first == want, m << boost::test_tools::per_element());
    BOOST_TEST(o.data.at(16) == 0u, m);
  }
}

BOOST_AUTO_TEST_CASE(a_base_outside_the_registers_is_sgpr_0) {
  // s[0:1] = "out": the program reads what it stored there
  collector c;
  c.add("s_mov_b32 s12, 0x1234\ns_store_dword s12, s[0:1], 0x80\ns_waitcnt lgkmcnt(0)\n" + smem(load1, 13, 40, true, false, 0x80));
  c.take(13);
  c.add("s_mov_b64 s[14:15], s[0:1]\ns_mov_b64 s[4:5], s[2:3]\n"                                  // SGPR0 on as a buffer constant: base s[0:1], num_records s2
        "s_mov_b32 s2, 0x84\n" + smem(buffer_load1 + 1, 8, 48, true, false, 0x80));
  c.take(8, 2);
  job j(c.program());
  j.sgprs = 16;
  all_modes_equal(j, {0x1234, 0x1234, 0});
}

BOOST_AUTO_TEST_CASE(discard_ignores_six_bits_and_drops_only_its_lines) {
  // stores wait in the scalar cache; what is discarded never reaches memory
  job j("s_mov_b32 s12, 1\ns_store_dword s12, s[0:1], 0x0\ns_store_dword s12, s[0:1], 0x40\ns_store_dword s12, s[0:1], 0x80\ns_store_dword s12, s[0:1], 0xc0\ns_waitcnt lgkmcnt(0)\n"
        "s_dcache_discard s[0:1], 0x7c\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0xbf\ns_dcache_discard_x2 s[0:1], m0\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\ns_endpgm");
  for (const char* m : {"--machine cu", "--machine cu --set chaos.seed=7"}) {
    const auto o = j.good(m);
    BOOST_TEST(o.data.at(0) == 1u, m);
    for (unsigned k : {16u, 32u, 48u}) BOOST_TEST(o.data.at(k) == 0u, m << k);
  }
}
