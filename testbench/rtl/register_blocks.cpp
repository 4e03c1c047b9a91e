// SPDX-License-Identifier: Apache-2.0
// The RTL blocks that `lyra_rtl` holds, under the names that a machine file uses.
#include "Vatomic_unit.h"
#include "Vatomic_unit_bug.h"
#include "Vaxi4_checker_512.h"
#include "Vaxi4_checker_64.h"
#include "Vaxi4_memory.h"
#include "Vaxi4_memory_64.h"
#include "Vaxi4_ram.h"
#include "Vaxi4_ram___024root.h"
#include "Vlds.h"
#include "Vlds_bug.h"
#include "rtl/checked_axi.h"
#include "rtl/implementations.h"
#include "rtl/silent_blocks.h"
#include "rtl/verilated_blocks.h"
#include "rtl/verilated_ram.h"

namespace {

using namespace lyra;
using namespace lyra::testbench;

const bool registered = [] {
  auto& all = rtl::implementations::instance();
  all.lds["lds"] = [](const std::string&) { return std::make_unique<verilated_lds<Vlds>>(); };
  all.lds["lds_bug"] = [](const std::string&) { return std::make_unique<verilated_lds<Vlds_bug>>(); };
  all.lds["silent"] = [](const std::string&) { return std::make_unique<silent_block<rtl::lds_in, rtl::lds_out>>(); };
  all.atomic["atomic_unit"] = [](const std::string&) { return std::make_unique<verilated_atomic<Vatomic_unit>>(); };
  all.atomic["atomic_unit_bug"] = [](const std::string&) { return std::make_unique<verilated_atomic<Vatomic_unit_bug>>(); };
  all.atomic["silent"] = [](const std::string&) { return std::make_unique<silent_block<rtl::atomic_in, rtl::atomic_out>>(); };
  all.memory["axi4_memory"] = {512, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<verilated_axi_memory<Vaxi4_memory, 512>>(a); }};
  all.memory["axi4_memory_checked"] = {512, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> {
    return std::make_unique<checked_axi<Vaxi4_checker_512>>(std::make_unique<verilated_axi_memory<Vaxi4_memory, 512>>(a));
  }};
  all.memory["axi4_memory_64"] = {64, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<verilated_axi_memory<Vaxi4_memory_64, 64>>(a); }};
  all.memory["axi4_ram"] = {64, 16, [](const std::string&, rtl::memory_array& a) -> std::unique_ptr<rtl::axi_block> { // its array of 16 MB is inside
    return std::make_unique<verilated_axi_ram<Vaxi4_ram, 64>>(a, uint64_t(1) << 24, [](Vaxi4_ram& m, uint64_t k) -> void* { return &m.rootp->axi4_ram_wrapper__DOT__ram__DOT__mem[k]; });
  }};
  all.memory["silent"] = {512, 16, [](const std::string&, rtl::memory_array&) -> std::unique_ptr<rtl::axi_block> { return std::make_unique<silent_block<rtl::axi_in, rtl::axi_slave_pins>>(); }};
  return true;
}();

} // namespace
