// SPDX-License-Identifier: Apache-2.0
#include "memory/hbm2_scheduler.h"

namespace lyra::memory {

hbm2_scheduler::hbm2_scheduler(const hbm2_cycles& t, const scheduler_limits& limits) : timing_(t), limits_(limits), nodes_(limits.window) {
  for (auto& l : lists_) l.resize(t.banks);
  free_.reserve(limits.window);
  for (unsigned n = limits.window; n-- > 0;) free_.push_back(uint16_t(n));
}

bool hbm2_scheduler::insert(const dram_request& r) {
  const uint16_t n = free_.back();
  free_.pop_back();
  node& x = nodes_[n];
  bank_list& l = lists_[r.write][r.place.bank];
  x = {r, arrived_++, served_ + limits_.max_bypass, 0, none, l.tail};
  for (uint16_t k = lists_[!r.write][r.place.bank].head; k != none; k = nodes_[k].next) x.older = uint16_t(x.older + (nodes_[k].r.line == r.line));
  bool alone = x.older == 0;
  if (r.write)
    for (uint16_t k = l.head; k != none; k = nodes_[k].next) alone = alone && !(nodes_[k].r.line == r.line && nodes_[k].r.p);
  if (l.head == none) { l.head = n; filled_[r.write] |= uint64_t(1) << r.place.bank; }
  else nodes_[l.tail].next = n;
  l.tail = n;
  l.stale = true;
  last_ = n;
  ++waiting_;
  writes_ += r.write;
  return alone;
}

void hbm2_scheduler::remove(uint16_t n) {
  const node& x = nodes_[n];
  bank_list& l = lists_[x.r.write][x.r.place.bank];
  (x.previous == none ? l.head : nodes_[x.previous].next) = x.next;
  (x.next == none ? l.tail : nodes_[x.next].previous) = x.previous;
  if (l.head == none) filled_[x.r.write] &= ~(uint64_t(1) << x.r.place.bank);
  l.stale = true;
  bank_list& other = lists_[!x.r.write][x.r.place.bank];
  for (uint16_t k = other.head; k != none; k = nodes_[k].next)
    if (nodes_[k].r.line == x.r.line && nodes_[k].number > x.number) { --nodes_[k].older; other.stale = true; }
  free_.push_back(n);
  --waiting_;
  writes_ -= x.r.write;
}

/// The bank's next of a direction: its oldest if that has been passed over too often, else its oldest row hit, else its oldest.
uint16_t hbm2_scheduler::candidate(unsigned direction, unsigned bank) {
  bank_list& l = lists_[direction][bank];
  if (!l.stale) {
    if (l.candidate != none && l.candidate != l.head && nodes_[l.head].older == 0 && nodes_[l.head].overdue <= served_) l.candidate = l.head;
    return l.candidate;
  }
  l.stale = false;
  l.candidate = none;
  for (uint16_t k = l.head; k != none; k = nodes_[k].next) {
    const node& x = nodes_[k];
    if (x.older != 0) continue;
    if (l.candidate == none) {
      l.candidate = k;
      if (x.overdue <= served_) break;
    }
    if (timing_.state(x.r.place) == hbm2_timing::row_state::hit) { l.candidate = k; break; }
  }
  return l.candidate;
}

uint16_t hbm2_scheduler::choose(unsigned direction, cycle now) {
  uint16_t best = none;
  cycle best_time = 0;
  bool best_overdue = false;
  for (uint64_t b = filled_[direction]; b != 0; b &= b - 1) {
    const uint16_t k = candidate(direction, unsigned(__builtin_ctzll(b)));
    if (k == none) continue;
    const node& x = nodes_[k];
    const bool overdue = x.overdue <= served_;
    if (overdue < best_overdue) continue;
    const cycle t = timing_.earliest(x.r.place, direction != 0, now);
    if (best == none || overdue > best_overdue || t < best_time || (t == best_time && x.number < nodes_[best].number)) {
      best = k;
      best_time = t;
      best_overdue = overdue;
    }
  }
  return best;
}

hbm2_scheduler::served hbm2_scheduler::serve(cycle now, const fabric::chaos_source& chaos, uint32_t number, uint64_t& draws) {
  if (writes_ >= limits_.write_high) draining_ = true;
  else if (writes_ <= limits_.write_low) draining_ = false;
  uint16_t n = choose(draining_, now);
  if (n == none) n = choose(!draining_, now);
  if (chaos.on()) { // any bank's next
    const unsigned direction = nodes_[n].r.write;
    unsigned k = chaos.pick(number, draws++, unsigned(__builtin_popcountll(filled_[direction])), 0);
    for (uint64_t b = filled_[direction]; b != 0; b &= b - 1)
      if (k-- == 0)
        if (const uint16_t c = candidate(direction, unsigned(__builtin_ctzll(b))); c != none) n = c;
  }
  served s{nodes_[n].r, {}, nodes_[n].r.write != last_was_write_};
  remove(n);
  ++served_;
  s.access = timing_.commit(s.request.place, s.request.write, s.request.bursts, s.request.clocks, now);
  if (s.access.row != hbm2_timing::row_state::hit)
    for (auto& l : lists_) l[s.request.place.bank].stale = true;
  last_was_write_ = s.request.write;
  return s;
}

unsigned hbm2_scheduler::refresh(cycle now) {
  const unsigned done = timing_.refresh(now);
  if (done != 0)
    for (auto& l : lists_)
      for (auto& b : l) b.stale = true;
  return done;
}

} // namespace lyra::memory
