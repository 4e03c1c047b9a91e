// SPDX-License-Identifier: Apache-2.0
// What the vector L1 holds and what it does not: GLC, SLC, NV rules of loads, stores, atomics and invalidations, with data; order to one line.
#include "support/systemc_test.h"
#include "cache/l1_bench.h"

using namespace bench;
using fabric::cache_control;

namespace {
constexpr cycle_t settle = 500;
const l1_bench::policy plain{}, glc{true}, slc{false, true}, nv{false, false, true}, glc_slc{true, true};

uint8_t first_byte(l1_bench& b, uint64_t tag) { return b.td->of(tag).data[0]; }
void warm(l1_bench& b, uint64_t line, uint8_t value, l1_bench::policy o = {}) {
  b.l2->at(line) = filled(value);
  b.read(b.l1->clock().floor(fabric::now_ps()) + 10, line, o);
  b.run(settle);
}
uint64_t read_now(l1_bench& b, uint64_t line, l1_bench::policy o = {}) {
  const auto t = b.read(b.l1->clock().floor(fabric::now_ps()) + 10, line, o);
  b.run(settle);
  return t;
}
cycle_t soon(l1_bench& b) { return b.l1->clock().floor(fabric::now_ps()) + 10; }
} // namespace

// ---------------------------------------------------------------- loads

BOOST_AUTO_TEST_CASE(a_load_with_glc_0_sees_a_stale_line) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.l2->at(0x1000) = filled(2); // another CU's store
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 1);
}

BOOST_AUTO_TEST_CASE(a_load_with_glc_1_is_fresh_and_drops_the_line) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.l2->at(0x1000) = filled(2);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000, glc)) == 2);
  BOOST_TEST(b.count("glc_dropped") == 1u);
  b.l2->at(0x1000) = filled(3);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 3); // neither the old line nor the GLC=1 load's stayed
}

BOOST_AUTO_TEST_CASE(slc_goes_down_to_l2_and_does_not_stop_an_l1_hit) {
  l1_bench b;
  warm(b, 0x1000, 1, slc);
  BOOST_TEST(b.l2->log.back().slc);
  BOOST_TEST(!b.l2->log.back().glc);
  b.l2->at(0x1000) = filled(2);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000, slc)) == 1);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000, glc_slc)) == 2);
  BOOST_TEST(b.l2->log.back().slc);
  BOOST_TEST(b.l2->log.back().glc);
  read_now(b, 0x2000, nv);
  BOOST_TEST(b.l2->log.back().nv);
}

BOOST_AUTO_TEST_CASE(lines_of_one_glc_1_instruction_share_a_fill_but_two_instructions_do_not) {
  l1_bench b;
  const cycle_t c = 10;
  b.read(c, 0x1000, glc, 7 << 16 | 0);
  b.read(c, 0x1000, glc, 7 << 16 | 1);
  b.read(c + 1, 0x1000, glc, 8 << 16 | 0);
  b.run(settle);
  BOOST_TEST(b.l2->log.size() == 2u);
  BOOST_TEST(b.count("merged") == 1u);
  BOOST_TEST(b.td->arrivals.size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_glc_1_load_does_not_join_an_older_fill_and_keeps_it_from_being_installed) {
  l1_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.read(10, 0x1000), fresh = b.read(20, 0x1000, glc);
  b.l2->on_service = [&](uint64_t a) { if (b.l2->log.size() == 2) b.l2->at(a) = filled(2); }; // changes after the first read
  b.run(settle);
  BOOST_TEST(first_byte(b, old) == 1);
  BOOST_TEST(first_byte(b, fresh) == 2);
  BOOST_TEST(b.count("poisoned_fills") == 1u);
  b.l2->on_service = [](uint64_t) {};
  b.l2->at(0x1000) = filled(3);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 3);
}

