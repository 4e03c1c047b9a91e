// SPDX-License-Identifier: Apache-2.0
#include "isa/image_descriptors.h"
#include "isa/image_formats.h"

namespace lyra::isa {
namespace {

/// One field of a descriptor: word, lowest bit, width.
struct field { uint8_t word, low, bits; };

uint32_t get(const uint32_t* w, field f) { return w[f.word] >> f.low & uint32_t((uint64_t(1) << f.bits) - 1); }
void put(uint32_t* w, field f, uint32_t v) { w[f.word] |= (v & uint32_t((uint64_t(1) << f.bits) - 1)) << f.low; }
int sign_extend(uint32_t v, unsigned bits) { return int(v << (32 - bits)) >> (32 - bits); }

namespace t {
constexpr field base{0, 0, 32}, base_hi{1, 0, 8}, min_lod{1, 8, 12}, data_format{1, 20, 6}, number_format{1, 26, 4}, nv{1, 30, 1}, metadata_direct{1, 31, 1},
  width{2, 0, 14}, height{2, 14, 14}, perf_mod{2, 28, 3}, dst_sel_x{3, 0, 3}, base_level{3, 12, 4}, last_level{3, 16, 4}, swizzle{3, 20, 5}, type{3, 28, 4},
  depth{4, 0, 13}, pitch{4, 13, 16}, border_swizzle{4, 29, 3}, base_array{5, 0, 13}, array_pitch{5, 13, 4}, metadata_hi{5, 17, 8}, meta_linear{5, 25, 1},
  meta_pipe_aligned{5, 26, 1}, meta_rb_aligned{5, 27, 1}, max_mip{5, 28, 4}, min_lod_warn{6, 0, 12}, counter_bank_id{6, 12, 8}, lod_hw_count_enable{6, 20, 1},
  compression_enable{6, 21, 1}, alpha_on_msb{6, 22, 1}, color_transform{6, 23, 1}, lost_alpha_bits{6, 24, 4}, lost_color_bits{6, 28, 4}, metadata_lo{7, 0, 32};
}
namespace s {
constexpr field clamp_x{0, 0, 3}, clamp_y{0, 3, 3}, clamp_z{0, 6, 3}, max_aniso_ratio{0, 9, 3}, compare{0, 12, 3}, force_unnormalized{0, 15, 1}, aniso_threshold{0, 16, 3},
  mc_coord_trunc{0, 19, 1}, force_degamma{0, 20, 1}, aniso_bias{0, 21, 6}, trunc_coord{0, 27, 1}, disable_cube_wrap{0, 28, 1}, mode{0, 29, 2}, compat_mode{0, 31, 1},
  min_lod{1, 0, 12}, max_lod{1, 12, 12}, perf_mip{1, 24, 4}, perf_z{1, 28, 4}, lod_bias{2, 0, 14}, lod_bias_sec{2, 14, 6}, xy_mag{2, 20, 2}, xy_min{2, 22, 2},
  z_filter{2, 24, 2}, mip_filter{2, 26, 2}, mip_point_preclamp{2, 28, 1}, disable_lsb_ceil{2, 29, 1}, filter_prec_fix{2, 30, 1}, aniso_override{2, 31, 1},
  border_color_pointer{3, 0, 12}, border{3, 30, 2};
}

std::string number(uint64_t v) { return std::to_string(v); }

} // namespace

const char* name_of(swizzle_mode m) {
  static const char* const names[32] = {"LINEAR", "256B_S", "256B_D", "256B_R", "4KB_Z", "4KB_S", "4KB_D", "4KB_R", "64KB_Z", "64KB_S", "64KB_D", "64KB_R", "VAR_Z", "VAR_S", "VAR_D",
    "VAR_R", "64KB_Z_T", "64KB_S_T", "64KB_D_T", "64KB_R_T", "4KB_Z_X", "4KB_S_X", "4KB_D_X", "4KB_R_X", "64KB_Z_X", "64KB_S_X", "64KB_D_X", "64KB_R_X", "VAR_Z_X", "VAR_S_X", "VAR_D_X",
    "LINEAR_GENERAL"};
  return names[unsigned(m) & 31];
}

image_resource decode_image_resource(const uint32_t* w) {
  image_resource r;
  r.base = uint64_t(get(w, t::base)) << 8 | uint64_t(get(w, t::base_hi)) << 40;
  r.min_lod = get(w, t::min_lod);
  r.data_format = get(w, t::data_format);
  r.number_format = get(w, t::number_format);
  r.nv = get(w, t::nv);
  r.metadata_direct = get(w, t::metadata_direct);
  r.width = get(w, t::width) + 1;
  r.height = get(w, t::height) + 1;
  r.perf_mod = get(w, t::perf_mod);
  for (unsigned i = 0; i < 4; ++i) r.dst_sel[i] = component_select(w[3] >> (3 * i) & 7);
  r.base_level = get(w, t::base_level);
  r.last_level = get(w, t::last_level);
  r.swizzle = swizzle_mode(get(w, t::swizzle));
  r.type = image_type(get(w, t::type));
  r.depth = get(w, t::depth);
  r.pitch = get(w, t::pitch);
  r.border_swizzle = get(w, t::border_swizzle);
  r.base_array = get(w, t::base_array);
  r.array_pitch = get(w, t::array_pitch);
  r.metadata_address = uint64_t(get(w, t::metadata_lo)) << 8 | uint64_t(get(w, t::metadata_hi)) << 40;
  r.meta_linear = get(w, t::meta_linear);
  r.meta_pipe_aligned = get(w, t::meta_pipe_aligned);
  r.meta_rb_aligned = get(w, t::meta_rb_aligned);
  r.max_mip = get(w, t::max_mip);
  r.min_lod_warn = get(w, t::min_lod_warn);
  r.counter_bank_id = get(w, t::counter_bank_id);
  r.lod_hw_count_enable = get(w, t::lod_hw_count_enable);
  r.compression_enable = get(w, t::compression_enable);
  r.alpha_on_msb = get(w, t::alpha_on_msb);
  r.color_transform = get(w, t::color_transform);
  r.lost_alpha_bits = get(w, t::lost_alpha_bits);
  r.lost_color_bits = get(w, t::lost_color_bits);
  return r;
}

void encode_image_resource(const image_resource& r, uint32_t* w) {
  for (unsigned i = 0; i < 8; ++i) w[i] = 0;
  put(w, t::base, uint32_t(r.base >> 8));
  put(w, t::base_hi, uint32_t(r.base >> 40));
  put(w, t::min_lod, r.min_lod);
  put(w, t::data_format, r.data_format);
  put(w, t::number_format, r.number_format);
  put(w, t::nv, r.nv);
  put(w, t::metadata_direct, r.metadata_direct);
  put(w, t::width, r.width - 1u);
  put(w, t::height, r.height - 1u);
  put(w, t::perf_mod, r.perf_mod);
  for (unsigned i = 0; i < 4; ++i) w[3] |= uint32_t(r.dst_sel[i]) << (3 * i);
  put(w, t::base_level, r.base_level);
  put(w, t::last_level, r.last_level);
  put(w, t::swizzle, uint32_t(r.swizzle));
  put(w, t::type, uint32_t(r.type));
  put(w, t::depth, r.depth);
  put(w, t::pitch, r.pitch);
  put(w, t::border_swizzle, r.border_swizzle);
  put(w, t::base_array, r.base_array);
  put(w, t::array_pitch, r.array_pitch);
  put(w, t::metadata_hi, uint32_t(r.metadata_address >> 40));
  put(w, t::metadata_lo, uint32_t(r.metadata_address >> 8));
  put(w, t::meta_linear, r.meta_linear);
  put(w, t::meta_pipe_aligned, r.meta_pipe_aligned);
  put(w, t::meta_rb_aligned, r.meta_rb_aligned);
  put(w, t::max_mip, r.max_mip);
  put(w, t::min_lod_warn, r.min_lod_warn);
  put(w, t::counter_bank_id, r.counter_bank_id);
  put(w, t::lod_hw_count_enable, r.lod_hw_count_enable);
  put(w, t::compression_enable, r.compression_enable);
  put(w, t::alpha_on_msb, r.alpha_on_msb);
  put(w, t::color_transform, r.color_transform);
  put(w, t::lost_alpha_bits, r.lost_alpha_bits);
  put(w, t::lost_color_bits, r.lost_color_bits);
}

std::string image_resource_error(const image_resource& r) {
  if (r.unbound()) return {};
  if (r.type == image_type::buffer) return "T# TYPE is 0 (buffer), but the data format is " + number(r.data_format) + ": a buffer descriptor (V#) stands where an image instruction needs a T#";
  if (unsigned(r.type) < 8) return "T# TYPE " + number(unsigned(r.type)) + " is reserved (8 to 15 are images)";
  if (!find_image_format(r.data_format, r.number_format))
    return "T# data format " + number(r.data_format) + " with number format " + number(r.number_format) + " is not an image format";
  for (unsigned i = 0; i < 4; ++i)
    if (r.dst_sel[i] == component_select(2) || r.dst_sel[i] == component_select(3)) return std::string("T# DST_SEL_") + "XYZW"[i] + " is " + number(unsigned(r.dst_sel[i])) + ", which is reserved";
  const unsigned mode = unsigned(r.swizzle), micro = mode & 3;
  const bool linear = r.swizzle == swizzle_mode::linear || r.swizzle == swizzle_mode::linear_general;
  if ((mode >= 12 && mode < 16) || (mode >= 28 && mode < 31)) return std::string("T# SW_MODE ") + name_of(r.swizzle) + ": these chips have no blocks of variable size; use 4KB or 64KB modes";
  if (r.swizzle == swizzle_mode::linear_general && (r.max_mip || r.depth)) return "T# SW_MODE LINEAR_GENERAL is of one level and one slice";
  if (is_1d(r.type) && !linear) return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with a 1D type: 1D images are linear";
  if (is_msaa(r.type)) {
    if (linear || mode < 4) return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with an MSAA type: samples need a 4KB or 64KB mode";
    if (r.max_mip > 4) return "T# MAX_MIP " + number(r.max_mip) + " of an MSAA type: log2 of the samples is at most 4";
  } else {
    if (r.base_level > r.last_level) return "T# BASE_LEVEL " + number(r.base_level) + " is above LAST_LEVEL " + number(r.last_level);
    if (r.last_level > r.max_mip) return "T# LAST_LEVEL " + number(r.last_level) + " is above MAX_MIP " + number(r.max_mip);
    if (r.max_mip > 0 && mode >= 1 && mode <= 3) return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with several levels: 256-byte blocks have no mip chain";
  }
  const unsigned bytes = image_element_bytes(r.data_format);
  if (bytes == 16 && !linear && ((micro == 0 && r.type != image_type::dim_3d) || micro == 3))
    return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with 128-bit elements: Z (2D) and R modes end at 64 bits";
  if (r.type == image_type::dim_3d && !linear && micro == 3) return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with a 3D type: R modes are 2D";
  if (r.type == image_type::dim_3d && mode >= 1 && mode <= 3) return std::string("T# SW_MODE ") + name_of(r.swizzle) + " with a 3D type";
  if (r.border_swizzle > 5) return "T# BC_SWIZZLE " + number(r.border_swizzle) + " is reserved";
  if (r.array_pitch) return "T# ARRAY_PITCH " + number(r.array_pitch) + ": quilted images are not modelled";
  if (r.compression_enable) return "T# COMPRESSION_EN is set: delta colour compression is not modelled; decompress the image or clear the bit";
  if (r.lod_hw_count_enable) return "T# LOD_HDW_CNT_EN is set: PRT counters are not modelled";
  return {};
}

image_sampler decode_image_sampler(const uint32_t* w) {
  image_sampler r;
  r.clamp_x = clamp_mode(get(w, s::clamp_x));
  r.clamp_y = clamp_mode(get(w, s::clamp_y));
  r.clamp_z = clamp_mode(get(w, s::clamp_z));
  r.max_aniso_ratio = get(w, s::max_aniso_ratio);
  r.compare = compare_function(get(w, s::compare));
  r.force_unnormalized = get(w, s::force_unnormalized);
  r.aniso_threshold = get(w, s::aniso_threshold);
  r.mc_coord_trunc = get(w, s::mc_coord_trunc);
  r.force_degamma = get(w, s::force_degamma);
  r.aniso_bias = get(w, s::aniso_bias);
  r.trunc_coord = get(w, s::trunc_coord);
  r.disable_cube_wrap = get(w, s::disable_cube_wrap);
  r.mode = filter_mode(get(w, s::mode));
  r.compat_mode = get(w, s::compat_mode);
  r.min_lod = get(w, s::min_lod);
  r.max_lod = get(w, s::max_lod);
  r.perf_mip = get(w, s::perf_mip);
  r.perf_z = get(w, s::perf_z);
  r.lod_bias = int16_t(sign_extend(get(w, s::lod_bias), 14));
  r.lod_bias_sec = int8_t(sign_extend(get(w, s::lod_bias_sec), 6));
  r.xy_mag = get(w, s::xy_mag);
  r.xy_min = get(w, s::xy_min);
  r.z_filter = get(w, s::z_filter);
  r.mip_filter = get(w, s::mip_filter);
  r.mip_point_preclamp = get(w, s::mip_point_preclamp);
  r.disable_lsb_ceil = get(w, s::disable_lsb_ceil);
  r.filter_prec_fix = get(w, s::filter_prec_fix);
  r.aniso_override = get(w, s::aniso_override);
  r.border_color_pointer = get(w, s::border_color_pointer);
  r.border = border_color(get(w, s::border));
  return r;
}

void encode_image_sampler(const image_sampler& r, uint32_t* w) {
  for (unsigned i = 0; i < 4; ++i) w[i] = 0;
  put(w, s::clamp_x, uint32_t(r.clamp_x));
  put(w, s::clamp_y, uint32_t(r.clamp_y));
  put(w, s::clamp_z, uint32_t(r.clamp_z));
  put(w, s::max_aniso_ratio, r.max_aniso_ratio);
  put(w, s::compare, uint32_t(r.compare));
  put(w, s::force_unnormalized, r.force_unnormalized);
  put(w, s::aniso_threshold, r.aniso_threshold);
  put(w, s::mc_coord_trunc, r.mc_coord_trunc);
  put(w, s::force_degamma, r.force_degamma);
  put(w, s::aniso_bias, r.aniso_bias);
  put(w, s::trunc_coord, r.trunc_coord);
  put(w, s::disable_cube_wrap, r.disable_cube_wrap);
  put(w, s::mode, uint32_t(r.mode));
  put(w, s::compat_mode, r.compat_mode);
  put(w, s::min_lod, r.min_lod);
  put(w, s::max_lod, r.max_lod);
  put(w, s::perf_mip, r.perf_mip);
  put(w, s::perf_z, r.perf_z);
  put(w, s::lod_bias, uint32_t(r.lod_bias));
  put(w, s::lod_bias_sec, uint32_t(r.lod_bias_sec));
  put(w, s::xy_mag, r.xy_mag);
  put(w, s::xy_min, r.xy_min);
  put(w, s::z_filter, r.z_filter);
  put(w, s::mip_filter, r.mip_filter);
  put(w, s::mip_point_preclamp, r.mip_point_preclamp);
  put(w, s::disable_lsb_ceil, r.disable_lsb_ceil);
  put(w, s::filter_prec_fix, r.filter_prec_fix);
  put(w, s::aniso_override, r.aniso_override);
  put(w, s::border_color_pointer, r.border_color_pointer);
  put(w, s::border, uint32_t(r.border));
}

std::string image_sampler_error(const image_sampler& r) {
  if (r.max_aniso_ratio > 4) return "S# MAX_ANISO_RATIO " + number(r.max_aniso_ratio) + " is reserved (4 is 16x)";
  if (r.mode == filter_mode::reserved) return "S# FILTER_MODE 3 is reserved";
  if (r.z_filter > 2) return "S# Z_FILTER 3 is reserved";
  if (r.mip_filter > 2) return "S# MIP_FILTER 3 is not modelled (0 none, 1 point, 2 linear)";
  return {};
}

} // namespace lyra::isa
