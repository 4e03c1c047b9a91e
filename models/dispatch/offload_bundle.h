// SPDX-License-Identifier: Apache-2.0
// Offload bundles of clang and hipcc: several code objects in one file.
#pragma once
#include "isa/opcode.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lyra::dispatch {

bool is_offload_bundle(const std::vector<uint8_t>& bytes);

/// The bundle's code object for gfx900 or gfx906: that for `wanted` where it is there, else the only one. Throws observe::input_error listing the entries otherwise.
std::vector<uint8_t> unbundle(const std::vector<uint8_t>& bytes, const std::string& file, std::optional<isa::target> wanted);

} // namespace lyra::dispatch
