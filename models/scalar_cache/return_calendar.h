// SPDX-License-Identifier: Apache-2.0
// The return bus of a cache whose answers are known some cycles ahead and in no order: each reserves the first free cycles. Plain C++.
#pragma once
#include "fabric/clock.h"
#include <cstdint>
#include <vector>

namespace lyra::scalar_cache {

/// Reservations up to `horizon` cycles ahead of the oldest one not yet taken; the owner sees to it that none lies further.
class return_calendar {
public:
  static constexpr fabric::cycle_t horizon = 4096;

  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }

  /// Reserves the first run of `cycles` free cycles at or after `earliest`; returns the last of them, when `item` is out.
  fabric::cycle_t reserve(fabric::cycle_t earliest, unsigned cycles, uint16_t item) {
    if (items_.empty()) {
      items_.resize(horizon);
      lengths_.resize(horizon);
      busy_.resize(horizon / 64);
      ends_.resize(horizon / 64);
    }
    fabric::cycle_t start = earliest;
    for (unsigned run = 0; run < cycles;) {
      if (test(busy_, start + run)) { start += run + 1; run = 0; }
      else ++run;
    }
    for (unsigned k = 0; k < cycles; ++k) set(busy_, start + k);
    const fabric::cycle_t end = start + cycles - 1;
    set(ends_, end);
    items_[end % horizon] = item;
    lengths_[end % horizon] = uint8_t(cycles);
    ++count_;
    if (end < next_) next_ = end;
    return end;
  }
  void clear() {
    while (next() != fabric::never) take();
  }
  /// The cycle of the first item; `never` when empty.
  fabric::cycle_t next() const { return count_ == 0 ? fabric::never : next_; }
  /// Takes out the item of cycle next().
  uint16_t take() {
    const fabric::cycle_t c = next_;
    for (unsigned k = 0; k < lengths_[c % horizon]; ++k) reset(busy_, c - k);
    reset(ends_, c);
    next_ = --count_ == 0 ? fabric::never : search(c + 1);
    return items_[c % horizon];
  }

private:
  using bits = std::vector<uint64_t>;
  static bool test(const bits& b, fabric::cycle_t c) { return b[c % horizon / 64] >> (c % 64) & 1; }
  static void set(bits& b, fabric::cycle_t c) { b[c % horizon / 64] |= uint64_t(1) << (c % 64); }
  static void reset(bits& b, fabric::cycle_t c) { b[c % horizon / 64] &= ~(uint64_t(1) << (c % 64)); }
  fabric::cycle_t search(fabric::cycle_t from) const {
    for (fabric::cycle_t c = from;; c = (c / 64 + 1) * 64)
      if (const uint64_t w = ends_[c % horizon / 64] >> (c % 64)) return c + unsigned(__builtin_ctzll(w));
  }

  size_t count_ = 0;
  fabric::cycle_t next_ = fabric::never;
  std::vector<uint16_t> items_;
  std::vector<uint8_t> lengths_;
  bits busy_, ends_;
};

} // namespace lyra::scalar_cache
