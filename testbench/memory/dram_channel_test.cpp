// SPDX-License-Identifier: Apache-2.0
// DRAM channels alone: exact times of both models, bandwidth, rows, refresh, errors, direct memory.
#include "support/memory_bench.h"
#include "support/systemc_test.h"

using namespace lyra;
using namespace lyra::testbench;
using memory::dram_parameters;

namespace {
struct alone {
  context ctx;
  payload_pool pool;
  observe::statistics statistics;
  memory::backing_store store;
  std::unique_ptr<requester> source;
  std::unique_ptr<memory::dram_channel> dram;
  std::unique_ptr<protocol_monitor<>> monitor;
  explicit alone(dram_parameters p, uint64_t chaos = 0, const std::string& name = "a") {
    ctx.lines = &pool;
    ctx.space = &store;
    ctx.statistics = &statistics;
    ctx.chaos.seed = chaos;
    store.map(0, 64 << 20);
    source = std::make_unique<requester>((name + "_source").c_str(), ctx);
    dram = std::make_unique<memory::dram_channel>((name + "_dram").c_str(), ctx, store, p);
    monitor = std::make_unique<protocol_monitor<>>((name + "_monitor").c_str());
    source->out.socket.bind(monitor->in);
    monitor->out.bind(dram->in.socket);
    source->keep = true;
  }
  void run(double ns = 1e6) {
    source->start();
    sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS));
    BOOST_TEST(monitor->clean(), monitor->report());
  }
  picoseconds time(size_t i) const { return source->answers[i].at_ps; }
};
constexpr picoseconds core = 667, mem = 1058;
picoseconds edge(picoseconds t) { return (t + mem - 1) / mem * mem; }
dram_parameters hbm2() {
  dram_parameters p;
  p.model = "hbm2";
  p.refresh = "off";
  p.bank_hash = false;
  return p;
}
uint64_t n(double ns) { return uint64_t(std::ceil(ns * 1000 / mem)); }
} // namespace

BOOST_AUTO_TEST_CASE(fixed_latency_and_bandwidth_queue_requests_in_order) {
  alone a(dram_parameters{});
  for (unsigned k = 0; k < 20; ++k) a.source->at(10, a.pool.line(tlm::TLM_READ_COMMAND, k * 64)); // one a core cycle
  a.source->at(1000, a.pool.line(tlm::TLM_READ_COMMAND, 0x20, 32));
  a.source->at(1000, a.pool.line(tlm::TLM_READ_COMMAND, 0x40));
  a.run();
  // 64 bytes at 30.25 GB/s: 2116 ps, longer than a core cycle
  for (unsigned k = 0; k < 20; ++k) BOOST_TEST(a.time(k) == 10 * core + k * 2116 + 193000);
  BOOST_TEST(a.time(20) == 1000 * core + 193000);
  BOOST_TEST(a.time(21) == 1000 * core + 1058 + 193000); // 32 bytes take half the time
  BOOST_TEST(a.dram->statistics().transferred_bytes == 21u * 64 + 32);
}

BOOST_AUTO_TEST_CASE(a_masked_write_moves_only_the_halves_it_touches) {
  alone a(dram_parameters{});
  std::vector<uint8_t> data(64, 7);
  a.source->at(10, a.pool.masked_write(0, data.data(), 0xf));
  a.source->at(11, a.pool.masked_write(64, data.data(), 0x8000000000000001ull));
  a.source->at(12, a.pool.line(tlm::TLM_READ_COMMAND, 0));
  a.source->at(13, a.pool.line(tlm::TLM_READ_COMMAND, 64));
  a.run();
  BOOST_TEST(a.dram->statistics().transferred_bytes == 32u + 64 + 128);
  BOOST_TEST(a.dram->statistics().written_bytes == 6u);
  const uint8_t* first = a.source->answers[2].p->get_data_ptr();
  const uint8_t* second = a.source->answers[3].p->get_data_ptr();
  for (unsigned k = 0; k < 64; ++k) {
    BOOST_TEST(int(first[k]) == (k < 4 ? 7 : 0));
    BOOST_TEST(int(second[k]) == (k == 0 || k == 63 ? 7 : 0));
  }
}

