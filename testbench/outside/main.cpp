// SPDX-License-Identifier: Apache-2.0
// A platform outside of Lyra's tree: one compute unit with its caches, an L2 channel and a memory, wired by hand, runs a small kernel.
// `outside noc`: with a network of its own (noc.h) between the caches and L2.
// out[i] = in[63 - i]^2 + k: the loads go through texture unit and L1, k through the scalar cache, the reversal through the LDS.
#include "atomic/atomic_unit.h"
#include "cache/l1.h"
#include "cache/l2_channel.h"
#include "compute_unit/compute_unit.h"
#include "dispatch/dispatcher.h"
#include "fabric/crossbar.h"
#include "gds/gds.h"
#include "lds/lds.h"
#include "memory/backing_store.h"
#include "memory/dram_channel.h"
#include "scalar_cache/instruction_cache.h"
#include "scalar_cache/scalar_cache.h"
#include "texture/texture_unit.h"
#include "noc.h"
#include <cstdio>
#include <cstring>

using namespace lyra;

namespace {

// s[0:1] in, s[2:3] out, s[4:5] k, s6 workgroup id; v0 work-item
const uint32_t code[] = {
    0xc0020202, 0x00000000,   // s_load_dword s8, s[4:5], 0x0
    0x24020082,               // v_lshlrev_b32_e32 v1, 2, v0
    0x7e060201,               // v_mov_b32_e32 v3, s1
    0x32040200,               // v_add_co_u32_e32 v2, vcc, s0, v1
    0x38060680,               // v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
    0xdc508000, 0x047f0002,   // global_load_dword v4, v[2:3], off
    0xbefc00c1,               // s_mov_b32 m0, -1
    0xbf8c0f70,               // s_waitcnt vmcnt(0)
    0xd81a0000, 0x00000401,   // ds_write_b32 v1, v4
    0x6a0a02ff, 0x000000fc,   // v_sub_u32_e32 v5, 0xfc, v1
    0xbf8cc07f,               // s_waitcnt lgkmcnt(0)
    0xd86c0000, 0x04000005,   // ds_read_b32 v4, v5
    0xbf8cc07f,               // s_waitcnt lgkmcnt(0)
    0xd2850004, 0x00020904,   // v_mul_lo_u32 v4, v4, v4
    0x68080808,               // v_add_u32_e32 v4, s8, v4
    0x7e060203,               // v_mov_b32_e32 v3, s3
    0x32040202,               // v_add_co_u32_e32 v2, vcc, s2, v1
    0x38060680,               // v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
    0xdc708000, 0x007f0402,   // global_store_dword v[2:3], v4, off
    0xbf810000,               // s_endpgm
};

constexpr uint64_t code_at = 0x10000000, in_at = 0x20000000, out_at = 0x30000000, k_at = 0x40000000;

/// What all blocks share.
struct machine_context {
  memory::backing_store store;
  observe::statistics statistics;
  fabric::run_state run;
  fabric::payload_pool lines;
  fabric::wave_pool waves;
  fabric::context context;
  machine_context() {
    context.space = &store;
    context.statistics = &statistics;
    context.lines = &lines;
    context.waves = &waves;
    context.run = &run;
    run.on_stop = [] { sc_core::sc_stop(); };
  }
};

} // namespace

