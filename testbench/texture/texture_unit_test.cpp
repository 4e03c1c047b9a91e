// SPDX-License-Identifier: Apache-2.0
// TA and TD: exact cycles, order, coalescing, back-pressure, faults. The L1 here answers 70 cycles after a line comes.
#include "support/trace_recorder.h"
#include "support/systemc_test.h"
#include "texture/bench.h"
#include <algorithm>
#include <map>

using namespace texture_test;

namespace {

constexpr uint64_t base = 0x100000, all = ~uint64_t(0);

std::vector<uint64_t> linear(uint64_t start, unsigned step) {
  std::vector<uint64_t> a(64);
  for (unsigned l = 0; l < 64; ++l) a[l] = start + l * step;
  return a;
}
/// Every lane in a line of its own.
std::vector<uint64_t> scattered(unsigned offset = 0) {
  std::vector<uint64_t> a(64);
  for (unsigned l = 0; l < 64; ++l) a[l] = base + ((l * 37) % 64) * 64 + offset;
  return a;
}

wave_request& put(bench& b, const std::string& name, const std::vector<uint64_t>& a, cycle_t at, uint64_t exec = all, bool glc = false) {
  isa::instruction i = make(name);
  i.glc = glc;
  payload* p;
  wave_request& r = b.take(i, exec, p);
  put_addresses(r, a);
  b.cu.issue(*p, at);
  return r;
}

/// Steady distance between responses of equal instructions.
cycle_t spacing(const std::string& name, const std::vector<uint64_t>& a, bool glc = false) {
  bench b;
  b.space.map(base, 1 << 16);
  for (unsigned n = 0; n < 12; ++n) put(b, name, a, 10, all, glc);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 12u);
  const cycle_t d = b.cu.responses[11].cycle - b.cu.responses[10].cycle;
  for (unsigned n = 6; n < 11; ++n) BOOST_TEST(b.cu.responses[n + 1].cycle - b.cu.responses[n].cycle == d);
  return d;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_lane_that_hits_takes_134_cycles) {
  bench b;
  b.space.map(base, 4096);
  b.space.fill(1);
  wave_request& r = put(b, "global_load_dword", linear(base + 16, 4), 10, 1);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 1u);
  BOOST_TEST(b.cu.responses[0].cycle == 10u + 24 + 70 + 40);
  BOOST_TEST(r.result[0][0] == b.space.dword(base + 16));
  BOOST_TEST(r.result_mask == 1u);
  BOOST_TEST(r.result_dwords == 1);
  BOOST_TEST(r.lines == 1u);
}

BOOST_AUTO_TEST_CASE(a_coalesced_dword_load_sends_one_line_a_cycle) {
  bench b;
  b.space.map(base, 4096);
  b.space.fill(2);
  wave_request& r = put(b, "global_load_dword", linear(base, 4), 10);
  b.run_all();
  BOOST_REQUIRE(b.l1.log.size() == 4u);
  for (unsigned n = 0; n < 4; ++n) {
    BOOST_TEST(b.l1.log[n].cycle == 34u + n);
    BOOST_TEST(b.l1.log[n].address == base + 64 * n);
    BOOST_TEST(b.l1.log[n].wanted == 64u);
    BOOST_TEST(b.l1.log[n].tag == n);
  }
  BOOST_TEST(b.cu.responses[0].cycle == 37u + 70 + 40);
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(r.result[0][l] == b.space.dword(base + 4 * l));
}

BOOST_AUTO_TEST_CASE(an_uncoalesced_dword_load_sends_four_lines_a_cycle_over_16_cycles) {
  bench b;
  b.space.map(base, 1 << 16);
  b.space.fill(3);
  const auto a = scattered(8);
  wave_request& r = put(b, "global_load_dword", a, 10);
  b.run_all();
  BOOST_REQUIRE(b.l1.log.size() == 64u);
  for (unsigned n = 0; n < 64; ++n) {
    BOOST_TEST(b.l1.log[n].cycle == 34u + n / 4);
    BOOST_TEST(b.l1.log[n].wanted == 4u);
  }
  BOOST_TEST(b.cu.responses[0].cycle == 34u + 15 + 70 + 40);
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(r.result[0][l] == b.space.dword(a[l]));
}

