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
  u32 keep_in32 = ~0u, keep_out32 = ~0u; ///< ANDed to the bits of a denormal: 0x80000000 where MODE flushes it
  u64 keep_in64 = ~0ull, keep_out64 = ~0ull;
  bool ieee = false, dx10_clamp = false, fp16_ovfl = false;
  u8 round32 = 0, round64 = 0; ///< 0 nearest even, 1 +inf, 2 -inf, 3 zero
  bool flush_in16 = false, flush_out16 = false;
  bool clamp = false; ///< the instruction's CLAMP bit, for integer functions that saturate
};

/// Operands of one wave instruction as rows of 64 lanes.
struct frame {
  const u32* s[3] = {};    ///< low (or only) dword; halves come as floats, 16-bit integers extended to 32 bits
  const u32* s_hi[3] = {}; ///< high dword of 64-bit operands
  u32* d = nullptr;
  u32* d_hi = nullptr;
  const u32* bit_in = nullptr; ///< 0 or ~0 a lane
  u32* bit_out = nullptr;
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

namespace detail {

template <class T> constexpr bool is_source = !std::is_same_v<T, lane_bit>;

template <class... A> constexpr int source_index(int argument) {
  const bool source[] = {is_source<A>..., true};
  int n = 0;
  for (int k = 0; k < argument; ++k) n += source[k];
  return n;
}

template <class T> inline __attribute__((always_inline)) T argument(const u32* lo, const u32* hi, const u32* bits, int k) {
  if constexpr (std::is_same_v<T, lane_bit>)
    return lane_bit{bits[k]};
  else
    return load_lane<T>(lo, hi, k);
}

template <class R> inline __attribute__((always_inline)) void result(u32* d, u32* d_hi, u32* bit_out, int k, R r) {
  if constexpr (std::is_same_v<R, flag>)
    bit_out[k] = r.m;
  else if constexpr (is_with_flag<R>::value) {
    store_lane(d, d_hi, k, r.v);
    bit_out[k] = r.m;
  } else
    store_lane(d, d_hi, k, r);
}

template <auto F, bool FixNan, class R, class... A, size_t... I> inline __attribute__((always_inline)) void run(const frame& f, std::index_sequence<I...>) {
  const u32* const lo[] = {f.s[source_index<A...>(I) % 3]..., nullptr};
  const u32* const hi[] = {f.s_hi[source_index<A...>(I) % 3]..., nullptr};
  const u32* const bits = f.bit_in;
  u32 *const d = f.d, *const d_hi = f.d_hi, *const bit_out = f.bit_out;
  (void)lo, (void)hi, (void)bits;
  if constexpr (FixNan) {
    u32 any = 0;
#pragma GCC ivdep
    for (int k = 0; k < lanes; ++k) {
      const R r = F(argument<A>(lo[I], hi[I], bits, k)...);
      any |= r != r;
      store_lane(d, d_hi, k, r);
    }
    if (__builtin_expect(any != 0, 0))
      for (int k = 0; k < lanes; ++k)
        if (is_nan(load_lane<R>(d, d_hi, k))) store_lane(d, d_hi, k, first_nan<R>(argument<A>(lo[I], hi[I], bits, k)...));
  } else {
#pragma GCC ivdep
    for (int k = 0; k < lanes; ++k) result<R>(d, d_hi, bit_out, k, F(argument<A>(lo[I], hi[I], bits, k)...));
  }
}

template <auto F, class R, class... A, size_t... I>
inline __attribute__((always_inline)) void run_with_environment(const frame& f, std::index_sequence<I...>) {
  const u32* const lo[] = {f.s[source_index<A...>(I) % 3]..., nullptr};
  const u32* const hi[] = {f.s_hi[source_index<A...>(I) % 3]..., nullptr};
  const u32* const bits = f.bit_in;
  u32 *const d = f.d, *const d_hi = f.d_hi, *const bit_out = f.bit_out;
  const environment env = f.env;
  (void)lo, (void)hi, (void)bits;
#pragma GCC ivdep
  for (int k = 0; k < lanes; ++k) result<R>(d, d_hi, bit_out, k, F(env, argument<A>(lo[I], hi[I], bits, k)...));
}

template <auto F, bool FixNan, class R, class... A> inline __attribute__((always_inline)) void loop(const frame& f, R (*)(A...)) {
  run<F, FixNan, R, A...>(f, std::index_sequence_for<A...>());
}
template <auto F, bool FixNan, class R, class... A> inline __attribute__((always_inline)) void loop(const frame& f, R (*)(const environment&, A...)) {
  run_with_environment<F, R, A...>(f, std::index_sequence_for<A...>());
}

} // namespace detail

/// The loop over 64 lanes of a lane function `R f([const environment&,] A...)`. No lane reads another's registers, so the compiler may vectorise although
/// destination and sources are the same rows.
template <auto F> void lanes_of(const frame& f) { detail::loop<F, false>(f, F); }

/// The same for IEEE arithmetic that the host does natively: a NaN result becomes the first NaN operand, quieted, or the default NaN.
/// The destination must not be a source row.
template <auto F> void float_lanes_of(const frame& f) { detail::loop<F, true>(f, F); }

} // namespace lyra::alu::LYRA_ALU_LEVEL
