// SPDX-License-Identifier: Apache-2.0
// Reset of everything that has state, in one step: the machine goes back to power-on inside one SystemC elaboration.
#pragma once
#include <cstdint>

namespace lyra::fabric {

/// Something with state that a reset returns to power-on. Objects register themselves; a reset reaches all of the process (one machine a process).
///
/// A reset happens between two delta cycles, outside of every process, in three steps, each for all objects before the next one begins:
///   on_reset     state as after construction; transactions are forgotten without a call through any socket, statistics and signals are 0;
///   on_reclaim   pools take back every payload that is still out: nobody holds a pointer to one any more;
///   on_release   reset ends: the modules' time (fabric::now_ps) is 0 again, and who starts by himself may ask for his first wake.
/// Wakes that were asked for before are forgotten between the first two. An initiator of your own that is to run in a machine with resets is a
/// resettable (every timed_module is one): it forgets what it has outstanding, and its memory manager takes its payloads back.
class resettable {
public:
  resettable(const resettable&) = delete;
  resettable& operator=(const resettable&) = delete;
  virtual void on_reset() = 0;
  virtual void on_reclaim() {}
  virtual void on_release() {}

protected:
  resettable();
  virtual ~resettable();

private:
  friend void assert_reset();
  friend void release_reset();
  resettable *before_, *behind_ = nullptr; ///< in the list of all, in order of construction
  static resettable *first_, *last_;
};

/// Steps one and two. Call outside of processes, while sc_start is not running.
void assert_reset();
/// Step three: the modules' time starts again now. The same place; nothing may have run between.
void release_reset();
/// Between assert_reset and release_reset.
bool in_reset();

} // namespace lyra::fabric
