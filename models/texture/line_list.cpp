// SPDX-License-Identifier: Apache-2.0
#include "texture/line_list.h"
#include <algorithm>

namespace lyra::texture {

namespace {
using fabric::fault_kind;
using fabric::line_bytes;
using fabric::page_state;
using isa::memory_kind;

constexpr unsigned lanes = 64, quads = 16;
constexpr uint64_t line_mask = ~uint64_t(line_bytes - 1);
unsigned first_lane(uint64_t mask) { return unsigned(__builtin_ctzll(mask)); }
uint64_t byte_run(unsigned offset, unsigned length) { return (length >= 64 ? ~uint64_t(0) : (uint64_t(1) << length) - 1) << offset; }
uint64_t lane_run(unsigned first, unsigned count) { return (count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << first; }

inline void copy(uint8_t* to, const uint8_t* from, unsigned n) {
  switch (n) {
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    case 16: std::memcpy(to, from, 16); break;
    case 64: std::memcpy(to, from, 64); break;
    default: std::memcpy(to, from, n); break;
  }
}

/// The part of a run that lies in a line: offset in the line, offset in the plan's data, length.
struct part { unsigned line, data, length; };
part part_of(const line_list::line& l, const access_state& s, unsigned bytes) {
  const uint64_t stop = s.base + uint64_t(s.lane_count) * bytes;
  const uint64_t from = std::max(l.address, s.base), to = std::min(l.address + line_bytes, stop);
  return {unsigned(from - l.address), unsigned(from - s.base) + s.first_lane * bytes, unsigned(to - from)};
}
} // namespace

void line_list::deliver(const line& l, const uint8_t* bytes, const access_state& s, access_plan& plan) const {
  if (s.contiguous && touches.empty()) {
    const part p = part_of(l, s, plan.bytes);
    if (p.length == line_bytes) std::memcpy(plan.data + p.data, bytes, line_bytes);
    else std::memcpy(plan.data + p.data, bytes + p.line, p.length);
    return;
  }
  for (uint32_t t = l.first; t != end; t = touches[t].next) copy(plan.data + touches[t].data, bytes + touches[t].offset, touches[t].length);
}

void line_list::collect(const line& l, uint8_t* bytes, const access_state& s, const access_plan& plan) const {
  if (s.contiguous && touches.empty()) {
    const part p = part_of(l, s, plan.bytes);
    std::memcpy(bytes + p.line, plan.data + p.data, p.length);
    return;
  }
  for (uint32_t t = l.first; t != end; t = touches[t].next) copy(bytes + touches[t].offset, plan.data + touches[t].data, touches[t].length);
}

int coalescer::refuse(fabric::wave_request& r, const access_state& s, uint64_t address, unsigned lane, uint64_t lane_address, uint64_t& not_resident_lanes) {
  switch (last_state_) {
    case page_state::mapped: return 0;
    case page_state::read_only:
      if (s.kind == memory_kind::load) return 0;
      r.fault = fault_kind::write_protected;
      break;
    case page_state::non_resident: not_resident_lanes = ~uint64_t(0); return 1;
    case page_state::unmapped:
      if (s.unmapped_is_null) return 1;
      r.fault = fault_kind::unmapped;
      break;
  }
  r.fault_lane = uint8_t(lane);
  r.fault_address = fabric::sign_extended(std::max(address, lane_address));
  return 2;
}

bool coalescer::build_run(fabric::wave_request& r, const access_state& s, access_plan& plan, line_list& list) {
  const unsigned bytes = plan.bytes;
  const unsigned shift = unsigned(__builtin_ctz(bytes)); // 12 bytes: divided
  const auto lane_at = [&](uint64_t distance) { return s.first_lane + unsigned(bytes == 12 ? distance / 12 : distance >> shift); };
  const uint64_t stop = s.base + uint64_t(s.lane_count) * bytes, begin = s.base & line_mask;
  list.lines.resize(size_t((stop - begin + line_bytes - 1) / line_bytes));
  line_list::line* l = list.lines.data();
  for (uint64_t a = begin; a < stop; a += line_bytes) {
    const uint64_t from = std::max(a, s.base), to = std::min(a + line_bytes, stop);
    const unsigned first = lane_at(from - s.base);
    uint64_t gone = 0;
    const int state = check(r, s, a, first, from, gone);
    if (state == 2) return false;
    if (state == 1) {
      const part p = part_of({a, 0, 0, 0, 0, false}, s, bytes);
      std::memset(plan.data + p.data, 0, p.length); // a run's data is not cleared beforehand
      plan.not_resident |= gone & lane_run(first, lane_at(to - 1 - s.base) - first + 1);
      continue;
    }
    l->address = a;
    l->bytes = byte_run(unsigned(from - a), unsigned(to - from));
    l->first_lane = uint8_t(first);
    ++l;
  }
  list.lines.resize(size_t(l - list.lines.data()));
  return true;
}

void coalescer::grow(size_t n) {
  size_t size = 256;
  while (size < 2 * n) size *= 2;
  if (size > table_.size()) {
    table_.assign(size, slot{0, 0, 0});
    mask_ = size - 1;
    stamp_ = 0;
  }
}

bool coalescer::add(fabric::wave_request& r, const access_state& s, access_plan& plan, line_list& list, uint64_t address, unsigned length, uint32_t data, unsigned lane) {
  const uint64_t a = address & line_mask;
  if (a != last_line_) {
    size_t h = size_t((a >> 6) * 0x9e3779b97f4a7c15ull >> 32) & mask_;
    while (table_[h].stamp == stamp_ && table_[h].line != a) h = (h + 1) & mask_;
    if (table_[h].stamp != stamp_) table_[h] = {a, uint32_t(list.lines.size()), stamp_};
    last_line_ = a;
    last_index_ = table_[h].index;
  }
  if (last_index_ == list.lines.size()) {
    line_list::line l;
    l.address = a;
    l.first_lane = uint8_t(lane);
    uint64_t gone = 0;
    const int state = check(r, s, a, lane, address, gone);
    if (state == 2) return false;
    l.skip = state == 1;
    l.bytes = gone; // skipped lines: all ones where the page is a non-resident one
    skipped_ |= l.skip;
    list.lines.push_back(l);
  }
  line_list::line& l = list.lines[last_index_];
  if (l.skip) {
    if (l.bytes) plan.not_resident |= lane_run(lane, (data % plan.bytes + length + plan.bytes - 1) / plan.bytes);
    return true;
  }
  const unsigned offset = unsigned(address - a);
  l.bytes |= byte_run(offset, length);
  if (l.last != line_list::end && s.kind != memory_kind::atomic) { // neighbours in memory and in the plan
    line_list::touch& t = list.touches[l.last];
    if (t.offset + t.length == offset && t.data + t.length == data) {
      t.length = uint8_t(t.length + length);
      return true;
    }
  }
  const uint32_t n = uint32_t(list.touches.size());
  list.touches.push_back({line_list::end, data, uint8_t(offset), uint8_t(length), uint8_t(lane)});
  if (l.first == line_list::end) l.first = n;
  else list.touches[l.last].next = n;
  l.last = n;
  return true;
}

/// One piece a lane: lanes that follow each other, in memory too, are added together.
bool coalescer::add_runs(fabric::wave_request& r, const access_state& s, access_plan& plan, line_list& list, uint64_t active) {
  const unsigned bytes = plan.bytes;
  const uint64_t* address = plan.address.data();
  while (active) {
    const unsigned first = first_lane(active);
    const uint64_t from = address[first];
    unsigned n = 1;
    while (first + n < lanes && (active >> (first + n) & 1) && address[first + n] == from + uint64_t(n) * bytes) ++n;
    active &= ~lane_run(first, n);
    for (unsigned done = 0; done < n * bytes;) { // by lines
      const uint64_t a = fabric::canonical(from + done);
      const unsigned length = std::min(line_bytes - unsigned(a & (line_bytes - 1)), n * bytes - done);
      const unsigned lane = done ? first + done / bytes : first; // no division for those that stand alone
      if (!add(r, s, plan, list, a, length, first * bytes + done, lane)) return false;
      done += length;
    }
  }
  return true;
}

bool coalescer::build(fabric::wave_request& r, const access_state& s, access_plan& plan, fabric::address_space& space, line_list& list) {
  list.clear();
  space_ = &space;
  last_page_ = last_line_ = ~uint64_t(0);
  skipped_ = false;
  if (s.contiguous && s.kind != memory_kind::atomic) return build_run(r, s, plan, list);
  uint64_t any = 0;
  size_t count = 0;
  for (uint64_t a : plan.active) {
    any |= a;
    count += size_t(__builtin_popcountll(a));
  }
  grow(2 * count);
  if (++stamp_ == 0) {
    std::fill(table_.begin(), table_.end(), slot{0, 0, 0});
    stamp_ = 1;
  }
  list.touches.reserve(count);
  const unsigned bytes = plan.bytes;
  if (plan.pieces == 1 && s.kind != memory_kind::atomic) {
    if (!add_runs(r, s, plan, list, any)) return false;
  } else for (uint64_t m = any; m; m &= m - 1) {
    const unsigned lane = first_lane(m);
    for (unsigned k = 0; k < plan.pieces; ++k) {
      if (!(plan.active[k] >> lane & 1)) continue;
      const uint64_t a = address_of(s, plan, k, lane);
      const uint32_t data = (k * lanes + lane) * bytes;
      const unsigned room = line_bytes - unsigned(a & (line_bytes - 1));
      if (!add(r, s, plan, list, a, std::min(room, bytes), data, lane)) return false;
      if (room < bytes && !add(r, s, plan, list, fabric::canonical(a + room), bytes - room, data + room, lane)) return false;
    }
  }
  if (skipped_) list.lines.erase(std::remove_if(list.lines.begin(), list.lines.end(), [](const line_list::line& l) { return l.skip; }), list.lines.end());
  return true;
}

namespace {

unsigned count_linear(const uint64_t* a, uint64_t active, unsigned bytes) {
  unsigned n = 0;
  if (active == ~uint64_t(0)) {
    const uint64_t b = bytes;
    for (unsigned q = 0; q < quads; ++q, a += 4) {
      const uint64_t x = a[1] - a[0], y = a[2] - a[0], z = a[3] - a[0];
      n += unsigned(((x ^ b) | (y ^ 2 * b) | (z ^ 3 * b)) == 0) | unsigned((x | y | z) == 0);
    }
    return n;
  }
  for (unsigned q = 0; q < quads; ++q, active >>= 4, a += 4) {
    unsigned m = unsigned(active & 15);
    if (!m) { ++n; continue; }
    const unsigned f = unsigned(__builtin_ctz(m));
    bool line = true, same = true;
    for (unsigned l = f; l < 4; ++l)
      if (m >> l & 1) {
        line = line && a[l] == a[f] + uint64_t(l - f) * bytes;
        same = same && a[l] == a[f];
      }
    n += line || same;
  }
  return n;
}

} // namespace

unsigned address_cycles(const rate_parameters& t, const fabric::wave_request& r, const access_state& s, const access_plan& plan, unsigned& linear_quads) {
  linear_quads = 0;
  if (!s.in_range) return t.control;
  switch (s.kind) {
    case memory_kind::load: break;
    case memory_kind::atomic: {
      const bool swap = r.inst->info->atomic == isa::atomic_operation::atomic_cmpswap;
      return (swap ? t.cmpswap : t.atomic) + (!s.returns ? 0 : s.element_bytes == 8 ? t.return_extra_x2 : t.return_extra);
    }
    default: return t.store;
  }
  const unsigned channels = s.format ? s.components : (s.element_bytes + 3u) / 4;
  unsigned linear, random;
  if (channels == 1 && s.element_bytes <= 4) { linear = t.one_linear; random = t.one_random; }
  else if (channels <= 2 && s.element_bytes <= 8) { linear = t.two_linear; random = t.two_random; }
  else if (s.element_bytes <= 8) linear = random = t.four_narrow;
  else if (s.element_bytes == 12) { linear = t.three_linear; random = t.three_random; }
  else { linear = t.four_linear; random = s.unaligned ? t.four_unaligned : t.four_random; }

  if (s.interleaved && plan.pieces > 1) { // each dword (byte) of private memory is an access of its own
    unsigned sum = 0;
    for (unsigned k = 0; k < plan.pieces; ++k) {
      const unsigned n = count_linear(plan.address.data() + size_t(k) * lanes, plan.active[k], plan.bytes);
      linear_quads += n;
      sum += n * t.one_linear + (quads - n) * t.one_random;
    }
    linear_quads /= plan.pieces;
    return std::max((sum + quads - 1) / quads, linear);
  }
  linear_quads = s.contiguous || s.uniform ? quads : count_linear(plan.address.data(), s.in_range, s.element_bytes);
  return (linear_quads * linear + (quads - linear_quads) * random + quads - 1) / quads;
}

} // namespace lyra::texture
