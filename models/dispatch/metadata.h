// SPDX-License-Identifier: Apache-2.0
// The MessagePack metadata note of a code object.
#pragma once
#include "dispatch/code_object.h"

namespace lyra::dispatch {

struct metadata {
  std::string target; ///< amdhsa.target: "amdgcn-amd-amdhsa--gfx906:xnack-"; "" in version 3
  std::vector<kernel> kernels; ///< without addresses and descriptors
};

/// Throws observe::input_error (place: `file`) for damaged or incomplete metadata.
metadata parse_metadata(const uint8_t* data, size_t bytes, const std::string& file);

} // namespace lyra::dispatch
