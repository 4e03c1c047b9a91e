// SPDX-License-Identifier: Apache-2.0
// The vector L1 data cache of a compute unit (TCP): TA -> L1 -> TD, misses and writes to the crossbar.
#pragma once
#include "fabric/cache_array.h"
#include "fabric/context.h"
#include "fabric/dmi_cache.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include "fabric/ports.h"
#include "fabric/ring.h"

namespace lyra::cache {

struct l1_parameters {
  unsigned size_bytes = 16384, ways = 4;
  bool index_fold = false;
  unsigned tag_lookups_per_cycle = 4, tag_banks = 1;
  unsigned hit_latency_cycles = 62, miss_request_cycles = 20, fill_return_cycles = 50;
  unsigned mshrs = 128, writes_outstanding = 256;
  bool write_combine = true;
  unsigned request_fifo_entries = 64, latency_fifo_entries = 512;
  unsigned td_bytes_per_cycle = 64, td_lines_per_cycle = 4;

  template <class V> void describe(V&& v) {
    v("size_bytes", size_bytes, {"bytes", 256, 1 << 20, nullptr, "KFD cache tables, MT4G", "data capacity (64-byte lines)"});
    v("ways", ways, {"ways", 1, 256, nullptr, "assumed (MGPUSim: 4 ways of 64 sets)", "associativity, LRU"});
    v("index_fold", index_fold, {"", 0, 1, nullptr, "assumed", "XOR higher address bits into the set index"});
    v("tag_lookups_per_cycle", tag_lookups_per_cycle, {"lines/cycle", 1, 64, nullptr, "vega10_enum.h: TAGRAM0..3_REQ", "lines looked up in one cycle, in order"});
    v("tag_banks", tag_banks, {"banks", 1, 64, nullptr, "perftest: 64 random lines take 16 clk, so no conflicts", "tag RAM banks by line number, one lookup each a cycle; 1: no conflicts"});
    v("hit_latency_cycles", hit_latency_cycles, {"cycles", 1, 2000, nullptr, "gpu-benches, MI100: 134 clk a dependent load, less the CU's, TA's and TD's shares", "tag lookup to the line at TD"});
    v("miss_request_cycles", miss_request_cycles, {"cycles", 1, 2000, nullptr, "gpu-benches, MI100: 264 clk an L2 hit; this and the return make a hit latency, the rest is crossbar and L2", "tag lookup to the request at the crossbar"});
    v("fill_return_cycles", fill_return_cycles, {"cycles", 1, 2000, nullptr, "as miss_request_cycles", "data or acknowledgement from L2 to TD"});
    v("mshrs", mshrs, {"lines", 1, 1024, nullptr, "MGPUSim: up to 128; Radeon VII reads 841 GB/s (clpeak), for which 64 are too few", "fills outstanding"});
    v("writes_outstanding", writes_outstanding, {"requests", 1, 1024, nullptr, "assumed: enough for a line a cycle at the L2's latency (CLRX: a 16-byte store each 16 clk)", "writes and atomics that L2 has not acknowledged"});
    v("write_combine", write_combine, {"", 0, 1, nullptr, "ISA 8.1: GLC=0 stores combine the lanes of an instruction", "writes of one instruction to one line join while they wait for the crossbar"});
    v("request_fifo_entries", request_fifo_entries, {"lines", 1, 4096, nullptr, "assumed", "lines from TA that wait for their lookup"});
    v("latency_fifo_entries", latency_fifo_entries, {"lines", 1, 4096, nullptr, "assumed; 284 cover the hit latency at four lines a cycle", "lines between tag lookup and TD"});
    v("td_bytes_per_cycle", td_bytes_per_cycle, {"bytes/cycle", 4, 4096, nullptr, "soc_gfx906 peak: 64 B/clk/CU", "data to TD (wanted bytes of each line)"});
    v("td_lines_per_cycle", td_lines_per_cycle, {"lines/cycle", 1, 64, nullptr, "GPUOpen, coalescing on GCN: four texels a clk", "lines and acknowledgements to TD in one cycle"});
  }
};

struct l1_statistics {
  uint64_t reads = 0, hits = 0, misses = 0, merged = 0, glc_reads = 0, glc_dropped = 0;
  uint64_t writes = 0, write_bytes = 0, full_line_writes = 0, lines_kept = 0, lines_dropped_by_writes = 0, writes_combined = 0;
  uint64_t atomics = 0, lines_dropped_by_atomics = 0, controls = 0, invalidations = 0, lines_invalidated = 0;
  uint64_t fills = 0, evictions = 0, poisoned_fills = 0, errors = 0;
  uint64_t l2_reads = 0, l2_writes = 0, l2_atomics = 0, bytes_to_td = 0;
  uint64_t mshr_full_cycles = 0, writes_full_cycles = 0, fifo_full_cycles = 0, tag_bank_cycles = 0;

