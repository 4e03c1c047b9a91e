// SPDX-License-Identifier: Apache-2.0
// What leads waves with a trap handler into it: memory violations, illegal instructions, single steps, save-context requests; HALT and the handler.
#include "compute_unit/trap_program.h"
#include "support/systemc_test.h"
#include <fmt/format.h>

using namespace program;

namespace {

constexpr uint32_t mem_viol = 0x100, save_context = 0x400, illegal_inst = 0x800, xnack_error = 1u << 28;

/// Counts in s20, keeps TRAPSTS in s21, the trap's PC and id in s[22:23], PRIV and TRAP_EN in s24; clears TRAPSTS.
const std::string notes = "s_add_u32 s20, s20, 1\ns_getreg_b32 s21, hwreg(HW_REG_TRAPSTS)\ns_mov_b32 s22, ttmp0\ns_mov_b32 s23, ttmp1\ns_getreg_b32 s24, hwreg(HW_REG_STATUS, 5, 2)\ns_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0\n";
const std::string back = "s_nop 0\ns_rfe_b64 ttmp[0:1]\n";
/// s[12:13] is the address of the instruction behind; s20 is 0.
const std::string begin = "s_mov_b32 s20, 0\ns_getpc_b64 s[12:13]\n";
/// out: [0] entries, [1] TRAPSTS, [2] PC - s12, [3] TTMP1, [4] STATUS
const std::string results = store("s20") + store("s21", 4) + "s_sub_u32 s22, s22, s12\n" + store("s22", 8) + store("s23", 12) + store("s24", 16);
/// v[1:2]: an address that is not mapped
const std::string nowhere = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 0x7000\n";

} // namespace

BOOST_AUTO_TEST_CASE(a_memory_violation_leads_into_the_handler_before_some_later_instruction) {
  std::string behind;
  for (unsigned n = 0; n < 8; ++n) behind += "s_add_u32 s25, s25, 1\n";
  // 0 nowhere (2 x 8, 8), 16.. the load (8), then additions, s_waitcnt
  const std::string body = begin + nowhere + "v_mov_b32_e32 v3, 77\ns_mov_b32 s25, 0\nglobal_load_dword v3, v[1:2], off\n" + behind + "s_waitcnt vmcnt(0)\nv_readfirstlane_b32 s26, v3\n" + results + store("s25", 20) + store("s26", 24) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, notes + back, m);
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) == 1u, m);
    BOOST_TEST(o.data.at(1) == (mem_viol | xnack_error), m);
    BOOST_TEST((o.data.at(3) & ~0xffffu) == 0u, m); // trap id 0, nothing to rewind: the PC has no relation to the load's
    BOOST_TEST(o.data.at(4) == 3u, m);
    BOOST_TEST(o.data.at(5) == 8u, m);  // nothing was skipped or done twice
    BOOST_TEST(o.data.at(6) == 77u, m); // nothing was loaded
    const uint32_t load = 4 + 8 + 8 + 4; // v1 (4), v2 and v3 (8: literals), s25
    BOOST_TEST(o.data.at(2) >= load + 8, m);
    if (m.find("lt") == std::string::npos) BOOST_TEST(o.data.at(2) > load + 8, m); // additions have been done when the answer comes
    BOOST_TEST((o.says("lyra/hazard/memory-violation") && o.says("0x700000000000") && o.says("global_load_dword v3") && o.says("lane 0")), o.err);
  }
}

BOOST_AUTO_TEST_CASE(without_a_handler_or_past_the_programs_end_a_memory_violation_stops_the_run) {
  const std::string access = nowhere + "global_store_dword v[1:2], v1, off\n";
  for (const auto& m : all_modes()) {
    const auto plain = job(access + "s_waitcnt vmcnt(0)\ns_endpgm").run(m);
    BOOST_TEST((plain.code == 3 && plain.says("lyra/fault/memory-violation")), m << plain.err);
    const auto handled = run_with_handler(access + "s_waitcnt vmcnt(0)\ns_endpgm", notes + back, m);
    BOOST_TEST(handled.code == 0, m << handled.err);
    const auto scalar = run_with_handler("s_mov_b32 s8, 0\ns_movk_i32 s9, 0x7000\ns_load_dword s10, s[8:9], 0x0\ns_waitcnt lgkmcnt(0)\ns_endpgm", notes + back, m);
    BOOST_TEST((scalar.code == 3 && scalar.says("lyra/fault/memory-violation")), m << scalar.err); // ISA 3.11: scalar data and instructions report none
    const auto fetch = run_with_handler("s_mov_b32 s8, 0\ns_movk_i32 s9, 0x7000\ns_setpc_b64 s[8:9]", notes + back, m);
    BOOST_TEST((fetch.code == 3 && fetch.says("lyra/fault/instruction-fetch")), m << fetch.err);
  }
  for (const char* m : {"--machine cu", "--machine cu --set chaos.seed=7"}) { // the wave has ended when the answer comes
    const auto late = run_with_handler(access + "s_endpgm", notes + back, m);
    BOOST_TEST((late.code == 3 && late.says("lyra/fault/memory-violation")), m << late.err);
  }
}

