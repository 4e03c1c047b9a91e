// SPDX-License-Identifier: Apache-2.0
// Sampling: from coordinates, derivatives and the sampler to the texels of each lane and their weights.
#include "texture/image_work.h"
#include "texture/sampler_coordinates.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

namespace lyra::texture {

using fabric::fault_kind;
using isa::clamp_mode;
using isa::image_type;

namespace {

float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }
int sign_extend6(uint32_t v) { return int(v << 26) >> 26; }

/// Border colour by memory component: the colour's channels through BC_SWIZZLE.
bool find_border(plan_context& c) {
  image_work& w = c.work;
  const isa::image_sampler& s = w.sampler;
  float one_float = 1;
  uint32_t one = 1, colour[4] = {};
  if (!w.format->integer) std::memcpy(&one, &one_float, 4);
  switch (s.border) {
    case isa::border_color::transparent_black: break;
    case isa::border_color::opaque_black: colour[3] = one; break;
    case isa::border_color::opaque_white: colour[0] = colour[1] = colour[2] = colour[3] = one; break;
    case isa::border_color::table: {
      if (!c.parameters.border_color_base) {
        c.fail(fault_kind::unsupported, 0, 0, "S# BORDER_COLOR_TYPE 3 (pointer), but there is no border colour table; set parameter border_color_base to its address");
        return false;
      }
      for (unsigned k = 0; k < 4; ++k) {
        uint64_t at = fabric::canonical(c.parameters.border_color_base + s.border_color_pointer * 16u + k * 4);
        const uint8_t* line = c.space.host_line(at);
        if (!line) {
          c.fail(fault_kind::unmapped, 0, at, "the border colour table is not mapped at entry " + std::to_string(s.border_color_pointer));
          return false;
        }
        std::memcpy(&colour[k], line + (at & 63), 4);
      }
    }
  }
  static const char* const order[6] = {"xyzw", "xwyz", "wzyx", "wxyz", "zyxw", "yxwz"};
  static const char channels[] = "xyzw";
  for (unsigned k = 0; k < 4; ++k) {
    unsigned from = 0;
    while (channels[from] != order[w.resource.border_swizzle][k]) ++from;
    w.border[k] = colour[from];
  }
  return true;
}

/// Position operands of a lane: x, y, z in the coordinates' unit (cube: within the face, 0..1), and the layer index (not clamped).
struct position { double at[3] = {0, 0, 0}; double layer = 0; };

position position_of(const plan_context& c, unsigned lane) {
  const image_work& w = c.work;
  position p;
  for (unsigned k = 0; k < w.operands.coordinates; ++k) p.at[k] = body_float(w.operands, c.request.vaddr, k, lane);
  if (w.operands.slice >= 0) p.layer = body_float(w.operands, c.request.vaddr, unsigned(w.operands.slice), lane);
  if (w.resource.type == image_type::cube && !w.unnormalized) { p.at[0] -= 1; p.at[1] -= 1; } // face coordinates come as 1.0 .. 2.0
  return p;
}

/// Nearest even; NaN is 0.
int64_t round_layer(double v) {
  if (!(v == v)) return 0;
  return int64_t(std::nearbyint(std::min(std::max(v, -1e6), 1e6)));
}

/// Derivatives in texels of the base level, and in the coordinates' own unit for anisotropic steps.
struct derivatives { footprint texels; double own[2][2] = {{0, 0}, {0, 0}}; };

derivatives derivatives_of(const plan_context& c, unsigned lane, const level_size& size) {
  const image_work& w = c.work;
  const double extent[3] = {double(size.width), double(size.height), double(size.depth)};
  unsigned n = w.operands.coordinates;
  double d[2][3] = {};
  if (w.operation.derivatives) {
    for (unsigned dir = 0; dir < 2; ++dir)
      for (unsigned k = 0; k < n; ++k) d[dir][k] = derivative_float(w.operands, c.request.vaddr, dir, k, lane);
  } else {
    // Lanes 4k .. 4k+3 are a 2x2 quad: left to right, then top to bottom. One pair gives a direction for all four.
    unsigned q = lane & ~3u;
    auto difference = [&](unsigned dir, unsigned from, unsigned to, unsigned other_from, unsigned other_to) {
      position a = position_of(c, q + from), b = position_of(c, q + to);
      if (w.resource.type == image_type::cube && round_layer(a.layer) != round_layer(b.layer)) {
        // Coordinates of different faces have no difference: the quad's other pair, or none.
        a = position_of(c, q + other_from);
        b = position_of(c, q + other_to);
        if (round_layer(a.layer) != round_layer(b.layer)) return;
      }
      for (unsigned k = 0; k < n; ++k) d[dir][k] = b.at[k] - a.at[k];
    };
    difference(0, 0, 1, 2, 3);
    difference(1, 0, 2, 1, 3);
  }
  derivatives out;
  for (unsigned k = 0; k < n; ++k) {
    double scale = w.unnormalized ? 1 : extent[k];
    out.texels.h[k] = d[0][k] * scale;
    out.texels.v[k] = d[1][k] * scale;
    if (k < 2) { out.own[0][k] = d[0][k]; out.own[1][k] = d[1][k]; }
  }
  return out;
}

/// A computed level of detail; implicit ones are the same for the four lanes of a quad.
struct computed_level { unsigned quad = 64; bool aniso_filter = false; int lod = 0; anisotropy a; derivatives d; };

void compute_level(const plan_context& c, unsigned lane, computed_level& out) {
  const image_work& w = c.work;
  const isa::image_sampler& s = w.sampler;
  if (w.operation.implicit_lod() && out.quad == lane / 4) return;
  out.quad = lane / 4;
  out.d = derivatives_of(c, lane, w.levels[w.resource.base_level]);
  bool allowed = s.max_aniso_ratio > 0 && w.operands.coordinates == 2 && !(s.aniso_override && w.resource.base_level == w.resource.last_level) && !w.format->integer;
  out.aniso_filter = allowed && (s.xy_min & 2) && w.operation.kind != image_kind::gather;
  if (out.aniso_filter) {
    out.a = anisotropy_of_footprint(out.d.texels, s.max_aniso_ratio);
    out.lod = out.a.lod;
  } else {
    out.lod = lod_of_footprint(out.d.texels);
  }
}

/// Levels, filter and number of texels of a lane.
void decide(plan_context& c, unsigned lane, computed_level& computed) {
  image_work& w = c.work;
  const isa::image_resource& r = w.resource;
  const isa::image_sampler& s = w.sampler;
  lane_filter& f = w.lane[lane];
  f = {};
  int lod = 0;
  bool given = w.operation.lod || w.operation.lod_zero;
  if (w.operation.lod) lod = fixed_lod(body_float(w.operands, c.request.vaddr, unsigned(w.operands.level), lane));
  else if (!w.operation.lod_zero) {
    compute_level(c, lane, computed);
    lod = computed.lod;
  }
  lod += s.lod_bias + s.lod_bias_sec * 4 * r.perf_mod; // s1.4 times PERF_MOD / 4
  if (w.operation.bias) lod += fixed_lod(bias_float(w.operands, c.request.vaddr, lane));
  int lane_clamp = w.operation.clamp ? fixed_lod(body_float(w.operands, c.request.vaddr, unsigned(w.operands.level), lane)) : INT_MIN;
  f.levels = choose_levels(lod, lane_clamp, r, s);
  if (f.levels.warned) {
    w.warned |= uint64_t(1) << lane;
    c.request.lod_clamped |= c.request.inst->lwe;
  }
  unsigned filter = f.levels.magnified ? s.xy_mag : s.xy_min;
  f.linear = (filter & 1) && w.format->filterable;
  f.level_count = f.levels.weight && w.format->filterable ? 2 : 1;
  if (!given && computed.aniso_filter && computed.a.samples > 1) { // also where the short axis is magnified
    f.aniso = uint8_t(computed.a.samples);
    f.step[0] = computed.d.own[computed.a.along_v][0];
    f.step[1] = computed.d.own[computed.a.along_v][1];
  }
  if (w.operation.kind == image_kind::gather) {
    // One level, always the 2x2 texels of a bilinear filter.
    f.linear = true;
    f.level_count = 1;
    if (f.levels.weight >= 128) f.levels.level[0] = f.levels.level[1];
  }
}

/// Writes the pieces of one lane.
class tap_writer {
public:
  tap_writer(plan_context& c, unsigned lane) : c_(c), w_(c.work), lane_(lane) {}

