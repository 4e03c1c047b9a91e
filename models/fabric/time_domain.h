// SPDX-License-Identifier: Apache-2.0
// Modules that run ahead of the kernel's time together: conservative lookahead.
//
// A compute unit, its caches and the scalar caches it shares hear from the rest of the machine only through messages that were known some
// cycles before they take effect (L2's shortest latency and the crossbar's, the dispatcher's launch latency). So they may do these cycles' work in one go, while the host's
// caches hold them, and the rest of the machine follows. What happens, and when, is the same as without; only the order of the host's work differs.
#pragma once
#include "fabric/clock.h"

namespace lyra::fabric {

class timed_module;

constexpr unsigned no_time_domain = ~0u; ///< the shared part
/// A new domain; its number. Modules built inside a time_domain_scope of it belong to it, all others to the shared part of the machine, which never runs ahead.
unsigned new_time_domain();

class time_domain_scope {
public:
  explicit time_domain_scope(unsigned domain);
  ~time_domain_scope();
  time_domain_scope(const time_domain_scope&) = delete;
  time_domain_scope& operator=(const time_domain_scope&) = delete;

private:
  unsigned before_;
};

/// Domains may run so far ahead; 0 (as it begins): not at all. Every message from the shared part to a domain must be annotated at least so far ahead: by `busy`
/// while a launcher is busy, else by `quiet`. A launcher that becomes busy sends nothing for `quiet`, since domains may be that far ahead then.
void set_lookahead(picoseconds quiet, picoseconds busy);
/// One that waits for room is not busy: it answers only to a module that has told it of some (timed_module::expect_launch).
void launcher_busy(bool begins);
/// Domains do not run to this time or beyond it (`never`, as it begins: they may), so that all modules agree on what has happened when the kernel comes there.
void set_horizon(picoseconds);

} // namespace lyra::fabric
