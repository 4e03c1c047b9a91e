// SPDX-License-Identifier: Apache-2.0
// The instruction decoder: encodings and fields of the Vega ISA (chapter 13). Here: operands, scalar encodings, and the choice of the encoding.
//
// Everything that decides is a table look-up or a bit test; text is made only for errors.
// Fields that an instruction does not have must be 0 where LLVM's assembler knows them as fixed; bits that it ignores are ignored here too.
#include "isa/decoder.h"
#include <cstdarg>
#include <cstdio>

namespace lyra::isa {

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
