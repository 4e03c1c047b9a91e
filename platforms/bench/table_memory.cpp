// SPDX-License-Identifier: Apache-2.0
// Vector memory rates, L2 and memory bandwidth.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string perftest = "perftest (Aaltonen) 2020", clrx = "CLRX GcnTimings", gcn = "GCN1-3", vegas = "Radeon VII, Vega FE", lottes = "GPUOpen, coalescing on GCN (Lottes)";

constexpr const char* pattern_text(pattern p) {
  switch (p) {
    case pattern::uniform: return "uniform";
    case pattern::linear: return "linear";
    default: return "random";
  }
}

void add_buffers(std::vector<benchmark>& rows) {
  using c = confidence;
  // narrow raw loads: perftest has none, its typed ones of one channel take the same path
  for (const auto& [op, text, bytes] : {std::tuple{"u8", "buffer_load_ubyte", 1u}, {"u16", "buffer_load_ushort", 2u}})
    for (const auto& [p, v] : {std::pair{pattern::uniform, 4.0}, {pattern::linear, 4.0}, {pattern::random, 16.0}})
      clocks_row(rows, fmt::format("load.raw_{}_{}", op, pattern_text(p)), fmt::format("{}, {}, L1 hits", text, pattern_text(p)), fmt::format("buffer_load_{}", op)).lanes(p, bytes)
          .published(v, c::inferred, lottes + ": coalesced loads of one channel are four times as fast", "GCN");
  // strides on the chip after next: 32 lanes in the source, a wave here
  for (const auto& [s, v] : {std::pair{1u, 4.4}, {2u, 32.2}, {3u, 16.2}, {4u, 64.4}, {5u, 28.2}, {16u, 64.4}})
    clocks_row(rows, fmt::format("load.stride_{}", s), fmt::format("buffer_load_dword, lanes {} dwords apart", s), "buffer_load_x1").lanes(pattern::strided, 4 * s).published(v, c::measured_near, "gpu-benches (RRZE) 2025", "MI210, 1700 MHz")
        .unjudged("measured on MI210 only, where even strides take two to four times as long as odd ones (banks of another L1); no figure tells whether Vega has them: perftest stays within 16 elements");
  clocks_row(rows, "load.bandwidth_x1", "buffer_load_dword, linear, bytes a clock and CU", "buffer_load_x1").lanes(pattern::linear, 4).as(figure::bytes_compute_unit, 256).published(64, c::vendor, "soc_gfx906.py (Omniperf)", "gfx906")
      .also("gpu-benches: 58 (MI100), 59.5 (MI210)").unit = "B/clk";
  clocks_row(rows, "load.bandwidth_x2", "buffer_load_dwordx2, linear, bytes a clock and CU", "buffer_load_x2").lanes(pattern::linear, 8).as(figure::bytes_compute_unit, 512).published(32, c::measured, "gpu-benches; perftest's 16 clk", "MI210; Vega").unit = "B/clk";
  clocks_row(rows, "load.bandwidth_x4", "buffer_load_dwordx4, linear, bytes a clock and CU", "buffer_load_x4").lanes(pattern::linear, 16).as(figure::bytes_compute_unit, 1024).published(64, c::vendor, lottes, "GCN").unit = "B/clk";
  struct lone { const char* name; const char* kernel; unsigned bytes; double v; };
  for (const auto& l : {lone{"load_x1", "buffer_load_x1", 4, 8}, lone{"load_u8", "buffer_load_u8", 1, 8}, lone{"load_x2", "buffer_load_x2", 8, 16}, lone{"load_x3", "buffer_load_x3", 12, 16}, lone{"load_x4", "buffer_load_x4", 16, 16},
                        lone{"store_x1", "buffer_store_x1", 4, 16}, lone{"store_x2", "buffer_store_x2", 8, 16}, lone{"store_x4", "buffer_store_x4", 16, 16}, lone{"atomic", "buffer_atomic", 4, 16},
                        lone{"atomic_glc", "buffer_atomic_glc", 4, 17}, lone{"atomic_x2", "buffer_atomic_x2", 8, 16}, lone{"atomic_x2_glc", "buffer_atomic_x2_glc", 8, 18}, lone{"cmpswap", "buffer_cmpswap", 4, 32}}) {
    auto& b = clocks_row(rows, fmt::format("vmem.wave_{}", l.name), fmt::format("{}, linear, one wave alone", l.kernel), l.kernel).one_wave().lanes(pattern::linear, l.bytes).published(l.v, c::measured, clrx, gcn).loops(2);
    if (l.bytes == 8 && l.v == 16 && l.name[0] == 'l') b.published(16, c::measured, perftest, vegas).also("CLRX, GCN1-3: 18, refuted on Vega");
  }
}

