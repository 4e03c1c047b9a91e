// SPDX-License-Identifier: Apache-2.0
// Exceptions and traps as programs see them: TRAPSTS, MODE.EXCP_EN, the trap handler, S_TRAP, S_RFE, S_SETKILL; registers beyond the allocation.
#include "compute_unit/trap_program.h"
#include "support/systemc_test.h"
#include <fmt/format.h>

using namespace program;

namespace {
const std::string read_trapsts = "s_nop 1\ns_getreg_b32 s10, hwreg(HW_REG_TRAPSTS, 0, 9)\n";
}

BOOST_AUTO_TEST_CASE(trapsts_collects_exceptions_of_active_lanes_until_it_is_cleared) {
  job j("v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1.0\nv_rcp_f32_e32 v3, v1\n" + read_trapsts + store("s10") +
        "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0\nv_sqrt_f32_e32 v3, v2\n" + read_trapsts + store("s10", 4) +
        "s_mov_b64 exec, 0\nv_rcp_f32_e32 v3, v1\ns_mov_b64 exec, -1\n" + read_trapsts + store("s10", 8) +
        "v_mov_b32_e32 v4, 0x7f7fffff\nv_add_f32_e32 v5, v4, v4\nv_rcp_iflag_f32_e32 v5, v1\n" + read_trapsts + store("s10", 12) + "s_endpgm");
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    BOOST_TEST(o.data.at(0) == 4u, m);
    BOOST_TEST(o.data.at(1) == 0u, m);
    BOOST_TEST(o.data.at(2) == 0u, m);
    BOOST_TEST(o.data.at(3) == (8u | 32u | 64u), m);
  }
  BOOST_TEST(j.good("--machine cu --set exceptions=off").data.at(3) == 0u);
}

BOOST_AUTO_TEST_CASE(an_enabled_exception_traps_behind_its_instruction_and_s_rfe_goes_on) {
  // the handler counts, keeps TRAPSTS and the trap's PC and id, clears the exception, and goes on
  const std::string handler = "s_add_u32 ttmp4, ttmp4, 1\ns_getreg_b32 ttmp5, hwreg(HW_REG_TRAPSTS, 0, 9)\ns_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0\ns_mov_b32 s20, ttmp4\ns_mov_b32 s21, ttmp5\ns_mov_b32 s22, ttmp0\ns_mov_b32 s23, ttmp1\n"
                              "s_getreg_b32 s24, hwreg(HW_REG_STATUS, 5, 2)\ns_getreg_b32 s26, hwreg(HW_REG_TMA_LO)\ns_nop 0\ns_rfe_b64 ttmp[0:1]\n";
  const std::string body = "s_getpc_b64 s[12:13]\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 5\nv_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1.0\nv_rcp_f32_e32 v3, v2\nv_rcp_f32_e32 v3, v1\nv_add_f32_e64 v4, v2, v2\n"
                           "s_getreg_b32 s25, hwreg(HW_REG_STATUS, 5, 2)\n" +
                           store("s20") + store("s21", 4) + "s_sub_u32 s22, s22, s12\n" + store("s22", 8) + store("s23", 12) + store("s24", 16) + store("s25", 20) + "v_readfirstlane_b32 s9, v4\n" + store("s9", 24) +
                           "s_sub_u32 s26, s26, s0\n" + store("s26", 28) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, handler, m);
    BOOST_TEST_REQUIRE(o.code == 0, o.err);
    BOOST_TEST(o.data.at(0) == 1u, m);             // once
    BOOST_TEST(o.data.at(1) == 4u, m);             // division by zero
    BOOST_TEST(o.data.at(2) == 8u + 4 * 4, m);     // the instruction behind
    BOOST_TEST((o.data.at(3) & ~0xffffu) == 1u << 25, m); // PC_REWIND 1, trap id 0
    BOOST_TEST(o.data.at(4) == 3u, m);             // PRIV, TRAP_EN in the handler
    BOOST_TEST(o.data.at(5) == 2u, m);
    BOOST_TEST(o.data.at(6) == 0x40000000u, m);
    BOOST_TEST(o.data.at(7) == 128u, m);
  }
}

BOOST_AUTO_TEST_CASE(an_enabled_exception_without_a_handler_is_only_recorded) {
  job j("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 127\nv_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v3, v1\n" + read_trapsts + store("s10") + "s_endpgm");
  for (const auto& m : all_modes()) BOOST_TEST(j.good(m).data.at(0) == 4u, m);
}

BOOST_AUTO_TEST_CASE(s_trap_enters_the_handler_with_its_own_pc_and_id) {
  const std::string handler = "s_mov_b32 s20, ttmp0\ns_bfe_u32 s21, ttmp1, 0x80010\ns_add_u32 ttmp0, ttmp0, 4\ns_addc_u32 ttmp1, ttmp1, 0\ns_rfe_restore_b64 ttmp[0:1], s20\n";
  const std::string body = "s_getpc_b64 s[12:13]\ns_nop 0\ns_trap 7\ns_sub_u32 s20, s20, s12\n" + store("s20") + store("s21", 4) + "s_endpgm";
  for (const auto& m : all_modes()) {
    const auto o = run_with_handler(body, handler, m);
    BOOST_TEST_REQUIRE(o.code == 0, o.err);
    BOOST_TEST(o.data.at(0) == 4u, m);
    BOOST_TEST(o.data.at(1) == 7u, m);
  }
}

