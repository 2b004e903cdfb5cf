#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up replies of the plugin's reports, as sfair report --json has them.

usage: replies.py [--tenants N] [--days N] [--jobs N] [--gpus N]
       [--step SECONDS] [--hostile] [--start SECONDS] [--pools N] [--before]
"""

import argparse
import json
import math
import random

NAMES = (
    "physics vision speech biology robotics climate finance chemistry".split()
)
HOSTILE = [
    '<img src=x onerror="window.pwned=1">',
    "</title></style><script>window.pwned=1</script>",
    '" onmouseover="window.pwned=1',
    "'); window.pwned=1; ('",
    "&lt;b&gt; &amp;",
    "\u202etluafed\u0007\u001b[31m",
    "名前" * 100,
    "x" * 5000,
    "]]><!-- -->",
    "é\u0301\u0301 \U0001f600",
    '=HYPERLINK("x")',
]
USERS = "alice bob carol dave erin frank grace heidi ivan judy".split()


class Cluster:
    """The same numbers for the same arguments."""

    def __init__(self, args):
        self.args = args
        self.random = random.Random(7)
        self.names = [
            NAMES[i] if i < len(NAMES) else f"group{i:03}"
            for i in range(args.tenants)
        ]
        self.users = list(USERS)
        if args.hostile:
            self.names = (HOSTILE + self.names)[: max(args.tenants, len(HOSTILE))]
            self.users = HOSTILE + self.users
        self.tenants = [
            {"pool": f"pool{i % args.pools}", "tenant": name}
            for i, name in enumerate(self.names)
        ]
        self.start = args.start
        self.end = args.start + args.days * 86400
        self.times = range(self.start, self.end, args.step)
        self.cells = [list(self.of_time(t)) for t in self.times]
        self.job_list = [self.job(i) for i in range(args.jobs)]

    def of_time(self, when):
        """Each tenant's wish, due and part of a step."""
        phase = 2 * math.pi * (when % 86400) / 86400
        wishes = [
            max(
                0,
                (1.6 + math.sin(phase * (1 + i % 2) + i * 2.1))
                * self.args.gpus
                / (len(self.tenants) + 1)
                * self.random.uniform(0.8, 1.2)
                * (2.4 if i < 3 else 0.8),
            )
            for i in range(len(self.tenants))
        ]
        due = self.args.gpus / max(1, len(self.tenants))
        most = self.args.gpus * 0.97
        scale = min(1, most / max(1e-9, sum(wishes)))
        for wish, tenant in zip(wishes, self.tenants):
            yield tenant, wish, min(due, wish), wish * scale

    def job(self, i):
        """A job with its waits, runs and leases."""
        r = self.random
        tenant = self.tenants[min(int(r.expovariate(0.5)), len(self.tenants) - 1)]
        gpus = r.choice([1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32])
        submit = r.uniform(self.start, self.end - 600)
        wait = r.expovariate(1 / (60 * gpus)) * r.choice([0.01, 1, 5])
        run = min(r.expovariate(1 / 5400) + 60, 2 * 86400)
        start = submit + wait
        end = start + run * r.uniform(1, 1.4)
        going = end > self.end
        fair = gpus * (wait + run) * r.uniform(0.6, 1.05)
        return {
            "id_text": str(1000 + i) if i % 5 else f"{1000 + i}_{i % 7}",
            "job": 1000 + i,
            "user": r.choice(self.users),
            **tenant,
            "account": tenant["tenant"],
            "name": r.choice(HOSTILE if self.args.hostile else ["train", "eval-7b", "sweep"]),
            "gpus": gpus,
            "submit_sec": round(submit, 3),
            "start_sec": round(start, 3) if start < self.end else None,
            "end_sec": None if going else round(end, 3),
            "wait_sec": wait,
            "run_sec": run,
            "turnaround_sec": None if going else end - submit,
            "slowdown": None if going else (end - submit) / run,
            "state": "RUNNING" if going else "COMPLETED",
            "alloc_gpu_sec": gpus * run,
            "fair_gpu_sec": fair,
            "rho": gpus * run / fair if fair else None,
            "leases": 0,
            "revoked": 0,
            "lost_sec": 0.0,
        }

    def leases(self):
        """Of ten minutes each; some are revoked."""
        term = 600
        for job in self.job_list:
            at, end = job["start_sec"], job["end_sec"] or self.end
            while at is not None and at < min(end, self.end):
                until = min(end, at + term)
                how = "renewed" if until < end else "ended"
                if how == "renewed" and self.random.random() < 0.04:
                    how = "revoked"
                job["leases"] += 1
                job["revoked"] += how == "revoked"
                yield {
                    **{k: job[k] for k in ("id_text", "job", "user", "tenant", "pool")},
                    "number": job["leases"],
                    "start_sec": round(at, 3),
                    "end_sec": round(until, 3) if until < self.end else None,
                    "gpus": job["gpus"],
                    "nodes": f"n[{job['job'] % 8}-{job['job'] % 8 + job['gpus'] // 8}]",
                    "how": how if until < self.end else "",
                }
                at = until + (900 if how == "revoked" else 0)

    def timeline(self):
        """Each tenant at each time."""
        step = self.args.step
        for when, cells in zip(self.times, self.cells):
            for tenant, wish, due, had in cells:
                yield {
                    "time_sec": when,
                    **tenant,
                    "alloc_gpu_sec": had * step,
                    "fair_gpu_sec": due * step,
                    "rho": had / due if due else None,
                    "demand_gpu_sec": wish * step,
                    "used_gpu_sec": had * step,
                }

    def sums(self):
        """Each tenant over all times."""
        step = self.args.step
        for i, tenant in enumerate(self.tenants):
            mine = [cells[i] for cells in self.cells]
            due = step * sum(c[2] for c in mine)
            had = step * sum(c[3] for c in mine)
            yield {
                **tenant,
                "weight": 1.0 + i % 3,
                "alloc_gpu_sec": had,
                "fair_gpu_sec": due,
                "rho": had / due if due else None,
                "lack_gpu_sec": step * sum(max(0, c[2] - c[3]) for c in mine),
                "demand_gpu_sec": step * sum(c[1] for c in mine),
            }

    def losses(self):
        """Each pool at each time."""
        step = self.args.step
        for when, cells in zip(self.times, self.cells):
            for k in range(self.args.pools):
                mine = cells[k :: self.args.pools]
                due = step * sum(c[2] for c in mine)
                lack = step * sum(max(0, c[2] - c[3]) for c in mine)
                yield {
                    "time_sec": when,
                    "pool": f"pool{k}",
                    "tenants": len(mine),
                    "alloc_gpu_sec": step * sum(c[3] for c in mine),
                    "fair_gpu_sec": due,
                    "lack_gpu_sec": lack,
                    "loss": lack / due if due else None,
                    "rho_min": None,
                    "rho_max": None,
                }

    def utilization(self):
        """Each pool over all times."""
        span = self.end - self.start
        for k in range(self.args.pools):
            total = span * self.args.gpus / self.args.pools
            used = sum(
                self.args.step * c[3]
                for cells in self.cells
                for c in cells[k :: self.args.pools]
            )
            yield {
                "pool": f"pool{k}",
                "total_gpu_sec": total,
                "used_gpu_sec": used,
                "down_gpu_sec": total * 0.01,
                "idle_gpu_sec": max(0, total * 0.99 - used),
                "wanted_gpu_sec": total * 0.006,
                "lost_gpu_sec": total * 0.01,
                "span_sec": span,
            }

    def users_top(self):
        """A user of each account."""
        for i, tenant in enumerate(self.tenants[:500]):
            yield {
                "user": self.users[i % len(self.users)],
                "account": tenant["tenant"],
                **tenant,
                "used_gpu_sec": 3600.0 * (len(self.tenants) - i),
            }

    def reply(self, report, rows, step=None):
        """A whole reply."""
        return {
            "astraea": 1,
            "request": "report",
            "time_sec": self.end + 1.5,
            "cluster": "</h1><script>" if self.args.hostile else "demo",
            "report": report,
            "start_sec": self.start,
            "end_sec": self.end,
            "step_sec": step,
            "rows": list(rows),
            "more": False,
        }

    def replies(self):
        """All that a page is made of."""
        leases = list(self.leases())
        fairness = [
            {k: v for k, v in j.items() if k not in ("wait_sec", "run_sec", "turnaround_sec", "slowdown")}
            for j in self.job_list
        ]
        slowdown = [
            {k: v for k, v in j.items() if k not in ("account", "name", "alloc_gpu_sec", "fair_gpu_sec", "rho", "leases", "revoked", "lost_sec")}
            for j in self.job_list
        ]
        yield self.reply("cluster utilization", self.utilization())
        yield self.reply("cluster fairness", self.losses(), self.args.step)
        yield self.reply("tenant fairness", self.sums())
        yield self.reply("tenant timeline", self.timeline(), self.args.step)
        yield self.reply("user top", self.users_top())
        yield self.reply("job fairness", fairness)
        yield self.reply("job slowdown", slowdown)
        yield self.reply("job leases", leases)
        if self.args.before:
            yield from self.before()

    def before(self):
        """Of the time before, when half as much was used; one tenant was not there."""
        rows = {
            "cluster utilization": list(self.utilization()),
            "cluster fairness": list(self.losses()),
            "tenant fairness": list(self.sums())[1:],
        }
        for report, known in rows.items():
            for row in known:
                for key in ("used_gpu_sec", "alloc_gpu_sec"):
                    if key in row:
                        row[key] /= 2
            reply = self.reply(report, known)
            span = self.end - self.start
            yield {**reply, "start_sec": self.start - span, "end_sec": self.start}


def main():
    """Write the replies as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenants", type=int, default=6)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--gpus", type=int, default=128)
    parser.add_argument("--step", type=int, default=60)
    parser.add_argument("--start", type=int, default=1795219200)
    parser.add_argument("--pools", type=int, default=1)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--before", action="store_true")
    print(json.dumps(list(Cluster(parser.parse_args()).replies())))


if __name__ == "__main__":
    main()
