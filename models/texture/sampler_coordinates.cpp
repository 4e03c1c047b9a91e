// SPDX-License-Identifier: Apache-2.0
#include "texture/sampler_coordinates.h"
#include <cmath>
#include <cstdlib>

namespace lyra::texture {

using isa::clamp_mode;

int64_t fixed_coordinate(double texels, coordinate_rounding r) {
  constexpr double limit = 1 << 30;
  if (!(texels == texels)) return 0;
  if (texels > limit) texels = limit;
  if (texels < -limit) texels = -limit;
  double scaled = texels * 256; // below 2^38: adding 1.5 * 2^52 leaves the integer nearest (even) in the low bits
  constexpr double round = 6755399441055744.0;
  if (r == coordinate_rounding::step) return int64_t((scaled + round) - round);
  if (r == coordinate_rounding::point) return int64_t((scaled * 0.25 + round) - round) * 4;
  int64_t down = int64_t(scaled);
  return double(down) > scaled ? down - 1 : down;
}

int wrap_texel(int64_t i, unsigned size, clamp_mode mode) {
  int64_t n = size;
  if (i >= 0 && i < n) return int(i);
  switch (mode) {
    case clamp_mode::wrap: {
      int64_t r = i % n;
      return int(r < 0 ? r + n : r);
    }
    case clamp_mode::mirror: {
      int64_t r = i % (2 * n);
      if (r < 0) r += 2 * n;
      return int(r < n ? r : 2 * n - 1 - r);
    }
    case clamp_mode::clamp_last_texel: return int(i < 0 ? 0 : i >= n ? n - 1 : i);
    case clamp_mode::mirror_once_last_texel:
      if (i < 0) i = -1 - i;
      return int(i >= n ? n - 1 : i);
    case clamp_mode::mirror_once_half_border:
    case clamp_mode::mirror_once_border:
      if (i < 0) i = -1 - i;
      return int(i >= n ? border_texel : i);
    default: return int(i < 0 || i >= n ? border_texel : i);
  }
}

namespace {

/// The half-border modes hold the coordinate inside [0, size], so that a linear filter reaches half into the border.
int64_t hold(int64_t at, unsigned size, clamp_mode mode) {
  if (mode != clamp_mode::clamp_half_border && mode != clamp_mode::mirror_once_half_border) return at;
  if (mode == clamp_mode::mirror_once_half_border) at = std::llabs(at);
  int64_t top = int64_t(size) * 256;
  return at < 0 ? 0 : at > top ? top : at;
}

} // namespace

axis_taps linear_taps(int64_t at, unsigned size, clamp_mode mode) {
  bool half = mode == clamp_mode::clamp_half_border || mode == clamp_mode::mirror_once_half_border;
  int64_t low = hold(at, size, mode) - 128, i = low >> 8;
  axis_taps t;
  t.weight = unsigned(low & 255);
  // Below 0 a half border has border_texel, its mirrored form the first texel again.
  clamp_mode m = !half ? mode : mode == clamp_mode::clamp_half_border ? clamp_mode::clamp_border : clamp_mode::mirror_once_border;
  t.texel[0] = wrap_texel(i, size, m);
  t.texel[1] = wrap_texel(i + 1, size, m);
  return t;
}

int nearest_texel(int64_t at, unsigned size, clamp_mode mode) {
  // Without a second texel to blend with, half a border is none.
  if (mode == clamp_mode::clamp_half_border) mode = clamp_mode::clamp_last_texel;
  if (mode == clamp_mode::mirror_once_half_border) mode = clamp_mode::mirror_once_last_texel;
  return wrap_texel(at >> 8, size, mode);
}

void cross_cube_edge(unsigned& face, int& x, int& y, unsigned size) {
  // Per face: axis and sign of the major, s and t directions (faces +X -X +Y -Y +Z -Z).
  struct direction { int8_t axis, sign; };
  struct face_axes { direction major, s, t; };
  static const face_axes faces[6] = {{{0, 1}, {2, -1}, {1, -1}}, {{0, -1}, {2, 1}, {1, -1}}, {{1, 1}, {0, 1}, {2, 1}}, {{1, -1}, {0, 1}, {2, -1}}, {{2, 1}, {0, 1}, {1, -1}}, {{2, -1}, {0, -1}, {1, -1}}};
  int n = int(size);
  const face_axes& f = faces[face];
  // The texel's centre in half texels from the middle of the cube; crossing an edge bends the plane: what went past the edge becomes the
  // new major axis, and the old major axis the edge row of the new face.
  int v[3];
  int s = 2 * x + 1 - n, t = 2 * y + 1 - n;
  bool over_s = x < 0 || x >= n;
  v[f.major.axis] = f.major.sign * (n - 1);
  v[f.s.axis] = f.s.sign * s;
  v[f.t.axis] = f.t.sign * t;
  int axis = over_s ? f.s.axis : f.t.axis, sign = v[axis] > 0 ? 1 : -1;
  unsigned to = unsigned(axis * 2 + (sign < 0));
  const face_axes& g = faces[to];
  x = (g.s.sign * v[g.s.axis] + n - 1) / 2;
  y = (g.t.sign * v[g.t.axis] + n - 1) / 2;
  face = to;
}

} // namespace lyra::texture
