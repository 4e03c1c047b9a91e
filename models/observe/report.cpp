// SPDX-License-Identifier: Apache-2.0
#include "observe/report.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lyra::observe {

namespace {
/// Three significant digits with a unit prefix.
std::string scaled(double v, double step, const char* const* units, unsigned count) {
  unsigned u = 0;
  while (u + 1 < count && std::fabs(v) >= step) { v /= step; ++u; }
  if (u == 0 && v == std::floor(v)) return fmt::format("{:.0f}{}", v, units[0]);
  const double a = std::fabs(v);
  return fmt::format("{:.{}f}{}", v, a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2, units[u]);
}
} // namespace

std::string human_count(double n) {
  static const char* units[] = {"", " k", " M", " G", " T"};
  return scaled(n, 1000, units, 5);
}
std::string human_bytes(double bytes) {
  static const char* units[] = {" B", " KB", " MB", " GB", " TB"};
  return scaled(bytes, 1024, units, 5);
}
std::string human_time(uint64_t ps) {
  static const char* units[] = {" ps", " ns", " us", " ms", " s"};
  return scaled(double(ps), 1000, units, 5);
}
std::string human_rate(double bytes, uint64_t ps) {
  static const char* units[] = {" B/s", " kB/s", " MB/s", " GB/s", " TB/s"};
  return ps ? scaled(bytes * 1e12 / double(ps), 1000, units, 5) : "-";
}
std::string percent(uint64_t part, uint64_t whole) { return whole ? fmt::format("{:.1f} %", 100.0 * double(part) / double(whole)) : "-"; }

std::string bar(double part, double whole, unsigned width) {
  const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
  const unsigned n = unsigned(std::lround(share * width));
  return std::string(n, '#') + std::string(width - n, ' ');
}

std::string text_table::text() const {
  std::vector<size_t> width;
  for (const auto& r : rows_)
    for (size_t i = 0; i < r.size(); ++i) {
      if (width.size() <= i) width.push_back(0);
      width[i] = std::max(width[i], r[i].size());
    }
  std::string s;
  for (const auto& r : rows_) {
    std::string line = indent_;
    for (size_t i = 0; i < r.size(); ++i) {
      if (i) line += "  ";
      line += i < left_.size() && left_[i] ? fmt::format("{:<{}}", r[i], width[i]) : fmt::format("{:>{}}", r[i], width[i]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    s += line + "\n";
  }
  return s;
}

progress_bar::progress_bar(std::FILE* stream) : stream_(stream), enabled_(stream && isatty(fileno(stream)) != 0) {}

std::string progress_bar::line(uint64_t done, uint64_t total, const std::string& what, unsigned width) {
  const std::string tail = fmt::format("] {:>3} %  {}", total ? std::min<uint64_t>(100, done * 100 / total) : 0, what);
  const unsigned room = width > tail.size() + 12 ? std::min<unsigned>(40, width - unsigned(tail.size()) - 2) : 10;
  std::string s = "[" + bar(double(done), double(total), room) + tail;
  if (s.size() > width) s.resize(width);
  return s;
}

void progress_bar::update(uint64_t done, uint64_t total, const std::string& what) {
  if (!enabled_) return;
  const auto t = std::chrono::steady_clock::now();
  if (t < next_) return;
  next_ = t + std::chrono::milliseconds(100);
  winsize size{};
  const unsigned width = ioctl(fileno(stream_), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79u;
  std::fprintf(stream_, "\r%s\033[K", line(done, total, what, width).c_str());
  std::fflush(stream_);
  drawn_ = true;
}

void progress_bar::finish() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
}

} // namespace lyra::observe
