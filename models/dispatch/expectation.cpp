// SPDX-License-Identifier: Apache-2.0
#include "dispatch/expectation.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace lyra::dispatch {

namespace {

bool is_nan(data_type t, uint64_t bits) { return std::isnan(to_double(t, bits)); }

/// A float's bits as an integer that counts representable values; +0 and -0 are the same.
int64_t ordered(data_type t, uint64_t bits) {
  const unsigned w = 8 * size_of(t);
  const uint64_t sign = uint64_t(1) << (w - 1);
  const int64_t magnitude = int64_t(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

double difference(data_type t, uint64_t a, uint64_t b) {
  if (is_float(t)) return std::fabs(to_double(t, a) - to_double(t, b));
  const wide_integer d = to_integer(t, a) - to_integer(t, b);
  return double(d < 0 ? -d : d);
}

uint64_t element(const std::vector<uint8_t>& bytes, uint64_t i, unsigned size) {
  uint64_t v = 0;
  std::memcpy(&v, &bytes[i * size], size);
  return v;
}

} // namespace

uint64_t ulp_distance(data_type t, uint64_t a, uint64_t b) {
  if (!is_float(t)) {
    const wide_integer d = to_integer(t, a) - to_integer(t, b);
    return uint64_t(d < 0 ? -d : d);
  }
  const wide_integer d = wide_integer(ordered(t, a)) - ordered(t, b);
  return uint64_t(d < 0 ? -d : d);
}

bool element_matches(data_type t, uint64_t got, uint64_t gold, const tolerance& tol) {
  if (got == gold) return true;
  if (!is_float(t)) {
    const wide_integer d = to_integer(t, got) - to_integer(t, gold), m = d < 0 ? -d : d;
    if (m <= wide_integer(tol.ulp)) return true;
    const wide_integer g = to_integer(t, gold);
    return (tol.abs > 0 || tol.rel > 0) && (long double)m <= (long double)tol.abs + (long double)tol.rel * (long double)(g < 0 ? -g : g);
  }
  const double a = to_double(t, got), b = to_double(t, gold);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::fabs(a - b) <= tol.allowed(b) || ulp_distance(t, got, gold) <= tol.ulp;
}

namespace {
/// Elements from i on that are surely right, by what decides nearly all of them: single floats within abs and rel.
uint64_t skip_close(const std::vector<uint8_t>& got, const std::vector<uint8_t>& gold, uint64_t i, uint64_t n, const tolerance& tol) {
  for (; i < n; ++i) {
    float x, y;
    std::memcpy(&x, &got[4 * i], 4);
    std::memcpy(&y, &gold[4 * i], 4);
    const double allowed = tol.allowed(y);
    if (!(std::fabs(double(x) - double(y)) <= allowed) || std::isinf(allowed)) break;
  }
  return i;
}
} // namespace

content content_of(const loaded_job& j, const std::string& buffer, const std::string& image, device_memory& memory) {
  content c;
  if (image.empty()) {
    const placed_buffer& b = j.buffer(buffer);
    c.name = b.name;
    c.read = [&memory, address = b.address](uint64_t offset, void* data, uint64_t bytes) { memory.read(address + offset, data, bytes); };
    return c;
  }
  c.name = image;
  c.what = "image";
  auto host = std::make_shared<std::vector<uint8_t>>(read_image(*j.spec().find_image(image), memory, j.image_address(image)));
  c.read = [host](uint64_t offset, void* data, uint64_t bytes) { std::memcpy(data, host->data() + offset, bytes); };
  return c;
}

expectation_result check(const expect_spec& e, const placed_buffer& b, device_memory& memory, unsigned shown) {
  return check(e, {b.name, "buffer", [&](uint64_t offset, void* data, uint64_t bytes) { memory.read(b.address + offset, data, bytes); }}, shown);
}

expectation_result check(const expect_spec& e, const content& b, unsigned shown) {
  expectation_result r;
  r.buffer = b.name;
  const unsigned size = size_of(e.type);
  const tolerance tol{e.abs, e.rel, e.ulp};
  std::ifstream file;
  if (e.file) {
    file.open(*e.file, std::ios::binary);
    if (!file) e.place.fail(fmt::format("cannot read \"{}\"", e.file->string()));
  }
  constexpr uint64_t chunk_elements = 1 << 16;
  std::vector<uint8_t> got, gold;
  std::string lines;
  for (uint64_t first = 0; first < e.count; first += chunk_elements) {
    const uint64_t n = std::min(chunk_elements, e.count - first);
    got.resize(n * size);
    gold.resize(n * size);
    b.read(e.offset + first * size, got.data(), got.size());
    if (e.file) {
      file.read(reinterpret_cast<char*>(gold.data()), long(gold.size()));
      if (uint64_t(file.gcount()) != gold.size()) e.place.fail(fmt::format("\"{}\" became shorter than {} bytes", e.file->string(), e.count * size));
    } else {
      for (uint64_t i = 0; i < n; ++i) std::memcpy(&gold[i * size], &e.value->bits, size);
    }
    if (got == gold) continue;
    for (uint64_t i = 0; i < n; ++i) {
      if (e.type == data_type::f32 && (i = skip_close(got, gold, i, n, tol)) == n) break;
      const uint64_t x = element(got, i, size), y = element(gold, i, size);
      if (element_matches(e.type, x, y, tol)) continue;
      const double d = difference(e.type, x, y);
      if (d > r.worst || std::isnan(d)) r.worst = d;
      if (r.wrong++ >= shown) continue;
      const uint64_t at = e.offset + (first + i) * size;
      lines += fmt::format("\n  {}[{}] (byte {:#x}): got {} ({:#0{}x}), expected {} ({:#0{}x})", b.name, first + i, at, to_text(e.type, x), x, 2 + 2 * size, to_text(e.type, y), y, 2 + 2 * size);
      if (is_float(e.type) && !is_nan(e.type, x) && !is_nan(e.type, y)) lines += fmt::format(", off by {:.3g}", d);
    }
  }
  r.checked = e.count;
  if (r.passed()) {
    r.text = fmt::format("{}: {} {} element{} right", b.name, r.checked, name(e.type), r.checked == 1 ? "" : "s");
    return r;
  }
  std::string allowed;
  if (e.abs > 0) allowed += fmt::format(" abs {:g}", e.abs);
  if (e.rel > 0) allowed += fmt::format(" rel {:g}", e.rel);
  if (e.ulp > 0) allowed += fmt::format(" ulp {}", e.ulp);
  r.text = fmt::format("{}: {} {}: {} of {} {} elements wrong, largest difference {:.6g} (allowed:{})", e.place.text(), b.what, b.name, r.wrong, r.checked, name(e.type), r.worst, allowed.empty() ? " none" : allowed);
  r.text += lines;
  if (r.wrong > shown) r.text += fmt::format("\n  and {} more", r.wrong - shown);
  return r;
}

std::vector<expectation_result> check_all(const loaded_job& j, device_memory& memory, unsigned shown) {
  std::vector<expectation_result> all;
  for (const auto& e : j.spec().expects) all.push_back(check(e, content_of(j, e.buffer, e.image, memory), shown));
  return all;
}

void write_outputs(const loaded_job& j, device_memory& memory, const std::filesystem::path& directory) {
  for (const auto& o : j.spec().outputs) {
    const content of = content_of(j, o.buffer, o.image, memory);
    const std::filesystem::path path = directory.empty() ? o.file : directory / o.file.filename();
    std::ofstream out(path, std::ios::binary);
    std::vector<uint8_t> chunk;
    for (uint64_t done = 0; out && done < o.bytes; done += chunk.size()) {
      chunk.resize(std::min<uint64_t>(o.bytes - done, 1 << 20));
      of.read(o.offset + done, chunk.data(), chunk.size());
      out.write(reinterpret_cast<const char*>(chunk.data()), long(chunk.size()));
    }
    out.close();
    if (!out) o.place.fail(fmt::format("cannot write \"{}\"", path.string()));
  }
}

} // namespace lyra::dispatch
