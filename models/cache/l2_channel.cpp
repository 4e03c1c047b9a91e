// SPDX-License-Identifier: Apache-2.0
#include "cache/l2_channel.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace lyra::cache {

using namespace fabric;

namespace {
constexpr uint64_t whole_line = ~uint64_t(0);

set_selection sets_of(const l2_parameters& p) { return {p.ways ? p.size_bytes / line_bytes / p.ways : 0, p.interleave_bytes, p.channels, p.index_hash == "fold", p.index_hash == "mix"}; }
replacement replacement_of(const l2_parameters& p) { return p.replacement == "fifo" ? replacement::fifo : p.replacement == "random" ? replacement::random : replacement::lru; }
unsigned result_beats(const payload& p) {
  const auto* a = fabric::payload_pool::find_atomic(p);
  return a && a->returns ? std::max(1u, (a->count * a->bytes + line_bytes - 1) / line_bytes) : 1;
}
} // namespace

l2_channel::l2_channel(sc_core::sc_module_name name, const context& context, const l2_parameters& parameters)
    : timed_module(name, context.core), in("in", *this, 0), memory("memory", *this, 0), atomic("atomic", *this, 1), parameters_(parameters), context_(context),
      array_(sets_of(parameters), parameters.ways, replacement_of(parameters)), chaos_(context.chaos), number_(module_number(this->name())), input_(parameters.input_depth),
      to_memory_(parameters.mshrs + parameters.writeback_entries), to_atomic_(parameters.mshrs), direct_(memory) {
  const std::string& s = parameters.slc_policy;
  slc_ = s == "drop" ? slc::drop : s == "miss" ? slc::miss : s == "keep" ? slc::keep : slc::first_victim;
  if (slc_ == slc::first_victim && s != "first_victim")
    SC_REPORT_ERROR("lyra/l2/parameter", (std::string(this->name()) + ": slc_policy '" + s + "' is not known; use first_victim, drop, miss or keep").c_str());
  promise_early_ = parameters.write_latency_cycles >= parameters.hit_latency_cycles && parameters.miss_request_cycles + parameters.fill_response_cycles >= parameters.hit_latency_cycles &&
                   parameters.atomic_request_cycles + parameters.atomic_response_cycles >= parameters.hit_latency_cycles;
  mshrs_.resize(parameters.mshrs);
  for (unsigned m = parameters.mshrs; m-- > 0;) free_mshrs_.push_back(m);
  mshr_of_line_.assign(array_.lines(), no_mshr);
  writebacks_.resize(parameters.writeback_entries);
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string path = this->name();
    input_signal_ = context.trace->add(path + ".input_depth", 16, "requests that wait for look-up");
    mshr_signal_ = context.trace->add(path + ".mshrs", 16, "lines fetched or locked");
    lookup_signal_ = context.trace->add_text(path + ".lookup", "look-up of this cycle: hit, miss, merged (the line is fetched or locked), allocate (a write), atomic");
    busy_signal_ = context.trace->add(path + ".busy", 1, "a request waits for look-up, or a line is fetched, locked or written back");
    hit_signal_ = context.trace->add(path + ".hits", 32, "look-ups that hit, so far");
    miss_signal_ = context.trace->add(path + ".misses", 32, "look-ups that missed, so far");
    memory_signal_ = context.trace->add(path + ".memory_queue", 16, "requests that wait for the memory port");
    stall_signal_ = context.trace->add(path + ".stall", 3, "look-up stalled: 0 no, 1 MSHRs, 2 waiting places, 3 write-back entries, 4 ways, 5 cache control");
    writeback_signal_ = context.trace->add(path + ".writebacks", 16, "write-backs under way");
  }
}

