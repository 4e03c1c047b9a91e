// SPDX-License-Identifier: Apache-2.0
// When a result counts as right, and what is printed when it does not.
#include "dispatch/expectation.h"
#include "dispatch/support.h"
#include "support/systemc_test.h"
#include <cmath>

using namespace lyra::dispatch;
using support::contains;

namespace {
uint64_t f32(float v) { uint64_t b = 0; std::memcpy(&b, &v, 4); return b; }
uint64_t f64(double v) { uint64_t b = 0; std::memcpy(&b, &v, 8); return b; }
} // namespace

BOOST_AUTO_TEST_CASE(floats_compare_by_value) {
  const tolerance exact;
  BOOST_TEST(element_matches(data_type::f32, f32(-0.0f), f32(0.0f), exact));
  BOOST_TEST(element_matches(data_type::f32, 0x7fc00001, 0xffc12345, exact)); // any NaN is any NaN
  BOOST_TEST(!element_matches(data_type::f32, 0x7fc00000, f32(1), {1e30, 1e30, 1u << 30}));
  BOOST_TEST(!element_matches(data_type::f32, f32(1), 0x7fc00000, {1e30, 1e30, 1u << 30}));
  BOOST_TEST(element_matches(data_type::f32, f32(INFINITY), f32(INFINITY), exact));
  BOOST_TEST(!element_matches(data_type::f32, f32(INFINITY), f32(-INFINITY), {1e38, 10, 1u << 30}));
  BOOST_TEST(!element_matches(data_type::f32, f32(3e38f), f32(INFINITY), {1e38, 10, 1u << 30})); // |gold| is infinite: no tolerance reaches it
  BOOST_TEST(element_matches(data_type::f16, 0x8000, 0x0000, exact));
  BOOST_TEST(element_matches(data_type::f64, f64(-0.0), f64(0.0), exact));
}

