// SPDX-License-Identifier: Apache-2.0
#include "alu/float_exception_rows.h"
#include "isa/instruction.h"
#include <cstring>
#include <initializer_list>

namespace lyra::alu::exception_rows {

using isa::op;

namespace {

struct table {
  row rows[unsigned(op::count)];
  void set(what w, format f, uint8_t n, std::initializer_list<op> ids) {
    for (op id : ids) rows[unsigned(id)] = {w, f, n};
  }
  table() {
    const format h = format::f16, s = format::f32, d = format::f64;
    set(what::add, h, 2, {op::v_add_f16, op::v_pk_add_f16});
    set(what::sub, h, 2, {op::v_sub_f16});
    set(what::mul, h, 2, {op::v_mul_f16, op::v_pk_mul_f16});
    set(what::fma, h, 3, {op::v_fma_f16, op::v_fma_legacy_f16, op::v_pk_fma_f16});
    set(what::mad, h, 3, {op::v_mad_f16, op::v_mac_f16, op::v_madmk_f16, op::v_madak_f16, op::v_mad_legacy_f16});
    set(what::add, s, 2, {op::v_add_f32});
    set(what::sub, s, 2, {op::v_sub_f32});
    set(what::mul, s, 2, {op::v_mul_f32});
    set(what::mul_legacy, s, 2, {op::v_mul_legacy_f32});
    set(what::mad, s, 3, {op::v_mad_f32, op::v_mac_f32, op::v_madmk_f32, op::v_madak_f32, op::v_mad_mix_f32, op::v_mad_mixlo_f16, op::v_mad_mixhi_f16, op::v_interp_p1_f32, op::v_interp_p2_f32, op::v_interp_p1ll_f16,
                            op::v_interp_p1lv_f16, op::v_interp_p2_f16, op::v_interp_p2_legacy_f16});
    set(what::mad_legacy, s, 3, {op::v_mad_legacy_f32});
    set(what::fma, s, 3, {op::v_fma_f32, op::v_fmac_f32, op::v_fma_mix_f32, op::v_fma_mixlo_f16, op::v_fma_mixhi_f16});
    set(what::dot2, s, 3, {op::v_dot2_f32_f16});
    set(what::add, d, 2, {op::v_add_f64});
    set(what::mul, d, 2, {op::v_mul_f64});
    set(what::fma, d, 3, {op::v_fma_f64});
    set(what::sub, h, 2, {op::v_subrev_f16});
    set(what::sub, s, 2, {op::v_subrev_f32});
    set(what::choose, h, 2, {op::v_min_f16, op::v_max_f16, op::v_pk_min_f16, op::v_pk_max_f16});
    set(what::choose, s, 2, {op::v_min_f32, op::v_max_f32});
    set(what::choose, d, 2, {op::v_min_f64, op::v_max_f64});
    set(what::choose, h, 3, {op::v_min3_f16, op::v_max3_f16, op::v_med3_f16});
    set(what::choose, s, 3, {op::v_min3_f32, op::v_max3_f32, op::v_med3_f32, op::v_cubeid_f32, op::v_cubesc_f32, op::v_cubetc_f32});
    set(what::doubled, s, 3, {op::v_cubema_f32});
    set(what::choose, h, 1, {op::v_trunc_f16, op::v_ceil_f16, op::v_floor_f16, op::v_rndne_f16, op::v_frexp_mant_f16, op::v_frexp_exp_i16_f16, op::v_cvt_f32_f16});
    set(what::choose, s, 1, {op::v_trunc_f32, op::v_ceil_f32, op::v_floor_f32, op::v_rndne_f32, op::v_frexp_mant_f32, op::v_frexp_exp_i32_f32, op::v_cvt_f64_f32});
    set(what::choose, d, 1, {op::v_trunc_f64, op::v_ceil_f64, op::v_floor_f64, op::v_rndne_f64, op::v_frexp_mant_f64, op::v_frexp_exp_i32_f64});
    set(what::fract, h, 1, {op::v_fract_f16});
    set(what::fract, s, 1, {op::v_fract_f32});
    set(what::fract, d, 1, {op::v_fract_f64});
    set(what::ldexp, h, 1, {op::v_ldexp_f16});
    set(what::ldexp, s, 1, {op::v_ldexp_f32});
    set(what::ldexp, d, 1, {op::v_ldexp_f64});
    set(what::rcp, h, 1, {op::v_rcp_f16});
    set(what::rcp, s, 1, {op::v_rcp_f32});
    set(what::rcp, d, 1, {op::v_rcp_f64});
    set(what::rcp_iflag, s, 1, {op::v_rcp_iflag_f32});
    set(what::sqrt, h, 1, {op::v_sqrt_f16});
    set(what::sqrt, s, 1, {op::v_sqrt_f32});
    set(what::sqrt, d, 1, {op::v_sqrt_f64});
    set(what::rsq, h, 1, {op::v_rsq_f16});
    set(what::rsq, s, 1, {op::v_rsq_f32});
    set(what::rsq, d, 1, {op::v_rsq_f64});
    set(what::exp, h, 1, {op::v_exp_f16});
    set(what::exp, s, 1, {op::v_exp_f32, op::v_exp_legacy_f32});
    set(what::log, h, 1, {op::v_log_f16});
    set(what::log, s, 1, {op::v_log_f32, op::v_log_legacy_f32});
    set(what::turn, h, 1, {op::v_sin_f16, op::v_cos_f16});
    set(what::turn, s, 1, {op::v_sin_f32, op::v_cos_f32});
    set(what::to_i32, s, 1, {op::v_cvt_i32_f32});
    set(what::to_u32, s, 1, {op::v_cvt_u32_f32});
    set(what::to_i32_floor, s, 1, {op::v_cvt_flr_i32_f32});
    set(what::to_i32_round, s, 1, {op::v_cvt_rpi_i32_f32});
    set(what::to_i32, d, 1, {op::v_cvt_i32_f64});
    set(what::to_u32, d, 1, {op::v_cvt_u32_f64});
    set(what::to_i16, h, 1, {op::v_cvt_i16_f16});
    set(what::to_u16, h, 1, {op::v_cvt_u16_f16});
    set(what::norm_signed, h, 1, {op::v_cvt_norm_i16_f16});
    set(what::norm_unsigned, h, 1, {op::v_cvt_norm_u16_f16});
    set(what::norm_signed, h, 2, {op::v_cvt_pknorm_i16_f16});
    set(what::norm_unsigned, h, 2, {op::v_cvt_pknorm_u16_f16});
    set(what::norm_signed, s, 2, {op::v_cvt_pknorm_i16_f32});
    set(what::norm_unsigned, s, 2, {op::v_cvt_pknorm_u16_f32});
    set(what::from_i32, s, 0, {op::v_cvt_f32_i32});
    set(what::from_u32, s, 0, {op::v_cvt_f32_u32});
    set(what::from_i16, h, 0, {op::v_cvt_f16_i16});
    set(what::from_u16, h, 0, {op::v_cvt_f16_u16});
    set(what::to_f16, s, 1, {op::v_cvt_f16_f32});
    set(what::to_f32, d, 1, {op::v_cvt_f32_f64});
    set(what::pkrtz, s, 2, {op::v_cvt_pkrtz_f16_f32});
    set(what::pk_u8, s, 1, {op::v_cvt_pk_u8_f32, op::v_cvt_pkaccum_u8_f32});
    set(what::fixup, h, 3, {op::v_div_fixup_f16, op::v_div_fixup_legacy_f16});
    set(what::fixup, s, 3, {op::v_div_fixup_f32});
    set(what::fixup, d, 3, {op::v_div_fixup_f64});
    set(what::fmas, s, 3, {op::v_div_fmas_f32});
    set(what::fmas, d, 3, {op::v_div_fmas_f64});
    unsigned count;
    const isa::opcode_info* list = isa::opcode_table(count);
    for (unsigned k = 0; k < count; ++k) { // comparisons of floating values; V_CMP_CLASS only looks
      const isa::opcode_info& i = list[k];
      if (i.encoding != isa::encoding::VOPC || std::strstr(i.name, "_class_")) continue;
      const char* type = i.name + std::strlen(i.name) - 4;
      if (!std::strcmp(type, "_f16")) rows[unsigned(i.id)] = {what::choose, h, 2};
      if (!std::strcmp(type, "_f32")) rows[unsigned(i.id)] = {what::choose, s, 2};
      if (!std::strcmp(type, "_f64")) rows[unsigned(i.id)] = {what::choose, d, 2};
    }
  }
};

} // namespace

const row& row_of(op id) {
  static const table t;
  return t.rows[unsigned(id)];
}

} // namespace lyra::alu::exception_rows