/// Dirty lines are lost, as on any chip.
void l2_channel::on_reset() {
  array_.reset();
  draws_ = 0;
  input_.clear();
  held_ = nullptr;
  held_at_ = 0;
  last_arrival_ = tag_free_ = response_free_ = 0;
  stalled_ = stall::no;
  stalled_since_ = 0;
  mshrs_.assign(mshrs_.size(), mshr());
  free_mshrs_.clear();
  for (unsigned m = parameters_.mshrs; m-- > 0;) free_mshrs_.push_back(m);
  mshr_of_line_.assign(mshr_of_line_.size(), no_mshr);
  targets_.clear();
  free_target_ = none;
  mshrs_busy_ = writebacks_busy_ = fetches_waiting_ = 0;
  writebacks_.assign(writebacks_.size(), writeback());
  writeback_order_ = 0;
  events_.clear();
  due_.clear();
  to_memory_.clear();
  to_atomic_.clear();
  control_active_ = false;
  control_ = cache_control::none;
  control_line_ = 0;
  control_next_ = 0;
  direct_.invalidate();
  dmi_granted_ = atomic_busy_ = false;
  atomic_free_event_.cancel();
  statistics_ = l2_statistics();
}

// --- arrival ---

l2_channel::request l2_channel::classify(payload& p, cycle_t arrival) const {
  request r{&p, arrival, 0, kind::bad, false, false, false, tlm::TLM_COMMAND_ERROR_RESPONSE};
  const policy_extension* e = fabric::payload_pool::find_policy(p);
  if (e) {
    r.slc = e->slc || e->streaming;
    r.streaming = r.slc && slc_ != slc::keep;
    r.nv = e->nv;
  }
  if (p.get_command() == tlm::TLM_IGNORE_COMMAND) {
    if (const auto* a = fabric::payload_pool::find_atomic(p)) {
      if (p.get_data_length() < line_bytes || !p.get_data_ptr()) { r.error = tlm::TLM_BURST_ERROR_RESPONSE; return r; }
      r.what = kind::atomic;
      if (a->bytes == 4 || a->bytes == 8) // else the atomic unit refuses it
        for (unsigned i = 0; i < a->count && i < 64; ++i) r.mask |= ((uint64_t(1) << a->bytes) - 1) << (a->entries[i].offset % line_bytes);
    } else if (e && e->control != cache_control::none) {
      r.what = kind::control;
    }
    return r;
  }
  const unsigned offset = unsigned(p.get_address() % line_bytes), length = p.get_data_length();
  if (length == 0 || offset + length > line_bytes || p.get_streaming_width() < length) { r.error = tlm::TLM_BURST_ERROR_RESPONSE; return r; }
  r.what = p.get_command() == tlm::TLM_READ_COMMAND ? kind::read : kind::write;
  r.mask = payload_pool::byte_mask(p) << offset;
  return r;
}

void l2_channel::enqueue(payload& p, cycle_t arrival) {
  arrival += chaos_.extra(number_, draws_++);
  if (arrival < last_arrival_) arrival = last_arrival_;
  last_arrival_ = arrival;
  input_.push(classify(p, arrival));
  array_.prefetch(p.get_address());
  if (input_.size() > statistics_.input_max) statistics_.input_max = input_.size();
  if (input_signal_) input_signal_.add(clock().at(arrival), 1);
  if (busy_signal_) busy_signal_.set(clock().at(arrival), 1);
  if (stalled_ == stall::no) wake_at(std::max(arrival, tag_free_));
}

request_answer l2_channel::on_request(unsigned, payload& p, picoseconds& at) {
  if (dmi_granted_) { // timed work begins: direct pointers would miss what is in here
    dmi_granted_ = false;
    direct_.invalidate();
    in.socket->invalidate_direct_mem_ptr(0, ~uint64_t(0));
  }
  if (input_.size() >= parameters_.input_depth) {
    held_ = &p;
    held_at_ = at;
    ++statistics_.held_back;
    return request_answer::withheld;
  }
  enqueue(p, clock().ceil(at));
  return request_answer::accepted;
}

void l2_channel::on_response(unsigned port, payload& p, picoseconds at) {
  const cycle_t c = clock().ceil(at);
  events_.push(c, {&p, port == 0 ? event_kind::memory : event_kind::atomic, 1, c});
  wake_at(c);
}

void l2_channel::on_ready(unsigned, picoseconds at) {
  const cycle_t a = clock().ceil(at);
  wake_at(std::max(a ? a - 1 : 0, clock().ceil(now_ps())));
}

