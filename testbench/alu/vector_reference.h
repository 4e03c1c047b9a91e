// SPDX-License-Identifier: Apache-2.0
// What each vector operation computes in one lane, written out of the ISA's pseudo code and exact arithmetic: the reference of the random-operand tests.
#pragma once
#include "alu/soft_float.h"
#include "alu/wave_fixture.h"
#include <functional>
#include <map>

namespace alu_test {

struct lane_inputs {
  uint64_t s[3] = {0, 0, 0};
  bool bit = false;      ///< VCC or SRC2's bit
  uint32_t mode = 0xf0;
  unsigned lane = 0;
  bool clamp = false;    ///< integer clamp
  bool ieee() const { return mode >> 9 & 1; }
};
struct lane_result {
  uint64_t value = 0;
  bool flag = false;
  double tolerance_ulp = 0; ///< f32/f64/f16 results only
};

struct reference {
  uint8_t bytes[3]; ///< size of each source; 0 none. 2: low half of a dword
  uint8_t result;   ///< bytes; 0: only the flag. 2: a half
  bool has_flag;
  std::function<lane_result(const lane_inputs&)> f;
};

const std::map<op, reference>& vector_references();

// pieces used by several tables
void add_integer_references(std::map<op, reference>&);
void add_float_references(std::map<op, reference>&);
void add_compare_references(std::map<op, reference>&);
void add_convert_references(std::map<op, reference>&);

} // namespace alu_test
