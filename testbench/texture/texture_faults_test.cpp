// SPDX-License-Identifier: Apache-2.0
// Faults and missing pages in TA and TD: who is named, what is read and dropped.
#include "support/systemc_test.h"
#include "texture/loads.h"

using namespace texture_test;

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
  b.space.map(base + 8192, 4096);
  b.space.fill(10);
  const auto there = [](uint64_t address) { return address < base + 4096 || address >= base + 8192; };
  for (const unsigned pattern : {0, 1, 2}) // a run; scattered; rows of sixteen lanes, one of which goes over the page's end
    for (const unsigned over : {0, 4}) // a lane half on each page
      for (const uint64_t end : {base + 4096, base + 8192}) { // into the page that is not there, out of it
        payload* p;
        isa::instruction i = make("buffer_load_dwordx2");
        i.offen = i.tfe = true;
        wave_request& r = b.take(i, all, p);
        descriptor d;
        d.base = end - 8 * 28 + over;
        d.put(r.resource);
        for (unsigned l = 0; l < 64; ++l) r.vaddr[0][l] = 8 * (pattern == 0 ? l : pattern == 1 ? (l * 37) % 64 : l / 16 * 3 % 4 * 16 + l % 16);
        b.cu.issue(*p, 1);
        b.run_all();
        BOOST_TEST(int(r.fault) == 0);
        BOOST_TEST(r.result_dwords == 3);
        for (unsigned l = 0; l < 64; ++l) {
          const uint64_t a = d.base + r.vaddr[0][l];
          BOOST_TEST(r.result[0][l] == (there(a) ? b.space.dword(a) : 0u));
          BOOST_TEST(r.result[1][l] == (there(a + 4) ? b.space.dword(a + 4) : 0u));
          BOOST_TEST(r.result[2][l] == (there(a) && there(a + 4) ? 0u : 1u));
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
