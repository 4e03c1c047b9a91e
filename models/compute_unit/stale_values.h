// SPDX-License-Identifier: Apache-2.0
// What an instruction sees when the wait states in front of it are missing (`hazards=model`): the value from before the producer's write. One object a wave,
// only where the parameter asks for it. Sources: Vega ISA 3.9 and 4.5 name the pairs; that the consumer gets the value from before is the reading that both
// compilers' hazard tables are built on.
//
// No stale value is visible in s_setreg TRAPSTS -> s_rfe (the return does not read it here) and in s_sendmsg and s_ttracedata behind a write of M0 (nobody
// receives the value). Wide stores read their data late whatever `hazards` is: compute_unit_clause.cpp.
#pragma once
#include "compute_unit/wait_states.h"
#include <memory>
#include <vector>

namespace lyra::compute_unit {

class stale_values {
public:
  void reset();
  /// Rules that the instruction which is issued now breaks; empty: it sees registers as they are.
  std::vector<wait_state_checker::finding> findings;

  /// Remembers what `m` is about to overwrite; `at`: the checker's mark of it. Call before it executes.
  void remember(const micro_op& m, const alu::wave_registers& r, uint64_t at);
  /// MODE as a vector instruction sees it with `vskip` written at this mark.
  uint32_t mode_before(uint64_t at, uint32_t now) const;
  /// Executes an ALU instruction or branch on the registers that `findings` leave it.
  void execute(const micro_op& m, alu::wave_registers& r, alu::handler h);
  /// For memory instructions: puts stale SGPRs and M0 in place until restore().
  void substitute(const micro_op& m, alu::wave_registers& r);
  void restore(alu::wave_registers& r);

private:
  struct entry {
    uint64_t at = 0;
    uint32_t mode = 0, trapsts = 0;
    unsigned sgpr_count = 0, row_count = 0;
    uint8_t sgpr[12];
    uint32_t sgpr_value[12];
    uint8_t row[6];
    uint32_t row_value[6][64];
  };
  static constexpr unsigned depth = 8; ///< the longest rule looks five wait states back
  const entry* find(uint64_t at) const;
  uint32_t (*copy_rows(const alu::wave_registers& r))[64];

  entry entries_[depth];
  unsigned next_ = 0;
  uint32_t true_sgpr_[128];
  bool replaced_[128];
  uint32_t true_mode_ = 0, true_trapsts_ = 0;
  std::vector<uint32_t> rows_; ///< copy of the wave's VGPRs and two more
};

} // namespace lyra::compute_unit
