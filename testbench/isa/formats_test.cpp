// SPDX-License-Identifier: Apache-2.0
// Data formats: conversions against plain long double and exact integer arithmetic.
#include "isa/formats.h"
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace lyra::isa::formats;

namespace {

float value(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }
uint32_t bits(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
bool same(uint32_t got, float expected) { return std::isnan(expected) ? std::isnan(value(got)) : got == bits(expected); }

long field(long raw, unsigned n, bool is_signed) { return is_signed && (raw >> (n - 1) & 1) ? raw - (1l << n) : raw; }

/// What a field should read as a number.
float expected_read(uint32_t raw, unsigned n, unsigned nfmt) {
  const long u = long(raw), s = field(long(raw), n, true);
  switch (nfmt) {
    case NFMT_UNORM: return float((long double)u / (long double)((1ul << n) - 1));
    case NFMT_SNORM: { const long double v = (long double)s / (long double)((1ul << (n - 1)) - 1); return float(v < -1 ? -1.0L : v); }
    case NFMT_USCALED: return float(u);
    case NFMT_SSCALED: return float(s);
    default: return 0;
  }
}

/// A small float with 5 exponent bits as a number.
double small_value(unsigned exponent, unsigned mantissa, unsigned mantissa_bits) {
  const double unit = std::ldexp(1.0, -int(mantissa_bits));
  if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return exponent ? std::ldexp(1.0 + mantissa * unit, int(exponent) - 15) : std::ldexp(mantissa * unit, -14);
}

/// The nearest small float of a number, ties to even; by arithmetic on doubles.
uint32_t nearest_small(double d, unsigned mantissa_bits) { // d >= 0
  if (std::isinf(d)) return 31u << mantissa_bits;
  int e;
  std::frexp(d, &e); // d = f * 2^e, f in [0.5, 1)
  int exponent = e - 1 < -14 ? -14 : e - 1;
  const double ulp = std::ldexp(1.0, exponent - int(mantissa_bits));
  const double n = std::nearbyint(d / ulp); // exact quotient: d has 24 bits
  const double r = n * ulp;
  if (r > std::ldexp(2.0 - std::ldexp(1.0, -int(mantissa_bits)), 15)) return 31u << mantissa_bits;
  std::frexp(r, &e);
  if (r == 0) return 0;
  exponent = e - 1;
  if (exponent < -14) return uint32_t(std::ldexp(r, 14 + int(mantissa_bits)));
  return uint32_t(exponent + 15) << mantissa_bits | (uint32_t(std::ldexp(r, int(mantissa_bits) - exponent)) & ((1u << mantissa_bits) - 1));
}

const std::vector<float> special{0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 0.25f, 2.0f, -2.0f, 1e30f, -1e30f, 1e-40f, -1e-40f, std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 65504.0f, 65519.0f, 65520.0f, 65536.0f, 6.0e-8f, 2.9e-8f, 3.0e-8f,
                                 255.5f, 254.5f, 127.5f, 126.5f, -128.5f, -127.5f, 4294967296.0f, 2147483648.0f, -2147483648.0f, 4294967040.0f};

std::vector<float> numbers(unsigned count) {
  std::vector<float> v = special;
  std::mt19937 g(7);
  std::uniform_real_distribution<float> unit(-1.1f, 1.1f);
  for (unsigned i = 0; i < count; ++i) {
    v.push_back(unit(g));
    v.push_back(value(g()));
    v.push_back(std::ldexp(unit(g), int(g() % 40) - 20));
  }
  return v;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_narrow_integer_field_reads_as_its_number_format_says) {
  for (unsigned n : {1u, 2u, 4u, 5u, 6u, 8u, 9u, 10u, 11u, 16u})
    for (uint32_t raw = 0; raw < (1u << n); ++raw) {
      for (unsigned f : {NFMT_UNORM, NFMT_USCALED, NFMT_SSCALED})
        if (!same(decode_component(raw, n, f), expected_read(raw, n, f))) BOOST_FAIL("bits " << n << " raw " << raw << " nfmt " << f);
      if (n > 1 && !same(decode_component(raw, n, NFMT_SNORM), expected_read(raw, n, NFMT_SNORM))) BOOST_FAIL("snorm bits " << n << " raw " << raw);
      if (decode_component(raw, n, NFMT_UINT) != raw) BOOST_FAIL("uint " << raw);
      if (int32_t(decode_component(raw, n, NFMT_SINT)) != field(raw, n, true)) BOOST_FAIL("sint " << raw);
    }
  BOOST_TEST(decode_component(0x80, 8, NFMT_SNORM) == bits(-1.0f)); // the second code for -1
  BOOST_TEST(decode_component(0xffffff80, 8, NFMT_UINT) == 0x80u);  // bits above the field do not matter
}

BOOST_AUTO_TEST_CASE(wide_normalized_fields_are_correctly_rounded) {
  std::mt19937_64 g(3);
  for (unsigned n : {24u, 32u})
    for (int i = 0; i < 20000; ++i) {
      uint64_t raw = g() >> (g() % 64) & ((uint64_t(1) << n) - 1);
      if (i % 16 == 0) raw = ((uint64_t(1) << n) - 1) - raw % 4;
      const uint64_t d = (uint64_t(1) << n) - 1;
      const float f = value(decode_component(uint32_t(raw), n, NFMT_UNORM));
      // |f - raw / d| must be the least among the neighbours: compare |f * d - raw| exactly as multiples of 2^-60
      auto error = [&](float x) { int e; const double m = std::frexp(double(x), &e); const __int128 a = __int128(int64_t(std::ldexp(m, 24))) * __int128(d);
        const int s = 60 - 24 + e; const __int128 w = s >= 0 ? a << s : a >> -s; const __int128 r = w - (__int128(raw) << 60); return r < 0 ? -r : r; };
      if (raw > d / 1000) {
        BOOST_REQUIRE(error(f) <= error(std::nextafter(f, 2.0f)));
        BOOST_REQUIRE(error(f) <= error(std::nextafter(f, -1.0f)));
      }
    }
  BOOST_TEST(decode_component(0xffffffff, 32, NFMT_UNORM) == bits(1.0f));
  BOOST_TEST(decode_component(0x80000000, 32, NFMT_SNORM) == bits(-1.0f));
  BOOST_TEST(decode_component(0x7fffffff, 32, NFMT_SNORM) == bits(1.0f));
  BOOST_TEST(decode_component(0x12345678, 32, NFMT_USCALED) == bits(float(0x12345678)));
  BOOST_TEST(decode_component(0xf2345678, 32, NFMT_SSCALED) == bits(float(int32_t(0xf2345678))));
  BOOST_TEST(decode_component(0xf2345678, 32, NFMT_FLOAT) == 0xf2345678u);
  BOOST_TEST(decode_component(0x7fa00001, 32, NFMT_FLOAT) == 0x7fa00001u); // a signalling NaN passes as it is
}

BOOST_AUTO_TEST_CASE(every_half_and_small_float_is_widened_exactly) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const double d = small_value(h >> 10 & 31, h & 1023, 10) * (h >> 15 ? -1 : 1);
    const uint32_t got = f16_to_f32(uint16_t(h));
    if (std::isnan(d) ? !(std::isnan(value(got)) && (got >> 13 & 1023) == (h & 1023) && got >> 31 == h >> 15) : got != bits(float(d))) BOOST_FAIL("half " << h);
  }
  for (unsigned m : {5u, 6u})
    for (uint32_t raw = 0; raw < (32u << m); ++raw)
      if (!same(decode_component(raw, m + 5, NFMT_FLOAT), float(small_value(raw >> m, raw & ((1u << m) - 1), m)))) BOOST_FAIL("small float " << raw);
}

