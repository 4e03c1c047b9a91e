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

  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }

  /// Reserves the first run of `cycles` free cycles at or after `earliest`; returns the last of them, when `item` is out.
  fabric::cycle_t reserve(fabric::cycle_t earliest, unsigned cycles, uint16_t item) {
    if (busy_.empty()) {
      busy_.resize(horizon / 64);
      ends_.resize(horizon / 64);
    }
    fabric::cycle_t start = next_free(earliest);
    for (unsigned run = 1; run < cycles;) {
      if (test(busy_, start + run)) { start = next_free(start + run + 1); run = 1; }
      else ++run;
    }
    for (unsigned k = 0; k < cycles; ++k) set(busy_, start + k);
    const fabric::cycle_t end = start + cycles - 1;
    set(ends_, end);
    items_.push_back({uint16_t(end % horizon), item, uint16_t(cycles)});
    if (end < next_) next_ = end;
    return end;
  }
  void clear() {
    while (next() != fabric::never) take();
  }
  /// The cycle of the first item; `never` when empty.
  fabric::cycle_t next() const { return items_.empty() ? fabric::never : next_; }
  /// Takes out the item of cycle next().
  uint16_t take() {
    const fabric::cycle_t c = next_;
    size_t i = 0;
    while (items_[i].end != c % horizon) ++i;
    const entry taken = items_[i];
    items_[i] = items_.back();
    items_.pop_back();
    for (unsigned k = 0; k < taken.cycles; ++k) reset(busy_, c - k);
    reset(ends_, c);
    next_ = items_.empty() ? fabric::never : search(c + 1);
    return taken.item;
  }

private:
  using bits = std::vector<uint64_t>;
  static bool test(const bits& b, fabric::cycle_t c) { return b[c % horizon / 64] >> (c % 64) & 1; }
  static void set(bits& b, fabric::cycle_t c) { b[c % horizon / 64] |= uint64_t(1) << (c % 64); }
  static void reset(bits& b, fabric::cycle_t c) { b[c % horizon / 64] &= ~(uint64_t(1) << (c % 64)); }
  fabric::cycle_t next_free(fabric::cycle_t from) const {
    for (fabric::cycle_t c = from;; c = (c / 64 + 1) * 64)
      if (const uint64_t w = ~busy_[c % horizon / 64] >> (c % 64)) return c + unsigned(__builtin_ctzll(w));
  }
  fabric::cycle_t search(fabric::cycle_t from) const {
    for (fabric::cycle_t c = from;; c = (c / 64 + 1) * 64)
      if (const uint64_t w = ends_[c % horizon / 64] >> (c % 64)) return c + unsigned(__builtin_ctzll(w));
  }

  struct entry { uint16_t end /* modulo the horizon */, item, cycles; };
  fabric::cycle_t next_ = fabric::never;
  std::vector<entry> items_; ///< few at a time, in no order
  bits busy_, ends_;
};

} // namespace lyra::scalar_cache
