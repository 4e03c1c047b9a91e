// SPDX-License-Identifier: Apache-2.0
// Every row of the instruction table, in every form it has, with random fields: the text is what LLVM 15 prints.
#include "isa/encoding_generator.h"
#include "isa/reference_disassembler.h"
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
  const std::vector<std::string> expected = reference_text(codes, cpu, LYRA_BINARY_DIR);
  std::map<std::string, unsigned> compared, shown; // a few failures of each form are enough to read
  unsigned wrong = 0, refused = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const encoded& e = all[i];
    const std::string key = std::string(e.row->name) + " " + std::to_string(static_cast<unsigned>(e.row->encoding)) + " " + e.variant;
    compared[key] += 0;
    if (expected[i].empty()) {
      ++refused;
      if (++shown[key] <= 2)
        BOOST_ERROR("LLVM refuses " << key << " " << std::hex << e.words[0] << " " << (e.count > 1 ? e.words[1] : 0));
      continue;
    }
    const decode_result d = decode(e.words, e.count, chip);
    const std::string text = d ? disassemble(d.inst, chip) : "error: " + d.error;
    if (text != expected[i] || (d && (d.inst.info != e.row || d.inst.size_bytes != 4 * e.count))) {
      ++wrong;
      if (++shown[key] <= 2)
        BOOST_ERROR(key << " " << std::hex << e.words[0] << " " << (e.count > 1 ? e.words[1] : 0) << "\n  LLVM: " << expected[i] << "\n  here: " << text);
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

} // namespace

BOOST_AUTO_TEST_CASE(every_opcode_and_form_of_gfx900_reads_as_llvm_prints_it) { compare_with_llvm(target::gfx900, "gfx900"); }
BOOST_AUTO_TEST_CASE(every_opcode_and_form_of_gfx906_reads_as_llvm_prints_it) { compare_with_llvm(target::gfx906, "gfx906"); }
