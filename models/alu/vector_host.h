// SPDX-License-Identifier: Apache-2.0
// The parts of the host that vectorised loops do not reach: floating-point control, half conversion, lane masks.
#pragma once
#include "alu/scalar_source.h"
#include "alu/vector_model.h"

namespace lyra::alu::LYRA_ALU_LEVEL {

constexpr bool is_wide_kind(kind k) { return k == kind::b64 || k == kind::s64 || k == kind::f64; }
constexpr wide_literal wide_literal_of(kind k) { return k == kind::f64 ? wide_literal::high_half : k == kind::s64 ? wide_literal::sign_extended : wide_literal::zero_extended; }

constexpr u32 host_default_control = 0x1f80; ///< MXCSR: all exceptions masked, round to nearest even, denormals on

/// Sets the host's MXCSR for one instruction's loop and puts the default back after it. Costs nothing where MODE is what the host has anyway.
class fp_scope {
public:
  explicit fp_scope(u32 control) : changed_(control != host_default_control) {
    if (changed_) _mm_setcsr(control);
    asm volatile("" ::: "memory"); // operands are loaded, so arithmetic starts, after this
  }
  ~fp_scope() {
    asm volatile("" ::: "memory"); // results are stored, so arithmetic ends, before this
    if (changed_) _mm_setcsr(host_default_control);
  }
  fp_scope(const fp_scope&) = delete;
  fp_scope& operator=(const fp_scope&) = delete;

private:
  bool changed_;
};

/// MXCSR for MODE: rounding (0 nearest, 1 +inf, 2 -inf, 3 zero), denormal bits (bit 0: inputs allowed, bit 1: outputs allowed).
inline u32 host_control(unsigned round, unsigned denorm) {
  static const u32 rounding[4] = {0, 2u << 13, 1u << 13, 3u << 13};
  return host_default_control | rounding[round & 3] | (denorm & 1 ? 0 : 1u << 6) | (denorm & 2 ? 0 : 1u << 15);
}

inline u32 host_control(fp_rule rule, u32 mode) {
  const unsigned round32 = mode & 3, round64 = mode >> 2 & 3, denorm32 = mode >> 4 & 3, denorm64 = mode >> 6 & 3;
  switch (rule) {
    case fp_rule::single: return host_control(round32, denorm32);
    case fp_rule::single_flush: return host_control(round32, 0);
    case fp_rule::wide: return host_control(round64, denorm64);
    case fp_rule::half: case fp_rule::half_flush: return host_control(round64, 3);
    case fp_rule::narrowing: return host_control(round32, (denorm64 & 1) | (denorm32 & 2));
    case fp_rule::exact: return host_control(round32, 3);
    default: return host_default_control;
  }
}

inline environment environment_of(u32 mode) {
  environment e;
  const unsigned denorm32 = mode >> 4 & 3, denorm64 = mode >> 6 & 3;
  e.keep_in32 = denorm32 & 1 ? ~0u : 0x80000000u;
  e.keep_out32 = denorm32 & 2 ? ~0u : 0x80000000u;
  e.keep_in64 = denorm64 & 1 ? ~0ull : 1ull << 63;
  e.keep_out64 = denorm64 & 2 ? ~0ull : 1ull << 63;
  e.flush_in16 = !(denorm64 & 1);
  e.flush_out16 = !(denorm64 & 2);
  e.round32 = u8(mode & 3);
  e.round64 = u8(mode >> 2 & 3);
  e.dx10_clamp = mode >> mode_bit::dx10_clamp & 1;
  e.ieee = mode >> mode_bit::ieee & 1;
  e.fp16_ovfl = mode >> mode_bit::fp16_ovfl & 1;
  return e;
}

/// A half's bits as a float: exact, signalling NaNs stay signalling.
inline float half_to_float(u32 h) {
  const u32 sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  const u32 normal = sign | (exponent + 112) << 23 | mantissa << 13;
  const u32 special = sign | 0x7f800000u | mantissa << 13;
  const u32 small = bits_as<u32>(float(i32(mantissa)) * 0x1p-24f) | sign;
  return bits_as<float>(exponent == 31 ? special : exponent == 0 ? small : normal);
}

/// A float rounded to a half's bits by a rounding mode of MODE (0 nearest even, 1 +inf, 2 -inf, 3 zero). NaNs keep the top of their payload and become quiet.
inline u32 float_to_half(float v, unsigned round) {
  const u32 b = bits_as<u32>(v), sign = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
  if (a > 0x7f800000u) return sign | 0x7e00u | (a >> 13 & 0x3ff);
  if (a == 0x7f800000u) return sign | 0x7c00u;
  const i32 exponent = i32(a >> 23) - 127;
  u64 mantissa = a & 0x7fffff;
  u32 result, rest_bits;
  if (exponent < -14) { // denormal half: count of 2^-24
    if (a >> 23) mantissa |= 0x800000;
    const i32 e = a >> 23 ? exponent : -126;
    rest_bits = u32(-1 - e); // value = mantissa * 2^(e-23) = (mantissa >> rest_bits) * 2^-24
    if (rest_bits > 40) rest_bits = 40;
    result = u32(mantissa >> rest_bits);
  } else {
    rest_bits = 13;
    result = exponent > 15 ? 0x7c00u : u32(exponent + 15) << 10 | u32(mantissa >> 13);
  }
  if (exponent > 15) {
    const bool to_infinity = round == 0 || (round == 1 && !sign) || (round == 2 && sign);
    return sign | (to_infinity ? 0x7c00u : 0x7bffu);
  }
  const u64 rest = mantissa & ((1ull << rest_bits) - 1), middle = 1ull << (rest_bits - 1);
  bool up = false;
  if (round == 0) up = rest > middle || (rest == middle && (result & 1));
  else if (round == 1) up = rest && !sign;
  else if (round == 2) up = rest && sign;
  return sign | (result + up);
}

/// Whether a float is too small for a normal half after rounding to 11 bits (tininess after rounding, as the host's FPU has it): what flushing of half
/// results goes by.
inline bool is_tiny_half(float v, unsigned round) {
  const u32 b = bits_as<u32>(v), a = b & 0x7fffffffu;
  const bool away = round == 1 ? !(b >> 31) : round == 2 && (b >> 31);
  const u32 first_normal = round == 0 ? 0x387ff000u : away ? 0x387fe001u : 0x38800000u;
  return a < first_normal;
}

/// Halves at bit `shift` (0 or 16) of 64 dwords to floats; half denormals to zero where asked.
void halves_to_floats(const u32* rows, unsigned shift, bool flush, float* floats);
/// 64 floats to halves in the low 16 bits; rounding as MODE's field. The host must be in a state with denormals on.
void floats_to_halves(const float* floats, u32* halves, unsigned round);

/// One bit a lane to 0 or ~0 a lane.
inline void spread_bits(u64 mask, u32* rows) {
#ifdef __AVX2__
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int k = 0; k < lanes; k += 8) {
    const __m256i m = _mm256_set1_epi32(int(mask >> k & 255));
    _mm256_store_si256(reinterpret_cast<__m256i*>(rows + k), _mm256_cmpeq_epi32(_mm256_and_si256(m, bit), bit));
  }
#else
  const __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
  for (int k = 0; k < lanes; k += 4) {
    const __m128i m = _mm_set1_epi32(int(mask >> k & 15));
    _mm_store_si128(reinterpret_cast<__m128i*>(rows + k), _mm_cmpeq_epi32(_mm_and_si128(m, bit), bit));
  }
#endif
}

