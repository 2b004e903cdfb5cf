#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Show who holds which GPUs until all jobs are over or the time is up.

Redraws one screen on a terminal, prints plain lines elsewhere. What the tenants
had, on this cluster and on the stock one beside it, at the last moment at which
all of them competed there goes to --record.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import time

from watch import Jobs, Journals, Sample, Usage, shares

COLOURS = (44, 42, 45, 46, 43, 41)  # backgrounds, a tenant each
BAR = 30


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def percent(part):
    return "  --" if part is None else f"{100 * part:3.0f} %"


def ratio(value):
    return f"{value:5.2f}" if isinstance(value, (int, float)) else "   --"


class Changes:
    """Which jobs did what between one sample and the next."""

    def __init__(self):
        self.before = {}

    def since(self, sample):
        found = {"started": [], "renewed": [], "taken back": [],
                 "finished": []}
        for job in sample.jobs.values():
            what = self._change(self.before.get(job.id), job)
            if what:
                found[what].append(job.label)
            self.before[job.id] = job
        return {what: labels for what, labels in found.items() if labels}

    @staticmethod
    def _change(old, new):
        if new.over:
            return None if old and old.over else "finished"
        if old and new.restarts > old.restarts:
            return "taken back"
        if new.state == "RUNNING" and (not old or old.state != "RUNNING"):
            return "started"
        if old and "leased" == old.phase == new.phase and \
                new.lease["leases"] > old.lease["leases"]:
            return "renewed"
        return None


class Plain:
    """A few lines every few seconds."""

    def __init__(self, args):
        self.every = args.every
        self.next = 0
        self.changes = {}

    def show(self, sample, stock, passed, changes):
        for what, labels in changes.items():
            self.changes.setdefault(what, []).extend(labels)
        if passed < self.next:
            return
        self.next = passed + self.every
        part = shares(sample.tenants)
        print(f"{clock(passed):>5}  " + " | ".join(
            f"{t['name']} {sample.gpus_of(t['name'])} GPUs, had "
            f"{percent(part[t['name']][1]).strip()}, rho "
            f"{ratio(t['rho']).strip()}" for t in sample.tenants)
            + f" | free {sample.gpus_free()}")
        print("       stock: " + " | ".join(
            f"{t['name']} {stock.gpus_of(t['name'])} GPUs"
            for t in sample.tenants))
        held = "   ".join(self._nodes(sample))
        print("       " + (held or "no job holds a GPU"))
        for what, labels in self.changes.items():
            print(f"         {what}: {' '.join(labels)}")
        self.changes = {}
        sys.stdout.flush()

    @staticmethod
    def _nodes(sample):
        counts = {}
        for (node, _), job in sorted(sample.holders().items()):
            of_node = counts.setdefault(node, {})
            of_node[job.label] = of_node.get(job.label, 0) + 1
        for node, of_node in counts.items():
            yield f"{node}: " + " ".join(
                f"{label}x{n}" for label, n in of_node.items())

    def close(self):
        pass


