// SPDX-License-Identifier: Apache-2.0
// Crossbar, address hash and time wheel.
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <map>
#include <set>

using namespace lyra;
using namespace lyra::testbench;

namespace {
/// A channel that answers after a fixed time and writes down who came when; can hold requests back.
class recorder : public sc_core::sc_module, public request_server {
public:
  recorder(sc_core::sc_module_name name, clock_domain clock, unsigned latency) : sc_module(name), in("in", *this, 0), clock_(clock), latency_(latency) {}
  target_port in;
  struct entry { uint16_t source; cycle_t at; uint64_t tag; payload* p; };
  std::vector<entry> seen;
  unsigned hold_back = 0; ///< cycles before END_REQ
  unsigned controls = 0;

private:
  request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    const auto& e = payload_pool::policy(p);
    seen.push_back({e.source, clock_.ceil(at), e.tag, &p});
    if (p.get_command() == tlm::TLM_IGNORE_COMMAND && e.control != cache_control::none) ++controls;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (hold_back == 0) { // the response: later, by itself
      const picoseconds t = at + clock_.at(latency_);
      sc_core::sc_spawn([this, &p, t] { wait(to_sc_time(t - clock_.period() - now_ps())); in.respond(p, t); });
      return request_answer::accepted;
    }
    const picoseconds t = at + clock_.at(hold_back), r = at + clock_.at(hold_back + latency_);
    sc_core::sc_spawn([this, &p, t, r] {
      wait(to_sc_time(t - clock_.period() - now_ps()));
      in.accept(t);
      wait(to_sc_time(r - clock_.period() - now_ps()));
      in.respond(p, r);
    });
    return request_answer::withheld;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time&) override { p.set_response_status(tlm::TLM_OK_RESPONSE); ++controls; }
  unsigned transport_dbg(unsigned, payload& p) override {
    debug.push_back({p.get_address(), p.get_data_length()});
    return p.get_data_length();
  }
  bool get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) override {
    dmi.init();
    dmi.set_start_address(p.get_address() / 65536 * 65536);
    dmi.set_end_address(p.get_address() / 65536 * 65536 + 65535);
    dmi.set_dmi_ptr(memory_.data());
    dmi.allow_read_write();
    return true;
  }
  clock_domain clock_;
  unsigned latency_;
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(65536);

public:
  std::vector<std::pair<uint64_t, unsigned>> debug;
};

struct bench {
  context ctx;
  payload_pool pool;
  std::unique_ptr<crossbar> xbar;
  std::vector<std::unique_ptr<requester>> sources;
  std::vector<std::unique_ptr<recorder>> channels;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;
  bench(unsigned n, unsigned m, crossbar_parameters p, uint64_t chaos = 0, const std::string& name = "b", unsigned latency = 20) {
    ctx.lines = &pool;
    ctx.chaos.seed = chaos;
    xbar = std::make_unique<crossbar>((name + "_xbar").c_str(), ctx, n, m, p);
    const auto monitor = [&](auto& i, auto& t) {
      monitors.push_back(std::make_unique<protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor")));
      i.bind(monitors.back()->in);
      monitors.back()->out.bind(t);
    };
    for (unsigned s = 0; s < n; ++s) {
      sources.push_back(std::make_unique<requester>((name + "_source" + std::to_string(s)).c_str(), ctx));
      monitor(sources[s]->out.socket, xbar->source_socket(s));
      sources[s]->keep = true;
    }
    for (unsigned c = 0; c < m; ++c) {
      channels.push_back(std::make_unique<recorder>((name + "_channel" + std::to_string(c)).c_str(), ctx.fabric, latency));
      monitor(xbar->channel_socket(c), channels[c]->in.socket);
    }
  }
  payload& read(unsigned source, uint64_t address, uint64_t tag = 0) {
    payload& p = pool.line(tlm::TLM_READ_COMMAND, address);
    payload_pool::policy(p).source = uint16_t(source);
    payload_pool::policy(p).tag = tag;
    return p;
  }
  void run(double ns = 1e5) {
    for (auto& s : sources) s->start();
    sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS));
    for (auto& m : monitors) BOOST_TEST(m->clean(), m->report());
  }
};
crossbar_parameters linear() {
  crossbar_parameters p;
  p.hash = "linear";
  return p;
}
} // namespace