BOOST_AUTO_TEST_CASE(s_trap_without_a_handler_does_nothing_but_abort_stops_the_run) {
  for (const auto& m : all_modes()) {
    const auto o = job("s_trap 7\ns_movk_i32 s10, 9\n" + store("s10") + "s_endpgm").run(m);
    BOOST_TEST(o.code == 0, m);
    BOOST_TEST(o.says("lyra/hazard/trap"), m);
    BOOST_TEST(o.data.at(0) == 9u, m);
    BOOST_TEST(job("s_trap 3\ns_endpgm").run(m).err.empty());
    const auto abort = job("s_trap 2\ns_endpgm").run(m);
    BOOST_TEST(abort.code == 3, m);
    BOOST_TEST(abort.says("lyra/fault/trap"), m);
  }
}

BOOST_AUTO_TEST_CASE(setkill_1_ends_the_wave_and_setkill_0_does_not) {
  job j("s_movk_i32 s10, 1\n" + store("s10") + "s_setkill 0\n" + store("s10", 4) + "s_waitcnt vmcnt(0)\ns_setkill 1\n" + store("s10", 8) + "s_endpgm");
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    BOOST_TEST((o.data.at(0) == 1u && o.data.at(1) == 1u && o.data.at(2) == 0u), m);
  }
}

BOOST_AUTO_TEST_CASE(vgprs_beyond_the_allocation_are_reported_with_register_and_pc) {
  for (const auto& m : all_modes()) {
    job w("v_mov_b32_e32 v40, 1\ns_endpgm");
    w.vgprs = 32;
    const auto o = w.run(m);
    BOOST_TEST(o.code == 0);
    BOOST_TEST((o.says("lyra/hazard/registers") && o.says("v_mov_b32_e32 v40, 1") && o.says("writes v40, but the wave has 32 VGPRs (v0..v31)") && o.says("at PC 0x")), m << o.err);
    job r("v_mov_b32_e32 v1, 77\nv_mov_b32_e32 v0, 5\nv_mov_b32_e32 v1, v33\nv_readfirstlane_b32 s10, v1\n" + store("s10") + "s_endpgm"); // reads v0
    const auto p = r.run(m);
    BOOST_TEST((p.says("reads v33") && p.data.at(0) == 5u), m << p.err);
    job l("v_mov_b32_e32 v1, 0\nglobal_load_dwordx4 v[29:32], v1, s[2:3]\ns_waitcnt vmcnt(0)\ns_endpgm"); // a load that only half fits does nothing
    BOOST_TEST(l.run(m).says("writes v32"), m);
    job a("v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 3\nglobal_atomic_add v32, v1, v2, s[0:1] glc\ns_waitcnt vmcnt(0)\ns_endpgm");
    const auto q = a.run(m);
    BOOST_TEST((q.says("writes v32") && q.data.at(0) == 0u), m << q.err);
    job good("v_mov_b32_e32 v31, 1\ns_endpgm");
    good.good(m);
  }
  job w("v_mov_b32_e32 v40, 1\ns_endpgm");
  BOOST_TEST(w.run("--machine cu --set registers=error").code == 3);
  BOOST_TEST(w.run("--machine cu --set registers=silent").err.empty());
}

BOOST_AUTO_TEST_CASE(sgprs_beyond_the_allocation_and_privileged_ones_are_reported) {
  for (const auto& m : all_modes()) {
    job s("s_movk_i32 s60, 7\ns_mov_b32 s10, s60\ns_sub_u32 s10, s10, s0\n" + store("s10") + "s_endpgm"); // reads s0
    s.sgprs = 48;
    const auto o = s.run(m);
    BOOST_TEST((o.says("writes s60, but the wave has 48 SGPRs") && o.says("reads s60") && o.data.at(0) == 0u), m << o.err);
    job v("v_cmp_eq_u32_e64 s[60:61], v0, v0\nv_mov_b32_e32 v1, 1\nv_add_co_u32_e64 v1, s[60:61], v1, v1\nv_readfirstlane_b32 s10, v1\n" + store("s10") + "s_endpgm"); // no destination is written
    v.sgprs = 48;
    BOOST_TEST(v.run(m).data.at(0) == 1u, m);
    job t("s_mov_b32 ttmp2, 5\ns_mov_b32 s10, ttmp2\n" + store("s10") + "s_endpgm");
    const auto p = t.run(m);
    BOOST_TEST((p.says("writes ttmp2 outside of a trap handler") && p.data.at(0) == 0u), m << p.err);
  }
}

