// SPDX-License-Identifier: Apache-2.0
// Addresses of the beats of an AXI4 burst (IHI 0022, A3.4.1). Plain C++.
#pragma once
#include "rtl/pins.h"
#include <string>

namespace lyra::rtl {

struct axi_beat {
  uint64_t address; ///< first byte that the beat can carry
  unsigned bytes;   ///< from there to the end of the beat's container of 1 << size bytes
};
/// Beat `n` of a burst: FIXED stays, INCR goes on at the next multiple of the size, WRAP comes round at the burst's container.
inline axi_beat beat_of(const axi_address& a, unsigned n) {
  const uint64_t size = uint64_t(1) << a.size;
  uint64_t at = a.address;
  if (n && a.burst != 0) at = (a.address & ~(size - 1)) + n * size;
  if (a.burst == 2) {
    const uint64_t total = size * (a.len + 1u), low = a.address & ~(total - 1);
    at = low + (a.address - low + n * size) % total;
  }
  return {at, unsigned(size - at % size)};
}
/// What is wrong with an address for a bus of `bus_bytes`; empty: nothing.
inline std::string burst_error(const axi_address& a, unsigned bus_bytes) {
  const uint64_t size = uint64_t(1) << a.size;
  if (size > bus_bytes) return "size of " + std::to_string(size) + " bytes on a bus of " + std::to_string(bus_bytes);
  if (a.burst > 2) return "reserved burst type 3";
  if (a.burst == 2 && (a.address % size || (a.len != 1 && a.len != 3 && a.len != 7 && a.len != 15))) return "WRAP burst that is not aligned or not of 2, 4, 8 or 16 beats";
  if (a.burst == 0 && a.len > 15) return "FIXED burst of more than 16 beats";
  if (a.burst == 1 && (a.address >> 12) != (((a.address & ~(size - 1)) + size * (a.len + 1u) - 1) >> 12)) return "INCR burst that crosses a 4 KB boundary";
  return {};
}

} // namespace lyra::rtl
