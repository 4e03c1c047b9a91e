// SPDX-License-Identifier: Apache-2.0
#include "fabric/cache_array.h"
#include "support/systemc_test.h"
#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <random>
#include <set>

using namespace lyra::cache;

BOOST_AUTO_TEST_CASE(byte_masks_expand_and_merge_every_pattern) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    uint64_t want = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (bits >> i & 1) want |= uint64_t(0xff) << (8 * i);
    BOOST_REQUIRE_EQUAL(expand_mask(uint8_t(bits)), want);
  }
  std::mt19937_64 draw(1);
  for (int n = 0; n < 2000; ++n) {
    uint8_t to[64], from[64], want[64];
    for (int i = 0; i < 64; ++i) { to[i] = want[i] = uint8_t(draw()); from[i] = uint8_t(draw()); }
    uint64_t mask = draw();
    if (n % 3 == 0) mask &= draw() & draw();
    if (n == 1) mask = 0;
    if (n == 2) mask = ~uint64_t(0);
    for (int i = 0; i < 64; ++i)
      if (mask >> i & 1) want[i] = from[i];
    merge_bytes(to, from, mask);
    BOOST_REQUIRE(std::equal(to, to + 64, want));
  }
}

BOOST_AUTO_TEST_CASE(least_recently_used_line_leaves_a_full_set) {
  constexpr unsigned sets = 8, ways = 4;
  cache_array c({sets, 64, 1, false}, ways);
  std::array<std::list<uint64_t>, sets> model; // front: most recent
  std::mt19937_64 draw(2);
  for (int n = 0; n < 20000; ++n) {
    const uint64_t address = (draw() % (sets * ways * 2)) * 64;
    auto& s = model[address / 64 % sets];
    const auto at = std::find(s.begin(), s.end(), address);
    const int i = c.find(address + draw() % 64);
    BOOST_REQUIRE_EQUAL(i != cache_array::absent, at != s.end());
    if (at != s.end()) {
      s.erase(at);
      c.touch(i);
    } else {
      const int v = c.victim(address);
      BOOST_REQUIRE(v != cache_array::absent);
      if (s.size() == ways) { BOOST_REQUIRE_EQUAL(c.address(v), s.back()); s.pop_back(); }
      else BOOST_REQUIRE(!c.holds(v));
      c.install(v, address);
    }
    s.push_front(address);
  }
  BOOST_TEST(c.present() == sets * ways);
}

BOOST_AUTO_TEST_CASE(pinned_lines_are_no_victims_and_retired_lines_go_first) {
  cache_array c({1, 64, 1, false}, 4);
  for (unsigned k = 0; k < 4; ++k) c.install(c.victim(k * 64), k * 64);
  c.pin(c.find(0), true);
  BOOST_TEST(c.address(c.victim(1024)) == 64u);
  c.retire(c.find(192));
  BOOST_TEST(c.address(c.victim(1024)) == 192u);
  for (unsigned k = 0; k < 4; ++k) c.pin(c.find(k * 64), true);
  BOOST_TEST(c.victim(1024) == cache_array::absent);
}

