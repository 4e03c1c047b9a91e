// SPDX-License-Identifier: Apache-2.0
// The statistics tree as text: JSON for programs, a list for people, samples over time.
#pragma once
#include "observe/statistics.h"
#include <cstdio>
#include <utility>

namespace lyra::observe {

using about_pairs = std::vector<std::pair<std::string, std::string>>; ///< machine, settings, version, seed: into every output

/// Values since a mark: a region of interest begins where `mark` is called.
class statistics_region {
public:
  explicit statistics_region(const statistics& s) : statistics_(&s) {}
  /// From now on values count from here.
  void mark();
  /// Keeps the values as they are now: the region has ended.
  void freeze();
  uint64_t value(size_t entry) const;
  const statistics& of() const { return *statistics_; }

private:
  const statistics* statistics_;
  std::vector<uint64_t> base_, end_;
};

/// How long the run took in the machine's time.
struct run_length { uint64_t cycles = 0, ps = 0; };

/// {"about": {...}, "run": {"cycles": 1, "ps": 1}, "statistics": {"l2": {"ch0": {"hits": {"value": 1, "unit": "...", "meaning": "..."}}}}}
std::string statistics_json(const statistics_region& r, const about_pairs& about, run_length run = {});
/// Writes the above. Throws observe::input_error when the file cannot be written.
void write_statistics(const std::string& file, const statistics_region& r, const about_pairs& about, run_length run = {});
/// Every counter with unit and meaning, a line each; paths that differ only in their numbers ("cu0", "cu1") stand once, as "cu*".
std::string statistics_list(const statistics& s);
/// The same for programs: [{"name": ..., "unit": ..., "meaning": ...}].
std::string statistics_list_json(const statistics& s);

/// One JSON object a line: the changes of all counters since the line before. A reset is a line of its own, {"reset": true, "cycle": ..., "ps": ...}:
/// counters and cycles start at 0 behind it.
class statistics_sampler {
public:
  statistics_sampler(const std::string& file, const statistics& s, const about_pairs& about);
  ~statistics_sampler();
  statistics_sampler(const statistics_sampler&) = delete;
  statistics_sampler& operator=(const statistics_sampler&) = delete;
  void sample(uint64_t cycle, uint64_t ps);
  /// The machine was reset at `cycle`.
  void reset(uint64_t cycle, uint64_t ps);

private:
  std::FILE* file_;
  const statistics& statistics_;
  std::vector<uint64_t> last_;
};

} // namespace lyra::observe