  template <class V> void describe(V&& v) {
    v("reads", reads, "lines", "lines read by TA");
    v("hits", hits, "lines", "reads found in the cache");
    v("misses", misses, "lines", "reads that started a fill");
    v("merged", merged, "lines", "reads that joined an outstanding fill");
    v("glc_reads", glc_reads, "lines", "reads with GLC=1 (never hits)");
    v("glc_dropped", glc_dropped, "lines", "valid lines dropped by GLC=1 reads");
    v("writes", writes, "lines", "line writes by TA");
    v("write_bytes", write_bytes, "bytes", "bytes written by TA");
    v("full_line_writes", full_line_writes, "lines", "lines of which one instruction wrote all 64 bytes");
    v("lines_kept", lines_kept, "lines", "written lines that stay valid (GLC=0, all 64 bytes)");
    v("lines_dropped_by_writes", lines_dropped_by_writes, "lines", "valid lines dropped by partial or GLC=1 writes");
    v("writes_combined", writes_combined, "lines", "writes that joined a waiting write of the same instruction and line");
    v("atomics", atomics, "packets", "atomic packets");
    v("lines_dropped_by_atomics", lines_dropped_by_atomics, "lines", "valid lines dropped by atomics");
    v("controls", controls, "requests", "cache controls in the vector stream");
    v("invalidations", invalidations, "requests", "invalidations of all or of the volatile lines");
    v("lines_invalidated", lines_invalidated, "lines", "lines dropped by invalidations");
    v("fills", fills, "lines", "lines that came from L2");
    v("evictions", evictions, "lines", "valid lines replaced");
    v("poisoned_fills", poisoned_fills, "lines", "outstanding fills that a write, atomic, GLC=1 read or invalidation kept from being installed");
    v("errors", errors, "responses", "error responses from L2");
    v("l2_reads", l2_reads, "requests", "reads sent to the crossbar");
    v("l2_writes", l2_writes, "requests", "writes sent to the crossbar");
    v("l2_atomics", l2_atomics, "requests", "atomic packets sent to the crossbar");
    v("bytes_to_td", bytes_to_td, "bytes", "wanted bytes handed to TD");
    v("mshr_full_cycles", mshr_full_cycles, "cycles", "tag stage waits for a free MSHR");
    v("writes_full_cycles", writes_full_cycles, "cycles", "tag stage waits for a write acknowledgement");
    v("fifo_full_cycles", fifo_full_cycles, "cycles", "tag stage waits for room in the latency FIFO");
    v("tag_bank_cycles", tag_bank_cycles, "cycles", "lookups put off by a tag bank conflict");
  }
};

/// Vector L1. Write-through, not coherent, 64-byte lines, in-order return.
///
/// `ta_port` (target): whole-line transactions in the order TA issues them: READ, WRITE (byte enables), atomic packets (IGNORE and an
/// atomic_extension), cache controls (IGNORE and policy.control). `td_port` (initiator): each of these same payloads, in that order, when
/// it is done: a read when its data is in, a write or atomic when L2 has acknowledged it. When TD responds, L1 responds to TA.
/// `l2_port` (initiator): reads that missed are passed on as they are, with policy.passing this cache's note; other payloads are its own. `control_port` (target): invalidation at a dispatch start, beside the stream.
/// policy.tag stays as TA wrote it; bits 63:16 name the instruction: lanes of one instruction share GLC=1 fills and combine writes.
/// policy.hit is set where a read was served from here, policy.wanted_bytes narrows the use of the data path.
///
/// Rules (ISA 8.1): GLC=1 reads drop a matching line and fetch from L2, the line does not stay; writes go through to L2, the line stays
/// only if GLC=0 and one instruction wrote all 64 bytes; atomics drop the line. All of these, and invalidations, poison an outstanding
/// fill of the line: older reads get it, it is not installed, and younger reads do not join it but follow the store to L2.
/// "Volatile" lines are those with NV=0. Loosely timed: nothing is held here; TD is not called, the data comes back to the caller.
class l1_cache : public fabric::timed_module, private fabric::request_server, private fabric::response_client {
public:
  l1_cache(sc_core::sc_module_name name, fabric::context& context, const l1_parameters& parameters = {});

  fabric::target_port ta_port, control_port;
  fabric::initiator_port td_port, l2_port;

