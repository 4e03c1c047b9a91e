// SPDX-License-Identifier: Apache-2.0
// Block-compressed texels BC1 to BC7, 4x4 texels a block of 8 or 16 bytes.
//
// Source: Direct3D 11.3 functional specification, chapter 19.5. BC1 to BC5 interpolate exactly (rational numbers, rounded once to float);
// BC6 and BC7 are the specification's integer arithmetic, bit-exact.
#pragma once
#include <cstdint>

namespace lyra::isa {

/// Texel (x, y), each 0..3, of a block as linear floats before any sRGB decoding.
/// `bc`: 1..7. `is_signed`: BC4 and BC5 snorm, BC6 signed float. Components that BC4 and BC5 lack are 0.
void decode_block_texel(unsigned bc, bool is_signed, const uint8_t* block, unsigned x, unsigned y, float rgba[4]);

} // namespace lyra::isa
