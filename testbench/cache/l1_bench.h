// SPDX-License-Identifier: Apache-2.0
// An L1 with its stand-ins, bound.
#pragma once
#include "cache/l1.h"
#include "cache/l1_standins.h"

namespace bench {

/// The machine around: context, L1 and its stand-ins, bound.
struct l1_bench {
  payload_pool pool;
  observe::statistics statistics;
  fabric::run_state run_state;
  fabric::context context;
  std::unique_ptr<cache::l1_cache> l1;
  std::unique_ptr<sender> ta, command_processor;
  std::unique_ptr<receiver> td;
  std::unique_ptr<memory> l2;
  uint64_t next_instruction = 1;

  explicit l1_bench(const cache::l1_parameters& p = {}, uint64_t chaos_seed = 0, observe::trace* trace = nullptr) {
    context.core = fabric::clock_domain(1000); // 1 ns a cycle: easy numbers
    context.lines = &pool;
    context.statistics = &statistics;
    context.run = &run_state;
    context.trace = trace;
    context.chaos.seed = chaos_seed;
    l1 = std::make_unique<cache::l1_cache>("l1", context, p);
    ta = std::make_unique<sender>("ta", context.core);
    command_processor = std::make_unique<sender>("command_processor", context.core);
    td = std::make_unique<receiver>("td", context.core);
    l2 = std::make_unique<memory>("l2", context.core);
    ta->port.socket.bind(l1->ta_port.socket);
    command_processor->port.socket.bind(l1->control_port.socket);
    l1->td_port.socket.bind(td->port.socket);
    l1->l2_port.socket.bind(l2->port[0]->socket);
  }
  struct policy {
    bool glc, slc, nv;
    uint8_t used;
    policy(bool g = false, bool s = false, bool n = false, uint8_t u = 0) : glc(g), slc(s), nv(n), used(u) {}
  };
  static void set(payload& p, uint64_t tag, policy o) {
    auto& e = payload_pool::policy(p);
    e.tag = tag; e.glc = o.glc; e.slc = o.slc; e.nv = o.nv; e.wanted_bytes = o.used;
  }
  /// Each returns the tag.
  uint64_t read(cycle_t c, uint64_t line, policy o = {}, uint64_t tag = 0) {
    if (!tag) tag = next_instruction++ << 16;
    payload& p = pool.line(tlm::TLM_READ_COMMAND, line);
    std::fill(p.get_data_ptr(), p.get_data_ptr() + 64, 0xee);
    set(p, tag, o);
    ta->at(c, p);
    return tag;
  }
  uint64_t write(cycle_t c, uint64_t line, const bytes64& data, uint64_t mask = ~0ull, policy o = {}, uint64_t tag = 0) {
    if (!tag) tag = next_instruction++ << 16;
    payload& p = pool.masked_write(line, data.data(), mask);
    set(p, tag, o);
    ta->at(c, p);
    return tag;
  }
  uint64_t add(cycle_t c, uint64_t line, unsigned offset, uint64_t operand, bool returns = true, policy o = {}) {
    const uint64_t tag = next_instruction++ << 16;
    payload& p = pool.atomic(line);
    auto& a = payload_pool::atomic_of(p);
    a.operation = isa::atomic_operation::atomic_add;
    a.bytes = 4;
    a.returns = returns;
    a.count = 1;
    a.entries[0] = {0, uint8_t(offset), operand, 0, 0};
    set(p, tag, o);
    ta->at(c, p);
    return tag;
  }
  uint64_t control(cycle_t c, fabric::cache_control k, uint64_t line = 0) {
    const uint64_t tag = next_instruction++ << 16;
    payload& p = pool.line(tlm::TLM_IGNORE_COMMAND, line);
    set(p, tag, {});
    payload_pool::policy(p).control = k;
    ta->at(c, p);
    return tag;
  }
  uint64_t dispatch_invalidate(cycle_t c) {
    const uint64_t tag = next_instruction++ << 16;
    payload& p = pool.line(tlm::TLM_IGNORE_COMMAND, 0);
    set(p, tag, {});
    payload_pool::policy(p).control = fabric::cache_control::invalidate;
    command_processor->at(c, p);
    return tag;
  }
  uint64_t count(const char* name) const { return counter(statistics, std::string("l1.") + name); }
  void run(cycle_t cycles) { sc_core::sc_start(fabric::to_sc_time(cycles * 1000)); }
};

} // namespace bench
