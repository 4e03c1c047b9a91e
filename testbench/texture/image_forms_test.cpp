// SPDX-License-Identifier: Apache-2.0
// Forms of one instruction against each other: 16-bit addresses, 16-bit data, status registers; and gather4 against a plain one.
// Operands are laid out here from the opcode's name (Vega ISA tables 36 to 38), not by the model.
#include "dispatch/value.h"
#include "isa/image_operation.h"
#include "support/systemc_test.h"
#include "texture/image_harness.h"
#include <cmath>
#include <random>

using namespace lyra;
using namespace lyra::test;
using isa::image_type;
namespace df = isa::image_data_format;
namespace nf = isa::image_number_format;

namespace {

std::mt19937 generator(2024);
unsigned pick(unsigned n) { return unsigned(generator() % n); }
/// A value that a half holds exactly.
float half_value(double low, double high) {
  const double v = low + (high - low) * (double(generator()) / 4294967296.0);
  return isa::half_to_float(dispatch::half_from_double(v));
}

/// What a name's suffixes ask for.
struct parts {
  bool offset, bias, compare, derivatives, lod, clamp, mip;
  explicit parts(const std::string& name) {
    const std::string s = name + "_";
    const auto has = [&](const char* p) { return s.find(p) != std::string::npos; };
    offset = has("_o_");
    bias = has("_b_");
    compare = has("_c_");
    derivatives = has("_d_") || has("_cd_");
    lod = has("_l_");
    clamp = has("_cl_");
    mip = has("_mip_");
  }
};

struct operands {
  uint32_t offset = 0;
  float bias = 0, reference = 0;
  std::vector<float> h, v, body;
};

unsigned coordinates_of(image_type t) { return isa::is_1d(t) ? 1 : t == image_type::dim_3d ? 3 : 2; }

/// Writes a lane's operands; returns the rows.
unsigned write(image_instruction& i, unsigned lane, const parts& p, const operands& o, bool a16) {
  unsigned row = 0;
  const auto half = [](float f) { return uint32_t(dispatch::half_from_double(f)); };
  const auto list = [&](const std::vector<float>& v) {
    for (size_t k = 0; k < v.size(); k += a16 ? 2 : 1) {
      if (a16) i.address(row++, lane, half(v[k]) | (k + 1 < v.size() ? half(v[k + 1]) << 16 : 0xabcd0000u));
      else i.address(row++, lane, v[k]);
    }
  };
  if (p.offset) i.address(row++, lane, o.offset);
  if (p.bias) { if (a16) i.address(row++, lane, half(o.bias) | 0x12340000u); else i.address(row++, lane, o.bias); }
  if (p.compare) i.address(row++, lane, o.reference);
  if (p.derivatives) { list(o.h); list(o.v); }
  list(o.body);
  return row;
}

loaded make_image(flat_memory& m, image_type t, unsigned data, unsigned number) {
  isa::image_description d = description(t, data, number, 24, isa::is_1d(t) ? 1 : 24);
  d.levels = 4;
  if (t == image_type::dim_3d) d.depth = 8;
  if (t == image_type::cube) d.layers = 12;
  if (isa::is_array(t)) d.layers = 5;
  std::vector<uint8_t> host(isa::image_layout(d).host_bytes());
  if (data == df::f32) {
    for (size_t k = 0; k < host.size(); k += 4) { const float f = float(pick(1000)) / 1000; std::memcpy(&host[k], &f, 4); }
  } else {
    for (uint8_t& b : host) b = uint8_t(generator());
  }
  return load_image(m, d, host);
}

isa::image_sampler make_sampler() {
  isa::image_sampler s;
  s.clamp_x = isa::clamp_mode(pick(8)); s.clamp_y = isa::clamp_mode(pick(8)); s.clamp_z = isa::clamp_mode(pick(8));
  s.xy_mag = uint8_t(pick(4)); s.xy_min = uint8_t(pick(4)); s.mip_filter = uint8_t(pick(3));
  s.max_aniso_ratio = uint8_t(pick(5));
  s.max_lod = 0xfff;
  s.compare = isa::compare_function(1 + pick(6));
  s.border = isa::border_color(pick(3));
  return s;
}

void random_operands(operands& o, const parts& p, image_type t, bool da) {
  const unsigned n = coordinates_of(t);
  o = {};
  o.offset = t == image_type::cube ? 0 : generator();
  o.bias = half_value(-2, 2);
  o.reference = half_value(0, 1);
  for (unsigned k = 0; k < n; ++k) {
    o.h.push_back(half_value(-0.2, 0.2));
    o.v.push_back(half_value(-0.2, 0.2));
    o.body.push_back(t == image_type::cube ? half_value(1, 2) : half_value(-1, 2));
  }
  if (t == image_type::cube) o.body.push_back(float(pick(2) * 8 + pick(6)));
  else if (da && t != image_type::dim_3d) o.body.push_back(float(pick(6)));
  if (p.lod || p.clamp) o.body.push_back(half_value(0, 4));
}

} // namespace

