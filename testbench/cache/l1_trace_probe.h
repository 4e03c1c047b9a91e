// SPDX-License-Identifier: Apache-2.0
// Keeps every traced value by name and time, for tests of signals.
#pragma once
#include "observe/trace.h"
#include <map>
#include <vector>

namespace bench {

struct trace_probe : lyra::observe::trace {
  std::vector<std::string> names;
  std::map<std::string, std::map<uint64_t, uint64_t>> changes; ///< the newest word counts where two come for one time
  bool declare(const std::string& path, unsigned, const char*, uint32_t& id) override {
    id = uint32_t(names.size());
    names.push_back(path);
    return true;
  }
  void change(uint32_t id, uint64_t ps, uint64_t value) override { changes[names[id]][ps] = value; }
  /// The value at a time.
  uint64_t at(const std::string& name, uint64_t ps) const {
    uint64_t v = 0;
    for (auto& [t, x] : changes.at(name))
      if (t <= ps) v = x;
    return v;
  }
};

} // namespace bench
