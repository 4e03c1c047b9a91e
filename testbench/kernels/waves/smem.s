// SPDX-License-Identifier: Apache-2.0
// A scalar load that misses, one that hits and passes it, one that comes in two parts, and the s_waitcnt that waits for all.
// The second turn of the loop is the one to look at: its instructions are in the instruction cache.
.text
  s_movk_i32 s20, 2
loop:
  s_load_dword s8, s[2:3], 0x0          // fetches the line that the third load hits
  s_waitcnt lgkmcnt(0)
  s_store_dword s8, s[2:3], 0x200       // a dirty line
  s_load_dword s9, s[2:3], 0x400        // misses
  s_load_dword s10, s[2:3], 0x4         // hits: comes before the one above
  s_load_dwordx2 s[12:13], s[2:3], 0x43c // its first dword joins the miss, its second misses: two parts
  s_waitcnt lgkmcnt(0)
  s_add_u32 s11, s9, s10
  s_dcache_wb
  s_waitcnt lgkmcnt(0)
  s_add_u32 s2, s2, 0x1000
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 loop
  s_endpgm
