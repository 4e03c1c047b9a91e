// SPDX-License-Identifier: Apache-2.0
// The dispatcher: takes launch packets in order, makes the caches see memory as it is, and gives workgroups to compute units with room.
//
// Models: packet processing, cache maintenance at a dispatch's start, workgroup order and launch rate, wave slots, VGPRs, SGPRs, LDS and scratch of each
// compute unit, dispatches that overlap. All that fit are resident. The same launch edge (nb_transport) serves at and lt mode.
#pragma once
#include "dispatch/placement.h"
#include "fabric/context.h"
#include "fabric/launch.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include <memory>
#include <optional>
#include <queue>

namespace lyra::dispatch {

struct dispatcher_parameters {
  std::string order = "round_robin";
  unsigned shader_engines = 4;
  unsigned groups_per_cycle = 1;
  unsigned wave_start_cycles = 1;
  unsigned launch_latency_cycles = 20;
  unsigned control_latency_cycles = 20;
  double packet_latency_ns = 1889;

  template <class V> void describe(V&& v) {
    v("order", order, {"", 0, 0, cu_order::choices, "assumed", "compute units for workgroups: in turn, in turn over shader engines, or the lowest with room, even where that one is still busy with the launch before (not with chaos, which picks at random)"});
    v("shader_engines", shader_engines, {"engines", 1, 64, nullptr, "Vega 10 and 20: 4", "groups of compute units with a wave launcher each"});
    v("groups_per_cycle", groups_per_cycle, {"workgroups/cycle", 1, 64, nullptr, "assumed", "workgroups that leave the dispatcher in a cycle, over all shader engines"});
    v("wave_start_cycles", wave_start_cycles, {"cycles/wave", 0, 1000, nullptr, "assumed", "a shader engine's launcher is busy this long for each wave of a workgroup"});
    v("launch_latency_cycles", launch_latency_cycles, {"cycles", 1, 100000, nullptr, "assumed", "from the dispatcher's decision until the workgroup reaches its compute unit"});
    v("control_latency_cycles", control_latency_cycles, {"cycles", 1, 100000, nullptr, "assumed: as launch_latency_cycles", "from the dispatcher to a cache that it writes back or invalidates"});
    v("packet_latency_ns", packet_latency_ns, {"ns", 0, 1e7, nullptr, "gpu-benches, MI210: 2.1 us from launch to launch, of which launch, wave and caches take the rest", "processing of a launch packet before its first workgroup: the command processor's time, whatever the compute units' clock"});
  }
};

struct dispatcher_statistics {
  uint64_t dispatches = 0, groups = 0, waves = 0;
  uint64_t busy_cycles = 0, packet_cycles = 0, maintenance_cycles = 0, launching_cycles = 0, draining_cycles = 0;
  uint64_t wait_slots = 0, wait_vgprs = 0, wait_sgprs = 0, wait_lds = 0, wait_scratch = 0, wait_launcher = 0;
  uint64_t resident_waves_peak = 0;

  template <class V> void describe(V&& v) {
    v("dispatches", dispatches, "dispatches", "launch packets completed");
    v("groups", groups, "workgroups", "workgroups that have ended");
    v("waves", waves, "waves", "waves launched");
    v("busy_cycles", busy_cycles, "cycles", "from the first packet taken until the last workgroup ended");
    v("packet_cycles", packet_cycles, "cycles", "processing packets");
    v("maintenance_cycles", maintenance_cycles, "cycles", "waiting for caches to write back and invalidate");
    v("launching_cycles", launching_cycles, "cycles", "workgroups left to launch");
    v("draining_cycles", draining_cycles, "cycles", "all launched packets' groups placed, a barrier waits for their end");
    v("wait_slots", wait_slots, "cycles", "the next workgroup waited: no wave slots");
    v("wait_vgprs", wait_vgprs, "cycles", "the next workgroup waited: no VGPRs");
    v("wait_sgprs", wait_sgprs, "cycles", "the next workgroup waited: no SGPRs");
    v("wait_lds", wait_lds, "cycles", "the next workgroup waited: no LDS");
    v("wait_scratch", wait_scratch, "cycles", "the next workgroup waited: no scratch");
    v("wait_launcher", wait_launcher, "cycles", "the next workgroup waited: launchers or launch ports busy");
    v("resident_waves_peak", resident_waves_peak, "waves", "most waves resident in the machine at once");
  }
};

/// What became of one packet.
struct dispatch_record {
  const fabric::dispatch_packet* packet = nullptr;
  uint64_t groups = 0, launched = 0, ended = 0;
  fabric::cycle_t submitted = 0;
  fabric::picoseconds taken_ps = 0, start_ps = 0, end_ps = 0; ///< packet taken up; first workgroup launched; last one ended
  bool done() const { return groups != 0 && ended == groups; }
};

/// Told about a run's milestones (regions of interest, timeline). Times in ps.
class dispatch_observer {
public:
  virtual ~dispatch_observer() = default;
  virtual void dispatch_started(const dispatch_record&, fabric::picoseconds) {}
  virtual void dispatch_ended(const dispatch_record&, fabric::picoseconds) {}
  virtual void group_started(const fabric::launch_extension&, unsigned /*cu*/, fabric::picoseconds) {}
  virtual void group_ended(const fabric::launch_extension&, unsigned /*cu*/, fabric::picoseconds) {}
};

class dispatcher : public fabric::timed_module, private fabric::response_client {
public:
  /// `caches`: how many control ports of each kind.
  struct topology { unsigned compute_units = 1, scalar_caches = 0, instruction_caches = 0, vector_caches = 0; };
  dispatcher(sc_core::sc_module_name name, const dispatcher_parameters& parameters, const cu_resources& cu, const topology& t, fabric::context& context);
  ~dispatcher() override;

