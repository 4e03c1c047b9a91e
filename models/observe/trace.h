// SPDX-License-Identifier: Apache-2.0
// Named signals of the machine, for VCD. A signal that nobody selected costs one null test.
#pragma once
#include <cstdint>
#include <string>

namespace lyra::observe {

class trace;

/// A handle to one traced signal; default-constructed or not selected: every call does nothing.
class signal {
public:
  signal() = default;
  explicit operator bool() const { return trace_ != nullptr; }
  /// New value from time `ps` on. Times may come out of order by up to a few thousand cycles; the writer sorts.
  void set(uint64_t ps, uint64_t value) const;

private:
  friend class trace;
  trace* trace_ = nullptr;
  uint32_t id_ = 0;
};

/// Receives value changes. Implementations: the VCD writer.
class trace {
public:
  virtual ~trace() = default;
  /// Declares a signal with a hierarchical name ("cu0.simd1.wave3.pc"), its width in bits and one line of meaning, and returns its handle
  /// (an empty one where no --trace pattern selects the name).
  signal add(const std::string& path, unsigned bits, const char* meaning) {
    signal s;
    if (uint32_t id; declare(path, bits, meaning, id)) { s.trace_ = this; s.id_ = id; }
    return s;
  }

protected:
  virtual bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) = 0;
  virtual void change(uint32_t id, uint64_t ps, uint64_t value) = 0;
  friend class signal;
};

inline void signal::set(uint64_t ps, uint64_t value) const { if (trace_) trace_->change(id_, ps, value); }

} // namespace lyra::observe
