#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs' statistics (lyra run --stats): scripts/compare.py A.json B.json

Counters of equal blocks are added up (cu0, cu1, ... are cu*); --each keeps them apart. Sorted by effect: the change as a share of the larger value,
weighted with how large the counter is among those of its unit, so that a change of ten counts does not stand above one of a million.
Exit codes: 0 whether or not something changed, 1 with --same where something did, 2 bad input.
"""
import argparse
import csv
import fnmatch
import io
import json
import math
import re
import sys


class CompareError(Exception):
    pass


def load(file):
    """(about, run, {path: (value, unit, meaning)})."""
    try:
        with open(file) as f:
            j = json.load(f)
        values = {}

        def walk(tree, prefix):
            for k, v in tree.items():
                if not isinstance(v, dict):
                    continue
                if isinstance(v.get("unit"), str):
                    values[prefix + k] = (v["value"], v["unit"], v["meaning"])
                walk(v, prefix + k + ".")
        walk(j["statistics"], "")
        run = j.get("run", {})
        for name, unit, meaning in (("cycles", "cycles", "core cycles of the whole run"), ("ps", "ps", "time of the whole run")):
            if name in run:
                values["run." + name] = (run[name], unit, meaning)
        return j.get("about", {}), values
    except OSError as e:
        raise CompareError(f"{file}: {e.strerror}") from None
    except (ValueError, KeyError, AttributeError, TypeError):
        raise CompareError(f"{file}: no statistics: give a file that lyra run --stats wrote") from None


def merged(values):
    """Counters of equal blocks added up: a component that ends in a number is one of many where number 0 exists."""
    indexed = {re.sub(r"\d+$", "", ".".join(path.split(".")[:k + 1])) for path in values for k, c in enumerate(path.split(".")) if re.search(r"[a-z_]0$", c)}

    def name(path):
        parts, out = path.split("."), []
        for k, c in enumerate(parts):
            digits = re.search(r"\d+$", c)
            out.append(c[:digits.start()] + "*" if digits and k + 1 < len(parts) and re.sub(r"\d+$", "", ".".join(parts[:k + 1])) in indexed else c)
        return ".".join(out)
    sums = {}
    for path, (v, unit, meaning) in values.items():
        n = name(path)
        largest = n.endswith(("_max", "_peak"))
        old = sums.get(n)
        sums[n] = (v if old is None else max(old[0], v) if largest else old[0] + v, unit, meaning)
    return sums


def changes(a, b):
    """[(effect, name, before, after, unit, meaning)], the strongest first. Before or after is None where a side has no such counter."""
    biggest = {}
    for side in (a, b):
        for v, unit, _ in side.values():
            biggest[unit] = max(biggest.get(unit, 0), v)
    out = []
    for n in a.keys() | b.keys():
        x, y = a.get(n), b.get(n)
        before, after = x and x[0], y and y[0]
        if before == after:
            continue
        unit, meaning = (y or x)[1:]
        p, q = before or 0, after or 0
        if p == q:
            continue
        size = math.log1p(max(p, q)) / math.log1p(biggest[unit])
        out.append((abs(q - p) / max(p, q) * size, n, before, after, unit, meaning))
    return sorted(out, key=lambda c: (-c[0], c[1]))


def change_text(before, after):
    if before is None:
        return "new"
    if after is None:
        return "gone"
    if not before:
        return "from 0"
    percent = 100 * (after - before) / before
    return f"{percent:+.1f} %" if abs(percent) < 1000 else f"x {after / before:.1f}"


def text(about_a, about_b, found, top):
    out = io.StringIO()
    for k in sorted(about_a.keys() | about_b.keys(), key=lambda k: (k not in about_a, k)):
        if about_a.get(k) != about_b.get(k):
            out.write(f"{k}: {about_a.get(k, 'default')} -> {about_b.get(k, 'default')}\n")
    if not found:
        out.write("no counter differs\n")
        return out.getvalue()
    shown = found[:top] if top else found
    rows = [(n, "-" if p is None else f"{p:,}", "-" if q is None else f"{q:,}", change_text(p, q), unit, meaning) for _, n, p, q, unit, meaning in shown]
    rows.insert(0, ("counter", "before", "after", "change", "unit", "meaning"))
    width = [max(len(r[k]) for r in rows) for k in range(5)]
    for r in rows:
        out.write(f"{r[0]:{width[0]}}  {r[1]:>{width[1]}}  {r[2]:>{width[2]}}  {r[3]:>{width[3]}}  {r[4]:{width[4]}}  {r[5]}".rstrip() + "\n")
    if len(found) > len(shown):
        out.write(f"... and {len(found) - len(shown)} more (--all)\n")
    return out.getvalue()


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("before")
    a.add_argument("after")
    a.add_argument("--each", action="store_true", help="every cu0, cu1, ... by itself")
    a.add_argument("--only", default="*", metavar="GLOB", help="only counters that match, like 'cu*.l1.*'")
    a.add_argument("--top", type=int, default=30, help="how many (30)")
    a.add_argument("--all", action="store_true", help="all that differ")
    a.add_argument("--csv", action="store_true", help="as CSV")
    a.add_argument("--same", action="store_true", help="exit 1 where anything differs")
    o = a.parse_args()
    (about_a, x), (about_b, y) = load(o.before), load(o.after)
    if not o.each:
        x, y = merged(x), merged(y)
    found = [c for c in changes(x, y) if fnmatch.fnmatchcase(c[1], o.only)]
    if o.csv:
        w = csv.writer(sys.stdout, lineterminator="\n")
        w.writerow(["counter", "before", "after", "effect", "unit", "meaning"])
        w.writerows([n, "" if p is None else p, "" if q is None else q, f"{e:.6f}", unit, meaning] for e, n, p, q, unit, meaning in found)
    else:
        sys.stdout.write(text(about_a, about_b, found, 0 if o.all else o.top))
    return 1 if o.same and found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CompareError as e:
        print(f"compare.py: {e}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
