// SPDX-License-Identifier: Apache-2.0
// Random traffic of three compute units through the scalar data cache over a memory with random latencies, held against a plain model; every edge
// watched by the protocol monitor. Each compute unit owns a part of every line (so lines are shared, bytes are not) and keeps to its own order.
#include "scalar_cache/scalar_bench.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"

using namespace bench;
using fabric::cache_control;
using monitor = testbench::protocol_monitor<>;

namespace {
constexpr unsigned cus = 3;

struct watched {
  payload_pool pool;
  observe::statistics statistics;
  fabric::run_state run_state;
  fabric::context context;
  scalar_cache::data_cache k;
  std::vector<std::unique_ptr<sender>> cu; ///< the last is the command processor
  std::vector<std::unique_ptr<monitor>> edges;
  memory l2;
  monitor l2_edge{"l2_edge"};

  static fabric::context& prepare(watched& w, uint64_t chaos) {
    w.context.core = fabric::clock_domain(667);
    w.context.lines = &w.pool;
    w.context.statistics = &w.statistics;
    w.context.run = &w.run_state;
    w.context.chaos.seed = chaos;
    return w.context;
  }
  explicit watched(const scalar_cache::data_cache_parameters& p, uint64_t chaos = 0) : k("k", prepare(*this, chaos), cus, p), l2("l2", context.core) {
    for (unsigned i = 0; i <= cus; ++i) {
      cu.push_back(std::make_unique<sender>(("cu" + std::to_string(i)).c_str(), context.core));
      edges.push_back(std::make_unique<monitor>(("edge" + std::to_string(i)).c_str()));
      cu[i]->port.socket.bind(edges[i]->in);
      edges[i]->out.bind((i < cus ? k.cu_port(i) : k.control_port()).socket);
    }
    k.l2_port.socket.bind(l2_edge.in);
    l2_edge.out.bind(l2.port[0]->socket);
  }
  cycle_t now() const { return sc_core::sc_time_stamp().value() / 667; }
  void finish() {
    auto busy = [&] {
      for (auto& c : cu)
        if (!c->empty()) return true;
      return !k.idle();
    };
    for (unsigned n = 0; busy() && n < 10000; ++n) sc_core::sc_start(fabric::to_sc_time(667 * 1000));
    BOOST_TEST_REQUIRE(!busy());
    for (auto& m : edges) BOOST_TEST(m->clean(), m->report());
    BOOST_TEST(l2_edge.clean(), l2_edge.report());
    BOOST_TEST(pool.outstanding() == 0u);
    BOOST_TEST(run_state.faults.empty());
  }
};

void traffic(watched& w, unsigned count, uint64_t seed, unsigned lines, bool in_order) {
  std::mt19937_64 r(seed);
  w.l2.random.seed(seed + 1);
  std::map<uint64_t, bytes64> plain;
  struct expectation { std::vector<uint8_t> data; uint32_t result; bool load, atomic; };
  std::map<uint64_t, expectation> expected[cus];
  uint64_t answered = 0;
  for (unsigned i = 0; i < cus; ++i)
    w.cu[i]->on_end = [&, i](payload& p, cycle_t) {
      const uint64_t tag = payload_pool::policy(p).tag;
      const auto it = expected[i].find(tag);
      BOOST_TEST_REQUIRE((it != expected[i].end()));
      if (in_order) BOOST_TEST_REQUIRE((it == expected[i].begin()));
      const expectation& e = it->second;
      BOOST_TEST_REQUIRE((p.get_response_status() == tlm::TLM_OK_RESPONSE));
      if (e.load) BOOST_TEST_REQUIRE(std::equal(e.data.begin(), e.data.end(), p.get_data_ptr()));
      if (e.atomic) BOOST_TEST_REQUIRE(payload_pool::atomic_of(p).entries[0].result == e.result);
      expected[i].erase(it);
      ++answered;
    };
  cycle_t c = 10;
  for (unsigned n = 0; n < count; ++n) {
    const unsigned i = unsigned(r() % cus), kind = unsigned(r() % 100);
    const uint64_t line = 0x100000 + 64 * (r() % lines);
    const unsigned first = 5 * i, at = first + unsigned(r() % 5), dwords = 1 + unsigned(r() % (first + 5 - at)); // dwords 5i .. 5i+4
    const uint64_t address = line + 4 * at;
    const bool glc = r() % 4 == 0;
    bytes64& m = plain[line];
    expectation e{};
    payload* p;
    if (r() % 16 == 0) c += r() % 400;
    c += r() % 2;
    if (kind < 50) {
      p = &w.pool.line(tlm::TLM_READ_COMMAND, address, 4 * dwords);
      e.load = true;
      e.data.assign(m.begin() + 4 * at, m.begin() + 4 * (at + dwords));
    } else if (kind < 88) {
      p = &w.pool.line(tlm::TLM_WRITE_COMMAND, address, 4 * dwords);
      for (unsigned b = 0; b < 4 * dwords; ++b) m[4 * at + b] = p->get_data_ptr()[b] = uint8_t(r());
    } else if (kind < 96) {
      p = &w.pool.atomic(line);
      auto& a = payload_pool::atomic_of(*p);
      a.operation = isa::atomic_operation::atomic_add;
      a.bytes = 4;
      a.returns = true;
      a.count = 1;
      a.entries[0] = {0, uint8_t(4 * at), r() & 0xffff, 0, 0};
      e.atomic = true;
      std::memcpy(&e.result, m.data() + 4 * at, 4);
      const uint32_t v = e.result + uint32_t(a.entries[0].operand);
      std::memcpy(m.data() + 4 * at, &v, 4);
    } else {
      p = &w.pool.line(tlm::TLM_IGNORE_COMMAND, line);
      static const cache_control forms[] = {cache_control::invalidate, cache_control::invalidate_volatile, cache_control::writeback_invalidate,
                                            cache_control::writeback,  cache_control::writeback_volatile,  cache_control::probe};
      payload_pool::policy(*p).control = forms[r() % 6];
    }
    auto& o = payload_pool::policy(*p);
    o.tag = n;
    o.glc = glc;
    o.nv = r() % 4 == 0;
    expected[i][n] = e;
    w.cu[i]->at(c, *p);
  }
  w.finish();
  BOOST_TEST(answered == count);
  payload& last = w.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
  payload_pool::policy(last).control = cache_control::writeback_invalidate;
  w.cu[cus]->at(w.now() + 10, last);
  w.finish();
  BOOST_TEST(w.k.dirty_lines() == 0u);
  for (auto& [line, m] : plain) BOOST_TEST((w.l2.at(line) == m));
}

scalar_cache::data_cache_parameters parameters() {
  scalar_cache::data_cache_parameters p;
  p.invalidate_writes_back = true; // so that an invalidation by one does not take the others' stores
  return p;
}
scalar_cache::data_cache_parameters small() {
  auto p = parameters();
  p.size_bytes = 1024;
  p.mshrs = 3;
  p.writes_outstanding = 3;
  p.requests_outstanding = 8;
  p.port_queue_entries = 2;
  return p;
}
} // namespace

