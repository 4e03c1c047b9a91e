// SPDX-License-Identifier: Apache-2.0
#include "isa/image_formats.h"
#include "isa/formats.h"
#include "isa/image_blocks.h"
#include <cmath>
#include <cstring>

namespace lyra::isa {
namespace {

using namespace image_data_format;
namespace nf = image_number_format;

uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

/// Field widths from the lowest bit up.
struct layout_row { uint8_t data, bytes, count, bits[4]; };
const layout_row layouts[] = {
  {f8, 1, 1, {8}}, {f16, 2, 1, {16}}, {f8_8, 2, 2, {8, 8}}, {f32, 4, 1, {32}}, {f16_16, 4, 2, {16, 16}}, {f10_11_11, 4, 3, {11, 11, 10}}, {f11_11_10, 4, 3, {10, 11, 11}},
  {f10_10_10_2, 4, 4, {2, 10, 10, 10}}, {f2_10_10_10, 4, 4, {10, 10, 10, 2}}, {f8_8_8_8, 4, 4, {8, 8, 8, 8}}, {f32_32, 8, 2, {32, 32}}, {f16_16_16_16, 8, 4, {16, 16, 16, 16}},
  {f32_32_32, 12, 3, {32, 32, 32}}, {f32_32_32_32, 16, 4, {32, 32, 32, 32}}, {f5_6_5, 2, 3, {5, 6, 5}}, {f1_5_5_5, 2, 4, {5, 5, 5, 1}}, {f5_5_5_1, 2, 4, {1, 5, 5, 5}},
  {f4_4_4_4, 2, 4, {4, 4, 4, 4}}, {f8_24, 4, 2, {24, 8}}, {f24_8, 4, 2, {8, 24}}, {fx24_8_32, 8, 2, {32, 8}}};

bool make_format(unsigned data, unsigned number, image_format& f) {
  f = {};
  f.data = uint8_t(data);
  f.number = uint8_t(number);
  if (data == ffmask) {
    // FMASK_bits_samples_fragments by NUM_FORMAT 0..12; a sample takes log2(fragments) bits, one more where samples can be unknown, and never 3
    static const uint8_t rows[13][3] = {{8, 2, 1}, {8, 4, 1}, {8, 8, 1}, {8, 2, 2}, {8, 4, 2}, {8, 4, 4}, {16, 16, 1}, {16, 8, 2}, {32, 16, 2}, {32, 8, 4}, {32, 8, 8}, {64, 16, 4}, {64, 16, 8}};
    if (number >= 13) return false;
    unsigned samples = rows[number][1], fragments = rows[number][2], b = 0;
    while (1u << b < fragments) ++b;
    if (samples > fragments) ++b;
    if (b == 3) b = 4;
    f.kind = format_kind::fmask;
    f.bytes = rows[number][0] / 8;
    f.components = samples > 8 ? 2 : 1;
    f.fmask_samples = uint8_t(samples);
    f.fmask_bits = uint8_t(b);
    f.integer = true;
    return true;
  }
  bool known = number <= nf::snorm_ogl || number == nf::floating || number == nf::srgb;
  if (!known) return false;
  f.integer = number == nf::uint || number == nf::sint;
  f.is_signed = number == nf::sint;
  f.filterable = !f.integer;
  if (data == f5_9_9_9) {
    f.kind = format_kind::shared_exponent;
    f.bytes = 4;
    f.components = 3;
    f.storable = true;
    return number == nf::floating;
  }
  if (data == fgb_gr || data == fbg_rg) {
    f.kind = format_kind::subsampled;
    f.bytes = 4;
    f.block_width = 2;
    f.block_width_log2 = 1;
    f.components = 3;
    return number != nf::floating;
  }
  if (data >= fbc1 && data <= fbc7) {
    f.kind = format_kind::block;
    f.bytes = data == fbc1 || data == fbc4 ? 8 : 16;
    f.block_width = f.block_height = 4;
    f.block_width_log2 = f.block_height_log2 = 2;
    f.components = data == fbc4 ? 1 : data == fbc5 ? 2 : data == fbc6 ? 3 : 4;
    if (data == fbc6) return number == nf::unorm || number == nf::snorm || number == nf::floating;
    if (data == fbc4 || data == fbc5) return number == nf::unorm || number == nf::snorm;
    return number == nf::unorm || number == nf::srgb;
  }
  for (const layout_row& row : layouts) {
    if (row.data != data) continue;
    f.bytes = row.bytes;
    f.components = row.count;
    f.storable = true;
    unsigned low = 0;
    for (unsigned c = 0; c < row.count; ++c) { f.bits[c] = row.bits[c]; f.low[c] = uint8_t(low); low += row.bits[c]; }
    bool dwords = f.bytes == 4 * f.components && data != fx24_8_32;
    if (dwords && (f.integer || number == nf::floating)) f.fast = image_format::short_cut::dwords;
    if (number == nf::unorm && f.bits[0] == 8 && f.bytes == f.components) f.fast = image_format::short_cut::unorm_bytes;
    if (number == nf::srgb) return data == f8 || data == f8_8 || data == f8_8_8_8;
    if (number == nf::floating)
      return data == f16 || data == f32 || data == f16_16 || data == f10_11_11 || data == f11_11_10 || data == f32_32 || data == f16_16_16_16 || data == f32_32_32 || data == f32_32_32_32 ||
             data == fx24_8_32;
    return true;
  }
  return false;
}

struct format_table {
  image_format format[64][16];
  bool valid[64][16];
  format_table() {
    for (unsigned d = 0; d < 64; ++d)
      for (unsigned n = 0; n < 16; ++n) valid[d][n] = make_format(d, n, format[d][n]);
  }
};
const format_table& table() { static const format_table t; return t; }

const float* unorm_bytes() {
  struct table {
    float value[256];
    table() { for (unsigned i = 0; i < 256; ++i) value[i] = float(i / 255.0); }
  };
  static const table t;
  return t.value;
}

/// sRGB of all 8-bit codes.
const float* srgb_bytes() {
  struct table {
    float value[256];
    table() { for (unsigned i = 0; i < 256; ++i) { double v = i / 255.0; value[i] = float(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4)); } }
  };
  static const table t;
  return t.value;
}

int32_t sign_extend(uint32_t v, unsigned n) { return int32_t(v << (32 - n)) >> (32 - n); }

uint32_t to_register(uint32_t raw, unsigned n, unsigned number, bool degamma) {
  if (number == nf::srgb || (degamma && number == nf::unorm && n == 8)) return bits_of(srgb_bytes()[raw]);
  if (number == nf::snorm_ogl) return bits_of(float((2.0 * sign_extend(raw, n) + 1) / double((uint64_t(1) << n) - 1)));
  return formats::decode_component(raw, n, number);
}

uint32_t from_register(uint32_t v, unsigned n, unsigned number) {
  uint32_t mask = n == 32 ? ~0u : (1u << n) - 1;
  float f = float_of(v);
  if (number == nf::srgb) {
    if (!(f > 0)) return 0;
    return f >= 1 ? mask : uint32_t(std::nearbyint(double(linear_to_srgb(f)) * mask));
  }
  if (number == nf::snorm_ogl) {
    if (f != f) return 0;
    double c = f < -1 ? -1.0 : f > 1 ? 1.0 : double(f), range = double((uint64_t(1) << n) - 1);
    return uint32_t(int64_t(std::nearbyint((c * range - 1) / 2))) & mask;
  }
  return formats::encode_component(v, n, number);
}

/// The number format of one component: alpha of sRGB is linear; the 8-bit part of X24_8_32 float is an integer.
unsigned number_of(const image_format& f, unsigned c) {
  if (f.number == nf::srgb && c == 3) return nf::unorm;
  if (f.number == nf::floating && f.data == fx24_8_32 && c == 1) return nf::uint;
  return f.number;
}

} // namespace

