// SPDX-License-Identifier: Apache-2.0
// Exact cycles of the scalar data cache. Memory below answers after 100 cycles; 44 cycles a hit, 33 to the crossbar, 48 back.
#include "support/trace_recorder.h"
#include "scalar_cache/scalar_bench.h"
#include "support/systemc_test.h"

using namespace bench;
using fabric::cache_control;

namespace {
constexpr cycle_t hit = 44, out = 33, back = 48, below = 100, miss = out + below + back;
}

BOOST_AUTO_TEST_CASE(a_miss_and_then_a_hit) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(7);
  const auto m = b.load(0, 10, 0x1004), h = b.load(1, 500, 0x1008, 16);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 10 + miss);
  BOOST_TEST(b.ends.at(h).cycle == 500 + hit);
  BOOST_TEST(!b.ends.at(m).hit);
  BOOST_TEST(b.ends.at(h).hit);
  BOOST_TEST(b.ends.at(h).data.size() == 16u);
  BOOST_TEST(b.first(h) == 7);
  BOOST_TEST(b.k->idle());
  BOOST_TEST(b.pool.outstanding() == 0u);
}

BOOST_AUTO_TEST_CASE(a_hit_overtakes_an_earlier_miss_of_its_own_compute_unit) {
  scalar_bench b;
  b.load(0, 10, 0x1000);
  const auto m = b.load(0, 500, 0x2000), h = b.load(0, 501, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 500 + miss);
  BOOST_TEST(b.ends.at(h).cycle == 501 + hit);
  BOOST_TEST(b.count("returns_out_of_order") == 1u);
}

BOOST_AUTO_TEST_CASE(a_load_across_two_lines_comes_in_two_parts_at_two_times) {
  scalar_bench b;
  b.load(0, 10, 0x1040);
  const auto first = b.load(0, 500, 0x1038, 8), second = b.load(0, 500, 0x1040, 8); // the compute unit splits at the line
  b.run();
  BOOST_TEST(b.ends.at(first).cycle == 500 + miss);
  BOOST_TEST(b.ends.at(second).cycle == 501 + hit); // one request a cycle
}

BOOST_AUTO_TEST_CASE(in_order_returns_hold_the_hit_behind_the_miss) {
  scalar_cache::data_cache_parameters p;
  p.ordering = "in_order";
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  const auto m = b.load(0, 500, 0x2000), h = b.load(0, 501, 0x1000), other = b.load(1, 501, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 500 + miss);
  BOOST_TEST(b.ends.at(h).cycle == 500 + miss + 1);
  BOOST_TEST(b.ends.at(other).cycle <= 502 + hit); // only among the requests of one compute unit
  BOOST_TEST(b.count("returns_out_of_order") == 0u);
}

BOOST_AUTO_TEST_CASE(shuffled_returns_differ_from_the_order_of_issue_and_repeat_with_the_seed) {
  scalar_cache::data_cache_parameters p;
  p.ordering = "shuffled";
  p.ordering_seed = 5;
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  b.run();
  b.in_order_of_return.clear();
  std::vector<uint64_t> issue;
  for (unsigned i = 0; i < 8; ++i) issue.push_back(b.load(0, b.now() + 10 + i, 0x1000));
  b.run();
  BOOST_TEST(b.in_order_of_return.size() == 8u);
  BOOST_TEST(b.in_order_of_return != issue);
  for (auto t : issue) {
    BOOST_TEST(b.ends.at(t).cycle >= 1010 + hit);
    BOOST_TEST(b.ends.at(t).cycle <= 1017 + hit + 64 + 7);
  }
  BOOST_TEST(b.count("returns_out_of_order") > 0u);
}

