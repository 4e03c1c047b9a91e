// SPDX-License-Identifier: Apache-2.0
// Which device addresses a job uses: fixed ranges first, then everything else around them, with guard pages between.
#pragma once
#include "dispatch/job.h"

namespace lyra::dispatch {

class address_layout {
public:
  struct range { uint64_t first, bytes; std::string what; uint64_t end() const { return first + bytes; } };
  static constexpr uint64_t page = 4096;
  static constexpr uint64_t lowest = uint64_t(4) << 30; ///< automatic allocations start here

  /// A range at a given 48-bit address. Throws at `place` when it overlaps another one or leaves the 48-bit space.
  void reserve(uint64_t address, uint64_t bytes, const std::string& what, const source_place& place);
  /// Room for `bytes`, page aligned (or more), with at least one unmapped page before and behind. Call after all `reserve`s.
  uint64_t allocate(uint64_t bytes, const std::string& what, uint64_t alignment = page);
  /// The range that holds the address, or the nearest one below within a page of its end; null where there is none.
  const range* find(uint64_t address) const;
  /// "buffer x + 0x10", "0x40 bytes behind buffer x", "no allocation near"
  std::string describe(uint64_t address) const;
  const std::vector<range>& ranges() const { return ranges_; } ///< by address

private:
  void insert(range r);
  std::vector<range> ranges_;
  uint64_t next_ = lowest;
};

} // namespace lyra::dispatch
