// SPDX-License-Identifier: Apache-2.0
// A plain model of every DS opcode, lane by lane, straight from the instruction descriptions; it shares nothing with the implementation.
#pragma once
#include "fabric/wave_request.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ds_model {

/// The instruction table, as the test builds instructions from it.
inline const std::vector<lyra::isa::opcode_info>& opcodes() {
  using namespace lyra::isa;
  static const std::vector<opcode_info> rows = {
#define LYRA_OPCODE(id, encoding_, number, name, targets, dst, sdst, s0, s1, s2, flags, memory, bytes, data, result, atomic) \
  {op::id, encoding::encoding_, number, name, targets, operand_type::dst, operand_type::sdst, {operand_type::s0, operand_type::s1, operand_type::s2}, \
   uint32_t(flags), memory_kind::memory, bytes, data, result, atomic_operation::atomic},
#define LYRA_OPCODE_AGAIN LYRA_OPCODE
#include "isa/opcodes.def"
#undef LYRA_OPCODE
#undef LYRA_OPCODE_AGAIN
  };
  return rows;
}

inline const lyra::isa::opcode_info* find(const std::string& name) {
  for (const auto& r : opcodes()) if (name == r.name) return &r;
  return nullptr;
}

inline std::vector<const lyra::isa::opcode_info*> ds_opcodes() {
  std::vector<const lyra::isa::opcode_info*> v;
  for (const auto& r : opcodes()) if (r.encoding == lyra::isa::encoding::DS) v.push_back(&r);
  return v;
}

/// An instruction as the decoder gives it.
inline lyra::isa::instruction make(const std::string& name, unsigned offset = 0, bool gds = false) {
  lyra::isa::instruction i;
  i.info = find(name);
  i.offset = int32_t(offset);
  i.offset0 = uint8_t(offset);
  i.offset1 = uint8_t(offset >> 8);
  i.gds = gds;
  i.size_bytes = 8;
  return i;
}

/// State of one run of the model.
struct machine {
  std::vector<uint8_t> memory;    ///< the whole share
  uint32_t base = 0, size = 0;    ///< the workgroup's part
  bool gds = false;               ///< base and size already hold M0's; M0 is not added
  const lyra::fabric::wave_request* w = nullptr;
  uint32_t result[6][64] = {};

  uint32_t addr(unsigned l) const { return w->vaddr[0][l]; }
  uint32_t d0(unsigned l, unsigned k = 0) const { return w->vdata[k][l]; }
  uint32_t d1(unsigned l, unsigned k = 0) const { return w->vdata[w->vdata2_row + k][l]; }
  uint64_t q0(unsigned l) const { return d0(l) | uint64_t(d0(l, 1)) << 32; }
  uint64_t q1(unsigned l) const { return d1(l) | uint64_t(d1(l, 1)) << 32; }
  bool lane(unsigned l) const { return w->exec >> l & 1; }

  bool inside(uint32_t a, unsigned n) const { return uint64_t(a) + n <= size; }
  uint64_t get(uint32_t a, unsigned n) const {
    if (!inside(a, n)) return 0;
    uint64_t v = 0;
    for (unsigned k = 0; k < n; ++k) v |= uint64_t(memory[base + a + k]) << (8 * k);
    return v;
  }
  void put(uint32_t a, unsigned n, uint64_t v) {
    if (!inside(a, n)) return;
    for (unsigned k = 0; k < n; ++k) memory[base + a + k] = uint8_t(v >> (8 * k));
  }
  /// Address of a load or store of elements of n bytes.
  uint32_t place(uint32_t a, unsigned n) const { return w->unaligned ? a : a & ~(n == 12 ? 15u : n - 1u); }
};

using body = std::function<void(machine&, unsigned lane)>;   ///< called for active lanes, ascending
struct entry { body each; std::function<void(machine&)> whole; };

// ---- floats, written over doubles (32 bit) and long doubles (64 bit)
inline bool denormal32(uint32_t v) { return !(v & 0x7f800000) && (v & 0x7fffff); }
inline uint32_t flush32(uint32_t v, bool keep) { return !keep && denormal32(v) ? v & 0x80000000 : v; }
inline bool denormal64(uint64_t v) { return !(v & 0x7ff0000000000000) && (v & 0xfffffffffffff); }
inline uint64_t flush64(uint64_t v, bool keep) { return !keep && denormal64(v) ? v & 0x8000000000000000 : v; }
inline float f32(uint32_t v) { float f; std::memcpy(&f, &v, 4); return f; }
inline double f64(uint64_t v) { double f; std::memcpy(&f, &v, 8); return f; }
inline uint32_t u32(float f) { uint32_t v; std::memcpy(&v, &f, 4); return v; }