// --- the look-up ---

bool l2_channel::page_answers(request& r, cycle_t cycle) {
  if (!parameters_.check_pages || !context_.space) return false;
  const page_state s = context_.space->state(r.p->get_address());
  if (s == page_state::mapped || (s == page_state::read_only && r.what == kind::read)) return false;
  if (s == page_state::non_resident) {
    if (r.what == kind::read) std::memset(r.p->get_data_ptr(), 0, r.p->get_data_length());
    if (r.what == kind::atomic) {
      auto& a = *fabric::payload_pool::find_atomic(*r.p);
      for (unsigned i = 0; i < a.count && i < 64; ++i) a.entries[i].result = 0;
    }
    r.p->set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    r.p->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    ++statistics_.errors;
  }
  finish(r, cycle + parameters_.hit_latency_cycles);
  return true;
}

void l2_channel::finish(request& r, cycle_t respond_at) {
  if (r.what == kind::read) statistics_.read_latency_cycles += respond_at - r.arrival;
  respond(*r.p, respond_at, r.what == kind::atomic ? result_beats(*r.p) : 1);
}

void l2_channel::respond(payload& p, cycle_t at, unsigned beats) {
  if (promise_early_ && mshrs_busy_ == 0 && events_.empty()) { // nothing that comes later can be answered before
    const cycle_t slot = std::max(at, response_free_);
    statistics_.response_wait_cycles += slot - at;
    response_free_ = slot + beats;
    in.respond(p, clock().at(slot));
  } else {
    events_.push(at - announce_, {&p, event_kind::respond, uint8_t(beats), at});
  }
}

/// The latencies are what the responses' order is known by.
picoseconds l2_channel::announce_early() {
  const cycle_t shortest = std::min({parameters_.hit_latency_cycles, parameters_.write_latency_cycles, parameters_.fill_response_cycles, parameters_.atomic_response_cycles});
  announce_ = std::max<cycle_t>(2, shortest) - 1;
  return clock().at(announce_);
}

/// The read or write of a line whose bytes are here.
void l2_channel::perform(request& r, int line, cycle_t respond_at) {
  payload& p = *r.p;
  const unsigned offset = unsigned(p.get_address() % line_bytes), length = p.get_data_length();
  if (r.what == kind::read) {
    const uint8_t* d = array_.data(line);
    if (!p.get_byte_enable_ptr()) std::memcpy(p.get_data_ptr(), d + offset, length);
    else
      for (unsigned k = 0; k < length; ++k)
        if (r.mask >> (offset + k) & 1) p.get_data_ptr()[k] = d[offset + k];
    statistics_.read_bytes += unsigned(__builtin_popcountll(r.mask));
  } else {
    if (length == line_bytes) array_.write(line, p.get_data_ptr(), r.mask, true);
    else {
      uint8_t bytes[line_bytes];
      std::memcpy(bytes + offset, p.get_data_ptr(), length);
      array_.write(line, bytes, r.mask, true);
    }
    statistics_.written_bytes += unsigned(__builtin_popcountll(r.mask));
    statistics_.full_line_writes += r.mask == whole_line;
  }
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  finish(r, respond_at);
}

bool l2_channel::writeback_under_way(uint64_t line) const {
  if (writebacks_busy_ != 0)
    for (const auto& w : writebacks_)
      if (w.p && w.line == line) return true;
  return false;
}

bool l2_channel::start_writeback(uint64_t address, const uint8_t* data, uint64_t mask, cycle_t cycle) {
  if (writebacks_busy_ == writebacks_.size()) return false;
  uint32_t w = 0;
  while (writebacks_[w].p) ++w;
  payload& p = context_.lines->masked_write(address, data, mask);
  payload_pool::policy(p).tag = w;
  const bool waits = writeback_under_way(address);
  writebacks_[w] = {&p, address, writeback_order_++, waits};
  ++writebacks_busy_;
  ++statistics_.writebacks;
  statistics_.writeback_bytes += unsigned(__builtin_popcountll(mask));
  if (!waits) to_memory_.push({&p, cycle + parameters_.miss_request_cycles});
  if (writeback_signal_) writeback_signal_.set(clock().at(cycle), writebacks_busy_);
  return true;
}

