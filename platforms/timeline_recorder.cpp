// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline_recorder.h"
#include "observe/glob.h"
#include <fmt/format.h>

namespace lyra::platforms {

timeline_recorder::timeline_recorder(const std::string& file, machine& m, const std::vector<std::string>& patterns, const std::vector<std::pair<std::string, std::string>>& about)
    : machine_(m), timeline_(file, about), slots_(m.parameters().cu.wave_slots), tracks_(size_t(m.compute_units()) * 4 * slots_) {
  for (unsigned c = 0; c < m.compute_units(); ++c) {
    bool wanted = patterns.empty();
    for (const auto& p : patterns) wanted |= observe::glob_match(p, fmt::format("cu{}.timeline", c));
    if (!wanted) continue;
    ++watched_;
    m.cu(c).observer = this;
    for (unsigned s = 0; s < 4; ++s)
      for (unsigned k = 0; k < slots_; ++k) {
        auto& t = tracks_[(size_t(c) * 4 + s) * slots_ + k];
        t.instructions = timeline_.track(fmt::format("cu{}", c), fmt::format("simd{} wave{} instructions", s, k));
        t.cycles = timeline_.track(fmt::format("cu{}", c), fmt::format("simd{} wave{} cycles", s, k));
      }
  }
}

timeline_recorder::~timeline_recorder() {
  for (unsigned c = 0; c < machine_.compute_units(); ++c)
    if (machine_.cu(c).observer == this) machine_.cu(c).observer = nullptr;
}

void timeline_recorder::issued(unsigned cu, const compute_unit::wave& w, const compute_unit::micro_op& m, uint64_t cycle) {
  // a wave issues at most once in its SIMD's turn, every fourth cycle: slices follow one another
  const auto& clock = machine_.context().core;
  timeline_.slice(of(cu, w).instructions, m.inst.info->name, clock.at(cycle), clock.at(cycle + 4), {{"pc", m.pc, true}, {"wave", w.id}});
}

void timeline_recorder::spent(unsigned cu, const compute_unit::wave& w, compute_unit::stall cause, uint64_t from, uint64_t to) {
  if (to <= from) return;
  const auto& clock = machine_.context().core;
  timeline_.slice(of(cu, w).cycles, compute_unit::stall_name[unsigned(cause)], clock.at(from), clock.at(to), {{"wave", w.id}});
}

} // namespace lyra::platforms
