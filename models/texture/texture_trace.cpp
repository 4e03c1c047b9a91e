// SPDX-License-Identifier: Apache-2.0
// What the VCD shows of TA and TD. Called only where one of the signals is selected.
#include "texture/texture_unit.h"

namespace lyra::texture {

using namespace fabric;

namespace {
std::string text_of(const wave_request& r) { return "wave" + std::to_string(r.wave_id) + " " + r.inst->info->name; }
} // namespace

void texture_unit::declare_signals() {
  observe::trace& t = *context_.trace;
  const std::string path = std::string(name()) + ".";
  ta_instruction_signal_ = t.add_text(path + "ta_instruction", "wave and name of the instruction in TA");
  busy_signal_ = t.add(path + "ta_busy", 1, "TA generates addresses");
  ta_cycles_signal_ = t.add(path + "ta_cycles", 16, "cycles that the instruction in TA takes there");
  ta_lanes_signal_ = t.add(path + "ta_lanes", 7, "lanes of the instruction in TA that access memory");
  ta_texels_signal_ = t.add(path + "ta_texels", 16, "texels that the image instruction in TA requests (lanes x taps)");
  ta_lines_signal_ = t.add(path + "ta_lines", 16, "lines that the instruction in TA requests: what its lanes or texels coalesce to");
  wait_signal_ = t.add(path + "ta_waiting", 1, "an instruction waits in front of TA");
  lines_signal_ = t.add(path + "lines", 8, "lines sent to L1 in this cycle");
  depth_signal_ = t.add(path + "in_flight", 16, "instructions between TA and TD");
  filter_signal_ = t.add(path + "td_filter_cycles", 16, "cycles that the image instruction which TD returns took in the texel path (L1 data, filter)");
  return_signal_ = t.add(path + "td_return", 1, "TD returns an instruction");
  td_instruction_signal_ = t.add_text(path + "td_instruction", "wave and name of the instruction that TD returns");
  traced_ = busy_signal_ || ta_cycles_signal_ || ta_lanes_signal_ || ta_texels_signal_ || ta_lines_signal_ || wait_signal_ || lines_signal_ || depth_signal_ || filter_signal_ || return_signal_ ||
            ta_instruction_signal_ || td_instruction_signal_;
}

void texture_unit::trace_start(const operation& o, cycle_t c) {
  const picoseconds t = clock().at(c), end = clock().at(ta_free_);
  const auto during = [&](const observe::signal& s, uint64_t value) {
    s.set(t, value);
    s.set(end, 0);
  };
  during(busy_signal_, 1);
  during(ta_cycles_signal_, o.rate);
  during(ta_lanes_signal_, uint64_t(__builtin_popcountll(o.state.in_range)));
  during(ta_texels_signal_, o.is_image ? o.image->cost.texels : 0);
  during(ta_lines_signal_, o.control ? 0 : o.lines);
  depth_signal_.add(t, 1);
  if (ta_instruction_signal_) {
    ta_instruction_signal_.set(t, text_of(*o.request));
    ta_instruction_signal_.set(end, "");
  }
}

/// The response comes at cycle `done`; data before it, in the instruction's phases.
void texture_unit::trace_return(const operation& o, cycle_t done) {
  const picoseconds end = clock().at(done);
  depth_signal_.add(end, -1);
  const picoseconds t = clock().at(done - std::min<cycle_t>(done, o.phases));
  if (o.phases) {
    return_signal_.set(t, 1);
    return_signal_.set(end, 0);
    filter_signal_.set(t, o.is_image ? o.image->cost.texel_cycles : 0);
    filter_signal_.set(end, 0);
  }
  if (td_instruction_signal_) {
    td_instruction_signal_.set(o.phases ? t : clock().at(done - 1), text_of(*o.request));
    td_instruction_signal_.set(end, "");
  }
}

} // namespace lyra::texture
