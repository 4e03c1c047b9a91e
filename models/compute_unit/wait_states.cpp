// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wait_states.h"
#include <algorithm>
#include <cstring>

namespace lyra::compute_unit {

using isa::encoding;
using isa::op;

namespace {

constexpr wait_rule rules[unsigned(wait_row::count)] = {
    {"s_setreg of a hardware register", "s_getreg of the same register", 2},
    {"s_setreg of a hardware register", "s_setreg of the same register", 2},
    {"s_set_vskip", "s_getreg of MODE", 2},
    {"s_setreg that writes MODE.vskip", "a vector instruction", 2},
    {"a vector ALU write of VCC or EXEC", "a vector ALU read of VCCZ or EXECZ as an operand", 5},
    {"a vector ALU write of an SGPR or VCC", "v_readlane or v_writelane with it as lane select", 4},
    {"a vector ALU write of VCC", "v_div_fmas", 4},
    {"a store of more than 64 bits", "a vector ALU write of its data registers", 1},
    {"a vector ALU write of an SGPR", "a vector memory instruction that reads it", 5},
    {"a scalar ALU write of M0", "GDS, s_sendmsg or s_ttracedata", 1},
    {"a vector ALU write of a VGPR", "a DPP instruction that reads it", 2},
    {"a vector ALU write of EXEC", "a DPP instruction", 5},
    {"a vector ALU write of VCC by name", "a vector ALU read of it as a constant by its SGPR number", 1},
    {"s_setreg of TRAPSTS", "s_rfe", 1},
    {"a scalar ALU write of M0", "LDS add-TID, LDS=1 access, interpolation or LDS-direct", 1},
    {"a scalar ALU write of M0", "s_movrel", 1},
    {"a scalar ALU write of VCC by SGPR number (s_movreld)", "a branch on VCCZ", 1},
};

constexpr unsigned hw_mode = 1, hw_trapsts = 3;

bool is(const micro_op& m, std::initializer_list<op> list) {
  for (op o : list) if (m.inst.info->id == o) return true;
  return false;
}
bool setreg(const micro_op& m) { return is(m, {op::s_setreg_b32, op::s_setreg_imm32_b32}); }
unsigned hw_register(const micro_op& m) { return unsigned(m.inst.simm16) & 63; }
bool covers_vskip(const micro_op& m) {
  const unsigned offset = unsigned(m.inst.simm16) >> 6 & 31, size = (unsigned(m.inst.simm16) >> 11 & 31) + 1;
  return hw_register(m) == hw_mode && offset <= 28 && offset + size > 28;
}
bool movrel(const micro_op& m) { return is(m, {op::s_movrels_b32, op::s_movrels_b64, op::s_movreld_b32, op::s_movreld_b64}); }
int movrel_destination(const micro_op& m, const alu::wave_registers& r) {
  return is(m, {op::s_movreld_b32, op::s_movreld_b64}) ? int(m.inst.dst.code + r.m0()) : -1;
}

} // namespace

bool may_need_wait_states(const micro_op& m) {
  if (!m.inst.info) return false;
  if (m.unit == unit::salu || m.unit == unit::branch) return setreg(m) || movrel(m) || is(m, {op::s_getreg_b32, op::s_rfe_b64, op::s_rfe_restore_b64, op::s_cbranch_vccz, op::s_cbranch_vccnz});
  if (m.unit != unit::valu) return m.vector || m.control == control::sendmsg || m.control == control::ttracedata;
  if (m.inst.form == isa::form::dpp || m.reads_lds || is(m, {op::v_readlane_b32, op::v_writelane_b32, op::v_div_fmas_f32, op::v_div_fmas_f64})) return true;
  for (const auto& s : m.inst.src)
    if (s.code == isa::operand_code::vccz || s.code == isa::operand_code::execz || ((s.code == isa::operand_code::vcc_lo || s.code == isa::operand_code::vcc_hi) && s.type != isa::operand_type::mask)) return true;
  return false;
}

bool late_store_data(const micro_op& m) {
  const auto& i = m.inst;
  if (m.vdata_dwords <= 2 || (i.info->memory != isa::memory_kind::store && i.info->memory != isa::memory_kind::atomic)) return false;
  const bool buffer = i.encoding() == encoding::MUBUF || i.encoding() == encoding::MTBUF;
  return i.encoding() != encoding::MIMG && !(buffer && i.soffset.present() && i.soffset.is_sgpr_like()); // images: resources are 256 bits on GFX9
}

const wait_rule& rule_of(wait_row r) { return rules[unsigned(r)]; }

wait_state_checker::violation wait_state_checker::check(const micro_op& m, std::vector<finding>* all) const {
  violation v;
  const auto& i = m.inst;
  const auto breaks = [&](wait_row row, const mark& p) {
    if (!p.op || (v && !all)) return false;
    const unsigned need = rules[unsigned(row)].states, have = since(p);
    if (have >= need) return false;
    if (all) all->push_back({row, p.at});
    if (v) return false;
    v.row = row;
    v.missing = need - have;
    v.producer = p.op;
    return true;
  };
  if (m.unit == unit::salu || m.unit == unit::branch) {
    if (i.info->id == op::s_getreg_b32) {
      breaks(wait_row::setreg_getreg, last_setreg(hw_register(m) & 31));
      if (hw_register(m) == hw_mode) breaks(wait_row::vskip_getreg_mode, vskip_);
    } else if (setreg(m)) {
      breaks(wait_row::setreg_setreg, last_setreg(hw_register(m) & 31));
    } else if (is(m, {op::s_rfe_b64, op::s_rfe_restore_b64})) {
      breaks(wait_row::trapsts_rfe, last_setreg(hw_trapsts));
    } else if (movrel(m)) {
      breaks(wait_row::m0_movrel, m0_);
    } else if (is(m, {op::s_cbranch_vccz, op::s_cbranch_vccnz})) {
      breaks(wait_row::movrel_vcc_vccz, movrel_vcc_);
    }
    return v;
  }
  if (m.vector) breaks(wait_row::setreg_vskip_vector, setreg_vskip_);
  if (m.unit == unit::gds || m.control == control::sendmsg || m.control == control::ttracedata) breaks(wait_row::m0_gds_message, m0_);
  const bool lds_access = is(m, {op::ds_read_addtid_b32, op::ds_write_addtid_b32}) || i.info->memory == isa::memory_kind::store_lds ||
                          (i.lds && (m.unit == unit::vmem)) || (m.unit == unit::valu && m.reads_lds);
  if (lds_access) breaks(wait_row::m0_lds_access, m0_);
  if (m.unit == unit::vmem || m.unit == unit::flat) {
    for (unsigned d = history; d-- > 0;) {
      const mark w = recent(d);
      if (w.op && w.op->sgpr_writes.meets(m.sgpr_reads) && breaks(wait_row::valu_sgpr_vmem, w)) v.sgpr = w.op->sgpr_writes.first_common(m.sgpr_reads);
    }
    return v;
  }
  if (m.unit != unit::valu) return v;
  if (wide_store_.op && wide_store_data_.meets(m.vgpr_writes) && breaks(wait_row::wide_store_data, wide_store_)) v.vgpr = wide_store_data_.first_common(m.vgpr_writes);
  const bool lane = is(m, {op::v_readlane_b32, op::v_writelane_b32}), fmas = is(m, {op::v_div_fmas_f32, op::v_div_fmas_f64}), dpp = i.form == isa::form::dpp;
  bool reads_z = false, reads_vcc_constant = false;
  for (const auto& s : i.src) {
    if (!s.present()) continue;
    reads_z |= s.code == isa::operand_code::vccz || s.code == isa::operand_code::execz;
    reads_vcc_constant |= (s.code == isa::operand_code::vcc_lo || s.code == isa::operand_code::vcc_hi) && s.type != isa::operand_type::mask;
  }
  if (reads_vcc_constant && vcc_alias_) breaks(wait_row::vcc_alias, vcc_by_name_);
  if (!lane && !fmas && !dpp && !reads_z) return v;
  for (unsigned d = history; d-- > 0;) {
    const mark w = recent(d);
    if (!w.op) continue;
    const sgpr_set& sgprs = w.op->sgpr_writes;
    if (reads_z && (sgprs.has(106) || sgprs.has(126))) breaks(wait_row::valu_vcc_exec_z, w);
    if (lane && i.src[1].is_sgpr_like() && sgprs.has(i.src[1].code) && breaks(wait_row::valu_sgpr_lane_select, w)) v.sgpr = i.src[1].code;
    if (fmas && sgprs.has(106)) breaks(wait_row::valu_vcc_div_fmas, w);
    if (dpp) {
      vgpr_set source;
      if (i.src[0].is_vgpr()) source.add(i.src[0].vgpr(), isa::dwords_of(i.src[0].type));
      if (w.op->vgpr_writes.meets(source) && breaks(wait_row::valu_vgpr_dpp, w)) v.vgpr = w.op->vgpr_writes.first_common(source);
      if (sgprs.has(126)) breaks(wait_row::valu_exec_dpp, w);
    }
  }
  return v;
}

void wait_state_checker::issued(const micro_op& m, const alu::wave_registers& r) {
  const auto& i = m.inst;
  const mark here{now_ + 1, &m}; // distance 0 for the instruction right behind
  if (m.control == control::nop) { pass((unsigned(i.simm16) & 7) + 1); return; }
  pass(1);
  if (m.unit == unit::valu) {
    recent_[place_] = &m;
    valu_ |= 1;
    if (i.encoding() != encoding::VOP3 && m.sgpr_writes.has(106)) vcc_by_name_ = here;
  } else if (m.unit == unit::salu) {
    if (setreg(m)) {
      if (!setreg_) setreg_.reset(new mark[32]);
      setreg_[hw_register(m) & 31] = here;
      if (covers_vskip(m)) { setreg_vskip_ = here; vector_until_ = here.at + 2; }
    } else if (i.info->id == op::s_setvskip) {
      vskip_ = here;
    }
    const int movrel_dst = movrel_destination(m, r);
    if (m.sgpr_writes.has(124)) { m0_ = here; }
    if (movrel_dst == 106 || movrel_dst == 107) { movrel_vcc_ = here; }
  } else if (m.unit == unit::branch) {
    if (is(m, {op::s_setpc_b64, op::s_swappc_b64, op::s_call_b64})) pass(call_states - 1);
  } else if (m.unit == unit::vmem || m.unit == unit::flat) {
    if (late_store_data(m)) {
      wide_store_ = here;
      vector_until_ = std::max(vector_until_, here.at + 1);
      wide_store_data_ = vgpr_set{};
      wide_store_data_.add(i.vdata.vgpr(), m.vdata_dwords);
    }
  }
}

} // namespace lyra::compute_unit