  const l1_statistics& statistics() const { return statistics_; }
  bool idle() const { return requests_.empty() && send_ == tail_ && controls_.empty() && responses_.empty() && !withheld_; }

private:
  enum class entry_state : uint8_t { waiting, done, sent };
  struct alignas(32) entry { // of the latency FIFO
    fabric::payload* p = nullptr;
    fabric::cycle_t cycle = 0; ///< done: earliest at TD; sent: at TD
    uint32_t next = 0;         ///< next entry that waits for the same transaction
    uint32_t bytes = 0;        ///< use of the data path
    entry_state state = entry_state::waiting;
  };
  enum class kind : uint8_t { read, write, atomic };
  static constexpr size_t key_chains = 256;
  struct alignas(64) transaction { // to L2: reads first (MSHRs), then writes and atomics
    fabric::payload* p = nullptr; ///< what goes to L2: a read of TA's that missed, passed on; a write's own, from the beginning; others: made when sent
    uint64_t line = 0, mask = 0;
    uint64_t instruction = 0;
    fabric::cycle_t earliest = 0;
    uint32_t first = 0, last = 0; ///< FIFO entries that wait for it
    l1_cache::kind what = kind::read;
    bool queued = false, glc = false, slc = false, nv = false, streaming = false;
  };
  struct arrival { fabric::payload* p; fabric::cycle_t cycle; };
  struct combining { uint64_t line, mask; uint32_t slot; };
  enum class stall : uint8_t { none, mshr, writes, fifo, bank };

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  bool get_direct_mem_ptr(unsigned port, fabric::payload& p, tlm::tlm_dmi& dmi) override;
  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override { (void)port; wake_at_ps(at); }
  void on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;
  void free_all();

  stall look_up(fabric::payload& p, fabric::cycle_t c);
  stall read(fabric::payload& p, fabric::cycle_t c);
  stall write(fabric::payload& p, fabric::cycle_t c);
  stall atomic(fabric::payload& p, fabric::cycle_t c);
  void control(fabric::payload& p);
  void look_ups(fabric::cycle_t c);
  void response(fabric::payload& p, fabric::cycle_t c);
  void keep_full_line(uint64_t line, const uint8_t* bytes, bool nv);
  bool drop(uint64_t line);
  void poison(uint64_t line);
  void invalidate(bool volatile_only);
  uint32_t append(fabric::payload& p, unsigned bytes);
  void done(entry& e, fabric::cycle_t cycle);
  void enqueue(uint32_t slot, fabric::cycle_t c);
  fabric::cycle_t send_to_l2(fabric::cycle_t c);
  void send_to_td(fabric::cycle_t c);
  void account_stall(fabric::cycle_t c);
  void trace(fabric::cycle_t c);
  static size_t key_hash(uint64_t line) { return line / line_bytes % key_chains; }
  void set_key(uint32_t mshr, uint64_t key);
  entry& fifo(uint64_t n) { return fifo_[n & fifo_mask_]; }
  bool fifo_full() const { return tail_ - head_ >= parameters_.latency_fifo_entries; }

  fabric::context& context_;
  l1_parameters parameters_;
  l1_statistics statistics_;
  uint32_t number_; ///< for chaos
  uint64_t draws_ = 0;

  cache_array lines_;
  std::vector<uint64_t> keys_; ///< by MSHR: line | 1 for GLC=1, or no_key where free or poisoned: what younger reads may join
  std::vector<uint16_t> key_heads_, key_next_; ///< MSHRs with keys, chained by hash of the line
  std::vector<transaction> transactions_;
  std::vector<uint32_t> free_mshrs_, free_writes_;
  fabric::ring<uint32_t> l2_queue_;
  fabric::cycle_t last_l2_cycle_ = 0;
  fabric::ring<arrival> requests_, responses_, controls_;
  fabric::payload* withheld_ = nullptr;

  std::vector<entry> fifo_;
  uint64_t fifo_mask_, head_ = 0, send_ = 0, tail_ = 0; ///< head: oldest not at TD yet; send: oldest not sent
  uint64_t td_position_ = 0, td_quantum_; ///< data path in units of bytes: cycle * td_bytes_per_cycle + offset

  std::vector<combining> combining_; ///< lines the newest store instruction has written partly, with their bytes
  std::vector<uint8_t> combining_data_;
  uint64_t combining_instruction_ = 0;

  fabric::cycle_t lookup_cycle_ = fabric::never; ///< whose lookups are counted below
  unsigned lookups_ = 0;
  uint64_t banks_used_ = 0;
  stall stall_ = stall::none;
  fabric::cycle_t stall_since_ = 0;

  fabric::dmi_cache dmi_;
  unsigned hits_now_ = 0, misses_now_ = 0, merged_now_ = 0, writes_now_ = 0; ///< of this cycle, for the trace
  observe::signal lookup_signal_, hit_signal_, miss_signal_, merged_signal_, write_signal_, fills_signal_, writes_outstanding_signal_, fifo_signal_, stall_signal_, td_signal_;
};

} // namespace lyra::cache