BOOST_AUTO_TEST_CASE(compute_units_take_turns_at_one_request_a_cycle) {
  scalar_bench b;
  b.load(0, 10, 0x1000);
  b.run(400);
  std::vector<uint64_t> t[3];
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned i = 0; i < 3; ++i) t[i].push_back(b.load(i, 500, 0x1000));
  b.run();
  // the port after the last one served goes first
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned i = 0; i < 3; ++i) BOOST_TEST(b.ends.at(t[i][n]).cycle == 500 + hit + 3 * n + (i + 2) % 3);
  BOOST_TEST(b.count("port_conflict_cycles") == 2u * 7 + 1);
}

BOOST_AUTO_TEST_CASE(loads_of_an_outstanding_line_join_its_fill_and_return_one_a_cycle) {
  scalar_bench b;
  const auto a = b.load(0, 10, 0x1000), c = b.load(1, 20, 0x1010), d = b.load(2, 30, 0x1020);
  b.run();
  BOOST_TEST(b.l2->log.size() == 1u);
  BOOST_TEST(b.ends.at(a).cycle == 10 + miss);
  BOOST_TEST(b.ends.at(c).cycle == 11 + miss);
  BOOST_TEST(b.ends.at(d).cycle == 12 + miss);
  BOOST_TEST(b.count("merged") == 2u);
}

BOOST_AUTO_TEST_CASE(without_a_free_mshr_a_miss_waits_but_a_hit_of_another_compute_unit_passes) {
  scalar_cache::data_cache_parameters p;
  p.mshrs = 1;
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  const auto m = b.load(0, 500, 0x2000), waits = b.load(0, 501, 0x3000), behind = b.load(0, 502, 0x1000), passes = b.load(1, 505, 0x1000);
  b.run(2000);
  BOOST_TEST(b.ends.at(m).cycle == 500 + miss);
  BOOST_TEST(b.ends.at(waits).cycle == 500 + out + below + miss);   // looked up when the fill is in
  BOOST_TEST(b.ends.at(behind).cycle == 501 + out + below + hit);
  BOOST_TEST(b.ends.at(passes).cycle == 505 + hit);
  BOOST_TEST(b.count("mshr_full_cycles") == out + below - 2); // 501..625, less the cycle of the hit
}

BOOST_AUTO_TEST_CASE(a_store_is_done_when_it_is_here_and_a_store_through_when_l2_has_it) {
  scalar_bench b;
  const auto s = b.store(0, 10, 0x1000, 1), t = b.store(0, 11, 0x2000, 2, {true});
  b.run();
  BOOST_TEST(b.ends.at(s).cycle == 10 + hit);
  BOOST_TEST(b.ends.at(t).cycle == 11 + miss);
}

BOOST_AUTO_TEST_CASE(a_write_back_answers_when_l2_has_acknowledged_the_last_dirty_line) {
  scalar_bench b;
  for (unsigned i = 0; i < 5; ++i) b.store(0, 10 + i, 0x1000 + 64 * i, 1);
  b.run(500);
  BOOST_TEST(b.k->dirty_lines() == 5u);
  const auto w = b.control(0, 600, cache_control::writeback), again = b.control(0, 1100, cache_control::writeback);
  b.run();
  BOOST_TEST(b.ends.at(w).cycle == 600 + miss + 4); // five writes, one a cycle
  BOOST_TEST(b.ends.at(again).cycle == 1100 + hit);  // nothing left to do
  BOOST_TEST(b.k->dirty_lines() == 0u);
}

BOOST_AUTO_TEST_CASE(a_write_back_waits_for_writes_sent_before_it_too) {
  scalar_bench b;
  b.l2->latency = 300;
  b.store(0, 10, 0x1000, 1, {true});
  const auto w = b.control(1, 12, cache_control::writeback);
  b.run();
  BOOST_TEST(b.ends.at(w).cycle == 10u + out + 300 + back + 1); // the store's own answer takes the bus first
}

