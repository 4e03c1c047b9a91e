// SPDX-License-Identifier: Apache-2.0
// What TA and TD do: stores, atomics, images, LDS loads, cache control and policy bits on their way through the L1, in both modes.
#include "support/systemc_test.h"
#include "texture/loads.h"

using namespace texture_test;

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
