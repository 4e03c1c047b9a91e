// SPDX-License-Identifier: Apache-2.0
// One wave in a compute unit: registers, counters, instruction buffer, what it waits for.
#pragma once
#include "alu/wave_registers.h"
#include "compute_unit/code_cache.h"
#include "compute_unit/hazard_checker.h"
#include "compute_unit/parameters.h"
#include "compute_unit/stale_values.h"
#include "compute_unit/scalar_clause.h"
#include "compute_unit/wait_states.h"
#include "fabric/launch.h"
#include "fabric/payload.h"
#include "observe/trace.h"

namespace lyra::compute_unit {

struct workgroup {
  fabric::payload* launch = nullptr; ///< answered when the group has ended
  const fabric::launch_extension* info = nullptr;
  unsigned waves = 0, arrived = 0;
  unsigned gone = 0;  ///< waves past s_endpgm: barriers no longer wait for them
  unsigned ended = 0; ///< waves past s_endpgm with nothing outstanding
  bool in_use = false;
};

enum class wave_state : uint8_t {
  empty, starting, running,
  waiting,  ///< a counter must fall: s_waitcnt, or a counter is full
  barrier, sleeping, halted,
  draining, ///< ended, memory outstanding
  ended, faulted
};

constexpr const char* wave_state_name[] = {"empty", "starting", "running", "waiting", "barrier", "sleeping", "halted", "draining", "ended", "faulted"};

/// What a wait for memory belongs to: the one in front of s_barrier to a barrier of the group's memory; one next to a cache invalidation or
/// write-back to a barrier of the device's memory.
enum class barrier_kind : uint8_t { none, group_memory, device_memory };

/// An instruction buffer: consecutive 32-byte blocks from `base` on; null where the fetch is under way.
struct instruction_buffer {
  uint64_t base = 0;
  unsigned count = 0;       ///< blocks requested or present
  code_block* block[8] = {};
  uint32_t generation = 0;  ///< raised by a flush: older fetches are dropped on return
  void flush(uint64_t pc) { base = pc & ~uint64_t(31); count = 0; ++generation; for (auto& b : block) b = nullptr; }
  /// Drops blocks before pc, or everything where pc lies outside.
  void advance(uint64_t pc) {
    const uint64_t target = pc & ~uint64_t(31);
    if (target == base) return;
    const uint64_t k = (target - base) >> 5;
    if (target < base || k > count) { flush(pc); return; }
    for (unsigned i = 0; i < 8; ++i) block[i] = i + k < count ? block[i + k] : nullptr;
    count -= unsigned(k);
    base = target;
  }
};

struct wave {
  alu::wave_registers regs;
  wave_state state = wave_state::empty;
  uint8_t simd = 0, slot = 0;
  uint32_t id = 0;            ///< unique in the run
  uint64_t age = 0;           ///< start order in the CU
  uint64_t dispatch_order = 0;
  workgroup* group = nullptr;
  const fabric::dispatch_packet* packet = nullptr;
  uint64_t ready_at = 0;      ///< cycle of the next possible issue
  uint64_t vmem_ready = 0;    ///< the same, of vector memory
  unsigned vmcnt = 0, lgkmcnt = 0, expcnt = 0;
  unsigned wait_vm = 0, wait_lgkm = 0, wait_exp = 0; ///< state waiting: go on when all counters are at or below
  unsigned smem_outstanding = 0, lds_outstanding = 0, message_outstanding = 0;
  unsigned lds_stores = 0;    ///< BUFFER_STORE_LDS_DWORD whose data have not come from LDS: vector memory keeps its order behind them
  uint32_t vm_issued = 0, vm_retired = 0; ///< vector memory instructions so far: vmcnt falls in this order
  uint64_t vm_done = 0;       ///< bit n % 64: instruction n has returned
  uint64_t pc_of_instruction = 0;
  instruction_buffer ib;
  bool fetch_queued = false;
  sgpr_set valu_written;      ///< SGPRs the vector ALU wrote lately
  uint64_t valu_written_ready = 0;
  uint64_t flag_written_cycle = ~uint64_t(0); ///< cycle of the last issue that wrote SCC, VCC or EXEC
  hazard_checker checker;
  wait_state_checker wait_states;
  std::unique_ptr<stale_values> stale; ///< hazards=model only
  /// Registers that instructions may name on the fast path; 0: every instruction goes through execute_special().
  unsigned vgpr_limit = 0, sgpr_limit = 0;
  bool indexing = false;               ///< MODE.GPR_IDX_EN: which VGPRs an instruction names depends on M0
  bool recording = false;              ///< floating-point exceptions go to TRAPSTS
  scalar_clause clause;       ///< followed only where XNACK rules are checked or replays wanted
  bool unaligned = true;      ///< SH_MEM_CONFIG: unaligned access allowed
  bool count_full = false;    ///< state waiting: because a counter is full
  smem_wait smem_waits_for = smem_wait::hit;
  // stall accounting: the cause of the cycles from `since` on
  stall cause = stall::not_started;
  uint64_t since = 0, born = 0;
  uint64_t stalls[stall_count] = {};
  const micro_op* current = nullptr; ///< the instruction the cause is put down to (profile)
  uint64_t instructions = 0;
  // the wait that is under way as part of a memory barrier
  barrier_kind barrier_wait = barrier_kind::none;
  uint64_t barrier_wait_since = 0;
  bool cache_maintenance = false; ///< a cache invalidation or write-back since the last s_waitcnt
  // traced signals
  observe::signal pc_signal, vmcnt_signal, lgkmcnt_signal, expcnt_signal;
  observe::text_signal state_signal, instruction_signal, cause_signal, return_signal;

  bool outstanding() const { return vmcnt || lgkmcnt || expcnt; }
};

} // namespace lyra::compute_unit
