// SPDX-License-Identifier: Apache-2.0
// Statistics as JSON, samples, the timeline, and the text of reports.
#include "observe/input_error.h"
#include "observe/report.h"
#include "observe/statistics_json.h"
#include "observe/timeline.h"
#include "support/systemc_test.h"
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace lyra::observe;
using nlohmann::json;

namespace {
struct counters {
  uint64_t hits = 0, misses = 0;
  template <class V> void describe(V&& v) {
    v("hits", hits, "requests", "found in the cache");
    v("misses", misses, "requests", "not found");
  }
};
struct temporary {
  std::filesystem::path path;
  explicit temporary(const char* name) : path(std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(getpid()))) {}
  ~temporary() { std::filesystem::remove(path); }
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  }
};
} // namespace

BOOST_AUTO_TEST_CASE(statistics_are_a_tree_with_value_unit_and_meaning) {
  statistics s;
  counters a, b;
  s.add("l2.channel0", a);
  s.add("l2.channel1", b);
  a.hits = 7;
  b.misses = uint64_t(1) << 60;
  const statistics_region whole(s);
  const json j = json::parse(statistics_json(whole, {{"machine", "vega10"}, {"set", "l2.channels=\"8\""}}));
  BOOST_TEST((j["about"]["machine"] == "vega10"));
  BOOST_TEST((j["about"]["set"] == "l2.channels=\"8\""));
  BOOST_TEST((j["statistics"]["l2"]["channel0"]["hits"] == json{{"value", 7}, {"unit", "requests"}, {"meaning", "found in the cache"}}));
  BOOST_TEST((j["statistics"]["l2"]["channel1"]["misses"]["value"] == uint64_t(1) << 60));
  const std::string list = statistics_list(s);
  BOOST_TEST(list.find("l2.channel*.hits") != std::string::npos);
  BOOST_TEST(list.find("channel1") == std::string::npos);
  temporary f("lyra_statistics_");
  write_statistics(f.path.string(), whole, {});
  BOOST_TEST(json::parse(f.text())["statistics"].size() == 1u);
  BOOST_CHECK_THROW(write_statistics("/nonexistent/s.json", whole, {}), input_error);
}

BOOST_AUTO_TEST_CASE(a_counter_may_share_its_name_with_a_block_and_the_run_has_a_length) {
  statistics s;
  counters unit, lds;
  s.add("cu0.hits", lds); // cu0.hits.hits, cu0.hits.misses
  s.add("cu0", unit);     // cu0.hits, cu0.misses
  unit.hits = 3;
  lds.misses = 4;
  const json j = json::parse(statistics_json(statistics_region(s), {}, {1234, 5678}));
  BOOST_TEST((j["run"] == json{{"cycles", 1234}, {"ps", 5678}}));
  BOOST_TEST((j["statistics"]["cu0"]["hits"]["value"] == 3));
  BOOST_TEST((j["statistics"]["cu0"]["hits"]["misses"]["value"] == 4));
  const statistics none;
  BOOST_TEST(json::parse(statistics_json(statistics_region(none), {}))["statistics"].empty());
  const json kinds = json::parse(statistics_list_json(s));
  BOOST_TEST(kinds.size() == 4u);
  BOOST_TEST((kinds[0]["name"] == "cu0.hits.hits" || kinds[0]["name"] == "cu*.hits.hits"));
  BOOST_TEST((kinds[0]["unit"] == "requests"));
}

BOOST_AUTO_TEST_CASE(a_region_counts_from_its_mark_until_it_is_frozen) {
  statistics s;
  counters a;
  s.add("x", a);
  a.hits = 5;
  statistics_region r(s);
  BOOST_TEST(r.value(0) == 5u);
  r.mark();
  a.hits = 12;
  BOOST_TEST(r.value(0) == 7u);
  r.freeze();
  a.hits = 100;
  BOOST_TEST(r.value(0) == 7u);
  BOOST_TEST(r.value(1) == 0u);
  r.mark();
  BOOST_TEST(r.value(0) == 0u);
}

BOOST_AUTO_TEST_CASE(samples_hold_what_changed_since_the_last_one) {
  temporary f("lyra_samples_");
  statistics s;
  counters a;
  s.add("x", a);
  {
    statistics_sampler w(f.path.string(), s, {{"machine", "cu"}});
    a.hits = 3;
    w.sample(1000, 667000);
    a.hits = 10;
    a.misses = 1;
    w.sample(2000, 1334000);
    w.sample(3000, 2001000);
  }
  std::istringstream in(f.text());
  std::vector<json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  BOOST_REQUIRE(lines.size() == 4u);
  BOOST_TEST((lines[0]["about"]["machine"] == "cu"));
  BOOST_TEST((lines[1]["changes"] == json{{"x.hits", 3}}));
  BOOST_TEST((lines[2]["changes"] == json{{"x.hits", 7}, {"x.misses", 1}}));
  BOOST_TEST((lines[2]["cycle"] == 2000));
  BOOST_TEST(lines[3]["changes"].empty());
}

