// SPDX-License-Identifier: Apache-2.0
// Lookups of the scalar data cache: what loads, stores, atomics and controls do to its lines.
#include "scalar_cache/scalar_cache.h"
#include "scalar_cache/scalar_cache_internal.h"
#include <algorithm>
#include <cstring>

namespace lyra::scalar_cache {

using namespace fabric;
using namespace internal;
using cache::cache_array;
using cache::line_address;

data_cache::stall data_cache::look_up(payload& p, unsigned port, cycle_t c) {
  if (free_requests_.empty()) return stall::requests;
  const tlm::tlm_command command = p.get_command();
  if (command == tlm::TLM_IGNORE_COMMAND) {
    if (is_control(p)) {
      control(p, port, c);
      return stall::none;
    }
    return atomic(p, port, c);
  }
  const unsigned offset = unsigned(p.get_address() % cache::line_bytes), length = p.get_data_length();
  if (length == 0 || offset + length > cache::line_bytes || p.get_byte_enable_ptr()) {
    p.set_response_status(p.get_byte_enable_ptr() ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE : tlm::TLM_BURST_ERROR_RESPONSE);
    answer(take_request(p, port), c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  return command == tlm::TLM_READ_COMMAND ? load(p, port, c) : store(p, port, c);
}

uint16_t data_cache::take_request(payload& p, unsigned port) {
  const uint16_t r = free_requests_.back();
  free_requests_.pop_back();
  request& q = requests_[r];
  q = request{};
  q.p = &p;
  q.port = uint8_t(port);
  q.next = none;
  q.looked_up = now();
  q.number = state_[port].looked_up++;
  state_[port].open.push({r, false});
  return r;
}

data_cache::stall data_cache::load(payload& p, unsigned port, cycle_t c) {
  policy_extension& policy = payload_pool::policy_or_none(p);
  const uint64_t line = line_address(p.get_address());
  const unsigned offset = unsigned(p.get_address() - line), length = p.get_data_length();
  const uint64_t wanted = range_mask(offset, length);
  const int i = lines_.find(line);
  const uint64_t there = i != cache_array::absent && !policy.glc ? lines_.valid(i) & wanted : 0;
  uint16_t mshr = none;
  if (there != wanted) {
    if (!policy.glc && free_mshrs_.size() != parameters_.mshrs)
      for (unsigned m = 0; m < parameters_.mshrs; ++m)
        if (keys_[m] == line) mshr = uint16_t(m);
    if (mshr == none && free_mshrs_.empty()) return stall::mshr;
    if (policy.glc && i != cache_array::absent && lines_.dirty(i) && writes_in_flight_ >= parameters_.writes_outstanding) return stall::writes;
  }
  ++statistics_.loads;
  statistics_.load_bytes += length;
  statistics_.glc_loads += policy.glc;
  const uint16_t r = take_request(p, port);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  policy.hit = there == wanted;
  if (there) {
    const uint8_t* from = lines_.data(i) + offset;
    if (there == wanted) std::memcpy(p.get_data_ptr(), from, length);
    else
      for (uint64_t m = there >> offset; m; m &= m - 1) p.get_data_ptr()[__builtin_ctzll(m)] = from[__builtin_ctzll(m)];
  }
  if (i != cache_array::absent && !policy.glc) {
    lines_.touch(i);
    if (!policy.nv) lines_.flags(i) = 0;
  }
  if (there == wanted) {
    ++statistics_.hits;
    event_now_ = event::hit;
    answer(r, c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  statistics_.partial_hits += there != 0;
  requests_[r].cause = wait_cause::miss;
  requests_[r].need = wanted & ~there;
  if (mshr != none) {
    fill& f = fills_[mshr];
    requests_[f.last].next = r;
    f.last = r;
    f.nv = f.nv && policy.nv;
    ++statistics_.merged;
    event_now_ = event::merged;
    return stall::none;
  }
  if (policy.glc) {
    if (i != cache_array::absent) {
      write_back(i, c);
      drop(i);
    }
    poison(line);
  }
  mshr = free_mshrs_.back();
  free_mshrs_.pop_back();
  keys_[mshr] = policy.glc ? no_key : line;
  fills_[mshr] = {line, r, r, policy.nv};
  ++statistics_.misses;
  event_now_ = event::miss;
  payload& q = context_.lines->line(tlm::TLM_READ_COMMAND, line);
  policy_extension& to = payload_pool::policy(q);
  to.glc = policy.glc; to.slc = policy.slc; to.nv = policy.nv; to.source = policy.source;
  to.tag = tag_fill | mshr;
  queue(q, c);
  return stall::none;
}

data_cache::stall data_cache::store(payload& p, unsigned port, cycle_t c) {
  const policy_extension& policy = payload_pool::policy_or_none(p);
  const uint64_t line = line_address(p.get_address());
  const unsigned offset = unsigned(p.get_address() - line), length = p.get_data_length();
  const uint64_t mask = range_mask(offset, length);
  int i = lines_.find(line);
  if (writes_in_flight_ >= parameters_.writes_outstanding) {
    const int v = i == cache_array::absent ? lines_.victim(line) : i;
    if (policy.glc || (i == cache_array::absent && lines_.holds(v) && lines_.dirty(v))) return stall::writes;
  }
  ++statistics_.stores;
  statistics_.store_bytes += length;
  const uint16_t r = take_request(p, port);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  alignas(64) uint8_t bytes[cache::line_bytes];
  std::memcpy(bytes + offset, p.get_data_ptr(), length);
  if (policy.glc) {
    ++statistics_.write_through;
    event_now_ = event::write_through;
    if (i != cache_array::absent) {
      lines_.write(i, bytes, mask, false);
      set_dirty(i, lines_.dirty(i) & ~mask); // the newer bytes are on their way to L2
      lines_.touch(i);
      if (!policy.nv) lines_.flags(i) = 0;
    } else poison(line);
    requests_[r].cause = wait_cause::memory;
    queue_write(line, bytes, mask, policy.nv, &policy, r, c);
    return stall::none;
  }
  event_now_ = event::store;
  if (i == cache_array::absent) {
    i = make_room(line, c);
    lines_.flags(i) = non_volatile;
  } else {
    statistics_.write_combined += lines_.dirty(i) != 0;
    lines_.touch(i);
  }
  if (!policy.nv) lines_.flags(i) = 0;
  lines_.write(i, bytes, mask, false);
  set_dirty(i, lines_.dirty(i) | mask);
  answer(r, c + parameters_.hit_latency_cycles);
  return stall::none;
}

data_cache::stall data_cache::atomic(payload& p, unsigned port, cycle_t c) {
  const policy_extension& policy = payload_pool::policy_or_none(p);
  const atomic_extension* a = fabric::payload_pool::find_atomic(p);
  if (!a) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    answer(take_request(p, port), c + parameters_.hit_latency_cycles);
    return stall::none;
  }
  if (writes_in_flight_ >= parameters_.writes_outstanding) return stall::writes;
  const uint64_t line = line_address(p.get_address());
  ++statistics_.atomics;
  event_now_ = event::atomic;
  const uint16_t r = take_request(p, port);
  requests_[r].cause = wait_cause::memory;
  if (const int i = lines_.find(line); i != cache_array::absent) {
    write_back(i, c);
    drop(i);
  }
  poison(line);
  payload& q = context_.lines->atomic(line);
  atomic_extension& to = payload_pool::atomic_of(q);
  to.operation = a->operation;
  to.bytes = a->bytes;
  to.returns = a->returns;
  to.count = a->count;
  to.source = a->source;
  to.wave = a->wave;
  std::copy(a->entries, a->entries + a->count, to.entries);
  policy_extension& o = payload_pool::policy(q);
  o.glc = policy.glc; o.slc = policy.slc; o.nv = policy.nv; o.source = policy.source;
  o.tag = tag_write | write_number_++ << 16 | r;
  ++writes_in_flight_;
  queue(q, c);
  return stall::none;
}

void data_cache::control(payload& p, unsigned port, cycle_t c) {
  ++statistics_.controls;
  event_now_ = event::control;
  const uint16_t r = take_request(p, port);
  const cache_control k = payload_pool::policy_or_none(p).control;
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  const bool volatile_only = k == cache_control::invalidate_volatile || k == cache_control::writeback_volatile;
  const bool invalidates = k == cache_control::invalidate || k == cache_control::invalidate_volatile || k == cache_control::writeback_invalidate;
  const bool writes_back = k == cache_control::writeback || k == cache_control::writeback_volatile || k == cache_control::writeback_invalidate ||
                           (invalidates && parameters_.invalidate_writes_back);
  if (writes_back && dirty_lines_)
    for (unsigned i = 0; i < lines_.lines(); ++i)
      if (lines_.holds(int(i)) && !(volatile_only && (lines_.flags(int(i)) & non_volatile))) write_back(int(i), c);
  if (invalidates) invalidate(volatile_only);
  if (k == cache_control::discard) {
    const uint64_t line = line_address(p.get_address());
    if (const int i = lines_.find(line); i != cache_array::absent) {
      ++statistics_.lines_invalidated;
      statistics_.dirty_bytes_dropped += bits(lines_.dirty(i));
      drop(i);
    }
    poison(line);
  }
  if (writes_back && writes_in_flight_) { // done when L2 has acknowledged all of them
    requests_[r].cause = wait_cause::memory;
    requests_[r].pending = writes_in_flight_;
    requests_[r].limit = write_number_;
    waiting_controls_.push_back(r);
  } else answer(r, c + parameters_.hit_latency_cycles);
}

} // namespace lyra::scalar_cache
