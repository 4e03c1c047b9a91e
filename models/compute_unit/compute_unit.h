// SPDX-License-Identifier: Apache-2.0
// The compute unit: sequencer, four SIMDs, scalar unit.
#pragma once
#include "compute_unit/profile.h"
#include "compute_unit/scalar_memory.h"
#include "compute_unit/vector_request.h"
#include "compute_unit/wave.h"
#include "fabric/context.h"
#include "fabric/dmi_cache.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include "fabric/ring.h"
#include <vector>

namespace lyra::compute_unit {

/// Sees what waves do; null by default, so that nothing is paid for it.
class wave_observer {
public:
  virtual ~wave_observer() = default;
  virtual void started(unsigned cu, const wave& w, uint64_t cycle) = 0;
  virtual void issued(unsigned cu, const wave& w, const micro_op& m, uint64_t cycle) = 0;
  /// The wave's cycles [from, to) went to `cause`.
  virtual void spent(unsigned cu, const wave& w, stall cause, uint64_t from, uint64_t to) = 0;
  virtual void returned(unsigned cu, const wave& w, const micro_op& m, uint64_t issue_cycle, uint64_t return_cycle) = 0;
  virtual void ended(unsigned cu, const wave& w, uint64_t cycle) = 0;
};

/// Timed: each cycle one SIMD has its turn (round robin); in it up to one instruction a wave and one of each class leaves, oldest wave
/// first. Registers change when data returns. Loosely timed: one thread, waves in turn.
class compute_unit : public fabric::timed_module, public fabric::request_server, public fabric::response_client {
public:
  compute_unit(sc_core::sc_module_name name, unsigned index, const compute_unit_parameters& p, const fabric::context& context, code_cache& code, bool loosely_timed);

  fabric::target_port launch_port;      ///< from the dispatcher: one workgroup a transaction
  fabric::initiator_port vmem_port, lds_port, gds_port, smem_port, fetch_port;

  compute_unit_statistics statistics;
  wave_observer* observer = nullptr;
  std::vector<wave_account>* accounts = nullptr; ///< not null: every wave's account is put here when its workgroup has ended
  uint64_t loose_quantum_cycles = 1500; ///< loosely timed: cycles between synchronisations

  /// Waves that are not done: which, where, waiting for what; one line each.
  std::string describe_waves() const;
  bool idle() const { return waves_in_use_ == 0; }
  /// Loosely timed: the thread leaves what it waits in, and waits at its top for work. Before a reset, from a process.
  void restart_thread() {
    if (!thread_.valid()) return;
    restarting_ = true;
    thread_.reset();
  }
  bool restarting() const { return restarting_; } ///< it is not there yet
  /// Closes the stall accounting of waves still there (end of a run that did not finish).
  void close_statistics();

private:
  enum port : unsigned { vmem, lds, gds, smem, fetch, port_count };
  static constexpr unsigned simds = 4, max_slots = turn_board::slots, waves_at_first = 4;
  struct issue_slots { bool valu = false, scalar = false, vmem = false, lds = false, branch = false; };
  /// `due`: what decides when it must be applied at the latest: the wave that it is for, or `at_once` (fetches, faults, data for LDS).
  struct alignas(32) pending_return { fabric::picoseconds at; fabric::payload* p; uint64_t cycle; uint8_t due; };
  static constexpr uint8_t at_once = 255;
  struct vgpr_file {
    std::unique_ptr<uint32_t[]> words;
    uint32_t (*first)[64] = nullptr; ///< in `words`, at a line of the host's cache
    unsigned rows = 0, cleared = 0;  ///< registers there is memory for; registers that have been touched
  };
  struct smem_operation { wave* w; const micro_op* m; scalar_access access; uint8_t parts_left; uint8_t count; uint64_t issue_cycle; int next_free; };
  struct local_event { uint64_t cycle, sequence; enum kind : uint8_t { lgkm_message, lgkm_flat, lgkm_scalar, exp_done, memtime } what; wave* w; uint32_t value; const micro_op* m; };

  // fabric callbacks
  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned, fabric::payload& p, sc_core::sc_time&) override;
  unsigned transport_dbg(unsigned, fabric::payload&) override { return 0; }
  void on_response(unsigned port, fabric::payload& p, fabric::picoseconds at) override;
  void on_ready(unsigned port, fabric::picoseconds at) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;

