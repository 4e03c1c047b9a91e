// SPDX-License-Identifier: Apache-2.0
// Start and end of waves and workgroups, barriers' bookkeeping, stall accounting, faults.
#include "compute_unit/compute_unit.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::compute_unit {

using fabric::never;

void compute_unit::start_group(fabric::payload& p, uint64_t cycle) {
  const auto* info = p.get_extension<fabric::launch_extension>();
  workgroup* g = nullptr;
  for (auto& candidate : groups_)
    if (!candidate.in_use) { g = &candidate; break; }
  if (!g) { SC_REPORT_FATAL("lyra/compute_unit/launch", "the dispatcher placed more workgroups in a compute unit than it has wave slots"); return; }
  *g = workgroup{};
  g->launch = &p;
  g->info = info;
  g->waves = info->waves;
  g->in_use = true;
  groups_signals_set(*g, cycle);
  for (unsigned k = 0; k < info->waves; ++k) {
    const auto& place = info->places[k];
    wave& w = waves_[place.simd * parameters_.wave_slots + place.slot];
    if (w.state != wave_state::empty) { SC_REPORT_FATAL("lyra/compute_unit/launch", "the dispatcher placed a wave in a slot that is in use"); return; }
    start_wave(w, *g, k, cycle);
  }
}

void compute_unit::start_wave(wave& w, workgroup& g, unsigned k, uint64_t cycle) {
  const auto& info = *g.info;
  const auto& packet = *info.packet;
  const auto& place = info.places[k];
  auto& r = w.regs;
  r = alu::wave_registers{};
  const unsigned vgprs = std::min((packet.vgprs + 3) / 4 * 4, parameters_.vgprs), end = std::min(place.vgpr_base + vgprs, parameters_.vgprs);
  vgpr_file& file = vgpr_file_[w.simd];
  if (end > file.rows) enlarge(file, w.simd, std::max(end, std::min(vgprs * (file.rows == 0 ? waves_at_first : parameters_.wave_slots), parameters_.vgprs)));
  if (end > file.cleared) {
    std::memset(file.first + file.cleared, 0, (end - file.cleared) * sizeof *file.first);
    file.cleared = end;
  }
  r.vgpr = file.first + place.vgpr_base;
  r.vgpr_count = uint16_t(vgprs);
  r.sgpr_count = uint16_t(std::min((packet.sgprs + 15) / 16 * 16, 102u));
  r.mode = packet.mode;
  r.pc = packet.entry_pc;

  // scalar state: user SGPRs, workgroup ids, group info, scratch offset
  unsigned s = 0;
  for (uint32_t v : packet.user_sgprs) if (s < 104) r.sgpr[s++] = v;
  for (unsigned c = 0; c < packet.workgroup_id_count; ++c)
    if (s < 104) r.sgpr[s++] = info.group[packet.workgroup_id_order[c]];
  if (packet.workgroup_info && s < 104) r.sgpr[s++] = (k == 0 ? 1u << 31 : 0) | k << 6 | info.waves; // first wave, wave number, waves in the group
  if (packet.scratch_wave_offset && s < 104) r.sgpr[s++] = uint32_t(place.scratch_offset);

  // vector state: work-item ids
  const uint32_t sx = info.size[0], sy = info.size[1], sz = info.size[2], total = sx * sy * sz;
  uint64_t exec = 0;
  for (unsigned l = 0; l < 64; ++l) {
    const uint32_t t = k * 64 + l;
    if (t < total) exec |= uint64_t(1) << l;
    if (r.vgpr_count > 0) r.vgpr[0][l] = t % sx;
    if (packet.workitem_id >= 1 && r.vgpr_count > 1) r.vgpr[1][l] = t / sx % sy;
    if (packet.workitem_id >= 2 && r.vgpr_count > 2) r.vgpr[2][l] = t / sx / sy;
  }
  r.set_exec(exec);
  r.hw_id = uint32_t(w.slot) | uint32_t(w.simd) << 4 | (index_ % 16) << 8 | (index_ / 16 & 3) << 13;
  r.gpr_alloc = uint32_t(place.vgpr_base / 4) | uint32_t(r.vgpr_count / 4 - 1) << 8 | uint32_t((r.sgpr_count + 15) / 16 - 1) << 24;
  r.lds_alloc = (info.lds_base / 256) | ((packet.lds_bytes + 511) / 512) << 12;
  r.status = 1u << 16 | uint32_t(info.waves > 1) << 11 | uint32_t(packet.trap_handler != 0) << 6; // VALID, IN_TG, TRAP_EN
  r.tba = packet.trap_handler;
  r.tma = packet.trap_memory;
  r.sh_mem_bases = r.private_base_hi >> 16 | r.shared_base_hi >> 16 << 16; // address bits 63:48

  w.id = uint32_t(info.first_wave_order + k);
  w.dispatch_order = info.first_wave_order + k;
  w.age = ++age_;
  w.group = &g;
  w.packet = &packet;
  w.vmcnt = w.lgkmcnt = w.expcnt = 0;
  w.smem_outstanding = w.lds_outstanding = w.message_outstanding = 0;
  w.vm_issued = w.vm_retired = 0;
  w.lds_stores = 0;
  w.vm_done = 0;
  w.valu_written = sgpr_set{};
  w.flag_written_cycle = never;
  w.checker.reset();
  w.guarding = false;
  w.wait_states.reset(parameters_.vcc_alias);
  start_special(w);
  w.clause.reset();
  w.unaligned = packet.unaligned && parameters_.unaligned_access;
  w.count_full = false;
  w.current = nullptr;
  w.barrier_wait = barrier_kind::none;
  w.cache_maintenance = false;
  w.pc_of_instruction = r.pc;
  w.instructions = 0;
  turn_board& board = boards_[w.simd];
  board.cause[w.slot] = stall::not_started;
  board.wants[w.slot] = claim::unknown;
  if (traced_ && w.notes->cause_signal) w.notes->cause_signal.set(clock().at(cycle), stall_name[unsigned(stall::not_started)]);
  w.born = board.since[w.slot] = cycle;
  keep_stalls_ = accounts || code_.profile;
  if (keep_stalls_) {
    for (wave& v : waves_)
      if (!v.notes) v.notes = std::make_unique<wave_notes>();
    std::fill(std::begin(w.notes->stalls), std::end(w.notes->stalls), 0);
  }
  ready(w) = never;
  w.ib.flush(r.pc);
  if (waves_in_use_++ == 0) busy_since_ = cycle;
  ++statistics.waves;
  set_state(w, wave_state::running, cycle);
  order_[w.simd].push_back(w.slot); // of priority 0 and the youngest
  if (observer) observer->started(index_, w, cycle);
  if (!loosely_timed_) {
    const uint64_t start = cycle + parameters_.wave_start_cycles * (k + 1);
    fetch_next_ = std::max(fetch_next_, cycle + 1);
    want_fetch(w);
    consider(w, start);
  }
}

