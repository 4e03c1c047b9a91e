// SPDX-License-Identifier: Apache-2.0
// Which device addresses exist. Translation is identity: this adds faults, residency and attributes only.
#pragma once
#include <cstdint>

namespace lyra::fabric {

constexpr uint64_t page_bytes = 4096;

/// A 48-bit device address as it is used inside the machine: bits 63:48 are dropped (they are the sign extension of bit 47).
constexpr uint64_t canonical(uint64_t a) { return a & 0xffff'ffff'ffffull; }
/// As a program sees it.
constexpr uint64_t sign_extended(uint64_t a) { return uint64_t(int64_t(a << 16) >> 16); }

enum class page_state : uint8_t {
  unmapped, mapped,
  read_only,
  non_resident ///< a PRT page without memory: loads NACK (TFE), read 0; stores are dropped
};

class address_space {
public:
  virtual ~address_space() = default;
  /// State of the page that holds the 48-bit address.
  virtual page_state state(uint64_t address) const = 0;
  /// Host memory of the 64-byte line that holds `address`, or null where it is not mapped (writable also for read-only pages: debug, loaders).
  /// Pointers stay valid as long as the space.
  virtual uint8_t* host_line(uint64_t address) = 0;
};

} // namespace lyra::fabric
