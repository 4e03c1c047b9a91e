// SPDX-License-Identifier: Apache-2.0
// Vector memory rates, L2 and memory bandwidth.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string perftest = "perftest (Aaltonen) 2020", clrx = "CLRX GcnTimings", gcn = "GCN1-3", vegas = "Radeon VII, Vega FE", lottes = "GPUOpen, coalescing on GCN (Lottes)";

benchmark& rate(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) {
  benchmark b;
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  rows.push_back(std::move(b));
  return rows.back();
}

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
      rate(rows, fmt::format("load.raw_{}_{}", op, pattern_text(p)), fmt::format("{}, {}, L1 hits", text, pattern_text(p)), fmt::format("buffer_load_{}", op)).lanes(p, bytes)
          .published(v, c::inferred, lottes + ": coalesced loads of one channel are four times as fast", "GCN");
  // strides on the chip after next: 32 lanes in the source, a wave here
  for (const auto& [s, v] : {std::pair{1u, 4.4}, {2u, 32.2}, {3u, 16.2}, {4u, 64.4}, {5u, 28.2}, {16u, 64.4}})
    rate(rows, fmt::format("load.stride_{}", s), fmt::format("buffer_load_dword, lanes {} dwords apart", s), "buffer_load_x1").lanes(pattern::strided, 4 * s).published(v, c::measured_near, "gpu-benches (RRZE) 2025", "MI210, 1700 MHz")
        .unjudged("MI210 has 128-byte lines and another L1: perftest's random loads on Vega take 16");
  rate(rows, "load.bandwidth_x1", "buffer_load_dword, linear, bytes a clock and CU", "buffer_load_x1").lanes(pattern::linear, 4).as(figure::bytes_compute_unit, 256).published(64, c::vendor, "soc_gfx906.py (Omniperf)", "gfx906")
      .also("gpu-benches: 58 (MI100), 59.5 (MI210)").unit = "B/clk";
  rate(rows, "load.bandwidth_x2", "buffer_load_dwordx2, linear, bytes a clock and CU", "buffer_load_x2").lanes(pattern::linear, 8).as(figure::bytes_compute_unit, 512).published(32, c::measured, "gpu-benches; perftest's 16 clk", "MI210; Vega").unit = "B/clk";
  rate(rows, "load.bandwidth_x4", "buffer_load_dwordx4, linear, bytes a clock and CU", "buffer_load_x4").lanes(pattern::linear, 16).as(figure::bytes_compute_unit, 1024).published(64, c::vendor, lottes, "GCN").unit = "B/clk";
  struct lone { const char* name; const char* kernel; unsigned bytes; double v; };
  for (const auto& l : {lone{"load_x1", "buffer_load_x1", 4, 8}, lone{"load_u8", "buffer_load_u8", 1, 8}, lone{"load_x2", "buffer_load_x2", 8, 16}, lone{"load_x3", "buffer_load_x3", 12, 16}, lone{"load_x4", "buffer_load_x4", 16, 16},
                        lone{"store_x1", "buffer_store_x1", 4, 16}, lone{"store_x2", "buffer_store_x2", 8, 16}, lone{"store_x4", "buffer_store_x4", 16, 16}, lone{"atomic", "buffer_atomic", 4, 16},
                        lone{"atomic_glc", "buffer_atomic_glc", 4, 17}, lone{"atomic_x2", "buffer_atomic_x2", 8, 16}, lone{"atomic_x2_glc", "buffer_atomic_x2_glc", 8, 18}, lone{"cmpswap", "buffer_cmpswap", 4, 32}}) {
    auto& b = rate(rows, fmt::format("vmem.wave_{}", l.name), fmt::format("{}, linear, one wave alone", l.kernel), l.kernel).one_wave().lanes(pattern::linear, l.bytes).published(l.v, c::measured, clrx, gcn).loops(2);
    if (l.bytes == 8 && l.v == 16 && l.name[0] == 'l') b.published(16, c::measured, perftest, vegas).also("CLRX, GCN1-3: 18, refuted on Vega");
  }
}

void add_images(std::vector<benchmark>& rows) {
  using c = confidence;
  struct sample { const char* name; unsigned data, number, filter; bool volume; double v; bench::confidence how; const char* source; };
  for (const auto& s : {sample{"bilinear_r8", 1, 0, 1, false, 16, c::vendor, ""}, sample{"bilinear_rgba8", 10, 0, 1, false, 16, c::vendor, ""}, sample{"bilinear_rgba16f", 12, 7, 1, false, 32, c::inferred, "half rate: counter names, fp16 fill rates"},
                        sample{"bilinear_rgba32f", 14, 7, 1, false, 64, c::vendor, ""}, sample{"trilinear_rgba8", 10, 0, 2, false, 32, c::inferred, "vega10_enum.h: mip_2_cycle"},
                        sample{"volume_rgba8", 10, 0, 1, true, 32, c::inferred, "vega10_enum.h: vol_2_cycle"}}) {
    auto& b = rate(rows, std::string("image.") + s.name, std::string("image_sample ") + s.name + ", L1 hits", s.filter == 2 ? "image_sample_l" : "image_sample_lz").lanes(pattern::samples).loops(2)
                  .published(s.v, s.how, *s.source ? s.source : lottes, "GCN");
    b.measurement.image_data = s.data;
    b.measurement.image_number = s.number;
    b.measurement.filter = s.filter;
    b.measurement.volume = s.volume;
    b.measurement.levels = s.filter == 2 ? 4 : 1;
  }
}

