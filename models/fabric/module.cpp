// SPDX-License-Identifier: Apache-2.0
#include "fabric/module.h"
#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lyra::fabric {

/// The wakes of all timed modules: one kernel event and one method process, since a kernel event for each wake costs several times as much.
/// A wheel of 1024 slots of 512 ps, since nearly all wakes are a few cycles away and many modules wake at one time; later ones wait in a heap.
/// Order among modules at one time is that of asking; it does not matter (see timed_module), but must be the same in each run.
class wake_queue {
public:
  /// One for a simulation; lives as long as the process (a process elaborates once).
  static wake_queue& instance() {
    static wake_queue* q = new wake_queue;
    return *q;
  }

  void push(picoseconds t, timed_module& m) {
    ++m.queued_;
    if (t / slot_ps < base_ + slots) into_slot({t, &m});
    else {
      far_.push_back({t, sequence_++, &m});
      std::push_heap(far_.begin(), far_.end(), later);
    }
    if (t < pending_ && !running_) notify(t);
  }
  void forget(timed_module& m) {
    if (m.queued_ == 0) return;
    for (size_t s = 0; s < slots; ++s) {
      auto& w = wheel_[s];
      w.entries.erase(std::remove_if(w.entries.begin(), w.entries.end(), [&](const entry& e) { return e.module == &m; }), w.entries.end());
      settle(s);
    }
    far_.erase(std::remove_if(far_.begin(), far_.end(), [&](const far_entry& e) { return e.module == &m; }), far_.end());
    std::make_heap(far_.begin(), far_.end(), later);
  }

  void forget_all() {
    for (slot& w : wheel_) {
      for (const entry& e : w.entries) e.module->forgotten();
      w.entries.clear();
      w.first = never;
    }
    for (const far_entry& e : far_) e.module->forgotten();
    far_.clear();
    occupied_.fill(0);
    base_ = 0; // the modules' time starts again
    event_.cancel();
    pending_ = never;
    sequence_ = 0;
  }

private:
  static constexpr picoseconds slot_ps = 512;
  static constexpr size_t slots = 1024;
  struct entry { picoseconds t; timed_module* module; };
  struct far_entry { picoseconds t; uint64_t sequence; timed_module* module; };
  struct slot { std::vector<entry> entries; picoseconds first = never; }; ///< in order of asking; `first`: the earliest of them
  static bool later(const far_entry& a, const far_entry& b) { return a.t != b.t ? a.t > b.t : a.sequence > b.sequence; }

  wake_queue() : event_("lyra_wake") {
    sc_core::sc_spawn_options o;
    o.spawn_method();
    o.set_sensitivity(&event_);
    o.dont_initialize();
    sc_core::sc_spawn([this] { run(); }, "lyra_wakes", &o);
  }
  void into_slot(const entry& e) {
    const size_t s = size_t(std::max(e.t / slot_ps, base_)) % slots; // the current cycle of a slow clock may have begun before base_
    slot& w = wheel_[s];
    if (w.entries.capacity() == 0 && !spare_.empty()) {
      w.entries.swap(spare_.back());
      spare_.pop_back();
    }
    w.entries.push_back(e);
    if (e.t < w.first) w.first = e.t;
    occupied_[s / 64] |= uint64_t(1) << (s % 64);
  }
  /// `first` and the slot's bit after entries have gone.
  void settle(size_t s) {
    slot& w = wheel_[s];
    w.first = never;
    for (const entry& e : w.entries) w.first = std::min(w.first, e.t);
    if (w.entries.empty()) occupied_[s / 64] &= ~(uint64_t(1) << (s % 64));
  }
  void notify(picoseconds t) {
    pending_ = t;
    const picoseconds n = now_ps();
    event_.notify(to_sc_time(t > n ? t - n : 0)); // an earlier notification replaces a later one
  }
  /// The earliest wake in the wheel, from the slot of base_ on.
  picoseconds first_in_wheel() const {
    const size_t s = size_t(base_) % slots, words = slots / 64;
    size_t w = s / 64;
    uint64_t b = occupied_[w] >> (s % 64) << (s % 64);
    for (size_t k = 0; k <= words; ++k) {
      if (b != 0) return wheel_[w * 64 + size_t(__builtin_ctzll(b))].first;
      w = (w + 1) % words;
      b = occupied_[w];
    }
    return never;
  }
  void run() {
    const picoseconds n = now_ps();
    pending_ = never;
    running_ = true;
    ++simulation_statistics().kernel_events;
    base_ = n / slot_ps; // nothing earlier is left
    while (!far_.empty() && far_.front().t / slot_ps < base_ + slots) {
      const far_entry e = far_.front();
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
      into_slot({e.t, e.module});
    }
    const size_t s = size_t(base_) % slots;
    slot& w = wheel_[s];
    while (w.first <= n) {
      due_.swap(w.entries); // modules ask for more while they run
      w.first = never;
      for (const entry& e : due_)
        if (e.t <= n) e.module->run(e.t);
        else into_slot(e);
      due_.clear();
    }
    if (w.entries.empty()) {
      occupied_[s / 64] &= ~(uint64_t(1) << (s % 64));
      spare_.emplace_back().swap(w.entries);
    }
    running_ = false;
    picoseconds next = first_in_wheel();
    if (!far_.empty()) next = std::min(next, far_.front().t);
    if (next != never) notify(next);
  }

  sc_core::sc_event event_;
  std::array<slot, slots> wheel_;
  std::array<uint64_t, slots / 64> occupied_{};
  std::vector<entry> due_;
  std::vector<std::vector<entry>> spare_; ///< buffers of slots that have become empty, the last used on top: it is still in the host's cache
  std::vector<far_entry> far_;
  uint64_t base_ = 0; ///< the tick (time / slot_ps) of the first slot: the wheel holds ticks base_ .. base_ + slots - 1
  picoseconds pending_ = never;
  uint64_t sequence_ = 0;
  bool running_ = false;
};

wake_statistics& simulation_statistics() {
  static wake_statistics s;
  return s;
}

void forget_wakes() {
  wake_queue::instance().forget_all();
  simulation_statistics() = wake_statistics();
}

timed_module::timed_module(sc_core::sc_module_name name, clock_domain clock) : sc_module(name), clock_(clock) { wake_queue::instance(); }

timed_module::~timed_module() { wake_queue::instance().forget(*this); }

void timed_module::on_reset() {
  SC_REPORT_ERROR("lyra/reset", (std::string(name()) + ": this block cannot be reset: give it an on_reset() (fabric/reset.h), or start the process again").c_str());
}

void timed_module::schedule(cycle_t c) {
  next_wake_ = c;
  wake_queue::instance().push(clock_.at(c), *this);
}

void timed_module::run(picoseconds t) {
  --queued_;
  const cycle_t c = next_wake_;
  if (c == never || clock_.at(c) != t) return; // asked for an earlier time since
  next_wake_ = never;
  ++simulation_statistics().wakes;
  running_ = true; // requests meanwhile only lower next_wake_: one entry of the queue when on_wake is done
  next_wake_ = std::min(on_wake(c), next_wake_);
  running_ = false;
  if (next_wake_ != never) schedule(next_wake_);
}

} // namespace lyra::fabric
