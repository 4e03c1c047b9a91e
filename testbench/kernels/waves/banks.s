// SPDX-License-Identifier: Apache-2.0
// ds_read_b32 with a stride of 1, 2, 4, 8, 16 and 32 dwords between lanes: the more lanes meet in one of the 32 banks, the longer it takes.
.text
  v_lshlrev_b32_e32 v1, 2, v0
  v_lshlrev_b32_e32 v2, 3, v0
  v_lshlrev_b32_e32 v3, 4, v0
  v_lshlrev_b32_e32 v4, 5, v0
  v_lshlrev_b32_e32 v5, 6, v0
  v_lshlrev_b32_e32 v6, 7, v0
  s_movk_i32 s20, 2
loop:
  ds_read_b32 v11, v1
  ds_read_b32 v12, v2
  ds_read_b32 v13, v3
  ds_read_b32 v14, v4
  ds_read_b32 v15, v5
  ds_read_b32 v16, v6
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
