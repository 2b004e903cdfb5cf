#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs like those of Incentive's simulations (Wang et al., TC'23, section 5.1).

usage: incentive-jobs.py SEED [--jobs=NUMBER] [--convex] >TRACE

14 users submit them in 48 hours. As printed: a job trains 20 to 50 chunks of data of 10 to
50 batches for 50 to 100 epochs; a batch takes 0.001 to 0.05 hours and 10 to 100 ms, and
sends its 30 to 575 MB at 0.1 to 5 Gbit/s there and back. Ours: it has a worker with a GPU
for each chunk; when jobs come, and who submits them, is uniform.

--convex   a job is worth (E / x)^KAPPA where it takes x hours, E 100 to 1000, KAPPA 1 to
           2; else K x + G, K -2 to -0.1, G 100 to 1000
"""
import argparse
import random

parser = argparse.ArgumentParser()
parser.add_argument("seed", type=int)
parser.add_argument("--jobs", type=int, default=100)
parser.add_argument("--convex", action="store_true")
options = parser.parse_args()
draw = random.Random(options.seed)
rows = []
for job in range(options.jobs):
    submit = draw.random() * 48 * 3600
    epochs, chunks, batches = (draw.randint(50, 100), draw.randint(20, 50),
                               draw.randint(10, 50))
    batch_sec = draw.uniform(0.001, 0.05) * 3600 + draw.uniform(0.01, 0.1)
    batch_sec += 2 * draw.uniform(30, 575) * 8e6 / (draw.uniform(0.1, 5) * 1e9)
    worth = f"linear:{draw.uniform(-2, -0.1):.4f}/{draw.uniform(100, 1000):.2f}"
    if options.convex:
        worth = f"convex:{draw.uniform(100, 1000):.2f}/{draw.uniform(1, 2):.4f}"
    user = draw.randrange(14)
    rows.append((submit, f"j{job},t{user},u{user},{submit:.0f},"
                         f"{epochs * batches * batch_sec:.0f},{chunks},{worth}"))
print("job_id,tenant,user,submit_s,duration_s,gpus,utility")
for _, row in sorted(rows):
    print(row)
