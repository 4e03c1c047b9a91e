#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lyra bench: rows keep to their tolerance, and a machine that does not makes it say so."""
import csv
import support
from support import LyraTest

CHEAP = ["latency.lds*", "latency.scalar*", "latency.l[12]", "latency.dram", "latency.tlb_140MB", "latency.memtime", "latency.launch", "lds.read_b*", "lds.write_b*", "lds.wave_*", "lds.conflict*", "load.raw_*", "image.*",
         "scalar.*", "valu.*", "salu.*", "branch.*", "control.*", "vmem.*", "issue.?_types_[35]_waves"]


class Fidelity(LyraTest):
    def bench(self, code, *arguments, only):
        """stdout, stderr, rows of the CSV."""
        patterns = [a for p in only for a in ("--only", p)]
        got, out, err = self.lyra("bench", "--machine", "vega10", "--csv", "rows.csv", "--plot", "plot.svg", *arguments, *patterns, seconds=850)
        self.assertEqual(got, code, out + err)
        file = self.folder / "rows.csv"
        rows = list(csv.DictReader(file.open())) if file.exists() else []
        if rows:
            self.assertTrue((self.folder / "plot.svg").read_text().startswith("<svg"))
        return out, err, rows

    def test_rows_keep_to_their_tolerance(self):
        _, _, rows = self.bench(0, only=CHEAP)
        self.assertGreater(len(rows), 120)
        judged = [r for r in rows if r["tolerance_percent"]]
        self.assertEqual([r["benchmark"] for r in rows if not r["value"]], [])
        self.assertEqual([r["benchmark"] for r in judged if abs(float(r["error_percent"])) > float(r["tolerance_percent"])], [])
        self.assertEqual([r["benchmark"] for r in judged if float(r["tolerance_percent"]) > 5 and not r["remark"]], [], "a larger tolerance without its reason")

    def test_a_row_out_of_tolerance_is_said(self):
        out, _, rows = self.bench(1, "--set", "l1.hit_latency_cycles=100", only=["latency.l1", "latency.lds"])
        self.assertIn("OUT OF TOLERANCE", out)
        error = {r["benchmark"]: float(r["error_percent"]) for r in rows}
        self.assertGreater(error["latency.l1"], 20)
        self.assertLessEqual(abs(error["latency.lds"]), 5)

    def test_a_pattern_that_selects_nothing_is_said(self):
        _, err, _ = self.bench(2, only=["nothing.*"])
        self.assertIn("selects no benchmark", err)


if __name__ == "__main__":
    support.main()
