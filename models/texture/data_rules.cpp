// SPDX-License-Identifier: Apache-2.0
// Between registers and memory bytes: what TD does on the way back, and TA with store data.
#include "isa/formats.h"
#include "texture/address_rules.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {

namespace {

using fabric::wave_request;
using isa::memory_kind;
namespace formats = isa::formats;

constexpr unsigned lanes = 64;
unsigned first_lane(uint64_t mask) { return unsigned(__builtin_ctzll(mask)); }

/// The bytes of one lane, wherever its pieces lie.
void gather(const access_plan& p, unsigned lane, unsigned bytes, uint8_t* to) {
  for (unsigned k = 0, at = 0; at < bytes; ++k, at += p.bytes) std::memcpy(to + at, p.data + (size_t(k) * lanes + lane) * p.bytes, p.bytes);
}
void scatter(access_plan& p, unsigned lane, unsigned bytes, const uint8_t* from) {
  for (unsigned k = 0, at = 0; at < bytes; ++k, at += p.bytes) std::memcpy(p.bytes_of(k, lane), from + at, p.bytes);
}

template <unsigned N> void rows_from_lanes(const uint8_t* data, uint32_t (*rows)[lanes]) {
  for (unsigned l = 0; l < lanes; ++l)
    for (unsigned k = 0; k < N; ++k) std::memcpy(&rows[k][l], data + (size_t(l) * N + k) * 4, 4);
}
template <unsigned N> void lanes_from_rows(const uint32_t (*rows)[lanes], uint8_t* data) {
  for (unsigned l = 0; l < lanes; ++l)
    for (unsigned k = 0; k < N; ++k) std::memcpy(data + (size_t(l) * N + k) * 4, &rows[k][l], 4);
}

/// Dwords of all lanes into rows; inactive pieces hold zeros.
void plain_rows(const access_plan& p, const access_state& s, uint32_t (*rows)[lanes]) {
  const unsigned n = s.element_bytes / 4u;
  if (p.data == reinterpret_cast<const uint8_t*>(rows)) return;
  if (p.bytes == 4) {
    for (unsigned k = 0; k < n; ++k) std::memcpy(rows[k], p.data + size_t(k) * lanes * 4, lanes * 4);
  } else if (p.pieces == 1) {
    switch (n) {
      case 2: rows_from_lanes<2>(p.data, rows); break;
      case 3: rows_from_lanes<3>(p.data, rows); break;
      default: rows_from_lanes<4>(p.data, rows); break;
    }
  } else {
    for (unsigned l = 0; l < lanes; ++l) {
      uint32_t v[4];
      gather(p, l, s.element_bytes, reinterpret_cast<uint8_t*>(v));
      for (unsigned k = 0; k < n; ++k) rows[k][l] = v[k];
    }
  }
}

/// The rows are made in full, lanes outside EXEC hold anything.
void format_rows(wave_request& r, const access_state& s, const access_plan& p) {
  uint32_t xyzw[4][lanes];
  const uint8_t* data = p.data;
  uint8_t joined[lanes * 16];
  if (p.pieces > 1 && !s.unbound) {
    for (unsigned l = 0; l < lanes; ++l) gather(p, l, s.element_bytes, joined + l * s.element_bytes);
    data = joined;
  }
  unsigned needed = 0; // memory components
  for (unsigned c = 0; c < s.components; ++c)
    if (s.dst_sel[c] >= 4) needed = std::max(needed, (s.dst_sel[c] & 3u) + 1);
  if (!s.unbound) formats::decode_rows(s.dfmt, s.nfmt, data, lanes, needed, xyzw);
  const uint32_t one = formats::one(s.nfmt);
  const auto component = [&](unsigned c, uint32_t* to) {
    const unsigned sel = s.dst_sel[c];
    if (s.unbound || sel < 4) std::fill(to, to + lanes, s.unbound || sel != 1 ? 0u : one);
    else std::memcpy(to, xyzw[sel & 3], lanes * 4);
  };
  if (!s.d16) {
    for (unsigned c = 0; c < s.components; ++c) component(c, r.result[c]);
    return;
  }
  uint32_t low[lanes], high[lanes];
  for (unsigned c = 0; c < s.components; c += 2) {
    component(c, low);
    if (c + 1 < s.components) component(c + 1, high);
    else std::fill(high, high + lanes, 0u);
    for (unsigned l = 0; l < lanes; ++l) {
      const uint32_t v = formats::to_d16(low[l], s.nfmt);
      r.result[c / 2][l] = s.d16_hi ? v << 16 : v | uint32_t(c + 1 < s.components ? formats::to_d16(high[l], s.nfmt) : 0) << 16;
    }
  }
}

void narrow_rows(wave_request& r, const access_state& s, const access_plan& p) {
  uint32_t* const row = r.result[0];
  const uint8_t* const data = p.data;
  if (s.element_bytes == 1) {
    if (s.sign) for (unsigned l = 0; l < lanes; ++l) row[l] = uint32_t(int32_t(int8_t(data[l])));
    else for (unsigned l = 0; l < lanes; ++l) row[l] = data[l];
  } else if (p.pieces == 1) {
    uint16_t v[lanes];
    std::memcpy(v, data, sizeof v);
    if (s.sign) for (unsigned l = 0; l < lanes; ++l) row[l] = uint32_t(int32_t(int16_t(v[l])));
    else for (unsigned l = 0; l < lanes; ++l) row[l] = v[l];
  } else { // bytes apart: private memory, unaligned
    for (unsigned l = 0; l < lanes; ++l) {
      const uint32_t v = data[l] | uint32_t(data[lanes + l]) << 8;
      row[l] = s.sign ? uint32_t(int32_t(int16_t(v))) : v;
    }
  }
  if (s.d16_hi) for (unsigned l = 0; l < lanes; ++l) row[l] <<= 16;
  else if (s.d16) for (unsigned l = 0; l < lanes; ++l) row[l] &= 0xffff;
}

void add_residency(wave_request& r, const access_state& s, const access_plan& p) {
  if (!s.tfe) return;
  uint32_t* row = r.result[r.result_dwords++];
  for (unsigned l = 0; l < lanes; ++l) row[l] = uint32_t(p.not_resident >> l & 1);
}

} // namespace

