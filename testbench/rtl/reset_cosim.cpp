// SPDX-License-Identifier: Apache-2.0
// Resets of a whole machine with RTL blocks in it, at random cycles of real kernels (as testbench/fabric/machine_reset_test.cpp).
#include "support/reset_bench.h"
#include "support/systemc_test.h"

using lyra::testbench::reset_bench;

BOOST_AUTO_TEST_CASE(rtl_blocks_go_through_reset_with_the_machine) {
  reset_bench({"lds.implementation=rtl:lds", "atomic.implementation=rtl:atomic_unit", "memory.implementation=rtl:axi4_memory_64", "rtl.clock_ratio=0.7"}).check("ocl/histogram/job.toml", 12, 6);
}
BOOST_AUTO_TEST_CASE(a_clock_that_never_stands_begins_anew) {
  reset_bench({"lds.implementation=rtl:lds", "memory.implementation=rtl:axi4_memory_checked", "rtl.free_running=1"}).check("ocl/mm_lds/job.toml", 8, 4, 2);
}
BOOST_AUTO_TEST_CASE(both_sides_of_a_comparison_go_through_reset_together) {
  reset_bench({"lds.implementation=compare:lds", "atomic.implementation=compare:atomic_unit", "memory.implementation=compare:axi4_memory_checked", "rtl.compare_vcd=reset_cosim.vcd"})
      .check("ocl/histogram/job.toml", 12, 6, 3);
}
