#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Inject faults into a running cluster and look whether all is well; see
campaign.sh, which starts the cluster."""
import argparse
import random
import re
import sys
import threading
import time

from check import Checks
from cluster import Cluster
from journal import Journal, Log
from kinds import KINDS, ctld_point
from work import Work


def options():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("--faults", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=50)
    p.add_argument("--kinds", default="")
    p.add_argument("--points", default="")
    p.add_argument("--every-point", default="")
    p.add_argument("--nodes", type=int, default=5)
    p.add_argument("--round", type=float, default=1)
    p.add_argument("--stock", action="store_true")
    p.add_argument("--mounted", action="store_true")
    p.add_argument("--accounting", action="store_true")
    p.add_argument("--elastic", type=int, default=0)
    p.add_argument("--limit", type=int, default=60)
    return p.parse_args()


def sequence(o, points, possible):
    """[(kind, Random of its own, point or None)]: a seed's faults."""
    names = [k for k, (_, _, needs) in KINDS.items()
             if needs is None or possible[needs]]
    if o.kinds:
        names = [n for n in o.kinds.split(",") if n in names]
    if not names:
        sys.exit("campaign: none of these kinds is possible here")
    draw = random.Random("faults %d" % o.seed)
    kinds = draw.choices(names, weights=[KINDS[n][1] for n in names],
                         k=o.faults)
    plan = [(k, random.Random("%d %d" % (o.seed, i)), None)
            for i, k in enumerate(kinds)]
    if o.every_point:
        plan += [("ctld-point", random.Random("%d %s" % (o.seed, p)), p)
                 for p in points]
    return plan


