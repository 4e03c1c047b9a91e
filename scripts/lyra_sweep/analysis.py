# SPDX-License-Identifier: Apache-2.0
"""What the table of results says: a frame of the right points, effects of parameters, Pareto fronts."""
import pandas as pd


def frame(sweep, table):
    """Right points only; numeric parameters and metrics as numbers."""
    f = pd.DataFrame([r for r in table if r["status"] == "right"], columns=["job"] + [a.name for a in sweep.axes] + list(sweep.metrics))
    for a in sweep.axes:
        if a.numeric:
            f[a.name] = pd.to_numeric(f[a.name])
    for m in sweep.metrics:
        f[m] = pd.to_numeric(f[m])
    return f


def levels(f, axis, bins=5):
    """A group for each row: the parameter's value; for many drawn numbers a range of them with as many points as the others."""
    column = f[axis.name]
    if not (axis.random and axis.numeric and column.nunique() > bins):
        return column
    return pd.qcut(column, bins, duplicates="drop").map(lambda i: i.mid).astype(float)


def effects(f, sweep, metric):
    """How far each parameter alone moves a metric: for each job the largest mean over the smallest, less one, in per cent. Parameters x jobs, strongest first."""
    out = {}
    for a in sweep.axes:
        for job, part in f.groupby("job", sort=False):
            means = part.groupby(levels(part, a), observed=True)[metric].mean().dropna()
            spread = (means.max() / means.min() - 1) * 100 if len(means) and means.min() > 0 else float("nan")
            out.setdefault(job, {})[a.name] = spread
    e = pd.DataFrame(out, index=[a.name for a in sweep.axes])
    return e.loc[e.mean(axis=1).sort_values(ascending=False, kind="stable").index] if len(e.columns) else e


def best_values(f, sweep, metric, better):
    """For each job and parameter the value with the best mean: {job: {axis: value}}."""
    out = {}
    for job, part in f.groupby("job", sort=False):
        for a in sweep.axes:
            means = part.groupby(levels(part, a), observed=True)[metric].mean().dropna()
            if len(means):
                out.setdefault(job, {})[a.name] = means.idxmin() if better == "less" else means.idxmax()
    return out


def pareto(part, x, y):
    """Rows that no other row beats in one metric without losing in the other. x, y: Metric."""
    part = part.dropna(subset=[x.name, y.name])
    sx, sy = (1 if x.better == "less" else -1), (1 if y.better == "less" else -1)
    ordered = part.assign(_x=sx * part[x.name], _y=sy * part[y.name]).sort_values(["_x", "_y"], kind="stable")
    keep, best = [], float("inf")
    for i, row in ordered.iterrows():
        if row["_y"] < best:
            keep.append(i)
            best = row["_y"]
    return part.loc[keep]
