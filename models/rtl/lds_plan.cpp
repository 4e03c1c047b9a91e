// SPDX-License-Identifier: Apache-2.0
#include "rtl/lds_plan.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace lyra::rtl {

using alu::ds_kind;
using alu::ds_operation;
using fabric::wave_request;

namespace {
constexpr uint32_t share_bytes = 65536;

bool native_operation(ds_operation o, lds_op& out) {
  switch (o) {
    case ds_operation::add: out = lds_op::add; return true;
    case ds_operation::sub: out = lds_op::sub; return true;
    case ds_operation::rsub: out = lds_op::rsub; return true;
    case ds_operation::inc: out = lds_op::inc; return true;
    case ds_operation::dec: out = lds_op::dec; return true;
    case ds_operation::smin: out = lds_op::smin; return true;
    case ds_operation::smax: out = lds_op::smax; return true;
    case ds_operation::umin: out = lds_op::umin; return true;
    case ds_operation::umax: out = lds_op::umax; return true;
    case ds_operation::bit_and: out = lds_op::bit_and; return true;
    case ds_operation::bit_or: out = lds_op::bit_or; return true;
    case ds_operation::bit_xor: out = lds_op::bit_xor; return true;
    case ds_operation::mskor: out = lds_op::mskor; return true;
    case ds_operation::cmpst: out = lds_op::cmpst; return true;
    case ds_operation::cmpswap: out = lds_op::cmpswap; return true;
    case ds_operation::xchg: out = lds_op::xchg; return true;
    case ds_operation::wrap: out = lds_op::wrap; return true;
    default: return false;
  }
}

template <class F> void for_lanes(uint64_t exec, F f) {
  for (; exec; exec &= exec - 1) f(unsigned(__builtin_ctzll(exec)));
}
} // namespace

lds_beat& lds_plan::more() {
  beats_.emplace_back();
  lds_beat& b = beats_.back();
  std::memset(b.enables, 0xff, sizeof b.enables);
  return b;
}

void lds_plan::add_beats(lds_op op, uint64_t exec, const uint32_t* address, unsigned offset, const uint32_t* d0, const uint32_t* d1, unsigned row) {
  for (unsigned half = 0; half < 2; ++half) {
    const uint32_t lanes = uint32_t(exec >> 32 * half);
    if (!lanes) continue;
    lds_beat& b = more();
    b.op = op;
    b.lanes = lanes;
    b.row = uint8_t(row);
    b.half = uint8_t(half);
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned lane = 32 * half + l;
      const bool on = lanes >> l & 1;
      b.address[l] = on ? uint16_t(window_.base + address[lane] + offset) : 0;
      b.data0[l] = on && d0 ? d0[lane] : 0;
      b.data1[l] = on && d1 ? d1[lane] : 0;
    }
  }
}

void lds_plan::add_small_writes(const alu::ds_access& a, const uint32_t* address) {
  for (unsigned half = 0; half < 2; ++half) {
    const uint32_t lanes = uint32_t(a.exec >> 32 * half);
    if (!lanes) continue;
    lds_beat& b = more();
    b.op = lds_op::write;
    b.lanes = lanes;
    b.half = uint8_t(half);
    std::memset(b.enables, 0, sizeof b.enables);
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned lane = 32 * half + l, byte = lanes >> l & 1 ? (window_.base + address[lane]) % 4 : 0;
      const uint32_t v = a.shape.half == 2 ? a.data0[0][lane] >> 16 : a.data0[0][lane];
      b.address[l] = lanes >> l & 1 ? uint16_t((window_.base + address[lane]) & ~3u) : 0;
      b.data0[l] = v << 8 * byte;
      b.data1[l] = 0;
      b.enables[l / 8] |= ((1u << a.shape.bytes) - 1) << byte << 4 * (l % 8);
    }
  }
}

