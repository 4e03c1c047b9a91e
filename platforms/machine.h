// SPDX-License-Identifier: Apache-2.0
// A whole machine: the blocks of models/, wired.
#pragma once
#include "compute_unit/compute_unit.h"
#include "dispatch/device_memory.h"
#include "fabric/edge_trace.h"
#include "memory/backing_store.h"
#include "observe/race_detector.h"
#include "platforms/machine_parameters.h"
#include <functional>
#include <memory>
#include <vector>

namespace lyra::platforms {

enum class mode : uint8_t { at, lt };

/// Binds the two ends of an edge, with or without something between them. `name`: "cu0.texture-l1".
using edge_binder = std::function<void(const std::string& name, tlm::tlm_initiator_socket<fabric::bus_width_bits>& from, tlm::tlm_target_socket<fabric::bus_width_bits>& to)>;

/// Builds and owns every block. One machine a process and run: SystemC elaborates once.
class machine : public dispatch::device_memory {
public:
  /// `trace` may be null. `check_races`: unordered accesses become findings. `bind` is called for every edge of the machine, so that a
  /// monitor, a recorder or other hardware can be put on any; by default the ends are bound to each other. Throws observe::input_error where the parameters
  /// do not fit together.
  machine(const machine_parameters& p, mode m, isa::target code_target, observe::trace* trace = nullptr, bool check_races = false, edge_binder bind = {});
  ~machine() override;

  // device_memory: functional access past the timing; sees dirty lines of L2 and K$
  void map(uint64_t address, uint64_t bytes) override;
  void make_non_resident(uint64_t address, uint64_t bytes) override;
  void unmap(uint64_t address, uint64_t bytes) override;
  void write(uint64_t address, const void* data, uint64_t bytes) override;
  void read(uint64_t address, void* data, uint64_t bytes) override;

  memory::backing_store& store() { return store_; }
  dispatch::dispatcher& dispatcher() { return *dispatcher_; }
  observe::statistics& statistics() { return statistics_; }
  fabric::run_state& run_state() { return run_; }
  compute_unit::code_cache& code() { return code_; }
  const machine_parameters& parameters() const { return parameters_; }
  const fabric::context& context() const { return context_; }
  unsigned compute_units() const { return unsigned(cus_.size()); }
  compute_unit::compute_unit& cu(unsigned i);
  unsigned wave_slots() const { return unsigned(cus_.size()) * 4 * parameters_.cu.wave_slots; }
  platforms::mode mode() const { return mode_; }
  fabric::cycle_t cycle() const { return context_.core.floor(fabric::now_ps()); }

  /// Everything that has not finished: waves, workgroups, GDS waiters.
  std::string describe_unfinished() const;
  /// Reset of everything but the memory's bytes and pages, in the middle of whatever goes on: waves, queues, caches (dirty lines are lost), TLBs, LDS and GDS, RTL
  /// blocks and packets submitted go to power-on; statistics, findings and faults too. What is in flight is dropped. The machine stands still until `release_reset`,
  /// then its time (and every clock) starts at 0: a job does exactly what it does in a new machine. Call both outside of processes, while sc_start is not running,
  /// after elaboration. Objects of your own: fabric/reset.h.
  void assert_reset();
  void release_reset();
  bool in_reset() const { return fabric::in_reset(); }
  uint64_t resets() const { return resets_; }

  /// Ends stall intervals (before statistics are read).
  void close_statistics();

private:
  /// Loosely timed: nothing is cached, so that the store holds every byte, unless memory is RTL that may keep them.
  bool memory_is_store() const { return mode_ == platforms::mode::lt && parameters_.rtl.memory == "tlm"; }
  void join(const std::string& name, tlm::tlm_initiator_socket<fabric::bus_width_bits>& from, tlm::tlm_target_socket<fabric::bus_width_bits>& to);

  /// Calls f(offset, bytes) for the parts of [address, address + bytes) that are not non-resident pages.
  template <class F> void resident_parts(uint64_t address, uint64_t bytes, F&& f) const;

  machine_parameters parameters_;
  std::vector<std::pair<uint64_t, uint64_t>> non_resident_; ///< first address, bytes
  uint64_t resets_ = 0;
  sc_core::sc_event restart_event_; ///< loosely timed: the units' threads start again
  bool restarting_ = false;
  bool any_non_resident_ = false; ///< some mapped page has no memory
  edge_binder bind_;
  platforms::mode mode_;
  memory::backing_store store_;
  observe::statistics statistics_;
  fabric::run_state run_;
  fabric::payload_pool lines_;
  fabric::wave_pool waves_;
  std::unique_ptr<observe::race_detector> races_; ///< null: races are not looked for
  fabric::context context_;
  compute_unit::code_cache code_;

  std::vector<std::unique_ptr<fabric::edge_trace>> edge_traces_; ///< on edges with a traced signal
  // hierarchical names: cu3.lds, sqc0.scalar_cache, l2_5.atomic
  struct cu_scope;
  struct sqc_scope;
  struct channel_scope;
  std::vector<std::unique_ptr<cu_scope>> cus_;
  std::vector<std::unique_ptr<sqc_scope>> sqcs_;
  std::vector<std::unique_ptr<channel_scope>> channels_;
  std::unique_ptr<gds::global_data_share> gds_;
  std::unique_ptr<fabric::crossbar> crossbar_;
  std::unique_ptr<dispatch::dispatcher> dispatcher_;
};

} // namespace lyra::platforms
