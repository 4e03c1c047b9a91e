// SPDX-License-Identifier: Apache-2.0
// The instruction cache (I$, the SQC's instruction side), shared by a group of compute units.
#pragma once
#include "fabric/cache_array.h"
#include "fabric/dmi_cache.h"
#include "fabric/parameters.h"
#include "scalar_cache/request_ports.h"
#include "scalar_cache/return_calendar.h"

namespace lyra::scalar_cache {

struct instruction_cache_parameters {
  unsigned size_bytes = 32768, ways = 4;
  unsigned requests_per_cycle = 4;
  unsigned hit_latency_cycles = 16, miss_request_cycles = 25, fill_return_cycles = 40;
  unsigned mshrs = 16, requests_outstanding = 128, port_queue_entries = 8;
  unsigned prefetch_lines = 1;

  template <class V> void describe(V&& v) {
    v("size_bytes", size_bytes, {"bytes", 256, 1 << 20, nullptr, "KFD cache tables: 32 KB", "capacity (64-byte lines)"});
    v("ways", ways, {"ways", 1, 256, nullptr, "assumed (MGPUSim: 4)", "associativity, LRU"});
    v("requests_per_cycle", requests_per_cycle, {"requests/cycle", 1, 16, nullptr, "AMD GCN white paper: 4 banks, 32 bytes a clock to each of up to 4 compute units", "lookups in one cycle, at most one for each compute unit"});
    v("hit_latency_cycles", hit_latency_cycles, {"cycles", 1, 1500, nullptr, "assumed: lies within the 20 clk of a taken branch (CLRX), with a turn to spare for other waves' fetches", "lookup to answer"});
    v("miss_request_cycles", miss_request_cycles, {"cycles", 1, 1000, nullptr, "as the scalar data cache", "lookup to the request at the crossbar"});
    v("fill_return_cycles", fill_return_cycles, {"cycles", 1, 1000, nullptr, "as the scalar data cache", "data from L2 to answer"});
    v("mshrs", mshrs, {"lines", 1, 256, nullptr, "assumed", "fills outstanding, prefetches included"});
    v("requests_outstanding", requests_outstanding, {"requests", 1, 256, nullptr, "assumed", "fetches looked up and not answered yet"});
    v("port_queue_entries", port_queue_entries, {"requests", 1, 256, nullptr, "assumed", "fetches of one compute unit that wait for their lookup"});
    v("prefetch_lines", prefetch_lines, {"lines", 0, 8, nullptr, "assumed", "lines behind a fetched one that are fetched too"});
  }
};

struct instruction_cache_statistics {
  uint64_t fetches = 0, hits = 0, misses = 0, merged = 0, prefetches = 0, prefetches_used = 0;
  uint64_t fills = 0, poisoned_fills = 0, evictions = 0, invalidations = 0, errors = 0, l2_reads = 0;
  uint64_t mshr_full_cycles = 0, requests_full_cycles = 0, port_conflict_cycles = 0;

