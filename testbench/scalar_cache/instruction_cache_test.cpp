// SPDX-License-Identifier: Apache-2.0
// Instruction cache: exact cycles, prefetch, invalidation, and code bytes under random traffic. Memory below answers after 100 cycles;
// 16 cycles a hit, 25 to the crossbar, 40 back.
#include "scalar_cache/instruction_cache.h"
#include "cache/l1_standins.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"

using namespace bench;
using fabric::cache_control;
using monitor = testbench::protocol_monitor<>;

namespace {
constexpr cycle_t hit = 16, out = 25, back = 40, below = 100, miss = out + below + back;

struct pages : fabric::address_space {
  uint64_t first = 0, last = ~0ull; ///< mapped
  fabric::page_state state(uint64_t a) const override { return a >= first && a <= last ? fabric::page_state::mapped : fabric::page_state::unmapped; }
  uint8_t* host_line(uint64_t) override { return nullptr; }
};

struct code_bench {
  payload_pool pool;
  observe::statistics statistics;
  pages space;
  fabric::context context;
  scalar_cache::instruction_cache cache;
  std::vector<std::unique_ptr<sender>> cu; ///< three compute units and the command processor
  std::vector<std::unique_ptr<monitor>> edges;
  memory l2;
  monitor l2_edge{"l2_edge"};
  struct end { cycle_t cycle; std::vector<uint8_t> data; tlm::tlm_response_status status; bool hit; };
  std::map<uint64_t, end> ends;
  uint64_t next_tag = 1;

