// SPDX-License-Identifier: Apache-2.0
#include "platforms/dpi/blocks.h"
#include "observe/input_error.h"
#include "platforms/dpi/lyra_dpi.h"
#include <cstring>

namespace lyra::platforms::dpi {

namespace {

/// The DS instruction of each rtl::lds_op.
const char* const names[] = {"ds_read_b32", "ds_write_b32", "ds_add_rtn_u32", "ds_sub_rtn_u32", "ds_rsub_rtn_u32", "ds_inc_rtn_u32", "ds_dec_rtn_u32", "ds_min_rtn_i32", "ds_max_rtn_i32", "ds_min_rtn_u32",
                             "ds_max_rtn_u32", "ds_and_rtn_b32", "ds_or_rtn_b32", "ds_xor_rtn_b32", "ds_mskor_rtn_b32", "ds_cmpst_rtn_b32", "", "ds_wrxchg_rtn_b32", "ds_wrap_rtn_b32"};
constexpr unsigned mskor = 14;

isa::instruction instruction_named(const std::string& name) {
  isa::instruction i;
  unsigned count = 0;
  const isa::opcode_info* table = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k)
    if (name == table[k].name && table[k].encoding == isa::encoding::DS) i.info = &table[k];
  i.size_bytes = 8;
  return i;
}

l2_bench& l2_port(design& s, int port) {
  if (port < 0 || size_t(port) >= s.l2.size()) throw observe::input_error("port " + std::to_string(port), "no such AXI4 port: " + std::to_string(s.l2.size()) + " are open");
  return *s.l2[size_t(port)];
}
caller_pins& pins_port(design& s, int port) {
  if (port < 0 || size_t(port) >= s.pins.size()) throw observe::input_error("port " + std::to_string(port), "no such block: open a machine with memory.implementation=rtl:pins; its channels are the ports");
  return *s.pins[size_t(port)];
}

// fields from bit 0 on; lyra_pkg.sv has them from the top
void take(bit_reader& r, rtl::axi_address& a) {
  a.burst = uint8_t(r.take(2)); a.size = uint8_t(r.take(3)); a.len = uint8_t(r.take(8)); a.address = r.take(64); a.id = uint32_t(r.take(16)); a.valid = r.take(1);
}
void put(bit_writer& w, const rtl::axi_address& a) {
  w.put(a.burst, 2); w.put(a.size, 3); w.put(a.len, 8); w.put(a.address, 64); w.put(a.id, 16); w.put(a.valid, 1);
}

} // namespace

block_world::block_world(const machine_parameters& p) {
  context.core = fabric::clock_domain::from_mhz(p.system.core_mhz);
  context.fabric = fabric::clock_domain::from_mhz(p.system.fabric_mhz);
  context.memory = fabric::clock_domain::from_mhz(p.system.memory_mhz);
  context.space = &store;
  context.statistics = &statistics;
  context.lines = &lines;
  context.waves = &waves;
  context.run = &run;
  context.chaos.seed = p.system.chaos_seed;
  context.chaos.max_extra_cycles = p.system.chaos_max_extra_cycles;
  run.on_stop = [] { sc_core::sc_pause(); };
}

lds_bench::lds_bench(sc_core::sc_module_name name, const machine_parameters& p) : sc_module(name), world(p), place_(make_lds(world.context, p, this->name())), port_("port", *this, 0) {
  port_.socket.bind(socket_of(place_));
  for (const char* n : names) instructions_.push_back(instruction_named(n));
}

bool lds_bench::request(const unsigned* beat) {
  bit_reader r(beat);
  uint32_t enables[4], data1[32], data0[32];
  uint16_t address[32];
  r.take(enables, sizeof enables); r.take(data1, sizeof data1); r.take(data0, sizeof data0); r.take(address, sizeof address);
  const auto lanes = uint32_t(r.take(32));
  const auto tag = uint8_t(r.take(8));
  auto op = unsigned(r.take(5));
  if (op >= std::size(names) || !*names[op]) throw observe::input_error("lyra_lds_request", "operation " + std::to_string(op) + " is none of a DS instruction (rtl/pins.h, lds_op)");
  if (!port_.ready() || fabric::in_reset()) return false;
  bool partly = false;
  for (unsigned l = 0; l < 32; ++l) partly |= (lanes >> l & 1) && (enables[l / 8] >> 4 * (l % 8) & 15) != 15;
  const bool write = op == unsigned(rtl::lds_op::write);
  if (write && partly) op = mskor; // the bytes that are enabled: (M & ~mask) | data
  fabric::payload& p = world.waves.take();
  fabric::wave_request& w = fabric::wave_pool::of(p);
  w.begin(&instructions_[op], lanes);
  w.wave_id = next_++;
  w.pc = tag;
  w.simd = 0; // one path: in order
  w.lds_base = 0;
  w.lds_size = 65536;
  w.mode = 0xf0;
  w.unaligned = true;
  w.vaddr_dwords = 1;
  w.vdata2_row = 1;
  for (unsigned l = 0; l < 32; ++l) {
    w.vaddr[0][l] = address[l];
    w.vdata[0][l] = data0[l];
    w.vdata[1][l] = data1[l];
    if (!write || !partly) continue;
    uint32_t mask = 0;
    for (unsigned k = 0; k < 4; ++k) mask |= (enables[l / 8] >> (4 * (l % 8) + k) & 1 ? 0xffu : 0u) << 8 * k;
    w.vdata[0][l] = mask;
    w.vdata[1][l] = data0[l] & mask;
  }
  port_.send(p, fabric::now_ps() + world.context.core.period());
  return true;
}

