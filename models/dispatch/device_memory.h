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
  /// Takes the memory of whole pages (4 KB) away: PRT pages that are not resident. Their content is lost; `read` gives 0, `write` is dropped.
  virtual void make_non_resident(uint64_t address, uint64_t bytes) = 0;
  /// Makes pages not exist; their content is lost. Only while no cache holds any of it: in a reset, or before a run.
  virtual void unmap(uint64_t address, uint64_t bytes) { (void)address, (void)bytes; }
  /// Before and after a run: goes past the timing, sees and updates every copy (dirty lines in caches).
  virtual void write(uint64_t address, const void* data, uint64_t bytes) = 0;
  virtual void read(uint64_t address, void* data, uint64_t bytes) = 0;
};

} // namespace lyra::dispatch
