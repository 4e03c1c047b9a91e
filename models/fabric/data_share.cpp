// SPDX-License-Identifier: Apache-2.0
#include "fabric/data_share.h"
#include <algorithm>
#include <cstring>

namespace lyra::fabric {

using alu::ds_kind;
using alu::ds_operation;

alu::ds_access data_share_access(wave_request& w, const data_share_window& window) {
  alu::ds_access a;
  a.inst = w.inst;
  a.exec = w.exec;
  a.m0 = w.m0;
  a.mode = w.mode;
  a.m0_use = window.m0_use;
  a.unaligned = w.unaligned;
  a.memory = window.memory;
  a.size = window.size;
  a.vaddr = w.vaddr;
  a.result = w.result;
  a.direct = w.lds_address;
  a.direct_base = window.base;
  if (w.result_to_lds) {
    a.shape.kind = ds_kind::write_direct;
    a.shape.bytes = 4;
    a.exec = w.result_mask;
    a.data0 = w.result;
    return a;
  }
  a.shape = alu::ds_shape_of(*w.inst);
  a.data0 = w.vdata;
  a.data1 = w.vdata + (w.vdata2_row ? w.vdata2_row : a.shape.data0_dwords());
  return a;
}

bool ds_execute(wave_request& w, const data_share_window& window, alu::ds_access& access, alu::ds_addresses& addresses) {
  access = data_share_access(w, window);
  if (access.shape.kind == ds_kind::none) {
    w.fault = fault_kind::unsupported;
    return false;
  }
  alu::ds_compute_addresses(access, addresses);
  alu::ds_execute(access, addresses);
  if (w.result_to_lds) return true;
  w.result_dwords = uint8_t(access.shape.result_dwords());
  w.result_half = access.shape.kind == ds_kind::read ? access.shape.half : 0;
  w.result_mask = w.result_dwords ? w.exec : 0;
  if (access.shape.flat && access.out_of_range) {
    w.fault = fault_kind::lds_range;
    w.fault_lane = uint8_t(__builtin_ctzll(access.out_of_range));
    w.fault_address = w.vaddr[0][w.fault_lane] | uint64_t(w.vaddr[1][w.fault_lane]) << 32;
  }
  return true;
}

bool ds_execute(wave_request& w, const data_share_window& window) {
  alu::ds_access access;
  alu::ds_addresses addresses;
  return ds_execute(w, window, access, addresses);
}

unsigned bank_model::path_cycles(const alu::ds_shape& s) const {
  const data_share_rates& r = rates_;
  switch (s.kind) {
    case ds_kind::read: case ds_kind::read_addtid: case ds_kind::read_direct: {
      const unsigned dwords = s.result_dwords();
      return dwords <= 1 ? r.read_32_cycles : dwords == 2 ? r.read_64_cycles : r.read_128_cycles;
    }
    case ds_kind::write: case ds_kind::write_addtid: case ds_kind::write_direct: {
      const unsigned dwords = s.element_dwords() * s.elements;
      return dwords <= 1 ? r.write_32_cycles : dwords == 2 ? r.write_64_cycles : dwords == 3 ? r.write_96_cycles : r.write_128_cycles;
    }
    case ds_kind::atomic: case ds_kind::condxchg: {
      const unsigned dwords = s.data0_dwords() + s.data1_dwords();
      return dwords <= 1 ? r.atomic_32_cycles : dwords == 2 ? r.atomic_64_cycles : r.atomic_128_cycles;
    }
    case ds_kind::src2: return s.bytes == 8 ? r.atomic_64_cycles : r.atomic_32_cycles;
    case ds_kind::swizzle: return r.read_32_cycles;
    case ds_kind::permute: case ds_kind::bpermute: return r.write_32_cycles;
    default: return r.append_cycles;
  }
}

namespace {

/// Lanes of each phase, as masks.
constexpr uint64_t halves[2] = {0x00000000ffffffff, 0xffffffff00000000};
constexpr uint64_t quarters[4] = {0x000000000000ffff, 0x00000000ffff0000, 0x0000ffff00000000, 0xffff000000000000};
constexpr uint64_t eighths[8] = {0xff, 0xff00, 0xff0000, 0xff000000, 0xff00000000, 0xff0000000000, 0xff000000000000, 0xff00000000000000};
/// Wide reads: {0-3,20-23} {32-35,52-55} {4-7,16-19} {36-39,48-51} {8-11,28-31} {40-43,60-63} {12-15,24-27} {44-47,56-59}.
constexpr uint64_t lanes4(unsigned first) { return uint64_t(0xf) << first; }
constexpr uint64_t interleaved[8] = {lanes4(0) | lanes4(20), lanes4(32) | lanes4(52), lanes4(4) | lanes4(16), lanes4(36) | lanes4(48),
                                     lanes4(8) | lanes4(28), lanes4(40) | lanes4(60), lanes4(12) | lanes4(24), lanes4(44) | lanes4(56)};

struct phase_count {
  unsigned cycles = 0;   ///< as the access behaves
  unsigned distinct = 0; ///< as if equal dwords were one access
  unsigned merged = 0;   ///< lanes' dwords that met an equal one
};

/// One phase: the fullest bank decides. Dwords met before are found in a small hash table.
phase_count count_phase(uint64_t lanes, const uint32_t* address, uint32_t base, unsigned bytes, bool serial) {
  constexpr unsigned slots = 128; // at most 64 dwords a phase
  constexpr uint32_t empty = ~uint32_t(0);
  uint32_t seen[slots];
  std::fill_n(seen, slots, empty);
  uint8_t distinct[32] = {}, all[32] = {};
  phase_count c;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t at = base + address[__builtin_ctzll(lanes)];
    const uint32_t last = (at + bytes - 1) >> 2;
    for (uint32_t dword = at >> 2; dword <= last; ++dword) {
      const unsigned bank = dword & 31;
      ++all[bank];
      unsigned slot = (dword ^ dword >> 5 ^ dword >> 9) % slots;
      while (seen[slot] != empty && seen[slot] != dword) slot = (slot + 1) % slots;
      if (seen[slot] == dword) { ++c.merged; continue; }
      seen[slot] = dword;
      ++distinct[bank];
    }
  }
  for (unsigned b = 0; b < 32; ++b) {
    c.distinct = std::max<unsigned>(c.distinct, distinct[b]);
    c.cycles = std::max<unsigned>(c.cycles, serial ? all[b] : distinct[b]);
  }
  c.distinct = std::max(c.distinct, 1u);
  c.cycles = std::max(c.cycles, 1u);
  return c;
}

struct phase_sum { unsigned banks = 0, conflicts = 0, serialised = 0, broadcast = 0; };

phase_sum count_phases(uint64_t active, const uint64_t* phases, unsigned n, const uint32_t* address, uint32_t base, unsigned bytes, bool serial) {
  phase_sum s;
  for (unsigned p = 0; p < n; ++p) {
    const phase_count c = count_phase(active & phases[p], address, base, bytes, serial);
    s.banks += c.cycles;
    s.conflicts += c.cycles - 1;
    s.serialised += c.cycles - c.distinct;
    if (!serial) s.broadcast += c.merged;
  }
  return s;
}

/// Counts of the patterns met last, of all data shares: a kernel's waves repeat a few. With all lanes active the counts depend on the lanes' distances
/// from lane 0 and on its place in a dword alone, since another start turns the banks round.
class pattern_memory {
public:
  phase_sum count(const uint64_t* phases, unsigned n, const uint32_t* address, uint32_t base, unsigned bytes, bool serial) {
    alignas(64) uint32_t distance[64];
    for (unsigned l = 0; l < 64; ++l) distance[l] = address[l] - address[0];
    const uintptr_t key = reinterpret_cast<uintptr_t>(phases) << 8 | bytes << 3 | ((address[0] + base) & 3) << 1 | unsigned(serial);
    uint32_t h = uint32_t(key);
    for (unsigned l : {1u, 2u, 8u, 16u, 31u, 33u, 63u}) h = (h ^ distance[l]) * 0x9e3779b1u;
    pattern& p = patterns_[h >> 26];
    if (p.key != key || std::memcmp(p.distance, distance, sizeof distance) != 0) {
      p.key = key;
      std::memcpy(p.distance, distance, sizeof distance);
      p.sum = count_phases(~uint64_t(0), phases, n, address, base, bytes, serial);
    }
    return p.sum;
  }

private:
  struct pattern { alignas(64) uint32_t distance[64] = {}; uintptr_t key = 0; phase_sum sum; };
  pattern patterns_[64];
};

/// Adds the phases of one element's accesses. Lanes out of range cost nothing: they reach no bank.
void add_phases(data_share_cost& cost, const alu::ds_access& a, const alu::ds_addresses& where, unsigned e, uint32_t base, bool serial) {
  const unsigned bytes = a.shape.bytes;
  const uint32_t* address = where.address[e];
  const uint64_t* phases = halves;
  unsigned n = 2;
  if (bytes == 8) { phases = quarters; n = 4; }
  else if (bytes > 8) { phases = a.shape.kind == ds_kind::read ? interleaved : eighths; n = 8; }
  // Consecutive aligned dwords, pairs and quads fill all banks once a phase; one dword (or tuple) for all is one access each.
  if (where.linear[e] && !a.out_of_range && ((address[0] + base) & 3) == 0) {
    if (where.step[e] == int32_t(bytes) && (bytes == 4 || bytes == 8 || bytes == 16)) {
      cost.banks += n;
      return;
    }
    if (where.step[e] == 0 && !serial) {
      cost.banks += n;
      cost.broadcast += (64 - n) * ((bytes + 3) / 4);
      return;
    }
  }
  const uint64_t active = a.exec & ~a.out_of_range;
  static pattern_memory patterns;
  const phase_sum s = active == ~uint64_t(0) ? patterns.count(phases, n, address, base, bytes, serial) : count_phases(active, phases, n, address, base, bytes, serial);
  cost.banks += s.banks;
  cost.conflicts += s.conflicts;
  cost.serialised += s.serialised;
  cost.broadcast += s.broadcast;
}

} // namespace