BOOST_AUTO_TEST_CASE(dwordx4_returns_in_sixteen_phases) {
  bench b;
  b.space.map(base, 4096);
  b.space.fill(4);
  wave_request& r = put(b, "global_load_dwordx4", linear(base, 16), 10);
  put(b, "global_load_dwordx2", linear(base, 8), 200);
  b.run_all();
  BOOST_TEST(b.l1.log.size() == 24u);
  BOOST_TEST(b.cu.responses[0].cycle == 34u + 15 + 70 + 40 + 12); // last line in TA's last cycle, 12 more phases than a dword
  BOOST_TEST(b.cu.responses[1].cycle == 224u + 14 + 70 + 40 + 4); // its last line starts with lane 56: cycle 14
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 4; ++k) BOOST_TEST(r.result[k][l] == b.space.dword(base + 16 * l + 4 * k));
}

BOOST_AUTO_TEST_CASE(coalesced_dwords_stream_at_4_cycles) { BOOST_TEST(spacing("global_load_dword", linear(base, 4)) == 4u); }
BOOST_AUTO_TEST_CASE(coalesced_bytes_stream_at_4_cycles) { BOOST_TEST(spacing("global_load_ubyte", linear(base, 1)) == 4u); }
BOOST_AUTO_TEST_CASE(uniform_dwords_stream_at_4_cycles) { BOOST_TEST(spacing("global_load_dword", linear(base, 0)) == 4u); }
BOOST_AUTO_TEST_CASE(scattered_dwords_stream_at_16_cycles) { BOOST_TEST(spacing("global_load_dword", scattered()) == 16u); }
BOOST_AUTO_TEST_CASE(linear_dwordx2_streams_at_16_cycles) { BOOST_TEST(spacing("global_load_dwordx2", linear(base, 8)) == 16u); }
BOOST_AUTO_TEST_CASE(scattered_dwordx2_streams_at_16_cycles) { BOOST_TEST(spacing("global_load_dwordx2", scattered()) == 16u); }
BOOST_AUTO_TEST_CASE(linear_dwordx3_streams_at_16_cycles) { BOOST_TEST(spacing("global_load_dwordx3", linear(base, 12)) == 16u); }
BOOST_AUTO_TEST_CASE(scattered_dwordx3_streams_at_32_cycles) { BOOST_TEST(spacing("global_load_dwordx3", scattered()) == 32u); }
BOOST_AUTO_TEST_CASE(linear_dwordx4_streams_at_16_cycles) { BOOST_TEST(spacing("global_load_dwordx4", linear(base, 16)) == 16u); }
BOOST_AUTO_TEST_CASE(scattered_dwordx4_streams_at_18_cycles) { BOOST_TEST(spacing("global_load_dwordx4", scattered()) == 18u); }
BOOST_AUTO_TEST_CASE(scattered_unaligned_dwordx4_streams_at_20_cycles) { BOOST_TEST(spacing("global_load_dwordx4", scattered(4)) == 20u); }
BOOST_AUTO_TEST_CASE(stores_stream_at_16_cycles) { BOOST_TEST(spacing("global_store_dword", linear(base, 4)) == 16u); }
BOOST_AUTO_TEST_CASE(atomics_stream_at_16_cycles) { BOOST_TEST(spacing("global_atomic_add", linear(base, 4)) == 16u); }
BOOST_AUTO_TEST_CASE(returning_atomics_stream_at_17_cycles) { BOOST_TEST(spacing("global_atomic_add", linear(base, 4), true) == 17u); }
BOOST_AUTO_TEST_CASE(returning_64_bit_atomics_stream_at_18_cycles) { BOOST_TEST(spacing("global_atomic_add_x2", linear(base, 8), true) == 18u); }
BOOST_AUTO_TEST_CASE(compare_and_swap_streams_at_32_cycles) { BOOST_TEST(spacing("global_atomic_cmpswap", linear(base, 4)) == 32u); }

BOOST_AUTO_TEST_CASE(half_coalesced_quads_cost_half_way) {
  auto a = scattered();
  for (unsigned l = 0; l < 32; ++l) a[l] = base + 4 * l;
  BOOST_TEST(spacing("global_load_dword", a) == 10u); // 8 quads of 4/16, 8 of 16/16
}