BOOST_AUTO_TEST_CASE(xor_fold_is_the_xor_of_all_digits_and_spreads_powers_of_two) {
  for (unsigned channels : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const address_hash h(hash_kind::xor_fold, channels, 256);
    unsigned bits = 0;
    while (1u << bits < channels) ++bits;
    std::mt19937_64 draw(channels);
    for (int n = 0; n < 2000; ++n) {
      const uint64_t a = draw() & 0xffff'ffff'ffffull;
      uint64_t want = 0;
      if (bits)
        for (uint64_t b = a / 256; b; b >>= bits) want ^= b & (channels - 1);
      BOOST_REQUIRE_EQUAL(h(a), want);
    }
    // any power-of-two stride of at least one block reaches every channel evenly, and blocks in a row do too
    for (uint64_t stride = 256; stride <= (1 << 20) && channels <= 16; stride *= channels > 1 ? channels : 2) {
      std::map<unsigned, unsigned> uses;
      for (unsigned k = 0; k < channels * 4; ++k) ++uses[h(k % channels * stride)];
      BOOST_TEST(uses.size() == channels);
    }
  }
  const address_hash l(hash_kind::linear, 3, 256);
  BOOST_TEST(l(256 * 5 + 17) == 2u);
  BOOST_CHECK_THROW(address_hash(hash_kind::xor_fold, 3, 256), std::invalid_argument);
  BOOST_CHECK_THROW(address_hash(hash_kind::linear, 0, 256), std::invalid_argument);
  BOOST_CHECK_THROW(address_hash(hash_kind::linear, 4, 100), std::invalid_argument);
  BOOST_CHECK_THROW(address_hash::kind_of("xor"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_time_wheel_gives_entries_by_cycle_and_order_of_push) {
  time_wheel<unsigned> w(6); // 64 slots: most entries are far
  std::multimap<uint64_t, unsigned> model; // keeps the order of equal keys
  std::mt19937_64 draw(8);
  uint64_t now = 1000;
  unsigned id = 0;
  for (int n = 0; n < 50000; ++n) {
    if (draw() % 3) {
      const uint64_t c = now + 1 + (draw() % 8 ? draw() % 20 : draw() % 1000);
      w.push(c, id);
      model.emplace(c, id++);
    } else {
      now = draw() % 4 ? std::min(w.next(), now + 500) : now + draw() % 50;
      std::vector<unsigned> got, want;
      w.pop(now, [&](unsigned v) { got.push_back(v); });
      uint64_t last = 0;
      std::map<uint64_t, std::multiset<unsigned>> by_cycle;
      while (!model.empty() && model.begin()->first <= now) {
        want.push_back(model.begin()->second);
        last = model.begin()->first;
        model.erase(model.begin());
      }
      (void)last;
      std::sort(want.begin(), want.end());
      std::sort(got.begin(), got.end());
      BOOST_REQUIRE(got == want);
      BOOST_REQUIRE_EQUAL(w.size(), model.size());
      BOOST_REQUIRE_EQUAL(w.next(), model.empty() ? never : model.begin()->first);
    }
  }
  time_wheel<unsigned> o;
  for (unsigned k = 0; k < 100; ++k) o.push(500 + k % 3, k);
  std::vector<unsigned> got;
  o.pop(1000, [&](unsigned v) { got.push_back(v); });
  for (unsigned k = 1; k < got.size(); ++k) BOOST_TEST((got[k - 1] % 3 < got[k] % 3 || (got[k - 1] % 3 == got[k] % 3 && got[k - 1] < got[k])));
}

BOOST_AUTO_TEST_CASE(a_lone_request_takes_the_latency_of_each_way) {
  bench b(2, 2, linear());
  b.sources[1]->at(100, b.read(1, 256));
  b.run();
  BOOST_REQUIRE_EQUAL(b.channels[1]->seen.size(), 1u);
  BOOST_TEST(b.channels[1]->seen[0].at == 122u); // 14.6 ns: 22 cycles
  BOOST_REQUIRE_EQUAL(b.sources[1]->answers.size(), 1u);
  BOOST_TEST(b.sources[1]->answers[0].at == 122u + 20 + 22);
  BOOST_TEST(b.sources[0]->answers.empty());
}

BOOST_AUTO_TEST_CASE(sources_that_meet_at_a_channel_go_one_a_cycle_in_turn) {
  bench b(4, 1, linear());
  for (unsigned s = 0; s < 4; ++s)
    for (unsigned k = 0; k < 8; ++k) b.sources[s]->at(100, b.read(s, k * 64, k));
  b.run();
  const auto& seen = b.channels[0]->seen;
  BOOST_REQUIRE_EQUAL(seen.size(), 32u);
  for (unsigned i = 0; i < 32; ++i) {
    BOOST_TEST(seen[i].at == 122u + i);
    BOOST_TEST(seen[i].source == i % 4);
    BOOST_TEST(seen[i].tag == i / 4); // a source's own stay in order
  }
  // the responses leave one a cycle from the channel, each source has its own port: no waiting
  BOOST_TEST(b.xbar->statistics().response_wait_cycles == 0u);
  BOOST_TEST(b.xbar->statistics().request_wait_cycles == [] { unsigned sum = 0; for (unsigned i = 0; i < 32; ++i) sum += i - i / 4; return sum; }());
}

BOOST_AUTO_TEST_CASE(a_channel_takes_runs_of_one_source_before_the_next) {
  auto p = linear();
  p.grant_run = 2;
  bench b(3, 1, p);
  for (unsigned s = 0; s < 3; ++s)
    for (unsigned k = 0; k < 4; ++k) b.sources[s]->at(100, b.read(s, k * 64, k));
  b.run();
  const auto& seen = b.channels[0]->seen;
  BOOST_REQUIRE_EQUAL(seen.size(), 12u);
  // a request a cycle enters at each source: source 0 has its second one in time
  const unsigned sources[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2};
  for (unsigned i = 0; i < 12; ++i) {
    BOOST_TEST(seen[i].at == 122u + i);
    BOOST_TEST(seen[i].source == sources[i]);
  }
}

BOOST_AUTO_TEST_CASE(in_order_the_first_request_of_a_source_holds_up_those_behind_it) {
  auto p = linear();
  bench by_channel(2, 2, p, 0, "c");
  p.source_order = "in_order";
  bench in_source_order(2, 2, p, 0, "o");
  for (bench* x : {&by_channel, &in_source_order}) {
    bench& b = *x;
    const bool in_order = x == &in_source_order;
    const cycle_t from = in_order ? 5000 : 100; // the kernel has run when the second one starts
    for (unsigned k = 0; k < 4; ++k) b.sources[0]->at(from, b.read(0, k * 512, k)); // channel 0 is kept busy
    for (unsigned k = 0; k < 2; ++k) b.sources[1]->at(from, b.read(1, k * 512, k)); // two for it as well
    b.sources[1]->at(from, b.read(1, 256, 9));                                      // and one for channel 1, which is free
    b.run(in_order ? 1e4 : 1e3);
    BOOST_REQUIRE_EQUAL(b.channels[0]->seen.size(), 6u);
    BOOST_REQUIRE_EQUAL(b.channels[1]->seen.size(), 1u);
    // source 1 enters in the first three cycles; its turns at channel 0 are the second and the fourth
    BOOST_TEST(b.channels[1]->seen[0].at == from + (in_order ? 26 : 24));
    for (unsigned k = 0; k < 6; ++k) {
      BOOST_TEST(b.channels[0]->seen[k].at == from + 22 + k);
      BOOST_TEST(b.channels[0]->seen[k].source == (k == 1 || k == 3));
    }
  }
}

BOOST_AUTO_TEST_CASE(in_order_a_channel_that_was_never_used_is_not_forgotten) {
  auto p = linear();
  p.source_order = "in_order";
  bench b(1, 2, p);
  b.sources[0]->at(100, b.read(0, 0, 0));
  b.sources[0]->at(100, b.read(0, 512, 1));
  b.sources[0]->at(100, b.read(0, 256, 2)); // the first one of channel 1, and nothing else wakes the crossbar
  b.run();
  BOOST_REQUIRE_EQUAL(b.channels[0]->seen.size(), 2u);
  BOOST_REQUIRE_EQUAL(b.channels[1]->seen.size(), 1u);
  BOOST_TEST(b.channels[0]->seen[1].at == 123u);
  BOOST_TEST(b.channels[1]->seen[0].at == 124u);
}

BOOST_AUTO_TEST_CASE(first_come_first_served_takes_the_oldest_and_lower_sources_first) {
  auto p = linear();
  p.arbitration = "fifo";
  bench b(3, 1, p);
  b.sources[2]->at(100, b.read(2, 0));
  b.sources[0]->at(101, b.read(0, 0));
  b.sources[1]->at(100, b.read(1, 0));
  b.sources[1]->at(101, b.read(1, 64));
  b.run();
  std::vector<unsigned> order;
  for (auto& e : b.channels[0]->seen) order.push_back(e.source);
  BOOST_TEST(order == (std::vector<unsigned>{1, 2, 0, 1}));
}

BOOST_AUTO_TEST_CASE(responses_to_one_source_come_one_a_cycle) {
  bench b(1, 4, linear(), 0, "b", 40);
  // four channels, sent in cycles 100..103, all but the last delayed so that... equal arrival needs equal sending: use two sources of traffic
  for (unsigned k = 0; k < 4; ++k) b.sources[0]->at(100 + k, b.read(0, k * 256));
  b.run();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 4u);
  for (unsigned k = 0; k < 4; ++k) BOOST_TEST(a[k].at == 100u + k + 22 + 40 + 22);
}

BOOST_AUTO_TEST_CASE(a_channel_that_holds_back_delays_only_its_own_requests) {
  bench b(2, 2, linear());
  b.channels[0]->hold_back = 50;
  for (unsigned k = 0; k < 4; ++k) b.sources[0]->at(100, b.read(0, k * 512));      // channel 0
  for (unsigned k = 0; k < 4; ++k) b.sources[1]->at(100, b.read(1, k * 512 + 256)); // channel 1
  b.run();
  for (unsigned k = 0; k < 4; ++k) {
    BOOST_TEST(b.channels[0]->seen[k].at == 122u + 50 * k);
    BOOST_TEST(b.channels[1]->seen[k].at == 122u + k);
  }
  BOOST_TEST(b.xbar->statistics().channel_stall_cycles > 100u);
}

BOOST_AUTO_TEST_CASE(a_full_source_queue_holds_back_and_loses_nothing) {
  auto p = linear();
  p.source_depth = 2;
  bench b(1, 1, p);
  b.channels[0]->hold_back = 10;
  for (unsigned k = 0; k < 30; ++k) b.sources[0]->at(100, b.read(0, 0, k));
  b.run();
  BOOST_REQUIRE_EQUAL(b.channels[0]->seen.size(), 30u);
  for (unsigned k = 0; k < 30; ++k) BOOST_TEST(b.channels[0]->seen[k].tag == k);
  BOOST_TEST(b.sources[0]->answers.size() == 30u);
  BOOST_TEST(b.xbar->statistics().held_back >= 20u);
  BOOST_TEST(b.xbar->statistics().inside_max == 2u);
}

BOOST_AUTO_TEST_CASE(atomic_operands_and_results_take_their_cycles) {
  bench b(1, 1, linear());
  const auto packet = [&](unsigned count, unsigned bytes, bool cas, bool returns) -> payload& {
    payload& p = b.pool.atomic(0);
    auto& a = payload_pool::atomic_of(p);
    a.operation = cas ? isa::atomic_operation::atomic_cmpswap : isa::atomic_operation::atomic_add;
    a.bytes = uint8_t(bytes);
    a.count = uint8_t(count);
    a.returns = returns;
    return p;
  };
  b.sources[0]->at(100, packet(64, 8, true, true)); // 1024 bytes there: 16 cycles; 512 back: 8
  b.sources[0]->at(101, packet(16, 4, false, false));
  b.sources[0]->at(102, b.read(0, 0));
  b.run();
  const auto& seen = b.channels[0]->seen;
  BOOST_TEST(seen[0].at == 122u);
  BOOST_TEST(seen[1].at == 138u);
  BOOST_TEST(seen[2].at == 139u);
  const auto& a = b.sources[0]->answers;
  BOOST_TEST(a[0].at == 122u + 42);
  BOOST_TEST(a[1].at == 138u + 42);
  BOOST_TEST(a[2].at == 139u + 42);
  BOOST_TEST(b.xbar->statistics().response_beats == 8u + 1 + 1);
}

BOOST_AUTO_TEST_CASE(a_control_of_the_whole_cache_goes_to_every_channel_in_its_place) {
  bench b(2, 4, linear());
  b.sources[0]->at(100, b.read(0, 0, 1));
  payload& p = b.pool.line(tlm::TLM_IGNORE_COMMAND, 0x40);
  payload_pool::policy(p).control = cache_control::writeback;
  b.sources[0]->at(101, p);
  b.sources[0]->at(102, b.read(0, 0, 2));
  payload& one = b.pool.line(tlm::TLM_IGNORE_COMMAND, 256);
  payload_pool::policy(one).control = cache_control::discard; // one line: its channel only
  b.sources[1]->at(300, one);
  b.run();
  for (unsigned c = 0; c < 4; ++c) BOOST_TEST(b.channels[c]->controls == (c == 1 ? 2u : 1u));
  BOOST_TEST(b.sources[0]->answers.size() == 3u);
  BOOST_TEST(b.channels[0]->seen[0].tag == 1u);
  BOOST_TEST(b.channels[0]->seen[2].tag == 2u);
  BOOST_TEST(p.get_response_status() == tlm::TLM_OK_RESPONSE);
  sc_core::sc_time delay;
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  b.sources[0]->out.socket->b_transport(p, delay);
  BOOST_TEST(b.channels[3]->controls == 2u);
  BOOST_TEST(delay.value() == 44u * 667);
}

BOOST_AUTO_TEST_CASE(pairs_stay_in_order_under_chaos_with_seventy_sources) {
  for (const char* arbitration : {"round_robin"}) {
    crossbar_parameters p;
    p.arbitration = arbitration;
    p.source_depth = 5;
    bench b(70, 8, p, 42);
    std::mt19937_64 draw(1);
    for (unsigned s = 0; s < 70; ++s)
      for (unsigned k = 0; k < 60; ++k) b.sources[s]->at(100 + draw() % 50, b.read(s, draw() % 4096 * 64, k));
    b.channels[3]->hold_back = 3;
    b.run();
    size_t total = 0;
    for (auto& c : b.channels) {
      std::map<unsigned, uint64_t> last;
      total += c->seen.size();
      for (auto& e : c->seen) {
        if (last.count(e.source)) BOOST_REQUIRE(e.tag > last[e.source]);
        last[e.source] = e.tag;
      }
    }
    BOOST_TEST(total == 70u * 60);
    for (auto& s : b.sources) BOOST_TEST(s->answers.size() == 60u);
  }
}

BOOST_AUTO_TEST_CASE(debug_access_is_cut_at_the_interleave_and_direct_memory_on_request) {
  auto p = linear();
  p.dmi = "block";
  bench b(1, 2, p), whole(1, 2, linear(), 0, "w");
  std::vector<uint8_t> bytes(1000);
  payload q;
  q.set_command(tlm::TLM_READ_COMMAND);
  q.set_address(200);
  q.set_data_ptr(bytes.data());
  q.set_data_length(1000);
  BOOST_TEST(b.sources[0]->out.socket->transport_dbg(q) == 1000u);
  using list = std::vector<std::pair<uint64_t, unsigned>>;
  BOOST_TEST((b.channels[0]->debug == list{{200, 56}, {512, 256}, {1024, 176}}));
  BOOST_TEST((b.channels[1]->debug == list{{256, 256}, {768, 256}}));
  tlm::tlm_dmi dmi;
  q.set_address(0x10340);
  BOOST_TEST(b.sources[0]->out.socket->get_direct_mem_ptr(q, dmi));
  BOOST_TEST(dmi.get_start_address() == 0x10300u);
  BOOST_TEST(dmi.get_end_address() == 0x103ffu);
  BOOST_TEST(whole.sources[0]->out.socket->get_direct_mem_ptr(q, dmi));
  BOOST_TEST(dmi.get_start_address() == 0x10000u);
}
