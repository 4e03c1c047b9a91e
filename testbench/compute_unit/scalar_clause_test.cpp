// SPDX-License-Identifier: Apache-2.0
// XNACK: the rules for clauses of scalar memory instructions, and replays that break programs which break them (Vega ISA 7.2.1).
#include "compute_unit/scalar_program.h"
#include "support/systemc_test.h"

using namespace program;

namespace {
const std::string finding = "lyra/hazard/xnack-clause";
const std::string replay_all = " --set xnack.replay=on --set xnack.percent=100";

/// "in" at 0x300000000 is full of pointers to the dword two further on, so that a load through a loaded address works, and differs.
job pointers(const std::string& body) {
  collector c;
  c.add("s_add_u32 s6, s2, 0x40\ns_addc_u32 s7, s3, 0\ns_add_u32 s8, s2, 0x48\ns_addc_u32 s9, s3, 0\n" + body);
  c.take(12, 4);
  c.take(6, 2);
  job j(c.program());
  j.in_keys = "address = 0x300000000";
  for (unsigned k = 0; k < 256; k += 2) j.in.insert(j.in.end(), {4 * (k + 2), 3});
  return j;
}
const char* own_pair = "s_load_dwordx2 s[6:7], s[6:7], 0x0\n";
const char* own_offset = "s_movk_i32 s12, 0x20\ns_load_dword s12, s[2:3], s12\n";
const char* neighbours_base = "s_load_dword s12, s[6:7], 0x0\ns_load_dwordx2 s[6:7], s[2:3], 0x80\n";
const char* neighbours_data = "s_movk_i32 s14, 9\ns_store_dword s14, s[0:1], 0x200\ns_load_dword s14, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\ns_load_dword s12, s[0:1], 0x200\n";
const char* atomic_with_neighbour = "s_movk_i32 s12, 5\ns_atomic_add s12, s[2:3], 0x300 glc\ns_load_dword s14, s[2:3], 0x100\n";
const char* neighbour_of_atomic = "s_movk_i32 s12, 5\ns_load_dword s14, s[2:3], 0x100\ns_atomic_add s12, s[2:3], 0x300 glc\n";
} // namespace

BOOST_AUTO_TEST_CASE(each_rule_is_reported_with_register_and_instructions_when_asked_for) {
  const std::pair<const char*, std::vector<const char*>> wrong[] = {
    {own_pair, {"s_load_dwordx2 s[6:7], s[6:7], 0x0", "overwrites s6", "own address source"}},
    {own_offset, {"overwrites s12", "own address source"}},
    {neighbours_base, {"'s_load_dwordx2 s[6:7], s[2:3], 0x80'", "overwrites s6, a source of 's_load_dword s12, s[6:7], 0x0'", "same clause"}},
    {neighbours_data, {"overwrites s14, a source of 's_store_dword s14, s[0:1], 0x200'"}},
    {atomic_with_neighbour, {"the atomic 's_atomic_add s12, s[2:3], 0x300 glc'", "is not alone in its clause", "s_load_dword s14"}},
    {neighbour_of_atomic, {"the atomic 's_atomic_add s12, s[2:3], 0x300 glc'", "is not alone in its clause", "s_load_dword s14"}},
    {"s_movk_i32 s12, 5\ns_atomic_xor s12, s[2:3], 0x300\ns_memtime s[14:15]\ns_waitcnt lgkmcnt(0)\ns_mov_b64 s[14:15], 0\n", {"the atomic 's_atomic_xor s12, s[2:3], 0x300'", "s_memtime"}}};
  for (const auto& [body, texts] : wrong) {
    const job j = pointers(body);
    for (const auto& m : all_modes()) {
      j.good(m); // no finding by default: without XNACK all of this is right
      const auto o = j.run(m + " --set xnack.check=report");
      BOOST_TEST(o.code == 0);
      BOOST_TEST(o.says(finding), m << body);
      for (const char* t : texts) BOOST_TEST(o.says(t), m << " misses \"" << t << "\" in\n" << o.err);
      BOOST_TEST(j.run(m + " --set xnack.check=error").code == 3);
      BOOST_TEST(j.run(m + replay_all).says(finding)); // replays ask for it
      BOOST_TEST(!j.run(m + replay_all + " --set xnack.check=silent").says(finding));
    }
  }
}

