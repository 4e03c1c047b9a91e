// SPDX-License-Identifier: Apache-2.0
#include "fabric/wave_request.h"
#include <algorithm>
#include <cstring>

namespace lyra::fabric {

void wave_request::copy_from(const tlm_extension_base& e) {
  const auto& from = static_cast<const wave_request&>(e);
  static_cast<wave_request_scalars&>(*this) = from;
  const auto rows = [](row* to, const row* with, unsigned n) { if (n && to != with) std::memcpy(to, with, n * sizeof(row)); };
  rows(vaddr, from.vaddr, from.vaddr_dwords);
  rows(vdata, from.vdata, from.vdata_dwords);
  rows(result, from.result, std::max<unsigned>(from.result_dwords, from.result_to_lds));
  if (lds_address && from.lds_address) std::memcpy(lds_address, from.lds_address, sizeof(row));
}

wave_pool::~wave_pool() = default;

void wave_pool::on_reclaim() {
  if (outstanding_ == 0) return;
  for (auto& several : slots_)
    for (unsigned i = 0; i < slots_at_once; ++i) take_back(several[i].p);
}

payload& wave_pool::take(size_class c) {
  ++outstanding_;
  auto& idle = idle_[c];
  if (idle.empty()) {
    const unsigned rows = rows_of[c];
    slots_.emplace_back(new slot[slots_at_once]);
    rows_.emplace_back(new line[size_t(slots_at_once) * rows * 4]); // not make_unique, which would clear them
    for (unsigned i = slots_at_once; i-- > 0;) {
      slot& s = slots_.back()[i];
      auto* first = reinterpret_cast<wave_request::row*>(rows_.back()[size_t(i) * rows * 4].lanes);
      if (c == all) s.request.place_all(first);
      else s.request.vaddr = first;
      s.size = c;
      payload& p = s.p;
      p.set_mm(this);
      p.set_extension<wave_request>(&s.request);
      p.set_command(tlm::TLM_IGNORE_COMMAND);
      p.set_address(0);
      p.set_data_ptr(reinterpret_cast<unsigned char*>(&p)); // no data (length 0): marks a pool's own
      p.set_data_length(0);
      p.set_streaming_width(1); // the protocol wants one, without data too
      idle.push_back(&p);
    }
  }
  payload& p = *idle.back();
  idle.pop_back();
  p.acquire();
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return p;
}

} // namespace lyra::fabric
