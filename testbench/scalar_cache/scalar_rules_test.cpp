// SPDX-License-Identifier: Apache-2.0
// What the scalar data cache holds, when it goes to memory, and what a load sees: GLC and NV rules, dirty bytes, controls, poisoned fills.
#include "scalar_cache/scalar_bench.h"
#include "support/systemc_test.h"

using namespace bench;
using fabric::cache_control;

namespace {
const scalar_bench::policy glc{true}, nv{false, true};
} // namespace

BOOST_AUTO_TEST_CASE(every_width_at_every_dword_of_a_line_gives_its_bytes) {
  scalar_bench b;
  std::mt19937_64 r(1);
  b.l2->at(0x1000) = random_bytes(r);
  std::vector<std::tuple<uint64_t, unsigned, unsigned>> t;
  for (unsigned n = 1; n <= 16; ++n)
    for (unsigned at = 0; at + n <= 16; ++at) t.push_back({b.load(at % 3, b.now() + 10, 0x1000 + 4 * at, 4 * n), at, n});
  b.run(2000);
  for (auto& [tag, at, n] : t) {
    const auto& d = b.ends.at(tag).data;
    BOOST_TEST_REQUIRE(d.size() == 4 * n);
    BOOST_TEST(std::equal(d.begin(), d.end(), b.l2->at(0x1000).begin() + 4 * at));
  }
}

BOOST_AUTO_TEST_CASE(a_load_with_glc_0_sees_a_stale_line_and_with_glc_1_a_fresh_one_that_does_not_stay) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  BOOST_TEST(b.load_now(0x1000) == 1);
  b.l2->at(0x1000) = filled(2);
  BOOST_TEST(b.load_now(0x1000) == 1);
  BOOST_TEST(b.load_now(0x1000, 1, glc) == 2);
  BOOST_TEST(b.l2->log.back().glc);
  b.l2->at(0x1000) = filled(3);
  BOOST_TEST(b.load_now(0x1000) == 3);
}

BOOST_AUTO_TEST_CASE(a_store_stays_here_until_it_is_written_back) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1004, 9);
  BOOST_TEST(b.l2->at(0x1000)[4] == 1);
  BOOST_TEST(b.l2->log.empty());
  BOOST_TEST(b.load_now(0x1004, 2) == 9); // the other compute units of the group see it
  b.store_now(0x1008, 8);
  BOOST_TEST(b.count("write_combined") == 1u);
  b.control_now(cache_control::writeback);
  BOOST_TEST(b.l2->log.back().mask == 0x0ff0u); // one write of just its bytes
  BOOST_TEST(b.l2->at(0x1000)[4] == 9);
  BOOST_TEST(b.l2->at(0x1000)[8] == 8);
  BOOST_TEST(b.l2->at(0x1000)[0] == 1);
  const auto n = b.l2->log.size();
  BOOST_TEST(b.load_now(0x1004) == 9); // the line stays
  b.control_now(cache_control::writeback);
  BOOST_TEST(b.l2->log.size() == n); // and is clean
}

BOOST_AUTO_TEST_CASE(a_line_stored_in_part_takes_only_the_other_bytes_from_memory) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1010, 9);
  const auto t = b.load(0, b.now() + 10, 0x1008, 16);
  b.run();
  const auto& d = b.ends.at(t).data;
  for (unsigned i = 0; i < 16; ++i) BOOST_TEST(d[i] == (i >= 8 && i < 12 ? 9 : 1));
  BOOST_TEST(b.count("partial_hits") == 1u);
  BOOST_TEST(b.load_now(0x1010) == 9);
  b.control_now(cache_control::writeback);
  BOOST_TEST(b.l2->log.back().mask == 0xf0000u);
}

BOOST_AUTO_TEST_CASE(a_fill_does_not_overwrite_a_store_that_came_meanwhile_and_an_older_load_does_not_see_it) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.load(0, 10, 0x1000);
  b.store(1, 20, 0x1000, 5);
  const auto young = b.load(1, 30, 0x1000), beside = b.load(2, 31, 0x1004);
  b.run();
  BOOST_TEST(b.first(old) == 1);
  BOOST_TEST(b.first(young) == 5);
  BOOST_TEST(b.first(beside) == 1);
  BOOST_TEST(b.l2->log.size() == 1u); // one fill for all
  BOOST_TEST(b.load_now(0x1000) == 5);
}

