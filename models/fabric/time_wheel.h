// SPDX-License-Identifier: Apache-2.0
// A block's time-ordered queue: entries by cycle, constant cost, nothing allocated once it has grown to its working size.
#pragma once
#include "fabric/clock.h"
#include <algorithm>
#include <vector>

namespace lyra::fabric {

/// Entries come out by (cycle, order of push). Cycles near each other live in a ring of slots; those far away in a heap.
template <class T> class time_wheel {
public:
  explicit time_wheel(unsigned slots_log2 = 10) : slots_log2_(slots_log2), mask_((1u << slots_log2) - 1), heads_(mask_ + 1u, none), tails_(mask_ + 1u, none), bits_((mask_ + 64u) / 64u, 0) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  void push(cycle_t c, const T& value) {
    if (size_ == 0) base_ = c > mask_ / 2 ? c - mask_ / 2 : 0;
    ++size_;
    if (c < base_ || c - base_ > mask_) {
      far_.push_back({c, sequence_++, value});
      std::push_heap(far_.begin(), far_.end(), later);
    } else {
      uint32_t n;
      if (free_ != none) { n = free_; free_ = nodes_[n].next; nodes_[n] = {value, none}; }
      else { n = uint32_t(nodes_.size()); nodes_.push_back({value, none}); }
      const size_t s = size_t(c & mask_);
      if (heads_[s] == none) { heads_[s] = n; bits_[s / 64] |= uint64_t(1) << (s % 64); }
      else nodes_[tails_[s]].next = n;
      tails_[s] = n;
      if (c < earliest_) earliest_ = c;
    }
  }
  void clear() { *this = time_wheel(slots_log2_); }
  /// The cycle of the first entry; `never` when empty.
  cycle_t next() const { return far_.empty() ? earliest_ : std::min(earliest_, far_.front().cycle); }

  /// Takes out every entry due at or before c, earliest first, and gives it to `take(value)`. `take` may push entries for later cycles.
  template <class F> void pop(cycle_t c, F&& take) {
    for (cycle_t n = next(); n <= c; n = next()) {
      if (!far_.empty() && far_.front().cycle == n) {
        std::pop_heap(far_.begin(), far_.end(), later);
        const T value = far_.back().value;
        far_.pop_back();
        --size_;
        take(value);
        continue;
      }
      const size_t s = size_t(n & mask_);
      const uint32_t i = heads_[s];
      const T value = nodes_[i].value;
      heads_[s] = nodes_[i].next;
      nodes_[i].next = free_;
      free_ = i;
      --size_;
      if (heads_[s] == none) {
        bits_[s / 64] &= ~(uint64_t(1) << (s % 64));
        base_ = n;
        earliest_ = search(n);
      }
      take(value);
    }
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  struct node { T value; uint32_t next; };
  struct far_entry { cycle_t cycle; uint64_t sequence; T value; };
  static bool later(const far_entry& a, const far_entry& b) { return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence; }
  /// First occupied slot at or after cycle `from`.
  cycle_t search(cycle_t from) const {
    const size_t s = size_t(from & mask_), words = bits_.size();
    size_t w = s / 64;
    uint64_t b = bits_[w] >> (s % 64) << (s % 64);
    for (size_t k = 0; k <= words; ++k) {
      if (b != 0) {
        const size_t found = w * 64 + size_t(__builtin_ctzll(b));
        return from + ((found - s) & mask_);
      }
      w = w + 1 == words ? 0 : w + 1;
      b = bits_[w];
    }
    return never;
  }

  unsigned slots_log2_;
  cycle_t base_ = 0, earliest_ = never;
  uint64_t mask_, sequence_ = 0;
  size_t size_ = 0;
  uint32_t free_ = none;
  std::vector<uint32_t> heads_, tails_;
  std::vector<uint64_t> bits_;
  std::vector<node> nodes_;
  std::vector<far_entry> far_;
};

} // namespace lyra::fabric
