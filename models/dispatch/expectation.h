// SPDX-License-Identifier: Apache-2.0
// The end of a job: compares buffers with what is expected, writes outputs.
#pragma once
#include <cmath>
#include "dispatch/loaded_job.h"
#include <functional>

namespace lyra::dispatch {

/// When an element is right: |got - gold| <= abs + rel * |gold|, or within `ulp` units in the last place (integers: units).
/// Floats compare by value: -0 equals +0, a NaN equals any NaN, an infinity only itself.
struct tolerance {
  double abs = 0, rel = 0;
  uint64_t ulp = 0;
  /// How far from the right value by abs and rel.
  double allowed(double gold) const { return abs + rel * std::fabs(gold); }
};
bool element_matches(data_type t, uint64_t got, uint64_t gold, const tolerance& tol);
/// Units in the last place between two finite values of a float type; for integers their distance.
uint64_t ulp_distance(data_type t, uint64_t a, uint64_t b);

/// What is compared: a buffer's bytes, or an image's in host form. `read` copies bytes from an offset.
struct content {
  std::string name, what = "buffer";
  std::function<void(uint64_t offset, void* data, uint64_t bytes)> read;
};
content content_of(const loaded_job& j, const std::string& buffer, const std::string& image, device_memory& memory);

struct expectation_result {
  std::string buffer;        ///< or the image
  uint64_t checked = 0, wrong = 0;
  double worst = 0;          ///< largest |got - gold| among the wrong ones
  std::string text;          ///< one line where right; the first differences where not
  bool passed() const { return wrong == 0; }
};

/// Compares one expectation; prints at most `shown` differences into `text`.
expectation_result check(const expect_spec& e, const content& of, unsigned shown = 8);
expectation_result check(const expect_spec& e, const placed_buffer& b, device_memory& memory, unsigned shown = 8);
/// All expectations of a job, in order.
std::vector<expectation_result> check_all(const loaded_job& j, device_memory& memory, unsigned shown = 8);
/// Writes the job's outputs; relative paths below `directory` where one is given instead of the job's own. Throws where a file cannot be written.
void write_outputs(const loaded_job& j, device_memory& memory, const std::filesystem::path& directory = {});

} // namespace lyra::dispatch
