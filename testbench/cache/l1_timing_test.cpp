// SPDX-License-Identifier: Apache-2.0
// Exact cycles of the vector L1. Memory below answers 100 cycles after a request; 62 cycles of hit latency, 20 to the crossbar, 50 back.
#include "support/systemc_test.h"
#include "cache/l1_bench.h"
#include "support/trace_recorder.h"

using namespace bench;

namespace {
constexpr cycle_t hit = 62, out = 20, back = 50, below = 100, miss = out + below + back;
}

BOOST_AUTO_TEST_CASE(a_miss_takes_request_memory_and_return_and_then_hits) {
  l1_bench b;
  b.l2->at(0x1000) = filled(7);
  const auto m = b.read(10, 0x1000), h = b.read(500, 0x1000);
  b.run(1000);
  BOOST_TEST(b.td->of(m).cycle == 10 + miss);
  BOOST_TEST(b.l2->log.at(0).cycle == 10 + out);
  BOOST_TEST(b.td->of(h).cycle == 500 + hit);
  BOOST_TEST(!b.td->of(m).hit);
  BOOST_TEST(b.td->of(h).hit);
  BOOST_TEST(b.td->of(h).data[5] == 7);
  BOOST_TEST(b.ta->ended[m] == 10 + miss + 1); // TD ends it a cycle later, and TA's slot is free
  BOOST_TEST(b.ta->ended[h] == 500 + hit + 1);
  BOOST_TEST(b.l1->idle());
  BOOST_TEST(b.pool.outstanding() == 0u);
}

BOOST_AUTO_TEST_CASE(a_hit_behind_a_miss_waits_for_it_in_the_latency_fifo) {
  l1_bench b;
  const auto warm = b.read(10, 0x1000);
  const auto m = b.read(500, 0x2000), h = b.read(501, 0x1000), h2 = b.read(900, 0x1000);
  b.run(1500);
  BOOST_TEST(b.td->of(warm).cycle == 10 + miss);
  BOOST_TEST(b.td->of(m).cycle == 500 + miss);
  BOOST_TEST(b.td->of(h).cycle == 500 + miss + 1); // ready at 571, one line a cycle behind its elder
  BOOST_TEST(b.td->of(h).hit);
  BOOST_TEST(b.td->of(h2).cycle == 900 + hit);
}

BOOST_AUTO_TEST_CASE(a_second_read_joins_the_outstanding_fill) {
  l1_bench b;
  const auto a = b.read(10, 0x1000), c = b.read(50, 0x1000);
  b.run(1000);
  BOOST_TEST(b.l2->log.size() == 1u);
  BOOST_TEST(b.td->of(a).cycle == 10 + miss);
  BOOST_TEST(b.td->of(c).cycle == 10 + miss + 1);
  BOOST_TEST(b.count("merged") == 1u);
  BOOST_TEST(b.count("misses") == 1u);
  BOOST_TEST(b.count("hits") == 0u);
}

BOOST_AUTO_TEST_CASE(hits_of_whole_lines_come_one_a_cycle_and_narrow_ones_four_a_cycle) {
  l1_bench b;
  for (unsigned i = 0; i < 16; ++i) b.read(10, 0x1000 + 64 * i);
  std::vector<uint64_t> whole, narrow;
  for (unsigned i = 0; i < 16; ++i) whole.push_back(b.read(1000, 0x1000 + 64 * i));
  for (unsigned i = 0; i < 16; ++i) narrow.push_back(b.read(2000, 0x1000 + 64 * i, {false, false, false, 4}));
  b.run(3000);
  for (unsigned i = 0; i < 16; ++i) BOOST_TEST(b.td->of(whole[i]).cycle == 1000 + hit + i);
  for (unsigned i = 0; i < 16; ++i) BOOST_TEST(b.td->of(narrow[i]).cycle == 2000 + hit + i / 4); // four lookups and four lines a cycle
  BOOST_TEST(b.count("hits") == 32u);
  BOOST_TEST(b.count("bytes_to_td") == 16u * 64 * 2 + 16 * 4);
}

