// SPDX-License-Identifier: Apache-2.0
// A checker of the TLM-2.0 base protocol for any edge: bind it between an initiator and a target. It forwards every call unchanged, in the same
// delta cycle, and records what breaks a rule. `clean()` at the end of a test; `violations()` says what, when and on which transaction.
//
// Rules (IEEE 1666-2011, 14.1, 15.2): phases of a transaction in order and in the right direction; END_REQ and END_RESP may be implied; return values and phases
// allowed for each call; one request and one response at a time on a socket (exclusion); a memory manager on every transaction; attributes, byte
// enables and the data of a write not changed while it lasts; response status INCOMPLETE before and set at the response; effective times of each kind of
// phase, and of the phases of one transaction, never going back, and a phase never before the one that makes room for it; nothing after the end of a transaction.
#pragma once
#include "fabric/reset.h"
#include <cstring>
#include <sstream>
#include <string>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace lyra::testbench {

template <unsigned BUSWIDTH = 512>
class protocol_monitor : public sc_core::sc_module, private lyra::fabric::resettable, public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
public:
  tlm::tlm_target_socket<BUSWIDTH> in;     ///< bind the initiator here
  tlm::tlm_initiator_socket<BUSWIDTH> out; ///< bind to the target

  explicit protocol_monitor(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out") {
    in.bind(*this);
    out.bind(*this);
  }

  /// The edge hands finished transactions on (L1 to TD): their response status is set before the request.
  bool answered_before = false;

  const std::vector<std::string>& violations() const { return violations_; }
  size_t violation_count() const { return count_; }
  size_t transactions() const { return transactions_; }
  size_t outstanding() const { return live_.size(); }
  /// No rule broken; with `finished` also no transaction left open.
  bool clean(bool finished = true) const { return count_ == 0 && (!finished || live_.empty()); }
  std::string report() const {
    std::ostringstream s;
    s << name() << ": " << transactions_ << " transactions, " << live_.size() << " open, " << count_ << " violations";
    for (const auto& v : violations_) s << "\n  " << v;
    return s.str();
  }

