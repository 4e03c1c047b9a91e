// SPDX-License-Identifier: Apache-2.0
// T# and S# fields: each at the bits that the ISA's tables 39 and 40 (corrected) give it.
#include "isa/image_descriptors.h"
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <vector>

using namespace lyra::isa;

namespace {

struct t_field { unsigned low, bits; std::function<uint64_t(const image_resource&)> get; };
// First bit in the 256-bit descriptor, width, and what the decoder says (undoing its +1 and shifts).
const std::vector<t_field> resource_fields = {
  {0, 40, [](const image_resource& r) { return r.base >> 8; }}, {40, 12, [](const image_resource& r) { return r.min_lod; }}, {52, 6, [](const image_resource& r) { return r.data_format; }},
  {58, 4, [](const image_resource& r) { return r.number_format; }}, {62, 1, [](const image_resource& r) { return r.nv; }}, {63, 1, [](const image_resource& r) { return r.metadata_direct; }},
  {64, 14, [](const image_resource& r) { return r.width - 1; }}, {78, 14, [](const image_resource& r) { return r.height - 1; }}, {92, 3, [](const image_resource& r) { return r.perf_mod; }},
  {96, 3, [](const image_resource& r) { return uint64_t(r.dst_sel[0]); }}, {99, 3, [](const image_resource& r) { return uint64_t(r.dst_sel[1]); }},
  {102, 3, [](const image_resource& r) { return uint64_t(r.dst_sel[2]); }}, {105, 3, [](const image_resource& r) { return uint64_t(r.dst_sel[3]); }},
  {108, 4, [](const image_resource& r) { return r.base_level; }}, {112, 4, [](const image_resource& r) { return r.last_level; }}, {116, 5, [](const image_resource& r) { return uint64_t(r.swizzle); }},
  {124, 4, [](const image_resource& r) { return uint64_t(r.type); }}, {128, 13, [](const image_resource& r) { return r.depth; }}, {141, 16, [](const image_resource& r) { return r.pitch; }},
  {157, 3, [](const image_resource& r) { return r.border_swizzle; }}, {160, 13, [](const image_resource& r) { return r.base_array; }}, {173, 4, [](const image_resource& r) { return r.array_pitch; }},
  {177, 8, [](const image_resource& r) { return r.metadata_address >> 40; }}, {185, 1, [](const image_resource& r) { return r.meta_linear; }},
  {186, 1, [](const image_resource& r) { return r.meta_pipe_aligned; }}, {187, 1, [](const image_resource& r) { return r.meta_rb_aligned; }}, {188, 4, [](const image_resource& r) { return r.max_mip; }},
  {192, 12, [](const image_resource& r) { return r.min_lod_warn; }}, {204, 8, [](const image_resource& r) { return r.counter_bank_id; }}, {212, 1, [](const image_resource& r) { return r.lod_hw_count_enable; }},
  {213, 1, [](const image_resource& r) { return r.compression_enable; }}, {214, 1, [](const image_resource& r) { return r.alpha_on_msb; }}, {215, 1, [](const image_resource& r) { return r.color_transform; }},
  {216, 4, [](const image_resource& r) { return r.lost_alpha_bits; }}, {220, 4, [](const image_resource& r) { return r.lost_color_bits; }}, {224, 32, [](const image_resource& r) { return r.metadata_address >> 8 & 0xffffffff; }}};

struct s_field { unsigned low, bits; std::function<int64_t(const image_sampler&)> get; bool is_signed = false; };
const std::vector<s_field> sampler_fields = {
  {0, 3, [](const image_sampler& s) { return int(s.clamp_x); }}, {3, 3, [](const image_sampler& s) { return int(s.clamp_y); }}, {6, 3, [](const image_sampler& s) { return int(s.clamp_z); }},
  {9, 3, [](const image_sampler& s) { return s.max_aniso_ratio; }}, {12, 3, [](const image_sampler& s) { return int(s.compare); }}, {15, 1, [](const image_sampler& s) { return s.force_unnormalized; }},
  {16, 3, [](const image_sampler& s) { return s.aniso_threshold; }}, {19, 1, [](const image_sampler& s) { return s.mc_coord_trunc; }}, {20, 1, [](const image_sampler& s) { return s.force_degamma; }},
  {21, 6, [](const image_sampler& s) { return s.aniso_bias; }}, {27, 1, [](const image_sampler& s) { return s.trunc_coord; }}, {28, 1, [](const image_sampler& s) { return s.disable_cube_wrap; }},
  {29, 2, [](const image_sampler& s) { return int(s.mode); }}, {31, 1, [](const image_sampler& s) { return s.compat_mode; }}, {32, 12, [](const image_sampler& s) { return s.min_lod; }},
  {44, 12, [](const image_sampler& s) { return s.max_lod; }}, {56, 4, [](const image_sampler& s) { return s.perf_mip; }}, {60, 4, [](const image_sampler& s) { return s.perf_z; }},
  {64, 14, [](const image_sampler& s) { return s.lod_bias; }, true}, {78, 6, [](const image_sampler& s) { return s.lod_bias_sec; }, true}, {84, 2, [](const image_sampler& s) { return s.xy_mag; }},
  {86, 2, [](const image_sampler& s) { return s.xy_min; }}, {88, 2, [](const image_sampler& s) { return s.z_filter; }}, {90, 2, [](const image_sampler& s) { return s.mip_filter; }},
  {92, 1, [](const image_sampler& s) { return s.mip_point_preclamp; }}, {93, 1, [](const image_sampler& s) { return s.disable_lsb_ceil; }}, {94, 1, [](const image_sampler& s) { return s.filter_prec_fix; }},
  {95, 1, [](const image_sampler& s) { return s.aniso_override; }}, {96, 12, [](const image_sampler& s) { return s.border_color_pointer; }}, {126, 2, [](const image_sampler& s) { return int(s.border); }}};

uint64_t bits_at(const uint32_t* w, unsigned low, unsigned n) {
  uint64_t v = 0;
  for (unsigned b = 0; b < n; ++b) v |= uint64_t(w[(low + b) / 32] >> ((low + b) % 32) & 1) << b;
  return v;
}

image_resource plain() {
  image_resource r;
  r.type = image_type::dim_2d;
  r.data_format = 10;
  r.width = r.height = 16;
  r.pitch = 63;
  return r;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_resource_field_is_read_and_written_at_its_bits) {
  std::mt19937 random(1);
  for (unsigned t = 0; t < 200; ++t) {
    uint32_t w[8], back[8];
    for (uint32_t& v : w) v = random();
    w[2] &= 0x7fffffff; // bits 95 and 123:121 are reserved
    w[3] &= ~(7u << 25);
    image_resource r = decode_image_resource(w);
    for (const t_field& f : resource_fields) BOOST_REQUIRE_MESSAGE(f.get(r) == bits_at(w, f.low, f.bits), "field at bit " << f.low);
    encode_image_resource(r, back);
    BOOST_REQUIRE_EQUAL_COLLECTIONS(w, w + 8, back, back + 8);
  }
}

BOOST_AUTO_TEST_CASE(every_sampler_field_is_read_and_written_at_its_bits) {
  std::mt19937 random(2);
  for (unsigned t = 0; t < 200; ++t) {
    uint32_t w[4], back[4];
    for (uint32_t& v : w) v = random();
    w[3] &= 0xc0000fff; // bits 125:108 are unused
    image_sampler s = decode_image_sampler(w);
    for (const s_field& f : sampler_fields) {
      int64_t v = int64_t(bits_at(w, f.low, f.bits));
      if (f.is_signed && v >> (f.bits - 1)) v -= int64_t(1) << f.bits;
      BOOST_REQUIRE_MESSAGE(f.get(s) == v, "field at bit " << f.low);
    }
    encode_image_sampler(s, back);
    BOOST_REQUIRE_EQUAL_COLLECTIONS(w, w + 4, back, back + 4);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_modelled_in_a_resource_is_named) {
  auto error = [](std::function<void(image_resource&)> change) {
    image_resource r = plain();
    change(r);
    return image_resource_error(r);
  };
  auto names = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  BOOST_TEST(error([](image_resource&) {}) == "");
  BOOST_TEST(image_resource_error(image_resource{}) == ""); // all zero: unbound
  BOOST_TEST(names(error([](image_resource& r) { r.type = image_type::buffer; }), "TYPE"));
  BOOST_TEST(names(error([](image_resource& r) { r.type = image_type(3); }), "reserved"));
  BOOST_TEST(names(error([](image_resource& r) { r.data_format = 50; }), "format 50"));
  BOOST_TEST(names(error([](image_resource& r) { r.number_format = 7; }), "number format 7")); // no 8-bit floats
  BOOST_TEST(names(error([](image_resource& r) { r.dst_sel[2] = component_select(3); }), "DST_SEL_Z"));
  for (unsigned m = 0; m < 32; ++m) {
    const std::string text = error([&](image_resource& r) { r.swizzle = swizzle_mode(m); });
    const bool variable = (m >= 12 && m < 16) || (m >= 28 && m < 31);
    BOOST_TEST((variable ? names(text, name_of(swizzle_mode(m))) : text.empty()), name_of(swizzle_mode(m)) << ": " << text);
  }
  BOOST_TEST(names(error([](image_resource& r) { r.swizzle = swizzle_mode::linear_general; r.depth = 1; r.type = image_type::array_2d; }), "LINEAR_GENERAL"));
  BOOST_TEST(names(error([](image_resource& r) { r.type = image_type::dim_1d; r.swizzle = swizzle_mode::s_4kb; }), "1D"));
  BOOST_TEST(names(error([](image_resource& r) { r.type = image_type::msaa_2d; }), "MSAA"));
  BOOST_TEST(names(error([](image_resource& r) { r.data_format = 14; r.number_format = 7; r.swizzle = swizzle_mode::z_64kb; }), "64 bits"));
  BOOST_TEST(names(error([](image_resource& r) { r.data_format = 14; r.number_format = 7; r.swizzle = swizzle_mode::r_4kb; }), "64 bits"));
  BOOST_TEST(names(error([](image_resource& r) { r.type = image_type::dim_3d; r.swizzle = swizzle_mode::r_4kb; }), "3D"));
  BOOST_TEST(names(error([](image_resource& r) { r.base_level = 1; }), "BASE_LEVEL"));
  BOOST_TEST(names(error([](image_resource& r) { r.last_level = 1; }), "LAST_LEVEL"));
  BOOST_TEST(names(error([](image_resource& r) { r.border_swizzle = 6; }), "BC_SWIZZLE"));
  BOOST_TEST(names(error([](image_resource& r) { r.array_pitch = 1; }), "ARRAY_PITCH"));
  BOOST_TEST(names(error([](image_resource& r) { r.compression_enable = true; }), "COMPRESSION_EN"));
  BOOST_TEST(names(error([](image_resource& r) { r.lod_hw_count_enable = true; }), "LOD_HDW_CNT_EN"));
}

BOOST_AUTO_TEST_CASE(what_is_not_modelled_in_a_sampler_is_named) {
  auto error = [](std::function<void(image_sampler&)> change) {
    image_sampler s;
    change(s);
    return image_sampler_error(s);
  };
  auto names = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  BOOST_TEST(error([](image_sampler& s) { s.compat_mode = s.filter_prec_fix = s.disable_lsb_ceil = true; s.perf_mip = s.perf_z = 3; s.aniso_bias = s.aniso_threshold = 2; s.lod_bias_sec = -1; s.mc_coord_trunc = true; }) == "");
  BOOST_TEST(names(error([](image_sampler& s) { s.max_aniso_ratio = 5; }), "MAX_ANISO_RATIO"));
  BOOST_TEST(names(error([](image_sampler& s) { s.mode = filter_mode::reserved; }), "FILTER_MODE"));
  BOOST_TEST(names(error([](image_sampler& s) { s.z_filter = 3; }), "Z_FILTER"));
  BOOST_TEST(names(error([](image_sampler& s) { s.mip_filter = 3; }), "MIP_FILTER"));
}
