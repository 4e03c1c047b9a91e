// SPDX-License-Identifier: Apache-2.0
// Block-compressed texels against blocks put together field by field here, and decoded in the plainest way.
#include "isa/image_blocks.h"
#include "isa/image_formats.h"
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace lyra::isa;

namespace {

std::mt19937 bits(4);
unsigned pick(unsigned n) { return bits() % n; }

/// A block written from its lowest bit on.
struct writer {
  uint8_t block[16] = {};
  unsigned at = 0;
  void put(unsigned v, unsigned n) { for (unsigned b = 0; b < n; ++b, ++at) block[at / 8] |= uint8_t((v >> b & 1) << at % 8); }
};

void expect(unsigned bc, bool is_signed, const uint8_t* block, unsigned texel, const double* want, unsigned components, double tolerance = 1e-7) {
  float got[4];
  decode_block_texel(bc, is_signed, block, texel % 4, texel / 4, got);
  for (unsigned c = 0; c < components; ++c)
    if (!(std::fabs(got[c] - want[c]) <= tolerance * std::fmax(1, std::fabs(want[c])))) BOOST_FAIL("BC" << bc << " texel " << texel << " component " << c << ": " << got[c] << " not " << want[c]);
}

/// The eight or six steps and the two constants of a BC3 alpha or BC4 block.
std::vector<double> single_palette(int a, int b, bool is_signed) {
  double top = is_signed ? 127 : 255, x = std::max(a / top, is_signed ? -1.0 : 0.0), y = std::max(b / top, is_signed ? -1.0 : 0.0);
  std::vector<double> p = {x, y};
  if (a > b) for (int k = 1; k <= 6; ++k) p.push_back((x * (7 - k) + y * k) / 7);
  else {
    for (int k = 1; k <= 4; ++k) p.push_back((x * (5 - k) + y * k) / 5);
    p.push_back(is_signed ? -1 : 0);
    p.push_back(1);
  }
  return p;
}

} // namespace

BOOST_AUTO_TEST_CASE(bc1_has_four_colours_or_three_and_transparent_black) {
  for (unsigned t = 0; t < 2000; ++t) {
    writer w;
    unsigned c[2] = {pick(65536), t % 5 == 0 ? 0 : pick(65536)};
    if (t % 7 == 0) c[1] = c[0];
    w.put(c[0], 16);
    w.put(c[1], 16);
    unsigned code[16];
    for (unsigned& k : code) { k = pick(4); w.put(k, 2); }
    double end[2][3];
    for (unsigned e = 0; e < 2; ++e) { end[e][0] = (c[e] >> 11) / 31.0; end[e][1] = (c[e] >> 5 & 63) / 63.0; end[e][2] = (c[e] & 31) / 31.0; }
    for (unsigned i = 0; i < 16; ++i) {
      double want[4] = {0, 0, 0, 1};
      for (unsigned k = 0; k < 3; ++k) {
        double a = end[0][k], b = end[1][k];
        const double four[4] = {a, b, (2 * a + b) / 3, (a + 2 * b) / 3}, three[4] = {a, b, (a + b) / 2, 0};
        want[k] = c[0] > c[1] ? four[code[i]] : three[code[i]];
      }
      if (c[0] <= c[1] && code[i] == 3) want[3] = 0;
      expect(1, false, w.block, i, want, 4);
    }
  }
}

BOOST_AUTO_TEST_CASE(bc2_and_bc3_carry_alpha_in_front_of_a_four_colour_block) {
  for (unsigned t = 0; t < 1000; ++t) {
    writer two, three;
    unsigned alpha[16], index[16], a = pick(256), b = pick(256);
    for (unsigned& v : alpha) { v = pick(16); two.put(v, 4); }
    three.put(a, 8);
    three.put(b, 8);
    for (unsigned& v : index) { v = pick(8); three.put(v, 3); }
    std::vector<double> palette = single_palette(int(a), int(b), false);
    unsigned c0 = pick(65536), c1 = pick(65536), code[16];
    for (writer* w : {&two, &three}) { w->put(c0, 16); w->put(c1, 16); }
    for (unsigned& k : code) { k = pick(4); two.put(k, 2); three.put(k, 2); }
    for (unsigned i = 0; i < 16; ++i) {
      double want[4];
      const unsigned low[3] = {11, 5, 0}, width[3] = {31, 63, 31};
      for (unsigned k = 0; k < 3; ++k) {
        double x = (c0 >> low[k] & width[k]) / double(width[k]), y = (c1 >> low[k] & width[k]) / double(width[k]);
        const double four[4] = {x, y, (2 * x + y) / 3, (x + 2 * y) / 3}; // also where c0 <= c1
        want[k] = four[code[i]];
      }
      want[3] = alpha[i] / 15.0;
      expect(2, false, two.block, i, want, 4);
      want[3] = palette[index[i]];
      expect(3, false, three.block, i, want, 4);
    }
  }
}

