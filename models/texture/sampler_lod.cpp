// SPDX-License-Identifier: Apache-2.0
#include "texture/sampler_lod.h"
#include <algorithm>
#include <cmath>
#include <climits>

namespace lyra::texture {
namespace {

constexpr int lod_limit = 64 * 256;

double length2(const double* d, unsigned n) {
  double s = 0;
  for (unsigned i = 0; i < n; ++i) s += d[i] * d[i];
  return s;
}

int log2_fixed(double length_squared) {
  if (!(length_squared > 0)) return -lod_limit; // also NaN
  double l = std::log2(length_squared) * 128;
  return l < -lod_limit ? -lod_limit : l > lod_limit ? lod_limit : int(std::nearbyint(l));
}

} // namespace

int lod_of_footprint(const footprint& f) { return log2_fixed(std::max(length2(f.h, 3), length2(f.v, 3))); }

anisotropy anisotropy_of_footprint(const footprint& f, unsigned max_ratio_log2) {
  anisotropy a;
  double h = length2(f.h, 2), v = length2(f.v, 2), longer = std::max(h, v), shorter = std::min(h, v);
  a.along_v = v > h;
  a.lod = log2_fixed(longer);
  if (!(longer > 1) || !std::isfinite(longer) || max_ratio_log2 == 0) return a; // magnified: nothing to gather
  double ratio = std::sqrt(longer / std::max(shorter, 1e-300)), most = double(1u << max_ratio_log2);
  ratio = std::min(ratio, most);
  // A level may not be more than the footprint is long.
  ratio = std::min(ratio, std::sqrt(longer));
  if (ratio < 1) ratio = 1;
  unsigned n = unsigned(std::ceil(ratio - 1.0 / 256));
  a.samples = n <= 1 ? 1 : (n + 1) & ~1u;
  a.lod = log2_fixed(longer / (ratio * ratio));
  return a;
}

int fixed_lod(float v) {
  if (!(v == v)) return 0;
  double l = double(v) * 256;
  return l < -lod_limit ? -lod_limit : l > lod_limit ? lod_limit : int(std::nearbyint(l));
}

level_choice choose_levels(int lod, int lane_clamp, const isa::image_resource& r, const isa::image_sampler& s) {
  level_choice c;
  c.unclamped = lod;
  bool point = s.mip_filter == 1;
  if (point && s.mip_point_preclamp) lod += 128;
  lod = std::min(std::max(lod, int(s.min_lod)), std::max(int(s.max_lod), int(s.min_lod)));
  if (lane_clamp != INT_MIN) lod = std::max(lod, lane_clamp);
  int base = int(r.base_level) * 256, range = isa::is_msaa(r.type) ? 0 : (int(r.last_level) - int(r.base_level)) * 256;
  lod = std::max(lod, int(r.min_lod) - base);
  c.warned = r.min_lod_warn != 0 && lod + base < int(r.min_lod_warn);
  // Level 0 and below magnifies; a pre-clamp half step is not part of that.
  c.magnified = (point && s.mip_point_preclamp ? lod - 128 : lod) <= 0;
  int level = std::min(std::max(lod, 0), range);
  if (isa::is_msaa(r.type)) base = 0;
  if (s.mip_filter == 0) level = 0;
  else if (point) {
    level = s.mip_point_preclamp ? lod : lod + 128;
    level = std::min(std::max(level, 0), range) & ~255;
  }
  c.lod = level;
  c.level[0] = unsigned(base + level) >> 8;
  c.weight = unsigned(level & 255);
  c.level[1] = c.weight ? c.level[0] + 1 : c.level[0];
  return c;
}

} // namespace lyra::texture
