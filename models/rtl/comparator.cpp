// SPDX-License-Identifier: Apache-2.0
#include "rtl/comparator.h"
#include <algorithm>
#include <cstdio>

namespace lyra::rtl {

using namespace fabric;

namespace {
constexpr size_t most_outstanding = 64;

std::string file_for(const std::string& file, const std::string& block) {
  const size_t dot = file.rfind('.'), slash = file.rfind('/');
  const bool suffix = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return (suffix ? file.substr(0, dot) : file) + "." + block + (suffix ? file.substr(dot) : ".vcd");
}
} // namespace

comparator::comparator(sc_core::sc_module_name name, const context& context, std::unique_ptr<edge_rules> rules, ring_trace& trace, const std::string& file)
    : sc_module(name), in("in", *this, 0), reference("reference", *this, 0), rtl("rtl", *this, 1), context_(context), rules_(std::move(rules)), trace_(trace), file_(file_for(file, this->name())) {
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  const std::string n = this->name();
  number_signal_ = trace.add(n + ".transactions", 32, "transactions given to both sides");
  answers_signal_[0] = trace.add(n + ".reference_answers", 32, "answers of the TLM block so far");
  answers_signal_[1] = trace.add(n + ".rtl_answers", 32, "answers of the RTL block so far");
  difference_signal_ = trace.add(n + ".difference", 1, "the answers of a transaction differ");
  difference_signal_.set(0, 0);
}

request_answer comparator::on_request(unsigned, payload& p, picoseconds& at) {
  if (pairs_.size() >= most_outstanding || !to_send_[0].empty() || !to_send_[1].empty()) { // back-pressure of either side is the machine's
    held_ = &p;
    held_at_ = at;
    return request_answer::withheld;
  }
  if (on_request_hook) on_request_hook(p);
  pair e{&p, {&rules_->copy(p, true), &rules_->copy(p, false)}, {0, 0}, ++number_, at};
  pairs_.push_back(e);
  ++statistics_.transactions;
  number_signal_.set(at, number_);
  for (unsigned side = 0; side < 2; ++side) to_send_[side].push_back({e.copies[side], at});
  for (unsigned side = 0; side < 2; ++side) pump(side);
  return request_answer::accepted;
}

void comparator::on_reset() {
  pairs_.clear();
  for (auto& s : to_send_) s.clear();
  held_ = nullptr;
  held_at_ = 0;
  number_ = differences_ = 0;
  answers_[0] = answers_[1] = 0;
  statistics_ = comparator_statistics();
  trace_.reset(0);
}

void comparator::pump(unsigned side) {
  while (!to_send_[side].empty() && port(side).ready()) {
    const outgoing o = to_send_[side].front();
    to_send_[side].pop_front();
    port(side).send(*o.p, o.at);
  }
  if (held_ && pairs_.size() < most_outstanding && to_send_[0].empty() && to_send_[1].empty()) {
    payload& p = *held_;
    held_ = nullptr;
    picoseconds at = std::max(held_at_, now_ps() + context_.core.period());
    if (on_request(0, p, at) == request_answer::accepted) in.accept(at);
  }
}

void comparator::on_response(unsigned side, payload& p, picoseconds at) {
  auto e = std::find_if(pairs_.begin(), pairs_.end(), [&](const pair& x) { return x.copies[side] == &p; });
  e->answered[side] = std::max<picoseconds>(at, 1);
  answers_signal_[side].set(at, ++answers_[side]);
  if (side == 1) {
    rules_->give(p, *e->original);
    e->original->acquire(); // until both are compared
    in.respond(*e->original, at);
    e = std::find_if(pairs_.begin(), pairs_.end(), [&](const pair& x) { return x.copies[1] == &p; });
  }
  if (!e->answered[0] || !e->answered[1]) return;
  check(*e, at);
  const pair done = *e;
  pairs_.erase(e);
  done.original->release();
  for (payload* c : done.copies) c->release();
  pump(0);
}

void comparator::check(pair& e, picoseconds at) {
  const auto difference = rules_->difference(*e.copies[0], *e.copies[1]);
  if (e.answered[1] > e.answered[0]) { ++statistics_.rtl_later; statistics_.rtl_later_ps += e.answered[1] - e.answered[0]; }
  else statistics_.reference_later_ps += e.answered[0] - e.answered[1];
  if (difference.empty()) { ++statistics_.compared; return; }
  if (differences_++) return; // what follows from the first is not told
  difference_signal_.set(at, 1);
  const auto cycle = [&](picoseconds t) { return std::to_string(context_.core.floor(t)); };
  std::string text = std::string(name()) + ": transaction " + std::to_string(e.number) + " (" + rules_->describe(*e.copies[1]) + ", sent at cycle " + cycle(e.sent) + ", answered by the TLM block at " +
                     cycle(e.answered[0]) + " and by the RTL at " + cycle(e.answered[1]) + "): " + difference;
  try {
    trace_.dump(file_, text, at + context_.core.period());
    text += "; both sides' signals up to here are in " + file_;
  } catch (const std::exception& x) {
    text += "; no VCD: " + std::string(x.what());
  }
  if (context_.run) context_.run->fault({"lyra/rtl/difference", text, at, 0, 0, 0, -1});
  else SC_REPORT_ERROR("lyra/rtl/difference", text.c_str());
}

/// Loosely timed: the reference at once, then the RTL, which takes time.
void comparator::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  if (on_request_hook) on_request_hook(p);
  pair e{&p, {&rules_->copy(p, true), &rules_->copy(p, false)}, {1, 1}, ++number_, now_ps()};
  ++statistics_.transactions;
  sc_core::sc_time aside;
  reference.socket->b_transport(*e.copies[0], aside);
  rtl.socket->b_transport(*e.copies[1], delay);
  e.answered[0] = e.answered[1] = now_ps() + 1;
  rules_->give(*e.copies[1], p);
  check(e, now_ps());
  for (payload* c : e.copies) c->release();
}

unsigned comparator::transport_dbg(unsigned, payload& p) {
  if (p.get_command() == tlm::TLM_WRITE_COMMAND) rtl.socket->transport_dbg(p);
  return reference.socket->transport_dbg(p);
}

} // namespace lyra::rtl