/// A free way for the line of `address`; its old line is written back.
l2_channel::stall l2_channel::make_room(uint64_t address, int& line, cycle_t cycle) {
  line = array_.victim(address);
  if (line == cache_array::absent) return stall::ways;
  if (!array_.holds(line)) return stall::no;
  if (array_.dirty(line) != 0 && !start_writeback(array_.address(line), array_.data(line), array_.dirty(line), cycle)) return stall::writeback;
  ++statistics_.evictions;
  array_.drop(line);
  return stall::no;
}

void l2_channel::wait_for(uint32_t m, const request& r) {
  uint32_t t;
  if (free_target_ != none) { t = free_target_; free_target_ = targets_[t].next; targets_[t] = {r, none}; }
  else { t = uint32_t(targets_.size()); targets_.push_back({r, none}); }
  mshr& e = mshrs_[m];
  if (e.head == none) e.head = t;
  else targets_[e.tail].next = t;
  e.tail = t;
  ++e.waiting;
}

uint32_t l2_channel::take_mshr(int line, cycle_t cycle) {
  const uint32_t m = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshr& e = mshrs_[m];
  e = mshr{};
  e.busy = true;
  e.line = line;
  e.since = cycle;
  array_.pin(line, true);
  mshr_of_line_[size_t(line)] = uint16_t(m);
  if (++mshrs_busy_ > statistics_.mshr_max) statistics_.mshr_max = mshrs_busy_;
  if (mshr_signal_) mshr_signal_.set(clock().at(cycle), mshrs_busy_);
  return m;
}

/// `r` waits for the line: a read of all of it goes on to memory itself.
void l2_channel::fetch(uint32_t m, const request& r, cycle_t cycle) {
  mshr& e = mshrs_[m];
  const uint64_t address = array_.address(e.line);
  e.passed = payload_pool::whole_line_read(*r.p);
  payload& p = e.passed ? *r.p : context_.lines->line(tlm::TLM_READ_COMMAND, address);
  e.fetch = &p;
  e.fetch_waits = writeback_under_way(address);
  if (e.fetch_waits) ++fetches_waiting_;
  else to_memory_.push({&p, cycle + parameters_.miss_request_cycles});
}

void l2_channel::lock(uint32_t m, request& r, cycle_t cycle) {
  mshr& e = mshrs_[m];
  e.locked = true;
  e.atomic = r;
  std::memcpy(r.p->get_data_ptr(), array_.data(e.line), line_bytes);
  to_atomic_.push({r.p, cycle + parameters_.atomic_request_cycles});
}

l2_channel::stall l2_channel::miss(request& r, cycle_t cycle) {
  int line;
  if (r.what != kind::write && free_mshrs_.empty()) return stall::mshr;
  if (const stall s = make_room(r.p->get_address(), line, cycle); s != stall::no) return s;
  array_.install(line, r.p->get_address());
  if (r.what == kind::write) {
    ++statistics_.write_allocations;
    perform(r, line, cycle + parameters_.write_latency_cycles);
    if (r.streaming) leave_stream(line, cycle);
  } else {
    ++(r.what == kind::read ? statistics_.read_misses : statistics_.atomic_misses);
    const uint32_t m = take_mshr(line, cycle);
    mshrs_[m].streaming = r.streaming;
    wait_for(m, r);
    fetch(m, r, cycle);
  }
  if (lookup_signal_) show_look_up(r.what == kind::write ? "allocate" : "miss", cycle);
  if (miss_signal_) miss_signal_.set(clock().at(cycle), statistics_.read_misses + statistics_.atomic_misses + statistics_.write_allocations + statistics_.partial_misses);
  return stall::no;
}

