// SPDX-License-Identifier: Apache-2.0
#include "fabric/module.h"
#include <algorithm>

namespace lyra::fabric {

timed_module::timed_module(sc_core::sc_module_name name, clock_domain clock) : sc_module(name), clock_(clock) {
  SC_HAS_PROCESS(timed_module);
  SC_METHOD(run);
  sensitive << wake_event_;
  dont_initialize();
}

void timed_module::schedule(cycle_t c) {
  const picoseconds t = clock_.at(c), n = now_ps();
  next_wake_ = c;
  wake_event_.notify(to_sc_time(t > n ? t - n : 0)); // an earlier notification replaces a later one
}

void timed_module::run() {
  const cycle_t c = next_wake_;
  next_wake_ = never;
  running_ = true;
  cycle_t next = on_wake(c);
  running_ = false;
  next = std::min(next, next_wake_);
  next_wake_ = never;
  if (next != never) schedule(next);
}

} // namespace lyra::fabric
