// SPDX-License-Identifier: Apache-2.0
#include "scalar_cache/instruction_cache.h"
#include <algorithm>
#include <cstring>

namespace lyra::scalar_cache {

using namespace fabric;
using cache::cache_array;
using cache::line_address;

namespace {
constexpr uint64_t no_key = ~uint64_t(0);
constexpr uint16_t none = 0xffff;
constexpr uint8_t fetched_ahead = 1; // flag of a line: a prefetch that no fetch has used yet
unsigned sets_of(const instruction_cache_parameters& p) { return p.size_bytes / cache::line_bytes / (p.ways ? p.ways : 1); }
} // namespace

instruction_cache::instruction_cache(sc_core::sc_module_name name, context& context, unsigned compute_units, const instruction_cache_parameters& parameters)
    : request_ports(name, context, compute_units, {parameters.port_queue_entries, parameters.requests_outstanding, parameters.mshrs, parameters.mshrs}, "instruction_cache"), parameters_(parameters),
      number_(module_number(this->name())), lines_({sets_of(parameters), cache::line_bytes, 1, false}, parameters.ways), keys_(parameters.mshrs, no_key), fills_(parameters.mshrs),
      requests_(parameters.requests_outstanding), dmi_(l2_port) {
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string path = std::string(this->name()) + ".";
    event_signal_ = t->add_text(path + "lookup", "lookup of this cycle: hit, miss, merged (joined a fill), control");
    outstanding_signal_ = t->add(path + "outstanding", 16, "fetches looked up and not answered");
    fills_signal_ = t->add(path + "fills_outstanding", 16, "fills that L2 has not answered, prefetches included");
    return_signal_ = t->add(path + "return_ports", 16, "compute units answered in this cycle, a bit each");
    stall_signal_ = t->add(path + "stall", 2, "lookups wait for 1 an MSHR, 2 a place for the request");
  }
}

void instruction_cache::on_reset() {
  reset_ports();
  draws_ = 0;
  lines_.reset();
  keys_.assign(keys_.size(), no_key);
  fills_.assign(fills_.size(), fill());
  requests_.assign(requests_.size(), request());
  last_l2_cycle_ = 0;
  answer_cycle_ = next_answer_ = never;
  answered_ = 0;
  stall_ = stall::none;
  stall_since_ = 0;
  dmi_.invalidate();
  event_now_ = event::none;
  statistics_ = instruction_cache_statistics();
}

bool instruction_cache::idle() const { return queues_empty() && free_mshrs_.size() == parameters_.mshrs; }

cycle_t instruction_cache::on_wake(cycle_t c) {
  account_stall(c);
  event_now_ = event::none;
  while (!responses_.empty() && responses_.front().cycle <= c) {
    payload& p = *responses_.front().p;
    responses_.pop();
    response(p, c);
  }
  send_answers(c);
  look_ups(c);
  send_answers(c);
  send_to_l2(c);
  trace(c);
  cycle_t next = never;
  for (const instruction_cache_port& s : state_)
    if (!s.queue.empty() && (stall_ == stall::none || s.queue.front().cycle > c)) next = std::min(next, std::max(s.queue.front().cycle, c + 1));
  if (!responses_.empty()) next = std::min(next, std::max(responses_.front().cycle, c + 1));
  if (next_answer_ != never) next = std::min(next, std::max(next_answer_ - 1, c + 1));
  return next;
}

void instruction_cache::look_ups(cycle_t c) {
  if (lookup_cycle_ != c) {
    lookup_cycle_ = c;
    lookups_ = 0;
  }
  const unsigned n = unsigned(state_.size());
  const auto ready = [&](const instruction_cache_port& s) { return !s.queue.empty() && s.queue.front().cycle <= c && s.looked_up != c; };
  if (lookups_ >= parameters_.requests_per_cycle || std::none_of(state_.begin(), state_.end(), ready)) return;
  const unsigned first = context_.chaos.on() ? context_.chaos.pick(number_, draws_++, n, turn_) : turn_;
  bool taken = false;
  for (unsigned k = 0; k < n; ++k) {
    const unsigned port = first + k < n ? first + k : first + k - n;
    instruction_cache_port& s = state_[port];
    if (!ready(s)) continue;
    if (lookups_ == parameters_.requests_per_cycle) {
      ++statistics_.port_conflict_cycles;
      continue;
    }
    const stall why = look_up(*s.queue.front().p, port, c);
    if (why != stall::none) {
      if (stall_ == stall::none) stall_ = why;
      continue;
    }
    taken = true;
    ++lookups_;
    s.looked_up = c;
    turn_ = port + 1 < n ? port + 1 : 0;
    s.queue.pop();
    if (s.withheld) {
      s.queue.push({s.withheld, std::max(c + 1, s.withheld_at)});
      s.withheld = nullptr;
      ports_[port]->accept(clock().at(c + 1));
    }
  }
  if (taken) stall_ = stall::none; // the others are tried again in the next cycle
  else stall_since_ = c;
}

