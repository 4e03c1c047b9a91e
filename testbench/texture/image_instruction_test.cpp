// SPDX-License-Identifier: Apache-2.0
// Image instructions: operand order, 16-bit addresses and data, masks, queries, gather. Expected values are written by hand.
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include "isa/image_operation.h"
#include <cmath>
#include <random>

using namespace lyra;
using namespace lyra::test;
using texture::image_action;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

BOOST_AUTO_TEST_CASE(every_mimg_opcode_has_the_parts_its_name_says) {
  unsigned n = 0;
  for (unsigned number = 0; number < 128; ++number) {
    const isa::opcode_info* info = isa::find_opcode(isa::encoding::MIMG, number, isa::target::gfx906);
    if (!info) continue;
    ++n;
    std::string name = std::string(info->name) + "_";
    auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    isa::image_operation o = isa::decode_image_operation(number);
    bool sample = has("_sample_"), gather = has("_gather4_");
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST((o.kind == isa::image_kind::load) == has("_load_"));
      BOOST_TEST((o.kind == isa::image_kind::store) == has("_store_"));
      BOOST_TEST((o.kind == isa::image_kind::atomic) == has("_atomic_"));
      BOOST_TEST((o.kind == isa::image_kind::resinfo) == has("_resinfo_"));
      BOOST_TEST((o.kind == isa::image_kind::get_lod) == has("_get_lod_"));
      BOOST_TEST((o.kind == isa::image_kind::sample) == sample);
      BOOST_TEST((o.kind == isa::image_kind::gather) == gather);
      if (!has("_resinfo_")) BOOST_TEST(o.mip == has("_mip_"));
      BOOST_TEST(o.packed == has("_pck_"));
      BOOST_TEST(o.packed_signed == has("_sgn_"));
      if (sample || gather) {
        BOOST_TEST(o.offset == has("_o_"));
        BOOST_TEST(o.bias == has("_b_"));
        BOOST_TEST(o.compare == has("_c_"));
        BOOST_TEST(o.derivatives == (has("_d_") || has("_cd_")));
        BOOST_TEST(o.lod == has("_l_"));
        BOOST_TEST(o.lod_zero == has("_lz_"));
        BOOST_TEST(o.clamp == has("_cl_"));
      }
    }
  }
  BOOST_TEST(n == 89u);
}

BOOST_AUTO_TEST_CASE(address_registers_are_counted_as_table_36_and_37_say) {
  using isa::image_type;
  auto rows = [](unsigned opcode, image_type t, bool da, bool a16) { return isa::image_operand_layout(isa::decode_image_operation(opcode), t, da, a16).rows; };
  BOOST_TEST(rows(mimg::load, image_type::dim_1d, false, false) == 1u);
  BOOST_TEST(rows(mimg::load, image_type::array_1d, true, false) == 2u);
  BOOST_TEST(rows(mimg::load, image_type::dim_2d, false, false) == 2u);
  BOOST_TEST(rows(mimg::load, image_type::msaa_2d, false, false) == 3u);
  BOOST_TEST(rows(mimg::load, image_type::msaa_array_2d, true, false) == 4u);
  BOOST_TEST(rows(mimg::load, image_type::dim_3d, false, false) == 3u);
  BOOST_TEST(rows(mimg::load, image_type::cube, true, false) == 3u);
  BOOST_TEST(rows(mimg::load_mip, image_type::array_2d, true, false) == 4u);
  BOOST_TEST(rows(mimg::load_mip, image_type::array_2d, true, true) == 2u);
  BOOST_TEST(rows(mimg::get_resinfo, image_type::dim_3d, false, false) == 1u);
  BOOST_TEST(rows(mimg::sample_l, image_type::cube, true, false) == 4u);
  BOOST_TEST(rows(mimg::sample_d, image_type::dim_3d, false, false) == 9u);
  BOOST_TEST(rows(mimg::sample_d, image_type::dim_3d, false, true) == 6u); // 2 + 2 derivative rows, 2 for x y z
  BOOST_TEST(rows(mimg::sample_d, image_type::dim_1d, false, true) == 3u);
  BOOST_TEST(rows(63 /* sample_c_lz_o */, image_type::dim_2d, false, false) == 4u);
  BOOST_TEST(rows(59 /* sample_c_d_cl_o */, image_type::dim_3d, false, false) == 12u); // the most there are
  BOOST_TEST(rows(62 /* sample_c_b_cl_o */, image_type::array_2d, true, false) == 7u);
  BOOST_TEST(rows(62, image_type::array_2d, true, true) == 5u); // offset, bias, compare whole; x y slice clamp in two
}

