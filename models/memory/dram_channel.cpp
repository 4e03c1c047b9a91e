// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_channel.h"
#include <algorithm>
#include <cstring>

namespace lyra::memory {

using namespace fabric;

namespace {
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
    : interleave_(p.channel_interleave_bytes), channels_(p.channels), pseudo_interleave_(p.pseudo_channel_interleave_bytes), pseudo_channels_(p.pseudo_channels),
      bank_interleave_(std::min(p.bank_interleave_bytes, p.row_bytes)), row_bytes_(p.row_bytes), banks_(p.banks), contiguous_(p.address_map == "contiguous"), hash_(p.bank_hash) {}

dram_address_map::place dram_address_map::operator()(uint64_t address) const {
  // the channel owns every channels_-th block: its own addresses are dense, and so are the pseudo channel's
  uint64_t local = channels_ == 1 ? address : address / (interleave_ * channels_) * interleave_ + address % interleave_;
  uint64_t pseudo = 0;
  if (pseudo_channels_ != 1) {
    const uint64_t block = local / pseudo_interleave_, run = block / pseudo_channels_;
    pseudo = block % pseudo_channels_;
    if (hash_ && (pseudo_channels_ & (pseudo_channels_ - 1)) == 0) pseudo ^= (run ^ run >> 4 ^ run >> 8 ^ run >> 12) & (pseudo_channels_ - 1);
    local = run * pseudo_interleave_ + local % pseudo_interleave_;
  }
  uint64_t bank, row;
  if (contiguous_) {
    const uint64_t rows = (uint64_t(1) << 48) / (row_bytes_ * banks_ * pseudo_channels_ * channels_) + 1;
    row = local / row_bytes_ % rows;
    bank = local / row_bytes_ / rows % banks_;
  } else {
    bank = local / bank_interleave_ % banks_;
    row = local / (row_bytes_ * banks_);
  }
  if (hash_ && (banks_ & (banks_ - 1)) == 0) bank ^= row & (banks_ - 1);
  return {{uint32_t(bank), row}, uint32_t(pseudo)};
}

dram_channel::dram_channel(sc_core::sc_module_name name, const context& context, backing_store& store, const dram_parameters& parameters)
    : timed_module(name, context.memory), in("in", *this, 0), parameters_(parameters), store_(store), hbm2_(parameters.model == "hbm2"), chaos_(context.chaos),
      number_(module_number(this->name())), latency_ps_(ps(parameters.latency_ns)), request_path_ps_(ps(parameters.request_path_ns)), response_path_ps_(ps(parameters.response_path_ns)),
      map_(parameters), cycles_(in_cycles(parameters, context.memory)), lookahead_(cycles_.tRP + cycles_.tRCD + cycles_.tCL), clock_bytes_(parameters.bus_bits / 8 * 2) {
  make_pseudo_channels();
  store_.on_change([this](uint64_t first, uint64_t last) { if (dmi_granted_) in.socket->invalidate_direct_mem_ptr(first, last); });
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (context.trace) {
    const std::string path = this->name();
    depth_signal_ = context.trace->add(path + ".queue_depth", 16, "requests that wait");
    busy_signal_ = context.trace->add(path + ".bus_busy", 1, "the data bus carries data");
    write_signal_ = context.trace->add(path + ".bus_write", 1, "1: write data, 0: read data");
  }
}

void dram_channel::make_pseudo_channels() {
  pseudo_channels_.clear();
  if (hbm2_)
    for (unsigned c = 0; c < parameters_.pseudo_channels; ++c)
      pseudo_channels_.push_back({hbm2_scheduler(cycles_, {parameters_.scheduler_window, parameters_.write_high_watermark, parameters_.write_low_watermark, parameters_.max_bypass}), fabric::ring<dram_request>(parameters_.queue_depth)});
}

/// The bytes stay: they are the store's.
void dram_channel::on_reset() {
  draws_ = 0;
  queue_.clear();
  make_pseudo_channels();
  waiting_count_ = 0;
  dmi_granted_ = false;
  held_ = nullptr;
  held_at_ = last_arrival_ = bus_free_ps_ = 0;
  statistics_ = dram_statistics();
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
  arrival += chaos_.extra(number_, draws_++) * clock().period();
  if (arrival < last_arrival_) arrival = last_arrival_;
  last_arrival_ = arrival;
  ++waiting_count_;
  statistics_.queue_max = std::max<uint64_t>(statistics_.queue_max, waiting_count_);
  if (depth_signal_) depth_signal_.set(arrival, waiting_count_);
  if (!hbm2_) {
    queue_.push({&p, arrival, uint16_t(pieces(p))});
    wake_at(clock().ceil(std::max(arrival, bus_free_ps_)));
    return;
  }
  const auto place = map_(p.get_address());
  const unsigned n = pieces(p);
  pseudo_channels_[place.pseudo_channel].arriving.push(
      {&p, arrival, p.get_address() / line_bytes, place, uint16_t(n), uint16_t(std::max(1u, (n * parameters_.access_bytes + clock_bytes_ - 1) / clock_bytes_)), p.get_command() == tlm::TLM_WRITE_COMMAND});
  wake_at(clock().ceil(arrival + request_path_ps_));
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
  while (!queue_.empty()) {
    const waiting w = queue_.front();
    const picoseconds start = std::max(w.arrival, bus_free_ps_);
    if (start > n) return clock().ceil(start);
    queue_.pop();
    --waiting_count_;
    const picoseconds burst = ps(double(w.pieces) * parameters_.access_bytes / parameters_.bandwidth_gbps);
    bus_free_ps_ = start + burst;
    access(*w.p);
    statistics_.transferred_bytes += uint64_t(w.pieces) * parameters_.access_bytes;
    statistics_.bus_busy_ps += burst;
    statistics_.wait_ps += start - w.arrival;
    if (depth_signal_) depth_signal_.set(n, waiting_count_);
    if (busy_signal_) { busy_signal_.set(start, 1); busy_signal_.set(bus_free_ps_, 0); write_signal_.set(start, w.p->is_write()); }
    release_held(cycle);
    in.respond(*w.p, start + latency_ps_);
  }
  return never;
}

cycle_t dram_channel::serve_hbm2(cycle_t cycle) {
  cycle_t next = never;
  for (auto& c : pseudo_channels_) next = std::min(next, serve(c, cycle));
  return next;
}

cycle_t dram_channel::serve(pseudo_channel& c, cycle_t cycle) {
  hbm2_scheduler& s = c.scheduler;
  if (s.empty() && c.arriving.empty()) return never;
  statistics_.refreshes += s.refresh(cycle);
  const picoseconds n = clock().at(cycle);
  for (;;) {
    while (!c.arriving.empty() && !s.full() && c.arriving.front().arrival + request_path_ps_ <= n) {
      dram_request r = c.arriving.front();
      c.arriving.pop();
      payload& p = *r.p;
      const bool posts = r.write && parameters_.posted_writes;
      if (posts) r.p = nullptr;
      if (s.insert(r)) {
        if (!posts) continue;
        access(p);
        in.respond(p, n + response_path_ps_);
      } else if (posts) s.answer_last(p); // an older read must not see its data
    }
    if (s.empty()) return c.arriving.empty() ? never : std::max(cycle + 1, clock().ceil(c.arriving.front().arrival + request_path_ps_));
    if (s.bus_free() > cycle + lookahead_) return s.bus_free() - lookahead_;
    const auto [r, a, turned] = s.serve(cycle, chaos_, number_, draws_);
    --waiting_count_;
    if (r.p) access(*r.p);
    statistics_.row_hits += a.row == hbm2_timing::row_state::hit;
    statistics_.row_closed += a.row == hbm2_timing::row_state::closed;
    statistics_.row_conflicts += a.row == hbm2_timing::row_state::conflict;
    statistics_.turnarounds += turned;
    statistics_.transferred_bytes += uint64_t(r.bursts) * parameters_.access_bytes;
    statistics_.bus_busy_ps += r.clocks * clock().period();
    statistics_.wait_ps += clock().at(a.column) - r.arrival;
    if (depth_signal_) depth_signal_.set(n, waiting_count_);
    if (busy_signal_) {
      busy_signal_.set(clock().at(a.data_first), 1);
      busy_signal_.set(clock().at(a.data_end), 0);
      write_signal_.set(clock().at(a.data_first), r.write);
    }
    release_held(cycle);
    if (r.p) in.respond(*r.p, clock().at(a.data_end) + response_path_ps_);
  }
}

void dram_channel::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  access(p);
  delay += to_sc_time(hbm2_ ? request_path_ps_ + response_path_ps_ + clock().at(cycles_.tRCD + cycles_.tCL + 4) : latency_ps_);
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
