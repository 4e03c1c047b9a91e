// SPDX-License-Identifier: Apache-2.0
// What the loader needs of a machine's memory. Addresses are 48-bit device addresses (fabric::canonical).
#pragma once
#include <cstdint>

namespace lyra::dispatch {

class device_memory {
public:
  virtual ~device_memory() = default;
  /// Makes the pages (4 KB) that hold the range exist, zeroed and writable; costs nothing before they are touched. Pages that exist already keep their content.
  virtual void map(uint64_t address, uint64_t bytes) = 0;
  /// Before and after a run: goes past the timing, sees and updates every copy (dirty lines in caches).
  virtual void write(uint64_t address, const void* data, uint64_t bytes) = 0;
  virtual void read(uint64_t address, void* data, uint64_t bytes) = 0;
};

} // namespace lyra::dispatch
