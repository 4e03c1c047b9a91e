# SPDX-License-Identifier: Apache-2.0
"""SWEEP.toml: read strictly, turned into points. docs/sweeps.md describes the format."""
import glob
import hashlib
import itertools
import json
import math
import pathlib
import random
import re
import tomllib
from dataclasses import dataclass, field

from .errors import SweepError, did_you_mean
from .metrics import BUILT_IN, Metric

TOP = ("name", "jobs", "machine", "mode", "seconds", "max_cycles", "set", "sweep", "random", "metric", "report", "pareto")


@dataclass
class Axis:
    """One swept parameter: the texts that `--set` gets, in the order of the file."""
    name: str
    values: list
    unit: str = ""
    meaning: str = ""
    numeric: bool = True
    random: bool = False

    @property
    def column(self):
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass
class Point:
    job: str      # as the sweep file names it
    path: str     # absolute
    machine: str
    mode: str
    settings: dict  # fixed and swept parameters
    swept: dict     # axis name -> text
    key: str = ""   # what the result is kept under: changes with everything that can change the result


@dataclass
class Sweep:
    file: pathlib.Path
    name: str
    jobs: list
    mode: str
    axes: list
    points: list
    metrics: dict
    report: list
    pareto: list
    seconds: float = 600
    max_cycles: int = 0
    fixed: dict = field(default_factory=dict)
    machines: list = field(default_factory=list)


class _File:
    """The tables with places for messages."""

    def __init__(self, path):
        self.path = path
        try:
            self.text = path.read_text()
            self.table = tomllib.loads(self.text)
        except OSError as e:
            raise SweepError(path, e.strerror) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
            raise SweepError(path, f"no TOML: {e}") from None

    def place(self, key):
        last = re.escape(key.rsplit(".", 1)[-1])
        for n, line in enumerate(self.text.splitlines(), 1):
            if re.search(rf'(^|[\s".\[{{,]){last}(["\]]|\s*=|\.)', line):
                return f"{self.path}:{n}"
        return str(self.path)

    def fail(self, key, text):
        raise SweepError(self.place(key), text)

    def known(self, table, names, where):
        for k in table:
            if k not in names:
                self.fail(k, f'no key "{k}" {where}{did_you_mean(k, names) or "; there are " + ", ".join(names)}')

    def value(self, table, key, types, what, default=None):
        v = table.get(key, default)
        if v is not default and (not isinstance(v, types) or (isinstance(v, bool) and bool not in (types if isinstance(types, tuple) else (types,)))):
            self.fail(key, f"{key} must be {what}")
        return v


def _flat(table, prefix=""):
    """Nested tables as dotted names; tables with `from` are ranges and stay."""
    out = {}
    for k, v in table.items():
        name = f"{prefix}.{k}" if prefix else k
        if isinstance(v, dict) and "from" not in v and "to" not in v:
            out.update(_flat(v, name))
        else:
            out[name] = v
    return out


def _steps(f, name, r):
    """The values of {from, to, step} or {from, to, factor}, both ends included where they are met."""
    f.known(r, ("from", "to", "step", "factor"), f'in the range of "{name}"')
    if "from" not in r or "to" not in r or ("step" in r) == ("factor" in r):
        f.fail(name, f'{name}: a range is {{from, to, step}} or {{from, to, factor}}')
    a, b = r["from"], r["to"]
    step, factor = r.get("step"), r.get("factor")
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in (a, b, step if step is not None else factor)):
        f.fail(name, f"{name}: from, to, step and factor are numbers")
    if b < a or (step is not None and step <= 0) or (factor is not None and (factor <= 1 or a <= 0)):
        f.fail(name, f"{name}: the range must rise: to >= from, step > 0, or factor > 1 with from > 0")
    values, k = [], 0
    while True:
        v = a + k * step if step is not None else a * factor ** k
        if v > b * (1 + 1e-12) if b >= 0 else v > b:
            return values
        values.append(int(v) if v == int(v) else v)
        k += 1
        if k > 100000:
            f.fail(name, f"{name}: more than 100000 values")


def _parameter(f, parameters, name):
    if name not in parameters:
        f.fail(name, f'no parameter "{name}"{did_you_mean(name, parameters) or "; lyra machine --list shows all"}')
    return parameters[name]


