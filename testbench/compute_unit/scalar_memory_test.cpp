// SPDX-License-Identifier: Apache-2.0
// What scalar loads, stores and atomics do to registers and memory in the whole machine (Vega ISA chapter 7).
#include "compute_unit/scalar_program.h"
#include "compute_unit/two_units.h"
#include "support/systemc_test.h"
#include <nlohmann/json.hpp>

using namespace program;

namespace {
void all_modes_equal(const job& j, const std::vector<uint32_t>& want, size_t from = 0, const std::string& more = "") {
  for (const auto& m : all_modes()) {
    const auto o = j.good(m + more);
    for (size_t k = 0; k < want.size(); ++k) BOOST_TEST_REQUIRE(o.data.at(from + k) == want[k], m << " result " << k << ": " << hex(o.data[from + k]) << ", expected " << hex(want[k]));
  }
}
const char* width_name[] = {"", "x2", "x4", "x8", "x16"};
std::string range(unsigned first, unsigned n) { return n == 1 ? "s" + std::to_string(first) : "s[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]"; }
std::string load(unsigned first, unsigned n_log2, unsigned offset, const std::string& base = "s[2:3]") {
  return std::string("s_load_dword") + width_name[n_log2] + " " + range(first, 1u << n_log2) + ", " + base + ", " + hex(offset) + "\n";
}
} // namespace

BOOST_AUTO_TEST_CASE(every_width_at_every_offset_across_a_line_loads_its_dwords) {
  for (const bool buffer : {false, true}) {
    collector c;
    std::vector<uint32_t> want;
    c.add(constant(8, 2, 0, 0, 0x4000));
    for (unsigned w = 0; w < 5; ++w)
      for (unsigned d = 0; d < 16; ++d) {
        const unsigned line = 64 * (1 + 16 * w + d), offset = line + 4 * d; // a line of its own: a miss every time
        c.add(buffer ? std::string("s_buffer_load_dword") + width_name[w] + " " + range(16, 1u << w) + ", s[8:11], " + hex(offset) + "\n" : load(16, w, offset));
        c.take(16, 1u << w);
        for (unsigned k = 0; k < 1u << w; ++k) want.push_back(word(offset / 4 + k));
      }
    job j(c.program());
    j.in = numbered();
    j.out_dwords = unsigned(want.size());
    all_modes_equal(j, want);
    for (const char* o : {" --set smem.ordering=shuffled", " --set smem.count_return=per_part", " --set smem.ordering=in_order", " --set xnack.replay=on"}) {
      const auto r = j.good(std::string("--machine cu") + o);
      BOOST_TEST((r.data == want), o);
    }
  }
}

BOOST_AUTO_TEST_CASE(stores_of_every_width_across_lines_reach_memory_after_a_write_back) {
  collector c;
  std::vector<uint32_t> want(2048);
  unsigned n = 0;
  for (unsigned w = 0; w < 3; ++w)
    for (unsigned d = 0; d < 16; ++d) {
      const unsigned offset = 64 * (2 * (16 * w + d)) + 4 * d;
      for (unsigned k = 0; k < 1u << w; ++k) {
        c.add(set_s(16 + k, ++n));
        want[offset / 4 + k] = n;
      }
      c.add(std::string("s_store_dword") + width_name[w] + " " + range(16, 1u << w) + ", s[0:1], " + hex(offset) + (n % 3 == 0 ? " glc" : "") + "\ns_waitcnt lgkmcnt(0)\n");
    }
  c.add("s_dcache_wb\n");
  job j(c.program());
  j.out_dwords = 2048;
  all_modes_equal(j, want);
}

