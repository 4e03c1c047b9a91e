#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where wave-cycles go: exactly one cause each, by wave, instruction, compute unit and machine; the profile's forms."""
import csv
import json
import re
import subprocess

import support
from support import CASES, HERE, LyraTest

UNIT = " [wave-cycles]"


def table(file):
    with open(file, newline="") as f:
        return list(csv.DictReader(f))


def units(statistics):
    """cuN -> name -> value."""
    return {k: {n: v["value"] for n, v in c.items() if "value" in v} for k, c in statistics.items() if re.fullmatch(r"cu\d+", k)}


def causes_of(row):
    return {k[:-len(UNIT)]: int(v) for k, v in row.items() if k.endswith(UNIT) and not k.startswith("all")}


class Adding(support.LyraTest):
    """Sums that must agree, whatever the program."""

    def check(self, job, *more, seconds=280, may_fail=False):
        stats, profile, waves = (self.folder / n for n in ("s.json", "p.csv", "w.csv"))
        code, out, err = self.lyra("run", job, "--quiet", "--stats", stats, f"--profile={profile}", "--waves", waves, *more, seconds=seconds)
        if not may_fail:
            self.assertEqual((code, err), (0, ""), job)
        cus = units(json.loads(stats.read_text())["statistics"])
        by_wave, by_pc = table(waves), table(profile)
        causes = list(causes_of(by_wave[0]))
        self.assertEqual(causes, list(causes_of(by_pc[0])))
        for name, cu in cus.items():
            self.assertEqual(sum(cu[c] for c in causes), cu["wave_cycles"], f"{job}: causes of {name} do not add up to its wave-cycles")
        for w in by_wave:
            life = int(w["end [cycle]"]) - int(w["start [cycle]"])
            self.assertEqual(sum(causes_of(w).values()), life, f"{job}: causes of wave {w['wave']} do not add up to its life")
        lives = {}
        for w in by_wave:  # by compute unit
            of = lives.setdefault("cu" + w["cu"], dict.fromkeys(causes, 0))
            for c, n in causes_of(w).items():
                of[c] += n
        for name, cu in cus.items():
            self.assertEqual(lives.get(name, dict.fromkeys(causes, 0)), {c: cu[c] for c in causes}, f"{job}: waves of {name}")
        for c in causes:  # by instruction
            self.assertEqual(sum(causes_of(r)[c] for r in by_pc), sum(cu[c] for cu in cus.values()), f"{job}: {c} of all instructions")
        self.assertEqual(sum(int(r["executions [wave-instructions]"]) for r in by_pc), sum(cu["instructions"] for cu in cus.values()), job)
        self.assertEqual(len(by_wave), sum(cu["waves"] for cu in cus.values()), job)
        return by_pc, by_wave, cus


class AddingEveryCase(Adding):
    """All jobs that run timed on one compute unit."""

    def kind(self, kind, jobs):
        seen = 0
        for job in sorted((CASES / kind).glob("*/" + jobs)):
            if job.parent.name.startswith("big_"):  # millions of work-items: loosely timed only
                continue
            with self.subTest(job=str(job.relative_to(CASES))):
                self.check(job, "--machine", "cu")
                seen += 1
        self.assertGreater(seen, 10)

    def test_ocl(self):
        self.kind("ocl", "job.toml")

    def test_asm(self):
        self.kind("asm", "job*.toml")

    def test_radv(self):
        self.kind("radv", "job.toml")


