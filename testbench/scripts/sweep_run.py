#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps that run: killed and resumed, failing points, the same on local cores and on Slurm."""
import csv
import json
import os
import re
import signal
import subprocess
import time

import support
from support import CASES, ROOT, SWEEP, ScriptTest

POINTS = 3 * 2 * 3 * 2


def table(file):
    with open(file, newline="") as f:
        return list(csv.DictReader(f))


class Local(ScriptTest):
    def test_killed_in_the_middle_and_resumed_is_the_same_as_uninterrupted(self):
        self.write("s.toml", SWEEP)
        self.sweep("s.toml", "--out", "whole", "--workers", 2)
        points = self.folder / "killed/points"
        for at in (3, 11):  # twice: in the first run, and in the one that resumes it
            p = subprocess.Popen(self.command("s.toml", "--out", "killed", "--workers", "2"), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 120
            while len(list(points.glob("*.stats.json.gz"))) < at and p.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            p.send_signal(signal.SIGKILL)
            p.wait()
            done = [f for f in points.glob("*.json")]
            self.assertGreaterEqual(len(done), at - 2)
            self.assertLess(len(done), POINTS)
            for f in done:  # whole or not there
                json.loads(f.read_text())
            self.assertFalse((self.folder / "killed/results.csv").exists())
        out, _ = self.sweep("s.toml", "--out", "killed", "--workers", 1)
        self.assertRegex(out, rf"^\d+ of {POINTS} points are there already")
        whole, resumed = ((self.folder / n / "results.csv").read_bytes() for n in ("whole", "killed"))
        self.assertEqual(whole, resumed)
        self.assertEqual(len(whole.splitlines()), POINTS + 1)
        self.assertFalse(list(points.glob(".tmp*")))
        self.assertEqual((self.folder / "whole/report.html").read_bytes(), (self.folder / "killed/report.html").read_bytes())

    def test_results_are_a_tidy_table(self):
        self.write("s.toml", SWEEP)
        self.sweep("s.toml", "--out", "o", "--no-report")
        rows = table(self.folder / "o/results.csv")
        self.assertEqual([(r["job"].split("/")[-2], r["l1.size_bytes [bytes]"], r["l2.channels [channels]"], r["smem.ordering"]) for r in rows],
                         [(j, s, c, o) for j in ("transpose", "mm_lds", "vadd") for s in ("8192", "16384") for c in ("1", "2", "4") for o in ("in_order", "shuffled")])
        for r in rows:
            self.assertEqual((r["status"], r["error"]), ("right", ""))
            self.assertGreater(float(r["time [us]"]), 1)
            self.assertAlmostEqual(sum(float(v) for k, v in r.items() if k.endswith("[% of wave-cycles]")), 100, delta=0.01)
        # a point is what lyra says of the same run
        r = rows[7]
        subprocess.run([support.LYRA, "run", r["job"], "--quiet", "--machine", "cu", "--stats", "one.json", "--set", "l1.size_bytes=16384", "--set", "l2.channels=1", "--set", "smem.ordering=shuffled"], cwd=self.folder, check=True)
        self.assertEqual(int(r["cycles [cycles]"]), json.loads((self.folder / "one.json").read_text())["run"]["cycles"])

    def test_failed_points_are_kept_and_retried_on_request(self):
        job = self.write("job.toml", f'[code]\nobject = "{CASES}/ocl/vadd/k.co"\n[buffer.a]\nsize = 4096\n[[dispatch]]\nkernel = "none"\ngrid = [64, 1, 1]\nworkgroup = [64, 1, 1]\nargs = []\n')
        good = job.read_text().replace('"none"', '"vadd"')
        self.write("s.toml", f'jobs = ["job.toml", "{CASES}/ocl/vadd/job.toml"]\nmachine = "cu"\nmax_cycles = 1000000\n[sweep]\nl1.ways = [2, 4]\n')
        out, err = self.sweep("s.toml", "--no-report", code=1)
        self.assertIn("2 of 4 points right", out)
        self.assertRegex(err, r"failed: job\.toml l1\.ways=2: bad input: .*no kernel")
        rows = table(self.folder / "s.sweep/results.csv")
        self.assertEqual([r["status"] for r in rows], ["bad input"] * 2 + ["right"] * 2)
        self.assertEqual(rows[0]["time [us]"], "")
        self.assertRegex(rows[0]["error"], "no kernel")
        kept = {f: f.stat().st_mtime_ns for f in (self.folder / "s.sweep/points").glob("*.json")}
        out, _ = self.sweep("s.toml", "--no-report", code=1)  # not run again
        self.assertIn("4 of 4 points are there already, 2 of them failed", out)
        self.assertEqual(kept, {f: f.stat().st_mtime_ns for f in kept})
        self.sweep("s.toml", "--no-report", "--retry-failed", code=1)
        self.assertEqual(sum(f.stat().st_mtime_ns != t for f, t in kept.items()), 2)
        self.assertTrue(good)

    def test_limits(self):
        text = f'jobs = ["{CASES}/ocl/mm_lds/job.toml"]\nmachine = "cu"\n[sweep]\nl1.ways = [4]\n'
        self.write("c.toml", "max_cycles = 3000\n" + text)
        self.sweep("c.toml", "--no-report", code=1)
        self.assertEqual(table(self.folder / "c.sweep/results.csv")[0]["status"], "machine fault")
        self.write("t.toml", "seconds = 0.01\n" + text)
        self.sweep("t.toml", "--no-report", code=1)
        self.assertEqual(table(self.folder / "t.sweep/results.csv")[0]["status"], "time out")

    def test_loosely_timed_points_have_no_stalls(self):
        self.write("s.toml", f'jobs = ["{CASES}/ocl/vadd/job.toml"]\nmachine = ["cu", "vega10"]\nmode = "lt"\nreport = ["time", "stall_vmcnt"]\n[metric.vectors]\nsum = "cu*.valu"\nunit = "wave-instructions"\n')
        self.sweep("s.toml")
        rows = table(self.folder / "s.sweep/results.csv")
        self.assertEqual([(r["machine"], r["status"], r["stall_vmcnt [% of wave-cycles]"]) for r in rows], [("cu", "right", ""), ("vega10", "right", "")])
        self.assertGreater(int(rows[0]["vectors [wave-instructions]"]), 10)
        self.assertIn("No value in any point", (self.folder / "s.sweep/report.html").read_text())

    def test_a_random_sweep_with_a_report(self):
        self.write("s.toml", f'jobs = ["{CASES}/ocl/vadd/job.toml"]\nmachine = "cu"\n[random]\nsamples = 16\nseed = 3\ncore_mhz = {{ from = 300, to = 3000 }}\nl2.channels = [1, 4]\n')
        self.sweep("s.toml")
        rows = table(self.folder / "s.sweep/results.csv")
        self.assertEqual(len(rows), 16)
        self.assertTrue(all(r["status"] == "right" for r in rows))
        slow, fast = (max(rows, key=lambda r: s * float(r["core_mhz [MHz]"])) for s in (-1, 1))
        self.assertGreater(float(slow["time [us]"]), float(fast["time [us]"]))
        self.assertTrue((self.folder / "s.sweep/plots/time-lines.svg").exists())

    def test_a_changed_sweep_runs_only_what_is_new(self):
        text = f'jobs = ["{CASES}/ocl/vadd/job.toml"]\nmachine = "cu"\n[sweep]\nl1.ways = [2, 4]\n'
        self.write("s.toml", text)
        self.sweep("s.toml", "--no-report")
        self.write("s.toml", text.replace("[2, 4]", "[2, 4, 8]"))
        out, _ = self.sweep("s.toml", "--no-report")
        self.assertIn("2 of 3 points are there already", out)

    def test_one_sweep_at_a_time_in_a_folder(self):
        self.write("s.toml", SWEEP)
        p = subprocess.Popen(self.command("s.toml", "--workers", "1"), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not list((self.folder / "s.sweep/points").glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.02)
        _, err = self.sweep("s.toml", code=2)
        self.assertIn("another sweep is at work", err)
        p.send_signal(signal.SIGINT)  # as Ctrl-C: ends soon, says how to go on, leaves no half points
        self.assertEqual(p.wait(timeout=30), 130)
        self.assertFalse(list((self.folder / "s.sweep/points").glob(".tmp*")))

    def test_outputs_of_jobs_stay_apart(self):
        text = (CASES / "ocl/vadd/job.toml").read_text()
        for f in (CASES / "ocl/vadd").iterdir():
            (self.folder / f.name).write_bytes(f.read_bytes())
        buffer = re.search(r"^\[buffer\.(\w+)\]", text, re.M)[1]
        self.write("job.toml", text + f'\n[[output]]\nbuffer = "{buffer}"\nfile = "made.bin"\n')
        self.write("s.toml", 'jobs = ["job.toml"]\nmachine = "cu"\n[sweep]\nl1.ways = [2, 4]\n')
        self.sweep("s.toml", "--no-report")
        self.assertFalse((self.folder / "made.bin").exists())


class Slurm(ScriptTest):
    """Debian's slurmctld and slurmd, started on this machine for the test."""

    def setUp(self):
        super().setUp()
        self.cluster = self.folder / "cluster"
        self.addCleanup(subprocess.run, [ROOT / "testbench/slurm/cluster", "stop", self.cluster], check=True)
        subprocess.run([ROOT / "testbench/slurm/cluster", "start", self.cluster], check=True, timeout=120)
        self.environment = {**os.environ, "SLURM_CONF": str(self.cluster / "slurm.conf")}
        self.folder.chmod(0o755)

    def test_the_same_results_as_on_local_cores(self):
        self.write("s.toml", SWEEP)
        self.sweep("s.toml", "--out", "local", "--no-report")
        out, _ = self.sweep("s.toml", "--out", "slurm", "--engine", "slurm", "--tasks", 6, environment=self.environment)
        self.assertIn(f"{POINTS} of {POINTS} points right", out)
        self.assertEqual((self.folder / "local/results.csv").read_bytes(), (self.folder / "slurm/results.csv").read_bytes())

    def test_submitted_left_and_collected_later(self):
        self.write("s.toml", SWEEP)
        self.sweep("s.toml", "--out", "local", "--no-report")
        out, _ = self.sweep("s.toml", "--out", "slurm", "--engine", "slurm", "--tasks", 4, "--no-wait", environment=self.environment)
        number = re.search(r"array (\d+) submitted", out)[1]
        self.assertFalse((self.folder / "slurm/results.csv").exists())
        self.sweep("s.toml", "--out", "slurm", "--engine", "slurm", "--tasks", 4, environment=self.environment)  # joins the array
        self.assertEqual((self.folder / "slurm/slurm/job").read_text().strip(), number)
        self.assertEqual((self.folder / "local/results.csv").read_bytes(), (self.folder / "slurm/results.csv").read_bytes())

    def test_a_cancelled_array_is_told_and_resumed(self):
        self.write("s.toml", SWEEP)
        self.sweep("s.toml", "--out", "local", "--no-report")
        out, _ = self.sweep("s.toml", "--out", "slurm", "--engine", "slurm", "--tasks", 2, "--no-wait", environment=self.environment)
        deadline = time.monotonic() + 60
        while not list((self.folder / "slurm/points").glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        subprocess.run(["scancel", re.search(r"array (\d+)", out)[1]], check=True, env=self.environment)
        deadline = time.monotonic() + 60
        while subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, env=self.environment).stdout.strip() and time.monotonic() < deadline:
            time.sleep(0.2)
        done = len(list((self.folder / "slurm/points").glob("*.stats.json.gz")))
        self.assertLess(done, POINTS)
        self.sweep("s.toml", "--out", "slurm", "--engine", "slurm", "--tasks", 2, environment=self.environment)
        self.assertEqual((self.folder / "local/results.csv").read_bytes(), (self.folder / "slurm/results.csv").read_bytes())

    def test_what_sbatch_refuses_is_said(self):
        self.write("s.toml", SWEEP)
        _, err = self.sweep("s.toml", "--engine", "slurm", "--sbatch=--partition=nowhere", code=2, environment=self.environment)
        self.assertRegex(err, "sbatch: .*invalid partition")


if __name__ == "__main__":
    support.main()
