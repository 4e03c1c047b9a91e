// SPDX-License-Identifier: Apache-2.0
// Clock domains: modules count integer cycles; sockets carry picoseconds.
#pragma once
#include <cstdint>
#include <cstring>
#include <systemc>

namespace lyra::fabric {

using cycle_t = uint64_t;
using picoseconds = uint64_t;
constexpr uint64_t never = ~uint64_t(0);

/// A clock whose period is a whole number of picoseconds (1500 MHz: 667 ps). Edge k is at k * period.
class clock_domain {
public:
  explicit constexpr clock_domain(picoseconds period = 667) : period_(period), inverse_(period > 1 ? ~uint64_t(0) / period + 1 : 0) {}
  static clock_domain from_mhz(double mhz) { return clock_domain(picoseconds(1e6 / mhz + 0.5)); }
  picoseconds period() const { return period_; }
  double mhz() const { return 1e6 / double(period_); }
  cycle_t ceil(picoseconds t) const { return floor(t + period_ - 1); } ///< first edge at or after t
  /// Last edge at or before t. A product instead of a quotient, since every message asks for it: inverse_ is (2^64 + e) / period with e <= period, so the upper half of
  /// t * inverse_ is exact where t * e < 2^64.
  cycle_t floor(picoseconds t) const {
    if (__builtin_expect((t >> 44 | period_ >> 20) != 0 || inverse_ == 0, 0)) return t / period_;
    return cycle_t(static_cast<unsigned __int128>(t) * inverse_ >> 64);
  }
  picoseconds at(cycle_t c) const { return c * period_; }
  /// Cycles for a duration in nanoseconds, rounded up.
  cycle_t from_ns(double ns) const { return cycle_t((ns * 1000.0 + double(period_) - 1e-6) / double(period_)); }

private:
  picoseconds period_;
  uint64_t inverse_; ///< 2^64 / period, rounded up; 0 for a period of 1
};

/// Kernel time (ps; its resolution is 1 ps, checked when a machine is built) at which the modules' time began: 0, or that of the last reset.
inline picoseconds time_origin = 0;

// Accellera's kernel (it defines SC_API_VERSION_STRING) has the present time at hand in line, and its sc_time is its value alone; both calls stand in each phase of each
// transaction. Everywhere else, and with LYRA_STANDARD_SYSTEMC, it is what IEEE 1666 has.
#if defined(SC_API_VERSION_STRING) && !defined(LYRA_STANDARD_SYSTEMC)
inline picoseconds kernel_ps() { return sc_core::sc_get_curr_simcontext()->time_stamp().value(); }
inline sc_core::sc_time to_sc_time(picoseconds t) {
  static_assert(sizeof(sc_core::sc_time) == sizeof t, "sc_time is expected to be its value alone");
  sc_core::sc_time r;
  std::memcpy(static_cast<void*>(&r), &t, sizeof t);
  return r;
}
#else
inline picoseconds kernel_ps() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time to_sc_time(picoseconds t) { return sc_core::sc_time(double(t), sc_core::SC_PS); } // exact up to 2^53 ps: two and a half hours of machine time
#endif

/// How far the modules that run now are ahead of the kernel (fabric/time_domain.h).
inline picoseconds time_ahead = 0;

/// The kernel's time since the last reset. Times that TLM calls are annotated with count from here.
inline picoseconds event_ps() { return kernel_ps() - time_origin; }
/// The modules' time.
inline picoseconds now_ps() { return event_ps() + time_ahead; }
/// The modules' time starts again at 0 now. Only with nothing scheduled (fabric/reset.h).
inline void restart_time() { time_origin = kernel_ps(); }

} // namespace lyra::fabric
