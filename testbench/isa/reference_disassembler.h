// SPDX-License-Identifier: Apache-2.0
// Runs LLVM's disassembler (llvm-mc-15) over a batch of encodings.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace isa_test {

struct code_words {
  uint32_t words[2];
  unsigned count;
};

/// What LLVM makes of one encoding.
struct reference {
  std::string text;  ///< empty: it refuses
  bool whole = true; ///< false: it reads the dwords as more than one instruction
};

/// Disassembles every encoding on its own. Throws when llvm-mc-15 is missing or its answer cannot be matched to the input.
///
/// Each encoding stands in brackets (LLVM reads a bracket on its own), followed by a marker that ends its answer.
inline std::vector<reference> reference_text(const std::vector<code_words>& codes, const std::string& cpu, const std::string& folder) {
  const std::string stem = folder + "/llvm-mc-" + cpu + "-" + std::to_string(static_cast<long>(getpid()));
  const std::string in = stem + ".in", out = stem + ".out", err = stem + ".err";
  {
    std::ofstream f(in);
    if (!f) throw std::runtime_error("cannot write " + in);
    char part[64];
    for (const auto& c : codes) {
      for (unsigned w = 0; w < c.count; ++w) {
        snprintf(part, sizeof part, "%s0x%02x,0x%02x,0x%02x,0x%02x", w ? "," : "[", c.words[w] & 255, (c.words[w] >> 8) & 255, (c.words[w] >> 16) & 255, c.words[w] >> 24);
        f << part;
      }
      f << "]\n[0x57,0x7e,0x80,0xbf]\n"; // s_nop 0x7e57
    }
  }
  const std::string command = "llvm-mc-15 -arch=amdgcn -mcpu=" + cpu + " --disassemble < " + in + " > " + out + " 2> " + err;
  const int status = std::system(command.c_str());
  if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) throw std::runtime_error("llvm-mc-15 is missing: install the package llvm-15");
  if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 125)) throw std::runtime_error("llvm-mc-15 crashed");
  std::vector<reference> result(codes.size());
  std::size_t n = 0;
  std::ifstream texts(out);
  for (std::string line; std::getline(texts, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t") - first + 1);
    if (line == ".text") continue;
    if (line == "s_nop 0x7e57") {
      ++n;
      continue;
    }
    if (n == codes.size()) throw std::runtime_error("llvm-mc-15 printed more instructions than it was given");
    if (!result[n].text.empty()) result[n].whole = false;
    else result[n].text = line;
  }
  if (n != codes.size()) throw std::runtime_error("llvm-mc-15 read " + std::to_string(n) + " of " + std::to_string(codes.size()) + " encodings");
  std::ifstream errors(err);
  for (std::string line; std::getline(errors, line);) { // <stdin>:12:2: warning: invalid instruction encoding
    if (line.find("invalid instruction encoding") == std::string::npos) continue;
    const unsigned long number = std::strtoul(line.c_str() + line.find(':') + 1, nullptr, 10);
    if (number == 0 || (number - 1) / 2 >= codes.size()) throw std::runtime_error("cannot read: " + line);
    if (!result[(number - 1) / 2].text.empty()) result[(number - 1) / 2].whole = false;
  }
  std::remove(in.c_str());
  std::remove(out.c_str());
  std::remove(err.c_str());
  return result;
}

} // namespace isa_test
