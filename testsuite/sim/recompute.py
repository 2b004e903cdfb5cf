#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compute the metrics of `sfairsim run --out FOLDER` again, from its rows.

usage: recompute.py FOLDER GPUS

N_avg by walking through the events, GPU time by the schedule: other ways than
those of src/sim. Also that GPU time is neither lost nor found: the same by job,
tenant, interval and run, all of it work or a known loss, and never more than
there are GPUs.
"""

import csv
import json
import sys


def rows(folder, name):
    """The rows of a CSV file, numbers as such."""
    with open(f"{folder}/{name}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for key, value in row.items():
                try:
                    row[key] = float(value)
                except ValueError:
                    pass
            yield row


def contention(jobs):
    """A function: the integral over time of the number of active jobs."""
    events = sorted(
        [(j["submit_sec"], 1) for j in jobs] + [(j["end_sec"], -1) for j in jobs]
    )
    points, total, active, before = {}, 0, 0, 0
    for time, change in events:
        total += active * (time - before)
        active += change
        before = time
        points[time] = total
    return points.__getitem__


def most_at_once(runs):
    """The GPUs held at the busiest moment."""
    events = sorted(
        [(r["start_sec"], 1, r["gpus"]) for r in runs]
        + [(r["end_sec"], 0, -r["gpus"]) for r in runs]
    )
    held = most = 0
    for _, _, change in events:
        held += change
        most = max(most, held)
    return most


def loss(pairs, limit):
    """The share of those entitled to anything that had less than the limit."""
    rho = [a / f for a, f in pairs if f > 0]
    return sum(r < limit - 1e-9 for r in rho) / len(rho)


def due_lost(pairs):
    """What was lacking, of all that was due."""
    return sum(f - a for a, f in pairs if f > a) / sum(f for _, f in pairs)


def share(pairs):
    """Pairs of A and F of rows."""
    return [(r["alloc_gpu_sec"], r["fair_gpu_sec"]) for r in pairs]


def finish_times(jobs):
    """T_SH / T_ID of each job (Themis, Eq. 1)."""
    integral = contention(jobs)
    for j in jobs:
        life = j["end_sec"] - j["submit_sec"]
        average = (integral(j["end_sec"]) - integral(j["submit_sec"])) / life
        yield life / (average * j["duration_sec"])


def bounded_slowdown(jobs):
    """The mean, with durations of at least 10 s (Feitelson et al., JSSPP'97)."""
    total = 0
    for j in jobs:
        took = j["end_sec"] - j["submit_sec"]
        total += max(1, took / j["duration_sec"] if j["duration_sec"] > 10 else took / 10)
    return total / len(jobs)


def first_waits(jobs):
    """Number, mean and longest by the size of jobs, all of which have started."""
    sizes = {}
    for j in jobs:
        least = next(n for n in (1, 4, 8, 16, 32, 64, 128, 1e9) if j["gpus"] <= n)
        sizes.setdefault(least, []).append(j["start_sec"] - j["submit_sec"])
    for waits in (sizes[key] for key in sorted(sizes)):
        yield from (len(waits), sum(waits) / len(waits), max(waits))


def quota_waits(job, others, quota):
    """Terms in which the quota pays for a job and those of the others before it."""
    before = sum(o["gpus"] for o in others if o["start_sec"] >= job["submit_sec"])
    return (job["gpus"] + before) / quota


def over_bound(jobs, tenants, gpus, by_user):
    """Jobs that waited longer for their first start than they were promised.

    Leases of 15 minutes, a checkpoint of 10 and a start of 40 seconds: the defaults.
    """
    weights = {t["tenant"]: t["weight"] for t in tenants}
    over = 0
    for number, j in enumerate(jobs):
        now = j["submit_sec"]
        before = [o for o in jobs[:number] if o["tenant"] == j["tenant"]]
        quota = gpus * weights[j["tenant"]] / sum(weights.values())
        terms = quota_waits(j, before, quota)
        if by_user:
            users = {
                o["user"]
                for o in jobs
                if o["tenant"] == j["tenant"] and o["submit_sec"] <= now < o["end_sec"]
            }
            before = [o for o in before if o["user"] == j["user"]]
            terms = max(terms, quota_waits(j, before, quota / len(users)))
        over += j["start_sec"] - now > (2 + terms) * 900 + 10 + 40
    return over


def main():
    """Print what differs; exit 1 then."""
    folder, gpus = sys.argv[1], float(sys.argv[2])
    with open(f"{folder}/result.json", encoding="utf-8") as file:
        document = json.load(file)
    metrics = document["metrics"]
    by_user = document["policy"] == "ltgf"
    jobs, runs = list(rows(folder, "jobs")), list(rows(folder, "runs"))
    tenants = list(rows(folder, "tenants"))
    intervals = list(rows(folder, "intervals"))
    lost = sum(j["cold_gpu_sec"] + j["checkpoint_gpu_sec"] for j in jobs)
    slow = sum(j["slow_gpu_sec"] for j in jobs)
    work = sum(j["duration_sec"] * j["gpus"] for j in jobs)
    used = sum((r["end_sec"] - r["start_sec"]) * r["gpus"] for r in runs)
    ftf = list(finish_times(jobs))
    jct = [j["end_sec"] - j["submit_sec"] for j in jobs]
    equal = {
        "job_loss": (metrics["job_loss"], loss(share(jobs), 0.95)),
        "job_due_lost": (metrics["job_due_lost"], due_lost(share(jobs))),
        "tenant_loss": (metrics["tenant_loss"], loss(share(intervals), 1)),
        "tenant_due_lost": (metrics["tenant_due_lost"], due_lost(share(intervals))),
        "ftf_mean": (metrics["ftf_mean"], sum(ftf) / len(ftf)),
        "ftf_max": (metrics["ftf_max"], max(ftf)),
        "jct_mean_sec": (metrics["jct_mean_sec"], sum(jct) / len(jct)),
        "slowdown_bounded": (metrics["slowdown_bounded"], bounded_slowdown(jobs)),
        "over_bound": (metrics["over_bound"], over_bound(jobs, tenants, gpus, by_user)),
        "gpu_sec": (metrics["gpu_sec"], used),
        "lost_share": (metrics["lost_share"], lost / used),
        "GPU time of jobs": (sum(a for a, _ in share(jobs)), used),
        "GPU time of tenants": (sum(a for a, _ in share(tenants)), used),
        "GPU time of intervals": (sum(a for a, _ in share(intervals)), used),
        "work and losses": (work + lost + slow, used),
    }
    ours = [
        row[key]
        for row in rows(folder, "sizes")
        for key in ("jobs", "wait_mean_sec", "wait_max_sec")
        if row["jobs"]
    ]
    for number, (one, other) in enumerate(zip(ours, first_waits(jobs), strict=True)):
        equal[f"wait by size, number {number}"] = (one, other)
    failed = most_at_once(runs) > gpus
    if failed:
        print(f"recompute: {most_at_once(runs)} of {gpus} GPUs at once")
    for name, (ours, other) in equal.items():
        if abs(ours - other) > 1e-6 * max(1, abs(other)):
            print(f"recompute: {name}: {ours} is {other} otherwise")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
