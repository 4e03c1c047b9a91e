// SPDX-License-Identifier: Apache-2.0
// TA and TD in time: exact cycles, what each access pattern costs, order, back-pressure, chaos, statistics, traces. The L1 here answers 70 cycles after a line comes.
#include "support/trace_recorder.h"
#include "support/systemc_test.h"
#include "texture/loads.h"
#include <map>

using namespace texture_test;

namespace {

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
