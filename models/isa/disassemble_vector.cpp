// SPDX-License-Identifier: Apache-2.0
// Text of vector ALU and interpolation instructions.
#include "isa/text_writer.h"

namespace lyra::isa {

void text_writer::omod() {
  static const char* const names[] = {"", " mul:2", " mul:4", " div:2"};
  put(names[i_.omod]);
}

void text_writer::bit_list(const char* name, unsigned bits, unsigned count, unsigned usual) {
  if (bits == usual) return;
  put(name);
  for (unsigned n = 0; n < count; ++n) {
    text_ += n ? ',' : '[';
    text_ += (bits >> n) & 1 ? '1' : '0';
  }
  text_ += ']';
}

void text_writer::dpp_suffix() {
  const unsigned c = i_.dpp_ctrl;
  text_ += ' ';
  if (c <= 0xff) {
    put("quad_perm:[");
    for (unsigned n = 0; n < 4; ++n) {
      if (n) text_ += ',';
      decimal((c >> (2 * n)) & 3);
    }
    text_ += ']';
  } else if (c < 0x130) {
    put(c < 0x110 ? "row_shl:" : c < 0x120 ? "row_shr:" : "row_ror:");
    decimal(c & 15);
  } else {
    put(c == 0x130 ? "wave_shl:1" : c == 0x134 ? "wave_rol:1" : c == 0x138 ? "wave_shr:1" : c == 0x13c ? "wave_ror:1" :
        c == 0x140 ? "row_mirror" : c == 0x141 ? "row_half_mirror" : c == 0x142 ? "row_bcast:15" : "row_bcast:31");
  }
  put(" row_mask:");
  hex(i_.row_mask);
  put(" bank_mask:");
  hex(i_.bank_mask);
  if (i_.bound_ctrl) put(" bound_ctrl:1");
}

void text_writer::sdwa_suffix() {
  static const char* const parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  static const char* const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  if (i_.encoding() != encoding::VOPC) {
    put(" dst_sel:");
    put(parts[static_cast<unsigned>(i_.dst_sel)]);
    put(" dst_unused:");
    put(unused[i_.dst_unused]);
  }
  put(" src0_sel:");
  put(parts[static_cast<unsigned>(i_.src_sel[0])]);
  if (i_.info->src[1] != operand_type::none) {
    put(" src1_sel:");
    put(parts[static_cast<unsigned>(i_.src_sel[1])]);
  }
}

static bool is_k(const opcode_info& r) {
  return r.id == op::v_madmk_f32 || r.id == op::v_madak_f32 || r.id == op::v_madmk_f16 || r.id == op::v_madak_f16;
}

/// VOP1, VOP2, VOPC in all their forms.
void text_writer::vector() {
  const opcode_info& r = *i_.info;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (r.id == op::v_swap_b32) return operand_plain(i_.src[0]);
  if (i_.sdst.present()) operand_plain(i_.sdst);
  for (unsigned n = 0; n < 3 && r.src[n] != operand_type::none; ++n) {
    if (n == 2 && r.has(DST_IS_SRC)) break;
    const operand_type t = r.src[n];
    const bool whole = t == operand_type::i16 || t == operand_type::i32;
    if (is_k(r) && i_.src[n].is_literal()) {
      separate();
      if (n != 0) hex(i_.literal); // K: always in hexadecimal, all 32 bits
      else if (r.id == op::v_madmk_f16) value_32(i_.literal);
      else value(i_.src[0]);
      continue;
    }
    if (t == operand_type::mask || i_.form == form::plain) operand_plain(i_.src[n]);
    else if (i_.form == form::sdwa) operand_modified(n, whole);
    else if (r.has(MODIFIERS_0 << n) && r.id != op::v_cndmask_b32) operand_modified(n, whole); // LLVM does not show those of v_cndmask_b32_dpp
    else operand_plain(i_.src[n]);
  }
  if (i_.form == form::dpp) return dpp_suffix();
  if (i_.form == form::sdwa && r.src[0] != operand_type::none) {
    flag(i_.clamp, "clamp");
    if (r.has(OMOD)) omod();
    sdwa_suffix();
  }
}

void text_writer::vop3() {
  const opcode_info& r = *i_.info;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (i_.sdst.present()) operand_plain(i_.sdst);
  unsigned count = 0;
  for (unsigned n = 0; n < 3 && r.src[n] != operand_type::none; ++n) {
    if (n == 2 && r.has(DST_IS_SRC)) break;
    const bool whole = r.src[n] == operand_type::i16 || r.src[n] == operand_type::i32;
    if (r.has(MODIFIERS_0 << n) && !(whole && r.has(OP_SEL))) operand_modified(n, whole);
    else operand_plain(i_.src[n]);
    ++count;
  }
  if (r.has(OP_SEL)) {
    const unsigned selected = (i_.op_sel & ((1u << count) - 1)) | ((i_.op_sel >> 3) & 1) << count;
    bit_list(" op_sel:", selected, count + 1, 0);
  }
  flag(i_.clamp && r.has(CLAMP), "clamp");
  if (r.has(OMOD)) omod();
}

void text_writer::vop3p() {
  const opcode_info& r = *i_.info;
  const bool mixed = r.src[0] == operand_type::mix;
  operand_plain(i_.dst);
  unsigned count = 0;
  for (unsigned n = 0; n < 3 && r.src[n] != operand_type::none; ++n, ++count) {
    separate();
    if (mixed) negated(i_.src[n], (i_.neg >> n) & 1, (i_.neg_hi >> n) & 1);
    else value(i_.src[n]);
  }
  const unsigned all = (1u << count) - 1;
  bit_list(" op_sel:", i_.op_sel & all, count, 0);
  bit_list(" op_sel_hi:", i_.op_sel_hi & all, count, mixed ? 0 : all);
  if (!mixed) {
    bit_list(" neg_lo:", i_.neg & all, count, 0);
    bit_list(" neg_hi:", i_.neg_hi & all, count, 0);
  }
  flag(i_.clamp, "clamp");
}

void text_writer::interp() {
  static const char* const parameters[] = {"p10", "p20", "p0"};
  const opcode_info& r = *i_.info;
  operand_plain(i_.dst);
  if (r.id == op::v_interp_mov_f32) {
    separate();
    put(parameters[i_.simm16]);
  } else if (r.encoding == encoding::VOP3) {
    operand_modified(0, false);
  } else {
    operand_plain(i_.src[0]);
  }
  put(", attr");
  decimal(i_.interp_attr);
  text_ += '.';
  text_ += "xyzw"[i_.interp_chan];
  if (r.src[1] != operand_type::none) operand_modified(1, false);
  if (r.encoding == encoding::VINTRP) return;
  flag((i_.op_sel & 1) != 0, "high");
  flag(i_.clamp, "clamp");
  if (r.has(OMOD)) omod();
}

} // namespace lyra::isa