BOOST_AUTO_TEST_CASE(loads_of_every_dimension_take_their_coordinates_in_order) {
  using isa::image_type;
  flat_memory m(8 << 20);
  for (image_type t : {image_type::dim_1d, image_type::dim_2d, image_type::dim_3d, image_type::cube, image_type::array_1d, image_type::array_2d, image_type::msaa_2d, image_type::msaa_array_2d})
    for (bool a16 : {false, true})
      for (bool mip : {false, true}) {
        bool msaa = isa::is_msaa(t);
        if (msaa && mip) continue;
        isa::image_description d = description(t, df::f32, nf::uint, 13, isa::is_1d(t) ? 1 : t == image_type::cube ? 13 : 9);
        if (t == image_type::dim_3d) d.depth = 7;
        if (t == image_type::cube) d.layers = 12;
        if (isa::is_array(t)) d.layers = 5;
        if (msaa) { d.samples = 4; d.swizzle = isa::swizzle_mode::s_64kb; }
        else d.levels = 3;
        loaded l = numbered(m, d);
        image_instruction i(mip ? mimg::load_mip : mimg::load);
        i.fields().a16 = a16;
        i.fields().dmask = 1;
        i.fields().da = isa::is_array(t) || t == image_type::cube;
        i.resource(l.resource);
        std::mt19937 random(5);
        uint32_t want[64];
        for (unsigned lane = 0; lane < 64; ++lane) {
          unsigned level = mip ? random() % 4 : 0, w = std::max(d.width >> level, 1u), h = std::max(d.height >> level, 1u);
          unsigned depth = t == image_type::dim_3d ? std::max(d.depth >> level, 1u) : d.layers;
          std::vector<unsigned> c;
          unsigned x = random() % (w + 1), y = isa::is_1d(t) ? 0 : random() % (h + 1), z = depth > 1 ? random() % (depth + 1) : 0, s = msaa ? random() % 5 : 0; // one past the end: outside
          bool outside = x >= w || y >= h || z >= depth || s >= d.samples || level >= d.levels;
          c.push_back(x);
          if (!isa::is_1d(t)) c.push_back(y);
          if (t == image_type::dim_3d || i.fields().da) c.push_back(z);
          if (msaa) c.push_back(s);
          if (mip) c.push_back(level);
          for (unsigned k = 0; k < c.size(); ++k)
            if (!a16) i.address(k, lane, uint32_t(c[k]));
            else i.request().vaddr[k / 2][lane] |= c[k] << (k % 2 * 16);
          want[lane] = outside ? 0 : level << 24 | (z * d.samples + s) << 16 | y << 8 | x;
        }
        i.run(m);
        BOOST_TEST(i.request().result_dwords == 1);
        for (unsigned lane = 0; lane < 64; ++lane) BOOST_REQUIRE_MESSAGE(i.bits(0, lane) == want[lane], "type " << unsigned(t) << " a16 " << a16 << " lane " << lane << ": " << std::hex << i.bits(0, lane) << " not " << want[lane]);
      }
}

