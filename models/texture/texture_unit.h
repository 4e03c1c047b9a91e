// SPDX-License-Identifier: Apache-2.0
// The texture unit of a compute unit: TA (addresses, coalescing) in front of the L1, TD (formats, return) behind it.
#pragma once
#include "fabric/context.h"
#include "fabric/dmi_cache.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include "fabric/ports.h"
#include "fabric/ring.h"
#include "texture/image_plan.h"
#include "texture/line_list.h"
#include <memory>

namespace lyra::texture {

struct texture_parameters {
  address_parameters address;
  rate_parameters rate;
  image_parameters image;
  unsigned address_latency_cycles = 24, return_latency_cycles = 40, acknowledge_cycles = 8;
  unsigned lines_per_cycle = 4;
  unsigned phases_one = 4, phases_two = 8, phases_four = 16;
  unsigned instructions_in_flight = 256;
  unsigned lt_memory_cycles = 70;

  template <class V> void describe(V&& v) {
    v("address_latency_cycles", address_latency_cycles, fabric::parameter_info{"cycles", 1, 1000, nullptr, "TA's share of 134 clk L1 hit latency (gpu-benches, MI100): assumed split", "instruction at TA to its first line at L1"});
    v("return_latency_cycles", return_latency_cycles, fabric::parameter_info{"cycles", 1, 1000, nullptr, "TD's share of 134 clk L1 hit latency: assumed split", "last line at TD to VGPRs written, one register"});
    v("acknowledge_cycles", acknowledge_cycles, fabric::parameter_info{"cycles", 1, 1000, nullptr, "assumed", "last acknowledgement at TD to the counter, stores and atomics without return"});
    v("lines_per_cycle", lines_per_cycle, fabric::parameter_info{"lines/cycle", 1, 64, nullptr, "vega10_enum.h: four tag RAMs", "lines sent to L1 in one cycle"});
    v("phases_one", phases_one, fabric::parameter_info{"cycles", 1, 64, nullptr, "vega10_enum.h: four-, eight-, sixteen-phase waves", "TD returns 64 lanes of one register"});
    v("phases_two", phases_two, fabric::parameter_info{"cycles", 1, 64, nullptr, "vega10_enum.h", "two registers"});
    v("phases_four", phases_four, fabric::parameter_info{"cycles", 1, 64, nullptr, "vega10_enum.h", "three registers and more"});
    v("instructions_in_flight", instructions_in_flight, fabric::parameter_info{"instructions", 1, 4096, nullptr, "assumed", "wave instructions between TA and TD"});
    v("lt_memory_cycles", lt_memory_cycles, fabric::parameter_info{"cycles", 0, 10000, nullptr, "L1 hit", "memory latency of the loosely timed mode"});
    address.describe(v);
    rate.describe(v);
    image.describe(v);
  }
};

struct texture_statistics {
  uint64_t instructions = 0, loads = 0, stores = 0, atomics = 0, image_instructions = 0, controls = 0, without_lanes = 0, typed = 0, lds_loads = 0, faults = 0;
  uint64_t image_samples = 0, texels = 0, image_lines = 0, image_hits = 0, filter_cycles = 0, image_quads = 0;
  uint64_t lanes = 0, lines = 0, lines_written = 0, atomic_packets = 0, hits = 0, bytes = 0;
  uint64_t linear_quads = 0, scattered_quads = 0;
  uint64_t ta_busy_cycles = 0, td_busy_cycles = 0, request_wait_cycles = 0, line_wait_cycles = 0;
  uint64_t latency_cycles = 0;

  template <class V> void describe(V&& v) {
    v("instructions", instructions, "instructions", "wave instructions taken by TA");
    v("loads", loads, "instructions", "loads");
    v("stores", stores, "instructions", "stores");
    v("atomics", atomics, "instructions", "atomics");
    v("image_instructions", image_instructions, "instructions", "image instructions of all kinds");
    v("controls", controls, "instructions", "BUFFER_WBINVL1 and _VOL");
    v("without_lanes", without_lanes, "instructions", "instructions that touched no memory (EXEC=0, all out of range)");
    v("typed", typed, "instructions", "format conversions (MTBUF, FORMAT forms)");
    v("lds_loads", lds_loads, "instructions", "loads that return to LDS");
    v("faults", faults, "instructions", "instructions that ended in a fault");
    v("image_samples", image_samples, "instructions", "of them samples and gathers");
    v("image_quads", image_quads, "quads", "quads of image instructions with an active lane");
    v("texels", texels, "texels", "texels requested by image instructions (lanes x taps)");
    v("image_lines", image_lines, "lines", "lines that they coalesced to; texels / image_lines is the texels' coalescing ratio");
    v("image_hits", image_hits, "lines", "image_lines that hit in L1");
    v("filter_cycles", filter_cycles, "cycles", "TD filters texels of samples and gathers");
    v("lanes", lanes, "lanes", "lanes that accessed memory");
    v("lines", lines, "lines", "line requests sent to L1; lanes / lines is the coalescing ratio");
    v("lines_written", lines_written, "lines", "of them writes");
    v("atomic_packets", atomic_packets, "lines", "of them atomic packets");
    v("hits", hits, "lines", "reads that hit in L1");
    v("bytes", bytes, "bytes", "different bytes used of the lines");
    v("linear_quads", linear_quads, "quads", "quads of buffer loads that coalesced (linear or uniform)");
    v("scattered_quads", scattered_quads, "quads", "quads of buffer loads that did not");
    v("ta_busy_cycles", ta_busy_cycles, "cycles", "TA generates addresses");
    v("td_busy_cycles", td_busy_cycles, "cycles", "TD decodes, filters or returns (an instruction's texel cycles or its return phases, whichever are more)");
    v("request_wait_cycles", request_wait_cycles, "cycles", "an instruction waits in front of TA");
    v("line_wait_cycles", line_wait_cycles, "cycles", "TA waits for L1 to take a line");
    v("latency_cycles", latency_cycles, "cycles", "sum over instructions of the time from TA's acceptance to the response");
  }
};

/// TA and TD of one compute unit, in order from end to end.
///
/// `wave_port` (target): one vector memory instruction a transaction (wave_request). TA takes one at a time: END_REQ comes when it starts on it.
/// The response comes in issue order, when the last line is back and TD has converted and returned it; EXEC=0 takes its turn without memory traffic.
/// `line_port` (initiator): the instruction's lines in issue order to L1: READ, WRITE with byte enables, atomic packets, cache controls; policy.tag =
/// instruction number << 16 | line index, policy.wanted_bytes = different bytes used. The response to it only gives the payload back.
/// `return_port` (target): L1 sends the same payloads back in the same order when their data or acknowledgement is there; answered at once.
///
/// Faults (fault_kind in the request): nothing of the instruction is sent, the response comes in its turn.
/// Loosely timed: b_transport does the whole instruction, by DMI where the memory grants it.
class texture_unit : public fabric::timed_module, private fabric::request_server, private fabric::response_client {
public:
  /// `source`: the requester's number in policy_extension and atomic_extension (statistics, fairness).
  texture_unit(sc_core::sc_module_name name, fabric::context& context, const texture_parameters& parameters = {}, uint16_t source = 0);
  ~texture_unit() override;

