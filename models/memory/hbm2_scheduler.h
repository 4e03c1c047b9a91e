// SPDX-License-Identifier: Apache-2.0
// The queues of one HBM2 pseudo channel and the choice of its next access. Plain C++.
#pragma once
#include "fabric/clock.h"
#include "fabric/context.h"
#include "memory/hbm2_timing.h"

namespace lyra::memory {

struct dram_request {
  fabric::payload* p;          ///< who waits for the answer; null: a write that is acknowledged already
  fabric::picoseconds arrival; ///< at the channel's socket
  uint64_t line;
  dram_place place;
  uint16_t bursts, clocks; ///< column commands, clocks of data
  bool write;
};

struct scheduler_limits { unsigned window = 64, write_high = 32, write_low = 8, max_bypass = 256; };

/// A list for each bank and direction. Next is the request whose column command can be given first (so hits on an open row before others), the oldest of equals. In a
/// bank the oldest hit goes before older misses, until `max_bypass` requests have gone before one. Reads go first until `write_high` writes wait, then writes until
/// `write_low` are left; a direction without requests leaves the turn to the other. Requests to one line keep their order.
class hbm2_scheduler {
public:
  using cycle = hbm2_timing::cycle;
  hbm2_scheduler(const hbm2_cycles& t, const scheduler_limits& limits);
  bool empty() const { return waiting_ == 0; }
  bool full() const { return waiting_ >= limits_.window; }
  /// False: an older request to its line waits, of the other direction or a write that is not acknowledged.
  bool insert(const dram_request& r);
  /// The request inserted last, a write, is answered when it is served.
  void answer_last(fabric::payload& p) { nodes_[last_].r.p = &p; }
  struct served { dram_request request; hbm2_timing::access access; bool turned; };
  /// Commits the next one. Only when not empty.
  served serve(cycle now, const fabric::chaos_source& chaos, uint32_t number, uint64_t& draws);
  unsigned refresh(cycle now);
  cycle bus_free() const { return timing_.bus_free(); }
  const hbm2_cycles& cycles() const { return timing_.cycles(); }

private:
  static constexpr uint16_t none = 0xffff;
  struct node { dram_request r; uint64_t number, overdue; uint16_t older, next, previous; };
  struct bank_list { uint16_t head = none, tail = none, candidate = none; bool stale = false; };
  uint16_t candidate(unsigned direction, unsigned bank);
  uint16_t choose(unsigned direction, cycle now);
  void remove(uint16_t n);

  hbm2_timing timing_;
  scheduler_limits limits_;
  std::vector<node> nodes_;
  std::vector<uint16_t> free_;
  std::vector<bank_list> lists_[2]; ///< reads, writes; by bank
  uint64_t filled_[2] = {0, 0};     ///< banks whose list is not empty
  unsigned waiting_ = 0, writes_ = 0;
  uint64_t arrived_ = 0, served_ = 0;
  uint16_t last_ = none;
  bool draining_ = false, last_was_write_ = false;
};

} // namespace lyra::memory