BOOST_AUTO_TEST_CASE(bc4_and_bc5_step_between_signed_or_unsigned_ends) {
  for (unsigned t = 0; t < 2000; ++t)
    for (bool is_signed : {false, true}) {
      writer w;
      unsigned index[2][16];
      std::vector<double> palette[2];
      for (unsigned c = 0; c < 2; ++c) {
        unsigned a = pick(256), b = t % 9 == 0 ? a : pick(256);
        if (t % 11 == 0) a = 0x80; // -128 means -1 too
        w.put(a, 8);
        w.put(b, 8);
        for (unsigned& v : index[c]) { v = pick(8); w.put(v, 3); }
        palette[c] = is_signed ? single_palette(int8_t(a), int8_t(b), true) : single_palette(int(a), int(b), false);
      }
      for (unsigned i = 0; i < 16; ++i) {
        double want[4] = {palette[0][index[0][i]], palette[1][index[1][i]], 0, 0};
        expect(5, is_signed, w.block, i, want, 4);
        want[1] = 0;
        expect(4, is_signed, w.block, i, want, 4);
      }
    }
}

namespace {

/// Some partitions as the specification draws them, with the texels whose index loses its top bit.
struct partition { unsigned subsets, number; const char* picture; unsigned anchors[3]; };
const partition partitions[] = {
  {2, 0, "0011001100110011", {0, 15, 0}}, {2, 13, "0000000011111111", {0, 15, 0}}, {2, 15, "0000000000001111", {0, 15, 0}}, {2, 1, "0001000100010001", {0, 15, 0}}, {2, 17, "0111000100000000", {0, 2, 0}},
  {2, 26, "0110011001100110", {0, 2, 0} }, {2, 32, "0101010101010101", {0, 15, 0}},
  {3, 10, "0000111122222222", {0, 6, 15}}, {3, 11, "0012001200120012", {0, 6, 15}}, {3, 8, "0000000011112222", {0, 8, 15}}};

double weight(unsigned width, unsigned index) { // rounded sixty-fourths of index / (2^width - 1)
  static const int two[4] = {0, 21, 43, 64}, three[8] = {0, 9, 18, 27, 37, 46, 55, 64}, four[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
  return width == 2 ? two[index] : width == 3 ? three[index] : four[index];
}

} // namespace

BOOST_AUTO_TEST_CASE(bc7_modes_lay_out_ends_p_bits_and_indices_as_specified) {
  struct mode { unsigned subsets, partition_bits, rotation, selection, colour, alpha; bool own_p, shared_p; unsigned index, second; };
  const mode modes[8] = {{3, 4, 0, 0, 4, 0, true, false, 3, 0}, {2, 6, 0, 0, 6, 0, false, true, 3, 0}, {3, 6, 0, 0, 5, 0, false, false, 2, 0}, {2, 6, 0, 0, 7, 0, true, false, 2, 0},
                         {1, 0, 2, 1, 5, 6, false, false, 2, 3}, {1, 0, 2, 0, 7, 8, false, false, 2, 2}, {1, 0, 0, 0, 7, 7, true, false, 4, 0}, {2, 6, 0, 0, 5, 5, true, false, 2, 0}};
  unsigned blocks = 0;
  for (unsigned t = 0; t < 6000; ++t) {
    unsigned number = t % 8;
    const mode& m = modes[number];
    partition p = {1, 0, "0000000000000000", {0, 0, 0}};
    if (m.subsets > 1) {
      p = partitions[pick(10)];
      if (p.subsets != m.subsets || p.number >> m.partition_bits) continue;
    }
    ++blocks;
    writer w;
    w.put(1u << number, number + 1);
    w.put(p.number, m.partition_bits);
    unsigned rotation = pick(m.rotation ? 4 : 1), selection = pick(m.selection ? 2 : 1);
    w.put(rotation, m.rotation);
    w.put(selection, m.selection);
    unsigned end[3][2][4] = {}, p_bit[3][2];
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned s = 0; s < m.subsets; ++s)
        for (unsigned e = 0; e < 2; ++e) {
          unsigned width = c < 3 ? m.colour : m.alpha;
          end[s][e][c] = pick(1u << width);
          w.put(end[s][e][c], width);
        }
    for (unsigned s = 0; s < m.subsets; ++s) {
      for (unsigned e = 0; e < 2; ++e) {
        p_bit[s][e] = m.shared_p && e ? p_bit[s][0] : pick(2);
        if (m.own_p || (m.shared_p && e == 0)) w.put(p_bit[s][e], 1);
      }
    }
    auto anchor = [&](unsigned i, unsigned subsets) { for (unsigned s = 0; s < subsets; ++s) if (p.anchors[s] == i) return true; return false; };
    unsigned index[2][16];
    for (unsigned k = 0; k < (m.second ? 2u : 1u); ++k)
      for (unsigned i = 0; i < 16; ++i) {
        unsigned width = (k ? m.second : m.index) - anchor(i, k ? 1 : m.subsets);
        index[k][i] = pick(1u << width);
        w.put(index[k][i], width);
      }
    BOOST_REQUIRE_EQUAL(w.at, 128u);
    for (unsigned i = 0; i < 16; ++i) {
      unsigned s = unsigned(p.picture[i] - '0');
      double out[4];
      for (unsigned c = 0; c < 4; ++c) {
        unsigned width = c < 3 ? m.colour : m.alpha;
        if (!width) { out[c] = 255; continue; }
        double v[2];
        for (unsigned e = 0; e < 2; ++e) {
          unsigned x = end[s][e][c], n = width;
          if (m.own_p || m.shared_p) { x = x * 2 + p_bit[s][e]; ++n; }
          x <<= 8 - n; // to eight bits, the top ones repeated below
          v[e] = x | x >> n;
        }
        unsigned from = m.second && ((c < 3) == (selection == 1)) ? 1 : 0;
        double wt = weight(from ? m.second : m.index, index[from][i]);
        out[c] = std::floor((v[0] * (64 - wt) + v[1] * wt + 32) / 64);
      }
      if (rotation) std::swap(out[3], out[rotation - 1]);
      for (double& v : out) v /= 255;
      expect(7, false, w.block, i, out, 4);
    }
  }
  BOOST_TEST(blocks > 3000u);
  uint8_t reserved[16] = {};
  double zero[4] = {0, 0, 0, 0};
  expect(7, false, reserved, 5, zero, 4);
}

