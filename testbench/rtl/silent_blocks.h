// SPDX-License-Identifier: Apache-2.0
// A block that never answers: every output stays 0.
#pragma once
#include "rtl/pin_block.h"

namespace lyra::testbench {

template <class In, class Out> class silent_block final : public rtl::pin_block<In, Out> {
public:
  void sample(Out& out) override { out = Out(); }
  void edge() override {}
  void drive(const In&) override {}
};

} // namespace lyra::testbench
