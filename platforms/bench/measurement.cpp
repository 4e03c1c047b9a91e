// SPDX-License-Identifier: Apache-2.0
#include "platforms/bench/measurement.h"
#include "fabric/time_domain.h"
#include "isa/image_descriptors.h"
#include "isa/image_layout.h"
#include "platforms/bench/kernels.h"
#include "platforms/machine.h"
#include "platforms/summary.h"
#include "platforms/stopper.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <unordered_set>

namespace lyra::platforms::bench {

namespace {

// device memory of a measurement
constexpr uint64_t code_at = 0x1'0000'0000, arguments_at = 0x1'1000'0000, lanes_at = 0x1'2000'0000, results_at = 0x1'3000'0000, data_at = 0x2'0000'0000;
constexpr unsigned hops_a_turn = 64;

/// A fixed sequence of random numbers (splitmix64).
struct random_numbers {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t below(uint64_t n) { return next() % n; }
};

/// One machine with a kernel's code, arguments and data in its memory; dispatches one after the other.
class session {
public:
  session(const measurement& m, described_machine& d)
      : m_(m), clock_(fabric::clock_domain::from_mhz(d.parameters.system.core_mhz)), mach_(d.parameters, mode::at, isa::target::gfx900), stop_("stopper", mach_), entry_(find_kernel(m.kernel)) {
    mach_.map(code_at, kernel_code_bytes());
    mach_.write(code_at, kernel_code(), kernel_code_bytes());
    groups_ = m.groups * (m.method == method::chase || m.method == method::launch ? 1 : mach_.compute_units());
    mach_.map(arguments_at, 4096);
    mach_.map(lanes_at, 1024 * 16);
    mach_.map(results_at, std::max<uint64_t>(4096, uint64_t(groups_) * 16 * 16));
    put_lanes();
    put_data();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  unsigned waves() const { return groups_ * m_.items / 64; }
  unsigned compute_units() const { return mach_.compute_units(); }
  unsigned instructions() const { return entry_.instructions; }
  double mhz() const { return mach_.parameters().system.core_mhz; }

  /// Core cycles from the first workgroup's start to the end.
  double run(unsigned loops) {
    submit(loops);
    finish();
    const auto& r = mach_.dispatcher().records().back();
    return double(r.end_ps - r.start_ps) / double(clock_.at(1));
  }
  /// s_memtime after less before the loop, of the first wave.
  double clocks() {
    uint64_t t[2];
    mach_.read(results_at, t, 16);
    return double(t[1] - t[0]);
  }
  /// Distance of the ends of queued launches.
  double launch_distance() {
    constexpr unsigned n = 8;
    const size_t first = mach_.dispatcher().records().size();
    for (unsigned i = 0; i < n; ++i) submit(1);
    finish();
    const auto& r = mach_.dispatcher().records();
    return double(r[first + n - 1].end_ps - r[first].end_ps) / (n - 1) / double(clock_.at(1));
  }
  /// What `counter` counts, a clock, over `cycles` clocks, from `settle` clocks after the first instruction on. The kernel does not end.
  double window_rate(unsigned cycles) {
    submit(1u << 30);
    const auto go_on = [&](uint64_t n) {
      fabric::set_horizon(fabric::now_ps() + clock_.at(n));
      sc_core::sc_start(fabric::to_sc_time(clock_.at(n)));
      if (!mach_.run_state().faults.empty()) throw std::runtime_error(mach_.run_state().faults.front().text);
    };
    const auto issued = [&] { return total(mach_.statistics(), "cu*." + m_.counter); };
    for (unsigned k = 0; issued() == 0; ++k) {
      if (k == 1000) throw std::runtime_error("nothing is issued");
      go_on(1000);
    }
    go_on(m_.settle); // the code comes from memory once
    const uint64_t before = issued();
    go_on(cycles);
    return double(issued() - before) / cycles;
  }
  unsigned chase_turns() const { return turns_; }

private:
  void submit(unsigned loops) {
    struct { uint64_t data, results; uint32_t loops, p[3], buffer[4], sampler[4], image[8]; } a = {};
    a.data = lanes_at;
    a.results = results_at;
    a.loops = loops;
    a.p[0] = m_.method == method::chase ? warm_turns_ : m_.p0;
    a.p[1] = m_.method == method::chase ? uint32_t(first_) : m_.p1 ? m_.p1 : waves() * m_.p0;
    a.p[2] = m_.method == method::chase ? uint32_t(first_ >> 32) : m_.items / 64;
    a.buffer[0] = uint32_t(data_at);
    a.buffer[1] = uint32_t(data_at >> 32) | m_.stride << 16;
    a.buffer[2] = m_.stride ? uint32_t(m_.data_bytes / m_.stride) : uint32_t(m_.data_bytes);
    a.buffer[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | (m_.buffer_format >> 4) << 12 | (m_.buffer_format & 15) << 15;
    std::memcpy(a.image, image_, sizeof image_);
    isa::image_sampler s;
    s.xy_mag = s.xy_min = m_.filter ? 1 : 0;
    s.mip_filter = m_.filter == 2 ? 2 : 1;
    s.max_lod = 0xfff;
    isa::encode_image_sampler(s, a.sampler);
    if (m_.mask) {
      a.sampler[0] = m_.mask;
      a.sampler[1] = m_.distance;
    }
    mach_.write(arguments_at, &a, sizeof a);
    auto p = std::make_unique<fabric::dispatch_packet>();
    p->id = uint32_t(packets_.size());
    p->kernel = m_.kernel;
    p->entry_pc = code_at + entry_.offset;
    p->grid[0] = groups_ * m_.items;
    p->workgroup[0] = m_.items;
    p->user_sgprs = {uint32_t(arguments_at), uint32_t(arguments_at >> 32)};
    p->vgprs = entry_.vgprs;
    p->sgprs = 80;
    p->lds_bytes = m_.lds_bytes;
    mach_.dispatcher().submit(*p);
    packets_.push_back(std::move(p));
  }
  void finish() {
    while (!mach_.dispatcher().done() && mach_.run_state().faults.empty() && sc_core::sc_pending_activity()) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
    if (!mach_.run_state().faults.empty()) throw std::runtime_error(mach_.run_state().faults.front().text);
    if (!mach_.dispatcher().done()) throw std::runtime_error("the machine stands still: " + mach_.describe_unfinished());
  }

  void put_lanes() {
    std::vector<uint32_t> v(size_t(1024) * 4);
    const auto bits = [](float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; };
    for (uint32_t i = 0; i < 1024; ++i) {
      uint32_t* w = &v[i * 4];
      switch (m_.lanes) {
        case pattern::uniform: w[0] = m_.lane_offset; break;
        case pattern::linear: w[0] = i * m_.element + m_.lane_offset; break;
        case pattern::strided: w[0] = i % 64 * m_.element; break;
        case pattern::random: w[0] = (3 * i & 15) * m_.element + m_.lane_offset; break; // perftest's hash of the work-item
        case pattern::texels: w[0] = i % 16; w[1] = i / 16; break;
        case pattern::texel_zero: break;
        case pattern::texel_random: w[0] = 3 * (i % 16) & 4; w[1] = 3 * (i / 16) & 4; break;
        case pattern::samples:
          w[0] = bits(float(i % 16 + 1) / 64); w[1] = bits(float(i / 16 % 16 + 1) / 64);
          w[2] = w[3] = bits(m_.volume ? 0.3f : m_.filter == 2 ? 1.5f : 0.0f);
          break;
      }
    }
    mach_.write(lanes_at, v.data(), v.size() * 4);
  }

  void put_data() {
    if (m_.method == method::chase && m_.chase.bytes) return put_chase();
    if (m_.method == method::chase) { warm_turns_ = 1; turns_ = 8; }
    uint64_t bytes = m_.data_bytes;
    if (m_.image_data) {
      isa::image_description d;
      d.type = m_.volume ? isa::image_type::dim_3d : isa::image_type::dim_2d;
      d.data_format = m_.image_data;
      d.number_format = m_.image_number;
      d.width = d.height = m_.image_side;
      if (m_.volume) d.depth = 4;
      if (m_.image_tiled) d.swizzle = isa::swizzle_mode::s_64kb;
      d.levels = m_.levels;
      if (const auto e = isa::image_description_error(d); !e.empty()) throw std::runtime_error(e);
      const isa::image_layout layout(d);
      bytes = std::max<uint64_t>(bytes, layout.device_bytes());
      isa::encode_image_resource(layout.resource(data_at), image_);
    }
    mach_.map(data_at, bytes);
  }

  /// Links lines into one chain: first the ones that warm caches and translations up, then the measured ones.
  void put_chase() {
    const auto& c = m_.chase;
    random_numbers random{7};
    std::vector<uint64_t> walk;
    uint64_t warm;
    mach_.map(data_at, c.bytes);
    const auto whole_turns = [](uint64_t n) { return (n + hops_a_turn - 1) / hops_a_turn * hops_a_turn; };
    if (c.cold) {
      constexpr uint64_t block = 128, rounds = block / 8, hops = 2000000;
      std::vector<uint64_t> order(c.bytes / block);
      for (uint64_t i = 0; i < order.size(); ++i) order[i] = i * block;
      for (uint64_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      for (uint64_t k = 0; k < rounds; ++k)
        for (uint64_t i = 0; i < order.size(); ++i) link(order[i] + 8 * k, i + 1 < order.size() ? order[i + 1] + 8 * k : order[0] + 8 * ((k + 1) % rounds));
      walk.push_back(order[0]);
      warm = hops_a_turn;
      turns_ = hops / hops_a_turn;
    } else if (c.fresh) {
      constexpr uint64_t page = 2 << 20;
      const uint64_t pages = std::max<uint64_t>(1, c.bytes / page);
      std::unordered_set<uint64_t> used; // a line twice would join two places of the chain
      const auto line_in = [&](uint64_t first, uint64_t bytes) {
        uint64_t at;
        do at = first + random.below(bytes / 64) * 64; while (!used.insert(at).second);
        walk.push_back(at);
      };
      warm = whole_turns(pages + 64);
      for (uint64_t i = 0; i < warm; ++i) line_in(i % pages * page, std::min(page, c.bytes));
      turns_ = 2048 / hops_a_turn;
      for (unsigned i = 0; i < turns_ * hops_a_turn; ++i) line_in(0, c.bytes);
      for (size_t i = 0; i < walk.size(); ++i) link(walk[i], walk[std::min(i + 1, walk.size() - 1)]);
    } else {
      const uint64_t lines = c.bytes / (c.stride ? c.stride : 64);
      walk.resize(lines);
      for (uint64_t i = 0; i < lines; ++i) walk[i] = i * (c.stride ? c.stride : 64);
      if (!c.stride)
        for (uint64_t i = lines; i > 1; --i) std::swap(walk[i - 1], walk[random.below(i)]);
      for (uint64_t i = 0; i < lines; ++i) link(walk[i], walk[(i + 1) % lines]);
      warm = whole_turns(lines);
      turns_ = unsigned(whole_turns(std::clamp<uint64_t>(lines, 512, 2048)) / hops_a_turn);
    }
    warm_turns_ = uint32_t(warm / hops_a_turn);
    first_ = data_at + walk[0];
  }
  void link(uint64_t from, uint64_t to) {
    const uint64_t p = data_at + to;
    mach_.store().write(data_at + from, &p, 8);
  }

  const measurement& m_;
  fabric::clock_domain clock_;
  machine mach_;
  stopper stop_;
  kernel_entry entry_;
  unsigned groups_ = 1;
  std::vector<std::unique_ptr<fabric::dispatch_packet>> packets_;
  uint32_t image_[8] = {};
  uint32_t warm_turns_ = 1;
  unsigned turns_ = 8;
  uint64_t first_ = data_at;
};

double figure_of(const measurement& m, double x, const session& s) {
  const double waves_a_cu = double(m.groups) * m.items / 64;
  switch (m.figure) {
    case figure::wave: return x;
    case figure::compute_unit: return x / waves_a_cu;
    case figure::simd: return x / (waves_a_cu / 4);
    case figure::machine: return x / s.waves();
    case figure::bytes_compute_unit: return m.bytes * waves_a_cu / x;
    case figure::bytes_machine: return double(m.bytes) * s.waves() / x;
    case figure::gigabytes: return double(m.bytes) * s.waves() / x * s.mhz() / 1000;
    case figure::rate_simd: return 4 * s.waves() / x;
    case figure::rate_machine: return s.waves() / x;
    case figure::nanoseconds: return x * 1000 / s.mhz();
  }
  return 0;
}

} // namespace

double measure(const measurement& m, const std::string& name, const std::vector<std::string>& settings) {
  auto d = load_machine(name, settings);
  d->set.set_assignment("waitcnt=silent"); // kernels show rates: they overwrite results that nobody has waited for
  d->set.set_assignment("hazards=silent");
  for (const auto& s : m.settings) d->set.set_assignment(s);
  if (m.compute_units) d->parameters.system.compute_units = std::min(m.compute_units, d->parameters.system.compute_units);
  session s(m, *d);
  switch (m.method) {
    case method::window: {
      const double rate = s.window_rate(m.window); // of all CUs
      return figure_of(m, s.waves() / rate, s);
    }
    case method::dispatch:
      s.run(1); // warms L2 and translations up
      return figure_of(m, s.run(1) / s.instructions(), s);
    case method::launch: s.run(1); return figure_of(m, s.launch_distance(), s);
    case method::chase:
      s.run(s.chase_turns());
      return figure_of(m, s.clocks() / (double(s.chase_turns()) * s.instructions()), s);
    case method::slope: break;
  }
  s.run(m.loops); // warms L2 and translations up
  const double one = s.run(m.loops), two = s.run(2 * m.loops);
  return figure_of(m, (two - one) / (double(m.loops) * s.instructions()), s);
}

} // namespace lyra::platforms::bench
