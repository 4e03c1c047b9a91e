// SPDX-License-Identifier: Apache-2.0
// Bank conflicts and path times against a plain model of the rules.
#include "fabric/data_share.h"
#include "lds/ds_model.h"
#include "support/systemc_test.h"
#include <memory>
#include <random>
#include <set>

namespace {

using namespace lyra;

/// Lanes of each phase as the rules say them.
std::vector<std::vector<unsigned>> phases(unsigned bytes, bool read) {
  const auto runs = [](unsigned n) {
    std::vector<std::vector<unsigned>> v;
    for (unsigned first = 0; first < 64; first += n) { v.emplace_back(); for (unsigned l = 0; l < n; ++l) v.back().push_back(first + l); }
    return v;
  };
  if (bytes <= 4) return runs(32);
  if (bytes == 8) return runs(16);
  if (!read) return runs(8);
  std::vector<std::vector<unsigned>> v;
  for (const auto& pair : {std::pair{0u, 20u}, {32u, 52u}, {4u, 16u}, {36u, 48u}, {8u, 28u}, {40u, 60u}, {12u, 24u}, {44u, 56u}}) {
    v.emplace_back();
    for (unsigned l = 0; l < 4; ++l) v.back().push_back(pair.first + l);
    for (unsigned l = 0; l < 4; ++l) v.back().push_back(pair.second + l);
  }
  return v;
}

struct expected { unsigned banks = 0, conflicts = 0, serialised = 0, broadcast = 0; };

/// Every phase: how many different dwords (atomics: accesses) the fullest bank has.
void count(expected& e, const uint32_t* address, uint64_t exec, unsigned bytes, bool read, bool atomic) {
  for (const auto& phase : phases(bytes, read)) {
    std::multiset<uint32_t> all;
    for (unsigned l : phase) {
      if (!(exec >> l & 1)) continue;
      for (uint32_t d = address[l] / 4; d <= (address[l] + bytes - 1) / 4; ++d) all.insert(d);
    }
    const std::set<uint32_t> different(all.begin(), all.end());
    unsigned fullest = 0, fullest_different = 0;
    for (unsigned bank = 0; bank < 32; ++bank) {
      unsigned n = 0, m = 0;
      for (uint32_t d : all) n += d % 32 == bank;
      for (uint32_t d : different) m += d % 32 == bank;
      fullest = std::max(fullest, n);
      fullest_different = std::max(fullest_different, m);
    }
    const unsigned cycles = std::max(1u, atomic ? fullest : fullest_different);
    e.banks += cycles;
    e.conflicts += cycles - 1;
    if (atomic) e.serialised += cycles - std::max(1u, fullest_different);
    else e.broadcast += unsigned(all.size() - different.size());
  }
}

struct rig {
  std::unique_ptr<fabric::standalone_wave_request> w = std::make_unique<fabric::standalone_wave_request>();
  std::vector<uint8_t> memory = std::vector<uint8_t>(65536);
  isa::instruction inst;
  fabric::data_share_rates rates;
  fabric::bank_model banks{rates};
  uint32_t base = 0;

  fabric::data_share_cost cost(const std::string& name, uint64_t exec = ~uint64_t(0), unsigned offset = 0) {
    inst = ds_model::make(name, offset);
    w->begin(&inst, exec);
    alu::ds_access a;
    alu::ds_addresses where;
    BOOST_REQUIRE(fabric::ds_execute(*w, {memory.data() + base, base, 65536 - base, alu::ds_m0_use::low_offset}, a, where));
    return banks.cost(a, where, base);
  }
  template <class F> void addresses(F f) { for (unsigned l = 0; l < 64; ++l) w->vaddr[0][l] = f(l); }
};

void check(const fabric::data_share_cost& c, const expected& e, const std::string& what) {
  BOOST_REQUIRE_MESSAGE(c.banks == e.banks, what << ": " << c.banks << " bank cycles, the rules give " << e.banks);
  BOOST_REQUIRE_MESSAGE(c.conflicts == e.conflicts, what << ": " << c.conflicts << " conflicts, the rules give " << e.conflicts);
  BOOST_REQUIRE_MESSAGE(c.serialised == e.serialised, what << ": serialised " << c.serialised << " " << e.serialised);
  BOOST_REQUIRE_MESSAGE(c.broadcast == e.broadcast, what << ": broadcast " << c.broadcast << " " << e.broadcast);
}

} // namespace

