// SPDX-License-Identifier: Apache-2.0
// The LDS as a timed block: exact cycles, paths, queues, order, protocol.
#include "lds/ds_driver.h"
#include "lds/lds.h"
#include "support/systemc_test.h"
#include <chrono>
#include <memory>
#include <random>

namespace {

using namespace ds_test;

struct bench : world {
  lds::lds_parameters parameters;
  std::unique_ptr<lds::local_data_share> share;
  std::unique_ptr<driver> cu;
  void build() {
    share = std::make_unique<lds::local_data_share>("lds", context, parameters);
    cu = std::make_unique<driver>("cu", context.core);
    cu->port.socket.bind(share->cu_port.socket);
  }
  void run(cycle_t cycles) { sc_core::sc_start(fabric::to_sc_time(context.core.at(cycles))); }
  fabric::payload& on_simd(const std::string& name, unsigned simd, unsigned offset = 0) {
    fabric::payload& p = request(name, offset);
    of(p).simd = uint8_t(simd);
    return p;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_lone_read_takes_48_cycles_from_issue_to_vgpr) {
  bench b;
  b.build();
  fabric::payload& p = b.request("ds_read_b32");
  std::memcpy(b.share->memory(64) + 40, "\x78\x56\x34\x12", 4);
  b.cu->at(100, p); // issued in cycle 99
  b.run(1000);
  BOOST_TEST(b.cu->time_of(p) == 147u);
  BOOST_TEST(world::of(p).result[0][10] == 0x12345678u);
  BOOST_TEST(p.is_response_ok());
  BOOST_TEST(!b.cu->protocol_broken);
}

BOOST_AUTO_TEST_CASE(wider_and_conflicting_instructions_take_their_path_or_bank_time_more) {
  bench b;
  b.build();
  struct item { const char* name; unsigned stride; cycle_t extra; fabric::payload* p; };
  std::vector<item> items = {{"ds_read_b32", 4, 0, nullptr}, {"ds_read_b64", 8, 4, nullptr}, {"ds_read_b128", 16, 12, nullptr}, {"ds_write_b32", 4, 4, nullptr}, {"ds_write_b64", 8, 8, nullptr},
                             {"ds_write_b128", 16, 16, nullptr}, {"ds_add_u32", 4, 4, nullptr}, {"ds_add_rtn_u64", 8, 8, nullptr}, {"ds_cmpst_rtn_b64", 8, 16, nullptr},
                             {"ds_read_b32", 128, 60, nullptr}, {"ds_add_rtn_u32", 0, 60, nullptr}, {"ds_read_b32", 0, 0, nullptr}, {"ds_read_b32", 8, 0, nullptr}, {"ds_read_b32", 12, 0, nullptr},
                             {"ds_read_b32", 16, 4, nullptr}, {"ds_swizzle_b32", 4, 0, nullptr}, {"ds_append", 4, 0, nullptr}};
  cycle_t t = 100;
  for (item& i : items) {
    i.p = &b.request(i.name);
    world::addresses(*i.p, [&](unsigned l) { return i.stride * l; });
    b.cu->at(t, *i.p);
    t += 1000;
  }
  b.run(t + 1000);
  t = 100;
  for (const item& i : items) {
    BOOST_TEST(b.cu->time_of(*i.p) == t + 47 + i.extra, i.name << " stride " << i.stride << ": " << b.cu->time_of(*i.p) - t);
    t += 1000;
  }
}

BOOST_AUTO_TEST_CASE(reads_of_one_simd_pair_stream_at_64_bytes_a_cycle_of_both_at_128) {
  bench b;
  b.build();
  std::vector<fabric::payload*> one, two;
  for (unsigned k = 0; k < 40; ++k) { one.push_back(&b.on_simd("ds_read_b32", k & 1)); b.cu->at(100, *one.back()); }
  for (unsigned k = 0; k < 40; ++k) { two.push_back(&b.on_simd("ds_read_b32", k % 4)); b.cu->at(2000, *two.back()); }
  b.run(4000);
  for (unsigned k = 1; k < 40; ++k) BOOST_TEST(b.cu->time_of(*one[k]) - b.cu->time_of(*one[k - 1]) == 4u);
  BOOST_TEST(b.cu->time_of(*two[39]) - b.cu->time_of(*two[0]) == 78u); // one in two cycles
  BOOST_TEST(b.share->statistics().bank_busy_cycles == 160u);
  BOOST_TEST(b.share->statistics().path0_busy_cycles == 160u + 80u);
}

BOOST_AUTO_TEST_CASE(measured_rates_a_cu_come_out_for_every_row) {
  // row: instruction, cycles an instruction with both paths full
  struct row { const char* name; unsigned bytes; double cycles; };
  bench b;
  b.build();
  const std::vector<row> rows = {{"ds_read_b32", 4, 2}, {"ds_read_b64", 8, 4}, {"ds_read_b96", 16, 8}, {"ds_read_b128", 16, 8}, {"ds_write_b32", 4, 4}, {"ds_write_b8", 4, 4},
                                 {"ds_write_b64", 8, 6}, {"ds_write_b96", 16, 10}, {"ds_write_b128", 16, 10}, {"ds_add_u32", 4, 4}, {"ds_add_u64", 8, 6},
                                 {"ds_cmpst_rtn_b32", 4, 6}, {"ds_cmpst_b64", 8, 10}};
  cycle_t t = 100;
  std::vector<std::vector<fabric::payload*>> sent(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    for (unsigned k = 0; k < 64; ++k) {
      fabric::payload& p = b.on_simd(rows[r].name, k % 4);
      world::addresses(p, [&](unsigned l) { return rows[r].bytes * l; });
      sent[r].push_back(&p);
      b.cu->at(t, p);
    }
    t += 3000;
  }
  b.run(t + 1000);
  for (size_t r = 0; r < rows.size(); ++r) {
    const double cycles = double(b.cu->time_of(*sent[r][63]) - b.cu->time_of(*sent[r][31])) / 32;
    BOOST_TEST(cycles == rows[r].cycles, rows[r].name << " takes " << cycles);
  }
}

BOOST_AUTO_TEST_CASE(conflicts_on_one_path_delay_the_other_since_the_banks_are_shared) {
  bench b;
  b.build();
  fabric::payload& slow = b.on_simd("ds_read_b32", 0);
  world::addresses(slow, [](unsigned l) { return 128 * l; });
  fabric::payload& quick = b.on_simd("ds_read_b32", 2);
  b.cu->at(100, slow);
  b.cu->at(101, quick);
  b.run(1000);
  BOOST_TEST(b.cu->time_of(slow) == 100u + 47 + 60);
  BOOST_TEST(b.cu->time_of(quick) == 100u + 64 + 47);
  BOOST_TEST(world::of(slow).conflicts == 62u);
}

BOOST_AUTO_TEST_CASE(a_short_instruction_behind_a_wide_one_of_the_other_path_returns_no_earlier) {
  bench b;
  b.build();
  fabric::payload& wide = b.on_simd("ds_read_b128", 0);
  world::addresses(wide, [](unsigned l) { return 16 * l; });
  fabric::payload& brief = b.on_simd("ds_read_b32", 2);
  b.cu->at(100, wide);
  b.cu->at(101, brief);
  b.run(1000);
  BOOST_TEST(b.cu->time_of(wide) == 100u + 47 + 12);
  BOOST_TEST(b.cu->time_of(brief) == 100u + 47 + 12); // ready at 108 + 47, held for its elder
  BOOST_TEST(b.cu->answers[0].p == &wide);
}

BOOST_AUTO_TEST_CASE(a_full_queue_withholds_end_req_until_a_place_is_free) {
  bench b;
  b.parameters.queue_depth = 2;
  b.build();
  std::vector<fabric::payload*> v;
  for (unsigned k = 0; k < 6; ++k) { v.push_back(&b.on_simd("ds_write_b128", 0)); world::addresses(*v.back(), [](unsigned l) { return 16 * l; }); b.cu->at(100, *v[k]); }
  b.run(1000);
  // starts at 100, 120, 140 ...; the third finds the queue full when it is sent (the first has not started), enters at 101, and holds the fourth
  for (unsigned k = 0; k < 6; ++k) BOOST_TEST(b.cu->time_of(*v[k]) == 100u + 20 * k + 47 + 16);
  BOOST_TEST(b.share->statistics().refused_requests == 4u);
  BOOST_TEST(b.cu->sent[3] == 101u);
  BOOST_TEST(b.cu->sent[4] == 121u);
  BOOST_TEST(b.cu->sent[5] == 141u);
  BOOST_TEST(!b.cu->protocol_broken);
}

BOOST_AUTO_TEST_CASE(atomics_of_many_waves_on_one_word_return_a_permutation_and_serialise) {
  bench b;
  b.build();
  std::vector<fabric::payload*> v;
  for (unsigned k = 0; k < 100; ++k) {
    v.push_back(&b.on_simd("ds_add_rtn_u32", k % 4));
    world::addresses(*v.back(), [](unsigned) { return 256; });
    for (auto& d : world::of(*v.back()).vdata[0]) d = 1;
    b.cu->at(100 + k, *v.back());
  }
  b.run(20000);
  std::vector<bool> seen(6400);
  for (fabric::payload* p : v) for (unsigned l = 0; l < 64; ++l) {
    const uint32_t r = world::of(*p).result[0][l];
    BOOST_REQUIRE(r < 6400);
    BOOST_REQUIRE(!seen[r]);
    seen[r] = true;
  }
  uint32_t sum;
  std::memcpy(&sum, b.share->memory(260) + 256, 4);
  BOOST_TEST(sum == 6400u);
  BOOST_TEST(b.share->statistics().same_address_cycles == 6200u);
  BOOST_TEST(b.cu->answers.back().cycle == 100u + 99 * 64 + 47 + 60);
}

BOOST_AUTO_TEST_CASE(every_cycle_of_random_traffic_agrees_with_a_plain_pipeline) {
  bench b;
  b.parameters.queue_depth = 64;
  b.build();
  std::mt19937 random(7);
  struct item { fabric::payload* p; cycle_t arrival; unsigned side, path, banks; };
  std::vector<item> items;
  const struct { const char* name; unsigned path, banks; } kinds[] = {{"ds_read_b32", 4, 2}, {"ds_read_b128", 16, 8}, {"ds_write_b32", 8, 2}, {"ds_write_b64", 12, 4}, {"ds_add_rtn_u32", 8, 64}};
  cycle_t t = 100;
  for (unsigned k = 0; k < 400; ++k) {
    const auto& kind = kinds[random() % 5];
    const unsigned simd = random() % 4;
    fabric::payload& p = b.on_simd(kind.name, simd);
    world::addresses(p, [&](unsigned l) { return kind.banks == 64 ? 0 : (kind.name == std::string("ds_read_b128") ? 16 : kind.banks == 4 ? 8 : 4) * l; });
    t += 1 + random() % 30;
    if (k % 40 == 0) t += 600;
    b.cu->at(t, p);
    items.push_back({&p, t, simd / 2, kind.path, kind.banks});
  }
  b.run(t + 40000);
  BOOST_REQUIRE(b.share->statistics().refused_requests == 0u);
  // plain model: each cycle, the older head whose path is free starts when the banks are free
  cycle_t path_free[2] = {0, 0}, banks_free = 0, last = 0;
  size_t next[2] = {0, 0};
  std::vector<item> queue[2];
  for (const item& i : items) queue[i.side].push_back(i);
  for (cycle_t c = 0; c < t + 40000; ++c) {
    if (banks_free > c) continue;
    int best = -1;
    for (int s = 0; s < 2; ++s) {
      if (next[s] == queue[s].size() || queue[s][next[s]].arrival > c || path_free[s] > c) continue;
      if (best < 0 || queue[s][next[s]].arrival < queue[best][next[best]].arrival) best = s;
    }
    if (best < 0) continue;
    const item& i = queue[best][next[best]++];
    const unsigned busy = std::max(i.path, i.banks);
    path_free[best] = c + busy;
    banks_free = c + i.banks;
    last = std::max(last, c + 47 + busy - 4);
    BOOST_REQUIRE_EQUAL(b.cu->time_of(*i.p), last);
  }
}

BOOST_AUTO_TEST_CASE(chaos_keeps_the_order_of_each_wave_and_the_results_and_repeats_itself) {
  bench b;
  b.context.chaos.seed = 42;
  b.build();
  std::mt19937 random(5);
  // each wave: write, add, read of its own words; results must be as in order
  std::vector<fabric::payload*> reads;
  for (unsigned k = 0; k < 200; ++k) {
    const unsigned simd = random() % 4;
    fabric::payload& w = b.on_simd("ds_write_b32", simd), &a = b.on_simd("ds_add_u32", simd), &r = b.on_simd("ds_read_b32", simd);
    for (fabric::payload* p : {&w, &a, &r}) world::addresses(*p, [&](unsigned l) { return 256 * k + 4 * l; });
    for (unsigned l = 0; l < 64; ++l) { world::of(w).vdata[0][l] = k; world::of(a).vdata[0][l] = 1000 + l; }
    for (fabric::payload* p : {&w, &a, &r}) b.cu->at(100, *p);
    reads.push_back(&r);
  }
  b.run(100000);
  BOOST_REQUIRE(b.cu->answers.size() == 600u);
  for (unsigned k = 0; k < 200; ++k) for (unsigned l = 0; l < 64; ++l) BOOST_REQUIRE_EQUAL(world::of(*reads[k]).result[0][l], k + 1000 + l);
  BOOST_TEST(!b.cu->protocol_broken);
}

BOOST_AUTO_TEST_CASE(loosely_timed_calls_give_the_same_memory_and_add_their_path_time) {
  bench b;
  b.build();
  fabric::payload& w = b.request("ds_write_b32");
  fabric::payload& r = b.request("ds_read_b128");
  world::addresses(r, [](unsigned l) { return 4 * (l & 60); });
  sc_core::sc_time delay;
  b.cu->port.socket->b_transport(w, delay);
  BOOST_TEST(delay.value() == 8u * 667);
  b.cu->port.socket->b_transport(r, delay);
  BOOST_TEST(delay.value() == 24u * 667);
  for (unsigned l = 0; l < 64; ++l) for (unsigned k = 0; k < 4; ++k) BOOST_TEST(world::of(r).result[k][l] == (l & 60) + k);
  w.release();
  r.release();
}

BOOST_AUTO_TEST_CASE(instructions_that_only_the_gds_has_are_a_fault) {
  bench b;
  b.build();
  for (const char* name : {"ds_gws_init", "ds_ordered_count"}) {
    fabric::payload& p = b.request(name);
    b.cu->at(100, p);
  }
  b.run(1000);
  BOOST_REQUIRE(b.cu->answers.size() == 2u);
  for (const auto& a : b.cu->answers) BOOST_TEST((world::of(*a.p).fault == fabric::fault_kind::unsupported));
}

BOOST_AUTO_TEST_CASE(debug_transport_reads_and_writes_the_64_kilobytes) {
  bench b;
  b.build();
  uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  fabric::payload p;
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(65532);
  p.set_data_ptr(data);
  p.set_data_length(8);
  BOOST_TEST(b.cu->port.socket->transport_dbg(p) == 4u);
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_data_ptr(back);
  BOOST_TEST(b.cu->port.socket->transport_dbg(p) == 4u);
  BOOST_TEST(back[3] == 4);
  p.set_address(65536);
  BOOST_TEST(b.cu->port.socket->transport_dbg(p) == 0u);
}

BOOST_AUTO_TEST_CASE(signals_show_busy_banks_conflicts_and_waiting_instructions_by_the_cycle) {
  bench b;
  trace_recorder trace;
  b.context.trace = &trace;
  b.build();
  fabric::payload& slow = b.on_simd("ds_read_b32", 0);
  world::addresses(slow, [](unsigned l) { return 64 * l; }); // 16 lanes a bank: 32 cycles
  fabric::payload& next = b.on_simd("ds_read_b32", 1);
  b.cu->at(100, slow);
  b.cu->at(105, next);
  b.run(1000);
  const auto at = [&](const char* name, cycle_t c) { return trace.at(std::string("lds.") + name, b.context.core.at(c)); };
  BOOST_TEST(at("busy", 99) == 0u);
  BOOST_TEST(at("busy", 100) == 1u);
  BOOST_TEST(at("conflicts", 110) == 30u);
  BOOST_TEST(at("queue0", 104) == 0u);
  BOOST_TEST(at("queue0", 105) == 1u);
  BOOST_TEST(at("queue0", 131) == 1u);
  BOOST_TEST(at("queue0", 132) == 0u);
  BOOST_TEST(at("conflicts", 132) == 0u);
  BOOST_TEST(at("busy", 133) == 1u);
  BOOST_TEST(at("busy", 134) == 0u);
}

BOOST_AUTO_TEST_CASE(an_idle_lds_takes_no_memory_and_its_counters_are_listed) {
  bench b;
  observe::statistics statistics;
  b.context.statistics = &statistics;
  b.build();
  BOOST_TEST(sizeof(lds::local_data_share) < 16384u);
  bool found = false;
  for (const auto& e : statistics.entries()) found |= e.path == "lds.bank_conflict_cycles";
  BOOST_TEST(found);
}
