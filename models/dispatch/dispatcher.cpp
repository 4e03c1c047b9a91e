// SPDX-License-Identifier: Apache-2.0
#include "dispatch/dispatcher.h"
#include "fabric/time_domain.h"
#include "observe/input_error.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::dispatch {

using fabric::cycle_t;
using fabric::never;
using fabric::payload;
using fabric::picoseconds;

/// One workgroup in flight: its payload, what it takes and where it is.
struct dispatcher::launch : payload {
  fabric::launch_extension* extension = nullptr; ///< owned by the payload
  group_needs needs;
  group_place place;
  size_t record = 0;
  unsigned cu = 0;
  bool running = false;
};

struct dispatcher::launch_pool : tlm::tlm_mm_interface {
  std::vector<std::unique_ptr<launch>> all;
  std::vector<launch*> idle;
  launch& take() {
    if (idle.empty()) {
      auto l = std::make_unique<launch>();
      l->extension = new fabric::launch_extension;
      l->set_extension(l->extension);
      l->set_mm(this);
      l->set_command(tlm::TLM_IGNORE_COMMAND);
      l->set_address(0);
      l->set_data_ptr(nullptr);
      l->set_data_length(0);
      l->set_streaming_width(1);
      all.push_back(std::move(l));
      idle.push_back(all.back().get());
    }
    return *idle.back();
  }
  /// The launch that `take` returned goes out.
  void commit() { idle.back()->running = true; idle.back()->acquire(); idle.pop_back(); }
  /// Launch ports carry no payloads but ours.
  static launch& of(payload& p) { return static_cast<launch&>(p); }
  void free(payload* p) override {
    launch& l = of(*p);
    l.running = false;
    idle.push_back(&l);
  }
};

dispatcher::dispatcher(sc_core::sc_module_name name, const dispatcher_parameters& parameters, const cu_resources& cu, const topology& t, fabric::context& context)
    : timed_module(name, context.core), parameters_(parameters), cu_(cu), topology_(t), context_(context), chaos_number_(fabric::module_number(this->name())),
      packet_cycles_(context.core.from_ns(parameters.packet_latency_ns)), pool_(std::make_unique<launch_pool>()),
      order_(cu_order::find(parameters.order), t.compute_units, std::min(parameters.shader_engines, t.compute_units)),
      occupancy_(t.compute_units, cu_occupancy(cu)), full_(t.compute_units, shortage::none), port_free_(t.compute_units, 0), engine_free_(std::min(parameters.shader_engines, t.compute_units), 0) {
  const auto add = [&](const char* kind, unsigned count) {
    const unsigned first = unsigned(ports_.size());
    for (unsigned i = 0; i < count; ++i)
      ports_.push_back(std::make_unique<fabric::initiator_port>(fmt::format("{}{}_socket", kind, i), static_cast<fabric::response_client&>(*this), unsigned(ports_.size())));
    return first;
  };
  add("launch", t.compute_units);
  first_scalar_ = add("scalar_cache", t.scalar_caches);
  first_instruction_ = add("instruction_cache", t.instruction_caches);
  first_vector_ = add("vector_cache", t.vector_caches);
  ready_cus_.reserve(t.compute_units);
  if (context_.statistics) context_.statistics->add(basename(), statistics_);
  if (context_.trace) {
    const std::string path = basename();
    trace_dispatch_ = context_.trace->add(path + ".dispatch", 32, "number of the packet being processed or launched");
    trace_state_ = context_.trace->add(path + ".state", 3, "0 idle, 1 processing a packet, 2 K$ write-back, 3 I$ and L1 invalidate, 4 launching");
    trace_groups_ = context_.trace->add(path + ".groups_left", 32, "workgroups of the packet not yet launched");
    trace_waves_ = context_.trace->add(path + ".resident_waves", 16, "waves resident in the machine");
  }
}

dispatcher::~dispatcher() { set_launcher_busy(false); }

