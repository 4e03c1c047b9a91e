// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_channel.h"
#include <algorithm>
#include <cstring>

namespace lyra::memory {

using namespace fabric;

namespace {
constexpr size_t nobody = ~size_t(0);
picoseconds ps(double ns) { return picoseconds(ns * 1000.0 + 0.5); }

hbm2_cycles in_cycles(const dram_parameters& p, const clock_domain& k) {
  hbm2_cycles t;
  const auto n = [&](double ns) { return unsigned(k.from_ns(ns)); };
  t.banks = p.banks;
  t.bank_groups = std::min(p.bank_groups, p.banks);
  t.tRCD = n(p.tRCD_ns); t.tRP = n(p.tRP_ns); t.tRAS = n(p.tRAS_ns); t.tCL = n(p.tCL_ns); t.tCWL = n(p.tCWL_ns);
  t.tRRD_S = n(p.tRRD_S_ns); t.tRRD_L = n(p.tRRD_L_ns); t.tFAW = n(p.tFAW_ns);
  t.tWR = n(p.tWR_ns); t.tWTR_S = n(p.tWTR_S_ns); t.tWTR_L = n(p.tWTR_L_ns); t.tRTP = n(p.tRTP_ns);
  t.tCCD_S = p.tCCD_S_cycles; t.tCCD_L = p.tCCD_L_cycles; t.tRTW_gap = p.turnaround_cycles;
  t.tREFI = n(p.tREFI_ns); t.tRFC = n(p.tRFC_ns); t.tRFCpb = n(p.tRFCpb_ns);
  t.refresh_mode = p.refresh == "off" ? hbm2_cycles::refresh::off : p.refresh == "per_bank" ? hbm2_cycles::refresh::per_bank : hbm2_cycles::refresh::all_bank;
  return t;
}
} // namespace

dram_address_map::dram_address_map(const dram_parameters& p)
    : interleave_(p.channel_interleave_bytes), channels_(p.channels), bank_interleave_(std::min(p.bank_interleave_bytes, p.row_bytes)), row_bytes_(p.row_bytes), banks_(p.banks),
      contiguous_(p.address_map == "contiguous"), hash_(p.bank_hash) {}

dram_place dram_address_map::operator()(uint64_t address) const {
  // the channel owns every channels_-th block: its own addresses are dense
  const uint64_t local = channels_ == 1 ? address : address / (interleave_ * channels_) * interleave_ + address % interleave_;
  uint64_t bank, row;
  if (contiguous_) {
    const uint64_t rows = (uint64_t(1) << 48) / (row_bytes_ * banks_ * channels_) + 1;
    row = local / row_bytes_ % rows;
    bank = local / row_bytes_ / rows % banks_;
  } else {
    bank = local / bank_interleave_ % banks_;
    row = local / (row_bytes_ * banks_);
  }
  if (hash_ && (banks_ & (banks_ - 1)) == 0) bank ^= row & (banks_ - 1);
  return {uint32_t(bank), row};
}

dram_channel::dram_channel(sc_core::sc_module_name name, const context& context, backing_store& store, const dram_parameters& parameters)
    : timed_module(name, context.memory), in("in", *this, 0), parameters_(parameters), store_(store), hbm2_(parameters.model == "hbm2"), chaos_(context.chaos),
      number_(module_number(this->name())), latency_ps_(ps(parameters.latency_ns)), request_path_ps_(ps(parameters.request_path_ns)), response_path_ps_(ps(parameters.response_path_ns)),
      map_(parameters), timing_(in_cycles(parameters, context.memory)) {
  const auto& t = timing_.cycles();
  lookahead_ = t.tRP + t.tRCD + t.tCL;
  clock_bytes_ = parameters_.bus_bits / 8 * 2;
  queue_.reserve(2 * parameters_.queue_depth + 64);
  store_.on_change([this](uint64_t first, uint64_t last) { if (dmi_granted_) in.socket->invalidate_direct_mem_ptr(first, last); });
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string path = this->name();
    depth_signal_ = context.trace->add(path + ".queue_depth", 16, "requests that wait");
    busy_signal_ = context.trace->add(path + ".bus_busy", 1, "the data bus carries data");
    write_signal_ = context.trace->add(path + ".bus_write", 1, "1: write data, 0: read data");
  }
}

unsigned dram_channel::pieces(const payload& p) const {
  const unsigned offset = unsigned(p.get_address() % line_bytes), length = p.get_data_length();
  if (p.get_byte_enable_ptr() && offset + length <= line_bytes && parameters_.access_bytes < line_bytes) {
    const uint64_t mask = payload_pool::byte_mask(p) << offset, piece = (uint64_t(1) << parameters_.access_bytes) - 1;
    unsigned n = 0;
    for (unsigned k = 0; k < line_bytes; k += parameters_.access_bytes) n += (mask >> k & piece) != 0;
    return std::max(1u, n);
  }
  const uint64_t first = p.get_address() / parameters_.access_bytes, last = (p.get_address() + std::max(1u, length) - 1) / parameters_.access_bytes;
  return unsigned(last - first + 1);
}

