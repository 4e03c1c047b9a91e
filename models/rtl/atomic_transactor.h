// SPDX-License-Identifier: Apache-2.0
// Atomic packets of an L2 channel to the pins of an atomic unit in RTL and back.
#pragma once
#include "rtl/lds_transactor.h"

namespace lyra::rtl {

using atomic_block = pin_block<atomic_in, atomic_out>;

/// Target of an L2 channel's atomic edge (as atomic::atomic_unit). One packet in the block at a time, entries in ascending order.
/// Integer operations only: a float one (no Vega instruction sends it to L2) is answered COMMAND_ERROR and the fault lyra/rtl/unsupported names it.
class atomic_transactor : public clocked<atomic_in, atomic_out>, public queue_server {
public:
  atomic_transactor(sc_core::sc_module_name name, const fabric::context& context, std::unique_ptr<atomic_block> block, const clocking& options, unsigned queue_depth);
  const transactor_statistics& statistics() const { return statistics_; }

private:
  void arrived(fabric::picoseconds at) override { start_at_ps(at); }
  void at_edge(fabric::cycle_t cycle, const atomic_out& out) override;
  void next_inputs(fabric::cycle_t cycle, atomic_in& next) override;
  bool busy() const override { return now_.p || front(); }
  bool block_idle() const override { return !now_.p; }
  bool oldest(fabric::cycle_t& since, std::string& what) const override;
  void on_reset() override;
  bool refuse(fabric::cycle_t cycle);
  void fill(atomic_in& next);
  void retire(fabric::cycle_t cycle);

  queued now_;                 ///< the packet in the block
  fabric::cycle_t since_ = 0;
  unsigned sent_ = 0, answered_ = 0; ///< beats of 16 entries
  fabric::picoseconds last_answer_ = 0;
  transactor_statistics statistics_;
  observe::signal req_valid_, req_ready_, req_op_, req_entries_, req_operand_, rsp_valid_, rsp_result_, rsp_line_, reset_;
};

/// "atomic_add of requester 3 on line 0x1000, 4 entries" for messages.
std::string describe_atomic(const fabric::payload& p);
/// The operation's number at the pins; false: a float operation or none.
bool atomic_operation_number(isa::atomic_operation operation, uint8_t& number);

} // namespace lyra::rtl
