// SPDX-License-Identifier: Apache-2.0
// A SystemC module with signal ports (here: `verilator --sc`) as a pin block. Inputs and the falling edge come 100 ps after the rising edge, so the kernel has settled
// the outputs before the next one.
#pragma once
#include "rtl/lds_transactor.h"
#include <systemc>

namespace lyra::testbench {

template <class Model> class systemc_lds final : public sc_core::sc_module, public rtl::lds_block {
public:
  explicit systemc_lds(sc_core::sc_module_name name) : sc_module(name), model_("rtl") {
    model_.clk(clk_);
    model_.reset_n(reset_n_);
    model_.req_valid(req_valid_);
    model_.req_ready(req_ready_);
    model_.req_op(req_op_);
    model_.req_tag(req_tag_);
    model_.req_lanes(req_lanes_);
    model_.req_address(req_address_);
    model_.req_data0(req_data0_);
    model_.req_data1(req_data1_);
    model_.req_enables(req_enables_);
    model_.rsp_valid(rsp_valid_);
    model_.rsp_ready(rsp_ready_);
    model_.rsp_tag(rsp_tag_);
    model_.rsp_data(rsp_data_);
    SC_HAS_PROCESS(systemc_lds);
    SC_METHOD(fall);
    sensitive << fall_event_;
    dont_initialize();
  }
  void sample(rtl::lds_out& out) override {
    out.req_ready = req_ready_.read();
    out.rsp_valid = rsp_valid_.read();
    out.rsp_tag = uint8_t(rsp_tag_.read());
    if (out.rsp_valid)
      for (int i = 0; i < 32; ++i) out.rsp_data[i] = uint32_t(rsp_data_.read().get_word(i));
  }
  void edge() override { clk_.write(true); }
  void drive(const rtl::lds_in& in) override {
    next_ = in;
    fall_event_.notify(sc_core::sc_time(100, sc_core::SC_PS));
  }

private:
  void fall() {
    clk_.write(false);
    reset_n_.write(next_.reset_n);
    req_valid_.write(next_.req_valid);
    rsp_ready_.write(next_.rsp_ready);
    if (!next_.req_valid) return;
    req_op_.write(next_.req_op);
    req_tag_.write(next_.req_tag);
    req_lanes_.write(next_.req_lanes);
    put(req_address_, reinterpret_cast<const uint32_t*>(next_.req_address), 16);
    put(req_data0_, next_.req_data0, 32);
    put(req_data1_, next_.req_data1, 32);
    put(req_enables_, next_.req_enables, 4);
  }
  template <class Signal> static void put(Signal& s, const uint32_t* words, int n) {
    auto v = s.read();
    for (int i = 0; i < n; ++i) v.set_word(i, words[i]);
    s.write(v);
  }

  Model model_;
  rtl::lds_in next_;
  sc_core::sc_event fall_event_;
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> clk_; // rises in the transactor, falls here
  sc_core::sc_signal<bool> reset_n_, req_valid_, req_ready_, rsp_valid_, rsp_ready_;
  sc_core::sc_signal<uint32_t> req_op_, req_tag_, req_lanes_, rsp_tag_;
  sc_core::sc_signal<sc_dt::sc_bv<512>> req_address_;
  sc_core::sc_signal<sc_dt::sc_bv<1024>> req_data0_, req_data1_, rsp_data_;
  sc_core::sc_signal<sc_dt::sc_bv<128>> req_enables_;
};

} // namespace lyra::testbench
