// SPDX-License-Identifier: Apache-2.0
// `--record EDGE=FILE`: recorders in edges of a machine.
#pragma once
#include "fabric/edge_record.h"
#include "platforms/machine.h"
#include <map>

namespace lyra::platforms {

class edge_records {
public:
  /// "cu0.cu-lds=FILE" each. Throws observe::input_error where one is not well formed.
  explicit edge_records(const std::vector<std::string>& wanted);
  /// For the machine's constructor: puts a recorder into each edge wanted.
  edge_binder binder();
  /// Throws observe::input_error for a name that no edge has (with the nearest right one).
  void check() const;

private:
  std::map<std::string, std::string> wanted_;
  std::vector<std::string> edges_;
  std::vector<std::unique_ptr<fabric::edge_recorder>> recorders_;
};

} // namespace lyra::platforms
