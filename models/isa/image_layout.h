// SPDX-License-Identifier: Apache-2.0
// An image as a driver sees it: how large it is, its T#, and copies between plain host texels and device memory. For job files and tests.
#pragma once
#include "isa/image_formats.h"
#include "isa/swizzle_layout.h"
#include <string>
#include <vector>

namespace lyra::isa {

/// What a user says about an image. Sizes in texels; a cube's layers are its faces (a multiple of 6).
struct image_description {
  image_type type = image_type::dim_2d;
  unsigned data_format = image_data_format::f8_8_8_8, number_format = image_number_format::unorm;
  unsigned width = 1, height = 1, depth = 1; ///< depth: 3D only
  unsigned layers = 1, levels = 1, samples = 1;
  swizzle_mode swizzle = swizzle_mode::linear;
};

/// Empty, or why there is no such image (one sentence).
std::string image_description_error(const image_description& d);

/// Host texels are elements (texels, or blocks of block-compressed formats) row by row without padding, the samples of a slice one after
/// the other, then slices (z of a 3D image), then levels from the largest. GB_GR and BG_RG: pairs of texels of four bytes, the width rounded up.
class image_layout {
public:
  /// `d` must be without error.
  explicit image_layout(const image_description& d);

  const image_description& description() const { return d_; }
  const surface_layout& surface() const { return surface_; }
  /// Device bytes, and the alignment of the base (at least 256).
  uint64_t device_bytes() const { return surface_.size(); }
  unsigned alignment() const { return surface_.alignment(); }
  /// Bytes of the host form of one level, and of all.
  uint64_t host_bytes(unsigned level) const;
  uint64_t host_bytes() const;

  void copy_in(const uint8_t* host, uint8_t* device) const { copy<true>(const_cast<uint8_t*>(host), device); }
  void copy_out(const uint8_t* device, uint8_t* host) const { copy<false>(host, const_cast<uint8_t*>(device)); }

  /// The T# of the whole image at `base`: all levels and layers; missing components read 0, a missing alpha 1.
  image_resource resource(uint64_t base) const;

  /// Elements of a level: x, y, slices or z.
  struct extent { unsigned width, height, slices; };
  extent elements(unsigned level) const;

private:
  template <bool In> void copy(uint8_t* host, uint8_t* device) const;

  image_description d_;
  const image_format* format_;
  unsigned element_bytes_;
  surface_layout surface_;
};

/// Names as people write them, any case: "1d" "2d" "3d" "cube" "1d_array" "2d_array" "2d_msaa" "2d_msaa_array"; "8_8_8_8" "bc1" "gb_gr";
/// "unorm" .. "srgb"; "linear" "64kb_s". False: no such name.
bool parse_image_type(const std::string& name, image_type& out);
bool parse_data_format(const std::string& name, unsigned& out);
bool parse_number_format(const std::string& name, unsigned& out);
bool parse_swizzle_mode(const std::string& name, swizzle_mode& out);
/// All of these names, in lower case (swizzle modes: those that are modelled).
const std::vector<std::string>& image_type_names();
const std::vector<std::string>& data_format_names();
const std::vector<std::string>& number_format_names();
const std::vector<std::string>& swizzle_mode_names();

} // namespace lyra::isa
