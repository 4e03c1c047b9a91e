// SPDX-License-Identifier: Apache-2.0
// What the source files of the scalar data cache share.
#pragma once
#include "fabric/payload.h"
#include <cstdint>

namespace lyra::scalar_cache::internal {

using namespace fabric;

constexpr uint64_t no_key = ~uint64_t(0);
constexpr uint16_t none = 0xffff;
constexpr uint8_t non_volatile = 1; // flag of a line: every access had NV=1
// tag of an L2 request: kind, number of the write, MSHR or waiting request
constexpr uint64_t tag_fill = uint64_t(0) << 62, tag_write = uint64_t(1) << 62, tag_kind = uint64_t(3) << 62;
inline unsigned bits(uint64_t mask) { return unsigned(__builtin_popcountll(mask)); }
inline uint64_t range_mask(unsigned offset, unsigned length) { return (length >= 64 ? ~uint64_t(0) : (uint64_t(1) << length) - 1) << offset; }
inline bool is_control(payload& p) { return p.get_command() == tlm::TLM_IGNORE_COMMAND && payload_pool::policy_or_none(p).control != cache_control::none; }

} // namespace lyra::scalar_cache::internal
