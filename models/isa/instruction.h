// SPDX-License-Identifier: Apache-2.0
// A decoded instruction: every field of every encoding, once.
#pragma once
#include "isa/opcode.h"
#include <string>

namespace lyra::isa {

/// Source operand codes of the 9-bit SRC fields (Vega ISA table "SGPR, VGPR and constant operands").
namespace operand_code {
constexpr uint16_t sgpr_last = 101, flat_scratch_lo = 102, flat_scratch_hi = 103, xnack_mask_lo = 104, xnack_mask_hi = 105, vcc_lo = 106, vcc_hi = 107,
                   ttmp0 = 108, ttmp15 = 123, m0 = 124, exec_lo = 126, exec_hi = 127, zero = 128, int_1 = 129, int_64 = 192, int_m1 = 193, int_m16 = 208,
                   shared_base = 235, shared_limit = 236, private_base = 237, private_limit = 238, pops_exiting_wave_id = 239,
                   f_0_5 = 240, f_m0_5 = 241, f_1 = 242, f_m1 = 243, f_2 = 244, f_m2 = 245, f_4 = 246, f_m4 = 247, inv_2pi = 248,
                   sdwa = 249, dpp = 250, vccz = 251, execz = 252, scc = 253, lds_direct = 254, literal = 255, vgpr0 = 256, none = 0xffff;
}

/// An operand as the 9-bit code of the ISA (8-bit destinations are held in the same space; a VGPR is 256 + n).
struct operand {
  uint16_t code = operand_code::none;
  operand_type type = operand_type::none;

  bool present() const { return code != operand_code::none; }
  bool is_vgpr() const { return code >= operand_code::vgpr0 && present(); }
  bool is_sgpr_like() const { return code < operand_code::zero; } ///< SGPR, VCC, FLAT_SCRATCH, XNACK_MASK, TTMP, M0, EXEC
  bool is_literal() const { return code == operand_code::literal; }
  uint16_t vgpr() const { return code - operand_code::vgpr0; }
};

enum class form : uint8_t { plain, dpp, sdwa };

/// SDWA select of a dword's part. dst_unused: 0 pad with zeros, 1 sign extend, 2 preserve.
enum class sdwa_select : uint8_t { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };

/// One decoded instruction. Fields that an encoding does not have keep their defaults.
struct instruction {
  const opcode_info* info = nullptr; ///< never null after a successful decode
  isa::form form = isa::form::plain;
  uint8_t size_bytes = 4;     ///< 4 or 8 (SOPP..VOPC with literal, DPP, SDWA: 8)
  uint32_t words[2] = {0, 0}; ///< as fetched
  uint32_t literal = 0;       ///< the 32-bit literal (also K of v_madmk/v_madak, s_setreg_imm32)

  operand dst, sdst;          ///< sdst: VOP3B carry-out, VOPC's SGPR pair (vcc for e32)
  operand src[3];

  int32_t simm16 = 0;         ///< SOPK, SOPP: sign-extended. s_set_gpr_idx_on: the mode bits (SSRC1 field). v_interp_mov: the parameter (0 P10, 1 P20, 2 P0).
                              ///< s_atc_probe: the SDATA field

  // VOP3, VOP3P, SDWA, DPP modifiers: bit i belongs to source i
  uint8_t abs = 0, neg = 0;       ///< VOP3P: neg is neg_lo
  uint8_t neg_hi = 0;             ///< VOP3P; mix: abs
  uint8_t op_sel = 0, op_sel_hi = 0; ///< VOP3: op_sel bit 3 selects the destination half
  bool clamp = false;
  uint8_t omod = 0;               ///< 0 none, 1 *2, 2 *4, 3 /2

  // DPP
  uint16_t dpp_ctrl = 0;
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false;        ///< the encoding's BOUND_CTRL bit (1: out-of-range lanes read 0; LLVM 15 prints it as bound_ctrl:1)

  // SDWA
  sdwa_select dst_sel = sdwa_select::dword, src_sel[2] = {sdwa_select::dword, sdwa_select::dword};
  uint8_t dst_unused = 2;
  uint8_t sext = 0;               ///< bit i: source i is sign-extended

  // memory (SMEM, DS, FLAT family, MUBUF, MTBUF, MIMG). EXP: src[0..2] and vdata are its four VGPRs (none where EN does not
  // ask for them; compressed: src[0] and src[1] hold two halves each)
  operand vaddr, vdata, vdata2;   ///< VGPRs: address; data/result; DS DATA1. DS and FLAT loads: result is `dst`, stores/atomics: data is `vdata`.
  operand saddr;                  ///< GLOBAL/SCRATCH SADDR (none when 0x7f); SMEM: SOFFSET/OFFSET SGPR where used
  operand srsrc, ssamp, soffset;  ///< first SGPR of V#/T#, S#; MUBUF/MTBUF SOFFSET. SMEM: srsrc = SBASE
  int32_t offset = 0;             ///< bytes; sign as the encoding says (FLAT 12-bit unsigned, GLOBAL/SCRATCH 13-bit signed, MUBUF 12-bit unsigned, DS 16-bit)
  uint8_t offset0 = 0, offset1 = 0; ///< DS two-address forms
  bool glc = false, slc = false, nv = false, tfe = false, lwe = false, lds = false, gds = false, idxen = false, offen = false;
  bool imm = false, soffset_en = false; ///< SMEM
  bool unorm = false, da = false, a16 = false, d16 = false; ///< MIMG
  uint8_t dmask = 0, dfmt = 0, nfmt = 0; ///< MIMG; MTBUF
  uint8_t exp_target = 0, exp_en = 0; bool exp_compr = false, exp_done = false, exp_vm = false;
  uint8_t interp_attr = 0, interp_chan = 0; ///< VINTRP and its VOP3 forms (there: op_sel bit 0 is HIGH)

  isa::op op() const { return info->id; }
  isa::encoding encoding() const { return info->encoding; }
  bool has(uint32_t flag) const { return info->has(flag); }
  /// Destination VGPR/SGPR of a memory result: `dst` where set, else `vdata` (MUBUF, MTBUF, MIMG, SMEM use vdata).
  const operand& result() const { return dst.present() ? dst : vdata; }
};

/// Result of decoding: `instruction.info == nullptr` means that the bits are no instruction of the target; `error` says why.
struct decode_result {
  instruction inst;
  std::string error; ///< empty when right
  explicit operator bool() const { return inst.info != nullptr; }
};

/// Decodes one instruction at `words` of which `available` dwords may be read.
/// Never guesses: reserved opcodes, reserved operand codes, misaligned or overlong register tuples, fixed fields that are not 0 and a missing
/// second dword are errors. Not checked: how many SGPRs and literals a vector instruction reads (the constant bus), VGPR or SGPR limits of a wave.
decode_result decode(const uint32_t* words, unsigned available, target chip);

/// All rows of the instruction table, and how many.
const opcode_info* opcode_table(unsigned& count);
/// The row for an encoding and opcode number on a chip; null where there is none.
const opcode_info* find_opcode(encoding e, unsigned number, target chip);

/// The text LLVM 15's llvm-objdump prints for the instruction (mnemonic, operands, modifiers; no address or bytes).
/// Both chips print alike; branches show their raw 16-bit dword offset, as LLVM does without a symbol (branch_target() of isa/listing.h gives the address),
/// so `pc` changes nothing today.
std::string disassemble(const instruction& i, target chip, uint64_t pc = 0);

} // namespace lyra::isa
