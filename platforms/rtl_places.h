// SPDX-License-Identifier: Apache-2.0
// A place of the machine that the TLM block, an RTL block or both can fill.
#pragma once
#include "memory/backing_store.h"
#include "platforms/machine_parameters.h"
#include "rtl/comparator.h"
#include "rtl/implementations.h"
#include <array>
#include <unordered_map>

namespace lyra::platforms {

/// What fills a place. TLM and RTL blocks are called NAME; beside a TLM block of that name the RTL is NAME_rtl and the comparator NAME_compare.
template <class Tlm, class Rtl> struct place {
  std::unique_ptr<rtl::ring_trace> ring; ///< first: the blocks hold signals of it
  std::unique_ptr<rtl::memory_array> array;
  std::unique_ptr<Tlm> tlm;
  std::unique_ptr<Rtl> rtl;
  std::unique_ptr<lyra::rtl::comparator> compare;
};
using lds_place = place<lds::local_data_share, rtl::lds_transactor>;
using atomic_place = place<atomic::atomic_unit, rtl::atomic_transactor>;
using memory_place = place<memory::dram_channel, rtl::axi4_master>;

/// Each builds what the parameters say, inside the module under construction, whose name is `scope` (what an RTL block is told of its place). Throws observe::input_error for an implementation that this program does not hold.
lds_place make_lds(const fabric::context& context, const machine_parameters& p, const std::string& scope = "");
atomic_place make_atomic(const fabric::context& context, const machine_parameters& p, const std::string& scope = "");
memory_place make_memory(const fabric::context& context, memory::backing_store& store, const machine_parameters& p, const std::string& scope = "");

/// The socket of a place.
inline tlm::tlm_target_socket<fabric::bus_width_bits>& socket_of(lds_place& p) { return p.compare ? p.compare->in.socket : p.rtl ? p.rtl->in.socket : p.tlm->cu_port.socket; }
inline tlm::tlm_target_socket<fabric::bus_width_bits>& socket_of(atomic_place& p) { return p.compare ? p.compare->in.socket : p.rtl ? p.rtl->in.socket : p.tlm->in.socket; }
inline tlm::tlm_target_socket<fabric::bus_width_bits>& socket_of(memory_place& p) { return p.compare ? p.compare->in.socket : p.rtl ? p.rtl->in.socket : p.tlm->in.socket; }

/// The machine's memory as the array behind an RTL memory controller. Page rules as memory::dram_channel.
class store_array final : public rtl::memory_array {
public:
  explicit store_array(memory::backing_store& store) : store_(store) {}
  bool read(uint64_t address, uint8_t* data, unsigned bytes) override;
  bool write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) override;

private:
  memory::backing_store& store_;
};

/// The same with a copy of its own for what is written, a line at a time, so that two memories can run side by side: a line is copied from the store by keep(),
/// before either side has the request.
class shadow_array final : public rtl::memory_array, private fabric::resettable {
public:
  explicit shadow_array(memory::backing_store& store) : store_(store) {}
  void keep(uint64_t address);
  bool read(uint64_t address, uint8_t* data, unsigned bytes) override;
  bool write(uint64_t address, const uint8_t* data, uint64_t strobe, unsigned bytes) override;

private:
  bool is_the_machines() const override { return false; }
  void on_reset() override { lines_.clear(); } ///< which writes a side had done when the reset came is chance: both go on with the store's bytes
  memory::backing_store& store_;
  std::unordered_map<uint64_t, std::array<uint8_t, 64>> lines_;
};

} // namespace lyra::platforms
