// SPDX-License-Identifier: Apache-2.0
#include "scalar_cache/scalar_cache.h"
#include "scalar_cache/scalar_cache_internal.h"
#include <algorithm>
#include <cstring>

namespace lyra::scalar_cache {

using namespace fabric;
using namespace internal;
using cache::cache_array;
using cache::line_address;

namespace {
unsigned sets_of(const data_cache_parameters& p) { return p.size_bytes / cache::line_bytes / (p.ways ? p.ways : 1); }
} // namespace

data_cache::data_cache(sc_core::sc_module_name name, context& context, unsigned compute_units, const data_cache_parameters& parameters)
    : request_ports(name, context, compute_units, {parameters.port_queue_entries, parameters.requests_outstanding, parameters.mshrs, parameters.mshrs + parameters.writes_outstanding}, "scalar_cache"),
      parameters_(parameters), number_(module_number(this->name())), lines_({sets_of(parameters), cache::line_bytes, 1, false}, parameters.ways), keys_(parameters.mshrs, no_key), fills_(parameters.mshrs),
      requests_(parameters.requests_outstanding), dmi_(l2_port) {
  if (parameters.ordering == "in_order") order_ = return_order::in_order;
  else if (parameters.ordering == "shuffled") order_ = return_order::shuffled;
  else if (parameters.ordering != "as_it_comes")
    SC_REPORT_ERROR("lyra/scalar_cache/ordering", (std::string(this->name()) + ": ordering '" + parameters.ordering + "' is not known; use as_it_comes, in_order or shuffled").c_str());
  waiting_controls_.reserve(ports_.size() * 4);
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string path = std::string(this->name()) + ".";
    event_signal_ = t->add_text(path + "lookup", "lookup of this cycle: hit, miss, merged (joined a fill), store, store through, atomic, control, nack");
    outstanding_signal_ = t->add(path + "outstanding", 16, "requests looked up and not answered");
    fills_signal_ = t->add(path + "fills_outstanding", 16, "fills that L2 has not answered");
    dirty_signal_ = t->add(path + "dirty_lines", 16, "lines with dirty bytes");
    return_signal_ = t->add(path + "return_port", 8, "compute unit answered in this cycle, plus 1; 0: none");
    return_tag_signal_ = t->add(path + "return_tag", 64, "tag of the newest answer: as in cuN.smem_return, in 8-bit steps: number, part");
    stall_signal_ = t->add(path + "stall", 2, "lookups wait for 1 an MSHR, 2 a write acknowledgement, 3 a place for the request");
  }
}

/// Dirty lines are lost.
void data_cache::on_reset() {
  reset_ports();
  draws_ = shuffles_ = nack_draws_ = 0;
  replays_.clear();
  lines_.reset();
  dirty_lines_ = 0;
  keys_.assign(keys_.size(), no_key);
  fills_.assign(fills_.size(), fill());
  requests_.assign(requests_.size(), request());
  waiting_controls_.clear();
  writes_in_flight_ = write_number_ = 0;
  last_l2_cycle_ = 0;
  calendar_.clear();
  stall_ = stall::none;
  stall_since_ = 0;
  dmi_.invalidate();
  event_now_ = event::none;
  statistics_ = data_cache_statistics();
}

bool data_cache::idle() const { return queues_empty() && replays_.empty() && l2_queue_.empty() && responses_.empty() && writes_in_flight_ == 0; }

cycle_t data_cache::on_wake(cycle_t c) {
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
  cycle_t next = send_to_l2(c);
  trace(c);
  if (stall_ == stall::none) {
    for (const data_cache_port& s : state_)
      if (!s.queue.empty()) next = std::min(next, std::max(s.queue.front().cycle, c + 1));
    if (!replays_.empty()) next = std::min(next, std::max(replays_.front().cycle, c + 1));
  } else { // only what is not due yet: a stall ends with an answer from below or to a compute unit
    for (const data_cache_port& s : state_)
      if (!s.queue.empty() && s.queue.front().cycle > c) next = std::min(next, s.queue.front().cycle);
    if (!replays_.empty() && replays_.front().cycle > c) next = std::min(next, replays_.front().cycle);
  }
  if (!responses_.empty()) next = std::min(next, std::max(responses_.front().cycle, c + 1));
  if (!calendar_.empty()) next = std::min(next, std::max(calendar_.next() - 1, c + 1));
  return next;
}

