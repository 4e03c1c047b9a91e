// SPDX-License-Identifier: Apache-2.0
// Random traffic of several requesters through crossbar, L2, atomic units and DRAM against plain bytes, in AT, with and without chaos.
//
// Every byte of the shared lines belongs to one requester, so that its value is known when that requester reads it, whatever the others do:
// requests of one requester to one line stay in order. All requesters write into the same lines all the time (false sharing).
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <array>
#include <unordered_map>

using namespace lyra;
using namespace lyra::testbench;

namespace {
using op = isa::atomic_operation;

/// What an atomic does, written down again from the ISA's text.
uint64_t plain_atomic(op o, unsigned bytes, uint64_t m, uint64_t v, uint64_t c) {
  const uint64_t all = bytes == 8 ? ~uint64_t(0) : 0xffffffffull;
  const auto s = [&](uint64_t x) { return bytes == 8 ? int64_t(x) : int64_t(int32_t(uint32_t(x))); };
  switch (o) {
    case op::atomic_swap: return v;
    case op::atomic_cmpswap: return m == c ? v : m;
    case op::atomic_add: return (m + v) & all;
    case op::atomic_sub: return (m - v) & all;
    case op::atomic_smin: return s(m) < s(v) ? m : v;
    case op::atomic_umin: return m < v ? m : v;
    case op::atomic_smax: return s(m) > s(v) ? m : v;
    case op::atomic_umax: return m > v ? m : v;
    case op::atomic_and: return m & v;
    case op::atomic_or: return m | v;
    case op::atomic_xor: return m ^ v;
    case op::atomic_inc: return m >= v ? 0 : m + 1;
    case op::atomic_dec: return m == 0 || m > v ? v : m - 1;
    default: return m;
  }
}

struct traffic {
  memory_bench& b;
  unsigned lines, operations;
  uint64_t base = 0x10000;
  bool atomics = true, controls = true;
  std::mt19937_64 draw;
  std::vector<uint8_t> model; ///< what each byte's owner has written last
  unsigned left = 0;
  uint64_t checked = 0, wrong = 0, atomic_checked = 0;
  struct expected { std::array<uint8_t, 64> bytes; uint64_t mask; std::vector<uint64_t> results; };
  std::unordered_map<payload*, expected> waiting;
  std::unordered_map<payload*, unsigned> whose;

