// SPDX-License-Identifier: Apache-2.0
// Value types and the environment that one lane's function sees, and how a function of one lane becomes a loop over 64.
// Included only by the vector_*.cpp sources, which are compiled once for each host vector level: everything lives in that level's namespace.
#pragma once
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <utility>

#ifndef LYRA_ALU_LEVEL
#define LYRA_ALU_LEVEL baseline
#endif

namespace lyra::alu::LYRA_ALU_LEVEL {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

constexpr int lanes = 64;

template <class To, class From> inline __attribute__((always_inline)) To bits_as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To r;
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}

/// A 32-bit register read as a float by modifiers only (v_cndmask): abs and neg act on bit 31, the value is moved.
struct fbits { u32 v; };
/// One bit a lane (VCC or an SGPR pair) spread to 0 or ~0.
struct lane_bit { u32 m; };
/// A comparison's result: 0 or ~0, gathered into an SGPR pair.
struct flag { u32 m; };
/// A value and one bit a lane (carry out, v_div_scale).
template <class T> struct with_flag { T v; u32 m; };
template <class T> struct is_with_flag { static constexpr bool value = false; };
template <class T> struct is_with_flag<with_flag<T>> { static constexpr bool value = true; };

/// What MODE (Vega ISA 3.5, "Mode register") means for lane functions. The host's MXCSR already has the rounding mode, and flushes for arithmetic;
/// the masks are for functions that only move or compare.
struct environment {
  u32 keep_in32, keep_out32; ///< ANDed to the bits of a denormal: 0x80000000 where MODE flushes it
  u64 keep_in64, keep_out64;
  bool ieee, dx10_clamp, fp16_ovfl;
  u8 round32, round64; ///< 0 nearest even, 1 +inf, 2 -inf, 3 zero
  bool flush_in16, flush_out16;
};

/// Operands of one wave instruction as rows of 64 lanes. Left unset where an operation has no use for it.
struct frame {
  const u32* s[3];    ///< low (or only) dword; halves come as floats, 16-bit integers extended to 32 bits
  const u32* s_hi[3]; ///< high dword of 64-bit operands
  u32* d;
  u32* d_hi;
  const u32* bit_in; ///< 0 or ~0 a lane
  u32* bit_out;
  environment env;
};

using core_function = void (*)(const frame&);

template <class T> inline __attribute__((always_inline)) T load_lane(const u32* lo, const u32* hi, int k) {
  if constexpr (sizeof(T) == 8)
    return bits_as<T>(u64(lo[k]) | u64(hi[k]) << 32);
  else
    return bits_as<T>(lo[k]);
}

template <class T> inline __attribute__((always_inline)) void store_lane(u32* lo, u32* hi, int k, T v) {
  if constexpr (sizeof(T) == 8) {
    const u64 b = bits_as<u64>(v);
    lo[k] = u32(b);
    hi[k] = u32(b >> 32);
  } else
    lo[k] = bits_as<u32>(v);
}

// ---- NaN rules of arithmetic: a NaN operand comes out quieted, the first one of several; an invalid operation gives the negative quiet NaN
// (0xffc00000 stands in the ISA's V_DIV_FIXUP; CLRX's measured notes say -NaN for roots and logarithms) ----
inline bool is_nan(float v) { return (bits_as<u32>(v) & 0x7fffffffu) > 0x7f800000u; }
inline bool is_nan(double v) { return (bits_as<u64>(v) & ~(1ull << 63)) > 0x7ffull << 52; }
inline float quiet(float v) { return bits_as<float>(bits_as<u32>(v) | 0x400000u); }
inline double quiet(double v) { return bits_as<double>(bits_as<u64>(v) | 1ull << 51); }
inline float default_nan(float) { return bits_as<float>(0xffc00000u); }
inline double default_nan(double) { return bits_as<double>(0xfff8ull << 48); }

template <class R> inline R first_nan() { return default_nan(R()); }
template <class R, class A, class... B> inline R first_nan(A a, B... b) {
  if constexpr (std::is_same_v<R, A>)
    if (is_nan(a)) return quiet(a);
  return first_nan<R>(b...);
}

/// 64 lanes of a 64-bit operand from its two rows, side by side, and back.
inline void join_rows(const u32* lo, const u32* hi, u64* out) {
#ifdef __AVX2__
  for (int k = 0; k < lanes; k += 8) {
    const __m256i l = _mm256_load_si256(reinterpret_cast<const __m256i*>(lo + k)), h = _mm256_load_si256(reinterpret_cast<const __m256i*>(hi + k));
    const __m256i even = _mm256_unpacklo_epi32(l, h), odd = _mm256_unpackhi_epi32(l, h);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + k), _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + k + 4), _mm256_permute2x128_si256(even, odd, 0x31));
  }
#else
  for (int k = 0; k < lanes; k += 4) {
    const __m128i l = _mm_load_si128(reinterpret_cast<const __m128i*>(lo + k)), h = _mm_load_si128(reinterpret_cast<const __m128i*>(hi + k));
    _mm_store_si128(reinterpret_cast<__m128i*>(out + k), _mm_unpacklo_epi32(l, h));
    _mm_store_si128(reinterpret_cast<__m128i*>(out + k + 2), _mm_unpackhi_epi32(l, h));
  }
#endif
}
inline void split_rows(const u64* in, u32* lo, u32* hi) {
#ifdef __AVX2__
  const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
  for (int k = 0; k < lanes; k += 8) {
    const __m256i a = _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(in + k)), order);
    const __m256i b = _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(in + k + 4)), order);
    _mm256_store_si256(reinterpret_cast<__m256i*>(lo + k), _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_store_si256(reinterpret_cast<__m256i*>(hi + k), _mm256_permute2x128_si256(a, b, 0x31));
  }
