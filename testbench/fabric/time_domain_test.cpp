// SPDX-License-Identifier: Apache-2.0
// Time domains: how far modules run ahead of the kernel, what stops them, and that a message from the past is noticed.
#include "fabric/module.h"
#include "fabric/time_domain.h"
#include "support/systemc_test.h"
#include <memory>
#include <string>
#include <vector>

using namespace lyra::fabric;

namespace {

constexpr picoseconds period = 1000;

/// Wakes at each cycle of a list; notes (cycle, kernel's time in cycles) of every wake.
struct sleeper : timed_module {
  sleeper(const char* name, std::vector<cycle_t> plan) : timed_module(name, clock_domain{period}), plan_(std::move(plan)) {}
  void start() { wake_at(plan_.front()); }
  void ask(cycle_t c) { wake_at(c); }
  void hold() { hold_lookahead(); }
  void release() { release_lookahead(); }
  void tell(picoseconds t) { expect_launch(t); }
  std::vector<std::pair<cycle_t, cycle_t>> seen;

private:
  cycle_t on_wake(cycle_t c) override {
    BOOST_TEST(now() == c);
    seen.emplace_back(c, event_ps() / period);
    for (const cycle_t p : plan_)
      if (p > c) return p;
    return never;
  }
  void on_reset() override {}
  std::vector<cycle_t> plan_;
};

std::unique_ptr<sleeper> in_domain(unsigned d, const char* name, std::vector<cycle_t> plan) {
  const time_domain_scope scope(d);
  auto s = std::make_unique<sleeper>(name, std::move(plan));
  s->start();
  return s;
}
using wakes = std::vector<std::pair<cycle_t, cycle_t>>;

} // namespace

BOOST_AUTO_TEST_CASE(a_domain_runs_ahead_by_the_lookahead_and_the_shared_part_keeps_time) {
  const unsigned d = new_time_domain();
  auto a = in_domain(d, "a", {1, 3, 10, 11, 30, 200}), b = in_domain(d, "b", {5, 100});
  sleeper shared("shared", {1, 3, 30});
  shared.start();
  set_lookahead(10 * period, 10 * period);
  sc_core::sc_start(sc_core::sc_time(300, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{1, 1}, {3, 1}, {10, 1}, {11, 11}, {30, 30}, {200, 200}})); // at 1: to 10; 200 is beyond the calendar
  BOOST_TEST((b->seen == wakes{{5, 1}, {100, 100}}));
  BOOST_TEST((shared.seen == wakes{{1, 1}, {3, 3}, {30, 30}}));
}

BOOST_AUTO_TEST_CASE(in_step_without_lookahead_with_a_hold_and_at_the_horizon) {
  const unsigned d = new_time_domain(), e = new_time_domain();
  auto a = in_domain(d, "a", {1, 2, 3, 40, 41, 60, 61, 62}), b = in_domain(e, "b", {1, 2, 3});
  sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{1, 1}, {2, 2}, {3, 3}}));
  BOOST_TEST((b->seen == a->seen));
  set_lookahead(10 * period, 10 * period);
  a->seen.clear();
  a->hold();
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_NS));
  a->release();
  set_horizon(62 * period); // 62 itself not
  sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{40, 40}, {41, 41}, {60, 60}, {61, 60}, {62, 62}}));
}

BOOST_AUTO_TEST_CASE(an_earlier_wake_counts_and_the_later_one_is_forgotten) {
  const unsigned d = new_time_domain();
  auto a = in_domain(d, "a", {50, 90});
  set_lookahead(4 * period, 4 * period);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  a->ask(20);
  a->ask(30); // later than what it has asked for
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{20, 20}, {50, 50}, {90, 90}}));
}

BOOST_AUTO_TEST_CASE(more_modules_than_a_word_has_bits) {
  const unsigned d = new_time_domain();
  std::vector<std::unique_ptr<sleeper>> all;
  for (unsigned i = 0; i < 150; ++i) all.push_back(in_domain(d, ("m" + std::to_string(i)).c_str(), {1 + i % 7, 20 + i, 400 + i % 3}));
  set_lookahead(25 * period, 25 * period);
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_NS));
  for (unsigned i = 0; i < 150; ++i) {
    BOOST_TEST(all[i]->seen.size() == 3u);
    BOOST_TEST(all[i]->seen[0].first == 1 + i % 7);
    BOOST_TEST(all[i]->seen[1].first == 20 + i);
    BOOST_TEST(all[i]->seen[2].first == 400 + i % 3);
    for (const auto& [cycle, kernel] : all[i]->seen) BOOST_TEST((kernel <= cycle && cycle < kernel + 25));
  }
}

BOOST_AUTO_TEST_CASE(a_message_from_the_past_names_the_module) {
  const unsigned d = new_time_domain();
  auto a = in_domain(d, "late_one", {1, 9});
  set_lookahead(20 * period, 20 * period);
  sc_core::sc_start(sc_core::sc_time(4, sc_core::SC_NS)); // the domain has done cycle 9
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  BOOST_CHECK_EXCEPTION(a->ask(6), sc_core::sc_report, [](const sc_core::sc_report& r) { return std::string(r.get_msg()).find("late_one") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(shorter_while_a_launcher_is_busy) {
  const unsigned d = new_time_domain();
  auto a = in_domain(d, "a", {1, 3, 9, 15, 21, 23, 29, 41, 49});
  set_lookahead(10 * period, 5 * period);
  sc_core::sc_start(sc_core::sc_time(12, sc_core::SC_NS));
  launcher_busy(true);
  launcher_busy(true); // another one
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_NS));
  launcher_busy(false);
  sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_NS));
  launcher_busy(false);
  sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{1, 1}, {3, 1}, {9, 1}, {15, 15}, {21, 21}, {23, 21}, {29, 29}, {41, 41}, {49, 41}}));
}

BOOST_AUTO_TEST_CASE(a_module_that_expects_a_launch_keeps_near_it) {
  const unsigned d = new_time_domain(), e = new_time_domain();
  auto a = in_domain(d, "a", {2, 5, 9, 10, 12, 18, 40, 50}), b = in_domain(e, "b", {2, 5, 9, 10, 12, 18, 40, 50});
  set_lookahead(20 * period, 5 * period);
  a->tell(4 * period); // a launch may come from 9 on, and be known when the kernel is past 4
  a->tell(6 * period);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  BOOST_TEST((a->seen == wakes{{2, 2}, {5, 2}, {9, 9}, {10, 9}, {12, 9}, {18, 9}, {40, 40}, {50, 40}}));
  BOOST_TEST((b->seen == wakes{{2, 2}, {5, 2}, {9, 2}, {10, 2}, {12, 2}, {18, 2}, {40, 40}, {50, 40}}));
}
