// SPDX-License-Identifier: Apache-2.0
// Dispatcher -> compute unit: one workgroup, with where its waves go and how their registers start.
#pragma once
#include "isa/opcode.h"
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

namespace lyra::fabric {

/// One kernel launch, as the dispatcher has prepared it (AQL packet + kernel descriptor, or a raw launch). Immutable while in flight.
struct dispatch_packet {
  uint32_t id = 0;                 ///< number in the job
  mutable uint64_t first_wave_order = 0; ///< order number of its first wave, over the whole job (ordered append); the dispatcher notes it when the first group is launched
  std::string kernel;              ///< for messages
  uint64_t entry_pc = 0;
  isa::target target = isa::target::gfx900; ///< what the code was made for: the wave decodes with it
  uint32_t grid[3] = {1, 1, 1};      ///< work-items
  uint32_t workgroup[3] = {1, 1, 1}; ///< work-items a workgroup
  std::vector<uint32_t> user_sgprs;  ///< s0, s1, ...
  bool workgroup_id[3] = {true, false, false}; ///< which ids are given; they follow the user SGPRs in `workgroup_id_order`
  uint8_t workgroup_id_order[3] = {0, 1, 2};   ///< components in the order they are put into SGPRs; only the first `workgroup_id_count` count
  uint8_t workgroup_id_count = 1;
  bool workgroup_info = false;     ///< then one SGPR of group info
  bool scratch_wave_offset = false; ///< last system SGPR: byte offset of the wave's scratch
  uint8_t workitem_id = 0;         ///< 0: v0 = x; 1: v0, v1; 2: v0, v1, v2
  uint32_t mode = 0xc0;            ///< initial MODE register
  unsigned vgprs = 4, sgprs = 16;  ///< per wave, as asked for (granules are the dispatcher's business)
  uint32_t lds_bytes = 0;          ///< per workgroup
  uint32_t scratch_bytes = 0;      ///< per work-item
  uint64_t scratch_base = 0;       ///< of the machine's scratch area for this dispatch
  uint64_t scratch_wave_bytes = 0; ///< distance between waves
  bool barrier = true;             ///< waits for the dispatches before it
  bool unaligned = true;           ///< SH_MEM_CONFIG alignment mode
  bool reads_trapsts = false;      ///< its code reads TRAPSTS: floating-point exceptions are recorded from the start
  uint64_t trap_handler = 0;       ///< TBA: address of the trap handler; 0: none, traps are not taken (STATUS.TRAP_EN)
  uint64_t trap_memory = 0;        ///< TMA: what the handler finds there is its own business
  uint64_t groups() const {
    uint64_t n = 1;
    for (int i = 0; i < 3; ++i) n *= (uint64_t(grid[i]) + workgroup[i] - 1) / workgroup[i];
    return n;
  }
};

/// Private extension of the launch edge. END_REQ when the waves have started, BEGIN_RESP when the group has ended.
struct launch_extension : tlm::tlm_extension<launch_extension> {
  const dispatch_packet* packet = nullptr;
  uint32_t group[3] = {0, 0, 0};     ///< workgroup id
  uint32_t size[3] = {1, 1, 1};      ///< work-items of this (perhaps partial) group
  uint64_t group_number = 0;         ///< in dispatch order, over the whole job
  uint64_t first_wave_order = 0;     ///< order number of its first wave, over the whole job
  uint32_t lds_base = 0;             ///< byte offset of its LDS allocation in the CU's LDS
  unsigned waves = 0;
  struct place { uint8_t simd, slot; uint16_t vgpr_base; uint64_t scratch_offset; } places[16] = {};
  tlm_extension_base* clone() const override { return new launch_extension(*this); }
  void copy_from(const tlm_extension_base& e) override { *this = static_cast<const launch_extension&>(e); }
};

} // namespace lyra::fabric
