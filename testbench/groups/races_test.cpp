// SPDX-License-Identifier: Apache-2.0
// `--check races`: races are found with both instructions, programs without any are clean.
#include "support/program.h"
#include "support/systemc_test.h"

using namespace program;

namespace {
const char* options = "--machine cu --mode lt --check races";

const std::string exchange_begin = "v_lshlrev_b32_e32 v1, 2, v0\nv_xor_b32_e32 v2, 0x100, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n";
const std::string exchange_end = "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v3, s[0:1]\ns_endpgm";

void clean(const std::string& body, unsigned group = 128, unsigned grid = 512) {
  job j(body);
  j.grid[0] = grid;
  j.group[0] = group;
  j.lds = 4096;
  j.out_dwords = j.in_dwords = 4096;
  for (const char* mode : {options, "--machine cu --check races", "--machine cu --check races --set chaos.seed=5"}) {
    const auto o = j.run(mode);
    BOOST_TEST(o.code == 0, mode << "\n" << body << o.err);
    BOOST_TEST(o.err.empty(), mode << "\n" << body << "\n" << o.err);
  }
}
} // namespace

BOOST_AUTO_TEST_CASE(a_neighbours_lds_read_without_barrier_is_a_race) {
  job j(exchange_begin + exchange_end);
  j.grid[0] = j.group[0] = 128;
  j.lds = 512;
  j.out_dwords = 128;
  const auto o = j.run(options);
  BOOST_TEST(o.says("lyra/check/race"));
  BOOST_TEST(o.says("'ds_write_b32 v1, v0' at PC 0x"), o.err);
  BOOST_TEST(o.says("'ds_read_b32 v3, v2' at PC 0x"), o.err);
  BOOST_TEST(o.says("LDS byte 0x"), o.err);
  BOOST_TEST((o.says("wave 0 (workgroup 0") && o.says("wave 1 (workgroup 0")), o.err);
}

BOOST_AUTO_TEST_CASE(a_plain_counter_in_memory_is_a_race) {
  job j("v_mov_b32_e32 v1, 0\nglobal_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v2, 1, v2\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm");
  j.grid[0] = 128;
  const auto o = j.run(options);
  BOOST_TEST(o.says("lyra/check/race"));
  BOOST_TEST(o.says("global_load_dword v2, v1, s[0:1]"), o.err);
  BOOST_TEST(o.says("global_store_dword v1, v2, s[0:1]"), o.err);
  BOOST_TEST((o.says("wave 0 (workgroup 0)") && o.says("wave 1 (workgroup 1")), o.err);
}

BOOST_AUTO_TEST_CASE(a_plain_store_beside_an_atomic_is_a_race) {
  job j("v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 a\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm\na:\nglobal_atomic_add v1, v2, s[0:1]\ns_endpgm");
  j.grid[0] = 128;
  BOOST_TEST(j.run(options).says("lyra/check/race"));
}

BOOST_AUTO_TEST_CASE(without_the_option_nothing_is_looked_for_and_timed_runs_find_the_same) {
  job j(exchange_begin + exchange_end);
  j.grid[0] = j.group[0] = 128;
  j.lds = 512;
  BOOST_TEST(!j.run("--machine cu --mode lt").says("lyra/check/race"));
  const auto o = j.run("--machine cu --check races");
  BOOST_TEST(o.says("lyra/check/race"), o.err);
  BOOST_TEST(!j.run("--machine cu").says("lyra/check/race"));
}

