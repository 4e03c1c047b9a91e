// SPDX-License-Identifier: Apache-2.0
// Counters with name, unit and meaning. Blocks own plain uint64_t members; nothing is paid for observing until somebody reads them.
//
// A block's statistics are a plain struct with
//   template <class V> void describe(V&& v) { v("requests", requests, "requests", "wave instructions received"); }
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lyra::observe {

struct counter_entry { std::string path; const uint64_t* value; const char* unit; const char* meaning; };

class statistics {
public:
  /// Registers every counter of a block's statistics struct under `path` ("cu0.lds"). The struct must outlive this object's readers.
  template <class S> void add(const std::string& path, S& block) {
    block.describe([&](const char* name, const uint64_t& value, const char* unit, const char* meaning) { entries_.push_back({path + "." + name, &value, unit, meaning}); });
  }
  const std::vector<counter_entry>& entries() const { return entries_; }

private:
  std::vector<counter_entry> entries_;
};

} // namespace lyra::observe
