// SPDX-License-Identifier: Apache-2.0
#include "rtl/atomic_transactor.h"
#include <cstring>

namespace lyra::rtl {

using namespace fabric;

namespace {
const char* const names[] = {"none", "swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec", "fcmpswap", "fmin", "fmax", "fadd"};
const isa::atomic_operation integer[] = {isa::atomic_operation::atomic_swap, isa::atomic_operation::atomic_cmpswap, isa::atomic_operation::atomic_add, isa::atomic_operation::atomic_sub,
                                         isa::atomic_operation::atomic_smin, isa::atomic_operation::atomic_umin, isa::atomic_operation::atomic_smax, isa::atomic_operation::atomic_umax,
                                         isa::atomic_operation::atomic_and, isa::atomic_operation::atomic_or, isa::atomic_operation::atomic_xor, isa::atomic_operation::atomic_inc,
                                         isa::atomic_operation::atomic_dec};
} // namespace

bool atomic_operation_number(isa::atomic_operation operation, uint8_t& number) {
  for (number = 0; number < std::size(integer); ++number)
    if (integer[number] == operation) return true;
  return false;
}

std::string describe_atomic(const payload& p) {
  const atomic_extension* a = payload_pool::find_atomic(p);
  if (!a) return "a transaction without atomic packet";
  char text[160];
  std::snprintf(text, sizeof text, "atomic %s of requester %u on line 0x%llx, %u entries of %u bytes", unsigned(a->operation) < std::size(names) ? names[unsigned(a->operation)] : "?", a->source,
                static_cast<unsigned long long>(p.get_address()), a->count, a->bytes);
  return text;
}

atomic_transactor::atomic_transactor(sc_core::sc_module_name name, const fabric::context& context, std::unique_ptr<atomic_block> block, const clocking& options, unsigned queue_depth)
    : clocked(name, context, context.core, std::move(block), options), queue_server("in", queue_depth) {
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  if (observe::trace* t = context.trace) {
    const std::string n = std::string(this->name()) + ".pins.";
    req_valid_ = t->add(n + "req_valid", 1, "RTL atomic unit: request valid");
    req_ready_ = t->add(n + "req_ready", 1, "RTL atomic unit: request ready");
    req_op_ = t->add(n + "req_op", 5, "RTL atomic unit: operation (rtl/pins.h, atomic_op)");
    req_entries_ = t->add(n + "req_entries", 16, "RTL atomic unit: entries of the beat");
    req_operand_ = t->add(n + "req_operand0", 64, "RTL atomic unit: operand of entry 0");
    rsp_valid_ = t->add(n + "rsp_valid", 1, "RTL atomic unit: response valid");
    rsp_result_ = t->add(n + "rsp_result0", 64, "RTL atomic unit: old value of entry 0");
    rsp_line_ = t->add(n + "rsp_line0", 64, "RTL atomic unit: first 8 bytes of the new line");
    reset_ = t->add(n + "reset_n", 1, "RTL atomic unit: reset, active low");
  }
}

/// Packets that the RTL never sees: not well formed, empty, or of an operation that it does not have.
bool atomic_transactor::refuse(cycle_t cycle) {
  payload& p = *now_.p;
  atomic_extension* a = payload_pool::find_atomic(p);
  uint8_t number;
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!a || p.get_command() != tlm::TLM_IGNORE_COMMAND) p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else {
    bool bad = p.get_data_length() < line_bytes || (a->bytes != 4 && a->bytes != 8) || a->count > 64 || a->operation == isa::atomic_operation::atomic_none;
    for (unsigned i = 0; !bad && i < a->count; ++i) bad = a->entries[i].offset % a->bytes != 0 || a->entries[i].offset + a->bytes > line_bytes;
    if (bad) p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else if (!atomic_operation_number(a->operation, number)) {
      p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
      fault("lyra/rtl/unsupported", describe_atomic(p) + ": the RTL port has integer operations only; use atomic.implementation = \"tlm\" for this program", cycle);
    } else if (a->count != 0) return false;
  }
  return true;
}