/// The sign bit of each lane to one bit a lane.
inline u64 gather_bits(const u32* rows) {
  u64 mask = 0;
#ifdef __AVX2__
  for (int k = 0; k < lanes; k += 8)
    mask |= u64(u32(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(rows + k))))) << k;
#else
  for (int k = 0; k < lanes; k += 4) mask |= u64(u32(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(rows + k))))) << k;
#endif
  return mask;
}

inline void broadcast(u32 v, u32* row) {
  for (int k = 0; k < lanes; ++k) row[k] = v;
}

/// Writes the lanes of `mask` only.
inline void write_lanes(u32* to, const u32* from, u64 mask) {
  if (mask == ~0ull) {
    for (int k = 0; k < lanes; ++k) to[k] = from[k];
    return;
  }
#ifdef __AVX2__
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int k = 0; k < lanes; k += 8) {
    const __m256i m = _mm256_set1_epi32(int(mask >> k & 255));
    const __m256i old = _mm256_load_si256(reinterpret_cast<const __m256i*>(to + k)), v = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + k));
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + k), _mm256_blendv_epi8(old, v, _mm256_cmpeq_epi32(_mm256_and_si256(m, bit), bit)));
  }
#else
  alignas(64) u32 m[lanes];
  spread_bits(mask, m);
  for (int k = 0; k < lanes; ++k) to[k] = (from[k] & m[k]) | (to[k] & ~m[k]);
#endif
}

} // namespace lyra::alu::LYRA_ALU_LEVEL
