// SPDX-License-Identifier: Apache-2.0
// What the texture tests share: instructions by name, a small memory, and a plain per-byte model of the address equations.
#pragma once
#include "fabric/address_space.h"
#include "fabric/wave_request.h"
#include "isa/descriptors.h"
#include "isa/instruction.h"
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace texture_test {

using lyra::fabric::fault_kind;
using lyra::fabric::wave_request;
namespace isa = lyra::isa;

/// The row of the instruction table with this name and encoding.
inline const isa::opcode_info& row(const std::string& name) {
  static const std::map<std::string, isa::opcode_info> rows = [] {
    using namespace lyra::isa;
    using e = isa::encoding;
    using t = operand_type;
    using m = memory_kind;
    using a = atomic_operation;
    std::map<std::string, opcode_info> all;
    struct entry { opcode_info i; };
    const entry table[] = {
#define LYRA_OPCODE(id, enc, number, name, targets, dst, sdst, s0, s1, s2, flags, mem, bytes, data, result, atomic)                                                        \
  {opcode_info{op::id, e::enc, number, name, targets, t::dst, t::sdst, {t::s0, t::s1, t::s2}, flags, m::mem, bytes, data, result, a::atomic}},
#define LYRA_OPCODE_AGAIN(...)
#include "isa/opcodes.def"
#undef LYRA_OPCODE
#undef LYRA_OPCODE_AGAIN
    };
    for (const entry& r : table)
      switch (r.i.encoding) {
        case e::MUBUF: case e::MTBUF: case e::FLAT: case e::GLOBAL: case e::SCRATCH: case e::MIMG: all[r.i.name] = r.i; break;
        default: break;
      }
    return all;
  }();
  const auto found = rows.find(name);
  if (found == rows.end()) throw std::runtime_error("no instruction " + name);
  return found->second;
}

inline isa::instruction make(const std::string& name) {
  isa::instruction i;
  i.info = &row(name);
  return i;
}

/// V# by its fields.
struct descriptor {
  uint64_t base = 0;
  unsigned stride = 0;
  bool swizzle = false;
  uint32_t num_records = 0xffffffff;
  unsigned dst_sel[4] = {4, 5, 6, 7};
  unsigned nfmt = 4, dfmt = 4;
  bool user_vm = false, user_vm_error = false, add_tid = false, nv = false;
  unsigned index_stride = 0; // code
  unsigned type = 0;
  void put(uint32_t w[4]) const {
    w[0] = uint32_t(base);
    w[1] = uint32_t(base >> 32 & 0xffff) | stride << 16 | uint32_t(swizzle) << 31;
    w[2] = num_records;
    w[3] = dst_sel[0] | dst_sel[1] << 3 | dst_sel[2] << 6 | dst_sel[3] << 9 | nfmt << 12 | dfmt << 15 | uint32_t(user_vm) << 19 | uint32_t(user_vm_error) << 20 |
           index_stride << 21 | uint32_t(add_tid) << 23 | uint32_t(nv) << 27 | type << 30;
  }
};

inline std::unique_ptr<wave_request> request(const isa::instruction& i, uint64_t exec = ~uint64_t(0)) {
  auto r = std::make_unique<lyra::fabric::standalone_wave_request>();
  r->begin(&i, exec);
  return r;
}

/// Pages of memory at chosen addresses.
class memory : public lyra::fabric::address_space {
public:
  void map(uint64_t first, uint64_t bytes, lyra::fabric::page_state s = lyra::fabric::page_state::mapped) {
    for (uint64_t p = first / 4096; p <= (first + bytes - 1) / 4096; ++p) {
      page& g = pages_[p];
      g.state = s;
      if (g.bytes.empty()) g.bytes.resize(4096);
    }
  }
  lyra::fabric::page_state state(uint64_t a) const override {
    const auto f = pages_.find(a / 4096);
    return f == pages_.end() ? lyra::fabric::page_state::unmapped : f->second.state;
  }
  uint8_t* host_line(uint64_t a) override {
    const auto f = pages_.find(a / 4096);
    return f == pages_.end() ? nullptr : f->second.bytes.data() + (a % 4096 & ~63ull);
  }
  uint8_t& byte(uint64_t a) { return host_line(a)[a % 64]; }
  uint32_t dword(uint64_t a) { uint32_t v = 0; for (unsigned i = 0; i < 4; ++i) v |= uint32_t(byte(a + i)) << (8 * i); return v; }
  void fill(uint32_t seed) {
    std::mt19937 g(seed);
    for (auto& [n, p] : pages_)
      for (uint8_t& b : p.bytes) b = uint8_t(g() >> 11);
  }
  bool operator==(const memory& o) const {
    if (pages_.size() != o.pages_.size()) return false;
    for (auto& [n, p] : pages_)
      if (o.pages_.at(n).bytes != p.bytes) return false;
    return true;
  }

private:
  struct page { lyra::fabric::page_state state; std::vector<uint8_t> bytes; };
  std::map<uint64_t, page> pages_;
};

/// What an atomic leaves in memory (Vega ISA, BUFFER_ATOMIC).
inline uint64_t after_atomic(isa::atomic_operation o, unsigned bytes, uint64_t old, uint64_t operand, uint64_t compare) {
  using a = isa::atomic_operation;
  const uint64_t ones = bytes == 8 ? ~0ull : 0xffffffffull;
  const auto s = [&](uint64_t v) { return bytes == 8 ? int64_t(v) : int64_t(int32_t(v)); };
  old &= ones; operand &= ones; compare &= ones;
  switch (o) {
    case a::atomic_swap: return operand;
    case a::atomic_cmpswap: return old == compare ? operand : old;
    case a::atomic_add: return (old + operand) & ones;
    case a::atomic_sub: return (old - operand) & ones;
    case a::atomic_smin: return s(operand) < s(old) ? operand : old;
    case a::atomic_umin: return operand < old ? operand : old;
    case a::atomic_smax: return s(operand) > s(old) ? operand : old;
    case a::atomic_umax: return operand > old ? operand : old;
    case a::atomic_and: return old & operand;
    case a::atomic_or: return old | operand;
    case a::atomic_xor: return old ^ operand;
    case a::atomic_inc: return old >= operand ? 0 : old + 1;
    case a::atomic_dec: return old == 0 || old > operand ? operand : old - 1;
    default: throw std::runtime_error("no such atomic");
  }
}

/// One byte of an access, or none where it is out of range.
using byte_address = std::optional<uint64_t>;

struct expected_access {
  fault_kind fault = fault_kind::none;
  unsigned fault_lane = 0;
  std::vector<byte_address> bytes[64]; ///< by lane, one entry a byte of the element; empty for lanes outside EXEC
};

/// Bits of a buffer data format, first component first, written out again for the tests.
inline std::vector<unsigned> format_bits(unsigned dfmt) {
  static const std::vector<unsigned> table[16] = {{}, {8}, {16}, {8, 8}, {32}, {16, 16}, {11, 11, 10}, {10, 11, 11}, {2, 10, 10, 10}, {10, 10, 10, 2}, {8, 8, 8, 8}, {32, 32},
                                                  {16, 16, 16, 16}, {32, 32, 32}, {32, 32, 32, 32}, {}};
  return table[dfmt];
}
inline unsigned format_bytes(unsigned dfmt) {
  unsigned n = 0;
  for (unsigned b : format_bits(dfmt)) n += b;
  return n / 8;
}

/// The address equations as the documents give them, lane by lane and byte by byte.
inline expected_access model(const wave_request& r) {
  using e = isa::encoding;
  expected_access out;
  const isa::instruction& i = *r.inst;
  const bool atomic = i.info->memory == isa::memory_kind::atomic, typed = i.has(isa::FORMAT), buffer = i.encoding() == e::MUBUF || i.encoding() == e::MTBUF;
  unsigned size = i.info->memory_bytes;
  const uint32_t* w = r.resource;
  const unsigned dfmt = w[3] >> 15 & 15, used_dfmt = i.encoding() == e::MTBUF ? i.dfmt : dfmt;
  if (typed) size = format_bytes(used_dfmt);
  auto fault = [&](fault_kind k, unsigned lane) { if (out.fault == fault_kind::none) { out.fault = k; out.fault_lane = lane; } };
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(r.exec >> lane & 1)) continue;
    std::vector<byte_address>& bytes = out.bytes[lane];
    const uint64_t keep = r.unaligned && !atomic ? 0 : size == 8 && atomic ? 7 : size >= 4 ? 3 : size - 1; // bits that are dropped (or must be 0)
    if (buffer) {
      const bool plain = i.encoding() == e::MUBUF && !typed, tid_on = w[3] >> 23 & 1, swizzle = w[1] >> 31;
      const uint64_t base = w[0] | uint64_t(w[1] & 0xffff) << 32, records = w[2];
      uint64_t stride = w[1] >> 16 & 0x3fff;
      if (tid_on && plain) stride += uint64_t(dfmt) * 16384;
      if ((dfmt == 0 && !(tid_on && plain)) || (typed && used_dfmt == 0)) { bytes.assign(typed ? 4 : size, std::nullopt); continue; }
      const uint64_t index = (i.idxen ? r.vaddr[0][lane] : 0) + uint64_t(tid_on ? lane : 0);
      const uint64_t offset = (uint64_t(i.offset) + (i.offen ? r.vaddr[i.idxen ? 1 : 0][lane] : 0)) % (1ull << 32);
      uint64_t where;
      if (!swizzle) where = offset + stride * index;
      else {
        const uint64_t is = 8u << (w[3] >> 21 & 3), es = 4;
        where = (index / is * stride + offset / es * es) * is + index % is * es + offset % es;
      }
      const uint64_t address = base + r.soffset + where;
      const bool structured = i.idxen && stride != 0, unchecked = tid_on && !i.idxen;
      bool any = false;
      for (unsigned b = 0; b < size; ++b) {
        bool in = true;
        if (structured) in = index < records;
        else if (!unchecked) {
          const uint64_t o = offset + r.soffset;
          const uint64_t end = plain && !atomic && size >= 4 ? o + b / 4 * 4 + 4 : o + size;
          in = end <= records;
        }
        any |= in;
        bytes.push_back(in ? byte_address(((address & ~keep) + b) & 0xffffffffffffull) : std::nullopt);
      }
      if (any && swizzle) {
        if (size > 4) fault(fault_kind::bad_descriptor, lane);
        else if ((r.unaligned || size < 4) && offset % 4 + size > 4) fault(fault_kind::misaligned, lane);
      }
      if (any && atomic && r.unaligned && (address & keep)) fault(fault_kind::misaligned, lane);
      continue;
    }
    bool priv = i.encoding() == e::SCRATCH;
    uint64_t address;
    if (priv) address = uint32_t((i.saddr.present() ? uint32_t(r.saddr) : r.vaddr[0][lane]) + uint32_t(i.offset));
    else {
      address = i.encoding() == e::GLOBAL && i.saddr.present() ? r.saddr + r.vaddr[0][lane] : r.vaddr[0][lane] | uint64_t(r.vaddr[1][lane]) << 32;
      address += uint64_t(int64_t(i.offset));
      priv = i.encoding() == e::FLAT && address >> 32 == 0x20000;
      if (priv) address &= 0xffffffff;
      else if (address >> 47 != 0 && address >> 47 != 0x1ffff) { fault(fault_kind::unmapped, lane); continue; }
    }
    if (!r.unaligned) address &= ~keep;
    else if (atomic && (address & keep)) fault(fault_kind::misaligned, lane);
    if (priv && atomic && size == 8) fault(fault_kind::unsupported, lane);
    for (unsigned b = 0; b < size; ++b) {
      const uint64_t a = address + b;
      bytes.push_back((priv ? r.flat_scratch + uint64_t(uint32_t(a)) / 4 * 256 + lane * 4 + a % 4 : a) & 0xffffffffffffull);
    }
  }
  return out;
}

} // namespace texture_test
