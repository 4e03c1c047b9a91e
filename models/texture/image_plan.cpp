// SPDX-License-Identifier: Apache-2.0
#include "texture/image_plan.h"
#include "texture/image_work.h"
#include <algorithm>
#include <cstring>

namespace lyra::texture {

using fabric::fault_kind;
using isa::image_type;

image_state::image_state() : work_(std::make_unique<image_work>()) {}
image_state::~image_state() = default;
image_state::image_state(image_state&&) noexcept = default;
image_state& image_state::operator=(image_state&&) noexcept = default;

namespace {

unsigned bit_count(unsigned v) { unsigned n = 0; for (; v; v &= v - 1) ++n; return n; }

void decode_resource(image_work& w, const uint32_t* words) {
  if (w.resource_known && std::memcmp(w.resource_words, words, 32) == 0) return;
  std::memcpy(w.resource_words, words, 32);
  w.resource_known = true;
  w.resource = isa::decode_image_resource(words);
  w.resource_error = isa::image_resource_error(w.resource);
  w.format = nullptr;
  const isa::image_resource& r = w.resource;
  if (!w.resource_error.empty() || r.unbound()) return;
  w.format = isa::find_image_format(r.data_format, r.number_format);
  const isa::image_format& f = *w.format;
  bool flat = isa::is_1d(r.type), deep = r.type == image_type::dim_3d;
  for (unsigned l = 0; l < 16; ++l) {
    w.levels[l].width = std::max(r.width >> l, 1);
    w.levels[l].height = flat ? 1 : std::max(r.height >> l, 1);
    w.levels[l].depth = deep ? std::max((r.depth + 1) >> l, 1) : 1;
  }
  w.layers = deep || r.depth < r.base_array ? 1u : r.depth - r.base_array + 1u;
  if (!deep && r.type != image_type::cube && !isa::is_array(r.type)) w.layers = 1;
  isa::surface_shape s;
  s.kind = flat ? isa::surface_kind::dim_1d : deep ? isa::surface_kind::dim_3d : isa::surface_kind::dim_2d;
  s.swizzle = r.swizzle;
  s.element_bytes = f.bytes;
  // Elements: blocks round up. GB_GR lies in memory as if of 16-bit texels, two of which are fetched together.
  if (f.kind == isa::format_kind::subsampled) {
    s.element_bytes = 2;
    s.width = r.width + (r.width & 1);
  } else {
    s.width = (r.width + f.block_width - 1u) / f.block_width;
  }
  s.height = flat ? 1 : (r.height + f.block_height - 1u) / f.block_height;
  s.slices = deep ? r.depth + 1u : std::max<unsigned>(r.depth, r.base_array) + 1u;
  s.levels = r.levels();
  s.samples = r.samples();
  s.epitch = r.pitch;
  if (f.bytes == 12 && isa::block_bits(r.swizzle)) {
    w.resource_error = "T# SW_MODE " + std::string(isa::name_of(r.swizzle)) + " with a 96-bit format: such images are linear";
    return;
  }
  if (isa::is_msaa(r.type)) s.levels = 1;
  w.layout.build(s);
}

bool atomic_size_fits(const isa::instruction& i, unsigned& bytes) {
  bool swap = i.info->atomic == isa::atomic_operation::atomic_cmpswap;
  unsigned m = i.dmask & 0xf;
  bytes = m == (swap ? 3u : 1u) ? 4 : m == (swap ? 0xfu : 3u) ? 8 : 0;
  return bytes != 0;
}

std::string place(const isa::instruction& i) { return std::string(i.info->name) + ": "; }

/// The data of a store: component values of a lane by memory component, then bytes.
void prepare_store(plan_context& c, unsigned lane, uint8_t* bytes) {
  image_work& w = c.work;
  const isa::image_format& f = *w.format;
  const auto& data = c.request.vdata;
  if (w.operation.packed) {
    uint32_t raw[4] = {};
    unsigned n = 0;
    for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) raw[k] = data[n++][lane];
    std::memcpy(bytes, raw, f.bytes);
    return;
  }
  uint32_t value[4] = {};
  if (w.d16) {
    // DMASK only counts the 16-bit values.
    unsigned n = bit_count(w.dmask);
    for (unsigned k = 0; k < n; ++k) {
      uint16_t h = uint16_t(data[k / 2][lane] >> (k % 2 * 16));
      if (f.integer) value[k] = f.is_signed ? uint32_t(int32_t(int16_t(h))) : h;
      else { float v = isa::half_to_float(h); std::memcpy(&value[k], &v, 4); }
    }
  } else {
    unsigned n = 0;
    for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) value[k] = data[n++][lane];
  }
  // dst_sel read backwards: result channel k shows memory component dst_sel[k], so it is written there. The first of several wins.
  uint32_t memory[4] = {};
  for (int k = 3; k >= 0; --k)
    if (unsigned sel = unsigned(w.resource.dst_sel[k]); sel >= 4) memory[sel - 4] = value[k];
  isa::encode_texel(f, memory, bytes);
}

