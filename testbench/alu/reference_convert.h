// SPDX-License-Identifier: Apache-2.0
// Reference of conversions and comparisons.
#pragma once
#include "alu/vector_reference.h"
#include <cmath>
#include <string>

namespace alu_test {

inline void add_convert_references(std::map<op, reference>& t) {
  using in = const lane_inputs&;
  auto as_float = [](uint64_t b) { return bits_to<float>(uint32_t(b)); };
  auto as_double = [](uint64_t b) { return bits_to<double>(b); };
  auto as_half = [](uint64_t b, in i) { return bits_to<float>(uint32_t(soft_convert(b & 0xffff, f16, f32, rounding::nearest, mode_for(i.mode, f16).flush_in, false))); };
  auto limited = [](long double v, long double low, long double high) -> int64_t { return std::isnan(v) ? 0 : v < low ? int64_t(low) : v > high ? int64_t(high) : int64_t(v); };
  auto set = [&](op id, int from, int to, std::function<uint64_t(uint64_t, in)> f) {
    t[id] = {{uint8_t(from), 0, 0}, uint8_t(to), false, [=](in i) { return lane_result{to == 8 ? f(i.s[0], i) : f(i.s[0], i) & (to == 2 ? 0xffff : 0xffffffff)}; }};
  };
  const long double i32_low = -2147483648.L, i32_high = 2147483647.L, u32_high = 4294967295.L;
  set(op::v_cvt_i32_f32, 4, 4, [=](uint64_t b, in) { return uint64_t(limited(std::trunc(as_float(b)), i32_low, i32_high)); });
  set(op::v_cvt_u32_f32, 4, 4, [=](uint64_t b, in) { return uint64_t(limited(std::trunc(as_float(b)), 0, u32_high)); });
  set(op::v_cvt_i32_f64, 8, 4, [=](uint64_t b, in) { return uint64_t(limited(std::trunc(as_double(b)), i32_low, i32_high)); });
  set(op::v_cvt_u32_f64, 8, 4, [=](uint64_t b, in) { return uint64_t(limited(std::trunc(as_double(b)), 0, u32_high)); });
  set(op::v_cvt_flr_i32_f32, 4, 4, [=](uint64_t b, in) { return uint64_t(limited(std::floor(as_float(b)), i32_low, i32_high)); });
  set(op::v_cvt_rpi_i32_f32, 4, 4, [=](uint64_t b, in) { return uint64_t(limited(std::floor(as_float(b) + 0.5f), i32_low, i32_high)); });
  set(op::v_cvt_f32_i32, 4, 4, [](uint64_t b, in i) { return exact::integer(int32_t(b)).round(f32, mode_for(i.mode, f32).how, false, false); });
  set(op::v_cvt_f32_u32, 4, 4, [](uint64_t b, in i) { return exact::integer(uint32_t(b)).round(f32, mode_for(i.mode, f32).how, false, false); });
  set(op::v_cvt_f64_i32, 4, 8, [](uint64_t b, in) { return bits_to<uint64_t>(double(int32_t(b))); });
  set(op::v_cvt_f64_u32, 4, 8, [](uint64_t b, in) { return bits_to<uint64_t>(double(uint32_t(b))); });
  const op ubytes[] = {op::v_cvt_f32_ubyte0, op::v_cvt_f32_ubyte1, op::v_cvt_f32_ubyte2, op::v_cvt_f32_ubyte3};
  for (int n = 0; n < 4; ++n) set(ubytes[n], 4, 4, [n](uint64_t b, in) { return uint64_t(bits_to<uint32_t>(float(b >> (8 * n) & 255))); });
  set(op::v_cvt_off_f32_i4, 4, 4, [](uint64_t b, in) { const int n = int(b & 15); return uint64_t(bits_to<uint32_t>(float(n < 8 ? n : n - 16) / 16)); });
  set(op::v_cvt_f16_f32, 4, 2, [](uint64_t b, in i) { const float_mode m = mode_for(i.mode, f16); return soft_convert(b, f32, f16, m.how, false, m.flush_out); });
  set(op::v_cvt_f32_f16, 2, 4, [](uint64_t b, in i) { return soft_convert(b, f16, f32, rounding::nearest, mode_for(i.mode, f16).flush_in, false); });
  set(op::v_cvt_f32_f64, 8, 4, [](uint64_t b, in i) { const float_mode m = mode_for(i.mode, f32); return soft_convert(b, f64, f32, m.how, mode_for(i.mode, f64).flush_in, m.flush_out); });
  set(op::v_cvt_f64_f32, 4, 8, [](uint64_t b, in i) { return soft_convert(b, f32, f64, rounding::nearest, mode_for(i.mode, f32).flush_in, false); });
  set(op::v_cvt_f16_u16, 2, 2, [](uint64_t b, in i) { return exact::integer(uint16_t(b)).round(f16, mode_for(i.mode, f16).how, false, false); });
  set(op::v_cvt_f16_i16, 2, 2, [](uint64_t b, in i) { return exact::integer(int16_t(b)).round(f16, mode_for(i.mode, f16).how, false, false); });
  set(op::v_cvt_u16_f16, 2, 2, [=](uint64_t b, in i) { return uint64_t(limited(std::trunc(as_half(b, i)), 0, 65535)); });
  set(op::v_cvt_i16_f16, 2, 2, [=](uint64_t b, in i) { return uint64_t(limited(std::trunc(as_half(b, i)), -32768, 32767)); });
  auto normal = [=](float x, bool is_signed) -> uint64_t {
    if (std::isnan(x) || x == 0 || (x < 0 && !is_signed)) return 0;
    // |x| is m * 2^e: the product in integers, rounded once, a tie to even
    int e;
    const uint64_t m = uint64_t(std::ldexp(std::frexp(std::min(std::fabs(x), 1.f), &e), 24)), product = m * (is_signed ? 32767 : 65535);
    const int drop = 24 - e; // 23 and more
    const uint64_t whole = drop > 63 ? 0 : product >> drop, rest = drop > 63 ? 0 : product << (64 - drop), half = uint64_t(1) << 63;
    const uint64_t rounded = whole + (rest > half || (rest == half && (whole & 1)) ? 1 : 0);
    return (x < 0 ? 0 - rounded : rounded) & 0xffff;
  };
  set(op::v_cvt_norm_i16_f16, 2, 2, [=](uint64_t b, in i) { return normal(as_half(b, i), true); });
  set(op::v_cvt_norm_u16_f16, 2, 2, [=](uint64_t b, in i) { return normal(as_half(b, i), false); });
  auto two = [&](op id, int from, std::function<uint64_t(uint64_t, in)> f) {
    t[id] = {{uint8_t(from), uint8_t(from), 0}, 4, false, [=](in i) { return lane_result{f(i.s[0], i) | f(i.s[1], i) << 16}; }};
  };
  two(op::v_cvt_pknorm_i16_f32, 4, [=](uint64_t b, in) { return normal(as_float(b), true); });
  two(op::v_cvt_pknorm_u16_f32, 4, [=](uint64_t b, in) { return normal(as_float(b), false); });
  two(op::v_cvt_pknorm_i16_f16, 2, [=](uint64_t b, in i) { return normal(as_half(b, i), true); });
  two(op::v_cvt_pknorm_u16_f16, 2, [=](uint64_t b, in i) { return normal(as_half(b, i), false); });
  two(op::v_cvt_pkrtz_f16_f32, 4, [](uint64_t b, in i) { return soft_convert(b, f32, f16, rounding::zero, false, mode_for(i.mode, f16).flush_out); });
  two(op::v_cvt_pk_u16_u32, 4, [](uint64_t b, in) { return std::min<uint64_t>(b, 0xffff); });
  two(op::v_cvt_pk_i16_i32, 4, [](uint64_t b, in) { return uint64_t(std::min(32767, std::max(-32768, int(int32_t(b))))) & 0xffff; });
  for (op id : {op::v_cvt_pk_u8_f32, op::v_cvt_pkaccum_u8_f32})
    t[id] = {{4, 4, 4}, 4, false, [=](in i) {
      const float x = as_float(flushed(i.s[0], f32, mode_for(i.mode, f32).flush_in));
      const double c = std::isnan(x) ? 0 : std::min(255.0, std::max(0.0, double(x)));
      const rounding how = mode_for(i.mode, f32).how;
      double r = std::floor(c);
      const double rest = c - r;
      if (how == rounding::up ? rest > 0 : how == rounding::nearest && (rest > 0.5 || (rest == 0.5 && std::fmod(r, 2) == 1))) r += 1;
      const int shift = 8 * int(i.s[1] & 3);
      return lane_result{(i.s[2] & ~(255ull << shift) & 0xffffffff) | uint64_t(r) << shift};
    }};
}

/// Comparisons by the name of their condition.
inline void add_compare_references(std::map<op, reference>& t) {
  using in = const lane_inputs&;
  unsigned count;
  const isa::opcode_info* rows = isa::opcode_table(count);
  for (unsigned k = 0; k < count; ++k) {
    if (rows[k].encoding != isa::encoding::VOPC) continue;
    const std::string name = rows[k].name;
    const size_t first = name.find('_', 2) + 1, second = name.find('_', first);
    const std::string condition = name.substr(first, second - first), type = name.substr(second + 1);
    const int bits = std::stoi(type.substr(1));
    const uint8_t bytes = uint8_t(bits / 8);
    const format f = bits == 16 ? f16 : bits == 32 ? f32 : f64;
    if (condition == "class") {
      t[rows[k].id] = {{bytes, 4, 0}, 0, true, [=](in i) {
        const uint64_t x = i.s[0];
        int n;
        const bool negative = is_negative_bits(x, f);
        if (is_nan_bits(x, f)) n = is_signalling_bits(x, f) ? 0 : 1;
        else if (is_inf_bits(x, f)) n = negative ? 2 : 9;
        else if (is_zero_bits(x, f)) n = negative ? 5 : 6;
        else if (is_denormal_bits(x, f)) n = negative ? 4 : 7;
        else n = negative ? 3 : 8;
        return lane_result{0, bool(i.s[1] >> n & 1)};
      }};
      continue;
    }
    t[rows[k].id] = {{bytes, bytes, 0}, 0, true, [=](in i) {
      bool less, equal, unordered = false;
      if (type[0] == 'f') {
        const bool flush = mode_for(i.mode, f).flush_in;
        const uint64_t a = flushed(i.s[0], f, flush), b = flushed(i.s[1], f, flush);
        unordered = is_nan_bits(a, f) || is_nan_bits(b, f);
        equal = a == b || (is_zero_bits(a, f) && is_zero_bits(b, f));
        less = !equal && order_key(a, f) < order_key(b, f);
      } else {
        const uint64_t flip = type[0] == 'i' ? 1ull << (bits - 1) : 0;
        less = (i.s[0] ^ flip) < (i.s[1] ^ flip);
        equal = i.s[0] == i.s[1];
      }
      const bool greater = !less && !equal;
      bool r;
      const bool negated = condition[0] == 'n' && condition != "ne";
      const std::string c = negated && condition != "neq" ? condition.substr(1) : condition;
      if (c == "f") r = false;
      else if (c == "lt") r = !unordered && less;
      else if (c == "eq") r = !unordered && equal;
      else if (c == "le") r = !unordered && (less || equal);
      else if (c == "gt") r = !unordered && greater;
      else if (c == "lg") r = !unordered && !equal;
      else if (c == "ge") r = !unordered && !less;
      else if (c == "o") r = !unordered;
      else if (c == "u") r = unordered;
      else if (c == "ne" || c == "neq") r = unordered || !equal;
      else r = true; // t, tru
      if (negated && condition != "neq") r = !r;
      return lane_result{0, r};
    }};
  }
}

} // namespace alu_test
