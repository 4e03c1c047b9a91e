// SPDX-License-Identifier: Apache-2.0
#include "alu/data_share.h"
#include "alu/data_share_atomics.h"
#include <algorithm>
#include <array>
#include <cstring>

namespace lyra::alu {

namespace {

std::array<ds_shape, 256> make_table() {
  std::array<ds_shape, 256> t{};
#define DS_SHAPE(id, number, kind_, operation_, bytes_, elements_, scale_, returns_, sign_, half_) \
  t[number].kind = ds_kind::kind_; t[number].operation = ds_operation::operation_; t[number].bytes = bytes_; t[number].elements = elements_; \
  t[number].offset_scale = scale_; t[number].returns = returns_; t[number].sign = sign_; t[number].half = half_;
#include "alu/data_share.def"
#undef DS_SHAPE
  return t;
}
const std::array<ds_shape, 256> table = make_table();

ds_operation operation_of(isa::atomic_operation o) {
  using a = isa::atomic_operation;
  switch (o) {
    case a::atomic_swap: return ds_operation::xchg;
    case a::atomic_cmpswap: return ds_operation::cmpswap;
    case a::atomic_add: return ds_operation::add;
    case a::atomic_sub: return ds_operation::sub;
    case a::atomic_smin: return ds_operation::smin;
    case a::atomic_umin: return ds_operation::umin;
    case a::atomic_smax: return ds_operation::smax;
    case a::atomic_umax: return ds_operation::umax;
    case a::atomic_and: return ds_operation::bit_and;
    case a::atomic_or: return ds_operation::bit_or;
    case a::atomic_xor: return ds_operation::bit_xor;
    case a::atomic_inc: return ds_operation::inc;
    case a::atomic_dec: return ds_operation::dec;
    case a::atomic_fmin: return ds_operation::fmin;
    case a::atomic_fmax: return ds_operation::fmax;
    case a::atomic_fadd: return ds_operation::fadd;
    default: return ds_operation::none;
  }
}

ds_shape flat_shape(const isa::instruction& i) {
  ds_shape s;
  s.flat = true;
  s.bytes = i.info->memory_bytes;
  s.sign = i.has(isa::SIGNED);
  s.half = i.has(isa::D16_HI) ? 2 : i.has(isa::D16) ? 1 : 0;
  switch (i.info->memory) {
    case isa::memory_kind::load: s.kind = ds_kind::read; s.returns = true; break;
    case isa::memory_kind::store: s.kind = ds_kind::write; break;
    case isa::memory_kind::atomic:
      s.kind = ds_kind::atomic;
      s.operation = operation_of(i.info->atomic);
      s.returns = i.glc;
      break;
    default: s.kind = ds_kind::none;
  }
  return s;
}

template <class F> inline void for_lanes(uint64_t exec, F f) {
  if (exec == ~uint64_t(0)) {
    for (unsigned l = 0; l < 64; ++l) f(l);
  } else {
    for (; exec; exec &= exec - 1) f(unsigned(__builtin_ctzll(exec)));
  }
}

/// Alignment that the hardware forces: the element's own with unaligned access off (12 bytes count as 16), that of the word for atomics.
unsigned forced_alignment(const ds_shape& s, bool unaligned) {
  switch (s.kind) {
    case ds_kind::atomic: case ds_kind::src2: case ds_kind::condxchg: return s.bytes;
    case ds_kind::append: case ds_kind::consume: return 4;
    default: break;
  }
  if (unaligned) return 1;
  return s.bytes == 12 ? 16 : s.bytes ? s.bytes : 1;
}

/// Lanes whose `bytes` at element e's address do not lie wholly inside the allocation.
uint64_t lanes_outside(const ds_access& a, const ds_addresses& where, unsigned e) {
  const unsigned bytes = a.shape.bytes;
  if (a.size < bytes) return a.exec;
  const uint32_t last = a.size - bytes;
  const uint32_t* address = where.address[e];
  if (where.linear[e]) { // both ends decide, unless the addresses wrap round
    const int64_t end = int64_t(address[0]) + 63 * int64_t(where.step[e]);
    if (address[0] <= last && end >= 0 && end <= int64_t(last)) return 0;
  }
  uint32_t any = 0;
  if (where.by_eights[e] && where.step[e] >= 0) { // so do those of each eight
    const uint64_t length = 7 * uint64_t(where.step[e]);
    for (unsigned l = 0; l < 64; l += 8) any |= uint32_t(address[l] + length > last);
  } else {
    for (unsigned l = 0; l < 64; ++l) any |= uint32_t(address[l] > last);
  }
  if (!any) return 0; // the usual case, one vector loop
  uint64_t out = 0;
  for (unsigned l = 0; l < 64; ++l) out |= uint64_t(address[l] > last) << l;
  return out & a.exec;
}

/// Looks for a constant distance between the lanes, all of them or those of each eight.
void find_step(const ds_access& a, ds_addresses& out, unsigned e) {
  out.linear[e] = out.by_eights[e] = false;
  if (a.exec != ~uint64_t(0)) return;
  static constexpr uint32_t inside[8] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0};
  const uint32_t* address = out.address[e];
  const uint32_t step = address[1] - address[0];
  uint32_t difference = 0, difference_inside = 0;
  for (unsigned l = 0; l < 56; ++l) {
    const uint32_t d = (address[l + 1] - address[l]) ^ step;
    difference |= d;
    difference_inside |= d & inside[l % 8];
  }
  for (unsigned l = 56; l < 63; ++l) difference_inside |= (address[l + 1] - address[l]) ^ step;
  out.by_eights[e] = difference_inside == 0;
  out.linear[e] = (difference | difference_inside) == 0;
  out.step[e] = int32_t(step);
}

template <class T> T load(const uint8_t* p) { T v; std::memcpy(&v, p, sizeof v); return v; }
template <class T> void store(uint8_t* p, T v) { std::memcpy(p, &v, sizeof v); }

/// A small element (1, 2 bytes) as a dword of the result.
uint32_t extend(const ds_shape& s, uint32_t v) {
  if (s.sign) v = s.bytes == 1 ? uint32_t(int32_t(int8_t(v))) : uint32_t(int32_t(int16_t(v)));
  return s.half ? (v & 0xffff) | v << 16 : v;
}

void read_small(ds_access& a, const uint32_t* address, uint64_t out, uint32_t* result) {
  for_lanes(a.exec, [&](unsigned l) {
    if (out >> l & 1) { result[l] = 0; return; }
    const uint8_t* p = a.memory + address[l];
    result[l] = extend(a.shape, a.shape.bytes == 1 ? *p : load<uint16_t>(p));
  });
}

/// Elements of N dwords, one a lane; those of each eight lanes are consecutive (`where.step` is the element's size).
template <unsigned N> void read_eights(const uint8_t* memory, const uint32_t* address, uint32_t (*result)[64]) {
  for (unsigned first = 0; first < 64; first += 8) {
    uint32_t words[8 * N];
    std::memcpy(words, memory + address[first], sizeof words);
    for (unsigned k = 0; k < N; ++k)
      for (unsigned l = 0; l < 8; ++l) result[k][first + l] = words[l * N + k];
  }
}
/// Of equal addresses the highest lane's data stay.
template <unsigned N> void write_eights(uint8_t* memory, const uint32_t* address, const uint32_t (*data)[64]) {
  for (unsigned first = 0; first < 64; first += 8) {
    uint32_t words[8 * N];
    for (unsigned k = 0; k < N; ++k)
      for (unsigned l = 0; l < 8; ++l) words[l * N + k] = data[k][first + l];
    std::memcpy(memory + address[first], words, sizeof words);
  }
}

/// Whole dwords; a dword outside reads 0.
void read_dwords(ds_access& a, const ds_addresses& where, unsigned e, uint64_t out, uint32_t (*result)[64]) {
  const unsigned n = a.shape.element_dwords();
  const uint32_t* address = where.address[e];
  if (!out && where.by_eights[e]) {
    if (where.step[e] == 0) {
      for (unsigned k = 0; k < n; ++k)
        for (unsigned l = 0; l < 64; l += 8) std::fill_n(result[k] + l, 8, load<uint32_t>(a.memory + address[l] + 4 * k));
      return;
    }
    if (where.step[e] == int32_t(4 * n)) {
      switch (n) {
        case 1: read_eights<1>(a.memory, address, result); return;
        case 2: read_eights<2>(a.memory, address, result); return;
        case 4: read_eights<4>(a.memory, address, result); return;
        default: break;
      }
    }
  }
  if (!out) {
    for (unsigned k = 0; k < n; ++k) {
      const uint8_t* const memory = a.memory + 4 * k;
      uint32_t* const to = result[k];
      for_lanes(a.exec, [=](unsigned l) { to[l] = load<uint32_t>(memory + address[l]); });
    }
    return;
  }
  for_lanes(a.exec, [&](unsigned l) {
    for (unsigned k = 0; k < n; ++k) {
      const uint32_t d = address[l] + 4 * k;
      result[k][l] = d < a.size && a.size - d >= 4 ? load<uint32_t>(a.memory + d) : 0;
    }
  });
}

void read(ds_access& a, const ds_addresses& where) {
  const unsigned n = a.shape.element_dwords();
  for (unsigned e = 0; e < a.shape.elements; ++e) {
    const uint64_t out = lanes_outside(a, where, e);
    a.out_of_range |= out;
    if (a.shape.bytes < 4) read_small(a, where.address[e], out, a.result[0]);
    else read_dwords(a, where, e, out, a.result + e * n);
  }
}

void write_element(ds_access& a, unsigned l, uint32_t at, bool out, const uint32_t (*data)[64]) {
  const unsigned bytes = a.shape.bytes;
  if (bytes < 4) {
    if (out) return;
    const uint32_t v = a.shape.half == 2 ? data[0][l] >> 16 : data[0][l];
    if (bytes == 1) a.memory[at] = uint8_t(v);
    else store(a.memory + at, uint16_t(v));
    return;
  }
  for (unsigned k = 0; k < bytes / 4; ++k) {
    const uint32_t d = at + 4 * k;
    if (!out || (d < a.size && a.size - d >= 4)) store(a.memory + d, data[k][l]);
  }
}

void write(ds_access& a, const ds_addresses& where) {
  const unsigned elements = a.shape.elements == 2 && a.inst->offset0 != a.inst->offset1 ? 2 : 1; // equal offsets: one write, of DATA0
  uint64_t out[2] = {0, 0};
  for (unsigned e = 0; e < elements; ++e) out[e] = lanes_outside(a, where, e);
  a.out_of_range |= out[0] | out[1];
  const uint32_t* address = where.address[0];
  const unsigned n = a.shape.element_dwords();
  if (a.shape.bytes >= 4 && !(out[0] | out[1])) {
    if (elements == 1 && where.linear[0] && where.step[0] == 0) { // the highest lane's data stay
      for (unsigned k = 0; k < n; ++k) store(a.memory + address[0] + 4 * k, a.data0[k][63]);
      return;
    }
    if (elements == 1 && where.by_eights[0] && where.step[0] == int32_t(4 * n)) {
      switch (n) {
        case 1: write_eights<1>(a.memory, address, a.data0); return;
        case 2: write_eights<2>(a.memory, address, a.data0); return;
        case 4: write_eights<4>(a.memory, address, a.data0); return;
        default: break;
      }
    }
    for_lanes(a.exec, [&](unsigned l) {
      for (unsigned k = 0; k < n; ++k) store(a.memory + address[l] + 4 * k, a.data0[k][l]);
      if (elements == 2)
        for (unsigned k = 0; k < n; ++k) store(a.memory + where.address[1][l] + 4 * k, a.data1[k][l]);
    });
    return;
  }
  for_lanes(a.exec, [&](unsigned l) {
    write_element(a, l, where.address[0][l], out[0] >> l & 1, a.data0);
    if (elements == 2) write_element(a, l, where.address[1][l], out[1] >> l & 1, a.data1);
  });
}

template <class U> U operand(const uint32_t (*data)[64], unsigned l) {
  if constexpr (sizeof(U) == 8) return data[0][l] | uint64_t(data[1][l]) << 32;
  else return data[0][l];
}
template <class U> void put_result(uint32_t (*result)[64], unsigned l, U v) {
  result[0][l] = uint32_t(v);
  if constexpr (sizeof(U) == 8) result[1][l] = uint32_t(uint64_t(v) >> 32);
}

template <class U> void atomic(ds_access& a, const ds_addresses& where) {
  const unsigned elements = a.shape.elements == 2 && a.inst->offset0 != a.inst->offset1 ? 2 : 1;
  const unsigned n = sizeof(U) / 4;
  const bool two = a.shape.data1_dwords() && a.shape.elements == 1;
  uint64_t out[2] = {0, 0};
  for (unsigned e = 0; e < a.shape.elements; ++e) out[e] = lanes_outside(a, where, e);
  a.out_of_range |= out[0] | out[1];
  with_operation<U>(a.shape.operation, a.mode, [&](auto f) {
    if (a.shape.elements == 1 && !out[0]) { // the usual case
      const uint32_t* address = where.address[0];
      for_lanes(a.exec, [&](unsigned l) {
        uint8_t* p = a.memory + address[l];
        const U old = load<U>(p);
        store<U>(p, f(old, operand<U>(a.data0, l), two ? operand<U>(a.data1, l) : U(0)));
        if (a.shape.returns) put_result<U>(a.result, l, old);
      });
      return;
    }
    for_lanes(a.exec, [&](unsigned l) {
      for (unsigned e = 0; e < elements; ++e) {
        U old = 0;
        if (!(out[e] >> l & 1)) {
          uint8_t* p = a.memory + where.address[e][l];
          old = load<U>(p);
          const U d0 = operand<U>(e ? a.data1 : a.data0, l);
          const U d1 = two ? operand<U>(a.data1, l) : 0;
          store<U>(p, f(old, d0, d1));
        }
        if (a.shape.returns) {
          put_result<U>(a.result + e * n, l, old);
          if (elements < a.shape.elements) put_result<U>(a.result + n, l, old);
        }
      }
    });
  });
}

/// address[0] is A (second source and destination), address[1] is B.
template <class U> void src2(ds_access& a, const ds_addresses& where) {
  const uint64_t out_a = lanes_outside(a, where, 0), out_b = lanes_outside(a, where, 1);
  a.out_of_range |= out_a | out_b;
  with_operation<U>(a.shape.operation, a.mode, [&](auto f) {
    for_lanes(a.exec & ~out_a, [&](unsigned l) {
      const U b = out_b >> l & 1 ? 0 : load<U>(a.memory + where.address[1][l]);
      uint8_t* p = a.memory + where.address[0][l];
      store<U>(p, f(load<U>(p), b, 0));
    });
  });
}

void condxchg(ds_access& a, const ds_addresses& where) {
  const uint64_t out = lanes_outside(a, where, 0);
  a.out_of_range |= out;
  for_lanes(a.exec, [&](unsigned l) {
    for (unsigned k = 0; k < 2; ++k) {
      uint32_t old = 0;
      if (!(out >> l & 1)) {
        uint8_t* p = a.memory + where.address[0][l] + 4 * k;
        old = load<uint32_t>(p);
        if (a.data0[k][l] >> 31) store<uint32_t>(p, a.data0[k][l] & 0x7fffffff);
      }
      a.result[k][l] = old;
    }
  });
}

void permute(ds_access& a, const ds_addresses& where) {
  const uint32_t* data = a.shape.kind == ds_kind::swizzle ? a.vaddr[0] : a.data0[0];
  alignas(64) uint32_t moved[64] = {};
  if (a.shape.kind == ds_kind::permute) {
    for_lanes(a.exec, [&](unsigned l) { moved[where.address[0][l] / 4] = data[l]; }); // the highest lane wins
  } else {
    for_lanes(a.exec, [&](unsigned l) {
      const unsigned from = where.address[0][l] / 4;
      moved[l] = a.exec >> from & 1 ? data[from] : 0;
    });
  }
  std::memcpy(a.result[0], moved, sizeof moved);
}

void append(ds_access& a, const ds_addresses& where) {
  const uint32_t at = where.address[0][0];
  uint32_t old = 0;
  if (at < a.size && a.size - at >= 4) {
    const uint32_t n = uint32_t(__builtin_popcountll(a.exec));
    old = load<uint32_t>(a.memory + at);
    store(a.memory + at, a.shape.kind == ds_kind::append ? old + n : old - n);
  } else {
    a.out_of_range |= a.exec;
  }
  std::fill_n(a.result[0], 64, old);
}

} // namespace

