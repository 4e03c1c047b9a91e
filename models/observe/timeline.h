// SPDX-License-Identifier: Apache-2.0
// Timeline in the Chrome trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open. Written as it comes.
#pragma once
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lyra::observe {

class timeline {
public:
  using track_id = uint32_t;
  /// One member of an event's "args": a number, or with `hex` the text "0x1f".
  struct argument { std::string_view name; uint64_t value; bool hex = false; };
  /// `about`: machine, settings, version as pairs for the file's metadata. Throws observe::input_error when the file cannot be created.
  timeline(const std::string& file, const std::vector<std::pair<std::string, std::string>>& about = {});
  ~timeline();
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  /// A row named `name` in the group `group` ("cu0" / "simd1 wave3"); the same names give the same track.
  track_id track(const std::string& group, const std::string& name);
  /// A bar from `begin_ps` to `end_ps`. Slices of one track nest or follow one another.
  void slice(track_id t, std::string_view name, uint64_t begin_ps, uint64_t end_ps, std::initializer_list<argument> arguments = {});
  /// A point in time. `arguments`: the inside of a JSON object ("\"pc\": 256"), or nothing.
  void instant(track_id t, std::string_view name, uint64_t ps, std::string_view arguments = {});
  /// A counter's value from `ps` on.
  void counter(track_id t, std::string_view name, uint64_t ps, double value);
  /// The machine's time starts again at `ps`: times given from now on are so much later than they say.
  void restart(uint64_t ps) { origin_ += ps; }
  void close();
  uint64_t events() const { return events_; }

  /// A JSON string literal, quotes included.
  static std::string quoted(std::string_view text);

private:
  struct track_info { uint32_t group, row; std::string name, place; }; ///< place: the text of pid and tid, up to the time
  char* begin_event(size_t room);
  void end_event(const char* end) { used_ = size_t(end - out_.data()); }
  void flush();
  std::FILE* file_ = nullptr;
  std::string name_;
  std::vector<char> out_; ///< text not yet in the file: the first `used_` bytes
  size_t used_ = 0;
  std::vector<track_info> tracks_;
  std::map<std::pair<std::string, std::string>, track_id> numbers_; ///< by group and name
  std::vector<std::pair<std::string, uint32_t>> groups_; ///< name, rows
  uint64_t events_ = 0;
  uint64_t origin_ = 0; ///< time in the file of the machine's time 0
};

} // namespace lyra::observe
