// SPDX-License-Identifier: Apache-2.0
// The array of a memory that keeps its bytes inside its RTL, as most AXI4 memories do: filled from the machine's memory where requests go, read back for debug access.
#pragma once
#include "fabric/reset.h"
#include "rtl/pins.h"
#include <cstring>
#include <systemc>
#include <unordered_map>

namespace lyra::rtl {

/// A pin adaptor that is an inner_array too (and calls `fetch` for every burst before the RTL sees it) can stand in a machine as any other memory: jobs load and results
/// are read as always. Line A of 64 bytes has its place at A modulo the array's size; it is copied there from the machine's memory when it is first asked for, and belongs to the RTL
/// from then on. Two lines at one place are the error lyra/rtl/array: the array is too small for what the job uses. A reset of the machine takes all lines back.
class inner_array : public memory_array, private fabric::resettable {
public:
  /// `bytes`: of the RTL's array, a power of two.
  inner_array(memory_array& machine, uint64_t bytes) : machine_(machine), bytes_(bytes) {}
  /// The line that holds `address` is in the RTL.
  void fetch(uint64_t address) {
    const uint64_t line = address & ~uint64_t(63), place = line % bytes_;
    const auto [at, fresh] = lines_.try_emplace(place, line);
    if (!fresh) {
      if (at->second == line) return;
      char text[200];
      std::snprintf(text, sizeof text, "lines 0x%llx and 0x%llx have one place in the RTL's array of %llu bytes: make the array larger, or put the job's buffers closer to each other",
                    static_cast<unsigned long long>(at->second), static_cast<unsigned long long>(line), static_cast<unsigned long long>(bytes_));
      SC_REPORT_ERROR("lyra/rtl/array", text);
      return;
    }
    uint8_t data[64] = {};
    machine_.read(line, data, 64); // false: no such address: zeros, and the L2 does not ask for it
    poke(place, data);
  }

  // debug access
  bool read(uint64_t address, uint8_t* data, unsigned bytes) override {
    if (!here(address)) return machine_.read(address, data, bytes);
    uint8_t line[64];
    peek(address % bytes_ & ~uint64_t(63), line);
    std::memcpy(data, line + address % 64, bytes);
    return true;
  }
  bool write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) override {
    if (!here(address)) return machine_.write(address, data, strobe, bytes);
    uint8_t line[64];
    const uint64_t place = address % bytes_ & ~uint64_t(63);
    peek(place, line);
    for (unsigned i = 0; i < bytes; ++i)
      if (strobe >> i & 1) line[address % 64 + i] = data[i];
    poke(place, line);
    return true;
  }

protected:
  /// 64 bytes of the RTL's array at byte `place`, a multiple of 64.
  virtual void peek(uint64_t place, uint8_t* data) = 0;
  virtual void poke(uint64_t place, const uint8_t* data) = 0;

private:
  bool here(uint64_t address) const {
    const auto at = lines_.find(address % bytes_ & ~uint64_t(63));
    return at != lines_.end() && at->second == (address & ~uint64_t(63));
  }
  void on_reset() override {
    if (machine_.is_the_machines())
      for (const auto& [place, line] : lines_) {
        uint8_t data[64];
        peek(place, data);
        machine_.write(line, data, ~uint64_t(0), 64);
      }
    lines_.clear();
  }

  memory_array& machine_;
  uint64_t bytes_;
  std::unordered_map<uint64_t, uint64_t> lines_; ///< by place
};

} // namespace lyra::rtl
