#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lyra bench: rows keep to their tolerance, and a machine that does not makes it say so."""
import csv
import support
from support import LyraTest

CHEAP = ["latency.lds*", "latency.scalar*", "latency.l[12]", "latency.dram", "latency.tlb_140MB", "latency.memtime", "latency.launch", "lds.read_b*", "lds.write_b*", "lds.wave_*", "lds.conflict*", "load.raw_u*", "load.raw_x4_random",
         "load.typed_r8_linear", "image.rg32f_random", "image.[bt]*", "scalar.issue*", "scalar.requests", "scalar.load_x1", "scalar.structured_x4", "valu.*", "salu.*", "branch.*", "control.*", "vmem.*", "issue.?_types_[35]_waves"]


class Fidelity(LyraTest):
    def bench(self, code, *arguments, only, machine="vega10"):
        """stdout, stderr, rows of the CSV."""
        patterns = [a for p in only for a in ("--only", p)]
        got, out, err = self.lyra("bench", "--machine", machine, "--csv", "rows.csv", "--plot", "plot.svg", *arguments, *patterns, seconds=850)
        self.assertEqual(got, code, out + err)
        file = self.folder / "rows.csv"
        rows = list(csv.DictReader(file.open())) if file.exists() else []
        if rows:
            self.assertTrue((self.folder / "plot.svg").read_text().startswith("<svg"))
        return out, err, rows

    def test_rows_keep_to_their_tolerance(self):
        _, _, rows = self.bench(0, only=CHEAP)
        self.assertGreater(len(rows), 110)
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

    def test_a_parameter_far_from_its_source_is_said(self):
        """Of each of these rows: the machine as it is keeps to the figure, the changed one does not."""
        for machine, row, setting in (("vega20", "valu.int_pair", "cu.valu_mul_lo_cycles=16"), ("vega10", "valu.int_pair", "cu.valu_mul_lo_cycles=8"), ("vega20", "scalar.structured_x4", "instruction_cache.requests_per_cycle=1"),
                                      ("vega20", "control.vskip", "cu.wave_slots=8"), ("vega10", "salu.after_valu", "cu.valu_to_scalar_cycles=12"), ("vega10", "load.raw_x4_random", "texture.four_random=20"),
                                      ("mi100", "latency.set_16931KB", "l2.replacement=random"), ("mi100", "latency.set_8064KB", "l2.index_hash=fold"), ("vega20", "load.structured_x1_linear", "l1.hit_latency_cycles=90")):
            with self.subTest(row=row, setting=setting):
                self.bench(0, only=[row], machine=machine)
                out, _, _ = self.bench(1, "--set", setting, only=[row], machine=machine)
                self.assertIn("OUT OF TOLERANCE", out)

    def test_the_table_is_whole(self):
        """Every issue row from one to five types and one to ten waves; every name once."""
        for machine in ("vega10", "vega20", "mi100"):
            _, out, _ = self.lyra("bench", "--machine", machine, "--list")
            names = [line.split()[0] for line in out.splitlines()]
            self.assertEqual(len(names), len(set(names)))
            for types in range(1, 6):
                for waves in range(1, 11):
                    self.assertIn(f"issue.{types}_types_{waves}_waves", names)

    def test_a_pattern_that_selects_nothing_is_said(self):
        _, err, _ = self.bench(2, only=["nothing.*"])
        self.assertIn("selects no benchmark", err)


if __name__ == "__main__":
    support.main()
