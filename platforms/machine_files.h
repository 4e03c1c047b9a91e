// SPDX-License-Identifier: Apache-2.0
// Machine files: which parameters a machine has, from NAME.toml and --set.
#pragma once
#include "observe/parameter_set.h"
#include "platforms/machine_parameters.h"
#include <memory>
#include <string>
#include <vector>

namespace lyra::platforms {

/// A machine's parameters with their names. The parameter set points into the parameters: not copyable.
struct described_machine {
  machine_parameters parameters;
  observe::parameter_set set;
  std::string file;
  described_machine();
  described_machine(const described_machine&) = delete;
  described_machine& operator=(const described_machine&) = delete;
};

/// Reads a machine by name (searched in the installed and the source tree's machines) or by file, then applies "path=value" settings.
/// Throws observe::input_error.
std::unique_ptr<described_machine> load_machine(const std::string& name_or_file, const std::vector<std::string>& settings);
/// Names of the machines that come with Lyra.
std::vector<std::string> known_machines();

} // namespace lyra::platforms
