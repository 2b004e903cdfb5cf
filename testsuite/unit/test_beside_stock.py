#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/beside-stock: its load, and the arithmetic of its table."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

TOP = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "contrib/beside-stock"))
import load  # noqa: E402
import table  # noqa: E402


def job(tenant, gpus, sec, submit, *runs, **more):
    """Its runs as (start, end)."""
    return {"tenant": tenant, "gpus": gpus, "sec": sec, "submit": submit,
            "qos": "normal", "prepared": True, "finished": True,
            "whole": True, "first_start": runs[0][0],
            "runs": [[a, b, "COMPLETED"] for a, b in runs], **more}


def result(*jobs, name="ours", hour=10, seed=1):
    return {"name": name, "seed": seed, "gpus": 4, "hour_sec": hour,
            "weights": {"a": 2, "b": 1, "c": 1}, "idle_start_sec": 0.5,
            "jobs": list(jobs)}


def printed(*results):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, one in enumerate(results):
            paths.append(os.path.join(folder, str(i)))
            with open(paths[-1], "w", encoding="utf-8") as out:
                json.dump(one, out)
        text = io.StringIO()
        with mock.patch.object(sys, "argv", ["table.py", *paths]), \
                contextlib.redirect_stdout(text):
            status = table.main()
    return status, text.getvalue()


class Entitled(unittest.TestCase):
    weights = {"a": 2, "b": 1, "c": 1}

    def check(self, demand, expected):
        got = table.entitled(dict(zip("abc", demand)), self.weights, 16)
        for tenant, gpus in zip("abc", expected):
            self.assertAlmostEqual(got[tenant], gpus)

    def test_all_that_want_more_get_it_by_weight(self):
        self.check((99, 99, 99), (8, 4, 4))

    def test_what_one_does_not_want_goes_to_the_others(self):
        self.check((99, 1, 99), (10, 1, 5))
        self.check((99, 0, 0), (16, 0, 0))
        self.check((2, 1, 0), (2, 1, 0))


class Measures(unittest.TestCase):
    def test_time_after_the_hour_does_not_count(self):
        one = result(job("a", 4, 20, 0, (0, 20)))
        self.assertEqual(table.gpu_time(one)["a"], (40, 40))

    def test_a_tenant_that_waits_is_entitled_to_its_share(self):
        one = result(job("a", 4, 10, 0, (0, 10)),
                     job("b", 4, 10, 4, (10, 20)))
        had, due = table.gpu_time(one)["b"]
        self.assertEqual(had, 0)
        self.assertAlmostEqual(due, 6 * 4 / 3)  # b's third of 4 GPUs, 6 s

    def test_lost_is_what_interrupted_jobs_held_beyond_their_work(self):
        one = result(job("a", 2, 10, 0, (0, 6), (8, 15)),
                     job("b", 1, 5, 0, (0, 7)))  # slow, but never interrupted
        self.assertEqual(table.lost(one), (2 * 3, 26 + 7, 1))

    def test_percentiles_are_values_that_were(self):
        values = list(range(1, 21))
        self.assertEqual(table.percentile(values, 0.5), 10)
        self.assertEqual(table.percentile(values, 0.95), 19)
        self.assertEqual(table.percentile([7], 0.95), 7)


class Table(unittest.TestCase):
    def test_the_best_is_bold_also_if_it_is_stock(self):
        status, text = printed(
            result(job("a", 1, 5, 0, (0.2, 5)), name="stock"),
            result(job("a", 1, 5, 0, (3, 8)), name="ours"))
        self.assertEqual(status, 0)
        self.assertIn("| first wait, 1 GPU, median, s | **0.2** | 3.0 |", text)

    def test_nearly_alike_is_nobody_s_gain(self):
        _, text = printed(
            result(job("a", 1, 5, 0, (1.0, 6)), name="stock"),
            result(job("a", 1, 5, 0, (1.05, 6)), name="ours"))
        self.assertIn("| first wait, 1 GPU, median, s | 1.0 | 1.1 |", text)

    def test_seeds_of_a_cluster_are_one_column(self):
        _, text = printed(result(job("a", 1, 5, 0, (0, 5))),
                          result(job("a", 1, 5, 0, (8, 13)), seed=2))
        self.assertIn("| | ours |\n", text)
        self.assertIn("| first wait, 1 GPU, 95 %, s | 8.0 |", text)

    def test_a_seed_that_one_cluster_lacks_is_left_out(self):
        _, text = printed(
            result(job("a", 1, 5, 0, (0, 5)), name="stock"),
            result(job("a", 1, 5, 0, (8, 13)), name="stock", seed=2),
            result(job("a", 1, 5, 0, (0, 5))))
        self.assertIn("| first wait, 1 GPU, 95 %, s | 0.0 | 0.0 |", text)

    def test_a_job_that_did_not_finish_is_a_failure(self):
        for more, words in (
                ({"finished": False, "whole": False}, "did not finish"),
                ({"finished": False, "prepared": False}, "did not finish"),
                ({"whole": False}, "lost or repeated")):
            status, text = printed(result(job("a", 1, 5, 0, (0, 5), **more)))
            self.assertEqual(status, 1)
            self.assertIn("FAILED: ours, seed 1: 1 ", text)
            self.assertIn(words, text)

    def test_a_job_that_did_all_its_steps_is_done_whatever_slurm_calls_it(self):
        status, text = printed(result(job("a", 1, 5, 0, (0, 5),
                                          finished=False)))
        self.assertEqual(status, 0)
        self.assertNotIn("FAILED", text)


class Load(unittest.TestCase):
    def test_a_seed_always_gives_the_same_jobs(self):
        self.assertEqual(load.jobs(3), load.jobs(3))
        self.assertNotEqual(load.jobs(3), load.jobs(4))

    def test_half_of_the_jobs_are_prepared(self):
        for seed in range(5):
            batch = [j for j in load.jobs(seed) if j[3] != "interactive"]
            prepared = sum(j[-1] for j in batch)
            self.assertAlmostEqual(prepared / len(batch), 0.5, delta=0.05)

    def test_the_small_tenants_come_later(self):
        for seed in range(5):
            first = {}
            for at, _, account, *_ in load.jobs(seed):
                first.setdefault(account, at)
            self.assertLess(first["vision"], 10)
            self.assertGreater(min(first["speech"], first["biology"]), 10)

    def test_each_size_comes_in_the_short_load_too(self):
        self.assertLessEqual({1, 2, 4}, {j[4] for j in load.jobs(1, True)})


if __name__ == "__main__":
    unittest.main()
