// SPDX-License-Identifier: Apache-2.0
#include "fabric/module.h"
#include <algorithm>
#include <vector>

namespace lyra::fabric {

/// The wakes of all timed modules: one kernel event and one method process, since a kernel event for each wake costs several times as much.
/// Order among modules at one time does not matter (see timed_module).
class wake_queue {
public:
  /// One for a simulation; lives as long as the process (a process elaborates once).
  static wake_queue& instance() {
    static wake_queue* q = new wake_queue;
    return *q;
  }

  void push(picoseconds t, timed_module& m) {
    heap_.push_back({t, sequence_++, &m});
    std::push_heap(heap_.begin(), heap_.end(), later);
    if (t < pending_ && !running_) notify(t);
  }
  void forget(timed_module& m) {
    heap_.erase(std::remove_if(heap_.begin(), heap_.end(), [&](const entry& e) { return e.module == &m; }), heap_.end());
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

private:
  struct entry { picoseconds t; uint64_t sequence; timed_module* module; };
  static bool later(const entry& a, const entry& b) { return a.t != b.t ? a.t > b.t : a.sequence > b.sequence; }

  wake_queue() : event_("lyra_wake") {
    sc_core::sc_spawn_options o;
    o.spawn_method();
    o.set_sensitivity(&event_);
    o.dont_initialize();
    sc_core::sc_spawn([this] { run(); }, "lyra_wakes", &o);
  }
  void notify(picoseconds t) {
    pending_ = t;
    const picoseconds n = now_ps();
    event_.notify(to_sc_time(t > n ? t - n : 0)); // an earlier notification replaces a later one
  }
  void run() {
    const picoseconds n = now_ps();
    pending_ = never;
    running_ = true;
    while (!heap_.empty() && heap_.front().t <= n) {
      const entry e = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
      e.module->run(e.t);
    }
    running_ = false;
    if (!heap_.empty()) notify(heap_.front().t);
  }

  sc_core::sc_event event_;
  std::vector<entry> heap_;
  picoseconds pending_ = never;
  uint64_t sequence_ = 0;
  bool running_ = false;
};

timed_module::timed_module(sc_core::sc_module_name name, clock_domain clock) : sc_module(name), clock_(clock) { wake_queue::instance(); }

timed_module::~timed_module() { wake_queue::instance().forget(*this); }

void timed_module::schedule(cycle_t c) {
  next_wake_ = c;
  wake_queue::instance().push(clock_.at(c), *this);
}

void timed_module::run(picoseconds t) {
  const cycle_t c = next_wake_;
  if (c == never || clock_.at(c) != t) return; // asked for an earlier time since
  next_wake_ = never;
  running_ = true; // requests meanwhile only lower next_wake_: one entry of the queue when on_wake is done
  next_wake_ = std::min(on_wake(c), next_wake_);
  running_ = false;
  if (next_wake_ != never) schedule(next_wake_);
}

} // namespace lyra::fabric