  template <class V> void describe(V&& v) {
    v("fetches", fetches, "requests", "fetches of 32 bytes");
    v("hits", hits, "requests", "fetches found in the cache");
    v("misses", misses, "requests", "fetches that started a fill");
    v("merged", merged, "requests", "fetches that joined an outstanding fill (of a fetch or prefetch)");
    v("prefetches", prefetches, "lines", "lines fetched ahead");
    v("prefetches_used", prefetches_used, "lines", "lines fetched ahead that a fetch then used");
    v("fills", fills, "lines", "lines that came from L2");
    v("poisoned_fills", poisoned_fills, "lines", "outstanding fills that an invalidation kept from being installed");
    v("evictions", evictions, "lines", "lines replaced");
    v("invalidations", invalidations, "requests", "invalidations");
    v("errors", errors, "responses", "error responses from L2");
    v("l2_reads", l2_reads, "requests", "reads sent to the crossbar");
    v("mshr_full_cycles", mshr_full_cycles, "cycles", "no lookup for want of an MSHR");
    v("requests_full_cycles", requests_full_cycles, "cycles", "no lookup for want of a place for the request");
    v("port_conflict_cycles", port_conflict_cycles, "cycles", "request cycles lost to other compute units, beyond requests_per_cycle (sum over waiting ports)");
  }
};

struct instruction_cache_port : request_queue {
  fabric::cycle_t looked_up = fabric::never; ///< cycle of its last lookup: one a cycle
  return_calendar answers;
};

/// Instruction cache: 64-byte lines, LRU, read only; one fetch and one answer a cycle for each compute unit, up to requests_per_cycle fetches together
/// (the four banks of the white paper; which addresses share a bank is not published, so that two fetches do not meet in one). Answers as the code comes.
///
/// `cu_port(i)` (target), one a compute unit: READ of up to 64 bytes inside one line (fetches are 32 bytes at PC & ~31), and IGNORE with
/// policy.control invalidate (S_ICACHE_INV). `l2_port` (initiator): line reads, own payloads. `control_port()`: invalidation at a
/// dispatch start. A fill that crosses an invalidation is not installed. Prefetches stay inside mapped pages. Not coherent.
/// Loosely timed: nothing is held here.
class instruction_cache : public request_ports<instruction_cache_port> {
public:
  instruction_cache(sc_core::sc_module_name name, fabric::context& context, unsigned compute_units, const instruction_cache_parameters& parameters = {});

  const instruction_cache_statistics& statistics() const { return statistics_; }
  bool idle() const;

private:
  enum class stall : uint8_t { none, mshr, requests };
  enum class event : uint8_t { none, hit, miss, merged, control };
  struct request { fabric::payload* p; uint16_t next; uint8_t port; };
  struct fill { uint64_t line; uint16_t first, last; bool prefetch; }; ///< prefetch: nobody waits yet

  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override { (void)port; return l2_port.socket->transport_dbg(p); }
  bool get_direct_mem_ptr(unsigned port, fabric::payload& p, tlm::tlm_dmi& dmi) override { (void)port; return l2_port.socket->get_direct_mem_ptr(p, dmi); }
  void on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  void look_ups(fabric::cycle_t c);
  stall look_up(fabric::payload& p, unsigned port, fabric::cycle_t c);
  void prefetch(uint64_t line, uint16_t source, fabric::cycle_t c);
  uint16_t start_fill(uint64_t line, uint16_t source, fabric::cycle_t c);
  uint16_t outstanding_fill(uint64_t line) const;
  uint16_t take_request(fabric::payload& p, unsigned port);
  void answer(uint16_t r, fabric::cycle_t ready);
  void invalidate();
  void response(fabric::payload& p, fabric::cycle_t c);
  void send_answers(fabric::cycle_t c);
  void send_to_l2(fabric::cycle_t c);
  void account_stall(fabric::cycle_t c);
  void trace(fabric::cycle_t c);

  instruction_cache_parameters parameters_;
  instruction_cache_statistics statistics_;
  uint32_t number_;
  uint64_t draws_ = 0;

  cache::cache_array lines_;
  std::vector<uint64_t> keys_; ///< by MSHR: line of a fill that may be joined, or no_key
  std::vector<fill> fills_;
  std::vector<request> requests_;
  fabric::cycle_t last_l2_cycle_ = 0;
  fabric::cycle_t next_answer_ = fabric::never;  ///< the first of all ports' answers
  fabric::cycle_t answer_cycle_ = fabric::never; ///< of the answers sent last, and their compute units (trace)
  uint32_t answered_ = 0;

  stall stall_ = stall::none;
  fabric::cycle_t stall_since_ = 0;
  fabric::dmi_cache dmi_;
  event event_now_ = event::none;
  observe::text_signal event_signal_;
  observe::signal outstanding_signal_, fills_signal_, return_signal_, stall_signal_;
};

} // namespace lyra::scalar_cache
