// SPDX-License-Identifier: Apache-2.0
// What a run keeps of one instruction address, and of one wave. Null pointers by default: nothing is paid where nobody looks.
#pragma once
#include "compute_unit/parameters.h"
#include <algorithm>
#include <cstdint>

namespace lyra::compute_unit {

/// Executions, wave-cycles and memory latency of one instruction. A wave-cycle before the issue of an instruction (nothing in the buffer, port busy, inputs not ready)
/// counts for the instruction that waits; one after it (its own issue cycles, the wait of s_waitcnt, s_barrier, s_sleep, s_endpgm) for the instruction that has issued.
struct profile_record {
  uint64_t executions = 0;
  uint64_t lanes = 0;               ///< active lanes of all executions
  uint64_t stalls[stall_count] = {}; ///< wave-cycles by cause, `issuing` included
  uint64_t returns = 0;             ///< memory: answers (FLAT: one from memory, one from LDS)
  uint64_t latency_sum = 0, latency_min = ~uint64_t(0), latency_max = 0; ///< cycles from issue to the registers and counters
  uint64_t lines = 0, hits = 0;     ///< lines asked of L1 or K$, and how many of them were there

  void returned(uint64_t latency) {
    ++returns;
    latency_sum += latency;
    latency_min = std::min(latency_min, latency);
    latency_max = std::max(latency_max, latency);
  }
};

/// A wave's whole life: its causes add up to end - start.
struct wave_account {
  uint32_t id = 0, dispatch = 0;
  uint64_t workgroup = 0;
  unsigned cu = 0, simd = 0, slot = 0;
  uint64_t start = 0, end = 0;      ///< core cycles; the end is that of its workgroup
  uint64_t instructions = 0;
  uint64_t stalls[stall_count] = {};
};

} // namespace lyra::compute_unit
