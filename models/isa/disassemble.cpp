// SPDX-License-Identifier: Apache-2.0
// The text of an instruction, as LLVM 15 prints it (its assembler reads the same text back).
//
// LLVM's text is the reference even where it loses something: literals of 16-bit operands show 16 bits, NV is not shown,
// SDWA and DPP fields that an operation ignores are not shown, branch targets are the raw 16-bit dword offset.
#include "isa/table.h"
#include <cstdio>

namespace lyra::isa {
namespace {

/// Text under construction: appends only.
class writer {
public:
  writer(const instruction& i, target chip) : i_(i), chip_(chip) { text_.reserve(96); }
  std::string run();

private:
  void put(const char* s) { text_ += s; }
  void decimal(int64_t v) { text_ += std::to_string(v); }
  void hex(uint64_t v);
  void separate() { put(first_ ? " " : ", "); first_ = false; }

  void reg(const operand& o, unsigned dwords);
  void reg(const operand& o) { reg(o, dwords_of(o.type)); }
  void integer_16(uint16_t v);
  void float_16(uint32_t v);
  void value_32(uint32_t v);
  void value_64(uint64_t v);
  void constant(const operand& o);
  void value(const operand& o);
  void operand_plain(const operand& o) { separate(); value(o); }
  void operand_modified(unsigned n, bool sign_extends);
  void negated(const operand& o, bool neg, bool abs);
  void flag(bool on, const char* name) { if (on) { text_ += ' '; put(name); } }
  void offset(int32_t v, bool as_hex = false);

  void mnemonic();
  void scalar();
  void sopk();
  void sopp();
  void hwreg();
  void waitcnt();
  void sendmsg();
  void index_mode(unsigned bits);
  void smem();
  void vector();
  void vop3();
  void vop3p();
  void interp();
  void dpp_suffix();
  void sdwa_suffix();
  void omod();
  void bit_list(const char* name, unsigned bits, unsigned count, unsigned usual);
  void ds();
  void swizzle();
  void flat();
  void buffer();
  void mimg();
  void exp();

