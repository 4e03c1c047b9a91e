#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A turn refuses an instruction again without a look at its wave. With hazards=model it looks at every wave: the same cycles and causes."""
import json

import support
from support import CASES, LyraTest


class Refused(LyraTest):
    def same(self, job, *more):
        seen = []
        for hazards in ("report", "model"):
            stats = self.folder / f"{hazards}.json"
            code, out, err = self.lyra("run", job, "--quiet", "--stats", stats, "--set", f"hazards={hazards}", *more, seconds=200)
            self.assertEqual((code, err), (0, ""), job)
            s = json.loads(stats.read_text())
            seen.append((s["run"], s["statistics"]))
        (run, quick), (run_of_model, looking) = seen
        self.assertEqual(run, run_of_model, job)
        for module, values in looking.items():
            self.assertEqual(quick[module], values, f"{job}: {module}")
        return quick

    def test_kernels(self):
        for case in ("mm_lds", "histogram", "atomics32", "reduction", "transpose", "bitonic"):
            for machine in ("cu", "vega10"):
                with self.subTest(case=case, machine=machine):
                    self.same(CASES / "ocl" / case / "job.toml", "--machine", machine)

    def test_random_latencies(self):
        for seed in (3, 4):
            self.same(CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--set", f"chaos.seed={seed}")

    def test_forty_waves_that_want_everything_at_once(self):
        """Scalar, vector, LDS, GDS, FLAT and ALU instructions of many waves: each cause of a refusal occurs."""
        code = "s_mov_b32 m0, 0x10000\nv_lshlrev_b32 v1, 2, v0\nv_lshlrev_b32 v15, 5, v0\n" + "s_load_dwordx16 s[16:31], s[0:1], 0x20\ns_dcache_wb\n" * 3 + "v_add_f64 v[8:9], v[8:9], v[8:9]\n" * 2 + \
               "ds_write_b32 v1, v0\nds_read_b64 v[6:7], v1\n" + "ds_read_b32 v16, v15\n" * 8 + "s_add_u32 s6, s6, 1\nv_rcp_f32 v4, v4\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, s0, v1\nv_addc_co_u32 v3, vcc, v3, 0, vcc\n" + \
               "flat_load_dword v5, v[2:3]\nglobal_load_dwordx4 v[10:13], v[2:3], off\nglobal_load_dword v14, v[2:3], off offset:16\ns_load_dwordx8 s[16:23], s[0:1], 0x40\nds_add_u32 v1, v0 gds\n" * 3 + \
               "s_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_store_dwordx2 v[2:3], v[10:11], off\nflat_store_dword v[2:3], v5 offset:8\ns_endpgm"
        job = self.raw(code, grid=64 * 80, vgprs=24, lds=2048, user=(0x10000000, 1), buffers="[buffer.large]\nsize = 0x20000\naddress = 0x110000000\n")
        cu = self.same(job, "--machine", "cu", "--set", "waitcnt=silent")["cu0"]
        for cause in ("arbitration_lost", "valu_busy", "vmem_busy", "lds_busy", "smem_busy"):
            self.assertGreater(cu[cause]["value"], 0, cause)


if __name__ == "__main__":
    support.main()
