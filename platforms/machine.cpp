// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine.h"
#include "fabric/time_domain.h"
#include "observe/input_error.h"
#include "platforms/rtl_places.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sstream>

namespace lyra::platforms {

namespace {

/// "3,3,3,3,2,2" for each shader engine: how many CUs share each scalar cache.
std::vector<unsigned> scalar_groups(const system_parameters& s, unsigned engines) {
  std::vector<unsigned> pattern;
  std::istringstream in(s.scalar_groups);
  for (std::string word; std::getline(in, word, ',');) {
    unsigned n = 0;
    try { n = unsigned(std::stoul(word)); } catch (const std::exception&) {}
    if (n < 1 || n > 16) throw observe::input_error("system.scalar_groups", fmt::format("'{}' in \"{}\" is no number of compute units: give 1 to 16, separated by commas", word, s.scalar_groups));
    pattern.push_back(n);
  }
  if (pattern.empty()) throw observe::input_error("system.scalar_groups", "is empty: give the compute units of each scalar cache, \"3,3,3\"");
  // each engine starts a new pattern; the last group of an engine takes what is left
  std::vector<unsigned> groups;
  unsigned left_total = s.compute_units;
  for (unsigned e = 0; e < engines && left_total; ++e) {
    unsigned left = std::min(left_total, (s.compute_units + engines - 1) / engines);
    left_total -= left;
    for (size_t k = 0; left; ++k) {
      const unsigned n = std::min(left, pattern[k % pattern.size()]);
      groups.push_back(n);
      left -= n;
    }
  }
  return groups;
}

/// "0x200000000:4096,0x200010000:8192": first address and bytes of each.
std::vector<std::pair<uint64_t, uint64_t>> non_resident_ranges(const std::string& text) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    try {
      const auto colon = word.find(':');
      size_t end_a = 0, end_b = 0;
      const std::string a = word.substr(0, colon), b = colon == std::string::npos ? "" : word.substr(colon + 1);
      ranges.emplace_back(fabric::canonical(std::stoull(a, &end_a, 0)), std::stoull(b, &end_b, 0));
      if (end_a != a.size() || end_b != b.size() || ranges.back().first % 4096 || ranges.back().second % 4096 || !ranges.back().second) throw std::invalid_argument(word);
    } catch (const std::exception&) {
      throw observe::input_error("memory.non_resident", fmt::format("'{}' is no range of pages: give ADDRESS:BYTES, both multiples of 4096, several separated by commas", word));
    }
  }
  return ranges;
}

} // namespace

void machine::join(const std::string& name, tlm::tlm_initiator_socket<fabric::bus_width_bits>& from, tlm::tlm_target_socket<fabric::bus_width_bits>& to) {
  auto* initiator = &from;
  if (context_.trace)
    if (const fabric::edge_signals signals(*context_.trace, name); signals) {
      std::string module = "edge_" + name;
      std::replace(module.begin(), module.end(), '.', '_');
      edge_traces_.push_back(std::make_unique<fabric::edge_trace>(module.c_str(), signals, context_.core.period()));
      from.bind(edge_traces_.back()->in);
      initiator = &edge_traces_.back()->out;
    }
  if (bind_) bind_(name, *initiator, to);
  else initiator->bind(to);
}

struct machine::cu_scope : sc_core::sc_module {
  compute_unit::compute_unit cu;
  lds_place lds;
  texture::texture_unit texture;
  cache::l1_cache l1;
  cu_scope(sc_core::sc_module_name name, unsigned index, machine& m)
      : sc_module(name), cu("sequencer", index, m.parameters_.cu, m.context_, m.code_, m.mode_ == platforms::mode::lt), lds(make_lds(m.context_, m.parameters_, this->name())),
        texture("texture", m.context_, m.parameters_.texture, uint16_t(index)), l1("l1", m.context_, m.parameters_.l1) {
    const std::string n = this->name();
    m.join(n + ".cu-texture", cu.vmem_port.socket, texture.wave_port.socket);
    m.join(n + ".cu-lds", cu.lds_port.socket, socket_of(lds));
    m.join(n + ".texture-l1", texture.line_port.socket, l1.ta_port.socket);
    m.join(n + ".l1-texture", l1.td_port.socket, texture.return_port.socket);
  }
};

struct machine::sqc_scope : sc_core::sc_module {
  scalar_cache::data_cache scalar;
  scalar_cache::instruction_cache instruction;
  sqc_scope(sc_core::sc_module_name name, unsigned cus, machine& m)
      : sc_module(name), scalar("scalar_cache", m.context_, cus, m.parameters_.scalar_cache), instruction("instruction_cache", m.context_, cus, m.parameters_.instruction_cache) {}
};

