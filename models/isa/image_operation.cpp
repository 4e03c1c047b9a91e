// SPDX-License-Identifier: Apache-2.0
#include "isa/image_operation.h"
#include <algorithm>
#include <cstring>

namespace lyra::isa {
namespace {

float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

unsigned bit_count(unsigned v) { return unsigned(__builtin_popcount(v)); }

} // namespace

image_operation decode_image_operation(unsigned n) {
  image_operation o;
  if (n < 8) {
    o.kind = image_kind::load;
    o.mip = n == 1 || n >= 4;
    o.packed = n >= 2;
    o.packed_signed = n == 3 || n == 5;
  } else if (n < 12) {
    o.kind = image_kind::store;
    o.mip = n & 1;
    o.packed = n >= 10;
  } else if (n == 14) {
    o.kind = image_kind::resinfo;
    o.mip = true;
  } else if (n < 32) {
    o.kind = image_kind::atomic;
  } else if (n < 96) {
    // bit 4 of the group: offset; bit 3: compare; the low three bits choose how the level is found
    o.kind = n < 64 ? image_kind::sample : image_kind::gather;
    o.offset = n >> 4 & 1;
    o.compare = n >> 3 & 1;
    switch (n & 7) {
      case 1: o.clamp = true; break;
      case 2: o.derivatives = true; break;
      case 3: o.derivatives = o.clamp = true; break;
      case 4: o.lod = true; break;
      case 5: o.bias = true; break;
      case 6: o.bias = o.clamp = true; break;
      case 7: o.lod_zero = true; break;
    }
  } else if (n == 96) {
    o.kind = image_kind::get_lod;
  } else {
    o.kind = image_kind::sample;
    o.derivatives = true;
    o.clamp = n & 1;
    o.compare = n >> 1 & 1;
    o.offset = n >> 2 & 1;
  }
  return o;
}

image_operands image_operand_layout(const image_operation& op, image_type type, bool da, bool a16) {
  image_operands o;
  o.a16 = a16;
  o.float_address = op.uses_sampler();
  unsigned row = 0;
  if (op.offset) o.offset_row = int(row++);
  if (op.bias) o.bias_row = int(row++);
  if (op.compare) o.compare_row = int(row++);
  bool cube = type == image_type::cube;
  o.coordinates = type == image_type::dim_3d ? 3 : is_1d(type) ? 1 : 2;
  if (op.derivatives) {
    o.derivatives = o.coordinates;
    o.derivative_row = row;
    o.derivative_rows = a16 ? (o.derivatives + 1) / 2 : o.derivatives;
    row += 2 * o.derivative_rows;
  }
  o.body_row = row;
  if (op.kind == image_kind::resinfo) {
    o.body = 1;
    o.level = 0;
  } else {
    o.body = o.coordinates;
    // The face of a cube is always there; a slice where the instruction declares an array. A 3D image's z stands in the slice's place.
    if (cube || (da && type != image_type::dim_3d)) o.slice = int(o.body++);
    if (is_msaa(type) && !op.uses_sampler()) o.fragment = int(o.body++);
    if (op.mip || op.lod || op.clamp) o.level = int(o.body++);
  }
  o.rows = row + (a16 ? (o.body + 1) / 2 : o.body);
  return o;
}

float body_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned component, unsigned lane) {
  uint32_t b = body_bits(o, vaddr, component, lane);
  return o.a16 ? half_to_float(uint16_t(b)) : float_of(b);
}

float derivative_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned direction, unsigned component, unsigned lane) {
  unsigned row = o.derivative_row + direction * o.derivative_rows;
  if (!o.a16) return float_of(vaddr[row + component][lane]);
  return half_to_float(uint16_t(vaddr[row + component / 2][lane] >> (component % 2 * 16)));
}

float bias_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned lane) {
  uint32_t b = vaddr[o.bias_row][lane];
  return o.a16 ? half_to_float(uint16_t(b)) : float_of(b);
}

unsigned image_address_dwords(const instruction& i, const uint32_t resource[8]) {
  image_type type = image_type(resource[3] >> 28);
  if (unsigned(type) < 8) type = image_type::dim_2d;
  return image_operand_layout(decode_image_operation(i.info->number), type, i.da, i.a16).rows;
}

unsigned image_data_dwords(const instruction& i) {
  const image_operation op = decode_image_operation(i.info->number);
  const unsigned n = bit_count(i.dmask & 0xf);
  if (op.kind == image_kind::atomic) return n;
  if (op.kind != image_kind::store) return 0;
  return i.d16 ? (n + 1) / 2 : n;
}

unsigned image_result_dwords(const instruction& i) {
  const image_operation op = decode_image_operation(i.info->number);
  const unsigned n = bit_count(i.dmask & 0xf);
  unsigned rows;
  switch (op.kind) {
    case image_kind::store: return 0;
    case image_kind::atomic:
      if (!i.glc) return 0;
      rows = i.info->atomic == atomic_operation::atomic_cmpswap ? (n > 2 ? 2 : 1) : n > 1 ? 2 : 1;
      break;
    case image_kind::gather: rows = i.d16 ? 2 : 4; break;
    case image_kind::resinfo: case image_kind::get_lod: rows = std::max(n, 1u); break;
    default:
      rows = std::max(n, 1u);
      if (i.d16) rows = (rows + 1) / 2;
  }
  return rows + (i.tfe || i.lwe);
}

} // namespace lyra::isa