l2_channel::stall l2_channel::look_up(request& r, cycle_t cycle) {
  if (r.what == kind::control) return stall::control;
  if (r.what == kind::bad) {
    r.p->set_response_status(r.error);
    ++statistics_.errors;
    finish(r, cycle + parameters_.hit_latency_cycles);
    return stall::no;
  }
  if (page_answers(r, cycle)) return stall::no;
  const int line = array_.find(r.p->get_address());
  if (line == cache_array::absent) return miss(r, cycle);
  if (array_.pinned(line)) { // fetched or locked: all requests to the line in order
    const uint16_t m = mshr_of_line_[size_t(line)];
    mshr& e = mshrs_[m];
    if (e.waiting >= parameters_.mshr_targets) return stall::target;
    ++statistics_.merged;
    if (lookup_signal_) show_look_up("merged", cycle);
    statistics_.atomic_lock_waits += e.locked;
    e.streaming &= r.streaming;
    wait_for(m, r);
    return stall::no;
  }
  if (slc_ == slc::miss && r.streaming && r.what != kind::write) { // goes to memory even so
    if (free_mshrs_.empty()) return stall::mshr;
    if (array_.dirty(line) != 0 && !start_writeback(array_.address(line), array_.data(line), array_.dirty(line), cycle)) return stall::writeback;
    array_.drop(line);
    ++statistics_.streaming_dropped;
    return miss(r, cycle);
  }
  const uint64_t needed = r.what == kind::read ? r.mask : r.what == kind::atomic ? whole_line : 0;
  if ((array_.valid(line) & needed) != needed) {
    if (free_mshrs_.empty()) return stall::mshr;
    ++statistics_.partial_misses;
    if (lookup_signal_) show_look_up("miss", cycle);
    const uint32_t m = take_mshr(line, cycle);
    array_.touch(line);
    wait_for(m, r);
    fetch(m, r, cycle);
    return stall::no;
  }
  if (r.what == kind::atomic) {
    if (free_mshrs_.empty()) return stall::mshr;
    ++statistics_.atomic_hits;
    const uint32_t m = take_mshr(line, cycle);
    mshrs_[m].streaming = r.streaming;
    array_.touch(line);
    lock(m, r, cycle);
  } else {
    ++(r.what == kind::read ? statistics_.read_hits : statistics_.write_hits);
    if (!r.streaming) array_.touch(line);
    perform(r, line, cycle + (r.what == kind::read ? parameters_.hit_latency_cycles : parameters_.write_latency_cycles));
    if (r.streaming && slc_ != slc::first_victim) leave_stream(line, cycle);
  }
  if (lookup_signal_) show_look_up(r.what == kind::atomic ? "atomic" : "hit", cycle);
  if (hit_signal_) hit_signal_.set(clock().at(cycle), statistics_.read_hits + statistics_.write_hits + statistics_.atomic_hits);
  return stall::no;
}

void l2_channel::show_look_up(const char* what, cycle_t cycle) const {
  lookup_signal_.set(clock().at(cycle), what);
  lookup_signal_.set(clock().at(cycle + 1), "");
}

/// An SLC request has used the line.
void l2_channel::leave_stream(int line, cycle_t cycle) {
  array_.retire(line);
  if (slc_ == slc::first_victim) return;
  if (array_.dirty(line) != 0 && !start_writeback(array_.address(line), array_.data(line), array_.dirty(line), cycle)) return; // then it is the first victim
  array_.drop(line);
  ++statistics_.streaming_dropped;
}

// --- what comes back ---

/// The requests that wait for a line, in order, until one of them locks it.
void l2_channel::drain(uint32_t m, cycle_t cycle, tlm::tlm_response_status status) {
  const cycle_t at = cycle + parameters_.fill_response_cycles;
  while (mshrs_[m].head != none) {
    mshr& e = mshrs_[m];
    const uint32_t t = e.head;
    request r = targets_[t].r;
    e.head = targets_[t].next;
    --e.waiting;
    targets_[t].next = free_target_;
    free_target_ = t;
    if (status != tlm::TLM_OK_RESPONSE) {
      r.p->set_response_status(status);
      ++statistics_.errors;
      finish(r, at);
    } else if (r.what == kind::atomic) {
      lock(m, r, cycle);
      return;
    } else {
      perform(r, e.line, at);
    }
  }
  mshr& e = mshrs_[m];
  e.busy = false;
  mshr_of_line_[size_t(e.line)] = no_mshr;
  array_.pin(e.line, false);
  free_mshrs_.push_back(m);
  --mshrs_busy_;
  if (mshr_signal_) mshr_signal_.set(clock().at(cycle), mshrs_busy_);
  if (status != tlm::TLM_OK_RESPONSE && array_.dirty(e.line) == 0) array_.drop(e.line);
  else if (e.streaming) leave_stream(e.line, cycle);
}

