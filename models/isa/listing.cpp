// SPDX-License-Identifier: Apache-2.0
#include "isa/listing.h"
#include <cstdio>

namespace lyra::isa {

code_listing::code_listing(const void* bytes, std::size_t size, uint64_t address, target chip)
    : bytes_(static_cast<const unsigned char*>(bytes)), size_(size), address_(address), chip_(chip) {}

bool code_listing::next(listing_line& line) {
  if (at_ >= size_) return false;
  const std::size_t left = size_ - at_;
  const unsigned char* const p = bytes_ + at_;
  line = listing_line();
  line.address = address_ + at_;
  const unsigned readable = left < 8 ? static_cast<unsigned>(left) : 8;
  for (unsigned i = 0; i < readable; ++i) line.words[i / 4] |= static_cast<uint32_t>(p[i]) << (8 * (i % 4));
  char text[64];
  if (left < 4) {
    line.words[1] = 0;
    line.size_bytes = static_cast<unsigned>(left);
    line.decoded.error = "the code ends in " + std::to_string(left) + " bytes that are no whole dword";
    line.text = ".byte";
    for (unsigned i = 0; i < left; ++i) {
      snprintf(text, sizeof text, "%s0x%02x", i ? ", " : " ", p[i]);
      line.text += text;
    }
  } else {
    line.decoded = decode(line.words, left < 8 ? 1 : 2, chip_);
    if (line.legal()) {
      line.size_bytes = line.decoded.inst.size_bytes;
      line.text = disassemble(line.decoded.inst, chip_, line.address);
    } else {
      line.size_bytes = 4;
      snprintf(text, sizeof text, ".long 0x%08x", line.words[0]);
      line.text = text;
    }
  }
  if (!line.legal()) ++illegal_;
  if (line.size_bytes <= 4) line.words[1] = 0;
  at_ += line.size_bytes;
  return true;
}

std::string format_line(const listing_line& line) {
  char text[96];
  std::string s = "\t" + line.text;
  if (s.size() < 60) s.append(60 - s.size(), ' ');
  snprintf(text, sizeof text, "// %012llX: %0*X", static_cast<unsigned long long>(line.address), static_cast<int>(line.size_bytes < 4 ? 2 * line.size_bytes : 8),
           line.words[0]);
  s += text;
  if (line.size_bytes == 8) {
    snprintf(text, sizeof text, " %08X", line.words[1]);
    s += text;
  }
  if (!line.legal()) s += " illegal: " + line.decoded.error;
  return s;
}

bool branch_target(const instruction& i, uint64_t pc, uint64_t& target_address) {
  if (!i.info) return false;
  const bool direct = i.encoding() == encoding::SOPP ? i.info->has(BRANCH) : i.op() == op::s_call_b64 || i.op() == op::s_cbranch_i_fork;
  if (!direct) return false;
  target_address = pc + 4 + 4 * static_cast<int64_t>(static_cast<int16_t>(i.simm16));
  return true;
}

} // namespace lyra::isa