const image_format* find_image_format(unsigned data, unsigned number) {
  if (data >= 64 || number >= 16 || !table().valid[data][number]) return nullptr;
  return &table().format[data][number];
}

unsigned image_element_bytes(unsigned data) {
  for (unsigned n = 0; n < 16; ++n)
    if (const image_format* f = find_image_format(data, n)) return f->bytes;
  return 0;
}

float half_to_float(uint16_t h) { return float_of(formats::f16_to_f32(h)); }

uint32_t encode_shared_exponent(const float rgb[3]) {
  // Largest value: (2^9 - 1) / 2^9 * 2^(31 - 15)
  double c[3], top = 0;
  for (unsigned i = 0; i < 3; ++i) {
    c[i] = rgb[i] > 0 ? (rgb[i] > 65408.0f ? 65408.0 : double(rgb[i])) : 0.0; // NaN: 0
    if (c[i] > top) top = c[i];
  }
  int exponent = -16;
  if (top > 0) {
    int e;
    std::frexp(top, &e); // top = m * 2^e, 0.5 <= m < 1
    if (e - 1 > exponent) exponent = e - 1;
  }
  int shared = exponent + 1 + 15;
  if (std::floor(top * std::ldexp(1.0, 9 + 15 - shared) + 0.5) >= 512) ++shared;
  uint32_t out = uint32_t(shared) << 27;
  for (unsigned i = 0; i < 3; ++i) out |= uint32_t(std::floor(c[i] * std::ldexp(1.0, 9 + 15 - shared) + 0.5)) << (9 * i);
  return out;
}

