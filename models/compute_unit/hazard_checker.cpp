// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/hazard_checker.h"

namespace lyra::compute_unit {

void hazard_checker::issued(const micro_op& m, bool vm, bool lgkm, uint64_t lanes) {
  // DS alone returns in order; SMEM, GDS, messages and the LDS half of FLAT pass each other
  entries_.push_back({&m, lanes, vm, lgkm, m.unit == unit::lds});
  if (m.returns) {
    vgprs_ |= m.vgpr_writes;
    if (m.unit == unit::smem) sgprs_ |= m.sgpr_writes;
  }
  vm_ += vm;
  ds_ += lgkm && m.unit == unit::lds;
  if (vm_ > 63 || ds_ > 15) forget_completed();
}

void hazard_checker::forget_completed() {
  // a full counter stalls issue: with more than 63 vector memory (15 DS) instructions since, the elder ones are done
  unsigned vm = 0, ds = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    if (it->vm && ++vm > 63) it->vm = false;
    if (it->lgkm && it->in_order_lgkm && ++ds > 15) it->lgkm = false;
  }
  size_t n = 0;
  for (auto& e : entries_) if (e.vm || e.lgkm) entries_[n++] = e;
  entries_.resize(n);
  rebuild();
}

void hazard_checker::waited(unsigned vm, unsigned lgkm) {
  if (entries_.empty()) return;
  bool changed = false;
  if (vm < 63) { // in order: all but the last `vm`
    unsigned total = 0;
    for (auto& e : entries_) total += e.vm;
    for (auto& e : entries_) {
      if (total <= vm) break;
      if (e.vm) { e.vm = false; --total; changed = true; }
    }
  }
  if (lgkm < 15) {
    // What is left together is no more than `lgkm`, so no more DS instructions are left than that: the last ones, whatever else is under way.
    unsigned ds = ds_;
    for (auto& e : entries_) {
      if (lgkm && (ds <= lgkm || !e.in_order_lgkm)) continue;
      if (!e.lgkm) continue;
      e.lgkm = false;
      changed = true;
      ds -= e.in_order_lgkm;
    }
  }
  if (!changed) return;
  size_t n = 0;
  for (auto& e : entries_) if (e.vm || e.lgkm) entries_[n++] = e;
  entries_.resize(n);
  rebuild();
}

void hazard_checker::rebuild() {
  vm_ = ds_ = 0;
  for (auto& e : entries_) { vm_ += e.vm; ds_ += e.lgkm && e.in_order_lgkm; }
  vgprs_ = vgpr_set{};
  sgprs_ = sgpr_set{};
  for (auto& e : entries_)
    if (e.op->returns) {
      vgprs_ |= e.op->vgpr_writes;
      if (e.op->unit == unit::smem) sgprs_ |= e.op->sgpr_writes;
    }
}

hazard_checker::conflict hazard_checker::check(const micro_op& m, uint64_t exec) const {
  conflict c;
  const bool vr = vgprs_.meets(m.vgpr_reads), vw = vgprs_.meets(m.vgpr_writes), sr = sgprs_.meets(m.sgpr_reads), sw = sgprs_.meets(m.sgpr_writes);
  if (!(vr | vw | sr | sw)) return c;
  if (m.crosses_lanes) exec = ~uint64_t(0);
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    const micro_op& p = *it->op;
    if (!p.returns) continue;
    if (p.unit == unit::smem) {
      int r = p.sgpr_writes.first_common(m.sgpr_reads);
      if (r < 0 && (r = p.sgpr_writes.first_common(m.sgpr_writes)) >= 0) c.write = true;
      if (r >= 0) { c.sgpr = r; c.producer = &p; return c; }
    } else {
      if (!(it->lanes & exec)) continue;
      int r = p.vgpr_writes.first_common(m.vgpr_reads);
      const bool both_vm = it->vm && !it->lgkm && (m.unit == unit::vmem);
      const bool both_ds = it->lgkm && !it->vm && it->in_order_lgkm && m.unit == unit::lds;
      if (r < 0 && !(both_vm || both_ds) && (r = p.vgpr_writes.first_common(m.vgpr_writes)) >= 0) c.write = true; // returns in order: the younger wins
      if (r >= 0) { c.vgpr = r; c.producer = &p; return c; }
    }
  }
  return c;
}

} // namespace lyra::compute_unit
