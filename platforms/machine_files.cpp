// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine_files.h"
#include "observe/input_error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

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

bool power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }
uint64_t power_below(uint64_t n) {
  uint64_t k = 1;
  while (2 * k <= n) k *= 2;
  return k;
}

/// Values that are each in range but do not go together: the blocks would refuse them without knowing the parameters' names.
void check_shape(const char* block, unsigned size_bytes, unsigned ways) {
  const uint64_t line = cache::line_bytes, of_ways = line * ways, sets = size_bytes / of_ways;
  if (power_of_two(sets) && sets * of_ways == size_bytes) return;
  const uint64_t below = power_below(std::max<uint64_t>(sets, 1));
  throw observe::input_error(fmt::format("{0}.size_bytes = {1}, {0}.ways = {2}", block, size_bytes, ways),
                             fmt::format("the number of sets, each of {} 64-byte lines, must be a power of two: give {} or {} bytes", ways, below * of_ways, 2 * below * of_ways));
}
void check_shapes(const machine_parameters& p) {
  check_shape("l1", p.l1.size_bytes, p.l1.ways);
  check_shape("scalar_cache", p.scalar_cache.size_bytes, p.scalar_cache.ways);
  check_shape("instruction_cache", p.instruction_cache.size_bytes, p.instruction_cache.ways);
  check_shape("l2", p.l2.size_bytes, p.l2.ways);
  const unsigned interleave = p.crossbar.interleave_bytes;
  if (!power_of_two(interleave)) throw observe::input_error(fmt::format("crossbar.interleave_bytes = {}", interleave), fmt::format("must be a power of two: {} or {}", power_below(interleave), 2 * power_below(interleave)));
  if (p.crossbar.hash == "xor_fold" && !power_of_two(p.system.l2_channels))
    throw observe::input_error(fmt::format("l2.channels = {}", p.system.l2_channels), "crossbar.hash = xor_fold needs a power of two; give one, or crossbar.hash=linear");
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
  check_shapes(m->parameters);
  return m;
}

} // namespace lyra::platforms
