// SPDX-License-Identifier: Apache-2.0
// Every row of the instruction table, in every form it has, with random fields: the text is what LLVM 15 prints.
#include "isa/encoding_generator.h"
#include "isa/reference_disassembler.h"
#include "support/directories.h"
#include <boost/test/unit_test.hpp>
#include <map>

using namespace isa_test;

namespace {

constexpr unsigned per_variant = 24, least = 20;

void compare_with_llvm(target chip, const std::string& cpu) {
  unsigned count = 0;
  const opcode_info* table = opcode_table(count);
  encoding_generator generator(chip == target::gfx900 ? 900 : 906);
  std::vector<encoded> all;
  std::vector<code_words> codes;
  for (unsigned n = 0; n < count; ++n) {
    const opcode_info& r = table[n];
    if (!(r.targets & (chip == target::gfx900 ? GFX900 : GFX906))) continue;
    for (const char* variant : encoding_generator::variants(r))
      for (unsigned k = 0; k < per_variant; ++k) {
        encoded e = generator.make(r, variant);
        e.variant = variant;
        all.push_back(e);
        codes.push_back({{e.words[0], e.words[1]}, e.count});
      }
  }
  const std::vector<reference> expected = reference_text(codes, cpu, directories::build());
  std::map<std::string, unsigned> compared, shown; // a few failures of each form are enough to read
  unsigned wrong = 0, refused = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const encoded& e = all[i];
    const std::string key = std::string(e.row->name) + " " + std::to_string(static_cast<unsigned>(e.row->encoding)) + " " + e.variant;
    compared[key] += 0;
    if (expected[i].text.empty() || !expected[i].whole) {
      ++refused;
      if (++shown[key] <= 2)
        BOOST_ERROR("LLVM refuses " << key << " " << std::hex << e.words[0] << " " << (e.count > 1 ? e.words[1] : 0));
      continue;
    }
    const decode_result d = decode(e.words, e.count, chip);
    const std::string text = d ? disassemble(d.inst, chip) : "error: " + d.error;
    if (text != expected[i].text || (d && (d.inst.info != e.row || d.inst.size_bytes != 4 * e.count))) {
      ++wrong;
      if (++shown[key] <= 2)
        BOOST_ERROR(key << " " << std::hex << e.words[0] << " " << (e.count > 1 ? e.words[1] : 0) << "\n  LLVM: " << expected[i].text << "\n  here: " << text);
      continue;
    }
    ++compared[key];
  }
  BOOST_TEST(wrong == 0u);
  BOOST_TEST(refused == 0u);
  unsigned total = 0, short_of = 0;
  for (const auto& c : compared) {
    total += c.second;
    if (c.second < least && ++short_of <= 20) BOOST_ERROR(c.first << ": only " << c.second << " encodings compared");
  }
  BOOST_TEST(short_of == 0u);
  BOOST_TEST(total >= 20u * 1400u);
  BOOST_TEST_MESSAGE(cpu << ": " << total << " encodings compared, " << compared.size() << " forms");
}

/// Dwords of an encoding by its first dword: format bits and literal, DPP and SDWA marks only.
unsigned encoded_dwords(uint32_t w) {
  if (!(w >> 31)) {
    const unsigned source = w & 0x1ff, op = (w >> 25) & 0x3f;
    return source == 249 || source == 250 || source == 255 || op == 23 || op == 24 || op == 36 || op == 37 ? 2 : 1;
  }
  if ((w >> 30) == 2) {
    const unsigned op = (w >> 23) & 0x7f;
    if (op == 0x7f) return 1;
    if (op == 0x7d) return (w & 0xff) == 255 ? 2 : 1;
    if (op >= 0x60 && op < 0x7d) return op == 0x74 ? 2 : 1; // SOPK: s_setreg_imm32
    return (w & 0xff) == 255 || ((w >> 8) & 0xff) == 255 ? 2 : 1;
  }
  return (w >> 26) == 0x35 ? 1 : 2;
}

/// LLVM 15 can crash on reserved SDWA selects.
bool has_reserved_sdwa(const uint32_t* w) {
  if ((w[0] >> 31) || (w[0] & 0x1ff) != 249) return false;
  const bool compare = ((w[0] >> 25) & 0x3f) == 0x3e;
  return ((w[1] >> 16) & 7) == 7 || ((w[1] >> 24) & 7) == 7 || (!compare && (((w[1] >> 8) & 7) == 7 || ((w[1] >> 11) & 3) == 3));
}