  // waves (compute_unit_waves.cpp)
  void start_group(fabric::payload& p, uint64_t cycle);
  void start_wave(wave& w, workgroup& g, unsigned k, uint64_t cycle);
  void end_wave(wave& w, uint64_t cycle);
  void enlarge(vgpr_file& file, unsigned simd, unsigned rows);
  void sort_waves(unsigned simd);
  void leave_order(const wave& w);
  void finish_if_drained(wave& w, uint64_t cycle);
  void release_barrier(workgroup& g, uint64_t cycle);
  void groups_signals_set(const workgroup& g, uint64_t cycle);
  static std::string fault_text(const fabric::wave_request& q);
  void fault_vector(wave& w, const fabric::wave_request& q, uint64_t cycle);
  /// A finding about instruction `m`: "'...' at PC 0x... `text` (place)".
  void report(const wave& w, const micro_op& m, const char* id, const std::string& text, uint64_t cycle);
  void fault(wave& w, const char* id, const std::string& text, uint64_t cycle, int lane = -1, uint64_t address = 0);
  void set_cause(wave& w, stall cause, uint64_t cycle) { set_cause(w.simd, w.slot, cause, cycle); }
  void set_cause(unsigned simd, unsigned slot, stall cause, uint64_t cycle);
  void close_interval(wave& w, uint64_t cycle) { close_interval(w.simd, w.slot, cycle); }
  void close_interval(unsigned simd, unsigned slot, uint64_t cycle);
  void attribute(wave& w, const micro_op& next, uint64_t cycle);
  void close_account(wave& w, uint64_t cycle);
  void set_state(wave& w, wave_state s, uint64_t cycle);
  // traced signals (compute_unit_trace.cpp)
  void declare_signals();
  void trace_counters(const wave& w, uint64_t cycle) { if (traced_) trace_counters_now(w, cycle); }
  void trace_counters_now(const wave& w, uint64_t cycle);
  void trace_issue(const wave& w, const micro_op& m, uint64_t cycle);
  void trace_return(const wave& w, const micro_op& m, uint64_t issue_cycle, uint64_t cycle);
  void trace_smem(const observe::text_signal& s, const wave& w, const micro_op& m, uint64_t tag, bool part, uint64_t cycle);
  std::string text_of(const micro_op& m) const;
  void check_hazards(wave& w, const micro_op& m, uint64_t cycle);
  void check_wait_states(wave& w, const micro_op& m, uint64_t cycle);
  bool negative_offset_faults(wave& w, const scalar_access& a, uint64_t cycle);
  std::string place(const wave& w) const;