  fabric::target_port wave_port, return_port;
  fabric::initiator_port line_port;

  const texture_statistics& statistics() const { return statistics_; }
  bool idle() const { return in_flight_.empty() && !waiting_; }
  /// Cycles from TA's acceptance to the response where every line hits an L1 of the given latency: for those who tune.
  unsigned hit_latency(unsigned l1_cycles) const { return parameters_.address_latency_cycles + l1_cycles + parameters_.return_latency_cycles; }

private:
  static constexpr unsigned wave_side = 0, return_side = 1, line_side = 0; // port numbers
  struct operation { // one instruction between TA and TD; pooled
    fabric::payload* p = nullptr;
    fabric::wave_request* request = nullptr;
    access_state state;
    access_plan plan;
    line_list list;
    fabric::cycle_t start = 0, arrived = 0; ///< TA start; last line at TD so far
    uint64_t number = 0;
    unsigned rate = 0, phases = 0;
    uint32_t lines = 0, sent = 0, returned = 0;
    bool control = false;
    std::unique_ptr<image_state> image; ///< of an image instruction; made at the first one
    bool is_image = false;
  };

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override;
  void on_invalidate_direct_mem_ptr(unsigned, uint64_t, uint64_t) override { dmi_.invalidate(); }
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  bool room() const;
  void start(fabric::payload& p, fabric::cycle_t cycle);
  bool plan(operation& o);
  bool build_lines(operation& o);
  bool plan_image_access(operation& o);
  void explain_fault(const operation& o);
  void plan_cost(operation& o);
  void resolve(operation& o);
  unsigned phases_of(unsigned rows) const { return rows <= 1 ? parameters_.phases_one : rows == 2 ? parameters_.phases_two : parameters_.phases_four; }
  fabric::payload& line_payload(operation& o, uint32_t index);
  fabric::cycle_t send_lines(fabric::cycle_t cycle);
  void line_back(fabric::payload& p, fabric::cycle_t cycle);
  void retire();
  void finish(operation& o);
  void take_results(operation& o, fabric::payload& p, const line_list::line& l);

  void lt_lines(operation& o);
  bool lt_run(operation& o);
  bool lt_quick(operation& o);
  void show_accesses(const operation& o) const;
  void show_returns(const operation& o) const;
  void declare_signals();
  void trace_start(const operation& o, fabric::cycle_t c);
  void trace_return(const operation& o, fabric::cycle_t done);
  bool lt_usable(const operation& o, uint64_t address) const;
  template <unsigned N> bool lt_pieces(operation& o);
  template <class U> bool lt_atomics(operation& o);

  fabric::context& context_;
  texture_parameters parameters_;
  texture_statistics statistics_;
  uint16_t source_;
  uint32_t module_number_;

  coalescer coalescer_;
  std::vector<uint64_t> addresses_; ///< of the instruction being planned: the plans that wait for lines need none
  std::vector<std::unique_ptr<operation>> pool_;
  std::vector<operation*> idle_;
  fabric::ring<operation*> in_flight_; ///< in issue order
  uint64_t next_number_ = 0;           ///< of the next instruction; the oldest in flight has next_number_ - in_flight_.size()
  size_t sending_ = 0;                 ///< instructions in flight all of whose lines have been sent (a prefix of in_flight_)
  fabric::payload* waiting_ = nullptr; ///< withheld request
  fabric::cycle_t waiting_since_ = 0;
  fabric::cycle_t ta_free_ = 0, td_free_ = 0, last_response_ = 0;
  fabric::cycle_t line_cycle_ = 0;     ///< of the last line sent, and how many in it
  unsigned line_count_ = 0;
  bool blocked_ = false;
  fabric::cycle_t blocked_since_ = 0, freed_ = 0;

  operation lt_; ///< the instruction in b_transport
  fabric::dmi_cache dmi_;
  bool traced_ = false; ///< one of the signals below
  observe::signal busy_signal_, lines_signal_, depth_signal_, wait_signal_, return_signal_, ta_lines_signal_, ta_cycles_signal_, ta_lanes_signal_, ta_texels_signal_, filter_signal_;
  observe::text_signal ta_instruction_signal_, td_instruction_signal_;
};

} // namespace lyra::texture
