// SPDX-License-Identifier: Apache-2.0
// Two vector loads and an LDS read in flight: s_waitcnt lgkmcnt, vmcnt(1), vmcnt(0) end one after the other, with work between.
.text
  v_lshlrev_b32_e32 v1, 2, v0
  s_movk_i32 s20, 2
loop:
  global_load_dword v2, v1, s[2:3]
  global_load_dword v3, v1, s[2:3] offset:2048
  ds_read_b32 v4, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v5, v4, v4
  s_waitcnt vmcnt(1)
  v_add_u32_e32 v5, v5, v2
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v5, v5, v3
  global_store_dword v1, v5, s[0:1]
  v_add_u32_e32 v1, 0x1000, v1
  s_waitcnt vmcnt(0)
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
