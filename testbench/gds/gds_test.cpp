// SPDX-License-Identifier: Apache-2.0
// The GDS: memory, append, ordered append, global wave sync, arbitration; both coding styles.
#include "gds/gds.h"
#include "lds/ds_driver.h"
#include "support/systemc_test.h"
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace {

using namespace ds_test;

struct bench : world {
  gds::gds_parameters parameters;
  std::unique_ptr<gds::global_data_share> share;
  std::vector<std::unique_ptr<driver>> cus;
  void build(unsigned n = 1) {
    share = std::make_unique<gds::global_data_share>("gds", context, parameters, n);
    for (unsigned k = 0; k < n; ++k) {
      cus.push_back(std::make_unique<driver>(("cu" + std::to_string(k)).c_str(), context.core));
      cus.back()->port.socket.bind(share->cu_port(k).socket);
    }
  }
  void run(cycle_t cycles) { sc_core::sc_start(fabric::to_sc_time(context.core.at(cycles))); }
  cycle_t time_of(const fabric::payload& p) const {
    for (const auto& c : cus) if (c->time_of(p) != fabric::never) return c->time_of(p);
    return fabric::never;
  }
  /// A GWS request with its value in ADDR of the first lane.
  fabric::payload& sync(const std::string& name, unsigned resource, uint32_t value = 0) {
    fabric::payload& p = request(name, resource, true);
    of(p).vaddr[0][0] = value;
    return p;
  }
  /// DS_ORDERED_COUNT of wave `order`: counter index, release, done.
  fabric::payload& ordered(uint64_t order, uint32_t increment, unsigned index = 0, bool release = true, bool done = true, unsigned operation = 0) {
    fabric::payload& p = request("ds_ordered_count", index << 2 | unsigned(release) << 8 | unsigned(done) << 9 | operation << 12, true);
    of(p).dispatch_order = order;
    of(p).m0 = 0x01000000; // counters at byte 0x100
    of(p).vaddr[0][0] = increment;
    return p;
  }
  bool healthy() const {
    for (const auto& c : cus) if (c->protocol_broken) return false;
    return true;
  }
};

uint32_t word(bench& b, unsigned at) { uint32_t v; std::memcpy(&v, b.share->memory() + at, 4); return v; }

} // namespace

