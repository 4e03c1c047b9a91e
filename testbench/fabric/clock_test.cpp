// SPDX-License-Identifier: Apache-2.0
// Cycles from times: products instead of quotients, against plain division.
#include "fabric/clock.h"
#include "support/systemc_test.h"
#include <random>

using namespace lyra::fabric;

namespace {
void check(const clock_domain& k, picoseconds t) {
  const picoseconds p = k.period();
  BOOST_REQUIRE_MESSAGE(k.floor(t) == t / p, "floor(" << t << ") of a period of " << p << " ps is " << k.floor(t));
  BOOST_REQUIRE_MESSAGE(k.ceil(t) == t / p + (t % p != 0), "ceil(" << t << ") of a period of " << p << " ps is " << k.ceil(t));
}
} // namespace

BOOST_AUTO_TEST_CASE(edges_and_what_lies_beside_them) {
  std::mt19937_64 random(1);
  for (picoseconds p = 1; p < (picoseconds(1) << 21); p += p < 3000 ? 1 : 1 + random() % 5000) {
    const clock_domain k(p);
    for (unsigned bits = 1; bits < 61; bits += 3) {
      const cycle_t c = (random() >> (64 - bits)) / p;
      for (const picoseconds t : {k.at(c), k.at(c + 1) - 1, k.at(c + 1), k.at(c) + 1}) check(k, t);
    }
    for (const picoseconds t : {picoseconds(0), (picoseconds(1) << 44) - 1, picoseconds(1) << 44, (picoseconds(1) << 44) / p * p, (picoseconds(1) << 44) / p * p - 1}) check(k, t);
  }
}

BOOST_AUTO_TEST_CASE(rates) {
  BOOST_TEST(clock_domain::from_mhz(1500).period() == 667u);
  BOOST_TEST(clock_domain(1000).mhz() == 1000.0);
  BOOST_TEST(clock_domain(667).from_ns(66.7) == 100u);
  BOOST_TEST(clock_domain(667).from_ns(66.8) == 101u);
}
