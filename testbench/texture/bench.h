// SPDX-License-Identifier: Apache-2.0
// A texture unit between a stand-in for the compute unit and a stand-in for the L1, with chosen latencies.
#pragma once
#include "fabric/module.h"
#include "fabric/ports.h"
#include "support/protocol_monitor.h"
#include "texture/fixture.h"
#include "texture/texture_unit.h"
#include <deque>

namespace texture_test {

using namespace lyra::fabric;
using lyra::texture::texture_parameters;
using lyra::texture::texture_unit;

/// In order, fixed latency from a line's arrival to its return; does what each request says on the test's memory.
class plain_l1 : public timed_module, request_server, response_client {
public:
  plain_l1(sc_core::sc_module_name n, memory& m, clock_domain c, unsigned latency)
      : timed_module(n, c), ta_port("ta_port", *this, 0), td_port("td_port", *this, 0), memory_(m), latency_(latency) {}
  target_port ta_port;
  initiator_port td_port;
  struct seen { cycle_t cycle; uint64_t address; tlm::tlm_command command; uint64_t tag; unsigned wanted; bool glc, slc, nv; cache_control control; uint64_t mask; };
  std::vector<seen> log;
  unsigned withhold_every = 0;  ///< takes back END_REQ of each n-th line for `withhold_cycles`
  unsigned withhold_cycles = 10;
  cycle_t slow_line = never;    ///< this line (by number) takes `slow_cycles` more; those behind wait for it
  unsigned slow_cycles = 0;
  bool dmi = true;
  uint64_t bad_address = ~0ull; ///< this line answers an address error

private:
  memory& memory_;
  unsigned latency_;
  struct item { payload* p; cycle_t due; };
  std::deque<item> queue_;
  cycle_t last_due_ = 0;
  payload* withheld_ = nullptr;
  cycle_t accept_at_ = never;
  uint64_t count_ = 0;

  void act(payload& p) {
    const uint64_t a = p.get_address();
    const policy_extension& policy = *p.get_extension<policy_extension>();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (policy.control != cache_control::none) return;
    if (a == bad_address) { p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return; }
    uint8_t* line = memory_.host_line(a);
    if (p.get_command() == tlm::TLM_READ_COMMAND) std::memcpy(p.get_data_ptr(), line, 64);
    else if (p.get_command() == tlm::TLM_WRITE_COMMAND) {
      for (uint64_t m = payload_pool::byte_mask(p), i = 0; i < 64; ++i)
        if (m >> i & 1) line[i] = p.get_data_ptr()[i];
    } else {
      atomic_extension& x = payload_pool::atomic_of(p);
      for (unsigned n = 0; n < x.count; ++n) {
        atomic_extension::entry& e = x.entries[n];
        uint64_t old = 0;
        std::memcpy(&old, line + e.offset, x.bytes);
        uint64_t now = x.operation == lyra::isa::atomic_operation::atomic_add ? old + e.operand : x.operation == lyra::isa::atomic_operation::atomic_swap ? e.operand
                       : old == e.compare ? e.operand : old; // add, swap, cmpswap are enough here
        std::memcpy(line + e.offset, &now, x.bytes);
        e.result = old;
      }
    }
  }
  request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    const cycle_t c = clock().ceil(at);
    const policy_extension& policy = *p.get_extension<policy_extension>();
    log.push_back({c, p.get_address(), p.get_command(), policy.tag, policy.wanted_bytes, policy.glc, policy.slc, policy.nv, policy.control,
                   p.get_command() == tlm::TLM_WRITE_COMMAND ? payload_pool::byte_mask(p) : 0});
    act(p);
    cycle_t due = c + latency_;
    if (count_ == slow_line) due += slow_cycles;
    last_due_ = std::max(last_due_, due);
    queue_.push_back({&p, last_due_});
    wake_at(std::max(now() + 1, last_due_ - 1));
    if (withhold_every && ++count_ % withhold_every == 0) {
      withheld_ = &p;
      accept_at_ = c + withhold_cycles;
      wake_at(accept_at_ - 1);
      return request_answer::withheld;
    }
    if (!withhold_every) ++count_;
    return request_answer::accepted;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time&) override { act(p); }
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
  bool get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& d) override {
    uint8_t* line = dmi ? memory_.host_line(p.get_address()) : nullptr;
    if (!line) return false;
    d.init();
    d.set_start_address(p.get_address() & ~4095ull);
    d.set_end_address(p.get_address() | 4095ull);
    d.set_dmi_ptr(line - (p.get_address() & 4095 & ~63ull));
    d.allow_read_write();
    return true;
  }
  void on_response(unsigned, payload& p, picoseconds at) override { ta_port.respond(p, at); }
  void on_ready(unsigned, picoseconds) override {}
  cycle_t on_wake(cycle_t c) override {
    if (withheld_ && accept_at_ <= c + 1) {
      withheld_ = nullptr;
      ta_port.accept(clock().at(accept_at_));
    }
    while (!queue_.empty() && queue_.front().due <= c + 1) {
      payload* p = queue_.front().p;
      td_port.send(*p, clock().at(queue_.front().due));
      queue_.pop_front();
    }
    cycle_t next = queue_.empty() ? never : queue_.front().due - 1;
    if (withheld_) next = std::min(next, accept_at_ - 1);
    return next;
  }
};

