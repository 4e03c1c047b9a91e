// SPDX-License-Identifier: Apache-2.0
#include "platforms/bench/report.h"
#include "observe/report.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

std::string value_text(const result& r) { return r.problem.empty() ? fmt::format("{:.4g}", r.value) : "none"; }
std::string error_text(const result& r) { return !r.problem.empty() || r.row.confidence == confidence::none ? "-" : fmt::format("{:+.1f} %", r.error); }
std::string source_text(const result& r) {
  std::string s = r.row.source;
  if (!r.row.chip.empty()) s += (s.empty() ? "" : "; ") + r.row.chip;
  if (!r.row.beside.empty()) s += (s.empty() ? "" : "; ") + std::string("[") + r.row.beside + "]";
  return s.empty() ? "not published" : s;
}
std::string remark(const result& r) {
  std::string s = r.row.note;
  if (!r.row.reason.empty()) s += (s.empty() ? "" : "; ") + std::string(r.row.tolerance < 0 ? "not judged: " : fmt::format("known, kept to {:g} %: ", r.row.tolerance)) + r.row.reason;
  if (!r.problem.empty()) s = r.problem;
  else if (!r.right()) s = "OUT OF TOLERANCE" + (s.empty() ? "" : "; " + s);
  return s;
}
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) { if (c == '"') out += '"'; out += c; }
  return out + "\"";
}
std::string summary_line(const std::vector<result>& results) {
  size_t judged = 0, within = 0, known = 0, wrong = 0, missing = 0, fitted = 0;
  for (const auto& r : results) {
    if (!r.problem.empty()) { ++missing; continue; }
    if (r.row.note.rfind("fitted", 0) == 0) ++fitted;
    if (!r.judged()) continue;
    ++judged;
    if (r.error <= 5 && r.error >= -5) ++within;
    else if (r.right()) ++known;
    if (!r.right()) ++wrong;
  }
  return fmt::format("{} rows: {} with a published figure, {} of them within 5 % ({} fitted to it), {} with a larger error that has a reason, {} out of tolerance; {} without a result\n", results.size(), judged, within, fitted, known, wrong,
                     missing);
}

} // namespace

std::string text(const std::vector<result>& results, const std::string& machine, double mhz) {
  observe::text_table t({"benchmark", "lyra", "published", "unit", "error", "conf.", "source; chip; [other figures]", "remark"}, "");
  for (const unsigned c : {3u, 5u, 6u, 7u}) t.left(c);
  for (const auto& r : results) t.add({r.row.name, value_text(r), published_text(r.row, mhz), r.row.unit, error_text(r), confidence_text(r.row.confidence), source_text(r), remark(r)});
  return fmt::format("{} at {:g} MHz\n{}{}", machine, mhz, t.text(), summary_line(results));
}

std::string csv(const std::vector<result>& results, const std::string& machine, double mhz) {
  std::string out = "machine,mhz,benchmark,meaning,value,unit,published_low,published_high,error_percent,tolerance_percent,confidence,source,chip,other,remark\n";
  for (const auto& r : results) {
    const bool known = r.row.confidence != confidence::none;
    const double extra = r.row.nanoseconds * mhz / 1000;
    out += fmt::format("{},{:g},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", machine, mhz, r.row.name, quoted(r.row.meaning), r.problem.empty() ? fmt::format("{:.6g}", r.value) : "", r.row.unit, known ? fmt::format("{:g}", r.row.low + extra) : "",
                       known ? fmt::format("{:g}", r.row.high + extra) : "", known && r.problem.empty() ? fmt::format("{:.2f}", r.error) : "", r.judged() ? fmt::format("{:g}", r.row.tolerance) : "", confidence_text(r.row.confidence),
                       quoted(r.row.source), quoted(r.row.chip), quoted(r.row.beside), quoted(remark(r)));
  }
  return out;
}

std::string markdown(const std::vector<result>& results, const std::string& machine, double mhz) {
  std::string out = fmt::format("### {}, {:g} MHz\n\n{}\n| benchmark | what | lyra | published | unit | error | conf. | source; chip; [other figures] | remark |\n|---|---|--:|--:|---|--:|---|---|---|\n", machine, mhz, summary_line(results));
  for (const auto& r : results)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", r.row.name, r.row.meaning, value_text(r), published_text(r.row, mhz), r.row.unit, error_text(r), confidence_text(r.row.confidence), source_text(r), remark(r));
  return out;
}

} // namespace lyra::platforms::bench
