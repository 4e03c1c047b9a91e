// SPDX-License-Identifier: Apache-2.0
// Scalar memory: what one wave issues and what a K$ takes (perftest's uniform loads: table_perftest.cpp).
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string clrx = "CLRX GcnTimings", gcn = "GCN1-3";

} // namespace

void add_scalar(std::vector<benchmark>& rows) {
  using c = confidence;
  clocks_row(rows, "scalar.requests", "s_load_dword, 3 CUs: requests a clock of the K$", "smem_x1_7").cus(3).cu(10, 256).counting("smem").with("dispatcher.shader_engines=1").as(figure::rate_machine).published(1, c::vendor, "soc_gfx906.py (Omniperf)", "gfx906").unit = "1/clk";
  clocks_row(rows, "scalar.bandwidth", "s_load_dwordx16, 3 CUs: bytes a clock of the K$", "smem_x16_7").cus(3).cu(10, 256).counting("smem").with("dispatcher.shader_engines=1").as(figure::bytes_machine, 64).published(64, c::vendor, "soc_gfx906.py (Omniperf)", "gfx906").unit = "B/clk";
  for (const auto& [op, l, h] : {std::tuple{"x1", 4.0, 4.0}, {"x2", 4.0, 4.0}, {"x4", 4.0, 4.0}, {"x8", 8.0, 8.0}, {"x16", 16.0, 24.0}, {"time", 4.0, 4.0}}) {
    auto& b = clocks_row(rows, std::string("scalar.issue_") + op, std::string(op[0] == 't' ? "s_memtime" : "s_load ") + (op[0] == 't' ? "" : op) + ", one wave: seven in a burst less one", std::string("smem_") + op + "_7").one_wave().loops(8)
                  .published(l, h, c::measured, clrx, gcn);
    measurement one = b.measurement;
    one.kernel = std::string("smem_") + op + "_1";
    b.minus(one, 6);
  }
  clocks_row(rows, "scalar.issue_inv", "s_dcache_inv, one wave", "smem_inv").one_wave().published(4, c::measured, clrx, gcn);
}

} // namespace lyra::platforms::bench
