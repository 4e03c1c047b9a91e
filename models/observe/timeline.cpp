// SPDX-License-Identifier: Apache-2.0
#include "observe/timeline.h"
#include "observe/input_error.h"
#include <fmt/format.h>
#include <iterator>

namespace lyra::observe {

namespace {
/// Picoseconds as the format's microseconds, exactly.
struct micros { uint64_t ps; };
} // namespace
} // namespace lyra::observe

template <> struct fmt::formatter<lyra::observe::micros> : fmt::formatter<std::string_view> {
  template <class C> auto format(lyra::observe::micros m, C& c) const { return fmt::format_to(c.out(), "{}.{:06}", m.ps / 1000000, m.ps % 1000000); }
};

namespace lyra::observe {

std::string timeline::quoted(std::string_view text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') { s += '\\'; s += c; }
    else if (uint8_t(c) < 0x20) s += fmt::format("\\u{:04x}", unsigned(uint8_t(c)));
    else s += c;
  }
  return s + "\"";
}

timeline::timeline(const std::string& file, const std::vector<std::pair<std::string, std::string>>& about) : name_(file) {
  file_ = std::fopen(file.c_str(), "wb");
  if (!file_) throw input_error(file, "cannot create the timeline file: no such directory, or no permission");
  out_ = "{\"displayTimeUnit\": \"ns\", \"otherData\": {";
  for (size_t i = 0; i < about.size(); ++i) out_ += (i ? ", " : "") + quoted(about[i].first) + ": " + quoted(about[i].second);
  out_ += "}, \"traceEvents\": [";
}

timeline::~timeline() { close(); }

void timeline::begin_event() {
  out_ += events_++ ? ",\n" : "\n";
  if (out_.size() > 1 << 16) flush();
}

timeline::track_id timeline::track(const std::string& group, const std::string& name) {
  for (size_t i = 0; i < tracks_.size(); ++i)
    if (tracks_[i].name == name && tracks_[i].group_name == group) return track_id(i);
  uint32_t g = 0;
  while (g < groups_.size() && groups_[g].first != group) ++g;
  if (g == groups_.size()) {
    groups_.emplace_back(group, 0);
    begin_event();
    fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {}, \"args\": {{\"name\": {}}}}}", g + 1, quoted(group));
    begin_event();
    fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": {}, \"args\": {{\"sort_index\": {}}}}}", g + 1, g + 1);
  }
  const uint32_t row = ++groups_[g].second;
  tracks_.push_back({g + 1, row, group, name});
  begin_event();
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": {}}}}}", g + 1, row, quoted(name));
  begin_event();
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": {}, \"tid\": {}, \"args\": {{\"sort_index\": {}}}}}", g + 1, row, row);
  return track_id(tracks_.size() - 1);
}

void timeline::slice(track_id t, std::string_view name, uint64_t begin_ps, uint64_t end_ps, std::string_view arguments) {
  if (!file_) return;
  begin_event();
  const auto& k = tracks_[t];
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"X\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}", quoted(name), k.group, k.row, micros{begin_ps}, micros{end_ps > begin_ps ? end_ps - begin_ps : 0});
  if (!arguments.empty()) fmt::format_to(std::back_inserter(out_), ", \"args\": {{{}}}", arguments);
  out_ += '}';
}

void timeline::instant(track_id t, std::string_view name, uint64_t ps, std::string_view arguments) {
  if (!file_) return;
  begin_event();
  const auto& k = tracks_[t];
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"i\", \"s\": \"t\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}", quoted(name), k.group, k.row, micros{ps});
  if (!arguments.empty()) fmt::format_to(std::back_inserter(out_), ", \"args\": {{{}}}", arguments);
  out_ += '}';
}

void timeline::counter(track_id t, std::string_view name, uint64_t ps, double value) {
  if (!file_) return;
  begin_event();
  const auto& k = tracks_[t];
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"C\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"args\": {{\"value\": {}}}}}", quoted(name), k.group, k.row, micros{ps}, value);
}

void timeline::close() {
  if (!file_) return;
  out_ += "\n]}\n";
  flush();
  const bool failed = std::ferror(file_) != 0;
  const bool unclosed = std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed || unclosed) std::fprintf(stderr, "lyra: %s: not all of the timeline could be written (disk full?)\n", name_.c_str());
}

void timeline::flush() {
  std::fwrite(out_.data(), 1, out_.size(), file_);
  out_.clear();
}

} // namespace lyra::observe
