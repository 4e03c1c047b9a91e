// SPDX-License-Identifier: Apache-2.0
// The dispatcher with stub compute units and caches: exact launch cycles, order, resources, cache maintenance, overlap, progress.
#include "dispatch/dispatcher.h"
#include "observe/input_error.h"
#include "support/systemc_test.h"
#include <fmt/format.h>
#include <functional>
#include <map>
#include <random>
#include <set>

using namespace lyra;
using dispatch::cu_resources;
using dispatch::dispatcher_parameters;
using fabric::cycle_t;

namespace {

struct event { cycle_t cycle; unsigned port; std::string what; fabric::launch_extension e; };

/// A compute unit that starts a group after `start_cycles` and ends it `run_cycles` later; or a cache's control port that answers after `run_cycles`.
/// Its behaviour is timed by sc_event of its own, so that nothing of the dispatcher's machinery is used.
class stub : public sc_core::sc_module, fabric::request_server {
public:
  stub(sc_core::sc_module_name name, unsigned index, std::vector<event>& log, bool withhold) : sc_module(name), port("socket", *this, 0), index_(index), log_(log), withhold_(withhold) {
    SC_HAS_PROCESS(stub);
    SC_METHOD(step);
    sensitive << event_;
    dont_initialize();
  }
  fabric::target_port port;
  cycle_t start_cycles = 3;
  std::function<cycle_t(const fabric::launch_extension&)> run_cycles = [](const fabric::launch_extension&) { return cycle_t(100); };
  cycle_t control_cycles = 10;
  std::string kind;

private:
  fabric::request_answer on_request(unsigned, fabric::payload& p, fabric::picoseconds& at) override {
    const cycle_t c = at / 1000;
    BOOST_TEST(at % 1000 == 0u);
    BOOST_TEST(at > fabric::now_ps()); // never less than a cycle ahead
    if (const auto* e = p.get_extension<fabric::launch_extension>()) {
      BOOST_TEST((p.get_command() == tlm::TLM_IGNORE_COMMAND));
      log_.push_back({c, index_, "launch", *e});
      if (withhold_) plan(c + start_cycles, [this, c] { port.accept((c + start_cycles) * 1000); });
      plan(c + start_cycles + run_cycles(*e), [this, &p] { log_.push_back({now(), index_, "end", *p.get_extension<fabric::launch_extension>()}); port.respond(p, (now() + 1) * 1000); });
      return withhold_ ? fabric::request_answer::withheld : fabric::request_answer::accepted;
    }
    static const char* names[] = {"none", "invalidate", "writeback", "writeback_invalidate"};
    log_.push_back({c, index_, kind + " " + names[unsigned(fabric::payload_pool::policy(p).control)], {}});
    plan(c + control_cycles, [this, &p] { port.respond(p, (now() + 1) * 1000); });
    return fabric::request_answer::accepted;
  }
  void b_transport(unsigned, fabric::payload&, sc_core::sc_time&) override {}
  unsigned transport_dbg(unsigned, fabric::payload&) override { return 0; }
  cycle_t now() const { return fabric::now_ps() / 1000; }
  void plan(cycle_t c, std::function<void()> f) {
    todo_.emplace(c, std::move(f));
    wake();
  }
  void wake() { if (!todo_.empty()) event_.notify(fabric::to_sc_time(todo_.begin()->first * 1000 - fabric::now_ps())); }
  void step() {
    while (!todo_.empty() && todo_.begin()->first <= now()) {
      auto f = std::move(todo_.begin()->second);
      todo_.erase(todo_.begin());
      f();
    }
    wake();
  }
  unsigned index_;
  std::vector<event>& log_;
  bool withhold_;
  std::multimap<cycle_t, std::function<void()>> todo_;
  sc_core::sc_event event_;
};

/// A machine of stubs with a 1000 ps clock: cycles are nanoseconds.
struct bench {
  fabric::context ctx;
  fabric::payload_pool lines;
  fabric::run_state run_state;
  std::vector<event> log;
  dispatcher_parameters parameters;
  cu_resources cu;
  std::unique_ptr<dispatch::dispatcher> d;
  std::vector<std::unique_ptr<stub>> cus, caches;
  std::vector<std::unique_ptr<fabric::dispatch_packet>> packets;

