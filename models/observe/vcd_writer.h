// SPDX-License-Identifier: Apache-2.0
// Value change dump (IEEE 1364-2005 clause 18) of selected signals: hierarchical scopes, changes only, no date, so that equal runs give equal files.
// Texts are variables of type string with values "sTEXT CODE", as GTKWave, vcd2fst and Surfer read them; spaces and backslashes stand as \040 and \134.
#pragma once
#include "observe/trace.h"
#include <cstdio>
#include <queue>
#include <unordered_map>
#include <vector>

namespace lyra::observe {

struct vcd_options {
  std::vector<std::string> patterns{"*"};  ///< signals to trace (glob.h)
  uint64_t start_ps = 0;                   ///< window: changes before it only set what is dumped at its start
  uint64_t end_ps = ~uint64_t(0);          ///< changes at and after it are left out
  uint64_t reorder_ps = 20'000'000;        ///< how far behind the newest change one may still come
  std::string comment;                     ///< machine, settings, version: into the header
};

class vcd_writer final : public trace {
public:
  /// Throws observe::input_error when the file cannot be created.
  vcd_writer(const std::string& file, vcd_options options);
  ~vcd_writer() override;
  vcd_writer(const vcd_writer&) = delete;
  vcd_writer& operator=(const vcd_writer&) = delete;

  void reset(uint64_t ps) override;
  void restart(uint64_t ps) override { origin_ += ps; }
  /// Writes everything that is left; the last time stamp is `end_ps` (the end of the run, in the kernel's time: resets do not set it back). Later changes are dropped.
  void close(uint64_t end_ps);
  size_t signals() const { return variables_.size(); } ///< selected ones
  /// Patterns that selected no signal, for a warning.
  std::vector<std::string> unmatched() const;
  uint64_t late_changes() const { return late_; } ///< came after their time had been written; they stand at the next time written

private:
  struct variable { std::string path; unsigned bits; std::string meaning, code; uint64_t value = 0, next = 0; bool changed = false; }; ///< text: value is a number in texts_
  struct change_entry { uint64_t ps, sequence; uint32_t id; bool relative; uint64_t value; };
  struct later { bool operator()(const change_entry& a, const change_entry& b) const { return a.ps != b.ps ? a.ps > b.ps : a.sequence > b.sequence; } };

  bool declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) override;
  void change(uint32_t id, uint64_t ps, uint64_t value) override { queue_change(id, ps, value, false); }
  void change_by(uint32_t id, uint64_t ps, int64_t delta) override { queue_change(id, ps, uint64_t(delta), true); }
  void change_text(uint32_t id, uint64_t ps, std::string_view text) override;
  void queue_change(uint32_t id, uint64_t ps, uint64_t value, bool relative);
  void write_header();
  void drain(uint64_t before);
  void write_moment(uint64_t ps);
  void open_window();
  void put_time(uint64_t ps);
  void put_value(const variable& v);
  void flush();

  vcd_options options_;
  std::FILE* file_ = nullptr;
  std::string name_, out_;
  std::vector<bool> matched_;
  std::vector<variable> variables_;
  std::vector<uint32_t> touched_;
  std::vector<std::string> texts_{""}; ///< as written; 0: empty
  std::unordered_map<std::string, uint64_t> text_numbers_{{"", 0}};
  std::priority_queue<change_entry, std::vector<change_entry>, later> queue_;
  uint64_t origin_ = 0; ///< time in the file of the machine's time 0: the last reset
  uint64_t sequence_ = 0, newest_ = 0, written_to_ = 0, late_ = 0, last_time_ = ~uint64_t(0);
  bool header_done_ = false, window_open_ = false;
};

} // namespace lyra::observe