class Campaign:
    def __init__(self, o):
        self.o = o
        self.cluster = c = Cluster(o.dir, o.stock)
        c.points = o.points.split()
        if o.every_point:
            part, parts = map(int, o.every_point.split("/"))
            c.points = c.points[part - 1::parts]
        c.nodes = ["n%d" % (i + 1) for i in range(o.nodes)]
        c.reached, c.integrals_lost, c.clock_moved = set(), False, False
        self.log = Log(c.log, time.monotonic)
        self.journal = Journal(o.dir + "/out/journal", self.log.completed)
        self.work = Work(c, self.journal, o.seed, o.accounting, o.elastic,
                         o.limit)
        self.checks = Checks(c, self.work, self.journal, self.log, o.round)
        self.violations = []
        self.begin = time.monotonic()
        self.admin = {"released": 0, "resumed": 0, "hurried": 0}
        self.ended = threading.Event()

    def follow(self):
        while not self.ended.wait(0.1):
            self.log.read()
            self.journal.read()

    def say(self, text):
        print("%7.1f s  %s" % (time.monotonic() - self.begin, text),
              flush=True)

    def violated(self, found):
        for text in found:
            self.say("    VIOLATION: " + text)
        self.violations += found

    def tend(self):
        """What an administrator does now and then."""
        states = self.work.states()
        if states is None:
            return
        self.admin["released"] += self.work.release(states)
        self.admin["hurried"] += self.work.hurry(states)
        self.admin["resumed"] += self.work.resume()

    def feed(self):
        """New jobs. Slurm saves them after 5 s, on a busy machine later; what is
        not saved is lost with a slurmctld that is killed."""
        if len(self.work.waiting()) > self.o.jobs * 0.7:
            return
        self.submit()

    def submit(self):
        if self.work.top_up(self.o.jobs):
            self.cluster.saved("j%d" % self.work.count)

    def one(self, number, kind, draw, point):
        c = self.cluster
        self.feed()
        time.sleep(draw.random() * (0 if point else 3))
        before = None if c.stock else self.checks.leases()
        c.integrals_lost = c.clock_moved = False
        errors = len(self.log.errors)
        if kind == "ctld-point":
            what = ctld_point(c, draw, point)
        else:
            what = KINDS[kind][0](c, draw)
        c.heal(["munged", "slurmctld"] + c.nodes)
        self.say("%3d  %-14s %s" % (number, kind, what))
        if point and number % 4:
            return              # the next one before all has settled
        self.violated(self.checks.after_fault(before))
        for _, line in self.log.errors[errors:errors + 3]:
            self.say("     log: " + re.sub(r"^\[[^]]*\] ", "", line)[:120])
        if self.o.accounting and not c.stock:
            self.account(c.integrals_lost)
        self.tend()

    def account(self, lost):
        """GPU time; the same picture twice, for sfair shows the last round
        and slurmdbd hears a little later."""
        if lost:
            # Threads that wait for a time, and sacct's times that are yet to
            # come, are right again when the clock has caught up.
            time.sleep(35 if self.cluster.clock_moved else 3)
            self.checks.rebase()
            return
        self.cluster.wait(15, lambda: not self.checks.integrals())
        self.violated(self.checks.integrals())
        self.say("     sfair - sacct: " + ", ".join(
            "%s %+.0f" % (name, more) for name, (more, _) in sorted(
                self.checks.drift().items())))
        if self.checks.integrals():
            self.checks.rebase()    # said once

    def left(self):
        """How many jobs are not done, by their journal or for slurmctld: it
        may not have heard of an end, and runs the job once more."""
        return len(self.work.waiting()) + len(self.checks.unfinished())

    def drain(self):
        self.say("no more faults: %d jobs are not done"
                 % len(self.work.waiting()))
        least, since, asked = self.left(), time.monotonic(), False
        while least and time.monotonic() < since + 180:
            self.tend()
            time.sleep(2)
            left = self.left()
            if left < least:
                least, since, asked = left, time.monotonic(), False
            elif not asked and time.monotonic() > since + 60:
                # A step that was killed in a job's first 20 s, for which
                # Slurm did not look when a slurmd last registered.
                asked = True
                self.cluster.run("scontrol", "reconfigure")
        self.violated(self.checks.failed_jobs())
        self.violated(["%s is not done 180 s after the last one was" % n
                       for n in self.work.waiting()])
        self.violated(self.checks.unfinished())
        self.violated(self.journal.shared_gpus())
        self.violated(self.checks.sizes.out_of_range())
        if self.o.accounting and not self.cluster.stock:
            self.violated(self.checks.sizes.booked(self.checks.records()))

    def rest(self, number):
        """Points that have not been reached: once more."""
        for point in sorted(set(self.cluster.points) - self.cluster.reached):
            number += 1
            self.one(number, "ctld-point", random.Random(number), point)
        self.violated(["fault point %s was never reached" % p for p in sorted(
            set(self.cluster.points) - self.cluster.reached)])

    def run(self, plan):
        follower = threading.Thread(target=self.follow, daemon=True)
        follower.start()
        self.submit()
        self.cluster.wait(60, lambda: len(self.journal.runs) > 3)
        for i, step in enumerate(plan):
            self.one(i + 1, *step)
        if self.o.every_point:
            self.rest(len(plan))
        self.violated(self.checks.after_fault(None))
        self.drain()
        self.ended.set()
        follower.join()

    def summary(self, plan):
        runs = sum(len(r) for r in self.journal.runs.values())
        print("faults %d, jobs %d, runs %d, in %d s" % (
            len(plan), len(self.journal.runs), runs,
            time.monotonic() - self.begin))
        sizes = [(r.job, r.size) for runs in self.journal.runs.values()
                 for r in runs if r.size]
        if self.work.range:
            print("elastic: %d jobs, %d runs, %d of them at another size than "
                  "the one before" % (len(self.work.range), len(sizes), sum(
                      a[0] == b[0] and a[1] != b[1]
                      for a, b in zip(sizes, sizes[1:]))))
        counts = {}
        for kind, _, _ in plan:
            counts[kind] = counts.get(kind, 0) + 1
        print("kinds: " + ", ".join("%s %d" % x
                                    for x in sorted(counts.items())))
        print("fault points reached: %d of %d" % (
            len(self.cluster.reached), len(self.cluster.points)))
        print("by hand: %(released)d jobs released after a failed launch, "
              "%(resumed)d nodes resumed, %(hurried)d jobs told to start now"
              % self.admin)
        print("ended without slurmctld's knowing and run again: %d"
              % self.journal.unheard)
        print("violations: %d" % len(self.violations))


def main():
    o = options()
    campaign = Campaign(o)
    possible = {"points": bool(campaign.cluster.points) and not o.stock,
                "mount": o.mounted, "leases": not o.stock,
                "shim": campaign.cluster.shim is not None}
    plan = sequence(o, campaign.cluster.points, possible)
    try:
        campaign.run(plan)
    finally:
        campaign.summary(plan)
    sys.exit(1 if campaign.violations else 0)


main()