BOOST_AUTO_TEST_CASE(hbm2_closed_row_open_row_and_conflict_have_their_times) {
  alone a(hbm2());
  const uint64_t row = 2 * 1024 * 16; // next row of the same bank of the same pseudo channel
  a.source->at(10, a.pool.line(tlm::TLM_READ_COMMAND, 0));
  a.source->at(2000, a.pool.line(tlm::TLM_READ_COMMAND, 64));
  a.source->at(4000, a.pool.line(tlm::TLM_READ_COMMAND, row));
  a.run();
  const auto in = [&](uint64_t c) { return edge(c * core + 76000); };
  BOOST_TEST(a.time(0) == in(10) + (n(14) + n(14) + 4) * mem + 76000);   // activate, read, four clocks of data: 64 bytes on 64 bits, two transfers a clock
  BOOST_TEST(a.time(1) == in(2000) + (n(14) + 4) * mem + 76000);        // read
  BOOST_TEST(a.time(2) == in(4000) + (n(14) + n(14) + n(14) + 4) * mem + 76000); // precharge, activate, read
  BOOST_TEST(a.dram->statistics().row_hits == 1u);
  BOOST_TEST(a.dram->statistics().row_closed == 1u);
  BOOST_TEST(a.dram->statistics().row_conflicts == 1u);
}

BOOST_AUTO_TEST_CASE(hbm2_streams_at_the_pin_rate_and_random_rows_do_not) {
  const auto rate = [](alone& a, unsigned count, bool random) {
    std::mt19937_64 draw(3);
    for (unsigned k = 0; k < count; ++k) a.source->at(10 + k, a.pool.line(tlm::TLM_READ_COMMAND, random ? draw() % (64 << 20) / 64 * 64 : k * 64));
    a.run(1e5);
    BOOST_REQUIRE_EQUAL(a.source->answers.size(), count);
    return double(count) * 64 * 1000 / double(a.time(count - 1) - a.time(0)); // GB/s
  };
  auto p = hbm2();
  p.bank_hash = true;
  alone sequential(p, 0, "s"), random(p, 0, "r"), conflicts(p, 0, "b");
  p.tFAW_ns = 40;
  alone window(p, 0, "w");
  const double fast = rate(sequential, 2000, false), scattered = rate(random, 2000, true);
  const double limited = rate(window, 2000, true);
  BOOST_TEST(fast > 29.5);      // of 30.25
  BOOST_TEST(scattered < 29.5); // a row for each line
  BOOST_TEST(scattered > 20.0); // but two pseudo channels of 16 banks: an activate each 4 ns would give 32
  BOOST_TEST(limited < 12.8);   // four lines in 40 ns on each of two
  BOOST_TEST(limited > 10.0);
  // 125 rows of 1 KB; the first one of each of the 32 banks finds it closed. A late hit may find its row closed again
  BOOST_TEST(sequential.dram->statistics().row_closed == 32u);
  BOOST_TEST(sequential.dram->statistics().row_conflicts >= 125u - 32);
  BOOST_TEST(sequential.dram->statistics().row_conflicts <= 125u - 32 + 5);
  for (unsigned k = 0; k < 200; ++k) conflicts.source->at(10 + k, conflicts.pool.line(tlm::TLM_READ_COMMAND, uint64_t(k) * 2 * 1024 * 16 * 16)); // a row each, of one bank of either
  conflicts.run(1e5);
  BOOST_REQUIRE_EQUAL(conflicts.source->answers.size(), 200u);
  BOOST_TEST(double(conflicts.time(199) - conflicts.time(0)) / 199 > 47000.0 / 2 * 0.98); // tRAS and tRP for each line on each of two
}

BOOST_AUTO_TEST_CASE(hbm2_refresh_takes_its_share_of_the_time) {
  const auto last = [](alone& a) {
    for (unsigned k = 0; k < 8000; ++k) a.source->at(10 + k, a.pool.line(tlm::TLM_READ_COMMAND, k * 64));
    a.run(1e5);
    BOOST_REQUIRE_EQUAL(a.source->answers.size(), 8000u);
    return double(a.time(7999) - a.time(0));
  };
  auto p = hbm2();
  alone off(p, 0, "off");
  p.refresh = "all_bank";
  alone all(p, 0, "all");
  p.refresh = "per_bank";
  alone one(p, 0, "one");
  const double none = last(off), whole = last(all), single = last(one);
  BOOST_TEST(whole / none > 1.05); // 260 of 3900 ns and the rows opened again
  BOOST_TEST(whole / none < 1.10);
  BOOST_TEST(single < whole);
  BOOST_TEST(all.dram->statistics().refreshes == 2 * uint64_t(all.time(7999) / 3900000)); // both pseudo channels
}

