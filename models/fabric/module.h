// SPDX-License-Identifier: Apache-2.0
// Base of every timed block: the next cycle at which the block has something to do, and what it does then.
#pragma once
#include "fabric/clock.h"
#include "fabric/reset.h"

namespace lyra::fabric {

/// What the simulation itself did, over all timed modules.
struct wake_statistics {
  uint64_t kernel_events = 0, wakes = 0;
  template <class V> void describe(V&& v) {
    v("kernel_events", kernel_events, "events", "SystemC events that woke timed modules: times at which something happened");
    v("wakes", wakes, "wakes", "times a module ran");
  }
};
wake_statistics& simulation_statistics();
/// No module has asked for a wake (a part of a reset).
void forget_wakes();

struct wake_calendar;

/// A block that sleeps until the cycle it asked for. All messages for cycle t reach a block before it wakes at t, because every
/// message is annotated at least one cycle ahead; so what a block decides at t depends on (time, port) only, not on process order.
class timed_module : public sc_core::sc_module, public resettable {
public:
  timed_module(sc_core::sc_module_name name, clock_domain clock);
  ~timed_module() override;
  const clock_domain& clock() const { return clock_; }
  /// Every block overrides it (fabric/reset.h); the default is an error, since a block that keeps its state would go on with transactions that are gone.
  void on_reset() override;

protected:
  /// While held, the module's domain keeps to the kernel's time: an answer may come that is not known long before. Holds add up.
  void hold_lookahead();
  void release_lookahead();
  /// Something is under way to a launcher that may answer from time t on: until the kernel's time is past t, the domain keeps within the shorter lookahead of it.
  void expect_launch(picoseconds t);
  /// Asks for `on_wake` at cycle c (never in the past). The earliest request counts; others are forgotten once it is served.
  void wake_at(cycle_t c) {
    if (c >= next_wake_) return;
    if (running_) next_wake_ = c; // one queue entry when on_wake is done
    else schedule(c);
  }
  /// In on_wake(): what was asked for meanwhile does not count; only what on_wake() returns does.
  void forget_wake() { next_wake_ = never; }
  void wake_at_ps(picoseconds t) { wake_at(clock_.ceil(t)); }
  cycle_t now() const { return clock_.floor(now_ps()); }

  /// Does all that is due at `cycle` and returns the next cycle with something to do (`never`: none known).
  virtual cycle_t on_wake(cycle_t cycle) = 0;

private:
  friend class wake_queue;
  void schedule(cycle_t c);
  void forgotten() { next_wake_ = never; queued_ = 0; running_ = false; }
  void run(picoseconds t);
  cycle_t run_due(cycle_t c); ///< returns the next wake

  clock_domain clock_;
  cycle_t next_wake_ = never;
  uint32_t queued_ = 0; ///< entries in the wake queue, those overtaken by an earlier one too (shared part of the machine)
  wake_calendar* calendar_; ///< of the time domain; null: the shared part of the machine
  uint32_t place_;          ///< which of its modules
  bool running_ = false;
};

} // namespace lyra::fabric
