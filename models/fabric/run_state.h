// SPDX-License-Identifier: Apache-2.0
// How a run ends other than by finishing: machine faults, deadlock. Shared by all blocks of a machine.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

namespace lyra::fabric {

/// Something the machine could not do: named, with its place.
struct machine_fault {
  std::string id;       ///< stable: "lyra/fault/memory-violation", "lyra/fault/illegal-instruction", ...
  std::string text;     ///< place, cause, what to do
  uint64_t time_ps = 0, pc = 0, address = 0;
  uint32_t wave = 0;
  int lane = -1;
};

/// A report of the hazard checker or another non-fatal finding.
struct finding { std::string id, text; uint64_t time_ps = 0, pc = 0; uint32_t wave = 0; };

struct run_state {
  std::vector<machine_fault> faults;
  std::vector<finding> findings;
  size_t findings_limit = 100; ///< more are only counted
  uint64_t findings_count = 0;
  uint64_t stop_ps = ~uint64_t(0); ///< time of the first fault: what comes later does not happen

  /// Loosely timed: GDS instructions done in the whole machine; waves that must wait in the GDS ask again after each.
  uint64_t global_share_accesses = 0;
  sc_core::sc_event global_share_event;

  std::function<void()> on_stop; ///< called where a fault is earlier than those before it

  /// Compute units that run ahead of others may find a later fault first.
  void fault(machine_fault f) {
    if (f.time_ps > stop_ps) return;
    const bool earlier = f.time_ps < stop_ps;
    if (earlier) faults.clear();
    stop_ps = f.time_ps;
    faults.push_back(std::move(f));
    if (earlier && on_stop) on_stop();
  }
  bool stopped() const { return !faults.empty(); }
  bool stopped(uint64_t ps) const { return ps > stop_ps; }
  /// A reset of the machine: nothing has happened.
  void reset() {
    faults.clear();
    findings.clear();
    findings_count = global_share_accesses = 0;
    stop_ps = ~uint64_t(0);
    global_share_event.cancel();
  }
  void report(finding f) { if (findings_count++ < findings_limit) findings.push_back(std::move(f)); }
};

} // namespace lyra::fabric
