// SPDX-License-Identifier: Apache-2.0
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

const char* confidence_text(confidence c) {
  switch (c) {
    case confidence::none: return "-";
    case confidence::measured: return "M";
    case confidence::measured_low: return "M, low";
    case confidence::measured_near: return "M-near";
    case confidence::vendor: return "V";
    case confidence::driver: return "D";
    case confidence::model: return "C";
    case confidence::inferred: return "I";
  }
  return "-";
}

double error_of(const benchmark& b, double value, double mhz) {
  const double extra = b.nanoseconds * mhz / 1000, low = b.low + extra, high = b.high + extra;
  if (value >= low && value <= high) return 0;
  const double to = value < low ? low : high;
  return to == 0 ? 0 : (value / to - 1) * 100;
}

std::string published_text(const benchmark& b, double mhz) {
  if (b.confidence == confidence::none) return "-";
  const double extra = b.nanoseconds * mhz / 1000;
  return b.low == b.high ? fmt::format("{:.4g}", b.low + extra) : fmt::format("{:.4g}..{:.4g}", b.low + extra, b.high + extra);
}

std::vector<benchmark> all_benchmarks() {
  std::vector<benchmark> rows;
  add_latencies(rows);
  add_lds(rows);
  add_memory(rows);
  add_scalar(rows);
  add_perftest(rows);
  add_alu(rows);
  add_issue(rows);
  return rows;
}

} // namespace lyra::platforms::bench