  using socket_type = tlm::tlm_initiator_socket<fabric::bus_width_bits>;
  socket_type& launch_socket(unsigned cu) { return ports_.at(cu)->socket; }
  socket_type& scalar_cache_socket(unsigned i) { return ports_.at(first_scalar_ + i)->socket; }           ///< K$ control port
  socket_type& instruction_cache_socket(unsigned i) { return ports_.at(first_instruction_ + i)->socket; } ///< I$ control port
  socket_type& vector_cache_socket(unsigned i) { return ports_.at(first_vector_ + i)->socket; }           ///< L1 control port

  /// Scratch for this many waves at once; packets with scratch wait for free ones. 0: no scratch.
  void set_scratch_slots(uint64_t n);
  /// Queues a packet; it must live until it is done. Throws observe::input_error when a workgroup of it could never fit a compute unit.
  void submit(const fabric::dispatch_packet& p);
  /// Cycles between the beginning of a packet's processing and the first message to a cache or compute unit, at least.
  fabric::cycle_t quiet_cycles() const { return packet_cycles_ + std::min(parameters_.launch_latency_cycles, parameters_.control_latency_cycles); }
  void add_observer(dispatch_observer* o) { observers_.push_back(o); }

  bool done() const { return records_.size() == completed_; } ///< everything submitted has ended
  const sc_core::sc_event& done_event() const { return done_event_; } ///< notified when the last submitted packet has ended
  const std::vector<dispatch_record>& records() const { return records_; }
  uint64_t groups_done() const { return statistics_.groups; }
  uint64_t groups_total() const { return groups_total_; }
  unsigned resident_waves() const { return resident_waves_; }
  const dispatcher_statistics& statistics() const { return statistics_; }
  /// What still runs or waits, for people: packets, groups and where they are (at most `groups` of them).
  std::string describe_running(unsigned groups = 8) const;

private:
  struct launch;
  struct launch_pool;
  enum class state : uint8_t { idle, processing, writeback, invalidate, launching };
  struct ended_group { fabric::cycle_t cycle; unsigned cu; uint64_t number; fabric::payload* p; };
  struct later { bool operator()(const ended_group& a, const ended_group& b) const { return a.cycle != b.cycle ? a.cycle > b.cycle : a.cu != b.cu ? a.cu > b.cu : a.number > b.number; } };

  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;
  void on_reclaim() override;
  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override;

  void retire(const ended_group& e, fabric::cycle_t cycle);
  fabric::cycle_t advance(fabric::cycle_t cycle);
  fabric::cycle_t launch_groups(fabric::cycle_t cycle);
  fabric::cycle_t launch_possible(unsigned cu) const;
  unsigned find_packed(fabric::cycle_t cycle, launch& l, fabric::cycle_t& retry);
  unsigned find_place(fabric::cycle_t cycle, launch& l, fabric::cycle_t& retry);
  void start_group(unsigned cu, launch& l, fabric::cycle_t cycle);
  void control(unsigned first, unsigned count, fabric::cache_control what, fabric::cycle_t cycle);
  void next_group_size(fabric::launch_extension& e) const;
  void enter(state s, fabric::cycle_t cycle);
  void set_launcher_busy(bool on);
  bool waits_for_room() const;
  void note_wait(uint64_t* counter, fabric::cycle_t cycle);

  const dispatcher_parameters parameters_;
  const cu_resources cu_;
  const topology topology_;
  fabric::context& context_;
  const uint32_t chaos_number_;
  std::vector<std::unique_ptr<fabric::initiator_port>> ports_; ///< launch, K$, I$, L1
  unsigned first_scalar_ = 0, first_instruction_ = 0, first_vector_ = 0;
  fabric::cycle_t packet_cycles_; ///< packet_latency_ns
  std::unique_ptr<launch_pool> pool_;
  cu_order order_;
  std::vector<cu_occupancy> occupancy_;
  std::vector<shortage> full_;                       ///< why the CU could not take the current packet's groups; reset when one of its groups ends
  std::vector<fabric::cycle_t> port_free_;           ///< cycle from which the CU's port takes the next group, once it is ready
  std::vector<fabric::cycle_t> engine_free_;         ///< cycle at which a shader engine's launcher is free
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<uint64_t>> scratch_free_;
  std::priority_queue<ended_group, std::vector<ended_group>, later> ended_;
  std::vector<unsigned> ready_cus_;                  ///< for random picks
  std::optional<unsigned> chosen_;                   ///< order packed: the CU that the next group waits for
  group_place chosen_place_;                         ///< and its place there, taken already
  std::vector<dispatch_record> records_;
  std::vector<dispatch_observer*> observers_;
  sc_core::sc_event done_event_;

  state state_ = state::idle;
  fabric::cycle_t state_since_ = 0, busy_since_ = 0, processed_at_ = 0, controls_done_ = 0, wait_since_ = fabric::never;
  uint64_t* wait_counter_ = nullptr;
  size_t current_ = 0, completed_ = 0;               ///< packet being taken up; packets done
  size_t in_flight_ = 0;                             ///< packets started and not done
  bool launcher_busy_ = false; ///< it may send something to a compute unit or cache that has not told it of anything
  bool busy_ = false;
  uint64_t scratch_slots_ = 0;
  unsigned controls_pending_ = 0, resident_waves_ = 0;
  uint32_t next_group_[3] = {0, 0, 0};
  uint64_t group_number_ = 0, wave_order_ = 0, groups_total_ = 0, chaos_sequence_ = 0;
  dispatcher_statistics statistics_;
  observe::signal trace_dispatch_, trace_state_, trace_groups_, trace_waves_;
};

} // namespace lyra::dispatch
