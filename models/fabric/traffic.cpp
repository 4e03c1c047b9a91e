// SPDX-License-Identifier: Apache-2.0
#include "fabric/traffic.h"
#include <algorithm>
#include <cstring>

namespace lyra::fabric {

traffic_source::traffic_source(sc_core::sc_module_name name, const context& context, const traffic_parameters& parameters, isa::target chip)
    : timed_module(name, context.core), out("out", *this, 0), context_(context), parameters_(parameters), chip_(chip) {
  if (parameters.pattern == "recorded") reader_ = std::make_unique<record_reader>(parameters.file, context, chip);
  parameters_.bytes = std::clamp(parameters_.bytes, 1u, line_bytes);
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  wake_at(1);
}

void traffic_source::on_reset() {
  if (reader_) reader_ = std::make_unique<record_reader>(parameters_.file, context_, chip_);
  next_ = recorded_request();
  sent_.clear();
  free_ = 0;
  made_ = rolls_ = 0;
  ended_ = false;
  statistics_ = traffic_statistics();
}

payload& traffic_source::make() {
  const traffic_parameters& p = parameters_;
  const uint64_t slots = std::max<uint64_t>(1, p.footprint_bytes / p.bytes);
  uint64_t at = p.base + (p.pattern == "strided" ? made_ * p.stride_bytes % p.footprint_bytes : roll() % slots * p.bytes);
  if (roll() % 100 < p.atomic_percent) {
    payload& a = context_.lines->atomic(at & ~uint64_t(line_bytes - 1));
    atomic_extension& e = payload_pool::atomic_of(a);
    e.operation = isa::atomic_operation::atomic_add;
    e.bytes = 4;
    e.returns = true;
    e.count = 1;
    e.entries[0] = {0, uint8_t(at % line_bytes & ~3u), roll() & 0xffff, 0, 0};
    return a;
  }
  const unsigned offset = unsigned(at % line_bytes), bytes = std::min(p.bytes, line_bytes - offset);
  if (roll() % 100 < p.read_percent) return context_.lines->line(tlm::TLM_READ_COMMAND, at, bytes);
  uint8_t data[line_bytes] = {};
  for (unsigned i = 0; i < bytes; ++i) data[offset + i] = uint8_t(roll());
  return context_.lines->masked_write(at - offset, data, (bytes == line_bytes ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1) << offset);
}

/// The next request into next_; false: there is none.
bool traffic_source::fetch() {
  if (next_.p) return true;
  if (ended_) return false;
  if (reader_) {
    ended_ = !reader_->next(next_);
    if (!parameters_.keep_times) next_.at = 0;
  } else if (made_ == parameters_.requests) ended_ = true;
  else {
    next_ = {0, &make()};
    ++made_;
  }
  return next_.p != nullptr;
}

namespace {
/// Two workgroups cannot be on a compute unit together.
bool in_the_way(const launch_extension& a, const launch_extension& b) {
  const auto meet = [](uint64_t x, uint64_t nx, uint64_t y, uint64_t ny) { return x < y + ny && y < x + nx; };
  if (meet(a.lds_base, a.packet->lds_bytes, b.lds_base, b.packet->lds_bytes)) return true;
  for (unsigned i = 0; i < a.waves; ++i)
    for (unsigned k = 0; k < b.waves; ++k)
      if (a.places[i].simd == b.places[k].simd &&
          (a.places[i].slot == b.places[k].slot || meet(a.places[i].vgpr_base, a.packet->vgprs, b.places[k].vgpr_base, b.packet->vgprs))) return true;
  return false;
}
} // namespace

bool traffic_source::room_for_launch() const {
  const auto* l = next_.p->get_extension<launch_extension>();
  if (!l) return true;
  for (const auto& s : sent_)
    if (in_the_way(*l, *s.first->get_extension<launch_extension>())) return false;
  return true;
}

cycle_t traffic_source::on_wake(cycle_t cycle) {
  while (fetch()) {
    if (!out.ready() || out.in_flight() >= parameters_.window) return never; // on_ready, on_response
    if (!room_for_launch()) return never; // on_response
    const cycle_t due = std::max({free_, clock().ceil(next_.at), cycle + 1}), lead = std::max<cycle_t>(1, clock().floor(next_.lead));
    if (due > cycle + lead) return due - lead;
    payload& p = *next_.p;
    next_.p = nullptr;
    free_ = due + parameters_.gap_cycles;
    ++statistics_.requests;
    sent_.emplace_back(&p, clock().at(due));
    out.send(p, clock().at(due));
  }
  return never;
}

void traffic_source::on_response(unsigned, payload& p, picoseconds at) {
  const auto i = std::find_if(sent_.begin(), sent_.end(), [&](const auto& s) { return s.first == &p; });
  const picoseconds latency = at - i->second;
  sent_.erase(i);
  traffic_statistics& s = statistics_;
  s.latency_min_ps = s.answers ? std::min<uint64_t>(s.latency_min_ps, latency) : latency;
  s.latency_max_ps = std::max<uint64_t>(s.latency_max_ps, latency);
  s.latency_ps += latency;
  s.last_answer_ps = std::max<uint64_t>(s.last_answer_ps, at);
  ++s.answers;
  s.errors += !p.is_response_ok();
  if (on_answer) on_answer(p, at);
  p.release();
  wake_at(std::max(clock().ceil(at), now() + 1));
}

} // namespace lyra::fabric
