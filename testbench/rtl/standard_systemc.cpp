// SPDX-License-Identifier: Apache-2.0
// Random traffic through a crossbar into two memory channels: built with Accellera's in-line calls and with what the standard has, it must print the same.
#include "fabric/crossbar.h"
#include "fabric/traffic.h"
#include "memory/dram_channel.h"
#include <cstdio>

using namespace lyra;

int sc_main(int, char**) {
  memory::backing_store store;
  store.map(0, 1 << 20);
  fabric::payload_pool lines;
  fabric::context context;
  context.lines = &lines;
  context.space = &store;
  fabric::crossbar crossbar("crossbar", context, 3, 2, {});
  memory::dram_parameters p;
  p.channels = 2;
  p.model = "hbm2";
  memory::dram_channel m0("memory0", context, store, p), m1("memory1", context, store, p);
  crossbar.channel_socket(0).bind(m0.in.socket);
  crossbar.channel_socket(1).bind(m1.in.socket);
  std::vector<std::unique_ptr<fabric::traffic_source>> sources;
  for (unsigned i = 0; i < 3; ++i) {
    fabric::traffic_parameters t;
    t.seed = i + 1;
    t.requests = 5000;
    sources.push_back(std::make_unique<fabric::traffic_source>(("source" + std::to_string(i)).c_str(), context, t));
    sources.back()->out.socket.bind(crossbar.source_socket(i));
  }
  for (unsigned run = 0; run < 2; ++run) { // and once more behind a reset
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
    for (const auto& s : sources) {
      const fabric::traffic_statistics& n = s->statistics();
      std::printf("%llu answers, %llu errors, latency %llu ps in all, last at %llu ps\n", (unsigned long long)n.answers, (unsigned long long)n.errors, (unsigned long long)n.latency_ps,
                  (unsigned long long)n.last_answer_ps);
    }
    if (run == 0) {
      fabric::assert_reset();
      fabric::release_reset();
    }
  }
  return sources[0]->statistics().answers == 5000 ? 0 : 1;
}
