// SPDX-License-Identifier: Apache-2.0
// Every row of the ISA's table of manually inserted wait states (4.5, 3.9): a program without them is reported, names both instructions and the missing count,
// and with hazards=model gets the stale value; with them it is clean and gets the new one.
#include "support/program.h"
#include "support/systemc_test.h"
#include <fmt/format.h>

using namespace program;

namespace {

std::vector<std::string> both_modes() { return {"--machine cu", "--machine cu --mode lt"}; }

struct row {
  const char* before;   ///< everything in front of the producer
  const char* producer;
  unsigned states;      ///< that the rule asks for
  const char* consumer;
  const char* result;   ///< puts what the consumer saw into v31; empty: nothing can be seen
  uint32_t fresh, stale;
  const char* producer_text; ///< as the report names them
  bool always = false;  ///< the stale value comes whatever `hazards` is
};

/// `missing` of the rule's states are left out.
std::string text(const row& r, unsigned missing) {
  std::string nops;
  if (r.states > missing) nops = fmt::format("s_nop {}\n", r.states - missing - 1);
  return fmt::format("v_mov_b32_e32 v29, 0\nv_mov_b32_e32 v31, 0\n{}\ns_nop 7\n.p2align 6\n{}\n{}{}\ns_nop 7\n{}\ns_mov_b64 exec, 1\ns_nop 7\nglobal_store_dword v29, v31, s[0:1]\ns_endpgm", r.before, r.producer, nops, r.consumer, r.result);
}

void check(const row& r, const std::string& more = "") {
  const std::string what = std::string(r.producer) + " -> " + r.consumer;
  for (unsigned missing : {r.states, 1u}) {
    job bad(text(r, missing));
    bad.lds = 1024;
    bad.sgprs = 102;
    bad.out_dwords = 256;
    for (const auto& m : both_modes()) {
      const auto o = bad.run(m + more);
      BOOST_TEST(o.code == 0, what << " " << m << "\n" << o.err);
      BOOST_TEST((o.says("lyra/hazard/wait-states") && o.says(fmt::format("{} wait state{} missing", missing, missing > 1 ? "s" : "")) && o.says(r.producer_text)), what << " " << missing << " missing, " << m << "\n" << o.err);
      if (*r.result) BOOST_TEST(o.data.at(0) == (r.always ? r.stale : r.fresh), what << " reported only, " << m);
      const auto stale = bad.run(m + more + " --set hazards=model");
      BOOST_TEST(stale.says("lyra/hazard/wait-states"), what);
      if (*r.result) BOOST_TEST(stale.data.at(0) == r.stale, what << " " << missing << " missing, stale, " << m);
    }
    BOOST_TEST(bad.run("--machine cu --set hazards=error" + more).code == 3, what);
    BOOST_TEST(bad.run("--machine cu --set hazards=silent" + more).err.empty(), what);
  }
  job good(text(r, 0));
  good.lds = 1024;
  good.sgprs = 102;
  good.out_dwords = 256;
  for (const auto& m : both_modes())
    for (const char* model : {"", " --set hazards=model"}) {
      const auto o = good.good(m + more + model);
      if (*r.result) BOOST_TEST(o.data.at(0) == r.fresh, what << " with wait states, " << m << model);
    }
}

const char* const move_s10 = "v_mov_b32_e32 v31, s10";

} // namespace