BOOST_AUTO_TEST_CASE(a_glc_0_load_does_not_join_a_glc_1_fill_and_its_own_line_stays) {
  l1_bench b;
  b.l2->at(0x1000) = filled(1);
  b.read(10, 0x1000, glc);
  b.read(11, 0x1000);
  b.run(settle);
  BOOST_TEST(b.l2->log.size() == 2u);
  b.l2->at(0x1000) = filled(2);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 1);
}

// ---------------------------------------------------------------- stores

BOOST_AUTO_TEST_CASE(a_full_line_store_with_glc_0_writes_l2_and_stays_valid) {
  l1_bench b;
  b.write(10, 0x1000, filled(5));
  b.run(settle);
  BOOST_TEST(b.l2->at(0x1000)[63] == 5);
  b.l2->at(0x1000) = filled(6);
  const auto t = read_now(b, 0x1000);
  BOOST_TEST(first_byte(b, t) == 5);
  BOOST_TEST(b.td->of(t).hit);
  BOOST_TEST(b.count("lines_kept") == 1u);
}

BOOST_AUTO_TEST_CASE(a_full_line_store_with_glc_1_does_not_stay) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.write(soon(b), 0x1000, filled(5), ~0ull, glc);
  b.run(settle);
  BOOST_TEST(b.l2->log.back().glc);
  b.l2->at(0x1000) = filled(6);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 6);
  BOOST_TEST(b.count("lines_dropped_by_writes") == 1u);
}

BOOST_AUTO_TEST_CASE(a_partial_store_drops_the_line_and_writes_only_its_bytes) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.write(soon(b), 0x1000, filled(5), 0x00f0);
  b.run(settle);
  BOOST_TEST(b.l2->log.back().mask == 0x00f0u);
  BOOST_TEST(b.l2->at(0x1000)[3] == 1);
  BOOST_TEST(b.l2->at(0x1000)[4] == 5);
  b.l2->at(0x1000) = filled(6);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 6);
}

BOOST_AUTO_TEST_CASE(one_instruction_that_writes_a_line_in_pieces_combines_them_and_the_line_stays) {
  l1_bench b;
  for (unsigned i = 0; i < 4; ++i) b.write(10, 0x1000, filled(uint8_t(10 + i)), 0xffffull << 16 * i, plain, 9 << 16 | i);
  b.run(settle);
  BOOST_TEST(b.l2->log.size() == 1u); // they joined while they waited for the crossbar
  BOOST_TEST(b.l2->log[0].mask == ~0ull);
  BOOST_TEST(b.count("writes_combined") == 3u);
  BOOST_TEST(b.td->arrivals.size() == 4u); // each is acknowledged
  b.l2->at(0x1000) = filled(99);
  const auto t = read_now(b, 0x1000);
  BOOST_TEST(b.td->of(t).hit);
  for (unsigned i = 0; i < 64; ++i) BOOST_TEST(b.td->of(t).data[i] == 10 + i / 16);
}

BOOST_AUTO_TEST_CASE(pieces_of_two_instructions_do_not_make_a_valid_line) {
  l1_bench b;
  b.write(10, 0x1000, filled(1), 0x00000000ffffffffull);
  b.write(10, 0x1000, filled(2), 0xffffffff00000000ull);
  b.run(settle);
  BOOST_TEST(b.l2->log.size() == 2u);
  BOOST_TEST(!b.td->of(read_now(b, 0x1000)).hit);
  BOOST_TEST(b.td->arrivals.back().data[0] == 1);
  BOOST_TEST(b.td->arrivals.back().data[63] == 2);
}

BOOST_AUTO_TEST_CASE(without_write_combining_each_piece_goes_to_l2_and_the_line_still_stays) {
  cache::l1_parameters p;
  p.write_combine = false;
  l1_bench b(p);
  for (unsigned i = 0; i < 2; ++i) b.write(10, 0x1000, filled(uint8_t(i)), 0xffffffffull << 32 * i, plain, 9 << 16 | i);
  b.run(settle);
  BOOST_TEST(b.l2->log.size() == 2u);
  BOOST_TEST(b.td->of(read_now(b, 0x1000)).hit);
}