BOOST_AUTO_TEST_CASE(an_exception_that_the_handler_does_not_clear_brings_the_wave_back) {
  // clears TRAPSTS only at the third entry
  const std::string handler = "s_add_u32 s20, s20, 1\ns_mov_b32 s22, ttmp0\ns_cmp_lt_u32 s20, 3\ns_cbranch_scc1 back\ns_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0\nback:\n" + back;
  for (const auto& m : all_modes()) {
    const auto v = run_with_handler(begin + nowhere + "global_load_dword v3, v[1:2], off\ns_waitcnt vmcnt(0)\n" + store("s20") + "s_endpgm", handler, m);
    BOOST_TEST_REQUIRE(v.code == 0, m << v.err);
    BOOST_TEST(v.data.at(0) == 3u, m);
    const auto f = run_with_handler(begin + "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4\nv_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1\n" + store("s20") + "s_endpgm", handler, m);
    BOOST_TEST_REQUIRE(f.code == 0, m << f.err);
    BOOST_TEST(f.data.at(0) == 3u, m);
    const auto later = run_with_handler(begin + "v_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4\ns_nop 0\n" + store("s20") + "s_endpgm", handler, m);
    BOOST_TEST(later.data.at(0) == 3u, m); // the division is sticky: enabled later it leads into the handler too
  }
}

BOOST_AUTO_TEST_CASE(trapsts_tells_translation_from_alignment_and_from_no_aperture) {
  const std::string waits = "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  const struct { const char* name; std::string access; uint32_t bits; } list[] = {
      {"atomic off its size", "v_mov_b32_e32 v1, s0\nv_mov_b32_e32 v2, s1\nv_add_u32_e32 v1, 2, v1\nglobal_atomic_add v[1:2], v1, off\n", mem_viol},
      {"no aperture", "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 0x30000\nflat_load_dword v3, v[1:2]\n", mem_viol},
      {"beyond the LDS", "v_mov_b32_e32 v1, 0x8000\nv_mov_b32_e32 v2, 0x10000\nflat_load_dword v3, v[1:2]\n", mem_viol},
      {"unmapped page", nowhere + "global_store_dword v[1:2], v1, off\n", mem_viol | xnack_error},
  };
  for (const auto& t : list)
    for (const auto& m : all_modes()) {
      const auto o = run_with_handler(begin + t.access + waits + results + "s_endpgm", notes + back, m, [](job& j) { j.lds = 512; });
      BOOST_TEST_REQUIRE(o.code == 0, t.name << m << o.err);
      BOOST_TEST(o.data.at(0) == 1u, t.name << m);
      BOOST_TEST(o.data.at(1) == t.bits, t.name << m);
    }
}

BOOST_AUTO_TEST_CASE(counters_and_order_survive_a_violation_of_every_path) {
  // good and bad accesses mixed: all that is good happens, every wait ends, one entry or more
  const std::string body = begin + nowhere + "v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 5\nv_lshlrev_b32_e32 v8, 2, v0\nds_write_b32 v8, v0\ns_mov_b32 m0, 0x10000\n"
                                             "global_store_dword v6, v7, s[0:1] offset:40\nglobal_load_dword v3, v[1:2], off\nflat_load_dword v4, v[1:2]\nglobal_store_dword v[1:2], v7, off\nglobal_atomic_add v5, v[1:2], v7, off glc\n"
                                             "global_load_dword v9, v6, s[0:1] offset:40\nglobal_load_dword v[1:2], off lds\nds_read_b32 v10, v8\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32_e32 v9, v9, v10\n" +
                           store("s20") + "global_store_dword v8, v9, s[0:1] offset:64\ns_waitcnt vmcnt(0)\ns_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, notes + back, m, [](job& j) { j.lds = 1024; j.out_dwords = 128; });
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) >= 1u, m);
    for (unsigned l = 0; l < 64; ++l) BOOST_TEST(o.data.at(16 + l) == 5u + l, m << " lane " << l);
  }
}

