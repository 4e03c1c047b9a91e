// SPDX-License-Identifier: Apache-2.0
// The scalar caches' return bus: first free cycles, out in order of cycles, against a plain set of busy cycles.
#include "scalar_cache/return_calendar.h"
#include "support/systemc_test.h"
#include <map>
#include <random>
#include <set>

using lyra::scalar_cache::return_calendar;

BOOST_AUTO_TEST_CASE(reservations_take_the_first_free_run_and_come_out_by_cycle) {
  return_calendar c;
  BOOST_TEST(c.empty());
  BOOST_TEST(c.next() == lyra::fabric::never);
  BOOST_TEST(c.reserve(100, 1, 1) == 100u);
  BOOST_TEST(c.reserve(100, 1, 2) == 101u);
  BOOST_TEST(c.reserve(90, 1, 3) == 90u);
  BOOST_TEST(c.reserve(98, 3, 4) == 104u); // 98, 99 are too short before 100
  BOOST_TEST(c.next() == 90u);
  BOOST_TEST(c.take() == 3u);
  BOOST_TEST(c.take() == 1u);
  BOOST_TEST(c.take() == 2u);
  BOOST_TEST(c.next() == 104u);
  BOOST_TEST(c.take() == 4u);
  BOOST_TEST(c.empty());
}

BOOST_AUTO_TEST_CASE(random_reservations_agree_with_a_plain_set_of_busy_cycles) {
  std::mt19937_64 r(3);
  return_calendar c;
  std::set<uint64_t> busy;
  std::map<uint64_t, uint16_t> plain;
  uint64_t now = 0;
  for (unsigned n = 0; n < 200000; ++n) {
    if (plain.size() < 100 && r() % 2) {
      const uint64_t earliest = now + 1 + r() % 2000;
      const unsigned cycles = 1 + unsigned(r() % 4);
      uint64_t start = earliest;
      for (unsigned k = 0; k < cycles; ++k)
        if (busy.count(start + k)) { start += k + 1; k = ~0u; }
      for (unsigned k = 0; k < cycles; ++k) busy.insert(start + k);
      plain[start + cycles - 1] = uint16_t(n);
      BOOST_TEST_REQUIRE(c.reserve(earliest, cycles, uint16_t(n)) == start + cycles - 1);
    } else if (!plain.empty()) {
      BOOST_TEST_REQUIRE(c.next() == plain.begin()->first);
      now = std::max(now, c.next());
      BOOST_TEST_REQUIRE(c.take() == plain.begin()->second);
      plain.erase(plain.begin());
      busy.erase(busy.begin(), plain.empty() ? busy.end() : busy.lower_bound(now + 1));
    }
    BOOST_TEST_REQUIRE(c.size() == plain.size());
  }
}
