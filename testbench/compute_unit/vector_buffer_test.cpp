// SPDX-License-Identifier: Apache-2.0
// Vector buffer memory in the whole machine: coherence of two compute units, order of vmcnt, late store data, descriptor bits, pages that are not there.
#include "compute_unit/scalar_program.h"
#include "compute_unit/two_units.h"
#include "support/systemc_test.h"
#include "support/vcd_reader.h"

using namespace program;

namespace {
constexpr uint32_t plain = 0x27fac; // word 3 of a V#: 32 float, XYZW
std::string buffer_over(unsigned at, uint32_t offset, uint32_t stride, uint32_t records, uint32_t word3 = plain) { return constant(8, at, offset, stride, records, word3); }
const std::string store_v4 = "v_lshlrev_b32_e32 v30, 2, v0\nglobal_store_dword v30, v4, s[0:1]\n", end = "s_waitcnt vmcnt(0)\ns_endpgm";
} // namespace

// ---------------------------------------------------------------- coherence

namespace {
uint32_t seen(const std::string& first, const std::string& before, const std::string& second, const std::string& more = "") {
  const job j = two_cus(first, before, second + "s_waitcnt vmcnt(0)\nglobal_store_dword v2, v9, s[0:1]\n");
  const auto o = j.good(apart + more);
  BOOST_TEST(o.data.at(62) != o.data.at(63)); // two compute units
  return o.data.at(0);
}
const std::string touch = "global_load_dword v9, v2, s[2:3] offset:64\n", touch_glc = "global_load_dword v9, v2, s[2:3] offset:64 glc\n";
const std::string put = "v_mov_b32_e32 v6, 0x55\nglobal_store_dword v2, v6, s[2:3] offset:64\n", put_glc = "v_mov_b32_e32 v6, 0x55\nglobal_store_dword v2, v6, s[2:3] offset:64 glc\n";
} // namespace

BOOST_AUTO_TEST_CASE(a_load_of_another_compute_units_store_is_stale_in_l1_and_fresh_with_glc_or_after_an_invalidation) {
  const uint32_t old = word(16);
  for (const auto& w : {put, put_glc}) {
    BOOST_TEST(seen(w, touch, touch) == old);
    BOOST_TEST(seen(w, touch, touch_glc) == 0x55u);
    BOOST_TEST(seen(w, touch, touch_glc + "s_waitcnt vmcnt(0)\n" + touch) == 0x55u); // GLC=1 dropped the line
    BOOST_TEST(seen(w, touch, "buffer_wbinvl1\n" + touch) == 0x55u);
    BOOST_TEST(seen(w, touch, "buffer_wbinvl1_vol\n" + touch) == 0x55u);
    BOOST_TEST(seen(w, touch_glc, touch) == 0x55u); // nothing stayed
    BOOST_TEST(seen(w, "", touch) == 0x55u);
  }
  // an atomic of the other compute unit is seen by the same rules; one of its own drops its line
  const std::string add = "v_mov_b32_e32 v6, 1\nglobal_atomic_add v2, v6, s[2:3] offset:64\n";
  BOOST_TEST(seen(add, touch, touch) == old);
  BOOST_TEST(seen(add, touch, touch_glc) == old + 1);
  BOOST_TEST(seen(add, touch, add + touch) == old + 2);
  // a store of its own to the line drops it too, unless all of it was written
  BOOST_TEST(seen(put, touch, "global_store_dword v2, v2, s[2:3] offset:68\n" + touch) == 0x55u);
  for (const char* m : {" --mode lt", " --set chaos.seed=5"}) {
    BOOST_TEST(seen(put, touch, touch_glc, m) == 0x55u);
    BOOST_TEST(seen(put, touch, "buffer_wbinvl1\n" + touch, m) == 0x55u);
  }
}

BOOST_AUTO_TEST_CASE(the_nv_bit_of_the_descriptor_keeps_lines_from_wbinvl1_vol) {
  const std::string nv = buffer_over(2, 0, 0, 4096, plain | 1u << 27), usual = buffer_over(2, 0, 0, 4096), load = "buffer_load_dword v9, off, s[8:11], 0 offset:64\n";
  BOOST_TEST(seen(put, nv + load, "buffer_wbinvl1_vol\n" + load) == word(16));
  BOOST_TEST(seen(put, nv + load, "buffer_wbinvl1\n" + load) == 0x55u);
  BOOST_TEST(seen(put, usual + load, "buffer_wbinvl1_vol\n" + load) == 0x55u);
}

