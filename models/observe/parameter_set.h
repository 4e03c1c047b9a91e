// SPDX-License-Identifier: Apache-2.0
// Every parameter of a machine by its path ("l2.channels"): set from text with range checks, listed with default, unit, range and source.
#pragma once
#include "fabric/parameters.h"
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lyra::observe {

class parameter_set {
public:
  using pointer = std::variant<bool*, unsigned*, uint64_t*, double*, std::string*>;
  struct entry {
    std::string path;
    pointer value;
    fabric::parameter_info info;
    std::string default_text; ///< the value when it was added
    std::string set_by;       ///< "vega10.toml:3", "--set"; "" for the default
  };

  /// Binds every parameter of a block's struct under `path`. The struct must outlive this object; its values now are the defaults.
  template <class S> void add(const std::string& path, S& block) {
    block.describe([&](const char* name, auto& value, const fabric::parameter_info& info) { bind(path.empty() ? name : path + "." + name, &value, info); });
  }

  /// Sets one parameter from text. Throws observe::input_error: unknown path (with the nearest right one), wrong type, out of range, no such choice.
  void set(const std::string& path, const std::string& text, const std::string& place);
  /// "l2.channels=8", as from the command line.
  void set_assignment(const std::string& assignment, const std::string& place = "--set");
  /// Sets everything in a TOML file; tables are path components. Keys in `others` (top level, strings) are not parameters: they are returned.
  std::vector<std::pair<std::string, std::string>> load_toml(const std::string& file, const std::vector<std::string>& others = {});

  const std::vector<entry>& entries() const { return entries_; }
  const entry* find(const std::string& path) const;
  static std::string text(const pointer& p);
  /// A table: name, value, unit, range, source, meaning; only paths that match the glob.
  std::string list(const std::string& pattern = "*") const;
  /// The same for programs: [{"name", "type" (flag, whole, number, text), "value", "default", "unit", "minimum", "maximum", "choices", "source", "meaning"}].
  std::string list_json(const std::string& pattern = "*") const;
  /// "l2.channels=8 ..." of everything that is not at its default: makes a run repeatable.
  std::vector<std::pair<std::string, std::string>> changed() const;

private:
  void bind(std::string path, pointer p, const fabric::parameter_info& info);
  std::vector<entry> entries_;
};

} // namespace lyra::observe
