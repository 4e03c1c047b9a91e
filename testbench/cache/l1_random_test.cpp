// SPDX-License-Identifier: Apache-2.0
// Random traffic through the vector L1 over a memory with random latencies, held against plain models; every edge watched by the protocol monitor.
#include "support/systemc_test.h"
#include "cache/l1_bench.h"
#include "support/protocol_monitor.h"
#include <iostream>

using namespace bench;
using fabric::cache_control;
using monitor = testbench::protocol_monitor<>;

namespace {

/// A bench with monitors on all four edges.
struct watched {
  payload_pool pool;
  observe::statistics statistics;
  fabric::context context;
  cache::l1_cache l1;
  sender ta, command_processor;
  receiver td;
  memory l2;
  monitor ta_edge{"ta_edge"}, td_edge{"td_edge"}, l2_edge{"l2_edge"}, control_edge{"control_edge"};
  static fabric::context& prepare(watched& w, uint64_t chaos) {
    w.context.core = fabric::clock_domain(667);
    w.context.lines = &w.pool;
    w.context.statistics = &w.statistics;
    w.context.chaos.seed = chaos;
    return w.context;
  }
  watched(const cache::l1_parameters& p, uint64_t chaos = 0)
      : l1("l1", prepare(*this, chaos), p), ta("ta", context.core), command_processor("command_processor", context.core), td("td", context.core), l2("l2", context.core) {
    td_edge.answered_before = true;
    ta.port.socket.bind(ta_edge.in);
    ta_edge.out.bind(l1.ta_port.socket);
    l1.td_port.socket.bind(td_edge.in);
    td_edge.out.bind(td.port.socket);
    l1.l2_port.socket.bind(l2_edge.in);
    l2_edge.out.bind(l2.port[0]->socket);
    command_processor.port.socket.bind(control_edge.in);
    control_edge.out.bind(l1.control_port.socket);
    td.keep = false;
  }
  cycle_t now() const { return sc_core::sc_time_stamp().value() / 667; }
  void finish() {
    while (!ta.empty() || !command_processor.empty() || !l1.idle()) sc_core::sc_start(fabric::to_sc_time(667 * 1000));
    for (monitor* m : {&ta_edge, &td_edge, &l2_edge, &control_edge}) BOOST_TEST(m->clean(), m->report());
    BOOST_TEST(pool.outstanding() == 0u);
  }
};

/// One L1 is the only writer: each read must give what a plain memory, updated in TA's order, holds; and TD must get all in TA's order.
void alone(watched& w, unsigned count, uint64_t seed, unsigned lines) {
  std::mt19937_64 r(seed);
  w.l2.random.seed(seed + 1);
  w.td.random = &w.l2.random;
  std::map<uint64_t, bytes64> plain;
  struct expectation { uint64_t tag; tlm::tlm_command command; bytes64 data; bool check; uint32_t result; };
  std::deque<expectation> expected;
  uint64_t arrived = 0;
  w.td.on_arrival = [&](const receiver::arrival& a) {
    BOOST_TEST_REQUIRE(!expected.empty());
    const expectation e = expected.front();
    expected.pop_front();
    ++arrived;
    BOOST_TEST_REQUIRE(a.tag == e.tag);
    BOOST_TEST_REQUIRE((a.command == e.command));
    if (e.command == tlm::TLM_READ_COMMAND && e.check) BOOST_TEST_REQUIRE((a.data == e.data));
    if (e.command == tlm::TLM_IGNORE_COMMAND && e.check) BOOST_TEST_REQUIRE(a.results.at(0) == e.result);
  };
  cycle_t c = 10;
  uint64_t instruction = 1;
  for (unsigned n = 0; n < count;) {
    const unsigned kind = unsigned(r() % 100);
    const bool glc = r() % 4 == 0, slc = r() % 8 == 0, nv = r() % 4 == 0;
    const unsigned pieces = kind < 90 ? 1 + unsigned(r() % 6) : 1;
    ++instruction;
    if (r() % 16 == 0) c += r() % 600;
    for (unsigned k = 0; k < pieces; ++k, ++n) {
      const uint64_t line = 0x100000 + 64 * (r() % lines), tag = instruction << 16 | k;
      c += r() % 2;
      payload* p;
      expectation e{tag, tlm::TLM_READ_COMMAND, {}, true, 0};
      bytes64& m = plain[line];
      if (kind < 50) {
        p = &w.pool.line(tlm::TLM_READ_COMMAND, line);
        payload_pool::policy(*p).wanted_bytes = uint8_t(r() % 65);
        e.data = m;
      } else if (kind < 90) {
        const bytes64 d = random_bytes(r);
        const uint64_t mask = r() % 3 == 0 ? ~0ull : r() % 2 ? 0xffffull << 16 * (r() % 4) : r();
        p = &w.pool.masked_write(line, d.data(), mask);
        for (unsigned i = 0; i < 64; ++i)
          if (mask >> i & 1) m[i] = d[i];
        e.command = tlm::TLM_WRITE_COMMAND;
      } else if (kind < 97) {
        p = &w.pool.atomic(line);
        auto& a = payload_pool::atomic_of(*p);
        a.operation = isa::atomic_operation::atomic_add;
        a.bytes = 4;
        a.returns = true;
        a.count = 1;
        const unsigned offset = unsigned(r() % 16) * 4;
        a.entries[0] = {0, uint8_t(offset), r() & 0xffff, 0, 0};
        std::memcpy(&e.result, m.data() + offset, 4);
        const uint32_t v = e.result + uint32_t(a.entries[0].operand);
        std::memcpy(m.data() + offset, &v, 4);
        e.command = tlm::TLM_IGNORE_COMMAND;
      } else {
        p = &w.pool.line(tlm::TLM_IGNORE_COMMAND, line);
        static const cache_control forms[] = {cache_control::invalidate, cache_control::invalidate_volatile, cache_control::writeback_invalidate, cache_control::writeback, cache_control::discard};
        l1_bench::set(*p, tag, {});
        payload_pool::policy(*p).control = forms[r() % 5];
        e.command = tlm::TLM_IGNORE_COMMAND;
        e.check = false;
      }
      auto& o = payload_pool::policy(*p);
      o.tag = tag;
      o.glc = glc;
      o.slc = slc;
      o.nv = nv;
      expected.push_back(e);
      w.ta.at(c, *p);
    }
  }
  w.finish();
  BOOST_TEST(expected.empty());
  BOOST_TEST(w.ta.sent == arrived);
  for (auto& [line, m] : plain)
    if (w.l2.lines.count(line)) BOOST_TEST((w.l2.lines[line] == m));
}

cache::l1_parameters small() {
  cache::l1_parameters p;
  p.size_bytes = 2048; // 8 sets of 4: many evictions
  p.mshrs = 6;
  p.writes_outstanding = 5;
  p.latency_fifo_entries = 12;
  p.request_fifo_entries = 10;
  return p;
}
} // namespace