class AddingOther(Adding):
    def test_several_compute_units_and_random_latencies(self):
        self.check(CASES / "ocl/mm_lds/job.toml")
        self.check(CASES / "ocl/reduction/job.toml", "--set", "chaos.seed=5")
        self.check(CASES / "ocl/bitonic/job.toml", "--machine", "cu", "--set", "chaos.seed=9", "--set", "chaos.max_extra_cycles=200")

    def test_a_run_that_is_cut_off(self):
        self.check(CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--max-cycles", 5000, may_fail=True)

    def test_counters_are_the_same_with_and_without_a_profile(self):
        self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--quiet", "--stats", "plain.json")
        self.check(CASES / "ocl/mm_lds/job.toml", "--machine", "cu")
        self.assertEqual((self.folder / "plain.json").read_bytes(), (self.folder / "s.json").read_bytes())


class CausesByInstruction(Adding):
    """Small programs, each with one wave that waits for one known thing."""

    def rows(self, code, **more):
        by_pc, _, _ = self.check(self.raw(code, **more), "--machine", "cu")
        first = {}
        for r in by_pc:
            first.setdefault(r["instruction"].split()[0], r)
        return first

    def test_sleep(self):
        r = self.rows("s_sleep 10\ns_endpgm")
        self.assertEqual(causes_of(r["s_sleep"])["sleeping"], 10 * 64 - 4)
        self.assertEqual(causes_of(r["s_sleep"])["issuing"], 4)

    def test_a_double_multiply_holds_the_alu_for_64_cycles(self):
        r = self.rows("v_mul_f64 v[2:3], v[4:5], v[6:7]\ns_nop 0\ns_endpgm")
        self.assertEqual(causes_of(r["v_mul_f64"])["issuing"], 64)
        self.assertEqual(causes_of(r["s_nop"])["issuing"], 4)

    def test_a_scalar_use_of_a_vector_result_waits(self):
        r = self.rows("v_cmp_eq_u32 vcc, v0, v0\ns_and_b64 s[4:5], vcc, exec\ns_endpgm")
        self.assertEqual(causes_of(r["s_and_b64"])["dependency"], 12)

    def test_a_wait_for_memory_is_the_waits(self):
        r = self.rows("s_mov_b32 s0, 0\ns_mov_b32 s1, 1\nv_mov_b32 v1, s0\nv_mov_b32 v2, s1\nglobal_load_dword v3, v[1:2], off\ns_waitcnt vmcnt(0)\ns_endpgm")
        load, wait = r["global_load_dword"], r["s_waitcnt"]
        latency = int(load["latency min [cycles]"])
        self.assertEqual(load["latency max [cycles]"], str(latency))
        self.assertGreater(latency, 200)
        waited = causes_of(wait)
        self.assertAlmostEqual(waited["vmcnt"] + 4, latency, delta=3)  # the load issued four cycles earlier; the rest of a turn is `dependency`
        self.assertLess(waited["dependency"], 4)
        self.assertEqual((load["lines"], load["line hits"]), ("1", "0"))

    def test_scalar_loads_count_lines_and_hits(self):
        r = self.rows("s_mov_b32 s0, 0\ns_mov_b32 s1, 1\ns_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_load_dwordx2 s[6:7], s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\ns_endpgm")
        self.assertEqual((r["s_load_dword"]["lines"], r["s_load_dword"]["line hits"]), ("1", "0"))
        self.assertEqual((r["s_load_dwordx2"]["lines"], r["s_load_dwordx2"]["line hits"]), ("1", "1"))
        self.assertGreater(causes_of(r["s_waitcnt"])["lgkmcnt_scalar"], 100)

    def test_lanes(self):
        r = self.rows("s_mov_b64 exec, 7\nv_mov_b32 v1, 0\ns_endpgm")
        self.assertEqual(r["v_mov_b32_e32"]["active lanes [lanes]"], "3")

    def test_the_last_wave_waits_least_at_a_barrier(self):
        by_pc, waves, _ = self.check(self.raw("v_readfirstlane_b32 s4, v0\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 1\ns_sleep 20\ns_barrier\ns_endpgm", grid=256, group=256), "--machine", "cu")
        waited = [causes_of(w)["barrier"] for w in waves]
        self.assertLess(waited[0], 40)
        for n in waited[1:]:
            self.assertGreater(n, 20 * 64 - 200)


class Profile(LyraTest):
    def debug_object(self):
        (self.folder / "k.cl").write_text("kernel void twice(global float *p) {\n  size_t i = get_global_id(0);\n  p[i] = p[i] * 2.0f;\n}\n")
        subprocess.run([HERE.parent.parent / "scripts/compile", "k.cl", "k.co", "gfx900", "-g"], cwd=self.folder, check=True)
        (self.folder / "job.toml").write_text('[code]\nobject = "k.co"\n[buffer.p]\nsize = 1024\n[[dispatch]]\nkernel = "twice"\ngrid = [256, 1, 1]\nworkgroup = [64, 1, 1]\nargs = [{buffer="p"}]\n')

    def test_source_lines_of_an_object_with_debug_information(self):
        self.debug_object()
        code, out, err = self.lyra("run", "job.toml", "--machine", "cu", "--profile", "--profile=p.csv")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"; k\.cl:3  p\[i\] = p\[i\] \* 2\.0f;")
        rows = table(self.folder / "p.csv")
        of = {r["instruction"].split()[0]: r for r in rows}
        for name in ("global_load_dword", "global_store_dword"):
            self.assertTrue(of[name]["source file"].endswith("k.cl"))
            self.assertEqual(of[name]["source line"], "3")
        # the same as llvm-dwarfdump's line table, at every address that begins a row
        dump = subprocess.run(["llvm-dwarfdump-15", "--debug-line", "k.co"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        lines = {int(a, 16): n for a, n in re.findall(r"^0x([0-9a-f]{16}) +(\d+) +\d+ +\d+ .*?is_stmt(?!.*end_sequence)", dump, re.M)}
        checked = 0
        for r in rows:
            if int(r["offset"], 16) in lines:
                self.assertEqual(r["source line"], lines[int(r["offset"], 16)], r["offset"])
                checked += 1
        self.assertGreater(checked, 2)

    def test_every_instruction_of_the_kernel_is_listed_also_what_never_ran(self):
        code, out, err = self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--quiet", "--profile=p.csv")
        self.assertEqual((code, err), (0, ""))
        rows = table(self.folder / "p.csv")
        code, out, err = self.lyra("disasm", CASES / "ocl/mm_lds/k.co")
        listed = {int(a, 16): t.strip() for t, a in re.findall(r"^\t(.*?) *// ([0-9A-Fa-f]+):", out, re.M)}
        for r in rows:
            self.assertEqual(r["instruction"].split(" <")[0], listed[int(r["offset"], 16)])
        offsets = [int(r["offset"], 16) for r in rows]
        self.assertEqual(offsets, sorted(offsets))
        self.assertEqual(offsets, [a for a in sorted(listed) if offsets[0] <= a <= offsets[-1]])

    def test_loosely_timed_profile_counts_executions(self):
        counts = []
        for mode in ("at", "lt"):
            code, out, err = self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--quiet", "--mode", mode, f"--profile={mode}.csv")
            self.assertEqual((code, err), (0, ""))
            counts.append([(r["offset"], r["executions [wave-instructions]"], r["active lanes [lanes]"]) for r in table(self.folder / f"{mode}.csv")])
        self.assertEqual(counts[0], counts[1])

    def test_the_same_twice(self):
        for k in (0, 1):
            self.lyra("run", CASES / "ocl/mm_lds/job.toml", "--quiet", f"--profile={k}.txt", f"--profile={k}.csv", f"--profile={k}.html")
        for form in ("txt", "csv", "html"):
            a, b = ((self.folder / f"{k}.{form}").read_bytes() for k in (0, 1))
            self.assertGreater(len(a), 1000)
            self.assertEqual(a, b)

    def test_what_cannot_be(self):
        job = CASES / "ocl/mm_lds/job.toml"
        self.fails(2, r"--profile=x\.pdf.*\.txt, \.csv or \.html", "run", job, "--profile=x.pdf")
        self.fails(2, r"nowhere/x\.csv: cannot write the profile", "run", job, "--quiet", "--profile=nowhere/x.csv")
        self.fails(2, r"--waves.*--mode at", "run", job, "--mode", "lt", "--waves", "w.csv")


if __name__ == "__main__":
    support.main()
