// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline_recorder.h"
#include "observe/glob.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::platforms {

bool in_timeline(const std::vector<std::string>& patterns, unsigned cu) {
  bool wanted = patterns.empty();
  for (const auto& p : patterns) wanted |= observe::glob_match(p, fmt::format("cu{}.timeline", cu));
  return wanted;
}

// ---------------------------------------------------------------- queue depths

bool queue_counters::declare(const std::string& path, unsigned bits, const char*, uint32_t& id) {
  static constexpr const char* queues[] = {"cu*.texture.in_flight", "cu*.l1.latency_fifo", "cu*.l1.fills_outstanding", "cu*.lds.queue0", "cu*.lds.queue1", "cu*.smem_outstanding", "sqc*.outstanding",
                                           "l2_*.cache.input_depth", "l2_*.cache.mshrs", "l2_*.cache.memory_queue", "l2_*.atomic.fifo_depth", "l2_*.memory.queue_depth", "gds.queue"};
  bool wanted = false;
  for (const char* q : queues) wanted |= bits != 0 && observe::glob_match(q, path);
  const std::string block = path.substr(0, path.find('.'));
  if (wanted && block.compare(0, 2, "cu") == 0) wanted = in_timeline(patterns_, unsigned(std::strtoul(block.c_str() + 2, nullptr, 10)));
  if (!wanted) return false;
  id = uint32_t(queues_.size());
  const std::string name = path.substr(block.size() + 1);
  queues_.push_back({timeline_.track(block, name), name, 0, 0});
  return true;
}

void queue_counters::change(uint32_t id, uint64_t ps, uint64_t value) {
  queue& q = queues_[id];
  if (q.depth == int64_t(value)) return;
  q.depth = int64_t(value);
  show(q, ps);
}

void queue_counters::change_by(uint32_t id, uint64_t ps, int64_t delta) {
  queue& q = queues_[id];
  q.depth += delta;
  show(q, ps);
}

void queue_counters::show(queue& q, uint64_t ps) {
  q.changed_ps = ps;
  timeline_.counter(q.track, q.name, ps, double(q.depth));
}

/// Queues are empty. (A change may have been written for a time a few cycles ahead.)
void queue_counters::reset(uint64_t ps) {
  reset_ps_ = ps;
  for (auto& q : queues_) {
    if (!q.depth) continue;
    q.depth = 0;
    show(q, std::max(ps, q.changed_ps));
  }
}

/// The reset stands as a bar of its own; what follows it has the machine's new times behind it.
void queue_counters::restart(uint64_t ps) {
  timeline_.slice(timeline_.track("machine", "reset"), "reset", reset_ps_, ps);
  timeline_.restart(ps);
}

// ---------------------------------------------------------------- waves and bandwidth

timeline_recorder::timeline_recorder(observe::timeline& t, machine& m, const std::vector<std::string>& patterns)
    : machine_(m), timeline_(t), slots_(m.parameters().cu.wave_slots), tracks_(size_t(m.compute_units()) * 4 * slots_) {
  for (unsigned c = 0; c < m.compute_units(); ++c) {
    if (!in_timeline(patterns, c)) continue;
    ++watched_;
    m.cu(c).observer = this;
    const std::string group = fmt::format("cu{}", c);
    add_bandwidth(group, "L1 bytes/cycle", {group + ".l1.bytes_to_td", group + ".l1.write_bytes"});
    add_bandwidth(group, "LDS bytes/cycle", {group + ".lds.bytes"});
    for (unsigned s = 0; s < 4; ++s)
      for (unsigned k = 0; k < slots_; ++k) {
        auto& w = tracks_[(size_t(c) * 4 + s) * slots_ + k];
        w.instructions = timeline_.track(group, fmt::format("simd{} wave{} instructions", s, k));
        w.cycles = timeline_.track(group, fmt::format("simd{} wave{} cycles", s, k));
      }
  }
  add_bandwidth("machine", "L2 bytes/cycle", {"l2_*.cache.read_bytes", "l2_*.cache.written_bytes"});
  add_bandwidth("machine", "memory bytes/cycle", {"l2_*.memory.read_bytes", "l2_*.memory.written_bytes"});
}

timeline_recorder::~timeline_recorder() {
  for (unsigned c = 0; c < machine_.compute_units(); ++c)
    if (machine_.cu(c).observer == this) machine_.cu(c).observer = nullptr;
}

void timeline_recorder::add_bandwidth(const std::string& group, const std::string& name, const std::vector<std::string>& counters) {
  bandwidth b{timeline_.track(group, name), name, {}, 0};
  for (const auto& e : machine_.statistics().entries())
    for (const auto& c : counters)
      if (observe::glob_match(c, e.path)) b.bytes.push_back(e.value);
  bandwidths_.push_back(std::move(b));
}

void timeline_recorder::sample(uint64_t cycle) {
  if (cycle <= sampled_) return;
  const auto& clock = machine_.context().core;
  for (auto& b : bandwidths_) {
    uint64_t bytes = 0;
    for (const uint64_t* v : b.bytes) bytes += *v;
    timeline_.counter(b.track, b.name, clock.at(sampled_), double(bytes - b.before) / double(cycle - sampled_));
    b.before = bytes;
  }
  sampled_ = cycle;
}

void timeline_recorder::reset(uint64_t cycle) {
  machine_.close_statistics(); // ends the waves' intervals
  sample(cycle);
  for (auto& b : bandwidths_) {
    timeline_.counter(b.track, b.name, machine_.context().core.at(cycle), 0);
    b.before = 0;
  }
  sampled_ = 0;
}

void timeline_recorder::issued(unsigned cu, const compute_unit::wave& w, const compute_unit::micro_op& m, uint64_t cycle) {
  // a wave issues at most once in its SIMD's turn, every fourth cycle: slices follow one another
  const auto& clock = machine_.context().core;
  timeline_.slice(of(cu, w).instructions, m.inst.info->name, clock.at(cycle), clock.at(cycle + 4), {{"pc", m.pc, true}, {"wave", w.id}});
}

void timeline_recorder::spent(unsigned cu, const compute_unit::wave& w, compute_unit::stall cause, uint64_t from, uint64_t to) {
  if (to <= from) return;
  const auto& clock = machine_.context().core;
  timeline_.slice(of(cu, w).cycles, compute_unit::stall_name[unsigned(cause)], clock.at(from), clock.at(to), {{"wave", w.id}});
}

} // namespace lyra::platforms
