// SPDX-License-Identifier: Apache-2.0
// From the pieces of one instruction to line requests: lanes that touch the same 64-byte line share one. Plain C++, no kernel.
#pragma once
#include "fabric/address_space.h"
#include "texture/address_rules.h"
#include <cstring>
#include <vector>

namespace lyra::texture {

/// The lines of one instruction in the order of first use (lanes ascending, the pieces of a lane together), and which bytes of the plan each serves.
struct line_list {
  static constexpr uint32_t end = ~uint32_t(0);
  struct alignas(32) line {
    uint64_t address = 0;
    uint64_t bytes = 0;         ///< mask of the bytes that are used
    uint32_t first = end, last = end; ///< touches
    uint8_t first_lane = 0;
    bool skip = false;          ///< nothing there: reads zeros, drops writes
  };
  struct touch { uint32_t next; uint32_t data; /* offset in plan.data */ uint8_t offset, length, lane; };

  std::vector<line> lines;
  std::vector<touch> touches;   ///< empty for contiguous accesses; but for atomics, pieces that follow each other are one

  void clear() { lines.clear(); touches.clear(); }
  /// Bytes of a line that came back, into the plan.
  void deliver(const line& l, const uint8_t* bytes, const access_state& s, access_plan& plan) const;
  /// Bytes of the plan for a line that goes out; only those in `l.bytes` are set. Of equal bytes the highest lane's win.
  void collect(const line& l, uint8_t* bytes, const access_state& s, const access_plan& plan) const;
};

/// Builds line lists. Holds the look-up table, so one a unit is enough.
class coalescer {
public:
  /// Fills `list` and checks the pages. Lines in pages that are not there are left out (their lanes are noted in plan.not_resident where the page is a
  /// non-resident one). False: the request's fault fields are set (unmapped, write_protected): the first faulting lane.
  bool build(fabric::wave_request& request, const access_state& state, access_plan& plan, fabric::address_space& space, line_list& list);

private:
  bool build_run(fabric::wave_request& request, const access_state& state, access_plan& plan, line_list& list);
  bool add_runs(fabric::wave_request& request, const access_state& state, access_plan& plan, line_list& list, uint64_t active);
  /// Bytes of one line; those of several lanes only where the plan has one piece a lane.
  bool add(fabric::wave_request& request, const access_state& state, access_plan& plan, line_list& list, uint64_t address, unsigned length, uint32_t data, unsigned lane);
  /// State of a page for this access: 0 usable, 1 zeros and drops, 2 fault.
  int check(fabric::wave_request& request, const access_state& state, uint64_t address, unsigned lane, uint64_t lane_address, uint64_t& not_resident_lanes) {
    const uint64_t page = address / fabric::page_bytes;
    if (page != last_page_) {
      last_page_ = page;
      last_state_ = space_->state(address);
    }
    return last_state_ == fabric::page_state::mapped ? 0 : refuse(request, state, address, lane, lane_address, not_resident_lanes);
  }
  int refuse(fabric::wave_request& request, const access_state& state, uint64_t address, unsigned lane, uint64_t lane_address, uint64_t& not_resident_lanes);
  void grow(size_t lines);

  struct slot { uint64_t line; uint32_t index; uint32_t stamp; };
  std::vector<slot> table_;
  size_t mask_ = 0;
  uint32_t stamp_ = 0;
  bool skipped_ = false;
  fabric::address_space* space_ = nullptr;
  uint64_t last_page_ = ~uint64_t(0), last_line_ = ~uint64_t(0);
  uint32_t last_index_ = 0; ///< of last_line_: lanes often stay in a line
  fabric::page_state last_state_ = fabric::page_state::unmapped;
};

/// How long TA takes for an instruction, in cycles a wave. Load rates: sebbbi/perftest on Vega, taken as clocks (timing.md of the project's sources);
/// stores and atomics: CLRX GcnTimings. "linear": the lanes of a quad follow each other in memory or share one address.
struct rate_parameters {
  unsigned one_linear = 4, one_random = 16;
  unsigned two_linear = 16, two_random = 16;
  unsigned three_linear = 16, three_random = 32;
  unsigned four_linear = 16, four_random = 18, four_unaligned = 20;
  unsigned four_narrow = 16;
  unsigned store = 16, atomic = 16, cmpswap = 32, return_extra = 1, return_extra_x2 = 2;
  unsigned control = 4;

  template <class V> void describe(V&& v) {
    const char* perftest = "perftest, Vega FE and Radeon VII";
    const char* clrx = "CLRX GcnTimings";
    v("one_linear", one_linear, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "loads of up to 4 bytes, one register, quads coalesced"});
    v("one_random", one_random, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "the same, not coalesced"});
    v("two_linear", two_linear, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "two registers (dwordx2, two channels), linear"});
    v("two_random", two_random, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "the same, random"});
    v("three_linear", three_linear, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "12 bytes, linear"});
    v("three_random", three_random, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "12 bytes, random"});
    v("four_linear", four_linear, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "16 bytes, linear"});
    v("four_random", four_random, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "16 bytes, random, aligned to 16"});
    v("four_unaligned", four_unaligned, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "16 bytes, random, not aligned to 16"});
    v("four_narrow", four_narrow, fabric::parameter_info{"cycles", 1, 256, nullptr, perftest, "three and four channels in up to 8 bytes"});
    v("store", store, fabric::parameter_info{"cycles", 1, 256, nullptr, clrx, "any store"});
    v("atomic", atomic, fabric::parameter_info{"cycles", 1, 256, nullptr, clrx, "atomics but compare-and-swap"});
    v("cmpswap", cmpswap, fabric::parameter_info{"cycles", 1, 256, nullptr, clrx, "compare-and-swap"});
    v("return_extra", return_extra, fabric::parameter_info{"cycles", 0, 256, nullptr, clrx, "more for a 32-bit atomic that returns"});
    v("return_extra_x2", return_extra_x2, fabric::parameter_info{"cycles", 0, 256, nullptr, clrx, "more for a 64-bit atomic that returns"});
    v("control", control, fabric::parameter_info{"cycles", 1, 256, nullptr, "assumed", "cache control, and instructions without a lane"});
  }
};

/// Cycles TA is busy with an access; each of the 16 quads costs a sixteenth of its rate. `linear_quads` is set for statistics.
unsigned address_cycles(const rate_parameters& rates, const fabric::wave_request& request, const access_state& state, const access_plan& plan, unsigned& linear_quads);

} // namespace lyra::texture