BOOST_AUTO_TEST_CASE(narrowing_floats_rounds_to_nearest_even) {
  for (float f : numbers(30000)) {
    if (std::isnan(f)) {
      BOOST_TEST((f32_to_f16(bits(f)) & 0x7fff) > 0x7c00);
      BOOST_TEST(f32_to_small_float(bits(f), 6) > (31u << 6));
      continue;
    }
    const uint32_t h = nearest_small(std::fabs(double(f)), 10) | (std::signbit(f) ? 0x8000u : 0);
    if (f32_to_f16(bits(f)) != h) BOOST_FAIL("f16 of " << f << ": " << f32_to_f16(bits(f)) << " expected " << h);
    for (unsigned m : {5u, 6u}) {
      const uint32_t e = std::signbit(f) ? 0 : nearest_small(double(f), m);
      if (encode_component(bits(f), m + 5, NFMT_FLOAT) != e) BOOST_FAIL("small float of " << f);
    }
  }
  BOOST_TEST(f32_to_f16(bits(65519.996f)) == 0x7bff);
  BOOST_TEST(f32_to_f16(bits(65520.0f)) == 0x7c00);
  BOOST_TEST(f32_to_f16(0x33000000) == 0);      // 2^-25: a tie, to even
  BOOST_TEST(f32_to_f16(0x33000001) == 1);
  BOOST_TEST(f32_to_f16(bits(1.0f + 1.0f / 2048)) == 0x3c00);  // tie to even
  BOOST_TEST(f32_to_f16(bits(1.0f + 3.0f / 2048)) == 0x3c02);
  BOOST_TEST(f32_to_f16(0x7f800001) == 0x7e00); // a NaN stays one
}

