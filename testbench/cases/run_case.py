#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs job files and fails on a wrong result, on a finding and on a job that does not end.

run_case.py LYRA FOLDER [--jobs GLOB] [--seconds N] [-- OPTIONS OF lyra run]
"""
import argparse
import pathlib
import subprocess
import sys
import time


def main():
    own, rest = sys.argv[1:], []
    if "--" in own:
        rest = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    a = argparse.ArgumentParser()
    a.add_argument("lyra")
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--jobs", default="job*.toml")
    a.add_argument("--seconds", type=float, default=280)
    o = a.parse_args(own)
    jobs = sorted(o.folder.glob(o.jobs))
    if not jobs:
        sys.exit(f"{o.folder}: no job files {o.jobs}")
    bad = 0
    for job in jobs:
        command = [o.lyra, "run", str(job), "--quiet", *rest]
        began = time.monotonic()
        try:
            r = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=o.seconds)
        except subprocess.TimeoutExpired:
            print(f"{job.name}: not finished after {o.seconds:g} s: {' '.join(command)}")
            bad += 1
            continue
        wrong = r.returncode != 0 or r.stderr.strip()
        print(f"{job.name}: {'FAILED, exit ' + str(r.returncode) if wrong else 'right'} ({time.monotonic() - began:.1f} s)")
        if wrong:
            bad += 1
            print("  " + " ".join(command))
            print("\n".join("  " + line for line in r.stderr.splitlines()[:30]))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