// ---------------------------------------------------------------- order

BOOST_AUTO_TEST_CASE(vmcnt_falls_in_issue_order_at_these_cycles) {
  const auto falls = [](const std::string& body) {
    // the line at 0x400 is in L1, code and everything else is warm by a first pass with EXEC=0
    job j("v_mov_b32_e32 v1, 0\nglobal_load_dword v3, v1, s[2:3] offset:1024\ns_waitcnt vmcnt(0)\ns_mov_b64 s[6:7], 0\ns_movk_i32 s5, 2\nagain:\ns_mov_b64 exec, s[6:7]\ns_nop 4\n" + body +
          "s_waitcnt vmcnt(0)\ns_mov_b64 s[6:7], -1\ns_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 again\ns_endpgm");
    j.in = numbered(2048);
    j.out_dwords = 2048;
    const auto file = j.folder() / "t.vcd";
    j.good("--machine cu --set core_mhz=1000 --set fabric_mhz=1000 --set memory.model=fixed --set memory.latency_ns=500 --vcd " + file.string() + " --trace 'cu0.simd0.wave0.vmcnt'");
    const vcd_reader v(file);
    const auto& c = v.of("cu0.simd0.wave0.vmcnt");
    // of the last pass: cycles of each value from its first rise on
    size_t first = c.size();
    while (first > 0 && !(c[first - 1].value == 1 && (first == 1 || c[first - 2].value == 0))) --first;
    std::vector<std::pair<uint64_t, uint64_t>> out;
    for (size_t k = first - 1; k < c.size(); ++k) out.emplace_back((c[k].ps - c[first - 1].ps) / 1000, c[k].value);
    return out;
  };
  using list = std::vector<std::pair<uint64_t, uint64_t>>;
  const auto show = [](const list& l) { std::string s; for (const auto& [c, v] : l) s += std::to_string(c) + ":" + std::to_string(v) + " "; return s; };
  const std::string miss = "global_load_dword v4, v1, s[2:3]\n", hit = "global_load_dword v5, v1, s[2:3] offset:1024\n", store = "global_store_dword v1, v1, s[0:1] offset:2048\n";
  const list a = falls(hit), b = falls(miss), s = falls(store), mh = falls(miss + hit), ms = falls(miss + store), hs = falls(hit + miss), m0 = falls(miss + "s_mov_b64 exec, 0\n" + hit);
  BOOST_TEST_MESSAGE("hit " << show(a) << "| miss " << show(b) << "| store " << show(s) << "| miss, hit " << show(mh) << "| miss, store " << show(ms) << "| hit, miss " << show(hs) << "| miss, exec 0 " << show(m0));
  const auto last = [](const list& l) { return l.back().first; };
  const uint64_t hit_cycles = 127, gap = 8, miss_cycles = last(b); // issue to the counter; between two vector memory instructions of a wave
  BOOST_TEST(last(a) == hit_cycles);
  BOOST_TEST(last(s) < miss_cycles);
  BOOST_TEST(miss_cycles > 500u);
  // a later hit: ready long before, it comes 4 cycles of the return bus behind the miss
  BOOST_TEST((mh == list{{0, 1}, {gap, 2}, {miss_cycles, 1}, {miss_cycles + 4, 0}}), show(mh));
  // an early acknowledgement waits for the load in front: both fall in one cycle
  BOOST_TEST((ms == list{{0, 1}, {gap, 2}, {miss_cycles, 0}}), show(ms));
  // EXEC=0 takes its turn
  BOOST_TEST((m0 == list{{0, 1}, {8, 2}, {miss_cycles, 1}, {miss_cycles + 4, 0}}), show(m0));
  // the other way round nobody waits
  BOOST_TEST((hs == list{{0, 1}, {gap, 2}, {hit_cycles, 1}, {miss_cycles + gap, 0}}), show(hs));
}

// ---------------------------------------------------------------- store data

