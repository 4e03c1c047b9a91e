// SPDX-License-Identifier: Apache-2.0
// Swizzle modes with pipe and bank XOR: every address bit as a written sum of coordinate bits, and images that come back whole.
#include "isa/image_layout.h"
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include <sstream>

using namespace lyra;
using namespace lyra::test;
using isa::swizzle_mode;

namespace {

/// Address bits from the element's lowest up, each a sum (XOR) of coordinate bits: x, y of the level and s, the slice.
struct equation {
  swizzle_mode mode;
  unsigned bytes;
  const char* bits;
  unsigned block_width, block_height;
};

const equation equations[] = {
  {swizzle_mode::s_64kb_x, 4,
   "x0 x1 y0 y1 y2 x2 y3+x6+s3 x3+y6+s2 y4+x5+s1 x4+y5+s0 y5+x8+s7 x5+y8+s6 y6+x7+s5 x6+y7+s4", 128, 128},
  {swizzle_mode::d_64kb_x, 1,
   "x0 x1 x2 y1 y0 y2 x3 y3 y4+x7+s3 x4+y7+s2 y5+x6+s1 x5+y6+s0 y6+x9+s7 x6+y9+s6 y7+x8+s5 x7+y8+s4", 256, 256},
  {swizzle_mode::r_64kb_x, 8,
   "y0 x0 y1 x1 x2 y2+x6+s3 x3+y5+s2 y3+x5+s1 x4+y4+s0 y4+x8+s7 x5+y7+s6 y5+x7+s5 x6+y6+s4", 128, 64},
  {swizzle_mode::z_64kb_x, 4,
   "x0 y0 x1 y1 y2 x2 y3+x6+s3 x3+y6+s2 y4+x5+s1 x4+y5+s0 y5+x8+s7 x5+y8+s6 y6+x7+s5 x6+y7+s4", 128, 128},
  {swizzle_mode::s_4kb_x, 4, "x0 x1 y0 y1 y2 x2 y3+x6+s3 x3+y6+s2 y4+x5+s1 x4+y5+s0", 32, 32},
  {swizzle_mode::z_64kb_t, 4, "x0 y0 x1 y1 y2 x2 y3+x6 x3+y6 y4+x5 x4+y5 y5 x5 y6 x6", 128, 128},
  {swizzle_mode::s_64kb_t, 16, "y0 y1 x0 x1 y2+x5 x2+y5 y3+x4 x3+y4 y4 x4 y5 x5", 64, 64},
};

unsigned bit_of(const std::string& name, unsigned x, unsigned y, unsigned z, unsigned s) {
  const unsigned v = name[0] == 'x' ? x : name[0] == 'y' ? y : name[0] == 'z' ? z : s;
  return v >> std::stoi(name.substr(1)) & 1;
}

unsigned place_in_block(const equation& e, unsigned x, unsigned y, unsigned s) {
  unsigned bit = 0, place = 0;
  while (1u << bit < e.bytes) ++bit;
  std::istringstream in(e.bits);
  for (std::string sum; in >> sum; ++bit) {
    unsigned v = 0;
    std::istringstream terms(sum);
    for (std::string term; std::getline(terms, term, '+');) v ^= bit_of(term, x, y, 0, s);
    place |= v << bit;
  }
  return place;
}

} // namespace

