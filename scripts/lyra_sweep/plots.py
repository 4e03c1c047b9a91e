# SPDX-License-Identifier: Apache-2.0
"""The figures of a report (matplotlib). The same data give the same files to the bit."""
import itertools
import math

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullLocator  # noqa: E402

from . import analysis  # noqa: E402

COLOURS = ["#2e6f9e", "#d1495b", "#3a9b5c", "#edae49", "#8457a8", "#1b998b", "#e07a3f", "#5c677d", "#b56576", "#6c8ead"]
plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#98a2b3", "axes.labelcolor": "#1d2433",
                     "xtick.color": "#475467", "ytick.color": "#475467", "axes.grid": True, "grid.color": "#eceff3", "axes.axisbelow": True, "axes.titlesize": 10, "axes.titleweight": "bold",
                     "legend.frameon": False, "figure.facecolor": "white", "svg.hashsalt": "lyra", "axes.prop_cycle": matplotlib.cycler(color=COLOURS)})


def short(names):
    """Names of jobs without what they have in common."""
    parts = {n: n.removesuffix(".toml").split("/") for n in names}
    if len(names) > 1:
        while all(len(p) > 1 for p in parts.values()) and len({p[-1] for p in parts.values()}) == 1:
            parts = {n: p[:-1] for n, p in parts.items()}
        while all(len(p) > 1 for p in parts.values()) and len({p[0] for p in parts.values()}) == 1:
            parts = {n: p[1:] for n, p in parts.items()}
    else:
        parts = {n: p[-2:] for n, p in parts.items()}
    return {n: "/".join(p) for n, p in parts.items()}


def readable(v):
    """16384 -> 16k (as sizes are meant), 0.25 -> 0.25."""
    if isinstance(v, str):
        return v
    if v >= 1024 and v == int(v) and int(v) % 1024 == 0:
        return f"{int(v) // 1024}k" if v < 1 << 20 or int(v) % (1 << 20) else f"{int(v) >> 20}M"
    return f"{v:g}"


def amount(v, _=None, digits=3):
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(v) >= limit:
            return f"{v / {'G': 1e9, 'M': 1e6, 'k': 1e3}[unit]:.{digits}g}{unit}"
    return f"{v:.{digits}g}"


def _logarithmic(values):
    v = sorted(values)
    return len(v) > 2 and v[0] > 0 and v[-1] / v[0] >= 8 and max(b / a for a, b in zip(v, v[1:])) < 4.1 * min(b / a for a, b in zip(v, v[1:]))


def sensitivity(effects, metric, labels):
    """Bars: how far each parameter alone moves the metric, by job, the strongest on top."""
    n, jobs = len(effects), list(effects.columns)
    fig, ax = plt.subplots(figsize=(8, 0.8 + n * max(0.35, 0.16 * len(jobs) + 0.12)))
    height = 0.8 / max(1, len(jobs))
    for k, job in enumerate(jobs):
        y = [i + (k - (len(jobs) - 1) / 2) * height for i in range(n)]
        bars = ax.barh(y, effects[job].fillna(0), height * 0.9, label=labels[job], color=COLOURS[k % len(COLOURS)])
        ax.bar_label(bars, [f"{v:.1f} %" if v == v else "" for v in effects[job]], padding=3, fontsize=8, color="#475467")
    ax.set_yticks(range(n), effects.index)
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.margins(x=0.12)
    ax.set_xlabel(f"{metric.name}: largest mean over smallest, less one [%]")
    if len(jobs) > 1:
        ax.legend(loc="lower right", fontsize=8)
    return fig


def _panel(ax, part, axis, metric, colour, label):
    numeric = axis.numeric
    values = [v for v in (sorted(part[axis.name].unique()) if numeric else axis.values) if (part[axis.name] == v).any()]
    x_of = (lambda v: v) if numeric else axis.values.index
    if axis.random and numeric and len(values) > 5:
        ax.plot(part[axis.name], part[metric.name], ".", ms=4, color=colour, alpha=0.45)
    groups = part.groupby(analysis.levels(part, axis), observed=True)[metric.name]
    means, low, high = groups.mean(), groups.min(), groups.max()
    order = sorted(means.index) if numeric else [v for v in values if v in means.index]
    x = [x_of(v) for v in order]
    ax.fill_between(x, [low[v] for v in order], [high[v] for v in order], color=colour, alpha=0.13, lw=0)
    ax.plot(x, [means[v] for v in order], "o-", ms=4, lw=1.6, color=colour, label=label)


def _x_axis(ax, axis):
    if not axis.numeric:
        ax.set_xticks(range(len(axis.values)), axis.values)
        ax.set_xlim(-0.4, len(axis.values) - 0.6)
        return
    ticks = sorted(float(v) for v in axis.values)
    if _logarithmic(ticks):
        ax.set_xscale("log", base=2)
    if len(ticks) <= 10 and not (axis.random and len(ticks) > 5):
        ax.set_xticks(ticks, [readable(v) for v in ticks])
    else:
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: readable(v)))
    ax.xaxis.set_minor_locator(NullLocator())


