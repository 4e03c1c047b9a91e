// SPDX-License-Identifier: Apache-2.0
// Arrays that start at a line of the host's cache (a pair of lines, since hosts fetch these together).
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace lyra {

template <class T> struct host_line_allocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{128};
  host_line_allocator() = default;
  template <class U> host_line_allocator(const host_line_allocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, size_t) { ::operator delete(p, alignment); }
  template <class U> bool operator==(const host_line_allocator<U>&) const { return true; }
  template <class U> bool operator!=(const host_line_allocator<U>&) const { return false; }
};

template <class T> using host_lines = std::vector<T, host_line_allocator<T>>;

} // namespace lyra
