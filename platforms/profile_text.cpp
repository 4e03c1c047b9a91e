// SPDX-License-Identifier: Apache-2.0
// The profile for a terminal.
#include "observe/report.h"
#include "platforms/profile.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::platforms {

using namespace compute_unit;

namespace {

/// "vmcnt 1234, arbitration_lost 56": what held waves here, the most first; at most three.
std::string causes(const profile_record& r) {
  std::vector<unsigned> order;
  for (unsigned i = 0; i < stall_count; ++i)
    if (r.stalls[i] && stall(i) != stall::issuing) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return r.stalls[a] > r.stalls[b]; });
  std::string s;
  for (size_t k = 0; k < order.size() && k < 3; ++k) s += fmt::format("{}{} {}", k ? ", " : "", stall_name[order[k]], r.stalls[order[k]]);
  return order.size() > 3 ? s + " ..." : s;
}

void add_row(observe::text_table& t, const profile& p, const profile_line& l) {
  const auto& r = l.record;
  if (!r.executions && !l.cycles()) { t.add({"", "", "", "", "", "", "", fmt::format("{:#x}", l.offset), l.text}); return; }
  const std::string lanes = r.executions ? fmt::format("{:.1f}", double(r.lanes) / double(r.executions)) : "-";
  const std::string latency = r.returns ? fmt::format("{} {:.0f} {}", r.latency_min, double(r.latency_sum) / double(r.returns), r.latency_max) : "";
  t.add({observe::percent(l.cycles(), p.cycles), std::to_string(r.executions), lanes, std::to_string(r.stalls[unsigned(stall::issuing)]), causes(r), latency,
         l.load && r.lines ? observe::percent(r.hits, r.lines) : "", fmt::format("{:#x}", l.offset), l.text});
}

} // namespace

std::string profile_text(const profile& p) {
  std::string out = "\nprofile by instruction";
  if (!p.timed) out += " (loosely timed: executions and lanes only)";
  out += fmt::format("\n  share: of all {} wave-cycles. lanes: active, mean. issuing, stalled: wave-cycles. latency: min mean max, cycles. hits: of lines in L1 or K$\n", observe::human_count(double(p.cycles)));
  source_text sources;
  for (const auto& s : p.sections) {
    out += fmt::format("\n{}: {} of the wave-cycles\n", s.name, observe::percent(s.cycles, p.cycles));
    observe::text_table t({"share", "executions", "lanes", "issuing", "stalled by", "latency", "hits", "offset", "instruction"});
    for (const unsigned c : {4u, 8u}) t.left(c);
    dispatch::source_position shown;
    for (const auto& l : s.lines) {
      if (l.source.file && (l.source.file != shown.file || l.source.line != shown.line)) {
        std::string text = sources.line(l.source);
        text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
        const auto slash = l.source.file->rfind('/');
        t.add({"", "", "", "", "", "", "", "", !l.source.line ? "; no source line" : fmt::format("; {}:{}{}{}", l.source.file->substr(slash + 1), l.source.line, text.empty() ? "" : "  ", text)});
        shown = l.source;
      }
      add_row(t, p, l);
    }
    out += t.text();
  }
  return out;
}

} // namespace lyra::platforms
