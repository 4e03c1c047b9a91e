// SPDX-License-Identifier: Apache-2.0
// A row of `lyra bench`: a measurement, and what is published about it.
#pragma once
#include "platforms/bench/measurement.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lyra::platforms::bench {

/// How sure a published figure is: measured on that chip; the same by one person whose code is not published; measured on a neighbour; vendor's document; driver constant; compiler or simulator; inferred.
enum class confidence : uint8_t { none, measured, measured_low, measured_near, vendor, driver, model, inferred };
const char* confidence_text(confidence c); ///< "M", "M, low", "M-near", "V", "D", "C", "I", "-"

struct benchmark {
  std::string name, meaning, unit;
  bench::measurement measurement;
  std::optional<bench::measurement> less; ///< its figure is taken off
  double divide = 1;                      ///< and the rest divided by this
  // published
  double low = 0, high = 0;               ///< the figure, or its range
  double nanoseconds = 0;                 ///< part of it that is time, not clocks: comes on top of low and high as clocks of the machine
  bench::confidence confidence = confidence::none;
  std::string source, chip;
  std::string beside;                     ///< another published figure that disagrees
  std::string note;                       ///< "fitted: ..." or what the figure follows from
  double tolerance = 5;                   ///< per cent
  std::string reason;                     ///< why the error is larger than 5 %, and stays; `tolerance` then is what it must keep to
  std::string machines;                   ///< "vega10 cu": only these; "" all

  // in the table a row is written as a chain of these
  benchmark& cu(unsigned groups, unsigned items) { measurement.groups = groups; measurement.items = items; return *this; }
  benchmark& one_wave() { measurement.groups = 1; measurement.items = 64; measurement.figure = figure::wave; return *this; }
  benchmark& cus(unsigned n) { measurement.compute_units = n; return *this; }
  /// Counted in a window of clocks, instead of over the whole dispatch: where waves of different age would not end together.
  benchmark& counting(std::string counter) { measurement.method = method::window; measurement.counter = std::move(counter); return *this; }
  /// One whole dispatch, from cold caches to the last wave's end.
  benchmark& whole() { measurement.method = method::dispatch; return *this; }
  benchmark& settled(unsigned clocks, unsigned window = 16000) { measurement.settle = clocks; measurement.window = window; return *this; }
  benchmark& loops(unsigned n) { measurement.loops = n; return *this; }
  benchmark& lanes(pattern p, unsigned element = 4, unsigned offset = 0) { measurement.lanes = p; measurement.element = element; measurement.lane_offset = offset; return *this; }
  benchmark& lds(unsigned bytes) { measurement.lds_bytes = bytes; return *this; }
  benchmark& as(figure f, unsigned bytes = 0) { measurement.figure = f; measurement.bytes = bytes; return *this; }
  benchmark& with(std::string setting) { measurement.settings.push_back(std::move(setting)); return *this; }
  benchmark& minus(bench::measurement m, double parts = 1) { less = std::move(m); divide = parts; return *this; }
  benchmark& published(double l, double h, bench::confidence c, std::string from, std::string where) { low = l; high = h; confidence = c; source = std::move(from); chip = std::move(where); return *this; }
  benchmark& published(double v, bench::confidence c, std::string from, std::string where) { return published(v, v, c, std::move(from), std::move(where)); }
  benchmark& and_ns(double ns) { nanoseconds = ns; return *this; }
  benchmark& also(std::string text) { beside = std::move(text); return *this; }
  benchmark& because(std::string text) { note = std::move(text); return *this; }
  benchmark& known(double per_cent, std::string why) { tolerance = per_cent; reason = std::move(why); return *this; }
  benchmark& unjudged(std::string why) { tolerance = -1; reason = std::move(why); return *this; }
  benchmark& only(std::string names) { machines = std::move(names); return *this; }
};

/// Per cent between a figure and the published range: 0 inside of it. `mhz`: core clock.
double error_of(const benchmark& b, double value, double mhz);
/// The published figure as text, in clocks at `mhz`: "50", "16..24", "-".
std::string published_text(const benchmark& b, double mhz);

/// A new row: clocks an instruction of a kernel of the micro-benchmarks.
inline benchmark& clocks_row(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) {
  benchmark& b = rows.emplace_back();
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  return b;
}

/// Every row, in order. One function a file of the table.
std::vector<benchmark> all_benchmarks();
void add_latencies(std::vector<benchmark>& rows);
void add_lds(std::vector<benchmark>& rows);
void add_memory(std::vector<benchmark>& rows);
void add_scalar(std::vector<benchmark>& rows);
void add_perftest(std::vector<benchmark>& rows);
void add_alu(std::vector<benchmark>& rows);
void add_issue(std::vector<benchmark>& rows);

} // namespace lyra::platforms::bench