BOOST_AUTO_TEST_CASE(a_wave_at_a_barrier_traps_when_the_others_have_come) {
  const std::string body = begin + "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz second\n" + nowhere + "global_load_dword v3, v[1:2], off\ns_barrier\ns_waitcnt vmcnt(0)\n" + store("s20") + "s_endpgm\nsecond:\ns_sleep 100\ns_barrier\n" + store("s20", 4) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, notes + back, m, [](job& j) { j.grid[0] = j.group[0] = 128; });
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) == 1u, m);
    BOOST_TEST(o.data.at(1) == 0u, m); // each wave has its own
  }
}

BOOST_AUTO_TEST_CASE(an_illegal_instruction_leads_into_the_handler_with_its_own_pc) {
  const std::string handler = notes + "s_add_u32 ttmp0, ttmp0, 4\ns_addc_u32 ttmp1, ttmp1, 0\n" + back;
  const std::string body = begin + "s_movk_i32 s25, 1\n.long 0xbeffff00\ns_add_u32 s25, s25, 1\n" + results + store("s25", 20) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, handler, m);
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) == 1u, m);
    BOOST_TEST(o.data.at(1) == illegal_inst, m);
    BOOST_TEST(o.data.at(2) == 4u, m);
    BOOST_TEST((o.data.at(3) & ~0xffffu) == 0u, m);
    BOOST_TEST(o.data.at(5) == 2u, m);
    const auto plain = job(body).run(m);
    BOOST_TEST((plain.code == 3 && plain.says("lyra/fault/illegal-instruction")), m);
    const auto inside = run_with_handler(body, ".long 0xbeffff00\n", m); // nobody handles the handler's own
    BOOST_TEST((inside.code == 3 && inside.says("lyra/fault/illegal-instruction")), m << inside.err);
  }
}

BOOST_AUTO_TEST_CASE(mode_debug_traps_behind_every_instruction) {
  // the handler sums the PCs; a store, a wait, a taken branch and a skipped instruction on the way
  const std::string handler = "s_add_u32 s20, s20, 1\ns_sub_u32 s22, ttmp0, s12\ns_add_u32 s21, s21, s22\ns_nop 0\ns_rfe_b64 ttmp[0:1]\n";
  const std::string body = "s_mov_b32 s21, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 9\n" + begin +
                           "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\n" // 0, 8 bytes: what it sets counts from the next instruction on
                           "s_mov_b32 s25, 3\n"                                 // 8 -> 12
                           "global_store_dword v6, v7, s[0:1] offset:32\n"     // -> 20
                           "s_waitcnt vmcnt(0)\n"                              // -> 24
                           "s_branch there\n"                                  // -> 32
                           "s_mov_b32 s25, 4\n"
                           "there:\ns_nop 0\n"                                 // -> 36
                           "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 0\n" // none behind
                           "s_nop 0\n" + store("s20") + store("s21", 4) + store("s25", 8) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, handler, m);
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) == 5u, m);
    BOOST_TEST(o.data.at(1) == 12u + 20 + 24 + 32 + 36, m);
    BOOST_TEST(o.data.at(2) == 3u, m);
    BOOST_TEST(o.data.at(8) == 9u, m);
    BOOST_TEST(job(body).good(m).data.at(0) == 0u, m); // only where TRAP_EN is set
  }
}

BOOST_AUTO_TEST_CASE(a_program_can_ask_for_its_own_save_context_trap) {
  const std::string body = begin + "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 1\ns_nop 0\ns_nop 0\ns_nop 0\n" + results + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, notes + back, m);
    BOOST_TEST_REQUIRE(o.code == 0, m << o.err);
    BOOST_TEST(o.data.at(0) == 1u, m);
    BOOST_TEST(o.data.at(1) == save_context, m);
    BOOST_TEST((o.data.at(2) >= 8u && o.data.at(2) <= 16u), m); // behind it, at most two instructions later (ISA 3.10.1)
    BOOST_TEST(!o.says("lyra/hazard"), o.err);
  }
}

