// SPDX-License-Identifier: Apache-2.0
// The micro-benchmark kernels (testbench/benchmark/micro), assembled when Lyra is built and part of the program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace lyra::platforms::bench {

struct kernel_entry {
  uint32_t offset = 0;       ///< of its code
  uint32_t instructions = 0; ///< of one turn of its loop
  uint32_t vgprs = 0;        ///< of a wave
};

/// Code of all kernels, position independent.
const uint8_t* kernel_code();
size_t kernel_code_bytes();
/// Throws observe::input_error for a name that is not there.
kernel_entry find_kernel(const std::string& name);

} // namespace lyra::platforms::bench
