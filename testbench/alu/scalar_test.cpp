// SPDX-License-Identifier: Apache-2.0
// Scalar instructions against references written out of the ISA's descriptions: results and SCC on random and special operands; control flow and
// hardware registers by directed cases.
#include "alu/scalar_reference.h"
#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

using namespace alu_test;
using isa::encoding;

namespace {

isa::instruction sopk(op id, int16_t k, uint16_t reg = 20) {
  auto i = make(id, encoding::SOPK, reg, reg);
  if (i.info->src[0] == isa::operand_type::none) i.src[0] = {};
  i.simm16 = k;
  return i;
}
isa::instruction sopp(op id, int16_t k) {
  auto i = make(id, encoding::SOPP, 0xffff);
  i.simm16 = k;
  return i;
}
uint16_t hwreg(unsigned id, unsigned offset, unsigned size) { return uint16_t(id | offset << 6 | (size - 1) << 11); }

} // namespace

BOOST_AUTO_TEST_CASE(scalar_arithmetic_gives_the_references_result_and_scc) {
  operand_source source(99);
  for (const auto& entry : scalar_references()) {
    const scalar_reference& ref = entry.second;
    for (unsigned n = 0; n < 3000; ++n) {
      wave w;
      w.scc = source.raw() & 1;
      w.set_exec(source.next(8));
      uint64_t s[2] = {source.next(ref.bytes[0] ? ref.bytes[0] : 4), source.next(ref.bytes[1] ? ref.bytes[1] : 4)};
      if (source.raw() % 8 == 0) s[1] = s[0];
      if (source.raw() % 3 == 0) s[1] &= 0x7f007f; // shift counts and bit fields
      for (int j = 0; j < 2; ++j)
        if (ref.bytes[j] != 8) s[j] &= 0xffffffff;
      const uint64_t old = source.next(8);
      w.write64(20, old);
      w.write64(30, s[0]);
      w.write64(40, s[1]);
      const encoding e = ref.e;
      auto i = make(entry.first, e, 20, e == encoding::SOPK ? 20 : 30, ref.bytes[1] ? 40 : 0xffff);
      int16_t k = 0;
      if (e == encoding::SOPK) {
        k = int16_t(source.next(2));
        i.simm16 = k;
        if (i.info->src[0] == isa::operand_type::none) i.src[0] = {};
        s[0] = old & 0xffffffff;
        s[1] = uint64_t(int64_t(k));
      }
      if (i.info->dst == isa::operand_type::none) i.dst = {};
      scalar_state in{s[0], s[1], w.scc, w.exec(), old}, out = in;
      out.written = false;
      ref.f(in, out);
      run(w, i);
      auto text = [&](const char* what, uint64_t got, uint64_t want) {
        return fmt::format("{} {:#x} {:#x} scc {} exec {:#x} old {:#x}: {} is {:#x}, should be {:#x}", i.info->name, s[0], s[1], in.scc, in.exec, old, what, got, want);
      };
      uint64_t want = old;
      if (out.written) want = ref.result == 8 ? out.result : (old & ~0xffffffffull) | (out.result & 0xffffffff);
      BOOST_TEST_REQUIRE(w.read64(20) == want, text("result", w.read64(20), want));
      BOOST_TEST_REQUIRE(w.scc == out.scc, text("SCC", w.scc, out.scc));
      BOOST_TEST_REQUIRE(w.exec() == out.exec, text("EXEC", w.exec(), out.exec));
    }
  }
}

