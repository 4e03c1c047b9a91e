// SPDX-License-Identifier: Apache-2.0
// The last moments of some signals, kept in memory until somebody wants them as a VCD.
#pragma once
#include "observe/trace.h"
#include <deque>
#include <string>
#include <vector>

namespace lyra::rtl {

/// Takes all signals that are added to it, passes them on to another trace (may be null), and remembers the changes of the last `window_ps`.
class ring_trace final : public observe::trace {
public:
  ring_trace(observe::trace* outer, uint64_t window_ps) : outer_(outer), window_ps_(window_ps) {}
  /// Nothing is remembered; signals are 0. Times in the VCD are the machine's, from its last reset on. The outer trace is reset by the machine.
  void reset(uint64_t ps) override;
  /// Writes what is remembered; `comment` goes into the header. Throws observe::input_error where the file cannot be written.
  void dump(const std::string& file, const std::string& comment, uint64_t end_ps);

private:
  struct variable { std::string path; unsigned bits; const char* meaning; uint64_t before = 0, latest = 0; bool known = false; observe::signal outer; observe::text_signal outer_text; };
  struct entry { uint64_t ps, value; uint32_t id; };
  bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) override;
  void change(uint32_t id, uint64_t ps, uint64_t value) override;
  void change_by(uint32_t id, uint64_t ps, int64_t delta) override;
  void change_text(uint32_t id, uint64_t ps, std::string_view text) override;
  void remember(uint32_t id, uint64_t ps, uint64_t value);

  observe::trace* outer_;
  uint64_t window_ps_, newest_ = 0;
  std::vector<variable> variables_;
  std::deque<entry> entries_; ///< of a text the value is its place in texts_
  std::vector<std::string> texts_{""};
};

} // namespace lyra::rtl
