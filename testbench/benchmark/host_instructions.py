#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host instructions of a small job, counted by valgrind's callgrind: exact, so no quiet machine is needed.

host_instructions.py LYRA guard      against the figures in host_instructions.json (5 %)
host_instructions.py LYRA overhead   what statistics, profile and timeline add; what runs when nothing is observed
host_instructions.py LYRA --update   writes the figures anew
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE / "host_instructions.json"
JOB = HERE.parent / "cases/ocl/mm_lds/job.toml"
TOLERANCE = 0.05
LIMITS = {"statistics": (["--stats", "s.json"], 0.03), "profile": (["--profile=p.txt"], 0.30), "profile page": (["--profile=p.html"], 0.30), "waves": (["--waves", "w.csv"], 0.03), "timeline": (["--timeline", "t.json"], 0.70)}  # of a plain run, which has become cheaper by a quarter
# functions that only an observer needs
OBSERVERS = r"lyra::observe::(timeline|vcd_writer|race_detector|statistics_sampler|statistics_json)\b|compute_unit::attribute\(|lyra::platforms::(timeline_recorder|take_profile|profile_|write_)"


def count(lyra, *options):
    """(instructions, names of the functions that ran)."""
    with tempfile.TemporaryDirectory() as folder:
        r = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", lyra, "run", str(JOB), "--machine", "cu", "--quiet", *options], cwd=folder, capture_output=True, text=True, errors="replace")
        found = re.search(r"Collected : (\d+)", r.stderr)
        if r.returncode or not found:
            sys.exit(f"host_instructions: lyra under valgrind ended with {r.returncode}:\n{r.stderr[-2000:]}")
        names = set(re.findall(r"fn=\(\d+\) (.+)", pathlib.Path(folder, "out").read_text()))
        return int(found[1]), names


def measure(lyra):
    return {mode: count(lyra, "--mode", mode)[0] for mode in ("at", "lt")}


def guard(lyra):
    kept, now, bad = json.loads(FIGURES.read_text()), measure(lyra), 0
    for mode, n in now.items():
        change = n / kept[mode] - 1
        print(f"{mode}: {n:,} host instructions, {change:+.1%} against the {kept[mode]:,} of {FIGURES.name}")
        bad |= change > TOLERANCE
        if change < -TOLERANCE:
            print(f"  faster: lower the figure with {pathlib.Path(__file__).name} LYRA --update, so that it stays so")
    if bad:
        print(f"slower by more than {TOLERANCE:.0%}. If that is the price of something wanted: python3 {pathlib.Path(__file__)} {lyra} --update, and commit {FIGURES.name} with the reason")
    return bad


def overhead(lyra):
    plain, names = count(lyra)
    print(f"plain: {plain:,} host instructions")
    ran = sorted(n for n in names if re.search(OBSERVERS, n))
    for n in ran:
        print(f"runs though nothing is observed: {n}")
    bad = bool(ran)
    for what, (options, limit) in LIMITS.items():
        n, names = count(lyra, *options)
        share = n / plain - 1
        print(f"{what}: {share:+.1%} (limit {limit:.0%})")
        bad |= not 0 < share <= limit
        if what != "waves" and not any(re.search(OBSERVERS, f) for f in names):
            print(f"no observer of {what} ran: the names in {pathlib.Path(__file__).name} are out of date")
            bad = True
    return bad


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("lyra")
    a.add_argument("what", nargs="?", choices=["guard", "overhead"])
    a.add_argument("--update", action="store_true")
    o = a.parse_args()
    lyra = str(pathlib.Path(o.lyra).resolve())
    if o.update:
        FIGURES.write_text(json.dumps({"job": str(JOB.relative_to(HERE.parent)), "machine": "cu", **measure(lyra)}, indent=1) + "\n")
        print(FIGURES.read_text(), end="")
        return 0
    if not o.what:
        a.error("give guard, overhead or --update")
    return int(guard(lyra) if o.what == "guard" else overhead(lyra))


if __name__ == "__main__":
    sys.exit(main())