unsigned ds_shape::data0_dwords() const {
  switch (kind) {
    case ds_kind::write: case ds_kind::atomic: case ds_kind::condxchg: case ds_kind::permute: case ds_kind::bpermute: case ds_kind::write_addtid: return element_dwords();
    default: return 0;
  }
}

unsigned ds_shape::data1_dwords() const {
  if (elements == 2 && (kind == ds_kind::write || kind == ds_kind::atomic)) return element_dwords();
  if (kind != ds_kind::atomic) return 0;
  switch (operation) {
    case ds_operation::mskor: case ds_operation::cmpst: case ds_operation::cmpswap: case ds_operation::fcmpst: case ds_operation::wrap: return element_dwords();
    default: return 0;
  }
}

ds_shape ds_shape_of_opcode(unsigned number) { return number < 256 ? table[number] : ds_shape{}; }

ds_shape ds_shape_of(const isa::instruction& i) {
  if (i.info->encoding == isa::encoding::DS) return table[i.info->number & 255];
  if (i.info->encoding == isa::encoding::FLAT) return flat_shape(i);
  ds_shape s;
  if (i.info->memory == isa::memory_kind::store_lds) {
    s.kind = ds_kind::read_direct;
    s.bytes = 4;
    s.returns = true;
  }
  return s;
}