BOOST_AUTO_TEST_CASE(typed_loads_cost_by_channels) {
  struct line { const char* name; unsigned dfmt; unsigned stride; bool scattered; unsigned cycles; };
  cycle_t last = 0;
  bench b;
  b.space.map(base, 1 << 16);
  const line rows[] = {{"buffer_load_format_x", 1, 1, false, 4},   {"buffer_load_format_x", 4, 4, true, 16},      {"buffer_load_format_xy", 3, 2, false, 16},
                       {"buffer_load_format_xy", 11, 8, true, 16}, {"buffer_load_format_xyzw", 10, 4, true, 16}, {"buffer_load_format_xyzw", 12, 8, false, 16},
                       {"buffer_load_format_xyzw", 14, 16, false, 16}, {"buffer_load_format_xyzw", 14, 16, true, 18}};
  for (const line& w : rows) {
    for (unsigned n = 0; n < 10; ++n) {
      isa::instruction i = make(w.name);
      i.idxen = true;
      payload* p;
      wave_request& r = b.take(i, all, p);
      descriptor d;
      d.base = base;
      d.stride = w.stride;
      d.dfmt = w.dfmt;
      d.num_records = 4096;
      d.put(r.resource);
      for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = w.scattered ? (l * 37) % 64 * 64 / w.stride : l;
      b.cu.issue(*p, 1);
    }
    b.run_all();
    last = b.cu.responses.back().cycle;
    BOOST_TEST(last - b.cu.responses[b.cu.responses.size() - 2].cycle == w.cycles, w.name << " dfmt " << w.dfmt);
  }
}

BOOST_AUTO_TEST_CASE(responses_keep_issue_order_though_a_later_load_is_ready_first) {
  bench b;
  b.space.map(base, 1 << 16);
  b.l1.slow_line = 0;
  b.l1.slow_cycles = 300;
  put(b, "global_load_dword", linear(base, 4), 10, 1);
  put(b, "global_load_dword", linear(base, 4), 14, 1);
  put(b, "global_store_dword", linear(base, 4), 18, 1);
  put(b, "global_load_dword", linear(base, 4), 40, 0); // EXEC=0 takes its turn
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 4u);
  BOOST_TEST(b.cu.responses[0].cycle == 10u + 24 + 370 + 40);
  BOOST_TEST(b.cu.responses[1].cycle == 404u + 4 + 40); // the line is back at the same time, TD is busy for four cycles
  BOOST_TEST(b.cu.responses[2].cycle == 448u);          // acknowledged long before its elders
  BOOST_TEST(b.cu.responses[3].cycle >= 448u);
  for (unsigned n = 0; n < 4; ++n) BOOST_TEST(&wave_pool::of(*b.cu.responses[n].p).inst[0] == &b.instructions[n]);
  BOOST_TEST(b.unit.idle());
}

BOOST_AUTO_TEST_CASE(exec_zero_responds_without_memory_traffic) {
  bench b;
  wave_request& r = put(b, "global_load_dword", linear(base, 4), 10, 0);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 1u);
  BOOST_TEST(b.l1.log.empty());
  BOOST_TEST(b.cu.responses[0].cycle == 10u + 24 + 3 + 40);
  BOOST_TEST(r.result_mask == 0u);
  BOOST_TEST(int(r.fault) == 0);
}

BOOST_AUTO_TEST_CASE(a_store_answers_when_the_last_line_is_acknowledged) {
  bench b;
  b.space.map(base, 4096);
  wave_request& r = put(b, "global_store_dword", linear(base + 32, 4), 10);
  for (unsigned l = 0; l < 64; ++l) r.vdata[0][l] = 1000 + l;
  b.run_all();
  BOOST_REQUIRE(b.l1.log.size() == 5u); // half a line at each end
  BOOST_TEST(b.l1.log[0].mask == 0xffffffff00000000ull);
  BOOST_TEST(b.l1.log[1].mask == all);
  BOOST_TEST(b.l1.log[4].mask == 0xffffffffull);
  BOOST_TEST(b.l1.log[4].cycle == 34u + 56 * 16 / 64);
  BOOST_TEST(b.cu.responses[0].cycle == b.l1.log[4].cycle + 70 + 8);
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(b.space.dword(base + 32 + 4 * l) == 1000 + l);
  BOOST_TEST(r.result_dwords == 0);
}

