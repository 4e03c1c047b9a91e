// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM during a run: the run ends at the next chunk of cycles, says what its waves wait for, and dies by the signal all the same. A second signal ends it at once.
#pragma once
#include <csignal>

namespace lyra::platforms {

/// The handlers are in place for the object's life; one object at a time.
class interruption {
public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  /// The signal that came, or 0.
  int signal() const;
  /// Its name for people.
  const char* name() const { return signal() == SIGINT ? "SIGINT" : "SIGTERM"; }
  /// Ends the process by that signal, so that a shell or script sees what it would have seen.
  void die() const;

private:
  struct sigaction before_[2];
};

} // namespace lyra::platforms