BOOST_AUTO_TEST_CASE(written_back_under_an_outstanding_fill_the_stored_bytes_stay_new) {
  scalar_bench b;
  b.l2->latency = 300;
  b.l2->at(0x1000) = filled(1);
  b.load(0, 10, 0x1000);
  b.store(0, 20, 0x1000, 5);
  b.control(0, 30, cache_control::writeback);
  b.run(1500);
  BOOST_TEST(b.load_now(0x1000) == 5);
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
}

BOOST_AUTO_TEST_CASE(a_store_with_glc_1_goes_through) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1000, 5, 0, glc);
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
  BOOST_TEST(b.l2->log.back().glc);
  BOOST_TEST(b.k->dirty_lines() == 0u);
  b.store_now(0x1000, 6);           // dirty
  b.store_now(0x1000, 7, 0, glc);   // newer bytes through: nothing dirty is left to overwrite them
  BOOST_TEST(b.k->dirty_lines() == 0u);
  b.control_now(cache_control::writeback);
  BOOST_TEST(b.l2->at(0x1000)[0] == 7);
  BOOST_TEST(b.load_now(0x1000) == 7);
}

BOOST_AUTO_TEST_CASE(a_store_with_glc_1_poisons_an_outstanding_fill) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.load(0, 10, 0x1000);
  b.store(0, 20, 0x1000, 5, glc);
  const auto young = b.load(0, 30, 0x1000);
  b.run();
  BOOST_TEST(b.first(old) == 1);
  BOOST_TEST(b.first(young) == 5);
  BOOST_TEST(b.count("poisoned_fills") == 1u);
  BOOST_TEST(b.load_now(0x1000) == 5);
}

BOOST_AUTO_TEST_CASE(a_load_with_glc_1_writes_the_dirty_bytes_back_first) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1000, 5);
  const auto t = b.load(0, b.now() + 10, 0x1000, 8, glc);
  b.run();
  BOOST_TEST(b.ends.at(t).data == (std::vector<uint8_t>{5, 5, 5, 5, 1, 1, 1, 1}));
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
  BOOST_TEST(b.k->dirty_lines() == 0u);
}

BOOST_AUTO_TEST_CASE(an_atomic_sees_the_dirty_bytes_and_the_line_is_dropped) {
  scalar_bench b;
  b.store_now(0x1000, 2);
  const auto t = b.add(0, b.now() + 10, 0x1000, 1);
  b.run();
  BOOST_TEST(b.ends.at(t).result == 0x02020202u);
  BOOST_TEST(b.l2->at(0x1000)[0] == 3);
  BOOST_TEST(b.load_now(0x1000) == 3);
  const auto old = b.load(0, b.now() + 10, 0x2000);
  b.add(0, b.now() + 20, 0x2000, 4);
  const auto young = b.load(0, b.now() + 30, 0x2000);
  b.run();
  BOOST_TEST(b.first(old) == 0);
  BOOST_TEST(b.first(young) == 4);
}

BOOST_AUTO_TEST_CASE(an_invalidation_drops_lines_and_stored_bytes_that_were_not_written_back) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1000, 5);
  b.load_now(0x2000);
  b.l2->at(0x2000) = filled(2);
  b.control_now(cache_control::invalidate);
  BOOST_TEST(b.load_now(0x1000) == 1);
  BOOST_TEST(b.load_now(0x2000) == 2);
  BOOST_TEST(b.count("dirty_bytes_dropped") == 4u);
  BOOST_TEST(b.k->dirty_lines() == 0u);
}

BOOST_AUTO_TEST_CASE(by_parameter_an_invalidation_writes_back_first) {
  scalar_cache::data_cache_parameters p;
  p.invalidate_writes_back = true;
  scalar_bench b(p);
  b.store_now(0x1000, 5);
  b.control_now(cache_control::invalidate);
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
  BOOST_TEST(b.count("dirty_bytes_dropped") == 0u);
}

BOOST_AUTO_TEST_CASE(a_dispatch_start_writes_back_and_invalidates) {
  scalar_bench b;
  b.store_now(0x1000, 5);
  b.control_now(cache_control::writeback_invalidate, 0, scalar_bench::cus);
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
  b.l2->at(0x1000) = filled(6);
  BOOST_TEST(b.load_now(0x1000) == 6);
}

