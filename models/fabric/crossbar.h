// SPDX-License-Identifier: Apache-2.0
// The crossbar between the requesters of a machine (L1s, scalar and instruction caches) and its L2 channels.
#pragma once
#include "fabric/address_hash.h"
#include "fabric/address_translation.h"
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include "fabric/ports.h"
#include "fabric/time_wheel.h"
#include <algorithm>

namespace lyra::fabric {

struct crossbar_parameters {
  double request_latency_ns = 14.6, response_latency_ns = 14.6;
  unsigned source_depth = 64, source_entry = 384;
  std::string hash = "xor_fold";
  unsigned interleave_bytes = 256;
  std::string arbitration = "round_robin";
  unsigned grant_run = 1;
  std::string source_order = "by_channel";
  std::string dmi = "whole";
  template <class V> void describe(V&& v) {
    v("request_latency_ns", request_latency_ns, {"ns", 0, 10000, nullptr, "share of the 264-clk L2 hit (gpu-benches, MI100)", "from a source's port to a channel's, without waiting"});
    v("response_latency_ns", response_latency_ns, {"ns", 0, 10000, nullptr, "share of the 264-clk L2 hit (gpu-benches, MI100)", "from a channel's port to a source's, without waiting"});
    v("source_depth", source_depth, {"requests", 1, 4096, nullptr, "assumed", "requests of one source inside the crossbar; further ones wait at its entry"});
    v("source_entry", source_entry, {"requests", 0, 4096, nullptr, "assumed: as many as an L1 has in flight", "requests of one source that wait at its entry; a further one is held back (no END_REQ)"});
    v("hash", hash, {"", 0, 0, "linear|xor_fold", "256 B interleave, hashed (Omniperf documentation, gb_addr_config)", "which channel owns an address"});
    v("interleave_bytes", interleave_bytes, {"bytes", 64, 1048576, nullptr, "GFX9 gb_addr_config: 256", "block of addresses that one channel owns; a power of two"});
    v("arbitration", arbitration, {"", 0, 0, "round_robin|fifo", "assumed", "which waiting request a channel takes: the next source's, or the one that came first"});
    v("grant_run", grant_run, {"requests", 1, 64, nullptr, "the machines' 2: fitted to L2 reads of MI100 (gpu-benches)", "round_robin: requests that a channel takes from one source, if it has so many for it, before it turns to the next source"});
    v("source_order", source_order, {"", 0, 0, "by_channel|in_order", "gpu-benches, MI100: L2 reads reach 88 % of the peak",
      "by_channel: a source's requests wait in a queue for each channel; in_order: in one queue, where the first holds up those behind it (round_robin only)"});
    v("dmi", dmi, {"", 0, 0, "whole|block", "", "direct memory pointers: as the channel grants them (all channels share one store), or cut to the channel's own block"});
  }
};

struct crossbar_statistics {
  uint64_t requests = 0, responses = 0, request_beats = 0, response_beats = 0, request_wait_cycles = 0, response_wait_cycles = 0, channel_stall_cycles = 0, held_back = 0,
           inside_max = 0, broadcasts = 0;
  template <class V> void describe(V&& v) {
    v("requests", requests, "requests", "requests passed on to channels");
    v("responses", responses, "responses", "responses passed back to sources");
    v("request_beats", request_beats, "beats", "64-byte cycles used on the ports towards channels");
    v("response_beats", response_beats, "beats", "64-byte cycles used on the ports towards sources");
    v("request_wait_cycles", request_wait_cycles, "cycles", "sum over requests of cycles lost to arbitration and busy channels");
    v("response_wait_cycles", response_wait_cycles, "cycles", "sum over responses of cycles lost to arbitration");
    v("channel_stall_cycles", channel_stall_cycles, "cycles", "cycles in which requests waited because a channel held back its END_REQ");
    v("held_back", held_back, "requests", "requests that waited at their source's entry, or that a source had to hold");
    v("inside_max", inside_max, "requests", "most requests of all sources inside at once");
    v("broadcasts", broadcasts, "requests", "cache controls sent to every channel");
  }
};

/// N source ports, M channel ports; clock: the fabric domain. Requests go to the channel that owns their address (controls of a whole cache: to all, one
/// response). One request a cycle into each source port and out of each channel port, 64 bytes a cycle each way: an atomic packet takes as many cycles as its operands
/// (or, on return, its results) need. Requests from one source to one channel, and responses from one channel to one source, stay in order.
/// With `translate`, a request waits at its source's port until its address is translated; those behind it stay behind it.
/// Responses find their way by policy_extension.route; a payload that comes without the extension gets one.
/// A response is given to its source as soon as nothing can come before it any more: annotated by the response latency (and the
/// channels' notice), so that sources may run ahead by it.
class crossbar : public timed_module, public request_server, public response_client {
public:
  crossbar(sc_core::sc_module_name name, const context& context, unsigned sources, unsigned channels, const crossbar_parameters& parameters);
  ~crossbar() override;

