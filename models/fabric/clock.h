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
struct clock_domain {
  picoseconds period = 667;

  static clock_domain from_mhz(double mhz) { return {picoseconds(1e6 / mhz + 0.5)}; }
  double mhz() const { return 1e6 / double(period); }
  cycle_t ceil(picoseconds t) const { return (t + period - 1) / period; } ///< first edge at or after t
  cycle_t floor(picoseconds t) const { return t / period; }
  picoseconds at(cycle_t c) const { return c * period; }
  /// Cycles for a duration in nanoseconds, rounded up.
  cycle_t from_ns(double ns) const { return cycle_t((ns * 1000.0 + double(period) - 1e-6) / double(period)); }
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