/// Sends instructions as soon as the texture unit takes them, from a given cycle on; notes the responses.
class plain_cu : public timed_module, response_client {
public:
  plain_cu(sc_core::sc_module_name n, clock_domain c) : timed_module(n, c), port("port", *this, 0) {}
  initiator_port port;
  struct done { payload* p; cycle_t cycle; };
  std::vector<done> responses; // payloads are kept for the test to look at
  struct job { payload* p; cycle_t earliest; };
  void issue(payload& p, cycle_t earliest) {
    jobs_.push_back({&p, earliest});
    wake_at(std::max(now() + 1, earliest ? earliest - 1 : 0));
  }

private:
  std::deque<job> jobs_;
  void on_response(unsigned, payload& p, picoseconds at) override { responses.push_back({&p, clock().ceil(at)}); }
  void on_ready(unsigned, picoseconds at) override { wake_at(std::max(now(), clock().ceil(at) - 1)); }
  cycle_t on_wake(cycle_t c) override {
    while (!jobs_.empty() && port.ready() && jobs_.front().earliest <= c + 1) {
      const job j = jobs_.front();
      jobs_.pop_front();
      port.send(*j.p, std::max(clock().at(std::max(j.earliest, c + 1)), port.free_at()));
    }
    if (jobs_.empty() || !port.ready()) return never;
    return std::max(c + 1, jobs_.front().earliest - 1);
  }
};

/// A whole bench. Instructions are kept alive by it.
struct bench {
  memory space;
  payload_pool lines;
  wave_pool waves;
  run_state run;
  lyra::observe::trace* trace = nullptr; ///< given to the constructor
  context shared;
  plain_l1 l1;
  texture_unit unit;
  plain_cu cu;
  lyra::testbench::protocol_monitor<> wave_edge, line_edge, return_edge;
  std::deque<isa::instruction> instructions;

  explicit bench(const texture_parameters& p = {}, unsigned l1_latency = 70, lyra::observe::trace* t = nullptr)
      : trace(t), shared(make_context()), l1("l1", space, shared.core, l1_latency), unit("texture", shared, p, 3), cu("cu", shared.core), wave_edge("wave_edge"), line_edge("line_edge"), return_edge("return_edge") {
    cu.port.socket.bind(wave_edge.in);
    wave_edge.out.bind(unit.wave_port.socket);
    unit.line_port.socket.bind(line_edge.in);
    line_edge.out.bind(l1.ta_port.socket);
    l1.td_port.socket.bind(return_edge.in);
    return_edge.out.bind(unit.return_port.socket);
    return_edge.answered_before = true;
  }
  ~bench() {
    for (const auto* m : {&wave_edge, &line_edge, &return_edge}) BOOST_TEST(m->clean(), m->report());
  }
  context make_context() {
    context c;
    c.trace = trace;
    c.space = &space;
    c.lines = &lines;
    c.waves = &waves;
    c.run = &run;
    return c;
  }
  /// A request for an instruction, ready to be filled.
  wave_request& take(const isa::instruction& i, uint64_t exec, payload*& p) {
    instructions.push_back(i);
    p = &waves.take();
    wave_request& r = wave_pool::of(*p);
    r.begin(&instructions.back(), exec);
    r.lines = r.hits = 0;
    return r;
  }
  void run_all() { sc_core::sc_start(); }
};

/// 64 addresses for a GLOBAL instruction without SADDR.
inline void put_addresses(wave_request& r, const std::vector<uint64_t>& a) {
  r.vaddr_dwords = 2;
  for (unsigned l = 0; l < 64; ++l) { r.vaddr[0][l] = uint32_t(a[l]); r.vaddr[1][l] = uint32_t(a[l] >> 32); }
}

} // namespace texture_test
