// SPDX-License-Identifier: Apache-2.0
#include "dispatch/expectation.h"
#include "observe/input_error.h"
#include "platforms/dpi/blocks.h"
#include "platforms/dpi/lyra_dpi.h"
#include "rtl/implementations.h"
#include <fstream>
#include <iterator>
#include <sstream>

using namespace lyra;
using namespace lyra::platforms;
using namespace lyra::platforms::dpi;

// SystemC's library wants an sc_main, for its own main; the testbench's main runs here.
extern "C" __attribute__((weak)) int sc_main(int, char**) { return 1; }

namespace lyra::platforms::dpi {

design::design() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  rtl::implementations::instance().memory["pins"] = {512, 16, [this](const std::string&, rtl::memory_array&) -> std::unique_ptr<rtl::axi_block> {
    auto p = std::make_unique<caller_pins>();
    pins.push_back(p.get());
    return p;
  }};
}
design::~design() = default;

design& the_design() {
  static design* s = new design; // never taken apart: the simulator ends as it likes
  return *s;
}

namespace {
[[noreturn]] void nothing_open() { throw std::runtime_error("nothing is open: call lyra_open or lyra_open_block first"); }
platforms::machine& the_machine(design& s) {
  if (!s.machine) throw std::runtime_error("no machine is open: call lyra_open first");
  return *s.machine;
}
/// For dispatches.
void must_run(const char* call) {
  if (fabric::in_reset()) throw std::runtime_error(std::string(call) + ": reset is asserted; let it pass first (lyra_advance)");
}
} // namespace

memory::backing_store& design::store() {
  if (machine) return machine->store();
  if (!l2.empty()) return l2.front()->world.store;
  nothing_open();
}
const observe::statistics& design::statistics() {
  if (machine) return machine->statistics();
  if (lds) return lds->world.statistics;
  if (!l2.empty()) return l2.front()->world.statistics;
  nothing_open();
}
fabric::run_state& design::run_state() {
  if (machine) return machine->run_state();
  if (lds) return lds->world.run;
  if (!l2.empty()) return l2.front()->world.run;
  nothing_open();
}

void design::pass(fabric::picoseconds end) {
  if (!tick) {
    tick = std::make_unique<sc_core::sc_event>();
    sc_core::sc_spawn_options o;
    o.spawn_method();
    o.set_sensitivity(tick.get());
    o.dont_initialize();
    sc_core::sc_spawn([] {}, "lyra_tick", &o);
  }
  const sc_core::sc_time left = fabric::to_sc_time(end - fabric::kernel_ps());
  tick->cancel();
  tick->notify(left);
  sc_core::sc_start(left);
}

/// The first fault, if there is one, as the error.
static bool faulted(design& s) {
  const auto& f = s.run_state().faults;
  if (f.empty()) return false;
  s.error = f.front().id + ": " + f.front().text;
  return true;
}

static std::vector<std::string> words(const char* text) {
  std::istringstream in(text ? text : "");
  return {std::istream_iterator<std::string>(in), {}};
}

} // namespace lyra::platforms::dpi

extern "C" {

const char* lyra_error(void) { return the_design().error.c_str(); }

int lyra_open(const char* machine_name, const char* settings) {
  return guarded([&](design& s) {
    if (s.machine) throw std::runtime_error("a machine is open: one design a process");
    s.described = load_machine(machine_name, words(settings));
    const isa::target chip = s.described->parameters.system.chip == "gfx906" ? isa::target::gfx906 : isa::target::gfx900;
    s.described->parameters.system.lookahead = "off"; // a testbench looks at any time
    s.machine = std::make_unique<platforms::machine>(s.described->parameters, mode::at, chip);
    s.machine->run_state().on_stop = [] { sc_core::sc_pause(); };
    return 0;
  });
}

int lyra_open_block(const char* block, const char* machine, const char* settings, int data_bits) {
  return guarded([&](design& s) {
    const std::string b = block;
    if (b == "lds") return open_lds(s, machine, words(settings));
    if (b == "l2") return open_l2(s, machine, words(settings), unsigned(data_bits));
    throw observe::input_error("lyra_open_block", "\"" + b + "\" is no block that stands alone: give lds or l2");
  });
}

int lyra_load_job(const char* file) {
  return guarded([&](design& s) {
    auto& m = the_machine(s);
    dispatch::machine_limits limits;
    limits.chip = s.described->parameters.system.chip == "gfx906" ? isa::target::gfx906 : isa::target::gfx900;
    limits.waves = m.wave_slots();
    const dispatch::job job = dispatch::load_job(file);
    if (s.job && s.clean) s.job->unload(m);
    s.job = std::make_unique<dispatch::loaded_job>(job, m, limits);
    m.code() = compute_unit::code_cache(s.job->code_target());
    return 0;
  });
}

int lyra_load_file(const char* file, long long address) {
  return guarded([&](design& s) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw observe::input_error(file, "no such file");
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    s.store().map(uint64_t(address), bytes.size());
    if (s.machine) s.machine->write(uint64_t(address), bytes.data(), bytes.size());
    else s.store().write(uint64_t(address), bytes.data(), bytes.size());
    return int(bytes.size());
  });
}

