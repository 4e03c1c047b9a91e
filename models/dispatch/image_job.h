// SPDX-License-Identifier: Apache-2.0
// Images, samplers and descriptors of a job file: [image.NAME], [sampler.NAME], `descriptors` of a buffer. Read and checked by themselves.
#pragma once
#include "dispatch/source_place.h"
#include "dispatch/value.h"
#include "isa/image_layout.h"
#include <array>
#include <filesystem>
#include <optional>
#include <vector>

namespace lyra::dispatch {

class toml_fields;

/// Bytes of a thing in memory whose pages are not resident (PRT).
struct byte_range { uint64_t first = 0, bytes = 0; };

/// An image: memory of its own, or a view of another's.
struct image_spec {
  enum class pattern : uint8_t { none, index, random, gradient, checker };
  std::string name;
  isa::image_description description; ///< of the memory: a view has that of the image it looks at
  isa::image_resource resource;       ///< the T# without its base address
  bool texel_buffer = false;          ///< type "buffer": `description.width` elements in a row, bound by a V#
  std::string view_of;                ///< empty: memory of its own
  std::optional<std::filesystem::path> file;
  std::optional<scalar> fill;                  ///< of all host bytes
  std::optional<std::array<double, 4>> texel;  ///< R, G, B, A of every texel
  pattern initial = pattern::none;
  uint64_t seed = 1;                           ///< of pattern::random
  std::optional<uint64_t> address;
  std::vector<byte_range> non_resident;
  source_place place;

  bool is_view() const { return !view_of.empty(); }
  /// Bytes of the host form (isa::image_layout), of a level and of all; where a level starts in it.
  uint64_t host_bytes() const;
  uint64_t level_bytes(unsigned level) const;
  uint64_t level_offset(unsigned level) const;
  uint64_t device_bytes() const;
  unsigned alignment() const;
};

struct sampler_spec {
  std::string name;
  isa::image_sampler sampler;
  source_place place;
};

/// A descriptor or pointer that a buffer holds.
struct descriptor_spec {
  enum class kind : uint8_t { image, sampler, buffer, pointer } what = kind::image;
  std::string name;
  uint64_t offset = 0; ///< into the buffer
  source_place place;
  /// T# 32, S# and V# 16, a pointer 8. A texel buffer's descriptor is a V#.
  static uint64_t bytes(kind k, bool texel_buffer) { return k == kind::pointer ? 8 : k == kind::image && !texel_buffer ? 32 : 16; }
};

/// Reads [image.NAME]. `others`: images read before, for `view_of`. Errors at the key's place: unknown keys and names, sizes that do not fit, files of another size.
image_spec read_image(const toml_fields& f, const std::string& name, const std::filesystem::path& directory, const std::vector<image_spec>& others);
const std::vector<std::string>& image_keys();
/// Reads [sampler.NAME]: every field of an S# by its name.
sampler_spec read_sampler(const toml_fields& f, const std::string& name);
const std::vector<std::string>& sampler_keys();
/// Reads `non_resident = [ [FIRST, BYTES], ... ]`: whole pages inside `bytes`.
std::vector<byte_range> read_non_resident(const toml_fields& f, uint64_t bytes);

} // namespace lyra::dispatch
