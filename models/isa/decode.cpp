// SPDX-License-Identifier: Apache-2.0
// The instruction decoder: encodings and fields of the Vega ISA (chapter 13).
//
// Everything that decides is a table look-up or a bit test; text is made only for errors.
#include "isa/table.h"
#include <cstdarg>
#include <cstdio>

namespace lyra::isa {
namespace {

/// What a 9-bit source code stands for.
enum class code_class : uint8_t { reserved, sgpr, special, ttmp, constant, aperture, condition, lds_direct, literal, vgpr };

struct code_table {
  code_class of[512];
  constexpr code_table() : of() {
    using namespace operand_code;
    for (unsigned c = 0; c < 512; ++c) {
      code_class k = code_class::reserved;
      if (c <= sgpr_last) k = code_class::sgpr;
      else if (c <= vcc_hi || c == m0 || c == exec_lo || c == exec_hi) k = code_class::special;
      else if (c >= ttmp0 && c <= ttmp15) k = code_class::ttmp;
      else if ((c >= zero && c <= int_m16) || (c >= f_0_5 && c <= inv_2pi)) k = code_class::constant;
      else if (c >= shared_base && c <= pops_exiting_wave_id) k = code_class::aperture;
      else if (c >= vccz && c <= scc) k = code_class::condition;
      else if (c == operand_code::lds_direct) k = code_class::lds_direct;
      else if (c == operand_code::literal) k = code_class::literal;
      else if (c >= vgpr0) k = code_class::vgpr;
      of[c] = k;
    }
  }
};
constexpr code_table codes;

class decoder {
public:
  decoder(const uint32_t* words, unsigned available, target chip, decode_result& out)
      : available_(available), chip_(chip), i_(out.inst), error_(out.error), w0_(words[0]), w1_(available > 1 ? words[1] : 0) {}

  bool run();

private:
  unsigned bits(unsigned high, unsigned low) const { return (w0_ >> low) & ((2u << (high - low)) - 1); }
  unsigned bits1(unsigned high, unsigned low) const { return (w1_ >> low) & ((2u << (high - low)) - 1); }
  bool bit(unsigned n) const { return (w0_ >> n) & 1; }
  bool bit1(unsigned n) const { return (w1_ >> n) & 1; }

  bool fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
  bool find(encoding e, unsigned number);
  bool need_second_dword();
  bool take_literal();

  bool zero(unsigned value, const char* field);
  bool vgpr(operand& o, unsigned n, operand_type t);
  bool vgpr_or_zero(operand& o, unsigned n, operand_type t, const char* field);
  bool sgpr(operand& o, unsigned code, operand_type t, const char* what);
  bool source(operand& o, unsigned code, operand_type t);
  bool check_tuple(unsigned code, code_class k, unsigned dwords, const char* what);

  bool sop1();
  bool sop2();
  bool sopk();
  bool sopc();
  bool sopp();
  bool smem();
  bool vop1();
  bool vop2();
  bool vopc();
  bool vop3();
  bool vop3p();
  bool unused_sources(unsigned n, const unsigned fields[3]);
  bool modifiers();
  bool vop3_interp();
  bool vintrp();
  bool ds();
  bool flat();
  bool buffer(bool typed);
  bool mimg();
  bool exp();
  bool dpp();
  bool sdwa(bool compare);
  bool sdwa_source(unsigned n, unsigned byte, bool scalar);
  bool vop_source0();

