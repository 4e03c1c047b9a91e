// SPDX-License-Identifier: Apache-2.0
// A memory system to test: scripted requesters -> crossbar -> L2 channels -> atomic units and DRAM channels, a protocol monitor on every edge.
#pragma once
#include "atomic/atomic_unit.h"
#include "cache/l2_channel.h"
#include "fabric/crossbar.h"
#include "memory/dram_channel.h"
#include "support/protocol_monitor.h"
#include <boost/test/unit_test.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <random>

namespace lyra::testbench {

using namespace fabric;

/// Sends payloads at given cycles (or as soon as the port takes them) and keeps the responses.
class requester : public timed_module, public response_client {
public:
  requester(sc_core::sc_module_name name, const context& c) : timed_module(name, c.core), out("out", *this, 0) {}
  initiator_port out;
  struct answer { payload* p; cycle_t sent, at; picoseconds at_ps; };
  std::vector<answer> answers;                            ///< in order of response; payloads are kept when `keep`
  bool keep = false;
  unsigned invalidations = 0; ///< of direct memory pointers
  std::function<void(payload&, cycle_t sent, cycle_t at)> on_answer;
  std::function<payload*()> source;                       ///< asked for the next payload when the script is empty; null: no more
  unsigned window = 16;                                   ///< most payloads from `source` in flight
  unsigned gap = 1;                                       ///< cycles between them

  /// The request is effective at cycle c (or the first one possible after it; 0: as soon as possible).
  void at(cycle_t c, payload& p) { script_.push_back({&p, c}); }
  void start() { started_ = true; wake_at(std::max(now() + 1, script_.empty() || script_.front().second == 0 ? 0 : script_.front().second - 1)); }
  /// A cycle that has not begun.
  cycle_t soon() const { return now() + 10; }
  size_t in_flight() const { return out.in_flight(); }

private:
  cycle_t on_wake(cycle_t c) override {
    started_ = true;
    while (out.ready()) {
      payload* p = nullptr;
      if (!script_.empty()) {
        if (script_.front().second > c + 1) return script_.front().second - 1;
        p = script_.front().first;
        script_.pop_front();
      } else if (source && out.in_flight() < window && next_ <= c) {
        p = source();
        next_ = c + gap;
        if (!p) source = nullptr; // no more
      }
      if (!p) break;
      sent_.emplace_back(p, c + 1);
      out.send(*p, clock().at(c + 1));
      return out.ready() ? c + 1 : never;
    }
    return source && out.ready() && out.in_flight() < window && next_ > c ? next_ : never;
  }
  void on_response(unsigned, payload& p, picoseconds at) override {
    cycle_t sent = 0;
    for (auto i = sent_.begin(); i != sent_.end(); ++i)
      if (i->first == &p) { sent = i->second; sent_.erase(i); break; }
    const cycle_t a = clock().ceil(at);
    if (on_answer) on_answer(p, sent, a);
    if (keep) answers.push_back({&p, sent, a, at});
    else p.release();
    if (source) wake_at(std::max(a, now() + 1));
  }
  void on_ready(unsigned, picoseconds at) override { wake_at(std::max(clock().ceil(at), now() + 1)); }
  void on_invalidate_direct_mem_ptr(unsigned, uint64_t, uint64_t) override { ++invalidations; }
  std::deque<std::pair<payload*, cycle_t>> script_;
  std::deque<std::pair<payload*, cycle_t>> sent_;
  cycle_t next_ = 0;
  bool started_ = false;
};

struct memory_bench_options {
  unsigned sources = 2, channels = 2;
  cache::l2_parameters l2;
  crossbar_parameters xbar;
  memory::dram_parameters dram;
  atomic::atomic_unit_parameters unit;
  uint64_t chaos_seed = 0;
  bool monitors = true, with_crossbar = true; ///< without crossbar: one source straight at one channel
};

class memory_bench {
public:
  context ctx;
  payload_pool pool;
  run_state run;
  observe::statistics statistics;
  memory::backing_store store;
  std::vector<std::unique_ptr<requester>> sources;
  std::unique_ptr<crossbar> xbar;
  std::vector<std::unique_ptr<cache::l2_channel>> l2;
  std::vector<std::unique_ptr<atomic::atomic_unit>> units;
  std::vector<std::unique_ptr<memory::dram_channel>> dram;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;

