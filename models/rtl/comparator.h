// SPDX-License-Identifier: Apache-2.0
// Two implementations of one block in lock step: the machine sees the RTL, and every answer of it is checked against the reference.
#pragma once
#include "fabric/context.h"
#include "fabric/ports.h"
#include "rtl/ring_trace.h"
#include <functional>
#include <memory>
#include <deque>

namespace lyra::rtl {

/// What the comparator must know of an edge.
class edge_rules {
public:
  virtual ~edge_rules() = default;
  /// A copy for the reference (`reference`) or the RTL, reference count 1.
  virtual fabric::payload& copy(fabric::payload& p, bool reference) = 0;
  /// What the answer `from` brings, into the machine's transaction.
  virtual void give(const fabric::payload& from, fabric::payload& to) = 0;
  /// The first difference of two answers ("lane 3 VGPR 0: TLM 0x1, RTL 0x2"); empty: none.
  virtual std::string difference(fabric::payload& reference, fabric::payload& rtl) = 0;
  virtual std::string describe(const fabric::payload& p) = 0;
};
std::unique_ptr<edge_rules> wave_rules(const fabric::context& context);   ///< CU -> LDS. The reference gets all instructions on one of its two paths: it acts in the order of arrival, as RTL does
std::unique_ptr<edge_rules> atomic_rules(const fabric::context& context); ///< L2 -> atomic unit
std::unique_ptr<edge_rules> line_rules(const fabric::context& context);   ///< READ and WRITE inside a line

struct comparator_statistics {
  uint64_t transactions = 0, compared = 0, rtl_later = 0, rtl_later_ps = 0, reference_later_ps = 0;
  template <class V> void describe(V&& v) {
    v("transactions", transactions, "transactions", "given to both sides");
    v("compared", compared, "transactions", "answered by both and equal");
    v("rtl_later", rtl_later, "transactions", "of these: the RTL answered after the reference");
    v("rtl_later_ps", rtl_later_ps, "ps", "sum of how much later the RTL answered");
    v("reference_later_ps", reference_later_ps, "ps", "sum of how much later the reference answered");
  }
};

/// Target of the machine's edge, initiator to both sides. A transaction goes to both at the same time; the RTL's answer is the machine's. At the first difference: the
/// fault lyra/rtl/difference with the transaction, its number and cycle, and a VCD of the last `window_cycles` with the signals that were added to trace().
class comparator : public sc_core::sc_module, private fabric::request_server, private fabric::response_client, private fabric::resettable {
public:
  /// `file`: of the VCD; the block's name is put in front of its suffix.
  comparator(sc_core::sc_module_name name, const fabric::context& context, std::unique_ptr<edge_rules> rules, ring_trace& trace, const std::string& file);
  fabric::target_port in;
  fabric::initiator_port reference, rtl;
  const comparator_statistics& statistics() const { return statistics_; }
  uint64_t differences() const { return differences_; }
  /// Called with each request before either side has it (a shadow copies what the reference may change).
  std::function<void(const fabric::payload&)> on_request_hook;

private:
  struct pair { fabric::payload* original; fabric::payload* copies[2]; fabric::picoseconds answered[2] = {0, 0}; uint64_t number; fabric::picoseconds sent; };
  struct outgoing { fabric::payload* p; fabric::picoseconds at; };

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  void on_response(unsigned side, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned side, fabric::picoseconds) override { pump(side); }
  void on_reset() override;
  void pump(unsigned side);
  void check(pair& e, fabric::picoseconds at);
  fabric::initiator_port& port(unsigned side) { return side ? rtl : reference; }

  fabric::context context_;
  std::unique_ptr<edge_rules> rules_;
  ring_trace& trace_;
  std::string file_;
  std::deque<pair> pairs_;
  std::deque<outgoing> to_send_[2];
  fabric::payload* held_ = nullptr;
  fabric::picoseconds held_at_ = 0;
  uint64_t number_ = 0, differences_ = 0, answers_[2] = {0, 0};
  comparator_statistics statistics_;
  observe::signal number_signal_, answers_signal_[2], difference_signal_;
};

} // namespace lyra::rtl
