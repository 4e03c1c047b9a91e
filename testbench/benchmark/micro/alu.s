// SPDX-License-Identifier: Apache-2.0
// Rates and dependences of the vector and scalar ALUs, branches.
rate valu_add_f32, 256, 24, v_add_f32 v8, v4, v5
rate valu_dependent, 256, 24, v_add_f32 v8, v8, v5
rate valu_literal, 256, 24, v_add_f32 v8, 0x40490fdb, v5
entry valu_exec_zero, 256, 24
  prologue
  s_mov_b64 exec, 0
  start_clock
  open_loop
  .rept 256
  v_add_f32 v8, v5, v6
  .endr
  close_loop
  stop_clock
rate valu_fma_f32, 256, 24, v_fma_f32 v8, v4, v5, v6
rate valu_pk_fma_f16, 256, 24, v_pk_fma_f16 v8, v4, v5, v6
rate valu_exp_f32, 64, 24, v_exp_f32 v8, v4
rate valu_rcp_f32, 64, 24, v_rcp_f32 v8, v4
rate valu_rsq_f32, 64, 24, v_rsq_f32 v8, v4
rate valu_sin_f32, 64, 24, v_sin_f32 v8, v4
rate valu_sqrt_f16, 64, 24, v_sqrt_f16 v8, v4
rate valu_mul_lo_u32, 64, 24, v_mul_lo_u32 v8, v4, v5
rate valu_mul_hi_u32, 64, 24, v_mul_hi_u32 v8, v4, v5
rate valu_mad_u64_u32, 64, 24, v_mad_u64_u32 v[8:9], vcc, v4, v5, v[6:7]
rate valu_div_scale_f32, 64, 24, v_div_scale_f32 v8, vcc, v4, v5, v6
rate valu_div_fmas_f32, 64, 24, v_div_fmas_f32 v8, v4, v5, v6
rate valu_div_fixup_f32, 64, 24, v_div_fixup_f32 v8, v4, v5, v6
rate valu_qsad, 64, 24, v_qsad_pk_u16_u8 v[8:9], v[4:5], v6, v[6:7]
rate valu_mqsad, 64, 24, v_mqsad_pk_u16_u8 v[8:9], v[4:5], v6, v[6:7]
rate valu_mul_u24, 256, 24, v_mul_u32_u24 v8, v4, v5
rate valu_mad_u24, 256, 24, v_mad_u32_u24 v8, v4, v5, v6
.macro multiply_add
  v_mul_lo_u32 v8, v8, v5
  v_add_u32 v8, v8, v6
.endm
rate_of valu_int_pair, 64, 64, 24, multiply_add
rate valu_add_f64, 128, 24, v_add_f64 v[8:9], v[4:5], v[6:7]
rate valu_cvt_f64, 128, 24, v_cvt_f64_f32 v[8:9], v4
rate valu_cmp_f64, 128, 24, v_cmp_lt_f64 vcc, v[4:5], v[6:7]
rate valu_max_f64, 128, 24, v_max_f64 v[8:9], v[4:5], v[6:7]
rate valu_lshl_b64, 128, 24, v_lshlrev_b64 v[8:9], 3, v[4:5]
rate valu_mul_f64, 128, 24, v_mul_f64 v[8:9], v[4:5], v[6:7]
rate valu_fma_f64, 128, 24, v_fma_f64 v[8:9], v[4:5], v[6:7], v[6:7]
rate valu_rcp_f64, 128, 24, v_rcp_f64 v[8:9], v[4:5]
rate valu_swap, 64, 24, v_swap_b32 v8, v9
rate valu_dpp, 256, 24, v_mov_b32_dpp v8, v4 row_shr:1
rate salu_add, 256, 24, s_add_u32 s40, s41, s42
rate salu_dependent, 256, 24, s_add_u32 s40, s40, s42
rate salu_saveexec, 256, 24, s_or_saveexec_b64 s[40:41], exec
rate salu_setreg, 256, 24, s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
rate branch_not_taken, 256, 24, s_cbranch_execz 0
.macro jump_over
  s_branch 1
  s_nop 0
.endm
rate_of branch_taken, 64, 64, 24, jump_over
.macro flag_then_branch
  s_cmp_eq_u32 s40, s41
  s_cbranch_scc0 0
.endm
.macro flag_then_other
  s_cmp_eq_u32 s40, s41
  s_mov_b32 s43, 0
.endm
rate_of branch_after_flag, 64, 64, 24, flag_then_branch
rate_of other_after_flag, 64, 64, 24, flag_then_other
.macro vector_to_scalar
  v_readfirstlane_b32 s40, v4
  s_mov_b32 s41, s40
.endm
.macro vector_then_scalar
  v_readfirstlane_b32 s40, v4
  s_mov_b32 s41, s42
.endm
rate_of valu_to_salu, 64, 64, 24, vector_to_scalar
rate_of valu_and_salu, 64, 64, 24, vector_then_scalar
rate salu_of_pair, 64, 24, s_mov_b32 s41, s42
rate control_nop_1, 256, 24, s_nop 0
rate control_nop_8, 64, 24, s_nop 7
rate control_sleep_1, 16, 24, s_sleep 1
rate control_sleep_15, 16, 24, s_sleep 15
// vector instructions under VSKIP; `one_simd`: of the waves of SIMD 0 alone (the first of each group of four), whose buffers then stay full
.macro skip name, one_simd
  entry \name, 256, 24
  prologue
  .if \one_simd
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 4f
  .endif
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
  s_nop 4
  start_clock
  open_loop
  .rept 256
  v_add_f32 v8, v4, v5
  .endr
  close_loop
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0
  s_nop 4
  stop_clock
4:
  s_endpgm
.endm
skip skip_vector, 0
skip skip_vector_simd, 1
