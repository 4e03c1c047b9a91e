// SPDX-License-Identifier: Apache-2.0
// A queue in one block of memory: no allocation after it has reached its working size.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace lyra::fabric {

/// First in, first out; `[k]` is the k-th from the front. Grows by doubling when full, so reserve the working size up front.
/// Memory is taken at the first push.
template <class T> class ring {
public:
  explicit ring(size_t reserve = 16) {
    while (reserve_ < reserve) reserve_ *= 2;
  }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  T& back() { return (*this)[count_ - 1]; }
  T& operator[](size_t k) { return items_[(first_ + k) & (items_.size() - 1)]; }
  const T& operator[](size_t k) const { return items_[(first_ + k) & (items_.size() - 1)]; }
  void push(T value) {
    if (count_ == items_.size()) grow();
    items_[(first_ + count_++) & (items_.size() - 1)] = std::move(value);
  }
  void pop() {
    first_ = --count_ == 0 ? 0 : (first_ + 1) & (items_.size() - 1); // an empty ring starts again in front: it stays in few lines of the host's cache
  }
  void clear() { first_ = count_ = 0; }

private:
  void grow() {
    std::vector<T> larger(items_.empty() ? reserve_ : items_.size() * 2);
    for (size_t k = 0; k < count_; ++k) larger[k] = std::move((*this)[k]);
    items_.swap(larger);
    first_ = 0;
  }
  std::vector<T> items_;
  size_t first_ = 0, count_ = 0, reserve_ = 1;
};

} // namespace lyra::fabric
