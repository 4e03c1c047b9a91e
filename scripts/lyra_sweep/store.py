# SPDX-License-Identifier: Apache-2.0
"""A sweep's folder: one result a point, whole or not there."""
import fcntl
import gzip
import json
import os
import pathlib
import shutil
import tempfile
from dataclasses import dataclass

from .errors import SweepError
from .metrics import Counters


def write_whole(path, content):
    """The file has the whole content or, if anything stops us, what it had before."""
    path = pathlib.Path(path)
    handle, name = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
            f.flush()
            os.fsync(f.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        pathlib.Path(name).unlink(missing_ok=True)
        raise


@dataclass
class Result:
    status: str   # right, wrong result, bad input, machine fault, time out, crash
    error: str    # everything that lyra said
    statistics: pathlib.Path | None

    @property
    def summary(self):
        """The first line of the error."""
        return self.error.strip().splitlines()[0] if self.error.strip() else ""

    def counters(self):
        with gzip.open(self.statistics, "rb") as f:
            return Counters(json.load(f))


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.points = self.folder / "points"
        self.points.mkdir(parents=True, exist_ok=True)
        self._lock = None

    def lock(self):
        """One sweep at a time works in the folder; left-overs of a killed one are wiped."""
        self._lock = open(self.folder / ".lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SweepError(self.folder, "another sweep is at work in this folder; wait for it, or give another with --out") from None

    def wipe_left_overs(self):
        for left in self.points.glob(".tmp-*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()

    def scratch(self):
        return tempfile.TemporaryDirectory(prefix=".tmp-", dir=self.points)

    def put(self, key, status, error, statistics=None):
        """`statistics`: bytes of the JSON file. The result exists from the last rename on."""
        if statistics is not None:
            write_whole(self.points / f"{key}.stats.json.gz", gzip.compress(statistics, 6, mtime=0))
        write_whole(self.points / f"{key}.json", json.dumps({"status": status, "error": error, "statistics": statistics is not None}, indent=1) + "\n")

    def get(self, key):
        """The result of a point, or None."""
        try:
            r = json.loads((self.points / f"{key}.json").read_text())
        except FileNotFoundError:
            return None
        return Result(r["status"], r["error"], self.points / f"{key}.stats.json.gz" if r["statistics"] else None)

    def has(self, key):
        return (self.points / f"{key}.json").exists()
