// SPDX-License-Identifier: Apache-2.0
// Text helpers for reports: numbers with human units, tables, a progress bar.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace lyra::observe {

std::string human_count(double n);             ///< "950", "12.3 k", "4.56 M"
std::string human_bytes(double bytes);         ///< "512 B", "4.00 KB" (1024s)
std::string human_time(uint64_t ps);           ///< "667 ps", "1.23 us"
std::string human_rate(double bytes, uint64_t ps); ///< "12.3 GB/s" (1000s); "-" for no time
std::string percent(uint64_t part, uint64_t whole); ///< "12.3 %"; "-" of nothing
/// "#####     " for part of whole, `width` characters.
std::string bar(double part, double whole, unsigned width);

/// Lines up columns: the first to the left, the others to the right unless `left` names them.
class text_table {
public:
  explicit text_table(std::vector<std::string> header = {}, std::string indent = "  ") : indent_(std::move(indent)) { if (!header.empty()) add(std::move(header)); }
  void left(unsigned column) { if (left_.size() <= column) left_.resize(column + 1); left_[column] = true; }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string text() const;

private:
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> left_{true};
};

/// One line on a terminal that is drawn over; nothing at all when the stream is none.
class progress_bar {
public:
  explicit progress_bar(std::FILE* stream); ///< null: draws nothing
  progress_bar(std::FILE* stream, bool enabled) : stream_(stream), enabled_(enabled) {}
  ~progress_bar() { finish(); }
  bool enabled() const { return enabled_; }
  /// Cheap to call often: draws at most ten times a host second. `what` goes behind the bar.
  void update(uint64_t done, uint64_t total, const std::string& what = {});
  /// Wipes the line.
  void finish();
  static std::string line(uint64_t done, uint64_t total, const std::string& what, unsigned width);

private:
  std::FILE* stream_;
  bool enabled_, drawn_ = false;
  std::chrono::steady_clock::time_point next_{};
};

} // namespace lyra::observe
