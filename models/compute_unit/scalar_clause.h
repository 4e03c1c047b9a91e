// SPDX-License-Identifier: Apache-2.0
// Clauses of scalar memory instructions (Vega ISA 7.2.1): runs of SMEM instructions of a wave with nothing else in between.
#pragma once
#include "compute_unit/micro_op.h"
#include <vector>

namespace lyra::compute_unit {

/// The clause a wave is in, or left last. Where page faults are replayed (XNACK) a clause may be executed again from its first instruction. So no
/// instruction of it may overwrite a source of another one in it, nor its own address, and an atomic, which must be done once, stands alone.
class scalar_clause {
public:
  enum class rule : uint8_t { none, own_address, other_source, atomic_not_alone };
  struct finding {
    rule broken = rule::none;
    int sgpr = -1;                    ///< the register overwritten
    const micro_op* writer = nullptr; ///< the instruction that overwrites it; of an atomic that is not alone: the atomic
    const micro_op* other = nullptr;  ///< whose source it is; the atomic's neighbour
    explicit operator bool() const { return broken != rule::none; }
  };

  bool nacked = false;    ///< this pass is executed in vain: the clause is replayed when it has ended
  bool replayed = false;  ///< this pass is the replay
  uint64_t first_pc = 0;  ///< of the clause
  uint64_t replay_at = 0; ///< cycle; 0 while the clause goes on

  void reset() { *this = scalar_clause{}; }
  /// Would a scalar memory instruction belong to this clause, with `n` instructions of the wave issued before it?
  bool continues(uint64_t n) const { return !ops_.empty() && n == issued_; }
  void begin(uint64_t pc) {
    ops_.clear();
    replayed = replay_next_;
    nacked = replay_next_ = false;
    first_pc = pc;
    replay_at = 0;
  }
  /// The first rule that `m` breaks as the next instruction of the clause.
  finding check(const micro_op& m) const;
  /// `m` joins the clause; `n` instructions of the wave have been issued with it.
  void add(const micro_op& m, uint64_t n) { ops_.push_back(&m); issued_ = n; }
  /// The wave goes back to first_pc: the next pass is the replay.
  void go_back() {
    ops_.clear();
    nacked = false;
    replay_next_ = true;
  }

private:
  bool replay_next_ = false;
  uint64_t issued_ = 0;
  std::vector<const micro_op*> ops_;
};

} // namespace lyra::compute_unit
