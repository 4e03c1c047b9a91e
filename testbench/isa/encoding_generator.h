// SPDX-License-Identifier: Apache-2.0
// Random, legal encodings of any row of the instruction table: an encoder written from the ISA's field layouts, independent of the decoder.
// Reserved fields are zero; scalar tuples are aligned and inside the register file.
#pragma once
#include "isa/instruction.h"
#include <random>
#include <string>
#include <vector>

namespace isa_test {

using namespace lyra::isa;

struct encoded {
  const opcode_info* row;
  const char* variant; ///< "plain", "literal", "dpp", "sdwa", "sgpr offset" ...
  uint32_t words[2];
  unsigned count; ///< dwords
};

class encoding_generator {
public:
  explicit encoding_generator(uint64_t seed) : random_(seed) {}

  /// The variants that a row has.
  static std::vector<const char*> variants(const opcode_info& r) {
    std::vector<const char*> v;
    switch (r.encoding) {
      case encoding::SOP1:
      case encoding::SOP2:
      case encoding::SOPC:
        v = {"plain"};
        if (r.src[0] == operand_type::i32 || r.src[0] == operand_type::i64) v.push_back("literal");
        break;
      case encoding::SMEM:
        v = {"plain"};
        if (r.src[1] != operand_type::none) {
          v.push_back("sgpr offset");
          v.push_back("sgpr and immediate offset");
        }
        break;
      case encoding::VOP1:
      case encoding::VOP2:
      case encoding::VOPC:
        v = {"plain"};
        if (r.src[0] != operand_type::none && !r.has(SGPR_DST) && r.id != op::v_swap_b32) v.push_back("literal");
        if (r.has(DPP)) v.push_back("dpp");
        if (r.has(SDWA)) v.push_back("sdwa");
        break;
      case encoding::GLOBAL:
      case encoding::SCRATCH:
        v = {"plain", "saddr"};
        if (writes_lds(r)) v.push_back("lds");
        break;
      case encoding::MUBUF:
        if (r.memory == memory_kind::cache) v = {"plain"};
        else if (r.memory == memory_kind::store_lds) v = {"lds"};
        else v = {"plain", "offen", "idxen", "both"};
        if (writes_lds(r)) v.push_back("lds");
        break;
      case encoding::MTBUF: v = {"plain", "offen", "idxen", "both"}; break;
      default: v = {"plain"};
    }
    return v;
  }

