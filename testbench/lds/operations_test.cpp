// SPDX-License-Identifier: Apache-2.0
// What DS instructions do to memory and registers, against a plain model.
#include "fabric/data_share.h"
#include "lds/ds_model.h"
#include "support/systemc_test.h"
#include <memory>
#include <random>

namespace {

using namespace lyra;
using fabric::wave_request;

struct rig {
  std::mt19937_64 random{1};
  std::unique_ptr<wave_request> w = std::make_unique<fabric::standalone_wave_request>();
  isa::instruction inst;
  std::vector<uint8_t> memory = std::vector<uint8_t>(65536);

  uint32_t pick(uint32_t n) { return uint32_t(random() % n); }
  /// Interesting floats among plain bits.
  uint32_t value() {
    static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0xffc12345, 1, 0x80000001, 0x007fffff, 0x807fffff,
                                       0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7fefffff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x000fffff, 5, 0xffffffff};
    return pick(3) ? uint32_t(random()) : special[pick(sizeof special / 4)];
  }
  void fill() {
    for (size_t k = 0; k < memory.size(); k += 4) { const uint32_t v = value(); std::memcpy(&memory[k], &v, 4); }
  }
  /// A random request: lanes, addresses (near each other, equal, spread, or out of range), data, mode.
  void request(const std::string& name) {
    const bool src2 = name.find("_src2_") != std::string::npos;
    inst = ds_model::make(name, pick(4) ? pick(2) ? pick(256) : pick(65536) : 0);
    if (pick(8) == 0) { inst.offset1 = inst.offset0; inst.offset = inst.offset0 * 0x101; }
    w->begin(&inst, pick(3) ? ~uint64_t(0) : pick(8) ? random() : 0);
    w->mode = uint32_t(random());
    w->m0 = pick(4) ? pick(4096) : uint32_t(random());
    w->unaligned = pick(2);
    w->lds_base = 512 * pick(40);
    w->lds_size = 512 * pick(80);
    if (w->lds_base + w->lds_size > 65536) w->lds_size = 65536 - w->lds_base;
    const unsigned pattern = pick(9);
    static const int steps[] = {0, 4, 8, 12, 16, -4, -8, 5};
    const int regular = steps[pick(8)];
    const uint32_t edge = pick(2) ? w->lds_size - 16 + pick(20) : pick(20) - 4; // lane 63 ends, or lane 0 starts, at an end of the allocation
    static const int far_steps[] = {0x24924928, 0x6db6db70, 0x24924925, -0x24924928}; // seven of them come round to a small distance again
    const int of_eight = pick(4) == 0 ? far_steps[pick(4)] : pick(2) ? int(alu::ds_shape_of(inst).bytes) : regular; // lanes 0-7, 8-15 ... each in a row, as in tiles of a matrix
    uint32_t eight[8];
    const uint32_t eight_span = pick(2) ? 256 : w->lds_size + 64;
    for (uint32_t& e : eight) e = pick(eight_span);
    if (pick(3) == 0) eight[pick(8)] = edge;
    const uint32_t start = pick(w->lds_size + 64), step = pick(40), span = 1 + pick(w->lds_size + 256);
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t a = 0;
      switch (pattern) {
        case 0: a = start + 4 * l; break;
        case 1: a = start; break;
        case 2: a = start + step * l; break;
        case 3: a = 8 * pick(16); break;
        case 4: a = pick(span); break;
        case 6: a = uint32_t(edge + regular * (int(l) - 63)) - uint32_t(inst.offset & 0xff); break;
        case 7: a = uint32_t(edge + regular * int(l)) - uint32_t(inst.offset & 0xff); break;
        case 8: a = eight[l / 8] + uint32_t(of_eight) * (l % 8); break;
        case 5: a = pick(5) ? pick(span) : uint32_t(random()); break;
      }
      if (src2 && pick(2)) a = (a & 0x1ffff) | (pick(4096) - 2048u) << 17;
      w->vaddr[0][l] = a;
      for (unsigned k = 0; k < fabric::wave_request::vdata_rows; ++k) w->vdata[k][l] = value();
    }
    w->vaddr_dwords = 1;
    const unsigned rows = alu::ds_shape_of(inst).data0_dwords();
    w->vdata2_row = uint8_t(rows ? rows : 1);
    w->vdata_dwords = 5;
  }
};