/// Most kernels use few of a SIMD's registers: the host has memory for those of a few waves, or of a SIMD full of the largest kernel's.
void compute_unit::enlarge(vgpr_file& file, unsigned simd, unsigned rows) {
  std::unique_ptr<uint32_t[]> words(new uint32_t[size_t(rows) * 64 + 16]); // cleared as far as waves reach
  auto* first = reinterpret_cast<uint32_t(*)[64]>((reinterpret_cast<uintptr_t>(words.get()) + 63) & ~uintptr_t(63));
  if (file.cleared) std::memcpy(first, file.first, file.cleared * sizeof *first);
  for (unsigned slot = 0; slot < parameters_.wave_slots; ++slot) {
    auto& r = waves_[simd * parameters_.wave_slots + slot].regs;
    if (r.vgpr) r.vgpr = first + (r.vgpr - file.first);
  }
  file.words = std::move(words);
  file.first = first;
  file.rows = rows;
}

/// Highest priority first, then the oldest; a new wave is the youngest. Priorities change seldom: sorted then, not at each turn.
void compute_unit::sort_waves(unsigned simd) {
  auto& order = order_[simd];
  const wave* waves = &waves_[simd * parameters_.wave_slots];
  const auto before = [&](uint8_t a, uint8_t b) { return waves[a].regs.priority != waves[b].regs.priority ? waves[a].regs.priority > waves[b].regs.priority : waves[a].age < waves[b].age; };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
}

void compute_unit::leave_order(const wave& w) {
  auto& order = order_[w.simd];
  order.erase(std::remove(order.begin(), order.end(), w.slot), order.end());
}

void compute_unit::end_wave(wave& w, uint64_t cycle) {
  set_state(w, wave_state::draining, cycle);
  set_cause(w, stall::done, cycle);
  leave_order(w);
  workgroup& g = *w.group;
  ++g.gone;
  groups_signals_set(g, cycle);
  if (g.arrived && g.arrived + g.gone == g.waves) release_barrier(g, cycle); // a wave that has ended no longer keeps the others at a barrier
  finish_if_drained(w, cycle);
  if (w.state == wave_state::draining) wake_for_returns();
}

