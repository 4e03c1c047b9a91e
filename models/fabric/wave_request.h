// SPDX-License-Identifier: Apache-2.0
// One wave instruction on its way from a compute unit to TA, LDS or GDS: command IGNORE, address 0, everything in this extension.
#pragma once
#include "fabric/payload.h"
#include "isa/instruction.h"
#include <algorithm>

namespace lyra::fabric {

/// Why a lane's access could not be done.
enum class fault_kind : uint8_t { none, unmapped, write_protected, misaligned, bad_descriptor, unsupported, lds_range };

/// What an instruction brings and takes besides rows of registers. Ordered by use in lines of the host's cache: what every hop looks at stands last, before the rows' places.
struct wave_request_scalars {
  uint64_t pc = 0;
  uint64_t sequence = 0;     ///< issue number in the compute unit; VMEM, DS return in this order
  uint64_t dispatch_order = 0; ///< the wave's number in the order of dispatch (ordered append)
  uint64_t dispatch_first_order = 0; ///< dispatch_order of the first wave of the same dispatch (ordered append starts there)
  uint32_t dispatch = 0;     ///< which dispatch of the job
  uint32_t workgroup = 0;

  // scalar inputs, captured at issue
  uint32_t resource[8] = {}; ///< V# (4) or T# (8)
  uint32_t sampler[4] = {};
  uint32_t soffset = 0;      ///< MUBUF/MTBUF SOFFSET value
  uint32_t m0 = 0;
  uint64_t saddr = 0;        ///< GLOBAL SADDR base (64 bit), SCRATCH SADDR offset (32 bit)
  uint64_t flat_scratch = 0; ///< FLAT_SCRATCH: the wave's scratch base (FLAT to the private aperture, SCRATCH)
  uint32_t lds_base = 0, lds_size = 0; ///< the workgroup's LDS allocation, bytes
  uint32_t gds_base = 0, gds_size = 0;
  uint32_t mode = 0;         ///< MODE register (rounding, denormals)

  uint32_t wave_id = 0;      ///< unique in the run
  uint64_t fault_address = 0;
  const char* fault_text = nullptr; ///< static text with the details, or null
  uint32_t conflicts = 0;    ///< for observers: extra bank cycles

  uint32_t wave_sequence = 0; ///< the compute unit's own note: number among the wave's vector memory instructions
  const isa::instruction* inst = nullptr;
  const void* op = nullptr;  ///< the compute unit's own note: its decoded form of `inst`
  uint64_t exec = 0;         ///< lanes that act (for FLAT: the lanes of this half)
  uint64_t result_mask = 0;  ///< lanes written
  uint64_t issue_ps = 0;     ///< for observers
  uint32_t lines = 0, hits = 0; ///< for observers: lines touched, L1 hits
  uint16_t cu = 0;
  uint8_t simd = 0, slot = 0;
  uint8_t vaddr_dwords = 0, vdata_dwords = 0;
  uint8_t vdata2_row = 0;
  uint8_t result_dwords = 0;      ///< rows written below (VGPRs from the destination on), including TFE's
  uint8_t result_half = 0;        ///< row 0: 0: whole dword; 1: only bits 15:0 are written; 2: only bits 31:16 (the value stands there). Further rows are whole
  bool result_to_lds = false;     ///< LDS=1 load: `result[0]` goes to LDS at lds_address[lane]
  bool lod_clamped = false;       ///< LWE: a lane's level lay below the image's MIN_LOD_WARN; MODE.LOD_CLAMPED keeps it
  bool unaligned = true;          ///< SH_MEM_CONFIG: unaligned access allowed
  fault_kind fault = fault_kind::none;
  uint8_t fault_lane = 0;
};

/// The private extension of CU -> TA, CU -> LDS and CU -> GDS edges. The target must understand it.
/// Rows of registers are [dword][lane]; only the first `*_dwords` of each hold data. Lanes outside `exec` hold anything.
struct wave_request : tlm::tlm_extension<wave_request>, wave_request_scalars {
  using row = uint32_t[64];
  static constexpr unsigned vaddr_rows = 13, vdata_rows = 5, result_rows = 6; ///< the most that an instruction has
  static constexpr unsigned all_rows = vaddr_rows + vdata_rows + result_rows + 1;