BOOST_AUTO_TEST_CASE(sixteen_bit_addresses_and_data_and_status_registers_change_nothing_else) {
  flat_memory m(1 << 20);
  unsigned forms = 0;
  for (unsigned opcode = 32; opcode < 112; ++opcode) {
    const isa::opcode_info* info = isa::find_opcode(isa::encoding::MIMG, opcode, isa::target::gfx906);
    if (!info) continue;
    const parts p(info->name);
    const bool gather = std::string(info->name).find("gather4") != std::string::npos, query = std::string(info->name).find("get_lod") != std::string::npos;
    for (image_type t : {image_type::dim_1d, image_type::dim_2d, image_type::dim_3d, image_type::cube, image_type::array_1d, image_type::array_2d}) {
      if (gather && (isa::is_1d(t) || t == image_type::dim_3d)) continue;
      const bool da = isa::is_array(t) || t == image_type::cube;
      const loaded l = make_image(m, t, p.compare ? df::f32 : df::f8_8_8_8, p.compare ? nf::floating : nf::unorm);
      const isa::image_sampler s = make_sampler();
      const uint8_t dmask = uint8_t(p.compare ? 1 : gather ? 1 << pick(4) : 1 + pick(15));
      std::vector<operands> o(64);
      for (operands& x : o) random_operands(x, p, t, da);
      const auto make = [&](bool a16) {
        auto i = std::make_unique<image_instruction>(opcode);
        i->fields().dmask = dmask;
        i->fields().da = da;
        i->fields().a16 = a16;
        i->resource(l.resource);
        i->sampler(s);
        unsigned rows = 0;
        for (unsigned lane = 0; lane < 64; ++lane) rows = write(*i, lane, p, o[lane], a16);
        BOOST_TEST(isa::image_address_dwords(i->fields(), i->request().resource) == rows);
        return i;
      };
      auto wide = make(false), narrow = make(true);
      wide->run(m);
      narrow->run(m);
      BOOST_REQUIRE(wide->request().fault == fabric::fault_kind::none);
      const unsigned n = wide->request().result_dwords;
      BOOST_REQUIRE_EQUAL(n, narrow->request().result_dwords);
      for (unsigned k = 0; k < n; ++k)
        for (unsigned lane = 0; lane < 64; ++lane)
          if (wide->bits(k, lane) != narrow->bits(k, lane)) BOOST_FAIL(info->name << " type " << unsigned(t) << " lane " << lane << " row " << k << ": 16-bit addresses give another result");
      ++forms;
      if (query) continue;
      for (bool tfe : {false, true}) {
        auto short_data = make(false);
        short_data->fields().d16 = true;
        short_data->fields().tfe = tfe;
        short_data->run(m);
        const unsigned rows = (n + 1) / 2;
        BOOST_REQUIRE_EQUAL(short_data->request().result_dwords, rows + tfe);
        for (unsigned lane = 0; lane < 64; ++lane) {
          for (unsigned k = 0; k < n; ++k) {
            const uint32_t got = short_data->bits(k / 2, lane) >> (k % 2 * 16) & 0xffff, want = dispatch::half_from_double(wide->value(k, lane));
            if (got != want) BOOST_FAIL(info->name << " D16 lane " << lane << " component " << k << ": " << got << ", not " << want);
          }
          if (tfe) BOOST_REQUIRE_EQUAL(short_data->bits(rows, lane), 0u);
        }
      }
    }
  }
  BOOST_TEST(forms > 300u);
}

