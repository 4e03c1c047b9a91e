// SPDX-License-Identifier: Apache-2.0
// A whole machine with a monitor of the base protocol on every edge: real kernels run right, and no edge breaks a rule.
#include "dispatch/expectation.h"
#include "dispatch/loaded_job.h"
#include "platforms/machine.h"
#include "platforms/machine_files.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"
#include "support/directories.h"
#include <map>

using namespace lyra;

namespace {

struct watched_machine {
  std::map<std::string, std::unique_ptr<testbench::protocol_monitor<>>> monitors; ///< by edge

  /// Runs a job on three compute units (one scalar cache group) and two L2 channels.
  void run(const std::string& file, std::vector<std::string> settings = {}, platforms::mode mode = platforms::mode::at) {
    settings.insert(settings.begin(), {"compute_units=3", "scalar_groups=3", "l2.channels=2", "dispatcher.shader_engines=1"});
    auto d = platforms::load_machine("vega10", settings);
    platforms::machine m(d->parameters, mode, isa::target::gfx900, nullptr, false, [this](const std::string& name, auto& from, auto& to) {
      auto& monitor = monitors[name];
      BOOST_REQUIRE(!monitor); // an edge has one name
      monitor = std::make_unique<testbench::protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor"));
      monitor->answered_before = name.find("l1-texture") != std::string::npos;
      from.bind(monitor->in);
      monitor->out.bind(to);
    });
    dispatch::machine_limits limits;
    limits.waves = m.wave_slots();
    dispatch::loaded_job job(dispatch::load_job(directories::source() + "/testbench/cases/" + file), m, limits);
    m.code() = compute_unit::code_cache(job.code_target());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    m.dispatcher().set_scratch_slots(job.scratch_slots());
    for (const auto& p : job.packets()) m.dispatcher().submit(*p);
    if (mode == platforms::mode::at) sc_core::sc_start();
    else
      while (!m.dispatcher().done() && m.run_state().faults.empty() && sc_core::sc_pending_activity()) sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US), sc_core::SC_EXIT_ON_STARVATION);
    BOOST_TEST(m.dispatcher().done());
    for (const auto& f : m.run_state().faults) BOOST_ERROR(f.text);
    for (const auto& f : m.run_state().findings) BOOST_ERROR(f.text);
    for (const auto& e : dispatch::check_all(job, m)) BOOST_TEST(e.passed(), e.text);
    for (const auto& [name, monitor] : monitors) BOOST_TEST(monitor->clean(), name << ": " << monitor->report());
  }
  /// Transactions over all edges whose names contain `part`.
  size_t transactions(const std::string& part) const {
    size_t n = 0, edges = 0;
    for (const auto& [name, monitor] : monitors)
      if (name.find(part) != std::string::npos) n += monitor->transactions(), ++edges;
    BOOST_TEST(edges > 0u, "no edge " << part);
    return n;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(every_edge_of_the_machine_carries_transactions_and_keeps_the_protocol) {
  watched_machine w;
  w.run("ocl/mm_lds/job.toml");
  // 3 CUs: texture, LDS, texture-L1, L1-texture, GDS, L1-crossbar, K$, I$, launch, L1 control; one SQC: two to the crossbar, two control; 2 channels: in, atomic, memory
  BOOST_TEST(w.monitors.size() == 3u * 10 + 4 + 2 * 3);
  for (const char* edge : {"cu-texture", "cu-lds", "texture-l1", "l1-texture", "l1-crossbar", "-scalar_cache", "-instruction_cache", "scalar_cache-crossbar", "instruction_cache-crossbar",
                           "crossbar-l2", "l2-memory", "dispatcher-cu0", "dispatcher-cu0.l1", "dispatcher-sqc0.scalar_cache", "dispatcher-sqc0.instruction_cache"})
    BOOST_TEST(w.transactions(edge) > 0u, edge);
}

BOOST_AUTO_TEST_CASE(atomics_reach_the_atomic_units_by_the_protocol) {
  watched_machine w;
  w.run("ocl/atomics32/job.toml");
  BOOST_TEST(w.transactions("l2-atomic") > 0u);
}

BOOST_AUTO_TEST_CASE(global_data_share_edges_keep_the_protocol) {
  watched_machine w;
  w.run("asm/c_gds_ops/job.toml");
  BOOST_TEST(w.transactions("-gds") > 0u);
}

BOOST_AUTO_TEST_CASE(scratch_and_calls_keep_the_protocol) { watched_machine().run("ocl/scratch/job.toml"); }
BOOST_AUTO_TEST_CASE(dependent_dispatches_keep_the_protocol) { watched_machine().run("ocl/bfs/job.toml"); }
BOOST_AUTO_TEST_CASE(image_samples_keep_the_protocol) { watched_machine().run("radv/dim_2darray/job.toml"); }
BOOST_AUTO_TEST_CASE(image_atomics_keep_the_protocol) { watched_machine().run("radv/atomic_image_uint/job.toml"); }
BOOST_AUTO_TEST_CASE(loads_into_the_data_share_keep_the_protocol) { watched_machine().run("asm/b_lds_load_format_x/job.toml"); }
BOOST_AUTO_TEST_CASE(histogram_with_random_latencies_keeps_the_protocol) { watched_machine().run("ocl/histogram/job.toml", {"chaos.seed=11"}); }
BOOST_AUTO_TEST_CASE(atomics_with_random_latencies_keep_the_protocol) { watched_machine().run("ocl/atomics32/job.toml", {"chaos.seed=12"}); }
BOOST_AUTO_TEST_CASE(transpose_with_random_latencies_keeps_the_protocol) { watched_machine().run("ocl/transpose/job.toml", {"chaos.seed=13"}); }
BOOST_AUTO_TEST_CASE(loosely_timed_runs_keep_the_protocol) { watched_machine().run("ocl/mm_lds/job.toml", {}, platforms::mode::lt); }