bool lds_bench::response(unsigned* out) {
  bit_writer bits(out, 1032);
  if (answers_.empty() || answers_.front().at > fabric::now_ps()) return false;
  fabric::payload& p = *answers_.front().p;
  answers_.pop_front();
  const fabric::wave_request& w = fabric::wave_pool::of(p);
  for (unsigned l = 0; l < 32; ++l) bits.put(w.result_dwords && (w.result_mask >> l & 1) ? w.result[0][l] : 0, 32);
  bits.put(w.pc, 8);
  p.release();
  return true;
}

l2_bench::l2_bench(sc_core::sc_module_name name, const machine_parameters& p, unsigned data_bits)
    : sc_module(name), world(p), parameters(p), slave("axi", world.context, [&] {
        rtl::axi4_slave_options o;
        o.data_bits = data_bits;
        return o;
      }()),
      cache("cache", world.context, [&] {
        cache::l2_parameters l = p.l2;
        l.channels = 1;
        return l;
      }()),
      atomic(make_atomic(world.context, p, this->name())), memory([&] {
        parameters.memory.channels = 1;
        return make_memory(world.context, world.store, parameters, this->name());
      }()) {
  slave.out.socket.bind(cache.in.socket);
  cache.atomic.socket.bind(socket_of(atomic));
  cache.memory.socket.bind(socket_of(memory));
}

void l2_bench::read(uint64_t address, void* data, unsigned bytes) {
  auto& p = world.lines.line(tlm::TLM_READ_COMMAND, address, bytes);
  slave.out.socket->transport_dbg(p);
  std::memcpy(data, p.get_data_ptr(), bytes);
  p.release();
}

int open_lds(design& s, const std::string& machine, const std::vector<std::string>& settings) {
  if (s.lds) throw std::runtime_error("an LDS is open: one a process");
  s.described = load_machine(machine, settings);
  s.lds = std::make_unique<lds_bench>("lyra_lds", s.described->parameters);
  return 0;
}

int open_l2(design& s, const std::string& machine, const std::vector<std::string>& settings, unsigned data_bits) {
  if (data_bits < 32 || data_bits > 512 || (data_bits & (data_bits - 1))) throw observe::input_error("lyra_open_block", "an AXI4 bus has 32, 64, 128, 256 or 512 bits, not " + std::to_string(data_bits));
  s.described = load_machine(machine, settings);
  s.l2.push_back(std::make_unique<l2_bench>(("lyra_l2_" + std::to_string(s.l2.size())).c_str(), s.described->parameters, data_bits));
  return int(s.l2.size()) - 1;
}

} // namespace lyra::platforms::dpi

using namespace lyra;
using namespace lyra::platforms;
using namespace lyra::platforms::dpi;

extern "C" {

int lyra_axi_slave_clock(int port, const unsigned* master, unsigned* slave) {
  return guarded([&](design& s) {
    auto& l2 = l2_port(s, port);
    bit_reader r(master);
    rtl::axi_in in;
    in.reset_n = r.take(1) && !fabric::in_reset(); in.rready = r.take(1);
    take(r, in.ar);
    in.bready = r.take(1);
    r.take(in.w.data, 64);
    in.w.strobe = r.take(64); in.w.last = r.take(1); in.w.valid = r.take(1);
    take(r, in.aw);
    if (!s.tick) s.pass(fabric::kernel_ps()); // elaborates
    l2.slave.edge(in);
    const rtl::axi_slave_pins& p = l2.slave.pins();
    bit_writer w(slave, 554);
    w.put(p.r.data, 64);
    w.put(p.r.resp, 2); w.put(p.r.id, 16); w.put(p.r.last, 1); w.put(p.r.valid, 1);
    w.put(p.b.resp, 2); w.put(p.b.id, 16); w.put(p.b.valid, 1);
    w.put(p.arready, 1); w.put(p.wready, 1); w.put(p.awready, 1);
    return 0;
  });
}

int lyra_axi_master_clock(int port, const unsigned* slave) {
  return guarded([&](design& s) {
    rtl::axi_slave_pins& p = pins_port(s, port).slave;
    bit_reader r(slave);
    r.take(p.r.data, 64);
    p.r.resp = uint8_t(r.take(2)); p.r.id = uint32_t(r.take(16)); p.r.last = r.take(1); p.r.valid = r.take(1);
    p.b.resp = uint8_t(r.take(2)); p.b.id = uint32_t(r.take(16)); p.b.valid = r.take(1);
    p.arready = r.take(1); p.wready = r.take(1); p.awready = r.take(1);
    return 0;
  });
}

int lyra_axi_master_pins(int port, unsigned* master) {
  return guarded([&](design& s) {
    const rtl::axi_in& in = pins_port(s, port).master;
    bit_writer w(master, 769);
    w.put(in.reset_n, 1); w.put(in.rready, 1);
    put(w, in.ar);
    w.put(in.bready, 1);
    w.put(in.w.data, 64);
    w.put(in.w.strobe, 64); w.put(in.w.last, 1); w.put(in.w.valid, 1);
    put(w, in.aw);
    return 0;
  });
}

int lyra_lds_request(const unsigned* beat) {
  return guarded([&](design& s) {
    if (!s.lds) throw std::runtime_error("no LDS is open: call lyra_open_block(\"lds\", ...) first");
    if (!s.tick) s.pass(fabric::kernel_ps());
    return int(s.lds->request(beat));
  });
}

int lyra_lds_response(unsigned* answer) {
  return guarded([&](design& s) {
    if (!s.lds) throw std::runtime_error("no LDS is open: call lyra_open_block(\"lds\", ...) first");
    return int(s.lds->response(answer));
  });
}

} // extern "C"
