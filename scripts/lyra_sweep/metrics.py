# SPDX-License-Identifier: Apache-2.0
"""Metrics of a run, computed from its statistics; the table of results."""
import csv
import io
import re
from dataclasses import dataclass
from typing import Callable

CAUSES = ("issuing", "vmcnt", "lgkmcnt_scalar", "lgkmcnt_lds", "expcnt", "barrier", "fetch", "dependency", "valu_busy", "salu_busy", "smem_busy", "vmem_busy", "lds_busy", "arbitration_lost",
          "sleeping", "not_started", "done")


class Counters:
    """A statistics file: counters by path, sums over paths."""

    def __init__(self, statistics):
        self.run = statistics["run"]
        self.timed = statistics.get("about", {}).get("mode") != "lt"  # loosely timed runs have no wave-cycles
        self.values = {}
        self._sums = {}
        self._walk(statistics["statistics"], "")

    def _walk(self, tree, prefix):
        for k, v in tree.items():
            if not isinstance(v, dict):
                continue
            if "unit" in v and not isinstance(v["unit"], dict):  # a counter; its name may also be a block's ("cu0.lds")
                self.values[prefix + k] = v["value"]
            self._walk(v, prefix + k + ".")

    def total(self, pattern):
        """Sum of all counters whose path matches; * stands for a number. None where there is none."""
        if pattern not in self._sums:
            match = re.compile(r"\d+".join(re.escape(p) for p in pattern.split("*"))).fullmatch
            found = [v for k, v in self.values.items() if match(k)]
            self._sums[pattern] = sum(found) if found else None
        return self._sums[pattern]

    def ratio(self, above, below, scale=1):
        a, b = self.total(above), self.total(below)
        return None if a is None or not b else scale * a / b


@dataclass
class Metric:
    name: str
    unit: str
    meaning: str
    better: str  # less, more
    of: Callable  # Counters -> number or None

    @property
    def column(self):
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @staticmethod
    def of_counters(name, above, below, unit, better, meaning, scale=1):
        if below:
            return Metric(name, unit, meaning or f"{above} / {below}", better, lambda c: c.ratio(above, below, scale))
        return Metric(name, unit, meaning or above, better, lambda c: None if c.total(above) is None else scale * c.total(above))


def _traffic(c):
    return (c.total("l2_*.memory.read_bytes") or 0) + (c.total("l2_*.memory.written_bytes") or 0)


def _rate(above, below):
    return lambda c: c.ratio(above, below, 100)


def _share(cause):
    return lambda c: c.ratio(f"cu*.{cause}", "cu*.wave_cycles", 100) if c.timed else None


BUILT_IN = {m.name: m for m in [
    Metric("cycles", "cycles", "core cycles of the whole run", "less", lambda c: c.run["cycles"]),
    Metric("time", "us", "time of the whole run", "less", lambda c: c.run["ps"] / 1e6),
    Metric("instructions", "wave-instructions", "instructions issued", "less", lambda c: c.total("cu*.instructions")),
    Metric("issue_rate", "wave-instructions/CU/cycle", "instructions of a busy compute unit in a cycle", "more", lambda c: c.ratio("cu*.instructions", "cu*.busy_cycles")),
    Metric("l1_hit_rate", "%", "L1 reads that hit", "more", _rate("cu*.l1.hits", "cu*.l1.reads")),
    Metric("scalar_hit_rate", "%", "K$ loads that hit", "more", _rate("sqc*.scalar_cache.hits", "sqc*.scalar_cache.loads")),
    Metric("instruction_hit_rate", "%", "I$ fetches that hit", "more", _rate("sqc*.instruction_cache.hits", "sqc*.instruction_cache.fetches")),
    Metric("l2_hit_rate", "%", "L2 reads that hit", "more", _rate("l2_*.cache.read_hits", "l2_*.cache.reads")),
    Metric("l2_requests", "requests", "requests to all L2 channels", "less", lambda c: c.total("l2_*.cache.requests")),
    Metric("memory_traffic", "bytes", "read from and written to memory", "less", _traffic),
    Metric("memory_bandwidth", "GB/s", "memory traffic over time", "more", lambda c: _traffic(c) / (c.run["ps"] * 1e-3) if c.run["ps"] else None),
    Metric("lds_conflicts", "cycles", "bank cycles of LDS for conflicts", "less", lambda c: c.total("cu*.lds.bank_conflict_cycles")),
] + [Metric(f"stall_{n}" if n != "issuing" else n, "% of wave-cycles", f"wave-cycles put down to {n}", "more" if n == "issuing" else "less", _share(n)) for n in CAUSES]}


def number_text(v):
    """Six significant digits; whole numbers exactly; "" for none."""
    if v is None:
        return ""
    return str(v) if isinstance(v, int) else f"{v:.6g}"


def rows(sweep, results):
    """One dict a point in the order of the sweep: job, swept parameters, status, error, metrics (numbers or None)."""
    table = []
    for p in sweep.points:
        r = results.get(p.key)
        row = {"job": p.job, **p.swept, "status": r.status if r else "missing", "error": r.summary if r else ""}
        counters = r.counters() if r and r.status == "right" else None
        for m in sweep.metrics.values():
            row[m.name] = m.of(counters) if counters else None
        table.append(row)
    return table


def csv_text(sweep, table):
    """results.csv: no times of day, no order of finishing."""
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    w.writerow(["job"] + [a.column for a in sweep.axes] + ["status"] + [m.column for m in sweep.metrics.values()] + ["error"])
    for row in table:
        w.writerow([row["job"]] + [row[a.name] for a in sweep.axes] + [row["status"]] + [number_text(row[m]) for m in sweep.metrics] + [row["error"]])
    return out.getvalue()