BOOST_AUTO_TEST_CASE(more_requests_than_places_wait) {
  scalar_cache::data_cache_parameters p;
  p.requests_outstanding = 2;
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  b.run(400);
  std::vector<uint64_t> t;
  for (unsigned i = 0; i < 4; ++i) t.push_back(b.load(0, 500, 0x1000));
  b.run();
  BOOST_TEST(b.ends.at(t[0]).cycle == 500 + hit);
  BOOST_TEST(b.ends.at(t[1]).cycle == 501 + hit);
  BOOST_TEST(b.ends.at(t[2]).cycle == 500 + hit - 1 + hit); // a place is free when the answer leaves
  BOOST_TEST(b.ends.at(t[3]).cycle == 501 + hit - 1 + hit);
  BOOST_TEST(b.count("requests_full_cycles") > 0u);
}

BOOST_AUTO_TEST_CASE(a_full_port_queue_withholds_the_next_request) {
  scalar_cache::data_cache_parameters p;
  p.port_queue_entries = 2;
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  b.run(400);
  std::vector<uint64_t> t;
  for (unsigned i = 0; i < 10; ++i) t.push_back(b.load(0, 500, 0x1000));
  b.run();
  for (unsigned i = 0; i < 10; ++i) BOOST_TEST(b.ends.at(t[i]).cycle == 500 + hit + i);
}

BOOST_AUTO_TEST_CASE(a_narrow_return_bus_takes_its_cycles) {
  scalar_cache::data_cache_parameters p;
  p.return_bytes_per_cycle = 16;
  scalar_bench b(p);
  b.load(0, 10, 0x1000);
  b.run(400);
  const auto wide = b.load(0, 500, 0x1000, 64), narrow = b.load(0, 501, 0x1000, 4);
  b.run();
  BOOST_TEST(b.ends.at(wide).cycle == 500 + hit + 3);
  BOOST_TEST(b.ends.at(narrow).cycle == 500 + hit + 4);
}

BOOST_AUTO_TEST_CASE(nacked_requests_are_replayed_after_the_delay) {
  scalar_cache::data_cache_parameters p;
  p.xnack_replay = true;
  p.xnack_percent = 100;
  scalar_bench b(p);
  b.l2->at(0x1000) = filled(3);
  const auto t = b.load(0, 10, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(t).cycle == 10 + 200 + miss);
  BOOST_TEST(b.first(t) == 3);
  BOOST_TEST(b.count("nacks") == 1u);
}

BOOST_AUTO_TEST_CASE(signals_show_lookups_dirty_lines_and_each_return_with_its_tag) {
  static trace_recorder t;
  scalar_bench b({}, 0, &t);
  b.load(0, 10, 0x1000);
  const auto m = b.load(0, 500, 0x2000), h = b.load(1, 501, 0x1000);
  b.store(2, 503, 0x3000, 1);
  b.control(2, 800, cache_control::writeback);
  b.run(2000);
  const auto at = [&](const char* n, cycle_t c) { return t.at(std::string("k.") + n, c * 1000); };
  const auto lookup = [&](cycle_t c) { return t.text_at("k.lookup", c * 1000); };
  BOOST_TEST(lookup(500) == "miss");
  BOOST_TEST(lookup(501) == "hit");
  BOOST_TEST(lookup(502) == "");
  BOOST_TEST(lookup(503) == "store");
  BOOST_TEST(at("outstanding", 503) == 3u);
  BOOST_TEST(at("fills_outstanding", 503) == 1u);
  BOOST_TEST(at("dirty_lines", 502) == 0u);
  BOOST_TEST(at("dirty_lines", 503) == 1u);
  BOOST_TEST(at("dirty_lines", 800) == 0u);
  BOOST_TEST(at("return_port", 501 + hit) == 2u);
  BOOST_TEST(at("return_tag", 501 + hit) == h);
  BOOST_TEST(at("return_port", 502 + hit) == 0u);
  BOOST_TEST(at("return_port", 500 + miss) == 1u);
  BOOST_TEST(at("return_tag", 500 + miss) == m); // the older one, later
}
