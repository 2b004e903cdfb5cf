#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of pages and terminals in headless Chromium, light and dark.

usage: screens.py BROWSER FOLDER NAME=WHAT...

WHAT is the address of a page, or a file with what a terminal showed, with its
colours. Each becomes NAME-light.png and NAME-dark.png.
"""
import base64
import html
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "testsuite/page"))
import look  # noqa: E402

WIDTH, HIGHEST = 1100, 1400
COLOURS = {31: "#c62828", 32: "#00815c", 33: "#8a6a00", 34: "#0067a8",
           35: "#a8327f", 36: "#007c91"}
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><title>{name}</title><style>
:root{{color-scheme:light dark}}
body{{margin:0;padding:16px;background:#fff;color:#1b1f24}}
@media(prefers-color-scheme:dark){{body{{background:#0e1116;color:#e6e9ee}}
span{{filter:brightness(1.7)}}}}
pre{{margin:0;font:14px/1.35 "DejaVu Sans Mono",monospace}}
</style><pre>{text}</pre>"""


def style(codes):
    """The style of a terminal's codes."""
    rules = []
    for code in codes:
        if code == 1:
            rules.append("font-weight:bold")
        elif code == 7:
            rules.append("background:#8b949e55")
        elif code in COLOURS:
            rules.append(f"color:{COLOURS[code]}")
    return ";".join(rules)


def terminal(text):
    """A terminal's text as HTML."""
    out, codes = [], []
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        sgr = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if sgr:
            for code in map(int, (sgr[1] or "0").split(";")):
                codes = codes + [code] if code else []
        elif part:
            escaped = html.escape(re.sub(r"\x1b.|\x0f", "", part))
            rules = style(codes)
            out.append(f'<span style="{rules}">{escaped}</span>' if rules else escaped)
    return "".join(out)


def main():
    """Take the pictures."""
    program, folder, *whats = sys.argv[1:]
    profile = tempfile.mkdtemp()
    browser = look.Browser(program, profile)
    browser.ask("Page.enable")
    for what in whats:
        name, where = what.split("=", 1)
        if "://" not in where:
            page = Path(profile) / f"{name}.html"
            page.write_text(TERMINAL.format(name=name, text=terminal(
                Path(where).read_text(encoding="utf-8"))), encoding="utf-8")
            where = f"file://{page}"
        for scheme in ("light", "dark"):
            browser.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=600,
                        deviceScaleFactor=1, mobile=False)
            browser.ask("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            browser.events.clear()
            browser.ask("Page.navigate", url=where)
            browser.wait("Page.loadEventFired")
            high = min(HIGHEST, browser.run("document.documentElement.scrollHeight"))
            data = browser.ask("Page.captureScreenshot", captureBeyondViewport=True,
                               clip={"x": 0, "y": 0, "width": WIDTH, "height": high,
                                     "scale": 1})["data"]
            (Path(folder) / f"{name}-{scheme}.png").write_bytes(base64.b64decode(data))
    browser.close()
    shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    main()
