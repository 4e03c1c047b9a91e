// SPDX-License-Identifier: Apache-2.0
// Wait counters and exact issue times, seen by programs that read their own counters (HW_REG_IB_STS) and clocks.
#include "support/program.h"
#include "support/systemc_test.h"

using namespace program;

namespace {
/// vmcnt of IB_STS into the SGPR.
std::string read_vmcnt(const std::string& s) {
  return "s_getreg_b32 " + s + ", hwreg(HW_REG_IB_STS, 0, 4)\ns_getreg_b32 s30, hwreg(HW_REG_IB_STS, 22, 2)\ns_lshl_b32 s30, s30, 4\ns_or_b32 " + s + ", " + s + ", s30\n";
}
std::string store_sgpr(const std::string& s, unsigned offset = 0) {
  return "s_mov_b64 exec, -1\nv_mov_b32_e32 v30, 0\nv_mov_b32_e32 v31, " + s + "\nglobal_store_dword v30, v31, s[0:1] offset:" + std::to_string(offset) + "\n";
}
/// Cycles between two s_memtime around `body`, caches warm.
uint32_t cycles_of(const std::string& body, const std::string& prepare = "") {
  job j(prepare + "v_mov_b32_e32 v1, 0\ns_movk_i32 s22, 3\nagain:\ns_waitcnt lgkmcnt(0) vmcnt(0)\ns_memtime s[16:17]\ns_waitcnt lgkmcnt(0)\n" + body + "\ns_memtime s[18:19]\ns_waitcnt lgkmcnt(0)\n"
        "s_sub_u32 s22, s22, 1\ns_cmp_lg_u32 s22, 0\ns_cbranch_scc1 again\ns_sub_u32 s20, s18, s16\n" + store_sgpr("s20") + "s_endpgm");
  return j.good().data.at(0);
}
} // namespace

BOOST_AUTO_TEST_CASE(a_younger_stores_acknowledgement_does_not_lower_vmcnt_before_an_older_load_that_misses) {
  const auto count = [](const std::string& load) {
    job j("v_mov_b32_e32 v1, 0\nglobal_store_dword v1, v1, s[0:1] offset:2048\ns_waitcnt vmcnt(0)\n" + load + "global_store_dword v1, v1, s[0:1] offset:2048\ns_sleep 6\n" + read_vmcnt("s12") + "s_waitcnt vmcnt(0)\n" +
          read_vmcnt("s13") + store_sgpr("s12") + store_sgpr("s13", 4) + "s_endpgm");
    j.out_dwords = 1024;
    const auto o = j.good("--machine cu --set memory.model=fixed --set memory.latency_ns=2000");
    BOOST_TEST(o.data.at(1) == 0u); // s_waitcnt vmcnt(0) means it
    return o.data.at(0);
  };
  BOOST_TEST(count("") == 0u);                                 // the store alone is acknowledged by then
  BOOST_TEST(count("global_load_dword v2, v1, s[2:3]\n") == 2u); // behind a miss it is not
}

BOOST_AUTO_TEST_CASE(a_load_without_lanes_counts_and_returns_in_its_turn) {
  job j("v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 77\ns_mov_b64 exec, 0\nglobal_load_dword v2, v1, s[2:3]\n" + read_vmcnt("s12") + "s_waitcnt vmcnt(0)\n" + read_vmcnt("s13") + "s_mov_b64 exec, -1\nv_readfirstlane_b32 s14, v2\n" +
        store_sgpr("s12") + store_sgpr("s13", 4) + store_sgpr("s14", 8) + "s_endpgm");
  const auto o = j.good();
  BOOST_TEST(o.data.at(0) == 1u);
  BOOST_TEST(o.data.at(1) == 0u);
  BOOST_TEST(o.data.at(2) == 77u); // nothing was written
}

BOOST_AUTO_TEST_CASE(vmcnt_saturates_at_63_by_stalling_issue) {
  // a loop: its code must be in the instruction cache, since memory is slow here
  job j("v_mov_b32_e32 v1, 0\ns_mov_b32 s13, 0\ns_movk_i32 s14, 90\nagain:\nglobal_load_dword v2, v1, s[2:3]\n" + read_vmcnt("s12") +
        "s_max_u32 s13, s13, s12\ns_sub_u32 s14, s14, 1\ns_cmp_lg_u32 s14, 0\ns_cbranch_scc1 again\ns_waitcnt vmcnt(0)\n" + store_sgpr("s13") + "s_endpgm");
  BOOST_TEST(j.good("--machine cu --set memory.model=fixed --set memory.latency_ns=20000").data.at(0) == 63u);
}

BOOST_AUTO_TEST_CASE(lgkmcnt_saturates_at_15_by_stalling_issue) {
  job j("v_mov_b32_e32 v1, 0\ns_mov_b32 s13, 0\n.rept 40\nds_read_b32 v2, v1\ns_getreg_b32 s12, hwreg(HW_REG_IB_STS, 8, 4)\ns_max_u32 s13, s13, s12\n.endr\ns_waitcnt lgkmcnt(0)\n" + store_sgpr("s13") + "s_endpgm");
  BOOST_TEST(j.good("--machine cu --set lds.latency_cycles=1000 --set lds.queue_depth=64").data.at(0) == 15u);
}

