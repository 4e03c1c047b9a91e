#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled by clang at -O0 to -O3, with and without fast math, for both chips: right results timed and loosely timed, and no report of a missing wait."""
import math
import pathlib
import random
import struct
import subprocess
import sys

import support
from support import LyraTest

ITEMS = 256


def device_libraries():
    for folder in pathlib.Path("/usr").glob("lib/**/amdgcn/bitcode"):
        if (folder / "ocml.bc").exists():
            return folder
    sys.exit("ROCm's device libraries are missing: apt install rocm-device-libs")


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def wrap(x):
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


def reference():
    r = random.Random(3)
    a = [single(r.uniform(-2, 2)) for _ in range(ITEMS)]
    b = [r.randrange(-(1 << 31), 1 << 31) for _ in range(ITEMS)]
    f, d, n, w = [], [], [], []
    for i, (x, y) in enumerate(zip(a, b)):
        p = 0.0
        for k in range(2 + (i & 3)):
            p = p * x + k + 1
        f += [x * 3 / (abs(x) + 1) + math.sqrt(abs(x)), p, min(max(x, -0.25), 0.75) + math.floor(x * 4), (x * x - x) / 3]
        d.append(x / 3 + math.sqrt(i + 1))
        table = [y >> k for k in range(8)]
        s = 0
        for k in range(8):
            s = wrap(s * 3 + table[(k + i) & 7])
        c, steps = i + 1, 0
        while c != 1:
            c, steps = (3 * c + 1 if c & 1 else c // 2), steps + 1
        u = y & 0xFFFFFFFF
        quotient = -(-y // 7) if y < 0 else y // 7
        remainder = -(-y % 5) if y < 0 else y % 5
        n += [s, quotient + remainder, wrap(u // (i + 3)), steps]
        w.append((u * 0x9E3779B97F4A7C15 & (1 << 64) - 1) // (i + 1))
    sums = [wrap(sum(b[g:g + 64])) for g in range(0, ITEMS, 64)]
    return a, b, f, d, n, w, sums


class OptimisationLevels(LyraTest):
    def levels(self, chip):
        a, b, f, d, n, w, sums = reference()
        write = lambda name, code, values: (self.folder / name).write_bytes(struct.pack(f"<{len(values)}{code}", *values))
        write("a.bin", "f", a), write("b.bin", "i", b), write("f.gold", "f", f), write("d.gold", "d", d), write("n.gold", "i", n), write("w.gold", "Q", w), write("sums.gold", "i", sums), write("total.gold", "i", [wrap(sum(sums))])
        for level in range(4):
            for fast in (False, True):
                options = ["-cl-fast-relaxed-math"] if fast else []
                subprocess.run(["clang-15", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", f"-O{level}", *options,
                                f"--rocm-device-lib-path={device_libraries()}", "-o", str(self.folder / "levels.co"), str(support.HERE.parent / "kernels" / "levels.cl")], check=True)
                buffers = "".join(f'[buffer.{k}]\nfile = "{k}.bin"\n' for k in "ab") + "".join(f"[buffer.{k}]\nsize = {s}\n" for k, s in (("f", 16 * ITEMS), ("d", 8 * ITEMS), ("n", 16 * ITEMS), ("w", 8 * ITEMS), ("sums", ITEMS // 16), ("total", 4)))
                near = 1e-4 if fast else 1e-6
                expects = "".join(f'[[expect]]\nbuffer = "{k}"\nfile = "{k}.gold"\ntype = "{t}"\n{more}' for k, t, more in (
                    ("f", "f32", f"rel = {near}\nabs = {near}\n"), ("d", "f64", f"rel = {1e-6 if fast else 1e-14}\n"), ("n", "i32", ""), ("w", "u64", ""), ("sums", "i32", ""), ("total", "i32", "")))
                args = lambda names: ", ".join(f'{{buffer="{k}"}}' for k in names)
                (self.folder / "levels.toml").write_text(f'''[code]
object = "levels.co"
{buffers}[[dispatch]]
kernel = "mixed"
grid = [{ITEMS}, 1, 1]
workgroup = [64, 1, 1]
args = [{args(["f", "d", "n", "w", "a", "b"])}]
[[dispatch]]
kernel = "group_sum"
grid = [{ITEMS}, 1, 1]
workgroup = [64, 1, 1]
args = [{args(["total", "sums", "b"])}]
{expects}''')
                for mode in ("at", "lt"):
                    with self.subTest(chip=chip, level=level, fast=fast, mode=mode):
                        code, out, err = self.lyra("run", "levels.toml", "--machine", "cu", "--mode", mode)
                        self.assertEqual((code, err), (0, ""))

    def test_gfx900(self):
        self.levels("gfx900")

    def test_gfx906(self):
        self.levels("gfx906")


if __name__ == "__main__":
    support.main()
