// SPDX-License-Identifier: Apache-2.0
// The instruction table (opcodes.def) and its index by encoding, opcode number and chip.
#include "isa/table.h"

namespace lyra::isa {
namespace {

constexpr opcode_info make_row(op id, encoding e, uint16_t number, const char* name, uint8_t targets, operand_type dst, operand_type sdst, operand_type s0,
                               operand_type s1, operand_type s2, uint32_t flags, memory_kind memory, uint8_t bytes, uint8_t data, uint8_t result,
                               atomic_operation atomic) {
  return {id, e, number, name, targets, dst, sdst, {s0, s1, s2}, flags, memory, bytes, data, result, atomic};
}

#define LYRA_ROW(id, e, number, name, targets, dst, sdst, s0, s1, s2, flags, memory, bytes, data, result, atomic)                          \
  make_row(op::id, encoding::e, number, name, targets, operand_type::dst, operand_type::sdst, operand_type::s0, operand_type::s1,          \
           operand_type::s2, flags, memory_kind::memory, bytes, data, result, atomic_operation::atomic),

#define LYRA_OPCODE(...) LYRA_ROW(__VA_ARGS__)
#define LYRA_OPCODE_AGAIN(...) LYRA_ROW(__VA_ARGS__)
constexpr opcode_info rows[] = {
#include "isa/opcodes.def"
};
#undef LYRA_OPCODE
#undef LYRA_OPCODE_AGAIN
#undef LYRA_ROW

constexpr unsigned row_count = sizeof rows / sizeof rows[0];
static_assert(row_count < 0xffff, "the index holds 16-bit row numbers");

/// Largest OP field of any encoding is VOP3's: 10 bits.
constexpr unsigned slots = 1024, encodings = static_cast<unsigned>(encoding::EXP) + 1;

struct row_index {
  uint16_t row[2][encodings][slots];
  row_index() {
    for (auto& chip : row)
      for (auto& e : chip)
        for (auto& slot : e) slot = 0xffff;
    for (unsigned i = 0; i < row_count; ++i)
      for (unsigned chip = 0; chip < 2; ++chip)
        if (rows[i].targets & (1u << chip)) row[chip][static_cast<unsigned>(rows[i].encoding)][rows[i].number] = static_cast<uint16_t>(i);
  }
};

} // namespace

const opcode_info* opcode_table(unsigned& count) {
  count = row_count;
  return rows;
}

const opcode_info* find_opcode(encoding e, unsigned number, target chip) {
  static const row_index index;
  if (number >= slots) return nullptr;
  const uint16_t row = index.row[static_cast<unsigned>(chip)][static_cast<unsigned>(e)][number];
  return row == 0xffff ? nullptr : &rows[row];
}

const char* name_of(encoding e) {
  static const char* const names[] = {"SOP1", "SOP2", "SOPK",   "SOPC", "SOPP", "SMEM",   "VOP1",    "VOP2",  "VOPC",  "VOP3",
                                      "VOP3P", "VINTRP", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG", "EXP"};
  return names[static_cast<unsigned>(e)];
}

} // namespace lyra::isa