void atomic_transactor::on_reset() {
  forget_requests();
  now_ = queued();
  since_ = 0;
  sent_ = answered_ = 0;
  last_answer_ = 0;
  statistics_ = transactor_statistics();
  reset_clock();
}

void atomic_transactor::retire(cycle_t cycle) {
  ++statistics_.transactions;
  last_answer_ = std::max(last_answer_, answer_at(cycle));
  const queued q = now_;
  now_ = queued();
  finish(q, last_answer_);
}

void atomic_transactor::at_edge(cycle_t cycle, const atomic_out& out) {
  ++statistics_.clock_cycles;
  const picoseconds t = clock().at(cycle);
  req_ready_.set(t, out.req_ready);
  rsp_valid_.set(t, out.rsp_valid);
  if (out.rsp_valid) { rsp_result_.set(t, out.rsp_result[0]); rsp_line_.set(t, out.rsp_line[0]); }
  if (inputs().req_valid) {
    if (out.req_ready) { ++sent_; ++statistics_.beats; }
    else ++statistics_.stalled_cycles;
  }
  if (!out.rsp_valid || !inputs().rsp_ready) return;
  const unsigned beats = now_.p ? (payload_pool::atomic_of(*now_.p).count + 15u) / 16 : 0;
  if (answered_ >= sent_ || out.rsp_last != (answered_ + 1 == beats)) {
    fault("lyra/rtl/protocol", answered_ >= sent_ ? "the RTL answers where no answer is due" : "rsp_last of " + describe_atomic(*now_.p) + " does not stand at its last beat", cycle);
    return;
  }
  atomic_extension& a = payload_pool::atomic_of(*now_.p);
  for (unsigned i = 16 * answered_; i < a.count && i < 16 * (answered_ + 1); ++i)
    a.entries[i].result = a.bytes == 8 ? out.rsp_result[i % 16] : uint32_t(out.rsp_result[i % 16]);
  if (++answered_ < beats) return;
  std::memcpy(now_.p->get_data_ptr(), out.rsp_line, line_bytes);
  retire(cycle);
}

void atomic_transactor::fill(atomic_in& next) {
  const atomic_extension& a = payload_pool::atomic_of(*now_.p);
  const unsigned first = 16 * sent_;
  atomic_operation_number(a.operation, next.req_op);
  next.req_wide = a.bytes == 8;
  next.req_first = first == 0;
  next.req_last = first + 16 >= a.count;
  next.req_entries = 0;
  next.req_word = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const bool on = first + i < a.count;
    if (on) { next.req_entries |= uint16_t(1u << i); next.req_word |= uint64_t(a.entries[first + i].offset / 4) << 4 * i; }
    next.req_operand[i] = on ? a.entries[first + i].operand : 0;
    next.req_compare[i] = on ? a.entries[first + i].compare : 0;
  }
  std::memcpy(next.req_line, now_.p->get_data_ptr(), line_bytes);
}

void atomic_transactor::next_inputs(cycle_t cycle, atomic_in& next) {
  const picoseconds t = clock().at(cycle);
  while (!now_.p && !holds_back() && take(t, now_)) {
    since_ = cycle;
    sent_ = answered_ = 0;
    if (refuse(cycle)) retire(cycle);
  }
  next.rsp_ready = true;
  next.req_valid = now_.p && 16 * sent_ < payload_pool::atomic_of(*now_.p).count;
  if (next.req_valid) {
    fill(next);
    req_op_.set(t, next.req_op);
    req_entries_.set(t, next.req_entries);
    req_operand_.set(t, next.req_operand[0]);
  }
  req_valid_.set(t, next.req_valid);
  reset_.set(t, next.reset_n);
}

bool atomic_transactor::oldest(cycle_t& since, std::string& what) const {
  if (!now_.p) return false;
  since = since_;
  what = describe_atomic(*now_.p);
  return true;
}

} // namespace lyra::rtl