struct machine::channel_scope : sc_core::sc_module {
  cache::l2_channel cache;
  atomic_place atomic;
  memory_place memory;
  channel_scope(sc_core::sc_module_name name, machine& m)
      : sc_module(name), cache("cache", m.context_, m.parameters_.l2), atomic(make_atomic(m.context_, m.parameters_, this->name())), memory(make_memory(m.context_, m.store_, m.parameters_, this->name())) {
    m.join(std::string(this->name()) + ".l2-atomic", cache.atomic.socket, socket_of(atomic));
    m.join(std::string(this->name()) + ".l2-memory", cache.memory.socket, socket_of(memory));
  }
};

machine::machine(const machine_parameters& p, platforms::mode m, isa::target code_target, observe::trace* trace, bool check_races, edge_binder bind)
    : parameters_(p), bind_(std::move(bind)), mode_(m), code_(code_target) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) throw observe::input_error("SystemC", "the kernel's time resolution is not 1 ps: do not change it in a platform with Lyra");
  const auto& s = parameters_.system;
  if (parameters_.cu.xnack_replay) {
    parameters_.scalar_cache.xnack_replay = true;
    parameters_.scalar_cache.xnack_seed = parameters_.cu.xnack_seed;
    parameters_.scalar_cache.xnack_percent = parameters_.cu.xnack_percent;
    parameters_.scalar_cache.xnack_delay_cycles = parameters_.cu.xnack_delay_cycles;
  }
  non_resident_ = non_resident_ranges(s.non_resident);
  context_.core = fabric::clock_domain::from_mhz(s.core_mhz);
  context_.fabric = fabric::clock_domain::from_mhz(s.fabric_mhz);
  context_.memory = fabric::clock_domain::from_mhz(s.memory_mhz);
  context_.space = &store_;
  context_.statistics = &statistics_;
  statistics_.add("simulation", fabric::simulation_statistics());
  context_.trace = trace;
  context_.chaos.seed = s.chaos_seed;
  context_.chaos.max_extra_cycles = s.chaos_max_extra_cycles;
  context_.lines = &lines_;
  context_.waves = &waves_;
  context_.run = &run_;
  if (check_races) races_ = std::make_unique<observe::race_detector>(run_);
  context_.accesses = races_.get();

  const unsigned n = s.compute_units, channels = s.l2_channels, engines = std::min(parameters_.dispatcher.shader_engines, n);
  const auto groups = scalar_groups(s, engines);
  const unsigned sqcs = unsigned(groups.size());

  crossbar_ = std::make_unique<fabric::crossbar>("crossbar", context_, n + 2 * sqcs, channels, parameters_.crossbar);
  if (parameters_.translation.enabled) {
    auto t = std::make_unique<fabric::address_translation>(parameters_.translation, n + 2 * sqcs, context_.fabric);
    statistics_.add("translation", t->statistics());
    crossbar_->translate(std::move(t));
  }
  parameters_.l2.channels = parameters_.memory.channels = channels;
  parameters_.l2.interleave_bytes = parameters_.memory.channel_interleave_bytes = parameters_.crossbar.interleave_bytes;
  for (unsigned c = 0; c < channels; ++c) {
    channels_.push_back(std::make_unique<channel_scope>(fmt::format("l2_{}", c).c_str(), *this));
    join(fmt::format("crossbar-l2_{}", c), crossbar_->channel_socket(c), channels_[c]->cache.in.socket);
  }
  gds_ = std::make_unique<gds::global_data_share>("gds", context_, parameters_.gds, n);
  // the compute units of a scalar cache, with their caches, are a time domain
  std::vector<unsigned> domain_of(n);
  if (m == platforms::mode::at)
    for (unsigned g = 0, i = 0; g < sqcs; ++g) {
      const unsigned d = fabric::new_time_domain();
      for (unsigned k = 0; k < groups[g]; ++k) domain_of[i++] = d;
    }
  const auto in_domain = [&](unsigned cu) { return m == platforms::mode::at ? std::make_unique<fabric::time_domain_scope>(domain_of[cu]) : nullptr; };
  for (unsigned i = 0; i < n; ++i) {
    const auto domain = in_domain(i);
    cus_.push_back(std::make_unique<cu_scope>(fmt::format("cu{}", i).c_str(), i, *this));
    join(fmt::format("cu{}-gds", i), cus_[i]->cu.gds_port.socket, gds_->cu_port(i).socket);
    join(fmt::format("cu{}.l1-crossbar", i), cus_[i]->l1.l2_port.socket, crossbar_->source_socket(i));
  }
  unsigned cu = 0;
  for (unsigned g = 0; g < sqcs; ++g) {
    const auto domain = in_domain(cu);
    sqcs_.push_back(std::make_unique<sqc_scope>(fmt::format("sqc{}", g).c_str(), groups[g], *this));
    auto& sqc = *sqcs_[g];
    for (unsigned k = 0; k < groups[g]; ++k, ++cu) {
      join(fmt::format("cu{}-scalar_cache", cu), cus_[cu]->cu.smem_port.socket, sqc.scalar.cu_port(k).socket);
      join(fmt::format("cu{}-instruction_cache", cu), cus_[cu]->cu.fetch_port.socket, sqc.instruction.cu_port(k).socket);
    }
    join(fmt::format("sqc{}.scalar_cache-crossbar", g), sqc.scalar.l2_port.socket, crossbar_->source_socket(n + g));
    join(fmt::format("sqc{}.instruction_cache-crossbar", g), sqc.instruction.l2_port.socket, crossbar_->source_socket(n + sqcs + g));
  }
  dispatch::cu_resources resources;
  resources.wave_slots = parameters_.cu.wave_slots;
  resources.vgprs = parameters_.cu.vgprs;
  dispatcher_ = std::make_unique<dispatch::dispatcher>("dispatcher", parameters_.dispatcher, resources, dispatch::dispatcher::topology{n, sqcs, sqcs, n}, context_);
  for (unsigned i = 0; i < n; ++i) {
    join(fmt::format("dispatcher-cu{}", i), dispatcher_->launch_socket(i), cus_[i]->cu.launch_port.socket);
    join(fmt::format("dispatcher-cu{}.l1", i), dispatcher_->vector_cache_socket(i), cus_[i]->l1.control_port.socket);
  }
  for (unsigned g = 0; g < sqcs; ++g) {
    join(fmt::format("dispatcher-sqc{}.scalar_cache", g), dispatcher_->scalar_cache_socket(g), sqcs_[g]->scalar.control_port().socket);
    join(fmt::format("dispatcher-sqc{}.instruction_cache", g), dispatcher_->instruction_cache_socket(g), sqcs_[g]->instruction.control_port().socket);
  }
  if (m == platforms::mode::at) {
    const auto& rtl = parameters_.rtl;
    const bool observed = trace || bind_ || context_.chaos.on() || races_ || rtl.lds != "tlm" || rtl.atomic != "tlm" || rtl.memory != "tlm";
    // a source that the crossbar holds back would hear of its place one cycle before
    const unsigned places = parameters_.crossbar.source_depth + parameters_.crossbar.source_entry, l1 = parameters_.l1.mshrs + parameters_.l1.writes_outstanding,
                   scalar = parameters_.scalar_cache.mshrs + parameters_.scalar_cache.writes_outstanding;
    const bool held_back = std::max({l1, scalar, parameters_.instruction_cache.mshrs}) + channels > places;
    if (observed || held_back || s.lookahead == "off") fabric::set_lookahead(0, 0);
    else {
      fabric::picoseconds channels_notice = fabric::never;
      for (auto& c : channels_) channels_notice = std::min(channels_notice, c->cache.announce_early());
      crossbar_->expect_notice(channels_notice);
      const fabric::picoseconds launches = context_.core.at(std::min(parameters_.dispatcher.launch_latency_cycles, parameters_.dispatcher.control_latency_cycles));
      fabric::set_lookahead(std::min(context_.core.at(dispatcher_->quiet_cycles()), crossbar_->response_notice()), std::min(launches, crossbar_->response_notice()));
    }
  }
  if (m == platforms::mode::lt) {
    sc_core::sc_spawn_options o;
    o.spawn_method();
    o.set_sensitivity(&restart_event_);
    o.dont_initialize();
    sc_core::sc_spawn([this] {
      for (auto& c : cus_) c->cu.restart_thread();
      restarting_ = false;
    }, "lyra_restart", &o);
  }
}

