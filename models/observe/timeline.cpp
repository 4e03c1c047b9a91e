// SPDX-License-Identifier: Apache-2.0
#include "observe/timeline.h"
#include "observe/input_error.h"
#include <cstring>
#include <fmt/format.h>

namespace lyra::observe {

namespace {
constexpr size_t flush_bytes = 1 << 16;
constexpr char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

// Events are many: their text is put together by hand, which costs a tenth of a formatted print.
// Each function writes at `o`, where there is room enough, and returns the end.

template <size_t N> char* put(char* o, const char (&text)[N]) { std::memcpy(o, text, N - 1); return o + N - 1; }
char* put(char* o, const std::string& s) { std::memcpy(o, s.data(), s.size()); return o + s.size(); }
char* put_text(char* o, std::string_view s) { std::memcpy(o, s.data(), s.size()); return o + s.size(); }

char* put_number(char* o, uint64_t v) {
  if (v < 10) { *o = char('0' + v); return o + 1; }
  if (v < 100) { std::memcpy(o, digit_pairs + 2 * v, 2); return o + 2; }
  char text[20];
  char* at = text + 20;
  for (; v >= 100; v /= 100) std::memcpy(at -= 2, digit_pairs + 2 * (v % 100), 2);
  if (v >= 10) std::memcpy(at -= 2, digit_pairs + 2 * v, 2);
  else *--at = char('0' + v);
  const size_t n = size_t(text + 20 - at);
  std::memcpy(o, at, n);
  return o + n;
}

char* put_hex(char* o, uint64_t v) {
  int digits = 1;
  while (digits < 16 && v >> 4 * digits) ++digits;
  for (int k = digits - 1; k >= 0; --k) *o++ = "0123456789abcdef"[v >> 4 * k & 15];
  return o;
}

/// Picoseconds as the format's microseconds, exactly.
char* put_micros(char* o, uint64_t ps) {
  o = put_number(o, ps / 1000000);
  const unsigned rest = unsigned(ps % 1000000);
  *o = '.';
  std::memcpy(o + 1, digit_pairs + 2 * (rest / 10000), 2);
  std::memcpy(o + 3, digit_pairs + 2 * (rest / 100 % 100), 2);
  std::memcpy(o + 5, digit_pairs + 2 * (rest % 100), 2);
  return o + 7;
}

/// One of eight characters stands for more than itself in quotes: below 32, '"' or '\\'.
bool has_special(uint64_t eight) {
  constexpr uint64_t ones = 0x0101010101010101, tops = 0x80 * ones;
  const auto zero = [&](uint64_t v) { return (v - ones) & ~v; }; // top bits: a byte is 0 (or stands behind one that is)
  return ((((eight - 0x20 * ones) & ~eight) | zero(eight ^ '"' * ones) | zero(eight ^ '\\' * ones)) & tops) != 0;
}

/// At most 6 characters for one of the text's, and two quotes.
char* put_quoted(char* o, std::string_view text) {
  *o++ = '"';
  while (text.size() >= 8) { // the usual case
    uint64_t eight;
    std::memcpy(&eight, text.data(), 8);
    if (has_special(eight)) break;
    std::memcpy(o, &eight, 8);
    o += 8;
    text.remove_prefix(8);
  }
  for (const char c : text) {
    if (c == '"' || c == '\\') { *o++ = '\\'; *o++ = c; }
    else if (uint8_t(c) < 0x20) { o = put(o, "\\u00"); *o++ = c < 16 ? '0' : '1'; *o++ = "0123456789abcdef"[c & 15]; }
    else *o++ = c;
  }
  *o++ = '"';
  return o;
}

constexpr size_t event_room = 256; ///< everything of an event but its texts
} // namespace

std::string timeline::quoted(std::string_view text) {
  std::string s(6 * text.size() + 2, ' ');
  s.resize(size_t(put_quoted(s.data(), text) - s.data()));
  return s;
}

timeline::timeline(const std::string& file, const std::vector<std::pair<std::string, std::string>>& about) : name_(file) {
  file_ = std::fopen(file.c_str(), "wb");
  if (!file_) throw input_error(file, "cannot create the timeline file: no such directory, or no permission");
  std::string head = "{\"displayTimeUnit\": \"ns\", \"otherData\": {";
  for (size_t i = 0; i < about.size(); ++i) head += (i ? ", " : "") + quoted(about[i].first) + ": " + quoted(about[i].second);
  head += "}, \"traceEvents\": [";
  out_.resize(flush_bytes);
  std::fwrite(head.data(), 1, head.size(), file_);
}

timeline::~timeline() { close(); }

/// Where the next event's text goes, its separator written; there are `room` bytes.
char* timeline::begin_event(size_t room) {
  if (used_ + room + 2 > out_.size()) {
    flush();
    if (room + 2 > out_.size()) out_.resize(room + 2);
  }
  char* o = out_.data() + used_;
  return events_++ ? put(o, ",\n") : put(o, "\n");
}

timeline::track_id timeline::track(const std::string& group, const std::string& name) {
  const auto [known, is_new] = numbers_.try_emplace({group, name}, track_id(tracks_.size()));
  if (!is_new) return known->second;
  const auto metadata = [this](const std::string& text) { end_event(put(begin_event(text.size()), text)); };
  uint32_t g = 0;
  while (g < groups_.size() && groups_[g].first != group) ++g;
  if (g == groups_.size()) {
    groups_.emplace_back(group, 0);
    metadata(fmt::format("{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {}, \"args\": {{\"name\": {}}}}}", g + 1, quoted(group)));
    metadata(fmt::format("{{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": {}, \"args\": {{\"sort_index\": {}}}}}", g + 1, g + 1));
  }
  const uint32_t row = ++groups_[g].second;
  tracks_.push_back({g + 1, row, name, fmt::format(", \"pid\": {}, \"tid\": {}, \"ts\": ", g + 1, row)});
  metadata(fmt::format("{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": {}}}}}", g + 1, row, quoted(name)));
  metadata(fmt::format("{{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": {}, \"tid\": {}, \"args\": {{\"sort_index\": {}}}}}", g + 1, row, row));
  return track_id(tracks_.size() - 1);
}

