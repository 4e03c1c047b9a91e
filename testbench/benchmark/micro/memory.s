// SPDX-License-Identifier: Apache-2.0
// Rates of vector and scalar memory instructions. Buffers: v4 = byte offset (raw) or index (typed). Images: v[4:5] = coordinates.
// writes and atomics go on by 256 bytes, so that a line is not at once used again
.macro spread name, bits, insn:vararg
  entry \name, 64, 24
  prologue
  start_clock
  open_loop
  .rept 4
  .irp at, 0, 256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2304, 2560, 2816, 3072, 3328, 3584, 3840
  \insn offset:\at \bits
  .endr
  .endr
  close_loop
  stop_clock
.endm
rate buffer_load_u8, 256, 24, buffer_load_ubyte v8, v4, s[12:15], 0 offen
rate buffer_load_u16, 64, 24, buffer_load_ushort v8, v4, s[12:15], 0 offen
rate buffer_load_x1, 256, 24, buffer_load_dword v8, v4, s[12:15], 0 offen
rate buffer_load_x2, 64, 24, buffer_load_dwordx2 v[8:9], v4, s[12:15], 0 offen
rate buffer_load_x3, 64, 24, buffer_load_dwordx3 v[8:10], v4, s[12:15], 0 offen
rate buffer_load_x4, 64, 24, buffer_load_dwordx4 v[8:11], v4, s[12:15], 0 offen
spread buffer_store_x1, , buffer_store_dword v8, v4, s[12:15], 0 offen
spread buffer_store_x2, , buffer_store_dwordx2 v[8:9], v4, s[12:15], 0 offen
spread buffer_store_x4, , buffer_store_dwordx4 v[8:11], v4, s[12:15], 0 offen
spread buffer_atomic, , buffer_atomic_add v8, v4, s[12:15], 0 offen
spread buffer_atomic_glc, glc, buffer_atomic_add v8, v4, s[12:15], 0 offen
spread buffer_atomic_x2, , buffer_atomic_add_x2 v[8:9], v4, s[12:15], 0 offen
spread buffer_atomic_x2_glc, glc, buffer_atomic_add_x2 v[8:9], v4, s[12:15], 0 offen
spread buffer_cmpswap, , buffer_atomic_cmpswap v[8:9], v4, s[12:15], 0 offen
rate image_sample_lz, 64, 24, image_sample_lz v[8:11], v[4:5], s[20:27], s[16:19] dmask:0xf
rate image_sample_l, 64, 24, image_sample_l v[8:11], v[4:7], s[20:27], s[16:19] dmask:0xf

// issue cost of scalar memory: a burst of 1 or 7, then the wait
.macro burst name, insn:vararg
  .macro \name\()_one
    \insn
    s_waitcnt lgkmcnt(0)
  .endm
  .macro \name\()_seven
    .rept 7
    \insn
    .endr
    s_waitcnt lgkmcnt(0)
  .endm
  rate_of \name\()_1, 16, 16, 24, \name\()_one
  rate_of \name\()_7, 16, 16, 24, \name\()_seven
.endm
burst smem_x1, s_load_dword s40, s[4:5], 0x0
burst smem_x2, s_load_dwordx2 s[40:41], s[4:5], 0x0
burst smem_x4, s_load_dwordx4 s[40:43], s[4:5], 0x0
burst smem_x8, s_load_dwordx8 s[40:47], s[4:5], 0x0
burst smem_x16, s_load_dwordx16 s[40:55], s[4:5], 0x0
burst smem_time, s_memtime s[40:41]
rate smem_inv, 256, 24, s_dcache_inv

// streams: wave w starts at (w * p0) & mask and goes on by p1; the mask is in the V#'s place of S# (s16), the distance of the arrays of copy and triad after it (s17)
.macro stream_start
  prologue
  s_load_dword s9, s[0:1], 0x1c
  s_load_dword s34, s[0:1], 0x14
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s35, s2, s9
  s_add_u32 s35, s35, s3
  s_mul_i32 s33, s35, s34
  s_and_b32 s33, s33, s16
  start_clock
.endm
.macro stream_step
  s_add_u32 s33, s33, s10
  s_and_b32 s33, s33, s16
.endm
.macro stream_of name, insn:vararg
  entry \name, 16, 40
  stream_start
  open_loop
  .rept 16
  \insn
  stream_step
  .endr
  close_loop
  stop_clock
.endm
stream_of stream_read, buffer_load_dwordx4 v[8:11], v4, s[12:15], s33 offen
stream_of stream_read_x1, buffer_load_dword v8, v4, s[12:15], s33 offen
stream_of stream_read_x2, buffer_load_dwordx2 v[8:9], v4, s[12:15], s33 offen
stream_of stream_write, buffer_store_dwordx4 v[8:11], v4, s[12:15], s33 offen
stream_of stream_write_x1, buffer_store_dword v8, v4, s[12:15], s33 offen
stream_of stream_write_x2, buffer_store_dwordx2 v[8:9], v4, s[12:15], s33 offen
stream_of stream_atomic, buffer_atomic_add v8, v4, s[12:15], s33 offen
stream_of stream_atomic_glc, buffer_atomic_add v8, v4, s[12:15], s33 offen glc
// b[i] = a[i] and c[i] = a[i] + b[i], 8 bytes a lane, as gpu-benches' scale and triad: every store waits for its loads
.macro copy_one
  s_add_u32 s36, s33, s17
  buffer_load_dwordx2 v[8:9], v4, s[12:15], s33 offen
  s_waitcnt vmcnt(0)
  buffer_store_dwordx2 v[8:9], v4, s[12:15], s36 offen
.endm
.macro triad_one
  s_add_u32 s36, s33, s17
  s_add_u32 s37, s36, s17
  buffer_load_dwordx2 v[8:9], v4, s[12:15], s33 offen
  buffer_load_dwordx2 v[10:11], v4, s[12:15], s36 offen
  s_waitcnt vmcnt(0)
  v_add_f64 v[8:9], v[8:9], v[10:11]
  buffer_store_dwordx2 v[8:9], v4, s[12:15], s37 offen
.endm
stream_of stream_copy, copy_one
stream_of stream_triad, triad_one
// lines at random: every lane of a wave loads from a line of its own; s33 is a generator of random numbers (x * 1664525 + 1013904223)
.macro random_one
  v_mul_lo_u32 v5, v5, s36
  v_add_u32 v5, v5, s37
  v_lshrrev_b32 v6, 8, v5
  v_lshlrev_b32 v6, 6, v6
  v_and_b32 v6, s16, v6
  buffer_load_dword v8, v6, s[12:15], 0 offen
.endm
entry random_read, 16, 40
  stream_start
  s_mov_b32 s36, 1664525
  s_mov_b32 s37, 1013904223
  v_lshlrev_b32 v5, 10, v0
  v_mov_b32 v6, s2
  v_add_u32 v5, v5, v6
  v_mul_lo_u32 v5, v5, s37
  open_loop
  .rept 16
  random_one
  .endr
  close_loop
  stop_clock
