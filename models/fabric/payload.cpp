// SPDX-License-Identifier: Apache-2.0
#include "fabric/payload.h"
#include <cstring>

namespace lyra::fabric {

payload_pool::payload_pool() = default;
payload_pool::~payload_pool() = default;

payload& payload_pool::take(std::vector<payload*>& idle, bool atomic) {
  ++outstanding_;
  if (idle.empty()) {
    slots_.emplace_back(new slot[slots_at_once]); // not make_unique, which would clear the data
    for (unsigned i = slots_at_once; i-- > 0;) {
      slot& s = slots_.back()[i];
      if (reinterpret_cast<uint8_t*>(&s.p) - s.data != ptrdiff_t(place_of_payload)) SC_REPORT_FATAL("lyra/fabric/payload", "a payload does not lie in its slot where slot_of() looks for it");
      s.p.set_mm(this);
      s.p.set_extension<policy_extension>(&s.policy); // sticky: lives as long as the payload
      if (atomic) {
        s.atomic = std::make_unique<owned<atomic_extension>>();
        s.p.set_extension<atomic_extension>(s.atomic.get());
      }
      s.p.set_data_ptr(s.data);
      idle.push_back(&s.p);
    }
  }
  payload& p = *idle.back();
  idle.pop_back();
  policy(p).clear();
  p.acquire();
  return p;
}

payload& payload_pool::line(tlm::tlm_command command, uint64_t address, unsigned length) {
  payload& p = take(idle_lines_, false);
  p.set_command(command);
  p.set_address(address);
  p.set_data_length(length);
  p.set_streaming_width(length ? length : 1); // the protocol wants one, without data too
  p.set_byte_enable_ptr(nullptr);
  p.set_byte_enable_length(0);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return p;
}

payload& payload_pool::masked_write(uint64_t address, const uint8_t* data, uint64_t mask) {
  payload& p = line(tlm::TLM_WRITE_COMMAND, address);
  std::memcpy(p.get_data_ptr(), data, line_bytes);
  enable(p, mask);
  return p;
}

void payload_pool::enable(payload& p, uint64_t mask) {
  if (mask == ~uint64_t(0)) return;
  if (idle_enables_.empty()) {
    enables_.emplace_back(new byte_enables[slots_at_once]);
    for (unsigned i = slots_at_once; i-- > 0;) idle_enables_.push_back(&enables_.back()[i]);
  }
  uint8_t* const e = (slot_of(p)->enables = idle_enables_.back())->of_line;
  idle_enables_.pop_back();
  for (unsigned i = 0; i < line_bytes; ++i) e[i] = (mask >> i & 1) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  p.set_byte_enable_ptr(e);
  p.set_byte_enable_length(line_bytes);
}

payload& payload_pool::atomic(uint64_t address) {
  payload& p = take(idle_atomics_, true);
  p.set_command(tlm::TLM_IGNORE_COMMAND);
  p.set_address(address);
  p.set_data_length(line_bytes);
  p.set_streaming_width(line_bytes);
  p.set_byte_enable_ptr(nullptr);
  p.set_byte_enable_length(0);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  atomic_of(p).count = 0;
  return p;
}

uint64_t payload_pool::byte_mask(const payload& p) {
  const uint8_t* e = p.get_byte_enable_ptr();
  const unsigned n = p.get_data_length();
  if (!e) return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
  uint64_t m = 0;
  if (n == line_bytes && p.get_byte_enable_length() == line_bytes) { // eight enables at a time
    for (unsigned k = 0; k < 8; ++k) {
      uint64_t v;
      std::memcpy(&v, e + 8 * k, 8);
      m |= ((v & 0x8040201008040201ull) * 0x0101010101010101ull >> 56) << (8 * k);
    }
    return m;
  }
  for (unsigned i = 0; i < n; ++i) m |= uint64_t(e[i % p.get_byte_enable_length()] != TLM_BYTE_DISABLED) << i;
  return m;
}

void payload_pool::on_reclaim() {
  if (outstanding_ == 0) return;
  for (auto& several : slots_)
    for (unsigned i = 0; i < slots_at_once; ++i) take_back(several[i].p);
}

void payload_pool::free(payload* p) {
  --outstanding_;
  slot* s = slot_of(*p);
  if (s && s->enables) {
    idle_enables_.push_back(s->enables);
    s->enables = nullptr;
  }
  (find_atomic(*p) ? idle_atomics_ : idle_lines_).push_back(p);
}

} // namespace lyra::fabric
