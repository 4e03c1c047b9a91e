// SPDX-License-Identifier: Apache-2.0
#include "dispatch/value.h"
#include "support/systemc_test.h"
#include <cmath>
#include <cstring>

using namespace lyra::dispatch;

BOOST_AUTO_TEST_CASE(every_half_survives_a_round_trip) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const double v = half_to_double(uint16_t(h));
    if (std::isnan(v)) { BOOST_REQUIRE((half_from_double(v) & 0x7fff) > 0x7c00); continue; }
    BOOST_REQUIRE_EQUAL(half_from_double(v), h);
  }
}

// The nearest half of x lies among its two neighbours; the midpoint goes to the even one. Checked with the table of all halves.
BOOST_AUTO_TEST_CASE(halves_round_to_nearest_even) {
  for (unsigned h = 0; h < 0x7bff; ++h) {
    const double a = half_to_double(uint16_t(h)), b = half_to_double(uint16_t(h + 1)), mid = (a + b) / 2;
    BOOST_REQUIRE_EQUAL(half_from_double(mid), h % 2 ? h + 1 : h);
    BOOST_REQUIRE_EQUAL(half_from_double(std::nextafter(mid, 0)), h);
    BOOST_REQUIRE_EQUAL(half_from_double(std::nextafter(mid, 1e9)), h + 1);
  }
  BOOST_TEST(half_from_double(65519.99) == 0x7bffu);
  BOOST_TEST(half_from_double(65520) == 0x7c00u);
  BOOST_TEST(half_from_double(-1e300) == 0xfc00u);
}

BOOST_AUTO_TEST_CASE(integers_are_range_checked_at_both_ends) {
  uint64_t b;
  const struct { data_type t; int64_t low, high; } rows[] = {{data_type::u8, 0, 255}, {data_type::i8, -128, 127}, {data_type::u16, 0, 65535}, {data_type::i16, -32768, 32767},
                                                             {data_type::u32, 0, 4294967295}, {data_type::i32, -2147483648LL, 2147483647}};
  for (const auto& r : rows) {
    BOOST_TEST(from_integer(r.t, r.low, b));
    BOOST_TEST((to_integer(r.t, b) == r.low));
    BOOST_TEST(from_integer(r.t, r.high, b));
    BOOST_TEST((to_integer(r.t, b) == r.high));
    BOOST_TEST(!from_integer(r.t, r.low - 1, b));
    BOOST_TEST(!from_integer(r.t, r.high + 1, b));
  }
  BOOST_TEST(!from_integer(data_type::u64, -1, b));
  BOOST_TEST(from_unsigned(data_type::u64, ~uint64_t(0), b));
  BOOST_TEST(!from_unsigned(data_type::i64, uint64_t(1) << 63, b));
}

BOOST_AUTO_TEST_CASE(texts_parse_strictly) {
  uint64_t v;
  BOOST_TEST((parse_unsigned("0xffff800000010000", v) && v == 0xffff800000010000));
  BOOST_TEST((parse_unsigned("1_000", v) && v == 1000));
  for (const char* bad : {"", "0x", "12a", "-1", "0x1ffffffffffffffff", "18446744073709551616", " 1"}) BOOST_TEST(!parse_unsigned(bad, v), bad);
  std::vector<uint8_t> bytes;
  BOOST_TEST((parse_hex_bytes("0aFF 10", bytes) && bytes == std::vector<uint8_t>{0x0a, 0xff, 0x10}));
  for (const char* bad : {"0", "0g", "0 1", "xx"}) BOOST_TEST(!parse_hex_bytes(bad, bytes), bad);
}