template <class U> struct value_op { std::function<U(const machine&, U m, U a, U b)> f; unsigned operands; };

inline uint32_t pick32(const machine& x, uint32_t m, uint32_t s, bool greatest) {
  const bool in = x.w->mode >> 4 & 1, out = x.w->mode >> 5 & 1;
  const uint32_t a = flush32(m, in), b = flush32(s, in);
  if (std::isnan(f32(a)) && std::isnan(f32(b))) return b | 0x400000;
  if (std::isnan(f32(b))) return flush32(a, out);
  if (std::isnan(f32(a))) return flush32(b, out);
  // order bits as integers: sign-magnitude to two's complement, so that -0 < +0
  const auto rank = [](uint32_t v) { return v >> 31 ? -int64_t(v & 0x7fffffff) - 1 : int64_t(v); };
  const bool take = greatest ? rank(b) > rank(a) : rank(b) < rank(a);
  return flush32(take ? b : a, out);
}
inline uint64_t pick64(const machine& x, uint64_t m, uint64_t s, bool greatest) {
  const bool in = x.w->mode >> 6 & 1, out = x.w->mode >> 7 & 1;
  const uint64_t a = flush64(m, in), b = flush64(s, in);
  if (std::isnan(f64(a)) && std::isnan(f64(b))) return b | 0x8000000000000;
  if (std::isnan(f64(b))) return flush64(a, out);
  if (std::isnan(f64(a))) return flush64(b, out);
  const auto rank = [](uint64_t v) { return v >> 63 ? -__int128(v & ~(1ull << 63)) - 1 : __int128(v); };
  const bool take = greatest ? rank(b) > rank(a) : rank(b) < rank(a);
  return flush64(take ? b : a, out);
}
inline uint32_t add32(const machine& x, uint32_t m, uint32_t s) {
  const bool in = x.w->mode >> 4 & 1, out = x.w->mode >> 5 & 1;
  const uint32_t a = flush32(m, in), b = flush32(s, in);
  if (std::isnan(f32(a))) return a | 0x400000;
  if (std::isnan(f32(b))) return b | 0x400000;
  const float r = float(double(f32(a)) + double(f32(b)));
  if (std::isnan(r)) return 0x7fc00000;
  return flush32(u32(r), out);
}

template <class U> using op_list = std::map<std::string, value_op<U>>;

