// SPDX-License-Identifier: Apache-2.0
// What a transactor sees of an RTL block: its pins, once a clock. Nothing here needs a simulator of RTL: a Verilated `--cc` model, a SystemC module with
// signal ports (`--sc`), plain C++ or another simulator can stand behind it.
#pragma once
#include "fabric/chaos.h"
#include "fabric/context.h"
#include "fabric/module.h"
#include <cstdio>
#include <memory>
#include <string>

namespace lyra::rtl {

/// A clocked block with inputs `In` and outputs `Out` (plain structs of pins; `In` has `bool reset_n`). One clock cycle is
///   sample(out)   outputs as they stand before the rising edge, settled for the inputs driven last (ready may depend on valid);
///   edge()        the rising edge;
///   drive(in)     the falling edge: inputs for the next rising edge.
/// The transactor calls them in this order. A block whose clock stands still is not called.
template <class In, class Out> class pin_block {
public:
  virtual ~pin_block() = default;
  virtual void sample(Out& out) = 0;
  virtual void edge() = 0;
  virtual void drive(const In& in) = 0;
};

/// How a block is clocked and watched.
struct clocking {
  double clock_ratio = 1;        ///< RTL clock over the clock of the domain it stands in; the period is rounded to whole ps
  unsigned reset_cycles = 4;     ///< reset_n is low for so many cycles; outputs are not looked at meanwhile
  uint64_t timeout_cycles = 100000; ///< a transaction without answer for so many RTL cycles is a fault
  unsigned response_path_cycles = 0; ///< of the domain: from the block's answer to the requester (wires and queues that the RTL does not hold)
  uint64_t reset_at_cycle = 0;   ///< not 0: one more reset, at the first idle moment from this RTL cycle on
  bool free_running = false;     ///< the block gets every clock edge from time 0 on, idle or not
};

inline fabric::clock_domain rtl_clock(fabric::clock_domain domain, double ratio) { return fabric::clock_domain(fabric::picoseconds(double(domain.period()) / ratio + 0.5)); }

/// Base of the transactors: runs the block's clock only while something is outstanding. With `free_running` the edges that were left out meanwhile are made up when the
/// block is next needed: it sees every cycle, at its number, and the simulation has no events for a block that does nothing.
template <class In, class Out> class clocked : public fabric::timed_module {
public:
  /// Reset, when the block is next idle: what is outstanding is answered first, new requests wait. Memory arrays keep what the RTL lets them keep.
  void request_reset() { reset_asked_ = true; start(); }
  uint64_t clock_cycles() const { return ticks_; } ///< rising edges so far
  uint64_t resets() const { return resets_; }

protected:
  clocked(sc_core::sc_module_name name, const fabric::context& context, fabric::clock_domain domain, std::unique_ptr<pin_block<In, Out>> block, const clocking& options)
      : timed_module(name, rtl_clock(domain, options.clock_ratio)), context_(context), domain_(domain), options_(options), block_(std::move(block)) {}

  /// What happened at the rising edge of `cycle`: `inputs()` and `out` are the pins just before it.
  virtual void at_edge(fabric::cycle_t cycle, const Out& out) = 0;
  /// The inputs for the next edge. `next` holds those of the last one.
  virtual void next_inputs(fabric::cycle_t cycle, In& next) = 0;
  /// Something is to be done or to be answered.
  virtual bool busy() const = 0;
  /// Nothing is inside the block (what waits outside of it does not count).
  virtual bool block_idle() const = 0;
  /// The oldest unanswered transaction and the cycle at which the block was offered it; false: none.
  virtual bool oldest(fabric::cycle_t& since, std::string& what) const = 0;

  /// Starts the clock if it stands.
  void start() { if (!dead_ && !running_) { wake_at(std::max(now() + 1, next_edge_)); } }
  void start_at_ps(fabric::picoseconds t) { if (!dead_ && !running_) wake_at(std::max({clock().ceil(t), now() + 1, next_edge_})); }
  pin_block<In, Out>& block() { return *block_; }
  const In& inputs() const { return in_; }
  bool in_reset() const { return reset_left_ != 0; }
  bool holds_back() const { return reset_asked_ || in_reset(); } ///< nothing new goes into the block
  fabric::picoseconds answer_at(fabric::cycle_t cycle) const { return domain_.at(domain_.ceil(clock().at(cycle)) + std::max(1u, options_.response_path_cycles)); }
  void fault(const char* id, const std::string& text, fabric::cycle_t cycle) {
    dead_ = true; // the clock stands: the run can be explained
    if (context_.run) context_.run->fault({id, std::string(this->name()) + ": " + text, clock().at(cycle), 0, 0, 0, -1});
    else SC_REPORT_ERROR(id, (std::string(this->name()) + ": " + text).c_str());
  }

  fabric::context context_;
  fabric::clock_domain domain_;
  clocking options_;

  /// The clock stands again before its first edge, the block is in reset. For the on_reset of each transactor, behind its own.
  void reset_clock() {
    running_ = started_ = reset_asked_ = dead_ = reset_done_ = false;
    first_ = true;
    reset_left_ = 0;
    ticks_ = resets_ = 0;
    next_edge_ = 0;
    in_ = In();
    out_ = Out();
    block_->drive(in_);
  }

private:
  fabric::cycle_t on_wake(fabric::cycle_t cycle) override {
    if (options_.free_running && !running_)
      while (next_edge_ < cycle && !dead_) {
        const fabric::cycle_t left_out = next_edge_;
        step(left_out);
        started_ = true;
      }
    if (dead_) return fabric::never;
    step(cycle);
    if (dead_) return fabric::never;
    running_ = busy() || in_reset() || reset_asked_;
    started_ = running_ || options_.free_running;
    return running_ ? cycle + 1 : fabric::never;
  }
  /// One clock cycle: what happened at its rising edge, and the inputs for the next one.
  void step(fabric::cycle_t cycle) {
    if (started_) {
      block_->sample(out_);
      if (!in_reset()) at_edge(cycle, out_);
      block_->edge();
      ++ticks_;
      if (reset_left_ && --reset_left_ == 0) ++resets_;
      fabric::cycle_t since;
      std::string what;
      if (ticks_ % 64 == 0 && oldest(since, what) && cycle - since > options_.timeout_cycles)
        fault("lyra/rtl/timeout", "the RTL has not answered " + what + " for " + std::to_string(cycle - since) + " of its cycles (offered at " + std::to_string(since) +
                                      "): look at its ready and valid pins in a VCD (--vcd, --trace '" + std::string(this->name()) + ".*'), or raise rtl.timeout_cycles", cycle);
      if (dead_) return;
    }
    if (first_ || (options_.reset_at_cycle && !reset_done_ && cycle >= options_.reset_at_cycle)) {
      if (!first_) reset_done_ = true;
      first_ = false;
      reset_asked_ = true;
    }
    if (reset_asked_ && block_idle()) {
      reset_asked_ = false;
      reset_left_ = options_.reset_cycles;
      in_ = In();
    }
    in_.reset_n = !in_reset();
    if (!in_reset()) next_inputs(cycle, in_);
    block_->drive(in_);
    next_edge_ = cycle + 1;
  }

  std::unique_ptr<pin_block<In, Out>> block_;
  In in_{};
  Out out_{};
  bool running_ = false;  ///< the next edge is asked for
  bool started_ = false;  ///< the block has its inputs for the next edge, and gets it
  bool first_ = true, reset_asked_ = false, reset_done_ = false, dead_ = false; ///< reset_done_: that of reset_at_cycle
  unsigned reset_left_ = 0;
  uint64_t ticks_ = 0, resets_ = 0;
  fabric::cycle_t next_edge_ = 0;
};

} // namespace lyra::rtl
