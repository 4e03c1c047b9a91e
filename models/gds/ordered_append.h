// SPDX-License-Identifier: Apache-2.0
// The ordered-append unit: DS_ORDERED_COUNT requests leave it in the order in which their waves were dispatched. Plain C++, no kernel.
#pragma once
#include "gds/wave_sync.h"
#include <memory>

namespace lyra::gds {

/// The fields of DS_ORDERED_COUNT: OFFSET0[7:2] counter index (dwords), OFFSET1[0] wave_release, [1] wave_done, [5:4] operation
/// (0 add, 1 exchange, 3 wrap); M0[31:16] is the byte address of the counters, M0[15:0] the wave's number (not used: the request carries its order).
struct ordered_fields {
  unsigned index = 0;
  bool release = false, done = false;
  alu::ds_operation operation = alu::ds_operation::none;
  static ordered_fields of(unsigned offset);
};

/// One walker for each dispatch and counter index, starting at the dispatch's first wave. A wave's request is served when the walker is at its wave. `release` moves
/// the walker to the next wave; `done` says that the wave will issue no more for any index: walkers skip it. A wave behind the walker is served at once.
class ordered_append {
public:
  struct request {
    uint64_t order = 0, first_order = 0; ///< the wave's and the dispatch's first number in dispatch order
    ordered_fields fields;
    waiting_wave wave;
  };
  /// Whether `r` may be done now.
  bool turn(const request& r);
  /// Queues a request whose turn has not come.
  void wait(const request& r);
  /// After `r` was done: moves walkers.
  void advance(const request& r);
  /// Takes a queued request whose turn has come. \return false: none
  bool take_ready(request& r);
  bool has_ready() const { return !ready_.empty(); }
  size_t waiting() const { return waiting_; }
  void describe(std::string& text) const;

private:
  struct walker { uint64_t next = 0; std::vector<request> heap; };
  struct dispatch_state {
    uint32_t dispatch = 0;
    uint64_t first = 0;
    std::vector<uint64_t> done;  ///< bit a wave, from `first`
    std::unique_ptr<walker> walkers[64];
    bool is_done(uint64_t order) const;
    void skip(walker& w) const;
  };
  dispatch_state& state_of(const request& r);
  walker& walker_of(const request& r);
  std::vector<std::unique_ptr<dispatch_state>> dispatches_;
  std::vector<walker*> ready_; ///< walkers whose queue's head may have its turn
  size_t waiting_ = 0;
};

} // namespace lyra::gds
