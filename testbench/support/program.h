// SPDX-License-Identifier: Apache-2.0
// Assembly programs through the `lyra` program: assembled by clang-15 when the test runs, as a raw job of its own in a temporary folder.
#pragma once
#include "support/directories.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace program {

namespace fs = std::filesystem;

struct outcome {
  int code = -1;
  std::string out, err;
  std::vector<uint32_t> data; ///< the buffer "out" after the run
  uint64_t cycles = 0;        ///< of the dispatches
  bool says(const std::string& s) const { return err.find(s) != std::string::npos || out.find(s) != std::string::npos; }
};

inline std::string slurp(const fs::path& p) {
  std::ifstream f(p, std::ios::binary);
  std::ostringstream s;
  s << f.rdbuf();
  return s.str();
}

/// s[0:1]: buffer "out" (zeros unless filled), s[2:3]: buffer "in"; then the workgroup ids asked for. v0, v1, v2: work-item ids.
class job {
public:
  unsigned grid[3] = {64, 1, 1}, group[3] = {64, 1, 1};
  unsigned out_dwords = 64, in_dwords = 64, lds = 0, scratch = 0, vgprs = 32, sgprs = 48, workitem_id = 0, dispatches = 1;
  bool barrier = true;
  std::string workgroup_id = "x";
  std::vector<std::string> more_sgprs; ///< as the job file has them, behind s3
  std::vector<std::pair<std::string, std::string>> more_files; ///< name, content
  std::string more_buffers, more_dispatch; ///< text of the job file: [buffer.*] tables, lines of each [[dispatch]]
  std::vector<uint32_t> in;             ///< contents of "in"; empty: zeros
  std::string out_keys, in_keys;        ///< more keys of the buffers ("address = 0x...")

  explicit job(const std::string& body) {
    char t[] = "/tmp/lyra_groups_XXXXXX";
    folder_ = ::mkdtemp(t);
    std::ofstream(folder_ / "a.s") << ".text\n" << body << "\n";
    const std::string in = (folder_ / "a.s").string(), o = (folder_ / "a.o").string(), b = (folder_ / "a.bin").string();
    const int r = std::system(("clang-15 -target amdgcn-amd-amdhsa -mcpu=gfx900 -c " + in + " -o " + o + " 2> " + (folder_ / "as.txt").string() + " && llvm-objcopy-15 -O binary -j .text " + o + " " + b).c_str());
    BOOST_REQUIRE_MESSAGE(r == 0, "the program does not assemble: " << slurp(folder_ / "as.txt"));
  }
  ~job() { std::error_code e; fs::remove_all(folder_, e); }

  outcome run(const std::string& options = "--machine cu") const {
    std::ofstream t(folder_ / "job.toml");
    t << "[code]\nraw = \"a.bin\"\n[buffer.out]\nsize = " << 4 * out_dwords << "\n" << out_keys << "\n[buffer.in]\nsize = " << 4 * std::max<size_t>(in_dwords, in.size()) << "\n" << in_keys << "\n";
    if (!in.empty()) {
      t << "file = \"in.bin\"\n";
      std::ofstream(folder_ / "in.bin", std::ios::binary).write(reinterpret_cast<const char*>(in.data()), std::streamsize(in.size() * 4));
    }
    t << more_buffers;
    for (const auto& f : more_files) std::ofstream(folder_ / f.first, std::ios::binary) << f.second;
    for (unsigned d = 0; d < dispatches; ++d) {
      t << "[[dispatch]]\ngrid = [" << grid[0] << ", " << grid[1] << ", " << grid[2] << "]\nworkgroup = [" << group[0] << ", " << group[1] << ", " << group[2] << "]\nlds = " << lds << "\nscratch = " << scratch << "\nvgprs = " << vgprs
        << "\nsgprs = " << sgprs << "\nworkgroup_id = \"" << workgroup_id << "\"\nworkitem_id = " << workitem_id << "\nuser_sgprs = [{buffer_lo=\"out\"}, {buffer_hi=\"out\"}, {buffer_lo=\"in\"}, {buffer_hi=\"in\"}";
      for (const auto& s : more_sgprs) t << ", " << s;
      t << "]\n" << more_dispatch;
      if (!barrier && d) t << "barrier = false\n";
    }
    t << "[[output]]\nbuffer = \"out\"\nfile = \"out.bin\"\n";
    t.close();
    fs::remove(folder_ / "out.bin");
    const std::string at = folder_.string();
    const int status = std::system((directories::build() + "/platforms/lyra run " + at + "/job.toml --output-dir " + at + " " + options + " > " + at + "/stdout 2> " + at + "/stderr").c_str());
    outcome o;
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    o.out = slurp(folder_ / "stdout");
    o.err = slurp(folder_ / "stderr");
    const std::string bytes = slurp(folder_ / "out.bin");
    o.data.resize(bytes.size() / 4);
    std::memcpy(o.data.data(), bytes.data(), o.data.size() * 4);
    if (const char* c = std::strstr(o.out.c_str(), "  total ")) o.cycles = std::strtoull(c + 8, nullptr, 10);
    return o;
  }
  /// Runs and requires a run without fault or finding.
  outcome good(const std::string& options = "--machine cu") const {
    outcome o = run(options);
    BOOST_REQUIRE_MESSAGE(o.code == 0 && o.err.empty(), options << ": exit " << o.code << "\n" << o.err);
    return o;
  }
  const fs::path& folder() const { return folder_; }

private:
  fs::path folder_;
};

/// The three ways a program must give the same memory.
inline std::vector<std::string> all_modes(const std::string& machine = "cu") {
  return {"--machine " + machine, "--machine " + machine + " --mode lt", "--machine " + machine + " --set chaos.seed=7"};
}

/// Is `v` 0 .. n-1 in some order?
inline bool permutation(std::vector<uint32_t> v) {
  std::vector<bool> seen(v.size());
  for (uint32_t x : v) {
    if (x >= v.size() || seen[x]) return false;
    seen[x] = true;
  }
  return true;
}

/// v4 = byte offset of the work-item's dword: workgroup s4 of 2^shift items.
inline std::string item_offset(unsigned shift) {
  return "s_lshl_b32 s20, s4, " + std::to_string(shift) + "\nv_add_u32_e32 v4, s20, v0\nv_lshlrev_b32_e32 v4, 2, v4\n";
}

} // namespace program