void compare(rig& r, const std::string& name) {
  ds_model::machine m;
  m.memory = r.memory;
  m.base = r.w->lds_base;
  m.size = r.w->lds_size;
  m.w = r.w.get();
  ds_model::run(m);
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data() + m.base, m.base, m.size, alu::ds_m0_use::low_offset}));
  BOOST_REQUIRE_MESSAGE(r.memory == m.memory, name << ": memory differs");
  const unsigned rows = r.w->result_dwords;
  BOOST_REQUIRE_EQUAL(rows, r.inst.info->result_dwords);
  BOOST_REQUIRE_EQUAL(r.w->result_mask, rows ? r.w->exec : 0);
  for (unsigned k = 0; k < rows; ++k)
    for (unsigned l = 0; l < 64; ++l)
      if (r.w->exec >> l & 1) BOOST_REQUIRE_MESSAGE(r.w->result[k][l] == m.result[k][l], name << ": dword " << k << " of lane " << l << " is " << std::hex << r.w->result[k][l] << ", should be " << m.result[k][l]);
}

} // namespace

BOOST_AUTO_TEST_CASE(each_of_the_154_ds_opcodes_has_a_shape_and_a_model) {
  const auto all = ds_model::ds_opcodes();
  BOOST_TEST(all.size() == 154u);
  for (const auto* r : all) {
    BOOST_TEST((alu::ds_shape_of_opcode(r->number).kind != alu::ds_kind::none), r->name << " has no shape");
    BOOST_TEST((ds_model::gds_only(r->name) || ds_model::table().count(r->name)), r->name << " has no model");
  }
  for (unsigned n = 0; n < 256; ++n) { // and nothing else has one
    bool known = false;
    for (const auto* r : all) known |= r->number == n;
    BOOST_TEST((alu::ds_shape_of_opcode(n).kind != alu::ds_kind::none) == known, "opcode " << n);
  }
}

BOOST_AUTO_TEST_CASE(every_ds_opcode_agrees_with_the_model_on_random_lanes_addresses_and_modes) {
  rig r;
  r.fill();
  for (const auto* row : ds_model::ds_opcodes()) {
    if (ds_model::gds_only(row->name)) continue;
    for (unsigned k = 0; k < 400; ++k) {
      if (k % 50 == 0) r.fill();
      r.request(row->name);
      compare(r, row->name);
    }
  }
}

BOOST_AUTO_TEST_CASE(swizzle_follows_the_documented_examples) {
  const auto source = [](unsigned offset, unsigned l) {
    uint8_t all[64];
    alu::ds_swizzle_sources(offset, all);
    return unsigned(all[l]);
  };
  const auto row = [&](unsigned offset) {
    std::vector<unsigned> v;
    for (unsigned l = 0; l < 32; ++l) v.push_back(source(offset, l) + 1);
    return v;
  };
  using list = std::vector<unsigned>;
  // FFT decomposition, Vega ISA 12.13.1
  BOOST_TEST(row(0xe000) == (list{0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d, 0x3, 0x13, 0xb, 0x1b, 0x7, 0x17, 0xf, 0x1f,
                                  0x2, 0x12, 0xa, 0x1a, 0x6, 0x16, 0xe, 0x1e, 0x4, 0x14, 0xc, 0x1c, 0x8, 0x18, 0x10, 0x20}));
  BOOST_TEST(row(0xe010) == (list{0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf, 0x2, 0xa, 0x6, 0xe, 0x4, 0xc, 0x8, 0x10,
                                  0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20}));
  list same(32), left(32), right(32);
  for (unsigned l = 0; l < 32; ++l) { same[l] = l + 1; left[l] = (l + 1) % 32 + 1; right[l] = (l + 31) % 32 + 1; }
  BOOST_TEST(row(0xe01f) == same);
  BOOST_TEST(row(0xc020) == left);
  BOOST_TEST(row(0xc420) == right);
  // rotation by one with mask 1: odd lanes two on, even lanes stay (left); the formula, not the document's example row
  list masked(32);
  for (unsigned l = 0; l < 32; ++l) masked[l] = (l & 1 ? (l + 1) % 32 / 2 * 2 + 1 : l) + 1;
  BOOST_TEST(row(0xc021) == masked);
  // bit masks: SWAPX16, REVERSEX32, BCASTX4 of thread 2
  for (unsigned l = 0; l < 64; ++l) {
    BOOST_TEST(source(0x10 << 10 | 0x1f, l) == (l ^ 16));
    BOOST_TEST(source(0x1f << 10 | 0x1f, l) == (l ^ 31));
    BOOST_TEST(source(2 << 5 | 0x1c, l) == ((l & ~3u) | 2));
    BOOST_TEST(source(0x8000 | 0x1b, l) == (l ^ 3)); // quad, reversed
  }
}

