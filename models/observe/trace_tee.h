// SPDX-License-Identifier: Apache-2.0
// One trace in front of several: each signal goes to all that select it.
#pragma once
#include "observe/trace.h"
#include <vector>

namespace lyra::observe {

class trace_tee final : public trace {
public:
  /// The receivers must outlive this.
  explicit trace_tee(std::vector<trace*> receivers) : receivers_(std::move(receivers)) {}

  void reset(uint64_t ps) override { for (trace* t : receivers_) t->reset(ps); }
  void restart(uint64_t ps) override { for (trace* t : receivers_) t->restart(ps); }

private:
  struct entry { std::vector<signal> numbers; std::vector<text_signal> texts; };
  bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) override {
    entry e;
    for (trace* t : receivers_) {
      if (bits == 0) {
        if (const auto s = t->add_text(path, meaning)) e.texts.push_back(s);
      } else if (const auto s = t->add(path, bits, meaning)) {
        e.numbers.push_back(s);
      }
    }
    if (e.numbers.empty() && e.texts.empty()) return false;
    id = uint32_t(entries_.size());
    entries_.push_back(std::move(e));
    return true;
  }
  void change(uint32_t id, uint64_t ps, uint64_t value) override { for (const auto& s : entries_[id].numbers) s.set(ps, value); }
  void change_by(uint32_t id, uint64_t ps, int64_t delta) override { for (const auto& s : entries_[id].numbers) s.add(ps, delta); }
  void change_text(uint32_t id, uint64_t ps, std::string_view text) override { for (const auto& s : entries_[id].texts) s.set(ps, text); }

  std::vector<trace*> receivers_;
  std::vector<entry> entries_;
};

} // namespace lyra::observe
