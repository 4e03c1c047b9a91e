// SPDX-License-Identifier: Apache-2.0
// L2 beside its timing: ordering corner cases, cache controls, debug access, loosely timed access, direct memory, errors, foreign memories.
#include "support/memory_bench.h"
#include "support/systemc_test.h"
#include <tlm_utils/simple_target_socket.h>
#include <unordered_map>

using namespace lyra;
using namespace lyra::testbench;

namespace {
memory_bench_options options(unsigned sources = 1, unsigned channels = 1) {
  memory_bench_options o;
  o.sources = sources;
  o.channels = channels;
  return o;
}
payload& control(memory_bench& b, cache_control k) {
  payload& p = b.pool.line(tlm::TLM_IGNORE_COMMAND, 0);
  payload_pool::policy(p).control = k;
  return p;
}
payload& store(memory_bench& b, uint64_t address, uint8_t value, uint64_t mask = ~uint64_t(0)) {
  std::vector<uint8_t> d(64, value);
  return b.pool.masked_write(address, d.data(), mask);
}
payload& add(memory_bench& b, uint64_t address, uint64_t operand, unsigned offset = 0) {
  payload& p = b.pool.atomic(address);
  auto& a = payload_pool::atomic_of(p);
  a.operation = isa::atomic_operation::atomic_add;
  a.bytes = 4;
  a.returns = true;
  a.entries[0] = {0, uint8_t(offset), operand, 0, 0};
  a.count = 1;
  return p;
}
/// Runs `f` as a loosely timed initiator would.
template <class F> void as_thread(F f) {
  bool done = false;
  sc_core::sc_spawn([&] { f(); done = true; });
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  BOOST_TEST(done);
}

/// A memory that knows nothing of Lyra: separate phases by its own events, responses in random order and one phase at a time, only the base protocol.
class foreign_memory : public sc_core::sc_module {
public:
  tlm_utils::simple_target_socket<foreign_memory, 512> in{"in"};
  std::vector<uint8_t> bytes;
  uint64_t reordered = 0;
  SC_HAS_PROCESS(foreign_memory);
  explicit foreign_memory(sc_core::sc_module_name name) : sc_module(name), bytes(1 << 20, 0) {
    in.register_nb_transport_fw(this, &foreign_memory::forward);
    in.register_b_transport(this, &foreign_memory::blocking);
    in.register_transport_dbg(this, &foreign_memory::debug);
    SC_THREAD(accept);
    SC_THREAD(answer);
  }

private:
  tlm::tlm_sync_enum forward(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
    if (phase == tlm::BEGIN_REQ) {
      p.acquire();
      requested_ = &p;
      request_event_.notify(t + sc_core::sc_time(3, sc_core::SC_NS));
      return tlm::TLM_ACCEPTED;
    }
    response_done_.notify(t);
    return tlm::TLM_COMPLETED;
  }
  void accept() {
    for (;;) {
      wait(request_event_);
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time t;
      payload* p = requested_;
      waiting_.push_back(p);
      in->nb_transport_bw(*p, phase, t);
      work_.notify(sc_core::SC_ZERO_TIME);
    }
  }
  void answer() {
    for (;;) {
      while (waiting_.empty()) wait(work_);
      wait(sc_core::sc_time(double(draw_() % 40 + 1), sc_core::SC_NS));
      const size_t i = draw_() % waiting_.size();
      reordered += i != 0;
      payload* p = waiting_[i];
      waiting_.erase(waiting_.begin() + std::ptrdiff_t(i));
      sc_core::sc_time t;
      blocking(*p, t);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      const auto r = in->nb_transport_bw(*p, phase, t);
      if (r == tlm::TLM_ACCEPTED) wait(response_done_);
      else if (t.value()) wait(t);
      p->release();
    }
  }
  void blocking(payload& p, sc_core::sc_time&) {
    const uint8_t* e = p.get_byte_enable_ptr();
    for (unsigned k = 0; k < p.get_data_length(); ++k) {
      if (e && e[k % p.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
      if (p.is_write()) bytes[p.get_address() + k] = p.get_data_ptr()[k];
      else p.get_data_ptr()[k] = bytes[p.get_address() + k];
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(payload& p) {
    sc_core::sc_time t;
    blocking(p, t);
    return p.get_data_length();
  }
  payload* requested_ = nullptr;
  std::vector<payload*> waiting_;
  sc_core::sc_event request_event_, work_, response_done_;
  std::mt19937 draw_{5};
};
} // namespace

BOOST_AUTO_TEST_CASE(a_store_behind_a_missing_load_does_not_change_what_the_load_sees) {
  memory_bench b("b", options());
  b.store.map(0, 1 << 16);
  b.store.fill(0, 1, 64);
  b.sources[0]->keep = true;
  b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0)); // fetched
  b.sources[0]->at(11, store(b, 0, 2, 0xf0));                   // crosses the fill
  b.sources[0]->at(12, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_REQUIRE_EQUAL(a.size(), 3u);
  BOOST_TEST(int(a[0].p->get_data_ptr()[4]) == 1);
  BOOST_TEST(int(a[2].p->get_data_ptr()[4]) == 2);
  BOOST_TEST(int(a[2].p->get_data_ptr()[3]) == 1);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(a_fill_keeps_the_bytes_stored_before_it) {
  memory_bench b("b", options());
  b.store.map(0, 1 << 16);
  b.store.fill(0, 1, 64);
  b.sources[0]->keep = true;
  b.sources[0]->at(10, store(b, 0, 2, 0xf0)); // no fetch
  b.sources[0]->at(11, b.pool.line(tlm::TLM_READ_COMMAND, 4, 4)); // hits the stored bytes
  b.sources[0]->at(12, b.pool.line(tlm::TLM_READ_COMMAND, 0));    // fetches the rest
  b.finish();
  const auto& a = b.sources[0]->answers;
  BOOST_TEST(a[1].at - a[1].sent == 122u);
  BOOST_TEST(int(a[1].p->get_data_ptr()[0]) == 2);
  for (unsigned k = 0; k < 64; ++k) BOOST_TEST(int(a[2].p->get_data_ptr()[k]) == (k >= 4 && k < 8 ? 2 : 1));
  BOOST_TEST(b.l2[0]->statistics().partial_misses == 1u);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(write_back_cleans_invalidate_keeps_dirty_bytes_and_both_leave_nothing) {
  memory_bench b("b", options(1, 2));
  b.store.map(0, 1 << 16);
  for (unsigned k = 0; k < 20; ++k) b.sources[0]->at(10 + k, store(b, k * 256, uint8_t(k + 1), 0xff));
  b.sources[0]->at(100, control(b, cache_control::writeback));
  b.finish();
  for (unsigned k = 0; k < 20; ++k) BOOST_TEST(int(b.store.host_line(k * 256)[7]) == int(k + 1));
  BOOST_TEST(b.l2[0]->array().present() + b.l2[1]->array().present() == 20u);
  BOOST_TEST(b.l2[0]->statistics().writebacks + b.l2[1]->statistics().writebacks == 20u);
  b.store.write(0, "\x77", 1); // behind the cache
  b.sources[0]->at(0, store(b, 0, 0x55, 0x2));
  b.sources[0]->at(0, control(b, cache_control::invalidate));
  b.sources[0]->keep = true;
  b.sources[0]->at(0, b.pool.line(tlm::TLM_READ_COMMAND, 0));
  b.finish();
  const auto* d = b.sources[0]->answers.back().p->get_data_ptr();
  BOOST_TEST(int(d[0]) == 0x77); // clean bytes were dropped
  BOOST_TEST(int(d[1]) == 0x55); // dirty ones were not
  b.sources[0]->at(0, control(b, cache_control::writeback_invalidate));
  b.finish();
  BOOST_TEST(b.l2[0]->array().present() + b.l2[1]->array().present() == 0u);
  BOOST_TEST(int(b.store.host_line(0)[1]) == 0x55);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(debug_access_sees_and_changes_dirty_lines) {
  memory_bench b("b", options(1, 2));
  b.store.map(0, 1 << 16);
  b.sources[0]->at(10, store(b, 0x100, 9, 0xf));
  b.finish();
  BOOST_TEST(int(b.store.host_line(0x100)[0]) == 0);
  BOOST_TEST(b.seen(0xfe, 8) == (std::vector<uint8_t>{0, 0, 9, 9, 9, 9, 0, 0}));
  uint8_t bytes[600];
  for (unsigned k = 0; k < 600; ++k) bytes[k] = uint8_t(k);
  b.debug(tlm::TLM_WRITE_COMMAND, 0x101, bytes, 600);
  BOOST_TEST(b.seen(0x100, 4) == (std::vector<uint8_t>{9, 0, 1, 2}));
  b.sources[0]->keep = true;
  b.sources[0]->at(0, b.pool.line(tlm::TLM_READ_COMMAND, 0x100));
  b.finish();
  BOOST_TEST(int(b.sources[0]->answers.back().p->get_data_ptr()[3]) == 2);
  for (auto& c : b.l2) c->flush();
  BOOST_TEST(int(b.store.host_line(0x100)[0]) == 9);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(loosely_timed_access_goes_to_memory_and_looks_through_lines_that_are_here) {
  memory_bench b("b", options(1, 2));
  b.store.map(0, 1 << 16);
  auto& socket = b.sources[0]->out.socket;
  as_thread([&] {
    sc_core::sc_time delay;
    payload& w = store(b, 0x40, 5, 0xf);
    socket->b_transport(w, delay);
    BOOST_TEST(w.is_response_ok());
    BOOST_TEST(delay.value() == (44u + 78) * 667 + 193000);
    BOOST_TEST(int(b.store.host_line(0x40)[3]) == 5);
    BOOST_TEST(b.l2[0]->array().present() + b.l2[1]->array().present() == 0u);
    payload& a = add(b, 0x40, 3);
    socket->b_transport(a, delay);
    BOOST_TEST(payload_pool::atomic_of(a).entries[0].result == 0x05050505u);
    BOOST_TEST(int(b.store.host_line(0x40)[0]) == 8);
    payload& bad = b.pool.line(tlm::TLM_READ_COMMAND, 0x90000);
    socket->b_transport(bad, delay);
    BOOST_TEST(bad.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (payload* p : {&w, &a, &bad}) p->release();
  });
  b.sources[0]->at(0, store(b, 0x40, 7, 0xf)); // timed: dirty in L2
  b.finish();
  as_thread([&] {
    sc_core::sc_time delay;
    payload& r = b.pool.line(tlm::TLM_READ_COMMAND, 0x40);
    socket->b_transport(r, delay);
    BOOST_TEST(int(r.get_data_ptr()[0]) == 7);
    payload& a = add(b, 0x40, 1);
    socket->b_transport(a, delay);
    BOOST_TEST(payload_pool::atomic_of(a).entries[0].result == 0x07070707u);
    r.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(r, delay);
    BOOST_TEST(int(r.get_data_ptr()[0]) == 8);
    payload& c = control(b, cache_control::writeback_invalidate);
    socket->b_transport(c, delay);
    BOOST_TEST(int(b.store.host_line(0x40)[0]) == 8);
    for (payload* p : {&r, &a, &c}) p->release();
  });
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(direct_memory_is_given_while_the_cache_is_empty_and_taken_back_by_timed_requests) {
  memory_bench b("b", options());
  b.store.map(0, 1 << 20);
  payload p;
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_address(0x11240);
  tlm::tlm_dmi dmi;
  auto& socket = b.sources[0]->out.socket;
  BOOST_REQUIRE(socket->get_direct_mem_ptr(p, dmi));
  BOOST_TEST(dmi.get_dmi_ptr() + (0x11240 - dmi.get_start_address()) == b.store.host_line(0x11240));
  BOOST_TEST(dmi.get_end_address() - dmi.get_start_address() == 0xffffu);
  dmi_cache cache(b.sources[0]->out);
  BOOST_TEST(cache.line(0x11240) == b.store.host_line(0x11240));
  BOOST_TEST(b.sources[0]->invalidations == 0u);
  b.sources[0]->at(10, store(b, 0x40, 1));
  b.finish();
  BOOST_TEST(b.sources[0]->invalidations == 1u);
  BOOST_TEST(!socket->get_direct_mem_ptr(p, dmi)); // a line is here
  b.sources[0]->at(0, control(b, cache_control::writeback_invalidate));
  b.finish();
  BOOST_TEST(socket->get_direct_mem_ptr(p, dmi));
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(requests_that_make_no_sense_or_have_no_page_are_answered_with_errors) {
  memory_bench b("b", options());
  b.store.map(0, 4096);
  b.store.map(0x2000, 4096, page_state::read_only);
  b.store.map(0x4000, 4096, page_state::non_resident);
  b.sources[0]->keep = true;
  payload& crossing = b.pool.line(tlm::TLM_READ_COMMAND, 32);
  payload& streaming = b.pool.line(tlm::TLM_READ_COMMAND, 0);
  streaming.set_streaming_width(4);
  payload& unmapped = b.pool.line(tlm::TLM_READ_COMMAND, 0x1000);
  payload& unmapped_write = store(b, 0x1000, 1);
  payload& protected_ = store(b, 0x2000, 1);
  payload& readable = b.pool.line(tlm::TLM_READ_COMMAND, 0x2000);
  payload& gone = b.pool.line(tlm::TLM_READ_COMMAND, 0x4000);
  gone.get_data_ptr()[9] = 1;
  payload& dropped = store(b, 0x4000, 1);
  for (payload* p : {&crossing, &streaming, &unmapped, &unmapped_write, &protected_, &readable, &gone, &dropped}) b.sources[0]->at(10, *p);
  b.finish();
  BOOST_TEST(crossing.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(streaming.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(unmapped.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(unmapped_write.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(protected_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(readable.is_response_ok());
  BOOST_TEST(gone.is_response_ok());
  BOOST_TEST(int(gone.get_data_ptr()[9]) == 0);
  BOOST_TEST(dropped.is_response_ok());
  BOOST_TEST(b.l2[0]->statistics().errors == 5u);
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(an_error_of_memory_reaches_everyone_who_waits_and_leaves_no_line) {
  auto o = options();
  o.l2.check_pages = false; // so that only memory knows
  memory_bench b("b", o);
  b.store.map(0, 4096);
  b.sources[0]->keep = true;
  for (unsigned k = 0; k < 3; ++k) b.sources[0]->at(10, b.pool.line(tlm::TLM_READ_COMMAND, 0x8000));
  b.sources[0]->at(10, add(b, 0x8000, 1));
  b.finish();
  for (auto& a : b.sources[0]->answers) BOOST_TEST(a.p->get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(b.sources[0]->answers.size() == 4u);
  BOOST_TEST(b.l2[0]->array().present() == 0u);
  b.store.map(0x8000, 4096);
  b.sources[0]->at(0, b.pool.line(tlm::TLM_READ_COMMAND, 0x8000));
  b.finish();
  BOOST_TEST(b.sources[0]->answers.back().p->is_response_ok());
  b.check_clean();
}

BOOST_AUTO_TEST_CASE(a_write_back_to_a_page_that_went_away_is_a_machine_fault) {
  memory_bench b("b", options());
  b.store.map(0, 4096);
  b.sources[0]->at(10, store(b, 0x80, 1));
  b.finish();
  b.store.unmap(0, 4096);
  b.sources[0]->at(0, control(b, cache_control::writeback));
  b.finish();
  BOOST_REQUIRE_EQUAL(b.run.faults.size(), 1u);
  BOOST_TEST(b.run.faults[0].id == "lyra/fault/lost-writeback");
  BOOST_TEST(b.run.faults[0].address == 0x80u);
  BOOST_TEST(b.run.faults[0].text.find("0x80") != std::string::npos);
  BOOST_TEST(b.l2[0]->statistics().lost_writebacks == 1u);
}

BOOST_AUTO_TEST_CASE(streaming_lines_leave_first_or_at_once) {
  const auto fill = [](memory_bench& b, bool slc) {
    b.store.map(0, 1 << 16);
    uint64_t c = b.sources[0]->soon();
    for (unsigned k = 0; k < 4; ++k) { // four ways of set 0; the second by SLC
      payload& p = b.pool.line(tlm::TLM_READ_COMMAND, k * 1024);
      payload_pool::policy(p).slc = slc && k == 1;
      b.sources[0]->at(c += 1000, p);
    }
    b.sources[0]->at(c += 1000, b.pool.line(tlm::TLM_READ_COMMAND, 4 * 1024)); // a fifth line
    b.finish();
  };
  const auto make = [](const char* name, const char* policy) {
    auto o = options();
    o.l2.size_bytes = 4096;
    o.l2.ways = 4;
    o.l2.index_hash = "none";
    o.l2.slc_policy = policy;
    return std::make_unique<memory_bench>(name, o);
  };
  auto none = make("n", "first_victim"), first = make("f", "first_victim"), drop = make("d", "drop"), keep = make("k", "keep");
  fill(*none, false);
  BOOST_TEST(none->l2[0]->array().find(0) == cache::cache_array::absent);     // the oldest left
  fill(*first, true);
  BOOST_TEST(first->l2[0]->array().find(0) != cache::cache_array::absent);
  BOOST_TEST(first->l2[0]->array().find(1024) == cache::cache_array::absent); // the streamed one left
  fill(*drop, true);
  BOOST_TEST(drop->l2[0]->statistics().streaming_dropped == 1u);
  BOOST_TEST(drop->l2[0]->statistics().evictions == 0u);
  fill(*keep, true);
  BOOST_TEST(keep->l2[0]->array().find(0) == cache::cache_array::absent);
  BOOST_TEST(keep->l2[0]->statistics().streaming == 1u);
}

BOOST_AUTO_TEST_CASE(a_memory_that_knows_only_the_base_protocol_takes_the_dram_channels_place) {
  context ctx;
  payload_pool pool;
  run_state run;
  ctx.lines = &pool;
  ctx.run = &run;
  ctx.chaos.seed = 3;
  cache::l2_parameters p;
  p.size_bytes = 4096; // evictions all the time
  p.ways = 4;
  p.mshrs = 16;
  cache::l2_channel l2("l2", ctx, p);
  atomic::atomic_unit unit("unit", ctx, atomic::atomic_unit_parameters{});
  foreign_memory mem("mem");
  requester source("source", ctx);
  protocol_monitor<> upper("upper"), lower("lower"), side("side");
  source.out.socket.bind(upper.in);
  upper.out.bind(l2.in.socket);
  l2.memory.socket.bind(lower.in);
  lower.out.bind(mem.in);
  l2.atomic.socket.bind(side.in);
  side.out.bind(unit.in.socket);

  std::mt19937_64 draw(2);
  std::vector<uint8_t> model(400 * 64, 0);
  std::unordered_map<payload*, std::vector<uint8_t>> expected;
  unsigned left = 8000, wrong = 0, checked = 0;
  source.window = 24;
  source.source = [&]() -> payload* {
    if (left == 0) return nullptr;
    --left;
    const unsigned line = unsigned(draw() % (draw() % 2 ? 400 : 20));
    uint8_t* m = &model[line * 64];
    if (draw() % 8 == 0) {
      payload& a = pool.atomic(line * 64);
      auto& e = payload_pool::atomic_of(a);
      e.operation = isa::atomic_operation::atomic_add;
      e.bytes = 4;
      e.returns = true;
      e.count = 1;
      e.entries[0] = {0, 8, 1, 0, 0};
      uint32_t v;
      std::memcpy(&v, m + 8, 4);
      ++v;
      std::memcpy(m + 8, &v, 4);
      return &a;
    }
    if (draw() % 2) {
      uint8_t data[64];
      const uint64_t mask = draw() % 2 ? draw() : ~uint64_t(0);
      for (unsigned i = 0; i < 64; ++i) {
        data[i] = uint8_t(draw());
        if (mask >> i & 1) m[i] = data[i];
      }
      return &pool.masked_write(line * 64, data, mask);
    }
    payload& r = pool.line(tlm::TLM_READ_COMMAND, line * 64);
    expected[&r].assign(m, m + 64);
    return &r;
  };
  source.on_answer = [&](payload& p, cycle_t, cycle_t) {
    BOOST_REQUIRE(p.is_response_ok());
    const auto it = expected.find(&p);
    if (it == expected.end()) return;
    ++checked;
    wrong += !std::equal(it->second.begin(), it->second.end(), p.get_data_ptr());
    expected.erase(it);
  };
  source.start();
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
  BOOST_TEST(left == 0u);
  BOOST_TEST(source.in_flight() == 0u);
  BOOST_TEST(wrong == 0u);
  BOOST_TEST(checked > 2000u);
  BOOST_TEST(mem.reordered > 500u);
  l2.flush();
  model.resize(mem.bytes.size(), 0);
  BOOST_TEST((mem.bytes == model));
  for (auto* m : {&upper, &lower, &side}) BOOST_TEST(m->clean(), m->report());
}
