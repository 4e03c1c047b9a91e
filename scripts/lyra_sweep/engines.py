# SPDX-License-Identifier: Apache-2.0
"""Running points: one by `lyra run`, many on this machine's cores."""
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import threading

STATUS = {0: "right", 1: "wrong result", 2: "bad input", 3: "machine fault"}


class Runner:
    """Runs points into a store; `stop()` ends everything under way without leaving a result."""

    def __init__(self, lyra, store, seconds, max_cycles):
        self.lyra, self.store, self.seconds, self.max_cycles = str(lyra), store, seconds, max_cycles
        self._running, self._guard, self._stopped = set(), threading.Lock(), False
        # a child must not outlive a sweep that is killed
        self._prefix = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []

    def command(self, point, folder):
        c = [self.lyra, "run", point.path, "--quiet", "--machine", point.machine, "--mode", point.mode, "--stats", f"{folder}/stats.json", "--output-dir", str(folder)]
        for name, value in point.settings.items():
            c += ["--set", f"{name}={value}"]
        return c + (["--max-cycles", str(self.max_cycles)] if self.max_cycles else [])

    def run(self, point):
        """Status of the point, "" where we were stopped."""
        with self.store.scratch() as folder:
            with self._guard:
                if self._stopped:
                    return ""
                child = subprocess.Popen(self._prefix + self.command(point, folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
                self._running.add(child)
            try:
                try:
                    _, error = child.communicate(timeout=self.seconds)
                    status = STATUS.get(child.returncode, "crash")
                    if child.returncode < 0:
                        error += f"\nended by signal {-child.returncode} ({signal.Signals(-child.returncode).name})"
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.communicate()
                    status, error = "time out", f"not finished after {self.seconds:g} s"
            finally:
                with self._guard:
                    self._running.discard(child)
                    stopped = self._stopped
            if stopped:
                return ""
            stats = pathlib.Path(folder) / "stats.json"
            self.store.put(point.key, status, error if status != "right" else "", stats.read_bytes() if stats.exists() else None)
            return status

    def stop(self):
        with self._guard:
            self._stopped = True
            for c in self._running:
                c.kill()


def run_local(runner, points, workers, done):
    """All points, `workers` at a time (0: one a core). done(point, status) as they end."""
    workers = workers or len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(runner.run, p): p for p in points}
        try:
            for f in concurrent.futures.as_completed(futures):
                done(futures[f], f.result())
        except BaseException:
            runner.stop()
            pool.shutdown(cancel_futures=True)
            raise
