#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One table of what replay.py wrote: table.py FILE...

Files of the same cluster, with other seeds, are taken together; a seed that not all
clusters have is left out. Ends with 1 if a job did not finish, or a prepared one lost
or repeated a step.
"""
import json
import sys

NEAR = 0.1  # of a value, and of a second: nobody is called better


def entitled(demand, weights, gpus):
    """Share out the GPUs by weight; nobody gets more than its demand, and what
    one does not want goes to the others."""
    got, left = dict.fromkeys(demand, 0.0), float(gpus)
    hungry = {t for t in demand if demand[t] > 0}
    while hungry and left > 1e-9:
        unit = left / sum(weights[t] for t in hungry)
        full = {t for t in hungry if demand[t] <= unit * weights[t] + 1e-9}
        if not full:
            for t in hungry:
                got[t] = unit * weights[t]
            break
        for t in full:
            got[t] = demand[t]
            left -= demand[t]
        hungry -= full
    return got


def overlap(start, end, first, last):
    return max(0.0, min(end, last) - max(start, first))


def gpu_time(result):
    """Per tenant, within the hour: (GPU seconds had, entitled to)."""
    hour, jobs = result["hour_sec"], result["jobs"]
    had = dict.fromkeys(result["weights"], 0.0)
    due = dict(had)
    for job in jobs:
        had[job["tenant"]] += job["gpus"] * sum(
            overlap(start, end, 0, hour) for start, end, _ in job["runs"])
    for second in range(int(hour)):
        wanted = dict.fromkeys(had, 0)
        for job in jobs:
            if job["submit"] <= second < job["runs"][-1][1]:
                wanted[job["tenant"]] += job["gpus"]
        for tenant, gpus in entitled(wanted, result["weights"],
                                     result["gpus"]).items():
            due[tenant] += gpus
    return {t: (had[t], due[t]) for t in had}


def lost(result):
    """(GPU seconds of interrupted jobs beyond what they compute, GPU seconds
    of all jobs, interruptions)"""
    gone = used = count = 0
    for job in result["jobs"]:
        held = job["gpus"] * sum(end - start for start, end, _ in job["runs"])
        used += held
        if len(job["runs"]) > 1:
            gone += max(0, held - job["gpus"] * job["sec"])
            count += len(job["runs"]) - 1
    return gone, used, count


def percentile(values, part):
    """The smallest value that so large a part of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(100 * part) * len(ordered) // 100) - 1)]


def waits(results, wanted):
    return [max(0.0, job["first_start"] - job["submit"])
            for result in results for job in result["jobs"] if wanted(job)]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Row:
    """A line of the table: a number a cluster, how it is printed, and which
    cluster's is the best."""

    def __init__(self, what, form, numbers, far=lambda number: number):
        self.what, self.form, self.numbers = what, form, numbers
        self.far = far  # the less, the better

    def best(self):
        rated = [self.far(n) for n in self.numbers]
        least = min(rated)
        near = [rate <= least + max(NEAR, NEAR * abs(least))
                for rate in rated]
        return [] if all(near) else near


def share_rows(groups):
    for tenant in groups[0][0]["weights"]:
        numbers = []
        for results in groups:
            pairs = [gpu_time(result)[tenant] for result in results]
            numbers.append(100 * sum(had for had, _ in pairs) /
                           max(1e-9, sum(due for _, due in pairs)))
        yield Row(f"GPU time of {tenant}, % of its entitlement", "{:.0f}",
                  numbers, lambda number: abs(number - 100))


def wait_rows(groups):
    kinds = [(f"{n} GPU" + "s" * (n > 1),
              lambda job, n=n: job["gpus"] == n) for n in (1, 2, 4, 8)]
    kinds.append(("interactive", lambda job: job["qos"] == "interactive"))
    for name, wanted in kinds:
        values = [waits(results, wanted) for results in groups]
        if not all(values):
            continue
        for part, word in ((0.5, "median"), (0.95, "95 %")):
            yield Row(f"first wait, {name}, {word}, s", "{:.1f}",
                      [percentile(v, part) for v in values])


def other_rows(groups):
    sums = [[sum(part) for part in zip(*map(lost, results))]
            for results in groups]
    yield Row("GPU time lost by interruptions, % of all", "{:.1f}",
              [100 * gone / used for gone, used, _ in sums])
    # An hour of the cluster stands for an hour: seconds for half minutes.
    yield Row("the same, in GPU hours an hour stands for", "{:.2f}",
              [gone / len(results) / results[0]["hour_sec"] for (gone, _, _),
               results in zip(sums, groups)])
    yield Row("interruptions", "{:.0f}",
              [count / len(results) for (_, _, count), results in
               zip(sums, groups)])
    yield Row("GPUs in use within the hour, %", "{:.0f}",
              [100 * mean(sum(had for had, _ in gpu_time(r).values()) /
                          r["gpus"] / r["hour_sec"] for r in results)
               for results in groups], lambda number: -number)
    yield Row("the last job ended after, s", "{:.0f}",
              [mean(max(job["runs"][-1][1] for job in r["jobs"])
                    for r in results) for results in groups])
    yield Row("sbatch to start, 1 GPU, idle cluster, s", "{:.2f}",
              [mean(r["idle_start_sec"] for r in results)
               for results in groups])


def put(groups):
    names = [results[0]["name"] for results in groups]
    print("| | " + " | ".join(names) + " |")
    print("|:---|" + "---:|" * len(names))
    for rows in (share_rows, wait_rows, other_rows):
        for row in rows(groups):
            best = row.best()
            cells = [row.form.format(n) for n in row.numbers]
            cells = [f"**{c}**" if best and best[i] else c
                     for i, c in enumerate(cells)]
            print(f"| {row.what} | " + " | ".join(cells) + " |")


def done(job):
    """Slurm may call a job TIMEOUT that did its last step while it was being
    preempted."""
    return job["finished"] or job["prepared"] and job["whole"]


def wrong(result):
    """What did not go well, in words."""
    jobs = result["jobs"]
    unfinished = sum(not done(job) for job in jobs)
    broken = sum(done(job) and not job["whole"] for job in jobs)
    if unfinished:
        yield f"{unfinished} of {len(jobs)} jobs did not finish"
    if broken:
        yield f"{broken} prepared jobs lost or repeated a step"


def alike(groups):
    """The results of the seeds that all clusters have."""
    seeds = set.intersection(*({r["seed"] for r in results}
                               for results in groups))
    return [[r for r in results if r["seed"] in seeds] for results in groups]


def main():
    groups, bad = {}, []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as text:
            result = json.load(text)
        groups.setdefault(result["name"], []).append(result)
        bad += [f"FAILED: {result['name']}, seed {result['seed']}: {text}"
                for text in wrong(result)]
    groups = alike(list(groups.values()))
    put(groups)
    if bad:
        print("\n" + "\n".join(bad))
        return 1
    print(f"\nAll {sum(len(r['jobs']) for r in groups[0])} jobs finished on each "
          "cluster; no prepared job lost a step.\nBold: the best, and what "
          "is within a tenth of it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
