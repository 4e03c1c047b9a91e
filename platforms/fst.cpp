// SPDX-License-Identifier: Apache-2.0
#include "platforms/fst.h"
#include "observe/input_error.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lyra::platforms {

bool is_fst(const std::string& file) { return file.size() > 4 && file.compare(file.size() - 4, 4, ".fst") == 0; }

void require_vcd2fst() {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  for (rest += ':'; !rest.empty(); rest.erase(0, rest.find(':') + 1)) {
    const std::string file = rest.substr(0, rest.find(':')) + "/vcd2fst";
    if (access(file.c_str(), X_OK) == 0) return;
  }
  throw observe::input_error("--vcd", "an .fst file needs the program vcd2fst, which is not in PATH: install GTKWave (apt install gtkwave), or name a .vcd file");
}

void convert_to_fst(const std::string& vcd, const std::string& fst) {
  char* const arguments[] = {const_cast<char*>("vcd2fst"), const_cast<char*>(vcd.c_str()), const_cast<char*>(fst.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0); // it prints its progress
  pid_t child = 0;
  int status = -1;
  const int failed = posix_spawnp(&child, "vcd2fst", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (!failed) waitpid(child, &status, 0);
  if (failed || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || access(fst.c_str(), R_OK) != 0)
    throw observe::input_error(fst, fmt::format("vcd2fst could not make it; the waves are in {}", vcd));
  std::remove(vcd.c_str());
}

} // namespace lyra::platforms
