// SPDX-License-Identifier: Apache-2.0
// Decoded instructions, by the bytes they were fetched as: 32-byte blocks, shared by all compute units of a machine.
#pragma once
#include "compute_unit/micro_op.h"
#include "compute_unit/profile.h"
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lyra::compute_unit {

/// True where the instruction that starts with this dword has a second one.
bool has_second_word(uint32_t word);

struct code_block {
  uint64_t address = 0;
  uint32_t words[8] = {};
  const micro_op* ops[8] = {};       ///< decoded at first use
  uint32_t second = 0;               ///< the next block's first dword that ops[7] was decoded with
  code_block* next = nullptr;        ///< loosely timed: the block behind it, when known
  uint64_t epoch = 0;                ///< loosely timed: checked against memory in this epoch
};

class code_cache {
public:
  explicit code_cache(isa::target chip) : chip_(chip) {}
  /// The block with this address and these 8 dwords; made where there is none yet (code that is overwritten gets a new block).
  code_block& block(uint64_t address, const uint32_t* words);
  /// The instruction at dword `index` of a block. `second_word`: the first dword of the block behind, for the last dword (0 where not needed).
  const micro_op& op(code_block& b, unsigned index, uint32_t second_word) {
    const micro_op* m = b.ops[index];
    if (m && (index != 7 || b.second == second_word || !has_second_word(b.words[7]))) return *m;
    return decode(b, index, second_word);
  }
  isa::target chip() const { return chip_; }
  bool profile = false; ///< give every instruction decoded from now on a profile_record
  const std::deque<micro_op>& ops() const { return arena_; } ///< everything decoded so far
  uint64_t epoch = 1; ///< loosely timed: raised when code may have changed

private:
  const micro_op& decode(code_block& b, unsigned index, uint32_t second_word);
  isa::target chip_;
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<code_block>>> blocks_;
  static constexpr unsigned front_entries = 4096;
  code_block* front_[front_entries] = {};
  std::deque<micro_op> arena_;
  std::deque<profile_record> profiles_;
};

} // namespace lyra::compute_unit