instruction_cache::stall instruction_cache::look_up(payload& p, unsigned port, cycle_t c) {
  if (free_requests_.empty()) return stall::requests;
  policy_extension& policy = payload_pool::policy_or_none(p);
  const uint64_t line = line_address(p.get_address());
  const unsigned offset = unsigned(p.get_address() - line), length = p.get_data_length();
  if (p.get_command() != tlm::TLM_READ_COMMAND || offset + length > cache::line_bytes) {
    const bool is_control = p.get_command() == tlm::TLM_IGNORE_COMMAND && policy.control != cache_control::none;
    if (is_control && policy.control != cache_control::probe && policy.control != cache_control::writeback) invalidate();
    if (is_control) event_now_ = event::control;
    p.set_response_status(is_control ? tlm::TLM_OK_RESPONSE : p.get_command() == tlm::TLM_READ_COMMAND ? tlm::TLM_BURST_ERROR_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    answer(take_request(p, port), c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  const int i = lines_.find(line);
  if (i != cache_array::absent) {
    ++statistics_.fetches;
    ++statistics_.hits;
    event_now_ = event::hit;
    std::memcpy(p.get_data_ptr(), lines_.data(i) + offset, length);
    policy.hit = true;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    lines_.touch(i);
    if (lines_.flags(i) & fetched_ahead) {
      lines_.flags(i) = 0;
      ++statistics_.prefetches_used;
    }
    answer(take_request(p, port), c + parameters_.hit_latency_cycles);
    prefetch(line, policy.source, c);
    return stall::none;
  }
  policy.hit = false;
  uint16_t m = outstanding_fill(line);
  if (m == none && free_mshrs_.empty()) return stall::mshr;
  ++statistics_.fetches;
  const uint16_t r = take_request(p, port);
  if (m != none) {
    ++statistics_.merged;
    event_now_ = event::merged;
    fill& f = fills_[m];
    if (f.prefetch) {
      f.prefetch = false;
      f.first = r;
      ++statistics_.prefetches_used;
    } else requests_[f.last].next = r;
    f.last = r;
  } else {
    ++statistics_.misses;
    event_now_ = event::miss;
    m = start_fill(line, policy.source, c);
    fills_[m].first = fills_[m].last = r;
  }
  prefetch(line, policy.source, c);
  return stall::none;
}

uint16_t instruction_cache::outstanding_fill(uint64_t line) const {
  if (free_mshrs_.size() == parameters_.mshrs) return none;
  for (unsigned m = 0; m < parameters_.mshrs; ++m)
    if (keys_[m] == line) return uint16_t(m);
  return none;
}

void instruction_cache::prefetch(uint64_t line, uint16_t source, cycle_t c) {
  for (unsigned k = 1; k <= parameters_.prefetch_lines && !free_mshrs_.empty(); ++k) {
    const uint64_t next = line + uint64_t(k) * cache::line_bytes;
    if (next / page_bytes != line / page_bytes) { // do not run off the code
      if (!context_.space) return;
      const page_state s = context_.space->state(next);
      if (s != page_state::mapped && s != page_state::read_only) return;
    }
    if (lines_.find(next) != cache_array::absent || outstanding_fill(next) != none) continue;
    ++statistics_.prefetches;
    fills_[start_fill(next, source, c)].prefetch = true;
  }
}

uint16_t instruction_cache::start_fill(uint64_t line, uint16_t source, cycle_t c) {
  const uint16_t m = free_mshrs_.back();
  free_mshrs_.pop_back();
  keys_[m] = line;
  fills_[m] = {line, none, none, false};
  payload& q = context_.lines->line(tlm::TLM_READ_COMMAND, line);
  payload_pool::policy(q).source = source;
  payload_pool::policy(q).tag = m;
  l2_queue_.push({&q, c + parameters_.miss_request_cycles + context_.chaos.extra(number_ + 1, draws_++)});
  return m;
}

void instruction_cache::invalidate() {
  ++statistics_.invalidations;
  lines_.drop_all();
  for (unsigned m = 0; m < parameters_.mshrs; ++m)
    if (keys_[m] != no_key) {
      ++statistics_.poisoned_fills;
      keys_[m] = no_key;
    }
}

void instruction_cache::response(payload& p, cycle_t c) {
  const unsigned m = unsigned(payload_pool::policy(p).tag);
  const fill f = fills_[m];
  const tlm::tlm_response_status status = p.get_response_status();
  const bool ok = status == tlm::TLM_OK_RESPONSE;
  ++statistics_.fills;
  statistics_.errors += !ok;
  for (uint16_t r = f.first; r != none;) {
    const request q = requests_[r];
    q.p->set_response_status(status);
    if (ok) std::memcpy(q.p->get_data_ptr(), p.get_data_ptr() + (q.p->get_address() - f.line), q.p->get_data_length());
    answer(r, c + parameters_.fill_return_cycles);
    r = q.next;
  }
  if (ok && keys_[m] == f.line) {
    const int i = lines_.victim(f.line);
    statistics_.evictions += lines_.holds(i);
    lines_.install(i, f.line);
    lines_.fill(i, p.get_data_ptr(), ~uint64_t(0));
    lines_.flags(i) = f.prefetch ? fetched_ahead : 0;
  }
  keys_[m] = no_key;
  free_mshrs_.push_back(uint16_t(m));
  p.release();
}

uint16_t instruction_cache::take_request(payload& p, unsigned port) {
  const uint16_t r = free_requests_.back();
  free_requests_.pop_back();
  requests_[r] = {&p, none, uint8_t(port)};
  return r;
}

void instruction_cache::answer(uint16_t r, cycle_t ready) {
  if (context_.chaos.on()) ready += context_.chaos.extra(number_ + 2, draws_++);
  next_answer_ = std::min(next_answer_, state_[requests_[r].port].answers.reserve(std::max(ready, now() + 1), 1, r));
}

void instruction_cache::send_answers(cycle_t c) {
  if (next_answer_ > c + 1) return;
  next_answer_ = never;
  const picoseconds t = clock().at(c + 1);
  for (unsigned port = 0; port < state_.size(); ++port) {
    return_calendar& answers = state_[port].answers;
    while (answers.next() <= c + 1) {
      const uint16_t r = answers.take();
      free_requests_.push_back(r);
      if (answer_cycle_ != c + 1) answered_ = 0;
      answer_cycle_ = c + 1;
      answered_ |= 1u << port;
      return_signal_.set(t, answered_);
      return_signal_.set(t + clock().period(), 0);
      ports_[port]->respond(*requests_[r].p, t);
    }
    next_answer_ = std::min(next_answer_, answers.next());
  }
}

void instruction_cache::send_to_l2(cycle_t c) {
  while (!l2_queue_.empty() && l2_port.ready()) {
    const arrival t = l2_queue_.front();
    const cycle_t at = std::max({t.cycle, last_l2_cycle_ + 1, c + 1, clock().ceil(l2_port.free_at())});
    l2_queue_.pop();
    ++statistics_.l2_reads;
    last_l2_cycle_ = at;
    l2_port.send(*t.p, clock().at(at));
  }
}

void instruction_cache::account_stall(cycle_t c) {
  if (stall_ == stall::mshr) statistics_.mshr_full_cycles += c - stall_since_;
  if (stall_ == stall::requests) statistics_.requests_full_cycles += c - stall_since_;
  stall_ = stall::none;
}

void instruction_cache::trace(cycle_t c) {
  if (!context_.trace) return;
  const picoseconds t = clock().at(c);
  if (event_signal_ && event_now_ != event::none) {
    static constexpr const char* names[] = {"", "hit", "miss", "merged", "control"};
    event_signal_.set(t, names[unsigned(event_now_)]);
    event_signal_.set(clock().at(c + 1), "");
  }
  outstanding_signal_.set(t, requests_.size() - free_requests_.size());
  fills_signal_.set(t, parameters_.mshrs - free_mshrs_.size());
  stall_signal_.set(t, unsigned(stall_));
}

// ---------------------------------------------------------------- loosely timed

void instruction_cache::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  delay += to_sc_time(clock().at(parameters_.hit_latency_cycles));
  const policy_extension* policy = fabric::payload_pool::find_policy(p);
  if (lines_.present()) lines_.drop_all();
  if (p.get_command() != tlm::TLM_READ_COMMAND) {
    p.set_response_status(policy && policy->control != cache_control::none ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const unsigned offset = unsigned(p.get_address() % cache::line_bytes), length = p.get_data_length();
  const uint8_t* host = !p.get_byte_enable_ptr() && offset + length <= cache::line_bytes ? dmi_.line(p.get_address()) : nullptr;
  if (!host) {
    l2_port.socket->b_transport(p, delay);
    return;
  }
  std::memcpy(p.get_data_ptr(), host + offset, length);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
}

void instruction_cache::on_invalidate_direct_mem_ptr(unsigned, uint64_t first, uint64_t last) {
  dmi_.invalidate();
  invalidate_direct_pointers(first, last);
}

} // namespace lyra::scalar_cache