  const unsigned available_;
  const target chip_;
  instruction& i_;
  std::string& error_;
  const uint32_t w0_, w1_;
  bool literal_taken_ = false;
};

bool decoder::fail(const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  error_ = text;
  return false;
}

bool decoder::find(encoding e, unsigned number) {
  i_.info = find_opcode(e, number, chip_);
  if (i_.info) return true;
  const target other = chip_ == target::gfx900 ? target::gfx906 : target::gfx900;
  const opcode_info* there = find_opcode(e, number, other);
  if (there)
    return fail("%s opcode %u is %s of %s, which %s does not have", name_of(e), number, there->name, other == target::gfx906 ? "gfx906" : "gfx900",
                chip_ == target::gfx906 ? "gfx906" : "gfx900");
  return fail("%s opcode %u is reserved", name_of(e), number);
}

bool decoder::need_second_dword() {
  i_.size_bytes = 8;
  if (available_ < 2) return fail("the second dword of this %s instruction is missing: the code ends here", i_.info ? i_.info->name : "8-byte");
  i_.words[1] = w1_;
  return true;
}

bool decoder::take_literal() {
  if (literal_taken_) return true;
  if (!need_second_dword()) return false;
  i_.literal = w1_;
  literal_taken_ = true;
  return true;
}

/// A field that the instruction does not have must be 0.
bool decoder::zero(unsigned value, const char* field) {
  return value == 0 || fail("%s: %s must be 0 (it is 0x%x)", i_.info->name, field, value);
}

bool decoder::check_tuple(unsigned code, code_class k, unsigned dwords, const char* what) {
  const unsigned align = dwords >= 4 ? 4 : dwords;
  const unsigned first = k == code_class::ttmp ? code - operand_code::ttmp0 : code;
  const char* const file = k == code_class::ttmp ? "ttmp" : "s";
  const unsigned last = k == code_class::ttmp ? 15 : operand_code::sgpr_last;
  if (k == code_class::special) {
    char name[24];
    if (dwords > 2 || code == operand_code::m0) return fail("%s: %s cannot hold %u dwords", what, scalar_name(code, 1, name), dwords);
    if (code & 1) return fail("%s: %s is the second half of a register pair; a 64-bit operand must name the first", what, scalar_name(code, 1, name));
    return true;
  }
  if (first % align)
    return fail("%s: %s[%u:%u] is not aligned: a %u-dword scalar operand must start at a multiple of %u", what, file, first, first + dwords - 1, dwords, align);
  if (first + dwords - 1 > last) return fail("%s: %s[%u:%u] runs past %s%u", what, file, first, first + dwords - 1, file, last);
  return true;
}

bool decoder::vgpr(operand& o, unsigned n, operand_type t) {
  const unsigned dwords = dwords_of(t);
  if (dwords > 1 && n + dwords > 256) return fail("v[%u:%u] runs past v255", n, n + dwords - 1);
  o.code = static_cast<uint16_t>(operand_code::vgpr0 + n);
  o.type = t;
  return true;
}

/// A VGPR field of a memory encoding: 0 where the instruction does not have the operand.
bool decoder::vgpr_or_zero(operand& o, unsigned n, operand_type t, const char* field) {
  return t == operand_type::none ? zero(n, field) : vgpr(o, n, t);
}

/// A field that names a scalar register (never a constant).
bool decoder::sgpr(operand& o, unsigned code, operand_type t, const char* what) {
  const code_class k = codes.of[code];
  if (k != code_class::sgpr && k != code_class::special && k != code_class::ttmp) return fail("%s: operand code %u is no scalar register", what, code);
  const unsigned dwords = dwords_of(t);
  if (dwords > 1 && !check_tuple(code, k, dwords, what)) return false;
  o.code = static_cast<uint16_t>(code);
  o.type = t;
  return true;
}

/// An 8- or 9-bit source field: register, constant or literal.
bool decoder::source(operand& o, unsigned code, operand_type t) {
  const code_class k = codes.of[code];
  if (k == code_class::vgpr) {
    if (t == operand_type::mask) return fail("a lane mask is an SGPR pair, not v%u", code - operand_code::vgpr0);
    return vgpr(o, code - operand_code::vgpr0, t);
  }
  const unsigned dwords = dwords_of(t);
  switch (k) {
    case code_class::reserved: return fail("source operand code %u is reserved", code);
    case code_class::sgpr:
    case code_class::special:
    case code_class::ttmp:
      if (dwords > 1 && !check_tuple(code, k, dwords, "source operand")) return false;
      break;
    case code_class::literal:
      if (i_.info->encoding == encoding::SOP1 && (t == operand_type::b32 || t == operand_type::b64))
        return fail("%s: a literal stands where a scalar register must stand", i_.info->name);
      if (!take_literal()) return false;
      break;
    case code_class::constant:
      if (t == operand_type::mask || dwords > 2 || (i_.info->encoding == encoding::SOP1 && (t == operand_type::b32 || t == operand_type::b64)))
        return fail("%s: operand code %u is a constant where registers must stand", i_.info->name, code);
      break;
    case code_class::lds_direct:
      if (dwords > 1) return fail("LDS_DIRECT is a 32-bit operand, %s reads %u bits", i_.info->name, 32 * dwords);
      if (&o != &i_.src[0] || i_.info->encoding < encoding::VOP1) return fail("%s: LDS_DIRECT can only be SRC0 of a vector instruction", i_.info->name);
      break;
    default: break;
  }
  o.code = static_cast<uint16_t>(code);
  o.type = t;
  return true;
}

// ---------------------------------------------------------------- scalar

bool decoder::sop2() {
  if (!find(encoding::SOP2, bits(29, 23))) return false;
  const opcode_info& r = *i_.info;
  if (r.dst != operand_type::none && !sgpr(i_.dst, bits(22, 16), r.dst, "SDST")) return false;
  return source(i_.src[0], bits(7, 0), r.src[0]) && source(i_.src[1], bits(15, 8), r.src[1]);
}

bool decoder::sop1() {
  if (!find(encoding::SOP1, bits(15, 8))) return false;
  const opcode_info& r = *i_.info;
  if (r.dst != operand_type::none && !sgpr(i_.dst, bits(22, 16), r.dst, "SDST")) return false;
  if (r.src[0] != operand_type::none && !source(i_.src[0], bits(7, 0), r.src[0])) return false;
  if (r.src[1] != operand_type::none) i_.src[1] = {i_.dst.code, r.src[1]};
  return true;
}

bool decoder::sopk() {
  if (!find(encoding::SOPK, bits(27, 23))) return false;
  const opcode_info& r = *i_.info;
  i_.simm16 = static_cast<int16_t>(w0_ & 0xffff);
  if (r.dst != operand_type::none && !sgpr(i_.dst, bits(22, 16), r.dst, "SDST")) return false;
  if (r.src[0] != operand_type::none && !sgpr(i_.src[0], bits(22, 16), r.src[0], "SDST")) return false; // compares read SDST
  return r.id == op::s_setreg_imm32_b32 ? take_literal() : true;
}

bool decoder::sopc() {
  if (!find(encoding::SOPC, bits(22, 16))) return false;
  const opcode_info& r = *i_.info;
  if (!source(i_.src[0], bits(7, 0), r.src[0])) return false;
  if (r.src[1] != operand_type::none) return source(i_.src[1], bits(15, 8), r.src[1]);
  i_.simm16 = static_cast<int32_t>(bits(15, 8));
  return true;
}

bool decoder::sopp() {
  i_.simm16 = static_cast<int16_t>(w0_ & 0xffff);
  if (!find(encoding::SOPP, bits(22, 16))) return false;
  return !i_.info->has(NO_IMMEDIATE) || zero(bits(15, 0), "SIMM16");
}

bool decoder::smem() {
  if (!find(encoding::SMEM, bits(25, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.imm = bit(17);
  i_.glc = bit(16);
  i_.nv = bit(15);
  i_.soffset_en = bit(14);
  const operand_type data = r.src[2] != operand_type::none && dwords_of(r.src[2]) > dwords_of(r.dst) ? r.src[2] : r.dst;
  if (data != operand_type::none && !sgpr(i_.vdata, bits(12, 6), data, "SDATA")) return false;
  if (r.id == op::s_atc_probe || r.id == op::s_atc_probe_buffer) i_.simm16 = static_cast<int32_t>(bits(12, 6));
  if (r.src[0] == operand_type::none) // time and whole-cache operations have no address
    return zero(i_.imm, "IMM");
  if (!sgpr(i_.srsrc, bits(5, 0) * 2, r.src[0], "SBASE")) return false;
  if (i_.imm) i_.offset = static_cast<int32_t>(w1_ << 11) >> 11; // 21 bits, signed
  if (i_.soffset_en) return sgpr(i_.saddr, bits1(31, 25), operand_type::b32, "SOFFSET");
  if (!i_.imm) return sgpr(i_.saddr, bits1(6, 0), operand_type::b32, "OFFSET");
  return true;
}

// ---------------------------------------------------------------- vector

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

// ---------------------------------------------------------------- memory

bool decoder::ds() {
  if (!find(encoding::DS, bits(24, 17)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.gds = bit(16);
  if (r.has(TWO_OFFSETS)) {
    i_.offset0 = static_cast<uint8_t>(bits(7, 0));
    i_.offset1 = static_cast<uint8_t>(bits(15, 8));
  } else {
    i_.offset = static_cast<int32_t>(bits(15, 0));
  }
  if (r.has(GDS_ONLY) && !i_.gds) return fail("%s works on GDS only: its GDS bit must be 1", r.name);
  if (r.has(LDS_ONLY) && !zero(i_.gds, "GDS")) return false;
  if (r.id == op::ds_nop && !zero(bits(15, 0), "OFFSET")) return false;
  return vgpr_or_zero(i_.vaddr, bits1(7, 0), r.src[0], "ADDR") && vgpr_or_zero(i_.vdata, bits1(15, 8), r.src[1], "DATA0") &&
         vgpr_or_zero(i_.vdata2, bits1(23, 16), r.src[2], "DATA1") && vgpr_or_zero(i_.dst, bits1(31, 24), r.dst, "VDST");
}

bool decoder::flat() {
  const unsigned segment = bits(15, 14);
  if (segment == 3) return fail("FLAT segment 3 is reserved");
  const encoding e = segment == 0 ? encoding::FLAT : segment == 1 ? encoding::SCRATCH : encoding::GLOBAL;
  if (!find(e, bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.slc = bit(17);
  i_.glc = bit(16);
  i_.lds = bit(13);
  i_.nv = bit1(23);
  const unsigned saddr = bits1(22, 16);
  const bool has_saddr = e != encoding::FLAT && saddr != 0x7f;
  if (e == encoding::FLAT) i_.offset = static_cast<int32_t>(bits(11, 0));
  else i_.offset = static_cast<int32_t>(w0_ << 19) >> 19; // 13 bits, signed
  if (e == encoding::FLAT && bit(12)) return fail("FLAT offset bit 12 must be 0: the offset has 12 bits");
  if (i_.lds && (e == encoding::FLAT || !r.has(LOADS_LDS))) return fail("%s cannot have LDS set: it does not write to LDS", r.name);
  if (e == encoding::FLAT && !zero(saddr, "SADDR")) return false;
  if (has_saddr && !sgpr(i_.saddr, saddr, e == encoding::GLOBAL ? operand_type::b64 : operand_type::b32, "SADDR")) return false;
  // SCRATCH: a VGPR offset or an SGPR offset; GLOBAL: a 64-bit VGPR address, or an SGPR base with a 32-bit VGPR offset.
  operand_type address = e == encoding::SCRATCH || has_saddr ? operand_type::b32 : operand_type::b64;
  if (e == encoding::SCRATCH && has_saddr) address = operand_type::none;
  const bool returns = r.memory == memory_kind::atomic ? i_.glc : r.result_dwords && !i_.lds;
  if (address != operand_type::none && !vgpr(i_.vaddr, bits1(7, 0), address)) return false;
  if (r.data_dwords && !vgpr(i_.vdata, bits1(15, 8), register_type(r.data_dwords))) return false;
  return !returns || vgpr(i_.dst, bits1(31, 24), register_type(r.result_dwords));
}

bool decoder::buffer(bool typed) {
  if (!find(typed ? encoding::MTBUF : encoding::MUBUF, typed ? bits(18, 15) : bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  if (r.memory == memory_kind::cache) return zero(bits(16, 12), "OFFEN, IDXEN, GLC, LDS");
  i_.offset = static_cast<int32_t>(bits(11, 0));
  i_.offen = bit(12);
  i_.idxen = bit(13);
  i_.glc = bit(14);
  i_.tfe = bit1(23);
  if (typed) {
    i_.dfmt = static_cast<uint8_t>(bits(22, 19));
    i_.nfmt = static_cast<uint8_t>(bits(25, 23));
    i_.slc = bit1(22);
  } else {
    i_.slc = bit(17);
    i_.lds = bit(16);
    if (i_.lds && !r.has(LOADS_LDS) && r.memory != memory_kind::store_lds) return fail("%s cannot have LDS set: it does not write to LDS", r.name);
    if (!i_.lds && r.memory == memory_kind::store_lds) return fail("%s must have LDS set", r.name);
    if (r.memory == memory_kind::store_lds && !zero(bits(13, 12), "OFFEN, IDXEN")) return false;
  }
  if (!sgpr(i_.srsrc, bits1(20, 16) * 4, operand_type::b128, "SRSRC")) return false;
  const unsigned soffset = bits1(31, 24);
  if (codes.of[soffset] == code_class::literal) return fail("SOFFSET cannot be a literal");
  if (!source(i_.soffset, soffset, operand_type::i32)) return false;
  if (i_.offen || i_.idxen)
    if (!vgpr(i_.vaddr, bits1(7, 0), i_.offen && i_.idxen ? operand_type::b64 : operand_type::b32)) return false;
  unsigned dwords = r.data_dwords > r.result_dwords ? r.data_dwords : r.result_dwords;
  if (i_.lds) dwords = 0;
  if (dwords && i_.tfe) ++dwords;
  return !dwords || vgpr(i_.vdata, bits1(15, 8), register_type(dwords));
}

bool decoder::mimg() {
  if (!find(encoding::MIMG, bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.dmask = static_cast<uint8_t>(bits(11, 8));
  i_.unorm = bit(12);
  i_.glc = bit(13);
  i_.da = bit(14);
  i_.a16 = bit(15);
  i_.tfe = bit(16);
  i_.lwe = bit(17);
  i_.slc = bit(25);
  i_.d16 = bit1(31);
  if (!zero(bit(0), "bit 0")) return false;
  if (r.src[2] == operand_type::none && !zero(bits1(25, 21), "SSAMP")) return false;
  if (!r.has(D16) && !zero(i_.d16, "D16")) return false;
  unsigned dwords = static_cast<unsigned>(__builtin_popcount(i_.dmask));
  if (r.memory == memory_kind::atomic) {
    const unsigned least = r.atomic == atomic_operation::atomic_cmpswap ? 3 : 1, most = least == 3 ? 15 : 3;
    if (i_.dmask != least && i_.dmask != most) return fail("%s: DMASK must be 0x%x (32 bits) or 0x%x (64 bits), not 0x%x", r.name, least, most, i_.dmask);
  }
  if (r.memory == memory_kind::gather) dwords = 4;
  if (dwords == 0) dwords = 1;
  if (i_.d16) dwords = (dwords + 1) / 2;
  if (i_.tfe) ++dwords;
  if (!vgpr(i_.vaddr, bits1(7, 0), r.src[0]) || !vgpr(i_.vdata, bits1(15, 8), register_type(dwords))) return false;
  if (!sgpr(i_.srsrc, bits1(20, 16) * 4, operand_type::b256, "SRSRC")) return false;
  return r.src[2] == operand_type::none || sgpr(i_.ssamp, bits1(25, 21) * 4, operand_type::b128, "SSAMP");
}

bool decoder::exp() {
  if (!find(encoding::EXP, 0) || !need_second_dword()) return false;
  i_.exp_en = static_cast<uint8_t>(bits(3, 0));
  i_.exp_target = static_cast<uint8_t>(bits(9, 4));
  i_.exp_compr = bit(10);
  i_.exp_done = bit(11);
  i_.exp_vm = bit(12);
  operand* const data[4] = {&i_.src[0], &i_.src[1], &i_.src[2], &i_.vdata};
  for (unsigned n = 0; n < 4; ++n) {
    const bool used = i_.exp_compr ? n < 2 && (i_.exp_en >> (2 * n)) & 3 : (i_.exp_en >> n) & 1;
    if (used) vgpr(*data[n], bits1(8 * n + 7, 8 * n), operand_type::b32);
  }
  return true;
}

bool decoder::run() {
  i_.words[0] = w0_;
  if (!(w0_ >> 31)) {
    const unsigned op = bits(30, 25);
    return op == 0x3f ? vop1() : op == 0x3e ? vopc() : vop2();
  }
  if ((w0_ >> 30) == 2) { // 10: scalar ALU and program control
    switch (bits(29, 23)) {
      case 0x7d: return sop1();
      case 0x7e: return sopc();
      case 0x7f: return sopp();
      default: return bits(29, 28) == 3 ? sopk() : sop2();
    }
  }
  switch (w0_ >> 26) {
    case 0x30: return smem();
    case 0x31: return exp();
    case 0x34: return bits(25, 23) == 7 ? vop3p() : vop3();
    case 0x35: return vintrp();
    case 0x36: return ds();
    case 0x37: return flat();
    case 0x38: return buffer(false);
    case 0x3a: return buffer(true);
    case 0x3c: return mimg();
    default: return fail("no encoding of this chip begins with the bits of 0x%08x", w0_);
  }
}

} // namespace

const char* scalar_name(unsigned code, unsigned dwords, char* buffer) {
  static const char* const halves[] = {"flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo", "xnack_mask_hi", "vcc_lo", "vcc_hi"};
  static const char* const pairs[] = {"flat_scratch", "xnack_mask", "vcc"};
  const bool ttmp = code >= operand_code::ttmp0 && code <= operand_code::ttmp15;
  if (code <= operand_code::sgpr_last || ttmp) {
    const unsigned first = ttmp ? code - operand_code::ttmp0 : code;
    if (dwords <= 1) snprintf(buffer, 24, "%s%u", ttmp ? "ttmp" : "s", first);
    else snprintf(buffer, 24, "%s[%u:%u]", ttmp ? "ttmp" : "s", first, first + dwords - 1);
    return buffer;
  }
  if (code <= operand_code::vcc_hi) return dwords <= 1 ? halves[code - operand_code::flat_scratch_lo] : pairs[(code - operand_code::flat_scratch_lo) / 2];
  if (code == operand_code::m0) return "m0";
  if (code == operand_code::exec_lo) return dwords <= 1 ? "exec_lo" : "exec";
  if (code == operand_code::exec_hi) return "exec_hi";
  return nullptr;
}

decode_result decode(const uint32_t* words, unsigned available, target chip) {
  decode_result result;
  if (available == 0) {
    result.error = "no instruction: the code ends here";
    return result;
  }
  decoder d(words, available, chip, result);
  if (!d.run()) {
    if (result.error.empty()) result.error = "unknown encoding";
    result.inst.info = nullptr;
  }
  return result;
}

} // namespace lyra::isa