BOOST_AUTO_TEST_CASE(views_begin_at_their_base_level_and_layer) {
  flat_memory m(8 << 20);
  isa::image_description d = description(isa::image_type::array_2d, df::f32, nf::uint, 16, 16);
  d.layers = 5;
  d.levels = 4;
  loaded l = numbered(m, d);
  l.resource.base_level = 1;
  l.resource.last_level = 2;
  l.resource.base_array = 2;
  l.resource.depth = 3;
  image_instruction i(mimg::load_mip);
  i.fields().dmask = 1;
  i.fields().da = true;
  i.resource(l.resource);
  const uint32_t c[5][4] = {{3, 4, 0, 0}, {3, 4, 1, 1}, {3, 4, 2, 0}, {3, 4, 0, 2}, {8, 0, 0, 0}};
  const uint32_t want[5] = {1u << 24 | 2 << 16 | 4 << 8 | 3, 0, 0, 0, 0}; // lane 1: y 4 is outside of level 2's 4 rows
  for (unsigned lane = 0; lane < 5; ++lane) for (unsigned k = 0; k < 4; ++k) i.address(k, lane, c[lane][k]);
  i.address(1, 1, 3u);
  i.run(m);
  BOOST_TEST(i.bits(0, 0) == want[0]);
  BOOST_TEST(i.bits(0, 1) == (2u << 24 | 3 << 16 | 3 << 8 | 3));
  for (unsigned lane = 2; lane < 5; ++lane) BOOST_TEST(i.bits(0, lane) == want[lane]);
  // Without DA no slice is sent: the view's first layer
  image_instruction plain(mimg::load);
  plain.fields().dmask = 1;
  plain.resource(l.resource);
  plain.run(m);
  BOOST_TEST(plain.bits(0, 0) == (1u << 24 | 2 << 16));
}

BOOST_AUTO_TEST_CASE(dmask_and_dst_sel_choose_and_pack_components) {
  flat_memory m(1 << 16);
  std::vector<uint8_t> host = {1, 2, 3, 4};
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::uint, 1, 1), host);
  using c = isa::component_select;
  l.resource.dst_sel[0] = c::b; l.resource.dst_sel[1] = c::one; l.resource.dst_sel[2] = c::r; l.resource.dst_sel[3] = c::zero;
  const uint32_t component[4] = {3, 1, 1, 0};
  for (unsigned mask = 1; mask < 16; ++mask)
    for (bool d16 : {false, true}) {
      image_instruction i(mimg::load);
      i.fields().dmask = uint8_t(mask);
      i.fields().d16 = d16;
      i.resource(l.resource);
      i.run(m);
      std::vector<uint32_t> want;
      for (unsigned k = 0; k < 4; ++k) if (mask >> k & 1) want.push_back(component[k]);
      BOOST_REQUIRE_EQUAL(unsigned(i.request().result_dwords), d16 ? (want.size() + 1) / 2 : want.size());
      for (unsigned k = 0; k < want.size(); ++k) BOOST_REQUIRE_EQUAL(d16 ? i.bits(k / 2, 0) >> (k % 2 * 16) & 0xffff : i.bits(k, 0), want[k]);
    }
}

