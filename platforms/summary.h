// SPDX-License-Identifier: Apache-2.0
// The short report at the end of a run.
#pragma once
#include "platforms/machine.h"
#include <string>

namespace lyra::platforms {

/// Sum of all counters whose path matches `prefix*suffix` with '*' standing for digits ("cu*.lds.reads").
uint64_t total(const observe::statistics& s, const std::string& pattern);
/// Cycles, instructions, stalls, caches, memory, LDS: a page.
std::string summary(machine& m, double host_seconds);

} // namespace lyra::platforms
