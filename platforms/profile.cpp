// SPDX-License-Identifier: Apache-2.0
#include "platforms/profile.h"
#include "isa/listing.h"
#include "observe/input_error.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <numeric>

namespace lyra::platforms {

using compute_unit::stall_count;

uint64_t profile_line::cycles() const { return std::accumulate(std::begin(record.stalls), std::end(record.stalls), uint64_t(0)); }

namespace {

struct region { uint64_t begin, end; std::string name; };

bool loads(const isa::instruction& i) {
  using isa::memory_kind;
  return i.info && (i.info->memory == memory_kind::load || i.info->memory == memory_kind::sample || i.info->memory == memory_kind::gather);
}

/// Code by functions; raw code is one region.
std::vector<region> regions_of(const dispatch::loaded_job& job) {
  std::vector<region> r;
  const uint64_t base = job.code_address();
  if (const auto* object = job.object()) {
    for (const auto& f : object->functions())
      if (f.size) r.push_back({base + f.address, base + f.address + f.size, f.name});
  } else {
    r.push_back({base, base + job.code_bytes(), job.spec().code.file.filename().string()});
  }
  return r;
}

std::string with_target(std::string text, const isa::instruction& i, uint64_t pc, const dispatch::loaded_job& job) {
  uint64_t to = 0;
  if (!isa::branch_target(i, pc, to)) return text;
  const std::string name = job.describe_pc(to);
  return name.empty() ? text : text + " <" + name + ">";
}

} // namespace

profile take_profile(machine& m, const dispatch::loaded_job& job, const observe::about_pairs& about) {
  profile p;
  p.about = about;
  p.timed = m.mode() == mode::at;
  if (job.object()) p.lines = dispatch::source_lines(job.object()->elf());
  const uint64_t base = job.code_address();
  std::multimap<uint64_t, const compute_unit::micro_op*> seen; // by address, then in the order of decoding
  for (const auto& op : m.code().ops())
    if (op.profile) seen.emplace(fabric::canonical(op.pc), &op);

  const auto line_of = [&](uint64_t pc, const isa::instruction& i, std::string text) {
    profile_line l;
    l.pc = pc;
    l.offset = pc - base;
    l.text = with_target(std::move(text), i, pc, job);
    l.load = loads(i);
    if (job.object() && l.offset < job.code_bytes()) l.source = p.lines.at(l.offset);
    return l;
  };
  const auto add_seen = [&](profile_section& s, uint64_t from, uint64_t to) {
    for (auto it = seen.lower_bound(from); it != seen.end() && it->first < to; it = seen.erase(it)) {
      const auto& op = *it->second;
      auto l = line_of(it->first, op.inst, op.unit == compute_unit::unit::illegal ? fmt::format(".long {:#x}  // {}", op.inst.words[0], op.error) : isa::disassemble(op.inst, m.code().chip(), op.pc));
      l.record = *op.profile;
      s.cycles += l.cycles();
      s.lines.push_back(std::move(l));
    }
  };
  for (const auto& r : regions_of(job)) {
    const auto first = seen.lower_bound(r.begin);
    if (first == seen.end() || first->first >= r.end) continue;
    profile_section s;
    s.name = r.name;
    uint64_t end = r.end;
    if (!job.object()) { auto last = seen.lower_bound(r.end); --last; end = last->first + last->second->inst.size_bytes; } // data may follow raw code
    std::vector<uint8_t> bytes(end - r.begin);
    m.read(r.begin, bytes.data(), bytes.size());
    isa::code_listing walk(bytes.data(), bytes.size(), r.begin, m.code().chip());
    for (isa::listing_line at; walk.next(at);) {
      const auto known = seen.lower_bound(at.address);
      if (known == seen.end() || known->first >= at.address + at.size_bytes) s.lines.push_back(line_of(at.address, at.decoded.inst, at.text));
      else add_seen(s, at.address, at.address + at.size_bytes);
    }
    p.sections.push_back(std::move(s));
  }
  if (!seen.empty()) { // code in buffers, or between functions
    profile_section s;
    s.name = "elsewhere";
    add_seen(s, 0, ~uint64_t(0));
    p.sections.push_back(std::move(s));
  }
  for (const auto& s : p.sections) {
    p.cycles += s.cycles;
    for (const auto& l : s.lines)
      for (unsigned i = 0; i < stall_count; ++i) p.stalls[i] += l.record.stalls[i];
  }
  std::stable_sort(p.sections.begin(), p.sections.end(), [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
  return p;
}

const std::string& source_text::line(const dispatch::source_position& at) {
  static const std::string nothing;
  if (!at.file || !at.line) return nothing;
  const auto [entry, added] = files_.try_emplace(*at.file);
  if (added) {
    std::ifstream in(*at.file);
    for (std::string s; in && std::getline(in, s);) entry->second.push_back(s);
  }
  return at.line <= entry->second.size() ? entry->second[at.line - 1] : nothing;
}

namespace {

bool ends_with(const std::string& s, const char* end) {
  const std::string e(end);
  return s.size() >= e.size() && s.compare(s.size() - e.size(), e.size(), e) == 0;
}

void write_file(const std::string& file, const std::string& content, const char* what) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw observe::input_error(file, fmt::format("cannot write the {}: no such directory, or no permission", what));
}

std::string csv_field(const std::string& s) {
  if (s.find_first_of(",\"\n") == std::string::npos) return s;
  std::string q = "\"";
  for (const char c : s) { if (c == '"') q += '"'; q += c; }
  return q + "\"";
}

} // namespace

void check_profile_name(const std::string& file) {
  if (file != "-" && !ends_with(file, ".txt") && !ends_with(file, ".csv") && !ends_with(file, ".html"))
    throw observe::input_error("--profile=" + file, "the name's end says which form: .txt, .csv or .html");
}

void write_profile(const std::string& file, const profile& p) {
  check_profile_name(file);
  if (file == "-") fmt::print("{}", profile_text(p));
  else write_file(file, ends_with(file, ".csv") ? profile_csv(p) : ends_with(file, ".html") ? profile_html(p) : profile_text(p), "profile");
}

std::string profile_csv(const profile& p) {
  std::string out = "function,pc,offset,instruction,source file,source line,executions [wave-instructions],active lanes [lanes]";
  for (const char* n : compute_unit::stall_name) out += fmt::format(",{} [wave-cycles]", n);
  out += ",all causes [wave-cycles],answers,latency min [cycles],latency mean [cycles],latency max [cycles],lines,line hits\n";
  for (const auto& s : p.sections)
    for (const auto& l : s.lines) {
      const auto& r = l.record;
      out += fmt::format("{},{:#x},{:#x},{},{},{},{},{}", csv_field(s.name), l.pc, l.offset, csv_field(l.text), l.source.file ? csv_field(*l.source.file) : "", l.source.file ? std::to_string(l.source.line) : "", r.executions, r.lanes);
      for (const uint64_t n : r.stalls) out += fmt::format(",{}", n);
      out += fmt::format(",{},{}", l.cycles(), r.returns);
      out += r.returns ? fmt::format(",{},{:.1f},{}", r.latency_min, double(r.latency_sum) / double(r.returns), r.latency_max) : std::string(",,,");
      out += l.load && r.lines ? fmt::format(",{},{}\n", r.lines, r.hits) : std::string(",,\n");
    }
  return out;
}

void write_wave_accounts(const std::string& file, std::vector<compute_unit::wave_account> accounts, const dispatch::loaded_job& job) {
  std::sort(accounts.begin(), accounts.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::string out = "wave,dispatch,kernel,workgroup,cu,simd,slot,start [cycle],end [cycle],instructions [wave-instructions]";
  for (const char* n : compute_unit::stall_name) out += fmt::format(",{} [wave-cycles]", n);
  out += "\n";
  for (const auto& a : accounts) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{}", a.id, a.dispatch, a.dispatch < job.packets().size() ? csv_field(job.packets()[a.dispatch]->kernel) : "", a.workgroup, a.cu, a.simd, a.slot, a.start, a.end, a.instructions);
    for (const uint64_t n : a.stalls) out += fmt::format(",{}", n);
    out += "\n";
  }
  write_file(file, out, "waves' accounts");
}

} // namespace lyra::platforms
