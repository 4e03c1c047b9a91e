// SPDX-License-Identifier: Apache-2.0
#include "cache/l1.h"
#include <algorithm>
#include <cstring>

namespace lyra::cache {

using namespace fabric;

namespace {
constexpr uint64_t no_key = ~uint64_t(0);
constexpr uint32_t none = ~uint32_t(0);
constexpr uint16_t no_mshr = 0xffff;
constexpr uint8_t non_volatile = 1; // flag of a line: every access had NV=1
constexpr unsigned ta = 0, control_side = 1, td = 0, l2 = 1;
constexpr size_t combining_limit = 64;

uint64_t instruction_of(payload& p) { return payload_pool::policy_or_none(p).tag >> 16; }
size_t power_of_two(size_t n) {
  size_t k = 1;
  while (k < n) k *= 2;
  return k;
}
unsigned sets_of(const l1_parameters& p) { return p.size_bytes / line_bytes / (p.ways ? p.ways : 1); }
unsigned bits(uint64_t mask) { return unsigned(__builtin_popcountll(mask)); }
} // namespace

l1_cache::l1_cache(sc_core::sc_module_name name, context& context, const l1_parameters& parameters)
    : timed_module(name, context.core), ta_port("ta_port", *this, ta), control_port("control_port", *this, control_side), td_port("td_port", *this, td),
      l2_port("l2_port", *this, l2), context_(context), parameters_(parameters), number_(module_number(this->name())),
      lines_({sets_of(parameters), line_bytes, 1, parameters.index_fold}, parameters.ways), keys_(parameters.mshrs, no_key),
      key_heads_(key_chains, no_mshr), key_next_(parameters.mshrs, no_mshr), transactions_(parameters.mshrs + parameters.writes_outstanding), l2_queue_(transactions_.size()), requests_(parameters.request_fifo_entries + 1),
      responses_(transactions_.size()), fifo_mask_(power_of_two(parameters.latency_fifo_entries) - 1),
      td_quantum_(std::max(1u, parameters.td_bytes_per_cycle / std::max(1u, parameters.td_lines_per_cycle))), dmi_(l2_port) {
  free_all();
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string path = std::string(this->name()) + ".";
    lookup_signal_ = t->add(path + "lookups", 8, "lines looked up in this cycle");
    hit_signal_ = t->add(path + "hit", 8, "lines that hit in this cycle");
    miss_signal_ = t->add(path + "miss", 8, "lines that missed in this cycle");
    merged_signal_ = t->add(path + "merged", 8, "lines that joined an outstanding fill in this cycle");
    write_signal_ = t->add(path + "write", 8, "lines written and atomic packets in this cycle");
    fills_signal_ = t->add(path + "fills_outstanding", 16, "fills that L2 has not answered");
    writes_outstanding_signal_ = t->add(path + "writes_outstanding", 16, "writes and atomics that L2 has not acknowledged");
    fifo_signal_ = t->add(path + "latency_fifo", 16, "lines between tag lookup and TD");
    stall_signal_ = t->add(path + "stall", 3, "tag stage: 0 runs, waits for 1 an MSHR, 2 a write acknowledgement, 3 the latency FIFO, 4 a tag bank");
    td_signal_ = t->add(path + "td_tag", 64, "tag of the line that comes to TD");
  }
}

void l1_cache::free_all() {
  free_mshrs_.clear();
  free_writes_.clear();
  for (unsigned i = parameters_.mshrs; i-- > 0;) free_mshrs_.push_back(i);
  for (unsigned i = parameters_.writes_outstanding; i-- > 0;) free_writes_.push_back(parameters_.mshrs + i);
}

