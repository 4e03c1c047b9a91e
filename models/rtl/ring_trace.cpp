// SPDX-License-Identifier: Apache-2.0
#include "rtl/ring_trace.h"
#include "observe/vcd_writer.h"
#include <algorithm>

namespace lyra::rtl {

bool ring_trace::declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) {
  id = uint32_t(variables_.size());
  variables_.push_back({path, bits, meaning, 0, false, outer_ ? outer_->add(path, bits, meaning) : observe::signal()});
  return true;
}

void ring_trace::change(uint32_t id, uint64_t ps, uint64_t value) {
  variables_[id].outer.set(ps, value);
  newest_ = std::max(newest_, ps);
  entries_.push_back({ps, value, id});
  while (entries_.size() > 1 && entries_.front().ps + window_ps_ < newest_) {
    variable& v = variables_[entries_.front().id];
    v.before = entries_.front().value;
    v.known = true;
    entries_.pop_front();
  }
}

void ring_trace::dump(const std::string& file, const std::string& comment, uint64_t end_ps) {
  std::vector<entry> sorted(entries_.begin(), entries_.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return a.ps < b.ps; });
  observe::vcd_options options;
  options.comment = comment;
  options.start_ps = sorted.empty() ? 0 : sorted.front().ps;
  observe::vcd_writer vcd(file, options);
  std::vector<observe::signal> signals;
  observe::trace& out = vcd;
  for (const variable& v : variables_) signals.push_back(out.add(v.path, v.bits, v.meaning));
  for (size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].known) signals[i].set(options.start_ps, variables_[i].before);
  for (const entry& e : sorted) signals[e.id].set(e.ps, e.value);
  vcd.close(std::max(end_ps, newest_ + 1));
}

} // namespace lyra::rtl