BOOST_AUTO_TEST_CASE(lanes_that_store_to_one_address_act_in_ascending_order) {
  bench b;
  b.space.map(base, 4096);
  wave_request& r = put(b, "global_store_dword", linear(base + 8, 0), 10, 0x00ff00ff00ff0000ull);
  for (unsigned l = 0; l < 64; ++l) r.vdata[0][l] = l;
  b.run_all();
  BOOST_TEST(b.l1.log.size() == 1u); // combined
  BOOST_TEST(b.l1.log[0].mask == 0xf00u);
  BOOST_TEST(b.space.dword(base + 8) == 55u);
}

BOOST_AUTO_TEST_CASE(an_atomic_sends_one_packet_a_line_and_returns_old_values) {
  bench b;
  b.space.map(base, 4096);
  for (unsigned l = 0; l < 64; ++l) b.space.byte(base + 4 * l) = uint8_t(l);
  auto a = linear(base, 4);
  a[63] = a[0]; // two lanes on one address
  wave_request& r = put(b, "global_atomic_add", a, 10, all, true);
  for (unsigned l = 0; l < 64; ++l) r.vdata[0][l] = 100 + l;
  b.run_all();
  BOOST_TEST(b.l1.log.size() == 4u);
  BOOST_TEST(r.result_dwords == 1);
  for (unsigned l = 0; l < 63; ++l) BOOST_TEST(r.result[0][l] == l);
  BOOST_TEST(r.result[0][63] == 100u);
  BOOST_TEST(b.space.dword(base) == 100u + 163);
  BOOST_TEST(b.space.dword(base + 4 * 20) == 20u + 120);
}

BOOST_AUTO_TEST_CASE(compare_and_swap_takes_the_new_value_first) {
  bench b;
  b.space.map(base, 4096);
  wave_request& r = put(b, "global_atomic_cmpswap", linear(base, 4), 10, all, true);
  for (unsigned l = 0; l < 64; ++l) { r.vdata[0][l] = 7 + l; r.vdata[1][l] = l & 1; } // memory is 0: even lanes swap
  b.run_all();
  for (unsigned l = 0; l < 64; ++l) BOOST_TEST(b.space.dword(base + 4 * l) == (l & 1 ? 0 : 7 + l));
}

BOOST_AUTO_TEST_CASE(cache_control_goes_through_the_L1_in_order) {
  bench b;
  b.space.map(base, 4096);
  put(b, "global_load_dword", linear(base, 4), 10, 1);
  put(b, "buffer_wbinvl1", linear(base, 4), 10);
  put(b, "buffer_wbinvl1_vol", linear(base, 4), 10);
  put(b, "global_load_dword", linear(base, 4), 10, 1);
  b.run_all();
  BOOST_REQUIRE(b.l1.log.size() == 4u);
  BOOST_TEST(int(b.l1.log[1].control) == int(cache_control::writeback_invalidate));
  BOOST_TEST(int(b.l1.log[2].control) == int(cache_control::invalidate_volatile));
  BOOST_TEST(b.l1.log[1].tag == 1u << 16);
  BOOST_TEST(b.cu.responses[1].cycle >= b.cu.responses[0].cycle);
  BOOST_TEST(b.cu.responses[3].cycle > b.cu.responses[2].cycle);
}

BOOST_AUTO_TEST_CASE(policy_bits_come_from_the_instruction_and_the_descriptor) {
  bench b;
  b.space.map(base, 4096);
  isa::instruction i = make("buffer_load_dword");
  i.glc = i.slc = true;
  payload* p;
  wave_request& r = b.take(i, 1, p);
  descriptor d;
  d.base = base;
  d.nv = true;
  d.put(r.resource);
  b.cu.issue(*p, 5);
  b.run_all();
  BOOST_REQUIRE(b.l1.log.size() == 1u);
  BOOST_TEST(b.l1.log[0].glc);
  BOOST_TEST(b.l1.log[0].slc);
  BOOST_TEST(b.l1.log[0].nv);
}

