// SPDX-License-Identifier: Apache-2.0
// Parameters by name: values, ranges, choices, nearest names, machine files.
#include "observe/input_error.h"
#include "observe/parameter_set.h"
#include "support/systemc_test.h"
#include <filesystem>
#include <fstream>

using namespace lyra::observe;

namespace {
struct cache_parameters {
  unsigned channels = 16;
  uint64_t size_bytes = 4194304;
  double clock_mhz = 1500;
  bool hashed = true;
  std::string policy = "lru";
  template <class V> void describe(V&& v) {
    v("channels", channels, {"channels", 1, 64, nullptr, "KFD", "number of channels"});
    v("size_bytes", size_bytes, {"bytes", 1024, 1e12, nullptr, "KFD", "size of all channels"});
    v("clock_mhz", clock_mhz, {"MHz", 0.5, 5000, nullptr, "assumed", "clock"});
    v("hashed", hashed, {"", 0, 1, nullptr, "assumed", "XOR-fold of the address"});
    v("policy", policy, {"", 0, 0, "lru|random|fifo", "assumed", "replacement"});
  }
};
struct bench {
  cache_parameters l1, l2;
  parameter_set set;
  bench() { set.add("l1", l1); set.add("l2", l2); }
  std::string error(const std::string& assignment) {
    try { set.set_assignment(assignment); } catch (const input_error& e) { return e.what(); }
    return "";
  }
  std::string load(const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() / ("lyra_parameters_" + std::to_string(getpid()) + ".toml");
    std::ofstream(path) << text;
    std::string message;
    try { others = set.load_toml(path.string(), {"name", "base"}); } catch (const input_error& e) { message = e.what(); }
    std::filesystem::remove(path);
    const size_t at = message.find(path.string());
    if (at != std::string::npos) message.replace(at, path.string().size(), "m.toml");
    return message;
  }
  std::vector<std::pair<std::string, std::string>> others;
};
bool contains(const std::string& a, const std::string& b) { return a.find(b) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_CASE(every_type_is_set_from_text) {
  bench b;
  for (const char* a : {"l2.channels=8", "l2.size_bytes = 0x10_0000", "l2.clock_mhz=1250.5", "l2.hashed=off", "l2.policy=fifo"}) BOOST_TEST(b.error(a) == "", a);
  BOOST_TEST(b.l2.channels == 8u);
  BOOST_TEST(b.l2.size_bytes == 1048576u);
  BOOST_TEST(b.l2.clock_mhz == 1250.5);
  BOOST_TEST(!b.l2.hashed);
  BOOST_TEST(b.l2.policy == "fifo");
  BOOST_TEST(b.l1.channels == 16u); // its twin is untouched
  const auto c = b.set.changed();
  BOOST_REQUIRE(c.size() == 5u);
  BOOST_TEST(c[0].first == "l2.channels");
  BOOST_TEST(c[0].second == "8");
}

BOOST_AUTO_TEST_CASE(mistakes_name_the_range_the_choices_or_the_nearest_parameter) {
  bench b;
  BOOST_TEST(b.error("l2.chanels=8") == "--set: no parameter \"l2.chanels\"; did you mean \"l2.channels\"?");
  BOOST_TEST(b.error("channels=8") == "--set: no parameter \"channels\"; did you mean l1.channels or l2.channels?");
  BOOST_TEST(contains(b.error("something.else=8"), "lyra machine --list shows all"));
  BOOST_TEST(b.error("l2.channels=0") == "--set: l2.channels = 0: must be in 1..64 channels (number of channels)");
  BOOST_TEST(contains(b.error("l2.channels=65"), "must be in 1..64"));
  BOOST_TEST(contains(b.error("l2.channels=-1"), "must be a whole number, not negative"));
  BOOST_TEST(contains(b.error("l2.channels=8x"), "must be a whole number"));
  BOOST_TEST(contains(b.error("l2.channels="), "must be a whole number"));
  BOOST_TEST(contains(b.error("l2.channels=4294967297"), "must be in 1..64"));
  BOOST_TEST(contains(b.error("l2.clock_mhz=fast"), "must be a number"));
  BOOST_TEST(contains(b.error("l2.clock_mhz=nan"), "must be a number"));
  BOOST_TEST(contains(b.error("l2.clock_mhz=0.25"), "must be in 0.5..5000 MHz"));
  BOOST_TEST(contains(b.error("l2.hashed=maybe"), "must be true or false"));
  BOOST_TEST(contains(b.error("l2.policy=fifi"), "must be one of lru, random, fifo; did you mean \"fifo\"?"));
  BOOST_TEST(contains(b.error("l2.channels"), "write NAME=VALUE"));
  BOOST_TEST(b.set.changed().empty()); // nothing wrong was taken
}

BOOST_AUTO_TEST_CASE(machine_files_set_parameters_and_keep_their_lines) {
  bench b;
  BOOST_TEST(b.load("name = \"small\"\nbase = \"vega10\"\n[l2]\nchannels = 4\nclock_mhz = 1000\nhashed = false\npolicy = \"random\"\n[l1]\nclock_mhz = 0.5\n") == "");
  BOOST_TEST(b.l2.channels == 4u);
  BOOST_TEST(b.l2.clock_mhz == 1000.0);
  BOOST_TEST(b.l2.policy == "random");
  BOOST_TEST(b.l1.clock_mhz == 0.5);
  BOOST_REQUIRE(b.others.size() == 2u);
  BOOST_TEST(contains(b.set.find("l2.channels")->set_by, ".toml:4"));
  BOOST_TEST(contains(b.load("[l2]\nchannels = 4\nsizebytes = 5\n"), "m.toml:3: no parameter \"l2.sizebytes\"; did you mean \"l2.size_bytes\"?"));
  BOOST_TEST(contains(b.load("[l2]\nchannels = 400\n"), "m.toml:2: l2.channels = 400: must be in 1..64"));
  BOOST_TEST(contains(b.load("[l2]\nchannels = [4]\n"), "m.toml:2: l2.channels must be a number"));
  BOOST_TEST(contains(b.load("[l2\n"), "m.toml:1: "));
  BOOST_TEST(contains(b.load("name = 5\n"), "m.toml:1: name must be a string"));
}

BOOST_AUTO_TEST_CASE(the_list_shows_value_unit_range_source_and_meaning) {
  bench b;
  b.set.set_assignment("l2.channels=8");
  const std::string t = b.set.list("l2.*");
  BOOST_TEST(contains(t, "8 (default 16)"));
  BOOST_TEST(contains(t, "1..64"));
  BOOST_TEST(contains(t, "lru, random, fifo"));
  BOOST_TEST(contains(t, "number of channels"));
  BOOST_TEST(contains(t, "KFD"));
  BOOST_TEST(!contains(t, "l1."));
  BOOST_CHECK_THROW(b.set.add("l2", b.l1), input_error);
}

BOOST_AUTO_TEST_CASE(nearest_names_follow_levenshtein_and_reach_only_so_far) {
  BOOST_TEST(edit_distance("", "abc") == 3u);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3u);
  BOOST_TEST(edit_distance("same", "same") == 0u);
  BOOST_TEST(nearest("grdi", {"grid", "workgroup"}) == ""); // two of four letters: too far
  BOOST_TEST(nearest("gridd", {"grid", "workgroup"}) == "grid");
  BOOST_TEST(nearest("workgrup", {"grid", "workgroup"}) == "workgroup");
  BOOST_TEST(nearest("x", {}) == "");
}