BOOST_AUTO_TEST_CASE(packed_loads_and_stores_move_bits_unchanged) {
  flat_memory m(1 << 16);
  loaded narrow = load_image(m, description(isa::image_type::dim_2d, df::f8_8, nf::snorm, 1, 1), {0x34, 0xf2});
  image_instruction a(mimg::load_pck);
  a.fields().dmask = 1;
  a.resource(narrow.resource);
  a.run(m);
  BOOST_TEST(a.bits(0, 0) == 0xf234u);
  image_instruction b(mimg::load_pck_sgn);
  b.fields().dmask = 1;
  b.resource(narrow.resource);
  b.run(m);
  BOOST_TEST(b.bits(0, 0) == 0xfffff234u);
  loaded wide = load_image(m, description(isa::image_type::dim_2d, df::f16_16_16_16, nf::floating, 1, 1), {1, 2, 3, 4, 5, 6, 7, 0x88});
  image_instruction c(mimg::load_mip_pck_sgn);
  c.fields().dmask = 3;
  c.resource(wide.resource);
  c.run(m);
  BOOST_TEST(c.bits(0, 0) == 0x04030201u);
  BOOST_TEST(c.bits(1, 0) == 0x88070605u);
  image_instruction s(mimg::store_pck);
  s.fields().dmask = 3;
  s.request().exec = 1;
  s.resource(wide.resource);
  s.data(0, 0, 0xa1a2a3a4);
  s.data(1, 0, 0xb1b2b3b4);
  BOOST_TEST((s.run(m) == image_action::store));
  BOOST_TEST(m.at(flat_memory::base)[0] == 0xa4);
  BOOST_TEST(m.at(flat_memory::base)[7] == 0xb1);
}

BOOST_AUTO_TEST_CASE(stores_write_whole_texels_with_zeros_for_masked_components) {
  flat_memory m(1 << 16);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::uint, 4, 1), std::vector<uint8_t>(16, 0x77));
  image_instruction i(mimg::store);
  i.fields().dmask = 9; // red from the first register, alpha from the second
  i.request().exec = 0xb; // lane 2 is off; lane 3 is outside
  i.resource(l.resource);
  for (unsigned lane = 0; lane < 4; ++lane) {
    i.address(0, lane, lane == 3 ? 4u : lane);
    i.data(0, lane, 10 + lane);
    i.data(1, lane, 20 + lane);
  }
  i.run(m);
  const uint8_t* p = m.at(flat_memory::base);
  const uint8_t want[16] = {10, 0, 0, 20, 11, 0, 0, 21, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77};
  BOOST_TEST(std::equal(p, p + 16, want));
  // D16: DMASK only counts halves, and each half is widened by the number format
  loaded s = load_image(m, description(isa::image_type::dim_2d, df::f32_32, nf::sint, 1, 1), std::vector<uint8_t>(8, 0));
  image_instruction h(mimg::store);
  h.fields().dmask = 12;
  h.fields().d16 = true;
  h.request().exec = 1;
  h.resource(s.resource);
  h.data(0, 0, 0x0005fffe);
  h.run(m);
  int32_t got[2];
  std::memcpy(got, p, 8);
  BOOST_TEST(got[0] == -2);
  BOOST_TEST(got[1] == 5);
  // A swapped format takes red where its T# shows it
  loaded bgra = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::uint, 1, 1), std::vector<uint8_t>(4, 0));
  std::swap(bgra.resource.dst_sel[0], bgra.resource.dst_sel[2]);
  image_instruction w(mimg::store);
  w.request().exec = 1;
  w.resource(bgra.resource);
  for (unsigned k = 0; k < 4; ++k) w.data(k, 0, k + 1);
  w.run(m);
  BOOST_TEST(p[0] == 3); BOOST_TEST(p[1] == 2); BOOST_TEST(p[2] == 1); BOOST_TEST(p[3] == 4);
  // The highest lane of several on one texel wins
  image_instruction same(mimg::store);
  same.fields().dmask = 1;
  same.resource(l.resource);
  for (unsigned lane = 0; lane < 64; ++lane) same.data(0, lane, lane);
  l.layout.copy_in(l.host.data(), m.at(flat_memory::base));
  same.run(m);
  BOOST_TEST(p[0] == 63);
}

