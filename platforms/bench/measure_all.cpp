// SPDX-License-Identifier: Apache-2.0
// Measurements in child processes: SystemC elaborates once a process, and a machine that faults takes nothing else with it.
#include "platforms/bench/measurement.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lyra::platforms::bench {

namespace {

struct child { pid_t pid = -1; int pipe = -1; };

child start(const measurement& m, const std::string& machine, const std::vector<std::string>& settings) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid != 0) {
    ::close(ends[1]);
    return {pid, ends[0]};
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would wait for the result
  ::close(ends[0]);
  char message[2048] = {};
  double value = 0;
  try {
    value = measure(m, machine, settings);
  } catch (const std::exception& e) {
    std::strncpy(message, e.what(), sizeof message - 1);
    if (!message[0]) std::strcpy(message, "failed");
  }
  char out[sizeof value + sizeof message];
  std::memcpy(out, &value, sizeof value);
  std::memcpy(out + sizeof value, message, sizeof message);
  const bool sent = ::write(ends[1], out, sizeof out) == ssize_t(sizeof out);
  ::_exit(sent ? 0 : 1);
}

outcome finish(const child& c) {
  char in[sizeof(double) + 2048] = {};
  size_t got = 0;
  for (ssize_t n; got < sizeof in && ((n = ::read(c.pipe, in + got, sizeof in - got)) > 0 || (n < 0 && errno == EINTR));) got += n > 0 ? size_t(n) : 0;
  ::close(c.pipe);
  int status = 0;
  ::waitpid(c.pid, &status, 0);
  outcome o;
  if (got != sizeof in) {
    o.problem = WIFSIGNALED(status) ? std::string("ended by signal ") + strsignal(WTERMSIG(status)) : "ended without a result";
    return o;
  }
  std::memcpy(&o.value, in, sizeof o.value);
  o.problem = in + sizeof o.value;
  return o;
}

} // namespace

std::vector<outcome> measure_all(const std::vector<measurement>& list, const std::string& machine, const std::vector<std::string>& settings, unsigned processes, void (*progress)(size_t, size_t)) {
  std::vector<outcome> results(list.size());
  std::vector<child> running(list.size());
  size_t started = 0;
  for (size_t done = 0; done < list.size(); ++done) {
    while (started < list.size() && started < done + processes) { running[started] = start(list[started], machine, settings); ++started; }
    results[done] = finish(running[done]);
    if (progress) progress(done + 1, list.size());
  }
  return results;
}

} // namespace lyra::platforms::bench
