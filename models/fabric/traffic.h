// SPDX-License-Identifier: Apache-2.0
// Traffic for one block alone: random, strided or recorded requests on a socket, with latencies counted.
#pragma once
#include "fabric/edge_record.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include <deque>
#include <functional>

namespace lyra::fabric {

struct traffic_parameters {
  std::string pattern = "random"; ///< random, strided, recorded
  std::string file;               ///< recorded: of an edge_recorder
  uint64_t base = 0, footprint_bytes = 1 << 20, stride_bytes = 64;
  unsigned bytes = 64;            ///< of a request, inside a line
  unsigned read_percent = 70, atomic_percent = 0;
  uint64_t requests = 1000;       ///< random, strided
  unsigned window = 16;           ///< most requests in flight
  unsigned gap_cycles = 1;        ///< between two requests, at least
  bool keep_times = true;         ///< recorded: not before the time in the file (later where the block holds it back); off: as fast as the window allows
  uint64_t seed = 1;

  template <class V> void describe(V&& v) {
    v("pattern", pattern, parameter_info{"", 0, 0, "random|strided|recorded", "", "where requests go"});
    v("file", file, parameter_info{"", 0, 0, nullptr, "", "recorded: the file"});
    v("base", base, parameter_info{"bytes", 0, 1e18, nullptr, "", "first address"});
    v("footprint_bytes", footprint_bytes, parameter_info{"bytes", 64, 1e15, nullptr, "", "addresses stay in so many bytes from base on"});
    v("stride_bytes", stride_bytes, parameter_info{"bytes", 1, 1e15, nullptr, "", "strided: distance of two requests"});
    v("bytes", bytes, parameter_info{"bytes", 1, 64, nullptr, "", "of a request; it does not cross a line"});
    v("read_percent", read_percent, parameter_info{"percent", 0, 100, nullptr, "", "reads among loads and stores"});
    v("atomic_percent", atomic_percent, parameter_info{"percent", 0, 100, nullptr, "", "of all: atomic additions to one dword, with return"});
    v("requests", requests, parameter_info{"requests", 0, 1e18, nullptr, "", "how many (random, strided)"});
    v("window", window, parameter_info{"requests", 1, 100000, nullptr, "", "most in flight"});
    v("gap_cycles", gap_cycles, parameter_info{"cycles", 1, 1e6, nullptr, "", "between two requests"});
    v("keep_times", keep_times, parameter_info{"", 0, 1, nullptr, "", "recorded: not before the time in the file"});
    v("seed", seed, parameter_info{"", 0, 1e18, nullptr, "", "of the random choices"});
  }
};

struct traffic_statistics {
  uint64_t requests = 0, answers = 0, errors = 0, latency_ps = 0, latency_min_ps = 0, latency_max_ps = 0, last_answer_ps = 0;
  template <class V> void describe(V&& v) {
    v("requests", requests, "requests", "sent");
    v("answers", answers, "requests", "answered");
    v("errors", errors, "requests", "answered with another response than OK");
    v("latency_ps", latency_ps, "ps", "sum over answers, request to response");
    v("latency_min_ps", latency_min_ps, "ps", "shortest");
    v("latency_max_ps", latency_max_ps, "ps", "longest");
    v("last_answer_ps", last_answer_ps, "ps", "time of the last answer");
  }
};

/// Initiator of an edge. A recorded workgroup waits until those that have been in its wave slots, registers or LDS before have ended. Starts with the simulation; ends when all requests are answered. Throws observe::input_error for a file that cannot be read.
class traffic_source : public timed_module, private response_client {
public:
  traffic_source(sc_core::sc_module_name name, const context& context, const traffic_parameters& parameters, isa::target chip = isa::target::gfx900);
  initiator_port out;
  const traffic_statistics& statistics() const { return statistics_; }
  bool done() const { return ended_ && out.in_flight() == 0; }
  /// Called with every answered request before it is released.
  std::function<void(payload&, picoseconds at)> on_answer;

private:
  cycle_t on_wake(cycle_t cycle) override;
  void on_reset() override;
  void on_release() override { wake_at(1); } ///< all of its requests again
  void on_response(unsigned, payload& p, picoseconds at) override;
  void on_ready(unsigned, picoseconds at) override { wake_at(std::max(clock().ceil(at), now() + 1)); }
  bool fetch();
  bool room_for_launch() const;
  payload& make();
  uint64_t roll() { return chaos_source::mix(parameters_.seed * 0x9e37 + ++rolls_); }

  context context_;
  traffic_parameters parameters_;
  isa::target chip_;
  std::unique_ptr<record_reader> reader_;
  recorded_request next_;
  std::deque<std::pair<payload*, picoseconds>> sent_;
  cycle_t free_ = 0;
  uint64_t made_ = 0, rolls_ = 0;
  bool ended_ = false;
  traffic_statistics statistics_;
};

} // namespace lyra::fabric
