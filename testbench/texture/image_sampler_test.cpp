// SPDX-License-Identifier: Apache-2.0
// The sampling pipeline against the plain double precision sampler, over random images, samplers and coordinates: within half a step of
// each 8-bit weight.
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include "texture/plain_sampler.h"
#include <random>

using namespace lyra;
using namespace lyra::test;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

namespace {

std::mt19937_64 random_bits(20);
unsigned pick(unsigned n) { return unsigned(random_bits() % n); }
double uniform(double a, double b) { return a + (b - a) * double(random_bits() >> 11) / 9007199254740992.0; }

/// A texel's components as the host bytes say, by formulas of its own.
struct sample_format { unsigned data, number, bytes, components; double range; };
const sample_format formats[] = {{df::f8_8_8_8, nf::unorm, 4, 4, 1}, {df::f8_8_8_8, nf::srgb, 4, 4, 1}, {df::f8_8_8_8, nf::snorm, 4, 4, 2}, {df::f16_16_16_16, nf::unorm, 8, 4, 1},
                                 {df::f16_16_16_16, nf::floating, 8, 4, 2}, {df::f32_32_32_32, nf::floating, 16, 4, 2}, {df::f32, nf::floating, 4, 1, 1}, {df::f16, nf::unorm, 2, 1, 1}};

void make_texel(const sample_format& f, uint8_t* p, colour& c) {
  c = {0, 0, 0, f.components < 4 ? 1.0 : 0.0}; // the T# puts 1 where there is no alpha
  for (unsigned k = 0; k < f.components; ++k) {
    if (f.data == df::f8_8_8_8) {
      p[k] = uint8_t(pick(256));
      if (f.number == nf::unorm || (f.number == nf::srgb && k == 3)) c[k] = p[k] / 255.0;
      else if (f.number == nf::snorm) c[k] = std::max(int8_t(p[k]) / 127.0, -1.0);
      else { double v = p[k] / 255.0; c[k] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
    } else if (f.number == nf::floating && (f.data == df::f32 || f.data == df::f32_32_32_32)) {
      float v = float(uniform(f.range > 1 ? -1 : 0, 1));
      std::memcpy(p + 4 * k, &v, 4);
      c[k] = v;
    } else if (f.number == nf::floating) {
      unsigned exponent = pick(15), mantissa = pick(1024), sign = pick(2); // up to 1 in magnitude
      uint16_t h = uint16_t(sign << 15 | exponent << 10 | mantissa);
      std::memcpy(p + 2 * k, &h, 2);
      c[k] = (sign ? -1 : 1) * (exponent ? std::ldexp(1024.0 + mantissa, int(exponent) - 25) : std::ldexp(double(mantissa), -24));
    } else {
      uint16_t h = uint16_t(pick(65536));
      std::memcpy(p + 2 * k, &h, 2);
      c[k] = h / 65535.0;
    }
  }
}

struct scene {
  isa::image_description d;
  sample_format f;
  plain_image plain;
  isa::image_resource resource;
  int beyond = 0; ///< slices outside of a cube array that coordinates name
};

void make_scene(scene& s, flat_memory& memory, bool depth_only, bool with_3d = true) {
  for (;;) {
    s = {};
    isa::image_description& d = s.d;
    static const isa::image_type types[] = {isa::image_type::dim_1d, isa::image_type::dim_2d, isa::image_type::dim_2d, isa::image_type::dim_3d, isa::image_type::cube, isa::image_type::array_1d, isa::image_type::array_2d};
    d.type = types[pick(7)];
    s.f = formats[depth_only ? 6 + pick(2) : pick(8)];
    d.data_format = s.f.data;
    d.number_format = s.f.number;
    d.width = 1 + pick(40);
    d.height = isa::is_1d(d.type) ? 1 : 1 + pick(40);
    if (d.type == isa::image_type::dim_3d) { if (!with_3d) continue; d.depth = 1 + pick(12); }
    if (d.type == isa::image_type::cube) { d.height = d.width; d.layers = 6 * (1 + pick(2)); }
    if (isa::is_array(d.type)) d.layers = 1 + pick(4);
    d.levels = 1 + pick(5);
    d.swizzle = isa::swizzle_mode(pick(3) ? 0 : pick(12));
    if (isa::image_description_error(d).empty()) break;
  }
  isa::image_layout layout(s.d);
  plain_image& p = s.plain;
  p.width = int(s.d.width); p.height = int(s.d.height); p.depth = int(s.d.depth); p.layers = int(s.d.layers); p.levels = int(s.d.levels);
  p.cube = s.d.type == isa::image_type::cube;
  p.volume = s.d.type == isa::image_type::dim_3d;
  std::vector<uint8_t> host(layout.host_bytes());
  uint8_t* at = host.data();
  for (int l = 0; l < p.levels; ++l) {
    size_t n = size_t(p.w(l)) * p.h(l) * (p.volume ? p.d(l) : p.layers);
    p.texels.emplace_back(n);
    for (colour& c : p.texels.back()) { make_texel(s.f, at, c); at += s.f.bytes; }
  }
  BOOST_REQUIRE(at == host.data() + host.size());
  BOOST_REQUIRE(layout.device_bytes() <= memory.size());
  layout.copy_in(host.data(), memory.at(flat_memory::base));
  s.resource = layout.resource(flat_memory::base);
  if (s.plain.cube && pick(2)) s.beyond = int(pick(7)) - 3;
}

void make_sampler(isa::image_sampler& s, plain_sampler& p, const scene& sc) {
  s = {};
  p = {};
  isa::clamp_mode* clamp[3] = {&s.clamp_x, &s.clamp_y, &s.clamp_z};
  for (unsigned k = 0; k < 3; ++k) { unsigned m = pick(8); *clamp[k] = isa::clamp_mode(m); p.wrap[k] = plain_wrap(m); }
  s.xy_mag = uint8_t(pick(2)); s.xy_min = uint8_t(pick(2)); s.mip_filter = uint8_t(pick(3));
  p.mag_linear = s.xy_mag; p.min_linear = s.xy_min; p.mip = s.mip_filter;
  s.min_lod = uint16_t(pick(3) ? 0 : pick(700));
  s.max_lod = uint16_t(s.min_lod + pick(1500));
  p.least_lod = s.min_lod / 256.0; p.most_lod = s.max_lod / 256.0;
  s.trunc_coord = !p.mag_linear && !p.min_linear && pick(2);
  s.border = isa::border_color(pick(3));
  double v = s.border == isa::border_color::opaque_white ? 1 : 0;
  p.border = {v, v, v, s.border == isa::border_color::transparent_black ? 0.0 : 1.0};
  for (unsigned k = sc.f.components; k < 4; ++k) p.border[k] = k == 3 ? 1 : 0; // dst_sel 1 and 0
  s.mode = isa::filter_mode(pick(4) ? 0 : pick(3));
  p.mode = plain_mode(int(s.mode));
  s.disable_cube_wrap = pick(2);
  p.seamless = !s.disable_cube_wrap;
  s.filter_prec_fix = s.compat_mode = true;
}

/// The most that rounding of weights to 1/256 can change.
double tolerance(const scene& s, bool trilinear) {
  unsigned axes = s.plain.volume ? 3 : 2;
  return s.f.range * (axes + (trilinear ? 1 : 0)) / 512.0 + 1e-5;
}

/// Writes body operands in the image's own order; returns rows used.
unsigned write_body(image_instruction& i, unsigned row, unsigned lane, const scene& s, plain_request& q) {
  unsigned axes = s.plain.volume ? 3 : isa::is_1d(s.d.type) ? 1 : 2;
  for (unsigned k = 0; k < axes; ++k) {
    float v = float(q.at[k] + (s.plain.cube ? 1 : 0)); // face coordinates are 1.0 .. 2.0
    i.address(row++, lane, v);
    q.at[k] = double(v) - (s.plain.cube ? 1 : 0);
  }
  if (s.plain.cube) {
    // Slices beyond either end are clamped, the face stays.
    int slice = q.layer / 6;
    if (slice == 0 && s.beyond < 0) slice += s.beyond;
    if (slice + 1 == int(s.plain.layers) / 6 && s.beyond > 0) slice += s.beyond;
    i.address(row++, lane, float(slice * 8 + q.face));
  }
  else if (isa::is_array(s.d.type)) i.address(row++, lane, float(q.layer + uniform(-0.45, 0.45)));
  return row;
}

void place(plain_request& q, const scene& s, const plain_sampler& p, bool inside) {
  for (unsigned k = 0; k < 3; ++k) q.at[k] = inside || s.plain.cube ? uniform(0, 1) : uniform(-2.5, 3.5);
  if (p.unnormalized) for (unsigned k = 0; k < 3; ++k) q.at[k] *= k == 0 ? s.plain.width : k == 1 ? s.plain.height : s.plain.depth;
  q.layer = s.plain.cube ? int(pick(unsigned(s.plain.layers / 6))) * 6 : isa::is_array(s.d.type) ? int(pick(unsigned(s.plain.layers))) : 0;
  q.face = s.plain.cube ? int(pick(6)) : 0;
}

void check(const colour& want, image_instruction& i, unsigned lane, double tol, const scene& s, const plain_request& q) {
  for (unsigned k = 0; k < 4; ++k)
    if (!(std::fabs(want[k] - i.value(k, lane)) <= tol))
      BOOST_FAIL("type " << unsigned(s.d.type) << " " << s.d.width << "x" << s.d.height << "x" << s.d.depth << " layers " << s.d.layers << " levels " << s.d.levels << " at " << q.at[0] << "," << q.at[1] << ","
                         << q.at[2] << " layer " << q.layer << " face " << q.face << " lod " << q.lod << " sampler " << std::hex << i.request().sampler[0] << " " << i.request().sampler[1] << " " << i.request().sampler[2] << std::dec << " " << i.fields().info->name << " lane " << lane << " component " << k << ": got " << i.value(k, lane) << ", not " << want[k]);
}

} // namespace

BOOST_AUTO_TEST_CASE(given_levels_all_clamp_modes_filters_and_borders_agree_with_the_plain_sampler) {
  flat_memory memory(32 << 20);
  unsigned checked = 0;
  for (unsigned t = 0; t < 1200; ++t) {
    scene s;
    isa::image_sampler sampler;
    plain_sampler plain;
    make_scene(s, memory, false);
    make_sampler(sampler, plain, s);
    bool lz = pick(4) == 0, offsets = pick(3) == 0;
    if (!s.plain.cube && pick(6) == 0) plain.unnormalized = sampler.force_unnormalized = true;
    image_instruction i((lz ? mimg::sample_lz : mimg::sample_l) + (offsets ? 16 : 0));
    i.fields().da = s.plain.cube || isa::is_array(s.d.type);
    i.resource(s.resource);
    i.sampler(sampler);
    std::vector<plain_request> q(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned row = 0;
      place(q[lane], s, plain, false);
      if (offsets) {
        uint32_t v = uint32_t(random_bits());
        for (unsigned k = 0; k < 3; ++k) q[lane].offset[k] = int(v << (26 - 8 * k)) >> 26;
        i.address(row++, lane, v);
        if (s.plain.cube) { // offsets and cubes do not go together
          for (int& o : q[lane].offset) o = 0;
          i.address(0, lane, 0u);
        }
      }
      row = write_body(i, row, lane, s, q[lane]);
      float lod = lz ? 0.0f : float(uniform(-2, 7));
      q[lane].lod = lod;
      if (!lz) i.address(row, lane, lod);
    }
    BOOST_REQUIRE(i.run(memory) == texture::image_action::fetch || i.state.action == texture::image_action::done);
    plain_machine m(s.plain, plain);
    for (unsigned lane = 0; lane < 64; ++lane) {
      colour want;
      if (isa::is_1d(s.d.type)) m.set_two_axes(false);
      if (!m.sample(q[lane], want)) continue;
      ++checked;
      check(want, i, lane, plain.mode == plain_mode::blend ? tolerance(s, plain.mip == 2) : 1e-6, s, q[lane]);
    }
  }
  BOOST_TEST(checked > 50000u);
}

// What gather4 returns, weighted as a linear filter would, is what the linear filter returns: edges and corners of cubes have the same texels for both.
BOOST_AUTO_TEST_CASE(gathered_texels_of_cubes_add_up_to_the_linear_filter_also_at_edges_and_corners) {
  flat_memory memory(32 << 20);
  unsigned corners = 0;
  for (unsigned t = 0; t < 200; ++t) {
    scene s;
    do make_scene(s, memory, false); while (!s.plain.cube);
    isa::image_sampler sampler;
    plain_sampler plain;
    sampler.xy_mag = sampler.xy_min = 1;
    plain.mag_linear = plain.min_linear = true;
    image_instruction i(mimg::gather4_lz);
    const unsigned component = pick(4);
    i.fields().da = true;
    i.fields().dmask = uint8_t(1u << component);
    i.resource(s.resource);
    i.sampler(sampler);
    std::vector<plain_request> q(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      place(q[lane], s, plain, true);
      if (pick(2)) for (unsigned k = 0; k < 2; ++k) { q[lane].at[k] = uniform(0, 0.4) / s.plain.width; if (pick(2)) q[lane].at[k] = 1 - q[lane].at[k]; }
      write_body(i, 0, lane, s, q[lane]);
    }
    i.run(memory);
    plain_machine m(s.plain, plain);
    for (unsigned lane = 0; lane < 64; ++lane) {
      double fraction[2];
      bool outside[2];
      for (unsigned k = 0; k < 2; ++k) {
        double low = q[lane].at[k] * s.plain.width - 0.5;
        fraction[k] = low - std::floor(low);
        outside[k] = low < 0 || low > s.plain.width - 1;
      }
      if (fraction[0] < 0.01 || fraction[0] > 0.99 || fraction[1] < 0.01 || fraction[1] > 0.99) continue;
      corners += outside[0] && outside[1];
      colour want;
      m.sample(q[lane], want);
      double got = (1 - fraction[0]) * fraction[1] * i.value(0, lane) + fraction[0] * fraction[1] * i.value(1, lane) + fraction[0] * (1 - fraction[1]) * i.value(2, lane) +
                   (1 - fraction[0]) * (1 - fraction[1]) * i.value(3, lane);
      BOOST_TEST(std::fabs(got - want[component]) <= 1e-5);
    }
  }
  BOOST_TEST(corners > 1000u);
}

BOOST_AUTO_TEST_CASE(depth_compares_come_before_the_filter) {
  flat_memory memory(32 << 20);
  unsigned checked = 0;
  for (unsigned t = 0; t < 400; ++t) {
    scene s;
    isa::image_sampler sampler;
    plain_sampler plain;
    make_scene(s, memory, true);
    make_sampler(sampler, plain, s);
    sampler.mode = isa::filter_mode::blend;
    plain.mode = plain_mode::blend;
    plain.compare = int(pick(8));
    sampler.compare = isa::compare_function(plain.compare);
    image_instruction i(mimg::sample_c + 4); // sample_c_l
    i.fields().da = s.plain.cube || isa::is_array(s.d.type);
    i.fields().dmask = 1;
    i.resource(s.resource);
    i.sampler(sampler);
    std::vector<plain_request> q(64);
    std::vector<float> reference(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      place(q[lane], s, plain, false);
      reference[lane] = pick(4) ? float(uniform(-0.2, 1.2)) : float(s.plain.texels[0][pick(unsigned(s.plain.texels[0].size()))][0]);
      i.address(0, lane, reference[lane]);
      unsigned row = write_body(i, 1, lane, s, q[lane]);
      float lod = float(uniform(-1, 5));
      q[lane].lod = lod;
      i.address(row, lane, lod);
    }
    i.run(memory);
    for (unsigned lane = 0; lane < 64; ++lane) {
      plain.reference = reference[lane];
      if (s.f.number == nf::unorm) plain.reference = std::min(std::max(plain.reference, 0.0), 1.0); // a normalized depth's reference is clamped
      for (auto& l : s.plain.texels) for (colour& c : l) c[0] = double(float(c[0])); // the machine compares floats
      plain.reference = double(float(plain.reference));
      plain_machine m(s.plain, plain);
      if (isa::is_1d(s.d.type)) m.set_two_axes(false);
      colour want;
      if (!m.sample(q[lane], want)) continue;
      ++checked;
      double tol = ((s.plain.volume ? 3 : 2) + (plain.mip == 2 ? 1 : 0)) / 512.0 + 1e-5;
      if (std::fabs(want[0] - i.value(0, lane)) > tol)
        BOOST_FAIL("compare " << plain.compare << " type " << unsigned(s.d.type) << ": got " << i.value(0, lane) << ", not " << want[0]);
    }
  }
  BOOST_TEST(checked > 15000u);
}

BOOST_AUTO_TEST_CASE(levels_from_derivatives_given_or_of_the_quad_with_bias_and_clamp) {
  flat_memory memory(32 << 20);
  unsigned checked = 0;
  for (unsigned t = 0; t < 600; ++t) {
    scene s;
    isa::image_sampler sampler;
    plain_sampler plain;
    make_scene(s, memory, false);
    make_sampler(sampler, plain, s);
    unsigned axes = s.plain.volume ? 3 : isa::is_1d(s.d.type) ? 1 : 2;
    // 0 sample, 1 _cl, 2 _d, 3 _d_cl, 5 _b, 6 _b_cl
    static const unsigned kinds[6] = {0, 1, 2, 3, 5, 6};
    unsigned kind = kinds[pick(6)];
    bool given = kind == 2 || kind == 3, bias = kind >= 5, clamp = kind == 1 || kind == 3 || kind == 6;
    bool coarse = given && pick(2);
    image_instruction i(coarse ? mimg::sample_cd + (clamp ? 1 : 0) : mimg::sample + kind);
    i.fields().da = s.plain.cube || isa::is_array(s.d.type);
    sampler.lod_bias = int16_t(int(pick(1024)) - 512);
    i.resource(s.resource);
    i.sampler(sampler);
    std::vector<plain_request> q(64);
    std::vector<double> least(64, -1e9);
    const double extent[3] = {double(s.plain.width), double(s.plain.height), double(s.plain.depth)};
    for (unsigned quad = 0; quad < 16; ++quad) {
      // In a quad all lanes lie on one plane of coordinates, so that its differences are the derivatives.
      plain_request base;
      place(base, s, plain, true);
      double scale = std::exp2(uniform(-8, 0)), d[2][3];
      for (auto& row : d) for (double& v : row) v = uniform(-scale, scale);
      for (unsigned k = 0; k < 4; ++k) {
        unsigned lane = quad * 4 + k, row = 0;
        q[lane] = base;
        double given_bias = 0;
        for (unsigned a = 0; a < axes; ++a) q[lane].at[a] = float(base.at[a] + (k & 1) * d[0][a] + (k >> 1) * d[1][a]);
        if (bias) { float b = float(uniform(-2, 2)); given_bias = b; i.address(row++, lane, b); }
        if (given) for (unsigned dir = 0; dir < 2; ++dir) for (unsigned a = 0; a < axes; ++a) { d[dir][a] = float(d[dir][a]); i.address(row++, lane, float(d[dir][a])); }
        row = write_body(i, row, lane, s, q[lane]);
        if (clamp) { float c = float(uniform(0, 4)); least[lane] = c; i.address(row, lane, c); }
        q[lane].lod = given_bias;
      }
      // Implicit derivatives as the lanes' float coordinates really differ.
      for (unsigned k = 0; k < 4; ++k) {
        unsigned lane = quad * 4 + k;
        double longest = 0;
        for (unsigned dir = 0; dir < 2; ++dir) {
          double sum = 0;
          for (unsigned a = 0; a < axes; ++a) {
            double v = given ? d[dir][a] : q[quad * 4 + (dir ? 2 : 1)].at[a] - q[quad * 4].at[a];
            sum += v * extent[a] * v * extent[a];
          }
          longest = std::max(longest, std::sqrt(sum));
        }
        q[lane].lod += std::log2(longest) + sampler.lod_bias / 256.0;
      }
    }
    i.run(memory);
    plain_machine m(s.plain, plain);
    if (isa::is_1d(s.d.type)) m.set_two_axes(false);
    for (unsigned lane = 0; lane < 64; ++lane) {
      plain_sampler lane_sampler = plain;
      lane_sampler.least_lod = std::max(plain.least_lod, least[lane]);
      lane_sampler.most_lod = std::max(plain.most_lod, least[lane]);
      plain_machine own(s.plain, lane_sampler);
      if (isa::is_1d(s.d.type)) own.set_two_axes(false);
      colour want;
      if (!own.sample(q[lane], want)) continue;
      ++checked;
      // computed levels, bias and clamp each round to 1/256 of a level
      double tol = plain.mode == plain_mode::blend ? tolerance(s, plain.mip == 2) + (plain.mip == 2 ? s.f.range * 2 / 512.0 : 0) : 1e-6;
      check(want, i, lane, tol, s, q[lane]);
    }
  }
  BOOST_TEST(checked > 20000u);
}

BOOST_AUTO_TEST_CASE(anisotropic_filters_average_samples_along_the_long_axis) {
  flat_memory memory(32 << 20);
  unsigned checked = 0, most = 0;
  for (unsigned t = 0; t < 500; ++t) {
    scene s;
    isa::image_sampler sampler;
    plain_sampler plain;
    make_scene(s, memory, false, false);
    if (s.d.type != isa::image_type::dim_2d && s.d.type != isa::image_type::array_2d) continue;
    make_sampler(sampler, plain, s);
    sampler.mode = isa::filter_mode::blend;
    plain.mode = plain_mode::blend;
    sampler.min_lod = 0; plain.least_lod = 0;
    sampler.max_lod = 0xfff; plain.most_lod = 15;
    sampler.xy_mag = sampler.xy_min = 3;
    plain.mag_linear = plain.min_linear = true;
    sampler.mip_filter = 2; plain.mip = 2;
    sampler.trunc_coord = false;
    sampler.max_aniso_ratio = uint8_t(1 + pick(4));
    image_instruction i(mimg::sample_d);
    i.fields().da = isa::is_array(s.d.type);
    i.resource(s.resource);
    i.sampler(sampler);
    std::vector<plain_request> q(64);
    struct { double d[2][2]; } of[64];
    for (unsigned lane = 0; lane < 64; ++lane) {
      place(q[lane], s, plain, true);
      unsigned row = 0;
      double scale = std::exp2(uniform(-6, 1.5)), narrow = std::exp2(uniform(-5, 0)), angle = uniform(0, 6.28);
      of[lane].d[0][0] = float(scale * std::cos(angle) / s.plain.width * 8); of[lane].d[0][1] = float(scale * std::sin(angle) / s.plain.height * 8);
      of[lane].d[1][0] = float(-scale * narrow * std::sin(angle) / s.plain.width * 8); of[lane].d[1][1] = float(scale * narrow * std::cos(angle) / s.plain.height * 8);
      if (pick(2)) std::swap(of[lane].d[0], of[lane].d[1]);
      for (auto& dir : of[lane].d) for (double v : dir) i.address(row++, lane, float(v));
      write_body(i, row, lane, s, q[lane]);
    }
    i.run(memory);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto& d = of[lane].d;
      double length[2];
      for (unsigned k = 0; k < 2; ++k) length[k] = std::hypot(d[k][0] * s.plain.width, d[k][1] * s.plain.height);
      unsigned major = length[1] > length[0];
      double ratio = std::min({length[major] / length[1 - major], double(1 << sampler.max_aniso_ratio), length[major]});
      if (std::fabs(length[0] - length[1]) < 1e-3 * length[0]) continue;
      double lod = std::log2(length[major]);
      unsigned n = 1;
      if (length[major] > 1 && ratio > 1) {
        double steps = std::ceil(ratio);
        if (steps - ratio > 0.99 || steps - ratio < 1e-3) continue; // on the edge between two counts
        n = steps <= 1 ? 1 : unsigned(steps) + (unsigned(steps) & 1);
        lod = std::log2(length[major] / ratio);
      }
      most = std::max(most, n);
      plain_machine m(s.plain, plain);
      m.begin();
      double held = std::min(std::max(lod, 0.0), double(s.plain.levels - 1));
      for (unsigned k = 0; k < n; ++k) {
        plain_request at = q[lane];
        for (unsigned a = 0; a < 2; ++a) at.at[a] += n > 1 ? d[major][a] * ((k + 0.5) / n - 0.5) : 0;
        m.level(at, int(held), true, (1 - (held - int(held))) / n);
        if (held > int(held)) m.level(at, int(held) + 1, true, (held - int(held)) / n);
      }
      colour want;
      m.finish(want);
      ++checked;
      q[lane].lod = lod;
      BOOST_TEST_CONTEXT(n << " samples along " << major << " of length " << length[major] << " against " << length[1 - major]) { check(want, i, lane, tolerance(s, true), s, q[lane]); }
    }
  }
  BOOST_TEST(checked > 3000u);
  BOOST_TEST(most == 16u);
}
