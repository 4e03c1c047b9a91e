// SPDX-License-Identifier: Apache-2.0
// Which wave's instructions are fetched when: the fetches of a compute unit as its edge to the instruction cache has them, at 1 GHz (1 cycle = 1000 ps).
#include "support/program.h"
#include "support/systemc_test.h"

using namespace program;

namespace {
const std::string machine = "--machine cu --set core_mhz=1000 --set fabric_mhz=1000";

struct fetch { uint64_t cycle, block; }; ///< block: of 32 bytes, from the program's first on
bool operator==(const fetch& a, const fetch& b) { return a.cycle == b.cycle && a.block == b.block; }
std::ostream& operator<<(std::ostream& s, const fetch& f) { return s << f.block << " in " << f.cycle; }

std::vector<fetch> fetches(const job& j, const std::string& options = "") {
  const auto file = j.folder() / "fetches.txt";
  j.good(machine + options + " --record cu0-instruction_cache=" + file.string());
  std::ifstream in(file);
  std::vector<fetch> list;
  uint64_t first = ~uint64_t(0);
  for (std::string line; std::getline(in, line);) {
    std::istringstream s(line);
    std::string command;
    uint64_t at, address;
    if (!(s >> command >> at >> std::hex >> address) || command != "R") continue;
    first = std::min(first, address);
    list.push_back({at / 1000, address});
  }
  for (auto& f : list) f.block = (f.block - first) / 32;
  return list;
}

std::string repeat(const std::string& text, unsigned n) {
  std::string s;
  while (n--) s += text;
  return s;
}
} // namespace

BOOST_AUTO_TEST_CASE(one_block_leaves_in_a_cycle_and_the_wave_with_the_emptiest_buffer_is_next) {
  job j(repeat("s_nop 0\n", 40) + "s_endpgm");
  j.grid[0] = j.group[0] = 192;
  auto f = fetches(j);
  BOOST_TEST_REQUIRE(f.size() >= 12u);
  f.resize(12); // buffers of four blocks; nothing has come from memory yet
  std::vector<fetch> expected;
  for (unsigned k = 0; k < 12; ++k) expected.push_back({f[0].cycle + k, k / 3});
  BOOST_TEST(f == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_some_waves_fetch_ahead_keeps_no_wave_that_has_jumped_waiting) {
  // Eight waves turn in a loop of one block: with buffers of eight blocks they ask for 64 in the time of a turn, of which eight are needed.
  const auto cycles = [](unsigned turns, unsigned blocks) {
    job j("s_movk_i32 s5, " + std::to_string(turns) + "\n.p2align 5\nagain:\ns_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 again\n" + repeat("s_nop 0\n", 80) + "s_endpgm");
    j.grid[0] = j.group[0] = 512;
    return j.run(machine + " --set cu.instruction_buffer_blocks=" + std::to_string(blocks)).cycles;
  };
  for (const unsigned blocks : {2, 4, 8}) BOOST_TEST(cycles(300, blocks) - cycles(100, blocks) == 200u * 32); // 4, 4, 4 behind the flag, 20
}

BOOST_AUTO_TEST_CASE(of_waves_with_equal_buffers_the_higher_priority_and_then_the_older_one_fetches) {
  // Two waves of two SIMDs leave a barrier together and jump to code of their own, which has been fetched before.
  const auto text = [](const std::string& priority) {
    return "v_readfirstlane_b32 s8, v0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 older\n" + priority + "older:\ns_movk_i32 s9, 2\nagain:\ns_getpc_b64 s[10:11]\nhere:\ns_cmp_eq_u32 s8, 0\n"
           "s_mov_b32 s13, a - here\ns_cselect_b32 s12, s13, b - here\ns_add_u32 s10, s10, s12\ns_addc_u32 s11, s11, 0\ns_barrier\ns_setpc_b64 s[10:11]\n.p2align 8\n"
           "a:\n" + repeat("s_nop 0\n", 32) + "s_branch join\n.p2align 8\nb:\n" + repeat("s_nop 0\n", 32) + "s_branch join\n.p2align 8\njoin:\ns_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 again\ns_endpgm";
  };
  const auto second_pass = [&](const std::string& priority) {
    job j(text(priority));
    j.grid[0] = j.group[0] = 128;
    const auto f = fetches(j);
    std::vector<fetch> seen;
    for (size_t k = f.size(); k-- > 0 && seen.size() < 8;)
      if ((f[k].block >= 8 && f[k].block < 12) || (f[k].block >= 16 && f[k].block < 20)) seen.insert(seen.begin(), f[k]);
    for (size_t k = seen.size(); k-- > 0;) seen[k].cycle -= seen[0].cycle;
    return seen;
  };
  const std::vector<fetch> by_age = {{0, 8}, {1, 16}, {2, 9}, {3, 17}, {4, 10}, {5, 18}, {6, 11}, {7, 19}};
  const std::vector<fetch> by_priority = {{0, 16}, {1, 17}, {2, 18}, {3, 8}, {4, 9}, {5, 10}, {6, 19}, {7, 11}}; // SIMD 1 had its turn three cycles before SIMD 0
  BOOST_TEST(second_pass("") == by_age, boost::test_tools::per_element());
  BOOST_TEST(second_pass("s_setprio 2\n") == by_priority, boost::test_tools::per_element());
}