BOOST_AUTO_TEST_CASE(trusting_lgkmcnt_1_reads_stale_data_and_the_checker_says_so) {
  // a miss, then a hit: the hit returns first, so that lgkmcnt(1) lets the reader of the miss go on
  const std::string body = "s_load_dword s20, s[2:3], 0x400\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s12, 77\ns_mov_b32 s13, 78\ns_load_dword s12, s[2:3], 0x0\ns_load_dword s13, s[2:3], 0x404\n";
  const auto program_of = [&](const char* wait) { return body + wait + "\ns_mov_b32 s14, s12\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s15, s13\nv_mov_b32_e32 v30, 0\nv_mov_b32_e32 v31, s14\nv_mov_b32_e32 v29, s15\n"
                                                          "global_store_dword v30, v31, s[0:1]\nglobal_store_dword v30, v29, s[0:1] offset:4\ns_endpgm"; };
  job wrong(program_of("s_waitcnt lgkmcnt(1)")), right(program_of("s_waitcnt lgkmcnt(0)"));
  wrong.in = right.in = numbered();
  const auto o = wrong.run("--machine cu");
  BOOST_TEST(o.code == 0);
  BOOST_TEST(o.data.at(0) == 77u); // the old value
  BOOST_TEST(o.data.at(1) == word(0x404 / 4));
  for (const auto& m : all_modes()) {
    const auto r = wrong.run(m);
    BOOST_TEST((r.says("lyra/hazard/waitcnt") && r.says("s_mov_b32 s14, s12") && r.says("reads s12") && r.says("s_load_dword s12, s[2:3], 0x0") && r.says("lgkmcnt")), m << r.err);
    BOOST_TEST(right.good(m).data.at(0) == word(0), m);
  }
  BOOST_TEST(wrong.run("--machine cu --set smem.ordering=in_order").data.at(0) == word(0)); // luck, and still reported
  BOOST_TEST(wrong.run("--machine cu --set smem.ordering=in_order").says("lyra/hazard/waitcnt"));
}

namespace {
const std::string result = "s_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v9, s12\nglobal_store_dword v2, v9, s[0:1]\n";
} // namespace

BOOST_AUTO_TEST_CASE(scalar_stores_reach_another_compute_unit_by_write_back_and_invalidate) {
  const std::string store = "s_movk_i32 s12, 0x55\ns_store_dword s12, s[2:3], 0x40\ns_waitcnt lgkmcnt(0)\n", touch = "s_load_dword s12, s[2:3], 0x40\n", read = "s_load_dword s12, s[2:3], 0x40\n" + result;
  const auto value = [&](const job& j, const std::string& machine) {
    const auto o = j.good(machine);
    BOOST_TEST(o.data.at(62) != o.data.at(63)); // two compute units
    return o.data.at(0);
  };
  const std::string fresh = "s_dcache_inv\ns_waitcnt lgkmcnt(0)\n";
  BOOST_TEST(value(two_cus(store + "s_dcache_wb\n", touch, fresh + read), apart) == 0x55u);
  BOOST_TEST(value(two_cus(store + "s_dcache_wb\n", touch, read), apart) == word(16));          // stale: nothing was invalidated
  BOOST_TEST(value(two_cus(store, touch, fresh + read), apart) == word(16));                    // nothing was written back
  BOOST_TEST(value(two_cus("s_movk_i32 s12, 0x55\ns_store_dword s12, s[2:3], 0x40 glc\n", touch, fresh + read), apart) == 0x55u); // written through
  BOOST_TEST(value(two_cus(store + "s_dcache_wb\n", touch, "s_load_dword s12, s[2:3], 0x40 glc\n" + result), apart) == 0x55u);   // GLC=1 misses
  BOOST_TEST(value(two_cus(store, touch, read), together) == 0x55u);                            // one scalar cache
  const std::string vector_read = "global_load_dword v9, v2, s[2:3] offset:64 glc\ns_waitcnt vmcnt(0)\nglobal_store_dword v2, v9, s[0:1]\n";
  BOOST_TEST(value(two_cus(store + "s_dcache_wb\n", "", vector_read), together) == 0x55u);
  BOOST_TEST(value(two_cus(store, "", vector_read), together) == word(16)); // vector memory does not see the scalar cache
  for (const char* m : {" --mode lt", " --set chaos.seed=5", " --set xnack.replay=on"})
    BOOST_TEST(value(two_cus(store + "s_dcache_wb\n", touch, fresh + read), apart + std::string(m)) == 0x55u, m);
}

