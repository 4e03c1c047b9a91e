// SPDX-License-Identifier: Apache-2.0
#include "rtl/lds_transactor.h"
#include <cstring>

namespace lyra::rtl {

using namespace fabric;

lds_transactor::lds_transactor(sc_core::sc_module_name name, const fabric::context& context, std::unique_ptr<lds_block> block, const clocking& options, unsigned queue_depth, alu::ds_m0_use m0_use)
    : clocked(name, context, context.core, std::move(block), options), queue_server("cu_socket", queue_depth), array_(dynamic_cast<memory_array*>(&this->block())), m0_use_(m0_use), works_(4) {
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string n = std::string(this->name()) + ".pins.";
    req_valid_ = t->add(n + "req_valid", 1, "RTL LDS: request valid");
    req_ready_ = t->add(n + "req_ready", 1, "RTL LDS: request ready");
    req_op_ = t->add(n + "req_op", 5, "RTL LDS: operation (rtl/pins.h, lds_op)");
    req_lanes_ = t->add(n + "req_lanes", 32, "RTL LDS: lanes of the beat");
    req_tag_ = t->add(n + "req_tag", 8, "RTL LDS: number of the beat");
    req_address_ = t->add(n + "req_address0", 16, "RTL LDS: address of lane 0");
    req_data0_ = t->add(n + "req_data0_0", 32, "RTL LDS: DATA0 of lane 0");
    rsp_valid_ = t->add(n + "rsp_valid", 1, "RTL LDS: response valid");
    rsp_tag_ = t->add(n + "rsp_tag", 8, "RTL LDS: number of the beat that is answered");
    rsp_data_ = t->add(n + "rsp_data0", 32, "RTL LDS: response data of lane 0");
    reset_ = t->add(n + "reset_n", 1, "RTL LDS: reset, active low");
  }
}

void lds_transactor::on_reset() {
  forget_requests();
  for (work& w : works_) w = work();
  first_ = count_ = sending_ = 0;
  next_tag_ = answer_tag_ = 0;
  last_answer_ = 0;
  statistics_ = transactor_statistics();
  reset_clock();
}

void lds_transactor::retire(cycle_t cycle) {
  while (count_ && at(0).plan.done()) {
    work& w = at(0);
    w.q.p->set_response_status(tlm::TLM_OK_RESPONSE);
    ++statistics_.transactions;
    last_answer_ = std::max(last_answer_, answer_at(cycle));
    const queued q = w.q;
    first_ = (first_ + 1) % works_.size();
    --count_;
    if (sending_) --sending_;
    finish(q, last_answer_);
  }
}

void lds_transactor::at_edge(cycle_t cycle, const lds_out& out) {
  ++statistics_.clock_cycles;
  const picoseconds t = clock().at(cycle);
  req_ready_.set(t, out.req_ready);
  rsp_valid_.set(t, out.rsp_valid);
  if (out.rsp_valid) { rsp_tag_.set(t, out.rsp_tag); rsp_data_.set(t, out.rsp_data[0]); }
  if (inputs().req_valid) {
    if (out.req_ready) {
      at(sending_).plan.sent();
      ++next_tag_;
      ++statistics_.beats;
    } else ++statistics_.stalled_cycles;
  }
  if (out.rsp_valid && inputs().rsp_ready) {
    if (out.rsp_tag != answer_tag_ || answer_tag_ == next_tag_ || !count_) {
      char text[160];
      std::snprintf(text, sizeof text, "the RTL answers beat %u where %s was due: each request beat is answered once, in order, with its tag (docs/rtl.md)", out.rsp_tag,
                    answer_tag_ == next_tag_ ? "no answer" : ("beat " + std::to_string(answer_tag_)).c_str());
      fault("lyra/rtl/protocol", text, cycle);
      return;
    }
    ++answer_tag_;
    // beats are answered in order: the oldest instruction with unanswered beats is the first that is not done
    for (size_t i = 0; i < count_; ++i)
      if (!at(i).plan.done()) { at(i).plan.answer(out.rsp_data); break; }
  }
  retire(cycle);
}

void lds_transactor::next_inputs(cycle_t cycle, lds_in& next) {
  const picoseconds t = clock().at(cycle);
  // instructions into the block, as long as neither the new one nor the last one must be alone
  while (!holds_back() && count_ < works_.size() && (count_ == 0 || at(count_ - 1).plan.how() != lds_plan::way::gathered)) {
    queued q;
    if (!take(t, q)) break;
    work& w = at(count_);
    w.q = q;
    w.since = cycle;
    w.plan.begin(wave_pool::of(*q.p), m0_use_);
    ++count_;
    ++(w.plan.how() == lds_plan::way::native ? statistics_.native : w.plan.how() == lds_plan::way::gathered ? statistics_.split : statistics_.local);
    if (count_ == 1) retire(cycle); // nothing to send at all
  }
  while (sending_ < count_ && at(sending_).plan.all_sent()) ++sending_;
  const lds_beat* b = nullptr;
  if (sending_ < count_ && (sending_ == 0 || at(sending_).plan.how() != lds_plan::way::gathered)) b = at(sending_).plan.next();
  next.rsp_ready = true;
  next.req_valid = b != nullptr;
  if (b) {
    next.req_op = uint8_t(b->op);
    next.req_tag = next_tag_;
    next.req_lanes = b->lanes;
    std::memcpy(next.req_address, b->address, sizeof b->address);
    std::memcpy(next.req_data0, b->data0, sizeof b->data0);
    std::memcpy(next.req_data1, b->data1, sizeof b->data1);
    std::memcpy(next.req_enables, b->enables, sizeof b->enables);
    req_op_.set(t, next.req_op);
    req_lanes_.set(t, next.req_lanes);
    req_tag_.set(t, next.req_tag);
    req_address_.set(t, next.req_address[0]);
    req_data0_.set(t, next.req_data0[0]);
  }
  req_valid_.set(t, next.req_valid);
  reset_.set(t, next.reset_n);
}

unsigned lds_transactor::transport_dbg(unsigned, payload& p) {
  if (!array_ || p.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  const bool reads = p.get_command() == tlm::TLM_READ_COMMAND;
  unsigned done = 0;
  while (done < p.get_data_length()) {
    const uint64_t at = p.get_address() + done;
    const unsigned n = at % 4 == 0 && p.get_data_length() - done >= 4 ? 4 : 1;
    if (reads ? !array_->read(at, p.get_data_ptr() + done, n) : !array_->write(at, p.get_data_ptr() + done, (1u << n) - 1, n)) break;
    done += n;
  }
  return done;
}

bool lds_transactor::oldest(cycle_t& since, std::string& what) const {
  if (!count_) return false;
  since = at(0).since;
  what = describe(wave_pool::of(*at(0).q.p));
  return true;
}

} // namespace lyra::rtl