BOOST_AUTO_TEST_CASE(any_other_instruction_ends_a_clause) {
  for (const char* between : {"s_nop 0\n", "s_mov_b32 s20, 1\n", "v_mov_b32_e32 v20, 0\n", "s_waitcnt lgkmcnt(0)\n", "global_load_dword v20, v30, s[0:1]\ns_waitcnt vmcnt(0)\n", "s_branch 0\n"}) {
    const std::string b = between;
    for (const std::string& body : {"s_load_dword s12, s[6:7], 0x0\n" + b + "s_load_dwordx2 s[6:7], s[2:3], 0x80\n", "s_movk_i32 s12, 5\ns_atomic_add s12, s[2:3], 0x300 glc\n" + b + "s_load_dword s14, s[2:3], 0x100\n",
                                    "s_load_dword s14, s[2:3], 0x100\n" + b + "s_movk_i32 s12, 5\ns_nop 0\ns_atomic_add s12, s[2:3], 0x300 glc\n"}) {
      const job j = pointers(body);
      const auto plain = j.good("--machine cu");
      for (const auto& m : all_modes()) {
        BOOST_TEST((j.good(m + " --set xnack.check=report").data == plain.data), m << body);
        BOOST_TEST((j.good(m + replay_all).data == plain.data), m << body);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_replay_breaks_a_program_that_breaks_the_rules) {
  for (const char* body : {own_pair, own_offset, neighbours_base, neighbours_data, atomic_with_neighbour, neighbour_of_atomic}) {
    const job j = pointers(body);
    const auto right = j.good("--machine cu");
    for (const auto& m : all_modes()) {
      const auto o = j.run(m + replay_all);
      BOOST_TEST_REQUIRE(o.code == 0, o.err);
      const bool atomic = std::strstr(body, "atomic") != nullptr;
      if (!atomic) BOOST_TEST((o.data != right.data), m << body);
      else BOOST_TEST(o.data.at(0) == right.data.at(0) + 5, m << body); // the second time it finds what it did itself
      BOOST_TEST(o.says(finding), m);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_program_that_keeps_the_rules_gives_the_same_result_whatever_is_replayed) {
  const job right = pointers(
      "s_load_dwordx2 s[10:11], s[6:7], 0x3c\ns_load_dword s12, s[2:3], 0x10\ns_load_dwordx4 s[16:19], s[8:9], 0x70\ns_waitcnt lgkmcnt(0)\ns_add_u32 s13, s10, s16\n"
      "s_store_dwordx2 s[16:17], s[0:1], 0x80\ns_store_dword s18, s[0:1], 0xbc glc\ns_load_dword s14, s[2:3], 0x20\ns_mov_b32 s16, 3\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\n"
      "s_movk_i32 s15, 5\ns_atomic_add s15, s[2:3], 0x300 glc\ns_waitcnt lgkmcnt(0)\ns_movk_i32 s20, 7\ns_atomic_xor s20, s[2:3], 0x300\ns_waitcnt lgkmcnt(0)\ns_dcache_inv\ns_load_dword s12, s[2:3], 0x300\n");
  const auto want = right.good("--machine cu");
  for (const auto& m : all_modes())
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const std::string o = m + " --set xnack.replay=on --set xnack.percent=" + std::to_string(seed * 16) + " --set xnack.seed=" + std::to_string(seed);
      BOOST_TEST((right.good(o).data == want.data), o);
    }
}

BOOST_AUTO_TEST_CASE(replays_are_counted_take_time_and_repeat_with_the_seed) {
  const job j = pointers("s_load_dword s12, s[2:3], 0x10\ns_waitcnt lgkmcnt(0)\ns_load_dword s13, s[2:3], 0x20\ns_waitcnt lgkmcnt(0)\ns_load_dword s14, s[2:3], 0x30\n");
  const auto plain = j.good("--machine cu"), all = j.good("--machine cu" + replay_all), again = j.good("--machine cu" + replay_all);
  BOOST_TEST(all.cycles > plain.cycles + 3 * 200u); // each of the three waits for its replay
  BOOST_TEST(again.cycles == all.cycles);
  const auto a = j.good("--machine cu --set xnack.replay=on --set xnack.percent=50 --set xnack.seed=1"), b = j.good("--machine cu --set xnack.replay=on --set xnack.percent=50 --set xnack.seed=4");
  BOOST_TEST(a.cycles != b.cycles);
}

BOOST_AUTO_TEST_CASE(kernels_that_wait_behind_every_scalar_load_survive_any_replay) {
  for (const char* name : {"a_load_imm_x1", "a_load_imm_x4", "a_soe_imm", "a_line_cross", "a_buffer_atomic", "a_atomic_many_waves", "a_harmless", "a_scr_store"})
    for (const char* mode : {"at", "lt"}) {
      const std::string command = directories::build() + "/platforms/lyra run " + directories::source() + "/testbench/cases/asm/" + name + "/job.toml --quiet --machine cu --mode " + mode + replay_all + " 2>&1 > /dev/null | grep -q . && exit 1 || exit 0";
      BOOST_TEST(std::system(command.c_str()) == 0, name << " " << mode);
    }
}