BOOST_AUTO_TEST_CASE(data_beyond_the_second_dword_of_a_wide_store_is_read_one_wait_state_later) {
  const std::string prepare = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v4, 1\nv_mov_b32_e32 v5, 2\nv_mov_b32_e32 v6, 3\nv_mov_b32_e32 v7, 4\ns_mov_b64 exec, 1\ns_movk_i32 s20, 0\n" + buffer_over(0, 0, 0, 4096);
  const std::string overwrite = "v_mov_b32_e32 v4, 91\nv_mov_b32_e32 v5, 92\nv_mov_b32_e32 v6, 93\nv_mov_b32_e32 v7, 94\n", high_first = "v_mov_b32_e32 v7, 94\n" + overwrite, third_first = "v_mov_b32_e32 v6, 93\n" + overwrite;
  struct row { const char* what; std::string body; std::vector<uint32_t> want; bool reported; };
  const std::string x4 = "global_store_dwordx4 v1, v[4:7], s[0:1]\n", b4 = "buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen\n", b4s = "buffer_store_dwordx4 v[4:7], v1, s[8:11], s20 offen\n", x3 = "global_store_dwordx3 v1, v[4:6], s[0:1]\n",
                    x2 = "global_store_dwordx2 v1, v[4:5], s[0:1]\n", f4 = "flat_store_dwordx4 v[10:11], v[4:7]\n";
  const row rows[] = {
    {"dword 3 at once", x4 + high_first, {1, 2, 3, 94}, true},
    {"dword 2 at once", x4 + third_first, {1, 2, 93, 4}, true},
    {"dwords 0 and 1 are read at issue", x4 + overwrite, {1, 2, 3, 4}, true},
    {"a wait state in between", x4 + "s_nop 0\n" + high_first, {1, 2, 3, 4}, false},
    {"another instruction in between", x4 + "v_mov_b32_e32 v20, 0\n" + high_first, {1, 2, 3, 4}, false},
    {"buffer store", b4 + high_first, {1, 2, 3, 94}, true},
    {"buffer store with an SGPR offset", b4s + high_first, {1, 2, 3, 4}, false},
    {"three dwords", x3 + third_first, {1, 2, 93, 0}, true},
    {"two dwords", x2 + overwrite, {1, 2, 0, 0}, false},
    {"FLAT", "v_mov_b32_e32 v10, s0\nv_mov_b32_e32 v11, s1\n" + f4 + high_first, {1, 2, 3, 94}, true},
  };
  for (const row& r : rows) {
    const job j(prepare + r.body + "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm");
    for (const auto& m : all_modes()) {
      const auto o = j.run(m);
      BOOST_TEST_REQUIRE(o.code == 0, o.err);
      for (unsigned k = 0; k < 4; ++k) BOOST_TEST(o.data.at(k) == r.want[k], r.what << ", " << m << ", dword " << k << ": " << o.data[k] << ", expected " << r.want[k]);
      BOOST_TEST(o.says("lyra/hazard/wait-states") == r.reported, r.what << m << o.err);
      if (r.reported) BOOST_TEST(o.says("a store of more than 64 bits"), o.err);
    }
  }
  BOOST_TEST(job(prepare + x4 + high_first + "s_endpgm").run("--machine cu --set hazards=error").code == 3);
}

BOOST_AUTO_TEST_CASE(registers_of_a_store_may_be_overwritten_by_any_instruction_behind_its_wait_state) {
  // a stream of wide stores whose registers change each time, all lanes
  job j("v_lshlrev_b32_e32 v1, 4, v0\nv_mov_b32_e32 v4, v0\ns_movk_i32 s5, 16\nagain:\nv_add_u32_e32 v5, 1, v4\nv_add_u32_e32 v6, 2, v4\nv_add_u32_e32 v7, 3, v4\nglobal_store_dwordx4 v1, v[4:7], s[0:1]\nv_add_u32_e32 v1, 0x400, v1\n"
        "v_add_u32_e32 v4, 0x100, v4\ns_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 again\ns_waitcnt vmcnt(0)\ns_endpgm");
  j.out_dwords = 16 * 256;
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (unsigned k = 0; k < 16; ++k)
      for (unsigned l = 0; l < 256; ++l) BOOST_TEST_REQUIRE(o.data[256 * k + l] == l / 4 + 0x100 * k + l % 4, m);
  }
}

// ---------------------------------------------------------------- descriptors, offsets, alignment

BOOST_AUTO_TEST_CASE(soffset_comes_from_an_sgpr_m0_or_an_inline_constant) {
  collector c;
  std::vector<uint32_t> want;
  c.add(buffer_over(2, 0, 0, 0x2000) + "s_movk_i32 s20, 0x120\n" + set_m0(0x248));
  for (const auto& [text, offset] : {std::pair<const char*, unsigned>{"s20", 0x120}, {"m0", 0x248}, {"64", 64}, {"0", 0}, {"4", 4}})
    for (const unsigned more : {0u, 0x40u, 0xffcu}) {
      c.add("buffer_load_dword v4, off, s[8:11], " + std::string(text) + " offset:" + std::to_string(more) + "\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s12, v4\n");
      c.take(12);
      want.push_back(word((offset + more) / 4));
    }
  job j(c.program());
  j.in = numbered();
  for (const auto& m : all_modes()) {
    const auto o = j.good(m);
    for (size_t k = 0; k < want.size(); ++k) BOOST_TEST(o.data.at(k) == want[k], m << k);
  }
}

