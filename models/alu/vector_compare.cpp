// SPDX-License-Identifier: Apache-2.0
// V_CMP, V_CMPX, V_CMP_CLASS (Vega ISA 12.10 VOPC): one bit a lane, 0 for lanes that EXEC switches off; CMPX writes EXEC too.
// Floating compares flush denormal operands where MODE says; classes look at the bits.
#include "alu/lane_float.h"
#include "alu/vector_fast.h"

namespace lyra::alu::LYRA_ALU_LEVEL {
namespace {

/// Condition codes of the low opcode bits. Integers have the first eight: 5 is "not equal", 7 "true".
enum { F, LT, EQ, LE, GT, LG, GE, O, U, NGE, NLG, NGT, NLE, NEQ, NLT, TRU };

template <int C, class T> bool holds(T a, T b) {
  switch (C) {
    case F: return false;
    case LT: return a < b;
    case EQ: return a == b;
    case LE: return a <= b;
    case GT: return a > b;
    case LG: return a < b || a > b;
    case GE: return a >= b;
    case O: return a == a && b == b;
    case U: return a != a || b != b;
    case NGE: return !(a >= b);
    case NLG: return !(a < b || a > b);
    case NGT: return !(a > b);
    case NLE: return !(a <= b);
    case NEQ: return !(a == b);
    case NLT: return !(a < b);
    default: return true;
  }
}

template <int C, class T> flag compare_float(const environment& e, T a, T b) { return {holds<C, T>(flush_in(e, a), flush_in(e, b)) ? all_ones : 0}; }
/// Halves come as floats, already flushed.
template <int C> flag compare_half(float a, float b) { return {holds<C, float>(a, b) ? all_ones : 0}; }
template <int C, class T> flag compare_integer(T a, T b) {
  constexpr int c = C == LG ? NEQ : C == O ? TRU : C;
  return {holds<c, T>(a, b) ? all_ones : 0};
}

/// Class bits: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf.
template <int Exponent, int Mantissa, class B> u32 class_of(B bits) {
  const B mantissa = bits & ((B(1) << Mantissa) - 1);
  const B exponent = bits >> Mantissa & ((B(1) << Exponent) - 1);
  const bool negative = bits >> (Exponent + Mantissa) & 1, top = exponent == (B(1) << Exponent) - 1;
  const u32 nan = mantissa >> (Mantissa - 1) ? 2 : 1;
  const u32 finite = exponent ? (negative ? 8 : 256) : mantissa ? (negative ? 16 : 128) : negative ? 32 : 64;
  return top ? (mantissa ? nan : negative ? 4 : 512) : finite;
}
flag class32(u32 v, u32 mask) { return {class_of<8, 23, u32>(v) & mask ? all_ones : 0}; }
flag class64(u64 v, u32 mask) { return {class_of<11, 52, u64>(v) & mask ? all_ones : 0}; }
flag class16(u32 v, u32 mask) { return {class_of<5, 10, u32>(v) & mask ? all_ones : 0}; }

constexpr op_model model(core_function core, kind a, kind b, u16 flags) { return {core, nullptr, {a, b, kind::none}, kind::none, fp_rule::none, flags, nullptr, nullptr}; }
constexpr u16 c = compare, x = compare | compare_exec;
template <auto F, kind K, kind M, u16 Flags> constexpr op_model quick() { return fast_model<F, false, K, M, kind::none, kind::none, fp_rule::none, Flags>(); }

#define LYRA_FLOAT_COMPARE(name, condition)                                                                          \
  {isa::op::v_cmp_##name##_f16, model(lanes_of<compare_half<condition>>, kind::f16, kind::f16, c)},                  \
  {isa::op::v_cmpx_##name##_f16, model(lanes_of<compare_half<condition>>, kind::f16, kind::f16, x)},                 \
  {isa::op::v_cmp_##name##_f32, quick<compare_float<condition, float>, kind::f32, kind::f32, c>()},          \
  {isa::op::v_cmpx_##name##_f32, quick<compare_float<condition, float>, kind::f32, kind::f32, x>()},         \
  {isa::op::v_cmp_##name##_f64, quick<compare_float<condition, double>, kind::f64, kind::f64, c>()},         \
  {isa::op::v_cmpx_##name##_f64, quick<compare_float<condition, double>, kind::f64, kind::f64, x>()}
#define LYRA_INTEGER_COMPARE(name, condition)                                                                        \
  {isa::op::v_cmp_##name##_i16, model(lanes_of<compare_integer<condition, i32>>, kind::s16, kind::s16, c)},          \
  {isa::op::v_cmpx_##name##_i16, model(lanes_of<compare_integer<condition, i32>>, kind::s16, kind::s16, x)},         \
  {isa::op::v_cmp_##name##_u16, model(lanes_of<compare_integer<condition, u32>>, kind::u16, kind::u16, c)},          \
  {isa::op::v_cmpx_##name##_u16, model(lanes_of<compare_integer<condition, u32>>, kind::u16, kind::u16, x)},         \
  {isa::op::v_cmp_##name##_i32, quick<compare_integer<condition, i32>, kind::b32, kind::b32, c>()},          \
  {isa::op::v_cmpx_##name##_i32, quick<compare_integer<condition, i32>, kind::b32, kind::b32, x>()},         \
  {isa::op::v_cmp_##name##_u32, quick<compare_integer<condition, u32>, kind::b32, kind::b32, c>()},          \
  {isa::op::v_cmpx_##name##_u32, quick<compare_integer<condition, u32>, kind::b32, kind::b32, x>()},         \
  {isa::op::v_cmp_##name##_i64, quick<compare_integer<condition, i64>, kind::s64, kind::s64, c>()},          \
  {isa::op::v_cmpx_##name##_i64, quick<compare_integer<condition, i64>, kind::s64, kind::s64, x>()},         \
  {isa::op::v_cmp_##name##_u64, quick<compare_integer<condition, u64>, kind::b64, kind::b64, c>()},          \
  {isa::op::v_cmpx_##name##_u64, quick<compare_integer<condition, u64>, kind::b64, kind::b64, x>()}

const op_row rows[] = {
    LYRA_FLOAT_COMPARE(f, F), LYRA_FLOAT_COMPARE(lt, LT), LYRA_FLOAT_COMPARE(eq, EQ), LYRA_FLOAT_COMPARE(le, LE), LYRA_FLOAT_COMPARE(gt, GT),
    LYRA_FLOAT_COMPARE(lg, LG), LYRA_FLOAT_COMPARE(ge, GE), LYRA_FLOAT_COMPARE(o, O), LYRA_FLOAT_COMPARE(u, U), LYRA_FLOAT_COMPARE(nge, NGE),
    LYRA_FLOAT_COMPARE(nlg, NLG), LYRA_FLOAT_COMPARE(ngt, NGT), LYRA_FLOAT_COMPARE(nle, NLE), LYRA_FLOAT_COMPARE(neq, NEQ),
    LYRA_FLOAT_COMPARE(nlt, NLT), LYRA_FLOAT_COMPARE(tru, TRU),
    LYRA_INTEGER_COMPARE(f, F), LYRA_INTEGER_COMPARE(lt, LT), LYRA_INTEGER_COMPARE(eq, EQ), LYRA_INTEGER_COMPARE(le, LE),
    LYRA_INTEGER_COMPARE(gt, GT), LYRA_INTEGER_COMPARE(ne, LG), LYRA_INTEGER_COMPARE(ge, GE), LYRA_INTEGER_COMPARE(t, O),
    {isa::op::v_cmp_class_f32, quick<class32, kind::f32, kind::b32, c>()},
    {isa::op::v_cmpx_class_f32, quick<class32, kind::f32, kind::b32, x>()},
    {isa::op::v_cmp_class_f64, quick<class64, kind::f64, kind::b32, c>()},
    {isa::op::v_cmpx_class_f64, quick<class64, kind::f64, kind::b32, x>()},
    {isa::op::v_cmp_class_f16, model(lanes_of<class16>, kind::h16, kind::b32, c)},
    {isa::op::v_cmpx_class_f16, model(lanes_of<class16>, kind::h16, kind::b32, x)},
};

} // namespace

row_list compare_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

} // namespace lyra::alu::LYRA_ALU_LEVEL