/// Unfiltered loads, stores and atomics.
void plan_direct(plan_context& c) {
  image_work& w = c.work;
  const isa::image_resource& r = w.resource;
  const image_operands& o = w.operands;
  const isa::image_format& f = *w.format;
  bool store = w.operation.kind == image_kind::store, atomic = w.operation.kind == image_kind::atomic;
  c.writes = store || atomic;
  c.plan.reset(1, f.bytes);
  w.set_pieces(1);
  for (unsigned lane = 0; lane < 64; ++lane) {
    w.tap_count[lane] = 0;
    if (!(c.request.exec >> lane & 1)) continue;
    w.tap_count[lane] = 1;
    auto operand = [&](int k) { return body_bits(o, c.request.vaddr, unsigned(k), lane); };
    uint32_t x = operand(0), y = o.coordinates > 1 ? operand(1) : 0, z = o.coordinates > 2 ? operand(2) : 0;
    uint32_t slice = o.slice >= 0 ? operand(o.slice) : 0, sample = o.fragment >= 0 ? operand(o.fragment) : 0, mip = w.operation.mip ? operand(o.level) : 0;
    unsigned range = isa::is_msaa(r.type) ? 0u : unsigned(r.last_level - r.base_level);
    if (mip > range || sample >= r.samples()) continue;
    unsigned level = isa::is_msaa(r.type) ? 0 : r.base_level + mip;
    // Levels below the resource's least level are as if outside.
    if (int(level) < (r.min_lod >> 8)) continue;
    const level_size& size = w.levels[level];
    if (x >= size.width || y >= size.height || z >= size.depth) continue;
    bool indexed = r.type == image_type::cube || isa::is_array(r.type);
    if (!indexed) slice = 0;
    if (slice >= w.layers) continue;
    unsigned layer = r.type == image_type::dim_3d ? z : slice + r.base_array;
    w.place[lane] = element_place_of(w, level, x, y, layer);
    if (!c.access(0, lane, element_offset(w, level, x, y, layer, sample))) return;
    w.inside[lane] = inside_of(f, x, y);
    w.weight[lane] = 1;
    if (store && (c.plan.active[0] >> lane & 1)) prepare_store(c, lane, c.plan.bytes_of(0, lane));
  }
}

void plan_resinfo(plan_context& c) {
  image_work& w = c.work;
  const isa::image_resource& r = w.resource;
  unsigned range = isa::is_msaa(r.type) ? 0u : unsigned(r.last_level - r.base_level);
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(c.request.exec >> lane & 1)) continue;
    uint32_t info[4] = {};
    if (w.format) {
      uint32_t mip = body_bits(w.operands, c.request.vaddr, 0, lane);
      if (mip <= range) {
        const level_size& s = w.levels[isa::is_msaa(r.type) ? 0 : r.base_level + mip];
        info[0] = s.width;
        info[1] = s.height;
        info[2] = r.type == image_type::dim_3d ? s.depth : w.layers;
      }
      info[3] = range + 1;
    }
    unsigned n = 0;
    for (unsigned k = 0; k < 4; ++k) if (w.dmask >> k & 1) c.request.result[n++][lane] = info[k];
    if (w.status_row) c.request.result[n][lane] = 0;
  }
}

