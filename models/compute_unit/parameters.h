// SPDX-License-Identifier: Apache-2.0
// Parameters and statistics of a compute unit.
#pragma once
#include "fabric/parameters.h"
#include <cstdint>
#include <string>

namespace lyra::compute_unit {

struct compute_unit_parameters {
  unsigned wave_slots = 10;
  unsigned vgprs = 256;
  unsigned valu_cycles = 4, valu_quarter_cycles = 16, valu_mul_lo_cycles = 16, valu_f64_add_cycles = 32, valu_f64_mul_cycles = 64, valu_swap_cycles = 8;
  unsigned salu_cycles = 4, salu_saveexec_cycles = 8, salu_setreg_cycles = 8;
  unsigned branch_cycles = 4, branch_taken_cycles = 20;
  unsigned branch_after_flag_cycles = 4;
  unsigned valu_to_scalar_cycles = 16;
  unsigned vmem_wave_cycles = 8;
  unsigned smem_issue_cycles = 4, smem_x8_issue_cycles = 8, smem_x16_issue_cycles = 16;
  unsigned memtime_cycles = 40;
  unsigned barrier_cycles = 16;
  unsigned wave_start_cycles = 4;
  unsigned message_cycles = 16, export_cycles = 16;
  unsigned instruction_buffer_blocks = 4;
  unsigned sleep_unit_cycles = 64;
  unsigned vmcnt_limit = 63, lgkmcnt_limit = 15, expcnt_limit = 7;
  std::string smem_count_return = "at_completion";
  std::string xnack_check = "auto";
  bool xnack_replay = false;
  uint64_t xnack_seed = 1;
  unsigned xnack_percent = 25, xnack_delay_cycles = 200;
  bool unaligned_access = true;
  std::string hazard_checker = "report";
  std::string wait_states = "report";
  bool vcc_alias = false, negative_immediate = true;
  std::string registers = "report";
  std::string exceptions = "auto";
  bool d16_preserve = true;
  unsigned lt_slice_instructions = 256;

