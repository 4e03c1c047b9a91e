// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine_files.h"
#include "observe/input_error.h"
#include <algorithm>
#include <filesystem>

namespace lyra::platforms {

namespace fs = std::filesystem;

namespace {
std::vector<fs::path> machine_directories() {
  std::vector<fs::path> d;
  if (const char* e = std::getenv("LYRA_MACHINES")) d.emplace_back(e);
  std::error_code ec;
  const fs::path exe = fs::read_symlink("/proc/self/exe", ec);
  if (!ec) d.push_back(exe.parent_path().parent_path() / "share" / "lyra" / "machines");
  d.emplace_back(LYRA_MACHINE_DIR);
  return d;
}
} // namespace

described_machine::described_machine() {
  parameters.for_each([this](const char* path, auto& block) { set.add(path, block); });
}

std::vector<std::string> known_machines() {
  std::vector<std::string> names;
  for (const auto& d : machine_directories()) {
    std::error_code ec;
    for (const auto& e : fs::directory_iterator(d, ec))
      if (e.path().extension() == ".toml") names.push_back(e.path().stem());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::unique_ptr<described_machine> load_machine(const std::string& name, const std::vector<std::string>& settings) {
  auto m = std::make_unique<described_machine>();
  std::error_code ec;
  if (fs::path(name).extension() == ".toml") m->file = name;
  else
    for (const auto& d : machine_directories())
      if (fs::exists(d / (name + ".toml"), ec)) { m->file = (d / (name + ".toml")).string(); break; }
  if (m->file.empty() || !fs::exists(m->file, ec)) {
    std::string list;
    for (const auto& k : known_machines()) list += (list.empty() ? "" : ", ") + k;
    if (list.empty()) { // a program that was moved away from its files
      for (const auto& d : machine_directories()) list += (list.empty() ? "" : ", ") + d.string();
      throw observe::input_error("--machine " + name, "no machine files are there: looked in " + list + "; set LYRA_MACHINES to their folder, or give a file NAME.toml");
    }
    throw observe::input_error("--machine " + name, m->file.empty() ? "no such machine: give one of " + list + ", or a file NAME.toml" : "no such file");
  }
  m->parameters.name = fs::path(m->file).stem();
  m->set.load_toml(m->file);
  for (const auto& s : settings) m->set.set_assignment(s);
  return m;
}

} // namespace lyra::platforms
