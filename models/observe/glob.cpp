// SPDX-License-Identifier: Apache-2.0
#include "observe/glob.h"

namespace lyra::observe {

namespace {
/// Matches one character against the pattern's first item; sets how long that item is.
bool match_one(std::string_view pattern, char c, size_t& length) {
  length = 1;
  if (pattern[0] == '?') return true;
  if (pattern[0] != '[') return pattern[0] == c;
  const size_t close = pattern.find(']', 2);
  if (close == std::string_view::npos) return c == '[';
  length = close + 1;
  const bool negate = pattern[1] == '!' || pattern[1] == '^';
  bool in = false;
  for (size_t i = negate ? 2 : 1; i < close; ++i) {
    if (i + 2 < close && pattern[i + 1] == '-') {
      in |= pattern[i] <= c && c <= pattern[i + 2];
      i += 2;
    } else {
      in |= pattern[i] == c;
    }
  }
  return in != negate;
}
} // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, star_n = 0;
  while (n < name.size()) {
    size_t length = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_n = n;
    } else if (p < pattern.size() && match_one(pattern.substr(p), name[n], length)) {
      p += length;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_n;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

} // namespace lyra::observe