BOOST_AUTO_TEST_CASE(a_fill_that_crosses_an_invalidation_is_not_installed) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.load(0, 10, 0x1000);
  b.control(0, 30, cache_control::invalidate);
  b.run(60);
  b.l2->on_service = [&](uint64_t a) { b.l2->at(a) = filled(2); }; // changes after the first read is served
  const auto young = b.load(0, b.now() + 10, 0x1000);
  b.run();
  b.l2->on_service = [](uint64_t) {};
  BOOST_TEST(b.first(old) == 1);
  BOOST_TEST(b.first(young) == 2);
  b.l2->at(0x1000) = filled(3);
  BOOST_TEST(b.load_now(0x1000) == 2);
}

BOOST_AUTO_TEST_CASE(an_invalidation_takes_its_place_behind_earlier_requests_of_its_port) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.load_now(0x1000);
  b.l2->at(0x1000) = filled(2);
  const cycle_t c = b.now() + 10;
  const auto before = b.load(0, c, 0x1000);
  b.control(0, c, cache_control::invalidate);
  const auto after = b.load(0, c, 0x1000);
  b.run();
  BOOST_TEST(b.first(before) == 1);
  BOOST_TEST(b.first(after) == 2);
}

BOOST_AUTO_TEST_CASE(volatile_forms_touch_lines_with_nv_0_only) {
  scalar_bench b;
  b.store_now(0x1000, 5);
  b.store_now(0x2000, 6, 0, nv);
  b.control_now(cache_control::writeback_volatile);
  BOOST_TEST(b.l2->at(0x1000)[0] == 5);
  BOOST_TEST(b.l2->at(0x2000)[0] == 0);
  BOOST_TEST(b.k->dirty_lines() == 1u);
  b.l2->at(0x1000) = filled(7);
  b.control_now(cache_control::invalidate_volatile);
  BOOST_TEST(b.load_now(0x1000) == 7);
  BOOST_TEST(b.load_now(0x2000, 0, nv) == 6);
  BOOST_TEST(b.load_now(0x2000) == 6); // an access with NV=0 makes it volatile
  b.control_now(cache_control::writeback_volatile);
  BOOST_TEST(b.l2->at(0x2000)[0] == 6);
  BOOST_TEST(b.l2->log.back().nv == false);
}

BOOST_AUTO_TEST_CASE(a_discard_drops_the_dirty_bytes_of_its_line_only) {
  scalar_bench b;
  b.l2->at(0x1000) = b.l2->at(0x1040) = filled(1);
  b.store_now(0x1000, 5);
  b.store_now(0x1040, 6);
  b.control_now(cache_control::discard, 0x1000);
  b.control_now(cache_control::writeback);
  BOOST_TEST(b.l2->at(0x1000)[0] == 1);
  BOOST_TEST(b.l2->at(0x1040)[0] == 6);
  BOOST_TEST(b.load_now(0x1000) == 1);
  b.control_now(cache_control::probe, 0x1000);
  BOOST_TEST(b.count("controls") == 3u);
}

BOOST_AUTO_TEST_CASE(eviction_takes_the_least_recently_used_line_and_writes_its_dirty_bytes) {
  scalar_bench b; // 64 sets of 4: lines 4 KB apart share one
  for (unsigned i = 0; i < 4; ++i) b.store_now(0x10000 + 0x1000 * i, uint8_t(10 + i));
  b.load_now(0x10000);
  b.load_now(0x14000);
  BOOST_TEST(b.count("evictions") == 1u);
  BOOST_TEST(b.l2->at(0x11000)[0] == 11);
  BOOST_TEST(b.l2->at(0x10000)[0] == 0);
  BOOST_TEST(b.load_now(0x11000) == 11); // back from memory
  BOOST_TEST(b.k->dirty_lines() == 2u);
}

BOOST_AUTO_TEST_CASE(a_stored_line_evicted_under_its_outstanding_fill_does_not_come_back_old) {
  scalar_bench b;
  b.l2->latency = 1000;
  b.l2->at(0x10000) = filled(1);
  const auto old = b.load(0, 10, 0x10000);
  b.store(0, 20, 0x10000, 5);
  for (unsigned i = 1; i <= 4; ++i) b.store(0, 20 + i, 0x10000 + 0x1000 * i, uint8_t(i)); // the fourth evicts it
  const auto young = b.load(0, 40, 0x10000);
  b.run(4000);
  BOOST_TEST(b.first(old) == 1);
  BOOST_TEST(b.first(young) == 5);
  BOOST_TEST(b.count("poisoned_fills") == 1u);
  BOOST_TEST(b.load_now(0x10000) == 5);
}