BOOST_AUTO_TEST_CASE(a_load_behind_a_store_of_the_same_address_sees_it_with_and_without_write_back) {
  for (const bool write_back : {false, true}) {
    collector c;
    c.add(load(12, 1, 0x40, "s[0:1]") + "s_waitcnt lgkmcnt(0)\ns_mov_b32 s14, 0x99\ns_store_dword s14, s[0:1], 0x40\n" + (write_back ? "s_waitcnt lgkmcnt(0)\ns_dcache_wb\n" : "") + "s_waitcnt lgkmcnt(0)\n" + load(12, 1, 0x40, "s[0:1]"));
    c.take(12, 2);
    // a vector load sees the store only after a write-back
    c.add("v_mov_b32_e32 v2, 0\nglobal_load_dword v3, v2, s[0:1] offset:64 glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s12, v3\n");
    c.take(12);
    job j(c.program());
    j.out_keys = "fill = { u32 = 7 }";
    for (const char* m : {"--machine cu", "--machine cu --set chaos.seed=7", "--machine cu --set xnack.replay=on"}) {
      const auto o = j.good(m);
      BOOST_TEST(o.data.at(0) == 0x99u, m);
      BOOST_TEST(o.data.at(1) == 7u, m); // the rest of the line came from memory
      BOOST_TEST(o.data.at(2) == (write_back ? 0x99u : 7u), m);
      BOOST_TEST(o.data.at(16) == 0x99u, m); // the end of the job writes back
    }
  }
}

namespace {
struct scalar_atomic { const char* name; uint64_t (*after)(uint64_t old, uint64_t data, uint64_t compare, unsigned bits); };
uint64_t mask(unsigned bits) { return bits == 64 ? ~uint64_t(0) : 0xffffffffu; }
int64_t sign(uint64_t v, unsigned bits) { return bits == 64 ? int64_t(v) : int64_t(int32_t(v)); }
const scalar_atomic atomics[] = {
  {"swap", [](uint64_t, uint64_t d, uint64_t, unsigned) { return d; }},
  {"cmpswap", [](uint64_t o, uint64_t d, uint64_t c, unsigned) { return o == c ? d : o; }},
  {"add", [](uint64_t o, uint64_t d, uint64_t, unsigned b) { return (o + d) & mask(b); }},
  {"sub", [](uint64_t o, uint64_t d, uint64_t, unsigned b) { return (o - d) & mask(b); }},
  {"smin", [](uint64_t o, uint64_t d, uint64_t, unsigned b) { return sign(d, b) < sign(o, b) ? d : o; }},
  {"umin", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return std::min(o, d); }},
  {"smax", [](uint64_t o, uint64_t d, uint64_t, unsigned b) { return sign(d, b) > sign(o, b) ? d : o; }},
  {"umax", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return std::max(o, d); }},
  {"and", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return o & d; }},
  {"or", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return o | d; }},
  {"xor", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return o ^ d; }},
  {"inc", [](uint64_t o, uint64_t d, uint64_t, unsigned b) { return o >= d ? 0 : (o + 1) & mask(b); }},
  {"dec", [](uint64_t o, uint64_t d, uint64_t, unsigned) { return o == 0 || o > d ? d : o - 1; }},
};
} // namespace

