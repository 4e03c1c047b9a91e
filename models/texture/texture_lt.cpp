// SPDX-License-Identifier: Apache-2.0
// The texture unit loosely timed: one call does the whole instruction.
#include "alu/data_share_atomics.h"
#include "texture/texture_unit.h"
#include <cstring>

namespace lyra::texture {

using namespace fabric;
using isa::memory_kind;

namespace {

unsigned first_lane(uint64_t mask) { return unsigned(__builtin_ctzll(mask)); }

/// The integer operations are those of the data shares (operands in FLAT's order).
alu::ds_operation operation_of(isa::atomic_operation o) {
  using from = isa::atomic_operation;
  using to = alu::ds_operation;
  switch (o) {
    case from::atomic_swap: return to::xchg;
    case from::atomic_cmpswap: return to::cmpswap;
    case from::atomic_add: return to::add;
    case from::atomic_sub: return to::sub;
    case from::atomic_smin: return to::smin;
    case from::atomic_umin: return to::umin;
    case from::atomic_smax: return to::smax;
    case from::atomic_umax: return to::umax;
    case from::atomic_and: return to::bit_and;
    case from::atomic_or: return to::bit_or;
    case from::atomic_xor: return to::bit_xor;
    case from::atomic_inc: return to::inc;
    case from::atomic_dec: return to::dec;
    default: return to::none; // left to the atomic unit
  }
}

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
  uint8_t* mine = o.plan.data + s.first_lane * bytes;
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

/// Lanes anywhere: one copy a piece. False, with nothing done, where a piece crosses a line, or a page or the memory asks for the long way.
template <unsigned N> bool texture_unit::lt_pieces(operation& o) {
  struct copy { uint8_t *mine, *theirs; };
  copy copies[64 * 16]; // lanes x pieces
  unsigned count = 0, lines = 0;
  if (o.plan.pieces > 16) return false;
  uint64_t page = never, line = never, lanes = 0;
  uint8_t* host = nullptr;
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
      copies[count++] = {o.plan.data + (size_t(k) * 64 + l) * N, host + at};
    }
  }
  if (o.state.kind == memory_kind::load)
    for (unsigned n = 0; n < count; ++n) std::memcpy(copies[n].mine, copies[n].theirs, N);
  else
    for (unsigned n = 0; n < count; ++n) std::memcpy(copies[n].theirs, copies[n].mine, N); // lanes ascending: the highest wins
  o.lines = lines;
  return true;
}

/// Atomics on direct memory, lanes ascending. False, with nothing done, where the long way is needed.
template <class U> bool texture_unit::lt_atomics(operation& o) {
  const wave_request& r = *o.request;
  const alu::ds_operation operation = operation_of(r.inst->info->atomic);
  if (operation == alu::ds_operation::none) return false;
  uint8_t* hosts[64];
  uint64_t page = never, line = never;
  uint8_t* host = nullptr;
  for (uint64_t m = o.plan.active[0]; m; m &= m - 1) {
    const unsigned l = first_lane(m);
    const uint64_t a = address_of(o.state, o.plan, 0, l);
    const unsigned at = unsigned(a % line_bytes);
    if (a - at != line) {
      line = a - at;
      if (line / page_bytes != page) {
        if (!lt_usable(o, line)) return false;
        page = line / page_bytes;
      }
      if (!(host = dmi_.line(line))) return false;
      ++o.lines;
    }
    hosts[l] = host + at;
  }
  alu::with_operation<U>(operation, r.mode, [&](auto apply) {
    for (uint64_t m = o.plan.active[0]; m; m &= m - 1) {
      const unsigned l = first_lane(m);
      uint64_t operand, compare;
      atomic_operands(r, sizeof(U), l, operand, compare);
      U before;
      std::memcpy(&before, hosts[l], sizeof before);
      const U after = apply(before, U(operand), U(compare));
      std::memcpy(hosts[l], &after, sizeof after);
      std::memcpy(o.plan.bytes_of(0, l), &before, sizeof before);
    }
  });
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

/// By direct memory. False: the long way.
bool texture_unit::lt_quick(operation& o) {
  const access_state& s = o.state;
  if (o.control || !s.in_range) return false;
  if (s.kind == memory_kind::atomic) return o.plan.bytes == 8 ? lt_atomics<uint64_t>(o) : lt_atomics<uint32_t>(o);
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

namespace {
access_observer::kind observed_kind(const access_state& s) {
  using kind = access_observer::kind;
  return s.kind == memory_kind::atomic ? kind::atomic : s.kind == memory_kind::store || s.kind == memory_kind::store_lds ? kind::store : kind::load;
}
} // namespace

/// Tells the context's observer that the instruction's results have come.
void texture_unit::show_returns(const operation& o) const {
  if (o.control || !o.state.in_range) return;
  uint64_t address[64];
  for (unsigned piece = 0; piece < o.plan.pieces; ++piece) {
    const uint64_t lanes = o.state.contiguous ? o.state.in_range : o.plan.active[piece];
    for (uint64_t l = lanes; l; l &= l - 1) address[first_lane(l)] = address_of(o.state, o.plan, piece, first_lane(l));
    context_.accesses->returned(*o.request, access_observer::memory::global, observed_kind(o.state), lanes, address);
  }
}

/// Tells the context's observer which bytes the instruction touches.
void texture_unit::show_accesses(const operation& o) const {
  using observer = access_observer;
  if (o.control || !o.state.in_range) return;
  const auto kind = observed_kind(o.state);
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
  o.lines = 0;
  wave_request& r = *o.request;
  if (plan(o)) {
    if (context_.accesses) show_accesses(o);
    if (lt_quick(o)) {
      statistics_.lines += o.lines;
      plan_cost(o);
    } else {
      o.lines = 0;
      build_lines(o);
      plan_cost(o); // drops the lines of a faulty instruction
      o.lines = o.control ? 1 : uint32_t(o.list.lines.size());
      lt_lines(o);
    }
  } else {
    plan_cost(o);
  }
  r.lines = o.control ? 0 : o.lines;
  if (o.is_image) statistics_.image_lines += o.lines;
  resolve(o);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += to_sc_time(clock().at(parameters_.address_latency_cycles + o.rate + (o.lines ? parameters_.lt_memory_cycles : 0) +
                                 (o.phases ? parameters_.return_latency_cycles : parameters_.acknowledge_cycles)));
}

} // namespace lyra::texture