BOOST_AUTO_TEST_CASE(cache_swizzle_changes_no_result) {
  for (const uint32_t bit : {0u, 1u << 14}) { // word 1, bit 30: bit 14 of the stride field's half
    job j(buffer_over(2, 0, 4 | bit, 1024) + "buffer_load_dword v4, v0, s[8:11], 0 idxen\ns_waitcnt vmcnt(0)\n" + store_v4 + end);
    j.in = numbered();
    for (const auto& m : all_modes()) {
      const auto o = j.good(m);
      for (unsigned l = 0; l < 64; ++l) BOOST_TEST_REQUIRE(o.data[l] == word(l), m << bit);
    }
  }
}

BOOST_AUTO_TEST_CASE(unaligned_access_is_done_or_loses_its_low_bits_by_parameter) {
  const auto bytes = [](uint64_t at) { uint32_t v = 0; for (unsigned k = 0; k < 4; ++k) v |= (word((at + k) / 4) >> 8 * ((at + k) % 4) & 255) << 8 * k; return v; };
  for (const char* load : {"buffer_load_dword v4, v1, s[8:11], 0 offen\n", "global_load_dword v4, v1, s[2:3]\n", "buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 offen\n", "buffer_load_ushort v4, v1, s[8:11], 0 offen\n"}) {
    job j(buffer_over(2, 0, 0, 0x2000) + "v_mul_u32_u24_e32 v1, 5, v0\n" + load + "s_waitcnt vmcnt(0)\n" + store_v4 + end);
    j.in = numbered();
    const bool half = std::strstr(load, "ushort") != nullptr;
    for (const bool on : {true, false})
      for (const auto& m : all_modes()) {
        const auto o = j.good(m + (on ? "" : " --set unaligned_access=off"));
        for (unsigned l = 0; l < 64; ++l) BOOST_TEST_REQUIRE(o.data[l] == (bytes(on ? 5 * l : 5 * l & ~(half ? 1u : 3u)) & (half ? 0xffffu : 0xffffffffu)), load << m << on << " lane " << l);
      }
  }
  // stores and LDS follow the same parameter
  job s("v_mov_b32_e32 v1, 1\nv_mov_b32_e32 v4, 0x1234\ns_mov_b64 exec, 1\nglobal_store_dword v1, v4, s[0:1]\nds_write_b32 v1, v4\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32_e32 v1, 0\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v5, s[0:1] offset:16\n" + end);
  s.lds = 256;
  for (const auto& m : all_modes()) {
    BOOST_TEST(s.good(m).data.at(0) == 0x123400u, m);
    BOOST_TEST(s.good(m + " --set unaligned_access=off").data.at(0) == 0x1234u, m);
    BOOST_TEST(s.good(m + " --set unaligned_access=off").data.at(4) == 0x1234u, m);
  }
}

BOOST_AUTO_TEST_CASE(an_access_wider_than_the_elements_of_a_swizzled_buffer_is_an_error) {
  const std::string swizzled = constant(8, 2, 0, 16 | 1u << 15, 64, plain | 1u << 21); // stride 16, swizzle enabled
  job good(swizzled + "buffer_load_dword v4, v0, s[8:11], 0 idxen\ns_waitcnt vmcnt(0)\n" + store_v4 + end), wide(swizzled + "buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen\n" + end);
  for (const auto& m : all_modes()) {
    good.good(m);
    const auto o = wide.run(m);
    BOOST_TEST(o.code == 3, m);
    BOOST_TEST((o.says("a swizzled buffer is accessed with more bytes than its elements have") && o.says("buffer_load_dwordx2") && o.says("lane 0")), o.err);
  }
}

// ---------------------------------------------------------------- pages

