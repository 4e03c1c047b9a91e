// SPDX-License-Identifier: Apache-2.0
// The bytes of the machine's memory: a sparse 48-bit space. A buffer costs host memory only where it has been touched.
#pragma once
#include "fabric/address_space.h"
#include <functional>
#include <memory>
#include <vector>

namespace lyra::memory {

/// Pages of 4 KB with a state each; bytes in chunks of 64 KB that get host memory at first use (and the host commits only touched pages of
/// them). Fresh memory reads 0. Host pointers stay valid as long as the store, also after unmap.
/// Errors: addresses outside 48 bits or not on page bounds throw std::invalid_argument; reads and writes report what is not mapped.
class backing_store : public fabric::address_space {
public:
  static constexpr uint64_t chunk_bytes = 65536;

  backing_store();
  ~backing_store() override;
  backing_store(const backing_store&) = delete;
  backing_store& operator=(const backing_store&) = delete;

  /// Gives the pages that hold [address, address + bytes) a state. Mapping again keeps the bytes; unmapping loses them.
  void map(uint64_t address, uint64_t bytes, fabric::page_state state = fabric::page_state::mapped);
  void unmap(uint64_t address, uint64_t bytes) { map(address, bytes, fabric::page_state::unmapped); }

  fabric::page_state state(uint64_t address) const override {
    address = fabric::canonical(address);
    const region& r = regions_[address >> region_shift];
    if (!r.chunks) return r.uniform;
    return fabric::page_state(r.chunks[address >> chunk_shift & chunk_mask].states >> (address >> page_shift & page_mask) * 2 & 3);
  }
  uint8_t* host_line(uint64_t address) override {
    address = fabric::canonical(address) & ~uint64_t(63);
    const fabric::page_state s = state(address);
    if (s == fabric::page_state::unmapped || s == fabric::page_state::non_resident) return nullptr;
    region& r = regions_[address >> region_shift];
    if (r.chunks) {
      uint8_t* d = r.chunks[address >> chunk_shift & chunk_mask].data;
      if (d) return d + address % chunk_bytes;
    }
    return touch(address);
  }

  /// Copies bytes whatever their pages' state is, as long as they have memory (loaders, debug). Returns the number of bytes done
  /// before the first address without memory.
  uint64_t write(uint64_t address, const void* from, uint64_t bytes);
  uint64_t read(uint64_t address, void* to, uint64_t bytes);
  uint64_t fill(uint64_t address, uint8_t value, uint64_t bytes);

  /// A range of one state and contiguous host memory around `address`, within its chunk (what DMI grants).
  struct extent { uint64_t first = 1, last = 0; uint8_t* host = nullptr; fabric::page_state state = fabric::page_state::unmapped; };
  extent around(uint64_t address);

  /// Called with the first and last address of every range whose state changes (DMI holders must forget it).
  void on_change(std::function<void(uint64_t first, uint64_t last)> callback) { callbacks_.push_back(std::move(callback)); }

  uint64_t touched_bytes() const { return touched_; } ///< host memory reserved for data

private:
  static constexpr unsigned page_shift = 12, chunk_shift = 16, region_shift = 32;
  static constexpr uint64_t page_mask = 15, chunk_mask = 0xffff;
  struct chunk { uint8_t* data; uint32_t states; }; // two bits a page
  struct freer { void operator()(void* p) const; };
  struct region { std::unique_ptr<chunk[], freer> chunks; fabric::page_state uniform = fabric::page_state::unmapped; };

  chunk* chunks_of(uint64_t address);
  uint8_t* touch(uint64_t address);

  std::vector<region> regions_; // 4 GB each
  std::vector<void*> slabs_;
  uint8_t* slab_next_ = nullptr;
  size_t slab_left_ = 0;
  uint64_t touched_ = 0;
  std::vector<std::function<void(uint64_t, uint64_t)>> callbacks_;
};

} // namespace lyra::memory