BOOST_AUTO_TEST_CASE(indexed_registers_beyond_the_allocation_are_reported) {
  for (const auto& m : all_modes()) {
    const auto vgpr = [](unsigned index) {
      return job(fmt::format("v_mov_b32_e32 v31, 1\nv_mov_b32_e32 v28, 2\ns_movk_i32 s9, {}\ns_set_gpr_idx_on s9, 8\nv_mov_b32_e32 v20, 7\ns_set_gpr_idx_off\nv_readfirstlane_b32 s10, v28\n", index) + store("s10") + "s_endpgm");
    };
    BOOST_TEST(vgpr(8).good(m).data.at(0) == 7u, m);
    const auto o = vgpr(12).run(m);
    BOOST_TEST((o.says("writes v32 (v20 + 12 in M0), but the wave has 32 VGPRs") && o.data.at(0) == 2u), m << o.err);
    const auto read = job("v_mov_b32_e32 v0, 5\ns_movk_i32 s9, 30\ns_set_gpr_idx_on s9, 1\nv_mov_b32_e32 v8, v20\ns_set_gpr_idx_off\nv_readfirstlane_b32 s10, v8\n" + store("s10") + "s_endpgm").run(m);
    BOOST_TEST((read.says("reads v50 (v20 + 30 in M0)") && read.data.at(0) == 5u), m << read.err);
    const auto moved = job("s_movk_i32 s10, 1\ns_mov_b32 m0, 40\ns_nop 0\ns_movreld_b32 s10, s10\ns_movrels_b32 s11, s10\ns_sub_u32 s11, s11, s0\n" + store("s11") + "s_endpgm").run(m);
    BOOST_TEST((moved.says("writes s50 (s10 + 40 in M0), but the wave has 48 SGPRs") && moved.says("reads s50") && moved.data.at(0) == 0u), m << moved.err);
    job inside("s_movk_i32 s10, 6\ns_movk_i32 s11, 9\ns_mov_b32 m0, 1\ns_nop 0\ns_movrels_b32 s12, s10\ns_movreld_b32 s12, s12\n" + store("s13") + "s_endpgm");
    BOOST_TEST(inside.good(m).data.at(0) == 9u, m);
  }
}

BOOST_AUTO_TEST_CASE(status_says_valid_and_whether_there_are_other_waves) {
  job j("s_getreg_b32 s10, hwreg(HW_REG_STATUS)\n" + store("s10") + "s_endpgm");
  for (const auto& m : all_modes()) {
    j.group[0] = j.grid[0] = 64;
    BOOST_TEST((j.good(m).data.at(0) & (1u << 16 | 1u << 11 | 1u << 6)) == 1u << 16, m);
    j.group[0] = j.grid[0] = 128;
    BOOST_TEST((j.good(m).data.at(0) & (1u << 16 | 1u << 11)) == (1u << 16 | 1u << 11), m);
  }
}

BOOST_AUTO_TEST_CASE(an_export_to_null_counts_and_every_other_export_is_a_fault) {
  job null("v_mov_b32_e32 v1, 0\nexp null off, off, off, off\ns_getreg_b32 s10, hwreg(HW_REG_IB_STS, 4, 3)\ns_waitcnt expcnt(0)\ns_getreg_b32 s11, hwreg(HW_REG_IB_STS, 4, 3)\n" + store("s10") + store("s11", 4) + "s_endpgm");
  BOOST_TEST(null.good().data.at(0) == 1u);
  BOOST_TEST(null.good().data.at(1) == 0u);
  null.good("--machine cu --mode lt");
  for (const char* target : {"mrt0", "mrtz", "pos0", "param3"})
    for (const auto& m : all_modes()) {
      const auto o = job(fmt::format("v_mov_b32_e32 v1, 0\nexp {} v1, v1, v1, v1 done\ns_endpgm", target)).run(m);
      BOOST_TEST(o.code == 3, m);
      BOOST_TEST((o.says("lyra/fault/export") && o.says("at PC 0x") && o.says(target)), o.err);
    }
}

BOOST_AUTO_TEST_CASE(instructions_without_a_partner_outside_only_take_their_time) {
  job j("s_mov_b32 m0, 0\ns_nop 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_ttracedata\ns_incperflevel 1\ns_decperflevel 1\ns_wakeup\ns_setprio 2\ns_icache_inv\ns_sethalt 0\ns_waitcnt lgkmcnt(0)\ns_movk_i32 s10, 3\n" + store("s10") + "s_endpgm");
  for (const auto& m : all_modes()) BOOST_TEST(j.good(m).data.at(0) == 3u, m);
  for (const char* end : {"s_endpgm_saved", "s_endpgm_ordered_ps_done"}) {
    job e("s_movk_i32 s10, 4\n" + store("s10") + end + "\n" + store("s1") + "s_endpgm");
    for (const auto& m : all_modes()) BOOST_TEST(e.good(m).data.at(0) == 4u, m);
  }
  job halt("s_mov_b32 m0, 0\ns_nop 0\ns_sendmsghalt sendmsg(MSG_INTERRUPT)\ns_endpgm"); // nobody wakes it up again
  for (const auto& m : all_modes()) BOOST_TEST((halt.run(m).code == 3 && halt.run(m).says("halted")), m);
}
