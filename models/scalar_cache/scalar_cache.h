// SPDX-License-Identifier: Apache-2.0
// The scalar data cache (K$, the SQC's data side), shared by a group of compute units.
#pragma once
#include "fabric/cache_array.h"
#include "fabric/dmi_cache.h"
#include "scalar_cache/request_ports.h"
#include "scalar_cache/return_calendar.h"
#include "scalar_cache/scalar_cache_parameters.h"

namespace lyra::scalar_cache {

struct data_cache_port : request_queue {
  enum class stall : uint8_t { none, mshr, writes, requests };
  stall why = stall::none;         ///< the queue's first request was refused for this
  fabric::cycle_t refused = 0;
  struct entry { uint16_t r; bool answered; };
  fabric::ring<entry> open; ///< in order of lookup, from the oldest that is not answered on
  uint64_t looked_up = 0;
  fabric::cycle_t last_answer = 0;
};

/// Scalar data cache. 64-byte lines, write-back with byte masks, one request a cycle, answers as data comes: hits pass misses.
///
/// `cu_port(i)` (target), one a compute unit: READ and WRITE of 4..64 bytes inside one line at a byte address; IGNORE with an
/// atomic_extension (address: line); IGNORE with policy.control. `l2_port` (initiator): line reads, masked writes, atomics, own payloads.
/// `control_port` (target): the same controls from outside (dispatch start: writeback_invalidate). policy.tag comes back unchanged.
///
/// Rules (ISA 7): load GLC=0 hit-LRU, GLC=1 miss-evict (dirty bytes of the line go to L2 first); store GLC=0 stays here dirty until written
/// back or evicted, and is done once it is here; GLC=1 goes through and is done when L2 acknowledges; atomics write the line's dirty bytes
/// back, drop it and go to L2. Nothing is coherent with L1 and L2 before S_DCACHE_WB / _INV. A write-back ends when L2 has
/// acknowledged every write sent before. "Volatile" lines are those accessed with NV=0. Invalidations, atomics, GLC=1 accesses and
/// evictions poison an outstanding fill: older loads get it, it is not installed, younger loads do not join.
/// A load takes the bytes that are valid at its lookup, the rest from the fill, so it never sees a younger store.
/// Controls take effect at their lookup, so behind every earlier request of their port. Loosely timed: nothing is held here.
class data_cache : public request_ports<data_cache_port> {
public:
  data_cache(sc_core::sc_module_name name, fabric::context& context, unsigned compute_units, const data_cache_parameters& parameters = {});

  const data_cache_statistics& statistics() const { return statistics_; }
  unsigned dirty_lines() const { return dirty_lines_; }
  /// Puts the dirty bytes that lie in [address, address + length) over `data`: what debug access sees through several scalar caches.
  void overlay_dirty(uint64_t address, uint8_t* data, unsigned length) const;
  bool idle() const;

private:
  enum class return_order : uint8_t { as_it_comes, in_order, shuffled };
  using stall = data_cache_port::stall;
  enum class wait_cause : uint8_t { hit, miss, memory };
  enum class event : uint8_t { none, hit, miss, merged, store, write_through, atomic, control, nack };
  struct request { // looked up, not answered
    fabric::payload* p = nullptr;
    uint64_t need = 0;          ///< bytes of the line that come from the fill
    uint64_t pending = 0, limit = 0; ///< control: writes numbered below `limit` that are not acknowledged
    fabric::cycle_t ready = 0;
    fabric::cycle_t looked_up = 0, in_order = 0; ///< cycles: of the lookup; from which the answer may leave as the ordering wants
    uint64_t number = 0;        ///< of its port
    wait_cause cause = wait_cause::hit; ///< what the time from lookup to answer is put down to
    uint16_t next = 0;          ///< next that waits for the same fill
    uint8_t port = 0;
    bool done = false;
  };
  struct fill { uint64_t line; uint16_t first, last; bool nv; };
  struct replay { fabric::payload* p; fabric::cycle_t cycle, nacked; uint8_t port; };

  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  bool get_direct_mem_ptr(unsigned port, fabric::payload& p, tlm::tlm_dmi& dmi) override;
  void on_invalidate_direct_mem_ptr(unsigned port, uint64_t first, uint64_t last) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  void look_ups(fabric::cycle_t c);
  bool look_up_replay(fabric::cycle_t c);
  bool nack(fabric::payload& p, unsigned port, fabric::cycle_t c);
  stall look_up(fabric::payload& p, unsigned port, fabric::cycle_t c);
  stall load(fabric::payload& p, unsigned port, fabric::cycle_t c);
  stall store(fabric::payload& p, unsigned port, fabric::cycle_t c);
  stall atomic(fabric::payload& p, unsigned port, fabric::cycle_t c);
  void control(fabric::payload& p, unsigned port, fabric::cycle_t c);
  void response(fabric::payload& p, fabric::cycle_t c);
  uint16_t take_request(fabric::payload& p, unsigned port);
  void answer(uint16_t r, fabric::cycle_t ready);
  void reserve(uint16_t r, fabric::cycle_t earliest);
  void send_answers(fabric::cycle_t c);
  fabric::cycle_t send_to_l2(fabric::cycle_t c);
  void queue(fabric::payload& p, fabric::cycle_t c);
  void queue_write(uint64_t line, const uint8_t* bytes, uint64_t mask, bool nv, const fabric::policy_extension* policy, uint16_t r, fabric::cycle_t c);
  int make_room(uint64_t line, fabric::cycle_t c);
  void write_back(int i, fabric::cycle_t c);
  void drop(int i);
  void poison(uint64_t line);
  void invalidate(bool volatile_only);
  void set_dirty(int i, uint64_t mask);
  void leave_timed_state();
  void account_stall(fabric::cycle_t c);
  void account_queue(data_cache_port& s, fabric::cycle_t arrival, fabric::cycle_t c);
  uint64_t& waited(wait_cause w);
  void trace(fabric::cycle_t c);

  data_cache_parameters parameters_;
  data_cache_statistics statistics_;
  uint32_t number_;
  uint64_t draws_ = 0, shuffles_ = 0, nack_draws_ = 0;
  return_order order_ = return_order::as_it_comes;

  fabric::ring<replay> replays_;

  cache::cache_array lines_;
  unsigned dirty_lines_ = 0;
  std::vector<uint64_t> keys_; ///< by MSHR: the line that younger loads may join, or no_key
  std::vector<fill> fills_;
  std::vector<request> requests_;
  std::vector<uint16_t> waiting_controls_;
  uint64_t writes_in_flight_ = 0, write_number_ = 0;
  fabric::cycle_t last_l2_cycle_ = 0;
  return_calendar calendar_;

  stall stall_ = stall::none;
  fabric::cycle_t stall_since_ = 0;
  fabric::dmi_cache dmi_;
  event event_now_ = event::none;
  observe::text_signal event_signal_;
  observe::signal outstanding_signal_, fills_signal_, dirty_signal_, return_signal_, return_tag_signal_, stall_signal_;
};

} // namespace lyra::scalar_cache
