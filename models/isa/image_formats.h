// SPDX-License-Identifier: Apache-2.0
// Image data formats: texels in memory to register values and back, bit by bit.
//
// Values travel as four 32-bit register images (R, G, B, A): float bits for normalized, scaled, float and sRGB formats, integers for
// uint and sint. Components that a format lacks are 0 (dst_sel brings ones). Sources: Vega ISA 8.4.4 and its format list; Direct3D 11.3
// functional specification 3.2 and 19 for the conversions; names give the fields from the highest bit to the lowest.
#pragma once
#include <cstdint>

namespace lyra::isa {

/// IMG_DATA_FORMAT of GFX9 (those that exist here).
namespace image_data_format {
constexpr uint8_t invalid = 0, f8 = 1, f16 = 2, f8_8 = 3, f32 = 4, f16_16 = 5, f10_11_11 = 6, f11_11_10 = 7, f10_10_10_2 = 8, f2_10_10_10 = 9, f8_8_8_8 = 10, f32_32 = 11,
                  f16_16_16_16 = 12, f32_32_32 = 13, f32_32_32_32 = 14, f5_6_5 = 16, f1_5_5_5 = 17, f5_5_5_1 = 18, f4_4_4_4 = 19, f8_24 = 20, f24_8 = 21, fx24_8_32 = 22,
                  fgb_gr = 32, fbg_rg = 33, f5_9_9_9 = 34, fbc1 = 35, fbc2 = 36, fbc3 = 37, fbc4 = 38, fbc5 = 39, fbc6 = 40, fbc7 = 41, ffmask = 44;
}
/// IMG_NUM_FORMAT. 6 is the OpenGL form of snorm: (2v + 1) / (2^n - 1). FMASK formats use the field for their layout instead.
namespace image_number_format {
constexpr uint8_t unorm = 0, snorm = 1, uscaled = 2, sscaled = 3, uint = 4, sint = 5, snorm_ogl = 6, floating = 7, srgb = 9;
}

/// How the bits of an element become components.
enum class format_kind : uint8_t {
  channels,        ///< fields of fixed width
  shared_exponent, ///< 5_9_9_9
  subsampled,      ///< GB_GR, BG_RG: two texels side by side share R and B; an element is the pair
  block,           ///< BC1..BC7: an element is 4x4 texels
  fmask            ///< fragment numbers of the samples of a pixel, widened to four bits each
};

struct image_format {
  uint8_t data = 0, number = 0;
  format_kind kind = format_kind::channels;
  uint8_t bytes = 0;                       ///< of an element: a texel, or a block
  uint8_t block_width = 1, block_height = 1; ///< texels an element covers
  uint8_t block_width_log2 = 0, block_height_log2 = 0;
  uint8_t components = 0;
  uint8_t low[4] = {}, bits[4] = {};       ///< channels: lowest bit and width of R, G, B, A
  bool integer = false, is_signed = false; ///< uint, sint
  bool storable = false, filterable = false;
  uint8_t fmask_samples = 0, fmask_bits = 0;
  enum class short_cut : uint8_t { none, dwords, unorm_bytes } fast = short_cut::none; ///< the commonest conversions
};

/// Null where GFX9 has no such combination.
const image_format* find_image_format(unsigned data, unsigned number);
/// Bytes of an element of a data format; 0 where there is none.
unsigned image_element_bytes(unsigned data);

/// The texel at (x, y) inside an element's block (0, 0 for formats without blocks).
/// `degamma`: 8-bit unorm colour is taken for sRGB (FORCE_DEGAMMA).
void decode_texel(const image_format& f, const uint8_t* element, unsigned x, unsigned y, uint32_t rgba[4], bool degamma = false);
/// Fills an element's bytes. Only storable formats; components the format lacks are ignored. Fields convert as isa/formats.h says (nearest
/// even everywhere, integers saturate); sRGB encodes the colour; the 8 bits beside a 32-bit depth are an integer.
void encode_texel(const image_format& f, const uint32_t rgba[4], uint8_t* element);

float half_to_float(uint16_t h);
/// 5_9_9_9, truncation replaced by nearest as the Direct3D formula says.
uint32_t encode_shared_exponent(const float rgb[3]);
/// sRGB transfer functions (IEC 61966-2-1), each computed in double and rounded once.
float srgb_to_linear(float v);
float linear_to_srgb(float v);

} // namespace lyra::isa