BOOST_AUTO_TEST_CASE(loads_follow_the_order_of_their_compute_unit_and_every_store_reaches_memory) {
  watched w(parameters());
  w.l2.jitter = 200;
  traffic(w, 40000, 1, 40, false);
  const auto& s = w.k.statistics();
  BOOST_TEST(s.hits > 2000u);
  BOOST_TEST(s.merged > 200u);
  BOOST_TEST(s.partial_hits > 200u);
  BOOST_TEST(s.poisoned_fills > 200u);
  BOOST_TEST(s.returns_out_of_order > 1000u);
}

BOOST_AUTO_TEST_CASE(a_small_cache_with_back_pressure_loses_no_store) {
  watched w(small());
  w.l2.jitter = 300;
  w.l2.back_pressure = true;
  traffic(w, 30000, 2, 60, false);
  const auto& s = w.k.statistics();
  BOOST_TEST(s.evictions > 1000u);
  BOOST_TEST(s.writebacks > 1000u);
  BOOST_TEST(s.mshr_full_cycles > 1000u);
  BOOST_TEST(s.writes_full_cycles > 1000u);
  BOOST_TEST(s.requests_full_cycles > 10u);
}

BOOST_AUTO_TEST_CASE(in_order_returns_keep_the_order_of_each_compute_unit) {
  auto p = parameters();
  p.ordering = "in_order";
  watched w(p);
  w.l2.jitter = 200;
  traffic(w, 30000, 3, 40, true);
  BOOST_TEST(w.k.statistics().returns_out_of_order == 0u);
}

