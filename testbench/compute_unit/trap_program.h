// SPDX-License-Identifier: Apache-2.0
// Programs with a trap handler of their own.
#pragma once
#include "support/program.h"

namespace program {

/// Stores a scalar to the buffer "out"; uses v30 and v31.
inline std::string store(const std::string& s, unsigned offset = 0) {
  return "s_nop 4\nv_mov_b32_e32 v30, 0\nv_mov_b32_e32 v31, " + s + "\nglobal_store_dword v30, v31, s[0:1] offset:" + std::to_string(offset) + "\n";
}

/// The handler stands in a buffer of its own, TBA; TMA is 128 bytes into "out". `adapt` may change the job.
template <class F> outcome run_with_handler(const std::string& body, const std::string& handler, const std::string& options, F adapt) {
  job code(body), trap(handler);
  code.more_files = {{"handler.bin", slurp(trap.folder() / "a.bin")}};
  code.more_buffers = "[buffer.handler]\nfile = \"handler.bin\"\nsize = 4096\n";
  code.more_dispatch = "trap_handler = {buffer = \"handler\"}\ntrap_memory = {buffer = \"out\", offset = 128}\n";
  adapt(code);
  return code.run(options);
}
inline outcome run_with_handler(const std::string& body, const std::string& handler, const std::string& options = "--machine cu") {
  return run_with_handler(body, handler, options, [](job&) {});
}

} // namespace program