namespace {

double half_value(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  double v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024.0 + m, e - 25) : std::ldexp(double(m), -24);
  return h >> 15 ? -v : v;
}

/// One BC6 value from its two ends: widen to 16 bits, mix, scale by 31/64 or 31/32 to a half.
double bc6_value(int a, int b, unsigned width, unsigned wt, bool is_signed) {
  auto widen = [&](int v) -> int {
    if (is_signed) {
      if (width >= 16) return v;
      int m = std::abs(v), top = (1 << (width - 1)) - 1;
      m = m == 0 ? 0 : m >= top ? 0x7fff : ((m << 15) + 0x4000) >> (width - 1);
      return v < 0 ? -m : m;
    }
    if (width >= 15) return v;
    return v == 0 ? 0 : v == (1 << width) - 1 ? 0xffff : ((v << 16) + 0x8000) >> width;
  };
  long mixed = (long(widen(a)) * (64 - int(wt)) + long(widen(b)) * int(wt) + 32) >> 6;
  if (!is_signed) return half_value(uint16_t(mixed * 31 >> 6));
  return mixed < 0 ? -half_value(uint16_t(-mixed * 31 >> 5)) : half_value(uint16_t(mixed * 31 >> 5));
}

int as_signed(unsigned v, unsigned width) { return v >> (width - 1) ? int(v) - (1 << width) : int(v); }

} // namespace

BOOST_AUTO_TEST_CASE(bc6_one_region_modes_hold_ends_or_differences_signed_or_not) {
  // Codes 3, 7, 11, 15: 10-bit ends; 11, 12, 16 bits with differences of 9, 8, 4. Top bits of the first end follow the difference, highest first.
  const unsigned codes[4] = {3, 7, 11, 15}, width[4] = {10, 11, 12, 16}, difference[4] = {10, 9, 8, 4};
  for (unsigned t = 0; t < 4000; ++t)
    for (bool is_signed : {false, true}) {
      unsigned k = t % 4;
      writer w;
      w.put(codes[k], 5);
      unsigned first[3], second[3];
      for (unsigned c = 0; c < 3; ++c) { first[c] = pick(1u << width[k]); second[c] = pick(1u << difference[k]); }
      for (unsigned c = 0; c < 3; ++c) w.put(first[c] & 1023, 10);
      for (unsigned c = 0; c < 3; ++c) {
        w.put(second[c], difference[k]);
        for (unsigned b = width[k]; b-- > 10;) w.put(first[c] >> b & 1, 1);
      }
      unsigned index[16];
      for (unsigned i = 0; i < 16; ++i) { index[i] = pick(i ? 16 : 8); w.put(index[i], i ? 4 : 3); }
      BOOST_REQUIRE_EQUAL(w.at, 128u);
      for (unsigned i = 0; i < 16; ++i) {
        double want[4] = {0, 0, 0, 1};
        for (unsigned c = 0; c < 3; ++c) {
          int a = is_signed ? as_signed(first[c], width[k]) : int(first[c]), b;
          if (k == 0) b = is_signed ? as_signed(second[c], 10) : int(second[c]);
          else {
            unsigned sum = unsigned(int(first[c]) + as_signed(second[c], difference[k])) & ((1u << width[k]) - 1);
            b = is_signed ? as_signed(sum, width[k]) : int(sum);
          }
          want[c] = bc6_value(a, b, width[k], unsigned(weight(4, index[i])), is_signed);
        }
        float got[4];
        decode_block_texel(6, is_signed, w.block, i % 4, i / 4, got);
        for (unsigned c = 0; c < 4; ++c)
          if (got[c] != want[c] && !(std::isnan(got[c]) && std::isnan(want[c]))) BOOST_FAIL("code " << codes[k] << " signed " << is_signed << " texel " << i << " component " << c << ": " << got[c] << " not " << want[c]);
      }
    }
}

