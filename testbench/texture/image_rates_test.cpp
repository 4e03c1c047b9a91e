// SPDX-License-Identifier: Apache-2.0
// What image instructions cost by the parameters, and that block formats fetch blocks.
#include "support/systemc_test.h"
#include "texture/image_harness.h"

using namespace lyra;
using namespace lyra::test;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

BOOST_AUTO_TEST_CASE(loads_cost_a_cycle_a_quad_and_more_where_wide_texels_lie_apart) {
  flat_memory m(8 << 20);
  struct row { unsigned data; unsigned scattered, linear, uniform; }; // cycles a wave
  for (const row& r : {row{df::f32, 16, 16, 16}, row{df::f8_8_8_8, 16, 16, 16}, row{df::f32_32, 32, 16, 16}, row{df::f16_16_16_16, 32, 16, 16}, row{df::f32_32_32_32, 32, 24, 16}}) {
    isa::image_description d = description(isa::image_type::dim_2d, r.data, nf::uint, 64, 64);
    loaded l = load_image(m, d, std::vector<uint8_t>(isa::image_layout(d).host_bytes()));
    for (unsigned pattern = 0; pattern < 3; ++pattern) {
      image_instruction i(mimg::load);
      i.resource(l.resource);
      for (unsigned lane = 0; lane < 64; ++lane) {
        i.address(0, lane, pattern == 1 ? lane : pattern == 0 ? lane * 37 % 64 : 5u);
        i.address(1, lane, pattern == 0 ? lane : 0u);
      }
      i.run(m);
      const texture::image_cost& c = i.state.cost;
      BOOST_TEST(c.address_cycles == 16u);
      BOOST_TEST(c.texel_cycles == (pattern == 0 ? r.scattered : pattern == 1 ? r.linear : r.uniform));
      BOOST_TEST(c.quads == 16u);
      BOOST_TEST(c.texels == 64u);
      i.request().exec = 0x10f; // two quads
      i.fields().dmask = 1;
      i.run(m);
      BOOST_TEST(i.state.cost.address_cycles == 2u);
      BOOST_TEST(i.state.cost.texels == 5u);
    }
  }
}

// whatever the layout: a quad anywhere in the image, as four in a row, two by two, four in a column, and texels that leave room for more than four
BOOST_AUTO_TEST_CASE(texels_lie_together_in_the_image_not_in_memory) {
  flat_memory m(8 << 20);
  struct shape { unsigned x[4], y[4]; bool together; };
  const shape shapes[] = {{{0, 1, 2, 3}, {0, 0, 0, 0}, true}, {{0, 1, 0, 1}, {0, 0, 1, 1}, true}, {{0, 0, 0, 0}, {0, 1, 2, 3}, true}, {{3, 1, 2, 0}, {0, 0, 0, 0}, true},
                          {{0, 0, 4, 0}, {0, 0, 0, 0}, false}, {{0, 1, 2, 0}, {0, 0, 0, 1}, false}, {{0, 4, 0, 4}, {0, 4, 0, 4}, false}};
  for (isa::swizzle_mode mode : {isa::swizzle_mode::linear, isa::swizzle_mode::s_64kb, isa::swizzle_mode::d_64kb})
    for (const auto& [data, together, apart] : {std::tuple{df::f32, 16u, 16u}, {df::f32_32, 16u, 32u}, {df::f32_32_32_32, 24u, 32u}}) {
      isa::image_description d = description(isa::image_type::dim_2d, data, nf::uint, 64, 64);
      d.swizzle = mode;
      loaded l = load_image(m, d, std::vector<uint8_t>(isa::image_layout(d).host_bytes()));
      for (const shape& s : shapes)
        for (unsigned offset : {0u, 1u, 6u, 31u}) {
          image_instruction i(mimg::load);
          i.resource(l.resource);
          for (unsigned lane = 0; lane < 64; ++lane) { i.address(0, lane, s.x[lane % 4] + offset); i.address(1, lane, s.y[lane % 4] + offset); }
          i.run(m);
          BOOST_TEST(i.state.cost.texel_cycles == (s.together ? together : apart));
        }
    }
}

