// SPDX-License-Identifier: Apache-2.0
#include "isa/formats.h"
#include <cstddef>
#include <cstring>

namespace lyra::isa::formats {

namespace {

constexpr layout make(unsigned components, unsigned b0, unsigned b1 = 0, unsigned b2 = 0, unsigned b3 = 0) {
  layout l;
  const unsigned b[4] = {b0, b1, b2, b3};
  unsigned at = 0;
  for (unsigned c = 0; c < components; ++c) {
    l.bits[c] = uint8_t(b[c]);
    l.shift[c] = uint8_t(at);
    at += b[c];
  }
  l.components = uint8_t(components);
  l.bytes = uint8_t((at + 7) / 8);
  return l;
}
constexpr layout x24_8_32() { // 32 bits of depth, 8 of stencil, 24 unused
  layout l = make(2, 32, 8);
  l.bytes = 8;
  return l;
}

constexpr unsigned layout_count = 35;
constexpr layout layouts[layout_count] = {
    layout{},               // 0 invalid
    make(1, 8),             // 8
    make(1, 16),            // 16
    make(2, 8, 8),          // 8_8
    make(1, 32),            // 32
    make(2, 16, 16),        // 16_16
    make(3, 11, 11, 10),    // 10_11_11
    make(3, 10, 11, 11),    // 11_11_10
    make(4, 2, 10, 10, 10), // 10_10_10_2
    make(4, 10, 10, 10, 2), // 2_10_10_10
    make(4, 8, 8, 8, 8),    // 8_8_8_8
    make(2, 32, 32),        // 32_32
    make(4, 16, 16, 16, 16),
    make(3, 32, 32, 32),
    make(4, 32, 32, 32, 32),
    layout{},               // 15 reserved
    make(3, 5, 6, 5),       // 16 5_6_5
    make(4, 5, 5, 5, 1),    // 17 1_5_5_5
    make(4, 1, 5, 5, 5),    // 18 5_5_5_1
    make(4, 4, 4, 4, 4),    // 19 4_4_4_4
    make(2, 24, 8),         // 20 8_24
    make(2, 8, 24),         // 21 24_8
    x24_8_32(),             // 22 X24_8_32
    layout{}, layout{}, layout{}, layout{}, layout{}, layout{}, layout{}, layout{}, layout{}, layout{}, layout{},
    make(4, 9, 9, 9, 5),    // 34 5_9_9_9: three mantissas and their exponent; decode() joins them
};
constexpr layout no_layout{};

float as_float(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
uint32_t as_bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
constexpr uint32_t field_mask(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }
int32_t sign_extend(uint32_t raw, unsigned bits) { return int32_t(raw << (32 - bits)) >> (32 - bits); }
unsigned top_bit(uint64_t x) { return 63u - unsigned(__builtin_clzll(x)); }

// Finite |f| = mantissa * 2^exponent.
struct parts { uint64_t mantissa; int exponent; };
parts split(uint32_t f) {
  const unsigned e = f >> 23 & 0xff;
  const uint32_t m = f & 0x7fffff;
  return e ? parts{m | 0x800000u, int(e) - 150} : parts{m, -149};
}

// Nearest even of mantissa * 2^exponent, for results below 2^63.
uint64_t round_scaled(unsigned __int128 mantissa, int exponent) {
  if (exponent >= 0) return uint64_t(mantissa << exponent);
  const unsigned s = unsigned(-exponent);
  if (s > 100) return 0; // mantissa < 2^60: less than half
  const unsigned __int128 whole = mantissa >> s, rest = mantissa - (whole << s), half = (unsigned __int128)1 << (s - 1);
  return uint64_t(whole) + (rest > half || (rest == half && (whole & 1)) ? 1 : 0);
}

bool is_nan(uint32_t f) { return (f & 0x7fffffff) > 0x7f800000u; }

// round(|f| * scale), |f| clamped to 1.
uint32_t normalized(uint32_t f, uint32_t scale) {
  const uint32_t magnitude = f & 0x7fffffff;
  if (magnitude >= 0x3f800000u) return scale;
  const parts p = split(magnitude);
  return uint32_t(round_scaled((unsigned __int128)p.mantissa * scale, p.exponent));
}

// round(|f|), clamped to `limit` (below 2^32).
uint64_t rounded(uint32_t f, uint64_t limit) {
  const uint32_t magnitude = f & 0x7fffffff;
  if (magnitude >= 0x4f800000u) return limit; // 2^32 and more, infinity
  const parts p = split(magnitude);
  const uint64_t r = round_scaled(p.mantissa, p.exponent);
  return r < limit ? r : limit;
}

// A finite or infinite non-negative float to a format with 5 exponent bits (bias 15) and `mantissa_bits`: nearest even.
uint32_t to_small(uint32_t magnitude, unsigned mantissa_bits) {
  const uint32_t infinity = 31u << mantissa_bits;
  if (magnitude >= 0x7f800000u) return infinity;
  const int e = int(magnitude >> 23) - 127 + 15; // exponent field of the result, if normal
  if (e >= 31) return infinity;
  const uint32_t m = (magnitude & 0x7fffff) | 0x800000u;
  unsigned drop = 23 - mantissa_bits;
  uint32_t base = 0;
  if (magnitude < 0x00800000u) return 0; // far below the smallest denormal
  if (e <= 0) {
    drop += unsigned(1 - e);
    if (drop > 25) return 0;
  } else {
    base = uint32_t(e - 1) << mantissa_bits; // the hidden bit adds one exponent
  }
  const uint32_t whole = m >> drop, rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
  return base + whole + (rest > half || (rest == half && (whole & 1)) ? 1 : 0); // a carry goes up to infinity as it should
}

// Exponent 5 bits (bias 15), `mantissa_bits`, no sign, widened.
uint32_t from_small(uint32_t raw, unsigned mantissa_bits) {
  const uint32_t e = raw >> mantissa_bits & 31, m = raw & ((1u << mantissa_bits) - 1);
  if (e == 31) return 0x7f800000u | m << (23 - mantissa_bits);
  if (e) return (e + 112) << 23 | m << (23 - mantissa_bits);
  if (!m) return 0;
  const unsigned t = top_bit(m); // m * 2^(-14 - mantissa_bits)
  return (127 - 14 - mantissa_bits + t) << 23 | (m << (23 - t) & 0x7fffff);
}

uint32_t decode_shared_exponent(uint32_t word, unsigned c) {
  if (c == 3) return 0x3f800000u;
  const uint32_t m = word >> (9 * c) & 0x1ff;
  return as_bits(float(m) * as_float(uint32_t(int(word >> 27) - 24 + 127) << 23)); // m * 2^(e - 15 - 9): exact
}

uint32_t encode_shared_exponent(const uint32_t in[4]) { // EXT_texture_shared_exponent / Direct3D: nearest even here
  uint32_t largest = 0, v[3];
  for (unsigned c = 0; c < 3; ++c) {
    v[c] = is_nan(in[c]) || (in[c] >> 31) ? 0 : in[c] > 0x477f8000u ? 0x477f8000u : in[c]; // 65408 is the largest
    if (v[c] > largest) largest = v[c];
  }
  int e = largest < 0x37800000u ? 0 : int(largest >> 23) - 127 + 16; // floor(log2) + 1 + bias 15, at least 0
  if (e < 0) e = 0;
  auto mantissa = [&](uint32_t f) { const parts p = split(f); return uint32_t(round_scaled(p.mantissa, p.exponent - e + 24)); };
  if (mantissa(largest) == 512) ++e;
  return uint32_t(e) << 27 | mantissa(v[2]) << 18 | mantissa(v[1]) << 9 | mantissa(v[0]);
}

// unorm8 and snorm8 are the commonest: one look-up each.
struct byte_tables {
  uint32_t unorm[256], snorm[256];
  byte_tables() {
    for (unsigned i = 0; i < 256; ++i) {
      unorm[i] = ratio_to_f32(i, 255);
      const int s = int8_t(i);
      const uint32_t m = ratio_to_f32(uint64_t(s < 0 ? (s < -127 ? 127 : -s) : s), 127);
      snorm[i] = s < 0 ? m | 0x80000000u : m;
    }
  }
};
const byte_tables& tables() {
  static const byte_tables t;
  return t;
}

} // namespace

const layout& layout_of(unsigned dfmt) { return dfmt < layout_count ? layouts[dfmt] : no_layout; }

bool defined(unsigned dfmt, unsigned nfmt) {
  const layout& l = layout_of(dfmt);
  if (!l.bytes || nfmt == NFMT_RESERVED_6 || nfmt == 8 || nfmt > NFMT_SRGB) return false;
  if (nfmt != NFMT_FLOAT) return dfmt != DFMT_5_9_9_9;
  switch (dfmt) {
    case DFMT_16: case DFMT_32: case DFMT_16_16: case DFMT_10_11_11: case DFMT_11_11_10: case DFMT_32_32: case DFMT_16_16_16_16: case DFMT_32_32_32:
    case DFMT_32_32_32_32: case DFMT_X24_8_32: case DFMT_5_9_9_9: return true;
    default: return false;
  }
}

uint32_t ratio_to_f32(uint64_t n, uint64_t d) {
  if (!n) return 0;
  // Scale so that the quotient has 25 or 26 bits; the remainder is the sticky bit.
  const int s = 25 + int(top_bit(d)) - int(top_bit(n));
  unsigned __int128 a = n, b = d;
  if (s >= 0) a <<= s; else b <<= -s;
  uint64_t q = uint64_t(a / b);
  const bool sticky = a % b != 0;
  const unsigned t = top_bit(q); // 24 or 25
  const unsigned drop = t - 23;
  const uint64_t rest = q & ((1u << drop) - 1), half = 1u << (drop - 1);
  uint64_t m = q >> drop;
  if (rest > half || (rest == half && (sticky || (m & 1)))) ++m;
  return uint32_t((uint64_t(127 + int(t) - s - 1) << 23) + m); // m's hidden bit adds one exponent
}

uint32_t f16_to_f32(uint16_t h) { return from_small(h & 0x7fff, 10) | uint32_t(h & 0x8000) << 16; }
uint16_t f32_to_f16(uint32_t f) {
  const uint16_t sign = uint16_t(f >> 16 & 0x8000);
  if (is_nan(f)) return uint16_t(sign | 0x7e00 | (f >> 13 & 0x3ff));
  return uint16_t(sign | to_small(f & 0x7fffffff, 10));
}
uint32_t f32_to_small_float(uint32_t f, unsigned mantissa_bits) {
  if (is_nan(f)) return 31u << mantissa_bits | 1u << (mantissa_bits - 1) | (f & 0x7fffff) >> (23 - mantissa_bits);
  return f >> 31 ? 0 : to_small(f, mantissa_bits);
}

uint32_t decode_component(uint32_t raw, unsigned bits, unsigned nfmt) {
  raw &= field_mask(bits);
  switch (nfmt) {
    case NFMT_UNORM: case NFMT_SRGB:
      return bits == 8 ? tables().unorm[raw] : bits <= 16 ? as_bits(float(double(raw) / double(field_mask(bits)))) : ratio_to_f32(raw, field_mask(bits));
    case NFMT_SNORM: {
      if (bits == 8) return tables().snorm[raw];
      if (bits == 1) return raw ? 0xbf800000u : 0; // a sign alone
      const int64_t s = sign_extend(raw, bits), top = field_mask(bits - 1);
      const uint32_t m = ratio_to_f32(uint64_t(s < 0 ? (s < -top ? top : -s) : s), uint64_t(top));
      return s < 0 ? m | 0x80000000u : m;
    }
    case NFMT_USCALED: return as_bits(float(raw));
    case NFMT_SSCALED: return as_bits(float(sign_extend(raw, bits)));
    case NFMT_UINT: return raw;
    case NFMT_SINT: return uint32_t(sign_extend(raw, bits));
    case NFMT_FLOAT:
      switch (bits) {
        case 32: return raw;
        case 16: return f16_to_f32(uint16_t(raw));
        case 11: return from_small(raw, 6);
        case 10: return from_small(raw, 5);
        default: return 0;
      }
    default: return 0;
  }
}

uint32_t encode_component(uint32_t v, unsigned bits, unsigned nfmt) {
  const uint32_t mask = field_mask(bits);
  switch (nfmt) {
    case NFMT_UNORM: case NFMT_SRGB: return is_nan(v) || v >> 31 ? 0 : normalized(v, mask);
    case NFMT_SNORM: {
      if (is_nan(v)) return 0;
      if (bits == 1) return v >> 31 && normalized(v, 1) ? 1 : 0;
      const uint32_t m = normalized(v, field_mask(bits - 1));
      return (v >> 31 ? 0u - m : m) & mask;
    }
    case NFMT_USCALED: return is_nan(v) || v >> 31 ? 0 : uint32_t(rounded(v, mask));
    case NFMT_SSCALED: {
      if (is_nan(v)) return 0;
      const uint64_t top = field_mask(bits) >> 1;
      const uint32_t m = uint32_t(rounded(v, v >> 31 ? top + 1 : top));
      return (v >> 31 ? 0u - m : m) & mask;
    }
    case NFMT_UINT: return v < mask ? v : mask;
    case NFMT_SINT: {
      const int32_t top = int32_t(mask >> 1), s = int32_t(v);
      return uint32_t(s > top ? top : s < -top - 1 ? -top - 1 : s) & mask;
    }
    case NFMT_FLOAT:
      switch (bits) {
        case 32: return v;
        case 16: return f32_to_f16(v);
        case 11: return f32_to_small_float(v, 6);
        case 10: return f32_to_small_float(v, 5);
        default: return 0;
      }
    default: return 0;
  }
}

uint32_t extract(const layout& l, unsigned c, const uint8_t* memory) {
  if (!l.bits[c]) return 0;
  const unsigned first = l.shift[c] / 8u;
  uint64_t v = 0;
  const unsigned n = l.bytes - first < 8u ? l.bytes - first : 8u;
  std::memcpy(&v, memory + first, n);
  return uint32_t(v >> (l.shift[c] % 8u)) & field_mask(l.bits[c]);
}

void decode(unsigned dfmt, unsigned nfmt, const uint8_t* memory, uint32_t out[4]) {
  const layout& l = layout_of(dfmt);
  out[0] = out[1] = out[2] = out[3] = 0;
  if (!defined(dfmt, nfmt)) return;
  if (dfmt == DFMT_5_9_9_9) {
    uint32_t w;
    std::memcpy(&w, memory, 4);
    for (unsigned c = 0; c < 4; ++c) out[c] = decode_shared_exponent(w, c);
    return;
  }
  for (unsigned c = 0; c < l.components; ++c) {
    const unsigned f = dfmt == DFMT_X24_8_32 && c ? unsigned(NFMT_UINT) : nfmt;
    out[c] = decode_component(extract(l, c, memory), l.bits[c], f);
  }
}

void encode(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint8_t* memory) {
  const layout& l = layout_of(dfmt);
  std::memset(memory, 0, l.bytes);
  if (!defined(dfmt, nfmt)) return;
  if (dfmt == DFMT_5_9_9_9) {
    const uint32_t w = encode_shared_exponent(in);
    std::memcpy(memory, &w, 4);
    return;
  }
  for (unsigned c = 0; c < l.components; ++c) {
    const unsigned f = dfmt == DFMT_X24_8_32 && c ? unsigned(NFMT_UINT) : nfmt;
    const uint64_t v = uint64_t(encode_component(in[c], l.bits[c], f)) << (l.shift[c] % 8u);
    for (unsigned i = 0, at = l.shift[c] / 8u; i < 8 && at + i < l.bytes; ++i) memory[at + i] = uint8_t(memory[at + i] | uint8_t(v >> (8 * i)));
  }
}

void decode_rows(unsigned dfmt, unsigned nfmt, const uint8_t* memory, unsigned count, unsigned components, uint32_t (*out)[64]) {
  const layout& l = layout_of(dfmt);
  const bool special = dfmt == DFMT_5_9_9_9 || dfmt == DFMT_X24_8_32;
  if (special) {
    for (unsigned e = 0; e < count; ++e) {
      uint32_t v[4];
      decode(dfmt, nfmt, memory + size_t(e) * l.bytes, v);
      for (unsigned c = 0; c < components; ++c) out[c][e] = v[c];
    }
    return;
  }
  const bool known = defined(dfmt, nfmt);
  const byte_tables& t = tables();
  for (unsigned c = 0; c < components; ++c) {
    uint32_t* const row = out[c];
    const unsigned bits = l.bits[c];
    if (!known || !bits) {
      std::memset(row, 0, count * sizeof *row);
      continue;
    }
    const uint8_t* from = memory + l.shift[c] / 8u;
    const unsigned step = l.bytes, shift = l.shift[c] % 8u;
    if (bits == 32) for (unsigned e = 0; e < count; ++e) std::memcpy(&row[e], from + size_t(e) * step, 4);
    else if (bits == 16 && !shift) for (unsigned e = 0; e < count; ++e) { uint16_t v; std::memcpy(&v, from + size_t(e) * step, 2); row[e] = v; }
    else if (bits == 8 && !shift) for (unsigned e = 0; e < count; ++e) row[e] = from[size_t(e) * step];
    else for (unsigned e = 0; e < count; ++e) row[e] = extract(l, c, memory + size_t(e) * step);
    switch (nfmt) {
      case NFMT_UINT: break;
      case NFMT_SINT: for (unsigned e = 0; e < count; ++e) row[e] = uint32_t(sign_extend(row[e], bits)); break;
      case NFMT_USCALED: for (unsigned e = 0; e < count; ++e) row[e] = as_bits(float(row[e])); break;
      case NFMT_SSCALED: for (unsigned e = 0; e < count; ++e) row[e] = as_bits(float(sign_extend(row[e], bits))); break;
      case NFMT_FLOAT:
        if (bits == 32) break;
        if (bits == 16) for (unsigned e = 0; e < count; ++e) row[e] = f16_to_f32(uint16_t(row[e]));
        else for (unsigned e = 0; e < count; ++e) row[e] = from_small(row[e], bits - 5);
        break;
      default:
        if (bits == 8 && nfmt != NFMT_SNORM) for (unsigned e = 0; e < count; ++e) row[e] = t.unorm[row[e]];
        else if (bits == 8) for (unsigned e = 0; e < count; ++e) row[e] = t.snorm[row[e]];
        else for (unsigned e = 0; e < count; ++e) row[e] = decode_component(row[e], bits, nfmt);
        break;
    }
  }
}

uint16_t to_d16(uint32_t v, unsigned nfmt) {
  switch (nfmt) {
    case NFMT_UINT: return uint16_t(v < 0xffffu ? v : 0xffffu);
    case NFMT_SINT: { const int32_t s = int32_t(v); return uint16_t(s > 32767 ? 32767 : s < -32768 ? -32768 : s); }
    default: return f32_to_f16(v);
  }
}
uint32_t from_d16(uint16_t v, unsigned nfmt) {
  switch (nfmt) {
    case NFMT_UINT: return v;
    case NFMT_SINT: return uint32_t(int32_t(int16_t(v)));
    default: return f16_to_f32(v);
  }
}

} // namespace lyra::isa::formats