def lines(f, sweep, metric, labels):
    """A column a parameter, a row a job (more than eight jobs: all in one): mean over all other parameters, and a band from the least to the most of them."""
    jobs, columns = list(labels), len(sweep.axes)
    apart = len(jobs) <= 8
    groups = [[j] for j in jobs] if apart else [jobs]
    width = min(13, 3.7 * columns + 0.6)
    fig, axes = plt.subplots(len(groups), columns, figsize=(width, (2.05 if apart else 3.2) * len(groups) + 0.5), sharey="row", sharex="col", squeeze=False)
    for row, group in zip(axes, groups):
        for ax, axis in zip(row, sweep.axes):
            for job in group:
                part = f[(f["job"] == job) & f[metric.name].notna()]
                if len(part):
                    _panel(ax, part, axis, metric, COLOURS[jobs.index(job) % len(COLOURS)], labels[job])
            _x_axis(ax, axis)
            ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: amount(v, digits=4)))
            ax.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
            ax.margins(y=0.15)
        if apart and len(jobs) > 1:
            row[0].set_title(labels[group[0]], loc="left", color=COLOURS[jobs.index(group[0]) % len(COLOURS)])
        row[0].set_ylabel(metric.column, fontsize=8)
    for ax, axis in zip(axes[-1], sweep.axes):
        ax.set_xlabel(axis.column)
    fig.tight_layout()
    if not apart:
        axes[0][-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def heat_map(f, sweep, metric, across, down, labels):
    """Mean of the metric over two parameters, a panel a job, each with its own scale."""
    jobs = list(labels)
    columns = min(3, len(jobs))
    rows = math.ceil(len(jobs) / columns)
    nx, ny = len(across.values), len(down.values)
    fig, axes = plt.subplots(rows, columns, figsize=((max(2.4, 0.62 * nx) + 1.3) * columns, (max(1.5, 0.42 * ny) + 1.0) * rows), squeeze=False)
    for ax, job in itertools.zip_longest(axes.flat, jobs):
        if job is None:
            ax.set_visible(False)
            continue
        part = f[f["job"] == job]
        value = lambda a, v: float(v) if a.numeric else v  # noqa: E731
        grid = [[part[(part[across.name] == value(across, x)) & (part[down.name] == value(down, y))][metric.name].mean() for x in across.values] for y in down.values]
        known = [v for r in grid for v in r if v == v]
        flat = not known or max(known) - min(known) <= 1e-9 * abs(max(known))
        image = ax.imshow(grid, cmap="Greys" if flat else "RdYlGn_r" if metric.better == "less" else "RdYlGn", aspect="auto", alpha=0.7, **({"vmin": (min(known, default=0) or 1) - 1, "vmax": (min(known, default=0) or 1) + 9} if flat else {}))
        if nx <= 12 and ny <= 12:
            for i, r in enumerate(grid):
                for j, v in enumerate(r):
                    ax.text(j, i, amount(v) if v == v else "failed", ha="center", va="center", fontsize=7.5, color="#1d2433")
        elif known:
            fig.colorbar(image, ax=ax)
        ax.grid(False)
        ax.set_xticks(range(nx), [readable(value(across, v)) for v in across.values], rotation=0 if nx < 7 else 45)
        ax.set_yticks(range(ny), [readable(value(down, v)) for v in down.values])
        ax.set_xlabel(across.column)
        ax.set_ylabel(down.column)
        ax.set_title(labels[job])
        ax.tick_params(length=0)
    fig.tight_layout()
    return fig


def pareto(f, sweep, x, y, labels):
    """All points of each job, and those that nothing beats in both metrics."""
    jobs = list(labels)
    columns = min(3, len(jobs))
    rows = math.ceil(len(jobs) / columns)
    fig, axes = plt.subplots(rows, columns, figsize=(3.7 * columns + 0.4, 3.0 * rows), squeeze=False)
    for k, (ax, job) in enumerate(itertools.zip_longest(axes.flat, jobs)):
        if job is None:
            ax.set_visible(False)
            continue
        part = f[f["job"] == job].dropna(subset=[x.name, y.name])
        front = analysis.pareto(part, x, y)
        ax.plot(part[x.name], part[y.name], "o", ms=4, color="#b8c0cc", alpha=0.8, mew=0)
        ax.plot(front[x.name], front[y.name], "-", lw=1.2, drawstyle="steps-post", color=COLOURS[1], alpha=0.7)
        ax.plot(front[x.name], front[y.name], "o", ms=6, color=COLOURS[1])
        ax.margins(0.12)
        for which, m in ((ax.xaxis, x), (ax.yaxis, y)):
            which.set_major_formatter(FuncFormatter(amount))
        ax.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
        ax.set_xlabel(x.column)
        ax.set_ylabel(y.column)
        ax.set_title(labels[job])
    fig.tight_layout()
    return fig


def save(fig, folder, name):
    """folder/name.svg and .png; the SVG's text."""
    fig.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    fig.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None}, bbox_inches="tight")
    plt.close(fig)
    return (folder / f"{name}.svg").read_text()
