// SPDX-License-Identifier: Apache-2.0
// Between a wave's registers and the wave requests of the memory paths.
#pragma once
#include "compute_unit/wave.h"
#include "fabric/wave_request.h"

namespace lyra::compute_unit {

/// A payload for a vector memory or DS instruction, with as many rows as that needs. `where`: TA has read addresses and data before results come.
inline fabric::payload& take_request(fabric::wave_pool& pool, const micro_op& m, fabric::wave_pool::results where) {
  const bool plain = m.unit != unit::gds && m.inst.encoding() != isa::encoding::MIMG && !m.inst.lds && m.inst.info->memory != isa::memory_kind::store_lds;
  return plain ? pool.take(m.vaddr_dwords, m.vdata_dwords, m.result_dwords, where) : pool.take();
}

/// Fills a request for a vector memory or DS instruction of a wave: registers are read now.
/// Store data beyond the second dword is read by `take_late_data` one wait state later where that makes a difference.
void fill_request(fabric::wave_request& q, const micro_op& m, const wave& w, uint64_t lanes);

/// Dwords of the resource descriptor and address VGPRs of an image instruction depend on the resource: fills vaddr.
/// The lanes of a FLAT instruction by where their addresses lead.
struct flat_lanes { uint64_t memory = 0, lds = 0; };
flat_lanes split_flat(const micro_op& m, const wave& w);

/// Reads the data of a wide store beyond its second dword (again).
void take_late_data(fabric::wave_request& q, const micro_op& m, const wave& w);

/// BUFFER_STORE_LDS_DWORD between its halves: the dwords that the LDS gave become the data of the store.
void take_lds_data(fabric::wave_request& q);

/// Writes a finished request's results to the wave's VGPRs (all registers of the instruction change together).
/// `preserve`: D16 loads keep the other half of the register (else it becomes 0).
void write_results(const fabric::wave_request& q, wave& w, bool preserve);

/// Value of a scalar operand (SGPR, M0, inline integer constant, literal) as MUBUF SOFFSET uses it.
uint32_t scalar_value(const alu::wave_registers& r, uint16_t code, uint32_t literal);

} // namespace lyra::compute_unit
