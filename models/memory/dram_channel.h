// SPDX-License-Identifier: Apache-2.0
// One DRAM channel: timing by a fixed latency and bandwidth or by an HBM2 device model; the bytes are in the backing store.
#pragma once
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/parameters.h"
#include "fabric/ports.h"
#include "fabric/ring.h"
#include "fabric/time_wheel.h"
#include "memory/backing_store.h"
#include "memory/hbm2_scheduler.h"

namespace lyra::memory {

struct dram_parameters {
  std::string model = "fixed";
  double latency_ns = 193;
  double bandwidth_gbps = 30.25;
  unsigned queue_depth = 256;
  unsigned access_bytes = 32;
  double request_path_ns = 76, response_path_ns = 76;
  unsigned pseudo_channels = 2, pseudo_channel_interleave_bytes = 256, bus_bits = 64;
  bool posted_writes = true;
  unsigned banks = 16, bank_groups = 4, row_bytes = 1024;
  double tRCD_ns = 14, tRP_ns = 14, tRAS_ns = 33, tCL_ns = 14, tCWL_ns = 4, tRRD_S_ns = 4, tRRD_L_ns = 6, tFAW_ns = 16, tWR_ns = 16, tWTR_S_ns = 2.5, tWTR_L_ns = 7.5, tRTP_ns = 5;
  unsigned tCCD_S_cycles = 2, tCCD_L_cycles = 4, turnaround_cycles = 2;
  std::string refresh = "all_bank";
  double tREFI_ns = 3900, tRFC_ns = 260, tRFCpb_ns = 160;
  std::string address_map = "interleaved";
  unsigned bank_interleave_bytes = 1024;
  bool bank_hash = true;
  unsigned scheduler_window = 64, write_high_watermark = 32, write_low_watermark = 8, max_bypass = 256;
  // where the channel stands in the machine: set by who builds it, not described
  unsigned channels = 1, channel_interleave_bytes = 256;