BOOST_AUTO_TEST_CASE(twenty_race_free_programs_are_clean) {
  const std::string off = item_offset(7), zero = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1\n";
  const auto hand_over = [&](const std::string& publish, const std::string& poll) { // group 0 writes, publishes; the others poll, then read
    return zero + "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 reader\nv_lshlrev_b32_e32 v4, 2, v0\nglobal_store_dword v4, v0, s[2:3] offset:64\ns_waitcnt vmcnt(0)\ns_barrier\n" + publish +
           "\ns_endpgm\nreader:\nloop:\n" + poll + "\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s13, v8\ns_cmp_lt_u32 s13, 1\ns_cbranch_scc1 loop\nbuffer_wbinvl1_vol\nv_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v6, v4, s[2:3] offset:64\ns_waitcnt vmcnt(0)\n" +
           off + "global_store_dword v4, v6, s[0:1]\ns_endpgm";
  };
  clean(exchange_begin + "s_barrier\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n" + off + "global_store_dword v4, v3, s[0:1]\ns_endpgm");                                                 // 1 barrier between
  clean(exchange_begin + "s_barrier\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_write_b32 v2, v3\ns_waitcnt lgkmcnt(0)\ns_endpgm");                                        // 2 and back
  clean(off + "global_store_dword v4, v0, s[0:1]\ns_endpgm");                                                                                                                          // 3 own words
  clean(off + "global_store_dword v4, v0, s[0:1]\ns_waitcnt vmcnt(0)\nglobal_load_dword v5, v4, s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm");                                                 // 4 own words, read back
  clean(off + "v_lshrrev_b32_e32 v4, 2, v4\nglobal_store_byte v4, v0, s[0:1]\ns_endpgm");                                                                                               // 5 neighbouring bytes
  clean(off + "v_lshrrev_b32_e32 v4, 1, v4\nglobal_store_short v4, v0, s[0:1]\ns_endpgm");                                                                                              // 6 neighbouring shorts
  clean(zero + "global_load_dword v3, v1, s[2:3]\ns_waitcnt vmcnt(0)\n" + off + "global_store_dword v4, v3, s[0:1]\ns_endpgm");                                                         // 7 shared reads
  clean("s_load_dword s10, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v3, s10\n" + off + "global_store_dword v4, v3, s[0:1]\ns_endpgm");                                          // 8 shared scalar reads
  clean(zero + "global_atomic_add v1, v2, s[0:1]\ns_endpgm");                                                                                                                          // 9 atomics on one word
  clean(zero + "global_atomic_add v3, v1, v2, s[0:1] glc\ns_waitcnt vmcnt(0)\nglobal_atomic_umax v1, v3, s[0:1] offset:64\ns_endpgm");                                                  // 10 with return
  clean(zero + "ds_add_u32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)\n" + off + "global_store_dword v4, v3, s[0:1]\ns_endpgm");                 // 11 LDS atomics, barrier, read
  clean(zero + "ds_add_rtn_u32 v3, v1, v2\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32_e32 v3, 2, v3\nds_write_b32 v3, v0 offset:64\ns_waitcnt lgkmcnt(0)\ns_endpgm");                           // 12 places given by an atomic
  clean(zero + "global_atomic_add v3, v1, v2, s[2:3] glc\ns_waitcnt vmcnt(0)\nv_lshlrev_b32_e32 v3, 2, v3\nglobal_store_dword v3, v0, s[0:1]\ns_endpgm");                               // 13 the same in memory
  clean(hand_over("global_atomic_add v1, v2, s[2:3]", "v_mov_b32_e32 v8, 0\nglobal_atomic_or v8, v1, v8, s[2:3] glc"));                                                                 // 14 hand-over, atomic polls
  clean(hand_over("global_atomic_swap v1, v2, s[2:3]", "global_load_dword v8, v1, s[2:3] glc"));                                                                                        // 15 hand-over, GLC loads poll
  clean("ds_write_b32 v0, v0 offset:0\n.if 0\n.endif\ns_endpgm", 1, 64);                                                                                                                // 16 every group has LDS of its own
  clean(off + "global_store_dwordx4 v4, v[0:3], s[0:1]\ns_endpgm", 64, 64);                                                                                                             // 17 one wave: lanes overlap
  clean("v_lshlrev_b32_e32 v1, 3, v0\nds_write_b64 v1, v[2:3]\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32_e32 v2, 0x200, v1\nds_read_b64 v[3:4], v2\ns_waitcnt lgkmcnt(0)\ns_endpgm");   // 18 64 bits
  clean("v_lshlrev_b32_e32 v1, 2, v0\nds_write2st64_b32 v1, v0, v0 offset0:0 offset1:4\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32_e32 v2, 0x100, v1\nds_read2st64_b32 v[3:4], v2 offset0:0 offset1:4\ns_waitcnt lgkmcnt(0)\ns_endpgm"); // 19 two addresses
  clean(off + "global_store_dword v4, v0, s[0:1]\ns_waitcnt vmcnt(0)\ns_barrier\nv_xor_b32_e32 v5, 0x100, v4\nglobal_load_dword v6, v5, s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm");         // 20 memory, ordered by the group's barrier
}
