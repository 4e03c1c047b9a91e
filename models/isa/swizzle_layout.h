// SPDX-License-Identifier: Apache-2.0
// Where the elements of an image lie in memory: linear, and the GFX9 swizzle modes of 256-byte, 4 KB and 64 KB blocks.
//
// An element is a texel, or a block of a block-compressed format. Source: AMD addrlib for GFX9 as Mesa carries it (micro tiles, order of
// coordinate bits above them, mip chain placement, mip tail offsets); stated here as bit lists and closed forms, see docs/images.md.
#pragma once
#include "isa/image_descriptors.h"
#include <cstdint>

namespace lyra::isa {

enum class surface_kind : uint8_t { dim_1d, dim_2d, dim_3d };

/// What XOR modes spread blocks over: log2 of pipes times shader engines, and of banks (GB_ADDR_CONFIG of Vega 10 and 20: 4 pipes, 4 engines, 16 banks;
/// a pipe has 256 bytes in a row).
constexpr unsigned pipe_bits = 4, bank_bits = 4;
/// _T and _X modes: pipe and bank numbers are XORed with higher coordinate bits (and, but for PRT, with the slice).
constexpr bool has_xor(swizzle_mode m) { return unsigned(m) >= 16 && unsigned(m) < 31; }
constexpr bool is_prt(swizzle_mode m) { return unsigned(m) >= 16 && unsigned(m) < 20; }
/// log2 of a block's bytes; 0 for linear modes. Variable blocks (12 to 15, 28 to 30) have no size on these chips.
constexpr unsigned block_bits(swizzle_mode m) {
  const unsigned n = unsigned(m);
  return n == 0 || n == 31 ? 0 : n < 4 ? 8 : n < 8 || (n >= 20 && n < 24) ? 12 : 16;
}

/// What decides a layout. Sizes are of level 0, in elements.
struct surface_shape {
  surface_kind kind = surface_kind::dim_2d;
  swizzle_mode swizzle = swizzle_mode::linear;
  unsigned element_bytes = 4; ///< 1, 2, 4, 8, 12 (linear only), 16 (not 2D Z, not R)
  unsigned width = 1, height = 1;
  unsigned slices = 1;        ///< layers, or depth of a 3D image
  unsigned levels = 1, samples = 1;
  int epitch = -1;            ///< T# PITCH; -1: the smallest that fits
};

/// The layout of one image. Building it costs some hundred operations; addresses are cheap.
class surface_layout {
public:
  surface_layout() = default;
  explicit surface_layout(const surface_shape& shape) { build(shape); }
  void build(const surface_shape& shape);

  /// Byte offset from the base of element (x, y) of a level; `slice`: layer, or z at this level. Coordinates must lie in the level.
  uint64_t offset(unsigned level, unsigned x, unsigned y, unsigned slice, unsigned sample = 0) const {
    const place& p = levels_[level];
    if (linear_) return (uint64_t(slice) * rows_ + p.y + y) * row_bytes_ + uint64_t(x) * bytes_;
    const unsigned bx = x >> width_log2_, by = y >> height_log2_, bz = slice >> depth_log2_;
    unsigned inside = x_bits_[x & ((1u << width_log2_) - 1)] ^ y_bits_[y & ((1u << height_log2_) - 1)] ^ z_bits_[slice & ((1u << depth_log2_) - 1)] ^ sample_bits_[sample];
    if (xor_) inside = ((inside ^ x_high_[bx & 15] ^ y_high_[by & 15] ^ z_high_[bz & 15]) | p.tail) ^ slice_bits_[slice & 255];
    else inside |= p.tail;
    const uint64_t block = (uint64_t(bz) + p.z) * slice_blocks_ + (uint64_t(by) + p.y) * row_blocks_ + bx + p.x;
    return (block << block_log2_) + inside;
  }
  /// Bytes of the whole image.
  uint64_t size() const { return size_; }
  /// The address of an offset: XOR modes take the base's bits below its block for another XOR (the driver's choice of a first pipe and bank).
  uint64_t address(uint64_t base, uint64_t offset) const {
    if (!xor_) return base + offset;
    const uint64_t inside = (uint64_t(1) << block_log2_) - 1;
    return (base & ~inside) + (offset ^ (base & inside));
  }
  /// Alignment of the base.
  unsigned alignment() const { return linear_ ? 256 : 1u << block_log2_; }
  /// The T# PITCH field of this layout.
  unsigned epitch() const { return epitch_; }
  bool linear() const { return linear_; }
  /// Elements of a block, log2 (tiled modes).
  unsigned block_width_log2() const { return width_log2_; }
  unsigned block_height_log2() const { return height_log2_; }
  unsigned block_depth_log2() const { return depth_log2_; }
  /// First level that lies in the mip tail; `levels` where there is none.
  unsigned first_tail_level() const { return first_tail_; }

private:
  struct place { uint32_t x = 0, y = 0, z = 0, tail = 0; }; ///< linear: y is the first row; tiled: blocks, and bytes inside the tail block
  void build_linear(const surface_shape& s);
  void build_equation(const surface_shape& s);
  void build_chain(const surface_shape& s);

  bool linear_ = true, thick_ = false, xor_ = false;
  unsigned bytes_ = 4, block_log2_ = 8, width_log2_ = 0, height_log2_ = 0, depth_log2_ = 0, epitch_ = 0, first_tail_ = 1;
  uint64_t rows_ = 1, row_bytes_ = 256, row_blocks_ = 1, slice_blocks_ = 1, size_ = 0;
  place levels_[16];
  uint16_t x_bits_[256] = {}, y_bits_[256] = {}, z_bits_[64] = {}, sample_bits_[16] = {};
  uint16_t x_high_[16] = {}, y_high_[16] = {}, z_high_[16] = {}, slice_bits_[256] = {}; ///< XOR modes: what coordinate bits above the block, and slices, change
};

} // namespace lyra::isa