BOOST_AUTO_TEST_CASE(reads_follow_the_order_of_ta_for_all_random_latencies) {
  watched w(cache::l1_parameters{});
  w.l2.jitter = 200;
  alone(w, 40000, 1, 24);
  BOOST_TEST(w.l1.statistics().hits > 1000u);
  BOOST_TEST(w.l1.statistics().merged > 500u);
  BOOST_TEST(w.l1.statistics().poisoned_fills > 500u);
  BOOST_TEST(w.l1.statistics().writes_combined > 5u);
  BOOST_TEST(w.l1.statistics().lines_kept > 1000u);
}

BOOST_AUTO_TEST_CASE(reads_follow_the_order_of_ta_in_a_small_cache_with_back_pressure_everywhere) {
  watched w(small());
  w.l2.jitter = 300;
  w.l2.back_pressure = true;
  alone(w, 40000, 2, 100);
  BOOST_TEST(w.l1.statistics().evictions > 500u);
  BOOST_TEST(w.l1.statistics().mshr_full_cycles > 500u);
  BOOST_TEST(w.l1.statistics().writes_full_cycles > 500u);
  BOOST_TEST(w.l1.statistics().fifo_full_cycles > 100u);
}

BOOST_AUTO_TEST_CASE(reads_follow_the_order_of_ta_under_chaos) {
  cache::l1_parameters p = small();
  p.tag_banks = 4;
  p.index_fold = true;
  watched w(p, 77);
  w.l2.jitter = 100;
  alone(w, 40000, 3, 40);
  BOOST_TEST(w.l1.statistics().tag_bank_cycles > 100u);
}

