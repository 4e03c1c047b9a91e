// SPDX-License-Identifier: Apache-2.0
// The VCD writer: what a viewer reads back, order, windows, equal bytes for equal runs.
#include "observe/glob.h"
#include "observe/input_error.h"
#include "observe/vcd_writer.h"
#include "support/systemc_test.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace lyra::observe;

namespace {

struct temporary {
  std::string path;
  temporary() {
    std::string n = (std::filesystem::temp_directory_path() / "lyra_vcd_XXXXXX").string();
    const int fd = mkstemp(n.data());
    BOOST_REQUIRE(fd >= 0);
    ::close(fd);
    path = n;
  }
  ~temporary() { std::filesystem::remove(path); }
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  }
};

/// A strict little reader of value change dumps.
struct dump {
  std::map<std::string, unsigned> bits;                             ///< by hierarchical name
  std::map<std::string, std::vector<std::pair<uint64_t, std::string>>> changes; ///< time, value as written
  std::vector<uint64_t> times;
  explicit dump(const std::string& text) {
    std::istringstream in(text);
    std::map<std::string, std::string> name_of;
    std::vector<std::string> scopes;
    std::string word;
    const auto skip_to_end = [&] { while (in >> word && word != "$end") {} };
    while (in >> word && word != "$enddefinitions") {
      if (word == "$scope") {
        std::string kind, name;
        in >> kind >> name;
        BOOST_REQUIRE(kind == "module");
        scopes.push_back(name);
      } else if (word == "$upscope") {
        BOOST_REQUIRE(!scopes.empty());
        scopes.pop_back();
      } else if (word == "$var") {
        std::string type, code, name;
        unsigned n;
        in >> type >> n >> code >> name;
        std::string path;
        for (const auto& s : scopes) path += s + ".";
        BOOST_REQUIRE_MESSAGE(name_of.emplace(code, path + name).second, "two variables have code " << code);
        BOOST_REQUIRE_MESSAGE(bits.emplace(path + name, n).second, "declared twice: " << path + name);
      } else {
        BOOST_REQUIRE_MESSAGE((word == "$version" || word == "$comment" || word == "$timescale"), word);
        BOOST_REQUIRE(word != "$date");
      }
      skip_to_end();
    }
    BOOST_REQUIRE(scopes.empty());
    in >> word;
    uint64_t time = 0;
    while (in >> word) {
      if (word[0] == '#') {
        time = std::stoull(word.substr(1));
        if (!times.empty()) BOOST_REQUIRE(time > times.back());
        times.push_back(time);
      } else if (word[0] == '$') {
        continue;
      } else {
        std::string value, code;
        if (word[0] == 'b') { value = word.substr(1); in >> code; }
        else { value = word.substr(0, 1); code = word.substr(1); }
        BOOST_REQUIRE_MESSAGE(name_of.count(code), "unknown code " << code);
        BOOST_REQUIRE(!times.empty());
        changes[name_of[code]].emplace_back(time, value);
      }
    }
  }
  static uint64_t number(const std::string& v) { return std::stoull(v, nullptr, 2); }
};

} // namespace

