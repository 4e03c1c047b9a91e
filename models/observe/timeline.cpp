// SPDX-License-Identifier: Apache-2.0
#include "observe/timeline.h"
#include "observe/input_error.h"
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace lyra::observe {

namespace {
constexpr size_t flush_bytes = 1 << 16;
constexpr char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
} // namespace

// Events are many: text is put together by hand, which costs a tenth of a formatted print.

void timeline::put_number(uint64_t v) {
  char text[20];
  char* at = text + 20;
  for (; v >= 100; v /= 100) std::memcpy(at -= 2, digit_pairs + 2 * (v % 100), 2);
  if (v >= 10) std::memcpy(at -= 2, digit_pairs + 2 * v, 2);
  else *--at = char('0' + v);
  out_.append(at, size_t(text + 20 - at));
}

/// Picoseconds as the format's microseconds, exactly.
void timeline::put_micros(uint64_t ps) {
  put_number(ps / 1000000);
  char text[7] = {'.'};
  const unsigned rest = unsigned(ps % 1000000);
  std::memcpy(text + 1, digit_pairs + 2 * (rest / 10000), 2);
  std::memcpy(text + 3, digit_pairs + 2 * (rest / 100 % 100), 2);
  std::memcpy(text + 5, digit_pairs + 2 * (rest % 100), 2);
  out_.append(text, 7);
}

void timeline::put_quoted(std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= c != '"' && c != '\\' && uint8_t(c) >= 0x20;
  if (!plain) { out_ += quoted(text); return; }
  out_ += '"';
  out_ += text;
  out_ += '"';
}

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
  out_.reserve(2 * flush_bytes);
  out_ = "{\"displayTimeUnit\": \"ns\", \"otherData\": {";
  for (size_t i = 0; i < about.size(); ++i) out_ += (i ? ", " : "") + quoted(about[i].first) + ": " + quoted(about[i].second);
  out_ += "}, \"traceEvents\": [";
}

timeline::~timeline() { close(); }

void timeline::begin_event() {
  out_ += events_++ ? ",\n" : "\n";
  if (out_.size() > flush_bytes) flush();
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
  tracks_.push_back({g + 1, row, group, name, fmt::format(", \"pid\": {}, \"tid\": {}, \"ts\": ", g + 1, row)});
  begin_event();
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": {}}}}}", g + 1, row, quoted(name));
  begin_event();
  fmt::format_to(std::back_inserter(out_), "{{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": {}, \"tid\": {}, \"args\": {{\"sort_index\": {}}}}}", g + 1, row, row);
  return track_id(tracks_.size() - 1);
}

void timeline::slice(track_id t, std::string_view name, uint64_t begin_ps, uint64_t end_ps, std::initializer_list<argument> arguments) {
  if (!file_) return;
  begin_event();
  put("{\"ph\": \"X\", \"name\": ");
  put_quoted(name);
  put(tracks_[t].place);
  put_micros(begin_ps);
  put(", \"dur\": ");
  put_micros(end_ps > begin_ps ? end_ps - begin_ps : 0);
  if (arguments.size()) {
    const char* before = ", \"args\": {\"";
    for (const auto& a : arguments) {
      put(before);
      put(a.name);
      put("\": ");
      if (a.hex) {
        char text[16];
        char* at = text + 16;
        uint64_t v = a.value;
        do *--at = "0123456789abcdef"[v & 15]; while (v >>= 4);
        put("\"0x");
        out_.append(at, size_t(text + 16 - at));
        out_ += '"';
      } else {
        put_number(a.value);
      }
      before = ", \"";
    }
    out_ += '}';
  }
  out_ += '}';
}

void timeline::instant(track_id t, std::string_view name, uint64_t ps, std::string_view arguments) {
  if (!file_) return;
  begin_event();
  put("{\"ph\": \"i\", \"s\": \"t\", \"name\": ");
  put_quoted(name);
  put(tracks_[t].place);
  put_micros(ps);
  if (!arguments.empty()) {
    put(", \"args\": {");
    put(arguments);
    out_ += '}';
  }
  out_ += '}';
}

void timeline::counter(track_id t, std::string_view name, uint64_t ps, double value) {
  if (!file_) return;
  begin_event();
  put("{\"ph\": \"C\", \"name\": ");
  put_quoted(name);
  put(tracks_[t].place);
  put_micros(ps);
  put(", \"args\": {\"value\": ");
  if (value >= 0 && value < 1e15 && value == double(uint64_t(value))) put_number(uint64_t(value));
  else fmt::format_to(std::back_inserter(out_), "{}", value);
  put("}}");
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
