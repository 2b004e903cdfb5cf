#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs like those of Incentive's simulations (Wang et al., TC'23, section 5.1).

usage: incentive-jobs.py SEED [--jobs=NUMBER] [--convex] >TRACE
       incentive-jobs.py SEED [--jobs=NUMBER] [--convex] --servers=NUMBER|--small >INSTANCE

14 users submit them in 48 hours. As printed: a job trains 20 to 50 chunks of data of 10 to
50 batches for 50 to 100 epochs; a batch takes 0.001 to 0.05 hours and 10 to 100 ms, and
sends its 30 to 575 MB at 0.1 to 5 Gbit/s there and back. Ours: it has a worker with a GPU
for each chunk; when jobs come, and who submits them, is uniform.

--convex   a job is worth (E / x)^KAPPA where it takes x hours, E 100 to 1000, KAPPA 1 to
           2; else K x + G, K -2 to -0.1, G 100 to 1000
--servers  print an instance for sfairsim decide, in the paper's own model: a job has any
           number of workers up to its chunks, and sends nothing if all are on one server.
           Each server has a parameter server of 5 to 20 Gbit/s, as printed. Ours: half of
           the servers have 2 GPUs, half 8; all jobs send at one rate
--small    the same on 8 servers with a GPU each: 2 users, a tenth of the chunks
"""
import argparse
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("seed", type=int)
parser.add_argument("--jobs", type=int, default=100)
parser.add_argument("--convex", action="store_true")
parser.add_argument("--servers", type=int)
parser.add_argument("--small", action="store_true")
options = parser.parse_args()
draw = random.Random(options.seed)


def draw_job(number):
    """compute_s, sent_gbit: of a batch. worth: of two numbers."""
    submit = draw.random() * 48
    epochs, chunks, batches = (draw.randint(50, 100), draw.randint(20, 50),
                               draw.randint(10, 50))
    compute = draw.uniform(0.001, 0.05) * 3600 + draw.uniform(0.01, 0.1)
    sent, rate = 2 * draw.uniform(30, 575) * 8e-3, draw.uniform(0.1, 5)
    worth = draw.uniform(-2, -0.1), draw.uniform(100, 1000)
    if options.convex:
        worth = draw.uniform(100, 1000), draw.uniform(1, 2)
    return {"id": f"j{number}", "submit": submit, "chunks": chunks,
            "batches": epochs * batches, "compute_s": compute, "sent_gbit": sent,
            "rate": rate, "worth": worth, "user": draw.randrange(14)}


def print_trace(jobs):
    print("job_id,tenant,user,submit_s,duration_s,gpus,utility")
    for job in jobs:
        batch = job["compute_s"] + job["sent_gbit"] / job["rate"]
        worth = ("convex:{:.2f}/{:.4f}" if options.convex else "linear:{:.4f}/{:.2f}")
        print(f"{job['id']},t{job['user']},u{job['user']},{job['submit'] * 3600:.0f},"
              f"{job['batches'] * batch:.0f},{job['chunks']},"
              f"{worth.format(*job['worth'])}")


def print_instance(jobs, sizes, users, part):
    """sizes: GPUs of each server. part: of the chunks."""
    rate, ps_rate = draw.uniform(0.1, 5), draw.uniform(5, 20)
    names = ("e", "kappa") if options.convex else ("k", "g")
    kind = "convex" if options.convex else "linear"

    def quota(whole, user):
        return whole * (user + 1) // users - whole * user // users

    def instance_job(job):
        workers = job["chunks"] // part
        return {"id": job["id"], "user": job["user"] % users, "arrival": job["submit"],
                "work": job["batches"] * workers, "D": workers,
                "n_cent": 3600 / job["compute_s"],
                "n_dist": 3600 / (job["compute_s"] + job["sent_gbit"] / rate),
                "utility": {"type": kind, **dict(zip(names, job["worth"]))}}

    print(json.dumps({
        "lambda": 1, "theta_w": 2, "theta_p": 2, "b_w": rate, "b_p": ps_rate, "L": 11,
        "servers": [{"w": size, "p": 1} for size in sizes],
        "users": [{"id": user, "q_w": quota(sum(sizes), user),
                   "q_p": quota(len(sizes), user)} for user in range(users)],
        "jobs": [instance_job(job) for job in jobs]}))


drawn = sorted((draw_job(i) for i in range(options.jobs)), key=lambda job: job["submit"])
if options.small:
    print_instance(drawn, [1] * 8, 2, 10)
elif options.servers:
    print_instance(drawn, [2, 8] * (options.servers // 2), 14, 1)
else:
    print_trace(drawn)
