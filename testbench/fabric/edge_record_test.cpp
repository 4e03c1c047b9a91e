// SPDX-License-Identifier: Apache-2.0
// Edges recorded in a whole machine and played again on one block alone; generated traffic on an L2 channel alone.
#include "cache/l2_channel.h"
#include "dispatch/expectation.h"
#include "dispatch/loaded_job.h"
#include "platforms/machine.h"
#include "platforms/machine_files.h"
#include "atomic/atomic_unit.h"
#include "fabric/traffic.h"
#include "lds/lds.h"
#include "memory/dram_channel.h"
#include "observe/input_error.h"
#include "support/directories.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace lyra;
using namespace lyra::fabric;

namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& p) {
  std::ifstream f(p, std::ios::binary);
  std::ostringstream s;
  s << f.rdbuf();
  return s.str();
}

/// Runs a job on `cu` and records one edge; the machine's counters stand in stats.json.
struct recording {
  fs::path folder;
  recording(const std::string& job, const std::string& edge) {
    char t[] = "/tmp/lyra_record_XXXXXX";
    folder = ::mkdtemp(t);
    const std::string command = directories::build() + "/platforms/lyra run " + directories::source() + "/testbench/cases/ocl/" + job + "/job.toml --machine cu --quiet --stats " + (folder / "stats.json").string() +
                                " --record " + edge + "=" + (folder / "edge.txt").string();
    BOOST_REQUIRE_EQUAL(std::system(command.c_str()), 0);
  }
  ~recording() { fs::remove_all(folder); }
  std::string file() const { return (folder / "edge.txt").string(); }
  /// The value of the counter `name` of `block`, in order of appearance of both in the file.
  uint64_t counter(const std::string& block, const std::string& name) const {
    const std::string s = slurp(folder / "stats.json");
    size_t at = s.find("\"" + block + "\"");
    BOOST_REQUIRE(at != std::string::npos);
    at = s.find("\"" + name + "\"", at);
    BOOST_REQUIRE(at != std::string::npos);
    return std::strtoull(s.c_str() + s.find("\"value\": ", at) + 9, nullptr, 10);
  }
};

struct world {
  memory::backing_store store;
  observe::statistics statistics;
  run_state run;
  payload_pool lines;
  wave_pool waves;
  context ctx;
  world() {
    ctx.space = &store;
    ctx.statistics = &statistics;
    ctx.run = &run;
    ctx.lines = &lines;
    ctx.waves = &waves;
  }
};

/// An L2 channel with what it needs, a monitor in front.
struct l2_alone : world {
  cache::l2_parameters p;
  cache::l2_channel l2;
  atomic::atomic_unit unit;
  memory::dram_channel dram;
  testbench::protocol_monitor<> monitor;
  static cache::l2_parameters one() { cache::l2_parameters p; p.channels = 1; return p; }
  static memory::dram_parameters one_dram() { memory::dram_parameters p; p.channels = 1; return p; }
  l2_alone() : p(one()), l2("l2", ctx, p), unit("unit", ctx, {}), dram("dram", ctx, store, one_dram()), monitor("monitor") {
    l2.atomic.socket.bind(unit.in.socket);
    l2.memory.socket.bind(dram.in.socket);
    monitor.out.bind(l2.in.socket);
  }
};

void finish() { sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION); }

} // namespace

BOOST_AUTO_TEST_CASE(an_lds_alone_does_what_it_did_in_the_machine_to_the_cycle) {
  recording r("histogram", "cu0.cu-lds");
  world w;
  lds::local_data_share lds("lds", w.ctx, {});
  traffic_parameters p;
  p.pattern = "recorded";
  p.file = r.file();
  p.window = 1000;
  traffic_source source("source", w.ctx, p);
  edge_recorder again("again", (r.folder / "again.txt").string());
  source.out.socket.bind(again.in);
  again.out.bind(lds.cu_port.socket);
  finish();
  BOOST_TEST(source.done());
  BOOST_TEST(source.statistics().answers > 100u);
  BOOST_TEST(lds.statistics().instructions == r.counter("lds", "instructions"));
  BOOST_TEST(lds.statistics().bank_busy_cycles == r.counter("lds", "bank_busy_cycles"));
  BOOST_TEST(lds.statistics().same_address_cycles == r.counter("lds", "same_address_cycles"));
  BOOST_TEST(lds.statistics().queue_wait_cycles == r.counter("lds", "queue_wait_cycles"));
  BOOST_TEST((slurp(r.file()) == slurp(r.folder / "again.txt"))); // same requests at the same picoseconds
}

BOOST_AUTO_TEST_CASE(an_l2_channel_alone_hits_and_misses_as_in_the_machine) {
  recording r("atomics32", "crossbar-l2_0");
  l2_alone a;
  a.store.map(0x100000000, 64 << 20); // where the job's buffers and code are
  traffic_parameters p;
  p.pattern = "recorded";
  p.file = r.file();
  p.window = 1000;
  traffic_source source("source", a.ctx, p);
  source.out.socket.bind(a.monitor.in);
  finish();
  BOOST_TEST(source.done());
  BOOST_TEST(source.statistics().errors == 0u);
  BOOST_TEST(a.monitor.clean(), a.monitor.report());
  BOOST_TEST(a.l2.statistics().atomics > 100u);
  for (const char* name : {"requests", "reads", "writes", "atomics", "read_misses"})
    for (const auto& e : a.statistics.entries())
      if (e.path == std::string("l2.") + name) BOOST_TEST(*e.value == r.counter("cache", name), name);
}

