// SPDX-License-Identifier: Apache-2.0
// Instructions for the tests of TA and TD: address patterns, loads and stores at a cycle, a linear image.
#pragma once
#include "texture/bench.h"
#include <algorithm>

namespace texture_test {

constexpr uint64_t base = 0x100000, all = ~uint64_t(0);

inline std::vector<uint64_t> linear(uint64_t start, unsigned step) {
  std::vector<uint64_t> a(64);
  for (unsigned l = 0; l < 64; ++l) a[l] = start + l * step;
  return a;
}
/// Every lane in a line of its own.
inline std::vector<uint64_t> scattered(unsigned offset = 0) {
  std::vector<uint64_t> a(64);
  for (unsigned l = 0; l < 64; ++l) a[l] = base + ((l * 37) % 64) * 64 + offset;
  return a;
}

inline wave_request& put(bench& b, const std::string& name, const std::vector<uint64_t>& a, cycle_t at, uint64_t exec = all, bool glc = false) {
  isa::instruction i = make(name);
  i.glc = glc;
  payload* p;
  wave_request& r = b.take(i, exec, p);
  put_addresses(r, a);
  b.cu.issue(*p, at);
  return r;
}

/// A linear 2D image of 64 x 16 texels of 32 bits, unsigned.
inline void put_image(uint32_t* t, uint64_t address) {
  const uint32_t w[8] = {uint32_t(address >> 8), uint32_t(address >> 40) | 4u << 20 | 4u << 26, 63u | 15u << 14 | 4u << 28, 4u | 0u << 3 | 0u << 6 | 1u << 9 | 9u << 28, 63u << 13, 0, 0, 0};
  std::copy(w, w + 8, t);
}

} // namespace texture_test
