// SPDX-License-Identifier: Apache-2.0
// Address equations, range rules and alignment of buffers, FLAT, GLOBAL and SCRATCH against the plain model of fixture.h.
#include "support/systemc_test.h"
#include "texture/address_rules.h"
#include "texture/fixture.h"

using namespace texture_test;
using lyra::texture::access_plan;
using lyra::texture::access_state;
using lyra::texture::address_of;
using lyra::texture::address_parameters;

namespace {

/// Compares a plan with the model; returns the number of lane addresses compared.
unsigned compare(wave_request& r, const std::string& what) {
  access_state s;
  access_plan p;
  const expected_access e = model(r);
  r.fault = fault_kind::none;
  const bool ok = plan_access(r, address_parameters{}, s, p);
  if (ok != (e.fault == fault_kind::none) || r.fault != e.fault) {
    BOOST_FAIL(what << ": fault " << int(r.fault) << " expected " << int(e.fault) << " lane " << e.fault_lane);
    return 0;
  }
  if (!ok) {
    BOOST_REQUIRE_MESSAGE(r.fault_lane == e.fault_lane, what << ": fault lane " << int(r.fault_lane) << " expected " << e.fault_lane);
    return 0;
  }
  unsigned n = 0;
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned k = 0; k < p.pieces; ++k)
      if (e.bytes[lane].empty()) BOOST_REQUIRE_MESSAGE(!(p.active[k] >> lane & 1), what << ": lane " << lane << " is not in EXEC");
    if (e.bytes[lane].empty()) continue;
    BOOST_REQUIRE_MESSAGE(p.pieces * p.bytes == e.bytes[lane].size(), what << ": size " << p.pieces * p.bytes << " expected " << e.bytes[lane].size());
    for (unsigned b = 0; b < e.bytes[lane].size(); ++b) {
      const unsigned k = b / p.bytes;
      const bool active = p.active[k] >> lane & 1;
      BOOST_REQUIRE_MESSAGE(active == e.bytes[lane][b].has_value(), what << ": lane " << lane << " byte " << b << (active ? " should be out of range" : " should be in range"));
      if (active) {
        const uint64_t a = (address_of(s, p, k, lane) + b % p.bytes) & 0xffffffffffffull;
        BOOST_REQUIRE_MESSAGE(a == *e.bytes[lane][b], what << ": lane " << lane << " byte " << b << std::hex << " address " << a << " expected " << *e.bytes[lane][b]);
      }
    }
    ++n;
  }
  return n;
}

uint64_t random_exec(std::mt19937_64& g) {
  switch (g() % 6) {
    case 0: case 1: return ~uint64_t(0);
    case 2: return g();
    case 3: return g() & g() & g();
    case 4: return ~uint64_t(0) >> (g() % 64);
    default: return (~uint64_t(0) >> (g() % 60)) << (g() % 20);
  }
}

void random_lanes(std::mt19937_64& g, uint32_t* v, uint32_t scale) {
  const uint32_t start = uint32_t(g()) >> (g() % 32), step = g() % 3 == 0 ? scale : uint32_t(g() % 20);
  const unsigned kind = unsigned(g() % 5);
  for (unsigned l = 0; l < 64; ++l) v[l] = kind == 0 ? start : kind < 3 ? start + l * step : kind == 3 ? uint32_t(g()) >> (g() % 32) : start + uint32_t(g() % 64) * scale;
}

const char* const buffer_names[] = {
    "buffer_load_ubyte", "buffer_load_sshort", "buffer_load_dword", "buffer_load_dwordx2", "buffer_load_dwordx3", "buffer_load_dwordx4", "buffer_store_byte", "buffer_store_short",
    "buffer_store_dword", "buffer_store_dwordx2", "buffer_store_dwordx3", "buffer_store_dwordx4", "buffer_load_format_x", "buffer_load_format_xyzw", "buffer_store_format_xy",
    "buffer_load_format_d16_xyz", "buffer_atomic_add", "buffer_atomic_cmpswap", "buffer_atomic_umax_x2", "buffer_load_short_d16_hi", "tbuffer_load_format_x",
    "tbuffer_load_format_xyzw", "tbuffer_store_format_xyz", "tbuffer_load_format_d16_xy"};
const char* const flat_names[] = {"load_ubyte", "load_sshort", "load_dword", "load_dwordx2", "load_dwordx3", "load_dwordx4", "store_byte", "store_short", "store_dword", "store_dwordx2",
                                  "store_dwordx3", "store_dwordx4", "load_short_d16", "store_byte_d16_hi"};

} // namespace