  template <class V> void describe(V&& v) {
    v("wave_slots", wave_slots, {"waves per SIMD", 1, 10, nullptr, "OMNI: 10 per SIMD on GCN..MI100", "wave slots of a SIMD"});
    v("vgprs", vgprs, {"registers", 4, 256, nullptr, "ISA7: 256 KB a CU", "VGPRs of a SIMD lane"});
    v("valu_cycles", valu_cycles, {"cycles", 1, 64, nullptr, "GCN: 64 lanes on a 16-lane SIMD", "issue cost of a full-rate vector instruction"});
    v("valu_quarter_cycles", valu_quarter_cycles, {"cycles", 1, 256, nullptr, "CLRX GcnTimings", "transcendental, v_mul_hi and v_mad of 32 bits, div_scale/fmas/fixup f32, (m)qsad"});
    v("valu_mul_lo_cycles", valu_mul_lo_cycles, {"cycles", 1, 256, nullptr, "CLRX and vkpeak (Vega 64): 16; clpeak on MI50, Radeon VII and MI100: 8", "v_mul_lo_u32"});
    v("valu_f64_add_cycles", valu_f64_add_cycles, {"cycles", 1, 256, nullptr, "CLRX: 4*D, D = 8 on Vega 10, 2 or 1 on Vega 20", "double add, convert, compare, min, max, 64-bit shifts"});
    v("valu_f64_mul_cycles", valu_f64_mul_cycles, {"cycles", 1, 256, nullptr, "CLRX: 8*D", "double multiply, fma, reciprocal"});
    v("valu_swap_cycles", valu_swap_cycles, {"cycles", 1, 64, nullptr, "CLRX", "v_swap_b32"});
    v("salu_cycles", salu_cycles, {"cycles", 1, 64, nullptr, "CLRX", "issue cost of a scalar instruction"});
    v("salu_saveexec_cycles", salu_saveexec_cycles, {"cycles", 1, 64, nullptr, "CLRX", "s_*_saveexec_b64"});
    v("salu_setreg_cycles", salu_setreg_cycles, {"cycles", 1, 64, nullptr, "CLRX", "s_setreg"});
    v("branch_cycles", branch_cycles, {"cycles", 1, 64, nullptr, "CLRX: 4 not taken", "branch not taken"});
    v("branch_taken_cycles", branch_taken_cycles, {"cycles", 1, 256, nullptr, "CLRX: about 20 taken (author unsure)", "least cost of a taken branch; more where the fetch of its target takes longer"});
    v("branch_after_flag_cycles", branch_after_flag_cycles, {"cycles", 0, 64, nullptr, "CLRX", "extra when the instruction before wrote the flag a branch reads"});
    v("valu_to_scalar_cycles", valu_to_scalar_cycles, {"cycles", 1, 64, nullptr, "CLRX", "vector write of an SGPR or VCC to its scalar use"});
    v("vmem_wave_cycles", vmem_wave_cycles, {"cycles", 4, 64, nullptr, "CLRX: 8 from one wave, where perftest has 4 a CU", "least distance of vector memory instructions of one wave"});
    v("smem_issue_cycles", smem_issue_cycles, {"cycles", 1, 64, nullptr, "CLRX", "scalar memory x1, x2, x4"});
    v("smem_x8_issue_cycles", smem_x8_issue_cycles, {"cycles", 1, 64, nullptr, "CLRX", "scalar memory x8"});
    v("smem_x16_issue_cycles", smem_x16_issue_cycles, {"cycles", 1, 64, nullptr, "CLRX: 16-24", "scalar memory x16"});
    v("memtime_cycles", memtime_cycles, {"cycles", 1, 1000, nullptr, "gem5 PR 1053 and 1350: 41 measured from one to the next", "s_memtime, issue to SGPRs"});
    v("barrier_cycles", barrier_cycles, {"cycles", 1, 10000, nullptr, "assumed: not published", "last arrival at s_barrier to the next instruction"});
    v("wave_start_cycles", wave_start_cycles, {"cycles", 1, 10000, nullptr, "assumed: not published", "cost of starting one wave in a CU"});
    v("message_cycles", message_cycles, {"cycles", 1, 10000, nullptr, "assumed", "s_sendmsg until its lgkmcnt falls"});
    v("export_cycles", export_cycles, {"cycles", 1, 1000, nullptr, "LLVM, ACO: 16", "export until its expcnt falls"});
    v("instruction_buffer_blocks", instruction_buffer_blocks, {"32-byte blocks", 2, 8, nullptr, "assumed: not published", "instruction buffer of a wave"});
    v("sleep_unit_cycles", sleep_unit_cycles, {"cycles", 1, 1024, nullptr, "ISA7, CLRX: about 64*n", "s_sleep unit"});
    v("vmcnt_limit", vmcnt_limit, {"instructions", 1, 63, nullptr, "ISA7: 6 bits", "outstanding vector memory instructions of a wave"});
    v("lgkmcnt_limit", lgkmcnt_limit, {"counts", 2, 15, nullptr, "ISA7: 4 bits", "outstanding LDS, GDS, scalar memory and message counts of a wave"});
    v("expcnt_limit", expcnt_limit, {"instructions", 1, 7, nullptr, "ISA7: 3 bits", "outstanding exports and GDS reads of a wave"});
    v("lt_slice_instructions", lt_slice_instructions, {"instructions", 1, 1000000, nullptr, "", "loosely timed: a wave's turn"});
  }

