// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory a buffer, FLAT, GLOBAL or SCRATCH instruction touches: address equations, range rules, alignment. Plain C++, no kernel.
//
// Buffers (Vega ISA 8.1.5, corrected by hardware tests of driver developers and by LLVM/Mesa):
//   address = base + SOFFSET + buffer_offset, 48 bits; inst_offset + vgpr_offset wraps at 32 bits (compiled code relies on it), the other sums do not
//   linear    buffer_offset = inst_offset + vgpr_offset + stride * (vgpr_index + thread id with add_tid)
//   swizzled  buffer_offset = (index / I * stride + offset / E * E) * I + index % I * E + offset % E, with I the index stride and E the element size
//   Range: add_tid without IDXEN: none. IDXEN with stride != 0: index < num_records. Everything else by bytes:
//   inst_offset + vgpr_offset (+ SOFFSET) + size <= num_records, for each dword of plain loads and stores, for the element of format accesses and atomics.
// Private memory (FLAT to the private aperture, SCRATCH): dword d of lane l lies at FLAT_SCRATCH + (d * 64 + l) * 4, the same interleave that the private
// segment's V# gives (swizzle, index stride 64, element size 4, add_tid; LLVM AMDGPUUsage, "Private address space").
#pragma once
#include "fabric/parameters.h"
#include "fabric/wave_request.h"
#include "isa/descriptors.h"
#include "texture/access_plan.h"

namespace lyra::texture {

struct address_parameters {
  bool check_soffset = true;
  unsigned swizzle_element_bytes = 4;
  uint64_t private_aperture = 2ull << 48;

  template <class V> void describe(V&& v) {
    v("check_soffset", check_soffset, fabric::parameter_info{"", 0, 1, nullptr, "GFX9 hardware tests", "the byte range check of buffers counts SOFFSET"});
    v("swizzle_element_bytes", swizzle_element_bytes, fabric::parameter_info{"bytes", 2, 16, nullptr, "Mesa: fixed 4 on GFX9", "element size of swizzled buffers"});
    v("private_aperture", private_aperture, fabric::parameter_info{"address", 0, 1e19, nullptr, "this machine's memory map", "first address of the private aperture, 4 GB"});
  }
};

/// What is known of one instruction between address generation and data return.
struct access_state {
  isa::memory_kind kind = isa::memory_kind::none;
  uint64_t lanes = 0;            ///< EXEC
  uint64_t in_range = 0;         ///< lanes of which at least a part is accessed
  uint8_t element_bytes = 0;     ///< bytes a lane moves: pieces * bytes of the plan
  bool format = false, d16 = false, d16_hi = false, sign = false, to_lds = false, tfe = false, returns = false;
  bool unbound = false;          ///< nothing is bound: zeros whatever DST_SEL says
  bool unmapped_is_null = false; ///< user-VM mode 0: unmapped pages read 0, drop writes
  bool interleaved = false;      ///< private memory by dwords: each piece is generated as an access of its own
  bool unaligned = false;        ///< an active lane's address is no multiple of its size (12 bytes: of 16)
  uint8_t components = 0, dfmt = 0, nfmt = 0, dst_sel[4] = {};
  bool glc = false, slc = false, nv = false;
  bool contiguous = false;       ///< active lanes are one run and follow each other in memory without gap: `base` says where, plan.address may be unset
  bool uniform = false;          ///< all active lanes access one address
  uint8_t first_lane = 0, lane_count = 0; ///< contiguous: the run
  uint64_t base = 0;             ///< contiguous: address of the first lane
  const char* error = nullptr;   ///< with a fault that is no page fault: cause and what to do
};

/// Address of a lane's piece, also where the plan only knows a run.
inline uint64_t address_of(const access_state& s, const access_plan& plan, unsigned piece, unsigned lane) {
  return s.contiguous ? s.base + uint64_t(lane - s.first_lane) * plan.bytes : plan.address[size_t(piece) * 64 + lane];
}

/// Plans an MUBUF, MTBUF, FLAT, GLOBAL or SCRATCH load, store or atomic: resets `plan`, fills addresses and active lanes.
/// False: the request's fault fields are set (misaligned atomic, access over a swizzle element's end, bad descriptor, illegal combination).
bool plan_access(fabric::wave_request& request, const address_parameters& parameters, access_state& state, access_plan& plan);

/// Dwords of VGPRs that hold the address: what the compute unit puts into request.vaddr.
unsigned address_dwords(const isa::instruction& inst);
/// Byte offset in LDS of a lane's dword of an LDS=1 load, and of STORE_LDS_DWORD: absolute, from the group's base, M0 and the instruction.
inline uint32_t lds_address_of(const fabric::wave_request& r, unsigned lane) { return r.lds_base + (r.m0 & 0xffff) + uint32_t(r.inst->offset) + lane * 4; }

/// Registers to bytes: fills plan.data of a store. STORE_LDS_DWORD takes the dwords that the compute unit read from LDS into vdata row 0.
void prepare_store(const fabric::wave_request& request, const access_state& state, access_plan& plan);
/// Bytes to result registers: result, result_mask, result_dwords, result_half, or the LDS fields. Lanes outside EXEC are not touched.
void resolve_load(fabric::wave_request& request, const access_state& state, const access_plan& plan);
/// The same for a returning atomic, whose old values stand in plan.data.
void resolve_atomic(fabric::wave_request& request, const access_state& state, const access_plan& plan);
/// Operands of a lane's atomic of 4 or 8 bytes, and the comparand (0 where the operation has none).
void atomic_operands(const fabric::wave_request& request, unsigned bytes, unsigned lane, uint64_t& operand, uint64_t& compare);

} // namespace lyra::texture
