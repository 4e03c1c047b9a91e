// SPDX-License-Identifier: Apache-2.0
// Vector and scalar ALUs, branches, waits.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string clrx = "CLRX GcnTimings", gcn = "GCN1-3", clpeak = "clpeak issue 103", seven = "Radeon VII, 1801 MHz";

/// One wave: clocks an instruction.
benchmark& lone(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) {
  benchmark b;
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  b.one_wave();
  rows.push_back(std::move(b));
  return rows.back();
}
/// Four waves on each SIMD: clocks an instruction of a SIMD.
benchmark& rate(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) { return lone(rows, std::move(name), std::move(meaning), std::move(kernel)).cu(4, 256).as(figure::simd); }

} // namespace

void add_alu(std::vector<benchmark>& rows) {
  using c = confidence;
  rate(rows, "valu.add_f32", "v_add_f32", "valu_add_f32").published(4, c::vendor, "GCN white paper: 64 lanes on 16", "GCN");
  lone(rows, "valu.dependent", "v_add_f32 that needs the one before, one wave", "valu_dependent").published(4, c::measured, clrx, gcn).also("gfx950: 8");
  rate(rows, "valu.literal", "v_add_f32 with a literal (two dwords)", "valu_literal").published(4, c::measured, clrx, "GCN1.2");
  rate(rows, "valu.fma_f32", "v_fma_f32", "valu_fma_f32").published(4.04, c::measured, clpeak + ": 13.7 TF", seven);
  rate(rows, "valu.pk_fma_f16", "v_pk_fma_f16", "valu_pk_fma_f16").published(4.15, c::measured, clpeak + ": 26.7 TF, 1.95 times f32", seven);
  for (const char* op : {"exp_f32", "rcp_f32", "rsq_f32", "sin_f32", "sqrt_f16", "mul_lo_u32", "mul_hi_u32", "mad_u64_u32", "div_scale_f32", "div_fmas_f32", "div_fixup_f32", "qsad", "mqsad"})
    rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).published(16, c::measured, clrx, gcn);
  rate(rows, "valu.int_pair", "v_mul_lo_u32 and v_add_u32, dependent", "valu_int_pair").published(12.2, c::inferred, clpeak + ": from GIOPS", seven)
      .known(70, "contradicts CLRX (16 and 4); the compiled code of the published figure is not known (multiplications by 24 bits would fit)");
  rate(rows, "valu.mul_u24", "v_mul_u32_u24", "valu_mul_u24").published(4.2, c::inferred, clpeak + ": int24", seven);
  rate(rows, "valu.mad_u24", "v_mad_u32_u24", "valu_mad_u24").published(4.2, c::inferred, clpeak + ": int24", seven);
  struct part { const char* machines; const char* text; double d; };
  for (const auto& p : {part{"vega10 cu", "1/16 rate: D = 8", 8}, part{"vega20", "1/4 rate: D = 2", 2}, part{"mi100", "1/2 rate: D = 1", 1}}) {
    for (const char* op : {"add_f64", "cvt_f64", "cmp_f64", "max_f64", "lshl_b64"})
      rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).loops(2).published(4 * p.d, c::measured, clrx + ": 4 D", p.text).only(p.machines);
    for (const char* op : {"mul_f64", "fma_f64", "rcp_f64"})
      rate(rows, std::string("valu.") + op, std::string("v_") + op, std::string("valu_") + op).loops(2).published(8 * p.d, c::measured, clrx + ": 8 D", p.text).only(p.machines);
  }
  rows.back().also("");
  rate(rows, "valu.fma_f64_flops", "v_fma_f64 against 3.43 TF", "valu_fma_f64").only("vega20").published(16.1, c::measured, clpeak, seven);
  rate(rows, "valu.swap", "v_swap_b32", "valu_swap").published(8, c::measured, clrx, gcn);
  rate(rows, "valu.dpp", "v_mov_b32 row_shr:1", "valu_dpp").published(14.4, 15, c::measured, "wiki-gfx906 (one person's)", "gfx906, 1725 MHz")
      .known(80, "the published loop holds other instructions: DPP moves are full rate by the ISA document");
  lone(rows, "salu.add", "s_add_u32, one wave", "salu_add").published(4, c::measured, clrx, gcn);
  lone(rows, "salu.dependent", "s_add_u32 that needs the one before, one wave", "salu_dependent").published(4, c::measured, clrx, gcn);
  lone(rows, "salu.saveexec", "s_or_saveexec_b64, one wave", "salu_saveexec").published(8, c::measured, clrx, gcn);
  lone(rows, "salu.setreg", "s_setreg_imm32_b32, one wave", "salu_setreg").published(8, c::measured, clrx, gcn);
  {
    auto& b = lone(rows, "salu.after_valu", "scalar use of an SGPR that a vector instruction wrote: its delay", "valu_to_salu").published(16, c::measured, clrx, gcn);
    measurement without = b.measurement;
    without.kernel = "valu_and_salu";
    b.minus(without).because("delay beyond the 4 clocks that the vector instruction takes by itself");
    b.published(12, c::measured, clrx + ": 16, of which the instruction itself takes 4", gcn);
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
  auto& skip = rate(rows, "control.vskip", "vector instructions skipped a clock of a CU, 40 waves", "skip_vector").cu(10, 256).counting("vskipped").as(figure::rate_machine).published(10, c::vendor, "Vega ISA: up to 10 waves a clock", "Vega").known(30, "reached while the buffers hold code; then fetch brings 32 bytes a clock, 8 instructions");
  skip.unit = "1/clk";
}

} // namespace lyra::platforms::bench