BOOST_AUTO_TEST_CASE(a_wave_that_starts_within_a_line_takes_no_longer_to_td_than_its_bytes) {
  // 256 bytes over five lines, and the same again: 64 bytes a cycle, a line's last bytes with the next one's first; a line takes a quarter of a cycle at least
  l1_bench b;
  for (unsigned i = 0; i < 5; ++i) b.read(10, 0x1000 + 64 * i);
  std::vector<uint64_t> tags;
  for (unsigned wave = 0; wave < 2; ++wave)
    for (unsigned i = 0; i < 5; ++i) tags.push_back(b.read(1000, 0x1000 + 64 * i, {false, false, false, uint8_t(i == 0 ? 44 : i == 4 ? 20 : 64)}));
  b.run(2000);
  const uint64_t last_byte[] = {44, 108, 172, 236, 256, 300, 364, 428, 492, 512};
  for (unsigned i = 0; i < 10; ++i) BOOST_TEST(b.td->of(tags[i]).cycle == 1000 + hit + (last_byte[i] - 1) / 64);
}

BOOST_AUTO_TEST_CASE(misses_go_to_the_crossbar_one_a_cycle) {
  l1_bench b;
  std::vector<uint64_t> tags;
  for (unsigned i = 0; i < 12; ++i) tags.push_back(b.read(10, 0x1000 + 64 * i, {false, false, false, 16}));
  b.run(1000);
  for (unsigned i = 0; i < 12; ++i) {
    BOOST_TEST(b.l2->log.at(i).cycle == 10 + out + i);
    BOOST_TEST(b.td->of(tags[i]).cycle == 10 + miss + i);
  }
}

BOOST_AUTO_TEST_CASE(no_free_mshr_stalls_the_tag_stage_until_a_fill_is_back) {
  cache::l1_parameters p;
  p.mshrs = 2;
  l1_bench b(p);
  const auto a = b.read(10, 0x1000), c = b.read(10, 0x2000), d = b.read(10, 0x3000), joined = b.read(10, 0x1000);
  b.run(1000);
  BOOST_TEST(b.td->of(a).cycle == 10 + miss);
  BOOST_TEST(b.td->of(c).cycle == 10 + miss + 1);
  // looked up again when the first fill comes (cycle 130); the first line is a hit by then
  BOOST_TEST(b.td->of(d).cycle == 10 + out + below + miss);
  BOOST_TEST(b.td->of(joined).cycle == 10 + out + below + miss + 1);
  BOOST_TEST(b.td->of(joined).hit);
  BOOST_TEST(b.count("mshr_full_cycles") == out + below);
}

BOOST_AUTO_TEST_CASE(writes_are_acknowledged_through_td_when_l2_has_them_and_their_number_is_limited) {
  cache::l1_parameters p;
  p.writes_outstanding = 1;
  l1_bench b(p);
  const auto w = b.write(10, 0x1000, filled(1)), w2 = b.write(10, 0x2000, filled(2));
  b.run(1000);
  BOOST_TEST(b.td->of(w).cycle == 10 + miss);
  BOOST_TEST(b.td->of(w2).cycle == 10 + out + below + miss);
  BOOST_TEST((b.td->of(w).command == tlm::TLM_WRITE_COMMAND));
  BOOST_TEST(b.count("writes_full_cycles") == out + below);
}

BOOST_AUTO_TEST_CASE(a_younger_store_acknowledged_early_waits_for_an_older_load_that_misses) {
  l1_bench b;
  b.l2->latency = 300;
  const auto load = b.read(10, 0x1000);
  b.run(100);
  b.l2->latency = 50; // the store's acknowledgement overtakes the fill
  const auto store = b.write(110, 0x2000, filled(1));
  b.run(1000);
  BOOST_TEST(b.td->of(load).cycle == 10 + out + 300 + back);
  BOOST_TEST(b.td->of(store).cycle == 10 + out + 300 + back + 1); // done at 230; the load's 64 bytes fill a cycle of the path
  BOOST_TEST(b.td->arrivals.at(0).tag == load);
  BOOST_TEST(b.td->arrivals.at(1).tag == store);
}

BOOST_AUTO_TEST_CASE(a_full_latency_fifo_stalls_the_tag_stage) {
  cache::l1_parameters p;
  p.latency_fifo_entries = 2;
  l1_bench b(p);
  for (unsigned i = 0; i < 3; ++i) b.read(10 + 500 * i, 0x1000 + 64 * i);
  std::vector<uint64_t> t;
  for (unsigned i = 0; i < 3; ++i) t.push_back(b.read(2000, 0x1000 + 64 * i, {false, false, false, 4}));
  b.run(3000);
  BOOST_TEST(b.td->of(t[0]).cycle == 2000 + hit);
  BOOST_TEST(b.td->of(t[1]).cycle == 2000 + hit);
  BOOST_TEST(b.td->of(t[2]).cycle == 2000 + 2 * hit); // two places free again when the first two are at TD
  BOOST_TEST(b.count("fifo_full_cycles") == hit);
}

