// SPDX-License-Identifier: Apache-2.0
// Image resources (T#) and samplers (S#) of GFX9: fields by name, from and to their dwords.
//
// Source: Vega ISA tables 39 and 40, with the corrections that real drivers need (SW_MODE in bits 120:116, epitch, DEPTH as last layer,
// BASE_ARRAY; border colour types). docs/images.md lists every field and its effect.
#pragma once
#include <cstdint>
#include <string>

namespace lyra::isa {

/// T# TYPE. 0 is a buffer; with all words 0 it is an unbound resource, which reads as 0. 1 to 7 are reserved.
enum class image_type : uint8_t { buffer = 0, dim_1d = 8, dim_2d = 9, dim_3d = 10, cube = 11, array_1d = 12, array_2d = 13, msaa_2d = 14, msaa_array_2d = 15 };

constexpr bool is_msaa(image_type t) { return t == image_type::msaa_2d || t == image_type::msaa_array_2d; }
/// Types that have a slice index beside their own coordinates (a cube's is its face id).
constexpr bool is_array(image_type t) { return t == image_type::array_1d || t == image_type::array_2d || t == image_type::msaa_array_2d; }
constexpr bool is_1d(image_type t) { return t == image_type::dim_1d || t == image_type::array_1d; }

/// DST_SEL: which component a result channel takes. 2 and 3 are reserved.
enum class component_select : uint8_t { zero = 0, one = 1, r = 4, g = 5, b = 6, a = 7 };

/// SW_MODE. 12 and up (64 KB with PRT or pipe/bank XOR, variable blocks) are named so that errors can name them.
enum class swizzle_mode : uint8_t {
  linear = 0, s_256b, d_256b, r_256b, z_4kb, s_4kb, d_4kb, r_4kb, z_64kb, s_64kb, d_64kb, r_64kb, z_var, s_var, d_var, r_var,
  z_64kb_t, s_64kb_t, d_64kb_t, r_64kb_t, z_4kb_x, s_4kb_x, d_4kb_x, r_4kb_x, z_64kb_x, s_64kb_x, d_64kb_x, r_64kb_x, z_var_x, s_var_x, d_var_x, linear_general
};
const char* name_of(swizzle_mode m);

/// A decoded T#. Sizes are what they mean (width, not width-1); fields whose meaning depends on others are raw.
struct image_resource {
  uint64_t base = 0;           ///< byte address, a multiple of 256
  uint16_t min_lod = 0;        ///< u4.8, counted from level 0 of the image
  uint8_t data_format = 0, number_format = 0;
  bool nv = false, metadata_direct = false;
  uint16_t width = 1, height = 1; ///< of level 0, texels
  uint8_t perf_mod = 0;
  component_select dst_sel[4] = {component_select::r, component_select::g, component_select::b, component_select::a};
  uint8_t base_level = 0, last_level = 0; ///< of the view; MSAA: 0 and log2 of the samples
  swizzle_mode swizzle = swizzle_mode::linear;
  image_type type = image_type::buffer;
  uint16_t depth = 0;          ///< raw: 3D: depth of level 0 minus 1; else the last accessible layer (cube: face layer), from layer 0 of the image
  uint16_t pitch = 0;          ///< raw epitch: one level: elements in a row minus 1; several: rows of the mip chain minus 1 (see swizzle_layout)
  uint8_t border_swizzle = 0;  ///< 0 xyzw, 1 xwyz, 2 wzyx, 3 wxyz, 4 zyxw, 5 yxwz
  uint16_t base_array = 0;     ///< first layer of the view
  uint8_t array_pitch = 0;
  uint64_t metadata_address = 0; ///< bits 47:8 kept in place
  bool meta_linear = false, meta_pipe_aligned = false, meta_rb_aligned = false;
  uint8_t max_mip = 0;         ///< levels of the image minus 1; MSAA: log2 of the samples
  uint16_t min_lod_warn = 0;   ///< u4.8
  uint8_t counter_bank_id = 0;
  bool lod_hw_count_enable = false, compression_enable = false, alpha_on_msb = false, color_transform = false;
  uint8_t lost_alpha_bits = 0, lost_color_bits = 0;

  bool unbound() const { return type == image_type::buffer && data_format == 0; }
  /// 1 for all but MSAA.
  unsigned samples() const { return is_msaa(type) ? 1u << max_mip : 1u; }
  unsigned levels() const { return is_msaa(type) ? 1u : max_mip + 1u; }
};

/// Words to fields. Every bit pattern decodes; `image_resource_error` judges.
image_resource decode_image_resource(const uint32_t words[8]);
/// Fields to words, for drivers (job files) and tests.
void encode_image_resource(const image_resource& r, uint32_t words[8]);
/// Empty, or what in the resource is reserved, contradictory or not modelled (one sentence naming field and value).
std::string image_resource_error(const image_resource& r);

enum class clamp_mode : uint8_t { wrap, mirror, clamp_last_texel, mirror_once_last_texel, clamp_half_border, mirror_once_half_border, clamp_border, mirror_once_border };
enum class compare_function : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
enum class filter_mode : uint8_t { blend, minimum, maximum, reserved };
enum class border_color : uint8_t { transparent_black, opaque_black, opaque_white, table };

/// A decoded S#.
struct image_sampler {
  clamp_mode clamp_x = clamp_mode::wrap, clamp_y = clamp_mode::wrap, clamp_z = clamp_mode::wrap;
  uint8_t max_aniso_ratio = 0; ///< log2 of the most samples, 0..4
  compare_function compare = compare_function::never;
  bool force_unnormalized = false;
  uint8_t aniso_threshold = 0;
  bool mc_coord_trunc = false, force_degamma = false;
  uint8_t aniso_bias = 0;      ///< u1.5
  bool trunc_coord = false, disable_cube_wrap = false;
  filter_mode mode = filter_mode::blend;
  bool compat_mode = false;
  uint16_t min_lod = 0, max_lod = 0; ///< u4.8
  uint8_t perf_mip = 0, perf_z = 0;
  int16_t lod_bias = 0;        ///< s5.8
  int8_t lod_bias_sec = 0;     ///< s1.4
  uint8_t xy_mag = 0, xy_min = 0; ///< 0 point, 1 bilinear, 2 anisotropic point, 3 anisotropic bilinear
  uint8_t z_filter = 0;        ///< 0 as XY, 1 point, 2 linear
  uint8_t mip_filter = 0;      ///< 0 none, 1 point, 2 linear
  bool mip_point_preclamp = false, disable_lsb_ceil = false, filter_prec_fix = false, aniso_override = false;
  uint16_t border_color_pointer = 0;
  border_color border = border_color::transparent_black;
};

image_sampler decode_image_sampler(const uint32_t words[4]);
void encode_image_sampler(const image_sampler& s, uint32_t words[4]);
/// Empty, or what in the sampler is reserved or not modelled.
std::string image_sampler_error(const image_sampler& s);

} // namespace lyra::isa
