// SPDX-License-Identifier: Apache-2.0
#include "observe/parameter_set.h"
#include "observe/glob.h"
#include "observe/input_error.h"
#include "observe/report.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace lyra::observe {

namespace {

std::vector<std::string> choices_of(const fabric::parameter_info& i) {
  std::vector<std::string> c;
  if (!i.choices) return c;
  std::string_view rest = i.choices;
  for (size_t bar; (bar = rest.find('|')) != std::string_view::npos; rest.remove_prefix(bar + 1)) c.emplace_back(rest.substr(0, bar));
  c.emplace_back(rest);
  return c;
}

std::string number_text(double v) { return v >= 1e15 && v == std::floor(v) ? fmt::format("{:g}", v) : fmt::format("{}", v); }

std::string range_text(const parameter_set::entry& e) {
  if (std::holds_alternative<bool*>(e.value)) return "true, false";
  if (std::holds_alternative<std::string*>(e.value)) return join(choices_of(e.info));
  if (e.info.maximum >= 1e18) return fmt::format(">= {}", number_text(e.info.minimum));
  return fmt::format("{}..{}", number_text(e.info.minimum), number_text(e.info.maximum));
}

bool parse(const std::string& text, uint64_t& v) {
  std::string digits;
  for (const char c : text) if (c != '_') digits += c;
  int base = 10;
  std::string_view s = digits;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) { base = 16; s.remove_prefix(2); }
  const auto r = std::from_chars(s.data(), s.data() + s.size(), v, base);
  return !s.empty() && r.ec == std::errc() && r.ptr == s.data() + s.size();
}

bool parse(const std::string& text, double& v) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size() && std::isfinite(v);
}

bool parse(const std::string& text, bool& v) {
  if (text == "true" || text == "on" || text == "1") v = true;
  else if (text == "false" || text == "off" || text == "0") v = false;
  else return false;
  return true;
}

std::string unit_suffix(const fabric::parameter_info& i) { return *i.unit ? fmt::format(" {}", i.unit) : std::string(); }

} // namespace

void parameter_set::bind(std::string path, pointer p, const fabric::parameter_info& info) {
  if (find(path)) throw input_error("", fmt::format("parameter {} is bound twice", path));
  entries_.push_back({std::move(path), p, info, text(p), ""});
}

std::string parameter_set::text(const pointer& p) {
  return std::visit([](auto* v) -> std::string {
    using T = std::decay_t<decltype(*v)>;
    if constexpr (std::is_same_v<T, bool>) return *v ? "true" : "false";
    else if constexpr (std::is_same_v<T, std::string>) return *v;
    else return fmt::format("{}", *v);
  }, p);
}

const parameter_set::entry* parameter_set::find(const std::string& path) const {
  for (const auto& e : entries_) if (e.path == path) return &e;
  return nullptr;
}

void parameter_set::set(const std::string& path, const std::string& value, const std::string& place) {
  entry* e = const_cast<entry*>(find(path));
  if (!e) {
    std::vector<std::string> names, tails;
    const std::string tail = path.substr(path.rfind('.') + 1);
    std::vector<std::string> same_tail;
    for (const auto& x : entries_) {
      names.push_back(x.path);
      if (x.path.substr(x.path.rfind('.') + 1) == tail) same_tail.push_back(x.path);
    }
    std::string hint = did_you_mean(path, names);
    if (!same_tail.empty() && same_tail.size() <= 6 && (path == tail || hint.empty())) hint = fmt::format("; did you mean {}?", join(same_tail, " or "));
    if (hint.empty()) hint = "; lyra machine --list shows all";
    throw input_error(place, fmt::format("no parameter \"{}\"{}", path, hint));
  }
  const auto bad = [&](const std::string& why) { throw input_error(place, fmt::format("{} = {}: {} ({})", path, value, why, e->info.meaning)); };
  const auto check = [&](double v) {
    if (v < e->info.minimum || v > e->info.maximum) bad(fmt::format("must be {}{}", e->info.maximum >= 1e18 ? range_text(*e) : "in " + range_text(*e), unit_suffix(e->info)));
  };
  std::visit([&](auto* v) {
    using T = std::decay_t<decltype(*v)>;
    if constexpr (std::is_same_v<T, std::string>) {
      const auto c = choices_of(e->info);
      if (!c.empty() && std::find(c.begin(), c.end(), value) == c.end()) bad("must be one of " + join(c) + did_you_mean(value, c));
      *v = value;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!parse(value, *v)) bad("must be true or false");
    } else if constexpr (std::is_same_v<T, double>) {
      double d;
      if (!parse(value, d)) bad("must be a number");
      check(d);
      *v = d;
    } else {
      uint64_t n;
      if (!parse(value, n)) bad("must be a whole number, not negative");
      check(double(n));
      if (n > uint64_t(T(-1))) bad("is too large");
      *v = T(n);
    }
  }, e->value);
  e->set_by = place;
}

