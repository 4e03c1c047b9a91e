// SPDX-License-Identifier: Apache-2.0
// L2 channel: cache controls, loosely timed access, debug access, direct memory pointers.
#include "cache/l2_channel.h"
#include <algorithm>
#include <cstring>

namespace lyra::cache {

using namespace fabric;

// --- cache controls ---

/// Walks the lines (a set a cycle, a written-back line a cycle) while look-ups wait.
cycle_t l2_channel::step_control(cycle_t cycle) {
  if (mshrs_busy_ != 0) return never; // requests before it come first; their responses wake us
  const bool writes = control_ == cache_control::writeback || control_ == cache_control::writeback_invalidate || control_ == cache_control::writeback_volatile;
  const bool drops = control_ == cache_control::invalidate || control_ == cache_control::invalidate_volatile || control_ == cache_control::writeback_invalidate;
  if (cycle < control_next_) return control_next_;
  if ((writes || drops) && control_line_ < array_.lines()) {
    const unsigned first = control_line_ / array_.ways();
    bool full = false;
    for (; control_line_ < array_.lines(); ++control_line_) {
      const int i = int(control_line_);
      if (!writes || array_.dirty(i) == 0) continue;
      full = !start_writeback(array_.address(i), array_.data(i), array_.dirty(i), cycle);
      if (!full) { array_.set_dirty(i, 0); ++control_line_; }
      break;
    }
    const unsigned sets = control_line_ / array_.ways() - first;
    control_next_ = cycle + (full ? sets : std::max(1u, sets));
    return control_next_ > cycle ? control_next_ : never; // full: an acknowledgement wakes us
  }
  if (writes && writebacks_busy_ != 0) return never; // acknowledgements wake us
  if (drops)
    for (int i = 0; i < int(array_.lines()); ++i) {
      if (!array_.holds(i)) continue;
      if (array_.dirty(i) == 0) array_.drop(i);
      else array_.set_valid(i, array_.dirty(i));
    }
  request& r = input_.front();
  r.p->set_response_status(tlm::TLM_OK_RESPONSE);
  ++statistics_.requests;
  ++statistics_.controls;
  control_active_ = false;
  note_stall(stall::no, cycle);
  finish(r, cycle + parameters_.hit_latency_cycles);
  pop_input(cycle);
  return never;
}

void l2_channel::flush() {
  if (!idle()) {
    SC_REPORT_ERROR("lyra/l2/flush", (std::string(name()) + ": flush with requests in flight; let the channel become idle first").c_str());
    return;
  }
  for (int i = 0; i < int(array_.lines()); ++i) {
    if (!array_.holds(i) || array_.dirty(i) == 0) continue;
    for (unsigned k = 0; k < line_bytes;) { // runs of dirty bytes
      if (!(array_.dirty(i) >> k & 1)) { ++k; continue; }
      unsigned n = 1;
      while (k + n < line_bytes && (array_.dirty(i) >> (k + n) & 1)) ++n;
      payload p;
      p.set_command(tlm::TLM_WRITE_COMMAND);
      p.set_address(array_.address(i) + k);
      p.set_data_ptr(array_.data(i) + k);
      p.set_data_length(n);
      p.set_streaming_width(n);
      memory.socket->transport_dbg(p);
      k += n;
    }
  }
  array_.drop_all();
}

// --- debug access: memory, seen through the lines that are here ---

unsigned l2_channel::transport_dbg(unsigned, payload& p) {
  const unsigned done = memory.socket->transport_dbg(p);
  if ((array_.present() == 0 && writebacks_busy_ == 0) || p.get_command() == tlm::TLM_IGNORE_COMMAND) return done;
  const bool write = p.get_command() == tlm::TLM_WRITE_COMMAND;
  for (unsigned k = 0; k < done;) {
    const uint64_t a = p.get_address() + k;
    const unsigned offset = unsigned(a % line_bytes), n = std::min(done - k, line_bytes - offset);
    overlay(a, p.get_data_ptr() + k, (n == line_bytes ? ~uint64_t(0) : (uint64_t(1) << n) - 1) << offset, write);
    k += n;
  }
  return done;
}

/// Reads: bytes valid here replace those from memory. Writes: bytes valid here, or of a line on its way (to or from memory), take the new value.
void l2_channel::overlay(uint64_t address, uint8_t* data, uint64_t mask, bool write) {
  if (writebacks_busy_ != 0) overlay_writebacks(address, data, mask, write);
  const int i = array_.find(address);
  if (i == cache_array::absent) return;
  const unsigned offset = unsigned(address % line_bytes);
  if (write) {
    if (mshr_of_line_[size_t(i)] == no_mshr) mask &= array_.valid(i);
    uint8_t bytes[line_bytes];
    for (unsigned k = offset; k < line_bytes; ++k)
      if (mask >> k & 1) bytes[k] = data[k - offset];
    array_.write(i, bytes, mask, false);
  } else {
    mask &= array_.valid(i);
    const uint8_t* line = array_.data(i);
    if (mask == ~uint64_t(0)) {
      std::memcpy(data, line, line_bytes);
      return;
    }
    for (unsigned k = offset; k < line_bytes; ++k)
      if (mask >> k & 1) data[k - offset] = line[k];
  }
}

/// Dirty bytes that have left the array, and that memory may not have yet: oldest first.
void l2_channel::overlay_writebacks(uint64_t address, uint8_t* data, uint64_t mask, bool write) {
  const unsigned offset = unsigned(address % line_bytes);
  std::vector<const writeback*> of_line;
  for (const writeback& w : writebacks_)
    if (w.p && w.line == line_address(address)) of_line.push_back(&w);
  std::sort(of_line.begin(), of_line.end(), [](const writeback* a, const writeback* b) { return a->order < b->order; });
  for (const writeback* w : of_line) {
    uint8_t* held = w->p->get_data_ptr();
    const uint64_t both = mask & payload_pool::byte_mask(*w->p);
    for (unsigned k = offset; k < line_bytes; ++k)
      if (both >> k & 1) (write ? held[k] : data[k - offset]) = write ? data[k - offset] : held[k];
  }
}

// --- loosely timed ---

void l2_channel::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  request r = classify(p, 0);
  delay += to_sc_time(clock().at(parameters_.hit_latency_cycles));
  if (r.what == kind::bad) { p.set_response_status(r.error); return; }
  if (r.what == kind::control) {
    if (array_.present() != 0 && fabric::payload_pool::find_policy(p)->control != cache_control::discard && fabric::payload_pool::find_policy(p)->control != cache_control::probe) flush();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  if (parameters_.check_pages && context_.space) {
    const page_state s = context_.space->state(p.get_address());
    if (s == page_state::unmapped || (s == page_state::read_only && r.what != kind::read)) { p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return; }
    if (s == page_state::non_resident && r.what == kind::atomic) {
      auto& a = *fabric::payload_pool::find_atomic(p);
      for (unsigned i = 0; i < a.count && i < 64; ++i) a.entries[i].result = 0;
      p.set_response_status(tlm::TLM_OK_RESPONSE);
      return;
    }
  }
  if (r.what == kind::atomic) { loosely_timed_atomic(r, delay); return; }
  memory.socket->b_transport(p, delay);
  if (array_.present() != 0 && p.get_response_status() == tlm::TLM_OK_RESPONSE) overlay(p.get_address(), p.get_data_ptr(), r.mask, r.what == kind::write);
}

void l2_channel::loosely_timed_atomic(request& r, sc_core::sc_time& delay) {
  payload& p = *r.p;
  while (atomic_busy_) sc_core::wait(atomic_free_event_); // only behind an atomic unit that itself waits
  atomic_busy_ = true;
  const uint64_t address = line_address(p.get_address());
  uint8_t* host = array_.present() == 0 ? direct_.line(address) : nullptr;
  payload part;
  const auto memory_access = [&](tlm::tlm_command command, unsigned first, unsigned n) {
    part.set_command(command);
    part.set_address(address + first);
    part.set_data_ptr(p.get_data_ptr() + first);
    part.set_data_length(n);
    part.set_streaming_width(n);
    part.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    memory.socket->b_transport(part, delay);
    return part.get_response_status();
  };
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (host) std::memcpy(p.get_data_ptr(), host, line_bytes);
  else {
    status = memory_access(tlm::TLM_READ_COMMAND, 0, line_bytes);
    overlay(address, p.get_data_ptr(), ~uint64_t(0), false);
  }
  if (status == tlm::TLM_OK_RESPONSE) {
    atomic.socket->b_transport(p, delay);
    status = p.get_response_status();
  }
  if (status == tlm::TLM_OK_RESPONSE) {
    if (host) merge_bytes(host, p.get_data_ptr(), r.mask);
    else {
      for (unsigned k = 0; k < line_bytes && status == tlm::TLM_OK_RESPONSE; k += 4)
        if (r.mask >> k & 0xf) status = memory_access(tlm::TLM_WRITE_COMMAND, k, 4);
      overlay(address, p.get_data_ptr(), r.mask, true);
    }
  }
  p.set_response_status(status);
  atomic_busy_ = false;
  atomic_free_event_.notify();
}

// --- direct memory ---

bool l2_channel::get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) {
  if (array_.present() != 0 || !idle()) { // what is here would be missed
    dmi.init();
    dmi.set_start_address(line_address(p.get_address()));
    dmi.set_end_address(line_address(p.get_address()) + line_bytes - 1);
    return false;
  }
  if (!memory.socket->get_direct_mem_ptr(p, dmi)) return false;
  const sc_core::sc_time own = to_sc_time(clock().at(parameters_.hit_latency_cycles));
  dmi.set_read_latency(dmi.get_read_latency() + own);
  dmi.set_write_latency(dmi.get_write_latency() + own);
  dmi_granted_ = true;
  return true;
}

void l2_channel::on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) {
  if (port != 0) return;
  direct_.invalidate();
  in.socket->invalidate_direct_mem_ptr(first, last);
}

} // namespace lyra::cache
