# SPDX-License-Identifier: Apache-2.0
"""Draws a view of a dump as SVG: names on the left, a cycle axis above, values in boxes; texts that do not fit stand below each other with a line up to their time."""
from html import escape

LABEL, WIDTH, TOP, ROW, LINE, PAD = 150, 1100, 58, 26, 15, 8
CHAR = 6.6  # width of a character of the 11 px monospace font
GAP = 26  # between two parts of the time axis
BOX, EDGE, QUIET, INK, GRID = "#dbe9f6", "#4a7ba6", "#b8c2cc", "#1d2733", "#e8ecf0"


class Axis:
    """Parts of time, in cycles, at one scale."""

    def __init__(self, cuts, period):
        self.cuts, self.period = cuts, period
        total = sum(b - a for a, b in cuts)
        self.scale = (WIDTH - LABEL - 20 - GAP * (len(cuts) - 1)) / total
        self.left, x = [], LABEL
        for a, b in cuts:
            self.left.append(x)
            x += (b - a) * self.scale + GAP

    def x(self, part, cycle):
        return self.left[part] + (cycle - self.cuts[part][0]) * self.scale


def spans(dump, name, axis):
    """[(part, first cycle, end cycle, value, begins here)] of the parts shown."""
    out = []
    changes = dump.changes(name)
    for p, (a, b) in enumerate(axis.cuts):
        value, since, inside = dump.at(name, a * axis.period), a, any(t == a * axis.period for t, _ in changes)
        for t, v in changes:
            c = t / axis.period
            if a < c < b:
                out.append((p, since, c, value, inside))
                value, since, inside = v, c, True
        out.append((p, since, b, value, inside))
    return out


def boxes(row, y, axis):
    s = []
    for p, a, b, value, _ in row:
        x0, x1 = axis.x(p, a), axis.x(p, b)
        if value in (0, ""):
            s.append(f'<line x1="{x0:.1f}" y1="{y + ROW - 5}" x2="{x1:.1f}" y2="{y + ROW - 5}" stroke="{QUIET}"/>')
            continue
        s.append(f'<rect x="{x0:.1f}" y="{y + 3}" width="{max(x1 - x0, 1):.1f}" height="{ROW - 8}" fill="{BOX}" stroke="{EDGE}"><title>{escape(str(value))}</title></rect>')
        if len(str(value)) * CHAR <= x1 - x0:
            s.append(f'<text x="{(x0 + x1) / 2:.1f}" y="{y + ROW - 10}" text-anchor="middle">{escape(str(value))}</text>')
    return s, ROW


def stairs(row, y, axis):
    """A bar for each text, and the texts themselves on lines below, first line that is free."""
    s, lines, texts, free = [], [], [], []
    for p, a, b, value, begins in row:
        x0, x1 = axis.x(p, a), axis.x(p, b)
        if value == "":
            s.append(f'<line x1="{x0:.1f}" y1="{y + 10}" x2="{x1:.1f}" y2="{y + 10}" stroke="{QUIET}"/>')
            continue
        s.append(f'<rect x="{x0:.1f}" y="{y + 5}" width="{max(x1 - x0, 1):.1f}" height="9" fill="{BOX}" stroke="{EDGE}"><title>{escape(value)}</title></rect>')
        if not begins:
            continue
        width = len(value) * CHAR + 6
        tx = min(x0, WIDTH - 4 - width)
        line = next((i for i, f in enumerate(free) if f <= tx), len(free))
        free[line : line + 1] = [tx + width]
        base = y + 14 + LINE * (line + 1)
        lines.append(f'<line x1="{x0:.1f}" y1="{y + 14}" x2="{x0:.1f}" y2="{base - 3}" stroke="{EDGE}" stroke-opacity="0.45"/>')
        texts.append(f'<rect x="{tx + 2:.1f}" y="{base - 10}" width="{width - 4:.1f}" height="12" fill="white" fill-opacity="0.85"/><text x="{tx + 3:.1f}" y="{base}">{escape(value)}</text>')
    return s + lines + texts, 18 + LINE * len(free) + 4


def draw(dump, title, caption, rows, cuts, period):
    """The SVG's text. rows: [(label, signal)]; cuts: [(first cycle, end cycle)]."""
    axis = Axis(cuts, period)
    body, y = [], TOP
    for label, name in rows:
        row = spans(dump, name, axis)
        fits = all(v in (0, "") or len(str(v)) * CHAR <= (b - a) * axis.scale for _, a, b, v, _ in row)
        text = dump.names[name][0] == 0
        marks, height = boxes(row, y, axis) if fits or not text else stairs(row, y, axis)
        body.append(f'<text x="{LABEL - 10}" y="{y + 15}" text-anchor="end" class="n">{escape(label)}</text>')
        body += marks
        y += height + PAD
    bottom, ticks = y, []
    step = next(s for s in (2, 4, 5, 10, 20, 50, 100, 200, 500, 1000) if s * axis.scale >= 46)
    for p, (a, b) in enumerate(cuts):
        for c in range(-(-a // step) * step, b + 1, step):
            x = axis.x(p, c)
            ticks.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{GRID}"/><text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle" class="c">{c}</text>')
        if p:
            x = axis.left[p] - GAP / 2
            ticks.append(f'<path d="M{x - 3:.1f},{TOP - 8} V{bottom} M{x + 3:.1f},{TOP - 8} V{bottom}" stroke="{QUIET}" stroke-dasharray="3 3"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 26}" width="{WIDTH}" height="{bottom + 26}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="11">\n'
        f"<style>text{{fill:{INK}}} .n{{font-size:12px}} .c{{fill:#66727f;font-size:10px}} .t{{font-family:DejaVu Sans,Helvetica,Arial,sans-serif;font-size:15px;font-weight:bold}} .k{{font-family:DejaVu Sans,Helvetica,Arial,sans-serif;font-size:12px}}</style>\n"
        f'<rect width="100%" height="100%" fill="white"/>\n<text x="12" y="22" class="t">{escape(title)}</text><text x="{LABEL - 10}" y="{TOP - 12}" text-anchor="end" class="c">cycle</text>\n'
        + "\n".join(ticks + body)
        + f'\n<text x="12" y="{bottom + 14}" class="k">{escape(caption)}</text>\n</svg>\n'
    )