BOOST_AUTO_TEST_CASE(shuffled_returns_change_no_value) {
  auto p = small();
  p.ordering = "shuffled";
  p.ordering_seed = 4;
  watched w(p);
  w.l2.jitter = 100;
  traffic(w, 30000, 4, 40, false);
  BOOST_TEST(w.k.statistics().returns_out_of_order > 3000u);
}

BOOST_AUTO_TEST_CASE(replayed_requests_change_no_value) {
  auto p = parameters();
  p.xnack_replay = true;
  p.xnack_seed = 11;
  watched w(p);
  w.l2.jitter = 100;
  traffic(w, 30000, 5, 40, false);
  BOOST_TEST(w.k.statistics().nacks > 5000u);
}

BOOST_AUTO_TEST_CASE(replays_in_a_small_cache_change_no_value) {
  auto p = small();
  p.xnack_replay = true;
  p.xnack_percent = 60;
  watched w(p);
  w.l2.jitter = 100;
  w.l2.back_pressure = true;
  traffic(w, 20000, 6, 40, false);
  BOOST_TEST(w.k.statistics().nacks > 10000u);
}

BOOST_AUTO_TEST_CASE(chaos_changes_no_value) {
  auto p = small();
  watched w(p, 99);
  w.l2.jitter = 100;
  traffic(w, 30000, 7, 40, false);
}

BOOST_AUTO_TEST_CASE(the_smallest_parameters_work) {
  auto p = small();
  p.size_bytes = 256;
  p.ways = 1;
  p.mshrs = p.writes_outstanding = p.requests_outstanding = p.port_queue_entries = 1;
  p.hit_latency_cycles = p.miss_request_cycles = p.fill_return_cycles = 1;
  p.return_bytes_per_cycle = 16;
  watched w(p);
  w.l2.latency = 2;
  w.l2.jitter = 20;
  traffic(w, 5000, 8, 8, false);
}

/// Another agent bumps versions in memory all the time: GLC=1 loads, and loads behind an invalidation of their own port, are never older than their issue.
BOOST_AUTO_TEST_CASE(glc_1_loads_and_loads_behind_an_invalidation_are_never_older_than_their_issue) {
  watched w(small());
  w.l2.jitter = 150;
  std::mt19937_64 r(9);
  constexpr unsigned lines = 20;
  const uint64_t base = 0x100000;
  uint64_t current[lines] = {};
  w.l2.on_service = [&](uint64_t) {
    const unsigned k = unsigned(r() % lines);
    current[k] = w.now();
    std::memcpy(w.l2.at(base + 64 * k).data(), &current[k], 8);
  };
  std::map<uint64_t, std::pair<unsigned, uint64_t>> open; // tag: line, oldest version allowed
  uint64_t loads = 0, stale = 0;
  for (unsigned i = 0; i < cus; ++i)
    w.cu[i]->on_end = [&](payload& p, cycle_t c) {
      const auto it = open.find(payload_pool::policy(p).tag);
      if (it == open.end()) return;
      uint64_t version;
      std::memcpy(&version, p.get_data_ptr(), 8);
      ++loads;
      BOOST_TEST_REQUIRE(version >= it->second.second);
      BOOST_TEST_REQUIRE(version <= c);
      stale += version < current[it->second.first];
      open.erase(it);
    };
  uint64_t fresh_since[cus][lines] = {};
  for (unsigned n = 0; n < 20000; ++n) {
    const unsigned i = unsigned(r() % cus), k = unsigned(r() % lines), kind = unsigned(r() % 40);
    payload* p;
    if (kind == 0) {
      p = &w.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
      payload_pool::policy(*p).control = cache_control::invalidate;
      std::copy(current, current + lines, fresh_since[i]);
    } else {
      p = &w.pool.line(tlm::TLM_READ_COMMAND, base + 64 * k, 8);
      const bool glc = kind < 6;
      payload_pool::policy(*p).glc = glc;
      if (glc) fresh_since[i][k] = current[k];
      open[n] = {k, fresh_since[i][k]};
    }
    payload_pool::policy(*p).tag = n;
    w.cu[i]->at(w.now() + 2, *p);
    sc_core::sc_start(fabric::to_sc_time(667 * (1 + r() % 30)));
  }
  w.finish();
  BOOST_TEST(loads > 15000u);
  BOOST_TEST(stale > 1000u);
}
