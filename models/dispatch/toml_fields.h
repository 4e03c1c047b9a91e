// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a TOML table with types and ranges checked; unknown keys are errors that name the nearest right one.
#pragma once
#include "dispatch/job.h"
#include <algorithm>
#include <fmt/format.h>
#include <toml++/toml.h>

namespace lyra::dispatch {

class toml_fields {
public:
  /// `what` names the table in messages: "[buffer.x]". `known`: every key it may have.
  toml_fields(const toml::table& table, std::string what, const std::string& file, std::vector<std::string> known)
      : table_(table), what_(std::move(what)), file_(file), known_(std::move(known)) {
    for (const auto& [key, value] : table_) {
      const std::string k(key.str());
      if (std::find(known_.begin(), known_.end(), k) == known_.end())
        source_place{file_, line_of(key.source())}.fail(fmt::format("unknown key \"{}\" in {}", k, what_) + (observe::did_you_mean(k, known_).empty() ? "; it takes: " + observe::join(known_) : observe::did_you_mean(k, known_)));
    }
  }
  source_place place() const { return {file_, line_of(table_.source())}; }
  source_place place(const char* key) const {
    const toml::node* n = table_.get(key);
    return n ? place_of(*n) : place();
  }
  source_place place_of(const toml::node& n) const { return {file_, line_of(n.source())}; }
  bool has(const char* key) const { return table_.contains(key); }
  const toml::node* node(const char* key) const { return table_.get(key); }
  const std::string& what() const { return what_; }
  [[noreturn]] void fail(const char* key, const std::string& text) const { place(key).fail(text); }

  std::optional<std::string> string(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return {};
    if (!n->is_string()) fail(key, fmt::format("{}: {} must be a string", what_, key));
    return std::string(**n->as_string());
  }
  std::string needed_string(const char* key) const {
    auto s = string(key);
    if (!s) place().fail(fmt::format("{} needs {}", what_, key));
    return *s;
  }
  std::optional<bool> flag(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return {};
    if (!n->is_boolean()) fail(key, fmt::format("{}: {} must be true or false", what_, key));
    return **n->as_boolean();
  }
  /// An integer, or a string with one (for 2^63 and above), in [minimum, maximum].
  uint64_t unsigned_of(const toml::node& n, const std::string& key, uint64_t minimum, uint64_t maximum) const {
    uint64_t v = 0;
    if (n.is_integer()) {
      const int64_t i = **n.as_integer();
      if (i < 0) place_of(n).fail(fmt::format("{}: {} = {} must not be negative", what_, key, i));
      v = uint64_t(i);
    } else if (!n.is_string() || !parse_unsigned(**n.as_string(), v)) {
      place_of(n).fail(fmt::format("{}: {} must be an integer", what_, key));
    }
    if (v < minimum || v > maximum) {
      if (maximum == ~uint64_t(0)) place_of(n).fail(fmt::format("{}: {} = {} must be at least {}", what_, key, v, minimum));
      place_of(n).fail(fmt::format("{}: {} = {} must be in {}..{}", what_, key, v, minimum, maximum));
    }
    return v;
  }
  std::optional<uint64_t> unsigned_value(const char* key, uint64_t minimum = 0, uint64_t maximum = ~uint64_t(0)) const {
    const toml::node* n = node(key);
    if (!n) return {};
    return unsigned_of(*n, key, minimum, maximum);
  }
  std::optional<double> number(const char* key, double minimum) const {
    const toml::node* n = node(key);
    if (!n) return {};
    double v;
    if (n->is_integer()) v = double(**n->as_integer());
    else if (n->is_floating_point()) v = **n->as_floating_point();
    else fail(key, fmt::format("{}: {} must be a number", what_, key));
    if (!(v >= minimum)) fail(key, fmt::format("{}: {} = {} must be at least {}", what_, key, v, minimum));
    return v;
  }
  const toml::array* array(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return nullptr;
    if (!n->is_array()) fail(key, fmt::format("{}: {} must be a list", what_, key));
    return n->as_array();
  }
  static unsigned line_of(const toml::source_region& r) { return r.begin.line; }

private:
  const toml::table& table_;
  std::string what_;
  const std::string& file_;
  std::vector<std::string> known_;
};

/// A typed scalar { f32 = 2.0 }: the entry's key is the type. Ranges are checked.
scalar read_scalar(const toml::node& value, data_type type, const std::string& what, const source_place& place);

} // namespace lyra::dispatch
