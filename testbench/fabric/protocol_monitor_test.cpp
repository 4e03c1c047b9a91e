// SPDX-License-Identifier: Apache-2.0
// The protocol monitor finds what it is there to find: each case breaks one rule.
#include "support/memory_bench.h"
#include "support/systemc_test.h"

using namespace lyra;
using namespace lyra::testbench;

namespace {
/// A bare initiator and target: the test makes every call itself.
struct edge : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<512> out{"out"};
  tlm::tlm_target_socket<512> in{"in"};
  protocol_monitor<> monitor{"monitor"};
  payload_pool pool;
  tlm::tlm_sync_enum fw_answer = tlm::TLM_ACCEPTED, bw_answer = tlm::TLM_ACCEPTED;
  tlm::tlm_phase fw_phase = tlm::BEGIN_REQ, bw_phase = tlm::BEGIN_RESP;
  explicit edge(sc_core::sc_module_name name = "edge") : sc_module(name) {
    out.bind(*this);
    in.bind(*this);
    out.bind(monitor.in); // the monitor is inside: its sockets are bound as siblings'
    monitor.out.bind(in);
  }
  tlm::tlm_sync_enum nb_transport_fw(payload&, tlm::tlm_phase& p, sc_core::sc_time&) override { if (fw_answer == tlm::TLM_UPDATED) p = fw_phase; return fw_answer; }
  tlm::tlm_sync_enum nb_transport_bw(payload&, tlm::tlm_phase& p, sc_core::sc_time&) override { if (bw_answer == tlm::TLM_UPDATED) p = bw_phase; return bw_answer; }
  void b_transport(payload&, sc_core::sc_time&) override {}
  unsigned transport_dbg(payload& p) override { return p.get_data_length(); }
  bool get_direct_mem_ptr(payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void forward(payload& p, tlm::tlm_phase phase, picoseconds at, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED, tlm::tlm_phase to = tlm::END_REQ) {
    fw_answer = answer; fw_phase = to;
    sc_core::sc_time t = to_sc_time(at);
    out->nb_transport_fw(p, phase, t);
  }
  void backward(payload& p, tlm::tlm_phase phase, picoseconds at, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED, tlm::tlm_phase to = tlm::END_RESP) {
    bw_answer = answer; bw_phase = to;
    sc_core::sc_time t = to_sc_time(at);
    in->nb_transport_bw(p, phase, t);
  }
  payload& read() { return pool.line(tlm::TLM_READ_COMMAND, 0x40); }
  bool found(const char* text) const {
    for (auto& v : monitor.violations())
      if (v.find(text) != std::string::npos) return true;
    BOOST_TEST_MESSAGE(monitor.report());
    return false;
  }
  void begin() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
};
} // namespace

BOOST_AUTO_TEST_CASE(legal_transactions_of_every_shape_are_clean) {
  edge e;
  e.begin();
  payload &a = e.read(), &b = e.read(), &c = e.read(), &d = e.read();
  e.forward(a, tlm::BEGIN_REQ, 10);
  e.backward(a, tlm::END_REQ, 20);
  e.forward(b, tlm::BEGIN_REQ, 20, tlm::TLM_UPDATED, tlm::END_REQ);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(a, tlm::BEGIN_RESP, 30);
  e.forward(a, tlm::END_RESP, 40);
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(b, tlm::BEGIN_RESP, 40, tlm::TLM_UPDATED);
  c.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  e.forward(c, tlm::BEGIN_REQ, 50);
  c.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(c, tlm::BEGIN_RESP, 60, tlm::TLM_COMPLETED); // END_REQ implied
  e.forward(d, tlm::BEGIN_REQ, 70);
  BOOST_TEST(e.monitor.clean(false), e.monitor.report());
  BOOST_TEST(!e.monitor.clean()); // one is still open
  BOOST_TEST(e.monitor.transactions() == 4u);
}

BOOST_AUTO_TEST_CASE(two_requests_or_two_responses_at_once_are_found) {
  edge e;
  e.begin();
  payload &a = e.read(), &b = e.read();
  e.forward(a, tlm::BEGIN_REQ, 10);
  e.forward(b, tlm::BEGIN_REQ, 10);
  BOOST_TEST(e.found("while another request"));
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(a, tlm::BEGIN_RESP, 20);
  e.backward(b, tlm::BEGIN_RESP, 30);
  BOOST_TEST(e.found("while another response"));
}

