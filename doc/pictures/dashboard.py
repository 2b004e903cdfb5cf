#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw the panels of a Grafana dashboard as a page, by the data of a Prometheus.

usage: dashboard.py DASHBOARD.json PROMETHEUS MINUTES >PAGE

PROMETHEUS is its address, such as http://127.0.0.1:9090. Each panel stands where the
dashboard has it and shows what its expressions gave in the last MINUTES: this is no
picture of Grafana, but of what Grafana would show.
"""
import html
import json
import math
import re
import sys
import time
import urllib.parse
import urllib.request

ROW_PX = 34
WIDE, HIGH = 400, 150  # of a chart, in its own units
STEPS = 120
COLOURS = ["#0067a8", "#c2571a", "#00815c", "#a8327f", "#8a6a00", "#5b5fc7"]
STYLE = """
:root{color-scheme:light dark;--page:#f4f5f6;--panel:#fff;--line:#d8dee4;--text:#1b1f24;
--soft:#57606a}
@media(prefers-color-scheme:dark){:root{--page:#0e1116;--panel:#171b21;--line:#2c333b;
--text:#e6e9ee;--soft:#9aa4af}svg,b i{filter:brightness(1.5)}}
body{margin:0;padding:12px;background:var(--page);color:var(--text);
font:13px/1.3 "DejaVu Sans",sans-serif}
main{display:grid;grid-template-columns:repeat(24,1fr);gap:8px}
section{background:var(--panel);border:1px solid var(--line);border-radius:3px;
padding:6px 8px;overflow:hidden;display:flex;flex-direction:column}
section.row{background:none;border:0;padding:4px 0 0;font-size:15px}
h2{font-size:13px;font-weight:600;margin:0 0 4px}
.stat p{font-size:26px;margin:auto;white-space:nowrap}
.none{margin:auto;color:var(--soft)}
svg{flex:1;min-height:0;width:100%}
b{font-weight:400;margin-right:10px;white-space:nowrap}
b i{display:inline-block;width:10px;height:10px;margin-right:4px;border-radius:2px}
table{border-collapse:collapse;width:100%}
td,th{text-align:right;padding:3px 6px;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}
th{color:var(--soft);font-weight:600}
"""


def ask(prometheus, kind, **words):
    """What Prometheus answers to a query: a list of series."""
    where = f"{prometheus}/api/v1/{kind}?{urllib.parse.urlencode(words)}"
    with urllib.request.urlopen(where, timeout=20) as reply:
        return json.load(reply)["data"]["result"]


def short(value, unit):
    """A value as Grafana writes it, nearly."""
    if not math.isfinite(value):
        return "N/A"
    if unit == "percentunit":
        return f"{100 * value:.0f}%"
    if unit == "s":
        return f"{value:.1f} s" if value >= 1 else f"{1000 * value:.2f} ms"
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def name_of(target, series, default):
    """The legend of a series."""
    text = target.get("legendFormat") or default
    return re.sub(r"{{\s*(\w+)\s*}}", lambda m: series["metric"].get(m[1], ""), text)


def draw_stat(panel, prometheus, unit):
    """One large value."""
    series = ask(prometheus, "query", query=panel["targets"][0]["expr"])
    text = short(float(series[0]["value"][1]), unit) if series else "No data"
    return f"<p>{html.escape(text)}</p>"


def draw_table(panel, prometheus):
    """A row for each tenant, a column for each expression."""
    names, rows = {}, {}
    for transformation in panel.get("transformations", []):
        names.update(transformation["options"].get("renameByName", {}))
    for target in panel["targets"]:
        for series in ask(prometheus, "query", query=target["expr"]):
            row = rows.setdefault(series["metric"].get("tenant", ""), {})
            row[target["refId"]] = float(series["value"][1])
    ids = [t["refId"] for t in panel["targets"]]
    head = "".join(f"<th>{html.escape(names.get(f'Value #{i}', i))}" for i in ids)
    body = "".join(
        f"<tr><td>{html.escape(tenant)}" + "".join(
            f"<td>{short(round(row[i], 2), 'none') if i in row else ''}" for i in ids)
        for tenant, row in sorted(rows.items()))
    return f"<table><tr><th>tenant{head}{body}</table>"


def draw_lines(panel, prometheus, unit, begin, end):
    """Lines over time, or areas on each other where the panel stacks them."""
    every = (end - begin) / STEPS
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    stacks = custom.get("stacking", {}).get("mode") == "normal"
    alone = {o["matcher"]["options"] for o in panel["fieldConfig"].get("overrides", [])
             if any(p["id"] == "custom.stacking" for p in o["properties"])}
    lines = []
    for target in panel["targets"]:
        for series in ask(prometheus, "query_range", query=target["expr"], start=begin,
                          end=end, step=every):
            points = [(t, float(v)) for t, v in series["values"]
                      if v not in ("NaN", "+Inf", "-Inf")]
            if points:
                lines.append((name_of(target, series, panel["title"]), points))
    if not lines:
        return '<p class="none">No data</p>'
    under, shapes, legend, areas = {}, [], [], []
    for index, (name, points) in enumerate(lines):
        area = stacks and name not in alone
        below = [(t, under.get(t, 0)) for t, _ in points]
        if area:
            points = [(t, v + under.get(t, 0)) for t, v in points]
            under.update(points)
        areas.append((name, points, below if area else None,
                      "var(--text)" if name in alone else COLOURS[index % len(COLOURS)]))
    most = max(v for _, points, _, _ in areas for _, v in points) or 1

    def path(points):
        return " ".join(f"{(t - begin) / (end - begin) * WIDE:.1f},"
                        f"{HIGH - v / most * (HIGH - 6):.1f}" for t, v in points)
    for name, points, below, colour in areas:
        if below:
            shapes.append(f'<polygon points="{path(points + below[::-1])}" fill="{colour}"'
                          ' fill-opacity=".6"/>')
        shapes.append(f'<polyline points="{path(points)}" fill="none" stroke="{colour}"'
                      ' stroke-width="1.5" vector-effect="non-scaling-stroke"/>')
        legend.append(f'<b><i style="background:{colour}"></i>{html.escape(name)}</b>')
    return (f'<div style="color:var(--soft)">up to {short(most, unit)}</div>'
            f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none">'
            f'{"".join(shapes)}</svg><div>{"".join(legend)}</div>')


def main():
    """Write the page."""
    file, prometheus, minutes = sys.argv[1:]
    with open(file, encoding="utf-8") as stream:
        text = stream.read().replace("$pool", ".*")
    board, end = json.loads(text), time.time()
    begin = end - 60 * float(minutes)
    print(f"<!DOCTYPE html><meta charset=utf-8><title>{html.escape(board['title'])}</title>"
          f"<style>{STYLE}</style><main>")
    for panel in board["panels"]:
        at = panel["gridPos"]
        unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit")
        draw = {"row": lambda: "", "stat": lambda p=panel, u=unit: draw_stat(p, prometheus, u),
                "table": lambda p=panel: draw_table(p, prometheus)}.get(
                    panel["type"],
                    lambda p=panel, u=unit: draw_lines(p, prometheus, u, begin, end))
        high = at["h"] * ROW_PX
        print(f'<section class="{panel["type"]}" style="grid-column:{at["x"] + 1}/span '
              f'{at["w"]};height:{high - 18}px;grid-row:{at["y"] + 1}/span {at["h"]}">'
              f'<h2>{html.escape(panel["title"])}</h2>{draw()}</section>')
    print("</main>")


if __name__ == "__main__":
    main()
