// SPDX-License-Identifier: Apache-2.0
// Memory barriers with every kind of access in flight, what they cost, and on which compute units a whole machine puts its workgroups.
#include "support/program.h"
#include "support/systemc_test.h"
#include <nlohmann/json.hpp>

using namespace program;

namespace {
/// A counter summed over all compute units.
uint64_t counted(const job& j, const std::string& options, const std::string& name) {
  const std::string file = (j.folder() / "statistics.json").string();
  j.good(options + " --stats " + file);
  const auto all = nlohmann::json::parse(slurp(file)).at("statistics");
  uint64_t sum = 0;
  for (const auto& [block, counters] : all.items())
    if (block.rfind("cu", 0) == 0 && counters.contains(name)) sum += counters.at(name).at("value").get<uint64_t>();
  return sum;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_device_barrier_covers_texture_reads_and_atomics_in_flight) {
  // Four waves: each samples an image (nearest, one texel a lane), and adds 1 to 64 words many times without return, all in flight at the barrier.
  // Behind it every wave must find its texels in the VGPRs and everybody's additions in memory.
  job j(R"(
  s_lshr_b64 s[12:13], s[2:3], 8
  s_mov_b32 s13, 0x00a00000
  s_mov_b32 s14, 0x4007c01f
  s_mov_b32 s15, 0x90000fac
  s_mov_b32 s16, 0x3e000
  s_mov_b32 s17, 0
  s_mov_b64 s[18:19], 0
  v_and_b32_e32 v1, 63, v0
  v_lshlrev_b32_e32 v2, 2, v1
  v_lshrrev_b32_e32 v3, 6, v0
  v_and_b32_e32 v4, 31, v1
  v_lshlrev_b32_e32 v5, 1, v3
  v_lshrrev_b32_e32 v6, 5, v1
  v_add_u32_e32 v5, v5, v6
  v_mov_b32_e32 v7, 1
  image_load v8, v[4:5], s[12:19] dmask:0x1 unorm
  global_atomic_add v2, v7, s[0:1]
  global_atomic_add v2, v7, s[0:1]
  image_load v9, v[4:5], s[12:19] dmask:0x1 unorm
  global_atomic_add v2, v7, s[0:1]
  global_atomic_add v2, v7, s[0:1]
  global_atomic_add v2, v7, s[0:1]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  buffer_wbinvl1
  s_waitcnt vmcnt(0)
  s_barrier
  global_load_dword v10, v2, s[0:1]
  v_mul_f32_e32 v8, 0x437f0000, v8
  v_mul_f32_e32 v9, 0x437f0000, v9
  v_add_f32_e32 v8, v8, v9
  v_cvt_u32_f32_e32 v8, v8
  v_lshlrev_b32_e32 v11, 2, v0
  s_waitcnt vmcnt(0)
  global_store_dword v11, v8, s[0:1] offset:1024
  global_store_dword v11, v10, s[0:1] offset:2048
  s_endpgm)");
  j.grid[0] = j.group[0] = 256;
  j.out_dwords = 1024;
  j.in.resize(1024);
  for (uint32_t i = 0; i < 1024; ++i) j.in[i] = i % 120 + 1; // red of texel i, row by row
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (unsigned i = 0; i < 256; ++i) {
      BOOST_TEST_REQUIRE(o.data[256 + i] == 2 * (i % 120 + 1), m << ", item " << i);
      BOOST_TEST_REQUIRE(o.data[512 + i] == 20u, m << ", item " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(waits_of_each_kind_of_barrier_are_counted) {
  const std::string begin = "v_lshlrev_b32_e32 v1, 2, v0\nglobal_load_dword v2, v1, s[2:3]\n", wait = "s_waitcnt vmcnt(0)\n", end = "s_endpgm\n";
  const auto of = [&](const std::string& body, const char* name) {
    job j(begin + body + end);
    j.grid[0] = j.group[0] = 128;
    return counted(j, "--machine cu", name);
  };
  const std::string group_memory = wait + "s_barrier\n", device_memory = wait + "buffer_wbinvl1\n" + wait + "s_barrier\n", plain = wait + "v_add_u32_e32 v3, v2, v2\n";
  // two waves wait for a load from memory: some hundred cycles each, in front of the barrier that the code asks for and no other
  BOOST_TEST(of(group_memory, "group_memory_barrier") > 600u);
  BOOST_TEST(of(group_memory, "device_memory_barrier") == 0u);
  BOOST_TEST(of(device_memory, "device_memory_barrier") > 600u);
  BOOST_TEST(of(plain, "group_memory_barrier") == 0u);
  BOOST_TEST(of(plain, "device_memory_barrier") == 0u);
  // they are part of the waits for vmcnt
  BOOST_TEST(of(group_memory, "group_memory_barrier") <= of(group_memory, "vmcnt"));
  // and the wait at s_barrier itself is a cause of its own
  const std::string late = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz there\ns_sleep 20\nthere:\n" + wait + "s_barrier\n";
  BOOST_TEST(of(late, "barrier") > 500u);
  BOOST_TEST(of("s_barrier\n" + wait, "barrier") < 400u);
}

BOOST_AUTO_TEST_CASE(order_policies_choose_the_compute_units_of_a_whole_machine) {
  // every workgroup stores where it runs (HW_ID: compute unit 11:8, shader engine 14:13 of the hardware; here 16 units an engine) and stays a while
  job j("s_getreg_b32 s5, hwreg(HW_REG_HW_ID)\nv_mov_b32_e32 v2, s5\nv_mov_b32_e32 v1, 0\ns_lshl_b32 s6, s4, 2\nv_mov_b32_e32 v1, s6\nglobal_store_dword v1, v2, s[0:1]\ns_sleep 127\ns_sleep 127\ns_endpgm");
  j.grid[0] = 64 * 16;
  j.out_dwords = 16;
  const auto units = [&](const std::string& options) {
    std::vector<uint32_t> v;
    for (uint32_t x : j.good("--machine vega10 " + options).data) v.push_back((x >> 8 & 15) + 16 * (x >> 13 & 3));
    return v;
  };
  std::vector<uint32_t> in_order, over_engines;
  for (uint32_t g = 0; g < 16; ++g) {
    in_order.push_back(g % 64);
    over_engines.push_back(g % 4 * 16 + g / 4);
  }
  BOOST_TEST(units("--set dispatcher.order=in_order") == in_order, boost::test_tools::per_element());
  BOOST_TEST(units("--set dispatcher.order=round_robin") == over_engines, boost::test_tools::per_element());
  // one unit has room for all of them: each waits for it, though it takes a workgroup in four cycles and one could leave the dispatcher each cycle
  const std::vector<uint32_t> packed(16, 0);
  BOOST_TEST(units("--set dispatcher.order=packed") == packed, boost::test_tools::per_element());
}