void timeline::slice(track_id t, std::string_view name, uint64_t begin_ps, uint64_t end_ps, std::initializer_list<argument> arguments) {
  if (!file_) return;
  size_t room = event_room + 6 * name.size();
  for (const auto& a : arguments) room += a.name.size() + 32;
  char* o = put(begin_event(room), "{\"ph\": \"X\", \"name\": ");
  o = put(put_quoted(o, name), tracks_[t].place);
  o = put(put_micros(o, origin_ + begin_ps), ", \"dur\": ");
  o = put_micros(o, end_ps > begin_ps ? end_ps - begin_ps : 0);
  bool first = true;
  for (const auto& a : arguments) {
    o = first ? put(o, ", \"args\": {\"") : put(o, ", \"");
    first = false;
    o = put(put_text(o, a.name), "\": ");
    if (a.hex) o = put(put_hex(put(o, "\"0x"), a.value), "\"");
    else o = put_number(o, a.value);
  }
  if (!first) *o++ = '}';
  *o++ = '}';
  end_event(o);
}

void timeline::instant(track_id t, std::string_view name, uint64_t ps, std::string_view arguments) {
  if (!file_) return;
  char* o = put(begin_event(event_room + 6 * name.size() + arguments.size()), "{\"ph\": \"i\", \"s\": \"t\", \"name\": ");
  o = put_micros(put(put_quoted(o, name), tracks_[t].place), origin_ + ps);
  if (!arguments.empty()) o = put(put_text(put(o, ", \"args\": {"), arguments), "}");
  *o++ = '}';
  end_event(o);
}

void timeline::counter(track_id t, std::string_view name, uint64_t ps, double value) {
  if (!file_) return;
  char* o = put(begin_event(event_room + 6 * name.size()), "{\"ph\": \"C\", \"name\": ");
  o = put_micros(put(put_quoted(o, name), tracks_[t].place), origin_ + ps);
  o = put(o, ", \"args\": {\"value\": ");
  o = value >= 0 && value < 1e15 && value == double(uint64_t(value)) ? put_number(o, uint64_t(value)) : fmt::format_to(o, "{}", value);
  end_event(put(o, "}}"));
}

void timeline::close() {
  if (!file_) return;
  flush();
  std::fputs("\n]}\n", file_);
  const bool failed = std::ferror(file_) != 0;
  const bool unclosed = std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed || unclosed) std::fprintf(stderr, "lyra: %s: not all of the timeline could be written (disk full?)\n", name_.c_str());
}

void timeline::flush() {
  std::fwrite(out_.data(), 1, used_, file_);
  used_ = 0;
}

} // namespace lyra::observe