BOOST_AUTO_TEST_CASE(strides_1_to_33_in_every_width_conflict_as_the_rules_say) {
  rig r;
  for (unsigned stride = 1; stride <= 33; ++stride) {
    for (const unsigned bits : {32u, 64u, 96u, 128u}) {
      r.addresses([&](unsigned l) { return 4 * stride * l; }); // dwords between lanes
      for (const bool read : {true, false}) {
        expected e;
        count(e, r.w->vaddr[0], ~uint64_t(0), bits / 8, read, false);
        if (!read && bits == 96) e.banks = std::max(e.banks, 10u); // measured: one in 10 cycles at best
        const std::string name = std::string(read ? "ds_read_b" : "ds_write_b") + std::to_string(bits);
        check(r.cost(name), e, name + " stride " + std::to_string(stride));
      }
    }
    for (const char* name : {"ds_add_u32", "ds_add_rtn_u64"}) {
      r.addresses([&](unsigned l) { return 8 * stride * l; });
      expected e;
      count(e, r.w->vaddr[0], ~uint64_t(0), name == std::string("ds_add_u32") ? 4 : 8, false, true);
      check(r.cost(name), e, name);
    }
  }
}

BOOST_AUTO_TEST_CASE(known_strides_give_the_known_conflicts) {
  rig r;
  const auto read32 = [&](unsigned dwords) { r.addresses([&](unsigned l) { return 4 * dwords * l; }); return r.cost("ds_read_b32"); };
  BOOST_TEST(read32(1).banks == 2u);   // 128 bytes a cycle
  BOOST_TEST(read32(2).banks == 4u);
  BOOST_TEST(read32(4).banks == 8u);
  BOOST_TEST(read32(32).banks == 64u); // the worst case: one lane a cycle
  BOOST_TEST(read32(32).conflicts == 62u);
  BOOST_TEST(read32(33).banks == 2u);  // a padded row
  BOOST_TEST(read32(0).banks == 2u);   // broadcast
  BOOST_TEST(read32(0).broadcast == 62u);
  r.addresses([](unsigned) { return 64; });
  const auto same = r.cost("ds_add_u32"); // all lanes on one word: one after the other
  BOOST_TEST(same.banks == 64u);
  BOOST_TEST(same.serialised == 62u);
  r.addresses([](unsigned l) { return 4 * (l % 8); }); // a histogram of eight bins: four lanes of each half on each
  BOOST_TEST(r.cost("ds_add_u32").banks == 8u);
}

BOOST_AUTO_TEST_CASE(random_accesses_of_every_shape_conflict_as_the_rules_say) {
  rig r;
  std::mt19937_64 random(3);
  struct shape { const char* name; unsigned bytes; bool read, atomic; };
  const shape shapes[] = {{"ds_read_u8", 1, true, false}, {"ds_read_i16", 2, true, false}, {"ds_read_b32", 4, true, false}, {"ds_read_b64", 8, true, false}, {"ds_read_b96", 12, true, false},
                          {"ds_read_b128", 16, true, false}, {"ds_write_b8", 1, false, false}, {"ds_write_b16", 2, false, false}, {"ds_write_b32", 4, false, false},
                          {"ds_write_b64", 8, false, false}, {"ds_write_b128", 16, false, false}, {"ds_max_u32", 4, false, true}, {"ds_cmpst_rtn_b64", 8, false, true}};
  for (unsigned k = 0; k < 3000; ++k) {
    const shape& s = shapes[random() % (sizeof shapes / sizeof *shapes)];
    const uint32_t span = 1 + uint32_t(random() % 8000);
    const bool unaligned = random() & 1;
    const uint64_t exec = random() & (random() % 3 ? ~uint64_t(0) : random());
    r.w->unaligned = unaligned;
    r.base = 4 * uint32_t(random() % 64);
    r.addresses([&](unsigned) { return uint32_t(random() % span); });
    uint32_t address[64];
    for (unsigned l = 0; l < 64; ++l) {
      address[l] = r.w->vaddr[0][l];
      if (s.atomic || !unaligned) address[l] &= ~((s.bytes == 12 ? 16 : s.bytes) - 1);
      address[l] += r.base;
    }
    expected e;
    count(e, address, exec, s.bytes, s.read, s.atomic);
    check(r.cost(s.name, exec), e, s.name);
  }
}