BOOST_AUTO_TEST_CASE(random_buffer_descriptors_offsets_and_exec_follow_the_equations) {
  std::mt19937_64 g(1);
  unsigned addresses = 0, faults = 0;
  for (unsigned n = 0; addresses < 150000; ++n) {
    isa::instruction i = make(buffer_names[g() % std::size(buffer_names)]);
    i.idxen = g() & 1;
    i.offen = g() & 1;
    i.offset = int32_t(g() % 3 ? g() % 64 * 4 : g() % 4096);
    i.dfmt = uint8_t(g() % 15);
    i.nfmt = 4;
    descriptor d;
    d.base = g() & 0xffffffffffffull;
    if (g() % 4) d.base &= ~uint64_t(3);
    const unsigned size = i.has(isa::FORMAT) ? 16 : i.info->memory_bytes;
    d.stride = unsigned(g() % 4 == 0 ? 0 : g() % 2 ? size : g() % 16384);
    d.swizzle = g() % 4 == 0;
    d.add_tid = g() % 4 == 0;
    d.index_stride = unsigned(g() % 4);
    d.num_records = uint32_t(g() >> (32 + g() % 32));
    if (g() % 4 == 0) d.num_records = 0xffffffffu;
    d.dfmt = unsigned(g() % 15);
    auto r = request(i, random_exec(g));
    d.put(r->resource);
    r->soffset = g() % 2 ? 0 : uint32_t(g() >> (32 + g() % 32));
    if (g() % 2) r->soffset &= ~3u;
    r->unaligned = g() % 3 != 0;
    random_lanes(g, r->vaddr[0], i.idxen ? 1 : size);
    random_lanes(g, r->vaddr[1], size);
    if (g() % 2 && d.swizzle) // give swizzled accesses a chance
      for (unsigned row = 0; row < 2; ++row)
        for (unsigned l = 0; l < 64; ++l) r->vaddr[row][l] &= ~3u;
    if (!d.swizzle && g() % 2) { // records that end among the lanes
      const unsigned l = unsigned(g() % 64);
      d.num_records = i.idxen ? r->vaddr[0][l] + unsigned(g() % 3) : uint32_t(i.offset) + r->soffset + r->vaddr[0][l] + unsigned(g() % 20);
      d.put(r->resource);
    }
    const unsigned got = compare(*r, std::string(i.info->name) + " #" + std::to_string(n));
    faults += r->fault != fault_kind::none;
    addresses += got;
  }
  BOOST_TEST(addresses >= 100000u);
  BOOST_TEST(faults > 100u);
}

BOOST_AUTO_TEST_CASE(random_flat_global_and_scratch_addresses_follow_the_equations) {
  std::mt19937_64 g(2);
  unsigned addresses = 0, faults = 0;
  for (unsigned n = 0; addresses < 100000; ++n) {
    const unsigned family = unsigned(g() % 3);
    const bool atomic = family < 2 && g() % 5 == 0;
    const std::string prefix = family == 0 ? "flat_" : family == 1 ? "global_" : "scratch_";
    isa::instruction i = make(prefix + (atomic ? g() % 2 ? "atomic_add" : "atomic_swap_x2" : flat_names[g() % std::size(flat_names)]));
    i.offset = family == 0 ? int32_t(g() % 4096) : int32_t(g() % 8192) - 4096;
    if (family && g() % 2) i.saddr = isa::operand{2, isa::operand_type::b64};
    if (g() % 2) i.offset &= ~7;
    auto r = request(i, random_exec(g));
    r->unaligned = g() % 3 != 0;
    r->saddr = family == 2 ? uint32_t(g()) >> (g() % 32) : lyra::fabric::sign_extended(g() & 0xffffffffffffull);
    r->flat_scratch = g() & 0x7fffffffff00ull;
    random_lanes(g, r->vaddr[0], i.info->memory_bytes);
    const uint32_t high = g() % 8 == 0 ? 0xffffffff : uint32_t(g() % 0x8000);
    const bool mixed = family == 0 && g() % 2;
    for (unsigned l = 0; l < 64; ++l) r->vaddr[1][l] = mixed && g() % 2 ? 0x20000 : g() % 512 ? high : uint32_t(g());
    if (g() % 2) for (unsigned l = 0; l < 64; ++l) r->vaddr[0][l] &= ~7u;
    if (g() % 2) r->saddr &= ~7ull;
    const unsigned got = compare(*r, std::string(i.info->name) + " #" + std::to_string(n));
    faults += r->fault != fault_kind::none;
    addresses += got;
  }
  BOOST_TEST(faults > 20u);
}

// Directed rows: the addresses are worked out by hand.
BOOST_AUTO_TEST_CASE(swizzled_buffers_interleave_elements_of_neighbouring_records) {
  isa::instruction i = make("buffer_load_dword");
  i.idxen = i.offen = true;
  i.offset = 4;
  auto r = request(i);
  descriptor d;
  d.base = 0x1000;
  d.stride = 64;
  d.swizzle = true;
  d.index_stride = 1; // 16 records
  d.put(r->resource);
  for (unsigned l = 0; l < 64; ++l) { r->vaddr[0][l] = l; r->vaddr[1][l] = 8; }
  r->soffset = 0x100;
  access_state s;
  access_plan p;
  BOOST_REQUIRE(plan_access(*r, {}, s, p));
  BOOST_TEST(address_of(s, p, 0, 0) == 0x1000u + 0x100 + 12 * 16);                    // offset 12: fourth element of 16 records
  BOOST_TEST(address_of(s, p, 0, 5) == 0x1000u + 0x100 + 12 * 16 + 5 * 4);
  BOOST_TEST(address_of(s, p, 0, 17) == 0x1000u + 0x100 + (64 + 12) * 16 + 1 * 4);    // second block of 16 records
}