void compute_unit::finish_if_drained(wave& w, uint64_t cycle) {
  if (w.state != wave_state::draining || w.outstanding()) return;
  set_state(w, wave_state::ended, cycle);
  workgroup& g = *w.group;
  ++g.ended;
  if (observer) observer->ended(index_, w, cycle);
  if (g.ended < g.waves) return;
  for (unsigned k = 0; k < g.waves; ++k) {
    const auto& place = g.info->places[k];
    wave& v = waves_[place.simd * parameters_.wave_slots + place.slot];
    set_cause(v, stall::done, cycle);
    close_account(v, cycle);
    set_state(v, wave_state::empty, cycle);
    if (traced_) {
      v.notes->instruction_signal.set(clock().at(cycle), "");
      v.notes->cause_signal.set(clock().at(cycle), "");
    }
    v.group = nullptr;
    v.packet = nullptr;
    v.current = nullptr;
  }
  waves_in_use_ -= g.waves;
  if (waves_in_use_ == 0) statistics.busy_cycles += cycle - busy_since_;
  ++statistics.workgroups;
  fabric::payload* launch = g.launch;
  g.in_use = false;
  g.gone = 0;
  groups_signals_set(g, cycle);
  launch->set_response_status(tlm::TLM_OK_RESPONSE);
  expect_launch(std::max(clock().at(cycle + 1), fabric::now_ps())); // of a group that has waited for the room; a return may be applied some cycles late
  launch_port.respond(*launch, clock().at(cycle + 1));
}

void compute_unit::release_barrier(workgroup& g, uint64_t cycle) {
  ++statistics.barriers;
  g.arrived = 0;
  groups_signals_set(g, cycle);
  if (context_.accesses) context_.accesses->barrier_passed(uint32_t(g.info->first_wave_order), g.waves);
  const unsigned extra = context_.chaos.extra(index_ * 7 + 1, statistics.barriers);
  for (unsigned k = 0; k < g.waves; ++k) {
    const auto& place = g.info->places[k];
    wave& w = waves_[place.simd * parameters_.wave_slots + place.slot];
    if (w.state != wave_state::barrier) continue;
    set_state(w, wave_state::running, cycle);
    if (!loosely_timed_) consider(w, cycle + parameters_.barrier_cycles + extra);
  }
}

void compute_unit::fault(wave& w, const char* id, const std::string& text, uint64_t cycle, int lane, uint64_t address) {
  fabric::machine_fault f;
  f.id = id;
  f.text = fmt::format("{}\n  at PC {:#x}{} in {}", text, w.pc_of_instruction,
                       w.current ? fmt::format(" ({})", isa::disassemble(w.current->inst, code_.chip(), w.current->pc)) : std::string(), place(w));
  f.time_ps = clock().at(cycle);
  f.pc = w.pc_of_instruction;
  f.address = address;
  f.wave = w.id;
  f.lane = lane;
  if (w.state != wave_state::faulted) {
    leave_order(w);
    set_state(w, wave_state::faulted, cycle);
    set_cause(w, stall::done, cycle);
  }
  ready(w) = never;
  if (context_.run) context_.run->fault(std::move(f));
  else SC_REPORT_ERROR(id, f.text.c_str());
}

void compute_unit::report(const wave& w, const micro_op& m, const char* id, const std::string& text, uint64_t cycle) {
  if (context_.run) context_.run->report({id, fmt::format("'{}' at PC {:#x} {} ({})", isa::disassemble(m.inst, code_.chip(), m.pc), m.pc, text, place(w)), clock().at(cycle), m.pc, w.id});
}

void compute_unit::set_cause(unsigned simd, unsigned slot, stall cause, uint64_t cycle) {
  stall& now = boards_[simd].cause[slot];
  if (cause == now) return;
  close_interval(simd, slot, cycle);
  now = cause;
  if (!traced_) return;
  const wave& w = waves_[simd * parameters_.wave_slots + slot];
  if (w.notes->cause_signal) w.notes->cause_signal.set(clock().at(cycle), stall_name[unsigned(cause)]);
}

/// Puts the cycles since the last change down to their cause, in the wave and at the current instruction.
void compute_unit::close_interval(unsigned simd, unsigned slot, uint64_t cycle) {
  turn_board& board = boards_[simd];
  const uint64_t from = board.since[slot];
  if (cycle <= from) return;
  board.since[slot] = cycle;
  const uint64_t n = cycle - from;
  const stall cause = board.cause[slot];
  wave& w = waves_[simd * parameters_.wave_slots + slot]; // looked at only where it must be
  statistics.stalls[unsigned(cause)] += n;
  if (cause == stall::lgkm_scalar) statistics.smem_waits[unsigned(w.smem_waits_for)] += n;
  if (keep_stalls_) {
    w.notes->stalls[unsigned(cause)] += n;
    if (w.current && w.current->profile) w.current->profile->stalls[unsigned(cause)] += n;
  }
  if (observer) observer->spent(index_, w, cause, from, cycle);
}

