#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs over machine parameters: scripts/sweep.py SWEEP.toml (docs/sweeps.md).

Leaves results.csv, report.html and plots/ in NAME.sweep (--out). Started again it goes on where it was stopped; failed points are kept
with their error until --retry-failed. Exit codes: 0 all points right, 1 some failed, 2 bad input, 130 interrupted.
"""
import argparse
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

try:  # Debian's own, for /usr/bin/python3
    import pandas  # noqa: F401
    from tqdm import tqdm

    from lyra_sweep import engines, metrics, slurm, spec
    from lyra_sweep.errors import SweepError
    from lyra_sweep.machines import Lyra
    from lyra_sweep.store import Store, write_whole
except ImportError as e:
    sys.exit(f"sweep.py: {e}: run scripts/setup, and start this with /usr/bin/python3")


def arguments():
    a = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("sweep", nargs="?", help="the sweep file")
    a.add_argument("--out", type=pathlib.Path, help="folder of the results (default: NAME.sweep here)")
    a.add_argument("--engine", choices=["local", "slurm"], default="local")
    a.add_argument("--workers", type=int, default=0, help="local: points at a time (default: one a core)")
    a.add_argument("--tasks", type=int, default=1000, help="slurm: most tasks of the array (MaxArraySize)")
    a.add_argument("--sbatch", action="append", default=[], metavar="OPTION", help="slurm: passed to sbatch, like --sbatch=--partition=long; again for more")
    a.add_argument("--no-wait", action="store_true", help="slurm: submit and leave; the same command later collects")
    a.add_argument("--retry-failed", action="store_true", help="run failed points again")
    a.add_argument("--lyra", default=HERE.parent / "build/platforms/lyra", help="the program (default: build/platforms/lyra)")
    a.add_argument("--list", action="store_true", help="only show the points")
    a.add_argument("--no-report", action="store_true", help="only results.csv")
    a.add_argument("--task", nargs=3, metavar=("FOLDER", "I", "N"), help=argparse.SUPPRESS)
    return a


def run_task(folder, index, count):
    header, points = slurm.task(folder, int(index), int(count))
    store = Store(folder)
    runner = engines.Runner(header["lyra"], store, header["seconds"], header["max_cycles"])
    for p in points:
        if not store.has(p.key):
            runner.run(p)


class Progress:
    """A bar with the time left, on a terminal only; counts failures."""

    def __init__(self, total, already):
        self.bar = tqdm(total=total, initial=already, unit="point", disable=None, dynamic_ncols=True, smoothing=0.1)
        self.failed = 0

    def done(self, _point, status):
        if status and status != "right":
            self.failed += 1
            self.bar.set_postfix_str(f"{self.failed} failed", refresh=False)
        self.bar.update(bool(status))


def run_points(o, sweep, store, pending, lyra):
    progress = Progress(len(sweep.points), len(sweep.points) - len(pending))
    try:
        if o.engine == "local":
            engines.run_local(engines.Runner(lyra.path, store, sweep.seconds, sweep.max_cycles), pending, o.workers, progress.done)
            return True
        array = slurm.Array(store.folder)
        number = array.job
        if number:
            tqdm.write(f"array {number} is still at work: waiting for it")
        elif pending:
            for p in pending:  # what is retried
                (store.points / f"{p.key}.json").unlink(missing_ok=True)
            number = array.submit(pending, pathlib.Path(lyra.path).resolve(), sweep.seconds, sweep.max_cycles, o.tasks, o.sbatch)
        if o.no_wait and number:
            print(f"array {number} submitted: squeue -j {number}; the same command without --no-wait collects")
            return False
        left = {p.key: p for p in pending}

        def look():
            for k in [k for k in left if store.has(k)]:
                progress.done(left.pop(k), store.get(k).status)
        array.wait(look)
        if left:
            logs = array.logs()
            raise SweepError("--engine slurm", f"{len(left)} points have no result: jobs of array {number} ended without running them" +
                             "".join(f"\n  {k}: {v.splitlines()[-1]}" for k, v in list(logs.items())[:5]) + f"\nsacct -j {number} may say why; run again to submit what is missing")
        return True
    finally:
        progress.bar.close()


def main():
    o = arguments().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if o.task:
        return run_task(*o.task)
    if not o.sweep:
        raise SweepError("sweep.py", "give a sweep file (docs/sweeps.md), or --help")
    if o.workers < 0 or o.tasks < 1:
        raise SweepError("sweep.py", "--workers must not be negative, --tasks at least 1")
    lyra = Lyra(o.lyra)
    sweep = spec.load(o.sweep, lyra)
    if o.list:
        for p in sweep.points:
            print(p.job, *(f"{k}={v}" for k, v in p.swept.items()))
        return 0
    store = Store(o.out or pathlib.Path(f"{pathlib.Path(o.sweep).stem}.sweep"))
    store.lock()
    if o.engine == "local" or not slurm.Array(store.folder).job:
        store.wipe_left_overs()
    have = {p.key: store.get(p.key) for p in sweep.points}
    pending = [p for p in sweep.points if have[p.key] is None or (o.retry_failed and have[p.key].status != "right")]
    kept = sum(1 for p in sweep.points if have[p.key] and have[p.key].status != "right") if not o.retry_failed else 0
    if len(pending) < len(sweep.points):
        print(f"{len(sweep.points) - len(pending)} of {len(sweep.points)} points are there already" + (f", {kept} of them failed (--retry-failed runs them again)" if kept else ""))
    if not run_points(o, sweep, store, pending, lyra):
        return 0
    results = {p.key: store.get(p.key) for p in sweep.points}
    table = metrics.rows(sweep, results)
    write_whole(store.folder / "results.csv", metrics.csv_text(sweep, table))
    failed = [r for r in table if r["status"] != "right"]
    if not o.no_report:
        from lyra_sweep import report
        report.write(sweep, table, store.folder)
    print(f"{len(table) - len(failed)} of {len(table)} points right: {store.folder}/results.csv" + ("" if o.no_report else f", {store.folder}/report.html"))
    for r in failed[:10]:
        print(f"  failed: {r['job']} " + " ".join(f"{a.name}={r[a.name]}" for a in sweep.axes) + f": {r['status']}: {r['error']}", file=sys.stderr)
    if len(failed) > 10:
        print(f"  ... and {len(failed) - 10} more", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SweepError as e:
        print(f"sweep.py: {e}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("sweep.py: interrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