BOOST_AUTO_TEST_CASE(strided_traffic_misses_each_line_once) {
  l2_alone a;
  a.store.map(0x10000, 1 << 20);
  traffic_parameters p;
  p.pattern = "strided";
  p.base = 0x10000;
  p.footprint_bytes = 32768;
  p.stride_bytes = 32;
  p.bytes = 32;
  p.read_percent = 100;
  p.requests = 4096; // four times over 512 lines
  traffic_source source("source", a.ctx, p);
  source.out.socket.bind(a.monitor.in);
  finish();
  BOOST_TEST(source.done());
  BOOST_TEST(source.statistics().answers == 4096u);
  BOOST_TEST(a.dram.statistics().reads == 512u);
  BOOST_TEST(source.statistics().latency_min_ps == l2_alone::one().hit_latency_cycles * 667);
  BOOST_TEST(source.statistics().latency_max_ps > 193000u); // DRAM
  BOOST_TEST(a.monitor.clean(), a.monitor.report());
}

BOOST_AUTO_TEST_CASE(random_traffic_is_the_same_each_time_and_keeps_memory_right) {
  l2_alone a;
  a.store.map(0x20000, 65536);
  traffic_parameters p;
  p.base = 0x20000;
  p.footprint_bytes = 4096;
  p.bytes = 4;
  p.read_percent = 0;
  p.atomic_percent = 100;
  p.requests = 2000;
  traffic_source source("source", a.ctx, p);
  uint64_t sum = 0;
  source.on_answer = [&](payload& q, picoseconds) { sum += payload_pool::atomic_of(q).entries[0].operand; };
  source.out.socket.bind(a.monitor.in);
  finish();
  a.l2.flush();
  uint64_t stored = 0;
  for (unsigned i = 0; i < 1024; ++i) {
    uint32_t v = 0;
    a.store.read(0x20000 + 4 * i, &v, 4);
    stored += v;
  }
  BOOST_TEST(source.statistics().answers == 2000u);
  BOOST_TEST(stored == sum); // every addition arrived once
  BOOST_TEST(sum > 0u);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_record_is_named_with_its_line) {
  const std::string file = "/tmp/lyra_bad_record_" + std::to_string(getpid()) + ".txt";
  std::ofstream(file) << "# comment\nR 100 1000 64 0\nQ 200 1000\n";
  world w;
  record_reader r(file, w.ctx);
  recorded_request q;
  BOOST_TEST(r.next(q));
  BOOST_TEST(q.at == 100u);
  BOOST_TEST(q.p->get_address() == 0x1000u);
  q.p->release();
  BOOST_CHECK_EXCEPTION(r.next(q), observe::input_error, [&](const observe::input_error& e) { return e.place() == file + ":3"; });
  BOOST_CHECK_THROW(record_reader("/nowhere/x", w.ctx), observe::input_error);
  std::remove(file.c_str());
}

namespace {
/// Takes the dispatcher's place on nothing: its launch edge is cut.
struct nowhere : sc_core::sc_module, request_server {
  target_port in;
  explicit nowhere(sc_core::sc_module_name name) : sc_module(name), in("in", *this, 0) {}
  request_answer on_request(unsigned, payload&, picoseconds&) override { BOOST_ERROR("the dispatcher launches something"); return request_answer::withheld; }
  void b_transport(unsigned, payload&, sc_core::sc_time&) override {}
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
};
/// A job whose workgroups come from a file instead of a dispatcher: same memory, same counters of the compute unit.
void play_launches(const std::string& name, const std::vector<std::string>& counters) {
  const recording r(name, "dispatcher-cu0");
  auto d = platforms::load_machine("cu", {});
  nowhere cut("nowhere");
  tlm::tlm_target_socket<bus_width_bits>* unit = nullptr;
  testbench::protocol_monitor<> monitor("monitor");
  platforms::machine m(d->parameters, platforms::mode::at, isa::target::gfx900, nullptr, false, [&](const std::string& edge, auto& from, auto& to) {
    if (edge != "dispatcher-cu0") { from.bind(to); return; }
    from.bind(cut.in.socket);
    unit = &to;
  });
  context c = m.context();
  traffic_parameters t;
  t.pattern = "recorded";
  t.file = r.file();
  t.window = 1000;
  traffic_source source("launcher", c, t);
  source.out.socket.bind(monitor.in);
  monitor.out.bind(*unit);
  dispatch::machine_limits limits;
  limits.waves = m.wave_slots();
  dispatch::loaded_job job(dispatch::load_job(directories::source() + "/testbench/cases/ocl/" + name + "/job.toml"), m, limits);
  m.code() = compute_unit::code_cache(job.code_target());
  sc_core::sc_start();
  BOOST_TEST(source.done());
  BOOST_TEST(source.statistics().answers > 0u);
  BOOST_TEST(source.statistics().errors == 0u);
  for (const auto& f : m.run_state().faults) BOOST_ERROR(f.text);
  for (const auto& e : dispatch::check_all(job, m)) BOOST_TEST(e.passed(), e.text);
  BOOST_TEST(monitor.clean(), monitor.report());
  for (const auto& n : counters)
    for (const auto& e : m.statistics().entries())
      if (e.path == "cu0." + n) BOOST_TEST(*e.value == r.counter("cu0", n), e.path << ": " << *e.value << ", in the machine " << r.counter("cu0", n));
}
} // namespace

BOOST_AUTO_TEST_CASE(a_compute_unit_alone_runs_workgroups_from_a_file) { play_launches("mm_lds", {"waves", "instructions", "valu", "lds", "busy_cycles", "stall_barrier", "wave_cycles"}); }
BOOST_AUTO_TEST_CASE(launches_of_two_dispatches_are_recorded) { // the caches' maintenance between them is on other edges: not the same cycles
  play_launches("histogram", {"waves", "instructions", "flat", "vmem", "smem"});
}
