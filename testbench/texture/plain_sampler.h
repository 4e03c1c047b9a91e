// SPDX-License-Identifier: Apache-2.0
// A plain sampler in double precision, written from the rules of the Direct3D 11.3 functional specification (7.18) for the tests:
// no fixed point, no memory layout, one sample at a time.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lyra::test {

using colour = std::array<double, 4>;

/// Texels of all levels and slices, already decoded.
struct plain_image {
  int width = 1, height = 1, depth = 1, layers = 1, levels = 1;
  bool cube = false, volume = false;
  std::vector<std::vector<colour>> texels; ///< [level][(slice * h + y) * w + x]
  int w(int l) const { return std::max(width >> l, 1); }
  int h(int l) const { return std::max(height >> l, 1); }
  int d(int l) const { return std::max(depth >> l, 1); }
  const colour& at(int l, int x, int y, int slice) const { return texels[l][(size_t(slice) * h(l) + y) * w(l) + x]; }
};

enum class plain_wrap { repeat, mirror, edge, mirror_edge, half_border, mirror_half_border, border, mirror_border };
enum class plain_mode { blend, least, greatest };

struct plain_sampler {
  plain_wrap wrap[3] = {plain_wrap::repeat, plain_wrap::repeat, plain_wrap::repeat};
  bool mag_linear = false, min_linear = false;
  int mip = 0; ///< 0 none, 1 nearest, 2 linear
  double least_lod = 0, most_lod = 15;
  colour border = {0, 0, 0, 0};
  plain_mode mode = plain_mode::blend;
  bool unnormalized = false, seamless = true;
  int compare = -1; ///< -1 none; else never, less, equal, less-equal, greater, not-equal, greater-equal, always
  double reference = 0;
};

struct plain_request {
  double at[3] = {0, 0, 0};
  int offset[3] = {0, 0, 0};
  int layer = 0, face = 0;
  double lod = 0; ///< before the sampler's clamp
};

class plain_machine {
public:
  plain_machine(const plain_image& i, const plain_sampler& s) : image_(i), s_(s) {}

  /// False where the answer hangs on a rounding (a coordinate on a texel's edge, a level on a boundary).
  bool sample(const plain_request& q, colour& out) {
    steady_ = true;
    taps_.clear();
    double lod = std::min(std::max(q.lod, s_.least_lod), s_.most_lod);
    if (s_.mag_linear != s_.min_linear && std::fabs(lod) < 0.01) return false;
    bool linear = lod <= 0 ? s_.mag_linear : s_.min_linear;
    lod = std::min(std::max(lod, 0.0), double(image_.levels - 1));
    if (s_.mip == 0) level(q, 0, linear, 1);
    else if (s_.mip == 1) {
      double above = lod + 0.5;
      if (std::fabs(above - std::nearbyint(above)) < 0.01) return false;
      level(q, int(above), linear, 1);
    } else {
      int low = int(lod);
      double f = lod - low;
      if (s_.mode != plain_mode::blend && f != 0 && (f < 0.01 || f > 0.99)) return false;
      level(q, low, linear, 1 - f);
      if (f > 0) level(q, low + 1, linear, f);
    }
    if (!steady_) return false;
    finish(out);
    return true;
  }