void parameter_set::set_assignment(const std::string& assignment, const std::string& place) {
  const size_t eq = assignment.find('=');
  if (eq == std::string::npos || eq == 0) throw input_error(place, fmt::format("\"{}\" is no assignment: write NAME=VALUE, like l2.channels=8", assignment));
  const auto trim = [](std::string s) {
    s.erase(0, s.find_first_not_of(" \t"));
    s.erase(s.find_last_not_of(" \t") + 1);
    return s;
  };
  set(trim(assignment.substr(0, eq)), trim(assignment.substr(eq + 1)), place);
}

std::vector<std::pair<std::string, std::string>> parameter_set::load_toml(const std::string& file, const std::vector<std::string>& others) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw input_error(file, "cannot read the machine file: no such file, or no permission");
  const std::string content((std::istreambuf_iterator<char>(in)), {});
  toml::table root;
  try {
    root = toml::parse(content, file);
  } catch (const toml::parse_error& e) {
    throw input_error(fmt::format("{}:{}", file, e.source().begin.line), std::string(e.description()));
  }
  std::vector<std::pair<std::string, std::string>> found;
  const auto walk = [&](const toml::table& t, const std::string& prefix, const auto& self) -> void {
    for (const auto& [key, value] : t) {
      const std::string name(key.str()), path = prefix.empty() ? name : prefix + "." + name;
      const std::string place = fmt::format("{}:{}", file, key.source().begin.line);
      if (prefix.empty() && std::find(others.begin(), others.end(), name) != others.end()) {
        if (!value.is_string()) throw input_error(place, fmt::format("{} must be a string", name));
        found.emplace_back(name, **value.as_string());
      } else if (const auto* sub = value.as_table()) {
        self(*sub, path, self);
      } else if (const auto* s = value.as_string()) {
        set(path, **s, place);
      } else if (const auto* b = value.as_boolean()) {
        set(path, **b ? "true" : "false", place);
      } else if (const auto* i = value.as_integer()) {
        set(path, fmt::format("{}", **i), place);
      } else if (const auto* d = value.as_floating_point()) {
        set(path, fmt::format("{}", **d), place);
      } else {
        throw input_error(place, fmt::format("{} must be a number, a string, true or false", path));
      }
    }
  };
  walk(root, "", walk);
  return found;
}

std::string parameter_set::list(const std::string& pattern) const {
  text_table t({"parameter", "value", "unit", "range", "source", "meaning"}, "");
  for (unsigned c = 2; c < 6; ++c) t.left(c);
  for (const auto& e : entries_) {
    if (!glob_match(pattern, e.path)) continue;
    std::string value = text(e.value);
    if (value != e.default_text) value += fmt::format(" (default {})", e.default_text);
    t.add({e.path, value, e.info.unit, range_text(e), e.info.source, e.info.meaning});
  }
  return t.text();
}

std::string parameter_set::list_json(const std::string& pattern) const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& e : entries_) {
    if (!glob_match(pattern, e.path)) continue;
    const bool flag = std::holds_alternative<bool*>(e.value), words = std::holds_alternative<std::string*>(e.value);
    nlohmann::ordered_json p = {{"name", e.path}, {"type", flag ? "flag" : words ? "text" : std::holds_alternative<double*>(e.value) ? "number" : "whole"},
                                {"value", text(e.value)}, {"default", e.default_text}, {"unit", e.info.unit}};
    if (words) p["choices"] = choices_of(e.info);
    else if (!flag) {
      p["minimum"] = e.info.minimum;
      if (e.info.maximum < 1e18) p["maximum"] = e.info.maximum;
    }
    p["source"] = e.info.source;
    p["meaning"] = e.info.meaning;
    all.push_back(std::move(p));
  }
  return all.dump(1) + "\n";
}

std::vector<std::pair<std::string, std::string>> parameter_set::changed() const {
  std::vector<std::pair<std::string, std::string>> c;
  for (const auto& e : entries_) if (text(e.value) != e.default_text) c.emplace_back(e.path, text(e.value));
  return c;
}

} // namespace lyra::observe
