// SPDX-License-Identifier: Apache-2.0
// `lyra bench`: micro-benchmarks of a machine beside published figures.
#pragma once
#include <string>
#include <vector>

namespace lyra::platforms::bench {

struct bench_options {
  std::string machine = "vega10";
  std::vector<std::string> only;     ///< globs of names; none: all
  std::vector<std::string> settings; ///< --set path=value
  std::string csv, plot, markdown;   ///< files to write, "" none
  unsigned processes = 0;            ///< 0: as many as the host has processors
  bool list = false;                 ///< names and meanings only
};

/// Runs and prints. 0: every row has a figure and keeps to its tolerance; 1: one does not. Throws observe::input_error.
int bench(const bench_options& o);

} // namespace lyra::platforms::bench
