// SPDX-License-Identifier: Apache-2.0
#include "memory/data_overlay.h"
#include <algorithm>
#include <cstring>

namespace lyra::memory {

using namespace fabric;

data_overlay::data_overlay(sc_core::sc_module_name name, backing_store& store) : sc_module(name), in("in"), out("out"), store_(store) {
  in.bind(*this);
  out.bind(*this);
  store.on_change([this](uint64_t first, uint64_t last) { in->invalidate_direct_mem_ptr(first, last); });
}

namespace {
/// Calls f(host bytes or null, index of the first byte, bytes) for each piece of the transaction inside one line.
template <class F> void pieces(backing_store& store, const payload& p, F&& f) {
  const unsigned length = p.get_data_length();
  for (unsigned done = 0; done < length;) {
    const uint64_t a = p.get_address() + done;
    const unsigned n = unsigned(std::min<uint64_t>(length - done, line_bytes - a % line_bytes));
    uint8_t* host = store.host_line(a);
    f(store.state(a), host ? host + a % line_bytes : nullptr, done, n);
    done += n;
  }
}
bool enabled(const payload& p, unsigned k) {
  const uint8_t* e = p.get_byte_enable_ptr();
  return !e || e[k % p.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}
} // namespace

void data_overlay::write(const payload& p) {
  pieces(store_, p, [&](page_state s, uint8_t* host, unsigned first, unsigned n) {
    if (s != page_state::mapped) return;
    for (unsigned k = 0; k < n; ++k)
      if (enabled(p, first + k)) host[k] = p.get_data_ptr()[first + k];
  });
}

void data_overlay::finish(payload& p) {
  if (p.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  pieces(store_, p, [&](page_state s, uint8_t* host, unsigned first, unsigned n) {
    if (s == page_state::unmapped || (s == page_state::read_only && p.is_write())) p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else if (p.is_read())
      for (unsigned k = 0; k < n; ++k)
        if (enabled(p, first + k)) p.get_data_ptr()[first + k] = host ? host[k] : 0;
  });
}

tlm::tlm_sync_enum data_overlay::nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
  const bool request = phase == tlm::BEGIN_REQ;
  if (request && p.is_write()) write(p);
  const tlm::tlm_sync_enum r = out->nb_transport_fw(p, phase, t);
  if (request && (r == tlm::TLM_COMPLETED || (r == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP))) finish(p);
  return r;
}

tlm::tlm_sync_enum data_overlay::nb_transport_bw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
  if (phase == tlm::BEGIN_RESP) finish(p);
  return in->nb_transport_bw(p, phase, t);
}

void data_overlay::b_transport(payload& p, sc_core::sc_time& t) {
  if (p.is_write()) write(p);
  out->b_transport(p, t);
  finish(p);
}

unsigned data_overlay::transport_dbg(payload& p) {
  if (p.is_write()) return unsigned(store_.write(p.get_address(), p.get_data_ptr(), p.get_data_length()));
  if (p.is_read()) return unsigned(store_.read(p.get_address(), p.get_data_ptr(), p.get_data_length()));
  return 0;
}

bool data_overlay::get_direct_mem_ptr(payload& p, tlm::tlm_dmi& dmi) {
  dmi.init();
  const auto e = store_.around(p.get_address());
  dmi.set_start_address(e.first);
  dmi.set_end_address(e.last);
  if (!e.host) return false;
  dmi.set_dmi_ptr(e.host);
  if (e.state == page_state::read_only) dmi.allow_read();
  else dmi.allow_read_write();
  return true;
}

} // namespace lyra::memory