#else
  for (int k = 0; k < lanes; k += 4) {
    const __m128 a = _mm_load_ps(reinterpret_cast<const float*>(in + k)), b = _mm_load_ps(reinterpret_cast<const float*>(in + k + 2));
    _mm_store_ps(reinterpret_cast<float*>(lo + k), _mm_shuffle_ps(a, b, 0x88));
    _mm_store_ps(reinterpret_cast<float*>(hi + k), _mm_shuffle_ps(a, b, 0xdd));
  }
#endif
}

namespace detail {

template <class T> constexpr bool is_source = !std::is_same_v<T, lane_bit>;
template <class T> constexpr bool is_wide = sizeof(T) == 8;
template <class T> struct value_of { using type = T; };
template <class T> struct value_of<with_flag<T>> { using type = T; };

template <class... A> constexpr int source_index(int argument) {
  const bool source[] = {is_source<A>..., true};
  int n = 0;
  for (int k = 0; k < argument; ++k) n += source[k];
  return n % 3;
}

/// Pointers a loop reads: rows of dwords, or the joined lanes of 64-bit operands.
template <class T> inline __attribute__((always_inline)) T argument(const u32* row, const u64* joined, const u32* bits, int k) {
  if constexpr (std::is_same_v<T, lane_bit>)
    return lane_bit{bits[k]};
  else if constexpr (is_wide<T>)
    return bits_as<T>(joined[k]);
  else
    return bits_as<T>(row[k]);
}

template <class R> inline __attribute__((always_inline)) void result(u32* d, u64* d_joined, u32* bit_out, int k, R r) {
  if constexpr (std::is_same_v<R, flag>)
    bit_out[k] = r.m;
  else if constexpr (is_with_flag<R>::value) {
    result<decltype(r.v)>(d, d_joined, bit_out, k, r.v);
    bit_out[k] = r.m;
  } else if constexpr (is_wide<R>)
    d_joined[k] = bits_as<u64>(r);
  else
    d[k] = bits_as<u32>(r);
}

template <auto F, bool FixNan, bool Environment, class R, class... A, size_t... I>
inline __attribute__((always_inline)) void run(const frame& f, std::index_sequence<I...>) {
  constexpr bool wide_source = (is_wide<A> || ... || false), wide_result = is_wide<typename value_of<R>::type>;
  alignas(64) u64 joined_rows[wide_source ? sizeof...(A) : 1][wide_source ? lanes : 1];
  alignas(64) u64 joined_result[wide_result ? lanes : 1];
  const u32* const row[] = {f.s[source_index<A...>(I)]..., nullptr};
  if constexpr (wide_source) ((is_wide<A> ? join_rows(f.s[source_index<A...>(I)], f.s_hi[source_index<A...>(I)], joined_rows[I]) : void()), ...);
  const u64* const joined[] = {joined_rows[wide_source ? I : 0]..., nullptr};
  const u32* const bits = f.bit_in;
  u32 *const d = f.d, *const bit_out = f.bit_out;
  (void)row, (void)joined, (void)bits, (void)bit_out;
  if constexpr (Environment) {
    const environment env = f.env;
#pragma GCC ivdep
    for (int k = 0; k < lanes; ++k) result<R>(d, joined_result, bit_out, k, F(env, argument<A>(row[I], joined[I], bits, k)...));
  } else {
#pragma GCC ivdep
    for (int k = 0; k < lanes; ++k) result<R>(d, joined_result, bit_out, k, F(argument<A>(row[I], joined[I], bits, k)...));
  }
  if constexpr (FixNan) {
    u32 any = 0;
    if constexpr (wide_result)
      for (int k = 0; k < lanes; ++k) any |= u32((joined_result[k] >> 32 & 0x7fffffffu) >= 0x7ff00000u);
    else
      for (int k = 0; k < lanes; ++k) any |= u32((d[k] & 0x7fffffffu) > 0x7f800000u);
    if (__builtin_expect(any != 0, 0))
      for (int k = 0; k < lanes; ++k) {
        const R r = argument<R>(d, joined_result, nullptr, k);
        if (is_nan(r)) result<R>(d, joined_result, bit_out, k, first_nan<R>(argument<A>(row[I], joined[I], bits, k)...));
      }
  }
  if constexpr (wide_result) split_rows(joined_result, f.d, f.d_hi);
}

template <auto F, bool FixNan, class R, class... A> inline __attribute__((always_inline)) void loop(const frame& f, R (*)(A...)) {
  run<F, FixNan, false, R, A...>(f, std::index_sequence_for<A...>());
}
template <auto F, bool FixNan, class R, class... A> inline __attribute__((always_inline)) void loop(const frame& f, R (*)(const environment&, A...)) {
  run<F, false, true, R, A...>(f, std::index_sequence_for<A...>());
}

} // namespace detail

/// The loop over 64 lanes of a lane function `R f([const environment&,] A...)`. No lane reads another's registers, so the compiler may vectorise although
/// destination and sources are the same rows.
template <auto F> void lanes_of(const frame& f) { detail::loop<F, false>(f, F); }

/// The same for IEEE arithmetic that the host does natively: a NaN result becomes the first NaN operand, quieted, or the default NaN.
/// The destination must not be a source row.
template <auto F> void float_lanes_of(const frame& f) { detail::loop<F, true>(f, F); }

} // namespace lyra::alu::LYRA_ALU_LEVEL