  bool one_sample(const position& p, unsigned level, bool linear, double weight) {
    const isa::image_resource& r = w_.resource;
    const isa::image_sampler& s = w_.sampler;
    const level_size& size = w_.levels[level];
    bool cube = r.type == image_type::cube, gather = w_.operation.kind == image_kind::gather;
    unsigned face = 0;
    int64_t layer = 0;
    if (cube) {
      // face_id = slice * 8 + face; faces follow each other in memory. The slice is clamped and the face kept, also below zero: drivers clamp themselves only for older chips.
      int64_t id = round_layer(p.layer);
      face = unsigned(std::min<int64_t>(id & 7, 5));
      int64_t cubes = std::max(w_.layers / 6, 1u);
      layer = std::min(std::max<int64_t>(id >> 3, 0), cubes - 1) * 6;
    } else if (isa::is_array(r.type)) {
      layer = std::min<int64_t>(std::max<int64_t>(round_layer(p.layer), 0), int64_t(w_.layers) - 1);
    }
    if (gather) w_.absent_corner[lane_] = 4;
    int offset[3] = {0, 0, 0};
    if (w_.operands.offset_row >= 0) {
      uint32_t v = c_.request.vaddr[w_.operands.offset_row][lane_];
      for (unsigned k = 0; k < 3; ++k) offset[k] = sign_extend6(v >> (8 * k));
    }
    const unsigned extent[3] = {size.width, size.height, size.depth};
    const clamp_mode clamp[3] = {s.clamp_x, s.clamp_y, s.clamp_z};
    axis_taps t[3];
    unsigned count[3] = {1, 1, 1};
    bool seamless = cube && !s.disable_cube_wrap && !w_.unnormalized;
    for (unsigned k = 0; k < 3; ++k) {
      t[k] = {{0, 0}, 0};
      if (k >= w_.operands.coordinates) continue;
      double texels = p.at[k] * (w_.unnormalized ? 1.0 : double(extent[k])) + offset[k];
      bool axis_linear = linear;
      if (k == 2 && s.z_filter == 1) axis_linear = false;
      if (k == 2 && s.z_filter == 2 && w_.format->filterable) axis_linear = true;
      using rounding = coordinate_rounding;
      int64_t at = fixed_coordinate(texels, axis_linear && !gather ? rounding::step : s.trunc_coord ? rounding::down : axis_linear ? rounding::step : rounding::point);
      if (s.mc_coord_trunc) at &= ~int64_t(127); // whole and half texels
      if (seamless) {
        // A face ends at its edges; the texels one step outside are those of its neighbours.
        int64_t n = extent[k], held = std::min(std::max<int64_t>(at, 0), n * 256);
        int64_t low = axis_linear ? held - 128 : held, i = low >> 8;
        t[k].weight = axis_linear ? unsigned(low & 255) : 0;
        t[k].texel[0] = int(axis_linear ? i : std::min(i, n - 1));
        t[k].texel[1] = int(std::min(i + 1, n));
        count[k] = axis_linear ? 2 : 1;
      } else if (axis_linear) {
        t[k] = linear_taps(at, extent[k], clamp[k]);
        count[k] = 2;
      } else {
        t[k].texel[0] = nearest_texel(at, extent[k], clamp[k]);
      }
    }
    double share[3][2];
    for (unsigned k = 0; k < 3; ++k) {
      share[k][1] = t[k].weight * (1.0 / 256);
      share[k][0] = count[k] == 1 ? 1.0 : 1.0 - share[k][1];
    }
    if (seamless && linear) return cube_taps(t, face, unsigned(layer), level, weight);
    if (gather) {
      // (0,1) (1,1) (1,0) (0,0): the order of the result's components
      static const uint8_t gx[4] = {0, 1, 1, 0}, gy[4] = {1, 1, 0, 0};
      for (unsigned k = 0; k < 4; ++k) {
        unsigned i = count[0] > 1 ? gx[k] : 0, j = count[1] > 1 ? gy[k] : 0;
        if (!tap(t[0].texel[i], t[1].texel[j], t[2].texel[0], face, unsigned(layer), level, 1)) return false;
      }
      return true;
    }
    for (unsigned z = 0; z < count[2]; ++z)
      for (unsigned y = 0; y < count[1]; ++y) {
        double row = weight * share[1][y] * share[2][z];
        for (unsigned x = 0; x < count[0]; ++x)
          if (!tap(t[0].texel[x], t[1].texel[y], t[2].texel[z], face, unsigned(layer), level, row * share[0][x])) return false;
      }
    return true;
  }
  unsigned count() const { return n_; }

private:
  bool tap(int x, int y, int z, unsigned face, unsigned layer, unsigned level, double weight) {
    unsigned piece = n_++;
    w_.weight[piece * 64 + lane_] = float(weight);
    if (x < 0 || y < 0 || z < 0) {
      w_.border_taps[piece] |= uint64_t(1) << lane_;
      return true;
    }
    const isa::image_resource& r = w_.resource;
    const isa::image_format& f = *w_.format;
    unsigned slice = r.type == image_type::dim_3d ? unsigned(z) : r.base_array + layer + face;
    w_.inside[piece * 64 + lane_] = inside_of(f, unsigned(x), unsigned(y));
    if (piece == 0) w_.place[lane_] = element_place_of(w_, level, unsigned(x), unsigned(y), slice);
    return c_.access(piece, lane_, element_offset(w_, level, unsigned(x), unsigned(y), slice));
  }

