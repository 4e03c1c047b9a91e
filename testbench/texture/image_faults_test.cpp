// SPDX-License-Identifier: Apache-2.0
// Image instructions where something is missing or wrong: non-resident, unbound, unmapped and read-only memory, levels below the warning level, fields that cannot be used.
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include "isa/image_operation.h"
#include <cmath>

using namespace lyra;
using namespace lyra::test;
using texture::image_action;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

BOOST_AUTO_TEST_CASE(non_resident_pages_give_zero_texels_and_a_nack_and_drop_stores) {
  flat_memory m(1 << 16);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f32, nf::uint, 1024, 4), words(std::vector<uint32_t>(4096, 0x55)));
  m.set_page(1, fabric::page_state::non_resident); // row 1
  image_instruction i(mimg::load);
  i.fields().dmask = 3;
  i.fields().tfe = true;
  i.resource(l.resource);
  i.address(1, 1, 1u);
  BOOST_TEST(isa::image_result_dwords(i.fields()) == 3u);
  i.run(m);
  BOOST_TEST(i.request().result_dwords == 3);
  BOOST_TEST(i.bits(0, 0) == 0x55u); BOOST_TEST(i.bits(2, 0) == 0u);
  BOOST_TEST(i.bits(0, 1) == 0u); BOOST_TEST(i.bits(2, 1) == texture::texture_nack);
  BOOST_TEST(i.plan.not_resident == 2u);
  image_instruction s(mimg::store);
  s.fields().dmask = 1;
  s.request().exec = 1;
  s.resource(l.resource);
  s.address(1, 0, 1u);
  s.data(0, 0, 0x99);
  BOOST_TEST((s.run(m) == image_action::done));
  uint32_t v;
  std::memcpy(&v, m.at(flat_memory::base + 4096), 4);
  BOOST_TEST(v == 0x55u);
}

BOOST_AUTO_TEST_CASE(levels_below_the_warning_level_are_reported_by_lwe) {
  flat_memory m(1 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, df::f8_8_8_8, nf::unorm, 16, 16);
  d.levels = 3;
  loaded l = load_image(m, d, std::vector<uint8_t>((256 + 64 + 16) * 4, 0xff));
  l.resource.min_lod_warn = 256 + 128;
  isa::image_sampler s;
  s.max_lod = 0xfff;
  image_instruction i(mimg::sample_l);
  i.fields().lwe = true;
  i.fields().dmask = 1;
  i.resource(l.resource);
  i.sampler(s);
  i.address(2, 0, 1.0f); i.address(2, 1, 1.5f);
  i.run(m);
  BOOST_TEST(i.request().result_dwords == 2);
  BOOST_TEST(i.bits(1, 0) == texture::texture_lod_warning);
  BOOST_TEST(i.request().lod_clamped); // MODE.LOD_CLAMPED
  BOOST_TEST(i.bits(1, 1) == 0u);
  BOOST_TEST(i.value(0, 0) == 1.0f);
}

BOOST_AUTO_TEST_CASE(unbound_images_read_zero_and_unmapped_or_protected_pages_fault_by_lane) {
  flat_memory m(1 << 16);
  image_instruction zero(mimg::load);
  zero.fields().tfe = true;
  BOOST_TEST((zero.run(m) == image_action::done));
  for (unsigned k = 0; k < 5; ++k) BOOST_TEST(zero.bits(k, 17) == 0u);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f32, nf::uint, 1024, 4), words(std::vector<uint32_t>(4096, 1)));
  m.set_page(2, fabric::page_state::unmapped);
  m.set_page(3, fabric::page_state::read_only);
  image_instruction i(mimg::load);
  i.resource(l.resource);
  i.address(1, 9, 2u);
  BOOST_TEST((i.run(m) == image_action::fault));
  BOOST_TEST((i.request().fault == fabric::fault_kind::unmapped));
  BOOST_TEST(unsigned(i.request().fault_lane) == 9u);
  BOOST_TEST(i.request().fault_address == flat_memory::base + 8192);
  BOOST_TEST(i.state.error.find("image_load") == 0u);
  image_instruction s(mimg::store);
  s.resource(l.resource);
  for (unsigned lane = 0; lane < 64; ++lane) s.address(1, lane, 3u);
  BOOST_TEST((s.run(m) == image_action::fault));
  BOOST_TEST((s.request().fault == fabric::fault_kind::write_protected));
  image_instruction none(mimg::load);
  none.request().exec = 0;
  none.resource(l.resource);
  BOOST_TEST((none.run(m) == image_action::done));
  BOOST_TEST(none.request().result_mask == 0u);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_done_is_a_fault_that_names_the_field) {
  flat_memory m(1 << 20);
  loaded l = load_image(m, description(isa::image_type::dim_2d, df::f8_8_8_8, nf::unorm, 4, 4), std::vector<uint8_t>(64));
  auto error = [&](unsigned opcode, const isa::image_resource& r, const isa::image_sampler& s) {
    image_instruction i(opcode);
    i.fields().dmask = 1;
    i.resource(r);
    i.sampler(s);
    BOOST_TEST((i.run(m) == image_action::fault));
    return i.state.error;
  };
  isa::image_sampler s;
  isa::image_resource r = l.resource;
  s.border = isa::border_color::table;
  BOOST_TEST(error(mimg::sample, r, s).find("border_color_base") != std::string::npos);
  s = {};
  r.compression_enable = true;
  BOOST_TEST(error(mimg::load, r, s).find("COMPRESSION_EN") != std::string::npos);
  isa::image_description bc = description(isa::image_type::dim_2d, df::fbc1, nf::unorm, 8, 8);
  loaded b = load_image(m, bc, std::vector<uint8_t>(32));
  BOOST_TEST(error(mimg::store, b.resource, s).find("cannot be stored") != std::string::npos);
  isa::image_description ms = description(isa::image_type::msaa_2d, df::f8_8_8_8, nf::unorm, 4, 4);
  ms.samples = 4;
  ms.swizzle = isa::swizzle_mode::s_64kb;
  BOOST_TEST(error(mimg::sample, load_image(m, ms, std::vector<uint8_t>(256)).resource, s).find("MSAA") != std::string::npos);
}
