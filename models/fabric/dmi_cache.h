// SPDX-License-Identifier: Apache-2.0
// Direct memory pointers for loosely timed access: asks through the socket once a region, then a table look-up.
#pragma once
#include "fabric/address_space.h"
#include "fabric/ports.h"

namespace lyra::fabric {

/// Caches DMI regions of one initiator port. `line()` gives the host address of a 64-byte line, or null where DMI is refused
/// (then use b_transport).
class dmi_cache {
public:
  explicit dmi_cache(initiator_port& port) : port_(&port) {}
  uint8_t* line(uint64_t address) {
    address &= ~uint64_t(line_bytes - 1);
    entry& e = table_[(address >> region_shift) % entries];
    if (address >= e.first && address + line_bytes - 1 <= e.last) return e.pointer + (address - e.first);
    return fetch(address, e);
  }
  void invalidate() { for (auto& e : table_) e = entry{}; }

private:
  static constexpr unsigned region_shift = 16, entries = 256;
  struct entry { uint64_t first = 1, last = 0; uint8_t* pointer = nullptr; };
  uint8_t* fetch(uint64_t address, entry& e);
  initiator_port* port_;
  entry table_[entries];
  payload probe_;
};

} // namespace lyra::fabric
