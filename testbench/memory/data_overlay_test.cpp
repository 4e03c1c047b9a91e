// SPDX-License-Identifier: Apache-2.0
// A foreign memory that keeps no data at all gives the time; the bytes are the store's. Traced signals of the memory side.
#include "support/trace_recorder.h"
#include "memory/data_overlay.h"
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <map>

using namespace lyra;
using namespace lyra::testbench;

namespace {
/// Answers everything after 100 ns with rubbish; every second request by TLM_COMPLETED, where nothing else is on its way.
class timing_only : public sc_core::sc_module, public request_server {
public:
  explicit timing_only(sc_core::sc_module_name name) : sc_module(name), in("in", *this, 0) {}
  target_port in;
  unsigned completed = 0, later = 0;

private:
  request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    if (p.is_read()) std::memset(p.get_data_ptr(), 0xee, p.get_data_length());
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    last_ = std::max(last_ + 2000, at + 100000);
    if (open_ == 0 && ++completed % 2) { at = last_; return request_answer::completed; }
    ++later;
    ++open_;
    const picoseconds t = last_;
    sc_core::sc_spawn([this, &p, t] { wait(to_sc_time(t - 1000 - now_ps())); in.respond(p, t); --open_; });
    return request_answer::accepted;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time& t) override {
    if (p.is_read()) std::memset(p.get_data_ptr(), 0xee, p.get_data_length());
    t += to_sc_time(100000);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
  picoseconds last_ = 0;
  unsigned open_ = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(bytes_come_from_the_store_and_time_from_the_foreign_memory) {
  context ctx;
  payload_pool pool;
  run_state run;
  memory::backing_store store;
  store.map(0, 1 << 20);
  ctx.lines = &pool;
  ctx.space = &store;
  ctx.run = &run;
  cache::l2_parameters p;
  p.size_bytes = 4096;
  p.ways = 4;
  cache::l2_channel l2("l2", ctx, p);
  atomic::atomic_unit unit("unit", ctx, atomic::atomic_unit_parameters{});
  timing_only mem("mem");
  memory::data_overlay overlay("overlay", store);
  requester source("source", ctx);
  protocol_monitor<> lower("lower"), below("below");
  source.out.socket.bind(l2.in.socket);
  l2.memory.socket.bind(lower.in);
  lower.out.bind(overlay.in);
  overlay.out.bind(below.in);
  below.out.bind(mem.in.socket);
  l2.atomic.socket.bind(unit.in.socket);

  std::mt19937_64 draw(2);
  std::vector<uint8_t> model(200 * 64);
  for (auto& m : model) m = uint8_t(draw());
  store.write(0, model.data(), model.size());
  std::map<payload*, std::vector<uint8_t>> expected;
  unsigned left = 3000, wrong = 0;
  source.window = 8;
  source.source = [&]() -> payload* {
    if (left == 0) return nullptr;
    --left;
    const unsigned line = unsigned(draw() % 200);
    if (draw() % 2) {
      uint8_t data[64];
      const uint64_t mask = draw();
      for (unsigned i = 0; i < 64; ++i) {
        data[i] = uint8_t(draw());
        if (mask >> i & 1) model[line * 64 + i] = data[i];
      }
      return &pool.masked_write(line * 64, data, mask);
    }
    payload& r = pool.line(tlm::TLM_READ_COMMAND, line * 64);
    expected[&r].assign(&model[line * 64], &model[line * 64] + 64);
    return &r;
  };
  source.on_answer = [&](payload& q, cycle_t, cycle_t) {
    if (const auto it = expected.find(&q); it != expected.end()) {
      wrong += !std::equal(it->second.begin(), it->second.end(), q.get_data_ptr());
      expected.erase(it);
    }
  };
  source.start();
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));
  BOOST_TEST(left == 0u);
  BOOST_TEST(wrong == 0u);
  BOOST_TEST(source.in_flight() == 0u);
  BOOST_TEST(mem.completed > 1u);
  BOOST_TEST(mem.later > 100u);
  l2.flush();
  std::vector<uint8_t> stored(model.size());
  store.read(0, stored.data(), stored.size());
  BOOST_TEST(stored == model);
  // timing: request 20 cycles after look-up, 100 ns, response 58 cycles after it
  source.keep = true;
  payload& q = pool.line(tlm::TLM_READ_COMMAND, 0x8000);
  source.at(source.soon() + 5, q);
  const cycle_t sent = source.soon() + 5;
  source.start();
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  BOOST_REQUIRE_EQUAL(source.answers.size(), 1u);
  BOOST_TEST(source.answers[0].sent == sent);
  BOOST_TEST(source.answers[0].at == ((sent + 20) * 667 + 100000 + 666) / 667 + 58);
  BOOST_TEST(int(q.get_data_ptr()[0]) == 0);
  for (auto* m : {&lower, &below}) BOOST_TEST(m->clean(), m->report());
}

BOOST_AUTO_TEST_CASE(queue_depths_hits_and_owners_are_traced) {
  trace_recorder trace;
  memory_bench_options o;
  o.sources = 2;
  o.channels = 1;
  memory_bench b("b", o, &trace);
  b.store.map(0, 1 << 16);
  for (unsigned k = 0; k < 3; ++k) {
    payload& p = b.pool.atomic(0x40 * k);
    auto& a = payload_pool::atomic_of(p);
    a.operation = isa::atomic_operation::atomic_add;
    a.bytes = 4;
    a.source = uint16_t(40 + k);
    a.wave = 7 + k;
    a.count = 1;
    a.entries[0] = {0, 0, 1, 0, 0};
    b.sources[0]->at(100, p);
  }
  b.finish();
  const auto last = [&](const std::string& n) { BOOST_REQUIRE_MESSAGE(trace.has(n), n); return trace.at(n, ~uint64_t(0)); };
  std::vector<std::string> owners;
  for (auto& c : trace.texts["b_unit0.owner"]) if (!c.second.empty()) owners.push_back(c.second);
  const std::vector<std::string> expected{"cu40 wave7", "cu41 wave8", "cu42 wave9"};
  BOOST_TEST(owners == expected, boost::test_tools::per_element());
  BOOST_TEST(last("b_unit0.fifo_depth") == 0u);
  BOOST_TEST(last("b_l20.mshrs") == 0u);
  BOOST_TEST(last("b_l20.misses") == 3u);
  BOOST_TEST(last("b_l20.input_depth") == 0u);
  BOOST_TEST(last("b_dram0.queue_depth") == 0u);
  BOOST_TEST(last("b_xbar.channel0_waiting") == 0u);
  BOOST_TEST(trace.changes["b_dram0.bus_busy"].size() == 4u);
  uint64_t most = 0;
  for (auto& c : trace.changes["b_l20.mshrs"]) most = std::max(most, c.second);
  BOOST_TEST(most == 3u);
}
