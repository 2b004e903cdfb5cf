#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Look at a page of sfair report in headless Chromium, as a reader would.

usage: look.py BROWSER PAGE [--pictures FOLDER] [--name NAME] [--charts N]
       [--quick]
Says what is not as it should be, and exits 1 then. The browser is spoken to
over its debugging pipe, so that nothing is added to the page.
"""

import argparse
import base64
import csv
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SORT = """(() => {
const found = [];
for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) {
    const n = head.cellIndex;
    const read = () => [...table.tBodies[0].rows].map(r => {
      const c = r.cells[n], v = c.dataset.v ?? c.textContent.trim();
      return v === '' || v === '-' ? null : v;
    });
    const before = read().slice().sort().join();
    for (const wanted of [null, null]) {
      head.querySelector('button').click();
      const way = head.getAttribute('aria-sort');
      const values = read();
      const known = values.filter(v => v !== null);
      let good = values.slice(0, known.length).every(v => v !== null) &&
        values.slice().sort().join() === before;
      if (!head.classList.contains('text') && n) {
        const numbers = known.map(v => v === '∞' ? Infinity : parseFloat(v));
        const sign = way === 'ascending' ? 1 : -1;
        good &&= numbers.every((v, i) =>
          !i || (v - numbers[i - 1]) * sign >= 0 || v === numbers[i - 1]);
      }
      good &&= heads.filter(h => h.hasAttribute('aria-sort')).length === 1;
      found.push([head.textContent.trim(), way, good]);
    }
  }
}
return found; })()"""

SHAPE = """(() => {
const found = {outside: [], bad: [], unnamed: [], untabled: []};
for (const svg of document.querySelectorAll('figure svg')) {
  const view = svg.viewBox.baseVal;
  if (!svg.getAttribute('aria-label') || !svg.querySelector('desc'))
    found.unnamed.push(svg.outerHTML.slice(0, 80));
  if (!svg.closest('section').querySelector('details table'))
    found.untabled.push(svg.getAttribute('aria-label'));
  for (const e of svg.querySelectorAll('path,rect,circle,text,line')) {
    const box = e.getBBox();
    if (box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 ||
        box.y + box.height > view.height + 1)
      found.outside.push(e.outerHTML.slice(0, 160));
    for (const a of e.attributes)
      if (/nan|inf/.test(a.value) && a.name !== 'class')
        found.bad.push(e.outerHTML.slice(0, 160));
  }
}
found.charts = document.querySelectorAll('figure svg').length;
found.tables = document.querySelectorAll('table.sort').length;
found.keys = document.querySelectorAll('.key').length;
found.scripts = document.scripts.length;
found.images = document.images.length;
found.pwned = 'pwned' in window;
found.handlers = [...document.querySelectorAll('*')].filter(e =>
  [...e.attributes].some(a => a.name.startsWith('on'))).length;
return found; })()"""

KEYS = """(() => {
const dim = () => document.querySelectorAll('figure .dim').length;
const key = document.querySelector('.key');
if (!key) return [0, 0, 0, 0];
const found = [dim()];
key.click(); found.push(dim());
key.click(); found.push(dim());
found.push(new Set([...document.querySelectorAll('.key')].map(k =>
  k.dataset.s)).size);
return found; })()"""

FILTER = """(() => {
const field = document.getElementById('filter');
const rows = [...document.querySelectorAll('table.sort tbody tr')];
const set = text => {
  field.value = text;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  return rows.filter(r => !r.hidden);
};
const texts = r => [...r.cells].filter(c => c.matches('th,.text')).map(c =>
  c.textContent).join(' ').toLowerCase();
const word = (rows[0]?.cells[0].textContent.trim().split(/\\s+/).pop() ?? '').toLowerCase();
const shown = set(word), wanted = rows.filter(r => texts(r).includes(word));
const found = {same: shown.length === wanted.length && shown.every(r =>
  wanted.includes(r)), none: set('no such row').length, all: set('').length === rows.length,
  seen: shown.every(r => r.offsetHeight > 0)};
return found; })()"""

CSV = """(async () => {
const blobs = [], make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
URL.createObjectURL = blob => (blobs.push(blob), 'blob:');
HTMLAnchorElement.prototype.click = function() { blobs.at(-1).of = this.download; };
for (const button of document.querySelectorAll('.csv'))
  button.click();
URL.createObjectURL = make;
HTMLAnchorElement.prototype.click = click;
return Promise.all(blobs.map(async b => {
  const table = document.querySelector('#' + b.of.replace('.csv', '') + ' table');
  return [b.of, await b.text(), table.rows.length, table.rows[0].cells.length];
})); })()"""

WIDE = """[document.documentElement.scrollWidth,
[...document.querySelectorAll('h1,h2,p,dl,dd,.key')].filter(e =>
e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e =>
e.textContent.slice(0, 60))]"""


HIGH = """[...document.querySelectorAll('figure')].map(e =>
Math.round(e.getBoundingClientRect().height))"""
SHEET = (1032, 702)  # CSS pixels of A4 without its margins


class Browser:
    """Chromium at the other end of two pipes."""

    def __init__(self, program, profile):
        to_read, self.to = os.pipe()
        self.fro, to_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, program, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={profile}",
             "--no-first-run", "--disable-background-networking",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "about:blank"],
            close_fds=False, stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.count = 0
        self.events = []
        target = self.ask("Target.createTarget", url="about:blank")
        self.session = None
        self.session = self.ask(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]

    session = None

    def read(self):
        """The next message."""
        while b"\0" not in self.rest:
            more = os.read(self.fro, 1 << 16)
            if not more:
                sys.exit("look.py: the browser has gone")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **params):
        """Its answer; events that come before it are kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.read()
            if reply.get("id") != self.count:
                self.events.append(reply)
            elif "error" in reply:
                sys.exit(f"look.py: {method}: {reply['error']}")
            else:
                return reply["result"]

    def wait(self, method):
        """Until such an event has come."""
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.read())

    def run(self, script):
        """What a script finds."""
        reply = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                         awaitPromise=True)
        if "exceptionDetails" in reply:
            sys.exit(f"look.py: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def close(self):
        """End it."""
        self.session = None
        self.ask("Browser.close")
        self.process.wait()


def colours(png):
    """How many different bytes a picture's lines have: a blank one has few."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    return len(set(zlib.decompress(data)))


class Look:
    """One page, and what is wrong with it."""

    def __init__(self, browser, args):
        self.browser, self.args = browser, args
        self.wrong = []
        self.width = 0

    def must(self, what, good, found=""):
        """Note what is not so."""
        if not good:
            self.wrong.append(f"{what} {found}")

    def open(self):
        """Load it, with ears open."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.browser.ask(f"{domain}.enable")
        self.browser.ask(
            "Page.navigate", url="file://" + os.path.abspath(self.args.page)
        )
        self.browser.wait("Page.loadEventFired")

    def size(self, width, height, scheme="light"):
        """A window."""
        self.width = width
        self.browser.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=False,
        )
        self.browser.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def keep(self, name, data):
        """For whoever wants to see it."""
        if self.args.pictures:
            path = os.path.join(self.args.pictures, f"{self.args.name}-{name}")
            with open(path, "wb") as file:
                file.write(data)

    def picture(self, name):
        """A screenshot of all of it."""
        data = base64.b64decode(
            self.browser.ask(
                "Page.captureScreenshot",
                captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": self.width, "height": 2800,
                      "scale": 1},
            )["data"]
        )
        self.keep(f"{name}.png", data)
        self.must(f"{name}: the picture is not blank", colours(data) > 32)
        return data

    def shape(self):
        """Charts, tables, names."""
        found = self.browser.run(SHAPE)
        for key in ("outside", "bad", "unnamed", "untabled"):
            self.must(f"{key}: none", not found[key], found[key][:3])
        self.must("no hostile script ran", not found["pwned"])
        self.must("no handler in an attribute", not found["handlers"])
        self.must("no picture", not found["images"])
        self.must("one script", found["scripts"] == 1, found["scripts"])
        self.must("three tables to sort", found["tables"] == 3)
        if self.args.charts is not None:
            self.must("charts", found["charts"] == self.args.charts, found["charts"])

    def clicks(self):
        """Sorting, and tenants alone."""
        for title, way, good in self.browser.run(SORT):
            self.must(f"sorted by {title} {way}", good)
        dims = self.browser.run(KEYS)
        self.must(
            "a tenant alone, and all again",
            dims[0] == dims[2] == 0 and (dims[1] > 0 or dims[3] < 2),
            dims,
        )
        found = self.browser.run(FILTER)
        self.must("a filter shows rows with its word", found["same"] and found["seen"]
                  and found["none"] == 0 and found["all"], found)
        self.tables()

    def tables(self):
        """What CSV saves: each row, each column, no formula."""
        saved = self.browser.run(CSV)
        self.must("a CSV of each table", len(saved) == 3, len(saved))
        for name, text, rows, columns in saved:
            cells = list(csv.reader(io.StringIO(text)))
            self.must(f"{name}: all rows", len(cells) == rows, [len(cells), rows])
            self.must(f"{name}: all columns", {len(row) for row in cells} == {columns})
            formulas = [c for row in cells for c in row if c[:1] in tuple("=+@")]
            self.must(f"{name}: no formula", not formulas, formulas[:3])

    def widths(self):
        """Nothing runs out of the window."""
        for width in (360, 800, 1400):
            self.size(width, 900)
            page, beyond = self.browser.run(WIDE)
            self.must(f"{width} px: not wider", page <= width, page)
            self.must(f"{width} px: nothing beyond", not beyond, beyond[:3])
            self.picture(f"{width}")
        light = self.picture("light")
        self.size(1400, 900, "dark")
        dark = self.picture("dark")
        self.must("dark is another picture than light", light != dark)

    def paper(self):
        """On paper: no chart is higher or wider than a sheet."""
        self.size(SHEET[0], 900)
        self.browser.ask("Emulation.setEmulatedMedia", media="print")
        high = self.browser.run(HIGH)
        self.must("charts fit on a sheet", max(high, default=0) < SHEET[1], high)
        page, beyond = self.browser.run(WIDE)
        self.must("tables fit on a sheet", page <= SHEET[0] and not beyond, page)
        self.browser.ask("Emulation.setEmulatedMedia", media="")
        data = base64.b64decode(
            self.browser.ask("Page.printToPDF", preferCSSPageSize=True,
                             printBackground=True)["data"]
        )
        self.keep("print.pdf", data)
        pages = data.count(b"/Type /Page\n") + data.count(b"/Type /Page ")
        self.must("pages on paper", pages >= 1, pages)

    def silence(self):
        """What the console and the network had to say."""
        for event in self.browser.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                self.must(
                    "no request", url.startswith(("file:///", "data:,")), url[:99]
                )
            elif method in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.must("a silent console", False, json.dumps(params)[:300])
            elif method == "Runtime.consoleAPICalled":
                self.must("a silent console", False, json.dumps(params)[:300])
        files = [
            e for e in self.browser.events
            if e.get("method") == "Network.requestWillBeSent"
            and e["params"]["request"]["url"].startswith("file:")
        ]
        self.must("the page alone is read", len(files) == 1, len(files))


def main():
    """Look, and say what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("browser")
    parser.add_argument("page")
    parser.add_argument("--pictures")
    parser.add_argument("--name", default="page")
    parser.add_argument("--charts", type=int)
    parser.add_argument("--quick", action="store_true", help="no paper")
    args = parser.parse_args()
    profile = tempfile.mkdtemp()
    browser = Browser(args.browser, profile)
    look = Look(browser, args)
    try:
        look.open()
        look.shape()
        look.widths()
        look.clicks()
        if not args.quick:
            look.paper()
        look.silence()
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)
    for what in look.wrong:
        print(f"look.py: {args.name}: not so: {what}", file=sys.stderr)
    sys.exit(bool(look.wrong))


if __name__ == "__main__":
    main()
