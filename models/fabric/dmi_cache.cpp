// SPDX-License-Identifier: Apache-2.0
#include "fabric/dmi_cache.h"

namespace lyra::fabric {

uint8_t* dmi_cache::fetch(uint64_t address, entry& e) {
  tlm::tlm_dmi dmi;
  probe_.set_command(tlm::TLM_READ_COMMAND);
  probe_.set_address(address);
  probe_.set_data_length(line_bytes);
  if (!port_->socket->get_direct_mem_ptr(probe_, dmi) || !dmi.is_read_write_allowed()) return nullptr;
  e = {dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
  if (address < e.first || address + line_bytes - 1 > e.last) { e = entry{}; return nullptr; }
  return e.pointer + (address - e.first);
}

} // namespace lyra::fabric