int sc_main(int argc, char** argv) {
  const bool own_network = argc > 1 && std::strcmp(argv[1], "noc") == 0;
  machine_context m;
  fabric::context& context = m.context;
  compute_unit::code_cache instructions(isa::target::gfx900);

  // parameters are plain structs: change what you like
  cache::l2_parameters l2_parameters;
  l2_parameters.channels = 1;
  memory::dram_parameters memory_parameters;
  memory_parameters.channels = 1;
  cache::l1_parameters l1_parameters;
  dispatch::dispatcher_parameters dispatcher_parameters;
  dispatcher_parameters.shader_engines = 1;

  compute_unit::compute_unit cu("cu", 0, {}, context, instructions, false);
  texture::texture_unit texture("texture", context, {});
  cache::l1_cache l1("l1", context, l1_parameters);
  lds::local_data_share lds("lds", context, {});
  gds::global_data_share gds("gds", context, {}, 1);
  scalar_cache::data_cache scalar("scalar_cache", context, 1, {});
  scalar_cache::instruction_cache fetch("instruction_cache", context, 1, {});
  // between the caches and L2: Lyra's crossbar, or a network of the user's own
  std::unique_ptr<fabric::crossbar> crossbar;
  std::unique_ptr<shared_bus> bus;
  if (own_network) bus = std::make_unique<shared_bus>("bus", context, 3, 5);
  else crossbar = std::make_unique<fabric::crossbar>("crossbar", context, 3, 1, fabric::crossbar_parameters());
  const auto source = [&](unsigned i) -> auto& { return own_network ? bus->from[i]->socket : crossbar->source_socket(i); };
  cache::l2_channel l2("l2", context, l2_parameters);
  atomic::atomic_unit atomic("atomic", context, {});
  memory::dram_channel memory("memory", context, m.store, memory_parameters);
  dispatch::dispatcher dispatcher("dispatcher", dispatcher_parameters, {}, {1, 1, 1, 1}, m.context);

  cu.vmem_port.socket.bind(texture.wave_port.socket);
  texture.line_port.socket.bind(l1.ta_port.socket);
  l1.td_port.socket.bind(texture.return_port.socket);
  cu.lds_port.socket.bind(lds.cu_port.socket);
  cu.gds_port.socket.bind(gds.cu_port(0).socket);
  cu.smem_port.socket.bind(scalar.cu_port(0).socket);
  cu.fetch_port.socket.bind(fetch.cu_port(0).socket);
  l1.l2_port.socket.bind(source(0));
  scalar.l2_port.socket.bind(source(1));
  fetch.l2_port.socket.bind(source(2));
  if (own_network) bus->to_l2.socket.bind(l2.in.socket);
  else crossbar->channel_socket(0).bind(l2.in.socket);
  l2.atomic.socket.bind(atomic.in.socket);
  l2.memory.socket.bind(memory.in.socket);
  dispatcher.launch_socket(0).bind(cu.launch_port.socket);
  dispatcher.vector_cache_socket(0).bind(l1.control_port.socket);
  dispatcher.scalar_cache_socket(0).bind(scalar.control_port().socket);
  dispatcher.instruction_cache_socket(0).bind(fetch.control_port().socket);

  // code, buffers and arguments in memory
  uint32_t in[64];
  const uint32_t k = 1000;
  for (uint32_t i = 0; i < 64; ++i) in[i] = 3 * i + 1;
  for (uint64_t at : {code_at, in_at, out_at, k_at}) m.store.map(at, 4096);
  m.store.write(code_at, code, sizeof code);
  m.store.write(in_at, in, sizeof in);
  m.store.write(k_at, &k, sizeof k);

  fabric::dispatch_packet packet;
  packet.kernel = "square";
  packet.entry_pc = code_at;
  packet.grid[0] = packet.workgroup[0] = 64;
  for (uint64_t address : {in_at, out_at, k_at}) {
    packet.user_sgprs.push_back(uint32_t(address));
    packet.user_sgprs.push_back(uint32_t(address >> 32));
  }
  packet.vgprs = 8;
  packet.sgprs = 16;
  packet.lds_bytes = 256;

  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  dispatcher.submit(packet);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
  for (const auto& f : m.run.faults) std::printf("%s: %s\n", f.id.c_str(), f.text.c_str());
  for (const auto& f : m.run.findings) std::printf("%s: %s\n", f.id.c_str(), f.text.c_str());
  if (!dispatcher.done() || !m.run.faults.empty() || !m.run.findings.empty()) {
    std::printf("the kernel did not finish\n%s", cu.describe_waves().c_str());
    return 1;
  }

  // the result is still in L2: debug transport sees it
  unsigned wrong = 0;
  for (unsigned line = 0; line < 4; ++line) {
    auto& p = m.lines.line(tlm::TLM_READ_COMMAND, out_at + line * 64);
    l1.l2_port.socket->transport_dbg(p);
    const auto* out = reinterpret_cast<const uint32_t*>(p.get_data_ptr());
    for (unsigned j = 0; j < 16; ++j) {
      const unsigned i = line * 16 + j;
      wrong += out[j] != in[63 - i] * in[63 - i] + k;
    }
    p.release();
  }
  if (own_network) std::printf("%llu transfers on the user's own network\n", static_cast<unsigned long long>(bus->transfers));
  std::printf("%s after %llu cycles\n", wrong ? "wrong result" : "right result", static_cast<unsigned long long>(context.core.floor(fabric::now_ps())));
  return wrong != 0;
}
