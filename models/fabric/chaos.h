// SPDX-License-Identifier: Apache-2.0
// Randomised latencies and arbitration, reproducible: every draw is a hash of (seed, module, sequence).
#pragma once
#include <cstdint>

namespace lyra::fabric {

struct chaos_source {
  uint64_t seed = 0;             ///< 0: off
  unsigned max_extra_cycles = 24;

  bool on() const { return seed != 0; }
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  uint64_t draw(uint32_t module, uint64_t sequence) const { return mix(seed ^ mix(module * 0x1000003ull ^ mix(sequence))); }
  /// Extra cycles at the tail of a FIFO; the caller keeps the FIFO's order (never earlier than the entry before).
  unsigned extra(uint32_t module, uint64_t sequence) const { return on() ? unsigned(draw(module, sequence) % (max_extra_cycles + 1)) : 0; }
  /// One of n ready requestors; `regular` when chaos is off.
  unsigned pick(uint32_t module, uint64_t sequence, unsigned n, unsigned regular) const { return on() && n > 1 ? unsigned(draw(module, sequence) % n) : regular; }
};

/// A stable number for a module's name, for chaos_source.
constexpr uint32_t module_number(const char* name) {
  uint32_t h = 2166136261u;
  for (; *name; ++name) h = (h ^ uint8_t(*name)) * 16777619u;
  return h;
}

} // namespace lyra::fabric
