// SPDX-License-Identifier: Apache-2.0
// The pins of the blocks that can stand in a machine as RTL. Lanes, words and bytes are little-endian in the vectors: lane l of a [31:0][31:0] port is
// element l of the array here, so that a struct member and a Verilated port of the same width hold the same bytes.
#pragma once
#include <cstdint>

namespace lyra::rtl {

/// Operations of the LDS port (5 bits). Data as in the Vega ISA, 12.13: `memory` M, data0 D0, data1 D1.
enum class lds_op : uint8_t {
  read, write, add, sub, rsub, inc, dec, smin, smax, umin, umax, bit_and, bit_or, bit_xor,
  mskor,   ///< (M & ~D0) | D1
  cmpst,   ///< M == D0 ? D1 : M
  cmpswap, ///< M == D1 ? D0 : M
  xchg,
  wrap     ///< M >= D0 ? M - D0 : M + D1
};

/// Inputs of an LDS. A request is one beat of 32 lanes: at most one dword a lane. Beats take effect in order, lanes of a beat on one dword in ascending order.
struct lds_in {
  bool reset_n = false, req_valid = false, rsp_ready = false;
  uint8_t req_op = 0, req_tag = 0;
  uint32_t req_lanes = 0;
  uint16_t req_address[32] = {}; ///< bytes; a multiple of 4
  uint32_t req_data0[32] = {}, req_data1[32] = {};
  uint32_t req_enables[4] = {};  ///< write: 4 bits a lane, one a byte
};
/// A response for each beat (writes too), in order, with the beat's tag; data: the dwords before the operation.
struct lds_out {
  bool req_ready = false, rsp_valid = false;
  uint8_t rsp_tag = 0;
  uint32_t rsp_data[32] = {};
};

/// Operations of the atomic unit (5 bits): numbers of isa::atomic_operation's integer ones, in this order.
enum class atomic_op : uint8_t { swap, cmpswap, add, sub, smin, umin, smax, umax, bit_and, bit_or, bit_xor, inc, dec };

/// Inputs of an atomic unit: a packet is 1 to 4 beats of 16 entries, the line comes with the first.
struct atomic_in {
  bool reset_n = false, req_valid = false, rsp_ready = false, req_first = false, req_last = false, req_wide = false; ///< wide: 8 bytes
  uint8_t req_op = 0;
  uint16_t req_entries = 0;       ///< which entries of the beat are used
  uint64_t req_word = 0;          ///< 4 bits an entry: its dword in the line
  uint64_t req_operand[16] = {}, req_compare[16] = {}, req_line[8] = {};
};
/// A response for each beat, in order; the new line comes with the last.
struct atomic_out {
  bool req_ready = false, rsp_valid = false, rsp_last = false;
  uint64_t rsp_result[16] = {}, rsp_line[8] = {};
};

/// AXI4 (AMBA AXI protocol specification, IHI 0022, AXI4): address channel.
struct axi_address {
  bool valid = false;
  uint8_t len = 0, size = 0, burst = 1; ///< beats - 1; log2 of bytes a beat; 0 FIXED, 1 INCR, 2 WRAP
  uint32_t id = 0;
  uint64_t address = 0;
};
/// What an AXI4 master drives. Data buses up to 512 bits: bytes beyond the width are 0.
struct axi_master_pins {
  axi_address aw, ar;
  struct { bool valid = false, last = false; uint64_t strobe = 0; uint8_t data[64] = {}; } w;
  bool bready = false, rready = false;
};
/// What an AXI4 slave drives. resp: 0 OKAY, 1 EXOKAY, 2 SLVERR, 3 DECERR.
struct axi_slave_pins {
  bool awready = false, wready = false, arready = false;
  struct { bool valid = false; uint8_t resp = 0; uint32_t id = 0; } b;
  struct { bool valid = false, last = false; uint8_t resp = 0; uint32_t id = 0; uint8_t data[64] = {}; } r;
};

/// Inputs of an AXI4 slave.
struct axi_in : axi_master_pins {
  bool reset_n = false;
};

/// The bytes of an AXI4 memory: the machine's, from which a pin adaptor serves the array port of a memory controller in RTL; or those inside an RTL memory (inner_array.h)
/// or an RTL LDS, for debug access.
class memory_array {
public:
  virtual ~memory_array() = default;
  /// `bytes` (a power of two up to 64) at a multiple of it. False: no such address.
  virtual bool read(uint64_t address, uint8_t* data, unsigned bytes) = 0;
  /// The bytes whose strobe bit is set. False: no such address, or read-only.
  virtual bool write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) = 0;
  /// False: a copy that a reset of the machine forgets.
  virtual bool is_the_machines() const { return true; }
};

} // namespace lyra::rtl
