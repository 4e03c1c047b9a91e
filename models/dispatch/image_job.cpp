// SPDX-License-Identifier: Apache-2.0
#include "dispatch/image_job.h"
#include "dispatch/job_fields.h"
#include <cmath>

namespace lyra::dispatch {

namespace fs = std::filesystem;
using isa::image_type;

namespace {

constexpr uint64_t most_device_bytes = uint64_t(1) << 32;

[[noreturn]] void unknown(const toml_fields& f, const char* key, const std::string& text, const std::vector<std::string>& names) {
  const std::string near = observe::did_you_mean(text, names);
  f.fail(key, fmt::format("{}: unknown {} \"{}\"", f.what(), key, text) + (near.empty() ? "; one of " + observe::join(names) : near));
}

/// A key's value as its place in `names`; `otherwise` where the key is missing.
unsigned choice(const toml_fields& f, const char* key, const std::vector<std::string>& names, unsigned otherwise) {
  const auto text = f.string(key);
  if (!text) return otherwise;
  for (unsigned i = 0; i < names.size(); ++i) if (*text == names[i]) return i;
  unknown(f, key, *text, names);
}

/// A number as fixed point with `fraction` bits, in [least, most] steps.
std::optional<int> fixed(const toml_fields& f, const char* key, unsigned fraction, int least, int most) {
  const toml::node* n = f.node(key);
  if (!n) return {};
  if (!n->is_integer() && !n->is_floating_point()) f.fail(key, fmt::format("{}: {} must be a number", f.what(), key));
  const double one = double(1u << fraction), v = n->is_integer() ? double(**n->as_integer()) : **n->as_floating_point(), steps = std::nearbyint(v * one);
  if (!(steps >= least && steps <= most)) f.fail(key, fmt::format("{}: {} = {} must be in {}..{}", f.what(), key, v, least / one, most / one));
  return int(steps);
}

/// "8_8_8_8 unorm"
void read_format(const toml_fields& f, unsigned& data, unsigned& number) {
  const std::string text = f.needed_string("format");
  const size_t blank = text.find(' ');
  if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
    f.fail("format", fmt::format("{}: format \"{}\" must be a data format, a blank and a number format, like \"8_8_8_8 unorm\"", f.what(), text));
  const std::string d = text.substr(0, blank), n = text.substr(blank + 1);
  if (!isa::parse_data_format(d, data)) unknown(f, "format", d, isa::data_format_names());
  if (!isa::parse_number_format(n, number)) {
    uint64_t v = 0; // FMASK's layouts are numbers
    if (data != isa::image_data_format::ffmask || !parse_unsigned(n, v) || v > 15) unknown(f, "format", n, isa::number_format_names());
    number = unsigned(v);
  }
  if (!isa::find_image_format(data, number)) f.fail("format", fmt::format("{}: there is no image format \"{}\": {} does not go with {} (docs/images.md lists what does)", f.what(), text, d, n));
}

/// "bgra", "r001": a character a channel.
void read_select(const toml_fields& f, isa::image_resource& r) {
  const auto text = f.string("select");
  if (!text) return;
  static const std::string names = "01  rgba";
  if (text->size() != 4) f.fail("select", fmt::format("{}: select \"{}\" must have four characters of r, g, b, a, 0 and 1", f.what(), *text));
  for (unsigned k = 0; k < 4; ++k) {
    const size_t i = names.find((*text)[k]);
    if (i == std::string::npos || (*text)[k] == ' ') f.fail("select", fmt::format("{}: select \"{}\" must have four characters of r, g, b, a, 0 and 1", f.what(), *text));
    r.dst_sel[k] = isa::component_select(i);
  }
}

bool same_class(image_type a, image_type b) {
  const auto of = [](image_type t) { return isa::is_1d(t) ? 1 : t == image_type::dim_3d ? 3 : isa::is_msaa(t) ? 4 : 2; };
  return of(a) == of(b);
}

/// What of an image a T# shows: levels, layers, channels, limits.
void read_view(const toml_fields& f, const isa::image_description& d, isa::image_resource& r) {
  const std::string what = f.what();
  if (!isa::is_msaa(r.type)) {
    r.base_level = uint8_t(f.unsigned_value("base_level", 0, d.levels - 1).value_or(0));
    r.last_level = uint8_t(f.unsigned_value("last_level", r.base_level, d.levels - 1).value_or(d.levels - 1));
  } else {
    for (const char* k : {"base_level", "last_level"}) if (f.has(k)) f.fail(k, fmt::format("{}: an MSAA image has one level", what));
  }
  if (r.type == image_type::dim_3d) {
    for (const char* k : {"base_layer", "last_layer"}) if (f.has(k)) f.fail(k, fmt::format("{}: a 3D image has no layers", what));
  } else {
    r.base_array = uint16_t(f.unsigned_value("base_layer", 0, d.layers - 1).value_or(0));
    r.depth = uint16_t(f.unsigned_value("last_layer", r.base_array, d.layers - 1).value_or(d.layers - 1));
    if (r.type == image_type::cube && (r.depth - r.base_array + 1) % 6)
      f.place().fail(fmt::format("{}: a cube view needs a multiple of 6 layers, not {} ({} to {})", what, r.depth - r.base_array + 1, r.base_array, r.depth));
  }
  read_select(f, r);
  if (const auto v = fixed(f, "min_lod", 8, 0, 0xfff)) r.min_lod = uint16_t(*v);
  if (const auto v = fixed(f, "min_lod_warn", 8, 0, 0xfff)) r.min_lod_warn = uint16_t(*v);
  static const std::vector<std::string> swizzles{"xyzw", "xwyz", "wzyx", "wxyz", "zyxw", "yxwz"};
  r.border_swizzle = uint8_t(choice(f, "border_swizzle", swizzles, r.border_swizzle));
  if (const std::string e = isa::image_resource_error(r); !e.empty()) f.place().fail(fmt::format("{}: {}", what, e));
}

const std::vector<std::string> view_keys{"type", "format", "base_level", "last_level", "base_layer", "last_layer", "select", "min_lod", "min_lod_warn", "border_swizzle"};

void read_view_of(const toml_fields& f, image_spec& s, const std::vector<image_spec>& others) {
  for (const std::string& k : image_keys())
    if (f.has(k.c_str()) && k != "view_of" && std::find(view_keys.begin(), view_keys.end(), k) == view_keys.end())
      f.fail(k.c_str(), fmt::format("{}: {} is the image's own affair; a view has {}", f.what(), k, observe::join(view_keys)));
  s.view_of = f.needed_string("view_of");
  const image_spec* of = nullptr;
  std::vector<std::string> names;
  for (const auto& o : others) {
    names.push_back(o.name);
    if (o.name == s.view_of) of = &o;
  }
  if (!of) f.fail("view_of", fmt::format("{}: no image \"{}\" before it", f.what(), s.view_of) + observe::did_you_mean(s.view_of, names));
  if (of->is_view() || of->texel_buffer) f.fail("view_of", fmt::format("{}: \"{}\" is a {}; views are of images with memory of their own", f.what(), s.view_of, of->texel_buffer ? "texel buffer" : "view"));
  s.description = of->description;
  s.resource = of->resource;
  s.resource.base_array = 0;
  s.resource.depth = uint16_t((s.description.type == image_type::dim_3d ? s.description.depth : s.description.layers) - 1);
  if (const auto t = f.string("type")) {
    if (!isa::parse_image_type(*t, s.resource.type)) unknown(f, "type", *t, isa::image_type_names());
    if (!same_class(s.resource.type, s.description.type)) f.fail("type", fmt::format("{}: a {} image cannot be seen as {}", f.what(), isa::image_type_names()[unsigned(s.description.type) - 8], *t));
  }
  if (f.has("format")) {
    unsigned data, number;
    read_format(f, data, number);
    const isa::image_format &a = *isa::find_image_format(data, number), &b = *isa::find_image_format(s.description.data_format, s.description.number_format);
    if (a.bytes != b.bytes || a.block_width != b.block_width || a.kind != b.kind)
      f.fail("format", fmt::format("{}: elements of {} bytes cannot be seen in elements of {} bytes; a view's format must have the same element", f.what(), b.bytes, a.bytes));
    s.resource.data_format = uint8_t(data);
    s.resource.number_format = uint8_t(number);
    isa::image_description d = s.description;
    d.data_format = data;
    d.number_format = number;
    std::copy_n(isa::image_layout(d).resource(0).dst_sel, 4, s.resource.dst_sel);
  }
  read_view(f, s.description, s.resource);
}

/// type = "buffer": elements in a row, seen through a V#.
void read_texel_buffer(const toml_fields& f, image_spec& s) {
  static const std::vector<std::string> keys{"type", "width", "format", "select", "address", "file", "fill", "texel", "pattern", "seed", "non_resident"};
  for (const std::string& k : image_keys())
    if (f.has(k.c_str()) && std::find(keys.begin(), keys.end(), k) == keys.end()) f.fail(k.c_str(), fmt::format("{}: a texel buffer has no {}", f.what(), k));
  isa::image_description& d = s.description;
  s.texel_buffer = true;
  if (!f.has("width")) f.place().fail(fmt::format("{} needs width: elements of the texel buffer", f.what()));
  d.width = unsigned(*f.unsigned_value("width", 1, 1u << 27));
  read_format(f, d.data_format, d.number_format);
  if (d.data_format > 14 || d.number_format > 7 || d.number_format == 6) f.fail("format", fmt::format("{}: a texel buffer's format is of {} up to 32_32_32_32 and no srgb", f.what(), "8"));
  const isa::image_format& format = *isa::find_image_format(d.data_format, d.number_format);
  using c = isa::component_select;
  for (unsigned k = 0; k < 4; ++k) s.resource.dst_sel[k] = k < format.components ? c(4 + k) : k == 3 ? c::one : c::zero;
  s.resource.data_format = uint8_t(d.data_format);
  s.resource.number_format = uint8_t(d.number_format);
  read_select(f, s.resource);
}

void read_size(const toml_fields& f, image_spec& s) {
  isa::image_description& d = s.description;
  const std::string type = f.needed_string("type");
  if (type == "buffer") { read_texel_buffer(f, s); return; }
  if (!isa::parse_image_type(type, d.type)) {
    auto names = isa::image_type_names();
    names.push_back("buffer");
    unknown(f, "type", type, names);
  }
  if (!f.has("width")) f.place().fail(fmt::format("{} needs width", f.what()));
  if (!f.has("format")) f.place().fail(fmt::format("{} needs format, like \"8_8_8_8 unorm\"", f.what()));
  d.width = unsigned(*f.unsigned_value("width", 1, 16384));
  if (!isa::is_1d(d.type) && !f.has("height")) f.place().fail(fmt::format("{} needs height", f.what()));
  d.height = unsigned(f.unsigned_value("height", 1, 16384).value_or(1));
  d.depth = unsigned(f.unsigned_value("depth", 1, 8192).value_or(1));
  d.layers = unsigned(f.unsigned_value("layers", 1, 8192).value_or(d.type == image_type::cube ? 6 : 1));
  d.levels = unsigned(f.unsigned_value("levels", 1, 15).value_or(1));
  d.samples = unsigned(f.unsigned_value("samples", 1, 16).value_or(1));
  read_format(f, d.data_format, d.number_format);
  if (const auto text = f.string("swizzle")) {
    if (!isa::parse_swizzle_mode(*text, d.swizzle)) unknown(f, "swizzle", *text, isa::swizzle_mode_names());
  } else if (isa::is_msaa(d.type)) {
    d.swizzle = isa::swizzle_mode::s_64kb;
  }
  if (const std::string e = isa::image_description_error(d); !e.empty()) f.place().fail(fmt::format("{}: {}", f.what(), e));
  s.resource = isa::image_layout(d).resource(0);
  read_view(f, d, s.resource);
}

void read_content(const toml_fields& f, image_spec& s, const fs::path& directory) {
  unsigned given = 0;
  for (const char* k : {"file", "fill", "texel", "pattern"}) given += f.has(k);
  if (given > 1) f.place().fail(fmt::format("{}: give one of file, fill, texel and pattern", f.what()));
  if (f.has("file")) {
    s.file = existing_file(f, "file", directory);
    const uint64_t bytes = fs::file_size(*s.file);
    if (bytes != s.host_bytes()) f.fail("file", fmt::format("{}: \"{}\" has {} bytes, the image's texels (rows, slices, levels, without padding) are {}", f.what(), s.file->filename().string(), bytes, s.host_bytes()));
  }
  if (f.has("fill")) s.fill = one_scalar(f, "fill");
  const isa::image_format& format = *isa::find_image_format(s.description.data_format, s.description.number_format);
  if (const toml::array* a = f.array("texel")) {
    if (a->size() != 4) f.fail("texel", fmt::format("{}: texel must have four numbers: R, G, B, A", f.what()));
    s.texel.emplace();
    for (unsigned k = 0; k < 4; ++k) {
      const toml::node& n = *a->get(k);
      if (!n.is_integer() && !(n.is_floating_point() && !format.integer)) f.fail("texel", fmt::format("{}: texel must have four {}", f.what(), format.integer ? "integers (the format's components are integers)" : "numbers"));
      (*s.texel)[k] = n.is_integer() ? double(**n.as_integer()) : **n.as_floating_point();
    }
  }
  static const std::vector<std::string> patterns{"none", "index", "random", "gradient", "checker"};
  s.initial = image_spec::pattern(choice(f, "pattern", patterns, 0));
  if (const auto seed = f.unsigned_value("seed")) {
    if (s.initial != image_spec::pattern::random) f.fail("seed", fmt::format("{}: seed goes with pattern = \"random\"", f.what()));
    s.seed = *seed;
  }
  const bool encodes = s.texel || s.initial == image_spec::pattern::gradient || s.initial == image_spec::pattern::checker;
  if (encodes && !format.storable) f.fail(s.texel ? "texel" : "pattern", fmt::format("{}: texels of this format cannot be encoded; give a file, or pattern = \"random\"", f.what()));
}

} // namespace

uint64_t image_spec::level_bytes(unsigned level) const {
  return texel_buffer ? uint64_t(description.width) * isa::image_element_bytes(description.data_format) : isa::image_layout(description).host_bytes(level);
}
uint64_t image_spec::level_offset(unsigned level) const {
  uint64_t sum = 0;
  for (unsigned l = 0; l < level; ++l) sum += level_bytes(l);
  return sum;
}
uint64_t image_spec::host_bytes() const { return level_offset(texel_buffer ? 1 : description.levels); }
uint64_t image_spec::device_bytes() const { return texel_buffer ? host_bytes() : isa::image_layout(description).device_bytes(); }
unsigned image_spec::alignment() const { return texel_buffer ? 256 : isa::image_layout(description).alignment(); }

const std::vector<std::string>& image_keys() {
  static const std::vector<std::string> keys{"type", "width", "height", "depth", "layers", "levels", "samples", "format", "swizzle", "file", "fill", "texel", "pattern", "seed", "address",
    "view_of", "base_level", "last_level", "base_layer", "last_layer", "select", "min_lod", "min_lod_warn", "border_swizzle", "non_resident"};
  return keys;
}

std::vector<byte_range> read_non_resident(const toml_fields& f, uint64_t bytes) {
  std::vector<byte_range> out;
  const toml::array* list = f.array("non_resident");
  if (!list) return out;
  for (const auto& e : *list) {
    const toml::array* pair = e.as_array();
    if (!pair || pair->size() != 2) f.place_of(e).fail(fmt::format("{}: non_resident is a list of [FIRST BYTE, BYTES]", f.what()));
    byte_range r{f.unsigned_of(*pair->get(0), "non_resident", 0, ~uint64_t(0)), f.unsigned_of(*pair->get(1), "non_resident", 1, ~uint64_t(0))};
    if (r.first % 4096 || r.bytes % 4096) f.place_of(e).fail(fmt::format("{}: non_resident [{:#x}, {:#x}] must be whole pages of 4096 bytes", f.what(), r.first, r.bytes));
    const uint64_t end = (bytes + 4095) / 4096 * 4096;
    if (r.first >= end || r.bytes > end - r.first) f.place_of(e).fail(fmt::format("{}: non_resident [{:#x}, {:#x}] goes beyond its {:#x} bytes", f.what(), r.first, r.bytes, bytes));
    out.push_back(r);
  }
  return out;
}

image_spec read_image(const toml_fields& f, const std::string& name, const fs::path& directory, const std::vector<image_spec>& others) {
  image_spec s;
  s.name = name;
  s.place = f.place();
  if (f.has("view_of")) {
    read_view_of(f, s, others);
    return s;
  }
  read_size(f, s);
  if (s.device_bytes() > most_device_bytes) f.place().fail(fmt::format("{}: {} bytes; an image has at most {}", f.what(), s.device_bytes(), most_device_bytes));
  read_content(f, s, directory);
  s.address = address_field(f, s.alignment());
  s.non_resident = read_non_resident(f, s.device_bytes());
  return s;
}

const std::vector<std::string>& sampler_keys() {
  static const std::vector<std::string> keys{"filter", "mag", "min", "z_filter", "mip", "mode", "clamp", "clamp_x", "clamp_y", "clamp_z", "max_anisotropy", "compare", "normalized", "min_lod", "max_lod",
    "lod_bias", "lod_bias_sec", "border", "border_index", "trunc_coord", "mc_coord_trunc", "cube_wrap", "force_degamma", "mip_point_preclamp", "disable_lsb_ceil", "filter_prec_fix", "aniso_override",
    "aniso_threshold", "aniso_bias", "perf_mip", "perf_z", "compat_mode"};
  return keys;
}

sampler_spec read_sampler(const toml_fields& f, const std::string& name) {
  static const std::vector<std::string> filters{"point", "linear"}, z_filters{"as_xy", "point", "linear"}, mips{"none", "point", "linear"}, modes{"blend", "min", "max"},
    clamps{"wrap", "mirror", "clamp", "mirror_once", "half_border", "mirror_once_half_border", "border", "mirror_once_border"},
    compares{"never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"}, borders{"transparent_black", "opaque_black", "opaque_white", "table"};
  sampler_spec out;
  out.name = name;
  out.place = f.place();
  isa::image_sampler& s = out.sampler;
  const unsigned filter = choice(f, "filter", filters, 0), clamp = choice(f, "clamp", clamps, 0);
  s.xy_mag = uint8_t(choice(f, "mag", filters, filter));
  s.xy_min = uint8_t(choice(f, "min", filters, filter));
  s.z_filter = uint8_t(choice(f, "z_filter", z_filters, 0));
  s.mip_filter = uint8_t(choice(f, "mip", mips, 0));
  s.mode = isa::filter_mode(choice(f, "mode", modes, 0));
  s.clamp_x = isa::clamp_mode(choice(f, "clamp_x", clamps, clamp));
  s.clamp_y = isa::clamp_mode(choice(f, "clamp_y", clamps, clamp));
  s.clamp_z = isa::clamp_mode(choice(f, "clamp_z", clamps, clamp));
  s.compare = isa::compare_function(choice(f, "compare", compares, 0));
  s.border = isa::border_color(choice(f, "border", borders, 0));
  s.border_color_pointer = uint16_t(f.unsigned_value("border_index", 0, 4095).value_or(0));
  if (f.has("border_index") && s.border != isa::border_color::table) f.fail("border_index", fmt::format("{}: border_index goes with border = \"table\"", f.what()));
  if (const auto n = f.unsigned_value("max_anisotropy", 1, 16)) {
    if (*n & (*n - 1)) f.fail("max_anisotropy", fmt::format("{}: max_anisotropy = {} must be 1, 2, 4, 8 or 16", f.what(), *n));
    while (1u << s.max_aniso_ratio < *n) ++s.max_aniso_ratio;
    if (s.max_aniso_ratio) { s.xy_mag |= 2; s.xy_min |= 2; }
  }
  s.force_unnormalized = !f.flag("normalized").value_or(true);
  s.min_lod = uint16_t(fixed(f, "min_lod", 8, 0, 0xfff).value_or(0));
  s.max_lod = uint16_t(fixed(f, "max_lod", 8, 0, 0xfff).value_or(0xfff));
  if (s.min_lod > s.max_lod) f.fail(f.has("min_lod") ? "min_lod" : "max_lod", fmt::format("{}: min_lod {} is above max_lod {}", f.what(), s.min_lod / 256.0, s.max_lod / 256.0));
  s.lod_bias = int16_t(fixed(f, "lod_bias", 8, -8192, 8191).value_or(0));
  s.lod_bias_sec = int8_t(fixed(f, "lod_bias_sec", 4, -32, 31).value_or(0));
  s.aniso_threshold = uint8_t(f.unsigned_value("aniso_threshold", 0, 7).value_or(0));
  s.aniso_bias = uint8_t(fixed(f, "aniso_bias", 5, 0, 63).value_or(0));
  s.perf_mip = uint8_t(f.unsigned_value("perf_mip", 0, 15).value_or(0));
  s.perf_z = uint8_t(f.unsigned_value("perf_z", 0, 15).value_or(0));
  s.trunc_coord = f.flag("trunc_coord").value_or(false);
  s.mc_coord_trunc = f.flag("mc_coord_trunc").value_or(false);
  s.disable_cube_wrap = !f.flag("cube_wrap").value_or(true);
  s.force_degamma = f.flag("force_degamma").value_or(false);
  s.mip_point_preclamp = f.flag("mip_point_preclamp").value_or(false);
  s.disable_lsb_ceil = f.flag("disable_lsb_ceil").value_or(false);
  s.filter_prec_fix = f.flag("filter_prec_fix").value_or(false);
  s.aniso_override = f.flag("aniso_override").value_or(false);
  s.compat_mode = f.flag("compat_mode").value_or(true);
  if (const std::string e = isa::image_sampler_error(s); !e.empty()) f.place().fail(fmt::format("{}: {}", f.what(), e));
  return out;
}

} // namespace lyra::dispatch
