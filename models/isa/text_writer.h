// SPDX-License-Identifier: Apache-2.0
// The disassembler's inside: one function an encoding. Internal to isa.
#pragma once
#include "isa/table.h"

namespace lyra::isa {

/// One instruction's text under construction: appends only. Internal to isa: use disassemble().
class text_writer {
public:
  explicit text_writer(const instruction& i) : i_(i) { text_.reserve(96); }
  std::string run();

private:
  void put(const char* s) { text_ += s; }
  void decimal(int64_t v) { text_ += std::to_string(v); }
  void hex(uint64_t v);
  void separate() { ///< before each operand
    put(first_ ? " " : ", ");
    first_ = false;
  }

  void reg(const operand& o, unsigned dwords);
  void reg(const operand& o) { reg(o, dwords_of(o.type)); }
  void integer_16(uint16_t v);
  void float_16(uint32_t v);
  void value_32(uint32_t v);
  void value_64(uint64_t v);
  void constant(const operand& o);
  void value(const operand& o);
  void operand_plain(const operand& o) { separate(); value(o); }
  void operand_modified(unsigned n, bool sign_extends);
  void negated(const operand& o, bool neg, bool abs);
  void flag(bool on, const char* name) { if (on) { text_ += ' '; put(name); } }
  void offset(int32_t v);

  void mnemonic();
  void scalar();
  void sopk();
  void sopp();
  void hwreg();
  void waitcnt();
  void sendmsg();
  void index_mode(unsigned bits);
  void smem();
  void vector();
  void vop3();
  void vop3p();
  void interp();
  void dpp_suffix();
  void sdwa_suffix();
  void omod();
  void bit_list(const char* name, unsigned bits, unsigned count, unsigned usual);
  void ds();
  void swizzle();
  void flat();
  void buffer();
  void mimg();
  void exp();

  const instruction& i_;
  std::string text_;
  bool first_ = true;
};

} // namespace lyra::isa
