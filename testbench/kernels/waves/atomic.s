// SPDX-License-Identifier: Apache-2.0
// 32 waves: all lanes of a wave add 1 to one word; four words in four lines of one L2 channel.
.text
  s_and_b32 s8, s4, 3
  s_lshl_b32 s8, s8, 14
  v_mov_b32_e32 v1, s8
  v_mov_b32_e32 v2, 1
  global_atomic_add v3, v1, v2, s[0:1] glc
  global_atomic_add v4, v1, v2, s[0:1] offset:4 glc
  s_waitcnt vmcnt(0)
  s_endpgm
