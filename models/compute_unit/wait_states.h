// SPDX-License-Identifier: Apache-2.0
// Manually inserted wait states: the pairs of instructions that the hardware does not interlock (Vega ISA 4.5; the same numbers stand in
// LLVM's hazard recogniser and Mesa's NOP inserter).
#pragma once
#include "alu/wave_registers.h"
#include "compute_unit/micro_op.h"
#include <memory>
#include <vector>

namespace lyra::compute_unit {

/// The rows of the ISA's table.
enum class wait_row : uint8_t {
  setreg_getreg, setreg_setreg, vskip_getreg_mode, setreg_vskip_vector, valu_vcc_exec_z, valu_sgpr_lane_select, valu_vcc_div_fmas, wide_store_data,
  valu_sgpr_vmem, m0_gds_message, valu_vgpr_dpp, valu_exec_dpp, vcc_alias, trapsts_rfe, m0_lds_access, m0_movrel, movrel_vcc_vccz, count
};
struct wait_rule { const char* producer; const char* consumer; unsigned states; };
const wait_rule& rule_of(wait_row r);

/// True for instructions that some rule names as its consumer; fixed when an instruction is decoded.
bool may_need_wait_states(const micro_op& m);

/// A store of more than 64 bits or a 64-bit compare-and-swap whose data beyond the second dword is read one wait state after issue
/// (buffer stores with an SGPR offset and image stores are not).
bool late_store_data(const micro_op& m);

/// Follows one wave's instruction stream. A wait state passes with every instruction; s_nop N gives N + 1. A call or a return gives five: the wave issues nothing
/// for 20 cycles, and compilers do not look across them (LLVM's hazard recogniser stops at a function's ends). Other branches count one, as LLVM and Mesa count them.
class wait_state_checker {
public:
  /// A new wave: everything before is out of every rule's reach.
  /// \param vcc_alias  whether the row "mixed use of VCC: alias and SGPR number" holds for VCC written without naming it and read as operand vcc_lo, vcc_hi. Compilers
  /// put such a pair back to back (a ballot and a mask in clang's code); Mesa takes the row for an SGPR number that happens to be VCC's, which no GFX9 operand is.
  void reset(bool vcc_alias = true) { pass(8); now_ += 8; vcc_alias_ = vcc_alias; }

  struct violation {
    wait_row row = wait_row::count;
    unsigned missing = 0;               ///< wait states
    const micro_op* producer = nullptr;
    int sgpr = -1, vgpr = -1;           ///< the register in between, where there is one
    explicit operator bool() const { return producer != nullptr; }
  };
  struct finding { wait_row row; uint64_t at; }; ///< a rule and the mark of its producer
  /// The first rule that `m` would break if it were issued now; all of them go to `all` where it is given.
  violation check(const micro_op& m, std::vector<finding>* all = nullptr) const;
  /// The mark that an instruction issued now gets.
  uint64_t next_mark() const { return now_ + 1; }
  /// The mark of an s_setreg of VSKIP that a vector instruction issued now does not see yet; 0: none.
  uint64_t unseen_vskip() const { return setreg_vskip_.op && since(setreg_vskip_) < 2 ? setreg_vskip_.at : 0; }
  /// `m` is issued. Call before it executes (M0-relative destinations are resolved with the registers as they are).
  void issued(const micro_op& m, const alu::wave_registers& r);
  /// The wave goes into its trap handler, which takes as long as a call.
  void called() { pass(call_states); }
  /// Must `m` be checked at all? (Most instructions are nobody's consumer.)
  bool concerns(const micro_op& m) const { return m.wait_consumer || (m.vector && vector_until_ > now_); }

private:
  struct mark { uint64_t at = 0; const micro_op* op = nullptr; };
  static constexpr unsigned history = 5; ///< wait states that a rule on vector ALU instructions can reach back
  mark recent(unsigned d) const { return valu_ >> d & 1 ? mark{now_ - d, recent_[(place_ + history - d) % history]} : mark{}; }
  void pass(unsigned states) {
    now_ += states;
    valu_ = uint8_t(valu_ << states);
    place_ = uint8_t((place_ + states) % history);
  }
  static constexpr unsigned call_states = 5;
  unsigned since(const mark& p) const { return unsigned(now_ - p.at); } // wait states between: 0 for the next instruction

  // one line of the host's cache: all that most instructions touch
  alignas(64) uint64_t now_ = 8;
  const micro_op* recent_[history] = {}; ///< a ring over wait states; only vector ALU instructions are written
  uint8_t place_ = 0;               ///< of the last wait state in the ring
  uint8_t valu_ = 0;                ///< bit d: the instruction d wait states back was a vector ALU one
  bool vcc_alias_ = true;
  uint64_t vector_until_ = 0;       ///< before this mark a vector instruction may be the consumer of wide_store_ or setreg_vskip_
  std::unique_ptr<mark[]> setreg_;  ///< by hardware register; made at a wave slot's first s_setreg
  mark last_setreg(unsigned r) const { return setreg_ ? setreg_[r] : mark{}; }
  mark vskip_, setreg_vskip_, m0_, movrel_vcc_, vcc_by_name_;
  mark wide_store_;
  vgpr_set wide_store_data_;
};

} // namespace lyra::compute_unit