def _grid_axes(f, parameters, table):
    axes = []
    for name, v in _flat(table).items():
        p = _parameter(f, parameters, name)
        values = _steps(f, name, v) if isinstance(v, dict) else v
        if not isinstance(values, list) or not values:
            f.fail(name, f"{name}: give a list of values, or a range {{from, to, step}} or {{from, to, factor}}")
        texts = [p.text(x, f.place(name)) for x in values]
        if len(set(texts)) != len(texts):
            f.fail(name, f"{name}: a value stands twice")
        axes.append(Axis(name, texts, p.unit, p.meaning, p.numeric))
    return axes


def _sampler(f, p, v):
    """A function of a number in [0, 1) that gives one value."""
    place = f.place(p.name)
    if isinstance(v, list) and v:
        texts = [p.text(x, place) for x in v]
        return lambda u: texts[int(u * len(texts))]
    if not isinstance(v, dict) or not p.numeric:
        f.fail(p.name, f"{p.name}: give a list to choose from" + (", or {from, to} (and scale = \"log\")" if p.numeric else ""))
    f.known(v, ("from", "to", "scale"), f'in the range of "{p.name}"')
    if "from" not in v or "to" not in v or v.get("scale", "linear") not in ("linear", "log"):
        f.fail(p.name, f'{p.name}: a random range is {{from, to}}, with scale = "log" for even spread over magnitudes')
    a, b, log = v["from"], v["to"], v.get("scale") == "log"
    p.text(a, place), p.text(b, place)
    if b < a or (log and a <= 0):
        f.fail(p.name, f"{p.name}: the range must rise" + (", from above 0" if log else ""))
    if p.type == "whole":
        if log:
            return lambda u: p.text(min(b, max(a, int(math.floor(math.exp(math.log(a) + u * (math.log(b + 1) - math.log(a))))))), place)
        return lambda u: p.text(a + int(u * (b - a + 1)), place)
    return lambda u: p.text(float(f"{math.exp(math.log(a) + u * (math.log(b) - math.log(a))) if log else a + u * (b - a):.6g}"), place)


def _random_axes(f, parameters, table):
    """(axes, samples: list of {name: text})."""
    rest = dict(table)
    samples, seed = rest.pop("samples", None), rest.pop("seed", 1)
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
        f.fail("samples", "[random] needs samples = N, how many points to draw")
    if not isinstance(seed, int) or isinstance(seed, bool):
        f.fail("seed", "seed must be a whole number")
    flat = _flat(rest)
    if not flat:
        f.fail("random", "[random] names no parameter")
    samplers = {n: _sampler(f, _parameter(f, parameters, n), v) for n, v in flat.items()}
    draw = random.Random(seed)
    drawn = [{n: s(draw.random()) for n, s in samplers.items()} for _ in range(samples)]
    axes = []
    for n in samplers:
        p = parameters[n]
        values = sorted({d[n] for d in drawn}, key=float if p.numeric else str)
        axes.append(Axis(n, values, p.unit, p.meaning, p.numeric, True))
    return axes, drawn


def _jobs(f):
    entries = f.table.get("jobs")
    if not isinstance(entries, list) or not entries or not all(isinstance(j, str) for j in entries):
        f.fail("jobs", 'jobs must be a list of job files, ["a/job.toml", ...]; * stands for any name')
    jobs = []
    for e in entries:
        found = sorted(glob.glob(e, root_dir=f.path.parent)) if any(c in e for c in "*?[") else [e]
        if not found:
            f.fail("jobs", f'"{e}" finds no file in {f.path.parent}')
        for j in found:
            if not (f.path.parent / j).is_file():
                f.fail("jobs", f'no job file "{f.path.parent / j}"')
            if j in jobs:
                f.fail("jobs", f'"{j}" stands twice')
            jobs.append(j)
    return jobs


def _metrics(f):
    metrics = dict(BUILT_IN)
    for name, t in f.value(f.table, "metric", dict, "tables [metric.NAME]", {}).items():
        if not isinstance(t, dict):
            f.fail(name, f"write [metric.{name}] with sum = \"cu*.l1.hits\"")
        f.known(t, ("sum", "per", "unit", "better", "meaning", "scale"), f"in [metric.{name}]")
        if not isinstance(t.get("sum"), str):
            f.fail(name, f'[metric.{name}] needs sum = "COUNTERS", like "cu*.l1.hits" (lyra stats --list)')
        if t.get("better", "less") not in ("less", "more"):
            f.fail("better", 'better is "less" or "more"')
        metrics[name] = Metric.of_counters(name, t["sum"], t.get("per"), t.get("unit", ""), t.get("better", "less"), t.get("meaning", ""), t.get("scale", 1))
    return metrics


