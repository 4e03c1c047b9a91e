// SPDX-License-Identifier: Apache-2.0
// Workgroups and barriers in the whole machine.
#include "support/program.h"
#include "support/systemc_test.h"

using namespace program;

BOOST_AUTO_TEST_CASE(ten_thousand_barriers_in_a_row_keep_four_waves_in_step_long) {
  job j(R"(
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_u32_e32 v2, 64, v0
  v_and_b32_e32 v2, 0xff, v2
  v_lshlrev_b32_e32 v2, 2, v2
  v_mov_b32_e32 v3, 0
  s_movk_i32 s10, 5000
loop:
  v_mov_b32_e32 v5, s10
  ds_write_b32 v1, v5
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v2
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v3, v3, v6
  s_barrier
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 loop
  global_store_dword v1, v3, s[0:1]
  s_endpgm)");
  j.grid[0] = j.group[0] = j.out_dwords = 256;
  j.lds = 1024;
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (uint32_t v : o.data) BOOST_TEST_REQUIRE(v == 5000u * 5001 / 2, m);
  }
}

BOOST_AUTO_TEST_CASE(waves_that_end_before_a_barrier_do_not_keep_the_others) {
  job j(R"(
  v_lshlrev_b32_e32 v1, 2, v0
  v_readfirstlane_b32 s10, v0
  s_and_b32 s10, s10, 0x40
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc1 over
  s_barrier
  s_barrier
  v_mov_b32_e32 v2, 7
  global_store_dword v1, v2, s[0:1]
over:
  s_endpgm)");
  j.grid[0] = j.group[0] = j.out_dwords = 1024;
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (unsigned i = 0; i < 1024; ++i) BOOST_TEST_REQUIRE(o.data[i] == (i & 64 ? 7u : 0u), m);
  }
}

BOOST_AUTO_TEST_CASE(a_barrier_is_nothing_to_a_group_of_one_wave) {
  job j("s_barrier\ns_barrier\n" + item_offset(6) + "v_mov_b32_e32 v2, 9\ns_barrier\nglobal_store_dword v4, v2, s[0:1]\ns_endpgm");
  j.grid[0] = j.out_dwords = 64 * 50;
  for (const auto& m : all_modes()) for (uint32_t v : j.good(m).data) BOOST_TEST_REQUIRE(v == 9u, m);
}

BOOST_AUTO_TEST_CASE(a_barrier_that_cannot_be_met_is_explained) {
  job j(R"(
  v_readfirstlane_b32 s10, v0
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc0 wait
  s_sethalt 1
wait:
  s_barrier
  s_endpgm)");
  j.grid[0] = j.group[0] = 192;
  for (const char* m : {"--machine cu", "--machine cu --mode lt"}) {
    const auto o = j.run(m);
    BOOST_TEST(o.code == 3, m);
    BOOST_TEST(o.says("lyra/deadlock"), m);
    BOOST_TEST(o.says("waits at s_barrier: 2 of 3 waves of its workgroup have arrived"), m << "\n" << o.err);
    BOOST_TEST(o.says("is halted (s_sethalt)"), m);
  }
}

BOOST_AUTO_TEST_CASE(waves_that_wait_in_the_gds_for_ever_are_explained) {
  job j("v_mov_b32_e32 v1, 5\ns_mov_b32 m0, 0\ns_nop 0\nds_gws_init v1 gds\ns_waitcnt lgkmcnt(0) expcnt(0)\nds_gws_barrier v1 gds\ns_waitcnt lgkmcnt(0)\ns_endpgm");
  for (const char* m : {"--machine cu", "--machine cu --mode lt"}) {
    const auto o = j.run(m);
    BOOST_TEST(o.code == 3, m);
    BOOST_TEST(o.says("lyra/deadlock"), m);
    BOOST_TEST(o.says("barrier"), m << "\n" << o.err);
  }
}