private:
  using payload = tlm::tlm_generic_payload;
  using time = sc_core::sc_time;
  enum class state { request, accepted, response };
  struct transaction {
    state at = state::request;
    uint64_t number = 0;
    tlm::tlm_command command{};
    sc_dt::uint64 address = 0;
    unsigned char *data = nullptr, *enables = nullptr;
    unsigned length = 0, enable_length = 0, streaming = 0;
    std::vector<unsigned char> data_copy, enable_copy;
    time last; // effective time of its last phase
  };

  /// What was under way is gone: the base protocol begins anew. Violations stay.
  void on_reset() override {
    live_.clear();
    request_ = response_ = nullptr;
    last_begin_request_ = last_end_request_ = last_begin_response_ = last_end_response_ = time();
  }
  void violation(const payload* p, const std::string& text) {
    if (count_++ >= 50) return;
    std::ostringstream s;
    s << sc_core::sc_time_stamp() << " " << name();
    if (p) s << " address 0x" << std::hex << p->get_address() << std::dec;
    if (const auto it = live_.find(const_cast<payload*>(p)); it != live_.end()) s << " transaction " << it->second.number;
    s << ": " << text;
    violations_.push_back(s.str());
  }
  static const char* text(tlm::tlm_sync_enum r) { return r == tlm::TLM_ACCEPTED ? "TLM_ACCEPTED" : r == tlm::TLM_UPDATED ? "TLM_UPDATED" : "TLM_COMPLETED"; }

  void remember(payload& p, transaction& t) {
    t.command = p.get_command();
    t.address = p.get_address();
    t.data = p.get_data_ptr();
    t.length = p.get_data_length();
    t.enables = p.get_byte_enable_ptr();
    t.enable_length = p.get_byte_enable_length();
    t.streaming = p.get_streaming_width();
    if (t.command == tlm::TLM_WRITE_COMMAND && t.data) t.data_copy.assign(t.data, t.data + t.length);
    if (t.enables) t.enable_copy.assign(t.enables, t.enables + t.enable_length);
  }
  void unchanged(payload& p, const transaction& t) {
    if (p.get_command() != t.command) violation(&p, "command changed");
    if (p.get_address() != t.address) violation(&p, "address changed");
    if (p.get_data_ptr() != t.data) violation(&p, "data pointer changed");
    if (p.get_data_length() != t.length) violation(&p, "data length changed");
    if (p.get_byte_enable_ptr() != t.enables || p.get_byte_enable_length() != t.enable_length) violation(&p, "byte enable pointer or length changed");
    if (p.get_streaming_width() != t.streaming) violation(&p, "streaming width changed");
    if (!t.data_copy.empty() && t.data && std::memcmp(t.data, t.data_copy.data(), t.data_copy.size()) != 0) violation(&p, "data of a write changed");
    if (!t.enable_copy.empty() && t.enables && std::memcmp(t.enables, t.enable_copy.data(), t.enable_copy.size()) != 0) violation(&p, "byte enables changed");
  }
  void well_formed(payload& p) {
    if (!p.has_mm()) violation(&p, "no memory manager");
    else if (p.get_ref_count() < 1) violation(&p, "reference count is 0");
    if (p.get_command() != tlm::TLM_IGNORE_COMMAND) {
      if (!p.get_data_ptr()) violation(&p, "no data pointer");
      if (p.get_data_length() == 0) violation(&p, "data length is 0");
    }
    if (p.get_byte_enable_ptr() && p.get_byte_enable_length() == 0) violation(&p, "byte enables of length 0");
    if (p.get_streaming_width() == 0) violation(&p, "streaming width is 0");
    if (!answered_before && p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) violation(&p, "response status is set before the request");
    if (p.is_dmi_allowed()) violation(&p, "DMI hint is set before the request");
  }

  // one phase, at its effective time
  void begin_request(payload& p, const time& at) {
    if (live_.count(&p)) { violation(&p, "BEGIN_REQ of a transaction that is under way"); return; }
    transaction t;
    t.number = ++transactions_;
    remember(p, t);
    t.last = at;
    live_.emplace(&p, t);
    well_formed(p);
    if (request_) violation(&p, "BEGIN_REQ while another request waits for END_REQ");
    if (at < last_begin_request_) violation(&p, "BEGIN_REQ goes back in time");
    if (at < last_end_request_) violation(&p, "BEGIN_REQ before the END_REQ of the request before it");
    last_begin_request_ = at;
    request_ = &p;
  }
  transaction* find(payload& p, const char* phase) {
    const auto it = live_.find(&p);
    if (it == live_.end()) { violation(&p, std::string(phase) + " of a transaction that is not under way (ended or never begun)"); return nullptr; }
    return &it->second;
  }
  void step(payload& p, transaction& t, const time& at, const char* phase) {
    if (at < t.last) violation(&p, std::string(phase) + " before the transaction's last phase");
    t.last = at;
    unchanged(p, t);
    if (p.has_mm() && p.get_ref_count() < 1) violation(&p, std::string(phase) + " with reference count 0");
  }
  void end_request(payload& p, const time& at) {
    transaction* t = find(p, "END_REQ");
    if (!t) return;
    if (t->at != state::request) violation(&p, "END_REQ where the request had ended");
    if (request_ == &p) request_ = nullptr;
    if (at < last_end_request_) violation(&p, "END_REQ goes back in time");
    last_end_request_ = at;
    t->at = state::accepted;
    step(p, *t, at, "END_REQ");
  }
  void begin_response(payload& p, const time& at) {
    transaction* t = find(p, "BEGIN_RESP");
    if (!t) return;
    if (t->at == state::response) violation(&p, "BEGIN_RESP a second time");
    if (t->at == state::request) { // implies END_REQ
      if (request_ == &p) request_ = nullptr;
      if (last_end_request_ < at) last_end_request_ = at;
    }
    if (response_) violation(&p, "BEGIN_RESP while another response waits for END_RESP");
    if (at < last_begin_response_) violation(&p, "BEGIN_RESP goes back in time");
    if (at < last_end_response_) violation(&p, "BEGIN_RESP before the END_RESP of the response before it");
    last_begin_response_ = at;
    response_ = &p;
    t->at = state::response;
    step(p, *t, at, "BEGIN_RESP");
    if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violation(&p, "response status not set");
  }
  void end_response(payload& p, const time& at) {
    transaction* t = find(p, "END_RESP");
    if (!t) return;
    if (t->at != state::response) violation(&p, "END_RESP without BEGIN_RESP");
    if (response_ == &p) response_ = nullptr;
    if (at < last_end_response_) violation(&p, "END_RESP goes back in time");
    last_end_response_ = at;
    step(p, *t, at, "END_RESP");
    live_.erase(&p);
  }
  /// TLM_COMPLETED by the target: the response, and its end, are implied.
  void completed(payload& p, const time& at) {
    transaction* t = find(p, "TLM_COMPLETED");
    if (!t) return;
    if (request_ == &p) request_ = nullptr;
    if (response_) violation(&p, "TLM_COMPLETED while another response waits for END_RESP");
    if (at < last_begin_response_) violation(&p, "TLM_COMPLETED goes back in time");
    if (at < last_end_response_) violation(&p, "TLM_COMPLETED before the END_RESP of the response before it");
    last_begin_response_ = at;
    step(p, *t, at, "TLM_COMPLETED");
    if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violation(&p, "response status not set");
    live_.erase(&p);
  }

  tlm::tlm_sync_enum nb_transport_fw(payload& p, tlm::tlm_phase& phase, time& t) override {
    const tlm::tlm_phase sent = phase;
    const time at = sc_core::sc_time_stamp() + t;
    // a payload may be freed by the call that ends it: hold it
    const bool held = p.has_mm();
    if (held) p.acquire();
    if (sent == tlm::BEGIN_REQ) begin_request(p, at);
    else if (sent == tlm::END_RESP) end_response(p, at);
    else violation(&p, "phase not allowed on the forward path");
    const tlm::tlm_sync_enum r = out->nb_transport_fw(p, phase, t);
    const time back = sc_core::sc_time_stamp() + t;
    if (sent == tlm::BEGIN_REQ) {
      if (r == tlm::TLM_UPDATED) {
        if (back < at) violation(&p, "timing annotation reduced by the target");
        if (phase == tlm::END_REQ) end_request(p, back);
        else if (phase == tlm::BEGIN_RESP) begin_response(p, back);
        else violation(&p, "TLM_UPDATED with a phase not allowed after BEGIN_REQ");
      } else if (r == tlm::TLM_COMPLETED) {
        if (back < at) violation(&p, "timing annotation reduced by the target");
        completed(p, back);
      }
    } else if (sent == tlm::END_RESP && r == tlm::TLM_UPDATED) {
      violation(&p, "TLM_UPDATED returned for END_RESP");
    }
    if (held) p.release();
    return r;
  }

  tlm::tlm_sync_enum nb_transport_bw(payload& p, tlm::tlm_phase& phase, time& t) override {
    const tlm::tlm_phase sent = phase;
    const time at = sc_core::sc_time_stamp() + t;
    const bool held = p.has_mm();
    if (held) p.acquire();
    if (sent == tlm::END_REQ) end_request(p, at);
    else if (sent == tlm::BEGIN_RESP) begin_response(p, at);
    else violation(&p, "phase not allowed on the backward path");
    const tlm::tlm_sync_enum r = in->nb_transport_bw(p, phase, t);
    const time back = sc_core::sc_time_stamp() + t;
    if (sent == tlm::END_REQ) {
      if (r != tlm::TLM_ACCEPTED) violation(&p, std::string(text(r)) + " returned for END_REQ");
    } else if (sent == tlm::BEGIN_RESP) {
      if (r == tlm::TLM_UPDATED) {
        if (back < at) violation(&p, "timing annotation reduced by the initiator");
        if (phase == tlm::END_RESP) end_response(p, back);
        else violation(&p, "TLM_UPDATED with a phase not allowed after BEGIN_RESP");
      } else if (r == tlm::TLM_COMPLETED) {
        if (back < at) violation(&p, "timing annotation reduced by the initiator");
        end_response(p, back);
      }
    }
    if (held) p.release();
    return r;
  }

  void b_transport(payload& p, time& t) override {
    ++transactions_;
    if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) violation(&p, "response status is set before b_transport");
    transaction a;
    remember(p, a);
    const time before = sc_core::sc_time_stamp() + t;
    out->b_transport(p, t);
    unchanged(p, a);
    if (sc_core::sc_time_stamp() + t < before) violation(&p, "b_transport went back in time");
    if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violation(&p, "response status not set by b_transport");
  }
  unsigned transport_dbg(payload& p) override {
    const unsigned length = p.get_data_length(), n = out->transport_dbg(p);
    if (n > length) violation(&p, "transport_dbg did more bytes than asked");
    return n;
  }
  bool get_direct_mem_ptr(payload& p, tlm::tlm_dmi& dmi) override {
    const bool granted = out->get_direct_mem_ptr(p, dmi);
    if (granted && (p.get_address() < dmi.get_start_address() || p.get_address() > dmi.get_end_address())) violation(&p, "direct memory granted that does not hold the address");
    return granted;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    if (first > last) violation(nullptr, "invalidate_direct_mem_ptr with an empty range");
    in->invalidate_direct_mem_ptr(first, last);
  }

  std::unordered_map<payload*, transaction> live_;
  payload *request_ = nullptr, *response_ = nullptr;
  time last_begin_request_, last_end_request_, last_begin_response_, last_end_response_;
  std::vector<std::string> violations_;
  size_t count_ = 0, transactions_ = 0;
};

} // namespace lyra::testbench
