// SPDX-License-Identifier: Apache-2.0
// Stand-ins around a cache: an initiator that sends at given cycles, a data unit that notes what comes when, a memory with fixed or
// random latency that keeps the order to one line.
#pragma once
#include "fabric/context.h"
#include "fabric/module.h"
#include "fabric/ports.h"
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <random>

namespace bench {

using namespace lyra;
using fabric::cycle_t;
using fabric::payload;
using fabric::payload_pool;
using fabric::picoseconds;
using bytes64 = std::array<uint8_t, 64>;

inline bytes64 filled(uint8_t v) {
  bytes64 b;
  b.fill(v);
  return b;
}
inline bytes64 random_bytes(std::mt19937_64& r) {
  bytes64 b;
  for (auto& x : b) x = uint8_t(r());
  return b;
}

/// Sends payloads at given cycles through one initiator port; notes when they end.
class sender : public fabric::timed_module, fabric::response_client {
public:
  sender(sc_core::sc_module_name name, fabric::clock_domain c) : timed_module(name, c), port("port", *this, 0) {}
  fabric::initiator_port port;
  std::function<void(payload&, cycle_t)> on_end = [](payload&, cycle_t) {};
  std::map<uint64_t, cycle_t> ended; ///< by tag
  size_t outstanding = 0, limit = ~size_t(0);
  uint64_t sent = 0;

  void at(cycle_t c, payload& p) {
    queue_.push_back({c, &p});
    wake_at(std::max(c - 1, now()));
  }
  bool empty() const { return queue_.empty() && outstanding == 0; }

private:
  struct item { cycle_t c; payload* p; };
  std::deque<item> queue_;
  cycle_t on_wake(cycle_t c) override {
    while (!queue_.empty() && port.ready() && outstanding < limit) {
      const item i = queue_.front();
      if (i.c > c + 1) return i.c - 1;
      queue_.pop_front();
      ++outstanding;
      ++sent;
      port.send(*i.p, clock().at(std::max(i.c, c + 1)));
    }
    return fabric::never;
  }
  void on_response(unsigned, payload& p, picoseconds at) override {
    --outstanding;
    const cycle_t c = clock().ceil(at);
    ended[payload_pool::policy(p).tag] = c;
    on_end(p, c);
    p.release();
    wake_at(std::max(c, now()));
  }
  void on_ready(unsigned, picoseconds at) override { wake_at_ps(at); }
};

/// The data unit: notes each line and completes it at once, or (random) holds it back.
class receiver : public fabric::timed_module, fabric::request_server {
public:
  receiver(sc_core::sc_module_name name, fabric::clock_domain c) : timed_module(name, c), port("port", *this, 0) {}
  fabric::target_port port;
  struct arrival { cycle_t cycle; uint64_t tag; tlm::tlm_command command; bytes64 data; tlm::tlm_response_status status; bool hit; std::vector<uint64_t> results; };
  std::vector<arrival> arrivals;
  std::function<void(const arrival&)> on_arrival = [](const arrival&) {};
  std::mt19937_64* random = nullptr; ///< back-pressure at random
  bool keep = true;

  const arrival& of(uint64_t tag) const {
    for (const auto& a : arrivals)
      if (a.tag == tag) return a;
    throw std::runtime_error("nothing came for tag " + std::to_string(tag));
  }

private:
  payload* held_ = nullptr;
  cycle_t held_until_ = 0;
  void note(payload& p, cycle_t c) {
    arrival a{c, payload_pool::policy(p).tag, p.get_command(), {}, p.get_response_status(), payload_pool::policy(p).hit, {}};
    std::copy(p.get_data_ptr(), p.get_data_ptr() + 64, a.data.begin());
    if (auto* x = p.get_extension<fabric::atomic_extension>())
      for (unsigned k = 0; k < x->count; ++k) a.results.push_back(x->entries[k].result);
    on_arrival(a);
    if (keep) arrivals.push_back(std::move(a));
  }
  fabric::request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    const cycle_t c = clock().ceil(at);
    if (random && (*random)() % 8 == 0) {
      held_ = &p;
      held_until_ = c + (*random)() % 20;
      wake_at(std::max(held_until_, now() + 1));
      return fabric::request_answer::withheld;
    }
    note(p, c);
    at = clock().at(c + 1);
    return fabric::request_answer::completed;
  }
  cycle_t on_wake(cycle_t c) override {
    if (!held_) return fabric::never;
    payload& p = *held_;
    held_ = nullptr;
    note(p, c);
    port.accept(clock().at(c + 1));
    port.respond(p, clock().at(c + 2));
    return held_ ? std::max(held_until_, c + 1) : fabric::never; // accept may bring the next one
  }
  void b_transport(unsigned, payload&, sc_core::sc_time&) override { throw std::runtime_error("the data unit is not part of loosely timed access"); }
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
};