BOOST_AUTO_TEST_CASE(branches_add_four_times_the_offset_to_the_next_pc) {
  struct { op id; bool scc; uint64_t vcc, exec; bool taken; } const cases[] = {
      {op::s_branch, false, 1, 1, true},          {op::s_cbranch_scc0, false, 0, 1, true},    {op::s_cbranch_scc0, true, 0, 1, false},
      {op::s_cbranch_scc1, true, 0, 1, true},     {op::s_cbranch_scc1, false, 0, 1, false},   {op::s_cbranch_vccz, false, 0, 1, true},
      {op::s_cbranch_vccz, false, 1ull << 40, 1, false}, {op::s_cbranch_vccnz, false, 1ull << 40, 1, true}, {op::s_cbranch_vccnz, false, 0, 1, false},
      {op::s_cbranch_execz, false, 0, 0, true},   {op::s_cbranch_execz, false, 0, 1ull << 63, false}, {op::s_cbranch_execnz, false, 0, 1ull << 63, true},
      {op::s_cbranch_execnz, false, 0, 0, false}, {op::s_cbranch_cdbgsys, true, 1, 1, false}, {op::s_cbranch_cdbguser, true, 1, 1, false},
      {op::s_cbranch_cdbgsys_or_user, true, 1, 1, false}, {op::s_cbranch_cdbgsys_and_user, true, 1, 1, false}};
  for (const auto& c : cases)
    for (int16_t k : {int16_t(5), int16_t(-3), int16_t(-32768)}) {
      wave w;
      w.pc = 0x700000100;
      w.scc = c.scc;
      w.set_vcc(c.vcc);
      w.set_exec(c.exec);
      run(w, sopp(c.id, k));
      BOOST_TEST(w.pc == 0x700000100 + (c.taken ? 4 * int64_t(k) : 0));
    }
  wave w;
  w.status = 1u << 20;
  w.pc = 100;
  run(w, sopp(op::s_cbranch_cdbguser, 1));
  BOOST_TEST(w.pc == 104u);
  run(w, sopp(op::s_cbranch_cdbgsys_or_user, 1));
  BOOST_TEST(w.pc == 108u);
  run(w, sopp(op::s_cbranch_cdbgsys_and_user, 1));
  BOOST_TEST(w.pc == 108u);
}

BOOST_AUTO_TEST_CASE(calls_save_the_next_pc_and_jump) {
  wave w;
  w.pc = 0x7000001000;
  run(w, make(op::s_getpc_b64, encoding::SOP1, 20));
  BOOST_TEST(w.read64(20) == 0x7000001000u);
  w.write64(30, 0x7100000000);
  run(w, make(op::s_setpc_b64, encoding::SOP1, 0xffff, 30));
  BOOST_TEST(w.pc == 0x7100000000u);
  run(w, make(op::s_swappc_b64, encoding::SOP1, 30, 20)); // return address
  BOOST_TEST(w.pc == 0x7000001000u);
  BOOST_TEST(w.read64(30) == 0x7100000000u);
  run(w, make(op::s_swappc_b64, encoding::SOP1, 30, 30)); // through one pair
  BOOST_TEST(w.pc == 0x7100000000u);
  BOOST_TEST(w.read64(30) == 0x7000001000u);
  run(w, sopk(op::s_call_b64, -16, 40));
  BOOST_TEST(w.read64(40) == 0x7100000000u);
  BOOST_TEST(w.pc == 0x7100000000u - 64);
  w.priv = true;
  w.write64(50, 0xabcd007000001004);
  run(w, make(op::s_rfe_b64, encoding::SOP1, 0xffff, 50));
  BOOST_TEST(w.pc == 0x7000001004u);
  BOOST_TEST(!w.priv);
  w.priv = true;
  run(w, make(op::s_rfe_restore_b64, encoding::SOP2, 0xffff, 50, 128));
  BOOST_TEST(!w.priv);
}

