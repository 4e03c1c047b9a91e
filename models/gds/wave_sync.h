// SPDX-License-Identifier: Apache-2.0
// The global wave sync unit: 64 resources, each a semaphore or a barrier over all waves of the machine. Plain C++, no kernel.
#pragma once
#include "alu/data_share.h"
#include <string>
#include <vector>

namespace lyra::gds {

/// Who waits, and for messages where.
struct waiting_wave {
  uint64_t token = 0; ///< the owner's name for the request
  uint64_t pc = 0;
  uint32_t wave = 0, dispatch = 0;
  uint16_t cu = 0;
};

/// GWS as Vega ISA 12.13 describes it. A resource has a counter; waves queue in order of arrival.
///  - init: counter = value, for a barrier the number of waves less one;
///  - sema_v: counter + 1; sema_br: counter + value; sema_release_all: as many as wait; each unit lets one waiting or later wave pass;
///  - sema_p: waits until the counter is above 0, takes 1;
///  - barrier: while the counter is above 0 the wave takes 1 and waits; the wave that finds 0 releases all and sets the counter to its own value, the
///    size of the next barrier less one.
class wave_sync {
public:
  static constexpr unsigned resources = 64;
  /// Does one operation. \return whether the calling wave goes on. Waves let go by it are appended to `released`, in queue order.
  bool operate(alu::ds_kind kind, unsigned resource, uint32_t value, const waiting_wave& wave, std::vector<waiting_wave>& released);
  size_t waiting() const { return waiting_; }
  uint32_t counter(unsigned resource) const { return state_[resource].counter; }
  /// One line a waiting wave: who, and what it waits for.
  void describe(std::string& text) const;

private:
  struct state {
    uint32_t counter = 0;
    std::vector<waiting_wave> at_barrier, at_semaphore;
  };
  void pass_semaphore(state& s, std::vector<waiting_wave>& released);
  state state_[resources];
  size_t waiting_ = 0;
};

/// "wave 12 (CU 3, dispatch 1, pc 0x700000120)".
std::string name_of(const waiting_wave& w);

} // namespace lyra::gds
