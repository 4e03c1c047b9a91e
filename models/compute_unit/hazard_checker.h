// SPDX-License-Identifier: Apache-2.0
// Registers used before an s_waitcnt guarantees their data. Judges by guarantee, not by luck: what it reports depends on the
// program alone, so it is the same loosely timed, timed, under chaos and in any sweep.
#pragma once
#include "compute_unit/micro_op.h"
#include <string>
#include <vector>

namespace lyra::compute_unit {

class hazard_checker {
public:
  void reset() { entries_.clear(); vm_ = ds_ = 0; vgprs_ = vgpr_set{}; sgprs_ = sgpr_set{}; }
  bool idle() const { return entries_.empty(); }

  /// An instruction with outstanding work was issued. `vm`, `lgkm`: which counters it raised.
  void issued(const micro_op& m, bool vm, bool lgkm, uint64_t lanes);
  /// An s_waitcnt with these limits was executed (a field at its maximum guarantees nothing).
  void waited(unsigned vm, unsigned lgkm);

  struct conflict { int vgpr = -1, sgpr = -1; bool write = false; const micro_op* producer = nullptr; explicit operator bool() const { return producer != nullptr; } };
  /// Does `m` read or write a register whose data is not guaranteed?
  /// `exec`: lanes that act; divergent paths may use one VGPR for different lanes.
  conflict check(const micro_op& m, uint64_t exec) const;

private:
  struct entry { const micro_op* op; uint64_t lanes; bool vm, lgkm, in_order_lgkm; };
  void rebuild();
  void forget_completed();
  std::vector<entry> entries_;
  unsigned vm_ = 0, ds_ = 0; ///< entries that may still be outstanding on vmcnt, and DS ones on lgkmcnt
  vgpr_set vgprs_;
  sgpr_set sgprs_;
};

} // namespace lyra::compute_unit
