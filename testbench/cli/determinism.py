#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same run twice is the same to the bit; AT, LT and AT with random latencies give the same memory."""
import re

import support
from support import CASES, LyraTest


class Repeated(LyraTest):
    def same_twice(self, case, machine, pattern, *more):
        seen = []
        for k in range(2):
            vcd, stats = self.folder / f"{k}.vcd", self.folder / f"{k}.json"
            code, out, err = self.lyra("run", CASES / case / "job.toml", "--machine", machine, "--vcd", vcd, "--trace", pattern, "--stats", stats, *more, seconds=200)
            self.assertEqual((code, err), (0, ""))
            report = re.sub(r"; simulated in .*", "", out)
            self.assertRegex(report, r"total \d+ cycles")
            seen.append((report, stats.read_bytes(), vcd.read_bytes()))
        for k, what in enumerate(("report", "statistics", "VCD")):
            self.assertTrue(seen[0][k] == seen[1][k], f"{case} on {machine}: {what} differs")
        self.assertGreater(seen[0][2].count(b"\n#"), 100)  # the VCD has more than a header
        self.assertIn(b'"cu0', seen[0][1])

    def test_mm_lds_on_one_compute_unit(self):
        self.same_twice("ocl/mm_lds", "cu", "*")

    def test_atomics_on_vega10(self):
        self.same_twice("ocl/atomics32", "vega10", "cu1*")

    def test_vadd_on_vega10(self):
        self.same_twice("ocl/vadd", "vega10", "*")

    def test_random_latencies_of_one_seed(self):
        self.same_twice("ocl/reduction", "vega10", "cu0.*", "--set", "chaos.seed=5")

    def test_loosely_timed(self):
        self.same_twice("ocl/transpose", "vega10", "*", "--mode", "lt")

    def test_another_seed_changes_the_cycles(self):
        reports = set()
        for seed in (0, 1, 2):
            code, out, err = self.lyra("run", CASES / "ocl/vadd/job.toml", "--set", f"chaos.seed={seed}")
            self.assertEqual((code, err), (0, ""))
            reports.add(re.search(r"total (\d+) cycles", out)[1])
        self.assertEqual(len(reports), 3)


class Memory(LyraTest):
    """Every buffer of a job, written out whole after the run, byte for byte."""

    VARIANTS = (("vega10", "at"), ("vega10", "lt"), ("cu", "at"), ("cu", "lt"), ("vega10", "at", "--set", "chaos.seed=1"), ("vega10", "at", "--set", "chaos.seed=2", "--set", "chaos.max_extra_cycles=300"),
                ("cu", "at", "--set", "chaos.seed=3"), ("vega20", "at"))

    def same_memory(self, case, job="job.toml"):
        self.copy_case(case)
        text = (self.folder / job).read_text()
        buffers = re.findall(r"^\[buffer\.([A-Za-z0-9_]+)\]", text, re.M)
        self.assertTrue(buffers)
        (self.folder / "all.toml").write_text(text + "".join(f'\n[[output]]\nbuffer = "{b}"\nfile = "{b}.out.bin"\n' for b in buffers))
        first = None
        for machine, mode, *more in self.VARIANTS:
            for b in buffers:
                (self.folder / f"{b}.out.bin").unlink(missing_ok=True)
            code, out, err = self.lyra("run", "all.toml", "--quiet", "--machine", machine, "--mode", mode, *more, seconds=250)
            self.assertEqual((code, err), (0, ""), (machine, mode, more))
            memory = {b: (self.folder / f"{b}.out.bin").read_bytes() for b in buffers}
            if first is None:
                first = memory
            for b in buffers:
                self.assertTrue(memory[b] == first[b], f"{case}: buffer {b} on {machine} {mode} {more} differs from {self.VARIANTS[0]}")


for name in ("mm_lds", "transpose", "reduction", "scan_blelloch", "histogram", "bitonic", "stencil2d", "kmeans", "floyd", "scratch", "barriers", "nonuniform"):
    setattr(Memory, f"test_{name}", lambda self, name=name: self.same_memory("ocl/" + name))
setattr(Memory, "test_mm_lds_unoptimised", lambda self: self.same_memory("ocl/mm_lds", "job.O0.toml"))
setattr(Memory, "test_radv_matmul", lambda self: self.same_memory("radv/prog_matmul"))

if __name__ == "__main__":
    support.main()