BOOST_AUTO_TEST_CASE(a_load_behind_a_store_of_its_line_sees_it_without_a_wait) {
  l1_bench b;
  warm(b, 0x1000, 1);
  const cycle_t c = soon(b);
  b.write(c, 0x1000, filled(5), 0xff);
  const auto t = b.read(c, 0x1000);
  b.run(settle);
  BOOST_TEST(b.td->of(t).data[0] == 5);
  BOOST_TEST(b.td->of(t).data[8] == 1);
}

BOOST_AUTO_TEST_CASE(a_store_poisons_an_older_fill_and_a_younger_load_follows_the_store) {
  l1_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.read(10, 0x1000);
  b.write(20, 0x1000, filled(5), 0x1);
  const auto young = b.read(30, 0x1000);
  b.run(settle);
  BOOST_TEST(first_byte(b, old) == 1);
  BOOST_TEST(first_byte(b, young) == 5);
  BOOST_TEST(b.count("poisoned_fills") == 1u);
  BOOST_TEST(b.count("merged") == 0u);
  BOOST_TEST(b.l2->log.size() == 3u);
  b.l2->at(0x1000) = filled(7);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 5); // the younger load's fill is installed
}

BOOST_AUTO_TEST_CASE(a_full_store_under_an_older_fill_keeps_its_own_bytes) {
  l1_bench b;
  b.l2->at(0x1000) = filled(1);
  const auto old = b.read(10, 0x1000);
  b.write(20, 0x1000, filled(5));
  const auto young = b.read(30, 0x1000);
  b.run(settle);
  BOOST_TEST(first_byte(b, old) == 1);
  BOOST_TEST(first_byte(b, young) == 5);
  BOOST_TEST(b.td->of(young).hit);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 5); // the late fill did not replace it
}

// ---------------------------------------------------------------- atomics

BOOST_AUTO_TEST_CASE(an_atomic_bypasses_drops_the_line_and_returns_the_value_before) {
  l1_bench b;
  warm(b, 0x1000, 0);
  const auto a = b.add(soon(b), 0x1000, 8, 3);
  b.run(settle);
  BOOST_TEST(b.td->of(a).results.at(0) == 0u);
  BOOST_TEST(b.l2->at(0x1000)[8] == 3);
  BOOST_TEST(b.count("lines_dropped_by_atomics") == 1u);
  BOOST_TEST(b.td->of(read_now(b, 0x1000)).data[8] == 3);
}

BOOST_AUTO_TEST_CASE(an_atomic_poisons_an_older_fill_and_a_younger_load_follows_it) {
  l1_bench b;
  const auto old = b.read(10, 0x1000);
  b.add(20, 0x1000, 0, 4);
  const auto young = b.read(30, 0x1000);
  b.run(settle);
  BOOST_TEST(first_byte(b, old) == 0);
  BOOST_TEST(first_byte(b, young) == 4);
}

BOOST_AUTO_TEST_CASE(an_atomic_without_its_extension_is_a_command_error_at_td) {
  l1_bench b;
  const auto t = b.control(10, cache_control::none);
  b.run(settle);
  BOOST_TEST((b.td->of(t).status == tlm::TLM_COMMAND_ERROR_RESPONSE));
  BOOST_TEST(b.l2->log.empty());
}

// ---------------------------------------------------------------- invalidation

BOOST_AUTO_TEST_CASE(an_invalidation_in_the_stream_takes_its_place_in_the_order) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.l2->at(0x1000) = filled(2);
  const cycle_t c = soon(b);
  const auto before = b.read(c, 0x1000);
  const auto inv = b.control(c, cache_control::invalidate);
  const auto after = b.read(c, 0x1000);
  b.run(settle);
  BOOST_TEST(first_byte(b, before) == 1);
  BOOST_TEST(first_byte(b, after) == 2);
  BOOST_TEST(b.td->of(before).cycle <= b.td->of(inv).cycle);
  BOOST_TEST(b.td->of(inv).cycle <= b.td->of(after).cycle);
}

