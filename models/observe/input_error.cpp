// SPDX-License-Identifier: Apache-2.0
#include "observe/input_error.h"
#include <algorithm>
#include <numeric>

namespace lyra::observe {

unsigned edit_distance(std::string_view a, std::string_view b) {
  std::vector<unsigned> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = unsigned(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view wanted, const std::vector<std::string>& names) {
  std::string best;
  unsigned best_distance = ~0u;
  for (const auto& n : names) {
    const unsigned d = edit_distance(wanted, n);
    if (d < best_distance) { best_distance = d; best = n; }
  }
  const unsigned limit = std::max<unsigned>(1, unsigned(std::max(wanted.size(), best.size())) / 3);
  return best_distance <= limit ? best : std::string();
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string n = nearest(wanted, names);
  return n.empty() ? n : "; did you mean \"" + n + "\"?";
}

std::string join(const std::vector<std::string>& names, std::string_view separator) {
  std::string s;
  for (const auto& n : names) {
    if (!s.empty()) s += separator;
    s += n;
  }
  return s;
}

} // namespace lyra::observe
