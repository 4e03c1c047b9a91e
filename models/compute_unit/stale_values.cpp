// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/stale_values.h"
#include <algorithm>
#include <cstring>

namespace lyra::compute_unit {

using isa::op;
namespace code = isa::operand_code;

void stale_values::reset() {
  findings.clear();
  for (auto& e : entries_) e.at = 0;
}

void stale_values::remember(const micro_op& m, const alu::wave_registers& r, uint64_t at) {
  if (m.unit != unit::valu && m.unit != unit::salu) return;
  entry& e = entries_[next_++ % depth];
  e.at = at;
  e.mode = r.mode;
  e.trapsts = r.trapsts;
  e.sgpr_count = e.row_count = 0;
  const auto keep = [&](unsigned c) {
    if (c < 128 && e.sgpr_count < std::size(e.sgpr)) { e.sgpr[e.sgpr_count] = uint8_t(c); e.sgpr_value[e.sgpr_count++] = r.sgpr[c]; }
  };
  for (unsigned c = 0; c < 128; ++c) if (m.sgpr_writes.has(c)) keep(c);
  const op id = m.inst.info->id;
  if (id == op::s_movreld_b32 || id == op::s_movreld_b64) { keep(m.inst.dst.code + r.m0()); keep(m.inst.dst.code + r.m0() + 1); }
  for (unsigned v = 0; v < r.vgpr_count && m.unit == unit::valu; ++v)
    if (m.vgpr_writes.has(v) && e.row_count < std::size(e.row)) { e.row[e.row_count] = uint8_t(v); std::memcpy(e.row_value[e.row_count++], r.vgpr[v], sizeof e.row_value[0]); }
}

const stale_values::entry* stale_values::find(uint64_t at) const {
  for (const auto& e : entries_) if (e.at == at && at) return &e;
  return nullptr;
}

uint32_t stale_values::mode_before(uint64_t at, uint32_t now) const {
  const entry* e = find(at);
  return e ? e->mode : now;
}

void stale_values::substitute(const micro_op& m, alu::wave_registers& r) {
  std::memcpy(true_sgpr_, r.sgpr, sizeof true_sgpr_);
  std::fill(std::begin(replaced_), std::end(replaced_), false);
  true_mode_ = r.mode;
  true_trapsts_ = r.trapsts;
  std::sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) { return a.at > b.at; }); // the oldest write undone last
  for (const auto& f : findings) {
    const entry* e = find(f.at);
    if (!e) continue;
    const auto put_back = [&](auto wanted) {
      for (unsigned k = 0; k < e->sgpr_count; ++k)
        if (wanted(e->sgpr[k])) { r.sgpr[e->sgpr[k]] = e->sgpr_value[k]; replaced_[e->sgpr[k]] = true; }
    };
    switch (f.row) {
      case wait_row::setreg_getreg: case wait_row::setreg_setreg: case wait_row::vskip_getreg_mode:
        if ((m.inst.simm16 & 63) == 1) r.mode = e->mode;
        if ((m.inst.simm16 & 63) == 3) r.trapsts = e->trapsts;
        break;
      case wait_row::setreg_vskip_vector: r.mode = (r.mode & ~(1u << alu::mode_bit::vskip)) | (e->mode & 1u << alu::mode_bit::vskip); break;
      case wait_row::valu_sgpr_lane_select: put_back([&](unsigned c) { return c == m.inst.src[1].code; }); break;
      case wait_row::valu_vcc_div_fmas: case wait_row::vcc_alias: case wait_row::movrel_vcc_vccz: put_back([](unsigned c) { return c == 106 || c == 107; }); break;
      case wait_row::valu_sgpr_vmem: put_back([&](unsigned c) { return m.sgpr_reads.has(c) && c < 124; }); break;
      case wait_row::m0_gds_message: case wait_row::m0_lds_access: case wait_row::m0_movrel: put_back([](unsigned c) { return c == code::m0; }); break;
      case wait_row::valu_exec_dpp: put_back([](unsigned c) { return c >= 126; }); break;
      default: break; // in execute(), or nothing to see
    }
  }
}

void stale_values::restore(alu::wave_registers& r) {
  for (unsigned c = 0; c < 128; ++c) if (replaced_[c]) r.sgpr[c] = true_sgpr_[c];
  r.mode = true_mode_;
  r.trapsts = true_trapsts_;
}

uint32_t (*stale_values::copy_rows(const alu::wave_registers& r))[64] {
  rows_.resize((size_t(r.vgpr_count) + 2) * 64 + 16);
  auto* rows = reinterpret_cast<uint32_t(*)[64]>((reinterpret_cast<uintptr_t>(rows_.data()) + 63) & ~uintptr_t(63));
  std::memcpy(rows, r.vgpr, size_t(r.vgpr_count) * 256);
  return rows;
}

void stale_values::execute(const micro_op& m, alu::wave_registers& r, alu::handler h) {
  if (findings.empty()) { h(r, m.inst); return; }
  substitute(m, r);
  isa::instruction inst = m.inst;
  auto* const true_rows = r.vgpr;
  const uint16_t true_count = r.vgpr_count;
  for (const auto& f : findings) { // newest first: the oldest write decides
    const entry* e = find(f.at);
    if (!e) continue;
    if (f.row == wait_row::valu_vcc_exec_z) { // the summary bit of the old mask, as an inline constant
      const auto zero = [&](unsigned c) {
        uint32_t low = true_sgpr_[c], high = true_sgpr_[c + 1];
        for (unsigned k = 0; k < e->sgpr_count; ++k) { if (e->sgpr[k] == c) low = e->sgpr_value[k]; if (e->sgpr[k] == c + 1) high = e->sgpr_value[k]; }
        return uint16_t(code::zero + ((low | high) == 0));
      };
      for (unsigned j = 0; j < 3; ++j) {
        if (m.inst.src[j].code == code::vccz) inst.src[j].code = zero(106);
        if (m.inst.src[j].code == code::execz) inst.src[j].code = zero(126);
      }
    }
    if (f.row == wait_row::valu_vgpr_dpp && m.inst.src[0].is_vgpr())
      for (unsigned k = 0; k < e->row_count; ++k)
        if (e->row[k] == m.inst.src[0].vgpr()) { // source 0 reads a spare row that holds the old value
          if (r.vgpr == true_rows) { r.vgpr = copy_rows(r); r.vgpr_count = uint16_t(true_count + 2); }
          std::memcpy(r.vgpr[true_count], e->row_value[k], 256);
          inst.src[0].code = uint16_t(code::vgpr0 + true_count);
        }
  }
  h(r, inst);
  if (r.vgpr != true_rows) {
    for (unsigned v = 0; v < true_count; ++v) if (m.vgpr_writes.has(v)) std::memcpy(true_rows[v], r.vgpr[v], 256);
    r.vgpr = true_rows;
    r.vgpr_count = true_count;
  }
  // what it wrote itself stays
  for (unsigned c = 0; c < 128; ++c) if (replaced_[c] && !m.sgpr_writes.has(c)) r.sgpr[c] = true_sgpr_[c];
  const op id = m.inst.info->id;
  if (id != op::s_setreg_b32 && id != op::s_setreg_imm32_b32) { r.mode = true_mode_; r.trapsts = m.unit == unit::valu ? r.trapsts : true_trapsts_; }
}

} // namespace lyra::compute_unit
