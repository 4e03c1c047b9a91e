// SPDX-License-Identifier: Apache-2.0
// The loops of perftest's uniform loads (its HLSL: 256 loads, each at (index | mask) with a mask that the compiler does not know, converted and added
// into one sum a component), as a compiler for GFX9 writes them: the address is scalar arithmetic that shares the scalar issue slot with the load itself.
// Only how often the driver's compiler unrolled the loop is not published: `unroll`. Everything else is what the source asks for:
//   raw         address = i * 4 width | mask                                (integers: every dword is converted)
//   structured  address = (i | mask) << log2(4 width)                       (floats: added as they are)
//   constant    address = ((i | mask) << 4) + 16: the array follows 4 words (floats)
// Then a write to LDS and a barrier. s34 = mask (0), s36 = i. Addresses in s[40:43], data in s[48:63], sums in v[8:11].

.macro perftest_address n, at, step, shift, first
  .if \at == 0
    s_or_b32 s[40 + \n], s36, s34
  .else
    s_add_u32 s[40 + \n], s36, \at
    s_or_b32 s[40 + \n], s[40 + \n], s34
  .endif
  .if \shift
    s_lshl_b32 s[40 + \n], s[40 + \n], \shift
  .endif
  .if \first
    s_add_u32 s[40 + \n], s[40 + \n], \first
  .endif
.endm
.macro perftest_load n, width
  .if \width == 1
    s_buffer_load_dword s[48 + 4 * \n], s[12:15], s[40 + \n]
  .elseif \width == 2
    s_buffer_load_dwordx2 s[48 + 4 * \n:49 + 4 * \n], s[12:15], s[40 + \n]
  .else
    s_buffer_load_dwordx4 s[48 + 4 * \n:51 + 4 * \n], s[12:15], s[40 + \n]
  .endif
.endm
.macro perftest_add n, width, convert
  .set component, 0
  .rept \width
    .if \convert
      v_cvt_f32_u32 v[12 + component], s[48 + 4 * \n + component]
      v_add_f32 v[8 + component], v[8 + component], v[12 + component]
    .else
      v_add_f32 v[8 + component], s[48 + 4 * \n + component], v[8 + component]
    .endif
    .set component, component + 1
  .endr
.endm
.macro perftest name, width, unroll, step, shift, first, convert
  entry \name, 256, 24
  s_load_dwordx4 s[12:15], s[0:1], 0x20
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_mov_b32 s34, 0
  s_mov_b32 s36, 0
  s_waitcnt lgkmcnt(0)
  .p2align 6
5:
  .set load, 0
  .rept \unroll
    perftest_address load, load * \step, \step, \shift, \first
    .set load, load + 1
  .endr
  .set load, 0
  .rept \unroll
    perftest_load load, \width
    .set load, load + 1
  .endr
  s_add_u32 s36, s36, \unroll * \step
  s_cmp_lt_u32 s36, 256 * \step
  s_waitcnt lgkmcnt(0)
  .set load, 0
  .rept \unroll
    perftest_add load, \width, \convert
    .set load, load + 1
  .endr
  s_cbranch_scc1 5b
  v_add_f32 v8, v8, v9
  v_add_f32 v8, v8, v10
  v_add_f32 v8, v8, v11
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v8
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.endm
.macro perftest_all unroll
  perftest perftest_raw_x1_unroll_\unroll, 1, \unroll, 4, 0, 0, 1
  perftest perftest_raw_x2_unroll_\unroll, 2, \unroll, 8, 0, 0, 1
  perftest perftest_raw_x3_unroll_\unroll, 3, \unroll, 12, 0, 0, 1
  perftest perftest_raw_x4_unroll_\unroll, 4, \unroll, 16, 0, 0, 1
  perftest perftest_structured_x1_unroll_\unroll, 1, \unroll, 1, 2, 0, 0
  perftest perftest_structured_x2_unroll_\unroll, 2, \unroll, 1, 3, 0, 0
  perftest perftest_structured_x4_unroll_\unroll, 4, \unroll, 1, 4, 0, 0
  perftest perftest_constant_x4_unroll_\unroll, 4, \unroll, 1, 4, 16, 0
.endm
perftest_all 1
perftest_all 2
perftest_all 4

// The same for vector loads (v4: the work-item's own part), the loop as its [loop] says, or unrolled. Where the address differs by lane, the vector ALU makes it:
//   raw    address = (v4 + i * 4 width) | mask, converted: v4 + i * 4 width is a running sum       typed  index = (v4 + i) | mask
// where it does not (uniform), it is scalar arithmetic, and a move.
.macro perftest_index own, step, at
  .ifc \own, uniform
    .if \at == 0
      s_or_b32 s37, s36, s34
    .else
      s_add_u32 s37, s36, \at * \step
      s_or_b32 s37, s37, s34
    .endif
    v_mov_b32 v2, s37
  .endif
  .ifc \own, lanes
    .if \at == 0
      v_add_u32 v2, s36, v4
    .else
      s_add_u32 s37, s36, \at * \step
      v_add_u32 v2, s37, v4
    .endif
    v_or_b32 v2, s34, v2
  .endif
  .ifc \own, sum
    .if \at == 0
      v_or_b32 v2, s34, v4
    .else
      v_add_u32 v2, \at * \step, v4
      v_or_b32 v2, s34, v2
    .endif
  .endif
