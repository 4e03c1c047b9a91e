// SPDX-License-Identifier: Apache-2.0
// GFX9 swizzle modes: every address bit against tables written out in full, mip chains against placed rectangles, and that nothing overlaps.
#include "support/systemc_test.h"
#include "isa/image_layout.h"
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace lyra::isa;
using lyra::isa::swizzle_mode;

namespace {

/// Which coordinate bit every address bit of a 64 KB block is, from the element's lowest address bit up; 4 KB and 256 B blocks are the first part.
/// By log2 of the element bytes.
const char* const standard[5] = {
  "x0 x1 x2 x3 y0 y1 y2 y3 y4 x4 y5 x5 y6 x6 y7 x7",
  "x0 x1 x2 y0 y1 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
  "x0 x1 y0 y1 y2 x2 y3 x3 y4 x4 y5 x5 y6 x6",
  "x0 y0 y1 x1 x2 y2 x3 y3 x4 y4 x5 y5 x6",
  "y0 y1 x0 x1 y2 x2 y3 x3 y4 x4 y5 x5"};
const char* const display[5] = {
  "x0 x1 x2 y1 y0 y2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7",
  "x0 x1 x2 y0 y1 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
  "x0 x1 y0 x2 y1 y2 y3 x3 y4 x4 y5 x5 y6 x6",
  "x0 y0 x1 x2 y1 y2 x3 y3 x4 y4 x5 y5 x6",
  "x0 y0 x1 y1 y2 x2 y3 x3 y4 x4 y5 x5"};
const char* const rotated[4] = {
  "y0 y1 y2 x1 x0 x2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7",
  "y0 y1 y2 x0 x1 x2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
  "y0 y1 x0 y2 x1 x2 y3 x3 y4 x4 y5 x5 y6 x6",
  "y0 x0 y1 x1 x2 y2 x3 y3 x4 y4 x5 y5 x6"};
const char* const depth_order[4] = {
  "x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6 y7 x7",
  "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
  "x0 y0 x1 y1 y2 x2 y3 x3 y4 x4 y5 x5 y6 x6",
  "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6"};
const char* const standard_volume[5] = {
  "x0 x1 x2 x3 y0 y1 z0 z1 z2 y2 z3 y3 x4 z4 y4 x5",
  "x0 x1 x2 y0 y1 z0 z1 z2 y2 z3 y3 x3 z4 y4 x4",
  "x0 x1 y0 y1 z0 z1 y2 x2 z2 y3 x3 z3 y4 x4",
  "x0 y0 y1 z0 z1 x1 x2 z2 y2 x3 z3 y3 x4",
  "y0 y1 z0 z1 x0 x1 z2 y2 x2 z3 y3 x3"};
const char* const depth_volume[5] = {
  "x0 y0 x1 y1 z0 z1 x2 z2 y2 x3 z3 y3 x4 z4 y4 x5",
  "x0 y0 x1 y1 z0 z1 z2 y2 x2 z3 y3 x3 z4 y4 x4",
  "x0 y0 x1 z0 y1 z1 y2 x2 z2 y3 x3 z3 y4 x4",
  "x0 y0 z0 x1 z1 y1 x2 z2 y2 x3 z3 y3 x4",
  "x0 y0 z0 z1 y1 x1 z2 y2 x2 z3 y3 x3"};

struct block_table {
  std::vector<std::pair<char, unsigned>> bits; ///< per address bit from the element's lowest on
  unsigned size[3] = {1, 1, 1};
  block_table(const char* text, unsigned count) {
    std::istringstream in(text);
    std::string s;
    while (bits.size() < count && in >> s) {
      bits.push_back({s[0], unsigned(s[1] - '0')});
      unsigned& n = size[s[0] - 'x'];
      n = std::max(n, 2u << (s[1] - '0'));
    }
  }
  unsigned offset(unsigned x, unsigned y, unsigned z, unsigned element_log2) const {
    unsigned v = 0;
    for (size_t b = 0; b < bits.size(); ++b) v |= ((bits[b].first == 'x' ? x : bits[b].first == 'y' ? y : z) >> bits[b].second & 1) << (b + element_log2);
    return v;
  }
};

const char* const* table_of(swizzle_mode m, bool volume) {
  switch (unsigned(m) & 3) {
    case 0: return volume ? depth_volume : depth_order;
    case 1: return volume ? standard_volume : standard;
    case 2: return volume ? standard : display;
    default: return rotated;
  }
}
/// 2D Z modes and R modes end at 64-bit elements.
bool exists(unsigned mode, bool volume, unsigned element_log2) { return element_log2 < 4 || (mode & 3) == 1 || (mode & 3) == 2 || (volume && (mode & 3) == 0); }
unsigned block_log2(swizzle_mode m) { return unsigned(m) < 4 ? 8 : unsigned(m) < 8 ? 12 : 16; }

} // namespace