BOOST_AUTO_TEST_CASE(filters_cost_by_texel_size_levels_depth_and_anisotropic_samples) {
  flat_memory m(32 << 20);
  struct row { unsigned data, number; unsigned cycles; };
  for (const row& r : {row{df::f8, nf::unorm, 1}, row{df::f8_8_8_8, nf::unorm, 1}, row{df::f16_16_16_16, nf::floating, 2}, row{df::f32_32_32_32, nf::floating, 4}})
    for (isa::image_type t : {isa::image_type::dim_2d, isa::image_type::dim_3d})
      for (bool trilinear : {false, true}) {
        isa::image_description d = description(t, r.data, r.number, 32, 32);
        d.levels = 4;
        if (t == isa::image_type::dim_3d) d.depth = 32;
        loaded l = load_image(m, d, std::vector<uint8_t>(isa::image_layout(d).host_bytes()));
        isa::image_sampler s;
        s.xy_mag = s.xy_min = 1;
        s.mip_filter = 2;
        s.max_lod = 0xfff;
        image_instruction i(mimg::sample_l);
        i.resource(l.resource);
        i.sampler(s);
        unsigned axes = t == isa::image_type::dim_3d ? 3 : 2;
        for (unsigned lane = 0; lane < 64; ++lane) i.address(axes, lane, trilinear ? 1.5f : 1.0f);
        i.run(m);
        unsigned steps = (trilinear ? 2 : 1) * (axes == 3 ? 2 : 1);
        BOOST_TEST(i.state.cost.steps == steps);
        BOOST_TEST(i.state.cost.address_cycles == 16 * steps);
        BOOST_TEST(i.state.cost.texel_cycles == 16 * steps * r.cycles);
        BOOST_TEST(i.plan.quad_cycles == steps * r.cycles);
        BOOST_TEST(i.plan.pieces == (axes == 3 ? 8u : 4u) * (trilinear ? 2 : 1));
        i.parameters.filter_cycles_32 = i.parameters.filter_cycles_64 = i.parameters.filter_cycles_128 = 3;
        i.parameters.trilinear_factor = i.parameters.volume_factor = 1;
        i.run(m);
        BOOST_TEST(i.state.cost.texel_cycles == 48u);
      }
  // 16 samples along a footprint of 16 by 1 texels
  isa::image_description d = description(isa::image_type::dim_2d, df::f8_8_8_8, nf::unorm, 64, 64);
  loaded l = load_image(m, d, std::vector<uint8_t>(64 * 64 * 4));
  isa::image_sampler s;
  s.xy_mag = s.xy_min = 3;
  s.max_lod = 0xfff;
  for (unsigned ratio = 0; ratio <= 4; ++ratio) {
    s.max_aniso_ratio = uint8_t(ratio);
    image_instruction i(mimg::sample_d);
    i.resource(l.resource);
    i.sampler(s);
    for (unsigned lane = 0; lane < 64; ++lane) { i.address(0, lane, 16.0f / 64); i.address(3, lane, 1.0f / 64); }
    i.run(m);
    BOOST_TEST(i.state.cost.address_cycles == 16u << ratio);
    BOOST_TEST(i.plan.pieces == 4u << ratio);
    s.aniso_override = true; // a view of one level
    i.sampler(s);
    i.run(m);
    BOOST_TEST(i.plan.pieces == 4u);
    s.aniso_override = false;
  }
}

BOOST_AUTO_TEST_CASE(block_compressed_and_subsampled_texels_are_fetched_by_block) {
  flat_memory m(1 << 20);
  // BC1, 8 x 8 texels: four blocks of one colour each
  std::vector<uint8_t> host;
  for (unsigned k = 0; k < 4; ++k) { uint16_t c = uint16_t(k << 11 | k << 5 | k); for (unsigned e = 0; e < 2; ++e) { host.push_back(uint8_t(c)); host.push_back(uint8_t(c >> 8)); } host.insert(host.end(), 4, 0); }
  for (isa::swizzle_mode mode : {isa::swizzle_mode::linear, isa::swizzle_mode::s_4kb, isa::swizzle_mode::d_64kb}) {
    isa::image_description d = description(isa::image_type::dim_2d, df::fbc1, nf::unorm, 8, 8);
    d.swizzle = mode;
    loaded l = load_image(m, d, host);
    image_instruction i(mimg::load);
    i.fields().dmask = 1;
    i.resource(l.resource);
    for (unsigned lane = 0; lane < 64; ++lane) { i.address(0, lane, lane % 8); i.address(1, lane, lane / 8); }
    i.run(m);
    BOOST_TEST(i.plan.bytes == 8u);
    for (unsigned lane = 0; lane < 64; ++lane) BOOST_REQUIRE_EQUAL(i.value(0, lane), float((lane % 8 / 4 + lane / 32 * 2) / 31.0));
  }
  isa::image_description d = description(isa::image_type::dim_2d, df::fgb_gr, nf::unorm, 4, 1);
  loaded l = load_image(m, d, {10, 20, 30, 40, 50, 60, 70, 80}); // R G0 B G1
  image_instruction i(mimg::load);
  i.resource(l.resource);
  for (unsigned lane = 0; lane < 4; ++lane) i.address(0, lane, lane);
  i.run(m);
  const unsigned want[4][3] = {{10, 20, 30}, {10, 40, 30}, {50, 60, 70}, {50, 80, 70}};
  for (unsigned lane = 0; lane < 4; ++lane) {
    for (unsigned k = 0; k < 3; ++k) BOOST_TEST(i.value(k, lane) == float(want[lane][k] / 255.0));
    BOOST_TEST(i.value(3, lane) == 1.0f);
  }
}
