// SPDX-License-Identifier: Apache-2.0
#include "platforms/rtl_places.h"
#include "fabric/time_domain.h"
#include <cstring>

namespace lyra::platforms {

using rtl::choice;

namespace {

/// Builds the comparator between a TLM and an RTL block and binds both.
template <class Place> void put_comparator(Place& p, const char* name, const fabric::context& context, std::unique_ptr<rtl::edge_rules> rules, const std::string& file,
                                           tlm::tlm_target_socket<fabric::bus_width_bits>& reference) {
  p.compare = std::make_unique<rtl::comparator>(name, context, std::move(rules), *p.ring, file);
  p.compare->reference.socket.bind(reference);
  p.compare->rtl.socket.bind(p.rtl->in.socket);
}

/// The context of a place's blocks: with a comparator their signals are remembered for its VCD.
template <class Place> fabric::context context_for(Place& p, const fabric::context& context, const choice& c, const rtl_parameters& r) {
  fabric::context inner = context;
  if (c.what == choice::kind::compare) {
    p.ring = std::make_unique<rtl::ring_trace>(context.trace, uint64_t(r.compare_window_cycles) * context.core.period());
    inner.trace = p.ring.get();
  }
  return inner;
}

std::string instance(const std::string& scope, const char* name) { return scope.empty() ? name : scope + "." + name; }

} // namespace

lds_place make_lds(const fabric::context& context, const machine_parameters& p, const std::string& scope) {
  const choice c = rtl::parse_choice("lds.implementation", p.rtl.lds, rtl::implementations::instance().lds);
  lds_place place;
  std::unique_ptr<fabric::time_domain_scope> outside; // RTL may have a clock of its own
  if (c.what != choice::kind::tlm) outside = std::make_unique<fabric::time_domain_scope>(fabric::no_time_domain);
  const fabric::context inner = context_for(place, context, c, p.rtl);
  const bool compare = c.what == choice::kind::compare;
  if (c.what != choice::kind::rtl) place.tlm = std::make_unique<lds::local_data_share>("lds", inner, p.lds);
  if (c.what != choice::kind::tlm)
    place.rtl = std::make_unique<rtl::lds_transactor>(compare ? "lds_rtl" : "lds", inner, rtl::implementations::instance().lds[c.name](instance(scope, "lds")), p.rtl.clocking(p.rtl.lds_path_cycles),
                                                      p.lds.queue_depth, p.lds.append_base == "m0_high" ? alu::ds_m0_use::high_base : alu::ds_m0_use::low_offset);
  if (compare) put_comparator(place, "lds_compare", context, rtl::wave_rules(context), p.rtl.compare_vcd, place.tlm->cu_port.socket);
  return place;
}

atomic_place make_atomic(const fabric::context& context, const machine_parameters& p, const std::string& scope) {
  const choice c = rtl::parse_choice("atomic.implementation", p.rtl.atomic, rtl::implementations::instance().atomic);
  atomic_place place;
  const fabric::context inner = context_for(place, context, c, p.rtl);
  const bool compare = c.what == choice::kind::compare;
  if (c.what != choice::kind::rtl) place.tlm = std::make_unique<atomic::atomic_unit>("atomic", inner, p.atomic);
  if (c.what != choice::kind::tlm)
    place.rtl = std::make_unique<rtl::atomic_transactor>(compare ? "atomic_rtl" : "atomic", inner, rtl::implementations::instance().atomic[c.name](instance(scope, "atomic")),
                                                         p.rtl.clocking(p.rtl.atomic_path_cycles), p.atomic.fifo_depth);
  if (compare) put_comparator(place, "atomic_compare", context, rtl::atomic_rules(context), p.rtl.compare_vcd, place.tlm->in.socket);
  return place;
}

memory_place make_memory(const fabric::context& context, memory::backing_store& store, const machine_parameters& p, const std::string& scope) {
  const choice c = rtl::parse_choice("memory.implementation", p.rtl.memory, rtl::implementations::instance().memory);
  memory_place place;
  const fabric::context inner = context_for(place, context, c, p.rtl);
  const bool compare = c.what == choice::kind::compare;
  if (c.what != choice::kind::rtl) place.tlm = std::make_unique<memory::dram_channel>("memory", inner, store, p.memory);
  if (c.what == choice::kind::tlm) return place;
  shadow_array* shadow = nullptr;
  if (compare) {
    auto own = std::make_unique<shadow_array>(store);
    shadow = own.get();
    place.array = std::move(own);
  } else place.array = std::make_unique<store_array>(store);
  const rtl::memory_implementation& made = rtl::implementations::instance().memory[c.name];
  rtl::axi4_options axi;
  axi.data_bits = made.data_bits;
  axi.ids = made.ids;
  auto block = made.make(instance(scope, "memory"), *place.array);
  auto* inside = dynamic_cast<rtl::memory_array*>(block.get()); // the RTL holds the bytes itself
  place.rtl = std::make_unique<rtl::axi4_master>(compare ? "memory_rtl" : "memory", inner, context.memory, std::move(block), p.rtl.clocking(p.rtl.memory_path_cycles), axi,
                                                 inside ? inside : place.array.get());
  if (compare) {
    put_comparator(place, "memory_compare", context, rtl::line_rules(context), p.rtl.compare_vcd, place.tlm->in.socket);
    place.compare->on_request_hook = [shadow](const fabric::payload& q) { if (q.get_command() == tlm::TLM_WRITE_COMMAND) shadow->keep(q.get_address()); };
  }
  return place;
}

bool store_array::read(uint64_t address, uint8_t* data, unsigned bytes) {
  const fabric::page_state s = store_.state(address);
  if (s == fabric::page_state::unmapped) return false;
  if (s == fabric::page_state::non_resident) std::memset(data, 0, bytes);
  else std::memcpy(data, store_.host_line(address) + address % 64, bytes);
  return true;
}

bool store_array::write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) {
  const fabric::page_state s = store_.state(address);
  if (s == fabric::page_state::unmapped || s == fabric::page_state::read_only) return false;
  if (s == fabric::page_state::non_resident) return true;
  uint8_t* host = store_.host_line(address) + address % 64;
  for (unsigned i = 0; i < bytes; ++i)
    if (strobe >> i & 1) host[i] = data[i];
  return true;
}

void shadow_array::keep(uint64_t address) {
  address &= ~uint64_t(63);
  if (lines_.count(address) || store_.state(address) == fabric::page_state::unmapped) return;
  auto& line = lines_[address];
  line.fill(0);
  if (const uint8_t* host = store_.host_line(address)) std::memcpy(line.data(), host, 64);
}

bool shadow_array::read(uint64_t address, uint8_t* data, unsigned bytes) {
  const auto own = lines_.find(address & ~uint64_t(63));
  if (own == lines_.end() || store_.state(address) != fabric::page_state::mapped) return store_array(store_).read(address, data, bytes);
  std::memcpy(data, own->second.data() + address % 64, bytes);
  return true;
}

bool shadow_array::write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) {
  const fabric::page_state s = store_.state(address);
  if (s == fabric::page_state::unmapped || s == fabric::page_state::read_only) return false;
  keep(address);
  auto& line = lines_[address & ~uint64_t(63)];
  for (unsigned i = 0; i < bytes; ++i)
    if (strobe >> i & 1) line[address % 64 + i] = data[i];
  return true;
}

} // namespace lyra::platforms
