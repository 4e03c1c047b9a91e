// SPDX-License-Identifier: Apache-2.0
// Exact cycles of the L2 channel. One requester, straight at one channel; core clock 667 ps, memory clock 1058 ps.
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <algorithm>
#include <map>
#include <random>

using namespace lyra;
using namespace lyra::testbench;

namespace {
memory_bench_options straight() {
  memory_bench_options o;
  o.sources = o.channels = 1;
  o.with_crossbar = false;
  return o;
}
constexpr uint64_t core = 667;
uint64_t up(uint64_t t, uint64_t period) { return (t + period - 1) / period * period; }
/// When the fill of a read looked up at cycle c reaches L2, by hand: 20 cycles to the memory port, 193 ns, the next core clock.
uint64_t fill_cycle(uint64_t look_up) { return up((look_up + 20) * core + 193000, core) / core; }
} // namespace

BOOST_AUTO_TEST_CASE(a_read_hit_takes_78_cycles_and_a_miss_the_memory_time_more) {
  memory_bench b("b", straight());
  b.store.map(0, 1 << 20);
  b.sources[0]->keep = true;
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0x1000));
  b.sources[0]->at(1000, b.pool.line(tlm::TLM_READ_COMMAND, 0x1000));
  b.sources[0]->at(2000, b.pool.masked_write(0x2000, b.seen(0x1000, 64).data(), 0xff));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 3u);
  BOOST_TEST(a[0].at == fill_cycle(10) + 58);
  BOOST_TEST(a[1].at == 1000u + 78);
  BOOST_TEST(a[2].at == 2000u + 78); // a write that misses fetches nothing
  BOOST_TEST(b.dram[0]->statistics().reads == 1u);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(hits_stream_at_one_line_a_cycle) {
  memory_bench b("b", straight());
  b.store.map(0, 1 << 20);
  for (unsigned k = 0; k < 32; ++k) b.sources[0]->at(10 + k, b.pool.line(tlm::TLM_READ_COMMAND, k * 64));
  b.sources[0]->keep = true;
  for (unsigned k = 0; k < 32; ++k) b.sources[0]->at(5000 + k, b.pool.line(tlm::TLM_READ_COMMAND, k * 64));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 64u);
  for (unsigned k = 0; k < 32; ++k) BOOST_TEST(a[32 + k].at == 5000u + k + 78);
  BOOST_TEST(b.l2[0]->statistics().read_hits == 32u);
  BOOST_TEST(b.l2[0]->statistics().tag_busy_cycles == 64u);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(a_hit_passes_a_miss_and_the_miss_comes_at_its_own_time) {
  memory_bench b("b", straight());
  b.store.map(0, 1 << 20);
  b.sources[0]->keep = true;
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.sources[0]->at(2000, b.pool.line(tlm::TLM_READ_COMMAND, 0x4000)); // misses
  b.sources[0]->at(2001, b.pool.line(tlm::TLM_READ_COMMAND, 0));      // hits
  const uint64_t late = fill_cycle(2000) + 58 - 78;                   // its response would meet the fill's
  b.sources[0]->at(late, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 4u);
  BOOST_TEST(a[1].p->get_address() == 0u);
  BOOST_TEST(a[1].at == 2001u + 78);
  // both are due in one cycle: the port carries one line a cycle; the hit was queued first
  BOOST_TEST(std::min(a[2].at, a[3].at) == fill_cycle(2000) + 58);
  BOOST_TEST(std::max(a[2].at, a[3].at) == fill_cycle(2000) + 59);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(misses_to_one_line_merge_into_one_fetch_and_answer_one_a_cycle) {
  memory_bench b("b", straight());
  b.store.map(0, 1 << 20);
  b.sources[0]->keep = true;
  for (unsigned k = 0; k < 4; ++k) b.sources[0]->at(10 + k, b.pool.line(tlm::TLM_READ_COMMAND, 0x3000));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 4u);
  for (unsigned k = 0; k < 4; ++k) BOOST_TEST(a[k].at == fill_cycle(10) + 58 + k);
  BOOST_TEST(b.l2[0]->statistics().merged == 3u);
  BOOST_TEST(b.dram[0]->statistics().reads == 1u);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(a_conflict_in_a_set_evicts_the_oldest_line_and_writes_it_back) {
  auto o = straight();
  o.l2.size_bytes = 8192; // 8 sets x 16 ways
  o.l2.index_hash = "none";
  memory_bench b("b", o);
  b.store.map(0, 1 << 20);
  std::vector<uint8_t> bytes(64, 0xab);
  const unsigned sets = 8192 / 64 / 16;
  uint64_t c = 10;
  for (unsigned k = 0; k <= 16; ++k) b.sources[0]->at(c += 10, b.pool.masked_write(k * sets * 64, bytes.data(), k == 0 ? 0x0f : ~uint64_t(0))); // 17 lines of set 0
  b.sources[0]->keep = true;
  const uint64_t t = 3000;
  b.sources[0]->at(t, b.pool.line(tlm::TLM_READ_COMMAND, 0)); // gone: evicts again
  b.finish();
  BOOST_TEST(b.l2[0]->statistics().evictions == 2u);
  BOOST_TEST(b.l2[0]->statistics().writebacks == 2u);
  BOOST_TEST(b.l2[0]->statistics().writeback_bytes == 4u + 64u);
  BOOST_TEST(b.dram[0]->statistics().written_bytes == 4u + 64u);
  BOOST_TEST(int(b.store.host_line(0)[3]) == 0xab);
  BOOST_TEST(int(b.store.host_line(0)[4]) == 0);
  // one cycle behind the write-back at the memory port, and behind its 64 bytes (2116 ps) on the bus
  const auto& a = b.sources[0]->answers;
  const uint64_t write_starts = (t + 20) * core, read_starts = std::max((t + 21) * core, write_starts + 2116);
  BOOST_TEST(a.back().at == up(read_starts + 193000, core) / core + 58);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(an_atomic_that_hits_returns_after_request_unit_and_response_times) {
  memory_bench b("b", straight());
  b.store.map(0, 1 << 20);
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.sources[0]->keep = true;
  const auto add = [&](unsigned lanes, bool returns) -> payload& {
    payload& p = b.pool.atomic(0);
    auto& a = payload_pool::atomic_of(p);
    a.operation = isa::atomic_operation::atomic_add;
    a.bytes = 4;
    a.returns = returns;
    for (unsigned i = 0; i < lanes; ++i) a.entries[a.count++] = {uint8_t(i), 0, 1, 0, 0};
    return p;
  };
  b.sources[0]->at(1000, add(1, true));
  b.sources[0]->at(2000, add(64, false)); // one location: one a cycle
  b.sources[0]->at(3000, add(64, true));
  b.sources[0]->at(3001, b.pool.line(tlm::TLM_READ_COMMAND, 0)); // waits for the lock
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 5u);
  BOOST_TEST(a[1].at == 1000u + 20 + 4 + 58 + 137); // with results: 137 more
  BOOST_TEST(a[2].at == 2000u + 20 + 63 + 4 + 58);
  BOOST_TEST(a[4].at == 3000u + 20 + 63 + 4 + 58 + 137);
  BOOST_TEST(a[3].at == 3000u + 20 + 63 + 4 + 58); // the read goes as soon as the lock is gone
  uint32_t value;
  std::memcpy(&value, a[3].p->get_data_ptr(), 4);
  BOOST_TEST(value == 129u);
  for (unsigned i = 0; i < 64; ++i) BOOST_TEST(payload_pool::atomic_of(*a[4].p).entries[i].result == 65u + i);
  BOOST_TEST(b.units[0]->statistics().serialised_cycles == 2u * (64 - 4));
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(through_the_crossbar_an_l2_hit_takes_130_cycles) {
  memory_bench_options o;
  o.sources = 1;
  o.channels = 4;
  memory_bench b("b", o);
  b.store.map(0, 1 << 20);
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0x1240));
  b.sources[0]->keep = true;
  b.sources[0]->at(1000, b.pool.line(tlm::TLM_READ_COMMAND, 0x1240));
  b.finish();
  BOOST_REQUIRE_EQUAL(b.sources[0]->answers.size(), 2u);
  BOOST_TEST(b.sources[0]->answers[1].at == 1000u + 22 + 78 + 22);
  b.check_clean();
}

