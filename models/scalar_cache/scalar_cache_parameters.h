// SPDX-License-Identifier: Apache-2.0
// Parameters and statistics of the scalar data cache.
#pragma once
#include "fabric/parameters.h"
#include <cstdint>
#include <string>

namespace lyra::scalar_cache {

struct data_cache_parameters {
  unsigned size_bytes = 16384, ways = 4;
  unsigned requests_per_cycle = 1, return_bytes_per_cycle = 64;
  unsigned hit_latency_cycles = 44, miss_request_cycles = 33, fill_return_cycles = 48;
  unsigned mshrs = 32, writes_outstanding = 32, requests_outstanding = 128, port_queue_entries = 8;
  std::string ordering = "as_it_comes";
  uint64_t ordering_seed = 1;
  unsigned shuffle_window_cycles = 64;
  bool invalidate_writes_back = false;
  bool xnack_replay = false;
  uint64_t xnack_seed = 1;
  unsigned xnack_percent = 25, xnack_delay_cycles = 200;

  template <class V> void describe(V&& v) {
    v("size_bytes", size_bytes, {"bytes", 256, 1 << 20, nullptr, "KFD cache tables, MT4G", "data capacity (64-byte lines)"});
    v("ways", ways, {"ways", 1, 256, nullptr, "assumed (MGPUSim: 4)", "associativity, LRU"});
    v("requests_per_cycle", requests_per_cycle, {"requests/cycle", 1, 16, nullptr, "soc_gfx906: one K$ request/clk", "lookups in one cycle, all compute units together"});
    v("return_bytes_per_cycle", return_bytes_per_cycle, {"bytes/cycle", 16, 64, nullptr, "soc_gfx906: 64 B/clk per SQC", "width of the return bus; one answer a cycle"});
    v("hit_latency_cycles", hit_latency_cycles, {"cycles", 1, 1500, nullptr, "MT4G, MI100: 50 clk a dependent load, less the compute unit's share", "lookup to answer"});
    v("miss_request_cycles", miss_request_cycles, {"cycles", 1, 1000, nullptr, "MT4G, MI100: a miss costs 155 clk more than a hit, of which crossbar and L2 take 130", "lookup to the request at the crossbar"});
    v("fill_return_cycles", fill_return_cycles, {"cycles", 1, 1000, nullptr, "MT4G, MI100: a miss costs 155 clk more than a hit, of which crossbar and L2 take 130", "data or acknowledgement from L2 to answer"});
    v("mshrs", mshrs, {"lines", 1, 256, nullptr, "assumed", "fills outstanding"});
    v("writes_outstanding", writes_outstanding, {"requests", 1, 1024, nullptr, "assumed", "writes and atomics that L2 has not acknowledged; write-backs may exceed it"});
    v("requests_outstanding", requests_outstanding, {"requests", 1, 256, nullptr, "assumed", "requests looked up and not answered yet"});
    v("port_queue_entries", port_queue_entries, {"requests", 1, 256, nullptr, "assumed", "requests of one compute unit that wait for their lookup"});
    v("ordering", ordering, {"", 0, 0, "as_it_comes|in_order|shuffled", "ISA 7.3: out of order", "order of the answers to one compute unit"});
    v("ordering_seed", ordering_seed, {"", 0, 1e18, nullptr, "", "seed of `shuffled`"});
    v("shuffle_window_cycles", shuffle_window_cycles, {"cycles", 1, 1000, nullptr, "", "`shuffled` holds each answer back by up to this, at random"});
    v("invalidate_writes_back", invalidate_writes_back, {"", 0, 1, nullptr, "ISA 7.2.3: INV drops, WB writes back", "S_DCACHE_INV writes dirty bytes back before it drops them"});
    v("xnack_replay", xnack_replay, {"", 0, 1, nullptr, "ISA 7.3 (clauses)", "nack requests at random and replay them later"});
    v("xnack_seed", xnack_seed, {"", 0, 1e18, nullptr, "", "seed of the nacks"});
    v("xnack_percent", xnack_percent, {"%", 0, 100, nullptr, "assumed", "share of requests nacked (each at most once)"});
    v("xnack_delay_cycles", xnack_delay_cycles, {"cycles", 1, 100000, nullptr, "assumed", "nack to replay"});
  }
};

struct data_cache_statistics {
  uint64_t loads = 0, hits = 0, misses = 0, merged = 0, partial_hits = 0, glc_loads = 0, load_bytes = 0;
  uint64_t stores = 0, store_bytes = 0, write_through = 0, write_combined = 0;
  uint64_t atomics = 0, controls = 0, invalidations = 0, lines_invalidated = 0, dirty_bytes_dropped = 0;
  uint64_t fills = 0, poisoned_fills = 0, evictions = 0, writebacks = 0, writeback_bytes = 0, errors = 0;
  uint64_t l2_reads = 0, l2_writes = 0, l2_atomics = 0, nacks = 0, returns_out_of_order = 0;
  uint64_t wait_queue_cycles = 0, wait_mshr_cycles = 0, wait_writes_cycles = 0, wait_places_cycles = 0, wait_nack_cycles = 0, wait_hit_cycles = 0, wait_miss_cycles = 0, wait_memory_cycles = 0,
           wait_order_cycles = 0, wait_bus_cycles = 0, request_cycles = 0;
  uint64_t mshr_full_cycles = 0, writes_full_cycles = 0, requests_full_cycles = 0, port_conflict_cycles = 0;

