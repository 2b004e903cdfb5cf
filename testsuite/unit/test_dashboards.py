#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prometheus's rules and Grafana's dashboard ask for metrics that there are,
and promtool takes what they say."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../..")
BUILD = os.environ.get("top_builddir") or os.path.join(TOP, "build")
FOLDER = os.path.join(TOP, "contrib/prometheus")
RULES = os.path.join(FOLDER, "astraea.rules.yml")
RULES_TEST = os.path.join(FOLDER, "astraea.rules.test.yml")
DASHBOARD = os.path.join(TOP, "contrib/grafana/astraea.json")

# What Slurm 25.11's metrics/openmetrics has of its own, of what is asked for.
SLURM = {"slurm_" + name for name in (
    "bf_cycle_last", "jobs_hold", "jobs_pending", "jobs_running",
    "nodes_alloc", "nodes_down", "nodes_drain", "nodes_idle", "nodes_mixed",
    "sched_mean_cycle")}
GRID = 24  # columns of a dashboard


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def metrics():
    """The metrics of sfair(1): name -> {label: its values; none: any}."""
    program = os.path.join(BUILD, "sfair")
    text = subprocess.run([program, "metrics", "--mdoc"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for block in text.split(".It Li ")[1:]:
        words = block.split("\n", 1)[0].split()
        labels = {label: set() for label in words[4::2]}
        for label, values in re.findall(r"^\.Ar (\w+) :\n([^.]*)\.$", block,
                                        re.M):
            labels[label] = set(values.split(", "))
        names = [words[0]]
        if words[2] == "summary":
            names = [words[0] + "_sum", words[0] + "_count"]
        for name in names:
            found[name] = labels
    return found


def recorded():
    return set(re.findall(r"^ +- record: (\S+)$", read(RULES), re.M))


def alerts():
    return set(re.findall(r"^ +- alert: (\S+)$", read(RULES), re.M))


def rule_expressions():
    """Of each rule, folded into a line."""
    found = re.findall(r"^ +expr: (?:>-\n((?: {10,}.*\n)+)|(.*)\n)",
                       read(RULES), re.M)
    return [" ".join((folded or line).split()) for folded, line in found]


def panels():
    return json.loads(read(DASHBOARD))["panels"]


def dashboard_expressions():
    """As Grafana sends them, all pools chosen."""
    return [target["expr"].replace("$pool", ".*")
            for panel in panels() for target in panel.get("targets", [])]


def promtool(*words):
    done = subprocess.run(["promtool", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Names(unittest.TestCase):
    def check(self, expressions):
        known = metrics()
        self.assertGreater(len(known), 50)
        for expr in expressions:
            for name in re.findall(r"\bastraea:[a-z0-9_:]+", expr):
                self.assertIn(name, recorded(), expr)
            for name in re.findall(r"\bslurm_[a-z_]+", expr):
                self.assertIn(name, SLURM, expr)
            for name, chosen in re.findall(
                    r"(?<![a-z:_])(astraea_[a-z_]+)(?:\{([^}]*)\})?", expr):
                self.assertIn(name, known, expr)
                self.labels(expr, known[name], chosen)

    def labels(self, expr, known, chosen):
        for label, how, value in re.findall(r'(\w+)(=~|!=|=)"([^"]*)"',
                                            chosen):
            self.assertIn(label, known, expr)
            for word in value.split("|") if how == "=~" else [value]:
                if known[label]:
                    self.assertIn(word, known[label], expr)

    def test_rules(self):
        self.check(rule_expressions())

    def test_dashboard(self):
        self.check(dashboard_expressions())

    def test_a_name_or_label_that_is_not_there_is_found(self):
        for expr in ("astraea_gpus", 'astraea_fault{kind="asleep"}',
                     'astraea_up{pool="gpu"}', "slurm_jobs_waiting",
                     "astraea:nothing"):
            with self.assertRaises(AssertionError, msg=expr):
                self.check([expr])


class Rules(unittest.TestCase):
    def test_each_alert_is_tested(self):
        self.assertGreater(len(alerts()), 10)
        for alert in alerts():
            self.assertIn(f'alertname="{alert}"', read(RULES_TEST))

    def test_each_says_how_urgent_it_is(self):
        for rule in read(RULES).split("- alert: ")[1:]:
            self.assertRegex(rule, r"severity: (page|ticket|info)\}")

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool")
    def test_promtool_takes_them(self):
        status, text = promtool("check", "rules", RULES)
        self.assertEqual(status, 0, text)
        status, text = promtool("test", "rules", RULES_TEST)
        self.assertEqual(status, 0, text)


class Dashboard(unittest.TestCase):
    def test_panels_have_numbers_and_titles_of_their_own(self):
        for key in ("id", "title"):
            seen = [panel[key] for panel in panels()]
            self.assertEqual(len(seen), len(set(seen)))

    def test_no_panel_lies_on_another(self):
        taken = set()
        for panel in panels():
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], GRID, panel["title"])
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken.add((x, y))

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool")
    def test_promtool_takes_each_expression(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("groups:\n- name: panels\n  rules:\n")
            for i, expr in enumerate(dashboard_expressions()):
                file.write(f"  - record: panel:{i}\n"
                           f"    expr: {json.dumps(expr)}\n")
            file.flush()
            status, text = promtool("check", "rules", file.name)
            self.assertEqual(status, 0, text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--panels"]:
        print("\n".join(dashboard_expressions()))
    else:
        unittest.main()
