// SPDX-License-Identifier: Apache-2.0
// `lyra run`: a job on a machine, from files to report.
#pragma once
#include "platforms/machine.h"
#include <optional>
#include <string>
#include <vector>

namespace lyra::platforms {

struct run_options {
  std::string job, machine = "vega10", mode = "at";
  std::vector<std::string> settings;     ///< --set path=value
  uint64_t max_cycles = 0;               ///< 0: no limit
  std::string vcd, statistics, timeline, waves, opcodes, output_directory;
  std::vector<std::string> profiles;     ///< --profile: files, "-" for the text on stdout
  std::vector<std::string> trace;        ///< globs for --vcd
  std::string trace_window;              ///< "FROM:TO" in cycles
  uint64_t statistics_every = 0;
  std::vector<std::string> checks;       ///< --check: races
  std::vector<std::string> records;      ///< --record EDGE=FILE
  bool quiet = false;
};

/// Exit codes: what `lyra` returns.
enum exit_code { right = 0, wrong_result = 1, bad_input = 2, machine_fault = 3 };

/// Runs a job; prints the report to stdout, findings and faults to stderr. Throws observe::input_error.
int run(const run_options& o);

} // namespace lyra::platforms
