#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print the most utility that the jobs of an instance of Incentive can have, where all are
known beforehand (Wang et al., TC'23, the offline optimum).

usage: incentive-optimum.py <INSTANCE, of incentive-jobs.py --small

All servers have one GPU and one parameter server. So a job of N workers takes any N free
ones, and its parameter server is beside one of them. A job runs without a pause on the
workers that it began with, or never. Worth falls with time: so some optimum begins each job
when it comes or when another one ends.
"""
import functools
import json
import math
import sys

instance = json.load(sys.stdin)
jobs = instance["jobs"]
workers = len(instance["servers"])
assert all(server == {"w": 1, "p": 1} for server in instance["servers"])
come = [math.ceil(job["arrival"]) for job in jobs]


def ways_of(job):
    """Numbers of workers, and the slots that it takes on them; the fastest is first."""
    ways = []
    for count in range(1, min(job["D"], workers) + 1):
        speed = count * job["n_cent" if count == 1 else "n_dist"]
        slots = max(1, math.ceil(job["work"] / speed - 1e-9))
        carried = (count - 1) * instance["b_w"] <= instance["b_p"] + 1e-9
        if carried and (not ways or slots < ways[-1][1]):
            ways.append((count, slots))
    return ways[::-1]


def worth(job, end):
    slots, utility = end - jobs[job]["arrival"], jobs[job]["utility"]
    if utility["type"] == "linear":
        return max(0, utility["k"] * slots + utility["g"])
    return (utility["e"] / slots) ** utility["kappa"]


ways_of_jobs = [ways_of(job) for job in jobs]


def bound(now, waiting):
    """What the waiting jobs are worth if each has all workers to itself."""
    return sum(worth(job, max(now, come[job]) + ways_of_jobs[job][0][1])
               for job in waiting)


@functools.lru_cache(None)
def best(now, last, waiting, running):
    """The most utility of the waiting jobs. last: of those that begin now, only later ones
    are still to be tried. running: the end and the workers of each."""
    choices = []
    free = workers - sum(count for _, count in running)
    for job in waiting:
        rest = tuple(other for other in waiting if other != job)
        for count, slots in ways_of_jobs[job]:
            if job > last and come[job] <= now and count <= free:
                value, end = worth(job, now + slots), now + slots
                choices.append((value + bound(now, rest), value, now, job, rest,
                                tuple(sorted(running + ((end, count),)))))
    events = [end for end, _ in running] + [come[job] for job in waiting if come[job] > now]
    if events and waiting:
        then = min(events)
        choices.append((bound(then, waiting), 0, then, -1, waiting,
                        tuple(run for run in running if run[0] > then)))
    most = 0
    for limit, value, *state in sorted(choices, reverse=True):
        if limit > most:
            most = max(most, value + best(*state))
    return most


print(f"{best(0, -1, tuple(range(len(jobs))), ()):.6f}")
