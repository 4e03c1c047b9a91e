// SPDX-License-Identifier: Apache-2.0
#include "fabric/module.h"
#include "fabric/time_domain.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace lyra::fabric {

/// The wakes of a time domain's modules: the next 64 cycles, a bit for each module that is due (module number % 64). What is due later is looked for when its time comes near.
struct wake_calendar {
  clock_domain clock;
  cycle_t base = 0, far = never; ///< all before `base` has been done; the earliest wake at base + 64 or later
  uint64_t occupied = 0;         ///< slots with a bit
  uint64_t slots[64] = {};
  std::vector<cycle_t> next;     ///< by module; bits of wakes that were overtaken by an earlier one stay
  std::vector<timed_module*> modules;
  unsigned number = 0, held = 0;
  bool running = false;          ///< its own modules ask for wakes now: whoever runs it looks at first() again
  std::vector<picoseconds> launches; ///< times from which a launcher may answer; few

  /// The first time at which a launch may come. Those that the kernel's time n is past are forgotten: their answers are known.
  picoseconds launch_from(picoseconds n, picoseconds notice) {
    picoseconds first = never;
    for (size_t i = 0; i < launches.size();) {
      if (launches[i] < n) {
        launches[i] = launches.back();
        launches.pop_back();
      } else first = std::min(first, launches[i++]);
    }
    return first == never ? never : first + notice;
  }
  void enter(uint32_t place, cycle_t c) {
    next[place] = c;
    if (c - base < 64) {
      slots[c % 64] |= uint64_t(1) << (place % 64);
      occupied |= uint64_t(1) << (c % 64);
    } else if (c < far) far = c;
  }
  cycle_t first() const {
    if (occupied == 0) return far;
    const unsigned r = unsigned(base % 64);
    return base + unsigned(__builtin_ctzll(occupied >> r | occupied << ((64 - r) % 64)));
  }
  picoseconds first_ps() const {
    const cycle_t f = first();
    return f == never ? never : clock.at(f);
  }
  /// `base` goes to c: later wakes come into the calendar's reach.
  void advance(cycle_t c) {
    base = c;
    if (far == never || far - base >= 64) return;
    far = never;
    for (uint32_t i = 0; i < next.size(); ++i)
      if (next[i] != never) enter(i, next[i]);
  }
  void clear() {
    std::fill(next.begin(), next.end(), never);
    std::fill(std::begin(slots), std::end(slots), 0);
    occupied = base = 0;
    far = never;
    held = 0;
    running = false;
    launches.clear();
  }
  [[noreturn]] void too_late(uint32_t place, cycle_t c) const {
    SC_REPORT_FATAL("lyra/fabric/time-domain", (std::string(modules[place]->name()) + ": a message for cycle " + std::to_string(c) + " came when its time domain had done cycle " +
      std::to_string(base) + ": whoever sends to it must announce messages by the lookahead (fabric/time_domain.h)").c_str());
    std::abort();
  }
};

/// The wakes of all timed modules: one kernel event and one method process, since a kernel event for each wake costs several times as much.
/// A time domain has a calendar of its own (below). The shared part of the machine has a wheel of 1024 slots of 512 ps, since nearly all wakes are a few cycles
/// away and many modules wake at one time; later ones wait in a heap.
/// At one time domains come first, then the shared part; modules of either in the order of their construction. The order does not matter for what they send
/// (see timed_module), but counters such as the most entries of a queue see it.
class wake_queue {
public:
  /// One for a simulation; lives as long as the process (a process elaborates once).
  static wake_queue& instance() {
    if (!one_) one_ = new wake_queue;
    return *one_;
  }

  static constexpr unsigned shared = no_time_domain;