BOOST_AUTO_TEST_CASE(two_address_forms_do_the_phases_of_the_first_then_of_the_second) {
  rig r;
  r.addresses([](unsigned l) { return 4 * l; });
  BOOST_TEST(r.cost("ds_read2_b32", ~0ull, 0x0100).banks == 4u);
  BOOST_TEST(r.cost("ds_read2_b32", ~0ull, 0x0101).banks == 2u); // equal offsets: one access
  BOOST_TEST(r.cost("ds_write2st64_b32", ~0ull, 0x0100).banks == 4u);
  r.addresses([](unsigned l) { return 8 * l; });
  BOOST_TEST(r.cost("ds_read2_b64", ~0ull, 0x0100).banks == 8u);
  BOOST_TEST(r.cost("ds_wrxchg2_rtn_b64", ~0ull, 0x4000).banks == 12u); // measured: one in 12 cycles
  r.addresses([](unsigned l) { return 4 * l; });
  BOOST_TEST(r.cost("ds_add_src2_u32", ~0ull, 64).banks == 4u);
}

BOOST_AUTO_TEST_CASE(lane_permutes_conflict_where_lanes_of_a_half_meet_in_a_bank) {
  rig r;
  r.addresses([](unsigned l) { return 4 * (63 - l); });
  BOOST_TEST(r.cost("ds_bpermute_b32").banks == 2u);
  r.addresses([](unsigned l) { return l & 1 ? 4 * (l & 31) : 4 * (32 | (~l & 31 & ~1u)) ; });
  expected e;
  uint32_t address[64];
  for (unsigned l = 0; l < 64; ++l) address[l] = r.w->vaddr[0][l] & 0xfc;
  count(e, address, ~0ull, 4, true, false);
  check(r.cost("ds_bpermute_b32"), e, "bpermute");
  BOOST_TEST(r.cost("ds_swizzle_b32", ~0ull, 0x401f).banks == 2u);
}

BOOST_AUTO_TEST_CASE(path_times_are_the_measured_rows) {
  rig r;
  r.addresses([](unsigned l) { return 16 * l; });
  struct row { const char* name; unsigned path; };
  for (const row& x : {row{"ds_read_b32", 4}, {"ds_read_u8", 4}, {"ds_read_u16_d16_hi", 4}, {"ds_swizzle_b32", 4}, {"ds_read_b64", 8}, {"ds_read2_b32", 8}, {"ds_read_b96", 16},
                       {"ds_read_b128", 16}, {"ds_read2st64_b64", 16}, {"ds_write_b8", 8}, {"ds_write_b16", 8}, {"ds_write_b32", 8}, {"ds_write_b64", 12}, {"ds_write2_b32", 12},
                       {"ds_write_b96", 16}, {"ds_write_b128", 20}, {"ds_write2_b64", 20}, {"ds_add_u32", 8}, {"ds_add_rtn_f32", 8}, {"ds_add_u64", 12}, {"ds_cmpst_rtn_b32", 12},
                       {"ds_mskor_b32", 12}, {"ds_cmpst_b64", 20}, {"ds_mskor_rtn_b64", 20}, {"ds_wrxchg2_rtn_b32", 12}, {"ds_wrxchg2st64_rtn_b64", 20}, {"ds_append", 4}})
    BOOST_TEST(r.cost(x.name).path == x.path, x.name);
}

BOOST_AUTO_TEST_CASE(inactive_and_out_of_range_lanes_reach_no_bank) {
  rig r;
  r.addresses([](unsigned l) { return 128 * l; });
  BOOST_TEST(r.cost("ds_read_b32", 0).banks == 2u);
  BOOST_TEST(r.cost("ds_read_b32", 0xf).banks == 5u);
  r.addresses([](unsigned l) { return 65536 + 128 * l; });
  BOOST_TEST(r.cost("ds_read_b32").banks == 2u);
}
