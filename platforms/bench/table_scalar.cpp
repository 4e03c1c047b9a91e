// SPDX-License-Identifier: Apache-2.0
// Scalar memory: what one wave issues, what a K$ takes, and perftest's uniform loads.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>
#include <string_view>

namespace lyra::platforms::bench {

namespace {

const std::string clrx = "CLRX GcnTimings", gcn = "GCN1-3";

benchmark& rate(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel) {
  benchmark b;
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  rows.push_back(std::move(b));
  return rows.back();
}

/// perftest's shaders with uniform addresses: 3 CUs with one K$, all waves at work.
void add_uniform_loads(std::vector<benchmark>& rows) {
  struct load { const char* name; const char* kernel; const char* text; double low, high; const char* others; };
  // Radeon VII, its sixteen-clock rows being 18.9 ms; [RX 480, whose K$ is shared by 3 CUs too]: GCN3 and 4 take 1.3 clk more in every row
  const load loads[] = {
    {"load_x1", "raw_x1", "ByteAddressBuffer.Load", 3.63, 3.63, "RX 480: 5.0; R9 390X: 3.7"},   {"load_x2", "raw_x2", "ByteAddressBuffer.Load2", 4.30, 4.41, "RX 480: 5.0; R9 390X: 4.2"},
    {"load_x3", "raw_x3", "ByteAddressBuffer.Load3", 6.31, 6.31, "RX 480: 6.2; R9 390X: 6.2"},  {"load_x4", "raw_x4", "ByteAddressBuffer.Load4", 8.13, 8.13, "RX 480: 8.1; R9 390X: 8.1"},
    {"structured_x1", "structured_x1", "StructuredBuffer<float>", 4.54, 4.54, "RX 480: 5.8; R9 390X: 4.6"}, {"structured_x2", "structured_x2", "StructuredBuffer<float2>", 4.65, 4.65, "RX 480: 5.9; R9 390X: 4.8"},
    {"structured_x4", "structured_x4", "StructuredBuffer<float4>", 4.72, 4.72, "RX 480: 5.9; R9 390X: 5.0"}, {"constant_x4", "constant_x4", "cbuffer float4", 5.77, 5.77, "RX 480: 6.4; R9 390X: 6.1"},
  };
  for (const unsigned unroll : {2u, 1u, 4u})
    for (const auto& l : loads) {
      if (unroll != 2 && std::string_view("load_x1 load_x2 structured_x1 constant_x4").find(l.name) == std::string_view::npos) continue;
      auto& b = rate(rows, fmt::format("scalar.{}{}", l.name, unroll == 2 ? "" : fmt::format("_unroll_{}", unroll)), fmt::format("{}, uniform: the shader's loop unrolled {}, 3 CUs on a K$", l.text, unroll == 1 ? "not at all" : unroll == 2 ? "twice" : "four times"),
                     fmt::format("perftest_{}_unroll_{}", l.kernel, unroll)).cus(3).cu(0, 256).whole(68).lds(1024).with("dispatcher.shader_engines=1").published(l.low, l.high, confidence::measured, "perftest (Aaltonen) 2020", "Radeon VII").also(l.others);
      if (unroll != 2) b.unjudged("a variant: see scalar.load_x1");
      else if (&l == loads) b.because("fitted: the shader's loop unrolled twice, the one thing about its code that is not published; scalar and load instructions share the issue slot");
      else b.because("predicted: the same loop and unrolling as scalar.load_x1");
    }
}

} // namespace

void add_scalar(std::vector<benchmark>& rows) {
  using c = confidence;
  add_uniform_loads(rows);
  rate(rows, "scalar.requests", "s_load_dword, 3 CUs: requests a clock of the K$", "smem_x1_7").cus(3).cu(10, 256).counting("smem").with("dispatcher.shader_engines=1").as(figure::rate_machine).published(1, c::vendor, "soc_gfx906.py (Omniperf)", "gfx906").unit = "1/clk";
  for (const auto& [op, l, h] : {std::tuple{"x1", 4.0, 4.0}, {"x2", 4.0, 4.0}, {"x4", 4.0, 4.0}, {"x8", 8.0, 8.0}, {"x16", 16.0, 24.0}, {"time", 4.0, 4.0}}) {
    auto& b = rate(rows, std::string("scalar.issue_") + op, std::string(op[0] == 't' ? "s_memtime" : "s_load ") + (op[0] == 't' ? "" : op) + ", one wave: seven in a burst less one", std::string("smem_") + op + "_7").one_wave().loops(8)
                  .published(l, h, c::measured, clrx, gcn);
    measurement one = b.measurement;
    one.kernel = std::string("smem_") + op + "_1";
    b.minus(one, 6);
  }
  rate(rows, "scalar.issue_inv", "s_dcache_inv, one wave", "smem_inv").one_wave().published(4, c::measured, clrx, gcn);
}

} // namespace lyra::platforms::bench