BOOST_AUTO_TEST_CASE(a_fill_that_crosses_an_invalidation_is_not_installed) {
  for (bool dispatch : {false, true}) {
    // one elaboration: two lines, two ways to invalidate
    static l1_bench b;
    const uint64_t line = dispatch ? 0x2000 : 0x1000;
    b.l2->at(line) = filled(1);
    const cycle_t c = soon(b);
    const auto old = b.read(c, line);
    if (dispatch) b.dispatch_invalidate(c + 20);
    else b.control(c + 20, cache_control::invalidate);
    b.run(60);
    b.l2->on_service = [&](uint64_t a) { b.l2->at(a) = filled(2); }; // after each service
    const auto young = b.read(soon(b), line);
    b.run(settle);
    b.l2->on_service = [](uint64_t) {};
    BOOST_TEST(first_byte(b, old) == 1);
    BOOST_TEST(first_byte(b, young) == 2); // did not join
    b.l2->at(line) = filled(3);
    BOOST_TEST(first_byte(b, read_now(b, line)) == 2); // the younger fill is installed
    BOOST_TEST(b.count("poisoned_fills") == 1u + dispatch);
  }
}

BOOST_AUTO_TEST_CASE(the_volatile_form_drops_lines_with_nv_0_only) {
  l1_bench b;
  warm(b, 0x1000, 1);
  warm(b, 0x2000, 1, nv);
  b.l2->at(0x1000) = filled(2);
  b.l2->at(0x2000) = filled(2);
  b.control(soon(b), cache_control::invalidate_volatile);
  b.run(settle);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 2);
  BOOST_TEST(first_byte(b, read_now(b, 0x2000, nv)) == 1);
}

BOOST_AUTO_TEST_CASE(a_volatile_invalidation_spares_fills_with_nv_1) {
  l1_bench b;
  b.l2->at(0x1000) = b.l2->at(0x2000) = filled(1);
  b.read(10, 0x1000);
  b.read(10, 0x2000, nv);
  b.control(30, cache_control::invalidate_volatile);
  b.run(settle);
  b.l2->at(0x1000) = b.l2->at(0x2000) = filled(2);
  BOOST_TEST(first_byte(b, read_now(b, 0x1000)) == 2);
  BOOST_TEST(first_byte(b, read_now(b, 0x2000, nv)) == 1);
}

BOOST_AUTO_TEST_CASE(writeback_and_probe_do_nothing_here_but_are_answered) {
  l1_bench b;
  warm(b, 0x1000, 1);
  b.control(soon(b), cache_control::writeback);
  b.control(soon(b), cache_control::probe);
  b.control(soon(b), cache_control::writeback_volatile);
  b.run(settle);
  BOOST_TEST(b.td->arrivals.size() == 4u);
  BOOST_TEST(b.td->of(read_now(b, 0x1000)).hit);
}

// ---------------------------------------------------------------- the rest

BOOST_AUTO_TEST_CASE(the_least_recently_used_line_of_a_set_goes) {
  l1_bench b; // 64 sets: lines 4 KB apart share one
  for (unsigned i = 0; i < 4; ++i) warm(b, 0x10000 + 0x1000 * i, uint8_t(i));
  read_now(b, 0x10000);
  warm(b, 0x14000, 4);
  BOOST_TEST(b.count("evictions") == 1u);
  BOOST_TEST(b.td->of(read_now(b, 0x10000)).hit);
  BOOST_TEST(b.td->of(read_now(b, 0x12000)).hit);
  BOOST_TEST(!b.td->of(read_now(b, 0x11000)).hit);
}

