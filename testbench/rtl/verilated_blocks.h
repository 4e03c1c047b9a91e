// SPDX-License-Identifier: Apache-2.0
// Verilated models (`verilator --cc`) as pin blocks. A template for each kind of block: any model whose ports have the names of testbench/rtl's modules fits.
#pragma once
#include "rtl/axi4_master.h"
#include "rtl/lds_transactor.h"
#include "rtl/pins.h"
#include <cstring>
#include <verilated.h>

namespace lyra::testbench {

/// A model with a context of its own: many can stand in one process. Registers start with random bits (rand_reset 2): what reset does not set is not relied upon.
template <class Model> class clocked_model {
protected:
  explicit clocked_model(int seed = 1) : context_(make_context(seed)), model(context_.get(), "top") {}
  ~clocked_model() { model.final(); }
  void rise() { model.clk = 1; model.eval(); }
  void fall() { model.clk = 0; model.eval(); }
  template <class Pin, class Field> static void put(Pin& pin, const Field& field) { std::memcpy(static_cast<void*>(&pin), &field, sizeof pin < sizeof field ? sizeof pin : sizeof field); }
  template <class Field, class Pin> static void get(Field& field, const Pin& pin) { std::memcpy(&field, static_cast<const void*>(&pin), sizeof pin < sizeof field ? sizeof pin : sizeof field); }

private:
  static std::unique_ptr<VerilatedContext> make_context(int seed) {
    auto c = std::make_unique<VerilatedContext>();
    c->randReset(2);
    c->randSeed(seed);
    return c;
  }
  std::unique_ptr<VerilatedContext> context_;

public:
  Model model;
};

/// `word`: dword k of the model's array, which must be public in it; debug access goes there. Without it there is none.
template <class Model> class verilated_lds final : public rtl::lds_block, public rtl::memory_array, clocked_model<Model> {
  using base = clocked_model<Model>;
  using base::model;
public:
  using word_of = uint32_t& (*)(Model& model, uint64_t k);
  explicit verilated_lds(word_of word = nullptr) : word_(word) {}
  bool read(uint64_t address, uint8_t* data, unsigned bytes) override {
    if (!word_ || address + bytes > 65536) return false;
    for (unsigned i = 0; i < bytes; ++i) data[i] = uint8_t(word_(model, (address + i) / 4) >> 8 * ((address + i) % 4));
    return true;
  }
  bool write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) override {
    if (!word_ || address + bytes > 65536) return false;
    for (unsigned i = 0; i < bytes; ++i) {
      const unsigned shift = 8 * ((address + i) % 4);
      uint32_t& w = word_(model, (address + i) / 4);
      if (strobe >> i & 1) w = (w & ~(0xffu << shift)) | uint32_t(data[i]) << shift;
    }
    return true;
  }
  void sample(rtl::lds_out& out) override {
    out.req_ready = model.req_ready;
    out.rsp_valid = model.rsp_valid;
    out.rsp_tag = model.rsp_tag;
    if (out.rsp_valid) base::get(out.rsp_data, model.rsp_data);
  }
  void edge() override { base::rise(); }
  void drive(const rtl::lds_in& in) override {
    model.reset_n = in.reset_n;
    model.req_valid = in.req_valid;
    model.rsp_ready = in.rsp_ready;
    if (in.req_valid) {
      model.req_op = in.req_op;
      model.req_tag = in.req_tag;
      model.req_lanes = in.req_lanes;
      base::put(model.req_address, in.req_address);
      base::put(model.req_data0, in.req_data0);
      base::put(model.req_data1, in.req_data1);
      base::put(model.req_enables, in.req_enables);
    }
    base::fall();
  }

private:
  word_of word_;
};

template <class Model> class verilated_atomic final : public rtl::pin_block<rtl::atomic_in, rtl::atomic_out>, clocked_model<Model> {
  using base = clocked_model<Model>;
  using base::model;
public:
  void sample(rtl::atomic_out& out) override {
    out.req_ready = model.req_ready;
    out.rsp_valid = model.rsp_valid;
    out.rsp_last = model.rsp_last;
    if (!out.rsp_valid) return;
    base::get(out.rsp_result, model.rsp_result);
    base::get(out.rsp_line, model.rsp_line);
  }
  void edge() override { base::rise(); }
  void drive(const rtl::atomic_in& in) override {
    model.reset_n = in.reset_n;
    model.req_valid = in.req_valid;
    model.rsp_ready = in.rsp_ready;
    if (in.req_valid) {
      model.req_op = in.req_op;
      model.req_first = in.req_first;
      model.req_last = in.req_last;
      model.req_wide = in.req_wide;
      model.req_entries = in.req_entries;
      base::put(model.req_word, in.req_word);
      base::put(model.req_operand, in.req_operand);
      base::put(model.req_compare, in.req_compare);
      base::put(model.req_line, in.req_line);
    }
    base::fall();
  }
};

/// A model with the AXI4 slave ports of axi4_memory.
template <class Model> struct axi_slave_model : clocked_model<Model> {
  using base = clocked_model<Model>;
  using base::model;
  void sample_axi(rtl::axi_slave_pins& out) {
    out.awready = model.awready;
    out.wready = model.wready;
    out.arready = model.arready;
    out.b = {bool(model.bvalid), uint8_t(model.bresp), uint32_t(model.bid)};
    out.r.valid = model.rvalid;
    out.r.last = model.rlast;
    out.r.resp = model.rresp;
    out.r.id = model.rid;
    if (out.r.valid) base::get(out.r.data, model.rdata);
  }
  void drive_axi(const rtl::axi_in& in) {
    model.reset_n = in.reset_n;
    model.awvalid = in.aw.valid; model.awid = in.aw.id; model.awaddr = in.aw.address; model.awlen = in.aw.len; model.awsize = in.aw.size; model.awburst = in.aw.burst;
    model.arvalid = in.ar.valid; model.arid = in.ar.id; model.araddr = in.ar.address; model.arlen = in.ar.len; model.arsize = in.ar.size; model.arburst = in.ar.burst;
    model.wvalid = in.w.valid; model.wlast = in.w.last; model.wstrb = in.w.strobe;
    base::put(model.wdata, in.w.data);
    model.bready = in.bready;
    model.rready = in.rready;
  }
};

/// An AXI4 memory controller; its array port is served from `array`.
template <class Model, unsigned DataBits> class verilated_axi_memory final : public rtl::axi_block, axi_slave_model<Model> {
  using base = axi_slave_model<Model>;
  using base::model;
public:
  explicit verilated_axi_memory(rtl::memory_array& array) : array_(array) {}
  void sample(rtl::axi_slave_pins& out) override {
    base::sample_axi(out);
    enable_ = model.mem_enable;
    strobe_ = model.mem_strobe;
    address_ = model.mem_address;
    base::get(write_, model.mem_write_data);
  }
  void edge() override {
    base::rise();
    error_ = false;
    if (!enable_) return;
    if (strobe_) error_ = !array_.write(address_, write_, strobe_, DataBits / 8);
    else error_ = !array_.read(address_, read_, DataBits / 8);
  }
  void drive(const rtl::axi_in& in) override {
    base::drive_axi(in);
    base::put(model.mem_read_data, read_);
    model.mem_error = error_;
    base::fall();
  }

private:
  rtl::memory_array& array_;
  bool enable_ = false, error_ = false;
  uint64_t strobe_ = 0, address_ = 0;
  uint8_t write_[64] = {}, read_[64] = {};
};

} // namespace lyra::testbench