BOOST_AUTO_TEST_CASE(absolute_and_relative_tolerances_add_up) {
  BOOST_TEST(element_matches(data_type::f64, f64(10.25), f64(10), {0.25, 0, 0}));
  BOOST_TEST(!element_matches(data_type::f64, f64(10.2500001), f64(10), {0.25, 0, 0}));
  BOOST_TEST(element_matches(data_type::f64, f64(-11.25), f64(-10), {0.25, 0.1, 0}));
  BOOST_TEST(!element_matches(data_type::f64, f64(-11.2500001), f64(-10), {0.25, 0.1, 0}));
  BOOST_TEST(element_matches(data_type::i32, uint32_t(-5), 2, {7, 0, 0})); // abs serves integers
  BOOST_TEST(!element_matches(data_type::i32, uint32_t(-6), 2, {7, 0, 0}));
  BOOST_TEST(element_matches(data_type::u32, 0xffffffff, 0xfffffffe, {1, 0, 0}));
  BOOST_TEST(!element_matches(data_type::u32, 0xffffffff, 0, {1, 0, 0})); // unsigned: no wrap
  BOOST_TEST(!element_matches(data_type::u64, ~uint64_t(0), ~uint64_t(0) - 1, {}));
  BOOST_TEST(element_matches(data_type::u64, ~uint64_t(0), ~uint64_t(0) - 1, {1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(units_in_the_last_place_count_representable_values) {
  float v = 1.0f;
  for (int i = 0; i < 5; ++i) v = std::nextafter(v, 2.0f);
  BOOST_TEST(ulp_distance(data_type::f32, f32(v), f32(1)) == 5u);
  BOOST_TEST(element_matches(data_type::f32, f32(v), f32(1), {0, 0, 5}));
  BOOST_TEST(!element_matches(data_type::f32, f32(v), f32(1), {0, 0, 4}));
  BOOST_TEST(ulp_distance(data_type::f32, f32(std::nextafter(0.0f, 1.0f)), f32(-std::nextafter(0.0f, 1.0f))) == 2u); // across zero
  BOOST_TEST(ulp_distance(data_type::f64, f64(std::nextafter(-8.0, -9.0)), f64(-8)) == 1u);
  BOOST_TEST(ulp_distance(data_type::f16, 0x3c03, 0x3c00) == 3u);
}

BOOST_AUTO_TEST_CASE(differences_are_counted_and_the_first_ones_printed) {
  support::scratch_directory d;
  support::page_memory m;
  std::vector<float> got(200000), gold(200000);
  for (size_t i = 0; i < got.size(); ++i) got[i] = gold[i] = float(i);
  got[3] += 1; got[70000] -= 2; got[150000] = NAN;
  const std::string bytes(reinterpret_cast<const char*>(gold.data()), gold.size() * 4);
  d.write("gold.bin", bytes);
  m.map(0x10000, 4 * got.size() + 64);
  m.write(0x10000 + 16, got.data(), 4 * got.size());
  expect_spec e;
  e.buffer = "y";
  e.file = d.path / "gold.bin";
  e.type = data_type::f32;
  e.offset = 16;
  e.count = got.size();
  e.place = {"job.toml", 9};
  const placed_buffer b{"y", 0x10000, 4 * got.size() + 16};
  const auto r = check(e, b, m, 2);
  BOOST_TEST(!r.passed());
  BOOST_TEST(r.checked == 200000u);
  BOOST_TEST(r.wrong == 3u);
  BOOST_TEST(contains(r.text, "job.toml:9: buffer y: 3 of 200000 f32 elements wrong"));
  BOOST_TEST(contains(r.text, "y[3] (byte 0x1c): got 4 (0x40800000), expected 3 (0x40400000), off by 1"));
  BOOST_TEST(contains(r.text, "y[70000]"));
  BOOST_TEST(contains(r.text, "and 1 more"));
  e.abs = 2;
  BOOST_TEST(check(e, b, m).wrong == 1u); // the NaN
  e.count = 3;
  d.write("gold.bin", bytes.substr(0, 12));
  BOOST_TEST(check(e, b, m).passed());
  e.file.reset();
  e.value = scalar{data_type::f32, f32(1)};
  e.abs = 0.5;
  BOOST_TEST(check(e, b, m).wrong == 2u); // 0 and 2
}

BOOST_AUTO_TEST_CASE(a_buffer_of_floats_is_judged_as_its_elements_are) {
  support::scratch_directory d;
  support::page_memory m;
  const float values[] = {0, -0.0f, 1, -1, std::nextafter(1.0f, 2.0f), 1.5f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f};
  std::vector<float> got, gold;
  for (const float a : values)
    for (const float b : values) { got.push_back(a); gold.push_back(b); }
  d.write("gold.bin", std::string(reinterpret_cast<const char*>(gold.data()), gold.size() * 4));
  m.map(0x10000, 4 * got.size());
  m.write(0x10000, got.data(), 4 * got.size());
  expect_spec e;
  e.buffer = "y";
  e.file = d.path / "gold.bin";
  e.type = data_type::f32;
  e.count = got.size();
  e.place = {"job.toml", 9};
  for (const tolerance& t : {tolerance{}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 10, 0}, {1e38, 10, 0}, {0, 0, 1}, {0, 0, 1u << 30}, {INFINITY, 0, 0}, {NAN, 0, 0}, {-1, 0, 0}}) {
    e.abs = t.abs; e.rel = t.rel; e.ulp = t.ulp;
    uint64_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) wrong += !element_matches(data_type::f32, f32(got[i]), f32(gold[i]), t);
    BOOST_TEST(check(e, {"y", 0x10000, 4 * got.size()}, m).wrong == wrong);
  }
}

BOOST_AUTO_TEST_CASE(outputs_hold_the_whole_buffer) {
  support::scratch_directory d;
  support::page_memory m;
  d.write("s.bin", "code");
  const loaded_job j(parse_job("[code]\nraw = \"s.bin\"\n[buffer.x]\nsize = 70001\nfill = {u8=7}\n[[dispatch]]\ngrid = [1]\nworkgroup = [1]\n[[output]]\nbuffer = \"x\"\nfile = \"x.out\"\n"
                               "[[expect]]\nbuffer = \"x\"\nvalue = {u8=7}\n", "j", d.path), m, {});
  write_outputs(j, m);
  BOOST_TEST((support::read_file(d.path / "x.out") == std::vector<uint8_t>(70001, 7)));
  BOOST_TEST(check_all(j, m).at(0).passed());
  support::fs::create_directory(d.path / "other");
  write_outputs(j, m, d.path / "other");
  BOOST_TEST(support::fs::file_size(d.path / "other/x.out") == 70001u);
  BOOST_TEST(contains(support::error_of([&] { write_outputs(j, m, d.path / "missing"); }), "cannot write"));
}
