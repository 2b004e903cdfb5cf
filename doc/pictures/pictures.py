#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures for the documents, out of a page of `sfair report`.

    pictures.py REPORT.html FOLDER

Each chart becomes an SVG file of its own, with the page's colours, light and
dark, and its legend. Those in doc/pictures are of contrib/demo.sh --keep.
"""
import re
import sys
from pathlib import Path

NAMES = {"GPUs in use": "gpus", "Tenants": "fairness", "Cluster": "loss",
         "Time until the first start": "waits", "Leases": "leases"}
LEGEND = 30  # pixels above a chart


def legend(section):
    """The keys of a section, one beside the other."""
    at, parts = 10, []
    for mark, name in re.findall(
            r'<svg viewBox="0 0 26 12"[^>]*>(.*?)</svg>\s*<span>([^<]+)', section):
        parts.append(f'<g transform="translate({at},8)">{mark}'
                     f'<text class="name" x="32" y="10">{name}</text></g>')
        at += 60 + 8 * len(name)
    return "".join(parts)


def picture(chart, keys, style, defs):
    """A chart as a file."""
    wide, high = map(int, re.match(r'<svg viewBox="0 0 (\d+) (\d+)"',
                                   chart).groups())
    head, body = chart.split(">", 1)
    label = re.search(r'aria-label="([^"]*)"', head)[1]
    up = LEGEND if keys else 0
    return (f'<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {wide} {high + up}" role="img" '
            f'aria-label="{label}">\n<style>{style}\n'
            f'svg{{font-family:system-ui,sans-serif}}</style>\n{defs}\n'
            f'<rect width="{wide}" height="{high + up}" fill="var(--bg)"/>\n'
            f'{keys}\n<g transform="translate(0,{up})">\n'
            f'{body[:-len("</svg>")].strip()}\n</g>\n</svg>\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page = Path(sys.argv[1]).read_text()
    style = re.search(r"<style>(.*?)</style>", page, re.S)[1].strip()
    # A file has charts alone: rules of the page around them stay there.
    style = "\n".join(line for line in style.split("\n")
                      if not line.startswith(("body{", "footer", "table")))
    defs = re.search(r"<defs>.*?</defs>", page, re.S)[0]
    for section in re.findall(r"<section>.*?</section>", page, re.S):
        for chart in re.findall(
                r'<svg viewBox="[^"]*" role="img".*?</svg>', section, re.S):
            name = NAMES[re.search(r'aria-label="([^"]*)"', chart)[1]]
            keys = legend(section) if name in ("gpus", "fairness",
                                               "leases") else ""
            path = Path(sys.argv[2]) / f"{name}.svg"
            path.write_text(picture(chart, keys, style, defs))
            print(path)


if __name__ == "__main__":
    main()
