// SPDX-License-Identifier: Apache-2.0
// For the tests of dispatch: a directory of one's own, a memory, the compiler, and messages of errors.
#pragma once
#include "dispatch/device_memory.h"
#include "observe/input_error.h"
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace support {

namespace fs = std::filesystem;

/// A directory that goes away with the object.
struct scratch_directory {
  fs::path path;
  scratch_directory() {
    std::string name = (fs::temp_directory_path() / "lyra_test_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~scratch_directory() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  fs::path write(const std::string& name, const std::vector<uint8_t>& bytes) const { return write(name, std::string(bytes.begin(), bytes.end())); }
};

inline std::vector<uint8_t> read_file(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return std::vector<uint8_t>((std::istreambuf_iterator<char>(in)), {});
}

/// Output of a command; the test fails when the command does.
inline std::string run(const std::string& command) {
  std::string out;
  std::FILE* f = popen((command + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(f);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) out.append(buffer, n);
  const int status = pclose(f);
  BOOST_REQUIRE_MESSAGE(status == 0, command << "\n" << out);
  return out;
}

/// Compiles OpenCL C (no library) to a code object.
inline fs::path compile(const scratch_directory& d, const std::string& source, const std::string& name, const std::string& chip = "gfx900", const std::string& flags = "") {
  const fs::path cl = d.write(name + ".cl", source), co = d.path / (name + ".co");
  run("clang-15 -w -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -nogpulib -O2 -mcpu=" + chip + " " + flags + " " + cl.string() + " -o " + co.string());
  return co;
}

/// The message of the input error that `f` throws; "" when it throws none.
template <class F> std::string error_of(F&& f) {
  try {
    f();
  } catch (const lyra::observe::input_error& e) {
    return e.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Pages appear when mapped; access to others is counted as an error.
struct page_memory : lyra::dispatch::device_memory {
  std::map<uint64_t, std::array<uint8_t, 4096>> pages;
  std::vector<std::pair<uint64_t, uint64_t>> maps; ///< address, bytes: large ranges are only noted
  bool mapped(uint64_t a) const {
    for (const auto& [first, bytes] : maps) if (a / 4096 >= first / 4096 && a / 4096 <= (first + bytes - 1) / 4096) return true;
    return false;
  }
  void map(uint64_t a, uint64_t n) override { BOOST_TEST(a < (uint64_t(1) << 48)); maps.emplace_back(a, n); }
  std::vector<std::pair<uint64_t, uint64_t>> gone; ///< address, bytes of non-resident pages
  void make_non_resident(uint64_t a, uint64_t n) override { gone.emplace_back(a, n); }
  void write(uint64_t a, const void* data, uint64_t n) override {
    for (uint64_t i = 0; i < n; ++i) {
      if (i == 0 || (a + i) % 4096 == 0) BOOST_REQUIRE_MESSAGE(mapped(a + i), "write to unmapped " << a + i);
      pages[(a + i) / 4096][(a + i) % 4096] = static_cast<const uint8_t*>(data)[i];
    }
  }
  void read(uint64_t a, void* data, uint64_t n) override {
    for (uint64_t i = 0; i < n; ++i) {
      if (i == 0 || (a + i) % 4096 == 0) BOOST_REQUIRE_MESSAGE(mapped(a + i), "read of unmapped " << a + i);
      const auto p = pages.find((a + i) / 4096);
      static_cast<uint8_t*>(data)[i] = p == pages.end() ? 0 : p->second[(a + i) % 4096];
    }
  }
  template <class T> T get(uint64_t a) { T v; read(a, &v, sizeof v); return v; }
};

} // namespace support
