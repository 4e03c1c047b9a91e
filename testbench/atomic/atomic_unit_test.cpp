// SPDX-License-Identifier: Apache-2.0
// The atomic unit: what operations do, schedules, permutations from many requesters, exact cycles, errors.
#include "atomic/atomic_operations.h"
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <cmath>
#include <limits>

using namespace lyra;
using namespace lyra::testbench;
using op = isa::atomic_operation;

namespace {
uint32_t f32(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
uint64_t f64(double f) { uint64_t u; std::memcpy(&u, &f, 8); return u; }

payload& add_one(payload_pool& pool, uint64_t address, unsigned lanes, bool returns, unsigned bytes, uint16_t source) {
  payload& p = pool.atomic(address & ~uint64_t(63));
  auto& a = payload_pool::atomic_of(p);
  a.operation = op::atomic_add;
  a.bytes = uint8_t(bytes);
  a.returns = returns;
  a.source = source;
  for (unsigned i = 0; i < lanes; ++i) a.entries[a.count++] = {uint8_t(i), uint8_t(address & 63), 1, 0, 0};
  return p;
}
} // namespace

BOOST_AUTO_TEST_CASE(integer_operations_wrap_compare_and_pick_as_the_isa_says) {
  struct row { op o; uint64_t m, v, c, want32, want64; };
  const uint64_t big = 0xffffffffffffffffull;
  const row rows[] = {
      {op::atomic_swap, 5, 7, 0, 7, 7},
      {op::atomic_cmpswap, 5, 7, 5, 7, 7},
      {op::atomic_cmpswap, 5, 7, 6, 5, 5},
      {op::atomic_add, big, 2, 0, 1, 1},
      {op::atomic_sub, 1, 2, 0, 0xffffffff, big},
      {op::atomic_smin, big, 1, 0, 0xffffffff, big},
      {op::atomic_umin, big, 1, 0, 1, 1},
      {op::atomic_smax, big, 1, 0, 1, 1},
      {op::atomic_umax, big, 1, 0, 0xffffffff, big},
      {op::atomic_and, 0xf0f0, 0xff00, 0, 0xf000, 0xf000},
      {op::atomic_or, 0xf0f0, 0xff00, 0, 0xfff0, 0xfff0},
      {op::atomic_xor, 0xf0f0, 0xff00, 0, 0x0ff0, 0x0ff0},
      {op::atomic_inc, 4, 5, 0, 5, 5},
      {op::atomic_inc, 5, 5, 0, 0, 0},
      {op::atomic_inc, 6, 5, 0, 0, 0},
      {op::atomic_dec, 0, 5, 0, 5, 5},
      {op::atomic_dec, 6, 5, 0, 5, 5},
      {op::atomic_dec, 5, 5, 0, 4, 4},
      {op::atomic_smin, 0x80000000, 1, 0, 0x80000000, 1}, // negative in 32 bits only
      {op::atomic_add, 0xffffffff, 1, 0, 0, 0x100000000ull},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT("operation " << int(r.o)) {
      BOOST_TEST(atomic::apply(r.o, 4, r.m & 0xffffffff, r.v & 0xffffffff, r.c) == r.want32);
      BOOST_TEST(atomic::apply(r.o, 8, r.m, r.v, r.c) == r.want64);
    }
  }
}

BOOST_AUTO_TEST_CASE(float_operations_keep_memory_on_nan_and_compare_zeros_equal) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(atomic::apply(op::atomic_fmin, 4, f32(2), f32(1), 0) == f32(1));
  BOOST_TEST(atomic::apply(op::atomic_fmin, 4, f32(-2), f32(1), 0) == f32(-2));
  BOOST_TEST(atomic::apply(op::atomic_fmax, 4, f32(-2), f32(1), 0) == f32(1));
  BOOST_TEST(atomic::apply(op::atomic_fmax, 4, f32(2), f32(nan), 0) == f32(2));
  BOOST_TEST(atomic::apply(op::atomic_fmin, 4, f32(nan), f32(2), 0) == f32(nan));
  BOOST_TEST(atomic::apply(op::atomic_fadd, 4, f32(1.5f), f32(0.25f), 0) == f32(1.75f));
  BOOST_TEST(atomic::apply(op::atomic_fadd, 4, f32(1.0f), f32(std::ldexp(1.0f, -24)), 0) == f32(1.0f)); // half a unit: to even
  BOOST_TEST(atomic::apply(op::atomic_fcmpswap, 4, f32(-0.0f), f32(3), f32(0.0f)) == f32(3));
  BOOST_TEST(atomic::apply(op::atomic_fcmpswap, 4, f32(nan), f32(3), f32(nan)) == f32(nan));
  BOOST_TEST(atomic::apply(op::atomic_fmin, 8, f64(2), f64(1), 0) == f64(1));
  BOOST_TEST(atomic::apply(op::atomic_fmax, 8, f64(2), f64(1), 0) == f64(2));
  BOOST_TEST(atomic::apply(op::atomic_fadd, 8, f64(1e100), f64(1), 0) == f64(1e100));
  BOOST_TEST(atomic::apply(op::atomic_fcmpswap, 8, f64(4), f64(3), f64(4)) == f64(3));
}

