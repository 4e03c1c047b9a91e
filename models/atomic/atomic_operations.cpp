// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_operations.h"
#include <cstring>

namespace lyra::atomic {

namespace {
template <class To, class From> To bits(From f) {
  static_assert(sizeof(To) == sizeof(From));
  To t;
  std::memcpy(&t, &f, sizeof t);
  return t;
}

template <class U, class S, class F> U apply_as(isa::atomic_operation operation, U m, U v, U c) {
  using op = isa::atomic_operation;
  const auto f = [](U x) { return bits<F>(x); };
  switch (operation) {
    case op::atomic_none: return m;
    case op::atomic_swap: return v;
    case op::atomic_cmpswap: return m == c ? v : m;
    case op::atomic_add: return m + v;
    case op::atomic_sub: return m - v;
    case op::atomic_smin: return S(v) < S(m) ? v : m;
    case op::atomic_umin: return v < m ? v : m;
    case op::atomic_smax: return S(v) > S(m) ? v : m;
    case op::atomic_umax: return v > m ? v : m;
    case op::atomic_and: return m & v;
    case op::atomic_or: return m | v;
    case op::atomic_xor: return m ^ v;
    case op::atomic_inc: return m >= v ? 0 : m + 1;
    case op::atomic_dec: return m == 0 || m > v ? v : m - 1;
    case op::atomic_fcmpswap: return f(m) == f(c) ? v : m;
    case op::atomic_fmin: return f(v) < f(m) ? v : m;
    case op::atomic_fmax: return f(v) > f(m) ? v : m;
    case op::atomic_fadd: return bits<U>(F(f(m) + f(v)));
  }
  return m;
}
} // namespace

uint64_t apply(isa::atomic_operation operation, unsigned bytes, uint64_t memory, uint64_t operand, uint64_t compare) {
  if (bytes == 8) return apply_as<uint64_t, int64_t, double>(operation, memory, operand, compare);
  return apply_as<uint32_t, int32_t, float>(operation, uint32_t(memory), uint32_t(operand), uint32_t(compare));
}

} // namespace lyra::atomic