class Screen:
    """One screen, drawn anew each time."""

    def __init__(self, args):
        self.args = args
        self.colour = {}
        self.recent = []
        self.last = []
        self.plain = "NO_COLOR" in os.environ
        self.journals = Journals(args.folder)
        self.wanted = self.journals.wanted()
        sys.stdout.write("\033[?1049h\033[?25l")

    def show(self, sample, stock, passed, changes):
        for tenant in sample.tenants:
            self.colour.setdefault(tenant["name"],
                                   COLOURS[len(self.colour) % len(COLOURS)])
        self.recent += [f"{clock(passed):>5}  {what}: {' '.join(labels)}"
                        for what, labels in changes.items()]
        width, height = shutil.get_terminal_size((80, 24))
        head = [*self._title(sample, passed), "", *self._grid(sample), "",
                *self._tenants(sample), self._stock(sample, stock), ""]
        room = height - len(head) - 1
        jobs = self._jobs(sample, width)[:max(0, room - 4)]
        news = self.recent[-max(1, room - len(jobs) - 2):]
        self.recent = self.recent[-height:]
        if not sample.gpus_free():
            self.last = head
        rows = head + jobs + ["", "  What happened last"] + [
            "  " + line[:width - 3] for line in news]
        sys.stdout.write("\033[H" + "".join(
            row + "\033[K\r\n" for row in rows[:height - 1]) + "\033[J")
        sys.stdout.flush()

    def close(self):
        """Leave the screen as it was, and there the last full house."""
        sys.stdout.write("\033[?25h\033[?1049l")
        print("\n".join(self.last))
        sys.stdout.flush()

    def _paint(self, tenant, text):
        if self.plain:
            return text
        return f"\033[97;{self.colour.get(tenant, 40)}m{text}\033[0m"

    def _bold(self, text):
        return text if self.plain else f"\033[1m{text}\033[0m"

    def _title(self, sample, passed):
        over = sum(job.over for job in sample.jobs.values())
        pool = sample.pool
        yield self._bold(
            f"  Astraea  {clock(passed)}   {pool['gpus']} GPUs, "
            f"{sample.gpus_free()} free; leases of {pool['lease_sec']:.0f} s; "
            f"{over} of {len(sample.jobs)} jobs finished")

    def _grid(self, sample):
        holders = sample.holders()
        yield "  Who holds which GPUs: tenant's letter and job"
        for n in range(1, self.args.nodes + 1):
            cells = []
            for index in range(self.args.gpus):
                job = holders.get((f"n{n}", index))
                cells.append(self._paint(job.tenant, f"{job.label:^5}")
                             if job else "  .  ")
            yield f"    n{n}  " + " ".join(cells)

    def _tenants(self, sample):
        yield (f"  {'Tenant':8} Weight GPUs  {'of the GPU time so far':{BAR}}"
               "  had  fair    rho")
        for tenant in sample.tenants:
            name = tenant["name"]
            fair, had = shares(sample.tenants)[name]
            yield (f"  {name:8} {tenant['weight']:5g} "
                   f"{sample.gpus_of(name):5}  "
                   f"{self._bar(name, had or 0, fair)} "
                   f"{percent(had)} {percent(fair)}    {ratio(tenant['rho'])}")

    @staticmethod
    def _stock(sample, stock):
        held = "  ".join(f"{t['name']} {stock.gpus_of(t['name'])}"
                         for t in sample.tenants)
        over = sum(job.over for job in stock.jobs.values())
        return (f"  Stock Slurm, same jobs: GPUs {held}; "
                f"{over} of {len(stock.jobs)} jobs finished")

    def _bar(self, name, had, fair):
        """What a tenant had, with a mark at its fair share."""
        full, mark = round(had * BAR), min(BAR - 1, round(fair * BAR))
        cells = ["=" if self.plain and i < full else " " for i in range(BAR)]
        cells[mark] = "|"
        text = "".join(cells)
        return self._paint(name, text[:full]) + text[full:]

    def _jobs(self, sample, width):
        jobs = [j for j in sample.jobs.values() if not j.over and j.lease]
        running = [j for j in jobs if j.gpus_held]
        waiting = sorted((j for j in jobs if not j.gpus_held),
                         key=lambda j: j.lease["rank"] or 0)
        left = [f"  Running: {len(running)}"]
        left += [f"  {j.label:4}{j.lease['gpus']:3} GPUs  {self._time(j)}  "
                 f"step {self._steps(j)}" for j in running]
        right = [f"Waiting: {len(waiting)}"]
        right += [f"{j.label:4}{j.lease['gpus']:3} GPUs, step "
                  f"{self._steps(j)}" for j in waiting]
        count = max(len(left), len(right))
        left += [""] * (count - len(left))
        right += [""] * (count - len(right))
        return [f"{a:44}{b}"[:width - 1] for a, b in zip(left, right)]

    def _time(self, job):
        if job.phase == "waiting":  # as of the last round
            return "starts    "
        if job.phase != "leased" or not job.lease["lease_end_sec"]:
            return f"{job.phase:10}"
        left = max(0, job.lease["lease_end_sec"] - time.time())
        return f"lease {left:2.0f} s"

    def _steps(self, job):
        return f"{self.journals.steps(job.id)}/{self.wanted.get(job.id, '?')}"


class Record:
    """What the report needs of both clusters: who had how much when all tenants
    competed for the last time, and when the jobs were over."""

    def __init__(self, path, gpus):
        self.path, self.gpus = path, gpus
        self.usage = {}
        self.kept = {"weights": {}, "passed_sec": {}, "had": {},
                     "over_sec": {}, "held": {"ours": [], "stock": []}}

    def take(self, sample, stock, passed):
        weights = {t["name"]: t["weight"] for t in sample.tenants}
        self.kept["weights"] = weights
        for name, jobs in (("ours", sample), ("stock", stock)):
            usage = self.usage.setdefault(name, Usage(weights, self.gpus))
            usage.take(jobs)
            self.kept["held"][name].append(
                [passed, {tenant: jobs.gpus_of(tenant) for tenant in weights}])
            if usage.contended():
                self.kept["passed_sec"][name] = passed
                self.kept["had"][name] = usage.had()
            if jobs.all_over():
                self.kept["over_sec"].setdefault(name, passed)

    def save(self):
        with open(self.path, "w", encoding="utf-8") as out:
            json.dump(self.kept, out)


def watch(args, view, record):
    start, changes = time.time(), Changes()
    while True:
        sample, stock = Sample(), Jobs(args.stock)
        passed = sample.when - start
        if sample.ok and sample.jobs and stock.ok:
            record.take(sample, stock, passed)
            view.show(sample, stock, passed, changes.since(sample))
            if sample.all_over() and stock.all_over():
                return
        if passed > args.limit:
            return
        time.sleep(max(0.1, 1 - (time.time() - sample.when)))


def stopped(_number, _frame):
    raise SystemExit(130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where the jobs' journals are")
    parser.add_argument("--record", required=True, metavar="FILE")
    parser.add_argument("--limit", type=float, required=True,
                        metavar="SECONDS")
    parser.add_argument("--stock", required=True, metavar="SLURM.CONF",
                        help="of the stock cluster beside this one")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--every", type=float, default=5, metavar="SECONDS",
                        help="how often plain lines are printed")
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, stopped)
    on_screen = sys.stdout.isatty() and not args.plain and \
        os.environ.get("TERM", "dumb") != "dumb"
    view = Screen(args) if on_screen else Plain(args)
    record = Record(args.record, args.nodes * args.gpus)
    try:
        watch(args, view, record)
    finally:
        view.close()
        record.save()


if __name__ == "__main__":
    main()
