#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweep files: what they mean, and what is wrong with them; analysis of tables."""
import math

import support
from support import CASES, ScriptTest

from lyra_sweep import analysis, metrics, spec
from lyra_sweep.errors import SweepError
from lyra_sweep.machines import Lyra

JOB = f'jobs = ["{CASES}/ocl/vadd/job.toml"]\n'


class Format(ScriptTest):
    def load(self, text):
        return spec.load(self.write("s.toml", text), Lyra(support.LYRA))

    def wrong(self, text, pattern):
        with self.assertRaisesRegex(SweepError, pattern):
            self.load(text)

    def test_a_grid_is_every_combination_in_order(self):
        s = self.load(JOB + '[sweep]\nl1.ways = [4, 2]\n"smem.ordering" = ["in_order", "shuffled"]\n')
        self.assertEqual([p.swept for p in s.points], [{"l1.ways": w, "smem.ordering": o} for w in ("4", "2") for o in ("in_order", "shuffled")])
        self.assertEqual(len({p.key for p in s.points}), 4)

    def test_ranges_include_their_ends(self):
        s = self.load(JOB + "[sweep]\nl1.size_bytes = {from = 4096, to = 32768, factor = 2}\ncore_mhz = {from = 1000, to = 1500, step = 250}\nmemory_mhz = {from = 0.1e4, to = 1001.5, step = 0.5}\n")
        self.assertEqual([a.values for a in s.axes], [["4096", "8192", "16384", "32768"], ["1000", "1250", "1500"], ["1000", "1000.5", "1001", "1001.5"]])

    def test_units_and_meanings_come_from_the_machine(self):
        s = self.load(JOB + "[sweep]\nl2.channels = [1, 2]\n")
        self.assertEqual(s.axes[0].column, "l2.channels [channels]")
        self.assertIn("atomic unit", s.axes[0].meaning)

    def test_random_samples_of_one_seed_are_the_same(self):
        text = JOB + "[random]\nsamples = 20\nseed = 7\nl1.hit_latency_cycles = {from = 10, to = 200}\nl1.size_bytes = {from = 1024, to = 65536, scale = \"log\"}\nsmem.ordering = [\"in_order\", \"shuffled\"]\n"
        one, two, other = (self.load(t).points for t in (text, text, text.replace("seed = 7", "seed = 8")))
        self.assertEqual([p.swept for p in one], [p.swept for p in two])
        self.assertNotEqual([p.swept for p in one], [p.swept for p in other])
        self.assertEqual(len(one), 20)
        sizes = [int(p.swept["l1.size_bytes"]) for p in one]
        self.assertTrue(all(1024 <= v <= 65536 for v in sizes))
        self.assertGreater(sum(v < 8192 for v in sizes), 5)  # half of the magnitudes lie below
        self.assertTrue(all(10 <= int(p.swept["l1.hit_latency_cycles"]) <= 200 for p in one))

    def test_machines_are_an_axis_and_fixed_settings_go_everywhere(self):
        s = self.load(JOB + 'machine = ["cu", "vega10"]\n[set]\nsmem.ordering = "in_order"\n[sweep]\nl1.ways = [2, 4]\n')
        self.assertEqual([(p.machine, p.settings) for p in s.points], [(m, {"smem.ordering": "in_order", "l1.ways": w}) for m in ("cu", "vega10") for w in ("2", "4")])
        self.assertEqual([a.name for a in s.axes], ["machine", "l1.ways"])

    def test_a_point_is_known_by_all_that_can_change_it(self):
        (self.folder / "d.bin").write_bytes(b"1234")
        job = self.write("j.toml", '[buffer.a]\nfile = "d.bin"\n')
        text = 'jobs = ["j.toml"]\nmachine = "cu"\n[sweep]\nl1.ways = [2]\n'
        keys = [self.load(text).points[0].key]
        (self.folder / "d.bin").write_bytes(b"1235")
        keys.append(self.load(text).points[0].key)
        job.write_text('[buffer.a]\nfile = "d.bin"\n# another\n')
        keys.append(self.load(text).points[0].key)
        keys += [self.load(text.replace(a, b)).points[0].key for a, b in (("[2]", "[4]"), ('"cu"', '"vega10"'), ("[sweep]", 'mode = "lt"\n[sweep]'), ("[sweep]", "[set]\ncu.vgprs = 128\n[sweep]"))]
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(self.load(text).points[0].key, keys[2])

    def test_unknown_names_are_errors_with_the_nearest_and_the_line(self):
        self.wrong(JOB + "[sweep]\nl1.way = [2]\n", r's\.toml:3: no parameter "l1\.way"; did you mean "l1\.ways"')
        self.wrong(JOB + "[sweep]\nl2.channel = [2]\n", r'did you mean "l2\.channels"')
        self.wrong(JOB + "machin = \"cu\"\n[sweep]\nl1.ways = [2]\n", r's\.toml:2: no key "machin" in a sweep file; did you mean "machine"')
        self.wrong(JOB + "[sweep]\nl1.ways = {from = 1, to = 4, stp = 1}\n", r'no key "stp".*did you mean "step"')
        self.wrong(JOB + 'report = ["tim"]\n[sweep]\nl1.ways = [2]\n', r'no metric "tim"; did you mean "time"')
        self.wrong(JOB + '[metric.x]\nsums = "cu*.l1.hits"\n[sweep]\nl1.ways = [2]\n', r'no key "sums".*did you mean "sum"')
        self.wrong(JOB + "[random]\nsample = 3\nl1.ways = [2]\n", "needs samples")
        self.wrong(JOB + 'machine = "vega11"\n[sweep]\nl1.ways = [2]\n', r"s\.toml:2: .*no such machine: give one of")

    def test_values_are_checked_against_the_machine(self):
        self.wrong(JOB + "[sweep]\nl1.ways = [0]\n", r"l1\.ways = 0: must be at least 1 ways")
        self.wrong(JOB + "[sweep]\nl2.channels = [4, 65]\n", "l2.channels = 65: must be at most 64 channels")
        self.wrong(JOB + "[sweep]\nl1.ways = [2.5]\n", "must be a whole number")
        self.wrong(JOB + '[sweep]\nl1.ways = ["4"]\n', "must be a number")
        self.wrong(JOB + "[sweep]\nl1.write_combine = [1]\n", "must be true or false")
        self.wrong(JOB + '[sweep]\nsmem.ordering = ["inorder"]\n', r'must be one of as_it_comes, in_order, shuffled; did you mean "in_order"')
        self.wrong(JOB + "[random]\nsamples = 2\nl2.channels = {from = 1, to = 100}\n", "must be at most 64")
        self.wrong(JOB + "[set]\nl1.ways = 300\n[sweep]\nl2.channels = [1]\n", "must be at most 256")

    def test_what_makes_no_sense(self):
        self.wrong(JOB, "nothing to sweep")
        self.wrong("[sweep]\nl1.ways = [2]\n", "jobs must be a list")
        self.wrong('jobs = ["nowhere.toml"]\n[sweep]\nl1.ways = [2]\n', "no job file")
        self.wrong('jobs = ["*.job"]\n[sweep]\nl1.ways = [2]\n', "finds no file")
        self.wrong(JOB + "[sweep]\nl1.ways = []\n", "give a list")
        self.wrong(JOB + "[sweep]\nl1.ways = 4\n", "give a list of values, or a range")
        self.wrong(JOB + "[sweep]\nl1.ways = [4, 4]\n", "a value stands twice")
        self.wrong(JOB + "[sweep]\nl1.ways = {from = 4, to = 1, step = 1}\n", "the range must rise")
        self.wrong(JOB + "[sweep]\nl1.ways = {from = 1, to = 4}\n", "a range is")
        self.wrong(JOB + "[set]\nl1.ways = 4\n[sweep]\nl1.ways = [2]\n", "more than one of")
        self.wrong(JOB + 'pareto = ["time"]\n[sweep]\nl1.ways = [2]\n', "pareto names two metrics")
        self.wrong(JOB + "mode = 3\n[sweep]\nl1.ways = [2]\n", "mode must be")
        self.wrong("jobs = [", "no TOML")

    def test_job_patterns(self):
        for n in ("b.toml", "a.toml"):
            self.write(n, "")
        s = self.load('jobs = ["[ab].toml"]\n[sweep]\nl1.ways = [2]\n')
        self.assertEqual(s.jobs, ["a.toml", "b.toml"])