void add_images(std::vector<benchmark>& rows) {
  using c = confidence;
  struct sample { const char* name; unsigned data, number, filter; bool volume; double v; bench::confidence how; const char* source; };
  for (const auto& s : {sample{"bilinear_r8", 1, 0, 1, false, 16, c::vendor, ""}, sample{"bilinear_rgba8", 10, 0, 1, false, 16, c::vendor, ""}, sample{"bilinear_rgba16f", 12, 7, 1, false, 32, c::inferred, "half rate: counter names, fp16 fill rates"},
                        sample{"bilinear_rgba32f", 14, 7, 1, false, 64, c::vendor, ""}, sample{"trilinear_rgba8", 10, 0, 2, false, 32, c::inferred, "vega10_enum.h: mip_2_cycle"},
                        sample{"volume_rgba8", 10, 0, 1, true, 32, c::inferred, "vega10_enum.h: vol_2_cycle"}}) {
    auto& b = clocks_row(rows, std::string("image.") + s.name, std::string("image_sample ") + s.name + ", L1 hits", s.filter == 2 ? "image_sample_l" : "image_sample_lz").lanes(pattern::samples).loops(2)
                  .published(s.v, s.how, *s.source ? s.source : lottes, "GCN");
    b.measurement.image_data = s.data;
    b.measurement.image_number = s.number;
    b.measurement.filter = s.filter;
    b.measurement.volume = s.volume;
    b.measurement.levels = s.filter == 2 ? 4 : 1;
  }
}

benchmark& stream(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, uint64_t set, unsigned groups, unsigned loops) {
  auto& b = clocks_row(rows, std::move(name), std::move(meaning), std::move(kernel)).cus(0).cu(groups, 256).loops(loops).lanes(pattern::strided, 16).as(figure::bytes_machine, 1024);
  b.measurement.data_bytes = set;
  b.measurement.mask = uint32_t(set - 1);
  b.measurement.p0 = 1024;
  b.unit = "B/clk";
  return b;
}

/// Memory: 32 waves a CU go over arrays far larger than L2, all together from front to end.
void add_dram(std::vector<benchmark>& rows) {
  using c = confidence;
  constexpr uint64_t mb = 1 << 20;
  constexpr unsigned steady = 150000; ///< L2 is full of dirty lines several times over by then
  const std::string gpub = "gpu-benches, gpu-stream (RRZE) 2025", mi100 = "MI100, 1200 MHz memory";
  // lane bytes, bytes that one line of `counter` stands for
  const auto memory = [&](const char* name, const char* meaning, const char* kernel, unsigned element, const char* counter, unsigned bytes) -> benchmark& {
    const unsigned wave = 64 * element;
    auto& b = stream(rows, name, meaning, kernel, 128 * mb, 8, 2).lanes(pattern::strided, element).counting(counter).as(figure::gigabytes, bytes);
    b.measurement.data_bytes = 512 * mb;
    b.measurement.p0 = wave;
    b.measurement.distance = 128 * mb;
    b.unit = "GB/s";
    return b;
  };
  const auto read = [&](const char* name, const char* meaning) -> benchmark& { return memory(name, meaning, "stream_read", 16, "l1.l2_reads", 64); };
  read("dram.read", "all CUs read, 16 bytes a lane").only("vega20").published(822, 841, c::measured, "clpeak issue 103 (float to float4)", "Radeon VII, 1801 MHz").also("wiki-gfx906: 867..873").because("predicted: HBM2 timings; refresh of all banks takes 7 %, outstanding fills (l1.mshrs) the rest");
  read("dram.read", "all CUs read, 16 bytes a lane").only("mi100").published(1180, c::measured, gpub, mi100).also("24 distant streams a block: about 900; mt4g: 734").because("predicted: HBM2 timings; that refresh goes bank by bank was concluded from this figure");
  read("dram.read", "all CUs read, 16 bytes a lane").only("vega10");
  memory("dram.read_x2", "the same, 8 bytes a lane", "stream_read_x2", 8, "l1.l2_reads", 64);
  memory("dram.read_x1", "the same, 4 bytes a lane", "stream_read_x1", 4, "l1.l2_reads", 64);
  memory("dram.write", "all CUs write, 8 bytes a lane", "stream_write_x2", 8, "l1.l2_writes", 64).settled(steady, 48000).only("mi100").published(1058, 1102, c::measured, gpub, mi100).also("mt4g: 714").because("predicted: L2's sets as MI100's latencies have them scatter the write-backs over rows; fitted: memory.bank_interleave_bytes (a choice, not a number)");
  memory("dram.write", "all CUs write, 8 bytes a lane", "stream_write_x2", 8, "l1.l2_writes", 64).settled(steady, 48000).only("vega10 vega20").because("not published. Vega 20 writes less than it copies: its write-backs lie in no order of rows, so nearly each line of 4 ns needs an activation (tRRD 4 ns, four in tFAW 16 ns) of a bank that is "
         "then busy for 52 ns (tRCD to tWR and tRP) of the 64 that 16 banks give; refresh and write recovery take most of what is lost. Half the lines of a copy are reads, in order of rows");
  memory("dram.copy", "all CUs: b[i] = a[i], 8 bytes a lane", "stream_copy", 8, "l1.l2_reads", 128).settled(steady, 48000).only("mi100").published(1036, 1044, c::measured, gpub, mi100).because("predicted: turnaround, rows");
  memory("dram.copy", "all CUs: b[i] = a[i], 8 bytes a lane", "stream_copy", 8, "l1.l2_reads", 128).settled(steady, 48000).only("vega10").published(413, c::vendor, "ROCm issue 147 (AMD staff: symmetric 413 GB/s)", "Vega FE, 945 MHz memory").because("predicted: HBM2 timings, settings chosen on MI100");
  memory("dram.copy", "all CUs: b[i] = a[i], 8 bytes a lane", "stream_copy", 8, "l1.l2_reads", 128).settled(steady, 48000).only("vega20");
  memory("dram.triad", "all CUs: c[i] = a[i] + b[i], 8 bytes a lane", "stream_triad", 8, "l1.l2_writes", 192).settled(steady, 48000).only("mi100").published(998, 1034, c::measured, gpub, mi100).because("predicted, as copy");
  memory("dram.triad", "all CUs: c[i] = a[i] + b[i], 8 bytes a lane", "stream_triad", 8, "l1.l2_writes", 192).settled(steady, 48000).only("vega10 vega20");
  for (const unsigned kilobytes : {64u, 4u})
    memory(kilobytes == 64 ? "dram.copy_pages64KB" : "dram.copy_pages4KB", kilobytes == 64 ? "dram.copy with pages of 64 KB" : "dram.copy with pages of 4 KB", "stream_copy", 8, "l1.l2_reads", 128).settled(steady, 48000).with(fmt::format("translation.page_bytes={}", kilobytes << 10))
        .only("vega10").published(260, c::measured, "ROCm issue 147", "Vega FE, before 2 MB fragments").unjudged("which fragments the driver made then is not said: the figure lies between these two rows");
  auto& b = memory("dram.random", "all CUs read lines at random in 128 MB", "random_read", 4, "l1.l2_reads", 64).because("not published");
  b.measurement.mask = 128 * mb - 64;
}

