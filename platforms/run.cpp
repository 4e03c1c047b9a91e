// SPDX-License-Identifier: Apache-2.0
#include "platforms/run.h"
#include "dispatch/expectation.h"
#include "observe/input_error.h"
#include "observe/report.h"
#include "observe/statistics_json.h"
#include "observe/trace_tee.h"
#include "observe/vcd_writer.h"
#include "fabric/time_domain.h"
#include "platforms/fst.h"
#include "platforms/interruption.h"
#include "platforms/edge_records.h"
#include "platforms/machine_files.h"
#include "platforms/profile.h"
#include "platforms/stopper.h"
#include "platforms/summary.h"
#include "platforms/timeline_recorder.h"
#include <algorithm>
#include <fstream>
#include <set>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace lyra::platforms {

namespace {

observe::about_pairs about(const described_machine& d, const run_options& o) {
  observe::about_pairs a = {{"program", "lyra " LYRA_VERSION}, {"machine", d.parameters.name}, {"mode", o.mode}, {"job", o.job}, {"seed", std::to_string(d.parameters.system.chaos_seed)}};
  for (const auto& [k, v] : d.set.changed()) a.emplace_back(k, v);
  return a;
}

observe::vcd_options trace_options(const run_options& o, const fabric::clock_domain& clock, const observe::about_pairs& a) {
  observe::vcd_options v;
  if (!o.trace.empty()) v.patterns = o.trace;
  for (const auto& [k, value] : a) v.comment += (v.comment.empty() ? "" : ", ") + k + " " + value;
  if (!o.trace_window.empty()) {
    const auto colon = o.trace_window.find(':');
    try {
      if (colon == std::string::npos) throw std::invalid_argument("");
      const std::string from = o.trace_window.substr(0, colon), to = o.trace_window.substr(colon + 1);
      if (!from.empty()) v.start_ps = clock.at(std::stoull(from));
      if (!to.empty()) v.end_ps = clock.at(std::stoull(to));
    } catch (const std::exception&) {
      throw observe::input_error("--trace-window " + o.trace_window, "give FROM:TO in cycles, either may be left out");
    }
  }
  return v;
}

/// Asserts reset for so long.
void reset_machine(machine& m, fabric::picoseconds length) {
  m.assert_reset();
  sc_core::sc_event end; // so that time passes
  end.notify(fabric::to_sc_time(length));
  sc_core::sc_start(fabric::to_sc_time(length));
  m.release_reset();
}

/// Names of all opcodes decoded: instructions are decoded when a wave first comes to them.
void write_opcodes(const std::string& file, const compute_unit::code_cache& code) {
  std::set<std::string> names;
  for (const auto& m : code.ops()) if (m.inst.info) names.insert(m.inst.info->name);
  std::ofstream out(file);
  for (const auto& n : names) out << n << '\n';
  if (!out.flush()) throw observe::input_error("--opcodes", fmt::format("cannot write \"{}\"", file));
}

void print_findings(const fabric::run_state& r) {
  for (const auto& f : r.findings) fmt::print(stderr, "{}: {}\n", f.id, f.text);
  if (r.findings_count > r.findings.size()) fmt::print(stderr, "... and {} more findings\n", r.findings_count - r.findings.size());
}

} // namespace