/// "add_u32" and so on: what becomes of memory value m with operands a (DATA0) and b (DATA1).
inline const op_list<uint32_t>& ops32() {
  using M = const machine&; using U = uint32_t;
  static const op_list<uint32_t> l = {
    {"add_u32", {[](M, U m, U a, U) { return m + a; }, 1}}, {"sub_u32", {[](M, U m, U a, U) { return m - a; }, 1}},
    {"rsub_u32", {[](M, U m, U a, U) { return a - m; }, 1}},
    {"inc_u32", {[](M, U m, U a, U) { return m >= a ? 0 : m + 1; }, 1}}, {"dec_u32", {[](M, U m, U a, U) { return m == 0 || m > a ? a : m - 1; }, 1}},
    {"min_i32", {[](M, U m, U a, U) { return int32_t(a) < int32_t(m) ? a : m; }, 1}}, {"max_i32", {[](M, U m, U a, U) { return int32_t(a) > int32_t(m) ? a : m; }, 1}},
    {"min_u32", {[](M, U m, U a, U) { return a < m ? a : m; }, 1}}, {"max_u32", {[](M, U m, U a, U) { return a > m ? a : m; }, 1}},
    {"and_b32", {[](M, U m, U a, U) { return m & a; }, 1}}, {"or_b32", {[](M, U m, U a, U) { return m | a; }, 1}}, {"xor_b32", {[](M, U m, U a, U) { return m ^ a; }, 1}},
    {"mskor_b32", {[](M, U m, U a, U b) { return (m & ~a) | b; }, 2}}, {"cmpst_b32", {[](M, U m, U a, U b) { return m == a ? b : m; }, 2}},
    {"cmpst_f32", {[](M x, U m, U a, U b) { const bool k = x.w->mode >> 4 & 1; return f32(flush32(m, k)) == f32(flush32(a, k)) ? b : m; }, 2}},
    {"min_f32", {[](M x, U m, U a, U) { return pick32(x, m, a, false); }, 1}}, {"max_f32", {[](M x, U m, U a, U) { return pick32(x, m, a, true); }, 1}},
    {"add_f32", {[](M x, U m, U a, U) { return add32(x, m, a); }, 1}},
    {"wrxchg_b32", {[](M, U, U a, U) { return a; }, 1}}, {"wrap_b32", {[](M, U m, U a, U b) { return m >= a ? m - a : m + b; }, 2}},
    {"write_b32", {[](M, U, U a, U) { return a; }, 1}}, // the SRC2 form
  };
  return l;
}
inline const op_list<uint64_t>& ops64() {
  using M = const machine&; using U = uint64_t;
  static const op_list<uint64_t> l = {
    {"add_u64", {[](M, U m, U a, U) { return m + a; }, 1}}, {"sub_u64", {[](M, U m, U a, U) { return m - a; }, 1}},
    {"rsub_u64", {[](M, U m, U a, U) { return a - m; }, 1}},
    {"inc_u64", {[](M, U m, U a, U) { return m >= a ? 0 : m + 1; }, 1}}, {"dec_u64", {[](M, U m, U a, U) { return m == 0 || m > a ? a : m - 1; }, 1}},
    {"min_i64", {[](M, U m, U a, U) { return int64_t(a) < int64_t(m) ? a : m; }, 1}}, {"max_i64", {[](M, U m, U a, U) { return int64_t(a) > int64_t(m) ? a : m; }, 1}},
    {"min_u64", {[](M, U m, U a, U) { return a < m ? a : m; }, 1}}, {"max_u64", {[](M, U m, U a, U) { return a > m ? a : m; }, 1}},
    {"and_b64", {[](M, U m, U a, U) { return m & a; }, 1}}, {"or_b64", {[](M, U m, U a, U) { return m | a; }, 1}}, {"xor_b64", {[](M, U m, U a, U) { return m ^ a; }, 1}},
    {"mskor_b64", {[](M, U m, U a, U b) { return (m & ~a) | b; }, 2}}, {"cmpst_b64", {[](M, U m, U a, U b) { return m == a ? b : m; }, 2}},
    {"cmpst_f64", {[](M x, U m, U a, U b) { const bool k = x.w->mode >> 6 & 1; return f64(flush64(m, k)) == f64(flush64(a, k)) ? b : m; }, 2}},
    {"min_f64", {[](M x, U m, U a, U) { return pick64(x, m, a, false); }, 1}}, {"max_f64", {[](M x, U m, U a, U) { return pick64(x, m, a, true); }, 1}},
    {"wrxchg_b64", {[](M, U, U a, U) { return a; }, 1}}, {"write_b64", {[](M, U, U a, U) { return a; }, 1}},
  };
  return l;
}

// ---- entries
inline void put_result(machine& x, unsigned l, unsigned row, uint64_t v, unsigned dwords) {
  for (unsigned k = 0; k < dwords; ++k) x.result[row + k][l] = uint32_t(v >> (32 * k));
}

template <class U> void add_atomics(std::map<std::string, entry>& t, const op_list<U>& l) {
  constexpr unsigned n = sizeof(U);
  for (const auto& [name, op] : l) {
    const auto cut = name.rfind('_');
    const std::string verb = name.substr(0, cut), type = name.substr(cut);
    const auto f = op.f;
    for (const bool returns : {false, true}) {
      if (verb == "write") continue;
      t["ds_" + verb + (returns ? "_rtn" : "") + type] = {[f, returns](machine& x, unsigned l) {
        const uint32_t a = (x.addr(l) + uint32_t(x.w->inst->offset)) & ~(n - 1);
        const U old = U(x.get(a, n));
        const U d = n == 8 ? U(x.q0(l)) : x.d0(l), e = n == 8 ? U(x.q1(l)) : x.d1(l);
        x.put(a, n, f(x, old, d, e));
        if (returns) put_result(x, l, 0, old, n / 4);
      }, {}};
    }
    t["ds_" + verb + "_src2" + type] = {[f](machine& x, unsigned l) {
      const uint32_t offset = uint32_t(x.w->inst->offset) & 0xffff, v = x.addr(l);
      uint32_t a; int64_t distance;
      if (offset >> 15) { a = v & 0x1ffff; distance = int32_t(v) / (1 << 17) - (int32_t(v) < 0 && (v & 0x1ffff) ? 1 : 0); }
      else { a = v; distance = (offset & 0x4000) ? int64_t(offset & 0x7fff) - 0x8000 : int64_t(offset & 0x7fff); }
      const uint32_t b = uint32_t(a + uint32_t(distance * 4)) & ~(n - 1);
      a &= ~(n - 1);
      x.put(a, n, f(x, U(x.get(a, n)), U(x.get(b, n)), 0));
    }, {}};
  }
}

