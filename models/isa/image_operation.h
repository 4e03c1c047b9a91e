// SPDX-License-Identifier: Apache-2.0
// What a MIMG opcode does, and where its operands stand in the address VGPRs.
#pragma once
#include "isa/image_descriptors.h"
#include "isa/image_formats.h"
#include "isa/instruction.h"
#include <cstdint>

namespace lyra::isa {

enum class image_kind : uint8_t { load, store, atomic, resinfo, get_lod, sample, gather };

/// A MIMG opcode's parts (Vega ISA table 38: suffixes).
struct image_operation {
  image_kind kind = image_kind::load;
  bool mip = false;          ///< _MIP: the last address component is a level
  bool packed = false, packed_signed = false; ///< _PCK, _PCK_SGN: bits as they are in memory
  bool offset = false;       ///< _O
  bool bias = false;         ///< _B
  bool compare = false;      ///< _C
  bool derivatives = false;  ///< _D, _CD
  bool lod = false;          ///< _L
  bool lod_zero = false;     ///< _LZ
  bool clamp = false;        ///< _CL
  bool uses_sampler() const { return kind >= image_kind::get_lod; }
  /// The level comes from coordinate differences inside the quad.
  bool implicit_lod() const { return uses_sampler() && !derivatives && !lod && !lod_zero; }
};

/// By the MIMG opcode number (0..111; those of the instruction table).
image_operation decode_image_operation(unsigned opcode);

/// Address VGPR rows: { offset } { bias } { z-compare } { derivatives } { body }. With A16 body and derivatives are packed two to a row
/// (each direction's derivatives begin a new row), the bias takes the low half of a row of its own; offset and z-compare are whole rows.
struct image_operands {
  bool a16 = false, float_address = false;
  int offset_row = -1, bias_row = -1, compare_row = -1;
  unsigned derivative_row = 0, derivatives = 0; ///< components of one direction: 1, 2, 3
  unsigned derivative_rows = 0;                 ///< rows of one direction
  unsigned body_row = 0, body = 0;              ///< first row; components
  unsigned coordinates = 1;                     ///< 1, 2 or 3 positions in front of slice, fragment and level
  int slice = -1, fragment = -1, level = -1;    ///< body components: slice or face id; fragment; level, LOD or clamp
  unsigned rows = 0;                            ///< all address rows
};

image_operands image_operand_layout(const image_operation& op, image_type type, bool da, bool a16);

/// A body component's raw bits: 32 bits, or 16 with A16.
inline uint32_t body_bits(const image_operands& o, const uint32_t (*vaddr)[64], unsigned component, unsigned lane) {
  if (!o.a16) return vaddr[o.body_row + component][lane];
  return vaddr[o.body_row + component / 2][lane] >> (component % 2 * 16) & 0xffff;
}
float body_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned component, unsigned lane);
/// Derivative of coordinate `component` along direction 0 (h) or 1 (v).
float derivative_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned direction, unsigned component, unsigned lane);
float bias_float(const image_operands& o, const uint32_t (*vaddr)[64], unsigned lane);

/// Address VGPRs that a MIMG instruction reads: the T# type (word 3) decides it with the instruction. What is no image counts as 2D.
unsigned image_address_dwords(const instruction& i, const uint32_t resource[8]);
/// Data VGPRs read: stores, atomics.
unsigned image_data_dwords(const instruction& i);
/// VGPRs written: loads, samples, queries, atomics that return; with TFE or LWE one more.
unsigned image_result_dwords(const instruction& i);

} // namespace lyra::isa
