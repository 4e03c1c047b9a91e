// SPDX-License-Identifier: Apache-2.0
// Levels of detail, anisotropic steps and cube edges as plain functions, against values worked out by hand.
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include "texture/sampler_coordinates.h"
#include "texture/sampler_lod.h"
#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <map>

using namespace lyra;
using namespace lyra::texture;

namespace {

isa::image_resource levels(unsigned base, unsigned last) {
  isa::image_resource r;
  r.type = isa::image_type::dim_2d;
  r.base_level = uint8_t(base);
  r.last_level = uint8_t(last);
  return r;
}
isa::image_sampler sampler(unsigned mip, unsigned least = 0, unsigned most = 0xfff) {
  isa::image_sampler s;
  s.mip_filter = uint8_t(mip);
  s.min_lod = uint16_t(least);
  s.max_lod = uint16_t(most);
  return s;
}
constexpr int level(double v) { return int(v * 256); }

} // namespace

BOOST_AUTO_TEST_CASE(a_level_is_the_logarithm_of_the_longer_axis_in_256_steps) {
  footprint f;
  f.h[0] = 8;
  BOOST_TEST(lod_of_footprint(f) == level(3));
  f.v[0] = 3; f.v[1] = 4; f.v[2] = 12; // 13 long
  BOOST_TEST(lod_of_footprint(f) == int(std::nearbyint(std::log2(13.0) * 256)));
  BOOST_TEST(lod_of_footprint(footprint{}) == -64 * 256);
  BOOST_TEST(fixed_lod(1.001953125f) == 256); // half a step: to even
  BOOST_TEST(fixed_lod(NAN) == 0);
  BOOST_TEST(fixed_lod(std::numeric_limits<float>::infinity()) == 64 * 256);
}

BOOST_AUTO_TEST_CASE(clamps_apply_in_the_order_sampler_lane_resource_view) {
  isa::image_resource r = levels(1, 4);
  level_choice c = choose_levels(level(2.25), INT_MIN, r, sampler(2));
  BOOST_TEST(c.level[0] == 3u); BOOST_TEST(c.level[1] == 4u); BOOST_TEST(c.weight == 64u); BOOST_TEST(!c.magnified);
  c = choose_levels(level(9), INT_MIN, r, sampler(2));
  BOOST_TEST(c.level[0] == 4u); BOOST_TEST(c.weight == 0u);
  c = choose_levels(level(9), INT_MIN, r, sampler(2, 0, level(1.5)));
  BOOST_TEST(c.level[0] == 2u); BOOST_TEST(c.weight == 128u);
  c = choose_levels(level(0.5), level(2), r, sampler(2, 0, level(1.5))); // the lane's least level is above the sampler's greatest
  BOOST_TEST(c.level[0] == 3u); BOOST_TEST(c.weight == 0u);
  r.min_lod = uint16_t(level(3.5)); // counted from level 0: 2.5 in the view
  c = choose_levels(level(-1), INT_MIN, r, sampler(2));
  BOOST_TEST(c.level[0] == 3u); BOOST_TEST(c.weight == 128u); BOOST_TEST(!c.magnified); BOOST_TEST(c.unclamped == level(-1));
  r.min_lod = 0;
  c = choose_levels(0, INT_MIN, r, sampler(2));
  BOOST_TEST(c.magnified);
  BOOST_TEST(!choose_levels(1, INT_MIN, r, sampler(2)).magnified);
  c = choose_levels(level(2.9), INT_MIN, r, sampler(0)); // no mip filter
  BOOST_TEST(c.level[0] == 1u); BOOST_TEST(c.weight == 0u); BOOST_TEST(!c.magnified);
}

BOOST_AUTO_TEST_CASE(a_point_mip_filter_rounds_and_can_round_before_the_clamps) {
  isa::image_resource r = levels(0, 4);
  isa::image_sampler s = sampler(1, 0, level(1.25));
  BOOST_TEST(choose_levels(level(0.49), INT_MIN, r, s).level[0] == 0u);
  BOOST_TEST(choose_levels(level(0.5), INT_MIN, r, s).level[0] == 1u);
  BOOST_TEST(choose_levels(level(3), INT_MIN, r, s).level[0] == 1u); // 1.25 rounds to 1
  s.max_lod = uint16_t(level(1.75));
  BOOST_TEST(choose_levels(level(3), INT_MIN, r, s).level[0] == 2u);
  s.mip_point_preclamp = true; // 3.5 is held at 1.75 and cut
  BOOST_TEST(choose_levels(level(3), INT_MIN, r, s).level[0] == 1u);
  BOOST_TEST(choose_levels(level(0.5), INT_MIN, r, s).level[0] == 1u);
  BOOST_TEST(choose_levels(level(-0.25), INT_MIN, r, s).magnified);
}

BOOST_AUTO_TEST_CASE(anisotropic_sample_counts_are_1_2_4_6_to_16) {
  std::map<unsigned, bool> seen;
  for (double ratio = 1; ratio < 20; ratio += 0.125) {
    footprint f;
    f.v[1] = 32;
    f.h[0] = 32 / ratio;
    anisotropy a = anisotropy_of_footprint(f, 4);
    unsigned up = unsigned(std::ceil(std::min(ratio, 16.0)));
    BOOST_TEST(a.samples == (up <= 1 ? 1 : up + (up & 1)));
    seen[a.samples] = true;
    BOOST_TEST(a.along_v == (ratio > 1));
    BOOST_TEST(a.lod == int(std::nearbyint(std::log2(32 / std::min(ratio, 16.0)) * 256)));
  }
  BOOST_TEST(seen.size() == 9u); // 1 2 4 6 8 10 12 14 16
  footprint small;
  small.h[0] = 0.5;
  BOOST_TEST(anisotropy_of_footprint(small, 4).samples == 1u); // magnified
  footprint line; // no width at all
  line.h[0] = 5;
  BOOST_TEST(anisotropy_of_footprint(line, 4).samples == 6u); // no more than its length
  BOOST_TEST(anisotropy_of_footprint(line, 4).lod == 0);
}