BOOST_AUTO_TEST_CASE(swizzle_agrees_with_the_model_for_all_65536_offsets) {
  uint8_t all[64];
  for (unsigned offset = 0; offset < 65536; ++offset) {
    alu::ds_swizzle_sources(offset, all);
    for (unsigned l = 0; l < 64; ++l)
      if (all[l] != ds_model::swizzle_lane(offset, l)) BOOST_FAIL("offset " << std::hex << offset << " lane " << l);
  }
}

BOOST_AUTO_TEST_CASE(permutes_give_the_results_of_the_documented_four_lane_examples) {
  // sources A B C D in lanes 0-3, addresses 0 0 12 4
  auto w = std::make_unique<fabric::standalone_wave_request>();
  const auto run = [&](const char* name, uint64_t exec) {
    static isa::instruction i;
    i = ds_model::make(name);
    w->begin(&i, exec);
    const uint32_t address[4] = {0, 0, 12, 4};
    for (unsigned l = 0; l < 4; ++l) { w->vaddr[0][l] = address[l]; w->vdata[0][l] = 0xa + l; w->result[0][l] = 0x5555; }
    BOOST_REQUIRE(fabric::ds_execute(*w, {nullptr, 0, 0, alu::ds_m0_use::low_offset})); // no LDS needed
    std::vector<uint32_t> v;
    for (unsigned l = 0; l < 4; ++l) if (exec >> l & 1) v.push_back(w->result[0][l]);
    return v;
  };
  using list = std::vector<uint32_t>;
  BOOST_TEST(run("ds_permute_b32", 0xf) == (list{0xb, 0xd, 0, 0xc}));
  BOOST_TEST(run("ds_permute_b32", 0xa) == (list{0xd, 0}));
  BOOST_TEST(run("ds_bpermute_b32", 0xf) == (list{0xa, 0xa, 0xd, 0xb}));
  BOOST_TEST(run("ds_bpermute_b32", 0xa) == (list{0, 0xb}));
}

BOOST_AUTO_TEST_CASE(lanes_on_one_word_act_in_ascending_order) {
  rig r;
  isa::instruction i = ds_model::make("ds_add_rtn_u32");
  r.w->begin(&i, ~uint64_t(0));
  r.w->lds_base = 0;
  r.w->lds_size = 64;
  for (unsigned l = 0; l < 64; ++l) { r.w->vaddr[0][l] = 8; r.w->vdata[0][l] = 1; }
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data(), 0, 64, alu::ds_m0_use::low_offset}));
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(r.w->result[0][l] == l);
  BOOST_TEST(r.memory[8] == 64);
  i = ds_model::make("ds_write_b32"); // the last lane's data stays
  r.w->begin(&i, 0x00ff00ff00ff00ff);
  for (unsigned l = 0; l < 64; ++l) { r.w->vaddr[0][l] = 12; r.w->vdata[0][l] = 100 + l; }
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data(), 0, 64, alu::ds_m0_use::low_offset}));
  BOOST_TEST(r.memory[12] == 155);
}

