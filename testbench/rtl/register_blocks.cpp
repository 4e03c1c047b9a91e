// SPDX-License-Identifier: Apache-2.0
// The RTL blocks that `lyra_rtl` holds, under the names that a machine file uses.
#include "Vatomic_unit.h"
#include "Vatomic_unit_bug.h"
#include "Vaxi4_checker_512.h"
#include "Vaxi4_memory.h"
#include "Vaxi4_memory_64.h"
#include "Vaxi4_ram.h"
#include "Vaxi4_ram___024root.h"
#include "Vaxi4_ram_4k.h"
#include "Vaxi4_ram_4k___024root.h"
#include "Vlds.h"
#include "Vlds___024root.h"
#include "Vlds_bug.h"
#include "Vlds_bug___024root.h"
#include "rtl/checked_axi.h"
#include "rtl/implementations.h"
#include "rtl/silent_blocks.h"
#include "rtl/verilated_blocks.h"
#include "rtl/verilated_ram.h"

namespace {

using namespace lyra;
using namespace lyra::testbench;

/// A memory whose array of 2^address_bits bytes is in the RTL.
template <class Model> rtl::memory_implementation with_array_inside(unsigned address_bits) {
  return {64, 16, [address_bits](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> {
    return std::make_unique<verilated_axi_ram<Model, 64>>(a, uint64_t(1) << address_bits, [](Model& m, uint64_t k) -> void* { return &m.rootp->axi4_ram_wrapper__DOT__ram__DOT__mem[k]; });
  }};
}

template <class Model> std::unique_ptr<rtl::lds_block> lds_with_array(const std::string&) {
  return std::make_unique<verilated_lds<Model>>([](Model& m, uint64_t k) -> uint32_t& { return m.rootp->lds__DOT__memory[k]; });
}

const bool registered = [] {
  auto& all = rtl::implementations::instance();
  all.lds["lds"] = lds_with_array<Vlds>;
  all.lds["lds_bug"] = lds_with_array<Vlds_bug>;
  all.lds["silent"] = [](const std::string&) { return std::make_unique<silent_block<rtl::lds_in, rtl::lds_out>>(); };
  all.atomic["atomic_unit"] = [](const std::string&) { return std::make_unique<verilated_atomic<Vatomic_unit>>(); };
  all.atomic["atomic_unit_bug"] = [](const std::string&) { return std::make_unique<verilated_atomic<Vatomic_unit_bug>>(); };
  all.atomic["silent"] = [](const std::string&) { return std::make_unique<silent_block<rtl::atomic_in, rtl::atomic_out>>(); };
  all.memory["axi4_memory"] = {512, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<verilated_axi_memory<Vaxi4_memory, 512>>(a); }};
  all.memory["axi4_memory_checked"] = {512, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> {
    return std::make_unique<checked_axi<Vaxi4_checker_512>>(std::make_unique<verilated_axi_memory<Vaxi4_memory, 512>>(a));
  }};
  all.memory["axi4_memory_64"] = {64, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<verilated_axi_memory<Vaxi4_memory_64, 64>>(a); }};
  all.memory["axi4_ram"] = with_array_inside<Vaxi4_ram>(24);
  all.memory["axi4_ram_4k"] = with_array_inside<Vaxi4_ram_4k>(12);
  all.memory["silent"] = {512, 16, [](const std::string&, rtl::memory_array&) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<silent_block<rtl::axi_in, rtl::axi_slave_pins>>(); }};
  return true;
}();

} // namespace
