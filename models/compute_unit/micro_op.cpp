// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/micro_op.h"
#include "isa/image_operation.h"
#include <algorithm>
#include <cstring>

namespace lyra::compute_unit {

using isa::encoding;
using isa::memory_kind;
using isa::op;
using isa::operand;
using isa::operand_type;

namespace {

void read_operand(micro_op& m, const operand& o, unsigned dwords = 0) {
  if (!o.present()) return;
  const unsigned n = dwords ? dwords : std::max(1u, isa::dwords_of(o.type));
  if (o.is_vgpr()) m.vgpr_reads.add(o.vgpr(), n);
  else if (o.is_sgpr_like()) m.sgpr_reads.add(o.code, n);
}
void write_operand(micro_op& m, const operand& o, unsigned dwords = 0) {
  if (!o.present()) return;
  const unsigned n = dwords ? dwords : std::max(1u, isa::dwords_of(o.type));
  if (o.is_vgpr()) m.vgpr_writes.add(o.vgpr(), n);
  else if (o.is_sgpr_like()) m.sgpr_writes.add(o.code, n);
}

void alu_registers(micro_op& m) {
  const auto& i = m.inst;
  for (const auto& s : i.src) read_operand(m, s);
  write_operand(m, i.dst);
  write_operand(m, i.sdst);
  if (i.has(isa::DST_IS_SRC)) read_operand(m, i.dst);
  if (i.op() == op::v_swap_b32) { write_operand(m, i.src[0]); read_operand(m, i.dst); }
  if (i.has(isa::READS_VCC)) m.sgpr_reads.add(106, 2);
  if (i.has(isa::WRITES_VCC) && !i.sdst.present()) m.sgpr_writes.add(106, 2);
  if (i.has(isa::WRITES_EXEC)) m.sgpr_writes.add(126, 2);
  if (i.has(isa::READS_M0)) m.sgpr_reads.add(124, 1);
  if (i.form == isa::form::sdwa && i.dst_unused == 2) read_operand(m, i.dst);
}

unsigned ds_vaddr(const isa::instruction& i) { return i.vaddr.present() ? 1 : 0; }

control control_of(op o) {
  switch (o) {
    case op::s_waitcnt: return control::waitcnt;
    case op::s_nop: return control::nop;
    case op::s_sleep: return control::sleep;
    case op::s_barrier: return control::barrier;
    case op::s_endpgm: case op::s_endpgm_saved: case op::s_endpgm_ordered_ps_done: return control::endpgm;
    case op::s_sethalt: return control::sethalt;
    case op::s_setprio: return control::setprio;
    case op::s_sendmsg: case op::s_sendmsghalt: return control::sendmsg;
    case op::s_trap: return control::trap;
    case op::s_icache_inv: return control::icache_inv;
    case op::s_ttracedata: return control::ttracedata;
    case op::s_wakeup: return control::wakeup;
    case op::s_incperflevel: case op::s_decperflevel: return control::perf_level;
    case op::s_setkill: return control::setkill;
    default: return control::none;
  }
}

void smem(micro_op& m) {
  auto& i = m.inst;
  m.unit = unit::smem;
  const bool buffer = std::strncmp(i.info->name, "s_buffer", 8) == 0 || i.op() == op::s_atc_probe_buffer;
  if (i.info->memory != memory_kind::time && i.srsrc.present()) m.sgpr_reads.add(i.srsrc.code, buffer ? 4 : 2);
  if (i.saddr.present()) m.sgpr_reads.add(i.saddr.code, 1);
  m.vdata_dwords = i.info->data_dwords;
  if (i.info->data_dwords) m.sgpr_reads.add(i.vdata.code, i.info->data_dwords);
  m.returns = i.info->memory == memory_kind::load || i.info->memory == memory_kind::time || (i.info->memory == memory_kind::atomic && i.glc);
  m.result_dwords = m.returns ? i.info->result_dwords : 0;
  if (m.returns) m.sgpr_writes.add(i.vdata.code, m.result_dwords);
}

void vector_memory(micro_op& m) {
  auto& i = m.inst;
  const auto kind = i.info->memory;
  const encoding e = i.encoding();
  m.unit = e == encoding::FLAT ? unit::flat : unit::vmem;
  m.vector = true;
  if (kind == memory_kind::cache) return; // BUFFER_WBINVL1
  unsigned data = i.info->data_dwords, result = i.info->result_dwords, address = 0;
  switch (e) {
    case encoding::FLAT: address = 2; break;
    case encoding::GLOBAL: address = i.saddr.present() ? 1 : 2; break;
    case encoding::SCRATCH: address = i.saddr.present() ? 0 : 1; break;
    case encoding::MUBUF: case encoding::MTBUF: address = unsigned(i.idxen) + unsigned(i.offen); break;
    case encoding::MIMG:
      address = 1; // and more: the T# decides when the instruction issues
      data = isa::image_data_dwords(i);
      result = isa::image_result_dwords(i);
      break;
    default: break;
  }
  m.returns = kind == memory_kind::load || kind == memory_kind::sample || kind == memory_kind::gather || kind == memory_kind::query || (kind == memory_kind::atomic && i.glc);
  if (i.lds && m.returns) { m.returns = false; result = 0; } // data goes to LDS
  if (!m.returns) result = 0;
  if ((i.tfe || i.lwe) && m.returns && e != encoding::MIMG) ++result; // residency
  m.vaddr_dwords = uint8_t(address);
  m.vdata_dwords = uint8_t(data);
  m.result_dwords = uint8_t(result);
  if (address) m.vgpr_reads.add(i.vaddr.vgpr(), address);
  if (data) m.vgpr_reads.add(i.vdata.vgpr(), data);
  if (result) m.vgpr_writes.add(i.result().vgpr(), result);
  if (i.srsrc.present()) m.sgpr_reads.add(i.srsrc.code, e == encoding::MIMG ? 8 : 4);
  if (i.ssamp.present()) m.sgpr_reads.add(i.ssamp.code, 4);
  if (i.soffset.present() && i.soffset.is_sgpr_like()) m.sgpr_reads.add(i.soffset.code, 1);
  if (i.saddr.present()) m.sgpr_reads.add(i.saddr.code, e == encoding::SCRATCH ? 1 : 2);
  if (i.lds || kind == memory_kind::store_lds) m.sgpr_reads.add(124, 1);
  if (e == encoding::FLAT || e == encoding::SCRATCH) m.sgpr_reads.add(102, 2);
}

void ds(micro_op& m) {
  auto& i = m.inst;
  m.unit = i.gds ? unit::gds : unit::lds;
  m.vector = true;
  m.vaddr_dwords = uint8_t(ds_vaddr(i));
  if (m.vaddr_dwords) m.vgpr_reads.add(i.vaddr.vgpr(), 1);
  unsigned data = 0;
  if (i.vdata.present()) { const unsigned n = std::max(1u, isa::dwords_of(i.vdata.type)); m.vgpr_reads.add(i.vdata.vgpr(), n); data += n; }
  if (i.vdata2.present()) { const unsigned n = std::max(1u, isa::dwords_of(i.vdata2.type)); m.vgpr_reads.add(i.vdata2.vgpr(), n); data += n; }
  m.vdata_dwords = uint8_t(data);
  m.returns = i.dst.present();
  m.result_dwords = m.returns ? i.info->result_dwords : 0;
  if (m.returns) m.vgpr_writes.add(i.dst.vgpr(), m.result_dwords);
  if (i.has(isa::READS_M0) || i.gds) m.sgpr_reads.add(124, 1);
}

} // namespace

static void fill_micro_op(micro_op& m, const uint32_t* words, unsigned available, isa::target chip) {
  auto d = isa::decode(words, available, chip);
  m = micro_op{};
  if (!d) {
    m.error = d.error;
    m.inst.words[0] = available ? words[0] : 0;
    return;
  }
  m.inst = d.inst;
  auto& i = m.inst;
  m.control = control_of(i.op());
  m.execute = alu::bind(i, chip);
  m.execute_recording = alu::bind_recording(i);
  switch (i.encoding()) {
    case encoding::SMEM: smem(m); return;
    case encoding::DS: ds(m); return;
    case encoding::FLAT: case encoding::GLOBAL: case encoding::SCRATCH: case encoding::MUBUF: case encoding::MTBUF: case encoding::MIMG: vector_memory(m); return;
    case encoding::EXP:
      m.unit = unit::exports;
      m.vector = true;
      for (unsigned k = 0; k < 4; ++k)
        if (i.exp_en >> k & 1) {
          const operand& o = k == 0 ? i.src[0] : k == 1 ? i.src[1] : k == 2 ? i.src[2] : i.vdata;
          if (o.is_vgpr()) m.vgpr_reads.add(o.vgpr(), 1);
        }
      return;
    case encoding::SOPP:
      if (m.control != control::none) {
        const bool message = m.control == control::sendmsg || m.control == control::ttracedata || m.control == control::trap || m.control == control::icache_inv;
        m.unit = message ? unit::message : unit::internal;
        if (m.control == control::sendmsg || m.control == control::ttracedata) m.sgpr_reads.add(124, 1);
      } else if (i.op() == op::s_set_gpr_idx_off || i.op() == op::s_set_gpr_idx_mode) {
        m.unit = unit::salu;
        m.cost = alu::cost_class::scalar;
      } else {
        m.unit = unit::branch;
        m.cost = alu::cost_class::branch;
        if (i.has(isa::READS_VCC)) m.sgpr_reads.add(106, 2);
        if (i.op() == op::s_cbranch_execz || i.op() == op::s_cbranch_execnz) m.sgpr_reads.add(126, 2);
        m.reads_vcc_scc_exec_z = m.sgpr_reads.any();
      }
      break;
    case encoding::SOP1: case encoding::SOP2: case encoding::SOPK: case encoding::SOPC:
      m.unit = i.has(isa::BRANCH) ? unit::branch : unit::salu;
      m.cost = alu::cost_of(i);
      alu_registers(m);
      if (m.unit == unit::branch) m.sgpr_reads.add(126, i.op() == op::s_cbranch_g_fork || i.op() == op::s_cbranch_i_fork ? 2 : 0);
      break;
    default:
      m.unit = unit::valu;
      m.vector = true;
      m.cost = alu::cost_of(i);
      alu_registers(m);
      m.crosses_lanes = i.form == isa::form::dpp || i.op() == op::v_readlane_b32 || i.op() == op::v_readfirstlane_b32 || i.op() == op::v_writelane_b32;
      break;
  }
  if (!m.execute && m.control == control::none) {
    m.unit = unit::illegal;
    m.error = std::string(i.info->name) + " is decoded, but cannot be executed in a compute wave";
  }
}

void make_micro_op(micro_op& m, const uint32_t* words, unsigned available, isa::target chip) {
  fill_micro_op(m, words, available, chip);
  for (unsigned k = 4; k-- > 0;)
    if (const uint64_t b = m.vgpr_reads.bits[k] | m.vgpr_writes.bits[k]) { m.vgpr_end = uint16_t(64 * k + 64 - unsigned(__builtin_clzll(b))); break; }
  const uint64_t below_102 = (uint64_t(1) << (102 - 64)) - 1;
  if (const uint64_t b = (m.sgpr_reads.bits[1] | m.sgpr_writes.bits[1]) & below_102) m.sgpr_end = uint8_t(128 - __builtin_clzll(b));
  else if (const uint64_t c = m.sgpr_reads.bits[0] | m.sgpr_writes.bits[0]) m.sgpr_end = uint8_t(64 - __builtin_clzll(c));
  if (m.sgpr_writes.bits[1] >> (108 - 64) & 0xffff) m.sgpr_end = 255; // TTMP
  if (m.inst.info && m.unit == unit::valu) {
    m.reads_lds = m.inst.encoding() == encoding::VINTRP || std::strncmp(m.inst.info->name, "v_interp", 8) == 0;
    for (const auto& s : m.inst.src) m.reads_lds |= s.code == isa::operand_code::lds_direct;
    if (m.reads_lds) m.sgpr_end = 255; // not on the fast path
  }
  if (m.inst.info) switch (m.inst.op()) {
    case op::s_movrels_b32: case op::s_movrels_b64: case op::s_movreld_b32: case op::s_movreld_b64: m.sgpr_end = 255; break; // what they name depends on M0
    default: break;
  }
}

} // namespace lyra::compute_unit
