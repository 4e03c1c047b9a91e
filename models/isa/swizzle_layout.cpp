// SPDX-License-Identifier: Apache-2.0
#include "isa/swizzle_layout.h"
#include <algorithm>

namespace lyra::isa {
namespace {

unsigned log2_of(unsigned v) { unsigned n = 0; while (1u << n < v) ++n; return n; }
unsigned align(unsigned v, unsigned to) { return (v + to - 1) / to * to; }
unsigned half_up(unsigned v) { return (v >> 1) + (v & 1); }

// Coordinate bits of a micro tile from the element's lowest address bit up: "x0" is bit 0 of x. By log2 of the element bytes.
// 2D and 1D tiles hold 256 bytes, 3D tiles ("thick") 1 KB.
const char* const standard_2d[5] = {"x0x1x2x3y0y1y2y3", "x0x1x2y0y1y2x3", "x0x1y0y1y2x2", "x0y0y1x1x2", "y0y1x0x1"};
const char* const display_2d[5] = {"x0x1x2y1y0y2x3y3", "x0x1x2y0y1y2x3", "x0x1y0x2y1y2", "x0y0x1x2y1", "x0y0x1y1"};
const char* const rotated_2d[5] = {"y0y1y2x1x0x2x3y3", "y0y1y2x0x1x2x3", "y0y1x0y2x1x2", "y0x0y1x1x2", ""};
const char* const standard_3d[5] = {"x0x1x2x3y0y1z0z1z2y2", "x0x1x2y0y1z0z1z2y2", "x0x1y0y1z0z1y2x2", "x0y0y1z0z1x1x2", "y0y1z0z1x0x1"};
const char* const depth_3d[5] = {"x0y0x1y1z0z1x2z2y2x3", "x0y0x1y1z0z1z2y2x2", "x0y0x1z0y1z1y2x2", "x0y0z0x1z1y1x2", "x0y0z0z1y1x1"};

enum class order { depth, standard, display, rotated };
order order_of(swizzle_mode m) {
  unsigned n = unsigned(m);
  return order(n & 3); // 0 Z, 1 S, 2 D, 3 R in every group of four
}

/// Reverses the lowest n bits.
uint32_t reversed(uint32_t v, unsigned n) {
  uint32_t r = 0;
  for (unsigned i = 0; i < n; ++i) r |= (v >> i & 1) << (n - 1 - i);
  return r;
}

/// The pipe or bank number: n bits, each with higher bits of the same value folded onto it (one in flat blocks, two in deep ones).
uint32_t folded(uint32_t v, unsigned n, bool thick) {
  const uint32_t own = v & ((1u << n) - 1);
  if (!thick) return own ^ reversed(v >> n, n);
  uint32_t r = own;
  for (unsigned i = 0; i < n; ++i) r ^= ((v >> (3 * n - 1 - 2 * i) ^ v >> (3 * n - 2 - 2 * i)) & 1) << i;
  return r;
}

} // namespace

void surface_layout::build(const surface_shape& s) {
  bytes_ = s.element_bytes;
  linear_ = s.swizzle == swizzle_mode::linear || s.swizzle == swizzle_mode::linear_general;
  xor_ = false;
  for (place& p : levels_) p = {};
  first_tail_ = s.levels;
  if (linear_) { build_linear(s); return; }
  build_equation(s);
  build_chain(s);
}

void surface_layout::build_linear(const surface_shape& s) {
  // Rows of 96-bit elements are padded as rows of dwords are. The field may count either unit.
  unsigned row = s.swizzle == swizzle_mode::linear_general ? s.width * bytes_ : align(s.width * bytes_, 256);
  thick_ = false;
  if (s.levels > 1) {
    unsigned y = 0, h = s.kind == surface_kind::dim_1d ? 1 : s.height;
    for (unsigned l = 0; l < s.levels; ++l) {
      levels_[l].y = y;
      y += h;
      h = std::max(half_up(h), 1u);
    }
    rows_ = s.epitch < 0 ? y : unsigned(s.epitch) + 1;
    epitch_ = unsigned(rows_) - 1;
    row_bytes_ = row;
  } else {
    rows_ = s.kind == surface_kind::dim_1d ? 1 : s.height;
    row_bytes_ = row;
    if (s.epitch >= 0) {
      unsigned elements = unsigned(s.epitch) + 1;
      bool padded_dwords = bytes_ == 12 && (elements == row / 4 || elements == row / 12);
      if (!padded_dwords) row_bytes_ = uint64_t(elements) * bytes_;
      epitch_ = unsigned(s.epitch);
    } else {
      epitch_ = row / bytes_ - 1;
    }
  }
  size_ = row_bytes_ * rows_ * s.slices;
}

void surface_layout::build_equation(const surface_shape& s) {
  const unsigned element = log2_of(bytes_), sample_count = log2_of(s.samples);
  block_log2_ = block_bits(s.swizzle);
  xor_ = has_xor(s.swizzle);
  const bool prt = is_prt(s.swizzle);
  order o = order_of(s.swizzle);
  // 3D images in Z and S modes have blocks that are deep too; in D modes they are stacks of 2D slices with the standard micro tile.
  thick_ = s.kind == surface_kind::dim_3d && (o == order::depth || o == order::standard);
  if (s.kind == surface_kind::dim_3d && o == order::display) o = order::standard;

  // Where each coordinate bit stands in a number of which the lowest bits are the place in the block. XOR modes fold bits above the block into it.
  constexpr unsigned most = 28;
  uint32_t x[32] = {}, y[32] = {}, z[32] = {}, sample[16] = {};
  unsigned nx = 0, ny = 0, nz = 0, bit = element, top = block_log2_;
  const auto put = [&](char axis) {
    const uint32_t v = 1u << bit++;
    if (axis == 'x') x[nx++] = v;
    else if (axis == 'y') y[ny++] = v;
    else z[nz++] = v;
  };
  // The micro tiles' strings name each axis's bits in ascending order except where D and R of 8-bit elements swap bits 0 and 1.
  const auto put_tile = [&](const char* text) {
    for (; *text; text += 2) {
      const unsigned i = unsigned(text[1] - '0');
      const uint32_t v = 1u << bit++;
      if (*text == 'x') { x[i] = v; ++nx; } else if (*text == 'y') { y[i] = v; ++ny; } else { z[i] = v; ++nz; }
    }
  };
  const auto block_ends = [&] {
    width_log2_ = nx;
    height_log2_ = ny;
    depth_log2_ = nz;
  };
  if (thick_) {
    put_tile(o == order::depth ? depth_3d[element] : standard_3d[element]);
    const auto next = [&] { put(bit % 3 == 0 ? 'x' : bit % 3 == 1 ? 'z' : 'y'); };
    while (bit < top) next();
    block_ends();
    while (bit < most) next();
  } else if (o == order::depth) {
    // Samples of a pixel are neighbours; above them the coordinates alternate. Up to bit 6 x comes first; above, the even address bits
    // (without the sample bits) are y's.
    for (unsigned i = 0; i < s.samples; ++i) sample[i] = i << element;
    bit += sample_count;
    unsigned i = element;
    const auto next = [&] { put((i < 6 ? (i - element) % 2 == 0 : i % 2 == 1) ? 'x' : 'y'); ++i; };
    while (bit < top) next();
    block_ends();
    while (bit < most) next();
  } else {
    put_tile(o == order::standard ? standard_2d[element] : o == order::display ? display_2d[element] : rotated_2d[element]);
    top -= sample_count;
    const auto next = [&] { put(bit % 2 == 0 ? 'y' : 'x'); };
    while (bit < top) next();
    block_ends();
    // The samples take the block's top bits; coordinate bits that would stand there are XORed with them, where the mode has an XOR and no PRT.
    for (unsigned k = 0; k < s.samples; ++k) sample[k] = k << top;
    while (bit < most) next();
  }

  const unsigned pipe = xor_ ? std::min(block_log2_ - 8, pipe_bits) : 0, bank = xor_ ? std::min(block_log2_ - 8 - pipe, bank_bits) : 0;
  const uint32_t block = (1u << block_log2_) - 1;
  const auto place_of = [&](uint32_t v) {
    if (!xor_) return uint16_t(v & block);
    const uint32_t tile = v & 255, rest = v >> 8, banks = rest >> pipe;
    return uint16_t((tile | folded(rest, pipe, thick_) << 8 | folded(banks, bank, thick_) << (8 + pipe) | banks >> bank << (8 + pipe + bank)) & block);
  };
  const auto fill = [&](uint16_t* table, unsigned first, unsigned bits, const uint32_t* of) {
    for (unsigned v = 0; v < 1u << bits; ++v) {
      uint32_t sum = 0;
      for (unsigned b = 0; b < bits; ++b) if (v >> b & 1) sum ^= of[first + b];
      table[v] = place_of(sum);
    }
  };
  fill(x_bits_, 0, width_log2_, x);
  fill(y_bits_, 0, height_log2_, y);
  fill(z_bits_, 0, depth_log2_, z);
  for (unsigned k = 0; k < 16; ++k) sample_bits_[k] = place_of(sample[k]);
  if (!xor_) return;
  // PRT modes look at the block alone, so that a page's content does not depend on where it stands.
  const uint32_t none[4] = {};
  fill(x_high_, prt ? 0 : width_log2_, 4, prt ? none : x);
  fill(y_high_, prt ? 0 : height_log2_, 4, prt ? none : y);
  fill(z_high_, prt || !thick_ ? 0 : depth_log2_, 4, prt || !thick_ ? none : z);
  for (unsigned v = 0; v < 256; ++v)
    slice_bits_[v] = prt || thick_ || s.samples > 1 ? 0 : uint16_t(reversed(v, pipe) << 8 | reversed(v >> pipe, bank) << (8 + pipe));
}

void surface_layout::build_chain(const surface_shape& s) {
  unsigned bw = 1u << width_log2_, bh = 1u << height_log2_, bd = 1u << depth_log2_;
  // Levels up to this size fit the mip tail: half a block, in the axis that the next lower address bit belongs to.
  unsigned tail_w = bw, tail_h = bh, tail_d = bd;
  if (!thick_) tail_w >>= 1;
  else if (block_log2_ % 3 == 0) tail_h >>= 1;
  else if (block_log2_ % 3 == 1) tail_w >>= 1;
  else tail_d >>= 1;

  unsigned w = align(s.width, bw) / bw, h = align(s.height, bh) / bh, d = align(std::max(s.slices, 1u), bd) / bd;
  unsigned chain_w = w, chain_h = h;
  bool pitch_is_height = false;
  auto tail_offset = [&](unsigned index_in_tail) {
    static const uint16_t of[16] = {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0};
    unsigned i = std::min(index_in_tail + 20 - block_log2_, 15u);
    return uint32_t(of[i]) << 8;
  };
  if (s.levels > 1) {
    bool all_in_tail = s.width <= tail_w && s.height <= tail_h && (!thick_ || s.slices <= tail_d);
    if (all_in_tail) {
      first_tail_ = 0;
      pitch_is_height = true;
      for (unsigned l = 0; l < s.levels; ++l) levels_[l].tail = tail_offset(l);
    } else {
      // Level 1 lies beside level 0 (below it where the image is at least as wide as high), level 2 beside level 1, level 3 turns again,
      // the rest goes on. Thick images with the largest extent in z stack upwards instead.
      bool y_major = w < h, x_major = !y_major;
      if (thick_) { y_major = y_major && h >= d; x_major = x_major && w >= d; }
      unsigned lw = w, lh = h, ld = d, ending = s.levels;
      place at;
      for (unsigned l = 1; l < s.levels; ++l) {
        if (l < ending) {
          if (l == 1 || l == 3) { if (y_major) at.x += lw; else at.y += lh; }
          else if (x_major) at.x += lw;
          else if (y_major) at.y += lh;
          else at.z += ld;
          bool in_tail;
          if (!thick_) in_tail = lw == 1 && lh <= 2;
          else if (block_log2_ % 3 == 0) in_tail = lw <= 2 && lh == 1 && ld <= 2;
          else if (block_log2_ % 3 == 1) in_tail = lw == 1 && lh <= 2 && ld <= 2;
          else in_tail = lw <= 2 && lh <= 2 && ld == 1;
          if (in_tail) ending = l;
          lw = half_up(lw);
          lh = half_up(lh);
          ld = half_up(ld);
        }
        levels_[l] = at;
        if (l >= ending) levels_[l].tail = tail_offset(l - ending);
      }
      first_tail_ = ending;
      unsigned last = std::min(ending, s.levels - 1);
      if (y_major) {
        unsigned next = half_up(w);
        if (next == 1 && last > 2) ++next;
        chain_w += next;
      } else {
        unsigned next = half_up(h);
        if (next == 1 && last > 2) ++next;
        chain_h += next;
        pitch_is_height = true;
      }
    }
  }
  if (s.epitch >= 0) {
    if (pitch_is_height) chain_h = std::max((unsigned(s.epitch) + 1) / bh, 1u);
    else chain_w = std::max((unsigned(s.epitch) + 1) / bw, 1u);
    epitch_ = unsigned(s.epitch);
  } else {
    epitch_ = pitch_is_height ? chain_h * bh - 1 : chain_w * bw - 1;
  }
  row_blocks_ = chain_w;
  slice_blocks_ = uint64_t(chain_w) * chain_h;
  unsigned top_slice = d;
  for (unsigned l = 0; l < s.levels; ++l) top_slice = std::max(top_slice, levels_[l].z + 1);
  size_ = slice_blocks_ * top_slice << block_log2_;
}

} // namespace lyra::isa
