// SPDX-License-Identifier: Apache-2.0
// The texture unit with the real L1 behind it, and a memory that answers 100 cycles after a request: latencies, rates, coherence of its own stores.
#include "cache/l1.h"
#include "support/systemc_test.h"
#include "texture/bench.h"

using namespace texture_test;

namespace {

constexpr uint64_t base = 0x100000, all = ~uint64_t(0);

/// Stand-in for everything behind the L1.
class plain_l2 : public timed_module, request_server {
public:
  plain_l2(sc_core::sc_module_name n, memory& m, clock_domain c) : timed_module(n, c), port("port", *this, 0), memory_(m) {}
  target_port port;
  unsigned reads = 0, writes = 0, atomics = 0;

private:
  memory& memory_;
  struct item { payload* p; cycle_t due; };
  std::deque<item> queue_;
  void act(payload& p) {
    uint8_t* line = memory_.host_line(p.get_address());
    if (p.get_command() == tlm::TLM_READ_COMMAND) { ++reads; std::memcpy(p.get_data_ptr(), line, 64); }
    else if (p.get_command() == tlm::TLM_WRITE_COMMAND) {
      ++writes;
      const uint64_t m = payload_pool::byte_mask(p);
      for (unsigned i = 0; i < 64; ++i) if (m >> i & 1) line[i] = p.get_data_ptr()[i];
    } else {
      ++atomics;
      atomic_extension& a = payload_pool::atomic_of(p);
      for (unsigned n = 0; n < a.count; ++n) { // adds only
        uint32_t v;
        std::memcpy(&v, line + a.entries[n].offset, 4);
        a.entries[n].result = v;
        v += uint32_t(a.entries[n].operand);
        std::memcpy(line + a.entries[n].offset, &v, 4);
      }
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    act(p);
    queue_.push_back({&p, clock().ceil(at) + 100});
    wake_at(queue_.back().due - 1);
    return request_answer::accepted;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time&) override { act(p); }
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
  cycle_t on_wake(cycle_t c) override {
    while (!queue_.empty() && queue_.front().due <= c + 1) {
      port.respond(*queue_.front().p, clock().at(queue_.front().due));
      queue_.pop_front();
    }
    return queue_.empty() ? never : queue_.front().due - 1;
  }
};

/// An initiator nobody uses, for the L1's control port.
struct unused : sc_core::sc_module, response_client {
  explicit unused(sc_core::sc_module_name n) : sc_module(n) {}
  initiator_port port{"port", *this, 0};
  void on_response(unsigned, payload&, picoseconds) override {}
  void on_ready(unsigned, picoseconds) override {}
};

struct cached_bench {
  memory space;
  payload_pool lines;
  wave_pool waves;
  run_state run;
  context shared;
  lyra::cache::l1_cache l1;
  plain_l2 l2;
  texture_unit unit;
  plain_cu cu;
  unused nobody;
  lyra::testbench::protocol_monitor<> line_edge, return_edge;
  std::deque<isa::instruction> instructions;