  const instruction& i_;
  const target chip_;
  std::string text_;
  bool first_ = true;
};

void writer::hex(uint64_t v) {
  char buffer[24];
  snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(v));
  put(buffer);
}

void writer::reg(const operand& o, unsigned dwords) {
  if (o.is_vgpr()) {
    text_ += 'v';
    if (dwords <= 1) {
      decimal(o.vgpr());
      return;
    }
    text_ += '[';
    decimal(o.vgpr());
    text_ += ':';
    decimal(o.vgpr() + dwords - 1);
    text_ += ']';
    return;
  }
  char buffer[24];
  const char* name = scalar_name(o.code, dwords, buffer);
  put(name ? name : "?");
}

// ---------------------------------------------------------------- constants

constexpr bool is_inline_integer(int64_t v) { return v >= -16 && v <= 64; }

void writer::integer_16(uint16_t v) {
  if (is_inline_integer(static_cast<int16_t>(v))) decimal(static_cast<int16_t>(v));
  else hex(v);
}

/// A literal is compared with the named constants in all its 32 bits, then shown by the low 16.
void writer::float_16(uint32_t v) {
  if (is_inline_integer(static_cast<int16_t>(v))) return decimal(static_cast<int16_t>(v));
  switch (v) {
    case 0x3800: return put("0.5");
    case 0xb800: return put("-0.5");
    case 0x3c00: return put("1.0");
    case 0xbc00: return put("-1.0");
    case 0x4000: return put("2.0");
    case 0xc000: return put("-2.0");
    case 0x4400: return put("4.0");
    case 0xc400: return put("-4.0");
    case 0x3118: return put("0.15915494");
    default: return hex(v & 0xffff);
  }
}

void writer::value_32(uint32_t v) {
  if (is_inline_integer(static_cast<int32_t>(v))) return decimal(static_cast<int32_t>(v));
  switch (v) {
    case 0x3f000000: return put("0.5");
    case 0xbf000000: return put("-0.5");
    case 0x3f800000: return put("1.0");
    case 0xbf800000: return put("-1.0");
    case 0x40000000: return put("2.0");
    case 0xc0000000: return put("-2.0");
    case 0x40800000: return put("4.0");
    case 0xc0800000: return put("-4.0");
    case 0x3e22f983: return put("0.15915494");
    default: return hex(v);
  }
}

void writer::value_64(uint64_t v) {
  if (is_inline_integer(static_cast<int64_t>(v))) return decimal(static_cast<int64_t>(v));
  switch (v) {
    case 0x3fe0000000000000: return put("0.5");
    case 0xbfe0000000000000: return put("-0.5");
    case 0x3ff0000000000000: return put("1.0");
    case 0xbff0000000000000: return put("-1.0");
    case 0x4000000000000000: return put("2.0");
    case 0xc000000000000000: return put("-2.0");
    case 0x4010000000000000: return put("4.0");
    case 0xc010000000000000: return put("-4.0");
    case 0x3fc45f306dc9c882: return put("0.15915494309189532");
    default: return hex(v);
  }
}

/// An inline constant or literal, by the operand's type.
void writer::constant(const operand& o) {
  static constexpr uint32_t f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
  static constexpr uint16_t f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  static constexpr uint64_t f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
                                     0xc000000000000000, 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
  const bool is_float = o.code >= operand_code::f_0_5 && o.code <= operand_code::inv_2pi;
  const unsigned n = is_float ? o.code - operand_code::f_0_5 : 0;
  int32_t v = 0;
  if (o.code == operand_code::literal) v = static_cast<int32_t>(i_.literal);
  else if (o.code <= operand_code::int_64) v = o.code - operand_code::zero;
  else if (!is_float) v = operand_code::int_64 - o.code;
  switch (o.type) {
    case operand_type::i16:
    case operand_type::pk_i16: return integer_16(is_float ? f16[n] : static_cast<uint16_t>(v));
    case operand_type::f16:
    case operand_type::pk_f16:
    case operand_type::mix: return float_16(is_float ? f16[n] : static_cast<uint32_t>(v));
    case operand_type::i64:
    case operand_type::f64:
    case operand_type::b64:
    case operand_type::mask:
      if (is_float) return value_64(f64[n]);
      return value_64(o.code == operand_code::literal ? static_cast<uint64_t>(i_.literal) : static_cast<uint64_t>(static_cast<int64_t>(v)));
    default: return value_32(is_float ? f32[n] : static_cast<uint32_t>(v));
  }
}

void writer::value(const operand& o) {
  using namespace operand_code;
  if (o.is_vgpr() || o.is_sgpr_like()) return reg(o);
  switch (o.code) {
    case shared_base: return put("src_shared_base");
    case shared_limit: return put("src_shared_limit");
    case private_base: return put("src_private_base");
    case private_limit: return put("src_private_limit");
    case pops_exiting_wave_id: return put("src_pops_exiting_wave_id");
    case vccz: return put("src_vccz");
    case execz: return put("src_execz");
    case scc: return put("src_scc");
    case lds_direct: return put("src_lds_direct");
    default: return constant(o);
  }
}

void writer::operand_modified(unsigned n, bool sign_extends) {
  separate();
  const bool neg = (i_.neg >> n) & 1, abs = (i_.abs >> n) & 1;
  if (sign_extends) {
    const bool sext = i_.form == form::sdwa ? (i_.sext >> n) & 1 : neg;
    if (sext) put("sext(");
    value(i_.src[n]);
    if (sext) put(")");
    return;
  }
  negated(i_.src[n], neg, abs);
}

/// -v1, |v1|, -|v1|; a negated constant is written neg(1), since -1 would be another constant.
void writer::negated(const operand& o, bool neg, bool abs) {
  using namespace operand_code;
  const bool number = (o.code >= zero && o.code <= int_m16) || (o.code >= f_0_5 && o.code <= inv_2pi) || o.is_literal();
  const bool call = neg && !abs && number;
  if (neg) put(call ? "neg(" : "-");
  if (abs) text_ += '|';
  value(o);
  if (abs) text_ += '|';
  if (call) text_ += ')';
}

// ---------------------------------------------------------------- scalar

void writer::mnemonic() {
  const opcode_info& r = *i_.info;
  put(r.name);
  if (r.dst == operand_type::none && r.src[0] == operand_type::none) return; // v_nop, v_clrexcp: one name in all forms
  if (i_.form == form::dpp) return put("_dpp");
  if (i_.form == form::sdwa) return put("_sdwa");
  switch (r.encoding) {
    case encoding::VOP1:
    case encoding::VOP2:
    case encoding::VOPC:
    case encoding::VINTRP:
      if (r.has(TWO_ENCODINGS)) put("_e32");
      return;
    case encoding::VOP3:
      if (r.has(TWO_ENCODINGS)) put("_e64");
      return;
    default: return;
  }
}

void writer::scalar() {
  const opcode_info& r = *i_.info;
  if (r.dst != operand_type::none) operand_plain(i_.dst);
  if (r.src[0] != operand_type::none) operand_plain(i_.src[0]);
  if (r.src[1] != operand_type::none && !r.has(DST_IS_SRC)) operand_plain(i_.src[1]);
  if (r.id == op::s_set_gpr_idx_on) {
    separate();
    index_mode(static_cast<unsigned>(i_.simm16));
  }
}

void writer::index_mode(unsigned bits) {
  static const char* const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (bits > 15) return hex(bits);
  put("gpr_idx(");
  bool more = false;
  for (unsigned n = 0; n < 4; ++n) {
    if (!((bits >> n) & 1)) continue;
    if (more) text_ += ',';
    put(names[n]);
    more = true;
  }
  text_ += ')';
}

void writer::hwreg() {
  static const char* const names[] = {nullptr, "MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS", nullptr, nullptr,
                                      nullptr, nullptr, nullptr, nullptr, nullptr, "SH_MEM_BASES", "TBA_LO", "TBA_HI", "TMA_LO", "TMA_HI"};
  const unsigned v = static_cast<uint16_t>(i_.simm16), id = v & 63, start = (v >> 6) & 31, width = (v >> 11) + 1;
  put("hwreg(");
  if (id < sizeof names / sizeof names[0] && names[id]) {
    put("HW_REG_");
    put(names[id]);
  } else {
    decimal(id);
  }
  if (start != 0 || width != 32) {
    put(", ");
    decimal(start);
    put(", ");
    decimal(width);
  }
  text_ += ')';
}

void writer::sopk() {
  const opcode_info& r = *i_.info;
  switch (r.id) {
    case op::s_setreg_b32:
      separate();
      hwreg();
      return operand_plain(i_.src[0]);
    case op::s_setreg_imm32_b32:
      separate();
      hwreg();
      separate();
      return value_32(i_.literal);
    case op::s_getreg_b32:
      operand_plain(i_.dst);
      separate();
      return hwreg();
    default: break;
  }
  operand_plain(r.dst != operand_type::none ? i_.dst : i_.src[0]);
  separate();
  if (r.id == op::s_call_b64 || r.id == op::s_cbranch_i_fork) decimal(static_cast<uint16_t>(i_.simm16));
  else hex(static_cast<uint16_t>(i_.simm16));
}

void writer::waitcnt() {
  const unsigned v = static_cast<uint16_t>(i_.simm16);
  const unsigned vm = (v & 15) | ((v >> 14) & 3) << 4, expected = (v >> 4) & 7, lgkm = (v >> 8) & 15;
  const bool all = vm == 63 && expected == 7 && lgkm == 15;
  const struct { const char* name; unsigned count, full; } fields[] = {{" vmcnt(", vm, 63}, {" expcnt(", expected, 7}, {" lgkmcnt(", lgkm, 15}};
  for (const auto& f : fields) {
    if (f.count == f.full && !all) continue;
    put(f.name);
    decimal(f.count);
    text_ += ')';
  }
}

void writer::sendmsg() {
  static const char* const messages[] = {nullptr, "MSG_INTERRUPT", "MSG_GS", "MSG_GS_DONE", "MSG_SAVEWAVE", "MSG_STALL_WAVE_GEN", "MSG_HALT_WAVES",
                                         "MSG_ORDERED_PS_DONE", "MSG_EARLY_PRIM_DEALLOC", "MSG_GS_ALLOC_REQ", "MSG_GET_DOORBELL", nullptr, nullptr, nullptr,
                                         nullptr, "MSG_SYSMSG"};
  static const char* const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
  static const char* const system[] = {nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};
  const unsigned v = static_cast<uint16_t>(i_.simm16), id = v & 15, operation = (v >> 4) & 7, stream = (v >> 8) & 3;
  const bool is_gs = id == 2 || id == 3, is_system = id == 15;
  bool named = messages[id] != nullptr;
  if (is_gs) named = named && operation < 4 && (id == 3 || operation != 0) && (operation != 0 || stream == 0);
  else if (is_system) named = named && operation >= 1 && operation <= 4 && stream == 0;
  else named = named && operation == 0 && stream == 0;
  text_ += ' ';
  if (named) {
    put("sendmsg(");
    put(messages[id]);
    if (is_gs || is_system) {
      put(", ");
      put(is_gs ? gs[operation] : system[operation]);
      if (is_gs && operation != 0) {
        put(", ");
        decimal(stream);
      }
    }
    text_ += ')';
  } else if ((id | operation << 4 | stream << 8) == v) {
    put("sendmsg(");
    decimal(id);
    put(", ");
    decimal(operation);
    put(", ");
    decimal(stream);
    text_ += ')';
  } else {
    decimal(v);
  }
}

void writer::sopp() {
  const opcode_info& r = *i_.info;
  const unsigned v = static_cast<uint16_t>(i_.simm16);
  switch (r.id) {
    case op::s_waitcnt: return waitcnt();
    case op::s_sendmsg:
    case op::s_sendmsghalt: return sendmsg();
    case op::s_endpgm:
      if (v) {
        text_ += ' ';
        decimal(v);
      }
      return;
    case op::s_wakeup:
    case op::s_barrier:
    case op::s_icache_inv:
    case op::s_ttracedata:
    case op::s_endpgm_saved:
    case op::s_set_gpr_idx_off:
    case op::s_endpgm_ordered_ps_done: return;
    case op::s_set_gpr_idx_mode:
      text_ += ' ';
      return index_mode(v);
    default: break;
  }
  text_ += ' ';
  if (r.has(BRANCH)) decimal(v);
  else value_32(v);
}

void writer::smem() {
  const opcode_info& r = *i_.info;
  if (i_.vdata.present()) operand_plain(i_.vdata);
  if (r.id == op::s_atc_probe || r.id == op::s_atc_probe_buffer) {
    separate();
    value_32(static_cast<uint32_t>(i_.simm16));
  }
  if (!i_.srsrc.present()) return;
  operand_plain(i_.srsrc);
  separate();
  if (i_.saddr.present()) {
    reg(i_.saddr);
    if (i_.imm) {
      put(" offset:");
      if (i_.offset < 0) text_ += '-';
      hex(static_cast<uint64_t>(i_.offset < 0 ? -static_cast<int64_t>(i_.offset) : i_.offset));
    }
  } else {
    if (i_.offset < 0) text_ += '-';
    hex(static_cast<uint64_t>(i_.offset < 0 ? -static_cast<int64_t>(i_.offset) : i_.offset));
  }
  flag(i_.glc && r.memory != memory_kind::cache, "glc");
}

// ---------------------------------------------------------------- vector

void writer::omod() {
  static const char* const names[] = {"", " mul:2", " mul:4", " div:2"};
  put(names[i_.omod]);
}

void writer::bit_list(const char* name, unsigned bits, unsigned count, unsigned usual) {
  if (bits == usual) return;
  put(name);
  for (unsigned n = 0; n < count; ++n) {
    text_ += n ? ',' : '[';
    text_ += (bits >> n) & 1 ? '1' : '0';
  }
  text_ += ']';
}

void writer::dpp_suffix() {
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

void writer::sdwa_suffix() {
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

bool is_k(const opcode_info& r) {
  return r.id == op::v_madmk_f32 || r.id == op::v_madak_f32 || r.id == op::v_madmk_f16 || r.id == op::v_madak_f16;
}

/// VOP1, VOP2, VOPC in all their forms.
void writer::vector() {
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

void writer::vop3() {
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

void writer::vop3p() {
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

void writer::interp() {
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

// ---------------------------------------------------------------- memory

void writer::offset(int32_t v, bool as_hex) {
  if (v == 0) return;
  put(" offset:");
  if (as_hex) hex(static_cast<uint64_t>(v));
  else decimal(v);
}

void writer::swizzle() {
  const unsigned v = static_cast<uint16_t>(i_.offset);
  if (v == 0) return;
  put(" offset:");
  if ((v & 0xff00) == 0x8000) {
    put("swizzle(QUAD_PERM");
    for (unsigned n = 0; n < 4; ++n) {
      text_ += ',';
      decimal((v >> (2 * n)) & 3);
    }
    text_ += ')';
    return;
  }
  if (v & 0x8000) return decimal(v);
  const unsigned and_mask = v & 31, or_mask = (v >> 5) & 31, xor_mask = (v >> 10) & 31;
  if (and_mask == 31 && or_mask == 0 && xor_mask != 0 && (xor_mask & (xor_mask - 1)) == 0) {
    put("swizzle(SWAP,");
    decimal(xor_mask);
    text_ += ')';
  } else if (and_mask == 31 && or_mask == 0 && xor_mask != 0 && (xor_mask & (xor_mask + 1)) == 0) {
    put("swizzle(REVERSE,");
    decimal(xor_mask + 1);
    text_ += ')';
  } else {
    const unsigned group = 32 - and_mask;
    if (group > 1 && (group & (group - 1)) == 0 && or_mask < group && xor_mask == 0) {
      put("swizzle(BROADCAST,");
      decimal(group);
      text_ += ',';
      decimal(or_mask);
      text_ += ')';
      return;
    }
    put("swizzle(BITMASK_PERM,\"");
    const unsigned with_0 = or_mask ^ xor_mask, with_1 = ((and_mask | or_mask) ^ xor_mask) & 31;
    for (unsigned bit = 16; bit; bit >>= 1) {
      const bool zero = with_0 & bit, one = with_1 & bit;
      text_ += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
    }
    put("\")");
  }
}

void writer::ds() {
  const opcode_info& r = *i_.info;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (i_.vaddr.present()) operand_plain(i_.vaddr);
  if (i_.vdata.present()) operand_plain(i_.vdata);
  if (i_.vdata2.present()) operand_plain(i_.vdata2);
  if (r.has(TWO_OFFSETS)) {
    if (i_.offset0) {
      put(" offset0:");
      decimal(i_.offset0);
    }
    if (i_.offset1) {
      put(" offset1:");
      decimal(i_.offset1);
    }
  } else if (r.id == op::ds_swizzle_b32) {
    swizzle();
  } else {
    offset(i_.offset);
  }
  flag(i_.gds, "gds");
}

void writer::flat() {
  const bool segment = i_.encoding() != encoding::FLAT;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (i_.vaddr.present()) {
    operand_plain(i_.vaddr);
  } else {
    separate();
    put("off");
  }
  if (i_.vdata.present()) operand_plain(i_.vdata);
  if (segment) {
    separate();
    if (i_.saddr.present()) reg(i_.saddr);
    else put("off");
  }
  offset(i_.offset);
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.lds, "lds");
}

void writer::buffer() {
  static const char* const data_formats[] = {"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8",
                                             "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  static const char* const number_formats[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
  const opcode_info& r = *i_.info;
  if (r.memory == memory_kind::cache) return;
  if (i_.vdata.present()) { // without TFE's dword
    separate();
    reg(i_.vdata, dwords_of(i_.vdata.type) - (i_.tfe ? 1 : 0));
  }
  if (i_.vaddr.present()) {
    operand_plain(i_.vaddr);
  } else if (r.memory != memory_kind::store_lds) {
    separate();
    put("off");
  }
  operand_plain(i_.srsrc);
  operand_plain(i_.soffset);
  if (r.encoding == encoding::MTBUF) {
    const bool data = i_.dfmt != 1, number = i_.nfmt != 0; // 8, UNORM is the format that LLVM leaves out
    if (data || number) {
      put(" format:[");
      if (data) {
        put("BUF_DATA_FORMAT_");
        put(data_formats[i_.dfmt]);
      }
      if (number) {
        if (data) text_ += ',';
        put("BUF_NUM_FORMAT_");
        put(number_formats[i_.nfmt]);
      }
      text_ += ']';
    }
  }
  flag(i_.idxen, "idxen");
  flag(i_.offen, "offen");
  offset(i_.offset);
  const bool stores_lds = r.memory == memory_kind::store_lds; // LLVM's order for this one: lds first
  flag(stores_lds, "lds");
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.tfe && !i_.lds && r.memory != memory_kind::atomic, "tfe");
  flag(i_.lds && !stores_lds, "lds");
}

void writer::mimg() {
  separate();
  unsigned data = dwords_of(i_.vdata.type);
  if (i_.info->memory == memory_kind::gather && data == 3) data = 4; // LLVM has no three-dword gather (D16 with TFE),
  if (i_.info->memory == memory_kind::atomic) {                      // and atomics of the plain sizes only
    const unsigned least = i_.info->atomic == atomic_operation::atomic_cmpswap ? 2 : 1;
    if (data != least && data != 2 * least) data = least;
  }
  reg(i_.vdata, data);
  operand_plain(i_.vaddr);
  operand_plain(i_.srsrc);
  if (i_.ssamp.present()) operand_plain(i_.ssamp);
  if (i_.dmask) {
    put(" dmask:");
    hex(i_.dmask);
  }
  flag(i_.unorm, "unorm");
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.a16, "a16");
  flag(i_.tfe, "tfe");
  flag(i_.lwe, "lwe");
  flag(i_.da, "da");
  flag(i_.d16, "d16");
}

void writer::exp() {
  const unsigned t = i_.exp_target;
  text_ += ' ';
  if (t <= 7) {
    put("mrt");
    decimal(t);
  } else if (t == 8) {
    put("mrtz");
  } else if (t == 9) {
    put("null");
  } else if (t >= 12 && t <= 15) {
    put("pos");
    decimal(t - 12);
  } else if (t >= 32) {
    put("param");
    decimal(t - 32);
  } else {
    put("invalid_target_");
    decimal(t);
  }
  const operand* const data[4] = {&i_.src[0], i_.exp_compr ? &i_.src[0] : &i_.src[1], i_.exp_compr ? &i_.src[1] : &i_.src[2],
                                  i_.exp_compr ? &i_.src[1] : &i_.vdata};
  for (unsigned n = 0; n < 4; ++n) {
    put(n ? ", " : " ");
    if ((i_.exp_en >> n) & 1) reg(*data[n]);
    else put("off");
  }
  flag(i_.exp_done, "done");
  flag(i_.exp_compr, "compr");
  flag(i_.exp_vm, "vm");
}

std::string writer::run() {
  mnemonic();
  switch (i_.encoding()) {
    case encoding::SOP1:
    case encoding::SOP2:
    case encoding::SOPC: scalar(); break;
    case encoding::SOPK: sopk(); break;
    case encoding::SOPP: sopp(); break;
    case encoding::SMEM: smem(); break;
    case encoding::VOP1:
    case encoding::VOP2:
    case encoding::VOPC: vector(); break;
    case encoding::VOP3:
      if (i_.info->number >= 0x270 && i_.info->number <= 0x277) interp();
      else vop3();
      break;
    case encoding::VOP3P: vop3p(); break;
    case encoding::VINTRP: interp(); break;
    case encoding::DS: ds(); break;
    case encoding::FLAT:
    case encoding::GLOBAL:
    case encoding::SCRATCH: flat(); break;
    case encoding::MUBUF:
    case encoding::MTBUF: buffer(); break;
    case encoding::MIMG: mimg(); break;
    case encoding::EXP: exp(); break;
  }
  return std::move(text_);
}

} // namespace

std::string disassemble(const instruction& i, target chip, uint64_t) {
  if (!i.info) return "illegal instruction";
  return writer(i, chip).run();
}

} // namespace lyra::isa
