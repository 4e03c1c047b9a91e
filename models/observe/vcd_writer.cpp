// SPDX-License-Identifier: Apache-2.0
#include "observe/vcd_writer.h"
#include "observe/glob.h"
#include "observe/input_error.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace lyra::observe {

namespace {
/// Short identifier codes from the printable characters.
std::string code_of(size_t n) {
  std::string s;
  do { s += char('!' + n % 94); n /= 94; } while (n);
  return s;
}

/// The scopes as a tree; children in the order in which they were declared.
struct scope {
  std::string name;
  std::vector<size_t> variables;
  std::vector<std::unique_ptr<scope>> children;
  scope& child(const std::string& n) {
    for (auto& c : children) if (c->name == n) return *c;
    children.push_back(std::make_unique<scope>());
    children.back()->name = n;
    return *children.back();
  }
};
} // namespace

vcd_writer::vcd_writer(const std::string& file, vcd_options options) : options_(std::move(options)), name_(file), matched_(options_.patterns.size()) {
  file_ = std::fopen(file.c_str(), "wb");
  if (!file_) throw input_error(file, "cannot create the VCD file: no such directory, or no permission");
}

vcd_writer::~vcd_writer() { if (file_) close(newest_); }

bool vcd_writer::declare(const std::string& path, unsigned bits, const char* meaning, uint32_t& id) {
  bool selected = false;
  for (size_t i = 0; i < options_.patterns.size(); ++i)
    if (glob_match(options_.patterns[i], path)) selected = matched_[i] = true;
  if (!selected) return false;
  if (header_done_) throw input_error(name_, fmt::format("signal {} was declared after the first change: declare all signals when the machine is built", path));
  id = uint32_t(variables_.size());
  variables_.push_back({path, bits, meaning ? meaning : "", code_of(variables_.size())});
  return true;
}

std::vector<std::string> vcd_writer::unmatched() const {
  std::vector<std::string> u;
  for (size_t i = 0; i < matched_.size(); ++i) if (!matched_[i]) u.push_back(options_.patterns[i]);
  return u;
}

/// Only printable characters without space and backslash may stand in a value.
static std::string escaped(std::string_view text) {
  std::string s;
  for (const char c : text) {
    if (c > ' ' && c < 127 && c != '\\') s += c;
    else s += fmt::format("\\{:03o}", unsigned(uint8_t(c)));
  }
  return s;
}

void vcd_writer::change_text(uint32_t id, uint64_t ps, std::string_view text) {
  const auto [i, fresh] = text_numbers_.try_emplace(std::string(text), texts_.size());
  if (fresh) texts_.push_back(escaped(text));
  queue_change(id, ps, i->second, false);
}

void vcd_writer::queue_change(uint32_t id, uint64_t ps, uint64_t value, bool relative) {
  if (!file_) return;
  ps += origin_;
  if (ps < written_to_) { // too late: it goes to the next moment that is still open
    ++late_;
    ps = written_to_;
  }
  queue_.push({ps, sequence_++, id, relative, value});
  if (ps <= newest_) return;
  newest_ = ps;
  if (newest_ > options_.reorder_ps && newest_ - options_.reorder_ps > written_to_) drain(newest_ - options_.reorder_ps);
}

void vcd_writer::reset(uint64_t ps) {
  if (!file_) return;
  ps += origin_;
  drain(ps);
  queue_ = {};
  for (uint32_t id = 0; id < variables_.size(); ++id) {
    variables_[id].next = 0;
    variables_[id].changed = true;
    touched_.push_back(id);
  }
  write_moment(ps);
  newest_ = ps;
}

