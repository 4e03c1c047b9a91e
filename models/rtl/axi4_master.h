// SPDX-License-Identifier: Apache-2.0
// TLM line transactions to AXI4 pins: the place of a memory in RTL.
#pragma once
#include "rtl/lds_transactor.h"

namespace lyra::rtl {

using axi_block = pin_block<axi_in, axi_slave_pins>;

struct axi4_options {
  unsigned data_bits = 512;      ///< 32, 64, 128, 256 or 512
  unsigned ids = 16;             ///< AXI ids in use: transactions of different ids may be answered in any order
  unsigned max_outstanding = 32; ///< reads and writes together
  unsigned queue_depth = 16;     ///< TLM requests that wait
  unsigned narrow_percent = 0;   ///< of the bursts use a size below the bus width (tests)
  unsigned stall_percent = 0;    ///< of the cycles each channel holds back valid or ready (tests)
  uint64_t seed = 1;             ///< for the two above
};

/// Target of READ and WRITE with byte enables (as memory::dram_channel), AXI4 master at the pins. A transaction is one INCR burst: up to 256 beats, not
/// across a 4 KB boundary, else BURST_ERROR. IGNORE: COMMAND_ERROR. DECERR comes back as ADDRESS_ERROR, SLVERR as GENERIC_ERROR. A request that touches a line with an
/// unanswered request waits when one of the two writes (AXI4 keeps no order between its channels). Debug access goes to `debug` (null: 0 bytes).
/// An answer to an id with nothing outstanding, or RLAST at the wrong beat, is the fault lyra/rtl/protocol.
class axi4_master : public clocked<axi_in, axi_slave_pins>, public queue_server {
public:
  axi4_master(sc_core::sc_module_name name, const fabric::context& context, fabric::clock_domain domain, std::unique_ptr<axi_block> block, const clocking& options, const axi4_options& axi,
              memory_array* debug = nullptr);
  const transactor_statistics& statistics() const { return statistics_; }

private:
  struct transfer {
    queued q;
    axi_address a;
    bool write = false, address_done = false;
    unsigned beat = 0;  ///< next beat: of W, or of R
    uint8_t resp = 0;
    uint64_t sequence = 0;
    fabric::cycle_t since = 0;
  };

  void arrived(fabric::picoseconds at) override { start_at_ps(at); }
  void at_edge(fabric::cycle_t cycle, const axi_slave_pins& out) override;
  void next_inputs(fabric::cycle_t cycle, axi_in& next) override;
  bool busy() const override { return count_ != 0 || front() != nullptr; }
  bool block_idle() const override { return count_ == 0; }
  bool oldest(fabric::cycle_t& since, std::string& what) const override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;

  void on_reset() override;
  bool admit(fabric::cycle_t cycle);
  bool conflicts(const fabric::payload& p) const;
  void put_write_beat(axi_in& next);
  bool take_read_beat(const axi_slave_pins& out, fabric::cycle_t cycle);
  bool take_write_response(const axi_slave_pins& out, fabric::cycle_t cycle);
  transfer* oldest_of(bool write, uint32_t id);
  void retire(transfer& t, fabric::cycle_t cycle);
  bool held() { return axi_.stall_percent && roll() % 100 < axi_.stall_percent; }
  uint64_t roll() { return fabric::chaos_source::mix(axi_.seed + ++rolls_); }

  axi4_options axi_;
  unsigned bus_bytes_;
  memory_array* debug_;
  std::vector<transfer> transfers_; ///< slots; q.p null: free
  size_t count_ = 0;
  uint64_t rolls_ = 0, sequence_ = 0;
  std::deque<transfer*> write_addresses_, write_data_, read_addresses_;
  bool aw_taken_ = false, w_taken_ = false, ar_taken_ = false; ///< at the last edge
  transactor_statistics statistics_;
  observe::signal awvalid_, awready_, awaddr_, awid_, wvalid_, wready_, wlast_, wdata_, bvalid_, bready_, bid_, bresp_, arvalid_, arready_, araddr_, arid_, arlen_, rvalid_, rready_, rid_, rlast_, rresp_,
      rdata_, reset_;
};

} // namespace lyra::rtl
