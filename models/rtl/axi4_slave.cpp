// SPDX-License-Identifier: Apache-2.0
#include "rtl/axi4_slave.h"
#include <algorithm>
#include <cstring>

namespace lyra::rtl {

using namespace fabric;

axi4_slave::axi4_slave(sc_core::sc_module_name name, const fabric::context& context, const axi4_slave_options& options)
    : sc_module(name), out("out", *this, 0), context_(context), options_(options), bus_bytes_(options.data_bits / 8) {
  if (options.data_bits < 32 || options.data_bits > 512 || (options.data_bits & (options.data_bits - 1)))
    SC_REPORT_ERROR("lyra/rtl/parameter", (std::string(this->name()) + ": an AXI4 bus has 32, 64, 128, 256 or 512 bits").c_str());
  if (context.statistics) context.statistics->add(this->name(), statistics_);
}

axi4_slave::line& axi4_slave::line_of(burst& b, uint64_t address) {
  for (line& l : b.lines)
    if (l.address == (address & ~uint64_t(63))) return l;
  b.lines.push_back({address & ~uint64_t(63), 0, {}});
  return b.lines.back();
}

/// What the pins said at this edge.
void axi4_slave::take(const axi_in& in) {
  if (in.aw.valid && pins_.awready) {
    burst b;
    b.a = in.aw;
    b.since = edges_;
    assembling_.push_back(b);
  }
  if (in.w.valid && pins_.wready) {
    write_beats_.emplace_back();
    write_beat& w = write_beats_.back();
    std::memcpy(w.data, in.w.data, sizeof w.data);
    w.strobe = in.w.strobe;
    w.last = in.w.last;
    ++statistics_.beats;
  }
  if (in.ar.valid && pins_.arready) {
    reads_.emplace_back();
    burst& b = reads_.back();
    b.a = in.ar;
    b.since = edges_;
    ++statistics_.reads;
    if (const std::string e = burst_error(b.a, bus_bytes_); !e.empty()) {
      complain("read burst at " + std::to_string(b.a.address) + ": " + e);
      b.resp = 2;
    } else {
      for (unsigned n = 0; n <= b.a.len; ++n) line_of(b, beat_of(b.a, n).address);
      send(b, false);
    }
  }
  if (pins_.b.valid && in.bready) {
    statistics_.errors += answering_->resp >= 2;
    pins_.b.valid = false;
    writes_.remove_if([&](const burst& b) { return &b == answering_; });
    answering_ = nullptr;
  }
  if (pins_.r.valid && in.rready) {
    ++statistics_.beats;
    pins_.r.valid = false;
    if (pins_.r.last) {
      statistics_.errors += streaming_->resp >= 2;
      reads_.remove_if([&](const burst& b) { return &b == streaming_; });
      streaming_ = nullptr;
    }
  }
}

/// W beats to the oldest AW.
void axi4_slave::assemble() {
  while (!assembling_.empty() && !write_beats_.empty()) {
    burst& b = assembling_.front();
    const write_beat& w = write_beats_.front();
    const std::string e = b.beat ? std::string() : burst_error(b.a, bus_bytes_);
    if (!e.empty()) { complain("write burst at " + std::to_string(b.a.address) + ": " + e); b.resp = 2; }
    const bool last = b.beat == b.a.len;
    if (w.last != last) { complain("WLAST " + std::string(last ? "is missing at" : "stands before") + " the last beat of the write burst at " + std::to_string(b.a.address)); b.resp = 2; }
    if (b.resp == 0) {
      const axi_beat at = beat_of(b.a, b.beat);
      line& l = line_of(b, at.address); // a beat never crosses a line
      for (unsigned i = 0; i < at.bytes; ++i) {
        const unsigned lane = unsigned((at.address + i) % bus_bytes_), byte = unsigned((at.address + i) % 64);
        if (!(w.strobe >> lane & 1)) continue;
        l.data[byte] = w.data[lane];
        l.mask |= uint64_t(1) << byte;
      }
    }
    ++b.beat;
    write_beats_.pop_front();
    if (!last) continue;
    ++statistics_.writes;
    writes_.push_back(b);
    assembling_.pop_front();
    send(writes_.back(), true);
  }
}

void axi4_slave::send(burst& b, bool write) {
  b.tag = tag_++;
  b.complete = true;
  if (b.resp) { b.missing = 0; return; }
  for (const line& l : b.lines) {
    if (write && !l.mask) continue;
    payload& p = write ? context_.lines->masked_write(l.address, l.data, l.mask) : context_.lines->line(tlm::TLM_READ_COMMAND, l.address);
    payload_pool::policy(p).tag = b.tag;
    to_send_.push_back(&p);
    ++b.missing;
    ++statistics_.lines;
  }
  pump();
}

void axi4_slave::pump() {
  while (!to_send_.empty() && out.ready()) {
    payload& p = *to_send_.front();
    to_send_.pop_front();
    out.send(p, now_ps() + context_.core.period());
  }
}

void axi4_slave::on_ready(unsigned, picoseconds) { if (!to_send_.empty()) pump(); }

void axi4_slave::on_response(unsigned, payload& p, picoseconds at) { returned_.push_back({&p, at}); }

/// Answers of the machine that have come by now.
void axi4_slave::settle() {
  for (size_t i = 0; i < returned_.size();) {
    if (returned_[i].at > now_ps()) { ++i; continue; }
    payload& p = *returned_[i].p;
    returned_.erase(returned_.begin() + std::ptrdiff_t(i));
    const uint64_t tag = payload_pool::policy(p).tag;
    const bool read = p.get_command() == tlm::TLM_READ_COMMAND;
    for (burst& b : read ? reads_ : writes_) {
      if (b.tag != tag || tag < oldest_tag_) continue;
      if (p.get_response_status() != tlm::TLM_OK_RESPONSE) b.resp = std::max<uint8_t>(b.resp, p.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE ? 3 : 2);
      else if (read) std::memcpy(line_of(b, p.get_address()).data, p.get_data_ptr(), 64);
      --b.missing;
    }
    p.release();
  }
}

/// The next burst to answer: complete, and nothing older with its id.
axi4_slave::burst* axi4_slave::ready(std::list<burst>& from) {
  burst* found[64];
  unsigned n = 0;
  for (auto i = from.begin(); i != from.end(); ++i) {
    bool older = false;
    for (auto o = from.begin(); o != i; ++o) older |= o->a.id == i->a.id || !options_.out_of_order;
    if (!older && i->complete && i->missing == 0 && n < 64) found[n++] = &*i;
  }
  if (!n) return nullptr;
  return found[options_.stall_percent && options_.out_of_order ? chaos_source::mix(options_.seed + ++rolls_) % n : 0];
}

void axi4_slave::drive_read() {
  if (pins_.r.valid || held()) return;
  if (!streaming_) streaming_ = ready(reads_);
  if (!streaming_) return;
  burst& b = *streaming_;
  const axi_beat at = beat_of(b.a, b.beat);
  pins_.r.valid = true;
  pins_.r.id = b.a.id;
  pins_.r.resp = b.resp;
  pins_.r.last = b.beat == b.a.len;
  std::memset(pins_.r.data, 0, sizeof pins_.r.data);
  if (b.resp == 0) {
    const line& l = line_of(b, at.address);
    for (unsigned i = 0; i < at.bytes; ++i) pins_.r.data[(at.address + i) % bus_bytes_] = l.data[(at.address + i) % 64];
  }
  ++b.beat;
}

void axi4_slave::drive() {
  pins_.awready = assembling_.size() + writes_.size() < options_.max_outstanding && !held();
  pins_.wready = write_beats_.size() < 256 && !held();
  pins_.arready = reads_.size() < options_.max_outstanding && !held();
  if (!pins_.b.valid && !held() && (answering_ = ready(writes_))) {
    pins_.b.valid = true;
    pins_.b.id = answering_->a.id;
    pins_.b.resp = answering_->resp;
  }
  drive_read();
}

void axi4_slave::forget() {
  pins_ = axi_slave_pins();
  reads_.clear();
  writes_.clear();
  assembling_.clear();
  write_beats_.clear();
  for (payload* p : to_send_) p->release();
  to_send_.clear();
  streaming_ = answering_ = nullptr;
  oldest_tag_ = tag_;
}

/// Of the whole machine: nothing will be answered any more.
void axi4_slave::on_reset() {
  to_send_.clear();
  returned_.clear();
  forget();
  tag_ = oldest_tag_ = 1;
  rolls_ = edges_ = 0;
  error_.clear();
  statistics_ = axi4_slave_statistics();
}

void axi4_slave::edge(const axi_in& in) {
  ++edges_;
  if (!in.reset_n) { forget(); settle(); return; }
  settle();
  take(in);
  assemble();
  pump();
  drive();
  for (const auto* list : {&reads_, &writes_})
    if (!list->empty() && edges_ - list->front().since > options_.timeout_cycles && error_.empty())
      complain("the machine has not answered the " + std::string(list == &reads_ ? "read" : "write") + " burst at " + std::to_string(list->front().a.address) + " for " + std::to_string(options_.timeout_cycles) + " clocks");
}

} // namespace lyra::rtl
