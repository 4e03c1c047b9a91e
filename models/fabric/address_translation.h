// SPDX-License-Identifier: Apache-2.0
// How long the translation of an address takes: UTCL1 (one a source), UTCL2 (one for all), page walk. Time only: addresses stay as they are.
#pragma once
#include "fabric/clock.h"
#include "fabric/parameters.h"
#include <cstdint>
#include <vector>

namespace lyra::fabric {

struct translation_parameters {
  bool enabled = true;
  unsigned page_bytes = 2 << 20;
  unsigned l1_entries = 32, l2_entries = 4096, l2_ways = 16;
  double l2_hit_ns = 67, walk_ns = 500;
  unsigned walkers = 16;

  template <class V> void describe(V&& v) {
    v("enabled", enabled, {"", 0, 1, nullptr, "", "time of address translation; off: translations take none"});
    v("page_bytes", page_bytes, {"bytes", 4096, 1u << 30, nullptr, "ROCm: 2 MB fragments where buffers are large", "what one entry translates; a power of two"});
    v("l1_entries", l1_entries, {"entries", 1, 1024, nullptr, "gpu-benches, MI100: latency flat to 64 MB = 32 pages of 2 MB", "UTCL1 of each L1, K$ and I$, fully associative, LRU"});
    v("l2_entries", l2_entries, {"entries", 1, 1 << 20, nullptr, "gem5: 4096", "UTCL2"});
    v("l2_ways", l2_ways, {"ways", 1, 64, nullptr, "assumed", "associativity of UTCL2, LRU"});
    v("l2_hit_ns", l2_hit_ns, {"ns", 0, 10000, nullptr, "gpu-benches, MI100: 635 clk at 1 GB against 540 at 64 MB", "UTCL1 miss that hits UTCL2"});
    v("walk_ns", walk_ns, {"ns", 0, 100000, nullptr, "gem5: 750 clk", "page walk after a UTCL2 miss"});
    v("walkers", walkers, {"walks", 1, 1024, nullptr, "assumed", "walks at a time"});
  }
};

struct translation_statistics {
  uint64_t requests = 0, l1_misses = 0, l2_misses = 0, wait_cycles = 0;
  template <class V> void describe(V&& v) {
    v("requests", requests, "requests", "line requests of L1, K$ and I$ to L2");
    v("l1_misses", l1_misses, "requests", "pages that were not in the source's UTCL1");
    v("l2_misses", l2_misses, "walks", "pages that were not in the UTCL2 either: page walks");
    v("wait_cycles", wait_cycles, "cycles", "sum over requests of cycles until their translation was there");
  }
};

/// Plain C++, no kernel; deterministic. One object a machine.
class address_translation {
public:
  /// `clock`: of the cycles given and returned. Cache sizes are rounded up to whole sets.
  address_translation(const translation_parameters& p, unsigned sources, const clock_domain& clock);
  /// Cycles until the page of `address` is known to `source`, asked at cycle `now`; 0 on a UTCL1 hit. Calls in any order of time.
  cycle_t delay(unsigned source, uint64_t address, cycle_t now) {
    ++statistics_.requests;
    const uint64_t page = address >> page_bits_;
    const entry& recent = l1_[size_t(source) * l1_entries_ + recent_[source]];
    if (recent.page == page) return recent.ready > now ? wait(recent.ready - now) : 0;
    return look_up(source, page, now);
  }
  translation_statistics& statistics() { return statistics_; }
  /// Nothing is translated, no walk is under way, statistics are 0.
  void reset();

private:
  struct entry { uint64_t page = never; cycle_t ready = 0; uint64_t used = 0; };
  cycle_t look_up(unsigned source, uint64_t page, cycle_t now);
  cycle_t wait(cycle_t cycles) { statistics_.wait_cycles += cycles; return cycles; }
  /// Cycle at which UTCL2 has the page.
  cycle_t second_level(uint64_t page, cycle_t now);

  unsigned page_bits_ = 0, l1_entries_, l2_ways_;
  uint64_t l2_sets_;
  cycle_t l2_hit_, walk_;
  uint64_t clock_ = 0;              ///< of LRU
  std::vector<entry> l1_, l2_;      ///< [source][entry], [set][way]
  std::vector<unsigned> recent_;    ///< by source: entry used last
  std::vector<cycle_t> walker_free_;
  translation_statistics statistics_;
};

} // namespace lyra::fabric