BOOST_AUTO_TEST_CASE(timeline_is_valid_json_with_exact_times) {
  temporary f("lyra_timeline_");
  {
    timeline t(f.path.string(), {{"machine", "vega10 \"test\""}});
    const auto w0 = t.track("cu0", "simd0 wave0"), w1 = t.track("cu0", "simd0 wave1"), l = t.track("l2", "channel0");
    BOOST_TEST(t.track("cu0", "simd0 wave0") == w0);
    t.slice(w0, "v_add_f32 v0, \"x\"\n", 667, 1334, {{"pc", 256}});
    t.slice(w1, "s_endpgm", 123456789012345, 123456789012345);
    t.instant(l, "hit", 5);
    t.counter(l, "queue", 6, 2.5);
    t.close();
    t.slice(w0, "late", 1, 2); // after close: dropped
  }
  const json j = json::parse(f.text());
  BOOST_TEST((j["otherData"]["machine"] == "vega10 \"test\""));
  std::vector<json> slices;
  std::map<std::pair<int, int>, std::string> rows;
  for (const auto& e : j["traceEvents"]) {
    if (e["ph"] == "X") slices.push_back(e);
    if (e["name"] == "thread_name") BOOST_TEST(rows.emplace(std::pair<int, int>(e["pid"], e["tid"]), e["args"]["name"].get<std::string>()).second);
  }
  BOOST_TEST(rows.size() == 3u);
  BOOST_REQUIRE(slices.size() == 2u);
  BOOST_TEST((slices[0]["name"] == "v_add_f32 v0, \"x\"\n"));
  BOOST_TEST((slices[0]["args"]["pc"] == 256));
  BOOST_TEST((slices[0]["pid"] == slices[1]["pid"] && slices[0]["tid"] != slices[1]["tid"]));
  BOOST_TEST(f.text().find("\"ts\": 0.000667, \"dur\": 0.000667") != std::string::npos);
  BOOST_TEST(f.text().find("\"ts\": 123456789.012345, \"dur\": 0.000000") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_have_three_digits_and_a_unit) {
  BOOST_TEST(human_count(0) == "0");
  BOOST_TEST(human_count(999) == "999");
  BOOST_TEST(human_count(1000) == "1.00 k");
  BOOST_TEST(human_count(12345) == "12.3 k");
  BOOST_TEST(human_count(123456789) == "123 M");
  BOOST_TEST(human_bytes(4096) == "4.00 KB");
  BOOST_TEST(human_bytes(512) == "512 B");
  BOOST_TEST(human_time(667) == "667 ps");
  BOOST_TEST(human_time(1234567) == "1.23 us");
  BOOST_TEST(human_rate(64e9, 1'000'000'000'000) == "64.0 GB/s");
  BOOST_TEST(human_rate(1, 0) == "-");
  BOOST_TEST(percent(1, 8) == "12.5 %");
  BOOST_TEST(percent(1, 0) == "-");
  BOOST_TEST(bar(1, 4, 8) == "##      ");
  BOOST_TEST(bar(9, 4, 4) == "####");
  text_table t({"name", "n"});
  t.add({"a", "1"});
  t.add({"long name", "200"});
  BOOST_TEST(t.text() == "  name         n\n  a            1\n  long name  200\n");
}

BOOST_AUTO_TEST_CASE(a_progress_line_fits_its_terminal) {
  BOOST_TEST(progress_bar::line(1, 2, "cycle 5", 60) == "[" + std::string(20, '#') + std::string(20, ' ') + "]  50 %  cycle 5");
  for (unsigned width = 20; width < 120; ++width) BOOST_TEST(progress_bar::line(3, 7, "dispatch 2 of 9, cycle 123456", width).size() <= width);
  progress_bar none(nullptr);
  none.update(1, 2);
  BOOST_TEST(!none.enabled());
}

BOOST_AUTO_TEST_CASE(a_timeline_quotes_every_byte_wherever_it_stands) {
  for (unsigned length = 1; length < 20; ++length)
    for (unsigned at = 0; at < length; ++at)
      for (unsigned c = 0; c < 256; ++c) {
        std::string text(length, 'x'), expected = "\"";
        text[at] = char(c);
        for (const char k : text)
          if (k == '"' || k == '\\') expected += std::string("\\") + k;
          else if (uint8_t(k) < 0x20) { char escape[8]; std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(k)); expected += escape; }
          else expected += k;
        BOOST_REQUIRE_EQUAL(lyra::observe::timeline::quoted(text), expected + "\"");
      }
}
