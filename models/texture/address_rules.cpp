// SPDX-License-Identifier: Apache-2.0
#include "texture/address_rules.h"
#include "fabric/address_space.h"
#include "isa/formats.h"
#include <cstring>

namespace lyra::texture {

namespace {

using fabric::fault_kind;
using fabric::wave_request;
using isa::encoding;
using isa::memory_kind;
namespace formats = isa::formats;

constexpr unsigned lanes = 64;
constexpr uint64_t all_lanes = ~uint64_t(0);

unsigned first_lane(uint64_t mask) { return unsigned(__builtin_ctzll(mask)); }

bool fail(wave_request& r, fault_kind kind, unsigned lane, uint64_t address) {
  r.fault = kind;
  r.fault_lane = uint8_t(lane);
  r.fault_address = address;
  return false;
}

/// The fault of the lowest lane; of equal lanes the one noted first.
struct first_fault {
  unsigned lane = lanes;
  fault_kind kind = fault_kind::none;
  uint64_t address = 0;
  void note(fault_kind k, unsigned l, uint64_t a) {
    if (l < lane) { lane = l; kind = k; address = a; }
  }
};

// Bit l: values[l] > limit.
uint64_t above(const uint64_t* values, uint64_t limit) {
  uint64_t any = 0;
  for (unsigned l = 0; l < lanes; ++l) any |= uint64_t(values[l] > limit);
  if (!any) return 0; // the usual case, one vector loop
  uint64_t mask = 0;
  for (unsigned l = 0; l < lanes; ++l) mask |= uint64_t(values[l] > limit) << l;
  return mask;
}

// Misaligned lanes by the low bits of the address.
uint64_t low_bits(const uint64_t* values, uint64_t bits) {
  uint64_t any = 0;
  for (unsigned l = 0; l < lanes; ++l) any |= values[l] & bits;
  if (!any) return 0;
  uint64_t mask = 0;
  for (unsigned l = 0; l < lanes; ++l) mask |= uint64_t((values[l] & bits) != 0) << l;
  return mask;
}

/// Notes runs of lanes that follow each other in memory, and accesses of one address by all: both are the common cases.
void find_pattern(const uint64_t* a, uint64_t active, unsigned bytes, access_state& s) {
  s.contiguous = s.uniform = false;
  if (!active) return;
  const unsigned first = first_lane(active), count = unsigned(__builtin_popcountll(active));
  const uint64_t run = active >> first;
  s.first_lane = uint8_t(first);
  s.lane_count = uint8_t(count);
  if ((run & (run + 1)) == 0) {
    uint64_t bad = 0;
    const uint64_t base = a[first];
    for (unsigned i = 0; i < count; ++i) bad |= a[first + i] ^ (base + uint64_t(i) * bytes);
    s.contiguous = bad == 0;
    s.base = base;
    if (s.contiguous) return;
  }
  uint64_t differs = 0;
  if (active == all_lanes) {
    for (unsigned l = 0; l < lanes; ++l) differs |= a[l] ^ a[0];
  } else {
    for (uint64_t m = active; m; m &= m - 1) differs |= a[first_lane(m)] ^ a[first];
  }
  s.uniform = differs == 0;
}

/// EXEC is one run of lanes whose 32-bit values go up by `step` without wrapping.
bool is_run(const uint32_t* v, uint64_t exec, uint32_t step, access_state& s) {
  const unsigned first = first_lane(exec), count = unsigned(__builtin_popcountll(exec));
  const uint64_t run = exec >> first;
  if (run & (run + 1)) return false;
  const uint32_t v0 = v[first];
  if (v0 + uint64_t(count - 1) * step > 0xffffffffu) return false;
  uint32_t bad = 0; // neighbours differ by the step: vector loops
  if (count == lanes) for (unsigned l = 0; l + 1 < lanes; ++l) bad |= (v[l + 1] - v[l]) ^ step;
  else for (unsigned l = first; l + 1 < first + count; ++l) bad |= (v[l + 1] - v[l]) ^ step;
  if (bad) return false;
  s.first_lane = uint8_t(first);
  s.lane_count = uint8_t(count);
  return true;
}

bool all_equal(const uint32_t* v, unsigned first, unsigned count) {
  uint32_t differs = 0;
  const uint32_t v0 = v[first];
  if (count == lanes) for (unsigned l = 0; l < lanes; ++l) differs |= v[l] ^ v0;
  else for (unsigned l = first; l < first + count; ++l) differs |= v[l] ^ v0;
  return differs == 0;
}

/// The rows of a request hold dwords in the same order as a plan: loads go straight to the results, stores come from the data.
uint8_t* rows_for(const wave_request& r, const access_state& s, unsigned piece_bytes) {
  if (piece_bytes != 4 || s.format || s.kind == memory_kind::atomic) return nullptr;
  return reinterpret_cast<uint8_t*>(s.kind == memory_kind::load ? r.result : r.vdata);
}
void reset(const wave_request& r, const access_state& s, access_plan& plan, unsigned pieces, unsigned bytes) {
  plan.reset(pieces, bytes, rows_for(r, s, bytes), s.kind == memory_kind::load || s.kind == memory_kind::atomic);
}

/// The commonest case, found without any lane's address: a run in memory, all of it in range and aligned well enough.
void finish_run(const wave_request& r, access_state& s, access_plan& plan, uint64_t base) {
  plan.place(1, s.element_bytes, rows_for(r, s, s.element_bytes));
  plan.active.assign(1, s.lanes);
  s.in_range = s.lanes;
  s.contiguous = true;
  s.base = fabric::canonical(base);
  s.unaligned = s.element_bytes == 12 || (s.base & (s.element_bytes - 1u));
}

/// One piece a lane.
void finish_single(access_state& s, access_plan& plan, uint64_t active) {
  plan.active[0] = active;
  s.in_range = active;
  find_pattern(plan.address.data(), active, plan.bytes, s);
  const uint64_t align = s.element_bytes == 12 ? 15 : s.element_bytes - 1; // element sizes are powers of two, or 12
  s.unaligned = (low_bits(plan.address.data(), align) & active) != 0;
}

void common_fields(const wave_request& r, access_state& s) {
  const isa::instruction& i = *r.inst;
  s = access_state{};
  s.kind = i.info->memory;
  s.lanes = r.exec;
  s.sign = i.has(isa::SIGNED);
  s.d16 = i.has(isa::D16);
  s.d16_hi = i.has(isa::D16_HI);
  s.returns = s.kind == memory_kind::load || (s.kind == memory_kind::atomic && i.glc);
  s.glc = i.glc;
  s.slc = i.slc;
  s.element_bytes = i.info->memory_bytes;
  s.to_lds = i.lds && s.kind == memory_kind::load;
}

bool plan_buffer(wave_request& r, const address_parameters& p, access_state& s, access_plan& plan) {
  const isa::instruction& i = *r.inst;
  const bool mubuf = i.encoding() == encoding::MUBUF, plain = mubuf && !i.has(isa::FORMAT);
  const isa::buffer_descriptor d = isa::decode_buffer_descriptor(r.resource);
  const unsigned lane0 = r.exec ? first_lane(r.exec) : 0;
  s.format = !plain;
  s.nv = d.nv;
  s.tfe = i.tfe && s.returns;
  s.unmapped_is_null = d.user_vm && !d.user_vm_error;
  if (s.format) {
    s.dfmt = mubuf ? d.dfmt : i.dfmt;
    s.nfmt = mubuf ? d.nfmt : i.nfmt;
    for (unsigned c = 0; c < 4; ++c) s.dst_sel[c] = mubuf ? d.dst_sel[c] : uint8_t(4 + c); // a component that the format lacks reads 0
    s.components = i.has(isa::COMPONENTS_4) ? 4 : i.has(isa::COMPONENTS_3) ? 3 : i.has(isa::COMPONENTS_2) ? 2 : 1;
    s.element_bytes = uint8_t(formats::element_bytes(s.dfmt));
  }
  if (s.to_lds && s.tfe) {
    s.error = "TFE with LDS=1 is illegal: the residency word has nowhere to go; clear one of the two";
    return fail(r, fault_kind::unsupported, lane0, 0);
  }
  s.unbound = d.unbound(plain) || (s.format && s.dfmt == formats::DFMT_INVALID);
  if (s.unbound) {
    if (s.format) s.element_bytes = 4;
    plan.reset(1, s.element_bytes);
    return true;
  }
  if (d.type != 0 || s.element_bytes == 0) {
    s.error = d.type ? "the descriptor is no buffer (its TYPE is not 0): look at which SGPRs SRSRC names" : "DFMT 15 is reserved: there is no such data format";
    return fail(r, fault_kind::bad_descriptor, lane0, d.base);
  }

  const uint32_t* v_index = i.idxen ? r.vaddr[0] : nullptr;
  const uint32_t* v_offset = i.offen ? r.vaddr[i.idxen ? 1 : 0] : nullptr;
  const uint64_t stride = d.effective_stride(plain), inst_offset = uint32_t(i.offset);
  const bool indexed = v_index || d.add_tid;
  const uint64_t base = d.base + r.soffset, check_base = p.check_soffset ? r.soffset : 0;
  if (r.exec && !d.swizzle && !d.add_tid && (v_index != nullptr) != (v_offset != nullptr) && s.kind != memory_kind::atomic && (!v_index || stride == s.element_bytes)) {
    const uint32_t* v = v_index ? v_index : v_offset;
    const uint64_t step = v_index ? 1 : s.element_bytes, scale = v_index ? stride : 1;
    if (is_run(v, r.exec, uint32_t(step), s)) {
      const uint64_t v0 = v[s.first_lane], last = v0 + (s.lane_count - 1u) * step, address = base + inst_offset + v0 * scale;
      const bool in = v_index ? last < d.num_records : inst_offset + last <= 0xffffffffu && check_base + inst_offset + last + s.element_bytes <= d.num_records;
      if (in && (r.unaligned || (address & 3) == 0)) {
        finish_run(r, s, plan, address);
        return true;
      }
    }
  }
  alignas(64) uint64_t offset[lanes], index[lanes], address[lanes];
  if (v_offset) for (unsigned l = 0; l < lanes; ++l) offset[l] = uint32_t(inst_offset + v_offset[l]); // the offset's sum is 32 bits wide: compiled code relies on the wrap
  else for (unsigned l = 0; l < lanes; ++l) offset[l] = inst_offset;
  if (v_index) for (unsigned l = 0; l < lanes; ++l) index[l] = uint64_t(v_index[l]) + (d.add_tid ? l : 0);
  else for (unsigned l = 0; l < lanes; ++l) index[l] = d.add_tid ? l : 0;

  // Range
  const unsigned bytes = s.element_bytes;
  uint64_t active = r.exec, partial = 0; // partial: lanes of which only the first dwords are in
  const bool structured = i.idxen && stride != 0, unchecked = d.add_tid && !i.idxen;
  if (structured) {
    active &= d.num_records ? ~above(index, uint64_t(d.num_records) - 1) : 0;
  } else if (!unchecked) {
    const uint64_t need = check_base + bytes; // in: offset + need <= num_records
    const uint64_t out = d.num_records < need ? all_lanes : above(offset, d.num_records - need);
    if (plain && bytes > 4 && s.kind != memory_kind::atomic && (out & active)) {
      const uint64_t need_one = check_base + 4;
      partial = active & out & ~(d.num_records < need_one ? all_lanes : above(offset, d.num_records - need_one));
    }
    active &= ~out;
  }

  // Address
  first_fault bad;
  if (d.swizzle) {
    const uint64_t e = p.swizzle_element_bytes;
    const unsigned n = d.index_stride_log2;
    if (const uint64_t m = active | partial) {
      if (bytes > e) bad.note(fault_kind::bad_descriptor, first_lane(m), fabric::canonical(base));
      else if (bytes > 1 && (r.unaligned || bytes < 4)) // else the low bits are dropped below
        for (uint64_t k = m; k; k &= k - 1)
          if (const unsigned l = first_lane(k); offset[l] % e + bytes > e) bad.note(fault_kind::misaligned, l, fabric::canonical(base + offset[l]));
    }
    for (unsigned l = 0; l < lanes; ++l)
      address[l] = base + (((index[l] >> n) * stride + offset[l] / e * e) << n) + (index[l] & ((1u << n) - 1)) * e + offset[l] % e;
  } else if (indexed && stride) {
    for (unsigned l = 0; l < lanes; ++l) address[l] = base + offset[l] + stride * index[l];
  } else {
    for (unsigned l = 0; l < lanes; ++l) address[l] = base + offset[l];
  }

  // Alignment: without unaligned mode the low bits of dwords and more are dropped (halves: bit 0; atomics: all bits below their size)
  const uint64_t natural = s.kind == memory_kind::atomic ? bytes - 1 : bytes >= 4 ? 3 : bytes - 1;
  if (!r.unaligned) for (unsigned l = 0; l < lanes; ++l) address[l] &= ~natural;
  else if (s.kind == memory_kind::atomic)
    if (const uint64_t m = low_bits(address, natural) & active) bad.note(fault_kind::misaligned, first_lane(m), fabric::canonical(address[first_lane(m)]));
  if (bad.lane < lanes) {
    s.error = bad.kind == fault_kind::bad_descriptor ? "a swizzled buffer is accessed with more bytes than its elements have: split the access"
              : d.swizzle ? "an access to a swizzled buffer crosses its element's end, or an atomic is misaligned" : "an atomic's address is no multiple of its size";
    return fail(r, bad.kind, bad.lane, bad.address);
  }

  if (!partial) {
    reset(r, s, plan, 1, bytes);
    for (unsigned l = 0; l < lanes; ++l) plan.address[l] = fabric::canonical(address[l]);
    finish_single(s, plan, active);
    return true;
  }
  reset(r, s, plan, bytes / 4, 4);
  s.in_range = active | partial;
  for (unsigned k = 0; k < plan.pieces; ++k) {
    const uint64_t need = check_base + 4 * k + 4;
    plan.active[k] = active | (partial & ~(d.num_records < need ? all_lanes : above(offset, d.num_records - need)));
    for (unsigned l = 0; l < lanes; ++l) plan.at(k, l) = fabric::canonical(address[l] + 4 * k);
  }
  s.unaligned = (low_bits(address, bytes == 12 ? 15 : bytes - 1) & s.in_range) != 0;
  return true;
}

bool plan_flat(wave_request& r, const address_parameters& p, access_state& s, access_plan& plan) {
  const isa::instruction& i = *r.inst;
  const unsigned bytes = s.element_bytes;
  const bool scratch = i.encoding() == encoding::SCRATCH, atomic = s.kind == memory_kind::atomic;
  s.nv = i.nv;
  alignas(64) uint64_t address[lanes];
  const uint64_t offset = uint64_t(int64_t(i.offset));
  first_fault bad;
  uint64_t priv = 0; // lanes that access private memory: `address` is the offset in it
  if (scratch) {
    priv = r.exec;
    if (i.saddr.present()) for (unsigned l = 0; l < lanes; ++l) address[l] = uint32_t(r.saddr + offset);
    else for (unsigned l = 0; l < lanes; ++l) address[l] = uint32_t(r.vaddr[0][l] + offset);
  } else {
    const bool has_base = i.encoding() == encoding::GLOBAL && i.saddr.present();
    if (r.exec && !atomic && is_run(r.vaddr[0], r.exec, bytes, s)) {
      const unsigned first = s.first_lane, count = s.lane_count;
      const uint64_t a = r.vaddr[0][first] + offset + (has_base ? r.saddr : uint64_t(r.vaddr[1][first]) << 32);
      if ((has_base || all_equal(r.vaddr[1], first, count)) && (r.unaligned || (a & 3) == 0) && fabric::sign_extended(a) == a && fabric::sign_extended(a + 4095) == a + 4095) {
        finish_run(r, s, plan, a);
        return true;
      }
    }
    if (has_base) for (unsigned l = 0; l < lanes; ++l) address[l] = r.saddr + r.vaddr[0][l] + offset;
    else for (unsigned l = 0; l < lanes; ++l) address[l] = (r.vaddr[0][l] | uint64_t(r.vaddr[1][l]) << 32) + offset;
    uint64_t strange = 0;
    for (unsigned l = 0; l < lanes; ++l) strange |= fabric::sign_extended(address[l]) ^ address[l];
    if (strange) {
      for (uint64_t m = r.exec; m; m &= m - 1) {
        const unsigned l = first_lane(m);
        if (i.encoding() == encoding::FLAT && address[l] >> 32 == p.private_aperture >> 32) {
          priv |= uint64_t(1) << l;
          address[l] = uint32_t(address[l]);
        } else if (fabric::sign_extended(address[l]) != address[l]) {
          bad.note(fault_kind::unmapped, l, address[l]); // between the halves of the address space
        }
      }
    }
  }

  const uint64_t natural = atomic ? bytes - 1 : bytes >= 4 ? 3 : bytes - 1;
  if (!r.unaligned) for (unsigned l = 0; l < lanes; ++l) address[l] &= ~natural;
  const uint64_t off_natural = low_bits(address, natural) & r.exec;
  if (atomic && off_natural) bad.note(fault_kind::misaligned, first_lane(off_natural), address[first_lane(off_natural)]);
  if (atomic && bytes == 8 && priv) bad.note(fault_kind::unsupported, first_lane(priv), r.flat_scratch + address[first_lane(priv)]); // its dwords lie apart
  if (bad.lane < lanes) {
    s.error = bad.kind == fault_kind::misaligned ? "an atomic's address is no multiple of its size"
              : bad.kind == fault_kind::unsupported ? "a 64-bit FLAT atomic to private memory: its two dwords do not lie together there" : nullptr;
    return fail(r, bad.kind, bad.lane, bad.address);
  }

  if (!priv) {
    reset(r, s, plan, 1, bytes);
    for (unsigned l = 0; l < lanes; ++l) plan.address[l] = fabric::canonical(address[l]);
    finish_single(s, plan, r.exec);
    return true;
  }
  // Private memory: bytes of one dword stay together, dwords of one lane are 256 bytes apart.
  bool crosses = false;
  for (uint64_t m = priv; m; m &= m - 1) crosses |= (address[first_lane(m)] & 3) + (bytes < 4 ? bytes : 4) > 4;
  const unsigned piece = crosses ? 1 : bytes < 4 ? bytes : 4;
  reset(r, s, plan, bytes / piece, piece);
  for (unsigned k = 0; k < plan.pieces; ++k) {
    plan.active[k] = r.exec;
    for (unsigned l = 0; l < lanes; ++l) {
      const uint64_t a = address[l] + k * piece;
      plan.at(k, l) = fabric::canonical(priv >> l & 1 ? r.flat_scratch + (uint64_t(uint32_t(a) >> 2) << 8) + l * 4 + (a & 3) : a);
    }
  }
  s.in_range = r.exec;
  s.interleaved = true;
  s.unaligned = crosses;
  if (plan.pieces == 1) find_pattern(plan.address.data(), r.exec, piece, s);
  return true;
}

} // namespace

bool plan_access(wave_request& r, const address_parameters& p, access_state& s, access_plan& plan) {
  common_fields(r, s);
  switch (r.inst->encoding()) {
    case encoding::MUBUF: case encoding::MTBUF: return plan_buffer(r, p, s, plan);
    case encoding::FLAT: case encoding::GLOBAL: case encoding::SCRATCH: return plan_flat(r, p, s, plan);
    default: return fail(r, fault_kind::unsupported, 0, 0);
  }
}

unsigned address_dwords(const isa::instruction& i) {
  switch (i.encoding()) {
    case encoding::MUBUF: case encoding::MTBUF: return unsigned(i.idxen) + unsigned(i.offen);
    case encoding::FLAT: return 2;
    case encoding::GLOBAL: return i.saddr.present() ? 1 : 2;
    case encoding::SCRATCH: return i.saddr.present() ? 0 : 1;
    default: return 0;
  }
}

} // namespace lyra::texture
