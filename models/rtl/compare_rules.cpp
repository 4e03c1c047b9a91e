// SPDX-License-Identifier: Apache-2.0
#include "rtl/atomic_transactor.h"
#include "rtl/comparator.h"
#include <cstring>

namespace lyra::rtl {

using namespace fabric;

namespace {

std::string hex(uint64_t v) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}
std::string differ(const std::string& what, uint64_t reference, uint64_t rtl) { return what + ": TLM " + hex(reference) + ", RTL " + hex(rtl); }

std::string statuses(const payload& a, const payload& b) {
  return a.get_response_status() == b.get_response_status() ? std::string() : "response: TLM " + a.get_response_string() + ", RTL " + b.get_response_string();
}
std::string lines(const payload& a, const payload& b, unsigned length) {
  for (unsigned i = 0; i < length; ++i)
    if (a.get_data_ptr()[i] != b.get_data_ptr()[i]) return differ("byte " + std::to_string(i) + " of the data", a.get_data_ptr()[i], b.get_data_ptr()[i]);
  return {};
}

class waves final : public edge_rules {
public:
  explicit waves(const context& c) : context_(c) {}
  payload& copy(payload& p, bool reference) override {
    payload& c = context_.waves->take();
    wave_request& w = wave_pool::of(c);
    w.copy_from(wave_pool::of(p));
    if (reference) w.simd &= 1; // one path: in order
    return c;
  }
  void give(const payload& from, payload& to) override {
    wave_request& w = wave_pool::of(to);
    const uint8_t simd = w.simd;
    w.copy_from(wave_pool::of(const_cast<payload&>(from)));
    w.simd = simd;
    to.set_response_status(from.get_response_status());
  }
  std::string difference(payload& a, payload& b) override {
    const wave_request &r = wave_pool::of(a), &w = wave_pool::of(b);
    if (auto s = statuses(a, b); !s.empty()) return s;
    if (r.fault != w.fault) return differ("fault", unsigned(r.fault), unsigned(w.fault));
    if (r.result_dwords != w.result_dwords) return differ("dwords returned", r.result_dwords, w.result_dwords);
    if (r.result_mask != w.result_mask) return differ("lanes returned", r.result_mask, w.result_mask);
    for (unsigned k = 0; k < r.result_dwords; ++k)
      for (uint64_t l = r.result_mask; l; l &= l - 1) {
        const unsigned lane = unsigned(__builtin_ctzll(l));
        if (r.result[k][lane] != w.result[k][lane]) return differ("lane " + std::to_string(lane) + ", dword " + std::to_string(k), r.result[k][lane], w.result[k][lane]);
      }
    return {};
  }
  std::string describe(const payload& p) override { return rtl::describe(wave_pool::of(const_cast<payload&>(p))); }

private:
  context context_;
};

class atomics final : public edge_rules {
public:
  explicit atomics(const context& c) : context_(c) {}
  payload& copy(payload& p, bool) override {
    payload& c = context_.lines->atomic(p.get_address());
    if (const auto* a = payload_pool::find_atomic(p)) payload_pool::atomic_of(c).copy_from(*a);
    std::memcpy(c.get_data_ptr(), p.get_data_ptr(), line_bytes);
    return c;
  }
  void give(const payload& from, payload& to) override {
    std::memcpy(to.get_data_ptr(), from.get_data_ptr(), line_bytes);
    if (auto* a = payload_pool::find_atomic(to)) a->copy_from(*payload_pool::find_atomic(from));
    to.set_response_status(from.get_response_status());
  }
  std::string difference(payload& a, payload& b) override {
    if (auto s = statuses(a, b); !s.empty()) return s;
    const atomic_extension &r = payload_pool::atomic_of(a), &w = payload_pool::atomic_of(b);
    for (unsigned i = 0; i < r.count; ++i)
      if (r.entries[i].result != w.entries[i].result) return differ("old value of lane " + std::to_string(r.entries[i].lane), r.entries[i].result, w.entries[i].result);
    return lines(a, b, line_bytes);
  }
  std::string describe(const payload& p) override { return describe_atomic(p); }

private:
  context context_;
};

class line_transfers final : public edge_rules {
public:
  explicit line_transfers(const context& c) : context_(c) {}
  payload& copy(payload& p, bool) override {
    const unsigned offset = unsigned(p.get_address() % line_bytes);
    payload* c;
    if (p.get_command() == tlm::TLM_WRITE_COMMAND && offset + p.get_data_length() <= line_bytes) {
      uint8_t data[line_bytes] = {};
      std::memcpy(data + offset, p.get_data_ptr(), p.get_data_length());
      c = &context_.lines->masked_write(p.get_address() - offset, data, payload_pool::byte_mask(p) << offset);
    } else c = &context_.lines->line(p.get_command(), p.get_address(), p.get_data_length());
    if (const auto* e = payload_pool::find_policy(p)) payload_pool::policy(*c).copy_from(*e);
    return *c;
  }
  void give(const payload& from, payload& to) override {
    if (to.get_command() == tlm::TLM_READ_COMMAND) std::memcpy(to.get_data_ptr(), from.get_data_ptr(), to.get_data_length());
    to.set_response_status(from.get_response_status());
  }
  std::string difference(payload& a, payload& b) override {
    if (auto s = statuses(a, b); !s.empty()) return s;
    return a.get_command() == tlm::TLM_READ_COMMAND && a.is_response_ok() ? lines(a, b, a.get_data_length()) : std::string();
  }
  std::string describe(const payload& p) override { return std::string(p.get_command() == tlm::TLM_WRITE_COMMAND ? "write" : "read") + " of line " + hex(p.get_address()); }

private:
  context context_;
};

} // namespace

std::unique_ptr<edge_rules> wave_rules(const context& c) { return std::make_unique<waves>(c); }
std::unique_ptr<edge_rules> atomic_rules(const context& c) { return std::make_unique<atomics>(c); }
std::unique_ptr<edge_rules> line_rules(const context& c) { return std::make_unique<line_transfers>(c); }

} // namespace lyra::rtl
