#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the job of image_filter.cl into a folder: a drawn picture, what the two passes make of it (computed here in double precision), job.toml.

image_filter_job.py FOLDER [WIDTH HEIGHT]
"""
import math
import pathlib
import sys

TWIST, FRINGE, STRENGTH = 1.75, 0.09375, 0.75


def draw(width, height):
    """Rows of (R, G, B) in 0..255: a sun over hills and a tiled floor."""
    rows = []
    for j in range(height):
        v, row = j / height, []
        for i in range(width):
            u = i / width
            ridge = 0.52 + 0.06 * math.sin(9 * u) + 0.03 * math.sin(23 * u + 1)
            sun = math.hypot((u - 0.68) * width / height, v - 0.27)
            if v < ridge:
                colour = (70 + 150 * v, 120 + 140 * v, 205 + 60 * v)
                if sun < 0.11:
                    colour = (255, 225, 120)
                elif sun < 0.16 and int(math.degrees(math.atan2(v - 0.27, (u - 0.68) * width / height)) // 15) % 2:
                    colour = (250, 190, 90)
            elif v < ridge + 0.10:
                colour = (50, 110 + 300 * (v - ridge), 60)
            else:
                depth = 0.16 / (v - 0.42)
                tile = (int(math.floor((u - 0.5) * depth * 9 + 100)) + int(math.floor(depth * 9))) % 2
                colour = (225, 215, 195) if tile else (120, 45, 40)
            row.append(tuple(min(255, max(0, round(c))) for c in colour))
        rows.append(row)
    return rows


def lens(rows, width, height):
    """The first pass, texels clamped at the edges."""
    def sample(x, y, c):
        x, y = x * width - 0.5, y * height - 0.5
        i, j = math.floor(x), math.floor(y)
        a, b = x - i, y - j
        left, right = min(max(i, 0), width - 1), min(max(i + 1, 0), width - 1)
        top, bottom = rows[min(max(j, 0), height - 1)], rows[min(max(j + 1, 0), height - 1)]
        return (top[left][c] * (1 - a) + top[right][c] * a) * (1 - b) + (bottom[left][c] * (1 - a) + bottom[right][c] * a) * b

    out = []
    for j in range(height):
        row = []
        for i in range(width):
            mx, my = (i + 0.5 - width / 2) / height, (j + 0.5 - height / 2) / height
            d2 = mx * mx + my * my
            near = max(0.0, 1 - 4 * d2)
            angle = TWIST * near * near
            c, d = math.cos(angle), math.sin(angle)
            x, y = (c * mx - d * my) * height / width, d * mx + c * my
            shade = 1 - 0.5 * d2
            row.append(tuple(round(shade * sample(x * k + 0.5, y * k + 0.5, n)) for n, k in enumerate((1 - FRINGE * d2, 1, 1 + FRINGE * d2))))
        out.append(row)
    return out


def sharpen(rows, width, height):
    out = []
    for j in range(height):
        near, row = [rows[min(max(j + k, 0), height - 1)] for k in (-1, 0, 1)], []
        for i in range(width):
            at = [min(max(i + k, 0), width - 1) for k in (-1, 0, 1)]
            mean = [sum(r[x][c] for r in near for x in at) / 9 for c in range(3)]
            row.append(tuple(min(255, max(0, round(m + STRENGTH * (m - s)))) for m, s in zip(near[1][i], mean)))
        out.append(row)
    return out


def rgba(rows):
    return bytes(v for row in rows for texel in row for v in (*texel, 255))


def main():
    folder = pathlib.Path(sys.argv[1])
    width, height = (int(v) for v in sys.argv[2:4]) if len(sys.argv) > 2 else (384, 256)
    folder.mkdir(parents=True, exist_ok=True)
    before = draw(width, height)
    (folder / "picture.bin").write_bytes(rgba(before))
    (folder / "picture.gold.bin").write_bytes(rgba(sharpen(lens(before, width, height), width, height)))
    (folder / "image_filter.toml").write_text(f"""# A lens and a sharpening over a picture of {width} x {height}; the images lie in memory in blocks of 64 KB
[code]
object = "image_filter.co"

[image.before]
type = "2d"
width = {width}
height = {height}
format = "8_8_8_8 unorm"
swizzle = "64kb_s"
file = "picture.bin"

[image.between]
type = "2d"
width = {width}
height = {height}
format = "8_8_8_8 unorm"
swizzle = "64kb_d"

[image.after]
type = "2d"
width = {width}
height = {height}
format = "8_8_8_8 unorm"

[sampler.smooth]
filter = "linear"
clamp = "clamp"

[[dispatch]]
kernel = "lens"
grid = [{width}, {height}, 1]
workgroup = [8, 8, 1]
args = [ {{image="before"}}, {{image="between"}}, {{sampler="smooth"}}, {{f32={TWIST}}}, {{f32={FRINGE}}} ]

[[dispatch]]
kernel = "sharpen"
grid = [{width}, {height}, 1]
workgroup = [8, 8, 1]
args = [ {{image="between"}}, {{image="after"}}, {{f32={STRENGTH}}} ]

# bilinear weights have 8 bits, and the first pass rounds to bytes before the second one multiplies
[[expect]]
image = "after"
file = "picture.gold.bin"
abs = 4

[[output]]
image = "after"
file = "picture.out.bin"
""")


if __name__ == "__main__":
    main()
