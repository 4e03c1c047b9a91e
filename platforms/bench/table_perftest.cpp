// SPDX-License-Identifier: Apache-2.0
// perftest's shaders (github.com/sebbbi/perftest), loop for loop, as whole dispatches of its size.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>
#include <string_view>

namespace lyra::platforms::bench {

namespace {

/// Workgroups of the CU that ends last: 4096 on 60 CUs are 68 or 69 each.
constexpr unsigned groups_a_cu = 69;

/// Clocks that CU takes for one load of a wave, from a published time: 30 dispatches of 1024 x 1024 work-items with 256 loads each, on the 60 CUs of a
/// Radeon VII at its 1800 MHz (its clock is not stated; at 1800 the loads that take 16 clk take 16.02 and more). That the busiest CU counts, not the average of
/// 68.3 groups, shows on the R9 390X too: at its 1050 MHz these loads take 1.1 % more than 16, where 4096 groups are 94 at most and 93.1 on average.
double clocks(double milliseconds) {
  constexpr double wave_loads_a_cu = groups_a_cu * 4.0 * 256;
  return milliseconds / 30 * 1800e3 / wave_loads_a_cu;
}

benchmark& shader(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, double low, double high) {
  benchmark b;
  b.name = std::move(name);
  b.meaning = std::move(meaning);
  b.unit = "clk";
  b.measurement.kernel = std::move(kernel);
  b.cu(groups_a_cu, 256).whole().lds(1024).published(clocks(low), clocks(high), confidence::measured, "perftest (Aaltonen) 2020", "Radeon VII");
  rows.push_back(std::move(b));
  return rows.back();
}
benchmark& shader(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, double ms) { return shader(rows, std::move(name), std::move(meaning), std::move(kernel), ms, ms); }

/// Uniform addresses become scalar loads: 3 CUs with one K$.
void add_scalar_loads(std::vector<benchmark>& rows) {
  struct load { const char* name; const char* kernel; const char* text; double low, high; const char* others; };
  const load loads[] = {
    {"load_x1", "raw_x1", "ByteAddressBuffer.Load", 4.285, 4.285, "RX 480: 5.0; R9 390X: 3.7"},   {"load_x2", "raw_x2", "ByteAddressBuffer.Load2", 5.083, 5.209, "RX 480: 5.0; R9 390X: 4.2"},
    {"load_x3", "raw_x3", "ByteAddressBuffer.Load3", 7.454, 7.454, "RX 480: 6.2; R9 390X: 6.2"},  {"load_x4", "raw_x4", "ByteAddressBuffer.Load4", 9.600, 9.604, "RX 480: 8.1; R9 390X: 8.1"},
    {"structured_x1", "structured_x1", "StructuredBuffer<float>", 5.360, 5.360, "RX 480: 5.8; R9 390X: 4.6"}, {"structured_x2", "structured_x2", "StructuredBuffer<float2>", 5.494, 5.494, "RX 480: 5.9; R9 390X: 4.8"},
    {"structured_x4", "structured_x4", "StructuredBuffer<float4>", 5.576, 5.576, "RX 480: 5.9; R9 390X: 5.0"}, {"constant_x4", "constant_x4", "cbuffer float4", 6.819, 6.819, "RX 480: 6.4; R9 390X: 6.1"},
  };
  for (const unsigned unroll : {2u, 1u, 4u})
    for (const auto& l : loads) {
      const std::string_view name = l.name;
      if (unroll != 2 && name != "load_x1" && name != "load_x2" && name != "structured_x1" && name != "constant_x4") continue;
      auto& b = shader(rows, fmt::format("scalar.{}{}", l.name, unroll == 2 ? "" : fmt::format("_unroll_{}", unroll)), fmt::format("{}, uniform; loop unrolled {}, 3 CUs on a K$", l.text, unroll == 1 ? "not at all" : unroll == 2 ? "twice" : "four times"),
                       fmt::format("perftest_{}_unroll_{}", l.kernel, unroll), l.low, l.high).cus(3).with("dispatcher.shader_engines=1").also(l.others);
      if (unroll != 2) b.unjudged("a variant of the loop: see scalar.load_x1");
      else if (&l == loads) b.because("fitted: the loop unrolled twice, the one thing about its code that is not published; address arithmetic and load share the scalar issue slot");
      else b.because("predicted: the loop and unrolling of scalar.load_x1");
    }
}

benchmark& coalesced(benchmark& b) { return b.because("predicted: 40 waves with one load each in flight (the shader's [loop]) do not quite cover L1's latency (fitted on MI100) and what the vector ALU takes; two in flight would"); }

void add_buffers(std::vector<benchmark>& rows) {
  struct typed { const char* name; unsigned dfmt, nfmt, bytes, channels; double uniform, linear, random; };
  for (const auto& t : {typed{"r8", 1, 0, 1, 1, 5.214, 5.332, 18.861}, typed{"r16f", 2, 7, 2, 1, 5.335, 5.547, 18.872}, typed{"r32f", 4, 7, 4, 1, 5.337, 5.548, 18.873}, typed{"rg8", 3, 0, 2, 2, 18.917, 18.904, 18.885},
                        typed{"rg16f", 5, 7, 4, 2, 19.080, 18.911, 18.996}, typed{"rg32f", 11, 7, 8, 2, 19.130, 18.934, 19.100}, typed{"rgba8", 10, 0, 4, 4, 18.882, 19.074, 19.119}, typed{"rgba16f", 12, 7, 8, 4, 18.879, 19.340, 18.985},
                        typed{"rgba32f", 14, 7, 16, 4, 18.880, 19.383, 21.310}})
    for (const auto& [p, text, ms] : {std::tuple{pattern::uniform, "uniform", t.uniform}, {pattern::linear, "linear", t.linear}, {pattern::random, "random", t.random}}) {
      auto& b = shader(rows, fmt::format("load.typed_{}_{}", t.name, text), fmt::format("Buffer<{}>.Load, {}, L1 hits", t.name, text), fmt::format("perftest_typed_x{}{}", t.channels, p == pattern::uniform ? "_uniform" : ""), ms).lanes(p, 1);
      b.measurement.stride = t.bytes;
      b.measurement.buffer_format = t.dfmt | t.nfmt << 4;
      if (t.channels == 1 && p != pattern::random) coalesced(b).also("R9 Fury: 4.1");
    }
  // structures of one, two and four floats: the loop of the typed loads
  for (const auto& t : {typed{"x1", 4, 7, 4, 1, 0, 5.335, 18.879}, typed{"x2", 11, 7, 8, 2, 0, 18.943, 18.898}, typed{"x4", 14, 7, 16, 4, 0, 19.237, 21.314}})
    for (const auto& [p, text, ms] : {std::tuple{pattern::linear, "linear", t.linear}, {pattern::random, "random", t.random}}) {
      auto& b = shader(rows, fmt::format("load.structured_{}_{}", t.name, text), fmt::format("StructuredBuffer<float{}>.Load, {}, L1 hits", t.channels == 1 ? "" : t.name + 1, text), fmt::format("perftest_typed_x{}", t.channels), ms).lanes(p, 1);
      b.measurement.stride = t.bytes;
      b.measurement.buffer_format = t.dfmt | t.nfmt << 4;
      if (t.channels == 1 && p == pattern::linear) coalesced(b).also("R9 Fury: 4.1");
    }
  for (const auto& [name, kernel, ms] : {std::tuple{"load.typed_r32f_linear_unroll_2", "perftest_typed_x1_unroll_2", 5.548}, {"load.raw_x1_linear_unroll_2", "perftest_raw_x1_by_lane_unroll_2", 5.542}}) {
    const bool raw = name[5] == 'r';
    auto& b = shader(rows, name, raw ? "ByteAddressBuffer.Load1, linear, L1 hits, loop unrolled twice" : "Buffer<r32f>.Load, linear, L1 hits, loop unrolled twice", kernel, ms).lanes(pattern::linear, raw ? 4 : 1);
    if (!raw) b.measurement.stride = 4;
    b.unjudged("a variant of the loop: two loads a wave in flight cover L1's latency");
  }
  struct raw { unsigned dwords; double linear, random; };
  for (const auto& r : {raw{1, 5.542, 18.869}, raw{2, 19.266, 19.005}, raw{3, 19.190, 37.705}, raw{4, 19.455, 21.360}})
    for (const auto& [p, text, ms] : {std::tuple{pattern::linear, "linear", r.linear}, {pattern::random, "random", r.random}})
      if (auto& b = shader(rows, fmt::format("load.raw_x{}_{}", r.dwords, text), fmt::format("ByteAddressBuffer.Load{}, {}, L1 hits", r.dwords, text), fmt::format("perftest_raw_x{}", r.dwords), ms).lanes(p, 4 * r.dwords); r.dwords == 1 && p == pattern::linear)
        coalesced(b).also("R9 Fury: 4.2");
  for (const auto& r : {raw{2, 19.190, 18.920}, raw{4, 19.234, 23.485}})
    for (const auto& [p, text, ms] : {std::tuple{pattern::linear, "linear", r.linear}, {pattern::random, "random", r.random}})
      shader(rows, fmt::format("load.raw_x{}_unaligned_{}", r.dwords, text), fmt::format("the same, {} dwords, 4 bytes off", r.dwords), fmt::format("perftest_raw_x{}", r.dwords), ms).lanes(p, 4 * r.dwords, 4);
}

/// How the driver laid these images of 32 x 32 texels out is not published: wide texels are loaded from tiles (64KB_S) and from rows, and both are judged.
void add_images(std::vector<benchmark>& rows) {
  struct image { const char* name; unsigned data, number, channels; bool wide; double uniform, linear, random; };
  for (const bool tiled : {true, false})
    for (const auto& i : {image{"r8", 1, 0, 1, false, 18.917, 19.067, 18.925}, image{"rg8", 3, 0, 2, false, 18.902, 18.952, 18.888}, image{"rgba8", 10, 0, 4, false, 19.000, 19.137, 18.965}, image{"r32f", 4, 7, 1, false, 18.904, 19.040, 19.053},
                          image{"r16f", 2, 7, 1, false, 18.919, 18.936, 19.034}, image{"rg16f", 5, 7, 2, false, 18.910, 18.971, 18.895},
                          image{"rgba16f", 12, 7, 4, true, 18.918, 19.094, 37.952}, image{"rg32f", 11, 7, 2, true, 18.942, 18.999, 37.708}, image{"rgba32f", 14, 7, 4, true, 18.919, 28.305, 37.705}})
      for (const auto& [p, text, ms] : {std::tuple{pattern::texel_zero, "uniform", i.uniform}, {pattern::texels, "linear", i.linear}, {pattern::texel_random, "random", i.random}}) {
        if (!tiled && !i.wide) continue;
        auto& b = shader(rows, fmt::format("image.{}_{}{}", i.name, text, tiled ? "" : "_rows"), fmt::format("Texture2D<{}>.Load, {}, L1 hits{}", i.name, text, tiled ? "" : ", image in rows"), fmt::format("perftest_image_x{}", i.channels), ms).lanes(p);
        b.measurement.image_tiled = tiled;
        b.measurement.image_side = 32;
        b.measurement.image_data = i.data;
        b.measurement.image_number = i.number;
        const std::string_view name = i.name;
        if (i.wide && tiled && p != pattern::texel_zero)
          b.because(name == "rgba16f" && p == pattern::texel_random ? "fitted: texture.load_cycles_64_scattered" : name == "rgba32f" && p == pattern::texels ? "fitted: texture.load_half_cycles_128_line"
                    : name == "rgba32f" ? "fitted: texture.load_cycles_128_scattered" : "predicted from rgba16f, random: texels of a quad lie together or apart");
      }
}

} // namespace

void add_perftest(std::vector<benchmark>& rows) {
  add_scalar_loads(rows);
  add_buffers(rows);
  add_images(rows);
}

} // namespace lyra::platforms::bench
