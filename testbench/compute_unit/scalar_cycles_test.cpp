// SPDX-License-Identifier: Apache-2.0
// Cycle numbers of scalar memory in the whole machine, from the signals of a run at 1 GHz (1 cycle = 1000 ps).
#include "compute_unit/scalar_program.h"
#include "support/systemc_test.h"
#include "support/vcd_reader.h"

using namespace program;

namespace {
const std::string machine = "--machine cu --set core_mhz=1000 --set fabric_mhz=1000 --set memory_mhz=1000 --set translation.enabled=off --set memory.model=fixed --set scalar_cache.hit_latency_cycles=40 --set scalar_cache.miss_request_cycles=25 --set scalar_cache.fill_return_cycles=40 --set cu.memtime_cycles=41";

vcd_reader traced(const job& j, const std::string& options = "") {
  const auto file = j.folder() / "t.vcd";
  j.good(machine + options + " --vcd " + file.string() + " --trace 'cu0.smem.*' --trace 'cu0.simd0.wave0.*' --trace 'sqc0.scalar_cache.*'");
  return vcd_reader(file);
}
} // namespace

BOOST_AUTO_TEST_CASE(a_miss_a_hit_under_it_and_a_return_in_two_parts_have_their_exact_cycles) {
  // The page is touched, and line 0x400 is loaded first. Then: a miss, a hit, and a load whose first dword hits and whose second one misses.
  // The second of two passes counts, each with data of its own: no instruction fetch is under way then.
  job j("s_mov_b64 s[6:7], s[2:3]\ns_movk_i32 s5, 2\nagain:\ns_load_dword s20, s[6:7], 0x800\ns_waitcnt lgkmcnt(0)\ns_load_dword s20, s[6:7], 0x400\ns_waitcnt lgkmcnt(0)\ns_load_dword s12, s[6:7], 0x0\ns_load_dword s13, s[6:7], 0x404\n"
        "s_load_dwordx2 s[14:15], s[6:7], 0x43c\ns_waitcnt lgkmcnt(0)\ns_add_u32 s6, s6, 0x1000\ns_addc_u32 s7, s7, 0\ns_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 again\ns_endpgm");
  j.in_dwords = 2048;
  const auto v = traced(j, " --set memory.latency_ns=200");
  auto issue = v.pulses("cu0.smem.issue"), back = v.pulses("cu0.smem.return"), lookup = v.pulses("sqc0.scalar_cache.lookup");
  BOOST_TEST_REQUIRE(issue.size() == 10u);
  BOOST_TEST_REQUIRE(back.size() == 12u);
  issue.erase(issue.begin(), issue.begin() + 5);
  back.erase(back.begin(), back.begin() + 6);
  const uint64_t t = issue[2];
  // one instruction each 4 cycles
  BOOST_TEST(issue[3] == t + 4);
  BOOST_TEST(issue[4] == t + 8);
  // lookups one cycle later; the two parts of the third load in two cycles
  const std::vector<uint64_t> lookups(lookup.end() - 4, lookup.end()), lookups_expected = {t + 1, t + 5, t + 9, t + 10};
  BOOST_TEST(lookups == lookups_expected, boost::test_tools::per_element());
  // 40 cycles of hit latency; a miss is as long as the first one was
  const uint64_t miss = back[1] - issue[1];
  const std::vector<uint64_t> returns(back.begin() + 2, back.end()), returns_expected = {t + 4 + 41, t + 8 + 41, t + miss, t + 8 + 1 + miss};
  BOOST_TEST(returns == returns_expected, boost::test_tools::per_element());
  // 1 to the scalar cache, 25 in it, 108 in crossbar and L2 both ways, 200 of memory, 40 in the scalar cache again
  BOOST_TEST(miss == 1u + 25 + 108 + 200 + 40);
  // lgkmcnt: 1, 2, 4; the hit takes one away, the first half of the two-part load nothing, the miss one, the second half two
  const auto count = [&](uint64_t cycle) { return v.at("cu0.simd0.wave0.lgkmcnt", cycle * 1000); };
  BOOST_TEST(count(t) == 1u);
  BOOST_TEST(count(t + 4) == 2u);
  BOOST_TEST(count(t + 8) == 4u);
  BOOST_TEST(count(t + 44) == 4u);
  BOOST_TEST(count(t + 45) == 3u);
  BOOST_TEST(count(t + 49) == 3u);
  BOOST_TEST(count(t + miss - 1) == 3u);
  BOOST_TEST(count(t + miss) == 2u);
  BOOST_TEST(count(t + 9 + miss - 1) == 2u);
  BOOST_TEST(count(t + 9 + miss) == 0u);
  BOOST_TEST(v.at("cu0.smem.outstanding", (t + 8) * 1000) == 3u);
  // every return carries the tag of its request; part 1 of the last load comes last
  BOOST_TEST(v.at("cu0.smem.return_tag", (t + 49) * 1000) >> 8 == v.at("cu0.smem.return_tag", (t + 9 + miss) * 1000) >> 8);
  BOOST_TEST((v.at("cu0.smem.return_tag", (t + 49) * 1000) & 255) == 0u);
  BOOST_TEST((v.at("cu0.smem.return_tag", (t + 9 + miss) * 1000) & 255) == 1u);
  BOOST_TEST(v.at("sqc0.scalar_cache.return_tag", (t + 9 + miss) * 1000) == v.at("cu0.smem.return_tag", (t + 9 + miss) * 1000));
}