data_share_cost bank_model::cost(const alu::ds_access& a, const alu::ds_addresses& addresses, uint32_t base) const {
  data_share_cost c;
  const alu::ds_shape& s = a.shape;
  c.path = path_cycles(s);
  // Two-address forms with equal offsets make one access.
  const unsigned elements = s.elements == 2 && a.inst->offset0 == a.inst->offset1 ? 1 : s.elements;
  switch (s.kind) {
    case ds_kind::read: case ds_kind::write: case ds_kind::read_addtid: case ds_kind::write_addtid: case ds_kind::write_direct: case ds_kind::read_direct:
      for (unsigned e = 0; e < elements; ++e) add_phases(c, a, addresses, e, base, false);
      if (s.kind == ds_kind::write && s.bytes == 12) c.banks = std::max(c.banks, rates_.write_96_bank_cycles);
      break;
    case ds_kind::atomic: case ds_kind::condxchg:
      for (unsigned e = 0; e < elements; ++e) add_phases(c, a, addresses, e, base, true);
      if (s.elements == 2 && s.bytes == 8) c.banks = std::max(c.banks, rates_.exchange_128_bank_cycles);
      break;
    case ds_kind::src2:
      add_phases(c, a, addresses, 1, base, false);
      add_phases(c, a, addresses, 0, base, true);
      break;
    case ds_kind::swizzle: case ds_kind::permute: case ds_kind::bpermute:
      add_phases(c, a, addresses, 0, 0, false); // the exchange buffer: a dword a lane, over the same banks
      break;
    case ds_kind::append: case ds_kind::consume: case ds_kind::nop: c.banks = 1; break;
    default: c.banks = 1; break;
  }
  return c;
}

} // namespace lyra::fabric
