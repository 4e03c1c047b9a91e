// SPDX-License-Identifier: Apache-2.0
// What waves do, as a timeline for Perfetto: two tracks a wave slot (instructions; where its cycles go), one for workgroups of a dispatch.
#pragma once
#include "observe/timeline.h"
#include "platforms/machine.h"
#include <string>
#include <vector>

namespace lyra::platforms {

class timeline_recorder : public compute_unit::wave_observer {
public:
  /// Watches the compute units whose name ("cu0.timeline") matches one of the patterns. Throws observe::input_error where the file cannot be created.
  timeline_recorder(const std::string& file, machine& m, const std::vector<std::string>& patterns, const std::vector<std::pair<std::string, std::string>>& about);
  ~timeline_recorder() override;
  void close() { timeline_.close(); }
  bool watches_any() const { return watched_ != 0; }

private:
  void started(unsigned, const compute_unit::wave&, uint64_t) override {}
  void issued(unsigned cu, const compute_unit::wave& w, const compute_unit::micro_op& m, uint64_t cycle) override;
  void spent(unsigned cu, const compute_unit::wave& w, compute_unit::stall cause, uint64_t from, uint64_t to) override;
  void returned(unsigned, const compute_unit::wave&, const compute_unit::micro_op&, uint64_t, uint64_t) override {}
  void ended(unsigned, const compute_unit::wave&, uint64_t) override {}

  struct tracks { observe::timeline::track_id instructions = 0, cycles = 0; };
  const tracks& of(unsigned cu, const compute_unit::wave& w) const { return tracks_[(size_t(cu) * 4 + w.simd) * slots_ + w.slot]; }

  machine& machine_;
  observe::timeline timeline_;
  unsigned slots_, watched_ = 0;
  std::vector<tracks> tracks_;
};

} // namespace lyra::platforms
