// SPDX-License-Identifier: Apache-2.0
// LDS and GDS rates.
#include "platforms/bench/benchmark.h"
#include <fmt/format.h>

namespace lyra::platforms::bench {

namespace {

const std::string clrx = "CLRX GcnTimings", gcn = "GCN1-3";

benchmark& rate(std::vector<benchmark>& rows, std::string name, std::string meaning, std::string kernel, unsigned element) {
  return clocks_row(rows, std::move(name), std::move(meaning), std::move(kernel)).lds(16384).lanes(pattern::strided, element);
}

} // namespace

void add_lds(std::vector<benchmark>& rows) {
  using c = confidence;
  struct entry { const char* op; unsigned element; double cu, wave; const char* also; };
  const entry entries[] = {
    {"read_b32", 4, 2, 4, ""}, {"read_u8", 1, 2, 4, ""}, {"read_u16", 2, 2, 4, ""}, {"swizzle", 4, 2, 4, ""},
    {"read_b64", 8, 4, 8, ""}, {"read2_b32", 4, 4, 8, ""}, {"read_b96", 16, 8, 16, ""}, {"read_b128", 16, 8, 16, ""}, {"read2_b64", 8, 8, 16, ""},
    {"write_b8", 1, 4, 8, ""}, {"write_b16", 2, 4, 8, ""}, {"write_b32", 4, 4, 8, ""}, {"write_b64", 8, 6, 12, "its own table says 8; 12-clk siblings say 6"}, {"write2_b32", 4, 6, 12, ""},
    {"write_b96", 16, 10, 16, ""}, {"write_b128", 16, 10, 20, ""}, {"write2_b64", 8, 10, 20, ""},
    {"add_u32", 4, 4, 8, ""}, {"add_rtn_u32", 4, 4, 8, ""}, {"add_u64", 8, 6, 12, ""}, {"add_rtn_u64", 8, 6, 12, ""}, {"cmpst_b32", 4, 6, 12, ""}, {"mskor_b32", 4, 6, 12, ""},
    {"cmpst_b64", 8, 10, 20, ""}, {"mskor_b64", 8, 10, 20, ""}, {"wrxchg2_b32", 4, 6, 12, ""}, {"wrxchg2_b64", 8, 12, 20, ""},
  };
  for (const auto& e : entries)
    rate(rows, std::string("lds.") + e.op, std::string("ds_") + e.op + ", clocks an instruction of a CU", std::string("lds_") + e.op, e.element).published(e.cu, c::measured, clrx, gcn).also(e.also);
  for (const auto& e : entries)
    rate(rows, std::string("lds.wave_") + e.op, std::string("ds_") + e.op + ", one wave alone", std::string("lds_") + e.op, e.element).one_wave().published(e.wave, c::measured, clrx, gcn);
  for (const auto& [op, bytes] : {std::pair{"read_b32", 256u}, {"read_b64", 512u}, {"read_b128", 1024u}})
    rate(rows, std::string("lds.bandwidth_") + op, std::string("ds_") + op + ", bytes a clock and CU", std::string("lds_") + op, bytes / 64).as(figure::bytes_compute_unit, bytes)
        .published(128, c::vendor, "Vega ISA, Omniperf", "Vega").also(op[6] == '3' ? "wiki-gfx906: 18..38 B/clk" : op[6] == '6' ? "wiki-gfx906: 42..85 B/clk" : "wiki-gfx906: 92..108 B/clk").unit = "B/clk";
  for (const auto& b : {std::pair{"read_b32", 256u}, {"read_b128", 1024u}})
    rate(rows, std::string("lds.path_") + b.first, std::string("ds_") + b.first + ", one wave: one of two 64-byte paths", std::string("lds_") + b.first, b.second / 64).one_wave()
        .as(figure::bytes_compute_unit, b.second).published(64, c::vendor, "Omniperf", "GCN, CDNA").unit = "B/clk";
  for (unsigned stride = 8; stride <= 128; stride *= 2)
    rate(rows, fmt::format("lds.conflict_{}B", stride), fmt::format("ds_read_b32, lanes {} bytes apart: {} passes", stride, stride / 2), "lds_read_b32", stride)
        .published(stride / 2, stride == 128 ? c::vendor : c::inferred, "Vega ISA 10.3.3; AMD APP guide (half-waves)", "Vega")
        .also(stride == 128 ? "AMD (MI300X): 106 a read in a burst of 64, 62 saturated" : "").because("predicted: 32 banks, half-waves of 32 lanes");
  rate(rows, "lds.same_address", "ds_read_b32, all lanes one address", "lds_read_b32", 0).published(2, c::vendor, "Omniperf: a broadcast, no conflict", "GCN, CDNA");
  rate(rows, "lds.bpermute", "ds_bpermute_b32", "lds_bpermute", 4).published(6.6, 6.9, c::measured_low, "wiki-gfx906: 962 to 970 Gexchanges/s", "gfx906, 1725 MHz").also("CLRX has permutes with the writes: 4")
      .unjudged("its loop is not published, and holds more than the permute: an exchange by LDS write, barriers and read takes only 7.3 in the same source");
  rate(rows, "gds.read_b32", "ds_read_b32 gds, 16 CUs, clocks an instruction of the GDS", "gds_read_b32", 4).cus(16).cu(1, 256).as(figure::machine).published(2, c::vendor, "Vega ISA: 32 banks, 128 B/clk", "Vega");
}

} // namespace lyra::platforms::bench