void l2_channel::filled(payload& p, cycle_t cycle) {
  const uint32_t m = mshr_of_line_[size_t(array_.find(p.get_address()))];
  mshr& e = mshrs_[m];
  const tlm::tlm_response_status status = p.get_response_status();
  if (status == tlm::TLM_OK_RESPONSE) array_.fill(e.line, p.get_data_ptr(), whole_line);
  e.fetch = nullptr;
  if (e.passed) p.set_dmi_allowed(false); // memory's hint is for this cache
  else p.release();
  ++statistics_.fills;
  statistics_.miss_latency_cycles += cycle - e.since;
  drain(m, cycle, status);
}

void l2_channel::atomic_done(payload& p, cycle_t cycle) {
  const uint32_t m = mshr_of_line_[size_t(array_.find(p.get_address()))];
  mshr& e = mshrs_[m];
  if (p.get_response_status() == tlm::TLM_OK_RESPONSE) {
    array_.write(e.line, p.get_data_ptr(), e.atomic.mask, true);
    statistics_.atomic_operations += fabric::payload_pool::find_atomic(p)->count;
  } else ++statistics_.errors;
  e.locked = false;
  finish(e.atomic, cycle + parameters_.atomic_response_cycles + (fabric::payload_pool::find_atomic(p)->returns ? parameters_.atomic_return_cycles : 0));
  drain(m, cycle, tlm::TLM_OK_RESPONSE);
}

void l2_channel::written_back(uint32_t w, payload& p, cycle_t cycle) {
  const uint64_t line = writebacks_[w].line;
  if (p.get_response_status() != tlm::TLM_OK_RESPONSE) {
    ++statistics_.lost_writebacks;
    if (context_.run) {
      char text[200];
      std::snprintf(text, sizeof text, "%s: memory refused the write-back of line 0x%llx (%s); its page was unmapped or made read-only after it was written: write L2 back before that", name(),
                    static_cast<unsigned long long>(line), p.get_response_string().c_str());
      context_.run->fault({"lyra/fault/lost-writeback", text, clock().at(cycle), 0, line, 0, -1});
    }
  }
  p.release();
  writebacks_[w].p = nullptr;
  --writebacks_busy_;
  if (writeback_signal_) writeback_signal_.set(clock().at(cycle), writebacks_busy_);
  writeback* next = nullptr; // another one of the line, else a fetch
  for (auto& o : writebacks_)
    if (o.p && o.waits && o.line == line && (!next || o.order < next->order)) next = &o;
  if (next) {
    next->waits = false;
    to_memory_.push({next->p, cycle + 1});
  } else if (fetches_waiting_ != 0) {
    const int i = array_.find(line);
    const uint16_t m = i == cache_array::absent ? no_mshr : mshr_of_line_[size_t(i)];
    if (m != no_mshr && mshrs_[m].fetch_waits) {
      mshrs_[m].fetch_waits = false;
      --fetches_waiting_;
      to_memory_.push({mshrs_[m].fetch, std::max(cycle + 1, mshrs_[m].since + parameters_.miss_request_cycles)});
    }
  }
}

// --- the clock ---

cycle_t l2_channel::send(ring<outgoing>& queue, initiator_port& port, cycle_t cycle) {
  if (queue.empty() || !port.ready()) return never; // on_ready
  const cycle_t ready = std::max(queue.front().ready, clock().ceil(port.free_at())); // in its own cycles, whatever woke it
  if (ready > cycle + 1) return ready - 1;
  payload& p = *queue.front().p;
  queue.pop();
  port.send(p, clock().at(cycle + 1));
  return queue.empty() || !port.ready() ? never : std::max(cycle + 1, queue.front().ready - 1);
}