inline void add_loads(std::map<std::string, entry>& t) {
  const auto load = [&t](const std::string& name, unsigned bytes, bool sign, bool d16) {
    t[name] = {[bytes, sign, d16](machine& x, unsigned l) {
      const uint32_t a = x.place(x.addr(l) + uint32_t(x.w->inst->offset), bytes);
      if (bytes >= 4) { for (unsigned k = 0; k < bytes / 4; ++k) x.result[k][l] = uint32_t(x.get(a + 4 * k, 4)); return; }
      uint32_t v = uint32_t(x.get(a, bytes));
      if (sign && v >> (8 * bytes - 1)) v |= ~uint32_t(0) << (8 * bytes);
      x.result[0][l] = d16 ? (v & 0xffff) * 0x10001 : v; // both halves hold it
    }, {}};
  };
  load("ds_read_b32", 4, false, false); load("ds_read_b64", 8, false, false); load("ds_read_b96", 12, false, false); load("ds_read_b128", 16, false, false);
  load("ds_read_u8", 1, false, false); load("ds_read_i8", 1, true, false); load("ds_read_u16", 2, false, false); load("ds_read_i16", 2, true, false);
  for (const char* hi : {"", "_hi"}) {
    load(std::string("ds_read_u8_d16") + hi, 1, false, true);
    load(std::string("ds_read_i8_d16") + hi, 1, true, true);
    load(std::string("ds_read_u16_d16") + hi, 2, false, true);
  }
  const auto store = [&t](const std::string& name, unsigned bytes, unsigned shift) {
    t[name] = {[bytes, shift](machine& x, unsigned l) {
      const uint32_t a = x.place(x.addr(l) + uint32_t(x.w->inst->offset), bytes);
      if (bytes < 4) x.put(a, bytes, x.d0(l) >> shift);
      else for (unsigned k = 0; k < bytes / 4; ++k) x.put(a + 4 * k, 4, x.d0(l, k));
    }, {}};
  };
  store("ds_write_b8", 1, 0); store("ds_write_b16", 2, 0); store("ds_write_b8_d16_hi", 1, 16); store("ds_write_b16_d16_hi", 2, 16);
  store("ds_write_b32", 4, 0); store("ds_write_b64", 8, 0); store("ds_write_b96", 12, 0); store("ds_write_b128", 16, 0);
  for (const unsigned bytes : {4u, 8u}) for (const bool far : {false, true}) {
    const std::string tail = std::string(far ? "st64" : "") + (bytes == 8 ? "_b64" : "_b32"), rtail = std::string(far ? "st64" : "") + (bytes == 8 ? "_rtn_b64" : "_rtn_b32");
    const unsigned unit = bytes * (far ? 64 : 1), n = bytes / 4;
    const auto at = [unit, bytes](machine& x, unsigned l, unsigned e, bool forced) {
      const uint32_t a = x.addr(l) + (e ? x.w->inst->offset1 : x.w->inst->offset0) * unit;
      return forced ? a & ~(bytes - 1) : x.place(a, bytes);
    };
    t["ds_read2" + tail] = {[at, n](machine& x, unsigned l) {
      for (unsigned e = 0; e < 2; ++e) for (unsigned k = 0; k < n; ++k) x.result[e * n + k][l] = uint32_t(x.get(at(x, l, e, false) + 4 * k, 4));
    }, {}};
    t["ds_write2" + tail] = {[at, n](machine& x, unsigned l) {
      for (unsigned k = 0; k < n; ++k) x.put(at(x, l, 0, false) + 4 * k, 4, x.d0(l, k));
      if (x.w->inst->offset0 == x.w->inst->offset1) return; // one write, of the first data
      for (unsigned k = 0; k < n; ++k) x.put(at(x, l, 1, false) + 4 * k, 4, x.d1(l, k));
    }, {}};
    t["ds_wrxchg2" + rtail] = {[at, bytes, n](machine& x, unsigned l) {
      const uint64_t first = x.get(at(x, l, 0, true), bytes);
      put_result(x, l, 0, first, n);
      x.put(at(x, l, 0, true), bytes, n == 2 ? x.q0(l) : x.d0(l));
      if (x.w->inst->offset0 == x.w->inst->offset1) { put_result(x, l, n, first, n); return; }
      put_result(x, l, n, x.get(at(x, l, 1, true), bytes), n);
      x.put(at(x, l, 1, true), bytes, n == 2 ? x.q1(l) : x.d1(l));
    }, {}};
  }
}

