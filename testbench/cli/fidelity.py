#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lyra bench: rows keep to their tolerance, and a machine that does not makes it say so. fidelity.py LYRA rows|failure"""
import csv, pathlib, subprocess, sys, tempfile

LYRA, WHAT = sys.argv[1:]
CHEAP = ["latency.lds*", "latency.scalar*", "latency.l[12]", "latency.dram", "latency.tlb_140MB", "latency.memtime", "latency.launch", "lds.read_b*", "lds.write_b*", "lds.wave_*", "lds.conflict*", "load.raw_*", "image.*",
         "scalar.*", "valu.*", "salu.*", "branch.*", "control.*", "vmem.*", "issue.?_types_[35]_waves"]


def bench(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        out, plot = pathlib.Path(folder) / "rows.csv", pathlib.Path(folder) / "plot.svg"
        done = subprocess.run([LYRA, "bench", "--csv", str(out), "--plot", str(plot), *arguments], capture_output=True, text=True, timeout=900)
        rows = list(csv.DictReader(out.open())) if out.exists() else []
        assert not rows or plot.read_text().startswith("<svg"), "no plot"
    return done, rows


def only(patterns):
    return [a for p in patterns for a in ("--only", p)]


if WHAT == "rows":
    done, rows = bench("--machine", "vega10", *only(CHEAP))
    wrong = [r["benchmark"] for r in rows if not r["value"] or (r["tolerance_percent"] and abs(float(r["error_percent"])) > float(r["tolerance_percent"]))]
    assert done.returncode == 0 and not wrong, f"{wrong}\n{done.stdout}{done.stderr}"
    assert len(rows) > 120, f"only {len(rows)} rows"
    assert all(r["remark"] for r in rows if r["tolerance_percent"] and float(r["tolerance_percent"]) > 5), "a larger tolerance without its reason"
else:
    done, rows = bench("--machine", "vega10", "--set", "l1.hit_latency_cycles=100", *only(["latency.l1", "latency.lds"]))
    assert done.returncode == 1 and "OUT OF TOLERANCE" in done.stdout, done.stdout
    by_name = {r["benchmark"]: float(r["error_percent"]) for r in rows}
    assert by_name["latency.l1"] > 20 and abs(by_name["latency.lds"]) <= 5, by_name
    done, rows = bench("--machine", "vega10", "--only", "nothing.*")
    assert done.returncode == 2 and "selects no benchmark" in done.stderr, done.stderr
print("right")
