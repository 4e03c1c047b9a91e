// SPDX-License-Identifier: Apache-2.0
// The texture unit loosely timed: one call does the whole instruction.
#include "texture/texture_unit.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {

using namespace fabric;
using isa::memory_kind;

/// A run in memory: straight copies. False where the memory refuses direct access.
bool texture_unit::lt_run(operation& o) {
  const bool load = o.state.kind == memory_kind::load;
  // 4-byte loads go straight to the result row
  uint8_t* const to = load && o.plan.bytes == 4 && !o.state.format ? reinterpret_cast<uint8_t*>(o.request->result[0]) : o.plan.data.data();
  const size_t count = o.list.lines.size();
  const uint64_t stop = o.state.base + uint64_t(o.state.lane_count) * o.plan.bytes;
  for (size_t n = 0; n < count; ++n) {
    const line_list::line& l = o.list.lines[n];
    uint8_t* const host = dmi_.line(l.address);
    if (!host) return false;
    const uint64_t from = std::max(l.address, o.state.base), end = std::min(l.address + line_bytes, stop);
    uint8_t* const mine = to + o.state.first_lane * o.plan.bytes + (from - o.state.base);
    uint8_t* const theirs = host + (from - l.address);
    const size_t length = size_t(end - from);
    if (load) {
      if (length == line_bytes) std::memcpy(mine, theirs, line_bytes);
      else std::memcpy(mine, theirs, length);
    } else {
      std::memcpy(theirs, mine, length);
    }
  }
  return true;
}

/// Line by line: directly where the memory grants it (loads and stores), else by a blocking transaction.
void texture_unit::lt_lines(operation& o) {
  for (uint32_t n = 0; n < o.lines; ++n) {
    const line_list::line* l = o.control ? nullptr : &o.list.lines[n];
    if (l && o.state.kind != memory_kind::atomic) {
      if (uint8_t* host = dmi_.line(l->address)) {
        if (o.state.kind == memory_kind::load) o.list.deliver(*l, host, o.state, o.plan);
        else o.list.collect(*l, host, o.state, o.plan);
        continue;
      }
    }
    payload& p = line_payload(o, n);
    sc_core::sc_time line_delay = sc_core::SC_ZERO_TIME; // lines overlap: the instruction's own latency is added once
    line_port.socket->b_transport(p, line_delay);
    if (l) take_results(o, p, *l);
    p.release();
  }
}

void texture_unit::b_transport(unsigned port, payload& p, sc_core::sc_time& delay) {
  if (port != wave_side) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  operation& o = lt_;
  o.p = &p;
  o.request = &wave_pool::of(p);
  o.number = next_number_;
  plan(o);
  plan_cost(o);
  wave_request& r = *o.request;
  o.lines = o.control ? 1 : uint32_t(o.list.lines.size());
  r.lines = o.control ? 0 : o.lines;
  bool direct = false;
  const bool run = o.lines && !o.control && o.state.contiguous && o.list.touches.empty() && o.state.in_range == o.state.lanes;
  if (run && lt_run(o)) {
    statistics_.lines += o.lines;
    direct = o.state.kind == memory_kind::load && o.plan.bytes == 4 && !o.state.format;
  } else if (o.lines) {
    lt_lines(o);
  }
  if (direct && !o.state.tfe && !o.state.to_lds) {
    r.result_dwords = 1;
    r.result_half = 0;
    r.result_mask = o.state.lanes;
  } else {
    if (direct) std::memcpy(o.plan.data.data(), r.result[0], sizeof r.result[0]);
    resolve(o);
  }
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += to_sc_time(clock().at(parameters_.address_latency_cycles + o.rate + (o.lines ? parameters_.lt_memory_cycles : 0) +
                                 (o.phases ? parameters_.return_latency_cycles : parameters_.acknowledge_cycles)));
}

} // namespace lyra::texture