  unsigned sources() const { return unsigned(in_.size()); }
  unsigned channels() const { return unsigned(out_.size()); }
  tlm::tlm_target_socket<bus_width_bits>& source_socket(unsigned i) { return in_[i]->socket; }       ///< bind a requester here
  tlm::tlm_initiator_socket<bus_width_bits>& channel_socket(unsigned c) { return out_[c]->socket; } ///< bind to an L2 channel
  const address_hash& hash() const { return hash_; }
  /// Requests take the time of their translation on top; null: none.
  void translate(std::unique_ptr<address_translation> t) { translation_ = std::move(t); }
  const crossbar_statistics& statistics() const { return statistics_; }
  /// By how much every response is annotated at least.
  picoseconds response_notice() const { return clock().at(notice_cycles_); }
  /// Every response of a channel will be announced at least so long ahead: sources hear of it that much earlier.
  void expect_notice(picoseconds t) { notice_cycles_ = response_cycles_ + std::max<cycle_t>(1, t / clock().period()) - 1; }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  static constexpr uint16_t broadcast_route = 0xffff;
  struct flight { payload* p; uint16_t source, channel; cycle_t due; };
  struct node { flight f; uint32_t next; };
  struct list { uint32_t head = none, tail = none; };
  struct port_state { cycle_t free = 0, waiting_since = 0; unsigned waiting = 0, last = 0, run = 0; };
  struct broadcast { payload* parent = nullptr; uint16_t source = 0; unsigned left = 0; picoseconds at = 0; tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE; };

  request_answer on_request(unsigned port, payload& p, picoseconds& at) override;
  void on_response(unsigned port, payload& p, picoseconds at) override;
  void on_ready(unsigned port, picoseconds at) override;
  void b_transport(unsigned port, payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, payload& p) override;
  bool get_direct_mem_ptr(unsigned port, payload& p, tlm::tlm_dmi& dmi) override;
  void on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) override;
  cycle_t on_wake(cycle_t cycle) override;
  void on_reset() override;

  void arrive(unsigned source, payload& p, cycle_t arrival);
  void admit(unsigned source, payload& p, cycle_t arrival);
  static unsigned places(const payload& p, size_t channels) { return channels > 1 && to_all(p) ? unsigned(channels) : 1; }
  list& queue(unsigned channel, unsigned source) { return queues_[size_t(channel) * lanes_ + (lanes_ == 1 ? 0 : source)]; }
  void append(list& l, const flight& f);
  void wait_at_channel(const flight& f, cycle_t cycle);
  flight take(list& l);
  flight pick(unsigned channel);
  cycle_t serve_channel(unsigned channel, cycle_t cycle);
  void leave(unsigned source, cycle_t cycle);
  static bool to_all(const payload& p);

  crossbar_parameters parameters_;
  address_hash hash_;
  chaos_source chaos_;
  uint32_t number_;
  uint64_t draws_ = 0;
  cycle_t request_cycles_, response_cycles_, notice_cycles_; ///< notice: from the choice of a response to its arrival
  std::unique_ptr<address_translation> translation_;
  bool fifo_, in_order_, cut_dmi_;
  std::vector<std::unique_ptr<target_port>> in_;
  std::vector<std::unique_ptr<initiator_port>> out_;

  // requests
  struct arrival { payload* p; uint16_t source; bool waited; };
  time_wheel<arrival> arrivals_;             ///< they come in, and are translated, in the order of (cycle, source)
  std::vector<arrival> come_;
  std::vector<ring<payload*>> entries_;      ///< by source: what has come and finds no place inside
  time_wheel<flight> requests_;
  std::vector<node> nodes_;
  uint32_t free_node_ = none;
  unsigned lanes_ = 1, source_words_;        ///< lists a channel: one a source, or one for all (fifo)
  std::vector<list> queues_;
  std::vector<list> source_queues_;          ///< in_order: requests behind the one that waits at its channel
  std::vector<uint8_t> source_waits_;        ///< in_order: one of the source's requests waits at its channel
  std::vector<unsigned> moved_on_;           ///< in_order: sources whose request left in this cycle
  std::vector<uint64_t> waiting_sources_;    ///< [channel][word]: sources with a waiting request
  std::vector<port_state> channel_states_;
  std::vector<uint64_t> busy_channels_;
  std::vector<cycle_t> source_next_, source_due_;
  std::vector<unsigned> sent_, inside_;      ///< by source: requests sent and not yet passed on; those of them that have a place inside
  std::vector<unsigned> promised_;           ///< by source: places for requests that have waited and come in soon
  std::vector<cycle_t> entry_next_;
  struct held { payload* p = nullptr; picoseconds at = 0; };
  std::vector<held> held_;
  unsigned inside_total_ = 0;                ///< sum of inside_

  // responses
  time_wheel<flight> responses_;
  std::vector<list> response_queues_;
  std::vector<port_state> source_states_;
  std::vector<uint64_t> busy_sources_;
  std::vector<cycle_t> channel_due_;
  std::vector<flight> due_;
  std::vector<broadcast> broadcasts_;
  payload_pool children_;

  crossbar_statistics statistics_;
  std::vector<observe::signal> channel_depth_signals_, source_depth_signals_;
};

} // namespace lyra::fabric
