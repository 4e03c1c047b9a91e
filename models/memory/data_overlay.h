// SPDX-License-Identifier: Apache-2.0
// `memory.data = lyra`: a foreign memory model gives the time, the bytes come from the backing store.
#pragma once
#include "fabric/payload.h"
#include "memory/backing_store.h"

namespace lyra::memory {

/// Stands between an L2 channel's memory socket and any TLM-2.0 memory and forwards every call unchanged, in no time of its own. A write changes the store when its
/// request passes, a read gets its bytes when its response passes (also where the phases come as return values, or by b_transport). What the foreign
/// model does with data does not matter. A request to memory that is not mapped, or a write to a read-only page, gets ADDRESS_ERROR; a page without memory reads 0.
/// Debug access and direct memory are the store's alone.
class data_overlay : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
public:
  data_overlay(sc_core::sc_module_name name, backing_store& store);
  tlm::tlm_target_socket<fabric::bus_width_bits> in;
  tlm::tlm_initiator_socket<fabric::bus_width_bits> out;

private:
  tlm::tlm_sync_enum nb_transport_fw(fabric::payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override;
  tlm::tlm_sync_enum nb_transport_bw(fabric::payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override;
  void b_transport(fabric::payload& p, sc_core::sc_time& t) override;
  unsigned transport_dbg(fabric::payload& p) override;
  bool get_direct_mem_ptr(fabric::payload& p, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { in->invalidate_direct_mem_ptr(first, last); }
  void write(const fabric::payload& p);
  void finish(fabric::payload& p);

  backing_store& store_;
};

} // namespace lyra::memory