BOOST_AUTO_TEST_CASE(atomics_name_their_texel_and_check_mask_against_format) {
  flat_memory m(1 << 16);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f32, nf::uint, 8, 8), std::vector<uint8_t>(256, 0));
  image_instruction i(mimg::atomic_add);
  i.fields().dmask = 1;
  i.fields().glc = true;
  i.request().exec = 3;
  i.resource(l.resource);
  i.address(0, 0, 5u); i.address(1, 0, 2u);
  i.address(0, 1, 8u); // outside
  BOOST_TEST((i.run(m) == image_action::atomic));
  BOOST_TEST(i.plan.active[0] == 1u);
  BOOST_TEST(i.plan.at(0, 0) == flat_memory::base + 2 * 256 + 20);
  BOOST_TEST(i.plan.bytes == 4u);
  BOOST_TEST(i.request().result_dwords == 1);
  BOOST_TEST(i.bits(0, 1) == 0u); // the lane outside gets 0
  for (auto [opcode, mask, legal] : {std::tuple{mimg::atomic_add, 1u, true}, {mimg::atomic_add, 3u, false}, {mimg::atomic_add, 2u, false}, {mimg::atomic_cmpswap, 3u, true}, {mimg::atomic_cmpswap, 1u, false},
                                     {mimg::atomic_cmpswap, 15u, false}}) {
    image_instruction a(opcode);
    a.fields().dmask = uint8_t(mask);
    a.resource(l.resource);
    BOOST_TEST((a.run(m) == image_action::atomic) == legal);
    if (!legal) BOOST_TEST(a.state.error.find("DMASK") != std::string::npos);
  }
  loaded w = load_image(m, description(isa::image_type::dim_2d, df::f32_32, nf::uint, 8, 8), std::vector<uint8_t>(512, 0));
  image_instruction c(mimg::atomic_cmpswap);
  c.fields().dmask = 15;
  c.fields().glc = true;
  c.resource(w.resource);
  BOOST_TEST((c.run(m) == image_action::atomic));
  BOOST_TEST(c.plan.bytes == 8u);
  BOOST_TEST(c.request().result_dwords == 2);
  BOOST_TEST(isa::image_data_dwords(c.fields()) == 4u);
}

BOOST_AUTO_TEST_CASE(resource_queries_give_the_views_sizes) {
  flat_memory m(8 << 20);
  isa::image_description d = description(isa::image_type::array_2d, df::f32, nf::uint, 48, 20);
  d.layers = 6;
  d.levels = 5;
  loaded l = numbered(m, d);
  l.resource.base_level = 1;
  l.resource.base_array = 2;
  image_instruction i(mimg::get_resinfo);
  i.fields().da = true;
  i.resource(l.resource);
  for (unsigned lane = 0; lane < 64; ++lane) i.address(0, lane, uint32_t(lane));
  BOOST_TEST((i.run(m) == image_action::done));
  BOOST_TEST(i.bits(0, 0) == 24u); BOOST_TEST(i.bits(1, 0) == 10u); BOOST_TEST(i.bits(2, 0) == 4u); BOOST_TEST(i.bits(3, 0) == 4u);
  BOOST_TEST(i.bits(0, 2) == 6u); BOOST_TEST(i.bits(1, 2) == 2u);
  BOOST_TEST(i.bits(0, 4) == 0u); BOOST_TEST(i.bits(3, 4) == 4u); // no such level
}

BOOST_AUTO_TEST_CASE(lod_queries_give_the_level_used_and_the_level_computed) {
  flat_memory m(8 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f8_8_8_8, nf::unorm, 64, 64);
  d.levels = 4;
  loaded l = load_image(m, d, std::vector<uint8_t>((4096 + 1024 + 256 + 64) * 4, 9));
  isa::image_sampler s;
  s.mip_filter = 2;
  s.max_lod = 0xfff;
  s.lod_bias = 128;
  image_instruction i(mimg::get_lod);
  i.fields().dmask = 3;
  i.resource(l.resource);
  i.sampler(s);
  // Quad 0 steps two texels to the right a lane, quad 1 sixty-four down a lane. Lanes 1 to 3 and 5, 6 serve as helpers only.
  i.request().exec = 0x91;
  i.address(0, 1, 2.0f / 64); i.address(0, 3, 2.0f / 64);
  i.address(1, 6, 1.0f); i.address(1, 7, 1.0f);
  BOOST_TEST((i.run(m) == image_action::done));
  BOOST_TEST(i.value(0, 0) == 1.5f); BOOST_TEST(i.value(1, 0) == 1.5f);
  BOOST_TEST(i.value(0, 4) == 3.0f); BOOST_TEST(i.value(1, 4) == 6.5f);
  BOOST_TEST(i.value(0, 7) == 3.0f);
  BOOST_TEST(i.bits(0, 1) == 0xcdcdcdcdu); // helper lanes get nothing
  BOOST_TEST(i.request().result_mask == 0x91u);
}

