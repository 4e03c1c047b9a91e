// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::never;

compute_unit::compute_unit(sc_core::sc_module_name name, unsigned index, const compute_unit_parameters& p, const fabric::context& context, code_cache& code, bool loosely_timed)
    : timed_module(name, context.core), launch_port("launch", *this, 0), vmem_port("vmem", *this, vmem), lds_port("lds", *this, lds), gds_port("gds", *this, gds),
      smem_port("smem", *this, smem), fetch_port("fetch", *this, fetch), follow_wait_states_(p.wait_states != "silent"),
      check_clauses_(p.xnack_check == "auto" ? p.xnack_replay : p.xnack_check != "silent"),
      clauses_(check_clauses_ || p.xnack_replay), watching_(clauses_), stale_(follow_wait_states_ && p.wait_states == "model"), index_(index), parameters_(p), context_(context), code_(code), loosely_timed_(loosely_timed),
      waves_(simds * p.wave_slots), code_dmi_(fetch_port), smem_dmi_(smem_port) {
  for (auto& n : simd_next_) n = never;
  for (unsigned s = 0; s < simds; ++s)
    for (unsigned k = 0; k < p.wave_slots; ++k) {
      wave& w = waves_[s * p.wave_slots + k];
      w.simd = uint8_t(s);
      w.slot = uint8_t(k);
    }
  if (context_.trace) declare_signals();
  if (context_.statistics) context_.statistics->add(fmt::format("cu{}", index), statistics);
  if (loosely_timed_) {
    SC_HAS_PROCESS(compute_unit);
    SC_THREAD(loose_thread);
  }
}

void compute_unit::b_transport(unsigned, fabric::payload& p, sc_core::sc_time&) {
  SC_REPORT_ERROR("lyra/compute_unit/blocking-launch", "a workgroup is launched by nb_transport only");
  p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
}

fabric::request_answer compute_unit::on_request(unsigned, fabric::payload& p, fabric::picoseconds& at) {
  auto* launch = p.get_extension<fabric::launch_extension>();
  if (!launch) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    SC_REPORT_ERROR("lyra/compute_unit/launch", "a transaction without launch extension came to a compute unit's launch port");
    return fabric::request_answer::completed;
  }
  if (loosely_timed_) {
    loose_launches_.push_back(&p);
    loose_event_.notify(fabric::to_sc_time(at > fabric::now_ps() ? at - fabric::now_ps() : 0));
    at += clock().at(parameters_.wave_start_cycles * launch->waves);
    return fabric::request_answer::accepted;
  }
  const uint64_t c = clock().ceil(at);
  launches_.push({&p, c});
  wake_at(c);
  at = clock().at(c + parameters_.wave_start_cycles * launch->waves); // END_REQ when the waves have started
  return fabric::request_answer::accepted;
}

/// Registers are cleared when waves start; what observes the unit (observer, accounts) stays.
void compute_unit::on_reset() {
  statistics = compute_unit_statistics();
  smem_in_vain_ = false;
  clause_draws_ = 0;
  watching_ = clauses_;
  for (wave& w : waves_) {
    wave fresh;
    fresh.simd = w.simd;
    fresh.slot = w.slot;
    fresh.notes = std::move(w.notes);
    if (fresh.notes) std::fill(std::begin(fresh.notes->stalls), std::end(fresh.notes->stalls), 0);
    w = std::move(fresh);
  }
  for (auto& o : order_) o.clear();
  for (auto& f : vgpr_file_) f.cleared = 0;
  for (auto& g : groups_) g = workgroup();
  for (auto& n : simd_next_) n = never;
  for (auto& b : boards_) b = turn_board();
  waiting_ = 0;
  lds_refused_until_ = 0;
  lds_refused_path_ = 0;
  for (auto& f : valu_free_) f = 0;
  return_wake_ = never;
  age_ = sequence_ = 0;
  waves_in_use_ = 0;
  busy_since_ = 0;
  for (auto& r : returns_) r.clear();
  local_.clear();
  smem_operations_.clear();
  smem_free_ = -1;
  smem_in_flight_ = 0;
  smem_queue_.clear();
  lds_queue_.clear();
  vmem_queue_.clear();
  late_store_ = nullptr;
  late_wave_ = nullptr;
  fetch_queue_.clear();
  fetch_invalidations_.clear();
  fetch_next_ = smem_next_ = 0;
  for (auto& p : port_waiters_) p = false;
  fetch_fault_block_ = code_block();
  code_dmi_.invalidate();
  smem_dmi_.invalidate();
  for (auto& c : loose_cycles_) c = 0;
  loose_event_.cancel();
  loose_launches_.clear();
  launches_.clear();
}

