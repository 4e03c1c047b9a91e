// SPDX-License-Identifier: Apache-2.0
// Loosely timed and debug access of the scalar data cache.
#include "scalar_cache/scalar_cache.h"
#include <cstring>

namespace lyra::scalar_cache {

using namespace fabric;
using cache::cache_array;
using cache::line_address;

/// Timed traffic left lines behind: writes the dirty ones to memory and drops all, so that loosely timed access finds everything below.
void data_cache::leave_timed_state() {
  sc_core::sc_time ignored;
  for (unsigned i = 0; i < lines_.lines() && dirty_lines_; ++i)
    if (const uint64_t mask = lines_.holds(int(i)) ? lines_.dirty(int(i)) : 0) {
      payload& q = context_.lines->masked_write(lines_.address(int(i)), lines_.data(int(i)), mask);
      l2_port.socket->b_transport(q, ignored);
      q.release();
    }
  lines_.drop_all();
  dirty_lines_ = 0;
}

void data_cache::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  delay += to_sc_time(clock().at(parameters_.hit_latency_cycles));
  const policy_extension* policy = fabric::payload_pool::find_policy(p);
  const bool ignore = p.get_command() == tlm::TLM_IGNORE_COMMAND;
  if (lines_.present()) leave_timed_state();
  if (ignore && policy && policy->control != cache_control::none) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  const unsigned offset = unsigned(p.get_address() % cache::line_bytes), length = p.get_data_length();
  uint8_t* host = !ignore && !p.get_byte_enable_ptr() && offset + length <= cache::line_bytes ? dmi_.line(p.get_address()) : nullptr;
  if (!host) {
    l2_port.socket->b_transport(p, delay);
    return;
  }
  if (p.get_command() == tlm::TLM_READ_COMMAND) std::memcpy(p.get_data_ptr(), host + offset, length);
  else std::memcpy(host + offset, p.get_data_ptr(), length);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
}

void data_cache::overlay_dirty(uint64_t address, uint8_t* data, unsigned length) const {
  const auto over = [&](uint64_t line, const uint8_t* bytes, uint64_t mask) {
    for (; mask; mask &= mask - 1) {
      const unsigned k = unsigned(__builtin_ctzll(mask));
      if (line + k >= address && line + k < address + length) data[line + k - address] = bytes[k];
    }
  };
  for (size_t k = 0; k < l2_queue_.size(); ++k) // on their way out
    if (l2_queue_[k].p->get_command() == tlm::TLM_WRITE_COMMAND) over(l2_queue_[k].p->get_address(), l2_queue_[k].p->get_data_ptr(), payload_pool::byte_mask(*l2_queue_[k].p));
  if (!dirty_lines_) return;
  for (uint64_t line = line_address(address); line < address + length; line += cache::line_bytes)
    if (const int i = lines_.find(line); i != cache_array::absent && lines_.dirty(i)) over(line, const_cast<cache_array&>(lines_).data(i), lines_.dirty(i));
}

unsigned data_cache::transport_dbg(unsigned, payload& p) {
  const unsigned n = l2_port.socket->transport_dbg(p);
  const uint64_t address = p.get_address();
  if (p.get_command() == tlm::TLM_READ_COMMAND) overlay_dirty(address, p.get_data_ptr(), n);
  else
    for (unsigned k = 0; k < n; ++k)
      if (const int i = lines_.find(address + k); i != cache_array::absent) lines_.data(i)[(address + k) % cache::line_bytes] = p.get_data_ptr()[k];
  return n;
}

bool data_cache::get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) {
  if (lines_.present()) leave_timed_state();
  return l2_port.socket->get_direct_mem_ptr(p, dmi);
}

void data_cache::on_invalidate_direct_mem_ptr(unsigned, uint64_t first, uint64_t last) {
  dmi_.invalidate();
  invalidate_direct_pointers(first, last);
}

} // namespace lyra::scalar_cache