void vcd_writer::write_header() {
  header_done_ = true;
  out_ += "$version Lyra $end\n";
  if (!options_.comment.empty()) out_ += "$comment\n" + options_.comment + "\n$end\n";
  out_ += "$timescale 1 ps $end\n";
  scope root;
  for (size_t i = 0; i < variables_.size(); ++i) {
    scope* s = &root;
    std::string_view rest = variables_[i].path;
    for (size_t dot; (dot = rest.find('.')) != std::string_view::npos; rest.remove_prefix(dot + 1)) s = &s->child(std::string(rest.substr(0, dot)));
    s->variables.push_back(i);
  }
  const auto print = [&](const scope& s, const auto& self) -> void {
    for (const size_t i : s.variables) {
      const variable& v = variables_[i];
      const size_t dot = v.path.rfind('.');
      const std::string leaf = dot == std::string::npos ? v.path : v.path.substr(dot + 1);
      if (v.bits == 0) out_ += fmt::format("$var string 1 {} {} $end\n", v.code, leaf);
      else if (v.bits == 1) out_ += fmt::format("$var wire 1 {} {} $end\n", v.code, leaf);
      else out_ += fmt::format("$var wire {} {} {} [{}:0] $end\n", v.bits, v.code, leaf, v.bits - 1);
      if (!v.meaning.empty()) out_ += fmt::format("$comment {}: {} $end\n", leaf, v.meaning);
    }
    for (const auto& c : s.children) {
      out_ += "$scope module " + c->name + " $end\n";
      self(*c, self);
      out_ += "$upscope $end\n";
    }
  };
  print(root, print);
  out_ += "$enddefinitions $end\n";
}

void vcd_writer::put_time(uint64_t ps) {
  if (ps == last_time_) return;
  last_time_ = ps;
  fmt::format_to(std::back_inserter(out_), "#{}\n", ps);
}

void vcd_writer::put_value(const variable& v) {
  if (v.bits == 0) {
    out_ += 's';
    out_ += texts_[v.value];
    out_ += ' ';
  } else if (v.bits == 1) {
    out_ += v.value & 1 ? '1' : '0';
  } else {
    fmt::format_to(std::back_inserter(out_), "b{:b} ", v.value);
  }
  out_ += v.code;
  out_ += '\n';
}

void vcd_writer::open_window() {
  window_open_ = true;
  put_time(options_.start_ps);
  out_ += "$dumpvars\n";
  for (const auto& v : variables_) put_value(v);
  out_ += "$end\n";
}

void vcd_writer::write_moment(uint64_t ps) {
  // changes before the window only set values; those at its start are in the dump at its start
  if (!window_open_ && ps > options_.start_ps) open_window();
  std::sort(touched_.begin(), touched_.end());
  const bool inside = window_open_ && ps < options_.end_ps;
  for (const uint32_t id : touched_) {
    variable& v = variables_[id];
    v.changed = false;
    v.next = v.bits == 0 || v.bits >= 64 ? v.next : v.next & ((uint64_t(1) << v.bits) - 1);
    if (v.value == v.next) continue;
    v.value = v.next;
    if (!inside) continue;
    put_time(ps);
    put_value(v);
  }
  touched_.clear();
  if (out_.size() > 1 << 16) flush();
}

void vcd_writer::drain(uint64_t before) {
  if (!header_done_) write_header();
  while (!queue_.empty() && queue_.top().ps < before) {
    const uint64_t ps = queue_.top().ps;
    while (!queue_.empty() && queue_.top().ps == ps) {
      variable& v = variables_[queue_.top().id];
      v.next = queue_.top().relative ? v.next + queue_.top().value : queue_.top().value;
      if (!v.changed) {
        v.changed = true;
        touched_.push_back(queue_.top().id);
      }
      queue_.pop();
    }
    write_moment(ps);
  }
  written_to_ = before;
}

void vcd_writer::close(uint64_t end_ps) {
  if (!file_) return;
  drain(~uint64_t(0));
  if (!window_open_) open_window();
  put_time(std::max({std::min(end_ps, options_.end_ps), options_.start_ps, last_time_}));
  flush();
  const bool failed = std::ferror(file_) != 0;
  const bool unclosed = std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed || unclosed) std::fprintf(stderr, "lyra: %s: not all of the VCD file could be written (disk full?)\n", name_.c_str());
}

void vcd_writer::flush() {
  std::fwrite(out_.data(), 1, out_.size(), file_);
  out_.clear();
}

} // namespace lyra::observe