def _chosen(f, key, metrics, default):
    names = f.value(f.table, key, list, "a list of metrics", default)
    for n in names:
        if n not in metrics:
            f.fail(key, f'no metric "{n}"{did_you_mean(n, metrics) or "; there are " + ", ".join(metrics)}')
    return list(names)


def job_identity(path):
    """Changes with the job file and with every file it names."""
    h = hashlib.sha256()
    text = path.read_bytes()
    h.update(text)
    try:
        table = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return h.hexdigest()  # lyra says what is wrong with it

    def files(v):
        if isinstance(v, dict):
            for k, x in v.items():
                if k in ("object", "raw", "file") and isinstance(x, str):
                    yield x
                else:
                    yield from files(x)
        elif isinstance(v, list):
            for x in v:
                yield from files(x)
    for name in sorted(set(files({k: v for k, v in table.items() if k != "output"}))):
        h.update(name.encode() + b"\0")
        if (path.parent / name).is_file():
            with open(path.parent / name, "rb") as data:
                h.update(hashlib.file_digest(data, "sha256").digest())
    return h.hexdigest()


def _key(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


def load(file, lyra):
    """Reads and checks SWEEP.toml. Raises SweepError with file and line."""
    f = _File(pathlib.Path(file).absolute())
    f.known(f.table, TOP, "in a sweep file")
    jobs = _jobs(f)
    machines = f.table.get("machine", "vega10")
    machines = [machines] if isinstance(machines, str) else machines
    if not isinstance(machines, list) or not machines or not all(isinstance(m, str) for m in machines) or len(set(machines)) != len(machines):
        f.fail("machine", 'machine must be a name or file, or a list of different ones')
    local = {m: str(f.path.parent / m) if m.endswith(".toml") else m for m in machines}
    parameters = None
    for m in machines:
        parameters = lyra.parameters(local[m], f.place("machine"))
    mode = f.value(f.table, "mode", str, '"at" or "lt"', "at")
    if mode not in ("at", "lt"):
        f.fail("mode", 'mode must be "at" or "lt"')
    fixed = {n: _parameter(f, parameters, n).text(v, f.place(n)) for n, v in _flat(f.value(f.table, "set", dict, "a table", {})).items()}
    axes = _grid_axes(f, parameters, f.value(f.table, "sweep", dict, "a table", {}))
    drawn_axes, drawn = [], [{}]
    if "random" in f.table:
        drawn_axes, drawn = _random_axes(f, parameters, f.value(f.table, "random", dict, "a table"))
    names = [a.name for a in axes + drawn_axes] + list(fixed)
    for n in names:
        if names.count(n) > 1:
            f.fail(n, f'"{n}" is given in more than one of [set], [sweep] and [random]')
    if not axes and not drawn_axes and len(machines) == 1:
        raise SweepError(f.path, "nothing to sweep: give [sweep] or [random] with parameters, or several machines")
    metrics = _metrics(f)
    sweep = Sweep(f.path, f.value(f.table, "name", str, "a string", f.path.stem), jobs, mode,
                  ([Axis("machine", machines, "", "the machine", False)] if len(machines) > 1 else []) + axes + drawn_axes, [], metrics,
                  _chosen(f, "report", metrics, ["time", "issue_rate", "l1_hit_rate", "l2_hit_rate", "memory_bandwidth"]), _chosen(f, "pareto", metrics, ["time", "l2_requests"]),
                  f.value(f.table, "seconds", (int, float), "a number of seconds", 600), f.value(f.table, "max_cycles", int, "a number of cycles", 0), fixed, machines)
    if len(sweep.pareto) != 2:
        f.fail("pareto", 'pareto names two metrics, ["time", "l2_requests"]')
    if not sweep.report:
        f.fail("report", "report names at least one metric")
    seen = set()
    for job in jobs:
        path = f.path.parent / job
        content = job_identity(path)
        for m in machines:
            identity = [lyra.identity, content, lyra.machine_identity(local[m], f.place("machine")), mode, sweep.max_cycles]
            for grid in itertools.product(*(a.values for a in axes)):
                for d in drawn:
                    swept = {**dict(zip((a.name for a in axes), grid)), **d}
                    settings = {**fixed, **swept}
                    key = _key(identity, str(path), m, settings)
                    if key in seen:  # drawn twice
                        continue
                    seen.add(key)
                    if len(machines) > 1:
                        swept = {"machine": m, **swept}
                    sweep.points.append(Point(job, str(path), local[m], mode, settings, swept, key))
    return sweep