benchmark& stream(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, uint64_t set, unsigned groups, unsigned loops) {
  auto& b = rate(rows, std::move(name), std::move(meaning), std::move(kernel)).cus(0).cu(groups, 256).loops(loops).lanes(pattern::strided, 16).as(figure::bytes_machine, 1024);
  b.measurement.data_bytes = set;
  b.measurement.mask = uint32_t(set - 1);
  b.measurement.p0 = 1024;
  b.unit = "B/clk";
  return b;
}

void add_bandwidth(std::vector<benchmark>& rows) {
  using c = confidence;
  constexpr uint64_t mb = 1 << 20;
  const auto step = [](benchmark& b, unsigned cus) -> benchmark& { b.measurement.p1 = cus * b.measurement.groups * 4 * 1024; return b; };
  step(stream(rows, "l2.read", "all CUs read 2 MB through L1", "stream_read", 2 * mb, 4, 2).counting("l1.l2_reads").as(figure::bytes_machine, 64), 61).only("vega10 vega20").published(1024, c::vendor, "soc_gfx906.py: 64 B/clk a channel; gfx_v9_0.c: 16 channels", "gfx906")
      .also("gpu-benches, MI100: 88 % of its peak");
  step(stream(rows, "l2.read", "all CUs read 2 MB through L1", "stream_read", 2 * mb, 4, 2).counting("l1.l2_reads").as(figure::bytes_machine, 64), 121).only("mi100").published(1811, c::measured, "gpu-benches (RRZE) 2025", "MI100, 1502 MHz").also("mt4g: 1777; peak 2048").known(14, "the modelled crossbar reaches its peak with all CUs; the chip stays 12 % under it");
  step(stream(rows, "l2.write", "all CUs write 2 MB", "stream_write", 2 * mb, 4, 2).counting("l1.l2_writes").as(figure::bytes_machine, 64), 61).published(0, c::none, "", "").also("mt4g, MI100: 89 % of the read rate");
  auto& a = stream(rows, "l2.atomics", "all CUs: atomic additions, lanes a clock", "stream_atomic", 2 * mb, 2, 1);
  step(a, 61).as(figure::bytes_machine, 64).lanes(pattern::linear, 4).only("vega10 vega20").published(256, c::model, "simulator tuned to Vega 20: 256 atomic ALUs", "Vega 20").unjudged("an upper bound of a simulator");
  a.unit = "lanes/clk";
  const auto memory = [&](const char* name, const char* meaning, std::string kernel) -> benchmark& {
    auto& b = step(stream(rows, name, meaning, kernel, 256 * mb, 2, 2), 64).counting(kernel == "stream_read" ? "l1.l2_reads" : "l1.l2_writes").as(figure::gigabytes, 64);
    b.unit = "GB/s";
    return b;
  };
  memory("dram.read", "all CUs read 256 MB", "stream_read").only("vega20").published(822, 841, c::measured, "clpeak issue 103", "Radeon VII, 1801 MHz").because("fitted: memory.bandwidth_gbps (82 % of nominal)");
  memory("dram.read", "all CUs read 256 MB", "stream_read").only("vega10").published(397, 420, c::inferred, "82 % of 484 GB/s, as Radeon VII; ROCm issue 147: over 400", "Vega 64").because("predicted from Radeon VII");
  memory("dram.read", "all CUs read 256 MB", "stream_read").only("mi100").published(900, c::measured, "gpu-benches (RRZE) 2025: up to about 900", "MI100").also("mt4g: 734").because("fitted: memory.bandwidth_gbps");
  memory("dram.write", "all CUs write 256 MB", "stream_write").also("mt4g, MI100: 714; gpu-benches, MI100: 1095 (init)");
  memory("dram.read_hbm2", "the same as dram.read with memory.model=hbm2", "stream_read").with("memory.model=hbm2").only("vega20").published(822, 841, c::measured, "clpeak issue 103", "Radeon VII, 1801 MHz").because("predicted: banks, rows, refresh and bus of HBM2").known(20, "one 256-bit bus stands for the two channels behind an L2 channel, which hides less of activation and refresh");
  memory("dram.read_hbm2", "the same as dram.read with memory.model=hbm2", "stream_read").with("memory.model=hbm2").only("vega10").published(397, 420, c::inferred, "82 % of 484 GB/s; ROCm issue 147: over 400", "Vega 64").because("predicted: banks, rows, refresh and bus of HBM2").known(10, "nothing but refresh and rows takes time from the modelled bus; the published figure is itself inferred");
}

} // namespace

void add_memory(std::vector<benchmark>& rows) {
  add_buffers(rows);
  add_images(rows);
  add_bandwidth(rows);
}

} // namespace lyra::platforms::bench