float srgb_to_linear(float v) { return float(double(v) <= 0.04045 ? v / 12.92 : std::pow((double(v) + 0.055) / 1.055, 2.4)); }
float linear_to_srgb(float v) {
  double x = v;
  return float(x <= 0.0031308 ? x * 12.92 : 1.055 * std::pow(x, 1 / 2.4) - 0.055);
}

void decode_texel(const image_format& f, const uint8_t* p, unsigned x, unsigned y, uint32_t out[4], bool degamma) {
  if (f.fast == image_format::short_cut::dwords) {
    out[0] = out[1] = out[2] = out[3] = 0;
    std::memcpy(out, p, f.bytes);
    return;
  }
  if (f.fast == image_format::short_cut::unorm_bytes && !degamma) {
    const float* table = unorm_bytes();
    for (unsigned c = 0; c < 4; ++c) out[c] = c < f.components ? bits_of(table[p[c]]) : 0;
    return;
  }
  switch (f.kind) {
    case format_kind::channels: {
      if (f.bits[0] == 32) {
        for (unsigned c = 0; c < 4; ++c) {
          out[c] = 0;
          if (c >= f.components) continue;
          uint32_t raw;
          std::memcpy(&raw, p + f.low[c] / 8, 4);
          if (f.bits[c] < 32) raw &= (1u << f.bits[c]) - 1;
          out[c] = to_register(raw, f.bits[c], number_of(f, c), false);
        }
        return;
      }
      uint64_t all = 0;
      std::memcpy(&all, p, f.bytes);
      for (unsigned c = 0; c < 4; ++c)
        out[c] = c < f.components ? to_register(uint32_t(all >> f.low[c] & ((uint64_t(1) << f.bits[c]) - 1)), f.bits[c], number_of(f, c), degamma && c < 3) : 0;
      return;
    }
    case format_kind::shared_exponent: {
      uint32_t v;
      std::memcpy(&v, p, 4);
      for (unsigned c = 0; c < 3; ++c) out[c] = bits_of(std::ldexp(float(v >> (9 * c) & 511), int(v >> 27) - 24));
      out[3] = 0;
      return;
    }
    case format_kind::subsampled: {
      // GB_GR: bytes R G0 B G1; BG_RG: G0 R G1 B
      unsigned shift = f.data == fgb_gr ? 0 : 1;
      uint8_t r = p[shift], b = p[2 + shift], g = p[(1 - shift) + 2 * (x & 1)];
      out[0] = to_register(r, 8, f.number, degamma);
      out[1] = to_register(g, 8, f.number, degamma);
      out[2] = to_register(b, 8, f.number, degamma);
      out[3] = 0;
      return;
    }
    case format_kind::block: {
      float v[4];
      decode_block_texel(f.data - fbc1 + 1u, f.number == nf::snorm || f.number == nf::floating, p, x, y, v);
      bool gamma = f.number == nf::srgb || (degamma && f.number == nf::unorm && f.data != fbc6);
      for (unsigned c = 0; c < 4; ++c) out[c] = bits_of(gamma && c < 3 ? srgb_to_linear(v[c]) : v[c]);
      return;
    }
    case format_kind::fmask: {
      uint64_t all = 0, wide = 0;
      std::memcpy(&all, p, f.bytes);
      for (unsigned s = 0; s < f.fmask_samples; ++s) wide |= (all >> (s * f.fmask_bits) & ((1u << f.fmask_bits) - 1)) << (4 * s);
      out[0] = uint32_t(wide);
      out[1] = uint32_t(wide >> 32);
      out[2] = out[3] = 0;
      return;
    }
  }
}

void encode_texel(const image_format& f, const uint32_t in[4], uint8_t* p) {
  if (f.kind == format_kind::shared_exponent) {
    float rgb[3] = {float_of(in[0]), float_of(in[1]), float_of(in[2])};
    uint32_t v = encode_shared_exponent(rgb);
    std::memcpy(p, &v, 4);
    return;
  }
  if (f.bits[0] == 32) {
    std::memset(p, 0, f.bytes);
    for (unsigned c = 0; c < f.components; ++c) {
      uint32_t raw = from_register(in[c], f.bits[c], number_of(f, c));
      std::memcpy(p + f.low[c] / 8, &raw, f.bits[c] / 8);
    }
    return;
  }
  uint64_t all = 0;
  for (unsigned c = 0; c < f.components; ++c) all |= uint64_t(from_register(in[c], f.bits[c], number_of(f, c))) << f.low[c];
  std::memcpy(p, &all, f.bytes);
}

} // namespace lyra::isa
