// SPDX-License-Identifier: Apache-2.0
// Data format x number format: what the bytes of a buffer element or texel mean, bit for bit.
//
// Elements are little endian and the first component (X, R) has the lowest bits: format names list the fields from the top
// (10_11_11: R is bits 10:0; 2_10_10_10: R is bits 9:0 and A bits 31:30), as Mesa's register descriptions for GFX9 do.
// A component missing from the format reads 0.
//
// Memory to register (32 bits):
//   unorm   x / (2^n - 1), correctly rounded to nearest even          snorm   max(x / (2^(n-1) - 1), -1), likewise
//   uscaled, sscaled   the integer as a float, nearest even           uint, sint   zero / sign extended
//   float   32 bits as they are; 16, 11 and 10 bits widened exactly: denormals become normal numbers, infinities stay, a NaN keeps its payload bits
// Register to memory:
//   unorm, snorm   NaN gives 0, clamp to [0,1] / [-1,1], times (2^n - 1) / (2^(n-1) - 1), nearest even (-1 gives -(2^(n-1) - 1))
//   uscaled, sscaled   NaN gives 0, nearest even, clamp to the range of n bits       uint, sint   clamp to the range of n bits (Direct3D's rule)
//   float   32 bits as they are; narrower: nearest even, denormals kept, too large gives infinity, a NaN stays one (quiet);
//           11 and 10 bits have no sign: a negative number gives 0
// Sources: Vega ISA 8.1.4 and tables of DFMT/NFMT; Direct3D 11.3 functional specification, data conversion; nearest even for every rounding is the
// project's requirement. The rounding mode and denormal bits of MODE do not act here.
#pragma once
#include <cstdint>

namespace lyra::isa::formats {

/// DFMT. 1..14 are for buffers and images, the others for images only (T# DATA_FORMAT); block-compressed formats are not here.
enum data_format : uint8_t {
  DFMT_INVALID, DFMT_8, DFMT_16, DFMT_8_8, DFMT_32, DFMT_16_16, DFMT_10_11_11, DFMT_11_11_10, DFMT_10_10_10_2, DFMT_2_10_10_10,
  DFMT_8_8_8_8, DFMT_32_32, DFMT_16_16_16_16, DFMT_32_32_32, DFMT_32_32_32_32, DFMT_RESERVED_15,
  DFMT_5_6_5, DFMT_1_5_5_5, DFMT_5_5_5_1, DFMT_4_4_4_4, DFMT_8_24, DFMT_24_8, DFMT_X24_8_32, DFMT_5_9_9_9 = 34
};

/// NFMT. 6 is reserved on GFX9; 9 (srgb) is the images' own: here it acts as unorm (convert the result).
enum number_format : uint8_t { NFMT_UNORM, NFMT_SNORM, NFMT_USCALED, NFMT_SSCALED, NFMT_UINT, NFMT_SINT, NFMT_RESERVED_6, NFMT_FLOAT, NFMT_SRGB = 9 };

/// Where the components of an element lie.
struct layout {
  uint8_t bytes = 0;      ///< of the element; 0: no such format
  uint8_t components = 0;
  uint8_t bits[4] = {};   ///< width of X, Y, Z, W
  uint8_t shift[4] = {};  ///< first bit of X, Y, Z, W, counted from the element's first byte
};
const layout& layout_of(unsigned dfmt);
inline unsigned element_bytes(unsigned dfmt) { return layout_of(dfmt).bytes; }

/// Whether the combination means something: false for formats without layout, for NFMT 6 and 8, and for float on fields that have no float
/// of their width (8-bit fields, 10_10_10_2, 2_10_10_10 ...). 32-bit norm and scaled fields are not in AMD's lists but are computed all the same.
bool defined(unsigned dfmt, unsigned nfmt);
/// Register values are integers (else 32-bit floats).
constexpr bool is_integer(unsigned nfmt) { return nfmt == NFMT_UINT || nfmt == NFMT_SINT; }

/// One field to a 32-bit register value and back. `bits` 1..32; `raw` holds the field in its low bits. Undefined combinations give 0.
uint32_t decode_component(uint32_t raw, unsigned bits, unsigned nfmt);
uint32_t encode_component(uint32_t value, unsigned bits, unsigned nfmt);

/// The raw field of component c (0..3) of an element in memory; 0 where the format has none.
uint32_t extract(const layout& l, unsigned c, const uint8_t* memory);

/// A whole element: X, Y, Z, W. An undefined combination reads 0 and writes zeros.
void decode(unsigned dfmt, unsigned nfmt, const uint8_t* memory, uint32_t out[4]);
/// Writes layout.bytes bytes; values of components that the format does not have are ignored.
void encode(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint8_t* memory);

/// Elements that follow each other in memory, many at a time: component c of element l goes to out[c][l], for l < count and c < components.
void decode_rows(unsigned dfmt, unsigned nfmt, const uint8_t* memory, unsigned count, unsigned components, uint32_t (*out)[64]);

/// D16: a 32-bit register value to 16 bits (float: nearest even; integers: clamped to 16 bits), and back (widened exactly).
uint16_t to_d16(uint32_t value, unsigned nfmt);
uint32_t from_d16(uint16_t value, unsigned nfmt);

/// The register value of the constant 1 in a number format.
constexpr uint32_t one(unsigned nfmt) { return is_integer(nfmt) ? 1u : 0x3f800000u; }
/// DST_SEL: 0 gives 0, 1 gives 1, 4..7 give X, Y, Z, W of `xyzw`; reserved codes give 0.
inline uint32_t select(unsigned sel, const uint32_t xyzw[4], unsigned nfmt) { return sel >= 4 ? xyzw[sel & 3] : sel == 1 ? one(nfmt) : 0; }

// The pieces, for those who need one alone.
uint32_t f16_to_f32(uint16_t h);
uint16_t f32_to_f16(uint32_t f);                                 ///< nearest even
uint32_t f32_to_small_float(uint32_t f, unsigned mantissa_bits);
uint32_t ratio_to_f32(uint64_t numerator, uint64_t denominator);   ///< both below 2^40; correctly rounded; denominator not 0

} // namespace lyra::isa::formats