BOOST_AUTO_TEST_CASE(each_2d_mode_puts_every_coordinate_bit_where_the_table_says) {
  for (unsigned mode = 1; mode < 12; ++mode)
    for (unsigned e = 0; e < 5; ++e) {
      if (!exists(mode, false, e)) continue;
      swizzle_mode m = swizzle_mode(mode);
      block_table t(table_of(m, false)[e], block_log2(m) - e);
      surface_shape s;
      s.swizzle = m;
      s.element_bytes = 1u << e;
      s.width = t.size[0] * 3;
      s.height = t.size[1] * 2 + 1;
      s.slices = 2;
      surface_layout l(s);
      uint64_t rows = 3; // of blocks
      BOOST_REQUIRE_EQUAL(l.size(), 2 * rows * 3 << block_log2(m));
      BOOST_REQUIRE_EQUAL(l.epitch(), t.size[0] * 3 - 1);
      for (unsigned z = 0; z < 2; ++z)
        for (unsigned y = 0; y < s.height; y += mode < 8 ? 1 : 3)
          for (unsigned x = 0; x < s.width; x += mode < 8 ? 1 : 5) {
            uint64_t block = (z * rows + y / t.size[1]) * 3 + x / t.size[0];
            if (l.offset(0, x, y, z) != (block << block_log2(m)) + t.offset(x, y, 0, e))
              BOOST_FAIL(lyra::isa::name_of(m) << " element " << (1 << e) << " at " << x << "," << y << "," << z);
          }
    }
}

BOOST_AUTO_TEST_CASE(each_3d_mode_is_deep_for_z_and_s_and_sliced_for_d) {
  for (unsigned mode : {4u, 5u, 6u, 8u, 9u, 10u})
    for (unsigned e = 0; e < 5; ++e) {
      swizzle_mode m = swizzle_mode(mode);
      block_table t(table_of(m, true)[e], block_log2(m) - e);
      surface_shape s;
      s.kind = surface_kind::dim_3d;
      s.swizzle = m;
      s.element_bytes = 1u << e;
      s.width = t.size[0] * 2;
      s.height = t.size[1] * 2;
      s.slices = t.size[2] * 2 + 1;
      surface_layout l(s);
      uint64_t deep = t.size[2] == 1 ? s.slices : 3;
      BOOST_REQUIRE_EQUAL(l.size(), deep * 4 << block_log2(m));
      std::mt19937 random(mode * 8 + e);
      for (unsigned i = 0; i < 20000; ++i) {
        unsigned x = random() % s.width, y = random() % s.height, z = random() % s.slices;
        uint64_t block = (z / t.size[2] * 2 + y / t.size[1]) * 2 + x / t.size[0];
        BOOST_REQUIRE_EQUAL(l.offset(0, x, y, z), (block << block_log2(m)) + t.offset(x, y, z, e));
      }
    }
}

BOOST_AUTO_TEST_CASE(samples_are_neighbours_in_z_modes_and_far_apart_in_the_others) {
  for (unsigned mode = 4; mode < 12; ++mode)
    for (unsigned e = 0; e < 4; ++e)
      for (unsigned samples = 2; samples <= 8; samples *= 2) {
        swizzle_mode m = swizzle_mode(mode);
        unsigned log2_samples = samples == 2 ? 1 : samples == 4 ? 2 : 3;
        bool z_order = (mode & 3) == 0;
        block_table t(table_of(m, false)[e], block_log2(m) - e - log2_samples);
        surface_shape s;
        s.swizzle = m;
        s.element_bytes = 1u << e;
        s.samples = samples;
        s.width = t.size[0] * 2;
        s.height = t.size[1];
        surface_layout l(s);
        std::mt19937 random(mode);
        for (unsigned i = 0; i < 3000; ++i) {
          unsigned x = random() % s.width, y = random() % s.height, sample = random() % samples;
          uint64_t block = x / t.size[0], inside = t.offset(x, y, 0, 0);
          uint64_t want = (block << block_log2(m)) + (z_order ? ((inside << log2_samples | sample) << e) : (inside << e) + (uint64_t(sample) << (block_log2(m) - log2_samples)));
          BOOST_REQUIRE_EQUAL(l.offset(0, x, y, 0, sample), want);
        }
      }
}

