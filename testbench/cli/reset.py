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

    def samples(self, name):
        lines = [json.loads(line) for line in (self.folder / name).read_text().splitlines()]
        self.assertIn("about", lines[0])
        return lines[1:]

    def test_samples_of_the_statistics_have_a_mark_and_start_again(self):
        whole, cut = self.folder / "whole.json", self.folder / "cut.json"
        for stats, more in ((whole, ()), (cut, ("--set", "reset.at_cycle=9500"))):
            code, out, err = self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--stats", stats, "--stats-every", 2000, *more)
            self.assertEqual((code, err), (0, ""), out)
        first, second = self.samples("whole.jsonl"), self.samples("cut.jsonl")
        marks = [n for n, line in enumerate(second) if line.get("reset")]
        self.assertEqual(len(marks), 1)
        mark = second[marks[0]]
        self.assertEqual((mark["cycle"], mark["ps"]), (9500, 9500 * 667))
        before, behind = second[:marks[0]], second[marks[0] + 1:]
        self.assertEqual([s["cycle"] for s in before], [2000, 4000, 6000, 8000, 9500])
        self.assertEqual(before[:4], first[:4])
        self.assertEqual(behind, first)
        self.assertGreater(len(behind), 5)

    def timeline(self, name, *more):
        code, out, err = self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--timeline", self.folder / name, *more)
        self.assertEqual((code, err), (0, ""), out)
        events = json.loads((self.folder / name).read_text())["traceEvents"]
        tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        return [(e["ph"], e["pid"], tracks[e["pid"], e["tid"]], e["name"], round(e["ts"] * 1e6), round(e.get("dur", 0) * 1e6), json.dumps(e.get("args", {}), sort_keys=True)) for e in events if e["ph"] != "M"]

    def test_the_timeline_has_a_bar_for_the_reset_and_goes_on_behind_it(self):
        first, second = self.timeline("a.json"), self.timeline("b.json", "--set", "reset.at_cycle=9500", "--set", "reset.cycles=40")
        bars = [e for e in second if e[2] == "reset"]
        self.assertEqual([(b[4], b[5]) for b in bars], [(9500 * 667, 40 * 667)])
        origin, at = 9540 * 667, second.index(bars[0])
        behind = [e[:4] + (e[4] - origin,) + e[5:] for e in second[at + 1:]]
        self.assertTrue(behind == first)
        self.assertGreater(len(first), 10000)
        # before it: the same as without a reset up to that cycle, and the waves' cycles are whole
        before, cut = second[:at], 9500 * 667
        early = lambda events: sorted(e for e in events if e[2].endswith("instructions") and e[4] + e[5] < cut)
        self.assertTrue(early(before) == early(first))
        spent = lambda events: sum(min(e[4] + e[5], cut) - e[4] for e in events if e[2].endswith("cycles") and e[2].startswith("simd") and e[4] < cut)
        self.assertEqual(spent(before), spent(first))
        # every counter is 0 while reset is asserted
        last = {}
        for e in before:
            if e[0] == "C": last[e[1], e[2]] = json.loads(e[6])["value"]
        self.assertGreater(len(last), 5)
        self.assertEqual(set(last.values()), {0})


if __name__ == "__main__":
    support.main()