void resolve_load(wave_request& r, const access_state& s, const access_plan& p) {
  r.result_mask = s.lanes;
  r.result_half = 0;
  const bool one_half = s.d16 && (!s.format || s.components == 1);
  if (one_half) r.result_half = s.d16_hi ? 2 : 1;
  if (s.format) {
    r.result_dwords = uint8_t(s.d16 ? (s.components + 1) / 2 : s.components);
    format_rows(r, s, p);
  } else if (s.element_bytes < 4) {
    r.result_dwords = 1;
    narrow_rows(r, s, p);
  } else {
    r.result_dwords = uint8_t(s.element_bytes / 4);
    plain_rows(p, s, r.result);
  }
  if (s.to_lds) { // lanes outside the group's LDS are dropped
    r.result_to_lds = true;
    for (unsigned l = 0; l < lanes; ++l) {
      const uint32_t a = lds_address_of(r, l);
      r.lds_address[l] = a;
      if (uint64_t(a) + 4 > uint64_t(r.lds_base) + r.lds_size) r.result_mask &= ~(uint64_t(1) << l);
    }
  }
  add_residency(r, s, p);
}

void resolve_atomic(wave_request& r, const access_state& s, const access_plan& p) {
  r.result_mask = s.lanes; // a lane out of range returns 0
  r.result_half = 0;
  r.result_dwords = uint8_t(s.element_bytes / 4);
  plain_rows(p, s, r.result);
  add_residency(r, s, p);
}

void prepare_store(const wave_request& r, const access_state& s, access_plan& p) {
  if (s.format) {
    for (uint64_t m = s.in_range; m; m &= m - 1) {
      const unsigned l = first_lane(m);
      uint32_t v[4] = {}, memory[4] = {};
      for (unsigned c = 0; c < s.components; ++c)
        v[c] = !s.d16 ? r.vdata[c][l] : formats::from_d16(uint16_t(s.d16_hi ? r.vdata[0][l] >> 16 : r.vdata[c / 2][l] >> (16 * (c & 1))), s.nfmt);
      for (unsigned c = s.components; c-- > 0;) // DST_SEL backwards: register component c goes to the memory component it would be read from; the first one wins
        if (s.dst_sel[c] >= 4) memory[s.dst_sel[c] & 3] = v[c];
      uint8_t bytes[16];
      formats::encode(s.dfmt, s.nfmt, memory, bytes);
      scatter(p, l, s.element_bytes, bytes);
    }
    return;
  }
  const unsigned shift = s.d16_hi ? 16 : 0;
  switch (s.element_bytes) {
    case 1:
      if (p.pieces == 1) for (unsigned l = 0; l < lanes; ++l) p.data[l] = uint8_t(r.vdata[0][l] >> shift);
      return;
    case 2:
      for (unsigned l = 0; l < lanes; ++l) {
        const uint16_t v = uint16_t(r.vdata[0][l] >> shift);
        uint8_t bytes[2];
        std::memcpy(bytes, &v, 2);
        scatter(p, l, 2, bytes);
      }
      return;
    default: break;
  }
  if (p.data == reinterpret_cast<const uint8_t*>(r.vdata)) return;
  const unsigned n = s.element_bytes / 4u;
  if (p.bytes == 4) {
    for (unsigned k = 0; k < n; ++k) std::memcpy(p.data + size_t(k) * lanes * 4, r.vdata[k], lanes * 4);
  } else if (p.pieces == 1) {
    switch (n) {
      case 2: lanes_from_rows<2>(r.vdata, p.data); break;
      case 3: lanes_from_rows<3>(r.vdata, p.data); break;
      default: lanes_from_rows<4>(r.vdata, p.data); break;
    }
  } else {
    for (unsigned l = 0; l < lanes; ++l) {
      uint32_t v[4];
      for (unsigned k = 0; k < n; ++k) v[k] = r.vdata[k][l];
      scatter(p, l, s.element_bytes, reinterpret_cast<const uint8_t*>(v));
    }
  }
}

void atomic_operands(const wave_request& r, unsigned bytes, unsigned lane, uint64_t& operand, uint64_t& compare) {
  const bool wide = bytes == 8;
  const bool compares = r.inst->info->atomic == isa::atomic_operation::atomic_cmpswap || r.inst->info->atomic == isa::atomic_operation::atomic_fcmpswap;
  operand = wide ? r.vdata[0][lane] | uint64_t(r.vdata[1][lane]) << 32 : r.vdata[0][lane];
  compare = !compares ? 0 : wide ? r.vdata[2][lane] | uint64_t(r.vdata[3][lane]) << 32 : r.vdata[1][lane];
}

} // namespace lyra::texture