BOOST_AUTO_TEST_CASE(flat_blocks_sum_higher_coordinates_and_the_slice) {
  for (const equation& e : equations) {
    isa::surface_shape shape;
    shape.swizzle = e.mode;
    shape.element_bytes = e.bytes;
    shape.width = e.block_width * 9;
    shape.height = e.block_height * 7;
    shape.slices = 300;
    const isa::surface_layout l(shape);
    BOOST_TEST(l.alignment() == 1u << isa::block_bits(e.mode));
    for (unsigned t = 0; t < 20000; ++t) {
      const unsigned x = t * 7919 % shape.width, y = t * 104729 % shape.height, s = t * 31 % 300;
      const uint64_t block = (uint64_t(s) * 7 + y / e.block_height) * 9 + x / e.block_width;
      const uint64_t want = block * l.alignment() + place_in_block(e, x, y, s);
      if (l.offset(0, x, y, s) != want) BOOST_FAIL(isa::name_of(e.mode) << " at " << x << "," << y << " slice " << s << ": " << l.offset(0, x, y, s) << ", not " << want);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_two_texels_share_a_place_in_any_mode_with_xor) {
  for (unsigned mode = 16; mode < 28; ++mode)
    for (isa::image_type type : {isa::image_type::dim_2d, isa::image_type::array_2d, isa::image_type::dim_3d, isa::image_type::msaa_2d})
      for (unsigned data : {isa::image_data_format::f8, isa::image_data_format::f32, isa::image_data_format::f32_32}) {
        isa::image_description d = description(type, data, isa::image_number_format::uint, 70, 50);
        d.swizzle = swizzle_mode(mode);
        if (type == isa::image_type::array_2d) { d.layers = 5; d.levels = 7; }
        if (type == isa::image_type::dim_3d) { d.depth = 20; d.levels = 5; }
        if (type == isa::image_type::msaa_2d) d.samples = 8;
        if (!isa::image_description_error(d).empty()) continue;
        const isa::image_layout l(d);
        std::vector<uint8_t> host(l.host_bytes()), back(host.size()), device(l.device_bytes());
        for (size_t k = 0; k < host.size(); ++k) host[k] = uint8_t(k * 37 + (k >> 8) * 11 + (k >> 16));
        l.copy_in(host.data(), device.data());
        l.copy_out(device.data(), back.data());
        BOOST_TEST((host == back), isa::name_of(d.swizzle) << " type " << unsigned(type) << " format " << data);
      }
}

BOOST_AUTO_TEST_CASE(deep_blocks_sum_two_higher_bits) {
  // the folds written out: bit i of the pipe number has bits 3n-1-2i and 3n-2-2i above it, n = 4; the bank number the same from bit 12 on
  isa::surface_shape shape;
  shape.kind = isa::surface_kind::dim_3d;
  shape.swizzle = swizzle_mode::s_64kb_x;
  shape.element_bytes = 4;
  shape.width = shape.height = shape.slices = 256;
  const isa::surface_layout l(shape);
  isa::surface_shape plain = shape;
  plain.swizzle = swizzle_mode::s_64kb;
  const isa::surface_layout p(plain);
  // address bits of the plain mode beyond the block continue y, x, z from bit 16 on
  const char* const names[24] = {"", "", "x0", "x1", "y0", "y1", "z0", "z1", "y2", "x2", "z2", "y3", "x3", "z3", "y4", "x4", "z4", "y5", "x5", "z5", "y6", "x6", "z6", "y7"};
  for (unsigned t = 0; t < 20000; ++t) {
    const unsigned x = t * 7919 % 256, y = t * 104729 % 256, z = t * 1299709 % 256;
    unsigned whole = 0;
    for (unsigned b = 2; b < 24; ++b) whole |= bit_of(names[b], x, y, z, 0) << b;
    unsigned want = whole & 0xffff;
    for (unsigned i = 0; i < 4; ++i) {
      want ^= ((whole >> (8 + 11 - 2 * i) ^ whole >> (8 + 10 - 2 * i)) & 1) << (8 + i);
      want ^= ((whole >> (12 + 11 - 2 * i) ^ whole >> (12 + 10 - 2 * i)) & 1) << (12 + i);
    }
    BOOST_REQUIRE_EQUAL(l.offset(0, x, y, z) >> 16, p.offset(0, x, y, z) >> 16);
    BOOST_REQUIRE_EQUAL(p.offset(0, x, y, z) & 0xffff, whole & 0xffff);
    BOOST_REQUIRE_EQUAL(l.offset(0, x, y, z) & 0xffff, want);
  }
}

BOOST_AUTO_TEST_CASE(the_bases_low_bits_are_one_more_sum) {
  flat_memory m(8 << 20);
  isa::image_description d = description(isa::image_type::dim_2d, isa::image_data_format::f32, isa::image_number_format::uint, 128, 128);
  d.swizzle = swizzle_mode::s_64kb_x;
  loaded l = numbered(m, d);
  image_instruction i(mimg::load);
  i.fields().dmask = 1;
  for (uint64_t low : {0u, 0x100u, 0x2300u, 0xff00u}) { // pipe and bank of the surface
    l.resource.base = flat_memory::base + low;
    i.resource(l.resource);
    for (unsigned lane = 0; lane < 64; ++lane) { i.address(0, lane, lane * 2 % 128); i.address(1, lane, lane * 5 % 128); }
    i.run(m);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const uint64_t offset = l.layout.surface().offset(0, lane * 2 % 128, lane * 5 % 128, 0);
      uint32_t there;
      std::memcpy(&there, m.at(flat_memory::base + (offset ^ low)), 4);
      BOOST_REQUIRE_EQUAL(i.bits(0, lane), there);
    }
  }
}
