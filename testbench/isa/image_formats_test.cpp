// SPDX-License-Identifier: Apache-2.0
// Image formats against conversions written out here in long double, from the Direct3D rules and the format names.
#include "isa/image_formats.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace lyra::isa;

namespace {

float as_float(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }
uint32_t as_bits(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }

/// Data formats as field widths from the highest bit down, which is how their names are written.
struct named { unsigned data; std::vector<unsigned> from_top; };
const std::vector<named> channel_formats = {
  {1, {8}}, {2, {16}}, {3, {8, 8}}, {4, {32}}, {5, {16, 16}}, {6, {10, 11, 11}}, {7, {11, 11, 10}}, {8, {10, 10, 10, 2}}, {9, {2, 10, 10, 10}}, {10, {8, 8, 8, 8}}, {11, {32, 32}},
  {12, {16, 16, 16, 16}}, {13, {32, 32, 32}}, {14, {32, 32, 32, 32}}, {16, {5, 6, 5}}, {17, {1, 5, 5, 5}}, {18, {5, 5, 5, 1}}, {19, {4, 4, 4, 4}}, {20, {8, 24}}, {21, {24, 8}}};

/// A field of an element given as bytes.
uint32_t field(const uint8_t* p, unsigned low, unsigned bits) {
  uint32_t v = 0;
  for (unsigned b = 0; b < bits; ++b) v |= uint32_t(p[(low + b) / 8] >> ((low + b) % 8) & 1) << b;
  return v;
}

long double small_float(uint32_t v, unsigned exponent_bits, unsigned mantissa_bits, bool sign) {
  long double s = sign && v >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
  unsigned e = v >> mantissa_bits & ((1u << exponent_bits) - 1), m = v & ((1u << mantissa_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1;
  if (e == (1u << exponent_bits) - 1) return m ? NAN : s * INFINITY;
  if (e == 0) return s * std::ldexp((long double)m, 1 - bias - int(mantissa_bits));
  return s * std::ldexp((long double)(m + (1u << mantissa_bits)), int(e) - bias - int(mantissa_bits));
}

/// What a field means: an integer (or float bits as they are), or a real number.
struct meaning { bool as_is = false; uint32_t bits = 0; long double value = 0; };
meaning decode_field(uint32_t v, unsigned n, unsigned number, bool alpha) {
  meaning m;
  long double top = std::ldexp(1.0L, int(n)) - 1, half = std::ldexp(1.0L, int(n) - 1);
  long double s = v >= half ? (long double)v - 2 * half : (long double)v;
  switch (number) {
    case 0: m.value = v / top; break;
    case 1: m.value = std::fmax(-1.0L, n == 1 ? s : s / (half - 1)); break;
    case 2: m.value = v; break;
    case 3: m.value = s; break;
    case 4: m.as_is = true; m.bits = v; break;
    case 5: m.as_is = true; m.bits = uint32_t(int64_t(s)); break;
    case 6: m.value = (2 * s + 1) / top; break;
    case 9: {
      long double c = v / top;
      m.value = alpha ? c : c <= 0.04045L ? c / 12.92L : std::pow((c + 0.055L) / 1.055L, 2.4L);
      break;
    }
    default:
      if (n == 32) { m.as_is = true; m.bits = v; }
      else m.value = n == 16 ? small_float(v, 5, 10, true) : small_float(v, 5, n - 5, false);
  }
  return m;
}

bool legal(unsigned data, unsigned number, const named& f) {
  if (number == 9) return data == 1 || data == 3 || data == 10;
  if (number == 7) return f.from_top[0] == 32 || f.from_top[0] == 16 || data == 6 || data == 7;
  return number <= 6;
}

bool same(uint32_t got, const meaning& m) {
  if (m.as_is) return got == m.bits;
  if (std::isnan(m.value)) return std::isnan(as_float(got));
  return got == as_bits(float(m.value));
}

} // namespace

BOOST_AUTO_TEST_CASE(every_channel_format_loads_every_code_of_its_fields) {
  std::mt19937_64 random(1);
  unsigned combinations = 0;
  for (const named& f : channel_formats) {
    unsigned total = 0;
    for (unsigned b : f.from_top) total += b;
    for (unsigned number = 0; number < 16; ++number) {
      const image_format* format = find_image_format(f.data, number);
      BOOST_REQUIRE_EQUAL(format != nullptr, legal(f.data, number, f));
      if (!format) continue;
      ++combinations;
      BOOST_REQUIRE_EQUAL(format->bytes * 8u, total);
      BOOST_REQUIRE_EQUAL(format->components, f.from_top.size());
      // All values of 16-bit elements; of larger ones all codes of each field up to 16 bits, among random neighbours, then random elements.
      unsigned widest = 0;
      for (unsigned b : f.from_top) if (b <= 16) widest = std::max(widest, b);
      unsigned codes = 1u << widest, tries = total <= 16 ? 1u << total : codes + 4000;
      for (unsigned t = 0; t < tries; ++t) {
        uint8_t element[16];
        for (uint8_t& b : element) b = uint8_t(random());
        if (total <= 16) {
          element[0] = uint8_t(t);
          element[1] = uint8_t(t >> 8);
        } else if (t < codes) {
          unsigned low = 0;
          for (size_t c = f.from_top.size(); c-- > 0;) {
            unsigned n = f.from_top[c];
            for (unsigned b = 0; n <= 16 && b < n; ++b) {
              element[(low + b) / 8] &= uint8_t(~(1u << (low + b) % 8));
              element[(low + b) / 8] |= uint8_t((t >> b & 1) << (low + b) % 8);
            }
            low += n;
          }
        }
        uint32_t rgba[4];
        decode_texel(*format, element, 0, 0, rgba);
        unsigned low = 0;
        for (unsigned c = 0; c < 4; ++c) {
          if (c >= f.from_top.size()) {
            if (rgba[c]) BOOST_FAIL("format " << f.data << " has no component " << c);
            continue;
          }
          unsigned n = f.from_top[f.from_top.size() - 1 - c];
          meaning m = decode_field(field(element, low, n), n, number, c == 3);
          if (!same(rgba[c], m)) BOOST_FAIL("format " << f.data << " number " << number << " component " << c << " field " << field(element, low, n) << ": got " << std::hex << rgba[c]);
          low += n;
        }
      }
    }
  }
  BOOST_TEST(combinations == 20u * 7 + 3 + 9); // seven number formats for all, sRGB for three, float for 16, 32, their vectors, 10_11_11, 11_11_10
}

BOOST_AUTO_TEST_CASE(stores_give_back_what_loads_read_and_round_to_the_nearest_code) {
  std::mt19937_64 random(2);
  for (const named& f : channel_formats)
    for (unsigned number = 0; number < 16; ++number) {
      const image_format* format = find_image_format(f.data, number);
      if (!format) continue;
      BOOST_REQUIRE(format->storable);
      for (unsigned t = 0; t < 4000; ++t) {
        uint8_t element[16] = {}, back[16] = {};
        for (unsigned b = 0; b < format->bytes; ++b) element[b] = uint8_t(t < 256 ? t * 0x11 : random());
        uint32_t rgba[4], again[4];
        decode_texel(*format, element, 0, 0, rgba);
        encode_texel(*format, rgba, back);
        decode_texel(*format, back, 0, 0, again);
        unsigned low = 0;
        for (unsigned c = 0; c < 4; ++c) {
          unsigned n = c < f.from_top.size() ? f.from_top[f.from_top.size() - 1 - c] : 0;
          bool one_bit = n == 1 && (number == 1 || number == 6); // one signed bit has no symmetric codes
          // a 32-bit norm or scaled value has more bits than a float; a NaN may change its payload
          bool wide = n >= 24 && number != 4 && number != 5 && number != 7;
          float a = as_float(rgba[c]), b = as_float(again[c]);
          bool close = wide && std::fabs(a - b) <= std::fabs(a) * 1e-6f;
          if (rgba[c] != again[c] && !one_bit && !close && !(std::isnan(a) && std::isnan(b)))
            BOOST_FAIL("format " << f.data << " number " << number << " component " << c << ": " << std::hex << rgba[c] << " came back as " << again[c]);
          low += n;
        }
      }
      if (number > 1) continue;
      // Any float goes to a code at most half a step away.
      for (unsigned t = 0; t < 4000; ++t) {
        uint32_t in[4], out[4];
        uint8_t element[16];
        for (uint32_t& v : in) v = as_bits(float(int64_t(random() % 3000001) - 1500000) / 1e6f);
        encode_texel(*format, in, element);
        decode_texel(*format, element, 0, 0, out);
        for (unsigned c = 0; c < f.from_top.size(); ++c) {
          unsigned n = f.from_top[f.from_top.size() - 1 - c];
          if (n == 1 && number == 1) continue;
          long double step = number == 0 ? 1 / (std::ldexp(1.0L, int(n)) - 1) : 1 / (std::ldexp(1.0L, int(n) - 1) - 1);
          long double want = std::fmin(std::fmax((long double)as_float(in[c]), number == 0 ? 0.0L : -1.0L), 1.0L);
          if (!(std::fabs(want - as_float(out[c])) <= step / 2 + 1e-7L)) BOOST_FAIL("format " << f.data << " number " << number << ": " << as_float(in[c]) << " became " << as_float(out[c]));
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(integer_stores_saturate_and_unorm_of_nan_is_zero) {
  const image_format& u = *find_image_format(image_data_format::f8_8_8_8, image_number_format::uint);
  uint32_t in[4] = {255, 256, 0xffffffff, 7};
  uint8_t p[4];
  encode_texel(u, in, p);
  BOOST_TEST(p[0] == 255); BOOST_TEST(p[1] == 255); BOOST_TEST(p[2] == 255); BOOST_TEST(p[3] == 7);
  const image_format& s = *find_image_format(image_data_format::f8_8_8_8, image_number_format::sint);
  uint32_t signed_in[4] = {uint32_t(-129), 127, 128, uint32_t(-5)};
  encode_texel(s, signed_in, p);
  BOOST_TEST(p[0] == 0x80); BOOST_TEST(p[1] == 127); BOOST_TEST(p[2] == 127); BOOST_TEST(p[3] == 0xfb);
  const image_format& n = *find_image_format(image_data_format::f8_8_8_8, image_number_format::unorm);
  uint32_t odd[4] = {0x7fc00000, 0x7f800000, 0xff800000, as_bits(0.5f)};
  encode_texel(n, odd, p);
  BOOST_TEST(p[0] == 0); BOOST_TEST(p[1] == 255); BOOST_TEST(p[2] == 0); BOOST_TEST(p[3] == 128); // 127.5: to even
}

BOOST_AUTO_TEST_CASE(depth_with_stencil_reads_depth_first_and_stencil_as_an_integer) {
  const image_format& f = *find_image_format(image_data_format::fx24_8_32, image_number_format::floating);
  uint8_t p[8] = {0, 0, 0x40, 0x3f, 0xa5, 0x11, 0x22, 0x33}; // 0.75, stencil 0xa5, 24 unused bits
  uint32_t rgba[4];
  decode_texel(f, p, 0, 0, rgba);
  BOOST_TEST(as_float(rgba[0]) == 0.75f);
  BOOST_TEST(rgba[1] == 0xa5u);
  const image_format& d = *find_image_format(image_data_format::f8_24, image_number_format::unorm);
  uint8_t q[4] = {0xff, 0xff, 0xff, 0x80};
  decode_texel(d, q, 0, 0, rgba);
  BOOST_TEST(as_float(rgba[0]) == 1.0f);
  BOOST_TEST(rgba[1] == as_bits(float(128 / 255.0)));
}

BOOST_AUTO_TEST_CASE(shared_exponent_loads_all_fields_and_stores_the_nearest) {
  const image_format& f = *find_image_format(image_data_format::f5_9_9_9, image_number_format::floating);
  BOOST_TEST(find_image_format(image_data_format::f5_9_9_9, image_number_format::unorm) == nullptr);
  for (unsigned e = 0; e < 32; ++e)
    for (unsigned m = 0; m < 512; ++m) {
      uint32_t v = m | (511 - m) << 9 | (m ^ 0x155) << 18 | e << 27, rgba[4];
      uint8_t p[4];
      std::memcpy(p, &v, 4);
      decode_texel(f, p, 0, 0, rgba);
      BOOST_REQUIRE(as_float(rgba[0]) == std::ldexp(float(m), int(e) - 24));
      BOOST_REQUIRE(as_float(rgba[1]) == std::ldexp(float(511 - m), int(e) - 24));
      BOOST_REQUIRE(as_float(rgba[2]) == std::ldexp(float(m ^ 0x155), int(e) - 24));
    }
  std::mt19937 random(3);
  for (unsigned t = 0; t < 20000; ++t) {
    float c[3], top = 0;
    uint32_t in[4] = {}, out[4];
    for (unsigned k = 0; k < 3; ++k) {
      c[k] = std::ldexp(float(random() % 100000), int(random() % 24) - 24);
      in[k] = as_bits(c[k]);
      top = std::max(top, c[k]);
    }
    uint8_t p[4];
    encode_texel(f, in, p);
    decode_texel(f, p, 0, 0, out);
    float step = std::ldexp(1.0f, int(p[3] >> 3) - 24);
    BOOST_REQUIRE(p[3] >> 3 == 0 || top >= step * 255); // no exponent larger than needed
    for (unsigned k = 0; k < 3; ++k) BOOST_REQUIRE(std::fabs(as_float(out[k]) - c[k]) <= step / 2);
  }
}

BOOST_AUTO_TEST_CASE(subsampled_pairs_share_red_and_blue) {
  const image_format& a = *find_image_format(image_data_format::fgb_gr, image_number_format::unorm);
  uint8_t p[4] = {10, 20, 30, 40}; // R G0 B G1
  uint32_t rgba[4];
  for (unsigned x = 0; x < 2; ++x) {
    decode_texel(a, p, x, 0, rgba);
    BOOST_TEST(rgba[0] == as_bits(float(10 / 255.0)));
    BOOST_TEST(rgba[1] == as_bits(float((x ? 40 : 20) / 255.0)));
    BOOST_TEST(rgba[2] == as_bits(float(30 / 255.0)));
  }
  const image_format& b = *find_image_format(image_data_format::fbg_rg, image_number_format::unorm);
  for (unsigned x = 0; x < 2; ++x) { // G0 R G1 B
    decode_texel(b, p, x, 0, rgba);
    BOOST_TEST(rgba[0] == as_bits(float(20 / 255.0)));
    BOOST_TEST(rgba[1] == as_bits(float((x ? 30 : 10) / 255.0)));
    BOOST_TEST(rgba[2] == as_bits(float(40 / 255.0)));
  }
  BOOST_TEST(!a.storable);
}

BOOST_AUTO_TEST_CASE(srgb_stores_invert_srgb_loads_and_degamma_reads_unorm_as_srgb) {
  const image_format& f = *find_image_format(image_data_format::f8_8_8_8, image_number_format::srgb);
  const image_format& u = *find_image_format(image_data_format::f8_8_8_8, image_number_format::unorm);
  for (unsigned v = 0; v < 256; ++v) {
    uint8_t p[4] = {uint8_t(v), uint8_t(v), uint8_t(v), uint8_t(v)}, q[4];
    uint32_t rgba[4], forced[4];
    decode_texel(f, p, 0, 0, rgba);
    encode_texel(f, rgba, q);
    BOOST_REQUIRE(std::memcmp(p, q, 4) == 0);
    decode_texel(u, p, 0, 0, forced, true);
    BOOST_REQUIRE(std::memcmp(rgba, forced, 16) == 0);
    BOOST_REQUIRE(rgba[3] == as_bits(float(v / 255.0))); // alpha is linear
  }
}

BOOST_AUTO_TEST_CASE(fmask_widens_each_samples_fragment_to_four_bits) {
  // NUM_FORMAT 5: 8 bits, 4 samples of 2 bits
  const image_format& f = *find_image_format(image_data_format::ffmask, 5);
  uint8_t p[1] = {0xe4}; // samples 0..3 -> fragments 0 1 2 3
  uint32_t rgba[4];
  decode_texel(f, p, 0, 0, rgba);
  BOOST_TEST(rgba[0] == 0x3210u);
  // NUM_FORMAT 11: 64 bits, 16 samples of 4 bits, in two dwords
  const image_format& w = *find_image_format(image_data_format::ffmask, 11);
  uint8_t q[8] = {0x10, 0x32, 0x54, 0x76, 0x01, 0x23, 0x45, 0x67};
  decode_texel(w, q, 0, 0, rgba);
  BOOST_TEST(rgba[0] == 0x76543210u);
  BOOST_TEST(rgba[1] == 0x67452301u);
  BOOST_TEST(find_image_format(image_data_format::ffmask, 13) == nullptr);
}