BOOST_AUTO_TEST_CASE(fork_runs_the_smaller_side_first_and_join_takes_up_the_other) {
  wave w; // three of four lanes take the branch: the one that does not runs on
  w.set_exec(0xf);
  w.write64(30, 0x7);
  w.write64(32, 0x5000);
  w.pc = 0x1000;
  run(w, make(op::s_cbranch_g_fork, encoding::SOP2, 0xffff, 30, 32));
  BOOST_TEST(w.exec() == 0x8u);
  BOOST_TEST(w.pc == 0x1000u);
  BOOST_TEST(w.mode >> 29 == 1u);
  BOOST_TEST(w.read64(0) == 0x7u);
  BOOST_TEST(w.read64(2) == 0x5000u);
  // inside, an immediate fork with one lane: all agree, no stack
  w.write64(40, 0x8);
  auto f = sopk(op::s_cbranch_i_fork, 4, 40);
  run(w, f);
  BOOST_TEST(w.pc == 0x1010u);
  BOOST_TEST(w.mode >> 29 == 1u);
  w.write64(40, 0);
  run(w, f);
  BOOST_TEST(w.pc == 0x1010u);
  // join: the saved side, then nothing left
  w.sgpr[50] = 0;
  run(w, make(op::s_cbranch_join, encoding::SOP1, 0xffff, 50));
  BOOST_TEST(w.exec() == 0x7u);
  BOOST_TEST(w.pc == 0x5000u);
  BOOST_TEST(w.mode >> 29 == 0u);
  w.pc = 0x5004;
  run(w, make(op::s_cbranch_join, encoding::SOP1, 0xffff, 50));
  BOOST_TEST(w.pc == 0x5004u);
  BOOST_TEST(w.exec() == 0x7u);
  // one of three lanes takes it: it runs first, the others wait at the next instruction
  w.write64(40, 0x2);
  w.pc = 0x6000;
  run(w, f);
  BOOST_TEST(w.exec() == 0x2u);
  BOOST_TEST(w.pc == 0x6010u);
  BOOST_TEST(w.read64(0) == 0x5u);
  BOOST_TEST(w.read64(2) == 0x6000u);
}

BOOST_AUTO_TEST_CASE(movrel_adds_m0_to_register_numbers) {
  wave w;
  for (unsigned n = 0; n < 100; ++n) w.sgpr[n] = 1000 + n;
  w.sgpr[124] = 7;
  run(w, make(op::s_movrels_b32, encoding::SOP1, 90, 20));
  BOOST_TEST(w.sgpr[90] == 1027u);
  w.sgpr[124] = 8;
  run(w, make(op::s_movrels_b64, encoding::SOP1, 90, 20));
  BOOST_TEST(w.read64(90) == (1029ull << 32 | 1028));
  auto d = make(op::s_movreld_b32, encoding::SOP1, 0xffff, 40, 50);
  // the decoder's form: destination in dst or as the first source, as the table says
  isa::decode_result r;
  const uint32_t word = 0xbe800000u | 60u << 16 | uint32_t(d.info->number) << 8 | 50u;
  r = isa::decode(&word, 1, isa::target::gfx900);
  BOOST_TEST_REQUIRE(bool(r), r.error);
  run(w, r.inst);
  BOOST_TEST(w.sgpr[68] == 1050u);
  const uint32_t word64 = 0xbe800000u | 60u << 16 | uint32_t(row_of(op::s_movreld_b64, encoding::SOP1)->number) << 8 | 50u;
  r = isa::decode(&word64, 1, isa::target::gfx900);
  BOOST_TEST_REQUIRE(bool(r), r.error);
  run(w, r.inst);
  BOOST_TEST(w.read64(68) == (1051ull << 32 | 1050));
  w.sgpr[124] = 1000; // out of range: SGPR 0 is read, nothing is written
  run(w, make(op::s_movrels_b32, encoding::SOP1, 90, 20));
  BOOST_TEST(w.sgpr[90] == 1000u);
}

BOOST_AUTO_TEST_CASE(gpr_index_instructions_set_m0_and_mode) {
  wave w;
  w.sgpr[124] = 0xaaaaaaaa;
  w.sgpr[20] = 0x1234;
  auto on = make(op::s_set_gpr_idx_on, encoding::SOPC, 0xffff, 20);
  on.simm16 = 9;
  run(w, on);
  BOOST_TEST(w.sgpr[124] == 0xaaaa9a34u);
  BOOST_TEST((w.mode >> 27 & 1) == 1u);
  w.sgpr[20] = 0x77;
  run(w, make(op::s_set_gpr_idx_idx, encoding::SOP1, 0xffff, 20));
  BOOST_TEST(w.sgpr[124] == 0xaaaa9a77u);
  run(w, sopp(op::s_set_gpr_idx_mode, 3));
  BOOST_TEST(w.sgpr[124] == 0xaaaa3a77u);
  run(w, sopp(op::s_set_gpr_idx_off, 0));
  BOOST_TEST((w.mode >> 27 & 1) == 0u);
  // the whole: v[10 + 0x77 ...] would be out of range, so index 2
  w.sgpr[20] = 2;
  on.simm16 = 1;
  run(w, on);
  w.vgpr[12][0] = 42;
  run(w, make(op::v_mov_b32, encoding::VOP1, v(30), v(10)));
  BOOST_TEST(w.vgpr[30][0] == 42u);
}

