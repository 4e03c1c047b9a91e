// SPDX-License-Identifier: Apache-2.0
#include "fabric/cache_array.h"
#include <stdexcept>
#include <string>

namespace lyra::cache {

cache_array::cache_array(set_selection select, unsigned ways, replacement policy) : select_(select), ways_(ways), policy_(policy) {
  if (select.sets == 0 || (select.sets & (select.sets - 1)) != 0 || ways == 0 || ways > 256)
    throw std::invalid_argument("cache of " + std::to_string(select.sets) + " sets and " + std::to_string(ways) +
                                " ways: the number of sets must be a power of two and the ways 1..256; change size_bytes or ways");
  if (select.interleave_ways == 0 || select.interleave_bytes < line_bytes || select.interleave_bytes % line_bytes != 0)
    throw std::invalid_argument("cache interleave of " + std::to_string(select.interleave_bytes) + " bytes: it must be a multiple of the 64-byte line");
  tags_.assign(lines(), no_line);
  states_.resize(lines());
  order_.assign(lines(), 0);
  recent_.assign(select.sets, 0);
  blocks_.resize((lines() + block_lines - 1) / block_lines);
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
  uint64_t x = (clock_ + 1) * 0x9e3779b97f4a7c15ull;
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
  order_[n] = ++clock_;
  recent_[n / ways_] = uint8_t(n % ways_);
}

void cache_array::drop(int i) {
  const size_t n = size_t(i);
  if (tags_[n] != no_line) --present_;
  tags_[n] = no_line;
  states_[n] = state{};
  order_[n] = 0;
}

void cache_array::drop_all() {
  if (present_ == 0) return;
  tags_.assign(tags_.size(), no_line);
  states_.assign(states_.size(), state{});
  order_.assign(order_.size(), 0);
  present_ = 0;
}

void cache_array::reset() {
  drop_all();
  clock_ = 0;
  recent_.assign(recent_.size(), 0);
}

size_t cache_array::data_bytes() const {
  size_t n = 0;
  for (const auto& b : blocks_) n += b ? block_lines * line_bytes : 0;
  return n;
}

} // namespace lyra::cache
