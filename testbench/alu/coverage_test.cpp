// SPDX-License-Identifier: Apache-2.0
// Every opcode of the ALU's encodings has a handler and a test: a row in the reference tables that the random-operand tests run, or a directed test that names it.
#include "alu/reference_convert.h"
#include "alu/reference_float.h"
#include "alu/reference_integer.h"
#include "alu/scalar_reference.h"
#include "support/directories.h"
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace alu_test;
using isa::encoding;

namespace {

bool is_alu(const isa::opcode_info& r) {
  switch (r.encoding) {
    case encoding::SOP1: case encoding::SOP2: case encoding::SOPK: case encoding::SOPC: case encoding::VOP1: case encoding::VOP2: case encoding::VOPC: case encoding::VOP3:
    case encoding::VOP3P: case encoding::VINTRP:
      return true;
    case encoding::SOPP: return r.has(isa::BRANCH) || r.id == op::s_set_gpr_idx_off || r.id == op::s_set_gpr_idx_mode;
    default: return false;
  }
}

/// Words of the directed tests' sources.
std::set<std::string> words_of_directed_tests() {
  std::set<std::string> words;
  for (const char* name : {"forms_test.cpp", "lane_access_test.cpp", "scalar_test.cpp"}) {
    std::ifstream file(directories::source() + "/testbench/alu/" + name);
    BOOST_TEST_REQUIRE(file.good());
    std::stringstream text;
    text << file.rdbuf();
    std::string word;
    for (char c : text.str()) {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
      else if (!word.empty()) words.insert(word), word.clear();
    }
  }
  return words;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_alu_opcode_has_a_handler_on_both_host_levels) {
  unsigned count, checked = 0;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (bool baseline : {false, true}) {
    alu::force_baseline(baseline);
    for (unsigned k = 0; k < count; ++k) {
      isa::instruction i;
      i.info = &rows[k];
      const bool has = alu::bind(i, isa::target::gfx906) != nullptr;
      BOOST_TEST(has == is_alu(rows[k]), rows[k].name);
      checked += has;
    }
  }
  alu::force_baseline(false);
  BOOST_TEST(checked > 1900u);
}

BOOST_AUTO_TEST_CASE(every_alu_opcode_has_a_test) {
  std::map<op, reference> references;
  add_integer_references(references);
  add_float_references(references);
  add_convert_references(references);
  add_compare_references(references);
  const std::set<std::string> directed = words_of_directed_tests();
  unsigned count;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k) {
    if (!is_alu(rows[k])) continue;
    const bool tested = references.count(rows[k].id) || scalar_references().count(rows[k].id) || directed.count(rows[k].name);
    BOOST_TEST(tested, rows[k].name << " has no test");
  }
}

/// Memory opcodes run in a program each (cli/memory_opcodes.py, which takes its list from the same table and asks the run what it executed); DS opcodes have a model row each (lds/operations_test.cpp).
/// What is left are the instructions of the sequencer and exports: directed tests name them.
BOOST_AUTO_TEST_CASE(every_other_opcode_has_a_test) {
  const std::string memory = [] {
    std::ifstream file(directories::source() + "/testbench/cli/memory_opcodes.py");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }();
  const std::map<encoding, std::string> by_table = {{encoding::FLAT, "FLAT"}, {encoding::GLOBAL, "GLOBAL"}, {encoding::SCRATCH, "SCRATCH"}, {encoding::MUBUF, "MUBUF"}, {encoding::MTBUF, "MTBUF"}, {encoding::MIMG, "MIMG"}, {encoding::SMEM, "SMEM"}};
  for (const auto& [e, name] : by_table) BOOST_TEST((memory.find("\"" + name + "\"") != std::string::npos), name);
  std::set<std::string> words;
  for (const auto& folder : std::filesystem::directory_iterator(directories::source() + "/testbench"))
    if (folder.is_directory() && folder.path().filename() != "isa" && folder.path().filename() != "alu")
      for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".py") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        std::string word;
        for (char c : text.str()) {
          if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
          else if (!word.empty()) {
            if (word[0] == 'n') words.insert(word.substr(1)); // behind "\\n" in a program's text
            words.insert(word), word.clear();
          }
        }
      }
  unsigned count;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k) {
    if (is_alu(rows[k]) || by_table.count(rows[k].encoding) || rows[k].encoding == encoding::DS) continue;
    BOOST_TEST(words.count(rows[k].name), rows[k].name << " has no test");
  }
}