void ds_swizzle_sources(unsigned offset, uint8_t* source) {
  const unsigned mask = offset & 0x1f, upper = offset >> 5 & 0x1f;
  if (offset >= 0xe000) { // FFT: the lane number bit-reversed, less the bits the mask keeps in place
    const unsigned kept = unsigned(__builtin_popcount(mask));
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned reversed = (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
      source[i] = uint8_t((reversed >> kept) | (i & mask));
    }
  } else if (offset >= 0xc000) { // rotate, left (down) or right; lane bits in the mask stay
    const unsigned by = offset & 0x400 ? 32 - upper : upper;
    for (unsigned i = 0; i < 32; ++i) source[i] = uint8_t((i & mask) | ((i + by) & 0x1f & ~mask));
  } else if (offset & 0x8000) { // any within four
    for (unsigned i = 0; i < 32; ++i) source[i] = uint8_t((i & ~3u) | (offset >> (2 * (i & 3)) & 3));
  } else { // and, or, xor
    const unsigned flip = offset >> 10 & 0x1f;
    for (unsigned i = 0; i < 32; ++i) source[i] = uint8_t(((i & mask) | upper) ^ flip);
  }
  for (unsigned i = 0; i < 32; ++i) source[i + 32] = source[i] | 32;
}

void ds_compute_addresses(const ds_access& a, ds_addresses& out) {
  const ds_shape& s = a.shape;
  const isa::instruction& i = *a.inst;
  const uint32_t keep = ~(forced_alignment(s, a.unaligned) - 1);
  out.linear[0] = out.linear[1] = out.by_eights[0] = out.by_eights[1] = false;
  switch (s.kind) {
    case ds_kind::read: case ds_kind::write: case ds_kind::atomic: case ds_kind::condxchg: {
      const uint32_t* base = a.vaddr[0];
      if (s.elements == 2) {
        const uint32_t o0 = i.offset0 * s.offset_scale, o1 = i.offset1 * s.offset_scale;
        for (unsigned l = 0; l < 64; ++l) out.address[0][l] = (base[l] + o0) & keep;
        for (unsigned l = 0; l < 64; ++l) out.address[1][l] = (base[l] + o1) & keep;
        find_step(a, out, 1);
      } else {
        const uint32_t o = uint32_t(i.offset);
        for (unsigned l = 0; l < 64; ++l) out.address[0][l] = (base[l] + o) & keep;
      }
      find_step(a, out, 0);
      break;
    }
    case ds_kind::src2: {
      // OFFSET1[7] = 0: B is a signed 15-bit dword offset away; 1: the distance stands in ADDR[31:17], A in ADDR[16:0].
      const uint32_t offset = uint32_t(i.offset);
      const uint32_t fixed = uint32_t(int32_t(offset << 17) >> 17) * 4;
      for (unsigned l = 0; l < 64; ++l) {
        const uint32_t v = a.vaddr[0][l];
        const uint32_t at = offset & 0x8000 ? v & 0x1ffff : v;
        const uint32_t distance = offset & 0x8000 ? uint32_t(int32_t(v) >> 17) * 4 : fixed;
        out.address[0][l] = at & keep;
        out.address[1][l] = (at + distance) & keep;
      }
      break;
    }
    case ds_kind::swizzle: {
      uint8_t source[64];
      ds_swizzle_sources(uint32_t(i.offset), source);
      for (unsigned l = 0; l < 64; ++l) out.address[0][l] = 4u * source[l];
      break;
    }
    case ds_kind::permute: case ds_kind::bpermute:
      for (unsigned l = 0; l < 64; ++l) out.address[0][l] = (a.vaddr[0][l] + uint32_t(i.offset)) & 0xfc;
      break;
    case ds_kind::read_addtid: case ds_kind::write_addtid: {
      const uint32_t base = uint32_t(i.offset) + (a.m0_use == ds_m0_use::none ? 0 : a.m0 & 0xffff);
      for (unsigned l = 0; l < 64; ++l) out.address[0][l] = (base + 4 * l) & keep;
      break;
    }
    case ds_kind::append: case ds_kind::consume: {
      const uint32_t base = a.m0_use == ds_m0_use::none ? 0 : a.m0_use == ds_m0_use::high_base ? a.m0 >> 16 : a.m0 & 0xffff;
      std::fill_n(out.address[0], 64, (base + uint32_t(i.offset)) & keep);
      break;
    }
    case ds_kind::write_direct: case ds_kind::read_direct:
      for (unsigned l = 0; l < 64; ++l) out.address[0][l] = (a.direct[l] - a.direct_base) & keep; // below the base: wraps, out of range
      break;
    default: break;
  }
}

void ds_execute(ds_access& a, const ds_addresses& where) {
  a.out_of_range = 0;
  switch (a.shape.kind) {
    case ds_kind::read: case ds_kind::read_addtid: case ds_kind::read_direct: read(a, where); break;
    case ds_kind::write: case ds_kind::write_addtid: case ds_kind::write_direct: write(a, where); break;
    case ds_kind::atomic: a.shape.bytes == 8 ? atomic<uint64_t>(a, where) : atomic<uint32_t>(a, where); break;
    case ds_kind::src2: a.shape.bytes == 8 ? src2<uint64_t>(a, where) : src2<uint32_t>(a, where); break;
    case ds_kind::condxchg: condxchg(a, where); break;
    case ds_kind::swizzle: case ds_kind::permute: case ds_kind::bpermute: permute(a, where); break;
    case ds_kind::append: case ds_kind::consume: append(a, where); break;
    default: break;
  }
}

uint32_t ds_apply(ds_operation operation, uint32_t memory, uint32_t d0, uint32_t d1, uint32_t mode) {
  uint32_t r = memory;
  with_operation<uint32_t>(operation, mode, [&](auto f) { r = f(memory, d0, d1); });
  return r;
}

} // namespace lyra::alu