BOOST_AUTO_TEST_CASE(an_unmapped_page_is_a_fault_of_the_lowest_lane) {
  bench b;
  b.space.map(base, 4096);
  auto a = linear(base, 4);
  a[9] = base + 4096 + 12;
  a[20] = base + 8192;
  wave_request& r = put(b, "global_load_dword", a, 10);
  wave_request& next = put(b, "global_load_dword", linear(base, 4), 10);
  b.run_all();
  BOOST_TEST(int(r.fault) == int(fault_kind::unmapped));
  BOOST_TEST(int(r.fault_lane) == 9);
  BOOST_TEST(r.fault_address == base + 4096 + 12);
  BOOST_TEST(int(next.fault) == 0);
  BOOST_TEST(b.l1.log.size() == 4u); // nothing of the first
}

BOOST_AUTO_TEST_CASE(a_store_to_a_read_only_page_is_a_fault) {
  bench b;
  b.space.map(base, 4096, page_state::read_only);
  wave_request& load = put(b, "global_load_dword", linear(base, 4), 10);
  wave_request& store = put(b, "global_store_dword", linear(base, 4), 10);
  b.run_all();
  BOOST_TEST(int(load.fault) == 0);
  BOOST_TEST(int(store.fault) == int(fault_kind::write_protected));
}

BOOST_AUTO_TEST_CASE(user_vm_mode_0_reads_zero_and_drops_writes_in_unmapped_pages) {
  bench b;
  b.space.map(base, 4096);
  b.space.fill(9);
  for (unsigned mode = 0; mode < 3; ++mode) { // 0: null, 1: error, 2: no user VM
    payload* p;
    isa::instruction i = make("buffer_load_dword"), s = make("buffer_store_dword");
    i.offen = s.offen = true;
    wave_request& r = b.take(i, all, p);
    descriptor d;
    d.base = base + 4096 - 128; // half of the lanes behind the end
    d.user_vm = mode < 2;
    d.user_vm_error = mode == 1;
    d.put(r.resource);
    for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = 4 * l;
    b.cu.issue(*p, 1);
    wave_request& w = b.take(s, all, p);
    d.put(w.resource);
    for (unsigned l = 0; l < 64; ++l) { w.vaddr[0][l] = 4 * l; w.vdata[0][l] = 5; }
    b.cu.issue(*p, 1);
    const uint32_t before = b.space.dword(d.base + 4 * 31);
    b.run_all();
    BOOST_TEST(int(r.fault) == int(mode == 0 ? fault_kind::none : fault_kind::unmapped));
    BOOST_TEST(int(w.fault) == int(mode == 0 ? fault_kind::none : fault_kind::unmapped));
    if (mode == 0) {
      BOOST_TEST(r.result[0][31] == before);
      BOOST_TEST(r.result[0][32] == 0u);
      BOOST_TEST(b.space.dword(d.base + 4 * 31) == 5u);
    } else BOOST_TEST(int(r.fault_lane) == 32);
  }
}

