// SPDX-License-Identifier: Apache-2.0
// All parameters of a machine, block by block.
#pragma once
#include "atomic/atomic_unit.h"
#include "cache/l1.h"
#include "cache/l2_channel.h"
#include "compute_unit/parameters.h"
#include "dispatch/dispatcher.h"
#include "fabric/address_translation.h"
#include "fabric/crossbar.h"
#include "gds/gds.h"
#include "lds/lds.h"
#include "memory/dram_channel.h"
#include "platforms/rtl_parameters.h"
#include "scalar_cache/instruction_cache.h"
#include "scalar_cache/scalar_cache.h"
#include "texture/texture_unit.h"
#include <string>

namespace lyra::platforms {

/// What is not one block's.
struct system_parameters {
  std::string chip = "gfx900";
  double core_mhz = 1500, fabric_mhz = 1500, memory_mhz = 945;
  unsigned compute_units = 64;
  std::string scalar_groups = "3,3,3,3,2,2";
  unsigned l2_channels = 16;
  std::string non_resident;
  uint64_t chaos_seed = 0;
  unsigned chaos_max_extra_cycles = 24;
  uint64_t reset_at_cycle = 0;
  unsigned reset_cycles = 16;
  std::string lookahead = "on";

  template <class V> void describe(V&& v) {
    v("chip", chip, {"", 0, 0, "gfx900|gfx906", "", "instruction set of raw code without a target"});
    v("core_mhz", core_mhz, {"MHz", 1, 10000, nullptr, "MI100 was measured at 1430 to 1502 MHz; Vega 64: 1546 boost", "shader clock: CUs, LDS, caches, L2"});
    v("fabric_mhz", fabric_mhz, {"MHz", 1, 10000, nullptr, "assumed: as the shader clock", "crossbar clock"});
    v("memory_mhz", memory_mhz, {"MHz", 1, 10000, nullptr, "Vega 64: 945 MHz", "memory clock"});
    v("compute_units", compute_units, {"CUs", 1, 256, nullptr, "", "compute units"});
    v("scalar_groups", scalar_groups, {"CUs", 0, 0, nullptr, "three CUs share K$ and I$; the remainder of 16 is assumed", "CUs of each scalar and instruction cache in a shader engine, separated by commas; repeated for every engine"});
    v("memory.non_resident", non_resident, {"", 0, 0, nullptr, "", "PRT pages without memory: ADDRESS:BYTES, several separated by commas. Loads give 0 and TFE says so, stores are dropped"});
    v("l2.channels", l2_channels, {"channels", 1, 64, nullptr, "Linux gfx_v9_0.c: 16", "L2 channels, each with an atomic unit and a memory channel"});
    v("chaos.seed", chaos_seed, {"", 0, 1e18, nullptr, "", "not 0: latencies and arbitration are drawn at random from this seed"});
    v("chaos.max_extra_cycles", chaos_max_extra_cycles, {"cycles", 0, 100000, nullptr, "", "most extra cycles of one draw"});
    v("reset.at_cycle", reset_at_cycle, {"cycles", 0, 1e18, nullptr, "", "not 0: `lyra run` resets the whole machine at this cycle, loads the job again and runs it; the report is of the second run"});
    v("lookahead", lookahead, {"", 0, 0, "on|off", "", "simulate a compute unit for some cycles at a time before the next one: faster, and the same to the cycle; never with traces, chaos, race checks or RTL"});
    v("reset.cycles", reset_cycles, {"cycles", 1, 1000000, nullptr, "", "how long such a reset is asserted"});
  }
};

/// Rules under the names that they have everywhere, whichever block keeps them.
struct rule_parameters {
  compute_unit::compute_unit_parameters& cu;
  scalar_cache::data_cache_parameters& scalar_cache;
  template <class V> void describe(V&& v) {
    cu.describe_rules(v);
    v("smem.ordering", scalar_cache.ordering, {"", 0, 0, "as_it_comes|in_order|shuffled", "ISA 7.3: out of order", "as scalar_cache.ordering"});
  }
};

struct machine_parameters {
  std::string name = "vega10";
  system_parameters system;
  compute_unit::compute_unit_parameters cu;
  lds::lds_parameters lds;
  gds::gds_parameters gds;
  texture::texture_parameters texture;
  cache::l1_parameters l1;
  scalar_cache::data_cache_parameters scalar_cache;
  scalar_cache::instruction_cache_parameters instruction_cache;
  fabric::crossbar_parameters crossbar;
  fabric::translation_parameters translation;
  cache::l2_parameters l2;
  atomic::atomic_unit_parameters atomic;
  memory::dram_parameters memory;
  dispatch::dispatcher_parameters dispatcher;
  rtl_parameters rtl;

  /// Calls f(path, block) for every block's described struct.
  template <class F> void for_each(F&& f) {
    rule_parameters rules{cu, scalar_cache};
    f("", system); f("", rules); f("cu", cu); f("lds", lds); f("gds", gds); f("texture", texture); f("l1", l1); f("scalar_cache", scalar_cache);
    f("instruction_cache", instruction_cache); f("crossbar", crossbar); f("translation", translation); f("l2", l2); f("atomic", atomic); f("memory", memory); f("dispatcher", dispatcher); f("", rtl);
  }
};

} // namespace lyra::platforms
