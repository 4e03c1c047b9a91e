// SPDX-License-Identifier: Apache-2.0
// The `lyra` program.
#include "dispatch/code_object.h"
#include "observe/input_error.h"
#include "observe/statistics_json.h"
#include "platforms/bench/bench.h"
#include "platforms/disassemble.h"
#include "platforms/host_memory.h"
#include "platforms/machine_files.h"
#include "platforms/run.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace lyra;
using namespace lyra::platforms;

namespace {

/// SystemC's banner would stand in front of every output; its licence is named in README.
const int no_banner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

/// Declares every signal, traces none: for `lyra trace --list`.
class name_collector : public observe::trace {
public:
  struct entry { std::string path; unsigned bits; const char* meaning; };
  std::vector<entry> entries;
protected:
  bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t&) override { entries.push_back({path, bits, meaning}); return false; }
  void change(uint32_t, uint64_t, uint64_t) override {}
};

[[noreturn]] void leave(int code) {
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code); // SystemC objects of an unfinished run are not worth taking apart
}

} // namespace

int sc_main(int argc, char** argv) {
  use_huge_pages();
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_verbosity_level(sc_core::SC_NONE);
  CLI::App app{"Lyra: a SystemC TLM-2.0 model of AMD's Vega compute unit"};
  app.set_version_flag("--version", "lyra " LYRA_VERSION);
  app.require_subcommand(1);

  run_options o;
  auto* run_command = app.add_subcommand("run", "run a job file on a machine");
  run_command->add_option("JOB", o.job, "job file (TOML)")->required();
  run_command->add_option("--machine", o.machine, "machine name or file")->capture_default_str();
  run_command->add_option("--mode", o.mode, "at: approximately timed; lt: loosely timed, fast")->check(CLI::IsMember({"at", "lt"}))->capture_default_str();
  run_command->add_option("--set", o.settings, "set a parameter: l2.channels=8 (lyra machine --list)")->allow_extra_args(false)->take_all();
  run_command->add_option("--max-cycles", o.max_cycles, "stop after so many cycles (exit 3)");
  run_command->add_option("--vcd", o.vcd, "write the waves: a VCD file, or FST where the name ends in .fst (by vcd2fst)");
  run_command->add_option("--trace", o.trace, "signals for --vcd: a glob, 'cu0.*' (lyra trace --list)")->allow_extra_args(false)->take_all();
  run_command->add_option("--trace-window", o.trace_window, "cycles of the VCD: FROM:TO");
  run_command->add_option("--timeline", o.timeline, "write a timeline for Perfetto (JSON) of the compute units that --trace selects (all without)");
  run_command->add_flag("--profile{-}", o.profiles, "what each instruction cost: text behind the report, or --profile=FILE.txt, .csv, .html")->take_all();
  run_command->add_option("--waves", o.waves, "write the life of every wave and where its cycles went (CSV)");
  run_command->add_option("--stats", o.statistics, "write statistics as JSON");
  run_command->add_option("--stats-every", o.statistics_every, "sample statistics each N cycles (JSON lines)");
  run_command->add_option("--output-dir", o.output_directory, "where the job's [[output]] files go (default: as the job says)");
  run_command->add_option("--opcodes", o.opcodes, "write the names of the opcodes that the waves came to, one a line");
  run_command->add_option("--check", o.checks, "watch for faults of the program: races (unordered conflicting accesses of waves)")->check(CLI::IsMember({"races"}))->allow_extra_args(false)->take_all();
  run_command->add_option("--record", o.records, "write the requests of an edge to a file, for replay on one block: cu0.cu-lds=FILE, dispatcher-cu0=FILE")->allow_extra_args(false)->take_all();
  run_command->add_flag("--quiet", o.quiet, "only what is wrong");

  std::string file, target, pattern = "*", machine_name = "vega10";
  std::vector<std::string> settings;
  bool list = false, as_json = false;
  auto* info = app.add_subcommand("info", "what is in a code object");
  info->add_option("FILE", file, "code object (.co)")->required();
  auto* disasm = app.add_subcommand("disasm", "machine code as text");
  disasm->add_option("FILE", file, "code object (.co), or bare machine code")->required();
  disasm->add_option("--target", target, "gfx900 or gfx906: what bare code is for (default gfx900)");
  auto* machine_command = app.add_subcommand("machine", "machines and their parameters");
  machine_command->add_option("--machine", machine_name, "machine name or file")->capture_default_str();
  machine_command->add_option("--set", settings, "set a parameter")->allow_extra_args(false)->take_all();
  machine_command->add_flag("--list", list, "every parameter: value, unit, range, source, meaning");
  machine_command->add_flag("--json", as_json, "with --list: for programs");
  machine_command->add_option("PATTERN", pattern, "only parameters that match this glob");
  auto* stats = app.add_subcommand("stats", "statistics");
  stats->add_flag("--list", list, "every counter with unit and meaning")->required();
  stats->add_flag("--json", as_json, "for programs");
  stats->add_option("--machine", machine_name, "machine name or file")->capture_default_str();
  auto* trace = app.add_subcommand("trace", "signals for --vcd");
  trace->add_flag("--list", list, "every signal with width and meaning")->required();
  trace->add_option("--machine", machine_name, "machine name or file")->capture_default_str();

  bench::bench_options b;
  auto* bench_command = app.add_subcommand("bench", "micro-benchmarks of a machine beside published figures");
  bench_command->add_option("--machine", b.machine, "machine name or file")->capture_default_str();
  bench_command->add_option("--only", b.only, "only benchmarks that match this glob: 'latency.*'")->allow_extra_args(false)->take_all();
  bench_command->add_option("--set", b.settings, "set a parameter")->allow_extra_args(false)->take_all();
  bench_command->add_option("--csv", b.csv, "write the table as CSV");
  bench_command->add_option("--markdown", b.markdown, "write the table as Markdown");
  bench_command->add_option("--plot", b.plot, "write latency against working set (the sweep.* benchmarks) as SVG");
  bench_command->add_option("--processes", b.processes, "benchmarks at once (default: the host's processors)");
  bench_command->add_flag("--list", b.list, "names and meanings only");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : bad_input;
  }
  try {
    if (*run_command) leave(run(o));
    if (*bench_command) leave(bench::bench(b));
    if (*info) {
      fmt::print("{}", dispatch::code_object::load(file).describe());
      return 0;
    }
    if (*disasm) {
      if (const unsigned n = disassemble_file(file, target)) fmt::print(stderr, "lyra: {}: {} illegal dwords\n", file, n);
      return 0;
    }
    if (*machine_command) {
      auto m = load_machine(machine_name, settings);
      if (list) fmt::print("{}", as_json ? m->set.list_json(pattern) : m->set.list(pattern));
      else {
        fmt::print("machines: {}\n{} ({}):\n", observe::join(known_machines()), m->parameters.name, m->file);
        for (const auto& [k, v] : m->set.changed()) fmt::print("  {} = {}\n", k, v);
        fmt::print("everything else is at its default: lyra machine --list\n");
      }
      return 0;
    }
    auto d = load_machine(machine_name, {});
    name_collector names;
    machine m(d->parameters, mode::at, isa::target::gfx900, &names);
    if (*stats) fmt::print("{}", as_json ? observe::statistics_list_json(m.statistics()) : observe::statistics_list(m.statistics()));
    if (*trace) for (const auto& e : names.entries) fmt::print("{:40} {:>7}  {}\n", e.path, e.bits ? fmt::format("{} bit", e.bits) : "text", e.meaning);
    leave(0);
  } catch (const observe::input_error& e) {
    fmt::print(stderr, "lyra: {}\n", e.what());
    leave(bad_input);
  } catch (const sc_core::sc_report& e) {
    fmt::print(stderr, "{}: {}\n", e.get_msg_type(), e.get_msg());
    leave(machine_fault);
  } catch (const std::exception& e) {
    fmt::print(stderr, "lyra: {}\n", e.what());
    leave(bad_input);
  }
  return 0;
}
