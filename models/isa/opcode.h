// SPDX-License-Identifier: Apache-2.0
// Encodings, operations and the instruction table (data: opcodes.def).
#pragma once
#include <cstdint>

namespace lyra::isa {

/// Which chip's instruction set: Vega 10 (gfx900) or Vega 20 (gfx906).
enum class target : uint8_t { gfx900, gfx906 };

/// Encoding families of the Vega ISA (chapter 13); FLAT is split by its SEG field, as LLVM does.
enum class encoding : uint8_t {
  SOP1, SOP2, SOPK, SOPC, SOPP, SMEM, VOP1, VOP2, VOPC, VOP3, VOP3P, VINTRP, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, EXP
};

/// An operation, whatever its encoding: v_add_f32 as VOP2, VOP3, DPP or SDWA is one `op::v_add_f32`.
enum class op : uint16_t {
#define LYRA_OPCODE(id, ...) id,
#define LYRA_OPCODE_AGAIN(...)
#include "isa/opcodes.def"
#undef LYRA_OPCODE
#undef LYRA_OPCODE_AGAIN
  count
};

/// How an operand's bits are read; it fixes the operand's size and what an inline constant means there.
enum class operand_type : uint8_t {
  none, b32, b64, b96, b128, b160, b256, b512, i16, i32, i64, f16, f32, f64,
  pk_i16, pk_f16, ///< two 16-bit values in a dword
  mix,            ///< f32 or one half of a dword as f16, chosen by op_sel_hi/op_sel (v_mad_mix, v_fma_mix)
  mask            ///< one bit a lane, in two SGPRs
};

/// Dwords of registers that an operand of this type spans (none: 0).
constexpr unsigned dwords_of(operand_type t) {
  switch (t) {
    case operand_type::none: return 0;
    case operand_type::b64: case operand_type::i64: case operand_type::f64: case operand_type::mask: return 2;
    case operand_type::b96: return 3;
    case operand_type::b128: return 4;
    case operand_type::b160: return 5;
    case operand_type::b256: return 8;
    case operand_type::b512: return 16;
    default: return 1;
  }
}

enum class memory_kind : uint8_t {
  none, load, store, atomic,
  store_lds, ///< BUFFER_STORE_LDS_DWORD
  cache,     ///< cache control: WBINVL1, DCACHE_*, ATC_PROBE
  time,      ///< S_MEMTIME, S_MEMREALTIME
  lds,       ///< any DS instruction
  sample, gather, query ///< MIMG with sampler; GET_RESINFO, GET_LOD are `query`
};

enum class atomic_operation : uint8_t {
  atomic_none, atomic_swap, atomic_cmpswap, atomic_add, atomic_sub, atomic_smin, atomic_umin, atomic_smax, atomic_umax,
  atomic_and, atomic_or, atomic_xor, atomic_inc, atomic_dec,
  atomic_fcmpswap, atomic_fmin, atomic_fmax, atomic_fadd // not encodable in VMEM on Vega; kept for DS and for RTL users
};

enum opcode_flags : uint32_t {
  NO_FLAGS = 0, DPP = 1u << 0, SDWA = 1u << 1, WRITES_SCC = 1u << 2, READS_SCC = 1u << 3, WRITES_VCC = 1u << 4, READS_VCC = 1u << 5,
  WRITES_EXEC = 1u << 6, READS_M0 = 1u << 7, BRANCH = 1u << 8,
  SGPR_DST = 1u << 9,    ///< a vector encoding whose result goes to an SGPR (v_readlane, v_readfirstlane)
  DST_IS_SRC = 1u << 10, ///< the old value of the destination is an input
  VOP3B = 1u << 11,      ///< VOP3 with an SGPR destination (carry, div_scale)
  FORMAT = 1u << 12,     ///< typed access: converts by data and number format
  D16 = 1u << 13, ///< 16-bit data in a register half; MIMG: the D16 bit is allowed
  D16_HI = 1u << 14, SIGNED = 1u << 15,
  COMPONENTS_1 = 1u << 16, COMPONENTS_2 = 1u << 17, COMPONENTS_3 = 1u << 18, COMPONENTS_4 = 1u << 19,
  TWO_OFFSETS = 1u << 20, ///< DS with two 8-bit offsets instead of one of 16 bits
  MODIFIERS_0 = 1u << 21, MODIFIERS_1 = 1u << 22, MODIFIERS_2 = 1u << 23, ///< the source has ABS and NEG (VOP3; on a VOP1/VOP2 row: in its DPP form)
  CLAMP = 1u << 24,         ///< VOP3, VOP3P: the CLAMP bit means something
  OMOD = 1u << 25,          ///< output multiplier (VOP3; on a VOP1/VOP2 row: in its SDWA form)
  OP_SEL = 1u << 26,        ///< VOP3, VOP3P: halves are selected by OP_SEL
  NO_IMMEDIATE = 1u << 28,  ///< SOPP without SIMM16
  LOADS_LDS = 1u << 29,     ///< the load can put its data into LDS (LDS bit of MUBUF, GLOBAL, SCRATCH)
  GDS_ONLY = 1u << 30, LDS_ONLY = 1u << 31, ///< DS that exist for one of the two memories only
  TWO_ENCODINGS = 1u << 27, ///< exists as e32 (VOP1, VOP2, VOPC, VINTRP) and as e64 (VOP3)
};

enum target_mask : uint8_t { GFX900 = 1, GFX906 = 2, BOTH = 3 };

/// One row of the instruction table.
///
/// Operand types: dst, sdst and src name what the encoding's own fields hold. Rows of memory encodings use them so:
/// DS: dst = result, src[0] = ADDR, src[1] = DATA0, src[2] = DATA1. SMEM: dst = result, src[0] = SBASE, src[1] = offset, src[2] = data.
/// MIMG: src[0] = the fewest address VGPRs (the image's dimension adds more), src[1] = T#, src[2] = S# (none: no sampler).
/// FLAT family, MUBUF, MTBUF: none; data_dwords and result_dwords say the sizes.
struct opcode_info {
  op id;
  isa::encoding encoding;
  uint16_t number;     ///< the OP field
  const char* name;    ///< mnemonic without _e32, _e64, _dpp, _sdwa
  uint8_t targets;     ///< target_mask
  operand_type dst, sdst, src[3];
  uint32_t flags;      ///< opcode_flags
  memory_kind memory;
  uint8_t memory_bytes;  ///< bytes a lane moves (DS: at each of its addresses); 0 where a format decides
  uint8_t data_dwords;   ///< VGPRs/SGPRs read as data (DS: DATA0 and DATA1 together); MIMG: 0, DMASK decides
  uint8_t result_dwords; ///< registers written on return (DS, memory), without TFE
  atomic_operation atomic;

  bool has(uint32_t f) const { return (flags & f) != 0; }
};

} // namespace lyra::isa
