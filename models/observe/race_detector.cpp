// SPDX-License-Identifier: Apache-2.0
#include "observe/race_detector.h"
#include "fabric/address_space.h"
#include "isa/listing.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::observe {

race_detector::wave_clock& race_detector::wave(uint32_t id) {
  if (id >= waves_.size()) waves_.resize(id + 1);
  wave_clock& w = waves_[id];
  if (w.own == 0) w.own = 1;
  return w;
}

uint32_t race_detector::known(const clocks& c, uint32_t wave) {
  const auto i = std::lower_bound(c.begin(), c.end(), std::pair<uint32_t, uint32_t>(wave, 0));
  return i != c.end() && i->first == wave ? i->second : 0;
}

void race_detector::join(clocks& to, const clocks& from) {
  clocks out;
  out.reserve(to.size() + from.size());
  auto a = to.begin();
  auto b = from.begin();
  while (a != to.end() || b != from.end()) {
    if (b == from.end() || (a != to.end() && a->first < b->first)) out.push_back(*a++);
    else if (a == to.end() || b->first < a->first) out.push_back(*b++);
    else { out.emplace_back(a->first, std::max(a->second, b->second)); ++a; ++b; }
  }
  to = std::move(out);
}

race_detector::cell& race_detector::at(uint64_t key) {
  const uint64_t number = key / page_cells;
  if (number != last_page_) {
    auto& p = pages_[number];
    if (!p) p = std::make_unique<page>();
    last_ = p.get();
    last_page_ = number;
  }
  return last_->cells[key % page_cells];
}

uint32_t race_detector::site_of(const fabric::wave_request& r) {
  const auto [i, fresh] = site_numbers_.try_emplace(r.pc, uint32_t(sites_.size()));
  if (fresh) sites_.push_back({r.pc, isa::disassemble(*r.inst, isa::target::gfx906, r.pc)});
  return i->second;
}

void race_detector::barrier_passed(uint32_t first_wave, unsigned waves) {
  clocks all;
  for (unsigned k = 0; k < waves; ++k) {
    wave_clock& w = wave(first_wave + k);
    join(all, w.seen);
    join(all, {{first_wave + k, w.own}});
    ++w.own;
  }
  for (unsigned k = 0; k < waves; ++k) waves_[first_wave + k].seen = all;
}

void race_detector::report(const mark& earlier, bool earlier_writes, const fabric::wave_request& now, uint32_t site, kind what, memory where, uint64_t address, unsigned lane) {
  if (!reported_.insert({std::min(earlier.site, site), std::max(earlier.site, site)}).second) return;
  ++races_;
  const auto& a = sites_[earlier.site];
  const auto& b = sites_[site];
  const auto verb = [](bool writes, bool atomic) { return atomic ? "updates" : writes ? "writes" : "reads"; };
  const bool atomic = what == kind::atomic || (what == kind::load && now.inst->glc);
  run_.report({"lyra/check/race",
               fmt::format("{} {:#x}: wave {} (workgroup {}) {} it by '{}' at PC {:#x}, and wave {} (workgroup {}, lane {}) {} it by '{}' at PC {:#x}, with no barrier or atomic that orders them"
                           " (dispatch {}): put s_waitcnt and s_barrier between them, or make both atomic",
                           where == memory::lds ? "LDS byte" : "address", where == memory::lds ? address - now.lds_base : fabric::sign_extended(address), earlier.wave, waves_[earlier.wave].workgroup,
                           verb(earlier_writes, earlier.atomic && earlier_writes), a.text, a.pc, now.wave_id, now.workgroup, lane, verb(what != kind::load, atomic && what == kind::atomic), b.text, b.pc, now.dispatch),
               now.issue_ps, now.pc, now.wave_id});
}

void race_detector::take_over(wave_clock& w, uint64_t space, uint64_t lanes, const uint64_t* address) {
  for (uint64_t l = lanes; l; l &= l - 1)
    if (const auto i = published_.find(space | address[__builtin_ctzll(l)]); i != published_.end()) join(w.seen, i->second);
}

void race_detector::returned(const fabric::wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address) {
  if (is_atomic(r, where, what) && (what == kind::load || r.inst->glc)) take_over(wave(r.wave_id), 0, lanes, address);
}

void race_detector::accessed(const fabric::wave_request& r, memory where, kind what, uint64_t lanes, const uint64_t* address, unsigned bytes) {
  if (!lanes || !bytes) return;
  wave_clock& w = wave(r.wave_id);
  w.workgroup = r.workgroup;
  const uint32_t site = site_of(r);
  const bool atomic = is_atomic(r, where, what);
  const bool writes = what != kind::load;
  const uint64_t space = where == memory::lds ? uint64_t(1) << 63 | uint64_t(r.cu) << 48 : 0;
  const uint32_t owner = (where == memory::lds ? r.workgroup : r.dispatch) + 1;
  if (atomic && (what == kind::load || r.inst->glc || where == memory::lds)) take_over(w, space, lanes, address);
  const mark mine{r.wave_id, w.own, site, atomic};
  for (uint64_t l = lanes; l; l &= l - 1) {
    const unsigned lane = unsigned(__builtin_ctzll(l));
    for (unsigned k = 0; k < bytes; ++k) {
      cell& c = at(space | (address[lane] + k));
      if (c.owner != owner) { c = cell{}; c.owner = owner; }
      if (!(c.write.atomic && atomic) && !ordered(c.write, r.wave_id, w)) report(c.write, true, r, site, what, where, address[lane] + k, lane);
      if (writes) {
        for (const mark& read : c.read)
          if (!(read.atomic && atomic) && !ordered(read, r.wave_id, w)) report(read, false, r, site, what, where, address[lane] + k, lane);
        c.write = mine;
      } else {
        // the slot of this wave's own or an ordered read, else the second
        mark& slot = ordered(c.read[0], r.wave_id, w) ? c.read[0] : c.read[1];
        slot = mine;
      }
    }
  }
  if (what == kind::atomic) { // publishes what this wave has done and knows
    clocks all = w.seen;
    join(all, {{r.wave_id, w.own}});
    uint64_t before = ~uint64_t(0);
    for (uint64_t l = lanes; l; l &= l - 1)
      if (const uint64_t key = space | address[__builtin_ctzll(l)]; key != before) { join(published_[key], all); before = key; }
    ++w.own;
  }
}

} // namespace lyra::observe