BOOST_AUTO_TEST_CASE(hierarchy_widths_and_values_read_back) {
  temporary t;
  {
    vcd_options o;
    o.comment = "machine vega10, l2.channels=8";
    vcd_writer w(t.path, o);
    const auto pc = w.add("cu0.simd1.wave3.pc", 48, "address of the next instruction");
    const auto busy = w.add("cu0.lds.busy", 1, "");
    const auto wide = w.add("top", 64, "all bits");
    pc.set(100, 0x123456789abc);
    busy.set(100, 1);
    wide.set(150, ~uint64_t(0));
    busy.set(200, 0);
    w.close(500);
  }
  const dump d(t.text());
  BOOST_TEST(d.bits.size() == 3u);
  BOOST_TEST(d.bits.at("cu0.simd1.wave3.pc") == 48u);
  BOOST_TEST(d.bits.at("top") == 64u);
  const auto& busy = d.changes.at("cu0.lds.busy");
  BOOST_REQUIRE(busy.size() == 3u);
  BOOST_TEST(busy[0].second == "0"); // until its first value
  BOOST_TEST(busy[1].first == 100u);
  BOOST_TEST(busy[1].second == "1");
  BOOST_TEST(busy[2].first == 200u);
  BOOST_TEST(dump::number(d.changes.at("cu0.simd1.wave3.pc")[1].second) == 0x123456789abcu);
  BOOST_TEST(dump::number(d.changes.at("top")[1].second) == ~uint64_t(0));
  BOOST_TEST(d.times.back() == 500u);
  const std::string text = t.text();
  BOOST_TEST(text.find("machine vega10, l2.channels=8") != std::string::npos);
  BOOST_TEST(text.find("pc: address of the next instruction") != std::string::npos);
  BOOST_TEST(text.find("$date") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_changes_are_written_and_the_last_value_of_a_moment_counts) {
  temporary t;
  {
    vcd_writer w(t.path, {});
    const auto s = w.add("a.s", 8, "");
    s.set(10, 5);
    s.set(20, 5); // no change
    s.set(30, 6);
    s.set(30, 5); // back within the moment: no change
    s.set(40, 7);
    s.set(40, 0x108); // cut to 8 bits
    w.close(100);
  }
  const auto c = dump(t.text()).changes.at("a.s");
  BOOST_REQUIRE(c.size() == 3u);
  BOOST_TEST((c[1] == std::pair<uint64_t, std::string>(10, "101")));
  BOOST_TEST((c[2] == std::pair<uint64_t, std::string>(40, "1000")));
}

// Random changes out of order within the reorder span against a sorted reference; and the same run twice gives the same bytes.
BOOST_AUTO_TEST_CASE(changes_out_of_order_are_sorted_and_runs_repeat_to_the_byte) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    temporary t;
    std::map<std::pair<unsigned, uint64_t>, uint64_t> last; // (signal, time): the last value set
    uint64_t late = 0;
    {
      vcd_options o;
      o.reorder_ps = 4000;
      vcd_writer w(t.path, o);
      std::vector<signal> s;
      for (unsigned i = 0; i < 200; ++i) s.push_back(w.add("m" + std::to_string(i % 7) + ".s" + std::to_string(i), 1 + i % 64, ""));
      std::mt19937_64 random(11);
      for (uint64_t now = 4000, k = 0; k < 50000; now += random() % 20, ++k) {
        const unsigned i = unsigned(random() % s.size());
        const uint64_t at = now + random() % 3900 - 1900, v = random() % 3;
        s[i].set(at, v);
        last[{i, at}] = v;
      }
      w.close(1000000);
      late = w.late_changes();
    }
    BOOST_TEST(late == 0u);
    const std::string text = t.text();
    if (run == 0) first = text;
    BOOST_TEST((text == first));
    const dump d(text);
    for (unsigned i = 0; i < 200; ++i) {
      std::vector<std::pair<uint64_t, uint64_t>> expected;
      for (auto it = last.lower_bound({i, 0}); it != last.end() && it->first.first == i; ++it) {
        const uint64_t v = i % 64 == 0 ? it->second & 1 : it->second & ((uint64_t(2) << (i % 64)) - 1);
        if ((expected.empty() ? 0 : expected.back().second) != v) expected.emplace_back(it->first.second, v);
      }
      const auto& got = d.changes.at("m" + std::to_string(i % 7) + ".s" + std::to_string(i));
      BOOST_REQUIRE(got.size() == expected.size() + 1);
      for (size_t k = 0; k < expected.size(); ++k) {
        BOOST_REQUIRE(got[k + 1].first == expected[k].first);
        BOOST_REQUIRE(dump::number(got[k + 1].second) == expected[k].second);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_window_shows_the_values_at_its_start_and_nothing_outside) {
  temporary t;
  {
    vcd_options o;
    o.start_ps = 1000;
    o.end_ps = 2000;
    vcd_writer w(t.path, o);
    const auto a = w.add("a", 4, ""), b = w.add("b", 4, ""), c = w.add("c", 4, "");
    a.set(100, 1);
    a.set(900, 2);
    b.set(1000, 3);
    a.set(1500, 4);
    a.set(2000, 5);
    c.set(2500, 6);
    w.close(9000);
  }
  const dump d(t.text());
  BOOST_TEST(d.times.front() == 1000u);
  BOOST_TEST(d.times.back() == 2000u);
  const auto& a = d.changes.at("a");
  BOOST_REQUIRE(a.size() == 2u);
  BOOST_TEST(dump::number(a[0].second) == 2u);
  BOOST_TEST(a[1].first == 1500u);
  BOOST_TEST(dump::number(d.changes.at("b")[0].second) == 3u);
  BOOST_TEST(dump::number(d.changes.at("c")[0].second) == 0u);
  BOOST_TEST(d.changes.at("c").size() == 1u);
}

BOOST_AUTO_TEST_CASE(patterns_select_signals_and_tell_when_they_select_none) {
  temporary t;
  vcd_options o;
  o.patterns = {"cu0.*", "l2.ch[0-1].hit", "cu?.lds.busy", "nothing*"};
  vcd_writer w(t.path, o);
  BOOST_TEST(bool(w.add("cu0.simd0.pc", 1, "")));
  BOOST_TEST(bool(w.add("l2.ch1.hit", 1, "")));
  BOOST_TEST(!bool(w.add("l2.ch2.hit", 1, "")));
  BOOST_TEST(bool(w.add("cu7.lds.busy", 1, "")));
  BOOST_TEST(!bool(w.add("cu17.lds.busy", 1, "")));
  BOOST_TEST(!bool(w.add("cu1.simd0.pc", 1, "")));
  signal none;
  none.set(5, 5); // costs a test and does nothing
  BOOST_TEST(w.signals() == 3u);
  BOOST_TEST((w.unmatched() == std::vector<std::string>{"nothing*"}));
  BOOST_CHECK_THROW(vcd_writer("/nonexistent/x.vcd", {}), input_error);
}

BOOST_AUTO_TEST_CASE(a_change_after_its_time_was_written_is_counted_and_not_lost) {
  temporary t;
  {
    vcd_options o;
    o.reorder_ps = 100;
    vcd_writer w(t.path, o);
    const auto a = w.add("a", 8, ""), b = w.add("b", 8, "");
    a.set(1000, 1);
    b.set(10, 2); // 900 is written already
    BOOST_TEST(w.late_changes() == 1u);
    w.close(2000);
  }
  const dump d(t.text());
  BOOST_TEST(dump::number(d.changes.at("b")[1].second) == 2u);
  BOOST_TEST(d.changes.at("b")[1].first == 900u);
}

BOOST_AUTO_TEST_CASE(globs_match_as_a_plain_recursive_matcher_does) {
  const std::function<bool(std::string_view, std::string_view)> plain = [&](std::string_view p, std::string_view n) -> bool {
    if (p.empty()) return n.empty();
    if (p[0] == '*') return plain(p.substr(1), n) || (!n.empty() && plain(p, n.substr(1)));
    return !n.empty() && (p[0] == '?' || p[0] == n[0]) && plain(p.substr(1), n.substr(1));
  };
  std::mt19937 random(2);
  unsigned matches = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string p, n;
    for (unsigned k = random() % 6; k; --k) p += "ab.*?*"[random() % 6];
    for (unsigned k = random() % 7; k; --k) n += "ab."[random() % 3];
    BOOST_REQUIRE_MESSAGE(glob_match(p, n) == plain(p, n), p << " " << n);
    matches += glob_match(p, n);
  }
  BOOST_TEST(matches > 1000u);
  BOOST_TEST(glob_match("cu[!0].x", "cu1.x"));
  BOOST_TEST(!glob_match("cu[!0].x", "cu0.x"));
  BOOST_TEST(glob_match("a[", "a["));
}
