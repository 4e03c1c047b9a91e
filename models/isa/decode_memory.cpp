// SPDX-License-Identifier: Apache-2.0
// DS, FLAT, buffer, image and export encodings.
#include "isa/decoder.h"

namespace lyra::isa {

bool decoder::ds() {
  if (!find(encoding::DS, bits(24, 17)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.gds = bit(16);
  if (r.has(TWO_OFFSETS)) {
    i_.offset0 = static_cast<uint8_t>(bits(7, 0));
    i_.offset1 = static_cast<uint8_t>(bits(15, 8));
  } else {
    i_.offset = static_cast<int32_t>(bits(15, 0));
  }
  if (r.has(GDS_ONLY) && !i_.gds) return fail("%s works on GDS only: its GDS bit must be 1", r.name);
  if (r.has(LDS_ONLY) && !zero(i_.gds, "GDS")) return false;
  if (r.id == op::ds_nop && !zero(bits(15, 0), "OFFSET")) return false;
  return vgpr_or_zero(i_.vaddr, bits1(7, 0), r.src[0], "ADDR") && vgpr_or_zero(i_.vdata, bits1(15, 8), r.src[1], "DATA0") &&
         vgpr_or_zero(i_.vdata2, bits1(23, 16), r.src[2], "DATA1") && vgpr_or_zero(i_.dst, bits1(31, 24), r.dst, "VDST");
}

bool decoder::flat() {
  const unsigned segment = bits(15, 14);
  if (segment == 3) return fail("FLAT segment 3 is reserved");
  const encoding e = segment == 0 ? encoding::FLAT : segment == 1 ? encoding::SCRATCH : encoding::GLOBAL;
  if (!find(e, bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.slc = bit(17);
  i_.glc = bit(16);
  i_.lds = bit(13);
  i_.nv = bit1(23);
  const unsigned saddr = bits1(22, 16);
  const bool has_saddr = e != encoding::FLAT && saddr != 0x7f;
  if (e == encoding::FLAT) i_.offset = static_cast<int32_t>(bits(11, 0));
  else i_.offset = static_cast<int32_t>(w0_ << 19) >> 19; // 13 bits, signed
  if (e == encoding::FLAT && bit(12)) return fail("FLAT offset bit 12 must be 0: the offset has 12 bits");
  if (i_.lds && (e == encoding::FLAT || !r.has(LOADS_LDS))) return fail("%s cannot have LDS set: it does not write to LDS", r.name);
  if (e == encoding::FLAT && !zero(saddr, "SADDR")) return false;
  if (has_saddr && !sgpr(i_.saddr, saddr, e == encoding::GLOBAL ? operand_type::b64 : operand_type::b32, "SADDR")) return false;
  // SCRATCH: a VGPR offset or an SGPR offset; GLOBAL: a 64-bit VGPR address, or an SGPR base with a 32-bit VGPR offset.
  operand_type address = e == encoding::SCRATCH || has_saddr ? operand_type::b32 : operand_type::b64;
  if (e == encoding::SCRATCH && has_saddr) address = operand_type::none;
  const bool returns = r.memory == memory_kind::atomic ? i_.glc : r.result_dwords && !i_.lds;
  if (address != operand_type::none && !vgpr(i_.vaddr, bits1(7, 0), address)) return false;
  if (r.data_dwords && !vgpr(i_.vdata, bits1(15, 8), register_type(r.data_dwords))) return false;
  return !returns || vgpr(i_.dst, bits1(31, 24), register_type(r.result_dwords));
}

bool decoder::buffer(bool typed) {
  if (!find(typed ? encoding::MTBUF : encoding::MUBUF, typed ? bits(18, 15) : bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  if (r.memory == memory_kind::cache) return zero(bits(16, 12), "OFFEN, IDXEN, GLC, LDS");
  i_.offset = static_cast<int32_t>(bits(11, 0));
  i_.offen = bit(12);
  i_.idxen = bit(13);
  i_.glc = bit(14);
  i_.tfe = bit1(23);
  if (typed) {
    i_.dfmt = static_cast<uint8_t>(bits(22, 19));
    i_.nfmt = static_cast<uint8_t>(bits(25, 23));
    i_.slc = bit1(22);
  } else {
    i_.slc = bit(17);
    i_.lds = bit(16);
    if (i_.lds && !r.has(LOADS_LDS) && r.memory != memory_kind::store_lds) return fail("%s cannot have LDS set: it does not write to LDS", r.name);
    if (!i_.lds && r.memory == memory_kind::store_lds) return fail("%s must have LDS set", r.name);
    if (r.memory == memory_kind::store_lds && !zero(bits(13, 12), "OFFEN, IDXEN")) return false;
  }
  if (!sgpr(i_.srsrc, bits1(20, 16) * 4, operand_type::b128, "SRSRC")) return false;
  const unsigned soffset = bits1(31, 24);
  if (codes.of[soffset] == code_class::literal) return fail("SOFFSET cannot be a literal");
  if (!source(i_.soffset, soffset, operand_type::i32)) return false;
  if (i_.offen || i_.idxen)
    if (!vgpr(i_.vaddr, bits1(7, 0), i_.offen && i_.idxen ? operand_type::b64 : operand_type::b32)) return false;
  unsigned dwords = r.data_dwords > r.result_dwords ? r.data_dwords : r.result_dwords;
  if (i_.lds) dwords = 0;
  if (dwords && i_.tfe) ++dwords;
  return !dwords || vgpr(i_.vdata, bits1(15, 8), register_type(dwords));
}

bool decoder::mimg() {
  if (!find(encoding::MIMG, bits(24, 18)) || !need_second_dword()) return false;
  const opcode_info& r = *i_.info;
  i_.dmask = static_cast<uint8_t>(bits(11, 8));
  i_.unorm = bit(12);
  i_.glc = bit(13);
  i_.da = bit(14);
  i_.a16 = bit(15);
  i_.tfe = bit(16);
  i_.lwe = bit(17);
  i_.slc = bit(25);
  i_.d16 = bit1(31);
  if (!zero(bit(0), "bit 0")) return false;
  if (r.src[2] == operand_type::none && !zero(bits1(25, 21), "SSAMP")) return false;
  if (!r.has(D16) && !zero(i_.d16, "D16")) return false;
  unsigned dwords = static_cast<unsigned>(__builtin_popcount(i_.dmask));
  if (r.memory == memory_kind::atomic) {
    const unsigned least = r.atomic == atomic_operation::atomic_cmpswap ? 3 : 1, most = least == 3 ? 15 : 3;
    if (i_.dmask != least && i_.dmask != most) return fail("%s: DMASK must be 0x%x (32 bits) or 0x%x (64 bits), not 0x%x", r.name, least, most, i_.dmask);
  }
  if (r.memory == memory_kind::gather) dwords = 4;
  if (dwords == 0) dwords = 1;
  if (i_.d16) dwords = (dwords + 1) / 2;
  if (i_.tfe) ++dwords;
  if (!vgpr(i_.vaddr, bits1(7, 0), r.src[0]) || !vgpr(i_.vdata, bits1(15, 8), register_type(dwords))) return false;
  if (!sgpr(i_.srsrc, bits1(20, 16) * 4, operand_type::b256, "SRSRC")) return false;
  return r.src[2] == operand_type::none || sgpr(i_.ssamp, bits1(25, 21) * 4, operand_type::b128, "SSAMP");
}

bool decoder::exp() {
  if (!find(encoding::EXP, 0) || !need_second_dword()) return false;
  i_.exp_en = static_cast<uint8_t>(bits(3, 0));
  i_.exp_target = static_cast<uint8_t>(bits(9, 4));
  i_.exp_compr = bit(10);
  i_.exp_done = bit(11);
  i_.exp_vm = bit(12);
  operand* const data[4] = {&i_.src[0], &i_.src[1], &i_.src[2], &i_.vdata};
  for (unsigned n = 0; n < 4; ++n) {
    const bool used = i_.exp_compr ? n < 2 && (i_.exp_en >> (2 * n)) & 3 : (i_.exp_en >> n) & 1;
    if (used) vgpr(*data[n], bits1(8 * n + 7, 8 * n), operand_type::b32);
  }
  return true;
}

} // namespace lyra::isa