BOOST_AUTO_TEST_CASE(setvskip_takes_one_bit_of_its_operand) {
  wave w;
  w.sgpr[20] = 1u << 7;
  run(w, make(op::s_setvskip, encoding::SOPC, 0xffff, 20, 135));
  BOOST_TEST((w.mode >> 28 & 1) == 1u);
  run(w, make(op::s_setvskip, encoding::SOPC, 0xffff, 20, 134));
  BOOST_TEST((w.mode >> 28 & 1) == 0u);
}

BOOST_AUTO_TEST_CASE(getreg_and_setreg_move_fields_of_hardware_registers) {
  wave w;
  w.mode = 0x3f0;
  w.trapsts = 0x12345678;
  w.hw_id = 0xdead0001;
  w.gpr_alloc = 2;
  w.lds_alloc = 3;
  w.ib_sts = 4;
  w.sh_mem_bases = 5;
  w.tba = 0x700000006;
  w.tma = 0x900000008;
  const uint32_t values[][2] = {{1, 0x3f0}, {3, 0x12345678}, {4, 0xdead0001}, {5, 2}, {6, 3}, {7, 4}, {15, 5}, {16, 6}, {17, 7}, {18, 8}, {19, 9}};
  for (auto& x : values) {
    run(w, sopk(op::s_getreg_b32, int16_t(hwreg(x[0], 0, 32))));
    BOOST_TEST(w.sgpr[20] == x[1]);
  }
  run(w, sopk(op::s_getreg_b32, int16_t(hwreg(3, 4, 8))));
  BOOST_TEST(w.sgpr[20] == 0x67u);
  w.scc = true;
  w.set_exec(0);
  w.set_vcc(0);
  w.priority = 2;
  run(w, sopk(op::s_getreg_b32, int16_t(hwreg(2, 0, 32))));
  BOOST_TEST(w.sgpr[20] == (1u | 2u << 3 | 1u << 9 | 1u << 10));

  w.sgpr[20] = 0xffffffff;
  run(w, sopk(op::s_setreg_b32, int16_t(hwreg(1, 0, 4))));
  BOOST_TEST(w.mode == 0x3ffu);
  auto i = sopk(op::s_setreg_imm32_b32, int16_t(hwreg(1, 4, 4)));
  i.literal = 0xc5;
  run(w, i);
  BOOST_TEST(w.mode == 0x35fu);
  w.sgpr[20] = 0;
  run(w, sopk(op::s_setreg_b32, int16_t(hwreg(3, 0, 9))));
  BOOST_TEST(w.trapsts == 0x12345600u);
  for (unsigned id : {2u, 4u, 5u, 6u, 7u, 15u, 16u, 19u}) { // a user's wave cannot write these
    w.sgpr[20] = 0x5555;
    const wave before = [&] { wave c; static_cast<alu::wave_registers&>(c) = w; return c; }();
    run(w, sopk(op::s_setreg_b32, int16_t(hwreg(id, 0, 32))));
    BOOST_TEST(w.hw_id == before.hw_id);
    BOOST_TEST(w.gpr_alloc == before.gpr_alloc);
    BOOST_TEST(w.tba == before.tba);
    BOOST_TEST(w.tma == before.tma);
    BOOST_TEST(w.ib_sts == before.ib_sts);
    BOOST_TEST(w.scc == before.scc);
  }
  w.priv = true;
  w.sgpr[20] = 0x5555;
  run(w, sopk(op::s_setreg_b32, int16_t(hwreg(16, 0, 32))));
  BOOST_TEST(w.tba == 0x700005555u);
  run(w, sopk(op::s_setreg_b32, int16_t(hwreg(19, 0, 32))));
  BOOST_TEST(w.tma == 0x555500000008u);
  w.sgpr[20] = 0;
  run(w, sopk(op::s_setreg_b32, int16_t(hwreg(2, 0, 1))));
  BOOST_TEST(!w.scc);
}

