// SPDX-License-Identifier: Apache-2.0
// buffer_load_dword of 64 neighbouring dwords (4 lines, TA takes 4 cycles), then of 64 dwords that lie 256 bytes apart (64 lines, 16 cycles).
.text
  s_mov_b32 s8, s2
  s_mov_b32 s9, s3
  s_mov_b32 s10, 0x10000
  s_mov_b32 s11, 0x27fac
  v_lshlrev_b32_e32 v1, 2, v0
  v_lshlrev_b32_e32 v2, 8, v0
  s_movk_i32 s20, 2
loop:
  buffer_load_dword v3, v1, s[8:11], 0 offen
  s_nop 7
  buffer_load_dword v4, v2, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
