// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/scalar_memory.h"
#include "fabric/address_space.h"
#include <cstring>

namespace lyra::compute_unit {

namespace {
/// A scalar register as an address source; past the wave's allocation SGPR0 is read (ISA 7.4). VCC, M0 and TTMPs always exist.
unsigned source_register(const alu::wave_registers& r, unsigned code) { return code < 102 && code >= r.sgpr_count ? 0 : code; }
bool is_buffer(const isa::instruction& i) { return std::strncmp(i.info->name, "s_buffer", 8) == 0 || i.op() == isa::op::s_atc_probe_buffer; }
} // namespace

sgpr_set scalar_address_sources(const micro_op& m) {
  const auto& i = m.inst;
  sgpr_set s;
  if (i.info->memory == isa::memory_kind::time) return s;
  if (i.srsrc.present()) s.add(i.srsrc.code, is_buffer(i) ? 4 : 2);
  if (i.saddr.present()) s.add(i.saddr.code, 1);
  return s;
}

scalar_access scalar_address(const micro_op& m, const alu::wave_registers& r) {
  scalar_access a;
  const auto& i = m.inst;
  const char* name = i.info->name;
  const auto kind = i.info->memory;
  const bool buffer = is_buffer(i);
  const bool scratch = std::strncmp(name, "s_scratch", 9) == 0;
  const bool discard = std::strncmp(name, "s_dcache_discard", 16) == 0;

  a.dwords = kind == isa::memory_kind::store ? i.info->data_dwords : i.info->result_dwords;
  a.sdata = i.vdata.present() ? i.vdata.code : 0;
  if (kind == isa::memory_kind::load || kind == isa::memory_kind::store || kind == isa::memory_kind::atomic) {
    const unsigned span = kind == isa::memory_kind::atomic ? i.info->data_dwords : a.dwords;
    if (a.sdata < 102 && a.sdata + span > r.sgpr_count) a.executed = false;              // SDST out of range
    else if (a.sdata >= 102 && a.sdata < 106 && span > 106u - a.sdata) a.executed = false;
    else if (a.sdata >= 106 && a.sdata < 108 && span > 108u - a.sdata) a.executed = false; // VCC pair
    else if (a.sdata >= 124) a.executed = false;                                         // never M0, EXEC
  }

  const unsigned sbase = source_register(r, i.srsrc.present() ? i.srsrc.code & (buffer ? ~3u : ~1u) : 0);
  int64_t scalar = 0;
  if (i.saddr.present()) scalar = int64_t(r.sgpr[source_register(r, i.saddr.code)]);
  if (scratch) scalar *= 64;
  const int64_t offset = scalar + (buffer ? int64_t(uint32_t(i.offset) & 0xfffff) : int64_t(i.offset));
  a.negative_offset = !buffer && offset < 0 && i.saddr.present();
  a.negative_immediate = !buffer && offset < 0 && !i.saddr.present();

  if (buffer) {
    const uint64_t base = (uint64_t(r.sgpr[sbase + 1] & 0xffff) << 32 | r.sgpr[sbase]) & ~uint64_t(3);
    const uint64_t stride = r.sgpr[sbase + 1] >> 16 & 0x3fff, records = r.sgpr[sbase + 2];
    const uint64_t size = (stride ? stride : 1) * records;
    const uint64_t first = uint64_t(offset) & ~uint64_t(3);
    a.address = fabric::canonical(base + first);
    const unsigned span = kind == isa::memory_kind::atomic ? i.info->memory_bytes / 4 : a.dwords;
    for (unsigned k = 0; k < span; ++k)
      if (first + 4 * k + 4 <= size) a.present |= 1u << k;
    if (kind == isa::memory_kind::atomic && a.present != (1u << span) - 1) a.present = 0;
  } else {
    const uint64_t base = (uint64_t(r.sgpr[sbase + 1]) << 32 | r.sgpr[sbase]);
    // the low two bits of every component are ignored (ISA 7.2.1)
    a.address = fabric::canonical((base & ~uint64_t(3)) + uint64_t(scalar & ~int64_t(3)) + uint64_t(int64_t(i.offset) & ~int64_t(3)));
    a.present = 0xffff;
  }
  if (discard) a.address &= ~uint64_t(63);
  if (kind == isa::memory_kind::atomic) {
    if (i.info->memory_bytes == 8) a.address &= ~uint64_t(7);
    a.parts[0] = {a.address, 0, uint8_t(i.info->memory_bytes / 4)};
    a.part_count = a.present ? 1 : 0;
    return a;
  }
  // dwords that exist, split at the line
  unsigned k = 0;
  while (k < a.dwords) {
    if (!(a.present >> k & 1)) { ++k; continue; }
    scalar_access::part p{a.address + 4 * k, uint8_t(k), 0};
    const uint64_t line = p.address & ~uint64_t(63);
    while (k < a.dwords && (a.present >> k & 1) && ((a.address + 4 * k) & ~uint64_t(63)) == line) { ++p.count; ++k; }
    a.parts[a.part_count++] = p;
  }
  return a;
}

} // namespace lyra::compute_unit