BOOST_AUTO_TEST_CASE(every_scalar_atomic_with_and_without_return_agrees_with_a_plain_model) {
  const uint64_t olds[] = {0, 1, 5, 0x80000000, 0xffffffff, 0x8000000000000000, 0xfffffffffffffff0, 0x123456789abcdef0}, datas[] = {1, 5, 0x7fffffff, 0xffffffffffffffff};
  for (const bool buffer : {false, true})
    for (const unsigned bits : {32u, 64u}) {
      collector c;
      std::vector<uint32_t> want, memory;
      c.add(constant(8, 2, 0, 0, 0x10000));
      const unsigned n = bits / 32;
      for (const auto& a : atomics)
        for (size_t k = 0; k < std::size(olds) * std::size(datas); ++k) {
          const uint64_t old = olds[k % std::size(olds)] & mask(bits), data = datas[k / std::size(olds)] & mask(bits), compare = k % 3 ? old : old ^ 1;
          const bool returns = k % 2 == 0, swap = std::strcmp(a.name, "cmpswap") == 0, by_m0 = k % 5 == 0;
          const unsigned offset = unsigned(memory.size()) * 4;
          memory.push_back(uint32_t(old));
          if (bits == 64) memory.push_back(uint32_t(old >> 32));
          c.add(set_s(16, uint32_t(data)) + (n == 2 ? set_s(17, uint32_t(data >> 32)) : ""));
          if (swap) c.add(set_s(16 + n, uint32_t(compare)) + (n == 2 ? set_s(19, uint32_t(compare >> 32)) : ""));
          if (by_m0) c.add(set_m0(offset));
          c.add("s_nop 0\ns_" + std::string(buffer ? "buffer_" : "") + "atomic_" + a.name + (bits == 64 ? "_x2 " : " ") + range(16, swap ? 2 * n : n) + (buffer ? ", s[8:11], " : ", s[2:3], ") + (by_m0 ? "m0" : hex(offset)) +
                (returns ? " glc" : "") + "\n");
          const uint64_t after = a.after(old, data, compare, bits), left = returns ? old : data;
          c.take(16, n);
          want.push_back(uint32_t(left));
          if (n == 2) want.push_back(uint32_t(left >> 32));
          // a vector load sees what memory holds now
          c.add("v_mov_b32_e32 v2, " + hex(offset) + "\nglobal_load_dword v3, v2, s[2:3] glc\n" + (n == 2 ? "global_load_dword v4, v2, s[2:3] offset:4 glc\n" : "") + "s_waitcnt vmcnt(0)\nv_readfirstlane_b32 s20, v3\n" +
                (n == 2 ? "v_readfirstlane_b32 s21, v4\n" : ""));
          c.take(20, n);
          want.push_back(uint32_t(after));
          if (n == 2) want.push_back(uint32_t(after >> 32));
        }
      job j(c.program());
      j.in = memory;
      j.out_dwords = unsigned(want.size());
      all_modes_equal(j, want);
      all_modes_equal(j, want, 0, " --set xnack.replay=on --set xnack.percent=50"); // each stands alone in its clause: done once
    }
}

BOOST_AUTO_TEST_CASE(private_memory_is_reached_by_the_address_recipe_and_by_scratch_offsets) {
  // The dwords of 64 lanes lie side by side: dword d of lane l of the wave is at wave base + 256 d + 4 l. S_SCRATCH multiplies its register offset by 64: a lane's byte offset becomes lane 0's place.
  collector c;
  c.text = "s_add_u32 flat_scratch_lo, s2, 0x1000\ns_addc_u32 flat_scratch_hi, s3, 0\nv_lshlrev_b32_e32 v1, 8, v0\nv_mov_b32_e32 v2, 0x11\nv_add_u32_e32 v3, v1, v2\ns_mov_b32 s20, 0\nscratch_store_dword off, v3, s20 offset:4\nv_add_u32_e32 v3, 1, v3\nscratch_store_dword off, v3, s20 offset:12\n"
           "s_waitcnt vmcnt(0)\ns_mov_b64 exec, 1\nv_mov_b32_e32 v30, 0\n";
  c.add("s_movk_i32 s21, 12\ns_scratch_load_dword s12, flat_scratch, s21\ns_scratch_load_dwordx2 s[14:15], flat_scratch, s21 offset:8\n");
  c.take(12);
  c.take(14, 2);
  // by hand: address in the private aperture - aperture + base of private memory + the wave's offset in it; the place of lane 5's dword 1
  c.add("s_mov_b32 s16, 256+20\ns_mov_b32 s17, 2\ns_lshl_b32 s17, s17, 16\ns_sub_u32 s18, s16, 0\ns_subb_u32 s19, s17, 0x20000\ns_add_u32 s18, s18, s2\ns_addc_u32 s19, s19, s3\ns_add_u32 s18, s18, 0x1000\ns_addc_u32 s19, s19, 0\ns_load_dword s12, s[18:19], 0x0\n");
  c.take(12);
  // a scalar store goes there too, and a vector load finds it after a write-back
  c.add("s_movk_i32 s12, 0x77\ns_mov_b32 m0, 16\ns_scratch_store_dword s12, flat_scratch, m0\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_waitcnt lgkmcnt(0)\nscratch_load_dword v3, off, s20 offset:16 glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s12, v3\n");
  c.take(12);
  job j(c.program());
  j.scratch = 64;
  j.in_dwords = 4096;
  all_modes_equal(j, {0x12, 0x212, 0x312, 5 * 256 + 0x11, 0x77});
}

