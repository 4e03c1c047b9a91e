// SPDX-License-Identifier: Apache-2.0
// LDS read as an operand: LDS_DIRECT (Vega ISA 10.3) and interpolation parameters, of the workgroup's own allocation, in the whole machine.
#include "compute_unit/scalar_program.h"
#include "support/systemc_test.h"
#include <cstring>

using namespace program;

namespace {
/// Every lane writes float(3 * lane + 100) at byte 4 * lane of its group's LDS, then `read` runs with M0 = `m0` and v4 is stored.
job reads(uint32_t m0, const std::string& read) {
  job j("v_mul_u32_u24_e32 v2, 3, v0\nv_add_u32_e32 v2, 0x64, v2\nv_cvt_f32_u32_e32 v2, v2\nv_lshlrev_b32_e32 v1, 2, v0\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\n" + set_m0(m0) + "s_nop 0\n" +
        read + "v_lshlrev_b32_e32 v30, 2, v0\nglobal_store_dword v30, v4, s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm");
  j.lds = 256;
  return j;
}
uint32_t value(unsigned lane) {
  const float f = float(3 * lane + 100);
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
} // namespace

BOOST_AUTO_TEST_CASE(an_lds_direct_operand_is_the_dword_or_part_of_it_that_m0_names) {
  for (const auto& m : all_modes()) {
    const auto lane0 = [&](uint32_t m0) { return reads(m0, "v_mov_b32_e32 v4, src_lds_direct\n").good(m).data; };
    const auto dword = lane0(2u << 16 | 20);
    for (unsigned l = 0; l < 64; ++l) BOOST_TEST_REQUIRE(dword.at(l) == value(5), m << " lane " << l);
    BOOST_TEST(lane0(0u << 16 | 23).at(7) == value(5) >> 24, m);                      // unsigned byte
    BOOST_TEST(lane0(5u << 16 | 22).at(7) == uint32_t(int32_t(value(5)) >> 16), m);   // signed short
    BOOST_TEST(lane0(2u << 16 | 256).at(7) == 0u, m);                                 // behind the allocation
  }
}

BOOST_AUTO_TEST_CASE(interpolation_takes_its_parameters_from_the_groups_lds) {
  for (const auto& m : all_modes())
    for (unsigned l : {0u, 63u}) BOOST_TEST(reads(20, "v_interp_mov_f32_e32 v4, p10, attr0.x\n").good(m).data.at(l) == value(6), m << " lane " << l); // P10.x is the second dword
}