BOOST_AUTO_TEST_CASE(hbm2_turns_the_bus_around_in_groups_of_writes) {
  auto p = hbm2();
  alone a(p);
  std::vector<uint8_t> data(64, 1);
  for (unsigned k = 0; k < 400; ++k) {
    if (k % 2) a.source->at(10, a.pool.masked_write((k + 1000) * 64, data.data(), ~uint64_t(0)));
    else a.source->at(10, a.pool.line(tlm::TLM_READ_COMMAND, k * 64));
  }
  a.run(1e5);
  BOOST_REQUIRE_EQUAL(a.source->answers.size(), 400u);
  BOOST_TEST(a.dram->statistics().turnarounds < 60u); // not 400
  BOOST_TEST(a.dram->statistics().turnarounds > 4u);
}

BOOST_AUTO_TEST_CASE(hbm2_writes_are_acknowledged_when_the_controller_has_them_and_reads_of_their_line_see_them) {
  std::vector<uint8_t> data(64, 9);
  auto p = hbm2();
  alone posted(p, 0, "p");
  p.posted_writes = false;
  alone late(p, 0, "l");
  for (alone* a : {&posted, &late}) {
    a->source->at(10, a->pool.masked_write(0, data.data(), ~uint64_t(0)));
    a->source->at(11, a->pool.line(tlm::TLM_READ_COMMAND, 0));
  }
  late.source->start();
  posted.run();
  BOOST_TEST(late.monitor->clean(), late.monitor->report());
  for (alone* a : {&posted, &late}) {
    BOOST_REQUIRE_EQUAL(a->source->answers.size(), 2u);
    BOOST_TEST(int(a->source->answers[1].p->get_data_ptr()[63]) == 9);
  }
  const auto in = edge(10 * core + 76000);
  BOOST_TEST(posted.time(0) == in + 76000);
  BOOST_TEST(late.time(0) == in + (n(14) + n(4) + 4) * mem + 76000); // activate, write, four clocks of data
  // the read comes after the write: its bank group is free tWTR_L after the data
  BOOST_TEST(posted.time(1) == in + (n(14) + n(4) + 4 + n(7.5) + n(14) + 4) * mem + 76000);
  BOOST_TEST(late.time(1) == posted.time(1));
}

BOOST_AUTO_TEST_CASE(hbm2_bursts_to_one_bank_group_are_further_apart_than_to_others) {
  auto p = hbm2();
  p.pseudo_channels = 1;
  p.bank_interleave_bytes = 64;
  alone same(p, 0, "same"), other(p, 0, "other");
  for (unsigned k = 0; k < 64; ++k) {
    same.source->at(10, same.pool.line(tlm::TLM_READ_COMMAND, k / 4 * 1024 + k % 4 * 256)); // banks 0, 4, 8, 12: one group
    other.source->at(10, other.pool.line(tlm::TLM_READ_COMMAND, k * 64));
  }
  same.run();
  other.run();
  // two bursts a line: tCCD_L 4 each, or tCCD_S 2
  BOOST_TEST(same.time(63) - same.time(8) == 55u * 8 * mem);
  BOOST_TEST(other.time(63) - other.time(8) == 55u * 4 * mem);
}

BOOST_AUTO_TEST_CASE(requests_of_one_line_stay_in_order_in_every_model) {
  std::vector<std::unique_ptr<alone>> all;
  for (unsigned k = 0; k < 4; ++k) {
    dram_parameters p;
    p.model = k % 2 ? "hbm2" : "fixed";
    p.queue_depth = k < 2 ? 256 : 3;
    all.push_back(std::make_unique<alone>(p, k < 2 ? 0 : 5 + k, "c" + std::to_string(k)));
  }
  std::mt19937_64 draw(9);
  for (auto& a : all) {
    std::vector<uint8_t> model(64 * 64, 0);
    std::vector<std::pair<payload*, std::vector<uint8_t>>> reads;
    for (unsigned k = 0; k < 3000; ++k) {
      const unsigned line = unsigned(draw() % 64 * (draw() % 2)); // half of them on line 0
      const uint64_t address = uint64_t(line) * 0x8040; // many rows
      if (draw() % 2) {
        std::vector<uint8_t> data(64);
        for (auto& d : data) d = uint8_t(draw());
        const uint64_t mask = draw();
        for (unsigned i = 0; i < 64; ++i)
          if (mask >> i & 1) model[line * 64 + i] = data[i];
        a->source->at(10, a->pool.masked_write(address, data.data(), mask));
      } else {
        payload& p = a->pool.line(tlm::TLM_READ_COMMAND, address);
        reads.push_back({&p, std::vector<uint8_t>(&model[line * 64], &model[line * 64] + 64)});
        a->source->at(10, p);
      }
    }
    a->run(1e6);
    BOOST_REQUIRE_EQUAL(a->source->answers.size(), 3000u);
    unsigned wrong = 0;
    for (auto& [p, want] : reads) wrong += !std::equal(want.begin(), want.end(), p->get_data_ptr());
    BOOST_TEST(wrong == 0u);
  }
}

