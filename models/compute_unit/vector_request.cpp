// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/vector_request.h"
#include "isa/image_operation.h"
#include <algorithm>
#include <cstring>

namespace lyra::compute_unit {

namespace {

constexpr unsigned row_bytes = 64 * 4;
alignas(64) const uint32_t zero_row[64] = {};

/// A VGPR's row; past the allocation VGPR0 is read (ISA: out-of-range VGPRs).
const uint32_t* row(const wave& w, unsigned v) { return v < w.regs.vgpr_count ? w.regs.vgpr[v] : w.regs.vgpr_count ? w.regs.vgpr[0] : zero_row; }

} // namespace

uint32_t scalar_value(const alu::wave_registers& r, uint16_t code, uint32_t literal) {
  if (code < 128) return r.sgpr[code];
  if (code <= 192) return code - 128;
  if (code <= 208) return uint32_t(192 - int(code));
  if (code == isa::operand_code::literal) return literal;
  switch (code) {
    case 240: return 0x3f000000; case 241: return 0xbf000000; case 242: return 0x3f800000; case 243: return 0xbf800000;
    case 244: return 0x40000000; case 245: return 0xc0000000; case 246: return 0x40800000; case 247: return 0xc0800000; case 248: return 0x3e22f983;
    default: return 0;
  }
}

void fill_request(fabric::wave_request& q, const micro_op& m, const wave& w, uint64_t lanes) {
  const auto& i = m.inst;
  const auto& r = w.regs;
  q.begin(&i, lanes);
  q.pc = w.pc_of_instruction;
  q.wave_id = w.id;
  q.simd = w.simd;
  q.slot = w.slot;
  q.dispatch_order = w.dispatch_order;
  q.dispatch_first_order = w.packet ? w.packet->first_wave_order : 0;
  q.dispatch = w.packet ? w.packet->id : 0;
  q.workgroup = w.group ? uint32_t(w.group->info->group_number) : 0;
  q.m0 = r.m0();
  q.mode = r.mode;
  q.lds_base = w.group ? w.group->info->lds_base : 0;
  q.lds_size = w.packet ? w.packet->lds_bytes : 0;
  q.gds_base = 0;
  q.gds_size = 65536; // the job owns the whole GDS
  q.unaligned = w.unaligned;
  q.flat_scratch = r.read64(isa::operand_code::flat_scratch_lo);
  q.soffset = i.soffset.present() ? scalar_value(r, i.soffset.code, i.literal) : 0;
  q.saddr = i.saddr.present() ? (i.encoding() == isa::encoding::SCRATCH ? r.sgpr[i.saddr.code] : r.read64(i.saddr.code)) : 0;
  unsigned address = m.vaddr_dwords;
  if (i.encoding() == isa::encoding::MIMG) {
    for (unsigned k = 0; k < 8; ++k) q.resource[k] = r.sgpr[(i.srsrc.code + k) & 127];
    if (i.ssamp.present()) for (unsigned k = 0; k < 4; ++k) q.sampler[k] = r.sgpr[(i.ssamp.code + k) & 127];
    address = isa::image_address_dwords(i, q.resource);
  } else if (i.srsrc.present()) {
    for (unsigned k = 0; k < 4; ++k) q.resource[k] = r.sgpr[(i.srsrc.code + k) & 127];
  }
  q.vaddr_dwords = uint8_t(address);
  for (unsigned k = 0; k < address; ++k) std::memcpy(q.vaddr[k], row(w, i.vaddr.vgpr() + k), row_bytes);
  unsigned n = 0;
  if (i.encoding() == isa::encoding::DS) {
    if (i.vdata.present()) for (unsigned k = 0; k < std::max(1u, isa::dwords_of(i.vdata.type)); ++k) std::memcpy(q.vdata[n++], row(w, i.vdata.vgpr() + k), row_bytes);
    q.vdata2_row = uint8_t(n);
    if (i.vdata2.present()) for (unsigned k = 0; k < std::max(1u, isa::dwords_of(i.vdata2.type)) && n < 5; ++k) std::memcpy(q.vdata[n++], row(w, i.vdata2.vgpr() + k), row_bytes);
  } else {
    for (; n < m.vdata_dwords && n < 5; ++n) std::memcpy(q.vdata[n], row(w, i.vdata.vgpr() + n), row_bytes);
  }
  q.vdata_dwords = uint8_t(n);
  if (i.info->memory == isa::memory_kind::store_lds) // the data come from LDS: byte addresses in the whole of it
    for (unsigned l = 0; l < 64; ++l) q.lds_address[l] = q.lds_base + (q.m0 & 0xffff) + uint32_t(i.offset) + 4 * l;
}

void take_late_data(fabric::wave_request& q, const micro_op& m, const wave& w) {
  for (unsigned k = 2; k < q.vdata_dwords; ++k) std::memcpy(q.vdata[k], row(w, m.inst.vdata.vgpr() + k), row_bytes);
}

void take_lds_data(fabric::wave_request& q) {
  std::memcpy(q.vdata[0], q.result[0], row_bytes);
  q.vdata_dwords = 1;
  q.result_dwords = q.result_half = 0;
  q.result_mask = 0;
}

flat_lanes split_flat(const micro_op& m, const wave& w) {
  flat_lanes f;
  const uint64_t exec = w.regs.exec();
  const unsigned v = m.inst.vaddr.vgpr();
  const uint32_t* hi = row(w, v + 1);
  if (m.inst.offset == 0) {
    for (unsigned l = 0; l < 64; ++l) f.lds |= uint64_t(hi[l] == w.regs.shared_base_hi) << l;
  } else {
    const uint32_t* lo = row(w, v);
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t a = (uint64_t(hi[l]) << 32 | lo[l]) + uint64_t(int64_t(m.inst.offset));
      f.lds |= uint64_t(uint32_t(a >> 32) == w.regs.shared_base_hi) << l;
    }
  }
  f.lds &= exec;
  f.memory = exec & ~f.lds;
  return f;
}

void write_results(const fabric::wave_request& q, wave& w, bool preserve) {
  const unsigned first = q.inst->result().vgpr();
  const uint64_t mask = q.result_mask;
  if (q.lod_clamped) w.regs.mode |= 1u << alu::mode_bit::lod_clamped;
  for (unsigned k = 0; k < q.result_dwords; ++k) {
    if (first + k >= w.regs.vgpr_count) break; // past the allocation: dropped
    uint32_t* d = w.regs.vgpr[first + k];
    const uint32_t* s = q.result[k];
    if (q.result_half == 0 || k > 0) {
      if (mask == ~uint64_t(0)) std::memcpy(d, s, row_bytes);
      else for (uint64_t l = mask; l; l &= l - 1) { const unsigned b = unsigned(__builtin_ctzll(l)); d[b] = s[b]; }
    } else {
      const uint32_t take = q.result_half == 1 ? 0x0000ffffu : 0xffff0000u, keep = preserve ? ~take : 0;
      for (uint64_t l = mask; l; l &= l - 1) { const unsigned b = unsigned(__builtin_ctzll(l)); d[b] = (d[b] & keep) | (s[b] & take); }
    }
  }
}

} // namespace lyra::compute_unit
