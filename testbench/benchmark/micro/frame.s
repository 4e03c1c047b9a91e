// SPDX-License-Identifier: Apache-2.0
// What every micro-benchmark shares: the table of kernels, how they start and end, the loop around a body.
//
// A kernel gets s[0:1] = its arguments, s2 = number of its workgroup, v0 = work-item in the group:
//   0 data  8 results  16 loops  20 p0  24 p1  28 p2  32 V#  48 S#  64 T#
// and leaves them in s[4:5] data, s[6:7] results, s8 loops, s9 p0, s10 p1, s11 p2, s[12:15] V#, s[16:19] S#, s[20:27] T#; s3 = wave in the
// group; v[4:7] = the work-item's 16 bytes at data (its addresses). Each wave writes s_memtime before and after its loop to results + 16 * its number.
// Registers of results are v8 and up. Nothing waits for them: a body shows rates, not values.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.section .table,"a"
.text
text_start:

// entry of the table: name (40 bytes), offset of the code, instructions of one turn of the loop, VGPRs
.macro entry name, ops, vgprs
  .pushsection .table
1: .ascii "\name"
  .fill 40 - (. - 1b), 1, 0
  .long \name - text_start, \ops, \vgprs
  .popsection
  .p2align 8
\name:
.endm

.macro prologue
  s_load_dwordx8 s[4:11], s[0:1], 0x0
  s_load_dwordx8 s[12:19], s[0:1], 0x20
  s_load_dwordx8 s[20:27], s[0:1], 0x40
  v_lshlrev_b32 v1, 4, v0
  v_lshrrev_b32 v2, 6, v0
  s_nop 4
  v_readfirstlane_b32 s3, v2
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[4:7], v1, s[4:5]
  s_movk_i32 m0, 0x7fff // GDS: from 0, 32 KB
  s_waitcnt vmcnt(0)
.endm

.macro start_clock
  s_memtime s[28:29]
  s_waitcnt lgkmcnt(0)
.endm

// p2 of the arguments is overwritten by none of the bodies that end here: waves in a group
.macro stop_clock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_memtime s[30:31]
  s_mov_b64 exec, 1
  s_load_dword s9, s[0:1], 0x1c
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s2, s2, s9
  s_add_u32 s2, s2, s3
  s_lshl_b32 s2, s2, 4
  v_mov_b32 v1, s2
  v_mov_b32 v4, s28
  v_mov_b32 v5, s29
  v_mov_b32 v6, s30
  v_mov_b32 v7, s31
  global_store_dwordx4 v1, v[4:7], s[6:7]
  s_endpgm
.endm

.macro open_loop
  .p2align 6
2:
.endm
.macro close_loop
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 2b
.endm

// name, instructions in the loop, registers, and the instruction (or a macro) that is repeated
.macro rate name, ops, vgprs, insn:vararg
  entry \name, \ops, \vgprs
  prologue
  start_clock
  open_loop
  .rept \ops
  \insn
  .endr
  close_loop
  stop_clock
.endm
// the same, several instructions a repetition: `times` repetitions of a macro count as `ops`
.macro rate_of name, times, ops, vgprs, insn:vararg
  entry \name, \ops, \vgprs
  prologue
  start_clock
  open_loop
  .rept \times
  \insn
  .endr
  close_loop
  stop_clock
.endm
