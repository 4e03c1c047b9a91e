// SPDX-License-Identifier: Apache-2.0
// The global data share: one for the machine, with append counters, ordered append and global wave sync.
#pragma once
#include "fabric/context.h"
#include "fabric/data_share.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include "gds/ordered_append.h"
#include "gds/wave_sync.h"
#include <memory>
#include <string>
#include <vector>

namespace lyra::gds {

constexpr uint32_t gds_bytes = 65536;

struct gds_parameters {
  unsigned latency_cycles = 150;
  unsigned queue_depth = 2;
  std::string arbitration = "round_robin";
  fabric::data_share_rates rates{2, 4, 8, 4, 6, 8, 10, 4, 6, 10, 5, 6, 2, "ISA7: 128 B/clk, twice an LDS path; shares of address and data as CLRX has them for LDS"}; ///< half of an LDS path's

  template <class V> void describe(V&& v) {
    using fabric::parameter_info;
    v("latency_cycles", latency_cycles, parameter_info{"cycles", 5, 10000, nullptr, "assumed: between an LDS read and an L2 hit", "arrival at the GDS to response, of a lone 32-bit read without conflicts"});
    v("queue_depth", queue_depth, parameter_info{"instructions", 1, 64, nullptr, "assumed", "wave instructions of one CU that wait for their turn"});
    v("arbitration", arbitration, parameter_info{"", 0, 0, "round_robin|fifo", "assumed", "which CU's request is next"});
    rates.describe(v);
  }
};

struct gds_statistics {
  uint64_t instructions = 0, reads = 0, writes = 0, atomics = 0, permutes = 0, appends = 0, ordered = 0, wave_syncs = 0;
  uint64_t active_lanes = 0, out_of_range_lanes = 0, broadcast_lanes = 0;
  uint64_t busy_cycles = 0, bank_conflict_cycles = 0, same_address_cycles = 0, queue_wait_cycles = 0;
  uint64_t ordered_waits = 0, ordered_wait_cycles = 0, sync_waits = 0, sync_wait_cycles = 0, refused_requests = 0, refused_cycles = 0;

  template <class V> void describe(V&& v) {
    v("instructions", instructions, "wave instructions", "all that were done or queued in a unit");
    v("reads", reads, "wave instructions", "loads");
    v("writes", writes, "wave instructions", "stores");
    v("atomics", atomics, "wave instructions", "read-modify-writes, SRC2 forms included");
    v("permutes", permutes, "wave instructions", "swizzle, permute, bpermute");
    v("appends", appends, "wave instructions", "ds_append, ds_consume");
    v("ordered", ordered, "wave instructions", "ds_ordered_count done");
    v("wave_syncs", wave_syncs, "wave instructions", "GWS operations");
    v("active_lanes", active_lanes, "lanes", "sum of active lanes");
    v("out_of_range_lanes", out_of_range_lanes, "lanes", "accesses beyond M0's size: read 0 or dropped");
    v("broadcast_lanes", broadcast_lanes, "lanes", "accesses served by another lane's access to the same dword");
    v("busy_cycles", busy_cycles, "cycles", "an instruction at work");
    v("bank_conflict_cycles", bank_conflict_cycles, "cycles", "beyond one for each phase");
    v("same_address_cycles", same_address_cycles, "cycles", "of bank_conflict_cycles: atomics of several lanes on one address");
    v("queue_wait_cycles", queue_wait_cycles, "cycles", "arrival to start, summed over instructions");
    v("ordered_waits", ordered_waits, "wave instructions", "ds_ordered_count that came before their turn");
    v("ordered_wait_cycles", ordered_wait_cycles, "cycles", "that they waited for it");
    v("sync_waits", sync_waits, "wave instructions", "GWS barriers and semaphores that had to wait");
    v("sync_wait_cycles", sync_wait_cycles, "cycles", "that they waited");
    v("refused_requests", refused_requests, "requests", "found the CU's queue full and held the port (END_REQ withheld)");
    v("refused_cycles", refused_cycles, "cycles", "that such requests held the port");
  }
};

/// One target port a CU for DS instructions with GDS=1, as fabric::wave_request payloads (operands as for the LDS; the value of GWS_INIT, SEMA_BR and BARRIER and
/// the increment of ORDERED_COUNT in vaddr[0], where their encoding has it; the first active lane counts, none gives 0).
///
/// M0 = {base[31:16], size[15:0]} bytes: memory instructions and append/consume address base + ADDR + offset and are checked against size (0xffff: no limit);
/// ORDERED_COUNT uses M0[31:16] as the address of the counters, GWS M0[21:16] + OFFSET0[5:0] as resource number. A request with gds_size set is
/// further kept to gds_base .. gds_base + gds_size.
///
/// Timing: one FIFO a port, one instruction at a time; banks and rates as in the LDS with a single path. ORDERED_COUNT before its turn and GWS operations that must
/// wait leave the pipeline and pend; their response comes when they have been done. So responses of one port can pass each other.
///
/// Loosely timed: b_transport of a request that must wait returns with TLM_INCOMPLETE_RESPONSE (and has been registered, once): call it again later with
/// the same wave until it is done. It never blocks, since waves of the caller's own thread may have to run first.
class global_data_share : public fabric::timed_module, private fabric::request_server {
public:
  global_data_share(sc_core::sc_module_name name, const fabric::context& context, const gds_parameters& parameters, unsigned ports);
  fabric::target_port& cu_port(unsigned k) { return *ports_[k].port; }
  unsigned port_count() const { return unsigned(ports_.size()); }

