// SPDX-License-Identifier: Apache-2.0
#include "platforms/disassemble.h"
#include "dispatch/code_object.h"
#include "isa/listing.h"
#include "observe/input_error.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lyra::platforms {

namespace {

std::vector<uint8_t> read_file(const std::string& file) {
  std::error_code ec;
  if (std::filesystem::is_directory(file, ec)) throw observe::input_error(file, "is a directory: give a code object or a file of machine code");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw observe::input_error(file, "cannot be read: no such file, or no permission");
  return {std::istreambuf_iterator<char>(in), {}};
}

bool starts_with(const std::vector<uint8_t>& b, const char* magic) { return b.size() >= std::strlen(magic) && !std::memcmp(b.data(), magic, std::strlen(magic)); }

/// "<saxpy+0x40>" for a direct branch; the innermost symbol at or before the target.
std::string target_name(const isa::listing_line& line, const std::vector<dispatch::code_object::function>& functions) {
  uint64_t to = 0;
  if (!line.legal() || !isa::branch_target(line.decoded.inst, line.address, to)) return "";
  const dispatch::code_object::function* best = nullptr;
  for (const auto& f : functions)
    if (f.address <= to) best = &f;
  if (!best) return "";
  return best->address == to ? fmt::format(" <{}>", best->name) : fmt::format(" <{}+{:#x}>", best->name, to - best->address);
}

unsigned list(const uint8_t* bytes, uint64_t size, uint64_t address, isa::target chip, const std::vector<dispatch::code_object::function>& functions) {
  isa::code_listing walk(bytes, size, address, chip);
  for (isa::listing_line line; walk.next(line);) fmt::print("{}{}\n", isa::format_line(line), target_name(line, functions));
  return walk.illegal();
}

unsigned list_object(const dispatch::code_object& object) {
  const auto image = object.image_at(0);
  fmt::print("\n{}:\tfile format elf64-amdgpu\n", object.file());
  unsigned illegal = 0;
  for (const auto& s : object.segments()) {
    if (!s.executable || !s.file_bytes) continue;
    fmt::print("\nDisassembly of section .text:\n");
    const uint64_t end = std::min<uint64_t>(s.address + s.file_bytes, image.size());
    uint64_t at = s.address;
    const auto part = [&](uint64_t to) {
      if (to > at) illegal += list(image.data() + at, to - at, at, object.chip(), object.functions());
      at = std::max(at, to);
    };
    for (const auto& f : object.functions()) {
      if (f.address < s.address || f.address >= end) continue;
      part(f.address);
      fmt::print("\n{:016x} <{}>:\n", f.address, f.name);
    }
    part(end);
  }
  return illegal;
}

} // namespace

unsigned disassemble_file(const std::string& file, const std::string& target) {
  std::optional<isa::target> chip;
  if (!target.empty()) {
    chip = dispatch::find_chip(target);
    if (!chip) throw observe::input_error("--target " + target, "no such chip: give gfx900 or gfx906");
  }
  auto bytes = read_file(file);
  if (starts_with(bytes, "\x7f" "ELF") || starts_with(bytes, "__CLANG_OFFLOAD_BUNDLE__")) {
    const auto object = dispatch::code_object::parse(std::move(bytes), file, chip);
    if (chip && object.chip() != *chip) throw observe::input_error(file, fmt::format("is code for {}, not {}: leave --target out", dispatch::chip_name(object.chip()), target));
    return list_object(object);
  }
  if (bytes.empty()) throw observe::input_error(file, "is empty");
  return list(bytes.data(), bytes.size(), 0, chip.value_or(isa::target::gfx900), {});
}

} // namespace lyra::platforms