  /// Bilinear over cube edges. At a corner three faces meet and the fourth texel does not exist: its weight goes to the three in equal parts.
  bool cube_taps(const axis_taps* t, unsigned face, unsigned layer, unsigned level, double weight) {
    int n = int(w_.levels[level].width);
    bool gather = w_.operation.kind == image_kind::gather;
    static const uint8_t gx[4] = {0, 1, 1, 0}, gy[4] = {1, 1, 0, 0};
    double w[4];
    int missing = -1;
    for (unsigned k = 0; k < 4; ++k) {
      unsigned i = gather ? gx[k] : k & 1, j = gather ? gy[k] : k >> 1;
      int x = t[0].texel[i], y = t[1].texel[j];
      w[k] = (i ? t[0].weight : 256 - t[0].weight) / 256.0 * ((j ? t[1].weight : 256 - t[1].weight) / 256.0);
      if ((x < 0 || x >= n) && (y < 0 || y >= n)) missing = int(k);
    }
    if (gather && missing >= 0 && !w_.format->integer) w_.absent_corner[lane_] = uint8_t(missing);
    for (unsigned k = 0; k < 4; ++k) {
      unsigned i = gather ? gx[k] : k & 1, j = gather ? gy[k] : k >> 1;
      int x = t[0].texel[i], y = t[1].texel[j];
      unsigned f = face;
      double share = gather ? 1 : w[k];
      if (int(k) == missing) {
        if (!gather) {
          if (!tap(x < 0 ? 0 : n - 1, y < 0 ? 0 : n - 1, 0, f, layer, level, 0)) return false;
          continue;
        }
        x = x < 0 ? 0 : n - 1; // fetched in its place: integers show it
        y = y < 0 ? 0 : n - 1;
      } else {
        if (missing >= 0 && !gather) share += w[missing] / 3;
        if (x < 0 || x >= n || y < 0 || y >= n) cross_cube_edge(f, x, y, unsigned(n));
      }
      if (!tap(x, y, 0, f, layer, level, gather ? 1 : weight * share)) return false;
    }
    return true;
  }

