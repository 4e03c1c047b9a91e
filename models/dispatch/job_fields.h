// SPDX-License-Identifier: Apache-2.0
// Fields that several tables of a job file have: files, addresses, typed values.
#pragma once
#include "dispatch/toml_fields.h"
#include <functional>

namespace lyra::dispatch {

/// `path` below `directory`, unless it is absolute.
std::filesystem::path resolve_path(const std::filesystem::path& directory, const std::string& path);
/// The file that `key` names (needed); an error where it does not exist.
std::filesystem::path existing_file(const toml_fields& f, const char* key, const std::filesystem::path& directory);
/// `address`: 48 bits with the sign extended, a multiple of `alignment`.
std::optional<uint64_t> address_field(const toml_fields& f, uint64_t alignment = 256);
/// A table with exactly one entry TYPE = NUMBER. The key must be there.
scalar one_scalar(const toml_fields& f, const char* key);
/// Calls `each` with the tables [key.NAME], their fields and names, in the order of the file.
void for_each_named(const toml_fields& top, const char* key, const std::function<void(const toml::table&, const std::string& name)>& each);

} // namespace lyra::dispatch
