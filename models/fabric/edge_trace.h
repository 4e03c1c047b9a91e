// SPDX-License-Identifier: Apache-2.0
// Shows the handshakes of one edge in the VCD: sits between the two sockets and passes everything on unchanged. Put in only where a signal of the edge is selected.
#pragma once
#include "fabric/clock.h"
#include "fabric/payload.h"
#include "observe/trace.h"

namespace lyra::fabric {

/// The signals of an edge, "edge.NAME.requests" and so on. Times are those of the phases, effective (annotated) ones.
struct edge_signals {
  observe::signal requests, waiting, responses, in_flight, address;
  edge_signals(observe::trace& t, const std::string& edge)
      : requests(t.add("edge." + edge + ".requests", 8, "requests that begin in this cycle (BEGIN_REQ)")),
        waiting(t.add("edge." + edge + ".waiting", 8, "requests whose END_REQ is withheld: back-pressure")),
        responses(t.add("edge." + edge + ".responses", 8, "responses that begin in this cycle (BEGIN_RESP)")),
        in_flight(t.add("edge." + edge + ".in_flight", 16, "requests without response")),
        address(t.add("edge." + edge + ".address", 64, "address of the newest request")) {}
  explicit operator bool() const { return requests || waiting || responses || in_flight || address; }
};

class edge_trace : public sc_core::sc_module, private resettable, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
public:
  edge_trace(sc_core::sc_module_name name, const edge_signals& signals, picoseconds cycle) : sc_module(name), in("in"), out("out"), signals_(signals), cycle_(cycle) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<bus_width_bits> in;
  tlm::tlm_initiator_socket<bus_width_bits> out;

private:
  static picoseconds effective(const sc_core::sc_time& t) { return event_ps() + t.value(); }
  void on_reset() override { open_ = false; }
  void pulse(const observe::signal& s, picoseconds t) const { s.add(t, 1); s.add(t + cycle_, -1); }
  void began(const payload& p, picoseconds t) {
    pulse(signals_.requests, t);
    signals_.in_flight.add(t, 1);
    signals_.waiting.add(t, 1);
    signals_.address.set(t, p.get_address());
    open_ = true;
  }
  void accepted(picoseconds t) {
    if (!open_) return;
    open_ = false;
    signals_.waiting.add(t, -1);
  }
  void answered(picoseconds t) {
    accepted(t); // a response without END_REQ before it ends the request
    pulse(signals_.responses, t);
    signals_.in_flight.add(t, -1);
  }
  tlm::tlm_sync_enum nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override {
    const bool request = phase == tlm::BEGIN_REQ;
    if (request) began(p, effective(t));
    const auto result = out->nb_transport_fw(p, phase, t);
    if (request && result == tlm::TLM_COMPLETED) answered(effective(t));
    else if (request && result == tlm::TLM_UPDATED) phase == tlm::BEGIN_RESP ? answered(effective(t)) : accepted(effective(t));
    return result;
  }
  tlm::tlm_sync_enum nb_transport_bw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override {
    if (phase == tlm::END_REQ) accepted(effective(t));
    else if (phase == tlm::BEGIN_RESP) answered(effective(t));
    return in->nb_transport_bw(p, phase, t);
  }
  void b_transport(payload& p, sc_core::sc_time& t) override {
    began(p, effective(t));
    out->b_transport(p, t);
    answered(effective(t));
  }
  unsigned transport_dbg(payload& p) override { return out->transport_dbg(p); }
  bool get_direct_mem_ptr(payload& p, tlm::tlm_dmi& d) override { return out->get_direct_mem_ptr(p, d); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { in->invalidate_direct_mem_ptr(first, last); }

  edge_signals signals_;
  picoseconds cycle_;
  bool open_ = false; ///< a request without END_REQ: at most one, by the base protocol
};

} // namespace lyra::fabric
