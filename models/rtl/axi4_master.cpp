// SPDX-License-Identifier: Apache-2.0
#include "rtl/axi4_master.h"
#include "rtl/axi4_burst.h"
#include <cstring>

namespace lyra::rtl {

using namespace fabric;

namespace {
std::string describe_line(const payload& p) {
  char text[100];
  std::snprintf(text, sizeof text, "%s of %u bytes at 0x%llx", p.get_command() == tlm::TLM_WRITE_COMMAND ? "write" : "read", p.get_data_length(), static_cast<unsigned long long>(p.get_address()));
  return text;
}
uint64_t low64(const uint8_t* d) {
  uint64_t v;
  std::memcpy(&v, d, 8);
  return v;
}
} // namespace

axi4_master::axi4_master(sc_core::sc_module_name name, const fabric::context& context, clock_domain domain, std::unique_ptr<axi_block> block, const clocking& options, const axi4_options& axi,
                         memory_array* debug)
    : clocked(name, context, domain, std::move(block), options), queue_server("in", axi.queue_depth), axi_(axi), bus_bytes_(axi.data_bits / 8), debug_(debug), transfers_(axi.max_outstanding) {
  if (axi.data_bits < 32 || axi.data_bits > 512 || (axi.data_bits & (axi.data_bits - 1)) || !axi.ids || !axi.max_outstanding)
    SC_REPORT_ERROR("lyra/rtl/parameter", (std::string(this->name()) + ": an AXI4 bus has 32, 64, 128, 256 or 512 bits, at least one id and one transaction outstanding").c_str());
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string n = std::string(this->name()) + ".pins.";
    const auto add = [&](observe::signal& s, const char* pin, unsigned bits) { s = t->add(n + pin, bits, "AXI4 pin of the RTL memory"); };
    add(awvalid_, "awvalid", 1); add(awready_, "awready", 1); add(awaddr_, "awaddr", 64); add(awid_, "awid", 16);
    add(wvalid_, "wvalid", 1); add(wready_, "wready", 1); add(wlast_, "wlast", 1); add(wdata_, "wdata_low", 64);
    add(bvalid_, "bvalid", 1); add(bready_, "bready", 1); add(bid_, "bid", 16); add(bresp_, "bresp", 2);
    add(arvalid_, "arvalid", 1); add(arready_, "arready", 1); add(araddr_, "araddr", 64); add(arid_, "arid", 16); add(arlen_, "arlen", 8);
    add(rvalid_, "rvalid", 1); add(rready_, "rready", 1); add(rid_, "rid", 16); add(rlast_, "rlast", 1); add(rresp_, "rresp", 2); add(rdata_, "rdata_low", 64);
    add(reset_, "reset_n", 1);
  }
}

void axi4_master::on_reset() {
  forget_requests();
  for (transfer& t : transfers_) t = transfer();
  count_ = 0;
  rolls_ = sequence_ = 0;
  write_addresses_.clear();
  write_data_.clear();
  read_addresses_.clear();
  aw_taken_ = w_taken_ = ar_taken_ = false;
  statistics_ = transactor_statistics();
  reset_clock();
}

bool axi4_master::conflicts(const payload& p) const {
  const uint64_t first = p.get_address() / line_bytes, last = (p.get_address() + p.get_data_length() - 1) / line_bytes;
  const bool write = p.get_command() == tlm::TLM_WRITE_COMMAND;
  for (const transfer& t : transfers_) {
    if (!t.q.p || (!write && !t.write)) continue;
    const payload& o = *t.q.p;
    if (first <= (o.get_address() + o.get_data_length() - 1) / line_bytes && o.get_address() / line_bytes <= last) return true;
  }
  return false;
}

