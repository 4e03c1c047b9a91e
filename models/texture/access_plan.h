// SPDX-License-Identifier: Apache-2.0
// What one vector memory instruction touches: the meeting point of address generation (TA), line requests, and data return (TD).
#pragma once
#include "fabric/wave_request.h"
#include <vector>

namespace lyra::texture {

/// Per lane a number of pieces (buffers: 1, or one a dword where a wide access is range-checked or swizzled by dword; images: one a texel),
/// each a run of bytes in memory. Bytes of all pieces of all lanes are gathered into `data` on loads, or prepared there for stores.
struct access_plan {
  unsigned pieces = 0;       ///< per lane
  unsigned bytes = 0;        ///< per piece (1, 2, 4, 8, 12, 16)
  /// [piece * 64 + lane]: 48-bit address of the piece
  std::vector<uint64_t> address;
  std::vector<uint64_t> active; ///< [piece]: lanes whose piece is accessed (in EXEC, in range, resident)
  std::vector<uint8_t> data;    ///< [(piece * 64 + lane) * bytes]
  uint64_t not_resident = 0;    ///< lanes that touched a non-resident PRT page
  unsigned quad_cycles = 0;     ///< images: filter cycles a quad; 0 for buffers

  void reset(unsigned piece_count, unsigned piece_bytes) {
    pieces = piece_count; bytes = piece_bytes; not_resident = 0; quad_cycles = 0;
    address.resize(size_t(pieces) * 64);
    active.assign(pieces, 0);
    data.assign(size_t(pieces) * 64 * bytes, 0);
  }
  uint64_t& at(unsigned piece, unsigned lane) { return address[size_t(piece) * 64 + lane]; }
  uint8_t* bytes_of(unsigned piece, unsigned lane) { return data.data() + (size_t(piece) * 64 + lane) * bytes; }
};

} // namespace lyra::texture