BOOST_AUTO_TEST_CASE(what_the_sequencer_does_has_no_handler) {
  for (op id : {op::s_nop, op::s_endpgm, op::s_barrier, op::s_waitcnt, op::s_sethalt, op::s_sleep, op::s_setprio, op::s_sendmsg, op::s_sendmsghalt, op::s_trap,
                op::s_icache_inv, op::s_incperflevel, op::s_decperflevel, op::s_ttracedata, op::s_wakeup, op::s_setkill, op::s_endpgm_saved, op::s_endpgm_ordered_ps_done})
    BOOST_TEST((alu::bind(make(id, encoding::SOPP, 0xffff), isa::target::gfx900) == nullptr));
}

BOOST_AUTO_TEST_CASE(cost_classes_follow_the_timing_tables) {
  using c = alu::cost_class;
  auto is = [](op id, encoding e, c want) { return alu::cost_of(make(id, e, e == encoding::SOPP ? 0xffff : 20)) == want; };
  BOOST_TEST(is(op::v_add_f32, encoding::VOP2, c::vector_full));
  BOOST_TEST(is(op::v_pk_fma_f16, encoding::VOP3P, c::vector_full));
  BOOST_TEST(is(op::v_mul_i32_i24, encoding::VOP2, c::vector_full));
  BOOST_TEST(is(op::v_cmp_lt_f32, encoding::VOPC, c::vector_full));
  BOOST_TEST(is(op::v_div_fixup_f16, encoding::VOP3, c::vector_full));
  BOOST_TEST(is(op::v_rcp_f32, encoding::VOP1, c::vector_quarter));
  BOOST_TEST(is(op::v_sin_f16, encoding::VOP1, c::vector_quarter));
  BOOST_TEST(is(op::v_mul_lo_u32, encoding::VOP3, c::vector_mul_lo));
  BOOST_TEST(is(op::v_mul_hi_u32, encoding::VOP3, c::vector_quarter));
  BOOST_TEST(is(op::v_mad_u64_u32, encoding::VOP3, c::vector_quarter));
  BOOST_TEST(is(op::v_mad_u64_u32, encoding::VOP3, c::vector_quarter));
  BOOST_TEST(is(op::v_div_scale_f32, encoding::VOP3, c::vector_quarter));
  BOOST_TEST(is(op::v_mqsad_u32_u8, encoding::VOP3, c::vector_quarter));
  BOOST_TEST(is(op::v_add_f64, encoding::VOP3, c::vector_f64_add));
  BOOST_TEST(is(op::v_cvt_f32_f64, encoding::VOP1, c::vector_f64_add));
  BOOST_TEST(is(op::v_cmp_lt_i64, encoding::VOPC, c::vector_f64_add));
  BOOST_TEST(is(op::v_lshlrev_b64, encoding::VOP3, c::vector_f64_add));
  BOOST_TEST(is(op::v_fma_f64, encoding::VOP3, c::vector_f64_mul));
  BOOST_TEST(is(op::v_rcp_f64, encoding::VOP1, c::vector_f64_mul));
  BOOST_TEST(is(op::v_swap_b32, encoding::VOP1, c::vector_swap));
  BOOST_TEST(is(op::s_add_u32, encoding::SOP2, c::scalar));
  BOOST_TEST(is(op::s_and_saveexec_b64, encoding::SOP1, c::scalar_saveexec));
  BOOST_TEST(is(op::s_setreg_b32, encoding::SOPK, c::scalar_setreg));
  BOOST_TEST(is(op::s_branch, encoding::SOPP, c::branch));
  BOOST_TEST(is(op::s_swappc_b64, encoding::SOP1, c::branch));
}