BOOST_AUTO_TEST_CASE(an_error_from_below_reaches_td_and_nothing_is_installed) {
  l1_bench b;
  b.l2->error_from = 0x8000;
  const auto r = b.read(10, 0x8000), w = b.write(10, 0x9000, filled(1), 0xf), a = b.add(10, 0xa000, 0, 1);
  b.run(settle);
  for (auto t : {r, w, a}) BOOST_TEST((b.td->of(t).status == tlm::TLM_ADDRESS_ERROR_RESPONSE));
  BOOST_TEST(b.count("errors") == 3u);
  BOOST_TEST(!b.td->of(read_now(b, 0x8000)).hit);
}

BOOST_AUTO_TEST_CASE(tags_of_the_address_unit_come_back_unchanged) {
  l1_bench b;
  const uint64_t tag = 0xfedcba9876543210ull;
  b.read(10, 0x1000, plain, tag);
  b.run(settle);
  BOOST_TEST(b.td->arrivals.at(0).tag == tag);
  BOOST_TEST(b.ta->ended.count(tag) == 1u);
}

BOOST_AUTO_TEST_CASE(loosely_timed_access_holds_nothing_and_uses_direct_memory_where_it_may) {
  l1_bench b;
  b.l2->dmi = true;
  sc_core::sc_time t;
  auto access = [&](tlm::tlm_command c, uint64_t line, bytes64& data, uint64_t mask = ~0ull) {
    payload& p = b.pool.masked_write(line, data.data(), mask);
    p.set_command(c);
    b.ta->port.socket->b_transport(p, t);
    BOOST_TEST((p.get_response_status() == tlm::TLM_OK_RESPONSE));
    std::copy(p.get_data_ptr(), p.get_data_ptr() + 64, data.begin());
    p.release();
  };
  bytes64 x = filled(9), y = filled(0);
  access(tlm::TLM_WRITE_COMMAND, 0x1000, x, 0xf0);
  BOOST_TEST(b.l2->at(0x1000)[4] == 9);
  BOOST_TEST(b.l2->at(0x1000)[0] == 0);
  b.l2->at(0x1000) = filled(3);
  access(tlm::TLM_READ_COMMAND, 0x1000, y);
  BOOST_TEST(y[0] == 3);
  BOOST_TEST(b.l2->b_transports == 2u);
  access(tlm::TLM_WRITE_COMMAND, memory::dmi_base + 128, x, 0xf0);
  BOOST_TEST(b.l2->region[128 + 4] == 9);
  BOOST_TEST(b.l2->region[128] == 0);
  b.l2->region[128] = 77;
  access(tlm::TLM_READ_COMMAND, memory::dmi_base + 128, y);
  BOOST_TEST(y[0] == 77);
  BOOST_TEST(y[4] == 9);
  BOOST_TEST(b.l2->b_transports == 2u); // not asked again
  payload& a = b.pool.atomic(0x1000);
  auto& e = payload_pool::atomic_of(a);
  e.operation = isa::atomic_operation::atomic_add;
  e.bytes = 4;
  e.count = 1;
  e.entries[0] = {0, 0, 1, 0, 0};
  b.ta->port.socket->b_transport(a, t);
  BOOST_TEST(b.l2->at(0x1000)[0] == 4);
  a.release();
  BOOST_TEST(t.value() >= 5u * 62000u);
  BOOST_TEST(b.td->arrivals.empty());
}

BOOST_AUTO_TEST_CASE(debug_writes_reach_memory_and_do_not_leave_a_stale_line) {
  l1_bench b;
  warm(b, 0x1000, 1);
  payload& p = b.pool.line(tlm::TLM_WRITE_COMMAND, 0x1004, 4);
  std::fill(p.get_data_ptr(), p.get_data_ptr() + 4, 8);
  BOOST_TEST(b.ta->port.socket->transport_dbg(p) == 4u);
  p.release();
  const auto t = read_now(b, 0x1000);
  BOOST_TEST(b.td->of(t).data[3] == 1);
  BOOST_TEST(b.td->of(t).data[4] == 8);
}