BOOST_AUTO_TEST_CASE(lgkmcnt_saturates_with_scalar_loads_by_stalling_issue_and_never_wraps) {
  // 30 loads of one dword and 12 of two: the count seen behind each never exceeds 15, and all data comes
  for (const unsigned w : {0u, 1u}) {
    const unsigned n = w ? 12 : 30;
    std::string body = "s_mov_b32 s6, 0\ns_movk_i32 s7, 2\nagain:\n"; // the second time the code is in its cache, and the data is not
    std::vector<uint32_t> want;
    for (unsigned k = 0; k < n; ++k) {
      body += load(12 + (k << w), w, 64 * k, "s[10:11]") + "s_getreg_b32 s8, hwreg(HW_REG_IB_STS, 8, 4)\ns_max_u32 s6, s6, s8\n";
      for (unsigned d = 0; d < 1u << w; ++d) want.push_back(word(1024 + 16 * k + d));
    }
    body = "s_mov_b64 s[10:11], s[2:3]\n" + body + "s_waitcnt lgkmcnt(0)\ns_add_u32 s10, s10, 0x1000\ns_addc_u32 s11, s11, 0\ns_sub_u32 s7, s7, 1\ns_cmp_lg_u32 s7, 0\ns_cbranch_scc1 again\n";
    collector c;
    c.add(body);
    c.take(12, n << w);
    c.take(6);
    job j(c.program());
    j.in = numbered();
    j.sgprs = 102;
    for (const char* m : {"", " --set smem.ordering=shuffled", " --set smem.count_return=per_part", " --set chaos.seed=3"}) {
      const auto o = j.good(std::string("--machine cu --set memory.model=fixed --set memory.latency_ns=3000") + m);
      for (size_t k = 0; k < want.size(); ++k) BOOST_TEST_REQUIRE(o.data.at(k) == want[k], m << k);
      BOOST_TEST(o.data.at(want.size()) == (w ? 14u : 15u), m); // with +2 each, 14 is the most
    }
  }
}

BOOST_AUTO_TEST_CASE(differences_of_s_memtime_are_cycles_of_the_model) {
  // warm code; the second clock is read n * 4 cycles later, and s_memrealtime counts 10 ns
  for (const unsigned n : {0u, 1u, 7u, 40u}) {
    collector c;
    c.add("s_movk_i32 s22, 2\nagain:\ns_memtime s[12:13]\n.rept " + std::to_string(n) + "\ns_nop 0\n.endr\ns_memtime s[14:15]\ns_waitcnt lgkmcnt(0)\ns_sub_u32 s22, s22, 1\ns_cmp_lg_u32 s22, 0\ns_cbranch_scc1 again\n"
          "s_sub_u32 s16, s14, s12\ns_subb_u32 s17, s15, s13\n");
    c.take(16, 2);
    const auto o = job(c.program()).good();
    BOOST_TEST(o.data.at(0) == 4 * (n + 1));
    BOOST_TEST(o.data.at(1) == 0u);
  }
  collector c;
  c.add("s_memtime s[12:13]\ns_memrealtime s[14:15]\ns_sleep 100\ns_memtime s[16:17]\ns_memrealtime s[18:19]\ns_waitcnt lgkmcnt(0)\ns_sub_u32 s12, s16, s12\ns_sub_u32 s13, s18, s14\n");
  c.take(12, 2);
  const auto o = job(c.program()).good("--machine cu --set core_mhz=1000");
  BOOST_TEST(o.data.at(0) >= 6400u);
  BOOST_TEST(std::abs(int(o.data.at(0)) - int(o.data.at(1)) * 10) <= 10); // 1 GHz: ten cycles a tick
}

