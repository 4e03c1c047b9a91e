#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--set reset.at_cycle=N`: behind a reset of the whole machine a job runs exactly as in a new one: report, statistics, every signal of the VCD."""
import json
import re

import support
from support import CASES, LyraTest


class Reset(LyraTest):
    def run_job(self, case, *more):
        stats = self.folder / "s.json"
        code, out, err = self.lyra("run", CASES / case / "job.toml", "--stats", stats, *more, seconds=200)
        self.assertEqual((code, err), (0, ""), out)
        s = json.loads(stats.read_text())
        return re.sub(r"; simulated in .*", "", out), s["run"], s["statistics"]

    def same_behind_a_reset(self, case, cycles, *more):
        report, length, counters = self.run_job(case, *more)
        for cycle in cycles:
            again, run, counted = self.run_job(case, *more, "--set", f"reset.at_cycle={cycle}")
            self.assertEqual(again, f"reset at cycle {cycle}; the job runs again\n" + report)
            self.assertEqual((run, counted), (length, counters))

    def test_timed_on_one_compute_unit(self):
        self.same_behind_a_reset("ocl/mm_lds", (1, 2875, 20000), "--machine", "cu")

    def test_timed_on_vega10(self):
        self.same_behind_a_reset("ocl/histogram", (7000,))

    def test_loosely_timed(self):
        self.same_behind_a_reset("ocl/barriers", (500, 6000), "--mode", "lt", "--machine", "cu")

    def test_random_latencies(self):
        self.same_behind_a_reset("ocl/vadd", (3300, 5000), "--set", "chaos.seed=3", "--machine", "cu")

    def test_a_cycle_behind_the_end_resets_nothing(self):
        report, _, _ = self.run_job("ocl/vadd", "--machine", "cu")
        self.assertEqual(self.run_job("ocl/vadd", "--machine", "cu", "--set", "reset.at_cycle=1000000")[0], report)

    def changes(self, file):
        """Changes of a VCD by time, signals by name; and its last time."""
        names, scope, seen, time = {}, [], {}, 0
        for line in file.read_text().splitlines():
            word = line.split()
            if line.startswith("$scope"): scope.append(word[2])
            elif line.startswith("$upscope"): scope.pop()
            elif line.startswith("$var"): names[word[3]] = ".".join(scope + [word[4]])
            elif line[0] == "#": time = int(line[1:])
            elif line[0] in "01": seen.setdefault(time, {})[names[line[1:].strip()]] = line[0]
            elif line[0] in "bs": seen.setdefault(time, {})[names[word[1]]] = word[0]
        return seen, time

    def test_every_signal_is_the_same(self):
        self.run_job("ocl/mm_lds", "--machine", "cu", "--vcd", self.folder / "a.vcd")
        self.run_job("ocl/mm_lds", "--machine", "cu", "--vcd", self.folder / "b.vcd", "--set", "reset.at_cycle=20000")
        first, end = self.changes(self.folder / "a.vcd")
        second, later = self.changes(self.folder / "b.vcd")
        origin = later - end
        self.assertGreater(origin, 19000 * 667)
        behind = {t - origin: c for t, c in second.items() if t > origin}
        self.assertTrue({t: c for t, c in first.items() if t > 0} == behind)
        self.assertGreater(len(behind), 10000)

    def test_what_cannot_follow_a_reset_is_said(self):
        self.fails(2, "time starts again with a reset: --timeline", "run", CASES / "ocl/vadd/job.toml", "--timeline", "t.json", "--set", "reset.at_cycle=100")


if __name__ == "__main__":
    support.main()
