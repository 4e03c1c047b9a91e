// SPDX-License-Identifier: Apache-2.0
// One wave instruction of the data share as beats of an LDS port. Plain C++, no kernel.
//
// Native: loads and stores of whole dwords, byte and short stores that stay in a dword, and 32-bit integer atomics, all lanes inside the allocation. A beat is
// one dword of 32 lanes. Gathered: everything else that touches memory (byte and short loads, unaligned, partly outside, 64-bit and float atomics, append,
// exchange of two, SRC2 forms ...): every dword that can be touched is read, the instruction is done on the copy, and what changed is written back. Nothing else may be
// in the block meanwhile, so it is atomic. Local: swizzle, permute, nop: no beat.
#pragma once
#include "fabric/data_share.h"
#include "rtl/pins.h"
#include <vector>

namespace lyra::rtl {

struct lds_beat {
  lds_op op = lds_op::read;
  uint32_t lanes = 0;
  uint16_t address[32];
  uint32_t data0[32], data1[32], enables[4];
  uint8_t row = 0, half = 0; ///< where the answer goes: result[row][32 * half + lane]
};

class lds_plan {
public:
  enum class way : uint8_t { local, native, gathered };
  /// Plans `w`; the memory is the RTL's. `m0_use` as for fabric::data_share_window. Only the GDS's instructions cannot be done: fault `unsupported`.
  void begin(fabric::wave_request& w, alu::ds_m0_use m0_use);
  way how() const { return way_; }
  /// The next beat to send; null: none now (all sent, or answers are missing).
  const lds_beat* next() const { return sent_ < beats_.size() ? &beats_[sent_] : nullptr; }
  void sent() { ++sent_; }
  /// The answer to the oldest unanswered beat.
  void answer(const uint32_t* data);
  /// All is answered and the results stand in the request.
  bool done() const { return finished_ && answered_ == beats_.size(); }
  bool all_sent() const { return finished_ && sent_ == beats_.size(); }

private:
  bool plan_native(const alu::ds_access& a, const alu::ds_addresses& where);
  bool overlaps(const alu::ds_access& a, const alu::ds_addresses& where, unsigned elements);
  void add_beats(lds_op op, uint64_t exec, const uint32_t* address, unsigned offset, const uint32_t* d0, const uint32_t* d1, unsigned row);
  void add_small_writes(const alu::ds_access& a, const uint32_t* address);
  void set_result_shape(const alu::ds_access& a);
  void plan_gather(const alu::ds_access& a, const alu::ds_addresses& where);
  void finish_gathered();
  lds_beat& more();

  fabric::wave_request* w_ = nullptr;
  fabric::data_share_window window_;
  way way_ = way::local;
  std::vector<lds_beat> beats_;
  size_t sent_ = 0, answered_ = 0;
  bool finished_ = false;
  std::vector<uint8_t> image_;       ///< 64 KB; only gathered dwords are valid
  std::vector<uint32_t> gathered_;   ///< dword numbers in the share
  std::vector<uint32_t> before_;     ///< what they held
  std::vector<uint64_t> seen_;       ///< a bit a dword of the share
};

/// "ds_add_u32 of wave 3 at pc 0x1234, lanes 0xff" for messages.
std::string describe(const fabric::wave_request& w);

} // namespace lyra::rtl
