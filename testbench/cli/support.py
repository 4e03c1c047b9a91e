# SPDX-License-Identifier: Apache-2.0
"""For tests of the lyra program: a scratch folder, the assembler, job files, runs with a time limit."""
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "cases"
LYRA = None  # set by main


def assemble(source, chip="gfx900"):
    """Machine code of a text in LLVM's assembler syntax; labels are not resolved."""
    r = subprocess.run(["llvm-mc-15", "-arch=amdgcn", f"-mcpu={chip}", "-show-encoding"], input=source, capture_output=True, text=True)
    if r.returncode:
        raise AssertionError(r.stderr)
    return b"".join(bytes(int(x, 16) for x in m.split(",")) for m in re.findall(r"encoding: \[([^\]]*)\]", r.stdout))


class LyraTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lyra_cli_")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def lyra(self, *arguments, seconds=60):
        """Runs lyra in the scratch folder; (exit code, stdout, stderr). A run that does not end fails the test."""
        r = subprocess.run([LYRA, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, errors="replace", timeout=seconds)
        return r.returncode, r.stdout, r.stderr

    def fails(self, code, pattern, *arguments, seconds=60):
        """Exit code and a message on stderr; no crash."""
        got, out, err = self.lyra(*arguments, seconds=seconds)
        self.assertEqual(got, code, f"{arguments}\n{out}\n{err}")
        self.assertRegex(err, pattern)
        return err

    def copy_case(self, name):
        for f in (CASES / name).iterdir():
            (self.folder / f.name).write_bytes(f.read_bytes())

    def job(self, old, new, name="changed.toml", source="job.toml"):
        """A job file with one text of `source` replaced."""
        text = (self.folder / source).read_text()
        self.assertIn(old, text)
        (self.folder / name).write_text(text.replace(old, new, 1))
        return name

    def raw(self, code, grid=64, group=64, vgprs=16, lds=0, user=(0, 1), more="", buffers=""):
        """raw.toml for machine code (text for the assembler, or bytes)."""
        (self.folder / "raw.bin").write_bytes(assemble(code) if isinstance(code, str) else code)
        (self.folder / "raw.toml").write_text(f"""[code]
raw = "raw.bin"
address = 0x200000000

[buffer.b]
size = 4096
address = 0x100000000
{buffers}
[[dispatch]]
grid = [{grid}, 1, 1]
workgroup = [{group}, 1, 1]
sgprs = 32
vgprs = {vgprs}
lds = {lds}
scratch = 0
user_sgprs = [{", ".join(str(v) for v in user)}]
workgroup_id = "x"
workitem_id = 0
{more}
""")
        return "raw.toml"


def main():
    """python3 TEST.py LYRA [unittest arguments]"""
    import sys
    global LYRA
    LYRA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