/// How the texels of a quad's lanes lie: all one; together, in a block of up to four in the image (4 x 1, 2 x 2, 1 x 4), whatever the layout in memory; or apart.
enum class quad_shape : uint8_t { one, together, apart };
quad_shape shape_of(const image_work& w, uint64_t active, unsigned q) {
  const element_place* first = nullptr;
  unsigned left = 0, right = 0, top = 0, bottom = 0;
  for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane) {
    if (!(active >> lane & 1)) continue;
    const element_place& t = w.place[lane];
    if (!first) {
      first = &t;
      left = right = t.x;
      top = bottom = t.y;
    }
    if (t.slice != first->slice || t.level != first->level) return quad_shape::apart;
    left = std::min<unsigned>(left, t.x);
    right = std::max<unsigned>(right, t.x);
    top = std::min<unsigned>(top, t.y);
    bottom = std::max<unsigned>(bottom, t.y);
  }
  const unsigned area = (right - left + 1) * (bottom - top + 1);
  return area == 1 ? quad_shape::one : area <= 4 ? quad_shape::together : quad_shape::apart;
}

/// Cycles from filters and from how the texels of each quad lie.
void count_cost(plan_context& c) {
  image_work& w = c.work;
  image_cost& cost = c.state.cost;
  const image_parameters& p = c.parameters;
  bool filtered = w.operation.kind == image_kind::sample || w.operation.kind == image_kind::gather;
  unsigned half_cycles = 0, address = 0, worst = 0;
  cost.quads = cost.texels = 0;
  cost.steps = 1;
  cost.filtered = filtered;
  for (unsigned q = 0; q < 16; ++q) {
    if (!(c.request.exec >> (4 * q) & 15)) continue;
    ++cost.quads;
    unsigned steps = 1, halves = 2;
    bool linear = false;
    if (filtered) {
      bool trilinear = false;
      unsigned aniso = 1;
      for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane) {
        if (!(c.request.exec >> lane & 1)) continue;
        linear |= w.lane[lane].linear;
        trilinear |= w.lane[lane].level_count > 1;
        aniso = std::max<unsigned>(aniso, w.lane[lane].aniso);
        cost.texels += w.tap_count[lane];
      }
      bool volume = linear && w.resource.type == image_type::dim_3d;
      steps = aniso * (trilinear ? p.trilinear_factor : 1) * (volume ? p.volume_factor : 1);
      if (linear) halves = 2 * steps * (c.plan.bytes <= 4 ? p.filter_cycles_32 : c.plan.bytes <= 8 ? p.filter_cycles_64 : p.filter_cycles_128);
    } else {
      cost.texels += bit_count(c.request.exec >> (4 * q) & 15);
    }
    if (!linear && c.plan.pieces) {
      unsigned one = 2;
      const quad_shape shape = c.plan.bytes > 4 ? shape_of(w, c.plan.active[0], q) : quad_shape::one;
      if (c.plan.bytes > 8) one = shape == quad_shape::one ? 2 : shape == quad_shape::together ? p.load_half_cycles_128_line : 2 * p.load_cycles_128_scattered;
      else if (shape == quad_shape::apart) one = 2 * p.load_cycles_64_scattered;
      halves = one * steps;
    }
    cost.steps = std::max(cost.steps, steps);
    worst = std::max(worst, (halves + 1) / 2);
    half_cycles += halves;
    address += steps;
  }
  cost.address_cycles = (address + p.quads_per_cycle - 1) / p.quads_per_cycle;
  cost.texel_cycles = (half_cycles + 1) / 2;
  c.plan.quad_cycles = worst;
}

void zero_results(fabric::wave_request& q) {
  for (unsigned row = 0; row < q.result_dwords; ++row)
    for (unsigned lane = 0; lane < 64; ++lane) q.result[row][lane] = 0;
}

} // namespace

void plan_context::fail(fault_kind kind, unsigned lane, uint64_t address, std::string text) {
  request.fault = kind;
  request.fault_lane = uint8_t(lane);
  request.fault_address = address;
  state.action = image_action::fault;
  state.error = place(*request.inst) + std::move(text);
}

bool plan_context::access_slowly(unsigned piece, unsigned lane, uint64_t address) {
  for (uint64_t a : {address, address + plan.bytes - 1}) {
    if (a >> page_shift != page) {
      page = a >> page_shift;
      page_state = space.state(a);
    }
    if (page_state == fabric::page_state::non_resident) {
      plan.not_resident |= uint64_t(1) << lane;
      return true;
    }
    if (page_state == fabric::page_state::unmapped) {
      fail(fault_kind::unmapped, lane, a, "lane " + std::to_string(lane) + " touches an unmapped page; check the T# base, sizes and pitch against the buffer");
      return false;
    }
    if (writes && page_state == fabric::page_state::read_only) {
      fail(fault_kind::write_protected, lane, a, "lane " + std::to_string(lane) + " writes to a read-only page");
      return false;
    }
  }
  plan.at(piece, lane) = address;
  plan.active[piece] |= uint64_t(1) << lane;
  return true;
}