BOOST_AUTO_TEST_CASE(mip_chains_lie_where_the_turning_rule_puts_them) {
  // 64KB_S, 32 bit: blocks of 128 x 128. 512 x 512: level 0 takes 4 x 4 blocks, level 1 lies below, level 2 right of it, then the tail.
  surface_shape s;
  s.swizzle = swizzle_mode::s_64kb;
  s.width = s.height = 512;
  s.levels = 10;
  surface_layout l(s);
  auto block = [&](unsigned level) { return l.offset(level, 0, 0, 0) >> 16; };
  BOOST_TEST(l.epitch() == 6u * 128 - 1); // rows of the chain
  BOOST_TEST(block(0) == 0u);
  BOOST_TEST(block(1) == 4u * 4);
  BOOST_TEST(block(2) == 4u * 4 + 2);
  BOOST_TEST(l.first_tail_level() == 3u);
  const unsigned tail[7] = {128, 64, 32, 16, 8, 6, 5}; // in 256 bytes: 64x64, 32x32 .. 1x1
  for (unsigned level = 3; level < 10; ++level) BOOST_TEST(l.offset(level, 0, 0, 0) == (uint64_t(5 * 4 + 2) << 16) + tail[level - 3] * 256u);
  BOOST_TEST(l.size() == uint64_t(4 * 6) << 16);
  // Higher than wide: to the right instead, and the field counts the pitch.
  s.width = 128;
  s.levels = 8;
  surface_layout tall(s);
  BOOST_TEST(tall.epitch() == 2u * 128 - 1);
  BOOST_TEST(tall.offset(1, 0, 0, 0) >> 16 == 1u);
  BOOST_TEST(tall.offset(2, 0, 0, 0) >> 16 == 2u * 2 + 1); // level 2: 32 x 128, below level 1 (64 x 256), whose blocks are 1 x 2: the tail
  // All in the tail: one block.
  s.width = s.height = 64;
  s.levels = 7;
  surface_layout small(s);
  BOOST_TEST(small.first_tail_level() == 0u);
  BOOST_TEST(small.offset(0, 0, 0, 0) == 128u * 256);
  BOOST_TEST(small.offset(6, 0, 0, 0) == 5u * 256); // 128 64 32 16 8 6 5
}

BOOST_AUTO_TEST_CASE(no_two_elements_of_an_image_share_a_byte_long) {
  std::mt19937 random(7);
  for (unsigned t = 0; t < 400; ++t) {
    surface_shape s;
    s.kind = random() % 3 == 0 ? surface_kind::dim_3d : surface_kind::dim_2d;
    unsigned mode = random() % 12;
    if (s.kind == surface_kind::dim_3d && (mode == 7 || mode == 11 || (mode > 0 && mode < 4))) continue; // no rotated and 256-byte volumes
    s.swizzle = swizzle_mode(mode);
    unsigned element_log2 = random() % 5;
    s.element_bytes = 1u << element_log2;
    if (mode && !exists(mode, s.kind == surface_kind::dim_3d, element_log2)) continue;
    if (mode == 0 && random() % 4 == 0) s.element_bytes = 12;
    s.width = 1 + random() % 150;
    s.height = 1 + random() % 150;
    s.slices = 1 + random() % (s.kind == surface_kind::dim_3d ? 40 : 3);
    unsigned largest = std::max({s.width, s.height, s.kind == surface_kind::dim_3d ? s.slices : 1u}), most = 1;
    while (largest >> most) ++most;
    if (mode == 0 || mode > 3) s.levels = 1 + random() % most;
    surface_layout l(s);
    std::vector<bool> used(l.size());
    for (unsigned level = 0; level < s.levels; ++level) {
      unsigned w = std::max(s.width >> level, 1u), h = std::max(s.height >> level, 1u), d = s.kind == surface_kind::dim_3d ? std::max(s.slices >> level, 1u) : s.slices;
      for (unsigned z = 0; z < d; ++z)
        for (unsigned y = 0; y < h; ++y)
          for (unsigned x = 0; x < w; ++x) {
            uint64_t at = l.offset(level, x, y, z);
            if (at + s.element_bytes > l.size()) BOOST_FAIL("outside: mode " << mode << " level " << level << " at " << x << "," << y << "," << z << " of " << s.width << "x" << s.height << "x" << s.slices);
            for (unsigned b = 0; b < s.element_bytes; ++b) {
              if (used[at + b]) BOOST_FAIL("overlap: mode " << mode << " bytes " << s.element_bytes << " level " << level << " of " << s.levels << " at " << x << "," << y << "," << z << " of " << s.width << "x" << s.height << "x" << s.slices);
              used[at + b] = true;
            }
          }
    }
  }
}

