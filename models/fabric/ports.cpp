// SPDX-License-Identifier: Apache-2.0
#include "fabric/ports.h"
#include <algorithm>

namespace lyra::fabric {

namespace {
sc_core::sc_time delay_until(picoseconds at) {
  const picoseconds n = event_ps();
  return to_sc_time(at > n ? at - n : 0);
}
void hold(payload& p) { if (!payload_pool::kept_by_initiator(p)) p.acquire(); }
void let_go(payload& p) { if (!payload_pool::kept_by_initiator(p)) p.release(); }
} // namespace

target_port::target_port(const std::string& name, request_server& owner, unsigned port) : owner_(owner), port_(port), socket(name.c_str()) { socket.bind(*this); }

tlm::tlm_sync_enum target_port::nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
  const picoseconds n = event_ps();
  if (phase == tlm::BEGIN_REQ) {
    picoseconds at = n + t.value();
    hold(p);
    switch (owner_.on_request(port_, p, at)) {
      case request_answer::accepted:
        if (at < last_end_request_) at = last_end_request_;
        last_end_request_ = at;
        phase = tlm::END_REQ;
        t = delay_until(at);
        return tlm::TLM_UPDATED;
      case request_answer::withheld:
        withheld_ = &p;
        if (last_end_request_ < at) last_end_request_ = at; // END_REQ comes no earlier than the request itself
        return tlm::TLM_ACCEPTED;
      case request_answer::completed:
        t = delay_until(at);
        last_response_ = at;
        phase = tlm::BEGIN_RESP;
        let_go(p);
        return tlm::TLM_COMPLETED;
    }
  }
  if (phase == tlm::END_RESP) {
    payload* done = in_response_;
    in_response_ = nullptr;
    const picoseconds at = n + t.value();
    if (last_response_ < at) last_response_ = at;
    let_go(*done);
    while (!waiting_.empty() && !in_response_) {
      auto [next, when] = waiting_.front();
      waiting_.pop();
      begin_response(*next, when);
    }
    return tlm::TLM_COMPLETED;
  }
  SC_REPORT_FATAL("lyra/fabric/phase", ("unexpected phase on " + std::string(socket.name())).c_str());
  return tlm::TLM_COMPLETED;
}

void target_port::accept(picoseconds at) {
  payload& p = *withheld_;
  withheld_ = nullptr;
  at = std::max({at, last_end_request_, now_ps()});
  last_end_request_ = at;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time t = delay_until(at);
  initiator().nb_transport_bw(p, phase, t);
}

void target_port::respond(payload& p, picoseconds at) {
  if (in_response_) waiting_.push({&p, at});
  else begin_response(p, at);
}

void target_port::begin_response(payload& p, picoseconds at) {
  if (withheld_ == &p) withheld_ = nullptr; // BEGIN_RESP implies END_REQ
  at = std::max({at, last_response_, now_ps()});
  last_response_ = at;
  in_response_ = &p;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time t = delay_until(at);
  const tlm::tlm_sync_enum s = initiator().nb_transport_bw(p, phase, t);
  if (s == tlm::TLM_COMPLETED || (s == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    const picoseconds end = event_ps() + t.value();
    if (last_response_ < end) last_response_ = end;
    in_response_ = nullptr;
    let_go(p);
  }
}

initiator_port::initiator_port(const std::string& name, response_client& owner, unsigned port) : owner_(owner), port_(port), socket(name.c_str()) { socket.bind(*this); }

picoseconds initiator_port::send(payload& p, picoseconds at) {
  if (at < free_at_) at = free_at_;
  const picoseconds n = event_ps();
  if (at < n + time_ahead) at = n + time_ahead;
  pending_ = &p;
  free_at_ = at;
  ++in_flight_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time t = to_sc_time(at - n);
  const tlm::tlm_sync_enum s = target().nb_transport_fw(p, phase, t);
  if (s == tlm::TLM_COMPLETED || (s == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    pending_ = nullptr;
    --in_flight_;
    if (s == tlm::TLM_UPDATED) { // the target opened its response: close it
      tlm::tlm_phase end = tlm::END_RESP;
      sc_core::sc_time te = t;
      target().nb_transport_fw(p, end, te);
    }
    owner_.on_response(port_, p, n + t.value());
  } else if (s == tlm::TLM_UPDATED) { // END_REQ
    pending_ = nullptr;
    const picoseconds end = n + t.value();
    if (free_at_ < end) free_at_ = end;
  }
  return at;
}

tlm::tlm_sync_enum initiator_port::nb_transport_bw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
  const picoseconds at = event_ps() + t.value();
  if (phase == tlm::END_REQ) {
    pending_ = nullptr;
    if (free_at_ < at) free_at_ = at;
    owner_.on_ready(port_, at);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP) {
    const bool implied_end_req = pending_ == &p;
    if (implied_end_req) {
      pending_ = nullptr;
      if (free_at_ < at) free_at_ = at;
    }
    --in_flight_;
    phase = tlm::END_RESP;
    owner_.on_response(port_, p, at);
    if (implied_end_req) owner_.on_ready(port_, at);
    return tlm::TLM_UPDATED;
  }
  SC_REPORT_FATAL("lyra/fabric/phase", ("unexpected phase on " + std::string(socket.name())).c_str());
  return tlm::TLM_ACCEPTED;
}

} // namespace lyra::fabric