/// Takes one request from the queue into the channels' queues.
bool axi4_master::admit(cycle_t cycle) {
  const picoseconds t = clock().at(cycle);
  const queued* q = front();
  if (!q || q->arrival > t || count_ == transfers_.size()) return false;
  payload& p = *q->p;
  const unsigned length = p.get_data_length();
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  axi_address a;
  a.address = p.get_address();
  a.size = uint8_t(__builtin_ctz(bus_bytes_));
  if (axi_.narrow_percent && roll() % 100 < axi_.narrow_percent) a.size = uint8_t(roll() % (a.size + 1u));
  const auto beats = [&] { return length ? (a.address + length - 1) / (1u << a.size) - a.address / (1u << a.size) + 1 : 0; };
  if (beats() > 256) a.size = uint8_t(__builtin_ctz(bus_bytes_));
  if (p.get_command() == tlm::TLM_IGNORE_COMMAND) p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else if (length == 0 || p.get_streaming_width() < length || beats() > 256 || a.address / 4096 != (a.address + length - 1) / 4096) p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else if (conflicts(p)) return false;
  queued taken;
  take(t, taken);
  if (p.get_response_status() != tlm::TLM_OK_RESPONSE) {
    finish(taken, answer_at(cycle));
    return true;
  }
  a.len = uint8_t(beats() - 1);
  a.id = uint32_t(sequence_ % axi_.ids);
  a.valid = true;
  transfer* slot = nullptr;
  for (transfer& x : transfers_)
    if (!x.q.p) { slot = &x; break; }
  *slot = transfer();
  slot->q = taken;
  slot->a = a;
  slot->write = p.get_command() == tlm::TLM_WRITE_COMMAND;
  slot->sequence = sequence_++;
  slot->since = cycle;
  ++count_;
  if (slot->write) { write_addresses_.push_back(slot); write_data_.push_back(slot); }
  else read_addresses_.push_back(slot);
  return true;
}

axi4_master::transfer* axi4_master::oldest_of(bool write, uint32_t id) {
  transfer* best = nullptr;
  for (transfer& t : transfers_)
    if (t.q.p && t.write == write && t.a.id == id && t.address_done && (!best || t.sequence < best->sequence)) best = &t;
  return best;
}

