// SPDX-License-Identifier: Apache-2.0
#include "dispatch/image_memory.h"
#include "isa/formats.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace lyra::dispatch {

using isa::image_type;
namespace nf = isa::image_number_format;

namespace {

/// A component's register bits from a number.
uint32_t component_bits(const isa::image_format& f, double v) {
  if (f.integer) return f.is_signed ? uint32_t(int32_t(std::clamp(v, -2147483648.0, 2147483647.0))) : uint32_t(std::clamp(v, 0.0, 4294967295.0));
  const float x = float(v);
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return u;
}

/// SplitMix64: a hash of a counter.
uint64_t random_bits(uint64_t seed, uint64_t n) {
  uint64_t z = (seed + n + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Calls `each(bytes of the texel, level, x, y, slice)` in host order.
template <class F> void for_each_texel(const image_spec& s, std::vector<uint8_t>& host, F&& each) {
  const isa::image_description& d = s.description;
  const isa::image_format& f = *isa::find_image_format(d.data_format, d.number_format);
  uint8_t* at = host.data();
  for (unsigned l = 0; l < d.levels; ++l) {
    const unsigned w = std::max(d.width >> l, 1u), h = std::max(d.height >> l, 1u), n = d.type == image_type::dim_3d ? std::max(d.depth >> l, 1u) : d.layers;
    for (unsigned z = 0; z < n; ++z)
      for (unsigned sample = 0; sample < d.samples; ++sample)
        for (unsigned y = 0; y < h; ++y)
          for (unsigned x = 0; x < w; ++x, at += f.bytes) each(at, l, x, y, z);
  }
}

void encode(const isa::image_format& f, const double (&v)[4], uint8_t* at) {
  uint32_t bits[4];
  for (unsigned k = 0; k < 4; ++k) bits[k] = component_bits(f, v[k]);
  isa::encode_texel(f, bits, at);
}

void fill_pattern(const image_spec& s, std::vector<uint8_t>& host) {
  using pattern = image_spec::pattern;
  const isa::image_description& d = s.description;
  const isa::image_format& f = *isa::find_image_format(d.data_format, d.number_format);
  const uint64_t each = f.kind == isa::format_kind::subsampled ? 4 : f.bytes;
  switch (s.initial) {
    case pattern::none: return;
    case pattern::index:
      for (uint64_t n = 0; n * each < host.size(); ++n) std::memcpy(&host[n * each], &n, std::min<uint64_t>(each, 8));
      return;
    case pattern::random:
      if (f.number == nf::floating && f.storable) { // no NaNs
        uint64_t n = 0;
        for_each_texel(s, host, [&](uint8_t* at, unsigned, unsigned, unsigned, unsigned) {
          double v[4];
          for (double& c : v) c = double(random_bits(s.seed, n++) >> 11) * 0x1p-53;
          encode(f, v, at);
        });
      } else {
        for (uint64_t n = 0; n < host.size(); ++n) host[n] = uint8_t(random_bits(s.seed, n));
      }
      return;
    case pattern::gradient:
      for_each_texel(s, host, [&](uint8_t* at, unsigned l, unsigned x, unsigned y, unsigned z) {
        if (f.integer) { encode(f, {double(x), double(y), double(z), double(l)}, at); return; }
        const auto ramp = [&](unsigned i, unsigned size) { return size > 1 ? double(i) / (size - 1) : 0.0; };
        const unsigned slices = d.type == image_type::dim_3d ? std::max(d.depth >> l, 1u) : d.layers;
        encode(f, {ramp(x, std::max(d.width >> l, 1u)), ramp(y, std::max(d.height >> l, 1u)), ramp(z, slices), 1.0}, at);
      });
      return;
    case pattern::checker:
      for_each_texel(s, host, [&](uint8_t* at, unsigned, unsigned x, unsigned y, unsigned z) {
        const double v = (x / 8 + y / 8 + z / 8) & 1 ? 1.0 : 0.0;
        encode(f, {v, v, v, 1.0}, at);
      });
  }
}

/// The index of ROCm's channel type table; 31, where OpenCL has no name for the format.
unsigned channel_type(const isa::image_format& f) {
  const unsigned bits = f.bits[0];
  using namespace isa::image_data_format;
  if (f.data == f24_8 || f.data == f8_24) return f.number == nf::unorm ? 4 : 31;
  if (f.data == f5_6_5) return f.number == nf::unorm ? 6 : 31;
  if (f.data == f1_5_5_5) return f.number == nf::unorm ? 5 : 31;
  if (f.data == f2_10_10_10 || f.data == f10_10_10_2) return f.number == nf::unorm ? 7 : 31;
  if (f.kind != isa::format_kind::channels || (bits != 8 && bits != 16 && bits != 32)) return 31;
  const unsigned size = bits == 8 ? 0 : bits == 16 ? 1 : 2;
  switch (f.number) {
    case nf::snorm: return size < 2 ? size : 31;
    case nf::unorm: return size < 2 ? 2 + size : 31;
    case nf::srgb: return 2;
    case nf::sint: return 8 + size;
    case nf::uint: return 11 + size;
    case nf::floating: return size ? 13 + size : 31;
    default: return 31;
  }
}

/// The index of ROCm's channel order table, from components and dst_sel; 31: none.
unsigned channel_order(const isa::image_format& f, const isa::component_select (&sel)[4]) {
  char text[5] = {};
  for (unsigned k = 0; k < 4; ++k) text[k] = "01??rgba"[unsigned(sel[k]) & 7];
  const std::string s = text;
  const bool srgb = f.number == nf::srgb;
  switch (f.components) {
    case 1: return s == "000r" ? 0 : s == "rrrr" ? 16 : s == "rrr1" ? 17 : s == "r001" ? 1 : 31;
    case 2: return s == "r00g" ? 5 : s == "rg01" ? 3 : 31;
    case 3: return s == "rgb1" ? (srgb ? 12 : 6) : 31;
    default: return s == "rgba" ? (srgb ? 14 : 8) : s == "bgra" ? (srgb ? 15 : 9) : s == "gbar" ? 10 : s == "abgr" ? 11 : s == "rgb1" ? (srgb ? 13 : 7) : 31;
  }
}

} // namespace

std::vector<uint8_t> initial_texels(const image_spec& s) {
  std::vector<uint8_t> host;
  if (!s.file && !s.fill && !s.texel && s.initial == image_spec::pattern::none) return host;
  host.assign(s.host_bytes(), 0);
  if (s.file) {
    std::ifstream in(*s.file, std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(host.data()), long(host.size()))) s.place.fail(fmt::format("cannot read {} bytes of \"{}\"", host.size(), s.file->string()));
  } else if (s.fill) {
    const uint64_t each = size_of(s.fill->type);
    for (uint64_t i = 0; i < host.size(); i += each) std::memcpy(&host[i], &s.fill->bits, std::min(each, host.size() - i));
  } else if (s.texel) {
    const isa::image_format& f = *isa::find_image_format(s.description.data_format, s.description.number_format);
    const double v[4] = {(*s.texel)[0], (*s.texel)[1], (*s.texel)[2], (*s.texel)[3]};
    for (uint64_t i = 0; i < host.size(); i += f.bytes) encode(f, v, &host[i]);
  } else {
    fill_pattern(s, host);
  }
  return host;
}

void load_image(const image_spec& s, device_memory& memory, uint64_t address) {
  const std::vector<uint8_t> host = initial_texels(s);
  if (host.empty()) return;
  if (s.texel_buffer) {
    memory.write(address, host.data(), host.size());
    return;
  }
  std::vector<uint8_t> device(s.device_bytes());
  isa::image_layout(s.description).copy_in(host.data(), device.data());
  memory.write(address, device.data(), device.size());
}

std::vector<uint8_t> read_image(const image_spec& s, device_memory& memory, uint64_t address) {
  std::vector<uint8_t> device(s.device_bytes());
  memory.read(address, device.data(), device.size());
  if (s.texel_buffer) return device;
  std::vector<uint8_t> host(s.host_bytes());
  isa::image_layout(s.description).copy_out(device.data(), host.data());
  return host;
}

std::array<uint32_t, 16> image_object(const image_spec& s, uint64_t address) {
  std::array<uint32_t, 16> w{};
  const isa::image_format& f = *isa::find_image_format(s.resource.data_format, s.resource.number_format);
  if (s.texel_buffer) {
    w[0] = uint32_t(address);
    w[1] = uint32_t(address >> 32 & 0xffff) | uint32_t(f.bytes) << 16;
    w[2] = s.description.width;
    for (unsigned k = 0; k < 4; ++k) w[3] |= uint32_t(s.resource.dst_sel[k]) << (3 * k);
    w[3] |= uint32_t(f.number) << 12 | uint32_t(f.data) << 15;
  } else {
    isa::image_resource r = s.resource;
    r.base = address;
    isa::encode_image_resource(r, w.data());
  }
  w[8] = channel_type(f);
  w[9] = channel_order(f, s.resource.dst_sel);
  w[10] = s.description.width;
  return w;
}

std::array<uint32_t, 8> sampler_object(const sampler_spec& s) {
  std::array<uint32_t, 8> w{};
  isa::encode_image_sampler(s.sampler, w.data());
  return w;
}

std::array<uint32_t, 4> buffer_descriptor_words(uint64_t address, uint64_t bytes) {
  constexpr uint32_t dst_sel_xyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9, nfmt_float = 7u << 12, dfmt_32 = 4u << 15;
  return {uint32_t(address), uint32_t(address >> 32 & 0xffff), uint32_t(std::min<uint64_t>((bytes + 3) / 4 * 4, UINT32_MAX)), dst_sel_xyzw | nfmt_float | dfmt_32};
}

} // namespace lyra::dispatch