BOOST_AUTO_TEST_CASE(bc6_two_region_modes_scatter_their_bits_as_the_table_says) {
  // The first mode (code 0, 2 bits): 10-bit ends, differences of 5 bits; the last (code 30): 6-bit ends as they are.
  for (unsigned t = 0; t < 4000; ++t)
    for (bool is_signed : {false, true}) {
      bool last = t & 1;
      unsigned n = last ? 6 : 10, d = last ? 6 : 5;
      unsigned e[4][3];
      for (unsigned k = 0; k < 4; ++k) for (unsigned& v : e[k]) v = pick(1u << (k ? d : n));
      auto bit = [&](unsigned k, unsigned c, unsigned b) { return e[k][c] >> b & 1; };
      enum { r, g, b };
      writer w;
      if (!last) {
        w.put(0, 2);
        w.put(bit(2, g, 4), 1); w.put(bit(2, b, 4), 1); w.put(bit(3, b, 4), 1);
        for (unsigned c : {r, g, b}) w.put(e[0][c], 10);
        w.put(e[1][r], 5); w.put(bit(3, g, 4), 1); w.put(e[2][g] & 15, 4);
        w.put(e[1][g], 5); w.put(bit(3, b, 0), 1); w.put(e[3][g] & 15, 4);
        w.put(e[1][b], 5); w.put(bit(3, b, 1), 1); w.put(e[2][b] & 15, 4);
        w.put(e[2][r], 5); w.put(bit(3, b, 2), 1);
        w.put(e[3][r], 5); w.put(bit(3, b, 3), 1);
      } else {
        w.put(30, 5);
        w.put(e[0][r], 6); w.put(bit(3, g, 4), 1); w.put(bit(3, b, 0), 1); w.put(bit(3, b, 1), 1); w.put(bit(2, b, 4), 1);
        w.put(e[0][g], 6); w.put(bit(2, g, 5), 1); w.put(bit(2, b, 5), 1); w.put(bit(3, b, 2), 1); w.put(bit(2, g, 4), 1);
        w.put(e[0][b], 6); w.put(bit(3, g, 5), 1); w.put(bit(3, b, 3), 1); w.put(bit(3, b, 5), 1); w.put(bit(3, b, 4), 1);
        w.put(e[1][r], 6); w.put(e[2][g] & 15, 4); w.put(e[1][g], 6); w.put(e[3][g] & 15, 4);
        w.put(e[1][b], 6); w.put(e[2][b] & 15, 4); w.put(e[2][r], 6); w.put(e[3][r], 6);
      }
      partition p = partitions[pick(6)];
      w.put(p.number, 5);
      unsigned index[16];
      for (unsigned i = 0; i < 16; ++i) { unsigned width = i == 0 || i == p.anchors[1] ? 2 : 3; index[i] = pick(1u << width); w.put(index[i], width); }
      BOOST_REQUIRE_EQUAL(w.at, 128u);
      for (unsigned i = 0; i < 16; ++i) {
        unsigned s = unsigned(p.picture[i] - '0');
        float got[4];
        decode_block_texel(6, is_signed, w.block, i % 4, i / 4, got);
        for (unsigned c = 0; c < 3; ++c) {
          auto end = [&](unsigned k) {
            unsigned v = e[k][c];
            if (!last && k) v = unsigned(int(e[0][c]) + as_signed(v, d)) & ((1u << n) - 1);
            return is_signed ? as_signed(v, n) : int(v);
          };
          double want = bc6_value(end(2 * s), end(2 * s + 1), n, unsigned(weight(3, index[i])), is_signed);
          if (got[c] != want) BOOST_FAIL("last " << last << " signed " << is_signed << " texel " << i << " component " << c << ": " << got[c] << " not " << want);
        }
      }
    }
  for (unsigned code : {19u, 23u, 27u, 31u}) { // reserved
    uint8_t block[16];
    std::memset(block, 0xff, sizeof block);
    block[0] = uint8_t(0xe0 | code);
    double black[4] = {0, 0, 0, 1};
    expect(6, false, block, 3, black, 4);
  }
}
