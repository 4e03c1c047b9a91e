// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_unit.h"
#include "atomic/atomic_operations.h"
#include <algorithm>
#include <cstring>

namespace lyra::atomic {

using namespace fabric;

packet_schedule schedule_packet(const atomic_extension& a, unsigned lanes_per_cycle, unsigned cycles_per_operation) {
  packet_schedule s;
  if (a.count == 0) return s;
  unsigned next_free[line_bytes / 4] = {}; // by location: first cycle at which the next operation on it may start
  unsigned cycle = 0, in_cycle = 0;
  for (unsigned i = 0; i < a.count; ++i) {
    unsigned& free_at = next_free[a.entries[i].offset / 4 % (line_bytes / 4)];
    if (in_cycle == lanes_per_cycle) { ++cycle; in_cycle = 0; }
    if (free_at > cycle) { cycle = free_at; in_cycle = 0; }
    ++in_cycle;
    free_at = cycle + cycles_per_operation;
  }
  s.cycles = cycle + 1;
  s.ideal = (a.count + lanes_per_cycle - 1) / lanes_per_cycle;
  return s;
}

bool apply_packet(atomic_extension& a, uint8_t* line) {
  if ((a.bytes != 4 && a.bytes != 8) || a.count > 64 || a.operation == isa::atomic_operation::atomic_none) return false;
  for (unsigned i = 0; i < a.count; ++i)
    if (a.entries[i].offset % a.bytes != 0 || a.entries[i].offset + a.bytes > line_bytes) return false;
  for (unsigned i = 0; i < a.count; ++i) {
    auto& e = a.entries[i];
    uint64_t memory = 0; // the host is little-endian, as the machine
    std::memcpy(&memory, line + e.offset, a.bytes);
    e.result = memory;
    const uint64_t value = apply(a.operation, a.bytes, memory, e.operand, e.compare);
    std::memcpy(line + e.offset, &value, a.bytes);
  }
  return true;
}

atomic_unit::atomic_unit(sc_core::sc_module_name name, const context& context, const atomic_unit_parameters& parameters)
    : timed_module(name, context.core), in("in", *this, 0), parameters_(parameters), round_robin_(parameters.fairness == "round_robin"), chaos_(context.chaos),
      number_(module_number(this->name())) {
  if (!round_robin_ && parameters.fairness != "fifo")
    SC_REPORT_ERROR("lyra/atomic/parameter", (std::string(this->name()) + ": fairness '" + parameters.fairness + "' is not known; use fifo or round_robin").c_str());
  fifo_.reserve(parameters_.fifo_depth);
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string path = this->name();
    depth_signal_ = context.trace->add(path + ".fifo_depth", 16, "packets that wait");
    owner_signal_ = context.trace->add_text(path + ".owner", "compute unit and wave of the packet in work");
    operations_signal_ = context.trace->add(path + ".operations", 7, "operations (lanes) of the packet in work");
    busy_signal_ = context.trace->add(path + ".busy", 1, "operations are starting");
  }
}

void atomic_unit::enqueue(payload& p, cycle_t arrival) {
  const atomic_extension* a = fabric::payload_pool::find_atomic(p);
  arrival += chaos_.extra(number_, draws_++);
  if (arrival < last_arrival_) arrival = last_arrival_;
  last_arrival_ = arrival;
  fifo_.push_back({&p, arrival, a ? a->source : uint16_t(0)});
  statistics_.fifo_max = std::max<uint64_t>(statistics_.fifo_max, fifo_.size());
  if (depth_signal_) depth_signal_.add(clock().at(arrival), 1);
  wake_at(std::max(arrival, issue_free_));
}

request_answer atomic_unit::on_request(unsigned, payload& p, picoseconds& at) {
  if (fifo_.size() >= parameters_.fifo_depth) {
    held_ = &p;
    held_at_ = at;
    ++statistics_.held_back;
    return request_answer::withheld;
  }
  enqueue(p, clock().ceil(at));
  return request_answer::accepted;
}

void atomic_unit::execute(payload& p) {
  atomic_extension* a = fabric::payload_pool::find_atomic(p);
  if (!a || p.get_command() != tlm::TLM_IGNORE_COMMAND) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    ++statistics_.errors;
  } else if (p.get_data_length() < line_bytes || !apply_packet(*a, p.get_data_ptr())) {
    p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    ++statistics_.errors;
  } else {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    ++statistics_.packets;
    statistics_.operations += a->count;
    statistics_.returning += a->returns;
  }
}

cycle_t atomic_unit::on_wake(cycle_t c) {
  if (fifo_.empty()) return never;
  if (issue_free_ > c) return issue_free_;
  // who is next among those that have arrived
  size_t ready = 0;
  while (ready < fifo_.size() && fifo_[ready].arrival <= c) ++ready;
  if (ready == 0) return fifo_.front().arrival;
  size_t chosen = 0;
  if (round_robin_) { // the requester after the last one served; its oldest packet
    unsigned best = 0x20000;
    for (size_t i = 0; i < ready; ++i) {
      const unsigned distance = uint16_t(fifo_[i].source - last_source_ - 1);
      if (distance < best) { best = distance; chosen = i; }
    }
    if (chaos_.on()) { // any requester; its oldest packet
      const uint16_t s = fifo_[chaos_.pick(number_, draws_++, unsigned(ready), 0)].source;
      for (chosen = 0; fifo_[chosen].source != s; ++chosen) {}
    }
  }
  const waiting w = fifo_[chosen];
  fifo_.erase(fifo_.begin() + std::ptrdiff_t(chosen));
  if (depth_signal_) depth_signal_.add(clock().at(c), -1);
  last_source_ = w.source;
  statistics_.wait_cycles += c - w.arrival;

  packet_schedule s{1, 1};
  if (const auto* a = fabric::payload_pool::find_atomic(*w.p); a && a->count != 0) s = schedule_packet(*a, parameters_.lanes_per_cycle, parameters_.cycles_per_operation);
  execute(*w.p);
  statistics_.busy_cycles += s.cycles;
  statistics_.serialised_cycles += s.cycles - s.ideal;
  issue_free_ = c + s.cycles;
  if (owner_signal_ || operations_signal_) {
    const auto* a = fabric::payload_pool::find_atomic(*w.p);
    operations_signal_.set(clock().at(c), a ? a->count : 0);
    operations_signal_.set(clock().at(issue_free_), 0);
    if (owner_signal_) owner_signal_.set(clock().at(c), "cu" + std::to_string(w.source) + " wave" + std::to_string(a ? a->wave : 0));
    owner_signal_.set(clock().at(issue_free_), "");
  }
  if (busy_signal_) { busy_signal_.set(clock().at(c), 1); busy_signal_.set(clock().at(issue_free_), 0); }
  if (held_) {
    payload& p = *held_;
    held_ = nullptr;
    const cycle_t entry = std::max(c + 1, clock().ceil(held_at_));
    enqueue(p, entry);
    in.accept(clock().at(entry));
  }
  in.respond(*w.p, clock().at(issue_free_ - 1 + parameters_.latency_cycles));
  return fifo_.empty() ? never : std::max(issue_free_, fifo_.front().arrival);
}

void atomic_unit::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  packet_schedule s{1, 1};
  if (const auto* a = fabric::payload_pool::find_atomic(p); a && a->count != 0) s = schedule_packet(*a, parameters_.lanes_per_cycle, parameters_.cycles_per_operation);
  execute(p);
  delay += to_sc_time(clock().at(s.cycles - 1 + parameters_.latency_cycles));
}

} // namespace lyra::atomic
