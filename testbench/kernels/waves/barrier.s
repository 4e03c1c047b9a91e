// SPDX-License-Identifier: Apache-2.0
// Four waves of a workgroup come to s_barrier one after the other, write and read each other's LDS; two workgroups.
.text
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v2, 0x100, v1
  v_readfirstlane_b32 s8, v0
  s_lshr_b32 s8, s8, 6
  s_movk_i32 s20, 3
loop:
  s_mov_b32 s9, s8
work:
  v_rcp_f32_e32 v3, v0
  s_sub_u32 s9, s9, 1
  s_cbranch_scc0 work
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
