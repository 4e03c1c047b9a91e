#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `lyra run` reports, and the lists that say what there is."""
import json
import re

import support
from support import CASES, LyraTest


class Report(LyraTest):
    def run_mm(self, *more):
        code, out, err = self.lyra("run", CASES / "ocl/mm_lds/job.toml", *more)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_every_cache_has_a_row(self):
        out = self.run_mm("--machine", "cu")
        for name in ("I\\$", "K\\$", "L1", "L2 reads", "L2 writes"):
            row = re.search(rf"^ +{name} +(\d+) +(\d+) +(\d+) +[\d.]+ %$", out, re.M)
            self.assertTrue(row, f"no row {name} in\n{out}")
            requests, hits, merged = (int(v) for v in row.groups())
            self.assertGreater(requests, 0)
            self.assertLessEqual(hits + merged, requests)
        self.assertRegex(out, r"LDS: \d+ instructions")

    def test_stall_causes_add_up_to_the_lives_of_waves(self):
        shares = [float(v) for v in re.findall(r"^    [a-z_]+ +\d+ +([\d.]+) %", self.run_mm().split("where wave-cycles went")[1].split("caches and memory")[0], re.M)]
        self.assertGreater(len(shares), 5)
        self.assertAlmostEqual(sum(shares), 100, delta=0.06 * len(shares))

    def test_machine_settings_and_seed_stand_in_the_statistics(self):
        self.run_mm("--stats", self.folder / "s.json", "--set", "l2.channels=8", "--set", "chaos.seed=3")
        about = json.dumps(json.loads((self.folder / "s.json").read_text()))
        for word in ("vega10", "l2.channels", "lyra 0.", '"seed": "3"', "mm_lds"):
            self.assertIn(word, about)

    def test_a_bigger_machine_is_not_slower(self):
        cycles = [int(re.search(r"total (\d+) cycles", self.run_mm("--machine", m))[1]) for m in ("cu", "vega10")]
        self.assertGreater(cycles[0], cycles[1])

    def test_quiet_right_runs_say_nothing(self):
        self.assertEqual(self.run_mm("--quiet"), "")

    def test_statistics_every_so_many_cycles(self):
        self.run_mm("--machine", "cu", "--stats", self.folder / "s.json", "--stats-every", 2000)
        lines = (self.folder / "s.jsonl").read_text().splitlines()
        self.assertGreater(len(lines), 3)
        for line in lines:
            json.loads(line)

    def test_trace_window_bounds_the_dump(self):
        self.run_mm("--vcd", self.folder / "w.vcd", "--trace", "cu0*", "--trace-window", "4000:4500")
        times = [int(t) for t in re.findall(r"^#(\d+)", (self.folder / "w.vcd").read_text(), re.M)]
        self.assertGreater(len(times), 5)
        self.assertGreaterEqual(min(t for t in times if t), 4000 * 667)
        self.assertLessEqual(max(times), 4500 * 667)

    def test_timeline_has_a_slice_for_every_instruction_and_all_wave_cycles(self):
        self.run_mm("--machine", "cu", "--timeline", self.folder / "t.json", "--stats", self.folder / "s.json")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        slices = [(names[e["pid"], e["tid"]], e) for e in events if e["ph"] == "X"]
        cu = json.loads((self.folder / "s.json").read_text())["statistics"]["cu0"]
        self.assertEqual(sum(n.endswith("instructions") for n, _ in slices), cu["instructions"]["value"])
        period = 667e-6  # us
        cycles = sum(e["dur"] for n, e in slices if n.endswith("cycles")) / period
        self.assertAlmostEqual(cycles / cu["wave_cycles"]["value"], 1, delta=0.001)
        last = {}
        for n, e in slices:  # slices of a track follow one another
            self.assertGreaterEqual(e["ts"] + 1e-6, last.get(n, 0), n)
            last[n] = e["ts"] + e["dur"]


class Lists(LyraTest):
    def listed(self, *arguments):
        code, out, err = self.lyra(*arguments)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_parameters_have_unit_range_and_meaning(self):
        out = self.listed("machine", "--list")
        for name in ("l2.channels", "l1.ways", "cu.wave_slots", "chaos.seed", "memory."):
            self.assertIn(name, out)
        self.assertIn("l1.ways", self.listed("machine", "--list", "l1.*"))
        self.assertNotIn("l2.channels", self.listed("machine", "--list", "l1.*"))

    def test_lists_for_programs_hold_the_same(self):
        parameters = json.loads(self.listed("machine", "--list", "--json"))
        self.assertEqual([p["name"] for p in parameters], [line.split()[0] for line in self.listed("machine", "--list").splitlines()[1:]])
        ways = {p["name"]: p for p in parameters}["l1.ways"]
        self.assertEqual((ways["type"], ways["value"], ways["unit"], ways["minimum"], ways["maximum"]), ("whole", "4", "ways", 1, 256))
        ordering = {p["name"]: p for p in parameters}["smem.ordering"]
        self.assertEqual((ordering["type"], ordering["choices"]), ("text", ["as_it_comes", "in_order", "shuffled"]))
        changed = {p["name"]: p for p in json.loads(self.listed("machine", "--list", "--json", "--set", "l1.ways=8"))}["l1.ways"]
        self.assertEqual((changed["value"], changed["default"]), ("8", "4"))
        counters = json.loads(self.listed("stats", "--list", "--json"))
        self.assertEqual([c["name"] for c in counters], [line.split()[0] for line in self.listed("stats", "--list").splitlines()[1:]])

    def test_counters_and_signals(self):
        self.assertGreater(len(self.listed("stats", "--list").splitlines()), 100)
        self.assertRegex(self.listed("trace", "--list"), r"(?m)^cu0\.\S+ +\d+ bit  \S")

    def test_machines(self):
        for name, chip in (("vega10", "gfx900"), ("vega20", "gfx906"), ("cu", "gfx900")):
            self.assertIn(name, self.listed("machine", "--machine", name))


if __name__ == "__main__":
    support.main()
