// SPDX-License-Identifier: Apache-2.0
// Every integer atomic, 4 and 8 bytes, packets of 1 to 64 entries, on the RTL atomic unit in lock step with the model and against plain arithmetic; refused packets.
#include "Vatomic_unit.h"
#include "platforms/rtl_places.h"
#include "rtl/verilated_blocks.h"
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <random>

using namespace lyra;
using namespace lyra::fabric;
using namespace lyra::testbench;

namespace {

struct bench {
  payload_pool lines;
  run_state run;
  observe::statistics statistics;
  context ctx;
  platforms::machine_parameters p;
  platforms::atomic_place place;
  std::unique_ptr<requester> source;
  bench(const std::string& implementation, double ratio = 1) {
    rtl::implementations::instance().atomic["unit"] = [](const std::string&) { return std::make_unique<verilated_atomic<Vatomic_unit>>(); };
    ctx.lines = &lines;
    ctx.run = &run;
    ctx.statistics = &statistics;
    p.rtl.atomic = implementation;
    p.rtl.clock_ratio = ratio;
    p.rtl.compare_vcd = "/tmp/lyra_atomic_cosim_" + std::to_string(getpid()) + ".vcd";
    place = platforms::make_atomic(ctx, p);
    source = std::make_unique<requester>("source", ctx);
    source->out.socket.bind(platforms::socket_of(place));
  }
  void finish() {
    source->start();
    sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
  }
};

using op = isa::atomic_operation;
const op operations[] = {op::atomic_swap, op::atomic_cmpswap, op::atomic_add, op::atomic_sub, op::atomic_smin, op::atomic_umin, op::atomic_smax, op::atomic_umax, op::atomic_and, op::atomic_or, op::atomic_xor,
                         op::atomic_inc, op::atomic_dec};

void every_packet(bench& b, unsigned packets) {
  std::mt19937_64 random(11);
  unsigned left = packets;
  b.source->window = 20;
  b.source->source = [&]() -> payload* {
    if (!left--) return nullptr;
    payload& p = b.lines.atomic(64 * (random() % 16));
    atomic_extension& a = payload_pool::atomic_of(p);
    a.operation = operations[random() % std::size(operations)];
    a.bytes = random() & 1 ? 4 : 8;
    a.returns = random() & 1;
    a.count = uint8_t(random() % 3 ? 1 + random() % 64 : 1 + random() % 4);
    a.source = uint16_t(random() % 4);
    const unsigned spread = 1 + unsigned(random() % (64 / a.bytes));
    const auto value = [&] { return random() % 3 ? random() : random() % 4 ? random() % 3 : ~uint64_t(0); };
    for (unsigned i = 0; i < a.count; ++i) a.entries[i] = {uint8_t(i), uint8_t(random() % spread * a.bytes), value(), value(), 0};
    for (unsigned i = 0; i < 8; ++i) { const uint64_t v = value(); std::memcpy(p.get_data_ptr() + 8 * i, &v, 8); }
    return &p;
  };
  unsigned answers = 0;
  b.source->on_answer = [&](payload& p, cycle_t, cycle_t) { answers += p.is_response_ok(); };
  b.finish();
  for (const auto& f : b.run.faults) BOOST_ERROR(f.text);
  BOOST_TEST(answers == packets);
  BOOST_TEST(b.place.compare->statistics().compared == packets);
  BOOST_TEST(b.place.rtl->statistics().beats > packets);
}

} // namespace

BOOST_AUTO_TEST_CASE(every_integer_operation_answers_as_the_model) { bench b("compare:unit"); every_packet(b, 3000); }
BOOST_AUTO_TEST_CASE(on_a_clock_of_its_own) { bench b("compare:unit", 0.43); every_packet(b, 500); }

BOOST_AUTO_TEST_CASE(lanes_on_one_location_act_in_ascending_order) {
  bench b("rtl:unit");
  payload& p = b.lines.atomic(0);
  atomic_extension& a = payload_pool::atomic_of(p);
  a.operation = op::atomic_add;
  a.bytes = 4;
  a.returns = true;
  a.count = 40;
  for (unsigned i = 0; i < 40; ++i) a.entries[i] = {uint8_t(i), 12, 1000, 0, 0};
  std::memset(p.get_data_ptr(), 0xff, 64);
  const uint32_t start = 5;
  std::memcpy(p.get_data_ptr() + 12, &start, 4);
  b.source->keep = true;
  b.source->at(10, p);
  b.finish();
  BOOST_REQUIRE(b.source->answers.size() == 1u);
  for (unsigned i = 0; i < 40; ++i) BOOST_TEST(a.entries[i].result == 5 + 1000 * i);
  uint32_t end = 0;
  std::memcpy(&end, p.get_data_ptr() + 12, 4);
  BOOST_TEST(end == 40005u);
  for (unsigned k = 0; k < 64; ++k) if (k / 4 != 3) BOOST_TEST(p.get_data_ptr()[k] == 0xff);
}

BOOST_AUTO_TEST_CASE(what_the_port_does_not_have_is_a_named_fault) {
  bench b("rtl:unit");
  payload& plain = b.lines.line(tlm::TLM_READ_COMMAND, 0); // not a packet
  payload& p = b.lines.atomic(0x40);
  atomic_extension& a = payload_pool::atomic_of(p);
  a.operation = op::atomic_fadd;
  a.bytes = 4;
  a.count = 1;
  a.entries[0] = {0, 0, 0x3f800000, 0, 0};
  b.source->keep = true;
  b.source->at(10, plain);
  b.source->at(20, p);
  b.finish();
  BOOST_TEST(plain.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  BOOST_REQUIRE(b.run.faults.size() == 1u);
  BOOST_TEST(b.run.faults[0].id == "lyra/rtl/unsupported");
  BOOST_TEST(b.run.faults[0].text.find("atomic fadd of requester 0 on line 0x40") != std::string::npos);
}