BOOST_AUTO_TEST_CASE(flat_instructions_reach_the_lds_by_the_low_half_of_their_address) {
  rig r;
  r.fill();
  std::mt19937_64& random = r.random;
  for (const auto& row : ds_model::opcodes()) {
    if (row.encoding != isa::encoding::FLAT) continue;
    for (unsigned k = 0; k < 100; ++k) {
      isa::instruction i = ds_model::make(row.name, r.pick(4096));
      i.glc = r.pick(2);
      r.w->begin(&i, random());
      r.w->unaligned = r.pick(2);
      r.w->lds_base = 1024;
      r.w->lds_size = 4096;
      r.w->mode = 0xf0;
      for (unsigned l = 0; l < 64; ++l) {
        r.w->vaddr[0][l] = r.pick(4096) - (r.pick(8) ? 0 : 4096);
        r.w->vaddr[1][l] = 1 << 16;
        for (unsigned k = 0; k < fabric::wave_request::vdata_rows; ++k) r.w->vdata[k][l] = r.value();
      }
      std::vector<uint8_t> expected = r.memory;
      uint32_t result[4][64] = {};
      bool outside = false;
      const bool load = row.memory == isa::memory_kind::load, atomic = row.memory == isa::memory_kind::atomic;
      const unsigned n = row.memory_bytes;
      for (unsigned l = 0; l < 64; ++l) {
        if (!(r.w->exec >> l & 1)) continue;
        uint32_t a = r.w->vaddr[0][l] + uint32_t(i.offset);
        if (atomic || !r.w->unaligned) a &= ~(n == 12 ? 15u : n - 1u);
        const auto get = [&](uint32_t at, unsigned bytes) { uint64_t v = 0; if (uint64_t(at) + bytes <= 4096) std::memcpy(&v, &expected[1024 + at], bytes); return v; };
        const auto put = [&](uint32_t at, unsigned bytes, uint64_t v) { if (uint64_t(at) + bytes <= 4096) std::memcpy(&expected[1024 + at], &v, bytes); };
        outside |= uint64_t(a) + n > 4096;
        if (load && n < 4) {
          uint32_t v = uint32_t(get(a, n));
          if (row.has(isa::SIGNED) && v >> (8 * n - 1)) v |= ~0u << (8 * n);
          result[0][l] = row.has(isa::D16) ? (v & 0xffff) * 0x10001 : v;
        } else if (load) {
          for (unsigned d = 0; d < n / 4; ++d) result[d][l] = uint32_t(get(a + 4 * d, 4));
        } else if (!atomic && n < 4) {
          put(a, n, r.w->vdata[0][l] >> (row.has(isa::D16_HI) ? 16 : 0));
        } else if (!atomic) {
          for (unsigned d = 0; d < n / 4; ++d) put(a + 4 * d, 4, r.w->vdata[d][l]);
        } else {
          const bool wide = n == 8;
          const uint64_t old = get(a, n), ones = wide ? ~0ull : 0xffffffff;
          const uint64_t s = wide ? r.w->vdata[0][l] | uint64_t(r.w->vdata[1][l]) << 32 : r.w->vdata[0][l];
          const uint64_t c = wide ? r.w->vdata[2][l] | uint64_t(r.w->vdata[3][l]) << 32 : r.w->vdata[1][l];
          const int64_t si = wide ? int64_t(s) : int32_t(s), oi = wide ? int64_t(old) : int32_t(old);
          uint64_t v = 0;
          const std::string name = row.name;
          const auto is = [&](const char* verb) { return name == std::string("flat_atomic_") + verb || name == std::string("flat_atomic_") + verb + "_x2"; };
          if (is("swap")) v = s; else if (is("cmpswap")) v = old == c ? s : old; else if (is("add")) v = old + s; else if (is("sub")) v = old - s;
          else if (is("smin")) v = si < oi ? s : old; else if (is("umin")) v = s < old ? s : old; else if (is("smax")) v = si > oi ? s : old;
          else if (is("umax")) v = s > old ? s : old; else if (is("and")) v = old & s; else if (is("or")) v = old | s; else if (is("xor")) v = old ^ s;
          else if (is("inc")) v = old >= s ? 0 : old + 1; else if (is("dec")) v = old == 0 || old > s ? s : old - 1;
          else BOOST_FAIL(name << " has no model");
          put(a, n, v & ones);
          result[0][l] = uint32_t(old);
          result[1][l] = uint32_t(old >> 32);
        }
      }
      BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data() + 1024, 1024, 4096, alu::ds_m0_use::low_offset}));
      BOOST_REQUIRE_MESSAGE(r.memory == expected, row.name << ": memory differs");
      const unsigned rows = load ? row.result_dwords : atomic && i.glc ? n / 4 : 0;
      BOOST_REQUIRE_MESSAGE(r.w->result_dwords == rows, row.name);
      for (unsigned d = 0; d < rows; ++d) for (unsigned l = 0; l < 64; ++l) if (r.w->exec >> l & 1) BOOST_REQUIRE_MESSAGE(r.w->result[d][l] == result[d][l], row.name << " lane " << l);
      BOOST_REQUIRE((r.w->fault == fabric::fault_kind::lds_range) == outside);
    }
  }
}