  memory_bench(const std::string& name, memory_bench_options o, observe::trace* trace = nullptr) : options_(o) {
    ctx.space = &store;
    ctx.lines = &pool;
    ctx.run = &run;
    ctx.statistics = &statistics;
    ctx.trace = trace;
    ctx.chaos.seed = o.chaos_seed;
    const auto n = [&](const std::string& what, unsigned i) { return name + "_" + what + std::to_string(i); };
    if (o.with_crossbar) xbar = std::make_unique<crossbar>((name + "_xbar").c_str(), ctx, o.sources, o.channels, o.xbar);
    for (unsigned s = 0; s < o.sources; ++s) sources.push_back(std::make_unique<requester>(n("source", s).c_str(), ctx));
    for (unsigned c = 0; c < o.channels; ++c) {
      auto lp = o.l2;
      lp.channels = o.channels;
      lp.interleave_bytes = o.xbar.interleave_bytes;
      l2.push_back(std::make_unique<cache::l2_channel>(n("l2", c).c_str(), ctx, lp));
      units.push_back(std::make_unique<atomic::atomic_unit>(n("unit", c).c_str(), ctx, o.unit));
      auto dp = o.dram;
      dp.channels = o.channels;
      dp.channel_interleave_bytes = o.xbar.interleave_bytes;
      dram.push_back(std::make_unique<memory::dram_channel>(n("dram", c).c_str(), ctx, store, dp));
      join(l2[c]->atomic.socket, units[c]->in.socket);
      join(l2[c]->memory.socket, dram[c]->in.socket);
      if (xbar) join(xbar->channel_socket(c), l2[c]->in.socket);
      else join(sources[0]->out.socket, l2[c]->in.socket);
    }
    if (xbar)
      for (unsigned s = 0; s < o.sources; ++s) join(sources[s]->out.socket, xbar->source_socket(s));
  }

  /// Bytes as the requesters would see them, by debug transport of source 0's socket.
  void debug(tlm::tlm_command command, uint64_t address, void* data, unsigned length) {
    payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(length);
    p.set_streaming_width(length);
    BOOST_REQUIRE_EQUAL(sources[0]->out.socket->transport_dbg(p), length);
  }
  std::vector<uint8_t> seen(uint64_t address, unsigned length) {
    std::vector<uint8_t> v(length);
    debug(tlm::TLM_READ_COMMAND, address, v.data(), length);
    return v;
  }
  void run_for(double ns) { sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS)); }
  /// Runs until nothing is in flight.
  void finish(double limit_ns = 1e8) {
    for (auto& s : sources) s->start();
    const double step = 10000;
    for (double t = 0; t < limit_ns; t += step) {
      run_for(step);
      if (!sc_core::sc_pending_activity()) break;
    }
    for (auto& s : sources) BOOST_TEST(s->in_flight() == 0u);
    for (auto& c : l2) BOOST_TEST(c->idle());
  }
  void check_clean() {
    for (auto& m : monitors) BOOST_TEST(m->clean(), m->report());
    BOOST_TEST(run.faults.empty());
    for (auto& f : run.faults) BOOST_TEST_MESSAGE(f.text);
  }
  template <class I, class T> void join(I& initiator, T& target) {
    if (!options_.monitors) { initiator.bind(target); return; }
    monitors.push_back(std::make_unique<protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor")));
    initiator.bind(monitors.back()->in);
    monitors.back()->out.bind(target);
  }

private:
  memory_bench_options options_;
};

} // namespace lyra::testbench
