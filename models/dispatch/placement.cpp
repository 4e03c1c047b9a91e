// SPDX-License-Identifier: Apache-2.0
#include "dispatch/placement.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::dispatch {

bool interval_space::take(unsigned n, unsigned& at) {
  at = 0;
  if (n == 0) return true;
  auto i = taken_.begin();
  for (; i != taken_.end() && i->at - at < n; ++i) at = i->at + i->size;
  if (i == taken_.end() && (at > size_ || size_ - at < n)) return false;
  taken_.insert(i, {at, n});
  return true;
}

void interval_space::give_back(unsigned at, unsigned n) {
  if (n == 0) return;
  const auto i = std::lower_bound(taken_.begin(), taken_.end(), at, [](const interval& x, unsigned a) { return x.at < a; });
  if (i != taken_.end() && i->at == at) taken_.erase(i);
}

cu_occupancy::cu_occupancy(const cu_resources& r) : have_(r), simds_(r.simds), lds_(r.lds_bytes, r.simds * r.wave_slots) {
  for (auto& s : simds_) s.vgprs = interval_space(r.vgprs, r.wave_slots);
}

void cu_occupancy::free_wave(const group_needs& n, const group_place::wave& w) {
  simd& s = simds_[w.simd];
  s.slots &= ~(1u << w.slot);
  --s.waves;
  s.sgprs -= round(n.sgprs, have_.sgpr_granule);
  s.vgprs.give_back(w.vgpr_base, round(n.vgprs, have_.vgpr_granule));
  --waves_;
}

shortage cu_occupancy::place(const group_needs& n, group_place& p) {
  const unsigned vgprs = round(n.vgprs, have_.vgpr_granule), sgprs = round(n.sgprs, have_.sgpr_granule), lds = round(n.lds_bytes, have_.lds_granule);
  if (n.waves > have_.simds * have_.wave_slots - waves_) return shortage::wave_slots;
  unsigned lds_at;
  if (!lds_.take(lds, lds_at)) return shortage::lds;
  shortage lack = shortage::none;
  const unsigned first_simd = next_simd_;
  p.count = 0;
  p.lds_base = lds_at;
  while (p.count < n.waves) {
    unsigned best = have_.simds, base = 0;
    uint32_t refused = 0; // SIMDs whose free VGPRs are in too small pieces
    lack = shortage::wave_slots;
    for (;;) {
      best = have_.simds;
      for (unsigned i = 0; i < have_.simds; ++i) {
        const unsigned k = (next_simd_ + i) % have_.simds;
        const simd& s = simds_[k];
        if ((refused >> k & 1) || s.waves == have_.wave_slots) continue;
        if (have_.sgprs - s.sgprs < sgprs) { lack = shortage::sgprs; continue; }
        if (best == have_.simds || s.waves < simds_[best].waves) best = k;
      }
      if (best == have_.simds || simds_[best].vgprs.take(vgprs, base)) break;
      refused |= 1u << best;
      lack = shortage::vgprs;
    }
    if (best == have_.simds) {
      while (p.count > 0) free_wave(n, p.waves[--p.count]);
      lds_.give_back(lds_at, lds);
      next_simd_ = first_simd;
      return lack;
    }
    simd& s = simds_[best];
    unsigned slot = 0;
    while (s.slots >> slot & 1) ++slot;
    s.slots |= 1u << slot;
    ++s.waves;
    s.sgprs += sgprs;
    ++waves_;
    p.waves[p.count++] = {uint8_t(best), uint8_t(slot), uint16_t(base)};
    next_simd_ = (best + 1) % have_.simds;
  }
  return shortage::none;
}

void cu_occupancy::release(const group_needs& n, const group_place& p) {
  for (unsigned i = 0; i < p.count; ++i) free_wave(n, p.waves[i]);
  lds_.give_back(p.lds_base, round(n.lds_bytes, have_.lds_granule));
}

std::string never_fits(const group_needs& n, const cu_resources& r) {
  const auto round = [](unsigned v, unsigned g) { return (v + g - 1) / g * g; };
  const unsigned vgprs = round(n.vgprs, r.vgpr_granule), sgprs = round(n.sgprs, r.sgpr_granule), lds = round(n.lds_bytes, r.lds_granule);
  if (n.waves > 16) return fmt::format("{} waves, a workgroup can have 16", n.waves);
  if (lds > r.lds_bytes) return fmt::format("{} bytes of LDS (in granules of {}), a compute unit has {}", lds, r.lds_granule, r.lds_bytes);
  if (vgprs > r.vgprs) return fmt::format("{} VGPRs a wave, a SIMD has {}", vgprs, r.vgprs);
  if (sgprs > r.sgprs) return fmt::format("{} SGPRs a wave, a SIMD has {}", sgprs, r.sgprs);
  const unsigned by_vgprs = vgprs ? r.vgprs / vgprs : r.wave_slots, by_sgprs = sgprs ? r.sgprs / sgprs : r.wave_slots;
  const unsigned a_simd = std::min({r.wave_slots, by_vgprs, by_sgprs});
  if (n.waves > a_simd * r.simds)
    return fmt::format("{} waves of {} VGPRs and {} SGPRs, a compute unit has room for {} such waves ({} SIMDs with {} slots, {} VGPRs, {} SGPRs)", n.waves, vgprs, sgprs, a_simd * r.simds, r.simds,
                       r.wave_slots, r.vgprs, r.sgprs);
  return "";
}

} // namespace lyra::dispatch