  uint8_t* memory();
  const gds_statistics& statistics() const { return statistics_; }
  /// Requests that wait in the ordered-append or wave-sync unit.
  size_t waiting() const { return ordered_.waiting() + sync_.waiting(); }
  /// Who waits for what, one line each; empty: nobody.
  std::string describe_waiting() const;

private:
  struct entry { fabric::payload* p; fabric::cycle_t arrival; };
  struct queue {
    std::unique_ptr<fabric::target_port> port;
    std::vector<entry> fifo;
    unsigned first = 0, count = 0;
    fabric::cycle_t last_arrival = 0;
    entry refused{nullptr, 0};
  };
  struct held { fabric::payload* p; unsigned port; fabric::cycle_t since; }; ///< a request that pends in a unit; its token is the index

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  void push(queue& q, fabric::payload& p, fabric::cycle_t arrival);
  int choose(fabric::cycle_t cycle);
  void start(unsigned port, fabric::cycle_t cycle);
  void occupy(fabric::cycle_t cycle, const fabric::data_share_cost& cost);
  void respond(unsigned port, fabric::payload& p, fabric::cycle_t start, unsigned occupancy);
  uint64_t hold(fabric::payload& p, unsigned port, fabric::cycle_t cycle);
  held release(uint64_t token);
  fabric::data_share_window window(const fabric::wave_request& w);
  void do_ordered(fabric::wave_request& w, const ordered_fields& f);
  bool do_sync(fabric::wave_request& w, alu::ds_kind kind, uint64_t token);
  void count(const alu::ds_access& access);
  void trace(fabric::cycle_t cycle);

  gds_parameters parameters_;
  fabric::bank_model banks_;
  fabric::chaos_source chaos_;
  uint32_t number_;
  uint64_t sequence_ = 0;
  std::unique_ptr<uint8_t[]> memory_;
  std::vector<queue> ports_;
  unsigned turn_ = 0;           ///< round robin: the first to be asked
  size_t queued_ = 0;
  fabric::cycle_t free_ = 0;
  ordered_append ordered_;
  wave_sync sync_;
  std::vector<held> held_;
  std::vector<uint64_t> idle_tokens_;
  std::vector<waiting_wave> released_;
  std::vector<uint32_t> lt_waiting_, lt_released_; ///< wave ids
  alu::ds_addresses addresses_;
  gds_statistics statistics_;
  observe::signal busy_signal_, queue_signal_, waiting_signal_;
  bool traced_ = false;
};

} // namespace lyra::gds