machine::~machine() = default;

compute_unit::compute_unit& machine::cu(unsigned i) { return cus_[i]->cu; }

void machine::map(uint64_t address, uint64_t bytes) {
  store_.map(address, bytes);
  for (const auto& [first, length] : non_resident_) { // the part that lies in these pages
    const uint64_t from = std::max(first, fabric::canonical(address) & ~uint64_t(4095)), to = std::min(first + length, fabric::canonical(address) + bytes);
    if (from < to) make_non_resident(from, to - from);
  }
}

void machine::unmap(uint64_t address, uint64_t bytes) { store_.unmap(fabric::canonical(address), bytes); }

template <class F> void machine::resident_parts(uint64_t address, uint64_t bytes, F&& f) const {
  if (!any_non_resident_) { f(uint64_t(0), bytes); return; }
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t n = std::min<uint64_t>(bytes - done, 4096 - (address + done) % 4096);
    if (store_.state(address + done) != fabric::page_state::non_resident) f(done, n);
    done += n;
  }
}

void machine::make_non_resident(uint64_t address, uint64_t bytes) {
  store_.map(address, bytes, fabric::page_state::non_resident);
  any_non_resident_ = true;
}

void machine::write(uint64_t address, const void* data, uint64_t bytes) {
  // before a run nothing is cached; afterwards dirty copies must change too: debug transport through the crossbar does both
  auto& p = lines_.line(tlm::TLM_WRITE_COMMAND, 0);
  uint8_t* own = p.get_data_ptr();
  const auto* from = static_cast<const uint8_t*>(data);
  const bool cached = fabric::now_ps() != 0 && !memory_is_store() && !in_reset();
  if (!cached) resident_parts(address, bytes, [&](uint64_t at, uint64_t n) { store_.write(address + at, from + at, n); });
  else
    for (uint64_t done = 0; done < bytes;) {
      const unsigned n = unsigned(std::min<uint64_t>(bytes - done, 64 - (address + done) % 64));
      std::memcpy(own, from + done, n);
      p.set_address(fabric::canonical(address + done));
      p.set_data_length(n);
      p.set_streaming_width(n);
      cus_[0]->cu.smem_port.socket->transport_dbg(p);
      done += n;
    }
  p.release();
}