.endm
.macro perftest_vector name, width, unroll, step, convert, own, insn
  entry \name, 256, 24
  prologue
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_mov_b32 s34, 0
  s_mov_b32 s36, 0
  .p2align 6
5:
  .set load, 0
  .rept \unroll
    perftest_index \own, \step, load
    \insn \width, 12 + load * 4, v2
    .set load, load + 1
  .endr
  .ifc \own, sum
    v_add_u32 v4, \unroll * \step, v4
  .endif
  s_add_u32 s36, s36, \unroll * \step
  s_cmp_lt_u32 s36, 256 * \step
  .set load, 0
  .rept \unroll
    s_waitcnt vmcnt(\unroll - 1 - load)
    .set component, 0
    .rept \width
      .set from, 12 + load * 4 + component
      .if \convert
        v_cvt_f32_u32 v[from], v[from]
      .endif
      v_add_f32 v[8 + component], v[from], v[8 + component]
      .set component, component + 1
    .endr
    .set load, load + 1
  .endr
  s_cbranch_scc1 5b
  v_add_f32 v8, v8, v9
  v_add_f32 v8, v8, v10
  v_add_f32 v8, v8, v11
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v8
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.endm
.macro perftest_raw width, to, address
  .if \width == 1
    buffer_load_dword v[\to], \address, s[12:15], 0 offen
  .elseif \width == 2
    buffer_load_dwordx2 v[\to:\to + 1], \address, s[12:15], 0 offen
  .elseif \width == 3
    buffer_load_dwordx3 v[\to:\to + 2], \address, s[12:15], 0 offen
  .else
    buffer_load_dwordx4 v[\to:\to + 3], \address, s[12:15], 0 offen
  .endif
.endm
.macro perftest_typed width, to, address
  .if \width == 1
    buffer_load_format_x v[\to], \address, s[12:15], 0 idxen
  .elseif \width == 2
    buffer_load_format_xy v[\to:\to + 1], \address, s[12:15], 0 idxen
  .else
    buffer_load_format_xyzw v[\to:\to + 3], \address, s[12:15], 0 idxen
  .endif
.endm
perftest_vector perftest_raw_x1, 1, 1, 4, 1, sum, perftest_raw
perftest_vector perftest_raw_x2, 2, 1, 8, 1, sum, perftest_raw
perftest_vector perftest_raw_x3, 3, 1, 12, 1, sum, perftest_raw
perftest_vector perftest_raw_x4, 4, 1, 16, 1, sum, perftest_raw
perftest_vector perftest_raw_x1_by_lane_unroll_2, 1, 2, 4, 1, sum, perftest_raw
perftest_vector perftest_typed_x1, 1, 1, 1, 0, lanes, perftest_typed
perftest_vector perftest_typed_x2, 2, 1, 1, 0, lanes, perftest_typed
perftest_vector perftest_typed_x4, 4, 1, 1, 0, lanes, perftest_typed
perftest_vector perftest_typed_x1_unroll_2, 1, 2, 1, 0, lanes, perftest_typed
perftest_vector perftest_typed_x1_uniform, 1, 1, 1, 0, uniform, perftest_typed
perftest_vector perftest_typed_x2_uniform, 2, 1, 1, 0, uniform, perftest_typed
perftest_vector perftest_typed_x4_uniform, 4, 1, 1, 0, uniform, perftest_typed

// The same for images: 16 by 16 loads around the work-item's own texel (v4, v5); the row's coordinate is made once a row.
.macro perftest_image name, width, data, dmask
  entry \name, 256, 32
  prologue
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_mov_b32 s34, 0
  s_mov_b32 s38, 0
6:
  v_add_u32 v2, s38, v5
  v_or_b32 v22, s34, v2
  v_mov_b32 v24, v22
  s_mov_b32 s36, 0
  .p2align 6
5:
  s_add_u32 s37, s36, 1
  v_add_u32 v2, s36, v4
  v_or_b32 v21, s34, v2
  v_add_u32 v3, s37, v4
  v_or_b32 v23, s34, v3
  image_load v[12:\data + 12 - 8], v[21:22], s[20:27] dmask:\dmask unorm
  image_load v[16:\data + 16 - 8], v[23:24], s[20:27] dmask:\dmask unorm
  s_add_u32 s36, s36, 2
  s_cmp_lt_u32 s36, 16
  s_waitcnt vmcnt(1)
  .set component, 0
  .rept \width
    v_add_f32 v[8 + component], v[12 + component], v[8 + component]
    .set component, component + 1
  .endr
  s_waitcnt vmcnt(0)
  .set component, 0
  .rept \width
    v_add_f32 v[8 + component], v[16 + component], v[8 + component]
    .set component, component + 1
  .endr
  s_cbranch_scc1 5b
  s_add_u32 s38, s38, 1
  s_cmp_lt_u32 s38, 16
  s_cbranch_scc1 6b
  v_add_f32 v8, v8, v9
  v_add_f32 v8, v8, v10
  v_add_f32 v8, v8, v11
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v8
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.endm
perftest_image perftest_image_x1, 1, 8, 0x1
perftest_image perftest_image_x2, 2, 9, 0x3
perftest_image perftest_image_x4, 4, 11, 0xf
