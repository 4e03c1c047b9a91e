// SPDX-License-Identifier: Apache-2.0
#include "platforms/interruption.h"

namespace lyra::platforms {

namespace {
volatile std::sig_atomic_t came = 0;
extern "C" void remember_signal(int number) { came = number; }
constexpr int watched[2] = {SIGINT, SIGTERM};
} // namespace

interruption::interruption() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = int(SA_RESETHAND | SA_RESTART); // the second one ends the process
  for (int i = 0; i < 2; ++i) {
    sigaction(watched[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, nullptr); // a job in the background of a script ignores SIGINT: so it stays
  }
}

interruption::~interruption() {
  for (int i = 0; i < 2; ++i) sigaction(watched[i], &before_[i], nullptr);
}

int interruption::signal() const { return came; }

void interruption::die() const {
  std::signal(came, SIG_DFL);
  std::raise(came);
}

} // namespace lyra::platforms