namespace {
/// A bench with random reads, writes and atomics in bursts; the cycle of each answer, and how long before it was known at least.
struct random_bench {
  memory_bench b;
  std::map<uint64_t, uint64_t> cycles;
  uint64_t notice = ~uint64_t(0);

  random_bench(const std::string& name, memory_bench_options o) : b(name, o) {
    b.store.map(0, 1 << 20);
    std::mt19937_64 random(5);
    uint64_t c = 10;
    for (unsigned k = 0; k < 3000; ++k) {
      c += random() % 8 ? random() % 2 : random() % 300;
      const uint64_t line = random() % (random() % 2 ? 40 : 16000) * 64;
      const uint8_t bytes[64] = {uint8_t(k)};
      payload* p;
      switch (random() % 5) {
        case 0: p = &b.pool.masked_write(line, bytes, random() % 2 ? ~uint64_t(0) : random() | 1); break;
        case 1: {
          p = &b.pool.atomic(line);
          auto& a = payload_pool::atomic_of(*p);
          a.operation = isa::atomic_operation::atomic_add;
          a.bytes = 4;
          a.returns = random() % 2;
          a.count = 1;
          a.entries[0] = {0, uint8_t(random() % 16 * 4), 1, 0, 0};
          break;
        }
        default: p = &b.pool.line(tlm::TLM_READ_COMMAND, line); break;
      }
      payload_pool::policy(*p).tag = k + 1;
      b.sources[k % o.sources]->at(c, *p);
    }
    for (auto& s : b.sources)
      s->on_answer = [this](payload& p, uint64_t, uint64_t at) {
        cycles[payload_pool::policy(p).tag] = at;
        notice = std::min(notice, at - now_ps() / core);
      };
  }
};
} // namespace

