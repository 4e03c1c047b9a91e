// SPDX-License-Identifier: Apache-2.0
// Every DS instruction on the RTL LDS in lock step with the model: random lanes, addresses and data, unequal clocks, a reset in the run; and what must be noticed.
#include "Vlds.h"
#include "Vlds_bug.h"
#include "Vlds_sc.h"
#include "lds/ds_driver.h"
#include "lds/lds.h"
#include "platforms/rtl_places.h"
#include "rtl/silent_blocks.h"
#include "rtl/systemc_lds.h"
#include "rtl/verilated_blocks.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"
#include <ctime>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

using namespace lyra;
using namespace lyra::testbench;

namespace {

struct bench {
  ds_test::world world;
  fabric::run_state run;
  observe::statistics statistics;
  platforms::machine_parameters p;
  platforms::lds_place place;
  std::unique_ptr<ds_test::driver> driver;
  std::unique_ptr<protocol_monitor<>> monitor; ///< of the edge to the RTL
  std::mt19937_64 random{3};

  bench(const std::string& implementation, double ratio = 1, uint64_t reset_at = 0) {
    auto& all = rtl::implementations::instance();
    all.lds["lds"] = [](const std::string&) { return std::make_unique<verilated_lds<Vlds>>(); };
    all.lds["bug"] = [](const std::string&) { return std::make_unique<verilated_lds<Vlds_bug>>(); };
    all.lds["systemc"] = [](const std::string&) { return std::make_unique<systemc_lds<Vlds_sc>>(sc_core::sc_gen_unique_name("systemc_lds")); };
    all.lds["silent"] = [](const std::string&) { return std::make_unique<silent_block<rtl::lds_in, rtl::lds_out>>(); };
    world.context.run = &run;
    world.context.statistics = &statistics;
    p.rtl.lds = implementation;
    p.rtl.clock_ratio = ratio;
    p.rtl.reset_at_cycle = reset_at;
    p.rtl.timeout_cycles = 1000;
    p.rtl.compare_vcd = "/tmp/lyra_lds_cosim_" + std::to_string(getpid()) + ".vcd";
    place = platforms::make_lds(world.context, p);
    driver = std::make_unique<ds_test::driver>("driver", world.context.core);
    monitor = std::make_unique<protocol_monitor<>>("monitor");
    driver->port.socket.bind(monitor->in);
    monitor->out.bind(platforms::socket_of(place));
  }
  uint64_t count(const std::string& path) const {
    for (const auto& e : statistics.entries()) if (e.path == path) return *e.value;
    BOOST_FAIL("no counter " + path);
    return 0;
  }
  uint32_t pick(uint32_t n) { return uint32_t(random() % n); }
  fabric::payload& any(const std::string& name) {
    auto& payload = world.request(name, pick(4) ? pick(2) ? 4 * pick(64) : pick(65536) : 0);
    auto& w = ds_test::world::of(payload);
    w.exec = pick(3) ? ~uint64_t(0) : random();
    w.vdata_dwords = fabric::wave_request::vdata_rows; // a copy has the rows that hold data
    w.m0 = pick(4096) & ~3u;
    w.mode = uint32_t(random());
    w.simd = uint8_t(pick(4));
    w.lds_base = 512 * pick(16);
    w.lds_size = 512 * (1 + pick(64));
    const unsigned pattern = pick(5), start = pick(w.lds_size), step = pick(40);
    for (unsigned l = 0; l < 64; ++l) {
      const uint32_t a = pattern == 0 ? 4 * pick(64) : pattern == 1 ? start + 4 * l : pattern == 2 ? 4 * step * l : pattern == 3 ? start : pick(w.lds_size + 64);
      w.vaddr[0][l] = pattern < 3 ? a & ~3u : a;
      for (unsigned k = 0; k < fabric::wave_request::vdata_rows; ++k) w.vdata[k][l] = pick(4) ? uint32_t(random()) : pick(4);
    }
    return payload;
  }
  void finish() { sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION); }
  void every_instruction(unsigned rounds) {
    unsigned sent = 0;
    for (unsigned r = 0; r < rounds; ++r)
      for (const auto* row : ds_model::ds_opcodes()) {
        const std::string name = row->name;
        driver->at(10, any(name));
        ++sent;
      }
    finish();
    for (const auto& f : run.faults) BOOST_ERROR(f.text);
    BOOST_TEST(driver->answers.size() == sent);
    BOOST_TEST(!driver->protocol_broken);
    BOOST_TEST(monitor->clean(), monitor->report());
    BOOST_TEST(count("lds_compare.compared") == sent);
    BOOST_TEST(count("lds_rtl.native") > 0u);
    BOOST_TEST(count("lds_rtl.split") > 0u);
    BOOST_TEST(count("lds_rtl.local") > 0u);
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(every_instruction_answers_as_the_model) { bench("compare:lds").every_instruction(30); }
BOOST_AUTO_TEST_CASE(on_a_slower_clock_with_a_reset_between) {
  bench b("compare:lds", 0.31, 2000);
  b.every_instruction(5);
  BOOST_TEST(b.place.rtl->resets() == 2u);
}
BOOST_AUTO_TEST_CASE(on_a_faster_clock) { bench("compare:lds", 2.7).every_instruction(5); }

BOOST_AUTO_TEST_CASE(the_clock_stands_while_nothing_is_outstanding) {
  bench b("rtl:lds");
  b.driver->at(1000, b.world.request("ds_write_b32"));
  b.driver->at(500000, b.world.request("ds_read_b32"));
  b.finish();
  BOOST_TEST(b.driver->answers.size() == 2u);
  BOOST_TEST(b.place.rtl->clock_cycles() < 40u);
  // a lone read without conflicts takes as long as in the model: 49 cycles from arrival
  BOOST_TEST(b.driver->answers[1].cycle - b.driver->sent[1] == 49u);
}

BOOST_AUTO_TEST_CASE(a_planted_bug_is_found_at_the_first_wrong_answer_with_both_sides_in_a_vcd) {
  bench b("compare:bug");
  // the bug loses byte 3 of what is stored in bank 13: transactions 1 to 4 cannot show it, 5 stores it, 6 reads other banks, 7 is the first wrong answer
  for (unsigned i = 0; i < 4; ++i) b.driver->at(10 + i, b.world.request("ds_read_b32"));
  auto& store = b.world.request("ds_write_b32");
  ds_test::world::of(store).vdata_dwords = 1; // a copy has the rows that hold data
  for (unsigned l = 0; l < 64; ++l) ds_test::world::of(store).vdata[0][l] = 0x01020300 + l;
  b.driver->at(20, store);
  auto& others = b.world.request("ds_read_b32");
  ds_test::world::of(others).exec = 0x1fff;
  b.driver->at(21, others);
  b.driver->at(22, b.world.request("ds_read_b32"));
  b.driver->at(23, b.world.request("ds_read_b32"));
  b.finish();
  BOOST_REQUIRE(b.run.faults.size() == 1u);
  BOOST_TEST(b.run.faults[0].id == "lyra/rtl/difference");
  BOOST_TEST_MESSAGE(b.run.faults[0].text);
  BOOST_TEST(b.run.faults[0].text.find("transaction 7 (ds_read_b32 of wave 6") != std::string::npos);
  BOOST_TEST(b.run.faults[0].text.find("lane 13, dword 0: TLM 0x102030d, RTL 0x2030d") != std::string::npos);
  const std::string file = b.p.rtl.compare_vcd.substr(0, b.p.rtl.compare_vcd.size() - 4) + ".lds_compare.vcd";
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  for (const char* name : {"rsp_valid", "req_lanes", "busy", "queue0", "rtl_answers", "reference_answers", "difference"}) BOOST_TEST(text.str().find(name) != std::string::npos, name);
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(a_block_that_never_answers_is_named_with_its_transaction) {
  bench b("rtl:silent");
  b.driver->at(10, b.world.request("ds_add_u32"));
  b.finish();
  BOOST_REQUIRE(b.run.faults.size() == 1u);
  BOOST_TEST(b.run.faults[0].id == "lyra/rtl/timeout");
  BOOST_TEST(b.run.faults[0].text.find("ds_add_u32 of wave 0 at pc 0x700000000") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_systemc_module_with_signal_ports_does_the_same) { bench("compare:systemc").every_instruction(5); }

namespace {
/// Host nanoseconds for a clock of the RTL, over 20000 stores and loads with conflicts.
double cost(bench& b, const char* what) {
  for (unsigned i = 0; i < 10000; ++i) {
    for (const char* name : {"ds_write_b32", "ds_read_b32"}) {
      auto& p = b.world.request(name);
      ds_test::world::addresses(p, [&](unsigned l) { return 4 * ((l * (i % 5)) % 1024); });
      b.driver->at(10, p);
    }
  }
  const std::clock_t began = std::clock(); // processor time: other programs do not count
  b.finish();
  const double ns = 1e9 * double(std::clock() - began) / CLOCKS_PER_SEC;
  BOOST_TEST(b.driver->answers.size() == 20000u);
  BOOST_TEST_MESSAGE(what << ": " << ns / double(b.place.rtl->clock_cycles()) << " ns a clock of the RTL, " << b.place.rtl->clock_cycles() << " clocks");
  return double(b.place.rtl->clock_cycles());
}
} // namespace

BOOST_AUTO_TEST_CASE(cost_of_a_clock_cc) { bench b("rtl:lds"); cost(b, "verilator --cc behind one method"); }
BOOST_AUTO_TEST_CASE(cost_of_a_clock_sc) { bench b("rtl:systemc"); cost(b, "verilator --sc behind signals"); }
