// SPDX-License-Identifier: Apache-2.0
// The AXI4 transactors back to back under the protocol checker, with random back-pressure on every channel; and the RTL memory likewise.
#include "Vaxi4_checker_128.h"
#include "Vaxi4_checker_256.h"
#include "Vaxi4_checker_32.h"
#include "Vaxi4_checker_512.h"
#include "Vaxi4_memory_64.h"
#include "Vaxi4_checker_64.h"
#include "rtl/checked_axi.h"
#include "support/protocol_monitor.h"
#include "support/systemc_test.h"
#include <array>
#include <map>
#include <random>

using namespace lyra;
using namespace lyra::fabric;
using namespace lyra::testbench;

namespace {

constexpr uint64_t base_address = 0x7000'0000'0000, region_bytes = 16384, error_from = base_address + region_bytes - 4096; // the last page answers errors

/// Payloads with a buffer of up to a page.
class page_payloads : public tlm::tlm_mm_interface {
public:
  payload& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<slot>());
      all_.back()->p.set_mm(this);
      all_.back()->p.set_data_ptr(all_.back()->data);
      idle_.push_back(&all_.back()->p);
    }
    payload& p = *idle_.back();
    idle_.pop_back();
    p.acquire();
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return p;
  }
  uint8_t* enables(payload& p) { return reinterpret_cast<slot*>(reinterpret_cast<char*>(&p))->enables; }
  void free(payload* p) override { idle_.push_back(p); }

private:
  struct slot { payload p; uint8_t data[4096], enables[4096]; };
  std::vector<std::unique_ptr<slot>> all_;
  std::vector<payload*> idle_;
};

/// A memory that answers after a random time, out of order, holds back requests at random, and refuses the last page.
class slow_memory : public timed_module, public request_server {
public:
  slow_memory(sc_core::sc_module_name name, const context& c, uint64_t seed) : timed_module(name, c.core), in("in", *this, 0), bytes(region_bytes), random_(seed) {}
  target_port in;
  std::vector<uint8_t> bytes;

private:
  request_answer on_request(unsigned, payload& p, picoseconds& at) override {
    access(p);
    const cycle_t c = clock().ceil(at);
    due_.emplace(c + 2 + random_() % 40, &p);
    wake_at(due_.begin()->first);
    if (random_() % 8) return request_answer::accepted;
    accept_at_ = c + 1 + random_() % 6;
    wake_at(accept_at_);
    return request_answer::withheld;
  }
  void access(payload& p) {
    const uint64_t at = p.get_address() - base_address, n = p.get_data_length();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (p.get_address() >= error_from) { p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return; }
    const uint64_t mask = payload_pool::byte_mask(p);
    for (uint64_t i = 0; i < n; ++i) {
      if (p.get_command() == tlm::TLM_READ_COMMAND) p.get_data_ptr()[i] = bytes[at + i];
      else if (mask >> i & 1) bytes[at + i] = p.get_data_ptr()[i];
    }
  }
  cycle_t on_wake(cycle_t c) override {
    if (accept_at_ && accept_at_ <= c) { accept_at_ = 0; if (in.request_withheld()) in.accept(clock().at(c + 1)); }
    while (!due_.empty() && due_.begin()->first <= c) {
      payload& p = *due_.begin()->second;
      due_.erase(due_.begin());
      in.respond(p, clock().at(c + 1));
    }
    cycle_t next = due_.empty() ? never : due_.begin()->first;
    if (accept_at_) next = std::min(next, std::max(accept_at_, c + 1));
    return next;
  }
  void b_transport(unsigned, payload& p, sc_core::sc_time&) override { access(p); }
  unsigned transport_dbg(unsigned, payload&) override { return 0; }
  std::multimap<cycle_t, payload*> due_;
  std::mt19937_64 random_;
  cycle_t accept_at_ = 0;
};