  unsigned new_domain() {
    calendars_.push_back(std::make_unique<wake_calendar>());
    calendars_.back()->number = unsigned(firsts_.size());
    firsts_.push_back(never);
    return calendars_.back()->number;
  }
  /// The calendar of the modules that are constructed; null: the shared part.
  wake_calendar* building_calendar() const { return building == shared ? nullptr : calendars_[building].get(); }
  uint32_t join(wake_calendar* x, timed_module& m, const clock_domain& clock) {
    if (!x) return shared_modules_++;
    if (x->modules.empty()) x->clock = clock;
    if (x->clock.period() != clock.period()) SC_REPORT_FATAL("lyra/fabric/time-domain", (std::string(m.name()) + ": the modules of a time domain have one clock").c_str());
    x->modules.push_back(&m);
    x->next.push_back(never);
    return uint32_t(x->modules.size() - 1);
  }
  void wake(wake_calendar& x, uint32_t place, cycle_t c) {
    if (c < x.base) x.too_late(place, c);
    x.enter(place, c);
    if (x.running) return;
    const picoseconds t = x.clock.at(c);
    if (t >= firsts_[x.number]) return;
    firsts_[x.number] = t;
    if (t < pending_ && !running_) notify(t);
  }
  void expect_launch(wake_calendar& x, picoseconds t) {
    if (quiet_lookahead > busy_lookahead) x.launches.push_back(t);
  }

  unsigned building = shared; ///< domain of the modules that are constructed
  picoseconds quiet_lookahead = 0, busy_lookahead = 0, horizon = never;
  unsigned busy_launchers = 0;

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
    for (const auto& x : calendars_) {
      for (timed_module* m : x->modules)
        if (m) m->forgotten();
      x->clear();
    }
    std::fill(firsts_.begin(), firsts_.end(), never);
    horizon = never;
    far_.clear();
    occupied_.fill(0);
    base_ = 0; // the modules' time starts again
    event_.cancel();
    pending_ = never;
    sequence_ = 0;
  }

private:
  static inline wake_queue* one_ = nullptr;
  static constexpr picoseconds slot_ps = 512;
  static constexpr size_t slots = 1024;
  struct entry { picoseconds t; timed_module* module; };
  struct far_entry { picoseconds t; uint64_t sequence; timed_module* module; };
  struct slot { std::vector<entry> entries; picoseconds first = never; }; ///< `first`: the earliest of them
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
    for (const auto& x : calendars_)
      if (firsts_[x->number] <= n) run_ahead(*x, n);
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
      size_t count = 0;
      for (const entry& e : due_)
        if (e.t <= n) due_[count++] = e;
        else into_slot(e);
      due_.resize(count);
      if (count > 1) std::sort(due_.begin(), due_.end(), [](const entry& a, const entry& b) { return a.t != b.t ? a.t < b.t : a.module->place_ < b.module->place_; });
      for (const entry& e : due_) e.module->run(e.t);
      due_.clear();
    }
    if (w.entries.empty()) {
      occupied_[s / 64] &= ~(uint64_t(1) << (s % 64));
      spare_.emplace_back().swap(w.entries);
    }
    running_ = false;
    picoseconds next = first_in_wheel();
    for (const picoseconds f : firsts_) next = std::min(next, f);
    if (!far_.empty()) next = std::min(next, far_.front().t);
    if (next != never) notify(next);
  }

  /// All wakes of a domain that are due at n, and those behind them as far as it may run ahead.
  void run_ahead(wake_calendar& x, picoseconds n) {
    picoseconds end = n + 1;
    const picoseconds lookahead = busy_launchers != 0 ? busy_lookahead : quiet_lookahead;
    if (lookahead != 0 && x.held == 0) end = std::max(end, std::min(n + lookahead, horizon));
    const size_t count = x.modules.size();
    uint64_t wakes = 0;
    picoseconds t = firsts_[x.number];
    x.running = true;
    for (; t < end && (t <= n || (x.held == 0 && (x.launches.empty() || t < x.launch_from(n, busy_lookahead)))); t = x.first_ps()) {
      time_ahead = t > n ? t - n : 0;
      const cycle_t c = x.clock.floor(t);
      if (c != x.base) x.advance(c);
      uint64_t due = x.slots[c % 64];
      x.slots[c % 64] = 0;
      x.occupied &= ~(uint64_t(1) << (c % 64));
      for (; due != 0; due &= due - 1)
        for (size_t i = size_t(__builtin_ctzll(due)); i < count; i += 64) {
          if (x.next[i] != c) continue;
          x.next[i] = never;
          ++wakes;
          const cycle_t again = x.modules[i]->run_due(c);
          if (again == never) continue;
          if (again < c) x.too_late(uint32_t(i), again);
          x.enter(uint32_t(i), again);
        }
    }
    x.running = false;
    firsts_[x.number] = t;
    simulation_statistics().wakes += wakes;
    time_ahead = 0;
  }

  sc_core::sc_event event_;
  std::vector<std::unique_ptr<wake_calendar>> calendars_; ///< by domain
  std::vector<picoseconds> firsts_; ///< the earliest wake of each domain
  std::array<slot, slots> wheel_;
  std::array<uint64_t, slots / 64> occupied_{};
  std::vector<entry> due_;
  std::vector<std::vector<entry>> spare_; ///< buffers of slots that have become empty, the last used on top: it is still in the host's cache
  std::vector<far_entry> far_;
  uint64_t base_ = 0; ///< the tick (time / slot_ps) of the first slot: the wheel holds ticks base_ .. base_ + slots - 1
  picoseconds pending_ = never;
  uint64_t sequence_ = 0;
  uint32_t shared_modules_ = 0;
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