/// Encodings with some bits flipped and some operand fields replaced: what LLVM refuses must be refused here, and what both read must read the same.
void compare_damaged(target chip, const std::string& cpu) {
  unsigned count = 0;
  const opcode_info* table = opcode_table(count);
  std::mt19937_64 random(chip == target::gfx900 ? 17 : 18);
  encoding_generator generator(random());
  std::vector<encoded> all;
  std::vector<code_words> codes;
  for (unsigned n = 0; n < count; ++n) {
    if (!(table[n].targets & (chip == target::gfx900 ? GFX900 : GFX906))) continue;
    for (const char* variant : encoding_generator::variants(table[n]))
      for (unsigned k = 0; k < 16; ++k) {
        encoded e = generator.make(table[n], variant);
        e.variant = variant;
        for (unsigned damage = 1 + random() % 4; damage; --damage) {
          const unsigned w = static_cast<unsigned>(random() % e.count);
          if (random() % 2) {
            e.words[w] ^= 1u << (random() % 32);
          } else {
            const uint32_t field = random() % 2 ? 0xffu << (8 * (random() % 4)) : 0x1ffu << (9 * (random() % 3));
            e.words[w] = (e.words[w] & ~field) | (static_cast<uint32_t>(random()) & field);
          }
        }
        if (encoded_dwords(e.words[0]) != e.count || has_reserved_sdwa(e.words)) continue;
        all.push_back(e);
        codes.push_back({{e.words[0], e.words[1]}, e.count});
      }
  }
  const std::vector<reference> expected = reference_text(codes, cpu, directories::build());
  unsigned both_read = 0, both_refuse = 0, only_llvm = 0, bad = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const encoded& e = all[i];
    const decode_result d = decode(e.words, e.count, chip);
    const reference& r = expected[i];
    if (!d) {
      if (r.text.empty()) ++both_refuse;
      else ++only_llvm; // misaligned or overlong tuples, constants for registers, reserved controls: LLVM prints these nevertheless
      BOOST_TEST(!d.error.empty());
      continue;
    }
    const instruction& inst = d.inst;
    const std::string text = disassemble(inst, chip);
    if (r.text.empty()) {
      // The fields that LLVM alone refuses: NV beside LDS, bit 25 of some DS operations, a D16 gather with TFE at v253 (LLVM counts a fourth dword).
      const bool known = (inst.lds && inst.nv) || (inst.encoding() == encoding::DS && (inst.words[0] >> 25 & 1)) ||
                         (inst.encoding() == encoding::MIMG && inst.info->memory == memory_kind::gather && inst.d16 && inst.tfe);
      if (!known && ++bad <= 20) BOOST_ERROR("LLVM refuses " << std::hex << e.words[0] << " " << e.words[1] << ", here: " << text);
      continue;
    }
    ++both_read;
    // s_getpc_b64 and s_set_gpr_idx_on have no literal, whatever their unused field holds
    if (!r.whole && inst.size_bytes == 4) continue;
    if ((text != r.text || !r.whole || inst.size_bytes != 4 * e.count) && ++bad <= 20)
      BOOST_ERROR(std::hex << e.words[0] << " " << e.words[1] << "\n  LLVM: " << r.text << "\n  here: " << text);
  }
  BOOST_TEST(bad == 0u);
  BOOST_TEST(both_read > 10000u);
  BOOST_TEST(both_refuse > 10000u);
  BOOST_TEST(only_llvm < all.size() / 8);
  BOOST_TEST_MESSAGE(cpu << ": " << both_read << " read alike, " << both_refuse << " refused by both, " << only_llvm << " refused here only");
}

} // namespace

BOOST_AUTO_TEST_CASE(damaged_encodings_of_gfx900_are_refused_or_read_as_llvm_does) { compare_damaged(target::gfx900, "gfx900"); }
BOOST_AUTO_TEST_CASE(damaged_encodings_of_gfx906_are_refused_or_read_as_llvm_does) { compare_damaged(target::gfx906, "gfx906"); }
BOOST_AUTO_TEST_CASE(every_opcode_and_form_of_gfx900_reads_as_llvm_prints_it) { compare_with_llvm(target::gfx900, "gfx900"); }
BOOST_AUTO_TEST_CASE(every_opcode_and_form_of_gfx906_reads_as_llvm_prints_it) { compare_with_llvm(target::gfx906, "gfx906"); }