/// Packets are forgotten too; observers and scratch slots stay.
void dispatcher::on_reset() {
  order_ = cu_order(cu_order::find(parameters_.order), topology_.compute_units, std::min(parameters_.shader_engines, topology_.compute_units));
  occupancy_.assign(topology_.compute_units, cu_occupancy(cu_));
  full_.assign(full_.size(), shortage::none);
  port_free_.assign(port_free_.size(), 0);
  engine_free_.assign(engine_free_.size(), 0);
  set_scratch_slots(scratch_slots_);
  ended_ = {};
  ready_cus_.clear();
  chosen_.reset();
  records_.clear();
  done_event_.cancel();
  set_launcher_busy(false);
  state_ = state::idle;
  state_since_ = busy_since_ = processed_at_ = controls_done_ = 0;
  wait_since_ = never;
  wait_counter_ = nullptr;
  current_ = completed_ = in_flight_ = 0;
  busy_ = false;
  controls_pending_ = resident_waves_ = 0;
  for (uint32_t& g : next_group_) g = 0;
  group_number_ = wave_order_ = groups_total_ = chaos_sequence_ = 0;
  statistics_ = dispatcher_statistics();
}

void dispatcher::on_reclaim() {
  for (auto& l : pool_->all) fabric::take_back(*l);
}

void dispatcher::set_scratch_slots(uint64_t n) {
  scratch_slots_ = n;
  std::vector<uint64_t> slots(n);
  for (uint64_t i = 0; i < n; ++i) slots[i] = i;
  scratch_free_ = decltype(scratch_free_)(std::greater<uint64_t>(), std::move(slots));
}

void dispatcher::submit(const fabric::dispatch_packet& p) {
  const uint64_t items = uint64_t(std::min(p.grid[0], p.workgroup[0])) * std::min(p.grid[1], p.workgroup[1]) * std::min(p.grid[2], p.workgroup[2]);
  const group_needs n{unsigned((items + 63) / 64), p.vgprs, p.sgprs, p.lds_bytes};
  const std::string why = never_fits(n, cu_);
  if (!why.empty())
    throw observe::input_error(fmt::format("dispatch {} ({})", p.id, p.kernel), fmt::format("a workgroup of {} work-items can never run: it needs {}; make it smaller or choose a machine with more", items, why));
  if (p.scratch_wave_bytes && scratch_slots_ < n.waves)
    throw observe::input_error(fmt::format("dispatch {} ({})", p.id, p.kernel), fmt::format("a workgroup of {} waves can never run: scratch is set up for {} waves", n.waves, scratch_slots_));
  dispatch_record r;
  r.packet = &p;
  r.groups = p.groups();
  r.submitted = now();
  groups_total_ += r.groups;
  records_.push_back(r);
  wake_at(now() + 1);
}

void dispatcher::on_response(unsigned port, payload& p, picoseconds at) {
  const cycle_t c = clock().ceil(at);
  if (port < topology_.compute_units) {
    launch& l = launch_pool::of(p);
    ended_.push({c, port, l.extension->group_number, &p});
  } else {
    --controls_pending_;
    controls_done_ = std::max(controls_done_, c);
    p.release();
  }
  wake_at(std::max(c, now()));
}

void dispatcher::on_ready(unsigned port, picoseconds at) {
  const cycle_t c = clock().ceil(at);
  if (port < topology_.compute_units) port_free_[port] = c;
  wake_at(std::max(c, now()));
}

cycle_t dispatcher::on_wake(cycle_t cycle) {
  while (!ended_.empty() && ended_.top().cycle <= cycle) {
    const ended_group e = ended_.top();
    ended_.pop();
    retire(e, cycle);
  }
  cycle_t next = context_.run && context_.run->stopped(clock().at(cycle)) ? never : advance(cycle);
  if (!ended_.empty()) next = std::min(next, ended_.top().cycle);
  return next;
}

