// SPDX-License-Identifier: Apache-2.0
// Text of DS, FLAT, buffer, image and export instructions.
#include "isa/text_writer.h"

namespace lyra::isa {

void text_writer::offset(int32_t v) {
  if (v == 0) return;
  put(" offset:");
  decimal(v);
}

void text_writer::swizzle() {
  const unsigned v = static_cast<uint16_t>(i_.offset);
  if (v == 0) return;
  put(" offset:");
  if ((v & 0xff00) == 0x8000) {
    put("swizzle(QUAD_PERM");
    for (unsigned n = 0; n < 4; ++n) {
      text_ += ',';
      decimal((v >> (2 * n)) & 3);
    }
    text_ += ')';
    return;
  }
  if (v & 0x8000) return decimal(v);
  const unsigned and_mask = v & 31, or_mask = (v >> 5) & 31, xor_mask = (v >> 10) & 31;
  if (and_mask == 31 && or_mask == 0 && xor_mask != 0 && (xor_mask & (xor_mask - 1)) == 0) {
    put("swizzle(SWAP,");
    decimal(xor_mask);
    text_ += ')';
  } else if (and_mask == 31 && or_mask == 0 && xor_mask != 0 && (xor_mask & (xor_mask + 1)) == 0) {
    put("swizzle(REVERSE,");
    decimal(xor_mask + 1);
    text_ += ')';
  } else {
    const unsigned group = 32 - and_mask;
    if (group > 1 && (group & (group - 1)) == 0 && or_mask < group && xor_mask == 0) {
      put("swizzle(BROADCAST,");
      decimal(group);
      text_ += ',';
      decimal(or_mask);
      text_ += ')';
      return;
    }
    put("swizzle(BITMASK_PERM,\"");
    const unsigned with_0 = or_mask ^ xor_mask, with_1 = ((and_mask | or_mask) ^ xor_mask) & 31;
    for (unsigned bit = 16; bit; bit >>= 1) {
      const bool zero = with_0 & bit, one = with_1 & bit;
      text_ += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
    }
    put("\")");
  }
}

void text_writer::ds() {
  const opcode_info& r = *i_.info;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (i_.vaddr.present()) operand_plain(i_.vaddr);
  if (i_.vdata.present()) operand_plain(i_.vdata);
  if (i_.vdata2.present()) operand_plain(i_.vdata2);
  if (r.has(TWO_OFFSETS)) {
    if (i_.offset0) {
      put(" offset0:");
      decimal(i_.offset0);
    }
    if (i_.offset1) {
      put(" offset1:");
      decimal(i_.offset1);
    }
  } else if (r.id == op::ds_swizzle_b32) {
    swizzle();
  } else {
    offset(i_.offset);
  }
  flag(i_.gds, "gds");
}

void text_writer::flat() {
  const bool segment = i_.encoding() != encoding::FLAT;
  if (i_.dst.present()) operand_plain(i_.dst);
  if (i_.vaddr.present()) {
    operand_plain(i_.vaddr);
  } else {
    separate();
    put("off");
  }
  if (i_.vdata.present()) operand_plain(i_.vdata);
  if (segment) {
    separate();
    if (i_.saddr.present()) reg(i_.saddr);
    else put("off");
  }
  offset(i_.offset);
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.lds, "lds");
}

void text_writer::buffer() {
  static const char* const data_formats[] = {"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8",
                                             "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  static const char* const number_formats[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
  const opcode_info& r = *i_.info;
  if (r.memory == memory_kind::cache) return;
  if (i_.vdata.present()) { // without TFE's dword
    separate();
    reg(i_.vdata, dwords_of(i_.vdata.type) - (i_.tfe ? 1 : 0));
  }
  if (i_.vaddr.present()) {
    operand_plain(i_.vaddr);
  } else if (r.memory != memory_kind::store_lds) {
    separate();
    put("off");
  }
  operand_plain(i_.srsrc);
  operand_plain(i_.soffset);
  if (r.encoding == encoding::MTBUF) {
    const bool data = i_.dfmt != 1, number = i_.nfmt != 0; // 8, UNORM is the format that LLVM leaves out
    if (data || number) {
      put(" format:[");
      if (data) {
        put("BUF_DATA_FORMAT_");
        put(data_formats[i_.dfmt]);
      }
      if (number) {
        if (data) text_ += ',';
        put("BUF_NUM_FORMAT_");
        put(number_formats[i_.nfmt]);
      }
      text_ += ']';
    }
  }
  flag(i_.idxen, "idxen");
  flag(i_.offen, "offen");
  offset(i_.offset);
  const bool stores_lds = r.memory == memory_kind::store_lds; // LLVM's order for this one: lds first
  flag(stores_lds, "lds");
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.tfe && !i_.lds && r.memory != memory_kind::atomic, "tfe");
  flag(i_.lds && !stores_lds, "lds");
}

void text_writer::mimg() {
  separate();
  unsigned data = dwords_of(i_.vdata.type);
  if (i_.info->memory == memory_kind::gather && data == 3) data = 4; // LLVM has no three-dword gather (D16 with TFE),
  if (i_.info->memory == memory_kind::atomic) {                      // and atomics of the plain sizes only
    const unsigned least = i_.info->atomic == atomic_operation::atomic_cmpswap ? 2 : 1;
    if (data != least && data != 2 * least) data = least;
  }
  reg(i_.vdata, data);
  operand_plain(i_.vaddr);
  operand_plain(i_.srsrc);
  if (i_.ssamp.present()) operand_plain(i_.ssamp);
  if (i_.dmask) {
    put(" dmask:");
    hex(i_.dmask);
  }
  flag(i_.unorm, "unorm");
  flag(i_.glc, "glc");
  flag(i_.slc, "slc");
  flag(i_.a16, "a16");
  flag(i_.tfe, "tfe");
  flag(i_.lwe, "lwe");
  flag(i_.da, "da");
  flag(i_.d16, "d16");
}

void text_writer::exp() {
  const unsigned t = i_.exp_target;
  text_ += ' ';
  if (t <= 7) {
    put("mrt");
    decimal(t);
  } else if (t == 8) {
    put("mrtz");
  } else if (t == 9) {
    put("null");
  } else if (t >= 12 && t <= 15) {
    put("pos");
    decimal(t - 12);
  } else if (t >= 32) {
    put("param");
    decimal(t - 32);
  } else {
    put("invalid_target_");
    decimal(t);
  }
  const operand* const data[4] = {&i_.src[0], i_.exp_compr ? &i_.src[0] : &i_.src[1], i_.exp_compr ? &i_.src[1] : &i_.src[2],
                                  i_.exp_compr ? &i_.src[1] : &i_.vdata};
  for (unsigned n = 0; n < 4; ++n) {
    put(n ? ", " : " ");
    if ((i_.exp_en >> n) & 1) reg(*data[n]);
    else put("off");
  }
  flag(i_.exp_done, "done");
  flag(i_.exp_compr, "compr");
  flag(i_.exp_vm, "vm");
}

} // namespace lyra::isa
