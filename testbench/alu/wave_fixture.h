// SPDX-License-Identifier: Apache-2.0
// A wave with registers of its own, and instructions put together field by field, for tests of the ALU.
#pragma once
#include "alu/execute.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace alu_test {

using namespace lyra;
using isa::op;

template <class To, class From> To bits_to(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}

constexpr unsigned vgprs = 64;
constexpr uint16_t v(unsigned n) { return uint16_t(256 + n); } ///< operand code of VGPR n

struct wave : alu::wave_registers {
  struct alignas(64) file { uint32_t rows[vgprs][64]; };
  std::unique_ptr<file> storage{new file()};
  wave() {
    std::memset(storage->rows, 0, sizeof storage->rows);
    vgpr = storage->rows;
    vgpr_count = vgprs;
    sgpr_count = 102;
    mode = 0xf0; // round to nearest, all denormals
    set_exec(~0ull);
  }
  uint64_t pair(unsigned n, unsigned lane) const { return vgpr[n][lane] | uint64_t(vgpr[n + 1][lane]) << 32; }
  void set_pair(unsigned n, unsigned lane, uint64_t x) {
    vgpr[n][lane] = uint32_t(x);
    vgpr[n + 1][lane] = uint32_t(x >> 32);
  }
};

/// The table's row of an operation in an encoding; null where there is none.
inline const isa::opcode_info* row_of(op id, isa::encoding e, isa::target chip = isa::target::gfx906) {
  unsigned n;
  const isa::opcode_info* t = isa::opcode_table(n);
  const unsigned bit = chip == isa::target::gfx900 ? isa::GFX900 : isa::GFX906;
  for (unsigned k = 0; k < n; ++k)
    if (t[k].id == id && t[k].encoding == e && (t[k].targets & bit)) return &t[k];
  return nullptr;
}

/// An instruction with its operands as operand codes (0xffff: none), the destinations as the decoder sets them.
inline isa::instruction make(op id, isa::encoding e, uint16_t dst, uint16_t s0 = 0xffff, uint16_t s1 = 0xffff, uint16_t s2 = 0xffff) {
  isa::instruction i;
  i.info = row_of(id, e);
  if (!i.info) i.info = row_of(id, e, isa::target::gfx900);
  if (!i.info) throw std::runtime_error("operation has no such encoding");
  if (i.info->dst == isa::operand_type::mask) i.sdst = {dst, isa::operand_type::mask};
  else if (i.info->dst != isa::operand_type::none) i.dst = {dst, i.info->dst};
  if (i.info->sdst == isa::operand_type::mask) i.sdst = {106, isa::operand_type::mask};
  const uint16_t s[3] = {s0, s1, s2};
  for (int k = 0; k < 3; ++k)
    if (s[k] != 0xffff) i.src[k] = {s[k], i.info->src[k]};
  return i;
}

inline void run(wave& w, const isa::instruction& i, isa::target chip = isa::target::gfx906) {
  const alu::handler h = alu::bind(i, chip);
  if (!h) throw std::runtime_error(std::string("no handler for ") + i.info->name);
  h(w, i);
}

/// Values at the edges of every type, as 64 bits; 32- and 16-bit ones in the low part.
inline const std::vector<uint32_t>& special32() {
  static const std::vector<uint32_t> s = {0, 1, 2, 3, 0x1f, 0x20, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0xff800001, 0x7fa00000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00000010, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b7fffff,
    0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x33800000, 0x33000000, 0x477fe000, 0x477ff000, 0x38800000, 0x387fc000, 0x12345678, 0xdeadbeef, 0x0f0f0f0f, 0xaaaaaaaa,
    0x43800000, 0x3e800000, 0xbe800000, 0xc0490fdb};
  return s;
}
inline const std::vector<uint32_t>& special16() {
  static const std::vector<uint32_t> s = {0, 1, 2, 0x3ff, 0x400, 0x401, 0x7bff, 0x7c00, 0x7c01, 0x7d00, 0x7e00, 0x7fff, 0x8000, 0x8001, 0x83ff, 0x8400, 0xbc00, 0xfbff, 0xfc00, 0xfc01, 0xfe00,
    0xffff, 0x3c00, 0x3bff, 0x3c01, 0x3800, 0xb800, 0x4000, 0x4400, 0x6400, 0x6bff, 0x1400, 0x5555};
  return s;
}
inline const std::vector<uint64_t>& special64() {
  static const std::vector<uint64_t> s = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0x3fe0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff4000000000000,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0x41e0000000000000, 0xc1e0000000000000,
    0x41dfffffffc00000, 0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000000, 0x432fffffffffffff, 0x3cb0000000000000, 0x0008000000000000, 0x123456789abcdef0, 0xc1e0000000100000, 0xc1e00000001fffff};
  return s;
}

/// Random values that often hit the edges. `bytes` 2, 4 or 8.
class operand_source {
public:
  explicit operand_source(unsigned seed) : rng_(seed) {}
  uint64_t next(unsigned bytes) {
    const unsigned how = unsigned(rng_() % 4);
    if (bytes == 2) return how == 0 ? pick(special16()) : rng_() & 0xffff;
    if (bytes == 4) {
      if (how == 0) return pick(special32());
      if (how == 1) return near_one32();
      return uint32_t(rng_());
    }
    if (how == 0) return pick(special64());
    if (how == 1) return (uint64_t(rng_() & 1) << 63) | ((1023 - 30 + rng_() % 60) << 52) | (rng_() & ((1ull << 52) - 1));
    return rng_();
  }
  uint64_t raw() { return rng_(); }

private:
  template <class T> T pick(const std::vector<T>& s) { return s[rng_() % s.size()]; }
  uint32_t near_one32() { return uint32_t((rng_() & 1) << 31 | (127 - 20 + rng_() % 40) << 23 | (rng_() & 0x7fffff)); }
  std::mt19937_64 rng_;
};

} // namespace alu_test
