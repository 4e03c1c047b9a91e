// SPDX-License-Identifier: Apache-2.0
// A network of the user's own in the place of Lyra's crossbar: a shared bus with a fixed delay, one request at a time, round-robin among the sources. What it shows: a
// block needs nothing of Lyra but the ports of fabric/ports.h, which keep the base protocol.
#pragma once
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include <deque>
#include <map>
#include <memory>
#include <vector>

class shared_bus : public lyra::fabric::timed_module, public lyra::fabric::request_server, public lyra::fabric::response_client {
public:
  shared_bus(sc_core::sc_module_name name, const lyra::fabric::context& context, unsigned sources, unsigned delay_cycles)
      : timed_module(name, context.fabric), to_l2("to_l2", *this, 0), delay_(delay_cycles), queues_(sources) {
    for (unsigned s = 0; s < sources; ++s) from.push_back(std::make_unique<lyra::fabric::target_port>("from" + std::to_string(s), *this, s));
  }
  std::vector<std::unique_ptr<lyra::fabric::target_port>> from; ///< one a source
  lyra::fabric::initiator_port to_l2;
  uint64_t transfers = 0;

private:
  using payload = lyra::fabric::payload;
  using picoseconds = lyra::fabric::picoseconds;
  struct waiting { payload* p; lyra::fabric::cycle_t ready; };

  lyra::fabric::request_answer on_request(unsigned source, payload& p, picoseconds& at) override {
    queues_[source].push_back({&p, clock().ceil(at) + delay_});
    wake_at(queues_[source].back().ready);
    return lyra::fabric::request_answer::accepted;
  }
  lyra::fabric::cycle_t on_wake(lyra::fabric::cycle_t cycle) override {
    lyra::fabric::cycle_t next = lyra::fabric::never;
    if (to_l2.ready())
      for (unsigned i = 0; i < queues_.size(); ++i) {
        const unsigned s = (turn_ + i) % unsigned(queues_.size());
        if (queues_[s].empty() || queues_[s].front().ready > cycle) continue;
        payload& p = *queues_[s].front().p;
        queues_[s].pop_front();
        turn_ = s + 1;
        source_[&p] = s;
        ++transfers;
        to_l2.send(p, clock().at(cycle + 1));
        if (to_l2.ready()) next = cycle + 1;
        break;
      }
    for (const auto& q : queues_)
      if (!q.empty() && to_l2.ready()) next = std::min(next, std::max(q.front().ready, cycle + 1));
    return next;
  }
  void on_response(unsigned, payload& p, picoseconds at) override {
    const auto s = source_.find(&p);
    from[s->second]->respond(p, at + delay_ * clock().period());
    source_.erase(s);
  }
  void on_ready(unsigned, picoseconds at) override { wake_at(std::max(clock().ceil(at), now() + 1)); }
  void b_transport(unsigned, payload& p, sc_core::sc_time& t) override { to_l2.socket->b_transport(p, t); }
  unsigned transport_dbg(unsigned, payload& p) override { return to_l2.socket->transport_dbg(p); }

  unsigned delay_, turn_ = 0;
  std::vector<std::deque<waiting>> queues_;
  std::map<payload*, unsigned> source_;
};
