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

/// The text of each encoding; empty where LLVM rejects it. Throws when llvm-mc-15 is missing or its answer cannot be matched to the input.
inline std::vector<std::string> reference_text(const std::vector<code_words>& codes, const std::string& cpu, const std::string& folder) {
  const std::string stem = folder + "/llvm-mc-" + cpu + "-" + std::to_string(static_cast<long>(getpid()));
  const std::string in = stem + ".in", out = stem + ".out", err = stem + ".err";
  {
    std::ofstream f(in);
    if (!f) throw std::runtime_error("cannot write " + in);
    char line[64];
    for (const auto& c : codes) {
      std::string text = "[";
      for (unsigned w = 0; w < c.count; ++w) {
        snprintf(line, sizeof line, "%s0x%02x,0x%02x,0x%02x,0x%02x", w ? "," : "", c.words[w] & 255, (c.words[w] >> 8) & 255, (c.words[w] >> 16) & 255, c.words[w] >> 24);
        text += line;
      }
      f << text << "]\n";
    }
  }
  const std::string command = "llvm-mc-15 -arch=amdgcn -mcpu=" + cpu + " --disassemble < " + in + " > " + out + " 2> " + err;
  const int status = std::system(command.c_str());
  if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) throw std::runtime_error("llvm-mc-15 is missing: install the package llvm-15");
  if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 125)) throw std::runtime_error("llvm-mc-15 crashed");
  std::vector<bool> rejected(codes.size(), false);
  std::ifstream errors(err);
  for (std::string line; std::getline(errors, line);) { // <stdin>:12:2: warning: invalid instruction encoding
    if (line.find("invalid instruction encoding") == std::string::npos) continue;
    const std::size_t start = line.find(':');
    const unsigned long n = std::strtoul(line.c_str() + start + 1, nullptr, 10);
    if (n == 0 || n > codes.size()) throw std::runtime_error("cannot read: " + line);
    rejected[n - 1] = true;
  }
  std::vector<std::string> result(codes.size());
  std::ifstream texts(out);
  std::size_t i = 0;
  for (std::string line; std::getline(texts, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t") - first + 1);
    if (line == ".text") continue;
    while (i < codes.size() && rejected[i]) ++i;
    if (i == codes.size()) throw std::runtime_error("llvm-mc-15 printed more instructions than it was given");
    result[i++] = line;
  }
  while (i < codes.size() && rejected[i]) ++i;
  if (i != codes.size()) throw std::runtime_error("llvm-mc-15 printed fewer instructions than it was given");
  std::remove(in.c_str());
  std::remove(out.c_str());
  std::remove(err.c_str());
  return result;
}

} // namespace isa_test
