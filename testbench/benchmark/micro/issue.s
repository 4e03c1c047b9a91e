// SPDX-License-Identifier: Apache-2.0
// One SIMD: waves that issue one to five types of instructions in turn. Waves of the other SIMDs (not the first of their group) end at once.
// 960 instructions a turn of the loop
.macro mix name, ops, insn:vararg
  entry \name, 960, 24
  prologue
  s_cmp_lg_u32 s3, 0
  s_cbranch_scc1 4f
  start_clock
  open_loop
  .rept 960 / \ops
  \insn
  .endr
  close_loop
  stop_clock
4:
  s_endpgm
.endm
.macro types_1
  v_add_f32 v8, v5, v6
.endm
.macro types_2
  v_add_f32 v8, v5, v6
  s_mov_b32 s40, s41
.endm
.macro types_3
  types_2
  s_cbranch_execz 0
.endm
.macro types_4
  types_3
  ds_read_b32 v9, v4
.endm
.macro types_5
  types_4
  buffer_load_dword v10, v4, s[12:15], 0 offen
.endm
mix issue_types_1, 1, types_1
mix issue_types_2, 2, types_2
mix issue_types_3, 3, types_3
mix issue_types_4, 4, types_4
mix issue_types_5, 5, types_5
