// SPDX-License-Identifier: Apache-2.0
// The C interface from a program that has its own main and no SystemC of its own: raw code loaded and launched, memory and counters read, errors in words.
#include "platforms/dpi/lyra_dpi.h"
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {
int failures = 0;
void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("dpi_calls: FAILED: %s; lyra_error: %s\n", what, lyra_error());
}
bool says(const char* text) { return std::strstr(lyra_error(), text) != nullptr; }

// s[0:1]: out. out[i] = 3 * i for 64 work-items
const unsigned code[] = {0x24020082,             // v_lshlrev_b32_e32 v1, 2, v0
                         0x7e060201,             // v_mov_b32_e32 v3, s1
                         0x32040200,             // v_add_co_u32_e32 v2, vcc, s0, v1
                         0x38060680,             // v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
                         0xd2850004, 0x00020083, // v_mul_lo_u32 v4, 3, v0
                         0xdc708000, 0x007f0402, // global_store_dword v[2:3], v4, off
                         0xbf810000};            // s_endpgm
} // namespace

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "/tmp/lyra_dpi_calls.bin";
  std::FILE* f = std::fopen(file, "wb");
  std::fwrite(code, 1, sizeof code, f);
  std::fclose(f);

  check(lyra_start() < 0 && says("call lyra_open first"), "nothing is open");
  check(lyra_open("vega99", "") < 0 && says("no such machine"), "a machine that does not exist");
  check(lyra_open("cu", "l2.chanels=2") < 0 && says("did you mean"), "a setting that does not exist");
  check(lyra_open_block("gds", "cu", "", 0) < 0 && says("give lds or l2"), "a block that does not stand alone");
  check(lyra_open("cu", "l2.hit_latency_cycles=120 memory.latency_ns=100") == 0, "a machine with two settings");
  check(lyra_open("cu", "") < 0 && says("one design a process"), "a second machine");
  check(lyra_load_job("/nowhere/job.toml") < 0, "a job that does not exist");

  const long long code_at = 0x10000000, out = 0x20000000;
  check(lyra_load_file(file, code_at) == int(sizeof code), "code loaded");
  check(lyra_map(out, 4096) == 0, "buffer mapped");
  check(lyra_write64(out + 256, 0x1122334455667788) == 0, "written");
  const unsigned sgprs[2] = {unsigned(out), 0};
  check(lyra_dispatch(code_at, 64, 64, 8, 16, 0, sgprs, 2) == 0, "dispatched");
  check(lyra_dispatch(code_at, 64, 2000, 8, 16, 0, sgprs, 2) < 0 && says("up to 1024"), "a workgroup too large");
  int done = 0;
  for (int i = 0; i < 1000 && done == 0; ++i) {
    check(lyra_advance(100000) == 0, "advance");
    done = lyra_done();
  }
  check(done == 1, "the launch ends");
  for (unsigned i = 0; i < 64; i += 2) check(lyra_read64(out + 4 * i) == ((long long)(3 * i + 3) << 32 | 3 * i), "result");
  check(lyra_read64(out + 256) == 0x1122334455667788, "what was written before stays");
  check(lyra_statistic("dispatcher.workgroups") >= 1 || lyra_statistic("cu0.sequencer.waves") >= 1 || lyra_statistic("l2_0.cache.writes") >= 1, "counters");
  check(lyra_statistic("l2_0.cache.reeds") == -1 && says("no such counter"), "a counter that does not exist");
  check(lyra_time_ps() > 0 && lyra_time_ps() % 100000 == 0, "time is the caller's");
  check(lyra_advance(-1) < 0, "time does not go back");
  unsigned pins[25];
  check(lyra_axi_master_pins(0, pins) < 0 && says("memory.implementation=rtl:pins"), "pins of a machine without");
  // a launch at nothing: the fault has words, and time stands
  check(lyra_dispatch(0x30000000, 64, 64, 8, 16, 0, sgprs, 2) == 0, "dispatched to nothing");
  check(lyra_advance(10000000) < 0 && says("lyra/fault/"), "a fault ends the run");
  check(lyra_done() < 0, "and stays");
  // a reset forgets the fault; memory keeps its bytes, and the same launch takes the same cycles again and again
  check(lyra_reset(0) < 0 && says("one cycle or more"), "a reset of no length");
  check(lyra_reset(10) == 0, "reset");
  check(lyra_done() == 0 && lyra_statistic("dispatcher.groups") == 0, "nothing has been done since");
  check(lyra_dispatch(code_at, 64, 64, 8, 16, 0, sgprs, 2) < 0 && says("reset is asserted"), "no launch in reset");
  check(lyra_read64(out + 256) == 0x1122334455667788 && lyra_write64(out + 264, 5) == 0, "memory in reset");
  const long long before = lyra_time_ps();
  check(lyra_advance(5 * 667) == 0 && lyra_dispatch(code_at, 64, 64, 8, 16, 0, sgprs, 2) < 0, "half of it has passed");
  check(lyra_advance(5 * 667) == 0 && lyra_time_ps() == before + 10 * 667, "the caller's time goes on");
  const auto launch = [&](int stop_at) {
    check(lyra_dispatch(code_at, 64, 64, 8, 16, 0, sgprs, 2) == 0, "dispatched behind a reset");
    for (int i = 0; i < 10000; ++i) {
      check(lyra_advance(667) == 0, "advance");
      if (i == stop_at || lyra_done() != 0) return i;
    }
    return -1;
  };
  const int cycles = launch(-1);
  check(cycles > 2870 && lyra_done() == 1, "the launch ends behind a reset");
  for (unsigned i = 0; i < 64; i += 2) check(lyra_read64(out + 4 * i) == ((long long)(3 * i + 3) << 32 | 3 * i), "result behind a reset");
  check(lyra_read64(out + 264) == 5, "what was written in reset stays");
  const long long waves = lyra_statistic("cu0.waves"), misses = lyra_statistic("l2_0.cache.read_misses");
  for (const int stop_at : {1, 2875, 2990, 3100, cycles - 20, cycles - 1}) {
    check(lyra_reset(3) == 0 && lyra_advance(3 * 667) == 0, "one more reset");
    check(launch(stop_at) == stop_at, "a launch that is cut off");
    check(lyra_reset(1) == 0 && lyra_reset(2) == 0 && lyra_advance(2 * 667) == 0, "a reset in a reset");
    check(launch(-1) == cycles, "as many cycles");
    check(lyra_statistic("cu0.waves") == waves && lyra_statistic("l2_0.cache.read_misses") == misses, "the same counters");
  }
  std::remove(file);
  std::printf("dpi_calls: %s\n", failures ? "FAILED" : "right");
  return failures != 0;
}