  template <class V> void describe(V&& v) {
    v("loads", loads, "requests", "loads (parts of one line each)");
    v("hits", hits, "requests", "loads whose bytes were all there");
    v("misses", misses, "requests", "loads that started a fill");
    v("merged", merged, "requests", "loads that joined an outstanding fill");
    v("partial_hits", partial_hits, "requests", "misses and merged loads of which some bytes were there (stored before)");
    v("glc_loads", glc_loads, "requests", "loads with GLC=1 (miss-evict)");
    v("load_bytes", load_bytes, "bytes", "bytes loaded");
    v("stores", stores, "requests", "stores");
    v("store_bytes", store_bytes, "bytes", "bytes stored");
    v("write_through", write_through, "requests", "stores with GLC=1 (written through)");
    v("write_combined", write_combined, "requests", "stores that found their line dirty already");
    v("atomics", atomics, "packets", "atomics passed to L2");
    v("controls", controls, "requests", "cache controls");
    v("invalidations", invalidations, "requests", "invalidations of all or of the volatile lines");
    v("lines_invalidated", lines_invalidated, "lines", "lines dropped by invalidations and discards");
    v("dirty_bytes_dropped", dirty_bytes_dropped, "bytes", "dirty bytes lost to an invalidation or discard");
    v("fills", fills, "lines", "lines that came from L2");
    v("poisoned_fills", poisoned_fills, "lines", "outstanding fills kept from being installed");
    v("evictions", evictions, "lines", "lines replaced");
    v("writebacks", writebacks, "lines", "dirty lines written back (control, eviction, atomic, GLC=1 load)");
    v("writeback_bytes", writeback_bytes, "bytes", "dirty bytes written back");
    v("errors", errors, "responses", "error responses from L2");
    v("l2_reads", l2_reads, "requests", "reads sent to the crossbar");
    v("l2_writes", l2_writes, "requests", "writes sent to the crossbar");
    v("l2_atomics", l2_atomics, "requests", "atomics sent to the crossbar");
    v("nacks", nacks, "requests", "requests nacked and replayed (xnack_replay)");
    v("returns_out_of_order", returns_out_of_order, "requests", "answers that overtook an older request of their compute unit");
    v("request_cycles", request_cycles, "request-cycles", "arrival of a request to its answer, all requests; the wait_... cycles add up to it");
    v("wait_queue_cycles", wait_queue_cycles, "request-cycles", "waiting for the lookup: behind older requests of its compute unit, or other compute units had their turn");
    v("wait_mshr_cycles", wait_mshr_cycles, "request-cycles", "first of its queue, no MSHR free");
    v("wait_writes_cycles", wait_writes_cycles, "request-cycles", "first of its queue, too many writes not acknowledged");
    v("wait_places_cycles", wait_places_cycles, "request-cycles", "first of its queue, no place for the request");
    v("wait_nack_cycles", wait_nack_cycles, "request-cycles", "nacked, waiting for the replay (xnack_replay)");
    v("wait_hit_cycles", wait_hit_cycles, "request-cycles", "hit latency; stores that stay here and controls too");
    v("wait_miss_cycles", wait_miss_cycles, "request-cycles", "waiting for a fill, the request's own or joined");
    v("wait_memory_cycles", wait_memory_cycles, "request-cycles", "stores through, atomics and write-backs: until L2 has acknowledged");
    v("wait_order_cycles", wait_order_cycles, "request-cycles", "done, held back by `ordering`");
    v("wait_bus_cycles", wait_bus_cycles, "request-cycles", "done, the return bus was taken");
    v("mshr_full_cycles", mshr_full_cycles, "cycles", "no lookup for want of an MSHR");
    v("writes_full_cycles", writes_full_cycles, "cycles", "no lookup for want of a write acknowledgement");
    v("requests_full_cycles", requests_full_cycles, "cycles", "no lookup for want of a place for the request");
    v("port_conflict_cycles", port_conflict_cycles, "cycles", "request cycles lost to other compute units (sum over waiting ports)");
  }
};

} // namespace lyra::scalar_cache
