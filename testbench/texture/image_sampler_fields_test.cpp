// SPDX-License-Identifier: Apache-2.0
// S# and T# fields that few programs set: border colour tables, the least level, coordinate truncation, motion compensation, the secondary bias.
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include "isa/image_operation.h"
#include <cmath>

using namespace lyra;
using namespace lyra::test;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

BOOST_AUTO_TEST_CASE(border_colours_from_a_table_go_through_the_border_swizzle) {
  flat_memory m(1 << 16);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::unorm, 4, 4), std::vector<uint8_t>(64));
  float table[8] = {0, 0, 0, 0, 0.125f, 0.25f, 0.5f, 0.75f};
  std::memcpy(m.at(flat_memory::base + 0x8000), table, sizeof table);
  static const char* const order[6] = {"xyzw", "xwyz", "wzyx", "wxyz", "zyxw", "yxwz"};
  for (unsigned b = 0; b < 6; ++b) {
    isa::image_sampler s;
    s.clamp_x = isa::clamp_mode::clamp_border;
    s.border = isa::border_color::table;
    s.border_color_pointer = 1;
    l.resource.border_swizzle = uint8_t(b);
    image_instruction i(mimg::sample_lz);
    i.parameters.border_color_base = flat_memory::base + 0x8000;
    i.resource(l.resource);
    i.sampler(s);
    i.address(0, 0, -1.0f);
    i.run(m);
    for (unsigned k = 0; k < 4; ++k) BOOST_TEST(i.value(k, 0) == table[4 + std::string("xyzw").find(order[b][k])]);
  }
}

BOOST_AUTO_TEST_CASE(the_resources_least_level_holds_samples_and_hides_levels_from_loads) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f32, nf::floating, 4, 4);
  d.levels = 3;
  std::vector<uint32_t> v;
  for (unsigned k = 0; k < 21; ++k) v.push_back(float_bits(k < 16 ? 1.0f : k < 20 ? 2.0f : 4.0f));
  loaded l = load_image(m, d, words(v));
  l.resource.min_lod = 256 + 64; // 1.25
  isa::image_sampler s;
  s.mip_filter = 2;
  s.max_lod = 0xfff;
  image_instruction i(mimg::sample_lz);
  i.fields().dmask = 1;
  i.resource(l.resource);
  i.sampler(s);
  i.run(m);
  BOOST_TEST(i.value(0, 0) == 2.5f); // a quarter of the way from level 1 to 2
  image_instruction ld(mimg::load_mip);
  ld.fields().dmask = 1;
  ld.resource(l.resource);
  ld.address(2, 1, 1u); ld.address(2, 2, 2u);
  ld.run(m);
  BOOST_TEST(ld.value(0, 0) == 0.0f);
  BOOST_TEST(ld.value(0, 1) == 2.0f);
  BOOST_TEST(ld.value(0, 2) == 4.0f);
}

BOOST_AUTO_TEST_CASE(truncated_coordinates_round_down_where_others_go_to_the_nearest_step) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f32, nf::floating, 4, 1);
  std::vector<uint32_t> v;
  for (unsigned k = 0; k < 4; ++k) v.push_back(float_bits(float(k)));
  loaded l = load_image(m, d, words(v));
  for (bool truncate : {false, true})
    for (bool linear : {false, true}) {
      isa::image_sampler s;
      s.trunc_coord = truncate;
      s.xy_mag = s.xy_min = linear;
      s.max_lod = 0xfff;
      image_instruction i(mimg::sample_lz);
      i.fields().dmask = 1;
      i.resource(l.resource);
      i.sampler(s);
      // three quarters of a step below texel edge 2 (and below its step for the linear filter)
      i.address(0, 0, (2 - 0.25f / 256) / 4); i.address(1, 0, 0.5f);
      i.run(m);
      float want = linear ? 1.5f : truncate ? 1.0f : 2.0f; // point samples alone truncate
      BOOST_TEST(i.value(0, 0) == want);
      // point samples round to 1/64 texel: just above and below half of that before the edge
      for (float back : {0.49f / 64, 0.51f / 64}) {
        i.address(0, 0, (2 - back) / 4);
        i.run(m);
        if (!linear) BOOST_TEST(i.value(0, 0) == (truncate || back > 0.5f / 64 ? 1.0f : 2.0f));
      }
    }
  // gather4 truncates too: its four texels are those of the step below
  isa::image_sampler s;
  for (bool truncate : {false, true}) {
    s.trunc_coord = truncate;
    image_instruction g(mimg::gather4_lz);
    g.fields().dmask = 1;
    g.resource(l.resource);
    g.sampler(s);
    g.address(0, 0, (1.5f - 0.25f / 256) / 4); g.address(1, 0, 0.5f);
    g.run(m);
    BOOST_TEST(g.value(3, 0) == (truncate ? 0.0f : 1.0f));
  }
}

BOOST_AUTO_TEST_CASE(motion_compensation_keeps_whole_and_half_texels) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f32, nf::floating, 4, 1);
  loaded l = load_image(m, d, words({float_bits(0), float_bits(8), float_bits(16), float_bits(24)}));
  isa::image_sampler s;
  s.xy_mag = s.xy_min = 1;
  s.mc_coord_trunc = true;
  image_instruction i(mimg::sample_lz);
  i.fields().dmask = 1;
  i.resource(l.resource);
  i.sampler(s);
  const float at[4] = {1.5f, 1.9f, 2.0f, 2.4f}, want[4] = {8, 8, 12, 12};
  for (unsigned k = 0; k < 4; ++k) { i.address(0, k, at[k] / 4); i.address(1, k, 0.5f); }
  i.run(m);
  for (unsigned k = 0; k < 4; ++k) BOOST_TEST(i.value(0, k) == want[k]);
}

BOOST_AUTO_TEST_CASE(the_secondary_bias_is_scaled_by_the_resource) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f32, nf::floating, 8, 8);
  d.levels = 4;
  loaded l = load_image(m, d, std::vector<uint8_t>(4 * 85));
  isa::image_sampler s;
  s.mip_filter = 2;
  s.max_lod = 0xfff;
  s.lod_bias = 256;
  for (int sec : {-8, 0, 7})
    for (unsigned mod : {0u, 2u, 4u, 7u}) {
      s.lod_bias_sec = int8_t(sec);
      l.resource.perf_mod = uint8_t(mod);
      image_instruction i(mimg::get_lod);
      i.fields().dmask = 1;
      i.resource(l.resource);
      i.sampler(s);
      for (unsigned lane = 0; lane < 64; ++lane) { i.address(0, lane, float(lane & 1) / 8); i.address(1, lane, float(lane >> 1 & 1) / 8); } // a texel a lane
      i.run(m);
      BOOST_TEST(i.value(0, 0) == std::max(1.0f + float(sec) / 16 * float(mod) / 4, 0.0f));
    }
}