BOOST_AUTO_TEST_CASE(tfe_reports_non_resident_pages_in_one_more_register) {
  bench b;
  b.space.map(base, 4096);
  b.space.map(base + 4096, 4096, page_state::non_resident);
  b.space.fill(10);
  for (bool run : {true, false}) {
    payload* p;
    isa::instruction i = make("buffer_load_dwordx2");
    i.offen = i.tfe = true;
    wave_request& r = b.take(i, all, p);
    descriptor d;
    d.base = base + 4096 - 8 * 20;
    d.put(r.resource);
    for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = 8 * (run ? l : (l * 37) % 64);
    b.cu.issue(*p, 1);
    b.run_all();
    BOOST_TEST(int(r.fault) == 0);
    BOOST_TEST(r.result_dwords == 3);
    for (unsigned l = 0; l < 64; ++l) {
      const bool there = r.vaddr[0][l] < 8 * 20;
      BOOST_TEST(r.result[2][l] == (there ? 0u : 1u));
      BOOST_TEST(r.result[1][l] == (there ? b.space.dword(d.base + r.vaddr[0][l] + 4) : 0u));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_address_error_from_below_is_a_fault) {
  bench b;
  b.space.map(base, 4096);
  b.l1.bad_address = base + 64;
  wave_request& r = put(b, "global_load_dword", linear(base + 8, 4), 10);
  b.run_all();
  BOOST_TEST(int(r.fault) == int(fault_kind::unmapped));
  BOOST_TEST(int(r.fault_lane) == 14);
  BOOST_TEST(r.fault_address == base + 64);
}

namespace {
/// A linear 2D image of 64 x 16 texels of 32 bits, unsigned.
void put_image(uint32_t* t, uint64_t address) {
  const uint32_t w[8] = {uint32_t(address >> 8), uint32_t(address >> 40) | 4u << 20 | 4u << 26, 63u | 15u << 14 | 4u << 28, 4u | 0u << 3 | 0u << 6 | 1u << 9 | 9u << 28, 63u << 13, 0, 0, 0};
  std::copy(w, w + 8, t);
}
} // namespace

BOOST_AUTO_TEST_CASE(image_loads_stores_and_atomics_go_through_the_same_pipeline) {
  bench b;
  b.space.map(base, 4096 * 4);
  b.space.fill(21);
  const memory before = b.space;
  auto issue = [&](const char* name, bool glc) -> wave_request& {
    isa::instruction i = make(name);
    i.dmask = 1;
    i.unorm = true;
    i.glc = glc;
    payload* p;
    wave_request& r = b.take(i, all, p);
    put_image(r.resource, base);
    r.vaddr_dwords = 2;
    for (unsigned l = 0; l < 64; ++l) { r.vaddr[0][l] = (l * 5) % 64; r.vaddr[1][l] = l / 8; r.vdata[0][l] = 1000 + l; }
    b.cu.issue(*p, 10);
    return r;
  };
  wave_request& first = issue("image_load", false);
  wave_request& store = issue("image_store", false);
  wave_request& add = issue("image_atomic_add", true);
  wave_request& last = issue("image_load", false);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 4u);
  for (wave_request* r : {&first, &store, &add, &last}) BOOST_TEST(int(r->fault) == 0);
  for (unsigned l = 0; l < 64; ++l) {
    const uint64_t a = base + (l / 8 * 64 + (l * 5) % 64) * 4;
    BOOST_TEST(first.result[0][l] == const_cast<memory&>(before).dword(a));
    BOOST_TEST(add.result[0][l] == 1000 + l);
    BOOST_TEST(last.result[0][l] == 2000 + 2 * l);
  }
  BOOST_TEST(first.result_dwords == 1);
  BOOST_TEST(add.result_dwords == 1);
  BOOST_TEST(store.result_dwords == 0);
  // images never coalesce: TA takes 16 cycles for the first; its last new line decides when it returns
  cycle_t last_line = 0;
  for (const auto& s : b.l1.log) if (s.tag >> 16 == 0) last_line = s.cycle;
  BOOST_TEST(last_line > 34u);
  BOOST_TEST(last_line <= 34u + 15);
  BOOST_TEST(b.cu.responses[0].cycle == last_line + 70 + 40);
  BOOST_TEST(b.unit.statistics().image_instructions == 4u);
}

BOOST_AUTO_TEST_CASE(loosely_timed_images_do_the_same_with_and_without_direct_memory) {
  bench b;
  b.space.map(base, 4096 * 4);
  for (bool dmi : {false, true}) {
    b.l1.dmi = dmi;
    b.space.fill(22);
    const memory before = b.space;
    uint32_t read[3][64];
    const char* const names[] = {"image_load", "image_store", "image_atomic_add", "image_load"};
    for (unsigned n = 0, k = 0; n < 4; ++n) {
      isa::instruction i = make(names[n]);
      i.dmask = 1;
      i.unorm = i.glc = true;
      payload* p;
      wave_request& r = b.take(i, all, p);
      put_image(r.resource, base);
      for (unsigned l = 0; l < 64; ++l) { r.vaddr[0][l] = (l * 5) % 64; r.vaddr[1][l] = l / 8; r.vdata[0][l] = 1000 + l; }
      sc_core::sc_time t;
      b.cu.port.socket->b_transport(*p, t);
      BOOST_TEST(int(r.fault) == 0);
      BOOST_TEST(t > sc_core::SC_ZERO_TIME);
      if (n != 1) std::memcpy(read[k++], r.result[0], sizeof(wave_request::row));
    }
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t a = base + (l / 8 * 64 + (l * 5) % 64) * 4;
      BOOST_TEST(read[0][l] == const_cast<memory&>(before).dword(a));
      BOOST_TEST(read[1][l] == 1000 + l);
      BOOST_TEST(read[2][l] == 2000 + 2 * l);
    }
  }
}