inline unsigned swizzle_lane(unsigned offset, unsigned i) {
  unsigned j;
  if (offset >= 0xe000) {
    const unsigned mask = offset & 31;
    j = ((i & 1) << 4) | ((i & 2) << 2) | (i & 4) | ((i & 8) >> 2) | ((i & 16) >> 4);
    for (unsigned m = mask; m; m >>= 1) if (m & 1) j >>= 1;
    j |= i & mask;
    j |= i & 32;
  } else if (offset >= 0xc000) {
    int rotate = int(offset >> 5 & 31);
    if (offset & 0x400) rotate = -rotate;
    const unsigned mask = offset & 31;
    j = (i & mask) | (unsigned((int(i & 31) + rotate + 32) % 32) & ~mask & 31);
    j |= i & 32;
  } else if (offset & 0x8000) {
    j = i / 4 * 4 + (offset >> (2 * (i % 4))) % 4;
  } else {
    j = (((i & 31) & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
    j |= i & 32;
  }
  return j;
}

inline std::map<std::string, entry> make_table() {
  std::map<std::string, entry> t;
  add_atomics(t, ops32());
  add_atomics(t, ops64());
  add_loads(t);
  t["ds_condxchg32_rtn_b64"] = {[](machine& x, unsigned l) {
    const uint32_t a = (x.addr(l) + uint32_t(x.w->inst->offset)) & ~7u;
    const bool in = x.inside(a, 8);
    for (unsigned k = 0; k < 2; ++k) {
      x.result[k][l] = in ? uint32_t(x.get(a + 4 * k, 4)) : 0;
      if (in && x.d0(l, k) >= 0x80000000) x.put(a + 4 * k, 4, x.d0(l, k) - 0x80000000);
    }
  }, {}};
  t["ds_nop"] = {[](machine&, unsigned) {}, {}};
  const auto addtid = [](machine& x, unsigned l) { return x.place(uint32_t(x.w->inst->offset) + (x.gds ? 0 : x.w->m0 & 0xffff) + 4 * l, 4); };
  t["ds_read_addtid_b32"] = {[addtid](machine& x, unsigned l) { x.result[0][l] = uint32_t(x.get(addtid(x, l), 4)); }, {}};
  t["ds_write_addtid_b32"] = {[addtid](machine& x, unsigned l) { x.put(addtid(x, l), 4, x.d0(l)); }, {}};
  t["ds_swizzle_b32"] = {[](machine& x, unsigned l) {
    const unsigned from = swizzle_lane(uint32_t(x.w->inst->offset), l);
    x.result[0][l] = x.lane(from) ? x.addr(from) : 0;
  }, {}};
  t["ds_bpermute_b32"] = {[](machine& x, unsigned l) {
    const unsigned from = (x.addr(l) + uint32_t(x.w->inst->offset)) / 4 % 64;
    x.result[0][l] = x.lane(from) ? x.d0(from) : 0;
  }, {}};
  t["ds_permute_b32"] = {{}, [](machine& x) {
    uint32_t moved[64] = {};
    for (unsigned l = 0; l < 64; ++l) if (x.lane(l)) moved[(x.addr(l) + uint32_t(x.w->inst->offset)) / 4 % 64] = x.d0(l);
    for (unsigned l = 0; l < 64; ++l) x.result[0][l] = moved[l];
  }};
  for (const bool consume : {false, true}) t[consume ? "ds_consume" : "ds_append"] = {{}, [consume](machine& x) {
    const uint32_t a = (uint32_t(x.w->inst->offset) + (x.gds ? 0 : x.w->m0 & 0xffff)) & ~3u;
    uint32_t n = 0;
    for (unsigned l = 0; l < 64; ++l) n += x.lane(l);
    const uint32_t old = uint32_t(x.get(a, 4));
    x.put(a, 4, consume ? old - n : old + n);
    for (unsigned l = 0; l < 64; ++l) x.result[0][l] = old;
  }};
  return t;
}

inline const std::map<std::string, entry>& table() {
  static const std::map<std::string, entry> t = make_table();
  return t;
}

inline void run(machine& x) {
  const entry& e = table().at(x.w->inst->info->name);
  if (e.whole) return e.whole(x);
  for (unsigned l = 0; l < 64; ++l) if (x.lane(l)) e.each(x, l);
}

/// Opcodes that only the GDS has.
inline bool gds_only(const std::string& name) { return name.rfind("ds_gws_", 0) == 0 || name == "ds_ordered_count"; }

} // namespace ds_model