image_action plan_image(fabric::wave_request& request, fabric::address_space& space, const image_parameters& parameters, image_state& state, access_plan& plan) {
  image_work& w = state.work();
  const isa::instruction& i = *request.inst;
  plan_context c{request, space, parameters, state, w, plan, false, ~uint64_t(0), fabric::page_state::unmapped};
  state.cost = {};
  state.error.clear();
  state.action = image_action::done;
  w.operation = isa::decode_image_operation(i.info->number);
  w.dmask = i.dmask & 0xf;
  w.d16 = i.d16;
  request.result_dwords = uint8_t(isa::image_result_dwords(i));
  w.status_row = (i.tfe || i.lwe) && request.result_dwords;
  w.uses_weights = false;
  w.warned = 0;
  plan.reset(0, 0);
  request.result_half = 0;
  request.result_mask = request.result_dwords ? request.exec : 0;
  if (request.exec == 0) return state.action;

  decode_resource(w, request.resource);
  if (!w.resource_error.empty()) {
    c.fail(fault_kind::bad_descriptor, 0, 0, w.resource_error);
    return state.action;
  }
  if (w.operation.kind == image_kind::load && !w.operation.packed && !w.dmask) w.dmask = 1;
  if (w.dmask == 0 && w.operation.kind != image_kind::store && w.operation.kind != image_kind::atomic) w.dmask = 1;
  w.operands = isa::image_operand_layout(w.operation, w.format ? w.resource.type : image_type::dim_2d, i.da, i.a16);

  if (w.operation.kind == image_kind::resinfo) {
    plan_resinfo(c);
    state.cost.address_cycles = state.cost.quads = 16;
    return state.action;
  }
  if (!w.format) { // unbound: reads 0, drops stores
    zero_results(request);
    return state.action;
  }

  switch (w.operation.kind) {
    case image_kind::store:
      if (!w.format->storable) {
        c.fail(fault_kind::unsupported, 0, 0, "data format " + std::to_string(w.resource.data_format) + " cannot be stored to (block-compressed, subsampled and FMASK formats are read only)");
        return state.action;
      }
      plan_direct(c);
      if (state.action != image_action::fault) state.action = plan.active[0] ? image_action::store : image_action::done;
      break;
    case image_kind::atomic: {
      unsigned bytes = 0;
      if (!atomic_size_fits(i, bytes)) {
        c.fail(fault_kind::unsupported, 0, 0, "DMASK 0x" + std::string(1, "0123456789abcdef"[w.dmask]) + " is not one of an image atomic (0x1, 0x3; cmpswap 0x3, 0xf)");
        return state.action;
      }
      if (bytes != w.format->bytes || w.format->kind != isa::format_kind::channels) {
        c.fail(fault_kind::bad_descriptor, 0, 0, "DMASK asks for " + std::to_string(bytes * 8) + "-bit texels, but the T# format has " + std::to_string(w.format->bytes * 8) + " bits");
        return state.action;
      }
      zero_results(request);
      plan_direct(c);
      if (w.status_row && i.tfe)
        for (unsigned lane = 0; lane < 64; ++lane) request.result[request.result_dwords - 1][lane] = plan.not_resident >> lane & 1 ? texture_nack : 0;
      if (state.action != image_action::fault) state.action = plan.active[0] ? image_action::atomic : image_action::done;
      break;
    }
    case image_kind::load:
      plan_direct(c);
      if (state.action != image_action::fault) state.action = image_action::fetch;
      break;
    default:
      if (w.operation.kind == image_kind::gather && (w.dmask & (w.dmask - 1))) {
        c.fail(fault_kind::unsupported, 0, 0, "gather4 needs exactly one DMASK bit, not 0x" + std::string(1, "0123456789abcdef"[w.dmask]));
        return state.action;
      }
      plan_sample(c);
      break;
  }
  if (state.action == image_action::fault) return state.action;
  count_cost(c);
  bool any = false;
  for (uint64_t a : plan.active) any |= a != 0;
  if (state.action == image_action::fetch && !any) { // nothing in memory: finish here
    resolve_image_load(request, state, plan);
    state.action = image_action::done;
  }
  return state.action;
}

} // namespace lyra::texture
