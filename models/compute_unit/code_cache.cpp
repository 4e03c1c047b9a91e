// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/code_cache.h"
#include "compute_unit/wait_states.h"
#include <cstring>

namespace lyra::compute_unit {

bool has_second_word(uint32_t w) {
  if (!(w >> 31)) { // VOP2, VOP1, VOPC
    const unsigned src0 = w & 0x1ff, op = w >> 25 & 0x3f;
    return src0 == 255 || src0 == 249 || src0 == 250 || op == 0x17 || op == 0x18 || op == 0x24 || op == 0x25;
  }
  if (w >> 30 == 2) { // scalar
    const unsigned s0 = w & 0xff, s1 = w >> 8 & 0xff, top = w >> 23;
    if (top == 0x17d) return s0 == 255;                       // SOP1
    if (top == 0x17e) return s0 == 255 || s1 == 255;          // SOPC
    if (top == 0x17f) return false;                           // SOPP
    if (w >> 28 == 0xb) return (w >> 23 & 0x1f) == 20;        // SOPK: s_setreg_imm32_b32
    return s0 == 255 || s1 == 255;                            // SOP2
  }
  return w >> 26 != 0x35; // all but VINTRP have 64 bits
}

code_block& code_cache::block(uint64_t address, const uint32_t* words) {
  code_block*& f = front_[(address >> 5) % front_entries];
  if (f && f->address == address && std::memcmp(f->words, words, 32) == 0) return *f;
  auto& versions = blocks_[address];
  for (auto& b : versions)
    if (std::memcmp(b->words, words, 32) == 0) return *(f = b.get());
  auto b = std::make_unique<code_block>();
  b->address = address;
  std::memcpy(b->words, words, 32);
  versions.push_back(std::move(b));
  return *(f = versions.back().get());
}

const micro_op& code_cache::decode(code_block& b, unsigned index, uint32_t second_word) {
  uint32_t w[2] = {b.words[index], index < 7 ? b.words[index + 1] : second_word};
  arena_.emplace_back();
  make_micro_op(arena_.back(), w, 2, chip_);
  arena_.back().wait_consumer = may_need_wait_states(arena_.back());
  arena_.back().pc = b.address + 4 * index;
  if (profile) arena_.back().profile = &profiles_.emplace_back();
  b.ops[index] = &arena_.back();
  if (index == 7) b.second = second_word;
  return arena_.back();
}

} // namespace lyra::compute_unit
