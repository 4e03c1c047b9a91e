// SPDX-License-Identifier: Apache-2.0
// Plays a compute unit in front of a data share: sends wave requests at given cycles, notes when responses come.
#pragma once
#include "support/trace_recorder.h"
#include "fabric/context.h"
#include "fabric/data_share.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include "lds/ds_model.h"
#include <deque>

namespace ds_test {

using namespace lyra;
using fabric::cycle_t;

class driver : public fabric::timed_module, private fabric::response_client {
public:
  struct answer { fabric::payload* p; cycle_t cycle; };
  fabric::initiator_port port;
  std::vector<answer> answers;  ///< in the order in which they came
  std::vector<cycle_t> sent;    ///< effective arrival of each request
  bool protocol_broken = false;

  driver(sc_core::sc_module_name name, fabric::clock_domain clock) : timed_module(name, clock), port("socket", *this, 0) {}
  ~driver() override { for (const answer& a : answers) a.p->release(); }

  /// Sends `p` to arrive at `cycle` or as soon as the port is free after that (requests go in the order of the calls).
  void at(cycle_t cycle, fabric::payload& p) {
    plan_.push_back({&p, cycle});
    wake_at(std::max(now(), plan_.front().second - 1));
  }
  bool idle() const { return plan_.empty(); }
  cycle_t time_of(const fabric::payload& p) const {
    for (const answer& a : answers) if (a.p == &p) return a.cycle;
    return fabric::never;
  }

private:
  cycle_t on_wake(cycle_t cycle) override {
    while (!plan_.empty() && port.ready() && plan_.front().second <= cycle + 1) {
      const auto [p, when] = plan_.front();
      plan_.pop_front();
      sent.push_back(clock().ceil(port.send(*p, clock().at(cycle + 1))));
    }
    if (plan_.empty() || !port.ready()) return fabric::never;
    return std::max(plan_.front().second - 1, cycle + 1);
  }
  void on_response(unsigned, fabric::payload& p, fabric::picoseconds at) override {
    if (!answers.empty() && clock().at(answers.back().cycle) > at) protocol_broken = true; // responses never go back in time
    if (at % clock().period() || at <= fabric::now_ps()) protocol_broken = true;             // and are announced ahead, on an edge
    answers.push_back({&p, clock().ceil(at)});
  }
  void on_ready(unsigned, fabric::picoseconds at) override {
    if (!plan_.empty()) wake_at(std::max(clock().ceil(at), plan_.front().second) - 1 > now() ? std::max(clock().ceil(at), plan_.front().second) - 1 : now());
  }
  std::deque<std::pair<fabric::payload*, cycle_t>> plan_;
};

/// What a test machine around a share needs.
struct world {
  fabric::context context;
  fabric::wave_pool waves;
  std::deque<isa::instruction> instructions;
  uint32_t next_wave = 0;

  world() { context.waves = &waves; }
  /// A request of a fresh wave: full EXEC, the whole share, addresses 4 * lane.
  fabric::payload& request(const std::string& name, unsigned offset = 0, bool gds = false) {
    instructions.push_back(ds_model::make(name, offset, gds));
    fabric::payload& p = waves.take();
    fabric::wave_request& w = fabric::wave_pool::of(p);
    w.begin(&instructions.back(), ~uint64_t(0));
    w.wave_id = next_wave++;
    w.simd = 0;
    w.cu = 0;
    w.pc = 0x700000000 + 8 * w.wave_id;
    w.dispatch = 1;
    w.dispatch_order = w.dispatch_first_order = 0;
    w.lds_base = 0;
    w.lds_size = 65536;
    w.gds_base = w.gds_size = 0;
    w.m0 = gds ? 0xffff : 0;
    w.mode = 0xf0;
    w.unaligned = true;
    w.vaddr_dwords = 1;
    w.vdata2_row = uint8_t(std::max(1u, alu::ds_shape_of(instructions.back()).data0_dwords()));
    for (unsigned l = 0; l < 64; ++l) {
      w.vaddr[0][l] = 4 * l;
      for (unsigned k = 0; k < fabric::wave_request::vdata_rows; ++k) w.vdata[k][l] = l;
    }
    return p;
  }
  static fabric::wave_request& of(fabric::payload& p) { return fabric::wave_pool::of(p); }
  template <class F> static void addresses(fabric::payload& p, F f) { for (unsigned l = 0; l < 64; ++l) of(p).vaddr[0][l] = uint32_t(f(l)); }
};

} // namespace ds_test
