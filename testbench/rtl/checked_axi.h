// SPDX-License-Identifier: Apache-2.0
// An AXI4 block with the SystemVerilog protocol checker at its pins.
#pragma once
#include "rtl/axi4_slave.h"
#include "rtl/verilated_blocks.h"

namespace lyra::testbench {

/// What the checker counts.
struct checker_counts { uint32_t violations = 0, beats = 0; };

/// With `counts` violations are counted there, else the first one is the error lyra/rtl/axi4 (the checker has printed what it is).
template <class Checker> class checked_axi final : public rtl::axi_block, clocked_model<Checker> {
  using base = clocked_model<Checker>;
  using base::model;
public:
  explicit checked_axi(std::unique_ptr<rtl::axi_block> inner, checker_counts* counts = nullptr) : inner_(std::move(inner)), counts_(counts) {}
  void sample(rtl::axi_slave_pins& out) override {
    inner_->sample(out);
    out_ = out;
  }
  void edge() override {
    model.reset_n = in_.reset_n;
    model.awvalid = in_.aw.valid; model.awready = out_.awready; model.awid = in_.aw.id; model.awaddr = in_.aw.address; model.awlen = in_.aw.len; model.awsize = in_.aw.size; model.awburst = in_.aw.burst;
    model.arvalid = in_.ar.valid; model.arready = out_.arready; model.arid = in_.ar.id; model.araddr = in_.ar.address; model.arlen = in_.ar.len; model.arsize = in_.ar.size; model.arburst = in_.ar.burst;
    model.wvalid = in_.w.valid; model.wready = out_.wready; model.wlast = in_.w.last; model.wstrb = in_.w.strobe;
    base::put(model.wdata, in_.w.data);
    model.bvalid = out_.b.valid; model.bready = in_.bready; model.bid = out_.b.id; model.bresp = out_.b.resp;
    model.rvalid = out_.r.valid; model.rready = in_.rready; model.rlast = out_.r.last; model.rid = out_.r.id; model.rresp = out_.r.resp;
    base::put(model.rdata, out_.r.data);
    base::fall();
    base::rise();
    if (counts_) *counts_ = {model.violations, model.beats};
    else if (model.violations) SC_REPORT_ERROR("lyra/rtl/axi4", "the pins of an AXI4 memory break the protocol: the checker's message above says how");
    inner_->edge();
  }
  void drive(const rtl::axi_in& in) override {
    in_ = in;
    inner_->drive(in);
  }

private:
  std::unique_ptr<rtl::axi_block> inner_;
  checker_counts* counts_;
  rtl::axi_in in_;
  rtl::axi_slave_pins out_;
};

/// Wires from a master's pins to the slave transactor's.
class slave_link final : public rtl::axi_block {
public:
  explicit slave_link(rtl::axi4_slave& slave) : slave_(slave) {}
  void sample(rtl::axi_slave_pins& out) override { out = slave_.pins(); if (spoil) spoil(out); }
  void edge() override { slave_.edge(in_); }
  void drive(const rtl::axi_in& in) override { in_ = in; }
  std::function<void(rtl::axi_slave_pins&)> spoil; ///< breaks the protocol, for tests of the checker

private:
  rtl::axi4_slave& slave_;
  rtl::axi_in in_;
};

} // namespace lyra::testbench
