// SPDX-License-Identifier: Apache-2.0
// The TLM side that the transactors share: a FIFO of requests with back-pressure, and loosely timed callers that wait.
#pragma once
#include "fabric/ports.h"
#include <algorithm>
#include <deque>

namespace lyra::rtl {

/// A request on its way through the RTL. `done`: a thread waits for it (loosely timed), else it is answered on the port.
struct queued {
  fabric::payload* p = nullptr;
  sc_core::sc_event* done = nullptr;
  fabric::picoseconds arrival = 0;
};

/// Owner of a target port whose requests stand in a FIFO of `depth`; a further one is held back (END_REQ withheld).
class queue_server : public fabric::request_server {
public:
  fabric::target_port in;
  size_t waiting() const { return fifo_.size(); }

protected:
  queue_server(const std::string& socket, unsigned depth) : in(socket, *this, 0), depth_(depth) {}
  virtual void arrived(fabric::picoseconds at) = 0;

  /// Takes the oldest request that has arrived by `at`; false: none.
  bool take(fabric::picoseconds at, queued& q) {
    if (fifo_.empty() || fifo_.front().arrival > at) return false;
    q = fifo_.front();
    fifo_.pop_front();
    if (held_) {
      fabric::payload& p = *held_;
      held_ = nullptr;
      const fabric::picoseconds entry = std::max(held_at_, at + 1);
      fifo_.push_back({&p, nullptr, entry});
      in.accept(entry);
    }
    return true;
  }
  const queued* front() const { return fifo_.empty() ? nullptr : &fifo_.front(); }
  void finish(const queued& q, fabric::picoseconds at) {
    if (q.done) q.done->notify(fabric::to_sc_time(at > fabric::now_ps() ? at - fabric::now_ps() : 0));
    else in.respond(*q.p, at);
  }

  fabric::request_answer on_request(unsigned, fabric::payload& p, fabric::picoseconds& at) override {
    if (fifo_.size() >= depth_) {
      held_ = &p;
      held_at_ = at;
      return fabric::request_answer::withheld;
    }
    at = std::max(at, last_);
    last_ = at;
    fifo_.push_back({&p, nullptr, at});
    arrived(at);
    return fabric::request_answer::accepted;
  }
  /// RTL has no time of its own: the calling thread waits until the answer has come.
  void b_transport(unsigned, fabric::payload& p, sc_core::sc_time& delay) override {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    sc_core::sc_event done;
    fifo_.push_back({&p, &done, fabric::now_ps()});
    arrived(fabric::now_ps());
    sc_core::wait(done);
  }
  unsigned transport_dbg(unsigned, fabric::payload&) override { return 0; }
  /// A part of the owner's on_reset.
  void forget_requests() {
    fifo_.clear();
    held_ = nullptr;
    held_at_ = last_ = 0;
  }

private:
  unsigned depth_;
  std::deque<queued> fifo_;
  fabric::payload* held_ = nullptr;
  fabric::picoseconds held_at_ = 0, last_ = 0;
};

} // namespace lyra::rtl
