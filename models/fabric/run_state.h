// SPDX-License-Identifier: Apache-2.0
// How a run ends other than by finishing: machine faults, deadlock. Shared by all blocks of a machine.
#pragma once
#include "fabric/clock.h"
#include <algorithm>
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
  std::vector<machine_fault> faults; ///< of the time of the first, in the order of their waves
  std::vector<finding> findings; ///< the first of them, in the order of their times, then of their waves
  size_t findings_limit = 100;   ///< more are only counted
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
    if (earlier) forget_findings();
    faults.insert(std::upper_bound(faults.begin(), faults.end(), f.wave, [](uint32_t wave, const machine_fault& g) { return wave < g.wave; }), std::move(f));
    if (earlier && on_stop) on_stop();
  }
  bool stopped() const { return !faults.empty(); }
  bool stopped(uint64_t ps) const { return ps > stop_ps; }
  /// A reset of the machine: nothing has happened.
  void reset() {
    faults.clear();
    findings.clear();
    uncertain_.clear();
    findings_count = global_share_accesses = 0;
    stop_ps = ~uint64_t(0);
    global_share_event.cancel();
  }
  /// Compute units that run ahead of others may report later findings first, and findings behind a fault that is not known yet.
  void report(finding f) {
    if (f.time_ps > stop_ps) return;
    ++findings_count;
    if (uncertain_.size() >= 4096) uncertain_.erase(std::remove_if(uncertain_.begin(), uncertain_.end(), [](uint64_t t) { return t <= event_ps(); }), uncertain_.end());
    uncertain_.push_back(f.time_ps);
    const auto place = std::upper_bound(findings.begin(), findings.end(), f, [](const finding& a, const finding& b) { return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.wave < b.wave; });
    if (size_t(place - findings.begin()) >= findings_limit) return;
    findings.insert(place, std::move(f));
    if (findings.size() > findings_limit) findings.pop_back();
  }

private:
  /// What comes behind the first fault does not happen.
  void forget_findings() {
    const auto behind = [this](uint64_t t) { return t > stop_ps; };
    findings_count -= uint64_t(std::count_if(uncertain_.begin(), uncertain_.end(), behind));
    uncertain_.erase(std::remove_if(uncertain_.begin(), uncertain_.end(), behind), uncertain_.end());
    findings.erase(std::remove_if(findings.begin(), findings.end(), [&](const finding& f) { return behind(f.time_ps); }), findings.end());
  }
  std::vector<uint64_t> uncertain_; ///< times of findings that an earlier fault may still undo: those ahead of the kernel's time, and some more
};

} // namespace lyra::fabric
