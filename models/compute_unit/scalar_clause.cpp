// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/scalar_clause.h"
#include "compute_unit/scalar_memory.h"

namespace lyra::compute_unit {

scalar_clause::finding scalar_clause::check(const micro_op& m) const {
  const auto atomic = [](const micro_op& o) { return o.inst.info->memory == isa::memory_kind::atomic; };
  if (const int s = m.sgpr_writes.first_common(scalar_address_sources(m)); s >= 0) return {rule::own_address, s, &m, &m};
  for (const micro_op* o : ops_) {
    if (atomic(m)) return {rule::atomic_not_alone, -1, &m, o};
    if (atomic(*o)) return {rule::atomic_not_alone, -1, o, &m};
    if (const int s = m.sgpr_writes.first_common(o->sgpr_reads); s >= 0) return {rule::other_source, s, &m, o};
    if (const int s = o->sgpr_writes.first_common(m.sgpr_reads); s >= 0) return {rule::other_source, s, o, &m};
  }
  return {};
}

} // namespace lyra::compute_unit
