// SPDX-License-Identifier: Apache-2.0
// Dependent loads: every load's address is what the one before it returned. p0 turns of 64 hops without the clock, then `loops` with it.

.macro chase name, setup, insn:vararg
  entry \name, 64, 24
  prologue
  s_mov_b64 exec, 1
  \setup
3:
  .rept 64
  \insn
  .endr
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 3b
  start_clock
  open_loop
  .rept 64
  \insn
  .endr
  close_loop
  stop_clock
.endm

.macro vector_start
  v_mov_b32 v2, s10 // p1, p2: the first address
  v_mov_b32 v3, s11
.endm
.macro vector_hop
  global_load_dwordx2 v[2:3], v[2:3], off
  s_waitcnt vmcnt(0)
.endm
chase chase_vector, vector_start, vector_hop

.macro scalar_start
  s_mov_b32 s34, s10
  s_mov_b32 s35, s11
.endm
.macro scalar_hop
  s_load_dwordx2 s[34:35], s[34:35], 0x0
  s_waitcnt lgkmcnt(0)
.endm
chase chase_scalar, scalar_start, scalar_hop

// LDS: 16 dwords, each holds the address of the next
.macro lds_start
  s_mov_b64 exec, 0xffff
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v3, 4, v2
  v_and_b32 v3, 63, v3
  ds_write_b32 v2, v3
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, 0
.endm
.macro lds_hop
  ds_read_b32 v2, v2
  s_waitcnt lgkmcnt(0)
.endm
chase chase_lds, lds_start, lds_hop

.macro atomic_hop
  global_atomic_add v2, v[2:3], v9, off glc
  s_waitcnt vmcnt(0)
.endm
.macro atomic_start
  vector_start
  v_mov_b32 v9, 0 // adds nothing: the dword at the address holds the address' low half
.endm
chase chase_atomic, atomic_start, atomic_hop

.macro lds_atomic_hop
  ds_add_rtn_u32 v2, v2, v9
  s_waitcnt lgkmcnt(0)
.endm
.macro lds_atomic_start
  lds_start
  v_mov_b32 v9, 0
.endm
chase chase_lds_atomic, lds_atomic_start, lds_atomic_hop

.macro image_hop
  image_load v2, v[2:3], s[20:27] dmask:0x1 unorm
  s_waitcnt vmcnt(0)
.endm
.macro image_start
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0
.endm
chase chase_image, image_start, image_hop
.macro sample_hop
  image_sample_lz v2, v[2:3], s[20:27], s[16:19] dmask:0x1
  s_waitcnt vmcnt(0)
.endm
chase chase_sample, image_start, sample_hop

.macro clock_hop
  s_memtime s[34:35]
  s_waitcnt lgkmcnt(0)
.endm
.macro no_start
.endm
chase chase_clock, no_start, clock_hop

rate latency_barrier, 64, 24, s_barrier
rate latency_nothing, 1, 24, s_nop 0
entry launch_empty, 1, 4
  s_endpgm