BOOST_AUTO_TEST_CASE(operations_on_one_location_serialise_and_different_ones_overlap) {
  fabric::atomic_extension a;
  a.bytes = 4;
  const auto with = [&](std::initializer_list<int> words) { a.count = 0; for (int w : words) a.entries[a.count++].offset = uint8_t(w * 4); };
  with({0, 1, 2, 3, 4, 5, 6, 7});
  BOOST_TEST(atomic::schedule_packet(a, 4, 3).cycles == 2u);
  BOOST_TEST(atomic::schedule_packet(a, 1, 3).cycles == 8u);
  with({0, 0, 0, 0});
  BOOST_TEST(atomic::schedule_packet(a, 4, 1).cycles == 4u);
  BOOST_TEST(atomic::schedule_packet(a, 4, 5).cycles == 16u); // starts at 0, 5, 10, 15
  BOOST_TEST(atomic::schedule_packet(a, 4, 5).ideal == 1u);
  with({0, 1, 0, 1});
  BOOST_TEST(atomic::schedule_packet(a, 4, 5).cycles == 6u); // 0 1 | 5: 0 1
  with({});
  BOOST_TEST(atomic::schedule_packet(a, 4, 5).cycles == 0u);
}

BOOST_AUTO_TEST_CASE(additions_from_many_requesters_are_a_permutation_in_every_configuration) {
  struct configuration { const char* fairness; unsigned fifo, lanes, per_operation, latency; uint64_t chaos; const char* hash; };
  const configuration all[] = {{"fifo", 16, 16, 1, 4, 0, "xor_fold"}, {"round_robin", 16, 16, 1, 4, 0, "linear"}, {"fifo", 1, 1, 8, 60, 0, "xor_fold"},
                               {"round_robin", 2, 4, 3, 1, 0, "xor_fold"}, {"fifo", 4, 16, 1, 4, 5, "linear"}, {"round_robin", 64, 64, 2, 10, 6, "xor_fold"}};
  std::vector<std::unique_ptr<memory_bench>> benches;
  for (const auto& c : all) {
    memory_bench_options o;
    o.sources = 6;
    o.channels = 2;
    o.l2.size_bytes = 4096;
    o.unit.fairness = c.fairness;
    o.unit.fifo_depth = c.fifo;
    o.unit.lanes_per_cycle = c.lanes;
    o.unit.cycles_per_operation = c.per_operation;
    o.unit.latency_cycles = c.latency;
    o.xbar.hash = c.hash;
    o.chaos_seed = c.chaos;
    benches.push_back(std::make_unique<memory_bench>("b" + std::to_string(benches.size()), o));
  }
  for (auto& bp : benches) {
    memory_bench& b = *bp;
    b.store.map(0, 1 << 16);
    std::mt19937 draw(7);
    // two 4-byte counters of one line, an 8-byte one in another channel
    const uint64_t places[3] = {0x104, 0x120, 0x408};
    std::vector<uint64_t> results[3], silent(3, 0);
    unsigned left = 600;
    for (unsigned s = 0; s < 6; ++s) {
      b.sources[s]->window = 8;
      b.sources[s]->source = [&, s]() -> payload* {
        if (left == 0) return nullptr;
        --left;
        const unsigned k = unsigned(draw() % 3), lanes = 1 + unsigned(draw() % 64);
        const bool returns = draw() % 4 != 0;
        if (!returns) silent[k] += lanes;
        payload& p = add_one(b.pool, places[k], lanes, returns, k == 2 ? 8 : 4, uint16_t(s));
        payload_pool::policy(p).tag = k;
        return &p;
      };
      b.sources[s]->on_answer = [&](payload& p, cycle_t, cycle_t) {
        auto& a = payload_pool::atomic_of(p);
        BOOST_REQUIRE(p.get_response_status() == tlm::TLM_OK_RESPONSE);
        if (!a.returns) return;
        for (unsigned i = 0; i < a.count; ++i) {
          if (i) BOOST_REQUIRE_EQUAL(a.entries[i].result, a.entries[i - 1].result + 1); // lanes ascending, nothing between
          results[payload_pool::policy(p).tag].push_back(a.entries[i].result);
        }
      };
    }
    b.finish();
    for (unsigned k = 0; k < 3; ++k) {
      uint64_t value = 0;
      b.debug(tlm::TLM_READ_COMMAND, places[k], &value, k == 2 ? 8 : 4);
      BOOST_TEST(value == results[k].size() + silent[k]);
      std::sort(results[k].begin(), results[k].end());
      BOOST_TEST((std::adjacent_find(results[k].begin(), results[k].end()) == results[k].end())); // no value twice
      BOOST_TEST(results[k].back() < value);
    }
    b.check_clean();
  }
}

