// SPDX-License-Identifier: Apache-2.0
// What every block of one machine shares.
#pragma once
#include "fabric/access_observer.h"
#include "fabric/address_space.h"
#include "fabric/chaos.h"
#include "fabric/clock.h"
#include "fabric/payload.h"
#include "fabric/run_state.h"
#include "fabric/wave_request.h"
#include "observe/statistics.h"
#include "observe/trace.h"

namespace lyra::fabric {

struct context {
  clock_domain core{667};     ///< shader clock: CUs, LDS, caches, L2
  clock_domain fabric{667};   ///< crossbar
  clock_domain memory{1058};  ///< DRAM command clock
  address_space* space = nullptr;          ///< which pages exist; never null in a machine
  observe::statistics* statistics = nullptr;
  observe::trace* trace = nullptr;         ///< null: nothing is traced
  chaos_source chaos;                      ///< off unless a seed is given
  payload_pool* lines = nullptr;
  wave_pool* waves = nullptr;
  run_state* run = nullptr;
  access_observer* accesses = nullptr;     ///< told which bytes each wave touches; null: nobody is
};

} // namespace lyra::fabric
