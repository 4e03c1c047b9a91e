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

/// What an instruction wants that slots and ports decide about, so that a turn can refuse it again without a look at the wave. `_slot`: the issue slot, and what the wave itself
/// needs is not known yet; `_port`: slot and port, and all else has been passed and stays so.
enum class claim : uint8_t { unknown, valu, salu, branch, smem_slot, smem_port, vmem_slot, vmem_port, flat_slot, flat_port, lds, gds, lds_slot };

/// What a SIMD's turn knows of its waves, by slot. Apart from the waves: a turn looks at all of them, and most can do nothing.
struct turn_board {
  static constexpr unsigned slots = 16;
  alignas(64) uint64_t ready[slots] = {}; ///< cycle of the next possible issue
  uint64_t since[slots] = {};             ///< stall accounting: the cycles from here on go to `cause`
  stall cause[slots] = {};
  claim wants[slots] = {};
};

/// What is kept of a wave for those who look on.
struct wave_notes {
  uint64_t stalls[stall_count] = {};
  observe::signal pc_signal, vmcnt_signal, lgkmcnt_signal, expcnt_signal;
  observe::text_signal state_signal, instruction_signal, cause_signal, return_signal;
};

/// Ordered by use, in lines of the host's cache: with many waves each first touch of one in an issue is a miss; and small, since all waves of a machine should fit into that cache's
/// larger levels.
struct wave {
  alu::wave_registers regs;

  // what every issue looks at
  alignas(64) const micro_op* current = nullptr; ///< the instruction that was tried last
  uint64_t pc_of_instruction = 0;
  uint64_t flag_written_cycle = ~uint64_t(0); ///< cycle of the last issue that wrote SCC, VCC or EXEC
  uint64_t valu_written_ready = 0;
  uint64_t instructions = 0;
  wave_state state = wave_state::empty;
  uint8_t simd = 0, slot = 0;
  bool fetch_queued = false;
  bool guarding = false;      ///< the checker has entries
  bool indexing = false;      ///< MODE.GPR_IDX_EN: which VGPRs an instruction names depends on M0
  bool recording = false;     ///< floating-point exceptions go to TRAPSTS
  bool count_full = false;    ///< state waiting: because a counter is full
  smem_wait smem_waits_for = smem_wait::hit;
  barrier_kind barrier_wait = barrier_kind::none; ///< of the wait that is under way
  bool cache_maintenance = false; ///< a cache invalidation or write-back since the last s_waitcnt
  /// Registers that instructions may name on the fast path; 0: every instruction goes through execute_special().
  uint16_t vgpr_limit = 0, sgpr_limit = 0;

  alignas(64) instruction_buffer ib;
  sgpr_set valu_written;      ///< SGPRs the vector ALU wrote lately
  workgroup* group = nullptr;
  const fabric::dispatch_packet* packet = nullptr;
  uint64_t dispatch_order = 0;

  // memory instructions and their returns
  alignas(64) unsigned vmcnt = 0; // alone: alignas holds for every name of a declaration
  unsigned lgkmcnt = 0, expcnt = 0;
  unsigned wait_vm = 0, wait_lgkm = 0, wait_exp = 0; ///< state waiting: go on when all counters are at or below
  unsigned smem_outstanding = 0, lds_outstanding = 0, message_outstanding = 0;
  unsigned lds_stores = 0;    ///< BUFFER_STORE_LDS_DWORD whose data have not come from LDS: vector memory keeps its order behind them
  uint32_t vm_issued = 0, vm_retired = 0; ///< vector memory instructions so far: vmcnt falls in this order
  uint64_t vm_done = 0;       ///< bit n % 64: instruction n has returned
  uint64_t vmem_ready = 0;    ///< cycle of the next possible issue of vector memory
  wait_state_checker wait_states;
  hazard_checker checker;

  uint32_t id = 0;            ///< unique in the run
  uint64_t age = 0;           ///< start order in the CU
  bool unaligned = true;      ///< SH_MEM_CONFIG: unaligned access allowed
  scalar_clause clause;       ///< followed only where XNACK rules are checked or replays wanted
  std::unique_ptr<stale_values> stale; ///< hazards=model only
  uint64_t steps_from = 0;    ///< MODE.DEBUG traps once more instructions than this have been issued
  uint64_t barrier_wait_since = 0;
  uint64_t born = 0;
  std::unique_ptr<wave_notes> notes; ///< only where accounts, a profile or signals are wanted

  bool outstanding() const { return vmcnt || lgkmcnt || expcnt; }
  /// An instruction with outstanding work goes to the checker / an s_waitcnt does.
  void guard(const micro_op& m, bool vm, bool lgkm) { checker.issued(m, vm, lgkm, regs.exec()); guarding = true; }
  void waited(unsigned vm, unsigned lgkm) { if (guarding) { checker.waited(vm, lgkm); guarding = !checker.idle(); } }
};

} // namespace lyra::compute_unit
