// SPDX-License-Identifier: Apache-2.0
// Walking code: lines as llvm-objdump prints them, illegal dwords reported and stepped over, branch targets.
#include "isa/listing.h"
#include "support/directories.h"
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <vector>

using namespace lyra::isa;

namespace {

std::vector<listing_line> walk(const std::vector<unsigned char>& bytes, uint64_t address, unsigned* illegal = nullptr) {
  std::vector<listing_line> lines;
  code_listing listing(bytes.data(), bytes.size(), address, target::gfx900);
  for (listing_line line; listing.next(line);) lines.push_back(line);
  if (illegal) *illegal = listing.illegal();
  return lines;
}

std::vector<unsigned char> bytes_of(const std::vector<uint32_t>& words) {
  std::vector<unsigned char> b;
  for (uint32_t w : words)
    for (unsigned i = 0; i < 4; ++i) b.push_back(static_cast<unsigned char>(w >> (8 * i)));
  return b;
}

// A small kernel that has every length of instruction, branches both ways and long lines.
const char* const kernel = R"(
  .text
  .globl sum
  .p2align 8
sum:
  s_load_dwordx4 s[0:3], s[4:5], 0x10
  s_load_dword s7, s[4:5], 0x24
  v_mov_b32_e32 v2, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 .Ldone
.Lloop:
  v_lshlrev_b64 v[4:5], 2, v[0:1]
  v_mov_b32_e32 v6, s1
  v_add_co_u32_e32 v4, vcc, s0, v4
  v_addc_co_u32_e32 v5, vcc, v6, v5, vcc
  global_load_dword v7, v[4:5], off offset:-16 glc slc
  v_add_u16_sdwa v8, sext(v7), v2 clamp dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_3
  s_waitcnt vmcnt(0)
  v_mac_f32_dpp v2, v7, v7 row_shr:1 row_mask:0xf bank_mask:0xf
  v_fma_f32 v2, v2, -|v7|, 1.0 clamp mul:2
  s_sub_u32 s7, s7, 0x12345
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lloop
.Ldone:
  ds_write2_b32 v0, v2, v2 offset0:1 offset1:255
  buffer_store_dword v2, v0, s[8:11], s3 offen offset:4095
  s_endpgm
)";

} // namespace

BOOST_AUTO_TEST_CASE(a_listing_equals_llvm_objdump_line_by_line) {
  const std::string stem = directories::build() + "/listing-" + std::to_string(static_cast<long>(getpid()));
  {
    std::ofstream source(stem + ".s");
    source << kernel;
  }
  const std::string command = "llvm-mc-15 -arch=amdgcn -mcpu=gfx900 -filetype=obj " + stem + ".s -o " + stem + ".o && llvm-objdump-15 -d " + stem + ".o > " + stem +
                              ".txt && llvm-objcopy-15 -O binary --only-section=.text " + stem + ".o " + stem + ".bin";
  BOOST_REQUIRE_MESSAGE(std::system(command.c_str()) == 0, "llvm-mc-15, llvm-objdump-15 and llvm-objcopy-15 are needed: install the package llvm-15");
  std::ifstream code(stem + ".bin", std::ios::binary);
  const std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(code)), std::istreambuf_iterator<char>());
  BOOST_REQUIRE(bytes.size() > 100u);
  const std::vector<listing_line> lines = walk(bytes, 0);
  std::ifstream expected(stem + ".txt");
  std::size_t n = 0;
  for (std::string line; std::getline(expected, line);) {
    if (line.empty() || line[0] != '\t' || line.find("//") == std::string::npos) continue;
    const std::size_t symbol = line.find(" <"); // branch lines end in the target's symbol, which needs the symbol table
    if (symbol != std::string::npos) line.erase(symbol);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    BOOST_REQUIRE(n < lines.size());
    BOOST_TEST(format_line(lines[n]) == line);
    ++n;
  }
  BOOST_TEST(n == lines.size());
  BOOST_TEST(n == 21u);
  for (const char* tail : {".s", ".o", ".txt", ".bin"}) std::remove((stem + tail).c_str());
}

BOOST_AUTO_TEST_CASE(illegal_dwords_are_reported_and_stepped_over) {
  unsigned illegal = 0;
  const auto lines = walk(bytes_of({0x7e000280, 0xffffffff, 0xbe860103, 0xbf810000}), 0x1000, &illegal);
  BOOST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(illegal == 2u);
  BOOST_TEST(lines[0].text == "v_mov_b32_e32 v0, 0");
  BOOST_TEST(!lines[1].legal());
  BOOST_TEST(lines[1].address == 0x1004u);
  BOOST_TEST(lines[1].text == ".long 0xffffffff");
  BOOST_TEST(lines[1].words[0] == 0xffffffffu);
  BOOST_TEST(format_line(lines[1]) == "\t.long 0xffffffff" + std::string(43, ' ') + "// 000000001004: FFFFFFFF illegal: " + lines[1].decoded.error);
  BOOST_TEST(lines[2].decoded.error.find("s[3:4] is not aligned") != std::string::npos);
  BOOST_TEST(lines[3].text == "s_endpgm");
  BOOST_TEST(lines[3].address == 0x100cu);
}

BOOST_AUTO_TEST_CASE(code_cut_in_an_instruction_or_in_a_dword_is_reported) {
  unsigned illegal = 0;
  auto lines = walk(bytes_of({0xbf800000, 0xc0020001}), 0, &illegal); // s_load_dword without its second dword
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(illegal == 1u);
  BOOST_TEST(lines[1].size_bytes == 4u);
  BOOST_TEST(lines[1].decoded.error.find("second dword") != std::string::npos);
  std::vector<unsigned char> bytes = bytes_of({0xbf800000});
  bytes.push_back(0x12);
  bytes.push_back(0x34);
  lines = walk(bytes, 0, &illegal);
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[1].size_bytes == 2u);
  BOOST_TEST(lines[1].text == ".byte 0x12, 0x34");
  BOOST_TEST(!lines[1].legal());
  BOOST_TEST(walk({}, 0).empty());
}

BOOST_AUTO_TEST_CASE(branches_go_to_the_next_instruction_plus_four_times_the_offset) {
  uint64_t to = 0;
  auto at = [&](uint32_t w) { return branch_target(decode(&w, 1, target::gfx900).inst, 0x1000, to); };
  BOOST_TEST(at(0xbf82fffd)); // s_branch -3
  BOOST_TEST(to == 0xff8u);
  BOOST_TEST(at(0xba840064)); // s_call_b64 s[4:5], 100
  BOOST_TEST(to == 0x1194u);
  BOOST_TEST(at(0xbf857fff)); // s_cbranch_scc1 32767
  BOOST_TEST(to == 0x21000u);
  BOOST_TEST(!at(0xbe801d04)); // s_setpc_b64: indirect
  BOOST_TEST(!at(0xbf800000));
}