BOOST_AUTO_TEST_CASE(banked_tags_put_off_lookups_of_one_bank) {
  cache::l1_parameters p;
  p.tag_banks = 4;
  l1_bench b(p);
  std::vector<uint64_t> t;
  for (unsigned i = 0; i < 4; ++i) b.read(10, 0x1000 + 256 * i);
  for (unsigned i = 0; i < 4; ++i) t.push_back(b.read(1000, 0x1000 + 256 * i, {false, false, false, 4}));
  b.run(2000);
  for (unsigned i = 0; i < 4; ++i) BOOST_TEST(b.td->of(t[i]).cycle == 1000 + hit + i);
  BOOST_TEST(b.count("tag_bank_cycles") == 6u);
}

BOOST_AUTO_TEST_CASE(a_full_request_fifo_withholds_the_next_line) {
  cache::l1_parameters p;
  p.request_fifo_entries = 4;
  p.tag_lookups_per_cycle = 1;
  l1_bench b(p);
  for (unsigned i = 0; i < 8; ++i) b.read(10 + 200 * i, 0x1000 + 64 * i);
  std::vector<uint64_t> t;
  for (unsigned i = 0; i < 8; ++i) t.push_back(b.read(3000, 0x1000 + 64 * i));
  b.run(4000);
  for (unsigned i = 0; i < 8; ++i) BOOST_TEST(b.td->of(t[i]).cycle == 3000 + hit + i);
}

BOOST_AUTO_TEST_CASE(a_dispatch_start_invalidation_answers_a_cycle_later) {
  l1_bench b;
  b.read(10, 0x1000);
  const auto i = b.dispatch_invalidate(500);
  const auto again = b.read(501, 0x1000);
  b.run(1000);
  BOOST_TEST(b.command_processor->ended[i] == 501u);
  BOOST_TEST(b.td->of(again).cycle == 501 + miss);
  BOOST_TEST(b.count("lines_invalidated") == 1u);
}

BOOST_AUTO_TEST_CASE(cycles_scale_with_the_clock_and_other_parameters) {
  cache::l1_parameters p;
  p.hit_latency_cycles = 5;
  p.miss_request_cycles = 3;
  p.fill_return_cycles = 4;
  l1_bench b(p);
  const auto m = b.read(10, 0x1000), h = b.read(500, 0x1000);
  b.run(1000);
  BOOST_TEST(b.td->of(m).cycle == 10 + 3 + below + 4);
  BOOST_TEST(b.td->of(h).cycle == 505u);
}

BOOST_AUTO_TEST_CASE(signals_show_hits_misses_outstanding_fills_stalls_and_lines_at_td) {
  static trace_recorder t;
  cache::l1_parameters p;
  p.mshrs = 2;
  l1_bench b(p, 0, &t);
  const auto m = b.read(10, 0x1000);
  b.read(11, 0x1000);
  b.write(12, 0x5000, filled(1), 1);
  b.read(13, 0x2000);
  b.read(14, 0x3000); // no MSHR
  const auto h = b.read(900, 0x1000);
  b.run(2000);
  const auto at = [&](const char* n, cycle_t c) { return t.at(std::string("l1.") + n, c * 1000); };
  BOOST_TEST(at("miss", 9) == 0u);
  BOOST_TEST(at("miss", 10) == 1u);
  BOOST_TEST(at("miss", 11) == 0u);
  BOOST_TEST(at("merged", 11) == 1u);
  BOOST_TEST(at("write", 12) == 1u);
  BOOST_TEST(at("writes_outstanding", 12) == 1u);
  BOOST_TEST(at("fills_outstanding", 13) == 2u);
  BOOST_TEST(at("latency_fifo", 13) == 4u);
  BOOST_TEST(at("stall", 13) == 0u);
  BOOST_TEST(at("stall", 14) == 1u);
  BOOST_TEST(at("stall", 10 + out + below) == 0u); // the fill frees it
  BOOST_TEST(at("fills_outstanding", 800) == 0u);
  BOOST_TEST(at("writes_outstanding", 800) == 0u);
  BOOST_TEST(at("hit", 900) == 1u);
  BOOST_TEST(at("hit", 901) == 0u);
  BOOST_TEST(at("td_tag", 10 + miss) == m);
  BOOST_TEST(at("td_tag", 900 + hit) == h);
}
