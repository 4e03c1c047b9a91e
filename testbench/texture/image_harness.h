// SPDX-License-Identifier: Apache-2.0
// Runs image instructions of the pipeline without a machine: a flat memory, one wave, plan - fetch or write - resolve.
#pragma once
#include "isa/image_layout.h"
#include "texture/image_plan.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lyra::test {

/// Memory from `base` on; single pages can be made read-only, non-resident or unmapped.
class flat_memory : public fabric::address_space {
public:
  static constexpr uint64_t base = 0x7000'0010'0000;
  explicit flat_memory(size_t bytes) : data_((bytes + 4095) & ~size_t(4095)), pages_(data_.size() / 4096, fabric::page_state::mapped) {}
  fabric::page_state state(uint64_t a) const override { return a < base || a - base >= data_.size() ? fabric::page_state::unmapped : pages_[(a - base) / 4096]; }
  uint8_t* host_line(uint64_t a) override { return state(a) == fabric::page_state::unmapped ? nullptr : at(a & ~uint64_t(63)); }
  uint8_t* at(uint64_t a) { return data_.data() + (a - base); }
  void set_page(size_t index, fabric::page_state s) { pages_[index] = s; }
  size_t size() const { return data_.size(); }

private:
  std::vector<uint8_t> data_;
  std::vector<fabric::page_state> pages_;
};

/// One image instruction and its registers. Address rows and data rows are set by the test.
class image_instruction {
public:
  explicit image_instruction(unsigned opcode) : request_(std::make_unique<fabric::standalone_wave_request>()) {
    inst_.info = isa::find_opcode(isa::encoding::MIMG, opcode, isa::target::gfx906);
    if (!inst_.info) throw std::runtime_error("no such MIMG opcode");
    inst_.dmask = 15;
    request_->begin(&inst_, ~uint64_t(0));
    std::memset(request_->rows, 0, sizeof request_->rows);
    std::memset(request_->result, 0xcd, fabric::wave_request::result_rows * sizeof(fabric::wave_request::row));
  }
  isa::instruction& fields() { return inst_; }
  fabric::wave_request& request() { return *request_; }
  void resource(const isa::image_resource& r) { isa::encode_image_resource(r, request_->resource); }
  void sampler(const isa::image_sampler& s) { isa::encode_image_sampler(s, request_->sampler); }
  void address(unsigned row, unsigned lane, uint32_t v) { request_->vaddr[row][lane] = v; }
  void address(unsigned row, unsigned lane, float v) { std::memcpy(&request_->vaddr[row][lane], &v, 4); }
  void data(unsigned row, unsigned lane, uint32_t v) { request_->vdata[row][lane] = v; }
  uint32_t bits(unsigned row, unsigned lane) const { return request_->result[row][lane]; }
  float value(unsigned row, unsigned lane) const { float f; std::memcpy(&f, &request_->result[row][lane], 4); return f; }

  /// Plans, does what memory has to do, resolves.
  texture::image_action run(flat_memory& m) {
    texture::image_action a = texture::plan_image(*request_, m, parameters, state, plan);
    if (a != texture::image_action::fetch && a != texture::image_action::store) return a;
    for (unsigned p = 0; p < plan.pieces; ++p)
      for (unsigned lane = 0; lane < 64; ++lane) {
        if (!(plan.active[p] >> lane & 1)) continue;
        if (a == texture::image_action::fetch) std::memcpy(plan.bytes_of(p, lane), m.at(plan.at(p, lane)), plan.bytes);
        else std::memcpy(m.at(plan.at(p, lane)), plan.bytes_of(p, lane), plan.bytes);
      }
    if (a == texture::image_action::fetch) texture::resolve_image_load(*request_, state, plan);
    return a;
  }

  texture::image_parameters parameters;
  texture::image_state state;
  texture::access_plan plan;

private:
  isa::instruction inst_;
  std::unique_ptr<fabric::standalone_wave_request> request_;
};

/// An image in memory, at the base of the memory.
struct loaded {
  isa::image_layout layout;
  isa::image_resource resource;
  std::vector<uint8_t> host;
};

inline loaded load_image(flat_memory& m, const isa::image_description& d, const std::vector<uint8_t>& host) {
  if (std::string e = isa::image_description_error(d); !e.empty()) throw std::runtime_error(e);
  loaded l{isa::image_layout(d), {}, host};
  if (host.size() != l.layout.host_bytes()) throw std::runtime_error("host texels of another size");
  l.layout.copy_in(host.data(), m.at(flat_memory::base));
  l.resource = l.layout.resource(flat_memory::base);
  return l;
}

inline std::vector<uint8_t> words(const std::vector<uint32_t>& v) {
  std::vector<uint8_t> b(v.size() * 4);
  std::memcpy(b.data(), v.data(), b.size());
  return b;
}

inline isa::image_description description(isa::image_type t, unsigned data, unsigned number, unsigned w, unsigned h = 1) {
  isa::image_description d;
  d.type = t;
  d.data_format = data;
  d.number_format = number;
  d.width = w;
  d.height = h;
  return d;
}

/// 32-bit uint image of w x h x slices, all levels: texel value = level << 24 | slice << 16 | y << 8 | x.
inline loaded numbered(flat_memory& m, isa::image_description d) {
  d.data_format = isa::image_data_format::f32;
  d.number_format = isa::image_number_format::uint;
  std::vector<uint32_t> v;
  bool deep = d.type == isa::image_type::dim_3d;
  for (unsigned l = 0; l < d.levels; ++l)
    for (unsigned z = 0; z < (deep ? std::max(d.depth >> l, 1u) : d.layers); ++z)
      for (unsigned s = 0; s < d.samples; ++s)
        for (unsigned y = 0; y < std::max(d.height >> l, 1u); ++y)
          for (unsigned x = 0; x < std::max(d.width >> l, 1u); ++x) v.push_back(l << 24 | (z * d.samples + s) << 16 | y << 8 | x);
  return load_image(m, d, words(v));
}

inline uint32_t float_bits(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }

// Opcode numbers of the MIMG encoding (Vega ISA 13.8)
namespace mimg {
constexpr unsigned load = 0, load_mip = 1, load_pck = 2, load_pck_sgn = 3, load_mip_pck = 4, load_mip_pck_sgn = 5, store = 8, store_mip = 9, store_pck = 10, store_mip_pck = 11, get_resinfo = 14,
                   atomic_swap = 16, atomic_cmpswap = 17, atomic_add = 18, sample = 32, sample_cl = 33, sample_d = 34, sample_d_cl = 35, sample_l = 36, sample_b = 37, sample_b_cl = 38, sample_lz = 39,
                   sample_c = 40, sample_o = 48, gather4 = 64, gather4_l = 68, gather4_lz = 71, gather4_c_lz = 79, get_lod = 96, sample_cd = 104;
}

} // namespace lyra::test
