#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/compare.py: what changed between two runs."""
import json
import subprocess
import sys

import support
from support import CASES, ROOT, ScriptTest


def counter(v, unit="requests"):
    return {"value": v, "unit": unit, "meaning": "of " + unit}


class Compare(ScriptTest):
    def statistics(self, name, **blocks):
        (self.folder / name).write_text(json.dumps({"about": {"machine": "cu", **blocks.pop("about", {})}, "run": {"cycles": 100, "ps": 5}, "statistics": blocks}))
        return name

    def compare(self, *arguments, code=0):
        r = subprocess.run([sys.executable, ROOT / "scripts/compare.py", *arguments], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(r.returncode, code, r.stderr)
        return r.stdout or r.stderr

    def test_equal_blocks_are_added_up_and_the_strongest_change_comes_first(self):
        a = self.statistics("a", cu0={"hits": counter(1000), "few": counter(2), "same": counter(7)}, cu1={"hits": counter(1000), "few": counter(0), "same": counter(1)}, about={"l1.ways": "4"})
        b = self.statistics("b", cu0={"hits": counter(500), "few": counter(1), "same": counter(1)}, cu1={"hits": counter(500), "few": counter(0), "same": counter(7)})
        lines = self.compare(a, b).splitlines()
        self.assertEqual(lines[0], "l1.ways: 4 -> default")
        self.assertEqual([line.split()[:4] for line in lines[2:]], [["cu*.hits", "2,000", "1,000", "-50.0"], ["cu*.few", "2", "1", "-50.0"]])
        self.assertEqual({line.split()[0] for line in self.compare(a, b, "--each").splitlines()[2:]}, {"cu0.hits", "cu1.hits", "cu0.few", "cu0.same", "cu1.same"})
        self.assertEqual(len(self.compare(a, b, "--only", "*.few").splitlines()), 3)

    def test_maxima_are_not_added(self):
        a = self.statistics("a", cu0={"input_max": counter(3)}, cu1={"input_max": counter(9)})
        b = self.statistics("b", cu0={"input_max": counter(8)}, cu1={"input_max": counter(4)})
        self.assertEqual(self.compare(a, b).splitlines()[1].split()[:3], ["cu*.input_max", "9", "8"])

    def test_new_gone_and_from_nothing(self):
        a = self.statistics("a", gds={"old": counter(3), "zero": counter(0)})
        b = self.statistics("b", gds={"new": counter(5), "zero": counter(4)})
        text = self.compare(a, b)
        for pattern in (r"gds\.old +3 +- +gone", r"gds\.new +- +5 +new", r"gds\.zero +0 +4 +from 0"):
            self.assertRegex(text, pattern)

    def test_real_runs(self):
        for name, more in (("a", []), ("same", []), ("b", ["--set", "l1.size_bytes=4096"])):
            subprocess.run([support.LYRA, "run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--quiet", "--stats", f"{name}.json", *more], cwd=self.folder, check=True)
        self.assertEqual(self.compare("a.json", "same.json", "--same"), "no counter differs\n")
        text = self.compare("a.json", "b.json", "--same", code=1)
        self.assertIn("l1.size_bytes: default -> 4096", text)
        self.assertRegex(text, r"cu\*\.l1\.hits .* -\d")
        self.assertGreater(len(self.compare("a.json", "b.json", "--csv").splitlines()), 20)

    def test_what_is_no_statistics_file(self):
        (self.folder / "x").write_text("[]")
        self.assertRegex(self.compare("x", "x", code=2), "no statistics")
        self.assertRegex(self.compare("nowhere", "x", code=2), "nowhere: No such file")


if __name__ == "__main__":
    support.main()
