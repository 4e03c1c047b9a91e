// SPDX-License-Identifier: Apache-2.0
// Vector and scalar ALUs, branches, waits.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string clrx = "CLRX GcnTimings", gcn = "GCN1-3", clpeak = "clpeak issue 103", seven = "Radeon VII, 1801 MHz";

/// One wave: clocks an instruction.
benchmark& lone(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) {
  return clocks_row(rows, std::move(name), std::move(meaning), std::move(kernel)).one_wave();
}
/// Four waves on each SIMD: clocks an instruction of a SIMD.
benchmark& rate(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) { return lone(rows, std::move(name), std::move(meaning), std::move(kernel)).cu(4, 256).as(figure::simd); }

} // namespace

void add_alu(std::vector<benchmark>& rows) {
  using c = confidence;
  rate(rows, "valu.add_f32", "v_add_f32", "valu_add_f32").published(4, c::vendor, "GCN white paper: 64 lanes on 16", "GCN");
  lone(rows, "valu.dependent", "v_add_f32 that needs the one before, one wave", "valu_dependent").published(4, c::measured, clrx, gcn).also("gfx950: 8");
  rate(rows, "valu.literal", "v_add_f32 with a literal (two dwords)", "valu_literal").published(4, c::measured, clrx, "GCN1.2");
  rate(rows, "valu.exec_zero", "v_add_f32 with EXEC = 0: takes as long", "valu_exec_zero").published(4, c::vendor, "Vega ISA: not skipped", "Vega");
  rate(rows, "valu.fma_f32", "v_fma_f32", "valu_fma_f32").published(4.04, c::measured, clpeak + ": 13.7 TF", seven);
  rate(rows, "valu.pk_fma_f16", "v_pk_fma_f16", "valu_pk_fma_f16").published(4.15, c::measured, clpeak + ": 26.7 TF, 1.95 times f32", seven);
  for (const char* op : {"exp_f32", "rcp_f32", "rsq_f32", "sin_f32", "sqrt_f16", "mul_hi_u32", "mad_u64_u32", "div_scale_f32", "div_fmas_f32", "div_fixup_f32", "qsad", "mqsad"})
    rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).published(16, c::measured, clrx, gcn);
  // 32-bit multiplication: clpeak's kernel becomes v_mul_lo_u32 and v_add_u32 by turns (clang 14, gfx906); vkpeak's likewise
  const auto pair = [&](const char* machines, double low, double high, const char* from, const char* chip) -> benchmark& { return rate(rows, "valu.int_pair", "v_mul_lo_u32 and v_add_u32, dependent", "valu_int_pair").only(machines).published(low, high, c::measured, from, chip); };
  pair("vega10 cu", 20.9, 20.9, "vkpeak issue 1: 2189 GIOPS, 11453 GFLOPS", "RX Vega 64").because("predicted: CLRX's 16 and 4");
  pair("vega20", 12.0, 12.2, "clpeak: MI50 4242 GIOPS, 12713 GFLOPS; Radeon VII 4537 GIOPS", "MI50, Radeon VII").because("fitted: cu.valu_mul_lo_cycles to MI50's (12.0); Radeon VII, another compiler, has 12.2");
  pair("mi100", 12.1, 12.1, "clpeak results: 7380 GIOPS, 22284 GFLOPS", "MI100").because("predicted: cu.valu_mul_lo_cycles of MI50");
  for (const auto& [machines, low, high] : {std::tuple{"vega20", 8.0, 8.2}, {"mi100", 8.1, 8.1}})
    rate(rows, "valu.mul_lo_u32", "v_mul_lo_u32", "valu_mul_lo_u32").only(machines).published(low, high, c::inferred, "clpeak: valu.int_pair less the addition's 4", "MI50, Radeon VII, MI100").also("CLRX, GCN1-3: 16");
  rate(rows, "valu.mul_lo_u32", "v_mul_lo_u32", "valu_mul_lo_u32").only("vega10 cu").published(16, c::measured, clrx, gcn);
  rate(rows, "valu.mul_u24", "v_mul_u32_u24", "valu_mul_u24").published(4.2, c::inferred, clpeak + ": int24", seven).because("clpeak's factors do not change: its compiler may have left additions only");
  rate(rows, "valu.mad_u24", "v_mad_u32_u24", "valu_mad_u24").published(4.2, c::inferred, clpeak + ": int24", seven).because("as valu.mul_u24");
  struct part { const char* machines; const char* text; double d; };
  for (const auto& p : {part{"vega10 cu", "1/16 rate: D = 8", 8}, part{"vega20", "1/4 rate: D = 2", 2}, part{"mi100", "1/2 rate: D = 1", 1}}) {
    for (const char* op : {"add_f64", "cvt_f64", "cmp_f64", "max_f64", "lshl_b64"})
      rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).loops(2).published(4 * p.d, c::measured, clrx + ": 4 D", p.text).only(p.machines);
    for (const char* op : {"mul_f64", "fma_f64", "rcp_f64"})
      rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).loops(2).published(8 * p.d, c::measured, clrx + ": 8 D", p.text).only(p.machines);
  }
  rate(rows, "valu.fma_f64_flops", "v_fma_f64 as FLOPS", "valu_fma_f64").only("vega20").published(16.1, c::measured, clpeak + ": 3.43 TF", seven);
  rate(rows, "valu.fma_f64_flops", "v_fma_f64 as FLOPS", "valu_fma_f64").only("vega10 cu").published(66.7, c::measured, "vkpeak issue 1: 687 GFLOPS where f32 has 11453", "RX Vega 64").loops(2);
  rate(rows, "valu.fma_f64_flops", "v_fma_f64 as FLOPS", "valu_fma_f64").only("mi100").published(8.0, 8.2, c::measured, "clpeak results: 11120 GFLOPS where f32 has 22284", "MI100");
  rate(rows, "valu.swap", "v_swap_b32", "valu_swap").published(8, c::measured, clrx, gcn);
  rate(rows, "valu.dpp", "v_mov_b32 row_shr:1", "valu_dpp").published(14.4, 15, c::measured_low, "wiki-gfx906: 1778 Gexchanges/s", "gfx906, 1725 MHz")
      .unjudged("its loop is not published, and holds more than the move: at 15 clk it would be 4 instructions");
  lone(rows, "salu.add", "s_add_u32, one wave", "salu_add").published(4, c::measured, clrx, gcn);
  lone(rows, "salu.dependent", "s_add_u32 that needs the one before, one wave", "salu_dependent").published(4, c::measured, clrx, gcn);
  lone(rows, "salu.saveexec", "s_or_saveexec_b64, one wave", "salu_saveexec").published(8, c::measured, clrx, gcn);
  lone(rows, "salu.setreg", "s_setreg_imm32_b32, one wave", "salu_setreg").published(8, c::measured, clrx, gcn);
  {
    // CLRX: a 16-cycle delay between a vector operation and the scalar one behind it; its tables call the 4 cycles of a plain instruction its delay
    auto& b = lone(rows, "salu.after_valu", "vector instruction that writes an SGPR to the scalar one that reads it", "valu_to_salu").published(16, c::measured, clrx, gcn);
    measurement scalar = b.measurement;
    scalar.kernel = "salu_of_pair";
    b.minus(scalar);
    auto& extra = lone(rows, "salu.after_valu_extra", "the same, more than an independent pair takes", "valu_to_salu").published(16, c::measured, clrx + ", read as time on top of the vector instruction's 4", gcn).unjudged("the other reading of the source: see salu.after_valu");
    measurement without = extra.measurement;
    without.kernel = "valu_and_salu";
    extra.minus(without);
  }
  lone(rows, "branch.not_taken", "s_cbranch, not taken, one wave", "branch_not_taken").published(4, c::measured, clrx, gcn);
  lone(rows, "branch.taken", "s_branch to the next instruction, one wave", "branch_taken").published(20, c::measured, clrx + " (author unsure)", gcn);
  {
    auto& b = lone(rows, "branch.after_flag", "s_cbranch after the compare that sets its flag: extra clocks", "branch_after_flag").published(4, c::measured, clrx, gcn);
    measurement without = b.measurement;
    without.kernel = "other_after_flag";
    b.minus(without);
  }
  lone(rows, "control.nop_1", "s_nop 0, one wave", "control_nop_1").published(4, c::vendor, "Vega ISA; CLRX", "Vega");
  lone(rows, "control.nop_8", "s_nop 7: eight wait states", "control_nop_8").published(32, c::vendor, "Vega ISA; CLRX", "Vega");
  lone(rows, "control.sleep_1", "s_sleep 1", "control_sleep_1").published(64, c::vendor, "Vega ISA; CLRX: about 64 n", "Vega");
  lone(rows, "control.sleep_15", "s_sleep 15", "control_sleep_15").published(960, c::vendor, "Vega ISA; CLRX: about 64 n", "Vega");
  // the document's ten waves are those of the one SIMD that has its turn in a clock
  rate(rows, "control.vskip", "vector instructions skipped in a turn of one SIMD, 10 waves", "skip_vector_simd").cu(10, 256).counting("vskipped").as(figure::rate_simd).published(10, c::vendor, "Vega ISA: up to 10 waves a clock", "Vega").unit = "1/turn";
  rate(rows, "control.vskip_cu", "the same on all four SIMDs: skipped a clock of the CU, 40 waves", "skip_vector").cu(10, 256).counting("vskipped").as(figure::rate_machine).because("fetch brings 32 bytes a clock to a CU (GCN white paper), 8 of these instructions: less than one SIMD's ten waves take").unit = "1/clk";
}

} // namespace lyra::platforms::bench
