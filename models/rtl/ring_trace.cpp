// SPDX-License-Identifier: Apache-2.0
#include "rtl/ring_trace.h"
#include "observe/vcd_writer.h"
#include <algorithm>

namespace lyra::rtl {

bool ring_trace::declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) {
  id = uint32_t(variables_.size());
  variables_.push_back({path, bits, meaning, 0, 0, false, outer_ && bits ? outer_->add(path, bits, meaning) : observe::signal(), outer_ && !bits ? outer_->add_text(path, meaning) : observe::text_signal()});
  return true;
}

void ring_trace::change(uint32_t id, uint64_t ps, uint64_t value) {
  variables_[id].outer.set(ps, value);
  remember(id, ps, value);
}

void ring_trace::change_by(uint32_t id, uint64_t ps, int64_t delta) {
  variables_[id].outer.add(ps, delta);
  remember(id, ps, variables_[id].latest + uint64_t(delta));
}

void ring_trace::change_text(uint32_t id, uint64_t ps, std::string_view text) {
  variables_[id].outer_text.set(ps, text);
  size_t k = std::find(texts_.begin(), texts_.end(), text) - texts_.begin(); // few: names of states and look-ups
  if (k == texts_.size()) texts_.emplace_back(text);
  remember(id, ps, k);
}

void ring_trace::reset(uint64_t) {
  entries_.clear();
  newest_ = 0;
  for (variable& v : variables_) {
    v.before = v.latest = 0;
    v.known = false;
  }
}

void ring_trace::remember(uint32_t id, uint64_t ps, uint64_t value) {
  variables_[id].latest = value;
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
  std::vector<observe::signal> numbers;
  std::vector<observe::text_signal> texts;
  observe::trace& out = vcd;
  for (const variable& v : variables_) {
    numbers.push_back(v.bits ? out.add(v.path, v.bits, v.meaning) : observe::signal());
    texts.push_back(v.bits ? observe::text_signal() : out.add_text(v.path, v.meaning));
  }
  const auto put = [&](size_t id, uint64_t ps, uint64_t value) {
    numbers[id].set(ps, value);
    if (texts[id]) texts[id].set(ps, texts_[value]);
  };
  for (size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].known) put(i, options.start_ps, variables_[i].before);
  for (const entry& e : sorted) put(e.id, e.ps, e.value);
  vcd.close(std::max(end_ps, newest_ + 1));
}

} // namespace lyra::rtl
