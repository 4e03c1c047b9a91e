// SPDX-License-Identifier: Apache-2.0
// Latencies. No per-level latency of Vega 10 or 20 is published: MI100 (gfx908) has the same compute unit and 64-byte lines, with other cache sizes.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string gpub = "gpu-benches (RRZE) 2025", mt4g = "mt4g 2025", chip_latency = "MI100, 1430 MHz";

benchmark& chase(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, chase_set set) {
  benchmark b;
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  b.measurement.method = method::chase;
  b.measurement.groups = 1;
  b.measurement.items = 64;
  b.measurement.lds_bytes = 1024;
  b.measurement.chase = set;
  b.measurement.figure = figure::wave;
  rows.push_back(std::move(b));
  return rows.back();
}

std::string size_text(uint64_t bytes) { return bytes >= 1 << 30 ? fmt::format("{}GB", bytes >> 30) : bytes >= 1 << 20 ? fmt::format("{}MB", bytes >> 20) : fmt::format("{}KB", bytes >> 10); }

} // namespace

void add_latencies(std::vector<benchmark>& rows) {
  constexpr uint64_t kb = 1024, mb = 1024 * kb;
  using c = confidence;
  chase(rows, "latency.lds", "dependent LDS read", "chase_lds", {}).published(50, c::measured_near, mt4g, "MI100, 1502 MHz").because("fitted: lds.latency_cycles");
  chase(rows, "latency.lds_atomic", "dependent LDS atomic with return", "chase_lds_atomic", {}).because("follows from lds.latency_cycles and the atomic's path time");
  chase(rows, "latency.scalar", "dependent scalar load, K$ hit", "chase_scalar", {8 * kb}).published(48, 50, c::measured_near, mt4g, "MI100, 1502 MHz").because("fitted: scalar_cache.hit_latency_cycles");
  chase(rows, "latency.l1", "dependent vector load, L1 hit", "chase_vector", {8 * kb}).published(134, c::measured_near, gpub, chip_latency).also("mt4g: 136").because("fitted: l1.hit_latency_cycles");
  chase(rows, "latency.l2", "dependent vector load, L2 hit", "chase_vector", {1 * mb}).published(264, c::measured_near, gpub, chip_latency).also("mt4g: 344").because("fitted: l2.hit_latency_cycles");
  chase(rows, "latency.dram", "dependent vector load, memory", "chase_vector", {48 * mb, 0, true}).published(264, c::measured_near, gpub, chip_latency).and_ns(193).also("mt4g: 703")
      .because("fitted: memory.request_path_ns, response_path_ns; published: 540 clk = 264 clk to L2 and 193 ns behind it, so that other clocks can be compared");
  {
    auto& b = chase(rows, "latency.scalar_miss", "scalar load, K$ miss, L2 hit: what it takes more than a hit", "chase_scalar", {256 * kb});
    measurement hit = b.measurement;
    hit.chase.bytes = 8 * kb;
    b.minus(hit).published(155.5 - 43.9, c::measured_near, mt4g, "MI100, 1502 MHz").and_ns(29.2).because("fitted: scalar_cache.miss_request_cycles, fill_return_cycles");
  }
  chase(rows, "latency.tlb_140MB", "dependent vector load, 140 MB, pages of 2 MB", "chase_vector", {140 * mb, 0, true}).published(592 - 276, c::measured_near, gpub, chip_latency).and_ns(193)
      .because("predicted: UTCL1 of 32 entries (latency is flat to 64 MB), its miss fitted at 1 GB");
  chase(rows, "latency.tlb_180MB", "the same, 180 MB", "chase_vector", {180 * mb, 0, true}).published(601 - 276, c::measured_near, gpub, chip_latency).and_ns(193).because("predicted, as 140 MB");
  chase(rows, "latency.tlb_1GB", "the same, 1 GB", "chase_vector", {1024 * mb, 0, true}).published(635 - 276, c::measured_near, gpub, chip_latency).and_ns(193).because("fitted: translation.l2_hit_cycles");
  chase(rows, "latency.dram_fixed", "the same with memory.model=fixed", "chase_vector", {48 * mb, 0, true}).with("memory.model=fixed").published(264, c::measured_near, gpub, chip_latency).and_ns(193).because("fitted: memory.latency_ns");
  // small pages: the same entries reach less far
  for (const unsigned kilobytes : {4u, 64u})
    for (const uint64_t set : {64 * kb, 1 * mb, 16 * mb, 48 * mb, 256 * mb})
      chase(rows, fmt::format("latency.page{}KB_{}", kilobytes, size_text(set)), fmt::format("dependent vector load, {}, pages of {} KB", size_text(set), kilobytes), "chase_vector", {set, 0, set >= 16 * mb}).with(fmt::format("translation.page_bytes={}", kilobytes * kb))
          .because(fmt::format("predicted; not published. UTCL1 reaches {} KB, UTCL2 {} MB", kilobytes * 32, kilobytes * 4));
  // the published curve around the size of L2; kB of 1024 bytes as printed there
  for (const auto& [kilobytes, clk] : {std::pair{2060u, 266.9}, {3118u, 273.0}, {5121u, 274.6}, {6560u, 282.9}, {8064u, 294.4}, {10327u, 310.4}, {12178u, 346.4}, {14359u, 391.0}, {16931u, 445.4}, {19963u, 502.2}, {23537u, 531.0}}) {
    chase_set set{kilobytes * kb};
    set.cold = true;
    chase(rows, fmt::format("latency.set_{}KB", kilobytes), fmt::format("2,000,000 dependent vector loads from a cold L2 (8192 KB), {} KB", kilobytes), "chase_vector", set).only("mi100").published(clk, c::measured_near, gpub, chip_latency)
        .because("predicted: 16-way LRU sets that lines fall into at random; the choice of both (l2.replacement, l2.index_hash) was concluded from the shape of these eleven, no number fitted");
  }
  chase(rows, "latency.memtime", "s_memtime to its value, one after the other", "chase_clock", {}).published(41, c::measured, "gem5 PR 1053, 1350", "not named").because("fitted: cu.memtime_cycles");
  chase(rows, "latency.atomic", "dependent global atomic with return, in L2", "chase_atomic", {64 * kb}).published(264 + 137, c::model, "gpu-benches' L2 hit and what a simulator tuned to Vega 20 adds to it", "MI100; Vega 20").because("fitted: l2.atomic_return_cycles; no direct measurement is published");
  chase(rows, "latency.image_load", "dependent image_load, L1 hit", "chase_image", {}).because("not published; L1 hit and the image's 16 address cycles");
  rows.back().measurement.image_data = 4; rows.back().measurement.image_number = 4;
  chase(rows, "latency.image_sample", "dependent image_sample, bilinear, L1 hit", "chase_sample", {}).because("not published");
  rows.back().measurement.image_data = 10; rows.back().measurement.filter = 1;
  for (const unsigned waves : {4u, 16u}) {
    auto& b = chase(rows, fmt::format("latency.barrier_{}", waves), fmt::format("s_barrier, {} waves of a group", waves), "latency_barrier", {});
    b.measurement.method = method::slope;
    b.measurement.items = waves * 64;
    b.because("not published (cu.barrier_cycles is assumed)");
  }
  {
    auto& b = chase(rows, "latency.launch", "distance of queued empty launches", "launch_empty", {});
    b.measurement.method = method::launch;
    b.measurement.figure = figure::nanoseconds;
    b.unit = "ns";
    b.published(2100, c::inferred, gpub, "MI210, 1700 MHz").because("fitted: dispatcher.packet_latency_ns");
  }
  // the sweeps that the plot draws
  for (uint64_t size = 1 * kb; size <= 1024 * mb; size *= 2)
    chase(rows, "sweep.vector_" + size_text(size), "dependent vector load, random, set of " + size_text(size), "chase_vector", {size, 0, size >= 16 * mb});
  for (uint64_t size = 1 * kb; size <= 64 * kb; size *= 2) chase(rows, "sweep.scalar_" + size_text(size), "dependent scalar load, random, set of " + size_text(size), "chase_scalar", {size});
  for (unsigned stride : {64u, 256u, 1024u, 4096u, 16384u, 65536u})
    chase(rows, fmt::format("sweep.stride_{}B", stride), fmt::format("128 dependent vector loads in turn, {} bytes apart", stride), "chase_vector", {uint64_t(stride) * 128, stride});
}

} // namespace lyra::platforms::bench
