// SPDX-License-Identifier: Apache-2.0
// Where something stands in a job file: "job.toml:12".
#pragma once
#include "observe/input_error.h"
#include <string>

namespace lyra::dispatch {

struct source_place {
  std::string file;
  unsigned line = 0;
  std::string text() const { return line ? file + ":" + std::to_string(line) : file; }
  [[noreturn]] void fail(const std::string& what) const { throw observe::input_error(text(), what); }
};

} // namespace lyra::dispatch
