// SPDX-License-Identifier: Apache-2.0
#include "memory/hbm2_timing.h"
#include <algorithm>

namespace lyra::memory {

hbm2_timing::hbm2_timing(const hbm2_cycles& t)
    : t_(t), banks_(t.banks), group_activate_(t.bank_groups, 0), group_column_(t.bank_groups, 0), group_read_after_write_(t.bank_groups, 0),
      next_refresh_(t.refresh_mode == hbm2_cycles::refresh::per_bank ? std::max(1u, t.tREFI / t.banks) : t.tREFI) {}

unsigned hbm2_timing::refresh(cycle now) {
  unsigned done = 0;
  if (t_.refresh_mode == hbm2_cycles::refresh::off) return 0;
  const bool single = t_.refresh_mode == hbm2_cycles::refresh::per_bank;
  const cycle interval = single ? std::max(1u, t_.tREFI / t_.banks) : t_.tREFI;
  const auto block = [&](bank& b, cycle at, cycle length) {
    cycle start = at;
    if (b.open) start = std::max(start, b.precharge_after) + t_.tRP;
    else start = std::max(start, b.activate_after);
    b.open = false;
    b.activate_after = start + length;
    return start;
  };
  if (next_refresh_ <= now && !single) {
    // of a long idle time only the last refresh can still be in the way
    const cycle missed = (now - next_refresh_) / interval;
    done += unsigned(missed);
    next_refresh_ += missed * interval;
    cycle start = next_refresh_;
    for (auto& b : banks_) start = std::max(start, b.open ? b.precharge_after + t_.tRP : b.activate_after);
    for (auto& b : banks_) { b.open = false; b.activate_after = start + t_.tRFC; }
    next_refresh_ += interval;
    return done + 1;
  }
  if (next_refresh_ + interval * t_.banks <= now) { // the same, bank by bank
    const cycle missed = (now - next_refresh_) / interval - t_.banks + 1;
    done += unsigned(missed);
    next_refresh_ += missed * interval;
    refresh_bank_ = unsigned((refresh_bank_ + missed) % t_.banks);
  }
  while (next_refresh_ <= now) {
    block(banks_[refresh_bank_], next_refresh_, t_.tRFCpb);
    refresh_bank_ = (refresh_bank_ + 1) % t_.banks;
    next_refresh_ += interval;
    ++done;
  }
  return done;
}

hbm2_timing::cycle hbm2_timing::activate_time(const bank& b, unsigned g, cycle now) const {
  cycle t = std::max(now, b.activate_after);
  if (b.open) t = std::max(t, std::max(now, b.precharge_after) + t_.tRP); // another row
  return std::max({t, activate_any_, group_activate_[g], faw_[faw_next_]});
}

hbm2_timing::cycle hbm2_timing::column_time(unsigned g, cycle ready, bool write) const {
  cycle column = std::max({ready, column_any_, group_column_[g]});
  if (!write) column = std::max({column, read_after_write_, group_read_after_write_[g]});
  const cycle to_data = write ? t_.tCWL : t_.tCL, bus = write && !last_was_write_ ? std::max(bus_free_, last_read_end_ + t_.tRTW_gap) : bus_free_;
  return std::max(column, bus > to_data ? bus - to_data : 0);
}

hbm2_timing::cycle hbm2_timing::earliest(const dram_place& p, bool write, cycle now) const {
  const bank& b = banks_[p.bank];
  const unsigned g = group(p.bank);
  return column_time(g, state(p) == row_state::hit ? std::max(now, b.column_after) : activate_time(b, g, now) + t_.tRCD, write);
}

hbm2_timing::access hbm2_timing::commit(const dram_place& p, bool write, unsigned bursts, unsigned clocks, cycle now) {
  bank& b = banks_[p.bank];
  const unsigned g = group(p.bank);
  access a{};
  a.row = state(p);
  if (a.row != row_state::hit) {
    const cycle activate = activate_time(b, g, now);
    faw_[faw_next_] = activate + t_.tFAW;
    faw_next_ = (faw_next_ + 1) % 4;
    activate_any_ = activate + t_.tRRD_S;
    group_activate_[g] = activate + t_.tRRD_L;
    b.open = true;
    b.row = p.row;
    b.column_after = activate + t_.tRCD;
    b.precharge_after = activate + t_.tRAS;
    b.activate_after = activate + t_.tRAS + t_.tRP;
  }
  const cycle to_data = write ? t_.tCWL : t_.tCL;
  const cycle column = column_time(g, std::max(now, b.column_after), write);
  a.column = column;
  a.data_first = column + to_data;
  a.data_end = a.data_first + clocks;
  bus_free_ = a.data_end;
  column_any_ = column + std::max(t_.tCCD_S * bursts, clocks);
  group_column_[g] = column + std::max(t_.tCCD_L * bursts, clocks);
  if (write) {
    b.precharge_after = std::max(b.precharge_after, a.data_end + t_.tWR);
    read_after_write_ = a.data_end + t_.tWTR_S;
    group_read_after_write_[g] = a.data_end + t_.tWTR_L;
  } else {
    b.precharge_after = std::max(b.precharge_after, column + t_.tCCD_S * (bursts - 1) + t_.tRTP);
    last_read_end_ = a.data_end;
  }
  b.activate_after = std::max(b.activate_after, b.precharge_after + t_.tRP);
  last_was_write_ = write;
  return a;
}

} // namespace lyra::memory
