#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a PNG from files of RGBA bytes, side by side: raw_to_png.py OUT.png WIDTH HEIGHT FILE [FILE ...]"""
import pathlib
import struct
import sys
import zlib

GAP = 8


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    out, width, height, *files = sys.argv[1:]
    width, height = int(width), int(height)
    pictures = [pathlib.Path(f).read_bytes() for f in files]
    for name, p in zip(files, pictures):
        if len(p) != 4 * width * height:
            sys.exit(f"{name} has {len(p)} bytes; {width} x {height} texels of RGBA bytes are {4 * width * height}")
    rows = bytearray()
    for y in range(height):
        rows.append(0)  # no filter
        rows += (b"\xff" * 4 * GAP).join(p[4 * width * y:4 * width * (y + 1)] for p in pictures)
    total = width * len(pictures) + GAP * (len(pictures) - 1)
    header = struct.pack(">IIBBBBB", total, height, 8, 6, 0, 0, 0)
    pathlib.Path(out).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
