// SPDX-License-Identifier: Apache-2.0
// The local data share of a compute unit: 64 KB in 32 banks, with its own atomics.
#pragma once
#include "fabric/context.h"
#include "fabric/data_share.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include <memory>
#include <string>
#include <vector>

namespace lyra::lds {

constexpr uint32_t lds_bytes = 65536;

struct lds_parameters {
  unsigned latency_cycles = 48;
  unsigned issue_cycles = 1;
  unsigned queue_depth = 4;
  std::string append_base = "m0_low";
  fabric::data_share_rates rates;

  template <class V> void describe(V&& v) {
    using fabric::parameter_info;
    v("latency_cycles", latency_cycles, parameter_info{"cycles", 5, 1000, nullptr, "MT4G, MI100: 50 (p50 48) a dependent load, which the wave sees at its SIMD's next turn", "issue in the CU to data in VGPRs of a lone 32-bit read without conflicts"});
    v("issue_cycles", issue_cycles, parameter_info{"cycles", 1, 100, nullptr, "assumed", "of the latency: from issue in the CU to arrival at the LDS"});
    v("queue_depth", queue_depth, parameter_info{"instructions", 1, 64, nullptr, "assumed", "wave instructions that wait in front of each of the two paths"});
    v("append_base", append_base, parameter_info{"", 0, 0, "m0_low|m0_high", "LLVM puts the LDS pointer into M0; the ISA document says M0.base", "which half of M0 ds_append and ds_consume add to the offset"});
    rates.describe(v);
  }
};

struct lds_statistics {
  uint64_t instructions = 0, reads = 0, writes = 0, atomics = 0, permutes = 0, appends = 0, returns_to_lds = 0, flat = 0;
  uint64_t active_lanes = 0, bytes = 0, out_of_range_lanes = 0, broadcast_lanes = 0;
  uint64_t bank_busy_cycles = 0, bank_conflict_cycles = 0, same_address_cycles = 0, path0_busy_cycles = 0, path1_busy_cycles = 0;
  uint64_t queue_wait_cycles = 0, refused_requests = 0, refused_cycles = 0;

  template <class V> void describe(V&& v) {
    v("instructions", instructions, "wave instructions", "all that reached the LDS");
    v("reads", reads, "wave instructions", "loads from LDS (DS and FLAT)");
    v("writes", writes, "wave instructions", "stores to LDS (DS and FLAT)");
    v("atomics", atomics, "wave instructions", "read-modify-writes, SRC2 forms included");
    v("permutes", permutes, "wave instructions", "swizzle, permute, bpermute: no memory is touched");
    v("appends", appends, "wave instructions", "ds_append, ds_consume");
    v("returns_to_lds", returns_to_lds, "wave instructions", "results of LDS=1 vector loads written here");
    v("flat", flat, "wave instructions", "of all: LDS halves of FLAT instructions");
    v("active_lanes", active_lanes, "lanes", "sum of active lanes");
    v("bytes", bytes, "bytes", "sum over active lanes of the bytes accessed");
    v("out_of_range_lanes", out_of_range_lanes, "lanes", "accesses beyond the workgroup's allocation: read 0 or dropped");
    v("broadcast_lanes", broadcast_lanes, "lanes", "accesses served by another lane's access to the same dword");
    v("bank_busy_cycles", bank_busy_cycles, "cycles", "banks at work");
    v("bank_conflict_cycles", bank_conflict_cycles, "cycles", "of bank_busy_cycles: beyond one for each phase");
    v("same_address_cycles", same_address_cycles, "cycles", "of bank_conflict_cycles: atomics of several lanes on one address");
    v("path0_busy_cycles", path0_busy_cycles, "cycles", "path of SIMDs 0 and 1 occupied");
    v("path1_busy_cycles", path1_busy_cycles, "cycles", "path of SIMDs 2 and 3 occupied");
    v("queue_wait_cycles", queue_wait_cycles, "cycles", "arrival to start, summed over instructions");
    v("refused_requests", refused_requests, "requests", "found the queue full and held the port (END_REQ withheld)");
    v("refused_cycles", refused_cycles, "cycles", "that such requests held the port");
  }
};

/// Target of the CU's DS edge. Requests are fabric::wave_request payloads:
///  - DS instructions with GDS=0; vaddr[0] = ADDR, vdata = DATA0, DATA1;
///  - the LDS half of FLAT loads, stores and atomics: exec = the lanes in the LDS aperture, vaddr[0..1] = their 64-bit addresses, of which the low 32 bits
///    (plus the instruction's offset) are the LDS offset; a lane outside the allocation sets fault lds_range;
///  - LDS=1 load returns: `result_to_lds` set, result[0], result_mask and lds_address[lane] as TD gave them: byte address in the whole LDS
///    (lds_base + M0[15:0] + instruction offset + 4 * lane);
///  - BUFFER_STORE_LDS_DWORD: lds_address[lane] likewise; the dwords come back in result[0].
/// Byte offsets are checked against lds_base/lds_size of the request: outside reads 0, writes are dropped.
///
/// Timing: two paths of 64 bytes a cycle (SIMDs 0/1 and 2/3), each with a FIFO; one instruction at a time on the banks. An instruction starts when its path
/// and the banks are free, the older head first; it takes effect then. Results go back in the order of the starts, exact to the cycle.
/// A full FIFO withholds END_REQ. Sources: AMD's performance-counter documentation (paths), CLRX (rates), MT4G (latency).
class local_data_share : public fabric::timed_module, private fabric::request_server {
public:
  local_data_share(sc_core::sc_module_name name, const fabric::context& context, const lds_parameters& parameters);
  fabric::target_port cu_port;

