// SPDX-License-Identifier: Apache-2.0
// The results of `lyra bench` as text, CSV, Markdown and a plot.
#pragma once
#include "platforms/bench/benchmark.h"
#include <string>
#include <vector>

namespace lyra::platforms::bench {

struct result {
  benchmark row;
  double value = 0;
  std::string problem; ///< why there is no figure
  double error = 0;    ///< per cent
  bool judged() const { return row.confidence != confidence::none && row.tolerance >= 0; }
  bool right() const { return problem.empty() && (!judged() || (error <= row.tolerance && error >= -row.tolerance)); }
};

std::string text(const std::vector<result>& results, const std::string& machine, double mhz);
std::string csv(const std::vector<result>& results, const std::string& machine, double mhz);
std::string markdown(const std::vector<result>& results, const std::string& machine, double mhz);
/// Latency against working set (the sweep.* rows), logarithmic axes, as SVG; published levels as dashed lines.
std::string plot(const std::vector<result>& results, const std::string& machine, double mhz);

} // namespace lyra::platforms::bench
