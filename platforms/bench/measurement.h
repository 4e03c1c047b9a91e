// SPDX-License-Identifier: Apache-2.0
// What a micro-benchmark runs and how its figure comes from cycles.
#pragma once
#include "platforms/machine_files.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lyra::platforms::bench {

/// Where the lanes of a wave point.
enum class pattern : uint8_t {
  uniform,     ///< all at 0
  linear,      ///< work-item i at i * element
  random,      ///< work-item i at (3 i mod 16) * element: perftest's hash
  strided,     ///< lane i at i * element
  texels,      ///< images: work-item (i % 16, i / 16)
  texel_zero,  ///< images: all at (0, 0)
  texel_random, ///< images: each coordinate 0 or 4, as perftest's hash has it
  samples,     ///< between four texels of an image, normalised, LOD 1.5
};

/// How a figure is made.
enum class method : uint8_t {
  slope,   ///< cycles of a dispatch with 2n turns less one with n, over the instructions between
  chase,   ///< s_memtime around dependent loads, over the loads
  launch,  ///< distance of queued empty launches
  dispatch, ///< cycles of one whole dispatch, K$, I$ and L1 cold and L2 warm, over the instructions of a wave: what a benchmark with a clock around it sees
  window,  ///< what `counter` of the CUs counts in a window of clocks while all waves are at work
};

/// Figure from `x`, the clocks a wave takes for one instruction of its loop.
enum class figure : uint8_t {
  wave,              ///< x
  compute_unit,      ///< x over the waves of a CU: clocks an instruction, as the whole CU sees it
  simd,              ///< x over the waves of a SIMD
  machine,           ///< x over all waves: clocks an instruction of the whole machine
  bytes_compute_unit, ///< bytes a clock and CU
  bytes_machine,     ///< bytes a clock
  gigabytes,         ///< 1e9 bytes a second
  rate_simd,         ///< instructions a turn (4 clocks) (window)
  rate_machine,      ///< instructions a clock of the whole machine
  nanoseconds,       ///< x as time
};

struct chase_set {
  uint64_t bytes = 0;     ///< size of the set, walked in a random order of its lines that is run through once before
  unsigned stride = 0;    ///< not 0: in order, this many bytes apart
  bool fresh = false;     ///< every line once (sets beyond any cache); all pages are touched before
  bool cold = false;      ///< as gpu-benches' gpu-latency: 2,000,000 hops from a cold L2 over blocks of 128 bytes in random order, of which each round takes the next 8 bytes
};

struct measurement {
  std::string kernel;
  bench::method method = method::slope;
  unsigned compute_units = 1;      ///< 0: all of the machine
  unsigned groups = 4, items = 256; ///< workgroups a compute unit, work-items of one
  unsigned loops = 4;
  std::string counter = "instructions"; ///< of the window: a CU's statistic
  bench::pattern lanes = pattern::uniform;
  unsigned element = 4;            ///< bytes (pattern)
  unsigned lane_offset = 0;        ///< bytes added to every lane's address
  unsigned stride = 0;             ///< of the V#, for typed loads
  unsigned buffer_format = 4 | 7 << 4; ///< DFMT, NFMT << 4
  unsigned image_data = 0, image_number = 0; ///< not 0: there is an image
  unsigned image_side = 64;        ///< texels, both ways
  bool image_tiled = false;        ///< 64KB_S, as drivers lay textures out; else rows
  bool volume = false;             ///< 4 deep
  unsigned levels = 1, filter = 0; ///< image levels; 0 point, 1 bilinear, 2 trilinear
  unsigned lds_bytes = 0;          ///< a workgroup
  uint64_t data_bytes = 65536;
  uint32_t p0 = 0, p1 = 0, mask = 0; ///< of the streams: start distance of waves, step (0: all waves together go over every byte), and mask of offsets
  uint32_t distance = 0;           ///< of the arrays of a stream that has several
  unsigned settle = 30000, window = 16000; ///< clocks before the window, and its length
  chase_set chase;
  unsigned bytes = 0;              ///< of one instruction of a wave, for figures in bytes
  bench::figure figure = figure::compute_unit;
  std::vector<std::string> settings; ///< parameters it needs
};

/// Runs it on the machine (with its settings and the user's) in this process, which it leaves elaborated: one call a process. Throws observe::input_error, or
/// std::runtime_error where the machine faults or hangs.
double measure(const measurement& m, const std::string& machine, const std::vector<std::string>& settings);

/// The same in a child process. `problem`: why there is no figure, or "".
struct outcome { double value = 0; std::string problem; };
/// Up to `processes` at once; results in order. `progress(done)` after each.
std::vector<outcome> measure_all(const std::vector<measurement>& list, const std::string& machine, const std::vector<std::string>& settings, unsigned processes, void (*progress)(size_t done, size_t all));

} // namespace lyra::platforms::bench