fabric::cycle_t compute_unit::on_wake(fabric::cycle_t cycle) {
  while (!launches_.empty() && launches_.front().cycle <= cycle) {
    start_group(*launches_.front().p, launches_.front().cycle);
    launches_.pop();
  }
  apply_returns(cycle);
  if (context_.run && context_.run->stopped(clock().at(cycle))) { // nothing happens any more: turns that are not taken must not be asked for later, in the past
    for (auto& n : simd_next_) n = never;
    forget_wake();
    return never;
  }
  const unsigned simd = unsigned(cycle & 3);
  if (simd_next_[simd] <= cycle) turn(simd, cycle);
  if (!smem_queue_.empty()) send_smem(cycle);
  if (!lds_queue_.empty()) send_lds_queue(cycle);
  if (!vmem_queue_.empty()) send_vmem_queue(cycle);
  if (!fetch_queue_.empty() || !fetch_invalidations_.empty()) send_fetches(cycle);
  uint64_t next = never;
  for (unsigned s = 0; s < simds; ++s) {
    if (simd_next_[s] <= cycle) simd_next_[s] = next_turn(s, cycle + 1);
    next = std::min(next, simd_next_[s]);
  }
  if (return_wake_ <= cycle) find_return_wake(cycle);
  next = std::min(next, return_wake_);
  if (!local_.empty()) next = std::min(next, std::max(local_.front().cycle, cycle + 1));
  if (!launches_.empty()) next = std::min(next, launches_.front().cycle);
  return next;
}

std::string compute_unit::place(const wave& w) const {
  const auto* g = w.group ? w.group->info : nullptr;
  return fmt::format("cu{} simd{} wave{} (wave {}{}{})", index_, w.simd, w.slot, w.id, g ? fmt::format(", workgroup {},{},{}", g->group[0], g->group[1], g->group[2]) : std::string(),
                     w.packet ? ", kernel " + w.packet->kernel : std::string());
}

std::string compute_unit::describe_waves() const {
  std::string out;
  for (const auto& w : waves_) {
    if (w.state == wave_state::empty || w.state == wave_state::ended) continue;
    std::string what;
    switch (w.state) {
      case wave_state::starting: what = "has not started"; break;
      case wave_state::running: what = fmt::format("is running ({})", stall_name[unsigned(cause(w))]); break;
      case wave_state::waiting:
        if (loosely_timed_) { what = "waits in the GDS: for its turn in ordered append, or for global wave sync"; break; }
        what = "waits for";
        if (w.vmcnt > w.wait_vm) what += fmt::format(" vmcnt {} -> {}", w.vmcnt, w.wait_vm);
        if (w.lgkmcnt > w.wait_lgkm) what += fmt::format(" lgkmcnt {} -> {}", w.lgkmcnt, w.wait_lgkm);
        if (w.expcnt > w.wait_exp) what += fmt::format(" expcnt {} -> {}", w.expcnt, w.wait_exp);
        break;
      case wave_state::barrier: what = fmt::format("waits at s_barrier: {} of {} waves of its workgroup have arrived, {} have ended", w.group->arrived, w.group->waves, w.group->gone); break;
      case wave_state::sleeping: what = "sleeps"; break;
      case wave_state::halted: what = "is halted (s_sethalt)"; break;
      case wave_state::draining: what = fmt::format("has ended, outstanding vmcnt {} lgkmcnt {} expcnt {}", w.vmcnt, w.lgkmcnt, w.expcnt); break;
      case wave_state::faulted: what = "has faulted"; break;
      default: break;
    }
    out += fmt::format("  {} at PC {:#x}{}: {}\n", place(w), w.pc_of_instruction,
                       w.current ? " " + isa::disassemble(w.current->inst, code_.chip(), w.current->pc) : std::string(), what);
  }
  return out;
}

} // namespace lyra::compute_unit
