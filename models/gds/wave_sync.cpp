// SPDX-License-Identifier: Apache-2.0
#include "gds/wave_sync.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::gds {

using alu::ds_kind;

std::string name_of(const waiting_wave& w) { return fmt::format("wave {} (CU {}, dispatch {}, pc {:#x})", w.wave, w.cu, w.dispatch, w.pc); }

void wave_sync::pass_semaphore(state& s, std::vector<waiting_wave>& released) {
  const size_t n = std::min<size_t>(s.counter, s.at_semaphore.size());
  released.insert(released.end(), s.at_semaphore.begin(), s.at_semaphore.begin() + long(n));
  s.at_semaphore.erase(s.at_semaphore.begin(), s.at_semaphore.begin() + long(n));
  s.counter -= uint32_t(n);
  waiting_ -= n;
}

bool wave_sync::operate(ds_kind kind, unsigned resource, uint32_t value, const waiting_wave& wave, std::vector<waiting_wave>& released) {
  state& s = state_[resource % resources];
  switch (kind) {
    case ds_kind::gws_init:
      s.counter = value;
      return true;
    case ds_kind::gws_sema_v:
      ++s.counter;
      pass_semaphore(s, released);
      return true;
    case ds_kind::gws_sema_br:
      s.counter += value;
      pass_semaphore(s, released);
      return true;
    case ds_kind::gws_sema_release_all:
      s.counter = uint32_t(s.at_semaphore.size());
      pass_semaphore(s, released);
      return true;
    case ds_kind::gws_sema_p:
      if (s.counter > 0) {
        --s.counter;
        return true;
      }
      s.at_semaphore.push_back(wave);
      ++waiting_;
      return false;
    case ds_kind::gws_barrier:
      if (s.counter > 0) {
        --s.counter;
        s.at_barrier.push_back(wave);
        ++waiting_;
        return false;
      }
      s.counter = value;
      released.insert(released.end(), s.at_barrier.begin(), s.at_barrier.end());
      waiting_ -= s.at_barrier.size();
      s.at_barrier.clear();
      return true;
    default: return true;
  }
}

void wave_sync::describe(std::string& text) const {
  for (unsigned r = 0; r < resources; ++r) {
    const state& s = state_[r];
    for (const waiting_wave& w : s.at_barrier)
      text += fmt::format("{} waits at ds_gws_barrier of GWS resource {}: {} more wave(s) must arrive there\n", name_of(w), r, uint64_t(s.counter) + 1);
    for (const waiting_wave& w : s.at_semaphore)
      text += fmt::format("{} waits at ds_gws_sema_p of GWS resource {}: its counter is 0, a ds_gws_sema_v, sema_br or release_all must come\n", name_of(w), r);
  }
}

} // namespace lyra::gds