  bench() {
    ctx.core = fabric::clock_domain(1000);
    ctx.lines = &lines;
    ctx.run = &run_state;
    parameters.packet_latency_ns = 50;
    parameters.launch_latency_cycles = 5;
    parameters.control_latency_cycles = 1;
  }
  void build(unsigned count, bool with_caches = false, bool withhold = true) {
    const unsigned k = with_caches ? 2 : 0;
    d = std::make_unique<dispatch::dispatcher>("dispatcher", parameters, cu, dispatch::dispatcher::topology{count, k, k, with_caches ? count : 0}, ctx);
    for (unsigned i = 0; i < count; ++i) {
      cus.push_back(std::make_unique<stub>(fmt::format("cu{}", i).c_str(), i, log, withhold));
      d->launch_socket(i).bind(cus.back()->port.socket);
    }
    const auto cache = [&](const char* kind, unsigned i, dispatch::dispatcher::socket_type& s) {
      caches.push_back(std::make_unique<stub>(fmt::format("{}{}", kind, i).c_str(), i, log, false));
      caches.back()->kind = kind;
      s.bind(caches.back()->port.socket);
    };
    for (unsigned i = 0; i < k; ++i) cache("K", i, d->scalar_cache_socket(i));
    for (unsigned i = 0; i < k; ++i) cache("I", i, d->instruction_cache_socket(i));
    for (unsigned i = 0; with_caches && i < count; ++i) cache("L1", i, d->vector_cache_socket(i));
  }
  fabric::dispatch_packet& packet(uint32_t groups, uint32_t items = 64) {
    packets.push_back(std::make_unique<fabric::dispatch_packet>());
    auto& p = *packets.back();
    p.id = uint32_t(packets.size() - 1);
    p.kernel = "k";
    p.workgroup[0] = items;
    p.grid[0] = groups * items;
    return p;
  }
  void submit_all() { for (auto& p : packets) d->submit(*p); }
  void start(cycle_t limit = 1000000) { sc_core::sc_start(double(limit), sc_core::SC_NS); }
  std::vector<event> of(const std::string& what) const {
    std::vector<event> r;
    for (const auto& e : log) if (e.what == what) r.push_back(e);
    return r;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(groups_start_at_exact_cycles_one_a_cycle_over_engines) {
  bench b;
  b.parameters.shader_engines = 2;
  b.parameters.wave_start_cycles = 4;
  b.build(4);
  b.packet(8, 128); // two waves: a launcher is busy 8 cycles for each
  b.submit_all();
  b.start();
  // taken at 1, processed at 51, two maintenance steps without caches end at 52 and 53
  const auto l = b.of("launch");
  BOOST_REQUIRE(l.size() == 8u);
  const cycle_t cycles[] = {58, 59, 66, 67, 74, 75, 82, 83};
  const unsigned cus[] = {0, 2, 1, 3, 0, 2, 1, 3};
  for (unsigned i = 0; i < 8; ++i) {
    BOOST_TEST(l[i].cycle == cycles[i]);
    BOOST_TEST(l[i].port == cus[i]);
    BOOST_TEST(l[i].e.group[0] == i);
    BOOST_TEST(l[i].e.group_number == i);
    BOOST_TEST(l[i].e.first_wave_order == 2 * i);
    BOOST_TEST(l[i].e.waves == 2u);
  }
  BOOST_TEST(b.d->done());
  BOOST_TEST(b.d->groups_done() == 8u);
  BOOST_TEST(b.d->statistics().waves == 16u);
  BOOST_TEST(b.d->statistics().dispatches == 1u);
  BOOST_TEST(b.d->statistics().packet_cycles == 50u);
  // the last group: reached its CU at 83, started 3 later, ran 100, its response is a cycle ahead
  BOOST_TEST(b.d->records()[0].end_ps == 187000u);
  BOOST_TEST(b.d->records()[0].start_ps == 53000u);
  BOOST_TEST(b.d->statistics().busy_cycles == 186u);
}

BOOST_AUTO_TEST_CASE(a_withheld_launch_blocks_its_compute_unit_only) {
  bench b;
  b.parameters.shader_engines = 1;
  b.parameters.order = "in_order";
  b.build(2);
  b.cus[0]->start_cycles = 40;
  b.packet(4);
  b.submit_all();
  b.start();
  const auto l = b.of("launch");
  BOOST_REQUIRE(l.size() == 4u);
  // CU 1 accepts after 3 cycles (port time 62), CU 0 only at 98: the third and fourth group go to CU 1
  BOOST_TEST(l[0].cycle == 58u);
  BOOST_TEST(l[0].port == 0u);
  BOOST_TEST(l[1].cycle == 59u);
  BOOST_TEST(l[2].port == 1u);
  BOOST_TEST(l[2].cycle == 67u); // accepted at 62, decided then, 5 on the way
  BOOST_TEST(l[3].port == 1u);
  BOOST_TEST(l[3].cycle == 75u);
}

BOOST_AUTO_TEST_CASE(packed_fills_a_compute_unit_before_the_next_and_waits_while_it_takes_a_group) {
  bench b;
  b.parameters.order = "packed";
  b.build(3);
  for (auto& c : b.cus) {
    c->start_cycles = 9; // a unit withholds the launch for this long: the next group waits and does not go elsewhere
    c->run_cycles = [](const fabric::launch_extension& e) { return cycle_t(e.group_number == 4 ? 10 : 5000); };
  }
  auto& p = b.packet(11, 256);
  p.lds_bytes = 20000; // 20480: three to a CU
  b.submit_all();
  b.start();
  const auto l = b.of("launch");
  std::vector<unsigned> ports;
  for (const auto& e : l) ports.push_back(e.port);
  // group 4 ends when the groups 6 and 7 have been decided: group 8 takes its room before CU 2's; the last one finds all full and waits for the first to end
  const std::vector<unsigned> want{0, 0, 0, 1, 1, 1, 2, 2, 1, 2, 0};
  BOOST_TEST(ports == want, boost::test_tools::per_element());
  const auto ended = b.of("end");
  BOOST_REQUIRE(l.size() == 11u);
  for (unsigned i : {1u, 2u, 4u, 5u}) BOOST_TEST(l[i].cycle == l[i - 1].cycle + 9 + 5, "group " << i); // accepted 9 later, decided then, 5 on the way
  BOOST_TEST(l[3].cycle > l[2].cycle);
  BOOST_TEST(l[3].cycle < l[2].cycle + 9); // another CU's port is free
  BOOST_TEST(l[10].cycle > ended[1].cycle); // ended[0] is group 4
}

BOOST_AUTO_TEST_CASE(cache_maintenance_precedes_a_dispatch_in_two_steps_and_waits_for_answers) {
  bench b;
  b.build(2, true);
  b.caches[1]->control_cycles = 70; // a K$ with much to write back
  b.caches[3]->control_cycles = 30; // a slow I$
  b.packet(1);
  b.packet(1);
  b.submit_all();
  b.start();
  const auto wb = b.of("K writeback_invalidate");
  BOOST_REQUIRE(wb.size() == 4u); // two caches, two dispatches
  BOOST_TEST(wb[0].cycle == 52u);
  const auto i = b.of("I invalidate"), l1 = b.of("L1 invalidate");
  BOOST_REQUIRE(i.size() == 4u);
  BOOST_REQUIRE(l1.size() == 4u);
  BOOST_TEST(i[0].cycle == 124u);  // the slow K$ answers at 52 + 70 + 1 = 123
  BOOST_TEST(l1[0].cycle == 124u);
  const auto l = b.of("launch");
  BOOST_TEST(l[0].cycle == 160u);  // the slow I$ answers at 155
  BOOST_TEST(b.d->statistics().maintenance_cycles == 2u * 104);
  // the second waits for the first group's end (160 + 3 + 100 + 1 = 264), then its own 50 + 104 cycles
  BOOST_TEST(l[1].cycle == 264u + 50 + 104 + 5);
  BOOST_TEST(b.lines.outstanding() == 0u);
}

BOOST_AUTO_TEST_CASE(dispatches_without_barrier_overlap_and_leave_caches_alone) {
  bench b;
  b.build(4, true);
  b.packet(2);
  b.packet(2).barrier = false;
  b.packet(1);
  b.submit_all();
  b.start();
  const auto l = b.of("launch"), e = b.of("end");
  BOOST_REQUIRE(l.size() == 5u);
  BOOST_TEST(l[2].e.packet->id == 1u);
  BOOST_TEST(l[2].cycle < e[0].cycle);           // starts while the first runs
  BOOST_TEST(l[4].e.packet->id == 2u);
  BOOST_TEST(l[4].cycle > e[3].cycle);           // has a barrier: waits for both
  BOOST_TEST(b.of("K writeback_invalidate").size() == 4u); // of the first and the last only
  for (size_t i = 0; i < 5; ++i) BOOST_TEST(l[i].e.group_number == i);
  BOOST_TEST(b.d->done());
}

BOOST_AUTO_TEST_CASE(a_packet_that_comes_late_is_processed_from_then_on) {
  bench b;
  b.build(4);
  b.packet(1);
  b.packet(1).barrier = false;
  b.d->submit(*b.packets[0]);
  b.start(5000); // the first has long ended
  b.d->submit(*b.packets[1]);
  b.start();
  const auto l = b.of("launch");
  BOOST_REQUIRE(l.size() == 2u);
  BOOST_TEST(l[1].cycle >= 5000 + b.d->quiet_cycles());
  BOOST_TEST(b.d->quiet_cycles() == 51u); // 50 of the packet, and the shorter of 5 and 1
}

BOOST_AUTO_TEST_CASE(partial_groups_of_a_3d_grid_have_their_own_size_and_waves) {
  bench b;
  b.build(2);
  auto& p = b.packet(1);
  const uint32_t grid[] = {19, 7, 5}, group[] = {8, 4, 2};
  for (int i = 0; i < 3; ++i) { p.grid[i] = grid[i]; p.workgroup[i] = group[i]; }
  b.submit_all();
  b.start();
  const auto l = b.of("launch");
  BOOST_REQUIRE(l.size() == 3u * 2 * 3);
  size_t n = 0;
  uint64_t wave = 0;
  for (uint32_t z = 0; z < 3; ++z)
    for (uint32_t y = 0; y < 2; ++y)
      for (uint32_t x = 0; x < 3; ++x, ++n) {
        const auto& e = l[n].e;
        BOOST_TEST((e.group[0] == x && e.group[1] == y && e.group[2] == z));
        const uint32_t sx = x == 2 ? 3 : 8, sy = y == 1 ? 3 : 4, sz = z == 2 ? 1 : 2;
        BOOST_TEST((e.size[0] == sx && e.size[1] == sy && e.size[2] == sz));
        BOOST_TEST(e.waves == (sx * sy * sz + 63) / 64);
        BOOST_TEST(e.first_wave_order == wave);
        wave += e.waves;
      }
}

BOOST_AUTO_TEST_CASE(all_groups_that_fit_are_resident_at_once) {
  bench b;
  b.build(2);
  // groups end only when the last one has started: they wait for each other
  unsigned started = 0;
  for (auto& c : b.cus) c->run_cycles = [&started](const fabric::launch_extension&) { ++started; return cycle_t(20000); };
  auto& p = b.packet(20, 256); // 4 waves, 10 to a CU by slots
  p.vgprs = 24;
  b.submit_all();
  b.start(10000);
  BOOST_TEST(started == 20u);
  BOOST_TEST(b.d->resident_waves() == 80u);
  BOOST_TEST(b.d->statistics().resident_waves_peak == 80u);
  const std::string text = b.d->describe_running(3);
  BOOST_TEST(text.find("dispatch 0 (k): 0 of 20 workgroups have ended, 20 run, 0 wait") == 0u);
  BOOST_TEST(text.find("workgroup (2, 0, 0) of dispatch 0: 4 waves on cu") != std::string::npos);
  BOOST_TEST(text.find("and 17 more workgroups") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(resources_come_back_and_waiting_is_put_down_to_what_lacks) {
  bench b;
  b.build(1, false, false);
  auto& p = b.packet(6);
  p.lds_bytes = 30000; // 30208: two at once
  b.submit_all();
  b.start();
  BOOST_TEST(b.d->done());
  const auto l = b.of("launch");
  BOOST_TEST(l[0].e.lds_base == 0u);
  BOOST_TEST(l[1].e.lds_base == 30208u);
  BOOST_TEST(l[2].e.lds_base == 0u);
  // pairs: launched at 58, 59; ended (3 + 100 + 1 later) at 162, 163; the next reach the CU 5 after that
  const cycle_t cycles[] = {58, 59, 167, 168, 276, 277};
  for (int i = 0; i < 6; ++i) BOOST_TEST(l[size_t(i)].cycle == cycles[i]);
  const auto& s = b.d->statistics();
  BOOST_TEST(s.wait_slots + s.wait_vgprs + s.wait_sgprs + s.wait_scratch == 0u);
  BOOST_TEST(s.wait_lds == 107u + 107u); // 55 to 162, and 164 to 271
  BOOST_TEST(s.launching_cycles == s.wait_lds + s.wait_launcher);
}

BOOST_AUTO_TEST_CASE(scratch_slots_are_given_once_and_reused) {
  bench b;
  b.build(2);
  auto& p = b.packet(12, 128);
  p.scratch_bytes = 100;
  p.scratch_wave_bytes = 7168;
  b.d->set_scratch_slots(5); // two groups of two waves at once
  b.submit_all();
  b.start();
  BOOST_TEST(b.d->done());
  std::set<uint64_t> taken;
  for (const auto& e : b.log) {
    for (unsigned w = 0; w < e.e.waves; ++w) {
      const uint64_t o = e.e.places[w].scratch_offset;
      BOOST_TEST(o % 7168 == 0u);
      BOOST_TEST(o / 7168 < 5u);
      if (e.what == "launch") BOOST_TEST(taken.insert(o).second);
      else taken.erase(o);
    }
  }
  BOOST_TEST(b.d->statistics().wait_scratch > 0u);
}

BOOST_AUTO_TEST_CASE(a_group_that_can_never_fit_is_refused_at_submission) {
  bench b;
  b.build(1);
  const auto message = [&](const fabric::dispatch_packet& p) -> std::string {
    try { b.d->submit(p); } catch (const observe::input_error& e) { return e.what(); }
    return "";
  };
  auto& p = b.packet(1, 1024);
  p.vgprs = 128;
  BOOST_TEST(message(p).find("dispatch 0 (k): a workgroup of 1024 work-items can never run: it needs 16 waves of 128 VGPRs") == 0u);
  p.vgprs = 64;
  p.lds_bytes = 70000;
  BOOST_TEST(message(p).find("bytes of LDS") != std::string::npos);
  p.lds_bytes = 0;
  p.scratch_wave_bytes = 1024;
  BOOST_TEST(message(p).find("scratch is set up for 0 waves") != std::string::npos);
  p.grid[0] = 100; // the only group is partial and small
  p.vgprs = 128;
  p.scratch_wave_bytes = 0;
  BOOST_TEST(message(p) == "");
}

BOOST_AUTO_TEST_CASE(a_stop_request_ends_launching) {
  bench b;
  b.build(1);
  b.packet(1000);
  b.submit_all();
  b.start(200);
  const size_t launched = b.of("launch").size();
  b.run_state.fault({"lyra/fault/test", "", fabric::now_ps()});
  b.start(10000);
  BOOST_TEST(launched > 0u);
  BOOST_TEST(b.of("launch").size() == launched);
}

namespace {
/// Replays a log: nothing may be given twice.
void check_resources(const bench& b) {
  struct used { std::set<unsigned> slots, vgprs; unsigned sgprs = 0; };
  std::map<std::pair<unsigned, unsigned>, used> simd;
  std::map<unsigned, std::set<unsigned>> lds; // granules
  std::vector<event> log = b.log;
  for (const auto& e : log) {
    const auto& p = *e.e.packet;
    const unsigned granules = (p.lds_bytes + 511) / 512, vgprs = (p.vgprs + 3) / 4 * 4, sgprs = (p.sgprs + 15) / 16 * 16;
    const bool launch = e.what == "launch";
    for (unsigned g = 0; g < granules; ++g) {
      const unsigned x = e.e.lds_base / 512 + g;
      BOOST_REQUIRE(x < 128);
      BOOST_REQUIRE(launch ? lds[e.port].insert(x).second : lds[e.port].erase(x) == 1);
    }
    for (unsigned w = 0; w < e.e.waves; ++w) {
      const auto& pl = e.e.places[w];
      BOOST_REQUIRE(pl.simd < 4);
      BOOST_REQUIRE(pl.slot < 10);
      auto& u = simd[{e.port, pl.simd}];
      BOOST_REQUIRE(launch ? u.slots.insert(pl.slot).second : u.slots.erase(pl.slot) == 1);
      for (unsigned v = 0; v < vgprs; ++v) {
        BOOST_REQUIRE(pl.vgpr_base + v < 256u);
        BOOST_REQUIRE(launch ? u.vgprs.insert(pl.vgpr_base + v).second : u.vgprs.erase(pl.vgpr_base + v) == 1);
      }
      u.sgprs += launch ? sgprs : -sgprs;
      BOOST_REQUIRE(u.sgprs <= 800);
    }
  }
  for (const auto& [k, u] : simd) BOOST_TEST((u.slots.empty() && u.vgprs.empty() && u.sgprs == 0));
}

std::string random_run(uint64_t seed, uint64_t chaos, bench& b) {
  std::mt19937_64 random(seed);
  b.ctx.chaos.seed = chaos;
  b.parameters.order = std::vector<std::string>{"in_order", "round_robin", "packed"}[random() % 3];
  b.parameters.groups_per_cycle = 1 + random() % 3;
  b.parameters.shader_engines = 1 + random() % 4;
  b.build(1 + random() % 9);
  for (auto& c : b.cus) {
    c->start_cycles = 1 + random() % 12;
    c->run_cycles = [](const fabric::launch_extension& e) { return cycle_t(1 + fabric::chaos_source::mix(e.group_number) % 900); };
  }
  for (int i = 0; i < 6; ++i) {
    auto& p = b.packet(uint32_t(1 + random() % 60), uint32_t(1 + random() % 1024));
    p.vgprs = 1 + unsigned(random() % 64);
    p.sgprs = 1 + unsigned(random() % 48);
    p.lds_bytes = random() % 2 ? 0 : uint32_t(random() % 65536);
    p.barrier = random() % 2;
  }
  b.submit_all();
  b.start(100000000);
  BOOST_REQUIRE(b.d->done());
  uint64_t groups = 0;
  for (const auto& p : b.packets) groups += p->groups();
  BOOST_REQUIRE(b.of("launch").size() == groups);
  BOOST_REQUIRE(b.d->groups_total() == groups);
  const auto& s = b.d->statistics();
  BOOST_TEST(s.launching_cycles == s.wait_slots + s.wait_vgprs + s.wait_sgprs + s.wait_lds + s.wait_scratch + s.wait_launcher);
  check_resources(b);
  std::string digest;
  for (const auto& e : b.log) digest += fmt::format("{} {} {} {}\n", e.cycle, e.port, e.what, e.e.group_number);
  return digest;
}
} // namespace

// One elaboration a process: the seeds are spread over cases.
BOOST_AUTO_TEST_CASE(random_dispatches_never_oversubscribe_seed_1) { bench b; random_run(1, 0, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_with_random_latencies_seed_1) { bench b; random_run(1, 1001, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_never_oversubscribe_seed_2) { bench b; random_run(2, 0, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_with_random_latencies_seed_2) { bench b; random_run(2, 1002, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_never_oversubscribe_seed_3) { bench b; random_run(3, 0, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_with_random_latencies_seed_3) { bench b; random_run(3, 1003, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_never_oversubscribe_seed_4) { bench b; random_run(4, 0, b); }
BOOST_AUTO_TEST_CASE(random_dispatches_with_random_latencies_seed_4) { bench b; random_run(4, 1004, b); }