  static fabric::context& prepare(code_bench& b, uint64_t chaos) {
    b.context.core = fabric::clock_domain(1000);
    b.context.lines = &b.pool;
    b.context.statistics = &b.statistics;
    b.context.space = &b.space;
    b.context.chaos.seed = chaos;
    return b.context;
  }
  explicit code_bench(const scalar_cache::instruction_cache_parameters& p = {}, uint64_t chaos = 0) : cache("i", prepare(*this, chaos), 3, p), l2("l2", context.core) {
    for (unsigned i = 0; i < 4; ++i) {
      cu.push_back(std::make_unique<sender>(("cu" + std::to_string(i)).c_str(), context.core));
      edges.push_back(std::make_unique<monitor>(("edge" + std::to_string(i)).c_str()));
      cu[i]->port.socket.bind(edges[i]->in);
      edges[i]->out.bind((i < 3 ? cache.cu_port(i) : cache.control_port()).socket);
      cu[i]->on_end = [this](payload& q, cycle_t c) {
        ends[payload_pool::policy(q).tag] = {c, {q.get_data_ptr(), q.get_data_ptr() + q.get_data_length()}, q.get_response_status(), payload_pool::policy(q).hit};
      };
    }
    cache.l2_port.socket.bind(l2_edge.in);
    l2_edge.out.bind(l2.port[0]->socket);
  }
  uint64_t fetch(unsigned i, cycle_t c, uint64_t pc) {
    payload& p = pool.line(tlm::TLM_READ_COMMAND, pc & ~31ull, 32);
    payload_pool::policy(p).tag = next_tag;
    cu[i]->at(c, p);
    return next_tag++;
  }
  uint64_t invalidate(unsigned i, cycle_t c) {
    payload& p = pool.line(tlm::TLM_IGNORE_COMMAND, 0);
    payload_pool::policy(p).control = cache_control::invalidate;
    payload_pool::policy(p).tag = next_tag;
    cu[i]->at(c, p);
    return next_tag++;
  }
  uint64_t count(const char* n) const { return counter(statistics, std::string("i.") + n); }
  void run(cycle_t n = 1000) { sc_core::sc_start(fabric::to_sc_time(n * 1000)); }
  void check_edges() {
    for (auto& m : edges) BOOST_TEST(m->clean(), m->report());
    BOOST_TEST(l2_edge.clean(), l2_edge.report());
    BOOST_TEST(pool.outstanding() == 0u);
    BOOST_TEST(cache.idle());
  }
};
scalar_cache::instruction_cache_parameters no_prefetch() {
  scalar_cache::instruction_cache_parameters p;
  p.prefetch_lines = 0;
  return p;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_miss_and_then_hits_of_both_halves_of_the_line) {
  code_bench b(no_prefetch());
  for (unsigned i = 0; i < 64; ++i) b.l2.at(0x1000)[i] = uint8_t(i);
  const auto m = b.fetch(0, 10, 0x1024), h = b.fetch(1, 500, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 10 + miss);
  BOOST_TEST(b.ends.at(h).cycle == 500 + hit);
  BOOST_TEST(b.ends.at(m).data.size() == 32u);
  BOOST_TEST(b.ends.at(m).data[0] == 32);
  BOOST_TEST(b.ends.at(h).data[31] == 31);
  BOOST_TEST(b.ends.at(h).hit);
  b.check_edges();
}

BOOST_AUTO_TEST_CASE(compute_units_fetch_in_the_same_cycle_and_join_each_others_fills) {
  code_bench b(no_prefetch());
  const auto x = b.fetch(0, 10, 0x1000), y = b.fetch(1, 10, 0x1020), z = b.fetch(2, 10, 0x1000);
  const auto h = b.fetch(0, 500, 0x1000), i = b.fetch(1, 500, 0x1000), j = b.fetch(2, 500, 0x1020);
  b.run();
  BOOST_TEST(b.l2.log.size() == 1u);
  for (const auto f : {x, y, z}) BOOST_TEST(b.ends.at(f).cycle == 10 + miss);
  for (const auto f : {h, i, j}) BOOST_TEST(b.ends.at(f).cycle == 500 + hit);
  BOOST_TEST(b.count("merged") == 2u);
  BOOST_TEST(b.count("port_conflict_cycles") == 0u);
  b.check_edges();
}

BOOST_AUTO_TEST_CASE(one_compute_unit_fetches_once_a_cycle) {
  code_bench b(no_prefetch());
  b.fetch(0, 10, 0x1000);
  const auto h = b.fetch(0, 500, 0x1000), i = b.fetch(0, 500, 0x1020), other = b.fetch(1, 501, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(h).cycle == 500 + hit);
  BOOST_TEST(b.ends.at(i).cycle == 501 + hit);
  BOOST_TEST(b.ends.at(other).cycle == 501 + hit);
}

BOOST_AUTO_TEST_CASE(beyond_the_requests_of_a_cycle_compute_units_take_turns) {
  auto p = no_prefetch();
  p.requests_per_cycle = 1;
  code_bench b(p);
  b.fetch(0, 10, 0x1000);
  const auto x = b.fetch(0, 500, 0x1000), y = b.fetch(1, 500, 0x1020), z = b.fetch(2, 500, 0x1000);
  b.run();
  std::vector<cycle_t> ends;
  for (const auto f : {x, y, z}) ends.push_back(b.ends.at(f).cycle);
  std::sort(ends.begin(), ends.end());
  const std::vector<cycle_t> turns = {500 + hit, 501 + hit, 502 + hit};
  BOOST_TEST(ends == turns, boost::test_tools::per_element());
  BOOST_TEST(b.count("port_conflict_cycles") == 3u);
}

BOOST_AUTO_TEST_CASE(a_hit_passes_an_earlier_miss) {
  code_bench b(no_prefetch());
  b.fetch(0, 10, 0x1000);
  const auto m = b.fetch(0, 500, 0x2000), h = b.fetch(0, 501, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 500 + miss);
  BOOST_TEST(b.ends.at(h).cycle == 501 + hit);
}

BOOST_AUTO_TEST_CASE(the_next_line_is_fetched_ahead_and_the_fetch_that_needs_it_joins_or_hits) {
  code_bench b;
  const auto first = b.fetch(0, 10, 0x1000), joins = b.fetch(0, 60, 0x1040), hits = b.fetch(0, 500, 0x1080);
  b.run();
  BOOST_TEST(b.ends.at(first).cycle == 10 + miss);
  BOOST_TEST(b.ends.at(joins).cycle == 11 + miss); // its prefetch went out a cycle after the first
  BOOST_TEST(b.ends.at(hits).cycle == 500 + hit);
  BOOST_TEST(b.count("prefetches") == 3u);
  BOOST_TEST(b.count("prefetches_used") == 2u);
  BOOST_TEST(b.count("misses") == 1u);
  BOOST_TEST(b.count("l2_reads") == 4u);
}

BOOST_AUTO_TEST_CASE(prefetches_stop_at_the_end_of_mapped_memory) {
  code_bench b;
  b.space.first = 0x1000;
  b.space.last = 0x1fff;
  b.fetch(0, 10, 0x1fc0);
  b.run();
  BOOST_TEST(b.count("prefetches") == 0u);
  b.space.last = 0x2fff;
  b.fetch(0, b.cu[0]->clock().floor(fabric::now_ps()) + 10, 0x1fc0);
  b.run();
  BOOST_TEST(b.count("prefetches") == 1u);
}

BOOST_AUTO_TEST_CASE(without_a_free_mshr_a_miss_waits_and_prefetches_are_left_out) {
  scalar_cache::instruction_cache_parameters p;
  p.mshrs = 1;
  code_bench b(p);
  const auto m = b.fetch(0, 10, 0x1000), waits = b.fetch(0, 11, 0x2000);
  b.run();
  BOOST_TEST(b.ends.at(m).cycle == 10 + miss);
  BOOST_TEST(b.ends.at(waits).cycle == 10 + out + below + miss);
  BOOST_TEST(b.count("prefetches") == 0u);
  BOOST_TEST(b.count("mshr_full_cycles") == out + below - 1);
}

BOOST_AUTO_TEST_CASE(code_is_stale_until_an_invalidation_and_a_fill_that_crosses_it_is_not_installed) {
  code_bench b(no_prefetch());
  b.l2.at(0x1000) = filled(1);
  const auto a = b.fetch(0, 10, 0x1000);
  b.run(400);
  b.l2.at(0x1000) = filled(2);
  const auto stale = b.fetch(0, 500, 0x1000);
  b.run(200);
  const auto inv = b.invalidate(3, 700);
  const auto fresh = b.fetch(0, 701, 0x1000), inv2 = b.invalidate(1, 720);
  b.run();
  BOOST_TEST(b.ends.at(a).data[0] == 1);
  BOOST_TEST(b.ends.at(stale).data[0] == 1);
  BOOST_TEST(b.ends.at(inv).cycle == 700 + hit);
  BOOST_TEST(b.ends.at(fresh).data[0] == 2);
  BOOST_TEST(b.ends.count(inv2) == 1u);
  BOOST_TEST(b.count("poisoned_fills") == 1u);
  b.l2.at(0x1000) = filled(3);
  const auto again = b.fetch(0, 1700, 0x1000);
  b.run();
  BOOST_TEST(b.ends.at(again).data[0] == 3);
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_line_goes) {
  code_bench b(no_prefetch()); // 128 sets of 4: lines 8 KB apart share one
  cycle_t c = 10;
  auto now = [&](uint64_t pc) {
    const auto t = b.fetch(0, c, pc);
    b.run(400);
    c += 400;
    return b.ends.at(t).hit;
  };
  for (unsigned i = 0; i < 4; ++i) now(0x10000 + 0x2000 * i);
  BOOST_TEST(now(0x10000));
  BOOST_TEST(!now(0x18000));
  BOOST_TEST(now(0x10000));
  BOOST_TEST(!now(0x12000));
  BOOST_TEST(b.count("evictions") == 2u);
}

BOOST_AUTO_TEST_CASE(writes_and_unmapped_code_are_errors) {
  code_bench b(no_prefetch());
  b.l2.error_from = 0x8000;
  const auto e = b.fetch(0, 10, 0x8000);
  payload& w = b.pool.line(tlm::TLM_WRITE_COMMAND, 0x1000, 32);
  payload_pool::policy(w).tag = 99;
  b.cu[1]->at(10, w);
  b.run();
  BOOST_TEST((b.ends.at(e).status == tlm::TLM_ADDRESS_ERROR_RESPONSE));
  BOOST_TEST((b.ends.at(99).status == tlm::TLM_COMMAND_ERROR_RESPONSE));
}

BOOST_AUTO_TEST_CASE(loosely_timed_fetches_read_memory) {
  code_bench b;
  b.l2.dmi = true;
  b.l2.region[32] = 42;
  b.l2.at(0x1000) = filled(6);
  sc_core::sc_time t;
  for (uint64_t pc : {memory::dmi_base + 32, uint64_t(0x1000)}) {
    payload& p = b.pool.line(tlm::TLM_READ_COMMAND, pc, 32);
    b.cu[0]->port.socket->b_transport(p, t);
    BOOST_TEST((p.get_response_status() == tlm::TLM_OK_RESPONSE));
    BOOST_TEST(p.get_data_ptr()[0] == (pc == 0x1000 ? 6 : 42));
    p.release();
  }
  BOOST_TEST(b.l2.b_transports == 1u);
}

BOOST_AUTO_TEST_CASE(random_fetches_always_give_the_code) {
  {
    scalar_cache::instruction_cache_parameters p;
    p.size_bytes = 2048;
    p.mshrs = 4;
    p.requests_outstanding = 6;
    p.port_queue_entries = 2;
    p.prefetch_lines = 2;
    code_bench b(p, 5);
    b.l2.jitter = 150;
    b.l2.back_pressure = true;
    std::mt19937_64 r(1);
    auto code = [](uint64_t a) { return uint8_t(fabric::chaos_source::mix(a)); };
    for (uint64_t a = 0x10000; a < 0x14000; ++a) b.l2.at(a)[a % 64] = code(a);
    std::map<uint64_t, uint64_t> pcs;
    uint64_t pc[3] = {0x10000, 0x11000, 0x12000};
    for (unsigned n = 0; n < 20000; ++n) {
      const unsigned i = unsigned(r() % 3);
      pc[i] = r() % 20 ? 0x10000 + (pc[i] + 32) % 0x4000 : 0x10000 + r() % 0x4000 / 32 * 32;
      if (r() % 500 == 0) b.invalidate(i, 10 + n * 2);
      pcs[b.fetch(i, 10 + n * 2, pc[i])] = pc[i];
    }
    while (!b.cu[0]->empty() || !b.cu[1]->empty() || !b.cu[2]->empty() || !b.cache.idle()) b.run(100000);
    for (auto& [tag, at] : pcs) {
      const auto& d = b.ends.at(tag).data;
      for (unsigned k = 0; k < 32; ++k) BOOST_TEST_REQUIRE(d[k] == code((at & ~31ull) + k));
    }
    b.check_edges();
    BOOST_TEST(b.count("prefetches_used") > 500u);
    BOOST_TEST(b.count("evictions") > 500u);
    BOOST_TEST(b.count("mshr_full_cycles") > 100u);
  }
}
