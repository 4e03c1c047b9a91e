// SPDX-License-Identifier: Apache-2.0
// Finds data races: two accesses to the same byte of LDS or global memory by different waves of one dispatch, at least one of them a write, not both atomic,
// that nothing orders.
//
// What orders accesses (vector clocks, one a wave): s_barrier, for the waves of its workgroup; and atomics: an atomic publishes what its wave has done before at
// its location, one that returns a value takes over what was published there. A load with GLC=1 counts as an atomic load: compilers emit it for one, and a wave
// that polls needs it. So the verdict does not depend on the order in which this run happened to execute the waves.
//
// Timed runs tell an access on its way out and, where results come back, again at their return: an atomic publishes at the first and takes over at the second
// moment, so whatever the machine ordered is ordered here.
//
// Kept for each byte: the last write and up to two reads by different waves. A race with a read that two later unordered ones have pushed out is not seen
// on that byte, unless one of those two races as well. Memory: 40 bytes for each byte touched, and a clock entry for each pair of waves that synchronised.
// Waves of different dispatches are not compared. Vector and scalar memory, FLAT and LDS are watched; GDS is not.
#pragma once
#include "fabric/access_observer.h"
#include "fabric/run_state.h"
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lyra::observe {

class race_detector : public fabric::access_observer {
public:
  /// Races go to `run` as findings with id "lyra/check/race", each pair of instructions once.
  explicit race_detector(fabric::run_state& run) : run_(run) {}
  void accessed(const fabric::wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address, unsigned bytes) override;
  void returned(const fabric::wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address) override;
  void barrier_passed(uint32_t first_wave, unsigned waves) override;
  uint64_t races() const { return races_; } ///< pairs of instructions
  /// A reset of the machine: nothing has been accessed.
  void reset() {
    waves_.clear();
    pages_.clear();
    published_.clear();
    site_numbers_.clear();
    sites_.clear();
    reported_.clear();
    last_page_ = ~uint64_t(0);
    races_ = 0;
    last_ = nullptr;
  }

private:
  static constexpr unsigned page_cells = 1024;
  /// A load with GLC=1 counts as an atomic one.
  static bool is_atomic(const fabric::wave_request& r, memory where, kind what) { return what == kind::atomic || (what == kind::load && r.inst->glc && where == memory::global); }
  struct mark { uint32_t wave = 0, clock = 0, site = 0; bool atomic = false; }; ///< clock 0: none
  struct cell { mark write, read[2]; uint32_t owner = 0; }; ///< owner: dispatch, for LDS the workgroup; marks of another one are void
  struct page { cell cells[page_cells]; };
  using clocks = std::vector<std::pair<uint32_t, uint32_t>>; ///< (wave, clock) sorted by wave
  struct wave_clock { uint32_t own = 0, workgroup = 0; clocks seen; };
  struct instruction_site { uint64_t pc; std::string text; };

  wave_clock& wave(uint32_t id);
  void take_over(wave_clock& w, uint64_t space, uint64_t lanes, const uint64_t* address);
  static uint32_t known(const clocks& c, uint32_t wave);
  static void join(clocks& to, const clocks& from);
  bool ordered(const mark& m, uint32_t wave_id, const wave_clock& w) const { return m.clock == 0 || m.wave == wave_id || known(w.seen, m.wave) >= m.clock; }
  cell& at(uint64_t key);
  uint32_t site_of(const fabric::wave_request& r);
  void report(const mark& earlier, bool earlier_writes, const fabric::wave_request& now, uint32_t site, kind what, memory where, uint64_t address, unsigned lane);

  fabric::run_state& run_;
  std::vector<wave_clock> waves_;
  std::unordered_map<uint64_t, std::unique_ptr<page>> pages_;
  std::unordered_map<uint64_t, clocks> published_; ///< by the location of an atomic
  std::unordered_map<uint64_t, uint32_t> site_numbers_;
  std::vector<instruction_site> sites_;
  std::set<std::pair<uint32_t, uint32_t>> reported_;
  uint64_t last_page_ = ~uint64_t(0), races_ = 0;
  page* last_ = nullptr;
};

} // namespace lyra::observe