// ---------------------------------------------------------------- lookups

void data_cache::look_ups(cycle_t c) {
  if (lookup_cycle_ != c) {
    lookup_cycle_ = c;
    lookups_ = 0;
  }
  const unsigned n = unsigned(state_.size());
  while (lookups_ < parameters_.requests_per_cycle) {
    if (!replays_.empty() && replays_.front().cycle <= c && look_up_replay(c)) {
      ++lookups_;
      continue;
    }
    unsigned ready = 0, first = turn_;
    for (unsigned i = 0; i < n; ++i) ready += !state_[i].queue.empty() && state_[i].queue.front().cycle <= c;
    if (ready == 0) return;
    if (context_.chaos.on()) first = context_.chaos.pick(number_, draws_++, n, turn_);
    bool taken = false;
    for (unsigned k = 0; k < n && !taken; ++k) {
      const unsigned port = first + k < n ? first + k : first + k - n;
      data_cache_port& s = state_[port];
      if (s.queue.empty() || s.queue.front().cycle > c) continue;
      payload& p = *s.queue.front().p;
      if (!(parameters_.xnack_replay && port + 1 < n && nack(p, port, c))) {
        const stall why = look_up(p, port, c);
        if (why != stall::none) {
          if (stall_ == stall::none) stall_ = why;
          if (s.why != why) account_queue(s, s.queue.front().cycle, c);
          s.why = why;
          continue;
        }
      }
      account_queue(s, s.queue.front().cycle, c);
      s.why = stall::none;
      s.refused = 0;
      taken = true;
      ++lookups_;
      turn_ = port + 1 < n ? port + 1 : 0;
      s.queue.pop();
      statistics_.port_conflict_cycles += ready - 1;
      if (s.withheld) {
        statistics_.wait_queue_cycles += c + 1 > s.withheld_at ? c + 1 - s.withheld_at : 0;
        statistics_.request_cycles += c + 1 > s.withheld_at ? c + 1 - s.withheld_at : 0;
        s.queue.push({s.withheld, c + 1});
        s.withheld = nullptr;
        ports_[port]->accept(clock().at(c + 1)); // the compute unit may send its next request from inside this call
      }
    }
    if (!taken) { // every ready request waits
      stall_since_ = c;
      return;
    }
    stall_ = stall::none;
  }
}

/// Whether the request is put off; each is nacked at most once, and nothing of its port that touches its line, and no control, passes it.
bool data_cache::nack(payload& p, unsigned port, cycle_t c) {
  bool behind = false;
  for (size_t k = 0; k < replays_.size(); ++k) {
    const replay& r = replays_[k];
    behind |= r.port == port && (is_control(p) || is_control(*r.p) || line_address(r.p->get_address()) == line_address(p.get_address()));
  }
  if (!behind && chaos_source::mix(parameters_.xnack_seed ^ chaos_source::mix(number_ * 0x1000003ull + nack_draws_++)) % 100 >= parameters_.xnack_percent) return false;
  cycle_t again = c + parameters_.xnack_delay_cycles;
  if (!replays_.empty()) again = std::max(again, replays_[replays_.size() - 1].cycle);
  replays_.push({&p, again, c, uint8_t(port)});
  ++statistics_.nacks;
  event_now_ = event::nack;
  return true;
}

