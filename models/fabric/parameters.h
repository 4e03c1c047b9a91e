// SPDX-License-Identifier: Apache-2.0
// Parameters described once: for TOML, --set, the reference page and range checks.
//
// A block's parameters are a plain struct with defaults and one function
//   template <class V> void describe(V&& v) { v("hit_latency_cycles", hit_latency_cycles, {"cycles", 1, 10000, nullptr, "source", "meaning"}); }
// Value types: bool, unsigned, uint64_t, double, std::string (with `choices`, separated by '|').
#pragma once

namespace lyra::fabric {

struct parameter_info {
  const char* unit = "";
  double minimum = 0, maximum = 1e18; ///< for numbers
  const char* choices = nullptr;      ///< for strings: "in_order|round_robin"
  const char* source = "";            ///< published figure or "assumed"
  const char* meaning = "";           ///< one line
};

} // namespace lyra::fabric