void dram_channel::enqueue(payload& p, picoseconds arrival) {
  arrival += chaos_.extra(number_, draws_++) * clock().period;
  if (arrival < last_arrival_) arrival = last_arrival_;
  last_arrival_ = arrival;
  waiting w{&p, arrival, p.get_address() / line_bytes, {0, 0}, uint16_t(pieces(p)), 0, p.get_command() == tlm::TLM_WRITE_COMMAND};
  if (hbm2_) {
    w.place = map_(p.get_address());
    for (size_t i = first_; i < queue_.size(); ++i)
      if (queue_[i].p && queue_[i].line == w.line) ++w.older;
    writes_waiting_ += w.write;
  }
  queue_.push_back(w);
  ++waiting_count_;
  statistics_.queue_max = std::max<uint64_t>(statistics_.queue_max, waiting_count_);
  if (depth_signal_) depth_signal_.set(arrival, waiting_count_);
  wake_at(clock().ceil(hbm2_ ? arrival + request_path_ps_ : std::max(arrival, bus_free_ps_)));
}

request_answer dram_channel::on_request(unsigned, payload& p, picoseconds& at) {
  if (waiting_count_ >= parameters_.queue_depth) {
    held_ = &p;
    held_at_ = at;
    ++statistics_.held_back;
    return request_answer::withheld;
  }
  enqueue(p, at);
  return request_answer::accepted;
}

dram_channel::waiting dram_channel::take(size_t index) {
  const waiting w = queue_[index];
  bypassed_ = index == first_ ? 0 : bypassed_ + 1;
  queue_[index].p = nullptr;
  --waiting_count_;
  if (hbm2_) {
    writes_waiting_ -= w.write;
    for (size_t i = index + 1; i < queue_.size(); ++i)
      if (queue_[i].p && queue_[i].line == w.line) --queue_[i].older;
  }
  while (first_ < queue_.size() && !queue_[first_].p) ++first_;
  if (first_ == queue_.size()) { queue_.clear(); first_ = 0; }
  else if (first_ > parameters_.queue_depth) {
    queue_.erase(queue_.begin(), queue_.begin() + std::ptrdiff_t(first_));
    first_ = 0;
  }
  return w;
}

void dram_channel::release_held(cycle_t cycle) {
  if (!held_ || waiting_count_ >= parameters_.queue_depth) return;
  payload& p = *held_;
  held_ = nullptr;
  const picoseconds entry = std::max(clock().at(cycle + 1), held_at_);
  enqueue(p, entry);
  in.accept(entry);
}

void dram_channel::access(payload& p) {
  const tlm::tlm_command command = p.get_command();
  if (command == tlm::TLM_IGNORE_COMMAND) { p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE); ++statistics_.errors; return; }
  const unsigned length = p.get_data_length();
  if (p.get_streaming_width() < length || length == 0) { p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE); ++statistics_.errors; return; }
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  const uint8_t* enables = p.get_byte_enable_ptr();
  const unsigned enable_length = p.get_byte_enable_length();
  uint8_t* data = p.get_data_ptr();
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  if (store_.state(p.get_address()) == page_state::mapped) p.set_dmi_allowed(true);
  for (unsigned done = 0; done < length;) {
    const uint64_t a = p.get_address() + done;
    const unsigned n = unsigned(std::min<uint64_t>(length - done, line_bytes - a % line_bytes));
    const page_state s = store_.state(a);
    if (s == page_state::unmapped || (write && s == page_state::read_only)) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      ++statistics_.errors;
      return;
    }
    if (s == page_state::non_resident) {
      if (!write) std::memset(data + done, 0, n);
      ++statistics_.non_resident;
    } else {
      uint8_t* host = store_.host_line(a) + a % line_bytes;
      if (!enables) {
        if (write) std::memcpy(host, data + done, n);
        else std::memcpy(data + done, host, n);
      } else {
        for (unsigned k = 0; k < n; ++k) {
          if (enables[(done + k) % enable_length] == TLM_BYTE_DISABLED) continue;
          if (write) host[k] = data[done + k];
          else data[done + k] = host[k];
        }
      }
    }
    done += n;
  }
  ++(write ? statistics_.writes : statistics_.reads);
  if (!write) statistics_.read_bytes += length;
  else if (!enables) statistics_.written_bytes += length;
  else
    for (unsigned k = 0; k < length; ++k) statistics_.written_bytes += enables[k % enable_length] != TLM_BYTE_DISABLED;
}

cycle_t dram_channel::on_wake(cycle_t cycle) { return hbm2_ ? serve_hbm2(cycle) : serve_fixed(cycle); }

cycle_t dram_channel::serve_fixed(cycle_t cycle) {
  const picoseconds n = clock().at(cycle);
  while (waiting_count_ != 0) {
    const waiting& next = queue_[first_];
    const picoseconds start = std::max(next.arrival, bus_free_ps_);
    if (start > n) return clock().ceil(start);
    const waiting w = take(first_);
    const picoseconds burst = ps(double(w.pieces) * parameters_.access_bytes / parameters_.bandwidth_gbps);
    bus_free_ps_ = start + burst;
    access(*w.p);
    statistics_.transferred_bytes += uint64_t(w.pieces) * parameters_.access_bytes;
    statistics_.bus_busy_ps += burst;
    statistics_.wait_ps += start - w.arrival;
    if (depth_signal_) depth_signal_.set(n, waiting_count_);
    if (busy_signal_) { busy_signal_.set(start, 1); busy_signal_.set(bus_free_ps_, 0); write_signal_.set(start, w.write); }
    release_held(cycle);
    in.respond(*w.p, start + latency_ps_);
  }
  return never;
}

