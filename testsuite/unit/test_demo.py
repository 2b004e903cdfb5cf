#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict of contrib/demo, of all jobs, or it is none; and what it says of the
two clusters: who had what at the last moment, who waited."""

import contextlib
import io
import os
import sys
import tempfile
import types
import unittest

TOP = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "contrib/demo"))
import report  # noqa: E402
import view  # noqa: E402
import watch  # noqa: E402


def proof(done, finished=True, good=True):
    return types.SimpleNamespace(done=done, finished=finished, good=good)


def verdict(proofs, restarts=1):
    numbered = dict(enumerate(proofs))
    jobs = {n: types.SimpleNamespace(restarts=restarts) for n in numbered}
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        proved = report.verdict(numbered, jobs, dict.fromkeys(numbered))
    return proved, text.getvalue()


class Verdict(unittest.TestCase):
    def test_all_jobs_that_ran_whole_are_a_proof(self):
        proved, text = verdict([proof(9), proof(5, finished=False)])
        self.assertTrue(proved)
        self.assertIn("PROVED: 2 jobs, 1 of them finished", text)

    def test_jobs_that_never_ran_are_none(self):
        proved, text = verdict([proof(9)] * 4 + [proof(0, False)] * 22)
        self.assertFalse(proved)
        self.assertNotIn("PROVED", text)
        self.assertIn("22 of 26 jobs never ran", text)

    def test_one_that_lost_a_step_is_none(self):
        proved, text = verdict([proof(9), proof(5, good=False)])
        self.assertFalse(proved)
        self.assertIn("1 of 2 jobs lost", text)

    def test_no_interruption_is_none(self):
        self.assertFalse(verdict([proof(9)], restarts=0)[0])


class Moment:
    """What a cluster's jobs hold and want, by tenant, at one moment."""

    def __init__(self, when, holds, wants):
        self.when, self.holds, self.wants = when, holds, wants
        self.tenants = [{"name": "a", "weight": 3}, {"name": "b", "weight": 1}]

    def gpus_of(self, tenant):
        return self.holds[tenant]

    def wanted_by(self, tenant):
        return self.wants[tenant]

    def all_over(self):
        return not any(self.wants.values())


def moments(*holds_and_wants):
    return [Moment(10.0 * i, dict(zip("ab", holds)), dict(zip("ab", wants)))
            for i, (holds, wants) in enumerate(holds_and_wants)]


class Shares(unittest.TestCase):
    def record(self, ours, stock):
        record = view.Record("", 4)
        for one, other in zip(ours, stock):
            record.take(one, other, one.when)
        return record.kept

    def test_the_last_moment_counts_and_not_the_best_one(self):
        even, uneven = ((3, 1), (9, 9)), ((0, 4), (9, 9))
        over = ((0, 0), (0, 0))
        kept = self.record(moments(even, uneven, even, over),
                           moments(uneven, even, over, over))
        self.assertEqual(kept["passed_sec"], {"ours": 20, "stock": 10})
        self.assertEqual(kept["had"]["ours"], {"a": 3 / 8, "b": 5 / 8})
        self.assertEqual(kept["had"]["stock"], {"a": 0, "b": 1})
        self.assertEqual(kept["over_sec"], {"ours": 30, "stock": 20})

    def test_a_tenant_that_wants_less_than_its_share_competes_no_more(self):
        kept = self.record(moments(((3, 1), (3, 1)), ((2, 2), (2, 9))),
                           moments(((3, 1), (3, 1)), ((3, 1), (3, 0))))
        self.assertEqual(kept["passed_sec"], {"ours": 0, "stock": 0})

    def test_unevenness_is_of_the_furthest_tenant(self):
        self.assertAlmostEqual(watch.unevenness(
            {"a": 0.75, "b": 0.25}, {"a": 0.70, "b": 0.30}), 0.2)


class Waits(unittest.TestCase):
    def test_they_last_from_sbatch_to_the_first_step(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w",
                          encoding="utf-8") as out:
                    out.write(text)
            write("steps", "7 4 100.5\n8 4 101.0\n9 4 102.0\n")
            write("train-7.journal", "1 0 n1 104.0\n2 0 n1 104.5\n")
            write("train-8.journal", "1 0 n1 121.0\n2 1 n2 190.0\n")
            journals = watch.Journals(folder)
            self.assertEqual(report.waits(journals, [7, 8, 9]),
                             ([3.5, 20.0], 1))
            self.assertEqual(journals.wanted(), {7: 4, 8: 4, 9: 4})


if __name__ == "__main__":
    unittest.main()