/// Does any dword belong to two different lanes or elements? Then beats dword by dword would write in another order than lane by lane.
bool lds_plan::overlaps(const alu::ds_access& a, const alu::ds_addresses& where, unsigned elements) {
  seen_.assign(share_bytes / 4 / 64, 0);
  bool twice = false;
  for (unsigned e = 0; e < elements; ++e)
    for_lanes(a.exec, [&](unsigned l) {
      for (unsigned k = 0; k < a.shape.element_dwords(); ++k) {
        const uint32_t d = (window_.base + where.address[e][l]) / 4 + k;
        twice |= seen_[d / 64] >> d % 64 & 1;
        seen_[d / 64] |= uint64_t(1) << d % 64;
      }
    });
  return twice;
}

bool lds_plan::plan_native(const alu::ds_access& a, const alu::ds_addresses& where) {
  const alu::ds_shape& s = a.shape;
  const bool load = s.kind == ds_kind::read || s.kind == ds_kind::read_addtid || s.kind == ds_kind::read_direct;
  const bool store = s.kind == ds_kind::write || s.kind == ds_kind::write_addtid || s.kind == ds_kind::write_direct;
  lds_op op = load ? lds_op::read : lds_op::write;
  if (!load && !store && (s.kind != ds_kind::atomic || s.bytes != 4 || s.elements != 1 || !native_operation(s.operation, op))) return false;
  if (load && s.bytes < 4) return false;
  unsigned elements = s.elements;
  if (store && elements == 2 && a.inst->offset0 == a.inst->offset1) elements = 1; // one write, of DATA0
  const bool small = s.bytes < 4;
  bool fits = a.size >= s.bytes;
  for (unsigned e = 0; e < elements; ++e)
    for_lanes(a.exec, [&](unsigned l) {
      const uint32_t at = where.address[e][l];
      fits &= at <= a.size - s.bytes && (small ? (window_.base + at) % 4 + s.bytes <= 4 : (window_.base + at) % 4 == 0);
    });
  if (!fits) return false;
  if (small) {
    if (elements != 1) return false;
    add_small_writes(a, where.address[0]);
    return true;
  }
  const unsigned n = s.element_dwords();
  if (store && n * elements > 1 && overlaps(a, where, elements)) return false;
  const bool two = s.kind == ds_kind::atomic && s.data1_dwords();
  for (unsigned e = 0; e < elements; ++e)
    for (unsigned k = 0; k < n; ++k) {
      const uint32_t* d0 = load ? nullptr : (e ? a.data1 : a.data0)[k];
      add_beats(op, a.exec, where.address[e], 4 * k, d0, two ? a.data1[k] : nullptr, e * n + k);
    }
  return true;
}

void lds_plan::set_result_shape(const alu::ds_access& a) {
  if (w_->result_to_lds) return;
  w_->result_dwords = uint8_t(a.shape.result_dwords());
  w_->result_half = a.shape.kind == ds_kind::read ? a.shape.half : 0;
  w_->result_mask = w_->result_dwords ? w_->exec : 0;
}

/// Every dword of the allocation that the instruction can touch, once each.
void lds_plan::plan_gather(const alu::ds_access& a, const alu::ds_addresses& where) {
  seen_.assign(share_bytes / 4 / 64, 0);
  gathered_.clear();
  const unsigned bytes = a.shape.bytes ? a.shape.bytes : 4, span = a.shape.kind == ds_kind::condxchg ? 8 : bytes;
  const unsigned elements = a.shape.kind == ds_kind::src2 ? 2 : a.shape.elements;
  for (unsigned e = 0; e < elements; ++e)
    for_lanes(a.exec, [&](unsigned l) {
      const uint64_t first = where.address[e][l], last = first + span - 1;
      for (uint64_t d = (window_.base + first) / 4; d <= (window_.base + last) / 4; ++d)
        if (d < share_bytes / 4 && first < a.size && !(seen_[d / 64] >> d % 64 & 1)) {
          seen_[d / 64] |= uint64_t(1) << d % 64;
          gathered_.push_back(uint32_t(d));
        }
    });
  before_.assign(gathered_.size(), 0);
  for (size_t i = 0; i < gathered_.size(); i += 32) {
    lds_beat& b = more();
    const unsigned n = unsigned(std::min<size_t>(32, gathered_.size() - i));
    b.lanes = n == 32 ? ~0u : (1u << n) - 1;
    for (unsigned l = 0; l < 32; ++l) {
      b.address[l] = l < n ? uint16_t(gathered_[i + l] * 4) : 0;
      b.data0[l] = b.data1[l] = 0;
    }
  }
}