/// Profile: `next` is about to be tried. Cycles of the instruction before it end here; those of the start and of a fetch are its own.
void compute_unit::attribute(wave& w, const micro_op& next, uint64_t cycle) {
  if (!w.current) next.profile->stalls[unsigned(stall::not_started)] += w.notes->stalls[unsigned(stall::not_started)];
  else if ((cause(w) == stall::issuing || w.current != &next) && cause(w) != stall::fetch) close_interval(w, cycle);
}

/// The wave's life ends, or the run does: its causes go to the statistics.
void compute_unit::close_account(wave& w, uint64_t cycle) {
  close_interval(w, cycle);
  const uint64_t end = std::max(cycle, since(w)); // an instruction's own cycles may reach past an early return
  statistics.wave_cycles += end - w.born;
  if (!accounts) return;
  auto& a = accounts->emplace_back();
  a.id = w.id;
  a.dispatch = w.packet->id;
  a.workgroup = w.group->info->group_number;
  a.cu = index_;
  a.simd = w.simd;
  a.slot = w.slot;
  a.start = w.born;
  a.end = end;
  a.instructions = w.instructions;
  std::copy(std::begin(w.notes->stalls), std::end(w.notes->stalls), std::begin(a.stalls));
}

void compute_unit::set_state(wave& w, wave_state s, uint64_t cycle) {
  w.state = s;
  const uint64_t bit = uint64_t(1) << (&w - waves_.data());
  waiting_ = s == wave_state::waiting || s == wave_state::draining ? waiting_ | bit : waiting_ & ~bit;
  if (traced_ && w.notes->state_signal) w.notes->state_signal.set(clock().at(cycle), wave_state_name[unsigned(s)]);
}

void compute_unit::check_hazards(wave& w, const micro_op& m, uint64_t cycle) {
  const auto c = w.checker.check(m, w.regs.exec());
  if (!c) return;
  ++statistics.hazards;
  const std::string reg = c.vgpr >= 0 ? fmt::format("v{}", c.vgpr) : c.sgpr >= 106 && c.sgpr < 108 ? "vcc" : fmt::format("s{}", c.sgpr);
  const std::string text = fmt::format("{} {} before an s_waitcnt guarantees the data of '{}' at PC {:#x}: put s_waitcnt {} in front", c.write ? "writes" : "reads", reg,
                                       isa::disassemble(c.producer->inst, code_.chip(), c.producer->pc), c.producer->pc,
                                       c.producer->unit == unit::smem || c.producer->unit == unit::lds || c.producer->unit == unit::gds ? "lgkmcnt" : "vmcnt");
  if (parameters_.hazard_checker == "error") {
    fault(w, "lyra/hazard/waitcnt", text, cycle);
    return;
  }
  report(w, m, "lyra/hazard/waitcnt", text, cycle);
}

void compute_unit::check_wait_states(wave& w, const micro_op& m, uint64_t cycle) {
  const auto v = w.wait_states.check(m, w.stale ? &w.stale->findings : nullptr);
  if (!v) return;
  ++statistics.missing_wait_states;
  const auto& rule = rule_of(v.row);
  const std::string reg = v.vgpr >= 0 ? fmt::format(" (v{})", v.vgpr) : v.sgpr == 106 || v.sgpr == 107 ? " (vcc)" : v.sgpr >= 0 ? fmt::format(" (s{})", v.sgpr) : std::string();
  const std::string text = fmt::format("{} wait state{} missing behind '{}' at PC {:#x}: {} needs {} before {}{}; put s_nop {} in between", v.missing, v.missing > 1 ? "s" : "",
                                       isa::disassemble(v.producer->inst, code_.chip(), v.producer->pc), v.producer->pc, rule.producer, rule.states, rule.consumer, reg, v.missing - 1);
  if (parameters_.wait_states == "error") { fault(w, "lyra/hazard/wait-states", text, cycle); return; }
  if (context_.run)
    context_.run->report({"lyra/hazard/wait-states", fmt::format("'{}' at PC {:#x}: {} ({})", isa::disassemble(m.inst, code_.chip(), m.pc), m.pc, text, place(w)), clock().at(cycle), m.pc, w.id});
}

void compute_unit::close_statistics() {
  const uint64_t cycle = now();
  for (auto& w : waves_) {
    if (w.state == wave_state::empty || !w.group) continue;
    close_account(w, cycle);
    if (w.notes) std::fill(std::begin(w.notes->stalls), std::end(w.notes->stalls), 0);
    w.born = since(w) = std::max(cycle, since(w));
  }
  if (waves_in_use_) { statistics.busy_cycles += cycle - busy_since_; busy_since_ = cycle; }
}

} // namespace lyra::compute_unit