  cached_bench() : shared(make_context()), l1("l1", shared), l2("l2", space, shared.core), unit("texture", shared), cu("cu", shared.core), nobody("nobody"), line_edge("line_edge"), return_edge("return_edge") {
    cu.port.socket.bind(unit.wave_port.socket);
    unit.line_port.socket.bind(line_edge.in);
    line_edge.out.bind(l1.ta_port.socket);
    l1.td_port.socket.bind(return_edge.in);
    return_edge.out.bind(unit.return_port.socket);
    return_edge.answered_before = true;
    l1.l2_port.socket.bind(l2.port.socket);
    nobody.port.socket.bind(l1.control_port.socket);
    space.map(base, 1 << 16);
    space.fill(5);
  }
  ~cached_bench() {
    for (const auto* m : {&line_edge, &return_edge}) BOOST_TEST(m->clean(), m->report());
    BOOST_TEST(lines.outstanding() == 0u);
  }
  context make_context() {
    context c;
    c.space = &space;
    c.lines = &lines;
    c.waves = &waves;
    c.run = &run;
    return c;
  }
  wave_request& put(const std::string& name, unsigned step, cycle_t at, uint64_t exec = all, bool glc = false) {
    instructions.push_back(make(name));
    instructions.back().glc = glc;
    payload* p = &waves.take();
    wave_request& r = wave_pool::of(*p);
    r.begin(&instructions.back(), exec);
    std::vector<uint64_t> a(64);
    for (unsigned l = 0; l < 64; ++l) a[l] = base + (step ? l * step : (l * 37) % 64 * 64);
    put_addresses(r, a);
    cu.issue(*p, at);
    return r;
  }
};

/// Steady cycles an instruction when all lines hit.
cycle_t hit_spacing(const char* name, unsigned step) {
  cached_bench b;
  b.put(name, step, 10); // brings the lines
  for (unsigned n = 0; n < 20; ++n) b.put(name, step, 2000);
  sc_core::sc_start();
  BOOST_TEST(b.l2.reads == (step ? 64 * step / 64 : 64));
  return b.cu.responses[20].cycle - b.cu.responses[19].cycle;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_hit_takes_126_cycles_from_TA_to_the_register) {
  cached_bench b;
  wave_request& miss = b.put("global_load_dword", 4, 10, 1);
  wave_request& hit = b.put("global_load_dword", 4, 1000, 1);
  sc_core::sc_start();
  BOOST_TEST(b.cu.responses[1].cycle == 1000u + 24 + 62 + 40); // TA, look-up, TD; the CU adds 8
  BOOST_TEST(hit.hits == 1u);
  BOOST_TEST(miss.hits == 0u);
  BOOST_TEST(hit.result[0][0] == b.space.dword(base));
  BOOST_TEST(b.cu.responses[0].cycle == 10u + 24 + 20 + 100 + 50 + 40); // TA, miss, memory, fill, TD
}

BOOST_AUTO_TEST_CASE(coalesced_dword_hits_stream_at_4_cycles) { BOOST_TEST(hit_spacing("global_load_dword", 4) == 4u); }
BOOST_AUTO_TEST_CASE(scattered_dword_hits_stream_at_16_cycles) { BOOST_TEST(hit_spacing("global_load_dword", 0) == 16u); }
BOOST_AUTO_TEST_CASE(linear_dwordx2_hits_stream_at_16_cycles) { BOOST_TEST(hit_spacing("global_load_dwordx2", 8) == 16u); }
BOOST_AUTO_TEST_CASE(linear_dwordx4_hits_stream_at_16_cycles) { BOOST_TEST(hit_spacing("global_load_dwordx4", 16) == 16u); }
BOOST_AUTO_TEST_CASE(scattered_dwordx4_hits_stream_at_18_cycles) { BOOST_TEST(hit_spacing("global_load_dwordx4", 0) == 18u); }

BOOST_AUTO_TEST_CASE(a_load_behind_a_store_of_the_same_wave_sees_it_without_a_wait) {
  cached_bench b;
  b.put("global_load_dword", 4, 10); // the lines are in L1
  wave_request& store = b.put("global_store_dword", 4, 1000, 0x0f0f0f0f0f0f0f0full);
  wave_request& load = b.put("global_load_dword", 4, 1000);
  wave_request& add = b.put("global_atomic_add", 4, 1000, all, true);
  wave_request& last = b.put("global_load_dword", 4, 1000);
  std::vector<uint32_t> before(64);
  for (unsigned l = 0; l < 64; ++l) {
    before[l] = b.space.dword(base + 4 * l);
    store.vdata[0][l] = 7000 + l;
    add.vdata[0][l] = l;
  }
  sc_core::sc_start();
  for (unsigned l = 0; l < 64; ++l) {
    const uint32_t stored = l % 8 < 4 ? 7000 + l : before[l];
    BOOST_TEST(load.result[0][l] == stored);
    BOOST_TEST(add.result[0][l] == stored);
    BOOST_TEST(last.result[0][l] == stored + l);
  }
}

BOOST_AUTO_TEST_CASE(cache_control_makes_the_next_load_go_to_memory) {
  cached_bench b;
  b.put("global_load_dword", 4, 10);
  b.put("buffer_wbinvl1", 4, 1000);
  b.put("global_load_dword", 4, 1000);
  sc_core::sc_start();
  BOOST_TEST(b.l2.reads == 8u);
}

BOOST_AUTO_TEST_CASE(glc_loads_always_go_to_memory) {
  cached_bench b;
  for (unsigned n = 0; n < 3; ++n) b.put("global_load_dword", 4, 10 + 1000 * n, all, true);
  sc_core::sc_start();
  BOOST_TEST(b.l2.reads == 12u);
}
