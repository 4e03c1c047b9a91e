// SPDX-License-Identifier: Apache-2.0
// What ends sc_start in a program that runs a machine.
#pragma once
#include "fabric/time_domain.h"
#include "platforms/machine.h"

namespace lyra::platforms {

/// Ends sc_start when the dispatcher is done, or at the first fault.
struct stopper : sc_core::sc_module {
  explicit stopper(sc_core::sc_module_name name, machine& m) : sc_module(name) {
    SC_HAS_PROCESS(stopper);
    SC_METHOD(stop);
    sensitive << m.dispatcher().done_event() << fault_;
    dont_initialize();
    m.run_state().on_stop = [this] { fault_.notify(fabric::to_sc_time(fabric::now_ps() - fabric::event_ps())); }; // when all have come so far
  }
  void stop() { sc_core::sc_pause(); }

private:
  sc_core::sc_event fault_;
};

} // namespace lyra::platforms
