// SPDX-License-Identifier: Apache-2.0
// Level of detail and anisotropy. Fixed point as the descriptors have it: eight fraction bits. Plain functions.
//
// Source: Direct3D 11.3 functional specification 7.18.10 and 7.18.11, Vega ISA tables 39 and 40; performance counter names for the
// anisotropic steps (1, 2, 4, 6 .. 16).
#pragma once
#include "isa/image_descriptors.h"
#include <cstdint>

namespace lyra::texture {

/// Coordinate change per pixel step along h and v, in texels of the base level.
struct footprint { double h[3] = {0, 0, 0}, v[3] = {0, 0, 0}; };

/// log2 of the longer footprint axis, rounded to 1/256; held at +-(64 * 256) (a footprint of no size gives the least).
int lod_of_footprint(const footprint& f);

/// The footprint's long axis and how many samples are laid along it.
struct anisotropy { unsigned samples = 1; bool along_v = false; int lod = 0; };
/// `max_ratio_log2`: MAX_ANISO_RATIO. Uses two dimensions.
anisotropy anisotropy_of_footprint(const footprint& f, unsigned max_ratio_log2);

/// Rounds a level operand to 1/256; NaN is 0.
int fixed_lod(float v);

/// What is chosen from a level of detail.
struct level_choice {
  int unclamped = 0, lod = 0;  ///< before and after all clamps, 1/256 levels, 0 is the view's base level
  bool magnified = false;
  unsigned level[2] = {0, 0};  ///< absolute levels
  unsigned weight = 0;         ///< of level[1], of 256; 0: one level
  bool warned = false;         ///< below MIN_LOD_WARN
};
/// `lod`: computed or given, biases added. `lane_clamp`: the _CL operand (least level), INT32_MIN without.
level_choice choose_levels(int lod, int lane_clamp, const isa::image_resource& r, const isa::image_sampler& s);

} // namespace lyra::texture