BOOST_AUTO_TEST_CASE(by_parameter_the_count_falls_with_each_part_and_returns_keep_their_order) {
  const job j("s_load_dword s20, s[2:3], 0x400\ns_waitcnt lgkmcnt(0)\ns_nop 0\ns_load_dwordx2 s[14:15], s[2:3], 0x43c\ns_load_dword s16, s[2:3], 0x404\ns_waitcnt lgkmcnt(0)\ns_endpgm");
  {
    const auto v = traced(j, " --set smem.count_return=per_part");
    const uint64_t t = v.pulses("cu0.smem.issue").at(1);
    BOOST_TEST(v.at("cu0.simd0.wave0.lgkmcnt", (t + 40) * 1000) == 3u);
    BOOST_TEST(v.at("cu0.simd0.wave0.lgkmcnt", (t + 41) * 1000) == 2u); // the part that hit
  }
  const auto v = traced(j, " --set smem.ordering=in_order");
  const auto& tags = v.of("cu0.smem.return_tag");
  BOOST_TEST_REQUIRE(tags.size() >= 3u);
  BOOST_TEST(tags[tags.size() - 2].value % 256 == 1u); // the second part, a miss
  BOOST_TEST(tags.back().ps == tags[tags.size() - 2].ps + 1000); // and only then the hit behind it
}

BOOST_AUTO_TEST_CASE(a_dependent_load_that_hits_takes_50_cycles) {
  // MT4G measured 50 on MI100: issue 1, cache 40, the wave's turn and the wait
  const job j("s_load_dword s20, s[2:3], 0x400\ns_waitcnt lgkmcnt(0)\ns_movk_i32 s22, 3\nagain:\ns_load_dword s20, s[2:3], 0x400\ns_waitcnt lgkmcnt(0)\ns_load_dword s20, s[2:3], 0x404\ns_waitcnt lgkmcnt(0)\n"
              "s_sub_u32 s22, s22, 1\ns_cmp_lg_u32 s22, 0\ns_cbranch_scc1 again\ns_endpgm");
  const auto issue = traced(j).pulses("cu0.smem.issue");
  BOOST_TEST(issue.at(6) - issue.at(5) >= 44u);
  BOOST_TEST(issue.at(6) - issue.at(5) <= 52u);
}

BOOST_AUTO_TEST_CASE(clocks_read_the_cycle_of_their_return) {
  const job j("s_memtime s[12:13]\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, s12\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm");
  const auto v = traced(j);
  const auto o = j.good(machine);
  BOOST_TEST(o.data.at(0) == v.pulses("cu0.smem.return").at(0));
  BOOST_TEST(o.data.at(0) == v.pulses("cu0.smem.issue").at(0) + 41);
}

BOOST_AUTO_TEST_CASE(dirty_lines_and_their_write_back_are_seen) {
  const job j("s_store_dword s2, s[0:1], 0x0\ns_store_dword s2, s[0:1], 0x40\ns_store_dword s2, s[0:1], 0x44\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\ns_endpgm");
  const auto v = traced(j);
  const auto back = v.pulses("cu0.smem.return");
  BOOST_TEST(v.at("sqc0.scalar_cache.dirty_lines", back.at(2) * 1000) == 2u);
  BOOST_TEST(v.at("sqc0.scalar_cache.dirty_lines", back.at(3) * 1000) == 0u);
}
