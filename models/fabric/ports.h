// SPDX-License-Identifier: Apache-2.0
// Sockets with the base protocol's bookkeeping done once: exclusion rules, deferred END_REQ, monotonic response times.
//
// Times are absolute picoseconds. A block calls send()/respond() as soon as it knows the time, at least one cycle of the receiver ahead;
// the receiver puts the message in its own time-ordered queue and wakes then. Effective times on one socket and direction never decrease.
#pragma once
#include "fabric/clock.h"
#include "fabric/payload.h"
#include "fabric/reset.h"
#include "fabric/ring.h"
#include <string>

namespace lyra::fabric {

/// What a target does with a request it is offered.
enum class request_answer : uint8_t {
  accepted,  ///< END_REQ (TLM_UPDATED) at `at`, which may be moved later; the response comes through target_port::respond
  withheld,  ///< back-pressure: END_REQ comes later through target_port::accept; no further request arrives until then
  completed  ///< the response is the return value (TLM_COMPLETED) at the time put into `at`
};

/// The owner of target ports: a block's server side.
class request_server {
public:
  virtual ~request_server() = default;
  /// A request on port `port`, effective at time `at`. For `completed`, set `at` to the response time.
  virtual request_answer on_request(unsigned port, payload& p, picoseconds& at) = 0;
  /// Loosely timed: does the whole transaction, adds its latency to `delay`.
  virtual void b_transport(unsigned port, payload& p, sc_core::sc_time& delay) = 0;
  /// Debug access; returns the number of bytes done.
  virtual unsigned transport_dbg(unsigned port, payload& p) = 0;
  virtual bool get_direct_mem_ptr(unsigned, payload&, tlm::tlm_dmi& dmi) { dmi.init(); return false; }
};

/// The owner of initiator ports: a block's client side.
class response_client {
public:
  virtual ~response_client() = default;
  /// The response of a request sent earlier, effective at `at`. The block now owns the payload alone and releases it when it has used it.
  virtual void on_response(unsigned port, payload& p, picoseconds at) = 0;
  /// A request that was withheld has been accepted: the port can send again from `at` on.
  virtual void on_ready(unsigned port, picoseconds at) = 0;
  virtual void on_invalidate_direct_mem_ptr(unsigned, uint64_t, uint64_t) {}
};

/// Target side of one edge. What every message touches stands in front of the socket, which is large.
class target_port : public tlm::tlm_fw_transport_if<>, private resettable {
  request_server& owner_;
  unsigned port_;
  payload* withheld_ = nullptr;
  payload* in_response_ = nullptr; ///< BEGIN_RESP sent, END_RESP not yet back
  picoseconds last_response_ = 0, last_end_request_ = 0;
  tlm::tlm_bw_transport_if<>* initiator_ = nullptr; ///< whom the socket is bound to, from the first message to it on
  ring<std::pair<payload*, picoseconds>> waiting_{4};

public:
  target_port(const std::string& name, request_server& owner, unsigned port);
  tlm::tlm_target_socket<bus_width_bits> socket;

  /// Ends a withheld request: END_REQ at `at`, but not before the request itself nor before the END_REQ of an earlier one.
  void accept(picoseconds at);
  /// Responds to a request accepted before: BEGIN_RESP at `at` or, where that would go back in time, at the last response's time.
  /// Waits by itself while the initiator holds back END_RESP.
  void respond(payload& p, picoseconds at);
  bool request_withheld() const { return withheld_ != nullptr; }
  unsigned index() const { return port_; }

private:
  tlm::tlm_sync_enum nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override;
  void b_transport(payload& p, sc_core::sc_time& t) override { owner_.b_transport(port_, p, t); }
  unsigned transport_dbg(payload& p) override { return owner_.transport_dbg(port_, p); }
  bool get_direct_mem_ptr(payload& p, tlm::tlm_dmi& dmi) override { return owner_.get_direct_mem_ptr(port_, p, dmi); }
  tlm::tlm_bw_transport_if<>& initiator() {
    if (!initiator_) initiator_ = socket.operator->();
    return *initiator_;
  }
  void begin_response(payload& p, picoseconds at);
  void on_reset() override {
    withheld_ = in_response_ = nullptr;
    last_response_ = last_end_request_ = 0;
    waiting_.clear();
  }
};

/// Initiator side of one edge.
class initiator_port : public tlm::tlm_bw_transport_if<>, private resettable {
  response_client& owner_;
  unsigned port_;
  payload* pending_ = nullptr;
  picoseconds free_at_ = 0;
  size_t in_flight_ = 0;
  tlm::tlm_fw_transport_if<>* target_ = nullptr; ///< whom the socket is bound to, from the first request on

public:
  initiator_port(const std::string& name, response_client& owner, unsigned port);
  tlm::tlm_initiator_socket<bus_width_bits> socket;

  /// No request of this port waits for its END_REQ.
  bool ready() const { return pending_ == nullptr; }
  /// Earliest time of the next request.
  picoseconds free_at() const { return free_at_; }
  /// Sends a request (only when ready()) at `at` or later where the port is not free before; returns the effective time.
  /// The response comes through response_client::on_response (also when the target completes at once).
  picoseconds send(payload& p, picoseconds at);
  unsigned index() const { return port_; }
  size_t in_flight() const { return in_flight_; }

private:
  tlm::tlm_sync_enum nb_transport_bw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 b, sc_dt::uint64 e) override { owner_.on_invalidate_direct_mem_ptr(port_, b, e); }
  tlm::tlm_fw_transport_if<>& target() {
    if (!target_) target_ = socket.operator->();
    return *target_;
  }
  void on_reset() override {
    pending_ = nullptr;
    free_at_ = 0;
    in_flight_ = 0;
  }
};

} // namespace lyra::fabric