BOOST_AUTO_TEST_CASE(scratch_interleaves_the_dwords_of_64_lanes) {
  isa::instruction i = make("scratch_load_dwordx2");
  i.offset = -8;
  i.saddr = isa::operand{4, isa::operand_type::b32};
  auto r = request(i);
  r->flat_scratch = 0x40000;
  r->saddr = 0x20;
  access_state s;
  access_plan p;
  BOOST_REQUIRE(plan_access(*r, {}, s, p));
  BOOST_TEST(p.pieces == 2u);
  BOOST_TEST(address_of(s, p, 0, 3) == 0x40000u + 6 * 256 + 12); // byte 24 is dword 6
  BOOST_TEST(address_of(s, p, 1, 3) == 0x40000u + 7 * 256 + 12);
}

BOOST_AUTO_TEST_CASE(private_segment_descriptor_and_scratch_instructions_reach_the_same_bytes) {
  // A V# as the run time makes it: swizzle, add_tid, index stride 64, stride 0
  isa::instruction buffer = make("buffer_load_dword"), scratch = make("scratch_load_dword");
  buffer.offen = true;
  auto a = request(buffer), b = request(scratch);
  descriptor d;
  d.base = 0x123400;
  d.swizzle = d.add_tid = true;
  d.index_stride = 3;
  d.dfmt = 0;
  d.put(a->resource);
  b->flat_scratch = 0x123400;
  for (unsigned l = 0; l < 64; ++l) a->vaddr[0][l] = b->vaddr[0][l] = (l * 7 % 32) * 4;
  access_state sa, sb;
  access_plan pa, pb;
  BOOST_REQUIRE(plan_access(*a, {}, sa, pa));
  BOOST_REQUIRE(plan_access(*b, {}, sb, pb));
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(address_of(sa, pa, 0, l) == address_of(sb, pb, 0, l));
}

BOOST_AUTO_TEST_CASE(range_check_leaves_out_soffset_when_told_so) {
  isa::instruction i = make("buffer_load_dword");
  i.offen = true;
  auto r = request(i);
  descriptor d;
  d.base = 0x1000;
  d.num_records = 64;
  d.put(r->resource);
  for (unsigned l = 0; l < 64; ++l) r->vaddr[0][l] = l;
  r->soffset = 32;
  access_state s;
  access_plan p;
  address_parameters with, without;
  without.check_soffset = false;
  BOOST_REQUIRE(plan_access(*r, with, s, p));
  BOOST_TEST(s.in_range == (uint64_t(1) << 29) - 1); // l + 32 + 4 <= 64
  BOOST_REQUIRE(plan_access(*r, without, s, p));
  BOOST_TEST(s.in_range == (uint64_t(1) << 61) - 1); // l + 4 <= 64
}

BOOST_AUTO_TEST_CASE(tfe_with_lds_is_illegal) {
  isa::instruction i = make("buffer_load_dword");
  i.lds = i.tfe = true;
  auto r = request(i);
  descriptor{}.put(r->resource);
  access_state s;
  access_plan p;
  BOOST_TEST(!plan_access(*r, {}, s, p));
  BOOST_TEST(int(r->fault) == int(fault_kind::unsupported));
}

BOOST_AUTO_TEST_CASE(a_descriptor_that_is_no_buffer_is_an_error) {
  isa::instruction i = make("buffer_load_dword");
  auto r = request(i, 0x10);
  descriptor d;
  d.type = 2;
  d.put(r->resource);
  access_state s;
  access_plan p;
  BOOST_TEST(!plan_access(*r, {}, s, p));
  BOOST_TEST(int(r->fault) == int(fault_kind::bad_descriptor));
  BOOST_TEST(int(r->fault_lane) == 4);
}

BOOST_AUTO_TEST_CASE(address_registers_are_counted_as_the_instruction_says) {
  isa::instruction i = make("buffer_load_dword");
  BOOST_TEST(lyra::texture::address_dwords(i) == 0u);
  i.idxen = true;
  BOOST_TEST(lyra::texture::address_dwords(i) == 1u);
  i.offen = true;
  BOOST_TEST(lyra::texture::address_dwords(i) == 2u);
  isa::instruction f = make("flat_load_dword"), n = make("global_load_dword"), c = make("scratch_load_dword");
  BOOST_TEST(lyra::texture::address_dwords(f) == 2u);
  BOOST_TEST(lyra::texture::address_dwords(n) == 2u);
  BOOST_TEST(lyra::texture::address_dwords(c) == 1u);
  n.saddr = c.saddr = isa::operand{2, isa::operand_type::b64};
  BOOST_TEST(lyra::texture::address_dwords(n) == 1u);
  BOOST_TEST(lyra::texture::address_dwords(c) == 0u);
}
