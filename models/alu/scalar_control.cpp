// SPDX-License-Identifier: Apache-2.0
// Program flow and hardware registers of the scalar unit: branches, calls, fork and join, GPR indexing, VSKIP, S_GETREG, S_SETREG.
// Rules: Vega ISA chapters 4 (program flow), 3.5 and 3.x (hardware registers), 12 (SOP1, SOPC, SOPK, SOPP).
#include "alu/hardware_registers.h"
#include "alu/scalar_model.h"

namespace lyra::alu {
namespace {

using namespace LYRA_ALU_LEVEL;
using registers = wave_registers;
using isa::instruction;

u64 wide_source(const registers& w, const instruction& i, int j) { return scalar64(w, i, i.src[j].code, wide_literal::zero_extended); }
void write64(registers& w, unsigned c, u64 v) {
  w.sgpr[c & 127] = u32(v);
  w.sgpr[(c + 1) & 127] = u32(v >> 32);
}
u64 relative(const registers& w, const instruction& i) { return w.pc + u64(i64(i.simm16) * 4); }

void branch(registers& w, const instruction& i) { w.pc = relative(w, i); }
template <bool (*Condition)(const registers&)> void branch_if(registers& w, const instruction& i) {
  if (Condition(w)) w.pc = relative(w, i);
}
bool scc0(const registers& w) { return !w.scc; }
bool scc1(const registers& w) { return w.scc; }
bool vccz(const registers& w) { return vcc_of(w) == 0; }
bool vccnz(const registers& w) { return vcc_of(w) != 0; }
bool execz(const registers& w) { return exec_of(w) == 0; }
bool execnz(const registers& w) { return exec_of(w) != 0; }
/// STATUS.COND_DBG_USER and COND_DBG_SYS: a debugger sets them; clear otherwise.
bool debug_user(const registers& w) { return w.status >> 20 & 1; }
bool debug_system(const registers& w) { return w.status >> 21 & 1; }
bool debug_either(const registers& w) { return debug_user(w) || debug_system(w); }
bool debug_both(const registers& w) { return debug_user(w) && debug_system(w); }

void getpc(registers& w, const instruction& i) { write64(w, i.dst.code, w.pc); }
void setpc(registers& w, const instruction& i) { w.pc = wide_source(w, i, 0) & ~3ull; }
void swappc(registers& w, const instruction& i) {
  const u64 target = wide_source(w, i, 0) & ~3ull;
  write64(w, i.dst.code, w.pc);
  w.pc = target;
}
void call(registers& w, const instruction& i) {
  const u64 target = relative(w, i);
  write64(w, i.dst.code, w.pc);
  w.pc = target;
}
/// Return from the trap handler: leaves privileged mode. The upper half of the saved PC pair holds more than address bits: 48 of them count.
void return_from_exception(registers& w, const instruction& i) {
  const u64 target = wide_source(w, i, 0);
  w.pc = u64(i64(target << 16) >> 16) & ~3ull;
  w.priv = false;
}

/// CSP, the depth of the fork stack (four SGPRs an entry: EXEC, PC), is MODE[31:29].
unsigned depth(const registers& w) { return w.mode >> 29; }
void set_depth(registers& w, unsigned n) { w.mode = (w.mode & 0x1fffffffu) | n << 29; }
void push(registers& w, u64 exec, u64 pc) {
  const unsigned n = depth(w) * 4;
  write64(w, n, exec);
  write64(w, n + 2, pc);
  set_depth(w, depth(w) + 1);
}
/// The side with fewer lanes runs first; the other waits on the stack (ISA 4.5).
void fork(registers& w, u64 mask, u64 target) {
  const u64 exec = exec_of(w), pass = mask & exec, fail = ~mask & exec;
  if (pass == exec) {
    w.pc = target;
  } else if (fail == exec) {
    return;
  } else if (__builtin_popcountll(fail) < __builtin_popcountll(pass)) {
    write64(w, 126, fail);
    push(w, pass, target);
  } else {
    write64(w, 126, pass);
    push(w, fail, w.pc);
    w.pc = target;
  }
}
void g_fork(registers& w, const instruction& i) { fork(w, wide_source(w, i, 0), wide_source(w, i, 1) & ~3ull); }
void i_fork(registers& w, const instruction& i) {
  const unsigned c = i.src[0].present() ? i.src[0].code : i.dst.code;
  fork(w, w.sgpr[c & 127] | u64(w.sgpr[(c + 1) & 127]) << 32, relative(w, i));
}
void join(registers& w, const instruction& i) {
  if (depth(w) == scalar32(w, i, i.src[0].code)) return;
  const unsigned n = (depth(w) - 1) & 7;
  set_depth(w, n);
  write64(w, 126, w.sgpr[n * 4] | u64(w.sgpr[n * 4 + 1]) << 32);
  w.pc = (w.sgpr[n * 4 + 2] | u64(w.sgpr[n * 4 + 3]) << 32) & ~3ull;
}

void set_mode_bit(registers& w, unsigned bit, bool on) { w.mode = on ? w.mode | 1u << bit : w.mode & ~(1u << bit); }
void setvskip(registers& w, const instruction& i) {
  set_mode_bit(w, mode_bit::vskip, scalar32(w, i, i.src[0].code) >> (scalar32(w, i, i.src[1].code) & 31) & 1);
}
/// M0[7:0] the index, M0[15:12] which operands it is added to: 0 src0, 1 src1, 2 src2, 3 destination.
void set_index(registers& w, u32 v) { w.sgpr[code::m0] = (w.sgpr[code::m0] & ~0xffu) | (v & 0xff); }
void set_index_mode(registers& w, u32 v) { w.sgpr[code::m0] = (w.sgpr[code::m0] & ~0xf000u) | (v & 15) << 12; }
void gpr_idx_on(registers& w, const instruction& i) {
  const u32 index = scalar32(w, i, i.src[0].code);
  set_mode_bit(w, mode_bit::gpr_idx_en, true);
  set_index(w, index);
  set_index_mode(w, u32(i.simm16)); // the raw SSRC1 field
}
void gpr_idx_off(registers& w, const instruction&) { set_mode_bit(w, mode_bit::gpr_idx_en, false); }
void gpr_idx_idx(registers& w, const instruction& i) { set_index(w, scalar32(w, i, i.src[0].code)); }
void gpr_idx_mode(registers& w, const instruction& i) { set_index_mode(w, u32(i.simm16)); }

void getreg(registers& w, const instruction& i) {
  const hardware_field f = hardware_field_of(u32(i.simm16));
  w.sgpr[i.dst.code & 127] = read_hardware_register(w, f.id) >> f.offset & f.mask();
}
void setreg(registers& w, const instruction& i) {
  const unsigned c = i.src[0].present() ? i.src[0].code : i.dst.code;
  write_hardware_register(w, hardware_field_of(u32(i.simm16)), w.sgpr[c & 127]);
}
void setreg_imm32(registers& w, const instruction& i) { write_hardware_register(w, hardware_field_of(u32(i.simm16)), i.literal); }

using isa::op;
const scalar_row rows[] = {
    {op::s_branch, branch}, {op::s_cbranch_scc0, branch_if<scc0>}, {op::s_cbranch_scc1, branch_if<scc1>},
    {op::s_cbranch_vccz, branch_if<vccz>}, {op::s_cbranch_vccnz, branch_if<vccnz>},
    {op::s_cbranch_execz, branch_if<execz>}, {op::s_cbranch_execnz, branch_if<execnz>},
    {op::s_cbranch_cdbgsys, branch_if<debug_system>}, {op::s_cbranch_cdbguser, branch_if<debug_user>},
    {op::s_cbranch_cdbgsys_or_user, branch_if<debug_either>}, {op::s_cbranch_cdbgsys_and_user, branch_if<debug_both>},
    {op::s_getpc_b64, getpc}, {op::s_setpc_b64, setpc}, {op::s_swappc_b64, swappc}, {op::s_call_b64, call},
    {op::s_rfe_b64, return_from_exception}, {op::s_rfe_restore_b64, return_from_exception},
    {op::s_cbranch_g_fork, g_fork}, {op::s_cbranch_i_fork, i_fork}, {op::s_cbranch_join, join},
    {op::s_setvskip, setvskip}, {op::s_set_gpr_idx_on, gpr_idx_on}, {op::s_set_gpr_idx_off, gpr_idx_off},
    {op::s_set_gpr_idx_idx, gpr_idx_idx}, {op::s_set_gpr_idx_mode, gpr_idx_mode},
    {op::s_getreg_b32, getreg}, {op::s_setreg_b32, setreg}, {op::s_setreg_imm32_b32, setreg_imm32},
};

} // namespace

scalar_rows scalar_control_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu
