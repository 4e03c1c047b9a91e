// SPDX-License-Identifier: Apache-2.0
#include "dispatch/job_fields.h"

namespace lyra::dispatch {

namespace fs = std::filesystem;

fs::path resolve_path(const fs::path& directory, const std::string& path) { return fs::path(path).is_absolute() ? fs::path(path) : directory / path; }

fs::path existing_file(const toml_fields& f, const char* key, const fs::path& directory) {
  const std::string text = f.needed_string(key);
  const fs::path p = resolve_path(directory, text);
  std::error_code e;
  if (!fs::is_regular_file(p, e)) f.fail(key, fmt::format("{}: no such file \"{}\" (looked for {})", f.what(), text, p.string()));
  return p;
}

std::optional<uint64_t> address_field(const toml_fields& f, uint64_t alignment) {
  const auto a = f.unsigned_value("address");
  if (!a) return a;
  if (*a % alignment) f.fail("address", fmt::format("{}: address {:#x} is not {}-byte aligned", f.what(), *a, alignment));
  const uint64_t upper = *a >> 47;
  if (upper && upper != 0x1ffff && upper != 1)
    f.fail("address", fmt::format("{}: address {:#x} is not a 48-bit address (bits 63:48 must repeat bit 47)", f.what(), *a));
  return a;
}

scalar one_scalar(const toml_fields& f, const char* key) {
  const toml::node* n = f.node(key);
  const source_place place = f.place(key);
  if (!n->is_table() || n->as_table()->size() != 1) place.fail(fmt::format("{}: {} must be one typed value, like {{ u32 = 0 }}", f.what(), key));
  const auto entry = n->as_table()->begin();
  const toml::node& value = entry->second;
  data_type t;
  const std::string text(entry->first.str());
  if (!find_data_type(text, t)) place.fail(fmt::format("{}: {} has the unknown type \"{}\"; types: {}", f.what(), key, text, observe::join(data_type_names())));
  return read_scalar(value, t, f.what() + ": " + key, place);
}

scalar read_scalar(const toml::node& value, data_type type, const std::string& what, const source_place& place) {
  scalar s{type, 0};
  uint64_t wide = 0;
  bool right;
  if (value.is_integer()) {
    right = from_integer(type, **value.as_integer(), s.bits);
    if (!right) place.fail(fmt::format("{}: {} does not fit {}", what, **value.as_integer(), name(type)));
  } else if (value.is_floating_point()) {
    if (!is_float(type)) place.fail(fmt::format("{}: {} is no integer, {} needs one", what, **value.as_floating_point(), name(type)));
    right = from_double(type, **value.as_floating_point(), s.bits);
    if (!right) place.fail(fmt::format("{}: {} does not fit {}", what, **value.as_floating_point(), name(type)));
  } else if (value.is_string() && !is_float(type) && parse_unsigned(**value.as_string(), wide)) { // 2^63 and above
    right = from_unsigned(type, wide, s.bits);
    if (!right) place.fail(fmt::format("{}: {} does not fit {}", what, **value.as_string(), name(type)));
  } else {
    place.fail(fmt::format("{}: {} must be a number", what, name(type)));
  }
  return s;
}

void for_each_named(const toml_fields& top, const char* key, const std::function<void(const toml::table&, const std::string& name)>& each) {
  const toml::node* n = top.node(key);
  if (!n) return;
  if (!n->is_table()) top.fail(key, fmt::format("write [{}.NAME] tables", key));
  std::vector<std::pair<unsigned, std::string>> order;
  for (const auto& [k, value] : *n->as_table()) {
    const std::string name(k.str());
    if (!value.is_table()) top.place_of(value).fail(fmt::format("write [{}.NAME] tables, \"{}\" is none", key, name));
    order.emplace_back(toml_fields::line_of(value.source()), name);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [line, name] : order) each(*n->as_table()->get(name)->as_table(), name);
}

} // namespace lyra::dispatch
