// SPDX-License-Identifier: Apache-2.0
#include "observe/statistics_json.h"
#include "observe/input_error.h"
#include "observe/report.h"
#include "observe/timeline.h"
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace lyra::observe {

using json = nlohmann::ordered_json;

void statistics_region::mark() {
  base_.clear();
  end_.clear();
  for (const auto& e : statistics_->entries()) base_.push_back(*e.value);
}

void statistics_region::freeze() {
  end_.clear();
  for (const auto& e : statistics_->entries()) end_.push_back(*e.value);
}

uint64_t statistics_region::value(size_t entry) const {
  const uint64_t now = entry < end_.size() ? end_[entry] : *statistics_->entries()[entry].value;
  return entry < base_.size() ? now - base_[entry] : now;
}

namespace {
json about_json(const about_pairs& about) {
  json a = json::object();
  for (const auto& [k, v] : about) a[k] = v;
  return a;
}
} // namespace

namespace {
/// Counters by the components of their paths, in the order of registration. A counter's name may also be a block's ("cu0.lds").
struct tree_node {
  std::string_view name;
  const counter_entry* counter = nullptr;
  uint64_t value = 0;
  std::vector<std::unique_ptr<tree_node>> children;

  tree_node& child(std::string_view n) {
    for (auto it = children.rbegin(); it != children.rend(); ++it) // the one used last is the likely one
      if ((*it)->name == n) return **it;
    children.push_back(std::make_unique<tree_node>());
    children.back()->name = n;
    return *children.back();
  }
  void write(std::string& out, size_t depth) const {
    auto member = [&, first = true](std::string_view n) mutable {
      out += first ? "{\n" : ",\n";
      first = false;
      out.append(depth + 1, ' ').append("\"").append(n).append("\": ");
    };
    if (counter) {
      member("value");
      out += std::to_string(value);
      member("unit");
      out += timeline::quoted(counter->unit);
      member("meaning");
      out += timeline::quoted(counter->meaning);
    }
    for (const auto& c : children) {
      member(c->name);
      c->write(out, depth + 1);
    }
    if (!counter && children.empty()) { out += "{}"; return; }
    out.append("\n").append(depth, ' ').append("}");
  }
};
} // namespace

std::string statistics_json(const statistics_region& r, const about_pairs& about, run_length run) {
  json head;
  head["about"] = about_json(about);
  head["run"] = {{"cycles", run.cycles}, {"ps", run.ps}};
  tree_node tree;
  const auto& entries = r.of().entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    tree_node* at = &tree;
    std::string_view rest = entries[i].path;
    for (size_t dot; (dot = rest.find('.')) != std::string_view::npos; rest.remove_prefix(dot + 1)) at = &at->child(rest.substr(0, dot));
    at = &at->child(rest);
    at->counter = &entries[i];
    at->value = r.value(i);
  }
  std::string out = head.dump(1);
  out.resize(out.size() - 2); // "\n}"
  out.reserve(out.size() + 160 * entries.size());
  out += ",\n \"statistics\": ";
  tree.write(out, 1);
  return out + "\n}\n";
}

void write_statistics(const std::string& file, const statistics_region& r, const about_pairs& about, run_length run) {
  std::ofstream out(file, std::ios::binary);
  out << statistics_json(r, about, run);
  out.close();
  if (!out) throw input_error(file, "cannot write the statistics");
}

namespace {
/// Calls f(component, its trailing digits' position or npos, is it the last) for each component of a path.
template <class F> void for_each_component(std::string_view path, F&& f) {
  for (;;) {
    const size_t dot = path.find('.');
    const std::string_view c = path.substr(0, dot);
    const size_t last_letter = c.find_last_not_of("0123456789");
    const size_t digits = last_letter == std::string_view::npos ? 0 : last_letter + 1;
    f(c, digits < c.size() ? digits : std::string_view::npos, dot == std::string_view::npos);
    if (dot == std::string_view::npos) return;
    path.remove_prefix(dot + 1);
  }
}

/// Calls f(path, entry) once for all paths that differ only in their indexes ("cu*").
template <class F> void for_each_kind(const statistics& s, F&& f) {
  // A component's trailing number is an index where number 0 exists: "channel0" and its siblings, but not "l2".
  std::unordered_set<std::string> indexed;
  for (const auto& e : s.entries()) {
    std::string prefix;
    for_each_component(e.path, [&](std::string_view c, size_t digits, bool) {
      prefix += c.substr(0, digits);
      if (digits != std::string_view::npos && c.substr(digits) == "0") indexed.insert(prefix);
      prefix += '.';
    });
  }
  std::unordered_set<std::string> seen;
  for (const auto& e : s.entries()) {
    std::string path, prefix;
    for_each_component(e.path, [&](std::string_view c, size_t digits, bool last) {
      prefix += c.substr(0, digits);
      if (!path.empty()) path += '.';
      if (digits != std::string_view::npos && !last && indexed.count(prefix)) path.append(c.substr(0, digits)) += '*';
      else path += c;
      prefix += '.';
    });
    if (seen.insert(path).second) f(path, e);
  }
}
} // namespace

std::string statistics_list(const statistics& s) {
  text_table t({"counter", "unit", "meaning"}, "");
  t.left(1);
  t.left(2);
  for_each_kind(s, [&](const std::string& path, const counter_entry& e) { t.add({path, e.unit, e.meaning}); });
  return t.text();
}

std::string statistics_list_json(const statistics& s) {
  json all = json::array();
  for_each_kind(s, [&](const std::string& path, const counter_entry& e) { all.push_back({{"name", path}, {"unit", e.unit}, {"meaning", e.meaning}}); });
  return all.dump(1) + "\n";
}

statistics_sampler::statistics_sampler(const std::string& file, const statistics& s, const about_pairs& about) : file_(std::fopen(file.c_str(), "wb")), statistics_(s) {
  if (!file_) throw input_error(file, "cannot create the file for statistics samples");
  std::fputs((json{{"about", about_json(about)}}.dump() + "\n").c_str(), file_);
}

statistics_sampler::~statistics_sampler() { std::fclose(file_); }

void statistics_sampler::sample(uint64_t cycle, uint64_t ps) {
  json values = json::object();
  last_.resize(statistics_.entries().size());
  for (size_t i = 0; i < last_.size(); ++i) {
    const auto& e = statistics_.entries()[i];
    if (*e.value != last_[i]) values[e.path] = int64_t(*e.value - last_[i]);
    last_[i] = *e.value;
  }
  std::fputs((json{{"cycle", cycle}, {"ps", ps}, {"changes", std::move(values)}}.dump() + "\n").c_str(), file_);
}

void statistics_sampler::reset(uint64_t cycle, uint64_t ps) {
  std::fputs((json{{"reset", true}, {"cycle", cycle}, {"ps", ps}}.dump() + "\n").c_str(), file_);
  last_.assign(last_.size(), 0);
}

} // namespace lyra::observe
