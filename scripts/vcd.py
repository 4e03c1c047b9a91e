# SPDX-License-Identifier: Apache-2.0
"""Reads value change dumps as lyra writes them: numbers and texts by hierarchical name."""
import bisect
import re


class Dump:
    """names: path -> (bits, 0 for a text; the name as GTKWave shows it). changes(path): [(time in ps, int or str)], sorted."""

    def __init__(self, path):
        self.names, self._changes, self.start, self.end = {}, {}, None, 0
        codes, scope = {}, []
        with open(path, encoding="utf-8") as f:
            for line in f:
                w = line.split()
                if not w:
                    continue
                if w[0] == "$scope":
                    scope.append(w[2])
                elif w[0] == "$upscope":
                    scope.pop()
                elif w[0] == "$var":
                    name = ".".join(scope + [w[4]])
                    bits = 0 if w[1] == "string" else int(w[2])
                    self.names[name] = (bits, name + (w[5] if bits > 1 else ""))
                    codes[w[3]] = self._changes.setdefault(name, [])
                elif w[0] == "$enddefinitions":
                    break
            time = 0
            for line in f:
                c = line[0]
                if c == "#":
                    time = int(line[1:])
                    self.start = time if self.start is None else self.start
                    self.end = time
                elif c == "b":
                    value, code = line[1:].split()
                    codes[code].append((time, int(value, 2)))
                elif c == "s":
                    value, code = line[1:].rstrip("\n").split(" ")
                    codes[code].append((time, re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), value)))
                elif c in "01":
                    codes[line[1:].strip()].append((time, int(c)))

    def changes(self, name):
        return self._changes[name]

    def at(self, name, ps):
        """The value at a time."""
        c = self._changes[name]
        i = bisect.bisect_right(c, ps, key=lambda e: e[0])
        return c[i - 1][1] if i else (0 if self.names[name][0] else "")
