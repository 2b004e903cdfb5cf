#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace like those of Themis' testbed (Mahajan et al., NSDI'20, section 8).

usage: themis-testbed.py SEED [--halving] [--network=PERCENT] >TRACE

24 apps come in three days. One in ten has one job, the others 8 to 96, each as long
as the others but for a fifth; the median job of an app takes 3.75 hours, log-normal.
A job asks for one or two GPUs. What the paper does not print is ours: the spread of
the times, and when apps come.

--halving   half of an app's jobs stop at a quarter of their time, a quarter at half
            of it; a job asks for two or four GPUs
--network   so many apps of a hundred run at 1/1.4 of their speed across machines of a
            rack and at 1/1.8 across racks [0]
"""
import argparse
import math
import random
import sys

APPS, DAYS, JOB_SEC = 24, 3, 3.75 * 3600

parser = argparse.ArgumentParser()
parser.add_argument("seed", type=int)
parser.add_argument("--halving", action="store_true")
parser.add_argument("--network", type=float, default=0)
options = parser.parse_args()
draw = random.Random(options.seed)
rows = []
for app in range(APPS):
    submit = draw.random() * DAYS * 86400
    slow = "1/1/1.4/1.8" if draw.random() * 100 < options.network else "1/1/1/1"
    median = JOB_SEC * math.exp(draw.gauss(0, 1))
    jobs = 1 if draw.random() < 0.1 else draw.choice((8, 16, 32, 64, 64, 96))
    gpus = draw.choice((2, 4) if options.halving else (1, 2))
    times = [median * math.exp(draw.gauss(0, 0.2)) for _ in range(jobs)]
    if options.halving:
        times.sort()
        times = [t * (0.25 if i < jobs // 2 else 0.5 if i < jobs * 3 // 4 else 1)
                 for i, t in enumerate(times)]
    for job, sec in enumerate(times):
        rows.append((submit, f"a{app}j{job},t{app},u{app},app{app},{submit:.0f},"
                             f"{max(60, sec):.0f},{gpus},{slow}"))
print("job_id,tenant,user,app_id,submit_s,duration_s,gpus,slowdown")
for _, row in sorted(rows):
    print(row)