BOOST_AUTO_TEST_CASE(debug_access_sees_dirty_bytes_and_debug_writes_are_seen) {
  scalar_bench b;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1004, 5);
  payload& p = b.pool.line(tlm::TLM_READ_COMMAND, 0x1000, 12);
  BOOST_TEST(b.cu[0]->port.socket->transport_dbg(p) == 12u);
  for (unsigned i = 0; i < 12; ++i) BOOST_TEST(p.get_data_ptr()[i] == (i / 4 == 1 ? 5 : 1));
  p.release();
  uint8_t x[128];
  std::fill(x, x + 128, 0);
  b.k->overlay_dirty(0x1000 - 60, x, 128);
  BOOST_TEST(x[63] == 0);
  BOOST_TEST(x[64] == 5);
  payload& w = b.pool.line(tlm::TLM_WRITE_COMMAND, 0x1004, 4);
  std::fill(w.get_data_ptr(), w.get_data_ptr() + 4, 9);
  b.cu[0]->port.socket->transport_dbg(w);
  w.release();
  BOOST_TEST(b.load_now(0x1004) == 9);
}

BOOST_AUTO_TEST_CASE(errors_from_below_reach_the_compute_unit_and_a_lost_write_back_is_a_fault) {
  scalar_bench b;
  b.l2->error_from = 0x8000;
  const auto l = b.load(0, 10, 0x8000), s = b.store(0, 11, 0x9000, 1, glc), a = b.add(0, 12, 0xa000, 1);
  b.run();
  for (auto t : {l, s, a}) BOOST_TEST((b.ends.at(t).status == tlm::TLM_ADDRESS_ERROR_RESPONSE));
  BOOST_TEST(b.run_state.faults.empty());
  b.store_now(0xb000, 1);
  b.control_now(cache_control::writeback);
  BOOST_TEST_REQUIRE(b.run_state.faults.size() == 1u);
  BOOST_TEST(b.run_state.faults[0].id == "lyra/fault/scalar-write-back");
  BOOST_TEST(b.run_state.faults[0].address == 0xb000u);
}

BOOST_AUTO_TEST_CASE(a_request_across_a_line_is_an_error_not_a_guess) {
  scalar_bench b;
  const auto t = b.load(0, 10, 0x1038, 16), c = b.control(0, 11, cache_control::none);
  b.run();
  BOOST_TEST((b.ends.at(t).status == tlm::TLM_BURST_ERROR_RESPONSE));
  BOOST_TEST((b.ends.at(c).status == tlm::TLM_COMMAND_ERROR_RESPONSE));
}

BOOST_AUTO_TEST_CASE(loosely_timed_access_holds_nothing_and_first_writes_back_what_timed_traffic_left) {
  scalar_bench b;
  b.l2->dmi = true;
  b.l2->at(0x1000) = filled(1);
  b.store_now(0x1000, 5);
  sc_core::sc_time t;
  payload& p = b.pool.line(tlm::TLM_READ_COMMAND, 0x1000, 8);
  b.cu[1]->port.socket->b_transport(p, t);
  BOOST_TEST(p.get_data_ptr()[0] == 5);
  BOOST_TEST(p.get_data_ptr()[4] == 1);
  BOOST_TEST(b.k->dirty_lines() == 0u);
  p.release();
  payload& w = b.pool.line(tlm::TLM_WRITE_COMMAND, memory::dmi_base + 4, 4);
  std::fill(w.get_data_ptr(), w.get_data_ptr() + 4, 9);
  b.cu[1]->port.socket->b_transport(w, t);
  w.release();
  BOOST_TEST(b.l2->region[4] == 9);
  BOOST_TEST(b.l2->region[0] == 0);
  payload& c = b.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
  payload_pool::policy(c).control = cache_control::writeback;
  b.cu[1]->port.socket->b_transport(c, t);
  BOOST_TEST((c.get_response_status() == tlm::TLM_OK_RESPONSE));
  c.release();
  BOOST_TEST(t.value() >= 3u * 40000u);
}

BOOST_AUTO_TEST_CASE(an_unknown_ordering_is_refused_with_the_choices) {
  scalar_cache::data_cache_parameters p;
  p.ordering = "inorder";
  BOOST_CHECK_EXCEPTION(scalar_bench b(p), sc_core::sc_report, [](const sc_core::sc_report& e) { return std::string(e.get_msg()).find("in_order") != std::string::npos; });
}
