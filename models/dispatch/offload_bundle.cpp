// SPDX-License-Identifier: Apache-2.0
#include "dispatch/offload_bundle.h"
#include "dispatch/code_object.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::dispatch {

namespace {
constexpr char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t magic_bytes = sizeof magic - 1;

struct bundle_reader {
  const std::vector<uint8_t>& bytes;
  const std::string& file;
  size_t at = magic_bytes;
  uint64_t u64() {
    uint64_t v;
    if (bytes.size() < at + 8) throw observe::input_error(file, "truncated offload bundle: its table ends at the end of the file");
    std::memcpy(&v, &bytes[at], 8);
    at += 8;
    return v;
  }
};
} // namespace

bool is_offload_bundle(const std::vector<uint8_t>& bytes) { return bytes.size() >= magic_bytes && !std::memcmp(bytes.data(), magic, magic_bytes); }

std::vector<uint8_t> unbundle(const std::vector<uint8_t>& bytes, const std::string& file, std::optional<isa::target> wanted) {
  bundle_reader r{bytes, file};
  const uint64_t count = r.u64();
  struct entry { std::string id; isa::target chip; uint64_t offset, size; };
  std::vector<std::string> all;
  std::vector<entry> fits;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = r.u64(), size = r.u64(), length = r.u64();
    if (length > bytes.size() - r.at) throw observe::input_error(file, "truncated offload bundle: an entry's name goes beyond the end of the file");
    const std::string id(reinterpret_cast<const char*>(&bytes[r.at]), length);
    r.at += length;
    all.push_back(id);
    const size_t chip_at = id.find("gfx9");
    const auto chip = chip_at == std::string::npos ? std::nullopt : find_chip(id.substr(chip_at, 6));
    if (!chip || id.find("amdgcn") == std::string::npos) continue;
    if (id.size() > chip_at + 6 && id[chip_at + 6] != ':') continue;
    if (offset > bytes.size() || size > bytes.size() - offset)
      throw observe::input_error(file, fmt::format("truncated offload bundle: entry \"{}\" goes beyond the end of the file", id));
    fits.push_back({id, *chip, offset, size});
  }
  const auto of_chip = [&](const entry& e) { return wanted && e.chip == *wanted; };
  if (std::any_of(fits.begin(), fits.end(), of_chip)) fits.erase(std::remove_if(fits.begin(), fits.end(), [&](const entry& e) { return !of_chip(e); }), fits.end());
  if (fits.empty()) throw observe::input_error(file, fmt::format("offload bundle without code for gfx900 or gfx906; it holds: {}", observe::join(all)));
  if (fits.size() > 1) {
    std::vector<std::string> ids;
    for (const auto& e : fits) ids.push_back(e.id);
    throw observe::input_error(file, fmt::format("offload bundle with several fitting code objects ({}): extract one with clang-offload-bundler", observe::join(ids)));
  }
  return {bytes.begin() + long(fits[0].offset), bytes.begin() + long(fits[0].offset + fits[0].size)};
}

} // namespace lyra::dispatch
