// SPDX-License-Identifier: Apache-2.0
#include "alu/hardware_registers.h"

namespace lyra::alu {

uint32_t read_hardware_register(const wave_registers& w, unsigned id) {
  switch (hardware_register(id)) {
    case hardware_register::mode: return w.mode;
    case hardware_register::status: {
      const uint32_t known = 1u | 3u << 3 | 1u << 5 | 1u << 9 | 1u << 10 | 1u << 13;
      return (w.status & ~known) | uint32_t(w.scc) | uint32_t(w.priority & 3) << 3 | uint32_t(w.priv) << 5 | uint32_t(w.exec() == 0) << 9 |
             uint32_t(w.vcc() == 0) << 10 | uint32_t(w.halted) << 13;
    }
    case hardware_register::trapsts: return w.trapsts;
    case hardware_register::hw_id: return w.hw_id;
    case hardware_register::gpr_alloc: return w.gpr_alloc;
    case hardware_register::lds_alloc: return w.lds_alloc;
    case hardware_register::ib_sts: return w.ib_sts;
    case hardware_register::sh_mem_bases: return w.sh_mem_bases;
    case hardware_register::tba_lo: return uint32_t(w.tba);
    case hardware_register::tba_hi: return uint32_t(w.tba >> 32);
    case hardware_register::tma_lo: return uint32_t(w.tma);
    case hardware_register::tma_hi: return uint32_t(w.tma >> 32);
  }
  return 0;
}

void write_hardware_register(wave_registers& w, const hardware_field& field, uint32_t value) {
  const uint32_t mask = field.mask() << field.offset;
  auto merge = [&](uint32_t old) { return (old & ~mask) | (value << field.offset & mask); };
  const hardware_register id = hardware_register(field.id);
  if (id == hardware_register::mode) w.mode = merge(w.mode);
  if (id == hardware_register::trapsts) w.trapsts = merge(w.trapsts);
  if (!w.priv) return;
  switch (id) {
    case hardware_register::status: {
      const uint32_t v = merge(read_hardware_register(w, field.id));
      w.status = v;
      w.scc = v & 1;
      w.priority = uint8_t(v >> 3 & 3);
      w.halted = v >> 13 & 1;
      break;
    }
    case hardware_register::ib_sts: w.ib_sts = merge(w.ib_sts); break;
    case hardware_register::tba_lo: w.tba = (w.tba & ~0xffffffffull) | merge(uint32_t(w.tba)); break;
    case hardware_register::tba_hi: w.tba = (w.tba & 0xffffffffull) | uint64_t(merge(uint32_t(w.tba >> 32))) << 32; break;
    case hardware_register::tma_lo: w.tma = (w.tma & ~0xffffffffull) | merge(uint32_t(w.tma)); break;
    case hardware_register::tma_hi: w.tma = (w.tma & 0xffffffffull) | uint64_t(merge(uint32_t(w.tma >> 32))) << 32; break;
    default: break;
  }
}

} // namespace lyra::alu
