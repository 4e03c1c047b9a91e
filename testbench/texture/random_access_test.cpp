// SPDX-License-Identifier: Apache-2.0
// Random loads, stores and atomics through the whole unit, timed and loosely timed, against a byte-by-byte model: registers and memory.
#include "support/systemc_test.h"
#include "texture/bench.h"
#include <cmath>

using namespace texture_test;

namespace {

constexpr uint64_t base = 0x40000, size = 0x10000, all = ~uint64_t(0);

/// What an instruction leaves behind.
struct outcome {
  fault_kind fault = fault_kind::none;
  unsigned fault_lane = 0;
  unsigned rows = 0, half = 0;
  uint32_t result[6][64] = {};
};

uint32_t number(uint32_t raw, unsigned bits, unsigned nfmt) { // the number formats used here: unorm 8 and 16 bit, uint, sint, float 32
  if (nfmt == 5) return bits == 32 ? raw : uint32_t(int32_t(raw << (32 - bits)) >> (32 - bits));
  if (nfmt == 0) { const float f = float(double(raw) / double((1ull << bits) - 1)); uint32_t u; std::memcpy(&u, &f, 4); return u; }
  return raw;
}

/// Executes an instruction on a memory, lane by lane.
outcome execute(const wave_request& r, memory& m) {
  outcome o;
  const isa::instruction& i = *r.inst;
  const expected_access e = model(r);
  o.fault = e.fault;
  o.fault_lane = e.fault_lane;
  if (o.fault != fault_kind::none) return o;
  const bool load = i.info->memory == isa::memory_kind::load, atomic = i.info->memory == isa::memory_kind::atomic, typed = i.has(isa::FORMAT);
  const bool mtbuf = i.encoding() == isa::encoding::MTBUF, d16 = i.has(isa::D16), hi = i.has(isa::D16_HI);
  const unsigned dfmt = mtbuf ? i.dfmt : r.resource[3] >> 15 & 15, nfmt = mtbuf ? i.nfmt : r.resource[3] >> 12 & 7;
  for (unsigned l = 0; l < 64; ++l)
    for (const byte_address& b : e.bytes[l])
      if (b && m.state(*b) != page_state::mapped && o.fault == fault_kind::none) { o.fault = fault_kind::unmapped; o.fault_lane = l; }
  if (o.fault != fault_kind::none) return o;
  const unsigned components = i.has(isa::COMPONENTS_4) ? 4 : i.has(isa::COMPONENTS_3) ? 3 : i.has(isa::COMPONENTS_2) ? 2 : 1;
  if (load) {
    o.rows = typed ? (d16 ? (components + 1) / 2 : components) : (i.info->memory_bytes + 3) / 4;
    o.half = d16 && (!typed || components == 1) ? (hi ? 2 : 1) : 0;
  } else if (atomic && i.glc) o.rows = i.info->memory_bytes / 4;
  for (unsigned l = 0; l < 64; ++l) {
    if (e.bytes[l].empty()) continue;
    const auto& a = e.bytes[l];
    uint8_t bytes[16] = {};
    auto bits_of = [&](unsigned first, unsigned n) { uint64_t v = 0; for (unsigned k = 0; k < n; ++k) v |= uint64_t(bytes[(first + k) / 8] >> ((first + k) % 8) & 1) << k; return uint32_t(v); };
    if (load || atomic)
      for (unsigned b = 0; b < a.size(); ++b) if (a[b]) bytes[b] = m.byte(*a[b]);
    if (load && typed) {
      uint32_t xyzw[4] = {}, v[4];
      const bool unbound = !mtbuf && dfmt == 0;
      unsigned at = 0, c = 0;
      if (!unbound && (r.resource[3] >> 15 & 15))
        for (unsigned n : format_bits(dfmt)) { xyzw[c++] = number(bits_of(at, n), n, nfmt); at += n; }
      for (c = 0; c < components; ++c) {
        const unsigned sel = mtbuf ? 4 + c : r.resource[3] >> (3 * c) & 7;
        v[c] = sel >= 4 ? xyzw[sel - 4] : sel == 1 && !unbound ? (nfmt == 4 || nfmt == 5 ? 1 : 0x3f800000) : 0;
        if (!d16) o.result[c][l] = v[c];
        else { // only integers here: clamp
          const uint32_t h = nfmt == 5 ? uint32_t(std::min(32767, std::max(-32768, int32_t(v[c])))) & 0xffff : std::min(v[c], 65535u);
          o.result[c / 2][l] |= h << (c % 2 || hi ? 16 : 0);
        }
      }
    } else if (load && a.size() < 4) {
      uint32_t v = a.size() == 1 ? bytes[0] : bytes[0] | bytes[1] << 8;
      if (i.has(isa::SIGNED)) v = a.size() == 1 ? uint32_t(int8_t(v)) : uint32_t(int16_t(v));
      o.result[0][l] = !d16 ? v : hi ? v << 16 : v & 0xffff;
    } else if (load) {
      for (unsigned b = 0; b < a.size(); ++b) o.result[b / 4][l] |= uint32_t(bytes[b]) << (b % 4 * 8);
    } else if (atomic) {
      if (!a[0]) continue;
      uint64_t old = 0, operand = r.vdata[0][l];
      for (unsigned b = 0; b < a.size(); ++b) old |= uint64_t(bytes[b]) << (8 * b);
      if (a.size() == 8) operand |= uint64_t(r.vdata[1][l]) << 32;
      const uint64_t compare = a.size() == 8 ? r.vdata[2][l] | uint64_t(r.vdata[3][l]) << 32 : r.vdata[1][l];
      const uint64_t now = after_atomic(i.info->atomic, unsigned(a.size()), old, operand, compare);
      for (unsigned b = 0; b < a.size(); ++b) m.byte(*a[b]) = uint8_t(now >> (8 * b));
      if (i.glc) for (unsigned k = 0; k < a.size() / 4; ++k) o.result[k][l] = uint32_t(old >> (32 * k));
    } else { // store
      uint8_t data[16] = {};
      if (typed) {
        uint32_t xyzw[4] = {};
        for (unsigned c = components; c-- > 0;) {
          const unsigned sel = mtbuf ? 4 + c : r.resource[3] >> (3 * c) & 7;
          if (sel >= 4) xyzw[sel - 4] = r.vdata[c][l];
        }
        unsigned at = 0, c = 0;
        for (unsigned n : format_bits(dfmt)) {
          uint64_t v = xyzw[c++];
          if (n < 32 && nfmt == 4) v = std::min<uint64_t>(v, (1ull << n) - 1);
          if (n < 32 && nfmt == 5) v = uint64_t(std::min<int64_t>((1ll << (n - 1)) - 1, std::max<int64_t>(-(1ll << (n - 1)), int32_t(v)))) & ((1ull << n) - 1);
          for (unsigned k = 0; k < n; ++k) data[(at + k) / 8] = uint8_t(data[(at + k) / 8] | (v >> k & 1) << ((at + k) % 8));
          at += n;
        }
      } else {
        for (unsigned b = 0; b < a.size(); ++b) data[b] = uint8_t(r.vdata[b / 4][l] >> (8 * (b % 4) + (hi ? 16 : 0)));
      }
      for (unsigned b = 0; b < a.size(); ++b) if (a[b]) m.byte(*a[b]) = data[b];
    }
  }
  return o;
}

const char* const names[] = {
    "buffer_load_ubyte", "buffer_load_sbyte", "buffer_load_ushort", "buffer_load_sshort", "buffer_load_dword", "buffer_load_dword", "buffer_load_dwordx2", "buffer_load_dwordx3",
    "buffer_load_dwordx4", "buffer_store_byte", "buffer_store_short", "buffer_store_dword", "buffer_store_dword", "buffer_store_dwordx2", "buffer_store_dwordx3", "buffer_store_dwordx4",
    "buffer_load_format_x", "buffer_load_format_xy", "buffer_load_format_xyz", "buffer_load_format_xyzw", "buffer_store_format_x", "buffer_store_format_xyzw",
    "buffer_load_format_d16_x", "buffer_load_format_d16_xyz", "buffer_load_format_d16_hi_x", "buffer_load_ubyte_d16_hi", "buffer_load_sbyte_d16", "buffer_load_short_d16_hi",
    "buffer_store_byte_d16_hi", "buffer_store_short_d16_hi", "buffer_atomic_add", "buffer_atomic_swap_x2", "buffer_atomic_cmpswap", "buffer_atomic_cmpswap_x2",
    "tbuffer_load_format_x", "tbuffer_load_format_xyzw", "tbuffer_store_format_xy", "tbuffer_load_format_d16_xyzw", "flat_load_dword", "flat_store_dwordx2", "flat_load_ushort",
    "flat_atomic_add", "global_load_dword", "global_load_dwordx4", "global_load_sbyte", "global_store_dword", "global_store_dwordx3", "global_store_short", "global_atomic_add_x2",
    "buffer_atomic_sub", "buffer_atomic_smin", "buffer_atomic_umin_x2", "buffer_atomic_smax_x2", "buffer_atomic_umax", "buffer_atomic_and", "global_atomic_or", "global_atomic_xor_x2",
    "global_atomic_inc", "global_atomic_dec", "flat_atomic_inc_x2", "flat_atomic_dec_x2", "global_atomic_smin_x2", "global_atomic_cmpswap",
    "scratch_load_dword", "scratch_load_dwordx4", "scratch_load_sshort", "scratch_store_dword", "scratch_store_dwordx3", "scratch_store_byte", "scratch_load_ubyte_d16_hi"};

/// A random instruction that mostly stays inside the mapped region.
void fill(std::mt19937_64& g, wave_request& r, isa::instruction& i) {
  using e = isa::encoding;
  const bool buffer = i.encoding() == e::MUBUF || i.encoding() == e::MTBUF;
  const unsigned bytes = i.has(isa::FORMAT) ? 4 : i.info->memory_bytes;
  const unsigned pattern = unsigned(g() % 6), spread = unsigned(g() % 3 == 0 ? 4 : 1000), row = 2u << g() % 5;
  uint32_t rows[32]; // where each row of lanes starts
  for (uint32_t& v : rows) v = uint32_t(g() % 128);
  auto value = [&](unsigned l, unsigned step, unsigned limit) -> uint32_t {
    switch (pattern) {
      case 0: return 40 * step;
      case 1: case 2: return (l + 7) * step;
      case 3: return uint32_t(g() % limit) * step;
      case 5: return (rows[l / row] + l % row) * step;
      default: return uint32_t(g() % spread) * (g() % 16 ? step : 1);
    }
  };
  i.glc = g() & 1;
  r.unaligned = g() % 4 != 0;
  for (unsigned k = 0; k < wave_request::vdata_rows; ++k) for (uint32_t& v : r.vdata[k]) v = g() % 3 ? uint32_t(g()) : uint32_t(g() % 300);
  if (buffer) {
    i.idxen = g() & 1;
    i.offen = g() & 1;
    i.offset = int32_t(g() % 3 ? 0 : g() % 64 * 4);
    i.dfmt = uint8_t(1 + g() % 14);
    i.nfmt = g() & 1 ? 4 : 5;
    descriptor d;
    d.base = base + 0x1000 + g() % 16 * 4;
    d.swizzle = g() % 6 == 0;
    d.add_tid = g() % 6 == 0;
    d.index_stride = unsigned(g() % 4);
    d.dfmt = d.add_tid ? 0 : unsigned(g() % 8 ? 1 + g() % 14 : 4);
    if (i.has(isa::FORMAT)) d.dfmt = unsigned(g() % 20 ? 1 + g() % 14 : 0);
    d.nfmt = g() & 1 ? 4 : 5;
    if (!i.has(isa::D16) && i.info->memory == isa::memory_kind::load && g() % 3 == 0 && (d.dfmt == 1 || d.dfmt == 2 || d.dfmt == 3 || d.dfmt == 10 || d.dfmt == 12)) d.nfmt = 0;
    for (unsigned& s : d.dst_sel) if (g() % 6 == 0) s = unsigned((const unsigned[]){0, 1, 4, 5, 6, 7}[g() % 6]);
    const unsigned own = i.has(isa::FORMAT) ? format_bytes(i.encoding() == e::MTBUF ? i.dfmt : d.dfmt) : bytes;
    d.stride = g() % 3 == 0 ? 0 : g() % 2 ? own : unsigned(g() % 16 * 4);
    d.num_records = g() % 2 ? 0x4000 : uint32_t(g() % 2000);
    r.soffset = g() % 3 ? 0 : uint32_t(g() % 64 * 4);
    for (unsigned l = 0; l < 64; ++l) {
      r.vaddr[0][l] = value(l, i.idxen ? 1 : std::max(1u, own), i.idxen ? 200 : 400);
      r.vaddr[1][l] = value(l, std::max(1u, own), 100);
    }
    d.put(r.resource);
  } else if (i.encoding() == e::SCRATCH) {
    i.offset = int32_t(g() % 32 * 4) - 32;
    if (g() & 1) i.saddr = isa::operand{2, isa::operand_type::b32};
    r.flat_scratch = base + 0x800;
    r.saddr = 64 + g() % 32;
    if (g() % 4) r.saddr &= ~3ull;
    for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = 64 + (g() % 4 ? uint32_t(g() % 16) * 4 : uint32_t(g() % 50));
  } else {
    i.offset = i.encoding() == e::FLAT ? int32_t(g() % 64 * 4) : int32_t(g() % 128 * 4) - 256;
    const bool uses_base = i.encoding() == e::GLOBAL && g() % 2;
    if (uses_base) i.saddr = isa::operand{2, isa::operand_type::b64};
    r.saddr = base + 0x2000;
    r.flat_scratch = base + 0x800;
    const bool with_private = i.encoding() == e::FLAT && g() % 3 == 0;
    for (unsigned l = 0; l < 64; ++l) {
      const bool priv = with_private && g() % 2;
      r.vaddr[0][l] = uint32_t(priv ? g() % 24 * 4 : (uses_base ? 0 : base + 0x2000) + value(l, bytes, 300));
      r.vaddr[1][l] = priv ? 0x20000 : 0;
    }
  }
}

void compare(const wave_request& r, const outcome& o, const std::string& what) {
  BOOST_REQUIRE_MESSAGE(r.fault == o.fault, what << ": fault " << int(r.fault) << " expected " << int(o.fault));
  if (o.fault != fault_kind::none) {
    BOOST_REQUIRE_MESSAGE(r.fault_lane == o.fault_lane, what << ": fault lane " << int(r.fault_lane) << " expected " << o.fault_lane);
    return;
  }
  BOOST_REQUIRE_MESSAGE(r.result_dwords == o.rows, what << ": rows " << int(r.result_dwords) << " expected " << o.rows);
  BOOST_REQUIRE_MESSAGE(r.result_half == o.half, what << ": half " << int(r.result_half) << " expected " << o.half);
  if (o.rows) BOOST_REQUIRE(r.result_mask == r.exec);
  for (unsigned k = 0; k < o.rows; ++k)
    for (unsigned l = 0; l < 64; ++l)
      if (r.exec >> l & 1)
        BOOST_REQUIRE_MESSAGE(r.result[k][l] == o.result[k][l], what << ": row " << k << " lane " << l << std::hex << " " << r.result[k][l] << " expected " << o.result[k][l]);
}

void run(bool loose, bool dmi, unsigned count, uint64_t seed, unsigned withhold = 0) {
  bench b;
  memory expected;
  for (memory* m : {&b.space, &expected}) {
    m->map(base, size);
    m->fill(77);
  }
  b.l1.withhold_every = withhold;
  b.l1.dmi = dmi;
  std::mt19937_64 g(seed);
  std::vector<payload*> issued;
  std::vector<outcome> outcomes;
  unsigned faults = 0;
  for (unsigned n = 0; n < count; ++n) {
    isa::instruction i = make(names[g() % std::size(names)]);
    payload* p;
    const uint64_t exec = g() % 3 ? all : g() % 2 ? g() : all >> (g() % 64);
    wave_request& r = b.take(i, exec, p);
    fill(g, r, b.instructions.back());
    outcomes.push_back(execute(r, expected));
    faults += outcomes.back().fault != fault_kind::none;
    issued.push_back(p);
    if (loose) {
      sc_core::sc_time t = sc_core::SC_ZERO_TIME;
      b.cu.port.socket->b_transport(*p, t);
      BOOST_REQUIRE(t > sc_core::SC_ZERO_TIME);
    } else {
      b.cu.issue(*p, 1);
    }
  }
  if (!loose) b.run_all();
  if (!loose) BOOST_REQUIRE(b.cu.responses.size() == count);
  for (unsigned n = 0; n < count; ++n) {
    if (!loose) BOOST_REQUIRE(b.cu.responses[n].p == issued[n]);
    compare(wave_pool::of(*issued[n]), outcomes[n], std::string(b.instructions[n].info->name) + " #" + std::to_string(n));
  }
  BOOST_TEST((b.space == expected));
  BOOST_TEST(faults < count / 3); // the rest did something
  BOOST_TEST(b.lines.outstanding() == 0u);
}

} // namespace

BOOST_AUTO_TEST_CASE(timed_results_equal_the_model) { run(false, true, 3000, 1); }
BOOST_AUTO_TEST_CASE(timed_results_equal_the_model_under_back_pressure) { run(false, true, 1000, 2, 3); }
BOOST_AUTO_TEST_CASE(loosely_timed_results_equal_the_model) { run(true, true, 6000, 1); }
BOOST_AUTO_TEST_CASE(loosely_timed_results_equal_the_model_without_direct_memory) { run(true, false, 3000, 3); }