  encoded make(const opcode_info& r, const std::string& variant) {
    encoded e{&r, "", {0, 0}, 1};
    auto& w = e.words;
    const bool literal = variant == "literal";
    const uint32_t op = r.number;
    switch (r.encoding) {
      case encoding::SOP1:
        w[0] = 0xbe800000 | op << 8 | (r.dst != operand_type::none ? scalar_register(r.dst) << 16 : 0);
        if (r.src[0] != operand_type::none) w[0] |= r.src[0] == operand_type::b32 || r.src[0] == operand_type::b64 ? scalar_register(r.src[0])
                                                    : scalar_source(r.src[0], literal);
        break;
      case encoding::SOP2:
      case encoding::SOPC: {
        const bool second = literal && pick(2) && is_number(r.src[1]);
        w[0] = r.encoding == encoding::SOP2 ? 0x80000000 | op << 23 : 0xbf000000 | op << 16;
        if (r.dst != operand_type::none) w[0] |= scalar_register(r.dst) << 16;
        w[0] |= scalar_source(r.src[0], literal && !second);
        w[0] |= (r.src[1] == operand_type::none ? pick(16) : scalar_source(r.src[1], second)) << 8;
        break;
      }
      case encoding::SOPK:
        w[0] = 0xb0000000 | op << 23 | bits(16);
        if (r.dst != operand_type::none) w[0] |= scalar_register(r.dst) << 16;
        else if (r.src[0] != operand_type::none) w[0] |= scalar_register(r.src[0]) << 16;
        if (r.id == op::s_setreg_imm32_b32) {
          e.count = 2;
          w[1] = literal_value();
        }
        break;
      case encoding::SOPP: {
        w[0] = 0xbf800000 | op << 16;
        static const lyra::isa::op bare[] = {op::s_wakeup, op::s_barrier, op::s_icache_inv, op::s_ttracedata, op::s_endpgm_saved, op::s_set_gpr_idx_off,
                                             op::s_endpgm_ordered_ps_done};
        bool takes = true;
        for (auto b : bare) takes = takes && b != r.id;
        if (takes) w[0] |= pick(3) ? bits(16) : pick(80);
        break;
      }
      case encoding::SMEM: smem(e, variant); break;
      case encoding::VOP1:
      case encoding::VOP2:
      case encoding::VOPC: vop(e, variant); break;
      case encoding::VOP3: vop3(e); break;
      case encoding::VOP3P: vop3p(e); break;
      case encoding::VINTRP:
        w[0] = 0xd4000000 | op << 16 | bits(8) << 18 | bits(6) << 10 | bits(2) << 8 | (r.src[0] == operand_type::none ? pick(3) : bits(8));
        break;
      case encoding::DS:
        e.count = 2;
        w[0] = 0xd8000000 | op << 17;
        if (r.id == op::ds_nop) break;
        w[0] |= (pick(4) ? bits(16) : 0);
        if (always_gds(r)) w[0] |= 1u << 16;
        else if (r.id != op::ds_permute_b32 && r.id != op::ds_bpermute_b32) w[0] |= bits(1) << 16;
        if (r.src[0] != operand_type::none) w[1] |= vector(r.src[0]);
        if (r.src[1] != operand_type::none) w[1] |= vector(r.src[1]) << 8;
        if (r.src[2] != operand_type::none) w[1] |= vector(r.src[2]) << 16;
        if (r.dst != operand_type::none) w[1] |= vector(r.dst) << 24;
        break;
      case encoding::FLAT:
      case encoding::GLOBAL:
      case encoding::SCRATCH: flat(e, variant); break;
      case encoding::MUBUF:
      case encoding::MTBUF: buffer(e, variant); break;
      case encoding::MIMG: mimg(e); break;
      case encoding::EXP: {
        e.count = 2;
        static const uint8_t targets[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 32, 40, 63};
        const uint32_t en = bits(4);
        w[0] = 0xc4000000 | bits(3) << 10 | targets[pick(sizeof targets)] << 4 | en;
        w[1] = static_cast<uint32_t>(random_());
        break;
      }
    }
    if (literal) {
      e.count = 2;
      w[1] = literal_value();
    }
    if (is_madk(r)) {
      e.count = 2;
      w[1] = literal_value();
    }
    return e;
  }

private:
  static bool is_number(operand_type t) { return t == operand_type::i32 || t == operand_type::i64; }
  static bool is_madk(const opcode_info& r) {
    return r.encoding == encoding::VOP2 && (r.id == op::v_madmk_f32 || r.id == op::v_madmk_f16 || r.id == op::v_madak_f32 || r.id == op::v_madak_f16);
  }
  static bool always_gds(const opcode_info& r) {
    return std::string(r.name).compare(0, 6, "ds_gws") == 0 || r.id == op::ds_ordered_count;
  }
  /// Loads that can send their data to LDS.
  static bool writes_lds(const opcode_info& r) {
    const std::string n = r.name;
    if (r.memory != memory_kind::load) return false;
    for (const char* tail : {"_load_ubyte", "_load_sbyte", "_load_ushort", "_load_sshort", "_load_dword", "buffer_load_format_x"}) {
      const std::string t = tail;
      if (n.size() >= t.size() && n.compare(n.size() - t.size(), t.size(), t) == 0) return r.encoding != encoding::FLAT;
    }
    return false;
  }

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t bits(unsigned n) { return static_cast<uint32_t>(random_()) & ((1u << n) - 1); }

  uint32_t literal_value() {
    static const uint32_t known[] = {0, 1, 64, 0xffffffff, 0xfffffff0, 0x3f800000, 0xbf000000, 0x3e22f983, 0x3c00, 0x3118, 0x12345678, 0x80000000, 0xffff1234, 0x41, 0xffff};
    return pick(3) ? static_cast<uint32_t>(random_()) : known[pick(sizeof known / sizeof known[0])];
  }

  /// An SGPR (or tuple) that may be written.
  uint32_t scalar_register(operand_type t) {
    const unsigned n = dwords_of(t);
    const unsigned align = n >= 4 ? 4 : n;
    if (n == 1) {
      static const uint8_t special[] = {102, 103, 104, 105, 106, 107, 108, 115, 123, 124, 126, 127};
      return pick(4) ? pick(102) : special[pick(sizeof special)];
    }
    if (n == 2) {
      static const uint8_t special[] = {102, 104, 106, 108, 114, 122, 126};
      return pick(4) ? 2 * pick(51) : special[pick(sizeof special)];
    }
    if (pick(6) == 0 && n <= 16) return 108 + pick((16 - n) / align + 1) * align;
    return pick((102 - n) / align + 1) * align;
  }

