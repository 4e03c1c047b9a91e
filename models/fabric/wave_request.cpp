// SPDX-License-Identifier: Apache-2.0
#include "fabric/wave_request.h"

namespace lyra::fabric {

wave_pool::~wave_pool() = default;

payload& wave_pool::take() {
  ++outstanding_;
  if (idle_.empty()) {
    constexpr unsigned several = 8;
    all_.emplace_back(new slot[several]); // not make_unique, which would clear the arrays
    for (unsigned i = several; i-- > 0;) {
      slot& s = all_.back()[i];
      payload& p = s.p;
      p.set_mm(this);
      p.set_extension<wave_request>(&s.request);
      p.set_command(tlm::TLM_IGNORE_COMMAND);
      p.set_address(0);
      p.set_data_ptr(reinterpret_cast<unsigned char*>(&p)); // no data (length 0): marks a pool's own
      p.set_data_length(0);
      p.set_streaming_width(1); // the protocol wants one, without data too
      idle_.push_back(&p);
    }
  }
  payload& p = *idle_.back();
  idle_.pop_back();
  p.acquire();
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return p;
}

} // namespace lyra::fabric
