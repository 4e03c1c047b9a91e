// SPDX-License-Identifier: Apache-2.0
#include "fabric/cache_array.h"
#include <algorithm>
#include <stdexcept>
#include <string>

namespace lyra::cache {

cache_array::cache_array(set_selection select, unsigned ways, replacement policy, uint32_t most_uses)
    : select_(select), ways_(ways), policy_(policy), most_uses_(std::max(most_uses, ways + 1)) {
  if (select.sets == 0 || (select.sets & (select.sets - 1)) != 0 || ways == 0 || ways > 256)
    throw std::invalid_argument("cache of " + std::to_string(select.sets) + " sets and " + std::to_string(ways) +
                                " ways: the number of sets must be a power of two and the ways 1..256; change size_bytes or ways");
  if (select.interleave_ways == 0 || select.interleave_bytes < line_bytes || select.interleave_bytes % line_bytes != 0)
    throw std::invalid_argument("cache interleave of " + std::to_string(select.interleave_bytes) + " bytes: it must be a multiple of the 64-byte line");
  tags_.assign(lines(), no_line);
  states_.resize(lines());
  order_.assign(lines(), 0);
  flags_.assign(lines(), 0);
  recent_.assign(select.sets, 0);
  if ((ways & (ways - 1)) == 0) way_shift_ = unsigned(__builtin_ctz(ways));
  data_.resize(ways);
}

int cache_array::victim(uint64_t address) const {
  const size_t base = size_t(select_(address)) * ways_;
  int best = absent;
  unsigned candidates = 0;
  for (unsigned w = 0; w < ways_; ++w) {
    const size_t i = base + w;
    if (tags_[i] == no_line) return int(i);
    if (order_[i] & pinned_bit) continue;
    ++candidates;
    if (best == absent || order_[i] < order_[size_t(best)]) best = int(i);
  }
  if (policy_ != replacement::random || candidates < 2 || order_[size_t(best)] == 0) return best;
  // a reproducible draw: from the count of installs so far
  uint64_t x = (installs_ + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull;
  unsigned k = unsigned((x >> 32) % candidates);
  for (unsigned w = 0; w < ways_; ++w)
    if (!(order_[base + w] & pinned_bit) && k-- == 0) return int(base + w);
  return best;
}

void cache_array::install(int i, uint64_t address) {
  const size_t n = size_t(i);
  if (tags_[n] == no_line) ++present_;
  tags_[n] = line_address(address);
  states_[n] = state{};
  flags_[n] = 0;
  order_[n] = next_use();
  ++installs_;
  recent_[n / ways_] = uint8_t(n % ways_);
}

void cache_array::drop(int i) {
  const size_t n = size_t(i);
  if (tags_[n] != no_line) --present_;
  tags_[n] = no_line;
  states_[n] = state{};
  flags_[n] = 0;
  order_[n] = 0;
}

void cache_array::drop_all() {
  if (present_ == 0) return;
  tags_.assign(tags_.size(), no_line);
  states_.assign(states_.size(), state{});
  flags_.assign(flags_.size(), 0);
  order_.assign(order_.size(), 0);
  present_ = 0;
}

void cache_array::reset() {
  drop_all();
  clock_ = 0;
  installs_ = 0;
  recent_.assign(recent_.size(), 0);
}

size_t cache_array::data_bytes() const {
  size_t n = 0;
  for (const auto& way : data_) n += way ? size_t(sets()) * line_bytes : 0;
  return n;
}

void cache_array::renumber() {
  std::vector<uint32_t*> used;
  for (size_t base = 0; base < order_.size(); base += ways_) {
    used.clear();
    for (size_t i = base; i < base + ways_; ++i)
      if (order_[i] & ~pinned_bit) used.push_back(&order_[i]); // 0: retired, stays so
    std::sort(used.begin(), used.end(), [](const uint32_t* a, const uint32_t* b) { return (*a & ~pinned_bit) < (*b & ~pinned_bit); });
    uint32_t n = 0;
    for (uint32_t* o : used) *o = (*o & pinned_bit) | ++n;
  }
  clock_ = ways_;
}

} // namespace lyra::cache
