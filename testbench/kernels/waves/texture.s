// SPDX-License-Identifier: Apache-2.0
// image_sample of a 32 x 32 RGBA8 image, bilinear: 64 lanes sample every other texel of a 16 x 16 square, between texels. The second turn hits in L1.
.text
  s_lshr_b64 s[12:13], s[2:3], 8         // T#: base address / 256
  s_mov_b32 s13, 0x00a00000              // 8_8_8_8 UNORM
  s_mov_b32 s14, 0x4007c01f              // 32 x 32
  s_mov_b32 s15, 0x90000fac              // 2D, RGBA
  s_mov_b32 s16, 0x3e000                 // pitch 32
  s_mov_b32 s17, 0
  s_mov_b64 s[18:19], 0
  s_mov_b32 s20, 0x88000092              // S#: clamp to the last texel
  s_mov_b32 s21, 0x00fff000
  s_mov_b32 s22, 0x44500000              // bilinear
  s_mov_b32 s23, 0
  v_and_b32_e32 v1, 7, v0
  v_lshrrev_b32_e32 v2, 3, v0
  v_cvt_f32_u32_e32 v4, v1
  v_cvt_f32_u32_e32 v5, v2
  v_mul_f32_e32 v4, 0x3d800000, v4       // x / 16
  v_mul_f32_e32 v5, 0x3d800000, v5
  s_movk_i32 s24, 2
loop:
  image_sample v[8:11], v[4:5], s[12:19], s[20:23] dmask:0xf
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v12, v8, v9
  s_sub_u32 s24, s24, 1
  s_cmp_lg_u32 s24, 0
  s_cbranch_scc1 loop
  s_endpgm
