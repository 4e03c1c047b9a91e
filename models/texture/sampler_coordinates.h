// SPDX-License-Identifier: Apache-2.0
// Texture coordinates to texels: fixed point, clamp modes, cube faces. Plain functions.
//
// Source: Direct3D 11.3 functional specification 7.18 (addressing, filtering), Vega ISA table 40 (clamp modes, TRUNC_COORD).
#pragma once
#include "isa/image_descriptors.h"
#include <cstdint>

namespace lyra::texture {

/// A coordinate in texels with eight fraction bits (weights have 256 steps). NaN is 0; what does not fit is held at +-2^30 texels.
/// step: to the nearest step (linear filters). point: to the nearest 1/64 texel (point samples). down: toward
/// minus infinity (TRUNC_COORD; Mesa's note on the field: "round to nearest even to n.6", or truncate, when point sampling).
enum class coordinate_rounding : uint8_t { step, point, down };
int64_t fixed_coordinate(double texels, coordinate_rounding r);

constexpr int border_texel = -1; ///< outside: the border colour

/// A texel index after wrapping: 0..size-1 or border_texel.
int wrap_texel(int64_t index, unsigned size, isa::clamp_mode mode);

/// The two texels of a linear filter in one axis, or one (weight 0 for the second).
struct axis_taps { int texel[2]; unsigned weight; }; ///< weight of texel[1], of 256

/// `at`: fixed coordinate (texel edges at whole numbers). Linear filters take the neighbours of at - 1/2.
axis_taps linear_taps(int64_t at, unsigned size, isa::clamp_mode mode);
int nearest_texel(int64_t at, unsigned size, isa::clamp_mode mode);

/// A texel one step outside of a cube face continues on the neighbour: x or y (not both) is -1 or `size`. Changes all three.
void cross_cube_edge(unsigned& face, int& x, int& y, unsigned size);

} // namespace lyra::texture
