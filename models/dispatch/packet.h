// SPDX-License-Identifier: Apache-2.0
// From a kernel and a dispatch of a job to what the machine launches: kernarg segment, AQL packet, queue object, scratch descriptor,
// and fabric::dispatch_packet. The layouts are HSA's; the register rules LLVM's "User Guide for AMDGPU Backend" (initial kernel execution state, GFX9).
#pragma once
#include "dispatch/code_object.h"
#include "dispatch/job.h"
#include "fabric/launch.h"
#include <array>
#include <functional>

namespace lyra::dispatch {

/// Device address of what a job names, sign-extended as programs see it: a buffer's memory, an image's or sampler's descriptor. Called with names that the job has.
using name_address = std::function<uint64_t(const std::string& name)>;
/// The descriptor of an image or sampler: 8 or 4 dwords.
using name_descriptor = std::function<std::vector<uint32_t>(const std::string& name)>;

/// Aperture bases, address bits 63:32 (HW_REG_SH_MEM_BASES and the queue object say the same).
constexpr uint32_t shared_aperture_hi = 1u << 16, private_aperture_hi = 2u << 16;

struct kernarg_segment {
  std::vector<uint8_t> bytes;
  uint32_t lds_bytes = 0; ///< of a workgroup: static, and dynamic behind it
};

/// Fills the kernarg segment: explicit arguments by the metadata's offsets, hidden ones by their meaning. Throws at the argument's place for a wrong
/// count, type or size. `queue`: for code object version 5's hidden queue pointer. `j`: to check that images fit their arguments; null: unchecked.
kernarg_segment build_kernarg(const kernel& k, const dispatch_spec& d, const name_address& address_of, uint64_t queue, const job* j = nullptr);

/// Where a launch's things are in device memory.
struct launch_memory {
  uint64_t kernarg = 0, aql_packet = 0, queue = 0;
  uint64_t scratch_base = 0, scratch_bytes = 0; ///< the area all waves share
  uint64_t scratch_wave_bytes = 0;              ///< distance of waves in it
  uint32_t id = 0;                              ///< number of the dispatch in the job
};

/// Scratch bytes of a work-item: what the kernel asks for, and room for its dynamic stack where it has one.
uint32_t scratch_item_bytes(const kernel& k, uint32_t dynamic_stack_bytes);
/// Scratch bytes of a wave: 64 lanes, granule 1 KB.
constexpr uint64_t scratch_wave_size(uint64_t item_bytes) { return (item_bytes * 64 + 1023) / 1024 * 1024; }

/// V# of the private segment: swizzled, add_tid, elements of 4 bytes, index stride 64.
std::array<uint32_t, 4> scratch_descriptor(uint64_t base, uint64_t bytes);

/// The 64-byte AQL kernel dispatch packet that dispatch_ptr points to.
std::array<uint8_t, 64> aql_packet(const kernel& k, uint64_t load_base, const dispatch_spec& d, uint32_t lds_bytes, uint32_t scratch_bytes, uint64_t kernarg);
/// The queue object (amd_queue_t's first 256 bytes) that queue_ptr points to.
std::array<uint8_t, 256> queue_object(uint64_t ring, uint32_t ring_packets, uint64_t written, uint64_t scratch_base, uint64_t scratch_bytes, uint64_t scratch_wave_bytes);
constexpr uint64_t queue_object_bytes = 256;

/// A launch of a code object's kernel.
fabric::dispatch_packet make_packet(const code_object& o, const kernel& k, uint64_t load_base, const dispatch_spec& d, const launch_memory& m, uint32_t lds_bytes, uint32_t scratch_bytes);
/// A raw launch: the job gives the initial state.
fabric::dispatch_packet make_raw_packet(const job& j, const dispatch_spec& d, uint64_t code_address, isa::target chip, const name_address& address_of, uint32_t id, const name_descriptor& descriptor_of = {});

/// Initial MODE of a kernel: float modes, DX10_CLAMP, DEBUG, IEEE, exception enables, FP16_OVFL.
uint32_t initial_mode(const kernel_descriptor& d);

} // namespace lyra::dispatch