BOOST_AUTO_TEST_CASE(normalized_and_scaled_stores_clamp_and_round_to_nearest_even) {
  for (float f : numbers(20000))
    for (unsigned n : {2u, 5u, 8u, 10u, 11u, 16u}) {
      const double d = std::isnan(f) ? 0.0 : double(f);
      const double top = double((1u << n) - 1), half = double((1u << (n - 1)) - 1);
      const uint32_t mask = (1u << n) - 1;
      const uint32_t unorm = uint32_t(std::nearbyint(std::min(1.0, std::max(0.0, d)) * top));
      const uint32_t snorm = uint32_t(int32_t(std::nearbyint(std::min(1.0, std::max(-1.0, d)) * half))) & mask;
      const uint32_t uscaled = uint32_t(std::min(top, std::max(0.0, std::nearbyint(d))));
      const uint32_t sscaled = uint32_t(int32_t(std::min(half, std::max(-half - 1, std::nearbyint(d))))) & mask;
      if (encode_component(bits(f), n, NFMT_UNORM) != unorm) BOOST_FAIL("unorm" << n << " of " << f << ": " << encode_component(bits(f), n, NFMT_UNORM));
      if (encode_component(bits(f), n, NFMT_SNORM) != snorm) BOOST_FAIL("snorm" << n << " of " << f << ": " << encode_component(bits(f), n, NFMT_SNORM));
      if (encode_component(bits(f), n, NFMT_USCALED) != uscaled) BOOST_FAIL("uscaled" << n << " of " << f);
      if (encode_component(bits(f), n, NFMT_SSCALED) != sscaled) BOOST_FAIL("sscaled" << n << " of " << f);
    }
  BOOST_TEST(encode_component(bits(0.5f), 8, NFMT_UNORM) == 128u); // 127.5
  BOOST_TEST(encode_component(bits(2.5f), 8, NFMT_USCALED) == 2u);
  BOOST_TEST(encode_component(bits(3.5f), 8, NFMT_USCALED) == 4u);
  BOOST_TEST(encode_component(bits(0.5f), 32, NFMT_UNORM) == 0x80000000u); // 2147483647.5, to even
  BOOST_TEST(encode_component(bits(5e9f), 32, NFMT_USCALED) == 0xffffffffu);
  BOOST_TEST(encode_component(bits(-3e9f), 32, NFMT_SSCALED) == 0x80000000u);
  BOOST_TEST(encode_component(bits(3e9f), 32, NFMT_SSCALED) == 0x7fffffffu);
}

BOOST_AUTO_TEST_CASE(integer_stores_clamp_to_the_field) {
  for (unsigned n : {2u, 8u, 10u, 11u, 16u}) {
    const int64_t top = (int64_t(1) << n) - 1;
    for (uint32_t v : {0u, 1u, 2u, 127u, 128u, 255u, 256u, 1023u, 32767u, 32768u, 65535u, 65536u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xffffff80u, 0xffffff7fu}) {
      BOOST_TEST(int64_t(encode_component(v, n, NFMT_UINT)) == std::min<int64_t>(v, top));
      const int64_t s = std::min<int64_t>(std::max<int64_t>(int32_t(v), -(top + 1) / 2), top / 2);
      BOOST_TEST(encode_component(v, n, NFMT_SINT) == (uint32_t(s) & uint32_t(top)));
    }
  }
  BOOST_TEST(encode_component(0xdeadbeef, 32, NFMT_UINT) == 0xdeadbeefu);
  BOOST_TEST(encode_component(0xdeadbeef, 32, NFMT_SINT) == 0xdeadbeefu);
}

