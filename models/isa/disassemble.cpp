// SPDX-License-Identifier: Apache-2.0
// The text of an instruction, as LLVM 15 prints it (its assembler reads the same text back). Here: operands, constants, scalar encodings.
//
// LLVM's text is the reference even where it loses something: literals of 16-bit operands show 16 bits, NV is not shown,
// fields that an operation ignores are not shown, branch targets are the raw 16-bit dword offset.
#include "isa/text_writer.h"
#include <cstdio>
#include <utility>

namespace lyra::isa {

void text_writer::hex(uint64_t v) {
  char buffer[24];
  snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(v));
  put(buffer);
}

void text_writer::reg(const operand& o, unsigned dwords) {
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

void text_writer::integer_16(uint16_t v) {
  if (is_inline_integer(static_cast<int16_t>(v))) decimal(static_cast<int16_t>(v));
  else hex(v);
}

/// A literal is compared with the named constants in all its 32 bits, then shown by the low 16.
void text_writer::float_16(uint32_t v) {
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

void text_writer::value_32(uint32_t v) {
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

void text_writer::value_64(uint64_t v) {
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
void text_writer::constant(const operand& o) {
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

void text_writer::value(const operand& o) {
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

void text_writer::operand_modified(unsigned n, bool sign_extends) {
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
void text_writer::negated(const operand& o, bool neg, bool abs) {
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

void text_writer::mnemonic() {
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

void text_writer::scalar() {
  const opcode_info& r = *i_.info;
  if (r.dst != operand_type::none) operand_plain(i_.dst);
  if (r.src[0] != operand_type::none) operand_plain(i_.src[0]);
  if (r.src[1] != operand_type::none && !r.has(DST_IS_SRC)) operand_plain(i_.src[1]);
  if (r.id == op::s_set_gpr_idx_on) {
    separate();
    index_mode(static_cast<unsigned>(i_.simm16));
  }
}

void text_writer::index_mode(unsigned bits) {
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

void text_writer::hwreg() {
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

void text_writer::sopk() {
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

void text_writer::waitcnt() {
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

void text_writer::sendmsg() {
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

void text_writer::sopp() {
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

void text_writer::smem() {
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

std::string text_writer::run() {
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

std::string disassemble(const instruction& i, target, uint64_t) {
  if (!i.info) return "illegal instruction";
  return text_writer(i).run();
}

} // namespace lyra::isa