  traffic(memory_bench& bench, unsigned lines_, unsigned operations_, uint64_t seed) : b(bench), lines(lines_), operations(operations_), draw(seed), model(lines_ * 64, 0) {
    b.store.map(base, (uint64_t(lines) * 64 + 4095) / 4096 * 4096);
    for (auto& x : model) x = uint8_t(draw());
    b.store.write(base, model.data(), model.size());
    left = operations;
    for (unsigned s = 0; s < b.sources.size(); ++s) {
      b.sources[s]->source = [this, s] { return next(s); };
      b.sources[s]->window = 1 + unsigned(draw() % 24);
      b.sources[s]->gap = 1 + unsigned(draw() % 3);
      b.sources[s]->on_answer = [this](payload& p, cycle_t, cycle_t) { check(p); };
    }
  }
  unsigned owner(unsigned line, unsigned byte) const { // odd lines by bytes; even lines by 8-byte words, where atomics work
    const unsigned n = unsigned(b.sources.size());
    return line % 2 ? (byte * 5 + line) % n : (byte / 8 + line) % n;
  }
  payload* next(unsigned s) {
    if (left == 0) return nullptr;
    --left;
    const unsigned line = unsigned(draw() % 4 ? draw() % lines : draw() % std::min(lines, 4u)); // some lines are hot
    const uint64_t address = base + uint64_t(line) * 64;
    uint64_t mine = 0;
    for (unsigned i = 0; i < 64; ++i) mine |= uint64_t(owner(line, i) == s) << i;
    const unsigned what = unsigned(draw() % 100);
    payload* p = nullptr;
    if (controls && what == 0 && s == 0) {
      p = &b.pool.line(tlm::TLM_IGNORE_COMMAND, address);
      const cache_control kinds[] = {cache_control::writeback, cache_control::invalidate, cache_control::writeback_invalidate, cache_control::invalidate_volatile};
      payload_pool::policy(*p).control = kinds[draw() % 4];
    } else if (atomics && what < 30 && line % 2 == 0) {
      p = &atomic_packet(s, line);
    } else if (what < 60) { // a write of some of my bytes
      uint64_t mask = mine;
      if (draw() % 2) mask &= draw();
      if (draw() % 4 == 0) mask &= draw() & draw();
      if (draw() % 16 == 0) mask = 0; // a write of nothing is legal
      uint8_t data[64];
      for (unsigned i = 0; i < 64; ++i) {
        data[i] = uint8_t(draw());
        if (mask >> i & 1) model[line * 64 + i] = data[i];
      }
      p = &b.pool.masked_write(address, data, mask);
    } else {
      const unsigned length = draw() % 3 == 0 ? 32 : draw() % 5 == 0 ? 4 : 64, offset = unsigned(draw() % (64 / length)) * length;
      p = &b.pool.line(tlm::TLM_READ_COMMAND, address + offset, length);
      expected e{};
      e.mask = mine >> offset & (length == 64 ? ~uint64_t(0) : (uint64_t(1) << length) - 1);
      std::copy_n(&model[line * 64 + offset], length, e.bytes.begin());
      waiting[p] = e;
    }
    auto& policy = payload_pool::policy(*p);
    if (draw() % 8 == 0) policy.slc = true;
    if (draw() % 8 == 0) policy.nv = true;
    if (draw() % 8 == 0) policy.glc = true;
    return p;
  }
  payload& atomic_packet(unsigned s, unsigned line) {
    payload& p = b.pool.atomic(base + uint64_t(line) * 64);
    auto& a = payload_pool::atomic_of(p);
    const op all[] = {op::atomic_swap, op::atomic_cmpswap, op::atomic_add, op::atomic_sub, op::atomic_smin, op::atomic_umin, op::atomic_smax, op::atomic_umax, op::atomic_and, op::atomic_or, op::atomic_xor, op::atomic_inc, op::atomic_dec};
    a.operation = all[draw() % 13];
    a.bytes = draw() % 2 ? 4 : 8;
    a.returns = draw() % 2;
    a.source = uint16_t(s);
    std::vector<unsigned> places;
    for (unsigned i = 0; i < 64; i += a.bytes)
      if (owner(line, i) == s) places.push_back(i);
    expected e{};
    if (!places.empty())
      for (unsigned k = unsigned(draw() % 12) + 1; k-- > 0;) {
        const unsigned offset = places[draw() % places.size()];
        uint64_t memory = 0;
        std::memcpy(&memory, &model[line * 64 + offset], a.bytes);
        const uint64_t mask = a.bytes == 8 ? ~uint64_t(0) : 0xffffffffull, operand = draw() & mask, compare = draw() % 2 ? memory : draw() & mask;
        e.results.push_back(memory);
        const uint64_t value = plain_atomic(a.operation, a.bytes, memory, operand, compare);
        std::memcpy(&model[line * 64 + offset], &value, a.bytes);
        a.entries[a.count] = {a.count, uint8_t(offset), operand, compare, 0};
        ++a.count;
      }
    waiting[&p] = e;
    return p;
  }
  void check(payload& p) {
    if (p.get_response_status() != tlm::TLM_OK_RESPONSE && wrong++ < 5) BOOST_ERROR("response " << p.get_response_string());
    const auto it = waiting.find(&p);
    if (it == waiting.end()) return;
    const expected& e = it->second;
    if (p.get_command() == tlm::TLM_READ_COMMAND) {
      for (unsigned i = 0; i < p.get_data_length(); ++i)
        if (e.mask >> i & 1) {
          ++checked;
          if (p.get_data_ptr()[i] != e.bytes[i] && wrong++ < 5) BOOST_ERROR("byte " << std::hex << p.get_address() + i << " read " << int(p.get_data_ptr()[i]) << ", its owner wrote " << int(e.bytes[i]));
        }
    } else if (payload_pool::atomic_of(p).returns) {
      for (unsigned k = 0; k < e.results.size(); ++k) {
        ++atomic_checked;
        if (payload_pool::atomic_of(p).entries[k].result != e.results[k] && wrong++ < 5) BOOST_ERROR("atomic at " << std::hex << p.get_address() << " returned a wrong value");
      }
    }
    waiting.erase(it);
  }
  void run() {
    b.finish();
    BOOST_TEST(left == 0u);
    BOOST_TEST(waiting.empty());
    BOOST_TEST(wrong == 0u);
    BOOST_TEST(checked > operations / 10u);
    if (atomics) BOOST_TEST(atomic_checked > operations / 100u);
    const auto seen = b.seen(base, unsigned(model.size()));
    BOOST_TEST(seen == model);
    for (auto& c : b.l2) c->flush();
    std::vector<uint8_t> stored(model.size());
    b.store.read(base, stored.data(), stored.size());
    BOOST_TEST(stored == model);
    BOOST_TEST(b.pool.outstanding() == 0u);
    b.check_clean();
  }
};

memory_bench_options small(unsigned sources, unsigned channels, uint64_t seed = 0) {
  memory_bench_options o;
  o.sources = sources;
  o.channels = channels;
  o.l2.size_bytes = 4096; // 64 lines a channel: evictions all the time
  o.l2.ways = 4;
  o.chaos_seed = seed;
  return o;
}
} // namespace

