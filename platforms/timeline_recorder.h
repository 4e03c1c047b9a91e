// SPDX-License-Identifier: Apache-2.0
// What waves do, as a timeline for Perfetto: two tracks a wave slot (instructions; where its cycles go), counters for queue depths and bandwidth.
#pragma once
#include "observe/timeline.h"
#include "platforms/machine.h"
#include <string>
#include <vector>

namespace lyra::platforms {

/// Does one of the --trace patterns select compute unit `cu`'s part of the timeline ("cu0.timeline")? Without patterns all are.
bool in_timeline(const std::vector<std::string>& patterns, unsigned cu);

/// Queue depths as counters: takes those signals of the machine that are one, on every change. Made before the machine, which gets it as its trace.
class queue_counters final : public observe::trace {
public:
  queue_counters(observe::timeline& t, const std::vector<std::string>& patterns) : timeline_(t), patterns_(patterns) {}

private:
  struct queue { observe::timeline::track_id track; std::string name; int64_t depth; uint64_t changed_ps; };
  bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) override;
  void change(uint32_t id, uint64_t ps, uint64_t value) override;
  void change_by(uint32_t id, uint64_t ps, int64_t delta) override;
  void reset(uint64_t ps) override;
  void restart(uint64_t ps) override;
  void show(queue& q, uint64_t ps);
  observe::timeline& timeline_;
  std::vector<std::string> patterns_;
  std::vector<queue> queues_;
  uint64_t reset_ps_ = 0;
};

class timeline_recorder : public compute_unit::wave_observer {
public:
  static constexpr uint64_t sample_cycles = 200; ///< bandwidth is a mean over so many cycles

  /// Watches the compute units that the patterns select.
  timeline_recorder(observe::timeline& t, machine& m, const std::vector<std::string>& patterns);
  ~timeline_recorder() override;
  bool watches_any() const { return watched_ != 0; }
  /// Bandwidths since the last call, at `cycle`.
  void sample(uint64_t cycle);
  /// The machine is about to be reset at `cycle`: what waves have done so far is written down, bandwidths are 0, cycles start again.
  void reset(uint64_t cycle);

private:
  void started(unsigned, const compute_unit::wave&, uint64_t) override {}
  void issued(unsigned cu, const compute_unit::wave& w, const compute_unit::micro_op& m, uint64_t cycle) override;
  void spent(unsigned cu, const compute_unit::wave& w, compute_unit::stall cause, uint64_t from, uint64_t to) override;
  void returned(unsigned, const compute_unit::wave&, const compute_unit::micro_op&, uint64_t, uint64_t) override {}
  void ended(unsigned, const compute_unit::wave&, uint64_t) override {}

  struct tracks { observe::timeline::track_id instructions = 0, cycles = 0; };
  struct bandwidth { observe::timeline::track_id track; std::string name; std::vector<const uint64_t*> bytes; uint64_t before = 0; };
  const tracks& of(unsigned cu, const compute_unit::wave& w) const { return tracks_[(size_t(cu) * 4 + w.simd) * slots_ + w.slot]; }
  void add_bandwidth(const std::string& group, const std::string& name, const std::vector<std::string>& counters);

  machine& machine_;
  observe::timeline& timeline_;
  unsigned slots_, watched_ = 0;
  std::vector<tracks> tracks_;
  std::vector<bandwidth> bandwidths_;
  uint64_t sampled_ = 0;
};

} // namespace lyra::platforms