void l2_channel::note_stall(stall why, cycle_t cycle) {
  if (why == stalled_) return;
  const uint64_t length = cycle - stalled_since_;
  switch (stalled_) {
    case stall::no: break;
    case stall::mshr: statistics_.stall_mshr_cycles += length; break;
    case stall::target: statistics_.stall_target_cycles += length; break;
    case stall::writeback: statistics_.stall_writeback_cycles += length; break;
    case stall::ways: statistics_.stall_ways_cycles += length; break;
    case stall::control: statistics_.control_cycles += length; break;
  }
  stalled_ = why;
  stalled_since_ = cycle;
  if (stall_signal_) stall_signal_.set(clock().at(cycle), unsigned(why));
}

cycle_t l2_channel::on_wake(cycle_t cycle) {
  cycle_t next = never;
  if (events_.next() <= cycle) {
    due_.clear();
    events_.pop(cycle, [&](const event& e) { due_.push_back(e); });
    if (due_.size() > 1) std::stable_sort(due_.begin(), due_.end(), [](const event& a, const event& b) { return a.what < b.what; }); // not in the order of calls
    for (const event& e : due_) {
      if (e.what == event_kind::respond) {
        const cycle_t slot = std::max(e.due, response_free_);
        statistics_.response_wait_cycles += slot - e.due;
        response_free_ = slot + e.beats;
        in.respond(*e.p, clock().at(slot));
      } else if (e.what == event_kind::atomic) {
        atomic_done(*e.p, cycle);
      } else if (e.p->get_command() == tlm::TLM_WRITE_COMMAND) {
        written_back(uint32_t(payload_pool::policy(*e.p).tag), *e.p, cycle);
      } else {
        filled(*e.p, cycle);
      }
    }
  }
  if (control_active_) next = step_control(cycle);
  if (!control_active_ && !input_.empty() && tag_free_ <= cycle && input_.front().arrival <= cycle) {
    request& r = input_.front();
    const stall s = look_up(r, cycle);
    note_stall(s, cycle);
    if (s == stall::no) {
      ++statistics_.requests;
      ++statistics_.tag_busy_cycles;
      statistics_.reads += r.what == kind::read;
      statistics_.writes += r.what == kind::write;
      statistics_.atomics += r.what == kind::atomic;
      statistics_.input_wait_cycles += cycle - r.arrival;
      statistics_.nv += r.nv;
      statistics_.streaming += r.slc;
      pop_input(cycle);
    } else if (s == stall::control) {
      control_active_ = true;
      control_ = fabric::payload_pool::find_policy(*input_.front().p)->control;
      control_line_ = 0;
      control_next_ = cycle;
      next = std::min(next, step_control(cycle));
    }
  }
  if (!control_active_ && !input_.empty() && stalled_ == stall::no) next = std::min(next, std::max(input_.front().arrival, std::max(tag_free_, cycle + 1)));
  next = std::min(next, send(to_memory_, memory, cycle));
  next = std::min(next, send(to_atomic_, atomic, cycle));
  if (memory_signal_) memory_signal_.set(clock().at(cycle), to_memory_.size());
  if (busy_signal_) busy_signal_.set(clock().at(cycle + 1), !input_.empty() || mshrs_busy_ || writebacks_busy_);
  return std::min(next, events_.next());
}

/// The request at the head of the input is done.
void l2_channel::pop_input(cycle_t cycle) {
  input_.pop();
  tag_free_ = cycle + 1;
  if (held_) {
    payload& p = *held_;
    held_ = nullptr;
    const cycle_t entry = std::max(cycle + 1, clock().ceil(held_at_));
    enqueue(p, entry);
    in.accept(clock().at(entry));
  }
  if (input_signal_) input_signal_.add(clock().at(cycle), -1);
}

} // namespace lyra::cache
