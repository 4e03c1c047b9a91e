// SPDX-License-Identifier: Apache-2.0
// A Verilated AXI4 memory with its array inside, as a pin block.
#pragma once
#include "rtl/inner_array.h"
#include "rtl/verilated_blocks.h"
#include <functional>

namespace lyra::testbench {

/// The model's ports have the names of axi4_memory's AXI4 ports. `word(model, k)`: word k (of the bus's width) of its array, which must be public in the model.
template <class Model, unsigned DataBits> class verilated_axi_ram final : public rtl::axi_block, public rtl::inner_array, axi_slave_model<Model> {
  using base = axi_slave_model<Model>;
  using base::model;
  static constexpr unsigned bytes = DataBits / 8;
public:
  using word_of = std::function<void*(Model& model, uint64_t k)>;
  verilated_axi_ram(rtl::memory_array& machine, uint64_t array_bytes, word_of word) : inner_array(machine, array_bytes), word_(std::move(word)) {}
  void sample(rtl::axi_slave_pins& out) override {
    base::sample_axi(out);
  }
  void edge() override { base::rise(); }
  void drive(const rtl::axi_in& in) override {
    fetch_burst(in.aw);
    fetch_burst(in.ar);
    base::drive_axi(in);
    base::fall();
  }

private:
  void fetch_burst(const rtl::axi_address& a) {
    if (!a.valid) return;
    const uint64_t beat = uint64_t(1) << a.size, last = (a.address & ~(beat - 1)) + a.len * beat;
    for (uint64_t line = a.address & ~uint64_t(63); line <= last; line += 64) fetch(line);
  }
  void peek(uint64_t place, uint8_t* data) override { for (unsigned i = 0; i < 64; i += bytes) std::memcpy(data + i, word_(model, (place + i) / bytes), bytes); }
  void poke(uint64_t place, const uint8_t* data) override { for (unsigned i = 0; i < 64; i += bytes) std::memcpy(word_(model, (place + i) / bytes), data + i, bytes); }
  word_of word_;
};

} // namespace lyra::testbench
