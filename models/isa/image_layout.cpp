// SPDX-License-Identifier: Apache-2.0
#include "isa/image_layout.h"
#include <algorithm>
#include <cctype>
#include <cstring>

namespace lyra::isa {



namespace {

std::string lower(std::string s) {
  for (char& c : s) c = char(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

surface_kind kind_of(image_type t) { return is_1d(t) ? surface_kind::dim_1d : t == image_type::dim_3d ? surface_kind::dim_3d : surface_kind::dim_2d; }

} // namespace

std::string image_description_error(const image_description& d) {
  const image_format* f = find_image_format(d.data_format, d.number_format);
  auto text = [](unsigned v) { return std::to_string(v); };
  if (!f) return "data format " + text(d.data_format) + " with number format " + text(d.number_format) + " is not an image format";
  if (unsigned(d.type) < 8) return "an image needs a type (1d, 2d, 3d, cube, 1d_array, 2d_array, 2d_msaa, 2d_msaa_array)";
  if (!d.width || !d.height || !d.depth || !d.layers || !d.levels || !d.samples) return "sizes, layers, levels and samples are at least 1";
  if (d.width > 16384 || d.height > 16384) return "width and height are at most 16384 texels";
  if (d.depth > 8192 || d.layers > 8192) return "depth and layers are at most 8192";
  if (is_1d(d.type) && d.height != 1) return "a 1D image has height 1";
  if (d.type != image_type::dim_3d && d.depth != 1) return "only a 3D image has a depth";
  bool layered = is_array(d.type) || d.type == image_type::cube;
  if (!layered && d.layers != 1) return "only array and cube images have layers";
  if (d.type == image_type::cube && (d.layers % 6 || d.width != d.height)) return "a cube has a multiple of 6 layers and square faces";
  if (is_msaa(d.type) ? (d.samples < 2 || d.samples > 16 || (d.samples & (d.samples - 1))) : d.samples != 1) return "samples are 2, 4, 8 or 16 for an MSAA image, and 1 otherwise";
  if (is_msaa(d.type) && d.levels != 1) return "an MSAA image has one level";
  unsigned largest = std::max({d.width, d.height, d.depth}), most = 1;
  while (largest >> most) ++most;
  if (d.levels > most) return "an image of " + text(largest) + " texels has at most " + text(most) + " levels";
  if (f->bytes == 12 && d.swizzle != swizzle_mode::linear && d.swizzle != swizzle_mode::linear_general) return "96-bit images are linear";
  if (f->kind == format_kind::subsampled && d.levels > 1) return "GB_GR and BG_RG images have one level";
  image_resource r = image_layout(d).resource(0);
  return image_resource_error(r);
}

image_layout::image_layout(const image_description& d) : d_(d), format_(find_image_format(d.data_format, d.number_format)) {
  element_bytes_ = format_->kind == format_kind::subsampled ? 2 : format_->bytes;
  surface_shape s;
  s.kind = kind_of(d.type);
  s.swizzle = d.swizzle;
  s.element_bytes = element_bytes_;
  extent e = elements(0);
  s.width = e.width;
  s.height = e.height;
  s.slices = e.slices;
  s.levels = d.levels;
  s.samples = d.samples;
  surface_.build(s);
}

image_layout::extent image_layout::elements(unsigned level) const {
  unsigned w = std::max(d_.width >> level, 1u), h = std::max(d_.height >> level, 1u);
  extent e;
  e.slices = d_.type == image_type::dim_3d ? std::max(d_.depth >> level, 1u) : d_.layers;
  if (format_->kind == format_kind::subsampled) {
    e.width = w + (w & 1);
    e.height = h;
  } else {
    e.width = (w + format_->block_width - 1) / format_->block_width;
    e.height = (h + format_->block_height - 1) / format_->block_height;
  }
  return e;
}

uint64_t image_layout::host_bytes(unsigned level) const {
  extent e = elements(level);
  return uint64_t(e.width) * e.height * e.slices * d_.samples * element_bytes_;
}

uint64_t image_layout::host_bytes() const {
  uint64_t sum = 0;
  for (unsigned l = 0; l < d_.levels; ++l) sum += host_bytes(l);
  return sum;
}

template <bool In> void image_layout::copy(uint8_t* host, uint8_t* device) const {
  for (unsigned l = 0; l < d_.levels; ++l) {
    extent e = elements(l);
    for (unsigned z = 0; z < e.slices; ++z)
      for (unsigned s = 0; s < d_.samples; ++s)
        for (unsigned y = 0; y < e.height; ++y)
          for (unsigned x = 0; x < e.width; ++x, host += element_bytes_) {
            uint8_t* at = device + surface_.offset(l, x, y, z, s);
            if (In) std::memcpy(at, host, element_bytes_);
            else std::memcpy(host, at, element_bytes_);
          }
  }
}
template void image_layout::copy<true>(uint8_t*, uint8_t*) const;
template void image_layout::copy<false>(uint8_t*, uint8_t*) const;

image_resource image_layout::resource(uint64_t base) const {
  image_resource r;
  r.base = base;
  r.data_format = uint8_t(d_.data_format);
  r.number_format = uint8_t(d_.number_format);
  r.width = uint16_t(d_.width);
  r.height = uint16_t(d_.height);
  r.perf_mod = 4;
  using c = component_select;
  for (unsigned k = 0; k < 4; ++k) r.dst_sel[k] = k < format_->components ? c(4 + k) : k == 3 ? c::one : c::zero;
  r.type = d_.type;
  r.swizzle = d_.swizzle;
  unsigned log2_samples = 0;
  while (1u << log2_samples < d_.samples) ++log2_samples;
  r.last_level = r.max_mip = uint8_t(is_msaa(d_.type) ? log2_samples : d_.levels - 1);
  r.depth = uint16_t((d_.type == image_type::dim_3d ? d_.depth : d_.layers) - 1);
  r.pitch = uint16_t(surface_.epitch());
  return r;
}

const std::vector<std::string>& image_type_names() {
  static const std::vector<std::string> names{"1d", "2d", "3d", "cube", "1d_array", "2d_array", "2d_msaa", "2d_msaa_array"};
  return names;
}

namespace {
struct format_name { const char* name; uint8_t value; };
const format_name data_formats[] = {{"8", 1}, {"16", 2}, {"8_8", 3}, {"32", 4}, {"16_16", 5}, {"10_11_11", 6}, {"11_11_10", 7}, {"10_10_10_2", 8}, {"2_10_10_10", 9}, {"8_8_8_8", 10}, {"32_32", 11},
  {"16_16_16_16", 12}, {"32_32_32", 13}, {"32_32_32_32", 14}, {"5_6_5", 16}, {"1_5_5_5", 17}, {"5_5_5_1", 18}, {"4_4_4_4", 19}, {"8_24", 20}, {"24_8", 21}, {"x24_8_32", 22}, {"gb_gr", 32},
  {"bg_rg", 33}, {"5_9_9_9", 34}, {"bc1", 35}, {"bc2", 36}, {"bc3", 37}, {"bc4", 38}, {"bc5", 39}, {"bc6", 40}, {"bc7", 41}, {"fmask", 44}};
const char* const number_formats[10] = {"unorm", "snorm", "uscaled", "sscaled", "uint", "sint", "snorm_ogl", "float", "", "srgb"};
} // namespace

const std::vector<std::string>& data_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (const format_name& f : data_formats) n.push_back(f.name);
    return n;
  }();
  return names;
}

const std::vector<std::string>& number_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (const char* f : number_formats) if (*f) n.push_back(f);
    return n;
  }();
  return names;
}

const std::vector<std::string>& swizzle_mode_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (unsigned i = 0; i < 32; ++i) if (i < 12 || (i >= 16 && i < 28) || i == 31) n.push_back(lower(name_of(swizzle_mode(i))));
    return n;
  }();
  return names;
}

bool parse_image_type(const std::string& name, image_type& out) {
  const auto& names = image_type_names();
  for (unsigned i = 0; i < 8; ++i) if (lower(name) == names[i]) { out = image_type(8 + i); return true; }
  return false;
}

bool parse_data_format(const std::string& name, unsigned& out) {
  for (const format_name& f : data_formats) if (lower(name) == f.name) { out = f.value; return true; }
  return false;
}

bool parse_number_format(const std::string& name, unsigned& out) {
  for (unsigned i = 0; i < 10; ++i) if (i != 8 && lower(name) == number_formats[i]) { out = i; return true; }
  return false;
}

bool parse_swizzle_mode(const std::string& name, swizzle_mode& out) {
  for (unsigned i = 0; i < 32; ++i) if (lower(name) == lower(name_of(swizzle_mode(i)))) { out = swizzle_mode(i); return true; }
  return false;
}

} // namespace lyra::isa
