// SPDX-License-Identifier: Apache-2.0
#include "gds/ordered_append.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::gds {

ordered_fields ordered_fields::of(unsigned offset) {
  ordered_fields f;
  f.index = offset >> 2 & 63;
  f.release = offset >> 8 & 1;
  f.done = offset >> 9 & 1;
  switch (offset >> 12 & 3) {
    case 0: f.operation = alu::ds_operation::add; break;
    case 1: f.operation = alu::ds_operation::xchg; break;
    case 3: f.operation = alu::ds_operation::wrap; break;
    default: break;
  }
  return f;
}

namespace {
bool later(const ordered_append::request& a, const ordered_append::request& b) { return a.order > b.order; }
} // namespace

bool ordered_append::dispatch_state::is_done(uint64_t order) const {
  const uint64_t k = order - first;
  return k / 64 < done.size() && (done[k / 64] >> (k % 64) & 1);
}

void ordered_append::dispatch_state::skip(walker& w) const {
  while (is_done(w.next)) ++w.next;
}

ordered_append::dispatch_state& ordered_append::state_of(const request& r) {
  for (auto d = dispatches_.rbegin(); d != dispatches_.rend(); ++d) if ((*d)->dispatch == r.wave.dispatch) return **d; // the newest is asked for most
  dispatches_.push_back(std::make_unique<dispatch_state>());
  dispatches_.back()->dispatch = r.wave.dispatch;
  dispatches_.back()->first = r.first_order;
  return *dispatches_.back();
}

ordered_append::walker& ordered_append::walker_of(const request& r) {
  dispatch_state& d = state_of(r);
  auto& w = d.walkers[r.fields.index];
  if (!w) {
    w = std::make_unique<walker>();
    w->next = d.first;
    d.skip(*w);
  }
  return *w;
}

bool ordered_append::turn(const request& r) { return r.order <= walker_of(r).next; }

void ordered_append::wait(const request& r) {
  walker& w = walker_of(r);
  w.heap.push_back(r);
  std::push_heap(w.heap.begin(), w.heap.end(), later);
  ++waiting_;
}

void ordered_append::advance(const request& r) {
  dispatch_state& d = state_of(r);
  walker& own = walker_of(r);
  if (r.fields.done) {
    const uint64_t k = r.order - d.first;
    if (k / 64 >= d.done.size()) d.done.resize(k / 64 + 1 + d.done.size());
    d.done[k / 64] |= uint64_t(1) << (k % 64);
  }
  if (r.fields.release && own.next == r.order) ++own.next;
  const auto settle = [&](walker& w) {
    d.skip(w);
    if (!w.heap.empty() && w.heap.front().order <= w.next && std::find(ready_.begin(), ready_.end(), &w) == ready_.end()) ready_.push_back(&w);
  };
  if (r.fields.done) {
    for (auto& w : d.walkers) if (w) settle(*w);
  } else {
    settle(own);
  }
}

bool ordered_append::take_ready(request& r) {
  if (ready_.empty()) return false;
  walker& w = *ready_.front();
  std::pop_heap(w.heap.begin(), w.heap.end(), later);
  r = w.heap.back();
  w.heap.pop_back();
  --waiting_;
  if (w.heap.empty() || w.heap.front().order > w.next) ready_.erase(ready_.begin());
  return true;
}

void ordered_append::describe(std::string& text) const {
  for (const auto& d : dispatches_) {
    for (unsigned k = 0; k < 64; ++k) {
      if (!d->walkers[k]) continue;
      for (const request& r : d->walkers[k]->heap)
        text += fmt::format("{} waits at ds_ordered_count {}: it is wave {} of its dispatch, and wave {} has not yet released the counter\n", name_of(r.wave), k, r.order - d->first,
                            d->walkers[k]->next - d->first);
    }
  }
}

} // namespace lyra::gds
