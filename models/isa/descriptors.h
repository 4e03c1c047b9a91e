// SPDX-License-Identifier: Apache-2.0
// The buffer resource descriptor (V#) of GFX9: 128 bits in four SGPRs.
// Source: Vega ISA table "buffer resource descriptor"; bit places confirmed by Mesa's register descriptions for GFX9.
#pragma once
#include <cstdint>

namespace lyra::isa {

struct buffer_descriptor {
  uint64_t base = 0;         ///< 48 bits
  uint16_t stride = 0;       ///< 14 bits, bytes
  bool cache_swizzle = false; ///< swizzles L1 banks: no effect on results
  bool swizzle = false;
  uint32_t num_records = 0;  ///< bytes, or strides for structured access
  uint8_t dst_sel[4] = {};   ///< 0: 0, 1: 1, 4..7: X Y Z W
  uint8_t nfmt = 0, dfmt = 0;
  bool user_vm = false;      ///< mapped through a tile pool or heap
  bool user_vm_error = false; ///< with user_vm: an unmapped page is an error (else it reads 0 and drops writes)
  uint8_t index_stride_log2 = 3; ///< 8, 16, 32 or 64 records
  bool add_tid = false;
  bool nv = false;
  uint8_t type = 0;          ///< 0: a buffer

  /// The stride that an instruction sees: with add_tid, DFMT extends it to 18 bits for MUBUF instructions without format.
  uint32_t effective_stride(bool mubuf_without_format) const { return add_tid && mubuf_without_format ? stride | uint32_t(dfmt) << 14 : stride; }
  /// An invalid data format means that nothing is bound: reads give 0, writes are dropped. Where DFMT is part of the stride it says nothing.
  bool unbound(bool mubuf_without_format) const { return dfmt == 0 && !(add_tid && mubuf_without_format); }
};

constexpr buffer_descriptor decode_buffer_descriptor(const uint32_t w[4]) {
  buffer_descriptor d;
  d.base = w[0] | uint64_t(w[1] & 0xffff) << 32;
  d.stride = uint16_t(w[1] >> 16 & 0x3fff);
  d.cache_swizzle = w[1] >> 30 & 1;
  d.swizzle = w[1] >> 31;
  d.num_records = w[2];
  for (unsigned i = 0; i < 4; ++i) d.dst_sel[i] = uint8_t(w[3] >> (3 * i) & 7);
  d.nfmt = uint8_t(w[3] >> 12 & 7);
  d.dfmt = uint8_t(w[3] >> 15 & 15);
  d.user_vm = w[3] >> 19 & 1;
  d.user_vm_error = w[3] >> 20 & 1;
  d.index_stride_log2 = uint8_t(3 + (w[3] >> 21 & 3));
  d.add_tid = w[3] >> 23 & 1;
  d.nv = w[3] >> 27 & 1;
  d.type = uint8_t(w[3] >> 30);
  return d;
}

} // namespace lyra::isa
