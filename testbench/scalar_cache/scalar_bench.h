// SPDX-License-Identifier: Apache-2.0
// A scalar data cache shared by three compute units, with stand-ins for them and for the memory below, bound.
#pragma once
#include "cache/l1_standins.h"
#include "scalar_cache/scalar_cache.h"

namespace bench {

struct scalar_bench {
  static constexpr unsigned cus = 3;
  payload_pool pool;
  observe::statistics statistics;
  fabric::run_state run_state;
  fabric::context context;
  std::unique_ptr<scalar_cache::data_cache> k;
  std::vector<std::unique_ptr<sender>> cu;
  std::unique_ptr<sender> command_processor;
  std::unique_ptr<memory> l2;
  uint64_t next_tag = 1;
  struct end { cycle_t cycle; unsigned cu; std::vector<uint8_t> data; tlm::tlm_response_status status; bool hit; uint64_t result; };
  std::map<uint64_t, end> ends;  ///< by tag
  std::vector<uint64_t> in_order_of_return;

  explicit scalar_bench(const scalar_cache::data_cache_parameters& p = {}, uint64_t chaos_seed = 0, observe::trace* trace = nullptr) {
    context.core = fabric::clock_domain(1000); // 1 ns a cycle: easy numbers
    context.lines = &pool;
    context.statistics = &statistics;
    context.run = &run_state;
    context.chaos.seed = chaos_seed;
    context.trace = trace;
    k = std::make_unique<scalar_cache::data_cache>("k", context, cus, p);
    for (unsigned i = 0; i < cus; ++i) {
      cu.push_back(std::make_unique<sender>(("cu" + std::to_string(i)).c_str(), context.core));
      cu[i]->port.socket.bind(k->cu_port(i).socket);
      cu[i]->on_end = [this, i](payload& q, cycle_t c) { note(q, c, i); };
    }
    command_processor = std::make_unique<sender>("command_processor", context.core);
    command_processor->port.socket.bind(k->control_port().socket);
    command_processor->on_end = [this](payload& q, cycle_t c) { note(q, c, cus); };
    l2 = std::make_unique<memory>("l2", context.core);
    k->l2_port.socket.bind(l2->port[0]->socket);
  }
  void note(payload& q, cycle_t c, unsigned i) {
    end e{c, i, {q.get_data_ptr(), q.get_data_ptr() + q.get_data_length()}, q.get_response_status(), payload_pool::policy(q).hit, 0};
    if (auto* a = q.get_extension<fabric::atomic_extension>()) e.result = a->entries[0].result;
    const uint64_t tag = payload_pool::policy(q).tag;
    if (ends.count(tag)) throw std::runtime_error("answered twice");
    ends[tag] = std::move(e);
    in_order_of_return.push_back(tag);
  }
  struct policy {
    bool glc, nv;
    policy(bool g = false, bool n = false) : glc(g), nv(n) {}
  };
  uint64_t load(unsigned i, cycle_t c, uint64_t address, unsigned bytes = 4, policy o = {}) {
    payload& p = pool.line(tlm::TLM_READ_COMMAND, address, bytes);
    std::fill(p.get_data_ptr(), p.get_data_ptr() + 64, 0xee);
    return go(i, c, p, o);
  }
  uint64_t store(unsigned i, cycle_t c, uint64_t address, const std::vector<uint8_t>& bytes, policy o = {}) {
    payload& p = pool.line(tlm::TLM_WRITE_COMMAND, address, unsigned(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), p.get_data_ptr());
    return go(i, c, p, o);
  }
  uint64_t store(unsigned i, cycle_t c, uint64_t address, uint8_t value, policy o = {}) { return store(i, c, address, std::vector<uint8_t>(4, value), o); }
  uint64_t add(unsigned i, cycle_t c, uint64_t address, uint64_t operand) {
    payload& p = pool.atomic(address & ~63ull);
    auto& a = payload_pool::atomic_of(p);
    a.operation = isa::atomic_operation::atomic_add;
    a.bytes = 4;
    a.returns = true;
    a.count = 1;
    a.entries[0] = {0, uint8_t(address % 64), operand, 0, 0};
    return go(i, c, p, {});
  }
  uint64_t control(unsigned i, cycle_t c, fabric::cache_control what, uint64_t address = 0) {
    payload& p = pool.line(tlm::TLM_IGNORE_COMMAND, address);
    payload_pool::policy(p).control = what;
    return go(i, c, p, {});
  }
  uint64_t go(unsigned i, cycle_t c, payload& p, policy o) {
    auto& e = payload_pool::policy(p);
    e.tag = next_tag++;
    e.glc = o.glc;
    e.nv = o.nv;
    (i < cus ? *cu[i] : *command_processor).at(c, p);
    return next_tag - 1;
  }
  uint64_t count(const char* name) const { return counter(statistics, std::string("k.") + name); }
  cycle_t now() const { return sc_core::sc_time_stamp().value() / 1000; }
  void run(cycle_t cycles = 1000) { sc_core::sc_start(fabric::to_sc_time(cycles * 1000)); }
  uint8_t first(uint64_t tag) const { return ends.at(tag).data.at(0); }
  // one at a time
  uint8_t load_now(uint64_t address, unsigned i = 0, policy o = {}) {
    const auto t = load(i, now() + 10, address, 4, o);
    run();
    return first(t);
  }
  void store_now(uint64_t address, uint8_t value, unsigned i = 0, policy o = {}) {
    store(i, now() + 10, address, value, o);
    run();
  }
  void control_now(fabric::cache_control what, uint64_t address = 0, unsigned i = 0) {
    control(i, now() + 10, what, address);
    run();
  }
};

} // namespace bench