  uint32_t inline_constant() { return pick(4) ? 128 + pick(81) : 240 + pick(9); }

  uint32_t scalar_source(operand_type t, bool literal) {
    if (literal) return 255;
    switch (pick(8)) {
      case 0:
      case 1: return inline_constant();
      case 2: {
        static const uint8_t more[] = {235, 236, 237, 238, 239, 251, 252, 253};
        return more[pick(sizeof more)];
      }
      default: return scalar_register(t);
    }
  }

  uint32_t vector(operand_type t) { return pick(257 - dwords_of(t)); }

  uint32_t any_source(operand_type t, bool literal = false) {
    if (literal) return 255;
    if (t == operand_type::mask) return scalar_register(t);
    if (dwords_of(t) <= 2 && pick(2)) return scalar_source(t, false);
    return 256 + vector(t);
  }

  void smem(encoded& e, const std::string& variant) {
    const opcode_info& r = *e.row;
    e.count = 2;
    e.words[0] = 0xc0000000 | static_cast<uint32_t>(r.number) << 18;
    const operand_type data = r.src[2] != operand_type::none && dwords_of(r.src[2]) > dwords_of(r.dst) ? r.src[2] : r.dst;
    if (data != operand_type::none) e.words[0] |= scalar_register(data) << 6;
    if (r.id == op::s_atc_probe || r.id == op::s_atc_probe_buffer) e.words[0] |= bits(7) << 6;
    if (r.src[0] == operand_type::none) return;
    e.words[0] |= scalar_register(r.src[0]) >> 1;
    if (r.memory != memory_kind::cache) e.words[0] |= bits(1) << 16; // GLC
    const uint32_t soffset = scalar_register(operand_type::b32);
    if (variant == "plain") {
      e.words[0] |= 1u << 17;
      e.words[1] = pick(2) ? bits(21) : pick(2) ? pick(256) : 0x1fffff - pick(256);
    } else if (variant == "sgpr offset") {
      e.words[1] = soffset;
    } else {
      e.words[0] |= 1u << 17 | 1u << 14;
      e.words[1] = bits(21) | soffset << 25;
    }
  }

