// SPDX-License-Identifier: Apache-2.0
// The time of address translation: hits are free, misses cost UTCL2 or a walk, entries are replaced by age.
#include "fabric/address_translation.h"
#include "support/systemc_test.h"

using namespace lyra;

namespace {
constexpr uint64_t page = 2 << 20;
fabric::translation_parameters small() {
  fabric::translation_parameters p;
  p.l1_entries = 4;
  p.l2_entries = 8;
  p.l2_ways = 8;
  p.l2_hit_ns = 60;
  p.walk_ns = 500;
  p.walkers = 1;
  return p;
}
constexpr fabric::clock_domain clock_of_1_ghz{1000};
} // namespace

BOOST_AUTO_TEST_CASE(the_first_use_walks_and_the_next_ones_take_no_time) {
  fabric::address_translation t(small(), 2, clock_of_1_ghz);
  BOOST_TEST(t.delay(0, 5 * page + 64, 100) == 560u);
  BOOST_TEST(t.delay(0, 5 * page + 4096, 150) == 510u); // waits for the walk under way
  BOOST_TEST(t.delay(0, 5 * page, 660) == 0u);
  BOOST_TEST(t.delay(1, 5 * page, 1000) == 60u); // another source: UTCL2 has it
  BOOST_TEST(t.statistics().requests == 4u);
  BOOST_TEST(t.statistics().l1_misses == 2u);
  BOOST_TEST(t.statistics().l2_misses == 1u);
  BOOST_TEST(t.statistics().wait_cycles == 560u + 510u + 60u);
}

BOOST_AUTO_TEST_CASE(as_many_pages_as_entries_stay_and_one_more_pushes_out_the_oldest) {
  fabric::address_translation t(small(), 1, clock_of_1_ghz);
  uint64_t now = 0;
  const auto at = [&](uint64_t n) { now += 10000; return t.delay(0, n * page, now); };
  for (uint64_t n = 0; n < 4; ++n) BOOST_TEST(at(n) == 560u);
  for (uint64_t n = 0; n < 4; ++n) BOOST_TEST(at(n) == 0u);
  BOOST_TEST(at(0) == 0u); // page 1 is the oldest now
  BOOST_TEST(at(4) == 560u);
  BOOST_TEST(at(0) == 0u);
  BOOST_TEST(at(1) == 60u);
  // nine pages in turn are more than UTCL2 holds: each one walks
  for (uint64_t n = 20; n < 29; ++n) at(n);
  for (uint64_t n = 20; n < 29; ++n) BOOST_TEST(at(n) == 560u);
}

BOOST_AUTO_TEST_CASE(walks_wait_for_a_walker) {
  fabric::address_translation t(small(), 2, clock_of_1_ghz);
  BOOST_TEST(t.delay(0, 1 * page, 0) == 560u);
  BOOST_TEST(t.delay(1, 2 * page, 0) == 1060u);
}