size_t dram_channel::choose(cycle_t cycle) {
  const picoseconds n = clock().at(cycle);
  size_t best = nobody, other = nobody;
  hbm2_timing::cycle best_time = never, other_time = never;
  unsigned candidates = 0, others = 0;
  if (writes_waiting_ >= parameters_.write_high_watermark) draining_ = true;
  else if (writes_waiting_ <= parameters_.write_low_watermark) draining_ = false;
  if (bypassed_ >= parameters_.max_bypass && queue_[first_].arrival + request_path_ps_ <= n) return first_;
  for (size_t i = first_; i < queue_.size() && candidates < parameters_.scheduler_window; ++i) {
    const waiting& w = queue_[i];
    if (!w.p) continue;
    if (w.arrival + request_path_ps_ > n) break;
    if (w.older != 0) continue;
    if (w.write != draining_) { // the other direction's turn comes when this one has nothing
      if (others == parameters_.scheduler_window || best != nobody) continue;
      ++others;
      if (const auto t = timing_.earliest(w.place, w.write, cycle); t < other_time) { other_time = t; other = i; }
      continue;
    }
    ++candidates;
    if (const auto t = timing_.earliest(w.place, w.write, cycle); t < best_time) { best_time = t; best = i; }
  }
  if (chaos_.on() && candidates > 1) { // any of the ready ones
    unsigned k = chaos_.pick(number_, draws_++, candidates, 0);
    for (size_t i = first_; i < queue_.size(); ++i) {
      const waiting& w = queue_[i];
      if (w.p && w.older == 0 && w.write == draining_ && k-- == 0) return i;
    }
  }
  return best != nobody ? best : other;
}

cycle_t dram_channel::serve_hbm2(cycle_t cycle) {
  statistics_.refreshes += timing_.refresh(cycle);
  while (waiting_count_ != 0) {
    if (timing_.bus_free() > cycle + lookahead_) return timing_.bus_free() - lookahead_;
    const size_t i = choose(cycle);
    if (i == nobody) return std::max(cycle + 1, clock().ceil(queue_[first_].arrival + request_path_ps_));
    const waiting w = take(i);
    const unsigned clocks = std::max(1u, (w.pieces * parameters_.access_bytes + clock_bytes_ - 1) / clock_bytes_);
    const auto a = timing_.commit(w.place, w.write, clocks, cycle);
    access(*w.p);
    statistics_.row_hits += a.row == hbm2_timing::row_state::hit;
    statistics_.row_closed += a.row == hbm2_timing::row_state::closed;
    statistics_.row_conflicts += a.row == hbm2_timing::row_state::conflict;
    statistics_.turnarounds += w.write != last_was_write_;
    last_was_write_ = w.write;
    statistics_.transferred_bytes += uint64_t(w.pieces) * parameters_.access_bytes;
    statistics_.bus_busy_ps += clocks * clock().period;
    statistics_.wait_ps += clock().at(a.column) - w.arrival;
    if (depth_signal_) depth_signal_.set(clock().at(cycle), waiting_count_);
    if (busy_signal_) {
      busy_signal_.set(clock().at(a.data_first), 1);
      busy_signal_.set(clock().at(a.data_end), 0);
      write_signal_.set(clock().at(a.data_first), w.write);
    }
    release_held(cycle);
    in.respond(*w.p, clock().at(a.data_end) + response_path_ps_);
  }
  return never;
}

void dram_channel::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  access(p);
  const auto& t = timing_.cycles();
  delay += to_sc_time(hbm2_ ? request_path_ps_ + response_path_ps_ + clock().at(t.tRCD + t.tCL + 2) : latency_ps_);
}

unsigned dram_channel::transport_dbg(unsigned, payload& p) {
  if (p.get_command() == tlm::TLM_WRITE_COMMAND) return unsigned(store_.write(p.get_address(), p.get_data_ptr(), p.get_data_length()));
  if (p.get_command() == tlm::TLM_READ_COMMAND) return unsigned(store_.read(p.get_address(), p.get_data_ptr(), p.get_data_length()));
  return 0;
}

bool dram_channel::get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) {
  dmi.init();
  const auto e = store_.around(p.get_address());
  dmi.set_start_address(e.first);
  dmi.set_end_address(e.last);
  if (!e.host) return false; // the range for which there is none
  dmi.set_dmi_ptr(e.host);
  if (e.state == page_state::read_only) dmi.allow_read();
  else dmi.allow_read_write();
  dmi.set_read_latency(to_sc_time(latency_ps_));
  dmi.set_write_latency(to_sc_time(latency_ps_));
  dmi_granted_ = true;
  return true;
}

} // namespace lyra::memory
