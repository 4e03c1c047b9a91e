#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compute units that run ahead of the rest of the machine do what they do in step with it: the same cycles, counters, findings and faults."""
import json

import support
from support import CASES, LyraTest


def counters(path):
    s = json.loads(path.read_text())
    s["statistics"].pop("simulation")  # what running ahead saves
    return s["run"], s["statistics"]


class Lookahead(LyraTest):
    def same(self, job, *more, code=0):
        seen = []
        for ahead in ("on", "off"):
            stats = self.folder / f"{ahead}.json"
            got, out, err = self.lyra("run", job, "--quiet", "--stats", stats, "--set", f"lookahead={ahead}", *more, seconds=200)
            self.assertEqual(got, code, err)
            seen.append((err, *counters(stats)))
            events = json.loads(stats.read_text())["statistics"]["simulation"]["kernel_events"]["value"]
            seen[-1] += (events,)
        on, off = seen
        self.assertEqual(on[0], off[0])
        self.assertEqual(on[1], off[1])
        if code:
            return on[3], off[3]  # other compute units may have gone on a little
        for module, values in off[2].items():
            self.assertEqual(on[2][module], values, module)
        return on[3], off[3]

    def test_kernels_on_vega10(self):
        for case in ("mm_lds", "histogram", "atomics32", "reduction", "transpose", "vadd"):
            with self.subTest(case=case):
                on, off = self.same(CASES / "ocl" / case / "job.toml")
                self.assertLess(on, off)  # it did run ahead

    def test_one_compute_unit_and_other_machines(self):
        for machine in ("cu", "vega20", "mi100"):
            with self.subTest(machine=machine):
                self.same(CASES / "ocl/histogram/job.toml", "--machine", machine)

    def test_crossbar_full_and_slow(self):
        self.same(CASES / "ocl/transpose/job.toml", "--set", "crossbar.source_depth=3")
        self.same(CASES / "ocl/transpose/job.toml", "--set", "crossbar.source_depth=3", "--set", "crossbar.source_entry=5")  # held back: it keeps in step then
        self.same(CASES / "ocl/transpose/job.toml", "--set", "crossbar.response_latency_ns=1")
        self.same(CASES / "ocl/transpose/job.toml", "--set", "fabric_mhz=1111", "--set", "memory_mhz=777")

    def test_many_dispatches_with_and_without_barriers_and_a_fast_packet_processor(self):
        """Launches come while waves of other dispatches run; how far these may be ahead then depends on what the dispatcher is about to do."""
        code = "s_lshl_b32 s8, s2, 8\nv_lshlrev_b32 v1, 2, v0\nv_add_u32 v1, s8, v1\n" + \
               "global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_u32 v2, 1, v2\nglobal_store_dword v1, v2, s[0:1]\n" * 3 + "s_endpgm"
        job = self.raw(code, grid=64 * 300, vgprs=64, user=(0x10000000, 1), buffers="[buffer.large]\nsize = 0x20000\naddress = 0x110000000\n")
        file = self.folder / job
        text = file.read_text()
        dispatch = text[text.index("[[dispatch]]"):]
        file.write_text(text + (dispatch + "barrier = false\n" + dispatch) * 3)
        for more in ([], ["--set", "dispatcher.packet_latency_ns=0"], ["--set", "dispatcher.packet_latency_ns=20"], ["--set", "dispatcher.launch_latency_cycles=3"], ["--set", "compute_units=4", "--set", "scalar_groups=3,1"],
                     ["--set", "compute_units=4", "--set", "scalar_groups=3,1", "--set", "dispatcher.packet_latency_ns=0"], ["--set", "compute_units=4", "--set", "scalar_groups=3,1", "--set", "dispatcher.order=packed"]):
            with self.subTest(more=more):
                self.same(job, *more)

    def test_global_data_share(self):
        self.same(CASES / "asm/c_gds_ops/job.toml")
        job = self.raw("s_mov_b32 m0, -1\nv_mov_b32 v1, 1\nv_mov_b32 v2, 0\n" + "ds_add_rtn_u32 v3, v2, v1 gds\ns_waitcnt lgkmcnt(0)\nv_add_u32 v1, v1, v3\n" * 40 + "s_endpgm", grid=64 * 200)
        self.same(job)

    def test_the_earliest_fault_is_the_fault(self):
        """Every workgroup loads from an address of its own that is not there, after a time of its own: those that fault later are not heard of."""
        job = self.raw("s_lshl_b32 s8, s2, 12\ns_sleep 3\nv_mov_b32 v1, s8\nv_mov_b32 v2, 0x77\nglobal_load_dword v3, v[1:2], off\ns_waitcnt vmcnt(0)\ns_endpgm", grid=64 * 500)
        self.same(job, code=3)
        self.same(job, "--machine", "mi100", code=3)

    def test_a_fault_while_everything_is_under_way(self):
        """Returns that come behind the fault of another wave must not ask for turns in the past."""
        code = "s_mov_b32 m0, 0x10000\nv_lshlrev_b32 v1, 2, v0\ns_load_dwordx2 s[0:1], s[0:1], 0x0\n" + "v_add_f64 v[8:9], v[8:9], v[8:9]\n" * 2 + \
               "ds_write_b32 v1, v0\nds_read_b64 v[6:7], v1\nv_rcp_f32 v4, v4\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, s0, v1\nv_addc_co_u32 v3, vcc, v3, 0, vcc\n" + \
               "flat_load_dword v5, v[2:3]\nglobal_load_dwordx4 v[10:13], v[2:3], off\nglobal_load_dword v14, v[2:3], off offset:16\n{}\nds_add_u32 v1, v0 gds\n" * 3 + "s_endpgm"
        for then in ("s_load_dwordx8 s[16:23], s[0:1], 0x40", "exp mrt0 v0, v0, v0, v0", "s_setpc_b64 s[0:1]", "v_mov_b32 v9, v8"):  # the loads fault too, a little later
            job = self.raw(code.replace("{}", then), grid=64 * 80, vgprs=24, lds=1024, user=(0x10000000, 1), buffers="[buffer.large]\nsize = 0x20000\naddress = 0x110000000\n")
            for machine in ("cu", "vega10"):
                with self.subTest(then=then, machine=machine):
                    self.same(job, "--machine", machine, "--set", "waitcnt=silent", code=3)


if __name__ == "__main__":
    support.main()
