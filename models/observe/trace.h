// SPDX-License-Identifier: Apache-2.0
// Named signals of the machine, for VCD. A signal that nobody selected costs one null test.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace lyra::observe {

class trace;

/// A handle to one traced number; default-constructed or not selected: every call does nothing. The value is 0 before the first call.
class signal {
public:
  signal() = default;
  explicit operator bool() const { return trace_ != nullptr; }
  /// New value from time `ps` on. Times may come out of order by up to a few thousand cycles; the writer sorts.
  void set(uint64_t ps, uint64_t value) const;
  /// `delta` more (or less) from time `ps` on: for counts whose ups and downs come out of order. Not together with set.
  void add(uint64_t ps, int64_t delta) const;

private:
  friend class trace;
  trace* trace_ = nullptr;
  uint32_t id_ = 0;
};

/// A handle to one traced text (an instruction, the name of a state); empty before the first call.
class text_signal {
public:
  text_signal() = default;
  explicit operator bool() const { return trace_ != nullptr; }
  /// New text from time `ps` on. Test the handle first where the text costs something to make.
  void set(uint64_t ps, std::string_view text) const;

private:
  friend class trace;
  trace* trace_ = nullptr;
  uint32_t id_ = 0;
};

/// Receives value changes. Implementations: the VCD writer, the timeline's queue depths.
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
  /// The same for a text.
  text_signal add_text(const std::string& path, const char* meaning) {
    text_signal s;
    if (uint32_t id; declare(path, 0, meaning, id)) { s.trace_ = this; s.id_ = id; }
    return s;
  }

  /// The machine is reset at time `ps`: every signal is 0 (a text empty) from then on, changes for later times are forgotten.
  virtual void reset(uint64_t ps) { (void)ps; }
  /// The reset ends at time `ps`, and the machine's time starts again: what comes from now on is so much later than it says.
  virtual void restart(uint64_t ps) { (void)ps; }

protected:
  /// `bits` 0: a text. False: not selected.
  virtual bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) = 0;
  virtual void change(uint32_t id, uint64_t ps, uint64_t value) = 0;
  virtual void change_by(uint32_t, uint64_t, int64_t) {}
  virtual void change_text(uint32_t, uint64_t, std::string_view) {}
  friend class signal;
  friend class text_signal;
};

inline void signal::set(uint64_t ps, uint64_t value) const { if (trace_) trace_->change(id_, ps, value); }
inline void signal::add(uint64_t ps, int64_t delta) const { if (trace_) trace_->change_by(id_, ps, delta); }
inline void text_signal::set(uint64_t ps, std::string_view text) const { if (trace_) trace_->change_text(id_, ps, text); }

} // namespace lyra::observe