  row* vaddr = nullptr;
  row* vdata = nullptr;           ///< DS: DATA0 in rows 0.., DATA1 behind it (its first row is `vdata2_row`)
  row* result = nullptr;
  uint32_t* lds_address = nullptr; ///< [64]; null in a request that was taken without

  void begin(const isa::instruction* i, uint64_t lanes) {
    inst = i; exec = lanes; vaddr_dwords = vdata_dwords = vdata2_row = result_dwords = result_half = 0; result_mask = 0; result_to_lds = lod_clamped = false;
    fault = fault_kind::none; fault_text = nullptr; lines = hits = conflicts = 0;
  }
  /// Has all rows: 64-byte aligned memory of all_rows rows.
  void place_all(row* rows) {
    vaddr = rows;
    vdata = vaddr + vaddr_rows;
    result = vdata + vdata_rows;
    lds_address = result[result_rows];
  }
  /// A clone has no rows.
  tlm_extension_base* clone() const override {
    auto* c = new wave_request;
    static_cast<wave_request_scalars&>(*c) = *this;
    return c;
  }
  /// The other's scalars and the rows that hold data; this request must have been taken with all rows, or in the same way as the other.
  void copy_from(const tlm_extension_base& e) override;
};

/// A request with rows of its own, outside of a pool.
struct standalone_wave_request : wave_request {
  standalone_wave_request() { place_all(rows); }
  alignas(64) row rows[all_rows];
};

/// Pool of payloads that carry a wave_request. Thousands are under way at a time, so most are small: a load of a dword needs two rows of 256 bytes.
class wave_pool : public tlm::tlm_mm_interface, private resettable {
public:
  ~wave_pool() override;
  /// A payload with a wave_request extension with all rows; `begin()` it. Reference count 1.
  payload& take() { return take(all); }
  enum class results : uint8_t {
    apart,      ///< have rows of their own
    over_inputs ///< lie where addresses and data lay: for a target that has done with these when the first result comes
  };
  /// The same with so many rows of addresses, data and results, no lds_address.
  payload& take(unsigned address, unsigned data, unsigned result, results where) {
    const unsigned rows = where == results::apart ? address + data + result : std::max(address + data, result);
    payload& p = take(rows <= rows_of[small] ? small : rows <= rows_of[medium] ? medium : rows <= rows_of[large] ? large : all);
    wave_request& w = of(p);
    if (w.lds_address) return p;
    w.vdata = w.vaddr + address;
    w.result = where == results::apart ? w.vdata + data : w.vaddr;
    return p;
  }
  static wave_request& of(payload& p) {
    if (p.get_data_ptr() == reinterpret_cast<unsigned char*>(&p)) return reinterpret_cast<slot&>(p).request; // a pool's own: the request stands behind it
    return *p.get_extension<wave_request>();
  }
  void free(payload* p) override { idle_[reinterpret_cast<slot&>(*p).size].push_back(p); --outstanding_; }
  size_t outstanding() const { return outstanding_; }

private:
  enum size_class : uint8_t { small, medium, large, all, classes };
  static constexpr unsigned rows_of[classes] = {2, 4, 8, wave_request::all_rows};
  struct owned_request : wave_request { void free() override {} };
  struct alignas(64) slot {
    payload p; // first: `of` goes from it to the slot
    owned_request request;
    size_class size = all;
    ~slot() { p.clear_extension<wave_request>(); }
  };
  void on_reset() override {}
  void on_reclaim() override;
  static constexpr unsigned slots_at_once = 8;
  struct alignas(64) line { uint32_t lanes[16]; };
  payload& take(size_class c);
  std::vector<std::unique_ptr<slot[]>> slots_;
  std::vector<std::unique_ptr<line[]>> rows_;
  std::vector<payload*> idle_[classes];
  size_t outstanding_ = 0;
};

} // namespace lyra::fabric
