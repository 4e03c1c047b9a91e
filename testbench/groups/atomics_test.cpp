// SPDX-License-Identifier: Apache-2.0
// Atomics, append counters and memory barriers in the whole machine.
#include "support/program.h"
#include "support/systemc_test.h"
#include <numeric>

using namespace program;

namespace {
const std::string count_up = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1\nglobal_atomic_add v3, v1, v2, s[2:3] glc\ns_waitcnt vmcnt(0)\n" + item_offset(8) +
                             "global_store_dword v4, v3, s[0:1]\ns_endpgm";
const std::string lane_number = "v_mbcnt_lo_u32_b32 v5, -1, 0\nv_mbcnt_hi_u32_b32 v5, -1, v5\n";
} // namespace

BOOST_AUTO_TEST_CASE(adding_one_with_return_gives_a_permutation_in_every_atomic_unit_configuration_long) {
  job j(count_up);
  j.group[0] = 256;
  j.grid[0] = j.out_dwords = 64 * 128;
  for (const char* hash : {"linear", "xor_fold"})
    for (const char* fairness : {"fifo", "round_robin"})
      for (const char* depth : {"1", "16"}) {
        const std::string o = std::string("--set compute_units=8 --set crossbar.hash=") + hash + " --set atomic.fairness=" + fairness + " --set atomic.fifo_depth=" + depth;
        BOOST_TEST_REQUIRE(permutation(j.good(o).data), o);
      }
  BOOST_TEST(permutation(j.good("--set compute_units=8 --set chaos.seed=3").data));
  BOOST_TEST(permutation(j.good("--set compute_units=8 --mode lt").data));
}

BOOST_AUTO_TEST_CASE(append_counters_in_the_gds_number_thousands_of_waves_without_gap_long) {
  job j("s_movk_i32 m0, 0x1000\ns_nop 0\nds_append v3 offset:16 gds\n" + lane_number + item_offset(6) +
        "s_waitcnt lgkmcnt(0)\nv_add_u32_e32 v5, v5, v3\nv_lshlrev_b32_e32 v5, 2, v5\nv_lshrrev_b32_e32 v4, 2, v4\nglobal_store_dword v5, v4, s[0:1]\ns_endpgm");
  j.grid[0] = j.out_dwords = 64 * 2048;
  for (const char* m : {"--set compute_units=8", "--set compute_units=8 --mode lt", "--set compute_units=8 --set chaos.seed=5"}) {
    const auto o = j.good(m);
    BOOST_TEST_REQUIRE(permutation(o.data), m);
    for (unsigned i = 0; i < o.data.size(); i += 64) BOOST_TEST_REQUIRE(o.data[i] % 64 == 0u, m); // a wave's items stand together
  }
}

BOOST_AUTO_TEST_CASE(consume_takes_back_what_append_gave) {
  job j("s_movk_i32 m0, 0x1000\ns_nop 0\nds_append v3 offset:16 gds\ns_waitcnt lgkmcnt(0)\nds_consume v3 offset:16 gds\n" + item_offset(6) +
        "s_waitcnt lgkmcnt(0)\nds_append v6 offset:32 gds\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v7, 0\nds_read_b32 v3, v7 offset:16 gds\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v4, v3, s[0:1]\ns_endpgm");
  for (const auto& m : all_modes()) for (uint32_t v : j.good(m).data) BOOST_TEST_REQUIRE(v == 0u, m);
}

BOOST_AUTO_TEST_CASE(ordered_append_follows_the_order_of_dispatch_whatever_the_timing_long) {
  // wave w adds 1 + w % 4 and must see the sum of the waves before it; early waves are made slow. Two dispatches: the second begins again at its own first wave.
  job j("s_and_b32 s10, s4, 3\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc0 go\ns_sleep 20\ngo:\ns_add_u32 s10, s10, 1\nv_mov_b32_e32 v1, s10\ns_mov_b32 m0, 0\ns_nop 0\nds_ordered_count v3, v1 offset:768 gds\n" + item_offset(6) +
        "s_waitcnt lgkmcnt(0)\nglobal_store_dword v4, v3, s[0:1]\ns_endpgm");
  j.grid[0] = j.out_dwords = 64 * 1024;
  j.dispatches = 2;
  for (const char* m : {"--set compute_units=8", "--set compute_units=8 --mode lt", "--set compute_units=8 --set chaos.seed=5"}) {
    const auto o = j.good(m);
    uint32_t sum = 1024 / 4 * (1 + 2 + 3 + 4); // of the first dispatch
    for (unsigned w = 0; w < 1024; ++w) {
      BOOST_TEST_REQUIRE(o.data[64 * w] == sum, m << " wave " << w);
      sum += 1 + w % 4;
    }
  }
}