int run(const run_options& o) {
  auto described = load_machine(o.machine, o.settings);
  const auto m = o.mode == "lt" ? mode::lt : mode::at;
  for (const auto& f : o.profiles) check_profile_name(f);
  const uint64_t reset_at = described->parameters.system.reset_at_cycle;
  if (!o.waves.empty() && m == mode::lt) throw observe::input_error("--waves", "needs --mode at: loosely timed runs have no wave-cycles");
  const dispatch::job job = dispatch::load_job(o.job);
  const auto a = about(*described, o);
  const auto clock = fabric::clock_domain::from_mhz(described->parameters.system.core_mhz);
  const auto traced = trace_options(o, clock, a);
  const bool fst = is_fst(o.vcd);
  if (fst) require_vcd2fst();
  const std::string vcd_file = fst ? o.vcd + ".vcd" : o.vcd;
  std::unique_ptr<observe::vcd_writer> vcd;
  if (!o.vcd.empty()) vcd = std::make_unique<observe::vcd_writer>(vcd_file, traced);
  std::unique_ptr<observe::timeline> timeline_file;
  std::unique_ptr<queue_counters> queues;
  if (!o.timeline.empty()) {
    if (m == mode::lt) throw observe::input_error("--timeline", "needs --mode at: loosely timed runs have no wave-cycles");
    timeline_file = std::make_unique<observe::timeline>(o.timeline, a);
    queues = std::make_unique<queue_counters>(*timeline_file, o.trace);
  }
  std::vector<observe::trace*> receivers;
  if (vcd) receivers.push_back(vcd.get());
  if (queues) receivers.push_back(queues.get());
  observe::trace_tee tee(receivers);
  observe::trace* const trace = receivers.empty() ? nullptr : receivers.size() == 1 ? receivers[0] : &tee;

  const isa::target chip = described->parameters.system.chip == "gfx906" ? isa::target::gfx906 : isa::target::gfx900;
  edge_records& records = *new edge_records(o.records); // for the process's life, as the machine: taking it apart takes as long as building it
  machine& mach = *new machine(described->parameters, m, chip, trace, !o.checks.empty(), records.binder());
  records.check();
  std::unique_ptr<timeline_recorder> timeline;
  if (!o.timeline.empty()) {
    timeline = std::make_unique<timeline_recorder>(*timeline_file, mach, o.trace);
    if (!timeline->watches_any()) fmt::print(stderr, "lyra: --timeline: no compute unit matches --trace (as cuN.timeline)\n");
  }
  dispatch::machine_limits limits;
  limits.chip = chip;
  limits.waves = mach.wave_slots();
  auto loading = std::make_unique<dispatch::loaded_job>(job, mach, limits);
  mach.code() = compute_unit::code_cache(loading->code_target());
  mach.code().profile = !o.profiles.empty();
  std::vector<compute_unit::wave_account> accounts;
  if (!o.waves.empty())
    for (unsigned i = 0; i < mach.compute_units(); ++i) mach.cu(i).accounts = &accounts;
  stopper stop("stopper", mach);
  sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
  const auto submit = [&] {
    mach.dispatcher().set_scratch_slots(loading->scratch_slots());
    for (const auto& p : loading->packets()) mach.dispatcher().submit(*p);
  };
  submit();

  observe::statistics_region region(mach.statistics());
  std::unique_ptr<observe::statistics_sampler> sampler;
  if (o.statistics_every) sampler = std::make_unique<observe::statistics_sampler>(o.statistics.empty() ? "statistics.jsonl" : o.statistics + "l", mach.statistics(), a);
  observe::progress_bar progress(stderr, !o.quiet && isatty(2));
  const auto began = std::chrono::steady_clock::now();
  const interruption interrupted;
  bool starved = false, out_of_time = false, reset_done = reset_at == 0;
  const uint64_t chunk = o.statistics_every ? o.statistics_every : timeline ? timeline_recorder::sample_cycles : 50000;
  for (uint64_t until = 0; !mach.dispatcher().done() && mach.run_state().faults.empty();) {
    if (!sc_core::sc_pending_activity()) { starved = true; break; }
    if (interrupted.signal()) break;
    if (o.max_cycles && until >= o.max_cycles) { out_of_time = true; break; }
    until += chunk;
    if (o.max_cycles) until = std::min(until, o.max_cycles);
    if (!reset_done) until = std::min(until, reset_at);
    // time stays at the last event, so that a machine that waits forever is reported at the cycle when it stopped
    fabric::set_horizon(clock.at(until));
    const sc_core::sc_time left = fabric::to_sc_time(clock.at(until)) - fabric::to_sc_time(fabric::now_ps());
    if (sc_core::sc_time_to_pending_activity() <= left) sc_core::sc_start(left, sc_core::SC_EXIT_ON_STARVATION);
    const uint64_t reached = mach.dispatcher().done() ? mach.cycle() : until;
    if (sampler) sampler->sample(reached, clock.at(reached));
    if (timeline) timeline->sample(reached);
    if (!reset_done && until == reset_at && !mach.dispatcher().done() && mach.run_state().faults.empty()) {
      reset_done = true;
      if (timeline) timeline->reset(reset_at);
      if (sampler) sampler->reset(reset_at, clock.at(reset_at));
      reset_machine(mach, clock.at(described->parameters.system.reset_cycles));
      loading->unload(mach);
      loading = std::make_unique<dispatch::loaded_job>(job, mach, limits);
      accounts.clear();
      submit();
      until = 0;
      if (!o.quiet) fmt::print("reset at cycle {}; the job runs again\n", reset_at);
    }
    progress.update(mach.dispatcher().groups_done(), mach.dispatcher().groups_total(), fmt::format("cycle {}", mach.cycle()));
  }
  const dispatch::loaded_job& loaded = *loading;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  progress.finish();
  mach.close_statistics();
  if (timeline) timeline_file->close();
  if (vcd) {
    for (const auto& p : vcd->unmatched()) fmt::print(stderr, "lyra: --trace {}: selects no signal (lyra trace --list shows the names)\n", p);
    vcd->close(fabric::kernel_ps());
    if (fst) convert_to_fst(vcd_file, o.vcd);
  }
  if (!o.statistics.empty()) observe::write_statistics(o.statistics, region, a, {mach.cycle(), fabric::now_ps()});
  if (!o.waves.empty()) write_wave_accounts(o.waves, std::move(accounts), loaded);
  const auto write_profiles = [&] {
    if (o.profiles.empty()) return;
    const profile p = take_profile(mach, loaded, a);
    for (const auto& f : o.profiles) write_profile(f, p);
  };

  if (!o.opcodes.empty()) write_opcodes(o.opcodes, mach.code());

  auto& r = mach.run_state();
  print_findings(r);
  if (!r.faults.empty() || starved || out_of_time || interrupted.signal()) {
    std::fflush(stdout);
    for (const auto& f : r.faults) {
      fmt::print(stderr, "{}: {}\n", f.id, f.text);
      if (const auto where = loaded.describe_pc(f.pc); !where.empty()) fmt::print(stderr, "  in {}\n", where);
      if (f.address) if (const auto where = loaded.describe_address(f.address); !where.empty()) fmt::print(stderr, "  the address {:#x} is {}\n", fabric::sign_extended(f.address), where);
    }
    if (starved) fmt::print(stderr, "lyra/deadlock: nothing can go on at cycle {}: every wave waits for something that will never come.\n{}", mach.cycle(), mach.describe_unfinished());
    if (out_of_time) fmt::print(stderr, "lyra/max-cycles: not finished after {} cycles (--max-cycles).\n{}", o.max_cycles, mach.describe_unfinished());
    if (interrupted.signal()) fmt::print(stderr, "lyra/interrupted: {} at cycle {}.\n{}", interrupted.name(), mach.cycle(), mach.describe_unfinished());
    if (!o.quiet) fmt::print("{}", summary(mach, seconds));
    write_profiles();
    if (interrupted.signal()) {
      std::fflush(stdout);
      interrupted.die();
    }
    return machine_fault;
  }
  if (!o.quiet) fmt::print("{}", summary(mach, seconds));
  write_profiles();
  const auto results = dispatch::check_all(loaded, mach);
  dispatch::write_outputs(loaded, mach, o.output_directory);
  bool passed = true;
  for (const auto& e : results) {
    passed &= e.passed();
    if (!e.passed() || !o.quiet) fmt::print(e.passed() ? stdout : stderr, "{}\n", e.text);
  }
  if (passed && !results.empty() && !o.quiet) fmt::print("all {} expectations hold\n", results.size());
  return passed ? right : wrong_result;
}

} // namespace lyra::platforms
