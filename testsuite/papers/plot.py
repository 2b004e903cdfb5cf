#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw a table as bars: a group for each row, a bar for each of its numbers.

usage: plot.py TITLE <CSV >SVG

The first column has the names of the rows. A column whose largest number is ten times as
large as the one's before it, or a tenth, has a scale of its own. Heights are logarithms
where the largest number is over fifty times as large as the least one.
"""
import csv
import math
import sys
from xml.sax.saxutils import escape

HEIGHT, LEFT, TOP, BOTTOM = 320, 56, 44, 48
COLORS = ("#3b6ea5", "#d98032", "#5a9e5a", "#a05195", "#8c6d31", "#777777",
          "#c44e52", "#4c9f9f", "#b39b2d", "#30506e")


def text(x, y, words, anchor="start", size=11):
    print(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
          f'text-anchor="{anchor}">{escape(words)}</text>')


class Scale:
    """From numbers to heights. low, high: what the lowest and the highest line are."""

    def __init__(self, numbers):
        self.high = max(numbers)
        self.logs = 0 < 50 * min(numbers) < self.high
        self.low = 10 ** math.floor(math.log10(min(numbers))) if self.logs \
            else min(0, *numbers)

    def y_of(self, x):
        part = math.log(x / self.low) / math.log(self.high / self.low) if self.logs \
            else (x - self.low) / ((self.high - self.low) or 1)
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)

    def at(self, part):
        return self.low * (self.high / self.low) ** part if self.logs \
            else self.low + part * (self.high - self.low)


def draw(columns, left, width):
    """Columns of the table, numbered from 0, between left and left + width."""
    scale = Scale([row[k] for row in values for k in columns])
    right = left + width - 8
    base = scale.y_of(scale.low if scale.logs else 0)
    left += LEFT
    for i, k in enumerate(columns):
        x = left + i * (right - left) / len(columns)
        print(f'<rect x="{x:.1f}" y="24" width="9" height="9" fill="{COLORS[k]}"/>')
        text(x + 13, 32, head[k + 1] + (" (log)" if scale.logs else ""), size=10)
    for part in (0, 0.25, 0.5, 0.75, 1):
        x = scale.at(part)
        y = scale.y_of(x)
        print(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>')
        text(left - 4, y + 4, f"{x:.3g}" if x < 1000 else f"{x:,.0f}", "end")
    group = (right - left) / len(values)
    bar = 0.8 * group / len(columns)
    for i, row in enumerate(values):
        for n, k in enumerate(columns):
            x, y = left + (i + 0.1) * group + n * bar, scale.y_of(row[k])
            print(f'<rect x="{x:.1f}" y="{min(y, base):.1f}" width="{bar:.1f}" '
                  f'height="{abs(base - y):.1f}" fill="{COLORS[k]}"><title>'
                  f'{escape(f"{names[i]}, {head[k + 1]}: {row[k]:g}")}</title></rect>')
        # Where there is little room names stand in two lines by turns.
        text(left + (i + 0.5) * group,
             HEIGHT - BOTTOM + (28 if i % 2 and group < 60 else 16),
             names[i], "middle", 10)


head, *rows = csv.reader(sys.stdin)
names = [row[0] for row in rows]
values = [[float(x) for x in row[1:]] for row in rows]
panels, before = [], None
for column in range(len(head) - 1):
    most = max(row[column] for row in values)
    if before is None or not before / 10 < most < before * 10:
        panels.append([])
    panels[-1].append(column)
    before = most
# Room for the names, every other of which is a line lower, and for the columns' heads.
WIDTH = len(panels) * math.ceil(max(
    720 / len(panels),
    LEFT + 8 + len(rows) * max(len(name) for name in names) * 3,
    LEFT + 8 + max(map(len, panels)) * max(len(name) + 6 for name in head[1:]) * 6))
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
      f'font-family="sans-serif"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
text(LEFT, 16, sys.argv[1], size=13)
text(LEFT, HEIGHT - 6, head[0])
for number, panel in enumerate(panels):
    draw(panel, number * WIDTH / len(panels), WIDTH / len(panels))
print("</svg>")
