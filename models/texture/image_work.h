// SPDX-License-Identifier: Apache-2.0
// Private to the image pipeline: what plan leaves for resolve.
#pragma once
#include "isa/image_operation.h"
#include "isa/swizzle_layout.h"
#include "texture/image_plan.h"
#include "texture/sampler_lod.h"
#include <vector>

namespace lyra::texture {

using isa::image_kind;
using isa::image_operands;
using isa::image_operation;

struct level_size { unsigned width = 1, height = 1, depth = 1; };

/// How a sample or gather of one lane was decided, before its texels.
struct lane_filter {
  level_choice levels;
  uint8_t level_count = 1; ///< 0, where nothing is sampled
  bool linear = false;
  uint8_t aniso = 1;
  double step[2] = {0, 0}; ///< anisotropic: coordinate change along the long axis, in the coordinates' own unit
};

/// Where a lane's first element lies in its image: in blocks for block formats.
struct element_place { uint16_t x, y, slice; uint8_t level; };

struct image_work {
  // descriptors, decoded again only when their words change
  uint32_t resource_words[8] = {}, sampler_words[4] = {};
  bool resource_known = false, sampler_known = false;
  isa::image_resource resource;
  isa::image_sampler sampler;
  const isa::image_format* format = nullptr; ///< null: unbound
  std::string resource_error, sampler_error;
  isa::surface_layout layout;
  level_size levels[16];
  unsigned layers = 1;             ///< layers of the view (faces count)
  uint32_t border[4] = {};         ///< border colour by memory component, as register bits

  image_operation operation;
  image_operands operands;
  uint8_t dmask = 0;
  bool d16 = false, status_row = false, uses_weights = false, unnormalized = false;
  unsigned gather_component = 0;
  uint64_t warned = 0;             ///< lanes below MIN_LOD_WARN

  lane_filter lane[64];
  element_place place[64];
  uint8_t tap_count[64];           ///< pieces of a lane
  float reference[64];             ///< depth compare
  uint8_t absent_corner[64];       ///< gather4: which of the four texels a cube's corner lacks; 4: none
  // by piece * 64 + lane
  std::vector<float> weight;
  std::vector<uint8_t> inside;     ///< texel in its block: x | y << 2
  std::vector<uint64_t> border_taps; ///< by piece: lanes that take the border colour

  void set_pieces(unsigned n) {
    weight.assign(size_t(n) * 64, 0.0f);
    inside.assign(size_t(n) * 64, 0);
    border_taps.assign(n, 0);
  }
};

/// Byte offset of the element that holds texel (x, y) of a slice.
inline uint64_t element_offset(const image_work& w, unsigned level, unsigned x, unsigned y, unsigned slice, unsigned sample = 0) {
  const isa::image_format& f = *w.format;
  if (f.kind == isa::format_kind::subsampled) return w.layout.offset(level, x & ~1u, y, slice, sample); // 16-bit elements, fetched in pairs
  return w.layout.offset(level, x >> f.block_width_log2, y >> f.block_height_log2, slice, sample);
}
inline element_place element_place_of(const image_work& w, unsigned level, unsigned x, unsigned y, unsigned slice) {
  const isa::image_format& f = *w.format;
  if (f.kind == isa::format_kind::subsampled) return {uint16_t(x & ~1u), uint16_t(y), uint16_t(slice), uint8_t(level)};
  return {uint16_t(x >> f.block_width_log2), uint16_t(y >> f.block_height_log2), uint16_t(slice), uint8_t(level)};
}
/// Which texel of its element, as image_work::inside has it.
inline uint8_t inside_of(const isa::image_format& f, unsigned x, unsigned y) { return uint8_t((x & (f.block_width - 1u)) | (y & (f.block_height - 1u)) << 2); }

/// Everything that an address calculation of this instruction needs, and where it leaves its results.
struct plan_context {
  fabric::wave_request& request;
  fabric::address_space& space;
  const image_parameters& parameters;
  image_state& state;
  image_work& work;
  access_plan& plan;
  static constexpr unsigned page_shift = 12;
  static_assert(fabric::page_bytes == 1u << page_shift, "pages");
  bool writes = false;
  uint64_t page = ~uint64_t(0);
  fabric::page_state page_state = fabric::page_state::unmapped;

  /// Adds the element at `offset` from the base as a lane's piece, unless its page is not there. False: a fault was set.
  bool access(unsigned piece, unsigned lane, uint64_t offset) {
    uint64_t address = fabric::canonical(work.layout.address(work.resource.base, offset));
    if (address >> page_shift == page && (address + plan.bytes - 1) >> page_shift == page && page_state == fabric::page_state::mapped) {
      plan.at(piece, lane) = address;
      plan.active[piece] |= uint64_t(1) << lane;
      return true;
    }
    return access_slowly(piece, lane, address);
  }
  bool access_slowly(unsigned piece, unsigned lane, uint64_t address);
  void fail(fabric::fault_kind kind, unsigned lane, uint64_t address, std::string text);
};

/// sample, gather4, get_lod: levels and filters of all lanes, then their texels.
void plan_sample(plan_context& c);

} // namespace lyra::texture