BOOST_AUTO_TEST_CASE(cube_edges_join_each_face_to_its_four_neighbours_both_ways) {
  const int n = 8;
  std::map<std::array<int, 3>, int> reached;
  for (unsigned face = 0; face < 6; ++face)
    for (unsigned edge = 0; edge < 4; ++edge)
      for (int k = 0; k < n; ++k) {
        int x = edge == 0 ? -1 : edge == 1 ? n : k, y = edge == 2 ? -1 : edge == 3 ? n : k;
        unsigned f = face;
        cross_cube_edge(f, x, y, n);
        BOOST_REQUIRE(f != face);
        BOOST_REQUIRE((f ^ face) != 1); // not the opposite one
        BOOST_REQUIRE(x >= 0 && x < n && y >= 0 && y < n);
        BOOST_REQUIRE(x == 0 || x == n - 1 || y == 0 || y == n - 1);
        ++reached[{int(f), x, y}];
        // One step back over some edge of the new face leads home to the inner neighbour.
        bool home = false;
        int hx = edge == 0 ? 0 : edge == 1 ? n - 1 : k, hy = edge == 2 ? 0 : edge == 3 ? n - 1 : k;
        for (unsigned back = 0; back < 4; ++back) {
          int bx = back == 0 ? x - 1 : back == 1 ? x + 1 : x, by = back == 2 ? y - 1 : back == 3 ? y + 1 : y;
          if (bx >= 0 && bx < n && by >= 0 && by < n) continue;
          unsigned g = f;
          cross_cube_edge(g, bx, by, n);
          home |= g == face && bx == hx && by == hy;
        }
        BOOST_REQUIRE(home);
      }
  // Every edge texel is reached once, every corner texel from two sides.
  BOOST_TEST(reached.size() == 6u * (4 * n - 4));
  // +Z (4): right of it lies +X (0), above it +Y (2).
  unsigned f = 4;
  int x = n, y = 3;
  cross_cube_edge(f, x, y, n);
  BOOST_TEST(f == 0u); BOOST_TEST(x == 0); BOOST_TEST(y == 3);
  f = 4; x = 2; y = -1;
  cross_cube_edge(f, x, y, n);
  BOOST_TEST(f == 2u); BOOST_TEST(x == 2); BOOST_TEST(y == n - 1);
}

BOOST_AUTO_TEST_CASE(coordinates_that_are_no_numbers_or_too_large_are_held) {
  BOOST_TEST(fixed_coordinate(NAN, coordinate_rounding::step) == 0);
  BOOST_TEST(fixed_coordinate(1e300, coordinate_rounding::step) == int64_t(1) << 38);
  BOOST_TEST(fixed_coordinate(-INFINITY, coordinate_rounding::down) == -(int64_t(1) << 38));
  BOOST_TEST(fixed_coordinate(-0.001, coordinate_rounding::down) == -1);
  BOOST_TEST(fixed_coordinate(-0.001, coordinate_rounding::step) == 0);
  BOOST_TEST(fixed_coordinate(-0.007, coordinate_rounding::point) == 0);
  BOOST_TEST(fixed_coordinate(-0.009, coordinate_rounding::point) == -4);
  BOOST_TEST(fixed_coordinate(5.5, coordinate_rounding::point) == 5 * 256 + 128);
  BOOST_TEST(wrap_texel((int64_t(1) << 30) + 5, 7, isa::clamp_mode::wrap) == int(((int64_t(1) << 30) + 5) % 7));
  BOOST_TEST(wrap_texel(-(int64_t(1) << 30), 7, isa::clamp_mode::mirror) >= 0);
}

BOOST_AUTO_TEST_CASE(a_state_is_reused_for_other_images_and_after_faults) {
  test::flat_memory m(1 << 16);
  float one = 1, two = 2;
  std::memcpy(m.at(test::flat_memory::base), &one, 4);
  std::memcpy(m.at(test::flat_memory::base + 4096), &two, 4);
  isa::image_description d;
  d.data_format = isa::image_data_format::f32;
  d.number_format = isa::image_number_format::floating;
  isa::image_layout l(d);
  test::image_instruction i(test::mimg::load);
  i.fields().dmask = 1;
  isa::image_resource bad = l.resource(test::flat_memory::base);
  bad.compression_enable = true;
  for (unsigned round = 0; round < 3; ++round) {
    i.resource(l.resource(test::flat_memory::base));
    i.run(m);
    BOOST_TEST(i.value(0, 0) == 1.0f);
    i.resource(bad);
    BOOST_TEST((i.run(m) == image_action::fault));
    i.request().fault = fabric::fault_kind::none;
    i.resource(l.resource(test::flat_memory::base + 4096));
    i.run(m);
    BOOST_TEST(i.value(0, 0) == 2.0f);
    BOOST_TEST(i.state.error == "");
  }
}
