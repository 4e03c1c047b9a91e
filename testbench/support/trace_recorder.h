// SPDX-License-Identifier: Apache-2.0
// Keeps every change of every traced signal, for tests of signals.
#pragma once
#include "observe/trace.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

struct trace_recorder : lyra::observe::trace {
  std::vector<std::string> names;
  std::map<std::string, std::map<uint64_t, uint64_t>> changes;   ///< path -> ps -> number; the newest word counts where two come for one time
  std::map<std::string, std::map<uint64_t, int64_t>> steps;      ///< of counts that are given as ups and downs
  std::map<std::string, std::vector<std::pair<uint64_t, std::string>>> texts;

  /// The number at a time; 0 before the first change.
  uint64_t at(const std::string& name, uint64_t ps) const {
    uint64_t v = 0;
    if (const auto i = changes.find(name); i != changes.end())
      for (auto& [t, x] : i->second) if (t <= ps) v = x;
    if (const auto i = steps.find(name); i != steps.end())
      for (auto& [t, x] : i->second) if (t <= ps) v += uint64_t(x);
    return v;
  }
  /// The text at a time; "?" where the signal never had one.
  std::string text_at(const std::string& name, uint64_t ps) const {
    const auto i = texts.find(name);
    if (i == texts.end()) return "?";
    std::string v;
    uint64_t newest = 0;
    for (auto& [t, x] : i->second) if (t <= ps && t >= newest) v = x, newest = t;
    return v;
  }
  bool has(const std::string& name) const { return changes.count(name) || steps.count(name) || texts.count(name); }

protected:
  bool declare(const std::string& path, unsigned, const char*, uint32_t& id) override {
    id = uint32_t(names.size());
    names.push_back(path);
    return true;
  }
  void change(uint32_t id, uint64_t ps, uint64_t value) override { changes[names[id]][ps] = value; }
  void change_by(uint32_t id, uint64_t ps, int64_t delta) override { steps[names[id]][ps] += delta; }
  void change_text(uint32_t id, uint64_t ps, std::string_view text) override { texts[names[id]].emplace_back(ps, text); }
};