BOOST_AUTO_TEST_CASE(gather_returns_one_component_of_four_texels_counter_clockwise_from_below_left) {
  flat_memory m(1 << 20);
  std::vector<uint8_t> host;
  for (unsigned k = 0; k < 16; ++k) for (unsigned c = 0; c < 4; ++c) host.push_back(uint8_t(k * 4 + c));
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::uint, 4, 4), host);
  isa::image_sampler s;
  s.max_lod = 0xfff;
  for (unsigned c = 0; c < 4; ++c) {
    image_instruction i(mimg::gather4_lz);
    i.fields().dmask = uint8_t(1 << c);
    i.resource(l.resource);
    i.sampler(s);
    i.address(0, 0, 2.0f / 4); i.address(1, 0, 1.0f / 4); // the corner between texels 1 2 of rows 0 1
    i.run(m);
    BOOST_TEST(i.request().result_dwords == 4);
    const unsigned texel[4] = {1 * 4 + 1, 1 * 4 + 2, 0 * 4 + 2, 0 * 4 + 1};
    for (unsigned k = 0; k < 4; ++k) BOOST_TEST(i.bits(k, 0) == texel[k] * 4 + c);
    image_instruction h(mimg::gather4_lz);
    h.fields().dmask = uint8_t(1 << c);
    h.fields().d16 = true;
    h.resource(l.resource);
    h.sampler(s);
    h.address(0, 0, 2.0f / 4); h.address(1, 0, 1.0f / 4);
    h.run(m);
    BOOST_TEST(h.request().result_dwords == 2);
    BOOST_TEST(h.bits(1, 0) == ((texel[2] * 4 + c) | (texel[3] * 4 + c) << 16));
  }
  image_instruction bad(mimg::gather4);
  bad.resource(l.resource);
  bad.sampler(s);
  BOOST_TEST((bad.run(m) == image_action::fault));
  BOOST_TEST(bad.state.error.find("DMASK") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(sixteen_bit_addresses_pack_floats_and_begin_each_derivative_direction_anew) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_3d, df::f32, nf::floating, 4, 4);
  d.depth = 4;
  std::vector<uint32_t> v;
  for (unsigned k = 0; k < 64; ++k) v.push_back(float_bits(float(k)));
  loaded l = load_image(m, d, words(v));
  isa::image_sampler s;
  s.max_lod = 0xfff;
  s.clamp_x = s.clamp_y = s.clamp_z = isa::clamp_mode::clamp_last_texel;
  image_instruction i(mimg::sample_d_cl);
  i.fields().a16 = true;
  i.fields().dmask = 1;
  i.request().exec = 1;
  i.resource(l.resource);
  i.sampler(s);
  BOOST_TEST(isa::image_address_dwords(i.fields(), i.request().resource) == 6u);
  for (unsigned k = 0; k < 4; ++k) i.address(k, 0, 0u); // no change
  i.address(4, 0, uint32_t(0x3a00 << 16 | 0x3500)); // y 0.75, x 0.3125
  i.address(5, 0, uint32_t(0x0000 << 16 | 0x3900)); // clamp 0, z 0.625
  i.run(m);
  BOOST_TEST(i.value(0, 0) == float((2 * 4 + 3) * 4 + 1));
}
