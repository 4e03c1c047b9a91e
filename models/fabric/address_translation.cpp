// SPDX-License-Identifier: Apache-2.0
#include "fabric/address_translation.h"
#include <algorithm>

namespace lyra::fabric {

address_translation::address_translation(const translation_parameters& p, unsigned sources, const clock_domain& clock)
    : l1_entries_(p.l1_entries), l2_ways_(std::min(p.l2_ways, p.l2_entries)), l2_sets_((p.l2_entries + l2_ways_ - 1) / l2_ways_), l2_hit_(clock.from_ns(p.l2_hit_ns)), walk_(clock.from_ns(p.walk_ns)),
      l1_(size_t(sources) * p.l1_entries), l2_(l2_sets_ * l2_ways_), recent_(sources), walker_free_(p.walkers) {
  while ((uint64_t(2) << page_bits_) <= p.page_bytes) ++page_bits_;
}

void address_translation::reset() {
  clock_ = 0;
  l1_.assign(l1_.size(), entry());
  l2_.assign(l2_.size(), entry());
  recent_.assign(recent_.size(), 0);
  walker_free_.assign(walker_free_.size(), 0);
  statistics_ = translation_statistics();
}

cycle_t address_translation::look_up(unsigned source, uint64_t page, cycle_t now) {
  entry* entries = &l1_[size_t(source) * l1_entries_];
  unsigned oldest = 0;
  for (unsigned i = 0; i < l1_entries_; ++i) {
    if (entries[i].page == page) {
      recent_[source] = i;
      entries[i].used = ++clock_;
      return entries[i].ready > now ? wait(entries[i].ready - now) : 0;
    }
    if (entries[i].used < entries[oldest].used) oldest = i;
  }
  ++statistics_.l1_misses;
  const cycle_t ready = second_level(page, now) + l2_hit_;
  entries[oldest] = {page, ready, ++clock_};
  recent_[source] = oldest;
  return wait(ready - now);
}

cycle_t address_translation::second_level(uint64_t page, cycle_t now) {
  entry* set = &l2_[page % l2_sets_ * l2_ways_];
  entry* oldest = set;
  for (entry* e = set; e != set + l2_ways_; ++e) {
    if (e->page == page) {
      e->used = ++clock_;
      return std::max(e->ready, now);
    }
    if (e->used < oldest->used) oldest = e;
  }
  ++statistics_.l2_misses;
  cycle_t& walker = *std::min_element(walker_free_.begin(), walker_free_.end());
  walker = std::max(walker, now) + walk_;
  *oldest = {page, walker, ++clock_};
  return walker;
}

} // namespace lyra::fabric
