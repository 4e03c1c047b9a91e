// SPDX-License-Identifier: Apache-2.0
// AXI4 pins of a master in RTL (or of a testbench) to TLM line transactions.
#pragma once
#include "fabric/context.h"
#include "fabric/ports.h"
#include "rtl/axi4_burst.h"
#include <deque>
#include <list>
#include <string>
#include <vector>

namespace lyra::rtl {

struct axi4_slave_options {
  unsigned data_bits = 512;     ///< 32, 64, 128, 256 or 512
  unsigned max_outstanding = 16; ///< bursts of each direction
  bool out_of_order = true;     ///< bursts of different ids are answered as they complete; off: in order of arrival
  unsigned stall_percent = 0;   ///< of the cycles each channel holds back ready or valid (tests)
  uint64_t seed = 1;
  uint64_t timeout_cycles = 1000000; ///< a burst that the machine has not answered for so many edges is an error
};

struct axi4_slave_statistics {
  uint64_t reads = 0, writes = 0, beats = 0, lines = 0, errors = 0;
  template <class V> void describe(V&& v) {
    v("reads", reads, "bursts", "read bursts");
    v("writes", writes, "bursts", "write bursts");
    v("beats", beats, "beats", "data beats in both directions");
    v("lines", lines, "transactions", "line transactions that the bursts became");
    v("errors", errors, "bursts", "answered SLVERR or DECERR");
  }
};

/// An AXI4 slave at pins whose clock somebody else owns: a pin_block of a test, or a testbench through the C interface. Bursts of every type and size, narrow and
/// unaligned. A write becomes one masked write for each line when its last beat has come; a read, one read of each line. Bursts with one id are answered in order.
/// TLM's ADDRESS_ERROR becomes DECERR, other errors SLVERR. What breaks the protocol (burst_error, WLAST at the wrong beat) is kept in `error()` and
/// answered SLVERR. While reset_n is low everything is forgotten: answers of the machine to older bursts are dropped when they come; writes sent stay done.
class axi4_slave : public sc_core::sc_module, private fabric::response_client, private fabric::resettable {
public:
  axi4_slave(sc_core::sc_module_name name, const fabric::context& context, const axi4_slave_options& options);
  fabric::initiator_port out; ///< to the crossbar, an L2 channel or any memory

  /// The pins that the slave drives now.
  const axi_slave_pins& pins() const { return pins_; }
  /// One rising edge at the kernel's time: `in` and pins() are the pins just before it. Then pins() has new values.
  void edge(const axi_in& in);
  bool idle() const { return reads_.empty() && writes_.empty() && !assembling_.size(); }
  /// The first thing that broke the protocol or was not answered in time; empty: none.
  const std::string& error() const { return error_; }
  const axi4_slave_statistics& statistics() const { return statistics_; }

private:
  struct line { uint64_t address; uint64_t mask; uint8_t data[64]; };
  struct burst {
    axi_address a;
    std::vector<line> lines;
    uint64_t tag = 0, since = 0;
    unsigned missing = 0;   ///< lines not answered
    unsigned beat = 0;      ///< next beat of R
    uint8_t resp = 0;
    bool complete = false;  ///< W: all beats are there
  };
  struct write_beat { uint8_t data[64]; uint64_t strobe; bool last; };

  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override;
  void on_reset() override;
  void take(const axi_in& in);
  void assemble();
  void drive();
  void drive_read();
  line& line_of(burst& b, uint64_t address);
  void send(burst& b, bool write);
  void pump();
  void settle();
  void forget();
  burst* ready(std::list<burst>& from);
  void complain(const std::string& text) { if (error_.empty()) error_ = std::string(name()) + ": " + text; }
  bool held() { return options_.stall_percent && fabric::chaos_source::mix(options_.seed + ++rolls_) % 100 < options_.stall_percent; }

  fabric::context context_;
  axi4_slave_options options_;
  unsigned bus_bytes_;
  axi_slave_pins pins_;
  std::list<burst> reads_, writes_;   ///< in order of arrival; writes_: complete ones, sent
  std::deque<burst> assembling_;      ///< AW whose W beats are still coming
  std::deque<write_beat> write_beats_; ///< W beats, perhaps before their AW
  burst* streaming_ = nullptr;        ///< the read whose beats are on R
  burst* answering_ = nullptr;        ///< the write on B
  std::deque<fabric::payload*> to_send_;
  struct returned { fabric::payload* p; fabric::picoseconds at; };
  std::deque<returned> returned_;
  uint64_t tag_ = 1, oldest_tag_ = 1, rolls_ = 0, edges_ = 0;
  std::string error_;
  axi4_slave_statistics statistics_;
};

} // namespace lyra::rtl