BOOST_AUTO_TEST_CASE(four_requesters_false_sharing_through_two_small_channels) {
  memory_bench b("b", small(4, 2));
  traffic t(b, 300, 20000, 1);
  t.run();
  BOOST_TEST(b.l2[0]->statistics().evictions > 100u);
  BOOST_TEST(b.l2[0]->statistics().partial_misses > 100u);
  BOOST_TEST(b.l2[0]->statistics().atomic_misses > 10u);
}

BOOST_AUTO_TEST_CASE(chaos_loses_no_byte) {
  memory_bench b1("b1", small(5, 4, 11)), b2("b2", small(3, 1, 12)), b3("b3", small(70, 2, 13));
  traffic t1(b1, 400, 12000, 2), t2(b2, 100, 12000, 3), t3(b3, 300, 12000, 4);
  t1.run();
  t2.run();
  t3.run();
}

BOOST_AUTO_TEST_CASE(the_smallest_queues_stall_but_lose_nothing) {
  auto o = small(4, 2);
  o.l2.mshrs = 1;
  o.l2.mshr_targets = 1;
  o.l2.writeback_entries = 1;
  o.l2.input_depth = 1;
  o.xbar.source_depth = 1;
  o.unit.fifo_depth = 1;
  o.dram.queue_depth = 1;
  auto p = small(6, 1, 77);
  p.l2.ways = 1;
  p.l2.writeback_entries = 2;
  p.l2.mshrs = 8;
  p.l2.mshr_targets = 2;
  p.dram.queue_depth = 2;
  memory_bench b("b", o), c("c", p);
  traffic t(b, 300, 6000, 5), u(c, 200, 8000, 6);
  t.run();
  u.run();
  const auto& s = b.l2[0]->statistics();
  BOOST_TEST(s.stall_mshr_cycles > 0u);
  BOOST_TEST(s.held_back > 0u);
  BOOST_TEST(b.xbar->statistics().held_back > 0u);
  BOOST_TEST(c.l2[0]->statistics().stall_ways_cycles > 0u);
  BOOST_TEST(c.l2[0]->statistics().stall_writeback_cycles > 0u);
  BOOST_TEST(c.l2[0]->statistics().stall_target_cycles > 0u);
  BOOST_TEST(c.dram[0]->statistics().held_back > 0u);
}

BOOST_AUTO_TEST_CASE(every_slc_policy_and_replacement_keeps_the_data) {
  std::vector<std::unique_ptr<memory_bench>> benches;
  unsigned n = 0;
  for (const char* slc : {"first_victim", "drop", "miss", "keep"})
    for (const char* r : {"lru", "fifo", "random"}) {
      auto o = small(4, 2, n % 3 == 2 ? n : 0);
      o.l2.slc_policy = slc;
      o.l2.replacement = r;
      benches.push_back(std::make_unique<memory_bench>("b" + std::to_string(n++), o));
    }
  for (auto& b : benches) {
    traffic t(*b, 200, 4000, 20 + n--);
    t.run();
  }
}

BOOST_AUTO_TEST_CASE(hbm2_memory_that_answers_out_of_order_keeps_the_data) {
  auto o = small(6, 2);
  o.dram.model = "hbm2";
  o.dram.queue_depth = 32;
  auto chaotic = o;
  chaotic.chaos_seed = 99;
  chaotic.dram.refresh = "per_bank";
  chaotic.dram.address_map = "contiguous";
  memory_bench b("b", o), c("c", chaotic);
  traffic t(b, 2000, 20000, 7), u(c, 2000, 12000, 8);
  t.run();
  u.run();
  BOOST_TEST(b.dram[0]->statistics().row_hits > 0u);
  BOOST_TEST(b.dram[0]->statistics().row_conflicts + b.dram[0]->statistics().row_closed > 0u);
  BOOST_TEST(b.dram[0]->statistics().turnarounds > 0u);
}

BOOST_AUTO_TEST_CASE(linear_hash_three_channels_fifo_arbitration_and_other_clocks) {
  auto o = small(5, 3);
  o.xbar.hash = "linear";
  o.xbar.arbitration = "fifo";
  o.unit.fairness = "round_robin";
  o.unit.cycles_per_operation = 4;
  memory_bench b("b", o);
  traffic t(b, 500, 15000, 9);
  t.run();
}
