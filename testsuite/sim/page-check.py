#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What page-probe.js found in a page that Chromium has shown.

usage: page-check.py compare|tune|KEY DOM-FILE RUNS
DOM-FILE: the page's DOM after its scripts; RUNS: policies, lease terms or
values of the option KEY.
"""

import html
import json
import re
import sys


def expectations(kind, runs, found):
    """Pairs of what must be so, and whether it is."""
    marks = found["marks"]
    yield "no mark or text outside its chart", not found["outside"]
    yield "all coordinates are numbers", not found["bad"]
    yield "no hostile script ran", not found["pwned"]
    yield "no picture", found["images"] == 0
    yield "two scripts: the page's and the probe", found["scripts"] == 2
    yield "the page is not wider than the window", not found["wide"]
    if kind != "compare":
        title = "Lease terms" if kind == "tune" else kind
        axis = "lease term" if kind == "tune" else kind
        yield "four charts", found["charts"] == 4
        yield "five curves", marks.get("curve") == 5
        yield "a point for each value", marks.get("point") == 5 * runs
        yield "the page's title", found["title"] == title
        yield "the axes' titles", found["axes"] == 4 * [axis]
        yield "a rule at what is recommended", found["rules"] == (
            4 if kind == "tune" else 0
        )
        return
    yield "the page's title", found["title"] == "Policies side by side"
    yield "a timeline for each policy", found["charts"] == 5 + runs
    yield "three curves for each policy", marks.get("curve") == 3 * runs
    yield "a box for each policy", marks.get("box") == runs
    yield "three bars for each policy", marks.get("bar") == 3 * runs
    yield "dots of tenants", marks.get("dot", 0) >= 2 * runs
    yield "areas of tenants", marks.get("area", 0) >= 2 * runs
    yield "a key for each policy", found["keys"] == runs
    yield "a key hides, and shows again", (
        found["hidden"][0] == 0
        and found["hidden"][1] >= 8
        and found["hidden"][2] == 0
    )
    yield "hostile names are text", any(
        "<script>" in n for n in found["names"]
    )


def main():
    """Print what is not as expected; exit 1 then."""
    kind, path, runs = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        probe = re.search(r'<pre id="probe">(.*?)</pre>', file.read(), re.S)
    if not probe:
        sys.exit("page-check: the probe has not run")
    found = json.loads(html.unescape(probe.group(1)))
    failed = [
        what for what, good in expectations(kind, int(runs), found) if not good
    ]
    for what in failed:
        print(f"page-check: {kind}: not so: {what}", file=sys.stderr)
    if failed:
        print(json.dumps(found, indent=1), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