BOOST_AUTO_TEST_CASE(halt_counts_from_the_return_of_the_handler_on) {
  const std::string body = begin + "s_trap 7\n" + store("s20", 4) + "s_endpgm";
  const std::string next = "s_add_u32 ttmp0, ttmp0, 4\ns_addc_u32 ttmp1, ttmp1, 0\n";
  const std::string set_halt[] = {"s_sethalt 1\n", "s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 13, 1), 1\ns_nop 1\n", "s_sendmsghalt sendmsg(MSG_INTERRUPT)\n"};
  for (const auto& m : all_modes())
    for (const auto& halt : set_halt) {
      // the handler goes on though HALT is set: it stores, then returns, and the wave halts
      const auto o = run_with_handler(body, halt + "s_mov_b32 s20, 6\n" + store("s20") + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + next + back, m);
      BOOST_TEST(o.code == 3, m << halt << o.err);
      BOOST_TEST(o.says("halted"), m << o.err);
      const auto again = run_with_handler(body, halt + "s_mov_b32 s20, 6\ns_sethalt 0\ns_waitcnt lgkmcnt(0)\n" + next + back, m);
      BOOST_TEST_REQUIRE(again.code == 0, m << halt << again.err);
      BOOST_TEST(again.data.at(1) == 6u, m);
    }
}

BOOST_AUTO_TEST_CASE(entries_of_the_handler_are_counted) {
  const std::string handler = "s_add_u32 ttmp0, ttmp0, 4\ns_addc_u32 ttmp1, ttmp1, 0\n" + back;
  for (const char* m : {"--machine cu", "--machine cu --mode lt"}) {
    const auto o = run_with_handler("s_trap 1\ns_trap 4\ns_endpgm", handler, std::string(m) + " --stats /dev/stdout", [](job& j) { j.grid[0] = 128; });
    const auto at = o.out.find("\"traps\"");
    BOOST_TEST_REQUIRE(at != std::string::npos, o.out.substr(0, 400));
    BOOST_TEST(o.out.substr(at, 40).find("4") != std::string::npos, o.out.substr(at, 60)); // two waves
  }
}

BOOST_AUTO_TEST_CASE(a_level_below_the_warning_level_sets_lod_clamped_until_it_is_cleared) {
  const auto program = [](const char* lwe) {
    return job(fmt::format("s_load_dwordx8 s[8:15], s[4:5], 0x0\ns_load_dwordx4 s[16:19], s[6:7], 0x0\nv_mov_b32_e32 v1, 0.5\nv_mov_b32_e32 v2, 0.5\nv_mov_b32_e32 v3, 0\ns_waitcnt lgkmcnt(0)\n"
                           "image_sample_l v4, v[1:3], s[8:15], s[16:19] dmask:0x1 {}\ns_waitcnt vmcnt(0)\ns_getreg_b32 s20, hwreg(HW_REG_MODE, 10, 1)\n"
                           "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 10, 1), 0\ns_nop 1\ns_getreg_b32 s21, hwreg(HW_REG_MODE, 10, 1)\n", lwe) + store("s20") + store("s21", 4) + "s_endpgm");
  };
  for (const auto& [lwe, warn, want] : {std::tuple<const char*, const char*, uint32_t>{"lwe", "1.0", 1}, {"lwe", "0", 0}, {"", "1.0", 0}})
    for (const auto& m : all_modes()) {
      job j = program(lwe);
      j.more_buffers = fmt::format("[image.i]\ntype = \"2d\"\nwidth = 16\nheight = 16\nlevels = 3\nformat = \"8_8_8_8 unorm\"\nmin_lod_warn = {}\n[sampler.s]\nmip = \"point\"\n", warn);
      j.more_sgprs = {"{image_lo=\"i\"}", "{image_hi=\"i\"}", "{sampler_lo=\"s\"}", "{sampler_hi=\"s\"}"};
      const auto o = j.run(m);
      BOOST_TEST_REQUIRE(o.code == 0, o.err);
      BOOST_TEST(o.data.at(0) == want, m << lwe << warn);
      BOOST_TEST(o.data.at(1) == 0u, m);
    }
}