class Tables(ScriptTest):
    STATISTICS = {"run": {"cycles": 1000, "ps": 2000000}, "statistics": {
        f"cu{k}": {"instructions": {"value": 100 + k, "unit": "", "meaning": ""}, "lds": {"value": 3, "unit": "", "meaning": "", "reads": {"value": 5, "unit": "", "meaning": ""}},
                   "l1": {"reads": {"value": 50, "unit": "", "meaning": ""}, "hits": {"value": 10 * k, "unit": "", "meaning": ""}}} for k in range(3)}}

    def test_counters_and_sums(self):
        c = metrics.Counters(self.STATISTICS)
        self.assertEqual(c.total("cu*.instructions"), 303)
        self.assertEqual((c.total("cu*.lds"), c.total("cu*.lds.reads"), c.total("cu1.l1.hits")), (9, 15, 10))
        self.assertIsNone(c.total("cu*.nothing"))
        self.assertEqual(metrics.BUILT_IN["l1_hit_rate"].of(c), 20)
        self.assertEqual(metrics.BUILT_IN["time"].of(c), 2)
        self.assertIsNone(metrics.BUILT_IN["l2_hit_rate"].of(c))
        own = metrics.Metric.of_counters("x", "cu*.l1.hits", "cu*.instructions", "%", "more", "", 100)
        self.assertAlmostEqual(own.of(c), 100 * 30 / 303)

    def test_numbers_in_tables(self):
        self.assertEqual([metrics.number_text(v) for v in (None, 123456789, 0.1234567, 2.0)], ["", "123456789", "0.123457", "2"])

    def table(self, value):
        """A sweep of two parameters with time = value(a, b)."""
        axes = [spec.Axis("a", ["1", "2", "4"]), spec.Axis("b", ["x", "y"], numeric=False)]
        s = spec.Sweep(None, "", ["j"], "at", axes, [], {m: metrics.BUILT_IN[m] for m in ("time", "l2_requests")}, [], [])
        rows = [{"job": "j", "a": a, "b": b, "status": "right", "error": "", "time": value(int(a), b)[0], "l2_requests": value(int(a), b)[1]} for a in axes[0].values for b in axes[1].values]
        return s, rows

    def test_effects_rank_the_parameter_that_moves_most(self):
        s, rows = self.table(lambda a, b: (100 + 10 * a + (100 if b == "y" else 0), 1))
        f = analysis.frame(s, rows + [{**rows[0], "status": "crash", "time": None}])
        e = analysis.effects(f, s, "time")
        self.assertEqual(list(e.index), ["b", "a"])
        mean = lambda a: 150 + 10 * a  # noqa: E731
        self.assertAlmostEqual(e["j"]["a"], 100 * (mean(4) / mean(1) - 1))
        x = 100 + 10 * 7 / 3
        self.assertAlmostEqual(e["j"]["b"], 100 * ((x + 100) / x - 1))
        self.assertEqual(analysis.best_values(f, s, "time", "less")["j"], {"a": 1, "b": "x"})

    def test_pareto_front(self):
        points = {(1, "x"): (1, 9), (1, "y"): (2, 5), (2, "x"): (3, 5), (2, "y"): (4, 1), (4, "x"): (5, 2), (4, "y"): (2, 6)}
        s, rows = self.table(lambda a, b: points[a, b])
        front = analysis.pareto(analysis.frame(s, rows), s.metrics["time"], s.metrics["l2_requests"])
        self.assertEqual(sorted(zip(front["time"], front["l2_requests"])), [(1, 9), (2, 5), (4, 1)])

    def test_drawn_numbers_are_put_in_ranges(self):
        axis = spec.Axis("a", [str(v) for v in range(100)], random=True)
        s = spec.Sweep(None, "", ["j"], "at", [axis], [], {"time": metrics.BUILT_IN["time"]}, [], [])
        f = analysis.frame(s, [{"job": "j", "a": str(v), "status": "right", "error": "", "time": 10 + v} for v in range(100)])
        means = f.groupby(analysis.levels(f, axis), observed=True)["time"].mean()
        self.assertEqual(len(means), 5)
        self.assertTrue(math.isclose(means.iloc[0], 19.5) and math.isclose(means.iloc[-1], 99.5))


if __name__ == "__main__":
    support.main()