BOOST_AUTO_TEST_CASE(partial_groups_and_ids_of_three_dimensions) {
  // grid 100 x 3 x 4, groups 64 x 2 x 2: out[(z * 3 + y) * 100 + x] = group ids and work-item ids
  job j(R"(
  s_lshl_b32 s10, s4, 6
  s_lshl_b32 s11, s5, 1
  s_lshl_b32 s12, s6, 1
  v_add_u32_e32 v3, s10, v0
  v_add_u32_e32 v4, s11, v1
  v_add_u32_e32 v5, s12, v2
  v_mul_u32_u24_e32 v6, 3, v5
  v_add_u32_e32 v6, v6, v4
  s_movk_i32 s13, 100
  v_mul_u32_u24_e32 v6, s13, v6
  v_add_u32_e32 v6, v6, v3
  v_lshlrev_b32_e32 v6, 2, v6
  s_lshl_b32 s5, s5, 4
  s_lshl_b32 s6, s6, 8
  s_or_b32 s4, s4, s5
  s_or_b32 s4, s4, s6
  s_lshl_b32 s4, s4, 16
  v_lshlrev_b32_e32 v1, 8, v1
  v_lshlrev_b32_e32 v2, 12, v2
  v_or_b32_e32 v0, v0, v1
  v_or3_b32 v0, v0, v2, s4
  global_store_dword v6, v0, s[0:1]
  s_endpgm)");
  j.grid[0] = 100; j.grid[1] = 3; j.grid[2] = 4;
  j.group[0] = 64; j.group[1] = 2; j.group[2] = 2;
  j.out_dwords = 1200;
  j.workgroup_id = "xyz";
  j.workitem_id = 2;
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (unsigned z = 0; z < 4; ++z)
      for (unsigned y = 0; y < 3; ++y)
        for (unsigned x = 0; x < 100; ++x)
          BOOST_TEST_REQUIRE(o.data[(z * 3 + y) * 100 + x] == ((x / 64 | (y / 2) << 4 | (z / 2) << 8) << 16 | (x % 64) | (y % 2) << 8 | (z % 2) << 12), m);
  }
}

BOOST_AUTO_TEST_CASE(placement_is_limited_by_slots_registers_and_lds) {
  job j("s_sleep 100\ns_sleep 100\ns_endpgm");
  j.grid[0] = 64 * 100;
  const auto peak = [&] {
    j.good("--machine cu --stats " + (j.folder() / "s.json").string());
    const std::string s = slurp(j.folder() / "s.json");
    const size_t at = s.find("resident_waves_peak");
    BOOST_REQUIRE(at != std::string::npos);
    return std::atoi(s.c_str() + s.find_first_of("0123456789", at));
  };
  j.vgprs = 24; j.sgprs = 16;
  BOOST_TEST(peak() == 40);  // wave slots
  j.vgprs = 65;
  BOOST_TEST(peak() == 12);  // 68 of 256 VGPRs: three a SIMD
  j.vgprs = 24; j.sgprs = 102;
  BOOST_TEST(peak() == 28);  // 112 of 800 SGPRs: seven a SIMD
  j.sgprs = 16; j.lds = 20000;
  BOOST_TEST(peak() == 3);   // 20480 of 65536 bytes
}

BOOST_AUTO_TEST_CASE(dispatches_overlap_where_the_job_allows_it_and_only_there) {
  // each dispatch takes a ticket and waits until two have been taken
  job j(R"(
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  global_atomic_add v1, v2, s[2:3]
  s_waitcnt vmcnt(0)
loop:
  v_mov_b32_e32 v3, 0
  global_atomic_or v3, v1, v3, s[2:3] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s10, v3
  s_cmp_lt_u32 s10, 2
  s_cbranch_scc1 loop
  global_store_dword v1, v3, s[0:1]
  s_endpgm)");
  j.dispatches = 2;
  j.barrier = false;
  for (const auto& m : all_modes()) BOOST_TEST(j.good(m).data[0] == 2u, m);
  j.barrier = true;
  for (const char* m : {"--machine cu --max-cycles 100000", "--machine cu --mode lt --max-cycles 100000"}) {
    const auto o = j.run(m);
    BOOST_TEST(o.code == 3, m);
    BOOST_TEST(o.says("lyra/max-cycles"), m);
  }
}
