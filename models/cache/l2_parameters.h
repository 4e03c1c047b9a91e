// SPDX-License-Identifier: Apache-2.0
// Parameters and statistics of an L2 channel.
#pragma once
#include "fabric/parameters.h"
#include <cstdint>
#include <string>

namespace lyra::cache {

struct l2_parameters {
  unsigned size_bytes = 262144, ways = 16;
  std::string replacement = "lru";
  std::string index_hash = "mix";
  unsigned hit_latency_cycles = 78, write_latency_cycles = 78, miss_request_cycles = 20, fill_response_cycles = 58, atomic_request_cycles = 20, atomic_response_cycles = 58, atomic_return_cycles = 137;
  unsigned input_depth = 32, mshrs = 256, mshr_targets = 32, writeback_entries = 256;
  std::string slc_policy = "first_victim";
  bool check_pages = true;
  // where the channel stands in the machine: set by who builds it, not described
  unsigned channels = 1, interleave_bytes = 256;

  template <class V> void describe(V&& v) {
    v("size_bytes", size_bytes, {"bytes", 4096, 67108864, nullptr, "256 KB a TCC (Mesa, Vega)", "data of one channel"});
    v("ways", ways, {"ways", 1, 256, nullptr, "16 in two simulators; not published for Vega", "associativity"});
    v("replacement", replacement, {"", 0, 0, "lru|fifo|random", "gpu-benches, MI100: latency from 2 to 24 MB, see index_hash", "which line leaves a full set"});
    v("index_hash", index_hash, {"", 0, 0, "none|fold|mix", "gpu-benches, MI100: latency from 2 to 24 MB is that of 16-way LRU sets that lines fall into at random",
      "set of a line: by the lowest address bits; these XOR higher ones; or by a hash of all address bits, as scattered pages make it too"});
    v("hit_latency_cycles", hit_latency_cycles, {"cycles", 1, 10000, nullptr, "share of the 264-clk L2 hit (gpu-benches, MI100)", "from tag look-up to the response of a read that hits"});
    v("write_latency_cycles", write_latency_cycles, {"cycles", 1, 10000, nullptr, "assumed as for reads", "from tag look-up to the acknowledgement of a write"});
    v("miss_request_cycles", miss_request_cycles, {"cycles", 1, 10000, nullptr, "assumed", "from tag look-up to the request to memory"});
    v("fill_response_cycles", fill_response_cycles, {"cycles", 1, 10000, nullptr, "hit latency less miss_request_cycles: a miss takes a hit and the memory's time", "from the memory's response to the response"});
    v("atomic_request_cycles", atomic_request_cycles, {"cycles", 1, 10000, nullptr, "assumed", "from tag look-up to the packet's arrival at the atomic unit"});
    v("atomic_response_cycles", atomic_response_cycles, {"cycles", 1, 10000, nullptr, "assumed", "from the atomic unit's response to the response"});
    v("atomic_return_cycles", atomic_return_cycles, {"cycles", 0, 10000, nullptr, "simulator tuned to Vega 20 (UW-Madison): GLC atomics take 137 clk more", "what a packet that returns old values takes on top"});
    v("input_depth", input_depth, {"requests", 1, 1024, nullptr, "assumed", "requests that wait for the tag look-up; a further one is held back"});
    v("mshrs", mshrs, {"lines", 1, 4096, nullptr, "assumed: enough for 64 GB/s at 250 ns", "lines that are fetched or locked at once"});
    v("mshr_targets", mshr_targets, {"requests", 1, 1024, nullptr, "assumed", "requests that wait for one line"});
    v("writeback_entries", writeback_entries, {"lines", 1, 1024, nullptr, "assumed, as mshrs; MI100 writes 1102 GB/s (gpu-benches): over 90 lines a channel", "written-back lines the memory has not acknowledged"});
    v("slc_policy", slc_policy, {"", 0, 0, "first_victim|drop|miss|keep", "Vega ISA 8.1: SLC streams through L2",
      "lines of SLC requests: first_victim: go first when their set is full; drop: leave when the request is done; miss: also never hit, memory is read and written; keep: as others"});
    v("check_pages", check_pages, {"", 0, 1, nullptr, "", "requests to pages that do not exist, and writes to read-only ones, are answered ADDRESS_ERROR at once"});
  }
};

struct l2_statistics {
  uint64_t requests = 0, reads = 0, writes = 0, atomics = 0, controls = 0, read_bytes = 0, written_bytes = 0, read_hits = 0, read_misses = 0, partial_misses = 0, merged = 0,
           write_hits = 0, write_allocations = 0, full_line_writes = 0, atomic_hits = 0, atomic_misses = 0, atomic_operations = 0, atomic_lock_waits = 0, fills = 0, evictions = 0,
           writebacks = 0, writeback_bytes = 0, lost_writebacks = 0, streaming = 0, streaming_dropped = 0, nv = 0, errors = 0, tag_busy_cycles = 0, stall_mshr_cycles = 0,
           stall_target_cycles = 0, stall_writeback_cycles = 0, stall_ways_cycles = 0, control_cycles = 0, input_wait_cycles = 0, response_wait_cycles = 0, input_max = 0,
           mshr_max = 0, held_back = 0, read_latency_cycles = 0, miss_latency_cycles = 0;
  template <class V> void describe(V&& v) {
    v("requests", requests, "requests", "requests looked up");
    v("reads", reads, "requests", "line reads");
    v("writes", writes, "requests", "line writes");
    v("atomics", atomics, "requests", "atomic packets");
    v("controls", controls, "requests", "cache controls (write back, invalidate)");
    v("read_bytes", read_bytes, "bytes", "bytes given to readers");
    v("written_bytes", written_bytes, "bytes", "bytes taken from writers");
    v("read_hits", read_hits, "requests", "reads whose bytes were all there");
    v("read_misses", read_misses, "requests", "reads whose line was not there");
    v("partial_misses", partial_misses, "requests", "reads and atomics whose line was there without some of the bytes");
    v("merged", merged, "requests", "requests that waited for a line already being fetched or locked");
    v("write_hits", write_hits, "requests", "writes whose line was there");
    v("write_allocations", write_allocations, "requests", "writes that took a new line without fetching it");
    v("full_line_writes", full_line_writes, "requests", "writes of all 64 bytes");
    v("atomic_hits", atomic_hits, "requests", "atomic packets whose line was there");
    v("atomic_misses", atomic_misses, "requests", "atomic packets whose line had to be fetched");
    v("atomic_operations", atomic_operations, "operations", "lanes of atomic packets");
    v("atomic_lock_waits", atomic_lock_waits, "requests", "of the merged requests, those that met a line locked by an atomic");
    v("fills", fills, "lines", "lines that came from memory");
    v("evictions", evictions, "lines", "lines that gave way to others");
    v("writebacks", writebacks, "lines", "lines written to memory");
    v("writeback_bytes", writeback_bytes, "bytes", "dirty bytes written to memory");
    v("lost_writebacks", lost_writebacks, "lines", "lines that memory refused (their pages went away): machine faults");
    v("streaming", streaming, "requests", "requests with SLC");
    v("streaming_dropped", streaming_dropped, "lines", "lines that left because of SLC");
    v("nv", nv, "requests", "requests with NV, which L2 ignores");
    v("errors", errors, "requests", "requests answered with an error");
    v("tag_busy_cycles", tag_busy_cycles, "cycles", "cycles with a look-up");
    v("stall_mshr_cycles", stall_mshr_cycles, "cycles", "cycles the look-up waited for a free MSHR");
    v("stall_target_cycles", stall_target_cycles, "cycles", "cycles the look-up waited because too many requests wait for the line");
    v("stall_writeback_cycles", stall_writeback_cycles, "cycles", "cycles the look-up waited for a free write-back entry");
    v("stall_ways_cycles", stall_ways_cycles, "cycles", "cycles the look-up waited because every way of the set was being fetched or locked");
    v("control_cycles", control_cycles, "cycles", "cycles the look-up waited for cache controls");
    v("input_wait_cycles", input_wait_cycles, "cycles", "sum over requests of cycles between arrival and look-up");
    v("response_wait_cycles", response_wait_cycles, "cycles", "sum over responses of cycles lost to the 64-byte response port");
    v("input_max", input_max, "requests", "most requests that waited for look-up");
    v("mshr_max", mshr_max, "lines", "most lines fetched or locked at once");
    v("held_back", held_back, "requests", "requests whose acceptance had to wait (input_depth)");
    v("read_latency_cycles", read_latency_cycles, "cycles", "sum over reads from arrival to response");
    v("miss_latency_cycles", miss_latency_cycles, "cycles", "sum over fills from look-up to the memory's response");
  }
};

} // namespace lyra::cache
