// SPDX-License-Identifier: Apache-2.0
// Errors in what a user gave us, written for people: where, what is wrong, what to do.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lyra::observe {

/// Bad input: a file, a field or a command line value. `what()` is "place: text"; programs print it and exit with 2.
class input_error : public std::runtime_error {
public:
  input_error(std::string place, std::string text) : std::runtime_error(place.empty() ? text : place + ": " + text), place_(std::move(place)), text_(std::move(text)) {}
  const std::string& place() const { return place_; } ///< "job.toml:12", a file name, "--set", or empty
  const std::string& text() const { return text_; }

private:
  std::string place_, text_;
};

/// Levenshtein distance: insertions, deletions and replacements of one character.
unsigned edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `wanted`, or "" when none is near enough to be meant (more than a third of it would have to change).
std::string nearest(std::string_view wanted, const std::vector<std::string>& names);

/// "; did you mean \"x\"?" for the nearest name, "" when none is near.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

/// "a, b, c": for lists of what is allowed.
std::string join(const std::vector<std::string>& names, std::string_view separator = ", ");

} // namespace lyra::observe