bool data_cache::look_up_replay(cycle_t c) {
  const replay r = replays_.front();
  const stall why = look_up(*r.p, r.port, c);
  if (why != stall::none) {
    stall_ = why;
    stall_since_ = c;
    return false;
  }
  statistics_.wait_nack_cycles += c - r.nacked;
  statistics_.request_cycles += c - r.nacked;
  replays_.pop();
  return true;
}

// ---------------------------------------------------------------- lines

void data_cache::set_dirty(int i, uint64_t mask) {
  dirty_lines_ += (mask != 0) - (lines_.dirty(i) != 0);
  lines_.set_dirty(i, mask);
}

void data_cache::drop(int i) {
  set_dirty(i, 0);
  lines_.drop(i);
}

void data_cache::write_back(int i, cycle_t c) {
  const uint64_t mask = lines_.dirty(i);
  if (!mask) return;
  ++statistics_.writebacks;
  statistics_.writeback_bytes += bits(mask);
  queue_write(lines_.address(i), lines_.data(i), mask, lines_.flags(i) & non_volatile, nullptr, none, c);
  set_dirty(i, 0);
}

int data_cache::make_room(uint64_t line, cycle_t c) {
  const int i = lines_.victim(line);
  if (lines_.holds(i)) {
    ++statistics_.evictions;
    write_back(i, c);
    poison(lines_.address(i));
    drop(i);
  }
  lines_.install(i, line);
  return i;
}

void data_cache::poison(uint64_t line) {
  if (free_mshrs_.size() == parameters_.mshrs) return;
  for (unsigned m = 0; m < parameters_.mshrs; ++m)
    if (keys_[m] == line) {
      ++statistics_.poisoned_fills;
      keys_[m] = no_key;
    }
}

void data_cache::invalidate(bool volatile_only) {
  ++statistics_.invalidations;
  for (unsigned i = 0; i < lines_.lines() && lines_.present(); ++i)
    if (lines_.holds(int(i)) && !(volatile_only && (lines_.flags(int(i)) & non_volatile))) {
      ++statistics_.lines_invalidated;
      statistics_.dirty_bytes_dropped += bits(lines_.dirty(int(i)));
      poison(lines_.address(int(i)));
      drop(int(i));
    }
  for (unsigned m = 0; m < parameters_.mshrs; ++m)
    if (keys_[m] != no_key && !(volatile_only && fills_[m].nv)) {
      ++statistics_.poisoned_fills;
      keys_[m] = no_key;
    }
}

// ---------------------------------------------------------------- L2

void data_cache::queue(payload& p, cycle_t c) { l2_queue_.push({&p, c + parameters_.miss_request_cycles + context_.chaos.extra(number_ + 1, draws_++)}); }

void data_cache::queue_write(uint64_t line, const uint8_t* bytes, uint64_t mask, bool nv, const policy_extension* policy, uint16_t r, cycle_t c) {
  payload& q = context_.lines->masked_write(line, bytes, mask);
  policy_extension& o = payload_pool::policy(q);
  o.nv = nv;
  if (policy) {
    o.glc = policy->glc;
    o.slc = policy->slc;
    o.source = policy->source;
  }
  o.tag = tag_write | (write_number_++ << 16 & ~tag_kind) | r;
  ++writes_in_flight_;
  queue(q, c);
}

cycle_t data_cache::send_to_l2(cycle_t c) {
  while (!l2_queue_.empty() && l2_port.ready()) {
    const arrival t = l2_queue_.front();
    const cycle_t at = std::max({t.cycle, last_l2_cycle_ + 1, c + 1, clock().ceil(l2_port.free_at())});
    l2_queue_.pop();
    switch (t.p->get_command()) {
      case tlm::TLM_READ_COMMAND: ++statistics_.l2_reads; break;
      case tlm::TLM_WRITE_COMMAND: ++statistics_.l2_writes; break;
      default: ++statistics_.l2_atomics;
    }
    last_l2_cycle_ = at;
    l2_port.send(*t.p, clock().at(at));
  }
  return never;
}

