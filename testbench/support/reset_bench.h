// SPDX-License-Identifier: Apache-2.0
// A machine that is reset at random cycles of a job: what runs behind a reset must be exactly what runs in a new machine.
#pragma once
#include "dispatch/expectation.h"
#include "dispatch/loaded_job.h"
#include "platforms/machine.h"
#include "platforms/machine_files.h"
#include "support/directories.h"
#include "support/protocol_monitor.h"
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace lyra::testbench {

class reset_bench {
public:
  /// Three compute units with one scalar cache group, two L2 channels, a protocol monitor on every edge.
  explicit reset_bench(std::vector<std::string> settings = {}, platforms::mode mode = platforms::mode::at) {
    settings.insert(settings.begin(), {"compute_units=3", "scalar_groups=3", "l2.channels=2", "dispatcher.shader_engines=1"});
    auto d = platforms::load_machine("vega10", settings);
    machine_ = std::make_unique<platforms::machine>(d->parameters, mode, isa::target::gfx900, nullptr, false, [this](const std::string& name, auto& from, auto& to) {
      auto& monitor = monitors_[name];
      monitor = std::make_unique<protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor"));
      monitor->answered_before = name.find("l1-texture") != std::string::npos;
      from.bind(monitor->in);
      monitor->out.bind(to);
    });
    machine_->run_state().on_stop = [] { sc_core::sc_pause(); };
  }

  /// Runs the job once, then resets the machine `times` times at random cycles of it; after every `each`-th reset the job runs to its end and is compared.
  void check(const std::string& file, unsigned times, unsigned each, uint64_t seed = 1) {
    file_ = directories::source() + "/testbench/cases/" + file;
    load();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    submit();
    run_to_end();
    const outcome first = look();
    BOOST_TEST_MESSAGE(file << ": " << first.cycles << " cycles");
    std::mt19937_64 random(seed);
    for (unsigned i = 1; i <= times; ++i) {
      reset(1 + random() % 40);
      if (i % each == 0) {
        run_to_end();
        compare(first, look(), i);
        reset(5);
      }
      const uint64_t cycle = 1 + random() % first.cycles;
      BOOST_TEST_CONTEXT("reset " << i << " at cycle " << cycle) {
        sc_core::sc_start(fabric::to_sc_time(machine_->context().core.at(cycle)), sc_core::SC_EXIT_ON_STARVATION);
        no_faults();
      }
    }
    reset(3);
    run_to_end();
    compare(first, look(), times + 1);
  }
  platforms::machine& machine() { return *machine_; }

private:
  struct outcome {
    uint64_t cycles = 0;
    std::vector<uint64_t> counters;
    std::vector<std::vector<uint8_t>> buffers;
  };

  void load() {
    dispatch::machine_limits limits;
    limits.waves = machine_->wave_slots();
    const dispatch::job spec = dispatch::load_job(file_);
    if (job_) job_->unload(*machine_);
    else machine_->code() = compute_unit::code_cache(isa::target::gfx900);
    job_ = std::make_unique<dispatch::loaded_job>(spec, *machine_, limits);
  }
  void submit() {
    machine_->dispatcher().set_scratch_slots(job_->scratch_slots());
    for (const auto& p : job_->packets()) machine_->dispatcher().submit(*p);
  }
  void reset(uint64_t cycles) {
    machine_->assert_reset();
    BOOST_REQUIRE(machine_->context().lines->outstanding() == 0u); // every payload is back
    BOOST_REQUIRE(machine_->context().waves->outstanding() == 0u);
    for (const auto& e : machine_->statistics().entries()) BOOST_TEST(*e.value == 0u, e.path << " is " << *e.value << " in reset");
    load();
    sc_core::sc_event end;
    const sc_core::sc_time length = fabric::to_sc_time(machine_->context().core.at(cycles));
    end.notify(length);
    sc_core::sc_start(length);
    machine_->release_reset();
    BOOST_TEST(machine_->cycle() == 0u);
    submit();
  }
  void run_to_end() {
    while (!machine_->dispatcher().done() && machine_->run_state().faults.empty() && sc_core::sc_pending_activity()) sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US), sc_core::SC_EXIT_ON_STARVATION);
    BOOST_TEST(machine_->dispatcher().done());
    no_faults();
  }
  void no_faults() {
    for (const auto& f : machine_->run_state().faults) BOOST_ERROR(f.text);
    for (const auto& f : machine_->run_state().findings) BOOST_ERROR(f.text);
    for (const auto& [name, monitor] : monitors_) BOOST_TEST(monitor->violation_count() == 0u, name << ": " << monitor->report());
  }
  outcome look() {
    outcome o;
    o.cycles = machine_->dispatcher().records().back().end_ps / machine_->context().core.period();
    machine_->close_statistics();
    for (const auto& e : machine_->statistics().entries()) o.counters.push_back(*e.value);
    for (const auto& b : job_->buffers()) {
      o.buffers.emplace_back(b.bytes);
      machine_->read(b.address, o.buffers.back().data(), b.bytes);
    }
    for (const auto& e : dispatch::check_all(*job_, *machine_)) BOOST_TEST(e.passed(), e.text);
    return o;
  }
  void compare(const outcome& first, const outcome& now, unsigned resets) {
    BOOST_TEST_CONTEXT("behind reset " << resets) {
      BOOST_TEST(now.cycles == first.cycles);
      for (size_t i = 0; i < first.counters.size(); ++i)
        if (first.counters[i] != now.counters[i]) BOOST_ERROR(machine_->statistics().entries()[i].path << ": " << now.counters[i] << ", in a new machine " << first.counters[i]);
      for (size_t i = 0; i < first.buffers.size(); ++i) BOOST_TEST((first.buffers[i] == now.buffers[i]), "buffer " << job_->buffers()[i].name << " differs");
    }
  }

  std::map<std::string, std::unique_ptr<protocol_monitor<>>> monitors_; ///< by edge
  std::unique_ptr<platforms::machine> machine_;
  std::string file_;
  std::unique_ptr<dispatch::loaded_job> job_;
};

} // namespace lyra::testbench
