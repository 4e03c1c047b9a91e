// SPDX-License-Identifier: Apache-2.0
// Sees which bytes each wave touches: null in the context by default, so that nothing is paid for it.
#pragma once
#include "fabric/wave_request.h"

namespace lyra::fabric {

class access_observer {
public:
  enum class memory : uint8_t { global, lds };
  enum class kind : uint8_t { load, store, atomic };
  virtual ~access_observer() = default;
  /// `bytes` bytes at each address whose bit in `lanes` is set. LDS: byte addresses in the whole LDS of the request's CU. Timed: told on the
  /// way out, no later than the access is done.
  virtual void accessed(const wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address, unsigned bytes) = 0;
  /// Timed, global memory: the results of an access told before have come to the wave.
  virtual void returned(const wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address) = 0;
  /// The workgroup with waves `first_wave` .. `first_wave + waves - 1` has passed a barrier.
  virtual void barrier_passed(uint32_t first_wave, unsigned waves) = 0;
};

} // namespace lyra::fabric
