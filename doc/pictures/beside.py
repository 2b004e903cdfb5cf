#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw who held how many GPUs under stock Slurm and under Astraea, as an SVG.

usage: beside.py RECORD.json >beside.svg

The record is of contrib/demo.sh --record=RECORD.json.
"""
import json
import sys
from xml.sax.saxutils import escape

WIDE, HIGH, LEFT, TOP, GAP, BOTTOM = 460, 200, 40, 64, 20, 40
COLORS = ("#0067a8", "#d1480b", "#00815c", "#a8327f")
HEADS = {"stock": "Stock Slurm", "ours": "Astraea"}


def text(x, y, words, anchor="start", size=13, more=""):
    print(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" '
          f'text-anchor="{anchor}" {more}>{escape(words)}</text>')


def changes(samples):
    """The samples at which somebody's GPUs changed, and the last one."""
    return [s for i, s in enumerate(samples)
            if i in (0, len(samples) - 1) or s[1] != samples[i - 1][1]]


def area(left, samples, tenants, which, x_of, y_of):
    """One tenant's GPUs, above those of the tenants before it, in steps."""
    def sums(held):
        below = sum(held[t] for t in tenants[:which])
        return below, below + held[tenants[which]]
    upper, lower = [], []
    for (begin, held), (end, _) in zip(samples, samples[1:]):
        below, above = sums(held)
        for x in (begin, end):
            upper.append(f"{left + x_of(x):.1f},{y_of(above):.1f}")
            lower.append(f"{left + x_of(x):.1f},{y_of(below):.1f}")
    print(f'<polygon points="{" ".join(upper + lower[::-1])}" '
          f'fill="{COLORS[which]}"/>')


def main():
    with open(sys.argv[1], encoding="utf-8") as record:
        kept = json.load(record)
    weights = kept["weights"]
    held = {name: changes(samples) for name, samples in kept["held"].items()}
    tenants = sorted(weights, key=lambda t: -weights[t])
    end = max(s[-1][0] for s in held.values())
    most = max(sum(h.values()) for s in held.values() for _, h in s)
    width = 2 * (LEFT + WIDE) + GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" '
          f'viewBox="0 0 {width + 10} {TOP + HIGH + BOTTOM}" role="img" '
          'font-family="system-ui,sans-serif" '
          'aria-label="GPUs in use by tenant, stock Slurm and Astraea">\n'
          f'<rect width="100%" height="100%" fill="#fff"/>')
    x = LEFT
    for i, tenant in enumerate(tenants):
        words = f"{tenant}, weight {weights[tenant]:g}"
        print(f'<rect x="{x}" y="10" width="12" height="12" '
              f'fill="{COLORS[i]}"/>')
        text(x + 18, 21, words)
        x += 40 + 7.5 * len(words)
    for k, name in enumerate(HEADS):
        left = LEFT + k * (LEFT + WIDE + GAP - 10)
        for i in range(len(tenants)):
            area(left, held[name], tenants, i,
                 lambda t: t / end * WIDE, lambda g: TOP + HIGH - g / most * HIGH)
        print(f'<path d="M{left} {TOP}V{TOP + HIGH}H{left + WIDE}" '
              'fill="none" stroke="#57606a"/>')
        text(left, TOP - 12, HEADS[name], size=15, more='font-weight="600"')
        for gpus in (0, most // 2, most):
            text(left - 6, TOP + HIGH - gpus / most * HIGH + 4, f"{gpus}",
                 "end", 11)
        for sec in range(0, int(end) + 1, 30):
            text(left + sec / end * WIDE, TOP + HIGH + 16, f"{sec} s",
                 "middle", 11)
    text(LEFT, TOP + HIGH + 34, "GPUs in use by tenant. Both clusters got the "
         "same jobs at the same time.", size=12)
    print("</svg>")


main()