  template <class V> void describe(V&& v) {
    v("model", model, {"", 0, 0, "fixed|hbm2", "", "timing model: fixed latency and bandwidth, or HBM2 banks and bus"});
    v("latency_ns", latency_ns, {"ns", 1, 100000, nullptr, "MI100 pointer chase: DRAM 378 ns less L2 185 ns (gpu-benches)", "fixed: from request to response, as the L2 sees it"});
    v("bandwidth_gbps", bandwidth_gbps, {"GB/s", 0.1, 10000, nullptr, "Vega 64: 484 GB/s over 16 channels", "fixed: bytes a second of this channel"});
    v("queue_depth", queue_depth, {"requests", 1, 4096, nullptr, "assumed", "requests that wait for service; further ones are held back"});
    v("access_bytes", access_bytes, {"bytes", 16, 64, nullptr, "counter names of Vega 10: 32- and 64-byte requests", "smallest piece that is transferred"});
    v("request_path_ns", request_path_ns, {"ns", 0, 100000, nullptr, "half of what is left of latency_ns after tRCD, tCL, the burst and 9 ns for refresh", "hbm2: data fabric and controller in front of the device"});
    v("response_path_ns", response_path_ns, {"ns", 0, 100000, nullptr, "the other half", "hbm2: way back"});
    v("pseudo_channels", pseudo_channels, {"", 1, 16, nullptr, "JESD235: 2 of 64 bits in a channel; a stack of HBM2 has 8 channels", "hbm2: pseudo channels behind an L2 channel, each with its banks and its bus"});
    v("pseudo_channel_interleave_bytes", pseudo_channel_interleave_bytes, {"bytes", 64, 65536, nullptr, "Linux amdgpu_umc.h: blocks of 256 bytes alternate over the channels", "hbm2: bytes of the L2 channel before the next pseudo channel"});
    v("bus_bits", bus_bits, {"bits", 32, 1024, nullptr, "JESD235: a pseudo channel", "hbm2: width of a data bus, two transfers a clock"});
    v("posted_writes", posted_writes, {"", 0, 1, nullptr, "assumed", "hbm2: a write is acknowledged when the controller has it, not when the banks have it"});
    v("banks", banks, {"banks", 1, 64, nullptr, "JESD235", "hbm2: banks of a pseudo channel"});
    v("bank_groups", bank_groups, {"groups", 1, 16, nullptr, "JESD235", "hbm2: bank groups"});
    v("row_bytes", row_bytes, {"bytes", 256, 16384, nullptr, "JESD235: 1 KB page of a pseudo channel", "hbm2: bytes of a row"});
    v("tRCD_ns", tRCD_ns, {"ns", 0, 1000, nullptr, "DRAMsim3, HBM2_8Gb_x128", "activate to column command"});
    v("tRP_ns", tRP_ns, {"ns", 0, 1000, nullptr, "DRAMsim3, gem5", "precharge"});
    v("tRAS_ns", tRAS_ns, {"ns", 0, 1000, nullptr, "DRAMsim3: 34; gem5: 28 to 33", "activate to precharge"});
    v("tCL_ns", tCL_ns, {"ns", 0, 1000, nullptr, "DRAMsim3; gem5: 18", "read command to data"});
    v("tCWL_ns", tCWL_ns, {"ns", 0, 1000, nullptr, "DRAMsim3; gem5: 7", "write command to data"});
    v("tRRD_S_ns", tRRD_S_ns, {"ns", 0, 1000, nullptr, "DRAMsim3, gem5", "activate to activate, other bank group"});
    v("tRRD_L_ns", tRRD_L_ns, {"ns", 0, 1000, nullptr, "DRAMsim3, gem5", "activate to activate, same bank group"});
    v("tFAW_ns", tFAW_ns, {"ns", 0, 1000, nullptr, "gem5, a pseudo channel; Ramulator 2: 15", "window of four activates"});
    v("tWR_ns", tWR_ns, {"ns", 0, 1000, nullptr, "DRAMsim3; gem5: 14", "end of write data to precharge"});
    v("tWTR_S_ns", tWTR_S_ns, {"ns", 0, 1000, nullptr, "Ramulator 2: 3 clk; gem5: 4", "end of write data to read, other bank group"});
    v("tWTR_L_ns", tWTR_L_ns, {"ns", 0, 1000, nullptr, "DRAMsim3: 8; gem5: 9", "end of write data to read, same bank group"});
    v("tRTP_ns", tRTP_ns, {"ns", 0, 1000, nullptr, "gem5", "read to precharge"});
    v("tCCD_S_cycles", tCCD_S_cycles, {"memory clocks", 1, 16, nullptr, "JESD235: burst of 4 on a pseudo channel", "burst to burst, other bank group"});
    v("tCCD_L_cycles", tCCD_L_cycles, {"memory clocks", 1, 16, nullptr, "DRAMsim3: twice tCCD_S; gem5: 3", "burst to burst, same bank group"});
    v("turnaround_cycles", turnaround_cycles, {"memory clocks", 0, 64, nullptr, "assumed", "idle bus clocks from read to write data"});
    v("refresh", refresh, {"", 0, 0, "off|all_bank|per_bank", "JESD235", "how rows are refreshed"});
    v("tREFI_ns", tREFI_ns, {"ns", 100, 1e6, nullptr, "JESD235", "refresh interval"});
    v("tRFC_ns", tRFC_ns, {"ns", 0, 10000, nullptr, "JESD235: 260 at 4 Gb a channel, 350 at 8 Gb", "length of an all-bank refresh"});
    v("tRFCpb_ns", tRFCpb_ns, {"ns", 0, 10000, nullptr, "Ramulator 2", "length of a refresh of one bank"});
    v("address_map", address_map, {"", 0, 0, "interleaved|contiguous", "assumed", "interleaved: banks alternate each bank_interleave_bytes; contiguous: a bank is one run of rows"});
    v("bank_interleave_bytes", bank_interleave_bytes, {"bytes", 64, 16384, nullptr, "assumed: a whole row", "interleaved: bytes of the pseudo channel before the next bank (at most row_bytes)"});
    v("bank_hash", bank_hash, {"", 0, 1, nullptr, "assumed", "bank number XOR low bits of the row"});
    v("scheduler_window", scheduler_window, {"requests", 1, 256, nullptr, "assumed", "hbm2: requests of a pseudo channel among which the next one is chosen; others wait in front, in order"});
    v("max_bypass", max_bypass, {"requests", 1, 1e6, nullptr, "assumed", "hbm2: after so many younger ones the oldest request goes first"});
    v("write_high_watermark", write_high_watermark, {"requests", 1, 4096, nullptr, "assumed", "hbm2: waiting writes at which writes go first"});
    v("write_low_watermark", write_low_watermark, {"requests", 0, 4096, nullptr, "assumed", "hbm2: waiting writes at which reads go first again"});
  }
};

struct dram_statistics {
  uint64_t reads = 0, writes = 0, read_bytes = 0, written_bytes = 0, transferred_bytes = 0, row_hits = 0, row_closed = 0, row_conflicts = 0, refreshes = 0, turnarounds = 0,
           bus_busy_ps = 0, wait_ps = 0, queue_max = 0, held_back = 0, errors = 0, non_resident = 0;
  template <class V> void describe(V&& v) {
    v("reads", reads, "requests", "reads served");
    v("writes", writes, "requests", "writes served");
    v("read_bytes", read_bytes, "bytes", "bytes asked for by reads");
    v("written_bytes", written_bytes, "bytes", "bytes stored (enabled bytes)");
    v("transferred_bytes", transferred_bytes, "bytes", "bytes moved over the bus, in pieces of access_bytes");
    v("row_hits", row_hits, "requests", "hbm2: the row was open");
    v("row_closed", row_closed, "requests", "hbm2: no row was open in the bank");
    v("row_conflicts", row_conflicts, "requests", "hbm2: another row was open");
    v("refreshes", refreshes, "refreshes", "hbm2: refreshes done");
    v("turnarounds", turnarounds, "turnarounds", "hbm2: changes between reading and writing");
    v("bus_busy_ps", bus_busy_ps, "ps", "time the data bus carried data");
    v("wait_ps", wait_ps, "ps", "sum over requests of the time before service");
    v("queue_max", queue_max, "requests", "most requests that waited at once");
    v("held_back", held_back, "requests", "requests whose acceptance had to wait for room");
    v("errors", errors, "requests", "requests to addresses that are not mapped, or writes to read-only pages");
    v("non_resident", non_resident, "requests", "requests to pages without memory (reads 0, writes dropped)");
  }
};

/// Pseudo channel, bank and row of an address, by the parameters. Plain.
class dram_address_map {
public:
  struct place : dram_place { uint32_t pseudo_channel; };
  explicit dram_address_map(const dram_parameters& p);
  place operator()(uint64_t address) const;

private:
  uint64_t interleave_, channels_, pseudo_interleave_, pseudo_channels_, bank_interleave_, row_bytes_, banks_;
  bool contiguous_, hash_;
};

/// Target of READ and WRITE, with byte enables. IGNORE: COMMAND_ERROR. Not mapped, or a write to a read-only page: ADDRESS_ERROR; a page without
/// memory reads 0 and drops writes. DMI grants the run of equal pages of the 64 KB chunk.
/// fixed: requests in order, one after the other at the channel's bandwidth, each answered latency_ns after its service began.
/// hbm2: after request_path_ns a request is with its pseudo channel's scheduler (hbm2_scheduler.h), which commits its commands together, up to tRP + tRCD + tCL ahead of the
/// bus; the answer leaves response_path_ns after its data. A posted write (no older read of its line waits) is answered as soon as the scheduler has it.
class dram_channel : public fabric::timed_module, public fabric::request_server {
public:
  dram_channel(sc_core::sc_module_name name, const fabric::context& context, backing_store& store, const dram_parameters& parameters);
  fabric::target_port in;
  const dram_statistics& statistics() const { return statistics_; }

private:
  struct waiting { ///< fixed
    fabric::payload* p;
    fabric::picoseconds arrival;
    uint16_t pieces; ///< of access_bytes
  };
  struct pseudo_channel { ///< hbm2
    hbm2_scheduler scheduler;
    fabric::ring<dram_request> arriving; ///< not with the scheduler yet
  };

