#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the job of matmul.cl into a folder: random matrices, the product in double precision, job.toml.

matmul_job.py FOLDER [M N K]
"""
import array
import pathlib
import random
import sys


def main():
    folder = pathlib.Path(sys.argv[1])
    m, n, k = (int(v) for v in sys.argv[2:5]) if len(sys.argv) > 2 else (256, 128, 64)
    random.seed(2017)
    a = array.array("f", (random.uniform(-1, 1) for _ in range(m * k)))
    b = array.array("f", (random.uniform(-1, 1) for _ in range(k * n)))
    columns = [b[j::n] for j in range(n)]
    c = array.array("f")
    for i in range(m):
        row = a[i * k:(i + 1) * k]
        c.extend(sum(x * y for x, y in zip(row, column)) for column in columns)
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in (("a", a), ("b", b), ("c.gold", c)):
        (folder / f"{name}.bin").write_bytes(values.tobytes())
    (folder / "job.toml").write_text(f"""# C = A * B, {m} x {k} times {k} x {n}, in tiles of 16 x 16
[code]
object = "matmul.co"

[buffer.a]
file = "a.bin"

[buffer.b]
file = "b.bin"

[buffer.c]
size = {m * n * 4}

[[dispatch]]
kernel = "matmul"
grid = [{n}, {m}, 1]
workgroup = [16, 16, 1]
args = [ {{buffer="c"}}, {{buffer="a"}}, {{buffer="b"}}, {{i32={m}}}, {{i32={n}}}, {{i32={k}}} ]

[[expect]]
buffer = "c"
file = "c.gold.bin"
type = "f32"
abs = 1e-4
""")


if __name__ == "__main__":
    main()