  void vop(encoded& e, const std::string& variant) {
    const opcode_info& r = *e.row;
    uint32_t& w = e.words[0];
    const uint32_t number = r.number;
    w = r.encoding == encoding::VOP1 ? 0x7e000000 | number << 9 : r.encoding == encoding::VOP2 ? number << 25 : 0x7c000000 | number << 17;
    if (r.encoding != encoding::VOPC && r.dst != operand_type::none) w |= (r.has(SGPR_DST) ? scalar_register(r.dst) : vector(r.dst)) << 17;
    const bool two = r.encoding != encoding::VOP1;
    const bool vgpr_only = r.has(SGPR_DST) || r.id == op::v_swap_b32;
    if (variant == "plain" || variant == "literal") {
      if (two) {
        const operand_type t = is_madk(r) ? r.src[0] : r.src[1];
        w |= vector(t) << 9;
      }
      if (r.src[0] != operand_type::none) w |= vgpr_only ? 256 + vector(r.src[0]) : any_source(r.src[0], variant == "literal");
      return;
    }
    e.count = 2;
    if (variant == "dpp") {
      w |= 250;
      static const uint16_t rows[] = {0x101, 0x107, 0x10f, 0x111, 0x118, 0x11f, 0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
      const uint32_t control = pick(2) ? bits(8) : rows[pick(sizeof rows / sizeof rows[0])];
      e.words[1] = control << 8 | bits(1) << 19 | bits(8) << 24;
      if (r.src[0] == operand_type::none) return;
      e.words[1] |= vector(r.src[0]);
      if (two) w |= vector(r.src[1]) << 9;
      if (r.has(MODIFIERS_0)) e.words[1] |= bits(2) << 20;
      if (r.has(MODIFIERS_1)) e.words[1] |= bits(2) << 22;
      return;
    }
    // SDWA
    w |= 249;
    uint32_t& d = e.words[1];
    if (r.encoding == encoding::VOPC) {
      if (pick(2)) d |= 1u << 15 | scalar_register(operand_type::mask) << 8;
    } else if (r.src[0] != operand_type::none) {
      d |= pick(7) << 8 | pick(3) << 11 | bits(1) << 13;
      if (r.has(OMOD)) d |= bits(2) << 14;
    }
    if (r.src[0] == operand_type::none) return;
    d |= sdwa_modifiers(r.src[0]) << 16 | sdwa_register(0);
    if (two) {
      d |= sdwa_modifiers(r.src[1]) << 24;
      uint32_t second = sdwa_register(1);
      w |= (second & 0xff) << 9;
      if (second >> 31) d |= 1u << 31;
    }
  }

  /// SEL, and SEXT for integers or NEG and ABS for floats.
  uint32_t sdwa_modifiers(operand_type t) {
    const bool whole = t == operand_type::i16 || t == operand_type::i32;
    return pick(7) | (whole ? bits(1) << 3 : bits(2) << 4);
  }
  uint32_t sdwa_register(unsigned n) {
    if (pick(2)) return bits(8);
    return scalar_source(operand_type::i32, false) | (n == 0 ? 1u << 23 : 1u << 31);
  }

  void vop3(encoded& e) {
    const opcode_info& r = *e.row;
    e.count = 2;
    uint32_t &w = e.words[0], &d = e.words[1];
    w = 0xd0000000 | static_cast<uint32_t>(r.number) << 16;
    if (r.dst == operand_type::mask || r.has(SGPR_DST)) w |= scalar_register(r.dst);
    else if (r.dst != operand_type::none) w |= vector(r.dst);
    if (r.number >= 0x270 && r.number <= 0x277) { // interpolation
      d = bits(8);
      if (r.has(CLAMP)) w |= bits(1) << 15;
      if (r.has(OMOD)) d |= bits(2) << 27;
      if (r.id == op::v_interp_mov_f32) {
        d |= pick(3) << 9;
        return;
      }
      d |= (256 + vector(r.src[0])) << 9 | bits(1) << 30;
      w |= bits(1) << 9;
      if (r.id != op::v_interp_p1_f32 && r.id != op::v_interp_p2_f32) d |= bits(1) << 8;
      if (r.src[1] != operand_type::none) {
        d |= (256 + vector(r.src[1])) << 18 | bits(1) << 31;
        w |= bits(1) << 10;
      }
      return;
    }
    if (r.has(VOP3B)) w |= scalar_register(r.sdst) << 8;
    unsigned sources = 0;
    for (unsigned n = 0; n < 3 && r.src[n] != operand_type::none; ++n) {
      if (n == 2 && r.has(DST_IS_SRC)) break;
      uint32_t code;
      if (r.id == op::v_readlane_b32 && n == 0) code = 256 + vector(r.src[0]);
      else if (r.id == op::v_readlane_b32 || r.id == op::v_writelane_b32) code = pick(3) ? scalar_register(r.src[n]) : inline_constant();
      else code = any_source(r.src[n]);
      d |= code << (9 * n);
      ++sources;
      if (!r.has(MODIFIERS_0 << n)) continue;
      const bool whole = r.src[n] == operand_type::i16 || r.src[n] == operand_type::i32;
      d |= bits(1) << (29 + n);
      if (!whole && !r.has(VOP3B)) w |= bits(1) << (8 + n);
    }
    if (r.has(OP_SEL)) w |= bits(sources) << 11 | bits(1) << 14;
    if (r.has(CLAMP)) w |= bits(1) << 15;
    if (r.has(OMOD)) d |= bits(2) << 27;
  }

  void vop3p(encoded& e) {
    const opcode_info& r = *e.row;
    e.count = 2;
    uint32_t &w = e.words[0], &d = e.words[1];
    w = 0xd3800000 | static_cast<uint32_t>(r.number) << 16 | vector(r.dst) | bits(1) << 15;
    unsigned n = 0;
    for (; n < 3 && r.src[n] != operand_type::none; ++n) {
      d |= any_source(r.src[n]) << (9 * n);
      w |= bits(1) << (11 + n);
      if (!r.has(MODIFIERS_0 << n)) continue;
      d |= bits(1) << (29 + n);
      w |= bits(1) << (8 + n);
    }
    d |= bits(n < 2 ? n : 2) << 27;
    if (n == 3) w |= bits(1) << 14;
  }

  void flat(encoded& e, const std::string& variant) {
    const opcode_info& r = *e.row;
    e.count = 2;
    uint32_t &w = e.words[0], &d = e.words[1];
    const uint32_t segment = r.encoding == encoding::FLAT ? 0 : r.encoding == encoding::SCRATCH ? 1 : 2;
    w = 0xdc000000 | static_cast<uint32_t>(r.number) << 18 | segment << 14 | bits(2) << 16;
    w |= pick(4) ? bits(segment ? 13 : 12) : 0;
    const bool saddr = variant == "saddr" || (variant == "lds" && pick(2)), lds = variant == "lds";
    if (segment) d |= (saddr ? scalar_register(segment == 2 ? operand_type::b64 : operand_type::b32) : 0x7f) << 16;
    if (lds) w |= 1u << 13;
    if (!(segment == 1 && saddr)) d |= vector(segment == 1 || saddr ? operand_type::b32 : operand_type::b64);
    if (r.data_dwords) d |= pick(257 - r.data_dwords) << 8;
    const bool returns = r.memory == memory_kind::atomic ? (w >> 16) & 1 : r.result_dwords && !lds;
    if (returns) d |= pick(257 - r.result_dwords) << 24;
  }

  void buffer(encoded& e, const std::string& variant) {
    const opcode_info& r = *e.row;
    e.count = 2;
    uint32_t &w = e.words[0], &d = e.words[1];
    const bool typed = r.encoding == encoding::MTBUF;
    w = typed ? 0xe8000000 | static_cast<uint32_t>(r.number) << 15 | bits(7) << 19 : 0xe0000000 | static_cast<uint32_t>(r.number) << 18;
    if (r.memory == memory_kind::cache) return;
    w |= pick(4) ? bits(12) : 0;
    const bool lds = variant == "lds";
    if (r.memory != memory_kind::store_lds) {
      if (variant == "offen" || variant == "both" || (lds && pick(2))) w |= 1u << 12;
      if (variant == "idxen" || variant == "both" || (lds && pick(2))) w |= 1u << 13;
    }
    w |= bits(1) << 14;
    if (typed) d |= bits(1) << 22;
    else w |= bits(1) << 17;
    if (lds) w |= 1u << 16;
    const unsigned address = ((w >> 12) & 1) + ((w >> 13) & 1);
    const bool tfe = !lds && r.memory != memory_kind::atomic && r.memory != memory_kind::store_lds && pick(3) == 0;
    if (tfe) d |= 1u << 23;
    if (address) d |= pick(257 - address);
    const unsigned data = (r.data_dwords > r.result_dwords ? r.data_dwords : r.result_dwords) + (tfe ? 1 : 0);
    if (!lds && data) d |= pick(257 - data) << 8;
    d |= (scalar_register(operand_type::b128) / 4) << 16;
    d |= (pick(3) ? scalar_register(operand_type::b32) : inline_constant()) << 24;
  }

  void mimg(encoded& e) {
    const opcode_info& r = *e.row;
    e.count = 2;
    uint32_t &w = e.words[0], &d = e.words[1];
    w = 0xf0000000 | static_cast<uint32_t>(r.number) << 18;
    uint32_t dmask = pick(15) + 1;
    if (r.memory == memory_kind::atomic) {
      const bool wide = pick(2);
      if (r.atomic == atomic_operation::atomic_cmpswap) dmask = wide ? 15 : 3;
      else dmask = wide ? 3 : 1;
    }
    if (r.memory == memory_kind::gather) dmask = 1u << pick(4);
    w |= dmask << 8 | bits(4) << 12 | bits(1) << 17 | bits(1) << 25;
    const bool d16 = has_d16(r) && pick(3) == 0, tfe = r.memory != memory_kind::atomic && pick(3) == 0;
    if (d16) d |= 1u << 31;
    if (tfe) w |= 1u << 16;
    d |= pick(240) | pick(240) << 8;
    d |= (pick(6) ? pick(24) : 27 + pick(3)) << 16; // 8 SGPRs, possibly TTMPs
    if (r.src[2] != operand_type::none) d |= (scalar_register(operand_type::b128) / 4) << 21;
  }
  static bool has_d16(const opcode_info& r) {
    const std::string n = r.name;
    return (r.memory == memory_kind::load || r.memory == memory_kind::store || r.memory == memory_kind::sample || r.memory == memory_kind::gather) &&
           n.find("_pck") == std::string::npos;
  }

  std::mt19937_64 random_;
};

} // namespace isa_test