  /// Rules that users know by names of their own.
  template <class V> void describe_rules(V&& v) {
    v("smem.count_return", smem_count_return, {"", 0, 0, "at_completion|per_part", "seed: at completion", "when lgkmcnt falls for a scalar load that comes in two parts"});
    v("smem.negative_immediate", negative_immediate, {"", 0, 1, nullptr, "clang before 19 emits it for gfx9 (LLVM pull request 89165); ISA 7.2: illegal", "a scalar load with a negative immediate and no SGPR offset reads in front of its base; off: a fault"});
    v("xnack.replay", xnack_replay, {"", 0, 1, nullptr, "ISA 7.2.1 (clauses)", "execute clauses of scalar memory instructions twice at random, as after a page fault; nack single scalar cache requests too"});
    v("xnack.seed", xnack_seed, {"", 0, 1e18, nullptr, "", "seed of the nacks"});
    v("xnack.percent", xnack_percent, {"%", 0, 100, nullptr, "assumed", "share of clauses and requests nacked (each at most once)"});
    v("xnack.delay_cycles", xnack_delay_cycles, {"cycles", 1, 100000, nullptr, "assumed", "end of a nacked clause to its replay; nack of a request to its replay"});
    v("xnack.check", xnack_check, {"", 0, 0, "auto|report|error|silent", "ISA 7.2.1", "what a clause that must not be replayed does; auto: report with xnack.replay (code built without XNACK breaks the rules everywhere)"});
    v("unaligned_access", unaligned_access, {"", 0, 1, nullptr, "SH_MEM_CONFIG: on for HSA", "vector memory and LDS access at any address; off: the low address bits are dropped"});
    v("waitcnt", hazard_checker, {"", 0, 0, "report|error|silent", "", "what a register used before its s_waitcnt does"});
    v("hazards", wait_states, {"", 0, 0, "report|error|silent|model", "ISA 4.5", "what a missing manually inserted wait state does; model: reported, and the consumer gets the stale value"});
    v("hazards.vcc_alias", vcc_alias, {"", 0, 1, nullptr, "ISA 4.5 has the row; LLVM and Mesa insert nothing there", "also for a vector write of VCC by name (e32) and a vector read of vcc_lo or vcc_hi as an operand right behind it; compiled code has such pairs"});
    v("registers", registers, {"", 0, 0, "report|error|silent", "ISA 3.6.1", "what an SGPR or VGPR beyond the wave's allocation does, besides what the ISA says: sources read register 0, destinations are not written"});
    v("exceptions", exceptions, {"", 0, 0, "auto|on|off", "ISA 3.10", "floating-point exceptions recorded in TRAPSTS (slow); auto: where the code reads TRAPSTS or MODE.EXCP_EN asks for traps"});
    v("d16.preserve", d16_preserve, {"", 0, 1, nullptr, "LLVM: D16PreservesUnusedBits; off on parts with SRAM ECC", "D16 loads keep the other half of the register"});
  }
};

/// Where a wave-cycle goes; exactly one cause each.
enum class stall : uint8_t {
  issuing, vmcnt, lgkm_scalar, lgkm_lds, expcnt, barrier, fetch, dependency, valu_busy, salu_busy, smem_busy, vmem_busy, lds_busy,
  arbitration, sleeping, not_started, done, count
};
constexpr unsigned stall_count = unsigned(stall::count);
constexpr const char* stall_name[stall_count] = {"issuing", "vmcnt", "lgkmcnt_scalar", "lgkmcnt_lds", "expcnt", "barrier", "fetch", "dependency", "valu_busy",
  "salu_busy", "smem_busy", "vmem_busy", "lds_busy", "arbitration_lost", "sleeping", "not_started", "done"};
constexpr const char* stall_meaning[stall_count] = {"wave-cycles in which the wave issued or its instruction held the wave", "waiting in s_waitcnt for vector memory, or vmcnt full",
  "waiting in s_waitcnt for scalar memory or messages, or lgkmcnt full", "waiting in s_waitcnt for LDS, GDS or the LDS half of FLAT", "waiting in s_waitcnt for exports or GDS reads",
  "waiting at s_barrier", "no instruction in the buffer", "the instruction's inputs are not ready (vector result used by the scalar unit, flag before a branch)",
  "the SIMD's vector ALU is busy", "the scalar unit is busy (it takes an instruction a cycle: stays 0)", "the scalar cache port is busy", "the vector memory port is busy",
  "the LDS, GDS or export port is busy", "an older wave took the slot", "s_sleep, s_sethalt", "placed, but not started yet", "ended, waiting for its memory or its workgroup"};

/// What ended a wait of cause lgkm_scalar; together they are that cause's cycles.
enum class smem_wait : uint8_t { hit, miss, acknowledge, clock, count_full, replay, count };
constexpr unsigned smem_wait_count = unsigned(smem_wait::count);
constexpr const char* smem_wait_name[smem_wait_count] = {"smem_wait_hit", "smem_wait_miss", "smem_wait_acknowledge", "smem_wait_clock", "smem_wait_count_full", "smem_wait_replay"};
constexpr const char* smem_wait_meaning[smem_wait_count] = {"of lgkmcnt_scalar: waits ended by a load that hit the scalar cache", "of lgkmcnt_scalar: waits ended by a load that missed the scalar cache",
  "of lgkmcnt_scalar: waits ended by a store, atomic or cache control", "of lgkmcnt_scalar: waits ended by a message, s_memtime or s_memrealtime", "of lgkmcnt_scalar: issue waits because lgkmcnt is full",
  "of lgkmcnt_scalar: a nacked clause waits for its replay"};

struct compute_unit_statistics {
  uint64_t instructions = 0, valu = 0, salu = 0, smem = 0, vmem = 0, flat = 0, lds = 0, gds = 0, exports = 0, branch = 0, branch_taken = 0, message = 0, internal = 0, traps = 0;
  uint64_t waves = 0, workgroups = 0, barriers = 0, fetches = 0, wave_cycles = 0, busy_cycles = 0, valu_lanes = 0, vskipped = 0;
  uint64_t group_memory_barrier = 0, device_memory_barrier = 0;
  uint64_t smem_two_parts = 0, smem_replays = 0, hazards = 0, missing_wait_states = 0, clause_findings = 0;
  uint64_t smem_waits[smem_wait_count] = {};
  uint64_t stalls[stall_count] = {};

