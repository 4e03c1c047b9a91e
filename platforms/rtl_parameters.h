// SPDX-License-Identifier: Apache-2.0
// Which blocks of a machine are RTL, and how RTL is clocked and watched.
#pragma once
#include "fabric/parameters.h"
#include "rtl/pin_block.h"
#include <string>

namespace lyra::platforms {

struct rtl_parameters {
  std::string lds = "tlm", atomic = "tlm", memory = "tlm";
  double clock_ratio = 1;
  unsigned reset_cycles = 4;
  uint64_t timeout_cycles = 100000, reset_at_cycle = 0;
  bool free_running = false;
  unsigned lds_path_cycles = 45, atomic_path_cycles = 2, memory_path_cycles = 150;
  unsigned compare_window_cycles = 4096;
  std::string compare_vcd = "lyra_difference.vcd";

  template <class V> void describe(V&& v) {
    const char* which = "tlm: the model; rtl:NAME: an RTL block of this program in its place; compare:NAME: both, every answer of the RTL is checked (docs/rtl.md)";
    v("lds.implementation", lds, fabric::parameter_info{"", 0, 0, nullptr, "", which});
    v("atomic.implementation", atomic, fabric::parameter_info{"", 0, 0, nullptr, "", which});
    v("memory.implementation", memory, fabric::parameter_info{"", 0, 0, nullptr, "", which});
    v("rtl.clock_ratio", clock_ratio, fabric::parameter_info{"", 0.01, 100, nullptr, "", "clock of RTL blocks over the clock of the domain that they stand in (LDS, atomic unit: core; memory: memory clock)"});
    v("rtl.reset_cycles", reset_cycles, fabric::parameter_info{"cycles", 1, 10000, nullptr, "", "RTL cycles of reset before the first request; outputs are not looked at meanwhile"});
    v("rtl.reset_at_cycle", reset_at_cycle, fabric::parameter_info{"cycles", 0, 1e18, nullptr, "", "not 0: a second reset in the run, when the block is first idle from this RTL cycle on; its memory must keep its contents"});
    v("rtl.free_running", free_running, fabric::parameter_info{"", 0, 1, nullptr, "", "RTL blocks get every clock edge from time 0 on (refresh); off: their clock stands while nothing is outstanding"});
    v("rtl.timeout_cycles", timeout_cycles, fabric::parameter_info{"cycles", 16, 1e18, nullptr, "", "RTL cycles without an answer after which the transaction is named and the run ends (looked at each 64)"});
    v("rtl.lds_path_cycles", lds_path_cycles, fabric::parameter_info{"cycles", 1, 1000, nullptr, "assumed: a lone 32-bit read takes as long as in the model", "core cycles from an answer of an RTL LDS to the data in VGPRs"});
    v("rtl.atomic_path_cycles", atomic_path_cycles, fabric::parameter_info{"cycles", 1, 1000, nullptr, "assumed", "core cycles from an answer of an RTL atomic unit to its L2 channel"});
    v("rtl.memory_path_cycles", memory_path_cycles, fabric::parameter_info{"cycles", 1, 10000, nullptr, "assumed: PHY and queues of the model's 193 ns", "memory cycles from the last AXI4 beat of an RTL memory to its L2 channel"});
    v("rtl.compare_window_cycles", compare_window_cycles, fabric::parameter_info{"cycles", 1, 1e7, nullptr, "", "core cycles before the first difference that its VCD holds"});
    v("rtl.compare_vcd", compare_vcd, fabric::parameter_info{"", 0, 0, nullptr, "", "VCD of the first difference; the block's name is put in front of the suffix"});
  }

  rtl::clocking clocking(unsigned path_cycles) const {
    rtl::clocking c;
    c.clock_ratio = clock_ratio;
    c.reset_cycles = reset_cycles;
    c.reset_at_cycle = reset_at_cycle;
    c.timeout_cycles = timeout_cycles;
    c.free_running = free_running;
    c.response_path_cycles = path_cycles;
    return c;
  }
};

} // namespace lyra::platforms
