# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of scripts/: paths, a scratch folder, runs with a time limit."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "testbench/cases"
LYRA = None  # set by main
sys.path.insert(0, str(ROOT / "scripts"))

SWEEP = f"""jobs = ["{CASES}/ocl/transpose/job.toml", "{CASES}/ocl/mm_lds/job.toml", "{CASES}/ocl/vadd/job.toml"]
machine = "cu"
[sweep]
l1.size_bytes = [8192, 16384]
l2.channels = {{ from = 1, to = 4, factor = 2 }}
smem.ordering = ["in_order", "shuffled"]
"""


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lyra_scripts_")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def command(self, *arguments):
        return [sys.executable, str(ROOT / "scripts/sweep.py"), *map(str, arguments), "--lyra", LYRA]

    def sweep(self, *arguments, seconds=300, code=0, environment=None):
        """Runs sweep.py in the scratch folder; (stdout, stderr)."""
        r = subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=seconds, env=environment)
        self.assertEqual(r.returncode, code, r.stdout + r.stderr)
        return r.stdout, r.stderr


def main():
    """python3 TEST.py LYRA [unittest arguments]"""
    global LYRA
    LYRA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
