# SPDX-License-Identifier: Apache-2.0
"""report.html: one file with everything in it, no network; plots/ has the figures as SVG and PNG."""
import base64
import itertools
import shutil
from html import escape

from . import analysis, plots
from .metrics import number_text
from .store import write_whole

STYLE = """
:root { --ink: #1d2433; --soft: #667085; --line: #e4e7ec; }
body { font: 14px/1.5 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: #f7f8fa; margin: 0 auto; padding: 24px 32px; max-width: 1240px; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 34px 0 6px; } h3 { font-size: 14px; margin: 18px 0 4px; } p, .soft { color: var(--soft); margin: 2px 0 8px; }
figure { margin: 8px 0 16px; background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 12px; text-align: center; } figure img { max-width: 100%; height: auto; }
table { border-collapse: collapse; background: #fff; border: 1px solid var(--line); font-size: 12.5px; margin: 6px 0 14px; } th, td { padding: 4px 12px; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid var(--line); text-align: right; } th.l, td.l { text-align: left; } tr:nth-child(even) td { background: #fafbfc; } td.wrap { white-space: normal; }
.sortable th { cursor: pointer; } .wide { overflow-x: auto; max-height: 600px; overflow-y: auto; } .wide th { position: sticky; top: 0; background: #fff; } .bad { color: #b42318; }
nav a { margin-right: 14px; color: #2e6f9e; text-decoration: none; }
"""
SCRIPT = """
document.querySelectorAll("table.sortable").forEach(t => t.querySelectorAll("th").forEach((h, c) => h.addEventListener("click", () => {
  const down = h.dataset.down !== "1"; h.dataset.down = down ? "1" : "0";
  const key = r => { const s = r.cells[c].textContent, n = Number(s); return s !== "" && !isNaN(n) ? n : s; };
  Array.from(t.tBodies[0].rows).sort((a, b) => { const x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : 0) * (down ? 1 : -1); }).forEach(r => t.tBodies[0].appendChild(r));
})));
"""


def table(header, rows, left=1, kind=""):
    cells = lambda tag, r: "".join(f'<{tag}{" class=l" if i < left else ""}>{c}</{tag}>' for i, c in enumerate(r))  # noqa: E731
    return f'<table class="{kind}"><thead><tr>{cells("th", header)}</tr></thead><tbody>' + "".join(f"<tr>{cells('td', r)}</tr>\n" for r in rows) + "</tbody></table>\n"


class _Page:
    def __init__(self, folder):
        self.folder = folder / "plots"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.parts, self.sections = [], []

    def section(self, name, anchor):
        self.sections.append((name, anchor))
        self.parts.append(f'<h2 id="{anchor}">{escape(name)}</h2>\n')

    def add(self, text):
        self.parts.append(text)

    def figure(self, fig, name, what):
        data = base64.b64encode(plots.save(fig, self.folder, name).encode()).decode()
        self.parts.append(f'<figure><img class="plot" alt="{escape(what)}" src="data:image/svg+xml;base64,{data}"></figure>\n')


def _summary(page, sweep, rows, labels):
    right = sum(r["status"] == "right" for r in rows)
    page.add(f"<p>{right} of {len(rows)} points right; {len(sweep.jobs)} job{'s' * (len(sweep.jobs) > 1)}; {'timed' if sweep.mode == 'at' else 'loosely timed: times are rough'};"
             f" machine {escape(', '.join(sweep.machines))}" + "".join(f"; {escape(k)} = {escape(v)}" for k, v in sweep.fixed.items()) + "</p>\n")
    shown = [(escape(a.name), escape(", ".join(a.values[:12]) + (" ..." if len(a.values) > 12 else "")) + (" (drawn)" if a.random else ""), escape(a.unit), escape(a.meaning)) for a in sweep.axes]
    page.add(table(["parameter", "values", "unit", "meaning"], shown, 4))
    failed = [r for r in rows if r["status"] != "right"]
    if failed:
        page.add(f'<h3 class="bad">{len(failed)} points failed</h3>\n<div class="wide">' + table(["job"] + [a.name for a in sweep.axes] + ["status", "error"],
                 [[escape(labels[r["job"]])] + [escape(r[a.name]) for a in sweep.axes] + [r["status"], escape(r["error"])] for r in failed[:200]], 9) + "</div>\n")


