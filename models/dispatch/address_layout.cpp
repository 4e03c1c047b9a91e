// SPDX-License-Identifier: Apache-2.0
#include "dispatch/address_layout.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::dispatch {

namespace {
constexpr uint64_t up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }
} // namespace

void address_layout::insert(range r) {
  ranges_.insert(std::upper_bound(ranges_.begin(), ranges_.end(), r.first, [](uint64_t a, const range& x) { return a < x.first; }), std::move(r));
}

void address_layout::reserve(uint64_t address, uint64_t bytes, const std::string& what, const source_place& place) {
  if (bytes > (uint64_t(1) << 48) - address) place.fail(fmt::format("{} at {:#x} with {} bytes leaves the 48-bit address space", what, address, bytes));
  for (const auto& r : ranges_)
    if (address < r.end() && r.first < address + bytes) place.fail(fmt::format("{} at {:#x}..{:#x} overlaps {} at {:#x}..{:#x}", what, address, address + bytes, r.what, r.first, r.end()));
  insert({address, bytes, what});
}

uint64_t address_layout::allocate(uint64_t bytes, const std::string& what, uint64_t alignment) {
  uint64_t at = up(next_, alignment);
  for (const auto& r : ranges_) { // by address: each one pushes the candidate up where it is in the way
    if (r.end() + page <= at) continue;
    if (at + up(bytes, page) + page <= r.first / page * page) break;
    at = up(up(r.end(), page) + page, alignment);
  }
  next_ = at + up(bytes, page) + page;
  insert({at, bytes, what});
  return at;
}

const address_layout::range* address_layout::find(uint64_t address) const {
  auto i = std::upper_bound(ranges_.begin(), ranges_.end(), address, [](uint64_t a, const range& r) { return a < r.first; });
  if (i == ranges_.begin()) return nullptr;
  --i;
  return address < up(i->end(), page) + page ? &*i : nullptr;
}

std::string address_layout::describe(uint64_t address) const {
  const range* r = find(address);
  if (r && address < r->end()) return fmt::format("{} + {:#x}", r->what, address - r->first);
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address, [](uint64_t a, const range& x) { return a < x.first; });
  const bool before = next != ranges_.end() && next->first - address <= page && (!r || next->first - address < address - r->end());
  if (before) return fmt::format("{:#x} bytes before {}", next->first - address, next->what);
  if (r) return fmt::format("{:#x} bytes behind {}", address - r->end(), r->what);
  return "no allocation near";
}

} // namespace lyra::dispatch
