// SPDX-License-Identifier: Apache-2.0
// Host time of one wave instruction (64 lanes), dispatch through the bound handler included. Not a test: prints a table.
// Arguments: "baseline" for the code without AVX2; a number of rounds.
#include "alu/wave_fixture.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace alu_test;

int main(int argc, char** argv) {
  bool baseline = false;
  long rounds = 20000;
  for (int k = 1; k < argc; ++k)
    if (std::string(argv[k]) == "baseline") baseline = true;
    else rounds = std::atol(argv[k]);
  alu::force_baseline(baseline);
  using isa::encoding;
  struct entry { const char* what; isa::instruction i; uint32_t mode; uint64_t exec; };
  std::vector<entry> list;
  auto add = [&](const char* what, isa::instruction i, uint32_t mode = 0xf0, uint64_t exec = ~0ull) { list.push_back({what, i, mode, exec}); };
  const uint64_t part = 0x00ff00ff12345678ull;
  add("v_mov_b32 v, v", make(op::v_mov_b32, encoding::VOP1, v(30), v(1)));
  add("v_mov_b32 v, s", make(op::v_mov_b32, encoding::VOP1, v(30), 5));
  add("v_add_u32 v, v, v", make(op::v_add_u32, encoding::VOP2, v(30), v(1), v(2)));
  add("v_add_u32 v, s, v", make(op::v_add_u32, encoding::VOP2, v(30), 5, v(2)));
  add("v_add_u32 exec partial", make(op::v_add_u32, encoding::VOP2, v(30), v(1), v(2)), 0xf0, part);
  add("v_add_co_u32", make(op::v_add_co_u32, encoding::VOP2, v(30), v(1), v(2)));
  add("v_addc_co_u32", make(op::v_addc_co_u32, encoding::VOP2, v(30), v(1), v(2), 106));
  add("v_lshlrev_b32", make(op::v_lshlrev_b32, encoding::VOP2, v(30), 130, v(2)));
  add("v_lshlrev_b64", make(op::v_lshlrev_b64, encoding::VOP3, v(30), 130, v(2)));
  add("v_mul_lo_u32", make(op::v_mul_lo_u32, encoding::VOP3, v(30), v(1), v(2)));
  add("v_mad_u64_u32", make(op::v_mad_u64_u32, encoding::VOP3, v(30), v(1), v(2), v(4)));
  add("v_lshl_add_u32", make(op::v_lshl_add_u32, encoding::VOP3, v(30), v(1), 130, v(2)));
  add("v_bfe_u32", make(op::v_bfe_u32, encoding::VOP3, v(30), v(1), 130, 136));
  add("v_cndmask_b32", make(op::v_cndmask_b32, encoding::VOP2, v(30), v(1), v(2), 106));
  add("v_cmp_lt_u32", make(op::v_cmp_lt_u32, encoding::VOPC, 106, v(1), v(2)));
  add("v_cmp_lt_f32", make(op::v_cmp_lt_f32, encoding::VOPC, 106, v(1), v(2)));
  add("v_add_f32", make(op::v_add_f32, encoding::VOP2, v(30), v(1), v(2)));
  add("v_add_f32 flush denormals", make(op::v_add_f32, encoding::VOP2, v(30), v(1), v(2)), 0xc0);
  add("v_mul_f32", make(op::v_mul_f32, encoding::VOP2, v(30), v(1), v(2)));
  add("v_fma_f32", make(op::v_fma_f32, encoding::VOP3, v(30), v(1), v(2), v(3)));
  add("v_fma_f32 exec partial", make(op::v_fma_f32, encoding::VOP3, v(30), v(1), v(2), v(3)), 0xf0, part);
  { auto i = make(op::v_fma_f32, encoding::VOP3, v(30), v(1), v(2), v(3)); i.neg = 1; add("v_fma_f32 -v, v, v", i); }
  add("v_mac_f32", make(op::v_mac_f32, encoding::VOP2, v(30), v(1), v(2), v(30)));
  add("v_fmac_f32", make(op::v_fmac_f32, encoding::VOP2, v(30), v(1), v(2), v(30)));
  add("v_max_f32", make(op::v_max_f32, encoding::VOP2, v(30), v(1), v(2)));
  add("v_fma_f64", make(op::v_fma_f64, encoding::VOP3, v(30), v(2), v(4), v(6)));
  add("v_fma_f16", make(op::v_fma_f16, encoding::VOP3, v(30), v(1), v(2), v(3)));
  { auto i = make(op::v_pk_fma_f16, encoding::VOP3P, v(30), v(1), v(2), v(3)); i.op_sel_hi = 7; add("v_pk_fma_f16", i); }
  { auto i = make(op::v_pk_add_u16, encoding::VOP3P, v(30), v(1), v(2)); i.op_sel_hi = 3; add("v_pk_add_u16", i); }
  add("v_cvt_f32_u32", make(op::v_cvt_f32_u32, encoding::VOP1, v(30), v(1)));
  add("v_cvt_u32_f32", make(op::v_cvt_u32_f32, encoding::VOP1, v(30), v(1)));
  add("v_cvt_f16_f32", make(op::v_cvt_f16_f32, encoding::VOP1, v(30), v(1)));
  add("v_rcp_f32", make(op::v_rcp_f32, encoding::VOP1, v(30), v(1)));
  add("v_sqrt_f32", make(op::v_sqrt_f32, encoding::VOP1, v(30), v(1)));
  add("v_exp_f32", make(op::v_exp_f32, encoding::VOP1, v(30), v(1)));
  add("v_log_f32", make(op::v_log_f32, encoding::VOP1, v(30), v(1)));
  add("v_sin_f32", make(op::v_sin_f32, encoding::VOP1, v(30), v(1)));
  add("v_div_scale_f32", make(op::v_div_scale_f32, encoding::VOP3, v(30), v(1), v(1), v(2)));
  add("v_div_fmas_f32", make(op::v_div_fmas_f32, encoding::VOP3, v(30), v(1), v(2), v(3)));
  add("v_div_fixup_f32", make(op::v_div_fixup_f32, encoding::VOP3, v(30), v(1), v(2), v(3)));
  { auto i = make(op::v_add_f32, encoding::VOP2, v(30), v(1), v(2)); i.form = isa::form::dpp; i.dpp_ctrl = 0x111; add("v_add_f32 row_shr:1", i); }
  { auto i = make(op::v_add_u32, encoding::VOP2, v(30), v(1), v(2)); i.form = isa::form::sdwa; i.src_sel[0] = isa::sdwa_select::byte_1; add("v_add_u32 sdwa", i); }
  add("v_readlane_b32", make(op::v_readlane_b32, encoding::VOP3, 5, v(1), 130));
  add("v_mbcnt_lo", make(op::v_mbcnt_lo_u32_b32, encoding::VOP3, v(30), 193, 128));
  add("s_add_u32", make(op::s_add_u32, encoding::SOP2, 10, 11, 12));
  add("s_and_b64", make(op::s_and_b64, encoding::SOP2, 10, 12, 14));
  std::printf("%-28s %8s   (%s)\n", "instruction", "ns", alu::host_vector_level());
  wave w;
  for (const entry& e : list) {
    operand_source source(7);
    for (unsigned n = 0; n < vgprs; ++n)
      for (unsigned k = 0; k < 64; ++k) w.vgpr[n][k] = bits_to<uint32_t>(1.f + float(source.raw() % 4096) / 256.f); // plain numbers
    for (unsigned k = 2; k < 8; k += 2)
      for (unsigned l = 0; l < 64; ++l) w.set_pair(k, l, bits_to<uint64_t>(1. + double(source.raw() % 4096) / 256.));
    w.mode = e.mode;
    w.set_exec(e.exec);
    w.set_vcc(0x5555aaaa0f0f3333ull);
    const alu::handler h = alu::bind(e.i, isa::target::gfx906);
    double best = 1e30;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      for (long n = 0; n < rounds; ++n) h(w, e.i);
      best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / double(rounds));
    }
    std::printf("%-28s %8.1f\n", e.what, best);
  }
}