BOOST_AUTO_TEST_CASE(counting_times_of_use_anew_changes_no_victim) {
  // the same random uses, installs, drops, pins and retirements: one array runs out of times every few uses, the other never
  std::mt19937 random(11);
  for (const replacement policy : {replacement::lru, replacement::fifo, replacement::random}) {
    cache_array never({4, 64, 1, false}, 8, policy), often({4, 64, 1, false}, 8, policy, 12);
    for (unsigned k = 0; k < 20000; ++k) {
      const uint64_t address = random() % 64 * 64;
      const int i = never.find(address);
      BOOST_REQUIRE(often.find(address) == i);
      const int v = never.victim(address);
      BOOST_REQUIRE(often.victim(address) == v);
      for (cache_array* c : {&never, &often}) {
        if (i == cache_array::absent) { if (v != cache_array::absent) c->install(v, address); }
        else if (k % 13 == 0) c->drop(i);
        else if (k % 7 == 0) c->retire(i);
        else if (k % 5 == 0) c->pin(i, !c->pinned(i));
        else c->touch(i);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(first_in_first_out_ignores_use_and_random_reaches_every_way) {
  cache_array f({1, 64, 1, false}, 4, replacement::fifo);
  for (unsigned k = 0; k < 4; ++k) f.install(f.victim(k * 64), k * 64);
  f.touch(f.find(0));
  BOOST_TEST(f.address(f.victim(1024)) == 0u);
  cache_array r({1, 64, 1, false}, 4, replacement::random);
  std::set<int> seen;
  for (unsigned k = 0; k < 200; ++k) {
    const int v = r.victim(k * 64);
    if (k >= 4) seen.insert(v);
    r.install(v, k * 64);
  }
  BOOST_TEST(seen.size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_fill_never_overwrites_bytes_stored_before_it) {
  cache_array c({4, 64, 1, false}, 2);
  const int i = c.victim(0x1000);
  c.install(i, 0x1000);
  uint8_t store[64], memory[64];
  for (int k = 0; k < 64; ++k) { store[k] = uint8_t(k + 1); memory[k] = uint8_t(0x80 + k); }
  c.write(i, store, 0xf0f0, true);
  c.fill(i, memory, ~uint64_t(0));
  BOOST_TEST(c.valid(i) == ~uint64_t(0));
  BOOST_TEST(c.dirty(i) == 0xf0f0u);
  for (int k = 0; k < 64; ++k) BOOST_TEST(int(c.data(i)[k]) == int(uint64_t(0xf0f0) >> k & 1 ? store[k] : memory[k]));
}

BOOST_AUTO_TEST_CASE(an_l2_channel_uses_all_its_sets_for_the_blocks_it_owns) {
  for (unsigned channels : {1u, 3u, 16u}) {
    set_selection s{256, 256, channels, false};
    std::map<unsigned, unsigned> uses;
    for (uint64_t block = 0; block < 64; ++block)
      for (unsigned l = 0; l < 4; ++l) ++uses[s((block * channels + channels - 1) * 256 + l * 64)];
    BOOST_TEST(uses.size() == 256u);
    for (const auto& u : uses) BOOST_TEST(u.second == 1u);
  }
}

BOOST_AUTO_TEST_CASE(mixed_indices_spread_lines_over_sets_as_chance_would) {
  // 4096 lines of channel 5 of 16, 16 a set on average: in a row, every second one, a page apart. Chance: the squares of the differences from 16, over 16, add up to 255, give or take 23.
  const set_selection mixed{256, 256, 16, false, true}, plain{256, 256, 16, false, false};
  for (const unsigned lines_apart : {1u, 2u, 64u}) {
    std::vector<unsigned> uses(256), straight(256);
    for (uint64_t k = 0; k < 4096; ++k) {
      const uint64_t line = k * lines_apart, address = (line / 4 * 16 + 5) * 256 + line % 4 * 64;
      ++uses[mixed(address)];
      ++straight[plain(address)];
    }
    double sum = 0;
    for (unsigned n : uses) sum += (double(n) - 16) * (double(n) - 16) / 16;
    BOOST_TEST(sum > 255 - 4 * 23);
    BOOST_TEST(sum < 255 + 4 * 23);
    BOOST_TEST(straight[0] == 16u * lines_apart); // by the lowest bits: as many in each set that is used
  }
}

BOOST_AUTO_TEST_CASE(a_walk_over_as_many_lines_as_the_cache_has_misses_where_chance_fills_sets_too_full) {
  // LRU and a fixed order: every line of a set with more lines than ways misses each time, the others never.
  set_selection mixed{256, 256, 1, false, true};
  cache_array c(mixed, 16);
  std::vector<unsigned> lines(256);
  for (uint64_t k = 0; k < 4096; ++k) ++lines[mixed(k * 64)];
  unsigned expected = 0, misses = 0;
  for (unsigned n : lines) expected += n > 16 ? n : 0;
  for (unsigned round = 0; round < 3; ++round) {
    misses = 0;
    for (uint64_t k = 0; k < 4096; ++k) {
      int i = c.find(k * 64);
      if (i == cache_array::absent) {
        ++misses;
        i = c.victim(k * 64);
        c.install(i, k * 64);
      }
      c.touch(i);
    }
  }
  BOOST_TEST(expected > 1000u);
  BOOST_TEST(misses == expected);
}

BOOST_AUTO_TEST_CASE(data_memory_is_taken_on_first_use_only) {
  cache_array c({256, 64, 1, false}, 16);
  BOOST_TEST(c.data_bytes() == 0u);
  c.install(c.victim(0), 0);
  BOOST_TEST(c.data_bytes() == 0u);
  c.data(c.find(0))[3] = 1;
  BOOST_TEST(c.data_bytes() == 256u * 64); // a way of all sets
}

BOOST_AUTO_TEST_CASE(impossible_sizes_are_refused_with_a_reason) {
  BOOST_CHECK_THROW(cache_array({3, 64, 1, false}, 4), std::invalid_argument);
  BOOST_CHECK_THROW(cache_array({4, 64, 1, false}, 0), std::invalid_argument);
  BOOST_CHECK_THROW(cache_array({4, 96, 2, false}, 4), std::invalid_argument);
}
