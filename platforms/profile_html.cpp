// SPDX-License-Identifier: Apache-2.0
// The profile as one self-contained page: sortable, heat by share, a bar of causes a line.
#include "observe/report.h"
#include "platforms/profile.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lyra::platforms {

using namespace compute_unit;

namespace {

constexpr const char* colours[stall_count] = {"#3a9b5c", "#d1495b", "#e07a3f", "#edae49", "#b08d2e", "#8457a8", "#2e86ab", "#1b998b", "#5c677d", "#7d8597", "#b56576", "#9d0208", "#f4a261",
                                              "#343a52", "#a8b0bd", "#d6dae0", "#bcc3cc"};

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
:root { --ink: #1d2433; --soft: #667085; --line: #e4e7ec; --page: #f7f8fa; }
body { font: 14px/1.45 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--page); margin: 0; padding: 24px 32px; }
h1 { font-size: 20px; margin: 0 0 2px; } h2 { font-size: 16px; margin: 28px 0 8px; } h2 small, .about { color: var(--soft); font-weight: normal; font-size: 13px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 12px 0 4px; font-size: 12px; } .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
table { border-collapse: collapse; background: #fff; border: 1px solid var(--line); border-radius: 6px; font-size: 12.5px; width: 100%; }
th { position: sticky; top: 0; background: #fff; text-align: right; font-weight: 600; padding: 7px 10px; border-bottom: 2px solid var(--line); white-space: nowrap; cursor: pointer; user-select: none; }
th.l, td.l { text-align: left; } th.up::after { content: " \25b2"; color: var(--soft); } th.down::after { content: " \25bc"; color: var(--soft); }
td { text-align: right; padding: 2px 10px; white-space: nowrap; font-variant-numeric: tabular-nums; } td.code { font-family: "DejaVu Sans Mono", Consolas, monospace; font-size: 12px; text-align: left; white-space: pre; }
tr:hover td { background-color: #eef4fb; } tr.cold td { color: #98a2b3; } tr.src td { color: #475467; background: #f2f4f7; padding-top: 5px; }
.bar { display: flex; width: 220px; height: 12px; } .bar i { height: 12px; } .whole { width: 100%; max-width: 900px; height: 18px; border-radius: 3px; overflow: hidden; } .whole i { height: 18px; }
</style>
)";

constexpr const char* script = R"(<script>
document.querySelectorAll("table").forEach(table => {
  const body = table.tBodies[0], original = Array.from(body.rows);
  table.querySelectorAll("th").forEach((th, column) => th.addEventListener("click", () => {
    const was = th.className.includes("down") ? "down" : th.className.includes("up") ? "up" : "";
    table.querySelectorAll("th").forEach(o => o.classList.remove("up", "down"));
    if (th.dataset.key === "place") { original.forEach(r => { r.hidden = false; body.appendChild(r); }); return; }
    const next = was === "down" ? "up" : "down";
    th.classList.add(next);
    const rows = original.filter(r => !r.classList.contains("src"));
    const value = r => { const v = r.cells[column].dataset.v; return v === undefined || v === "" ? -Infinity : Number(v); };
    rows.sort((a, b) => (value(b) - value(a)) * (next === "down" ? 1 : -1));
    original.forEach(r => { if (r.classList.contains("src")) r.hidden = true; });
    rows.forEach(r => body.appendChild(r));
  }));
});
</script>
)";

std::string escaped(const std::string& s) {
  std::string o;
  for (const char c : s) {
    if (c == '&') o += "&amp;";
    else if (c == '<') o += "&lt;";
    else if (c == '>') o += "&gt;";
    else if (c == '"') o += "&quot;";
    else o += c;
  }
  return o;
}

/// Coloured parts of `stalls`, together `width` per cent of the bar.
std::string parts(const uint64_t* stalls, double width) {
  uint64_t all = 0;
  for (unsigned i = 0; i < stall_count; ++i) all += stalls[i];
  std::string s;
  for (unsigned i = 0; i < stall_count; ++i)
    if (stalls[i]) s += fmt::format("<i style=\"width:{:.2f}%;background:{}\" title=\"{} {}\"></i>", width * double(stalls[i]) / double(all), colours[i], stall_name[i], stalls[i]);
  return s;
}

/// From white to orange red with the share of all wave-cycles; the root keeps small shares visible.
std::string heat(uint64_t cycles, uint64_t all) {
  if (!cycles || !all) return "";
  return fmt::format(" style=\"background:rgba(226,88,34,{:.3f})\"", std::min(0.85, std::sqrt(double(cycles) / double(all))));
}

std::string row(const profile& p, const profile_line& l, uint64_t most) {
  const auto& r = l.record;
  const uint64_t cycles = l.cycles();
  const auto number = [](double v, const std::string& text) { return fmt::format("<td data-v=\"{:.6g}\">{}</td>", v, text); };
  std::string s = r.executions || cycles ? "<tr>" : "<tr class=\"cold\">";
  s += fmt::format("<td data-v=\"{}\"{}>{}</td>", cycles, heat(cycles, p.cycles), cycles ? observe::percent(cycles, p.cycles) : "");
  s += number(double(r.executions), std::to_string(r.executions));
  s += r.executions ? number(double(r.lanes) / double(r.executions), fmt::format("{:.1f}", double(r.lanes) / double(r.executions))) : "<td></td>";
  const uint64_t issuing = r.stalls[unsigned(stall::issuing)];
  s += number(double(issuing), issuing ? std::to_string(issuing) : "") + number(double(cycles - issuing), cycles - issuing ? std::to_string(cycles - issuing) : "");
  s += fmt::format("<td class=\"l\" data-v=\"{}\"><div class=\"bar\">{}</div></td>", cycles, cycles ? parts(r.stalls, 100.0 * double(cycles) / double(most)) : "");
  const double mean = r.returns ? double(r.latency_sum) / double(r.returns) : 0;
  s += r.returns ? fmt::format("<td data-v=\"{:.3f}\">{} / {:.0f} / {}</td>", mean, r.latency_min, mean, r.latency_max) : "<td></td>";
  s += l.load && r.lines ? number(double(r.hits) / double(r.lines), observe::percent(r.hits, r.lines)) : "<td></td>";
  return s + fmt::format("<td class=\"code\" data-v=\"{}\">{:#x}</td><td class=\"code\">{}</td></tr>\n", l.offset, l.offset, escaped(l.text));
}

} // namespace

std::string profile_html(const profile& p) {
  std::string job;
  for (const auto& [k, v] : p.about) if (k == "job") job = v;
  std::string out = head;
  out += fmt::format("<title>Profile: {}</title></head><body>\n<h1>Profile: {}</h1>\n<div class=\"about\">", escaped(job), escaped(job));
  for (const auto& [k, v] : p.about) if (k != "job") out += fmt::format("{} {} &ensp; ", escaped(k), escaped(v));
  out += "</div>\n";
  if (!p.timed) out += "<p>Loosely timed: executions and lanes only.</p>\n";
  else {
    out += fmt::format("<div class=\"legend\"><b>where {} wave-cycles went</b></div><div class=\"bar whole\">{}</div><div class=\"legend\">", observe::human_count(double(p.cycles)), parts(p.stalls, 100));
    for (unsigned i = 0; i < stall_count; ++i)
      if (p.stalls[i]) out += fmt::format("<span title=\"{}\"><i style=\"background:{}\"></i>{} {}</span>", escaped(stall_meaning[i]), colours[i], stall_name[i], observe::percent(p.stalls[i], p.cycles));
    out += "</div>\n";
  }
  uint64_t most = 1;
  for (const auto& s : p.sections) for (const auto& l : s.lines) most = std::max(most, l.cycles());
  source_text sources;
  for (const auto& s : p.sections) {
    out += fmt::format("<h2>{} <small>{} of the wave-cycles</small></h2>\n<table class=\"profile\"><thead><tr><th>share</th><th>executions</th><th title=\"active, mean\">lanes</th>"
                       "<th title=\"wave-cycles\">issuing</th><th title=\"wave-cycles\">stalled</th><th class=\"l\">causes</th><th title=\"cycles from issue to the registers\">latency min / mean / max</th>"
                       "<th title=\"of the lines asked of L1 or K$\">hits</th><th class=\"l\" data-key=\"place\">offset</th><th class=\"l\" data-key=\"place\">instruction</th></tr></thead><tbody>\n",
                       escaped(s.name), observe::percent(s.cycles, p.cycles));
    dispatch::source_position shown;
    for (const auto& l : s.lines) {
      if (l.source.file && (l.source.file != shown.file || l.source.line != shown.line)) {
        const std::string place = l.source.line ? fmt::format("{}:{}", escaped(l.source.file->substr(l.source.file->rfind('/') + 1)), l.source.line) : "no source line";
        out += fmt::format("<tr class=\"src\"><td colspan=\"8\"></td><td class=\"code\">{}</td><td class=\"code\">{}</td></tr>\n", place, escaped(sources.line(l.source)));
        shown = l.source;
      }
      out += row(p, l, most);
    }
    out += "</tbody></table>\n";
  }
  return out + script + "</body></html>\n";
}

} // namespace lyra::platforms