void axi4_master::retire(transfer& t, cycle_t cycle) {
  if (t.resp >= 2) t.q.p->set_response_status(t.resp == 3 ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  const queued q = t.q;
  t.q = queued();
  --count_;
  ++statistics_.transactions;
  finish(q, answer_at(cycle));
}

bool axi4_master::take_read_beat(const axi_slave_pins& out, cycle_t cycle) {
  transfer* t = oldest_of(false, out.r.id);
  if (!t) { fault("lyra/rtl/protocol", "the RTL sends read data with id " + std::to_string(out.r.id) + ", which has no read outstanding", cycle); return false; }
  const axi_beat b = beat_of(t->a, t->beat);
  payload& p = *t->q.p;
  const uint8_t* enables = p.get_byte_enable_ptr();
  for (unsigned i = 0; i < b.bytes; ++i) {
    const uint64_t k = b.address + i - p.get_address();
    if (k < p.get_data_length() && (!enables || enables[k % p.get_byte_enable_length()] != TLM_BYTE_DISABLED)) p.get_data_ptr()[k] = out.r.data[(b.address + i) % bus_bytes_];
  }
  t->resp = std::max(t->resp, out.r.resp);
  const bool last = t->beat == t->a.len;
  if (out.r.last != last) {
    fault("lyra/rtl/protocol", "RLAST " + std::string(last ? "is missing at" : "stands before") + " the last beat of the " + describe_line(p), cycle);
    return false;
  }
  ++t->beat;
  if (last) retire(*t, cycle);
  return true;
}

bool axi4_master::take_write_response(const axi_slave_pins& out, cycle_t cycle) {
  transfer* t = oldest_of(true, out.b.id);
  if (!t || t->beat <= t->a.len) {
    fault("lyra/rtl/protocol", t ? "the RTL answers the " + describe_line(*t->q.p) + " before its last data beat" : "the RTL answers a write with id " + std::to_string(out.b.id) + ", which has none outstanding", cycle);
    return false;
  }
  t->resp = out.b.resp;
  retire(*t, cycle);
  return true;
}

void axi4_master::at_edge(cycle_t cycle, const axi_slave_pins& out) {
  ++statistics_.clock_cycles;
  const axi_in& i = inputs();
  const picoseconds t = clock().at(cycle);
  if (awready_) {
    awready_.set(t, out.awready); wready_.set(t, out.wready); arready_.set(t, out.arready);
    bvalid_.set(t, out.b.valid); rvalid_.set(t, out.r.valid);
    if (out.b.valid) { bid_.set(t, out.b.id); bresp_.set(t, out.b.resp); }
    if (out.r.valid) { rid_.set(t, out.r.id); rlast_.set(t, out.r.last); rresp_.set(t, out.r.resp); rdata_.set(t, low64(out.r.data)); }
  }
  if (i.aw.valid) {
    if (out.awready) { write_addresses_.front()->address_done = true; write_addresses_.pop_front(); aw_taken_ = true; }
    else ++statistics_.stalled_cycles;
  }
  if (i.w.valid) {
    if (out.wready) {
      ++statistics_.beats;
      w_taken_ = true;
      if (++write_data_.front()->beat > write_data_.front()->a.len) write_data_.pop_front();
    } else ++statistics_.stalled_cycles;
  }
  if (i.ar.valid) {
    if (out.arready) { read_addresses_.front()->address_done = true; read_addresses_.pop_front(); ar_taken_ = true; }
    else ++statistics_.stalled_cycles;
  }
  if (out.b.valid) {
    if (i.bready) { if (!take_write_response(out, cycle)) return; }
    else ++statistics_.answered_late_cycles;
  }
  if (out.r.valid) {
    if (i.rready) { ++statistics_.beats; if (!take_read_beat(out, cycle)) return; }
    else ++statistics_.answered_late_cycles;
  }
}

void axi4_master::put_write_beat(axi_in& next) {
  const transfer& t = *write_data_.front();
  const axi_beat b = beat_of(t.a, t.beat);
  const payload& p = *t.q.p;
  const uint8_t* enables = p.get_byte_enable_ptr();
  next.w.strobe = 0;
  std::memset(next.w.data, 0, sizeof next.w.data);
  for (unsigned i = 0; i < b.bytes; ++i) {
    const uint64_t k = b.address + i - p.get_address();
    const unsigned lane = unsigned((b.address + i) % bus_bytes_);
    if (k >= p.get_data_length()) continue;
    next.w.data[lane] = p.get_data_ptr()[k];
    if (!enables || enables[k % p.get_byte_enable_length()] != TLM_BYTE_DISABLED) next.w.strobe |= uint64_t(1) << lane;
  }
  next.w.last = t.beat == t.a.len;
}

void axi4_master::next_inputs(cycle_t cycle, axi_in& next) {
  if (aw_taken_) next.aw.valid = false;
  if (w_taken_) next.w.valid = false;
  if (ar_taken_) next.ar.valid = false;
  aw_taken_ = w_taken_ = ar_taken_ = false;
  if (!holds_back()) while (admit(cycle)) {}
  // a channel that offers something keeps it until it is taken 
  if (!next.aw.valid && !write_addresses_.empty() && !held()) next.aw = write_addresses_.front()->a;
  if (!next.ar.valid && !read_addresses_.empty() && !held()) next.ar = read_addresses_.front()->a;
  if (!next.w.valid && !write_data_.empty() && !held()) {
    next.w.valid = true;
    put_write_beat(next);
  }
  next.bready = !held();
  next.rready = !held();
  const picoseconds t = clock().at(cycle);
  if (awvalid_) {
    awvalid_.set(t, next.aw.valid); wvalid_.set(t, next.w.valid); arvalid_.set(t, next.ar.valid); bready_.set(t, next.bready); rready_.set(t, next.rready);
    if (next.aw.valid) { awaddr_.set(t, next.aw.address); awid_.set(t, next.aw.id); }
    if (next.w.valid) { wlast_.set(t, next.w.last); wdata_.set(t, low64(next.w.data)); }
    if (next.ar.valid) { araddr_.set(t, next.ar.address); arid_.set(t, next.ar.id); arlen_.set(t, next.ar.len); }
    reset_.set(t, next.reset_n);
  }
}

bool axi4_master::oldest(cycle_t& since, std::string& what) const {
  const transfer* best = nullptr;
  for (const transfer& t : transfers_)
    if (t.q.p && (!best || t.sequence < best->sequence)) best = &t;
  if (!best) return false;
  since = best->since;
  what = "the " + describe_line(*best->q.p);
  return true;
}

unsigned axi4_master::transport_dbg(unsigned, payload& p) {
  if (!debug_ || p.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  for (unsigned k = 0; k < p.get_data_length(); ++k) { // byte by byte: any address, any length
    const uint64_t at = p.get_address() + k;
    if (p.get_command() == tlm::TLM_READ_COMMAND ? !debug_->read(at, p.get_data_ptr() + k, 1) : !debug_->write(at, p.get_data_ptr() + k, 1, 1)) return k;
  }
  return p.get_data_length();
}

} // namespace lyra::rtl