/// Random reads and writes of 1 byte to a page; every answer is checked against plain memory changed in the order of issue (the master keeps that order for what overlaps).
class traffic : public timed_module, public response_client {
public:
  traffic(sc_core::sc_module_name name, const context& c, uint64_t seed, unsigned most_bytes) : timed_module(name, c.core), out("out", *this, 0), random_(seed), most_(most_bytes), memory_(region_bytes) {}
  initiator_port out;
  bool stop = false;
  uint64_t answered = 0, errors = 0, wrong = 0;
  void start() { wake_at(now() + 1); }
  bool idle() const { return expected_.empty(); }

private:
  cycle_t on_wake(cycle_t c) override {
    if (stop || !out.ready() || expected_.size() >= 40) return never;
    payload& p = payloads_.take();
    const uint64_t at = random_() % region_bytes, room = std::min<uint64_t>(4096 - at % 4096, most_);
    const uint64_t length = random_() % 4 ? 1 + random_() % std::min<uint64_t>(room, 64) : 1 + random_() % room;
    const bool write = random_() & 1;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(base_address + at);
    p.set_data_length(unsigned(length));
    p.set_streaming_width(unsigned(length));
    p.set_byte_enable_ptr(nullptr);
    p.set_byte_enable_length(0);
    const bool bad = base_address + at >= error_from;
    if (write) {
      uint8_t* e = payloads_.enables(p);
      const bool masked = random_() & 1;
      for (uint64_t i = 0; i < length; ++i) {
        p.get_data_ptr()[i] = uint8_t(random_());
        e[i] = !masked || random_() % 3 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        if (!bad && e[i] == TLM_BYTE_ENABLED) memory_[at + i] = p.get_data_ptr()[i];
      }
      if (masked) { p.set_byte_enable_ptr(e); p.set_byte_enable_length(unsigned(length)); }
      expected_[&p] = {bad, {}};
    } else expected_[&p] = {bad, std::vector<uint8_t>(memory_.begin() + std::ptrdiff_t(at), memory_.begin() + std::ptrdiff_t(at + length))};
    out.send(p, clock().at(c + 1));
    return out.ready() ? c + 1 + random_() % 3 : never;
  }
  void on_response(unsigned, payload& p, picoseconds at) override {
    const auto e = expected_.find(&p);
    ++answered;
    if (e->second.first) {
      ++errors; // a masked-out write reaches nothing: no error then
      if (p.get_response_status() != tlm::TLM_ADDRESS_ERROR_RESPONSE && !p.get_byte_enable_ptr()) ++wrong;
    } else if (!p.is_response_ok() || (p.get_command() == tlm::TLM_READ_COMMAND && std::memcmp(p.get_data_ptr(), e->second.second.data(), e->second.second.size()) != 0)) ++wrong;
    expected_.erase(e);
    p.release();
    wake_at(std::max(clock().ceil(at), now() + 1));
  }
  void on_ready(unsigned, picoseconds at) override { wake_at(std::max(clock().ceil(at), now() + 1)); }
  page_payloads payloads_;
  std::map<payload*, std::pair<bool, std::vector<uint8_t>>> expected_;
  std::mt19937_64 random_;
  unsigned most_;
  std::vector<uint8_t> memory_;
};

struct bench {
  payload_pool lines;
  run_state run;
  context ctx;
  bench() { ctx.lines = &lines; ctx.run = &run; }
  void check_clean() const { for (const auto& f : run.faults) BOOST_ERROR(f.text); }
};

rtl::axi4_options stalled(unsigned bits, unsigned percent) {
  rtl::axi4_options o;
  o.data_bits = bits;
  o.ids = 5; // less than what is outstanding: several with one id
  o.narrow_percent = 30;
  o.stall_percent = percent;
  return o;
}

template <class Checker> void back_to_back(unsigned bits, uint32_t beats, unsigned percent, double ratio = 1) {
  bench b;
  checker_counts counts;
  rtl::axi4_slave_options so;
  so.data_bits = bits;
  so.stall_percent = percent;
  rtl::axi4_slave slave("slave", b.ctx, so);
  slow_memory memory("memory", b.ctx, 7);
  protocol_monitor<> behind("behind"), before("before"); // TLM's base protocol on both edges
  slave.out.socket.bind(behind.in);
  behind.out.bind(memory.in.socket);
  rtl::clocking clocking;
  clocking.clock_ratio = ratio;
  rtl::axi4_master master("master", b.ctx, b.ctx.core, std::make_unique<checked_axi<Checker>>(std::make_unique<slave_link>(slave), &counts), clocking, stalled(bits, percent));
  traffic t("traffic", b.ctx, bits, 255 * bits / 8);
  t.out.socket.bind(before.in);
  before.out.bind(master.in.socket);
  t.start();
  while (counts.beats < beats && b.run.faults.empty() && !counts.violations && sc_core::sc_pending_activity()) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  t.stop = true;
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
  b.check_clean();
  BOOST_TEST(counts.violations == 0u);
  BOOST_TEST(counts.beats >= beats);
  BOOST_TEST(t.wrong == 0u);
  BOOST_TEST(t.errors > 0u);
  BOOST_TEST(before.clean(), before.report());
  BOOST_TEST(behind.clean(), behind.report());
  BOOST_TEST(t.idle());
  BOOST_TEST(slave.idle());
  BOOST_TEST(slave.error() == "");
  BOOST_TEST_MESSAGE(bits << " bits: " << counts.beats << " beats, " << t.answered << " transactions, " << t.errors << " to the page that answers errors");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_million_beats_of_32_bits_with_back_pressure_on_every_channel) { back_to_back<Vaxi4_checker_32>(32, 1'000'000, 25); }
