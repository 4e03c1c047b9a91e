// SPDX-License-Identifier: Apache-2.0
// Which RTL blocks this program holds. A program that links Verilated models (or any other pin_block) registers them before a machine is built; `[lds] implementation =
// "rtl:NAME"` finds them here. The plain `lyra` holds none.
#pragma once
#include "rtl/atomic_transactor.h"
#include "rtl/axi4_master.h"
#include <functional>
#include <map>

namespace lyra::rtl {

/// How to make a memory: the bus of its AXI4 port, and the block for an array.
struct memory_implementation {
  unsigned data_bits = 512, ids = 16;
  std::function<std::unique_ptr<axi_block>(const std::string& instance, memory_array& array)> make;
};

struct implementations {
  std::map<std::string, std::function<std::unique_ptr<lds_block>(const std::string& instance)>> lds;
  std::map<std::string, std::function<std::unique_ptr<atomic_block>(const std::string& instance)>> atomic;
  std::map<std::string, memory_implementation> memory;
  static implementations& instance();
};

/// What an `implementation` parameter says.
struct choice {
  enum class kind : uint8_t { tlm, rtl, compare } what = kind::tlm;
  std::string name;
};
/// "tlm", "rtl:NAME" or "compare:NAME" with NAME among `known`. Throws observe::input_error that lists the names known.
choice parse_choice(const std::string& parameter, const std::string& text, const std::vector<std::string>& known);
template <class Map> choice parse_choice(const std::string& parameter, const std::string& text, const Map& known) {
  std::vector<std::string> names;
  for (const auto& [name, make] : known) names.push_back(name);
  return parse_choice(parameter, text, names);
}

} // namespace lyra::rtl
