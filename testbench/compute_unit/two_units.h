// SPDX-License-Identifier: Apache-2.0
// Programs of two workgroups on two compute units, for coherence: one writes, the other one reads behind a flag.
#pragma once
#include "support/program.h"

namespace program {

/// What memory holds at first, dword by dword.
inline uint32_t word(uint64_t dword) { return 0x3c000000u + uint32_t(dword) * 0x10001; }
inline std::vector<uint32_t> numbered(unsigned n = 4096) {
  std::vector<uint32_t> v(n);
  for (unsigned i = 0; i < n; ++i) v[i] = word(i);
  return v;
}

/// Group 0 does `first`, raises a flag in memory; group 1 does `before`, waits for the flag, does `second`. v2 = 0, v3 = 1, one lane; "in" is numbered.
/// out[62], out[63] tell on which compute unit each ran.
inline job two_cus(const std::string& first, const std::string& before, const std::string& second) {
  job j("v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 1\ns_mov_b64 exec, 1\ns_getreg_b32 s23, hwreg(HW_REG_HW_ID, 8, 4)\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 reader\ns_sleep 60\n" + first +
        "s_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_atomic_add v2, v3, s[2:3] offset:2048\nv_mov_b32_e32 v5, s23\nglobal_store_dword v2, v5, s[0:1] offset:252\ns_endpgm\nreader:\n" + before +
        "s_waitcnt vmcnt(0) lgkmcnt(0)\nloop:\nv_mov_b32_e32 v8, 0\nglobal_atomic_or v8, v2, v8, s[2:3] offset:2048 glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s13, v8\ns_cmp_lt_u32 s13, 1\ns_cbranch_scc1 loop\n" + second +
        "v_mov_b32_e32 v5, s23\nglobal_store_dword v2, v5, s[0:1] offset:248\ns_endpgm");
  j.grid[0] = 128;
  j.in = numbered(1024);
  j.in[512] = 0;
  return j;
}
constexpr const char* apart = "--set compute_units=2 --set dispatcher.shader_engines=1 --set scalar_groups=1";    // a scalar cache each
constexpr const char* together = "--set compute_units=2 --set dispatcher.shader_engines=1 --set scalar_groups=2"; // one for both

} // namespace program
