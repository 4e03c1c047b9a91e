// SPDX-License-Identifier: Apache-2.0
#include "memory/backing_store.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace lyra::memory {

using fabric::page_bytes;
using fabric::page_state;

namespace {
constexpr size_t slab_bytes = size_t(16) << 20;
constexpr uint64_t space_bytes = uint64_t(1) << 48;
std::string hex(uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}
uint32_t all_pages(page_state s) { return uint32_t(s) * 0x55555555u; }
} // namespace

void backing_store::freer::operator()(void* p) const { std::free(p); }

backing_store::backing_store() : regions_(size_t(1) << (48 - region_shift)) {}

backing_store::~backing_store() {
  for (void* s : slabs_) munmap(s, slab_bytes);
}

backing_store::chunk* backing_store::chunks_of(uint64_t address) {
  region& r = regions_[address >> region_shift];
  if (!r.chunks) { // calloc: the host commits the table only where it is used
    r.chunks.reset(static_cast<chunk*>(std::calloc(chunk_mask + 1, sizeof(chunk))));
    if (!r.chunks) throw std::bad_alloc();
    if (r.uniform != page_state::unmapped)
      for (uint64_t k = 0; k <= chunk_mask; ++k) r.chunks[k].states = all_pages(r.uniform);
  }
  return &r.chunks[address >> chunk_shift & chunk_mask];
}

uint8_t* backing_store::touch(uint64_t address) {
  chunk& c = *chunks_of(address);
  if (!c.data) {
    if (slab_left_ < chunk_bytes) {
      void* s = mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (s == MAP_FAILED) throw std::bad_alloc();
      slabs_.push_back(s);
      slab_next_ = static_cast<uint8_t*>(s);
      slab_left_ = slab_bytes;
    }
    c.data = slab_next_;
    slab_next_ += chunk_bytes;
    slab_left_ -= chunk_bytes;
    touched_ += chunk_bytes;
  }
  return c.data + address % chunk_bytes;
}

void backing_store::map(uint64_t address, uint64_t bytes, page_state state) {
  if (bytes == 0) return;
  if (address >= space_bytes) address = fabric::canonical(address);
  if (address % page_bytes != 0)
    throw std::invalid_argument("mapping at " + hex(address) + ": not the start of a 4 KB page; align the address");
  if (bytes > space_bytes - address) throw std::invalid_argument("mapping of " + hex(bytes) + " bytes at " + hex(address) + " goes beyond the 48-bit space; use a lower address");
  const uint64_t last = address + (bytes - 1) / page_bytes * page_bytes + page_bytes - 1;
  for (uint64_t a = address; a <= last;) {
    region& r = regions_[a >> region_shift];
    const uint64_t region_last = a | ((uint64_t(1) << region_shift) - 1);
    if (!r.chunks && a % (uint64_t(1) << region_shift) == 0 && region_last <= last) {
      r.uniform = state;
      a = region_last + 1;
      continue;
    }
    chunk& c = *chunks_of(a);
    const uint64_t chunk_last = std::min(a | (chunk_bytes - 1), last);
    const unsigned first_page = unsigned(a >> page_shift & page_mask), last_page = unsigned(chunk_last >> page_shift & page_mask);
    for (unsigned p = first_page; p <= last_page; ++p) {
      c.states = (c.states & ~(3u << 2 * p)) | uint32_t(state) << 2 * p;
      if (c.data && state == page_state::unmapped) std::memset(c.data + p * page_bytes, 0, page_bytes);
    }
    a = chunk_last + 1;
  }
  for (auto& f : callbacks_) f(address, last);
}

backing_store::extent backing_store::around(uint64_t address) {
  address = fabric::canonical(address);
  extent e;
  e.state = state(address);
  const uint64_t base = address & ~(chunk_bytes - 1);
  uint64_t first = address & ~(page_bytes - 1), end = first + page_bytes;
  while (first > base && state(first - 1) == e.state) first -= page_bytes;
  while (end < base + chunk_bytes && state(end) == e.state) end += page_bytes;
  e.first = first;
  e.last = end - 1;
  e.host = host_line(first);
  return e;
}

namespace {
template <class F> uint64_t by_lines(backing_store& s, uint64_t address, uint64_t bytes, F&& f) {
  uint64_t done = 0;
  while (done < bytes) {
    const uint64_t a = address + done;
    uint8_t* p = s.host_line(a);
    if (!p) break;
    const uint64_t n = std::min(bytes - done, page_bytes - a % page_bytes); // pages are contiguous on the host
    f(p + a % 64, done, n);
    done += n;
  }
  return done;
}
} // namespace

uint64_t backing_store::write(uint64_t address, const void* from, uint64_t bytes) {
  return by_lines(*this, address, bytes, [&](uint8_t* p, uint64_t at, uint64_t n) { std::memcpy(p, static_cast<const uint8_t*>(from) + at, n); });
}
uint64_t backing_store::read(uint64_t address, void* to, uint64_t bytes) {
  return by_lines(*this, address, bytes, [&](uint8_t* p, uint64_t at, uint64_t n) { std::memcpy(static_cast<uint8_t*>(to) + at, p, n); });
}
uint64_t backing_store::fill(uint64_t address, uint8_t value, uint64_t bytes) {
  return by_lines(*this, address, bytes, [&](uint8_t* p, uint64_t, uint64_t n) { std::memset(p, value, n); });
}

} // namespace lyra::memory
