// SPDX-License-Identifier: Apache-2.0
// Vector ALU and interpolation encodings, with their DPP and SDWA forms.
#include "isa/decoder.h"

namespace lyra::isa {

bool decoder::dpp() {
  if (!i_.info->has(DPP)) return fail("%s has no DPP form", i_.info->name);
  if (!need_second_dword()) return false;
  i_.form = form::dpp;
  i_.dpp_ctrl = static_cast<uint16_t>(bits1(16, 8));
  const unsigned c = i_.dpp_ctrl;
  const bool known = c <= 0xff || (c >= 0x101 && c <= 0x12f && (c & 0xf) != 0) || c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c ||
                     (c >= 0x140 && c <= 0x143);
  if (!known) return fail("DPP_CTRL 0x%x is reserved", c);
  i_.bound_ctrl = bit1(19);
  i_.neg = static_cast<uint8_t>(bit1(20) | bit1(22) << 1);
  i_.abs = static_cast<uint8_t>(bit1(21) | bit1(23) << 1);
  i_.bank_mask = static_cast<uint8_t>(bits1(27, 24));
  i_.row_mask = static_cast<uint8_t>(bits1(31, 28));
  if (!modifiers()) return false;
  return vgpr_or_zero(i_.src[0], bits1(7, 0), i_.info->src[0], "SRC0");
}

/// Integers have SEXT, floats ABS and NEG.
bool decoder::sdwa_source(unsigned n, unsigned byte, bool scalar) {
  const operand_type t = i_.info->src[n];
  if (t == operand_type::i16 || t == operand_type::i32) {
    if (!zero((i_.abs >> n) & 1, "ABS of an integer") || !zero((i_.neg >> n) & 1, "NEG of an integer")) return false;
  } else if (!zero((i_.sext >> n) & 1, "SEXT of a float")) {
    return false;
  }
  if (!scalar) return vgpr(i_.src[n], byte, i_.info->src[n]);
  if (byte >= operand_code::sdwa) {
    const code_class k = codes.of[byte];
    if (k != code_class::condition) return fail("SDWA cannot read operand code %u", byte);
  }
  return source(i_.src[n], byte, i_.info->src[n]);
}

bool decoder::sdwa(bool compare) {
  if (!i_.info->has(SDWA)) return fail("%s has no SDWA form", i_.info->name);
  if (!need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.form = form::sdwa;
  if (compare) {
    i_.sdst = {operand_code::vcc_lo, operand_type::mask};
    if (bit1(15) && !sgpr(i_.sdst, bits1(14, 8), operand_type::mask, "SDST")) return false;
  } else {
    if (bits1(10, 8) == 7) return fail("SDWA DST_SEL 7 is reserved");
    if (bits1(12, 11) == 3) return fail("SDWA DST_UNUSED 3 is reserved");
    i_.dst_sel = static_cast<sdwa_select>(bits1(10, 8));
    i_.dst_unused = static_cast<uint8_t>(bits1(12, 11));
    i_.clamp = bit1(13);
    i_.omod = static_cast<uint8_t>(bits1(15, 14));
  }
  if (r.src[0] == operand_type::none) return zero(w1_, "the second dword"); // v_nop
  if (bits1(18, 16) == 7) return fail("SDWA SRC0_SEL 7 is reserved");
  i_.src_sel[0] = static_cast<sdwa_select>(bits1(18, 16));
  i_.sext = static_cast<uint8_t>(bit1(19));
  i_.neg = static_cast<uint8_t>(bit1(20));
  i_.abs = static_cast<uint8_t>(bit1(21));
  if (!compare && !r.has(OMOD) && !zero(i_.omod, "OMOD")) return false;
  if (!sdwa_source(0, bits1(7, 0), bit1(23))) return false;
  if (r.encoding == encoding::VOP1) return zero(bits1(31, 24) & 0xbf, "the fields of SRC1");
  if (bits1(26, 24) == 7) return fail("SDWA SRC1_SEL 7 is reserved");
  i_.src_sel[1] = static_cast<sdwa_select>(bits1(26, 24));
  i_.sext |= static_cast<uint8_t>(bit1(27) << 1);
  i_.neg |= static_cast<uint8_t>(bit1(28) << 1);
  i_.abs |= static_cast<uint8_t>(bit1(29) << 1);
  return sdwa_source(1, bits(16, 9), bit1(31));
}

/// SRC0 of VOP1, VOP2 and VOPC: a source, or the mark of a DPP or SDWA dword.
bool decoder::vop_source0() {
  const unsigned code = bits(8, 0);
  if (code == operand_code::sdwa) return sdwa(i_.info->encoding == encoding::VOPC);
  if (code == operand_code::dpp) return dpp();
  return i_.info->src[0] == operand_type::none || source(i_.src[0], code, i_.info->src[0]);
}

bool decoder::vop1() {
  if (!find(encoding::VOP1, bits(16, 9))) return false;
  const opcode_info& r = *i_.info;
  if (r.dst != operand_type::none) {
    if (r.has(SGPR_DST)) {
      if (!sgpr(i_.dst, bits(24, 17), r.dst, "VDST")) return false;
    } else if (!vgpr(i_.dst, bits(24, 17), r.dst)) {
      return false;
    }
  }
  else if (!zero(bits(24, 17), "VDST")) return false;
  if (!vop_source0()) return false;
  if (r.id == op::v_swap_b32) {
    if (!i_.src[0].is_vgpr()) return fail("v_swap_b32 swaps two VGPRs; source operand code %u is none", i_.src[0].code);
    i_.sdst = i_.src[0];
    i_.src[1] = {i_.dst.code, r.src[1]};
  }
  if (r.id == op::v_readfirstlane_b32) {
    const code_class k = codes.of[i_.src[0].code];
    if (k != code_class::vgpr && k != code_class::lds_direct) return fail("v_readfirstlane_b32 reads a VGPR; source operand code %u is none", i_.src[0].code);
  }
  return true;
}

bool decoder::vop2() {
  if (!find(encoding::VOP2, bits(30, 25))) return false;
  const opcode_info& r = *i_.info;
  if (!vgpr(i_.dst, bits(24, 17), r.dst) || !vop_source0()) return false;
  switch (r.id) {
    case op::v_madmk_f32:
    case op::v_madmk_f16:
      if (!take_literal()) return false;
      i_.src[1] = {operand_code::literal, r.src[1]};
      return vgpr(i_.src[2], bits(16, 9), r.src[2]);
    case op::v_madak_f32:
    case op::v_madak_f16:
      if (!take_literal()) return false;
      i_.src[2] = {operand_code::literal, r.src[2]};
      return vgpr(i_.src[1], bits(16, 9), r.src[1]);
    default: break;
  }
  if (i_.form != form::sdwa && !vgpr(i_.src[1], bits(16, 9), r.src[1])) return false;
  if (r.sdst != operand_type::none) i_.sdst = {operand_code::vcc_lo, r.sdst};
  if (r.src[2] == operand_type::mask) i_.src[2] = {operand_code::vcc_lo, r.src[2]};
  else if (r.has(DST_IS_SRC)) i_.src[2] = {i_.dst.code, r.src[2]};
  return true;
}

bool decoder::vopc() {
  if (!find(encoding::VOPC, bits(24, 17))) return false;
  i_.sdst = {operand_code::vcc_lo, operand_type::mask};
  if (!vop_source0()) return false;
  return i_.form == form::sdwa || vgpr(i_.src[1], bits(16, 9), i_.info->src[1]);
}

bool decoder::vop3_interp() {
  const opcode_info& r = *i_.info;
  if (!vgpr(i_.dst, bits(7, 0), r.dst)) return false;
  i_.interp_attr = static_cast<uint8_t>(bits1(5, 0));
  i_.interp_chan = static_cast<uint8_t>(bits1(7, 6));
  i_.op_sel = static_cast<uint8_t>(bit1(8));
  i_.clamp = bit(15);
  i_.omod = static_cast<uint8_t>(bits1(28, 27));
  i_.abs = static_cast<uint8_t>(bits(10, 9)); // SRC1 and SRC2 of the encoding are src[0] and src[1]
  i_.neg = static_cast<uint8_t>(bits1(31, 30));
  const bool third = r.src[1] != operand_type::none, halves = r.id != op::v_interp_p1_f32 && r.id != op::v_interp_p2_f32 && r.id != op::v_interp_mov_f32;
  if (!zero(bit(8) | bit1(29), "ABS and NEG of the attribute") || !modifiers()) return false;
  if (!halves && !zero(i_.op_sel, "HIGH")) return false;
  if (!third && !zero(bits1(26, 18), "SRC2")) return false;
  if (!r.has(OMOD) && !zero(i_.omod, "OMOD")) return false;
  if (r.id == op::v_interp_mov_f32) {
    i_.simm16 = static_cast<int32_t>(bits1(17, 9));
    if (i_.simm16 > 2) return fail("v_interp_mov_f32: parameter %d is none of P10, P20, P0", i_.simm16);
    return true;
  }
  // The VGPR with I or J stands in SRC1, the third operand in SRC2.
  const unsigned v = bits1(17, 9), v2 = bits1(26, 18);
  if (v < operand_code::vgpr0 || (third && v2 < operand_code::vgpr0)) return fail("%s reads VGPRs only", r.name);
  if (!vgpr(i_.src[0], v - operand_code::vgpr0, r.src[0])) return false;
  return !third || vgpr(i_.src[1], v2 - operand_code::vgpr0, r.src[1]);
}

bool decoder::vop3() {
  if (!find(encoding::VOP3, bits(25, 16)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  if (r.number >= 0x270 && r.number <= 0x277) return vop3_interp();
  if (r.dst == operand_type::mask) { // compares
    if (!sgpr(i_.sdst, bits(7, 0), r.dst, "SDST")) return false;
  } else if (r.has(SGPR_DST)) {
    if (!sgpr(i_.dst, bits(7, 0), r.dst, "SDST")) return false;
  } else if (!vgpr_or_zero(i_.dst, bits(7, 0), r.dst, "VDST")) {
    return false;
  }
  i_.clamp = bit(15);
  i_.omod = static_cast<uint8_t>(bits1(28, 27));
  i_.neg = static_cast<uint8_t>(bits1(31, 29));
  if (r.has(VOP3B)) {
    if (!sgpr(i_.sdst, bits(14, 8), r.sdst, "SDST")) return false;
  } else {
    i_.abs = static_cast<uint8_t>(bits(10, 8));
    i_.op_sel = static_cast<uint8_t>(bits(14, 11));
  }
  if (!r.has(CLAMP) && !zero(i_.clamp, "CLAMP")) return false;
  if (!r.has(OMOD) && !zero(i_.omod, "OMOD")) return false;
  const unsigned fields[3] = {bits1(8, 0), bits1(17, 9), bits1(26, 18)};
  unsigned n = 0;
  for (; n < 3 && r.src[n] != operand_type::none; ++n) {
    if (n == 2 && r.has(DST_IS_SRC)) break;
    if (fields[n] == operand_code::literal) return fail("a VOP3 instruction cannot have a literal (source %u)", n);
    if (!source(i_.src[n], fields[n], r.src[n])) return false;
  }
  if (r.has(DST_IS_SRC)) i_.src[2] = {i_.dst.code, r.src[2]};
  if (r.has(OP_SEL) && n < 3 && !zero((i_.op_sel >> n) & 1, "OP_SEL of a source that is not there")) return false;
  return unused_sources(n, fields) && modifiers();
}

/// Source fields from `n` on belong to no operand.
bool decoder::unused_sources(unsigned n, const unsigned fields[3]) {
  static const char* const names[] = {"SRC0", "SRC1", "SRC2"};
  for (; n < 3; ++n)
    if (!zero(fields[n], names[n])) return false;
  return true;
}

/// ABS and NEG (VOP3P: NEG_HI and NEG) of sources that have none.
bool decoder::modifiers() {
  const unsigned may = (i_.info->flags / MODIFIERS_0) & 7;
  return zero((i_.abs | i_.neg_hi) & ~may, i_.info->encoding == encoding::VOP3P ? "NEG_HI" : "ABS") && zero(i_.neg & ~may, "NEG");
}

bool decoder::vop3p() {
  if (!find(encoding::VOP3P, bits(22, 16)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  if (!vgpr(i_.dst, bits(7, 0), r.dst)) return false;
  i_.neg_hi = static_cast<uint8_t>(bits(10, 8));
  i_.op_sel = static_cast<uint8_t>(bits(13, 11));
  i_.op_sel_hi = static_cast<uint8_t>(bits1(28, 27) | bit(14) << 2);
  i_.clamp = bit(15);
  i_.neg = static_cast<uint8_t>(bits1(31, 29));
  const unsigned fields[3] = {bits1(8, 0), bits1(17, 9), bits1(26, 18)};
  unsigned n = 0;
  for (; n < 3 && r.src[n] != operand_type::none; ++n) {
    if (fields[n] == operand_code::literal) return fail("a VOP3P instruction cannot have a literal (source %u)", n);
    if (!source(i_.src[n], fields[n], r.src[n])) return false;
  }
  return unused_sources(n, fields) && modifiers() && (n == 3 || zero(i_.op_sel >> n, "OP_SEL of a source that is not there"));
}

bool decoder::vintrp() {
  if (!find(encoding::VINTRP, bits(17, 16))) return false;
  const opcode_info& r = *i_.info;
  i_.interp_attr = static_cast<uint8_t>(bits(15, 10));
  i_.interp_chan = static_cast<uint8_t>(bits(9, 8));
  if (!vgpr(i_.dst, bits(25, 18), r.dst)) return false;
  if (r.src[0] != operand_type::none) return vgpr(i_.src[0], bits(7, 0), r.src[0]);
  i_.simm16 = static_cast<int32_t>(bits(7, 0));
  if (i_.simm16 > 2) return fail("v_interp_mov_f32: parameter %d is none of P10, P20, P0", i_.simm16);
  return true;
}

} // namespace lyra::isa