  plan_context& c_;
  image_work& w_;
  unsigned lane_, n_ = 0;
};

} // namespace

void plan_sample(plan_context& c) {
  image_work& w = c.work;
  fabric::wave_request& q = c.request;
  if (!w.sampler_known || std::memcmp(w.sampler_words, q.sampler, 16) != 0) {
    std::memcpy(w.sampler_words, q.sampler, 16);
    w.sampler_known = true;
    w.sampler = isa::decode_image_sampler(q.sampler);
    w.sampler_error = isa::image_sampler_error(w.sampler);
  }
  if (!w.sampler_error.empty()) { c.fail(fault_kind::bad_descriptor, 0, 0, w.sampler_error); return; }
  if (isa::is_msaa(w.resource.type)) {
    c.fail(fault_kind::unsupported, 0, 0, "an MSAA image cannot be sampled: load its fragments, or resolve it");
    return;
  }
  w.unnormalized = w.sampler.force_unnormalized || q.inst->unorm;
  if (w.resource.type == image_type::cube && w.unnormalized) {
    c.fail(fault_kind::unsupported, 0, 0, "cube coordinates cannot be unnormalized; clear UNRM and S# FORCE_UNNORMALIZED");
    return;
  }
  bool lod_query = w.operation.kind == image_kind::get_lod;
  if (!lod_query && !find_border(c)) return;
  w.gather_component = 0;
  if (w.operation.kind == image_kind::gather) while (!(w.dmask >> w.gather_component & 1)) ++w.gather_component;

  unsigned most = 1;
  bool volume = w.operands.coordinates == 3;
  computed_level computed;
  for (unsigned lane = 0; lane < 64; ++lane) {
    w.tap_count[lane] = 0;
    if (!(q.exec >> lane & 1)) continue;
    decide(c, lane, computed);
    const lane_filter& f = w.lane[lane];
    unsigned taps = 1;
    if (w.operation.kind == image_kind::gather) taps = 4;
    else {
      if (f.linear) taps <<= std::min(w.operands.coordinates, 2u);
      bool z_linear = (f.linear && w.sampler.z_filter != 1) || (w.sampler.z_filter == 2 && w.format->filterable);
      if (volume && z_linear) taps *= 2;
      taps *= f.level_count * f.aniso;
    }
    most = std::max(most, taps);
    if (w.operation.compare) {
      float ref = float_of(q.vaddr[w.operands.compare_row][lane]);
      // A normalized depth format holds 0..1 only; so is the reference.
      if (w.format->number == isa::image_number_format::unorm) ref = ref > 0 ? std::min(ref, 1.0f) : 0.0f;
      w.reference[lane] = ref;
    }
  }
  if (lod_query) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (!(q.exec >> lane & 1)) continue;
      float v[4] = {float(w.lane[lane].levels.lod / 256.0), float(w.lane[lane].levels.unclamped / 256.0), 0, 0};
      unsigned n = 0;
      for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) std::memcpy(&q.result[n++][lane], &v[k], 4);
      if (w.status_row) q.result[n][lane] = w.warned >> lane & 1 && q.inst->lwe ? texture_lod_warning : 0;
    }
    return;
  }

  c.plan.reset(most, w.format->bytes);
  w.set_pieces(most);
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(q.exec >> lane & 1)) continue;
    const lane_filter& f = w.lane[lane];
    position p = position_of(c, lane);
    tap_writer writer(c, lane);
    for (unsigned a = 0; a < f.aniso; ++a) {
      position at = p;
      if (f.aniso > 1) {
        double along = (a + 0.5) / f.aniso - 0.5;
        at.at[0] += f.step[0] * along;
        at.at[1] += f.step[1] * along;
      }
      for (unsigned l = 0; l < f.level_count; ++l) {
        double share = f.level_count == 1 ? 1 : l ? f.levels.weight / 256.0 : (256 - f.levels.weight) / 256.0;
        if (!writer.one_sample(at, f.levels.level[l], f.linear, share / f.aniso)) return;
      }
    }
    w.tap_count[lane] = uint8_t(writer.count());
  }
  c.state.action = image_action::fetch;
}

} // namespace lyra::texture
