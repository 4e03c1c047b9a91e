// SPDX-License-Identifier: Apache-2.0
// Scalar memory programs: hand-made encodings, results one after the other in the buffer "out".
#pragma once
#include "support/program.h"

namespace program {

/// Opcodes of the SMEM encoding (Vega ISA 12.6).
enum smem_op : unsigned { load1 = 0, load2 = 1, load4 = 2, load8 = 3, load16 = 4, scratch_load1 = 5, buffer_load1 = 8, store1 = 16, scratch_store1 = 21, buffer_store1 = 24 };

/// The 64 bits of an SMEM instruction, for forms that no assembler writes. `sbase`, `sdata`: SGPR numbers; `offset`: 21 bits.
inline std::string smem(unsigned op, unsigned sdata, unsigned sbase, bool imm, bool soe, uint32_t offset, unsigned soffset = 0, bool glc = false, bool nv = false) {
  const uint32_t w0 = 0xc0000000u | op << 18 | unsigned(imm) << 17 | unsigned(glc) << 16 | unsigned(nv) << 15 | unsigned(soe) << 14 | sdata << 6 | sbase / 2;
  const uint32_t w1 = (offset & 0x1fffff) | soffset << 25;
  return ".long " + std::to_string(w0) + ", " + std::to_string(w1) + "\n";
}

/// One lane stores scalar registers into "out", each behind the one before.
struct collector {
  std::string text = "s_mov_b64 exec, 1\nv_mov_b32_e32 v30, 0\n";
  unsigned count = 0;
  void add(const std::string& more) { text += more; }
  /// Waits and stores s[first] .. s[first + n - 1].
  void take(unsigned first, unsigned n = 1) {
    text += "s_waitcnt lgkmcnt(0)\n";
    for (unsigned k = 0; k < n; ++k) text += "v_mov_b32_e32 v31, s" + std::to_string(first + k) + "\nglobal_store_dword v30, v31, s[0:1]\nv_add_u32_e32 v30, 4, v30\n";
    count += n;
  }
  std::string program() const { return text + "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm"; }
};

inline std::string hex(uint64_t v) { char b[24]; std::snprintf(b, sizeof b, "0x%llx", static_cast<unsigned long long>(v)); return b; }
inline std::string set_s(unsigned s, uint32_t v) { return "s_mov_b32 s" + std::to_string(s) + ", " + hex(v) + "\n"; }
inline std::string set_m0(uint32_t v) { return "s_mov_b32 m0, " + hex(v) + "\n"; }
/// A buffer constant in s[first..first+3] over the bytes from the address in s[at], s[at+1] on, `offset` further.
inline std::string constant(unsigned first, unsigned at, uint32_t offset, uint32_t stride, uint32_t records, uint32_t word3 = 0) {
  const std::string a = std::to_string(first), b = std::to_string(first + 1);
  return "s_add_u32 s" + a + ", s" + std::to_string(at) + ", " + hex(offset) + "\ns_addc_u32 s" + b + ", s" + std::to_string(at + 1) + ", 0\ns_or_b32 s" + b + ", s" + b + ", " + hex(stride << 16) + "\n" +
         set_s(first + 2, records) + set_s(first + 3, word3);
}

} // namespace program