void lds_plan::begin(wave_request& w, alu::ds_m0_use m0_use) {
  w_ = &w;
  beats_.clear();
  sent_ = answered_ = 0;
  finished_ = true;
  way_ = way::local;
  const uint32_t base = std::min(w.lds_base, share_bytes);
  image_.resize(share_bytes);
  window_ = {image_.data() + base, base, std::min(w.lds_size, share_bytes - base), m0_use};
  alu::ds_access a = fabric::data_share_access(w, window_);
  alu::ds_addresses where;
  switch (a.shape.kind) {
    case ds_kind::none: w.fault = fabric::fault_kind::unsupported; return;
    case ds_kind::nop: case ds_kind::swizzle: case ds_kind::permute: case ds_kind::bpermute: fabric::ds_execute(w, window_); return;
    default: break;
  }
  if (a.shape.kind >= ds_kind::ordered_count) { // GDS only
    fabric::ds_execute(w, window_);
    w.fault = fabric::fault_kind::unsupported;
    w.result_mask = 0;
    return;
  }
  alu::ds_compute_addresses(a, where);
  if (plan_native(a, where)) {
    way_ = way::native;
    set_result_shape(a);
    return;
  }
  beats_.clear();
  way_ = way::gathered;
  plan_gather(a, where);
  finished_ = beats_.empty();
  if (finished_) fabric::ds_execute(w, window_); // every lane is outside: nothing to read
}

void lds_plan::finish_gathered() {
  fabric::ds_execute(*w_, window_);
  std::vector<size_t> changed;
  for (size_t i = 0; i < gathered_.size(); ++i)
    if (std::memcmp(image_.data() + 4 * gathered_[i], &before_[i], 4) != 0) changed.push_back(i);
  for (size_t i = 0; i < changed.size(); i += 32) {
    lds_beat& b = more();
    const unsigned n = unsigned(std::min<size_t>(32, changed.size() - i));
    b.op = lds_op::write;
    b.lanes = n == 32 ? ~0u : (1u << n) - 1;
    for (unsigned l = 0; l < 32; ++l) {
      const uint32_t d = l < n ? gathered_[changed[i + l]] : 0;
      b.address[l] = uint16_t(4 * d);
      b.data0[l] = b.data1[l] = 0;
      if (l < n) std::memcpy(&b.data0[l], image_.data() + 4 * d, 4);
    }
  }
  finished_ = true;
}

void lds_plan::answer(const uint32_t* data) {
  const lds_beat& b = beats_[answered_++];
  if (way_ == way::native) {
    if (w_->result_dwords && b.op != lds_op::write)
      for_lanes(b.lanes, [&](unsigned l) { w_->result[b.row][32 * b.half + l] = data[l]; });
    return;
  }
  if (b.op != lds_op::read) return;
  const size_t first = (answered_ - 1) * 32;
  for_lanes(b.lanes, [&](unsigned l) {
    before_[first + l] = data[l];
    std::memcpy(image_.data() + 4 * gathered_[first + l], &data[l], 4);
  });
  if (!finished_ && answered_ == beats_.size()) finish_gathered();
}

std::string describe(const wave_request& w) {
  char text[160];
  std::snprintf(text, sizeof text, "%s of wave %u at pc 0x%llx, lanes 0x%llx", w.result_to_lds ? "the LDS half of a load" : w.inst ? w.inst->info->name : "?", w.wave_id,
                static_cast<unsigned long long>(w.pc), static_cast<unsigned long long>(w.exec));
  return text;
}

} // namespace lyra::rtl
