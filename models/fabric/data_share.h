// SPDX-License-Identifier: Apache-2.0
// What LDS and GDS share: a wave request as a data share access, and how long its banks and paths are busy. Plain C++, no kernel.
#pragma once
#include "alu/data_share.h"
#include "fabric/parameters.h"
#include "fabric/wave_request.h"

namespace lyra::fabric {

/// Where a request's DS memory lies and how M0 takes part.
struct data_share_window {
  uint8_t* memory = nullptr; ///< first byte of the allocation
  uint32_t base = 0;         ///< its byte address in the share (for banks)
  uint32_t size = 0;         ///< its bytes
  alu::ds_m0_use m0_use = alu::ds_m0_use::low_offset;
};

/// The operands of `w` as a data share access. LDS=1 load returns (`result_to_lds`) become dword writes of result[0] at lds_address (bytes in the whole LDS), for the lanes of result_mask.
/// Operand rows: ADDR in vaddr[0] (FLAT: the low half of the 64-bit address), DATA0 from vdata[0], DATA1 from vdata[vdata2_row] (0: right behind DATA0).
alu::ds_access data_share_access(wave_request& w, const data_share_window& window);

/// Does request `w` on the memory of `window`; fills results, result_dwords, result_half, result_mask and, for FLAT, a range fault.
/// `access` and `addresses` stay for the timing. ordered_count and GWS set their result shape only.
/// \return false when the instruction is not one of a data share (fault `unsupported`)
bool ds_execute(wave_request& w, const data_share_window& window, alu::ds_access& access, alu::ds_addresses& addresses);
/// As above, for callers without timing.
bool ds_execute(wave_request& w, const data_share_window& window);

/// Cycles of each kind of instruction on its path (address, data and result share 64 bytes a cycle), before conflicts.
struct data_share_rates {
  unsigned read_32_cycles = 4, read_64_cycles = 8, read_128_cycles = 16;
  unsigned write_32_cycles = 8, write_64_cycles = 12, write_96_cycles = 16, write_128_cycles = 20;
  unsigned atomic_32_cycles = 8, atomic_64_cycles = 12, atomic_128_cycles = 20;
  unsigned write_96_bank_cycles = 10, exchange_128_bank_cycles = 12;
  unsigned append_cycles = 4;
  const char* source = "CLRX GcnTimings (measured, GCN1-3)";

  template <class V> void describe(V&& v) {
    const char* clrx = source;
    v("read_32_cycles", read_32_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of a read of at most 32 bits a lane, and of ds_swizzle"});
    v("read_64_cycles", read_64_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of ds_read_b64, ds_read2_b32"});
    v("read_128_cycles", read_128_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of ds_read_b96, b128, read2_b64"});
    v("write_32_cycles", write_32_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of a write of at most 32 bits a lane, and of permute"});
    v("write_64_cycles", write_64_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of ds_write_b64, ds_write2_b32"});
    v("write_96_cycles", write_96_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of ds_write_b96"});
    v("write_128_cycles", write_128_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of ds_write_b128, write2_b64"});
    v("atomic_32_cycles", atomic_32_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of a 32-bit atomic with one operand"});
    v("atomic_64_cycles", atomic_64_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of 64-bit atomics and 32-bit ones with two operands"});
    v("atomic_128_cycles", atomic_128_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "path time of 64-bit atomics with two operands"});
    v("write_96_bank_cycles", write_96_bank_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "least bank time of ds_write_b96 (one wave instruction in 10 cycles a CU)"});
    v("exchange_128_bank_cycles", exchange_128_bank_cycles, parameter_info{"cycles", 1, 64, nullptr, clrx, "least bank time of ds_wrxchg2 64 bit (one in 12 cycles a CU)"});
    v("append_cycles", append_cycles, parameter_info{"cycles", 1, 64, nullptr, "assumed: no data in, a broadcast back", "path time of ds_append, ds_consume, ds_ordered_count, ds_gws_*, ds_nop"});
  }
};

/// What one instruction costs.
struct data_share_cost {
  unsigned path = 0;       ///< cycles on its path when nothing conflicts
  unsigned banks = 0;      ///< cycles the banks are busy, conflicts included
  unsigned conflicts = 0;  ///< of these: beyond one a phase
  unsigned serialised = 0; ///< conflict cycles that exist only because lanes of an atomic meet at one address
  unsigned broadcast = 0;  ///< lanes served by another lane's access to the same dword
  /// Cycles from the start until the path and the banks have done their part.
  unsigned occupancy() const { return path > banks ? path : banks; }
};

/// 32 banks of 4 bytes, bank = address bits 6:2. An instruction is done in phases of lanes; a phase takes as many cycles as its fullest bank has
/// different dwords, one at least. Reads and writes of one dword by several lanes are one access; atomics on one dword are one each.
/// Phases (CLRX, AMD APP guide; wide forms as measured on later CDNA parts): up to 32 bits: lanes 0-31, 32-63; 64 bits: four times 16 lanes;
/// 96 and 128 bits: eight times 8 lanes, consecutive for writes, interleaved for reads; two-address forms: the phases of the first, then of the second.
class bank_model {
public:
  explicit bank_model(const data_share_rates& rates) : rates_(rates) {}
  data_share_cost cost(const alu::ds_access& a, const alu::ds_addresses& addresses, uint32_t base) const;
  const data_share_rates& rates() const { return rates_; }
  /// Cycles on the path without conflicts.
  unsigned path_cycles(const alu::ds_shape& s) const;

private:
  const data_share_rates& rates_;
};

} // namespace lyra::fabric