BOOST_AUTO_TEST_CASE(linear_rows_are_padded_to_256_bytes_and_levels_stack_downwards) {
  surface_shape s;
  s.width = 100;
  s.height = 40;
  s.slices = 3;
  surface_layout one(s);
  BOOST_TEST(one.epitch() == 127u);
  BOOST_TEST(one.offset(0, 7, 9, 2) == (2u * 40 + 9) * 512 + 28);
  s.epitch = 255; // a pitch of the driver's choice
  surface_layout wide(s);
  BOOST_TEST(wide.offset(0, 7, 9, 2) == (2u * 40 + 9) * 1024 + 28);
  s.epitch = -1;
  s.width = s.height = 64;
  s.levels = 7;
  surface_layout chain(s);
  BOOST_TEST(chain.epitch() == 126u); // 64 32 16 8 4 2 1
  BOOST_TEST(chain.offset(3, 1, 2, 1) == (127u + 112 + 2) * 256 + 4);
  BOOST_TEST(chain.size() == 3u * 127 * 256);
}

BOOST_AUTO_TEST_CASE(copies_in_and_out_keep_every_image) {
  std::mt19937 random(3);
  namespace df = lyra::isa::image_data_format;
  using lyra::isa::image_type;
  const unsigned formats[] = {df::f8, df::f16, df::f8_8_8_8, df::f32_32, df::f32_32_32, df::f32_32_32_32, df::fbc1, df::fbc7, df::fgb_gr};
  unsigned tried = 0;
  for (unsigned t = 0; t < 600; ++t) {
    image_description d;
    d.type = image_type(8 + random() % 8);
    d.data_format = formats[random() % 9];
    d.number_format = d.data_format == df::f32_32_32 || d.data_format == df::f32_32_32_32 ? 7 : 0;
    d.width = 1 + random() % 70;
    d.height = lyra::isa::is_1d(d.type) ? 1 : 1 + random() % 70;
    if (d.type == image_type::dim_3d) d.depth = 1 + random() % 9;
    if (d.type == image_type::cube) { d.height = d.width; d.layers = 6; }
    if (lyra::isa::is_array(d.type)) d.layers = 1 + random() % 4;
    if (lyra::isa::is_msaa(d.type)) d.samples = 2u << random() % 3;
    else d.levels = 1 + random() % 5;
    d.swizzle = swizzle_mode(random() % 12);
    if (!image_description_error(d).empty()) continue;
    ++tried;
    image_layout l(d);
    std::vector<uint8_t> host(l.host_bytes()), device(l.device_bytes(), 0xee), back(host.size());
    for (uint8_t& b : host) b = uint8_t(random());
    l.copy_in(host.data(), device.data());
    l.copy_out(device.data(), back.data());
    BOOST_REQUIRE(host == back);
    // Each byte of the host form is somewhere: the padding keeps its 0xee
    size_t filled = size_t(std::count_if(device.begin(), device.end(), [](uint8_t b) { return b != 0xee; }));
    BOOST_REQUIRE(filled <= host.size());
  }
  BOOST_TEST(tried > 100u);
}

BOOST_AUTO_TEST_CASE(names_of_formats_and_modes_are_understood) {
  lyra::isa::image_type t;
  unsigned v;
  swizzle_mode m;
  BOOST_TEST((parse_image_type("2D_array", t) && t == lyra::isa::image_type::array_2d));
  BOOST_TEST((parse_data_format("2_10_10_10", v) && v == 9u));
  BOOST_TEST((parse_data_format("BC6", v) && v == 40u));
  BOOST_TEST((parse_number_format("srgb", v) && v == 9u));
  BOOST_TEST((parse_swizzle_mode("64KB_S", m) && m == swizzle_mode::s_64kb));
  BOOST_TEST(!parse_swizzle_mode("tiled", m));
  BOOST_TEST(!parse_number_format("", v));
  image_description d;
  d.width = 20000;
  BOOST_TEST(image_description_error(d).find("16384") != std::string::npos);
}