def _sensitivity(page, f, sweep, labels, metric):
    e = analysis.effects(f, sweep, metric.name)
    page.section(f"What moves the {metric.name} most", "sensitivity")
    page.add("<p>For each value of a parameter the mean over all other parameters; the largest of these means over the smallest, less one. Parameters that work only together show in the heat maps.</p>\n")
    page.figure(plots.sensitivity(e, metric, labels), "sensitivity", f"sensitivity of {metric.name}")
    best = analysis.best_values(f, sweep, metric.name, metric.better)
    header = ["rank", "parameter"] + [f"{escape(labels[j])}: effect" for j in e.columns] + [f"{escape(labels[j])}: best" for j in e.columns]
    page.add(table(header, [[k, escape(n)] + [f"{e[j][n]:.2f} %" if e[j][n] == e[j][n] else "-" for j in e.columns] + [escape(plots.readable(best.get(j, {}).get(n, "-"))) for j in e.columns]
                            for k, n in enumerate(e.index, 1)], 2))
    return [a for n in e.index for a in sweep.axes if a.name == n]


def _metrics(page, f, sweep, labels, ranked):
    page.section("Metrics over the parameters", "metrics")
    page.add("<p>Lines: mean over all other parameters; bands: from the least to the most of them. Heat maps: mean over the rest, green is better; each job has its own scale.</p>\n")
    grid = [a for a in ranked if not (a.random and a.numeric and len(a.values) > 12) and len(a.values) > 1]
    for k, name in enumerate(sweep.report):
        m = sweep.metrics[name]
        page.add(f"<h3>{escape(m.column)}: {escape(m.meaning)}</h3>\n")
        if f[name].notna().sum() == 0:
            page.add("<p>No value in any point.</p>\n")
            continue
        page.figure(plots.lines(f, sweep, m, labels), f"{name}-lines", f"{name} over each parameter")
        pairs = list(itertools.combinations(grid[:3], 2))
        for a, b in pairs if k == 0 else pairs[:1]:
            page.figure(plots.heat_map(f, sweep, m, a, b, labels), f"{name}-{a.name}-{b.name}".replace(".", "_"), f"{name} over {a.name} and {b.name}")


def _pareto(page, f, sweep, labels):
    x, y = (sweep.metrics[n] for n in sweep.pareto)
    page.section(f"Pareto front: {x.name} and {y.name}", "pareto")
    page.add(f"<p>Red: nothing is better in one metric without being worse in the other. Better is {x.better} {x.name} and {y.better} {y.name}.</p>\n")
    page.figure(plots.pareto(f, sweep, x, y, labels), "pareto", f"{x.name} against {y.name}")
    rows = []
    for job in labels:
        front = analysis.pareto(f[f["job"] == job], x, y)
        rows += [[escape(labels[job])] + [escape(plots.readable(r[a.name])) for a in sweep.axes] + [number_text(r[x.name]), number_text(r[y.name])] for _, r in front.iterrows()]
    page.add('<div class="wide">' + table(["job"] + [escape(a.column) for a in sweep.axes] + [escape(x.column), escape(y.column)], rows, 1 + len(sweep.axes)) + "</div>\n")


def write(sweep, rows, folder):
    """report.html and plots/ in the folder."""
    labels = plots.short(sweep.jobs)
    f = analysis.frame(sweep, rows)
    page = _Page(folder)
    _summary(page, sweep, rows, labels)
    if len(f):
        main = sweep.metrics["time" if "time" in sweep.report else sweep.report[0]]
        ranked = _sensitivity(page, f, sweep, labels, main)
        _metrics(page, f, sweep, labels, ranked)
        _pareto(page, f, sweep, labels)
        page.section("All points", "points")
        page.add('<p>A click on a heading sorts.</p>\n<div class="wide">' + table(["job"] + [escape(a.column) for a in sweep.axes] + [escape(sweep.metrics[m].column) for m in sweep.report],
                 [[escape(labels[r["job"]])] + [escape(r[a.name]) for a in sweep.axes] + [number_text(r[m]) for m in sweep.report] for r in rows if r["status"] == "right"][:5000], 1, "sortable") + "</div>\n")
    nav = "".join(f'<a href="#{a}">{escape(n)}</a>' for n, a in page.sections)
    write_whole(folder / "report.html", f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sweep: {escape(sweep.name)}</title><style>{STYLE}</style></head><body>\n'
                f"<h1>Sweep: {escape(sweep.name)}</h1>\n<nav>{nav}</nav>\n{''.join(page.parts)}<script>{SCRIPT}</script></body></html>\n")
