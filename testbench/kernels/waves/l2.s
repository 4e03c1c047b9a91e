// SPDX-License-Identifier: Apache-2.0
// Eight compute units read 16 KB and write 16 KB, twice: misses in every L2 channel, then hits.
.text
  s_lshl_b32 s8, s4, 8
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_u32_e32 v1, s8, v1
  s_movk_i32 s20, 2
loop:
  global_load_dword v2, v1, s[2:3] glc
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[0:1]
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_waitcnt vmcnt(0)
  s_endpgm