BOOST_AUTO_TEST_CASE(setreg_to_getreg_and_setreg_of_the_same_register) {
  check({"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", 2, "s_getreg_b32 s10, hwreg(HW_REG_MODE, 0, 4)", move_s10, 0, 5, "s_setreg_imm32_b32"});
  check({"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3", 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1",
         "s_getreg_b32 s10, hwreg(HW_REG_MODE, 0, 4)\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\nv_mov_b32_e32 v31, s10", 7, 4, "s_setreg_imm32_b32"});
}
BOOST_AUTO_TEST_CASE(setvskip_to_getreg_of_mode) {
  check({"s_movk_i32 s11, 1", "s_setvskip s11, 0", 2, "s_getreg_b32 s10, hwreg(HW_REG_MODE, 28, 1)", "s_setvskip s11, 5\ns_nop 2\nv_mov_b32_e32 v31, s10", 1, 0, "s_setvskip"});
}
BOOST_AUTO_TEST_CASE(setreg_of_vskip_to_a_vector_instruction) {
  check({"v_mov_b32_e32 v30, 1", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", 2, "v_mov_b32_e32 v30, 2", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\ns_nop 7\nv_mov_b32_e32 v31, v30", 1, 2, "s_setreg_imm32_b32"});
}
BOOST_AUTO_TEST_CASE(vector_write_of_vcc_or_exec_to_its_summary_bit_as_operand) {
  check({"s_mov_b64 vcc, -1", "v_cmp_ne_u32_e32 vcc, v0, v0", 5, "v_mov_b32_e32 v30, src_vccz", "v_mov_b32_e32 v31, v30", 1, 0, "v_cmp_ne_u32_e32"});
  check({"v_mov_b32_e32 v30, 1\ns_mov_b64 exec, 0", "v_readfirstlane_b32 exec_lo, v30", 5, "v_mov_b32_e32 v31, src_execz", "", 0, 1, "v_readfirstlane_b32"});
}
BOOST_AUTO_TEST_CASE(vector_write_of_an_sgpr_to_a_lane_select) {
  check({"s_movk_i32 s10, 5\nv_mov_b32_e32 v30, 9", "v_readfirstlane_b32 s10, v30", 4, "v_readlane_b32 s11, v0, s10", "v_mov_b32_e32 v31, s11", 9, 5, "v_readfirstlane_b32"});
  check({"s_movk_i32 s10, 5\nv_mov_b32_e32 v30, 9\nv_mov_b32_e32 v28, 1", "v_readfirstlane_b32 s10, v30", 4, "v_writelane_b32 v28, 7, s10", "v_readlane_b32 s11, v28, 9\nv_mov_b32_e32 v31, s11", 7, 1, "v_readfirstlane_b32"});
}
BOOST_AUTO_TEST_CASE(vector_write_of_vcc_to_div_fmas) {
  check({"s_mov_b64 vcc, 0\nv_mov_b32_e32 v30, 1.0\nv_mov_b32_e32 v28, 0", "v_cmp_eq_u32_e32 vcc, v0, v0", 4, "v_div_fmas_f32 v31, v30, v30, v28", "v_mov_b32_e32 v31, v31", 0x1f800000, 0x3f800000, "v_cmp_eq_u32_e32"});
}
BOOST_AUTO_TEST_CASE(wide_store_to_a_vector_write_of_its_data) {
  const char* prepare = "v_mov_b32_e32 v4, 1\nv_mov_b32_e32 v5, 2\nv_mov_b32_e32 v6, 3\nv_mov_b32_e32 v7, 4\nv_lshlrev_b32_e32 v3, 4, v0\nv_add_u32_e32 v3, 0x100, v3\ns_mov_b64 exec, 1";
  check({prepare, "global_store_dwordx4 v3, v[4:7], s[0:1]", 1, "v_mov_b32_e32 v6, 99", "s_waitcnt vmcnt(0)\nglobal_load_dword v31, v29, s[0:1] offset:264 glc\ns_waitcnt vmcnt(0)", 3, 99, "global_store_dwordx4", true});
  // the first two dwords are read at issue
  check({prepare, "global_store_dwordx4 v3, v[4:7], s[0:1]", 1, "v_mov_b32_e32 v4, 99", "s_waitcnt vmcnt(0)\nglobal_load_dword v31, v29, s[0:1] offset:256 glc\ns_waitcnt vmcnt(0)", 1, 1, "global_store_dwordx4"});
  job narrow("v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 1\nv_mov_b32_e32 v5, 1\nglobal_store_dwordx2 v3, v[4:5], s[0:1]\nv_mov_b32_e32 v4, 2\ns_endpgm"); // 64 bits need none
  narrow.good();
}
BOOST_AUTO_TEST_CASE(vector_write_of_an_sgpr_to_vector_memory) {
  const char* prepare = "v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 8\nv_mov_b32_e32 v5, 21\nv_mov_b32_e32 v6, 22\ns_mov_b64 exec, 1\nglobal_store_dword v3, v5, s[0:1] offset:512\nglobal_store_dword v3, v6, s[0:1] offset:520\ns_waitcnt vmcnt(0)\n"
                        "s_add_u32 s12, s0, 512\ns_addc_u32 s13, s1, 0\nv_mov_b32_e32 v7, s12\nv_add_u32_e32 v7, 8, v7";
  check({prepare, "v_readfirstlane_b32 s12, v7", 5, "global_load_dword v31, v3, s[12:13]", "s_waitcnt vmcnt(0)", 22, 21, "v_readfirstlane_b32"});
}
BOOST_AUTO_TEST_CASE(scalar_write_of_m0_to_gds_and_messages) {
  // M0[31:16] is the base of GDS accesses, M0[15:0] their size
  const char* prepare = "v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v5, 31\nv_mov_b32_e32 v6, 32\ns_mov_b64 exec, 1\ns_mov_b32 m0, 0x00001000\ns_nop 1\nds_write_b32 v3, v5 gds\ns_waitcnt lgkmcnt(0) expcnt(0)\ns_mov_b32 m0, 0x01001000\ns_nop 1\nds_write_b32 v3, v6 gds\n"
                        "s_waitcnt lgkmcnt(0) expcnt(0)\ns_mov_b32 m0, 0x00001000";
  check({prepare, "s_mov_b32 m0, 0x01001000", 1, "ds_read_b32 v31, v3 gds", "s_waitcnt lgkmcnt(0) expcnt(0)", 32, 31, "s_mov_b32 m0"});
  check({"s_mov_b32 m0, 0", "s_mov_b32 m0, 1", 1, "s_ttracedata", "", 0, 0, "s_mov_b32 m0"});
}
BOOST_AUTO_TEST_CASE(vector_write_of_a_vgpr_to_dpp) {
  check({"v_mov_b32_e32 v4, 11\nv_mov_b32_e32 v5, 0", "v_mov_b32_e32 v4, 12", 2, "v_mov_b32_dpp v31, v4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "", 12, 11, "v_mov_b32_e32 v4, 12"});
  // the destination may be the source: lanes that are not written keep the new value
  check({"v_mov_b32_e32 v4, 11", "v_mov_b32_e32 v4, 12", 2, "v_add_u32_dpp v4, v4, v4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "v_mov_b32_e32 v31, v4", 24, 23, "v_mov_b32_e32 v4, 12"});
  check({"v_mov_b32_e32 v4, 11", "v_mov_b32_e32 v4, 12", 2, "v_add_u32_dpp v4, v4, v4 quad_perm:[0,1,2,3] row_mask:0xe bank_mask:0xf", "v_mov_b32_e32 v31, v4", 12, 12, "v_mov_b32_e32 v4, 12"});
}
BOOST_AUTO_TEST_CASE(vector_write_of_exec_to_dpp) {
  check({"v_mov_b32_e32 v4, 7\nv_mov_b32_e32 v5, 1", "v_cmpx_lt_u32_e32 vcc, 31, v0", 5, "v_mov_b32_dpp v5, v4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "s_mov_b64 exec, -1\nv_mov_b32_e32 v31, v5", 1, 7, "v_cmpx_lt_u32_e32"});
}
BOOST_AUTO_TEST_CASE(vcc_written_by_name_and_read_by_number) {
  check({"s_mov_b64 vcc, 5", "v_cmp_ne_u32_e32 vcc, v0, v0", 1, "v_mov_b32_e32 v31, vcc_lo", "", 0, 5, "v_cmp_ne_u32_e32"}, " --set hazards.vcc_alias=1");
}
BOOST_AUTO_TEST_CASE(compiled_pairs_on_vcc_are_no_finding) { // a ballot and a mask, as clang writes them
  job code("v_mov_b32_e32 v29, 0\nv_mov_b32_e32 v30, 6\ns_mov_b64 vcc, 0\ns_nop 7\nv_cmp_gt_u32_e32 vcc, 3, v0\nv_and_b32_e32 v31, vcc_lo, v30\ns_mov_b64 exec, 1\nglobal_store_dword v29, v31, s[0:1]\ns_endpgm");
  for (const auto& m : both_modes())
    for (const char* model : {"", " --set hazards=error", " --set hazards=model"}) BOOST_TEST(code.good(m + model).data.at(0) == 6u);
}
BOOST_AUTO_TEST_CASE(scalar_write_of_m0_to_lds_accesses_that_use_it) {
  const char* prepare = "v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 41\nv_mov_b32_e32 v5, 42\ns_mov_b64 exec, 1\nds_write_b32 v3, v4\nds_write_b32 v3, v5 offset:512\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0";
  check({prepare, "s_mov_b32 m0, 512", 1, "ds_read_addtid_b32 v31", "s_waitcnt lgkmcnt(0)", 42, 41, "s_mov_b32 m0"});
}
BOOST_AUTO_TEST_CASE(scalar_write_of_m0_to_lds_direct) {
  check({"v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 41\nv_mov_b32_e32 v5, 42\nds_write_b32 v3, v4\nds_write_b32 v3, v5 offset:512\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0x20000", "s_mov_b32 m0, 0x20200", 1, "v_mov_b32_e32 v31, src_lds_direct", "", 42, 41, "s_mov_b32 m0"});
}
BOOST_AUTO_TEST_CASE(scalar_write_of_m0_to_movrel) {
  check({"s_movk_i32 s10, 1\ns_movk_i32 s11, 2\ns_mov_b32 m0, 0", "s_mov_b32 m0, 1", 1, "s_movrels_b32 s12, s10", "v_mov_b32_e32 v31, s12", 2, 1, "s_mov_b32 m0"});
  check({"s_movk_i32 s10, 1\ns_movk_i32 s11, 2\ns_mov_b32 m0, 0", "s_mov_b32 m0, 1", 1, "s_movreld_b32 s10, 9", "v_mov_b32_e32 v31, s11", 9, 2, "s_mov_b32 m0"});
}
BOOST_AUTO_TEST_CASE(scalar_write_of_vcc_by_number_to_a_branch_on_vccz) {
  check({"s_mov_b64 vcc, -1\ns_movk_i32 s10, 0\ns_mov_b32 s11, 0\ns_mov_b32 m0, 6", "s_movreld_b64 s[100:101], 0", 1, "s_cbranch_vccz 1\ns_movk_i32 s10, 1", "v_mov_b32_e32 v31, s10", 0, 1, "s_movreld_b64"});
}
BOOST_AUTO_TEST_CASE(setreg_of_trapsts_to_rfe) {
  for (unsigned missing : {0u, 1u}) {
    job code("s_trap 7\ns_endpgm");
    job trap(fmt::format("s_add_u32 ttmp0, ttmp0, 4\ns_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0\n{}s_rfe_b64 ttmp[0:1]\n", missing ? "" : "s_nop 0\n"));
    code.more_files = {{"handler.bin", slurp(trap.folder() / "a.bin")}};
    code.more_buffers = "[buffer.handler]\nfile = \"handler.bin\"\nsize = 4096\n";
    code.more_dispatch = "trap_handler = {buffer = \"handler\"}\n";
    for (const auto& m : both_modes()) {
      const auto o = code.run(m + " --set hazards=model");
      BOOST_TEST(o.code == 0, o.err);
      BOOST_TEST(o.says("1 wait state missing behind 's_setreg_imm32_b32") == (missing != 0), o.err);
    }
  }
}
BOOST_AUTO_TEST_CASE(a_call_gives_time_and_another_branch_one_state) {
  const std::string load = "\ns_nop 7\nv_mov_b32_e32 v29, 0\nv_readfirstlane_b32 s10, v2\nv_readfirstlane_b32 s11, v3\n", use = "global_load_dword v31, v29, s[10:11]\ns_waitcnt vmcnt(0)\nglobal_store_dword v29, v31, s[0:1] offset:4\ns_endpgm";
  const std::string prepare = "v_mov_b32_e32 v2, s0\nv_mov_b32_e32 v3, s1\ns_getpc_b64 s[12:13]\nhere:\ns_add_u32 s12, s12, target-here\ns_addc_u32 s13, s13, 0";
  for (const auto& [jump, clean] : {std::pair{"s_setpc_b64 s[12:13]", true}, {"s_swappc_b64 s[14:15], s[12:13]", true}, {"s_call_b64 s[14:15], target", true}, {"s_branch target", false}}) {
    job code(prepare + load + jump + "\ns_endpgm\ntarget:\n" + use);
    code.sgprs = 40;
    for (const auto& m : both_modes()) {
      const auto o = code.run(m);
      BOOST_TEST(o.code == 0, jump << "\n" << o.err);
      BOOST_TEST(o.says("lyra/hazard/wait-states") != clean, jump << " " << m << "\n" << o.err);
    }
  }
}