BOOST_AUTO_TEST_CASE(all_returning_additions_give_exactly_0_to_n_minus_1) {
  memory_bench_options o;
  o.sources = 64;
  o.channels = 4;
  memory_bench b("b", o);
  b.store.map(0, 1 << 16);
  std::vector<bool> seen(64 * 10 * 64);
  std::vector<unsigned> sent(64, 0);
  for (unsigned s = 0; s < 64; ++s) {
    b.sources[s]->window = 4;
    b.sources[s]->source = [&, s]() -> payload* { return sent[s]++ < 10 ? &add_one(b.pool, 0x2000, 64, true, 4, uint16_t(s)) : nullptr; };
    b.sources[s]->on_answer = [&](payload& p, cycle_t, cycle_t) {
      auto& a = payload_pool::atomic_of(p);
      for (unsigned i = 0; i < a.count; ++i) {
        BOOST_REQUIRE(a.entries[i].result < seen.size());
        BOOST_REQUIRE(!seen[a.entries[i].result]);
        seen[a.entries[i].result] = true;
      }
    };
  }
  b.finish();
  BOOST_TEST(std::count(seen.begin(), seen.end(), true) == 64 * 10 * 64);
  uint64_t units = 0;
  for (auto& u : b.units) units += u->statistics().operations;
  BOOST_TEST(units == 64u * 10 * 64);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(packets_for_different_lines_overlap_in_the_unit) {
  memory_bench_options o;
  o.sources = o.channels = 1;
  o.with_crossbar = false;
  memory_bench b("b", o);
  b.store.map(0, 1 << 16);
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.sources[0]->at(11, b.pool.line(tlm::TLM_READ_COMMAND, 64));
  b.sources[0]->keep = true;
  b.sources[0]->at(1000, add_one(b.pool, 0, 8, false, 4, 0));   // 8 cycles on one location
  b.sources[0]->at(1001, add_one(b.pool, 64, 1, false, 4, 0));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 4u);
  BOOST_TEST(a[2].at == 1000u + 20 + 7 + 4 + 58);
  BOOST_TEST(a[3].at == 1000u + 20 + 8 + 4 + 58); // starts in the cycle after the first packet's last operation
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(a_packet_that_is_none_or_leaves_its_line_is_refused_and_changes_nothing) {
  memory_bench_options o;
  o.sources = o.channels = 1;
  memory_bench b("b", o);
  b.store.map(0, 1 << 16);
  b.sources[0]->keep = true;
  const auto& s = b.sources[0];
  auto send = [&](payload& p) -> payload& { s->at(10, p); return p; };
  payload& misaligned = send(add_one(b.pool, 0x3e, 1, true, 4, 0));
  payload& size = send(add_one(b.pool, 0x40, 1, true, 2, 0));
  payload& nothing = send(b.pool.line(tlm::TLM_IGNORE_COMMAND, 0x80));
  payload& unmapped = send(add_one(b.pool, 0x100000, 1, true, 4, 0));
  b.store.map(0x20000, 4096, page_state::read_only);
  b.store.map(0x30000, 4096, page_state::non_resident);
  payload& protected_ = send(add_one(b.pool, 0x20000, 1, true, 4, 0));
  payload& gone = send(add_one(b.pool, 0x30000, 1, true, 4, 0));
  payload_pool::atomic_of(gone).entries[0].result = 99;
  payload& right = send(add_one(b.pool, 0x3c, 1, true, 4, 0));
  b.finish();
  BOOST_TEST(misaligned.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(size.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(nothing.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  BOOST_TEST(unmapped.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(protected_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(gone.get_response_status() == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(payload_pool::atomic_of(gone).entries[0].result == 0u);
  BOOST_TEST(right.get_response_status() == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(b.seen(0x3c, 4) == (std::vector<uint8_t>{1, 0, 0, 0}));
  BOOST_TEST(b.seen(0x40, 4) == (std::vector<uint8_t>{0, 0, 0, 0}));
  b.check_clean();
}
