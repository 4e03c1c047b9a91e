// SPDX-License-Identifier: Apache-2.0
#include "platforms/summary.h"
#include "observe/report.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::platforms {

namespace {
bool matches(const char* p, const char* s) {
  for (; *p; ++p) {
    if (*p == '*') {
      if (*s < '0' || *s > '9') return false;
      while (*s >= '0' && *s <= '9') ++s;
    } else if (*p != *s++) {
      return false;
    }
  }
  return *s == 0;
}
} // namespace

uint64_t total(const observe::statistics& s, const std::string& pattern) {
  uint64_t n = 0;
  for (const auto& e : s.entries()) if (matches(pattern.c_str(), e.path.c_str())) n += *e.value;
  return n;
}

std::string summary(machine& m, double host_seconds) {
  using namespace observe;
  const auto& s = m.statistics();
  const auto sum = [&](const std::string& p) { return total(s, p); };
  const bool timed = m.mode() == mode::at;
  std::string out;
  const uint64_t ps = fabric::now_ps(), instructions = sum("cu*.instructions");
  out += fmt::format("\n{} ({}, {:.0f} MHz, {} CUs), {}\n", m.parameters().name, m.code().chip() == isa::target::gfx906 ? "gfx906" : "gfx900", m.context().core.mhz(), m.compute_units(),
                     timed ? "approximately timed" : "loosely timed: times are rough");
  {
    text_table t({"dispatch", "workgroups", "cycles", "time"});
    t.left(0);
    unsigned shown = 0;
    for (const auto& r : m.dispatcher().records()) {
      if (++shown > 12) continue;
      const uint64_t d = r.end_ps > r.start_ps ? r.end_ps - r.start_ps : 0;
      t.add({r.packet->kernel, std::to_string(r.groups), std::to_string(m.context().core.ceil(d)), human_time(d)});
    }
    out += t.text();
    if (shown > 12) out += fmt::format("  ... and {} more\n", shown - 12);
  }
  out += fmt::format("  total {} cycles, {}; {} wave-instructions", m.cycle(), human_time(ps), human_count(double(instructions)));
  if (host_seconds > 0) out += fmt::format("; simulated in {:.2f} s ({}/s)", host_seconds, human_count(double(instructions) / host_seconds));
  out += "\n\n  instructions\n";
  {
    text_table t({}, "    ");
    static const std::pair<const char*, const char*> kinds[] = {{"valu", "vector ALU"}, {"salu", "scalar ALU"}, {"smem", "scalar memory"}, {"vmem", "vector memory"}, {"flat", "FLAT"}, {"lds", "LDS"},
                                                                {"gds", "GDS"}, {"branch", "branch"}, {"message", "message"}, {"exports", "export"}, {"internal", "wait, barrier, end ..."}};
    for (const auto& [key, name] : kinds)
      if (const uint64_t n = sum(fmt::format("cu*.{}", key))) t.add({name, std::to_string(n), percent(n, instructions), bar(double(n), double(instructions), 30)});
    t.left(3);
    out += t.text();
    if (const uint64_t valu = sum("cu*.valu")) out += fmt::format("    active lanes of vector ALU instructions: {}\n", percent(sum("cu*.valu_lanes"), valu * 64));
  }
  if (timed) {
    out += "\n  where wave-cycles went\n";
    text_table t({}, "    ");
    const uint64_t all = sum("cu*.wave_cycles");
    std::vector<std::pair<uint64_t, unsigned>> causes;
    for (unsigned i = 0; i < compute_unit::stall_count; ++i) if (const uint64_t n = sum(fmt::format("cu*.{}", compute_unit::stall_name[i]))) causes.push_back({n, i});
    std::sort(causes.begin(), causes.end(), [](auto& a, auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    for (const auto& [n, i] : causes) t.add({compute_unit::stall_name[i], std::to_string(n), percent(n, all), bar(double(n), double(all), 30)});
    t.left(3);
    out += t.text();
    out += "\n  caches and memory\n";
    // merged: waited for a line that another request was already fetching
    text_table c({"", "requests", "hits", "merged", "hit rate"}, "    ");
    const auto row = [&](const char* name, uint64_t requests, uint64_t hits, uint64_t merged = 0) {
      if (requests) c.add({name, std::to_string(requests), std::to_string(hits), std::to_string(merged), percent(hits, requests)});
    };
    row("I$", sum("sqc*.instruction_cache.fetches"), sum("sqc*.instruction_cache.hits"), sum("sqc*.instruction_cache.merged"));
    row("K$", sum("sqc*.scalar_cache.loads"), sum("sqc*.scalar_cache.hits"), sum("sqc*.scalar_cache.merged"));
    row("L1", sum("cu*.l1.reads"), sum("cu*.l1.hits"), sum("cu*.l1.merged"));
    const uint64_t reads = sum("l2_*.cache.reads"), known = sum("l2_*.cache.read_hits") + sum("l2_*.cache.read_misses");
    row("L2 reads", reads, sum("l2_*.cache.read_hits"), reads - std::min(reads, known));
    row("L2 writes", sum("l2_*.cache.writes"), sum("l2_*.cache.write_hits"));
    row("L2 atomics", sum("l2_*.cache.atomics"), sum("l2_*.cache.atomic_hits"));
    out += c.text();
    const uint64_t rd = sum("l2_*.memory.read_bytes"), wr = sum("l2_*.memory.written_bytes");
    out += fmt::format("    memory: read {} ({}), written {} ({})\n", human_bytes(double(rd)), human_rate(double(rd), ps), human_bytes(double(wr)), human_rate(double(wr), ps));
    if (const uint64_t n = sum("cu*.texture.image_instructions")) {
      const uint64_t lines = sum("cu*.texture.image_lines"), cycles = m.cycle() * m.compute_units();
      out += fmt::format("    images: {} instructions ({} filtered), {} texels in {} lines ({} L1 hits), {} filter cycles; texture units: TA busy {}, TD {}\n", n, sum("cu*.texture.image_samples"),
                         human_count(double(sum("cu*.texture.texels"))), human_count(double(lines)), percent(sum("cu*.texture.image_hits"), lines), sum("cu*.texture.filter_cycles"),
                         percent(sum("cu*.texture.ta_busy_cycles"), cycles), percent(sum("cu*.texture.td_busy_cycles"), cycles));
    }
    if (const uint64_t n = sum("cu*.lds.instructions"))
      out += fmt::format("    LDS: {} instructions, {} bank cycles, of them {} for conflicts\n", n, sum("cu*.lds.bank_busy_cycles"), sum("cu*.lds.bank_conflict_cycles"));
  }
  return out;
}

} // namespace lyra::platforms