BOOST_AUTO_TEST_CASE(d16_reads_name_the_half_they_write) {
  rig r;
  isa::instruction i = ds_model::make("ds_read_u16_d16_hi");
  r.w->begin(&i, 1);
  r.w->vaddr[0][0] = 2;
  r.memory[2] = 0x34; r.memory[3] = 0x12;
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data(), 0, 64, alu::ds_m0_use::low_offset}));
  BOOST_TEST(r.w->result_half == 2);
  BOOST_TEST(r.w->result[0][0] >> 16 == 0x1234u);
  i = ds_model::make("ds_read_u16_d16");
  r.w->begin(&i, 1);
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data(), 0, 64, alu::ds_m0_use::low_offset}));
  BOOST_TEST(r.w->result_half == 1);
  BOOST_TEST((r.w->result[0][0] & 0xffff) == 0x1234u);
}

BOOST_AUTO_TEST_CASE(buffer_loads_to_lds_write_dwords_of_the_returned_lanes) {
  rig r;
  isa::instruction i = ds_model::make("buffer_load_dword");
  BOOST_REQUIRE(i.info);
  i.lds = true;
  r.w->begin(&i, ~uint64_t(0));
  r.w->result_to_lds = true;
  r.w->result_mask = 0xffff0000ffff0000;
  for (unsigned l = 0; l < 64; ++l) { r.w->lds_address[l] = 512 + 16 + 4 * l; r.w->result[0][l] = 0x1000 + l; }
  std::vector<uint8_t> expected = r.memory;
  r.w->result_mask |= 1;
  r.w->lds_address[0] = 508; // another group's
  for (unsigned l = 1; l < 64; ++l) if (r.w->result_mask >> l & 1) if (16 + 4 * l + 4 <= 200) { const uint32_t v = 0x1000 + l; std::memcpy(&expected[512 + 16 + 4 * l], &v, 4); }
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data() + 512, 512, 200, alu::ds_m0_use::low_offset}));
  BOOST_TEST((r.memory == expected));
}

BOOST_AUTO_TEST_CASE(buffer_store_lds_dword_reads_a_dword_for_each_lane) {
  rig r;
  r.fill();
  isa::instruction i = ds_model::make("buffer_store_lds_dword");
  BOOST_REQUIRE(i.info);
  r.w->begin(&i, 0x00ffff00ffff00ff);
  for (unsigned l = 0; l < 64; ++l) r.w->lds_address[l] = 512 + 8 * l;
  BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data() + 512, 512, 256, alu::ds_m0_use::low_offset}));
  BOOST_TEST(r.w->result_dwords == 1);
  BOOST_TEST(r.w->result_mask == r.w->exec);
  for (unsigned l = 0; l < 64; ++l) {
    uint32_t v = 0;
    if (l < 32) std::memcpy(&v, &r.memory[512 + 8 * l], 4); // beyond 256 bytes: 0
    if (r.w->exec >> l & 1) BOOST_TEST(r.w->result[0][l] == v);
  }
}

BOOST_AUTO_TEST_CASE(append_in_lds_can_take_its_base_from_either_half_of_m0) {
  rig r;
  isa::instruction i = ds_model::make("ds_append", 8);
  for (const bool high : {false, true}) {
    std::fill(r.memory.begin(), r.memory.end(), 0);
    r.w->begin(&i, 0xff);
    r.w->m0 = 0x00400020;
    BOOST_REQUIRE(fabric::ds_execute(*r.w, {r.memory.data(), 0, 4096, high ? alu::ds_m0_use::high_base : alu::ds_m0_use::low_offset}));
    BOOST_TEST(r.memory[high ? 0x48 : 0x28] == 8);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_data_share_instruction_is_refused) {
  rig r;
  isa::instruction i = ds_model::make("s_nop");
  r.w->begin(&i, 1);
  BOOST_TEST(!fabric::ds_execute(*r.w, {r.memory.data(), 0, 64, alu::ds_m0_use::low_offset}));
  BOOST_TEST((r.w->fault == fabric::fault_kind::unsupported));
}