BOOST_AUTO_TEST_CASE(statistics_name_each_cause_of_a_scalar_memory_wait_and_add_up) {
  const auto numbers = [](const std::string& body, const std::string& options) {
    job j(body + "s_waitcnt lgkmcnt(0)\ns_endpgm");
    j.in = numbered();
    j.group[0] = 256;
    j.grid[0] = 256;
    const std::string file = (j.folder() / "s.json").string();
    j.good("--machine cu --stats " + file + options);
    return nlohmann::json::parse(slurp(file));
  };
  const auto value = [](const nlohmann::json& s, const std::string& path) -> uint64_t {
    const nlohmann::json* at = &s.at("statistics");
    std::istringstream in(path);
    for (std::string part; std::getline(in, part, '.');) at = &at->at(part);
    return at->is_object() ? at->at("value").get<uint64_t>() : at->get<uint64_t>();
  };
  const char* parts[] = {"smem_wait_hit", "smem_wait_miss", "smem_wait_acknowledge", "smem_wait_clock", "smem_wait_count_full", "smem_wait_replay"};
  const char* waits[] = {"queue", "mshr", "writes", "places", "nack", "hit", "miss", "memory", "order", "bus"};
  const auto check = [&](const std::string& body, const std::string& options, std::vector<std::string> seen) {
    const auto s = numbers(body, options);
    uint64_t sum = 0, life = 0;
    for (const char* p : parts) sum += value(s, std::string("cu0.") + p);
    for (const char* w : waits) life += value(s, std::string("sqc0.scalar_cache.wait_") + w + "_cycles");
    BOOST_TEST(sum == value(s, "cu0.lgkmcnt_scalar"), body);
    BOOST_TEST(life == value(s, "sqc0.scalar_cache.request_cycles"), body);
    for (const auto& p : seen) BOOST_TEST(value(s, p) > 0u, p << " in " << body);
  };
  const std::string k = "sqc0.scalar_cache.wait_", two = load(12, 0, 0) + load(13, 0, 64) + load(14, 0, 128) + load(15, 0, 192);
  check(load(12, 0, 0) + "s_waitcnt lgkmcnt(0)\n" + load(13, 0, 4), "", {"cu0.smem_wait_miss", "cu0.smem_wait_hit", k + "hit_cycles", k + "miss_cycles"});
  check(two, " --set scalar_cache.mshrs=1", {"cu0.smem_wait_miss", k + "mshr_cycles", k + "queue_cycles"});
  check(two, " --set scalar_cache.requests_outstanding=1", {k + "places_cycles"});
  check(load(16, 4, 0) + "s_waitcnt lgkmcnt(0)\n" + load(16, 4, 0) + load(32, 3, 0), " --set scalar_cache.return_bytes_per_cycle=16", {k + "bus_cycles"});
  check("s_store_dword s4, s[0:1], 0x0 glc\ns_store_dword s4, s[0:1], 0x40 glc\n", " --set scalar_cache.writes_outstanding=1", {"cu0.smem_wait_acknowledge", k + "memory_cycles", k + "writes_cycles"});
  check(two, " --set smem.ordering=shuffled", {k + "order_cycles"});
  check("s_memtime s[12:13]\n", "", {"cu0.smem_wait_clock"});
  check(".rept 20\n" + load(12, 0, 0) + ".endr\n", " --set waitcnt=silent", {"cu0.smem_wait_count_full"});
  check(two, " --set xnack.replay=on --set xnack.percent=100", {"cu0.smem_wait_replay", "cu0.smem_replays", k + "nack_cycles"});
  check(two, " --set scalar_cache.port_queue_entries=1 --set scalar_cache.mshrs=1", {"cu0.smem_busy"});
}