BOOST_AUTO_TEST_CASE(a_64_bit_bus) { back_to_back<Vaxi4_checker_64>(64, 100'000, 10); }
BOOST_AUTO_TEST_CASE(a_128_bit_bus_with_half_of_all_cycles_stalled) { back_to_back<Vaxi4_checker_128>(128, 100'000, 50); }
BOOST_AUTO_TEST_CASE(a_256_bit_bus_with_back_pressure_on_a_faster_clock) { back_to_back<Vaxi4_checker_256>(256, 100'000, 30, 1.7); }
BOOST_AUTO_TEST_CASE(a_512_bit_bus_with_back_pressure) { back_to_back<Vaxi4_checker_512>(512, 50'000, 25); }
BOOST_AUTO_TEST_CASE(a_512_bit_bus_without_stalls_on_a_clock_of_its_own) { back_to_back<Vaxi4_checker_512>(512, 100'000, 0, 0.37); }

namespace {
struct plain_array : rtl::memory_array {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(region_bytes);
  bool read(uint64_t a, uint8_t* d, unsigned n) override { if (a >= error_from) return false; std::memcpy(d, &bytes[a - base_address], n); return true; }
  bool write(uint64_t a, const uint8_t* d, uint64_t s, unsigned n) override {
    if (a >= error_from) return false;
    for (unsigned i = 0; i < n; ++i) if (s >> i & 1) bytes[a - base_address + i] = d[i];
    return true;
  }
};
} // namespace

BOOST_AUTO_TEST_CASE(the_rtl_memory_keeps_the_protocol_and_the_bytes) {
  bench b;
  checker_counts counts;
  plain_array array;
  rtl::axi4_master master("master", b.ctx, b.ctx.core, std::make_unique<checked_axi<Vaxi4_checker_64>>(std::make_unique<verilated_axi_memory<Vaxi4_memory_64, 64>>(array), &counts), {}, stalled(64, 30));
  traffic t("traffic", b.ctx, 3, 2040); // an unaligned burst of 2048 bytes would have 257 beats
  t.out.socket.bind(master.in.socket);
  t.start();
  while (counts.beats < 50'000 && b.run.faults.empty() && sc_core::sc_pending_activity()) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  b.check_clean();
  BOOST_TEST(counts.violations == 0u);
  BOOST_TEST(counts.beats >= 50'000u);
  BOOST_TEST(t.wrong == 0u);
  BOOST_TEST(t.errors > 0u);
}

BOOST_AUTO_TEST_CASE(the_checker_sees_what_breaks_the_protocol) {
  // the same traffic, and pins spoiled in one way each: R that goes away before it is taken, data that change under valid, RLAST one beat early, a foreign id
  struct way { const char* what; std::function<void(rtl::axi_slave_pins&, uint64_t)> spoil; };
  const way ways[] = {{"R goes away", [](rtl::axi_slave_pins& p, uint64_t n) { if (n % 3 == 0) p.r.valid = false; }},
                      {"R changes", [](rtl::axi_slave_pins& p, uint64_t n) { p.r.data[0] = uint8_t(n); }},
                      {"an id that nobody uses", [](rtl::axi_slave_pins& p, uint64_t n) { if (n > 500) p.b.id = 9; }}};
  std::vector<std::unique_ptr<sc_core::sc_module>> keep;
  bench b[3];
  checker_counts counts[3];
  uint64_t calls = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    rtl::axi4_slave_options so;
    so.data_bits = 32;
    auto slave = std::make_unique<rtl::axi4_slave>(("slave" + n).c_str(), b[i].ctx, so);
    auto memory = std::make_unique<slow_memory>(("memory" + n).c_str(), b[i].ctx, 7);
    slave->out.socket.bind(memory->in.socket);
    auto link = std::make_unique<slave_link>(*slave);
    link->spoil = [&calls, f = ways[i].spoil](rtl::axi_slave_pins& p) { f(p, ++calls); };
    auto master = std::make_unique<rtl::axi4_master>(("master" + n).c_str(), b[i].ctx, b[i].ctx.core, std::make_unique<checked_axi<Vaxi4_checker_32>>(std::move(link), &counts[i]), rtl::clocking(), stalled(32, 30));
    auto t = std::make_unique<traffic>(("traffic" + n).c_str(), b[i].ctx, 1, 1024);
    t->out.socket.bind(master->in.socket);
    t->start();
    keep.push_back(std::move(slave)); keep.push_back(std::move(memory)); keep.push_back(std::move(master)); keep.push_back(std::move(t));
  }
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  for (unsigned i = 0; i < 3; ++i) BOOST_TEST(counts[i].violations > 0u, ways[i].what);
}