void l1_cache::on_reset() {
  draws_ = 0;
  lines_.reset();
  keys_.assign(keys_.size(), no_key);
  key_heads_.assign(key_heads_.size(), no_mshr);
  transactions_.assign(transactions_.size(), transaction());
  free_all();
  l2_queue_.clear();
  last_l2_cycle_ = 0;
  requests_.clear();
  responses_.clear();
  controls_.clear();
  withheld_ = nullptr;
  fifo_.assign(fifo_.size(), entry());
  head_ = send_ = tail_ = td_position_ = 0;
  combining_.clear();
  combining_instruction_ = 0;
  lookup_cycle_ = never;
  lookups_ = 0;
  banks_used_ = 0;
  stall_ = stall::none;
  stall_since_ = 0;
  dmi_.invalidate();
  hits_now_ = misses_now_ = merged_now_ = writes_now_ = 0;
  statistics_ = l1_statistics();
}

// ---------------------------------------------------------------- ports

request_answer l1_cache::on_request(unsigned port, payload& p, picoseconds& at) {
  const cycle_t c = clock().ceil(at);
  wake_at(std::max(c, now()));
  if (port == control_side) {
    controls_.push({&p, c});
    return request_answer::accepted;
  }
  if (requests_.size() >= parameters_.request_fifo_entries) {
    withheld_ = &p;
    return request_answer::withheld;
  }
  requests_.push({&p, c});
  return request_answer::accepted;
}

void l1_cache::on_response(unsigned port, payload& p, picoseconds at) {
  if (port == td) {
    ta_port.respond(p, at);
    return;
  }
  cycle_t c = clock().ceil(at);
  if (!responses_.empty()) c = std::max(c, responses_.back().cycle);
  responses_.push({&p, c});
  wake_at(std::max(c, now()));
}

cycle_t l1_cache::on_wake(cycle_t c) {
  account_stall(c);
  hits_now_ = misses_now_ = merged_now_ = writes_now_ = 0;
  while (!controls_.empty() && controls_.front().cycle <= c) {
    payload& p = *controls_.front().p;
    controls_.pop();
    control(p);
    control_port.respond(p, clock().at(c + 1));
  }
  while (!responses_.empty() && responses_.front().cycle <= c) {
    payload& p = *responses_.front().p;
    responses_.pop();
    response(p, c);
  }
  send_to_td(c);
  look_ups(c);
  send_to_td(c);
  cycle_t next = send_to_l2(c);
  trace(c);
  if (!requests_.empty() && (stall_ == stall::none || stall_ == stall::bank)) next = std::min(next, std::max(requests_.front().cycle, c + 1));
  if (stall_ == stall::fifo && fifo(head_).state == entry_state::sent) next = std::min(next, std::max(fifo(head_).cycle, c + 1));
  if (!responses_.empty()) next = std::min(next, std::max(responses_.front().cycle, c + 1));
  if (!controls_.empty()) next = std::min(next, std::max(controls_.front().cycle, c + 1));
  return next;
}

// ---------------------------------------------------------------- tag stage

void l1_cache::look_ups(cycle_t c) {
  if (lookup_cycle_ != c) {
    lookup_cycle_ = c;
    lookups_ = 0;
    banks_used_ = 0;
  }
  while (!requests_.empty() && requests_.front().cycle <= c && lookups_ < parameters_.tag_lookups_per_cycle) {
    while (head_ != send_ && fifo(head_).cycle <= c) ++head_;
    payload& p = *requests_.front().p;
    if (fifo_full()) stall_ = stall::fifo;
    else if (const uint64_t bank = uint64_t(1) << (p.get_address() / line_bytes % parameters_.tag_banks); parameters_.tag_banks > 1 && (banks_used_ & bank)) stall_ = stall::bank;
    else if ((stall_ = look_up(p, c)) == stall::none) {
      banks_used_ |= bank;
      ++lookups_;
      requests_.pop();
      if (withheld_) {
        requests_.push({withheld_, c + 1});
        withheld_ = nullptr;
        ta_port.accept(clock().at(c + 1)); // TA may send the next one from inside this call
      }
      continue;
    }
    stall_since_ = c;
    return;
  }
}

