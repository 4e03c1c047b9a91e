// SPDX-License-Identifier: Apache-2.0
// TD: fetched texels to result registers.
#include "isa/formats.h"
#include "texture/image_work.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {
namespace {

float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }
uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }

bool passes(isa::compare_function f, float reference, float texel) {
  switch (f) {
    case isa::compare_function::never: return false;
    case isa::compare_function::less: return reference < texel;
    case isa::compare_function::equal: return reference == texel;
    case isa::compare_function::less_equal: return reference <= texel;
    case isa::compare_function::greater: return reference > texel;
    case isa::compare_function::not_equal: return reference != texel;
    case isa::compare_function::greater_equal: return reference >= texel;
    default: return true;
  }
}

/// One result component from memory components.
uint32_t select(const image_work& w, unsigned component, const uint32_t* memory) {
  unsigned sel = unsigned(w.resource.dst_sel[component]);
  if (sel >= 4) return memory[sel - 4];
  if (sel == 1) return w.format->integer ? 1u : 0x3f800000u;
  return 0;
}

/// Packs up to four components of a lane into result rows; returns the next row.
unsigned pack(fabric::wave_request& q, const image_work& w, unsigned lane, const uint32_t* value, unsigned n) {
  if (!w.d16) {
    for (unsigned k = 0; k < n; ++k) q.result[k][lane] = value[k];
    return n;
  }
  for (unsigned k = 0; k < n; k += 2) {
    uint32_t half[2] = {0, 0};
    for (unsigned j = 0; j < 2 && k + j < n; ++j) half[j] = isa::formats::to_d16(value[k + j], w.format->integer ? w.format->number : unsigned(isa::formats::NFMT_FLOAT));
    q.result[k / 2][lane] = half[0] | half[1] << 16;
  }
  return (n + 1) / 2;
}

struct texel_reader {
  const image_work& w;
  const access_plan& plan;
  bool degamma;

  /// Memory components of a tap; zero where nothing was fetched.
  void read(unsigned piece, unsigned lane, uint32_t* out) const {
    if (w.border_taps[piece] >> lane & 1) {
      std::memcpy(out, w.border, 16);
    } else if (plan.active[piece] >> lane & 1) {
      size_t at = size_t(piece) * 64 + lane;
      isa::decode_texel(*w.format, plan.data + at * plan.bytes, w.inside[at] & 3, w.inside[at] >> 2, out, degamma);
    } else {
      out[0] = out[1] = out[2] = out[3] = 0;
    }
  }
  void read_compared(unsigned piece, unsigned lane, uint32_t* out) const {
    read(piece, lane, out);
    out[0] = passes(w.sampler.compare, w.reference[lane], float_of(out[0])) ? 0x3f800000u : 0;
    out[1] = out[2] = out[3] = 0;
  }
};

} // namespace

void resolve_image_load(fabric::wave_request& q, const image_state& state, const access_plan& plan) {
  const image_work& w = state.work();
  const isa::instruction& inst = *q.inst;
  bool sampled = w.operation.uses_sampler();
  texel_reader reader{w, plan, sampled && w.sampler.force_degamma};
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(q.exec >> lane & 1)) continue;
    uint32_t value[4], memory[4] = {0, 0, 0, 0};
    unsigned n = 0;
    if (w.operation.packed) {
      uint32_t raw[4] = {0, 0, 0, 0};
      if (plan.active[0] >> lane & 1) {
        const uint8_t* p = plan.data + size_t(lane) * plan.bytes;
        std::memcpy(raw, p, plan.bytes);
        if (w.operation.packed_signed && plan.bytes < 4) raw[0] = uint32_t(int32_t(raw[0] << (32 - 8 * plan.bytes)) >> (32 - 8 * plan.bytes));
      }
      for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) value[n++] = raw[k];
    } else if (w.operation.kind == image_kind::gather) {
      for (unsigned k = 0; k < 4; ++k) {
        if (w.operation.compare) reader.read_compared(k, lane, memory);
        else reader.read(k, lane, memory);
        value[n++] = select(w, w.gather_component, memory);
      }
      if (unsigned absent = w.absent_corner[lane]; absent < 4) { // the mean of the three faces that meet there, as filters take it
        double sum = 0;
        for (unsigned k = 0; k < 4; ++k) if (k != absent) sum += double(float_of(value[k]));
        value[absent] = bits_of(float(sum / 3));
      }
    } else {
      unsigned taps = w.tap_count[lane];
      if (taps <= 1) { // bits unchanged
        if (w.operation.compare) reader.read_compared(0, lane, memory);
        else reader.read(0, lane, memory);
      } else if (w.sampler.mode == isa::filter_mode::blend) {
        double sum[4] = {0, 0, 0, 0};
        for (unsigned t = 0; t < taps; ++t) {
          double weight = w.weight[t * 64 + lane];
          if (weight == 0) continue; // an infinity there must not count
          uint32_t texel[4];
          if (w.operation.compare) reader.read_compared(t, lane, texel);
          else reader.read(t, lane, texel);
          for (unsigned k = 0; k < 4; ++k) sum[k] += weight * double(float_of(texel[k]));
        }
        for (unsigned k = 0; k < 4; ++k) memory[k] = bits_of(float(sum[k]));
      } else {
        // Least or greatest of the texels that have a weight.
        bool any = false, least = w.sampler.mode == isa::filter_mode::minimum;
        float best[4] = {0, 0, 0, 0};
        for (unsigned t = 0; t < taps; ++t) {
          if (w.weight[t * 64 + lane] == 0) continue;
          uint32_t texel[4];
          if (w.operation.compare) reader.read_compared(t, lane, texel);
          else reader.read(t, lane, texel);
          for (unsigned k = 0; k < 4; ++k) {
            float v = float_of(texel[k]);
            if (!any) best[k] = v;
            else best[k] = least ? std::min(best[k], v) : std::max(best[k], v);
          }
          any = true;
        }
        for (unsigned k = 0; k < 4; ++k) memory[k] = bits_of(best[k]);
      }
      for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) value[n++] = select(w, k, memory);
    }
    unsigned row = pack(q, w, lane, value, n);
    if (w.status_row) {
      uint32_t status = 0;
      if (inst.tfe && plan.not_resident >> lane & 1) status |= texture_nack;
      if (inst.lwe && w.warned >> lane & 1) status |= texture_lod_warning;
      q.result[row][lane] = status;
    }
  }
}

} // namespace lyra::texture
