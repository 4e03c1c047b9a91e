// SPDX-License-Identifier: Apache-2.0
#include "memory/backing_store.h"
#include "support/systemc_test.h"
#include <fstream>
#include <map>
#include <random>
#include <string>

using namespace lyra;
using namespace lyra::fabric;
using memory::backing_store;

namespace {
size_t resident_bytes() {
  std::ifstream f("/proc/self/statm");
  size_t total, resident;
  f >> total >> resident;
  return resident * 4096;
}
} // namespace

BOOST_AUTO_TEST_CASE(fresh_memory_reads_zero_and_keeps_what_is_written) {
  backing_store s;
  s.map(0x7f00'0000'0000, 1 << 20);
  std::vector<uint8_t> got(1000, 1), data(1000);
  BOOST_TEST(s.read(0x7f00'0000'ff00, got.data(), 1000) == 1000u);
  BOOST_TEST(got == std::vector<uint8_t>(1000, 0));
  for (size_t i = 0; i < data.size(); ++i) data[i] = uint8_t(i * 7);
  BOOST_TEST(s.write(0x7f00'0000'ff03, data.data(), 1000) == 1000u); // across a chunk
  BOOST_TEST(s.read(0x7f00'0000'ff03, got.data(), 1000) == 1000u);
  BOOST_TEST(got == data);
  BOOST_TEST(int(s.host_line(0x7f00'0001'0010)[0x10]) == int(data[0x10d]));
}

BOOST_AUTO_TEST_CASE(addresses_are_48_bits_whatever_their_sign_extension) {
  backing_store s;
  s.map(0x8000'0000'0000, 4096);
  BOOST_TEST((s.state(sign_extended(0x8000'0000'0010)) == page_state::mapped));
  BOOST_TEST(s.host_line(sign_extended(0x8000'0000'0040)) == s.host_line(0x8000'0000'0040));
}

BOOST_AUTO_TEST_CASE(a_four_gigabyte_buffer_costs_only_what_is_touched) {
  backing_store s;
  const size_t before = resident_bytes();
  s.map(0x1'0000'0000, uint64_t(4) << 30);
  s.map(0x10'0000'1000, uint64_t(4) << 30); // not aligned to the tables
  BOOST_TEST(resident_bytes() - before < size_t(8) << 20);
  for (uint64_t k = 0; k < 100; ++k) s.host_line(0x1'0000'0000 + k * (40 << 20))[0] = 1;
  BOOST_TEST(s.touched_bytes() == 100u * backing_store::chunk_bytes);
  BOOST_TEST(resident_bytes() - before < size_t(10) << 20);
}

BOOST_AUTO_TEST_CASE(guard_pages_read_only_and_non_resident_pages_have_their_state) {
  backing_store s;
  s.map(0x10000, 0x3000);
  s.map(0x11000, 0x1000, page_state::read_only);
  s.map(0x20000, 0x1000, page_state::non_resident);
  BOOST_TEST((s.state(0xffff) == page_state::unmapped));
  BOOST_TEST((s.state(0x10fff) == page_state::mapped));
  BOOST_TEST((s.state(0x11000) == page_state::read_only));
  BOOST_TEST((s.state(0x12fff) == page_state::mapped));
  BOOST_TEST((s.state(0x13000) == page_state::unmapped)); // the guard page
  BOOST_TEST(s.host_line(0x13000) == nullptr);
  BOOST_TEST(s.host_line(0x11000) != nullptr); // loaders may write
  BOOST_TEST(s.host_line(0x20000) == nullptr);
  uint8_t bytes[0x200] = {};
  BOOST_TEST(s.write(0x12f00, bytes, sizeof bytes) == 0x100u); // up to the guard page
  const auto e = s.around(0x10010);
  BOOST_TEST(e.first == 0x10000u);
  BOOST_TEST(e.last == 0x10fffu);
  BOOST_TEST(s.around(0x11004).first == 0x11000u);
}

BOOST_AUTO_TEST_CASE(unmapped_memory_loses_its_bytes_and_tells_the_listeners) {
  backing_store s;
  std::vector<std::pair<uint64_t, uint64_t>> changes;
  s.on_change([&](uint64_t a, uint64_t b) { changes.push_back({a, b}); });
  s.map(0x5000, 100);
  s.fill(0x5000, 9, 4096);
  uint8_t* host = s.host_line(0x5000);
  s.unmap(0x5000, 1);
  BOOST_TEST((s.state(0x5000) == page_state::unmapped));
  s.map(0x5000, 1);
  BOOST_TEST(s.host_line(0x5000) == host); // pointers last
  BOOST_TEST(int(host[0]) == 0);
  BOOST_TEST(changes.size() == 3u);
  BOOST_TEST((changes[0] == std::pair<uint64_t, uint64_t>{0x5000, 0x5fff}));
}

BOOST_AUTO_TEST_CASE(impossible_mappings_are_refused) {
  backing_store s;
  BOOST_CHECK_THROW(s.map(0x1234, 4096), std::invalid_argument);
  BOOST_CHECK_THROW(s.map(0xffff'ffff'f000, 8192), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(random_mappings_agree_with_a_plain_map_of_pages) {
  backing_store s;
  std::map<uint64_t, page_state> model;
  std::mt19937_64 draw(4);
  for (int n = 0; n < 400; ++n) {
    const uint64_t region = draw() % 3, page = draw() % 64, count = 1 + draw() % 40;
    const uint64_t base = region * 0xffff'0000 + page * 4096; // around a 4 GB border
    const auto st = page_state(draw() % 4);
    s.map(base, count * 4096, st);
    for (uint64_t k = 0; k < count; ++k) model[base / 4096 + k] = st;
  }
  for (const auto& [page, st] : model) BOOST_REQUIRE((s.state(page * 4096 + 77) == st));
}
