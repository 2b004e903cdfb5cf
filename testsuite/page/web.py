#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Look at the page of sfair web in headless Chromium, as its readers do.

usage: web.py BROWSER URL [--pictures FOLDER] [--name NAME] [--charts N]
Says what is not as it should be, and exits 1 then.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time

import look

NUMBER = "document.getElementById('state')?.dataset.number"
ACCESS = """(() => {
const bad = [];
const all = s => [...document.querySelectorAll(s)];
if (document.documentElement.lang !== 'en') bad.push('lang');
if (all('h1').length !== 1) bad.push('h1');
for (const t of all('table')) {
  if (!t.querySelector('thead th[scope=col]')) bad.push('a table without head');
  for (const r of t.tBodies[0].rows)
    if (r.cells[0].scope !== 'row' || r.cells.length !== t.tHead.rows[0].cells.length)
      bad.push('a row: ' + r.textContent.slice(0, 40));
}
for (const n of all('.nodes [role=img]'))
  if (!/^[0-9]+ GPUs/.test(n.getAttribute('aria-label'))) bad.push('a node');
for (const a of all('nav a'))
  if (!document.getElementById(a.hash.slice(1))) bad.push('a link: ' + a.hash);
for (const i of all('.g i'))
  if (!i.textContent) bad.push('a square without a letter');
const ids = all('[id]').map(e => e.id);
if (new Set(ids).size !== ids.length) bad.push('an id twice');
return bad; })()"""
ARRANGE = """(() => {
document.querySelector('#Queue thead th:nth-child(5) button').click();
document.querySelector('#Queue thead th:nth-child(5) button').click();
document.querySelector('details').open = true;
document.querySelector('.key')?.click();
if(document.getElementById('lately'))document.getElementById('lately').checked = true;
const field = document.getElementById('filter');
field.value = document.querySelector('#Tenants tbody th').textContent.trim().split(/\\s+/).pop();
field.dispatchEvent(new Event('input', {bubbles: true}));
document.querySelector('#Queue thead th:nth-child(5) button').focus();
return document.querySelector('main').dataset.old = 1; })()"""
ARRANGED = """(() => {
const h = document.querySelector('#Queue thead th:nth-child(5)');
const n = [...document.querySelectorAll('#Queue tbody tr')].map(r =>
  parseFloat(r.cells[4].textContent));
return {new: !document.querySelector('main').dataset.old,
  sort: h.getAttribute('aria-sort'),
  sorted: n.length > 2 && n.every((v, i) => !i || v >= n[i - 1]),
  open: document.querySelector('details').open,
  span: document.getElementById('lately')?.checked ?? true,
  focus: document.activeElement === h.querySelector('button'),
  filtered: document.querySelectorAll('tbody tr[hidden]').length,
  pinned: document.querySelectorAll('.key[aria-pressed=true]').length}; })()"""


class LiveLook(look.Look):
    """A page that is live."""

    def open(self):
        """Load it, with ears open."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.browser.ask(f"{domain}.enable")
        self.browser.ask("Page.navigate", url=self.args.page)
        self.browser.wait("Page.loadEventFired")

    def shape(self):
        """Charts, tables, names."""
        found = self.browser.run(look.SHAPE)
        for key in ("outside", "bad", "unnamed", "untabled"):
            self.must(f"{key}: none", not found[key], found[key][:3])
        self.must("no hostile script ran", not found["pwned"])
        self.must("no handler in an attribute", not found["handlers"])
        self.must("no picture", not found["images"])
        self.must("two scripts", found["scripts"] == 2, found["scripts"])
        self.must("three tables to sort", found["tables"] == 3, found["tables"])
        self.must("charts", found["charts"] == self.args.charts, found["charts"])
        bad = self.browser.run(ACCESS)
        self.must("can be read by all", not bad, bad[:5])

    def renewal(self):
        """What a reader has arranged stays when the page is renewed."""
        self.browser.run(ARRANGE)
        number = self.browser.run(NUMBER)
        until = time.monotonic() + 30
        while self.browser.run(NUMBER) == number and time.monotonic() < until:
            time.sleep(0.2)
        found = self.browser.run(ARRANGED)
        self.must("it is renewed", found["new"])
        self.must("its order stays", found["sorted"] and
                  found["sort"] == "ascending", found)
        self.must("what is open stays", found["open"])
        self.must("the span of rho stays", found["span"])
        self.must("the focus stays", found["focus"])
        self.must("a tenant alone stays so", found["pinned"] > 0)
        self.must("the filter stays", found["filtered"] > 0)
        self.browser.run("""(() => { const f = document.getElementById('filter');
            f.value = ''; f.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        self.browser.run("document.querySelector('.key').click()")
        self.shape()

    def plain(self):
        """Without JavaScript."""
        self.browser.ask("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.events.clear()
        self.browser.ask("Page.reload")
        self.browser.wait("Page.loadEventFired")
        self.must("without JavaScript there are tables",
                  self.browser.run("document.querySelectorAll('table.sort').length") == 3)
        self.must("and it is read again", self.browser.run(
            "document.querySelector('meta[http-equiv=refresh]')?.content") == "30")

    def silence(self):
        """What the console and the network had to say."""
        for event in self.browser.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                self.must("no request of others",
                          url.startswith((self.args.page, "data:,")), url[:99])
            elif method in ("Runtime.exceptionThrown", "Log.entryAdded",
                            "Runtime.consoleAPICalled"):
                self.must("a silent console", False, json.dumps(params)[:300])


def main():
    """Look, and say what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("browser")
    parser.add_argument("page")
    parser.add_argument("--pictures")
    parser.add_argument("--name", default="web")
    parser.add_argument("--charts", type=int, default=4)
    args = parser.parse_args()
    profile = tempfile.mkdtemp()
    browser = look.Browser(args.browser, profile)
    page = LiveLook(browser, args)
    try:
        page.size(1200, 900)
        page.open()
        page.shape()
        page.renewal()
        page.widths()
        page.clicks()
        page.silence()
        page.plain()
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)
    for what in page.wrong:
        print(f"web.py: {args.name}: not so: {what}", file=sys.stderr)
    sys.exit(bool(page.wrong))


if __name__ == "__main__":
    main()
