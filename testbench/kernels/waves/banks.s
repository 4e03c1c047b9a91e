// SPDX-License-Identifier: Apache-2.0
// ds_read_b32 with a stride of 1, 2, 4, 8, 16 and 32 dwords between lanes: the more lanes meet in one of the 32 banks, the longer it takes.
.text
  s_movk_i32 s20, 2
loop:
  s_movk_i32 s21, 2
stride:
  v_lshlrev_b32_e32 v1, s21, v0
  ds_read_b32 v2, v1
  s_add_u32 s21, s21, 1
  s_cmp_lt_u32 s21, 8
  s_cbranch_scc1 stride
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