void data_cache::response(payload& p, cycle_t c) {
  const uint64_t tag = payload_pool::policy(p).tag;
  const tlm::tlm_response_status status = p.get_response_status();
  const bool ok = status == tlm::TLM_OK_RESPONSE;
  const cycle_t ready = c + parameters_.fill_return_cycles;
  statistics_.errors += !ok;
  if ((tag & tag_kind) == tag_fill) {
    const unsigned m = unsigned(tag);
    const fill f = fills_[m];
    ++statistics_.fills;
    for (uint16_t r = f.first; r != none;) {
      request& q = requests_[r];
      const unsigned offset = unsigned(q.p->get_address() - f.line);
      q.p->set_response_status(status);
      if (ok) {
        uint8_t* to = q.p->get_data_ptr();
        const uint8_t* from = p.get_data_ptr() + offset;
        if (q.need == range_mask(offset, q.p->get_data_length())) std::memcpy(to, from, q.p->get_data_length());
        else
          for (uint64_t n = q.need >> offset; n; n &= n - 1) to[__builtin_ctzll(n)] = from[__builtin_ctzll(n)];
      }
      const uint16_t next = q.next;
      answer(r, ready);
      r = next;
    }
    if (ok && keys_[m] == f.line) {
      keys_[m] = no_key;
      int i = lines_.find(f.line); // there if it was stored to meanwhile
      if (i == cache_array::absent) {
        i = make_room(f.line, c);
        lines_.flags(i) = non_volatile;
      }
      if (!f.nv) lines_.flags(i) = 0;
      lines_.fill(i, p.get_data_ptr(), ~uint64_t(0));
    }
    keys_[m] = no_key;
    free_mshrs_.push_back(uint16_t(m));
    p.release();
    return;
  }
  --writes_in_flight_;
  const uint64_t number = (tag & ~tag_kind) >> 16;
  if (const uint16_t r = uint16_t(tag); r != none) {
    request& q = requests_[r];
    q.p->set_response_status(status);
    if (atomic_extension* to = ok && p.get_command() == tlm::TLM_IGNORE_COMMAND ? fabric::payload_pool::find_atomic(*q.p) : nullptr)
      for (unsigned k = 0; k < to->count; ++k) to->entries[k].result = payload_pool::atomic_of(p).entries[k].result;
    answer(r, ready);
  } else if (!ok && context_.run) {
    machine_fault f;
    f.id = "lyra/fault/scalar-write-back";
    f.text = std::string(name()) + ": memory refused a write-back of scalar stores; the page is unmapped or write-protected";
    f.time_ps = now_ps();
    f.address = p.get_address();
    context_.run->fault(std::move(f));
  }
  for (size_t k = 0; k < waiting_controls_.size();) {
    const uint16_t r = waiting_controls_[k];
    if (number < requests_[r].limit && --requests_[r].pending == 0) {
      waiting_controls_.erase(waiting_controls_.begin() + std::ptrdiff_t(k));
      answer(r, ready);
    } else ++k;
  }
  p.release();
}

// ---------------------------------------------------------------- answers

void data_cache::answer(uint16_t r, cycle_t ready) {
  request& q = requests_[r];
  if (context_.chaos.on()) ready += context_.chaos.extra(number_ + 2, draws_++);
  waited(q.cause) += ready - q.looked_up;
  q.in_order = ready;
  if (order_ == return_order::shuffled)
    ready += chaos_source::mix(parameters_.ordering_seed ^ chaos_source::mix(number_ + shuffles_++)) % (parameters_.shuffle_window_cycles + 1);
  if (order_ != return_order::in_order) {
    reserve(r, ready);
    return;
  }
  q.ready = ready;
  q.done = true;
  data_cache_port& s = state_[q.port];
  // entries before the first that is not done have their place on the bus already
  for (size_t k = 0; k < s.open.size(); ++k) {
    if (s.open[k].answered) continue;
    request& o = requests_[s.open[k].r];
    if (!o.done) return;
    s.open[k].answered = true;
    s.last_answer = std::max(s.last_answer + 1, o.ready);
    reserve(s.open[k].r, s.last_answer);
    s.last_answer = o.ready; // as reserved
  }
}