  /// The first `end` bytes, at the least; the place holds until more are asked for.
  uint8_t* memory(uint32_t end);
  const lds_statistics& statistics() const { return statistics_; }
  size_t queued(unsigned path) const { return paths_[path].count; }

private:
  struct entry { fabric::payload* p; fabric::cycle_t arrival; };
  struct path {
    std::vector<entry> fifo; ///< ring of queue_depth
    unsigned first = 0, count = 0;
    fabric::cycle_t free = 0, last_arrival = 0;
    const entry& head() const { return fifo[first]; }
  };

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  void push(path& q, fabric::payload& p, fabric::cycle_t arrival);
  fabric::cycle_t start_of(const path& q) const;
  fabric::data_share_window window(const fabric::wave_request& w);
  bool execute(fabric::wave_request& w, alu::ds_access& access, alu::ds_addresses& addresses);
  void start(path& q, fabric::cycle_t cycle);
  void count(const fabric::wave_request& w, const alu::ds_access& access);
  fabric::cycle_t trace(fabric::cycle_t cycle);
  void show_accesses(const fabric::wave_request& w, const alu::ds_access& access) const;

  lds_parameters parameters_;
  fabric::bank_model banks_;
  fabric::chaos_source chaos_;
  fabric::access_observer* accesses_;
  alu::ds_m0_use m0_use_;
  uint32_t number_;             ///< for chaos
  uint64_t sequence_ = 0;
  std::unique_ptr<uint8_t[]> memory_; ///< null until the first access
  uint32_t room_ = 4096;              ///< its bytes, then
  uint32_t cleared_ = 0;              ///< so many of its bytes have been cleared or written: as far as anyone has reached
  path paths_[2];
  entry refused_{nullptr, 0};   ///< holds the port
  unsigned refused_path_ = 0;
  fabric::cycle_t banks_free_ = 0, last_response_ = 0;
  alu::ds_addresses addresses_;
  lds_statistics statistics_;
  observe::signal busy_signal_, conflicts_signal_, queue_signal_[2];
  observe::text_signal instruction_signal_;
  bool traced_ = false, shown_busy_ = false;
};

} // namespace lyra::lds