BOOST_AUTO_TEST_CASE(image_loads_stream_at_16_cycles_whatever_the_pattern) {
  bench b;
  b.space.map(base, 4096 * 4);
  for (unsigned n = 0; n < 10; ++n) {
    isa::instruction i = make("image_load");
    i.dmask = 1;
    i.unorm = true;
    payload* p;
    wave_request& r = b.take(i, all, p);
    put_image(r.resource, base);
    for (unsigned l = 0; l < 64; ++l) { r.vaddr[0][l] = l; r.vaddr[1][l] = 3; }
    b.cu.issue(*p, 10);
  }
  b.run_all();
  for (unsigned n = 4; n < 10; ++n) BOOST_TEST(b.cu.responses[n].cycle - b.cu.responses[n - 1].cycle == 16u);
}

BOOST_AUTO_TEST_CASE(a_bad_image_descriptor_is_a_fault_told_in_words) {
  bench b;
  isa::instruction i = make("image_load");
  i.dmask = 1;
  payload* p;
  wave_request& r = b.take(i, all, p);
  put_image(r.resource, base);
  r.resource[3] = (r.resource[3] & 0x0fffffff) | 3u << 28; // no image type
  b.cu.issue(*p, 10);
  b.run_all();
  BOOST_TEST(int(r.fault) != 0);
  BOOST_REQUIRE(b.run.findings.size() == 1u);
  BOOST_TEST(b.run.findings[0].text.find("image_load") != std::string::npos);
  BOOST_TEST(b.run.findings[0].text.size() > 30u);
}

BOOST_AUTO_TEST_CASE(lds_loads_give_dwords_and_addresses_and_drop_what_is_outside_the_group) {
  bench b;
  b.space.map(base, 4096);
  b.space.fill(12);
  payload* p;
  isa::instruction i = make("buffer_load_sbyte");
  i.offen = i.lds = true;
  i.offset = 16;
  wave_request& r = b.take(i, all & ~uint64_t(2), p);
  descriptor d;
  d.base = base;
  d.num_records = 16 + 40;
  d.put(r.resource);
  r.m0 = 0xabcd0100;
  r.lds_base = 0x1000;
  r.lds_size = 0x100 + 16 + 50 * 4;
  for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = l;
  b.cu.issue(*p, 1);
  b.run_all();
  BOOST_TEST(r.result_to_lds);
  BOOST_TEST(r.result_mask == (((uint64_t(1) << 50) - 1) & ~uint64_t(2)));
  for (unsigned l = 0; l < 50; ++l)
    if (l != 1) {
      BOOST_TEST(r.lds_address[l] == 0x1000u + 0x100 + 16 + 4 * l);
      BOOST_TEST(r.result[0][l] == (l < 40 ? uint32_t(int8_t(b.space.byte(base + 16 + l))) : 0u)); // out of range lanes write 0
    }
}

BOOST_AUTO_TEST_CASE(back_pressure_of_the_L1_delays_but_keeps_order_and_data) {
  bench b;
  b.space.map(base, 1 << 16);
  b.space.fill(13);
  b.l1.withhold_every = 3;
  std::vector<wave_request*> r;
  for (unsigned n = 0; n < 20; ++n) r.push_back(&put(b, "global_load_dword", n & 1 ? scattered(4 * (n % 16)) : linear(base + 256 * n, 4), 1));
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 20u);
  uint64_t tag = 0;
  for (const auto& s : b.l1.log) { BOOST_REQUIRE(s.tag >= tag); tag = s.tag; }
  for (unsigned n = 0; n < 20; ++n)
    for (unsigned l = 0; l < 64; ++l)
      BOOST_REQUIRE(r[n]->result[0][l] == b.space.dword(r[n]->vaddr[0][l] | uint64_t(r[n]->vaddr[1][l]) << 32));
  BOOST_TEST(b.unit.statistics().line_wait_cycles > 0u);
  BOOST_TEST(b.lines.outstanding() == 0u);
}

