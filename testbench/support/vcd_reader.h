// SPDX-License-Identifier: Apache-2.0
// Reads a VCD dump back: value changes by signal name, for tests of cycles.
#pragma once
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// Value changes of every signal of a dump ("cu0.smem.issue"); of a text its length, 0 for none.
class vcd_reader {
public:
  struct change { uint64_t ps, value; };

  explicit vcd_reader(const std::filesystem::path& file) {
    std::ifstream in(file);
    BOOST_REQUIRE_MESSAGE(in, file << " is not there");
    std::string scope, line;
    std::map<std::string, std::string> names;
    std::vector<size_t> ends;
    uint64_t ps = 0;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string first, a, b, id, name;
      words >> first;
      if (first == "$scope") {
        words >> a >> b;
        ends.push_back(scope.size());
        scope += b + ".";
      } else if (first == "$upscope") {
        scope.resize(ends.back());
        ends.pop_back();
      } else if (first == "$var") {
        words >> a >> b >> id >> name;
        names[id] = scope + name;
      } else if (!first.empty() && first[0] == '#') {
        ps = std::stoull(first.substr(1));
      } else if (!first.empty() && first[0] == 's') { // a text: its length, 0 for none
        words >> id;
        if (names.count(id)) changes_[names[id]].push_back({ps, first.size() - 1});
      } else if (!first.empty() && (first[0] == 'b' || first[0] == '0' || first[0] == '1')) {
        if (first[0] == 'b') words >> id;
        else id = first.substr(1);
        const std::string bits = first[0] == 'b' ? first.substr(1) : first.substr(0, 1);
        if (bits.find_first_not_of("01") == std::string::npos && names.count(id)) changes_[names[id]].push_back({ps, std::stoull(bits, nullptr, 2)});
      }
    }
  }
  const std::vector<change>& of(const std::string& signal) const {
    const auto i = changes_.find(signal);
    BOOST_REQUIRE_MESSAGE(i != changes_.end(), "no changes of " << signal);
    return i->second;
  }
  /// Cycles, of `period_ps`, in which the signal became something else than 0.
  std::vector<uint64_t> pulses(const std::string& signal, uint64_t period_ps = 1000) const {
    std::vector<uint64_t> cycles;
    for (const auto& c : of(signal)) if (c.value) cycles.push_back(c.ps / period_ps);
    return cycles;
  }
  uint64_t at(const std::string& signal, uint64_t ps) const {
    uint64_t v = 0;
    for (const auto& c : of(signal)) if (c.ps <= ps) v = c.value;
    return v;
  }

private:
  std::map<std::string, std::vector<change>> changes_;
};