void add_bandwidth(std::vector<benchmark>& rows) {
  using c = confidence;
  constexpr uint64_t mb = 1 << 20;
  const auto step = [](benchmark& b, unsigned cus) -> benchmark& { b.measurement.p1 = cus * b.measurement.groups * 4 * 1024; return b; };
  // as gpu-benches' gpu-l2-cache: blocks of 1024 work-items read 16 KB each, 16 bytes a lane, and go on by 12 blocks (192 KB), in 4 MB
  const auto blocks = [&](const char* name, const char* meaning, const char* kernel, const char* counter) -> benchmark& {
    auto& b = stream(rows, name, meaning, kernel, 4 * mb, 2, 2).cu(2, 1024).counting(counter).as(figure::bytes_machine, 64);
    b.measurement.p1 = 192 << 10;
    return b;
  };
  blocks("l2.read", "all CUs read 4 MB through L1, blocks of 16 KB", "stream_read", "l1.l2_reads").only("mi100").published(1811, c::measured, "gpu-benches (RRZE) 2025", "MI100, 1502 MHz").also("mt4g: 1777; peak 2048").because("fitted: crossbar.grant_run, given that a source's requests go in order");
  blocks("l2.read", "all CUs read 4 MB through L1, blocks of 16 KB", "stream_read", "l1.l2_reads").only("vega10 vega20").published(905, c::measured_near, "gpu-benches (RRZE) 2025: 88 % of the peak", "MI100, 1502 MHz").also("soc_gfx906.py: peak 1024").because("predicted: fitted on MI100");
  {
    auto& b = stream(rows, "l2.read_peak", "as l2.read with a queue for each channel (crossbar.source_order=by_channel)", "stream_read", 2 * mb, 4, 2).counting("l1.l2_reads").as(figure::bytes_machine, 64).with("crossbar.source_order=by_channel").with("crossbar.grant_run=1");
    step(b, 61).only("vega10 vega20").published(1024, c::vendor, "soc_gfx906.py: 64 B/clk a channel; gfx_v9_0.c: 16 channels", "gfx906").because("the peak of the channels themselves");
  }
  step(stream(rows, "l2.write", "all CUs write 2 MB", "stream_write", 2 * mb, 4, 2).counting("l1.l2_writes").as(figure::bytes_machine, 64), 61).published(0, c::none, "", "").also("mt4g, MI100: 89 % of the read rate");
  auto& a = stream(rows, "l2.atomics", "all CUs: atomic additions, lanes a clock", "stream_atomic", 2 * mb, 2, 1);
  step(a, 61).as(figure::bytes_machine, 64).lanes(pattern::linear, 4).only("vega10 vega20").published(256, c::model, "simulator tuned to Vega 20: 256 atomic ALUs", "Vega 20").unjudged("an upper bound of a simulator");
  a.unit = "lanes/clk";
  add_dram(rows);
}

} // namespace

void add_memory(std::vector<benchmark>& rows) {
  add_buffers(rows);
  add_images(rows);
  add_bandwidth(rows);
}

} // namespace lyra::platforms::bench