void data_cache::reserve(uint16_t r, cycle_t earliest) {
  request& q = requests_[r];
  statistics_.wait_order_cycles += earliest - q.in_order;
  const unsigned bytes = q.p->get_command() == tlm::TLM_READ_COMMAND ? std::max(1u, q.p->get_data_length()) : 1; // an answer takes a cycle even where nothing was asked for
  q.ready = calendar_.reserve(std::max(earliest, now() + 1), (bytes + parameters_.return_bytes_per_cycle - 1) / parameters_.return_bytes_per_cycle, r);
  statistics_.wait_bus_cycles += q.ready - earliest;
  statistics_.request_cycles += q.ready - q.looked_up;
}

void data_cache::send_answers(cycle_t c) {
  while (calendar_.next() <= c + 1) {
    const cycle_t at = std::max(calendar_.next(), c + 1);
    const uint16_t r = calendar_.take();
    request& q = requests_[r];
    payload& p = *q.p;
    const unsigned port = q.port;
    data_cache_port& s = state_[port];
    const uint64_t oldest = s.looked_up - s.open.size();
    statistics_.returns_out_of_order += q.number != oldest;
    s.open[size_t(q.number - oldest)] = {none, true};
    while (!s.open.empty() && s.open.front().r == none) s.open.pop();
    free_requests_.push_back(r);
    const picoseconds t = clock().at(at);
    return_signal_.set(t, port + 1);
    return_signal_.set(t + clock().period(), 0);
    return_tag_signal_.set(t, payload_pool::policy_or_none(p).tag);
    ports_[port]->respond(p, t);
  }
}

// ---------------------------------------------------------------- observation

/// The first request of a queue has waited from its arrival, or from its last refusal on, until now.
void data_cache::account_queue(data_cache_port& s, cycle_t arrival, cycle_t c) {
  const uint64_t n = c - (s.why == stall::none ? std::min(arrival, c) : s.refused);
  statistics_.request_cycles += n;
  s.refused = c;
  switch (s.why) {
    case stall::none: statistics_.wait_queue_cycles += n; break;
    case stall::mshr: statistics_.wait_mshr_cycles += n; break;
    case stall::writes: statistics_.wait_writes_cycles += n; break;
    case stall::requests: statistics_.wait_places_cycles += n; break;
  }
}

uint64_t& data_cache::waited(wait_cause w) { return w == wait_cause::miss ? statistics_.wait_miss_cycles : w == wait_cause::memory ? statistics_.wait_memory_cycles : statistics_.wait_hit_cycles; }

void data_cache::account_stall(cycle_t c) {
  const uint64_t n = c - stall_since_;
  switch (stall_) {
    case stall::none: return;
    case stall::mshr: statistics_.mshr_full_cycles += n; break;
    case stall::writes: statistics_.writes_full_cycles += n; break;
    case stall::requests: statistics_.requests_full_cycles += n; break;
  }
  stall_ = stall::none;
}

void data_cache::trace(cycle_t c) {
  if (!context_.trace) return;
  const picoseconds t = clock().at(c);
  if (event_signal_ && event_now_ != event::none) {
    static constexpr const char* names[] = {"", "hit", "miss", "merged", "store", "store through", "atomic", "control", "nack"};
    event_signal_.set(t, names[unsigned(event_now_)]);
    event_signal_.set(clock().at(c + 1), "");
  }
  outstanding_signal_.set(t, requests_.size() - free_requests_.size());
  fills_signal_.set(t, parameters_.mshrs - free_mshrs_.size());
  dirty_signal_.set(t, dirty_lines_);
  stall_signal_.set(t, unsigned(stall_));
}

} // namespace lyra::scalar_cache
