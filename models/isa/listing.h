// SPDX-License-Identifier: Apache-2.0
// Walking a range of code: one line an instruction, illegal dwords reported and stepped over.
#pragma once
#include "isa/instruction.h"
#include <cstddef>

namespace lyra::isa {

/// One step of a walk: an instruction, or the dword (or the last 1 to 3 bytes) that is none.
struct listing_line {
  uint64_t address = 0;
  unsigned size_bytes = 0;      ///< 4 or 8; an illegal dword: 4; bytes left over at the end: 1 to 3
  uint32_t words[2] = {0, 0};   ///< as they stand in memory (little endian; left-over bytes: the rest is 0)
  decode_result decoded;        ///< decoded.error says why a dword is illegal
  std::string text;             ///< the instruction as LLVM prints it, or ".long 0x..." (".byte ..." for left-over bytes)

  bool legal() const { return decoded.inst.info != nullptr; }
};

/// Walks `size` bytes of code that lie at `address`. The bytes need no alignment; they must outlive the walk.
///
///   code_listing walk(text.data(), text.size(), 0x1000, target::gfx900);
///   for (listing_line line; walk.next(line);) puts(format_line(line).c_str());
///
/// After an illegal dword the walk goes on with the next dword, so one error can be followed by others that it caused.
class code_listing {
public:
  code_listing(const void* bytes, std::size_t size, uint64_t address, target chip);
  /// The next line; false at the end.
  bool next(listing_line& line);
  /// Illegal dwords (and left-over bytes) so far.
  unsigned illegal() const { return illegal_; }

private:
  const unsigned char* bytes_;
  std::size_t size_, at_ = 0;
  const uint64_t address_;
  const target chip_;
  unsigned illegal_ = 0;
};

/// A line as llvm-objdump prints it: tab, text, address and dwords as a comment in column 60. Illegal dwords carry the reason.
std::string format_line(const listing_line& line);

/// Where a direct branch or call goes: SOPP branches, s_call_b64, s_cbranch_i_fork. False for everything else.
bool branch_target(const instruction& i, uint64_t pc, uint64_t& target_address);

} // namespace lyra::isa
