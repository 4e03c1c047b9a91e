// SPDX-License-Identifier: Apache-2.0
// The atomic unit of an L2 channel: a FIFO of packets and the ALUs that do read-modify-write on a line copy.
#pragma once
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include "fabric/ports.h"

namespace lyra::atomic {

struct atomic_unit_parameters {
  unsigned fifo_depth = 16;
  unsigned lanes_per_cycle = 16;
  unsigned cycles_per_operation = 1;
  unsigned latency_cycles = 4;
  std::string fairness = "fifo";
  template <class V> void describe(V&& v) {
    v("fifo_depth", fifo_depth, {"packets", 1, 1024, nullptr, "assumed", "packets that wait in front of the unit; a further one is held back"});
    v("lanes_per_cycle", lanes_per_cycle, {"lanes", 1, 64, nullptr, "256 atomic ALUs over 16 channels (Vega 20 tuning of a simulator)", "operations on different locations that start in one cycle"});
    v("cycles_per_operation", cycles_per_operation, {"cycles", 1, 256, nullptr, "assumed", "distance of two read-modify-writes to one location"});
    v("latency_cycles", latency_cycles, {"cycles", 1, 1000, nullptr, "assumed; the path around it is in the L2 channel", "from the last operation's start to the packet's response"});
    v("fairness", fairness, {"", 0, 0, "fifo|round_robin", "assumed", "which waiting packet is next: the oldest, or the next requester's"});
  }
};

struct atomic_unit_statistics {
  uint64_t packets = 0, operations = 0, returning = 0, busy_cycles = 0, serialised_cycles = 0, wait_cycles = 0, fifo_max = 0, held_back = 0, errors = 0;
  template <class V> void describe(V&& v) {
    v("packets", packets, "packets", "atomic packets done");
    v("operations", operations, "operations", "read-modify-writes done");
    v("returning", returning, "packets", "packets whose old values go back to the requester");
    v("busy_cycles", busy_cycles, "cycles", "cycles in which operations started or waited for their location");
    v("serialised_cycles", serialised_cycles, "cycles", "of these, cycles lost because lanes met on one location");
    v("wait_cycles", wait_cycles, "cycles", "sum over packets of their time in the FIFO");
    v("fifo_max", fifo_max, "packets", "most packets that waited at once");
    v("held_back", held_back, "packets", "packets whose acceptance had to wait for room in the FIFO");
    v("errors", errors, "packets", "packets refused: not an atomic, or a lane outside its line");
  }
};

/// When the operations of one packet start. In lane order, at most `lanes_per_cycle` a cycle, two on one location `cycles_per_operation` apart.
struct packet_schedule {
  unsigned cycles = 0; ///< from the first operation's start to the cycle after the last one's
  unsigned ideal = 0;  ///< the same if all locations were different
};
packet_schedule schedule_packet(const fabric::atomic_extension& a, unsigned lanes_per_cycle, unsigned cycles_per_operation);

/// Does the packet on a copy of its line: results into the entries, new values into `line`. False (and nothing done) when a lane's location is
/// not inside the line or not aligned to its size, or the packet is not well formed.
bool apply_packet(fabric::atomic_extension& a, uint8_t* line);

/// Target only. A packet: command IGNORE, atomic_extension, the line's 64 bytes in the data array; the response brings the new line there and the
/// old values in the entries. A payload without the extension is answered COMMAND_ERROR; an entry outside its line, or an
/// operand size other than 4 or 8, BURST_ERROR. The requester keeps the line locked meanwhile.
class atomic_unit : public fabric::timed_module, public fabric::request_server {
public:
  atomic_unit(sc_core::sc_module_name name, const fabric::context& context, const atomic_unit_parameters& parameters);
  fabric::target_port in;
  const atomic_unit_statistics& statistics() const { return statistics_; }

private:
  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned, fabric::payload&) override { return 0; }
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override {
    draws_ = 0;
    fifo_.clear();
    held_ = nullptr;
    held_at_ = 0;
    last_arrival_ = issue_free_ = 0;
    last_source_ = 0xffff;
    statistics_ = atomic_unit_statistics();
  }
  void enqueue(fabric::payload& p, fabric::cycle_t arrival);
  void execute(fabric::payload& p);

  struct waiting { fabric::payload* p; fabric::cycle_t arrival; uint16_t source; };
  atomic_unit_parameters parameters_;
  bool round_robin_;
  fabric::chaos_source chaos_;
  uint32_t number_;
  uint64_t draws_ = 0;
  std::vector<waiting> fifo_; ///< in order of arrival
  fabric::payload* held_ = nullptr;
  fabric::picoseconds held_at_ = 0;
  fabric::cycle_t last_arrival_ = 0, issue_free_ = 0;
  uint16_t last_source_ = 0xffff;
  atomic_unit_statistics statistics_;
  observe::signal depth_signal_, operations_signal_, busy_signal_;
  observe::text_signal owner_signal_;
};

} // namespace lyra::atomic
