// SPDX-License-Identifier: Apache-2.0
// Resets of a whole machine in one elaboration, at random cycles of real kernels: no protocol rule is broken, nothing leaks or answers late, and the job run behind a
// reset gives the same cycles, the same value of every counter and the same bytes as in a new machine.
#include "support/reset_bench.h"
#include "support/systemc_test.h"

using namespace lyra;
using testbench::reset_bench;

BOOST_AUTO_TEST_CASE(resets_at_random_cycles_with_lds_and_barriers_in_flight) { reset_bench().check("ocl/mm_lds/job.toml", 50, 10); }
BOOST_AUTO_TEST_CASE(resets_with_image_loads_in_flight) { reset_bench().check("ocl/image2d/job.toml", 50, 25, 2); }
BOOST_AUTO_TEST_CASE(resets_with_atomics_in_flight_of_banks_and_rows) { reset_bench({"memory.model=hbm2"}).check("ocl/histogram/job.toml", 50, 10, 3); }
BOOST_AUTO_TEST_CASE(resets_with_ordered_append_and_wave_sync_in_the_global_data_share) { reset_bench().check("asm/c_gds_ops/job.toml", 50, 5, 4); }
BOOST_AUTO_TEST_CASE(resets_of_a_crossbar_whose_sources_keep_their_order) { reset_bench({"crossbar.source_order=in_order", "crossbar.grant_run=4", "memory.model=hbm2"}).check("ocl/image2d/job.toml", 20, 10, 11); }
BOOST_AUTO_TEST_CASE(resets_with_scratch_in_use) { reset_bench().check("ocl/scratch/job.toml", 2, 2, 5); }
BOOST_AUTO_TEST_CASE(resets_with_flat_accesses_and_late_answers) { reset_bench({"chaos.seed=9"}).check("ocl/flat_generic/job.toml", 50, 10, 6); }
BOOST_AUTO_TEST_CASE(resets_with_scalar_stores_in_a_write_back_cache) { reset_bench({"scalar_cache.ordering=shuffled"}).check("asm/a_scr_store/job.toml", 50, 5, 7); }
BOOST_AUTO_TEST_CASE(resets_in_a_row_of_dispatches) { reset_bench().check("ocl/bfs/job.toml", 25, 12, 10); }
BOOST_AUTO_TEST_CASE(resets_of_a_loosely_timed_machine) { reset_bench({}, platforms::mode::lt).check("ocl/mm_lds/job.toml", 50, 5, 8); }
BOOST_AUTO_TEST_CASE(resets_of_a_loosely_timed_machine_whose_waves_wait_for_each_other) { reset_bench({}, platforms::mode::lt).check("asm/c_gds_ops/job.toml", 50, 5, 9); }
