# SPDX-License-Identifier: Apache-2.0
"""The same points as a Slurm job array: submit, wait, nothing else. The folder must be seen by all nodes under the same path."""
import json
import pathlib
import subprocess
import sys
import time

from .errors import SweepError
from .spec import Point
from .store import write_whole


def _slurm(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise SweepError("--engine slurm", f"no {command[0]} here: Slurm is not installed (Debian: slurm-client)") from None


class Array:
    """A job array that works through tasks.json: task i takes points i, i + N, ..."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "slurm"
        self.folder.mkdir(exist_ok=True)

    @property
    def job(self):
        """The array's number while Slurm still knows it as waiting or running, else ""."""
        try:
            number = (self.folder / "job").read_text().strip()
        except FileNotFoundError:
            return ""
        r = _slurm("squeue", "--noheader", "--jobs", number)
        return number if r.returncode == 0 and r.stdout.strip() else ""

    def submit(self, points, lyra, seconds, max_cycles, tasks, options):
        """Raises SweepError with what sbatch says."""
        write_whole(self.folder / "tasks.json", json.dumps({"lyra": str(lyra), "seconds": seconds, "max_cycles": max_cycles, "points": [vars(p) for p in points]}, indent=1))
        n = min(len(points), tasks)
        script = pathlib.Path(__file__).resolve().parent.parent / "sweep.py"
        r = _slurm("sbatch", "--parsable", f"--array=0-{n - 1}", "--job-name=lyra-sweep", f"--output={self.folder}/task-%a.log", *options,
                   "--wrap", f"exec {sys.executable} '{script}' --task '{self.folder.parent}' $SLURM_ARRAY_TASK_ID {n}")
        if r.returncode:
            raise SweepError("sbatch", (r.stderr or r.stdout).strip())
        number = r.stdout.strip().split(";")[0]
        write_whole(self.folder / "job", number + "\n")
        return number

    def wait(self, look, every=1.0):
        """Until the array is gone; look() is called in between."""
        while self.job:
            time.sleep(every)
            look()
        look()

    def logs(self):
        """What tasks printed (only where something is wrong), task number -> text."""
        return {f.stem: f.read_text(errors="replace").strip() for f in sorted(self.folder.glob("task-*.log")) if f.stat().st_size}


def task(folder, index, count):
    """Runs in a job of the array: (tasks.json's header, this task's points)."""
    t = json.loads((pathlib.Path(folder) / "slurm/tasks.json").read_text())
    return t, [Point(**p) for p in t["points"][index::count]]