BOOST_AUTO_TEST_CASE(gathers_show_the_four_texels_of_a_bilinear_filter) {
  flat_memory m(1 << 20);
  unsigned checked = 0;
  for (unsigned t = 0; t < 400; ++t) {
    const bool array = pick(2), compare = pick(2), offsets = pick(2);
    isa::image_description d = description(array ? image_type::array_2d : image_type::dim_2d, df::f32, nf::floating, 1 + pick(20), 1 + pick(20));
    d.levels = 1;
    while (std::max(d.width, d.height) >> d.levels && d.levels < 3) ++d.levels;
    if (array) d.layers = 3;
    d.swizzle = isa::swizzle_mode(pick(2) ? 0 : 5);
    std::vector<float> texels(isa::image_layout(d).host_bytes() / 4);
    for (float& f : texels) f = float(pick(64)) / 64;
    std::vector<uint8_t> host(texels.size() * 4);
    std::memcpy(host.data(), texels.data(), host.size());
    const loaded l = load_image(m, d, host);
    isa::image_sampler s = make_sampler();
    s.xy_mag = s.xy_min = 0; // gathers do not ask
    s.mip_filter = 1;
    image_instruction i(mimg::gather4_l + (compare ? 8 : 0) + (offsets ? 16 : 0));
    i.fields().dmask = 1;
    i.fields().da = array;
    i.resource(l.resource);
    i.sampler(s);
    const parts p(i.fields().info->name);
    std::vector<operands> o(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      random_operands(o[lane], p, d.type, array);
      if (array) o[lane].body[2] = float(pick(3));
      o[lane].body.back() = float(pick(d.levels));
      write(i, lane, p, o[lane], false);
    }
    i.run(m);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const unsigned level = unsigned(o[lane].body.back()), w = std::max(d.width >> level, 1u), h = std::max(d.height >> level, 1u), slice = array ? unsigned(o[lane].body[2]) : 0;
      size_t first = 0;
      for (unsigned k = 0; k < level; ++k) first += size_t(std::max(d.width >> k, 1u)) * std::max(d.height >> k, 1u) * d.layers;
      const float border = s.border == isa::border_color::opaque_white ? 1.0f : 0.0f;
      const unsigned size[2] = {w, h};
      int64_t low[2];
      bool steady = true;
      for (unsigned k = 0; k < 2; ++k) {
        double at = double(o[lane].body[k]) * size[k] + (offsets ? int(o[lane].offset << (26 - 8 * k)) >> 26 : 0);
        const isa::clamp_mode c = k ? s.clamp_y : s.clamp_x;
        if (c == isa::clamp_mode::mirror_once_half_border) at = std::fabs(at);
        if (c == isa::clamp_mode::mirror_once_half_border || c == isa::clamp_mode::clamp_half_border) at = std::min(std::max(at, 0.0), double(size[k]));
        low[k] = int64_t(std::floor(at - 0.5));
        const double f = at - 0.5 - double(low[k]);
        steady &= f > 0.005 && f < 0.995;
      }
      if (!steady) continue;
      const auto wrap = [](int64_t v, int64_t n, isa::clamp_mode c) -> int64_t {
        switch (unsigned(c)) {
          case 0: return ((v % n) + n) % n;
          case 1: v = ((v % (2 * n)) + 2 * n) % (2 * n); return v < n ? v : 2 * n - 1 - v;
          case 2: return std::min(std::max<int64_t>(v, 0), n - 1);
          case 3: return std::min(v < 0 ? -1 - v : v, n - 1);
          case 5: case 7: v = v < 0 ? -1 - v : v; return v < n ? v : -1;
          default: return v >= 0 && v < n ? v : -1;
        }
      };
      static const unsigned dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
      for (unsigned k = 0; k < 4; ++k) {
        const int64_t x = wrap(low[0] + dx[k], w, s.clamp_x), y = wrap(low[1] + dy[k], h, s.clamp_y);
        float want = x < 0 || y < 0 ? border : texels[first + (size_t(slice) * h + size_t(y)) * w + size_t(x)];
        if (compare) {
          const float r = o[lane].reference;
          const bool pass[8] = {false, r < want, r == want, r <= want, r > want, r != want, r >= want, true};
          want = pass[unsigned(s.compare)] ? 1.0f : 0.0f;
        }
        if (i.value(k, lane) != want) BOOST_FAIL(i.fields().info->name << " " << w << "x" << h << " lane " << lane << " texel " << k << ": " << i.value(k, lane) << ", not " << want);
      }
      ++checked;
    }
  }
  BOOST_TEST(checked > 15000u);
}
