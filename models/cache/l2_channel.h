// SPDX-License-Identifier: Apache-2.0
// One channel of the L2 cache (TCC): write-back, byte masks, misses under hits, atomics through its atomic unit.
#pragma once
#include "fabric/cache_array.h"
#include "cache/l2_parameters.h"
#include "fabric/context.h"
#include "fabric/dmi_cache.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include "fabric/ring.h"
#include "fabric/time_wheel.h"

namespace lyra::cache {

/// Sockets: `in` (from the crossbar), `memory` (any TLM-2.0 base protocol memory), `atomic` (its atomic unit).
///
/// One look-up a cycle, in order of arrival; one response a cycle (64 bytes; results of an atomic packet take as many cycles as they need). A request takes
/// effect at its look-up. READ: 1..64 bytes inside a line. WRITE: the same, with byte enables; a missing line is taken without a fetch, the bytes written
/// are valid and dirty. Missing bytes of a read are fetched; a fill takes only bytes that are not valid. While a line is fetched, or locked by an atomic, all requests to it wait in
/// order; other lines go on (until MSHRs, waiting places, write-back entries or ways run out: then the look-up stalls).
/// IGNORE with atomic_extension: the line is fetched if need be and locked, the packet goes to the atomic unit with the line in its data array, the response brings
/// the new line and the old values. IGNORE with a control in policy_extension: waits for all requests before it, then
///   writeback*: every dirty line is written to memory and stays, clean; invalidate*: what is not dirty is dropped; writeback_invalidate: both, nothing stays.
///   (_volatile as without: L2 keeps no NV mark.) discard, probe: nothing.
/// Errors: ADDRESS_ERROR (page), BURST_ERROR (not inside a line), COMMAND_ERROR (IGNORE that is neither); an error of memory or atomic unit is passed on. A write-back that memory
/// refuses is the machine fault lyra/fault/lost-writeback.
///
/// Memory sees at most one request of a line at a time when one of them writes, so it may answer in any order.
/// Loosely timed: b_transport goes to memory; lines that are here are looked through. DMI is passed on while the channel is empty and taken
/// back when a timed request comes.
class l2_channel : public fabric::timed_module, public fabric::request_server, public fabric::response_client {
public:
  l2_channel(sc_core::sc_module_name name, const fabric::context& context, const l2_parameters& parameters);
  fabric::target_port in;
  fabric::initiator_port memory, atomic;

  const l2_statistics& statistics() const { return statistics_; }
  /// From now on responses go to `in` as early as their order is certain; returns how long before they are due at least. Their times stay the same.
  fabric::picoseconds announce_early();
  /// Writes every dirty byte to memory by debug transport and drops all lines: before a change from timed to loosely timed. Only without requests in flight.
  void flush();
  /// No request inside, no write-back under way.
  bool idle() const { return input_.empty() && mshrs_busy_ == 0 && writebacks_busy_ == 0 && events_.empty() && !control_active_; }
  const cache_array& array() const { return array_; }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  enum class kind : uint8_t { read, write, atomic, control, bad };
  enum class event_kind : uint8_t { respond, memory, atomic };
  enum class stall : uint8_t { no, mshr, target, writeback, ways, control };
  struct request {
    fabric::payload* p;
    fabric::cycle_t arrival;
    uint64_t mask; ///< bytes of the line
    kind what;
    bool streaming, slc, nv; ///< treated as streaming; as asked for
    tlm::tlm_response_status error;
  };
  struct event { fabric::payload* p; event_kind what; uint8_t beats; fabric::cycle_t due; };
  struct alignas(64) target { request r; uint32_t next; };
  struct alignas(64) mshr {
    fabric::payload* fetch = nullptr; ///< held back while a write-back of the line is under way
    fabric::cycle_t since = 0;
    int line = cache_array::absent;
    uint32_t head = none, tail = none;
    uint16_t waiting = 0;
    bool busy = false, locked = false, streaming = false, fetch_waits = false, passed = false; ///< passed: `fetch` is a request's
    request atomic{}; ///< at the atomic unit, while `locked`
  };
  struct writeback { fabric::payload* p = nullptr; uint64_t line = 0, order = 0; bool waits = false; };
  struct outgoing { fabric::payload* p; fabric::cycle_t ready; };

  // sockets
  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  bool get_direct_mem_ptr(unsigned port, fabric::payload& p, tlm::tlm_dmi& dmi) override;
  void on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) override;

