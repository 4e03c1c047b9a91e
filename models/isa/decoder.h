// SPDX-License-Identifier: Apache-2.0
// The decoder's inside: classes of operand codes, and one function an encoding. Internal to isa.
#pragma once
#include "isa/table.h"

namespace lyra::isa {

/// What a 9-bit source code stands for.
enum class code_class : uint8_t { reserved, sgpr, special, ttmp, constant, aperture, condition, lds_direct, literal, vgpr };

struct code_table {
  code_class of[512];
  constexpr code_table() : of() {
    using namespace operand_code;
    for (unsigned c = 0; c < 512; ++c) {
      code_class k = code_class::reserved;
      if (c <= sgpr_last) k = code_class::sgpr;
      else if (c <= vcc_hi || c == m0 || c == exec_lo || c == exec_hi) k = code_class::special;
      else if (c >= ttmp0 && c <= ttmp15) k = code_class::ttmp;
      else if ((c >= zero && c <= int_m16) || (c >= f_0_5 && c <= inv_2pi)) k = code_class::constant;
      else if (c >= shared_base && c <= pops_exiting_wave_id) k = code_class::aperture;
      else if (c >= vccz && c <= scc) k = code_class::condition;
      else if (c == operand_code::lds_direct) k = code_class::lds_direct;
      else if (c == operand_code::literal) k = code_class::literal;
      else if (c >= vgpr0) k = code_class::vgpr;
      of[c] = k;
    }
  }
};
inline constexpr code_table codes;

/// Decodes one instruction; on failure `error` says why. Internal to isa: use decode().
class decoder {
public:
  decoder(const uint32_t* words, unsigned available, target chip, decode_result& out)
      : available_(available), chip_(chip), i_(out.inst), error_(out.error), w0_(words[0]), w1_(available > 1 ? words[1] : 0) {}

  bool run();

private:
  unsigned bits(unsigned high, unsigned low) const { return (w0_ >> low) & ((2u << (high - low)) - 1); }
  unsigned bits1(unsigned high, unsigned low) const { return (w1_ >> low) & ((2u << (high - low)) - 1); }
  bool bit(unsigned n) const { return (w0_ >> n) & 1; }
  bool bit1(unsigned n) const { return (w1_ >> n) & 1; }

  bool fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
  bool find(encoding e, unsigned number);
  bool need_second_dword();
  bool take_literal();

  bool zero(unsigned value, const char* field);
  bool vgpr(operand& o, unsigned n, operand_type t);
  bool vgpr_or_zero(operand& o, unsigned n, operand_type t, const char* field);
  bool sgpr(operand& o, unsigned code, operand_type t, const char* what);
  bool source(operand& o, unsigned code, operand_type t);
  bool check_tuple(unsigned code, code_class k, unsigned dwords, const char* what);

  bool sop1();
  bool sop2();
  bool sopk();
  bool sopc();
  bool sopp();
  bool smem();
  bool vop1();
  bool vop2();
  bool vopc();
  bool vop3();
  bool vop3p();
  bool unused_sources(unsigned n, const unsigned fields[3]);
  bool modifiers();
  bool vop3_interp();
  bool vintrp();
  bool ds();
  bool flat();
  bool buffer(bool typed);
  bool mimg();
  bool exp();
  bool dpp();
  bool sdwa(bool compare);
  bool sdwa_source(unsigned n, unsigned byte, bool scalar);
  bool vop_source0();

  const unsigned available_;
  const target chip_;
  instruction& i_;
  std::string& error_;
  const uint32_t w0_, w1_;
  bool literal_taken_ = false;
};

} // namespace lyra::isa