BOOST_AUTO_TEST_CASE(a_histogram_takes_longer_the_more_lanes_meet_at_one_address) {
  uint64_t before = 0;
  for (unsigned bins : {64, 16, 4, 1}) {
    job j("v_and_b32_e32 v1, " + std::to_string(bins - 1) + ", v0\nv_lshlrev_b32_e32 v1, 2, v1\nv_mov_b32_e32 v2, 1\n.rept 8\nglobal_atomic_add v1, v2, s[0:1]\n.endr\ns_waitcnt vmcnt(0)\ns_endpgm");
    j.group[0] = 256;
    j.grid[0] = 64 * 64;
    const auto o = j.good("--machine cu");
    for (unsigned b = 0; b < bins; ++b) BOOST_TEST_REQUIRE(o.data[b] == 64u * 64 * 8 / bins);
    BOOST_TEST(o.cycles > before, bins << " bins: " << o.cycles << " cycles, before " << before);
    before = o.cycles;
  }
}

BOOST_AUTO_TEST_CASE(an_lds_histogram_takes_longer_the_more_lanes_meet_at_one_address) {
  uint64_t before = 0;
  for (unsigned bins : {32, 2, 1}) { // up to 8 lanes of a half wave on one address fit into the 8 cycles of the instruction itself
    job j("v_and_b32_e32 v1, " + std::to_string(bins - 1) + ", v0\nv_lshlrev_b32_e32 v1, 2, v1\nv_mov_b32_e32 v2, 1\n.rept 12\nds_add_u32 v1, v2\n.endr\ns_waitcnt lgkmcnt(0)\ns_endpgm");
    j.lds = 256;
    const auto o = j.good("--machine cu");
    BOOST_TEST(o.cycles > before, bins << " bins");
    before = o.cycles;
  }
}

BOOST_AUTO_TEST_CASE(a_device_barrier_makes_stores_visible_to_vector_and_scalar_loads_of_another_group) {
  // group 1 has the old data in L1 and K$, waits for group 0's flag, invalidates and must see the new ones
  job j(R"(
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 1
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc0 reader
  s_sleep 60
  v_add_u32_e32 v4, 100, v0
  global_store_dword v1, v4, s[2:3] offset:256
  v_mov_b32_e32 v5, 5
  global_atomic_add v2, v5, s[2:3] offset:1024
  s_waitcnt vmcnt(0)
  global_atomic_add v2, v3, s[2:3]
  s_endpgm
reader:
  global_load_dword v6, v1, s[2:3] offset:256
  global_load_dword v7, v2, s[2:3] offset:1024
  s_load_dword s12, s[2:3], 0x104
  s_waitcnt vmcnt(0) lgkmcnt(0)
loop:
  v_mov_b32_e32 v8, 0
  global_atomic_or v8, v2, v8, s[2:3] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s13, v8
  s_cmp_lt_u32 s13, 64
  s_cbranch_scc1 loop
  buffer_wbinvl1_vol
  s_dcache_inv
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_load_dword v6, v1, s[2:3] offset:256
  global_load_dword v7, v2, s[2:3] offset:1024
  s_load_dword s12, s[2:3], 0x104
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32_e32 v9, s12
  global_store_dword v1, v6, s[0:1]
  global_store_dword v1, v7, s[0:1] offset:256
  global_store_dword v1, v9, s[0:1] offset:512
  s_waitcnt vmcnt(0)
  s_endpgm)");
  j.grid[0] = 128;
  j.in_dwords = 512;
  j.out_dwords = 192;
  for (const char* m : {"--set compute_units=2", "--set compute_units=2 --mode lt", "--set compute_units=2 --set chaos.seed=9"}) {
    const auto o = j.good(m);
    for (unsigned l = 0; l < 64; ++l) {
      BOOST_TEST_REQUIRE(o.data[l] == 100 + l, m);
      BOOST_TEST_REQUIRE(o.data[64 + l] == 320u, m);
      BOOST_TEST_REQUIRE(o.data[128 + l] == 101u, m);
    }
  }
}

BOOST_AUTO_TEST_CASE(buffer_store_lds_brings_lds_dwords_to_memory_in_order_with_later_loads) {
  job j(R"(
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_u32_e32 v2, 1000, v0
  ds_write_b32 v1, v2 offset:64
  s_mov_b32 m0, 32
  s_mov_b32 s8, s0
  s_or_b32 s9, s1, 0x40000
  s_movk_i32 s10, 0x1000
  s_mov_b32 s11, 0x800000
  buffer_store_lds_dword s[8:11], 0 offset:32 lds
  global_load_dword v3, v1, s[0:1] offset:32
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v3, s[0:1] offset:1024
  s_endpgm)");
  j.lds = 1024;
  j.out_dwords = 512;
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (unsigned l = 0; l < 64; ++l) {
      BOOST_TEST_REQUIRE(o.data[8 + l] == 1000 + l, m);
      BOOST_TEST_REQUIRE(o.data[256 + l] == 1000 + l, m);
    }
  }
}
