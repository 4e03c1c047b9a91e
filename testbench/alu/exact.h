// SPDX-License-Identifier: Apache-2.0
// Exact binary numbers and their rounding to f16, f32, f64: the reference that floating-point tests compare with. Numbers are integers of 2^-2300.
#pragma once
#include <cstdint>
#include <cstring>

namespace alu_test {

struct format { int exponent_bits, mantissa_bits; };
constexpr format f16{5, 10}, f32{8, 23}, f64{11, 52};

enum class rounding { nearest, up, down, zero };

class exact {
public:
  static constexpr int limbs = 150, zero_bit = 2300; ///< bit `zero_bit` has weight 1

  exact() { std::memset(w_, 0, sizeof w_); }
  /// A finite number of a format.
  static exact of(uint64_t bits, format f) {
    exact r;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    uint64_t m = bits & ((1ull << f.mantissa_bits) - 1);
    int e = int(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
    r.negative_ = bits >> (f.exponent_bits + f.mantissa_bits) & 1;
    if (e) m |= 1ull << f.mantissa_bits;
    else e = 1;
    r.add_shifted(m, zero_bit + e - bias - f.mantissa_bits);
    return r;
  }
  static exact integer(__int128 v) {
    exact r;
    r.negative_ = v < 0;
    unsigned __int128 u = v < 0 ? -(unsigned __int128)v : v;
    r.add_shifted(uint64_t(u), zero_bit);
    r.add_shifted(uint64_t(u >> 64), zero_bit + 64);
    return r;
  }
  bool is_zero() const {
    for (uint32_t x : w_)
      if (x) return false;
    return true;
  }
  bool negative() const { return negative_; }
  void set_negative(bool n) { negative_ = n; }

  exact operator-() const {
    exact r = *this;
    r.negative_ = !negative_;
    return r;
  }
  friend exact operator+(const exact& a, const exact& b) {
    if (a.negative_ == b.negative_) {
      exact r = a;
      uint64_t carry = 0;
      for (int k = 0; k < limbs; ++k) {
        carry += uint64_t(a.w_[k]) + b.w_[k];
        r.w_[k] = uint32_t(carry);
        carry >>= 32;
      }
      return r;
    }
    const bool a_bigger = compare_magnitude(a, b) >= 0;
    const exact &x = a_bigger ? a : b, &y = a_bigger ? b : a;
    exact r = x;
    int64_t borrow = 0;
    for (int k = 0; k < limbs; ++k) {
      borrow += int64_t(x.w_[k]) - y.w_[k];
      r.w_[k] = uint32_t(borrow);
      borrow >>= 32;
    }
    return r;
  }
  /// Product of two numbers of at most 53 significant bits each.
  friend exact operator*(const exact& a, const exact& b) {
    exact r;
    r.negative_ = a.negative_ != b.negative_;
    int ea, eb;
    const uint64_t ma = a.top(ea), mb = b.top(eb);
    const unsigned __int128 p = (unsigned __int128)ma * mb;
    r.add_shifted(uint64_t(p), ea + eb - zero_bit);
    r.add_shifted(uint64_t(p >> 64), ea + eb - zero_bit + 64);
    return r;
  }
  /// Times 2^power; bits that leave the range at the bottom set the lowest one, so that rounding still sees them.
  exact times_two_to(int power) const {
    exact r;
    r.negative_ = negative_;
    for (int n = 0; n < 32 * limbs; ++n)
      if (bit(n)) {
        const int to = n + power;
        if (to < 0) r.w_[0] |= 1;
        else if (to < 32 * limbs) r.w_[to / 32] |= 1u << (to % 32);
      }
    return r;
  }
  exact scaled(int power) const { return times_two_to(power); }

  /// Rounded to a format; `exact_zero_negative` is the sign of an exact zero. `tiny` true: flush results below the normal numbers to zero.
  uint64_t round(format f, rounding how, bool zero_negative, bool flush) const {
    const uint64_t sign = uint64_t(1) << (f.exponent_bits + f.mantissa_bits);
    if (is_zero()) return zero_negative ? sign : 0;
    const int bias = (1 << (f.exponent_bits - 1)) - 1, top_exponent = (1 << f.exponent_bits) - 1;
    const int high = highest();
    int lowest_kept = high - f.mantissa_bits;
    const int least = zero_bit + 1 - bias - f.mantissa_bits;
    if (lowest_kept < least) lowest_kept = least;
    uint64_t m = bits_from(lowest_kept);
    const bool half = bit(lowest_kept - 1), rest = any_below(lowest_kept - 1);
    bool up = false;
    if (how == rounding::nearest) up = half && (rest || (m & 1));
    else if (how == rounding::up) up = (half || rest) && !negative_;
    else if (how == rounding::down) up = (half || rest) && negative_;
    m += up;
    uint64_t result;
    if (lowest_kept == least) {
      result = m; // denormal, or carried into the first binade
      const int normal = least + f.mantissa_bits; // lowest bit of a normal number's leading one
      if (flush && high < normal && !(high + 1 == normal && reaches(normal, high - f.mantissa_bits, how))) result = 0;
    } else {
      int e = lowest_kept - zero_bit + bias + f.mantissa_bits;
      if (m >> (f.mantissa_bits + 1)) { // carried
        m >>= 1;
        ++e;
      }
      result = uint64_t(e) << f.mantissa_bits | (m & ((1ull << f.mantissa_bits) - 1));
      if (e >= top_exponent) {
        const bool infinite = how == rounding::nearest || (how == rounding::up && !negative_) || (how == rounding::down && negative_);
        result = infinite ? uint64_t(top_exponent) << f.mantissa_bits : (uint64_t(top_exponent) << f.mantissa_bits) - 1;
      }
    }
    return (negative_ ? sign : 0) | result;
  }

private:
  /// Whether rounding at `lowest` carries into bit `top`: what decides that a number is tiny (tininess after rounding, exponent unbounded).
  bool reaches(int top, int lowest, rounding how) const {
    for (int n = lowest; n < top; ++n)
      if (!bit(n)) return false;
    const bool half = bit(lowest - 1), rest = any_below(lowest - 1);
    return how == rounding::nearest ? half : how == rounding::up ? (half || rest) && !negative_ : how == rounding::down && (half || rest) && negative_;
  }
  bool bit(int n) const { return n >= 0 && (w_[n / 32] >> (n % 32) & 1); }
  bool any_below(int n) const {
    for (int k = 0; k < n / 32 && n > 0; ++k)
      if (w_[k]) return true;
    for (int k = n > 0 ? n / 32 * 32 : 0; k < n; ++k)
      if (bit(k)) return true;
    return false;
  }
  int highest() const {
    for (int k = limbs - 1; k >= 0; --k)
      if (w_[k]) return 32 * k + 31 - __builtin_clz(w_[k]);
    return -1;
  }
  uint64_t bits_from(int n) const {
    uint64_t r = 0;
    for (int k = 63; k >= 0; --k) r = r << 1 | uint64_t(n + k >= 0 && n + k < 32 * limbs ? bit(n + k) : 0);
    return r;
  }
  uint64_t top(int& exponent) const {
    const int h = highest();
    if (h < 0) {
      exponent = zero_bit;
      return 0;
    }
    exponent = h < 63 ? 0 : h - 63;
    return bits_from(exponent);
  }
  void add_shifted(uint64_t m, int shift) {
    for (int k = 0; k < 64; ++k)
      if (m >> k & 1) {
        int n = shift + k;
        if (n < 0 || n >= 32 * limbs) continue;
        // add with carry
        int limb = n / 32;
        uint64_t add = 1ull << (n % 32);
        while (add) {
          const uint64_t s = uint64_t(w_[limb]) + add;
          w_[limb] = uint32_t(s);
          add = s >> 32;
          ++limb;
          if (limb >= limbs) break;
        }
      }
  }
  static int compare_magnitude(const exact& a, const exact& b) {
    for (int k = limbs - 1; k >= 0; --k)
      if (a.w_[k] != b.w_[k]) return a.w_[k] > b.w_[k] ? 1 : -1;
    return 0;
  }
  uint32_t w_[limbs];
  bool negative_ = false;
};

} // namespace alu_test
