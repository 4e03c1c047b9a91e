// SPDX-License-Identifier: Apache-2.0
// Reading scalar operands: SGPRs, special registers, inline constants, literals. In the host vector level's namespace, because the vector sources
// that include it are compiled for several levels.
#pragma once
#include "alu/lane_types.h"
#include "alu/wave_registers.h"
#include "isa/instruction.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

namespace code = isa::operand_code;

inline u64 exec_of(const wave_registers& w) { return w.sgpr[126] | u64(w.sgpr[127]) << 32; }
inline u64 vcc_of(const wave_registers& w) { return w.sgpr[106] | u64(w.sgpr[107]) << 32; }

/// Inline floating constants 240..248 (Vega ISA table "SGPR, VGPR and constant operands") as f32, f16, f64 bits.
inline u32 inline_f32(unsigned c) {
  static const u32 table[] = {0x3f000000u, 0xbf000000u, 0x3f800000u, 0xbf800000u, 0x40000000u, 0xc0000000u, 0x40800000u, 0xc0800000u, 0x3e22f983u};
  return table[c - code::f_0_5];
}
inline u32 inline_f16(unsigned c) {
  static const u16 table[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  return table[c - code::f_0_5];
}
inline u64 inline_f64(unsigned c) {
  static const u64 table[] = {0x3fe0000000000000ull, 0xbfe0000000000000ull, 0x3ff0000000000000ull, 0xbff0000000000000ull, 0x4000000000000000ull,
                              0xc000000000000000ull, 0x4010000000000000ull, 0xc010000000000000ull, 0x3fc45f306dc9c882ull};
  return table[c - code::f_0_5];
}

/// The dword at an LDS_DIRECT operand: M0[15:0] is the byte address, M0[18:16] the data type
/// (0 ubyte, 1 ushort, 2 dword, 4 sbyte, 5 sshort; Vega ISA 10.3 "LDS Direct Reads"). Outside of the workgroup's LDS it reads 0.
inline u32 lds_direct_value(const wave_registers& w) {
  const u32 address = w.sgpr[124] & 0xffff, type = w.sgpr[124] >> 16 & 7;
  const u32 bytes = type == 0 || type == 4 ? 1 : type == 1 || type == 5 ? 2 : 4;
  const u32 aligned = address & ~(bytes - 1);
  if (!w.lds || aligned + bytes > w.lds_bytes) return 0;
  u32 v = 0;
  __builtin_memcpy(&v, w.lds + aligned, bytes);
  return type == 4 ? u32(i32(int8_t(v))) : type == 5 ? u32(i32(i16(v))) : v;
}

/// A special code that is neither SGPR nor VGPR nor floating constant, as 32 bits; `known` false for a reserved code.
inline u32 special_value(const wave_registers& w, const isa::instruction& i, unsigned c) {
  if (c >= code::zero && c <= code::int_64) return c - code::zero;
  if (c >= code::int_m1 && c <= code::int_m16) return u32(-int(c - code::int_64));
  switch (c) {
    case code::shared_base: return 0; // 64-bit values; as 32 bits the low half (see wide_value)
    case code::shared_limit: return 0xffffffffu;
    case code::private_base: return 0;
    case code::private_limit: return 0xffffffffu;
    case code::pops_exiting_wave_id: return 0; // no pixel waves overlap in a compute machine
    case code::vccz: return (w.sgpr[106] | w.sgpr[107]) == 0;
    case code::execz: return (w.sgpr[126] | w.sgpr[127]) == 0;
    case code::scc: return w.scc;
    case code::lds_direct: return lds_direct_value(w);
    case code::literal: return i.literal;
    default: return 0;
  }
}

/// A scalar operand as 32 bits. Floating constants are f32 (also for integer operands).
inline u32 scalar32(const wave_registers& w, const isa::instruction& i, unsigned c) {
  if (c < 128) return w.sgpr[c];
  if (c >= code::f_0_5 && c <= code::inv_2pi) return inline_f32(c);
  return special_value(w, i, c);
}

/// A scalar operand of a 16-bit operation: floating constants are f16 in the low half.
inline u32 scalar16(const wave_registers& w, const isa::instruction& i, unsigned c) {
  if (c >= code::f_0_5 && c <= code::inv_2pi) return inline_f16(c);
  return scalar32(w, i, c);
}

/// Does a 64-bit integer operation extend its literal with the sign? The signed ones do (_i64); of _b64 and _u64 operations the high half is zero: LLVM 15 and
/// Mesa make `s_mov_b64 s[0:1], 0xffffffff` of 2^32 - 1 (LLVM S_MOV_B64_IMM_PSEUDO; ACO copy_constant_sgpr; rocm-systems PR 9575).
inline bool extends_sign(const isa::instruction& i) {
  if (i.encoding() == isa::encoding::VOPC) return !(i.info->number & 8); // v_cmp_*_i64 224..231, v_cmpx_*_i64 240..247; 8 further on they are _u64
  return i.op() == isa::op::s_ashr_i64 || i.op() == isa::op::s_bfe_i64 || i.op() == isa::op::s_flbit_i32_i64;
}

/// A scalar operand as 64 bits. Inline integer constants are sign-extended; a literal of an f64 operand is its high half.
inline u64 scalar64(const wave_registers& w, const isa::instruction& i, unsigned c, bool is_f64) {
  if (c < 127) return w.sgpr[c] | u64(w.sgpr[c + 1]) << 32;
  if (c == 127) return w.sgpr[127];
  if (c >= code::f_0_5 && c <= code::inv_2pi) return inline_f64(c);
  switch (c) {
    case code::shared_base: return u64(w.shared_base_hi) << 32;
    case code::shared_limit: return u64(w.shared_base_hi) << 32 | 0xffffffffu;
    case code::private_base: return u64(w.private_base_hi) << 32;
    case code::private_limit: return u64(w.private_base_hi) << 32 | 0xffffffffu;
    case code::literal: return is_f64 ? u64(i.literal) << 32 : extends_sign(i) ? u64(i64(i32(i.literal))) : i.literal;
    default: break;
  }
  const u32 v = special_value(w, i, c);
  return c >= code::zero && c <= code::int_m16 ? u64(i64(i32(v))) : v;
}

} // namespace lyra::alu::LYRA_ALU_LEVEL