BOOST_AUTO_TEST_CASE(phases_out_of_order_and_after_the_end_are_found) {
  edge e;
  e.begin();
  payload &a = e.read(), &b = e.read();
  e.forward(a, tlm::END_RESP, 5);
  BOOST_TEST(e.found("not under way"));
  e.forward(b, tlm::BEGIN_REQ, 10, tlm::TLM_UPDATED, tlm::END_REQ);
  e.backward(b, tlm::END_REQ, 20);
  BOOST_TEST(e.found("the request had ended"));
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(b, tlm::BEGIN_RESP, 30, tlm::TLM_UPDATED);
  const size_t n = e.monitor.violation_count();
  e.backward(b, tlm::BEGIN_RESP, 40);
  BOOST_TEST(e.monitor.violation_count() > n);
}

BOOST_AUTO_TEST_CASE(wrong_directions_and_return_values_are_found) {
  edge e;
  e.begin();
  payload &a = e.read(), &b = e.read();
  e.backward(a, tlm::BEGIN_REQ, 10);
  BOOST_TEST(e.found("backward path"));
  e.forward(a, tlm::END_REQ, 10);
  BOOST_TEST(e.found("forward path"));
  e.forward(b, tlm::BEGIN_REQ, 10);
  e.backward(b, tlm::END_REQ, 20, tlm::TLM_COMPLETED);
  BOOST_TEST(e.found("returned for END_REQ"));
}

BOOST_AUTO_TEST_CASE(times_that_go_back_are_found) {
  edge e;
  e.begin();
  payload &a = e.read(), &b = e.read();
  e.forward(a, tlm::BEGIN_REQ, 100, tlm::TLM_UPDATED, tlm::END_REQ);
  e.forward(b, tlm::BEGIN_REQ, 90, tlm::TLM_UPDATED, tlm::END_REQ);
  BOOST_TEST(e.found("BEGIN_REQ goes back in time"));
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(a, tlm::BEGIN_RESP, 200, tlm::TLM_UPDATED);
  e.backward(b, tlm::BEGIN_RESP, 150, tlm::TLM_UPDATED);
  BOOST_TEST(e.found("BEGIN_RESP goes back in time"));
}

BOOST_AUTO_TEST_CASE(changed_attributes_and_data_are_found) {
  edge e;
  e.begin();
  std::vector<uint8_t> data(64, 3);
  payload &a = e.read(), &b = e.pool.masked_write(0, data.data(), 0xff);
  e.forward(a, tlm::BEGIN_REQ, 10, tlm::TLM_UPDATED, tlm::END_REQ);
  a.set_address(0x80);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  e.backward(a, tlm::BEGIN_RESP, 20, tlm::TLM_UPDATED);
  BOOST_TEST(e.found("address changed"));
  e.forward(b, tlm::BEGIN_REQ, 30, tlm::TLM_UPDATED, tlm::END_REQ);
  b.get_data_ptr()[0] = 4;
  b.get_byte_enable_ptr()[60] = 0xff;
  e.backward(b, tlm::BEGIN_RESP, 40, tlm::TLM_UPDATED);
  BOOST_TEST(e.found("data of a write changed"));
  BOOST_TEST(e.found("byte enables changed"));
  BOOST_TEST(e.found("response status not set"));
}

BOOST_AUTO_TEST_CASE(payloads_that_are_not_ready_are_found) {
  edge e;
  e.begin();
  payload bare;
  bare.set_command(tlm::TLM_READ_COMMAND);
  bare.set_response_status(tlm::TLM_OK_RESPONSE);
  e.forward(bare, tlm::BEGIN_REQ, 10);
  BOOST_TEST(e.found("no memory manager"));
  BOOST_TEST(e.found("no data pointer"));
  BOOST_TEST(e.found("response status is set before"));
  sc_core::sc_time t;
  payload& p = e.read();
  e.out->b_transport(p, t);
  BOOST_TEST(e.found("response status not set by b_transport"));
}