/// Memory below: serves each request `latency` cycles (plus up to `jitter`, at random) after it comes, in order to one line, at its time of
/// service; answers come in the order of service. 32- and 64-bit add is its only atomic.
class memory : public fabric::timed_module, public fabric::request_server {
public:
  memory(sc_core::sc_module_name name, fabric::clock_domain c, unsigned ports = 1) : timed_module(name, c) {
    for (unsigned i = 0; i < ports; ++i) port.push_back(std::make_unique<fabric::target_port>("port" + std::to_string(i), *this, i));
  }
  std::vector<std::unique_ptr<fabric::target_port>> port;
  std::map<uint64_t, bytes64> lines;
  cycle_t latency = 100;
  unsigned jitter = 0;
  std::mt19937_64 random{1};
  bool back_pressure = false;
  uint64_t error_from = ~uint64_t(0); ///< addresses from here on answer with an address error
  struct seen { cycle_t cycle; tlm::tlm_command command; uint64_t address, mask; bool glc, slc, nv, atomic; };
  std::vector<seen> log;
  std::function<void(uint64_t)> on_service = [](uint64_t) {};
  bool dmi = false; ///< one region: 64 KB at dmi_base
  static constexpr uint64_t dmi_base = 0x40000000;
  std::vector<uint8_t> region = std::vector<uint8_t>(1 << 16);
  unsigned b_transports = 0, dbg = 0;

  bytes64& at(uint64_t a) { return lines[a & ~63ull]; }
  size_t count(tlm::tlm_command c, uint64_t line) const {
    size_t n = 0;
    for (auto& s : log) n += s.command == c && (s.address & ~63ull) == line;
    return n;
  }

private:
  struct job { payload* p; unsigned port; };
  std::multimap<cycle_t, job> jobs_;
  std::map<uint64_t, cycle_t> last_;
  std::map<unsigned, std::pair<payload*, cycle_t>> held_;
  cycle_t wake_ = 0;

  void take(payload& p, unsigned port, cycle_t c) {
    log.push_back({c, p.get_command(), p.get_address(), payload_pool::byte_mask(p), payload_pool::policy(p).glc, payload_pool::policy(p).slc, payload_pool::policy(p).nv,
                   p.get_command() == tlm::TLM_IGNORE_COMMAND});
    cycle_t s = c + latency - 1 + (jitter ? random() % (jitter + 1) : 0);
    cycle_t& last = last_[p.get_address() & ~63ull];
    s = last = std::max(s, last);
    jobs_.insert({s, {&p, port}}); // equal times keep their order
    wake_at(s);
  }
  fabric::request_answer on_request(unsigned port, payload& p, picoseconds& at) override {
    const cycle_t c = clock().ceil(at);
    if (back_pressure && random() % 4 == 0) {
      held_[port] = {&p, std::max(c, now() + 1) + random() % 10};
      wake_at(held_[port].second);
      return fabric::request_answer::withheld;
    }
    take(p, port, c);
    return fabric::request_answer::accepted;
  }
  void perform(payload& p) {
    const uint64_t a = p.get_address();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (a >= error_from) { p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return; }
    uint8_t* m = dmi && a >= dmi_base && a < dmi_base + region.size() ? region.data() + (a - dmi_base) : at(a).data() + a % 64;
    if (p.get_command() == tlm::TLM_READ_COMMAND) std::copy(m, m + p.get_data_length(), p.get_data_ptr());
    else if (p.get_command() == tlm::TLM_WRITE_COMMAND) {
      const uint64_t mask = payload_pool::byte_mask(p);
      for (unsigned i = 0; i < p.get_data_length(); ++i)
        if (mask >> i & 1) m[i] = p.get_data_ptr()[i];
    } else if (auto* x = p.get_extension<fabric::atomic_extension>()) {
      m = at(a).data();
      for (unsigned k = 0; k < x->count; ++k) {
        auto& e = x->entries[k];
        uint64_t v = 0;
        std::copy(m + e.offset, m + e.offset + x->bytes, reinterpret_cast<uint8_t*>(&v));
        e.result = v;
        v += e.operand;
        std::copy(reinterpret_cast<uint8_t*>(&v), reinterpret_cast<uint8_t*>(&v) + x->bytes, m + e.offset);
      }
    }
    on_service(a);
  }
  cycle_t on_wake(cycle_t c) override {
    while (!jobs_.empty() && jobs_.begin()->first <= c) {
      const job j = jobs_.begin()->second;
      jobs_.erase(jobs_.begin());
      perform(*j.p);
      port[j.port]->respond(*j.p, clock().at(c + 1));
    }
    std::vector<std::pair<unsigned, payload*>> due;
    for (auto& [k, h] : held_)
      if (h.second <= c) due.push_back({k, h.first});
    for (auto& [k, p] : due) {
      held_.erase(k);
      take(*p, k, c + 1);
      port[k]->accept(clock().at(c + 1));
    }
    cycle_t next = jobs_.empty() ? fabric::never : std::max(jobs_.begin()->first, c + 1);
    for (auto& [k, h] : held_) next = std::min(next, std::max(h.second, c + 1));
    return next;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time& t) override {
    ++b_transports;
    perform(p);
    t += fabric::to_sc_time(1000);
  }
  unsigned transport_dbg(unsigned, payload& p) override {
    ++dbg;
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      uint8_t& m = at(p.get_address() + i)[(p.get_address() + i) % 64];
      if (p.get_command() == tlm::TLM_READ_COMMAND) p.get_data_ptr()[i] = m;
      else m = p.get_data_ptr()[i];
    }
    return p.get_data_length();
  }
  bool get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& d) override {
    d.init();
    if (!dmi || p.get_address() < dmi_base || p.get_address() >= dmi_base + region.size()) return false;
    d.set_start_address(dmi_base);
    d.set_end_address(dmi_base + region.size() - 1);
    d.set_dmi_ptr(region.data());
    d.allow_read_write();
    return true;
  }
};

/// Counters of a block by name.
inline uint64_t counter(const observe::statistics& s, const std::string& path) {
  for (auto& e : s.entries())
    if (e.path == path) return *e.value;
  throw std::runtime_error("no counter " + path);
}

} // namespace bench