BOOST_AUTO_TEST_CASE(every_ds_opcode_works_on_gds_memory_inside_the_window_of_m0) {
  bench b;
  b.build();
  std::mt19937_64 random(11);
  for (unsigned k = 0; k < 65536; k += 4) { const uint32_t v = uint32_t(random()); std::memcpy(b.share->memory() + k, &v, 4); }
  for (const auto* row : ds_model::ds_opcodes()) {
    if (ds_model::gds_only(row->name)) continue;
    for (unsigned k = 0; k < 20; ++k) {
      fabric::payload& p = b.request(row->name, uint32_t(random() % 256), true);
      fabric::wave_request& w = world::of(p);
      w.exec = random();
      w.unaligned = random() & 1;
      const uint32_t base = uint32_t(random() % 8192) * 4, size = uint32_t(random() % 16384) & ~3u;
      w.m0 = base << 16 | size;
      for (unsigned l = 0; l < 64; ++l) { w.vaddr[0][l] = uint32_t(random() % 20000); for (unsigned k = 0; k < fabric::wave_request::vdata_rows; ++k) w.vdata[k][l] = uint32_t(random()); }
      ds_model::machine m;
      m.memory.assign(b.share->memory(), b.share->memory() + 65536);
      m.base = base;
      m.size = size;
      m.gds = true;
      m.w = &w;
      ds_model::run(m);
      sc_core::sc_time delay;
      b.cus[0]->port.socket->b_transport(p, delay);
      BOOST_REQUIRE_MESSAGE(std::equal(m.memory.begin(), m.memory.end(), b.share->memory()), row->name << ": memory differs");
      for (unsigned r = 0; r < w.result_dwords; ++r) for (unsigned l = 0; l < 64; ++l) if (w.exec >> l & 1) BOOST_REQUIRE_MESSAGE(w.result[r][l] == m.result[r][l], row->name);
      p.release();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_lone_access_takes_the_latency_and_wider_ones_their_path_more) {
  bench b;
  b.build();
  fabric::payload& r = b.request("ds_read_b32", 0, true);
  fabric::payload& w = b.request("ds_write_b128", 0, true);
  world::addresses(w, [](unsigned l) { return 16 * l; });
  b.cus[0]->at(100, r);
  b.cus[0]->at(1000, w);
  b.run(2000);
  BOOST_TEST(b.time_of(r) == 250u);
  BOOST_TEST(b.time_of(w) == 1158u);
  BOOST_TEST(b.healthy());
}

BOOST_AUTO_TEST_CASE(compute_units_take_turns_and_each_keeps_its_order) {
  bench b;
  b.build(4);
  std::vector<fabric::payload*> v[4];
  for (unsigned k = 0; k < 10; ++k) for (unsigned c = 0; c < 4; ++c) { v[c].push_back(&b.request("ds_write_b32", 0, true)); b.cus[c]->at(100, *v[c].back()); }
  b.run(2000);
  std::vector<std::pair<cycle_t, unsigned>> order;
  for (unsigned c = 0; c < 4; ++c) for (unsigned k = 0; k < 10; ++k) {
    order.push_back({b.time_of(*v[c][k]), c});
    if (k) BOOST_TEST(b.time_of(*v[c][k]) > b.time_of(*v[c][k - 1]));
  }
  std::sort(order.begin(), order.end());
  for (unsigned k = 0; k < 40; ++k) {
    BOOST_TEST(order[k].first == 100u + 4 * k + 150 + 2); // one after the other, 4 cycles each
    BOOST_TEST(order[k].second == k % 4);
  }
  BOOST_TEST(b.share->statistics().refused_requests > 0u);
  BOOST_TEST(b.healthy());
}

BOOST_AUTO_TEST_CASE(append_and_consume_hand_out_each_place_once) {
  bench b;
  b.build(8);
  std::mt19937_64 random(2);
  std::vector<fabric::payload*> v;
  unsigned total = 0;
  for (unsigned k = 0; k < 2000; ++k) {
    fabric::payload& p = b.request("ds_append", 16, true);
    world::of(p).exec = random();
    world::of(p).m0 = 0x02000040; // counter at byte 0x200 + 16
    total += unsigned(__builtin_popcountll(world::of(p).exec));
    b.cus[random() % 8]->at(100 + random() % 3000, p);
    v.push_back(&p);
  }
  b.run(60000);
  std::vector<bool> taken(total);
  for (fabric::payload* p : v) {
    const fabric::wave_request& w = world::of(*p);
    const unsigned first = w.result[0][__builtin_ctzll(w.exec)];
    for (unsigned l = 0; l < 64; ++l) if (w.exec >> l & 1) BOOST_REQUIRE(w.result[0][l] == first); // all lanes get the value before
    for (unsigned k = 0; k < unsigned(__builtin_popcountll(w.exec)); ++k) { BOOST_REQUIRE(!taken[first + k]); taken[first + k] = true; }
  }
  BOOST_TEST(word(b, 0x210) == total);
  fabric::payload& c = b.request("ds_consume", 16, true);
  world::of(c).m0 = 0x02000040;
  sc_core::sc_time t;
  b.cus[0]->port.socket->b_transport(c, t);
  BOOST_TEST(world::of(c).result[0][0] == total);
  BOOST_TEST(word(b, 0x210) == total - 64);
  c.release();
}

BOOST_AUTO_TEST_CASE(ordered_append_serves_5000_waves_in_dispatch_order_whatever_their_arrival) {
  bench b;
  b.build(16);
  constexpr unsigned n = 5000;
  std::mt19937 random(9);
  std::vector<unsigned> arrival(n);
  std::iota(arrival.begin(), arrival.end(), 0);
  std::shuffle(arrival.begin(), arrival.end(), random);
  std::vector<fabric::payload*> v(n);
  std::vector<uint32_t> increment(n);
  for (unsigned k = 0; k < n; ++k) {
    const unsigned wave = arrival[k];
    increment[wave] = random() % 65;
    v[wave] = &b.ordered(70 + wave, increment[wave]);
    world::of(*v[wave]).dispatch_first_order = 70;
    if (wave % 97 == 5) { world::of(*v[wave]).exec = 0; increment[wave] = 0; } // without active lanes: adds 0, moves on
    b.cus[k % 16]->at(100 + k / 4, *v[wave]);
  }
  b.run(200000);
  uint32_t sum = 0;
  cycle_t before = 0;
  for (unsigned wave = 0; wave < n; ++wave) {
    if (world::of(*v[wave]).exec) BOOST_REQUIRE_EQUAL(world::of(*v[wave]).result[0][17], sum);
    sum += increment[wave];
    BOOST_REQUIRE(b.time_of(*v[wave]) != fabric::never);
    before = std::max(before, b.time_of(*v[wave]));
  }
  BOOST_TEST(word(b, 0x100) == sum);
  BOOST_TEST(b.share->waiting() == 0u);
  BOOST_TEST(b.share->describe_waiting().empty());
  BOOST_TEST(b.share->statistics().ordered == n);
  BOOST_TEST(b.share->statistics().ordered_waits > n / 2);
  BOOST_TEST(b.healthy());
}

BOOST_AUTO_TEST_CASE(ordered_append_works_the_same_under_chaos) {
  bench b;
  b.context.chaos.seed = 99;
  b.build(4);
  std::vector<fabric::payload*> v;
  for (unsigned k = 0; k < 400; ++k) { v.push_back(&b.ordered(k, 3)); }
  std::vector<unsigned> arrival(400);
  std::iota(arrival.begin(), arrival.end(), 0);
  std::shuffle(arrival.begin(), arrival.end(), std::mt19937(4));
  for (unsigned k = 0; k < 400; ++k) b.cus[k % 4]->at(100, *v[arrival[k]]);
  b.run(100000);
  for (unsigned k = 0; k < 400; ++k) BOOST_REQUIRE_EQUAL(world::of(*v[k]).result[0][0], 3 * k);
  BOOST_TEST(b.healthy());
}

BOOST_AUTO_TEST_CASE(a_wave_holds_a_counter_until_it_releases_it_and_done_frees_the_others) {
  bench b;
  b.build(2);
  fabric::payload& a0 = b.ordered(0, 5, 0, false, false);    // wave 0: counter 0, kept
  fabric::payload& b0 = b.ordered(1, 7, 0, true, false);     // wave 1 wants counter 0
  fabric::payload& b1 = b.ordered(1, 9, 1, true, true);      // and counter 1
  fabric::payload& a1 = b.ordered(0, 11, 1, true, true);     // wave 0: counter 1, then done with all
  b.cus[1]->at(100, b0);
  b.cus[1]->at(101, b1);
  b.cus[0]->at(500, a0);
  b.cus[0]->at(1000, a1);
  b.run(999);
  BOOST_TEST(b.time_of(a0) == 650u);
  BOOST_TEST(b.share->waiting() == 2u);
  const std::string text = b.share->describe_waiting();
  BOOST_TEST(text.find("wave 1 (CU 0, dispatch 1, pc 0x700000008) waits at ds_ordered_count 0") != std::string::npos, text);
  BOOST_TEST(text.find("wave 0 has not yet released") != std::string::npos, text);
  b.run(2000);
  BOOST_TEST(world::of(b0).result[0][0] == 5u);
  BOOST_TEST(world::of(b1).result[0][0] == 11u);
  BOOST_TEST(b.time_of(a1) == 1150u);
  BOOST_TEST(b.time_of(b1) > 1150u);
  BOOST_TEST(b.time_of(b0) > 1150u);
  BOOST_TEST(word(b, 0x100) == 12u);
  BOOST_TEST(word(b, 0x104) == 20u);
}

BOOST_AUTO_TEST_CASE(ordered_exchange_and_wrap_and_a_second_dispatch) {
  bench b;
  b.build();
  fabric::payload& x = b.ordered(0, 40, 3, true, true, 1);   // exchange: 40
  fabric::payload& w = b.ordered(1, 30, 3, true, true, 3);   // 40 >= 30: 10 stay
  fabric::payload& s = b.ordered(2, 1, 3);
  world::of(s).dispatch = 2;
  world::of(s).dispatch_first_order = 2;
  fabric::payload& bad = b.ordered(3, 1, 3, true, true, 2);
  world::of(bad).dispatch = 2;
  world::of(bad).dispatch_first_order = 2;
  unsigned t = 100;
  for (fabric::payload* p : {&x, &w, &s, &bad}) b.cus[0]->at(t++, *p);
  b.run(1000);
  BOOST_TEST(world::of(x).result[0][0] == 0u);
  BOOST_TEST(world::of(w).result[0][0] == 40u);
  BOOST_TEST(world::of(s).result[0][0] == 10u);
  BOOST_TEST(word(b, 0x10c) == 11u);
  BOOST_TEST((world::of(bad).fault == fabric::fault_kind::unsupported));
}

BOOST_AUTO_TEST_CASE(a_gws_barrier_lets_waves_of_many_compute_units_go_together) {
  bench b;
  b.build(8);
  fabric::payload& init = b.sync("ds_gws_init", 5, 7); // eight waves
  b.cus[0]->at(100, init);
  std::vector<fabric::payload*> round[3];
  for (unsigned r = 0; r < 3; ++r) for (unsigned c = 0; c < 8; ++c) {
    round[r].push_back(&b.sync("ds_gws_barrier", 5, 7));
    world::of(*round[r].back()).cu = uint16_t(c);
    b.cus[c]->at(1000 * (r + 1) + 37 * c, *round[r].back());
  }
  b.run(1200);
  BOOST_TEST(b.share->waiting() == 6u);
  const std::string text = b.share->describe_waiting();
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 6);
  BOOST_TEST(text.find("waits at ds_gws_barrier of GWS resource 5: 2 more wave(s) must arrive there") != std::string::npos, text);
  b.run(5000);
  for (unsigned r = 0; r < 3; ++r) for (fabric::payload* p : round[r]) BOOST_TEST(b.time_of(*p) == 1000u * (r + 1) + 37 * 7 + 150);
  BOOST_TEST(b.share->statistics().sync_waits == 21u);
  BOOST_TEST(b.share->statistics().sync_wait_cycles == 3u * 37 * 28);
  BOOST_TEST(b.healthy());
}

BOOST_AUTO_TEST_CASE(the_wave_that_opens_a_barrier_sets_the_size_of_the_next) {
  bench b;
  b.build();
  b.cus[0]->at(100, b.sync("ds_gws_init", 0, 1));
  std::vector<fabric::payload*> v = {&b.sync("ds_gws_barrier", 0, 9), &b.sync("ds_gws_barrier", 0, 2), &b.sync("ds_gws_barrier", 0, 0), &b.sync("ds_gws_barrier", 0, 0), &b.sync("ds_gws_barrier", 0, 0)};
  for (unsigned k = 0; k < 5; ++k) b.cus[0]->at(200 + 100 * k, *v[k]);
  b.run(2000);
  const cycle_t expected[5] = {450, 450, 750, 750, 750}; // two waves, then three
  for (unsigned k = 0; k < 5; ++k) BOOST_TEST(b.time_of(*v[k]) == expected[k]);
  // size 0 was left behind: a lone wave passes
  fabric::payload& alone = b.sync("ds_gws_barrier", 0, 0);
  b.cus[0]->at(3000, alone);
  b.run(2000);
  BOOST_TEST(b.time_of(alone) == 3150u);
}

BOOST_AUTO_TEST_CASE(gws_semaphores_count_release_in_bulk_and_release_all) {
  bench b;
  b.build();
  std::vector<fabric::payload*> p;
  for (unsigned k = 0; k < 6; ++k) { p.push_back(&b.sync("ds_gws_sema_p", 3)); b.cus[0]->at(100 + k, *p.back()); }
  b.cus[0]->at(1000, b.sync("ds_gws_sema_v", 3));
  b.cus[0]->at(2000, b.sync("ds_gws_sema_br", 3, 2));
  b.cus[0]->at(3000, b.sync("ds_gws_sema_release_all", 3));
  b.run(900);
  BOOST_TEST(b.share->waiting() == 6u);
  BOOST_TEST(b.share->describe_waiting().find("waits at ds_gws_sema_p of GWS resource 3") != std::string::npos);
  b.run(4000);
  const cycle_t expected[6] = {1150, 2150, 2150, 3150, 3150, 3150};
  for (unsigned k = 0; k < 6; ++k) BOOST_TEST(b.time_of(*p[k]) == expected[k]);
  // a V before the P is kept
  b.cus[0]->at(6000, b.sync("ds_gws_sema_v", 3));
  fabric::payload& after = b.sync("ds_gws_sema_p", 3);
  b.cus[0]->at(6100, after);
  b.run(3000);
  BOOST_TEST(b.time_of(after) == 6250u);
}

BOOST_AUTO_TEST_CASE(the_gws_resource_is_m0_bits_21_to_16_plus_the_offset_modulo_64) {
  bench b;
  b.build();
  fabric::payload& v = b.sync("ds_gws_sema_v", 10);
  world::of(v).m0 = 60 << 16; // 60 + 10 = 6
  fabric::payload& p = b.sync("ds_gws_sema_p", 6);
  fabric::payload& q = b.sync("ds_gws_sema_p", 10);
  world::of(p).m0 = world::of(q).m0 = 0;
  b.cus[0]->at(100, v);
  b.cus[0]->at(200, p);
  b.cus[0]->at(300, q);
  b.run(1000);
  BOOST_TEST(b.time_of(p) == 350u);
  BOOST_TEST(b.time_of(q) == fabric::never);
  BOOST_TEST(b.share->waiting() == 1u);
}

BOOST_AUTO_TEST_CASE(loosely_timed_waits_are_retried_and_counted_once) {
  bench b;
  b.build(2);
  const auto call = [&](unsigned cu, fabric::payload& p) {
    sc_core::sc_time t;
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    b.cus[cu]->port.socket->b_transport(p, t);
    return p.is_response_ok();
  };
  fabric::payload& init = b.sync("ds_gws_init", 1, 2);
  BOOST_TEST(call(0, init));
  std::vector<fabric::payload*> v;
  for (unsigned k = 0; k < 3; ++k) v.push_back(&b.sync("ds_gws_barrier", 1, 2));
  BOOST_TEST(!call(0, *v[0]));
  BOOST_TEST(!call(0, *v[0])); // asking again is not arriving again
  BOOST_TEST(!call(1, *v[1]));
  BOOST_TEST(!call(0, *v[0]));
  BOOST_TEST(b.share->waiting() == 2u);
  BOOST_TEST(call(1, *v[2]));
  BOOST_TEST(call(0, *v[0]));
  BOOST_TEST(call(1, *v[1]));
  BOOST_TEST(!call(0, *v[0])); // the next round
  fabric::payload& late = b.ordered(1, 5);
  fabric::payload& early = b.ordered(0, 3);
  BOOST_TEST(!call(0, late));
  BOOST_TEST(!call(0, late));
  BOOST_TEST(call(1, early));
  BOOST_TEST(call(0, late));
  BOOST_TEST(world::of(late).result[0][0] == 3u);
  BOOST_TEST(word(b, 0x100) == 8u);
}

BOOST_AUTO_TEST_CASE(dispatches_kept_to_their_part_of_the_gds_cannot_leave_it) {
  bench b;
  b.build();
  fabric::payload& p = b.request("ds_write_b32", 0, true);
  fabric::wave_request& w = world::of(p);
  w.gds_base = 4096;
  w.gds_size = 128;
  w.m0 = 0x0040ffff;
  sc_core::sc_time t;
  b.cus[0]->port.socket->b_transport(p, t);
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(word(b, 4096 + 64 + 4 * l) == (l < 16 ? l : 0));
  p.release();
}

BOOST_AUTO_TEST_CASE(signals_show_work_queue_and_waiting_waves) {
  bench b;
  trace_recorder trace;
  b.context.trace = &trace;
  b.build(2);
  b.cus[0]->at(100, b.request("ds_write_b32", 0, true));
  b.cus[1]->at(100, b.request("ds_write_b32", 0, true));
  b.cus[0]->at(200, b.sync("ds_gws_sema_p", 0));
  b.run(1000);
  const auto at = [&](const char* name, cycle_t c) { return trace.at(std::string("gds.") + name, b.context.core.at(c)); };
  BOOST_TEST(at("busy", 100) == 1u);
  BOOST_TEST(at("queue", 100) == 1u);
  BOOST_TEST(at("queue", 104) == 0u);
  BOOST_TEST(at("busy", 107) == 1u);
  BOOST_TEST(at("busy", 108) == 0u);
  BOOST_TEST(at("waiting", 200) == 1u);
}
