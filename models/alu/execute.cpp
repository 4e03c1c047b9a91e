// SPDX-License-Identifier: Apache-2.0
// Chooses the handler of an instruction and its cost class.
#include "alu/execute.h"
#include "alu/float_exceptions.h"
#include "alu/scalar_model.h"

namespace lyra::alu {

namespace baseline {
handler bind_vector(const isa::instruction& i);
void execute_recording(wave_registers& w, const isa::instruction& i);
}
#ifdef LYRA_ALU_HAS_AVX2
namespace avx2 {
handler bind_vector(const isa::instruction& i);
void execute_recording(wave_registers& w, const isa::instruction& i);
}
#endif

namespace {

bool host_has_avx2() {
#ifdef LYRA_ALU_HAS_AVX2
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return has;
#else
  return false;
#endif
}

bool use_baseline = false;

struct scalar_table {
  handler handlers[unsigned(isa::op::count)] = {};
  scalar_table() {
    for (const scalar_rows& list : {scalar_alu_rows(), scalar_control_rows()})
      for (unsigned k = 0; k < list.count; ++k) handlers[unsigned(list.first[k].id)] = list.first[k].execute;
  }
};

} // namespace

void force_baseline(bool on) { use_baseline = on; }

const char* host_vector_level() { return host_has_avx2() && !use_baseline ? "avx2" : "baseline"; }

handler bind(const isa::instruction& i, isa::target) {
  if (!i.info) return nullptr;
  switch (i.encoding()) {
    case isa::encoding::SOP1: case isa::encoding::SOP2: case isa::encoding::SOPK: case isa::encoding::SOPC: case isa::encoding::SOPP: {
      static const scalar_table table;
      return table.handlers[unsigned(i.op())];
    }
    case isa::encoding::VOP1: case isa::encoding::VOP2: case isa::encoding::VOPC: case isa::encoding::VOP3: case isa::encoding::VOP3P:
    case isa::encoding::VINTRP:
#ifdef LYRA_ALU_HAS_AVX2
      if (host_has_avx2() && !use_baseline) return avx2::bind_vector(i);
#endif
      return baseline::bind_vector(i);
    default: return nullptr;
  }
}

handler bind_recording(const isa::instruction& i) {
  if (!i.info || !raises_exceptions(i.op())) return nullptr;
#ifdef LYRA_ALU_HAS_AVX2
  if (host_has_avx2() && !use_baseline) return avx2::execute_recording;
#endif
  return baseline::execute_recording;
}

cost_class cost_of(const isa::instruction& i) {
  using isa::op;
  const op id = i.op();
  switch (i.encoding()) {
    case isa::encoding::SOPP: return i.has(isa::BRANCH) ? cost_class::branch : cost_class::scalar;
    case isa::encoding::SOP1: case isa::encoding::SOP2: case isa::encoding::SOPK: case isa::encoding::SOPC:
      switch (id) {
        case op::s_setreg_b32: case op::s_setreg_imm32_b32: return cost_class::scalar_setreg;
        case op::s_cbranch_g_fork: case op::s_cbranch_i_fork: case op::s_cbranch_join: case op::s_rfe_b64: case op::s_rfe_restore_b64: return cost_class::branch;
        default: break;
      }
      if (i.has(isa::BRANCH)) return cost_class::branch;
      return i.has(isa::WRITES_EXEC) ? cost_class::scalar_saveexec : cost_class::scalar;
    case isa::encoding::VOP1: case isa::encoding::VOP2: case isa::encoding::VOPC: case isa::encoding::VOP3: case isa::encoding::VOP3P: case isa::encoding::VINTRP:
      break;
    default: return cost_class::scalar;
  }
  switch (id) {
    case op::v_swap_b32: return cost_class::vector_swap;
    case op::v_mul_lo_u32: return cost_class::vector_mul_lo;
    case op::v_exp_f32: case op::v_log_f32: case op::v_rcp_f32: case op::v_rcp_iflag_f32: case op::v_rsq_f32: case op::v_sqrt_f32: case op::v_sin_f32:
    case op::v_cos_f32: case op::v_rcp_f16: case op::v_sqrt_f16: case op::v_rsq_f16: case op::v_log_f16: case op::v_exp_f16: case op::v_sin_f16:
    case op::v_cos_f16: case op::v_exp_legacy_f32: case op::v_log_legacy_f32: case op::v_mul_hi_u32: case op::v_mul_hi_i32:
    case op::v_mad_u64_u32: case op::v_mad_i64_i32: case op::v_div_scale_f32: case op::v_div_fmas_f32: case op::v_div_fixup_f32:
    case op::v_qsad_pk_u16_u8: case op::v_mqsad_pk_u16_u8: case op::v_mqsad_u32_u8:
      return cost_class::vector_quarter;
    case op::v_mul_f64: case op::v_fma_f64: case op::v_rcp_f64: case op::v_rsq_f64: case op::v_sqrt_f64: case op::v_div_scale_f64: case op::v_div_fmas_f64:
    case op::v_div_fixup_f64: case op::v_trig_preop_f64:
      return cost_class::vector_f64_mul;
    case op::v_lshlrev_b64: case op::v_lshrrev_b64: case op::v_ashrrev_i64: return cost_class::vector_f64_add;
    default: break;
  }
  const isa::opcode_info& info = *i.info;
  bool wide = info.dst == isa::operand_type::f64 || info.dst == isa::operand_type::i64 || info.dst == isa::operand_type::b64;
  for (isa::operand_type t : info.src) wide |= t == isa::operand_type::f64 || t == isa::operand_type::i64;
  return wide ? cost_class::vector_f64_add : cost_class::vector_full;
}

} // namespace lyra::alu
