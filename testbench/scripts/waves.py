# SPDX-License-Identifier: Apache-2.0
"""The named views: every name of every save file is in a fresh dump, the save files are as scripts/waves makes them, and something happens in each window."""
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

import support
from support import ROOT, ScriptTest
from vcd import Dump

VIEWS = tomllib.loads((ROOT / "waves/views.toml").read_text())


class Views(ScriptTest):
    def test_every_name_of_every_save_file_is_in_a_fresh_dump(self):
        r = subprocess.run([sys.executable, str(ROOT / "scripts/waves"), "--lyra", support.LYRA, "--out", str(self.folder), "--pictures", "--picture-folder", str(self.folder)],
                           capture_output=True, text=True, timeout=300)
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
        self.assertEqual({f.stem for f in (ROOT / "waves").glob("*.gtkw")}, set(VIEWS))
        for name, view in VIEWS.items():
            with self.subTest(view=name):
                d = Dump(self.folder / f"{name}.vcd")
                shown = {text for _, text in d.names.values()}
                text = (ROOT / f"waves/{name}.gtkw").read_text()
                rows = [line for line in text.splitlines() if re.match(r"[a-z]\w*\.", line)]
                self.assertEqual(len(rows), sum(not row.startswith("-- ") for row in view["rows"]))
                self.assertEqual([row for row in rows if row not in shown], [])
                self.assertEqual(text, (self.folder / f"{name}.gtkw").read_text(), "run scripts/waves")
                signals = [row.partition(" : ")[0] for row in view["rows"] if not row.startswith("-- ")]
                moving = [s for s in signals if len(d.changes(s)) > 1]
                self.assertGreaterEqual(len(moving), len(signals) / 2, f"the window shows little: {sorted(set(signals) - set(moving))} stand still; change it in waves/views.toml")
                if "picture" in view:
                    self.assertEqual((ROOT / f"docs/waves-{name}.svg").read_text(), (self.folder / f"waves-{name}.svg").read_text(), "run scripts/waves --pictures")

    def test_a_missing_name_is_said(self):
        broken = self.folder / "tree"
        for part in ("scripts", "waves", "testbench/kernels/waves"):
            shutil.copytree(ROOT / part, broken / part, ignore=shutil.ignore_patterns("*.vcd", "__pycache__"))
        views = broken / "waves/views.toml"
        views.write_text(views.read_text().replace('"cu0.lds.conflicts"', '"cu0.lds.conflict"'))
        r = subprocess.run([sys.executable, str(broken / "scripts/waves"), "banks", "--lyra", support.LYRA], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("view banks: no signal cu0.lds.conflict in the dump", r.stderr)


class Fst(ScriptTest):
    def run_lyra(self, *arguments, **more):
        job = ROOT / "testbench/cases/ocl/vadd/job.toml"
        return subprocess.run([support.LYRA, "run", str(job), "--machine", "cu", "--quiet", "--output-dir", str(self.folder), *map(str, arguments)], capture_output=True, text=True, timeout=60, **more)

    def test_a_name_that_ends_in_fst_gives_the_same_signals(self):
        for file in ("a.vcd", "a.fst"):
            r = self.run_lyra("--vcd", self.folder / file, "--trace", "cu0.lds.*", "--trace", "cu0.l1.*")
            self.assertEqual(r.returncode, 0, r.stderr)
        back = subprocess.run(["fst2vcd", str(self.folder / "a.fst")], capture_output=True, text=True, check=True).stdout
        names = [sorted(re.findall(r"^\$var \w+ \d+ \S+ (\S+)", text, re.M)) for text in ((self.folder / "a.vcd").read_text(), back)]
        self.assertEqual(names[0], names[1])
        self.assertGreater(len(names[0]), 10)

    def test_without_the_tool_the_message_says_what_to_do(self):
        r = self.run_lyra("--vcd", self.folder / "a.fst", env={"PATH": "/nowhere"})
        self.assertEqual(r.returncode, 2)
        self.assertIn("vcd2fst", r.stderr)
        self.assertIn("gtkwave", r.stderr)


if __name__ == "__main__":
    support.main()