unsigned new_time_domain() { return wake_queue::instance().new_domain(); }
time_domain_scope::time_domain_scope(unsigned domain) : before_(wake_queue::instance().building) { wake_queue::instance().building = domain; }
time_domain_scope::~time_domain_scope() { wake_queue::instance().building = before_; }
void set_lookahead(picoseconds quiet, picoseconds busy) {
  wake_queue::instance().quiet_lookahead = quiet;
  wake_queue::instance().busy_lookahead = busy;
}
void launcher_busy(bool begins) { wake_queue::instance().busy_launchers += begins ? 1u : ~0u; }
void set_horizon(picoseconds t) { wake_queue::instance().horizon = t; }

timed_module::timed_module(sc_core::sc_module_name name, clock_domain clock)
    : sc_module(name), clock_(clock), calendar_(wake_queue::instance().building_calendar()), place_(wake_queue::instance().join(calendar_, *this, clock)) {}

timed_module::~timed_module() {
  if (calendar_) {
    calendar_->modules[place_] = nullptr;
    calendar_->next[place_] = never;
  } else wake_queue::instance().forget(*this);
}

void timed_module::on_reset() {
  SC_REPORT_ERROR("lyra/reset", (std::string(name()) + ": this block cannot be reset: give it an on_reset() (fabric/reset.h), or start the process again").c_str());
}

void timed_module::hold_lookahead() { if (calendar_) ++calendar_->held; }
void timed_module::release_lookahead() { if (calendar_) --calendar_->held; }
void timed_module::expect_launch(picoseconds t) { if (calendar_) wake_queue::instance().expect_launch(*calendar_, t); }

void timed_module::schedule(cycle_t c) {
  next_wake_ = c;
  if (calendar_) wake_queue::instance().wake(*calendar_, place_, c);
  else wake_queue::instance().push(clock_.at(c), *this);
}

void timed_module::run(picoseconds t) {
  --queued_;
  const cycle_t c = next_wake_;
  if (c == never || clock_.at(c) != t) return; // asked for an earlier time since
  ++simulation_statistics().wakes;
  if (const cycle_t again = run_due(c); again != never) wake_queue::instance().push(clock_.at(again), *this);
}

cycle_t timed_module::run_due(cycle_t c) {
  next_wake_ = never;
  running_ = true; // requests meanwhile only lower next_wake_: one entry of the queue when on_wake is done
  next_wake_ = std::min(on_wake(c), next_wake_);
  running_ = false;
  return next_wake_;
}

} // namespace lyra::fabric
