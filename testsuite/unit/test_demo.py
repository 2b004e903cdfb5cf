#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict of contrib/demo: of all jobs, or it is none."""

import contextlib
import io
import os
import sys
import types
import unittest

TOP = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "contrib/demo"))
import report  # noqa: E402


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


if __name__ == "__main__":
    unittest.main()