BOOST_AUTO_TEST_CASE(components_lie_where_the_format_names_put_them) {
  struct row { unsigned dfmt; const char* name; };
  for (const row& r : {row{1, "8"}, row{2, "16"}, row{3, "8_8"}, row{4, "32"}, row{5, "16_16"}, row{6, "10_11_11"}, row{7, "11_11_10"}, row{8, "10_10_10_2"}, row{9, "2_10_10_10"},
                       row{10, "8_8_8_8"}, row{11, "32_32"}, row{12, "16_16_16_16"}, row{13, "32_32_32"}, row{14, "32_32_32_32"}, row{16, "5_6_5"}, row{17, "1_5_5_5"},
                       row{18, "5_5_5_1"}, row{19, "4_4_4_4"}, row{20, "8_24"}, row{21, "24_8"}}) {
    std::vector<unsigned> widths; // from the top
    for (size_t at = 0; at != std::string::npos && at < std::strlen(r.name);) {
      size_t used;
      widths.push_back(unsigned(std::stoul(r.name + at, &used)));
      at += used + 1;
    }
    unsigned total = 0;
    for (unsigned w : widths) total += w;
    BOOST_TEST(element_bytes(r.dfmt) * 8 == total);
    unsigned at = 0;
    for (unsigned c = 0; c < 4; ++c) {
      uint32_t out[4];
      const bool exists = c < widths.size();
      const unsigned w = exists ? widths[widths.size() - 1 - c] : 0;
      uint8_t memory[16] = {};
      for (unsigned b = at; b < at + w; ++b) memory[b / 8] = uint8_t(memory[b / 8] | 1u << (b % 8)); // all ones in this field only
      decode(r.dfmt, NFMT_UINT, memory, out);
      for (unsigned k = 0; k < 4; ++k) BOOST_TEST(out[k] == (k == c && exists ? uint32_t((uint64_t(1) << w) - 1) : 0u), r.name << " component " << k);
      uint8_t back[16] = {};
      encode(r.dfmt, NFMT_UINT, out, back);
      BOOST_TEST(std::memcmp(back, memory, element_bytes(r.dfmt)) == 0, r.name);
      at += w;
    }
  }
}

BOOST_AUTO_TEST_CASE(all_codes_of_every_defined_format_survive_a_load_and_a_store) {
  std::mt19937 g(11);
  unsigned count = 0;
  for (unsigned d = 1; d <= 14; ++d)
    for (unsigned f = 0; f <= 7; ++f) {
      if (!defined(d, f)) continue;
      ++count;
      const layout& l = layout_of(d);
      for (int i = 0; i < 3000; ++i) {
        uint8_t memory[16], back[16];
        for (uint8_t& b : memory) b = uint8_t(g() >> 7);
        bool exact = true; // fields that have two codes for one value, or more bits than a float
        for (unsigned c = 0; c < l.components; ++c) {
          const uint32_t raw = extract(l, c, memory);
          const unsigned n = l.bits[c];
          if (f == NFMT_SNORM && raw == 1u << (n - 1)) exact = false;
          if (n == 32 && f < NFMT_UINT) exact = false;
          if (f == NFMT_FLOAT && n == 16 && (raw & 0x7c00) == 0x7c00) exact = false; // NaN turns quiet
          if (f == NFMT_FLOAT && n == 11 && (raw >> 6) == 31) exact = false;
          if (f == NFMT_FLOAT && n == 10 && (raw >> 5) == 31) exact = false;
        }
        if (!exact) continue;
        uint32_t v[4];
        decode(d, f, memory, v);
        encode(d, f, v, back);
        if (std::memcmp(memory, back, l.bytes)) BOOST_FAIL("dfmt " << d << " nfmt " << f);
      }
    }
  BOOST_TEST(count == 14u * 6 + 9); // floats: 16, 32, 16_16, the two 11/10 ones, 32_32, 16x4, 32x3, 32x4
}