  // the pipeline (l2_channel.cpp)
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;
  void enqueue(fabric::payload& p, fabric::cycle_t arrival);
  request classify(fabric::payload& p, fabric::cycle_t arrival) const;
  stall look_up(request& r, fabric::cycle_t cycle);
  stall miss(request& r, fabric::cycle_t cycle);
  bool page_answers(request& r, fabric::cycle_t cycle);
  void perform(request& r, int line, fabric::cycle_t respond_at);
  void finish(request& r, fabric::cycle_t respond_at);
  void respond(fabric::payload& p, fabric::cycle_t at, unsigned beats);
  stall make_room(uint64_t address, int& line, fabric::cycle_t cycle);
  void wait_for(uint32_t m, const request& r);
  uint32_t take_mshr(int line, fabric::cycle_t cycle);
  void fetch(uint32_t m, const request& r, fabric::cycle_t cycle);
  void lock(uint32_t m, request& r, fabric::cycle_t cycle);
  void drain(uint32_t m, fabric::cycle_t cycle, tlm::tlm_response_status status);
  void filled(fabric::payload& p, fabric::cycle_t cycle);
  void atomic_done(fabric::payload& p, fabric::cycle_t cycle);
  void written_back(uint32_t w, fabric::payload& p, fabric::cycle_t cycle);
  bool start_writeback(uint64_t address, const uint8_t* data, uint64_t mask, fabric::cycle_t cycle);
  fabric::cycle_t send(fabric::ring<outgoing>& queue, fabric::initiator_port& port, fabric::cycle_t cycle);
  void note_stall(stall why, fabric::cycle_t cycle);
  bool writeback_under_way(uint64_t line) const;
  void show_look_up(const char* what, fabric::cycle_t cycle) const;
  void leave_stream(int line, fabric::cycle_t cycle);
  void pop_input(fabric::cycle_t cycle);

  // controls, loosely timed and debug access (l2_functional.cpp)
  fabric::cycle_t step_control(fabric::cycle_t cycle);
  void overlay(uint64_t address, uint8_t* data, uint64_t mask, bool write);
  void overlay_writebacks(uint64_t address, uint8_t* data, uint64_t mask, bool write);
  void loosely_timed_atomic(request& r, sc_core::sc_time& delay);

  l2_parameters parameters_;
  fabric::context context_;
  cache_array array_;
  enum class slc : uint8_t { first_victim, drop, miss, keep } slc_;
  fabric::chaos_source chaos_;
  uint32_t number_;
  uint64_t draws_ = 0;
  fabric::cycle_t announce_ = 1; ///< a response goes to `in` so many cycles before it is due
  bool promise_early_; ///< hits may be answered at look-up: nothing can come between

  fabric::ring<request> input_;
  fabric::payload* held_ = nullptr;
  fabric::picoseconds held_at_ = 0;
  fabric::cycle_t last_arrival_ = 0, tag_free_ = 0, response_free_ = 0;
  stall stalled_ = stall::no;
  fabric::cycle_t stalled_since_ = 0;

  std::vector<mshr> mshrs_;
  std::vector<uint32_t> free_mshrs_;
  std::vector<uint16_t> mshr_of_line_; ///< by line index; no_mshr: none
  static constexpr uint16_t no_mshr = 0xffff;
  std::vector<target> targets_;
  uint32_t free_target_ = none;
  unsigned mshrs_busy_ = 0;
  std::vector<writeback> writebacks_;
  unsigned writebacks_busy_ = 0, fetches_waiting_ = 0;
  uint64_t writeback_order_ = 0;

  fabric::time_wheel<event> events_;
  std::vector<event> due_;
  fabric::ring<outgoing> to_memory_, to_atomic_;

  bool control_active_ = false;
  fabric::cache_control control_ = fabric::cache_control::none;
  unsigned control_line_ = 0;
  fabric::cycle_t control_next_ = 0;

  fabric::dmi_cache direct_;
  bool dmi_granted_ = false, atomic_busy_ = false;
  sc_core::sc_event atomic_free_event_;
  l2_statistics statistics_;
  observe::text_signal lookup_signal_;
  observe::signal busy_signal_, input_signal_, mshr_signal_, hit_signal_, miss_signal_, memory_signal_, stall_signal_, writeback_signal_;
};

} // namespace lyra::cache