int lyra_dispatch(long long entry, int grid, int workgroup, int vgprs, int sgprs, int lds_bytes, const unsigned* user_sgprs, int count) {
  return guarded([&](design& s) {
    auto& m = the_machine(s);
    if (grid < 1 || workgroup < 1 || workgroup > 1024 || count < 0 || count > 16) throw observe::input_error("lyra_dispatch", "grid and workgroup must be 1 or more (workgroup up to 1024), user SGPRs 0 to 16");
    must_run("lyra_dispatch");
    s.clean = false;
    auto p = std::make_unique<fabric::dispatch_packet>();
    p->id = uint32_t(s.packets.size());
    p->kernel = "raw code";
    p->entry_pc = uint64_t(entry);
    p->grid[0] = uint32_t(grid);
    p->workgroup[0] = uint32_t(workgroup);
    p->vgprs = unsigned(vgprs);
    p->sgprs = unsigned(sgprs);
    p->lds_bytes = uint32_t(lds_bytes);
    p->user_sgprs.assign(user_sgprs, user_sgprs + count);
    s.pass(fabric::kernel_ps());
    m.dispatcher().submit(*p);
    s.packets.push_back(std::move(p));
    return 0;
  });
}

int lyra_start(void) {
  return guarded([&](design& s) {
    auto& m = the_machine(s);
    if (!s.job) throw std::runtime_error("no job is loaded: call lyra_load_job first");
    must_run("lyra_start");
    s.clean = false;
    s.pass(fabric::kernel_ps());
    m.dispatcher().set_scratch_slots(s.job->scratch_slots());
    for (const auto& p : s.job->packets()) m.dispatcher().submit(*p);
    return 0;
  });
}

int lyra_done(void) {
  return guarded([](design& s) { return faulted(s) ? -1 : int(the_machine(s).dispatcher().done() && !fabric::in_reset()); });
}

int lyra_check(void) {
  return guarded([](design& s) {
    auto& m = the_machine(s);
    if (!s.job) throw std::runtime_error("no job is loaded");
    int wrong = 0;
    for (const auto& e : dispatch::check_all(*s.job, m))
      if (!e.passed()) { s.error = e.text; ++wrong; }
    return wrong;
  });
}

int lyra_advance(long long ps) {
  return guarded([&](design& s) {
    if (ps < 0) throw observe::input_error("lyra_advance", "time does not go back");
    const uint64_t end = fabric::kernel_ps() + uint64_t(ps);
    do { // again where something paused
      s.pass(fabric::in_reset() ? std::min<uint64_t>(end, s.reset_end) : end);
      if (!fabric::in_reset() || fabric::kernel_ps() < s.reset_end) continue;
      if (s.machine) s.machine->release_reset();
      else fabric::release_reset();
    } while (fabric::kernel_ps() < end && !faulted(s));
    if (faulted(s)) return -1;
    for (const auto& b : s.l2)
      if (!b->slave.error().empty()) { s.error = b->slave.error(); return -1; }
    return 0;
  });
}

long long lyra_time_ps(void) { return (long long)fabric::kernel_ps(); }

int lyra_reset(int cycles) {
  return guarded([&](design& s) {
    if (cycles < 1) throw observe::input_error("lyra_reset", "reset is asserted for one cycle or more");
    s.statistics(); // something must be open
    if (!s.tick) s.pass(fabric::kernel_ps()); // elaborates
    if (s.machine) s.machine->assert_reset();
    else fabric::assert_reset();
    s.packets.clear();
    s.clean = true;
    s.reset_end = fabric::kernel_ps() + fabric::clock_domain::from_mhz(s.described->parameters.system.core_mhz).at(unsigned(cycles));
    return 0;
  });
}

int lyra_map(long long address, long long bytes) {
  return guarded([&](design& s) { s.store().map(uint64_t(address), uint64_t(bytes)); return 0; });
}

long long lyra_read64(long long address) {
  uint64_t v = 0;
  guarded([&](design& s) {
    if (s.machine) s.machine->read(uint64_t(address), &v, 8);
    else if (!s.l2.empty()) s.l2.front()->read(uint64_t(address), &v, 8);
    else s.store().read(uint64_t(address), &v, 8);
    return 0;
  });
  return (long long)v;
}

int lyra_write64(long long address, long long value) {
  return guarded([&](design& s) {
    if (s.machine) s.machine->write(uint64_t(address), &value, 8);
    else s.store().write(uint64_t(address), &value, 8);
    return 0;
  });
}

int lyra_store_read(long long address, unsigned* data) {
  return guarded([&](design& s) { return store_array(s.store()).read(uint64_t(address) & ~uint64_t(63), reinterpret_cast<uint8_t*>(data), 64) ? 0 : 1; });
}

int lyra_store_write(long long address, const unsigned* data, long long strobe) {
  return guarded([&](design& s) { return store_array(s.store()).write(uint64_t(address) & ~uint64_t(63), reinterpret_cast<const uint8_t*>(data), uint64_t(strobe), 64) ? 0 : 1; });
}

long long lyra_statistic(const char* path) {
  long long v = -1;
  guarded([&](design& s) {
    if (s.machine) s.machine->close_statistics();
    for (const auto& e : s.statistics().entries())
      if (e.path == path) { v = (long long)*e.value; return 0; }
    throw observe::input_error(path, "no such counter (lyra stats --list shows the names)");
  });
  return v;
}

} // extern "C"