BOOST_AUTO_TEST_CASE(reads_follow_the_order_of_ta_with_the_smallest_parameters) {
  cache::l1_parameters p;
  p.size_bytes = 256;
  p.ways = 1;
  p.mshrs = p.writes_outstanding = p.latency_fifo_entries = p.request_fifo_entries = p.tag_lookups_per_cycle = p.td_lines_per_cycle = 1;
  p.hit_latency_cycles = p.miss_request_cycles = p.fill_return_cycles = 1;
  p.td_bytes_per_cycle = 4;
  watched w(p);
  w.l2.latency = 2;
  w.l2.jitter = 20;
  alone(w, 5000, 4, 8);
}

/// Another agent bumps a version in every line of memory all the time. GLC=1 reads, and GLC=0 reads behind an invalidation, must not be older than
/// their issue; no read may be newer than its return; a version never seen in memory must not appear.
BOOST_AUTO_TEST_CASE(glc_1_reads_and_reads_behind_an_invalidation_are_never_older_than_their_issue) {
  watched w(small());
  w.l2.jitter = 150;
  std::mt19937_64 r(9);
  constexpr unsigned lines = 20;
  const uint64_t base = 0x100000;
  // history: version of a line is the cycle of its newest change
  uint64_t current[lines] = {};
  auto bump = [&](unsigned k) {
    current[k] = w.now();
    std::memcpy(w.l2.at(base + 64 * k).data(), &current[k], 8);
  };
  w.l2.on_service = [&](uint64_t) { bump(unsigned(r() % lines)); };
  struct issued { uint64_t minimum; bool read; };
  std::map<uint64_t, issued> open;
  uint64_t reads = 0, stale = 0;
  uint64_t fresh_since[lines] = {};
  w.td.on_arrival = [&](const receiver::arrival& a) {
    const issued i = open.at(a.tag);
    if (!i.read) return;
    uint64_t version;
    std::memcpy(&version, a.data.data(), 8);
    const unsigned k = unsigned(a.tag & 0xffff);
    ++reads;
    BOOST_TEST_REQUIRE(version >= i.minimum);
    BOOST_TEST_REQUIRE(version <= a.cycle);
    stale += version < current[k];
  };
  cycle_t c = 10;
  uint64_t instruction = 0;
  for (unsigned n = 0; n < 20000; ++n) {
    const unsigned k = unsigned(r() % lines), kind = unsigned(r() % 20);
    const uint64_t tag = ++instruction << 16 | k;
    // issue in real time, so that `current` is the memory of the moment
    c = w.now() + 2;
    payload* p;
    issued i{0, true};
    if (kind == 0) {
      p = &w.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
      l1_bench::set(*p, tag, {});
      payload_pool::policy(*p).control = cache_control::invalidate;
      std::copy(current, current + lines, fresh_since);
      i.read = false;
    } else {
      p = &w.pool.line(tlm::TLM_READ_COMMAND, base + 64 * k);
      const bool glc = kind < 5;
      l1_bench::set(*p, tag, {glc});
      if (glc) fresh_since[k] = current[k]; // what follows in order must not be older either
      i.minimum = fresh_since[k];
    }
    open[tag] = i;
    w.ta.at(c, *p);
    sc_core::sc_start(fabric::to_sc_time(667 * (1 + r() % 30)));
  }
  w.finish();
  BOOST_TEST(reads > 15000u);
  BOOST_TEST(stale > 1000u); // stale hits do happen: GLC=0 is not coherent
}