BOOST_AUTO_TEST_CASE(user_vm_makes_unmapped_pages_read_zero_and_drop_stores_or_fault) {
  // "in" is one page; the page behind it is not mapped
  const auto program_of = [](uint32_t word3, const char* access) { return buffer_over(2, 0, 0, 0x4000, word3) + "v_mov_b32_e32 v4, 9\nv_lshlrev_b32_e32 v1, 7, v0\n" + access + "\ns_waitcnt vmcnt(0)\n" + store_v4 + end; };
  const char* load = "buffer_load_dword v4, v1, s[8:11], 0 offen";
  const char* store = "buffer_store_dword v0, v1, s[8:11], 0 offen";
  const auto run = [&](uint32_t word3, const char* access, const std::string& m) {
    job j(program_of(word3, access));
    j.in = numbered(1024);
    return j.run(m);
  };
  for (const auto& m : all_modes()) {
    const auto o = run(plain | 1u << 19, load, m);
    BOOST_TEST_REQUIRE(o.code == 0, o.err);
    for (unsigned l = 0; l < 64; ++l) BOOST_TEST_REQUIRE(o.data[l] == (l < 32 ? word(32 * l) : 0u), m);
    BOOST_TEST(run(plain | 1u << 19, store, m).code == 0, m);
    for (const uint32_t w : {plain, plain | 1u << 19 | 1u << 20})
      for (const char* access : {load, store}) {
        const auto f = run(w, access, m);
        BOOST_TEST(f.code == 3, m);
        BOOST_TEST((f.says("lyra/fault/memory-violation") && f.says("lane 32") && f.says("is not mapped")), f.err);
      }
  }
}

BOOST_AUTO_TEST_CASE(non_resident_pages_read_zero_say_so_with_tfe_and_drop_stores) {
  // three pages, the one in the middle has no memory; lane l accesses byte 192 l
  const std::string start = buffer_over(2, 0, 0, 0x3000) + "v_mul_u32_u24_e32 v1, 192, v0\nv_mov_b32_e32 v4, 9\nv_mov_b32_e32 v5, 9\nv_mov_b32_e32 v6, 9\n", both = store_v4 + "global_store_dword v30, v5, s[0:1] offset:256\n" + end;
  const auto job_of = [](const std::string& text) {
    job j(text);
    j.in = numbered(3072);
    j.in_keys = "address = 0x300000000";
    j.out_dwords = 128;
    return j;
  };
  const std::string gone = " --set memory.non_resident=0x300001000:4096";
  const auto resident = [](unsigned l) { return 192 * l < 0x1000 || 192 * l >= 0x2000; };
  const job with = job_of(start + "buffer_load_dword v4, v1, s[8:11], 0 offen tfe\ns_waitcnt vmcnt(0)\n" + both), without = job_of(start + "buffer_load_dword v4, v1, s[8:11], 0 offen\ns_waitcnt vmcnt(0)\n" + both);
  const job stored = job_of(start + "buffer_store_dword v0, v1, s[8:11], 0 offen\ns_waitcnt vmcnt(0)\nbuffer_load_dword v4, v1, s[8:11], 0 offen glc tfe\ns_waitcnt vmcnt(0)\n" + both);
  const job format = job_of(buffer_over(2, 0, 192, 64) + "buffer_load_format_x v4, v0, s[8:11], 0 idxen tfe\ns_waitcnt vmcnt(0)\n" + both);
  for (const auto& m : all_modes()) {
    const auto a = with.good(m + gone), b = without.good(m + gone), c = stored.good(m + gone), all = with.good(m), f = format.good(m + gone);
    for (unsigned l = 0; l < 64; ++l) {
      BOOST_TEST_REQUIRE(a.data[l] == (resident(l) ? word(48 * l) : 0u), m << " lane " << l);
      BOOST_TEST_REQUIRE(a.data[64 + l] == (resident(l) ? 0u : 1u), m << " lane " << l);
      BOOST_TEST_REQUIRE(b.data[l] == (resident(l) ? word(48 * l) : 0u), m << " lane " << l);
      BOOST_TEST_REQUIRE(b.data[64 + l] == 9u, m);
      BOOST_TEST_REQUIRE(c.data[l] == (resident(l) ? l : 0u), m << " lane " << l);
      BOOST_TEST_REQUIRE(c.data[64 + l] == (resident(l) ? 0u : 1u), m << " lane " << l);
      BOOST_TEST_REQUIRE(f.data[64 + l] == (resident(l) ? 0u : 1u), m << " lane " << l);
      BOOST_TEST_REQUIRE(all.data[l] == word(48 * l), m);
      BOOST_TEST_REQUIRE(all.data[64 + l] == 0u, m);
    }
  }
  const auto bad = with.run("--machine cu --set memory.non_resident=0x300001004:10");
  BOOST_TEST(bad.code == 2);
  BOOST_TEST((bad.says("memory.non_resident") && bad.says("ADDRESS:BYTES")), bad.err);
}
