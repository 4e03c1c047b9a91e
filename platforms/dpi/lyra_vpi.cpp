// SPDX-License-Identifier: Apache-2.0
// The C interface as VPI system functions (IEEE 1364-2005 clause 27), for simulators without DPI: $lyra_open("cu", ""), ... Arguments as in lyra_pkg.sv.
// X and Z: in data they count as 0. On a valid, a ready or reset_n of a pin vector they are an error that names the pin, unless reset_n is 0.
#include "platforms/dpi/lyra_dpi.h"
#include <functional>
#include <map>
#include <string>
#include <vector>
#include <vpi_user.h>

namespace {

std::string vpi_error;

/// The arguments of one call.
class arguments {
public:
  explicit arguments(vpiHandle call) {
    if (vpiHandle i = vpi_iterate(vpiArgument, call))
      while (vpiHandle a = vpi_scan(i)) handles_.push_back(a);
  }
  std::string text(unsigned i) {
    s_vpi_value v;
    v.format = vpiStringVal;
    vpi_get_value(handles_.at(i), &v);
    std::string s = v.value.str;
    s.erase(0, s.find_first_not_of(' '));
    return s;
  }
  /// A vector; bits that are X or Z are 0 and stand in `unknown`.
  std::vector<unsigned> vector(unsigned i, unsigned bits) {
    s_vpi_value v;
    v.format = vpiVectorVal;
    vpi_get_value(handles_.at(i), &v);
    const unsigned have = (unsigned(vpi_get(vpiSize, handles_.at(i))) + 31) / 32, want = (bits + 31) / 32;
    std::vector<unsigned> words(want);
    unknown.assign(want, 0);
    for (unsigned k = 0; k < want && k < have; ++k) {
      unknown[k] = unsigned(v.value.vector[k].bval);
      words[k] = unsigned(v.value.vector[k].aval) & ~unknown[k];
    }
    if (bits % 32) words.back() &= (1u << bits % 32) - 1;
    return words;
  }
  long long number(unsigned i) {
    const auto w = vector(i, 64);
    const bool narrow = vpi_get(vpiSize, handles_.at(i)) <= 32;
    return narrow ? (long long)(int)w[0] : (long long)(w[0] | (unsigned long long)w[1] << 32);
  }
  void put(unsigned i, const std::vector<unsigned>& words) {
    std::vector<s_vpi_vecval> bits(words.size());
    for (size_t k = 0; k < words.size(); ++k) bits[k].aval = PLI_INT32(words[k]), bits[k].bval = 0;
    s_vpi_value v;
    v.format = vpiVectorVal;
    v.value.vector = bits.data();
    vpi_put_value(handles_.at(i), &v, nullptr, vpiNoDelay);
  }
  std::vector<unsigned> unknown;

private:
  std::vector<vpiHandle> handles_;
};

struct pin { const char* name; unsigned bit; };
const pin master_pins[] = {{"awvalid", 768}, {"wvalid", 674}, {"bready", 96}, {"arvalid", 95}, {"rready", 1}};
const pin slave_pins[] = {{"awready", 553}, {"wready", 552}, {"arready", 551}, {"bvalid", 550}, {"rvalid", 531}};
bool unknown(const arguments& a, unsigned bit) { return a.unknown[bit / 32] >> bit % 32 & 1; }

template <unsigned N> bool defined(const arguments& a, const pin (&pins)[N], int port) {
  for (const pin& p : pins)
    if (unknown(a, p.bit)) {
      vpi_error = "AXI4 port " + std::to_string(port) + ": " + p.name + " is X or Z out of reset: reset the block, or connect the pin";
      return false;
    }
  return true;
}

long long axi_slave(arguments& a) {
  const int port = int(a.number(0));
  const auto master = a.vector(1, 769);
  if (unknown(a, 0)) { vpi_error = "AXI4 port " + std::to_string(port) + ": reset_n is X or Z"; return -1; }
  if ((master[0] & 1) && !defined(a, master_pins, port)) return -1;
  std::vector<unsigned> slave(18);
  const int r = lyra_axi_slave_clock(port, master.data(), slave.data());
  a.put(2, slave);
  return r;
}
long long axi_master(arguments& a) {
  const int port = int(a.number(0));
  std::vector<unsigned> master(25);
  if (const int r = lyra_axi_master_pins(port, master.data()); r < 0) return r;
  const auto slave = a.vector(1, 554);
  if ((master[0] & 1) && !defined(a, slave_pins, port)) return -1;
  return lyra_axi_master_clock(port, slave.data());
}
long long axi_pins(arguments& a) {
  std::vector<unsigned> master(25);
  const int r = lyra_axi_master_pins(int(a.number(0)), master.data());
  a.put(1, master);
  return r;
}
long long lds_response(arguments& a) {
  std::vector<unsigned> answer(33);
  const int r = lyra_lds_response(answer.data());
  if (r == 1) a.put(0, answer);
  return r;
}
long long store_read(arguments& a) {
  std::vector<unsigned> data(16);
  const int r = lyra_store_read(a.number(0), data.data());
  a.put(1, data);
  return r;
}

struct function { const char* name; bool wide; std::function<long long(arguments&)> call; };
const function functions[] = {
    {"$lyra_open", false, [](arguments& a) { return lyra_open(a.text(0).c_str(), a.text(1).c_str()); }},
    {"$lyra_open_block", false, [](arguments& a) { return lyra_open_block(a.text(0).c_str(), a.text(1).c_str(), a.text(2).c_str(), int(a.number(3))); }},
    {"$lyra_load_job", false, [](arguments& a) { return lyra_load_job(a.text(0).c_str()); }},
    {"$lyra_load_file", false, [](arguments& a) { return lyra_load_file(a.text(0).c_str(), a.number(1)); }},
    {"$lyra_dispatch", false, [](arguments& a) {
       const auto sgprs = a.vector(6, 512);
       return lyra_dispatch(a.number(0), int(a.number(1)), int(a.number(2)), int(a.number(3)), int(a.number(4)), int(a.number(5)), sgprs.data(), int(a.number(7)));
     }},
    {"$lyra_start", false, [](arguments&) { return lyra_start(); }},
    {"$lyra_done", false, [](arguments&) { return lyra_done(); }},
    {"$lyra_check", false, [](arguments&) { return lyra_check(); }},
    {"$lyra_advance", false, [](arguments& a) { return lyra_advance(a.number(0)); }},
    {"$lyra_reset", false, [](arguments& a) { return lyra_reset(int(a.number(0))); }},
    {"$lyra_time_ps", true, [](arguments&) { return lyra_time_ps(); }},
    {"$lyra_map", false, [](arguments& a) { return lyra_map(a.number(0), a.number(1)); }},
    {"$lyra_read64", true, [](arguments& a) { return lyra_read64(a.number(0)); }},
    {"$lyra_write64", false, [](arguments& a) { return lyra_write64(a.number(0), a.number(1)); }},
    {"$lyra_store_read", false, store_read},
    {"$lyra_store_write", false, [](arguments& a) { const auto d = a.vector(1, 512); return lyra_store_write(a.number(0), d.data(), a.number(2)); }},
    {"$lyra_statistic", true, [](arguments& a) { return lyra_statistic(a.text(0).c_str()); }},
    {"$lyra_axi_slave_clock", false, axi_slave},
    {"$lyra_axi_master_clock", false, axi_master},
    {"$lyra_axi_master_pins", false, axi_pins},
    {"$lyra_lds_request", false, [](arguments& a) { return lyra_lds_request(a.vector(0, 2733).data()); }},
    {"$lyra_lds_response", false, lds_response},
};

PLI_INT32 call(PLI_BYTE8* data) {
  const auto& f = *reinterpret_cast<const function*>(data);
  vpiHandle self = vpi_handle(vpiSysTfCall, nullptr);
  arguments a(self);
  long long r = -1;
  try {
    r = f.call(a);
  } catch (const std::exception&) {
    vpi_error = std::string(f.name) + ": too few arguments (lyra_pkg.sv)";
  }
  s_vpi_vecval bits[2] = {{PLI_INT32(r), 0}, {PLI_INT32(r >> 32), 0}};
  s_vpi_value v;
  v.format = vpiVectorVal;
  v.value.vector = bits;
  vpi_put_value(self, &v, nullptr, vpiNoDelay);
  return 0;
}
PLI_INT32 print_error(PLI_BYTE8*) {
  vpi_printf("%s\n", vpi_error.empty() ? lyra_error() : vpi_error.c_str());
  return 0;
}
PLI_INT32 wide_size(PLI_BYTE8*) { return 64; }
PLI_INT32 narrow_size(PLI_BYTE8*) { return 32; }

void install() {
  for (const function& f : functions) {
    s_vpi_systf_data d{};
    d.type = vpiSysFunc;
    d.sysfunctype = vpiSizedSignedFunc;
    d.tfname = f.name;
    d.calltf = call;
    d.sizetf = f.wide ? wide_size : narrow_size;
    d.user_data = reinterpret_cast<PLI_BYTE8*>(const_cast<function*>(&f));
    vpi_register_systf(&d);
  }
  s_vpi_systf_data e{};
  e.type = vpiSysTask;
  e.tfname = "$lyra_error";
  e.calltf = print_error;
  vpi_register_systf(&e);
}

} // namespace

extern "C" {
void (*vlog_startup_routines[])() = {install, nullptr};
}