  fabric::request_answer on_request(unsigned port, fabric::payload& p, fabric::picoseconds& at) override;
  void b_transport(unsigned port, fabric::payload& p, sc_core::sc_time& delay) override;
  unsigned transport_dbg(unsigned port, fabric::payload& p) override;
  bool get_direct_mem_ptr(unsigned port, fabric::payload& p, tlm::tlm_dmi& dmi) override;
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override;
  void on_reset() override;
  void make_pseudo_channels();

  void enqueue(fabric::payload& p, fabric::picoseconds arrival);
  fabric::cycle_t serve_fixed(fabric::cycle_t cycle);
  fabric::cycle_t serve_hbm2(fabric::cycle_t cycle);
  fabric::cycle_t serve(pseudo_channel& c, fabric::cycle_t cycle);
  void release_held(fabric::cycle_t cycle);
  void access(fabric::payload& p);
  unsigned pieces(const fabric::payload& p) const;

  dram_parameters parameters_;
  backing_store& store_;
  bool hbm2_;
  fabric::chaos_source chaos_;
  uint32_t number_;
  uint64_t draws_ = 0;
  fabric::ring<waiting> queue_;
  std::vector<pseudo_channel> pseudo_channels_;
  size_t waiting_count_ = 0;
  bool dmi_granted_ = false;
  fabric::payload* held_ = nullptr;
  fabric::picoseconds held_at_ = 0, last_arrival_ = 0, bus_free_ps_ = 0, latency_ps_, request_path_ps_, response_path_ps_;
  dram_address_map map_;
  hbm2_cycles cycles_;
  unsigned lookahead_, clock_bytes_;
  dram_statistics statistics_;
  observe::signal depth_signal_, busy_signal_, write_signal_;
};

} // namespace lyra::memory