BOOST_AUTO_TEST_CASE(ta_takes_no_more_instructions_than_fit_between_TA_and_TD) {
  texture_parameters q;
  q.instructions_in_flight = 3;
  bench b(q, 500);
  b.space.map(base, 4096);
  for (unsigned n = 0; n < 6; ++n) put(b, "global_load_dword", linear(base, 4), 10, 1);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 6u);
  BOOST_TEST(b.cu.responses[2].cycle == 18u + 24 + 500 + 40);
  BOOST_TEST(b.cu.responses[3].cycle > b.cu.responses[0].cycle + 500);
  BOOST_TEST(b.unit.statistics().request_wait_cycles > 500u);
}

BOOST_AUTO_TEST_CASE(chaos_delays_responses_reproducibly_and_in_order) {
  std::vector<cycle_t> cycles;
  bench b;
  b.space.map(base, 4096);
  b.shared.chaos.seed = 5;
  for (unsigned n = 0; n < 50; ++n) put(b, "global_load_dword", linear(base, 4), 10, n % 7 ? all : 0);
  b.run_all();
  BOOST_REQUIRE(b.cu.responses.size() == 50u);
  bool delayed = false;
  for (unsigned n = 1; n < 50; ++n) {
    BOOST_TEST(b.cu.responses[n].cycle >= b.cu.responses[n - 1].cycle);
    delayed |= b.cu.responses[n].cycle - b.cu.responses[n - 1].cycle > 4;
    BOOST_TEST(wave_pool::of(*b.cu.responses[n].p).inst == &b.instructions[n]);
  }
  BOOST_TEST(delayed);
}

BOOST_AUTO_TEST_CASE(statistics_count_lanes_lines_and_busy_cycles) {
  bench b;
  b.space.map(base, 1 << 16);
  put(b, "global_load_dword", linear(base, 4), 10);
  put(b, "global_load_dword", scattered(), 100);
  put(b, "global_store_dword", linear(base, 4), 200);
  b.run_all();
  const auto& s = b.unit.statistics();
  BOOST_TEST(s.instructions == 3u);
  BOOST_TEST(s.loads == 2u);
  BOOST_TEST(s.stores == 1u);
  BOOST_TEST(s.lanes == 192u);
  BOOST_TEST(s.lines == 4u + 64 + 4);
  BOOST_TEST(s.lines_written == 4u);
  BOOST_TEST(s.bytes == 3u * 256);
  BOOST_TEST(s.linear_quads == 16u);
  BOOST_TEST(s.scattered_quads == 16u);
  BOOST_TEST(s.ta_busy_cycles == 4u + 16 + 16);
  BOOST_TEST(s.td_busy_cycles == 8u);
}

BOOST_AUTO_TEST_CASE(trace_shows_a_coalesced_and_an_uncoalesced_load_side_by_side) {
  trace_recorder t;
  bench b({}, 70, &t);
  b.space.map(base, 1 << 16);
  put(b, "global_load_dword", linear(base, 4), 10);
  put(b, "global_load_dword", scattered(), 100);
  b.run_all();
  for (cycle_t c = 0; c < 130; ++c) {
    BOOST_TEST(t.at("texture.ta_busy", c * 667 + 1) == ((c >= 10 && c < 14) || (c >= 100 && c < 116) ? 1u : 0u), "ta_busy " << c);
    BOOST_TEST(t.at("texture.lines", c * 667 + 1) == (c >= 34 && c < 38 ? 1u : c >= 124 && c < 140 ? 4u : 0u), "lines " << c);
  }
  BOOST_TEST(t.at("texture.in_flight", 50 * 667 + 1) == 1u);
  BOOST_TEST(t.at("texture.in_flight", 140 * 667 + 1) == 2u);
  BOOST_TEST(t.at("texture.in_flight", 180 * 667 + 1) == 1u); // the first has returned
  BOOST_TEST(t.at("texture.in_flight", 300 * 667 + 1) == 0u);
}