  void begin() { taps_.clear(); steady_ = true; }
  /// One level's texels with a weight; `finish` adds up.
  void level(const plain_request& q, int l, bool linear, double weight) {
    int n[3] = {image_.w(l), image_.h(l), image_.d(l)};
    int axes = image_.volume ? 3 : image_.height == 1 && !image_.cube && !two_axes_ ? 1 : 2;
    int index[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    double share[3][2] = {{1, 0}, {1, 0}, {1, 0}};
    for (int k = 0; k < axes; ++k) {
      double t = (s_.unnormalized ? q.at[k] : q.at[k] * n[k]) + q.offset[k];
      bool seamless = image_.cube && s_.seamless;
      if (seamless) t = std::min(std::max(t, 0.0), double(n[k]));
      if (!seamless && s_.wrap[k] == plain_wrap::mirror_half_border) t = std::fabs(t);
      bool half = !seamless && (s_.wrap[k] == plain_wrap::half_border || s_.wrap[k] == plain_wrap::mirror_half_border);
      if (half) t = std::min(std::max(t, 0.0), double(n[k]));
      if (!linear) {
        double f = t - std::floor(t);
        if (!half && (f < 0.01 || f > 0.99) && !(seamless && (t <= 0 || t >= n[k]))) steady_ = false;
        if (half && (f < 0.01 || f > 0.99) && t > 0.01 && t < n[k] - 0.01) steady_ = false;
        int i = int(std::floor(t));
        if (half) i = std::min(std::max(i, 0), n[k] - 1);
        index[k][0] = seamless ? std::min(std::max(i, 0), n[k] - 1) : wrapped(i, n[k], s_.wrap[k]);
        continue;
      }
      double low = t - 0.5, f = low - std::floor(low);
      if (s_.mode != plain_mode::blend && (f < 0.01 || f > 0.99)) steady_ = false;
      int i = int(std::floor(low));
      for (int j = 0; j < 2; ++j) index[k][j] = seamless ? std::min(i + j, n[k]) : wrapped(i + j, n[k], s_.wrap[k]);
      share[k][0] = 1 - f;
      share[k][1] = f;
    }
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) {
          double w = weight * share[0][x] * share[1][y] * share[2][z];
          if (w == 0) continue;
          int ix = index[0][x], iy = index[1][y], iz = index[2][z];
          if (image_.cube && s_.seamless) { cube_tap(l, q, ix, iy, w); continue; }
          if (ix < 0 || iy < 0 || iz < 0) { add(s_.border, w); continue; }
          add(image_.at(l, ix, iy, image_.volume ? iz : q.layer + q.face), w);
        }
  }
  void finish(colour& out) const {
    out = {0, 0, 0, 0};
    bool first = true;
    for (const auto& t : taps_) {
      for (int k = 0; k < 4; ++k) {
        double v = t.first[k];
        if (s_.mode == plain_mode::blend) out[k] += v * t.second;
        else if (first) out[k] = v;
        else out[k] = s_.mode == plain_mode::least ? std::min(out[k], v) : std::max(out[k], v);
      }
      first = false;
    }
  }
  bool steady() const { return steady_; }
  void set_two_axes(bool on) { two_axes_ = on; }

private:
  static int wrapped(int i, int n, plain_wrap m) {
    switch (m) {
      case plain_wrap::repeat: return ((i % n) + n) % n;
      case plain_wrap::mirror: {
        int p = ((i % (2 * n)) + 2 * n) % (2 * n);
        return p < n ? p : 2 * n - 1 - p;
      }
      case plain_wrap::edge: return std::min(std::max(i, 0), n - 1);
      case plain_wrap::mirror_edge: return std::min(i < 0 ? -i - 1 : i, n - 1);
      case plain_wrap::mirror_half_border:
      case plain_wrap::mirror_border: {
        int p = i < 0 ? -i - 1 : i;
        return p < n ? p : -1;
      }
      default: return i < 0 || i >= n ? -1 : i;
    }
  }
  void add(colour v, double w) {
    if (s_.compare >= 0) {
      double r = s_.reference, t = v[0];
      static const bool less[8] = {false, true, false, true, false, true, false, true}, equal[8] = {false, false, true, true, false, false, true, true},
                        more[8] = {false, false, false, false, true, true, true, true};
      v[0] = (r < t ? less : r == t ? equal : more)[s_.compare] ? 1 : 0;
      v[1] = v[2] = v[3] = 0;
    }
    taps_.push_back({v, w});
  }
  /// Outside of a face: the direction to the texel's centre says which face and texel is seen.
  void cube_tap(int l, const plain_request& q, int x, int y, double w) {
    int n = image_.w(l);
    bool out_x = x < 0 || x >= n, out_y = y < 0 || y >= n;
    if (out_x && out_y) { // no such texel: the mean of the three that meet there
      int cx = x < 0 ? 0 : n - 1, cy = y < 0 ? 0 : n - 1;
      cube_tap(l, q, cx, cy, w / 3);
      cube_tap(l, q, x, cy, w / 3);
      cube_tap(l, q, cx, y, w / 3);
      return;
    }
    if (!out_x && !out_y) { add(image_.at(l, x, y, q.layer + q.face), w); return; }
    double s = 2 * (x + 0.5) / n - 1, t = 2 * (y + 0.5) / n - 1, v[3];
    switch (q.face) {
      case 0: v[0] = 1; v[1] = -t; v[2] = -s; break;
      case 1: v[0] = -1; v[1] = -t; v[2] = s; break;
      case 2: v[0] = s; v[1] = 1; v[2] = t; break;
      case 3: v[0] = s; v[1] = -1; v[2] = -t; break;
      case 4: v[0] = s; v[1] = -t; v[2] = 1; break;
      default: v[0] = -s; v[1] = -t; v[2] = -1; break;
    }
    double ax = std::fabs(v[0]), ay = std::fabs(v[1]), az = std::fabs(v[2]), major, sc, tc;
    int face;
    if (ax > ay && ax > az) { major = ax; face = v[0] > 0 ? 0 : 1; sc = v[0] > 0 ? -v[2] : v[2]; tc = -v[1]; }
    else if (ay > az) { major = ay; face = v[1] > 0 ? 2 : 3; sc = v[0]; tc = v[1] > 0 ? v[2] : -v[2]; }
    else { major = az; face = v[2] > 0 ? 4 : 5; sc = v[2] > 0 ? v[0] : -v[0]; tc = -v[1]; }
    int nx = int(std::floor((sc / major + 1) / 2 * n)), ny = int(std::floor((tc / major + 1) / 2 * n));
    add(image_.at(l, std::min(std::max(nx, 0), n - 1), std::min(std::max(ny, 0), n - 1), q.layer + face), w);
  }

  const plain_image& image_;
  const plain_sampler& s_;
  std::vector<std::pair<colour, double>> taps_;
  bool steady_ = true, two_axes_ = true;
};

} // namespace lyra::test