void machine::read(uint64_t address, void* data, uint64_t bytes) {
  auto* to = static_cast<uint8_t*>(data);
  if (any_non_resident_) std::memset(data, 0, bytes);
  if (memory_is_store() || fabric::now_ps() == 0 || in_reset()) { resident_parts(address, bytes, [&](uint64_t at, uint64_t n) { store_.read(address + at, to + at, n); }); return; }
  auto& p = lines_.line(tlm::TLM_READ_COMMAND, 0);
  for (uint64_t done = 0; done < bytes;) {
    const unsigned n = unsigned(std::min<uint64_t>(bytes - done, 64 - (address + done) % 64));
    p.set_address(fabric::canonical(address + done));
    p.set_data_length(n);
    p.set_streaming_width(n);
    sqcs_[0]->instruction.l2_port.socket->transport_dbg(p); // through the crossbar: sees dirty L2 lines
    if (!any_non_resident_ || store_.state(address + done) != fabric::page_state::non_resident) std::memcpy(to + done, p.get_data_ptr(), n);
    done += n;
  }
  p.release();
  for (const auto& q : sqcs_)
    if (q->scalar.dirty_lines())
      for (uint64_t done = 0; done < bytes; done += 1u << 30) q->scalar.overlay_dirty(fabric::canonical(address + done), to + done, unsigned(std::min<uint64_t>(bytes - done, 1u << 30)));
}

std::string machine::describe_unfinished() const {
  std::string out;
  for (const auto& c : cus_) out += c->cu.describe_waves();
  out += gds_->describe_waiting();
  if (!dispatcher_->done()) out += dispatcher_->describe_running();
  return out;
}

void machine::assert_reset() {
  if (mode_ == platforms::mode::lt) { // a process can reset others, sc_main cannot
    fabric::forget_wakes();
    restarting_ = true;
    restart_event_.notify(sc_core::SC_ZERO_TIME);
    const auto busy = [&] { return restarting_ || std::any_of(cus_.begin(), cus_.end(), [](const auto& c) { return c->cu.restarting(); }); };
    while (busy()) sc_core::sc_start(sc_core::SC_ZERO_TIME); // two delta cycles at most
  }
  if (context_.trace) context_.trace->reset(fabric::now_ps());
  fabric::assert_reset();
  const bool profile = code_.profile;
  code_ = compute_unit::code_cache(code_.chip());
  code_.profile = profile;
  run_.reset();
  if (races_) races_->reset();
  ++resets_;
}

void machine::release_reset() {
  if (context_.trace) context_.trace->restart(fabric::now_ps());
  fabric::release_reset();
}

void machine::close_statistics() {
  for (auto& c : cus_) c->cu.close_statistics();
}

} // namespace lyra::platforms