BOOST_AUTO_TEST_CASE(combinations_without_meaning_read_zero) {
  const uint8_t memory[16] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  for (unsigned d = 0; d < 40; ++d)
    for (unsigned f = 0; f < 10; ++f)
      if (!defined(d, f)) {
        uint32_t v[4] = {1, 2, 3, 4};
        decode(d, f, memory, v);
        BOOST_TEST((v[0] | v[1] | v[2] | v[3]) == 0u);
      }
  BOOST_TEST(!defined(DFMT_8_8_8_8, NFMT_FLOAT));
  BOOST_TEST(!defined(DFMT_2_10_10_10, NFMT_FLOAT));
  BOOST_TEST(!defined(DFMT_32, NFMT_RESERVED_6));
  BOOST_TEST(element_bytes(0) == 0u);
  BOOST_TEST(element_bytes(15) == 0u);
}

BOOST_AUTO_TEST_CASE(d16_converts_by_the_number_format) {
  for (uint32_t h = 0; h < 65536; ++h) {
    BOOST_REQUIRE(from_d16(uint16_t(h), NFMT_UINT) == h);
    BOOST_REQUIRE(int32_t(from_d16(uint16_t(h), NFMT_SINT)) == int16_t(h));
    BOOST_REQUIRE(to_d16(h, NFMT_UINT) == h);
    if ((h & 0x7c00) != 0x7c00) BOOST_REQUIRE(to_d16(from_d16(uint16_t(h), NFMT_UNORM), NFMT_UNORM) == h);
  }
  BOOST_TEST(to_d16(70000, NFMT_UINT) == 65535);
  BOOST_TEST(to_d16(40000, NFMT_SINT) == 32767);
  BOOST_TEST(to_d16(uint32_t(-40000), NFMT_SINT) == uint16_t(-32768));
  BOOST_TEST(to_d16(bits(1.0f), NFMT_SNORM) == 0x3c00);
}

BOOST_AUTO_TEST_CASE(dst_sel_picks_constants_and_components) {
  const uint32_t v[4] = {10, 20, 30, 40};
  BOOST_TEST(select(0, v, NFMT_UNORM) == 0u);
  BOOST_TEST(select(1, v, NFMT_UNORM) == bits(1.0f));
  BOOST_TEST(select(1, v, NFMT_SINT) == 1u);
  for (unsigned c = 0; c < 4; ++c) BOOST_TEST(select(4 + c, v, NFMT_UINT) == v[c]);
  BOOST_TEST(select(2, v, NFMT_UINT) == 0u);
}

BOOST_AUTO_TEST_CASE(shared_exponent_texels_read_and_write_their_numbers) {
  std::mt19937 g(5);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t w = g();
    uint32_t v[4];
    uint8_t memory[4], back[4];
    std::memcpy(memory, &w, 4);
    decode(DFMT_5_9_9_9, NFMT_FLOAT, memory, v);
    for (unsigned c = 0; c < 3; ++c) BOOST_REQUIRE(value(v[c]) == float(std::ldexp(double(w >> (9 * c) & 511), int(w >> 27) - 24)));
    encode(DFMT_5_9_9_9, NFMT_FLOAT, v, back);
    uint32_t again[4];
    decode(DFMT_5_9_9_9, NFMT_FLOAT, back, again); // another exponent may stand there, the numbers are the same
    for (unsigned c = 0; c < 3; ++c) BOOST_REQUIRE(value(again[c]) == value(v[c]));
  }
}

BOOST_AUTO_TEST_CASE(many_elements_at_once_read_as_one_by_one) {
  std::mt19937 g(13);
  for (unsigned d = 0; d < 40; ++d)
    for (unsigned f = 0; f < 10; ++f)
      for (unsigned components = 1; components <= 4; ++components) {
        std::vector<uint8_t> memory(64 * 16 + 16);
        for (uint8_t& b : memory) b = uint8_t(g() >> 9);
        uint32_t rows[4][64];
        decode_rows(d, f, memory.data(), 64, components, rows);
        for (unsigned e = 0; e < 64; ++e) {
          uint32_t v[4];
          decode(d, f, memory.data() + e * element_bytes(d), v);
          for (unsigned c = 0; c < components; ++c)
            if (rows[c][e] != v[c]) BOOST_FAIL("dfmt " << d << " nfmt " << f << " element " << e << " component " << c);
        }
      }
}