  template <class V> void describe(V&& v) {
    v("instructions", instructions, "wave-instructions", "all instructions issued");
    v("valu", valu, "wave-instructions", "vector ALU");
    v("valu_lanes", valu_lanes, "lanes", "active lanes of vector ALU instructions");
    v("salu", salu, "wave-instructions", "scalar ALU");
    v("smem", smem, "wave-instructions", "scalar memory");
    v("smem_two_parts", smem_two_parts, "wave-instructions", "scalar memory instructions that cross a line");
    v("smem_replays", smem_replays, "clauses", "clauses of scalar memory instructions executed again (xnack.replay)");
    v("vmem", vmem, "wave-instructions", "buffer, image, global and scratch memory");
    v("flat", flat, "wave-instructions", "FLAT memory");
    v("lds", lds, "wave-instructions", "LDS");
    v("gds", gds, "wave-instructions", "GDS");
    v("exports", exports, "wave-instructions", "exports");
    v("branch", branch, "wave-instructions", "branches");
    v("branch_taken", branch_taken, "wave-instructions", "branches taken");
    v("traps", traps, "entries", "entries of trap handlers: s_trap, exceptions, single steps");
    v("message", message, "wave-instructions", "messages, traps, instruction cache invalidation");
    v("internal", internal, "wave-instructions", "s_nop, s_waitcnt, s_sleep, s_barrier, s_endpgm ...");
    v("vskipped", vskipped, "wave-instructions", "vector instructions skipped by VSKIP");
    v("waves", waves, "waves", "waves started");
    v("workgroups", workgroups, "workgroups", "workgroups ended");
    v("barriers", barriers, "barriers", "barriers completed");
    v("group_memory_barrier", group_memory_barrier, "wave-cycles", "of the waits in s_waitcnt, those in front of s_barrier: group memory barriers (the wait at s_barrier itself is `barrier`)");
    v("device_memory_barrier", device_memory_barrier, "wave-cycles", "of the waits in s_waitcnt, those next to a cache invalidation or write-back (BUFFER_WBINVL1, S_DCACHE_INV, S_DCACHE_WB): device memory barriers");
    v("fetches", fetches, "requests", "32-byte instruction fetches");
    v("hazards", hazards, "findings", "registers used without a guarantee by s_waitcnt");
    v("missing_wait_states", missing_wait_states, "findings", "instructions without the wait states the ISA asks for in front");
    v("clause_findings", clause_findings, "findings", "scalar memory instructions that a replay (XNACK) would break");
    v("wave_cycles", wave_cycles, "wave-cycles", "lives of all waves, from placement to the end of their workgroup");
    v("busy_cycles", busy_cycles, "cycles", "cycles with at least one wave");
    for (unsigned i = 0; i < stall_count; ++i) v(stall_name[i], stalls[i], "wave-cycles", stall_meaning[i]);
    for (unsigned i = 0; i < smem_wait_count; ++i) v(smem_wait_name[i], smem_waits[i], "wave-cycles", smem_wait_meaning[i]);
  }
};

} // namespace lyra::compute_unit
