// SPDX-License-Identifier: Apache-2.0
// Bank and bus timing of one HBM2 pseudo channel (or legacy channel), in memory clocks. Plain C++: a scheduler asks when a column access could start and commits it.
#pragma once
#include <cstdint>
#include <vector>

namespace lyra::memory {

/// All in memory clocks (tCK).
struct hbm2_cycles {
  unsigned banks = 16, bank_groups = 4;
  unsigned tRCD = 14, tRP = 14, tRAS = 33, tCL = 14, tCWL = 4, tCCD_S = 2, tCCD_L = 4, tRRD_S = 4, tRRD_L = 6, tFAW = 16, tWR = 16, tWTR_S = 3, tWTR_L = 8, tRTP = 5;
  unsigned tRTW_gap = 2;               ///< idle bus clocks between read data and write data
  unsigned tREFI = 3686, tRFC = 331, tRFCpb = 152;
  enum class refresh : uint8_t { off, all_bank, per_bank } refresh_mode = refresh::all_bank;
};

/// Where an access lies inside the channel.
struct dram_place { uint32_t bank; uint64_t row; };

class hbm2_timing {
public:
  using cycle = uint64_t;
  explicit hbm2_timing(const hbm2_cycles& t);

  enum class row_state : uint8_t { hit, closed, conflict };
  row_state state(const dram_place& p) const {
    const bank& b = banks_[p.bank];
    return b.open ? (b.row == p.row ? row_state::hit : row_state::conflict) : row_state::closed;
  }
  struct access { cycle column; cycle data_first, data_end; row_state row; }; ///< data_end: first clock after the data
  /// First clock, from `now` on, at which the access's column command could be given.
  cycle earliest(const dram_place& p, bool write, cycle now) const;
  /// Commits precharge, activate and the column commands of an access at the earliest clock from `now` on: `bursts` of them, one after the other, `clocks`
  /// of data in all. Bursts of other bank groups may come between them: the next access waits tCCD_S a burst, one to the same group tCCD_L a burst.
  access commit(const dram_place& p, bool write, unsigned bursts, unsigned clocks, cycle now);
  /// Clock at which the data bus is free.
  cycle bus_free() const { return bus_free_; }
  /// Applies the refreshes due up to `now`; returns how many.
  unsigned refresh(cycle now);
  const hbm2_cycles& cycles() const { return t_; }

private:
  struct bank { bool open = false; uint64_t row = 0; cycle activate_after = 0, precharge_after = 0, column_after = 0; };
  unsigned group(unsigned b) const { return b % t_.bank_groups; }
  cycle activate_time(const bank& b, unsigned g, cycle now) const;
  cycle column_time(unsigned g, cycle ready, bool write) const;
  hbm2_cycles t_;
  std::vector<bank> banks_;
  std::vector<cycle> group_activate_, group_column_, group_read_after_write_;
  cycle activate_any_ = 0, column_any_ = 0, read_after_write_ = 0, bus_free_ = 0, last_read_end_ = 0, next_refresh_;
  cycle faw_[4] = {0, 0, 0, 0};
  unsigned faw_next_ = 0, refresh_bank_ = 0;
  bool last_was_write_ = false;
};

} // namespace lyra::memory
