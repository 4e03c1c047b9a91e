// SPDX-License-Identifier: Apache-2.0
#include "fabric/crossbar.h"
#include <algorithm>

namespace lyra::fabric {

namespace {
/// 64-byte cycles on a port. Towards channels a line write or an atomic's operands, back a line read or an atomic's results; 1 otherwise.
unsigned beats(const payload& p, bool response) {
  if (p.get_command() != tlm::TLM_IGNORE_COMMAND) return 1;
  const atomic_extension* a = payload_pool::find_atomic(p);
  if (!a) return 1;
  using op = isa::atomic_operation;
  const bool pair = a->operation == op::atomic_cmpswap || a->operation == op::atomic_fcmpswap;
  const unsigned bytes = response ? (a->returns ? a->count * a->bytes : 0) : a->count * a->bytes * (pair ? 2 : 1);
  return std::max(1u, (bytes + line_bytes - 1) / line_bytes);
}
template <class F> void each_bit(std::vector<uint64_t>& words, F&& f) {
  for (size_t w = 0; w < words.size(); ++w)
    for (uint64_t b = words[w]; b != 0; b &= b - 1) f(unsigned(w * 64 + size_t(__builtin_ctzll(b))));
}
void set_bit(std::vector<uint64_t>& words, size_t i) { words[i / 64] |= uint64_t(1) << (i % 64); }
void clear_bit(std::vector<uint64_t>& words, size_t i) { words[i / 64] &= ~(uint64_t(1) << (i % 64)); }
} // namespace

crossbar::crossbar(sc_core::sc_module_name name, const context& context, unsigned sources, unsigned channels, const crossbar_parameters& parameters)
    : timed_module(name, context.fabric), parameters_(parameters), hash_(address_hash::kind_of(parameters.hash), channels, parameters.interleave_bytes), chaos_(context.chaos),
      number_(module_number(this->name())), request_cycles_(std::max<cycle_t>(1, context.fabric.from_ns(parameters.request_latency_ns))),
      response_cycles_(std::max<cycle_t>(1, context.fabric.from_ns(parameters.response_latency_ns))), notice_cycles_(response_cycles_), fifo_(parameters.arbitration == "fifo"), in_order_(parameters.source_order == "in_order"), cut_dmi_(parameters.dmi == "block") {
  if (sources == 0 || sources >= broadcast_route)
    SC_REPORT_ERROR("lyra/crossbar/parameter", (std::string(this->name()) + ": " + std::to_string(sources) + " sources; give 1..65534").c_str());
  if (!fifo_ && parameters.arbitration != "round_robin")
    SC_REPORT_ERROR("lyra/crossbar/parameter", (std::string(this->name()) + ": arbitration '" + parameters.arbitration + "' is not known; use round_robin or fifo").c_str());
  if (in_order_ && fifo_)
    SC_REPORT_ERROR("lyra/crossbar/parameter", (std::string(this->name()) + ": source_order 'in_order' goes with arbitration 'round_robin' only; set one of the two").c_str());
  for (unsigned s = 0; s < sources; ++s) in_.push_back(std::make_unique<target_port>("in" + std::to_string(s), *this, s));
  for (unsigned c = 0; c < channels; ++c) out_.push_back(std::make_unique<initiator_port>("out" + std::to_string(c), *this, c));
  lanes_ = fifo_ && !chaos_.on() ? 1 : sources; // chaos picks among sources, so that pairs stay in order
  source_words_ = (sources + 63) / 64;
  queues_.resize(size_t(channels) * lanes_);
  if (in_order_) {
    source_queues_.resize(sources);
    source_waits_.assign(sources, 0);
    moved_on_.reserve(channels);
  }
  waiting_sources_.assign(size_t(channels) * source_words_, 0);
  channel_states_.resize(channels);
  busy_channels_.assign((channels + 63) / 64, 0);
  source_next_.assign(sources, 0);
  source_due_.assign(sources, 0);
  sent_.assign(sources, 0);
  inside_.assign(sources, 0);
  entry_next_.assign(sources, 0);
  promised_.assign(sources, 0);
  entries_.resize(sources);
  held_.resize(sources);
  response_queues_.resize(sources);
  source_states_.resize(sources);
  busy_sources_.assign(source_words_, 0);
  channel_due_.assign(channels, 0);
  for (auto& c : channel_states_) { c.last = sources - 1; c.run = parameters.grant_run; }
  if (context.statistics) context.statistics->add(this->name(), statistics_);
  channel_depth_signals_.resize(channels);
  source_depth_signals_.resize(sources);
  if (context.trace) {
    const std::string path = this->name();
    for (unsigned c = 0; c < channels; ++c) channel_depth_signals_[c] = context.trace->add(path + ".channel" + std::to_string(c) + "_waiting", 16, "requests that wait for this channel");
    for (unsigned s = 0; s < sources; ++s) source_depth_signals_[s] = context.trace->add(path + ".source" + std::to_string(s) + "_inside", 16, "requests of this source inside the crossbar");
  }
}

crossbar::~crossbar() = default;

void crossbar::on_reset() {
  draws_ = 0;
  if (translation_) translation_->reset();
  arrivals_.clear();
  requests_.clear();
  responses_.clear();
  nodes_.clear();
  free_node_ = none;
  queues_.assign(queues_.size(), list());
  response_queues_.assign(response_queues_.size(), list());
  waiting_sources_.assign(waiting_sources_.size(), 0);
  busy_channels_.assign(busy_channels_.size(), 0);
  busy_sources_.assign(busy_sources_.size(), 0);
  channel_states_.assign(channel_states_.size(), port_state());
  for (auto& c : channel_states_) { c.last = sources() - 1; c.run = parameters_.grant_run; }
  source_queues_.assign(source_queues_.size(), list());
  source_waits_.assign(source_waits_.size(), 0);
  moved_on_.clear();
  source_states_.assign(source_states_.size(), port_state());
  source_next_.assign(source_next_.size(), 0);
  source_due_.assign(source_due_.size(), 0);
  channel_due_.assign(channel_due_.size(), 0);
  sent_.assign(sent_.size(), 0);
  inside_.assign(inside_.size(), 0);
  entry_next_.assign(entry_next_.size(), 0);
  promised_.assign(promised_.size(), 0);
  for (auto& e : entries_) e.clear();
  inside_total_ = 0;
  held_.assign(held_.size(), held());
  due_.clear();
  broadcasts_.clear();
  statistics_ = crossbar_statistics();
}

bool crossbar::to_all(const payload& p) {
  if (p.get_command() != tlm::TLM_IGNORE_COMMAND) return false;
  const policy_extension* e = payload_pool::find_policy(p);
  return e && e->control != cache_control::none && e->control != cache_control::discard && e->control != cache_control::probe;
}

void crossbar::append(list& l, const flight& f) {
  uint32_t n;
  if (free_node_ != none) { n = free_node_; free_node_ = nodes_[n].next; nodes_[n] = {f, none}; }
  else { n = uint32_t(nodes_.size()); nodes_.push_back({f, none}); }
  if (l.head == none) l.head = n;
  else nodes_[l.tail].next = n;
  l.tail = n;
}

crossbar::flight crossbar::take(list& l) {
  const uint32_t n = l.head;
  const flight f = nodes_[n].f;
  l.head = nodes_[n].next;
  nodes_[n].next = free_node_;
  free_node_ = n;
  return f;
}

// --- requests ---

request_answer crossbar::on_request(unsigned s, payload& p, picoseconds& at) {
  if (sent_[s] >= parameters_.source_depth + parameters_.source_entry) {
    held_[s] = {&p, at};
    ++statistics_.held_back;
    return request_answer::withheld;
  }
  arrive(s, p, clock().ceil(at));
  return request_answer::accepted;
}

void crossbar::arrive(unsigned s, payload& p, cycle_t arrival) {
  if (arrival < source_next_[s]) arrival = source_next_[s];
  source_next_[s] = arrival + beats(p, false);
  sent_[s] += places(p, out_.size());
  arrivals_.push(arrival, {&p, uint16_t(s), false});
  wake_at(arrival);
}

void crossbar::admit(unsigned s, payload& p, cycle_t arrival) {
  cycle_t due = arrival + request_cycles_ + chaos_.extra(number_, draws_++);
  if (translation_) due += translation_->delay(s, p.get_address(), arrival);
  if (due < source_due_[s]) due = source_due_[s];
  source_due_[s] = due;
  policy_extension* e = payload_pool::find_policy(p);
  if (!e) {
    e = new policy_extension;
    p.set_auto_extension(e);
  }
  // `due` is when the request reaches the channel; it is arbitrated a cycle before
  if (out_.size() > 1 && to_all(p)) {
    size_t b = 0;
    while (b < broadcasts_.size() && broadcasts_[b].parent) ++b;
    if (b == broadcasts_.size()) broadcasts_.emplace_back();
    broadcasts_[b] = {&p, uint16_t(s), unsigned(out_.size()), 0, tlm::TLM_OK_RESPONSE};
    ++statistics_.broadcasts;
    for (unsigned c = 0; c < out_.size(); ++c) {
      payload& child = children_.line(tlm::TLM_IGNORE_COMMAND, p.get_address());
      policy_extension& ce = payload_pool::policy(child);
      ce.copy_from(*e);
      ce.route = broadcast_route;
      ce.tag = b;
      requests_.push(due - 1, {&child, uint16_t(s), uint16_t(c), due});
    }
    inside_[s] += unsigned(out_.size());
    inside_total_ += unsigned(out_.size());
  } else {
    e->route = uint16_t(s);
    requests_.push(due - 1, {&p, uint16_t(s), uint16_t(hash_(p.get_address())), due});
    ++inside_[s];
    ++inside_total_;
  }
  if (inside_total_ > statistics_.inside_max) statistics_.inside_max = inside_total_;
  if (source_depth_signals_[s]) source_depth_signals_[s].set(clock().at(arrival), inside_[s]);
}

crossbar::flight crossbar::pick(unsigned c) {
  port_state& state = channel_states_[c];
  unsigned s = 0;
  if (lanes_ != 1) {
    uint64_t* ready = &waiting_sources_[size_t(c) * source_words_];
    if (chaos_.on()) {
      unsigned n = 0;
      for (unsigned w = 0; w < source_words_; ++w) n += unsigned(__builtin_popcountll(ready[w]));
      unsigned k = chaos_.pick(number_, draws_++, n, 0);
      for (unsigned w = 0; w < source_words_; ++w)
        for (uint64_t b = ready[w]; b != 0; b &= b - 1)
          if (k-- == 0) s = w * 64 + unsigned(__builtin_ctzll(b));
    } else { // the first one after the last one served
      const bool stays = state.run < parameters_.grant_run && (ready[state.last / 64] >> (state.last % 64) & 1); // the last one goes on
      const unsigned from = stays ? state.last : state.last + 1 == in_.size() ? 0 : state.last + 1;
      unsigned w = from / 64;
      uint64_t b = ready[w] >> (from % 64) << (from % 64);
      while (b == 0) {
        w = w + 1 == source_words_ ? 0 : w + 1;
        b = ready[w];
      }
      s = w * 64 + unsigned(__builtin_ctzll(b));
    }
    state.run = s == state.last ? state.run + 1 : 1;
    state.last = s;
    list& l = queue(c, s);
    const flight f = take(l);
    if (l.head == none) ready[s / 64] &= ~(uint64_t(1) << (s % 64));
    return f;
  }
  return take(queue(c, 0));
}

void crossbar::leave(unsigned s, cycle_t cycle) {
  --sent_[s];
  --inside_[s];
  --inside_total_;
  if (source_depth_signals_[s]) source_depth_signals_[s].set(clock().at(cycle), inside_[s]);
  if (!entries_[s].empty() && inside_[s] + promised_[s] < parameters_.source_depth) {
    payload* p = entries_[s].front();
    entries_[s].pop();
    const cycle_t entry = std::max(cycle + 1, entry_next_[s]);
    entry_next_[s] = entry + beats(*p, false);
    promised_[s] += places(*p, out_.size());
    arrivals_.push(entry, {p, uint16_t(s), true});
  }
  if (!held_[s].p || sent_[s] >= parameters_.source_depth + parameters_.source_entry) return;
  const held h = held_[s];
  held_[s].p = nullptr;
  const cycle_t entry = std::max(cycle + 1, clock().ceil(h.at));
  arrive(s, *h.p, entry);
  in_[s]->accept(clock().at(entry));
}

/// Sends one request to a channel if it can; returns the next cycle at which the channel has something to do.
cycle_t crossbar::serve_channel(unsigned c, cycle_t cycle) {
  port_state& state = channel_states_[c];
  if (!out_[c]->ready()) return never; // on_ready
  if (state.free > cycle + 1) return state.free - 1;
  const flight f = pick(c);
  const unsigned n = beats(*f.p, false);
  if (--state.waiting == 0) clear_bit(busy_channels_, c);
  if (channel_depth_signals_[c]) channel_depth_signals_[c].set(clock().at(cycle + 1), state.waiting);
  state.free = cycle + 1 + n;
  ++statistics_.requests;
  statistics_.request_beats += n;
  statistics_.request_wait_cycles += cycle + 1 - f.due;
  out_[c]->send(*f.p, clock().at(cycle + 1));
  if (in_order_) moved_on_.push_back(f.source);
  leave(f.source, cycle);
  return state.waiting != 0 ? state.free - 1 : never;
}

void crossbar::on_ready(unsigned c, picoseconds at) {
  port_state& state = channel_states_[c];
  const cycle_t a = clock().ceil(at);
  const cycle_t could = std::max(std::max<cycle_t>(state.free, 1) - 1, state.waiting_since); // a request would have left
  if (state.waiting != 0 && a > could) statistics_.channel_stall_cycles += a - could;
  if (state.free < a) state.free = a;
  if (state.waiting != 0) wake_at(std::max(state.free - 1, clock().ceil(now_ps())));
}

// --- responses ---

void crossbar::on_response(unsigned c, payload& p, picoseconds at) {
  policy_extension* e = payload_pool::find_policy(p);
  payload* back = &p;
  uint16_t source = e->route;
  if (e->route == broadcast_route) {
    broadcast& b = broadcasts_[size_t(e->tag)];
    b.at = std::max(b.at, at);
    if (p.get_response_status() != tlm::TLM_OK_RESPONSE) b.status = p.get_response_status();
    p.release();
    if (--b.left != 0) return;
    back = b.parent;
    source = b.source;
    at = b.at;
    back->set_response_status(b.status);
    b.parent = nullptr;
  }
  cycle_t due = clock().ceil(at) + response_cycles_ + chaos_.extra(number_, draws_++);
  if (due < channel_due_[c]) due = channel_due_[c];
  channel_due_[c] = due;
  responses_.push(due - notice_cycles_, {back, source, uint16_t(c), due}); // all that are due then have been announced by then
  wake_at(due - notice_cycles_);
}

void crossbar::wait_at_channel(const flight& f, cycle_t cycle) {
  append(queue(f.channel, f.source), f);
  if (lanes_ != 1) waiting_sources_[size_t(f.channel) * source_words_ + f.source / 64] |= uint64_t(1) << (f.source % 64);
  if (in_order_) source_waits_[f.source] = 1;
  port_state& state = channel_states_[f.channel];
  if (state.waiting++ == 0) state.waiting_since = cycle;
  set_bit(busy_channels_, f.channel);
  if (channel_depth_signals_[f.channel]) channel_depth_signals_[f.channel].set(clock().at(cycle + 1), state.waiting);
}

cycle_t crossbar::on_wake(cycle_t cycle) {
  if (arrivals_.next() <= cycle) {
    come_.clear();
    arrivals_.pop(cycle, [&](const arrival& a) { come_.push_back(a); });
    if (come_.size() > 1) std::stable_sort(come_.begin(), come_.end(), [](const arrival& a, const arrival& b) { return a.source != b.source ? a.source < b.source : a.waited && !b.waited; });
    for (const arrival& a : come_) {
      const unsigned s = a.source;
      if (a.waited) promised_[s] -= places(*a.p, out_.size());
      else if (!entries_[s].empty() || inside_[s] + promised_[s] >= parameters_.source_depth) {
        entries_[s].push(a.p);
        ++statistics_.held_back;
        continue;
      }
      admit(s, *a.p, cycle);
    }
  }

  // requests that have crossed, in the order of their sources
  if (requests_.next() <= cycle) {
    due_.clear();
    requests_.pop(cycle, [&](const flight& f) { due_.push_back(f); });
    if (lanes_ == 1 && due_.size() > 1)
      std::stable_sort(due_.begin(), due_.end(), [](const flight& a, const flight& b) { return a.due != b.due ? a.due < b.due : a.source < b.source; });
    for (const flight& f : due_) {
      if (in_order_ && source_waits_[f.source]) append(source_queues_[f.source], f);
      else wait_at_channel(f, cycle);
    }
  }
  cycle_t next = never;
  each_bit(busy_channels_, [&](unsigned c) { next = std::min(next, serve_channel(c, cycle)); });
  if (!moved_on_.empty()) { // the next one of the source may go in the next cycle
    for (const unsigned s : moved_on_) {
      source_waits_[s] = 0;
      if (source_queues_[s].head == none) continue;
      const flight f = take(source_queues_[s]);
      wait_at_channel(f, cycle + 1);
      if (out_[f.channel]->ready()) next = std::min(next, std::max(cycle + 2, channel_states_[f.channel].free) - 1); // free: 0 where the channel was never used
    }
    moved_on_.clear();
  }

  if (responses_.next() <= cycle) {
    due_.clear();
    responses_.pop(cycle, [&](const flight& f) { due_.push_back(f); });
    if (due_.size() > 1) std::stable_sort(due_.begin(), due_.end(), [](const flight& a, const flight& b) { return a.due != b.due ? a.due < b.due : a.channel < b.channel; });
    for (const flight& f : due_) {
      append(response_queues_[f.source], f);
      ++source_states_[f.source].waiting;
      set_bit(busy_sources_, f.source);
    }
  }
  const cycle_t out = cycle + notice_cycles_; // when responses leave that are due to be announced now
  each_bit(busy_sources_, [&](unsigned s) {
    port_state& state = source_states_[s];
    if (state.free <= out) {
      const flight f = take(response_queues_[s]);
      if (--state.waiting == 0) clear_bit(busy_sources_, s);
      const unsigned n = beats(*f.p, true);
      state.free = out + n;
      ++statistics_.responses;
      statistics_.response_beats += n;
      statistics_.response_wait_cycles += out - f.due;
      in_[s]->respond(*f.p, clock().at(out));
      if (state.waiting == 0) return;
    }
    next = std::min(next, state.free - notice_cycles_);
  });
  return std::min({next, arrivals_.next(), requests_.next(), responses_.next()});
}

// --- loosely timed, debug, direct memory ---

void crossbar::b_transport(unsigned, payload& p, sc_core::sc_time& delay) {
  delay += to_sc_time(clock().at(request_cycles_));
  if (out_.size() > 1 && to_all(p)) {
    tlm::tlm_response_status worst = tlm::TLM_OK_RESPONSE;
    for (auto& c : out_) {
      p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      c->socket->b_transport(p, delay);
      if (p.get_response_status() != tlm::TLM_OK_RESPONSE) worst = p.get_response_status();
    }
    p.set_response_status(worst);
  } else {
    out_[hash_(p.get_address())]->socket->b_transport(p, delay);
  }
  delay += to_sc_time(clock().at(response_cycles_));
}

unsigned crossbar::transport_dbg(unsigned, payload& p) {
  const uint64_t block = hash_.interleave_bytes(), first = p.get_address();
  const unsigned length = p.get_data_length();
  if (first / block == (first + (length ? length - 1 : 0)) / block) return out_[hash_(first)]->socket->transport_dbg(p);
  payload part;
  part.set_command(p.get_command());
  unsigned done = 0;
  while (done < length) { // block by block, each from its owner
    const uint64_t a = first + done;
    const unsigned n = unsigned(std::min<uint64_t>(length - done, block - a % block));
    part.set_address(a);
    part.set_data_ptr(p.get_data_ptr() + done);
    part.set_data_length(n);
    part.set_streaming_width(n);
    const unsigned got = out_[hash_(a)]->socket->transport_dbg(part);
    done += got;
    if (got < n) break;
  }
  return done;
}

bool crossbar::get_direct_mem_ptr(unsigned, payload& p, tlm::tlm_dmi& dmi) {
  const bool granted = out_[hash_(p.get_address())]->socket->get_direct_mem_ptr(p, dmi);
  if (granted && cut_dmi_) {
    const uint64_t block = hash_.interleave_bytes(), first = p.get_address() / block * block, last = first + block - 1;
    if (dmi.get_start_address() < first) {
      dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
      dmi.set_start_address(first);
    }
    if (dmi.get_end_address() > last) dmi.set_end_address(last);
  }
  return granted;
}

void crossbar::on_invalidate_direct_mem_ptr(unsigned, uint64_t first, uint64_t last) {
  for (auto& s : in_) s->socket->invalidate_direct_mem_ptr(first, last);
}

} // namespace lyra::fabric