BOOST_AUTO_TEST_CASE(addresses_without_memory_are_answered_with_errors) {
  alone a(dram_parameters{});
  a.store.map(uint64_t(1) << 32, 4096, page_state::read_only);
  a.store.map(uint64_t(2) << 32, 4096, page_state::non_resident);
  std::vector<uint8_t> data(64, 1);
  payload& none = a.pool.line(tlm::TLM_READ_COMMAND, uint64_t(3) << 32);
  payload& ignore = a.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
  payload& protected_ = a.pool.masked_write(uint64_t(1) << 32, data.data(), ~uint64_t(0));
  payload& readable = a.pool.line(tlm::TLM_READ_COMMAND, uint64_t(1) << 32);
  payload& gone = a.pool.line(tlm::TLM_READ_COMMAND, uint64_t(2) << 32);
  gone.get_data_ptr()[5] = 99;
  for (payload* p : {&none, &ignore, &protected_, &readable, &gone}) a.source->at(10, *p);
  a.run();
  BOOST_TEST(none.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(ignore.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  BOOST_TEST(protected_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(readable.get_response_status() == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(gone.get_response_status() == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(int(gone.get_data_ptr()[5]) == 0);
}

BOOST_AUTO_TEST_CASE(direct_memory_is_the_stores_own_and_is_taken_back_by_unmap) {
  alone a(dram_parameters{});
  a.store.map(0x8000'0000, 0x1000, page_state::read_only);
  payload p;
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_data_length(64);
  tlm::tlm_dmi dmi;
  p.set_address(0x12340);
  BOOST_REQUIRE(a.source->out.socket->get_direct_mem_ptr(p, dmi));
  BOOST_TEST(dmi.get_start_address() == 0x10000u);
  BOOST_TEST(dmi.get_end_address() == 0x1ffffu);
  BOOST_TEST(dmi.get_dmi_ptr() + 0x2340 == a.store.host_line(0x12340));
  BOOST_TEST(dmi.is_read_write_allowed());
  p.set_address(0x8000'0100);
  BOOST_REQUIRE(a.source->out.socket->get_direct_mem_ptr(p, dmi));
  BOOST_TEST(dmi.is_read_allowed());
  BOOST_TEST(!dmi.is_write_allowed());
  BOOST_TEST(dmi.get_end_address() == 0x8000'0fffu);
  p.set_address(0x9000'0000);
  BOOST_TEST(!a.source->out.socket->get_direct_mem_ptr(p, dmi));
}

BOOST_AUTO_TEST_CASE(bank_and_row_follow_the_address_map) {
  dram_parameters p = hbm2();
  p.channels = 4;
  p.pseudo_channels = 1;
  p.row_bytes = 2048;
  p.bank_interleave_bytes = 512;
  const memory::dram_address_map m(p);
  // every 4th block of 256 bytes is this channel's: 512 own bytes are 2048 of the space
  BOOST_TEST(m(0).bank == 0u);
  BOOST_TEST(m(1024).bank == 0u);
  BOOST_TEST(m(2048).bank == 1u);
  BOOST_TEST(m(2048 * 16).bank == 0u);
  BOOST_TEST(m(2048 * 16).row == 0u);       // 4 times 512 bytes fill the row's 2 KB
  BOOST_TEST(m(2048 * 16 * 4).row == 1u);
  p.pseudo_channels = 2;
  const memory::dram_address_map two(p); // the channel's blocks of 256 bytes alternate
  BOOST_TEST(two(0).pseudo_channel == 0u);
  BOOST_TEST(two(1024).pseudo_channel == 1u);
  BOOST_TEST(two(2048).pseudo_channel == 0u);
  BOOST_TEST(two(2048).bank == 0u);
  BOOST_TEST(two(4096).bank == 1u);
  BOOST_TEST(two(4096 + 1024).bank == 1u);
  p.pseudo_channels = 1;
  p.address_map = "contiguous";
  const memory::dram_address_map c(p);
  BOOST_TEST(c(0).bank == 0u);
  BOOST_TEST(c(8192).bank == 0u);
  BOOST_TEST(c(8192).row == 1u);
}
