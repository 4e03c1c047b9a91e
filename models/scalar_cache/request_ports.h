// SPDX-License-Identifier: Apache-2.0
// What the scalar data cache and the instruction cache have in common: a queue for each compute unit and one for controls, places for requests, MSHRs, the way to L2.
#pragma once
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include "fabric/ring.h"
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace lyra::scalar_cache {

/// A payload and the cycle from which it counts.
struct arrival { fabric::payload* p; fabric::cycle_t cycle; };

/// The queue of a port; requests are sent some cycles ahead. One beyond its size is withheld.
struct request_queue {
  fabric::ring<arrival> queue;
  fabric::payload* withheld = nullptr;
  fabric::cycle_t withheld_at = 0; ///< when it arrives
};

/// `Port`: a request_queue and what a cache keeps of its port besides. The derived cache takes from the queues and from `responses_` when it wakes.
template <class Port> class request_ports : public fabric::timed_module, protected fabric::request_server, protected fabric::response_client {
public:
  fabric::target_port& cu_port(unsigned i) { return *ports_[i]; }
  unsigned compute_units() const { return unsigned(ports_.size()) - 1; }
  fabric::target_port& control_port() { return *ports_.back(); }
  fabric::initiator_port l2_port;

protected:
  struct sizes { unsigned queue_entries, requests, mshrs, l2_transactions; };
  /// `kind`: for the id of an error report.
  request_ports(sc_core::sc_module_name name, fabric::context& context, unsigned compute_units, const sizes& s, const char* kind)
      : timed_module(name, context.core), l2_port("l2_port", *this, 0), context_(context), l2_queue_(s.l2_transactions), responses_(s.l2_transactions), sizes_(s) {
    if (s.requests > 256 || s.mshrs > 256)
      SC_REPORT_ERROR((std::string("lyra/") + kind + "/parameter").c_str(), (std::string(this->name()) + ": requests_outstanding and mshrs go up to 256; lower them").c_str());
    for (unsigned i = 0; i < compute_units; ++i) ports_.emplace_back(new fabric::target_port("cu_port_" + std::to_string(i), *this, i));
    ports_.emplace_back(new fabric::target_port("control_port", *this, compute_units));
    state_.resize(ports_.size());
    free_all();
  }

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override {
    const fabric::cycle_t c = clock().ceil(at);
    wake_at(std::max(c, now()));
    request_queue& s = state_[port];
    if (s.queue.size() >= sizes_.queue_entries) {
      s.withheld = &p;
      s.withheld_at = c;
      return fabric::request_answer::withheld;
    }
    s.queue.push({&p, c});
    return fabric::request_answer::accepted;
  }
  void on_response(unsigned, fabric::payload& p, fabric::picoseconds at) override {
    fabric::cycle_t c = clock().ceil(at);
    if (!responses_.empty()) c = std::max(c, responses_.back().cycle);
    responses_.push({&p, c});
    wake_at(std::max(c, now()));
  }
  void on_ready(unsigned, fabric::picoseconds at) override { wake_at_ps(at); }

  /// No request waits in a queue or has a place.
  bool queues_empty() const {
    for (const request_queue& s : state_)
      if (!s.queue.empty() || s.withheld) return false;
    return free_requests_.size() == sizes_.requests;
  }
  void free_all() {
    free_mshrs_.clear();
    free_requests_.clear();
    for (unsigned i = sizes_.mshrs; i-- > 0;) free_mshrs_.push_back(uint16_t(i));
    for (unsigned i = sizes_.requests; i-- > 0;) free_requests_.push_back(uint16_t(i));
  }
  /// As after construction.
  void reset_ports() {
    for (Port& s : state_) s = Port();
    turn_ = 0;
    lookup_cycle_ = fabric::never;
    lookups_ = 0;
    free_all();
    l2_queue_.clear();
    responses_.clear();
  }
  void invalidate_direct_pointers(uint64_t first, uint64_t last) {
    for (size_t i = 0; i + 1 < ports_.size(); ++i) ports_[i]->socket->invalidate_direct_mem_ptr(first, last);
  }

  fabric::context& context_;
  std::vector<std::unique_ptr<fabric::target_port>> ports_; ///< compute units, then control
  std::vector<Port> state_;
  unsigned turn_ = 0; ///< port looked at first
  fabric::cycle_t lookup_cycle_ = fabric::never;
  unsigned lookups_ = 0; ///< in that cycle
  std::vector<uint16_t> free_mshrs_, free_requests_;
  fabric::ring<arrival> l2_queue_, responses_;

private:
  sizes sizes_;
};

} // namespace lyra::scalar_cache