  // issue (compute_unit_issue.cpp)
  void turn(unsigned simd, uint64_t cycle);
  bool try_issue(wave& w, uint64_t cycle, issue_slots& slots);
  bool issue_alu(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_branch(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_smem(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_vector_memory(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_lds(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_export(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool issue_control(wave& w, const micro_op& m, uint64_t cycle, issue_slots& slots);
  bool counter_full(wave& w, uint64_t cycle, unsigned vm_add, unsigned lgkm_add, unsigned exp_add);
  bool port_busy(wave& w, port p, stall cause, uint64_t cycle);
  bool checked(wave& w, const micro_op& m, uint64_t cycle);
  bool scalar_inputs_ready(wave& w, const micro_op& m, uint64_t cycle);
  void issued(wave& w, const micro_op& m, uint64_t cycle, unsigned cycles);
  bool stalled(wave& w, stall cause, uint64_t cycle, uint64_t retry);
  bool refused(unsigned simd, unsigned slot, claim wants, uint64_t cycle, const issue_slots& slots);
  bool refused(const wave& w, claim wants, uint64_t cycle, const issue_slots& slots) { return refused(w.simd, w.slot, wants, cycle, slots); }
  const micro_op* next_instruction(wave& w);
  void want_fetch(wave& w);
  void send_fetches(uint64_t cycle);
  static bool fetches_before(const wave& a, const wave& b);
  unsigned valu_cycles(const micro_op& m) const;
  unsigned scalar_cycles(const micro_op& m) const;
  void send_smem(uint64_t cycle);
  fabric::payload& make_smem_payload(const micro_op& m, const scalar_access& a, unsigned k, const alu::wave_registers& r, uint32_t wave_id);
  void trace_smem(const observe::signal& pulse, const wave& w, uint64_t cycle);
  void take_smem_result(const micro_op& m, const scalar_access& a, unsigned k, const fabric::payload& p, alu::wave_registers& r);
  bool jump_checked(wave& w, uint64_t cycle);
  const micro_op* peek(const wave& w, uint64_t pc);
  void note_barrier_wait(wave& w, uint64_t cycle);

  // what the fast path leaves out (compute_unit_special.cpp)
  /// Executes an ALU instruction or branch. False: the wave has faulted.
  bool execute(wave& w, const micro_op& m, uint64_t cycle) {
    if (__builtin_expect(m.vgpr_end > w.vgpr_limit || m.sgpr_end > w.sgpr_limit, 0)) return execute_special(w, m, cycle);
    m.execute(w.regs, m.inst);
    return true;
  }
  bool execute_special(wave& w, const micro_op& m, uint64_t cycle);
  bool read_lds(wave& w, uint64_t cycle);
  bool registers_in_range(wave& w, const micro_op& m, uint64_t cycle);
  std::string indexed_beyond(const wave& w, const micro_op& m) const;
  /// After a scalar instruction: S_SET_GPR_IDX_ON and OFF and S_SETREG change it.
  void follow_indexing(wave& w) {
    const bool on = w.regs.mode >> alu::mode_bit::gpr_idx_en & 1;
    if (on != w.indexing) { w.indexing = on; set_limits(w); }
  }
  void set_limits(wave& w);
  void start_special(wave& w);
  void mode_written(wave& w);
  void trapsts_read(wave& w, const micro_op& m, uint64_t cycle);
  bool skipped(const wave& w, const micro_op& m) const {
    if (!m.vector) return false;
    const uint64_t unseen = stale_ ? w.wait_states.unseen_vskip() : 0;
    return (unseen ? w.stale->mode_before(unseen, w.regs.mode) : w.regs.mode) >> alu::mode_bit::vskip & 1;
  }
  void follow_wait_states(wave& w, const micro_op& m, uint64_t cycle) {
    if (stale_) w.stale->findings.clear();
    if (w.wait_states.concerns(m)) check_wait_states(w, m, cycle);
    if (stale_) w.stale->remember(m, w.regs, w.wait_states.next_mark());
    w.wait_states.issued(m, w.regs);
  }
  /// Lanes that a memory instruction acts in. With hazards=model it sees stale registers until end_memory().
  uint64_t begin_memory(wave& w, const micro_op& m, uint64_t cycle);
  void end_memory(wave& w) { if (stale_ && !w.stale->findings.empty()) w.stale->restore(w.regs); }

  // traps (compute_unit_traps.cpp)
  enum class detour : uint8_t { none, halt, trap };
  detour detour_of(wave& w);
  bool detoured(wave& w, const micro_op& m, uint64_t cycle);
  void enter_trap_handler(wave& w, uint64_t saved_pc, unsigned trap_id, unsigned rewind);
  bool take_trap(wave& w, const micro_op& m, uint64_t cycle);
  bool take_illegal(wave& w, const micro_op& m, uint64_t cycle);
  bool issue_illegal(wave& w, const micro_op& m, uint64_t cycle) { return take_illegal(w, m, cycle) && stalled(w, stall::dependency, cycle, cycle + 4); }
  bool raise_violation(wave& w, const micro_op& m, const fabric::wave_request& q, uint64_t cycle);

  // scalar clauses, late store data (compute_unit_clause.cpp)
  bool enter_clause(wave& w, const micro_op& m, uint64_t n, uint64_t cycle);
  void report_clause(wave& w, const micro_op& m, const scalar_clause::finding& f, uint64_t cycle);
  bool replay_clause(wave& w, uint64_t cycle);
  const micro_op* peek(wave& w, uint64_t pc, bool& unknown);
  bool overtakes_store_data(wave& w, const micro_op& m);
  void finish_late_store(wave& w, uint64_t cycle);

  // returns (compute_unit_return.cpp)
  void apply_returns(uint64_t cycle);
  void apply_vector(fabric::payload& p, uint64_t cycle, unsigned port);
  void send_lds_queue(uint64_t cycle);
  void send_vmem_queue(uint64_t cycle);
  void apply_smem(fabric::payload& p, uint64_t cycle);
  void apply_fetch(fabric::payload& p, uint64_t cycle);
  void apply_local(const local_event& e);
  void scalar_completed(const local_event& e, smem_wait kind);
  void vm_completed(wave& w, uint32_t sequence);
  void counters_changed(wave& w, uint64_t cycle);
  bool wait_met(const wave& w) const { return w.vmcnt <= w.wait_vm && w.lgkmcnt <= w.wait_lgkm && w.expcnt <= w.wait_exp; }
  void wake_for_returns();
  uint8_t due_with(unsigned port, const fabric::payload& p) const;
  uint64_t return_cycle(const pending_return& e) const {
    if (e.due == at_once) return e.cycle;
    return waiting_ >> e.due & 1 ? next_turn(e.due / parameters_.wave_slots, e.cycle) : fabric::never;
  }
  void find_return_wake(uint64_t cycle);
  void add_local(local_event e);

  // loosely timed (compute_unit_loose.cpp)
  void loose_thread();
  unsigned run_slice(wave& w);
  code_block* loose_block(wave& w, uint64_t address, code_block* before);
  bool loose_control(wave& w, const micro_op& m);
  void loose_memory(wave& w, const micro_op& m);
  void loose_late_store(wave& w);
  void loose_smem(wave& w, const micro_op& m);
  uint64_t loose_cycle() const;
  void synchronise();
  /// For the context's observer: `returned` at the data's return, else at issue.
  void show_scalar_access(const wave& w, const micro_op& m, uint64_t address, unsigned bytes, bool returned);

  /// First turn of `simd` at or after the cycle.
  static uint64_t next_turn(unsigned simd, uint64_t cycle) { return cycle + ((simd - cycle) & 3); }
  uint64_t& ready(const wave& w) { return boards_[w.simd].ready[w.slot]; }
  stall cause(const wave& w) const { return boards_[w.simd].cause[w.slot]; }
  uint64_t& since(const wave& w) { return boards_[w.simd].since[w.slot]; }
  void consider(const wave& w, uint64_t cycle) { consider(w.simd, w.slot, cycle); }
  void consider(unsigned simd, unsigned slot, uint64_t cycle) {
    const uint64_t t = next_turn(simd, cycle);
    uint64_t& at = boards_[simd].ready[slot];
    if (t < at) at = t;
    if (at < simd_next_[simd]) simd_next_[simd] = at;
    wake_at(simd_next_[simd]);
  }

  bool follow_wait_states_, check_clauses_;
  bool clauses_; ///< clauses of scalar memory instructions are checked or replayed
  bool watching_; ///< something may come between two instructions of a wave: a clause's replay, a trap
  bool stale_;   ///< hazards=model: waves have stale values
  bool smem_in_vain_ = false;   ///< the scalar memory instruction being issued changes nothing: it will be replayed
  uint64_t clause_draws_ = 0;
  unsigned index_;
  compute_unit_parameters parameters_;
  fabric::context context_;
  code_cache& code_;
  bool loosely_timed_;

  std::vector<wave> waves_;                 ///< [simd * wave_slots + slot]
  turn_board boards_[simds];
  std::vector<uint8_t> order_[simds];       ///< slots of the running waves of a SIMD: by priority, then the oldest first
  vgpr_file vgpr_file_[simds];
  workgroup groups_[40];
  struct group_signals { observe::signal arrived, waves, gone; };
  std::vector<group_signals> group_signals_; ///< empty: not traced
  uint64_t simd_next_[simds];
  uint64_t lds_refused_until_ = 0; ///< until then LDS instructions of the refused path (SIMD pair) let the others go first
  unsigned lds_refused_path_ = 0;
  uint64_t valu_free_[simds] = {};
  uint64_t return_wake_ = fabric::never; ///< cycle by which a queued return must be applied
  uint64_t age_ = 0, sequence_ = 0;
  unsigned waves_in_use_ = 0;
  uint64_t waiting_ = 0; ///< by index: waves in state waiting or draining
  uint64_t busy_since_ = 0;

  fabric::ring<pending_return> returns_[port_count];
  std::vector<local_event> local_;          ///< heap, earliest first
  std::vector<smem_operation> smem_operations_;
  int smem_free_ = -1;
  unsigned smem_in_flight_ = 0;
  fabric::ring<fabric::payload*> smem_queue_; ///< parts that wait for the port
  fabric::ring<fabric::payload*> lds_queue_;  ///< LDS=1 loads on their way to LDS
  fabric::ring<fabric::payload*> vmem_queue_; ///< BUFFER_STORE_LDS_DWORD with its data, and late_store_, on their way to TA
  fabric::payload* late_store_ = nullptr;   ///< a wide store that waits for the next instruction of late_wave_, which overwrites its data
  wave* late_wave_ = nullptr;
  std::vector<wave*> fetch_queue_;
  fabric::ring<fabric::payload*> fetch_invalidations_;
  uint64_t fetch_next_ = 0, smem_next_ = 0;
  bool port_waiters_[port_count] = {};
  std::vector<uint8_t> lds_window_; ///< a workgroup's LDS, as the instruction in work reads it directly
  code_block fetch_fault_block_;
  fabric::dmi_cache code_dmi_, smem_dmi_;
  uint64_t loose_cycles_[simds] = {};
  sc_core::sc_event loose_event_;
  std::vector<fabric::payload*> loose_launches_;
  struct pending_launch { fabric::payload* p; uint64_t cycle; };
  fabric::ring<pending_launch> launches_; ///< workgroups on their way from the dispatcher
  bool keep_stalls_ = false; ///< each wave's own stall cycles are wanted: accounts or a profile
  sc_core::sc_process_handle thread_;
  bool restarting_ = false;
  bool traced_ = false; ///< a signal of this unit is
  observe::text_signal issue_signals_[5], smem_issue_text_, smem_return_text_; ///< issue: by class
  observe::signal issue_signal_, smem_outstanding_signal_, smem_issue_signal_, smem_return_signal_, smem_return_tag_signal_;
};

} // namespace lyra::compute_unit
