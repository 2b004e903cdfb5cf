#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A scheduler of an app for sfair-agent --scheduler=exec:PROGRAM.

It gets the app's offer as JSON on standard input and prints its bid: rho, the
time until all is done over what an undisturbed cluster would have taken, for
each number of GPUs; the jobs with the least loss first; and it gives up jobs
whose loss, after --after iterations, is more than --factor times the best.
"""
import argparse
import json
import sys


def said(job, key, default=None):
    """What the job said of its progress."""
    value = (job["progress"] or {}).get(key)
    return default if value is None else value


def gpu_seconds(job):
    """What the job has left to do, None if it did not say."""
    total, iter_sec = said(job, "total"), said(job, "iter_sec")
    if total is None or iter_sec is None:
        return None
    left = max(0, total - said(job, "done", 0))
    return left * iter_sec * job["gpus"] * job["copies"]


def bid(offer, after, factor):
    app, jobs = offer["app"], offer["jobs"]
    losses = [said(job, "loss") for job in jobs]
    best = min((loss for loss in losses if loss is not None), default=None)
    stop = [job["job"] for job in jobs
            if best is not None and said(job, "done", 0) >= after
            and said(job, "loss", best) > factor * best]
    kept = [job for job in jobs if job["job"] not in stop]
    kept.sort(key=lambda job: said(job, "loss", float("inf")))
    answer = {"jobs": [job["job"] for job in kept], "stop": stop}
    work = [gpu_seconds(job) for job in kept]
    if work and None not in work and app["ideal_sec"]:
        answer["rho"] = {
            level: [(app["elapsed_sec"] + slowdown * sum(work) / gpus)
                    / app["ideal_sec"]
                    for gpus in range(1, app["gpus_max"] + 1)]
            for level, slowdown in zip(("slot", "machine", "rack", "cross"),
                                       app["slowdown"])}
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--after", type=int, default=100)
    parser.add_argument("--factor", type=float, default=2)
    args = parser.parse_args()
    json.dump(bid(json.load(sys.stdin), args.after, args.factor), sys.stdout)


if __name__ == "__main__":
    main()
