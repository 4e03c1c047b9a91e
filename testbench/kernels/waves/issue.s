// SPDX-License-Identifier: Apache-2.0
// Eight waves, two on each SIMD: vector, scalar, LDS, memory instructions and branches that compete for their slots.
.text
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 1.0
  s_movk_i32 s8, 6
loop:
  ds_write_b32 v1, v2
  global_load_dword v3, v1, s[2:3]
  v_add_f32_e32 v4, v2, v2
  s_add_u32 s9, s9, s8
  v_mul_f32_e32 v5, v4, v2
  v_rcp_f32_e32 v6, v5
  s_lshl_b32 s10, s9, 2
  ds_read_b32 v7, v1
  v_add_f32_e32 v4, v4, v5
  v_add_f32_e32 v4, v4, v6
  s_waitcnt lgkmcnt(0)
  v_add_f32_e32 v2, v7, v4
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
  s_waitcnt vmcnt(0)
  s_endpgm
