// SPDX-License-Identifier: Apache-2.0
// What the vector executor must know of an operation besides its lane function.
#pragma once
#include "alu/execute.h"
#include "alu/lane_types.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

/// How an operand reaches the lane function.
enum class kind : u8 {
  none,
  b32,  ///< a dword as it is
  f32,  ///< a dword; neg and abs on bit 31
  b64,  ///< a literal is zero-extended
  s64,  ///< a literal is sign-extended
  f64,  ///< neg and abs on bit 63
  f16,  ///< a half (op_sel picks which) as float
  u16,  ///< a half, zero-extended
  s16,  ///< a half, sign-extended
  h16,  ///< a half as its bits, zero-extended; neg and abs on bit 15
  pair, ///< two halves of a dword as op_sel and op_sel_hi pick them, with neg_lo and neg_hi on their signs
  ipair, ///< the same for integers: no signs
  mix   ///< v_mad_mix, v_fma_mix: a float, or a half as float
};

/// Which MODE fields steer the host's floating-point unit while the lane function runs.
enum class fp_rule : u8 {
  none,       ///< not arithmetic of the host FPU
  single,     ///< round_32, denorm_32
  single_flush, ///< round_32; denormals always flushed (V_MAD_F32, V_MAC_F32)
  wide,       ///< round_64_16, denorm_64_16 (f64)
  half,       ///< round_64_16, host denormals on: halves are computed as floats, flushed when narrowed; f64 functions that flush themselves
  half_flush, ///< the same; half denormals always flushed (V_MAD_F16, V_MAC_F16)
  narrowing,  ///< f64 to f32: round_32, denormal inputs by denorm_64_16, outputs by denorm_32
  exact       ///< round_32, host denormals on
};

enum model_flag : u16 {
  packed = 1,          ///< two halves a dword (VOP3P)
  keeps_high = 2,      ///< a 16-bit result leaves the other half of the destination as it was
  compare = 4,         ///< result: one bit a lane in an SGPR pair
  compare_exec = 8,    ///< and EXEC
  carry_out = 16,      ///< one more bit a lane in SDST/VCC
  carry_in = 32,       ///< one bit a lane from VCC or SRC2
  accumulates = 64,    ///< SRC2 is the destination's old value
  constant_middle = 128, ///< v_madmk: literal is the second factor
  reads_vcc = 256,     ///< v_div_fmas: the bit comes from VCC in VOP3 too
  to_high = 512,       ///< mixhi: result goes to bits 31:16
  constant_last = 1024  ///< v_madak: literal is the addend
};

struct op_model {
  core_function core = nullptr;
  core_function clamped = nullptr; ///< integer operations: what CLAMP computes; null where CLAMP means [0,1] or nothing
  kind src[3] = {kind::none, kind::none, kind::none};
  kind dst = kind::none;
  fp_rule fp = fp_rule::none;
  u16 flags = 0;
  handler fast = nullptr;   ///< plain form, no modifiers; null: use the general executor
  handler special = nullptr; ///< does everything itself (lane access, 128-bit results ...)
  handler special_recording = nullptr; ///< the same, and records its exceptions; null where it raises none
  bool has(u16 f) const { return (flags & f) != 0; }
};

/// Row of an operation table in the vector_*.cpp sources.
struct op_row { isa::op id; op_model model; };

/// The model of an operation at this host vector level; `core` and `special` are null where there is none.
const op_model& model_of(isa::op id);

/// Executes any vector instruction that has a model: every operand kind, modifiers, DPP, SDWA, op_sel, GPR indexing, VSKIP.
void execute_general(wave_registers& w, const isa::instruction& i);

/// The same, and the exceptions that the active lanes raise go to TRAPSTS.EXCP and wave_registers::raised.
void execute_recording(wave_registers& w, const isa::instruction& i);

struct row_list { const op_row* first; unsigned count; };
row_list integer_rows();
row_list integer16_rows();
row_list media_rows();
row_list float32_rows();
row_list float64_rows();
row_list float16_rows();
row_list convert_rows();
row_list compare_rows();
row_list transcendental_rows();
row_list divide_rows();
row_list lane_access_rows();

/// The handler for an instruction at this level, null where it is no vector ALU instruction.
handler bind_vector(const isa::instruction& i);

} // namespace lyra::alu::LYRA_ALU_LEVEL
