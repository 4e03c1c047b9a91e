// SPDX-License-Identifier: Apache-2.0
#include "isa/image_blocks.h"
#include "isa/image_formats.h"
#include <cstring>

namespace lyra::isa {
namespace {

uint64_t load64(const uint8_t* p) { uint64_t v; std::memcpy(&v, p, 8); return v; }

/// 128 bits read from the lowest on.
struct bit_reader {
  uint64_t low, high;
  unsigned at = 0;
  explicit bit_reader(const uint8_t* p) : low(load64(p)), high(load64(p + 8)) {}
  unsigned take(unsigned n) {
    uint64_t v = at >= 64 ? high >> (at - 64) : at ? low >> at | high << (64 - at) : low;
    at += n;
    return unsigned(v & ((uint64_t(1) << n) - 1));
  }
};

void color_block(const uint8_t* block, unsigned i, bool always_four, float* rgba) {
  unsigned c0 = block[0] | block[1] << 8, c1 = block[2] | block[3] << 8, code = block[4 + i / 4] >> (2 * (i % 4)) & 3;
  // weights of c0 and c1 in `parts`
  unsigned w0, w1, parts = 1;
  rgba[3] = 1;
  if (always_four || c0 > c1) {
    static const uint8_t of_c0[4] = {3, 0, 2, 1};
    parts = 3; w0 = of_c0[code]; w1 = 3 - w0;
  } else if (code == 3) {
    rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0;
    return;
  } else {
    static const uint8_t of_c0[3] = {2, 0, 1};
    parts = 2; w0 = of_c0[code]; w1 = 2 - w0;
  }
  auto mix = [&](unsigned low, unsigned bits) {
    unsigned m = (1u << bits) - 1;
    return float(double((c0 >> low & m) * w0 + (c1 >> low & m) * w1) / (double(m) * parts));
  };
  rgba[0] = mix(11, 5); rgba[1] = mix(5, 6); rgba[2] = mix(0, 5);
}

float single_block(const uint8_t* block, unsigned i, bool is_signed) {
  unsigned code = unsigned(load64(block) >> (16 + 3 * i)) & 7;
  int a = is_signed ? int8_t(block[0]) : block[0], b = is_signed ? int8_t(block[1]) : block[1];
  int top = is_signed ? 127 : 255, bottom = is_signed ? -127 : 0;
  bool eight = a > b;
  if (a < bottom) a = bottom;
  if (b < bottom) b = bottom;
  if (code == 0) return float(double(a) / top);
  if (code == 1) return float(double(b) / top);
  if (eight) return float(double(a * int(8 - code) + b * int(code - 1)) / (7.0 * top));
  if (code == 6) return is_signed ? -1.0f : 0.0f;
  if (code == 7) return 1.0f;
  return float(double(a * int(6 - code) + b * int(code - 1)) / (5.0 * top));
}

// Two-subset partitions: bit i is the subset of texel i. Three subsets: two bits a texel.
const uint16_t partition_2[64] = {
  0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
  0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
  0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
  0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
const uint32_t partition_3[64] = {
  0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494,
  0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090,
  0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224,
  0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600,
  0xa85454a8, 0x80959580, 0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};
// The texel of the second (third) subset whose index has its top bit left out, as hexadecimal digits.
const char anchor_2[] = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f";
const char anchor_3_second[] = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33";
const char anchor_3_third[] = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8";

unsigned digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

unsigned subset_of(unsigned subsets, unsigned partition, unsigned texel) {
  if (subsets == 1) return 0;
  return subsets == 2 ? partition_2[partition] >> texel & 1 : partition_3[partition] >> (2 * texel) & 3;
}
bool is_anchor(unsigned subsets, unsigned partition, unsigned texel) {
  if (texel == 0) return true;
  if (subsets == 2) return digit(anchor_2[partition]) == texel;
  return subsets == 3 && (digit(anchor_3_second[partition]) == texel || digit(anchor_3_third[partition]) == texel);
}

const uint8_t weights_2[4] = {0, 21, 43, 64}, weights_3[8] = {0, 9, 18, 27, 37, 46, 55, 64},
              weights_4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
unsigned weight_of(unsigned bits, unsigned index) { return bits == 2 ? weights_2[index] : bits == 3 ? weights_3[index] : weights_4[index]; }

/// Skips the indices of the texels before `texel` and takes its own.
unsigned index_of(bit_reader bits, unsigned subsets, unsigned partition, unsigned texel, unsigned width) {
  for (unsigned i = 0;; ++i) {
    unsigned n = width - is_anchor(subsets, partition, i);
    if (i == texel) return bits.take(n);
    bits.at += n;
  }
}

struct bc7_mode { uint8_t subsets, partition_bits, rotation_bits, selection_bits, color_bits, alpha_bits, end_p_bits, shared_p_bits, index_bits, second_index_bits; };
const bc7_mode bc7_modes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                               {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2}, {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

void bc7_texel(const uint8_t* block, unsigned texel, float* rgba) {
  if (block[0] == 0) { rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0; return; }
  unsigned number = 0;
  while (!(block[0] >> number & 1)) ++number;
  const bc7_mode& m = bc7_modes[number];
  bit_reader bits(block);
  bits.take(number + 1);
  unsigned partition = bits.take(m.partition_bits), rotation = bits.take(m.rotation_bits), selection = bits.take(m.selection_bits);
  unsigned ends = m.subsets * 2;
  unsigned end[6][4];
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned e = 0; e < ends; ++e) end[e][c] = bits.take(c < 3 ? m.color_bits : m.alpha_bits);
  unsigned p[6] = {};
  if (m.end_p_bits) for (unsigned e = 0; e < ends; ++e) p[e] = bits.take(1);
  if (m.shared_p_bits) for (unsigned s = 0; s < m.subsets; ++s) p[2 * s] = p[2 * s + 1] = bits.take(1);
  bool has_p = m.end_p_bits || m.shared_p_bits;
  auto widen = [&](unsigned v, unsigned width, unsigned p_bit) {
    if (has_p) { v = v << 1 | p_bit; ++width; }
    return width == 8 ? v : v << (8 - width) | v >> (2 * width - 8);
  };
  unsigned s = subset_of(m.subsets, partition, texel);
  unsigned first = index_of(bits, m.subsets, partition, texel, m.index_bits), color_index = first, alpha_index = first;
  unsigned color_width = m.index_bits, alpha_width = m.index_bits;
  if (m.second_index_bits) {
    bits.at += 16 * m.index_bits - 1;
    unsigned second = index_of(bits, 1, 0, texel, m.second_index_bits);
    (selection ? color_index : alpha_index) = second;
    (selection ? color_width : alpha_width) = m.second_index_bits;
  }
  unsigned out[4];
  for (unsigned c = 0; c < 4; ++c) {
    if (c == 3 && !m.alpha_bits) { out[3] = 255; break; }
    unsigned width = c < 3 ? m.color_bits : m.alpha_bits;
    unsigned w = c < 3 ? weight_of(color_width, color_index) : weight_of(alpha_width, alpha_index);
    unsigned a = widen(end[2 * s][c], width, p[2 * s]), b = widen(end[2 * s + 1][c], width, p[2 * s + 1]);
    out[c] = (a * (64 - w) + b * w + 32) >> 6;
  }
  if (rotation) { unsigned v = out[3]; out[3] = out[rotation - 1]; out[rotation - 1] = v; }
  for (unsigned c = 0; c < 4; ++c) rgba[c] = float(double(out[c]) / 255.0);
}

/// A BC6 mode: its code, how wide the code is, and where the bits behind it go: component (R G B), end point (w x y z), bit or range of bits.
struct bc6_mode { uint8_t code, code_bits; bool transformed, two_subsets; uint8_t bits, delta_bits[3]; const char* layout; };
const bc6_mode bc6_modes[14] = {
  {0, 2, true, true, 10, {5, 5, 5}, "Gy4 By4 Bz4 Rw0-9 Gw0-9 Bw0-9 Rx0-4 Gz4 Gy0-3 Gx0-4 Bz0 Gz0-3 Bx0-4 Bz1 By0-3 Ry0-4 Bz2 Rz0-4 Bz3"},
  {1, 2, true, true, 7, {6, 6, 6}, "Gy5 Gz4 Gz5 Rw0-6 Bz0 Bz1 By4 Gw0-6 By5 Bz2 Gy4 Bw0-6 Bz3 Bz5 Bz4 Rx0-5 Gy0-3 Gx0-5 Gz0-3 Bx0-5 By0-3 Ry0-5 Rz0-5"},
  {2, 5, true, true, 11, {5, 4, 4}, "Rw0-9 Gw0-9 Bw0-9 Rx0-4 Rw10 Gy0-3 Gx0-3 Gw10 Bz0 Gz0-3 Bx0-3 Bw10 Bz1 By0-3 Ry0-4 Bz2 Rz0-4 Bz3"},
  {3, 5, false, false, 10, {10, 10, 10}, "Rw0-9 Gw0-9 Bw0-9 Rx0-9 Gx0-9 Bx0-9"},
  {6, 5, true, true, 11, {4, 5, 4}, "Rw0-9 Gw0-9 Bw0-9 Rx0-3 Rw10 Gz4 Gy0-3 Gx0-4 Gw10 Gz0-3 Bx0-3 Bw10 Bz1 By0-3 Ry0-3 Bz0 Bz2 Rz0-3 Gy4 Bz3"},
  {7, 5, true, false, 11, {9, 9, 9}, "Rw0-9 Gw0-9 Bw0-9 Rx0-8 Rw10 Gx0-8 Gw10 Bx0-8 Bw10"},
  {10, 5, true, true, 11, {4, 4, 5}, "Rw0-9 Gw0-9 Bw0-9 Rx0-3 Rw10 By4 Gy0-3 Gx0-3 Gw10 Bz0 Gz0-3 Bx0-4 Bw10 By0-3 Ry0-3 Bz1 Bz2 Rz0-3 Bz4 Bz3"},
  {11, 5, true, false, 12, {8, 8, 8}, "Rw0-9 Gw0-9 Bw0-9 Rx0-7 Rw11-10 Gx0-7 Gw11-10 Bx0-7 Bw11-10"},
  {14, 5, true, true, 9, {5, 5, 5}, "Rw0-8 By4 Gw0-8 Gy4 Bw0-8 Bz4 Rx0-4 Gz4 Gy0-3 Gx0-4 Bz0 Gz0-3 Bx0-4 Bz1 By0-3 Ry0-4 Bz2 Rz0-4 Bz3"},
  {15, 5, true, false, 16, {4, 4, 4}, "Rw0-9 Gw0-9 Bw0-9 Rx0-3 Rw15-10 Gx0-3 Gw15-10 Bx0-3 Bw15-10"},
  {18, 5, true, true, 8, {6, 5, 5}, "Rw0-7 Gz4 By4 Gw0-7 Bz2 Gy4 Bw0-7 Bz3 Bz4 Rx0-5 Gy0-3 Gx0-4 Bz0 Gz0-3 Bx0-4 Bz1 By0-3 Ry0-5 Rz0-5"},
  {22, 5, true, true, 8, {5, 6, 5}, "Rw0-7 Bz0 By4 Gw0-7 Gy5 Gy4 Bw0-7 Gz5 Bz4 Rx0-4 Gz4 Gy0-3 Gx0-5 Gz0-3 Bx0-4 Bz1 By0-3 Ry0-4 Bz2 Rz0-4 Bz3"},
  {26, 5, true, true, 8, {5, 5, 6}, "Rw0-7 Bz1 By4 Gw0-7 By5 Gy4 Bw0-7 Bz5 Bz4 Rx0-4 Gz4 Gy0-3 Gx0-4 Bz0 Gz0-3 Bx0-5 By0-3 Ry0-4 Bz2 Rz0-4 Bz3"},
  {30, 5, false, true, 6, {6, 6, 6}, "Rw0-5 Gz4 Bz0 Bz1 By4 Gw0-5 Gy5 By5 Bz2 Gy4 Bw0-5 Gz5 Bz3 Bz5 Bz4 Rx0-5 Gy0-3 Gx0-5 Gz0-3 Bx0-5 By0-3 Ry0-5 Rz0-5"}};

int extend(int v, unsigned bits) { return int(unsigned(v) << (32 - bits)) >> (32 - bits); }

int unquantize(int v, unsigned bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15 || v == 0) return v;
    return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
  }
  if (bits >= 16 || v == 0) return v;
  int magnitude = v < 0 ? -v : v;
  magnitude = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return v < 0 ? -magnitude : magnitude;
}

void bc6_texel(const uint8_t* block, unsigned texel, bool is_signed, float* rgba) {
  rgba[0] = rgba[1] = rgba[2] = 0;
  rgba[3] = 1;
  unsigned code = block[0] & 3;
  if (code > 1) code = block[0] & 31;
  const bc6_mode* m = nullptr;
  for (const bc6_mode& candidate : bc6_modes) if (candidate.code == code) m = &candidate;
  if (!m) return; // reserved codes: black
  bit_reader bits(block);
  bits.take(m->code_bits);
  int end[4][3] = {};
  for (const char* p = m->layout; *p;) {
    unsigned c = *p == 'R' ? 0 : *p == 'G' ? 1 : 2, e = p[1] - 'w';
    p += 2;
    auto read = [&] { int v = 0; while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0'); return v; };
    int from = read(), to = from;
    if (*p == '-') { ++p; to = read(); }
    for (int b = from;; b += from <= to ? 1 : -1) {
      end[e][c] |= int(bits.take(1)) << b;
      if (b == to) break;
    }
    if (*p == ' ') ++p;
  }
  unsigned subsets = m->two_subsets ? 2 : 1, partition = m->two_subsets ? bits.take(5) : 0;
  for (unsigned c = 0; c < 3; ++c) {
    if (is_signed) end[0][c] = extend(end[0][c], m->bits);
    for (unsigned e = 1; e < 2 * subsets; ++e) {
      if (m->transformed) {
        end[e][c] = (end[0][c] + extend(end[e][c], m->delta_bits[c])) & ((1 << m->bits) - 1);
        if (is_signed) end[e][c] = extend(end[e][c], m->bits);
      } else if (is_signed) end[e][c] = extend(end[e][c], m->bits);
    }
  }
  unsigned s = subset_of(subsets, partition, texel), width = m->two_subsets ? 3 : 4;
  int w = int(weight_of(width, index_of(bits, subsets, partition, texel, width)));
  for (unsigned c = 0; c < 3; ++c) {
    int a = unquantize(end[2 * s][c], m->bits, is_signed), b = unquantize(end[2 * s + 1][c], m->bits, is_signed);
    int v = (a * (64 - w) + b * w + 32) >> 6;
    uint16_t half = is_signed ? (v < 0 ? uint16_t(0x8000 | (-v * 31) >> 5) : uint16_t((v * 31) >> 5)) : uint16_t((v * 31) >> 6);
    rgba[c] = half_to_float(half);
  }
}

} // namespace

void decode_block_texel(unsigned bc, bool is_signed, const uint8_t* block, unsigned x, unsigned y, float rgba[4]) {
  unsigned i = y * 4 + x;
  switch (bc) {
    case 1: color_block(block, i, false, rgba); break;
    case 2:
      color_block(block + 8, i, true, rgba);
      rgba[3] = float(double(load64(block) >> (4 * i) & 15) / 15.0);
      break;
    case 3:
      color_block(block + 8, i, true, rgba);
      rgba[3] = single_block(block, i, false);
      break;
    case 4:
      rgba[0] = single_block(block, i, is_signed);
      rgba[1] = rgba[2] = rgba[3] = 0;
      break;
    case 5:
      rgba[0] = single_block(block, i, is_signed);
      rgba[1] = single_block(block + 8, i, is_signed);
      rgba[2] = rgba[3] = 0;
      break;
    case 6: bc6_texel(block, i, is_signed, rgba); break;
    default: bc7_texel(block, i, rgba); break;
  }
}

} // namespace lyra::isa
