// SPDX-License-Identifier: Apache-2.0
// The read-modify-write operations of a data share, on one 32- or 64-bit word.
#pragma once
#include "alu/data_share.h"
#include "alu/wave_registers.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lyra::alu {

/// IEEE 754 single or double by its bits, with the denormal rules of MODE. Addition rounds to nearest even whatever MODE says.
template <class U> struct ds_float {
  static constexpr bool wide = sizeof(U) == 8;
  using real = std::conditional_t<wide, double, float>;
  static constexpr unsigned mantissa = wide ? 52 : 23;
  static constexpr U sign_bit = U(1) << (8 * sizeof(U) - 1), infinity = (sign_bit - 1) & ~((U(1) << mantissa) - 1), quiet_bit = U(1) << (mantissa - 1);
  bool keep_in, keep_out; ///< denormals are inputs, are results

  explicit ds_float(uint32_t mode) {
    const uint32_t d = mode >> (wide ? mode_bit::denorm_64_16 : mode_bit::denorm_32);
    keep_in = d & 1;
    keep_out = d & 2;
  }
  static bool is_nan(U v) { return (v & ~sign_bit) > infinity; }
  static bool is_denormal(U v) { return (v & infinity) == 0 && (v & ~sign_bit) != 0; }
  static real value(U v) { real r; std::memcpy(&r, &v, sizeof r); return r; }
  static U bits(real r) { U v; std::memcpy(&v, &r, sizeof v); return v; }
  U in(U v) const { return !keep_in && is_denormal(v) ? v & sign_bit : v; }
  U out(U v) const { return !keep_out && is_denormal(v) ? v & sign_bit : v; }

  bool equal(U a, U b) const { return value(in(a)) == value(in(b)); }
  U add(U a, U b) const {
    a = in(a); b = in(b);
    if (is_nan(a)) return a | quiet_bit;
    if (is_nan(b)) return b | quiet_bit;
    const U r = bits(value(a) + value(b));
    return is_nan(r) ? U(infinity | quiet_bit) : out(r);
  }
  /// A number wins over a NaN; -0 is less than +0.
  U select(U memory, U source, bool maximum) const {
    const U m = in(memory), s = in(source);
    if (is_nan(s)) return is_nan(m) ? s | quiet_bit : out(m);
    if (is_nan(m)) return out(s);
    const bool less = value(s) < value(m) || (value(s) == value(m) && (s & sign_bit) > (m & sign_bit));
    const bool more = value(s) > value(m) || (value(s) == value(m) && (s & sign_bit) < (m & sign_bit));
    return out((maximum ? more : less) ? s : m);
  }
};

/// Calls `use` with a function (memory, d0, d1) -> new memory.
template <class U, class Use> void with_operation(ds_operation operation, uint32_t mode, Use use) {
  using S = std::make_signed_t<U>;
  const ds_float<U> real(mode);
  switch (operation) {
    case ds_operation::add: use([](U m, U d, U) { return U(m + d); }); break;
    case ds_operation::sub: use([](U m, U d, U) { return U(m - d); }); break;
    case ds_operation::rsub: use([](U m, U d, U) { return U(d - m); }); break;
    case ds_operation::inc: use([](U m, U d, U) { return m >= d ? U(0) : U(m + 1); }); break;
    case ds_operation::dec: use([](U m, U d, U) { return m == 0 || m > d ? d : U(m - 1); }); break;
    case ds_operation::smin: use([](U m, U d, U) { return S(d) < S(m) ? d : m; }); break;
    case ds_operation::smax: use([](U m, U d, U) { return S(d) > S(m) ? d : m; }); break;
    case ds_operation::umin: use([](U m, U d, U) { return std::min(m, d); }); break;
    case ds_operation::umax: use([](U m, U d, U) { return std::max(m, d); }); break;
    case ds_operation::bit_and: use([](U m, U d, U) { return U(m & d); }); break;
    case ds_operation::bit_or: use([](U m, U d, U) { return U(m | d); }); break;
    case ds_operation::bit_xor: use([](U m, U d, U) { return U(m ^ d); }); break;
    case ds_operation::mskor: use([](U m, U d, U e) { return U((m & ~d) | e); }); break;
    case ds_operation::cmpst: use([](U m, U d, U e) { return m == d ? e : m; }); break;
    case ds_operation::cmpswap: use([](U m, U d, U e) { return m == e ? d : m; }); break;
    case ds_operation::fcmpst: use([real](U m, U d, U e) { return real.equal(m, d) ? e : m; }); break;
    case ds_operation::fmin: use([real](U m, U d, U) { return real.select(m, d, false); }); break;
    case ds_operation::fmax: use([real](U m, U d, U) { return real.select(m, d, true); }); break;
    case ds_operation::fadd: use([real](U m, U d, U) { return real.add(m, d); }); break;
    case ds_operation::xchg: use([](U, U d, U) { return d; }); break;
    case ds_operation::wrap: use([](U m, U d, U e) { return m >= d ? U(m - d) : U(m + e); }); break;
    case ds_operation::none: break;
  }
}

} // namespace lyra::alu
