// SPDX-License-Identifier: Apache-2.0
// What data share instructions do: every DS opcode, and the LDS half of FLAT. Results and memory effects only, no timing.
//
// Sources: Vega ISA chapter 10 (data share) and 12.13 (LDS & GDS instructions, DS_SWIZZLE details); where it is known to be wrong or silent:
//  - no clamp by M0 in the LDS (only the ADDTID forms and append/consume read it there);
//  - rotate swizzle with a mask: the formula holds, the document's example row does not agree with it;
//  - float atomics obey the denormal mode and always round to nearest even; min and max return the operand that is a number;
//  - operand places (swizzle source and GWS value in ADDR) are those of LLVM's assembler.
#pragma once
#include "isa/instruction.h"

namespace lyra::alu {

enum class ds_kind : uint8_t {
  none, ///< not a data share instruction
  nop, read, write, atomic, src2, condxchg, swizzle, permute, bpermute, read_addtid, write_addtid, append, consume,
  write_direct, ///< LDS=1 load return: dwords to given addresses
  read_direct,  ///< BUFFER_STORE_LDS_DWORD: dwords from given addresses
  ordered_count, gws_sema_release_all, gws_init, gws_sema_v, gws_sema_br, gws_sema_p, gws_barrier
};

enum class ds_operation : uint8_t {
  none, add, sub, rsub, inc, dec, smin, smax, umin, umax, bit_and, bit_or, bit_xor,
  mskor,   ///< (M & ~D0) | D1
  cmpst,   ///< M == D0 ? D1 : M
  cmpswap, ///< M == D1 ? D0 : M (operand order of FLAT)
  fcmpst, fmin, fmax, fadd, xchg,
  wrap     ///< M >= D0 ? M - D0 : M + D1
};

/// The shape of one data share instruction: what one lane does.
struct ds_shape {
  ds_kind kind = ds_kind::none;
  ds_operation operation = ds_operation::none;
  uint8_t bytes = 0;        ///< of one element in memory: 1, 2, 4, 8, 12, 16
  uint8_t elements = 1;     ///< 2: READ2, WRITE2, WRXCHG2
  uint16_t offset_scale = 0; ///< two elements: bytes a unit of OFFSET0/OFFSET1
  bool returns = false;
  bool sign = false;        ///< byte and short reads: sign extension
  uint8_t half = 0;         ///< D16 read: 1 low, 2 high half is written; write: 2 takes bits 16 and up
  bool flat = false;        ///< a FLAT instruction: 64-bit address, byte offset

  unsigned element_dwords() const { return (bytes + 3u) / 4; }
  /// Dwords of DATA0 and DATA1.
  unsigned data0_dwords() const;
  unsigned data1_dwords() const;
  unsigned result_dwords() const { return returns ? element_dwords() * elements : 0; }
};

/// The shape of a DS instruction, of the LDS half of a FLAT load, store or atomic, or of BUFFER_STORE_LDS_DWORD; kind `none` for others.
ds_shape ds_shape_of(const isa::instruction& i);
/// The shape of DS opcode number `number`; kind `none` where there is none.
ds_shape ds_shape_of_opcode(unsigned number);

/// How M0 takes part.
enum class ds_m0_use : uint8_t {
  low_offset, ///< LDS: ADDTID and append/consume add M0[15:0] (what LLVM emits: an LDS pointer in M0)
  high_base,  ///< LDS: as above, but append/consume add M0[31:16] (the ISA document's M0.base)
  none        ///< GDS: the caller has applied M0 = {base, size} to `memory` and `size`
};

/// Byte addresses of each lane's elements, relative to the allocation, low bits dropped where the alignment mode says so. Only active lanes count.
struct ds_addresses {
  alignas(64) uint32_t address[2][64];
  /// Element e of lane l is at address[e][0] + l * step[e], with all 64 lanes active (loads, stores and atomics only; false: not looked at).
  bool linear[2] = {false, false};
  /// The same inside of each eight lanes (0-7, 8-15 ...), wherever each eight starts.
  bool by_eights[2] = {false, false};
  int32_t step[2] = {0, 0};
};

/// One instruction with its operands and the memory it may touch.
struct ds_access {
  const isa::instruction* inst = nullptr;
  ds_shape shape;
  uint64_t exec = 0;
  uint32_t m0 = 0, mode = 0;
  ds_m0_use m0_use = ds_m0_use::low_offset;
  bool unaligned = true;                    ///< SH_MEM_CONFIG; off: addresses lose the low bits of their element. Atomics are always aligned.
  const uint32_t (*vaddr)[64] = nullptr;    ///< [dword][lane]
  const uint32_t (*data0)[64] = nullptr;
  const uint32_t (*data1)[64] = nullptr;
  const uint32_t* direct = nullptr;         ///< write_direct, read_direct: byte address of each lane in the whole share
  uint32_t direct_base = 0;                 ///< where the allocation starts in the share
  uint8_t* memory = nullptr;                ///< the allocation's first byte
  uint32_t size = 0;                        ///< its bytes: a dword (an atomic) beyond it reads 0, is not written
  // results
  uint32_t (*result)[64] = nullptr;         ///< D16: the value stands in both halves
  uint64_t out_of_range = 0;                ///< lanes with a dropped or zeroed part
};

/// Computes the addresses of `a` (for swizzle and permute: 4 * lane taken from or sent to).
void ds_compute_addresses(const ds_access& a, ds_addresses& out);
/// Does `a` on addresses computed before. Lanes act in ascending order. ordered_count and GWS are not done here (nothing happens).
void ds_execute(ds_access& a, const ds_addresses& addresses);
/// One atomic on a 32-bit word: `operation` with D0, D1; for the ordered-append unit.
uint32_t ds_apply(ds_operation operation, uint32_t memory, uint32_t d0, uint32_t d1, uint32_t mode);

/// Source lane of DS_SWIZZLE_B32 for each of the 64 destination lanes.
void ds_swizzle_sources(unsigned offset, uint8_t* source);

} // namespace lyra::alu
