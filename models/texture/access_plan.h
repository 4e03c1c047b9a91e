// SPDX-License-Identifier: Apache-2.0
// What one vector memory instruction touches: the meeting point of address generation (TA), line requests, and data return (TD).
#pragma once
#include "fabric/wave_request.h"
#include <algorithm>
#include <cstring>
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
  uint8_t* data = nullptr;      ///< [(piece * 64 + lane) * bytes]; loads and stores of dwords: the request's own rows
  uint64_t not_resident = 0;    ///< lanes that touched a non-resident PRT page
  unsigned quad_cycles = 0;     ///< images: filter cycles a quad; 0 for buffers

  /// Room for the pieces. `rows`: where the data lie; null: here. `clear`: the data are 0.
  void reset(unsigned piece_count, unsigned piece_bytes, uint8_t* rows = nullptr, bool clear = true) {
    address.resize(size_t(piece_count) * 64);
    place(piece_count, piece_bytes, rows);
    active.assign(pieces, 0);
    if (clear && pieces) std::memset(data, 0, size_t(pieces) * 64 * bytes);
  }
  /// The same without addresses, the data as they are.
  void place(unsigned piece_count, unsigned piece_bytes, uint8_t* rows) {
    pieces = piece_count; bytes = piece_bytes; not_resident = 0; quad_cycles = 0;
    data = rows;
    if (rows) return;
    own_.resize(std::max(own_.size(), size_t(pieces) * 64 * bytes));
    data = own_.data();
  }
  uint64_t& at(unsigned piece, unsigned lane) { return address[size_t(piece) * 64 + lane]; }
  uint8_t* bytes_of(unsigned piece, unsigned lane) { return data + (size_t(piece) * 64 + lane) * bytes; }

private:
  std::vector<uint8_t> own_;
};

} // namespace lyra::texture