BOOST_AUTO_TEST_CASE(a_register_keeps_its_old_value_until_the_load_returns_and_the_checker_says_so) {
  const std::string start = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 55\nglobal_load_dword v2, v1, s[2:3]\n", end = "v_mov_b32_e32 v3, v2\nglobal_store_dword v1, v3, s[0:1]\ns_endpgm";
  job bad(start + end), good(start + "s_waitcnt vmcnt(0)\n" + end);
  for (const auto& m : all_modes()) {
    const auto o = bad.run(m);
    BOOST_TEST(o.says("lyra/hazard/waitcnt"), m);
    BOOST_TEST((o.says("v_mov_b32_e32 v3, v2") && o.says("reads v2") && o.says("global_load_dword v2, v1, s[2:3]")), m << o.err);
    if (m.find("lt") == std::string::npos) BOOST_TEST(o.data.at(0) == 55u, m); // loosely timed loads are there at once
    BOOST_TEST(good.good(m).data.at(0) == 0u, m);
  }
  BOOST_TEST(bad.run("--machine cu --set waitcnt=error").code == 3);
}

BOOST_AUTO_TEST_CASE(overwriting_the_destination_of_a_load_under_way_is_reported) {
  job j("v_mov_b32_e32 v1, 0\nglobal_load_dword v2, v1, s[2:3]\nv_mov_b32_e32 v2, 1\ns_waitcnt vmcnt(0)\ns_endpgm");
  BOOST_TEST(j.run().says("writes v2"));
}

BOOST_AUTO_TEST_CASE(scalar_loads_may_come_in_any_order_so_only_lgkmcnt_0_guarantees_them) {
  const std::string a = "s_load_dword s12, s[2:3], 0x0\ns_load_dword s13, s[2:3], 0x40\n", b = "s_add_u32 s14, s12, 1\ns_waitcnt lgkmcnt(0)\ns_endpgm";
  BOOST_TEST(job(a + "s_waitcnt lgkmcnt(1)\n" + b).run().says("lyra/hazard/waitcnt"));
  job(a + "s_waitcnt lgkmcnt(0)\n" + b).good();
}

BOOST_AUTO_TEST_CASE(lds_data_are_guaranteed_by_a_count_with_scalar_loads_under_way) { // as Mesa waits: at most two counts are left, so at most the last two LDS instructions
  const auto program = [](const char* wait) {
    return std::string("v_lshlrev_b32_e32 v1, 2, v0\nv_mov_b32_e32 v2, 5\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_load_dwordx4 s[8:11], s[2:3], 0x0\ns_load_dword s12, s[2:3], 0x40\nds_read_b32 v3, v1\nds_write_b32 v1, v0 offset:256\nds_read_b32 v4, v1\ns_waitcnt ") +
           wait + "\nv_add_u32_e32 v5, v3, v2\nglobal_store_dword v1, v5, s[0:1]\ns_waitcnt lgkmcnt(0)\ns_endpgm";
  };
  for (const char* machine : {"--machine cu", "--machine cu --mode lt", "--machine cu --set chaos.seed=3"}) {
    for (const char* enough : {"lgkmcnt(0)", "lgkmcnt(1)", "lgkmcnt(2)"}) {
      job j(program(enough));
      j.lds = 1024;
      BOOST_TEST(j.good(machine).data.at(0) == 10u);
    }
    job bad(program("lgkmcnt(3)"));
    bad.lds = 1024;
    BOOST_TEST(bad.run(machine).says("reads v3 before an s_waitcnt guarantees the data of 'ds_read_b32 v3, v1'"), machine);
  }
}

BOOST_AUTO_TEST_CASE(instructions_of_one_wave_take_their_exact_cycles) {
  const uint32_t base = cycles_of("");
  const auto extra = [&](const std::string& body) { return cycles_of(body) - base; };
  BOOST_TEST(extra("v_add_u32_e32 v3, v3, v3\nv_add_u32_e32 v3, v3, v3\nv_add_u32_e32 v3, v3, v3\nv_add_u32_e32 v3, v3, v3") == 16u);
  BOOST_TEST(extra("s_add_u32 s10, s10, 1\ns_add_u32 s10, s10, 1") == 8u);
  BOOST_TEST(extra("s_nop 0") == 4u);
  BOOST_TEST(extra("s_nop 7") == 32u);
  BOOST_TEST(extra("v_rcp_f32_e32 v3, v3\nv_rcp_f32_e32 v3, v3\nv_mov_b32_e32 v4, 0") == 16u + 16 + 4);
  BOOST_TEST(extra("s_waitcnt vmcnt(0)") == 4u);
  BOOST_TEST(extra("s_sleep 1") == 64u);
  BOOST_TEST(extra("s_sleep 10") == 640u);
}