BOOST_AUTO_TEST_CASE(two_l1s_that_write_parts_of_the_same_lines_lose_no_byte) {
  payload_pool pool;
  fabric::context context;
  context.core = fabric::clock_domain(1000);
  context.lines = &pool;
  cache::l1_parameters p = small();
  cache::l1_cache a("a", context, p), b("b", context, p);
  sender ta_a("ta_a", context.core), ta_b("ta_b", context.core), cp_a("cp_a", context.core), cp_b("cp_b", context.core);
  receiver td_a("td_a", context.core), td_b("td_b", context.core);
  memory l2("l2", context.core, 2);
  l2.jitter = 100;
  ta_a.port.socket.bind(a.ta_port.socket);
  ta_b.port.socket.bind(b.ta_port.socket);
  cp_a.port.socket.bind(a.control_port.socket);
  cp_b.port.socket.bind(b.control_port.socket);
  a.td_port.socket.bind(td_a.port.socket);
  b.td_port.socket.bind(td_b.port.socket);
  a.l2_port.socket.bind(l2.port[0]->socket);
  b.l2_port.socket.bind(l2.port[1]->socket);
  std::mt19937_64 r(5);
  std::map<uint64_t, bytes64> plain;
  uint64_t tag = 0;
  for (unsigned n = 0; n < 6000; ++n) {
    const unsigned side = unsigned(r() % 2);
    const uint64_t line = 0x1000 + 64 * (r() % 16), half = 0x5555555555555555ull << side; // even bytes: a, odd bytes: b
    payload* q;
    if (r() % 3) {
      const uint64_t mask = r() & half;
      const bytes64 d = random_bytes(r);
      q = &pool.masked_write(line, d.data(), mask);
      for (unsigned i = 0; i < 64; ++i)
        if (mask >> i & 1) plain[line][i] = d[i];
    } else q = &pool.line(tlm::TLM_READ_COMMAND, line);
    payload_pool::policy(*q).tag = ++tag << 16;
    (side ? ta_b : ta_a).at(10 + n, *q);
  }
  sc_core::sc_start(fabric::to_sc_time(1'000'000'000));
  BOOST_TEST((a.idle() && b.idle()));
  for (auto& [line, m] : plain) BOOST_TEST((l2.at(line) == m));
}

BOOST_AUTO_TEST_CASE(the_same_run_twice_is_the_same_to_the_cycle) {
  // two machines in one elaboration, with the same traffic
  static std::vector<std::pair<cycle_t, uint64_t>> seen[2];
  payload_pool pool;
  std::vector<std::unique_ptr<fabric::context>> contexts;
  std::vector<std::unique_ptr<cache::l1_cache>> l1s;
  std::vector<std::unique_ptr<sender>> tas, cps;
  std::vector<std::unique_ptr<receiver>> tds;
  std::vector<std::unique_ptr<memory>> l2s;
  for (unsigned k = 0; k < 2; ++k) {
    contexts.push_back(std::make_unique<fabric::context>());
    auto& x = *contexts.back();
    x.core = fabric::clock_domain(1000);
    x.lines = &pool;
    l1s.push_back(std::make_unique<cache::l1_cache>(k ? "b" : "a", x, small()));
    tas.push_back(std::make_unique<sender>(k ? "ta_b" : "ta_a", x.core));
    cps.push_back(std::make_unique<sender>(k ? "cp_b" : "cp_a", x.core));
    tds.push_back(std::make_unique<receiver>(k ? "td_b" : "td_a", x.core));
    l2s.push_back(std::make_unique<memory>(k ? "l2_b" : "l2_a", x.core));
    l2s[k]->jitter = 150;
    l2s[k]->random.seed(4);
    tas[k]->port.socket.bind(l1s[k]->ta_port.socket);
    cps[k]->port.socket.bind(l1s[k]->control_port.socket);
    l1s[k]->td_port.socket.bind(tds[k]->port.socket);
    l1s[k]->l2_port.socket.bind(l2s[k]->port[0]->socket);
    tds[k]->keep = false;
    tds[k]->on_arrival = [k](const receiver::arrival& a) { seen[k].push_back({a.cycle, a.tag}); };
    std::mt19937_64 r(6);
    for (unsigned n = 0; n < 5000; ++n) {
      const uint64_t line = 64 * (r() % 64);
      payload& p = r() % 3 ? pool.line(tlm::TLM_READ_COMMAND, line) : pool.masked_write(line, random_bytes(r).data(), r());
      payload_pool::policy(p).tag = uint64_t(n) << 16;
      tas[k]->at(10 + n / 2, p);
    }
  }
  sc_core::sc_start(fabric::to_sc_time(1'000'000'000));
  BOOST_TEST(seen[0].size() == 5000u);
  BOOST_TEST((seen[0] == seen[1]));
}