BOOST_AUTO_TEST_CASE(responses_announced_early_come_at_the_same_cycles) {
  random_bench late("late", straight()), early("early", straight());
  const picoseconds notice = early.b.l2[0]->announce_early();
  BOOST_TEST(notice == 57 * core); // fill_response_cycles is the shortest
  for (auto& s : early.b.sources) s->start(); // both at once
  late.b.finish();
  early.b.finish();
  BOOST_TEST(late.cycles.size() == 3000u);
  BOOST_TEST((early.cycles == late.cycles));
  BOOST_TEST(late.notice == 1u);
  BOOST_TEST(early.notice == 57u);
  BOOST_TEST(early.b.l2[0]->statistics().response_wait_cycles == late.b.l2[0]->statistics().response_wait_cycles);
}

BOOST_AUTO_TEST_CASE(through_the_crossbar_too) {
  memory_bench_options o;
  o.sources = 3;
  random_bench late("late", o), early("early", o);
  picoseconds notice = never;
  for (auto& l : early.b.l2) notice = std::min(notice, l->announce_early());
  early.b.xbar->expect_notice(notice);
  for (auto& s : early.b.sources) s->start(); // both at once
  late.b.finish();
  early.b.finish();
  BOOST_TEST(late.cycles.size() == 3000u);
  BOOST_TEST((early.cycles == late.cycles));
  BOOST_TEST(early.b.xbar->response_notice() - late.b.xbar->response_notice() == 56 * core);
  BOOST_TEST(late.notice * core >= late.b.xbar->response_notice());
  BOOST_TEST(early.notice * core >= early.b.xbar->response_notice());
  BOOST_TEST(early.b.xbar->statistics().response_wait_cycles == late.b.xbar->statistics().response_wait_cycles);
  BOOST_TEST(early.b.xbar->statistics().channel_stall_cycles == late.b.xbar->statistics().channel_stall_cycles);
}
