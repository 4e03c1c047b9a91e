// SPDX-License-Identifier: Apache-2.0
// Blocks alone behind the C interface.
#pragma once
#include "platforms/dpi/design.h"
#include "platforms/rtl_places.h"

namespace lyra::platforms::dpi {

/// What blocks alone share instead of a machine.
struct block_world : private fabric::resettable {
  memory::backing_store store;
  observe::statistics statistics;
  fabric::run_state run;
  fabric::payload_pool lines;
  fabric::wave_pool waves;
  fabric::context context;
  explicit block_world(const machine_parameters& p);

private:
  void on_reset() override { run.reset(); }
};

/// A local data share and a compute unit's side of it: beats in, answers out in order.
struct lds_bench : sc_core::sc_module, private fabric::response_client, private fabric::resettable {
  lds_bench(sc_core::sc_module_name name, const machine_parameters& p);
  bool request(const unsigned* beat);
  bool response(unsigned* answer);
  block_world world;

private:
  struct answer { fabric::payload* p; fabric::picoseconds at; };
  void on_response(unsigned, fabric::payload& p, fabric::picoseconds at) override { answers_.push_back({&p, at}); }
  void on_ready(unsigned, fabric::picoseconds) override {}
  void on_reset() override {
    answers_.clear();
    next_ = 0;
  }
  lds_place place_;
  fabric::initiator_port port_;
  std::deque<isa::instruction> instructions_; ///< one an opcode
  std::deque<answer> answers_;
  uint32_t next_ = 0;
};

/// An L2 channel with its atomic unit and memory behind AXI4 pins.
struct l2_bench : sc_core::sc_module {
  l2_bench(sc_core::sc_module_name name, const machine_parameters& p, unsigned data_bits);
  void read(uint64_t address, void* data, unsigned bytes);
  block_world world;
  machine_parameters parameters;
  rtl::axi4_slave slave;
  cache::l2_channel cache;
  atomic_place atomic;
  memory_place memory;
};

} // namespace lyra::platforms::dpi
