// SPDX-License-Identifier: Apache-2.0
// Tag and data array shared by the caches: sets and ways of 64-byte lines, replacement, per-byte valid and dirty masks, data on first use.
// Plain C++: no SystemC, tested without the kernel.
#pragma once
#include "fabric/host_lines.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace lyra::cache {

constexpr unsigned line_bytes = 64;
constexpr uint64_t line_address(uint64_t address) { return address & ~uint64_t(line_bytes - 1); }

/// A byte mask of 8 bits as 8 bytes of 00 or ff (bit i: byte i).
constexpr uint64_t expand_mask(uint8_t bits) {
  const uint64_t picked = (bits * 0x0101010101010101ull) & 0x8040201008040201ull; // byte i: bit i or 0
  return ((picked + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull) * 0xff;
}

/// Copies the bytes of a 64-byte line whose mask bit is set.
inline void merge_bytes(uint8_t* to, const uint8_t* from, uint64_t mask) {
  if (mask == ~uint64_t(0)) { std::memcpy(to, from, line_bytes); return; }
  for (unsigned k = 0; k < 8; ++k, mask >>= 8) {
    const uint8_t bits = uint8_t(mask);
    if (bits == 0) continue;
    uint64_t a, b;
    std::memcpy(&b, from + 8 * k, 8);
    if (bits != 0xff) {
      std::memcpy(&a, to + 8 * k, 8);
      const uint64_t m = expand_mask(bits);
      b = (a & ~m) | (b & m);
    }
    std::memcpy(to + 8 * k, &b, 8);
  }
}

/// Which set a line belongs to. A cache that owns only every n-th block of an interleave (an L2 channel) leaves the channel bits out
/// of its index, so that all of its sets are used.
struct set_selection {
  unsigned sets = 64;             ///< a power of two
  unsigned interleave_bytes = 64; ///< size of an interleaved block
  unsigned interleave_ways = 1;   ///< owners the blocks are spread over
  bool fold = false;              ///< XOR higher address bits into the index (spreads power-of-two strides)
  bool mix = false;               ///< instead: a hash of the line's number, so that lines fall into sets as if at random

  unsigned operator()(uint64_t address) const {
    uint64_t n = address / line_bytes;
    if (interleave_ways > 1) {
      const uint64_t lines = interleave_bytes / line_bytes;
      n = n / (lines * interleave_ways) * lines + n % lines;
    }
    if (mix) {
      uint64_t h = n * 0x9e3779b97f4a7c15;
      h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
      n ^= h ^ h >> 32;
    } else if (fold) n ^= n / sets ^ n / (uint64_t(sets) * sets);
    return unsigned(n & (sets - 1));
  }
};

enum class replacement : uint8_t { lru, fifo, random };

/// Lines are named by their index set * ways + way. Times, misses and coherence are the owner's business.
class cache_array {
  static constexpr uint32_t pinned_bit = uint32_t(1) << 31;

public:
  static constexpr int absent = -1;

  /// `most_uses`: how many times of use can be told apart before they are counted anew (for tests).
  cache_array(set_selection select, unsigned ways, replacement policy = replacement::lru, uint32_t most_uses = pinned_bit - 1);

  unsigned sets() const { return select_.sets; }
  unsigned ways() const { return ways_; }
  unsigned lines() const { return select_.sets * ways_; }
  unsigned present() const { return present_; } ///< lines that have a tag
  unsigned set_of(uint64_t address) const { return select_(address); }

  /// Index of the line that holds `address`, or absent. Does not change the order of use.
  int find(uint64_t address) const {
    address = line_address(address);
    const size_t set = select_(address), base = set * ways_;
    const uint64_t* t = tags_.data() + base;
    if (t[recent_[set]] == address) return int(base + recent_[set]);
    for (unsigned w = 0; w < ways_; ++w)
      if (t[w] == address) return int(base + w);
    return absent;
  }
  /// Hint to the host: `find(address)` is coming.
  void prefetch(uint64_t address) const {
    const uint64_t* t = tags_.data() + size_t(select_(address)) * ways_;
    __builtin_prefetch(t);
    if (ways_ > 8) __builtin_prefetch(t + 8);
  }
  /// Where a new line for `address` would go: a free way, else the first victim among lines that are not pinned; absent where all are pinned.
  int victim(uint64_t address) const;
  /// Gives the place to a new line: not pinned, nothing valid, most recently used. The old line must be dealt with before.
  void install(int i, uint64_t address);
  /// Drops a line with whatever it holds.
  void drop(int i);
  void drop_all();
  /// As after construction: empty, and the order of use is forgotten.
  void reset();

  uint64_t address(int i) const { return tags_[size_t(i)]; }
  bool holds(int i) const { return tags_[size_t(i)] != no_line; }
  uint64_t valid(int i) const { return states_[size_t(i)].valid; }
  uint64_t dirty(int i) const { return states_[size_t(i)].dirty; }
  void set_valid(int i, uint64_t mask) { states_[size_t(i)].valid = mask; }
  void set_dirty(int i, uint64_t mask) { states_[size_t(i)].dirty = mask; }
  /// A pinned line is no victim (fill on its way, locked by an atomic).
  bool pinned(int i) const { return order_[size_t(i)] & pinned_bit; }
  void pin(int i, bool on) { order_[size_t(i)] = (order_[size_t(i)] & ~pinned_bit) | (on ? pinned_bit : 0); }
  /// Free for the owner (pending, volatile, ...); 0 after install.
  uint8_t& flags(int i) { return flags_[size_t(i)]; }
  uint8_t flags(int i) const { return flags_[size_t(i)]; }

  /// Most recently used (LRU); no effect with the other policies.
  void touch(int i) {
    const size_t n = size_t(i), set = n / ways_;
    recent_[set] = uint8_t(n - set * ways_);
    if (policy_ == replacement::lru) order_[n] = next_use() | (order_[n] & pinned_bit);
  }
  /// First victim of its set.
  void retire(int i) { order_[size_t(i)] &= pinned_bit; }

  /// The 64 bytes of a line. Memory is taken for one way of all sets at a time: sets fill their first way first, and neighbours in memory lie in neighbouring sets.
  uint8_t* data(int i) {
    const unsigned set = way_shift_ < 32 ? unsigned(i) >> way_shift_ : unsigned(i) / ways_, way = unsigned(i) - set * ways_;
    auto& lines = data_[way];
    if (!lines) lines.reset(new data_line[select_.sets]); // not cleared: bytes that are not valid are not looked at
    return lines[set].bytes;
  }
  /// A store: bytes become valid and, with `dirty`, dirty.
  void write(int i, const uint8_t* bytes, uint64_t mask, bool dirty) {
    merge_bytes(data(i), bytes, mask);
    states_[size_t(i)].valid |= mask;
    if (dirty) states_[size_t(i)].dirty |= mask;
  }
  /// A fill from below: only bytes that are not valid yet are taken, so that it never overwrites a younger store.
  void fill(int i, const uint8_t* bytes, uint64_t mask) {
    const uint64_t missing = mask & ~states_[size_t(i)].valid;
    merge_bytes(data(i), bytes, missing);
    states_[size_t(i)].valid |= missing;
  }
  /// Host bytes taken for data so far.
  size_t data_bytes() const;

private:
  static constexpr uint64_t no_line = ~uint64_t(0);
  struct state { uint64_t valid = 0, dirty = 0; };
  struct alignas(line_bytes) data_line { uint8_t bytes[line_bytes]; };
  /// The next time of use. When there are no more, those of each set are counted anew from 1 in their order.
  uint32_t next_use() {
    if (clock_ == most_uses_) renumber();
    return ++clock_;
  }
  void renumber();

  set_selection select_;
  unsigned ways_;
  replacement policy_;
  unsigned present_ = 0;
  uint32_t clock_ = 0, most_uses_;
  uint64_t installs_ = 0;        ///< for the draws of random replacement
  // Apart from each other, and from a line of the host's cache on: a look-up reads the tags of a set, a victim is the least of its order.
  host_lines<uint64_t> tags_;
  host_lines<state> states_;
  host_lines<uint32_t> order_;   ///< by line: when it was used last (or installed), pinned_bit on top
  std::vector<uint8_t> flags_;
  std::vector<uint8_t> recent_; // way used last in each set: looked at first
  unsigned way_shift_ = 32;     ///< 2^way_shift_ ways; 32: no power of two
  std::vector<std::unique_ptr<data_line[]>> data_; ///< by way, then by set
};

} // namespace lyra::cache
