// SPDX-License-Identifier: Apache-2.0
// The texture unit loosely timed: one call does the whole instruction.
#include "texture/texture_unit.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {

using namespace fabric;
using isa::memory_kind;

namespace {

unsigned first_lane(uint64_t mask) { return unsigned(__builtin_ctzll(mask)); }

template <unsigned N> void move(uint8_t* to, const uint8_t* from) { std::memcpy(to, from, N); }

} // namespace

/// Page of a plain access in its usual state?
bool texture_unit::lt_usable(const operation& o, uint64_t address) const {
  const page_state s = context_.space->state(address);
  return s == page_state::mapped || (s == page_state::read_only && o.state.kind == memory_kind::load);
}

/// A run in memory: straight copies. False, with nothing done, where a page or the memory asks for the long way.
bool texture_unit::lt_run(operation& o) {
  const access_state& s = o.state;
  const bool load = s.kind == memory_kind::load;
  const unsigned bytes = o.plan.bytes;
  const uint64_t stop = s.base + uint64_t(s.lane_count) * bytes, first = s.base & ~uint64_t(line_bytes - 1), last = (stop - 1) & ~uint64_t(line_bytes - 1);
  if (!lt_usable(o, first) || ((first ^ last) >= page_bytes && !lt_usable(o, last))) return false; // at most two pages
  uint8_t* hosts[17];
  unsigned n = 0;
  for (uint64_t a = first; a <= last; a += line_bytes)
    if (!(hosts[n++] = dmi_.line(a))) return false;
  // 4-byte loads go straight to the result row
  o.direct = load && bytes == 4 && !s.format;
  uint8_t* mine = (o.direct ? reinterpret_cast<uint8_t*>(o.request->result[0]) : o.plan.data.data()) + s.first_lane * bytes;
  for (unsigned k = 0, at = unsigned(s.base - first); k < n; ++k, at = 0) {
    const size_t length = k + 1 < n ? line_bytes - at : size_t(stop - last) - at;
    uint8_t* const theirs = hosts[k] + at;
    if (!load) std::memcpy(theirs, mine, length);
    else if (length == line_bytes) std::memcpy(mine, theirs, line_bytes);
    else std::memcpy(mine, theirs, length);
    mine += length;
  }
  o.lines = n;
  return true;
}

/// Lanes anywhere: one copy a piece. False where a piece crosses a line, or a page or the memory asks for the long way; what has been
/// done by then is done again there, the same.
template <unsigned N> bool texture_unit::lt_pieces(operation& o) {
  const bool load = o.state.kind == memory_kind::load;
  uint64_t page = never, line = never, lanes = 0;
  uint8_t* host = nullptr;
  unsigned lines = 0;
  for (uint64_t a : o.plan.active) lanes |= a;
  for (; lanes; lanes &= lanes - 1) {
    const unsigned l = first_lane(lanes);
    for (unsigned k = 0; k < o.plan.pieces; ++k) {
      if (!(o.plan.active[k] >> l & 1)) continue;
      const uint64_t a = o.plan.address[size_t(k) * 64 + l];
      const unsigned at = unsigned(a % line_bytes);
      if (at + N > line_bytes) return false;
      if (a - at != line) {
        line = a - at;
        if (line / page_bytes != page) {
          if (!lt_usable(o, line)) return false;
          page = line / page_bytes;
        }
        if (!(host = dmi_.line(line))) return false;
        ++lines;
      }
      uint8_t* const mine = o.plan.data.data() + (size_t(k) * 64 + l) * N;
      if (load) move<N>(mine, host + at);
      else move<N>(host + at, mine);
    }
  }
  o.lines = lines;
  return true;
}

/// The long way, line by line: directly where the memory grants it (loads and stores), else by a blocking transaction.
void texture_unit::lt_lines(operation& o) {
  for (uint32_t n = 0; n < o.lines; ++n) {
    const line_list::line* l = o.control ? nullptr : &o.list.lines[n];
    if (l && o.state.kind != memory_kind::atomic) {
      if (uint8_t* host = dmi_.line(l->address)) {
        if (o.state.kind == memory_kind::load) o.list.deliver(*l, host, o.state, o.plan);
        else o.list.collect(*l, host, o.state, o.plan);
        ++statistics_.lines;
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

/// Loads and stores of buffers and FLAT by direct memory. False: the long way.
bool texture_unit::lt_quick(operation& o) {
  const access_state& s = o.state;
  if (o.control || o.is_image || !s.in_range || s.kind == memory_kind::atomic) return false;
  if (s.contiguous) return s.in_range == s.lanes && lt_run(o);
  switch (o.plan.bytes) {
    case 1: return lt_pieces<1>(o);
    case 2: return lt_pieces<2>(o);
    case 4: return lt_pieces<4>(o);
    case 8: return lt_pieces<8>(o);
    case 12: return lt_pieces<12>(o);
    case 16: return lt_pieces<16>(o);
    default: return false;
  }
}

/// Tells the context's observer which bytes the instruction touches.
void texture_unit::show_accesses(const operation& o) const {
  using observer = access_observer;
  if (o.control || !o.state.in_range) return;
  const auto kind = o.state.kind == memory_kind::atomic ? observer::kind::atomic : o.state.kind == memory_kind::store || o.state.kind == memory_kind::store_lds ? observer::kind::store : observer::kind::load;
  uint64_t address[64];
  for (unsigned piece = 0; piece < o.plan.pieces; ++piece) {
    const uint64_t lanes = o.state.contiguous ? o.state.in_range : o.plan.active[piece];
    for (uint64_t l = lanes; l; l &= l - 1) address[first_lane(l)] = address_of(o.state, o.plan, piece, first_lane(l));
    context_.accesses->accessed(*o.request, observer::memory::global, kind, lanes, address, o.plan.bytes);
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
  o.direct = false;
  o.lines = 0;
  wave_request& r = *o.request;
  if (plan(o)) {
    if (context_.accesses) show_accesses(o);
    if (lt_quick(o)) {
      statistics_.lines += o.lines;
      plan_cost(o);
    } else {
      build_lines(o);
      plan_cost(o); // drops the lines of a faulty instruction
      o.lines = o.control ? 1 : uint32_t(o.list.lines.size());
      lt_lines(o);
    }
  } else {
    plan_cost(o);
  }
  r.lines = o.control ? 0 : o.lines;
  if (o.direct && !o.state.tfe && !o.state.to_lds) {
    r.result_dwords = 1;
    r.result_half = 0;
    r.result_mask = o.state.lanes;
  } else {
    if (o.direct) std::memcpy(o.plan.data.data(), r.result[0], sizeof r.result[0]);
    resolve(o);
  }
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += to_sc_time(clock().at(parameters_.address_latency_cycles + o.rate + (o.lines ? parameters_.lt_memory_cycles : 0) +
                                 (o.phases ? parameters_.return_latency_cycles : parameters_.acknowledge_cycles)));
}

} // namespace lyra::texture
