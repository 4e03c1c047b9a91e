// SPDX-License-Identifier: Apache-2.0
// Wave instructions to the pins of an LDS in RTL and back.
#pragma once
#include "rtl/lds_plan.h"
#include "rtl/pin_block.h"
#include "rtl/queue_server.h"

namespace lyra::rtl {

using lds_block = pin_block<lds_in, lds_out>;

struct transactor_statistics {
  uint64_t transactions = 0, native = 0, split = 0, local = 0, beats = 0, stalled_cycles = 0, answered_late_cycles = 0, clock_cycles = 0;
  template <class V> void describe(V&& v) {
    v("transactions", transactions, "transactions", "done by the RTL block and its transactor");
    v("native", native, "transactions", "LDS: done by the RTL's own operations");
    v("split", split, "transactions", "LDS: read, done by the transactor, written back (operations that the RTL does not have)");
    v("local", local, "transactions", "LDS: no memory is touched (swizzle, permute): done by the transactor");
    v("beats", beats, "beats", "request beats that the RTL took");
    v("stalled_cycles", stalled_cycles, "cycles", "RTL cycles with a request valid and not ready");
    v("answered_late_cycles", answered_late_cycles, "cycles", "RTL cycles with an answer valid that was not taken");
    v("clock_cycles", clock_cycles, "cycles", "edges of the RTL's clock (it stands while nothing is outstanding)");
  }
};

/// Target of the CU's DS edge (as lds::local_data_share), initiator of an RTL LDS. Instructions take effect in the order of arrival; a gathered one alone.
/// Answers must come in order with the tags sent: another tag is the fault lyra/rtl/protocol. Debug access (which LDS_DIRECT operands and interpolation use) goes to
/// the block's array as it is between two edges, where the block is a memory_array too; otherwise there is none (0 bytes).
class lds_transactor : public clocked<lds_in, lds_out>, public queue_server {
public:
  /// `queue_depth`: instructions that wait in front; `m0_use`: which half of M0 append and consume add.
  lds_transactor(sc_core::sc_module_name name, const fabric::context& context, std::unique_ptr<lds_block> block, const clocking& options, unsigned queue_depth, alu::ds_m0_use m0_use);
  const transactor_statistics& statistics() const { return statistics_; }

private:
  struct work { queued q; lds_plan plan; fabric::cycle_t since; };
  void arrived(fabric::picoseconds at) override { start_at_ps(at); }
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  void at_edge(fabric::cycle_t cycle, const lds_out& out) override;
  void next_inputs(fabric::cycle_t cycle, lds_in& next) override;
  bool busy() const override { return count_ != 0 || front() != nullptr; }
  bool block_idle() const override { return count_ == 0; }
  bool oldest(fabric::cycle_t& since, std::string& what) const override;
  void on_reset() override;
  void retire(fabric::cycle_t cycle);
  work& at(size_t i) { return works_[(first_ + i) % works_.size()]; }
  const work& at(size_t i) const { return works_[(first_ + i) % works_.size()]; }

  memory_array* array_; ///< the block's own; null: it shows none
  alu::ds_m0_use m0_use_;
  std::vector<work> works_; ///< ring of what is in the block
  size_t first_ = 0, count_ = 0, sending_ = 0;
  uint8_t next_tag_ = 0, answer_tag_ = 0;
  fabric::picoseconds last_answer_ = 0;
  transactor_statistics statistics_;
  observe::signal req_valid_, req_ready_, req_op_, req_lanes_, req_tag_, req_address_, req_data0_, rsp_valid_, rsp_tag_, rsp_data_, reset_;
};

} // namespace lyra::rtl
