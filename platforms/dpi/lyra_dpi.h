// SPDX-License-Identifier: Apache-2.0
// Lyra behind a testbench: C functions only (DPI-C, VPI, or any program). SystemC's kernel runs inside; the caller owns the clock: nothing happens but in
// lyra_advance. One design a process: one machine, or any blocks alone, built by the lyra_open functions before time first advances (SystemC elaborates once).
//
// A function that can fail returns a negative number; lyra_error() says why, in a sentence. Vectors are arrays of 32-bit words, bit 0 in bit 0 of word 0 (svBitVecVal);
// their fields are in lyra_pkg.sv.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What went wrong last; "" if nothing has. Faults of the machine (memory violation, time-out of RTL, ...) stand here too.
const char* lyra_error(void);

/// A whole machine: "vega10", "cu" or a TOML file; settings: "l2.channels=4 memory.implementation=rtl:pins" (as --set, separated by blanks). "rtl:pins" makes
/// the pins of that block the caller's: lyra_axi_master_clock.
int lyra_open(const char* machine, const char* settings);
/// One block alone with the parameters of that machine. "lds": lyra_lds_request; "l2": an L2 channel with atomic unit and memory behind lyra_axi_slave_clock (data_bits
/// of its AXI4 port: 32 to 512), all of memory mapped.
int lyra_open_block(const char* block, const char* machine, const char* settings, int data_bits);

/// Loads a job file (code, buffers, dispatches) into the machine. Behind a reset it takes the place of the job before, whose memory is unmapped. lyra_start hands its dispatches to the dispatcher.
int lyra_load_job(const char* job);
/// Maps memory and loads bytes of a file into it (code, data).
int lyra_load_file(const char* file, long long address);
/// A launch of raw code at `entry`: one dimension, user SGPRs from `sgprs` (up to 16 words).
int lyra_dispatch(long long entry, int grid, int workgroup, int vgprs, int sgprs, int lds_bytes, const unsigned* user_sgprs, int user_sgpr_count);
int lyra_start(void);
/// 1: all dispatches have ended; 0: not yet; negative: a fault.
int lyra_done(void);
/// Number of the job's expectations that do not hold (after the end).
int lyra_check(void);

/// Lets `ps` picoseconds pass. Negative: a fault.
int lyra_advance(long long ps);
/// Since the beginning: resets do not set it back.
long long lyra_time_ps(void);

/// Asserts the reset of all that is open for so many core cycles; they pass in lyra_advance. At once everything but the memory's bytes is as at power-on: what runs is
/// dropped without an answer, caches are empty (dirty lines are lost), counters are 0, a fault is forgotten, pins of Lyra are inactive. While reset is asserted nothing
/// can be dispatched, and what comes at pins is not seen; memory can be read and written, jobs and files loaded. After it the machine's clocks start anew, so that a job
/// loaded and started then does exactly what it does in a new process. lyra_start without lyra_load_job starts the same packets on the memory as it is.
int lyra_reset(int cycles);

/// Functional access to the machine's memory, past timing and caches' copies.
int lyra_map(long long address, long long bytes);
long long lyra_read64(long long address);
int lyra_write64(long long address, long long value);
/// The memory behind the caches, 64 bytes at a multiple of 64: for a memory controller in RTL. Write: bytes whose strobe bit is set. 1: no such address.
int lyra_store_read(long long address, unsigned* data);
int lyra_store_write(long long address, const unsigned* data, long long strobe);
/// A counter by its path, "l2_0.cache.read_misses" (lyra stats --list); -1: no such counter.
long long lyra_statistic(const char* path);

/// One rising edge of an AXI4 port where the caller is master. `master`: the caller's pins before the edge; `slave` gets Lyra's after it.
int lyra_axi_slave_clock(int port, const unsigned* master, unsigned* slave);
/// One rising edge of an AXI4 port where Lyra is master (block number `port` of "rtl:pins"): `slave`: the caller's pins before the edge. Then the caller lets one
/// RTL clock period pass (lyra_advance), and lyra_axi_master_pins gives Lyra's pins after the edge.
int lyra_axi_master_clock(int port, const unsigned* slave);
int lyra_axi_master_pins(int port, unsigned* master);

/// A beat for the LDS (fields: lyra_pkg::lds_beat). 1: taken, 0: its queue is full.
int lyra_lds_request(const unsigned* beat);
/// The answer that is due by now, in order: tag and 32 dwords. 1: there was one, 0: none.
int lyra_lds_response(unsigned* answer);

#ifdef __cplusplus
}
#endif
