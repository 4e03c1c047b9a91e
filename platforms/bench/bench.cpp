// SPDX-License-Identifier: Apache-2.0
#include "platforms/bench/bench.h"
#include "observe/glob.h"
#include "observe/input_error.h"
#include "observe/report.h"
#include "platforms/bench/report.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace lyra::platforms::bench {

namespace {

bool for_machine(const benchmark& b, const std::string& machine) {
  if (b.machines.empty()) return true;
  std::istringstream in(b.machines);
  for (std::string word; in >> word;) if (word == machine) return true;
  return false;
}

std::vector<benchmark> chosen(const bench_options& o, const std::string& machine) {
  std::vector<benchmark> rows;
  std::vector<bool> used(o.only.size());
  for (auto& b : all_benchmarks()) {
    if (!for_machine(b, machine)) continue;
    bool wanted = o.only.empty();
    for (size_t i = 0; i < o.only.size(); ++i)
      if (observe::glob_match(o.only[i], b.name)) wanted = used[i] = true;
    if (wanted) rows.push_back(std::move(b));
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) throw observe::input_error("--only " + o.only[i], "selects no benchmark of this machine (lyra bench --list shows the names)");
  return rows;
}

void write_file(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw observe::input_error(file, "cannot be written");
}

std::unique_ptr<observe::progress_bar> progress;

} // namespace

int bench(const bench_options& o) {
  const auto described = load_machine(o.machine, o.settings);
  const std::string machine = described->parameters.name;
  const double mhz = described->parameters.system.core_mhz;
  const auto rows = chosen(o, machine);
  if (o.list) {
    observe::text_table t({}, "");
    t.left(1);
    for (const auto& b : rows) t.add({b.name, b.meaning});
    fmt::print("{}", t.text());
    return 0;
  }
  std::vector<measurement> list;
  for (const auto& b : rows) {
    list.push_back(b.measurement);
    if (b.less) list.push_back(*b.less);
  }
  std::fflush(stdout); // children must not print it again
  progress = std::make_unique<observe::progress_bar>(stderr, isatty(2));
  const unsigned processes = o.processes ? o.processes : std::max(1u, std::thread::hardware_concurrency());
  const auto outcomes = measure_all(list, o.machine, o.settings, processes, [](size_t done, size_t all) { progress->update(done, all, "benchmarks"); });
  progress->finish();

  std::vector<result> results;
  size_t k = 0;
  for (const auto& b : rows) {
    result r;
    r.row = b;
    r.value = outcomes[k].value;
    r.problem = outcomes[k++].problem;
    if (b.less) {
      r.value = (r.value - outcomes[k].value) / b.divide;
      if (r.problem.empty()) r.problem = outcomes[k].problem;
      ++k;
    }
    if (b.confidence != confidence::none) r.error = error_of(b, r.value, mhz);
    results.push_back(std::move(r));
  }
  fmt::print("{}", text(results, machine, mhz));
  if (!o.csv.empty()) write_file(o.csv, csv(results, machine, mhz));
  if (!o.markdown.empty()) write_file(o.markdown, markdown(results, machine, mhz));
  if (!o.plot.empty()) write_file(o.plot, plot(results, machine, mhz));
  return std::all_of(results.begin(), results.end(), [](const result& r) { return r.right(); }) ? 0 : 1;
}

} // namespace lyra::platforms::bench