l1_cache::stall l1_cache::look_up(payload& p, cycle_t c) {
  if (combining_.size() && instruction_of(p) != combining_instruction_) combining_.clear();
  const tlm::tlm_command command = p.get_command();
  if (command != tlm::TLM_IGNORE_COMMAND) {
    if (p.get_address() % line_bytes != 0 || p.get_data_length() != line_bytes) {
      p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      done(fifo(append(p, 0)), c + parameters_.hit_latency_cycles);
      return stall::none;
    }
    return command == tlm::TLM_READ_COMMAND ? read(p, c) : write(p, c);
  }
  if (payload_pool::policy_or_none(p).control == cache_control::none) return atomic(p, c);
  ++statistics_.controls;
  control(p);
  done(fifo(append(p, 0)), c + parameters_.hit_latency_cycles);
  return stall::none;
}

l1_cache::stall l1_cache::read(payload& p, cycle_t c) {
  policy_extension& policy = payload_pool::policy_or_none(p);
  const uint64_t line = p.get_address();
  const int i = lines_.find(line);
  const uint64_t mask = p.get_byte_enable_ptr() ? payload_pool::byte_mask(p) : ~uint64_t(0);
  const unsigned bytes = policy.wanted_bytes ? policy.wanted_bytes : p.get_byte_enable_ptr() ? bits(mask) : line_bytes;
  if (!policy.glc && i != cache_array::absent) {
    merge_bytes(p.get_data_ptr(), lines_.data(i), mask);
    lines_.touch(i);
    if (!policy.nv) lines_.flags(i) = 0;
    policy.hit = true;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    ++statistics_.reads;
    ++statistics_.hits;
    ++hits_now_;
    done(fifo(append(p, bytes)), c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  policy.hit = false;
  // a fill that this read may join: GLC=1 only its own instruction's
  const uint64_t key = line | uint64_t(policy.glc);
  uint32_t slot = none;
  for (uint16_t m = key_heads_[key_hash(line)]; m != no_mshr && slot == none; m = key_next_[m])
    if (keys_[m] == key && (!policy.glc || transactions_[m].instruction == instruction_of(p))) slot = m;
  if (slot == none && free_mshrs_.empty()) return stall::mshr;
  ++statistics_.reads;
  statistics_.glc_reads += policy.glc;
  const uint32_t e = append(p, bytes);
  if (slot != none) {
    transaction& t = transactions_[slot];
    fifo_[t.last].next = e;
    t.last = e;
    t.nv = t.nv && policy.nv;
    ++statistics_.merged;
    ++merged_now_;
    return stall::none;
  }
  if (policy.glc) {
    if (drop(line)) ++statistics_.glc_dropped;
    poison(line);
  }
  slot = free_mshrs_.back();
  free_mshrs_.pop_back();
  set_key(slot, key);
  transaction& t = transactions_[slot];
  t.what = kind::read;
  t.p = payload_pool::whole_line_read(p) ? &p : nullptr;
  t.line = line;
  t.instruction = instruction_of(p);
  t.glc = policy.glc; t.slc = policy.slc; t.nv = policy.nv; t.streaming = policy.streaming;
  t.first = t.last = e;
  ++statistics_.misses;
  ++misses_now_;
  enqueue(slot, c);
  return stall::none;
}

l1_cache::stall l1_cache::write(payload& p, cycle_t c) {
  const policy_extension& policy = payload_pool::policy_or_none(p);
  const uint64_t line = p.get_address();
  const uint64_t mask = p.get_byte_enable_ptr() ? payload_pool::byte_mask(p) : ~uint64_t(0);
  combining* earlier = nullptr; // what this instruction has written of the line before
  for (combining& k : combining_)
    if (k.line == line) earlier = &k;
  const bool join = earlier && parameters_.write_combine && earlier->slot != none && transactions_[earlier->slot].queued && transactions_[earlier->slot].line == line &&
                    transactions_[earlier->slot].instruction == instruction_of(p);
  if (!join && free_writes_.empty()) return stall::writes;
  ++statistics_.writes;
  statistics_.write_bytes += bits(mask);
  ++writes_now_;
  poison(line);

  // does the line stay?
  uint8_t* gathered = nullptr;
  uint64_t written = mask;
  if (mask != ~uint64_t(0)) {
    if (!earlier && combining_.size() < combining_limit) {
      combining_instruction_ = instruction_of(p);
      if (combining_data_.empty()) combining_data_.resize(combining_limit * line_bytes);
      combining_.push_back({line, 0, none});
      earlier = &combining_.back();
    }
    if (earlier) {
      gathered = combining_data_.data() + size_t(earlier - combining_.data()) * line_bytes;
      merge_bytes(gathered, p.get_data_ptr(), mask);
      written = earlier->mask |= mask;
    }
  }
  const bool full = written == ~uint64_t(0);
  statistics_.full_line_writes += full;
  if (full && !policy.glc) keep_full_line(line, gathered ? gathered : p.get_data_ptr(), policy.nv);
  else if (drop(line)) ++statistics_.lines_dropped_by_writes;

  const uint32_t e = append(p, 0);
  if (join) {
    transaction& t = transactions_[earlier->slot];
    merge_bytes(t.p->get_data_ptr(), p.get_data_ptr(), mask);
    t.mask |= mask;
    fifo_[t.last].next = e;
    t.last = e;
    ++statistics_.writes_combined;
    return stall::none;
  }
  const uint32_t slot = free_writes_.back();
  free_writes_.pop_back();
  if (earlier) earlier->slot = slot;
  transaction& t = transactions_[slot];
  t.p = &context_.lines->line(tlm::TLM_WRITE_COMMAND, line);
  std::memcpy(t.p->get_data_ptr(), p.get_data_ptr(), line_bytes);
  t.what = kind::write;
  t.line = line;
  t.mask = mask;
  t.instruction = instruction_of(p);
  t.glc = policy.glc; t.slc = policy.slc; t.nv = policy.nv; t.streaming = policy.streaming;
  t.first = t.last = e;
  enqueue(slot, c);
  return stall::none;
}

l1_cache::stall l1_cache::atomic(payload& p, cycle_t c) {
  const policy_extension& policy = payload_pool::policy_or_none(p);
  const atomic_extension* a = fabric::payload_pool::find_atomic(p);
  if (!a) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    done(fifo(append(p, 0)), c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  if (free_writes_.empty()) return stall::writes;
  const uint64_t line = line_address(p.get_address());
  ++statistics_.atomics;
  ++writes_now_;
  poison(line);
  combining_.clear();
  if (drop(line)) ++statistics_.lines_dropped_by_atomics;
  const uint32_t slot = free_writes_.back();
  free_writes_.pop_back();
  transaction& t = transactions_[slot];
  t.what = kind::atomic;
  t.p = nullptr;
  t.line = line;
  t.instruction = instruction_of(p);
  t.glc = policy.glc; t.slc = policy.slc; t.nv = policy.nv; t.streaming = policy.streaming;
  t.first = t.last = append(p, a->returns ? unsigned(a->count) * a->bytes : 0);
  enqueue(slot, c);
  return stall::none;
}

void l1_cache::control(payload& p) {
  combining_.clear();
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  switch (payload_pool::policy_or_none(p).control) {
    case cache_control::invalidate:
    case cache_control::writeback_invalidate: invalidate(false); break;
    case cache_control::invalidate_volatile: invalidate(true); break;
    case cache_control::discard:
      drop(line_address(p.get_address()));
      poison(line_address(p.get_address()));
      break;
    case cache_control::writeback: // nothing is ever dirty here
    case cache_control::writeback_volatile:
    case cache_control::probe: break;
    case cache_control::none: p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE); break;
  }
}

void l1_cache::keep_full_line(uint64_t line, const uint8_t* bytes, bool nv) {
  int i = lines_.find(line);
  if (i == cache_array::absent) {
    i = lines_.victim(line);
    statistics_.evictions += lines_.holds(i);
    lines_.install(i, line);
    lines_.flags(i) = non_volatile;
  } else lines_.touch(i);
  lines_.write(i, bytes, ~uint64_t(0), false);
  if (!nv) lines_.flags(i) = 0;
  ++statistics_.lines_kept;
}

bool l1_cache::drop(uint64_t line) {
  const int i = lines_.find(line);
  if (i == cache_array::absent) return false;
  lines_.drop(i);
  return true;
}

void l1_cache::poison(uint64_t line) {
  for (uint16_t m = key_heads_[key_hash(line)]; m != no_mshr;) {
    const uint16_t next = key_next_[m];
    if ((keys_[m] & ~uint64_t(1)) == line) {
      statistics_.poisoned_fills += keys_[m] == line;
      set_key(m, no_key);
    }
    m = next;
  }
}

void l1_cache::set_key(uint32_t mshr, uint64_t key) {
  uint64_t& k = keys_[mshr];
  if (k != no_key) {
    uint16_t* at = &key_heads_[key_hash(k)];
    while (*at != mshr) at = &key_next_[*at];
    *at = key_next_[mshr];
  }
  k = key;
  if (k == no_key) return;
  uint16_t& head = key_heads_[key_hash(k)];
  key_next_[mshr] = head;
  head = uint16_t(mshr);
}

void l1_cache::invalidate(bool volatile_only) {
  ++statistics_.invalidations;
  const unsigned before = lines_.present();
  if (!volatile_only) lines_.drop_all();
  else
    for (unsigned i = 0; i < lines_.lines(); ++i)
      if (lines_.holds(int(i)) && !(lines_.flags(int(i)) & non_volatile)) lines_.drop(int(i));
  statistics_.lines_invalidated += before - lines_.present();
  if (free_mshrs_.size() == parameters_.mshrs) return;
  for (unsigned m = 0; m < parameters_.mshrs; ++m)
    if (keys_[m] != no_key && !(volatile_only && transactions_[m].nv)) {
      statistics_.poisoned_fills += (keys_[m] & 1) == 0;
      set_key(m, no_key);
    }
}

// ---------------------------------------------------------------- latency FIFO and TD

uint32_t l1_cache::append(payload& p, unsigned bytes) {
  if (fifo_.empty()) fifo_.resize(fifo_mask_ + 1);
  if (head_ == tail_) head_ = send_ = tail_ = 0; // an empty one starts again in front: it stays in few lines of the host's cache
  const uint32_t n = uint32_t(tail_++ & fifo_mask_);
  entry& e = fifo_[n];
  e.p = &p;
  e.next = none;
  e.bytes = bytes;
  e.state = entry_state::waiting;
  return n;
}

void l1_cache::done(entry& e, cycle_t cycle) {
  e.state = entry_state::done;
  e.cycle = cycle + context_.chaos.extra(number_, draws_++);
}

void l1_cache::send_to_td(cycle_t c) {
  while (send_ != tail_ && fifo(send_).state == entry_state::done && td_port.ready()) {
    entry& e = fifo(send_);
    const uint64_t width = parameters_.td_bytes_per_cycle;
    const cycle_t earliest = std::max({e.cycle, c + 1, clock().ceil(td_port.free_at())});
    uint64_t cost = std::max<uint64_t>(e.bytes, td_quantum_);
    const uint64_t start = std::max(td_position_, earliest * width); // the rest of a cycle takes the first bytes of the next line
    cost = std::min(cost, width * 64);
    td_position_ = start + cost;
    // the message is complete when its last byte has come
    e.cycle = (start + cost - 1) / width;
    e.state = entry_state::sent;
    statistics_.bytes_to_td += e.bytes;
    payload& p = *e.p;
    ++send_;
    td_signal_.set(clock().at(e.cycle), payload_pool::policy_or_none(p).tag);
    td_port.send(p, clock().at(e.cycle));
  }
}

// ---------------------------------------------------------------- L2

void l1_cache::enqueue(uint32_t slot, cycle_t c) {
  transaction& t = transactions_[slot];
  t.queued = true;
  t.earliest = c + parameters_.miss_request_cycles + context_.chaos.extra(number_ + 1, draws_++);
  l2_queue_.push(slot);
}

cycle_t l1_cache::send_to_l2(cycle_t c) {
  while (!l2_queue_.empty() && l2_port.ready()) {
    const uint32_t slot = l2_queue_.front();
    transaction& t = transactions_[slot];
    const cycle_t at = std::max({t.earliest, last_l2_cycle_ + 1, c + 1, clock().ceil(l2_port.free_at())});
    if (t.what == kind::write && parameters_.write_combine && at > c + 1) return at - 1; // others of the instruction may still join
    l2_queue_.pop();
    t.queued = false;
    payload* p = t.p;
    const bool passed = t.what == kind::read && p;
    if (t.what == kind::read) {
      if (!p) p = &context_.lines->line(tlm::TLM_READ_COMMAND, t.line);
      ++statistics_.l2_reads;
    } else if (t.what == kind::write) {
      context_.lines->enable(*p, t.mask);
      ++statistics_.l2_writes;
    } else {
      p = &context_.lines->atomic(t.line);
      const atomic_extension& from = payload_pool::atomic_of(*fifo_[t.first].p);
      atomic_extension& to = payload_pool::atomic_of(*p);
      to.operation = from.operation;
      to.bytes = from.bytes;
      to.returns = from.returns;
      to.count = from.count;
      to.source = from.source;
      to.wave = from.wave;
      std::copy(from.entries, from.entries + from.count, to.entries);
      ++statistics_.l2_atomics;
    }
    policy_extension& policy = payload_pool::policy(*p);
    policy.passing = uint16_t(slot);
    if (passed) policy.wanted_bytes = 0; // all go into the cache; what TD gets is in the latency FIFO
    else {
      policy.glc = t.glc; policy.slc = t.slc; policy.nv = t.nv; policy.streaming = t.streaming;
      policy.source = payload_pool::policy_or_none(*fifo_[t.first].p).source;
    }
    last_l2_cycle_ = at;
    l2_port.send(*p, clock().at(at));
  }
  return never;
}

void l1_cache::response(payload& p, cycle_t c) {
  const uint32_t slot = payload_pool::policy(p).passing;
  transaction& t = transactions_[slot];
  const bool passed = t.what == kind::read && t.p;
  const tlm::tlm_response_status status = p.get_response_status();
  const bool ok = status == tlm::TLM_OK_RESPONSE;
  statistics_.errors += !ok;
  const cycle_t ready = c + parameters_.fill_return_cycles;
  for (uint32_t n = t.first; n != none;) {
    entry& e = fifo_[n];
    n = e.next;
    e.p->set_response_status(status);
    if (t.what == kind::read) {
      if (ok && e.p != &p) merge_bytes(e.p->get_data_ptr(), p.get_data_ptr(), e.p->get_byte_enable_ptr() ? payload_pool::byte_mask(*e.p) : ~uint64_t(0));
    } else if (t.what == kind::atomic && ok) {
      const atomic_extension& from = payload_pool::atomic_of(p);
      atomic_extension& to = payload_pool::atomic_of(*e.p);
      if (to.returns)
        for (unsigned k = 0; k < to.count; ++k) to.entries[k].result = from.entries[k].result;
    }
    done(e, ready);
  }
  if (t.what == kind::read) {
    ++statistics_.fills;
    if (ok && keys_[slot] == t.line) { // GLC=0 and not poisoned
      const int i = lines_.victim(t.line);
      statistics_.evictions += lines_.holds(i);
      lines_.install(i, t.line);
      lines_.fill(i, p.get_data_ptr(), ~uint64_t(0));
      lines_.flags(i) = t.nv ? non_volatile : 0;
    }
    set_key(slot, no_key);
    free_mshrs_.push_back(slot);
  } else free_writes_.push_back(slot);
  t.p = nullptr;
  if (!passed) p.release();
}

// ---------------------------------------------------------------- observation

void l1_cache::account_stall(cycle_t c) {
  const uint64_t n = c - stall_since_;
  switch (stall_) {
    case stall::none: return;
    case stall::mshr: statistics_.mshr_full_cycles += n; break;
    case stall::writes: statistics_.writes_full_cycles += n; break;
    case stall::fifo: statistics_.fifo_full_cycles += n; break;
    case stall::bank: statistics_.tag_bank_cycles += n; break;
  }
  stall_ = stall::none;
}

void l1_cache::trace(cycle_t c) {
  if (!context_.trace) return;
  const picoseconds t = clock().at(c), after = clock().at(c + 1);
  const auto pulse = [&](const observe::signal& s, unsigned n) {
    s.set(t, n);
    if (n) s.set(after, 0);
  };
  pulse(lookup_signal_, hits_now_ + misses_now_ + merged_now_ + writes_now_);
  pulse(hit_signal_, hits_now_);
  pulse(miss_signal_, misses_now_);
  pulse(merged_signal_, merged_now_);
  pulse(write_signal_, writes_now_);
  fills_signal_.set(t, parameters_.mshrs - free_mshrs_.size());
  writes_outstanding_signal_.set(t, parameters_.writes_outstanding - free_writes_.size());
  fifo_signal_.set(t, tail_ - head_);
  stall_signal_.set(t, unsigned(stall_));
}

// ---------------------------------------------------------------- loosely timed, debug

void l1_cache::b_transport(unsigned port, payload& p, sc_core::sc_time& delay) {
  delay += to_sc_time(clock().at(parameters_.hit_latency_cycles));
  const policy_extension* policy = fabric::payload_pool::find_policy(p);
  if (p.get_command() == tlm::TLM_IGNORE_COMMAND && policy && policy->control != cache_control::none) {
    control(p);
    return;
  }
  if (port == control_side) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  if (lines_.present()) lines_.drop_all(); // left over from timed traffic: write-through, so nothing is lost
  const unsigned offset = unsigned(p.get_address() % line_bytes), length = p.get_data_length();
  uint8_t* host = p.get_command() != tlm::TLM_IGNORE_COMMAND && offset + length <= line_bytes ? dmi_.line(p.get_address()) : nullptr;
  if (!host) {
    l2_port.socket->b_transport(p, delay);
    return;
  }
  host += offset;
  uint8_t* data = p.get_data_ptr();
  const bool is_read = p.get_command() == tlm::TLM_READ_COMMAND;
  uint8_t* to = is_read ? data : host;
  const uint8_t* from = is_read ? host : data;
  if (!p.get_byte_enable_ptr()) std::memcpy(to, from, length);
  else
    for (uint64_t m = payload_pool::byte_mask(p); m; m &= m - 1) to[__builtin_ctzll(m)] = from[__builtin_ctzll(m)];
  p.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned l1_cache::transport_dbg(unsigned, payload& p) {
  if (p.get_command() == tlm::TLM_WRITE_COMMAND)
    for (uint64_t a = line_address(p.get_address()); a < p.get_address() + p.get_data_length(); a += line_bytes) {
      drop(a);
      poison(a);
    }
  return l2_port.socket->transport_dbg(p);
}

bool l1_cache::get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) { return l2_port.socket->get_direct_mem_ptr(p, dmi); }

void l1_cache::on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) {
  if (port != l2) return;
  dmi_.invalidate();
  ta_port.socket->invalidate_direct_mem_ptr(first, last);
}

} // namespace lyra::cache