void dispatcher::retire(const ended_group& e, cycle_t cycle) {
  launch& l = launch_pool::of(*e.p);
  dispatch_record& r = records_[l.record];
  const picoseconds at = clock().at(cycle);
  for (auto* o : observers_) o->group_ended(*l.extension, e.cu, at);
  occupancy_[e.cu].release(l.needs, l.place);
  full_[e.cu] = shortage::none;
  resident_waves_ -= l.needs.waves;
  trace_waves_.set(at, resident_waves_);
  if (r.packet->scratch_wave_bytes)
    for (unsigned i = 0; i < l.needs.waves; ++i) scratch_free_.push(l.extension->places[i].scratch_offset / r.packet->scratch_wave_bytes);
  e.p->release();
  ++statistics_.groups;
  if (++r.ended < r.groups) return;
  r.end_ps = at;
  if (--in_flight_ == 0 && state_ == state::idle) {
    statistics_.draining_cycles += cycle - state_since_;
    state_since_ = cycle;
  }
  ++completed_;
  ++statistics_.dispatches;
  for (auto* o : observers_) o->dispatch_ended(r, at);
  if (done()) {
    statistics_.busy_cycles += cycle - busy_since_;
    busy_ = false;
    done_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void dispatcher::enter(state s, cycle_t cycle) {
  const cycle_t spent = cycle - state_since_;
  switch (state_) {
    case state::idle: break; // draining is counted when the last group ends
    case state::processing: statistics_.packet_cycles += spent; break;
    case state::writeback: case state::invalidate: statistics_.maintenance_cycles += spent; break;
    case state::launching: statistics_.launching_cycles += spent; break;
  }
  set_launcher_busy(s != state::idle);
  state_ = s;
  state_since_ = cycle;
  trace_state_.set(clock().at(cycle), uint64_t(s));
}

void dispatcher::set_launcher_busy(bool on) {
  if (on != launcher_busy_) fabric::launcher_busy(on);
  launcher_busy_ = on;
}

/// No compute unit can take the next group before one of its own has ended, and no later packet is launched along with this one.
bool dispatcher::waits_for_room() const {
  if (current_ + 1 < records_.size() && !records_[current_ + 1].packet->barrier) return false;
  if (records_[current_].packet->scratch_wave_bytes || chosen_) return false; // scratch that comes back is good for any compute unit
  return std::find(full_.begin(), full_.end(), shortage::none) == full_.end();
}

void dispatcher::control(unsigned first, unsigned count, fabric::cache_control what, cycle_t cycle) {
  controls_done_ = std::max(controls_done_, cycle + 1);
  for (unsigned i = 0; i < count; ++i) {
    payload& p = context_.lines->line(tlm::TLM_IGNORE_COMMAND, 0);
    fabric::payload_pool::policy(p).control = what;
    ++controls_pending_;
    ports_[first + i]->send(p, clock().at(cycle + parameters_.control_latency_cycles));
  }
}

cycle_t dispatcher::advance(cycle_t cycle) {
  for (;;) switch (state_) {
    case state::idle: {
      if (current_ == records_.size()) return never;
      dispatch_record& r = records_[current_];
      if (r.packet->barrier && in_flight_) return never; // the last group's end wakes us
      if (!busy_) { busy_ = true; busy_since_ = cycle; }
      r.taken_ps = clock().at(cycle);
      ++in_flight_;
      // A packet that overlaps others was processed while they were being launched, if it was there then.
      processed_at_ = r.packet->barrier || current_ == 0 ? cycle + packet_cycles_ : std::max(cycle, std::max(processed_at_, r.submitted) + packet_cycles_);
      std::fill(full_.begin(), full_.end(), shortage::none);
      for (uint32_t& g : next_group_) g = 0;
      trace_dispatch_.set(clock().at(cycle), r.packet->id);
      enter(state::processing, cycle);
      break;
    }
    case state::processing:
      if (cycle < processed_at_) return processed_at_;
      if (records_[current_].packet->barrier || current_ == 0) {
        controls_done_ = cycle;
        enter(state::writeback, cycle);
        control(first_scalar_, topology_.scalar_caches, fabric::cache_control::writeback_invalidate, cycle);
      } else {
        enter(state::launching, cycle);
      }
      break;
    case state::writeback:
      if (controls_pending_) return never;
      if (cycle < controls_done_) return controls_done_;
      enter(state::invalidate, cycle);
      control(first_instruction_, topology_.instruction_caches, fabric::cache_control::invalidate, cycle);
      control(first_vector_, topology_.vector_caches, fabric::cache_control::invalidate, cycle);
      break;
    case state::invalidate:
      if (controls_pending_) return never;
      if (cycle < controls_done_) return controls_done_;
      enter(state::launching, cycle);
      break;
    case state::launching: {
      const cycle_t next = launch_groups(cycle);
      if (records_[current_].launched < records_[current_].groups) {
        set_launcher_busy(!waits_for_room());
        return next;
      }
      enter(state::idle, cycle);
      ++current_;
      break;
    }
  }
}

void dispatcher::note_wait(uint64_t* counter, cycle_t cycle) {
  if (wait_counter_ && cycle > wait_since_) *wait_counter_ += cycle - wait_since_;
  wait_counter_ = counter;
  wait_since_ = cycle;
}

void dispatcher::next_group_size(fabric::launch_extension& e) const {
  const auto& p = *e.packet;
  for (int i = 0; i < 3; ++i) {
    e.group[i] = next_group_[i];
    e.size[i] = uint32_t(std::min<uint64_t>(p.workgroup[i], p.grid[i] - uint64_t(next_group_[i]) * p.workgroup[i]));
  }
}

/// The cycle from which the CU's port and its shader engine's launcher take a group; `never` while the port withholds one (on_ready wakes us then).
cycle_t dispatcher::launch_possible(unsigned cu) const { return ports_[cu]->ready() ? std::max(engine_free_[order_.engine_of(cu)], port_free_[cu]) : never; }

/// Order `packed`: the lowest CU with room is chosen, its room kept, and its port and launcher waited for.
unsigned dispatcher::find_packed(cycle_t cycle, launch& l, cycle_t& retry) {
  if (!chosen_) {
    for (unsigned c = 0; c < topology_.compute_units && !chosen_; ++c)
      if (full_[c] == shortage::none && (full_[c] = occupancy_[c].place(l.needs, chosen_place_)) == shortage::none) chosen_ = c;
    if (!chosen_) return topology_.compute_units;
  }
  const unsigned c = *chosen_;
  if (const cycle_t possible = launch_possible(c); possible > cycle) { retry = std::min(retry, possible); return topology_.compute_units; }
  l.place = chosen_place_;
  chosen_.reset();
  return c;
}

/// The CU for the launch's group, already placed there; compute_units when there is none now. `retry` is lowered to the cycle at which a launcher or port comes free.
unsigned dispatcher::find_place(cycle_t cycle, launch& l, cycle_t& retry) {
  const bool random = context_.chaos.on();
  if (order_.packed() && !random) return find_packed(cycle, l, retry);
  const auto free_for_launch = [&](unsigned c) {
    if (full_[c] != shortage::none) return false;
    const cycle_t possible = launch_possible(c);
    if (possible > cycle) { retry = std::min(retry, possible); return false; }
    return true;
  };
  if (random) {
    ready_cus_.clear();
    for (unsigned c = 0; c < topology_.compute_units; ++c) if (free_for_launch(c)) ready_cus_.push_back(c);
  }
  for (;;) {
    unsigned c;
    if (random) {
      if (ready_cus_.empty()) return topology_.compute_units;
      const unsigned i = context_.chaos.pick(chaos_number_, chaos_sequence_++, unsigned(ready_cus_.size()), 0);
      c = ready_cus_[i];
      ready_cus_.erase(ready_cus_.begin() + i);
    } else if ((c = order_.next(free_for_launch)) == topology_.compute_units) {
      return c;
    }
    const shortage lack = occupancy_[c].place(l.needs, l.place);
    if (lack == shortage::none) return c;
    full_[c] = lack;
  }
}

cycle_t dispatcher::launch_groups(cycle_t cycle) {
  dispatch_record& r = records_[current_];
  const auto& p = *r.packet;
  for (unsigned started = 0; r.launched < r.groups; ++started) {
    if (started == parameters_.groups_per_cycle) { note_wait(&statistics_.wait_launcher, cycle); return cycle + 1; }
    launch& l = pool_->take();
    l.extension->packet = &p;
    next_group_size(*l.extension);
    const uint64_t items = uint64_t(l.extension->size[0]) * l.extension->size[1] * l.extension->size[2];
    l.needs = {unsigned((items + 63) / 64), p.vgprs, p.sgprs, p.lds_bytes};
    if (p.scratch_wave_bytes && scratch_free_.size() < l.needs.waves) { note_wait(&statistics_.wait_scratch, cycle); return never; }
    cycle_t retry = never;
    const unsigned c = find_place(cycle, l, retry);
    if (c == topology_.compute_units) {
      // Who is to blame: a launcher or port when some CU is not full, else what the first CU lacks.
      const auto busy = std::find(full_.begin(), full_.end(), shortage::none);
      uint64_t* counters[] = {&statistics_.wait_launcher, &statistics_.wait_slots, &statistics_.wait_vgprs, &statistics_.wait_sgprs, &statistics_.wait_lds};
      note_wait(counters[busy != full_.end() ? 0 : unsigned(full_[0])], cycle);
      return retry;
    }
    note_wait(nullptr, cycle);
    pool_->commit();
    start_group(c, l, cycle);
  }
  return never;
}

void dispatcher::start_group(unsigned cu, launch& l, cycle_t cycle) {
  dispatch_record& r = records_[current_];
  const auto& p = *r.packet;
  fabric::launch_extension& e = *l.extension;
  const picoseconds now = clock().at(cycle);
  e.group_number = group_number_++;
  if (r.launched == 0) p.first_wave_order = wave_order_;
  e.first_wave_order = wave_order_;
  e.lds_base = l.place.lds_base;
  e.waves = l.needs.waves;
  wave_order_ += e.waves;
  for (unsigned i = 0; i < e.waves; ++i) {
    const auto& w = l.place.waves[i];
    uint64_t scratch = 0;
    if (p.scratch_wave_bytes) {
      scratch = scratch_free_.top() * p.scratch_wave_bytes;
      scratch_free_.pop();
    }
    e.places[i] = {w.simd, w.slot, w.vgpr_base, scratch};
  }
  l.record = current_;
  l.cu = cu;
  l.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  order_.taken(cu);
  const unsigned engine = order_.engine_of(cu);
  engine_free_[engine] = cycle + std::max(1u, e.waves * parameters_.wave_start_cycles);
  for (int i = 0; i < 3; ++i) { // x runs fastest
    if ((uint64_t(next_group_[i]) + 1) * p.workgroup[i] < p.grid[i]) { ++next_group_[i]; break; }
    next_group_[i] = 0;
  }
  if (r.launched++ == 0) {
    r.start_ps = now;
    for (auto* o : observers_) o->dispatch_started(r, now);
  }
  resident_waves_ += e.waves;
  statistics_.waves += e.waves;
  statistics_.resident_waves_peak = std::max<uint64_t>(statistics_.resident_waves_peak, resident_waves_);
  trace_waves_.set(now, resident_waves_);
  trace_groups_.set(now, r.groups - r.launched);
  const cycle_t extra = context_.chaos.extra(chaos_number_, chaos_sequence_++);
  const picoseconds at = ports_[cu]->send(l, clock().at(cycle + parameters_.launch_latency_cycles + extra));
  if (ports_[cu]->ready()) { // taken at once: the next one may follow on its heels
    const cycle_t free = clock().ceil(ports_[cu]->free_at());
    port_free_[cu] = std::max(cycle + 1, free > parameters_.launch_latency_cycles ? free - parameters_.launch_latency_cycles : 0);
  }
  for (auto* o : observers_) o->group_started(e, cu, at);
}

std::string dispatcher::describe_running(unsigned groups) const {
  std::string s;
  for (const auto& r : records_) {
    if (r.done() || r.taken_ps == 0) continue;
    s += fmt::format("dispatch {} ({}): {} of {} workgroups have ended, {} run, {} wait\n", r.packet->id, r.packet->kernel, r.ended, r.groups, r.launched - r.ended, r.groups - r.launched);
  }
  const size_t waiting = records_.size() - std::min(records_.size(), current_ + (state_ != state::idle ? 1 : 0));
  if (waiting) s += fmt::format("{} dispatch{} wait{} behind\n", waiting, waiting == 1 ? "" : "es", waiting == 1 ? "s" : "");
  if (state_ == state::writeback || state_ == state::invalidate) s += fmt::format("{} caches have not answered to the dispatch's {}\n", controls_pending_, state_ == state::writeback ? "write-back" : "invalidate");
  std::vector<const launch*> running;
  for (const auto& l : pool_->all) if (l->running) running.push_back(l.get());
  std::sort(running.begin(), running.end(), [](const launch* a, const launch* b) { return a->extension->group_number < b->extension->group_number; });
  for (size_t i = 0; i < running.size() && i < groups; ++i) {
    const auto& e = *running[i]->extension;
    s += fmt::format("  workgroup ({}, {}, {}) of dispatch {}: {} waves on cu{}\n", e.group[0], e.group[1], e.group[2], e.packet->id, e.waves, running[i]->cu);
  }
  if (running.size() > groups) s += fmt::format("  and {} more workgroups\n", running.size() - groups);
  return s;
}

} // namespace lyra::dispatch
